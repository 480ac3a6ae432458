/* Episodes with lost results in a tree: their order, parts of logs, merged trees, saved trees, and
 * likelihoods and derivatives for policies that are given as numbers. */
#include "check.h"
#include "logs/lost.h"
#include "logs/tree/tree_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const labels_of[] = {"a", "b", "c"};
static const asif_tree_labels labels = {2, 3, labels_of, labels_of};

/* Episode: act 0, then lost (x 0 or 2), act 1, then x 1, act `last`. */
static void add_lost(asif_tree_builder *b, uint64_t unit, uint32_t last, double weight) {
    static const uint32_t seen[] = {0, 1, 2, 1}, before[] = {0, 1};
    const uint32_t action[] = {1, last};
    const uint64_t row[] = {2, 3};
    const double log_of[] = {log(0.25), log(0.75)};
    asif_tree_completions all = {2, seen, log_of};
    assert_int_equal(asif_tree_episode(b, 0, unit, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, weight, 1, NULL), ASIF_OK);
    assert_int_equal(asif_tree_lose(b, 2, before, action, row, weight, &all, NULL), ASIF_OK);
}

static void add_whole(asif_tree_builder *b, uint64_t unit) {
    assert_int_equal(asif_tree_episode(b, 0, unit, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 1, 1, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(b, 0, 1, 1, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 1, 1, 2, NULL), ASIF_OK);
}

/* Units p, q and r: p has a lost episode twice, q has another one, and r has none. */
static asif_tree *make(bool units, bool turned) {
    static const char *const names[] = {"p", "q", "r"};
    asif_tree_builder *b;
    asif_tree *tree;
    assert_int_equal(asif_tree_begin(&b, context, 1, false, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 4; i++)
        switch (turned ? 3 - i : i) {
        case 0:
        case 2:
            add_lost(b, units ? 0 : ASIF_NO_UNIT, 0, 1);
            break;
        case 1:
            add_lost(b, units ? 1 : ASIF_NO_UNIT, 1, 2.5);
            break;
        default:
            add_whole(b, units ? 2 : ASIF_NO_UNIT);
        }
    asif_tree_units of = {3, names, 0, NULL, NULL};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, units ? &of : NULL, NULL, NULL),
                     ASIF_OK);
    return tree;
}

static char *bytes_of(const asif_tree *tree, uint64_t *length) {
    char *bytes;
    assert_int_equal(asif_tree_bytes(&bytes, length, tree, NULL), ASIF_OK);
    return bytes;
}

static void same(const asif_tree *a, const asif_tree *b) {
    uint64_t n, m;
    char *x = bytes_of(a, &n), *y = bytes_of(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    asif_memory_free(context, x);
    asif_memory_free(context, y);
}

/* Nodes: 0 the root, 1..3 after a, b, c; 4 after (a, 1 b), 5 after (c, 1 b). */
static void shape(void **state) {
    (void)state;
    asif_tree *tree = make(true, false), *turned = make(true, true);
    const asif_tree_view *t = asif_tree_inside(tree);
    assert_int_equal(t->nodes, 6);
    assert_int_equal(t->lost, 2);
    assert_true(t->lost_weight[0] == 2 && t->lost_weight[1] == 2.5);
    assert_true(t->unit_lost[0] == 0 && t->unit_lost[1] == 1 && t->unit_lost[2] == 2 && t->unit_lost[3] == 2);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(t->lost_length[k], 2);
        assert_int_equal(t->lost_action[k], k);
        assert_int_equal(t->completion_node[2 * k], 4);
        assert_int_equal(t->completion_node[2 * k + 1], 5);
        assert_int_equal(asif_lost_after(t, k), 0);
        assert_int_equal(asif_lost_root(t, k), 0);
    }
    assert_true(t->count[0] == 5.5); /* all first decisions are counted */
    assert_true(asif_tree_info(tree)->weight == 5.5 + 1 + 2 * 4.5);
    assert_true(asif_lost_decisions(t) == 9);
    uint32_t step[6];
    uint64_t longest;
    asif_tree_steps(step, tree);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(step[i], i == 0 ? 0 : i < 4 ? 1 : 2);
    assert_int_equal(asif_tree_longest(&longest, tree, NULL), ASIF_OK);
    assert_int_equal(longest, 3);
    same(tree, turned);
    asif_tree_free(tree);
    asif_tree_free(turned);
}

static void parts(void **state) {
    (void)state;
    asif_tree *tree = make(true, false), *whole = make(false, false), *all, *one, *rest, *merged;
    assert_int_equal(asif_tree_select(&all, tree, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_inside(all)->lost, 2);
    assert_memory_equal(asif_tree_inside(all)->count, asif_tree_inside(whole)->count, 12 * sizeof(double));
    assert_int_equal(asif_tree_select_units(&one, tree, (bool[]){false, true, false}, NULL, true, NULL),
                     ASIF_OK);
    assert_int_equal(asif_tree_inside(one)->nodes, 5); /* not b after a */
    assert_true(asif_tree_inside(one)->lost == 1 && asif_tree_inside(one)->lost_weight[0] == 2.5);
    assert_int_equal(asif_tree_inside(one)->unit_lost[1], 1);
    assert_int_equal(asif_tree_select_units(&rest, tree, (bool[]){true, false, true}, NULL, true, NULL),
                     ASIF_OK);
    assert_int_equal(asif_tree_merge(&merged, one, rest, NULL), ASIF_OK);
    const asif_tree_view *t = asif_tree_inside(tree), *m = asif_tree_inside(merged);
    assert_int_equal(m->lost, t->lost);
    assert_memory_equal(m->lost_weight, t->lost_weight, 2 * sizeof(double));
    assert_memory_equal(m->completion_node, t->completion_node, 4 * sizeof(uint32_t));
    assert_memory_equal(m->unit_lost, t->unit_lost, 4 * sizeof(uint64_t));
    assert_memory_equal(m->count, t->count, 12 * sizeof(double));
    asif_tree *const trees[] = {tree, whole, all, one, rest, merged};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        asif_tree_free(trees[i]);
}

/* Trees without units: all weights twice, everything else the same. */
static void merged_without_units(void **state) {
    (void)state;
    asif_tree *tree = make(false, false), *twice;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_tree_merge(&twice, tree, tree, &error), ASIF_OK);
    const asif_tree_view *t = asif_tree_inside(tree), *m = asif_tree_inside(twice);
    assert_true(m->units == 0 && m->nodes == t->nodes && m->lost == t->lost);
    assert_memory_equal(m->completion_node, t->completion_node, 4 * sizeof(uint32_t));
    for (uint32_t k = 0; k < 2; k++)
        assert_true(m->lost_weight[k] == 2 * t->lost_weight[k]);
    for (uint32_t i = 0; i < 12; i++)
        assert_true(m->count[i] == 2 * t->count[i]);
    asif_tree_free(tree);
    asif_tree_free(twice);
}

static void saved(void **state) {
    (void)state;
    asif_tree *tree = make(true, false), *again;
    uint64_t length;
    char *bytes = bytes_of(tree, &length);
    assert_int_equal(bytes[12], 3);
    assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, NULL), ASIF_OK);
    same(tree, again);
    assert_int_equal(asif_tree_inside(again)->completion[2], 4);
    asif_tree_free(again);
    asif_memory_free(context, bytes);
    const struct {
        void *at;
        const void *value;
        size_t size;
    } wrong[] = {
        {&tree->lost_weight[0], &(double){0}, 8},       {&tree->lost_weight[0], &(double){NAN}, 8},
        {&tree->lost_length[0], &(uint32_t){0}, 4},     {&tree->lost_length[0], &(uint32_t){3}, 4},
        {&tree->lost_action[1], &(uint32_t){2}, 4},     {&tree->completion[1], &(uint64_t){5}, 8},
        {&tree->completion[0], &(uint64_t){1}, 8},      {&tree->completion_node[0], &(uint32_t){5}, 4},
        {&tree->completion_node[1], &(uint32_t){6}, 4}, {&tree->completion_log[1], &(double){0}, 8},
        {&tree->completion_log[1], &(double){NAN}, 8},  {&tree->unit_lost[1], &(uint64_t){3}, 8},
        {&tree->unit_lost[3], &(uint64_t){1}, 8}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char kept[8];
        asif_error error = ASIF_ERROR_INIT;
        memcpy(kept, wrong[i].at, wrong[i].size);
        memcpy(wrong[i].at, wrong[i].value, wrong[i].size);
        bytes = bytes_of(tree, &length);
        assert_int_equal(asif_tree_load_bytes(&again, context, bytes, length, &error), ASIF_EPARSE);
        assert_non_null(strstr(error.message, "damaged"));
        asif_memory_free(context, bytes);
        memcpy(wrong[i].at, kept, wrong[i].size);
    }
    asif_tree_free(tree);
}

/* Two completions of two decisions, by hand. */
static void numbers(void **state) {
    (void)state;
    asif_tree *tree = make(true, false);
    const asif_tree_view *t = asif_tree_inside(tree);
    double policy[6][2] = {{.5, .5}, {.9, .1}, {.5, .5}, {.3, .7}, {.2, .8}, {.6, .4}};
    double log_policy[12], slope[12], count[12] = {0}, taken[2] = {0};
    for (uint32_t i = 0; i < 12; i++) {
        log_policy[i] = log(policy[i / 2][i % 2]);
        slope[i] = i;
    }
    double first = .25 * .1 * .2, second = .75 * .7 * .6, value = asif_lost_log(t, 0, log_policy);
    CHECK_NEAR(value, log(first + second), 1e-15);
    CHECK_NEAR(asif_lost_total(t, log_policy), 2 * value + 2.5 * log(.25 * .1 * .8 + .75 * .7 * .4), 1e-14);
    asif_lost_share(count, t, 0, value, log_policy);
    double share = first / (first + second);
    CHECK_NEAR(count[2 * 1 + 1], 2 * share, 1e-15);
    CHECK_NEAR(count[2 * 4 + 0], 2 * share, 1e-15);
    CHECK_NEAR(count[2 * 3 + 1], 2 * (1 - share), 1e-15);
    CHECK_NEAR(count[2 * 5 + 0], 2 * (1 - share), 1e-15);
    CHECK_NEAR(asif_lost_slope(t, 0, value, log_policy, slope), share * (3 + 8) + (1 - share) * (7 + 10),
               1e-13);
    asif_lost_taken(taken, t, 1);
    assert_true(taken[0] == 0 && taken[1] == 5);
    /* many agents: the second one never does b after c */
    double many[12 * 2], total[2] = {1, 1};
    for (uint32_t i = 0; i < 12; i++) {
        many[2 * i] = log_policy[i];
        many[2 * i + 1] = i == 7 ? -INFINITY : log_policy[i];
    }
    asif_lost_many(total, t, many, 2);
    CHECK_NEAR(total[0], 1 + asif_lost_total(t, log_policy), 1e-14);
    CHECK_NEAR(total[1], 1 + 2 * log(first) + 2.5 * log(.25 * .1 * .8), 1e-14);
    log_policy[3] = log_policy[7] = -INFINITY;
    assert_true(asif_lost_log(t, 0, log_policy) == -INFINITY);
    asif_tree_free(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape), cmocka_unit_test(parts),   cmocka_unit_test(merged_without_units),
        cmocka_unit_test(saved), cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
