/* Any bytes as an Arrow stream: types, values and lies about them. Buffers are as long as a stream that does
 * not lie about its lengths has them, and offsets of texts stay within their bytes, since nobody can check
 * these. */
#include "asif.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const formats[] = {"u", "U",   "vu",  "b",    "c",       "S", "i",  "L", "e", "f",
                                      "g", "tdD", "tdm", "tss:", "tsn:UTC", "n", "+l", "z", "u", "d"};
static const char *const names[] = {"action", "observation", "episode", "t", "subject", ""};
enum { FORMATS = sizeof formats / sizeof *formats, NAMES = sizeof names / sizeof *names, BYTES = 64 };

typedef struct {
    const uint8_t *at, *end;
    uint32_t columns, pieces;
    const char *format[8];
    bool dictionary[8];
    int alive;
} bytes;

static uint32_t take(bytes *b, uint32_t limit) {
    return b->at < b->end && limit ? *b->at++ % limit : 0;
}

static void fill(bytes *b, void *to, size_t size) {
    size_t left = (size_t)(b->end - b->at), n = left < size ? left : size;
    memset(to, 0, size);
    memcpy(to, b->at, n);
    b->at += n;
}

/* ---- arrays ---- */

/* What was allocated, whatever is told. */
typedef struct {
    bytes *of;
    void *kept[8];
} made_array;

static void release_array(struct ArrowArray *array) {
    made_array *made = array->private_data;
    for (int i = 0; i < 8; i++)
        free(made->kept[i]);
    free(array->buffers);
    for (int64_t i = 0; array->children && array->children[i]; i++) {
        array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    if (array->dictionary) {
        array->dictionary->release(array->dictionary);
        free(array->dictionary);
    }
    array->release = NULL;
    made->of->alive--;
    free(made);
}

static void *add_buffer(struct ArrowArray *array, int i, size_t size) {
    made_array *made = array->private_data;
    array->buffers[i] = made->kept[i] = calloc(size ? size : 1, 1);
    return made->kept[i];
}

static struct ArrowArray *begin_array(bytes *b, struct ArrowArray *array) {
    made_array *made = calloc(1, sizeof *made);
    made->of = b;
    *array = (struct ArrowArray){.release = release_array, .private_data = made};
    array->buffers = calloc(8, sizeof *array->buffers);
    b->alive++;
    return array;
}

static void make_array(bytes *b, struct ArrowArray *array, const char *format, uint32_t rows) {
    uint32_t before = take(b, 4), all = before + rows;
    begin_array(b, array);
    array->length = rows;
    array->offset = before;
    array->null_count = (int64_t)take(b, 3) - 1;
    if (*format == 'n' || *format == '+')
        return;
    fill(b, add_buffer(array, 0, all / 8 + 1), all / 8 + 1);
    size_t width = *format == 'v' ? 16 : 8;
    unsigned char *values = add_buffer(array, 1, (all + 1) * width);
    array->n_buffers = 2;
    if (*format != 'u' && *format != 'U')
        fill(b, values, (all + 1) * width);
    if (*format == 'u' || *format == 'U') {
        fill(b, add_buffer(array, 2, BYTES), BYTES);
        array->n_buffers = 3;
        int64_t end = 0;
        for (uint32_t i = 0; i <= all; i++) {
            uint8_t step = take(b, 256) & 255;
            end = step == 255 ? -1 : (end + step % 16) % BYTES;
            if (*format == 'u')
                ((int32_t *)(void *)values)[i] = (int32_t)end;
            else
                ((int64_t *)(void *)values)[i] = end;
        }
    } else if (*format == 'v') {
        fill(b, add_buffer(array, 2, BYTES), BYTES);
        *(int64_t *)add_buffer(array, 3, 8) = BYTES;
        array->n_buffers = 4;
    }
}

/* Say something that is not so. Nobody can find out that an array is shorter than it says, so none is. */
static void lie(bytes *b, struct ArrowArray *array) {
    switch (take(b, 16)) {
    case 1:
        array->length -= (int64_t)take(b, 20);
        break;
    case 2:
        array->offset = INT64_MAX - (int64_t)take(b, 3);
        break;
    case 3:
        array->n_buffers = (int64_t)take(b, 6) - 1;
        break;
    case 4:
        array->buffers[take(b, 4)] = NULL;
        break;
    case 5:
        array->n_children = (int64_t)take(b, 10) - 1;
        break;
    default:
        break;
    }
}

static int next_piece(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    bytes *b = stream->private_data;
    out->release = NULL;
    if (b->pieces == 0)
        return take(b, 16) == 7 ? 5 : 0;
    b->pieces--;
    uint32_t rows = take(b, 12);
    begin_array(b, out);
    out->length = rows;
    out->n_buffers = 1;
    out->n_children = b->columns;
    out->children = calloc(b->columns + 1, sizeof *out->children);
    for (uint32_t i = 0; i < b->columns; i++) {
        struct ArrowArray *column = out->children[i] = malloc(sizeof *column);
        make_array(b, column, b->dictionary[i] ? "c" : b->format[i], rows);
        if (b->dictionary[i]) {
            column->dictionary = malloc(sizeof *column);
            make_array(b, column->dictionary, b->format[i], take(b, 12));
            lie(b, column->dictionary);
        }
        lie(b, column);
    }
    lie(b, out);
    return 0;
}

/* ---- types ---- */

static void release_schema(struct ArrowSchema *schema) {
    bytes *b = schema->private_data;
    for (int64_t i = 0; schema->children && schema->children[i]; i++) {
        schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary) {
        schema->dictionary->release(schema->dictionary);
        free(schema->dictionary);
    }
    schema->release = NULL;
    b->alive--;
}

static struct ArrowSchema *begin_schema(bytes *b, struct ArrowSchema *schema, const char *format,
                                        const char *name) {
    *schema =
        (struct ArrowSchema){.format = format, .name = name, .release = release_schema, .private_data = b};
    b->alive++;
    return schema;
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    bytes *b = stream->private_data;
    begin_schema(b, out, "+s", NULL);
    out->n_children = b->columns;
    out->children = calloc(b->columns + 1, sizeof *out->children);
    for (uint32_t i = 0; i < b->columns; i++) {
        struct ArrowSchema *column = malloc(sizeof *column);
        out->children[i] = begin_schema(b, column, b->dictionary[i] ? "c" : b->format[i], names[i % NAMES]);
        if (b->dictionary[i])
            column->dictionary = begin_schema(b, malloc(sizeof *column), b->format[i], NULL);
    }
    return 0;
}

static const char *say_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    if (!context)
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    bytes b = {.at = data, .end = data + size};
    b.columns = 2 + take(&b, 5);
    b.pieces = take(&b, 4);
    for (uint32_t i = 0; i < b.columns; i++) {
        b.format[i] = formats[take(&b, FORMATS)];
        b.dictionary[i] = take(&b, 3) == 1;
    }
    struct ArrowArrayStream stream = {give_schema, next_piece, say_error, release_stream, &b};
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.units = ASIF_UNITS_SUBJECTS;
    asif_status status = asif_logs_read_arrow(&tree, context, &stream, "fuzz", &options, NULL, NULL, &error);
    must((status == ASIF_OK) == (tree != NULL) && error.status == status);
    must(status == ASIF_OK || error.message[0]);
    must(!stream.release && b.alive == 0);
    asif_tree_free(tree);
    return 0;
}
