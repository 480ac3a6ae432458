/* Combinations of the numbers that data can determine where nothing fixes the scale of the utilities: alpha,
 * beta, eta and all utilities times a constant are the same agent, so data say nothing about that constant,
 * and all that they can say is about numbers in units of alpha. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "fit/per_alpha.h"
#include "theta/estimates.h"

#include <math.h>

#define PRIOR_DRAWS 4000
#define YES 0.9 /* contraction, as for the numbers themselves */
#define NO 0.25

static const char *parameter_of(const asif_estimates *e, uint32_t coordinate) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(e, i)); i++)
        if (info->coordinate == coordinate)
            return info->parameter;
    return "?";
}

/* The coordinates in units of alpha, each a combination, and what they are called. */
static uint32_t list(asif_fit_combination *out, uint32_t *coordinate, const asif_per_alpha *how,
                     const asif_estimates *e) {
    uint32_t count = 0;
    if (how->optimism != ASIF_ANY) {
        asif_format(out[count].name, sizeof out->name, "optimism * alpha");
        coordinate[count++] = how->optimism;
    }
    if (how->eta != ASIF_ANY) {
        asif_format(out[count].name, sizeof out->name, "eta / alpha");
        coordinate[count++] = how->eta;
    }
    for (uint32_t k = 0; k + how->shift < how->utilities; k++) {
        const char *name = parameter_of(e, how->utility[k]);
        if (how->shift)
            asif_format(out[count].name, sizeof out->name, "(%s - %s) / alpha", asif_show(name).text,
                        asif_show(parameter_of(e, how->utility[how->utilities - 1])).text);
        else
            asif_format(out[count].name, sizeof out->name, "%s / alpha", asif_show(name).text);
        coordinate[count++] = how->utility[k];
    }
    return count;
}

static bool is_proper(const asif_estimates *e) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(e, i)); i++)
        if (!info->proper)
            return false;
    return true;
}

/* Mean, sd and quantiles of numbers, which are sorted. */
static void summarise(double *value, uint64_t n, asif_fit_combination *out) {
    double mean = 0, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        sum += (value[i] - mean) * (value[i] - mean);
    asif_sort(value, n);
    out->mean = mean;
    out->sd = n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
    out->q05 = asif_quantile(value, n, 0.05);
    out->q50 = asif_quantile(value, n, 0.5);
    out->q95 = asif_quantile(value, n, 0.95);
}

/* The interval as wide as the prior's: 0; much narrower: 1. */
static double contraction(const asif_fit_combination *c, double width) {
    double part = width / (c->prior_q95 - c->prior_q05);
    return 1 - part * part;
}

/* As for a number: `yes` needs a known sign, or an interval that is narrow on both sides of 0. */
static void judge(asif_fit_combination *c) {
    double far = fmax(fabs(c->q05), fabs(c->q95));
    bool known = c->q05 > 0 || c->q95 < 0 || contraction(c, 2 * far) >= YES;
    c->contraction = contraction(c, c->q95 - c->q05);
    c->identified = isnan(c->contraction)            ? ASIF_IDENTIFIED_UNKNOWN
                    : c->contraction < NO            ? ASIF_IDENTIFIED_NO
                    : c->contraction >= YES && known ? ASIF_IDENTIFIED_YES
                                                     : ASIF_IDENTIFIED_WEAKLY;
}

/* The combinations at draws of the posterior, into value [count][all]. */
static void at_draws(const asif_fit *fit, const asif_draws_view *view, const asif_per_alpha *how,
                     const uint32_t *coordinate, uint32_t count, double *room, double *value) {
    uint64_t all = view->chains * view->draws;
    double *number = room, *x = room + view->columns;
    for (uint64_t i = 0; i < all; i++) {
        for (uint32_t c = 0; c < view->columns; c++)
            number[c] = view->value[c * all + i];
        asif_estimates_locate(fit->estimates, number, x);
        asif_per_alpha_forward(how, x);
        for (uint32_t k = 0; k < count; k++)
            value[k * all + i] = x[coordinate[k]];
    }
}

/* The same at draws from the prior, into value [count][PRIOR_DRAWS]. */
static void at_prior(const asif_fit *fit, const asif_per_alpha *how, const uint32_t *coordinate,
                     uint32_t count, double *x, double *value) {
    for (uint64_t i = 0; i < PRIOR_DRAWS; i++) {
        asif_estimates_draw(fit->estimates, fit->seed, i, x);
        asif_per_alpha_forward(how, x);
        for (uint32_t k = 0; k < count; k++)
            value[k * PRIOR_DRAWS + i] = x[coordinate[k]];
    }
}

asif_status asif_fit_combine(asif_fit *fit, asif_error *error) {
    uint32_t coordinate[ASIF_PER_ALPHA_MOST + 2];
    asif_draws_view view = {.struct_size = sizeof view};
    asif_per_alpha how;
    if (!asif_estimates_scale_is_free(fit->estimates) || !asif_per_alpha_find(&how, fit->estimates))
        return ASIF_OK;
    ASIF_TRY(asif_draws_get(fit->draws, &view, error));
    uint64_t all = view.chains * view.draws, most = all > PRIOR_DRAWS ? all : PRIOR_DRAWS;
    fit->combination = ASIF_ARRAY(fit->context, ASIF_PER_ALPHA_MOST + 2, asif_fit_combination);
    double *value = ASIF_ARRAY(fit->context, (ASIF_PER_ALPHA_MOST + 2) * most, double);
    double *room = ASIF_ARRAY(fit->context, (uint64_t)view.columns + fit->dimension, double);
    asif_status status = fit->combination && value && room ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        uint32_t count = list(fit->combination, coordinate, &how, fit->estimates);
        bool proper = is_proper(fit->estimates);
        at_prior(fit, &how, coordinate, count, room, value);
        for (uint32_t k = 0; k < count; k++) {
            asif_fit_combination *c = &fit->combination[k];
            summarise(value + (uint64_t)k * PRIOR_DRAWS, PRIOR_DRAWS, c);
            c->prior_q05 = proper ? c->q05 : NAN;
            c->prior_q95 = proper ? c->q95 : NAN;
        }
        at_draws(fit, &view, &how, coordinate, count, room, value);
        for (uint32_t k = 0; k < count; k++) {
            summarise(value + k * all, all, &fit->combination[k]);
            judge(&fit->combination[k]);
        }
        fit->view.combinations = count;
        fit->view.combination = fit->combination;
    }
    asif_free(fit->context, value);
    asif_free(fit->context, room);
    return status;
}
