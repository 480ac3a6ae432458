/* The resolution of a fit, chosen so that the lattice of beliefs changes the log-likelihood only a little
 * where the posterior is.
 *
 * The posterior on a lattice is the exact one times exp(d), where d is the error of the log-likelihood. A
 * constant error changes nothing. If the standard deviation of d under the posterior is e, every mean moves
 * by at most about e standard deviations, so e has to be small. It is estimated from the differences between
 * a lattice and one of twice its resolution, at the maximum and one standard deviation to both sides of it
 * along the axes of the normal approximation.
 *
 * If each lattice of twice the resolution has r times the error, the error of the coarser one is the
 * difference over 1 - r. Interpolation is of second order where values are smooth, so that r is 1/4. Near
 * certainty they may not be: each observation changes the odds by a factor, values have ever finer detail
 * there, and r is 1/2. So r is taken from three lattices; from two it is not known, and taken to be 1/2. */
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/problems.h"
#include "engine/lattice.h"
#include "fit/fit.h"
#include "inverse/inverse.h"
#include "sample/evaluate_many.h"
#include "setting/setting.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define COARSE_NODES 250   /* most nodes of the first lattice */
#define COARSE_MOST 20     /* most intervals on an edge of the first lattice */
#define DIRECT_NODES 4000  /* above them, a coarser lattice is sought for all but the weights of draws */
#define CORRECTABLE 0.7    /* nats: the error of a lattice whose draws can be weighted on a finer one */
#define STEPS 16           /* lattices that are tried, at most */
#define FINEST_NODES 70000 /* most nodes of any lattice */
#define FAR 0.5            /* nats: above this error the maximum is sought again on the finer lattice */
#define SECOND_ORDER 0.25  /* how much of the error is left with twice the resolution */
#define FIRST_ORDER 0.5
#define SHRINKS 0.8 /* above it, the error does not shrink */

typedef struct {
    asif_whole_fit *whole;
    asif_estimates *estimates; /* made on the first lattice, used on all */
    uint32_t n, points;
    double *maximum, *covariance, *scale;
    double *x;             /* [points][n] */
    double *coarse, *fine; /* [points]: log-densities */
    uint32_t steps;
    struct {
        uint32_t resolution;
        double error;
    } step[STEPS]; /* the lattices that were compared with finer ones */
} choosing;

static asif_status make_work(const choosing *c, uint32_t resolution, asif_work **out, asif_error *error) {
    const asif_study *study = c->whole->request.study;
    asif_plan_options solver = c->whole->solver;
    solver.resolution = resolution;
    return asif_work_create(out, c->whole->context, asif_study_planner(study), asif_study_setting(study),
                            &solver, error);
}

static asif_status make_target(const choosing *c, const asif_work *work, asif_target **out,
                               asif_error *error) {
    const asif_fit_options *how = &c->whole->how;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    options.inverse = how->inverse;
    options.inverse_options = how->inverse_options;
    options.count = how->count;
    return asif_target_create(out, work, c->estimates, c->whole->request.logs, &options, error);
}

/* ---- where the posterior is ---- */

static asif_status take_room(choosing *c, asif_error *error) {
    const asif_context *context = c->whole->context;
    uint64_t n = c->n = asif_estimates_dimension(c->estimates);
    c->points = 2 * c->n + 1;
    double *room = ASIF_ARRAY(context, 2 * n + n * n + c->points * (n + 2), double);
    if (!room)
        return asif_fail_memory(error);
    c->maximum = room;
    c->scale = c->maximum + n;
    c->covariance = c->scale + n;
    c->x = c->covariance + n * n;
    c->coarse = c->x + c->points * n;
    c->fine = c->coarse + c->points;
    asif_estimates_scale(c->estimates, c->scale);
    return ASIF_OK;
}

/* Place the points: the maximum, and one standard deviation to both sides of it along each axis. `covariance`
 * becomes its Cholesky factor. */
static asif_status place_points(choosing *c, asif_error *error) {
    uint32_t n = c->n;
    if (!asif_cholesky(c->covariance, n))
        return asif_fail(error, ASIF_EDOMAIN, "the curvature at the maximum cannot be computed");
    for (uint32_t k = 0; k < c->points; k++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t axis = (k - 1) / 2;
            double away = k > 0 && i >= axis ? c->covariance[i * (uint64_t)n + axis] : 0;
            c->x[k * (uint64_t)n + i] = c->maximum[i] + (k % 2 ? away : -away);
        }
    return ASIF_OK;
}

/* Find the maximum and the curvature on the first lattice, by a search from several starts. */
static asif_status first_look(choosing *c, const asif_work *work, asif_error *error) {
    asif_fit_options how;
    asif_fit *fit = NULL;
    asif_fit_defaults(&how, ASIF_FIT_MAP);
    how.inverse = c->whole->how.inverse;
    how.inverse_options = c->whole->how.inverse_options;
    how.count = c->whole->how.count;
    how.starts = c->whole->how.starts;
    how.sample.seed = c->whole->how.sample.seed;
    how.draws_only = true;
    ASIF_TRY(asif_fit_estimate(&fit, c->whole->context, work, c->estimates, c->whole->request.logs, &how,
                               NULL, error));
    memcpy(c->maximum, fit->maximum, c->n * sizeof *c->maximum);
    memcpy(c->covariance, fit->covariance, (uint64_t)c->n * c->n * sizeof *c->covariance);
    asif_fit_free(fit);
    return place_points(c, error);
}

/* Find the maximum and the curvature on a finer lattice, from the maximum of the coarser one. */
static asif_status look_again(choosing *c, const asif_density *density, double *curvature,
                              asif_error *error) {
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    double *start = curvature; /* scratch: `curvature` is filled later */
    memcpy(start, c->maximum, c->n * sizeof *start);
    options.start = start;
    options.scale = c->scale;
    ASIF_TRY(asif_maximise(c->maximum, c->whole->context, density, 1, &options, NULL, error));
    ASIF_TRY(asif_curvature(curvature, c->covariance, NULL, c->whole->context, density, c->maximum, c->scale,
                            error));
    return place_points(c, error);
}

/* ---- how far lattices differ ---- */

static asif_status evaluate(const choosing *c, const asif_density *density, double *value,
                            asif_error *error) {
    return asif_evaluate_many(value, c->whole->context, density, 1, c->x, c->points, "choosing the lattice",
                              error);
}

/* The standard deviation of the difference under the normal approximation. For g'z + z'Az/2 this is sqrt(g'g
 * + tr(AA)/2); only the diagonal of A is known. INFINITY if a value is not finite. */
static double difference(const choosing *c) {
    double sum = 0, middle = c->coarse[0] - c->fine[0];
    for (uint32_t axis = 0; axis < c->n; axis++) {
        double up = c->coarse[2 * axis + 1] - c->fine[2 * axis + 1];
        double down = c->coarse[2 * axis + 2] - c->fine[2 * axis + 2];
        double slope = (up - down) / 2, bend = up + down - 2 * middle;
        sum += slope * slope + bend * bend / 2;
    }
    return isfinite(sum) ? sqrt(sum) : INFINITY;
}

/* ---- the choice ---- */

/* Compare the current lattice with the next finer one, which then becomes the current one. `*nats` is how far
 * they differ. */
static asif_status compare(choosing *c, uint32_t finer, double *nats, asif_error *error) {
    asif_work *work = NULL;
    asif_target *target = NULL;
    double *curvature = ASIF_ARRAY(c->whole->context, (uint64_t)c->n * c->n, double);
    asif_status status = curvature ? make_work(c, finer, &work, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = make_target(c, work, &target, error);
    const asif_density *density = target ? asif_target_density(target) : NULL;
    if (status == ASIF_OK)
        status = evaluate(c, density, c->fine, error);
    if (status == ASIF_OK) {
        *nats = difference(c);
        if (*nats > FAR)
            status = look_again(c, density, curvature, error);
        if (status == ASIF_OK && *nats > FAR)
            status = evaluate(c, density, c->fine, error);
        memcpy(c->coarse, c->fine, c->points * sizeof *c->fine);
    }
    asif_target_free(target);
    asif_work_free(work);
    asif_free(c->whole->context, curvature);
    return status;
}

static uint64_t nodes_of(const asif_whole_fit *w, uint32_t resolution) {
    return asif_lattice_beliefs(asif_setting_get(asif_study_setting(w->request.study)), resolution);
}

static bool small_enough_to_try(const asif_whole_fit *w, uint32_t resolution) {
    uint64_t nodes = nodes_of(w, resolution);
    return nodes > 0 && nodes <= FINEST_NODES;
}

/* Double the resolution until the error is small or no longer shrinks. It need not shrink if a utility jumps
 * at some belief; then the lattice is a part of the model. */
static asif_status climb(choosing *c, asif_error *error) {
    asif_whole_fit *w = c->whole;
    asif_fit_lattice *lattice = &w->lattice;
    double last = INFINITY;
    uint32_t resolution = lattice->coarse;
    for (lattice->chosen = true; small_enough_to_try(w, 2 * resolution); resolution *= 2) {
        asif_error problem = ASIF_ERROR_INIT;
        double differs = NAN;
        asif_status status = compare(c, 2 * resolution, &differs, &problem);
        if (status == ASIF_ETOOBIG)
            break;
        if (status != ASIF_OK && error)
            *error = problem;
        if (status != ASIF_OK)
            return status;
        /* The part of the error that is left on the finer lattice. */
        double left = isinf(last) ? FIRST_ORDER : fmax(SECOND_ORDER, fmin(differs / last, SHRINKS));
        double nats = differs / (1 - left);
        if (c->steps < STEPS) {
            c->step[c->steps].resolution = resolution;
            c->step[c->steps++].error = nats;
        }
        lattice->error = nats;
        lattice->reached = nats <= w->solver.lattice_error;
        lattice->parted = !lattice->reached && differs > SHRINKS * last;
        if (lattice->reached || lattice->parted)
            break;
        last = differs;
        lattice->error = left * nats; /* expected error of the finer lattice */
    }
    lattice->reached = lattice->reached || (!lattice->parted && lattice->error <= w->solver.lattice_error);
    w->solver.resolution = resolution;
    return ASIF_OK;
}

/* Where the lattice that was chosen has very many nodes, draws by ridge can be found on the coarsest that is
 * near it, and weighted on the chosen one. */
static void divide(const choosing *c) {
    asif_whole_fit *w = c->whole;
    bool weighted = w->how.method == ASIF_FIT_RIDGE || w->how.method == ASIF_FIT_AUTO;
    if (!weighted || w->lattice.parted || nodes_of(w, w->solver.resolution) <= DIRECT_NODES)
        return;
    for (uint32_t i = 0; i < c->steps && c->step[i].resolution < w->solver.resolution; i++)
        if (c->step[i].error <= CORRECTABLE) {
            w->lattice.fine = w->solver.resolution;
            w->lattice.rest_error = c->step[i].error;
            w->solver.resolution = c->step[i].resolution;
            return;
        }
}

static void warn(const asif_whole_fit *w) {
    asif_error problem = ASIF_ERROR_INIT;
    uint32_t resolution = w->lattice.fine ? w->lattice.fine : w->solver.resolution;
    double nats = w->lattice.error;
    if (isnan(nats)) {
        asif_fail(&problem, ASIF_OK,
                  "it is not known how much the lattice of beliefs, with %u intervals on an edge, changes "
                  "the numbers: a finer one to compare with is too large",
                  resolution);
        asif_error_hint(&problem, "raise the limit: solver: {memory: ...}");
    } else if (w->lattice.parted) {
        asif_fail(
            &problem, ASIF_OK,
            "log-likelihoods do not settle as the lattice of beliefs gets finer: with %u intervals on an "
            "edge they still change by about %.2g nats",
            resolution, nats);
        asif_error_hint(&problem,
                        "a utility that jumps at some belief can do this; state a resolution, and keep it");
    } else {
        asif_fail(&problem, ASIF_OK,
                  "the lattice of beliefs, with %u intervals on an edge, changes the log-likelihood by about "
                  "%.2g nats, more than the %.2g that are asked for",
                  resolution, nats, w->solver.lattice_error);
        asif_error_hint(&problem, "means may be wrong by about %.2g of their standard deviations", nats);
    }
    asif_error_code(&problem, "lattice_error");
    asif_problems_add(w->said, ASIF_PROBLEM_WARNING, &problem);
}

static asif_status choose(choosing *c, asif_error *error) {
    asif_whole_fit *w = c->whole;
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(w->request.study));
    asif_work *work = NULL;
    asif_target *target = NULL;
    asif_estimate_spec *numbers = NULL;
    uint32_t count = 0;
    w->lattice.error = NAN;
    w->lattice.coarse = asif_lattice_within(asif_hidden_values(spec), COARSE_NODES, COARSE_MOST);
    asif_status status = make_work(c, w->lattice.coarse, &work, error);
    if (status == ASIF_OK)
        status = asif_fit_request_specs(&numbers, &count, w->context, &w->request, error);
    if (status == ASIF_OK)
        status = asif_estimates_scaled(&c->estimates, w->context, work, w->given, numbers, count,
                                       ASIF_PRIORS_STATED, NULL, error);
    if (status == ASIF_OK)
        status = take_room(c, error);
    if (status == ASIF_OK)
        status = first_look(c, work, error);
    if (status == ASIF_OK)
        status = make_target(c, work, &target, error);
    if (status == ASIF_OK)
        status = evaluate(c, asif_target_density(target), c->coarse, error);
    if (status == ASIF_OK)
        status = climb(c, error);
    if (status == ASIF_OK)
        divide(c);
    asif_target_free(target);
    asif_work_free(work);
    asif_free(w->context, numbers);
    return status;
}

asif_status asif_fit_choose_lattice(asif_whole_fit *w, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(w->request.study));
    const asif_inverse_info *inverse = asif_inverse_named(w->how.inverse);
    if (!(w->solver.lattice_error > 0) || w->solver.beliefs == ASIF_BELIEFS_REACHABLE ||
        spec->observations == 0 || !inverse || !inverse->likelihood)
        return ASIF_OK;
    choosing c = {.whole = w};
    asif_status status = choose(&c, error);
    asif_free(w->context, c.maximum);
    asif_estimates_free(c.estimates);
    if (status == ASIF_OK && !w->lattice.reached)
        warn(w);
    return status;
}

asif_status asif_fit_settle_lattice(asif_whole_fit *w, asif_error *error) {
    asif_fit_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_fit_get(w->fit, &view, error));
    if (w->lattice.fine == 0 || view.corrected > 0)
        return ASIF_OK;
    w->lattice.fine = 0;
    w->lattice.error = w->lattice.rest_error;
    w->lattice.reached = false;
    warn(w);
    return ASIF_OK;
}

asif_status asif_fit_compare_lattices(asif_whole_fit *w, asif_error *error) {
    const asif_setting *setting = asif_study_setting(w->request.study);
    const asif_inverse_info *inverse = asif_inverse_named(w->how.inverse);
    asif_fit_view view = {.struct_size = sizeof view};
    asif_theta *theta = NULL;
    ASIF_TRY(asif_fit_get(w->fit, &view, error));
    if (!view.maximised || !inverse || !inverse->likelihood)
        return ASIF_OK;
    asif_status status = asif_theta_create(&theta, w->context, setting, error);
    if (status == ASIF_OK)
        status = asif_estimates_theta(w->estimates, w->fit->maximum, theta, error);
    if (status == ASIF_OK)
        status = asif_lattices_compare(&w->lattices, w->context, asif_study_planner(w->request.study),
                                       setting, theta, w->request.logs, &w->solver, w->said, error);
    asif_theta_free(theta);
    return status;
}
