/* The CSV reader against RFC 4180 and the dialects that are about, whatever the pieces its bytes come in. */
#include "check.h"
#include "logs/csv/csv.h"
#include "logs/names.h"

#include <string.h>

typedef struct {
    const char *text;
    uint64_t length, at, piece;
} pieces;

static asif_status next_piece(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    pieces *p = user;
    (void)error;
    uint64_t n = p->length - p->at;
    n = n < p->piece ? n : p->piece;
    n = n < room ? n : room;
    memcpy(to, p->text + p->at, n);
    p->at += n;
    *got = n;
    return ASIF_OK;
}

/* All cells, each after `<` (in quotes: `[`), rows ended by `|`, flaws as `!`, lines of rows as digits. */
static void read_all(const asif_context *context, const char *text, uint64_t piece, char separator, char *out,
                     size_t size) {
    pieces p = {text, strlen(text), 0, piece};
    asif_csv_source source = {next_piece, &p};
    asif_csv_reader reader;
    asif_error error = ASIF_ERROR_INIT;
    size_t used = 0;
    bool more = true;
    asif_status status = asif_csv_open(&reader, context, source, "x", separator, &error);
    while (status == ASIF_OK && more) {
        used += (size_t)snprintf(out + used, size - used, "%u%s", reader.line, reader.flaw.status ? "!" : "");
        for (uint32_t i = 0; i < reader.cells; i++) {
            assert_int_equal(strlen(reader.cell[i].text), reader.cell[i].length);
            used += (size_t)snprintf(out + used, size - used, "%c%s", reader.cell[i].quoted ? '[' : '<',
                                     reader.cell[i].text);
        }
        used += (size_t)snprintf(out + used, size - used, "|");
        status = asif_csv_next(&reader, &more, &error);
    }
    if (status != ASIF_OK)
        snprintf(out + used, size - used, "error %u:%u", error.line, error.column);
    asif_csv_close(&reader);
}

static const struct {
    const char *text;
    char separator;
    const char *want;
} rows[] = {
    {"a,b\n1,2\n", 0, "1<a<b|2<1<2|"},
    {"a,b\n1,2", 0, "1<a<b|2<1<2|"},
    {"a,b\r\n1,2\r\n3,4\r\n", 0, "1<a<b|2<1<2|3<3<4|"},
    {"a,b\r1,2\r3,4", 0, "1<a<b|2<1<2|3<3<4|"},
    {"a,b\n\n\n1,2\n\n", 0, "1<a<b|4<1<2|"},
    {"\n\na,b\n1,2\n", 0, "3<a<b|4<1<2|"},
    {"\xEF\xBB\xBF"
     "a,b\n1,2\n",
     0, "1<a<b|2<1<2|"},
    {"\xEF\xBB\xBF\"a\",b\n1,2\n", 0, "1[a<b|2<1<2|"},
    {"a;b;c\n1,5;2;3\n", 0, "1<a<b<c|2<1,5<2<3|"},
    {"a\tb\n1\t\n\t2\n", 0, "1<a<b|2<1<|3<<2|"},
    {"\"a;x\",b\n1,2\n", 0, "1[a;x<b|2<1<2|"},
    {"a,b;c\n", 0, "1<a<b;c|"}, /* as many of both: the comma */
    {"a|b\n1|2\n", '|', "1<a<b|2<1<2|"},
    {"a b\n1 2\n", ' ', "1<a<b|2<1<2|"},
    {"a,b\n\"1,1\",\"2\"\n", 0, "1<a<b|2[1,1[2|"},
    {"a,b\n\"say \"\"no\"\"\",\"\"\n", 0, "1<a<b|2[say \"no\"[|"},
    {"a,b\n\"\"\"\",\"\"\"\"\"\"\n", 0, "1<a<b|2[\"[\"\"|"},
    {"a,b\n\"1\n2\",3\n4,5\n", 0, "1<a<b|2[1\n2<3|4<4<5|"},
    {"a,b\n\"1\r\n2\r3\",3\r\n4,5\n", 0, "1<a<b|2[1\r\n2\r3<3|5<4<5|"},
    {"a,b\n5\" pipe,x\"y\"\n", 0, "1<a<b|2<5\" pipe<x\"y\"|"}, /* a quote inside a bare cell is a letter */
    {" a , b \n 1 ,\t2\t\n", 0, "1<a<b|2<1<2|"},
    {"a, \"b, c\" \n1,2\n", 0, "1<a[b, c|2<1<2|"},
    {"a,b\n\"1\"x,2\n3,4\n", 0, "1<a<b|2![1<2|3<3<4|"},
    {"a,b\n1,2,3\n4\n", 0, "1<a<b|2<1<2<3|3<4|"},
    {"a\n1\n", 0, "1<a|2<1|"},
    {"a,b\n,\n", 0, "1<a<b|2<<|"},
    {"a,b\n\"1,2\n3,4\n", 0, "1<a<b|error 2:1"},
    {"a,b\n1,\"", 0, "1<a<b|error 2:2"},
    {"a,b\n1,\"\"", 0, "1<a<b|2<1[|"},
    {"", 0, "error 1:1"},
};

static void test_dialects(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint64_t piece = 1; piece <= 64; piece += piece < 9 ? 1 : 55) {
            char got[512];
            read_all(context, rows[i].text, piece, rows[i].separator, got, sizeof got);
            CHECK(strcmp(got, rows[i].want) == 0, "%s in pieces of %d:\n%s\nnot\n%s", rows[i].text,
                  (int)piece, got, rows[i].want);
        }
    }
    asif_context_free(context);
}

/* Rows longer than the buffer, and one that is never closed: memory stays bounded. */
static void test_long_rows(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    size_t size = (size_t)40 << 20;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = 0;
    memcpy(text, "a,b\n\"", 5);
    memcpy(text + 3000000, "\",2\n3,4\n\"", 9);
    pieces p = {text, size, 0, size};
    asif_csv_reader reader;
    asif_error error = ASIF_ERROR_INIT;
    bool more = false;
    assert_int_equal(asif_csv_open(&reader, context, (asif_csv_source){next_piece, &p}, "x", 0, &error),
                     ASIF_OK);
    assert_int_equal(asif_csv_next(&reader, &more, &error), ASIF_OK);
    assert_int_equal(reader.cell[0].length, 3000000 - 5);
    assert_string_equal(reader.cell[1].text, "2");
    assert_int_equal(asif_csv_next(&reader, &more, &error), ASIF_OK);
    assert_string_equal(reader.cell[1].text, "4");
    assert_int_equal(asif_csv_next(&reader, &more, &error), ASIF_ETOOBIG);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.row, 3);
    assert_true(reader.capacity < size);
    asif_csv_close(&reader);
    free(text);
    asif_context_free(context);
}

static void test_missing(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool quoted, missing;
    } cells[] = {{"", false, true},    {"", true, true},     {"NA", false, true},  {"n/a", false, true},
                 {"N/A", false, true}, {"NaN", false, true}, {".", false, true},   {"NA", true, false},
                 {"na", false, false}, {"0", false, false},  {"..", false, false}, {"NAN", false, false}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        asif_csv_cell cell = {cells[i].text, (uint32_t)strlen(cells[i].text), cells[i].quoted, 0};
        CHECK(asif_csv_missing(&cell) == cells[i].missing, "`%s`", cells[i].text);
    }
}

/* In this order, and so any two of them. */
static void test_natural_order(void **state) {
    (void)state;
    static const char *const texts[] = {"-inf", "-2", "-1.5", "0",    "00",  "0.5",  "1",     "1.0",
                                        "2",    "10", "1e2",  "",     "2 b", "10 b", "a",     "a1",
                                        "a01",  "a2", "a10",  "a10b", "b",   "p1-2", "p1-10", "p2-1"};
    size_t n = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            int c = asif_natural_order(texts[i], strlen(texts[i]), texts[k], strlen(texts[k]));
            bool tie =
                (i < k ? k - i : i - k) == 1; /* ties by value are broken by bytes; which way is no matter */
            bool equal_value = tie && (strspn(texts[i], "0") == strlen(texts[i]) ||
                                       strcmp(texts[i], "a1") == 0 || strcmp(texts[k], "a1") == 0);
            CHECK((c == 0) == (i == k), "`%s` and `%s`", texts[i], texts[k]);
            CHECK(equal_value || (c < 0) == (i < k), "`%s` and `%s`", texts[i], texts[k]);
        }
}

static void test_names(void **state) {
    (void)state;
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_names names = {.context = context};
    char text[32];
    for (uint32_t i = 0; i < 5000; i++) {
        int length = snprintf(text, sizeof text, "%*u", (int)(i % 20), i);
        assert_int_equal(asif_names_find(&names, text, (uint64_t)length), ASIF_NO_NAME);
        assert_int_equal(asif_names_add(&names, text, (uint64_t)length), i);
        assert_int_equal(asif_names_add(&names, text, (uint64_t)length), i);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        int length = snprintf(text, sizeof text, "%*u", (int)(i % 20), i);
        assert_int_equal(asif_names_find(&names, text, (uint64_t)length), i);
        assert_string_equal(asif_names_get(&names, i), text);
    }
    asif_names_free(&names);
    asif_hashes hashes = {.context = context};
    bool known = false;
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(asif_hashes_add(&hashes, i * i, &known) && known == (i == 1)); /* 0 and 1 are one */
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(asif_hashes_add(&hashes, i * i, &known) && known);
    asif_hashes_free(&hashes);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dialects), cmocka_unit_test(test_long_rows),     cmocka_unit_test(test_missing),
        cmocka_unit_test(test_names),    cmocka_unit_test(test_natural_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
