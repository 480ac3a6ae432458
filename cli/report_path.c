#include "report_path.h"

#include "asif/explain.h"

#include "say.h"

static int usage(const char *what, const char *hint) {
    cli_say("%s", what);
    cli_hint("%s", hint);
    return CLI_USAGE;
}

int cli_report_path_check(const cli_args *args) {
    bool named = args->subject || args->unit, logs = args->operands > 1;
    if (named && !logs)
        return usage("an episode was named, but no logs",
                     "asif report DIR LOGS --subject NAME --identify ...");
    if (logs && !named)
        return usage("LOGS were given, but not which episode of them to show",
                     "name it with --subject or --episode, or leave LOGS out: the path is then simulated");
    if (named && !args->identify)
        return usage("the path of a real episode names its subject, and a report names nobody by default",
                     "--identify allows it; without LOGS the path is simulated from the fit");
    return CLI_OK;
}

int cli_report_path_groups(const cli_args *args) {
    if (args->operands < 2)
        return CLI_OK;
    cli_say("%s holds fits of several groups, and nothing tells which of them the episode belongs to",
            args->operand[0]);
    cli_hint("asif report %s/GROUP LOGS ... shows it in the report of its group", args->operand[0]);
    return CLI_USAGE;
}

int cli_report_path(cli_job *job, char **out, const asif_result *result) {
    const cli_args *args = job->args;
    asif_explain_options asked = ASIF_EXPLAIN_OPTIONS_INIT;
    asif_result_view view = {.struct_size = sizeof view};
    asif_explain *explain = NULL;
    if (asif_result_get(result, &view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_job_load_fitted(job, args->operand[0]);
    if (code == CLI_OK)
        code = cli_job_read_paths(job, args->operand[1], &view);
    if (code != CLI_OK)
        return code;
    asked.tree = job->tree;
    asif_status status = asif_explain_unit(&asked.unit, job->tree, args->subject, args->unit, &job->error);
    if (status == ASIF_OK)
        status = asif_explain_run(&explain, view.fitted, &asked, &job->error);
    cli_progress_end(&job->progress);
    if (status == ASIF_OK)
        status = asif_explain_json(out, explain, &job->error);
    asif_explain_free(explain);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}
