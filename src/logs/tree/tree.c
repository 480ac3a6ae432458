/* A finished tree: its arrays, names and counts. */
#include "logs/tree/tree.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

asif_status asif_tree_alloc(asif_tree **out, const asif_context *context, const asif_tree_size *size,
                            asif_error *error) {
    *out = NULL;
    asif_tree *t = ASIF_NEW(context, asif_tree);
    if (!t)
        return asif_fail_memory(error);
    t->context = context;
    t->size = *size;
    const asif_tree_size *n = &t->size;
    bool good = true;
#define X(type, array, elements) good = (t->array = ASIF_ARRAY(context, (elements), type)) != NULL && good;
    ASIF_TREE_ARRAYS(X)
#undef X
    if (!good) {
        asif_tree_free(t);
        return asif_fail_memory(error);
    }
    *out = t;
    return ASIF_OK;
}

void asif_tree_keep(const asif_tree *t) {
    asif_keep(&t->kept);
}

void asif_tree_free(asif_tree *t) {
    if (!t || !asif_leave(&t->kept))
        return;
#define X(type, array, elements) asif_free(t->context, t->array);
    ASIF_TREE_ARRAYS(X)
#undef X
    asif_free(t->context, t->node_label);
    asif_free(t->context, t->end_label);
    asif_free(t->context, (void *)t->name);
    asif_free(t->context, t);
}

static asif_status find_names(asif_tree *t, asif_error *error) {
    const asif_tree_size *n = &t->size;
    t->names = n->actions + n->observations + n->covariates + n->units + n->units * n->covariates;
    uint64_t found = 0;
    for (uint64_t i = 0; i < n->text; i++)
        found += t->text[i] == 0;
    if (found != t->names || (n->text > 0 && t->text[n->text - 1] != 0))
        return asif_fail(error, ASIF_EPARSE, "a tree that needs %llu names has %llu",
                         (unsigned long long)t->names, (unsigned long long)found);
    t->name = asif_alloc(t->context, t->names, sizeof *t->name);
    if (!t->name)
        return asif_fail_memory(error);
    const char *at = t->text;
    for (uint64_t i = 0; i < t->names; i++, at += strlen(at) + 1)
        t->name[i] = at;
    return ASIF_OK;
}

asif_status asif_tree_seal(asif_tree *t, asif_error *error) {
    const asif_tree_size *n = &t->size;
    ASIF_TRY(find_names(t, error));
    t->view = (asif_tree_view){.struct_size = sizeof t->view,
                               .states_seen = n->states_seen,
                               .actions = (uint32_t)n->actions,
                               .observations = (uint32_t)n->observations,
                               .starts = (uint32_t)n->starts,
                               .nodes = (uint32_t)n->nodes,
                               .levels = (uint32_t)n->levels,
                               .level = t->level,
                               .parent = t->parent,
                               .action = t->action,
                               .observation = t->observation,
                               .count = t->count,
                               .first_row = t->first_row,
                               .transitions = n->transitions,
                               .from = t->from,
                               .did = t->did,
                               .to = t->to,
                               .transition_count = t->transition_count,
                               .units = n->units,
                               .unit = t->unit,
                               .entry_node = t->entry_node,
                               .entry_action = t->entry_action,
                               .entry_count = t->entry_count,
                               .covariates = (uint32_t)n->covariates,
                               .ends_known = n->ends_known,
                               .ends = n->ends,
                               .end_node = t->end_node,
                               .end_action = t->end_action,
                               .end_observation = t->end_observation,
                               .end_count = t->end_count,
                               .unit_end = t->unit_end,
                               .ending = t->ending,
                               .ending_count = t->ending_count,
                               .lost = n->lost,
                               .lost_weight = t->lost_weight,
                               .lost_length = t->lost_length,
                               .lost_action = t->lost_action,
                               .completion = t->completion,
                               .completion_node = t->completion_node,
                               .completion_log = t->completion_log,
                               .unit_lost = t->unit_lost};
    asif_amount weight = {0, 0};
    t->info.nodes = 0;
    for (uint64_t i = 0; i < n->nodes; i++) {
        bool acted = false;
        for (uint64_t k = i * n->actions; k < (i + 1) * n->actions; k++) {
            asif_amount_add(&weight, asif_tree_count_at(t, k));
            acted = acted || t->count[k] > 0;
        }
        t->info.nodes += acted;
    }
    for (uint64_t k = 0; k < n->lost; k++) /* the same sum as that of as many decisions */
        for (uint32_t i = 0; i < t->lost_length[k]; i++)
            asif_amount_add(&weight, asif_amount_of(t->lost_weight[k]));
    if (!(weight.whole < ASIF_AMOUNT_LIMIT))
        return asif_fail(error, ASIF_ETOOBIG, "the weights of all decisions sum to 2^52 or more");
    t->info.weight = asif_amount_value(weight);
    t->info.states_seen = n->states_seen;
    return ASIF_OK;
}

const asif_tree_view *asif_tree_inside(const asif_tree *tree) {
    return &tree->view;
}

const asif_context *asif_tree_context(const asif_tree *tree) {
    return tree->context;
}

asif_status asif_tree_get(const asif_tree *tree, asif_tree_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size < sizeof size || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view of a tree has an unknown size");
    memcpy(view, &tree->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

const asif_logs_info *asif_tree_info(const asif_tree *tree) {
    return &tree->info;
}

const char *asif_tree_label(const asif_tree *tree, asif_label_kind kind, uint32_t i) {
    const asif_tree_size *n = &tree->size;
    if (kind == ASIF_LABEL_ACTION)
        return i < n->actions ? tree->name[i] : NULL;
    if (kind == ASIF_LABEL_OBSERVATION || (kind == ASIF_LABEL_STATE && n->states_seen))
        return i < n->observations ? tree->name[n->actions + i] : NULL;
    return NULL;
}

const char *asif_tree_covariate_name(const asif_tree *tree, uint32_t covariate) {
    const asif_tree_size *n = &tree->size;
    return covariate < n->covariates ? tree->name[n->actions + n->observations + covariate] : NULL;
}

const char *asif_tree_unit_name(const asif_tree *tree, uint64_t unit) {
    const asif_tree_size *n = &tree->size;
    return unit < n->units ? tree->name[n->actions + n->observations + n->covariates + unit] : NULL;
}

const char *asif_tree_covariate(const asif_tree *tree, uint64_t unit, uint32_t covariate) {
    const asif_tree_size *n = &tree->size;
    if (unit >= n->units || covariate >= n->covariates)
        return NULL;
    return tree
        ->name[n->actions + n->observations + n->covariates + n->units + unit * n->covariates + covariate];
}

void asif_tree_note(const asif_tree *tree, const char *file, asif_problems *problems) {
    asif_error note = ASIF_ERROR_INIT;
    if (tree->size.ends_known || tree->size.states_seen)
        return;
    asif_fail(
        &note, ASIF_OK,
        "the saved tree is of version 1, which lacks what was seen after the last decision of an episode");
    asif_error_hint(&note, "count the table again to keep it");
    asif_error_at(&note, file, 0, 0);
    asif_problems_add(problems, ASIF_PROBLEM_NOTE, &note);
}

asif_status asif_tree_counts(const asif_tree *tree, const bool *chosen, double *count, asif_error *error) {
    const asif_tree_size *n = &tree->size;
    if (n->units == 0) {
        asif_fail(error, ASIF_EINVALID, "the tree does not keep units apart");
        asif_error_hint(error, "read the table with units (subjects or episodes)");
        return ASIF_EINVALID;
    }
    uint64_t cells = n->nodes * n->actions;
    uint64_t *part = NULL;
    if (n->fractional && !(part = ASIF_ARRAY(tree->context, cells, uint64_t)))
        return asif_fail_memory(error);
    memset(count, 0, (size_t)cells * sizeof *count);
    for (uint64_t u = 0; u < n->units; u++)
        for (uint64_t i = tree->unit[u]; chosen[u] && i < tree->unit[u + 1]; i++) {
            uint64_t k = tree->entry_node[i] * n->actions + tree->entry_action[i];
            asif_amount sum = {count[k], part ? part[k] : 0};
            asif_amount_add(&sum, asif_tree_entry_at(tree, i));
            count[k] = sum.whole;
            if (part)
                part[k] = sum.part;
        }
    for (uint64_t k = 0; part && k < cells; k++)
        count[k] = asif_amount_value((asif_amount){count[k], part[k]});
    asif_free(tree->context, part);
    return ASIF_OK;
}
