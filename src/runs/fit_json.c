/* The text of `fit.json`. */
#include "fit/fit.h"

#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "logs/map/log_map.h"
#include "logs/tree/tree.h"
#include "runs/whole_fit.h"
#include "setting/setting.h"
#include "study/study.h"
#include "theta/estimates.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define LISTED_CORRELATIONS 20
#define LEAST_CORRELATION 0.5
#define HISTOGRAM_BINS 20

/* ---- inputs ---- */

static void add_where(asif_json *json, const asif_fit_about *about) {
    if (about->by) {
        asif_json_object(json, "group");
        asif_json_string(json, "column", about->by);
        asif_json_string(json, "value", about->value);
        asif_json_end(json);
    } else {
        asif_json_null(json, "group");
    }
    asif_json_array(json, "where");
    for (const char *const *where = about->where; where && *where; where++)
        asif_json_string(json, NULL, *where);
    asif_json_end(json);
}

/* The columns that the logs were read from, with their roles: disclosure control has to know which columns
 * hold names. */
static void add_columns(asif_json *json, const asif_log_map *map) {
    if (!map) {
        asif_json_null(json, "columns");
        return;
    }
    asif_json_array(json, "columns");
    for (int role = 0; role < ASIF_ROLE_COUNT; role++)
        for (uint32_t c = 0; c < map->role[role].columns; c++) {
            asif_json_object(json, NULL);
            asif_json_string(json, "role", asif_role_name((asif_role)role));
            asif_json_string(json, "column", map->role[role].column[c].name);
            asif_json_end(json);
        }
    asif_json_end(json);
}

static void add_setting(asif_json *json, const asif_fit *fit, const asif_fit_about *about) {
    if (!about->given) {
        asif_json_null(json, "setting");
        return;
    }
    const asif_setting_spec *spec = asif_setting_get(about->given->setting);
    asif_json_object(json, "setting");
    asif_json_count(json, "states", spec->states);
    asif_json_count(json, "actions", spec->actions);
    asif_json_count(json, "observations", spec->observations);
    asif_json_count(json, "worlds", spec->worlds);
    asif_json_known(json, "world_spread", asif_estimates_spread(fit->estimates));
    asif_json_end(json);
}

/* Where draws were weighted on a finer lattice than the rest was computed on. */
static void add_correction(asif_json *json, const asif_fit *fit, const asif_fit_lattice *lattice) {
    if (lattice->fine == 0)
        return;
    asif_json_object(json, "weights");
    asif_json_count(json, "resolution", lattice->fine);
    asif_json_count(json, "points", fit->view.corrected);
    asif_json_known(json, "moved", fit->view.correction_moved);
    asif_json_known(json, "rest_error", lattice->rest_error);
    asif_json_end(json);
}

/* The log-likelihood at the maximum on several lattices of beliefs. */
static void add_lattices(asif_json *json, const asif_lattices *found) {
    if (!found || found->count == 0)
        return;
    asif_json_array(json, "lattices");
    for (uint32_t i = 0; i < found->count; i++) {
        asif_json_object(json, NULL);
        asif_json_count(json, "resolution", found->resolution[i]);
        asif_json_number(json, "log_likelihood", found->log_likelihood[i]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_solver(asif_json *json, const asif_fit *fit, const asif_fit_about *about) {
    if (!about->solver) {
        asif_json_null(json, "solver");
        return;
    }
    asif_json_object(json, "solver");
    asif_json_count(json, "resolution", about->solver->resolution);
    asif_json_number(json, "tol", about->solver->tol);
    if (about->solver->beliefs != ASIF_BELIEFS_LATTICE)
        asif_json_string(json, "beliefs",
                         about->solver->beliefs == ASIF_BELIEFS_GRADED ? "graded" : "reachable");
    if (about->lattice) {
        asif_json_known(json, "lattice_error", about->lattice->error);
        asif_json_number(json, "lattice_error_wanted", about->solver->lattice_error);
        add_correction(json, fit, about->lattice);
    }
    add_lattices(json, about->lattices);
    asif_json_end(json);
}

static void add_given(asif_json *json, const asif_fit_about *about) {
    asif_json_object(json, "given");
    for (uint32_t i = 0; about->given && i < asif_theta_count(about->given); i++) {
        const char *name = asif_theta_name(about->given, i);
        if (strcmp(name, "act_alpha") == 0 && isnan(about->given->a_act)) /* equals alpha, or estimated */
            continue;
        double value = NAN;
        if (asif_theta_get(about->given, name, &value, NULL) == ASIF_OK && !isnan(value))
            asif_json_number(json, name, value);
    }
    asif_json_end(json);
}

/* ---- numbers ---- */

/* The sign of a parameter whose logarithm is estimated: -1 if the parameter is negative. */
static double sign_of(const asif_fit *fit, const asif_fit_about *about, const asif_estimate_info *info) {
    asif_theta *theta = NULL;
    double value = 1;
    if (about->given && asif_theta_copy(&theta, about->given, NULL) == ASIF_OK &&
        asif_estimates_theta(fit->estimates, fit->maximum, theta, NULL) == ASIF_OK)
        asif_theta_get(theta, info->parameter, &value, NULL);
    asif_theta_free(theta);
    return signbit(value) ? -1 : 1;
}

/* Quantiles on the scale that readers know: for example of alpha, if its logarithm is estimated. */
static void add_shown(asif_json *json, const asif_fit *fit, const asif_fit_about *about,
                      const asif_fit_parameter *p) {
    const asif_column_summary *s = &p->summary;
    bool logarithm = asif_is_logarithm(p->info);
    double sign = logarithm ? sign_of(fit, about, p->info) : 1;
    double low = logarithm ? sign * exp(s->q05) : s->q05, high = logarithm ? sign * exp(s->q95) : s->q95;
    asif_json_object(json, "shown");
    asif_json_string(json, "parameter", p->info->parameter);
    asif_json_string(json, "label", p->info->label);
    asif_json_known(json, "q05", fmin(low, high));
    asif_json_known(json, "q50", logarithm ? sign * exp(s->q50) : s->q50);
    asif_json_known(json, "q95", fmax(low, high));
    asif_json_end(json);
}

/* A histogram on the scale of add_shown(): shares of the draws in bins between their 1 % and 99 %
 * quantiles. */
static void add_histogram(asif_json *json, const asif_fit *fit, const asif_fit_about *about,
                          const asif_fit_parameter *p) {
    asif_draws_view view = {.struct_size = sizeof view};
    uint32_t column = 0;
    if (!fit->draws || asif_draws_get(fit->draws, &view, NULL) != ASIF_OK)
        return;
    while (column < view.columns && strcmp(view.name[column], p->info->name) != 0)
        column++;
    uint64_t n = view.chains * view.draws;
    double *value = ASIF_ARRAY(fit->context, n, double), share[HISTOGRAM_BINS] = {0};
    json->text->failed |= !value;
    if (value && column < view.columns && n > 0) {
        bool logarithm = asif_is_logarithm(p->info);
        double sign = logarithm ? sign_of(fit, about, p->info) : 1;
        for (uint64_t i = 0; i < n; i++) {
            double x = view.value[column * n + i];
            value[i] = logarithm ? sign * exp(x) : x;
        }
        asif_sort(value, n);
        double low = asif_quantile(value, n, 0.01), high = asif_quantile(value, n, 0.99);
        for (uint64_t i = 0; i < n; i++)
            if (high > low && value[i] >= low && value[i] <= high) {
                double at = floor((value[i] - low) / (high - low) * HISTOGRAM_BINS);
                share[(uint32_t)fmin(at, HISTOGRAM_BINS - 1)] += 1.0 / (double)n;
            }
        if (isfinite(low) && isfinite(high) && high > low) {
            asif_json_object(json, "histogram");
            asif_json_number(json, "low", low);
            asif_json_number(json, "high", high);
            asif_json_array(json, "share");
            for (uint32_t b = 0; b < HISTOGRAM_BINS; b++)
                asif_json_number(json, NULL, rint(1e6 * share[b]) / 1e6);
            asif_json_end(json);
            asif_json_end(json);
        }
    }
    asif_free(fit->context, value);
}

static const char *bound_text(const asif_fit_parameter *p) {
    if (!p->walked || p->flat_below == p->flat_above)
        return NULL;
    return p->flat_below ? "below" : "above";
}

/* The predictive checks that count against the fit. Checks compare actions. If the likelihood is one of
 * comparisons between episodes, the actions need not be the agent's, and their misfit says nothing. */
static const asif_predictive_checks *checks_against(const asif_fit_about *about) {
    const asif_inverse_info *inverse = about->inverse ? asif_inverse_named(about->inverse) : NULL;
    return inverse && inverse->helper == ASIF_HELPER_PAIRS ? NULL : about->checks;
}

/* Whether other assumptions that fit the logs about as well give another answer. */
static bool depends(const asif_sensitivity *s, const asif_fit_parameter *p) {
    for (uint32_t i = 0; s && i < s->view.numbers; i++)
        if (strcmp(s->statement[i].name, p->info->name) == 0)
            return s->statement[i].depends;
    return false;
}

static asif_doubt doubt_of(const asif_fit_parameter *p, const asif_fit_about *about) {
    const asif_predictive_checks *checks = checks_against(about);
    asif_doubt checked = checks ? asif_predictive_checks_doubt(checks) : ASIF_DOUBT_NONE;
    asif_doubt doubt = p->doubt > checked ? p->doubt : checked;
    bool sure = p->identified_below == ASIF_IDENTIFIED_YES || p->identified_above == ASIF_IDENTIFIED_YES;
    return doubt == ASIF_DOUBT_NONE && sure && depends(about->sensitivity, p) ? ASIF_DOUBT_ASSUMPTIONS
                                                                              : doubt;
}

static const char *const signs[] = {NULL, "negative", "unknown", "positive"};

static void add_quantiles(asif_json *json, const asif_fit_parameter *p) {
    const asif_column_summary *s = &p->summary;
    const struct {
        const char *key;
        double number;
    } first[] = {
        {"mean", s->mean},
        {"sd", s->sd},
        {"q05", s->q05},
        {"q50", s->q50},
        {"q95", s->q95},
        {"rhat", s->rhat},
        {"ess_bulk", s->ess_bulk},
        {"ess_tail", s->ess_tail},
        {"contraction", p->contraction},
    };
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        asif_json_known(json, first[i].key, first[i].number);
}

static void add_power(asif_json *json, const asif_fit_parameter *p) {
    if (isnan(p->prior_sensitivity)) {
        asif_json_null(json, "power_scaling");
        return;
    }
    asif_json_object(json, "power_scaling");
    asif_json_number(json, "prior", p->prior_sensitivity);
    asif_json_number(json, "likelihood", p->likelihood_sensitivity);
    asif_json_string(json, "diagnosis", asif_power_text(p));
    asif_json_end(json);
}

static void add_parameter(asif_json *json, const asif_fit *fit, const asif_fit_about *about,
                          const asif_fit_parameter *p) {
    asif_doubt doubt = doubt_of(p, about);
    const asif_column_summary *s = &p->summary;
    asif_json_object(json, p->info->name);
    add_quantiles(json, p);
    asif_json_string(json, "identified", asif_identified_text(asif_identified_doubted(p->identified, doubt)));
    asif_json_string(json, "bound", bound_text(p));
    asif_json_string(json, "with", p->with == ASIF_ANY ? NULL : fit->parameter[p->with].info->name);
    asif_json_known(json, "correlation", p->correlation);
    asif_json_string(json, "sign", signs[p->sign]);
    asif_json_string(json, "doubt", asif_doubt_text(doubt));
    asif_json_string(json, "identified_below",
                     asif_identified_text(asif_identified_doubted(p->identified_below, doubt)));
    asif_json_string(json, "identified_above",
                     asif_identified_text(asif_identified_doubted(p->identified_above, doubt)));
    asif_json_bool(json, "near_zero", p->near_zero);
    if (p->walked) {
        asif_json_bool(json, "flat_below", p->flat_below);
        asif_json_bool(json, "flat_above", p->flat_above);
    } else {
        asif_json_null(json, "flat_below");
        asif_json_null(json, "flat_above");
    }
    asif_json_known(json, "maximum", p->maximum);
    if (fit->view.method == ASIF_FIT_ML && !isnan(p->summary.sd)) {
        asif_json_object(json, "standard_errors");
        asif_json_known(json, "hessian", s->sd);
        asif_json_known(json, "outer_product", p->error_outer);
        asif_json_known(json, "clustered", p->error_clustered);
        asif_json_end(json);
    }
    asif_json_known(json, "mcse_mean", s->mcse_mean);
    asif_json_string(json, "prior", p->info->prior);
    asif_json_bool(json, "proper", p->info->proper);
    add_power(json, p);
    add_shown(json, fit, about, p);
    if (!fit->view.rivals)
        add_histogram(json, fit, about, p);
    asif_json_end(json);
}

/* ---- several maxima ("tops") ---- */

static void add_top(asif_json *json, const asif_fit *fit, const asif_fit_about *about,
                    const asif_fit_top *top) {
    asif_json_object(json, NULL);
    asif_json_known(json, "weight", top->weight);
    asif_json_known(json, "log_posterior", top->log_posterior);
    asif_json_known(json, "log_likelihood", top->log_likelihood);
    asif_json_known(json, "log_volume", top->log_volume);
    asif_json_string(json, "from", top->drawn ? "draws" : "curvature");
    asif_json_array(json, "chains");
    for (uint32_t c = 0; c < top->chains; c++)
        asif_json_count(json, NULL, top->chain[c] + 1);
    asif_json_end(json);
    asif_json_object(json, "parameters");
    for (uint32_t i = 0; i < fit->view.parameters; i++) {
        const asif_fit_parameter *p = &top->parameter[i];
        asif_json_object(json, p->info->name);
        add_quantiles(json, p);
        asif_json_string(json, "sign", signs[p->sign]);
        asif_json_known(json, "maximum", p->maximum);
        add_shown(json, fit, about, p);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

static void add_tops(asif_json *json, const asif_fit *fit, const asif_fit_about *about) {
    asif_json_bool(json, "rivals", fit->view.rivals);
    asif_json_array(json, "tops");
    for (uint32_t k = 0; k < fit->view.tops; k++)
        add_top(json, fit, about, &fit->view.top[k]);
    asif_json_end(json);
    asif_json_bool(json, "more_tops", fit->view.more_tops);
}

/* ---- correlations ---- */

typedef struct {
    uint32_t a, b;
    double r;
} pair;

static bool comes_before(const pair *x, const pair *y) {
    if (fabs(x->r) != fabs(y->r))
        return fabs(x->r) > fabs(y->r);
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* Find the pair that follows `last` in the order of comes_before(); NULL: the first of all. */
static bool next_pair(const asif_fit *fit, const pair *last, pair *out) {
    uint32_t n = fit->view.parameters;
    bool found = false;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            const asif_estimate_info *x = fit->parameter[a].info, *y = fit->parameter[b].info;
            pair here = {a, b, fit->correlation[(uint64_t)a * n + b]};
            if (asif_same_distribution(x, y) || isnan(here.r) || fabs(here.r) < LEAST_CORRELATION ||
                (last && !comes_before(last, &here)))
                continue;
            if (!found || comes_before(&here, out))
                *out = here;
            found = true;
        }
    return found;
}

static void add_combinations(asif_json *json, const asif_fit *fit) {
    asif_json_array(json, "combinations");
    for (uint32_t i = 0; i < fit->view.combinations; i++) {
        const asif_fit_combination *c = &fit->combination[i];
        asif_json_object(json, NULL);
        asif_json_string(json, "name", c->name);
        asif_json_known(json, "mean", c->mean);
        asif_json_known(json, "sd", c->sd);
        asif_json_known(json, "q05", c->q05);
        asif_json_known(json, "q50", c->q50);
        asif_json_known(json, "q95", c->q95);
        asif_json_known(json, "prior_q05", c->prior_q05);
        asif_json_known(json, "prior_q95", c->prior_q95);
        asif_json_known(json, "contraction", c->contraction);
        asif_json_string(json, "identified", asif_identified_text(c->identified));
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_all_ins(asif_json *json, const asif_fit *fit, const asif_setting *setting) {
    char label[ASIF_LABEL_SIZE];
    asif_json_array(json, "all_in");
    for (uint32_t i = 0; i < fit->view.all_ins && !fit->view.rivals; i++) {
        const asif_fit_all_in *a = &fit->all_in[i];
        asif_json_object(json, NULL);
        asif_json_string(json, "action", asif_setting_label(setting, ASIF_LABEL_ACTION, a->action, label));
        asif_json_string(json, "parameter", fit->parameter[a->parameter].info->name);
        asif_json_number(json, "cost", a->cost);
        asif_json_number(json, "r", a->r);
        asif_json_known(json, "mean", a->mean);
        asif_json_known(json, "sd", a->sd);
        asif_json_known(json, "q05", a->q05);
        asif_json_known(json, "q50", a->q50);
        asif_json_known(json, "q95", a->q95);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_correlations(asif_json *json, const asif_fit *fit) {
    pair here, last;
    asif_json_array(json, "correlations");
    for (uint32_t k = 0; fit->correlation && k < LISTED_CORRELATIONS; k++) {
        if (!next_pair(fit, k ? &last : NULL, &here))
            break;
        asif_json_object(json, NULL);
        asif_json_string(json, "a", fit->parameter[here.a].info->name);
        asif_json_string(json, "b", fit->parameter[here.b].info->name);
        asif_json_number(json, "r", here.r);
        asif_json_end(json);
        last = here;
    }
    asif_json_end(json);
}

/* ---- the computation ---- */

static void add_maximum(asif_json *json, const asif_fit *fit) {
    const asif_fit_view *v = &fit->view;
    if (!v->maximised) {
        asif_json_null(json, "maximum");
        return;
    }
    asif_json_object(json, "maximum");
    asif_json_known(json, "objective", v->objective);
    asif_json_known(json, "log_posterior", v->log_posterior);
    asif_json_known(json, "log_likelihood", v->log_likelihood);
    asif_json_object(json, "values");
    for (uint32_t i = 0; i < v->parameters; i++)
        asif_json_known(json, v->parameter[i].info->name, v->parameter[i].maximum);
    asif_json_end(json);
    asif_json_count(json, "starts", v->starts);
    asif_json_count(json, "agree", v->search.agree);
    asif_json_count(json, "evaluations", v->search.evaluations);
    asif_json_bool(json, "curved", v->curved);
    asif_json_known_count(json, "clusters", v->clusters, v->clusters > 0);
    asif_json_string(json, "clustered_by",
                     v->clusters == 0       ? NULL
                     : v->clusters_subjects ? "subject"
                                            : "episode");
    asif_json_end(json);
}

static void add_draws(asif_json *json, const asif_fit *fit) {
    asif_draws_view view = {.struct_size = sizeof view};
    if (!fit->draws || asif_draws_get(fit->draws, &view, NULL) != ASIF_OK) {
        asif_json_null(json, "draws");
        return;
    }
    asif_json_object(json, "draws");
    asif_json_count(json, "chains", view.chains);
    asif_json_count(json, "warmup", fit->warmup);
    asif_json_count(json, "draws", view.draws);
    asif_json_count(json, "thin", fit->thin);
    asif_json_count(json, "seed", fit->seed);
    asif_json_end(json);
}

static const char *name_of(const asif_fit *fit, uint32_t i) {
    return i < fit->view.parameters ? fit->parameter[i].info->name : NULL;
}

static void add_described(asif_json *json, const asif_predictive_checks *checks) {
    if (checks && asif_predictive_checks_judged(checks))
        asif_json_bool(json, "described", asif_predictive_checks_doubt(checks) == ASIF_DOUBT_NONE);
    else
        asif_json_null(json, "described");
}

/* The ridge method, if it was tried and rejected. */
static void add_tried(asif_json *json, const asif_fit *fit) {
    if (!fit->view.ridge_tried) {
        asif_json_null(json, "tried");
        return;
    }
    asif_json_object(json, "tried");
    asif_json_string(json, "method", asif_fit_method_text(ASIF_FIT_RIDGE));
    asif_json_known(json, "khat", fit->view.ridge_khat);
    asif_json_known(json, "kish", fit->view.ridge_kish);
    asif_json_bool(json, "inside", fit->view.ridge_inside);
    asif_json_end(json);
}

static void add_trust(asif_json *json, const asif_fit *fit, const asif_fit_about *about) {
    const asif_trust *t = &fit->view.trust;
    asif_draws_view view = {.struct_size = sizeof view};
    if (fit->draws)
        asif_draws_get(fit->draws, &view, NULL);
    asif_json_object(json, "trust");
    asif_json_bool(json, "good", fit->view.trusted);
    add_described(json, checks_against(about));
    if (fit->draws) {
        asif_json_known(json, "rhat", t->worst_rhat);
        asif_json_string(json, "rhat_of", name_of(fit, t->worst_column));
        asif_json_known(json, "ess", t->least_ess);
        asif_json_string(json, "ess_of", name_of(fit, t->least_column));
        asif_json_count(json, "divergent", t->divergent);
        asif_json_count(json, "deepest", t->deepest);
        asif_json_known(json, "ebfmi", t->least_ebfmi);
        asif_json_known(json, "accept", t->accept);
        if (view.method == ASIF_METHOD_RIDGE) {
            asif_json_known(json, "khat", view.khat);
            asif_json_known(json, "kish", view.kish);
            asif_json_count(json, "evaluations", view.evaluations);
            asif_json_bool(json, "inside", view.inside);
        }
    }
    asif_json_end(json);
}

/* ---- histories ---- */

/* The observations and actions on the way to a node, as members of an object. `path` [levels] is scratch. */
static void add_path(asif_json *json, const asif_fit *fit, const asif_setting *setting, uint32_t node,
                     uint32_t *path) {
    char buffer[ASIF_LABEL_SIZE];
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    uint32_t depth = 0, root = node;
    for (; tree->parent[root] != ASIF_ANY; root = tree->parent[root])
        path[depth++] = root;
    if (tree->states_seen)
        asif_json_string(json, "state",
                         asif_tree_label(fit->tree, ASIF_LABEL_STATE, tree->observation[root]));
    else if (tree->starts > 1)
        asif_json_count(json, "start", root);
    if (!tree->states_seen && tree->starts > 1 && setting && setting->spec.start_names)
        asif_json_string(json, "start_class", asif_setting_label(setting, ASIF_LABEL_START, root, buffer));
    asif_json_array(json, "history");
    while (depth-- > 0) {
        uint32_t seen = tree->observation[path[depth]], action = tree->action[path[depth]];
        asif_json_object(json, NULL);
        asif_json_string(json, "action", asif_tree_label(fit->tree, ASIF_LABEL_ACTION, action));
        asif_json_string(json, "observation",
                         seen == ASIF_ANY ? NULL
                         : setting        ? asif_event_label(setting, action, seen, buffer)
                                          : asif_tree_label(fit->tree, ASIF_LABEL_OBSERVATION, seen));
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_history(asif_json *json, const asif_fit *fit, const asif_setting *setting,
                        const asif_fit_history *h, uint32_t *path) {
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    asif_json_object(json, NULL);
    add_path(json, fit, setting, h->node, path);
    asif_json_number(json, "decisions", h->decisions);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u < tree->actions; u++) {
        asif_json_object(json, asif_tree_label(fit->tree, ASIF_LABEL_ACTION, u));
        asif_json_known(json, "observed", h->observed[u]);
        asif_json_known(json, "predicted", h->predicted[u]);
        asif_json_known(json, "q05", h->q05[u]);
        asif_json_known(json, "q95", h->q95[u]);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

static void add_histories(asif_json *json, const asif_fit *fit, const asif_setting *setting) {
    uint32_t *path = ASIF_ARRAY(fit->context, asif_tree_inside(fit->tree)->levels, uint32_t);
    json->text->failed |= !path;
    asif_json_array(json, "histories");
    for (uint32_t i = 0; path && i < fit->view.histories; i++)
        add_history(json, fit, setting, &fit->history[i], path);
    asif_json_end(json);
    asif_free(fit->context, path);
}

static void add_rare(asif_json *json, const asif_fit *fit, const asif_setting *setting) {
    const asif_fit_rare *rare = &fit->view.rare;
    if (!rare->known) {
        asif_json_null(json, "hardly_possible");
        return;
    }
    asif_json_object(json, "hardly_possible");
    asif_json_number(json, "below", ASIF_RARE_BELOW);
    asif_json_number(json, "decisions", rare->decisions);
    asif_json_number(json, "expected", rare->expected);
    asif_json_number(json, "p", rare->tail);
    if (rare->node == ASIF_ANY) {
        asif_json_null(json, "least");
    } else {
        uint32_t *path = ASIF_ARRAY(fit->context, asif_tree_inside(fit->tree)->levels, uint32_t);
        json->text->failed |= !path;
        asif_json_object(json, "least");
        asif_json_string(json, "action", asif_tree_label(fit->tree, ASIF_LABEL_ACTION, rare->action));
        if (path)
            add_path(json, fit, setting, rare->node, path);
        asif_json_number(json, "probability", rare->probability);
        asif_json_end(json);
        asif_free(fit->context, path);
    }
    asif_json_end(json);
}

static void add_warnings(asif_json *json, const asif_problems *said) {
    static const char *const severities[] = {"error", "warning", "note"};
    asif_json_array(json, "warnings");
    for (uint32_t i = 0; said && i < asif_problems_count(said); i++) {
        asif_severity severity;
        const asif_error *problem = asif_problems_get(said, i, &severity);
        asif_json_object(json, NULL);
        asif_json_string(json, "severity", severities[severity]);
        asif_json_string(json, "code", problem->code[0] ? problem->code : NULL);
        asif_json_string(json, "message", problem->message);
        asif_json_string(json, "hint", problem->hint);
        asif_json_end(json);
    }
    asif_json_end(json);
}

asif_status asif_fit_json(char **out, const asif_fit *fit, const asif_fit_about *about, asif_error *error) {
    asif_fit_about known = ASIF_FIT_ABOUT_INIT;
    asif_text text = {.context = fit->context};
    asif_json json;
    *out = NULL;
    if (about) {
        if (about->struct_size == 0 || about->struct_size > sizeof known)
            return asif_fail(error, ASIF_EDOMAIN, "the description of the fit has an unknown size");
        memcpy(&known, about, about->struct_size);
    }
    const asif_setting *setting = known.given ? known.given->setting : NULL;
    double *labels = NULL;
    ASIF_TRY(asif_fit_labels(&labels, fit->context, setting, fit->tree, error));
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "title", known.title);
    asif_json_string(&json, "method", asif_fit_method_text(fit->view.method));
    asif_json_string(&json, "inverse", known.inverse);
    asif_json_string(&json, "key", known.key);
    asif_json_count(&json, "seed", fit->seed);
    asif_json_string(&json, "people", known.people && *known.people ? known.people : NULL);
    add_where(&json, &known);
    add_columns(&json, known.map);
    asif_fit_logs_json(&json, fit, known.table, setting, labels);
    asif_free(fit->context, labels);
    add_setting(&json, fit, &known);
    add_solver(&json, fit, &known);
    add_given(&json, &known);
    if (known.world)
        asif_fit_world_json(&json, fit, known.world);
    asif_json_object(&json, "parameters");
    for (uint32_t i = 0; i < fit->view.parameters; i++)
        add_parameter(&json, fit, &known, &fit->parameter[i]);
    asif_json_end(&json);
    add_correlations(&json, fit);
    add_combinations(&json, fit);
    add_all_ins(&json, fit, setting);
    add_maximum(&json, fit);
    add_tops(&json, fit, &known);
    add_draws(&json, fit);
    add_histories(&json, fit, setting);
    add_rare(&json, fit, setting);
    if (known.outcomes)
        asif_outcomes_add(&json, "outcomes", known.outcomes);
    else
        asif_json_null(&json, "outcomes");
    asif_predictive_checks_write(&json, "checks", known.checks, true);
    add_trust(&json, fit, &known);
    asif_json_string(&json, "requested", asif_fit_method_text(fit->view.requested));
    if (fit->view.ridge_tried)
        add_tried(&json, fit);
    add_warnings(&json, known.said);
    asif_fields_write(&json, "sensitivity", &asif_sensitivity_fields,
                      known.sensitivity ? &known.sensitivity->view : NULL);
    asif_study_labels_json(&json, known.study);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
