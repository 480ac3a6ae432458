#include "fits/fit_one.h"

#include "fits/folder.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

asif_status cli_fit_estimates(asif_estimates **out, const cli_fit_job *fit) {
    cli_job *job = fit->job;
    asif_priors priors = fit->how.method == ASIF_FIT_PUBLISHED ? ASIF_PRIORS_PUBLISHED : ASIF_PRIORS_STATED;
    return asif_estimates_scaled(out, job->context, job->work, job->theta, fit->spec, fit->specs, priors,
                                 NULL, &job->error);
}

void cli_fit_options(cli_fit_job *fit, asif_fit_method method) {
    const cli_args *args = fit->job->args;
    asif_fit_options *out = &fit->how;
    asif_fit_defaults(out, method);
    out->sample.seed = args->seed.value;
    if (args->chains.given)
        out->sample.chains = (uint32_t)args->chains.value;
    if (args->warmup.given) {
        out->sample.warmup = args->warmup.value;
        out->short_warmup = 0;
    }
    if (args->draws.given)
        out->sample.draws = args->draws.value;
    if (args->accept.given)
        out->sample.target_accept = args->accept.value;
    if (args->starts.given)
        out->starts = (uint32_t)args->starts.value;
    if (args->checkpoint.given)
        out->sample.checkpoint_sec = args->checkpoint.value;
}

asif_fit_request cli_fit_request(const cli_fit_job *fit, const cli_group *group) {
    const cli_job *job = fit->job;
    const cli_args *args = job->args;
    asif_fit_request request = ASIF_FIT_REQUEST_INIT;
    request.study = job->study;
    request.logs = group->tree;
    request.given = job->theta;
    request.solver = &fit->solver;
    request.how = &fit->how;
    request.clusters = group->episodes;
    request.work = job->work;
    request.no_sensitivity = args->no_sensitivity;
    request.no_answers = args->no_answers;
    request.partial = fit->partial;
    request.by = group->value ? args->by : NULL;
    request.value = group->value;
    request.where = args->where.count ? args->where.item : NULL;
    request.people = group->people;
    request.map = asif_tree_recognise(cli_logs_path(args)) ? NULL : job->map;
    request.world = fit->world;
    request.worlds = fit->worlds;
    request.table = group->value ? job->tree : NULL;
    return request;
}

/* ---- messages ---- */

static int say_failure(const cli_fit_job *fit, asif_status status, const asif_folder *folder) {
    cli_job *job = fit->job;
    asif_folder_view view = {.struct_size = sizeof view};
    asif_folder_get(folder, &view, NULL);
    bool saved = cli_folder_has_prefix(view.checkpoints, "checkpoint-");
    if (status == ASIF_ECANCELLED) {
        cli_say("stopped before the end; %s",
                saved ? "the draws so far are saved" : "there are no draws yet");
        cli_hint("the same command %s", saved ? "goes on from where it was" : "begins again");
        return CLI_SYSTEM;
    }
    bool of_logs = status == ASIF_EZEROPR || (status == ASIF_EINVALID && cli_job_helper(job) && !saved);
    if (of_logs && !job->error.file[0])
        snprintf(job->error.file, sizeof job->error.file, "%s", cli_logs_name(job->args));
    return cli_say_error(&job->error);
}

/* Name the files of the study that are not copied with it because they are in other folders. */
static void name_elsewhere(const cli_fit_job *fit, const char *path) {
    const char *name;
    for (uint32_t i = 0; !fit->job->args->quiet && (name = asif_study_files(fit->job->study, i)); i++)
        if (strchr(name, '/'))
            cli_say("note: %s/study.yaml names the file `%s`, which was not copied", path, name);
}

static int refuse_finished(const char *path) {
    cli_say("%s holds a finished fit", path);
    cli_hint("'asif summary %s' shows it; choose another folder, or --force to replace it", path);
    return CLI_USAGE;
}

static int keep_text(const cli_job *job, char **out, char *text) {
    *out = text ? strdup(text) : NULL;
    asif_memory_free(job->context, text);
    if (*out)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_SYSTEM;
}

/* ---- the fit ---- */

static int make_fit(const cli_fit_job *fit, const asif_fit_request *request, asif_folder *folder,
                    const char *path, char **json) {
    cli_job *job = fit->job;
    asif_whole_fit *made = NULL;
    char *text = NULL;
    cli_progress_catch();
    asif_status status = asif_fit_run(&made, job->context, request, folder, &job->error);
    cli_progress_end(&job->progress);
    int code = status == ASIF_OK ? CLI_OK : say_failure(fit, status, folder);
    if (code == CLI_OK)
        name_elsewhere(fit, path);
    if (code == CLI_OK && (asif_fit_save(made, folder, &fit->origin.origin, &job->error) != ASIF_OK ||
                           asif_whole_fit_json(&text, made, &job->error) != ASIF_OK))
        code = cli_say_error(&job->error);
    asif_whole_fit_free(made);
    return code == CLI_OK ? keep_text(job, json, text) : code;
}

/* Read the fit.json of a fit that was finished before. */
static int take_finished(const cli_fit_job *fit, const char *path, char **json) {
    cli_job *job = fit->job;
    char *text = NULL;
    uint64_t length = 0;
    if (asif_fit_read(&text, &length, job->context, path, ASIF_FIT_JSON, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return keep_text(job, json, text);
}

int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *path, char **json) {
    cli_job *job = fit->job;
    const cli_args *args = job->args;
    asif_fit_request request = cli_fit_request(fit, group);
    asif_folder *folder = NULL;
    asif_folder_view view = {.struct_size = sizeof view};
    *json = NULL;
    int code = CLI_OK;
    if (asif_fit_open(&folder, job->context, &request, path, args->force, &job->error) != ASIF_OK ||
        asif_folder_get(folder, &view, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK && group->value && !args->quiet)
        cli_say("%s = %s%s", args->by, group->value, view.finished ? ": finished before" : "");
    if (code == CLI_OK && view.resumed && !args->quiet)
        cli_say("%s holds a fit that was interrupted: going on from there", path);
    if (code == CLI_OK && view.finished)
        code = group->value || view.completed ? take_finished(fit, path, json) : refuse_finished(path);
    else if (code == CLI_OK)
        code = make_fit(fit, &request, folder, path, json);
    asif_folder_close(folder);
    return code;
}
