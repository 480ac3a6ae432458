/* The history tree against a plain list of histories, and what must not depend on order, halves or units. */
#include "random_logs.h"

#include "base/context.h"

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

/* ---- the reference: histories as texts, looked for one after the other ---- */

typedef struct {
    uint32_t length;
    uint32_t text[3 + 2 * MOST_STEPS]; /* start, then action, observation, ... */
    double count[8];
    double by_unit[MOST_UNITS][8];
    uint64_t first_row;
} history;

typedef struct {
    uint32_t count;
    history *list;
} histories;

static history *look_up(histories *h, const uint32_t *text, uint32_t length) {
    for (uint32_t i = 0; i < h->count; i++)
        if (h->list[i].length == length && memcmp(h->list[i].text, text, length * sizeof *text) == 0)
            return &h->list[i];
    return NULL;
}

static history *look_up_or_add(histories *h, const uint32_t *text, uint32_t length, uint64_t row) {
    history *found = look_up(h, text, length);
    if (!found) {
        h->list = realloc(h->list, (h->count + 1) * sizeof *h->list);
        found = &h->list[h->count++];
        memset(found, 0, sizeof *found);
        found->length = length;
        memcpy(found->text, text, length * sizeof *text);
        found->first_row = row;
    }
    if (row && (!found->first_row || row < found->first_row))
        found->first_row = row;
    return found;
}

/* Every prefix of an act that counts is a history; the row of one is that of its last observation. */
static histories naive(const random_logs *l) {
    histories h = {0};
    for (uint32_t s = 0; s < l->starts; s++)
        look_up_or_add(&h, &s, 1, 0);
    for (uint32_t e = 0; e < l->episodes; e++) {
        const episode *x = &l->episode[e];
        uint32_t text[3 + 2 * MOST_STEPS] = {x->start}, length = 1;
        uint64_t row[3 + 2 * MOST_STEPS] = {x->steps ? x->step[0].row : 0};
        if (x->first != ASIF_ANY && x->steps) {
            row[length] = x->step[0].row;
            text[length++] = 0;
            row[length] = x->step[0].row;
            text[length++] = x->first;
        }
        for (uint32_t i = 0; i < x->steps; i++) {
            if (x->step[i].weight > 0) {
                for (uint32_t k = 1; k <= length; k += 2)
                    look_up_or_add(&h, text, k, k > 1 || x->first != ASIF_ANY ? row[k - 1] : 0);
                history *at = look_up(&h, text, length);
                at->count[x->step[i].action] += x->step[i].weight;
                if (l->units)
                    at->by_unit[x->unit][x->step[i].action] += x->step[i].weight;
            }
            row[length] = x->step[i].row;
            text[length++] = x->step[i].action;
            row[length] = x->step[i].row;
            text[length++] = x->step[i].observation;
        }
    }
    return h;
}

static uint32_t history_of(const asif_tree_view *v, uint32_t node, uint32_t *text) {
    uint32_t length = 0;
    if (v->parent[node] == ASIF_ANY) {
        text[length++] = node;
        return length;
    }
    length = history_of(v, v->parent[node], text);
    text[length++] = v->action[node];
    text[length++] = v->observation[node];
    return length;
}

static uint32_t unit_named(const asif_tree *tree, uint32_t unit) {
    for (uint32_t u = 0; u < tree->view.units; u++)
        if (strcmp(asif_tree_unit_name(tree, u), unit_text[unit]) == 0)
            return u;
    fail_msg("no unit is called %s", unit_text[unit]);
    return 0;
}

static double entry_of(const asif_tree_view *v, uint32_t unit, uint32_t node, uint32_t action) {
    for (uint64_t i = v->unit[unit]; i < v->unit[unit + 1]; i++)
        if (v->entry_node[i] == node && v->entry_action[i] == action)
            return v->entry_count[i];
    return 0;
}

static void check_against_naive(const random_logs *l, const asif_tree *tree) {
    double tol = l->weights == WEIGHT_ANY ? 1e-13 : 0;
    histories h = naive(l);
    asif_tree_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_tree_get(tree, &v, NULL), ASIF_OK);
    assert_int_equal(v.nodes, h.count);
    uint64_t acted = 0;
    double weight = 0;
    uint32_t before[3 + 2 * MOST_STEPS];
    for (uint32_t level = 0; level < v.levels; level++)
        for (uint64_t i = v.level[level]; i < v.level[level + 1]; i++) {
            uint32_t text[3 + 2 * MOST_STEPS], length = history_of(&v, (uint32_t)i, text);
            assert_int_equal(length, 1 + 2 * level);
            history *want = look_up(&h, text, length);
            assert_non_null(want);
            bool any = false;
            for (uint32_t u = 0; u < l->actions; u++) {
                CHECK_NEAR(v.count[i * v.actions + u], want->count[u], tol);
                any = any || want->count[u] > 0;
                weight += want->count[u];
                for (uint32_t k = 0; k < l->units; k++)
                    CHECK_NEAR(entry_of(&v, unit_named(tree, k), (uint32_t)i, u), want->by_unit[k][u], tol);
            }
            acted += any;
            if (v.parent[i] != ASIF_ANY)
                assert_int_equal(v.first_row[i], want->first_row);
            /* histories of a level in the order of their labels, ASIF_ANY being the largest number */
            if (i > v.level[level]) {
                uint32_t k = 0;
                while (k < length && text[k] == before[k])
                    k++;
                assert_true(k < length && before[k] < text[k]);
            }
            memcpy(before, text, sizeof text);
        }
    const asif_logs_info *info = asif_tree_info(tree);
    assert_int_equal(info->nodes, acted);
    CHECK_NEAR(info->weight, weight, 1e-13);
    assert_false(info->states_seen);
    free(h.list);
}

static uint64_t end_of(const asif_tree_view *v, const uint32_t *text, uint32_t length, uint32_t action,
                       uint32_t observation) {
    for (uint64_t i = 0; i < v->ends; i++) {
        uint32_t found[3 + 2 * MOST_STEPS];
        if (v->end_action[i] == action && v->end_observation[i] == observation &&
            history_of(v, v->end_node[i], found) == length && memcmp(found, text, length * sizeof *text) == 0)
            return i;
    }
    fail_msg("what was seen after a last decision is not there");
    return 0;
}

/* What followed the last decision that counts of each episode is taken away from the ends, until nothing is
 * left. */
static uint64_t check_ends(const random_logs *l, const asif_tree *tree) {
    double tol = l->weights == WEIGHT_ANY ? 1e-13 : 0, left[400], left_by_unit[400];
    uint64_t found = 0;
    asif_tree_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_tree_get(tree, &v, NULL), ASIF_OK);
    assert_true(v.ends_known && v.ends < 400 && v.unit_end[v.units] < 400);
    for (uint64_t i = 0; i < v.ends; i++)
        left[i] = v.end_count[i];
    for (uint64_t i = 0; i < v.unit_end[v.units]; i++)
        left_by_unit[i] = v.ending_count[i];
    for (uint32_t e = 0; e < l->episodes; e++) {
        const episode *x = &l->episode[e];
        uint32_t text[3 + 2 * MOST_STEPS] = {x->start}, length = 1, last = x->steps;
        for (uint32_t i = 0; i < x->steps; i++)
            last = x->step[i].weight > 0 ? i : last;
        if (last == x->steps || x->step[last].observation == ASIF_ANY)
            continue;
        if (x->first != ASIF_ANY) {
            text[length++] = 0;
            text[length++] = x->first;
        }
        for (uint32_t i = 0; i < last; i++) {
            text[length++] = x->step[i].action;
            text[length++] = x->step[i].observation;
        }
        uint64_t end = end_of(&v, text, length, x->step[last].action, x->step[last].observation);
        left[end] -= x->step[last].weight;
        found++;
        if (!l->units)
            continue;
        uint32_t unit = unit_named(tree, (uint32_t)x->unit);
        uint64_t k = v.unit_end[unit];
        while (k < v.unit_end[unit + 1] && v.ending[k] != end)
            k++;
        assert_true(k < v.unit_end[unit + 1]);
        left_by_unit[k] -= x->step[last].weight;
    }
    for (uint64_t i = 0; i < v.ends; i++)
        CHECK_NEAR(left[i], 0, tol * 100);
    for (uint64_t i = 0; i < v.unit_end[v.units]; i++)
        CHECK_NEAR(left_by_unit[i], 0, tol * 100);
    return found;
}

static void check_states(const random_logs *l, const asif_tree *tree) {
    double tol = l->weights == WEIGHT_ANY ? 1e-13 : 0;
    double count[8][8] = {{0}}, transition[8][8][8] = {{{0}}};
    uint64_t first_row[8] = {0}, found = 0;
    for (uint32_t e = 0; e < l->episodes; e++)
        for (uint32_t i = 0; i < l->episode[e].steps; i++) {
            const episode *x = &l->episode[e];
            uint32_t s = x->step[i].observation, u = x->step[i].action;
            count[s][u] += x->step[i].weight;
            if (i + 1 < x->steps)
                transition[s][u][x->step[i + 1].observation] += x->step[i].weight;
            if (x->step[i].weight > 0 && !first_row[s])
                first_row[s] = x->step[i].row;
        }
    asif_tree_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_tree_get(tree, &v, NULL), ASIF_OK);
    assert_true(v.states_seen && v.nodes == l->observations && v.levels == 1 && v.level[1] == v.nodes);
    for (uint32_t s = 0; s < v.nodes; s++) {
        assert_true(v.parent[s] == ASIF_ANY && v.observation[s] == s);
        assert_int_equal(v.first_row[s], first_row[s]);
        for (uint32_t u = 0; u < l->actions; u++) {
            CHECK_NEAR(v.count[s * v.actions + u], count[s][u], tol);
            for (uint32_t next = 0; next < l->observations; next++)
                if (transition[s][u][next] > 0) {
                    assert_true(v.from[found] == s && v.did[found] == u && v.to[found] == next);
                    CHECK_NEAR(v.transition_count[found++], transition[s][u][next], tol);
                }
        }
    }
    assert_int_equal(v.transitions, found);
}

static void like_a_list_of_histories(void **state) {
    (void)state;
    uint64_t seed = 1, ends = 0;
    for (uint32_t round = 0; round < 300; round++) {
        random_logs l = make_logs(below(60, &seed), &seed);
        asif_tree *tree;
        assert_int_equal(make_tree(&tree, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
        if (l.states_seen)
            check_states(&l, tree);
        else
            check_against_naive(&l, tree);
        if (!l.states_seen)
            ends += check_ends(&l, tree);
        asif_tree_free(tree);
        free(l.episode);
    }
    assert_true(ends > 1000);
}

static void order_of_episodes_is_nothing(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (uint32_t round = 0; round < 300; round++) {
        random_logs l = make_logs(100, &seed);
        uint32_t order[100];
        asif_tree *a, *b;
        shuffle(order, l.episodes, &seed);
        assert_int_equal(make_tree(&a, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
        assert_int_equal(make_tree(&b, context, &l, order, 0, l.episodes, NULL), ASIF_OK);
        CHECK(!difference(a, b), "round %u: %s", round, difference(a, b));
        asif_tree_free(a);
        asif_tree_free(b);
        free(l.episode);
    }
}

/* Labels numbered as they come, and put in order at the end. */
static void numbers_of_labels_are_nothing(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint32_t round = 0; round < 200; round++) {
        random_logs l = make_logs(50, &seed);
        uint32_t action[8], observation[8], action_order[8], observation_order[8];
        asif_tree *a, *b;
        assert_int_equal(make_tree(&a, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
        shuffle(action, l.actions, &seed);
        shuffle(observation, l.observations, &seed);
        for (uint32_t i = 0; i < l.actions; i++)
            action_order[action[i]] = i;
        for (uint32_t i = 0; i < l.observations; i++)
            observation_order[observation[i]] = i;
        asif_tree_builder *builder;
        assert_int_equal(asif_tree_begin(&builder, context, l.starts, l.states_seen, NULL), ASIF_OK);
        for (uint32_t e = 0; e < l.episodes; e++) {
            episode *x = &l.episode[e];
            for (uint32_t i = 0; i < x->steps; i++) {
                x->step[i].action = action[x->step[i].action];
                if (x->step[i].observation != ASIF_ANY)
                    x->step[i].observation = observation[x->step[i].observation];
            }
            if (x->first != ASIF_ANY && !l.states_seen && x->steps) {
                /* add_episode() says action 0 before the first observation */
                assert_int_equal(asif_tree_episode(builder, x->start, x->unit, NULL), ASIF_OK);
                assert_int_equal(
                    asif_tree_move(builder, action[0], observation[x->first], x->step[0].row, NULL), ASIF_OK);
                for (uint32_t i = 0; i < x->steps; i++) {
                    assert_int_equal(
                        asif_tree_act(builder, x->step[i].action, x->step[i].weight, x->step[i].row, NULL),
                        ASIF_OK);
                    assert_int_equal(asif_tree_move(builder, x->step[i].action, x->step[i].observation,
                                                    x->step[i].row, NULL),
                                     ASIF_OK);
                }
            } else {
                assert_int_equal(add_episode(builder, &l, x, NULL), ASIF_OK);
            }
        }
        asif_tree_labels labels = {l.actions, l.observations, label_text, label_text};
        asif_tree_units units = {l.units, unit_text, 2, covariate_names, covariate_text};
        asif_logs_info info = logs_info(&l, 0, l.episodes);
        assert_int_equal(asif_tree_finish(&b, builder, &labels, action_order, observation_order,
                                          l.units ? &units : NULL, &info, NULL),
                         ASIF_OK);
        CHECK(!difference(a, b), "round %u: %s", round, difference(a, b));
        asif_tree_free(a);
        asif_tree_free(b);
        free(l.episode);
    }
}

static void merged_halves_are_the_whole(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (uint32_t round = 0; round < 400; round++) {
        random_logs l = make_logs(60, &seed);
        uint32_t half = below(l.episodes + 1, &seed);
        asif_tree *a, *b, *whole, *merged;
        assert_int_equal(make_tree(&a, context, &l, NULL, 0, half, NULL), ASIF_OK);
        assert_int_equal(make_tree(&b, context, &l, NULL, half, l.episodes, NULL), ASIF_OK);
        assert_int_equal(make_tree(&whole, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
        assert_int_equal(asif_tree_merge(&merged, a, b, NULL), ASIF_OK);
        /* units were all named in both halves; without units a subject cannot be known again */
        if (!l.units)
            assert_int_equal(merged->info.subjects, 0);
        CHECK(!difference(whole, merged), "round %u: %s", round, difference(whole, merged));
        asif_tree_free(a);
        asif_tree_free(b);
        asif_tree_free(merged);
        asif_tree_free(whole);
        free(l.episode);
    }
}

/* A tree of one act, under one name of a unit. */
static asif_tree *small_tree(uint32_t actions, uint32_t starts, bool states_seen, const char *unit,
                             const char *covariate) {
    asif_tree_builder *b;
    asif_tree *tree;
    assert_int_equal(asif_tree_begin(&b, context, starts, states_seen, NULL), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 0, unit ? 0 : ASIF_NO_UNIT, NULL), ASIF_OK);
    assert_int_equal(states_seen ? asif_tree_state(b, 0, 0, ASIF_ANY, 1, 1, NULL)
                                 : asif_tree_act(b, 0, 1, 1, NULL),
                     ASIF_OK);
    asif_tree_labels labels = {actions, 2, label_text, label_text};
    asif_tree_units units = {1, &unit, covariate ? 1 : 0, covariate_names, &covariate};
    asif_logs_info info = {.rows = 1, .subjects = 1, .episodes = 1, .decisions = 1, .longest = 1};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, unit ? &units : NULL, &info, NULL),
                     ASIF_OK);
    return tree;
}

static void merging_units(void **state) {
    (void)state;
    static const struct {
        const char *a, *a_age, *b, *b_age;
        uint64_t units, subjects;
        const char *name, *age;
    } rows[] = {
        {"p1", "40", "p1", "40", 1, 1, "p1", "40"},   {"p1", "", "p1", "41", 1, 1, "p1", "41"},
        {"p1", "40", "p1", "41", 1, 1, "p1", "40"},   {"p10", "40", "p9", "41", 2, 2, "p9", "41"},
        {"p01", "40", "p1", "41", 2, 2, "p01", "40"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_tree *a = small_tree(2, 1, false, rows[i].a, rows[i].a_age);
        asif_tree *b = small_tree(2, 1, false, rows[i].b, rows[i].b_age), *merged;
        assert_int_equal(asif_tree_merge(&merged, a, b, NULL), ASIF_OK);
        assert_int_equal(merged->view.units, rows[i].units);
        assert_int_equal(asif_tree_info(merged)->subjects, rows[i].subjects);
        assert_int_equal(asif_tree_info(merged)->episodes, 2);
        assert_string_equal(asif_tree_unit_name(merged, 0), rows[i].name);
        assert_string_equal(asif_tree_covariate(merged, 0, 0), rows[i].age);
        assert_string_equal(asif_tree_covariate_name(merged, 0), "age");
        assert_null(asif_tree_unit_name(merged, rows[i].units));
        assert_null(asif_tree_covariate(merged, 0, 1));
        CHECK_NEAR(merged->count[0], 2, 0);
        asif_tree_free(a);
        asif_tree_free(b);
        asif_tree_free(merged);
    }
}

static void unlike_trees_are_not_merged(void **state) {
    (void)state;
    static const struct {
        uint32_t actions, starts;
        bool states_seen;
        const char *unit, *covariate, *word;
    } rows[] = {
        {3, 1, false, "p1", NULL, "actions"},    {2, 2, false, "p1", NULL, "start classes"},
        {2, 1, true, "p1", NULL, "kind"},        {2, 1, false, NULL, NULL, "units"},
        {2, 1, false, "p1", "40", "covariates"}, {2, 1, false, "p1", NULL, NULL},
    };
    asif_tree *a = small_tree(2, 1, false, "p1", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_error error = ASIF_ERROR_INIT;
        asif_tree *b = small_tree(rows[i].actions, rows[i].starts, rows[i].states_seen, rows[i].unit,
                                  rows[i].covariate),
                  *merged;
        asif_status status = asif_tree_merge(&merged, a, b, &error);
        assert_int_equal(status, rows[i].word ? ASIF_EINVALID : ASIF_OK);
        assert_true(rows[i].word ? merged == NULL && strstr(error.message, rows[i].word) != NULL
                                 : merged != NULL);
        asif_tree_free(b);
        asif_tree_free(merged);
    }
    asif_tree_free(a);
}

static void groups_add_up(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 200; round++) {
        random_logs l = make_logs(80, &seed);
        asif_tree *tree, *only;
        assert_int_equal(make_tree(&tree, context, &l, NULL, 0, l.episodes, NULL), ASIF_OK);
        uint64_t cells = (uint64_t)tree->view.nodes * l.actions;
        double *all = calloc(cells, sizeof *all), *part = calloc(cells, sizeof *part);
        double *sum = calloc(cells, sizeof *sum);
        bool chosen[MOST_UNITS] = {0};
        if (!l.units) {
            assert_int_equal(asif_tree_counts(tree, chosen, all, NULL), ASIF_EINVALID);
        } else {
            uint32_t group[MOST_UNITS];
            for (uint32_t u = 0; u < l.units; u++)
                group[u] = below(3, &seed);
            for (uint32_t g = 0; g < 3; g++) {
                for (uint32_t u = 0; u < l.units; u++)
                    chosen[u] = group[u] == g;
                assert_int_equal(asif_tree_counts(tree, chosen, part, NULL), ASIF_OK);
                for (uint64_t i = 0; i < cells; i++)
                    sum[i] += part[i];
            }
            memset(chosen, 1, sizeof chosen);
            assert_int_equal(asif_tree_counts(tree, chosen, all, NULL), ASIF_OK);
            assert_memory_equal(all, tree->count, cells * sizeof *all);
            for (uint64_t i = 0; i < cells; i++)
                CHECK_NEAR(sum[i], all[i], l.weights == WEIGHT_ANY ? 1e-14 : 0);
            /* the group of one unit is the tree of its episodes, on the nodes of the whole */
            uint32_t unit = below(l.units, &seed);
            memset(chosen, 0, sizeof chosen);
            chosen[unit_named(tree, unit)] = true;
            assert_int_equal(asif_tree_counts(tree, chosen, part, NULL), ASIF_OK);
            uint32_t kept = 0;
            for (uint32_t e = 0; e < l.episodes; e++)
                if (l.episode[e].unit == unit)
                    l.episode[kept++] = l.episode[e];
            assert_int_equal(make_tree(&only, context, &l, NULL, 0, kept, NULL), ASIF_OK);
            double mine = 0;
            for (uint64_t i = 0; i < cells; i++)
                mine += part[i];
            CHECK_NEAR(mine, asif_tree_info(only)->weight, 1e-13);
            asif_tree_free(only);
        }
        free(all);
        free(part);
        free(sum);
        asif_tree_free(tree);
        free(l.episode);
    }
}

/* Sums that doubles would round differently in every order: tenths, millions, and one 1e-9. */
static void sums_are_exact(void **state) {
    (void)state;
    asif_tree *tree[2];
    enum { TENTHS = 100000 };
    for (uint32_t backwards = 0; backwards < 2; backwards++) {
        asif_tree_builder *b;
        assert_int_equal(asif_tree_begin(&b, context, 1, false, NULL), ASIF_OK);
        for (uint32_t i = 0; i <= TENTHS; i++) {
            double weight = (backwards ? i == TENTHS : i == 0) ? 1e-9 : i % 2 ? .1 : .7;
            assert_int_equal(asif_tree_episode(b, 0, ASIF_NO_UNIT, NULL), ASIF_OK);
            assert_int_equal(asif_tree_act(b, 0, i % 100 == 0 && weight > .05 ? 1e6 : weight, 0, NULL),
                             ASIF_OK);
        }
        asif_tree_labels labels = {1, 0, label_text, label_text};
        assert_int_equal(asif_tree_finish(&tree[backwards], b, &labels, NULL, NULL, NULL, NULL, NULL),
                         ASIF_OK);
    }
    /* 50000 odd ones of .1; 50000 even ones but the small one, of which 1000 are multiples of 100 */
    const double want = 50000 * .1 + 49000 * .7 + 1000 * 1e6 + 1e-9;
    CHECK_NEAR(tree[0]->count[0], want, 1e-15);
    CHECK(!difference(tree[0], tree[1]), "%s", difference(tree[0], tree[1]));
    asif_tree_free(tree[0]);
    asif_tree_free(tree[1]);
}

/* Halves that add up to whole numbers leave no trace, whether they came together or in two trees. */
static void halves_make_a_whole(void **state) {
    (void)state;
    asif_tree *tree[3], *merged;
    asif_tree_labels labels = {1, 0, label_text, label_text};
    for (uint32_t k = 0; k < 3; k++) {
        asif_tree_builder *b;
        assert_int_equal(asif_tree_begin(&b, context, 1, false, NULL), ASIF_OK);
        for (uint32_t i = 0; i < (k == 2 ? 2 : 1); i++) {
            assert_int_equal(asif_tree_episode(b, 0, ASIF_NO_UNIT, NULL), ASIF_OK);
            assert_int_equal(asif_tree_act(b, 0, .5, 1, NULL), ASIF_OK);
        }
        asif_logs_info info = {.episodes = k == 2 ? 2 : 1};
        assert_int_equal(asif_tree_finish(&tree[k], b, &labels, NULL, NULL, NULL, &info, NULL), ASIF_OK);
    }
    assert_int_equal(asif_tree_merge(&merged, tree[0], tree[1], NULL), ASIF_OK);
    assert_true(tree[0]->size.fractional && !tree[2]->size.fractional);
    CHECK(!difference(merged, tree[2]), "%s", difference(merged, tree[2]));
    for (uint32_t k = 0; k < 3; k++)
        asif_tree_free(tree[k]);
    asif_tree_free(merged);
}

static void amounts(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (uint32_t i = 0; i < 100000; i++) {
        double x = ldexp(make_uniform(&seed), (int)below(60, &seed) - 8);
        asif_amount a = asif_amount_of(x);
        /* 53 bits from 2^-12 on are all within 2^-64 */
        if (x >= 0x1p-11)
            assert_true(asif_amount_value(a) == x);
        a.part = (uint64_t)(make_uniform(&seed) * 0x1p64) | below(2, &seed);
        a.whole = floor(ldexp(make_uniform(&seed), (int)below(53, &seed)));
        asif_amount again = asif_amount_again(asif_amount_value(a), a.part);
        assert_true(again.whole == a.whole && again.part == a.part);
    }
    asif_amount sum = {0, 0};
    for (uint32_t i = 0; i < 3; i++)
        asif_amount_add(&sum, asif_amount_of(.75));
    assert_true(sum.whole == 2 && sum.part == (uint64_t)1 << 62);
}

static void refusals(void **state) {
    (void)state;
    asif_tree_builder *b;
    asif_tree *tree;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_tree_begin(&b, context, 0, false, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_tree_begin(&b, context, 2, false, &error), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 1, 1, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_tree_episode(b, 2, 0, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_tree_episode(b, 1, 0, &error), ASIF_OK);
    const double bad[] = {-1, NAN, INFINITY, 0x1p52, 1e-30, -0x1p-80};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(asif_tree_act(b, 0, bad[i], 1, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_tree_state(b, 0, 0, 0, 1, 1, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_tree_act(b, 3, 1, 1, &error), ASIF_OK);
    asif_tree_labels labels = {3, 2, label_text, label_text};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, NULL, NULL, &error), ASIF_EDOMAIN);
    assert_null(tree);

    /* a unit without a name */
    assert_int_equal(asif_tree_begin(&b, context, 1, false, &error), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 0, 1, &error), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 1, 1, &error), ASIF_OK);
    asif_tree_units units = {1, unit_text, 0, NULL, NULL};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, &units, NULL, &error), ASIF_EDOMAIN);

    /* more than fits a sum */
    assert_int_equal(asif_tree_begin(&b, context, 1, false, &error), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 0, ASIF_NO_UNIT, &error), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 0, 0x1p51, 1, &error), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 1, 0x1p51, 1, &error), ASIF_OK);
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, NULL, NULL, &error), ASIF_ETOOBIG);

    /* more nodes than numbers, the limit being put where a test can reach it */
    assert_int_equal(asif_tree_begin(&b, context, 1, false, &error), ASIF_OK);
    b->most = 100;
    assert_int_equal(asif_tree_episode(b, 0, ASIF_NO_UNIT, &error), ASIF_OK);
    asif_status status = ASIF_OK;
    uint32_t made = 0;
    for (; status == ASIF_OK; made++) {
        assert_int_equal(asif_tree_move(b, 0, 0, 0, &error), ASIF_OK);
        status = asif_tree_act(b, 0, 1, 0, &error);
    }
    assert_int_equal(status, ASIF_ETOOBIG);
    assert_int_equal(made, 100);
    assert_non_null(strstr(error.message, "histories"));
    asif_tree_abandon(b);
    asif_tree_abandon(NULL);
    asif_tree_free(NULL);
}

static void what_nobody_did_is_no_node(void **state) {
    (void)state;
    asif_tree_builder *b;
    asif_tree *tree;
    assert_int_equal(asif_tree_begin(&b, context, 2, false, NULL), ASIF_OK);
    assert_int_equal(asif_tree_episode(b, 1, ASIF_NO_UNIT, NULL), ASIF_OK);
    /* nothing was seen, then 1; an act there; then a move that leads nowhere */
    assert_int_equal(asif_tree_move(b, 0, ASIF_ANY, 7, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(b, 0, 1, 8, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 1, 1, 9, NULL), ASIF_OK);
    assert_int_equal(asif_tree_move(b, 1, 0, 9, NULL), ASIF_OK);
    assert_int_equal(asif_tree_act(b, 1, 0, 10, NULL), ASIF_OK);
    asif_tree_labels labels = {2, 2, label_text, label_text};
    assert_int_equal(asif_tree_finish(&tree, b, &labels, NULL, NULL, NULL, NULL, NULL), ASIF_OK);
    const asif_tree_view *v = asif_tree_inside(tree);
    assert_true(asif_tree_context(tree) == context);
    assert_int_equal(v->nodes, 4);
    assert_int_equal(v->levels, 3);
    assert_int_equal(asif_tree_info(tree)->nodes, 1);
    assert_int_equal(asif_tree_info(tree)->decisions, 2);
    const uint64_t first_row[] = {0, 7, 7, 8};
    const uint32_t parent[] = {ASIF_ANY, ASIF_ANY, 1, 2};
    assert_memory_equal(v->first_row, first_row, sizeof first_row);
    assert_memory_equal(v->parent, parent, sizeof parent);
    assert_int_equal(v->observation[2], ASIF_ANY);
    /* what followed the act that counts is an end, what followed the one that does not is nothing */
    assert_int_equal(v->ends, 1);
    assert_true(v->end_node[0] == 3 && v->end_action[0] == 1 && v->end_observation[0] == 0);
    CHECK_NEAR(v->end_count[0], 1, 0);
    assert_string_equal(asif_tree_label(tree, ASIF_LABEL_ACTION, 1), "b");
    assert_string_equal(asif_tree_label(tree, ASIF_LABEL_OBSERVATION, 0), "a");
    assert_null(asif_tree_label(tree, ASIF_LABEL_STATE, 0));
    assert_null(asif_tree_label(tree, ASIF_LABEL_ACTION, 2));
    asif_tree_view odd = {.struct_size = sizeof odd + 8};
    assert_int_equal(asif_tree_get(tree, &odd, NULL), ASIF_EDOMAIN);
    asif_tree_free(tree);
}

static void names_in_their_order(void **state) {
    (void)state;
    static const char *const sorted[] = {"",  "1",    "01x",   "2",  "10",  "00010a", "99999999999999999999",
                                         "a", "a1b2", "a1b10", "a2", "a10", "b"};
    enum { N = sizeof sorted / sizeof *sorted };
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            int order = asif_tree_name_order(sorted[i], sorted[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

/* Every allocation of building, merging, saving to memory and loading fails once. */
static void out_of_memory(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (uint32_t round = 0; round < 6; round++) {
        random_logs l = make_logs(60, &seed);
        l.units = 3;
        l.weights = WEIGHT_ANY;
        for (uint32_t e = 0; e < l.episodes; e++)
            l.episode[e].unit = e % 3;
        bool done = false;
        for (long left = 0; !done; left++) {
            failing_memory memory = {.left = -1};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            options.reallocate = failing_reallocate;
            options.user = &memory;
            asif_context *poor;
            assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
            memory.left = left;
            asif_tree *a = NULL, *b = NULL, *merged = NULL, *again = NULL;
            char *bytes = NULL;
            uint64_t length = 0;
            asif_error error = ASIF_ERROR_INIT;
            asif_status status = make_tree(&a, poor, &l, NULL, 0, 30, &error);
            if (status == ASIF_OK)
                status = make_tree(&b, poor, &l, NULL, 30, 60, &error);
            if (status == ASIF_OK)
                status = asif_tree_merge(&merged, a, b, &error);
            if (status == ASIF_OK)
                status = asif_tree_bytes(&bytes, &length, merged, &error);
            if (status == ASIF_OK)
                status = asif_tree_load_bytes(&again, poor, bytes, length, &error);
            if (status == ASIF_OK) {
                done = true;
                assert_null(difference(merged, again));
            } else {
                assert_int_equal(status, ASIF_ENOMEM);
                assert_int_equal(error.status, ASIF_ENOMEM);
            }
            asif_memory_free(poor, bytes);
            asif_tree_free(a);
            asif_tree_free(b);
            asif_tree_free(merged);
            asif_tree_free(again);
            assert_int_equal(memory.alive, 1);
            asif_context_free(poor);
        }
        free(l.episode);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_list_of_histories),
        cmocka_unit_test(order_of_episodes_is_nothing),
        cmocka_unit_test(numbers_of_labels_are_nothing),
        cmocka_unit_test(merged_halves_are_the_whole),
        cmocka_unit_test(merging_units),
        cmocka_unit_test(unlike_trees_are_not_merged),
        cmocka_unit_test(groups_add_up),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(halves_make_a_whole),
        cmocka_unit_test(amounts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(what_nobody_did_is_no_node),
        cmocka_unit_test(names_in_their_order),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
