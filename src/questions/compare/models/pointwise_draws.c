#include "questions/compare/models/pointwise.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>

#define BLOCK 64 /* draws that are solved one after the other, from the same first solution */

typedef struct {
    double *value;
    const asif_fitted *fitted;
    const asif_draws_view *draws;
    const asif_units *units;
    const uint32_t *step; /* [nodes]; NULL: all decisions count */
    uint32_t only;
    asif_target *target;
    asif_status *status; /* [blocks] */
    asif_error *error;   /* [blocks] */
} work;

/* The working space of one block. */
typedef struct {
    asif_target *target;
    double *number, *x;
    asif_loglik_walk walk;
} room;

static void room_free(const asif_context *c, room *r) {
    asif_target_free(r->target);
    double *const arrays[] = {r->number, r->x, r->walk.state, r->walk.memo, r->walk.log_policy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
}

static asif_status make_walk(const work *w, room *r, const asif_behavior *b, asif_error *error) {
    const asif_context *c = w->fitted->context;
    const asif_tree_view *tree = asif_tree_inside(w->units->tree);
    if (r->walk.log_policy)
        return ASIF_OK;
    ASIF_TRY(asif_loglik_check(b, w->units->tree, error));
    r->walk.state = ASIF_ARRAY(c, (uint64_t)tree->nodes * b->width, double);
    r->walk.memo = ASIF_ARRAY(c, (uint64_t)tree->nodes * b->memo_width, double);
    r->walk.log_policy = ASIF_ARRAY(c, (uint64_t)tree->nodes * tree->actions, double);
    return r->walk.state && r->walk.memo && r->walk.log_policy ? ASIF_OK : asif_fail_memory(error);
}

/* The log-likelihood of one kind, from the policies at all nodes. */
static double sum_of(const work *w, uint64_t kind, const double *log_policy) {
    const asif_units *u = w->units;
    const asif_tree_view *tree = asif_tree_inside(u->tree);
    uint64_t unit = u->example[kind];
    double sum = 0;
    for (uint64_t e = u->begin[unit]; e < u->begin[unit + 1]; e++)
        if (!w->step || w->step[u->node[e]] == w->only)
            sum +=
                u->count[u->at[e]] * log_policy[(uint64_t)u->node[e] * tree->actions + u->action[u->at[e]]];
    for (uint64_t k = tree->lost ? tree->unit_lost[unit] : 0;
         k < (tree->lost ? tree->unit_lost[unit + 1] : 0); k++)
        sum += tree->lost_weight[k] * asif_lost_log(tree, k, log_policy);
    return sum;
}

static asif_status at_draw(const work *w, room *r, uint64_t draw, asif_error *error) {
    const asif_draws_view *view = w->draws;
    uint64_t all = view->chains * view->draws;
    const asif_work *solved;
    double total;
    for (uint32_t i = 0; i < view->columns; i++)
        r->number[i] = view->value[i * all + draw];
    asif_estimates_locate(w->fitted->estimates, r->number, r->x);
    ASIF_TRY(asif_target_solve(r->target, r->x, &solved, error));
    const asif_behavior *b = asif_work_behavior(solved);
    ASIF_TRY(make_walk(w, r, b, error));
    ASIF_TRY(asif_loglik_keep(&total, b, w->units->tree, NULL, &r->walk, error));
    for (uint64_t k = 0; k < w->units->kinds; k++) {
        double value = sum_of(w, k, r->walk.log_policy);
        if (!isfinite(value))
            return asif_fail(error, ASIF_EDOMAIN,
                             "the likelihood of what a unit did is not finite at draw %llu",
                             (unsigned long long)draw + 1);
        w->value[k * all + draw] = value;
    }
    return ASIF_OK;
}

static void block(void *argument, uint32_t i) {
    const work *w = argument;
    const asif_context *c = w->fitted->context;
    uint64_t all = w->draws->chains * w->draws->draws, first = (uint64_t)i * BLOCK;
    room r = {.number = ASIF_ARRAY(c, w->draws->columns, double),
              .x = ASIF_ARRAY(c, asif_estimates_dimension(w->fitted->estimates), double)};
    asif_status status = r.number && r.x ? ASIF_OK : asif_fail_memory(&w->error[i]);
    if (status == ASIF_OK)
        status = asif_target_clone(&r.target, w->target, &w->error[i]);
    for (uint64_t d = first; status == ASIF_OK && d < all && d < first + BLOCK; d++)
        status = at_draw(w, &r, d, &w->error[i]);
    w->status[i] = status;
    room_free(c, &r);
}

static asif_status run_blocks(work *w, asif_error *error) {
    const asif_context *c = w->fitted->context;
    uint64_t blocks = (w->draws->chains * w->draws->draws + BLOCK - 1) / BLOCK;
    if (blocks > UINT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "there are too many draws");
    w->status = ASIF_ARRAY(c, blocks, asif_status);
    w->error = ASIF_ARRAY(c, blocks, asif_error);
    asif_status status = w->status && w->error ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_os_parallel(c->options.threads, (uint32_t)blocks, block, w);
    for (uint64_t i = 0; status == ASIF_OK && i < blocks; i++) {
        status = w->status[i];
        if (status != ASIF_OK && error)
            *error = w->error[i];
    }
    asif_free(c, w->status);
    asif_free(c, w->error);
    return status;
}

asif_status asif_pointwise_draws(double *value, const asif_fitted *fitted, const asif_draws *draws,
                                 const asif_units *units, const uint32_t *step, uint32_t only,
                                 asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    work w = {.value = value, .fitted = fitted, .draws = &view, .units = units, .step = step, .only = only};
    options.inverse = fitted->inverse;
    options.inverse_options = fitted->inverse_options;
    ASIF_TRY(asif_draws_get(draws, &view, error));
    ASIF_TRY(asif_target_create(&w.target, fitted->work, fitted->estimates, units->tree, &options, error));
    asif_status status = run_blocks(&w, error);
    asif_target_free(w.target);
    return status;
}
