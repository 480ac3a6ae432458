#include "questions/compare/models/pointwise.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/lost.h"
#include "logs/names.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* relative difference between sums of weights in another order */

void asif_units_free(asif_units *units) {
    asif_tree_free(units->tree);
    void *const arrays[] = {units->number, units->begin, units->node, units->at, units->kind, units->example};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(units->context, arrays[i]);
}

const char *asif_units_name(const asif_units *units, uint64_t unit) {
    return asif_tree_unit_name(units->logs, units->number[unit]);
}

/* ---- entries on the nodes of the smaller tree ---- */

/* Match the nodes of `part`, which are some of those of `whole`, in the same order. */
static void match_nodes(uint32_t *map, const asif_tree_view *whole, const asif_tree_view *part) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < whole->nodes; i++) {
        uint32_t above = whole->parent[i] == ASIF_ANY ? ASIF_ANY : map[whole->parent[i]];
        bool kept = next < part->nodes && (whole->parent[i] == ASIF_ANY || above != ASIF_ANY) &&
                    part->parent[next] == above && part->action[next] == whole->action[i] &&
                    part->observation[next] == whole->observation[i];
        map[i] = kept ? next++ : ASIF_ANY;
    }
}

static void take_entries(asif_units *u, const asif_tree_view *logs, const bool *chosen, const uint32_t *map) {
    uint64_t entries = 0;
    for (uint64_t i = 0; i < logs->units; i++) {
        if (chosen && !chosen[i])
            continue;
        u->number[u->units] = i;
        u->begin[u->units++] = entries;
        for (uint64_t e = logs->unit[i]; e < logs->unit[i + 1]; e++, entries++) {
            u->at[entries] = e;
            u->node[entries] = map[logs->entry_node[e]];
        }
    }
    u->begin[u->units] = entries;
}

/* ---- kinds ---- */

/* Whether results of a unit are lost; such units are each of a kind of their own. */
static bool has_lost(const asif_units *u, uint64_t unit) {
    const asif_tree_view *t = asif_tree_inside(u->tree);
    return t->lost > 0 && t->unit_lost[unit + 1] > t->unit_lost[unit];
}

static bool same_entries(const asif_units *u, uint64_t a, uint64_t b) {
    if (has_lost(u, a) || has_lost(u, b))
        return a == b;
    uint64_t i = u->begin[a], j = u->begin[b], n = u->begin[a + 1] - i;
    bool same = n == u->begin[b + 1] - j;
    for (uint64_t k = 0; same && k < n; k++)
        same = u->node[i + k] == u->node[j + k] && u->action[u->at[i + k]] == u->action[u->at[j + k]] &&
               u->count[u->at[i + k]] == u->count[u->at[j + k]];
    return same;
}

static uint64_t hash_entries(const asif_units *u, uint64_t unit) {
    uint64_t hash = 0;
    for (uint64_t k = u->begin[unit]; k < u->begin[unit + 1]; k++) {
        struct {
            uint64_t before;
            double count;
            uint32_t node, action;
        } key = {hash, u->count[u->at[k]], u->node[k], u->action[u->at[k]]};
        hash = asif_hash_bytes((const char *)&key, sizeof key);
    }
    return hash;
}

/* Find the kinds, by a hash table with open addressing; a slot holds a kind + 1. */
static asif_status find_kinds(asif_units *u, asif_error *error) {
    uint64_t slots = 16;
    while (slots < 2 * u->units)
        slots *= 2;
    uint64_t *slot = ASIF_ARRAY(u->context, slots, uint64_t);
    if (!slot)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < u->units; i++) {
        uint64_t at = hash_entries(u, i) & (slots - 1);
        while (slot[at] && !same_entries(u, u->example[slot[at] - 1], i))
            at = (at + 1) & (slots - 1);
        if (!slot[at]) {
            u->example[u->kinds] = i;
            slot[at] = ++u->kinds;
        }
        u->kind[i] = slot[at] - 1;
    }
    asif_free(u->context, slot);
    return ASIF_OK;
}

static asif_status no_units(const asif_tree_view *view, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              view->units ? "a comparison needs at least two units" : "the logs were counted without units");
    asif_error_hint(error, view->units ? "units are episodes, or subjects where there are at least ten"
                                       : "name the table itself, not a saved tree");
    return ASIF_EINVALID;
}

asif_status asif_units_create(asif_units *out, const asif_tree *logs, const bool *chosen, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(logs);
    const asif_context *c = asif_tree_context(logs);
    *out = (asif_units){.context = c, .logs = logs, .action = view->entry_action, .count = view->entry_count};
    if (!view->units)
        return no_units(view, error);
    /* Units keep their order: numbers in place of names. */
    ASIF_TRY(view->lost ? asif_tree_select_units(&out->tree, logs, chosen, NULL, false, error)
                        : asif_tree_select(&out->tree, logs, chosen, error));
    uint64_t entries = view->unit[view->units];
    uint32_t *map = ASIF_ARRAY(c, view->nodes, uint32_t);
    out->number = ASIF_ARRAY(c, view->units, uint64_t);
    out->begin = ASIF_ARRAY(c, view->units + 1, uint64_t);
    out->kind = ASIF_ARRAY(c, view->units, uint64_t);
    out->example = ASIF_ARRAY(c, view->units, uint64_t);
    out->node = ASIF_ARRAY(c, entries, uint32_t);
    out->at = ASIF_ARRAY(c, entries, uint64_t);
    asif_status status = ASIF_OK;
    if (map && out->number && out->begin && out->kind && out->example && out->node && out->at) {
        match_nodes(map, view, asif_tree_inside(out->tree));
        take_entries(out, view, chosen, map);
        status = out->units < 2 ? no_units(view, error) : find_kinds(out, error);
    } else {
        status = asif_fail_memory(error);
    }
    asif_free(c, map);
    return status;
}

/* ---- comparison with other logs ---- */

static bool same_labels(const asif_tree *a, const asif_tree *b, asif_label_kind kind) {
    for (uint32_t i = 0;; i++) {
        const char *x = asif_tree_label(a, kind, i), *y = asif_tree_label(b, kind, i);
        if (!x || !y)
            return x == y;
        if (strcmp(x, y) != 0)
            return false;
    }
}

/* Whether the lost episodes agree, however they are split between units. */
static bool same_lost(const asif_tree_view *a, const asif_tree_view *b) {
    double x = 0, y = 0;
    for (uint64_t k = 0; k < a->lost; k++)
        x += a->lost_weight[k] * (a->lost_length[k] + (double)asif_lost_after(a, k));
    for (uint64_t k = 0; k < b->lost; k++)
        y += b->lost_weight[k] * (b->lost_length[k] + (double)asif_lost_after(b, k));
    return fabs(x - y) <= SAME * fabs(x);
}

bool asif_units_agree(const asif_units *units, const asif_tree *tree) {
    const asif_tree_view *a = asif_tree_inside(units->tree), *b = asif_tree_inside(tree);
    bool same = a->nodes == b->nodes && a->levels == b->levels && a->actions == b->actions &&
                a->observations == b->observations && a->starts == b->starts &&
                a->states_seen == b->states_seen && same_labels(units->tree, tree, ASIF_LABEL_ACTION) &&
                same_labels(units->tree, tree, a->states_seen ? ASIF_LABEL_STATE : ASIF_LABEL_OBSERVATION);
    for (uint32_t i = 0; same && i < a->nodes; i++)
        same = a->parent[i] == b->parent[i] && a->action[i] == b->action[i] &&
               a->observation[i] == b->observation[i];
    for (uint64_t i = 0; same && i < (uint64_t)a->nodes * a->actions; i++)
        same = fabs(a->count[i] - b->count[i]) <= SAME * fabs(a->count[i]);
    return same && same_lost(a, b);
}
