/* Parts of logs: as they are stated, the units that they leave, and the values of a column. */
#include "check.h"

#include "asif.h"

#include <string.h>

static const char rows[] =
    "episode,t,action,observation,arm,site\n"
    "1,0,wait,good,a,s2\n2,0,act,bad,b,s10\n3,0,wait,bad,\"a,b\",s2\n4,0,act,good,c,s10\n5,0,act,good,,s1\n";

static asif_context *context;
static asif_tree *tree;

static int set_up(void **state) {
    (void)state;
    static const char *const columns[] = {"arm", "site", NULL};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.units = ASIF_UNITS_EPISODES;
    options.covariates = columns;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK ||
           asif_logs_read_text(&tree, context, rows, strlen(rows), "logs", &options, NULL, NULL, NULL) !=
               ASIF_OK;
}

static int tear_down(void **state) {
    (void)state;
    asif_tree_free(tree);
    asif_context_free(context);
    return 0;
}

/* Which of the five episodes are left, as digits: "13". */
static asif_status choose(char left[6], const char *const *text, uint32_t count, asif_error *error) {
    asif_logs_where *where = NULL;
    bool chosen[5];
    *left = 0;
    asif_status status = asif_wheres_read(&where, context, text, count, error);
    if (status == ASIF_OK)
        status = asif_tree_choose(chosen, tree, where, count, error);
    for (int u = 0; status == ASIF_OK && u < 5; u++)
        if (chosen[u])
            strcat(left, (char[]){(char)('1' + u), 0});
    asif_memory_free(context, where);
    return status;
}

static void test_choice(void **state) {
    (void)state;
    const struct {
        const char *text[2], *left;
    } cases[] = {{{NULL}, "12345"},
                 {{"arm=a"}, "1"},
                 {{"arm=a,b"}, "123"}, /* either, and the value with the comma */
                 {{"arm=c,"}, "45"},
                 {{"arm="}, "5"},
                 {{"arm=z,c"}, "4"},
                 {{"arm=a,b", "site=s2"}, "13"},
                 {{"site=s2", "site=s10,s2"}, "13"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char left[6];
        uint32_t count = cases[i].text[1] ? 2 : cases[i].text[0] ? 1 : 0;
        assert_int_equal(choose(left, cases[i].text, count, NULL), ASIF_OK);
        assert_string_equal(left, cases[i].left);
    }
}

static void test_mistakes(void **state) {
    (void)state;
    const struct {
        const char *text[2];
        asif_status status;
        const char *message, *hint;
    } cases[] = {
        {{"arm"}, ASIF_EINVALID, "--where wants COLUMN=VALUE, not 'arm'", "for example --where arm=control"},
        {{"=a"}, ASIF_EINVALID, "--where wants COLUMN=VALUE, not '=a'", "for example --where arm=control"},
        {{"arm=z"}, ASIF_EINVALID, "no episode has arm=z", "the column `arm` has (missing), a, a,b, b, c"},
        {{"site=s10", "arm=a"},
         ASIF_EINVALID,
         "no episode has arm=a and what is before it with --where",
         "in the episodes that have the rest, the column `arm` has b, c"},
        {{"year=2020"}, ASIF_EUNKNOWN, "the logs were read without the column `year`", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        asif_error error = ASIF_ERROR_INIT;
        char left[6];
        assert_int_equal(choose(left, cases[i].text, cases[i].text[1] ? 2 : 1, &error), cases[i].status);
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.hint, cases[i].hint);
    }
    asif_logs_where *where;
    assert_int_equal(asif_wheres_read(&where, context, NULL, 1, NULL), ASIF_EDOMAIN);
}

static void test_values(void **state) {
    (void)state;
    static const asif_covariate_value sites[] = {{"s1", 1}, {"s2", 2}, {"s10", 2}};
    const bool chosen[] = {true, true, false, false, false};
    asif_covariate_value *list = NULL;
    uint64_t count = 0;
    assert_int_equal(asif_tree_values(&list, &count, tree, "site", NULL, NULL), ASIF_OK);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(list[i].value, sites[i].value);
        assert_int_equal(list[i].units, sites[i].units);
    }
    asif_memory_free(context, list);
    assert_int_equal(asif_tree_values(&list, &count, tree, "arm", chosen, NULL), ASIF_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[1].value, "b");
    asif_memory_free(context, list);
    assert_int_equal(asif_tree_values(&list, &count, tree, "year", NULL, NULL), ASIF_EUNKNOWN);
}

static void test_columns(void **state) {
    (void)state;
    const char *text[] = {"arm=a", "site=s1", "arm=b"};
    static const char *const wanted[] = {"year", "arm", "site"};
    asif_logs_where *where = NULL;
    const char **column = NULL;
    assert_int_equal(asif_wheres_read(&where, context, text, 3, NULL), ASIF_OK);
    assert_int_equal(asif_wheres_columns(&column, context, "year", "arm", where, 3, NULL), ASIF_OK);
    for (int i = 0; i < 3; i++)
        assert_string_equal(column[i], wanted[i]);
    assert_null(column[3]);
    asif_memory_free(context, column);
    asif_memory_free(context, where);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests_name("parts", tests, set_up, tear_down);
}
