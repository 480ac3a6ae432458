#include "people/covariates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

/* A covariate while its columns are made. */
typedef struct {
    asif_unit_design *design;
    const asif_tree *tree;
    const asif_people_effect *effect;
    const asif_design_columns *given; /* NULL: none */
    uint64_t units;
    uint32_t covariate;          /* of the tree */
    asif_covariate_value *value; /* [values]: its different values, in natural order */
    uint64_t values;
} coding;

/* ---- what is named ---- */

static bool is_parameter(const char *parameter, const char *name) {
    return strcmp(parameter, name) == 0 || (strcmp(name, "beta") == 0 && strcmp(parameter, "optimism") == 0);
}

static asif_status find_coordinate(uint32_t *out, const asif_estimates *estimates, const char *name,
                                   asif_error *error) {
    for (uint32_t i = 0; i < estimates->parts; i++) {
        const asif_part *part = &estimates->part[i];
        if (!is_parameter(asif_part_name(estimates, part), name))
            continue;
        if (part->number) {
            *out = part->coordinate;
            return ASIF_OK;
        }
        asif_fail(error, ASIF_EINVALID, "`%s` is a distribution, and cannot depend on covariates",
                  asif_show(name).text);
        asif_error_hint(error, "remove it from the section `population` of the study");
        return ASIF_EINVALID;
    }
    asif_fail(error, ASIF_EUNKNOWN, "`%s` depends on covariates, but is not estimated", asif_show(name).text);
    asif_error_hint(error, "mark it `learn` under `parameters`, or remove it from the section `population`");
    return ASIF_EUNKNOWN;
}

static asif_status find_covariate(coding *c, asif_error *error) {
    const char *name;
    for (c->covariate = 0; (name = asif_tree_covariate_name(c->tree, c->covariate)); c->covariate++)
        if (strcmp(name, c->effect->column) == 0)
            return asif_tree_values(&c->value, &c->values, c->tree, name, NULL, error);
    return asif_fail(error, ASIF_EUNKNOWN, "the logs were read without the column `%s`",
                     asif_show(c->effect->column).text);
}

static asif_status check_values(const coding *c, asif_error *error) {
    const char *name = c->effect->column;
    for (uint64_t i = 0; i < c->values; i++)
        if (!c->value[i].value[0]) {
            asif_fail(error, ASIF_EINVALID, "`%s` is missing for %u of %u decision-makers",
                      asif_show(name).text, (unsigned)c->value[i].units, (unsigned)c->units);
            asif_error_hint(error, "`require: [%.60s]` in the section `logs` leaves their rows out", name);
            return ASIF_EINVALID;
        }
    if (c->values > 1 || c->given)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "`%s` is the same for all decision-makers, and explains nothing",
              asif_show(name).text);
    asif_error_hint(error, "remove it from the section `population` of the study");
    return ASIF_EINVALID;
}

/* ---- columns ---- */

static bool read_number(const char *text, double *out) {
    return asif_number_read(text, strlen(text), out) && isfinite(*out);
}

static bool all_numbers(const coding *c) {
    double x;
    for (uint64_t i = 0; i < c->values; i++)
        if (!read_number(c->value[i].value, &x))
            return false;
    return !c->effect->factor;
}

static double *column_of(const coding *c, uint32_t column) {
    return c->design->z + column;
}

/* Write a column, which has just the values that it may have. */
static void fill_column(const coding *c, const asif_design_column *column) {
    asif_unit_design *d = c->design;
    double *z = column_of(c, d->columns), x = 0;
    for (uint64_t u = 0; u < c->units; u++) {
        const char *value = asif_tree_covariate(c->tree, u, c->covariate);
        if (column->level)
            x = (strcmp(value, column->level) == 0 ? 1 : 0) - column->mean;
        else if (read_number(value, &x))
            x = (x - column->mean) / column->sd;
        z[u * ASIF_EFFECTS_MOST] = x;
    }
    d->column[d->columns++] = *column;
}

static void code_number(const coding *c) {
    double mean = 0, square = 0, n = (double)c->units, x;
    for (uint64_t i = 0; i < c->values; i++) {
        (void)read_number(c->value[i].value, &x);
        mean += (double)c->value[i].units * x / n;
    }
    for (uint64_t i = 0; i < c->values; i++) {
        (void)read_number(c->value[i].value, &x);
        square += (double)c->value[i].units * (x - mean) * (x - mean) / n;
    }
    fill_column(c, &(asif_design_column){.name = c->effect->column, .mean = mean, .sd = sqrt(square)});
}

static void code_level(const coding *c, const asif_covariate_value *level) {
    fill_column(c, &(asif_design_column){.name = c->effect->column,
                                         .level = level->value,
                                         .reference = c->value[0].value,
                                         .mean = (double)level->units / (double)c->units,
                                         .sd = NAN});
}

static asif_status fail_many(const coding *c, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "a population has at most %d coefficients of covariates; with `%s` it has more",
              ASIF_EFFECTS_MOST, asif_show(c->effect->column).text);
    asif_error_hint(error, "a column of labels has a coefficient for each label but one");
    return ASIF_EINVALID;
}

/* ---- columns that were made for other units ---- */

static bool is_column(const coding *c, const asif_design_column *column) {
    return strcmp(column->name, c->effect->column) == 0 && (!c->effect->factor || column->level);
}

/* Whether one of the given columns has this value. */
static bool has_value(const coding *c, const char *value) {
    double x;
    for (uint32_t k = 0; k < c->given->columns; k++) {
        const asif_design_column *column = &c->given->column[k];
        if (!is_column(c, column))
            continue;
        if (column->level ? strcmp(value, column->level) == 0 || strcmp(value, column->reference) == 0
                          : read_number(value, &x))
            return true;
    }
    return false;
}

static asif_status code_given(const coding *c, asif_error *error) {
    const char *name = c->effect->column;
    for (uint64_t i = 0; i < c->values; i++)
        if (!has_value(c, c->value[i].value)) {
            asif_fail(error, ASIF_EINVALID,
                      "`%s` is `%s` for %u of %u decision-makers, and for nobody of "
                      "the population that is given",
                      asif_show(name).text, asif_show(c->value[i].value).text, (unsigned)c->value[i].units,
                      (unsigned)c->units);
            asif_error_hint(error, "leave these people out, or fit the population with them");
            return ASIF_EINVALID;
        }
    for (uint32_t k = 0; k < c->given->columns; k++)
        if (is_column(c, &c->given->column[k]))
            fill_column(c, &c->given->column[k]);
    return ASIF_OK;
}

/* ---- all columns ---- */

/* Make the columns of a covariate; the first of them and their number are returned. */
static asif_status code(coding *c, uint32_t *first, uint32_t *count, asif_error *error) {
    asif_unit_design *d = c->design;
    ASIF_TRY(find_covariate(c, error));
    ASIF_TRY(check_values(c, error));
    *first = d->columns;
    if (c->given) {
        ASIF_TRY(code_given(c, error));
        *count = d->columns - *first;
        return ASIF_OK;
    }
    bool number = all_numbers(c);
    if (d->columns + (number ? 1 : c->values - 1) > ASIF_EFFECTS_MOST)
        return fail_many(c, error);
    if (number)
        code_number(c);
    for (uint64_t i = 1; !number && i < c->values; i++)
        code_level(c, &c->value[i]);
    *count = d->columns - *first;
    return ASIF_OK;
}

/* The columns of a covariate that has been coded before; false: it has not. */
static bool find_coded(const asif_unit_design *d, const asif_people_effect *effect, uint32_t *first,
                       uint32_t *count) {
    *count = 0;
    for (uint32_t k = 0; k < d->columns; k++)
        if (strcmp(d->column[k].name, effect->column) == 0 && (!effect->factor || d->column[k].level)) {
            *first = *count ? *first : k;
            ++*count;
        }
    return *count > 0;
}

static asif_status add_effect(coding *c, const asif_estimates *estimates, asif_error *error) {
    asif_unit_design *d = c->design;
    uint32_t coordinate = 0, first = 0, count = 0;
    ASIF_TRY(find_coordinate(&coordinate, estimates, c->effect->parameter, error));
    if (!find_coded(d, c->effect, &first, &count)) {
        asif_status status = code(c, &first, &count, error);
        asif_free(d->context, c->value);
        if (status != ASIF_OK)
            return status;
    }
    for (uint32_t k = first; k < first + count; k++) {
        for (uint32_t e = 0; e < d->effects; e++)
            if (d->effect[e].coordinate == coordinate && d->effect[e].column == k)
                return asif_fail(error, ASIF_EINVALID, "`%s` depends twice on `%s`",
                                 asif_show(c->effect->parameter).text, asif_show(c->effect->column).text);
        if (d->effects == ASIF_EFFECTS_MOST)
            return fail_many(c, error);
        d->effect[d->effects++] = (asif_effect){coordinate, k};
    }
    return ASIF_OK;
}

/* Columns were written with room for all that there may be. */
static void close_up(asif_unit_design *d, uint64_t units) {
    for (uint64_t u = 0; u < units; u++)
        memmove(d->z + u * d->columns, d->z + u * ASIF_EFFECTS_MOST, d->columns * sizeof *d->z);
}

asif_status asif_unit_design_open(asif_unit_design *d, const asif_tree *tree, const asif_estimates *estimates,
                                  const asif_people_effect *effect, uint32_t effects,
                                  const asif_design_columns *given, asif_error *error) {
    const asif_context *context = asif_tree_context(tree);
    uint64_t units = asif_tree_inside(tree)->units;
    *d = (asif_unit_design){.context = context};
    if (!effects)
        return ASIF_OK;
    if (!(d->z = ASIF_ARRAY(context, units * ASIF_EFFECTS_MOST, double)))
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < effects; i++) {
        coding c = {.design = d, .tree = tree, .effect = &effect[i], .given = given, .units = units};
        ASIF_TRY(add_effect(&c, estimates, error));
    }
    close_up(d, units);
    if (given || d->columns + 2 <= units)
        return ASIF_OK;
    return asif_fail(error, ASIF_EINVALID,
                     "%u columns of covariates cannot be told apart with %u decision-makers",
                     (unsigned)d->columns, (unsigned)units);
}

void asif_unit_design_close(asif_unit_design *d) {
    if (d->context)
        asif_free(d->context, d->z);
    *d = (asif_unit_design){0};
}
