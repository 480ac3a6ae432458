/* A driver for ADBC that does what the first word of the connection string says: `good`, or fail at a step,
 * or lie about what it gives, or wait until the query is cancelled. Its words contain the whole connection
 * string, as those of careless drivers do. */
#include "../logs/arrow_table.h"
#include "logs/database/adbc.h"

#include <stdatomic.h>
#include <time.h>

#define STATUS_FAILED 9

static told_table table;
static char uri[128], words[256];
static int open_handles;
static atomic_bool cancelled;

asif_adbc_status AdbcDriverInit(int version, void *raw, asif_adbc_error *error);
int handles_open(void);

/* What is still open or not released. */
int handles_open(void) {
    return open_handles + table.alive;
}

static bool is(const char *word) {
    size_t length = strlen(word);
    return strncmp(uri, word, length) == 0 && uri[length] == ':';
}

static void release_error(asif_adbc_error *error) {
    open_handles--;
    error->release = NULL;
}

/* Fail if the connection string says so. */
static asif_adbc_status step(const char *word, asif_adbc_error *error) {
    if (!is(word))
        return 0;
    (void)snprintf(words, sizeof words, "cannot\n\tdo   this with %s\n", uri);
    error->message = words;
    error->release = release_error;
    open_handles++;
    return STATUS_FAILED;
}

static asif_adbc_status begin(asif_adbc_handle *handle, asif_adbc_error *error) {
    (void)error;
    handle->private_data = &table;
    open_handles++;
    return 0;
}

static asif_adbc_status end(asif_adbc_handle *handle, asif_adbc_error *error) {
    (void)error;
    handle->private_data = NULL;
    open_handles--;
    return 0;
}

static asif_adbc_status set(asif_adbc_handle *handle, const char *key, const char *value,
                            asif_adbc_error *error) {
    (void)handle;
    if (strcmp(key, "uri") == 0 && !(is("execute") && strcmp(value, "again:") == 0))
        (void)snprintf(uri, sizeof uri, "%s", value);
    return step("option", error);
}

static asif_adbc_status open_database(asif_adbc_handle *handle, asif_adbc_error *error) {
    (void)handle;
    return step("database", error);
}

static asif_adbc_status open_connection(asif_adbc_handle *connection, asif_adbc_handle *database,
                                        asif_adbc_error *error) {
    (void)connection, (void)database;
    return step("connection", error);
}

static asif_adbc_status new_statement(asif_adbc_handle *connection, asif_adbc_handle *statement,
                                      asif_adbc_error *error) {
    (void)connection;
    asif_adbc_status status = step("statement", error);
    return status ? status : begin(statement, error);
}

static asif_adbc_status set_query(asif_adbc_handle *statement, const char *query, asif_adbc_error *error) {
    (void)statement, (void)query;
    return step("query", error);
}

/* Do nothing until the query is cancelled, or for too long. */
static void wait_for_cancel(void) {
    struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 20000 && !cancelled; i++)
        (void)nanosleep(&moment, NULL);
}

static int next_too_late(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    (void)stream;
    wait_for_cancel();
    out->release = NULL;
    return 5;
}

static asif_adbc_status cancel(asif_adbc_handle *statement, asif_adbc_error *error) {
    (void)statement, (void)error;
    cancelled = true;
    return 0;
}

/* ---- lies ---- */

static void drop_column(struct ArrowArray *batch) {
    struct ArrowArray *last = batch->children[--batch->n_children];
    last->release(last);
    free(last);
}
static void shorten_column(struct ArrowArray *batch) {
    batch->children[0]->length--;
}
static void lengthen_batch(struct ArrowArray *batch) {
    batch->length += 1000;
}
static void drop_values(struct ArrowArray *batch) {
    drop_buffer(batch->children[0], 1);
}
static void call_text_number(struct ArrowSchema *types) {
    types->children[0]->format = "g";
}
static void call_number_text(struct ArrowSchema *types) {
    types->children[2]->format = "u";
}
static void deny_nulls(struct ArrowSchema *types) {
    for (int64_t i = 0; i < types->n_children; i++)
        types->children[i]->flags = 0;
}

/* Make the table as the connection string says. */
static void spoil(void) {
    static const struct {
        const char *word;
        void (*batch)(struct ArrowArray *batch);
        void (*types)(struct ArrowSchema *types);
    } lie[] = {
        {"fewer columns", drop_column, NULL},         {"short batch", shorten_column, NULL},
        {"long batch", lengthen_batch, NULL},         {"no values", drop_values, NULL},
        {"texts as numbers", NULL, call_text_number}, {"numbers as texts", NULL, call_number_text},
        {"sudden nulls", NULL, deny_nulls},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++)
        if (is(lie[i].word)) {
            table.spoil = lie[i].batch;
            table.spoil_types = lie[i].types;
        }
    if (is("sudden nulls"))
        table.column[0].cell[1] = NULL;
}

static asif_adbc_status execute(asif_adbc_handle *statement, struct ArrowArrayStream *out, int64_t *rows,
                                asif_adbc_error *error) {
    (void)statement, (void)rows;
    if (is("slow"))
        wait_for_cancel();
    asif_adbc_status status = is("slow") ? STATUS_FAILED : step("execute", error);
    if (status || is("nothing"))
        return status;
    table = (told_table){.rows = 3, .columns = 2, .piece = 1, .fails_at = is("stream") ? 2 : 0};
    table.column[0] = (told_column){"action", "u", {"a", "b", "a"}};
    table.column[1] = (told_column){"observation", "u", {"x", "y", "y"}};
    if (is("apart") || is("again") || is("numbers as texts")) {
        table.columns = 3;
        table.column[2] = (told_column){"episode", "l", {"1", "2", "1"}};
    }
    spoil();
    *out = stream_of(&table);
    if (is("late"))
        out->get_next = next_too_late;
    if (is("again")) /* but not a second time */
        memcpy(uri, "execute:", sizeof "execute:");
    return 0;
}

static asif_adbc_status release_driver(struct asif_adbc_driver *driver, asif_adbc_error *error) {
    (void)error;
    driver->release = NULL;
    open_handles--;
    return 0;
}

asif_adbc_status AdbcDriverInit(int version, void *raw, asif_adbc_error *error) {
    asif_adbc_driver *driver = raw;
    (void)error;
    if (version != ASIF_ADBC_VERSION)
        return STATUS_FAILED;
    open_handles++;
    cancelled = false;
    *driver = (asif_adbc_driver){.release = release_driver,
                                 .database_new = begin,
                                 .database_init = open_database,
                                 .database_set_option = set,
                                 .database_release = end,
                                 .connection_new = begin,
                                 .connection_init = open_connection,
                                 .connection_release = end,
                                 .statement_new = new_statement,
                                 .statement_set_sql_query = set_query,
                                 .statement_execute_query = execute,
                                 .statement_release = end,
                                 .statement_cancel = cancel};
    return 0;
}
