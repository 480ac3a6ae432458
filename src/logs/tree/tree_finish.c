/* Turns a builder into a tree, sorted by labels, so that the tree does not depend on the order of
 * episodes. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <stdlib.h>
#include <string.h>

/* Entries of all units, in their final order. */
typedef struct {
    uint64_t *offset; /* [made + 1]: first entry of each unit */
    asif_tree_entry *entry;
    uint64_t entries;
} gathered;

typedef struct {
    const asif_context *context;
    asif_tree_builder *b;
    const asif_tree_labels *labels;
    const uint32_t *action_order, *observation_order;
    const asif_tree_units *units;
    uint32_t *old;    /* [nodes]: the builder's number of each node of the tree */
    uint32_t *number; /* [nodes of the builder]: the tree's number of each node */
    uint64_t *level;  /* [levels + 1], allocated for nodes + 2 */
    uint64_t levels;
    uint64_t made;                      /* number of units with distinct names */
    uint64_t *unit_number, *unit_first; /* see asif_tree_order_units() */
    gathered entry, ending;
    uint32_t *end_number; /* [ends]: the tree's number of each end of the builder */
} finish;

static uint32_t new_action(const finish *f, uint32_t action) {
    return f->action_order ? f->action_order[action] : action;
}

static uint32_t new_observation(const finish *f, uint32_t observation) {
    return f->observation_order && observation != ASIF_ANY ? f->observation_order[observation] : observation;
}

/* ---- the order of the nodes ---- */

typedef struct {
    uint64_t key; /* action in the upper half, observation in the lower half */
    uint32_t node;
} child;

static int by_label(const void *a, const void *b) {
    const child *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Order the nodes breadth first, with sorted children. `offset` [nodes + 1] and `list` [nodes] are working
 * space for the children of each node. */
static void order_nodes(finish *f, uint64_t *offset, child *list) {
    const asif_tree_builder *b = f->b;
    for (uint64_t i = b->starts; i < b->nodes; i++)
        offset[b->node[i].parent + 1]++;
    for (uint64_t i = 0; i < b->nodes; i++)
        offset[i + 1] += offset[i];
    for (uint64_t i = b->nodes; i-- > b->starts;) {
        const asif_tree_node *n = &b->node[i];
        uint64_t key = (uint64_t)new_action(f, n->action) << 32 | new_observation(f, n->observation);
        list[--offset[n->parent + 1]] = (child){key, (uint32_t)i};
    }
    /* Here the children of node i begin at list[offset[i + 1]] and end where those of the next node begin. */
    uint64_t made = 0, level_end;
    for (; made < b->starts; made++)
        f->old[made] = (uint32_t)made;
    f->levels = 0;
    for (uint64_t i = 0; i < made; f->levels++) {
        f->level[f->levels] = i;
        for (level_end = made; i < level_end; i++) {
            uint64_t from = offset[f->old[i] + 1ull];
            uint64_t to = f->old[i] + 2ull <= b->nodes ? offset[f->old[i] + 2ull] : b->nodes - b->starts;
            if (to > from + 1)
                qsort(list + from, (size_t)(to - from), sizeof *list, by_label);
            for (uint64_t k = from; k < to; k++)
                f->old[made++] = list[k].node;
        }
    }
    f->level[f->levels] = made;
}

static asif_status find_order(finish *f, asif_error *error) {
    const asif_tree_builder *b = f->b;
    uint64_t nodes = b->nodes;
    f->old = ASIF_ARRAY(f->context, nodes, uint32_t);
    f->number = ASIF_ARRAY(f->context, nodes, uint32_t);
    f->level = ASIF_ARRAY(f->context, nodes + 2, uint64_t);
    if (!f->old || !f->number || !f->level)
        return asif_fail_memory(error);
    if (b->states_seen) {
        for (uint64_t i = 0; i < nodes; i++)
            f->old[new_observation(f, (uint32_t)i)] = (uint32_t)i;
        f->levels = 1;
        f->level[1] = nodes;
    } else {
        uint64_t *offset = ASIF_ARRAY(f->context, nodes + 1, uint64_t);
        child *list = ASIF_ARRAY(f->context, nodes, child);
        if (offset && list)
            order_nodes(f, offset, list);
        asif_free(f->context, offset);
        asif_free(f->context, list);
        if (!offset || !list)
            return asif_fail_memory(error);
    }
    for (uint64_t i = 0; i < nodes; i++)
        f->number[f->old[i]] = (uint32_t)i;
    return ASIF_OK;
}

/* ---- what followed actions ---- */

static int by_sum(const void *a, const void *b) {
    const asif_tree_sum *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->did != y->did)
        return x->did < y->did ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Renumber and sort the sums. Where states are seen, nodes are the states. */
static void order_sums(const finish *f, asif_tree_sums *sums) {
    for (uint64_t i = 0; i < sums->count; i++) {
        asif_tree_sum *x = &sums->sum[i];
        x->from = f->number[x->from];
        x->did = new_action(f, x->did);
        x->to = new_observation(f, x->to);
    }
    if (sums->count)
        qsort(sums->sum, (size_t)sums->count, sizeof *sums->sum, by_sum);
}

static asif_status order_followed(finish *f, asif_error *error) {
    asif_tree_sums *end = &f->b->end;
    f->end_number = ASIF_ARRAY(f->context, end->count, uint32_t);
    if (!f->end_number)
        return asif_fail_memory(error);
    order_sums(f, &f->b->transition);
    order_sums(f, end);
    for (uint64_t i = 0; i < end->count; i++)
        f->end_number[end->sum[i].number] = (uint32_t)i;
    return ASIF_OK;
}

/* ---- units ---- */

/* Renumber the entries, sort them by unit, and add up equal ones. */
static asif_status gather(const finish *f, gathered *out, asif_tree_list *list, const uint32_t *number,
                          asif_error *error) {
    uint64_t *offset = out->offset = ASIF_ARRAY(f->context, f->made + 2, uint64_t);
    out->entry = ASIF_ARRAY(f->context, list->count, asif_tree_entry);
    if (!offset || !out->entry)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < list->count; i++) {
        list->entry[i].unit = f->unit_number[list->entry[i].unit];
        offset[list->entry[i].unit + 2]++;
    }
    for (uint64_t u = 0; u < f->made; u++)
        offset[u + 2] += offset[u + 1];
    for (uint64_t i = 0; i < list->count; i++) {
        asif_tree_entry e = list->entry[i];
        e.node = number[e.node];
        e.action = new_action(f, e.action);
        out->entry[offset[e.unit + 1]++] = e;
    }
    uint64_t kept = 0;
    for (uint64_t u = 0; u < f->made; u++) {
        uint64_t from = offset[u], n = asif_tree_pack(out->entry + from, offset[u + 1] - from);
        memmove(out->entry + kept, out->entry + from, (size_t)n * sizeof *out->entry);
        offset[u] = kept;
        kept += n;
    }
    offset[f->made] = out->entries = kept;
    return ASIF_OK;
}

static asif_status order_units(finish *f, asif_error *error) {
    if (!f->units)
        return ASIF_OK;
    f->unit_number = ASIF_ARRAY(f->context, f->units->units, uint64_t);
    f->unit_first = ASIF_ARRAY(f->context, f->units->units, uint64_t);
    if (!f->unit_number || !f->unit_first)
        return asif_fail_memory(error);
    ASIF_TRY(asif_tree_order_units(&f->made, f->context, f->units, f->unit_number, f->unit_first, error));
    ASIF_TRY(gather(f, &f->entry, &f->b->entry, f->number, error));
    return gather(f, &f->ending, &f->b->ending, f->end_number, error);
}

static asif_status order_lost(finish *f, asif_error *error) {
    bool apart = f->units && f->units->units > 0;
    return asif_tree_order_lost(f->b, f->number, f->action_order, apart ? f->unit_number : NULL, error);
}

/* ---- names ---- */

/* Collect the covariates of the units. If units of the same name differ, the first value that is not empty
 * counts. */
static asif_status gather_covariates(finish *f, const char ***out, asif_error *error) {
    uint64_t width = f->units ? f->units->covariates : 0;
    const char **value = *out = asif_alloc(f->context, f->made * width, sizeof *value);
    if (!value)
        return asif_fail_memory(error);
    for (uint64_t u = 0; u < (f->made && width ? f->units->units : 0); u++)
        for (uint64_t k = 0; k < width; k++) {
            const char *given = f->units->covariate[u * width + k];
            const char **place = &value[f->unit_number[u] * width + k];
            if (!*place || !**place)
                *place = given ? given : "";
        }
    return ASIF_OK;
}

/* Call `each` for all names of the tree, in the order of `text`. */
static void all_names(const finish *f, const char *const *covariate, void (*each)(void *, const char *),
                      void *to) {
    for (uint32_t i = 0; i < f->labels->actions; i++)
        each(to, f->labels->action_name[i]);
    for (uint32_t i = 0; i < f->labels->observations; i++)
        each(to, f->labels->observation_name[i]);
    if (!f->units)
        return;
    for (uint32_t k = 0; k < f->units->covariates; k++)
        each(to, f->units->covariate_name[k]);
    for (uint64_t u = 0; u < f->made; u++)
        each(to, f->units->name[f->unit_first[u]]);
    for (uint64_t i = 0; i < f->made * f->units->covariates; i++)
        each(to, covariate[i]);
}

static void add_length(void *to, const char *name) {
    *(uint64_t *)to += strlen(name) + 1;
}

static void add_name(void *to, const char *name) {
    char **end = to;
    size_t size = strlen(name) + 1;
    memcpy(*end, name, size);
    *end += size;
}

/* ---- the arrays ---- */

static void put_amount(double *count, uint64_t *part, uint64_t i, asif_amount amount, bool fractional) {
    count[i] = asif_amount_value(amount);
    if (fractional)
        part[i] = amount.part;
}

/* Whether any sum has a fractional part. */
static bool has_parts(const finish *f) {
    const asif_tree_builder *b = f->b;
    uint64_t any = 0;
    for (uint64_t i = 0; b->fractional && i < b->nodes; i++)
        for (uint32_t u = 0; u < b->actions; u++)
            any |= asif_tree_amount(b, i, u).part;
    const asif_tree_sums *const sums[] = {&b->transition, &b->end};
    const gathered *const units[] = {&f->entry, &f->ending};
    for (uint32_t k = 0; k < 2; k++) {
        for (uint64_t i = 0; i < sums[k]->count; i++)
            any |= sums[k]->sum[i].amount.part;
        for (uint64_t i = 0; i < units[k]->entries; i++)
            any |= units[k]->entry[i].amount.part;
    }
    return any != 0;
}

static void fill_nodes(const finish *f, asif_tree *t) {
    const asif_tree_builder *b = f->b;
    memcpy(t->level, f->level, (f->levels + 1) * sizeof *t->level);
    for (uint64_t i = 0; i < b->nodes; i++) {
        const asif_tree_node *n = &b->node[f->old[i]];
        t->parent[i] = n->parent == ASIF_ANY ? ASIF_ANY : f->number[n->parent];
        t->action[i] = n->action == ASIF_ANY ? ASIF_ANY : new_action(f, n->action);
        t->observation[i] = b->states_seen ? (uint32_t)i : new_observation(f, n->observation);
        t->first_row[i] = b->word[f->old[i] * b->words].row;
        for (uint32_t u = 0; u < b->actions; u++)
            put_amount(t->count, t->count_part, i * t->size.actions + new_action(f, u),
                       asif_tree_amount(b, f->old[i], u), t->size.fractional);
    }
}

static void fill_followed(const finish *f, asif_tree *t) {
    const asif_tree_builder *b = f->b;
    for (uint64_t i = 0; i < b->transition.count; i++) {
        const asif_tree_sum *x = &b->transition.sum[i];
        t->from[i] = x->from;
        t->did[i] = x->did;
        t->to[i] = x->to;
        put_amount(t->transition_count, t->transition_part, i, x->amount, t->size.fractional);
    }
    for (uint64_t i = 0; i < b->end.count; i++) {
        const asif_tree_sum *x = &b->end.sum[i];
        t->end_node[i] = x->from;
        t->end_action[i] = x->did;
        t->end_observation[i] = x->to;
        put_amount(t->end_count, t->end_part, i, x->amount, t->size.fractional);
    }
}

static asif_status fill_labels(const finish *f, asif_tree *t, asif_error *error) {
    const asif_tree_builder *b = f->b;
    uint64_t states = b->labelled;
    if (states == 0)
        return ASIF_OK;
    t->node_label = ASIF_ARRAY(f->context, t->size.nodes * states, double);
    t->end_label = ASIF_ARRAY(f->context, t->size.ends * states, double);
    if (!t->node_label || !t->end_label)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < b->label.count; i++) {
        const asif_tree_sum *x = &b->label.sum[i];
        if (x->did == 0)
            t->node_label[f->number[x->from] * states + x->to] = asif_amount_value(x->amount);
        else
            t->end_label[f->end_number[x->from] * states + x->to] = asif_amount_value(x->amount);
    }
    return ASIF_OK;
}

static void fill_units(const finish *f, asif_tree *t) {
    if (!f->made)
        return;
    memcpy(t->unit, f->entry.offset, (f->made + 1) * sizeof *t->unit);
    for (uint64_t i = 0; i < f->entry.entries; i++) {
        const asif_tree_entry *e = &f->entry.entry[i];
        t->entry_node[i] = e->node;
        t->entry_action[i] = e->action;
        put_amount(t->entry_count, t->entry_part, i, e->amount, t->size.fractional);
    }
    memcpy(t->unit_end, f->ending.offset, (f->made + 1) * sizeof *t->unit_end);
    for (uint64_t i = 0; i < f->ending.entries; i++) {
        t->ending[i] = f->ending.entry[i].node;
        put_amount(t->ending_count, t->ending_part, i, f->ending.entry[i].amount, t->size.fractional);
    }
}

static asif_status assemble(asif_tree **out, finish *f, const asif_logs_info *info,
                            const char *const *covariate, asif_error *error) {
    const asif_tree_builder *b = f->b;
    asif_tree_size size = {.states_seen = b->states_seen,
                           .fractional = has_parts(f),
                           .ends_known = b->ends_known,
                           .actions = f->labels->actions,
                           .observations = f->labels->observations,
                           .starts = b->starts,
                           .nodes = b->nodes,
                           .levels = f->levels,
                           .transitions = b->transition.count,
                           .units = f->made,
                           .entries = f->entry.entries,
                           .ends = b->end.count,
                           .endings = f->ending.entries,
                           .lost = b->losses,
                           .covariates = f->units ? f->units->covariates : 0};
    for (uint64_t k = 0; k < b->losses; k++)
        size.completions += b->loss[k].count;
    all_names(f, covariate, add_length, &size.text);
    asif_tree *t;
    ASIF_TRY(asif_tree_alloc(&t, f->context, &size, error));
    fill_nodes(f, t);
    fill_followed(f, t);
    fill_units(f, t);
    asif_tree_fill_lost(t, b);
    char *end = t->text;
    all_names(f, covariate, add_name, &end);
    t->info = info ? *info
                   : (asif_logs_info){.rows = b->decisions,
                                      .episodes = b->episodes,
                                      .decisions = b->decisions,
                                      .longest = b->longest,
                                      .subjects = f->made};
    asif_status status = asif_tree_seal(t, error);
    if (status == ASIF_OK)
        status = fill_labels(f, t, error);
    t->view.states_labelled = b->labelled;
    t->view.node_label = t->node_label;
    t->view.end_label = t->end_label;
    if (status != ASIF_OK) {
        asif_tree_free(t);
        return status;
    }
    *out = t;
    return ASIF_OK;
}

static asif_status check(const finish *f, asif_error *error) {
    const asif_tree_builder *b = f->b;
    if (b->actions > f->labels->actions || b->observations > f->labels->observations)
        return asif_fail(error, ASIF_EDOMAIN,
                         "the tree has %llu actions and %llu observations, but only %u and %u labels",
                         (unsigned long long)b->actions, (unsigned long long)b->observations,
                         f->labels->actions, f->labels->observations);
    uint64_t units = f->units ? f->units->units : 0;
    for (uint64_t i = 0; i < b->entry.count; i++)
        if (b->entry.entry[i].unit >= units)
            return asif_fail(error, ASIF_EDOMAIN,
                             "the tree has a unit %llu, but there are only %llu names of units",
                             (unsigned long long)b->entry.entry[i].unit, (unsigned long long)units);
    return ASIF_OK;
}

asif_status asif_tree_finish(asif_tree **out, asif_tree_builder *builder, const asif_tree_labels *labels,
                             const uint32_t *action_order, const uint32_t *observation_order,
                             const asif_tree_units *units, const asif_logs_info *info, asif_error *error) {
    *out = NULL;
    const asif_context *c = builder->context;
    finish f = {.context = c,
                .b = builder,
                .labels = labels,
                .action_order = action_order,
                .observation_order = observation_order,
                .units = units};
    const char **covariate = NULL;
    asif_status status = asif_tree_close_episode(builder, error);
    if (status == ASIF_OK)
        status = check(&f, error);
    if (status == ASIF_OK && builder->states_seen && labels->observations)
        status = asif_tree_reach_state(builder, labels->observations - 1, 0, error);
    asif_tree_table *const tables[] = {&builder->table, &builder->transition.table, &builder->end.table,
                                       &builder->label.table};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        asif_free(c, tables[i]->slot);
        tables[i]->slot = NULL;
    }
    if (status == ASIF_OK)
        status = find_order(&f, error);
    if (status == ASIF_OK)
        status = order_followed(&f, error);
    if (status == ASIF_OK)
        status = order_units(&f, error);
    if (status == ASIF_OK)
        status = order_lost(&f, error);
    if (status == ASIF_OK)
        status = gather_covariates(&f, &covariate, error);
    if (status == ASIF_OK)
        status = assemble(out, &f, info, covariate, error);
    void *const arrays[] = {f.old,           f.number,       f.level,        f.unit_number,
                            f.unit_first,    f.end_number,   f.entry.offset, f.entry.entry,
                            f.ending.offset, f.ending.entry, covariate};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    asif_tree_abandon(builder);
    return status;
}
