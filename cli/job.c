#include "job.h"

#include "say.h"

#include <string.h>
#include <unistd.h>

#define LISTED_LABELS 12
#define NAME_SIZE 128

int cli_job_open(cli_job *job, const cli_args *args) {
    *job = (cli_job){.args = args, .error = ASIF_ERROR_INIT};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    if (args->threads.given)
        options.threads = (uint32_t)args->threads.value;
    /* A line of progress would run into a table on the same terminal. */
    bool shared = args->output && strcmp(args->output, "-") == 0 && isatty(STDOUT_FILENO);
    if (cli_progress_begin(&job->progress, args->quiet || shared)) {
        options.progress = cli_progress_show;
        options.user = &job->progress;
    }
    if (asif_context_create(&job->context, &options, &job->error) != ASIF_OK ||
        asif_problems_create(&job->problems, job->context, 0, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

int cli_job_load(cli_job *job, const char *path) {
    asif_status status = asif_study_load(&job->study, job->context, path, job->problems, &job->error);
    bool listed = asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) > 0;
    int code = cli_say_problems(job->context, job->problems, job->args->quiet);
    if (status == ASIF_OK || code != CLI_OK)
        return code;
    return listed ? CLI_USAGE : cli_say_error(&job->error);
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

int cli_job_solve(cli_job *job, const char *path) {
    int code = cli_job_load(job, path);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code != CLI_OK)
        return code;
    asif_plan_options options = *asif_study_solver(job->study);
    if (job->args->resolution.given)
        options.resolution = (uint32_t)job->args->resolution.value;
    if (job->args->tol.given)
        options.tol = job->args->tol.value;
    asif_status status = asif_work_create(&job->work, job->context, asif_study_planner(job->study),
                                          asif_study_setting(job->study), &options, &job->error);
    if (status == ASIF_OK)
        status = asif_solve(job->work, job->theta, &job->info, &job->error);
    cli_progress_end(&job->progress);
    if (status != ASIF_OK)
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
    cli_hint("%s", hints[info->stop]);
}

void cli_job_close(cli_job *job) {
    asif_work_free(job->work);
    asif_theta_free(job->theta);
    asif_study_free(job->study);
    asif_problems_free(job->problems);
    asif_context_free(job->context);
}

uint32_t cli_find_label(const cli_job *job, asif_label_kind kind, const char *label, const char *what) {
    const asif_setting *setting = asif_study_setting(job->study);
    uint32_t found = asif_setting_find(setting, kind, label), count = asif_setting_count(setting, kind);
    char list[512] = "", buffer[ASIF_LABEL_SIZE];
    size_t used = 0;
    if (found != ASIF_ANY)
        return found;
    for (uint32_t i = 0; i < count && i < LISTED_LABELS && used + 80 < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "",
                                 asif_setting_label(setting, kind, i, buffer));
    cli_say("'%s' is not %s of this study", label, what);
    cli_hint("it has %s%s", list, count > LISTED_LABELS ? ", ..." : "");
    return ASIF_ANY;
}
