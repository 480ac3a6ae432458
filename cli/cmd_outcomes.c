#include "cli.h"
#include "job.h"
#include "say.h"

#include <string.h>

#define IDEAL_TIMES 50 /* episodes of an ideal, for one of a draw */

static const cli_option options[] = {
    {"draws", 0, CLI_COUNT, "N", "draws of the fit that act (default 100)", offsetof(cli_args, draws), 1,
     1e6},
    {"episodes", 'n', CLI_COUNT, "N",
     "episodes of each draw and start class (default 400); of agents that are the same for all draws 50 "
     "times as many",
     offsetof(cli_args, episodes), 2, 1e7},
    {"max-steps", 0, CLI_COUNT, "N",
     "cut an episode that has not ended after N decisions (default: 1000 where an action ends episodes, else "
     "as long as those of the logs)",
     offsetof(cli_args, max_steps), 1, 1e9},
    {"top", 0, CLI_COUNT, "N", "most frequent histories of the logs to tell of (default 8)",
     offsetof(cli_args, top), 0, 10000},
    {"seed", 0, CLI_COUNT, "N", "seed of the simulation (default 0)", offsetof(cli_args, seed), 0, 0},
    CLI_THREADS_OPTION,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int print(cli_job *job, const asif_outcomes *outcomes) {
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL;
    asif_status status = asif_outcomes_json(&json, outcomes, &job->error);
    if (status == ASIF_OK)
        status =
            asif_report_outcomes(&text, job->context, json, strlen(json), "outcomes", &report, &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    asif_memory_free(job->context, json);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static void fill(asif_outcomes_options *out, const cli_args *args) {
    if (args->draws.given)
        out->draws = out->loss_draws = (uint32_t)args->draws.value;
    if (args->episodes.given) {
        out->episodes = (uint32_t)args->episodes.value;
        out->ideal_episodes = IDEAL_TIMES * out->episodes;
    }
    if (args->max_steps.given)
        out->max_steps = (uint32_t)args->max_steps.value;
    if (args->top.given)
        out->histories = (uint32_t)args->top.value;
    out->seed = args->seed.value;
}

static int run(const cli_args *args) {
    asif_outcomes_options how = ASIF_OUTCOMES_OPTIONS_INIT;
    asif_result_view view = {.struct_size = sizeof view};
    asif_result *result = NULL;
    asif_outcomes *outcomes = NULL;
    cli_job job;
    int code = cli_job_open(&job, args);
    fill(&how, args);
    if (code == CLI_OK) {
        asif_status status =
            asif_result_load(&result, job.context, args->operand[0], job.problems, &job.error);
        if (status == ASIF_OK)
            status = asif_result_get(result, &view, &job.error);
        cli_progress_catch();
        if (status == ASIF_OK)
            status = asif_outcomes_run(&outcomes, view.fitted, &how, &job.error);
        cli_progress_end(&job.progress);
        code = status == ASIF_OK ? print(&job, outcomes) : cli_say_error(&job.error);
    }
    if (code == CLI_OK && !view.trusted && !args->quiet)
        cli_say("note: the fit in %s is not to be trusted; `asif summary` says why", args->operand[0]);
    asif_outcomes_free(outcomes);
    asif_result_free(result);
    cli_job_close(&job);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return code;
}

const cli_command cli_outcomes = {
    .name = "outcomes",
    .operands = "DIR [flags]",
    .summary = "what they do, what ideal agents do, and what each bound costs",
    .about =
        "Lets draws of the fit in DIR act in the environment, and three agents to compare them with: the "
        "same model without bounds, which does not learn which of its worlds holds; the Bayes-optimal "
        "agent, which learns that within an episode; and one that knows the true world. On average "
        "over the worlds, no agent with the same beliefs at the start does better than the Bayes-optimal "
        "one; it is followed exactly, and where that would take too many beliefs, the output says so. Tells "
        "decisions, tests, errors and utility of an "
        "episode, by start class and for their mix in the logs; what is done after the most frequent "
        "histories and after the same evidence again and again; the utility lost by each bound "
        "(consistency, optimism, surprise, worlds), as the mean over all orders of taking them away; and how "
        "good the agent thinks its evidence is. Intervals are 90 % ones over draws, of expected values: "
        "simulation adds next to nothing to them.",
    .examples = "  asif outcomes fit\n"
                "  asif outcomes by-arm/control --threads 4 --json\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
