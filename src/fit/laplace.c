/* Estimates and intervals from the curvature at a maximum. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "theta/estimates.h"

#include <math.h>

#define NORMAL_Q95 1.6448536269514722
#define NO_CURVATURE 100 /* natural scales: a number with a larger standard deviation is undetermined */
#define STEP 1e-4        /* of the natural scale; the numbers are smooth in the coordinates */

/* Compute the derivatives of all numbers on their lines: slope[count][dimension]. */
static void differentiate(double *slope, const asif_fit_parameter *parameter, uint32_t count,
                          const asif_estimates *estimates, const double *x, const double *scale, double *at,
                          double *low, double *high) {
    uint32_t n = asif_estimates_dimension(estimates);
    for (uint32_t j = 0; j < n; j++)
        at[j] = x[j];
    for (uint32_t j = 0; j < n; j++) {
        double step = STEP * scale[j];
        at[j] = x[j] - step;
        asif_estimates_report(estimates, at, low);
        at[j] = x[j] + step;
        asif_estimates_report(estimates, at, high);
        at[j] = x[j];
        for (uint32_t i = 0; i < count; i++)
            slope[i * n + j] = (asif_estimate_line(parameter[i].info, high[i]) -
                                asif_estimate_line(parameter[i].info, low[i])) /
                               (2 * step);
    }
}

/* Set the interval of a number without curvature: everything between its limits. */
static void fill_unknown(asif_fit_parameter *p, double number) {
    p->summary.mean = p->summary.q50 = number;
    p->summary.sd = INFINITY;
    p->summary.q05 = p->info->low;
    p->summary.q95 = p->info->high;
}

static void fill(asif_fit_parameter *p, double number, double sd_on_line) {
    double at = asif_estimate_line(p->info, number), away = NORMAL_Q95 * sd_on_line;
    double a = asif_line_back(p->info, at - away), b = asif_line_back(p->info, at + away);
    double small = 1e-4 * sd_on_line;
    double slope =
        small > 0 ? (asif_line_back(p->info, at + small) - asif_line_back(p->info, at - small)) / (2 * small)
                  : 1;
    p->summary = (asif_column_summary){.mean = number,
                                       .q50 = number,
                                       .sd = sd_on_line * fabs(slope),
                                       .q05 = fmin(a, b),
                                       .q95 = fmax(a, b),
                                       .rhat = NAN,
                                       .ess_bulk = NAN,
                                       .ess_tail = NAN,
                                       .mcse_mean = NAN,
                                       .mcse_sd = NAN};
}

asif_status asif_laplace(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                         const asif_estimates *estimates, const double *x, const double *covariance,
                         bool *curved, asif_error *error) {
    uint64_t n = asif_estimates_dimension(estimates);
    double *slope = ASIF_ARRAY(context, count * n, double);
    double *room = ASIF_ARRAY(context, 3 * n + 2 * (uint64_t)count, double);
    asif_status status = slope && room ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        double *scale = room, *at = room + n, *moved = at + n, *low = moved + n, *high = low + count;
        asif_estimates_scale(estimates, scale);
        differentiate(slope, parameter, count, estimates, x, scale, at, low, high);
        asif_estimates_report(estimates, x, low);
        for (uint32_t i = 0; i < count; i++) {
            double variance = 0, natural = 0;
            asif_dense_times(covariance, (uint32_t)n, (uint32_t)n, slope + i * n, moved);
            for (uint64_t j = 0; j < n; j++)
                variance += slope[i * n + j] * moved[j];
            for (uint64_t j = 0; j < n; j++)
                natural += slope[i * n + j] * slope[i * n + j] * scale[j] * scale[j];
            bool known = variance < NO_CURVATURE * NO_CURVATURE * natural;
            if (known)
                fill(&parameter[i], low[i], sqrt(fmax(0, variance)));
            else
                fill_unknown(&parameter[i], low[i]);
            *curved = *curved && known;
        }
    }
    asif_free(context, slope);
    asif_free(context, room);
    return status;
}
