/* Makes the tree of some units, which are then kept apart or not. */
#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "logs/names.h"
#include "logs/tree/tree_inside.h"

#include <string.h>

/* Mark a node and all nodes above it. */
static void reach(const asif_tree *t, bool *reached, uint32_t node) {
    while (!reached[node]) {
        reached[node] = true;
        if (t->parent[node] == ASIF_ANY)
            return;
        node = t->parent[node];
    }
}

/* Add the marked nodes to a builder; `map` [nodes] becomes the builder's number of each. */
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
        asif_tree_lower_row(builder, map[i], t->first_row[i]);
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
        if (chosen[u]) {
            for (uint64_t i = t->unit[u]; i < t->unit[u + 1]; i++)
                reach(t, reached, t->entry_node[i]);
            for (uint64_t i = t->completion[t->unit_lost[u]]; i < t->completion[t->unit_lost[u + 1]]; i++)
                reach(t, reached, t->completion_node[i]);
        }
}

/* Sizes of a part of the logs. Units are subjects, or episodes, if there are as many of them. */
static asif_logs_info info_of(const asif_tree *t, const bool *chosen) {
    asif_logs_info info = t->info;
    if (!chosen)
        return info;
    uint64_t units = 0;
    double weight = 0, most = 0;
    for (uint64_t u = 0; u < t->size.units; u++) {
        double here = 0;
        units += chosen[u];
        for (uint64_t i = t->unit[u]; chosen[u] && i < t->unit[u + 1]; i++)
            here += t->entry_count[i];
        for (uint64_t k = t->unit_lost[u]; chosen[u] && k < t->unit_lost[u + 1]; k++)
            here += t->lost_weight[k] * t->lost_length[k];
        weight += here;
        most = fmax(most, here);
    }
    info.rows = info.excluded = 0;
    info.rules = 0;
    info.subjects = t->info.subjects == t->size.units ? units : 0;
    info.episodes = t->info.episodes == t->size.units ? units : 0;
    bool weighted = t->info.weight != (double)t->info.decisions;
    info.decisions = weighted ? 0 : (uint64_t)llround(weight);
    if (!weighted && most < (double)info.longest) /* no episode is longer than its unit */
        info.longest = (uint64_t)llround(most);
    return info;
}

/* ---- units that are kept ---- */

/* The units that are kept. Texts are borrowed from the tree, except the numbers that replace names. */
typedef struct {
    const asif_context *context;
    bool names;
    asif_tree_units units;
    char *number; /* [units][NUMBER_SIZE]: numbers in place of names */
    const char **name, **covariate_name, **covariate;
} kept_units;

#define NUMBER_SIZE 24

static void drop_units(kept_units *k) {
    asif_free(k->context, k->number);
    asif_free(k->context, k->name);
    asif_free(k->context, k->covariate_name);
    asif_free(k->context, k->covariate);
}

static asif_status find_covariates(kept_units *k, const asif_tree *t, const char *const *wanted,
                                   uint32_t *column, asif_error *error) {
    for (uint32_t i = 0; i < k->units.covariates; i++) {
        const char *name;
        for (column[i] = 0; (name = asif_tree_covariate_name(t, column[i])); column[i]++)
            if (strcmp(name, wanted[i]) == 0)
                break;
        if (!name)
            return asif_fail(error, ASIF_EUNKNOWN, "the tree has no covariate `%s`",
                             asif_show(wanted[i]).text);
        k->covariate_name[i] = name;
    }
    return ASIF_OK;
}

static asif_status name_units(kept_units *k, const asif_tree *t, const bool *chosen,
                              const char *const *covariates, asif_error *error) {
    uint64_t units = 0;
    for (uint64_t u = 0; u < t->size.units; u++)
        units += !chosen || chosen[u];
    while (covariates && covariates[k->units.covariates])
        k->units.covariates++;
    uint32_t width = k->units.covariates, *column = ASIF_ARRAY(k->context, width, uint32_t);
    k->number = ASIF_ARRAY(k->context, k->names ? 0 : units * NUMBER_SIZE, char);
    k->name = asif_alloc(k->context, units, sizeof *k->name);
    k->covariate_name = asif_alloc(k->context, width, sizeof *k->covariate_name);
    k->covariate = asif_alloc(k->context, units * width, sizeof *k->covariate);
    asif_status status = column && k->number && k->name && k->covariate_name && k->covariate
                             ? find_covariates(k, t, covariates, column, error)
                             : asif_fail_memory(error);
    for (uint64_t u = 0; status == ASIF_OK && u < t->size.units; u++) {
        uint64_t i = k->units.units;
        if (chosen && !chosen[u])
            continue;
        k->name[i] = asif_tree_unit_name(t, u);
        if (!k->names) {
            asif_format(k->number + i * NUMBER_SIZE, NUMBER_SIZE, "%llu", (unsigned long long)i + 1);
            k->name[i] = k->number + i * NUMBER_SIZE;
        }
        for (uint32_t j = 0; j < width; j++)
            k->covariate[i * width + j] = asif_tree_covariate(t, u, column[j]);
        k->units.units++;
    }
    k->units.name = k->name;
    k->units.covariate_name = k->covariate_name;
    k->units.covariate = k->covariate;
    asif_free(k->context, column);
    return status;
}

static asif_status add_entries(asif_tree_builder *builder, const asif_tree *t, const bool *chosen,
                               const uint32_t *map, asif_error *error) {
    uint64_t unit = 0;
    for (uint64_t u = 0; u < t->size.units; u++) {
        if (chosen && !chosen[u])
            continue;
        for (uint64_t i = t->unit[u]; i < t->unit[u + 1]; i++)
            ASIF_TRY(asif_tree_add_entry(builder, unit, map[t->entry_node[i]], t->entry_action[i],
                                         asif_tree_entry_at(t, i), error));
        unit++;
    }
    return ASIF_OK;
}

/* ---- ends ---- */

/* Add the ends of the chosen units; `number` [ends] becomes the builder's number of each end. */
static asif_status add_ends(asif_tree_builder *builder, const asif_tree *t, const bool *chosen,
                            const uint32_t *map, uint32_t *number, asif_error *error) {
    for (uint64_t i = 0; !chosen && i < t->size.ends; i++)
        ASIF_TRY(asif_tree_add_end(&number[i], builder, map[t->end_node[i]], t->end_action[i],
                                   t->end_observation[i], asif_tree_end_at(t, i), error));
    for (uint64_t u = 0; chosen && u < t->size.units; u++)
        for (uint64_t i = t->unit_end[u]; chosen[u] && i < t->unit_end[u + 1]; i++) {
            uint32_t end = t->ending[i];
            ASIF_TRY(asif_tree_add_end(&number[end], builder, map[t->end_node[end]], t->end_action[end],
                                       t->end_observation[end], asif_tree_ending_at(t, i), error));
        }
    return ASIF_OK;
}

static asif_status add_endings(asif_tree_builder *builder, const asif_tree *t, const bool *chosen,
                               const uint32_t *number, uint64_t unit, asif_error *error) {
    for (uint64_t u = 0; u < t->size.units; u++) {
        if (chosen && !chosen[u])
            continue;
        for (uint64_t i = t->unit_end[u]; i < t->unit_end[u + 1]; i++)
            ASIF_TRY(asif_tree_add_ending(builder, unit, number[t->ending[i]], t->end_action[t->ending[i]],
                                          asif_tree_ending_at(t, i), error));
        unit++;
    }
    return ASIF_OK;
}

asif_status asif_tree_copy_ends(asif_tree_builder *builder, const asif_tree *t, const bool *chosen,
                                const uint32_t *map, uint64_t unit, asif_error *error) {
    uint32_t *number = ASIF_ARRAY(t->context, t->size.ends, uint32_t);
    asif_status status = number ? add_ends(builder, t, chosen, map, number, error) : asif_fail_memory(error);
    if (status == ASIF_OK && unit != ASIF_NO_UNIT)
        status = add_endings(builder, t, chosen, number, unit, error);
    asif_free(t->context, number);
    return status;
}

/* ---- selection ---- */

static asif_status fill(asif_tree_builder *builder, const asif_tree *tree, const bool *chosen, bool units,
                        asif_error *error) {
    const asif_tree_size *n = &tree->size;
    uint32_t *map = ASIF_ARRAY(tree->context, n->nodes, uint32_t);
    bool *reached = ASIF_ARRAY(tree->context, n->nodes, bool);
    asif_status status = map && reached ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        mark(tree, chosen, reached);
        status = add_nodes(builder, tree, reached, map, error);
    }
    if (status == ASIF_OK)
        status = chosen ? add_units(builder, tree, chosen, map, error) : add_all(builder, tree, map, error);
    if (status == ASIF_OK && units)
        status = add_entries(builder, tree, chosen, map, error);
    if (status == ASIF_OK)
        status = asif_tree_copy_ends(builder, tree, chosen, map, units ? 0 : ASIF_NO_UNIT, error);
    if (status == ASIF_OK)
        status = asif_tree_copy_lost(builder, tree, chosen, map, units ? 0 : ASIF_NO_UNIT, error);
    asif_free(tree->context, map);
    asif_free(tree->context, reached);
    return status;
}

/* Make the tree of the chosen units; `kept` NULL: without units. */
static asif_status select_units(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                const kept_units *kept, asif_error *error) {
    const asif_tree_size *n = &tree->size;
    asif_tree_builder *builder;
    ASIF_TRY(asif_tree_begin(&builder, tree->context, (uint32_t)n->starts, n->states_seen, error));
    builder->ends_known = n->ends_known;
    asif_status status = fill(builder, tree, chosen, kept != NULL, error);
    if (status != ASIF_OK) {
        asif_tree_abandon(builder);
        return status;
    }
    asif_tree_labels labels = {(uint32_t)n->actions, (uint32_t)n->observations, tree->name,
                               tree->name + n->actions};
    asif_logs_info info = info_of(tree, chosen);
    status = asif_tree_finish(out, builder, &labels, NULL, NULL, kept ? &kept->units : NULL, &info, error);
    if (status == ASIF_OK && chosen && !n->states_seen) {
        uint64_t longest;
        status = asif_tree_longest(&longest, *out, error);
        if (status == ASIF_OK && longest < info.longest)
            (*out)->info.longest = longest;
    }
    if (status != ASIF_OK) {
        asif_tree_free(*out);
        *out = NULL;
    }
    return status;
}

asif_status asif_tree_select(asif_tree **out, const asif_tree *tree, const bool *chosen, asif_error *error) {
    *out = NULL;
    if (chosen && !tree->size.units)
        return asif_fail(error, ASIF_EINVALID, "the tree was made without units");
    return select_units(out, tree, chosen, NULL, error);
}

asif_status asif_tree_select_units(asif_tree **out, const asif_tree *tree, const bool *chosen,
                                   const char *const *covariates, bool names, asif_error *error) {
    *out = NULL;
    if (!tree->size.units)
        return asif_fail(error, ASIF_EINVALID, "the tree was made without units");
    kept_units kept = {.context = tree->context, .names = names};
    asif_status status = name_units(&kept, tree, chosen, covariates, error);
    if (status == ASIF_OK)
        status = select_units(out, tree, chosen, &kept, error);
    drop_units(&kept);
    return status;
}

/* ---- subjects ---- */

/* The name of a unit's subject; NULL: not known. */
static const char *subject_of(const asif_tree *t, uint64_t unit) {
    const asif_tree_size *n = &t->size;
    if (n->covariates > 0 &&
        strcmp(asif_tree_covariate_name(t, (uint32_t)n->covariates - 1), ASIF_COVARIATE_SUBJECT) == 0)
        return asif_tree_covariate(t, unit, (uint32_t)n->covariates - 1);
    return t->info.subjects == n->units ? asif_tree_unit_name(t, unit) : NULL;
}

/* Number the subjects of all units, and count them: all, and those of the chosen units. `digest` (NULL: none)
 * becomes the digest of all names. */
static asif_status number_subjects(const asif_tree *t, const bool *chosen, uint32_t *number, uint64_t *all,
                                   uint64_t *subjects, char *digest, asif_error *error) {
    asif_names names = {.context = t->context}, here = names;
    asif_sha256 hash;
    uint8_t bytes[ASIF_SHA256_SIZE];
    bool good = true;
    asif_sha256_begin(&hash);
    for (uint64_t u = 0; good && u < t->size.units; u++) {
        const char *label = subject_of(t, u);
        uint32_t before = names.count;
        uint64_t length = strlen(label);
        number[u] = asif_names_add(&names, label, length);
        good = number[u] != ASIF_NO_NAME;
        if (names.count > before)
            asif_sha256_add(&hash, label, length + 1);
        if (good && (!chosen || chosen[u]))
            good = asif_names_add(&here, label, length) != ASIF_NO_NAME;
    }
    asif_sha256_end(&hash, bytes);
    if (digest)
        asif_sha256_text(bytes, digest);
    *all = names.count;
    *subjects = here.count;
    asif_names_free(&names);
    asif_names_free(&here);
    return good ? ASIF_OK : asif_fail_memory(error);
}

/* Make a tree in which the units of a subject are one: they get the same name, and equal names become one
 * unit. */
static asif_status merge_units(asif_tree **out, const asif_tree *t, const bool *chosen,
                               const uint32_t *number, asif_error *error) {
    kept_units kept = {.context = t->context};
    asif_status status = name_units(&kept, t, chosen, NULL, error);
    uint64_t i = 0;
    for (uint64_t u = 0; status == ASIF_OK && u < t->size.units; u++)
        if (!chosen || chosen[u])
            asif_format(kept.number + i++ * NUMBER_SIZE, NUMBER_SIZE, "%lu", (unsigned long)number[u] + 1);
    if (status == ASIF_OK)
        status = select_units(out, t, chosen, &kept, error);
    drop_units(&kept);
    return status;
}

/* Labels are not kept by unit, so that only a tree of all units can have them; its nodes and ends are the
 * same. */
static asif_status keep_labels(asif_tree *to, const asif_tree *from, const bool *chosen, asif_error *error) {
    uint64_t states = from->view.states_labelled, nodes = to->size.nodes * states,
             ends = to->size.ends * states;
    for (uint64_t i = 0; chosen && i < from->size.units; i++)
        if (!chosen[i])
            return ASIF_OK;
    if (states == 0 || to->size.nodes != from->size.nodes || to->size.ends != from->size.ends)
        return ASIF_OK;
    to->node_label = ASIF_ARRAY(to->context, nodes, double);
    to->end_label = ASIF_ARRAY(to->context, ends, double);
    if (!to->node_label || !to->end_label)
        return asif_fail_memory(error);
    memcpy(to->node_label, from->node_label, nodes * sizeof(double));
    memcpy(to->end_label, from->end_label, ends * sizeof(double));
    to->view.states_labelled = from->view.states_labelled;
    to->view.node_label = to->node_label;
    to->view.end_label = to->end_label;
    return ASIF_OK;
}

asif_status asif_tree_by_subject(asif_tree **out, const asif_tree *tree, const bool *chosen, char *digest,
                                 asif_error *error) {
    *out = NULL;
    if (digest)
        *digest = 0;
    if (!tree->size.units || !subject_of(tree, 0))
        return asif_tree_select(out, tree, chosen, error);
    uint32_t *number = ASIF_ARRAY(tree->context, tree->size.units, uint32_t);
    uint64_t all = 0, subjects = 0;
    asif_status status = number ? number_subjects(tree, chosen, number, &all, &subjects, digest, error)
                                : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = tree->info.episodes > all ? merge_units(out, tree, chosen, number, error)
                                           : asif_tree_select(out, tree, chosen, error);
    if (status == ASIF_OK)
        (*out)->info.subjects = subjects;
    asif_free(tree->context, number);
    if (status == ASIF_OK)
        status = keep_labels(*out, tree, chosen, error);
    if (status != ASIF_OK) {
        asif_tree_free(*out);
        *out = NULL;
    }
    return status;
}
