#include "inverse/evidence/folded.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/lattice.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

struct asif_folded {
    const asif_context *context;
    uint64_t states, actions, width, memo_width;
    double *state;           /* [states][width] */
    double *count;           /* [states][actions] */
    double *log_policy;      /* [states][actions]: scratch, as the next three */
    double *state_bar;       /* [states][width] */
    double *memo, *memo_bar; /* [states][memo_width] */
    double *prior_bar;       /* [actions] */
    uint32_t *of_node;       /* [nodes of the tree]: the state of each, ASIF_ANY without decisions */
    /* Of the tree's units, where the counts are its own: how often each took which action in which state. */
    uint64_t *unit;  /* [units + 1]: where its entries begin in the next arrays */
    uint64_t *place; /* state * actions + action, in the order in which the unit was first there */
    double *times;
};

void asif_folded_free(asif_folded *f) {
    if (!f)
        return;
    void *const arrays[] = {f->state,     f->count,   f->log_policy, f->state_bar, f->memo, f->memo_bar,
                            f->prior_bar, f->of_node, f->unit,       f->place,     f->times};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(f->context, arrays[i]);
    asif_free(f->context, f);
}

/* The number of the state of each node that has decisions, ASIF_ANY for the others; returns one more than the
 * largest, or 0 if some state has no number. */
static uint64_t number_nodes(const asif_behavior *b, const asif_tree_view *t, const double *count,
                             const double *state, uint32_t *number) {
    uint64_t most = 0;
    for (uint64_t i = 0; i < t->nodes; i++) {
        bool decided = false;
        for (uint32_t u = 0; u < t->actions; u++)
            decided = decided || count[i * t->actions + u] != 0;
        number[i] = decided ? b->ops->number(b->self, state + i * b->width) : ASIF_ANY;
        if (decided && number[i] == ASIF_ANY)
            return 0;
        if (decided && number[i] >= most)
            most = number[i] + 1ull;
    }
    return most;
}

static asif_status make_room(asif_folded *f, asif_error *error) {
    f->state = ASIF_ARRAY(f->context, f->states * f->width, double);
    f->state_bar = ASIF_ARRAY(f->context, f->states * f->width, double);
    f->count = ASIF_ARRAY(f->context, f->states * f->actions, double);
    f->log_policy = ASIF_ARRAY(f->context, f->states * f->actions, double);
    f->memo = ASIF_ARRAY(f->context, f->states * f->memo_width, double);
    f->memo_bar = ASIF_ARRAY(f->context, f->states * f->memo_width, double);
    f->prior_bar = ASIF_ARRAY(f->context, f->actions, double);
    return f->state && f->state_bar && f->count && f->log_policy && f->memo && f->memo_bar && f->prior_bar
               ? ASIF_OK
               : asif_fail_memory(error);
}

/* Add the counts of the nodes to those of their states. The numbers in `of_node` become indices of states;
 * `place` [most] becomes 1 + the index of a number. */
static asif_status gather(asif_folded *f, const asif_behavior *b, const asif_tree_view *t,
                          const double *count, uint64_t most, uint32_t *place, asif_error *error) {
    for (uint64_t i = 0; i < t->nodes; i++) {
        uint32_t number = f->of_node[i];
        if (number == ASIF_ANY)
            continue;
        if (!place[number])
            place[number] = (uint32_t)++f->states;
        f->of_node[i] = place[number] - 1;
    }
    ASIF_TRY(make_room(f, error));
    for (uint64_t k = 0; k < most; k++)
        if (place[k])
            b->ops->numbered(b->self, (uint32_t)k, f->state + (place[k] - 1) * f->width);
    for (uint64_t i = 0; i < t->nodes; i++)
        for (uint64_t u = 0; f->of_node[i] != ASIF_ANY && u < f->actions; u++)
            f->count[f->of_node[i] * f->actions + u] += count[i * f->actions + u];
    return ASIF_OK;
}

/* Add up the entries of each unit. The order of a unit's places does not depend on the other units. */
static asif_status gather_units(asif_folded *f, const asif_tree_view *t, asif_error *error) {
    uint64_t entries = t->units ? t->unit[t->units] : 0, made = 0;
    uint64_t *known = ASIF_ARRAY(f->context, f->states * f->actions, uint64_t); /* 1 + the entry of a place */
    f->unit = ASIF_ARRAY(f->context, t->units + 1, uint64_t);
    f->place = ASIF_ARRAY(f->context, entries, uint64_t);
    f->times = ASIF_ARRAY(f->context, entries, double);
    bool room = known && f->unit && f->place && f->times;
    for (uint64_t k = 0; room && k < t->units; k++) {
        for (uint64_t e = t->unit[k]; e < t->unit[k + 1]; e++) {
            if (f->of_node[t->entry_node[e]] == ASIF_ANY) /* rows of weight 0 */
                continue;
            uint64_t place = f->of_node[t->entry_node[e]] * f->actions + t->entry_action[e];
            if (known[place] <= f->unit[k]) { /* the unit was not there before */
                f->place[made] = place;
                known[place] = ++made;
            }
            f->times[known[place] - 1] += t->entry_count[e];
        }
        f->unit[k + 1] = made;
    }
    asif_free(f->context, known);
    return room ? ASIF_OK : asif_fail_memory(error);
}

static asif_status fold(asif_folded **out, const asif_behavior *b, const asif_tree_view *t,
                        const double *count, const double *state, asif_error *error) {
    asif_folded *f = ASIF_NEW(b->context, asif_folded);
    if (!f)
        return asif_fail_memory(error);
    *f = (asif_folded){.context = b->context,
                       .actions = t->actions,
                       .width = b->width,
                       .memo_width = b->memo_width,
                       .of_node = ASIF_ARRAY(b->context, t->nodes, uint32_t)};
    uint64_t most = f->of_node ? number_nodes(b, t, count, state, f->of_node) : 0;
    uint32_t *place = ASIF_ARRAY(b->context, most, uint32_t);
    asif_status status = f->of_node && place ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && most)
        status = gather(f, b, t, count, most, place, error);
    if (status == ASIF_OK && most && count == t->count)
        status = gather_units(f, t, error);
    if (status == ASIF_OK && most)
        *out = f;
    else
        asif_folded_free(f);
    asif_free(b->context, place);
    return status;
}

asif_status asif_folded_create(asif_folded **out, const asif_behavior *b, const asif_tree *tree,
                               const double *count, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    double total, first[ASIF_MOST_BELIEF_STATES + 1]; /* after the place, which may lead */
    *out = NULL;
    if (!b->ops->number || t->lost || t->states_seen || t->nodes == 0 ||
        b->width > sizeof first / sizeof *first)
        return ASIF_OK;
    b->ops->init(b->self, 0, ASIF_ANY, first);
    if (b->ops->number(b->self, first) == ASIF_ANY) /* its states have no numbers */
        return ASIF_OK;
    asif_loglik_walk walk = {ASIF_ARRAY(b->context, (uint64_t)t->nodes * b->width, double),
                             ASIF_ARRAY(b->context, (uint64_t)t->nodes * b->memo_width, double),
                             ASIF_ARRAY(b->context, (uint64_t)t->nodes * t->actions, double)};
    asif_status status = walk.state && walk.memo && walk.log_policy
                             ? asif_loglik_keep(&total, b, tree, count, &walk, error)
                             : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = fold(out, b, t, count ? count : t->count, walk.state, error);
    asif_free(b->context, walk.state);
    asif_free(b->context, walk.memo);
    asif_free(b->context, walk.log_policy);
    return status;
}

asif_status asif_folded_loglik_units(double *by_unit, asif_folded *f, const asif_behavior *b,
                                     const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    ASIF_TRY(asif_policies(b, f->states, f->state, f->log_policy, f->memo, error));
    for (uint64_t k = 0; k < t->units; k++) {
        by_unit[k] = 0;
        for (uint64_t e = f->unit[k]; e < f->unit[k + 1]; e++)
            by_unit[k] += f->times[e] * f->log_policy[f->place[e]];
    }
    return ASIF_OK;
}

asif_status asif_folded_loglik(double *total, asif_theta_gradient *gradient, asif_folded *f,
                               const asif_behavior *b, asif_error *error) {
    *total = 0;
    ASIF_TRY(asif_policies(b, f->states, f->state, f->log_policy, f->memo, error));
    *total = b->context->simd->dot_positive(f->count, f->log_policy, f->states * f->actions);
    if (!gradient || !isfinite(*total))
        return ASIF_OK;
    asif_lapse_bars lapse = {0, f->prior_bar};
    memset(f->prior_bar, 0, f->actions * sizeof *f->prior_bar);
    memset(f->state_bar, 0, f->states * f->width * sizeof *f->state_bar);
    memset(f->memo_bar, 0, f->states * f->memo_width * sizeof *f->memo_bar);
    ASIF_TRY(b->pullback->begin(b->self, gradient->matrix != NULL, error));
    ASIF_TRY(asif_policies_pull(b, f->states, f->state, f->log_policy, f->memo, f->count, f->memo_bar,
                                f->state_bar, &lapse, error));
    ASIF_TRY(b->pullback->end(b->self, gradient, error));
    asif_lapse_add(gradient, b, &lapse);
    return ASIF_OK;
}
