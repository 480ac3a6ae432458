/* The order of decisions: which are the first of their episodes, the second, and so on. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

/* An observation before the first action leads to a node by an action that nobody took at the root. */
void asif_tree_steps(uint32_t *step, const asif_tree *tree) {
    const asif_tree_view *t = asif_tree_inside(tree);
    for (uint64_t i = 0; i < t->nodes; i++) {
        uint64_t above = t->parent[i];
        step[i] = above == ASIF_ANY ? 0 : step[above] + (t->count[above * t->actions + t->action[i]] > 0);
    }
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
    asif_free(context, step);
    asif_free(context, root);
    return status;
}
