/* Rivals that only count: every action equally often, the base rate, and behavioural cloning. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "questions/held_out/rivals/rival.h"

#include <string.h>

void asif_rival_share(double *out, const double *count, const double *towards, uint32_t actions) {
    double all = 0;
    for (uint32_t u = 0; u < actions; u++)
        all += count[u];
    for (uint32_t u = 0; u < actions; u++)
        out[u] = (count[u] + ASIF_RIVAL_DRAWN * towards[u]) / (all + ASIF_RIVAL_DRAWN);
}

void asif_rival_shares(double *out, const asif_lesson *lesson) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    uint32_t U = t->actions;
    double all = 0;
    memset(out, 0, U * sizeof *out);
    for (uint64_t i = 0; i < (uint64_t)t->nodes * U; i++) {
        out[i % U] += lesson->count[i];
        all += lesson->count[i];
    }
    for (uint32_t u = 0; u < U; u++)
        out[u] = (out[u] + ASIF_RIVAL_DRAWN / U) / (all + ASIF_RIVAL_DRAWN);
}

/* Predict the same shares [actions] everywhere. */
static void repeat(double *policy, double *by_state, const asif_lesson *lesson, const double *share) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    uint64_t states = asif_setting_get(lesson->setting)->states;
    for (uint64_t i = 0; i < (uint64_t)t->nodes * t->actions; i++)
        policy[i] = share[i % t->actions];
    for (uint64_t i = 0; by_state && i < states * t->actions; i++)
        by_state[i] = share[i % t->actions];
}

/* ---- constants ---- */

static asif_status predict_uniform(double *policy, double *by_state, const asif_lesson *lesson,
                                   asif_error *error) {
    uint32_t U = asif_tree_inside(lesson->tree)->actions;
    double *share = ASIF_ARRAY(lesson->context, U, double);
    if (!share)
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < U; u++)
        share[u] = 1.0 / U;
    repeat(policy, by_state, lesson, share);
    asif_free(lesson->context, share);
    return ASIF_OK;
}

static asif_status predict_base_rate(double *policy, double *by_state, const asif_lesson *lesson,
                                     asif_error *error) {
    double *share = ASIF_ARRAY(lesson->context, asif_tree_inside(lesson->tree)->actions, double);
    if (!share)
        return asif_fail_memory(error);
    asif_rival_shares(share, lesson);
    repeat(policy, by_state, lesson, share);
    asif_free(lesson->context, share);
    return ASIF_OK;
}

/* ---- behavioural cloning ---- */

/* Number of the last action and observation of a node; 0 at the beginning of an episode. */
static uint64_t last(const asif_tree_view *t, uint64_t n) {
    if (t->parent[n] == ASIF_ANY)
        return 0;
    uint64_t seen = t->observation[n] == ASIF_ANY ? t->observations : t->observation[n];
    return 1 + t->action[n] * ((uint64_t)t->observations + 1) + seen;
}

/* Shares of the actions at a history (or state), shrunk towards those of all histories with the same last
 * action and observation, and these towards those of all decisions. */
static asif_status predict_cloning(double *policy, double *by_state, const asif_lesson *lesson,
                                   asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    const double *count = lesson->count;
    uint32_t U = t->actions;
    uint64_t kinds = 1 + U * ((uint64_t)t->observations + 1);
    double *all = ASIF_ARRAY(lesson->context, U, double);
    double *kind = ASIF_ARRAY(lesson->context, kinds * U, double);
    asif_status status = all && kind ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_rival_shares(all, lesson);
    for (uint64_t i = 0; status == ASIF_OK && !t->states_seen && i < (uint64_t)t->nodes * U; i++)
        kind[last(t, i / U) * U + i % U] += count[i];
    for (uint64_t k = 0; status == ASIF_OK && !t->states_seen && k < kinds; k++)
        asif_rival_share(kind + k * U, kind + k * U, all, U);
    for (uint64_t n = 0; status == ASIF_OK && n < t->nodes; n++)
        asif_rival_share(policy + n * U, count + n * U, t->states_seen ? all : kind + last(t, n) * U, U);
    if (by_state && status == ASIF_OK) {
        for (uint64_t i = 0; i < (uint64_t)asif_setting_get(lesson->setting)->states * U; i++)
            by_state[i] = all[i % U];
        for (uint64_t i = 0; i < (uint64_t)t->nodes * U; i++)
            by_state[(uint64_t)t->observation[i / U] * U + i % U] = policy[i];
    }
    asif_free(lesson->context, all);
    asif_free(lesson->context, kind);
    return status;
}

const asif_rival asif_rival_uniform = {"uniform", "takes every action equally often", false, predict_uniform};
const asif_rival asif_rival_base_rate = {"base-rate", "the share of each action among all decisions", false,
                                         predict_base_rate};
const asif_rival asif_rival_cloning = {"behavioural cloning", "shares of the actions after the same history",
                                       false, predict_cloning};
