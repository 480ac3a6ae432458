#include "sample/ridge/weighted.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double asif_weighted_kish(const asif_weighted *p) {
    double squares = 0;
    for (uint64_t i = 0; i < p->count; i++)
        squares += p->weight[i] * p->weight[i];
    return 1 / squares;
}

static int ascending(const void *a, const void *b) {
    const asif_ranked *x = a, *y = b;
    int order = asif_ascending(&x->key, &y->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

asif_ranked *asif_rank(const asif_context *context, const double *key, uint64_t count) {
    asif_ranked *order = ASIF_ARRAY(context, count, asif_ranked);
    for (uint64_t i = 0; order && i < count; i++)
        order[i] = (asif_ranked){key[i], i};
    if (order)
        qsort(order, (size_t)count, sizeof *order, ascending);
    return order;
}

/* ---- draws ---- */

/* Systematic resampling: fill `chosen` [all] with the points at every 1/all of the weight; u is the
 * offset. */
static void choose(uint64_t *chosen, uint64_t all, const asif_weighted *p, const asif_ranked *order,
                   double u) {
    double below = 0;
    uint64_t made = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        below += p->weight[order[i].index];
        for (; made < all && ((double)made + u) / (double)all < below; made++)
            chosen[made] = order[i].index;
    }
    for (; made < all; made++) /* entries left empty by rounding */
        chosen[made] = made ? chosen[made - 1] : order[0].index;
}

static void shuffle(uint64_t *index, uint64_t count, const asif_stream *stream) {
    for (uint64_t i = count; i > 1; i--) {
        uint64_t k = (uint64_t)(asif_uniform(stream, (uint32_t)i) * (double)i), kept = index[i - 1];
        index[i - 1] = index[k];
        index[k] = kept;
    }
}

static void fill_covariance(double *out, const asif_weighted *p) {
    uint32_t n = p->n;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b <= a; b++) {
            double one = 0, other = 0, both = 0;
            for (uint64_t i = 0; i < p->count; i++) {
                one += p->weight[i] * p->x[i * n + a];
                other += p->weight[i] * p->x[i * n + b];
            }
            for (uint64_t i = 0; i < p->count; i++)
                both += p->weight[i] * (p->x[i * n + a] - one) * (p->x[i * n + b] - other);
            out[(uint64_t)a * n + b] = out[(uint64_t)b * n + a] = both;
        }
}

static void report(const asif_density *d, const double *x, double *row) {
    if (d->reported)
        d->report(d->user, x, row);
    else
        memcpy(row, x, d->dimension * sizeof *x);
}

static void fill_chain(asif_draws *draws, uint32_t chain, const asif_weighted *p, const asif_density *d,
                       const uint64_t *chosen, double *row) {
    for (uint64_t i = 0; i < draws->view.draws; i++) {
        uint64_t k = chosen[i];
        report(d, p->x + k * p->n, row);
        for (uint32_t c = 0; c < draws->view.columns; c++)
            asif_draws_values(draws, c, chain)[i] = row[c];
        asif_draws_stats(draws, ASIF_STAT_LP, chain)[i] = p->value[k];
        asif_draws_stats(draws, ASIF_STAT_ACCEPT, chain)[i] = 1;
    }
    fill_covariance(asif_draws_metric(draws, chain), p);
}

asif_status asif_weighted_resample(asif_draws **out, const asif_context *context, const asif_weighted *p,
                                   const asif_ridge_request *request, asif_error *error) {
    const asif_density *d = request->density;
    uint64_t all = request->chains * request->draws;
    uint32_t columns = d->reported ? d->reported : d->dimension;
    asif_stream stream = {request->seed, ASIF_FOR_RIDGES, 0};
    asif_ranked *order = asif_rank(context, p->place, p->count);
    uint64_t *chosen = ASIF_ARRAY(context, all, uint64_t),
             *own = ASIF_ARRAY(context, request->draws, uint64_t);
    double *row = ASIF_ARRAY(context, columns, double);
    asif_status status = order && chosen && own && row ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_draws_create(out, context, request->chains, request->draws, columns,
                                   d->reported ? d->name : NULL, d->dimension, error);
    if (status == ASIF_OK) {
        choose(chosen, all, p, order, asif_uniform(&stream, 0));
        for (uint32_t c = 0; c < request->chains; c++) {
            stream.index = c + 1;
            for (uint64_t i = 0; i < request->draws; i++)
                own[i] = chosen[i * request->chains + c];
            shuffle(own, request->draws, &stream);
            fill_chain(*out, c, p, d, own, row);
        }
        asif_draws_view *view = &(*out)->view;
        view->method = ASIF_METHOD_RIDGE;
        view->thin = 1;
        view->seed = request->seed;
    }
    void *const arrays[] = {order, chosen, own, row};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}

/* ---- effective sample sizes ---- */

/* The quantile at this share of the weight. */
static double quantile(const asif_weighted *p, const asif_ranked *order, double share) {
    double below = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        below += p->weight[order[i].index];
        if (below >= share)
            return order[i].key;
    }
    return order[p->count - 1].key;
}

/* Effective sample size of the share of values up to the limit: the variance of one over the variance of the
 * estimate. */
static double share_size(const asif_weighted *p, const double *v, double limit) {
    double share = 0, error = 0;
    for (uint64_t i = 0; i < p->count; i++)
        share += v[i] <= limit ? p->weight[i] : 0;
    for (uint64_t i = 0; i < p->count; i++) {
        double off = (v[i] <= limit) - share;
        error += p->weight[i] * p->weight[i] * off * off;
    }
    return share * (1 - share) / error;
}

static void judge_column(asif_ridge_info *info, uint32_t c, const asif_weighted *p, const double *v,
                         const asif_ranked *order) {
    double mean = 0, variance = 0, of_mean = 0, of_variance = 0;
    for (uint64_t i = 0; i < p->count; i++)
        mean += p->weight[i] * v[i];
    for (uint64_t i = 0; i < p->count; i++)
        variance += p->weight[i] * (v[i] - mean) * (v[i] - mean);
    for (uint64_t i = 0; i < p->count; i++) {
        double w = p->weight[i] * p->weight[i], square = (v[i] - mean) * (v[i] - mean);
        of_mean += w * square;
        of_variance += w * (square - variance) * (square - variance);
    }
    info->ess_bulk[c] = variance / of_mean;
    info->ess_tail[c] =
        fmin(share_size(p, v, quantile(p, order, 0.05)), share_size(p, v, quantile(p, order, 0.95)));
    info->mcse_mean[c] = sqrt(of_mean);
    info->mcse_sd[c] = sqrt(of_variance / variance) / 2;
}

asif_status asif_weighted_judge(asif_ridge_info *info, const asif_context *context, const asif_weighted *p,
                                const asif_density *d, asif_error *error) {
    uint32_t columns = d->reported ? d->reported : d->dimension;
    double *v = ASIF_ARRAY(context, p->count, double), *row = ASIF_ARRAY(context, columns, double);
    info->ess_bulk = ASIF_ARRAY(context, 4 * (uint64_t)columns, double);
    asif_status status = v && row && info->ess_bulk ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        info->ess_tail = info->ess_bulk + columns;
        info->mcse_mean = info->ess_tail + columns;
        info->mcse_sd = info->mcse_mean + columns;
    }
    for (uint32_t c = 0; status == ASIF_OK && c < columns; c++) {
        for (uint64_t i = 0; i < p->count; i++) {
            report(d, p->x + i * p->n, row);
            v[i] = row[c];
        }
        asif_ranked *order = asif_rank(context, v, p->count);
        if (order)
            judge_column(info, c, p, v, order);
        else
            status = asif_fail_memory(error);
        asif_free(context, order);
    }
    asif_free(context, v);
    asif_free(context, row);
    return status;
}

void asif_ridge_info_free(asif_ridge_info *info, const asif_context *context) {
    asif_free(context, info->ess_bulk);
    *info = (asif_ridge_info){0};
}
