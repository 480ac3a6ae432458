#include "commands/report_path.h"

#include "say.h"

#include <inttypes.h>

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
    cli_say("%s holds fits of several groups, and nothing says which of them the episode belongs to",
            args->operand[0]);
    cli_hint("asif report %s/GROUP LOGS ... shows it in the report of its group", args->operand[0]);
    return CLI_USAGE;
}

int cli_report_path(cli_job *job, const char *folder, const asif_result *result, char **out) {
    const cli_args *args = job->args;
    const char *operand[] = {folder, args->operands > 1 ? args->operand[1] : NULL};
    const asif_result *read[] = {result, NULL};
    char seed[24];
    asif_given given[CLI_OPTIONS];
    asif_asked asked = ASIF_ASKED_INIT;
    asif_answer *answer = NULL;
    asked.operand = operand;
    asked.operands = operand[1] ? 2 : 1;
    asked.result = read;
    asked.given = given;
    if (args->subject)
        given[asked.givens++] = (asif_given){"subject", args->subject};
    if (args->unit)
        given[asked.givens++] = (asif_given){"episode", args->unit};
    if (!operand[1]) {
        snprintf(seed, sizeof seed, "%" PRIu64, args->seed.value);
        given[asked.givens++] = (asif_given){"seed", seed};
        given[asked.givens++] = (asif_given){"max-steps", "40"};
    }
    for (uint32_t i = 0; i < args->map.count && asked.givens < CLI_OPTIONS; i++)
        given[asked.givens++] = (asif_given){"map", args->map.item[i]};
    asif_status status = asif_ask(&answer, job->context, "explain", &asked, job->problems, &job->error);
    cli_progress_end(&job->progress);
    if (status == ASIF_EUNSUPPORTED && !operand[1])
        return CLI_OK;
    int code = cli_job_said(job, status);
    if (code == CLI_OK && asif_answer_json(out, answer, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    asif_answer_free(answer);
    return code;
}
