#include "engine/fixed_point.h"

#include "base/context.h"
#include "base/error.h"
#include "base/linear/direct.h"
#include "base/memory.h"
#include "base/os.h"
#include "engine/places/products.h"

#include <math.h>
#include <string.h>

/* Anderson acceleration nearly always needs fewer backups than this; beyond it Newton's method takes over. */
#define ANDERSON_BACKUPS 60
#define NEWTON_TOLERANCE 1e-4
#define NEAR 0.1 /* relative to the largest value: from such a residual Newton needs two or three steps */
#define GMRES_RESTART 50
#define GMRES_PRODUCTS 1000
/* GMRES may stop far from any tolerance if the chain mixes slowly and the discount is near 1. A system with
 * few enough nodes is then factorised instead. For the smallest systems this costs no more than a few rounds
 * of GMRES, so they are factorised at once the next time. */
#define GMRES_DEFEATED 1e-10
#define DIRECT_NODES 2000
#define SMALL_NODES 200
#define SMALL_PRODUCTS (3 * GMRES_RESTART)
/* The solver stops after so many backups without a smaller residual: rounding then seems to prevent one. */
#define PATIENCE 1000
#define PATIENCE_AT_ROUNDING 20
#define ROUNDING 1e-14

asif_status asif_fixed_point_create(asif_fixed_point *s, const asif_context *context,
                                    asif_successors *successors, const asif_plan_options *options,
                                    asif_error *error) {
    *s = (asif_fixed_point){.options = *options};
    asif_status status = asif_operator_create(&s->op, context, successors, error);
    if (status != ASIF_OK)
        return status;
    s->values = ASIF_ARRAY(context, successors->stride, double);
    s->image = ASIF_ARRAY(context, successors->stride, double);
    s->step = ASIF_ARRAY(context, successors->stride, double);
    if (!s->values || !s->image || !s->step)
        return asif_fail_memory(error);
    return asif_anderson_create(&s->anderson, context, successors->nodes, error);
}

void asif_fixed_point_free(asif_fixed_point *s) {
    const asif_context *context = s->op.context;
    if (!context)
        return;
    asif_free(context, s->values);
    asif_free(context, s->image);
    asif_free(context, s->step);
    asif_anderson_free(&s->anderson);
    asif_gmres_free(&s->gmres);
    asif_merged_free(&s->chain);
    asif_merged_free(&s->spare);
    asif_operator_free(&s->op);
}

/* ---- places that never come again ---- */

/* Adds factor * share of a row of T times x[row] to the columns (transposed), or returns factor times the
 * product of the row with x. */
static double row_of_chain(const asif_operator *op, const double *share, uint64_t row, bool transposed,
                           double *x) {
    const asif_successors *s = op->successors;
    double sum = 0;
    for (uint32_t i = 0; i < op->actives; i++) {
        uint32_t u = op->active[i];
        for (uint32_t j = 0; j < op->futures[u].count; j++) {
            uint32_t branch = op->futures[u].branch[j];
            double part = op->discount * share[((uint64_t)u * op->most_futures + j) * s->stride + row];
            if (transposed)
                asif_branch_scatter_row(s, branch, row, part * x[row], x);
            else
                sum += part * asif_branch_row(s, branch, row, x);
        }
    }
    return sum;
}

/* Solves the systems of asif_fixed_point_linear() exactly, from the last places to the first or, transposed,
 * from the first to the last. */
static void ordered_linear(const asif_operator *op, const double *share, bool transposed, const double *right,
                           double *x) {
    const asif_successors *s = op->successors;
    memcpy(x, right, s->nodes * sizeof *x);
    for (uint32_t i = 0; i < s->links.places; i++) {
        uint32_t place = s->order[transposed ? s->links.places - 1 - i : i];
        uint64_t first = asif_successors_first(s, place), end = first + asif_successors_count(s, place);
        for (uint64_t row = first; row < end; row++)
            x[row] += row_of_chain(op, share, row, transposed, x);
    }
}

static void ordered_solve(asif_fixed_point *s, asif_plan_info *info) {
    const asif_successors *successors = s->op.successors;
    double largest = 0;
    for (uint32_t i = 0; i < successors->links.places; i++) {
        uint32_t place = successors->order[i];
        double here = asif_operator_backup_nodes(&s->op, s->values, asif_successors_first(successors, place),
                                                 asif_successors_count(successors, place));
        largest = here > largest || isnan(here) ? here : largest;
    }
    info->backups = 1;
    info->scale = largest > 1 ? largest : 1;
    info->stop = isfinite(largest) ? ASIF_STOP_CONVERGED : ASIF_STOP_NONFINITE;
    if (!isfinite(largest))
        memset(s->values, 0, successors->stride * sizeof *s->values);
}

/* ---- linear systems with the agent's chain ---- */

typedef struct {
    const asif_operator *op;
    const double *share;
    bool transposed;
    double *scratch;
    const asif_merged *merged; /* NULL: products run over the branches */
} chain;

static void chain_product(void *user, const double *x, double *y) {
    const chain *c = user;
    if (c->merged) {
        asif_merged_rest(c->merged, c->op->successors->nodes, c->op->discount, x, y);
        return;
    }
    if (c->transposed)
        asif_operator_pull(c->op, c->share, x, y, c->scratch);
    else
        asif_operator_push(c->op, c->share, x, y);
    for (uint32_t i = 0; i < c->op->successors->nodes; i++)
        y[i] = x[i] - c->op->discount * y[i];
}

asif_status asif_fixed_point_linear(asif_fixed_point *s, const double *share, bool transposed,
                                    const double *right, double *x, double tol, double *reached,
                                    uint64_t *products, asif_error *error) {
    const asif_context *context = s->op.context;
    const asif_successors *successors = s->op.successors;
    if (successors->order) {
        ordered_linear(&s->op, share, transposed, right, x);
        *reached = 0;
        *products += 1;
        return ASIF_OK;
    }
    bool small = successors->nodes <= SMALL_NODES, solved = false;
    if (!s->gmres.basis) {
        /* The length of the vectors is the stride, not the number of nodes, because products write whole
         * slices; the numbers beyond the nodes stay 0. */
        asif_status status = asif_gmres_create(&s->gmres, context, successors->stride, GMRES_RESTART, error);
        if (status != ASIF_OK)
            return status;
    }
    double *scratch = transposed ? ASIF_ARRAY(context, successors->stride, double) : NULL;
    if (transposed && !scratch)
        return asif_fail_memory(error);
    chain c = {&s->op, share, transposed, scratch, NULL};
    if (asif_merged_fits(&s->op)) {
        asif_status status = asif_merged_make(&s->chain, &s->spare, &s->op, share, transposed, error);
        if (status != ASIF_OK) {
            asif_free(context, scratch);
            return status;
        }
        c.merged = &s->chain;
    }
    *reached = INFINITY;
    if (!small || !s->stubborn)
        *reached = asif_gmres_solve(&s->gmres, chain_product, &c, right, x, tol,
                                    small ? SMALL_PRODUCTS : GMRES_PRODUCTS, products);
    asif_status status = ASIF_OK;
    if (*reached > fmax(tol, GMRES_DEFEATED) && successors->nodes <= DIRECT_NODES) {
        status = asif_direct_solve(context, successors->nodes, successors->stride, chain_product, &c, right,
                                   x, &solved, error);
        *products += successors->nodes;
        s->stubborn = true;
        if (solved)
            *reached = 0;
    }
    asif_free(context, scratch);
    return status;
}

/* ---- the solver ---- */

typedef enum { ANDERSON, NEWTON, PLAIN } phase;

typedef struct {
    phase phase;
    uint64_t left;      /* backups until the next phase begins */
    uint64_t allowance; /* backups of the next Anderson phase */
    uint32_t failures;  /* Newton phases that failed */
    double best;        /* smallest residual so far */
    uint64_t since;     /* backups since `best` was reached */
    double before;      /* residual before the last Newton step */
    bool restarted;
} progress;

static void plain_step(asif_fixed_point *s) {
    memcpy(s->values, s->image, s->op.successors->nodes * sizeof *s->values);
}

static asif_status newton_step(asif_fixed_point *s, asif_plan_info *info, asif_error *error) {
    uint32_t nodes = s->op.successors->nodes;
    double *residual = s->image, reached;
    for (uint32_t i = 0; i < nodes; i++)
        residual[i] -= s->values[i];
    memset(s->step, 0, s->op.successors->stride * sizeof *s->step);
    asif_status status = asif_operator_linearise(&s->op, s->values, s->op.a, error);
    if (status == ASIF_OK)
        status = asif_fixed_point_linear(s, s->op.share, false, residual, s->step, NEWTON_TOLERANCE, &reached,
                                         &info->linear_products, error);
    for (uint32_t i = 0; i < nodes; i++)
        s->values[i] += s->step[i];
    return status;
}

/* A plain step always brings the values nearer to the fixed point, because B is a contraction: it follows
 * where Anderson or Newton fails. */
static asif_status next_point(asif_fixed_point *s, progress *p, double residual, asif_plan_info *info,
                              asif_error *error) {
    switch (p->phase) {
    case ANDERSON:
        if (residual > 100 * p->best) {
            asif_anderson_forget(&s->anderson);
            plain_step(s);
        } else {
            asif_anderson_step(&s->anderson, s->values, s->image, s->values);
        }
        if (--p->left == 0) {
            p->phase = NEWTON;
            p->before = INFINITY;
        }
        return ASIF_OK;
    case NEWTON:
        if (residual > 0.5 * p->before) {
            p->failures++;
            p->phase = PLAIN;
            p->left = 10ull << (p->failures < 20 ? p->failures : 20);
            plain_step(s);
            return ASIF_OK;
        }
        p->before = residual;
        return newton_step(s, info, error);
    case PLAIN:
        plain_step(s);
        if (--p->left == 0) {
            asif_anderson_forget(&s->anderson);
            p->phase = ANDERSON;
            p->left = p->allowance *= 2;
        }
        return ASIF_OK;
    }
    return ASIF_OK;
}

/* Decides whether the solver stops, and why. */
static bool stops(const asif_fixed_point *s, progress *p, const asif_plan_info *info, double begun,
                  asif_stop *stop) {
    const asif_plan_options *o = &s->options;
    if (info->residual < p->best) {
        p->best = info->residual;
        p->since = 0;
    } else {
        p->since++;
    }
    if (info->residual <=
        fmin(o->tol, ASIF_VALUES_KNOWN * (1 - s->op.discount) / s->op.discount) * info->scale)
        *stop = ASIF_STOP_CONVERGED;
    else if (p->since > (p->best <= ROUNDING * info->scale ? PATIENCE_AT_ROUNDING : PATIENCE))
        *stop = ASIF_STOP_STALLED;
    else if (info->backups >= o->max_backups)
        *stop = ASIF_STOP_BACKUPS;
    else if (o->time_limit_sec > 0 && asif_os_seconds() - begun > o->time_limit_sec)
        *stop = ASIF_STOP_TIME;
    else if (info->backups % 16 == 0 && asif_progress(s->op.context, "planning", -1))
        *stop = ASIF_STOP_CANCELLED;
    else
        return false;
    return true;
}

asif_status asif_fixed_point_solve(asif_fixed_point *s, const asif_theta *theta, asif_plan_info *info,
                                   asif_error *error) {
    double begun = asif_os_seconds(), largest;
    asif_status status = asif_operator_bind(&s->op, theta, error);
    if (status != ASIF_OK)
        return status;
    *info = (asif_plan_info){.nodes = s->op.successors->nodes};
    if (s->op.successors->order) {
        ordered_solve(s, info);
        s->solved = info->stop != ASIF_STOP_NONFINITE;
        info->seconds = asif_os_seconds() - begun;
        return ASIF_OK;
    }
    bool factorises = s->stubborn && s->op.successors->nodes <= SMALL_NODES;
    progress p = {.phase = s->options.newton_only || factorises ? NEWTON : ANDERSON,
                  .left = ANDERSON_BACKUPS,
                  .allowance = ANDERSON_BACKUPS,
                  .best = INFINITY,
                  .before = INFINITY};
    asif_anderson_forget(&s->anderson);
    for (;;) {
        asif_operator_backup(&s->op, s->values, s->image, &info->residual, &largest);
        info->backups++;
        info->scale = largest > 1 ? largest : 1;
        if (!isfinite(info->residual) || !isfinite(largest)) {
            info->stop = ASIF_STOP_NONFINITE;
            memset(s->values, 0, s->op.successors->stride * sizeof *s->values);
            /* The start, or a step that was too long, may be the cause: the solver tries once more from 0. */
            if (p.restarted)
                break;
            p = (progress){.phase = ANDERSON,
                           .left = ANDERSON_BACKUPS,
                           .allowance = ANDERSON_BACKUPS,
                           .best = INFINITY,
                           .before = INFINITY,
                           .restarted = true};
            asif_anderson_forget(&s->anderson);
            continue;
        }
        if (stops(s, &p, info, begun, &info->stop)) {
            plain_step(s); /* B is a contraction: the image is nearer to the fixed point */
            break;
        }
        /* Newton comes first near the solution of a chain over states: its products cost less than backups,
         * which take an exponential for every action. */
        if (info->backups == 1 && !s->op.successors->beliefs && info->residual <= NEAR * info->scale)
            p.phase = NEWTON;
        status = next_point(s, &p, info->residual, info, error);
        if (status != ASIF_OK)
            return status;
    }
    s->solved = info->stop != ASIF_STOP_NONFINITE;
    info->bound = s->op.discount / (1 - s->op.discount) * info->residual;
    info->seconds = asif_os_seconds() - begun;
    return ASIF_OK;
}
