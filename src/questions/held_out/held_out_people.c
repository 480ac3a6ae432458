/* Predictions of held-out people by a population that is fitted to the others. */
#include "questions/held_out/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

static asif_status weigh(asif_held_out_people *out, double *log_likelihood, const asif_held_out_fold *fold,
                         const asif_people_options *options, const char *table, asif_error *error) {
    asif_people *people = NULL;
    uint64_t units = asif_tree_inside(fold->held_out)->units;
    asif_status status = asif_people_given(&people, fold->context, fold->work, fold->estimates,
                                           fold->held_out, options, table, strlen(table), error);
    for (uint64_t i = 0; status == ASIF_OK && i < units; i++) {
        asif_person_info info;
        status = asif_people_unit(people, i, NULL, &info, error);
        if (status == ASIF_OK) {
            log_likelihood[i] = info.log_likelihood;
            out->inaccurate += !info.served;
        }
    }
    asif_people_free(people);
    return status;
}

asif_status asif_held_out_predict_people(asif_held_out_people *out, double *log_likelihood,
                                         const asif_held_out_fold *fold, asif_error *error) {
    asif_people *people = NULL;
    asif_people_view view = {.struct_size = sizeof view};
    asif_people_options options = ASIF_PEOPLE_OPTIONS_INIT;
    char *table = NULL;
    options.seed = fold->seed;
    options.effect = fold->model->effect;
    options.effects = fold->model->effects;
    options.kinds = fold->model->kinds ? fold->model->kinds : 1;
    options.predictive = true;
    asif_status status =
        asif_people_fit(&people, fold->context, fold->work, fold->estimates, fold->rest, &options, error);
    if (status == ASIF_OK)
        status = asif_people_get(people, &view, error);
    if (status == ASIF_OK && view.usable)
        status = asif_people_table(&table, people, error);
    asif_people_free(people);
    if (status == ASIF_OK && !view.usable)
        out->refused++;
    else if (status == ASIF_OK)
        status = weigh(out, log_likelihood, fold, &options, table, error);
    asif_free(fold->context, table);
    return status;
}

void asif_held_out_sum_people(asif_held_out_people *out, const asif_tree_view *tree, const double *by_unit,
                              const double *one_agent, const asif_held_out_people *first,
                              const double *by_unit_of_first) {
    out->log_likelihood = out->error = out->difference = out->difference_error = NAN;
    out->ahead = out->ahead_error = NAN;
    out->compared = first != NULL;
    if (out->refused)
        return;
    out->log_likelihood = asif_held_out_total(&out->error, tree, by_unit, NULL);
    out->difference = asif_held_out_total(&out->difference_error, tree, by_unit, one_agent);
    if (first && !first->refused)
        out->ahead = asif_held_out_total(&out->ahead_error, tree, by_unit, by_unit_of_first);
}
