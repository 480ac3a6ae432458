/* The comparison of models as JSON, and its numbers by unit as CSV. */
#include "questions/compare/models/compare_models.h"

#include "base/data/csv.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static void add_score(asif_json *json, const asif_score *score, const char *elpd) {
    asif_json_number(json, elpd, score->elpd);
    asif_json_number(json, "se", score->se);
    asif_json_number(json, "difference", score->difference);
    asif_json_number(json, "difference_se", score->difference_se);
    asif_json_string(json, "predicts", asif_predicts_text(score->predicts));
}

static void add_shapes(asif_json *json, const asif_compare_models_row *row) {
    if (isnan(row->threshold)) {
        asif_json_null(json, "pareto_k");
        return;
    }
    asif_json_object(json, "pareto_k");
    asif_json_number(json, "threshold", row->threshold);
    asif_json_count(json, "below", row->below);
    asif_json_count(json, "above", row->above);
    asif_json_count(json, "constant", row->constant);
    if (row->worst == UINT64_MAX) {
        asif_json_null(json, "worst");
        asif_json_null(json, "worst_unit");
    } else {
        asif_json_number(json, "worst", row->k[row->worst]);
        asif_json_count(json, "worst_unit", row->worst + 1);
    }
    asif_json_end(json);
}

static void add_loo(asif_json *json, const asif_compared *m, const asif_compare_models_row *row) {
    asif_json_object(json, "loo");
    add_score(json, &row->loo, "elpd_loo");
    asif_json_known(json, "p_loo", row->p);
    asif_json_known(json, "p_loo_se", row->p_se);
    asif_json_number(json, "looic", -2 * row->loo.elpd);
    asif_json_number(json, "looic_se", 2 * row->loo.se);
    asif_json_known(json, "least_relative_efficiency", m->efficiency);
    add_shapes(json, row);
    asif_json_end(json);
}

static void add_future(asif_json *json, const asif_compared *m, const asif_compare_models_row *row) {
    if (!m->future) {
        asif_json_null(json, "future");
        return;
    }
    asif_json_object(json, "future");
    add_score(json, &row->future, "elpd_lfo");
    asif_json_count(json, "refits", m->refits);
    asif_json_known(json, "worst_rhat", m->worst_rhat);
    asif_json_known(json, "worst_k", isfinite(m->worst_weights) ? m->worst_weights : NAN);
    asif_json_end(json);
}

static void add_model(asif_json *json, const asif_compared *m, const asif_compare_models_row *row) {
    asif_json_object(json, NULL);
    asif_json_string(json, "name", m->name);
    asif_json_string(json, "kind", !m->table ? "fit" : m->given ? "pointwise" : "draws");
    if (m->table)
        asif_json_null(json, "trusted");
    else
        asif_json_bool(json, "trusted", m->trusted);
    asif_json_count(json, "chains", m->chains);
    asif_json_count(json, "draws", m->draws);
    add_loo(json, m, row);
    add_future(json, m, row);
    asif_json_end(json);
}

asif_status asif_compare_models_json(char **out, const asif_compare_models *compare, asif_error *error) {
    asif_text text = {.context = compare->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "unit", compare->options.unit ? compare->options.unit : "unit");
    asif_json_count(&json, "units", compare->units.units);
    asif_json_number(&json, "decisions", asif_tree_info(compare->units.tree)->weight);
    asif_json_string(&json, "best", compare->model[compare->order[0]].name);
    if (compare->options.future) {
        asif_json_object(&json, "future");
        asif_json_count(&json, "given_first", compare->first_step);
        asif_json_count(&json, "steps", compare->last_step - compare->first_step + 1);
        asif_json_number(&json, "decisions", compare->predicted);
        asif_json_end(&json);
    } else {
        asif_json_null(&json, "future");
    }
    asif_json_array(&json, "models");
    for (uint32_t i = 0; i < compare->models; i++)
        add_model(&json, &compare->model[compare->order[i]], &compare->row[compare->order[i]]);
    asif_json_end(&json);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}

/* ---- CSV ---- */

static void add_cell(asif_text *text, double number, bool last) {
    if (isfinite(number))
        asif_csv_number(text, number, last);
    else if (number == INFINITY)
        asif_csv_field(text, "Inf", last); /* as R and NumPy read it */
    else
        asif_csv_field(text, NULL, last);
}

asif_status asif_compare_models_csv(char **out, const asif_compare_models *compare, asif_error *error) {
    asif_text text = {.context = compare->context};
    bool future = compare->options.future > 0;
    *out = NULL;
    asif_text_addf(&text, "model,unit,elpd_loo,p_loo,k%s\n", future ? ",elpd_lfo" : "");
    for (uint32_t i = 0; i < compare->models; i++) {
        const asif_compared *m = &compare->model[i];
        for (uint64_t u = 0; u < compare->units.units; u++) {
            asif_csv_field(&text, m->name, false);
            asif_csv_field(&text, asif_units_name(&compare->units, u), false);
            add_cell(&text, m->elpd[u], false);
            add_cell(&text, m->p[u], false);
            add_cell(&text, m->k[u], !future);
            if (future)
                add_cell(&text, m->future ? m->future[u] : NAN, true);
        }
    }
    return asif_text_finish(out, &text, error);
}

/* Add the row of one draw; the number of each kind is converted once. */
static void add_draw(asif_text *text, const asif_compared *m, const asif_units *units, uint64_t draw,
                     char (*written)[ASIF_NUMBER_SIZE]) {
    uint64_t all = m->chains * m->draws;
    for (uint64_t k = 0; k < units->kinds; k++)
        asif_number_text(written[k], m->value[k * all + draw]);
    asif_csv_count(text, draw / m->draws + 1, false);
    for (uint64_t u = 0; u < units->units; u++) {
        asif_text_add(text, written[units->kind[u]]);
        asif_text_add_n(text, u + 1 == units->units ? "\n" : ",", 1);
    }
}

asif_status asif_compare_models_draws_csv(char **out, const asif_compare_models *compare, uint32_t model,
                                          asif_error *error) {
    const asif_context *c = compare->context;
    asif_text text = {.context = c};
    *out = NULL;
    if (model >= compare->models)
        return asif_fail(error, ASIF_EDOMAIN, "there is no such model");
    const asif_compared *m = &compare->model[model];
    const asif_units *units = &compare->units;
    if (!m->value)
        return asif_fail(error, ASIF_EUNSET, "the likelihoods of %s were not kept", asif_show(m->name).text);
    char(*written)[ASIF_NUMBER_SIZE] = asif_alloc(c, units->kinds, sizeof *written);
    if (!written)
        return asif_fail_memory(error);
    asif_csv_field(&text, ".chain", false);
    for (uint64_t u = 0; u < units->units; u++)
        asif_csv_field(&text, asif_units_name(units, u), u + 1 == units->units);
    for (uint64_t d = 0; d < m->chains * m->draws && !text.failed; d++)
        add_draw(&text, m, units, d, written);
    asif_free(c, written);
    return asif_text_finish(out, &text, error);
}
