/* The lattice and its interpolation, for 1 to 6 states. */
#include "check.h"

#include "base/numeric/simd.h"
#include "engine/lattice.h"
#include "problems.h"

#include <math.h>

static asif_context *context;

static int start(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) == ASIF_OK ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static const struct {
    uint32_t states, resolution, nodes;
} sizes[] = {{1, 7, 1}, {2, 100, 101}, {3, 20, 231}, {3, 100, 5151}, {4, 9, 220}, {5, 6, 210}, {6, 4, 126}};

static void nodes_are_where_they_say(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        asif_lattice lattice;
        assert_int_equal(
            asif_lattice_create(&lattice, context, sizes[i].states, false, sizes[i].resolution, NULL),
            ASIF_OK);
        assert_int_equal(lattice.nodes, sizes[i].nodes);
        for (uint32_t n = 0; n < lattice.nodes; n++) {
            double z[8], weight[8], sum = 0;
            uint32_t node[8];
            asif_lattice_node(&lattice, n, z);
            asif_lattice_locate(&lattice, z, node, weight);
            for (uint32_t k = 0; k < sizes[i].states; k++) {
                sum += z[k];
                CHECK(weight[k] == (node[k] == n && k == 0), "%u states: node %u is not itself",
                      sizes[i].states, n);
            }
            CHECK_NEAR(sum, 1, 1e-14);
        }
        asif_lattice_free(context, &lattice);
    }
}

/* Weights are positive, sum to 1 and reproduce the belief: exactly what linear interpolation asks for. The
 * vertices are neighbours: none is farther than one interval in any coordinate. */
static void interpolation_is_linear(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        asif_lattice lattice;
        uint32_t S = sizes[i].states;
        assert_int_equal(asif_lattice_create(&lattice, context, S, false, sizes[i].resolution, NULL),
                         ASIF_OK);
        for (int trial = 0; trial < 3000; trial++) {
            double z[8], weight[8], sum = 0, at[8] = {0}, total = 0;
            uint32_t node[8];
            for (uint32_t k = 0; k < S; k++) {
                z[k] = trial % 4 == 0 && make_uniform(&seed) < .4 ? 0 : make_uniform(&seed);
                z[k] = trial % 7 == 0 ? z[k] * z[k] * z[k] * z[k] : z[k];
                total += z[k];
            }
            if (total == 0)
                continue;
            for (uint32_t k = 0; k < S; k++)
                z[k] /= total;
            asif_lattice_locate(&lattice, z, node, weight);
            for (uint32_t k = 0; k < S; k++) {
                double vertex[8];
                assert_true(node[k] < lattice.nodes && weight[k] >= 0);
                asif_lattice_node(&lattice, node[k], vertex);
                sum += weight[k];
                for (uint32_t j = 0; j < S; j++) {
                    at[j] += weight[k] * vertex[j];
                    CHECK(fabs(vertex[j] - z[j]) <= 1.0 / sizes[i].resolution + 1e-12,
                          "a vertex is far away");
                }
            }
            CHECK_NEAR(sum, 1, 1e-14);
            for (uint32_t j = 0; j < S; j++)
                CHECK_NEAR(at[j], z[j], 1e-11);
        }
        asif_lattice_free(context, &lattice);
    }
}

/* Nodes have a root of the odds of k : n - k, those of a lattice are among those of twice its resolution, and
 * weights reproduce beliefs, also next to certainty. */
static void graded_nodes(void **state) {
    (void)state;
    enum { N = 40 };
    asif_lattice lattice, finer;
    uint64_t seed = 7;
    assert_int_equal(asif_lattice_create(&lattice, context, 2, true, N, NULL), ASIF_OK);
    assert_int_equal(asif_lattice_create(&finer, context, 2, true, 2 * N, NULL), ASIF_OK);
    for (uint32_t k = 0; k <= N; k++) {
        double z[2], same[2];
        uint32_t node[2];
        double weight[2];
        asif_lattice_node(&lattice, k, z);
        asif_lattice_node(&finer, 2 * k, same);
        CHECK_NEAR(z[1], same[1], 0);
        CHECK_NEAR(sqrt(z[1]) * (N - k), sqrt(z[0]) * k, 1e-12 * N);
        asif_lattice_locate(&lattice, z, node, weight);
        CHECK_NEAR(node[0] * weight[0] + node[1] * weight[1], k, 1e-9);
    }
    for (int trial = 0; trial < 20000; trial++) {
        double u = make_uniform(&seed), near = trial % 3 ? u : pow(u, 40), at = 0, weight[2];
        double z[2] = {trial % 2 ? near : 1 - near, trial % 2 ? 1 - near : near};
        uint32_t node[2];
        asif_lattice_locate(&lattice, z, node, weight);
        for (int k = 0; k < 2; k++) {
            double vertex[2];
            assert_true(node[k] <= N && weight[k] >= 0);
            asif_lattice_node(&lattice, node[k], vertex);
            at += weight[k] * vertex[1];
        }
        assert_true(node[1] - node[0] <= 1);
        CHECK_NEAR(weight[0] + weight[1], 1, 1e-15);
        CHECK_NEAR(at, z[1], 1e-15);
    }
    asif_lattice_free(context, &lattice);
    asif_lattice_free(context, &finer);
    assert_int_equal(asif_lattice_create(&lattice, context, 3, true, N, NULL), ASIF_EUNSUPPORTED);
    asif_lattice_free(context, &lattice);
}

static void too_many_nodes(void **state) {
    (void)state;
    asif_lattice lattice;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_lattice_create(&lattice, context, 12, false, 100, &error), ASIF_ETOOBIG);
    assert_int_equal(asif_lattice_create(&lattice, context, 100, false, 1, &error), ASIF_ETOOBIG);
    assert_int_equal(asif_lattice_create(&lattice, context, 2, false, 0, &error), ASIF_EDOMAIN);
}

/* Beliefs emission[t] ahead[t] / p as the kernels take them: some lie on faces of cells, and p is 0 at some
 * points. */
enum { POINTS = 120, STATES = 6 };

static void make_beliefs(uint32_t S, uint32_t resolution, double *emission, double *ahead, double *p,
                         uint64_t *seed) {
    for (uint32_t t = 0; t < S; t++)
        emission[t] = make_uniform(seed);
    for (uint32_t i = 0; i < POINTS; i++) {
        p[i] = 0;
        for (uint32_t t = 0; t < S; t++) {
            double z = i % 3 == 0   ? floor(3 * make_uniform(seed)) / resolution
                       : i % 5 == 0 ? floor(2 * make_uniform(seed))
                                    : make_uniform(seed);
            ahead[t * POINTS + i] = i % 11 == 7 ? 0 : z / emission[t];
            p[i] += emission[t] * ahead[t * POINTS + i];
        }
    }
}

/* The kernels find what asif_lattice_locate() and asif_lattice_corners() find, on each level of vector
 * instructions, with one lane and with many. */
static void kernels_interpolate_alike(void **state) {
    (void)state;
    static double table[8 * 5151], ahead[STATES * POINTS], weight[STATES * ASIF_BLOCK],
        corner[STATES * ASIF_BLOCK];
    static uint32_t node[STATES * ASIF_BLOCK];
    double p[POINTS], emission[STATES], value[ASIF_BLOCK], depth[ASIF_BLOCK], one[POINTS], many[POINTS];
    const asif_simplex_cells cells = {node, weight, value, depth, corner};
    uint64_t seed = 7;
    for (size_t k = 0; k < 4 * sizeof sizes / sizeof *sizes; k++) {
        uint32_t S = sizes[k / 4].states, level = k % 4 + 1, inside = 0;
        const asif_simd *simd = asif_simd_choose(level);
        asif_lattice lattice;
        if (!simd || S < 2)
            continue;
        assert_int_equal(asif_lattice_create(&lattice, context, S, false, sizes[k / 4].resolution, NULL),
                         ASIF_OK);
        for (uint32_t i = 0; i < 8 * lattice.nodes; i++)
            table[i] = 10 * make_uniform(&seed);
        make_beliefs(S, lattice.resolution, emission, ahead, p, &seed);
        uint32_t n = POINTS - 3;
        simd->interpolate_simplex(one, table, 1, S, lattice.resolution, emission, ahead, POINTS, p, n);
        simd->interpolate_simplex(many, table, 8, S, lattice.resolution, emission, ahead, POINTS, p, POINTS);
        simd->locate_simplex(&cells, table, S, lattice.resolution, emission, ahead, POINTS, p, n);
        for (uint32_t i = 0; i < n; i++) {
            double z[STATES], w[STATES], c[STATES], sum = 0, lane = 0;
            uint32_t v[STATES];
            for (uint32_t t = 0; t < S; t++)
                z[t] = p[i] > 0 ? emission[t] * ahead[t * POINTS + i] / p[i] : 0;
            asif_lattice_locate(&lattice, z, v, w);
            for (uint32_t t = 0; t < S; t++) {
                sum += w[t] * table[v[t]];
                lane += w[t] * table[v[t] * 8 + i % 8];
                CHECK(!(p[i] > 0) || (node[t * ASIF_BLOCK + i] == v[t] && weight[t * ASIF_BLOCK + i] == w[t]),
                      "%u states, level %u: vertex %u of point %u", S, level, t, i);
            }
            CHECK(one[i] == (p[i] > 0 ? sum : 0), "%u states, level %u: %g instead of %g", S, level, one[i],
                  sum);
            CHECK(many[i] == (p[i] > 0 ? lane : 0), "%u states, level %u: lane %u", S, level, i % 8);
            if (!(p[i] > 0) || depth[i] < ASIF_ON_FACE)
                continue;
            inside++;
            assert_true(value[i] == one[i]);
            asif_lattice_corners(&lattice, z, table, c);
            for (uint32_t t = 0; t < S; t++)
                CHECK_NEAR(corner[t * ASIF_BLOCK + i], c[t], 1e-9 * lattice.resolution);
        }
        assert_true(inside > POINTS / 4 && inside < n - POINTS / 6);
        asif_lattice_free(context, &lattice);
    }
}

/* Over two states kernels also say along which axis values rise, and by how much; on even and graded
 * lattices. */
static void kernels_locate_alike(void **state) {
    (void)state;
    enum { N = 37 };
    double table[N + 1], ahead[2 * POINTS], p[POINTS], emission[2], value[POINTS], slope[POINTS],
        part[POINTS], along[POINTS], k[POINTS], to[] = {1, 0, 0, 1};
    uint32_t interval[POINTS], n = POINTS - 3;
    uint64_t seed = 11;
    for (uint32_t way = 0; way < 8; way++) {
        const asif_simd *simd = asif_simd_choose(way / 2 + 1);
        asif_lattice lattice;
        if (!simd)
            continue;
        assert_int_equal(asif_lattice_create(&lattice, context, 2, way % 2, N, NULL), ASIF_OK);
        for (uint32_t i = 0; i <= N; i++)
            table[i] = 10 * make_uniform(&seed);
        make_beliefs(2, N, emission, ahead, p, &seed);
        simd->locate(value, slope, part, along, interval, table, N, lattice.point, emission, ahead, POINTS, p,
                     n);
        asif_future_event event = {.emission = {emission[0], emission[1]}, .valued = true};
        simd->future(k, ahead, POINTS, to, &event, 1, table, N, lattice.point, 0.5, 0, n);
        for (uint32_t i = 0; i < n; i++) {
            if (!(p[i] > 0)) {
                assert_true(k[i] == 0 && value[i] == 0);
                continue;
            }
            double z[] = {emission[0] * ahead[i] / p[i], emission[1] * ahead[POINTS + i] / p[i]}, weight[2];
            double low[2], high[2];
            uint32_t node[2], at = interval[i];
            asif_lattice_locate(&lattice, z, node, weight);
            asif_lattice_node(&lattice, at, low);
            asif_lattice_node(&lattice, at + 1, high);
            double between = weight[0] * table[node[0]] + weight[1] * table[node[1]];
            CHECK(low[1] <= z[1] + 1e-12 && z[1] <= high[1] + 1e-12, "way %u: %g is not in %u", way, z[1],
                  at);
            CHECK_NEAR(low[1] + part[i] * (high[1] - low[1]), z[1], 1e-12);
            CHECK_NEAR(value[i], between, 1e-12);
            CHECK_NEAR(k[i], 0.5 * p[i] * between, 1e-12);
            CHECK_NEAR(along[i], way % 2 ? z[1] : N * z[1], 1e-10);
            CHECK_NEAR(slope[i] * (way % 2 ? high[1] - low[1] : 1), table[at + 1] - table[at], 1e-10);
        }
        asif_lattice_free(context, &lattice);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_are_where_they_say),
                                       cmocka_unit_test(interpolation_is_linear),
                                       cmocka_unit_test(kernels_interpolate_alike),
                                       cmocka_unit_test(kernels_locate_alike),
                                       cmocka_unit_test(graded_nodes),
                                       cmocka_unit_test(too_many_nodes)};
    return cmocka_run_group_tests(tests, start, stop);
}
