#include "cli.h"
#include "job.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"episodes", 'n', CLI_COUNT, "N", "episodes to simulate", offsetof(cli_args, episodes), 1, 1e18},
    {"output", 'o', CLI_TEXT, "FILE", "where the logs go (CSV); - is standard output",
     offsetof(cli_args, output), 0, 0},
    {"max-steps", 0, CLI_COUNT, "N", "cut episodes that have not ended after N decisions (default 1000)",
     offsetof(cli_args, max_steps), 1, 4294967295.0},
    {"start", 0, CLI_TEXT, "CLASS", "the start class of the episodes (default: the first)",
     offsetof(cli_args, start), 0, 0},
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static asif_status put(void *user, const char *data, uint64_t length) {
    return asif_output_write(user, data, length, NULL);
}

static int print_summary(const cli_job *job, uint64_t decisions) {
    const cli_args *args = job->args;
    if (args->json) {
        printf("{\n  \"file\": ");
        int code = cli_print_quoted(stdout, job->context, args->output);
        printf(",\n  \"episodes\": %" PRIu64 ",\n  \"decisions\": %" PRIu64 ",\n  \"seed\": %" PRIu64 "\n}\n",
               args->episodes.value, decisions, args->seed.value);
        return code;
    }
    if (!args->quiet && strcmp(args->output, "-") != 0)
        fprintf(stderr, "%s: %" PRIu64 " episode%s, %" PRIu64 " decision%s\n", args->output,
                args->episodes.value, args->episodes.value == 1 ? "" : "s", decisions,
                decisions == 1 ? "" : "s");
    return CLI_OK;
}

static int write_logs(cli_job *job, const asif_simulate_options *simulation) {
    asif_output *output;
    int code = cli_output_open(&output, job, job->args->output, false);
    if (code != CLI_OK)
        return code;
    uint64_t decisions = 0;
    asif_status status =
        asif_simulate_csv(asif_work_behavior(job->work), simulation, put, output, &decisions, &job->error);
    cli_progress_end(&job->progress);
    /* An error of the output file is printed when it is closed below. */
    if (status != ASIF_OK && status != ASIF_EIO)
        code = cli_say_error(&job->error);
    int closed = cli_output_close(output, job, code == CLI_OK);
    if (code == CLI_OK)
        code = closed;
    return code == CLI_OK ? print_summary(job, decisions) : code;
}

static int simulate(cli_job *job) {
    const cli_args *args = job->args;
    int code = cli_job_solve(job, args->operand[0]);
    if (code == CLI_NO)
        cli_say_unsolved(job);
    if (code != CLI_OK)
        return code;
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    simulation.episodes = args->episodes.value;
    simulation.seed = args->seed.value;
    if (asif_setting_get(asif_study_setting(job->study))->start_weights)
        simulation.start = ASIF_ANY;
    if (args->max_steps.given)
        simulation.max_steps = (uint32_t)args->max_steps.value;
    if (args->start) {
        simulation.start = cli_find_label(job, ASIF_LABEL_START, args->start, "a start class");
        if (simulation.start == ASIF_ANY)
            return CLI_USAGE;
    }
    return write_logs(job, &simulation);
}

static int run(const cli_args *args) {
    if (!args->episodes.given || !args->output) {
        cli_say("asif simulate needs %s",
                args->episodes.given ? "-o FILE, where the logs go" : "-n N, the number of episodes");
        cli_hint("for example asif simulate %s -n 1000 -o logs.csv", args->operand[0]);
        return CLI_USAGE;
    }
    if (args->json && strcmp(args->output, "-") == 0) {
        cli_say("--json and the logs cannot both go to standard output");
        cli_hint("give -o a file");
        return CLI_USAGE;
    }
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = simulate(&job);
    cli_job_close(&job);
    return code;
}

const cli_command cli_simulate = {
    .name = "simulate",
    .operands = "STUDY -n EPISODES -o LOGS [flags]",
    .summary = "simulate logs of the agent acting in the environment",
    .about =
        "Lets the agent of a study act in the study's environment, and writes what it did and saw as a "
        "table: episode, t, action, and the observation that followed (where the agent sees the state: "
        "episode, t, the state before the action, action). Episodes are numbered from 1, and t counts from "
        "0. The same seed gives the same logs. The file is written as a whole or not at all.",
    .examples = "  asif simulate study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 1000 -o logs.csv\n"
                "  asif simulate study.yaml -n 5 --seed 7 -o -\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
