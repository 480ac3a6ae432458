/* The answer of `identify` as JSON. Numbers and trust of the fit have the keys of `fit.json`. */
#include "questions/identify/identify.h"

#include "base/data/json.h"
#include "base/error.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>

static void add_known_count(asif_json *json, const char *key, uint64_t count) {
    if (count > 0)
        asif_json_count(json, key, count);
    else
        asif_json_null(json, key);
}

/* ---- inputs ---- */

static void add_values(asif_json *json, const char *key, const asif_theta *theta) {
    asif_json_object(json, key);
    for (uint32_t i = 0; theta && i < asif_theta_count(theta); i++) {
        const char *name = asif_theta_name(theta, i);
        double value = NAN;
        if (asif_theta_get(theta, name, &value, NULL) == ASIF_OK && !isnan(value))
            asif_json_number(json, name, value);
    }
    asif_json_end(json);
}

static void add_logs(asif_json *json, const asif_identify *made) {
    const asif_logs_info *info = made->logs ? asif_tree_info(made->logs) : NULL;
    if (!info) {
        asif_json_null(json, "logs");
        return;
    }
    asif_json_object(json, "logs");
    asif_json_bool(json, "simulated", made->simulated);
    add_known_count(json, "episodes", info->episodes);
    add_known_count(json, "decisions", info->decisions);
    asif_json_count(json, "nodes", info->nodes);
    asif_json_end(json);
}

static void add_agent(asif_json *json, const asif_identify *made) {
    if (!made->agent) {
        asif_json_null(json, "agent");
        return;
    }
    asif_json_object(json, "agent");
    asif_json_string(json, "from", made->view.stated ? "stated" : "maximum");
    add_values(json, "values", made->agent);
    asif_json_end(json);
}

/* ---- numbers ---- */

/* The sign of a parameter whose logarithm is estimated: -1 if the parameter is below 0. */
static double sign_of(const asif_identify *made, const asif_estimate_info *info) {
    asif_theta *theta = NULL;
    double value = 1;
    if (asif_theta_copy(&theta, made->given, NULL) == ASIF_OK &&
        asif_estimates_theta(made->estimates, made->fit->maximum, theta, NULL) == ASIF_OK)
        asif_theta_get(theta, info->parameter, &value, NULL);
    asif_theta_free(theta);
    return signbit(value) ? -1 : 1;
}

/* Add a number as readers know it: alpha, where its logarithm is estimated. */
static void add_shown(asif_json *json, const asif_identify *made, const asif_fit_parameter *p, double truth) {
    const asif_column_summary *s = &p->summary;
    bool logarithm = asif_is_logarithm(p->info);
    double sign = logarithm ? sign_of(made, p->info) : 1;
    double low = logarithm ? sign * exp(s->q05) : s->q05, high = logarithm ? sign * exp(s->q95) : s->q95;
    asif_json_object(json, "shown");
    asif_json_string(json, "parameter", p->info->parameter);
    asif_json_string(json, "label", p->info->label);
    asif_json_known(json, "truth", logarithm ? sign * exp(truth) : truth);
    asif_json_known(json, "q05", fmin(low, high));
    asif_json_known(json, "q50", logarithm ? sign * exp(s->q50) : s->q50);
    asif_json_known(json, "q95", fmax(low, high));
    asif_json_end(json);
}

static void add_walk(asif_json *json, const char *key, bool walked, bool flat) {
    if (walked)
        asif_json_bool(json, key, flat);
    else
        asif_json_null(json, key);
}

static void add_verdict(asif_json *json, const char *key, asif_identified verdict, asif_doubt doubt) {
    asif_json_string(json, key, asif_identified_text(asif_identified_doubted(verdict, doubt)));
}

static void add_parameter(asif_json *json, const asif_identify *made, uint32_t i) {
    static const char *const signs[] = {NULL, "negative", "unknown", "positive"};
    const asif_fit_parameter *p = &made->fit->view.parameter[i];
    const asif_column_summary *s = &p->summary;
    bool one_side = p->walked && p->flat_below != p->flat_above;
    const struct {
        const char *key;
        double number;
    } first[] = {
        {"truth", made->truth ? made->truth[i] : NAN},
        {"mean", s->mean},
        {"sd", s->sd},
        {"q05", s->q05},
        {"q50", s->q50},
        {"q95", s->q95},
        {"maximum", p->maximum},
        {"contraction", p->contraction},
        {"correlation", p->correlation},
    };
    asif_json_object(json, p->info->name);
    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        asif_json_known(json, first[k].key, first[k].number);
    asif_json_string(json, "with",
                     p->with == ASIF_ANY ? NULL : made->fit->view.parameter[p->with].info->name);
    add_walk(json, "flat_below", p->walked, p->flat_below);
    add_walk(json, "flat_above", p->walked, p->flat_above);
    asif_json_string(json, "bound", one_side ? p->flat_below ? "below" : "above" : NULL);
    asif_json_string(json, "sign", signs[p->sign]);
    asif_doubt doubt = p->doubt > made->doubt ? p->doubt : made->doubt;
    add_verdict(json, "identified", p->identified, doubt);
    add_verdict(json, "identified_below", p->identified_below, doubt);
    add_verdict(json, "identified_above", p->identified_above, doubt);
    asif_json_string(json, "doubt", asif_doubt_text(doubt));
    asif_json_bool(json, "near_zero", p->near_zero);
    asif_json_string(json, "prior", p->info->prior);
    asif_json_bool(json, "proper", p->info->proper);
    add_shown(json, made, p, made->truth ? made->truth[i] : NAN);
    asif_json_end(json);
}

static void add_tops(asif_json *json, const asif_identify *made) {
    const asif_fit_view *v = &made->fit->view;
    asif_json_array(json, "tops");
    for (uint32_t k = 0; k < v->tops; k++) {
        asif_json_object(json, NULL);
        asif_json_known(json, "weight", v->top[k].weight);
        asif_json_string(json, "from", v->top[k].drawn ? "draws" : "curvature");
        asif_json_object(json, "parameters");
        for (uint32_t i = 0; i < v->parameters; i++) {
            asif_json_object(json, v->parameter[i].info->name);
            add_shown(json, made, &v->top[k].parameter[i], made->truth ? made->truth[i] : NAN);
            asif_json_end(json);
        }
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static const char *name_of(const asif_fit_view *fit, uint32_t i) {
    return i < fit->parameters ? fit->parameter[i].info->name : NULL;
}

static void add_trust(asif_json *json, const asif_fit *fit) {
    const asif_fit_view *v = &fit->view;
    const asif_trust *t = &v->trust;
    asif_json_object(json, "maximum");
    asif_json_known(json, "log_posterior", v->log_posterior);
    asif_json_known(json, "log_likelihood", v->log_likelihood);
    asif_json_count(json, "starts", v->starts);
    asif_json_count(json, "agree", v->search.agree);
    asif_json_end(json);
    asif_json_object(json, "draws");
    asif_draws_view draws = {.struct_size = sizeof draws};
    if (asif_draws_get(fit->draws, &draws, NULL) == ASIF_OK)
        asif_json_count(json, "chains", draws.chains);
    asif_json_count(json, "warmup", fit->warmup);
    asif_json_count(json, "draws", fit->draws_kept);
    asif_json_count(json, "thin", fit->thin);
    asif_json_count(json, "seed", fit->seed);
    asif_json_end(json);
    asif_json_object(json, "trust");
    asif_json_bool(json, "good", v->trusted);
    asif_json_known(json, "rhat", t->worst_rhat);
    asif_json_string(json, "rhat_of", name_of(v, t->worst_column));
    asif_json_known(json, "ess", t->least_ess);
    asif_json_string(json, "ess_of", name_of(v, t->least_column));
    asif_json_count(json, "divergent", t->divergent);
    asif_json_known(json, "ebfmi", t->least_ebfmi);
    asif_json_known(json, "accept", t->accept);
    asif_json_end(json);
}

static void add_fit(asif_json *json, const asif_identify *made) {
    const asif_fit *fit = made->fit;
    asif_json_string(json, "method", fit ? asif_fit_method_text(fit->view.method) : NULL);
    asif_json_object(json, "parameters");
    for (uint32_t i = 0; fit && i < fit->view.parameters; i++)
        add_parameter(json, made, i);
    asif_json_end(json);
    if (fit) {
        add_trust(json, fit);
        add_tops(json, made);
        return;
    }
    static const char *const absent[] = {"maximum", "draws", "trust", "tops"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        asif_json_null(json, absent[i]);
}

/* ---- rivals ---- */

static void add_best(asif_json *json, const asif_rival_result *r) {
    const asif_estimate_info *info;
    asif_json_object(json, "best");
    for (uint32_t i = 0; r->estimates && (info = asif_estimates_get(r->estimates, i)); i++) {
        double shown = r->best[i];
        if (asif_is_logarithm(info) && asif_theta_get(r->theta, info->parameter, &shown, NULL) != ASIF_OK)
            shown = NAN;
        asif_json_object(json, info->name);
        asif_json_number(json, "number", r->best[i]);
        asif_json_string(json, "parameter", info->parameter);
        asif_json_string(json, "label", info->label);
        asif_json_known(json, "shown", shown);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_rival(asif_json *json, const asif_identify *made, const asif_rival_result *r) {
    const asif_logs_info *info = made->logs ? asif_tree_info(made->logs) : NULL;
    double here = info && info->episodes ? r->nats * (double)info->episodes / 1000 : NAN;
    const struct {
        const char *key;
        double number;
    } rows[] = {
        {"nats_per_1000", r->nats},
        {"se", r->nats_error},
        {"logs_needed", r->needed},
        {"logs_needed_least", r->needed_least},
        {"logs_needed_most", r->needed_most},
        {"nats_expected_here", here},
        {"impossible", r->impossible},
        {"expected_log_likelihood", r->log_likelihood},
        {"expected_log_likelihood_agent", r->agent_log_likelihood},
    };
    asif_json_object(json, NULL);
    asif_json_string(json, "name", r->name);
    asif_json_bool(json, "told", r->told);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        asif_json_known(json, rows[i].key, rows[i].number);
    add_best(json, r);
    add_values(json, "values", r->theta);
    asif_json_count(json, "starts", r->estimates ? made->starts : 0);
    asif_json_count(json, "agree", r->search.agree);
    asif_json_count(json, "evaluations", r->search.evaluations);
    asif_json_end(json);
}

asif_status asif_identify_json(char **out, const asif_identify *made, asif_error *error) {
    asif_text text = {.context = made->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "title", made->title);
    asif_json_count(&json, "seed", made->seed);
    asif_json_count(&json, "max_steps", made->max_steps);
    add_logs(&json, made);
    add_agent(&json, made);
    add_values(&json, "given", made->given);
    add_fit(&json, made);
    asif_json_number(&json, "sure_nats", ASIF_SURE_NATS);
    asif_json_object(&json, "rival_logs");
    asif_json_count(&json, "episodes", made->rival_episodes);
    asif_json_count(&json, "decisions", made->rival_decisions);
    asif_json_end(&json);
    asif_json_array(&json, "rivals");
    for (uint32_t i = 0; i < made->view.rivals; i++)
        add_rival(&json, made, &made->rival[i]);
    asif_json_end(&json);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
