#include "sample/ridge/mixture.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define REACH 6    /* neighbours to each side whose points count too, with decreasing weight */
#define KEPT 0.1   /* share of the old weights that is kept */
#define PRIOR 10.0 /* the old centre and spread count as PRIOR + PRIOR_N * n points */
#define PRIOR_N 3.0

/* Weighted sums over the points of each component, around its centre. */
typedef struct {
    uint64_t each;
    double *sum; /* [count][each]: share of the points; then, with the weights of a t distribution, moments of
                    order 0, 1 and 2 */
} moments;

static double *of(const moments *s, uint32_t k) {
    return s->sum + k * s->each;
}

/* Expectation step of the EM algorithm: a point is shared among the components by their densities. Far points
 * count less, as in a t distribution. */
static void add_point(moments *s, const asif_mixture *m, const double *x, double weight, double *part) {
    uint32_t n = m->n;
    double all = asif_mixture_density(m, x, part), away[ASIF_RIDGE_MOST];
    for (uint32_t k = 0; all > 0 && k < m->count; k++) {
        double share = weight * part[k] / all, *sum = of(s, k), square = 0;
        if (m->ridge[k] < 0 || share < 1e-12 * weight)
            continue;
        for (uint32_t i = 0; i < n; i++)
            away[i] = x[i] - m->centre[(uint64_t)k * n + i];
        for (uint32_t i = 0; i < n; i++) {
            double z = 0;
            for (uint32_t j = 0; j < n; j++)
                z += m->inverse[((uint64_t)k * n + i) * n + j] * away[j];
            square += z * z;
        }
        double near = share * (ASIF_MIXTURE_DEGREES + n) / (ASIF_MIXTURE_DEGREES + square);
        sum[0] += share;
        sum[1] += near;
        for (uint32_t i = 0; i < n; i++) {
            sum[2 + i] += near * away[i];
            for (uint32_t j = 0; j < n; j++)
                sum[2 + n + (uint64_t)i * n + j] += near * away[i] * away[j];
        }
    }
}

/* Sum the moments of a component and of its neighbours on the same ridge. */
static void pool(double *out, const moments *s, const asif_mixture *m, uint32_t k) {
    memset(out, 0, s->each * sizeof *out);
    for (uint32_t j = k < REACH ? 0 : k - REACH; j < m->count && j <= k + REACH; j++) {
        double part = 1 - fabs((double)j - k) / (REACH + 1);
        for (uint64_t i = 0; m->ridge[j] == m->ridge[k] && i < s->each; i++)
            out[i] += part * of(s, j)[i];
    }
}

/* Move centre and spread of a component towards pooled moments; `effective` is the effective sample size of
 * all points. The centre moves only across the ridge. */
static void move(asif_mixture *m, uint32_t k, const double *pooled, double effective) {
    uint32_t n = m->n;
    double *centre = m->centre + (uint64_t)k * n, *spread = m->spread + (uint64_t)k * n * n;
    double along[ASIF_RIDGE_MOST], c[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], step = 0, forward = 0;
    double points = effective * pooled[1], share = points / (points + PRIOR + PRIOR_N * n);
    double within = ASIF_MIXTURE_WIDER * ASIF_MIXTURE_WIDER;
    for (uint32_t i = 0; i < n; i++)
        step += spread[(uint64_t)i * n] * spread[(uint64_t)i * n];
    step = sqrt(step);
    if (!(pooled[1] > 0) || !(step > 0))
        return;
    for (uint32_t i = 0; i < n; i++) {
        along[i] = spread[(uint64_t)i * n] / step;
        forward += along[i] * pooled[2 + i] / pooled[1];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double old = 0, mean = pooled[2 + i] / pooled[1] * pooled[2 + j] / pooled[1];
            for (uint32_t a = 1; a < n; a++)
                old += spread[(uint64_t)i * n + a] * spread[(uint64_t)j * n + a] / within;
            c[(uint64_t)i * n + j] =
                (1 - share) * old + share * (pooled[2 + n + (uint64_t)i * n + j] / pooled[1] - mean);
        }
    for (uint32_t i = 0; i < n; i++)
        centre[i] += share * (pooled[2 + i] / pooled[1] - forward * along[i]);
    asif_mixture_set_spread(spread, n, along, step, c);
}

asif_status asif_mixture_adapt(asif_mixture *m, const double *x, const double *weight, uint64_t count,
                               double effective, asif_error *error) {
    uint64_t n = m->n, each = 2 + n + n * n;
    double *part = ASIF_ARRAY(m->context, m->count + each, double), sum = 0, ridges = 0;
    moments s = {each, ASIF_ARRAY(m->context, m->count * each, double)};
    asif_status status = part && s.sum ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < count; i++)
        if (weight[i] > 0)
            add_point(&s, m, x + i * n, weight[i], part);
    for (uint32_t k = 0; status == ASIF_OK && k < m->count; k++)
        if (m->ridge[k] >= 0) {
            pool(part, &s, m, k);
            move(m, k, part, effective);
            /* Weights are smoothed over neighbours too. */
            part[each + k] = part[0];
            sum += part[0];
            ridges += m->weight[k];
        }
    for (uint32_t k = 0; sum > 0 && k < m->count; k++)
        if (m->ridge[k] >= 0)
            m->height[k] = log((1 - KEPT) * ridges * part[each + k] / sum + KEPT * m->weight[k]);
        else
            m->height[k] = log(m->weight[k]);
    asif_free(m->context, part);
    asif_free(m->context, s.sum);
    return status;
}
