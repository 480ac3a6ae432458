/* The likelihood on a history tree beside its floor, in one run: simulated DIAG logs of three agents, the
 * time of one likelihood a node on one thread, against the same products, interpolations, exps and logs over
 * the same number of blocks with nothing else, and against what evaluating every decision by itself would
 * cost.
 *
 * With --check it fails where a figure is more than three times what it should be: machines that run tests
 * are noisy.
 *
 *     tree [--quick] [--check] [--json FILE] [--episodes N] [--rounds N]
 */
#include "asif.h"

#include "arguments.h"
#include "base/context.h"
#include "base/os.h"
#include "engine/lookahead.h"
#include "problems.h"
#include "simulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static FILE *json;
static bool failed;

static void figure(const char *agent, const char *name, double value, const char *unit) {
    printf("  %-44s %12.4g %s\n", name, value, unit);
    if (json)
        fprintf(json, "  \"%s: %s\": %.6g,\n", agent, name, value);
}

static void die(const asif_error *error) {
    fprintf(stderr, "tree: %s\n", error->message);
    exit(3);
}

/* What a block of nodes cannot do without: DIAG has one action that depends on the belief, with three worlds
 * and two observations. */
static void bare_block(const asif_simd *simd, double *a, const double *table, double eta) {
    enum { B = ASIF_BLOCK, WORLDS = 3, SEEN = 2, STATES = 2, ACTIONS = 3 };
    static const double half[] = {.5, .5, .5};
    double *z = a, *ahead = z + STATES * B, *p = ahead + STATES * B, *value = p + B, *k = value + B,
           *out = k + WORLDS * B;
    for (int u = 0; u < ACTIONS; u++)
        simd->weighted(out + u * B, z, B, half, STATES, B); /* utilities */
    for (int m = 0; m < WORLDS; m++) {
        for (int s = 0; s < STATES; s++)
            simd->weighted(ahead + s * B, z, B, half, STATES, B);
        for (int x = 0; x < SEEN; x++) {
            simd->weighted(p, ahead, B, half, STATES, B);
            simd->interpolate(value, table, 100, .5, ahead, p, B);
            simd->add_product(k + m * B, .95, p, value, B);
            if (eta != 0)
                simd->add_entropy(k + m * B, -eta, p, 1, B);
        }
    }
    for (int m = 0; m < 2 * WORLDS; m++) /* certainty equivalent, and the weights of the worlds */
        simd->exp(value, k, B);
    simd->log(value, p, B);
    for (int u = 0; u < ACTIONS; u++) /* policy */
        simd->exp(value, k, B);
    simd->log(value, p, B);
    for (int m = 0; m < WORLDS; m++) { /* recognition */
        for (int s = 0; s < STATES; s++)
            simd->weighted(ahead + s * B, z, B, half, STATES, B);
        simd->weighted(p, ahead, B, half, STATES, B);
        simd->ratio(value, k, p, B);
        for (int s = 0; s < STATES; s++)
            simd->add_product(out, .5, value, ahead, B);
    }
    for (int s = 0; s < STATES; s++)
        simd->ratio(out, out, p, B);
}

static void measure(const char *name, asif_context *context, double alpha, double beta, double eta,
                    uint64_t episodes, int rounds) {
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_diag(context, &error);
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    asif_tree *tree = NULL;
    uint64_t decisions = 0;
    if (!setting || asif_theta_create(&theta, context, setting, &error) != ASIF_OK)
        die(&error);
    asif_theta_set(theta, "alpha", alpha, NULL);
    asif_theta_set(theta, "beta", beta, NULL);
    asif_theta_set(theta, "eta", eta, NULL);
    if (asif_work_create(&work, context, NULL, setting, NULL, &error) != ASIF_OK ||
        asif_solve(work, theta, NULL, &error) != ASIF_OK ||
        simulated_tree(&tree, context, work, episodes, &decisions, &error) != ASIF_OK)
        die(&error);
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree_get(tree, &view, NULL);
    uint64_t blocks = (view.nodes + ASIF_BLOCK - 1) / ASIF_BLOCK;
    double *a = calloc(16 * ASIF_BLOCK, sizeof *a), table[102], ours = INFINITY, bare = INFINITY, total = 0;
    for (int i = 0; i < 16 * ASIF_BLOCK; i++)
        a[i] = .3;
    for (int i = 0; i < 102; i++)
        table[i] = i;
    for (int r = 0; r < rounds; r++) {
        double t = asif_os_seconds();
        if (asif_loglik(&total, asif_work_behavior(work), tree, NULL, &error) != ASIF_OK)
            die(&error);
        double u = asif_os_seconds();
        for (uint64_t b = 0; b < blocks; b++) {
            memset(a + 6 * ASIF_BLOCK, 0, 3 * ASIF_BLOCK * sizeof *a);
            bare_block(context->simd, a, table, eta);
        }
        ours = fmin(ours, u - t);
        bare = fmin(bare, asif_os_seconds() - u);
    }
    /* every decision by itself: a step and a policy each, in batches as large as they come */
    uint64_t sample = 20000;
    double *z = malloc(2 * sample * sizeof *z), *lp = malloc(3 * sample * sizeof *lp), each = INFINITY;
    uint32_t *action = malloc(sample * sizeof *action), *seen = malloc(sample * sizeof *seen);
    for (uint64_t i = 0; i < sample; i++) {
        z[2 * i] = .01 + .98 * (double)i / (double)sample;
        z[2 * i + 1] = 1 - z[2 * i];
        action[i] = 2;
        seen[i] = i % 2;
    }
    for (int r = 0; r < rounds; r++) {
        double t = asif_os_seconds();
        asif_behavior_log_policy(asif_work_behavior(work), sample, z, lp, NULL);
        asif_behavior_step(asif_work_behavior(work), sample, z, action, seen, lp, NULL);
        each = fmin(each, (asif_os_seconds() - t) / (double)sample);
    }
    printf("%s: %llu episodes, %llu decisions, %u nodes on %u levels, log-likelihood %.3f\n", name,
           (unsigned long long)episodes, (unsigned long long)decisions, view.nodes, view.levels, total);
    figure(name, "nodes", view.nodes, "");
    figure(name, "likelihood", 1e6 * ours, "us");
    figure(name, "likelihood a node", 1e9 * ours / view.nodes, "ns (at most 150)");
    figure(name, "bare kernel a node", 1e9 * bare / view.nodes, "ns");
    figure(name, "likelihood over kernel", ours / bare, "(at most 1.5)");
    failed = failed || !(ours / bare <= 3 * 1.5);
    figure(name, "decision by decision", 1e6 * each * (double)decisions, "us");
    figure(name, "the tree is faster by", each * (double)decisions / ours, "times");
    free(a);
    free(z);
    free(lp);
    free(action);
    free(seen);
    asif_tree_free(tree);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_setting_free(setting);
}

int main(int argc, char **argv) {
    bench_arguments asked = {.episodes = 1000000, .quick_episodes = 20000, .rounds = 20};
    int code = bench_read(&asked, argc, argv, "tree");
    if (code)
        return code;
    json = asked.json;
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    if (asif_context_create(&context, NULL, &error) != ASIF_OK)
        die(&error);
    if (json)
        fprintf(json, "{\n");
    measure("optimistic", context, .5, 1.25, .001, asked.episodes, asked.rounds);
    measure("neutral", context, .5, 1000, .001, asked.episodes, asked.rounds);
    measure("pessimistic", context, .5, -.75, .001, asked.episodes, asked.rounds);
    if (json) {
        fprintf(json, "  \"vectors\": \"%s\"\n}\n", asif_context_vector(context));
        (void)fclose(json);
    }
    asif_context_free(context);
    return asked.check && failed ? 1 : 0;
}
