#include "questions/compare/models/compare_models.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "sample/psis.h"

#include <math.h>
#include <string.h>

/* Differences that are too small to be told from chance: Sivula, Magnusson, Matamoros and Vehtari (2025),
 * "Uncertainty in Bayesian leave-one-out cross-validation based model comparison". */
#define LEAST_DIFFERENCE 4
#define LEAST_ERRORS 2

const char *asif_predicts_text(asif_predicts predicts) {
    static const char *const texts[] = {"best", "about the same", "worse"};
    return (size_t)predicts < 3 ? texts[predicts] : NULL;
}

/* ---- sums over units ---- */

/* Compute a sum and its standard error, sqrt(n var), of x or of x minus `other` (NULL: none). */
static void sum_up(double *sum, double *se, const double *x, const double *other, uint64_t n) {
    double mean = 0, squares = 0;
    *sum = 0;
    for (uint64_t u = 0; u < n; u++)
        *sum += x[u] - (other ? other[u] : 0);
    mean = *sum / (double)n;
    for (uint64_t u = 0; u < n; u++) {
        double away = x[u] - (other ? other[u] : 0) - mean;
        squares += away * away;
    }
    *se = sqrt((double)n * squares / ((double)n - 1));
}

static void score(asif_score *out, const double *by_unit, uint64_t n) {
    *out = (asif_score){.by_unit = by_unit};
    sum_up(&out->elpd, &out->se, by_unit, NULL, n);
}

static void judge(asif_score *out, const asif_score *best, uint64_t n) {
    out->predicts = ASIF_PREDICTS_BEST;
    if (out == best)
        return;
    sum_up(&out->difference, &out->difference_se, out->by_unit, best->by_unit, n);
    double size = fabs(out->difference);
    bool small = size < LEAST_DIFFERENCE || size < LEAST_ERRORS * out->difference_se;
    out->predicts = small ? ASIF_PREDICTS_THE_SAME : ASIF_PREDICTS_WORSE;
}

static void judge_shapes(asif_compare_models_row *row, const asif_compared *m, uint64_t units) {
    double worst = -INFINITY;
    row->threshold = m->given ? NAN : asif_psis_threshold(m->chains * m->draws);
    row->worst = UINT64_MAX;
    bool told = false;
    for (uint64_t u = 0; u < units; u++)
        told = told || !isnan(m->k[u]);
    if (m->given && told)
        row->threshold = asif_psis_threshold(UINT64_MAX);
    for (uint64_t u = 0; u < units; u++) {
        double k = m->k[u];
        row->constant += k == -INFINITY;
        row->below += isfinite(k) && k <= row->threshold;
        row->above += k > row->threshold;
        if (k > worst) {
            worst = k;
            row->worst = u;
        }
    }
}

static void fill_row(asif_compare_models *compare, uint32_t i) {
    const asif_compared *m = &compare->model[i];
    asif_compare_models_row *row = &compare->row[i];
    uint64_t n = compare->units.units;
    row->name = m->name;
    score(&row->loo, m->elpd, n);
    sum_up(&row->p, &row->p_se, m->p, NULL, n);
    row->k = m->k;
    judge_shapes(row, m, n);
    if (m->future)
        score(&row->future, m->future, n);
    row->refits = m->refits;
    row->worst_rhat = m->refits ? m->worst_rhat : NAN;
}

/* Sort the models, the best first; equal ones keep their order. */
static void sort(asif_compare_models *compare) {
    for (uint32_t i = 0; i < compare->models; i++) {
        uint32_t at = i;
        while (at > 0 && compare->row[compare->order[at - 1]].loo.elpd < compare->row[i].loo.elpd) {
            compare->order[at] = compare->order[at - 1];
            at--;
        }
        compare->order[at] = i;
    }
}

static void judge_all(asif_compare_models *compare) {
    uint64_t n = compare->units.units;
    const asif_score *ahead = NULL;
    for (uint32_t i = 0; i < compare->models; i++)
        fill_row(compare, i);
    sort(compare);
    for (uint32_t i = 0; i < compare->models; i++) {
        const asif_score *future = &compare->row[i].future;
        judge(&compare->row[i].loo, &compare->row[compare->order[0]].loo, n);
        if (future->by_unit && (!ahead || future->elpd > ahead->elpd))
            ahead = future;
    }
    for (uint32_t i = 0; ahead && i < compare->models; i++)
        if (compare->row[i].future.by_unit)
            judge(&compare->row[i].future, ahead, n);
}

/* ---- creation ---- */

void asif_compare_models_free(asif_compare_models *compare) {
    if (!compare)
        return;
    const asif_context *c = compare->context;
    for (uint32_t i = 0; compare->model && i < compare->models; i++) {
        const asif_compared *m = &compare->model[i];
        void *const arrays[] = {m->name, m->elpd, m->p, m->k, m->future, m->value};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            asif_free(c, arrays[k]);
    }
    asif_free(c, compare->model);
    asif_free(c, compare->row);
    asif_free(c, compare->order);
    asif_free(c, compare->step);
    asif_units_free(&compare->units);
    asif_free(c, compare);
}

static asif_status take_models(asif_compare_models *compare, const asif_compare_models_model *model,
                               uint32_t models, asif_error *error) {
    const asif_context *c = compare->context;
    compare->model = ASIF_ARRAY(c, models, asif_compared);
    compare->row = ASIF_ARRAY(c, models, asif_compare_models_row);
    compare->order = ASIF_ARRAY(c, models, uint32_t);
    if (!compare->model || !compare->row || !compare->order)
        return asif_fail_memory(error);
    compare->models = models;
    for (uint32_t i = 0; i < models; i++) {
        if (model[i].struct_size != sizeof *model || (!model[i].fitted == !model[i].table))
            return asif_fail(error, ASIF_EDOMAIN, "a model is a fit or a table");
        compare->model[i] = (asif_compared){.model = &model[i],
                                            .name = asif_strdup(c, model[i].name ? model[i].name : ""),
                                            .table = model[i].table != NULL,
                                            .trusted = model[i].trusted};
        if (!compare->model[i].name)
            return asif_fail_memory(error);
    }
    return ASIF_OK;
}

static asif_status run(asif_compare_models *compare, const asif_tree *logs,
                       const asif_compare_models_model *model, uint32_t models, asif_error *error) {
    ASIF_TRY(asif_units_create(&compare->units, logs, compare->options.chosen, error));
    ASIF_TRY(take_models(compare, model, models, error));
    if (compare->options.future)
        ASIF_TRY(asif_compare_models_steps(compare, error));
    for (uint32_t i = 0; i < models; i++) {
        if (asif_progress(compare->context, "leaving units out", (double)i / models))
            return asif_fail(error, ASIF_ECANCELLED, "the comparison was cancelled");
        ASIF_TRY(asif_compare_models_loo(compare, &compare->model[i], error));
    }
    for (uint32_t i = 0; i < models; i++)
        if (compare->options.future && !compare->model[i].table)
            ASIF_TRY(asif_compare_models_future(compare, &compare->model[i], error));
    judge_all(compare);
    for (uint32_t i = 0; i < models; i++)
        compare->model[i].model = NULL;
    return ASIF_OK;
}

asif_status asif_compare_models_run(asif_compare_models **out, const asif_context *context,
                                    const asif_tree *logs, const asif_compare_models_model *model,
                                    uint32_t models, const asif_compare_models_options *options,
                                    asif_error *error) {
    asif_compare_models_options filled = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    *out = NULL;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof filled)
            return asif_fail(error, ASIF_EDOMAIN, "options of the comparison have an unknown size");
        memcpy(&filled, options, options->struct_size);
    }
    if (models == 0)
        return asif_fail(error, ASIF_EDOMAIN, "there is no model to compare");
    for (uint32_t i = 0; i < models; i++)
        if (model[i].fitted)
            ASIF_TRY(asif_fitted_likelihood(model[i].fitted, true, error));
    asif_compare_models *compare = ASIF_NEW(context, asif_compare_models);
    if (!compare)
        return asif_fail_memory(error);
    *compare = (asif_compare_models){.context = context, .options = filled, .units = {.context = context}};
    asif_status status = run(compare, logs, model, models, error);
    if (status != ASIF_OK) {
        asif_compare_models_free(compare);
        return status;
    }
    compare->view = (asif_compare_models_view){.struct_size = sizeof compare->view,
                                               .units = compare->units.units,
                                               .models = models,
                                               .row = compare->row,
                                               .order = compare->order,
                                               .first_step = compare->first_step,
                                               .last_step = compare->last_step,
                                               .predicted = compare->predicted};
    *out = compare;
    return ASIF_OK;
}

asif_status asif_compare_models_get(const asif_compare_models *compare, asif_compare_models_view *view,
                                    asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &compare->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
