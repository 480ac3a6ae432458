#include "logs/database.h"

#include "progress.h"
#include "say.h"

#include "asif/database.h"

#include <stdlib.h>
#include <string.h>

static const char ending[] = ".parquet";

bool cli_database_wanted(const cli_args *args, const char *path) {
    size_t length = path ? strlen(path) : 0, n = sizeof ending - 1;
    return path ? length > n && strcmp(path + length - n, ending) == 0 : args->engine != NULL;
}

/* A size such as 2GB or 500 MB; false: it is none. */
static bool read_size(const char *text, uint64_t *out) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    char *end = NULL;
    double size = strtod(text, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++, size *= 1000)
        if (strcmp(end, units[i]) == 0) {
            *out = size >= 1 && size < 1e18 ? (uint64_t)size : 0;
            return *out > 0;
        }
    return false;
}

int cli_database_check(const cli_args *args, uint32_t before) {
    uint64_t size;
    if (args->memory && !read_size(args->memory, &size)) {
        cli_say("'%s' is not a size", args->memory);
        cli_hint("write --memory 2GB or 500MB");
        return CLI_USAGE;
    }
    if (!args->engine && (args->uri || args->table || args->query)) {
        cli_say("%s needs --engine", args->uri ? "--uri" : args->table ? "--table" : "--query");
        cli_hint("--engine duckdb, postgresql or sqlite");
        return CLI_USAGE;
    }
    if (args->engine && !args->table == !args->query) {
        cli_say(args->table ? "--table and --query both say what to read: give one of them"
                            : "--engine needs to know what to read");
        cli_hint("--table NAME, or --query SQL");
        return CLI_USAGE;
    }
    if (args->engine && args->operands > before) {
        cli_say("--engine reads a table of a database, and '%s' is a file", args->operand[before]);
        cli_hint("leave the file out; or leave --engine out: Parquet files are read by DuckDB anyway");
        return CLI_USAGE;
    }
    return CLI_OK;
}

const char *cli_database_name(const cli_args *args) {
    return args->table ? args->table : "the query";
}

/* Append a text between quotes, in which a quote is doubled. */
static char *put_quoted(char *to, const char *text, char quote) {
    *to++ = quote;
    for (; *text; text++) {
        if (*text == quote)
            *to++ = quote;
        *to++ = *text;
    }
    *to++ = quote;
    return to;
}

static const char select_from[] = "SELECT * FROM ", parquet_from[] = "SELECT * FROM read_parquet(";

/* All rows of Parquet files; the caller frees it, NULL: no memory. */
static char *query_files(const char *files) {
    char *query = malloc(2 * strlen(files) + sizeof parquet_from + 8);
    if (!query)
        return NULL;
    memcpy(query, parquet_from, sizeof parquet_from);
    char *to = put_quoted(query + sizeof parquet_from - 1, files, '\'');
    memcpy(to, ")", 2);
    return query;
}

/* All rows of a table, whose name may begin with that of its schema and a point; freed by the caller. */
static char *query_table(const char *table) {
    size_t length = strlen(table);
    char *query = malloc(2 * length + sizeof select_from + 8), *part = malloc(length + 1);
    if (query && part) {
        char *to = query + sizeof select_from - 1, *point;
        memcpy(query, select_from, sizeof select_from);
        memcpy(part, table, length + 1);
        point = strchr(part, '.');
        if (point) {
            *point = 0;
            to = put_quoted(to, part, '"');
            *to++ = '.';
        }
        *put_quoted(to, point ? point + 1 : part, '"') = 0;
    }
    free(part);
    if (!part) {
        free(query);
        query = NULL;
    }
    return query;
}

/* Where tools/get-drivers puts drivers: $ASIF_DRIVERS, or share/asif/drivers in the user's folder. */
static void find_folders(const char **folders, char *home, size_t size) {
    const char *set = getenv("ASIF_DRIVERS"), *user = getenv("HOME");
    *folders = NULL;
    if (set && *set)
        *folders = set;
    else if (user && snprintf(home, size, "%s/.local/share/asif/drivers", user) < (int)size)
        *folders = home;
}

bool cli_database_ask(cli_database_asked *a, const cli_args *args, const char *path) {
    a->request = (asif_database_request)ASIF_DATABASE_REQUEST_INIT;
    a->folders[1] = NULL;
    find_folders(a->folders, a->home, sizeof a->home);
    a->made = path ? query_files(path) : args->table ? query_table(args->table) : NULL;
    a->request.driver = path ? "duckdb" : args->engine;
    a->request.folders = a->folders;
    a->request.uri = path ? NULL : args->uri;
    a->request.file = path && !strpbrk(path, "*?[{") ? path : NULL;
    a->request.query = a->made || path || args->table ? a->made : args->query;
    if (args->memory)
        (void)read_size(args->memory, &a->request.memory);
    return a->request.query != NULL;
}

void cli_database_forget(cli_database_asked *a) {
    free(a->made);
}

static asif_status fail_memory(cli_job *job) {
    job->error.status = ASIF_ENOMEM;
    (void)snprintf(job->error.message, sizeof job->error.message, "out of memory");
    return ASIF_ENOMEM;
}

asif_status cli_database_read(cli_job *job, asif_tree **out, const char *path,
                              const asif_logs_options *options) {
    cli_database_asked a;
    *out = NULL;
    cli_progress_catch(); /* so that the query ends, and what the database wrote to disk is removed */
    asif_status status = cli_database_ask(&a, job->args, path)
                             ? asif_logs_read_database(out, job->context, &a.request,
                                                       path ? path : cli_database_name(job->args), options,
                                                       NULL, job->problems, &job->error)
                             : fail_memory(job);
    cli_database_forget(&a);
    return status;
}

/* ---- the record of where logs come from ---- */

static bool copy_masked(char **out, const char *text) {
    *out = strdup(text);
    asif_database_mask(*out);
    return *out != NULL;
}

asif_status cli_origin_make(cli_origin *origin, cli_job *job) {
    const cli_args *args = job->args;
    const char *path = cli_logs_path(args);
    *origin = (cli_origin){.origin = ASIF_FIT_ORIGIN_INIT};
    origin->word = calloc((size_t)args->argc + 1, sizeof *origin->word);
    bool made = origin->word != NULL;
    for (int i = 0; made && i < args->argc; i++)
        made = copy_masked(&origin->word[i], args->argv[i]);
    origin->origin.word = (const char *const *)origin->word;
    origin->origin.words = (uint32_t)args->argc;
    origin->origin.study = args->operand[0];
    origin->origin.logs = path;
    if (!made)
        return fail_memory(job);
    if (!cli_database_wanted(args, path))
        return ASIF_OK;
    cli_database_asked a;
    asif_status status = cli_database_ask(&a, args, path) && copy_masked(&origin->query, a.request.query)
                             ? asif_database_version(origin->version, sizeof origin->version, job->context,
                                                     &a.request, &job->error)
                             : fail_memory(job);
    cli_database_forget(&a);
    origin->origin.engine = path ? "duckdb" : args->engine;
    origin->origin.version = origin->version[0] ? origin->version : NULL;
    origin->origin.query = origin->query;
    return status;
}

void cli_origin_free(cli_origin *origin) {
    for (char **word = origin->word; word && *word; word++)
        free(*word);
    free((void *)origin->word);
    free(origin->query);
}

/* ---- STUDY LOGS ---- */

bool cli_logs_given(const cli_args *args) {
    return args->engine || args->operands > 1;
}

const char *cli_logs_path(const cli_args *args) {
    return args->operands > 1 ? args->operand[1] : NULL;
}

const char *cli_logs_name(const cli_args *args) {
    const char *path = cli_logs_path(args);
    return path ? path : cli_database_name(args);
}

int cli_logs_check(const cli_args *args) {
    const char *path = cli_logs_path(args);
    if (path && strcmp(args->operand[0], "-") == 0 && strcmp(path, "-") == 0) {
        cli_say("the study and the logs cannot both come from standard input");
        return CLI_USAGE;
    }
    return cli_database_check(args, 1);
}

int cli_logs_require(const cli_args *args, const char *command) {
    int code = cli_logs_check(args);
    if (code != CLI_OK || cli_logs_given(args))
        return code;
    cli_say("asif %s needs logs: a table, a saved tree, or --engine", command);
    cli_hint("for example asif %s %s logs.csv", command, args->operand[0]);
    return CLI_USAGE;
}
