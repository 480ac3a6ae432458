/* Compares groups by their parameters and behaviour. */
#include "questions/compare/groups/compare_groups.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"

#include <math.h>
#include <string.h>

/* ---- parameters ---- */

/* The numbers of one fit, each sorted, on the scale that readers know: alpha, not its logarithm. */
typedef struct {
    uint32_t numbers;
    uint64_t draws; /* 1: only a maximum */
    double *value;  /* [numbers][draws] */
    double *slope;  /* [numbers][dimension]: derivatives at the maximum; NULL: not needed */
    uint32_t dimension;
    asif_fit_parameter *parameter;
} reading;

static void reading_free(reading *r, const asif_context *context) {
    asif_free(context, r->value);
    asif_free(context, r->slope);
    asif_free(context, r->parameter);
}

static uint32_t count_numbers(const asif_estimates *estimates) {
    uint32_t count = 0;
    while (asif_estimates_get(estimates, count))
        count++;
    return count;
}

static asif_status judge(reading *r, const asif_context *context, asif_error *error) {
    double *correlation = ASIF_ARRAY(context, (uint64_t)r->numbers * r->numbers, double);
    asif_status status = correlation ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t i = 0; i < r->numbers && status == ASIF_OK; i++)
        status =
            asif_summarise(&r->parameter[i].summary, context, r->value + i * r->draws, 1, r->draws, error);
    if (status == ASIF_OK)
        status =
            asif_verdict_draws(r->parameter, r->numbers, correlation, context, r->value, r->draws, error);
    asif_free(context, correlation);
    return status;
}

static void show(reading *r, const asif_fitted *fitted) {
    for (uint32_t i = 0; i < r->numbers; i++) {
        const asif_estimate_info *info = r->parameter[i].info;
        double *value = r->value + i * r->draws;
        double sign = asif_compare_groups_sign(fitted, info->parameter);
        for (uint64_t d = 0; asif_is_logarithm(info) && d < r->draws; d++)
            value[d] = sign * exp(value[d]);
        asif_pairs_sort(value, r->draws);
    }
}

static asif_status read_numbers(reading *r, const asif_context *context, const asif_fitted *fitted,
                                asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    r->numbers = count_numbers(fitted->estimates);
    r->draws = 1;
    if (fitted->draws) {
        ASIF_TRY(asif_draws_get(fitted->draws, &view, error));
        r->draws = view.chains * view.draws;
    } else if (!fitted->maximum) {
        return asif_fail(error, ASIF_EUNSET, "a fit has neither draws nor a maximum");
    }
    if (r->draws == 0)
        return asif_fail(error, ASIF_EUNSET, "a fit has no draws");
    r->value = ASIF_ARRAY(context, r->numbers * r->draws, double);
    r->parameter = ASIF_ARRAY(context, r->numbers, asif_fit_parameter);
    if (!r->value || !r->parameter)
        return asif_fail_memory(error);
    memcpy(r->value, fitted->draws ? view.value : fitted->maximum, r->numbers * r->draws * sizeof *r->value);
    for (uint32_t i = 0; i < r->numbers; i++)
        r->parameter[i].info = asif_estimates_get(fitted->estimates, i);
    if (fitted->draws)
        ASIF_TRY(judge(r, context, error));
    for (uint32_t i = 0; fitted->identified && i < r->numbers; i++)
        r->parameter[i].identified = fitted->identified[i];
    show(r, fitted);
    return ASIF_OK;
}

static asif_status read_slopes(reading *r, const asif_context *context, const asif_fitted *fitted,
                               asif_error *error) {
    r->dimension = asif_estimates_dimension(fitted->estimates);
    r->slope = ASIF_ARRAY(context, (uint64_t)r->numbers * r->dimension, double);
    return r->slope ? asif_spread_slopes(r->slope, fitted, error) : asif_fail_memory(error);
}

static asif_status name_numbers(asif_compare_groups *contrast, const reading *r, asif_error *error) {
    const asif_context *c = contrast->context;
    contrast->number = asif_alloc(c, r->numbers, sizeof *contrast->number);
    contrast->parameter = asif_alloc(c, r->numbers, sizeof *contrast->parameter);
    contrast->label = asif_alloc(c, r->numbers, sizeof *contrast->label);
    bool good = contrast->number && contrast->parameter && contrast->label;
    contrast->numbers = good ? r->numbers : 0;
    for (uint32_t i = 0; good && i < r->numbers; i++) {
        const asif_estimate_info *info = r->parameter[i].info;
        contrast->number[i] = asif_strdup(c, info->name);
        contrast->parameter[i] = asif_strdup(c, info->parameter);
        contrast->label[i] = info->label ? asif_strdup(c, info->label) : NULL;
        good = contrast->number[i] && contrast->parameter[i] && (!info->label || contrast->label[i]);
    }
    return good ? ASIF_OK : asif_fail_memory(error);
}

static uint32_t find_number(const reading *r, const char *name) {
    uint32_t i = 0;
    while (i < r->numbers && strcmp(r->parameter[i].info->name, name) != 0)
        i++;
    return i;
}

/* The variance of a number in the fit: of its draws, or from the curvature. */
static double variance_of(const asif_compare_groups_info *info, const reading *r, uint32_t i) {
    if (info->drawn)
        return asif_pairs_variance(r->value + i * r->draws, r->draws);
    return r->slope ? asif_spread_variance(&info->spread, r->slope + (uint64_t)i * r->dimension) : NAN;
}

/* Judge number `i` of a group against number `row` of the first, by subjects if both are known well
 * enough. */
static void judge_row(asif_compare_groups_cell *cell, const asif_compare_groups *contrast, uint32_t g,
                      const reading *all, uint32_t i, uint32_t row) {
    const asif_compare_groups_info *a = &contrast->group[g], *b = &contrast->group[contrast->first];
    const reading *here = &all[g], *first = &all[contrast->first];
    asif_spread_number x = {here->slope ? here->slope + (uint64_t)i * here->dimension : NULL,
                            variance_of(a, here, i)};
    asif_spread_number y = {first->slope ? first->slope + (uint64_t)row * first->dimension : NULL,
                            variance_of(b, first, row)};
    asif_spread_judge(cell, contrast, g, &x, &y);
}

static void fill_row(asif_compare_groups *contrast, uint32_t row, const reading *all) {
    asif_compare_groups_cell *cell = contrast->parameters.cell + (uint64_t)row * contrast->groups;
    const reading *first = &all[contrast->first];
    const double *reference = first->value + row * first->draws;
    for (uint32_t g = 0; g < contrast->groups; g++) {
        const reading *r = &all[g];
        uint32_t i = find_number(r, contrast->number[row]);
        bool drawn = contrast->group[g].drawn;
        if (i == r->numbers)
            continue;
        const double *value = r->value + i * r->draws;
        cell[g] = (asif_compare_groups_cell){.there = true,
                                             .observed = NAN,
                                             .verdict = r->parameter[i].identified,
                                             .q05 = drawn ? asif_quantile(value, r->draws, 0.05) : NAN,
                                             .q50 = asif_quantile(value, r->draws, 0.5),
                                             .q95 = drawn ? asif_quantile(value, r->draws, 0.95) : NAN};
        if (g == contrast->first)
            continue;
        asif_pairs_contrast(&cell[g], value, r->draws, reference, first->draws,
                            drawn && contrast->group[contrast->first].drawn);
        judge_row(&cell[g], contrast, g, all, i, row);
    }
}

static asif_status compare_parameters(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                                      asif_error *error) {
    const asif_context *c = contrast->context;
    asif_compare_groups_table *table = &contrast->parameters;
    reading *all = ASIF_ARRAY(c, contrast->groups, reading);
    asif_status status = all ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t g = 0; g < contrast->groups && status == ASIF_OK; g++) {
        status = read_numbers(&all[g], c, group[g].fitted, error);
        if (status == ASIF_OK && contrast->group[g].spread.located)
            status = read_slopes(&all[g], c, group[g].fitted, error);
    }
    if (status == ASIF_OK)
        status = name_numbers(contrast, &all[contrast->first], error);
    if (status == ASIF_OK) {
        table->cell = ASIF_ARRAY(c, (uint64_t)contrast->numbers * contrast->groups, asif_compare_groups_cell);
        status = table->cell ? ASIF_OK : asif_fail_memory(error);
    }
    if (status == ASIF_OK) {
        table->rows = contrast->numbers;
        table->groups = contrast->groups;
        for (uint32_t i = 0; i < contrast->numbers; i++)
            fill_row(contrast, i, all);
        status = asif_pairs_judge(table, c, error);
    }
    for (uint32_t g = 0; all && g < contrast->groups; g++)
        reading_free(&all[g], c);
    asif_free(c, all);
    return status;
}

/* ---- the whole comparison ---- */

static asif_status read_options(asif_compare_groups_options *out, const asif_compare_groups_options *options,
                                uint32_t groups, asif_error *error) {
    *out = (asif_compare_groups_options)ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "the options of a contrast have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    out->struct_size = sizeof *out;
    if (groups < 2)
        return asif_fail(error, ASIF_EDOMAIN, "there must be two groups at least to compare");
    if (out->first >= groups)
        return asif_fail(error, ASIF_EDOMAIN, "there is no group %u to compare with", out->first);
    if (out->draws < 1 || out->episodes < 2)
        return asif_fail(error, ASIF_EDOMAIN, "a contrast needs at least one draw and two episodes");
    out->episodes -= out->episodes % 2;
    return ASIF_OK;
}

static asif_status begin(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                         asif_error *error) {
    const asif_context *c = contrast->context;
    const asif_compare_groups_options *o = &contrast->options;
    contrast->title = o->title ? asif_strdup(c, o->title) : NULL;
    contrast->column = o->column ? asif_strdup(c, o->column) : NULL;
    contrast->group = ASIF_ARRAY(c, contrast->groups, asif_compare_groups_info);
    bool good = !o->title == !contrast->title && !o->column == !contrast->column && contrast->group;
    for (uint32_t g = 0; good && g < contrast->groups; g++) {
        asif_compare_groups_info *info = &contrast->group[g];
        info->name = asif_strdup(c, group[g].name);
        info->trusted = group[g].trusted;
        info->missed = group[g].missed;
        info->doubted = group[g].doubted;
        info->drawn = group[g].fitted->draws != NULL;
        info->episodes = info->decisions = NAN;
        good = info->name != NULL;
    }
    return good ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_compare_groups_run(asif_compare_groups **out, const asif_compare_groups_group *group,
                                    uint32_t groups, const asif_compare_groups_options *options,
                                    asif_error *error) {
    asif_compare_groups_options filled;
    *out = NULL;
    ASIF_TRY(read_options(&filled, options, groups, error));
    const asif_context *c = group[filled.first].fitted->context;
    asif_compare_groups *contrast = ASIF_NEW(c, asif_compare_groups);
    if (!contrast)
        return asif_fail_memory(error);
    contrast->context = c;
    contrast->options = filled;
    contrast->groups = groups;
    contrast->first = filled.first;
    asif_status status = begin(contrast, group, error);
    if (status == ASIF_OK)
        status = asif_compare_groups_givens(contrast, group, error);
    if (status == ASIF_OK)
        status = asif_spread_find(contrast, group, error);
    if (status == ASIF_OK)
        status = compare_parameters(contrast, group, error);
    if (status == ASIF_OK)
        status = asif_compare_groups_behaviour(contrast, group, error);
    if (status != ASIF_OK) {
        asif_compare_groups_free(contrast);
        return status;
    }
    *out = contrast;
    return ASIF_OK;
}

static void free_texts(const asif_context *context, char **text, uint32_t count) {
    for (uint32_t i = 0; text && i < count; i++)
        asif_free(context, text[i]);
    asif_free(context, text);
}

void asif_compare_groups_free(asif_compare_groups *contrast) {
    if (!contrast)
        return;
    const asif_context *c = contrast->context;
    for (uint32_t g = 0; contrast->group && g < contrast->groups; g++) {
        asif_free(c, contrast->group[g].name);
        asif_free(c, contrast->group[g].share);
        asif_spread_free(&contrast->group[g].spread, c);
    }
    for (uint64_t i = 0; i < contrast->givens; i++) {
        asif_free(c, contrast->given[i].what);
        asif_free(c, contrast->given[i].first);
        asif_free(c, contrast->given[i].here);
    }
    free_texts(c, contrast->number, contrast->numbers);
    free_texts(c, contrast->parameter, contrast->numbers);
    free_texts(c, contrast->label, contrast->numbers);
    free_texts(c, contrast->action, contrast->actions);
    free_texts(c, contrast->class_name, contrast->classes);
    for (uint32_t i = 0; contrast->by_class && i < contrast->classes; i++)
        asif_free(c, contrast->by_class[i].cell);
    void *const arrays[] = {contrast->title,        contrast->column,   contrast->group,
                            contrast->given,        contrast->pooled,   contrast->parameters.cell,
                            contrast->class_column, contrast->own.cell, contrast->same.cell,
                            contrast->by_class};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    asif_free(c, contrast);
}
