#include "people/likelihoods.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "inverse/evidence/folded.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "theta/theta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((uint64_t)2 << 30) /* of the likelihoods of a block */
#define MOST_ROWS 32768            /* of a block */
/* Bytes of the agents' values, which later blocks need; above, agents are solved again for each block. */
#define SOLUTIONS ((uint64_t)1 << 29)

typedef struct {
    asif_work *work;
    asif_theta *theta[ASIF_MANY];
    double *by_unit;     /* [rows of a block][ASIF_MANY] */
    bool tried;          /* to fold the block, which needs a solved agent */
    asif_folded *folded; /* NULL: it cannot be folded */
    uint64_t unit;       /* of the block, that is being handed over */
    asif_status status;
    asif_error error;
} worker;

typedef struct {
    const asif_unit_likelihoods *u;
    const double *x;
    uint64_t points;
    uint32_t workers;
    worker *worker;
    asif_tree *tree;     /* of the block: its units are its rows */
    uint64_t rows, most; /* of the block, of any block */
    uint64_t *order;     /* [most]: rows of the block by their units */
    double *value;       /* [most][points] */
    /* Of the agents that the first block solved together, in order of the points that have one; NULL: there
     * is one block, or too many numbers. */
    uint64_t nodes;
    double *solution; /* [points][nodes] */
    bool *solved;     /* [points] */
    bool later;       /* the block is not the first */
    asif_take_row *take;
    void *taker;
} evaluation;

uint32_t asif_unit_workers(const asif_context *context) {
    return context->options.threads ? context->options.threads : 1;
}

/* ---- one block: points shared by the workers ---- */

/* The likelihoods of the block's units, of the agent that was solved last. */
static asif_status by_unit_alone(const evaluation *e, worker *w, asif_error *error) {
    const asif_behavior *behavior = asif_work_behavior(w->work);
    asif_loglik_options o = ASIF_LOGLIK_OPTIONS_INIT;
    double total;
    if (!w->tried)
        ASIF_TRY(asif_folded_create(&w->folded, behavior, e->tree, NULL, error));
    w->tried = true;
    o.by_unit = w->by_unit;
    return w->folded ? asif_folded_loglik_units(w->by_unit, w->folded, behavior, e->tree, error)
                     : asif_loglik(&total, behavior, e->tree, &o, error);
}

static asif_status alone(evaluation *e, worker *w, uint64_t point, asif_error *error) {
    asif_plan_info info;
    asif_status status = asif_estimates_theta(
        e->u->estimates, e->x + point * asif_estimates_dimension(e->u->estimates), w->theta[0], error);
    bool found = status == ASIF_OK;
    if (status == ASIF_EDOMAIN)
        asif_error_clear(error);
    else if (status != ASIF_OK)
        return status;
    if (found) {
        asif_work_forget(w->work);
        ASIF_TRY(asif_solve(w->work, w->theta[0], &info, error));
        found = info.stop != ASIF_STOP_NONFINITE;
    }
    if (found)
        ASIF_TRY(asif_plan_judge(&info, error));
    if (found)
        ASIF_TRY(by_unit_alone(e, w, error));
    for (uint64_t k = 0; k < e->rows; k++)
        e->value[k * e->points + point] = found && !isnan(w->by_unit[k]) ? w->by_unit[k] : -INFINITY;
    return ASIF_OK;
}

/* The agents of the points from `first` on: those of an earlier block, or solved. */
static asif_status solve_together(evaluation *e, worker *w, uint64_t first, const asif_theta *const *theta,
                                  uint32_t count, bool *solved, asif_error *error) {
    if (e->solution && e->later) {
        memcpy(solved, e->solved + first, count * sizeof *solved);
        return asif_work_restore_many(w->work, theta, count, solved, e->solution + first * e->nodes, error);
    }
    ASIF_TRY(asif_work_solve_many(w->work, theta, count, solved, error));
    for (uint32_t k = 0; e->solution && k < count; k++) {
        e->solved[first + k] = solved[k];
        if (solved[k])
            asif_work_many_values(w->work, k, e->solution + (first + k) * e->nodes);
    }
    return ASIF_OK;
}

/* At most ASIF_MANY points from `first`. */
static asif_status together(evaluation *e, worker *w, uint64_t first, uint32_t count, asif_error *error) {
    const asif_theta *theta[ASIF_MANY];
    uint64_t d = asif_estimates_dimension(e->u->estimates);
    bool solved[ASIF_MANY] = {false}, lost[ASIF_MANY] = {false}, any = false;
    uint32_t at[ASIF_MANY], inside = 0;
    bool done[ASIF_MANY] = {false};
    for (uint32_t i = 0; i < count; i++) {
        theta[inside] = w->theta[inside];
        if (asif_estimates_theta(e->u->estimates, e->x + (first + i) * d, w->theta[inside], NULL) == ASIF_OK)
            at[inside++] = i;
    }
    ASIF_TRY(solve_together(e, w, first, theta, inside, solved, error));
    for (uint32_t k = 0; k < inside; k++)
        any = any || solved[k];
    if (any) {
        const asif_many_behavior *many = asif_work_many(w->work);
        ASIF_TRY(asif_loglik_many_units(w->by_unit, lost, many, e->tree, error));
        for (uint32_t k = 0; k < inside; k++)
            done[at[k]] = solved[k] && !lost[k];
        for (uint64_t r = 0; r < e->rows; r++)
            for (uint32_t k = 0; k < inside; k++) {
                double v = w->by_unit[r * many->lanes + k];
                if (done[at[k]])
                    e->value[r * e->points + first + at[k]] = isnan(v) ? -INFINITY : v;
            }
    }
    for (uint32_t i = 0; i < count; i++)
        if (!done[i])
            ASIF_TRY(alone(e, w, first + i, error));
    return ASIF_OK;
}

static void work_on_points(void *argument, uint32_t i) {
    evaluation *e = argument;
    worker *w = &e->worker[i];
    uint64_t chunks = (e->points + ASIF_MANY - 1) / ASIF_MANY;
    for (uint64_t c = i; c < chunks && w->status == ASIF_OK; c += e->workers) {
        uint64_t left = e->points - c * ASIF_MANY;
        w->status = together(e, w, c * ASIF_MANY, left < ASIF_MANY ? (uint32_t)left : ASIF_MANY, &w->error);
    }
}

static void hand_over(void *argument, uint32_t i) {
    evaluation *e = argument;
    for (uint64_t k = i; k < e->rows; k += e->workers) {
        e->worker[i].unit = k;
        e->take(e->taker, i, e->order[k], e->value + k * e->points);
    }
}

static void unfold(worker *w) {
    asif_folded_free(w->folded);
    w->folded = NULL;
    w->tried = false;
}

/* Points as those of a block with this one unit. */
static asif_status evaluate_alone(const evaluation *from, worker *w, const double *x, uint64_t points,
                                  double *out, asif_error *error) {
    evaluation e = {.u = from->u, .x = x, .points = points, .rows = 1, .most = 1, .value = out};
    bool *chosen = ASIF_ARRAY(from->u->context, from->rows, bool);
    if (!chosen)
        return asif_fail_memory(error);
    chosen[w->unit] = true;
    asif_status status = asif_tree_select_units(&e.tree, from->tree, chosen, NULL, false, error);
    asif_free(from->u->context, chosen);
    unfold(w);
    for (uint64_t first = 0; status == ASIF_OK && first < points; first += ASIF_MANY)
        status = together(&e, w, first, points - first < ASIF_MANY ? (uint32_t)(points - first) : ASIF_MANY,
                          error);
    unfold(w);
    asif_tree_free(e.tree);
    return status;
}

asif_status asif_unit_likelihoods_more(const asif_unit_likelihoods *likelihoods, uint32_t by, const double *x,
                                       uint64_t points, double *out, asif_error *error) {
    const evaluation *e = likelihoods->evaluation;
    return evaluate_alone(e, &e->worker[by], x, points, out, error);
}

/* ---- blocks ---- */

static uint64_t row_at(const asif_unit_likelihoods *u, uint64_t i) {
    return u->chosen ? u->chosen[i] : i;
}

typedef struct {
    uint64_t unit, number;
} unit_place;

static int by_unit(const void *a, const void *b) {
    const unit_place *x = a, *y = b;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Make the tree of rows [first, first + rows) of those chosen, whose units are in the order of `tree`. */
static asif_status cut_block(evaluation *e, uint64_t first, bool *chosen, unit_place *place,
                             asif_error *error) {
    const asif_unit_rows *r = e->u->rows;
    memset(chosen, 0, r->units * sizeof *chosen);
    for (uint64_t k = 0; k < e->rows; k++) {
        place[k] = (unit_place){r->unit[row_at(e->u, first + k)], first + k};
        chosen[place[k].unit] = true;
    }
    qsort(place, (size_t)e->rows, sizeof *place, by_unit);
    for (uint64_t k = 0; k < e->rows; k++)
        e->order[k] = place[k].number;
    return asif_tree_select_units(&e->tree, r->tree, chosen, NULL, false, error);
}

static asif_status run_block(evaluation *e, uint64_t first, bool *chosen, unit_place *place,
                             asif_error *error) {
    const asif_unit_likelihoods *u = e->u;
    if (asif_progress(u->context, u->what ? u->what : "units",
                      u->from + (u->to - u->from) * (double)first / (double)u->count))
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    e->rows = u->count - first < e->most ? u->count - first : e->most;
    e->later = first > 0;
    ASIF_TRY(cut_block(e, first, chosen, place, error));
    asif_os_parallel(e->workers, e->workers, work_on_points, e);
    asif_status status = ASIF_OK;
    for (uint32_t i = 0; i < e->workers && status == ASIF_OK; i++) {
        status = e->worker[i].status;
        if (status != ASIF_OK && error)
            *error = e->worker[i].error;
    }
    if (status == ASIF_OK)
        asif_os_parallel(e->workers, e->workers, hand_over, e);
    for (uint32_t i = 0; i < e->workers; i++)
        unfold(&e->worker[i]);
    asif_tree_free(e->tree);
    e->tree = NULL;
    return status;
}

/* Start all solves from the values of one agent, which saves backups; see asif_target. */
static asif_status anchor(worker *w, const asif_unit_likelihoods *u, asif_error *error) {
    asif_plan_info info;
    asif_work_forget(w->work);
    asif_status status = asif_solve(w->work, asif_estimates_given(u->estimates), &info, error);
    if (status == ASIF_ENOMEM)
        return status;
    if (status != ASIF_OK || info.stop != ASIF_STOP_CONVERGED || !asif_work_has_many(w->work)) {
        asif_error_clear(error);
        return ASIF_OK;
    }
    return asif_work_start_many(w->work, asif_work_values(w->work), error);
}

static asif_status open_worker(worker *w, const evaluation *e, asif_error *error) {
    ASIF_TRY(asif_work_clone(&w->work, e->u->work, error));
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        ASIF_TRY(asif_theta_create(&w->theta[i], e->u->context, asif_work_setting(w->work), error));
    w->by_unit = asif_realloc(e->u->context, NULL, e->most * ASIF_MANY, sizeof *w->by_unit);
    return w->by_unit ? anchor(w, e->u, error) : asif_fail_memory(error);
}

static void close_worker(worker *w, const asif_context *context) {
    asif_work_free(w->work);
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        asif_theta_free(w->theta[i]);
    asif_free(context, w->by_unit);
}

/* Room for the solutions, where they are needed again. */
static asif_status open_solutions(evaluation *e, asif_error *error) {
    const asif_context *context = e->u->context;
    e->nodes = asif_work_nodes(e->u->work);
    if (e->u->count <= e->most || !asif_work_has_many(e->u->work) ||
        e->points > SOLUTIONS / sizeof(double) / (e->nodes + 1))
        return ASIF_OK;
    e->solution = asif_realloc(context, NULL, e->points * e->nodes + 1, sizeof *e->solution);
    e->solved = ASIF_ARRAY(context, e->points, bool);
    return e->solution && e->solved ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_unit_likelihoods_evaluate(void *user, const double *x, uint64_t points, asif_take_row *take,
                                           void *taker, asif_error *error) {
    asif_unit_likelihoods *u = user;
    const asif_context *context = u->context;
    evaluation e = {.u = u,
                    .x = x,
                    .points = points,
                    .workers = asif_unit_workers(context),
                    .take = take,
                    .taker = taker};
    e.most = (u->memory ? u->memory : MEMORY) / sizeof(double) / (points + 1);
    e.most = e.most < 64 ? 64 : e.most > MOST_ROWS ? MOST_ROWS : e.most;
    e.most = e.most < u->count ? e.most : u->count;
    e.worker = ASIF_ARRAY(context, e.workers, worker);
    e.order = ASIF_ARRAY(context, e.most, uint64_t);
    e.value = asif_realloc(context, NULL, e.most * points + 1, sizeof *e.value);
    bool *chosen = ASIF_ARRAY(context, u->rows->units, bool);
    unit_place *place = ASIF_ARRAY(context, e.most, unit_place);
    asif_status status =
        e.worker && e.order && e.value && chosen && place ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = open_solutions(&e, error);
    for (uint32_t i = 0; status == ASIF_OK && i < e.workers; i++)
        status = open_worker(&e.worker[i], &e, error);
    u->evaluation = &e;
    for (uint64_t first = 0; status == ASIF_OK && first < u->count; first += e.most)
        status = run_block(&e, first, chosen, place, error);
    u->evaluation = NULL;
    for (uint32_t i = 0; e.worker && i < e.workers; i++)
        close_worker(&e.worker[i], context);
    void *const arrays[] = {e.worker, e.order, e.value, chosen, place, e.solution, e.solved};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}
