#include "cli.h"
#include "job.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* The title stands between the two parts. */
static const char before_title[] =
    "# A study: a decision problem, and an agent that decides in it. Change what is not yours.\n"
    "#   asif check FILE       tells how asif understands this file\n"
    "#   asif plan FILE -p alpha=0.5 -p beta=1.25 -p eta=0       what such an agent does\n"
    "#   asif simulate FILE -p alpha=0.5 -p beta=1.25 -p eta=0 -n 1000 -o logs.csv\n"
    "asif: 1\n";

static const char after_title[] =
    "\n"
    "# What can be the case, what can be done, what can be seen. Names are yours.\n"
    "states:       [healthy, diseased]\n"
    "actions:      [discharge, treat, test]\n"
    "observations: [negative, positive]     # leave this line out if the state itself is seen\n"
    "\n"
    "environment:                # the world as it is\n"
    "  start: [0.7, 0.3]         # how likely each state is at first, in the order of `states`\n"
    "  transitions:              # what an action does to the state\n"
    "    test: identity          # nothing: the state stays as it is\n"
    "    any: reset              # every other action: a new case comes, drawn from `start`\n"
    "  emissions:                # how likely each observation is: a row for each state, in order\n"
    "    - [0.8, 0.2]            # healthy: negative, positive\n"
    "    - [0.2, 0.8]            # diseased\n"
    "  ends: [discharge, treat]  # actions that close a case\n"
    "\n"
    "agent:                      # the one who decides, as if\n"
    "  planner: bounded-rational # `asif list planners` names the others\n"
    "  discount: 0.95            # what a step later is worth, against now\n"
    "  worlds:                   # worlds it thinks possible; what one leaves out is as in the environment\n"
    "    - emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
    "    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
    "    - emissions: [[0.9, 0.1], [0.1, 0.9]]\n"
    "  utility:                  # what it wants: numbers, or names of parameters; by state, or for all\n"
    "    discharge: {healthy: right, diseased: wrong}\n"
    "    treat:     {healthy: wrong, diseased: right}\n"
    "    test: cost\n"
    "  parameters:               # a number is given; `learn` is estimated from logs, or set with -p\n"
    "    right: 10\n"
    "    wrong: -30\n"
    "    cost: -1\n"
    "    alpha: learn            # how erratic its choices are: 0 takes the best, inf chooses at random\n"
    "    beta: learn             # 1/beta is optimism: inf is neutral, negative pessimistic\n"
    "    eta: learn              # weight of surprise: 0 for none\n"
    "\n"
    "solver: {resolution: 100, tol: 1e-12}  # how finely beliefs are divided, and how exactly to solve\n";

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static char *file_name(const char *name) {
    bool whole = ends_with(name, ".yaml") || ends_with(name, ".yml");
    size_t size = strlen(name) + sizeof ".yaml";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", name, whole ? "" : ".yaml");
    return path;
}

/* The name without folders and ending, as a YAML string in quotes. */
static int write_title(FILE *file, const asif_context *context, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *title = strdup(name);
    if (!title) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    *strrchr(title, '.') = 0;
    fputs("title: ", file);
    int code = cli_print_quoted(file, context, title);
    fputc('\n', file);
    free(title);
    return code;
}

static int write_study(const cli_job *job, const char *path) {
    cli_output output;
    int code = cli_output_open(&output, path, true);
    if (code != CLI_OK)
        return code;
    fputs(before_title, output.file);
    code = write_title(output.file, job->context, path);
    fputs(after_title, output.file);
    int closed = cli_output_close(&output, code == CLI_OK);
    return code == CLI_OK ? closed : code;
}

static int run(const cli_args *args) {
    char *path = file_name(args->operand[0]);
    if (!path) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    cli_job job;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK && name[0] == '.') {
        cli_say("'%s' is not a name for a study", args->operand[0]);
        code = CLI_USAGE;
    }
    if (code == CLI_OK)
        code = write_study(&job, path);
    if (code == CLI_OK && !args->quiet)
        printf("%s is a small study to start from. Next:\n"
               "  asif check %s\n"
               "  asif plan %s -p alpha=0.5 -p beta=1.25 -p eta=0\n",
               path, path, path);
    cli_job_close(&job);
    free(path);
    return code;
}

const cli_command cli_new = {
    .name = "new",
    .operands = "NAME",
    .summary = "a commented study file to start from",
    .about =
        "Writes NAME.yaml (or NAME, if it ends in .yaml): a small complete study of testing, treating and "
        "discharging patients, with a comment on every line that matters. A file that is there already is "
        "never overwritten.",
    .examples = "  asif new my-study\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
