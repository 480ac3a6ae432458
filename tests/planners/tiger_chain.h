/* Tiger, and an exact solution of it without a lattice. Listening from one half, only the number of sounds
 * from the right minus those from the left matters. Beliefs are therefore a chain of whole numbers k, with
 * odds (.85 / .15)^k of the tiger being right. */
#ifndef ASIF_TESTS_PLANNERS_TIGER_CHAIN_H
#define ASIF_TESTS_PLANNERS_TIGER_CHAIN_H

#include "asif.h"
#include "check.h"

#include <string.h>

enum { LISTEN, OPEN_LEFT, OPEN_RIGHT, TIGER_ACTIONS, REACH = 40 };
#define HEARD .85
#define TIGER_DISCOUNT .95

/* Make Tiger with an extra utility of `sure` at every step at which the belief in a state is above .9. */
static inline asif_setting *tiger_setting(const asif_context *context, double sure) {
    static const double half[] = {.5, .5}, identity[] = {1, 0, 0, 1},
                        hear[] = {HEARD, 1 - HEARD, 1 - HEARD, HEARD};
    static const asif_matrix matrix[] = {
        {2, 2, true, NULL, NULL, half}, {2, 2, false, NULL, NULL, identity}, {2, 2, false, NULL, NULL, hear}};
    static const uint32_t transitions[] = {1, 0, 0, 1, 0, 0}, emissions[] = {2, 0, 0, 2, 0, 0};
    static const double utility[] = {-1, -1, -100, 10, 10, -100}; /* [action][state: left, right] */
    const asif_utility_term term = {.by = ASIF_BY_BELIEF,
                                    .parameter = ASIF_ANY,
                                    .action = ASIF_ANY,
                                    .index = ASIF_ANY,
                                    .coefficient = sure,
                                    .test = ASIF_ABOVE,
                                    .threshold = .9};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = spec.observations = 2;
    spec.actions = TIGER_ACTIONS;
    spec.matrices = 3;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = half;
    spec.discount = TIGER_DISCOUNT;
    spec.utility = utility;
    spec.terms = sure != 0;
    spec.term = &term;
    asif_setting *setting = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_setting_create(&setting, context, &spec, &error) == ASIF_OK, "%s", error.message);
    return setting;
}

static inline double right_at(int k) {
    return 1 / (1 + pow((1 - HEARD) / HEARD, k));
}

/* Compute Q at k = -REACH .. REACH, at whose ends the state is nearly certain. */
static inline void tiger_solve(double sure, double q[2 * REACH + 1][TIGER_ACTIONS]) {
    double V[2 * REACH + 1] = {0};
    for (int sweep = 0; sweep < 800; sweep++) {
        double next[2 * REACH + 1];
        for (int k = -REACH; k <= REACH; k++) {
            double p = right_at(k), hear_right = p * HEARD + (1 - p) * (1 - HEARD);
            double certainty = p > .5 ? p : 1 - p, more = certainty > .9 ? sure : 0, *at = q[k + REACH];
            int up = k < REACH ? k + 1 : k, down = k > -REACH ? k - 1 : k;
            at[LISTEN] =
                more - 1 + TIGER_DISCOUNT * (hear_right * V[up + REACH] + (1 - hear_right) * V[down + REACH]);
            at[OPEN_LEFT] = more + -100 * (1 - p) + 10 * p + TIGER_DISCOUNT * V[REACH];
            at[OPEN_RIGHT] = more + 10 * (1 - p) - 100 * p + TIGER_DISCOUNT * V[REACH];
            next[k + REACH] = fmax(at[LISTEN], fmax(at[OPEN_LEFT], at[OPEN_RIGHT]));
        }
        memcpy(V, next, sizeof next);
    }
}

/* Check an agent of a planner against the chain: its values at k from -4 to 4 must be within `close`. */
static inline void check_tiger(const char *planner, double sure, uint32_t resolution, double close) {
    enum { FAR = 4, AT = 2 * FAR + 1 };
    asif_context *context;
    asif_theta *theta;
    asif_work *work;
    asif_plan_info info;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_setting *setting = tiger_setting(context, sure);
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    options.resolution = resolution;
    CHECK(asif_work_create(&work, context, planner, setting, &options, &error) == ASIF_OK, "%s",
          error.message);
    static double q[2 * REACH + 1][TIGER_ACTIONS];
    tiger_solve(sure, q);

    double state[AT][2], Q[AT][TIGER_ACTIONS], policy[AT][TIGER_ACTIONS];
    asif_view view = ASIF_VIEW_INIT;
    view.q = Q[0];
    view.policy = policy[0];
    for (int k = 0; k < AT; k++) {
        state[k][1] = right_at(k - FAR);
        state[k][0] = 1 - state[k][1];
    }
    const double acts[] = {0, 3};
    for (int a = 0; a < 2; a++) {
        assert_int_equal(asif_theta_set(theta, "act_alpha", acts[a], NULL), ASIF_OK);
        CHECK(asif_solve(work, theta, &info, &error) == ASIF_OK, "%s", error.message);
        assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
        assert_int_equal(asif_look(asif_work_behavior(work), AT, state[0], &view, NULL), ASIF_OK);
        for (int k = 0; k < AT; k++) {
            const double *want = q[k - FAR + REACH];
            double sum = 0, best = fmax(want[0], fmax(want[1], want[2]));
            for (int u = 0; u < TIGER_ACTIONS; u++)
                sum += exp((want[u] - best) / 3);
            for (int u = 0; u < TIGER_ACTIONS; u++) {
                CHECK_NEAR(Q[k][u], want[u], close);
                CHECK_NEAR(policy[k][u], a ? exp((want[u] - best) / 3) / sum : want[u] == best,
                           a ? 30 * close : 0);
            }
        }
    }
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

#endif
