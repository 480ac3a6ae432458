/* Worlds that are mixtures of the environment with a uniform world, and follow it. */
#include "check.h"

#include "setting/setting.h"

#include <string.h>

enum { S = 2, U = 2, X = 3, WORLDS = 3 };

static const double moves[2][S * S] = {{.9, .1, .3, .7}, {.6, .4, .2, .8}};
static const double sees[2][S * X] = {{.5, .5, 0, .2, .8, 0}, {.1, 0, .9, .3, 0, .7}};
static const double start[S] = {.5, .5}, shares[WORLDS] = {0, .5, 1};

static asif_context *context;

static asif_setting *make(const asif_setting_spec *spec) {
    asif_setting *setting = NULL;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_setting_create(&setting, context, spec, &error) == ASIF_OK, "%s", error.message);
    return setting;
}

/* One matrix of transitions for both actions, and emissions by action, of which column `u` is impossible. */
static asif_setting_spec specify(const asif_matrix *matrix, const uint32_t *transitions,
                                 const uint32_t *emissions) {
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = S;
    spec.actions = U;
    spec.observations = X;
    spec.worlds = WORLDS;
    spec.matrices = 3;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = start;
    spec.world_shares = shares;
    spec.discount = .5;
    return spec;
}

static double cell(const asif_matrix *m, uint32_t row, uint32_t column) {
    uint64_t begin, end;
    asif_matrix_row(m, row, &begin, &end);
    for (uint64_t e = begin; e < end; e++)
        if (m->column[e] == column)
            return m->value[e];
    return 0;
}

static void check_worlds(const asif_setting *setting, const double *environment) {
    for (uint32_t m = 0; m <= WORLDS; m++) {
        double share = m < WORLDS ? shares[m] : 0;
        for (uint32_t u = 0; u < U; u++)
            for (uint32_t i = 0; i < S; i++) {
                for (uint32_t j = 0; j < S; j++)
                    CHECK_NEAR(cell(asif_transitions(setting, m, u), i, j),
                               (1 - share) * environment[i * S + j] + share / S, 1e-15);
                for (uint32_t x = 0; x < X; x++)
                    CHECK_NEAR(cell(asif_emissions(setting, m, u), i, x),
                               x == 2 - u ? 0 : (1 - share) * sees[u][i * X + x] + share / 2, 1e-15);
            }
    }
}

static void test_follows_environment(void **state) {
    (void)state;
    asif_matrix matrix[3] = {{S, S, false, NULL, NULL, moves[0]},
                             {S, X, false, NULL, NULL, sees[0]},
                             {S, X, false, NULL, NULL, sees[1]}};
    uint32_t transitions[(WORLDS + 1) * U] = {0}, emissions[(WORLDS + 1) * U];
    for (uint32_t i = 0; i < (WORLDS + 1) * U; i++)
        emissions[i] = 1 + i % U;
    transitions[1 * U] = 99; /* entries of a world with a share are not read */
    asif_setting_spec spec = specify(matrix, transitions, emissions);
    asif_setting *setting = make(&spec);
    check_worlds(setting, moves[0]);
    assert_int_equal(asif_setting_get(setting)->matrices, 3 + 2 * 3); /* shared matrices stay shared */

    /* the environment changes, and the worlds with it */
    asif_setting_spec changed = *asif_setting_get(setting);
    asif_matrix other[16];
    memcpy(other, changed.matrix, changed.matrices * sizeof *other);
    other[0] = (asif_matrix){S, S, false, NULL, NULL, moves[1]};
    changed.matrix = other;
    changed.terminal = NULL;
    asif_setting *after = make(&changed);
    check_worlds(after, moves[1]);
    assert_int_equal(asif_setting_get(after)->matrices, 3 + 2 * 3);
    asif_setting_free(after);
    asif_setting_free(setting);

    const double wrong[WORLDS] = {0, 1.5, 0};
    asif_error error = ASIF_ERROR_INIT;
    spec.world_shares = wrong;
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_EDOMAIN);
    assert_non_null(strstr(error.message, "1.5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_follows_environment)};
    if (asif_context_create(&context, NULL, NULL) != ASIF_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    asif_context_free(context);
    return failed;
}
