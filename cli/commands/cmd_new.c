#include "cli.h"
#include "job.h"
#include "memory.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"from", 0, CLI_TEXT, "TABLE", "draft the study from a table of logs", offsetof(cli_args, from), 0, 0},
    CLI_MAP_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* The template of a study in two parts; its title goes between them. */
static const char before_title[] =
    "# A study: a decision problem, and an agent that decides in it. Change what is not yours.\n"
    "#   asif check FILE       shows how asif understands this file\n"
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
    "  discount: 0.95            # how much the next step counts, compared with now\n"
    "  worlds:                   # worlds it thinks possible; what one leaves out is as in the environment\n"
    "    - emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
    "    - emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
    "    - emissions: [[0.9, 0.1], [0.1, 0.9]]\n"
    "  utility:                  # what it wants: numbers, or names of parameters; by state, or for all\n"
    "    discharge: {healthy: right, diseased: wrong}\n"
    "    treat:     {healthy: wrong, diseased: right}\n"
    "    test: cost\n"
    "  parameters:               # a number is assumed; `learn` is estimated from logs, or set with -p\n"
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

/* The file name of the new study: NAME, or the table's name without folders and ending; .yaml is added.
 * NULL if there is no memory; free() it. */
static char *file_name(const cli_args *args) {
    const char *name = args->operands ? args->operand[0] : args->from;
    if (!args->operands) {
        const char *slash = strrchr(name, '/');
        name = slash ? slash + 1 : name;
    }
    bool whole = args->operands && (ends_with(name, ".yaml") || ends_with(name, ".yml"));
    const char *dot = args->operands ? NULL : strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    size_t size = strlen(name) + sizeof ".yaml";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s", length, name, whole ? "" : ".yaml");
    return path;
}

/* The title of a study: its file name without folders and ending. NULL if there is no memory; free() it. */
static char *title_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *title = strdup(slash ? slash + 1 : path);
    if (title)
        *strrchr(title, '.') = 0;
    return title;
}

static int print_example(FILE *file, const cli_job *job, const char *title) {
    fputs(before_title, file);
    fputs("title: ", file);
    int code = cli_print_quoted(file, job->context, title);
    fputc('\n', file);
    fputs(after_title, file);
    return code;
}

static int write_example(cli_job *job, const char *path, const char *title) {
    cli_memory memory;
    int code = cli_memory_open(&memory);
    if (code == CLI_OK)
        code = cli_memory_close(&memory, print_example(memory.file, job, title));
    if (code == CLI_OK)
        code = cli_write_new(job, path, memory.text, memory.length);
    cli_memory_free(&memory);
    return code;
}

static int draft(char **out, cli_job *job, const char *title) {
    asif_columns *columns = NULL;
    const char *table = job->args->from;
    int code = cli_job_map(job);
    if (code != CLI_OK)
        return code;
    if (asif_table_scan(&columns, job->context, table, 0, 0, &job->error) != ASIF_OK ||
        asif_report_study_template(out, job->context, columns, table, title, job->map, &job->error) !=
            ASIF_OK)
        code = cli_say_error(&job->error);
    asif_columns_free(columns);
    return code;
}

static int write_draft(cli_job *job, const char *path, const char *title) {
    char *text = NULL;
    int code = draft(&text, job, title);
    if (code == CLI_OK && text)
        code = cli_write_new(job, path, text, strlen(text));
    asif_memory_free(job->context, text);
    return code;
}

static int write_study(cli_job *job, const char *path) {
    char *title = title_of(path);
    if (!title)
        return cli_no_memory();
    int code = job->args->from ? write_draft(job, path, title) : write_example(job, path, title);
    free(title);
    return code;
}

static void say_next(const char *path, const char *table) {
    if (table)
        printf("%s is a draft: fill in what is marked TO FILL IN. Next:\n"
               "  asif check %s %s\n"
               "  asif count %s --study %s\n",
               path, path, table, table, path);
    else
        printf("%s is a small study to start from. Next:\n"
               "  asif check %s\n"
               "  asif plan %s -p alpha=0.5 -p beta=1.25 -p eta=0\n",
               path, path, path);
}

static int refuse(const cli_args *args) {
    if (!args->from && !args->operands)
        cli_say("asif new needs more arguments: asif new NAME, or asif new --from TABLE [NAME]");
    else if (!args->from && args->map.count)
        cli_say("--map is about a table: asif new --from TABLE --map %s", args->map.item[0]);
    else if (args->from && strcmp(args->from, "-") == 0 && !args->operands)
        cli_say("asif new --from - needs a NAME for the study");
    else
        return CLI_OK;
    return CLI_USAGE;
}

static int run(const cli_args *args) {
    int code = refuse(args);
    if (code != CLI_OK)
        return code;
    char *path = file_name(args);
    if (!path)
        return cli_no_memory();
    cli_job job;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    code = cli_job_open(&job, args);
    if (code == CLI_OK && name[0] == '.') {
        cli_say("'%s' is not a name for a study", args->operands ? args->operand[0] : args->from);
        code = CLI_USAGE;
    }
    if (code == CLI_OK)
        code = write_study(&job, path);
    if (code == CLI_OK && !args->quiet)
        say_next(path, args->from);
    cli_job_close(&job);
    free(path);
    return code;
}

const cli_command cli_new = {
    .name = "new",
    .operands = "NAME | --from TABLE [NAME]",
    .summary = "write a commented study file to start from",
    .about =
        "Writes NAME.yaml (or NAME, if it ends in .yaml): a small complete study of testing, treating and "
        "discharging patients, with a comment on every line that matters. With --from, it drafts the study "
        "from a table of logs: it guesses the role of each column, and takes labels, and cuts for numbers, "
        "from the table. What a table cannot tell is marked TO FILL IN. A file that exists is never "
        "overwritten.",
    .examples = "  asif new my-study\n"
                "  asif new --from visits.csv --map action=mri --map observation=cdr,mmse my-study\n",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .run = run,
};
