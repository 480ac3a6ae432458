/* How long a fit will take. A trial finds one maximum, times each part of a fit at a few points near it, and
 * multiplies by how often a fit repeats that part. Where the lattice of beliefs is large, the trial runs on a
 * coarse one, and what an evaluation takes on either says how much longer the fit is. */
#include "runs/whole_fit.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/random.h"
#include "engine/lattice.h"
#include "fit/fit.h"
#include "inverse/inverse.h"
#include "logs/tree/tree.h"
#include "sample/draws.h"
#include "sample/evaluate_many.h"
#include "sample/ridge/plane.h"
#include "setting/setting.h"
#include "study/study.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define LONGEST 10.0     /* seconds of the processor after which a trial is stopped */
#define TRIAL_NODES 250  /* most beliefs of the lattice of a trial */
#define DIRECT_NODES 2e4 /* most beliefs of a lattice on which one evaluation is timed */
#define TRIES 4          /* draws around the maximum that the answers are timed with */
#define NEAR 0.5         /* standard deviations: how far from the maximum these are */
#define ONES 3           /* single evaluations that are timed */
#define BLOCKS 2         /* blocks of points that are timed */

/* How often a fit repeats what a trial times: about the middle of what several studies, with one to three
 * parameters, took (tests/long/forecast.py). `n` is the number of parameters. */
#define SEARCHES 3.0 /* nine starts, their confirmation and other maxima, in searches from one start */
#define BOUNDS(n) (1.1 * (n)) /* the bounds of all parameters, in such searches */
#define REFIT 0.4             /* a refit with another assumption, in such searches */
#define WALK(n) (65 * (n))    /* gradients for following the ridge */
#define POINTS 4096           /* points that are weighted */
#define FILES 0.2             /* seconds for files, summaries of draws and predictions */
#define LEAPS 8               /* gradients for a draw of NUTS */
#define OUTCOMES 13 /* steps of three draws, of which one has its losses computed, from 1 to 40 draws */
#define CHECKS 49   /* steps of four draws from 4 to 200 draws */

typedef struct {
    const asif_context *outer;
    asif_context context; /* one thread, and a limit on the time */
    double begun;
    bool late;
    asif_whole_fit whole;
    asif_work *coarse; /* of the trial */
    asif_target *target;
    asif_fit *fit;
    asif_draws *draws;
    uint32_t n;
    double *maximum;                /* [numbers] */
    double *x, *value;              /* points near the maximum, and room for their values */
    double choice_sec;              /* what the choice of the lattice takes in the fit */
    double search_sec;              /* of the search of the trial */
    double gradient_sec, point_sec; /* of an evaluation in the trial */
    /* How much longer an evaluation takes in the fit than in the trial: one alone, and one among many. */
    double longer, longer_point;
} trial;

static double passed(const trial *t) {
    return asif_os_thread_seconds() - t->begun;
}

/* ---- the context: one thread, and a limit on the time ---- */

static bool progress(void *user, const char *what, double done) {
    trial *t = user;
    (void)what;
    (void)done;
    t->late = t->late || passed(t) > LONGEST;
    return asif_progress(t->outer, "forecasting", -1) || t->late;
}

/* ---- lattices ---- */

static const asif_setting_spec *spec_of(const trial *t) {
    return asif_setting_get(asif_study_setting(t->whole.request.study));
}

static uint64_t beliefs(const trial *t, uint32_t resolution) {
    const asif_setting_spec *spec = spec_of(t);
    if (t->whole.solver.beliefs == ASIF_BELIEFS_REACHABLE)
        return asif_study_reached(t->whole.request.study);
    return asif_lattice_beliefs(spec, resolution);
}

/* `auto` doubles the resolution until it is fine enough. Find the least round one between the last two: the
 * error falls with the square of the resolution. */
static void find_least(asif_forecast *out, double error) {
    double least = out->enough * sqrt(error / ASIF_LATTICE_ERROR);
    uint32_t round = 10 * (uint32_t)ceil(least / 10);
    out->enough_error = error;
    if (round >= 10 && round < out->enough) {
        double ratio = (double)out->enough / round;
        out->enough_error = error * ratio * ratio;
        out->enough = round;
    }
}

/* Find the resolution that `auto` chooses. It is a part of the fit's time only if the study says so. */
static asif_status choose(trial *t, asif_forecast *out, asif_error *error) {
    asif_whole_fit *w = &t->whole;
    uint32_t stated = w->solver.resolution;
    double begun = passed(t);
    out->automatic = w->solver.lattice_error > 0;
    if (!out->automatic)
        w->solver.lattice_error = ASIF_LATTICE_ERROR;
    ASIF_TRY(asif_fit_choose_lattice(w, error));
    if (out->automatic)
        t->choice_sec = passed(t) - begun;
    if (w->lattice.chosen && !w->lattice.parted) {
        out->enough = w->lattice.fine ? w->lattice.fine : w->solver.resolution;
        if (!out->automatic)
            find_least(out, w->lattice.error);
        out->enough_beliefs = beliefs(t, out->enough);
        out->enough_error = isnan(out->enough_error) ? w->lattice.error : out->enough_error;
    }
    if (!out->automatic)
        w->solver.resolution = stated;
    w->solver.lattice_error = 0;
    return ASIF_OK;
}

/* The resolution of the trial. */
static uint32_t coarse_of(const trial *t) {
    uint32_t most = t->whole.solver.resolution, places = asif_places(spec_of(t));
    uint32_t nodes = TRIAL_NODES / places ? TRIAL_NODES / places : 1;
    return t->whole.solver.beliefs == ASIF_BELIEFS_REACHABLE ||
                   (beliefs(t, most) <= TRIAL_NODES && beliefs(t, most) > 0)
               ? most
               : asif_lattice_within(asif_hidden_values(spec_of(t)), nodes, most);
}

static asif_status make_work(trial *t, uint32_t resolution, asif_work **out, asif_error *error) {
    const asif_study *study = t->whole.request.study;
    asif_plan_options solver = t->whole.solver;
    if (spec_of(t)->observations)
        solver.resolution = resolution;
    return asif_work_create(out, &t->context, asif_study_planner(study), asif_study_setting(study), &solver,
                            error);
}

/* ---- the maximum ---- */

static asif_status make_target(trial *t, const asif_work *work, asif_target **out, asif_error *error) {
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    options.inverse = t->whole.how.inverse;
    options.inverse_options = t->whole.how.inverse_options;
    return asif_target_create(out, work, t->whole.estimates, t->whole.request.logs, &options, error);
}

static asif_status search(trial *t, asif_error *error) {
    asif_whole_fit *w = &t->whole;
    asif_fit_options how;
    asif_fit_defaults(&how, ASIF_FIT_MAP);
    how.inverse = w->how.inverse;
    how.inverse_options = w->how.inverse_options;
    how.starts = 1;
    how.draws_only = true;
    ASIF_TRY(asif_fit_request_specs(&w->spec, &w->specs, &t->context, &w->request, error));
    ASIF_TRY(asif_estimates_scaled(&w->estimates, &t->context, t->coarse, w->given, w->spec, w->specs,
                                   ASIF_PRIORS_STATED, NULL, error));
    ASIF_TRY(make_target(t, t->coarse, &t->target, error));
    double begun = passed(t);
    ASIF_TRY(
        asif_fit_estimate(&t->fit, &t->context, t->coarse, w->estimates, w->request.logs, &how, NULL, error));
    t->search_sec = passed(t) - begun;
    t->n = t->fit->dimension;
    t->gradient_sec = t->search_sec / (double)(t->fit->view.search.evaluations + 1);
    return ASIF_OK;
}

/* Place points near the maximum, [count][n]. */
static void place_points(const trial *t, const double *factor, double *x, uint64_t count) {
    uint32_t n = t->n;
    double *normal = x + count * n;
    for (uint64_t k = 0; k < count; k++) {
        asif_stream stream = {0, ASIF_FOR_STARTS, k};
        for (uint32_t j = 0; j < n; j++)
            normal[j] = NEAR * asif_normal(&stream, j);
        asif_lower_times(factor, n, normal, x + k * n);
        for (uint32_t j = 0; j < n; j++)
            x[k * n + j] += t->fit->maximum[j];
    }
}

/* Time a point among many, and turn a few of the points into draws. */
static asif_status time_points(trial *t, double *x, double *value, asif_error *error) {
    const uint64_t count = BLOCKS * ASIF_EVALUATE_BLOCK;
    double *number = value + count;
    double begun = passed(t);
    ASIF_TRY(asif_evaluate_many(value, &t->context, asif_target_density(t->target), 1, x, count,
                                "forecasting", error));
    t->point_sec = (passed(t) - begun) / (double)count;
    uint32_t columns = t->fit->view.parameters, kept = 0;
    const asif_density *density = asif_target_density(t->target);
    ASIF_TRY(asif_draws_create(&t->draws, &t->context, 1, TRIES, columns, density->name, t->n, error));
    asif_estimates_report(t->whole.estimates, t->fit->maximum, t->maximum);
    for (uint64_t k = 0; k < count && kept < TRIES; k++) {
        bool last = count - k <= TRIES - kept; /* too few are left to choose from */
        if (!isfinite(value[k]) && !last)
            continue;
        asif_estimates_report(t->whole.estimates, isfinite(value[k]) ? x + k * t->n : t->fit->maximum,
                              number);
        for (uint32_t i = 0; i < columns; i++)
            asif_draws_values(t->draws, i, 0)[kept] = number[i];
        kept++;
    }
    return ASIF_OK;
}

static asif_status sample(trial *t, asif_error *error) {
    uint64_t n = t->n, count = BLOCKS * ASIF_EVALUATE_BLOCK, columns = t->fit->view.parameters;
    t->x = ASIF_ARRAY(&t->context, (count + 1) * n + n * n, double);
    t->value = ASIF_ARRAY(&t->context, count + columns, double);
    t->maximum = ASIF_ARRAY(&t->context, columns + 1, double);
    if (!t->x || !t->value || !t->maximum)
        return asif_fail_memory(error);
    double *factor = t->x + (count + 1) * n;
    memcpy(factor, t->fit->covariance, n * n * sizeof *factor);
    if (!asif_cholesky(factor, t->n))
        memset(factor, 0, n * n * sizeof *factor);
    place_points(t, factor, t->x, count);
    return time_points(t, t->x, t->value, error);
}

/* Seconds of an evaluation near the maximum: the shortest of a few. */
static asif_status time_one(trial *t, asif_target *target, double *seconds, asif_error *error) {
    double value, x = t->fit->maximum[0];
    const asif_density *density = asif_target_density(target);
    asif_status status = ASIF_OK;
    *seconds = INFINITY;
    for (uint32_t k = 0; status == ASIF_OK && k <= ONES; k++) { /* the first one is a warm-up */
        double begun = passed(t);
        t->fit->maximum[0] = x + 1e-3 * k;
        status = density->evaluate(density->user, t->fit->maximum, &value, NULL, error);
        *seconds = k ? fmin(*seconds, passed(t) - begun) : INFINITY;
    }
    t->fit->maximum[0] = x;
    return status;
}

/* Find how much longer evaluations take on the lattice of the fit. */
static asif_status time_fine(trial *t, uint32_t resolution, asif_error *error) {
    asif_work *work = NULL;
    asif_target *target = NULL;
    double here = 0, there = 0;
    ASIF_TRY(time_one(t, t->target, &here, error));
    asif_status status = make_work(t, resolution, &work, error);
    if (status == ASIF_OK)
        status = make_target(t, work, &target, error);
    if (status == ASIF_OK)
        status = time_one(t, target, &there, error);
    double begun = passed(t);
    if (status == ASIF_OK)
        status = asif_evaluate_many(t->value, &t->context, asif_target_density(target), 1, t->x,
                                    ASIF_EVALUATE_BLOCK, "forecasting", error);
    if (status == ASIF_OK && here > 0 && t->point_sec > 0) {
        t->longer = there / here;
        t->longer_point = (passed(t) - begun) / ASIF_EVALUATE_BLOCK / t->point_sec;
    }
    asif_target_free(target);
    asif_work_free(work);
    return status;
}

static asif_status compare_lattices(trial *t, uint32_t coarse, asif_error *error) {
    uint32_t resolution = t->whole.solver.resolution;
    t->longer = t->longer_point = 1;
    if (spec_of(t)->observations == 0 || coarse == resolution)
        return ASIF_OK;
    t->longer = t->longer_point = (double)beliefs(t, resolution) / (double)beliefs(t, coarse);
    return (double)beliefs(t, resolution) <= DIRECT_NODES ? time_fine(t, resolution, error) : ASIF_OK;
}

/* ---- answers ---- */

static asif_status time_outcomes(trial *t, const asif_fitted *fitted, double *seconds, asif_error *error) {
    double took[2] = {0};
    for (uint32_t k = 0; k < 2; k++) {
        asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
        asif_outcomes *outcomes = NULL;
        options.draws = k ? TRIES : 1;
        options.loss_draws = k ? 2 : 1;
        double begun = passed(t);
        asif_status status = asif_outcomes_run(&outcomes, fitted, &options, error);
        asif_outcomes_free(outcomes);
        if (status == ASIF_ENOMEM || status == ASIF_ECANCELLED)
            return status;
        took[k] = passed(t) - begun;
    }
    *seconds = took[0] + OUTCOMES * fmax(0, took[1] - took[0]);
    return ASIF_OK;
}

static asif_status time_checks(trial *t, const asif_fitted *fitted, double *seconds, asif_error *error) {
    double took[2] = {0};
    const double episodes = (double)asif_tree_info(fitted->tree)->episodes;
    for (uint32_t k = 0; k < 2; k++) {
        asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
        asif_predictive_checks *checks = NULL;
        options.simulated = (k + 1) * options.simulated / (CHECKS + 1);
        options.replicates = (k + 1) * options.replicates / (CHECKS + 1);
        options.draws = (k + 1) * TRIES / 2;
        if (150 * episodes > ASIF_CHECKED_EPISODES)
            options.simulated = 0;
        double begun = passed(t);
        asif_status status = asif_predictive_checks_run(&checks, fitted, &options, error);
        asif_predictive_checks_free(checks);
        if (status == ASIF_ENOMEM || status == ASIF_ECANCELLED)
            return status;
        took[k] = passed(t) - begun;
    }
    *seconds = took[0] + CHECKS * fmax(0, took[1] - took[0]);
    return ASIF_OK;
}

/* Refits with other assumptions, in a fit. */
static uint32_t refits(const asif_fitted *fitted) {
    asif_given_variation vary;
    double value[ASIF_GIVEN_VARIATION_BRIEF + 1];
    uint32_t sum = 0;
    for (uint32_t i = 0; asif_given_variation_usual(&vary, fitted, true, i); i++)
        sum += asif_given_variation_few(&vary, value) - 1;
    return sum;
}

static asif_status answer(trial *t, asif_forecast *out, asif_error *error) {
    const asif_whole_fit *w = &t->whole;
    double outcomes = 0, checks = 0;
    asif_fitted fitted = asif_whole_fit_as_fitted(w);
    fitted.work = t->coarse;
    fitted.draws = t->draws;
    fitted.maximum = t->maximum;
    ASIF_TRY(time_outcomes(t, &fitted, &outcomes, error));
    ASIF_TRY(time_checks(t, &fitted, &checks, error));
    out->answers_sec =
        t->longer * outcomes + checks + t->longer * t->search_sec * (BOUNDS(t->n) + REFIT * refits(&fitted));
    return ASIF_OK;
}

/* ---- all of it ---- */

static asif_status try_out(trial *t, asif_forecast *out, asif_error *error) {
    bool hidden = spec_of(t)->observations > 0;
    if (hidden)
        ASIF_TRY(choose(t, out, error));
    uint32_t coarse = hidden ? coarse_of(t) : 0;
    ASIF_TRY(make_work(t, coarse, &t->coarse, error));
    ASIF_TRY(search(t, error));
    ASIF_TRY(sample(t, error));
    ASIF_TRY(compare_lattices(t, coarse, error));
    ASIF_TRY(answer(t, out, error));
    const asif_density *density = asif_target_density(t->target);
    bool ridge = density->has_gradient && t->n <= ASIF_RIDGE_MOST;
    asif_sample_options chains = ASIF_SAMPLE_OPTIONS_INIT;
    double steps = (double)chains.chains * (double)(chains.warmup + chains.draws);
    out->search_sec = t->choice_sec + t->longer * SEARCHES * t->search_sec;
    out->draws_sec = ridge
                         ? t->longer * WALK(t->n) * t->gradient_sec + t->longer_point * POINTS * t->point_sec
                         : t->longer * steps * (density->has_gradient ? LEAPS : 1) * t->gradient_sec;
    if (ridge)
        out->nuts_sec = t->longer * LEAPS * t->gradient_sec * (double)chains.chains *
                        (double)(t->whole.how.short_warmup + chains.draws);
    out->seconds = out->search_sec + out->draws_sec + out->answers_sec;
    return ASIF_OK;
}

static const char *refused(const asif_fit_request *request) {
    const asif_inverse_info *inverse = asif_inverse_named(asif_study_inverse(request->study));
    if (asif_study_hidden_dynamics(request->study))
        return "the fit learns the dynamics first";
    if (!inverse || !inverse->likelihood)
        return "the inverse planner has no likelihood";
    return NULL;
}

static void release(trial *t) {
    asif_whole_fit *w = &t->whole;
    asif_draws_free(t->draws);
    asif_fit_free(t->fit);
    asif_target_free(t->target);
    asif_work_free(t->coarse);
    asif_estimates_free(w->estimates);
    asif_problems_free(w->said);
    asif_free(&t->context, w->spec);
    asif_free(&t->context, t->maximum);
    asif_free(&t->context, t->x);
    asif_free(&t->context, t->value);
}

/* Run the trial. What stops it is a reason for having no forecast, unless the caller stopped it. */
static asif_status run(trial *t, asif_forecast *out, asif_error *error) {
    asif_error problem = ASIF_ERROR_INIT;
    asif_status status = asif_problems_create(&t->whole.said, &t->context, 0, &problem);
    if (status == ASIF_OK)
        status = try_out(t, out, &problem);
    out->trial_sec = passed(t);
    if (status == ASIF_OK)
        return ASIF_OK;
    bool stopped = status == ASIF_ECANCELLED && !t->late;
    if (stopped || status == ASIF_ENOMEM) {
        if (error)
            *error = problem;
        return status;
    }
    out->instead =
        t->late ? "a trial took too long, so expect a fit to take many minutes" : "a trial could not be made";
    return ASIF_OK;
}

asif_status asif_fit_forecast(asif_forecast *out, const asif_context *context,
                              const asif_fit_request *request, asif_error *error) {
    if (!out || out->struct_size != sizeof *out)
        return asif_fail(error, ASIF_EDOMAIN, "the forecast has an unknown size");
    ASIF_TRY(asif_fit_request_check(request, error));
    *out = (asif_forecast){.struct_size = sizeof *out, .nuts_sec = NAN, .enough_error = NAN};
    trial t = {.outer = context, .begun = asif_os_thread_seconds()};
    asif_whole_fit *w = &t.whole;
    t.context = asif_context_inside(t.outer, progress, &t);
    w->context = &t.context;
    w->request = *request;
    w->request.how = NULL;
    w->request.work = NULL;
    w->how = asif_fit_request_how(&w->request);
    w->solver = asif_fit_request_solver(request);
    w->given = asif_fit_request_given(request);
    w->inverse_options = *asif_study_asked(request->study);
    w->how.inverse_options = &w->inverse_options;
    out->instead = refused(request);
    asif_status status = out->instead ? ASIF_OK : run(&t, out, error);
    if (spec_of(&t)->observations) {
        out->resolution = w->solver.resolution;
        out->beliefs = beliefs(&t, out->resolution);
    }
    if (out->instead || status != ASIF_OK)
        out->seconds = out->search_sec = out->draws_sec = out->answers_sec = out->nuts_sec = NAN;
    release(&t);
    return status;
}
