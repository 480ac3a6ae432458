#include "job.h"

#include "folder.h"
#include "output.h"
#include "say.h"
#include "unfinished.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 128

int cli_job_open(cli_job *job, const cli_args *args) {
    *job = (cli_job){.args = args, .error = ASIF_ERROR_INIT};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    if (args->threads.given)
        options.threads = (uint32_t)args->threads.value;
    /* A line of progress would run into a table on the same terminal. */
    bool shared = args->output && strcmp(args->output, "-") == 0 && isatty(STDOUT_FILENO);
    cli_progress_begin(&job->progress, args->quiet || shared);
    options.progress = cli_progress_show;
    options.unfinished = cli_unfinished_note;
    options.user = &job->progress;
    if (asif_context_create(&job->context, &options, &job->error) != ASIF_OK ||
        asif_problems_create(&job->problems, job->context, 0, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

int cli_job_said(cli_job *job, asif_status status) {
    bool listed = asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) > 0;
    int code = cli_say_problems(job->context, job->problems, job->args->quiet);
    if (code == CLI_OK && status != ASIF_OK)
        code = listed ? cli_code(status) : cli_say_error(&job->error);
    return code;
}

int cli_job_load(cli_job *job, const char *path) {
    return cli_job_said(job, asif_study_load(&job->study, job->context, path, job->problems, &job->error));
}

int cli_job_load_text(cli_job *job, char **text, size_t *length) {
    const char *path = job->args->operand[0];
    int code = cli_read_file(text, length, path);
    if (code != CLI_OK)
        return code;
    return cli_job_said(job, asif_study_read(&job->study, job->context, *text, *length,
                                             strcmp(path, "-") == 0 ? "standard input" : path, job->problems,
                                             &job->error));
}

int cli_job_load_fitted(cli_job *job, const char *folder) {
    char *path = cli_join(folder, "study.yaml");
    int code = path ? CLI_OK : CLI_SYSTEM;
    if (code == CLI_OK && asif_study_load(&job->study, job->context, path, NULL, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    free(path);
    return code;
}

int cli_job_values(cli_job *job) {
    const cli_list *set = &job->args->set;
    if (asif_theta_copy(&job->theta, asif_study_theta(job->study), &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    for (uint32_t i = 0; i < set->count; i++) {
        const char *text = set->item[i], *equals = strchr(text, '=');
        char name[NAME_SIZE];
        if (!equals || equals == text || (size_t)(equals - text) >= sizeof name) {
            cli_say("-p wants NAME=VALUE, not '%s'", text);
            cli_hint("for example -p alpha=0.5");
            return CLI_USAGE;
        }
        memcpy(name, text, (size_t)(equals - text));
        name[equals - text] = 0;
        if (asif_theta_set_text(job->theta, name, equals + 1, &job->error) != ASIF_OK)
            return cli_say_error(&job->error);
    }
    return CLI_OK;
}

asif_plan_options cli_job_solver(const cli_job *job) {
    asif_plan_options options = *asif_study_solver(job->study);
    if (job->args->resolution.given)
        options.resolution = (uint32_t)job->args->resolution.value;
    if (job->args->tol.given)
        options.tol = job->args->tol.value;
    return options;
}

asif_status cli_job_work(cli_job *job) {
    asif_plan_options options = cli_job_solver(job);
    return asif_work_create(&job->work, job->context, asif_study_planner(job->study),
                            asif_study_setting(job->study), &options, &job->error);
}

int cli_job_renew_problems(cli_job *job) {
    asif_problems_free(job->problems);
    job->problems = NULL;
    if (asif_problems_create(&job->problems, job->context, 0, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

asif_status cli_job_solve_loaded(cli_job *job) {
    asif_status status = cli_job_work(job);
    if (status == ASIF_OK)
        status = asif_solve(job->work, job->theta, &job->info, &job->error);
    cli_progress_end(&job->progress);
    return status;
}

int cli_job_solve(cli_job *job, const char *path) {
    int code = cli_job_load(job, path);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code != CLI_OK)
        return code;
    if (cli_job_solve_loaded(job) != ASIF_OK)
        return cli_say_error(&job->error);
    return job->info.stop == ASIF_STOP_CONVERGED ? CLI_OK : CLI_NO;
}

void cli_say_unsolved(const cli_job *job) {
    static const char *const hints[] = {
        [ASIF_STOP_CONVERGED] = "",
        [ASIF_STOP_BACKUPS] = "raise max_backups in the study's solver section, or --tol",
        [ASIF_STOP_TIME] = "raise time_limit in the study's solver section, or --tol",
        [ASIF_STOP_STALLED] =
            "the numbers are as exact as rounding allows; --tol says how exact they need to be",
        [ASIF_STOP_CANCELLED] = "it was cancelled",
        [ASIF_STOP_NONFINITE] = "values overflowed: the parameters or utilities are too large",
    };
    const asif_plan_info *info = &job->info;
    cli_say("the solver stopped before it reached the tolerance (%s): residual %.2g",
            asif_stop_text(info->stop), info->residual);
    bool rounding = info->stop == ASIF_STOP_STALLED && info->bound > 1e-3 * info->scale;
    cli_hint("%s",
             rounding
                 ? "the discount is so near 1 that rounding decides the values: use one of at most 0.999999"
                 : hints[info->stop]);
}

asif_helper cli_job_helper(const cli_job *job) {
    const asif_inverse_info *inverse = asif_inverse_named(asif_study_inverse(job->study));
    return inverse ? inverse->helper : ASIF_HELPER_NONE;
}

const char *cli_job_column(const cli_job *job) {
    return asif_helper_column(cli_job_helper(job), asif_study_asked(job->study));
}

/* The mapping of a study's section `logs`. */
static const asif_log_map *study_map(const asif_study *study) {
    return study ? asif_study_logs(study) : NULL;
}

const char *cli_estimated_name(const char *name) {
    return strcmp(name, "beta") == 0 ? "optimism" : name;
}

/* Whether -p gives a value to what the study would estimate. */
static bool is_given(const cli_args *args, const char *name) {
    for (uint32_t i = 0; i < args->set.count; i++) {
        char given[128];
        snprintf(given, sizeof given, "%.*s", (int)strcspn(args->set.item[i], "="), args->set.item[i]);
        if (strcmp(cli_estimated_name(given), cli_estimated_name(name)) == 0)
            return true;
    }
    return false;
}

int cli_job_specs(const cli_job *job, asif_estimate_spec **out, uint32_t *left, uint32_t *all) {
    *left = 0;
    *all = asif_study_estimates(job->study, NULL, 0);
    asif_estimate_spec *spec = *out = calloc((size_t)*all + 1, sizeof *spec);
    if (!spec) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    asif_study_estimates(job->study, spec, *all);
    for (uint32_t i = 0; i < *all; i++)
        if (!is_given(job->args, spec[i].name))
            spec[(*left)++] = spec[i];
    return CLI_OK;
}

int cli_job_map(cli_job *job) {
    const asif_log_map *given = study_map(job->study);
    const cli_list *list = &job->args->map;
    asif_status status = given ? asif_log_map_copy(&job->map, given, &job->error)
                               : asif_log_map_create(&job->map, job->context, &job->error);
    for (uint32_t i = 0; status == ASIF_OK && i < list->count; i++) {
        const char *text = list->item[i], *equals = strchr(text, '=');
        char role[NAME_SIZE];
        if (!equals || equals == text || (size_t)(equals - text) >= sizeof role) {
            cli_say("--map wants ROLE=COLUMN, not '%s'", text);
            cli_hint("for example --map action=treatment");
            return CLI_USAGE;
        }
        memcpy(role, text, (size_t)(equals - text));
        role[equals - text] = 0;
        status = asif_log_map_set(job->map, role, equals + 1, &job->error);
    }
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* A saved tree has the labels that it was counted with: they must be the study's. */
static asif_status compare_labels(cli_job *job, const asif_tree *tree, const char *path) {
    const asif_setting *setting = asif_study_setting(job->study);
    bool seen = asif_setting_get(setting)->observations == 0;
    bool same = asif_tree_info(tree)->states_seen == seen;
    const asif_label_kind kinds[] = {ASIF_LABEL_ACTION, seen ? ASIF_LABEL_STATE : ASIF_LABEL_OBSERVATION};
    for (size_t k = 0; same && k < 2; k++) {
        uint32_t count = asif_setting_count(setting, kinds[k]);
        same = asif_tree_label(tree, kinds[k], count) == NULL;
        for (uint32_t i = 0; same && i < count; i++) {
            char buffer[ASIF_LABEL_SIZE];
            const char *label = asif_tree_label(tree, kinds[k], i);
            same = label && strcmp(label, asif_setting_label(setting, kinds[k], i, buffer)) == 0;
        }
    }
    if (same)
        return ASIF_OK;
    job->error = (asif_error){.status = ASIF_EINVALID};
    snprintf(job->error.file, sizeof job->error.file, "%s", path);
    snprintf(job->error.message, sizeof job->error.message,
             "the tree was counted with other labels than the study's");
    snprintf(job->error.hint, sizeof job->error.hint, "count the table again with --study");
    return ASIF_EINVALID;
}

static asif_status find_covariate(cli_job *job, const asif_tree *tree, const char *path, const char *column) {
    const char *name = NULL;
    for (uint32_t k = 0; (name = asif_tree_covariate_name(tree, k)); k++)
        if (strcmp(name, column) == 0)
            return ASIF_OK;
    job->error = (asif_error){.status = ASIF_EUNKNOWN};
    snprintf(job->error.file, sizeof job->error.file, "%s", path);
    snprintf(job->error.message, sizeof job->error.message, "the tree was saved without the column `%.100s`",
             column);
    snprintf(job->error.hint, sizeof job->error.hint, "count the table again with --by %.100s -o TREE",
             column);
    return ASIF_EUNKNOWN;
}

static asif_status load_tree(cli_job *job, asif_tree **out, const char *path, const char *const *columns) {
    asif_status status = asif_tree_load(out, job->context, path, &job->error);
    if (status == ASIF_OK && job->study)
        status = compare_labels(job, *out, path);
    for (; status == ASIF_OK && columns && *columns; columns++)
        status = find_covariate(job, *out, path, *columns);
    if (status == ASIF_OK) {
        asif_tree_note(*out, path, job->problems);
        return ASIF_OK;
    }
    asif_tree_free(*out);
    *out = NULL;
    return status;
}

asif_status cli_job_read(cli_job *job, asif_tree **out, const char *path, cli_units units,
                         const char *const *columns) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    bool kept = columns && *columns;
    if (strcmp(path, "-") != 0 && asif_tree_recognise(path))
        return load_tree(job, out, path, columns);
    options.map = job->map;
    options.setting = job->study ? asif_study_setting(job->study) : NULL;
    if (units == CLI_UNITS_EPISODES || units == CLI_UNITS_BOTH || kept)
        options.units = ASIF_UNITS_EPISODES;
    if (kept)
        options.covariates = columns;
    options.subjects = units == CLI_UNITS_SUBJECTS || units == CLI_UNITS_BOTH;
    asif_status status = asif_logs_read(out, job->context, path, &options, NULL, job->problems, &job->error);
    cli_progress_end(&job->progress);
    return status;
}

void cli_job_close(cli_job *job) {
    asif_tree_free(job->tree);
    asif_log_map_free(job->map);
    asif_work_free(job->work);
    asif_theta_free(job->theta);
    asif_study_free(job->study);
    asif_problems_free(job->problems);
    asif_context_free(job->context);
}

uint32_t cli_find_label(cli_job *job, asif_label_kind kind, const char *label, const char *what) {
    uint32_t found;
    if (asif_setting_seek(&found, asif_study_setting(job->study), kind, label, what, &job->error) != ASIF_OK)
        cli_say_error(&job->error);
    return found;
}
