#include "asif/database.h"

#include "base/error.h"
#include "base/text.h"
#include "logs/arrow/arrow_value.h"

#include <string.h>

static const struct {
    const char *driver, *query;
} versions[] = {
    {"duckdb", "SELECT version()"},
    {"postgresql", "SELECT version()"},
    {"sqlite", "SELECT sqlite_version()"},
};

/* Add the only value of a table of one row and one column. */
static void add_value(asif_text *text, const struct ArrowSchema *schema, const struct ArrowArray *rows) {
    const bool one = schema->n_children == 1 && rows->n_children == 1 && rows->length == 1;
    const asif_arrow_type *type = one ? asif_arrow_type_of(schema->children[0]->format) : NULL;
    if (type && rows->offset == 0 && asif_arrow_good(type, rows->children[0], 1))
        (void)asif_arrow_value(type, schema->children[0]->format, rows->children[0], 0, text);
}

asif_status asif_database_version(char *out, size_t size, const asif_context *context,
                                  const asif_database_request *request, asif_error *error) {
    asif_database_request ask = ASIF_DATABASE_REQUEST_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray rows = {0};
    asif_text text = {.context = context};
    if (!out || size == 0 || !request || !request->driver)
        return asif_fail_null(error, !out || size == 0 ? "out" : request ? "driver" : "request");
    out[0] = 0;
    ask.driver = request->driver;
    ask.folders = request->folders;
    ask.uri = request->uri;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strcmp(versions[i].driver, ask.driver) == 0)
            ask.query = versions[i].query;
    if (!ask.query)
        return ASIF_OK;
    ASIF_TRY(asif_database_query(&stream, context, &ask, error));
    if (stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &rows) == 0 && rows.release)
        add_value(&text, &schema, &rows);
    if (rows.release)
        rows.release(&rows);
    if (schema.release)
        schema.release(&schema);
    stream.release(&stream);
    bool failed = text.failed;
    if (!failed && text.data)
        asif_format(out, size, "%s", text.data);
    asif_text_free(&text);
    return failed ? asif_fail_memory(error) : ASIF_OK;
}
