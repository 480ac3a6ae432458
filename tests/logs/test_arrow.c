/* Arrow streams: the same trees as from files of text, every type, and streams that fail or lie. */
#include "arrow_table.h"
#include "logs/arrow/arrow_rows.h"

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

typedef struct {
    char *bytes;
    uint64_t length;
} bytes;

static bytes bytes_of(asif_tree *tree) {
    bytes b = {0};
    assert_int_equal(asif_tree_bytes(&b.bytes, &b.length, tree, NULL), ASIF_OK);
    asif_tree_free(tree);
    return b;
}

static bytes from_arrow(told_table *table, const asif_logs_options *options) {
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    struct ArrowArrayStream stream = stream_of(table);
    asif_status status = asif_logs_read_arrow(&tree, context, &stream, "frame", options, NULL, NULL, &error);
    CHECK(status == ASIF_OK, "row %d, column %u: %s", (int)error.row, error.column, error.message);
    assert_null(stream.release);
    assert_int_equal(table->alive, 0);
    return bytes_of(tree);
}

static bytes from_text(const char *text, const asif_logs_options *options) {
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_logs_read_text(&tree, context, text, strlen(text), "text", options, NULL, NULL, &error) ==
              ASIF_OK,
          "row %d: %s", (int)error.row, error.message);
    return bytes_of(tree);
}

static void check_same(bytes a, bytes b, const char *what) {
    CHECK(a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0, "%s: other bytes", what);
    asif_memory_free(context, a.bytes);
    asif_memory_free(context, b.bytes);
}

/* ---- types ---- */

/* Values of a type, as integers where Arrow keeps integers, and what a file of text would have. */
typedef struct {
    const char *format;
    const char *value[6], *text[6];
} typed;

static const typed types[] = {
    {"c", {"-128", "0", "127"}, {"-128", "0", "127"}},
    {"C", {"0", "255"}, {"0", "255"}},
    {"s", {"-32768", "32767"}, {"-32768", "32767"}},
    {"S", {"0", "65535"}, {"0", "65535"}},
    {"i", {"-2147483648", "2147483647"}, {"-2147483648", "2147483647"}},
    {"I", {"0", "4294967295"}, {"0", "4294967295"}},
    {"l", {"-9223372036854775808", "9223372036854775807"}, {"-9223372036854775808", "9223372036854775807"}},
    {"L", {"0", "18446744073709551615"}, {"0", "18446744073709551615"}},
    {"b", {"true", "false"}, {"true", "false"}},
    /* halves by their bits, and with the digits that NumPy has for them in single precision */
    {"e",
     {"0x3c00", "0xc000", "0x2e66", "0x0001", "0x7c00"},
     {"1", "-2", "0.099975586", "5.9604645e-08", "inf"}},
    {"f", {"1", "-7", "0.1", "16777216", "3.4028235e38"}, {"1", "-7", "0.1", "16777216", "3.4028235e+38"}},
    {"g",
     {"1", "-7.0", "0.1", "1e300", "9007199254740993", "-inf"},
     {"1", "-7", "0.1", "1e+300", "9007199254740992", "-inf"}},
    {"u", {"a", " blank\t", "a, \"b\"", "ä"}, {"a", "blank", "\"a, \"\"b\"\"\"", "ä"}},
    {"U", {"a", "longer than twelve bytes"}, {"a", "longer than twelve bytes"}},
    {"vu",
     {"a", "twelve bytes", "thirteen byte", "longer than twelve bytes"},
     {"a", "twelve bytes", "thirteen byte", "longer than twelve bytes"}},
    {"tdD",
     {"0", "-1", "19723", "11016", "-719528", "2932896"},
     {"1970-01-01", "1969-12-31", "2024-01-01", "2000-02-29", "0000-01-01", "9999-12-31"}},
    {"tdD", {"-719529", "-1000000"}, {"-0001-12-31", "-0768-02-04"}},
    {"tdm", {"0", "-1", "951782400000"}, {"1970-01-01", "1969-12-31", "2000-02-29"}},
    {"tss:", {"0", "-1", "951868799"}, {"1970-01-01 00:00:00", "1969-12-31 23:59:59", "2000-02-29 23:59:59"}},
    {"tsm:UTC", {"1500", "-1"}, {"1970-01-01 00:00:01.5Z", "1969-12-31 23:59:59.999Z"}},
    {"tsu:", {"1", "1000000"}, {"1970-01-01 00:00:00.000001", "1970-01-01 00:00:01"}},
    {"tsn:Europe/Zurich",
     {"1", "-9223372036854775808"},
     {"1970-01-01 00:00:00.000000001Z", "1677-09-21 00:12:43.145224192Z"}},
};

static void every_type(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int dictionary = 0; dictionary < 2; dictionary++)
            for (int before = 0; before < 12; before += 11) {
                const typed *t = &types[k];
                char format[64], text[1024] = "action,observation\n";
                told_table table = {.columns = 2, .before = before};
                (void)snprintf(format, sizeof format, "%s%s", dictionary ? "dictionary:" : "", t->format);
                table.column[0] = (told_column){"action", format, {0}};
                table.column[1] = (told_column){"observation", "u", {0}};
                for (int i = 0; i < 6 && t->value[i]; i++, table.rows++) {
                    table.column[0].cell[i] = t->value[i];
                    table.column[1].cell[i] = "x";
                    strcat(strcat(text, t->text[i]), ",x\n");
                }
                check_same(from_arrow(&table, NULL), from_text(text, NULL), format);
            }
}

/* Columns that are not used are not looked at. */
static void other_types(void **state) {
    (void)state;
    told_table table = {.rows = 2, .columns = 3};
    table.column[0] = (told_column){"note", "n", {0}};
    table.column[1] = (told_column){"action", "u", {"a", "b"}};
    table.column[2] = (told_column){"observation", "i", {"1", "2"}};
    check_same(from_arrow(&table, NULL), from_text("action,observation\na,1\nb,2\n", NULL), "a note");
    /* a list is no cell */
    asif_log_map *map = NULL;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree;
    assert_int_equal(asif_log_map_create(&map, context, NULL), ASIF_OK);
    assert_int_equal(asif_log_map_set(map, "episode", "note", NULL), ASIF_OK);
    options.map = map;
    table.column[0].format = "+l";
    table.column[0].cell[0] = table.column[0].cell[1] = "";
    struct ArrowArrayStream stream = stream_of(&table);
    assert_int_equal(asif_logs_read_arrow(&tree, context, &stream, "frame", &options, NULL, NULL, &error),
                     ASIF_EUNSUPPORTED);
    assert_string_equal(error.message, "the column `note` has values of the Arrow type `+l`");
    assert_int_equal(error.column, 1);
    assert_int_equal(table.alive, 0);
    asif_log_map_free(map);
}

/* ---- whole tables ---- */

static uint32_t below(uint32_t limit, uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

/* Random logs, shuffled or in order, with nulls, in pieces: the bytes of the same table as a text. */
static void same_bytes(void **state) {
    (void)state;
    static const char *const words[] = {"no", "maybe", "yes, surely"}, *const sites[] = {"north", "south"};
    static const char *const formats[][3] = {
        {"u", "l", "u"}, {"vu", "g", "dictionary:u"}, {"dictionary:U", "C", "vu"}, {"U", "f", "U"}};
    uint64_t seed = 1;
    for (int round = 0; round < 80; round++) {
        static char cell[MOST_ROWS][2][16];
        static char text[MOST_ROWS * 64];
        const char *const *format = formats[round % 4];
        told_table table = {.columns = 6, .piece = round % 7 * 5, .before = round % 3};
        const char *names[] = {"subject", "t", "action", "observation", "site", "w"};
        const char *kinds[] = {format[0], format[1], format[2], format[0], "dictionary:u", "g"};
        for (int c = 0; c < 6; c++)
            table.column[c] = (told_column){names[c], kinds[c], {0}};
        size_t used = (size_t)snprintf(text, sizeof text, "subject,t,action,observation,site,w\n");
        for (int subject = 0; subject < 20; subject++)
            for (int t = 0, n = 1 + (int)below(8, &seed); t < n; t++) {
                int row = table.rows++;
                int who = round % 2 ? subject : (int)below(20, &seed);
                const char *action = words[below(3, &seed)], *seen = words[below(2, &seed)];
                const char *site = below(4, &seed) ? sites[who % 2] : NULL;
                (void)snprintf(cell[row][0], sizeof cell[row][0], "p%d", who);
                (void)snprintf(cell[row][1], sizeof cell[row][1], "%d", round % 2 ? t : (row * 37) % 251);
                const char *cells[] = {cell[row][0], cell[row][1], action,
                                       seen,         site,         below(2, &seed) ? "1" : "0.5"};
                for (int c = 0; c < 6; c++) {
                    table.column[c].cell[row] = cells[c];
                    used +=
                        (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", c == 2 ? "\"" : "",
                                         cells[c] ? cells[c] : "", c == 2 ? "\"" : "", c < 5 ? "," : "\n");
                }
            }
        const char *covariates[] = {"site", NULL};
        asif_log_map *map = NULL;
        asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
        assert_int_equal(asif_log_map_create(&map, context, NULL), ASIF_OK);
        assert_int_equal(asif_log_map_set(map, "weight", "w", NULL), ASIF_OK);
        options.map = map;
        options.units = ASIF_UNITS_SUBJECTS;
        options.covariates = covariates;
        options.order = true;
        check_same(from_arrow(&table, &options), from_text(text, &options), "random logs");
        asif_log_map_free(map);
    }
}

/* ---- streams that fail or lie ---- */

static struct ArrowArray *actions(struct ArrowArray *batch) {
    return batch->children[0];
}
static void lacks_a_column(struct ArrowArray *batch) {
    struct ArrowArray *last = batch->children[--batch->n_children];
    last->release(last);
    free(last);
}
static void too_short(struct ArrowArray *batch) {
    actions(batch)->length--;
}
static void negative_length(struct ArrowArray *batch) {
    actions(batch)->length = -1;
}
static void negative_offset(struct ArrowArray *batch) {
    batch->offset = -1;
}
static void far_offset(struct ArrowArray *batch) {
    actions(batch)->offset = INT64_MAX;
}
static void no_values(struct ArrowArray *batch) {
    drop_buffer(actions(batch), 1);
}
static void no_bytes(struct ArrowArray *batch) {
    drop_buffer(actions(batch), 2);
}
static void no_bitmap(struct ArrowArray *batch) {
    drop_buffer(actions(batch), 0);
    actions(batch)->null_count = 1;
}
static void fewer_buffers(struct ArrowArray *batch) {
    drop_buffer(actions(batch), --actions(batch)->n_buffers);
}
static void backwards(struct ArrowArray *batch) {
    *((int32_t *)buffer_of(actions(batch), 1) + 1) = 1000;
}
static void before_0(struct ArrowArray *batch) {
    *((int32_t *)buffer_of(actions(batch), 1) + 0) = -5;
}
static void released(struct ArrowArray *batch) {
    actions(batch)->release(actions(batch));
    actions(batch)->n_buffers = 3;
    actions(batch)->n_children = 0;
}
static void index_beyond(struct ArrowArray *batch) {
    *((int16_t *)buffer_of(actions(batch), 1) + 0) = 2;
}
static void index_below(struct ArrowArray *batch) {
    *((int16_t *)buffer_of(actions(batch), 1) + 0) = -1;
}
static void no_dictionary(struct ArrowArray *batch) {
    struct ArrowArray *dictionary = actions(batch)->dictionary;
    dictionary->release(dictionary);
    free(dictionary);
    actions(batch)->dictionary = NULL;
}
static void view_beyond(struct ArrowArray *batch) {
    *((int32_t *)buffer_of(actions(batch), 1) + 3) = 1000;
}
static void view_elsewhere(struct ArrowArray *batch) {
    *((int32_t *)buffer_of(actions(batch), 1) + 2) = 1;
}
static void view_negative(struct ArrowArray *batch) {
    *((int32_t *)buffer_of(actions(batch), 1) + 0) = -1;
}

static void lies(void **state) {
    (void)state;
    static const struct {
        const char *name, *format;
        void (*spoil)(struct ArrowArray *batch);
    } lie[] = {
        {"lacks a column", "u", lacks_a_column},
        {"too short", "u", too_short},
        {"negative length", "u", negative_length},
        {"negative offset", "u", negative_offset},
        {"far offset", "u", far_offset},
        {"no values", "u", no_values},
        {"no bytes", "u", no_bytes},
        {"no bitmap", "u", no_bitmap},
        {"fewer buffers", "u", fewer_buffers},
        {"texts that end before they begin", "u", backwards},
        {"texts that begin before the first", "u", before_0},
        {"released", "u", released},
        {"index beyond the dictionary", "dictionary:u", index_beyond},
        {"index below 0", "dictionary:u", index_below},
        {"no dictionary", "dictionary:u", no_dictionary},
        {"view beyond its buffer", "vu", view_beyond},
        {"view of no buffer", "vu", view_elsewhere},
        {"view of negative length", "vu", view_negative},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        told_table table = {.rows = 2, .columns = 2, .spoil = lie[i].spoil};
        table.column[0] = (told_column){"action", lie[i].format, {"a rather long text", "b"}};
        table.column[1] = (told_column){"observation", "u", {"x", "y"}};
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        struct ArrowArrayStream stream = stream_of(&table);
        asif_status status = asif_logs_read_arrow(&tree, context, &stream, "frame", NULL, NULL, NULL, &error);
        CHECK(status == ASIF_EPARSE && !tree && strstr(error.message, "Arrow"), "%s: %d, %s", lie[i].name,
              (int)status, error.message);
        CHECK(table.alive == 0, "%s: %d not released", lie[i].name, table.alive);
    }
}

/* ---- types that lie ---- */

static void not_a_table(struct ArrowSchema *table) {
    table->format = "+l";
}
static void no_format(struct ArrowSchema *table) {
    table->children[0]->format = NULL;
}
static void indexed_by_texts(struct ArrowSchema *table) {
    table->children[0]->format = "u";
}
static void indexed_by_lists(struct ArrowSchema *table) {
    table->children[0]->format = "+l";
}
static void no_columns(struct ArrowSchema *table) {
    for (; table->n_children > 0; table->n_children--) {
        struct ArrowSchema *last = table->children[table->n_children - 1];
        last->release(last);
        free(last);
    }
}
static void dictionary_of_lists(struct ArrowSchema *table) {
    table->children[0]->dictionary->format = "+l";
}

static void types_that_lie(void **state) {
    (void)state;
    static const struct {
        const char *format;
        void (*spoil)(struct ArrowSchema *types);
        asif_status status;
        const char *message;
    } lie[] = {
        {"u", not_a_table, ASIF_EPARSE, "the Arrow stream is not a table"},
        {"u", no_columns, ASIF_EPARSE, "the table has no columns"},
        {"u", no_format, ASIF_EPARSE, "a column of the Arrow stream has no type"},
        {"dictionary:u", indexed_by_texts, ASIF_EPARSE, "not indexed by integers"},
        {"dictionary:u", indexed_by_lists, ASIF_EPARSE, "not indexed by integers"},
        {"dictionary:u", dictionary_of_lists, ASIF_EUNSUPPORTED,
         "`action` has values of the Arrow type `+l`"},
        {"u", NULL, ASIF_EIO, "the table could not be read: the disk is gone"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        told_table table = {
            .rows = 2, .columns = 2, .spoil_types = lie[i].spoil, .no_types = lie[i].spoil == NULL};
        table.column[0] = (told_column){"action", lie[i].format, {"a", "b"}};
        table.column[1] = (told_column){"observation", "u", {"x", "y"}};
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        struct ArrowArrayStream stream = stream_of(&table);
        asif_status status = asif_logs_read_arrow(&tree, context, &stream, "frame", NULL, NULL, NULL, &error);
        CHECK(status == lie[i].status && !tree && strstr(error.message, lie[i].message), "%zu: %d, %s", i,
              (int)status, error.message);
        CHECK(table.alive == 0, "%zu: %d not released", i, table.alive);
    }
}

/* ---- cells without a value ---- */

/* A number that is none and a column of nothing are cells that are empty, as after a last decision. */
static void empty_cells(void **state) {
    (void)state;
    static const struct {
        const char *format, *one, *none;
    } number[] = {{"e", "0x3c00", "0x7e00"}, {"f", "1", "nan"}, {"g", "1", "nan"}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        told_table table = {.rows = 2, .columns = 2};
        table.column[0] = (told_column){"action", "u", {"a", "b"}};
        table.column[1] = (told_column){"observation", number[i].format, {number[i].one, number[i].none}};
        check_same(from_arrow(&table, NULL), from_text("action,observation\na,1\nb,\n", NULL),
                   number[i].format);
    }
    told_table table = {.rows = 1, .columns = 2};
    table.column[0] = (told_column){"action", "u", {"a"}};
    table.column[1] = (told_column){"observation", "n", {NULL}};
    check_same(from_arrow(&table, NULL), from_text("action,observation\na,\n", NULL), "nothing");
}

/* ---- sources that are asked twice ---- */

/* A database: its table, and what it answers when it is asked for the used columns in order. */
typedef struct {
    told_table table, answer;
    int asked;
} told_source;

static asif_status open_source(void *user, const asif_row_source *rows, struct ArrowArrayStream *out,
                               asif_error *error) {
    told_source *source = user;
    (void)error;
    source->asked += rows != NULL;
    *out = stream_of(rows ? &source->answer : &source->table);
    return ASIF_OK;
}

/* Rows 2, 3, 1 and 4 of a table with a note that nobody uses. */
static told_source make_source(void) {
    told_source s = {.table = {.columns = 5}, .answer = {.rows = 4, .columns = 5, .piece = 3}};
    static const char *const name[] = {"episode", "note", "t", "action", "observation"};
    for (int i = 0; i < 5; i++)
        s.table.column[i] = (told_column){name[i], i == 1 ? "+l" : "u", {0}};
    s.answer.column[0] = (told_column){"episode", "u", {"1", "1", "2", "2"}};
    s.answer.column[1] = (told_column){"t", "l", {"0", "1", "0", "1"}};
    s.answer.column[2] = (told_column){"action", "u", {"a", "b", "b", "a"}};
    s.answer.column[3] = (told_column){"observation", "dictionary:u", {"x", "y", "y", "x"}};
    s.answer.column[4] = (told_column){"row", "L", {"2", "3", "1", "4"}};
    return s;
}

static asif_status ask(told_source *told, asif_tree **tree, asif_error *error) {
    struct ArrowArrayStream stream = {0};
    const asif_arrow_source source = {open_source, told, false};
    return asif_arrow_read(tree, context, &stream, &source, "base", NULL, NULL, NULL, error);
}

static void asked_in_order(void **state) {
    (void)state;
    told_source told = make_source();
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(ask(&told, &tree, &error) == ASIF_OK, "%s", error.message);
    assert_int_equal(told.asked, 1);
    assert_int_equal(told.table.alive + told.answer.alive, 0);
    check_same(bytes_of(tree),
               from_text("episode,t,action,observation\n2,0,b,y\n1,0,a,x\n1,1,b,y\n2,1,a,x\n", NULL),
               "a base");
}

static void answer_lacks(told_source *told) {
    told->answer.columns = 4;
}
static void answer_lacks_two(told_source *told) {
    told->answer.columns = 3;
}
static void answer_has_lists(told_source *told) {
    told->answer.column[2].format = "+l";
}
static void numbered_by_texts(told_source *told) {
    told->answer.column[4].format = "u";
}
static void not_numbered(told_source *told) {
    told->answer.column[4] = (told_column){"row", "l", {"2", "-3", "1", "4"}};
}
static void answer_fails(told_source *told) {
    told->answer.fails_at = 2;
}
static void no_answer(told_source *told) {
    told->answer.no_types = true;
}

static void answers_that_lie(void **state) {
    (void)state;
    static const struct {
        void (*spoil)(told_source *told);
        asif_status status;
        const char *message;
    } lie[] = {
        {answer_lacks, ASIF_EPARSE, "the query has other columns than the table"},
        {answer_lacks_two, ASIF_EPARSE, "the query has other columns than the table"},
        {answer_has_lists, ASIF_EUNSUPPORTED, "the column `action` has values that are no cells"},
        {numbered_by_texts, ASIF_EPARSE, "the query does not number the rows"},
        {not_numbered, ASIF_EPARSE, "the query does not number the rows"},
        {answer_fails, ASIF_EIO, "the table could not be read: the disk is gone"},
        {no_answer, ASIF_EIO, "the table could not be read: the disk is gone"},
    };
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        told_source told = make_source();
        asif_tree *tree = NULL;
        asif_error error = ASIF_ERROR_INIT;
        lie[i].spoil(&told);
        asif_status status = ask(&told, &tree, &error);
        CHECK(status == lie[i].status && !tree && strstr(error.message, lie[i].message), "%zu: %d, %s", i,
              (int)status, error.message);
        assert_int_equal(told.table.alive + told.answer.alive, 0);
    }
}

/* ---- streams that fail ---- */

static bool stop_at_once(void *user, const char *what, double done) {
    (void)user, (void)what, (void)done;
    return true;
}

static void cancelled(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *hurried = NULL;
    asif_tree *tree;
    told_table table = {.rows = 1, .columns = 2};
    table.column[0] = (told_column){"action", "u", {"a"}};
    table.column[1] = (told_column){"observation", "u", {"x"}};
    options.progress = stop_at_once;
    assert_int_equal(asif_context_create(&hurried, &options, NULL), ASIF_OK);
    struct ArrowArrayStream stream = stream_of(&table);
    assert_int_equal(asif_logs_read_arrow(&tree, hurried, &stream, "frame", NULL, NULL, NULL, NULL),
                     ASIF_ECANCELLED);
    assert_null(tree);
    assert_int_equal(table.alive, 0);
    asif_context_free(hurried);
}

static void failing_streams(void **state) {
    (void)state;
    for (int at = 1; at <= 3; at++) {
        told_table table = {.rows = 3, .columns = 2, .piece = 1, .fails_at = at};
        table.column[0] = (told_column){"action", "u", {"a", "b", "c"}};
        table.column[1] = (told_column){"observation", "u", {"x", "y", "z"}};
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        struct ArrowArrayStream stream = stream_of(&table);
        assert_int_equal(asif_logs_read_arrow(&tree, context, &stream, "frame", NULL, NULL, NULL, &error),
                         ASIF_EIO);
        assert_string_equal(error.message, "the table could not be read: the disk is gone");
        assert_int_equal(table.alive, 0);
    }
    asif_tree *tree;
    assert_int_equal(asif_logs_read_arrow(&tree, context, NULL, "frame", NULL, NULL, NULL, NULL),
                     ASIF_EDOMAIN);
    struct ArrowArrayStream done = {0};
    assert_int_equal(asif_logs_read_arrow(&tree, context, &done, "frame", NULL, NULL, NULL, NULL),
                     ASIF_EDOMAIN);
}

static void without_memory(void **state) {
    (void)state;
    for (long n = 0;; n++) {
        failing_memory memory = {.left = n};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *poor = NULL;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        told_table table = {.rows = 4, .columns = 3, .piece = 2};
        table.column[0] = (told_column){"action", "dictionary:u", {"a", "b", "c", "a"}};
        table.column[1] = (told_column){"observation", "vu", {"x", "y", "z", NULL}};
        table.column[2] = (told_column){"episode", "l", {"1", "2", "1", "2"}};
        asif_tree *tree = NULL;
        struct ArrowArrayStream stream = stream_of(&table);
        if (asif_context_create(&poor, &options, NULL) != ASIF_OK)
            continue;
        asif_problems *problems = NULL;
        (void)asif_problems_create(&problems, context, 0, NULL);
        asif_status status = asif_logs_read_arrow(&tree, poor, &stream, "frame", NULL, NULL, problems, NULL);
        asif_problems_free(problems);
        asif_tree_free(tree);
        asif_context_free(poor);
        assert_int_equal(table.alive, 0);
        assert_int_equal(memory.alive, 0);
        if (status != ASIF_ENOMEM) {
            CHECK(n > 30, "only %ld places of memory", n);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),     cmocka_unit_test(other_types),
        cmocka_unit_test(same_bytes),     cmocka_unit_test(lies),
        cmocka_unit_test(types_that_lie), cmocka_unit_test(empty_cells),
        cmocka_unit_test(asked_in_order), cmocka_unit_test(answers_that_lie),
        cmocka_unit_test(cancelled),      cmocka_unit_test(failing_streams),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
