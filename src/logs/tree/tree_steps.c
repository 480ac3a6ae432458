/* The order of decisions: which are the first of their episodes, the second, and so on. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

/* Mark the nodes that lost episodes reached by a decision that is in no count. */
static void mark_lost(uint32_t *step, const asif_tree_view *t) {
    for (uint64_t k = 0; k < t->lost; k++)
        for (uint64_t c = t->completion[k]; c < t->completion[k + 1]; c++) {
            uint32_t node = t->completion_node[c];
            for (uint32_t i = 1; i < t->lost_length[k]; i++, node = t->parent[node])
                step[node] = 1;
        }
}

/* An observation before the first action leads to a node by an action that nobody took at the root. */
void asif_tree_steps(uint32_t *step, const asif_tree *tree) {
    const asif_tree_view *t = asif_tree_inside(tree);
    for (uint64_t i = 0; i < t->nodes; i++)
        step[i] = 0;
    mark_lost(step, t);
    for (uint64_t i = 0; i < t->nodes; i++) {
        uint64_t above = t->parent[i];
        bool decided = above != ASIF_ANY && (step[i] || t->count[above * t->actions + t->action[i]] > 0);
        step[i] = above == ASIF_ANY ? 0 : step[above] + decided;
    }
}

bool asif_tree_holds_counts(const asif_tree *tree) {
    const asif_logs_info *info = asif_tree_info(tree);
    return info->states_seen && info->weight != (double)info->decisions;
}

asif_status asif_tree_longest(uint64_t *longest, const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    uint32_t *step = ASIF_ARRAY(asif_tree_context(tree), t->nodes, uint32_t);
    if (!step)
        return asif_fail_memory(error);
    asif_tree_steps(step, tree);
    *longest = 0;
    for (uint64_t i = 0; i < (uint64_t)t->nodes * t->actions; i++)
        if (t->count[i] > 0 && step[i / t->actions] + 1 > *longest)
            *longest = step[i / t->actions] + 1;
    for (uint64_t k = 0; k < t->lost; k++)
        if (step[t->completion_node[t->completion[k]]] + 1 > *longest)
            *longest = step[t->completion_node[t->completion[k]]] + 1;
    asif_free(asif_tree_context(tree), step);
    return ASIF_OK;
}

asif_status asif_tree_began(double *began, const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_context *context = asif_tree_context(tree);
    uint32_t *step = ASIF_ARRAY(context, t->nodes, uint32_t), *root = ASIF_ARRAY(context, t->nodes, uint32_t);
    asif_status status = step && root ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_tree_steps(step, tree);
    for (uint32_t c = 0; c < t->starts; c++)
        began[c] = 0;
    for (uint32_t i = 0; status == ASIF_OK && i < t->nodes; i++) {
        root[i] = t->parent[i] == ASIF_ANY ? i : root[t->parent[i]];
        for (uint32_t u = 0; step[i] == 0 && u < t->actions; u++)
            began[root[i]] += t->count[(uint64_t)i * t->actions + u];
    }
    for (uint64_t k = 0; status == ASIF_OK && k < t->lost; k++) {
        uint32_t node = t->completion_node[t->completion[k]];
        if (step[node] + 1 == t->lost_length[k]) /* what was seen before the first decision is lost */
            began[root[node]] += t->lost_weight[k];
    }
    asif_free(context, step);
    asif_free(context, root);
    return status;
}
