/* The passes of hidden dynamics beside the products that they cannot do without, in one run: simulated
 * episodes of 3 and 6 states, the time of one E-step (matrices, both passes, logarithms, expected counts) on
 * one thread, against the same products over the same histories with nothing else: no division, no logarithm,
 * no sums of counts by observation.
 *
 * With --check it fails where the ratio is more than three times what it should be: machines that run tests
 * are noisy.
 *
 *     dynamics [--quick] [--check] [--json FILE] [--episodes N] [--rounds N]
 */
#include "asif.h"

#include "arguments.h"
#include "base/os.h"
#include "base/random.h"
#include "dynamics/dynamics.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGET 1.5
enum { ACTIONS = 2, OBSERVATIONS = 12, MOST_STEPS = 9 };

static FILE *json;
static bool failed;

static void figure(uint32_t states, const char *name, double value, const char *unit) {
    printf("  %-44s %12.4g %s\n", name, value, unit);
    if (json)
        fprintf(json, "  \"%u states: %s\": %.6g,\n", states, name, value);
}

static asif_tree *simulate(const asif_context *context, uint64_t episodes) {
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    asif_tree_builder *b = NULL;
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    bool good = asif_tree_begin(&b, context, 1, false, &error) == ASIF_OK;
    for (uint64_t e = 0; good && e < episodes; e++) {
        asif_stream stream = {1, ASIF_FOR_TESTS, e};
        uint32_t used = 0, steps = 1 + (uint32_t)(MOST_STEPS * asif_uniform(&stream, used++));
        good = asif_tree_episode(b, 0, ASIF_NO_UNIT, &error) == ASIF_OK;
        for (uint32_t t = 0; good && t < steps; t++) {
            uint32_t u = (uint32_t)(ACTIONS * asif_uniform(&stream, used++));
            /* Some observations are frequent, so that episodes share histories. */
            double v = asif_uniform(&stream, used++);
            uint32_t x = (uint32_t)(OBSERVATIONS * v * v);
            good =
                asif_tree_act(b, u, 1, 0, &error) == ASIF_OK && asif_tree_move(b, u, x, 0, &error) == ASIF_OK;
        }
    }
    asif_tree_labels labels = {ACTIONS, OBSERVATIONS, name, name};
    if (!good || asif_tree_finish(&tree, b, &labels, NULL, NULL, NULL, NULL, &error) != ASIF_OK) {
        fprintf(stderr, "dynamics: %s\n", error.message);
        exit(3);
    }
    return tree;
}

static asif_dynamics *model(const asif_context *context, const asif_tree *tree, uint32_t states) {
    const asif_dynamics_table table[] = {{"start", 1, states, NULL, NULL},
                                         {"transitions", states, states, NULL, NULL},
                                         {"first", states, OBSERVATIONS, NULL, NULL},
                                         {"second", states, OBSERVATIONS, NULL, NULL}};
    static const uint32_t transitions[] = {1, 1}, emissions[] = {2, 3};
    asif_dynamics_spec spec = ASIF_DYNAMICS_SPEC_INIT;
    asif_dynamics *d = NULL;
    asif_error error = ASIF_ERROR_INIT;
    spec.states = states;
    spec.actions = ACTIONS;
    spec.observations = OBSERVATIONS;
    spec.tables = 4;
    spec.table = table;
    spec.transitions = transitions;
    spec.emissions = emissions;
    if (asif_dynamics_create(&d, context, &spec, tree, &error) != ASIF_OK) {
        fprintf(stderr, "dynamics: %s\n", error.message);
        exit(3);
    }
    return d;
}

/* The products of both passes: a tau and its emissions on the way down; emissions, tau W and the outer
 * product on the way up. */
static inline __attribute__((always_inline)) void bare_passes(asif_dynamics_work *w, uint64_t S) {
    const asif_histories *h = &w->dynamics->data;
    double ahead[6];
    for (uint64_t g = 0; g < h->groups; g++) {
        const double *a = w->belief + h->parent[g] * S, *move = w->at.move + h->action[g] * S * S;
        for (uint64_t j = 0; j < S; j++)
            ahead[j] = a[0] * move[j];
        for (uint64_t i = 1; i < S; i++)
            for (uint64_t j = 0; j < S; j++)
                ahead[j] += a[i] * move[i * S + j];
        for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
            const double *emit =
                w->at.emit + ((uint64_t)h->action[g] * (OBSERVATIONS + 1) + h->observation[k]) * S;
            double *b = w->belief + k * S;
            for (uint64_t j = 0; j < S; j++)
                b[j] = ahead[j] * emit[j];
        }
    }
    for (uint64_t g = h->groups; g-- > 0;) {
        const double *a = w->belief + h->parent[g] * S, *move = w->at.move + h->action[g] * S * S;
        double *W = w->ahead + h->parent[g] * S, *moved = w->sum.move + h->action[g] * S * S;
        for (uint64_t j = 0; j < S; j++)
            ahead[j] = 0;
        for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
            const double *emit =
                w->at.emit + ((uint64_t)h->action[g] * (OBSERVATIONS + 1) + h->observation[k]) * S;
            double *seen = w->sum.emit + (emit - w->at.emit);
            for (uint64_t j = 0; j < S; j++) {
                ahead[j] += emit[j] * w->ahead[k * S + j];
                seen[j] += w->belief[k * S + j] * w->ahead[k * S + j];
            }
        }
        for (uint64_t i = 0; i < S; i++) {
            double sum = 0;
            for (uint64_t j = 0; j < S; j++) {
                sum += move[i * S + j] * ahead[j];
                moved[i * S + j] += a[i] * ahead[j];
            }
            W[i] = sum;
        }
    }
}

static void measure(const asif_context *context, const asif_tree *tree, uint32_t states, int rounds) {
    asif_dynamics *d = model(context, tree, states);
    asif_dynamics_work work;
    asif_error error = ASIF_ERROR_INIT;
    double *point = calloc(2 * d->cells, sizeof *point), ours = INFINITY, bare = INFINITY;
    asif_stream stream = {2, ASIF_FOR_TESTS, 0};
    if (!point || asif_dynamics_work_create(&work, d, &error) != ASIF_OK)
        exit(3);
    for (uint64_t i = 0; i < d->cells; i++)
        point[i] = .1 + asif_uniform(&stream, (uint32_t)i);
    asif_dynamics_normalise(d, point);
    for (int r = 0; r < rounds; r++) {
        double begun = asif_os_seconds();
        asif_dynamics_down(&work, point);
        asif_dynamics_up(&work, point + d->cells);
        ours = fmin(ours, asif_os_seconds() - begun);
        /* The same beliefs and messages, so that no number becomes too small to be fast. */
        begun = asif_os_seconds();
        if (states == 3)
            bare_passes(&work, 3);
        else
            bare_passes(&work, 6);
        bare = fmin(bare, asif_os_seconds() - begun);
    }
    printf("%u states, %llu histories\n", states, (unsigned long long)d->data.nodes);
    figure(states, "an E-step, nanoseconds a history", 1e9 * ours / (double)d->data.nodes, "ns");
    figure(states, "its products alone", 1e9 * bare / (double)d->data.nodes, "ns");
    figure(states, "ratio (at most 1.5)", ours / bare, "");
    failed = failed || ours / bare > 3 * TARGET;
    asif_dynamics_work_free(&work);
    asif_dynamics_free(d);
    free(point);
}

int main(int argc, char **argv) {
    bench_arguments asked = {.episodes = 20000, .quick_episodes = 2000, .rounds = 40};
    int code = bench_read(&asked, argc, argv, "dynamics");
    if (code)
        return code;
    json = asked.json;
    asif_context *context = NULL;
    if (asif_context_create(&context, NULL, NULL) != ASIF_OK)
        return 3;
    if (json)
        fprintf(json, "{\n");
    asif_tree *tree = simulate(context, asked.episodes);
    measure(context, tree, 3, asked.rounds);
    measure(context, tree, 6, asked.rounds);
    if (json) {
        fprintf(json, "  \"vectors\": \"%s\"\n}\n", asif_context_vector(context));
        (void)fclose(json);
    }
    asif_tree_free(tree);
    asif_context_free(context);
    return asked.check && failed ? 1 : 0;
}
