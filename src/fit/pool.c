/* The mixture of several posteriors of the same numbers in equal parts, from draws of each. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/draws.h"
#include "sample/effective.h"

#include <math.h>
#include <string.h>

typedef struct {
    const asif_fit *fit;
    asif_fit *const *part;
    uint32_t parts, columns, chains;
    uint64_t each; /* draws of a part in each chain */
    asif_draws *draws;
    asif_column_summary *summary; /* [columns] */
    double *mean;                 /* [parts] */
} pooling;

/* ---- draws ---- */

static asif_status check(const pooling *p, asif_error *error) {
    bool good = p->parts > 0;
    for (uint32_t k = 0; k < p->parts && good; k++)
        good = p->part[k]->draws && p->part[k]->draws->view.columns == p->columns;
    return good ? ASIF_OK : asif_fail(error, ASIF_EINVALID, "fits cannot be pooled: one has other numbers");
}

/* Copy the i-th of all draws that are taken of a part. */
static void take(const pooling *p, const asif_draws *from, uint64_t i, uint32_t chain, uint64_t to) {
    uint64_t taken = p->each * p->chains, all = from->view.chains * from->view.draws;
    uint64_t at = (2 * i + 1) * all / (2 * taken);
    for (uint32_t c = 0; c < p->columns; c++)
        asif_draws_values(p->draws, c, chain)[to] = from->view.value[c * all + at];
    for (uint32_t s = 0; s < ASIF_STAT_COUNT; s++)
        asif_draws_stats(p->draws, (asif_stat)s, chain)[to] = from->view.stat[s * all + at];
}

static void fill(const pooling *p) {
    asif_draws_view *view = &p->draws->view;
    view->method = p->parts == 1 ? p->part[0]->draws->view.method : ASIF_METHOD_RIDGE;
    view->max_depth = p->part[0]->draws->view.max_depth;
    view->inside = true;
    view->thin = 1;
    view->seed = p->fit->seed;
    view->khat = -INFINITY;
    view->kish = INFINITY;
    for (uint32_t k = 0; k < p->parts; k++) {
        const asif_draws *from = p->part[k]->draws;
        for (uint32_t c = 0; c < p->chains; c++)
            for (uint64_t i = 0; i < p->each; i++)
                take(p, from, c * p->each + i, c, k * p->each + i);
        view->evaluations += from->view.evaluations;
        if (from->view.method != ASIF_METHOD_RIDGE)
            continue;
        view->inside = view->inside && from->view.inside;
        view->khat = fmax(view->khat, from->view.khat);
        view->kish = fmin(view->kish, from->view.kish);
    }
    if (isinf(view->kish))
        view->khat = view->kish = NAN;
}

/* ---- errors of estimates from few parts ---- */

/* Mean of a function of the draws of a part: of x, of (x - centre)^2, or of x <= centre. */
typedef enum { OF_VALUE, OF_SQUARE, OF_SHARE } moment;

static double mean_of(const pooling *p, uint32_t column, uint32_t part, moment which, double centre) {
    double sum = 0;
    for (uint32_t c = 0; c < p->chains; c++) {
        const double *x = asif_draws_values(p->draws, column, c) + part * p->each;
        for (uint64_t i = 0; i < p->each; i++)
            sum += which == OF_VALUE    ? x[i]
                   : which == OF_SQUARE ? (x[i] - centre) * (x[i] - centre)
                                        : (double)(x[i] <= centre);
    }
    return sum / (double)(p->each * p->chains);
}

/* Standard error of a mean over the parts. Parts are independent, and the draws of a part are not. */
static double error_of(const pooling *p, uint32_t column, moment which, double centre) {
    for (uint32_t k = 0; k < p->parts; k++)
        p->mean[k] = mean_of(p, column, k, which, centre);
    double mean = asif_mean(p->mean, p->parts);
    return p->parts > 1 ? sqrt(asif_variance(p->mean, p->parts, mean) / p->parts) : NAN;
}

static double share_size(const pooling *p, uint32_t column, double quantile, double share) {
    double error = error_of(p, column, OF_SHARE, quantile);
    return share * (1 - share) / (error * error);
}

static asif_status summarise(const pooling *p, uint32_t column, double *share, double *mean,
                             asif_error *error) {
    asif_column_summary *s = &p->summary[column];
    double all = (double)(p->parts * p->each * p->chains), between = 0, within = 0;
    ASIF_TRY(asif_summarise(s, p->fit->context, asif_draws_values(p->draws, column, 0), p->chains,
                            p->parts * p->each, error));
    if (p->parts == 1) { /* these are chains of one posterior, with errors of their own */
        mean[column] = s->mean;
        share[column] = 0;
        return ASIF_OK;
    }
    s->rhat = NAN;
    s->mcse_mean = error_of(p, column, OF_VALUE, 0);
    for (uint32_t k = 0; k < p->parts; k++) {
        mean[(uint64_t)k * p->columns + column] = p->mean[k];
        between += (p->mean[k] - s->mean) * (p->mean[k] - s->mean) / p->parts;
        within += mean_of(p, column, k, OF_SQUARE, p->mean[k]) / p->parts;
    }
    share[column] = between / (between + within);
    s->mcse_sd = error_of(p, column, OF_SQUARE, s->mean) / (2 * s->sd);
    s->ess_bulk = fmin(all, (between + within) / (s->mcse_mean * s->mcse_mean));
    s->ess_tail = fmin(all, fmin(share_size(p, column, s->q05, 0.05), share_size(p, column, s->q95, 0.95)));
    return ASIF_OK;
}

/* ---- the fit ---- */

/* The worst of the diagnostics of the parts. */
static asif_trust trust_of(const pooling *p) {
    asif_trust out = {.worst_rhat = NAN, .least_ess = INFINITY, .least_ebfmi = NAN, .good = true};
    double accept = 0;
    for (uint32_t k = 0; k < p->parts; k++) {
        const asif_fit_view *v = &p->part[k]->view;
        bool ridge = v->method == ASIF_FIT_RIDGE;
        out.divergent += v->trust.divergent;
        out.deepest += v->trust.deepest;
        out.worst_rhat = fmax(out.worst_rhat, v->trust.worst_rhat);
        out.least_ebfmi = fmin(out.least_ebfmi, v->trust.least_ebfmi);
        out.good = out.good && (ridge ? p->part[k]->ridge.good : v->trusted) && !v->rivals;
        accept += v->trust.accept;
    }
    for (uint32_t c = 0; c < p->columns; c++) {
        double least = fmin(p->summary[c].ess_bulk, p->summary[c].ess_tail);
        if (least < out.least_ess) {
            out.least_ess = least;
            out.least_column = c;
        }
    }
    out.accept = accept / p->parts;
    out.khat = p->draws->view.khat;
    out.kish = p->draws->view.kish;
    return out;
}

static asif_status put(asif_fit *fit, const pooling *p, double *correlation, asif_error *error) {
    uint64_t all = p->parts * p->each * p->chains;
    for (uint32_t c = 0; c < p->columns; c++)
        fit->parameter[c].summary = p->summary[c];
    asif_draws_free(fit->draws);
    fit->view.draws = fit->draws = p->draws;
    asif_free(fit->context, fit->correlation);
    fit->view.correlation = fit->correlation = correlation;
    if (p->parts == 1)
        ASIF_TRY(asif_draws_trust(&fit->view.trust, p->draws, p->summary, error));
    else
        fit->view.trust = trust_of(p);
    fit->view.trusted = fit->view.trust.good;
    fit->thin = 1;
    fit->draws_kept = p->parts * p->each;
    ASIF_TRY(asif_verdict_draws(fit->parameter, p->columns, correlation, fit->context, p->draws->view.value,
                                all, error));
    asif_free(fit->context, fit->combination);
    fit->combination = NULL;
    fit->view.combination = NULL;
    fit->view.combinations = 0;
    ASIF_TRY(asif_fit_combine(fit, error));
    return asif_fit_weigh(fit, error);
}

asif_status asif_fit_pool(asif_fit *fit, asif_fit *const *part, uint32_t parts, double *share, double *mean,
                          asif_error *error) {
    pooling p = {.fit = fit, .part = part, .parts = parts, .columns = fit->view.parameters};
    if (!fit->draws)
        return asif_fail(error, ASIF_EINVALID, "fits cannot be pooled: there are no draws");
    ASIF_TRY(check(&p, error));
    const asif_draws_view *view = &fit->draws->view;
    p.chains = view->chains;
    p.each = (view->draws + parts - 1) / parts;
    p.summary = ASIF_ARRAY(fit->context, p.columns, asif_column_summary);
    p.mean = ASIF_ARRAY(fit->context, parts, double);
    double *correlation = ASIF_ARRAY(fit->context, (uint64_t)p.columns * p.columns, double);
    asif_status status = p.summary && p.mean && correlation ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_draws_create(&p.draws, fit->context, p.chains, parts * p.each, p.columns, view->name, 0,
                                   error);
    if (status == ASIF_OK)
        fill(&p);
    for (uint32_t c = 0; status == ASIF_OK && c < p.columns; c++)
        status = summarise(&p, c, share, mean, error);
    if (status == ASIF_OK) {
        status = put(fit, &p, correlation, error);
    } else {
        asif_draws_free(p.draws);
        asif_free(fit->context, correlation);
    }
    asif_free(fit->context, p.summary);
    asif_free(fit->context, p.mean);
    return status;
}
