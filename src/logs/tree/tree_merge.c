/* Merges two trees into one: both are added to a builder, with their counts. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

static asif_status fail_differ(asif_error *error, const char *what) {
    asif_fail(error, ASIF_EINVALID, "the two trees differ in their %s", what);
    asif_error_hint(error, "merge trees that were counted with the same study (or the same mapping)");
    return ASIF_EINVALID;
}

static bool same_names(const asif_tree *a, const asif_tree *b, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++)
        if (strcmp(a->name[i], b->name[i]) != 0)
            return false;
    return true;
}

static asif_status check_alike(const asif_tree *a, const asif_tree *b, asif_error *error) {
    const asif_tree_size *m = &a->size, *n = &b->size;
    uint64_t labels = m->actions + m->observations;
    if (m->states_seen != n->states_seen)
        return fail_differ(error, "kind: in one of them states are seen");
    if (m->actions != n->actions || !same_names(a, b, 0, m->actions))
        return fail_differ(error, "actions");
    if (m->observations != n->observations || !same_names(a, b, m->actions, labels))
        return fail_differ(error, m->states_seen ? "states" : "observations");
    if (m->starts != n->starts)
        return fail_differ(error, "start classes");
    if (m->covariates != n->covariates || !same_names(a, b, labels, labels + m->covariates))
        return fail_differ(error, "covariates");
    if ((m->units == 0 && n->units > 0 && a->info.weight > 0) ||
        (n->units == 0 && m->units > 0 && b->info.weight > 0))
        return fail_differ(error, "units: only one of them keeps units apart");
    if ((m->lost || n->lost) && !(m->ends_known && n->ends_known))
        return fail_differ(error, "versions: one of them has lost results, the other is of version 1");
    return ASIF_OK;
}

/* Add a whole tree to a builder. `map` [nodes] becomes the builder's number of each node; units are numbered
 * from `unit` on. */
static asif_status add_tree(asif_tree_builder *builder, const asif_tree *t, uint32_t *map, uint64_t unit,
                            asif_error *error) {
    const asif_tree_size *n = &t->size;
    builder->actions = n->actions;
    builder->observations = n->observations;
    for (uint32_t i = 0; i < n->nodes; i++) {
        if (n->states_seen)
            ASIF_TRY(asif_tree_reach_state(builder, map[i] = i, 0, error));
        else if (t->parent[i] == ASIF_ANY)
            map[i] = i;
        else
            ASIF_TRY(asif_tree_child(&map[i], builder, map[t->parent[i]], t->action[i], t->observation[i], 0,
                                     error));
        uint64_t *row = &builder->word[map[i] * builder->words].row;
        if (*row == 0)
            *row = t->first_row[i];
        for (uint32_t u = 0; u < n->actions; u++) {
            asif_amount amount = asif_tree_count_at(t, i * n->actions + u);
            if (amount.whole > 0 || amount.part > 0)
                ASIF_TRY(asif_tree_add_count(builder, map[i], u, amount, error));
        }
    }
    for (uint64_t i = 0; i < n->transitions; i++)
        ASIF_TRY(asif_tree_add_transition(builder, t->from[i], t->did[i], t->to[i],
                                          asif_tree_transition_at(t, i), error));
    for (uint64_t u = 0; u < n->units; u++)
        for (uint64_t i = t->unit[u]; i < t->unit[u + 1]; i++)
            ASIF_TRY(asif_tree_add_entry(builder, unit + u, map[t->entry_node[i]], t->entry_action[i],
                                         asif_tree_entry_at(t, i), error));
    ASIF_TRY(asif_tree_copy_lost(builder, t, NULL, map, n->units ? unit : ASIF_NO_UNIT, error));
    return builder->ends_known ? asif_tree_copy_ends(builder, t, NULL, map, unit, error) : ASIF_OK;
}

static asif_logs_info add_info(const asif_tree *a, const asif_tree *b) {
    const asif_logs_info *x = &a->info, *y = &b->info;
    asif_logs_info sum = *x;
    sum.rules = 0;
    sum.rows += y->rows;
    sum.excluded += y->excluded;
    sum.subjects += y->subjects;
    sum.episodes += y->episodes;
    sum.decisions += y->decisions;
    sum.longest = x->longest > y->longest ? x->longest : y->longest;
    sum.sorted = x->sorted && y->sorted;
    return sum;
}

asif_status asif_tree_merge(asif_tree **out, const asif_tree *a, const asif_tree *b, asif_error *error) {
    *out = NULL;
    ASIF_TRY(check_alike(a, b, error));
    const asif_context *c = a->context;
    const asif_tree_size *m = &a->size, *n = &b->size;
    uint64_t first = m->actions + m->observations + m->covariates; /* index of the first unit's name */
    asif_tree_builder *builder;
    ASIF_TRY(asif_tree_begin(&builder, c, (uint32_t)m->starts, m->states_seen, error));
    builder->ends_known = m->ends_known && n->ends_known;
    uint32_t *map = ASIF_ARRAY(c, m->nodes > n->nodes ? m->nodes : n->nodes, uint32_t);
    const char **name = asif_alloc(c, m->units + n->units, sizeof *name);
    const char **covariate = asif_alloc(c, (m->units + n->units) * m->covariates, sizeof *covariate);
    asif_status status = map && name && covariate ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = add_tree(builder, a, map, 0, error);
    if (status == ASIF_OK)
        status = add_tree(builder, b, map, m->units, error);
    if (status != ASIF_OK) {
        asif_tree_abandon(builder);
    } else {
        memcpy(name, a->name + first, m->units * sizeof *name);
        memcpy(name + m->units, b->name + first, n->units * sizeof *name);
        memcpy(covariate, a->name + first + m->units, m->units * m->covariates * sizeof *name);
        memcpy(covariate + m->units * m->covariates, b->name + first + n->units,
               n->units * m->covariates * sizeof *name);
        asif_tree_labels labels = {(uint32_t)m->actions, (uint32_t)m->observations, a->name,
                                   a->name + m->actions};
        asif_tree_units units = {m->units + n->units, name, (uint32_t)m->covariates,
                                 a->name + m->actions + m->observations, covariate};
        asif_logs_info info = add_info(a, b);
        status = asif_tree_finish(out, builder, &labels, NULL, NULL, &units, &info, error);
    }
    /* Where units are subjects, a subject that is in both trees counts once. */
    if (status == ASIF_OK && m->units == a->info.subjects && n->units == b->info.subjects)
        (*out)->info.subjects = (*out)->size.units;
    asif_free(c, map);
    asif_free(c, name);
    asif_free(c, covariate);
    return status;
}
