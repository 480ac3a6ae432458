/* A fitted population as JSON, as a table of its units, and in words. */
#include "people/people.h"

#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- JSON ---- */

static void add_population(asif_json *json, const asif_people_view *v) {
    asif_json_object(json, "population");
    for (uint32_t i = 0; i < v->population_numbers; i++) {
        const asif_population_number *n = &v->population[i];
        asif_json_object(json, n->name);
        asif_json_known(json, "mean", n->mean);
        asif_json_known(json, "sd", n->sd);
        asif_json_known(json, "q05", n->q05);
        asif_json_known(json, "q50", n->q50);
        asif_json_known(json, "q95", n->q95);
        asif_json_known(json, "table_error", n->table_error);
        asif_json_known(json, "rhat", n->rhat);
        asif_json_known(json, "ess", n->ess);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_covariates(asif_json *json, const asif_people *p) {
    asif_json_array(json, "covariates");
    for (uint32_t k = 0; k < p->design.effects; k++) {
        const asif_design_column *c = &p->design.column[p->design.effect[k].column];
        asif_json_object(json, NULL);
        asif_json_string(json, "coefficient", p->names[p->view.population_numbers - p->design.effects + k]);
        asif_json_string(json, "column", c->name);
        if (c->level) {
            asif_json_string(json, "level", c->level);
            asif_json_string(json, "reference", c->reference);
            asif_json_known(json, "share", c->mean);
        } else {
            asif_json_known(json, "mean", c->mean);
            asif_json_known(json, "sd", c->sd);
        }
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_kinds(asif_json *json, const asif_people_view *v) {
    asif_json_array(json, "kinds_compared");
    for (uint32_t k = 0; k < v->kinds_compared; k++) {
        asif_json_object(json, NULL);
        asif_json_count(json, "kinds", k + 1);
        asif_json_count(json, "numbers", v->compared[k].numbers);
        asif_json_known(json, "log_likelihood", v->compared[k].log_likelihood);
        asif_json_known(json, "bic", v->compared[k].bic);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_spread(asif_json *json, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_json_object(json, "units_differ");
    for (uint32_t k = 0; v->usable && k < v->numbers; k++) {
        asif_json_object(json, asif_estimates_get(p->estimates, k)->name);
        asif_json_known(json, "between", v->between[k]);
        asif_json_known(json, "within", v->within[k]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

asif_status asif_people_json(char **out, const asif_people *p, asif_error *error) {
    const asif_people_view *v = &p->view;
    asif_text text = {.context = p->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_count(&json, "units", v->units);
    asif_json_count(&json, "different_units", v->rows);
    asif_json_count(&json, "units_sampled", v->sampled);
    asif_json_count(&json, "units_served", v->served);
    asif_json_bool(&json, "usable", v->usable);
    asif_json_object(&json, "table");
    asif_json_count(&json, "points", v->points);
    asif_json_count(&json, "rounds", v->rounds);
    asif_json_known(&json, "effective", v->effective);
    asif_json_known(&json, "least_effective", v->least_effective);
    asif_json_count(&json, "left_out", v->left_out);
    asif_json_known(&json, "worst_error", v->worst_error);
    asif_json_string(&json, "worst", v->population[v->worst].name);
    asif_json_end(&json);
    asif_json_known(&json, "log_likelihood", v->log_likelihood);
    asif_json_count(&json, "kinds", v->kinds);
    add_population(&json, v);
    if (p->design.effects)
        add_covariates(&json, p);
    if (v->compared)
        add_kinds(&json, v);
    add_spread(&json, p);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}

/* ---- the table of units ---- */

static void add_header(asif_text *text, const asif_people *p) {
    static const char *const column[] = {"", "_sd", "_q05", "_q50", "_q95"};
    asif_csv_field(text, "unit", false);
    for (uint32_t k = 0; k < p->view.numbers; k++)
        for (int c = 0; c < 5; c++) {
            char name[128];
            asif_format(name, sizeof name, "%.100s%s", asif_estimates_get(p->estimates, k)->name, column[c]);
            asif_csv_field(text, name, false);
        }
    for (uint32_t k = 0; p->view.kinds > 1 && k < p->view.kinds; k++) {
        char name[24];
        asif_format(name, sizeof name, "kind_%u", k + 1);
        asif_csv_field(text, name, false);
    }
    asif_csv_field(text, "effective", false);
    asif_csv_field(text, "khat", false);
    asif_csv_field(text, "served", true);
}

asif_status asif_people_csv(char **out, const asif_people *p, asif_error *error) {
    asif_text text = {.context = p->context};
    *out = NULL;
    if (!p->view.usable)
        return asif_fail(error, ASIF_EDOMAIN, "there are no posteriors of units");
    add_header(&text, p);
    for (uint64_t u = 0; u < p->rows.units && !text.failed; u++) {
        uint64_t row = p->rows.row[u];
        asif_csv_field(&text, asif_tree_unit_name(p->tree, u), false);
        for (uint32_t k = 0; k < p->view.numbers; k++) {
            const asif_unit_number *n = &p->number[row * p->view.numbers + k];
            const double values[] = {n->mean, n->sd, n->q05, n->q50, n->q95};
            for (int c = 0; c < 5; c++)
                asif_csv_known(&text, values[c], false);
        }
        for (uint32_t k = 0; p->view.kinds > 1 && k < p->view.kinds; k++)
            asif_csv_known(&text, (double)p->info[row].kind[k], false);
        asif_csv_known(&text, p->info[row].effective, false);
        asif_csv_known(&text, p->info[row].khat, false);
        asif_csv_field(&text, p->info[row].served ? "yes" : "no", true);
    }
    return asif_text_finish(out, &text, error);
}

/* ---- words ---- */

static void add_refusal(asif_text *t, const asif_people_view *v) {
    asif_text_add(t, "\nThe population could not be fitted: ");
    if (!(v->effective >= ASIF_POPULATION_EFFECTIVE))
        asif_text_addf(t, "only %.0f points of the table are effective for it, and %d are needed.\n",
                       v->effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->least_effective < ASIF_POPULATION_EFFECTIVE)
        asif_text_addf(
            t, "for some of its draws only %.0f points of the table are effective, and %d are needed.\n",
            v->least_effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->worst_error <= ASIF_POPULATION_ERROR)
        asif_text_add(t, "draws from its posterior are not reliable.\n");
    else
        asif_text_addf(
            t,
            "the table of points makes an error of %.2f standard deviations in %s, and at most %.1f is "
            "accepted.\n",
            v->worst_error, v->population[v->worst].name, ASIF_POPULATION_ERROR);
    asif_text_add(t, "A larger table (--points) may help.\n");
}

/* What the coefficients are of, each covariate once. */
static void add_coefficients(asif_text *t, const asif_people *p) {
    for (uint32_t k = 0; k < p->design.columns; k++) {
        const asif_design_column *c = &p->design.column[k];
        bool more = k > 0 && c->level && strcmp(c->name, p->design.column[k - 1].name) == 0;
        if (k == 0)
            asif_text_add(t, "\nmean_ is that of these people. "
                             "sd_ is how much people differ whose covariates are equal.\n");
        if (c->level && !more)
            asif_text_addf(t, "coef_ of %s: the difference from %s %s.\n", c->name, c->name, c->reference);
        if (!c->level)
            asif_text_addf(
                t, "coef_ of %s: the change with one standard deviation of %s, %.4g, from its mean %.4g.\n",
                c->name, c->name, c->sd, c->mean);
    }
}

/* How many kinds describe people best. */
static void add_comparison(asif_text *t, const asif_people_view *v) {
    if (!v->compared)
        return;
    asif_text_addf(t, "\n%-28s %12s %12s\n", "KINDS OF PEOPLE", "likelihood", "BIC");
    for (uint32_t k = 0; k < v->kinds_compared; k++)
        asif_text_addf(t, "  %-26u %12.2f %12.2f\n", k + 1, v->compared[k].log_likelihood,
                       v->compared[k].bic);
    asif_text_addf(t, "%u %s these people best (least BIC).\n", v->kinds,
                   v->kinds > 1 ? "kinds describe" : "kind describes");
    if (v->kinds > 1)
        asif_text_add(
            t, "Kinds have means and shares of their own. sd_ is how much people of one kind differ.\n");
}

asif_status asif_people_text(char **out, const asif_people *p, asif_error *error) {
    const asif_people_view *v = &p->view;
    asif_text text = {.context = p->context};
    asif_text_addf(&text, "%" PRIu64 " decision-makers, of whom %" PRIu64 " differ in their decisions\n",
                   v->units, v->rows);
    if (v->sampled < v->units)
        asif_text_addf(&text, "The population is fitted to a random sample of %" PRIu64 " of them.\n",
                       v->sampled);
    if (!v->usable)
        add_refusal(&text, v);
    if (v->usable) {
        asif_text_addf(&text, "\n%-28s %12s %12s %12s %12s\n", "POPULATION", "mean", "sd", "5 %", "95 %");
        for (uint32_t i = 0; i < v->population_numbers; i++) {
            const asif_population_number *n = &v->population[i];
            asif_text_addf(&text, "  %-26s %12.4g %12.3g %12.4g %12.4g\n", n->name, n->mean, n->sd, n->q05,
                           n->q95);
        }
        add_coefficients(&text, p);
        add_comparison(&text, v);
        asif_text_addf(&text, "\n%-28s %12s %12s\n", "UNITS", "differ by", "uncertain by");
        for (uint32_t k = 0; k < v->numbers; k++)
            asif_text_addf(&text, "  %-26s %12.3g %12.3g\n", asif_estimates_get(p->estimates, k)->name,
                           v->between[k], v->within[k]);
        asif_text_addf(
            &text, "\n%" PRIu64 " of %" PRIu64 " posteriors are accurate (at least %d effective points).\n",
            v->served, v->units, ASIF_SERVED_EFFECTIVE);
        asif_text_addf(&text,
                       "The table has %" PRIu64
                       " points, of which %.0f are effective for the population; its error is "
                       "at most %.2f standard deviations, and is part of the intervals.\n",
                       v->points, v->effective, v->worst_error);
        if (v->left_out)
            asif_text_addf(
                &text,
                "%" PRIu64 " of %" PRIu64
                " draws of the population are left out: fewer than %d points are effective for them.\n",
                v->left_out, p->fit.count, ASIF_POPULATION_EFFECTIVE);
    }
    return asif_text_finish(out, &text, error);
}
