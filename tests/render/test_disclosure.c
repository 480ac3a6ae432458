/* What is told of counts: every table of a small problem is told, and whoever sees only what was told must
 * find every value of a small count possible. */
#include "check.h"

#include "render/disclosure/disclosure_tree.h"

#include <math.h>
#include <stdlib.h>
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

/* ---- every table ---- */

#define MOST_NODES 4
#define MOST_ACTIONS 3
#define MOST_PARTS 12
#define LIMIT 3

/* Histories, and of which parts of the total each of their actions is made; a bit for a part. What is behind
 * no action is a rest: `rest`. */
typedef struct {
    const char *name;
    uint32_t nodes, actions, parts, total;
    uint32_t firsts, observations;
    uint32_t parent[MOST_NODES], by[MOST_NODES];
    uint32_t of[MOST_NODES][MOST_ACTIONS];
    uint32_t rest;
} problem;

#define NONE ASIF_ANY
static const problem problems[] = {
    {"one decision of two actions", 1, 2, 2, 12, 1, 0, {NONE}, {0}, {{1, 2}}, 0},
    {"one decision of three actions", 1, 3, 3, 24, 1, 0, {NONE}, {0}, {{1, 2, 4}}, 0},
    {"two observations", 3, 2, 6, 17, 1, 2, {NONE, 0, 0}, {0, 1, 1}, {{1, 62}, {2, 4}, {8, 16}}, 32},
    {"one after the other", 3, 2, 6, 17, 1, 0, {NONE, 0, 1}, {0, 1, 1}, {{1, 62}, {2, 44}, {4, 8}}, 48},
    {"three actions, one observation", 2, 3, 6, 16, 1, 1, {NONE, 0}, {0, 2}, {{1, 2, 60}, {4, 8, 16}}, 32},
    {"two states, no others", 2, 2, 4, 20, 2, 0, {NONE, NONE}, {0, 0}, {{1, 2}, {4, 8}}, 0},
    {"two states among others", 2, 2, 5, 18, 3, 0, {NONE, NONE}, {0, 0}, {{1, 2}, {4, 8}}, 16},
    {"three states", 3, 2, 6, 15, 3, 0, {NONE, NONE, NONE}, {0, 0, 0}, {{1, 2}, {4, 8}, {16, 32}}, 0},
};
#define PROBLEMS (sizeof problems / sizeof *problems)

/* Everything told of a table, and which values the counts had in all tables told alike. */
typedef struct {
    uint64_t print;
    uint32_t value[MOST_PARTS + MOST_NODES];   /* a bit for each */
    uint32_t without[MOST_PARTS + MOST_NODES]; /* the same of tables in which all rests are none */
} told_alike;

typedef struct {
    const problem *p;
    uint32_t likely; /* a bit for each history: its last action is the likely one, else the first */
    uint32_t part[MOST_PARTS];
    told_alike *found;
    uint64_t room, tables, shown;
    double widest;
} enumeration;

static uint64_t mix(uint64_t print, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    print ^= bits + UINT64_C(0x9e3779b97f4a7c15) + (print << 6) + (print >> 2);
    print *= UINT64_C(0xff51afd7ed558ccd);
    return print ^ print >> 29;
}

static double sum_of(const enumeration *e, uint32_t parts) {
    double sum = 0;
    for (uint32_t k = 0; k < e->p->parts; k++)
        sum += parts >> k & 1 ? e->part[k] : 0;
    return sum;
}

static uint32_t parts_at(const problem *p, uint32_t i) {
    uint32_t parts = 0;
    for (uint32_t u = 0; u < p->actions; u++)
        parts |= p->of[i][u];
    return parts;
}

static told_alike *find(enumeration *e, uint64_t print) {
    uint64_t at = print % e->room;
    while (e->found[at].print && e->found[at].print != print)
        at = (at + 1) % e->room;
    e->found[at].print = print;
    return &e->found[at];
}

/* The truth must lie in what is told of it. */
static uint64_t look_at(enumeration *e, uint64_t print, asif_cell cell, uint32_t parts) {
    double count = sum_of(e, parts);
    CHECK(cell.low <= count && count <= cell.high, "%s", e->p->name);
    e->shown++;
    e->widest = fmax(e->widest, cell.high - cell.low);
    return mix(mix(print, cell.low), cell.high);
}

static uint64_t tell(enumeration *e) {
    const problem *p = e->p;
    static const bool ends[MOST_ACTIONS] = {true};
    static const uint32_t order[MOST_NODES] = {0, 1, 2, 3};
    asif_disclosure_node node[MOST_NODES];
    asif_cell cell[MOST_NODES][MOST_ACTIONS];
    double taken[MOST_NODES][MOST_ACTIONS], predicted[MOST_NODES][MOST_ACTIONS];
    asif_disclosure_tree tree = {LIMIT,           p->actions, 0, p->total, p->firsts,
                                 p->observations, ends,       0, order,    node};
    uint32_t at[MOST_NODES];
    uint64_t print = 1;
    /* As in a fit, a history at which nobody acted is not listed. */
    for (uint32_t h = 0; h < p->nodes; h++) {
        uint32_t i = tree.nodes;
        at[h] = sum_of(e, parts_at(p, h)) > 0 ? tree.nodes++ : NONE;
        if (at[h] == NONE)
            continue;
        node[i] = (asif_disclosure_node){.parent = p->parent[h] == NONE ? NONE : at[p->parent[h]],
                                         .by = p->by[h],
                                         .taken = taken[i],
                                         .predicted = predicted[i],
                                         .action = cell[i]};
        for (uint32_t u = 0; u < p->actions; u++) {
            taken[i][u] = sum_of(e, p->of[h][u]);
            predicted[i][u] = u == (e->likely >> h & 1 ? p->actions - 1 : 0) ? 0.9 : 0.05;
        }
    }
    assert_int_equal(asif_disclosure_tell(&tree, context, NULL), ASIF_OK);
    for (uint32_t h = 0; h < p->nodes; h++) {
        uint32_t i = at[h];
        print = mix(print, i != NONE && node[i].shown);
        if (i == NONE || !node[i].shown)
            continue;
        print = look_at(e, print, node[i].decisions, parts_at(p, h));
        for (uint32_t u = 0; u < p->actions; u++)
            print = look_at(e, print, cell[i][u], p->of[h][u]);
    }
    return print ? print : 1;
}

/* Counts to be kept: the parts, and the decisions at each history. */
static uint32_t kept(const problem *p, uint32_t k) {
    return k < p->parts ? UINT32_C(1) << k : parts_at(p, k - p->parts);
}

static void note(enumeration *e) {
    told_alike *alike = find(e, tell(e));
    bool none = sum_of(e, e->p->rest) == 0;
    e->tables++;
    for (uint32_t k = 0; k < e->p->parts + e->p->nodes; k++) {
        uint32_t bit = UINT32_C(1) << (uint32_t)sum_of(e, kept(e->p, k));
        alike->value[k] |= bit;
        alike->without[k] |= none ? bit : 0;
    }
}

static void go_over(enumeration *e, uint32_t k, uint32_t left) {
    if (k + 1 == e->p->parts) {
        e->part[k] = left;
        note(e);
        return;
    }
    for (uint32_t n = 0; n <= left; n++) {
        e->part[k] = n;
        go_over(e, k + 1, left - n);
    }
}

static uint32_t different(uint32_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* A count that may be small may be as many numbers as are small. */
static bool is_hidden(uint32_t values) {
    return !(values & ((UINT32_C(1) << LIMIT) - 1)) || different(values) >= LIMIT;
}

/* Also for those who know from elsewhere that no episode was cut, unless what follows is not known. */
static void check_alike(const enumeration *e, const told_alike *alike) {
    const problem *p = e->p;
    for (uint32_t k = 0; k < p->parts + p->nodes; k++) {
        CHECK(is_hidden(alike->value[k]), "%s, %u: %x", p->name, k, alike->value[k]);
        if (p->observations > 0 && !(kept(p, k) & p->rest))
            CHECK(is_hidden(alike->without[k]), "%s, %u, nothing cut: %x", p->name, k, alike->without[k]);
    }
}

static void test_every_table(void **state) {
    (void)state;
    for (size_t n = 0; n < PROBLEMS; n++)
        for (uint32_t likely = 0; likely < UINT32_C(1) << problems[n].nodes; likely++) {
            enumeration e = {.p = &problems[n], .likely = likely, .room = 65537};
            uint64_t apart = 0;
            e.found = calloc(e.room, sizeof *e.found);
            assert_non_null(e.found);
            go_over(&e, 0, e.p->total);
            for (uint64_t i = 0; i < e.room; i++)
                if (e.found[i].print) {
                    apart++;
                    check_alike(&e, &e.found[i]);
                }
            CHECK(e.shown > 0 && apart > 1, "%s", e.p->name);
            print_message("%s: %llu tables, %llu told apart, %llu counts, widest %g\n", e.p->name,
                          (unsigned long long)e.tables, (unsigned long long)apart,
                          (unsigned long long)e.shown, e.widest);
            free(e.found);
        }
}

/* ---- a fit ---- */

#define ENTRY(history, decisions, stop, go)                                                                  \
    "{\"history\": [" history "], \"decisions\": " #decisions                                                \
    ", \"actions\": {\"stop\": {\"observed\": " #stop ", "                                                   \
    "\"predicted\": 0.1}, \"go\": {\"observed\": " #go ", \"predicted\": 0.9}}}"
#define EVENT(seen) "{\"action\": \"go\", \"observation\": \"" seen "\"}"

/* 200 episodes: 4 stop at once, 196 go on, 120 of them with a `b` (20 stop there) and 76 with an `a` (16
 * stop). */
static const char *const usual_logs = "{\"subjects\": 200, \"episodes\": 200, \"decisions\": 900, "
                                      "\"weight\": 900, \"rows\": 905, \"excluded\": 5, "
                                      "\"nodes\": 50, \"states_seen\": false}";
static const char *const usual_histories = "[" ENTRY("", 200, 0.02, 0.98) ", " ENTRY(
    EVENT("b"), 120, 0.16666666666666666,
    0.8333333333333334) ", " ENTRY(EVENT("a"), 76, 0.21052631578947367,
                                   0.7894736842105263) ", " ENTRY(EVENT("b") ", " EVENT("a"), 30, 0.1,
                                                                  0.9) "]";

typedef struct {
    asif_summary fit;
    asif_disclosure *cells;
} told_fit;

static void read_fit(told_fit *out, const char *logs, uint32_t limit) {
    char json[8000];
    snprintf(
        json, sizeof json,
        "{\"asif\": \"0.1.0\", \"method\": \"map\", \"logs\": %s, \"parameters\": {}, \"histories\": %s, "
        "\"trust\": {\"good\": true}}",
        logs, usual_histories);
    assert_int_equal(asif_summary_read(&out->fit, context, json, strlen(json), "fit.json", NULL), ASIF_OK);
    assert_int_equal(asif_disclosure_make(&out->cells, context, &out->fit, NULL, limit, NULL), ASIF_OK);
}

static void free_fit(told_fit *fit) {
    asif_disclosure_free(fit->cells);
    asif_summary_free(&fit->fit);
}

static const char *total(const told_fit *fit, asif_cell_total which) {
    static char text[ASIF_CELL_SIZE];
    return asif_cell_text(text, fit->cells, asif_disclosure_total(fit->cells, which));
}

/* By hand: 4 at the start are few, so that those who go on are 190 to 200, for there are 200. The last
 * history (30) is as many as one that is not listed may be. Of the others the order is that of their labels.
 * What follows `a` is the balance (the fit holds `go` most probable, and `a` comes first): of all others 120
 * are known but for the few and the rest. */
static void test_fit(void **state) {
    (void)state;
    told_fit fit;
    char text[ASIF_CELL_SIZE];
    read_fit(&fit, usual_logs, 11);
    assert_string_equal(total(&fit, ASIF_CELL_SUBJECTS), "190 to 200"); /* who came again are few */
    assert_string_equal(total(&fit, ASIF_CELL_EPISODES), "200");
    assert_string_equal(total(&fit, ASIF_CELL_DECISIONS), "900");
    assert_string_equal(total(&fit, ASIF_CELL_EXCLUDED), "fewer than 11");
    assert_string_equal(total(&fit, ASIF_CELL_ROWS), "withheld");
    assert_int_equal(asif_disclosure_shown(fit.cells), 3);
    assert_int_equal(asif_disclosure_place(fit.cells, 0), 0);
    assert_int_equal(asif_disclosure_place(fit.cells, 1), 2);
    assert_int_equal(asif_disclosure_place(fit.cells, 2), 1);
    assert_string_equal(asif_cell_text(text, fit.cells, asif_disclosure_action(fit.cells, 0, 0)),
                        "fewer than 11");
    assert_string_equal(asif_cell_text(text, fit.cells, asif_disclosure_action(fit.cells, 0, 1)),
                        "190 to 200");
    assert_string_equal(asif_cell_text(text, fit.cells, asif_disclosure_action(fit.cells, 1, 0)), "20");
    assert_string_equal(asif_cell_text(text, fit.cells, asif_disclosure_history(fit.cells, 3)), "withheld");
    free_fit(&fit);
    read_fit(&fit, usual_logs, 0);
    assert_int_equal(asif_disclosure_shown(fit.cells), 4);
    assert_string_equal(asif_cell_text(text, fit.cells, asif_disclosure_action(fit.cells, 0, 0)), "4");
    assert_string_equal(total(&fit, ASIF_CELL_ROWS), "905");
    free_fit(&fit);
}

static void test_memory(void **state) {
    (void)state;
    told_fit fit;
    read_fit(&fit, usual_logs, 11);
    for (long left = 0;; left++) {
        failing_memory memory = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *small = NULL;
        asif_disclosure *cells = NULL;
        assert_int_equal(asif_context_create(&small, &options, NULL), ASIF_OK);
        memory.left = left;
        asif_status status = asif_disclosure_make(&cells, small, &fit.fit, NULL, 11, NULL);
        memory.left = -1;
        asif_disclosure_free(cells);
        asif_context_free(small);
        assert_int_equal(memory.alive, 0);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
        assert_null(cells);
    }
    free_fit(&fit);
}

/* Nothing is told of few, nor of weights. */
static void test_untold(void **state) {
    (void)state;
    static const char *const logs[] = {
        "{\"subjects\": 10, \"episodes\": 200, \"decisions\": 900, \"weight\": 900, \"nodes\": 50}",
        "{\"subjects\": 200, \"episodes\": 200, \"decisions\": 900, \"weight\": 901.5, \"nodes\": 50}",
    };
    for (int i = 0; i < 2; i++) {
        told_fit fit;
        read_fit(&fit, logs[i], 11);
        assert_int_equal(asif_disclosure_shown(fit.cells), 0);
        assert_string_equal(total(&fit, ASIF_CELL_SUBJECTS), i ? "190 to 200" : "fewer than 11");
        assert_string_equal(total(&fit, ASIF_CELL_DECISIONS), i ? "900" : "withheld");
        assert_true(isnan(asif_disclosure_history(fit.cells, 0).low));
        free_fit(&fit);
    }
}

/* Shares by hand, rounded outwards. */
static void test_shares(void **state) {
    (void)state;
    const struct {
        asif_cell part, whole;
        const char *want;
    } rows[] = {
        {ASIF_CELL(950, 950, false), ASIF_CELL(1000, 1000, false), "95.0 %"},
        {ASIF_CELL(945, 955, false), ASIF_CELL(1000, 1000, false), "94.5 to 95.5 %"},
        {ASIF_CELL(480, 490, false), ASIF_CELL(500, 510, false), "94 to 98 %"},
        {ASIF_CELL(0, 10, true), ASIF_CELL(495, 505, false), "under 3 %"},
        {ASIF_CELL(0, 10, true), ASIF_CELL(1000, 1000, false), "under 1.1 %"},
        {ASIF_CELL(490, 500, false), ASIF_CELL(490, 500, false), "over 97 %"},
        {ASIF_CELL(0, 20, false), ASIF_CELL(15, 30, false), "withheld"},
        {ASIF_CELL_UNTOLD, ASIF_CELL(100, 100, false), "withheld"},
        {ASIF_CELL(5, 5, false), ASIF_CELL(0, 10, true), "withheld"},
        {{262, 282, false, 13, 23}, ASIF_CELL(285, 295, false), "91 to 96 %"},
    };
    char text[ASIF_CELL_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(asif_share_text(text, rows[i].part, rows[i].whole), rows[i].want);
    CHECK_NEAR(asif_share_value(ASIF_CELL(40, 60, false), ASIF_CELL(100, 100, false)), 0.5, 1e-15);
}

/* ---- a population ---- */

enum { TIMES = 6, PEOPLE = 3 * (TIMES - 1), TOLD = 10, SMALLS = 5 };

/* So many people who took three actions so often, what is told of that, and what may be small: the actions,
 * the people, and the decisions beyond one for each. */
typedef struct {
    double told[TOLD];
    int small[SMALLS];
} population;

static population tell_population(int people, int a, int b, int c) {
    const double count[3] = {a, b, c};
    population out = {.small = {a, b, c, people, a + b + c - people}};
    asif_disclosure *cells;
    uint32_t at = 0;
    assert_int_equal(asif_disclosure_people(&cells, context, people, count, 3, LIMIT, NULL), ASIF_OK);
    asif_cell told[TOLD / 2] = {asif_disclosure_total(cells, ASIF_CELL_SUBJECTS),
                                asif_disclosure_total(cells, ASIF_CELL_DECISIONS),
                                asif_disclosure_action(cells, 0, 0), asif_disclosure_action(cells, 0, 1),
                                asif_disclosure_action(cells, 0, 2)};
    const double truth[TOLD / 2] = {people, a + b + c, a, b, c};
    for (int i = 0; i < TOLD / 2; i++) {
        assert_true(isnan(told[i].low) || (told[i].low <= truth[i] && truth[i] <= told[i].high));
        out.told[at++] = isnan(told[i].low) ? -1 : told[i].low;
        out.told[at++] = isnan(told[i].high) ? -1 : told[i].high;
    }
    asif_disclosure_free(cells);
    return out;
}

/* Whoever sees what is told of a population finds every value of a small count possible. */
static void test_every_population(void **state) {
    static population all[PEOPLE * TIMES * TIMES * TIMES];
    uint32_t n = 0, exact = 0;
    (void)state;
    for (int people = 1; people <= PEOPLE; people++)
        for (int table = 0; table < TIMES * TIMES * TIMES; table++) {
            int a = table % TIMES, b = table / TIMES % TIMES, c = table / TIMES / TIMES;
            if (a + b + c >= people)
                all[n++] = tell_population(people, a, b, c);
        }
    for (uint32_t i = 0; i < n; i++) {
        bool seen[SMALLS][LIMIT] = {{false}};
        exact += all[i].told[0] == all[i].told[1] && all[i].told[0] > 0;
        for (uint32_t j = 0; j < n; j++)
            for (int k = 0; k < SMALLS && memcmp(all[i].told, all[j].told, sizeof all[i].told) == 0; k++)
                if (all[j].small[k] < LIMIT)
                    seen[k][all[j].small[k]] = true;
        for (int k = 0; k < SMALLS; k++)
            for (int value = k == 3; all[i].small[k] < LIMIT && value < LIMIT; value++)
                if (!seen[k][value])
                    fail_msg("small count %d is told not to be %d: %d %d %d %d %d", k, value, all[i].small[0],
                             all[i].small[1], all[i].small[2], all[i].small[3], all[i].small[4]);
    }
    assert_true(exact > n / 4); /* what is large enough is told */
}

/* Without a limit all is told; weights that are no whole numbers are told only then. */
static void test_population_told(void **state) {
    const double count[2] = {.5, 40};
    asif_disclosure *cells;
    (void)state;
    assert_int_equal(asif_disclosure_people(&cells, context, 20, count, 2, 0, NULL), ASIF_OK);
    assert_true(asif_disclosure_action(cells, 0, 0).high == .5);
    assert_true(asif_disclosure_total(cells, ASIF_CELL_DECISIONS).low == 40.5);
    assert_true(asif_disclosure_count(cells, 0).high == 0);
    asif_disclosure_free(cells);
    assert_int_equal(asif_disclosure_people(&cells, context, 20, count, 2, LIMIT, NULL), ASIF_OK);
    assert_true(isnan(asif_disclosure_action(cells, 0, 1).low));
    assert_true(asif_disclosure_total(cells, ASIF_CELL_SUBJECTS).low == 20);
    assert_true(asif_disclosure_count(cells, 1).few);
    asif_disclosure_free(cells);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_table),    cmocka_unit_test(test_fit),
        cmocka_unit_test(test_untold),         cmocka_unit_test(test_shares),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_every_population),
        cmocka_unit_test(test_population_told)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
