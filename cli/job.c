#include "job.h"

#include "fits/folder.h"
#include "fits/unfinished.h"
#include "logs/database.h"
#include "output.h"
#include "processors.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_job_open(cli_job *job, const cli_args *args) {
    *job = (cli_job){.args = args, .error = ASIF_ERROR_INIT};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    cli_progress_mode mode;
    if (!cli_progress_read(&mode, args->progress)) {
        cli_say("--progress must be auto, plain, json or none, not '%s'", args->progress);
        return CLI_USAGE;
    }
    options.threads = args->threads.given ? (uint32_t)args->threads.value : cli_processors();
    /* No progress is shown where a table is printed to the same terminal, because the two would mix. */
    bool shared = args->output && strcmp(args->output, "-") == 0 && isatty(STDOUT_FILENO);
    cli_progress_begin(&job->progress, args->quiet || shared ? CLI_PROGRESS_NONE : mode, args->verbose);
    options.progress = cli_progress_show;
    options.unfinished = cli_unfinished_note;
    options.user = &job->progress;
    if (asif_context_create(&job->context, &options, &job->error) != ASIF_OK ||
        asif_problems_create(&job->problems, job->context, 0, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

int cli_job_said(cli_job *job, asif_status status) {
    if (status == ASIF_ECANCELLED) {
        cli_progress_end(&job->progress);
        cli_say("stopped before the end");
        return CLI_SYSTEM;
    }
    bool listed = asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) > 0;
    int code = cli_say_problems(job->context, job->problems, job->args->quiet);
    if (code == CLI_OK && status != ASIF_OK)
        code = listed ? cli_code(status) : cli_say_error(&job->error);
    return code;
}

int cli_job_load(cli_job *job, const char *path) {
    return cli_job_said(job, asif_study_load(&job->study, job->context, path, job->problems, &job->error));
}

int cli_job_values(cli_job *job) {
    const cli_list *set = &job->args->set;
    asif_status status = asif_study_values(&job->theta, job->study, set->item, set->count, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

int cli_job_next_case(cli_job *job) {
    const cli_list *set = &job->args->set;
    asif_theta *given = NULL;
    bool found = false;
    asif_status status = asif_study_values(&given, job->study, set->item, set->count, &job->error);
    if (status == ASIF_OK)
        status = asif_study_next_case(&found, job->study, given, job->problems, &job->error);
    asif_theta_free(given);
    cli_progress_end(&job->progress);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

asif_plan_options cli_job_solver(const cli_job *job) {
    asif_plan_options options = *asif_study_solver(job->study);
    if (job->args->resolution.given) {
        options.resolution = (uint32_t)job->args->resolution.value;
        options.lattice_error = 0; /* the user has chosen the resolution, and with it a lattice */
        if (options.beliefs == ASIF_BELIEFS_REACHABLE)
            options.beliefs = ASIF_BELIEFS_LATTICE;
    }
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

int cli_job_specs(const cli_job *job, asif_estimate_spec **out, uint32_t *left, uint32_t *all) {
    const cli_list *set = &job->args->set;
    *left = 0;
    *all = asif_study_estimates(job->study, NULL, 0);
    asif_estimate_spec *spec = *out = calloc((size_t)*all + 1, sizeof *spec);
    if (!spec)
        return cli_no_memory();
    asif_study_estimates(job->study, spec, *all);
    *left = asif_study_left(spec, *all, set->item, set->count);
    return CLI_OK;
}

int cli_job_estimates(cli_job *job, asif_estimates **out) {
    asif_estimate_spec *spec = NULL;
    uint32_t left = 0, all = 0;
    int code = cli_job_specs(job, &spec, &left, &all);
    if (code == CLI_OK && left == 0) {
        cli_say("nothing is to be estimated: every parameter has a value");
        cli_hint("write `alpha: learn` (or another parameter) in the study");
        code = CLI_USAGE;
    }
    if (code == CLI_OK && cli_job_work(job) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = cli_job_said(job, asif_estimates_scaled(out, job->context, job->work, job->theta, spec, left,
                                                       ASIF_PRIORS_STATED, job->problems, &job->error));
    free(spec);
    return code;
}

int cli_job_map(cli_job *job) {
    const cli_list *map = &job->args->map;
    asif_status status =
        asif_study_map(&job->map, job->context, job->study, map->item, map->count, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

int cli_job_where(cli_job *job) {
    const cli_list *where = &job->args->where;
    if (where->count && !job->where &&
        asif_wheres_read(&job->where, job->context, where->item, where->count, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

int cli_job_where_rows(cli_job *job, const char *path) {
    int code = cli_job_where(job);
    if (code == CLI_OK && job->where && path && asif_tree_recognise(path)) {
        cli_say("%s: --where needs the rows, and a saved tree does not keep them", path);
        cli_hint("give the table that it was counted from");
        code = CLI_USAGE;
    }
    return code;
}

asif_status cli_job_read_as(cli_job *job, asif_tree **out, const char *path,
                            const asif_logs_options *options) {
    asif_status status = cli_database_wanted(job->args, path)
                             ? cli_database_read(job, out, path, options)
                             : asif_logs_open(out, job->context, path, options, job->problems, &job->error);
    cli_progress_end(&job->progress);
    return status;
}

asif_status cli_job_read(cli_job *job, asif_tree **out, const char *path, cli_units units,
                         const char *const *columns) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    bool kept = columns && *columns;
    options.map = job->map;
    options.setting = job->study ? asif_study_setting(job->study) : NULL;
    if (units == CLI_UNITS_EPISODES || units == CLI_UNITS_BOTH || kept)
        options.units = ASIF_UNITS_EPISODES;
    if (kept)
        options.covariates = columns;
    options.rows = job->args->rows && !job->rows ? &job->rows : NULL;
    options.subjects = units == CLI_UNITS_SUBJECTS || units == CLI_UNITS_BOTH;
    /* A table of pairs is checked against all episodes. */
    if (job->where && !(job->study && cli_job_helper(job) == ASIF_HELPER_PAIRS)) {
        options.where = job->where;
        options.wheres = job->args->where.count;
        job->part = !path || !asif_tree_recognise(path);
    }
    return cli_job_read_as(job, out, path, &options);
}

void cli_job_close(cli_job *job) {
    asif_tree_free(job->tree);
    asif_log_map_free(job->map);
    asif_memory_free(job->context, job->rows);
    asif_memory_free(job->context, job->where);
    asif_work_free(job->work);
    asif_theta_free(job->theta);
    asif_study_free(job->study);
    asif_problems_free(job->problems);
    asif_context_free(job->context);
}

int cli_find_condition(cli_job *job, asif_condition *out) {
    const cli_args *args = job->args;
    if (args->start) {
        cli_say("--condition and --start both say how an episode begins");
        cli_hint("keep one of the two");
        return CLI_USAGE;
    }
    if (asif_setting_condition(out, asif_study_setting(job->study), args->condition, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (out->starts == 1)
        return CLI_OK;
    cli_say("episodes of this condition begin with one of %u seen values", (unsigned)out->starts);
    cli_hint("--start names the condition and the seen value");
    return CLI_USAGE;
}

uint32_t cli_find_label(cli_job *job, asif_label_kind kind, const char *label, const char *what) {
    uint32_t found;
    if (asif_setting_seek(&found, asif_study_setting(job->study), kind, label, what, &job->error) != ASIF_OK)
        cli_say_error(&job->error);
    return found;
}
