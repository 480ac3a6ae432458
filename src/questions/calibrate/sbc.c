/* Simulation-based calibration: ranks of truths among draws, and whether they are uniform. */
#include "questions/calibrate/sbc.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define LEVEL 0.01     /* level of all tests together (Bonferroni) */
#define WALK_DRAWS 500 /* fewest draws of a chain, for walks */
#define WALK_SPARE 2   /* fewest draws for a rank, for walks */
#define NUTS_SPARE 4   /* fewest draws for a rank, for NUTS, whose draws are nearly independent */

/* ---- options ---- */

static asif_status check_bins(const asif_calibrate_options *o, asif_error *error) {
    if (o->bins < 2 || o->bins > o->ranks + 1 || (o->ranks + 1) % o->bins) {
        uint32_t bins = o->bins < 2 ? 2 : o->bins, each = (o->ranks + 1) / bins;
        asif_fail(error, ASIF_EDOMAIN, "%u draws give %u ranks, which %u bins do not divide", o->ranks,
                  o->ranks + 1, o->bins);
        asif_error_hint(error, "%u draws would do", bins * (each ? each : 1) - 1);
        return ASIF_EDOMAIN;
    }
    return ASIF_OK;
}

static asif_status fill(asif_calibrate_options *out, const asif_calibrate_options *options,
                        asif_error *error) {
    *out = (asif_calibrate_options)ASIF_SBC_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "the options of calibration have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    if (!asif_fit_method_draws(out->method) || out->method == ASIF_FIT_PUBLISHED)
        return asif_fail(error, ASIF_EDOMAIN, "ranks need draws: by nuts, metropolis, ridge or auto");
    if (out->truths)
        return asif_fail(error, ASIF_EDOMAIN, "truths are drawn from the priors: none can be stated");
    if (out->ranks < 1 || out->ranks > 1000000 || out->chains < 1)
        return asif_fail(error, ASIF_EDOMAIN, "ranks need at least one chain and one draw");
    if (!(out->wrong_prior > 0) || !isfinite(out->wrong_prior))
        return asif_fail(error, ASIF_EDOMAIN, "the factor of a wrong prior must be above 0");
    if (out->draws == 0) {
        uint64_t each = (out->ranks + (uint64_t)out->chains - 1) / out->chains;
        bool walks = out->method == ASIF_FIT_METROPOLIS;
        out->draws =
            walks && WALK_SPARE * each < WALK_DRAWS ? WALK_DRAWS : (walks ? WALK_SPARE : NUTS_SPARE) * each;
    }
    return check_bins(out, error);
}

static asif_status check_priors(const asif_fitted *fitted, asif_error *error) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(fitted->estimates, i)); i++)
        if (!info->proper) {
            asif_fail(error, ASIF_EUNSUPPORTED, "the prior of %s is improper: no truth can be drawn from it",
                      info->name);
            asif_error_hint(error, "give it a proper one in the study");
            return ASIF_EUNSUPPORTED;
        }
    return ASIF_OK;
}

/* ---- ranks ---- */

/* Compute how far ranks are from uniform. u = (rank + 1/2)/points is uniform on `points` values: its
 * variance is (1 - 1/points^2)/12, and the variance of (u - 1/2)^2 tends to 1/180. */
static void away(asif_rank_histogram *h, double sum, double squares, double points) {
    double n = h->count, variance = (1 - 1 / (points * points)) / 12;
    h->lean = (sum / n - 0.5) / sqrt(variance / n);
    h->spread = (squares / n - variance) / sqrt(1 / 180.0 / n);
}

void asif_rank_count(asif_rank_histogram *out, const double *rank, uint64_t step, uint32_t count,
                     uint32_t most, uint32_t bins) {
    double sum = 0, squares = 0, points = most + 1.0;
    uint32_t width = (most + 1) / bins;
    for (uint32_t i = 0; i < count; i++) {
        double at = rank[i * step];
        if (isnan(at))
            continue;
        double u = (at + 0.5) / points;
        out->bin[(uint32_t)at / width]++;
        out->count++;
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
    }
    double expected = (double)out->count / bins;
    out->chi_square = 0;
    for (uint32_t b = 0; b < bins; b++)
        out->chi_square += (out->bin[b] - expected) * (out->bin[b] - expected) / expected;
    out->p = out->count ? asif_chi_square_above(out->chi_square, bins - 1) : NAN;
    away(out, sum, squares, points);
}

/* The ranks of each number; of agents also those of the log-likelihood. */
static uint32_t quantities_of(const asif_replicates *r) {
    return r->numbers + !r->options.people;
}

static asif_status count_ranks(asif_sbc *sbc, asif_error *error) {
    asif_replicates *r = &sbc->replicates;
    uint32_t quantities = quantities_of(r), bins = r->options.bins;
    sbc->histogram = ASIF_ARRAY(r->context, quantities, asif_rank_histogram);
    sbc->bins = ASIF_ARRAY(r->context, (uint64_t)quantities * bins, double);
    if (!sbc->histogram || !sbc->bins)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < quantities; i++) {
        const double *first = i < r->numbers ? asif_replicate_number(r, 0, i) + ASIF_KEPT_RANK
                                             : asif_replicate_row(r, 0) + ASIF_KEPT_RANK_LIKELIHOOD;
        sbc->histogram[i].bin = sbc->bins + (uint64_t)i * bins;
        asif_rank_count(&sbc->histogram[i], first, r->width, r->options.replicates, r->options.ranks, bins);
    }
    return ASIF_OK;
}

/* ---- the whole calibration ---- */

static asif_status run(asif_sbc *sbc, const asif_fitted *fitted, const asif_calibrate_options *options,
                       asif_error *error) {
    sbc->replicates.context = fitted->context;
    ASIF_TRY(check_priors(fitted, error));
    if (options->wrong_prior != 1)
        ASIF_TRY(asif_prior_scaled(&sbc->wrong, fitted, options->wrong_prior, error));
    ASIF_TRY(asif_replicates_create(&sbc->replicates, fitted, sbc->wrong, options, error));
    ASIF_TRY(asif_replicates_run(&sbc->replicates, error));
    return count_ranks(sbc, error);
}

asif_status asif_sbc_run(asif_sbc **out, const asif_fitted *fitted, const asif_calibrate_options *options,
                         asif_error *error) {
    asif_calibrate_options filled;
    *out = NULL;
    ASIF_TRY(fill(&filled, options, error));
    asif_sbc *sbc = ASIF_NEW(fitted->context, asif_sbc);
    if (!sbc)
        return asif_fail_memory(error);
    asif_status status = run(sbc, fitted, &filled, error);
    if (status == ASIF_OK)
        *out = sbc;
    else
        asif_sbc_free(sbc);
    return status;
}

void asif_sbc_free(asif_sbc *sbc) {
    if (!sbc)
        return;
    const asif_context *context = sbc->replicates.context;
    asif_replicates_free(&sbc->replicates);
    asif_estimates_free(sbc->wrong);
    asif_free(context, sbc->histogram);
    asif_free(context, sbc->bins);
    asif_free(context, sbc);
}

/* The level of one test. */
static double level(const asif_sbc *sbc) {
    return LEVEL / quantities_of(&sbc->replicates);
}

bool asif_sbc_good(const asif_sbc *sbc) {
    for (uint32_t i = 0; i < quantities_of(&sbc->replicates); i++)
        if (!(sbc->histogram[i].p >= level(sbc)))
            return false;
    return true;
}

/* ---- as JSON ---- */

static void add_histogram(asif_json *json, const asif_sbc *sbc, uint32_t i) {
    const asif_rank_histogram *h = &sbc->histogram[i];
    uint32_t bins = sbc->replicates.options.bins;
    asif_json_count(json, "count", h->count);
    asif_json_numbers(json, "histogram", bins, h->bin);
    asif_json_known(json, "expected", (double)h->count / bins);
    asif_json_known(json, "chi_square", h->chi_square);
    asif_json_count(json, "freedom", bins - 1);
    asif_json_known(json, "p", h->p);
    asif_json_bool(json, "uniform", h->p >= level(sbc));
    asif_json_known(json, "lean", h->lean);
    asif_json_known(json, "spread", h->spread);
}

static void add_number(asif_json *json, const asif_sbc *sbc, uint32_t i) {
    const asif_replicates *r = &sbc->replicates;
    const asif_replicate_quantity *info = &r->quantity[i];
    asif_coverage coverage = asif_replicates_coverage(r, i);
    asif_json_object(json, info->name);
    asif_json_string(json, "parameter", info->parameter);
    asif_json_string(json, "label", info->label);
    asif_json_string(json, "prior", info->prior);
    asif_json_string(json, "fitted_prior", info->fitted_prior);
    add_histogram(json, sbc, i);
    asif_coverage_json(json, &coverage);
    asif_json_end(json);
}

asif_status asif_sbc_json(char **out, const asif_sbc *sbc, asif_error *error) {
    const asif_replicates *r = &sbc->replicates;
    asif_text text = {.context = r->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_replicates_about_json(&json, r, "sbc");
    asif_json_count(&json, "ranks", r->options.ranks + 1);
    asif_json_count(&json, "bins", r->options.bins);
    asif_json_number(&json, "wrong_prior", r->options.wrong_prior);
    asif_json_number(&json, "level", level(sbc));
    asif_json_bool(&json, "uniform", asif_sbc_good(sbc));
    asif_json_object(&json, "parameters");
    for (uint32_t i = 0; i < r->numbers; i++)
        add_number(&json, sbc, i);
    asif_json_end(&json);
    if (!r->options.people) {
        asif_json_object(&json, "log_likelihood");
        add_histogram(&json, sbc, r->numbers);
        asif_json_end(&json);
    }
    asif_replicates_list_json(&json, r);
    asif_json_end(&json);
    return asif_json_finish(out, &text, error);
}
