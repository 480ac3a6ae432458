/* What a study means: DIAG to the last number, every shorthand against the long form, presets, files, and
 * reading with too little memory. */
#include "asif.h"
#include "check.h"
#include "setting/setting.h"
#include "study/study.h"

#include <string.h>

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) == ASIF_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static asif_study *read_named(const char *text, const char *name, asif_problems *problems) {
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_study_read(&study, context, text, strlen(text), name, problems, &error);
    CHECK(status == ASIF_OK, "%u:%u: %s (%s)\n%s", error.line, error.column, error.message, error.hint, text);
    return study;
}

static asif_study *read(const char *text) {
    return read_named(text, NULL, NULL);
}

static double cell(const asif_matrix *m, uint32_t row, uint32_t column) {
    row = m->same_rows ? 0 : row;
    for (uint64_t e = m->offset[row]; e < m->offset[row + 1]; e++)
        if (m->column[e] == column)
            return m->value[e];
    return 0;
}

static double transition(const asif_study *study, uint32_t world, uint32_t action, uint32_t row,
                         uint32_t column) {
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    return cell(&s->matrix[s->transitions[world * s->actions + action]], row, column);
}

static double emission(const asif_study *study, uint32_t world, uint32_t action, uint32_t row,
                       uint32_t column) {
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    return cell(&s->matrix[s->emissions[world * s->actions + action]], row, column);
}

static double value(const asif_study *study, const char *name) {
    double x = -999;
    CHECK(asif_theta_get(asif_study_theta(study), name, &x, NULL) == ASIF_OK, "no parameter %s", name);
    return x;
}

static const asif_study_parameter *written(const asif_study *study, const char *name) {
    for (uint32_t i = 0; asif_study_parameter_get(study, i); i++)
        if (strcmp(asif_study_parameter_get(study, i)->name, name) == 0)
            return asif_study_parameter_get(study, i);
    fail_msg("%s was not written", name);
    return NULL;
}

static void test_diag(void **state) {
    (void)state;
    const char *source = getenv("ASIF_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/examples/diag/study.yaml", source ? source : ".");
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
    CHECK(asif_study_load(&study, context, path, problems, &error) == ASIF_OK, "%s: %s", path, error.message);
    assert_int_equal(asif_problems_count(problems), 0);
    assert_string_equal(asif_study_title(study), "Diagnosis (DIAG)");
    assert_string_equal(asif_study_planner(study), "bounded-rational");
    assert_null(asif_study_preset(study));

    const asif_setting *setting = asif_study_setting(study);
    const asif_setting_spec *s = asif_setting_get(setting);
    assert_int_equal(s->states, 2);
    assert_int_equal(s->actions, 3);
    assert_int_equal(s->observations, 2);
    assert_int_equal(s->worlds, 3);
    assert_int_equal(s->starts, 1);
    assert_string_equal(s->state_names[1], "diseased");
    assert_string_equal(s->action_names[0], "declare_healthy");
    assert_string_equal(s->observation_names[1], "positive");
    assert_true(s->discount == 0.95);
    /* identity, reset, and the emissions .6, .7, .8, each once */
    assert_int_equal(s->matrices, 5);
    static const double right[] = {0.6, 0.7, 0.8, 0.7}; /* of the test, in the worlds and the environment */
    for (uint32_t m = 0; m < 4; m++) {
        for (uint32_t u = 0; u < 3; u++) {
            for (uint32_t i = 0; i < 2; i++) {
                for (uint32_t j = 0; j < 2; j++) {
                    CHECK_NEAR(emission(study, m, u, i, j), i == j ? right[m] : 1 - right[m], 1e-15);
                    assert_true(transition(study, m, u, i, j) == (u == 2 ? i == j : 0.5));
                }
            }
        }
        assert_true(m == 3 || s->world_weights[m] == 1.0 / 3);
    }
    assert_true(s->environment_start[0] == 0.5 && s->agent_start[1] == 0.5);
    assert_true(s->ends[0] && s->ends[1] && !s->ends[2]);

    static const asif_utility_term terms[] = {{.parameter = 0, .action = 0, .index = 0},
                                              {.parameter = 1, .action = 0, .index = 1},
                                              {.parameter = 1, .action = 1, .index = 0},
                                              {.parameter = 0, .action = 1, .index = 1},
                                              {.parameter = 2, .action = 2, .index = ASIF_ANY}};
    assert_int_equal(s->terms, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(s->term[i].by, ASIF_BY_STATE);
        assert_int_equal(s->term[i].parameter, terms[i].parameter);
        assert_int_equal(s->term[i].action, terms[i].action);
        assert_int_equal(s->term[i].index, terms[i].index);
        assert_true(s->term[i].coefficient == 1);
    }
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_PARAMETER, "cost"), 2);
    const double *utilities = asif_theta_utilities(asif_study_theta(study));
    assert_true(utilities[0] == 10 && utilities[1] == -36 && utilities[2] == -1);
    static const char *const learnt[] = {"alpha", "beta", "eta"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(written(study, learnt[i])->learn);
        assert_null(written(study, learnt[i])->prior);
        assert_true(isnan(value(study, learnt[i])));
    }
    assert_false(written(study, "wrong")->learn);
    const asif_plan_options *solver = asif_study_solver(study);
    assert_int_equal(solver->resolution, 100);
    assert_true(solver->tol == 1e-12);
    asif_study_free(study);
    asif_problems_free(problems);
}

/* A study of 2 states, 3 actions and 2 observations around one environment and agent. */
#define HEAD "asif: 1\nstates: [h, d]\nactions: [a, b, c]\nobservations: [n, p]\n"
#define AGENT "agent: {discount: 0.5, utility: {any: 0}, parameters: {alpha: 1}}\n"
#define EMIT "  emissions: uniform\n"

static void test_matrices(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool emissions;
        double want[3][4]; /* by action, rows in a row */
    } rows[] = {
        {"  transitions: identity\n" EMIT, false, {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}},
        {EMIT, false, {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}},
        {"  ends: [b]\n" EMIT, false, {{1, 0, 0, 1}, {0.25, 0.75, 0.25, 0.75}, {1, 0, 0, 1}}},
        {"  ends: b\n  transitions: {b: identity}\n" EMIT, false, {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}},
        {"  transitions: reset\n" EMIT,
         false,
         {{0.25, 0.75, 0.25, 0.75}, {0.25, 0.75, 0.25, 0.75}, {0.25, 0.75, 0.25, 0.75}}},
        {"  transitions: reset\n  reset: [0.125, 0.875]\n" EMIT,
         false,
         {{0.125, 0.875, 0.125, 0.875}, {0.125, 0.875, 0.125, 0.875}, {0.125, 0.875, 0.125, 0.875}}},
        {"  transitions: {a: [[0.5, 0.5], [0.25, 0.75]], any: uniform}\n" EMIT,
         false,
         {{0.5, 0.5, 0.25, 0.75}, {0.5, 0.5, 0.5, 0.5}, {0.5, 0.5, 0.5, 0.5}}},
        {"  transitions: {h: [0.5, 0.5], d: {h: 0.25, d: 0.75}}\n" EMIT,
         false,
         {{0.5, 0.5, 0.25, 0.75}, {0.5, 0.5, 0.25, 0.75}, {0.5, 0.5, 0.25, 0.75}}},
        {"  transitions: {c: {h: d, any: uniform}}\n" EMIT,
         false,
         {{1, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0.5, 0.5}}},
        {"  transitions: [{d: 1}, h]\n" EMIT, false, {{0, 1, 1, 0}, {0, 1, 1, 0}, {0, 1, 1, 0}}},
        {"  emissions: {sensitivity: 0.875, specificity: 0.75}\n",
         true,
         {{0.75, 0.25, 0.125, 0.875}, {0.75, 0.25, 0.125, 0.875}, {0.75, 0.25, 0.125, 0.875}}},
        {"  emissions: {c: {sensitivity: 0.875, specificity: 0.75}, any: uniform}\n",
         true,
         {{0.5, 0.5, 0.5, 0.5}, {0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.125, 0.875}}},
        {"  emissions: {h: {n: 0.75, p: 0.25}, d: p}\n",
         true,
         {{0.75, 0.25, 0, 1}, {0.75, 0.25, 0, 1}, {0.75, 0.25, 0, 1}}},
        {"  emissions: identity\n", true, {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}}},
        {"  emissions: {a: identity, b: [[0.75, 0.25], [0.5, 0.5]], c: uniform}\n",
         true,
         {{1, 0, 0, 1}, {0.75, 0.25, 0.5, 0.5}, {0.5, 0.5, 0.5, 0.5}}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        snprintf(text, sizeof text, HEAD "environment:\n  start: [0.25, 0.75]\n%s" AGENT, rows[k].text);
        asif_study *study = read(text);
        for (uint32_t m = 0; m < 2; m++) { /* one world, then the environment: the same */
            for (uint32_t u = 0; u < 3; u++) {
                for (uint32_t i = 0; i < 4; i++) {
                    double got = (rows[k].emissions ? emission : transition)(study, m, u, i / 2, i % 2);
                    CHECK(got == rows[k].want[u][i], "%s: action %u, entry %u is %g, not %g", rows[k].text, u,
                          i, got, rows[k].want[u][i]);
                }
            }
        }
        asif_study_free(study);
    }
}

static void test_starts(void **state) {
    (void)state;
    static const struct {
        const char *environment, *agent;
        uint32_t starts;
        double world[4], mind[4];
    } rows[] = {
        {"[0.25, 0.75]", NULL, 1, {0.25, 0.75}, {0.25, 0.75}},
        {"uniform", "{h: 0.25, d: 0.75}", 1, {0.5, 0.5}, {0.25, 0.75}},
        {"d", "h", 1, {0, 1}, {1, 0}},
        {"{by: risk, low: [0.75, 0.25], high: uniform}",
         NULL,
         2,
         {0.75, 0.25, 0.5, 0.5},
         {0.75, 0.25, 0.5, 0.5}},
        {"{by: risk, low: [0.75, 0.25], high: uniform}", "h", 2, {0.75, 0.25, 0.5, 0.5}, {1, 0, 1, 0}},
        {"h", "{by: risk, low: [0.75, 0.25], high: uniform}", 2, {1, 0, 1, 0}, {0.75, 0.25, 0.5, 0.5}},
        {"{by: risk, low: h, high: d}",
         "{by: risk, high: [0.25, 0.75], low: uniform}",
         2,
         {1, 0, 0, 1},
         {0.5, 0.5, 0.25, 0.75}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "environment:\n  start: %s\n" EMIT "agent:\n  discount: 0.5\n  utility: {any: 0}\n"
                      "  parameters: {alpha: 1}\n%s%s\n",
                 rows[k].environment, rows[k].agent ? "  start: " : "", rows[k].agent ? rows[k].agent : "");
        asif_study *study = read(text);
        const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
        assert_int_equal(s->starts, rows[k].starts);
        for (uint32_t i = 0; i < 2 * s->starts; i++) {
            assert_true(s->environment_start[i] == rows[k].world[i]);
            assert_true(s->agent_start[i] == rows[k].mind[i]);
        }
        if (s->starts == 2) {
            assert_string_equal(s->start_column, "risk");
            assert_string_equal(s->start_names[0], "low");
            assert_string_equal(s->start_names[1], "high");
        }
        asif_study_free(study);
    }
}

static void test_worlds(void **state) {
    (void)state;
    asif_study *study =
        read(HEAD "environment:\n  start: [0.25, 0.75]\n  ends: [a]\n"
                  "  emissions: [[0.75, 0.25], [0.25, 0.75]]\nagent:\n  discount: 0.5\n  start: d\n"
                  "  worlds:\n    - weight: 3\n    - {transitions: {b: uniform}, emissions: {c: uniform}}\n"
                  "  utility: {any: 0}\n  parameters: {alpha: 1}\n");
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    assert_int_equal(s->worlds, 2);
    assert_true(s->world_weights[0] == 0.75 && s->world_weights[1] == 0.25);
    for (uint32_t m = 0; m < 2; m++) { /* the agent's worlds start again where the agent thinks they do */
        assert_true(transition(study, m, 0, 0, 1) == 1);
        assert_true(emission(study, m, 0, 0, 0) == 0.75);
        assert_true(transition(study, m, 1, 0, 0) == (m == 0 ? 1 : 0.5));
        assert_true(emission(study, m, 2, 0, 0) == (m == 0 ? 0.75 : 0.5));
    }
    assert_true(transition(study, 2, 0, 0, 0) == 0.25);
    asif_study_free(study);

    static const char *const steps[] = {("\xC2\xB1"
                                         "0.125"),
                                        "+-0.125", "+/- 0.125", "[-0.125, 0, 0.125]"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "asif: 1\nstates: 2\nactions: 1\nobservations: 3\nenvironment:\n  start: uniform\n"
            "  emissions: [[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]\nagent:\n  discount: 0.5\n"
            "  worlds: {around: environment, emissions: %s}\n  utility: {any: 0}\n  parameters: {alpha: 1}\n",
            steps[k]);
        study = read(text);
        assert_int_equal(asif_setting_get(asif_study_setting(study))->worlds, 3);
        /* the largest moves by d, the others share -d in their proportions */
        static const double want[3][6] = {{0.375, 0.3125, 0.3125, 0.1875, 0.1875, 0.625},
                                          {0.5, 0.25, 0.25, 0.125, 0.125, 0.75},
                                          {0.625, 0.1875, 0.1875, 0.0625, 0.0625, 0.875}};
        for (uint32_t m = 0; m < 3; m++)
            for (uint32_t i = 0; i < 6; i++)
                CHECK_NEAR(emission(study, m, 0, i / 3, i % 3), want[m][i], 1e-15);
        asif_study_free(study);
    }
    /* a mixture: (1 - share) p + share / k in the k columns that a row of the action can reach */
    study = read("asif: 1\nstates: 2\nactions: 2\nobservations: 4\nenvironment:\n  start: uniform\n"
                 "  transitions: {0: [[1, 0], [0.25, 0.75]], 1: [[1, 0], [1, 0]]}\n"
                 "  emissions: {0: [[0.5, 0.5, 0, 0], [0, 0.25, 0.75, 0]], 1: [[0, 0, 0, 1], [0, 0, 0, 1]]}\n"
                 "agent:\n  discount: 0.5\n  worlds: [{}, {mix: uniform, share: 0.25, weight: 3}]\n"
                 "  utility: {any: 0}\n  parameters: {alpha: 1}\n");
    static const double moves[] = {.875, .125, .3125, .6875};
    static const double sees[] = {.375 + .25 / 3, .375 + .25 / 3,  .25 / 3,         0,
                                  .25 / 3,        .1875 + .25 / 3, .5625 + .25 / 3, 0};
    assert_true(asif_setting_get(asif_study_setting(study))->world_weights[1] == .75);
    for (uint32_t i = 0; i < 8; i++) {
        if (i < 4)
            CHECK_NEAR(transition(study, 1, 0, i / 2, i % 2), moves[i], 1e-15);
        CHECK_NEAR(transition(study, 1, 1, i / 4, i % 2), i % 2 == 0, 1e-15);
        CHECK_NEAR(emission(study, 1, 0, i / 4, i % 4), sees[i], 1e-15);
        CHECK_NEAR(emission(study, 1, 1, i / 4, i % 4), i % 4 == 3, 1e-15);
    }
    asif_study_free(study);
    /* both: all pairs; a row that tells nothing stays, and so does `reset` */
    study = read(
        "asif: 1\nstates: 2\nactions: [w, e]\nobservations: 2\nenvironment:\n  start: uniform\n  ends: e\n"
        "  transitions: {w: [[0.75, 0.25], [0.25, 0.75]]}\n  emissions: {w: [[0.75, 0.25], [0.25, 0.75]], e: "
        "uniform}\n"
        "agent:\n  discount: 0.5\n  worlds: {around: environment, emissions: [0, 0.125], transitions: "
        "+-0.25}\n"
        "  utility: {any: 0}\n  parameters: {alpha: 1}\n");
    assert_int_equal(asif_setting_get(asif_study_setting(study))->worlds, 6);
    for (uint32_t m = 0; m < 6; m++) {
        CHECK_NEAR(transition(study, m, 0, 0, 0), 0.75 + (m / 2 == 0 ? -0.25 : m / 2 == 1 ? 0 : 0.25), 1e-15);
        CHECK_NEAR(emission(study, m, 0, 1, 1), 0.75 + (m % 2 ? 0.125 : 0), 1e-15);
        assert_true(emission(study, m, 1, 0, 0) == 0.5 && transition(study, m, 1, 0, 0) == 0.5);
    }
    asif_study_free(study);
}

static void test_utility(void **state) {
    (void)state;
    asif_study *study = read(
        HEAD "environment: {start: uniform, emissions: uniform}\nagent:\n  discount: 0.5\n"
             "  parameters: {alpha: 1, gain: 2, harm: 3}\n  utility:\n"
             "    - {a: 1.5, b: -gain, any: {d: 2.5 * harm, any: harm}}\n"
             "    - {on: observation, p: gain, any: -1}\n"
             "    - {on: observation, n: -0.5 * harm, action: [a, c]}\n"
             "    - {when: certainty > 0.9, add: 2.5}\n"
             "    - {when: d <= 0.25, add: gain, action: b}\n"
             "    - {when: h>=0.5, add: gain, action: [b]}\n"
             "    - {when: certainty < .6, add: -harm}\n"
             "    - {ramp: certainty, from: 0.8, to: 1, add: 2 * gain}\n"
             "    - {ramp: d, from: 0.5, to: 0.25, add: -1.5, action: c}\n"
             "    - {c: [harm, {when: certainty >= .8, add: 4}, {ramp: h, from: 0, to: 0.5, add: 3}]}\n");
    static const asif_utility_term want[] = {
        {ASIF_BY_STATE, ASIF_ANY, 0, ASIF_ANY, 1.5, 0, 0, 0},
        {ASIF_BY_STATE, 0, 1, ASIF_ANY, -1, 0, 0, 0},
        {ASIF_BY_STATE, 1, 2, 1, 2.5, 0, 0, 0},
        {ASIF_BY_STATE, 1, 2, 0, 1, 0, 0, 0},
        {ASIF_BY_OBSERVATION, 0, ASIF_ANY, 1, 1, 0, 0, 0},
        {ASIF_BY_OBSERVATION, ASIF_ANY, ASIF_ANY, 0, -1, 0, 0, 0},
        {ASIF_BY_OBSERVATION, 1, 0, 0, -0.5, 0, 0, 0},
        {ASIF_BY_OBSERVATION, 1, 2, 0, -0.5, 0, 0, 0},
        {ASIF_BY_BELIEF, ASIF_ANY, ASIF_ANY, ASIF_ANY, 2.5, ASIF_ABOVE, 0.9, 0},
        {ASIF_BY_BELIEF, 0, 1, 1, 1, ASIF_AT_MOST, 0.25, 0},
        {ASIF_BY_BELIEF, 0, 1, 0, 1, ASIF_AT_LEAST, 0.5, 0},
        {ASIF_BY_BELIEF, 1, ASIF_ANY, ASIF_ANY, -1, ASIF_BELOW, 0.6, 0},
        {ASIF_BY_BELIEF, 0, ASIF_ANY, ASIF_ANY, 2, ASIF_RAMP, 0.8, 1},
        {ASIF_BY_BELIEF, ASIF_ANY, 2, 1, -1.5, ASIF_RAMP, 0.5, 0.25},
        {ASIF_BY_STATE, 1, 2, ASIF_ANY, 1, 0, 0, 0},
        {ASIF_BY_BELIEF, ASIF_ANY, 2, ASIF_ANY, 4, ASIF_AT_LEAST, 0.8, 0},
        {ASIF_BY_BELIEF, ASIF_ANY, 2, 0, 3, ASIF_RAMP, 0, 0.5},
    };
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    assert_int_equal(s->terms, sizeof want / sizeof *want);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const asif_utility_term *t = &s->term[i], *w = &want[i];
        CHECK(t->by == w->by && t->parameter == w->parameter && t->action == w->action &&
                  t->index == w->index && t->coefficient == w->coefficient && t->test == w->test &&
                  t->threshold == w->threshold && t->full == w->full,
              "term %zu is by %d, parameter %u, action %u, index %u, %g, test %d, %g", i, (int)t->by,
              t->parameter, t->action, t->index, t->coefficient, (int)t->test, t->threshold);
    }
    asif_study_free(study);

    /* an action may be called `on` */
    study = read("asif: 1\nstates: 1\nactions: [on, off]\nenvironment: {start: uniform}\n"
                 "agent: {discount: 0.5, utility: {on: 1, off: 2}, parameters: {alpha: 1}}\n");
    assert_int_equal(asif_setting_get(asif_study_setting(study))->terms, 2);
    asif_study_free(study);
}

static void test_parameters(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        double want; /* in theta */
        bool learn;
        const char *prior;
        double standard;
    } rows[] = {
        {"{alpha: 0.5}", "alpha", 0.5, false, NULL, NAN},
        {"{alpha: -2}", "alpha", -2, false, NULL, NAN},
        {"{alpha: inf}", "alpha", INFINITY, false, NULL, NAN},
        {"{alpha: 1, beta: inf}", "beta", INFINITY, false, NULL, NAN},
        {"{alpha: 1, beta: 1.25}", "optimism", 0.8, false, NULL, NAN},
        {"{alpha: 1, optimism: 0.8}", "beta", 1.25, false, NULL, NAN},
        {"{alpha: 1, optimism: -inf}", "optimism", -INFINITY, false, NULL, NAN},
        {"{alpha: 1, beta: 0+}", "optimism", INFINITY, false, NULL, NAN},
        {"{alpha: 1, beta: 0-}", "optimism", -INFINITY, false, NULL, NAN},
        {"{alpha: 1, eta: -75}", "eta", -75, false, NULL, NAN},
        {"{alpha: 1, act_alpha: 3}", "act_alpha", 3, false, NULL, NAN},
        {"{alpha: 'learn ~ lognormal(-0.7, 1.5)'}", "alpha", NAN, true, "lognormal(-0.7, 1.5)", NAN},
        {"{alpha: learn ~ lognormal(-0.7, 1.5)}", "alpha", NAN, true, "lognormal(-0.7, 1.5)", NAN},
        {"{alpha: 1, optimism: learn ~ student_t(3, 0, 1), eta: 2}", "optimism", NAN, true,
         "student_t(3, 0, 1)", NAN},
        {"{alpha: 1, u: {learn: normal(-36, 23), standard: -36}}", "u", NAN, true, "normal(-36, 23)", -36},
        {"{alpha: 1, u: {learn: 'normal(-36, 23)', standard: -36}}", "u", NAN, true, "normal(-36, 23)", -36},
        {"{alpha: 1, u: {learn: , standard: 2}}", "u", NAN, true, NULL, 2},
        {"{alpha: 1, discount: learn ~ beta(19, 1)}", "discount", NAN, true, "beta(19, 1)", NAN},
        {"{alpha: learn ~ flat}", "alpha", NAN, true, "flat", NAN},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        bool discount = strcmp(rows[k].name, "discount") == 0;
        snprintf(text, sizeof text,
                 HEAD "environment: {start: uniform, emissions: uniform}\nagent:\n%s"
                      "  utility: {any: %s}\n  parameters: %s\n",
                 discount ? "" : "  discount: 0.5\n", strcmp(rows[k].name, "u") == 0 ? "u" : "1",
                 rows[k].text);
        asif_study *study = read(text);
        double got = value(study, rows[k].name);
        CHECK(got == rows[k].want || (isnan(got) && isnan(rows[k].want)), "%s is %g", rows[k].text, got);
        /* 1/beta and beta are the same parameter: ask for the one that was written */
        bool other = (strcmp(rows[k].name, "optimism") == 0 && strstr(rows[k].text, "beta")) ||
                     (strcmp(rows[k].name, "beta") == 0 && strstr(rows[k].text, "optimism"));
        if (!other) {
            const asif_study_parameter *p = written(study, rows[k].name);
            assert_int_equal(p->learn, rows[k].learn);
            assert_true(p->standard == rows[k].standard || (isnan(p->standard) && isnan(rows[k].standard)));
            CHECK((p->prior == NULL) == (rows[k].prior == NULL), "%s", rows[k].text);
            if (p->prior)
                assert_string_equal(p->prior, rows[k].prior);
        }
        asif_study_free(study);
    }
    asif_study *study = read(HEAD "environment: {start: uniform, emissions: uniform}\n"
                                  "agent: {discount: 0.5, utility: {any: 1}, parameters: {alpha: 0-}}\n");
    assert_true(value(study, "alpha") == 0 && signbit(value(study, "alpha")));
    asif_study_free(study);
    study = read(HEAD "environment: {start: uniform, emissions: uniform}\n"
                      "agent: {discount: 0.5, utility: {any: 1}, parameters: {alpha: 0}}\n");
    assert_true(value(study, "alpha") == 0 && !signbit(value(study, "alpha")));
    asif_study_free(study);
}

/* Jarrett et al. (2021), Table 4. */
static void test_presets(void **state) {
    (void)state;
    static const struct {
        const char *preset, *parameters;
        bool full;
        double alpha, act_alpha, optimism, eta;
    } rows[] = {
        {"uniformly-random", "{}", false, INFINITY, INFINITY, 0, 0},
        {"deterministic-optimal", "{}", false, 0, 0, 0, 0},
        {"deterministic-optimal", "{alpha: 0, beta: inf, eta: 0}", true, 0, 0, 0, 0},
        {"boltzmann-exploratory", "{act_alpha: 0.5}", false, 0, 0.5, 0, 0},
        {"minimum-information", "{}", true, 1, 1, 0, 1},
        {"maximum-entropy", "{alpha: 0.25}", true, 0.25, 0.25, 0, 0},
        {"kl-regularized", "{alpha: 0.25, optimism: 0}", true, 0.25, 0.25, 0, 0},
        {"kl-penalized-robust", "{beta: -4}", true, 0, 0, -0.25, 0},
        {"kl-penalized-robust", "{optimism: -0.25}", true, 0, 0, -0.25, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "asif: 1\nstates: 2\nactions: 2\n%senvironment: {start: uniform%s}\nagent:\n"
                 "  preset: %s\n  discount: 0.5\n  utility: {any: 1}\n  parameters: %s\n",
                 rows[k].full ? "" : "observations: 2\n", rows[k].full ? "" : ", emissions: uniform",
                 rows[k].preset, rows[k].parameters);
        asif_study *study = read(text);
        assert_string_equal(asif_study_preset(study), rows[k].preset);
        assert_true(value(study, "alpha") == rows[k].alpha);
        assert_true(value(study, "optimism") == rows[k].optimism);
        assert_true(value(study, "eta") == rows[k].eta);
        double act = value(study, "act_alpha"); /* NaN: as alpha */
        CHECK(act == rows[k].act_alpha || (isnan(act) && rows[k].act_alpha == rows[k].alpha),
              "%s: act_alpha %g", rows[k].preset, act);
        asif_study_free(study);
    }
    static const struct {
        const char *preset, *more, *message;
        bool full;
        uint32_t line; /* of the study below */
    } wrong[] = {
        {"uniformly-random", "parameters: {alpha: 1}", "has alpha inf", true, 10},
        {"deterministic-optimal", "parameters: {beta: learn}", "has beta inf", true, 10},
        {"deterministic-optimal", "parameters: {optimism: 1}", "has optimism 0", true, 10},
        {"deterministic-optimal", "parameters: {eta: 1}", "has eta 0", true, 10},
        {"deterministic-optimal", "worlds: [{}, {transitions: uniform}]", "knows one world", true, 10},
        {"deterministic-optimal", "parameters: {act_alpha: 1}", "no acting temperature", true, 10},
        {"boltzmann-exploratory", "parameters: {}", "needs `act_alpha`", true, 7},
        {"minimum-information", "parameters: {eta: 0}", "has eta 1", true, 10},
        {"minimum-information", "parameters: {}", "sees the state", false, 7},
        {"maximum-entropy", "parameters: {}", "needs `alpha`", true, 7},
        {"maximum-entropy", "parameters: {alpha: 0}", "needs `alpha` above 0", true, 10},
        {"maximum-entropy", "parameters: {alpha: -1}", "needs `alpha` above 0", true, 10},
        {"maximum-entropy", "parameters: {alpha: inf}", "needs `alpha` above 0", true, 10},
        {"maximum-entropy", "action_prior: [0.25, 0.75]\n  parameters: {alpha: 1}", "uniform action prior",
         true, 10},
        {"kl-penalized-robust", "parameters: {}", "needs `beta` or `optimism`", true, 7},
        {"kl-penalized-robust", "parameters: {beta: 1}", "needs `beta` below 0", true, 10},
        {"kl-penalized-robust", "parameters: {optimism: 0}", "needs `optimism` below 0", true, 10},
        {"kl-penalized-robust", "parameters: {beta: 0-}", "needs `beta` below 0", true, 10},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "asif: 1\nstates: 2\nactions: 2\n%s\nenvironment: {start: uniform%s}\nagent:\n"
                 "  preset: %s\n  discount: 0.5\n  utility: {any: 1}\n  %s\n",
                 wrong[k].full ? "" : "observations: 2", wrong[k].full ? "" : ", emissions: uniform",
                 wrong[k].preset, wrong[k].more);
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_study_read(&study, context, text, strlen(text), NULL, NULL, &error),
                         ASIF_EINVALID);
        CHECK(strstr(error.message, wrong[k].message) && error.hint[0] && error.line == wrong[k].line,
              "%u: %s (%s)\nfor %s", error.line, error.message, error.hint, text);
    }
    uint32_t n = 0;
    for (; asif_preset_get(n); n++)
        assert_true(asif_preset_get(n)->name[0] && asif_preset_get(n)->summary[0]);
    assert_int_equal(n, 21); /* Table 4's seven agents, Table 1's fourteen classes */
}

/* What a planner fixes holds in studies, with the line of what says otherwise; so do the classes of Table 1.
 */
static void test_narrowing(void **state) {
    (void)state;
    static const struct {
        const char *who, *more, *message, *hint;
        bool full;
        uint32_t line; /* of the study below */
    } wrong[] = {
        {"planner: model-based-mdp", "parameters: {alpha: 1}", "the planner `model-based-mdp` has alpha 0",
         "remove `alpha` here", true, 10},
        {"planner: model-based-mdp", "parameters: {alpha: 0-}", "has alpha 0", "", true, 10},
        {"planner: model-based-mdp", "parameters: {alpha: learn}", "has alpha 0", "", true, 10},
        {"planner: model-based-mdp", "parameters: {optimism: learn}", "has optimism 0", "", true, 10},
        {"planner: maximum-entropy", "parameters: {alpha: 1, eta: learn}", "has eta 0", "", true, 10},
        {"planner: maximum-entropy", "parameters: {alpha: 1, act_alpha: 1}", "no acting temperature", "",
         true, 10},
        {"planner: maximum-entropy", "parameters: {}", "the agent has no `alpha`", "", true, 10},
        {"planner: maximum-entropy", "parameters: {alpha: 1}\n  action_prior: [0.25, 0.75]",
         "has a uniform action prior", "kl-regularized", true, 11},
        {"planner: maximum-entropy", "action_prior: learn\n  parameters: {alpha: 1}",
         "has a uniform action prior", "kl-regularized", true, 10},
        {"planner: kl-regularized", "parameters: {alpha: 1}", "sees the state, but there are observations",
         "remove `observations`", false, 7},
        {"planner: model-based-pomdp", "", "sees observations, but there are none", "`observations`", true,
         7},
        {"planner: model-based-pomdp", "utility:\n    - {any: 1}\n    - {when: certainty > 0.9, add: 2}",
         "no utility that depends on the belief", "belief-aware", false, 12},
        {"planner: belief-aware", "utility: {any: 1}", "depends on the belief, but none is given",
         "certainty > 0.9", false, 7},
        {"planner: belief-aware",
         "utility: [{any: 1}, {when: certainty > 0.9, add: 2}]\n  worlds: [{}, {transitions: uniform}]",
         "knows one world", "one world", false, 11},
        {"preset: stochastic-irl\n  planner: maximum-entropy", "parameters: {act_alpha: 1}",
         "the preset `stochastic-irl` has the planner `model-based-mdp`", "remove `planner`", true, 8},
        {"preset: stochastic-irl", "parameters: {}", "needs `act_alpha`", "learn", true, 7},
        {"preset: stochastic-irl", "parameters: {act_alpha: 1, beta: 2}",
         "the preset `stochastic-irl` has beta inf", "or the preset", true, 10},
        {"preset: stochastic-irl", "worlds: [{transitions: uniform}]\n  parameters: {act_alpha: 1}",
         "knows the environment", "subjective", true, 10},
        {"preset: subjective-irl", "parameters: {act_alpha: 1}", "needs `worlds`", "world_weights: learn",
         true, 7},
        {"preset: deterministic-po-irl", "parameters: {act_alpha: learn}", "does not estimate `act_alpha`",
         "small number", false, 10},
        {"preset: risk-sensitive-irl", "worlds: [{}, {transitions: uniform}]\n  parameters: {act_alpha: 1}",
         "needs `beta` or `optimism`", "learn", true, 7},
        {"preset: maximum-entropy-irl", "parameters: {alpha: 0}", "needs `alpha` above 0", "", true, 10},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[2048];
        bool own = strstr(wrong[k].more, "utility:");
        snprintf(text, sizeof text,
                 "asif: 1\nstates: 2\nactions: 2\n%s\nenvironment: {start: uniform%s}\nagent:\n"
                 "  %s\n  discount: 0.5\n  %s\n  %s\n",
                 wrong[k].full ? "" : "observations: 2", wrong[k].full ? "" : ", emissions: uniform",
                 wrong[k].who, own ? "" : "utility: {any: 1}", wrong[k].more);
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_study_read(&study, context, text, strlen(text), NULL, NULL, &error),
                         ASIF_EINVALID);
        CHECK(strstr(error.message, wrong[k].message) && strstr(error.hint, wrong[k].hint) && error.hint[0] &&
                  error.line == wrong[k].line,
              "%u: %s (%s)\nfor %s", error.line, error.message, error.hint, text);
    }

    /* what is fixed need not be said, and may be; a preset names its planner and its inverse planner */
    asif_study *study = read("asif: 1\nstates: 2\nactions: 2\nenvironment: {start: uniform}\nagent:\n"
                             "  planner: model-based-mdp\n  discount: 0.5\n  utility: {any: 1}\n"
                             "  parameters: {alpha: 0, optimism: 0, act_alpha: learn}\n");
    assert_true(value(study, "alpha") == 0 && value(study, "beta") == INFINITY && value(study, "eta") == 0);
    asif_study_free(study);
    study = read(
        "asif: 1\nstates: 2\nactions: 2\nenvironment: {start: uniform}\nagent:\n"
        "  preset: maximum-entropy-irl\n  discount: 0.5\n  utility: {any: 1}\n  parameters: {alpha: 1}\n");
    assert_string_equal(asif_study_planner(study), "maximum-entropy");
    assert_string_equal(asif_study_inverse(study), "soft-policy-matching");
    asif_study_free(study);
}

/* The start class may come from another column than the one after `by`, with cuts or labels of its own. */
static void test_start_column(void **state) {
    (void)state;
    asif_study *study =
        read("asif: 1\nstates: [s, t]\nactions: [a, b]\nobservations: [x]\n"
             "environment: {start: {by: risk, low: s, high: t}, transitions: reset, reset: uniform, "
             "emissions: uniform, ends: [a, b]}\n"
             "agent: {discount: 0.5, utility: {a: 1, b: 0}, parameters: {alpha: 1}}\n"
             "logs: {start: {column: score, cut: 0.5, labels: [low, high]}}\n");
    static const char table[] = "episode,action,observation,score\n1,a,x,0.2\n2,b,x,0.7\n3,b,x,0.9\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree *tree = NULL;
    options.map = asif_study_logs(study);
    options.setting = asif_study_setting(study);
    asif_logs_read_text(&tree, context, table, sizeof table - 1, "logs", &options, NULL, NULL, &error);
    CHECK(tree, "%s", error.message);
    assert_int_equal(asif_tree_get(tree, &view, NULL), ASIF_OK);
    const double want[] = {1, 0, 0, 2}; /* low: a, b; high: a, b */
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(view.count[i], want[i], 0);
    asif_tree_free(tree);
    asif_study_free(study);
}

static void test_labels(void **state) {
    (void)state;
    /* words that YAML readers like to turn into something else, an alias, numbers as labels */
    asif_study *study =
        read("asif: 1\nstates: [no, yes, 010]\nactions: 2\nobservations: [null, ~, 1e3]\nenvironment:\n"
             "  start: no\n  transitions: {1: &m [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}\n  emissions: *m\n"
             "agent: {discount: 0.5, utility: {0: 1, 1: {no: 2, yes: 3, 010: 4}}, parameters: {alpha: 1}}\n"
             "logs: {action: {column: x, labels: {skip: 0, scan: 1}}, missing: not_seen, "
             "observation: [{column: CDRSB, cut: [0.5, 4.5]}, mri], subject: id, initial_observation: 1}\n"
             "inverse: soft-policy-matching\n"
             "solver: {resolution: 7, tol: 1e-3, max_backups: 5, time_limit: 2.5, memory: 1.5 GB}\n");
    const asif_setting *setting = asif_study_setting(study);
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_STATE, "no"), 0);
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_STATE, "010"), 2);
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_ACTION, "1"), 1);
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_OBSERVATION, "~"), 1);
    assert_int_equal(asif_setting_find(setting, ASIF_LABEL_OBSERVATION, "1e3"), 2);
    assert_true(transition(study, 1, 1, 2, 0) == 1 && emission(study, 0, 0, 2, 0) == 1);
    assert_int_equal(asif_setting_get(setting)->matrices, 2); /* the cycle, shared, and the identity */
    const asif_plan_options *solver = asif_study_solver(study);
    assert_int_equal(solver->resolution, 7);
    assert_true(solver->tol == 1e-3 && solver->time_limit_sec == 2.5);
    assert_int_equal(solver->max_backups, 5);
    assert_int_equal(solver->memory_limit, 1500000000);
    asif_study_free(study);
}

/* What takes the place of `auto` where no fit chooses: 5,151 beliefs at most, which three states have at 100.
 */
#define CROSSED                                                                                              \
    "asif: 1\nstates: [a]\nactions: [x]\nobservations: {hue: [red, blue], size: 3, on: [no, yes]}\n"         \
    "environment: {start: a, emissions: uniform}\n"                                                          \
    "agent: {discount: 0, utility: {x: 0}, parameters: {alpha: 1}}\n"

/* Observations that are crossed from columns: all combinations, the first column slowest. */
static void test_crossed(void **state) {
    (void)state;
    static const char *const hue[] = {"red", "blue"}, *const on[] = {"no", "yes"};
    asif_study *study = read(CROSSED);
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    assert_int_equal(s->observations, 12);
    assert_int_equal(s->observation_columns, 3);
    for (uint32_t h = 0, x = 0; h < 2; h++)
        for (uint32_t z = 0; z < 3; z++)
            for (uint32_t o = 0; o < 2; o++, x++) {
                char want[32];
                snprintf(want, sizeof want, "%s/%u/%s", hue[h], z, on[o]);
                assert_string_equal(s->observation_names[x], want);
                const uint32_t of[] = {h, z, o};
                for (uint32_t c = 0; c < 3; c++)
                    assert_int_equal(asif_observation_class(s, c, x), of[c]);
            }
    assert_string_equal(s->observation_column[0].name, "hue");
    assert_string_equal(s->observation_column[0].class_names[1], "blue");
    assert_int_equal(s->observation_column[1].classes, 3);
    assert_null(s->observation_column[1].class_names);
    asif_setting *other = NULL;
    asif_setting_spec wrong = *s;
    wrong.observation_columns = 2;
    wrong.terminal = NULL;
    assert_int_equal(asif_setting_create(&other, context, &wrong, NULL), ASIF_EINVALID);
    asif_study_free(study);
}

static void test_auto_resolution(void **state) {
    (void)state;
    static const struct {
        const char *states, *start;
        uint32_t resolution;
        double nodes, more; /* on a lattice with so many intervals, and one more: C(n + S - 1, S - 1) */
    } cases[] = {{"2", "[0.5, 0.5]", 100, 101, 102},
                 {"3", "[0.5, 0.5, 0]", 100, 5151, 5253},
                 {"4", "[0.5, 0.5, 0, 0]", 29, 4960, 5456}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "asif: 1\nstates: %s\nactions: 2\nobservations: 2\nenvironment: {start: %s, emissions: uniform}\n"
            "agent: {discount: 0.5, utility: {0: 1}, parameters: {alpha: 1}}\nsolver: {resolution: auto}\n",
            cases[i].states, cases[i].start);
        asif_study *study = read(text);
        assert_int_equal(asif_study_solver(study)->resolution, cases[i].resolution);
        assert_true(asif_study_solver(study)->lattice_error == 0.05);
        assert_true(cases[i].nodes <= 5151 && (cases[i].more > 5151 || cases[i].resolution == 100));
        asif_study_free(study);
    }
}

static void test_warnings(void **state) {
    (void)state;
    static const struct {
        const char *environment, *agent, *message;
        asif_severity severity;
    } rows[] = {
        {"start: uniform", "utility: {any: 1}, parameters: {alpha: 1, cost: 2}", "`cost` is not used",
         ASIF_PROBLEM_WARNING},
        {"start: uniform", "utility: {u: 1}, parameters: {alpha: 1}", "`w` has no utility",
         ASIF_PROBLEM_WARNING},
        {"start: uniform", "utility: {any: 1}, parameters: {alpha: learn ~ flat}", "improper",
         ASIF_PROBLEM_WARNING},
        {"terminal: [1]", "utility: {any: 1}, parameters: {alpha: 1}", "no `start` is given",
         ASIF_PROBLEM_NOTE},
        {"start: uniform, transitions: uniform, ends: u", "utility: {any: 1}, parameters: {alpha: 1}",
         "ends an episode", ASIF_PROBLEM_NOTE},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[1024];
        asif_problems *problems = NULL;
        assert_int_equal(asif_problems_create(&problems, context, 0, NULL), ASIF_OK);
        snprintf(text, sizeof text,
                 "asif: 1\nstates: 2\nactions: [u, w]\nenvironment: {%s}\nagent: {discount: 0.5, %s}\n",
                 rows[k].environment, rows[k].agent);
        asif_study *study = read_named(text, NULL, problems);
        asif_severity severity = ASIF_PROBLEM_ERROR;
        const asif_error *problem = asif_problems_get(problems, 0, &severity);
        CHECK(problem && strstr(problem->message, rows[k].message) && severity == rows[k].severity, "%s: %s",
              text, problem ? problem->message : "no problem");
        assert_int_equal(asif_problems_count(problems), 1);
        asif_study_free(study);
        asif_problems_free(problems);
    }
}

static const char tiger[] =
    "discount: 0.75\nvalues: reward\nstates: left right\nactions: listen open-left open-right\n"
    "observations: hear-left hear-right\nT: listen\nidentity\nT: open-left\nuniform\n"
    "T: open-right\nuniform\nO: listen\n0.85 0.15\n0.15 0.85\nO: open-left\nuniform\n"
    "O: open-right\nuniform\nR: listen : * : * : * -1\nR: open-left : left : * : * -100\n"
    "R: open-left : right : * : * 10\nR: open-right : left : * : * 10\n"
    "R: open-right : right : * : * -100\n";

static double utility(const asif_study *study, uint32_t action, uint32_t state_) {
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    double sum = s->utility ? s->utility[action * s->states + state_] : 0;
    for (uint64_t i = 0; i < s->terms; i++)
        if (s->term[i].by == ASIF_BY_STATE &&
            (s->term[i].action == action || s->term[i].action == ASIF_ANY) &&
            (s->term[i].index == state_ || s->term[i].index == ASIF_ANY))
            sum += s->term[i].coefficient;
    return sum;
}

static void test_files(void **state) {
    (void)state;
    FILE *file = fopen("test_study_tiger.pomdp", "w");
    assert_non_null(file);
    fputs(tiger, file);
    fclose(file);
    asif_study *study =
        read_named("asif: 1\nenvironment: {pomdp: test_study_tiger.pomdp, ends: [open-left]}\n"
                   "agent:\n  parameters: {alpha: 0}\n"
                   "  worlds: [{}, {emissions: {listen: [[0.75, 0.25], [0.25, 0.75]]}}]\n",
                   "study.yaml", NULL);
    const asif_setting_spec *s = asif_setting_get(asif_study_setting(study));
    assert_int_equal(s->states, 2);
    assert_int_equal(s->actions, 3);
    assert_int_equal(s->observations, 2);
    assert_int_equal(s->worlds, 2);
    assert_string_equal(s->action_names[1], "open-left");
    assert_true(s->discount == 0.75 && s->environment_start[0] == 0.5);
    assert_true(s->ends[1] && !s->ends[0]);
    assert_true(emission(study, 0, 0, 0, 0) == 0.85 && emission(study, 1, 0, 0, 0) == 0.75);
    assert_true(emission(study, 2, 0, 1, 1) == 0.85 && transition(study, 1, 0, 0, 0) == 1);
    assert_true(utility(study, 0, 0) == -1 && utility(study, 1, 0) == -100 && utility(study, 1, 1) == 10);
    asif_study_free(study);

    /* what the study says of the agent goes before the file */
    study = read_named("asif: 1\nenvironment: {pomdp: ./test_study_tiger.pomdp}\nagent: {discount: 0.5, "
                       "utility: {listen: -2, any: {left: 3, right: 4}}, parameters: {alpha: 0}}\n",
                       "./study.yaml", NULL);
    assert_true(asif_setting_get(asif_study_setting(study))->discount == 0.5);
    assert_true(utility(study, 0, 0) == -2 && utility(study, 2, 1) == 4);
    asif_study_free(study);
    remove("test_study_tiger.pomdp");

    file = fopen("test_study_mdp.drn", "w");
    assert_non_null(file);
    fputs("@type: MDP\n@parameters\n\n@reward_models\ngain\n@nr_states\n2\n@nr_choices\n4\n@model\n"
          "state 0 [0] init\n\taction stay [1]\n\t\t0 : 1\n\taction go [0]\n\t\t0 : 0.25\n\t\t1 : 0.75\n"
          "state 1 [0]\n\taction stay [2]\n\t\t1 : 1\n\taction go [0]\n\t\t0 : 1\n",
          file);
    fclose(file);
    study = read_named("asif: 1\nenvironment: {mdp: test_study_mdp.drn, reward_model: gain, terminal: 1}\n"
                       "agent: {discount: 0.5, preset: maximum-entropy, parameters: {alpha: 2}}\n",
                       "study.yaml", NULL);
    s = asif_setting_get(asif_study_setting(study));
    assert_int_equal(s->observations, 0);
    assert_true(s->discount == 0.5 && s->environment_start[0] == 1 && s->terminal[1] && !s->terminal[0]);
    assert_true(transition(study, 0, 1, 0, 1) == 0.75 && transition(study, 1, 1, 1, 0) == 1);
    assert_true(utility(study, 0, 0) == 1 && utility(study, 0, 1) == 2 && utility(study, 1, 0) == 0);
    asif_study_free(study);
    remove("test_study_mdp.drn");

    static const struct {
        const char *text;
        asif_status status;
        uint32_t line, column;
        const char *message;
    } rows[] = {
        {"asif: 1\nenvironment: {pomdp: nowhere.pomdp}\nagent: {parameters: {alpha: 0}}\n", ASIF_ENOFILE, 2,
         22, "nowhere.pomdp"},
        {"asif: 1\nstates: 2\nenvironment: {pomdp: nowhere.pomdp}\nagent: {parameters: {alpha: 0}}\n",
         ASIF_ENOFILE, 3, 22, "nowhere.pomdp"},
        {"asif: 1\nenvironment: {pomdp: a, mdp: b}\nagent: {parameters: {alpha: 0}}\n", ASIF_EINVALID, 2, 30,
         "two files"},
        {"asif: 1\nenvironment: {pomdp: [a]}\nagent: {parameters: {alpha: 0}}\n", ASIF_EPARSE, 2, 22,
         "single value"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(
            asif_study_read(&study, context, rows[k].text, strlen(rows[k].text), "study.yaml", NULL, &error),
            rows[k].status);
        CHECK(error.line == rows[k].line && error.column == rows[k].column &&
                  strstr(error.message, rows[k].message),
              "%u:%u: %s", error.line, error.column, error.message);
    }
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_study_load(&study, context, "nowhere.yaml", NULL, &error), ASIF_ENOFILE);
    assert_null(study);
}

/* Every allocation fails once: no crash, no leak, and the status says so. */
static long fail_in_turn(const char *text) {
    failing_memory memory = {.left = 0};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    long at = 0;
    for (bool done = false; !done; at++) {
        asif_context *poor = NULL;
        asif_study *study = NULL;
        asif_error error = ASIF_ERROR_INIT;
        memory = (failing_memory){.left = -1};
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        memory.left = at;
        asif_status status = asif_study_read(&study, poor, text, strlen(text), NULL, NULL, &error);
        done = status == ASIF_OK;
        CHECK(done ? study != NULL : status == ASIF_ENOMEM && !study && error.status == ASIF_ENOMEM,
              "allocation %ld: status %d, %s", at, (int)status, error.message);
        asif_study_free(study);
        asif_context_free(poor);
        CHECK(memory.alive == 0, "allocation %ld: %ld blocks are left", at, memory.alive);
    }
    return at;
}

static void test_too_little_memory(void **state) {
    (void)state;
    static const char text[] = HEAD
        "environment:\n  start: {by: risk, low: [0.75, 0.25], high: uniform}\n  reset: uniform\n  ends: a\n"
        "  emissions: {any: {sensitivity: 0.875, specificity: 0.75}}\n"
        "agent:\n  discount: 0.5\n  start: h\n  worlds: {around: environment, emissions: +-0.1}\n"
        "  utility: [{a: cost, any: {h: 1, any: 2 * cost}}, {when: certainty > 0.9, add: 1}]\n"
        "  parameters: {alpha: learn ~ lognormal(0, 1), cost: {learn: normal(0, 1), standard: 1}}\n";
    assert_true(fail_in_turn(text) > 50);
    assert_true(
        fail_in_turn(
            CROSSED
            "logs: {observation: {hue: h, size: {column: s, cut: [1, 2]}, on: {column: o, missing: no}}, "
            "time: {column: [m, v], step: 6}, require: [a, b], missing_values: -4, "
            "columns: {s: {recode: {a: 1, b: 2}, missing_values: [c, d]}, m: {date: \"%d.%m.%Y\"}}, "
            "groups: {old: age > 3, odd: sex = f}, action: {column: o, present: x}, "
            "label: {column: d, labels: {1: a}}}\n") > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diag),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_utility),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_start_column),
        cmocka_unit_test(test_crossed),
        cmocka_unit_test(test_auto_resolution),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_too_little_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
