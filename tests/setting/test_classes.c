/* Which observations count as one event: designs whose classes were written down by hand. */
#include "check.h"

#include "setting/classes.h"

#include <string.h>

enum { MOST_STATES = 3, MOST_SEEN = 4, MOST_WORLDS = 2 };

typedef struct {
    const char *name;
    uint32_t states, observations, worlds;
    double weight[MOST_WORLDS]; /* of the worlds; all 0: equal */
    /* Rows one after the other. Transitions of all 0: the state stays as it is. */
    double transitions[MOST_WORLDS][MOST_STATES * MOST_STATES];
    double emissions[MOST_WORLDS][MOST_STATES * MOST_SEEN];
    uint32_t first[MOST_SEEN]; /* of the class of each observation */
} design;

#define SPLIT                                                                                                \
    { .7, .15, .15, .3, .35, .35 }
#define STAYS                                                                                                \
    { 0 }

static const design designs[] = {
    {"a test that is .7 right", 2, 2, 1, {0}, {STAYS}, {{.7, .3, .3, .7}}, {0, 1}},
    {"positive has two names", 2, 3, 1, {0}, {STAYS}, {SPLIT}, {0, 1, 1}},
    {"positive has two names, with factors 3 and 1/4 by world",
     2,
     3,
     2,
     {0},
     {STAYS, STAYS},
     {{.6, .1, .3, .4, .15, .45}, {.8, .16, .04, .925, .06, .015}},
     {0, 1, 1}},
    {"one world has them disproportionate",
     2,
     3,
     2,
     {0},
     {STAYS, STAYS},
     {SPLIT, {.7, .15, .15, .3, .36, .34}},
     {0, 1, 2}},
    {"one world has only one of them",
     2,
     3,
     2,
     {0},
     {STAYS, STAYS},
     {SPLIT, {.7, .3, 0, .3, .7, 0}},
     {0, 1, 2}},
    {"one world has neither", 2, 3, 2, {0}, {STAYS, STAYS}, {SPLIT, {1, 0, 0, 1, 0, 0}}, {0, 1, 1}},
    {"two columns are 0 everywhere", 2, 4, 1, {0}, {STAYS}, {{.7, 0, .3, 0, .3, 0, .7, 0}}, {0, 1, 2, 1}},
    {"disproportionate in a state that cannot be reached",
     3,
     3,
     1,
     {0},
     {{.5, .5, 0, .5, .5, 0, .5, .5, 0}},
     {{.7, .15, .15, .3, .35, .35, .2, .1, .7}},
     {0, 1, 1}},
    {"the same, where one world can reach it",
     3,
     3,
     2,
     {0},
     {{.5, .5, 0, .5, .5, 0, .5, .5, 0}, {.5, .5, 0, .5, .5, 0, .5, 0, .5}},
     {{.7, .15, .15, .3, .35, .35, .2, .1, .7}, {.7, .15, .15, .3, .35, .35, .2, .1, .7}},
     {0, 1, 2}},
    {"one state follows, whatever is seen",
     2,
     3,
     1,
     {0},
     {{1, 0, 1, 0}},
     {{.2, .3, .5, .9, .05, .05}},
     {0, 0, 0}},
    {"what is seen tells nothing",
     2,
     3,
     2,
     {0},
     {STAYS, STAYS},
     {{.2, .3, .5, .2, .3, .5}, {.1, .1, .8, .1, .1, .8}},
     {0, 0, 0}},
    {"nothing in one world, something in the other",
     2,
     3,
     2,
     {0},
     {STAYS, STAYS},
     {{.2, .3, .5, .2, .3, .5}, {.2, .3, .5, .3, .45, .25}},
     {0, 0, 2}},
    {"two that give the state away", 2, 4, 1, {0}, {STAYS}, {{.4, .2, .3, .1, .9, 0, 0, .1}}, {0, 1, 1, 3}},
    {"a world of weight 0 has them disproportionate",
     2,
     3,
     2,
     {1, 0},
     {STAYS, STAYS},
     {SPLIT, {.7, .15, .15, .3, .36, .34}},
     {0, 1, 1}},
    {"a world of next to no weight",
     2,
     3,
     2,
     {1, 1e-12},
     {STAYS, STAYS},
     {SPLIT, {.7, .15, .15, .3, .36, .34}},
     {0, 1, 2}},
    {"within the tolerance", 2, 3, 1, {0}, {STAYS}, {{.7, .15, .15, .3, .35, .35 * (1 + 5e-13)}}, {0, 1, 1}},
    {"outside it", 2, 3, 1, {0}, {STAYS}, {{.7, .15, .15, .3, .35, .35 * (1 + 5e-12)}}, {0, 1, 2}},
    {"near the second of a class, but not the first",
     2,
     4,
     1,
     {0},
     {STAYS},
     {{.25, .25, .25, .25, .25, .25 * (1 + 7e-13), .25 * (1 + 14e-13), .25}},
     {0, 0, 2, 0}},
};

static asif_status create(asif_setting **setting, const asif_context *context, const design *d,
                          const double *belief_prior, asif_error *error) {
    asif_matrix matrix[2 * MOST_WORLDS];
    double stays[MOST_STATES * MOST_STATES] = {0}, start[MOST_STATES];
    uint32_t transitions[MOST_WORLDS + 1], emissions[MOST_WORLDS + 1];
    for (uint32_t s = 0; s < d->states; s++) {
        stays[s * d->states + s] = 1;
        start[s] = 1.0 / d->states;
    }
    for (uint32_t m = 0; m <= d->worlds; m++) {
        uint32_t of = m % d->worlds; /* the environment is the first */
        const double *t = d->transitions[of];
        transitions[m] = 2 * of;
        emissions[m] = 2 * of + 1;
        matrix[2 * of] = (asif_matrix){d->states, d->states, false, NULL, NULL, t[0] + t[1] > 0 ? t : stays};
        matrix[2 * of + 1] = (asif_matrix){d->states, d->observations, false, NULL, NULL, d->emissions[of]};
    }
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = d->states;
    spec.actions = 1;
    spec.observations = d->observations;
    spec.worlds = d->worlds;
    spec.matrices = 2 * d->worlds;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = start;
    spec.world_weights = d->weight[0] > 0 ? d->weight : NULL;
    spec.belief_prior = belief_prior;
    spec.discount = .9;
    return asif_setting_create(setting, context, &spec, error);
}

static void by_hand(void **state) {
    (void)state;
    static const double expects[][MOST_SEEN] = {{.6, .4}, {.5, .3, .2}, {.4, .3, .2, .1}};
    asif_context *context;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, &error), ASIF_OK);
    for (size_t i = 0; i < 2 * sizeof designs / sizeof *designs; i++) {
        const design *d = &designs[i / 2];
        const double *rho0 = i % 2 ? expects[d->observations - 2] : NULL;
        uint32_t size[MOST_SEEN] = {0};
        double prior[MOST_SEEN] = {0};
        asif_setting *setting = NULL;
        asif_classes classes;
        CHECK(create(&setting, context, d, rho0, &error) == ASIF_OK, "%s: %s", d->name, error.message);
        CHECK(asif_classes_create(&classes, context, setting, &error) == ASIF_OK, "%s", d->name);
        for (uint32_t x = 0; x < d->observations; x++) {
            size[d->first[x]]++;
            prior[d->first[x]] += rho0 ? rho0[x] : d->first[x] == x;
        }
        for (uint32_t x = 0; x < d->observations; x++) {
            CHECK(classes.first[x] == d->first[x], "%s: observation %u is like %u, not %u", d->name, x,
                  classes.first[x], d->first[x]);
            CHECK(classes.size[x] == size[x], "%s: %u at %u", d->name, classes.size[x], x);
            CHECK(fabs(classes.prior[x] - prior[x]) < 1e-15, "%s: rho0 %g at %u", d->name, classes.prior[x],
                  x);
        }
        asif_classes_free(context, &classes);
        asif_setting_free(setting);
    }
    asif_context_free(context);
}

/* What no world of the agent shows is seen by nobody. */
static void seen(void **state) {
    (void)state;
    static const bool want[][MOST_SEEN] = {
        [0] = {true, true}, [4] = {true, true, true}, [6] = {true, false, true, false}};
    static const size_t which[] = {0, 4, 6};
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        const design *d = &designs[which[i]];
        asif_setting *setting;
        asif_classes classes;
        assert_int_equal(create(&setting, context, d, NULL, NULL), ASIF_OK);
        assert_int_equal(asif_classes_create(&classes, context, setting, NULL), ASIF_OK);
        for (uint32_t x = 0; x < d->observations; x++)
            CHECK(classes.seen[x] == want[which[i]][x], "%s: %u", d->name, x);
        asif_classes_free(context, &classes);
        asif_setting_free(setting);
    }
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
