/* The tree of some units is the tree of a table that holds only their rows. */
#include "check.h"

#include "asif.h"

#include <string.h>

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static const char rows_a[] =
    "1,0,wait,good,a\n1,1,act,bad,a\n3,0,wait,bad,a\n3,1,wait,bad,a\n3,2,act,good,a\n";
static const char rows_b[] = "2,0,act,bad,b\n4,0,wait,good,b\n4,1,wait,good,b\n";

static asif_tree *read(const char *first, const char *second, bool units) {
    static const char *const columns[] = {"arm", NULL};
    char text[400];
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    snprintf(text, sizeof text, "episode,t,action,observation,arm\n%s%s", first, second);
    if (units) {
        options.units = ASIF_UNITS_EPISODES;
        options.covariates = columns;
    }
    asif_logs_read_text(&tree, context, text, strlen(text), "logs", &options, NULL, NULL, &error);
    CHECK(tree, "%s", error.message);
    return tree;
}

static void check_same_ends(const asif_tree_view *a, const asif_tree_view *b) {
    assert_true(a->ends_known && a->ends == b->ends && b->ends > 0);
    assert_memory_equal(a->end_node, b->end_node, a->ends * sizeof *a->end_node);
    assert_memory_equal(a->end_action, b->end_action, a->ends * sizeof *a->end_action);
    assert_memory_equal(a->end_observation, b->end_observation, a->ends * sizeof *a->end_observation);
    assert_memory_equal(a->end_count, b->end_count, a->ends * sizeof *a->end_count);
    assert_memory_equal(a->unit_end, b->unit_end, (a->units + 1) * sizeof *a->unit_end);
    assert_memory_equal(a->ending, b->ending, b->unit_end[b->units] * sizeof *a->ending);
    assert_memory_equal(a->ending_count, b->ending_count, b->unit_end[b->units] * sizeof *a->ending_count);
}

static void check_same(const asif_tree *got, const asif_tree *want) {
    asif_tree_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    assert_int_equal(asif_tree_get(got, &a, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(want, &b, NULL), ASIF_OK);
    assert_int_equal(a.nodes, b.nodes);
    assert_int_equal(a.levels, b.levels);
    assert_int_equal(a.actions, b.actions);
    assert_int_equal(a.units, 0);
    assert_int_equal(a.covariates, 0);
    assert_null(asif_tree_unit_name(got, 0));
    assert_memory_equal(a.parent, b.parent, a.nodes * sizeof *a.parent);
    assert_memory_equal(a.action, b.action, a.nodes * sizeof *a.action);
    assert_memory_equal(a.observation, b.observation, a.nodes * sizeof *a.observation);
    assert_memory_equal(a.count, b.count, (size_t)a.nodes * a.actions * sizeof *a.count);
    assert_memory_equal(a.level, b.level, (a.levels + 1) * sizeof *a.level);
    check_same_ends(&a, &b);
}

static void test_group(void **state) {
    (void)state;
    asif_tree *all = read(rows_a, rows_b, true), *want = read(rows_a, "", false), *got = NULL;
    bool chosen[4];
    for (uint64_t u = 0; u < 4; u++)
        chosen[u] = strcmp(asif_tree_covariate(all, u, 0), "a") == 0;
    assert_int_equal(asif_tree_select(&got, all, chosen, NULL), ASIF_OK);
    check_same(got, want);
    const asif_logs_info *info = asif_tree_info(got);
    assert_int_equal(info->episodes, 2);
    assert_int_equal(info->subjects, 2);
    assert_int_equal(info->decisions, 5);
    CHECK_NEAR(info->weight, 5, 0);
    assert_int_equal(info->rows, 0);
    assert_int_equal(info->longest, 3);
    asif_tree_free(got);
    for (uint64_t u = 0; u < 4; u++)
        chosen[u] = !chosen[u];
    assert_int_equal(asif_tree_select(&got, all, chosen, NULL), ASIF_OK);
    assert_int_equal(asif_tree_info(got)->longest, 2);
    asif_tree_free(all);
    asif_tree_free(want);
    asif_tree_free(got);
}

static void test_all_without_names(void **state) {
    (void)state;
    asif_tree *all = read(rows_a, rows_b, true), *want = read(rows_a, rows_b, false), *got = NULL,
              *again = NULL;
    assert_int_equal(asif_tree_select(&got, all, NULL, NULL), ASIF_OK);
    check_same(got, want);
    const asif_logs_info *a = asif_tree_info(got), *b = asif_tree_info(all);
    assert_true(a->rows == b->rows && a->excluded == b->excluded && a->subjects == b->subjects);
    assert_true(a->episodes == b->episodes && a->decisions == b->decisions && a->nodes == b->nodes);
    /* A tree without units can be copied, but has nothing to choose from. */
    bool chosen[] = {true};
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_tree_select(&again, got, NULL, NULL), ASIF_OK);
    check_same(again, want);
    asif_tree_free(again);
    assert_int_equal(asif_tree_select(&again, got, chosen, &error), ASIF_EINVALID);
    assert_null(again);
    asif_tree_free(all);
    asif_tree_free(want);
    asif_tree_free(got);
}

static void test_nobody(void **state) {
    (void)state;
    asif_tree *all = read(rows_a, rows_b, true), *got = NULL;
    const bool chosen[4] = {false};
    assert_int_equal(asif_tree_select(&got, all, chosen, NULL), ASIF_OK);
    CHECK_NEAR(asif_tree_info(got)->weight, 0, 0);
    asif_tree_free(all);
    asif_tree_free(got);
}

static void test_states_seen(void **state) {
    (void)state;
    static const char text[] =
        "episode,t,state,action\n1,0,x,go\n1,1,y,go\n1,2,y,go\n2,0,x,stay\n2,1,x,stay\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *all = NULL, *got = NULL;
    asif_tree_view view = {.struct_size = sizeof view};
    const bool chosen[] = {false, true};
    options.units = ASIF_UNITS_EPISODES;
    assert_int_equal(
        asif_logs_read_text(&all, context, text, strlen(text), "logs", &options, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_select(&got, all, chosen, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(got, &view, NULL), ASIF_OK);
    assert_int_equal(view.nodes, 2);
    const double want[] = {0, 2, 0, 0}; /* x: go, stay; y: go, stay */
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(view.count[i], want[i], 0);
    assert_int_equal(asif_tree_info(all)->longest, 3);
    assert_int_equal(asif_tree_info(got)->longest, 2);
    asif_tree_free(all);
    asif_tree_free(got);
}

static void test_memory(void **state) {
    (void)state;
    asif_context *real = context;
    for (long left = 0;; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        asif_tree *all = read(rows_a, rows_b, true), *got = NULL;
        const bool chosen[] = {true, false, true, false};
        memory.left = left;
        asif_status status = asif_tree_select(&got, all, chosen, NULL);
        memory.left = -1;
        asif_tree_free(got);
        asif_tree_free(all);
        asif_context_free(context);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        assert_true(left < 1000);
    }
    context = real;
}

/* With its units, it is the tree of a table with only their rows read with units. */
static void test_with_units(void **state) {
    (void)state;
    static const char *const arm[] = {"arm", NULL}, *const other[] = {"leg", NULL};
    asif_tree *all = read(rows_a, rows_b, true), *want = read(rows_b, "", true), *got = NULL;
    asif_tree_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    asif_error error = ASIF_ERROR_INIT;
    bool chosen[4];
    for (uint64_t u = 0; u < 4; u++)
        chosen[u] = strcmp(asif_tree_covariate(all, u, 0), "b") == 0;
    for (int names = 0; names < 2; names++) {
        assert_int_equal(asif_tree_select_units(&got, all, chosen, arm, names, &error), ASIF_OK);
        assert_int_equal(asif_tree_get(got, &a, NULL), ASIF_OK);
        assert_int_equal(asif_tree_get(want, &b, NULL), ASIF_OK);
        assert_int_equal(a.units, 2);
        assert_int_equal(a.covariates, 1);
        assert_memory_equal(a.unit, b.unit, 3 * sizeof *a.unit);
        assert_memory_equal(a.entry_node, b.entry_node, b.unit[2] * sizeof *a.entry_node);
        assert_memory_equal(a.entry_action, b.entry_action, b.unit[2] * sizeof *a.entry_action);
        assert_memory_equal(a.entry_count, b.entry_count, b.unit[2] * sizeof *a.entry_count);
        assert_memory_equal(a.count, b.count, (size_t)b.nodes * b.actions * sizeof *a.count);
        check_same_ends(&a, &b);
        assert_int_equal(a.unit_end[2], 2);
        assert_string_equal(asif_tree_unit_name(got, 0), names ? "2" : "1");
        assert_string_equal(asif_tree_unit_name(got, 1), names ? "4" : "2");
        assert_string_equal(asif_tree_covariate(got, 1, 0), "b");
        asif_tree_free(got);
    }
    assert_int_equal(asif_tree_select_units(&got, all, NULL, NULL, true, &error), ASIF_OK);
    assert_int_equal(asif_tree_get(got, &a, NULL), ASIF_OK);
    assert_int_equal(a.units, 4);
    assert_int_equal(a.covariates, 0);
    assert_int_equal(asif_tree_info(got)->rows, asif_tree_info(all)->rows);
    asif_tree_free(got);
    assert_int_equal(asif_tree_select_units(&got, all, NULL, other, true, &error), ASIF_EUNKNOWN);
    assert_null(got);
    asif_tree *without = read(rows_a, "", false);
    assert_int_equal(asif_tree_select_units(&got, without, NULL, NULL, true, &error), ASIF_EINVALID);
    asif_tree_free(without);
    asif_tree_free(all);
    asif_tree_free(want);
}

/* Two subjects with two episodes each, one of whom has one in either arm. */
static const char repeated[] =
    "subject,episode,t,action,observation,arm\n"
    "ann,1,0,wait,good,a\nann,1,1,act,bad,a\nann,2,0,act,bad,b\n"
    "bob,1,0,wait,bad,b\nbob,1,1,act,good,b\nbob,2,0,wait,bad,b\nbob,2,1,act,good,b\n";

static asif_tree *read_repeated(const char *const *columns) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    options.subjects = true;
    options.units = columns ? ASIF_UNITS_EPISODES : ASIF_UNITS_NONE;
    options.covariates = columns;
    asif_logs_read_text(&tree, context, repeated, strlen(repeated), "logs", &options, NULL, NULL, &error);
    CHECK(tree, "%s", error.message);
    return tree;
}

static void test_by_subject(void **state) {
    (void)state;
    static const char *const columns[] = {"arm", NULL};
    asif_tree *whole = read_repeated(NULL), *parts = read_repeated(columns), *all, *part;
    asif_tree_view view = {.struct_size = sizeof view};
    bool chosen[4];
    char digest[65], other[65];
    assert_int_equal(asif_tree_by_subject(&all, whole, NULL, digest, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(all, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 2);
    assert_int_equal(view.covariates, 0);
    assert_string_equal(asif_tree_unit_name(all, 0), "1");
    assert_string_equal(asif_tree_unit_name(all, 1), "2");
    /* bob does the same twice: two entries of 2 */
    assert_int_equal(view.unit[2] - view.unit[1], 2);
    CHECK_NEAR(view.entry_count[view.unit[1]], 2, 0);
    assert_int_equal(asif_tree_get(parts, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 4);
    for (uint64_t u = 0; u < 4; u++)
        chosen[u] = strcmp(asif_tree_covariate(parts, u, 0), "b") == 0;
    assert_int_equal(asif_tree_by_subject(&part, parts, chosen, other, NULL), ASIF_OK);
    assert_string_equal(digest, other);
    assert_int_equal(asif_tree_info(part)->subjects, 2);
    assert_int_equal(asif_tree_info(part)->episodes, 3);
    assert_int_equal(asif_tree_get(part, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 2);
    assert_string_equal(asif_tree_unit_name(part, 1), "2");
    asif_tree_free(part);
    /* ann alone in arm a, with one episode: known still, as she is in arm b too */
    for (uint64_t u = 0; u < 4; u++)
        chosen[u] = !chosen[u];
    assert_int_equal(asif_tree_by_subject(&part, parts, chosen, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(part, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 1);
    assert_string_equal(asif_tree_unit_name(part, 0), "1");
    assert_int_equal(asif_tree_info(part)->subjects, 1);
    asif_tree_free(part);
    /* One episode of each: nothing to keep apart. */
    asif_tree *each = NULL;
    static const char *const one[] = {ASIF_COVARIATE_SUBJECT, NULL};
    static const bool first[4] = {true, false, true, false};
    assert_int_equal(asif_tree_select_units(&each, parts, first, one, true, NULL), ASIF_OK);
    assert_int_equal(asif_tree_by_subject(&part, each, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(part, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 0);
    assert_int_equal(asif_tree_info(part)->subjects, 2);
    asif_tree_free(each);
    asif_tree_free(part);
    asif_tree_free(all);
    asif_tree_free(whole);
    asif_tree_free(parts);
}

/* A table without subjects: nothing is kept, and nothing said. */
static void test_no_subjects(void **state) {
    (void)state;
    char text[400], digest[65];
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL, *same = NULL;
    asif_tree_view view = {.struct_size = sizeof view};
    options.subjects = true;
    snprintf(text, sizeof text, "episode,t,action,observation,arm\n%s", rows_a);
    assert_int_equal(
        asif_logs_read_text(&tree, context, text, strlen(text), "logs", &options, NULL, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_by_subject(&same, tree, NULL, digest, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(same, &view, NULL), ASIF_OK);
    assert_int_equal(view.units, 0);
    assert_string_equal(digest, "");
    asif_tree_free(same);
    asif_tree_free(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_with_units),
        cmocka_unit_test(test_all_without_names),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_states_seen),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_by_subject),
        cmocka_unit_test(test_no_subjects),
    };
    return cmocka_run_group_tests_name("select", tests, set_up, tear_down);
}
