/* Episodes that share what is computed in the same situation, against episodes that are followed one by one.
 */
#include "check.h"
#include "problems.h"

#include "acting/episode_measures.h"
#include "acting/policy/policy_value.h"
#include "acting/policy/situations.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

enum { MOST_KINDS = 16, MOST_STATES = 64, RUNS = 40 };

/* Sums of one episode after the other; each decision has an outlook of its own. */
typedef struct {
    const asif_setting *setting;
    const asif_behavior *behavior;
    asif_episode_value critic;
    asif_outlook outlook;
    uint32_t max_steps;
    double world[MOST_STATES], weight, first[MOST_KINDS], now[RUNS][MOST_KINDS];
} naive;

static double entry(const asif_matrix *m, uint32_t row, uint32_t column) {
    uint64_t begin, end;
    double sum = 0;
    asif_matrix_row(m, row, &begin, &end);
    for (uint64_t i = begin; i < end; i++)
        sum += m->column[i] == column ? m->value[i] : 0;
    return sum;
}

/* Bayes' rule in the environment. */
static void update(naive *n, const asif_decision *d) {
    const asif_setting_spec *spec = asif_setting_get(n->setting);
    const asif_matrix *moves = asif_transitions(n->setting, spec->worlds, d->action);
    double after[MOST_STATES] = {0}, total = 0;
    for (uint32_t t = 0; t < spec->states; t++) {
        for (uint32_t s = 0; s < spec->states; s++)
            after[t] += n->world[s] * entry(moves, s, t);
        if (spec->observations)
            after[t] *= entry(asif_emissions(n->setting, spec->worlds, d->action), t, d->observation);
        total += after[t];
    }
    for (uint32_t t = 0; t < spec->states; t++)
        n->world[t] = spec->observations ? after[t] / total : t == d->next;
}

static void begin_episode(naive *n, const asif_decision *d) {
    const asif_setting_spec *spec = asif_setting_get(n->setting);
    memcpy(n->now[d->episode], n->first, sizeof n->first);
    n->weight = 1;
    for (uint32_t s = 0; s < spec->states; s++)
        n->world[s] = spec->observations ? spec->environment_start[s] : s == d->state;
}

static asif_status follow(void *user, const asif_decision *d) {
    naive *n = user;
    const asif_episode_value *c = &n->critic;
    const asif_setting_spec *spec = asif_setting_get(n->setting);
    double *sum = n->now[d->episode], next[MOST_STATES];
    if (d->step == 0)
        begin_episode(n, d);
    assert_int_equal(asif_outlook_make(&n->outlook, 1, d->agent_state, NULL), ASIF_OK);
    for (uint32_t s = 0; s < spec->states; s++) {
        for (uint32_t u = 0; u < spec->actions; u++) {
            double weight = n->weight * n->world[s] * n->outlook.policy[u];
            if (!(weight > 0))
                continue;
            asif_episode_value_gain(c, u, s, d->agent_state, weight, sum);
            asif_episode_value_next(&n->outlook, 0, u, s, weight * c->discount, sum);
        }
        if (n->world[s] > 0)
            asif_episode_value_at(c, s, d->agent_state, -n->weight * n->world[s], sum);
    }
    if (!c->endless && d->step + 1 >= n->max_steps && asif_episode_value_goes_on(c, d->action, d->state)) {
        uint32_t from = 0, seen = spec->observations ? d->observation : d->next;
        assert_int_equal(
            asif_episode_value_step(c, 1, &from, d->agent_state, NULL, &d->action, &seen, true, next, NULL),
            ASIF_OK);
        asif_episode_value_at(c, d->next, next, -n->weight, sum);
    }
    update(n, d);
    n->weight *= c->discount;
    return ASIF_OK;
}

static void run_naive(naive *n, const asif_theta *theta, bool endless, uint32_t max_steps) {
    const asif_setting_spec *spec = asif_setting_get(n->setting);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    double state[MOST_STATES];
    n->max_steps = max_steps;
    assert_int_equal(asif_episode_value_create(&n->critic, n->behavior, theta, endless, max_steps, 60, NULL),
                     ASIF_OK);
    assert_int_equal(asif_outlook_create(&n->outlook, &n->critic, 1, NULL), ASIF_OK);
    for (uint32_t s = 0; s < spec->states; s++) {
        n->behavior->ops->init(n->behavior->self, 0, spec->observations ? ASIF_ANY : s, state);
        asif_episode_value_at(&n->critic, s, state, spec->environment_start[s], n->first);
    }
    options.episodes = RUNS;
    options.seed = 5;
    options.endless = endless;
    /* one part in 100 of the discounting is left to the critic */
    options.max_steps = endless && n->critic.exact ? 1
                        : endless                  ? 1 + (uint32_t)ceil(log(.01) / log(theta->discount))
                                                   : max_steps;
    assert_int_equal(asif_simulate(n->behavior, &options, follow, n, NULL), ASIF_OK);
    asif_outlook_free(&n->outlook);
    asif_episode_value_free(&n->critic);
}

static double mean_of(const naive *n, uint32_t kind, double *error) {
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < RUNS; i++)
        sum += n->now[i][kind] / RUNS;
    for (uint32_t i = 0; i < RUNS; i++)
        squares += (n->now[i][kind] - sum) * (n->now[i][kind] - sum);
    *error = sqrt(squares / (RUNS * (RUNS - 1.0)));
    return sum;
}

static asif_status visit(void *user, const asif_behavior *behavior, uint64_t n, const double *state,
                         const double *times, const double *policy, asif_error *error) {
    (void)behavior;
    (void)state;
    (void)policy;
    (void)error;
    for (uint64_t i = 0; i < n; i++)
        *(double *)user += times[i];
    return ASIF_OK;
}

static asif_status count_decision(void *user, const asif_decision *decision) {
    (void)decision;
    ++*(double *)user;
    return ASIF_OK;
}

static void compare(const asif_context *context, const asif_setting *setting, double alpha, double beta,
                    double eta, uint32_t max_steps) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint32_t U = spec->actions;
    asif_theta *theta;
    asif_work *work;
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    asif_theta_set(theta, "alpha", alpha, NULL);
    asif_theta_set(theta, "beta", beta, NULL);
    asif_theta_set(theta, "eta", eta, NULL);
    asif_plan_options plan = ASIF_PLAN_OPTIONS_INIT;
    plan.resolution = 30;
    assert_int_equal(asif_work_create(&work, context, NULL, setting, &plan, NULL), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, NULL, NULL), ASIF_OK);
    double measure[64], spread[64], value, variance, error, visits = 0, decisions = 0;
    asif_policy_value_options options = {.episodes = RUNS,
                                         .seed = 5,
                                         .max_steps = max_steps,
                                         .intervals = 60,
                                         .visit = visit,
                                         .user = &visits};
    naive n = {.setting = setting, .behavior = asif_work_behavior(work)};
    run_naive(&n, theta, false, max_steps);
    assert_int_equal(asif_policy_measures(measure, spread, n.behavior, theta, &options, NULL), ASIF_OK);
    double scale = sqrt((RUNS - 1.0) / RUNS); /* that one divides by RUNS */
    for (uint32_t u = 0; u < U; u++) {
        CHECK_NEAR(measure[ASIF_MEASURE_TAKEN + u], mean_of(&n, u, &error), 1e-9);
        CHECK_NEAR(spread[ASIF_MEASURE_TAKEN + u], scale * error, 1e-9);
    }
    CHECK_NEAR(measure[ASIF_MEASURE_UTILITY], mean_of(&n, U + 1, &error), 1e-9);
    asif_simulate_options simulation = ASIF_SIMULATE_OPTIONS_INIT;
    simulation.episodes = RUNS;
    simulation.seed = 5;
    simulation.max_steps = max_steps;
    assert_int_equal(asif_simulate(n.behavior, &simulation, count_decision, &decisions, NULL), ASIF_OK);
    CHECK_NEAR(visits, decisions, 0);

    naive endless = {.setting = setting, .behavior = asif_work_behavior(work)};
    run_naive(&endless, theta, true, max_steps);
    options.visit = NULL;
    options.episodes = RUNS / 4; /* in several rounds */
    assert_int_equal(
        asif_policy_value_mean(&value, &variance, endless.behavior, theta, &options, RUNS, 0, NULL), ASIF_OK);
    CHECK_NEAR(value, mean_of(&endless, 0, &error), 1e-9);
    CHECK_NEAR(sqrt(variance), error, 1e-9);
    asif_work_free(work);
    asif_theta_free(theta);
}

static void test_same_as_one_by_one(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *diag = make_diag(context, NULL), *adni = make_adni_shape(context, NULL),
                 *mdp = make_mdp(context, 12, 3, 4, .9, NULL);
    compare(context, diag, .6, 2, 15, 1000);
    compare(context, diag, 3, -4, -2, 5);  /* cut after 5 decisions */
    compare(context, diag, 0, 2, 15, 20);  /* acts best */
    compare(context, adni, .5, 2, .1, 30); /* nothing ends; utility by belief */
    compare(context, mdp, .1, INFINITY, 0, 50);
    asif_setting_free(diag);
    asif_setting_free(adni);
    asif_setting_free(mdp);
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
