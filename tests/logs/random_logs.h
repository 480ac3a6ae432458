/* Random episodes and their trees, and a comparison of trees in all members. */
#ifndef ASIF_TESTS_LOGS_RANDOM_LOGS_H
#define ASIF_TESTS_LOGS_RANDOM_LOGS_H

#include "check.h"

#include "logs/tree/tree_inside.h"
#include "problems.h"

#include <string.h>

enum { MOST_STEPS = 6, MOST_UNITS = 8 };

typedef struct {
    uint32_t start, first, steps; /* first: an observation before the first action, or ASIF_ANY */
    uint64_t unit;
    struct {
        uint32_t action, observation; /* with observed states: the state before the action */
        double weight;
        uint64_t row;
    } step[MOST_STEPS];
} episode;

typedef enum { WEIGHT_ONE, WEIGHT_WHOLE, WEIGHT_EIGHTHS, WEIGHT_ANY } weight_kind;

typedef struct {
    bool states_seen;
    uint32_t actions, observations, starts, units; /* units 0: none */
    weight_kind weights;
    uint32_t episodes;
    episode *episode;
    uint64_t rows;
} random_logs;

static inline uint32_t below(uint32_t n, uint64_t *seed) {
    return (uint32_t)(make_uniform(seed) * n);
}

static inline double random_weight(weight_kind kind, uint64_t *seed) {
    double u = make_uniform(seed);
    if (kind == WEIGHT_ONE)
        return 1;
    if (below(10, seed) == 0)
        return 0;
    return kind == WEIGHT_WHOLE     ? floor(5 * u)
           : kind == WEIGHT_EIGHTHS ? floor(40 * u) / 8
                                    : 3 * u * u * u + 1e-9;
}

static inline random_logs make_logs(uint32_t episodes, uint64_t *seed) {
    random_logs l = {.states_seen = below(4, seed) == 0,
                     .actions = 2 + below(5, seed),
                     .observations = 1 + below(4, seed),
                     .starts = 1 + below(3, seed),
                     .units = below(2, seed) ? 1 + below(MOST_UNITS, seed) : 0,
                     .weights = (weight_kind)below(4, seed),
                     .episodes = episodes,
                     .episode = calloc(episodes + 1u, sizeof(episode))};
    for (uint32_t e = 0; e < episodes; e++) {
        episode *x = &l.episode[e];
        x->start = below(l.starts, seed);
        x->first = below(3, seed) ? ASIF_ANY : below(l.observations, seed);
        x->unit = l.units ? below(l.units, seed) : ASIF_NO_UNIT;
        x->steps = below(MOST_STEPS + 1, seed);
        for (uint32_t i = 0; i < x->steps; i++) {
            /* unequal probabilities, so that histories are shared */
            uint32_t action = below(l.actions, seed), other = below(l.actions, seed);
            x->step[i].action = action < other ? action : other;
            x->step[i].observation = below(5, seed) || l.states_seen ? below(l.observations, seed) : ASIF_ANY;
            x->step[i].weight = random_weight(l.weights, seed);
            x->step[i].row = ++l.rows;
        }
    }
    return l;
}

static inline asif_status add_episode(asif_tree_builder *b, const random_logs *l, const episode *x,
                                      asif_error *error) {
    asif_status status = asif_tree_episode(b, x->start, x->unit, error);
    if (status == ASIF_OK && !l->states_seen && x->first != ASIF_ANY && x->steps)
        status = asif_tree_move(b, 0, x->first, x->step[0].row, error);
    for (uint32_t i = 0; i < x->steps && status == ASIF_OK; i++) {
        uint32_t action = x->step[i].action, seen = x->step[i].observation;
        if (l->states_seen) {
            uint32_t next = i + 1 < x->steps ? x->step[i + 1].observation : ASIF_ANY;
            status = asif_tree_state(b, seen, action, next, x->step[i].weight, x->step[i].row, error);
        } else {
            status = asif_tree_act(b, action, x->step[i].weight, x->step[i].row, error);
            if (status == ASIF_OK)
                status = asif_tree_move(b, action, seen, x->step[i].row, error);
        }
    }
    return status;
}

static const char *const label_text[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
static const char *const unit_text[MOST_UNITS] = {"p10", "p9", "p1", "x", "p010", "", "P9", "p9b"};
static const char *const covariate_text[2 * MOST_UNITS] = {"1", "m", "2", "f", "3", "m", "4", "f",
                                                           "5", "m", "6", "f", "7", "m", "8", "f"};
static const char *const covariate_names[] = {"age", "sex"};

/* What a reader of the table would report about the episodes [from, to). */
static inline asif_logs_info logs_info(const random_logs *l, uint32_t from, uint32_t to) {
    asif_logs_info info = {.subjects = l->units, .sorted = true};
    for (uint32_t e = from; e < to; e++) {
        const episode *x = &l->episode[e];
        info.rows += x->steps;
        info.decisions += x->steps;
        info.episodes++;
        if (x->steps > info.longest)
            info.longest = x->steps;
    }
    return info;
}

/* Make a tree of the episodes order[from..to). */
static inline asif_status make_tree(asif_tree **out, const asif_context *context, const random_logs *l,
                                    const uint32_t *order, uint32_t from, uint32_t to, asif_error *error) {
    *out = NULL;
    asif_tree_builder *b;
    asif_status status = asif_tree_begin(&b, context, l->starts, l->states_seen, error);
    if (status != ASIF_OK)
        return status;
    for (uint32_t e = from; e < to && status == ASIF_OK; e++)
        status = add_episode(b, l, &l->episode[order ? order[e] : e], error);
    if (status != ASIF_OK) {
        asif_tree_abandon(b);
        return status;
    }
    asif_tree_labels labels = {l->actions, l->observations, label_text, label_text};
    asif_tree_units units = {l->units, unit_text, 2, covariate_names, covariate_text};
    asif_logs_info info = logs_info(l, from, to);
    return asif_tree_finish(out, b, &labels, NULL, NULL, l->units ? &units : NULL, &info, error);
}

/* The name of the first array or number in which two trees differ; NULL: none. */
static inline const char *difference(const asif_tree *a, const asif_tree *b) {
    const asif_tree_size *m = &a->size, *n = &b->size;
    if (m->states_seen != n->states_seen || m->fractional != n->fractional || m->actions != n->actions ||
        m->observations != n->observations || m->starts != n->starts || m->covariates != n->covariates)
        return "kind or labels";
    if (m->nodes != n->nodes || m->levels != n->levels)
        return "nodes";
    if (m->transitions != n->transitions || m->units != n->units || m->entries != n->entries ||
        m->text != n->text || m->ends != n->ends || m->endings != n->endings ||
        m->ends_known != n->ends_known)
        return "sizes";
#define X(type, array, elements)                                                                             \
    if (memcmp(a->array, b->array, (size_t)(elements) * sizeof(type)) != 0)                                  \
        return #array;
    ASIF_TREE_ARRAYS(X)
#undef X
    const asif_logs_info *x = &a->info, *y = &b->info;
    if (x->rows != y->rows || x->excluded != y->excluded || x->subjects != y->subjects ||
        x->episodes != y->episodes || x->decisions != y->decisions || x->weight != y->weight ||
        x->nodes != y->nodes || x->longest != y->longest || x->sorted != y->sorted ||
        x->states_seen != y->states_seen)
        return "info";
    return NULL;
}

static inline void shuffle(uint32_t *order, uint32_t n, uint64_t *seed) {
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = below(i, seed), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

#endif
