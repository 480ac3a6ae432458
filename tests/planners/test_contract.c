/* Every planner of the registry is held to the contract of src/planners/planner.h, on a problem with beliefs
 * and on one in which states are seen, as far as it is for them. A new planner is a new row of the registry;
 * if it needs parameters of its own, a row of `given` below. */
#include "check.h"

#include "behavior/behavior.h"
#include "planners/planner.h"
#include "problems.h"

#include <string.h>

static const struct {
    const char *planner; /* NULL: all */
    const char *name;
    double value;
} given[] = {{NULL, "alpha", .7},
             {NULL, "beta", -2},
             {NULL, "eta", .3},
             {"model-based-mdp", "act_alpha", .7},
             {"model-based-pomdp", "act_alpha", .7},
             {"belief-aware", "act_alpha", .7},
             {"q-learning", "act_alpha", .1}};

/* Whether a planner leaves a number to its agents. */
static bool is_free(const asif_planner_info *planner, const char *number) {
    const asif_restriction *narrow = &asif_planner_find(planner->name, NULL)->narrow;
    const char *name;
    asif_restriction_number narrowed;
    for (uint32_t i = 0; asif_restriction_number_get(narrow, i, &name, &narrowed); i++)
        if (strcmp(name, number) == 0 && narrowed.how == ASIF_FIXED)
            return false;
    return true;
}

/* DIAG with one world, and with a utility of being sure. */
static asif_setting *make_plain_diag(const asif_context *context, bool sure) {
    static const asif_utility_term term = {.by = ASIF_BY_BELIEF,
                                           .parameter = ASIF_ANY,
                                           .action = ASIF_ANY,
                                           .index = ASIF_ANY,
                                           .coefficient = 2.5,
                                           .test = ASIF_ABOVE,
                                           .threshold = .9};
    asif_setting *many = make_diag(context, NULL), *one = NULL;
    asif_setting_spec spec = *asif_setting_get(many);
    const uint32_t transitions[] = {0, 0, 1, 0, 0, 1}, emissions[] = {3, 3, 3, 3, 3, 3};
    spec.worlds = 1;
    spec.world_weights = NULL;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.terminal = NULL;
    spec.terms = sure;
    spec.term = &term;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_setting_create(&one, context, &spec, &error) == ASIF_OK, "%s", error.message);
    asif_setting_free(many);
    return one;
}

/* Means of the actions of DIAG. */
static const double means[3][2] = {{.9, .1}, {.2, .8}, {.5, .5}};

/* Samples that learners take here: few, for what they learn does not matter. */
static const struct {
    const char *planner;
    uint64_t samples;
} learners[] = {{"q-learning", 50000}, {"maximum-entropy", 50000}, {"recurrent", 20000}};

typedef struct {
    const asif_planner_info *planner;
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
} subject;

static void open_subject(subject *s, const asif_planner_info *planner, bool seen, bool sampled) {
    memset(s, 0, sizeof *s);
    s->planner = planner;
    assert_int_equal(asif_context_create(&s->context, NULL, NULL), ASIF_OK);
    const asif_restriction *narrow = &asif_planner_find(planner->name, NULL)->narrow;
    s->setting = seen ? make_mdp(s->context, 40, 3, 4, .9, NULL)
                 : narrow->one_world || narrow->needs_beliefs
                     ? make_plain_diag(s->context, narrow->needs_beliefs)
                     : make_diag(s->context, NULL);
    assert_non_null(s->setting);
    assert_int_equal(asif_theta_create(&s->theta, s->context, s->setting, NULL), ASIF_OK);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].planner ? strcmp(given[i].planner, planner->name) == 0 : is_free(planner, given[i].name))
            assert_int_equal(asif_theta_set(s->theta, given[i].name, given[i].value, NULL), ASIF_OK);
    for (uint32_t u = 0; u < 3 && strcmp(planner->name, "decision-boundaries") == 0; u++)
        assert_int_equal(asif_theta_set_distribution(s->theta, ASIF_MEANS, u, means[u], NULL), ASIF_OK);
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        if (strcmp(learners[i].planner, planner->name) == 0)
            options.samples = learners[i].samples;
    options.sampled = sampled;
    if (asif_work_create(&s->work, s->context, planner->name, s->setting, &options, &error) != ASIF_OK)
        fail_msg("%s: %s", planner->name, error.message);
}

static void close_subject(subject *s) {
    asif_work_free(s->work);
    asif_theta_free(s->theta);
    asif_setting_free(s->setting);
    asif_context_free(s->context);
}

enum { AGENTS = 37, STEPS = 6, WIDEST = 64 };

/* Walk a batch of agents through random events that can happen, checking as we go. */
static void walk(subject *s) {
    const asif_behavior *b = asif_work_behavior(s->work);
    const asif_setting_spec *spec = asif_setting_get(s->setting);
    uint32_t width = asif_behavior_width(b), U = spec->actions;
    assert_true(width > 0 && width <= WIDEST);
    double state[AGENTS * WIDEST], next[AGENTS * WIDEST], one[WIDEST], all[AGENTS * 8], alone[8];
    uint32_t action[AGENTS], seen[AGENTS];
    uint64_t seed = 3;
    for (uint32_t i = 0; i < AGENTS; i++)
        asif_behavior_init(b, 0, spec->observations ? ASIF_ANY : i, state + i * width);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(asif_behavior_log_policy(b, AGENTS, state, all, NULL), ASIF_OK);
        for (uint32_t i = 0; i < AGENTS; i++) {
            double sum = 0;
            assert_int_equal(asif_behavior_log_policy(b, 1, state + i * width, alone, NULL), ASIF_OK);
            assert_memory_equal(alone, all + i * U, U * sizeof *alone);
            for (uint32_t u = 0; u < U; u++) {
                assert_true(alone[u] <= 1e-12);
                sum += exp(alone[u]);
            }
            CHECK_NEAR(sum, 1, 1e-12);
            action[i] = (uint32_t)(make_uniform(&seed) * U);
            if (spec->observations) {
                seen[i] = (uint32_t)(make_uniform(&seed) * spec->observations);
            } else {
                const asif_matrix *t = &spec->matrix[spec->transitions[action[i]]];
                uint64_t row = (uint64_t)state[i * width];
                seen[i] = t->column[t->offset[row]];
            }
        }
        assert_int_equal(asif_behavior_step(b, AGENTS, state, action, seen, next, NULL), ASIF_OK);
        for (uint32_t i = 0; i < AGENTS; i++) {
            assert_int_equal(asif_behavior_step(b, 1, state + i * width, action + i, seen + i, one, NULL),
                             ASIF_OK);
            assert_memory_equal(one, next + i * width, width * sizeof *one);
        }
        assert_int_equal(asif_behavior_step(b, AGENTS, state, action, seen, state, NULL), ASIF_OK);
        assert_memory_equal(state, next, AGENTS * width * sizeof *state);
    }
    /* what was noted of a state changes nothing, nor does coming from elsewhere in the batch */
    double *memo = calloc((size_t)AGENTS * b->memo_width + 1, sizeof *memo);
    uint32_t from[AGENTS];
    double there[AGENTS * WIDEST];
    assert_int_equal(b->ops->log_policy(b->self, AGENTS, state, all, memo, NULL), ASIF_OK);
    for (uint32_t i = 0; i < AGENTS; i++) {
        from[i] = AGENTS - 1 - i;
        memcpy(there + i * width, state + from[i] * width, width * sizeof *there);
        if (!spec->observations) {
            const asif_matrix *t = &spec->matrix[spec->transitions[action[i]]];
            seen[i] = t->column[t->offset[(uint64_t)there[i * width]]];
        }
    }
    assert_int_equal(b->ops->step(b->self, AGENTS, NULL, there, NULL, action, seen, next, NULL), ASIF_OK);
    assert_int_equal(b->ops->step(b->self, AGENTS, from, state, memo, action, seen, there, NULL), ASIF_OK);
    assert_memory_equal(there, next, AGENTS * width * sizeof *next);
    free(memo);
    seen[0] = spec->observations ? spec->observations : spec->states;
    assert_int_equal(asif_behavior_step(b, 1, state, action, seen, next, NULL), ASIF_EDOMAIN);
}

static asif_status count(void *user, const asif_decision *d) {
    uint64_t *counts = user;
    assert_true(d->episode >= counts[1]);
    counts[0]++;
    counts[1] = d->episode;
    return counts[0] == counts[2] ? ASIF_ECANCELLED : ASIF_OK;
}

static void hold(const asif_planner_info *planner, bool seen, bool sampled) {
    subject s;
    asif_plan_info info, again;
    open_subject(&s, planner, seen, sampled);
    assert_true(strlen(s.planner->summary) > 10);
    assert_null(asif_work_behavior(s.work));
    assert_int_equal(asif_solve(s.work, s.theta, &info, NULL), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    walk(&s);
    /* the same theta again, and in a clone: the same policy */
    asif_work *clone;
    double policy[2][8], z[WIDEST];
    asif_behavior_init(asif_work_behavior(s.work), 0, ASIF_ANY, z);
    assert_int_equal(asif_behavior_log_policy(asif_work_behavior(s.work), 1, z, policy[0], NULL), ASIF_OK);
    assert_int_equal(asif_work_clone(&clone, s.work, NULL), ASIF_OK);
    assert_int_equal(asif_solve(clone, s.theta, &again, NULL), ASIF_OK);
    assert_int_equal(asif_behavior_log_policy(asif_work_behavior(clone), 1, z, policy[1], NULL), ASIF_OK);
    for (uint32_t u = 0; u < asif_setting_get(s.setting)->actions; u++)
        CHECK_NEAR(policy[1][u], policy[0][u], 1e-9);
    asif_work_free(clone);
    /* simulation stops when it is told to */
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    uint64_t counts[3] = {0, 0, 0};
    options.episodes = 300;
    options.max_steps = 5;
    assert_int_equal(asif_simulate(asif_work_behavior(s.work), &options, count, counts, NULL), ASIF_OK);
    assert_int_equal(counts[1], 299);
    counts[0] = counts[1] = 0;
    counts[2] = 20;
    assert_int_equal(asif_simulate(asif_work_behavior(s.work), &options, count, counts, NULL),
                     ASIF_ECANCELLED);
    assert_int_equal(counts[0], 20);
    close_subject(&s);
}

static void contract(void **state) {
    (void)state;
    const asif_planner_info *planner;
    uint32_t planners = 0;
    for (; (planner = asif_planner_get(planners)); planners++)
        for (int seen = 0; seen < 2; seen++) {
            if (!(planner->sees & (seen ? ASIF_SEES_STATES : ASIF_SEES_BELIEFS)))
                continue;
            hold(planner, seen, false);
            if (asif_planner_find(planner->name, NULL)->sampled)
                hold(planner, seen, true);
        }
    assert_true(planners > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contract)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
