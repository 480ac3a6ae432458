/* The data of a model: the nodes of a history tree, and its ends as leaves. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"

#include <math.h>

#define ROUNDING 1e-9 /* relative error of sums of weights */

typedef struct {
    const asif_tree_view *tree;
    asif_histories *out;
    bool *passed;        /* [histories]: nobody decided there, though it is a node of the tree */
    uint64_t child, end; /* next node and next end of the tree */
} making;

static double decisions(const asif_tree_view *t, uint64_t node) {
    double sum = 0;
    for (uint32_t u = 0; u < t->actions; u++)
        sum += t->count[node * t->actions + u];
    return sum;
}

static uint64_t child_key(const asif_tree_view *t, uint64_t i) {
    return (uint64_t)t->action[i] << 32 | t->observation[i];
}

static uint64_t end_key(const asif_tree_view *t, uint64_t i) {
    return (uint64_t)t->end_action[i] << 32 | t->end_observation[i];
}

/* Add the labels of a node or an end of the tree, `from` [..][states], to those of a history. */
static void add_labels(making *m, uint64_t history, const double *from, uint64_t at) {
    uint64_t S = m->tree->states_labelled;
    for (uint64_t s = 0; m->out->label && s < S; s++)
        m->out->label[history * S + s] += from[at * S + s];
}

/* Add what follows a node of the tree, children and ends merged in the order of action and observation. */
static void add_followers(making *m, uint32_t node) {
    const asif_tree_view *t = m->tree;
    asif_histories *h = m->out;
    uint64_t first_group = h->groups;
    for (;;) {
        bool child = m->child < t->nodes && t->parent[m->child] == node;
        bool end = m->end < t->ends && t->end_node[m->end] == node;
        if (!child && !end)
            return;
        uint64_t a = child ? child_key(t, m->child) : UINT64_MAX, b = end ? end_key(t, m->end) : UINT64_MAX;
        uint64_t key = a < b ? a : b, at = h->nodes++;
        uint32_t action = (uint32_t)(key >> 32);
        h->observation[at] = (uint32_t)key;
        if (child && a == key) {
            add_labels(m, at, t->node_label, m->child);
            h->of_node[m->child++] = (uint32_t)at;
        }
        if (end && b == key) {
            add_labels(m, at, t->end_label, m->end);
            h->weight[at] = t->end_count[m->end++];
        }
        if (h->groups == first_group || h->action[h->groups - 1] != action) {
            h->first[h->groups] = at;
            h->parent[h->groups] = h->of_node[node];
            h->action[h->groups++] = action;
        }
        h->first[h->groups] = h->nodes;
    }
}

static asif_status fail_weights(asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "hidden dynamics cannot be learnt from these weights: they differ within an episode");
    asif_error_hint(error, "give all rows of an episode the same weight");
    return ASIF_EINVALID;
}

/* Weights of the episodes through each history, children first. Where nobody decided (an observation before
 * the first decision), those who go on passed through. */
static void weigh(making *m) {
    const asif_tree_view *t = m->tree;
    asif_histories *h = m->out;
    for (uint64_t i = 0; i < t->nodes; i++) {
        double sum = decisions(t, i);
        h->weight[h->of_node[i]] += sum;
        m->passed[h->of_node[i]] = sum == 0;
    }
    for (uint64_t g = h->groups; g-- > 0;) {
        uint32_t p = h->parent[g];
        for (uint64_t i = h->first[g]; i < h->first[g + 1]; i++)
            h->ending[p] += h->weight[i];
        if (g > 0 && h->parent[g - 1] == p)
            continue;
        if (m->passed[p])
            h->weight[p] += h->ending[p];
        else if (p < t->starts && h->ending[p] > h->weight[p])
            h->weight[p] = h->ending[p];
    }
}

/* What does not go on ends. */
static asif_status find_endings(asif_histories *h, asif_error *error) {
    h->whole = true;
    for (uint64_t i = 0; i < h->nodes; i++) {
        double rest = h->weight[i] - h->ending[i];
        if (rest < -ROUNDING * h->weight[i])
            return fail_weights(error);
        h->ending[i] = rest > ROUNDING * h->weight[i] ? rest : 0;
        h->whole = h->whole && h->weight[i] == floor(h->weight[i]);
    }
    return ASIF_OK;
}

static asif_status check(const asif_tree_view *t, asif_error *error) {
    if (t->states_seen) {
        asif_fail(error, ASIF_EUNSUPPORTED, "hidden dynamics cannot be learnt where states are seen");
        return ASIF_EUNSUPPORTED;
    }
    if (!t->ends_known) {
        asif_fail(error, ASIF_EINVALID,
                  "the saved tree is of version 1, which lacks the last observation of each episode");
        asif_error_hint(error, "make it again from the table with asif count");
        return ASIF_EINVALID;
    }
    if (t->lost) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "dynamics cannot be learnt where results are lost (`missing: unrecorded`)");
        asif_error_hint(error, "learn them with `missing: not_seen` under `logs`: a result that is not seen "
                               "tells nothing of the dynamics");
        return ASIF_EUNSUPPORTED;
    }
    if (t->nodes + t->ends >= ASIF_ANY)
        return asif_fail(error, ASIF_ETOOBIG, "the logs have too many different histories");
    return ASIF_OK;
}

asif_status asif_histories_create(asif_histories *out, const asif_context *context, const asif_tree *tree,
                                  asif_error *error) {
    asif_tree_view t = {.struct_size = sizeof t};
    *out = (asif_histories){0};
    ASIF_TRY(asif_tree_get(tree, &t, error));
    ASIF_TRY(check(&t, error));
    uint64_t most = t.nodes + t.ends;
    making m = {.tree = &t, .out = out, .child = t.starts};
    out->of_node = ASIF_ARRAY(context, t.nodes, uint32_t);
    m.passed = ASIF_ARRAY(context, most, bool);
    out->observation = ASIF_ARRAY(context, most, uint32_t);
    out->weight = ASIF_ARRAY(context, most, double);
    out->ending = ASIF_ARRAY(context, most, double);
    out->first = ASIF_ARRAY(context, most + 1, uint64_t);
    out->parent = ASIF_ARRAY(context, most, uint32_t);
    out->action = ASIF_ARRAY(context, most, uint32_t);
    asif_status status = ASIF_OK;
    if (t.states_labelled)
        out->label = ASIF_ARRAY(context, most * t.states_labelled, double);
    if (!out->of_node || !m.passed || (t.states_labelled && !out->label) || !out->observation ||
        !out->weight || !out->ending || !out->first || !out->parent || !out->action)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (; out->nodes < t.starts; out->nodes++) {
            add_labels(&m, out->nodes, t.node_label, out->nodes);
            out->of_node[out->nodes] = (uint32_t)out->nodes;
            out->observation[out->nodes] = ASIF_ANY;
        }
        out->first[0] = out->nodes;
        for (uint32_t i = 0; i < t.nodes; i++)
            add_followers(&m, i);
        weigh(&m);
        status = find_endings(out, error);
    }
    asif_free(context, m.passed);
    return status;
}

void asif_histories_free(asif_histories *h, const asif_context *context) {
    void *const arrays[] = {h->observation, h->weight, h->ending,  h->first,
                            h->parent,      h->action, h->of_node, h->label};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
}
