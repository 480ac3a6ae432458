#include "fit_one.h"

#include "fit_asked.h"
#include "folder.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what the fit is made of ---- */

asif_status cli_fit_estimates(asif_estimates **out, const cli_fit_job *fit, asif_problems *said) {
    cli_job *job = fit->job;
    asif_priors priors = fit->method == ASIF_FIT_PUBLISHED ? ASIF_PRIORS_PUBLISHED : ASIF_PRIORS_STATED;
    const asif_inverse_info *inverse = asif_inverse_named(asif_study_inverse(job->study));
    bool weighed =
        !inverse || inverse->likelihood; /* else priors do not count, nor what there is to say of them */
    return asif_estimates_scaled(out, job->context, job->work, job->theta, fit->spec, fit->specs, priors,
                                 weighed ? said : NULL, &job->error);
}

static void fill_options(asif_fit_options *out, const cli_fit_job *fit) {
    const cli_args *args = fit->job->args;
    asif_fit_defaults(out, fit->method);
    out->inverse = asif_study_inverse(fit->job->study);
    out->inverse_options = &fit->asked;
    out->sample.seed = args->seed.value;
    if (args->chains.given)
        out->sample.chains = (uint32_t)args->chains.value;
    if (args->warmup.given)
        out->sample.warmup = args->warmup.value;
    if (args->draws.given)
        out->sample.draws = args->draws.value;
    if (args->accept.given)
        out->sample.target_accept = args->accept.value;
    if (args->starts.given)
        out->starts = (uint32_t)args->starts.value;
    if (args->checkpoint.given)
        out->sample.checkpoint_sec = args->checkpoint.value;
}

/* Counts only; names of episodes stay where pairs are about them. */
static asif_status save_tree(const cli_fit_job *fit, const cli_group *group, const char *path) {
    cli_job *job = fit->job;
    asif_helper helper = cli_job_helper(job);
    if (helper == ASIF_HELPER_NONE || helper == ASIF_HELPER_PAIRS)
        return asif_tree_save(group->tree, path, &job->error);
    asif_tree *nameless = NULL;
    const char *const columns[] = {cli_job_column(job), NULL};
    asif_status status = asif_tree_select_units(&nameless, group->tree, NULL, columns, false, &job->error);
    if (status == ASIF_OK)
        status = asif_tree_save(nameless, path, &job->error);
    asif_tree_free(nameless);
    return status;
}

/* What the draws depend on beside the study, its values and the logs. */
static int print_options(FILE *file, const cli_fit_job *fit, const cli_group *group) {
    const cli_args *args = fit->job->args;
    asif_fit_options options;
    fill_options(&options, fit);
    fprintf(file, "%s\n%s\n%s\n%d\n", asif_fit_method_text(fit->method), group->value ? args->by : "",
            group->value ? group->value : "", args->no_sensitivity);
    fprintf(file, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g %" PRIu32 "\n",
            options.sample.chains, options.sample.warmup, options.sample.draws, options.sample.thin,
            options.sample.seed, options.sample.target_accept, options.starts);
    for (uint32_t i = 0; i < args->where.count; i++)
        fprintf(file, "%s\n", args->where.item[i]);
    return ferror(file) ? CLI_SYSTEM : CLI_OK;
}

/* A checkpoint or a finished fit is known again by it. */
static int make_key(char *key, const cli_fit_job *fit, const cli_group *group) {
    cli_job *job = fit->job;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    int code = file ? print_options(file, fit, group) : CLI_SYSTEM;
    if (file && fclose(file) != 0)
        code = CLI_SYSTEM;
    asif_plan_options solver = cli_job_solver(job);
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    parts.command = "fit";
    parts.study = job->study;
    parts.given = job->theta;
    parts.solver = &solver;
    parts.logs = group->tree;
    parts.options = text;
    if (code != CLI_OK)
        cli_say("out of memory");
    else if (asif_key_make(key, &parts, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    free(text);
    return code;
}

/* ---- the folder ---- */

/* The study, what it names, and the counts: these do not depend on the fit. */
static int write_inputs(const cli_fit_job *fit, const cli_group *group, const char *folder) {
    cli_job *job = fit->job;
    char *tree = cli_join(folder, "logs.tree");
    int code = tree ? CLI_OK : CLI_SYSTEM;
    if (code == CLI_OK && save_tree(fit, group, tree) != ASIF_OK) {
        cli_say_error(&job->error);
        code = CLI_SYSTEM;
    }
    free(tree);
    return code == CLI_OK ? cli_folder_write(folder, "study.yaml", fit->study_text, fit->study_length) : code;
}

/* A file that the study names goes along, if it lies beside it. */
static int copy_file(const cli_fit_job *fit, const char *folder, const char *name) {
    const char *study = fit->job->args->operand[0];
    if (strchr(name, '/') || strcmp(study, "-") == 0) {
        if (!fit->job->args->quiet)
            cli_say("note: %s/study.yaml names the file `%s`, which was not copied", folder, name);
        return CLI_OK;
    }
    const char *slash = strrchr(study, '/');
    char *beside = slash ? strndup(study, (size_t)(slash - study) + 1) : strdup("."), *text = NULL;
    size_t length = 0;
    int code = beside ? cli_folder_read(&text, &length, beside, name) : CLI_SYSTEM;
    if (code == CLI_OK)
        code = cli_folder_write(folder, name, text, length);
    free(beside);
    free(text);
    return code;
}

static int copy_files(const cli_fit_job *fit, const char *folder) {
    const char *name;
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && (name = asif_study_files(fit->job->study, i)); i++)
        code = copy_file(fit, folder, name);
    return code;
}

int cli_fit_begin(const cli_fit_job *fit, const cli_group *group, const char *folder, bool *done) {
    const cli_args *args = fit->job->args;
    *done = false;
    int code = cli_folder_make(folder);
    if (code != CLI_OK || args->force || !cli_folder_has(folder, "fit.json"))
        return code;
    cli_folder_clear_checkpoints(folder); /* of a fit that was killed in its last moment */
    if (group && group->value) {
        char key[ASIF_DIGEST_SIZE], line[ASIF_DIGEST_SIZE + 16], *json = NULL;
        size_t length;
        code = make_key(key, fit, group);
        if (code == CLI_OK)
            code = cli_folder_read(&json, &length, folder, "fit.json");
        snprintf(line, sizeof line, "\"key\": \"%s\"", key);
        *done = code == CLI_OK && strstr(json, line);
        free(json);
        if (code != CLI_OK || *done)
            return code;
    }
    cli_say("%s holds a finished fit", folder);
    cli_hint("'asif summary %s' shows it; choose another folder, or --force to replace it", folder);
    return CLI_USAGE;
}

/* ---- what comes out ---- */

static int write_chains(const cli_fit_job *fit, const asif_draws *draws, const char *folder) {
    cli_job *job = fit->job;
    asif_draws_view view = {.struct_size = sizeof view};
    if (!draws)
        return CLI_OK;
    if (asif_draws_get(draws, &view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = CLI_OK;
    for (uint32_t k = 0; k < view.chains && code == CLI_OK; k++) {
        char name[32], *text = NULL;
        snprintf(name, sizeof name, "chain-%" PRIu32 ".csv", k + 1);
        if (asif_draws_csv(&text, draws, k, "asif", &job->error) != ASIF_OK)
            return cli_say_error(&job->error);
        code = cli_folder_write(folder, name, text, strlen(text));
        asif_memory_free(job->context, text);
    }
    return code;
}

static void print_digest(FILE *file, const char *path) {
    char digest[ASIF_DIGEST_SIZE];
    if (strcmp(path, "-") != 0 && asif_digest_file(digest, path, NULL) == ASIF_OK)
        fprintf(file, "\"%s\"", digest);
    else
        fputs("null", file);
}

static int print_run(FILE *file, const cli_fit_job *fit, const asif_fit_view *view, double seconds) {
    const cli_args *args = fit->job->args;
    const asif_context *context = fit->job->context;
    char when[64] = "", digest[ASIF_DIGEST_SIZE];
    struct tm utc;
    if (gmtime_r(&fit->started.tv_sec, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(file, "{\n  \"asif\": \"%s\",\n  \"command\": [", asif_version());
    int code = CLI_OK;
    for (int i = 0; i < args->argc && code == CLI_OK; i++) {
        fputs(i ? ", " : "", file);
        code = cli_print_quoted(file, context, args->argv[i]);
    }
    fputs("],\n  \"study\": {\"file\": ", file);
    if (code == CLI_OK)
        code = cli_print_quoted(file, context, args->operand[0]);
    asif_digest_bytes(digest, fit->study_text, fit->study_length);
    fprintf(file, ", \"sha256\": \"%s\"},\n  \"logs\": {\"file\": ", digest);
    if (code == CLI_OK)
        code = cli_print_quoted(file, context, args->operand[1]);
    fputs(", \"sha256\": ", file);
    print_digest(file, args->operand[1]);
    fprintf(file,
            "},\n  \"seed\": %" PRIu64 ",\n  \"threads\": %" PRIu64 ",\n  \"vector\": \"%s\",\n"
            "  \"started\": \"%s\",\n  \"seconds\": %.3f,\n  \"seconds_search\": %.3f,\n"
            "  \"seconds_sampling\": %.3f\n}\n",
            args->seed.value, args->threads.given ? args->threads.value : 1, asif_context_vector(context),
            when, seconds, view->search_sec, view->sample_sec);
    return code;
}

static int write_run(const cli_fit_job *fit, const char *folder, const asif_fit_view *view, double seconds) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    int code = print_run(file, fit, view, seconds);
    fclose(file);
    if (code == CLI_OK)
        code = cli_folder_write(folder, "run.json", text, length);
    free(text);
    return code;
}

static int write_fit(const cli_fit_job *fit, const cli_group *group, const asif_fit *made,
                     const cli_asked *asked, const asif_problems *said, const char *key, const char *folder,
                     char **json) {
    cli_job *job = fit->job;
    const cli_args *args = job->args;
    asif_fit_about about = ASIF_FIT_ABOUT_INIT;
    about.title = asif_study_title(job->study);
    about.given = job->theta;
    about.said = said;
    about.by = group->value ? args->by : NULL;
    about.value = group->value;
    about.where = args->where.count ? args->where.item : NULL;
    about.key = key;
    about.people = group->people;
    about.inverse = asif_study_inverse(job->study);
    asif_plan_options solver = cli_job_solver(job);
    about.solver = &solver;
    about.outcomes = asked->outcomes;
    about.checks = asked->checks;
    about.sensitivity = asked->sensitivity;
    char *text = NULL;
    if (asif_fit_json(&text, made, &about, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_folder_write(folder, "fit.json", text, strlen(text));
    *json = strdup(text);
    asif_memory_free(job->context, text);
    return *json ? code : CLI_SYSTEM;
}

/* ---- the fit ---- */

static int say_failure(const cli_fit_job *fit, asif_status status, const char *folder) {
    cli_job *job = fit->job;
    if (status == ASIF_ECANCELLED) {
        bool saved = cli_folder_has_prefix(folder, "checkpoint-");
        cli_say("stopped before the end; %s",
                saved ? "the draws so far are saved" : "there are no draws yet");
        cli_hint("the same command %s", saved ? "goes on from where it was" : "begins anew");
        return CLI_SYSTEM;
    }
    bool of_logs = status == ASIF_EZEROPR || (status == ASIF_EINVALID && cli_job_helper(job) &&
                                              !cli_folder_has_prefix(folder, "checkpoint-"));
    if (of_logs && !job->error.file[0])
        snprintf(job->error.file, sizeof job->error.file, "%s", job->args->operand[1]);
    if (status == ASIF_EINVALID && cli_folder_has_prefix(folder, "checkpoint-"))
        snprintf(job->error.hint, sizeof job->error.hint,
                 "it is of another study, other logs or other flags: choose another folder, or --force to "
                 "begin anew");
    int code = cli_say_error(&job->error);
    return status == ASIF_EIO ? CLI_SYSTEM : code;
}

static asif_status run(asif_fit **out, const cli_fit_job *fit, const cli_group *group,
                       asif_estimates **estimates, asif_problems *said, const char *key, const char *folder) {
    cli_job *job = fit->job;
    asif_fit_options options;
    fill_options(&options, fit);
    options.sample.folder = folder;
    options.sample.key = key;
    options.sample.keep = true; /* until all is written */
    options.clusters = group->episodes;
    asif_status status = cli_fit_estimates(estimates, fit, said);
    cli_progress_catch(); /* here, as files that are written have their own way with signals */
    if (status == ASIF_OK)
        status =
            asif_fit_run(out, job->context, job->work, *estimates, group->tree, &options, said, &job->error);
    cli_progress_end(&job->progress);
    return status;
}

int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *folder, char **json) {
    cli_job *job = fit->job;
    struct timespec begun, ended;
    char key[ASIF_DIGEST_SIZE];
    asif_problems *said = NULL;
    asif_estimates *estimates = NULL;
    asif_fit *made = NULL;
    cli_asked asked = {0};
    asif_fit_view view = {.struct_size = sizeof view};
    *json = NULL;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    int code = job->args->force ? cli_folder_clear(folder) : CLI_OK;
    if (code == CLI_OK)
        code = write_inputs(fit, group, folder);
    if (code == CLI_OK)
        code = copy_files(fit, folder);
    if (code == CLI_OK)
        code = make_key(key, fit, group);
    if (code == CLI_OK && asif_problems_create(&said, job->context, 0, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code != CLI_OK)
        return code;
    if (cli_folder_has_prefix(folder, "checkpoint-") && !job->args->quiet)
        cli_say("%s holds a fit that was interrupted: going on from there", folder);
    asif_status status = run(&made, fit, group, &estimates, said, key, folder);
    if (status == ASIF_OK)
        status = asif_fit_get(made, &view, &job->error);
    if (status == ASIF_OK)
        status = cli_asked_make(&asked, fit, group, estimates, &view);
    if (status != ASIF_OK)
        code = say_failure(fit, status, folder);
    if (code == CLI_OK)
        code = write_chains(fit, view.draws, folder);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (code == CLI_OK)
        code =
            write_run(fit, folder, &view,
                      (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
    if (code == CLI_OK)
        code = write_fit(fit, group, made, &asked, said, key, folder, json);
    if (code == CLI_OK)
        cli_folder_clear_checkpoints(folder);
    cli_asked_free(&asked);
    asif_fit_free(made);
    asif_estimates_free(estimates);
    asif_problems_free(said);
    return code;
}
