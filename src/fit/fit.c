/* A fit: the maximum, the curvature there, other maxima (tops), draws around them, and the verdicts on
 * them. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/os.h"
#include "base/random.h"
#include "fit/per_alpha.h"
#include "inverse/inverse.h"
#include "logs/tree/tree.h"
#include "sample/draws.h"
#include "sample/evaluate_many.h"
#include "sample/ridge/plane.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define SHORT_WARMUP 150
#define SEARCHES 4       /* densities that the maximiser's starts and the ridge share */
#define NEAR_MAXIMUM 0.1 /* natural scales: distance of starts that confirm a maximum */
#define SAME_MAXIMUM 1e-3
#define TOPS_TIMES 5    /* evaluations for finding tops, for each evaluation of the search for the maximum */
#define APART 3.0       /* nats: fall of the posterior between rival explanations */
#define OVERDISPERSED 2 /* standard deviations: spread of the starts of chains */
#define NEARER 12       /* most halvings of the distance of a start at which the density is not finite */

static const char *const method_names[] = {"nuts", "metropolis", "published", "map", "ml", "ridge", "auto"};

const char *asif_fit_method_text(asif_fit_method method) {
    return (size_t)method < sizeof method_names / sizeof *method_names ? method_names[method] : NULL;
}

bool asif_fit_method_draws(asif_fit_method method) {
    return method <= ASIF_FIT_PUBLISHED || method >= ASIF_FIT_RIDGE;
}

void asif_fit_defaults(asif_fit_options *out, asif_fit_method method) {
    *out = (asif_fit_options){.struct_size = sizeof *out,
                              .method = method,
                              .sample = ASIF_SAMPLE_OPTIONS_INIT,
                              .starts = 9,
                              .predictive = 200,
                              .histories = 8,
                              .short_warmup = SHORT_WARMUP};
    if (method == ASIF_FIT_PUBLISHED) {
        out->sample.chains = 1;
        out->sample.thin = 10;
    }
    if (method == ASIF_FIT_RIDGE)
        out->sample.warmup = 0;
}

/* The workspace of a fit. */
typedef struct {
    asif_fit *fit;
    const asif_fit_options *options;
    asif_target *target;     /* density that is maximised and sampled */
    asif_target *likelihood; /* without priors; may be `target` */
    const asif_inverse_info *inverse;
    uint32_t clones;
    asif_target **clone; /* [clones]: copies of the target, for chains or searches */
    asif_density *density;
    uint32_t fines;
    asif_target **fine; /* [fines]: of asif_fit_options::fine */
    asif_density *fine_density;
    double *scale;
    double *ends; /* see asif_maximise_options */
    asif_tops tops;
    asif_fit_method method; /* method of the draws */
    double *start;          /* [chains][dimension], in coordinates of the estimates; NULL: around the tops */
    double *guess; /* [guesses][dimension]: see ::asif_sample_options, in coordinates of the estimates */
    uint64_t guesses;
    bool settled;
} making;

/* ---- targets ---- */

static void drop_clones(making *m) {
    for (uint32_t i = 0; m->clone && i < m->clones; i++)
        asif_target_free(m->clone[i]);
    asif_free(m->fit->context, m->clone);
    asif_free(m->fit->context, m->density);
    m->clone = NULL;
    m->density = NULL;
    m->clones = 0;
}

static asif_status make_clones(making *m, uint32_t count, asif_error *error) {
    drop_clones(m);
    m->clone = asif_alloc(m->fit->context, count, sizeof *m->clone);
    m->density = ASIF_ARRAY(m->fit->context, count, asif_density);
    if (!m->clone || !m->density)
        return asif_fail_memory(error);
    m->clones = count;
    for (uint32_t i = 0; i < count; i++) {
        ASIF_TRY(asif_target_clone(&m->clone[i], m->target, error));
        m->density[i] = *asif_target_density(m->clone[i]);
    }
    return ASIF_OK;
}

static asif_target_options target_options(const making *m) {
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    options.inverse = m->options->inverse;
    options.inverse_options = m->options->inverse_options;
    options.count = m->options->count;
    return options;
}

static asif_status make_targets(making *m, const asif_work *work, asif_error *error) {
    asif_target_options options = target_options(m);
    options.objective_only = true;
    ASIF_TRY(asif_target_create(&m->likelihood, work, m->fit->estimates, m->fit->tree, &options, error));
    if (m->options->method == ASIF_FIT_ML) {
        m->target = m->likelihood;
        return ASIF_OK;
    }
    options.objective_only = false;
    return asif_target_create(&m->target, work, m->fit->estimates, m->fit->tree, &options, error);
}

/* ---- the maximum ---- */

/* Set x to the centre of the priors; coordinates with an improper prior are drawn. */
static void centre(const making *m, double *number, double *x) {
    const asif_estimate_info *info;
    asif_estimates_draw(m->fit->estimates, m->options->sample.seed, 0, x);
    asif_estimates_report(m->fit->estimates, x, number);
    for (uint32_t i = 0; (info = asif_estimates_get(m->fit->estimates, i)); i++)
        if (info->proper && isfinite(info->prior_q50))
            number[i] = asif_line_back(info, info->prior_q50);
    asif_estimates_locate(m->fit->estimates, number, x);
}

/* Place the points where the search begins. */
static void place_begins(const making *m, double *number, double *start, uint32_t starts) {
    uint64_t n = m->fit->dimension;
    if (m->options->begin) {
        memcpy(start, m->options->begin, starts * n * sizeof *start);
        return;
    }
    centre(m, number, start);
    for (uint32_t i = 1; i < starts; i++)
        asif_estimates_draw(m->fit->estimates, m->options->sample.seed, i, start + i * n);
}

/* Search again from points near the maximum, because at most one start reached it. */
static asif_status confirm(making *m, asif_maximise_options *options, double *start, asif_error *error) {
    asif_fit *fit = m->fit;
    asif_maximum_info again, *first = &fit->view.search;
    uint32_t n = fit->dimension, starts = options->starts;
    double *x = start; /* the first start is no longer needed */
    for (uint32_t i = 1; i < starts; i++) {
        asif_stream stream = {m->options->sample.seed, ASIF_FOR_STARTS, UINT32_MAX + (uint64_t)i};
        for (uint32_t j = 0; j < n; j++)
            start[i * (uint64_t)n + j] =
                fit->maximum[j] + NEAR_MAXIMUM * m->scale[j] * asif_normal(&stream, j);
    }
    options->starts = starts - 1;
    options->start = start + n;
    options->ends = NULL;
    ASIF_TRY(asif_maximise(x, fit->context, m->density, m->clones, options, &again, error));
    fit->view.starts += starts - 1;
    again.evaluations += first->evaluations;
    if (again.value > first->value) {
        again.agree += again.value - first->value < SAME_MAXIMUM ? first->agree : 0;
        memcpy(fit->maximum, x, n * sizeof *x);
        *first = again;
    } else {
        first->agree += first->value - again.value < SAME_MAXIMUM ? again.agree : 0;
        first->evaluations = again.evaluations;
    }
    return ASIF_OK;
}

static asif_status find_maximum(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    uint64_t n = fit->dimension;
    uint32_t starts = m->options->starts ? m->options->starts : 1;
    bool rough = m->options->draws_only && asif_fit_method_draws(m->options->method);
    double *start = ASIF_ARRAY(fit->context, starts * n, double);
    double *number = ASIF_ARRAY(fit->context, fit->view.parameters, double);
    m->ends = ASIF_ARRAY(fit->context, ASIF_MAXIMISE_ENDS(starts) * (n + 1), double);
    asif_status status = start && number && m->ends ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        place_begins(m, number, start, starts);
        status = make_clones(m, starts < SEARCHES ? starts : SEARCHES, error);
    }
    if (status == ASIF_OK) {
        asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
        options.starts = starts;
        options.start = start;
        options.scale = m->scale;
        options.no_polish = rough;
        options.no_expeditions = rough && m->options->begin;
        options.ends = m->ends;
        fit->view.starts = starts;
        status = asif_maximise(fit->maximum, fit->context, m->density, m->clones, &options, &fit->view.search,
                               error);
        if (status == ASIF_OK && !rough && starts > 1 && fit->view.search.agree < 2)
            status = confirm(m, &options, start, error);
    }
    drop_clones(m);
    asif_free(fit->context, start);
    asif_free(fit->context, number);
    return status;
}

/* Compute the estimate of an inverse planner without a likelihood. It has no uncertainty. */
static asif_status find_answer(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    if (!asif_target_answers(m->target)) {
        ASIF_TRY(find_maximum(m, error));
    } else {
        ASIF_TRY(asif_target_answer(m->target, fit->maximum, &fit->view.search.value, error));
        fit->view.starts = fit->view.search.agree = 1;
    }
    double *number = ASIF_ARRAY(fit->context, fit->view.parameters, double);
    if (!number)
        return asif_fail_memory(error);
    asif_estimates_report(fit->estimates, fit->maximum, number);
    for (uint32_t i = 0; i < fit->view.parameters; i++) {
        fit->parameter[i].maximum = number[i];
        fit->parameter[i].summary.mean = fit->parameter[i].summary.q50 = number[i];
    }
    asif_free(fit->context, number);
    fit->view.maximised = true;
    fit->view.objective = fit->view.search.value;
    fit->view.trusted = fit->view.starts == 1 || fit->view.search.agree > 1;
    return ASIF_OK;
}

static asif_status describe_maximum(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    uint64_t n = fit->dimension;
    double *curvature = ASIF_ARRAY(fit->context, n * n, double);
    double *number = ASIF_ARRAY(fit->context, fit->view.parameters, double);
    asif_status status = curvature && number ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_curvature(curvature, fit->covariance, &fit->view.curved, fit->context,
                                asif_target_density(m->target), fit->maximum, m->scale, error);
    if (status == ASIF_OK)
        status = asif_target_objective(m->likelihood, fit->maximum, &fit->view.log_likelihood, NULL, error);
    if (status == ASIF_OK) {
        fit->view.maximised = true;
        fit->view.log_posterior = m->options->method == ASIF_FIT_ML ? NAN : fit->view.search.value;
        asif_estimates_report(fit->estimates, fit->maximum, number);
        for (uint32_t i = 0; i < fit->view.parameters; i++)
            fit->parameter[i].maximum = number[i];
    }
    asif_free(fit->context, curvature);
    asif_free(fit->context, number);
    return status;
}

/* Find the tops around which chains begin, with a clone so that the memory of the target does not change. */
static asif_status find_tops(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    double highest = fit->view.search.value;
    bool rough = m->options->draws_only && asif_fit_method_draws(m->options->method);
    ASIF_TRY(make_clones(m, 1, error));
    ASIF_TRY(asif_tops_create(&m->tops, fit->context, m->density, m->scale, rough, error));
    m->tops.most = TOPS_TIMES * fit->view.search.evaluations;
    ASIF_TRY(asif_fit_find_tops(fit, &m->tops, m->ends, m->options->starts, error));
    if (m->options->method >= ASIF_FIT_RIDGE)
        ASIF_TRY(asif_tops_apart(&m->tops, APART, &fit->apart, error));
    return fit->view.search.value > highest ? describe_maximum(m, error) : ASIF_OK;
}

/* ---- the chains ---- */

/* Place the start of a chain at random around a top, nearer to it if the density is not finite there. */
static asif_status place_start(making *m, uint32_t chain, double *room, double *start, asif_error *error) {
    const asif_density *density = &m->density[chain];
    const asif_top *top = &m->tops.top[chain % m->tops.count];
    uint32_t n = m->fit->dimension;
    asif_stream stream = {m->options->sample.seed, ASIF_FOR_CHAINS, chain};
    double *away = room + n, distance = OVERDISPERSED, value = NAN;
    for (uint32_t j = 0; j < n; j++)
        room[j] = asif_normal(&stream, j);
    asif_lower_times(top->factor, n, room, away);
    for (uint32_t k = 0; k <= NEARER; k++, distance /= 2) {
        for (uint32_t j = 0; j < n; j++)
            start[j] = top->x[j] + (k < NEARER ? distance * away[j] : 0);
        ASIF_TRY(density->evaluate(density->user, start, &value, NULL, error));
        if (isfinite(value))
            break;
    }
    return ASIF_OK;
}

static asif_status place_starts(making *m, double *start, asif_error *error) {
    uint64_t n = m->fit->dimension;
    double *room = ASIF_ARRAY(m->fit->context, 2 * n, double);
    asif_status status = room ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < m->clones; k++)
        status = place_start(m, k, room, start + k * n, error);
    asif_free(m->fit->context, room);
    return status;
}

/* Turn starts, metric, guess and densities into the coordinates in which the chains move. `room` has space
 * for one point for each chain. */
static void stretch(const making *m, asif_per_alpha_target *stretched, asif_density *density, double *start,
                    double *metric, double *room) {
    const asif_fit *fit = m->fit;
    uint32_t n = fit->dimension;
    asif_per_alpha how;
    if (m->options->plain || !asif_per_alpha_find(&how, fit->estimates)) {
        memcpy(density, m->density, m->clones * sizeof *density);
        return;
    }
    const double *x = m->tops.top[0].x;
    how.centre = x[how.by];
    asif_per_alpha_covariance(&how, x, metric, n);
    for (uint64_t i = 0; i < m->guesses; i++)
        asif_per_alpha_forward(&how, m->guess + i * n);
    for (uint32_t k = 0; k < m->clones; k++) {
        asif_per_alpha_forward(&how, start + (uint64_t)k * n);
        stretched[k] = (asif_per_alpha_target){how, &m->density[k], room + (uint64_t)k * n, NULL};
        density[k] = asif_per_alpha_density(&stretched[k]);
    }
}

/* Sample by chains that begin around the tops in turn. */
static asif_status draw_around(making *m, asif_sample_options *options, asif_error *error) {
    asif_fit *fit = m->fit;
    const asif_context *c = fit->context;
    uint64_t n = fit->dimension;
    double *start = ASIF_ARRAY(c, 2 * (uint64_t)m->clones * n, double);
    double *metric = ASIF_ARRAY(c, n * n, double);
    asif_per_alpha_target *stretched = ASIF_ARRAY(c, m->clones, asif_per_alpha_target);
    asif_density *density = ASIF_ARRAY(c, m->clones, asif_density);
    asif_status status = start && metric && stretched && density ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = place_starts(m, start, error);
    if (status == ASIF_OK) {
        if (m->start)
            memcpy(start, m->start, m->clones * n * sizeof *start);
        memcpy(metric, m->tops.top[0].covariance, n * n * sizeof *metric);
        stretch(m, stretched, density, start, metric, start + m->clones * n);
        options->start = start;
        options->metric = metric;
        options->guess = m->guess;
        options->guesses = m->guesses;
        options->settled = m->settled;
        status = asif_sample(&fit->draws, c, density, options, error);
    }
    void *const arrays[] = {start, metric, stretched, density};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}

/* Collect the tops and the ends of high climbs, all of which must lie inside the proposal. `place` has room
 * for all; returns their number. */
static uint32_t find_places(const making *m, double *place) {
    uint64_t n = m->fit->dimension, ends = ASIF_MAXIMISE_ENDS(m->options->starts ? m->options->starts : 1);
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->tops.count; t++, count++)
        memcpy(place + count * n, m->tops.top[t].x, n * sizeof *place);
    for (uint64_t i = 0; i < ends; i++) {
        const double *end = m->ends + i * (n + 1);
        if (end[n] > m->fit->view.search.value - ASIF_TOPS_WITHIN)
            memcpy(place + count++ * n, end, n * sizeof *place);
    }
    return count;
}

/* Densities of the ridge, in the coordinates in which it is followed. */
typedef struct {
    asif_density *density; /* [clones] */
    asif_per_alpha_target *stretched;
    double *room;
} along_ridge;

static void free_along(const making *m, along_ridge *a) {
    asif_free(m->fit->context, a->density);
    asif_free(m->fit->context, a->stretched);
    asif_free(m->fit->context, a->room);
}

/* @param how NULL: the coordinates are those of the estimates. */
static asif_status make_along(const making *m, along_ridge *out, const asif_density *from,
                              const asif_per_alpha *how, asif_error *error) {
    const asif_context *c = m->fit->context;
    uint64_t n = m->fit->dimension, many = (1 + ASIF_EVALUATE_BLOCK) * n;
    out->density = ASIF_ARRAY(c, m->clones, asif_density);
    out->stretched = ASIF_ARRAY(c, m->clones, asif_per_alpha_target);
    out->room = ASIF_ARRAY(c, m->clones * many, double);
    if (!out->density || !out->stretched || !out->room)
        return asif_fail_memory(error);
    memcpy(out->density, from, m->clones * sizeof *from);
    for (uint32_t k = 0; how && k < m->clones; k++) {
        double *own = out->room + k * many;
        out->stretched[k] = (asif_per_alpha_target){*how, &from[k], own, own + n};
        out->density[k] = asif_per_alpha_density(&out->stretched[k]);
    }
    return ASIF_OK;
}

/* Densities on the fine lattice, one for each clone. */
static asif_status make_fine(making *m, asif_error *error) {
    asif_target_options options = target_options(m);
    m->fine = asif_alloc(m->fit->context, m->clones, sizeof *m->fine);
    m->fine_density = ASIF_ARRAY(m->fit->context, m->clones, asif_density);
    if (!m->fine || !m->fine_density)
        return asif_fail_memory(error);
    m->fines = m->clones;
    for (uint32_t k = 0; k < m->fines; k++) {
        ASIF_TRY(k ? asif_target_clone(&m->fine[k], m->fine[0], error)
                   : asif_target_create(&m->fine[0], m->options->fine, m->fit->estimates, m->fit->tree,
                                        &options, error));
        m->fine_density[k] = *asif_target_density(m->fine[k]);
    }
    return ASIF_OK;
}

static void drop_fine(making *m) {
    for (uint32_t k = 0; m->fine && k < m->fines; k++)
        asif_target_free(m->fine[k]);
    asif_free(m->fit->context, m->fine);
    asif_free(m->fit->context, m->fine_density);
    m->fine = NULL;
    m->fine_density = NULL;
    m->fines = 0;
}

static asif_status follow_ridge(making *m, double *place, asif_error *error) {
    asif_fit *fit = m->fit;
    uint64_t n = fit->dimension;
    uint32_t places = find_places(m, place);
    along_ridge along = {0}, fine = {0};
    asif_per_alpha how;
    bool stretches = !m->options->plain && asif_per_alpha_find(&how, fit->estimates);
    if (stretches)
        how.centre = m->tops.top[0].x[how.by];
    for (uint32_t i = 0; i < places && stretches; i++)
        asif_per_alpha_forward(&how, place + i * n);
    asif_status status = make_along(m, &along, m->density, stretches ? &how : NULL, error);
    if (status == ASIF_OK && m->options->fine)
        status = make_fine(m, error);
    if (status == ASIF_OK && m->options->fine)
        status = make_along(m, &fine, m->fine_density, stretches ? &how : NULL, error);
    if (status == ASIF_OK) {
        const asif_ridge_request request = {.density = along.density,
                                            .densities = m->clones,
                                            .exact = fine.density,
                                            .scale = m->scale,
                                            .maxima = places,
                                            .maximum = place,
                                            .chains = m->options->sample.chains,
                                            .draws = m->options->sample.draws,
                                            .seed = m->options->sample.seed,
                                            .points = m->options->points};
        status = asif_ridge_sample(&fit->draws, &fit->ridge, fit->context, &request, error);
    }
    free_along(m, &along);
    free_along(m, &fine);
    drop_fine(m);
    return status;
}

static asif_status draw_ridge(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    uint64_t most = m->tops.count + ASIF_MAXIMISE_ENDS(m->options->starts ? m->options->starts : 1);
    ASIF_TRY(make_clones(m, SEARCHES, error));
    double *place = ASIF_ARRAY(fit->context, most * fit->dimension, double);
    asif_status status = place ? follow_ridge(m, place, error) : asif_fail_memory(error);
    asif_free(fit->context, place);
    fit->view.draws = fit->draws;
    fit->view.corrected = fit->ridge.corrected;
    fit->view.correction_moved = fit->ridge.moved;
    fit->thin = 1;
    fit->draws_kept = m->options->sample.draws;
    return status;
}

static asif_status draw(making *m, asif_error *error) {
    static const asif_method methods[ASIF_FIT_ML + 1] = {[ASIF_FIT_NUTS] = ASIF_METHOD_NUTS,
                                                         [ASIF_FIT_METROPOLIS] = ASIF_METHOD_METROPOLIS,
                                                         [ASIF_FIT_PUBLISHED] = ASIF_METHOD_PUBLISHED};
    asif_fit *fit = m->fit;
    asif_sample_options options = m->options->sample;
    options.method = methods[m->method];
    options.start = options.metric = NULL;
    if (m->settled)
        options.warmup = m->options->short_warmup;
    if (options.chains < m->tops.count)
        options.chains = m->tops.count;
    ASIF_TRY(make_clones(m, options.chains, error));
    asif_status status = fit->view.maximised
                             ? draw_around(m, &options, error)
                             : asif_sample(&fit->draws, fit->context, m->density, &options, error);
    drop_clones(m);
    fit->view.draws = fit->draws;
    fit->view.corrected = 0;
    fit->warmup = options.warmup;
    fit->draws_kept = options.draws;
    fit->thin = options.thin;
    return status;
}

/* Set the diagnostics of a column of ridge draws from their weights. The draws are independent, so R-hat has
 * no meaning. */
static void judge_weighted(asif_column_summary *s, const asif_ridge_info *ridge, uint32_t column,
                           uint64_t draws) {
    s->rhat = NAN;
    s->ess_bulk = fmin(ridge->ess_bulk[column], (double)draws);
    s->ess_tail = fmin(ridge->ess_tail[column], (double)draws);
    s->mcse_mean = ridge->mcse_mean[column];
    s->mcse_sd = ridge->mcse_sd[column];
}

static asif_status judge_draws(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_draws_get(fit->draws, &view, error));
    uint64_t all = view.chains * view.draws;
    if (view.columns != fit->view.parameters)
        return asif_fail(error, ASIF_EINVALID, "the draws have %u columns instead of %u", view.columns,
                         fit->view.parameters);
    asif_column_summary *summary = ASIF_ARRAY(fit->context, view.columns, asif_column_summary);
    fit->correlation = ASIF_ARRAY(fit->context, (uint64_t)view.columns * view.columns, double);
    asif_status status = summary && fit->correlation ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t i = 0; status == ASIF_OK && i < view.columns; i++) {
        status =
            asif_summarise(&summary[i], fit->context, view.value + i * all, view.chains, view.draws, error);
        if (view.method == ASIF_METHOD_RIDGE)
            judge_weighted(&summary[i], &fit->ridge, i, all);
        fit->parameter[i].summary = summary[i];
    }
    if (status == ASIF_OK)
        status = asif_draws_trust(&fit->view.trust, fit->draws, summary, error);
    asif_free(fit->context, summary);
    fit->view.trusted = fit->view.trust.good;
    fit->view.correlation = fit->correlation;
    if (status != ASIF_OK)
        return status;
    return asif_verdict_draws(fit->parameter, view.columns, fit->correlation, fit->context, view.value, all,
                              error);
}

/* Turn draws into coordinates of the estimates: of each chain the first `count`. */
static void locate_draws(const making *m, const asif_draws_view *view, uint64_t count, double *number,
                         double *out) {
    for (uint64_t c = 0; c < view->chains; c++)
        for (uint64_t k = 0; k < count; k++, out += m->fit->dimension) {
            for (uint32_t i = 0; i < view->columns; i++)
                number[i] = view->value[(i * view->chains + c) * view->draws + k];
            asif_estimates_locate(m->fit->estimates, number, out);
        }
}

/* Keep the draws of the ridge as a guess for chains, and their first ones as starts if NUTS was not asked
 * for. If there are several tops, no covariance holds for all of them. */
static asif_status guess_along(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    uint64_t n = fit->dimension;
    asif_draws_view view = {.struct_size = sizeof view};
    if (m->tops.count != 1)
        return ASIF_OK;
    ASIF_TRY(asif_draws_get(fit->draws, &view, error));
    double *number = ASIF_ARRAY(fit->context, view.columns, double);
    m->guess = ASIF_ARRAY(fit->context, view.chains * view.draws * n, double);
    m->start = m->options->method == ASIF_FIT_AUTO ? ASIF_ARRAY(fit->context, view.chains * n, double) : NULL;
    bool room = number && m->guess && (m->start || m->options->method != ASIF_FIT_AUTO);
    if (room) {
        m->guesses = view.chains * view.draws;
        locate_draws(m, &view, view.draws, number, m->guess);
        if (m->start)
            locate_draws(m, &view, 1, number, m->start);
    }
    asif_free(fit->context, number);
    return room ? ASIF_OK : asif_fail_memory(error);
}

/* Whether the ridge can be followed. */
static bool has_ridge(const making *m) {
    const asif_density *density = asif_target_density(m->target);
    return m->fit->view.maximised && density->has_gradient && density->dimension <= ASIF_RIDGE_MOST;
}

static bool can_be_short(const making *m) {
    return m->options->short_warmup > 0 && m->options->short_warmup < m->options->sample.warmup;
}

/* Sample by NUTS, after the ridge was followed with the result `status`. */
static asif_status draw_after(making *m, asif_status status, asif_error *error) {
    asif_fit *fit = m->fit;
    if (status != ASIF_OK && status != ASIF_EDOMAIN) /* EDOMAIN: there is no ridge */
        return status;
    if (status == ASIF_OK)
        ASIF_TRY(guess_along(m, error));
    m->settled = m->guess && fit->ridge.good && can_be_short(m);
    asif_draws_free(fit->draws);
    fit->draws = NULL;
    return draw(m, error);
}

/* Sample along the ridge; if that cannot be trusted, by NUTS from there; without gradients, by a random walk.
 */
static asif_status draw_auto(making *m, asif_error *error) {
    asif_fit *fit = m->fit;
    m->method = asif_target_density(m->target)->has_gradient ? ASIF_FIT_NUTS : ASIF_FIT_METROPOLIS;
    if (!has_ridge(m))
        return draw(m, error);
    asif_status status = draw_ridge(m, error);
    if (status == ASIF_OK && fit->ridge.good) {
        m->method = ASIF_FIT_RIDGE;
        return ASIF_OK;
    }
    fit->view.ridge_tried = true;
    fit->view.ridge_khat = status == ASIF_OK ? fit->ridge.k : INFINITY;
    fit->view.ridge_kish = fit->ridge.kish;
    fit->view.ridge_inside = fit->ridge.inside;
    return draw_after(m, status, error);
}

/* Sample by NUTS, which learns the shape of the posterior from draws along its ridge. Its chains start
 * around the maximum all the same, far enough apart for R-hat. */
static asif_status draw_nuts(making *m, asif_error *error) {
    bool helps = can_be_short(m) && has_ridge(m) && m->tops.count == 1;
    return helps ? draw_after(m, draw_ridge(m, error), error) : draw(m, error);
}

static asif_status draw_by(making *m, asif_error *error) {
    m->method = m->options->method;
    ASIF_TRY(m->method == ASIF_FIT_AUTO    ? draw_auto(m, error)
             : m->method == ASIF_FIT_RIDGE ? draw_ridge(m, error)
             : m->method == ASIF_FIT_NUTS  ? draw_nuts(m, error)
                                           : draw(m, error));
    m->fit->view.method = m->method;
    return ASIF_OK;
}

/* Set the maximum to the medians, where the walks for bounds begin if there was no search. */
static void stand_at_medians(const making *m, double *number) {
    for (uint32_t i = 0; i < m->fit->view.parameters; i++)
        number[i] = m->fit->parameter[i].summary.q50;
    asif_estimates_locate(m->fit->estimates, number, m->fit->maximum);
}

/* ---- the whole fit ---- */

static asif_status make(making *m, const asif_work *work, asif_problems *problems, asif_error *error) {
    asif_fit *fit = m->fit;
    asif_fit_method method = m->options->method;
    m->inverse = asif_inverse_named(m->options->inverse ? m->options->inverse : "soft-policy-matching");
    if (m->inverse && !m->inverse->likelihood && method != ASIF_FIT_ML) {
        asif_fail(error, ASIF_EUNSUPPORTED, "%s is no likelihood: it has an answer, but no posterior",
                  m->inverse->name);
        asif_error_hint(error, "fit by the method ml");
        return ASIF_EUNSUPPORTED;
    }
    ASIF_TRY(make_targets(m, work, error));
    if (!m->options->draws_only) {
        ASIF_TRY(asif_histories_choose(fit, m->options->histories, error));
        ASIF_TRY(asif_histories_warn(fit, problems, error));
    }
    double begun = asif_os_seconds();
    if (!m->inverse->likelihood) {
        ASIF_TRY(find_answer(m, error));
        if (asif_target_answers(m->target))
            ASIF_TRY(asif_target_warn(m->target, problems, error));
        fit->view.search_sec = asif_os_seconds() - begun;
        return m->options->draws_only
                   ? ASIF_OK
                   : asif_histories_predict(fit, m->target, fit->maximum, m->options->predictive, error);
    }
    ASIF_TRY(asif_target_warn(m->target, problems, error));
    if (method != ASIF_FIT_PUBLISHED) {
        ASIF_TRY(find_maximum(m, error));
        ASIF_TRY(describe_maximum(m, error));
        ASIF_TRY(find_tops(m, error));
        fit->view.search_sec = asif_os_seconds() - begun;
    }
    if (asif_fit_method_draws(method)) {
        begun = asif_os_seconds();
        ASIF_TRY(draw_by(m, error));
        fit->view.sample_sec = asif_os_seconds() - begun;
        ASIF_TRY(judge_draws(m, error));
        if (!m->options->draws_only) {
            ASIF_TRY(asif_fit_power(fit, m->options->plain || !fit->view.maximised, error));
            ASIF_TRY(asif_fit_combine(fit, error));
            ASIF_TRY(asif_fit_weigh(fit, error));
        }
    } else {
        ASIF_TRY(asif_laplace(fit->parameter, fit->view.parameters, fit->context, fit->estimates,
                              fit->maximum, fit->covariance, &fit->view.curved, error));
        fit->view.trusted = fit->view.starts == 1 || fit->view.search.agree > 1;
        if (method == ASIF_FIT_ML && !m->options->draws_only && !m->inverse->helper)
            ASIF_TRY(asif_errors(fit, m->likelihood, m->options->clusters, error));
    }
    asif_verdict_signs(fit->parameter, fit->view.parameters);
    if (fit->view.maximised)
        ASIF_TRY(asif_fit_tell_tops(fit, &m->tops, m->likelihood, m->options->draws_only, error));
    if (m->options->draws_only)
        return ASIF_OK;
    if (!fit->view.maximised) {
        double *number = ASIF_ARRAY(fit->context, fit->view.parameters, double);
        if (!number)
            return asif_fail_memory(error);
        stand_at_medians(m, number);
        asif_free(fit->context, number);
    }
    ASIF_TRY(asif_bounds(fit->parameter, fit->view.parameters, fit->context, fit->estimates, m->likelihood,
                         fit->maximum, error));
    asif_verdict_judge(fit->parameter, fit->view.parameters);
    if (m->inverse->helper == ASIF_HELPER_NONE)
        ASIF_TRY(asif_rare_find(fit, m->target, fit->maximum, error));
    return asif_histories_predict(fit, m->target, fit->maximum, m->options->predictive, error);
}

static asif_status prepare(making *m, asif_error *error) {
    static const asif_column_summary none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    asif_fit *fit = m->fit;
    uint64_t n = fit->dimension = asif_estimates_dimension(fit->estimates);
    while (asif_estimates_get(fit->estimates, fit->view.parameters))
        fit->view.parameters++;
    fit->parameter = ASIF_ARRAY(fit->context, fit->view.parameters, asif_fit_parameter);
    fit->maximum = ASIF_ARRAY(fit->context, n, double);
    fit->covariance = ASIF_ARRAY(fit->context, n * n, double);
    m->scale = ASIF_ARRAY(fit->context, n, double);
    if (!fit->parameter || !fit->maximum || !fit->covariance || !m->scale)
        return asif_fail_memory(error);
    asif_estimates_scale(fit->estimates, m->scale);
    for (uint32_t i = 0; i < fit->view.parameters; i++)
        fit->parameter[i] = (asif_fit_parameter){.info = asif_estimates_get(fit->estimates, i),
                                                 .summary = none,
                                                 .maximum = NAN,
                                                 .error_outer = NAN,
                                                 .error_clustered = NAN,
                                                 .contraction = NAN,
                                                 .correlation = NAN,
                                                 .with = ASIF_ANY,
                                                 .prior_sensitivity = NAN,
                                                 .likelihood_sensitivity = NAN};
    fit->view.parameter = fit->parameter;
    fit->view.log_posterior = fit->view.log_likelihood = fit->view.objective = NAN;
    return ASIF_OK;
}

static asif_status fill_options(asif_fit_options *out, const asif_fit_options *options, asif_error *error) {
    asif_fit_defaults(out, options ? options->method : ASIF_FIT_AUTO);
    if (!options)
        return ASIF_OK;
    if (options->struct_size == 0 || options->struct_size > sizeof *out)
        return asif_fail(error, ASIF_EDOMAIN, "fit options have an unknown size");
    memcpy(out, options, options->struct_size);
    if (!asif_fit_method_text(out->method))
        return asif_fail(error, ASIF_EDOMAIN, "there is no such method of fitting");
    if (asif_fit_method_draws(out->method) && (out->sample.chains == 0 || out->sample.draws == 0))
        return asif_fail(error, ASIF_EDOMAIN, "a fit needs at least one chain and one draw");
    if (out->begin && out->begins == 0)
        return asif_fail(error, ASIF_EDOMAIN, "a search needs at least one point to begin at");
    out->starts = out->begin ? out->begins : out->starts;
    return ASIF_OK;
}

asif_status asif_fit_estimate(asif_fit **out, const asif_context *context, const asif_work *work,
                              const asif_estimates *estimates, const asif_tree *tree,
                              const asif_fit_options *options, asif_problems *problems, asif_error *error) {
    asif_fit_options filled;
    *out = NULL;
    ASIF_TRY(fill_options(&filled, options, error));
    asif_fit *fit = ASIF_NEW(context, asif_fit);
    if (!fit)
        return asif_fail_memory(error);
    *fit = (asif_fit){
        .context = context, .estimates = ASIF_KEEP(estimates), .tree = tree, .seed = filled.sample.seed};
    asif_tree_keep(tree);
    fit->view.struct_size = sizeof fit->view;
    fit->view.method = fit->view.requested = filled.method;
    fit->count = filled.count ? filled.count : asif_tree_inside(tree)->count;
    making m = {.fit = fit, .options = &filled};
    asif_status status = prepare(&m, error);
    if (status == ASIF_OK)
        status = make(&m, work, problems, error);
    drop_clones(&m);
    if (m.target != m.likelihood)
        asif_target_free(m.target);
    asif_target_free(m.likelihood);
    asif_tops_free(&m.tops);
    asif_free(context, m.scale);
    asif_free(context, m.start);
    asif_free(context, m.guess);
    asif_free(context, m.ends);
    fit->count = NULL;
    if (status != ASIF_OK) {
        asif_fit_free(fit);
        return status;
    }
    *out = fit;
    return ASIF_OK;
}

void asif_fit_free(asif_fit *fit) {
    if (!fit)
        return;
    const asif_context *context = fit->context;
    asif_draws_free(fit->draws);
    asif_ridge_info_free(&fit->ridge, context);
    void *const arrays[] = {fit->parameter, fit->correlation, fit->history,       fit->shares,
                            fit->maximum,   fit->covariance,  fit->combination,   fit->never,
                            fit->all_in,    fit->top,         fit->top_parameter, fit->chain};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_estimates_free(ASIF_KEPT(asif_estimates, fit->estimates));
    asif_tree_free(ASIF_KEPT(asif_tree, fit->tree));
    asif_free(context, fit);
}

asif_status asif_fit_get(const asif_fit *fit, asif_fit_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &fit->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
