/* Verdicts: how far the draws determine each number. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define CONTRACTION_YES 0.9
#define CONTRACTION_NO 0.25
#define CORRELATION_YES 0.9 /* correlation above which two numbers cannot be separated */

const char *asif_identified_text(asif_identified identified) {
    static const char *const text[] = {NULL, "no", "weakly", "yes"};
    return text[identified];
}

const char *asif_doubt_text(asif_doubt doubt) {
    static const char *const text[] = {NULL, "assumptions", "decisions", "subjects", "misfit", "tops"};
    return text[doubt];
}

asif_identified asif_identified_doubted(asif_identified identified, asif_doubt doubt) {
    if (doubt == ASIF_DOUBT_TOPS)
        return ASIF_IDENTIFIED_NO;
    if (doubt == ASIF_DOUBT_NONE || identified == ASIF_IDENTIFIED_UNKNOWN)
        return identified;
    return identified == ASIF_IDENTIFIED_YES ? ASIF_IDENTIFIED_WEAKLY : identified;
}

/* Contraction of an interval on the line; NaN: unknown. */
static double contraction_of(const asif_estimate_info *info, double low, double high) {
    double prior = fabs(info->prior_q95 - info->prior_q05), posterior = fabs(high - low);
    if (!info->proper || !(prior > 0) || !isfinite(posterior))
        return NAN;
    return 1 - (posterior / prior) * (posterior / prior);
}

static double line_contraction(const asif_fit_parameter *p) {
    return contraction_of(p->info, asif_estimate_line(p->info, p->summary.q05),
                          asif_estimate_line(p->info, p->summary.q95));
}

/* Set `out` to deviations from the mean on the line, scaled to length 1; all 0 if the number never
 * changes. */
static void standardise(double *out, const asif_estimate_info *info, const double *value, uint64_t n) {
    double mean = 0, sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        out[i] = asif_estimate_line(info, value[i]);
        mean += (out[i] - mean) / (double)(i + 1);
    }
    for (uint64_t i = 0; i < n; i++) {
        out[i] -= mean;
        sum += out[i] * out[i];
    }
    double length = sqrt(sum);
    bool still = !(length > 1e-12 * sqrt((double)n) * fmax(1e-300, fabs(mean))) || !isfinite(length);
    for (uint64_t i = 0; i < n; i++)
        out[i] = still ? 0 : out[i] / length;
}

static void find_partners(asif_fit_parameter *parameter, uint32_t count, const double *correlation) {
    for (uint32_t i = 0; i < count; i++) {
        asif_fit_parameter *p = &parameter[i];
        p->with = ASIF_ANY;
        p->correlation = NAN;
        for (uint32_t k = 0; k < count; k++) {
            double r = correlation[(uint64_t)i * count + k];
            if (k == i || isnan(r) || asif_same_distribution(p->info, parameter[k].info))
                continue;
            if (p->with == ASIF_ANY || fabs(r) > fabs(p->correlation)) {
                p->with = k;
                p->correlation = r;
            }
        }
    }
}

/* Whether an interval that contains 0 is narrow even after it is widened to be symmetric around 0. */
static bool near_zero(const asif_fit_parameter *p) {
    double far = fmax(fabs(p->summary.q05), fabs(p->summary.q95));
    return p->sign == ASIF_SIGN_UNKNOWN && !p->flat_below && !p->flat_above &&
           contraction_of(p->info, asif_estimate_line(p->info, -far), asif_estimate_line(p->info, far)) >=
               CONTRACTION_YES;
}

/* The contraction that is judged. A number between two limits whose likelihood stays flat down to one of
 * them, such as a share of lapses that may be 0, has a long tail on the line, so that it looks as wide as its
 * prior: there the number itself is judged. */
static double judged_contraction(const asif_fit_parameter *p) {
    const asif_estimate_info *info = p->info;
    if (info->line != ASIF_LINE_LOGIT || p->flat_below == p->flat_above || !info->proper)
        return p->contraction;
    double prior = fabs(asif_line_back(info, info->prior_q95) - asif_line_back(info, info->prior_q05));
    double share = fabs(p->summary.q95 - p->summary.q05) / prior;
    return prior > 0 ? fmax(p->contraction, 1 - share * share) : p->contraction;
}

/* The verdict for sides on which the likelihood does not become flat. If only one side is bounded, the sign
 * need not be known. */
static asif_identified judge(const asif_fit_parameter *p) {
    double contraction = judged_contraction(p);
    if (isnan(contraction))
        return ASIF_IDENTIFIED_UNKNOWN;
    if (contraction < CONTRACTION_NO)
        return ASIF_IDENTIFIED_NO;
    bool apart = p->with == ASIF_ANY || fabs(p->correlation) <= CORRELATION_YES;
    bool signed_or_not = p->sign != ASIF_SIGN_UNKNOWN || p->near_zero || p->flat_below != p->flat_above;
    return contraction >= CONTRACTION_YES && apart && signed_or_not ? ASIF_IDENTIFIED_YES
                                                                    : ASIF_IDENTIFIED_WEAKLY;
}

static asif_identified judge_side(asif_identified both, bool flat) {
    return flat && both != ASIF_IDENTIFIED_UNKNOWN ? ASIF_IDENTIFIED_NO : both;
}

void asif_verdict_judge(asif_fit_parameter *parameter, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        asif_fit_parameter *p = &parameter[i];
        p->near_zero = near_zero(p);
        asif_identified both = judge(p);
        p->identified_below = judge_side(both, p->flat_below);
        p->identified_above = judge_side(both, p->flat_above);
        p->identified = p->identified_below < p->identified_above ? p->identified_below : p->identified_above;
    }
}

asif_status asif_verdict_draws(asif_fit_parameter *parameter, uint32_t count, double *correlation,
                               const asif_context *context, const double *value, uint64_t draws,
                               asif_error *error) {
    double *on_line = ASIF_ARRAY(context, count * draws, double);
    if (!on_line)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        standardise(on_line + i * draws, parameter[i].info, value + i * draws, draws);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double r = 0, size = 0;
            for (uint64_t d = 0; d < draws; d++) {
                r += on_line[i * draws + d] * on_line[k * draws + d];
                size += fabs(on_line[i * draws + d]) * fabs(on_line[k * draws + d]);
            }
            r = size > 0 ? fmax(-1, fmin(1, r)) : NAN;
            correlation[(uint64_t)i * count + k] = correlation[(uint64_t)k * count + i] = i == k ? 1 : r;
        }
    asif_free(context, on_line);
    find_partners(parameter, count, correlation);
    for (uint32_t i = 0; i < count; i++)
        parameter[i].contraction = line_contraction(&parameter[i]);
    asif_verdict_signs(parameter, count);
    asif_verdict_judge(parameter, count);
    return ASIF_OK;
}

void asif_verdict_signs(asif_fit_parameter *parameter, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        asif_fit_parameter *p = &parameter[i];
        const asif_estimate_info *info = p->info;
        if (asif_is_logarithm(info) || info->low >= 0 || info->high <= 0 || isnan(p->summary.q05))
            p->sign = ASIF_SIGN_NONE;
        else
            p->sign = p->summary.q05 > 0   ? ASIF_SIGN_POSITIVE
                      : p->summary.q95 < 0 ? ASIF_SIGN_NEGATIVE
                                           : ASIF_SIGN_UNKNOWN;
    }
}
