/* A fitted population as JSON, and as a table of its units. */
#include "people/people.h"

#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/tree/tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_ACTIONS 64

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
    uint32_t first = p->view.population_numbers - p->design.pools - p->design.effects;
    asif_json_array(json, "covariates");
    for (uint32_t k = 0; k < p->design.effects; k++) {
        const asif_design_column *c = &p->design.column[p->design.effect[k].column];
        asif_json_object(json, NULL);
        asif_json_string(json, "coefficient", p->names[first + k]);
        asif_json_string(json, "column", c->name);
        if (c->level) {
            asif_json_string(json, "level", c->level);
            if (c->reference)
                asif_json_string(json, "reference", c->reference);
            else
                asif_json_bool(json, "group", true);
            asif_json_known(json, "share", c->share);
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

/* On which line the population of a number is normal. */
static void add_coordinate(asif_json *json, const asif_people *p, const asif_estimate_info *info) {
    static const char *const line[] = {
        [ASIF_LINE_SAME] = "same", [ASIF_LINE_LOG] = "log", [ASIF_LINE_LOGIT] = "logit"};
    char name[ASIF_COORDINATE_NAME];
    asif_json_string(json, "parameter", info->parameter);
    if (info->coordinate == ASIF_ANY)
        return;
    asif_people_coordinate(p->estimates, info->coordinate, name);
    asif_json_string(json, "coordinate", name);
    asif_json_string(json, "line", line[info->line]);
    if (isfinite(info->low))
        asif_json_number(json, "low", info->low);
    if (isfinite(info->high))
        asif_json_number(json, "high", info->high);
}

static void add_spread(asif_json *json, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_json_object(json, "units_differ");
    for (uint32_t k = 0; v->usable && k < v->numbers; k++) {
        const asif_estimate_info *info = asif_estimates_get(p->estimates, k);
        asif_json_object(json, info->name);
        asif_json_known(json, "between", v->between[k]);
        asif_json_known(json, "within", v->within[k]);
        add_coordinate(json, p, info);
        asif_json_end(json);
    }
    asif_json_end(json);
}

/* What people did: the size of the logs, and how often each action was taken. */
static void add_logs(asif_json *json, const asif_people *p) {
    const asif_logs_info *info = asif_tree_info(p->tree);
    const asif_tree_view *tree = asif_tree_inside(p->tree);
    asif_json_object(json, "logs");
    asif_json_count(json, "rows", info->rows);
    asif_json_count(json, "excluded", info->excluded);
    asif_json_count(json, "subjects", p->rows.units);
    asif_json_count(json, "episodes", info->episodes);
    asif_json_count(json, "decisions", info->decisions);
    asif_json_known(json, "weight", info->weight);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u < tree->actions; u++) {
        double sum = 0;
        for (uint64_t n = 0; n < tree->nodes; n++)
            sum += tree->count[n * tree->actions + u];
        asif_json_known(json, asif_tree_label(p->tree, ASIF_LABEL_ACTION, u), sum);
    }
    asif_json_end(json);
    asif_json_end(json);
}

/* What coefficients were like with permuted covariates. */
static void add_permutations(asif_json *json, const asif_people_view *v) {
    asif_json_object(json, "permutations");
    asif_json_count(json, "fits", v->permutations);
    asif_json_count(json, "refused", v->permutations_refused);
    asif_json_object(json, "coefficients");
    for (uint32_t k = 0; k < v->coefficients; k++) {
        asif_json_object(json, v->permuted[k].name);
        asif_json_count(json, "without_0", v->permuted[k].without_zero);
        asif_json_count(json, "as_far", v->permuted[k].as_far);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

/* The population, and the table that it was fitted with. */
static void add_fit(asif_json *json, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_json_object(json, "table");
    asif_json_count(json, "points", v->points);
    asif_json_count(json, "rounds", v->rounds);
    asif_json_known(json, "effective", v->effective);
    asif_json_known(json, "least_effective", v->least_effective);
    asif_json_count(json, "left_out", v->left_out);
    asif_json_known(json, "worst_error", v->worst_error);
    asif_json_string(json, "worst", v->population[v->worst].name);
    asif_json_end(json);
    asif_json_known(json, "log_likelihood", v->log_likelihood);
    asif_json_count(json, "kinds", v->kinds);
    add_population(json, v);
    if (p->design.effects)
        add_covariates(json, p);
    if (v->permuted)
        add_permutations(json, v);
    if (v->compared)
        add_kinds(json, v);
}

asif_status asif_people_json(char **out, const asif_people *p, asif_error *error) {
    const asif_people_view *v = &p->view;
    asif_text text = {.context = p->context}, why = text;
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    if (p->options.title)
        asif_json_string(&json, "title", p->options.title);
    asif_json_count(&json, "units", v->units);
    asif_json_count(&json, "different_units", v->rows);
    if (!p->given)
        asif_json_count(&json, "units_sampled", v->sampled);
    asif_json_count(&json, "units_served", v->served);
    asif_json_bool(&json, "usable", v->usable);
    if (!v->usable) {
        asif_people_refusal(&why, p);
        asif_json_string(&json, "refused", why.data);
    }
    add_logs(&json, p);
    if (!p->given)
        add_fit(&json, p);
    add_spread(&json, p);
    asif_json_end(&json);
    text.failed |= why.failed;
    asif_text_free(&why);
    return asif_text_finish(out, &text, error);
}

/* ---- the table of units ---- */

/* Actions that have a column; beyond some they would be most of the table. */
static uint32_t listed_actions(const asif_people *p) {
    uint32_t actions = asif_tree_inside(p->tree)->actions;
    return actions <= MOST_ACTIONS ? actions : 0;
}

/* How often a unit took each action. */
static void add_taken(asif_text *text, const asif_people *p, uint64_t unit) {
    const asif_tree_view *t = asif_tree_inside(p->tree);
    double taken[MOST_ACTIONS] = {0}, sum = 0;
    for (uint64_t i = t->unit[unit]; i < t->unit[unit + 1]; i++) {
        sum += t->entry_count[i];
        if (t->entry_action[i] < MOST_ACTIONS)
            taken[t->entry_action[i]] += t->entry_count[i];
    }
    asif_csv_known(text, sum, false);
    for (uint32_t u = 0; u < listed_actions(p); u++)
        asif_csv_known(text, taken[u], false);
}

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
    asif_csv_field(text, "decisions", false);
    for (uint32_t u = 0; u < listed_actions(p); u++) {
        asif_text name = {.context = p->context};
        asif_text_addf(&name, "took_%s", asif_tree_label(p->tree, ASIF_LABEL_ACTION, u));
        asif_csv_field(text, name.data ? name.data : "", false);
        text->failed |= name.failed;
        asif_text_free(&name);
    }
    asif_csv_field(text, "effective", false);
    asif_csv_field(text, "khat", false);
    asif_csv_field(text, "served", !p->options.predictive);
    if (p->options.predictive)
        asif_csv_field(text, "log_likelihood", true);
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
        add_taken(&text, p, u);
        asif_csv_known(&text, p->info[row].effective, false);
        asif_csv_known(&text, p->info[row].khat, false);
        asif_csv_field(&text, p->info[row].served ? "yes" : "no", !p->options.predictive);
        if (p->options.predictive)
            asif_csv_known(&text, p->info[row].log_likelihood, true);
    }
    return asif_text_finish(out, &text, error);
}
