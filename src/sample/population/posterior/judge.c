/* What error the table makes in the posterior, over all of it and not at its maximum alone (maximum.c). There
 * the table may be fine, and too coarse for populations that are narrower. */
#include "base/error.h"
#include "base/memory.h"
#include "sample/population/population.h"

#include <math.h>
#include <string.h>

#define JUDGED 64 /* draws */

typedef struct {
    double phi[JUDGED * ASIF_POPULATION_NUMBERS], number[JUDGED][ASIF_POPULATION_NUMBERS];
    double value[ASIF_SCRAMBLES + 1][JUDGED]; /* log-likelihoods without each scramble, and with all points */
    double mean[ASIF_POPULATION_NUMBERS], sd[ASIF_POPULATION_NUMBERS];
    double shift[ASIF_SCRAMBLES][ASIF_POPULATION_NUMBERS];
} judged;

static void choose(judged *j, const asif_population_fit *fit) {
    uint64_t n = fit->numbers;
    for (uint64_t i = 0; i < JUDGED; i++) {
        memcpy(j->phi + i * n, fit->phi + (2 * i + 1) * fit->count / (uint64_t)(2 * JUDGED) * n,
               n * sizeof *j->phi);
        asif_population_report(&fit->population, j->phi + i * n, j->number[i]);
    }
    for (uint64_t k = 0; k < n; k++) {
        double square = 0;
        j->mean[k] = 0;
        for (uint64_t i = 0; i < JUDGED; i++)
            j->mean[k] += j->number[i][k] / JUDGED;
        for (uint64_t i = 0; i < JUDGED; i++)
            square += (j->number[i][k] - j->mean[k]) * (j->number[i][k] - j->mean[k]);
        j->sd[k] = sqrt(square / JUDGED);
    }
}

/* By how much the mean of number k moves without the points of a scramble: to first order by the covariance,
 * over the draws, of the number and of what the log-likelihood changes. */
static double shift(const judged *j, uint32_t scramble, uint64_t k) {
    const double *less = j->value[scramble], *all = j->value[ASIF_SCRAMBLES];
    double mean = 0, sum = 0;
    for (int i = 0; i < JUDGED; i++)
        mean += (less[i] - all[i]) / JUDGED;
    for (int i = 0; i < JUDGED; i++)
        sum += (less[i] - all[i] - mean) * (j->number[i][k] - j->mean[k]) / JUDGED;
    return sum;
}

asif_status asif_population_judge_draws(asif_population_fit *fit, asif_marginal_work *work,
                                        asif_error *error) {
    judged *j = ASIF_NEW(fit->context, judged);
    if (!j)
        return asif_fail_memory(error);
    choose(j, fit);
    asif_status status = asif_marginal_without_each(work, j->phi, JUDGED, j->value[0], error);
    for (uint32_t s = 0; status == ASIF_OK && s < ASIF_SCRAMBLES; s++)
        for (uint64_t k = 0; k < fit->numbers; k++)
            j->shift[s][k] = shift(j, s, k);
    if (status == ASIF_OK)
        asif_population_take_error(fit, j->shift, j->sd);
    asif_free(fit->context, j);
    return status;
}
