#include "asif/database.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "logs/arrow/arrow_rows.h"
#include "logs/courses/query.h"
#include "logs/database/adbc.h"
#include "logs/database/secret.h"

#include <limits.h>
#include <string.h>

/* A query that is under way; it belongs to the stream of its result. */
typedef struct {
    const asif_context *context;
    asif_adbc_driver driver;
    asif_adbc_handle database, connection, statement;
    struct ArrowArrayStream result;
    bool begun;   /* the first rows have come, and more come soon */
    bool stopped; /* the user wanted no more of it */
    char *secret; /* the password in the connection string, if there is one */
    char failure[512];
} session;

/* ---- drivers ---- */

typedef struct {
    const char *name, *library, *uri; /* what the driver calls the place of the database */
    const char *from;                 /* where to get it */
} known_driver;

static const known_driver drivers[] = {
    {"duckdb", "libduckdb.so", "path", "libduckdb from the releases of DuckDB, from Homebrew or from conda"},
    {"postgresql", "libadbc_driver_postgresql.so", "uri",
     "adbc-driver-postgresql from PyPI or from conda-forge"},
    {"sqlite", "libadbc_driver_sqlite.so", "uri", "adbc-driver-sqlite from PyPI or from conda-forge"},
};

static const known_driver *find_driver(const char *name) {
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strcmp(drivers[i].name, name) == 0)
            return &drivers[i];
    return NULL;
}

/* Open the library of a known driver in one of the folders, or where the system has it. */
static asif_status open_known(const session *s, const asif_database_request *request,
                              const known_driver *known, void **out, asif_error *error) {
    for (const char *const *folder = request->folders; folder && *folder; folder++) {
        asif_text path = {.context = s->context};
        asif_text_addf(&path, "%s/%s", *folder, known->library);
        if (path.failed)
            return asif_fail_memory(error);
        bool there = asif_os_exists(path.data);
        asif_status status = there ? asif_os_library(out, path.data, error) : ASIF_OK;
        asif_text_free(&path);
        if (there)
            return status;
    }
    if (asif_os_library(out, known->library, NULL) == ASIF_OK)
        return ASIF_OK;
    asif_fail(error, ASIF_ENOFILE, "the driver for %s (%s) is not installed", known->name, known->library);
    asif_error_hint(error, "install %s, or give the path of the driver", known->from);
    return ASIF_ENOFILE;
}

static asif_status open_driver(session *s, const asif_database_request *request, const known_driver *known,
                               asif_error *error) {
    static const char *const entries[] = {"AdbcDriverInit", "duckdb_adbc_init"};
    void *library = NULL;
    if (known) {
        ASIF_TRY(open_known(s, request, known, &library, error));
    } else if (!strchr(request->driver, '/')) {
        asif_fail(error, ASIF_EUNKNOWN, "there is no driver called `%s`", asif_show(request->driver).text);
        asif_error_hint(error, "duckdb, postgresql, sqlite, or the path of a driver for ADBC");
        return ASIF_EUNKNOWN;
    } else {
        ASIF_TRY(asif_os_library(&library, request->driver, error));
    }
    asif_os_function *entry = NULL;
    for (size_t i = 0; !entry && i < sizeof entries / sizeof *entries; i++)
        entry = asif_os_symbol(library, entries[i]);
    if (!entry)
        return asif_fail(error, ASIF_EIO, "%s is not a driver for ADBC", asif_show(request->driver).text);
    static const int versions[] = {ASIF_ADBC_VERSION, ASIF_ADBC_VERSION_1_0};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        asif_adbc_error failure = {0};
        s->driver = (asif_adbc_driver){0};
        asif_adbc_status status = ((asif_adbc_init *)entry)(versions[i], &s->driver, &failure);
        if (failure.release)
            failure.release(&failure);
        if (status == 0)
            return ASIF_OK;
    }
    s->driver = (asif_adbc_driver){0};
    return asif_fail(error, ASIF_EIO, "the driver does not speak ADBC 1.0");
}

/* ---- what went wrong, without the password ---- */

static asif_status keep_secret(session *s, const char *uri, asif_error *error) {
    size_t length = 0;
    const char *secret = uri ? asif_find_secret(uri, &length) : NULL;
    if (!secret || length == 0)
        return ASIF_OK;
    s->secret = ASIF_ARRAY(s->context, length + 1, char);
    if (!s->secret)
        return asif_fail_memory(error);
    memcpy(s->secret, secret, length);
    return ASIF_OK;
}

/* Keep the words of a driver on one line, with stars for the password. */
static void note(session *s, const char *words) {
    size_t used = 0, secret = s->secret ? strlen(s->secret) : 0;
    for (const char *p = words ? words : ""; *p && used + 4 < sizeof s->failure;) {
        bool hidden = secret && strncmp(p, s->secret, secret) == 0;
        if (hidden) {
            memcpy(s->failure + used, "***", 3);
            used += 3;
            p += secret;
        } else {
            /* tables of blanks and line breaks become one blank */
            bool blank = (unsigned char)*p <= ' ';
            if (!blank || (used && s->failure[used - 1] != ' '))
                s->failure[used++] = *p;
            if (blank && used)
                s->failure[used - 1] = ' ';
            p++;
        }
    }
    while (used && s->failure[used - 1] == ' ')
        used--;
    s->failure[used] = 0;
}

/* The status of a call to the driver. */
static asif_status check(session *s, asif_adbc_status status, asif_adbc_error *failure, const char *what,
                         asif_error *error) {
    note(s, failure->message);
    if (failure->release)
        failure->release(failure);
    *failure = (asif_adbc_error){0};
    if (status == 0)
        return ASIF_OK;
    if (s->stopped)
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    return asif_fail(error, ASIF_EIO, "%s%s%s", what, s->failure[0] ? ": " : "", s->failure);
}

/* ---- long calls ---- */

typedef struct {
    session *session;
    const char *query; /* to execute; NULL: the next piece of the result is asked for */
    struct ArrowArray *piece;
    asif_adbc_error failure;
    int status;
} long_call;

/* Stop the query if the user wants that. Drivers take this while another thread waits for the query. */
static void watch(void *argument) {
    const long_call *call = argument;
    session *s = call->session;
    asif_adbc_error failure = {0};
    if (!asif_progress(s->context, "reading", -1))
        return;
    s->stopped = true;
    if (s->driver.statement_cancel)
        (void)s->driver.statement_cancel(&s->statement, &failure);
    if (failure.release)
        failure.release(&failure);
}

static void carry_out(void *argument) {
    long_call *call = argument;
    session *s = call->session;
    call->status = call->query
                       ? s->driver.statement_execute_query(&s->statement, &s->result, NULL, &call->failure)
                       : s->result.get_next(&s->result, call->piece);
}

/* ---- a session ---- */

static void close_session(session *s) {
    asif_adbc_error failure = {0};
    if (s->result.release)
        s->result.release(&s->result);
    struct {
        asif_adbc_call *end;
        asif_adbc_handle *handle;
    } const parts[] = {{s->driver.statement_release, &s->statement},
                       {s->driver.connection_release, &s->connection},
                       {s->driver.database_release, &s->database}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].handle->private_data && parts[i].end) {
            parts[i].end(parts[i].handle, &failure);
            if (failure.release)
                failure.release(&failure);
            failure = (asif_adbc_error){0};
        }
    if (s->driver.release)
        s->driver.release(&s->driver, &failure);
    asif_free(s->context, s->secret);
    asif_free(s->context, s);
}

static bool is_whole(const asif_adbc_driver *d) {
    return d->database_new && d->database_init && d->database_set_option && d->database_release &&
           d->connection_new && d->connection_init && d->connection_release && d->statement_new &&
           d->statement_set_sql_query && d->statement_execute_query && d->statement_release;
}

static asif_status set_option(session *s, const char *key, const char *value, asif_error *error) {
    asif_adbc_error failure = {0};
    asif_adbc_status status = s->driver.database_set_option(&s->database, key, value, &failure);
    return check(s, status, &failure, "the driver refuses an option", error);
}

/* DuckDB gets limits, and nothing is downloaded that the user did not install. */
static asif_status set_limits(session *s, const asif_database_request *request, asif_error *error) {
    char number[32];
    ASIF_TRY(set_option(s, "autoinstall_known_extensions", "false", error));
    if (request->memory) {
        asif_format(number, sizeof number, "%lluB", (unsigned long long)request->memory);
        ASIF_TRY(set_option(s, "memory_limit", number, error));
    }
    if (request->threads) {
        asif_format(number, sizeof number, "%u", request->threads);
        ASIF_TRY(set_option(s, "threads", number, error));
    }
    return ASIF_OK;
}

static asif_status connect(session *s, const asif_database_request *request, const known_driver *known,
                           asif_error *error) {
    asif_adbc_error failure = {0};
    const asif_adbc_driver *d = &s->driver;
    if (!is_whole(d))
        return asif_fail(error, ASIF_EIO, "the driver lacks functions of ADBC 1.0");
    ASIF_TRY(
        check(s, d->database_new(&s->database, &failure), &failure, "the driver cannot be started", error));
    if (request->uri)
        ASIF_TRY(set_option(s, known ? known->uri : "uri", request->uri, error));
    if (known == drivers)
        ASIF_TRY(set_limits(s, request, error));
    ASIF_TRY(
        check(s, d->database_init(&s->database, &failure), &failure, "the database cannot be opened", error));
    ASIF_TRY(check(s, d->connection_new(&s->connection, &failure), &failure,
                   "the database cannot be connected to", error));
    return check(s, d->connection_init(&s->connection, &s->database, &failure), &failure,
                 "the database cannot be connected to", error);
}

static asif_status execute(session *s, const char *query, asif_error *error) {
    asif_adbc_error failure = {0};
    const asif_adbc_driver *d = &s->driver;
    ASIF_TRY(check(s, d->statement_new(&s->connection, &s->statement, &failure), &failure,
                   "the query cannot be prepared", error));
    ASIF_TRY(check(s, d->statement_set_sql_query(&s->statement, query, &failure), &failure,
                   "the query cannot be prepared", error));
    long_call call = {.session = s, .query = query};
    asif_os_while(carry_out, watch, &call);
    return check(s, (asif_adbc_status)call.status, &call.failure, "the query failed", error);
}

/* ---- the stream ---- */

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    session *s = stream->private_data;
    return s->result.get_schema(&s->result, out);
}

/* What the stream says: that the user wanted no more, or else that it failed, if somebody else cancelled. */
static int code_of(const session *s, int status) {
    int failed = status == asif_os_cancelled() ? -1 : status;
    return status && s->stopped ? asif_os_cancelled() : failed;
}

static int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    session *s = stream->private_data;
    if (s->begun)
        return code_of(s, s->result.get_next(&s->result, out));
    /* Rows are put in order before the first one comes. */
    long_call call = {.session = s, .piece = out};
    asif_os_while(carry_out, watch, &call);
    s->begun = call.status == 0;
    return code_of(s, call.status);
}

static const char *give_error(struct ArrowArrayStream *stream) {
    session *s = stream->private_data;
    note(s, s->result.get_last_error(&s->result));
    return s->failure[0] ? s->failure : NULL;
}

static void end_stream(struct ArrowArrayStream *stream) {
    close_session(stream->private_data);
    stream->release = NULL;
}

static asif_database_request get_request(const asif_database_request *request) {
    asif_database_request given = ASIF_DATABASE_REQUEST_INIT;
    if (request)
        memcpy(&given, request, request->struct_size < sizeof given ? request->struct_size : sizeof given);
    given.struct_size = sizeof given;
    return given;
}

asif_status asif_database_query(struct ArrowArrayStream *out, const asif_context *context,
                                const asif_database_request *request, asif_error *error) {
    asif_database_request given = get_request(request);
    *out = (struct ArrowArrayStream){0};
    if (!given.driver || !given.query)
        return asif_fail_null(error, given.driver ? "query" : "driver");
    session *s = ASIF_NEW(context, session);
    if (!s)
        return asif_fail_memory(error);
    s->context = context;
    const known_driver *known = find_driver(given.driver);
    asif_status status = keep_secret(s, given.uri, error);
    if (status == ASIF_OK)
        status = open_driver(s, &given, known, error);
    if (status == ASIF_OK)
        status = connect(s, &given, known, error);
    if (status == ASIF_OK)
        status = execute(s, given.query, error);
    if (status == ASIF_OK &&
        !(s->result.release && s->result.get_schema && s->result.get_next && s->result.get_last_error))
        status = asif_fail(error, ASIF_EIO, "the query gave no table");
    if (status != ASIF_OK) {
        close_session(s);
        return status;
    }
    *out = (struct ArrowArrayStream){give_schema, give_next, give_error, end_stream, s};
    return ASIF_OK;
}

/* ---- logs ---- */

/* The tree gets this part of the memory, which it may exceed where few histories are alike. */
#define OF_TREE 4

typedef struct {
    const asif_context *context;
    asif_database_request request;
    const asif_dialect *dialect;
    int length; /* of the query, without what ends it */
} question;

/* The code of the text of a column. DuckDB looks up a text that occurs often only once; with IN, it would
 * look up that of every row. */
static void add_code(asif_text *sql, const question *q, const char *column, const asif_names *expected) {
    asif_text name = {.context = q->context};
    asif_sql_name(&name, q->dialect, column);
    const char *text = name.failed ? "" : name.data;
    asif_text_add(sql, "coalesce(list_position([");
    for (uint32_t i = 0; i < expected->count; i++) {
        asif_sql_text(sql, q->dialect, asif_names_get(expected, i));
        asif_text_add_n(sql, ",", 1);
    }
    asif_text_addf(sql, ASIF_SQL_MISSING_WORDS "],%s),CASE WHEN %s IS NULL THEN %d ELSE %d END)", text, text,
                   ASIF_ARROW_MISSING, ASIF_ARROW_OTHER);
    sql->failed = sql->failed || name.failed;
    asif_text_free(&name);
}

/* The number of the row, and codes below that: one number is sorted faster than several. */
static void add_number(asif_text *sql, const question *q, const asif_row_source *rows) {
    uint64_t unit = 1;
    for (uint32_t i = 0; i < rows->cells; i++)
        if (rows->used[i] && rows->expected[i]) {
            asif_text_addf(sql, "%llu*", (unsigned long long)unit);
            add_code(sql, q, rows->cell[i].text, rows->expected[i]);
            asif_text_add_n(sql, "+", 1);
            unit *= ASIF_ARROW_CODES;
        }
    asif_text_addf(sql, "%llu*asif_row", (unsigned long long)unit);
}

/* All rows with their numbers. DuckDB finds those of a file faster than those of a query. */
static void add_numbered(asif_text *sql, const question *q, const asif_row_source *rows) {
    bool file = q->request.file != NULL;
    for (uint32_t i = 0; file && i < rows->cells; i++)
        file = strcmp(rows->cell[i].text, "file_row_number") != 0;
    if (file) {
        asif_text_add(sql, "(SELECT *,file_row_number+1 AS asif_row FROM read_parquet(");
        asif_sql_text(sql, q->dialect, q->request.file);
        asif_text_add(sql, ",file_row_number=true))");
    } else
        asif_text_addf(sql, "(SELECT *,row_number() OVER () AS asif_row FROM (%.*s) AS asif_table)",
                       q->length, q->request.query);
}

/* The engine sorts, because it can do so on disk. Rows are numbered as the query gives them. The number is
 * the last key: rows whose other keys are equal stay in order, and DuckDB, which keeps keys apart from other
 * columns, needs less memory where there are no others. */
static void add_rows(asif_text *sql, const question *q, const asif_row_source *rows) {
    uint32_t place = 1;
    asif_text_add(sql, "SELECT ");
    for (uint32_t i = 0; i < rows->cells; i++)
        if (rows->used[i] && !rows->expected[i]) {
            asif_sql_name(sql, q->dialect, rows->cell[i].text);
            asif_text_add_n(sql, ",", 1);
            place++;
        }
    add_number(sql, q, rows);
    asif_text_add(sql, " FROM ");
    add_numbered(sql, q, rows);
    asif_text_add(sql, " AS asif_rows ORDER BY ");
    for (uint32_t i = 0; i < rows->keys; i++) {
        asif_sql_name(sql, q->dialect, rows->cell[rows->key[i]].text);
        asif_text_add_n(sql, ",", 1);
    }
    asif_text_addf(sql, "%u", place);
}

static asif_status open_table(void *user, const asif_row_source *rows, struct ArrowArrayStream *out,
                              asif_error *error) {
    const question *q = user;
    asif_text sql = {.context = q->context};
    if (rows)
        add_rows(&sql, q, rows);
    else
        asif_text_addf(&sql, "SELECT * FROM (%.*s) AS asif_table WHERE 1 = 0", q->length, q->request.query);
    asif_database_request request = q->request;
    request.query = sql.data;
    request.memory -= request.memory / OF_TREE;
    asif_status status =
        sql.failed ? asif_fail_memory(error) : asif_database_query(out, q->context, &request, error);
    asif_text_free(&sql);
    return status;
}

asif_status asif_logs_read_database(asif_tree **out, const asif_context *context,
                                    const asif_database_request *request, const char *name,
                                    const asif_logs_options *options, asif_logs_info *info,
                                    asif_problems *problems, asif_error *error) {
    question q = {
        .context = context, .request = get_request(request), .dialect = asif_dialect_find("duckdb")};
    const known_driver *known = q.request.driver ? find_driver(q.request.driver) : NULL;
    const asif_arrow_source source = {open_table, &q, known == drivers};
    struct ArrowArrayStream stream = {0};
    *out = NULL;
    if (!q.request.driver || !q.request.query || !known) {
        /* We do not know the SQL of this database, or there is none. */
        ASIF_TRY(asif_database_query(&stream, context, &q.request, error));
        return asif_arrow_read(out, context, &stream, NULL, name, options, info, problems, error);
    }
    size_t length = strlen(q.request.query);
    while (length && strchr("; \t\n", q.request.query[length - 1]))
        length--;
    if (length > INT_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "the query is too long");
    q.length = (int)length;
    return asif_arrow_read(out, context, &stream, &source, name, options, info, problems, error);
}
