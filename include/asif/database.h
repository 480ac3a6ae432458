/**
 * @file
 * Tables where they live: queries to databases and engines, through drivers that are opened when they are
 * needed. Nothing is linked; without a driver everything else works.
 */
#ifndef ASIF_DATABASE_H
#define ASIF_DATABASE_H

#include "asif/arrow.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A query, and where it runs. */
typedef struct {
    size_t struct_size;
    /** `duckdb`, `postgresql` or `sqlite`, or the path of another driver for ADBC, Arrow's interface to
     * databases. */
    const char *driver;
    /** Folders in which a driver that is given by its name is looked for, NULL-terminated; then where the
     * system looks for libraries. NULL: only there. */
    const char *const *folders;
    /** The database, as its driver writes it: a file for DuckDB and SQLite, a connection string for
     * PostgreSQL. NULL: a database in memory, or what the driver takes by itself. Passwords are better left
     * to the places where the driver looks for them. */
    const char *uri;
    const char *query; /**< SQL that gives one table */
    /** Most bytes that DuckDB may use, beyond which it uses the disk; 0: its own default. When logs are read,
     * three quarters of them: the rest is for the tree. */
    uint64_t memory;
    uint32_t threads; /**< of DuckDB; 0: its own default */
    /** If `query` gives all rows of one Parquet file, its path: asif_logs_read_database() is then faster.
     * NULL: it does not, or that is not known. */
    const char *file;
} asif_database_request;
#define ASIF_DATABASE_REQUEST_INIT                                                                           \
    { .struct_size = sizeof(asif_database_request) }

/**
 * Start a query, whose result arrives as an Arrow stream, for asif_logs_read_arrow().
 *
 * DuckDB is kept from downloading extensions. A password in `uri` does not come back in messages.
 *
 * @param[out] out   Owned by the caller: its release() ends the query and the connection. Released on
 * failure.
 * @param context    Borrowed until the stream is released.
 * @param request    Borrowed for the call.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOFILE (no driver; the hint says where to get one), ASIF_EIO (the driver's own
 *         words), ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_database_query(struct ArrowArrayStream *out, const asif_context *context,
                                         const asif_database_request *request, asif_error *error);

/**
 * Read logs from a query, as asif_logs_read_arrow() reads them from its result. Of DuckDB, PostgreSQL and
 * SQLite only the columns that are used are asked for, and they sort the rows, so that one episode is in
 * memory at a time. The query runs once for the columns, and again for every pass: a further one where the
 * database has names of episodes in another order than ours (p10 before p2), which with units or weights
 * collects all rows. The pieces from other drivers are kept until the end. Rows are numbered as the query
 * gives them.
 *
 * @param request Borrowed for the call.
 * @return As asif_database_query() and asif_logs_read_arrow().
 */
ASIF_API asif_status asif_logs_read_database(asif_tree **out, const asif_context *context,
                                             const asif_database_request *request, const char *name,
                                             const asif_logs_options *options, asif_logs_info *info,
                                             asif_problems *problems, asif_error *error);

/**
 * The version of an engine, for records of where numbers come from.
 *
 * @param[out] out   Room for `size` bytes; empty for a driver that is not DuckDB's, PostgreSQL's or SQLite's.
 *                   A longer version is cut.
 * @param request    Its query is not used.
 * @param[out] error May be NULL.
 * @return As asif_database_query(). Cost: a connection of its own.
 */
ASIF_API asif_status asif_database_version(char *out, size_t size, const asif_context *context,
                                           const asif_database_request *request, asif_error *error);

/** What a query for courses is made of. */
typedef struct {
    size_t struct_size;
    const char *dialect;         /**< `duckdb`, `postgresql` or `spark` */
    const char *from;            /**< the table, as SQL names it, or a query in parentheses */
    const asif_log_map *map;     /**< NULL: the defaults */
    const asif_setting *setting; /**< labels and start classes; must be there */
    const char *by;              /**< a column or group of people to keep, with their names; NULL: none */
    uint32_t longest;            /**< most decisions of an episode; 0: the horizon of the setting, or 64 */
    /** Times may be anything that the database can order; else they are whole numbers of steps, as the
     * mapping says. */
    bool ranked;
} asif_courses_request;
#define ASIF_COURSES_REQUEST_INIT                                                                            \
    { .struct_size = sizeof(asif_courses_request) }

/**
 * Write the SQL that makes *courses* of logs where they are: whole episodes, each with the number of episodes
 * that are the same. The functions that read tables recognise the result of the query by the name of its
 * first column, and read it, with the same mapping and setting, into the tree of the rows (whose first rows
 * are then not known). Columns that the mapping does not name have their default names, except that of the
 * subject.
 *
 * @param[out] out   Owned by the caller (asif_memory_free()).
 * @param context    For memory.
 * @param request    Borrowed for the call.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such dialect), ASIF_EUNSUPPORTED (what courses cannot have, by its
 * name), ASIF_EINVALID, ASIF_ETOOBIG, ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_courses_query(char **out, const asif_context *context,
                                        const asif_courses_request *request, asif_error *error);

/** Replace passwords in a connection string or a query by stars, in place; NULL is allowed. They are found
 * as `//user:PASSWORD@host` and `password=PASSWORD`, also in quotes. */
ASIF_API void asif_database_mask(char *text);

#ifdef __cplusplus
}
#endif

#endif
