/* Recovery: compares true values of known agents with their estimates. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

struct asif_recover {
    asif_replicates replicates;
};

static asif_status fill(asif_calibrate_options *out, const asif_calibrate_options *options,
                        asif_error *error) {
    *out = (asif_calibrate_options)ASIF_RECOVER_OPTIONS_INIT;
    if (!options)
        return ASIF_OK;
    if (options->struct_size == 0 || options->struct_size > sizeof *out)
        return asif_fail(error, ASIF_EDOMAIN, "the options of recovering have an unknown size");
    memcpy(out, options, options->struct_size);
    out->ranks = out->bins = 0;
    return ASIF_OK;
}

asif_status asif_recover_run(asif_recover **out, const asif_fitted *fitted,
                             const asif_calibrate_options *options, asif_error *error) {
    asif_calibrate_options filled;
    *out = NULL;
    ASIF_TRY(fill(&filled, options, error));
    asif_recover *recover = ASIF_NEW(fitted->context, asif_recover);
    if (!recover)
        return asif_fail_memory(error);
    asif_status status = asif_replicates_create(&recover->replicates, fitted, NULL, &filled, error);
    if (status == ASIF_OK)
        status = asif_replicates_run(&recover->replicates, error);
    if (status == ASIF_OK)
        *out = recover;
    else
        asif_recover_free(recover);
    return status;
}

void asif_recover_free(asif_recover *recover) {
    if (!recover)
        return;
    const asif_context *context = recover->replicates.context;
    asif_replicates_free(&recover->replicates);
    asif_free(context, recover);
}

/* ---- truth and estimate ---- */

typedef struct {
    uint32_t count, spread; /* fits; those among them with a standard deviation */
    double bias, bias_se, rmse, mean_sd, correlation;
} agreement;

/* Sums of squares and products of truth and estimate, around their running means. */
typedef struct {
    double n, truth, estimate, tt, ee, te;
} moments;

static void add(moments *m, double truth, double estimate) {
    m->n++;
    double t = truth - m->truth, e = estimate - m->estimate;
    m->truth += t / m->n;
    m->estimate += e / m->n;
    m->tt += t * (truth - m->truth);
    m->ee += e * (estimate - m->estimate);
    m->te += t * (estimate - m->estimate);
}

static agreement agree(const asif_replicates *r, uint32_t number) {
    agreement out = {0};
    moments m = {0};
    double squares = 0;
    for (uint32_t i = 0; i < r->options.replicates; i++) {
        const double *kept = asif_replicate_number(r, i, number);
        if (!asif_replicate_is(r, i, ASIF_REPLICATE_DONE))
            continue;
        double off = kept[ASIF_KEPT_ESTIMATE] - kept[ASIF_KEPT_TRUTH];
        add(&m, kept[ASIF_KEPT_TRUTH], kept[ASIF_KEPT_ESTIMATE]);
        squares += off * off;
        out.count++;
        if (isfinite(kept[ASIF_KEPT_SD])) {
            out.spread++;
            out.mean_sd += (kept[ASIF_KEPT_SD] - out.mean_sd) / out.spread;
        }
    }
    double n = out.count, spread = m.ee - 2 * m.te + m.tt;
    out.bias = m.estimate - m.truth;
    out.rmse = sqrt(squares / n);
    out.bias_se = n > 1 ? sqrt(fmax(0, spread) / (n - 1) / n) : NAN;
    out.correlation =
        n > 2 && isnan(r->known[number]) && m.tt > 0 && m.ee > 0 ? m.te / sqrt(m.tt * m.ee) : NAN;
    if (out.spread == 0)
        out.mean_sd = NAN;
    return out;
}

/* ---- as JSON ---- */

static void add_number(asif_json *json, const asif_replicates *r, uint32_t number) {
    const asif_replicate_quantity *info = &r->quantity[number];
    agreement a = agree(r, number);
    asif_coverage coverage = asif_replicates_coverage(r, number);
    asif_json_object(json, info->name);
    asif_json_string(json, "parameter", info->parameter);
    asif_json_string(json, "label", info->label);
    asif_json_string(json, "prior", info->fitted_prior);
    asif_json_known(json, "truth", r->known[number]);
    asif_json_known(json, "bias", a.bias);
    asif_json_known(json, "bias_se", a.bias_se);
    asif_json_known(json, "rmse", a.rmse);
    asif_json_known(json, "mean_sd", a.mean_sd);
    asif_json_known(json, "correlation", a.correlation);
    asif_coverage_json(json, &coverage);
    asif_json_end(json);
}

asif_status asif_recover_json(char **out, const asif_recover *recover, asif_error *error) {
    const asif_replicates *r = &recover->replicates;
    asif_text text = {.context = r->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_replicates_about_json(&json, r, "recover");
    asif_json_object(&json, "parameters");
    for (uint32_t i = 0; i < r->numbers; i++)
        add_number(&json, r, i);
    asif_json_end(&json);
    asif_replicates_list_json(&json, r);
    asif_json_end(&json);
    return asif_json_finish(out, &text, error);
}
