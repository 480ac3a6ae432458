/* Behavioural cloning: predictions from counts alone. */
#include "questions/held_out/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>

#define DRAWN 1.0 /* weight, in decisions, of the shares towards which counts are shrunk */

static void share(double *out, const double *count, const double *towards, uint32_t actions) {
    double all = 0;
    for (uint32_t u = 0; u < actions; u++)
        all += count[u];
    for (uint32_t u = 0; u < actions; u++)
        out[u] = (count[u] + DRAWN * towards[u]) / (all + DRAWN);
}

/* Number of the last action and observation of a node; 0 at the beginning of an episode. */
static uint64_t last(const asif_tree_view *t, uint64_t n) {
    if (t->parent[n] == ASIF_ANY)
        return 0;
    uint64_t seen = t->observation[n] == ASIF_ANY ? t->observations : t->observation[n];
    return 1 + t->action[n] * ((uint64_t)t->observations + 1) + seen;
}

asif_status asif_clone_policy(double *policy, double *by_state, const asif_context *context,
                              const asif_tree *tree, const asif_setting *setting, const double *count,
                              asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    uint32_t U = t->actions;
    uint64_t kinds = 1 + U * ((uint64_t)t->observations + 1);
    double *all = ASIF_ARRAY(context, U, double), *even = ASIF_ARRAY(context, U, double);
    double *kind = ASIF_ARRAY(context, kinds * U, double);
    if (!all || !even || !kind) {
        asif_free(context, all);
        asif_free(context, even);
        asif_free(context, kind);
        return asif_fail_memory(error);
    }
    for (uint32_t u = 0; u < U; u++)
        even[u] = 1.0 / U;
    for (uint64_t n = 0; n < t->nodes; n++)
        for (uint32_t u = 0; u < U; u++) {
            all[u] += count[n * U + u];
            if (!t->states_seen)
                kind[last(t, n) * U + u] += count[n * U + u];
        }
    share(all, all, even, U);
    for (uint64_t k = 0; k < kinds && !t->states_seen; k++)
        share(kind + k * U, kind + k * U, all, U);
    for (uint64_t n = 0; n < t->nodes; n++)
        share(policy + n * U, count + n * U, t->states_seen ? all : kind + last(t, n) * U, U);
    if (by_state) {
        for (uint64_t i = 0; i < (uint64_t)asif_setting_get(setting)->states * U; i++)
            by_state[i] = all[i % U];
        for (uint64_t n = 0; n < t->nodes; n++)
            for (uint32_t u = 0; u < U; u++)
                by_state[(uint64_t)t->observation[n] * U + u] = policy[n * U + u];
    }
    asif_free(context, all);
    asif_free(context, even);
    asif_free(context, kind);
    return ASIF_OK;
}
