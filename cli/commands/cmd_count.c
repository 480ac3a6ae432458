#include "cli.h"
#include "job.h"
#include "logs/database.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"study", 's', CLI_TEXT, "STUDY", "the study that names the columns and the labels",
     offsetof(cli_args, study), 0, 0},
    CLI_MAP_OPTION,
    {"by", 0, CLI_TEXT, "COLUMN",
     "also count by the values of a column, which must be the same in all rows of an episode",
     offsetof(cli_args, by), 0, 0},
    CLI_WHERE_OPTION,
    {"top", 0, CLI_COUNT, "N", "how many of the most frequent histories to list (default 10)",
     offsetof(cli_args, top), 0, 10000},
    {"output", 'o', CLI_TEXT, "TREE", "save the history tree; - is standard output",
     offsetof(cli_args, output), 0, 0},
    {"rows", 0, CLI_TEXT, "FILE",
     "write the rows that are left, as asif understood them, as a CSV table; - is standard output",
     offsetof(cli_args, rows), 0, 0},
    CLI_DATABASE_OPTIONS,
    {"sql", 0, CLI_TEXT, "DIALECT",
     "print a query that counts whole episodes where the table is (duckdb, postgresql, spark); --table or "
     "--query says of what",
     offsetof(cli_args, sql), 0, 0},
    {"longest", 0, CLI_COUNT, "N",
     "with --sql: most decisions of an episode (default: the horizon of the study, or 64)",
     offsetof(cli_args, longest), 1, 100000},
    {"ranked", 0, CLI_SWITCH, NULL,
     "with --sql: times only order the decisions, as dates do; else they are whole numbers of steps",
     offsetof(cli_args, ranked), 0, 0},
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* Load the study and print its problems now, because the answer contains only those of the logs. */
static int load_study(cli_job *job) {
    int code = cli_job_load(job, job->args->study);
    int renewed = cli_job_renew_problems(job);
    return code == CLI_OK ? renewed : code;
}

static bool ends_known(const asif_tree *tree) {
    asif_tree_view view = {.struct_size = sizeof view};
    return asif_tree_get(tree, &view, NULL) == ASIF_OK && (view.ends_known || view.states_seen);
}

/* Read all operands and merge them into one tree. */
static int read_all(cli_job *job) {
    const cli_args *args = job->args;
    const char *columns[] = {args->by, NULL};
    if (args->engine) {
        asif_status status = cli_job_read(job, &job->tree, NULL, CLI_UNITS_NONE, columns);
        return status == ASIF_OK ? CLI_OK : cli_job_said(job, status);
    }
    for (uint32_t i = 0; i < args->operands; i++) {
        asif_tree *next = NULL, *both = NULL;
        asif_status status = cli_job_read(job, &next, args->operand[i], CLI_UNITS_NONE, columns);
        if (status != ASIF_OK)
            return cli_job_said(job, status);
        if (!job->tree) {
            job->tree = next;
            continue;
        }
        if (ends_known(job->tree) != ends_known(next) && !args->quiet)
            cli_say("%s is merged with a tree of version 1: the result is of version 1, without what was "
                    "seen after last decisions",
                    args->operand[i]);
        status = asif_tree_merge(&both, job->tree, next, &job->error);
        asif_tree_free(next);
        if (status != ASIF_OK)
            return cli_say_error(&job->error);
        asif_tree_free(job->tree);
        job->tree = both;
    }
    return CLI_OK;
}

static int save(cli_job *job) {
    const char *path = job->args->output;
    if (!path)
        return CLI_OK;
    char *bytes = NULL;
    uint64_t length = 0;
    bool made = asif_tree_bytes(&bytes, &length, job->tree, &job->error) == ASIF_OK;
    int code = made ? cli_write(job, path, bytes, (size_t)length) : cli_say_error(&job->error);
    asif_memory_free(job->context, bytes);
    return code;
}

static int save_rows(cli_job *job) {
    const char *path = job->args->rows;
    if (!path)
        return CLI_OK;
    if (!job->rows) {
        cli_say("a saved tree does not keep its rows");
        cli_hint("give the table to --rows");
        return CLI_USAGE;
    }
    return cli_write(job, path, job->rows, strlen(job->rows));
}

static int print(cli_job *job) {
    const cli_args *args = job->args;
    asif_report_options report = cli_report_options(args->json);
    asif_logs_request request = ASIF_LOGS_REQUEST_INIT;
    const char *name = cli_database_name(args);
    request.files = args->engine ? 1 : args->operands;
    request.file = args->engine ? &name : args->operand;
    request.tree = job->tree;
    request.problems = job->problems;
    request.by = args->by;
    if (args->top.given)
        request.top = (uint32_t)args->top.value;
    report.errors_only = args->quiet;
    /* The lengths of episodes are not in a tree of seen states, so the table is read once more by episode. */
    asif_tree *episodes = NULL;
    if (asif_tree_info(job->tree)->states_seen && args->operands == 1 && !args->by &&
        asif_file_reads_again(args->operand[0]) && !asif_tree_recognise(args->operand[0])) {
        asif_problems *said = job->problems;
        job->problems = NULL;
        if (cli_job_read(job, &episodes, args->operand[0], CLI_UNITS_EPISODES, NULL) == ASIF_OK)
            request.tree = episodes;
        job->problems = said;
    }
    char *text = NULL;
    int code = CLI_OK;
    if (asif_report_logs(&text, job->context, &request, &report, &job->error) == ASIF_OK)
        fputs(text, stdout);
    else
        code = cli_say_error(&job->error);
    asif_memory_free(job->context, text);
    asif_tree_free(episodes);
    return code;
}

/* Print the query that makes courses. */
static int print_query(cli_job *job) {
    const cli_args *args = job->args;
    asif_courses_request request = ASIF_COURSES_REQUEST_INIT;
    char *from = args->query ? malloc(strlen(args->query) + 3) : NULL, *text = NULL;
    if (args->query && !from)
        return cli_no_memory();
    if (from)
        sprintf(from, "(%s)", args->query);
    request.dialect = args->sql;
    request.from = from ? from : args->table;
    request.map = job->map;
    request.setting = asif_study_setting(job->study);
    request.by = args->by;
    request.longest = (uint32_t)args->longest.value;
    request.ranked = args->ranked;
    asif_status status = asif_courses_query(&text, job->context, &request, &job->error);
    int code = status == ASIF_OK ? cli_write(job, args->output ? args->output : "-", text, strlen(text))
                                 : cli_say_error(&job->error);
    asif_memory_free(job->context, text);
    free(from);
    return code;
}

/* --sql reads no logs. */
static int check_query(const cli_args *args) {
    const char *other = args->operands      ? args->operand[0]
                        : args->engine      ? "--engine"
                        : args->rows        ? "--rows"
                        : args->where.count ? "--where"
                        : args->json        ? "--json"
                                            : NULL;
    if (args->sql && other) {
        cli_say("--sql prints a query and reads no logs, so %s cannot stand with it", other);
        cli_hint("--table or --query says what the query reads, and can have conditions");
        return CLI_USAGE;
    }
    if (args->sql && !args->study) {
        cli_say("--sql needs the study, which has the labels");
        cli_hint("asif count --sql %s --study STUDY --table NAME", args->sql);
        return CLI_USAGE;
    }
    if (!args->sql && (args->longest.given || args->ranked)) {
        cli_say("%s needs --sql", args->ranked ? "--ranked" : "--longest");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int ask_query(const cli_args *args) {
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = load_study(&job);
    if (code == CLI_OK)
        code = cli_job_map(&job);
    if (code == CLI_OK)
        code = print_query(&job);
    cli_job_close(&job);
    return code;
}

static int run(const cli_args *args) {
    bool tree_out = args->output && strcmp(args->output, "-") == 0,
         rows_out = args->rows && strcmp(args->rows, "-") == 0;
    if (tree_out + rows_out + args->json > 1) {
        cli_say(rows_out ? "only one of --json, the tree and the rows can go to standard output"
                         : "--json and the tree cannot both go to standard output");
        cli_hint("give %s a file", rows_out ? "--rows" : "-o");
        return CLI_USAGE;
    }
    if (args->rows && args->operands > 1) {
        cli_say("--rows takes one table, not %u", args->operands);
        return CLI_USAGE;
    }
    if (args->by && args->operands > 1) {
        cli_say("--by takes one table, not %u", args->operands);
        cli_hint(
            "the same number of an episode may mean different ones in different tables: join them first");
        return CLI_USAGE;
    }
    int code = check_query(args);
    if (code == CLI_OK && args->sql)
        return ask_query(args);
    if (code == CLI_OK)
        code = cli_database_check(args, 0);
    if (code != CLI_OK)
        return code;
    if (args->operands == 0 && !args->engine) {
        cli_say("asif count needs logs: a table, a saved tree, or --engine");
        cli_hint("see 'asif count --help'");
        return CLI_USAGE;
    }
    cli_job job;
    code = cli_job_open(&job, args);
    if (code == CLI_OK && args->study)
        code = load_study(&job);
    if (code == CLI_OK)
        code = cli_job_where(&job);
    for (uint32_t i = 0; code == CLI_OK && i < args->operands; i++)
        code = cli_job_where_rows(&job, args->operand[i]);
    if (code == CLI_OK)
        code = cli_job_map(&job);
    if (code == CLI_OK)
        code = read_all(&job);
    if (code == CLI_OK)
        code = save(&job);
    if (code == CLI_OK)
        code = save_rows(&job);
    if (code == CLI_OK && !tree_out && !rows_out)
        code = print(&job);
    cli_job_close(&job);
    return code;
}

const cli_command cli_count_command = {
    .name = "count",
    .operands = "[LOGS...] [flags]",
    .summary = "count what is in logs: sizes, actions, the most frequent histories",
    .about =
        "Reads a table of what was seen and done (CSV or TSV, one row per decision) and counts subjects, "
        "episodes and decisions. It also shows the rows that were left out and why, the lengths of "
        "episodes, how often each action was taken, and the most frequent histories. With a study, columns "
        "and labels are those of the study. Without one, columns are found by their names or by --map, and "
        "labels are taken as they are. -o saves the history tree, which commands accept in place of the "
        "table. --rows writes the decisions that are left after all rules. LOGS may be saved trees, and "
        "several are counted as one. - is standard input. Parquet files are read by DuckDB, and --engine "
        "reads a table of a database; the drivers for them are not part of asif (see the how-to on large "
        "tables).",
    .examples = "  asif count logs.csv\n"
                "  asif count logs.csv --study study.yaml -o logs.tree\n"
                "  asif count visits.csv --map action=mri --map observation=cdr\n"
                "  asif count 'visits/*.parquet' --study study.yaml -o logs.tree\n"
                "  asif count --engine sqlite --uri clinic.db --table visits -o logs.tree\n"
                "  asif count --sql spark --study study.yaml --table visits > courses.sql\n",
    .least_operands = 0,
    .most_operands = CLI_ANY_NUMBER,
    .options = options,
    .run = run,
};
