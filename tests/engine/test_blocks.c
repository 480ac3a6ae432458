/* Lattices of several places, whose weights are shared by links with proportional tables: memory, values
 * against lookahead (which interpolates link by link and knows no blocks), and linear systems. */
#include "check.h"

#include "engine/fixed_point.h"
#include "planners/planner.h"
#include "problems.h"

#include <stdatomic.h>
#include <string.h>

enum { SIDE = 6, RESOLUTION = 12, NODES = 91 };

/* ---- memory ---- */

static atomic_uint_least64_t asked; /* bytes */
static atomic_long left;            /* requests until there is no more; below 0: there always is */

static void *counting(void *user, void *old, size_t size) {
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    if (atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0) {
        atomic_store(&left, 0);
        return NULL;
    }
    atomic_fetch_add(&asked, size);
    return realloc(old, size);
}

static asif_context *open(void) {
    asif_error error = ASIF_ERROR_INIT;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *context;
    atomic_store(&left, -1);
    options.reallocate = counting;
    assert_int_equal(asif_context_create(&context, &options, &error), ASIF_OK);
    return context;
}

static void weights_are_shared(void **state) {
    (void)state;
    asif_context *context = open();
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_seen_grid(context, 4 * SIDE, 0, &error);
    asif_successors *s;
    assert_non_null(setting);
    uint64_t before = atomic_load(&asked);
    assert_int_equal(
        asif_successors_create(&s, context, setting, ASIF_BELIEFS_LATTICE, RESOLUTION, 10000000, &error),
        ASIF_OK);
    uint64_t taken = atomic_load(&asked) - before;
    assert_true(s->shares);
    assert_int_equal(s->blocks.count, GRID_ACTIONS);
    assert_int_equal(s->nodes, 16 * SIDE * SIDE * NODES);
    /* each row would have 9 weights for each of two places, for each action */
    CHECK(taken < 12ull * 18 * GRID_ACTIONS * s->nodes / 4, "%llu bytes", (unsigned long long)taken);
    asif_successors_release(s);
    /* and the limit is on what is taken */
    assert_int_equal(
        asif_successors_create(&s, context, setting, ASIF_BELIEFS_LATTICE, RESOLUTION, 1000, &error),
        ASIF_ETOOBIG);
    asif_setting_free(setting);
    asif_context_free(context);
}

static void memory_runs_out(void **state) {
    (void)state;
    asif_context *context = open();
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_seen_grid(context, 3, 0, &error);
    asif_successors *s = NULL;
    asif_status status = ASIF_ENOMEM;
    long requests = 0;
    for (; status == ASIF_ENOMEM && requests < 10000; requests++) {
        atomic_store(&left, requests);
        status = asif_successors_create(&s, context, setting, ASIF_BELIEFS_LATTICE, RESOLUTION, UINT64_MAX,
                                        &error);
    }
    atomic_store(&left, -1);
    assert_int_equal(status, ASIF_OK);
    assert_true(s->shares && requests > 20);
    asif_successors_release(s);
    asif_setting_free(setting);
    asif_context_free(context);
}

/* ---- values ---- */

static asif_theta *make_theta(const asif_context *context, const asif_setting *setting) {
    asif_theta *theta;
    assert_int_equal(asif_theta_create(&theta, context, setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "alpha", .5, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "beta", INFINITY, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(theta, "eta", .3, NULL), ASIF_OK);
    return theta;
}

/* At a node lookahead is one more backup. */
static void check_values(uint32_t horizon, uint32_t resolution) {
    asif_context *context = open();
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_seen_grid(context, SIDE, horizon, &error);
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    asif_plan_info info;
    asif_work *work;
    options.resolution = resolution;
    options.beliefs = ASIF_BELIEFS_LATTICE;
    assert_non_null(setting);
    asif_theta *theta = make_theta(context, setting);
    assert_int_equal(asif_work_create(&work, context, NULL, setting, &options, &error), ASIF_OK);
    assert_int_equal(asif_solve(work, theta, &info, &error), ASIF_OK);
    assert_int_equal(info.stop, ASIF_STOP_CONVERGED);
    assert_true(info.scale > 1);
    double largest = 0;
    for (uint32_t i = 0; i < info.nodes; i++) {
        double z[1 + GRID_HIDDEN], v;
        asif_view view = ASIF_VIEW_INIT;
        view.value = &v;
        asif_work_node(work, i, z);
        assert_int_equal(asif_look(asif_work_behavior(work), 1, z, &view, NULL), ASIF_OK);
        largest = fmax(largest, fabs(v - asif_work_values(work)[i]));
    }
    CHECK(largest <= info.residual + 1e-12 * info.scale, "%g", largest);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

static void values_are_those_of_lookahead(void **state) {
    (void)state;
    check_values(0, RESOLUTION);
    check_values(3, RESOLUTION);
    check_values(0, 5); /* too few nodes to share */
}

/* ---- linear systems ---- */

static void fill(double *x, uint64_t n, uint64_t stride, uint64_t *seed) {
    memset(x, 0, stride * sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = make_uniform(seed) - .5;
}

/* Solutions fit the product that they invert, and the transposed product is the transpose. */
static void check_systems(uint32_t horizon) {
    asif_context *context = open();
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_seen_grid(context, SIDE, horizon, &error);
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    asif_plan_info info;
    asif_successors *s;
    asif_fixed_point solver = {0};
    assert_non_null(setting);
    asif_theta *theta = make_theta(context, setting);
    assert_int_equal(
        asif_successors_create(&s, context, setting, ASIF_BELIEFS_LATTICE, RESOLUTION, UINT64_MAX, &error),
        ASIF_OK);
    assert_true(s->shares);
    assert_int_equal(asif_fixed_point_create(&solver, context, s, &options, &error), ASIF_OK);
    assert_int_equal(asif_fixed_point_solve(&solver, theta, &info, &error), ASIF_OK);
    assert_int_equal(asif_operator_linearise(&solver.op, solver.values, solver.op.a, &error), ASIF_OK);
    uint64_t seed = 3, n = s->nodes, products = 0;
    double *x = calloc(5 * s->stride, sizeof *x), *y = x + s->stride, *image = y + s->stride;
    double *pulled = image + s->stride, *scratch = pulled + s->stride, ahead = 0, back = 0, reached;
    assert_non_null(x);
    fill(x, n, s->stride, &seed);
    fill(y, n, s->stride, &seed);
    asif_operator_push(&solver.op, solver.op.share, x, image);
    asif_operator_pull(&solver.op, solver.op.share, y, pulled, scratch);
    for (uint64_t i = 0; i < n; i++) {
        ahead += y[i] * image[i];
        back += pulled[i] * x[i];
    }
    CHECK_NEAR(ahead, back, 1e-10);
    for (int transposed = 0; transposed < 2; transposed++) {
        double largest = 0;
        memset(x, 0, s->stride * sizeof *x);
        assert_int_equal(asif_fixed_point_linear(&solver, solver.op.share, transposed, y, x, 1e-12, &reached,
                                                 &products, &error),
                         ASIF_OK);
        if (transposed)
            asif_operator_pull(&solver.op, solver.op.share, x, image, scratch);
        else
            asif_operator_push(&solver.op, solver.op.share, x, image);
        for (uint64_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(x[i] - solver.op.discount * image[i] - y[i]));
        CHECK(largest < 1e-9, "%g", largest);
    }
    free(x);
    asif_fixed_point_free(&solver);
    asif_theta_free(theta);
    asif_setting_free(setting);
    asif_context_free(context);
}

static void systems_are_solved(void **state) {
    (void)state;
    check_systems(0);
    check_systems(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_shared),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(values_are_those_of_lookahead),
        cmocka_unit_test(systems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
