/* The tree of some of the units, without names. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree_inside.h"

/* Marks a node and those above it. */
static void reach(const asif_tree *t, bool *reached, uint32_t node) {
    while (!reached[node]) {
        reached[node] = true;
        if (t->parent[node] == ASIF_ANY)
            return;
        node = t->parent[node];
    }
}

/* `map` [nodes] becomes the builder's number of each node that was reached. */
static asif_status add_nodes(asif_tree_builder *builder, const asif_tree *t, const bool *reached,
                             uint32_t *map, asif_error *error) {
    builder->actions = t->size.actions;
    builder->observations = t->size.observations;
    for (uint32_t i = 0; i < t->size.nodes; i++) {
        if (t->size.states_seen)
            ASIF_TRY(asif_tree_reach_state(builder, map[i] = i, 0, error));
        else if (t->parent[i] == ASIF_ANY)
            map[i] = i;
        else if (reached[i])
            ASIF_TRY(asif_tree_child(&map[i], builder, map[t->parent[i]], t->action[i], t->observation[i], 0,
                                     error));
        else
            continue;
        builder->node[map[i]].first_row = t->first_row[i];
    }
    return ASIF_OK;
}

static asif_status add_all(asif_tree_builder *builder, const asif_tree *t, const uint32_t *map,
                           asif_error *error) {
    uint64_t actions = t->size.actions;
    for (uint64_t i = 0; i < t->size.nodes * actions; i++) {
        asif_amount amount = asif_tree_count_at(t, i);
        if (amount.whole > 0 || amount.part > 0)
            ASIF_TRY(asif_tree_add_count(builder, map[i / actions], (uint32_t)(i % actions), amount, error));
    }
    for (uint64_t i = 0; i < t->size.transitions; i++)
        ASIF_TRY(asif_tree_add_transition(builder, t->from[i], t->did[i], t->to[i],
                                          asif_tree_transition_at(t, i), error));
    return ASIF_OK;
}

static asif_status add_units(asif_tree_builder *builder, const asif_tree *t, const bool *chosen,
                             const uint32_t *map, asif_error *error) {
    for (uint64_t u = 0; u < t->size.units; u++)
        for (uint64_t i = t->unit[u]; chosen[u] && i < t->unit[u + 1]; i++)
            ASIF_TRY(asif_tree_add_count(builder, map[t->entry_node[i]], t->entry_action[i],
                                         asif_tree_entry_at(t, i), error));
    return ASIF_OK;
}

static void mark(const asif_tree *t, const bool *chosen, bool *reached) {
    for (uint32_t i = 0; !chosen && i < t->size.nodes; i++)
        reached[i] = true;
    for (uint64_t u = 0; chosen && u < t->size.units; u++)
        for (uint64_t i = t->unit[u]; chosen[u] && i < t->unit[u + 1]; i++)
            reach(t, reached, t->entry_node[i]);
}

/* What is known of the reading of a part. A unit may be a subject or an episode: their numbers tell. */
static asif_logs_info info_of(const asif_tree *t, const bool *chosen) {
    asif_logs_info info = t->info;
    if (!chosen)
        return info;
    uint64_t units = 0;
    double weight = 0;
    for (uint64_t u = 0; u < t->size.units; u++) {
        units += chosen[u];
        for (uint64_t i = t->unit[u]; chosen[u] && i < t->unit[u + 1]; i++)
            weight += t->entry_count[i];
    }
    info.rows = info.excluded = 0;
    info.subjects = t->info.subjects == t->size.units ? units : 0;
    info.episodes = t->info.episodes == t->size.units ? units : 0;
    info.decisions = t->info.weight == (double)t->info.decisions ? (uint64_t)llround(weight) : 0;
    return info;
}

asif_status asif_tree_select(asif_tree **out, const asif_tree *tree, const bool *chosen, asif_error *error) {
    const asif_tree_size *n = &tree->size;
    const asif_context *c = tree->context;
    *out = NULL;
    if (chosen && !n->units)
        return asif_fail(error, ASIF_EINVALID, "the tree was made without units");
    asif_tree_builder *builder;
    ASIF_TRY(asif_tree_begin(&builder, c, (uint32_t)n->starts, n->states_seen, error));
    uint32_t *map = ASIF_ARRAY(c, n->nodes, uint32_t);
    bool *reached = ASIF_ARRAY(c, n->nodes, bool);
    asif_status status = map && reached ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        mark(tree, chosen, reached);
        status = add_nodes(builder, tree, reached, map, error);
    }
    if (status == ASIF_OK)
        status = chosen ? add_units(builder, tree, chosen, map, error) : add_all(builder, tree, map, error);
    if (status != ASIF_OK) {
        asif_tree_abandon(builder);
    } else {
        asif_tree_labels labels = {(uint32_t)n->actions, (uint32_t)n->observations, tree->name,
                                   tree->name + n->actions};
        asif_logs_info info = info_of(tree, chosen);
        status = asif_tree_finish(out, builder, &labels, NULL, NULL, NULL, &info, error);
    }
    asif_free(c, map);
    asif_free(c, reached);
    return status;
}
