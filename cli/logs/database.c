#include "logs/database.h"

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

int cli_database_check(const cli_args *args) {
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
    if (args->engine && args->operands) {
        cli_say("--engine reads a table of a database, and '%s' is a file", args->operand[0]);
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

asif_status cli_database_read(cli_job *job, asif_tree **out, const char *path,
                              const asif_logs_options *options) {
    const cli_args *args = job->args;
    char home[4096];
    const char *folders[2] = {NULL, NULL};
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    char *made = path ? query_files(path) : args->table ? query_table(args->table) : NULL;
    *out = NULL;
    if (!made && !(args->query && !path)) {
        job->error.status = ASIF_ENOMEM;
        (void)snprintf(job->error.message, sizeof job->error.message, "out of memory");
        return ASIF_ENOMEM;
    }
    find_folders(folders, home, sizeof home);
    request.driver = path ? "duckdb" : args->engine;
    request.folders = folders;
    request.uri = path ? NULL : args->uri;
    request.query = made ? made : args->query;
    if (args->memory)
        (void)read_size(args->memory, &request.memory);
    asif_status status =
        asif_logs_read_database(out, job->context, &request, path ? path : cli_database_name(args), options,
                                NULL, job->problems, &job->error);
    free(made);
    return status;
}
