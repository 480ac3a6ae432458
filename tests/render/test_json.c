/* The writers of JSON, CSV and tables, against what RFC 8259, RFC 4180 and a reader's eye expect. */
#include "check.h"

#include "asif/base.h"
#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/data/yaml.h"
#include "render/table.h"

#include <string.h>

static int set_up(void **state) {
    asif_context *context = NULL;
    int failed = asif_context_create(&context, NULL, NULL) != ASIF_OK;
    *state = context;
    return failed;
}

static int tear_down(void **state) {
    asif_context_free(*state);
    return 0;
}

static void check_string(asif_text *text, const char *want) {
    assert_false(text->failed);
    assert_string_equal(text->data, want);
    assert_int_equal(text->length, strlen(want));
    asif_text_free(text);
}

static void test_json_layout(void **state) {
    asif_text text = {.context = *state};
    const double numbers[] = {0.5, -1, 1e300, INFINITY, -INFINITY, NAN, 0.1};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "name", "DIAG");
    asif_json_string(&json, "none", NULL);
    asif_json_bool(&json, "yes", true);
    asif_json_count(&json, "most", UINT64_MAX);
    asif_json_number(&json, "tenth", 0.1);
    asif_json_number(&json, "low", -INFINITY);
    asif_json_numbers(&json, "row", 7, numbers);
    asif_json_numbers(&json, "empty row", 0, NULL);
    asif_json_array(&json, "empty");
    asif_json_end(&json);
    asif_json_array(&json, "list");
    asif_json_object(&json, NULL);
    asif_json_end(&json);
    asif_json_number(&json, NULL, 1);
    asif_json_end(&json);
    asif_json_end(&json);
    check_string(&text, "{\n"
                        "  \"name\": \"DIAG\",\n"
                        "  \"none\": null,\n"
                        "  \"yes\": true,\n"
                        "  \"most\": 18446744073709551615,\n"
                        "  \"tenth\": 0.1,\n"
                        "  \"low\": \"-inf\",\n"
                        "  \"row\": [0.5, -1, 1e+300, \"inf\", \"-inf\", \"nan\", 0.1],\n"
                        "  \"empty row\": [],\n"
                        "  \"empty\": [],\n"
                        "  \"list\": [\n"
                        "    {},\n"
                        "    1\n"
                        "  ]\n"
                        "}\n");
}

static void test_json_strings(void **state) {
    static const struct {
        const char *string, *want;
    } rows[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
        {"\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\""},
        {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x99\x82", "\"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x99\x82\""},
        {"\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0", "\"\\u0080\\u0085\\u009f\xc2\xa0\""},
        {"\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xef\xbf\xbe", "\"\\u2028\\u2029\\ufeff\\ufffe\""},
        /* A lone continuation, a cut sequence, an overlong form, a surrogate, beyond U+10FFFF. */
        {"a\x80z", "\"a\xef\xbf\xbdz\""},
        {"a\xe2\x82", "\"a\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_text text = {.context = *state};
        asif_json json;
        asif_json_init(&json, &text);
        asif_json_string(&json, NULL, rows[i].string);
        check_string(&text, rows[i].want);
    }
}

static uint32_t put_utf8(char *to, uint32_t c) {
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    uint32_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(lead[more] | c >> 6 * more);
    for (uint32_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* What is written comes back from the reader that asif has for its own files, whatever the character. */
static void test_json_read_back(void **state) {
    for (uint32_t first = 1; first < 0x110000; first += 64) {
        char string[64 * 5 + 1];
        uint32_t length = 0;
        for (uint32_t c = first; c < first + 64 && c < 0x110000; c++)
            if (c < 0xd800 || c > 0xdfff) {
                length += put_utf8(string + length, c);
                string[length++] = ' ';
            }
        string[length] = 0;
        asif_text text = {.context = *state};
        asif_json json;
        asif_yaml_document *document = NULL;
        asif_error error = ASIF_ERROR_INIT;
        asif_json_init(&json, &text);
        asif_json_object(&json, NULL);
        asif_json_string(&json, "s", string);
        asif_json_end(&json);
        asif_status status = asif_yaml_read(&document, *state, text.data, text.length, "x", &error);
        if (status != ASIF_OK || strcmp(asif_yaml_get(asif_yaml_root(document), "s")->text, string) != 0)
            fail_msg("characters from U+%04X on: %s", first, error.message);
        asif_yaml_free(document);
        asif_text_free(&text);
    }
}

static void test_json_depth(void **state) {
    asif_text text = {.context = *state};
    asif_json json;
    asif_json_init(&json, &text);
    for (int i = 0; i < ASIF_JSON_DEPTH; i++)
        asif_json_array(&json, NULL);
    assert_false(text.failed);
    asif_json_array(&json, NULL);
    assert_true(text.failed);
    asif_text_free(&text);
}

static void test_csv(void **state) {
    asif_text text = {.context = *state};
    asif_csv_field(&text, "plain", false);
    asif_csv_field(&text, "a,b", false);
    asif_csv_field(&text, "say \"no\"", false);
    asif_csv_field(&text, "two\nlines", false);
    asif_csv_field(&text, " blank", false);
    asif_csv_field(&text, "", false);
    asif_csv_field(&text, NULL, false);
    asif_csv_count(&text, 12, false);
    asif_csv_number(&text, 0.1, true);
    check_string(&text, "plain,\"a,b\",\"say \"\"no\"\"\",\"two\nlines\",\" blank\",,,12,0.1\n");
}

static void test_percent(void **state) {
    (void)state;
    static const struct {
        double probability;
        const char *want;
    } rows[] = {{0, "0 %"},        {1, "100 %"},         {0.5163, "51.6 %"}, {1e-12, "<0.1 %"},
                {0.0005, "0.1 %"}, {0.99951, ">99.9 %"}, {0.9994, "99.9 %"}, {0.00049, "<0.1 %"}};
    char buffer[ASIF_CELL_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(asif_percent_text(buffer, rows[i].probability), rows[i].want);
}

static void test_width(void **state) {
    (void)state;
    char buffer[ASIF_CELL_SIZE], lines[ASIF_LABEL_LINES][ASIF_CELL_SIZE];
    assert_int_equal(asif_display_width("healthy"), 7);
    assert_int_equal(asif_display_width("na\xc3\xafve"), 5);
    assert_int_equal(asif_display_width("e\xcc\x81"), 1);                /* a combining accent */
    assert_int_equal(asif_display_width("\xe5\x81\xa5\xe5\xba\xb7"), 4); /* two wide signs */
    assert_string_equal(asif_label_cut(buffer, "monitor", 7, false), "monitor");
    assert_string_equal(asif_label_cut(buffer, "monitor", 5, false), "moni~");
    assert_string_equal(asif_label_cut(buffer, "monitor", 5, true), "moni\xe2\x80\xa6");
    /* A wide sign is never cut in half. */
    assert_string_equal(asif_label_cut(buffer, "\xe5\x81\xa5\xe5\xba\xb7\xe5\xba\xb7", 4, false),
                        "\xe5\x81\xa5~");
    assert_int_equal(asif_label_wrap(lines, "declare_healthy", 8, false), 2);
    assert_string_equal(lines[0], "declare_");
    assert_string_equal(lines[1], "healthy");
    assert_int_equal(asif_label_wrap(lines, "unbreakable", 8, false), 1);
    assert_string_equal(lines[0], "unbreak~");
}

static void test_table(void **state) {
    asif_text text = {.context = *state};
    asif_table table;
    asif_table_init(&table, *state, 3);
    const char *const cells[] = {"", "x", "", "na\xc3\xafve", "10", "1", "z", "7", "123"};
    for (size_t i = 0; i < 9; i++)
        asif_table_cell(&table, cells[i]);
    assert_int_equal(asif_table_width(&table), 2 + 5 + 2 + 2 + 2 + 3);
    asif_table_end(&table, &text);
    check_string(&text, "          x\n"
                        "  na\xc3\xafve  10    1\n"
                        "  z       7  123\n");
}

static void test_wrapped(void **state) {
    asif_text text = {.context = *state};
    asif_add_wrapped(&text, "  given", 9, "alpha=1, beta=2, eta=3", 20);
    check_string(&text, "  given  alpha=1,\n"
                        "         beta=2,\n"
                        "         eta=3\n");
}

/* Every allocation fails once: the flag is set, nothing leaks. */
static void test_no_memory(void **state) {
    (void)state;
    bool succeeded = false;
    for (long left = 0; !succeeded && left < 100; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *context = NULL;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        long before = memory.alive;
        memory.left = left;
        asif_text text = {.context = context};
        asif_json json;
        asif_json_init(&json, &text);
        asif_json_object(&json, NULL);
        for (int i = 0; i < 50; i++)
            asif_json_string(&json, "a key that is long enough to make the text grow", "and its value");
        asif_json_end(&json);
        asif_table table;
        asif_table_init(&table, context, 2);
        for (int i = 0; i < 50; i++)
            asif_table_cell(&table, "cell");
        asif_table_end(&table, &text);
        succeeded = !text.failed;
        asif_text_free(&text);
        assert_int_equal(memory.alive, before);
        asif_context_free(context);
    }
    assert_true(succeeded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_layout),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_json_read_back),
        cmocka_unit_test(test_json_depth),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_percent),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_wrapped),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
