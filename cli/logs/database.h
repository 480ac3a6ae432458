/* Logs from databases, and from files that only an engine can read. */
#ifndef ASIF_CLI_LOGS_DATABASE_H
#define ASIF_CLI_LOGS_DATABASE_H

#include "job.h"

/* Flags of a command that asks a database: --engine, --uri, --table, --query, --memory. */
#define CLI_DATABASE_OPTIONS                                                                                 \
    {"engine",                                                                                               \
     0,                                                                                                      \
     CLI_TEXT,                                                                                               \
     "NAME",                                                                                                 \
     "the logs are in a database: duckdb, postgresql, sqlite, or the path of a driver for ADBC",             \
     offsetof(cli_args, engine),                                                                             \
     0,                                                                                                      \
     0},                                                                                                     \
        {"uri",                                                                                              \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         "URI",                                                                                              \
         "the database: a file for duckdb and sqlite, a connection string for postgresql, which also finds " \
         "passwords in its usual places",                                                                    \
         offsetof(cli_args, uri),                                                                            \
         0,                                                                                                  \
         0},                                                                                                 \
        {"table",                                                                                            \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         "NAME",                                                                                             \
         "the table of the database that has the logs",                                                      \
         offsetof(cli_args, table),                                                                          \
         0,                                                                                                  \
         0},                                                                                                 \
        {"query",                                                                                            \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         "SQL",                                                                                              \
         "a query that gives the logs, in place of --table",                                                 \
         offsetof(cli_args, query),                                                                          \
         0,                                                                                                  \
         0},                                                                                                 \
    {                                                                                                        \
        "memory", 0, CLI_TEXT, "SIZE",                                                                       \
            "most memory that DuckDB may take, such as 2GB; then it uses the disk",                          \
            offsetof(cli_args, memory), 0, 0                                                                 \
    }

/* Whether an engine reads the logs at a path (NULL: flags name them): a Parquet file or a pattern of such. */
bool cli_database_wanted(const cli_args *args, const char *path);
/* The flags make sense together, and with the operands, of which `before` come before the logs. CLI_OK, or
 * CLI_USAGE after a message. */
int cli_database_check(const cli_args *args, uint32_t before);
/* What the logs are called in messages, where flags name them. */
const char *cli_database_name(const cli_args *args);
/* What the engine is asked, and what that needs until the answer is there. */
typedef struct {
    asif_database_request request;
    const char *folders[2];
    char home[4096], *made;
} cli_database_asked;
/* Fill it in for the logs at a path, or those that flags name (NULL). False: no memory. It stays where it is,
 * and cli_database_forget() frees what it holds in any case. */
bool cli_database_ask(cli_database_asked *asked, const cli_args *args, const char *path);
void cli_database_forget(cli_database_asked *asked);
/* Read the logs at a path, or those that flags name (NULL), as asif_logs_read_arrow(). */
asif_status cli_database_read(cli_job *job, asif_tree **out, const char *path,
                              const asif_logs_options *options);

/* Where the logs of a fit come from, with stars in place of a password. */
typedef struct {
    asif_fit_origin origin;
    char **word, *query, version[128];
} cli_origin;
/* Of a command that takes STUDY LOGS. The error is in job->error; cli_origin_free() in any case. */
asif_status cli_origin_make(cli_origin *origin, cli_job *job);
void cli_origin_free(cli_origin *origin);

/* ---- the logs of a command that takes STUDY LOGS, or STUDY and a database ---- */

bool cli_logs_given(const cli_args *args);
/* Their path; NULL: they are in a database, or there are none. */
const char *cli_logs_path(const cli_args *args);
/* What messages call them. */
const char *cli_logs_name(const cli_args *args);
/* What is given makes sense. CLI_OK, or CLI_USAGE after a message. */
int cli_logs_check(const cli_args *args);
/* The same, for a command that needs logs. */
int cli_logs_require(const cli_args *args, const char *command);

#endif
