#include "cli.h"
#include "job.h"
#include "say.h"

#include <string.h>

static const cli_option options[] = {
    {"draws", 0, CLI_COUNT, "N", "draws of the fit that are checked (default 200)", offsetof(cli_args, draws),
     1, 1e6},
    {"replicates", 0, CLI_COUNT, "N",
     "replicates of the decisions, over all draws, and of what followed them (default 1000)",
     offsetof(cli_args, replicates), 1, 1e7},
    {"simulated", 0, CLI_COUNT, "N", "logs to simulate for the lengths of episodes (default 200; 0: none)",
     offsetof(cli_args, points), 0, 1e6},
    {"bins", 0, CLI_COUNT, "N", "bins of the agent's belief (default 10)", offsetof(cli_args, bins), 1, 1000},
    {"top", 0, CLI_COUNT, "N", "most frequent histories to look at (default 8)", offsetof(cli_args, top), 0,
     1000},
    {"seed", 0, CLI_COUNT, "N", "seed of the random numbers (default: the fit's)", offsetof(cli_args, seed),
     0, 0},
    CLI_THREADS_OPTION,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static void fill(asif_predictive_checks_options *out, const cli_args *args, uint64_t seed) {
    const struct {
        const cli_count *flag;
        uint32_t *to;
    } counts[] = {{&args->draws, &out->draws},
                  {&args->replicates, &out->replicates},
                  {&args->points, &out->simulated},
                  {&args->bins, &out->bins},
                  {&args->top, &out->histories}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].flag->given)
            *counts[i].to = (uint32_t)counts[i].flag->value;
    out->seed = args->seed.given ? args->seed.value : seed;
}

static int show(cli_job *job, const asif_predictive_checks *checks) {
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL;
    asif_status status = asif_predictive_checks_json(&json, checks, &job->error);
    if (status == ASIF_OK)
        status = asif_report_predictive_checks(&text, job->context, json, strlen(json), job->args->operand[0],
                                               &report, &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, json);
    asif_memory_free(job->context, text);
    if (status != ASIF_OK)
        return cli_say_error(&job->error);
    return asif_predictive_checks_doubt(checks) == ASIF_DOUBT_NONE ? CLI_OK : CLI_NO;
}

static int run(const cli_args *args) {
    asif_result *result = NULL;
    asif_predictive_checks *checks = NULL;
    asif_result_view view = {.struct_size = sizeof view};
    asif_predictive_checks_options how = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    cli_job job;
    int code = cli_job_open(&job, args);
    asif_status status = ASIF_OK;
    if (code == CLI_OK) {
        status = asif_result_load(&result, job.context, args->operand[0], NULL, &job.error);
        if (status == ASIF_OK)
            status = asif_result_get(result, &view, &job.error);
        if (status == ASIF_OK) {
            fill(&how, args, view.fitted->seed);
            status = asif_predictive_checks_run(&checks, view.fitted, &how, &job.error);
        }
        cli_progress_end(&job.progress);
        code = status == ASIF_OK ? show(&job, checks) : cli_say_error(&job.error);
    }
    asif_predictive_checks_free(checks);
    asif_result_free(result);
    cli_job_close(&job);
    return code;
}

const cli_command cli_predict = {
    .name = "predict",
    .operands = "DIR [flags]",
    .summary = "does the fitted agent do what they did? predictive checks",
    .about =
        "Compares what was observed with what the agent fitted in DIR does, over draws of the fit: its "
        "actions by "
        "step, by its belief, after the most frequent histories and after each action, what was seen being "
        "held "
        "fixed; how long episodes are and how many different histories there are when it is simulated in the "
        "stated environment; and, without an agent, what followed the actions against what the environment "
        "predicts. Where the logs tell subjects apart, it compares them with each other. Each family has one "
        "p-value, that of its largest difference, so that many looks cost "
        "nothing; "
        "what is missed is told in a sentence. The exit code is 1 if something is missed.",
    .examples = "  asif predict fit\n  asif predict fit --draws 50 --bins 5\n  asif predict fit --json\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
