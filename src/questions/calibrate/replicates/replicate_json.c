/* The JSON that recover and sbc share. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/error.h"

#include <math.h>

asif_status asif_json_finish(char **out, asif_text *text, asif_error *error) {
    *out = text->failed ? NULL : text->data;
    if (!text->failed)
        return ASIF_OK;
    asif_text_free(text);
    return asif_fail_memory(error);
}

asif_coverage asif_replicates_coverage(const asif_replicates *r, uint32_t number) {
    asif_coverage out = {0, 0, NAN, NAN, NAN};
    for (uint32_t i = 0; i < r->options.replicates; i++) {
        const double *kept = asif_replicate_number(r, i, number);
        if (!asif_replicate_is(r, i, ASIF_REPLICATE_DONE) || isnan(kept[ASIF_KEPT_Q05]) ||
            isnan(kept[ASIF_KEPT_Q95]))
            continue;
        out.of++;
        out.held +=
            kept[ASIF_KEPT_Q05] <= kept[ASIF_KEPT_TRUTH] && kept[ASIF_KEPT_TRUTH] <= kept[ASIF_KEPT_Q95];
    }
    if (out.of) {
        out.share = (double)out.held / out.of;
        asif_binomial_interval(out.held, out.of, &out.low, &out.high);
    }
    return out;
}

void asif_coverage_json(asif_json *json, const asif_coverage *coverage) {
    asif_json_object(json, "coverage");
    asif_json_count(json, "held", coverage->held);
    asif_json_count(json, "of", coverage->of);
    asif_json_known(json, "share", coverage->share);
    asif_json_known(json, "low", coverage->low);
    asif_json_known(json, "high", coverage->high);
    asif_json_end(json);
}

/* The share of people's 90 % intervals that contain the truth, over all fits, and its standard error over
 * them (NaN: of one fit only). */
static double held_people(const asif_replicates *r, double *error) {
    double n = 0, mean = 0, squares = 0;
    for (uint32_t i = 0; i < r->options.replicates; i++)
        if (asif_replicate_is(r, i, ASIF_REPLICATE_DONE)) {
            double held = asif_replicate_row(r, i)[ASIF_KEPT_HELD], off = held - mean;
            mean += off / ++n;
            squares += off * (held - mean);
        }
    *error = n > 1 ? sqrt(squares / (n - 1) / n) : NAN;
    return n > 0 ? mean : NAN;
}

static void add_people(asif_json *json, const asif_replicates *r) {
    double error, held = held_people(r, &error);
    asif_json_object(json, "people");
    asif_json_count(json, "people", r->options.people);
    asif_json_known(json, "held", held);
    asif_json_known(json, "held_se", error);
    asif_json_end(json);
}

static bool draws(const asif_replicates *r) {
    return asif_fit_method_draws(r->options.method);
}

void asif_replicates_about_json(asif_json *json, const asif_replicates *r, const char *command) {
    const asif_calibrate_options *o = &r->options;
    asif_replicates_settled settled = asif_replicates_settle(r);
    asif_json_string(json, "command", command);
    asif_json_string(json, "title", asif_setting_get(r->fitted->setting)->title);
    asif_json_count(json, "replicates", o->replicates);
    asif_json_count(json, "done", asif_replicates_count(r, ASIF_REPLICATE_DONE));
    asif_json_count(json, "failed", asif_replicates_count(r, ASIF_REPLICATE_FAILED));
    if (r->failure.status != ASIF_OK)
        asif_json_string(json, "failure", r->failure.message);
    if (o->people)
        add_people(json, r);
    asif_json_count(json, "episodes", o->episodes);
    asif_json_count(json, "max_steps", o->max_steps);
    asif_json_count(json, "seed", o->seed);
    asif_json_string(json, "method", o->people ? "population" : asif_fit_method_text(o->method));
    if (!draws(r)) {
        asif_json_null(json, "chains");
        return;
    }
    asif_json_object(json, "chains");
    asif_json_count(json, "chains", o->chains);
    asif_json_count(json, "warmup", o->warmup);
    asif_json_count(json, "draws", o->draws);
    asif_json_number(json, "wanted_ess", asif_replicates_wanted(r));
    asif_json_number(json, "wanted_rhat", ASIF_SETTLED_RHAT);
    asif_json_count(json, "run_again", settled.again);
    asif_json_count(json, "low_ess", settled.few);
    asif_json_count(json, "high_rhat", settled.apart);
    asif_json_end(json);
}

static void add_number(asif_json *json, const asif_replicates *r, const double *kept, uint32_t number) {
    static const struct {
        const char *name;
        int at;
    } parts[] = {{"truth", ASIF_KEPT_TRUTH}, {"estimate", ASIF_KEPT_ESTIMATE}, {"sd", ASIF_KEPT_SD},
                 {"q05", ASIF_KEPT_Q05},     {"q95", ASIF_KEPT_Q95},           {"rank", ASIF_KEPT_RANK}};
    asif_json_object(json, r->quantity[number].name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts - (r->options.ranks ? 0 : 1); i++)
        asif_json_known(json, parts[i].name, kept[parts[i].at]);
    asif_json_end(json);
}

void asif_replicates_list_json(asif_json *json, const asif_replicates *r) {
    asif_json_array(json, "fits");
    for (uint32_t i = 0; i < r->options.replicates; i++) {
        const double *row = asif_replicate_row(r, i);
        if (!asif_replicate_is(r, i, ASIF_REPLICATE_DONE))
            continue;
        asif_json_object(json, NULL);
        asif_json_count(json, "replicate", i + 1);
        asif_json_known(json, "decisions", row[ASIF_KEPT_DECISIONS]);
        asif_json_known(json, "runs", row[ASIF_KEPT_RUNS]);
        asif_json_known(json, "rhat", row[ASIF_KEPT_RHAT]);
        asif_json_known(json, "ess", row[ASIF_KEPT_ESS]);
        if (r->options.ranks && !r->options.people)
            asif_json_known(json, "log_likelihood_rank", row[ASIF_KEPT_RANK_LIKELIHOOD]);
        if (r->options.people)
            asif_json_known(json, "people_held", row[ASIF_KEPT_HELD]);
        for (uint32_t k = 0; k < r->numbers; k++)
            add_number(json, r, asif_replicate_number(r, i, k), k);
        asif_json_end(json);
    }
    asif_json_end(json);
}
