#include "cli.h"
#include "job.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <string.h>

static const cli_option options[] = {
    {"episodes", 'n', CLI_COUNT, "N", "episodes to simulate; with --people, of each person",
     offsetof(cli_args, episodes), 1, 1e18},
    {"output", 'o', CLI_TEXT, "FILE", "where the logs go (CSV); - is standard output",
     offsetof(cli_args, output), 0, 0},
    {"max-steps", 0, CLI_COUNT, "N", "cut episodes that have not ended after N decisions (default 1000)",
     offsetof(cli_args, max_steps), 1, 4294967295.0},
    {"start", 0, CLI_TEXT, "CLASS", "the start class of the episodes (default: the first)",
     offsetof(cli_args, start), 0, 0},
    CLI_CONDITION_OPTION("the condition of the episodes (default: all are as likely)"),
    {"people", 0, CLI_COUNT, "N",
     "simulate N people: parameters that the study marks `learn` are drawn from their priors for each",
     offsetof(cli_args, people), 1, 1e12},
    {"parameters", 0, CLI_TEXT, "FILE", "where the parameters of each of them go (CSV)",
     offsetof(cli_args, parameters), 0, 0},
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static asif_status put(void *user, const char *data, uint64_t length) {
    return asif_output_write(user, data, length, NULL);
}

/* Not where no action ends an episode: all are cut there. Parameters that are drawn from wide priors may be
 * those of people who never end one. */
static void note_cut(const cli_job *job, uint64_t cut, uint64_t episodes) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(job->study));
    const cli_args *args = job->args;
    bool ends = false;
    for (uint32_t u = 0; u < spec->actions; u++)
        ends = ends || spec->ends[u];
    if (cut == 0 || !ends)
        return;
    cli_say("note: %" PRIu64 " of %" PRIu64 " episodes were cut before their end (--max-steps)", cut,
            episodes);
    if (args->people.given)
        cli_hint("the priors allow people who hardly ever end an episode; narrower ones, such as "
                 "`eta: learn ~ normal(0, 2)`, do not");
}

static int print_summary(const cli_job *job, const asif_simulated *made) {
    const cli_args *args = job->args;
    uint64_t people = args->people.given ? args->people.value : 1, episodes = people * args->episodes.value;
    if (args->json) {
        printf("{\n  \"file\": ");
        int code = cli_print_quoted(stdout, job->context, args->output);
        if (args->people.given)
            printf(",\n  \"people\": %" PRIu64, people);
        printf(",\n  \"episodes\": %" PRIu64 ",\n  \"cut\": %" PRIu64 ",\n  \"decisions\": %" PRIu64
               ",\n  \"seed\": %" PRIu64 "\n}\n",
               episodes, made->cut, made->decisions, args->seed.value);
        return code;
    }
    if (args->quiet || strcmp(args->output, "-") == 0)
        return CLI_OK;
    fprintf(stderr, "%s: ", args->output);
    if (args->people.given)
        fprintf(stderr, "%" PRIu64 " %s, ", people, people == 1 ? "person" : "people");
    fprintf(stderr, "%" PRIu64 " episode%s, %" PRIu64 " decision%s\n", episodes, episodes == 1 ? "" : "s",
            made->decisions, made->decisions == 1 ? "" : "s");
    note_cut(job, made->cut, episodes);
    return CLI_OK;
}

/* The files that are written, and from what. */
typedef struct {
    asif_simulate_options simulation;
    asif_estimates *estimates;      /* of people; NULL: one agent */
    asif_output *logs, *parameters; /* parameters: NULL if they are not wanted */
} simulated;

static asif_status write_files(cli_job *job, simulated *s, asif_simulated *made) {
    if (!s->estimates)
        return asif_simulate_csv(asif_work_behavior(job->work), &s->simulation, put, s->logs, made,
                                 &job->error);
    return asif_simulate_people_csv(job->work, s->estimates, job->args->people.value, &s->simulation, put,
                                    s->logs, s->parameters ? put : NULL, s->parameters, made, &job->error);
}

/* Close a file; what is told is the first error. */
static int close_file(cli_job *job, asif_output *output, int code) {
    if (!output)
        return code;
    int closed = cli_output_close(output, job, code == CLI_OK);
    return code == CLI_OK ? closed : code;
}

static int write_all(cli_job *job, simulated *s) {
    const cli_args *args = job->args;
    asif_simulated made = {0};
    int code = cli_output_open(&s->logs, job, args->output, false);
    if (code == CLI_OK && args->parameters)
        code = cli_output_open(&s->parameters, job, args->parameters, false);
    if (code == CLI_OK) {
        asif_status status = write_files(job, s, &made);
        cli_progress_end(&job->progress);
        /* An error of an output file is printed when it is closed below. */
        if (status != ASIF_OK && status != ASIF_EIO)
            code = cli_say_error(&job->error);
    }
    code = close_file(job, s->logs, code);
    code = close_file(job, s->parameters, code);
    return code == CLI_OK ? print_summary(job, &made) : code;
}

/* The agent, solved; or what people differ in. */
static int prepare(cli_job *job, simulated *s) {
    const cli_args *args = job->args;
    if (!args->people.given) {
        int code = cli_job_solve(job, args->operand[0]);
        if (code == CLI_NO)
            cli_say_unsolved(job);
        return code;
    }
    int code = cli_job_load(job, args->operand[0]);
    if (code == CLI_OK)
        code = cli_job_values(job);
    return code == CLI_OK ? cli_job_estimates(job, &s->estimates) : code;
}

static int simulate(cli_job *job, simulated *s) {
    const cli_args *args = job->args;
    int code = prepare(job, s);
    if (code != CLI_OK)
        return code;
    asif_simulate_options *o = &s->simulation;
    o->episodes = args->episodes.value;
    o->seed = args->seed.value;
    if (asif_setting_get(asif_study_setting(job->study))->start_weights)
        o->start = ASIF_ANY;
    if (args->max_steps.given)
        o->max_steps = (uint32_t)args->max_steps.value;
    if (args->start) {
        o->start = cli_find_label(job, ASIF_LABEL_START, args->start, "a start class");
        if (o->start == ASIF_ANY)
            return CLI_USAGE;
    }
    if (args->condition) {
        asif_condition condition;
        int found = cli_find_condition(job, &condition);
        if (found != CLI_OK)
            return found;
        o->start = condition.start;
    }
    return write_all(job, s);
}

/* Flags that do not go together. */
static int check_flags(const cli_args *args) {
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
    if (args->parameters && !args->people.given) {
        cli_say("--parameters writes the parameters of many people, and there is one agent");
        cli_hint("add --people N, the number of people");
        return CLI_USAGE;
    }
    if (args->parameters &&
        (strcmp(args->parameters, "-") == 0 || strcmp(args->parameters, args->output) == 0)) {
        cli_say("--parameters needs a file of its own");
        cli_hint("for example --parameters parameters.csv");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int run(const cli_args *args) {
    cli_job job;
    simulated s = {.simulation = ASIF_SIMULATE_OPTIONS_INIT};
    int code = check_flags(args);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = simulate(&job, &s);
    asif_estimates_free(s.estimates);
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
        "0. The same seed gives the same logs. The file is written as a whole or not at all. With --people, "
        "each person has an agent of their own: parameters that the study marks `learn` are drawn from their "
        "priors. The table then begins with a column `subject`.",
    .examples = "  asif simulate study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 1000 -o logs.csv\n"
                "  asif simulate study.yaml -n 5 --seed 7 -o -\n"
                "  asif simulate study.yaml --people 200 -n 20 -o logs.csv --parameters true.csv\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
