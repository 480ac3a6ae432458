/* The density of an agent and of the dynamics of its world together: its value from its parts, and its
 * gradient against central differences. */
#include "check.h"

#include "asif.h"
#include "inverse/joint.h"
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PEOPLE 60
#define STEPS 4
#define PRIOR 1.0

static const char study_text[] = "asif: 1\n"
                                 "states: [well, ill]\n"
                                 "actions: [wait, scan]\n"
                                 "observations: {sign: [weak, strong], image: [none, clear, dark]}\n"
                                 "environment:\n"
                                 "  start: learn\n"
                                 "  transitions: %s\n"
                                 "  emissions:\n"
                                 "    sign: learn\n"
                                 "    image: {scan: learn except none, wait: none}\n"
                                 "agent:\n"
                                 "  discount: 0.9\n"
                                 "  worlds: %s\n"
                                 "  utility:\n"
                                 "    - {wait: 0, scan: -1}\n"
                                 "    - {ramp: certainty, from: 0.6, to: 1, add: 3}\n"
                                 "  parameters: {alpha: learn, optimism: learn, eta: learn}\n"
                                 "solver: {resolution: 9, tol: 1e-13}\n";

typedef struct {
    asif_context *context;
    asif_study *marked, *study;
    asif_tree *tree;
    asif_dynamics *dynamics;
    asif_dynamics_fit *fit;
    asif_dynamics_estimate e;
    asif_work *work;
    asif_estimates *estimates;
    asif_joint *joint;
} problem;

/* Logs of people whose signs and images tell their hidden state by about 3 to 1. */
static void write_logs(const char *path) {
    static const char *const signs[] = {"weak", "strong"}, *const images[] = {"clear", "dark"};
    FILE *file = fopen(path, "w");
    uint64_t seed = 5;
    assert_non_null(file);
    fprintf(file, "episode,t,action,observation\n");
    for (int i = 0; i < PEOPLE; i++) {
        bool ill = make_uniform(&seed) < .4;
        for (int t = 0; t < STEPS; t++) {
            bool scan = make_uniform(&seed) < .3;
            ill = make_uniform(&seed) < (ill ? .85 : .1);
            const char *sign = signs[make_uniform(&seed) < (ill ? .75 : .2)];
            const char *image = scan ? images[make_uniform(&seed) < (ill ? .8 : .15)] : "none";
            fprintf(file, "%d,%d,%s,%s/%s\n", i, t, scan ? "scan" : "wait", sign, image);
        }
    }
    fclose(file);
}

static asif_status open_problem(problem *p, const char *transitions, const char *worlds) {
    char text[2000], *filled, path[] = "/tmp/asif-joint-XXXXXX";
    asif_estimate_spec spec[3];
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    memset(p, 0, sizeof *p);
    p->e.struct_size = sizeof p->e;
    int length = snprintf(text, sizeof text, study_text, transitions, worlds), file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_logs(path);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        asif_study_read_unlearnt(&p->marked, p->context, text, (uint64_t)length, NULL, NULL, NULL), ASIF_OK);
    options.setting = asif_study_setting(p->marked);
    assert_int_equal(asif_logs_read(&p->tree, p->context, path, &options, NULL, NULL, NULL), ASIF_OK);
    unlink(path);
    assert_int_equal(
        asif_dynamics_create(&p->dynamics, p->context, asif_study_hidden_dynamics(p->marked), p->tree, NULL),
        ASIF_OK);
    assert_int_equal(asif_dynamics_learn(&p->fit, p->dynamics, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_dynamics_fit_get(p->fit, &p->e, NULL), ASIF_OK);
    assert_int_equal(asif_study_fill_dynamics(&filled, p->marked, text, (uint64_t)length, p->e.point, NULL),
                     ASIF_OK);
    assert_int_equal(asif_study_read(&p->study, p->context, filled, strlen(filled), NULL, NULL, NULL),
                     ASIF_OK);
    asif_memory_free(p->context, filled);
    assert_int_equal(asif_study_estimates(p->study, spec, 3), 3);
    assert_int_equal(asif_work_create(&p->work, p->context, NULL, asif_study_setting(p->study),
                                      asif_study_solver(p->study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_estimates_scaled(&p->estimates, p->context, p->work, asif_study_theta(p->study),
                                           spec, 3, ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    const asif_joint_request request = {.dynamics = p->dynamics,
                                        .point = p->e.point,
                                        .prior = PRIOR,
                                        .solver = asif_study_solver(p->study),
                                        .setting = asif_study_setting(p->study),
                                        .estimates = p->estimates,
                                        .tree = p->tree};
    return asif_joint_create(&p->joint, p->context, &request, NULL);
}

static void close_problem(problem *p) {
    asif_joint_free(p->joint);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_dynamics_fit_free(p->fit);
    asif_dynamics_free(p->dynamics);
    asif_tree_free(p->tree);
    asif_study_free(p->marked);
    asif_context_free(p->context);
}

/* At the estimates the density is the sum of what the other parts of the library say, each by itself. */
static void check_value(const problem *p, const double *agent) {
    const asif_density *density = asif_joint_density(p->joint);
    double x[64], value, expected, observations;
    asif_target *target;
    asif_joint_locate(p->joint, agent, p->e.point, x);
    assert_int_equal(density->evaluate(density->user, x, &value, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_target_create(&target, p->work, p->estimates, p->tree, NULL, NULL), ASIF_OK);
    const asif_density *alone = asif_target_density(target);
    assert_int_equal(alone->evaluate(alone->user, agent, &expected, NULL, NULL), ASIF_OK);
    asif_target_free(target);
    assert_int_equal(asif_dynamics_loglik(&observations, NULL, p->dynamics, p->e.point, NULL), ASIF_OK);
    expected += observations;
    for (uint64_t i = 0; i < asif_dynamics_cells(p->dynamics); i++)
        if (p->e.kind[i] == ASIF_CELL_FREE)
            expected += (1 + PRIOR) * log(p->e.point[i]);
    CHECK_NEAR(value, expected, 1e-7);
}

static void check_gradient(const problem *p, const double *agent) {
    const asif_density *density = asif_joint_density(p->joint);
    double x[64], gradient[64], value;
    uint64_t seed = 10; /* a point that is not on a kink, where a belief enters another cell of the lattice */
    asif_joint_locate(p->joint, agent, p->e.point, x);
    for (uint32_t i = 3; i < density->dimension; i++)
        x[i] += .4 * (make_uniform(&seed) - .5);
    assert_int_equal(density->evaluate(density->user, x, &value, gradient, NULL), ASIF_OK);
    assert_true(isfinite(value));
    for (uint32_t i = 0; i < density->dimension; i++) {
        double best = INFINITY, kept = x[i];
        for (double h = 1e-3; h > 1e-5; h /= 3) {
            double side[4];
            for (int k = 0; k < 4; k++) {
                x[i] = kept + (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h;
                assert_int_equal(density->evaluate(density->user, x, &side[k], NULL, NULL), ASIF_OK);
            }
            double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
            best = fmin(best, fabs(difference - gradient[i]) / fmax(fabs(gradient[i]), 1e-2 * fabs(value)));
        }
        x[i] = kept;
        CHECK(best < 1e-6, "coordinate %u: derivative %.10g, relative difference %.2g", i, gradient[i], best);
    }
}

static void test_density(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"learn shared", "[{}, {mix: uniform, share: 0.5}]"},
                                          {"learn", "[{mix: uniform, share: 0.3}, {}]"},
                                          {"learn shared", "[{}, {mix: uniform, share: 1}]"}};
    const double agent[] = {-.8, .4, .1}; /* log alpha, optimism, eta */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        problem p;
        double x[64], point[64];
        assert_int_equal(open_problem(&p, rows[i][0], rows[i][1]), ASIF_OK);
        assert_int_equal(asif_joint_density(p.joint)->dimension, 3 + asif_dynamics_free_numbers(p.dynamics));
        asif_joint_locate(p.joint, agent, p.e.point, x);
        asif_joint_point(p.joint, x, point);
        for (uint64_t k = 0; k < asif_dynamics_cells(p.dynamics); k++)
            CHECK_NEAR(point[k], p.e.point[k], 1e-12);
        check_value(&p, agent);
        check_gradient(&p, agent);
        close_problem(&p);
    }
}

/* Worlds around the environment have no derivatives in it yet: they are refused. */
static void test_refused(void **state) {
    (void)state;
    problem p;
    assert_int_equal(open_problem(&p, "learn shared", "{around: environment, emissions: +-0.1}"),
                     ASIF_EUNSUPPORTED);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_density), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
