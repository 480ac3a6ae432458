/* The lattice and its interpolation, for 1 to 6 states. */
#include "check.h"

#include "engine/lattice.h"
#include "problems.h"

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
        assert_int_equal(asif_lattice_create(&lattice, context, sizes[i].states, sizes[i].resolution, NULL),
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
        assert_int_equal(asif_lattice_create(&lattice, context, S, sizes[i].resolution, NULL), ASIF_OK);
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

static void too_many_nodes(void **state) {
    (void)state;
    asif_lattice lattice;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_lattice_create(&lattice, context, 12, 100, &error), ASIF_ETOOBIG);
    assert_int_equal(asif_lattice_create(&lattice, context, 100, 1, &error), ASIF_ETOOBIG);
    assert_int_equal(asif_lattice_create(&lattice, context, 2, 0, &error), ASIF_EDOMAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_are_where_they_say),
                                       cmocka_unit_test(interpolation_is_linear),
                                       cmocka_unit_test(too_many_nodes)};
    return cmocka_run_group_tests(tests, start, stop);
}
