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

typedef struct {
    const asif_setting *setting;
    FILE *file;
    bool seen; /* the agent sees the state */
    uint64_t decisions;
} log_writer;

static void put_count(FILE *file, uint64_t value) {
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(at, 1, (size_t)(digits + sizeof digits - at), file);
    putc(',', file);
}

static void put_label(const log_writer *writer, asif_label_kind kind, uint32_t i, char after) {
    char buffer[ASIF_LABEL_SIZE];
    cli_csv_field(writer->file, asif_setting_label(writer->setting, kind, i, buffer));
    putc(after, writer->file);
}

static asif_status take_decision(void *user, const asif_decision *decision) {
    log_writer *writer = user;
    put_count(writer->file, decision->episode + 1);
    put_count(writer->file, decision->step);
    if (writer->seen) {
        put_label(writer, ASIF_LABEL_STATE, decision->state, ',');
        put_label(writer, ASIF_LABEL_ACTION, decision->action, '\n');
    } else {
        put_label(writer, ASIF_LABEL_ACTION, decision->action, ',');
        put_label(writer, ASIF_LABEL_OBSERVATION, decision->observation, '\n');
    }
    writer->decisions++;
    return ferror(writer->file) ? ASIF_EIO : ASIF_OK;
}

static void print_summary(const cli_job *job, const log_writer *writer) {
    const cli_args *args = job->args;
    if (args->json) {
        printf("{\n  \"file\": ");
        cli_json_string(stdout, args->output);
        printf(",\n  \"episodes\": %" PRIu64 ",\n  \"decisions\": %" PRIu64 ",\n  \"seed\": %" PRIu64 "\n}\n",
               args->episodes.value, writer->decisions, args->seed.value);
    } else if (!args->quiet && strcmp(args->output, "-") != 0) {
        fprintf(stderr, "%s: %" PRIu64 " episode%s, %" PRIu64 " decision%s\n", args->output,
                args->episodes.value, args->episodes.value == 1 ? "" : "s", writer->decisions,
                writer->decisions == 1 ? "" : "s");
    }
}

static int write_logs(cli_job *job, const asif_simulate_options *simulation) {
    const cli_args *args = job->args;
    const asif_setting *setting = asif_study_setting(job->study);
    cli_output output;
    int code = cli_output_open(&output, args->output, false);
    if (code != CLI_OK)
        return code;
    log_writer writer = {setting, output.file, asif_setting_get(setting)->observations == 0, 0};
    fputs(writer.seen ? "episode,t,state,action\n" : "episode,t,action,observation\n", output.file);
    asif_status status =
        asif_simulate(asif_work_behavior(job->work), simulation, take_decision, &writer, &job->error);
    cli_progress_end(&job->progress);
    bool written = !ferror(output.file);
    if (status != ASIF_OK && written)
        code = cli_say_error(&job->error);
    int closed = cli_output_close(&output, status == ASIF_OK || !written);
    if (code == CLI_OK)
        code = closed;
    if (code == CLI_OK)
        print_summary(job, &writer);
    return code;
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
    .summary = "logs of the agent acting in the environment",
    .about =
        "Lets the agent of a study act in the study's environment and writes what it did and saw as a table: "
        "episode, t, action and the observation that followed (where the agent sees the state: episode, t, "
        "the "
        "state before the action, action). Episodes are numbered from 1, t counts from 0. The same seed "
        "gives "
        "the same logs. The file is written as a whole or not at all.",
    .examples = "  asif simulate study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 1000 -o logs.csv\n"
                "  asif simulate study.yaml -n 5 --seed 7 -o -\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
