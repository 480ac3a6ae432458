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
/* The flags make sense together. CLI_OK, or CLI_USAGE after a message. */
int cli_database_check(const cli_args *args);
/* What the logs are called in messages, where flags name them. */
const char *cli_database_name(const cli_args *args);
/* Read the logs at a path, or those that flags name (NULL), as asif_logs_read_arrow(). */
asif_status cli_database_read(cli_job *job, asif_tree **out, const char *path,
                              const asif_logs_options *options);

#endif
