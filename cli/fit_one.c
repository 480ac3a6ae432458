#include "fit_one.h"

#include "fit_asked.h"
#include "folder.h"
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

int cli_fit_key(char *key, const cli_fit_job *fit, const cli_group *group) {
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

static int put(const cli_fit_job *fit, asif_folder *folder, const char *name, const char *bytes,
               uint64_t length) {
    cli_job *job = fit->job;
    return asif_folder_put(folder, name, bytes, length, &job->error) == ASIF_OK ? CLI_OK
                                                                                : cli_say_error(&job->error);
}

/* Counts only; names of episodes stay where pairs are about them. */
static int write_tree(const cli_fit_job *fit, const cli_group *group, asif_folder *folder) {
    cli_job *job = fit->job;
    asif_helper helper = cli_job_helper(job);
    asif_tree *nameless = NULL;
    const char *const columns[] = {cli_job_column(job), NULL};
    char *bytes = NULL;
    uint64_t length = 0;
    asif_status status = ASIF_OK;
    if (helper != ASIF_HELPER_NONE && helper != ASIF_HELPER_PAIRS)
        status = asif_tree_select_units(&nameless, group->tree, NULL, columns, false, &job->error);
    if (status == ASIF_OK)
        status = asif_tree_bytes(&bytes, &length, nameless ? nameless : group->tree, &job->error);
    int code = status == ASIF_OK ? put(fit, folder, "logs.tree", bytes, length) : cli_say_error(&job->error);
    asif_memory_free(job->context, bytes);
    asif_tree_free(nameless);
    return code;
}

static const char *const usual_names[] = {"study.yaml", "logs.tree", "run.json", ASIF_FIT_JSON};

/* Files beside the study go along, if they have no name of the fit's own files. */
static bool is_copied(const cli_fit_job *fit, const char *name) {
    size_t length = strlen(name);
    bool chain = strncmp(name, "chain-", 6) == 0 && length > 4 && strcmp(name + length - 4, ".csv") == 0;
    bool plain = !strchr(name, '/') && name[0] != '.' && !chain && strcmp(name, "manifest.json") != 0;
    for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names; i++)
        plain = plain && strcmp(name, usual_names[i]) != 0;
    return plain && strcmp(fit->job->args->operand[0], "-") != 0;
}

static int copy_file(const cli_fit_job *fit, asif_folder *folder, const char *path, const char *name) {
    cli_job *job = fit->job;
    const char *study = job->args->operand[0], *slash = strrchr(study, '/');
    if (!is_copied(fit, name)) {
        if (!job->args->quiet)
            cli_say("note: %s/study.yaml names the file `%s`, which was not copied", path, name);
        return CLI_OK;
    }
    char *beside = slash ? strndup(study, (size_t)(slash - study) + 1) : strdup("."), *bytes = NULL;
    char *from = beside ? cli_join(beside, name) : NULL;
    uint64_t length = 0;
    int code = from ? CLI_OK : CLI_SYSTEM;
    if (from && asif_file_read(&bytes, &length, job->context, from, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = put(fit, folder, name, bytes, length);
    asif_memory_free(job->context, bytes);
    free(beside);
    free(from);
    return code;
}

/* The study, what it names, and the counts: these do not depend on the fit. */
static int write_inputs(const cli_fit_job *fit, const cli_group *group, asif_folder *folder,
                        const char *path) {
    const char *name;
    int code = put(fit, folder, "study.yaml", fit->study_text, fit->study_length);
    for (uint32_t i = 0; code == CLI_OK && (name = asif_study_files(fit->job->study, i)); i++)
        code = copy_file(fit, folder, path, name);
    return code == CLI_OK ? write_tree(fit, group, folder) : code;
}

/* Files that will be written: NULL-terminated, to be freed by free(), as are the names of the chains. */
static const char **name_files(const cli_fit_job *fit, uint32_t chains, char **chain) {
    enum { SIZE = 32 };
    uint32_t files = 0, used = 0;
    while (asif_study_files(fit->job->study, files))
        files++;
    const char **name = calloc(sizeof usual_names / sizeof *usual_names + files + chains + 1, sizeof *name);
    *chain = malloc((size_t)chains * SIZE + 1);
    if (!name || !*chain)
        return name;
    for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names; i++)
        name[used++] = usual_names[i];
    for (uint32_t i = 0; i < files; i++)
        if (is_copied(fit, asif_study_files(fit->job->study, i)))
            name[used++] = asif_study_files(fit->job->study, i);
    for (uint32_t k = 0; k < chains; k++) {
        snprintf(*chain + (size_t)k * SIZE, SIZE, "chain-%" PRIu32 ".csv", k + 1);
        name[used++] = *chain + (size_t)k * SIZE;
    }
    return name;
}

static int open_folder(asif_folder **out, const cli_fit_job *fit, const char *path, const char *key) {
    cli_job *job = fit->job;
    asif_fit_options options;
    fill_options(&options, fit);
    char *chain = NULL;
    const char **name =
        name_files(fit, fit->method <= ASIF_FIT_PUBLISHED ? options.sample.chains : 0, &chain);
    asif_folder_options about = ASIF_FOLDER_OPTIONS_INIT;
    about.path = path;
    about.key = key;
    about.name = name;
    about.force = job->args->force;
    int code = CLI_OK;
    if (!name || !chain) {
        cli_say("out of memory");
        code = CLI_SYSTEM;
    } else if (asif_folder_open(out, job->context, &about, &job->error) != ASIF_OK) {
        code = cli_say_error(&job->error);
    }
    free(name);
    free(chain);
    return code;
}

/* ---- what comes out ---- */

static int write_chains(const cli_fit_job *fit, const asif_draws *draws, asif_folder *folder) {
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
        code = put(fit, folder, name, text, strlen(text));
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

static int write_run(const cli_fit_job *fit, asif_folder *folder, const asif_fit_view *view, double seconds) {
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
        code = put(fit, folder, "run.json", text, length);
    free(text);
    return code;
}

static int write_fit(const cli_fit_job *fit, const cli_group *group, const asif_fit *made,
                     const cli_asked *asked, const asif_problems *said, const char *key, asif_folder *folder,
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
    int code = put(fit, folder, ASIF_FIT_JSON, text, strlen(text));
    *json = strdup(text);
    asif_memory_free(job->context, text);
    return *json ? code : CLI_SYSTEM;
}

/* ---- the fit ---- */

static int say_failure(const cli_fit_job *fit, asif_status status, const char *checkpoints) {
    cli_job *job = fit->job;
    bool saved = cli_folder_has_prefix(checkpoints, "checkpoint-");
    if (status == ASIF_ECANCELLED) {
        cli_say("stopped before the end; %s",
                saved ? "the draws so far are saved" : "there are no draws yet");
        cli_hint("the same command %s", saved ? "goes on from where it was" : "begins anew");
        return CLI_SYSTEM;
    }
    bool of_logs = status == ASIF_EZEROPR || (status == ASIF_EINVALID && cli_job_helper(job) && !saved);
    if (of_logs && !job->error.file[0])
        snprintf(job->error.file, sizeof job->error.file, "%s", job->args->operand[1]);
    return cli_say_error(&job->error);
}

static asif_status run(asif_fit **out, const cli_fit_job *fit, const cli_group *group,
                       asif_estimates **estimates, asif_problems *said, const char *key,
                       const char *checkpoints) {
    cli_job *job = fit->job;
    asif_fit_options options;
    fill_options(&options, fit);
    options.sample.folder = checkpoints;
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

static int make_fit(const cli_fit_job *fit, const cli_group *group, asif_folder *folder, const char *path,
                    const char *key, char **json) {
    cli_job *job = fit->job;
    struct timespec begun, ended;
    asif_problems *said = NULL;
    asif_estimates *estimates = NULL;
    asif_fit *made = NULL;
    cli_asked asked = {0};
    asif_fit_view view = {.struct_size = sizeof view};
    asif_folder_view place = {.struct_size = sizeof place};
    clock_gettime(CLOCK_MONOTONIC, &begun);
    asif_folder_get(folder, &place, NULL);
    int code = CLI_OK;
    if (asif_problems_create(&said, job->context, 0, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (place.resumed && !job->args->quiet)
        cli_say("%s holds a fit that was interrupted: going on from there", path);
    asif_status status = run(&made, fit, group, &estimates, said, key, place.checkpoints);
    if (status == ASIF_OK)
        status = asif_fit_get(made, &view, &job->error);
    if (status == ASIF_OK)
        status = cli_asked_make(&asked, fit, group, estimates, &view);
    if (status != ASIF_OK)
        code = say_failure(fit, status, place.checkpoints);
    if (code == CLI_OK)
        code = write_inputs(fit, group, folder, path);
    if (code == CLI_OK)
        code = write_chains(fit, view.draws, folder);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (code == CLI_OK)
        code =
            write_run(fit, folder, &view,
                      (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
    if (code == CLI_OK)
        code = write_fit(fit, group, made, &asked, said, key, folder, json);
    if (code == CLI_OK && asif_folder_commit(folder, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    cli_asked_free(&asked);
    asif_fit_free(made);
    asif_estimates_free(estimates);
    asif_problems_free(said);
    return code;
}

static int refuse_finished(const char *path) {
    cli_say("%s holds a finished fit", path);
    cli_hint("'asif summary %s' shows it; choose another folder, or --force to replace it", path);
    return CLI_USAGE;
}

/* The fit that is there already. */
static int take_finished(const cli_fit_job *fit, const char *path, char **json) {
    cli_job *job = fit->job;
    char *text = NULL;
    uint64_t length = 0;
    if (asif_fit_read(&text, &length, job->context, path, ASIF_FIT_JSON, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    *json = strdup(text);
    asif_memory_free(job->context, text);
    return *json ? CLI_OK : CLI_SYSTEM;
}

int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *path, char **json) {
    const cli_args *args = fit->job->args;
    char key[ASIF_DIGEST_SIZE];
    asif_folder *folder = NULL;
    asif_folder_view view = {.struct_size = sizeof view};
    *json = NULL;
    int code = cli_fit_key(key, fit, group);
    if (code == CLI_OK)
        code = open_folder(&folder, fit, path, key);
    if (code == CLI_OK)
        asif_folder_get(folder, &view, NULL);
    if (code == CLI_OK && group->value && !args->quiet)
        cli_say("%s = %s%s", args->by, group->value, view.finished ? ": finished before" : "");
    if (code == CLI_OK && view.finished)
        code = group->value || view.completed ? take_finished(fit, path, json) : refuse_finished(path);
    else if (code == CLI_OK)
        code = make_fit(fit, group, folder, path, key, json);
    asif_folder_close(folder);
    return code;
}
