/* Mistakes in studies of which a part of the state is seen, and in how episodes begin and end. Each must be
 * met with its place, what is wrong, and what to do. */
#include "mistakes.h"

#include <math.h>

static const char parted[] =
    "asif: 1\n"
    "states: {seen: {cost: [0, 0.1], draws: 0 to 3}, hidden: {urn: [blue, pink]}}\n"
    "actions: [draw, walk, say]\n"
    "observations: [b, p]\n"
    "environment:\n"
    "  start: {cost: uniform, draws: 0, urn: uniform}\n"
    "  transitions: {draw: {draws: +1}, walk: {cost: {0: [0.5, 0.5], any: 0}}, say: terminal}\n"
    "  terminal: [draws=3]\n"
    "  emissions: {blue: [0.8, 0.2], any: uniform}\n"
    "agent:\n"
    "  discount: 0.9\n"
    "  utility: {draw: {draws=3: 0, any: look}, walk: -1, say: {blue: 10 - price * cost * draws, pink: 0}}\n"
    "  parameters: {price: 1, look: 0.5, alpha: 1}\n";

static const char ending[] = "asif: 1\n"
                             "states: [a, b]\n"
                             "actions: [x, y]\n"
                             "observations: [n, p]\n"
                             "environment:\n"
                             "  start: {by: sex, f: [0.5, 0.5], m: [0.4, 0.6]}\n"
                             "  transitions: {x: identity, y: terminal}\n"
                             "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n"
                             "agent:\n"
                             "  discount: 0.9\n"
                             "  utility: {x: 0, y: {a: 1, b: gain}}\n"
                             "  parameters: {gain: -1, alpha: learn}\n"
                             "logs: {action: act, observation: obs}\n";

#define STATES "{seen: {cost: [0, 0.1], draws: 0 to 3}, hidden: {urn: [blue, pink]}}"
#define LONG                                                                                                 \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SUM "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + "

static const mistake mistakes[] = {
    /* the parts of states */
    {parted, STATES, "^{hidden: {urn: [blue, pink]}}", P, "`states` has no `seen` part", "[a, b]"},
    {parted, STATES, "^{seen: {draws: 0 to 3}}", P, "`states` has no `hidden` part", "`observations` out"},
    {parted, "seen: {cost: [0, 0.1], draws: 0 to 3}", "seen: ^[cost]", P, "`seen` must be a mapping",
     "{seen: {NAME: 0 to 20}"},
    {parted, "seen: {cost: [0, 0.1], draws: 0 to 3}", "seen: ^{}", I, "`seen` names no part of the state",
     "{seen: {NAME: 0 to 20}"},
    {parted, STATES, "{^shown: {draws: 0 to 3}, hidden: {urn: [blue, pink]}}", P, "unknown key `shown`",
     NULL},
    {parted, "draws: 0 to 3", "draws: ^3 to 0", I, "`3 to 0` is not a range of whole numbers", "`0 to 20`"},
    {parted, "draws: 0 to 3", "draws: ^0 to 1.5", I, "`0 to 1.5` is not a range", "at most 10000 values"},
    {parted, "draws: 0 to 3", "^any: 0 to 3", I, "a part of the state cannot be called `any`", NULL},
    {parted, "{urn: [blue, pink]}", "{^cost: [blue, pink]}", I, "cannot be called `cost`", NULL},
    {parted, "[blue, pink]", "^[blue, p/nk]", I, "a `/` or `=` in its label `p/nk`", "another character"},
    {parted, STATES, "^{seen: {draws: 1}, hidden: {urn: [blue, pink]}}", I, "has one value only", NULL},
    {parted, STATES, "^{seen: {cost: 200, draws: 0 to 99}, hidden: {urn: [blue, pink]}}", I,
     "more than 10000 states", NULL},
    {parted, STATES,
     "{seen: {c: 2, d: 2, e: 2, f: 2, g: 2, h: 2, i: 2, j: 2, ^k: 2}, hidden: {urn: [blue, pink]}}", I,
     "more than 8 parts", NULL},
    {parted, STATES, "^{seen: {c: [0, " LONG LONG LONG "], d: [0, " LONG LONG LONG "]}, hidden: {urn: 2}}", I,
     "the labels of the states are too long", NULL},
    /* what is observed beside the seen part */
    {parted, "[b, p]", "^[b, p/q]", I, "an observation has a `/` in its label `p/q`", "another character"},
    {parted, "[b, p]", "^{hue: [b, p]}", I, "crossed observations are not yet possible", "[a, b, ...]"},
    {parted, "0 to 3}, hidden: {urn: [blue, pink]}}\nactions: [draw, walk, say]\nobservations: [b, p]",
     "0 to 99}, hidden: {urn: [blue, pink]}}\nactions: [draw, walk, say]\nobservations: ^1000", I,
     "200 seen values times 1000 observations are too many", NULL},
    {parted, STATES "\nactions: [draw, walk, say]\nobservations: [b, p]\n",
     "^" STATES "\nactions: [draw, walk, say]\n", I, "a hidden part need `observations`",
     "`observations: [...]`"},
    /* how the parts begin and move */
    {parted, "{cost: uniform, draws: 0, urn: uniform}", "^{cost: uniform, draws: 0}", P,
     "start says nothing of the part `urn`", "{urn: uniform, ...}"},
    {parted, "{cost: uniform, draws: 0, urn: uniform}", "^{by: sex, f: uniform}", I,
     "start cannot be by a column", "make the column a seen part"},
    {parted, "{cost: uniform, draws: 0, urn: uniform}", "^learn", I,
     "start cannot be estimated yet where a part of the state is seen", "{PART: uniform, ...}"},
    {parted, "draws: +1", "draws: ^+1.5", P, "cannot be `+1.5`", "along the list"},
    {parted, "draws: +1", "draws: ^[[1, 0], [0, 1]]", I, "has 2 rows, but the part has 4 values",
     "one row for each of `0`"},
    {parted, "draws: +1", "draws: ^{0: 1}", I, "has no row for the value `1`", "`any`"},
    {parted, "draws: +1", "draws: {^9: 1, any: 0}", I, "there is no value `9`", NULL},
    {parted, "{draws: +1}", "^{increments: [0.5, 0.5]}", I, "with parts, say how a part moves", "{PART: +1}"},
    {parted, "{draws: +1}", "^learn", I, "cannot be learnt yet where a part of the state is seen", NULL},
    /* states by their parts */
    {parted, "[draws=3]", "[^blue]", I, "`terminal` must name seen parts only", "PART=VALUE"},
    {parted, "[draws=3]", "[^draws=9]", I, "`draws=9` is no state, and no value", "`0/0/blue`"},
    {parted, "[draws=3]", "[^0]", I, "`0` is a value of several parts", "`draws=0`"},
    {parted, "[draws=3]", "[^draws=3/draws=2]", I, "names the part `draws` twice", NULL},
    {parted, "{blue: [0.8, 0.2], any: uniform}", "^{blue: [0.8, 0.2]}", I,
     "has no row for the state `0/0/pink`", "`any`"},
    {parted, "any: uniform}", "^cost=0: uniform, any: uniform}", I,
     "`blue` and `cost=0` both apply to the state `0/0/blue`", "name one more"},
    {parted, "{blue: [0.8, 0.2], any: uniform}", "{^green: [0.8, 0.2], any: uniform}", I,
     "`green` is no state", "`cost=0`"},
    {parted, "{blue: [0.8, 0.2], any: uniform}", "{blue: ^[0.8, 0.8], any: uniform}", I, NULL, NULL},
    /* the agent */
    {parted, "discount: 0.9", "discount: 0.9\n  start: ^{cost: 0, draws: 0, urn: uniform}", I,
     "episodes can begin with `0.1/0`, which the agent holds impossible", "a probability"},
    {parted, "discount: 0.9", "discount: 0.9\n  belief_prior: ^uniform", I,
     "`belief_prior` is not yet possible", "leave it out"},
    {parted, "discount: 0.9", "discount: 0.9\n  worlds: [{mix: ^uniform, share: 0.5}]", I,
     "a mixture with a uniform world is not yet possible", "`emissions` of the world"},
    {parted, "discount: 0.9", "discount: 0.9\n  planner: ^recurrent", I,
     "the planner `recurrent` does not know states of which a part is seen", "`bounded-rational`"},
    {parted, "say: terminal}\n  terminal: [draws=3]\n  emissions: {blue: [0.8, 0.2], any: uniform}\n",
     "say: reset}\n  emissions: uniform\ninverse: ^distribution-matching\n", I,
     "does not know states of which a part is seen", "`asif list pairs`"},
    {parted, "{blue: 10 - price * cost * draws, pink: 0}", "^{blue: 1}", I,
     "the utility of the state `0/0/pink` is missing", "`any`"},
    {parted, "10 - price * cost * draws", "^10 - price * urn", I,
     "`urn` cannot be a factor: its value `blue` is not a number", "{urn=blue: ..., any: ...}"},
    {parted, "10 - price * cost * draws", "^10 - * cost", P, "`10 - * cost` cannot be read",
     "a sum of products"},
    {parted, "10 - price * cost * draws", "^price * look", P, "cannot be read", "one parameter in each"},
    {parted, "10 - price * cost * draws", "^inf * cost", P, "cannot be read", "a sum of products"},
    {parted, "10 - price * cost * draws", "^''", P, "cannot be read", "a sum of products"},
    {parted, "10 - price * cost * draws", "^" SUM "1", P, "cannot be read", "a sum of products"},
    {parted, "10 - price * cost * draws",
     "^cost * cost * cost * cost * cost * cost * cost * cost * cost * cost", P, "cannot be read", NULL},
    {parted, "10 - price * cost * draws", "^[10]", P, "a utility must be", NULL},
    /* how episodes begin and end */
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  start: ^{by: sex, f: uniform, k: uniform}\n", I,
     "by different classes", "the same column"},
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  start: ^{by: age, f: uniform, m: uniform}\n", I,
     "by different classes", "the same column"},
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  start: ^learn\n", I, "the environment's is by `sex`",
     "{by: sex, f: learn, ...}"},
    {ending, "{by: sex, f: [0.5, 0.5], m: [0.4, 0.6]}", "{by: ^[sex], f: uniform}", P, "`by` must be", NULL},
    {ending, "y: terminal}", "y: reset}\n  reset: ^{by: sex, f: uniform, m: uniform}", I,
     "`reset` cannot be by a column", "mixture of the classes"},
    {ending, "y: terminal}", "y: reset}\n  reset: ^learn", I, "reset cannot be estimated",
     "`start: learn` under `agent`"},
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  planner: ^recurrent\n", I,
     "the planner `recurrent` knows neither horizons nor", "`bounded-rational`"},
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  worlds: [{transitions: ^{y: reset}}]\n", I,
     "nothing follows `y`, so that it cannot be `reset` in a world", "leave it out"},
    {ending, "asif: 1\n", "asif: 1\ninverse: ^distribution-matching\n", I, "knows neither horizons nor",
     "`asif list pairs`"},
    /* dynamics that are learnt of hidden states */
    {ending, "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^learn except q", I,
     "`q` is not an observation", "`learn except LABEL and LABEL`"},
    {ending, "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^learn except n and p", I,
     "leaves nothing that is possible", NULL},
    {ending, "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: ^learn fast", P,
     "`learn fast` cannot be read", "`learn except LABEL`"},
    {ending, "emissions: [[0.7, 0.3], [0.3, 0.7]]", "emissions: {any: ^learn}", I,
     "whether the actions share their numbers", "`any: learn shared`"},
    {ending, "transitions: {x: identity, y: terminal}", "transitions: {any: ^learn shared}\n  ends: y", I,
     "`y` ends an episode", "{y: reset, any: learn shared}"},
    {ending, "  discount: 0.9\n", "  discount: 0.9\n  worlds: [{emissions: ^learn}]\n", I,
     "of a world that the agent believes in cannot be learnt", "what logs tell is the environment"},
    {ending, "{by: sex, f: [0.5, 0.5], m: [0.4, 0.6]}", "^learn ~ dirichlet(1, 1)", I,
     "the start of the environment has no prior of its own", "`--prior`"},
    {ending,
     "emissions: [[0.7, 0.3], [0.3, 0.7]]\nagent:\n  discount: 0.9\n  utility: {x: 0, y: {a: 1, b: gain}}\n"
     "  parameters: {gain: -1, alpha: learn}\nlogs: {action: act, observation: obs}",
     "emissions: ^learn\nagent:\n  discount: 0.9\n  utility: {x: 0, y: {a: 1, b: gain}}\n"
     "  parameters: {gain: -1, alpha: learn}\n"
     "logs: {action: act, observation: {column: obs, missing: unrecorded}}",
     I, "cannot be learnt where results are lost", "`missing: not_seen`"},
};

static void test_mistakes(void **state) {
    (void)state;
    check_mistakes(mistakes, sizeof mistakes / sizeof *mistakes);
}

/* ---- words that mean the same ---- */

static double cell(const asif_matrix *m, uint32_t row, uint32_t column) {
    if (!m->offset)
        return m->value[(m->same_rows ? 0 : (uint64_t)row * m->columns) + column];
    row = m->same_rows ? 0 : row;
    for (uint64_t k = m->offset[row]; k < m->offset[row + 1]; k++)
        if (m->column[k] == column)
            return m->value[k];
    return 0;
}

static void check_matrices(const asif_setting_spec *a, const asif_setting_spec *b, const uint32_t *of_a,
                           const uint32_t *of_b, const char *what) {
    for (uint32_t i = 0; i < 2 * a->actions; i++) {
        const asif_matrix *x = &a->matrix[of_a[i]], *y = &b->matrix[of_b[i]];
        assert_int_equal(x->columns, y->columns);
        for (uint32_t s = 0; s < a->states; s++)
            for (uint32_t j = 0; j < x->columns; j++)
                CHECK(fabs(cell(x, s, j) - cell(y, s, j)) < 1e-15, "%s: %g and %g", what, cell(x, s, j),
                      cell(y, s, j));
    }
}

static asif_study *read_with(const asif_context *context, const char *of, const char *instead) {
    char text[4096];
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    const char *at = strstr(parted, of);
    CHECK(at != NULL, "`%s` is not in the study", of);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - parted), parted, instead, at + strlen(of));
    CHECK(asif_study_read(&study, context, text, strlen(text), NULL, NULL, &error) == ASIF_OK, "%s: %s",
          instead, error.message);
    return study;
}

static void check_same(const asif_context *context, const char *of, const char *one, const char *other) {
    asif_study *a = read_with(context, of, one), *b = read_with(context, of, other);
    const asif_setting_spec *x = asif_setting_get(asif_study_setting(a)),
                            *y = asif_setting_get(asif_study_setting(b));
    assert_int_equal(x->states, y->states);
    assert_int_equal(x->observations, y->observations);
    check_matrices(x, y, x->transitions, y->transitions, one);
    check_matrices(x, y, x->emissions, y->emissions, one);
    assert_memory_equal(x->terminal, y->terminal, x->states * sizeof *x->terminal);
    assert_int_equal(x->terms, y->terms);
    for (uint64_t i = 0; i < x->terms; i++)
        CHECK(x->term[i].index == y->term[i].index && x->term[i].parameter == y->term[i].parameter &&
                  x->term[i].coefficient == y->term[i].coefficient,
              "%s: the term %llu differs", one, (unsigned long long)i);
    asif_study_free(a);
    asif_study_free(b);
}

static void test_short_and_long_words(void **state) {
    (void)state;
    static const struct {
        const char *of, *one, *other;
    } rows[] = {
        {"draws: 0 to 3", "draws: 4", "draws: 0 to 3"},
        {"{blue: [0.8, 0.2], any: uniform}", "uniform", "{any: [0.5, 0.5]}"},
        {"{blue: [0.8, 0.2], any: uniform}", "identity", "{blue: b, pink: p}"},
        {"{blue: [0.8, 0.2], any: uniform}", "[[0.8, 0.2], [0.3, 0.7]]",
         "{blue: [0.8, 0.2], pink: [0.3, 0.7]}"},
        {"{blue: [0.8, 0.2], any: uniform}", "{sensitivity: 0.7, specificity: 0.8}",
         "{blue: [0.8, 0.2], pink: [0.3, 0.7]}"},
        {"any: uniform}", "0.1/2/pink: b, any: uniform}", "cost=0.1/draws=2/urn=pink: b, any: uniform}"},
        {"draws: +1", "draws: identity", "draws: +0"},
        {"draws: +1", "draws: uniform", "draws: {any: [0.25, 0.25, 0.25, 0.25]}"},
        {"draws: +1", "draws: 2", "draws: {any: [0, 0, 1, 0]}"},
        {"draws: +1", "draws: -1", "draws: [0, 0, 1, 2]"},
        {"10 - price * cost", "-price * cost", "0 - price * cost"},
    };
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_same(context, rows[i].of, rows[i].one, rows[i].other);
    asif_context_free(context);
}

static void test_the_studies_are_good(void **state) {
    (void)state;
    check_good(parted);
    check_good(ending);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_studies_are_good),
                                       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_short_and_long_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
