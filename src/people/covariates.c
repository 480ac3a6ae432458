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

/* Whether a column is one that an effect has. */
static bool is_column(const asif_people_effect *effect, const asif_design_column *column) {
    bool group = column->level && !column->reference;
    if (strcmp(column->name, effect->column) != 0 || group != (effect->kind == ASIF_EFFECT_GROUPS))
        return false;
    return effect->kind != ASIF_EFFECT_LABELS || column->level;
}

static bool read_number(const char *text, double *out) {
    return asif_number_read(text, strlen(text), out) && isfinite(*out);
}

static bool all_numbers(const coding *c) {
    double x;
    for (uint64_t i = 0; i < c->values; i++)
        if (!read_number(c->value[i].value, &x))
            return false;
    return c->effect->kind == ASIF_EFFECT_VALUES;
}

/* Write a column, which has just the values that it may have. While there may be more, columns are one after
 * another. */
static asif_status fill_column(const coding *c, const asif_design_column *column, asif_error *error) {
    asif_unit_design *d = c->design;
    double *z = asif_realloc(d->context, d->z, (d->columns + 1) * c->units, sizeof *z), x = 0;
    if (!z)
        return asif_fail_memory(error);
    d->z = z;
    z += d->columns * c->units;
    for (uint64_t u = 0; u < c->units; u++) {
        const char *value = asif_tree_covariate(c->tree, u, c->covariate);
        if (column->level)
            x = (strcmp(value, column->level) == 0 ? 1 : 0) - column->mean;
        else if (read_number(value, &x))
            x = (x - column->mean) / column->sd;
        z[u] = x;
    }
    d->column[d->columns++] = *column;
    return ASIF_OK;
}

static asif_status code_number(const coding *c, asif_error *error) {
    double mean = 0, square = 0, n = (double)c->units, x;
    for (uint64_t i = 0; i < c->values; i++) {
        (void)read_number(c->value[i].value, &x);
        mean += (double)c->value[i].units * x / n;
    }
    for (uint64_t i = 0; i < c->values; i++) {
        (void)read_number(c->value[i].value, &x);
        square += (double)c->value[i].units * (x - mean) * (x - mean) / n;
    }
    const asif_design_column column = {
        .name = c->effect->column, .mean = mean, .sd = sqrt(square), .share = NAN};
    return fill_column(c, &column, error);
}

/* The column of a label against the first, or of a group. */
static asif_status code_level(const coding *c, const asif_covariate_value *level, asif_error *error) {
    double share = (double)level->units / (double)c->units;
    bool group = c->effect->kind == ASIF_EFFECT_GROUPS;
    const asif_design_column column = {.name = c->effect->column,
                                       .level = level->value,
                                       .reference = group ? NULL : c->value[0].value,
                                       .mean = group ? 0 : share,
                                       .sd = NAN,
                                       .share = share};
    return fill_column(c, &column, error);
}

static asif_status fail_many(const coding *c, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "a population has at most %d coefficients of covariates; with `%s` it has more",
              ASIF_EFFECTS_MOST, asif_show(c->effect->column).text);
    asif_error_hint(error,
                    "a column of labels has a coefficient for each label but one, and one of groups for "
                    "each group");
    return ASIF_EINVALID;
}

/* ---- columns that were made for other units ---- */

/* Whether one of the given columns has this value. */
static bool has_value(const coding *c, const char *value) {
    double x;
    for (uint32_t k = 0; k < c->given->columns; k++) {
        const asif_design_column *column = &c->given->column[k];
        if (!is_column(c->effect, column))
            continue;
        bool reference = column->reference && strcmp(value, column->reference) == 0;
        if (column->level ? reference || strcmp(value, column->level) == 0 : read_number(value, &x))
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
        if (is_column(c->effect, &c->given->column[k]))
            ASIF_TRY(fill_column(c, &c->given->column[k], error));
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
    uint64_t first_level = c->effect->kind == ASIF_EFFECT_GROUPS ? 0 : 1;
    if (d->columns + (number ? 1 : c->values - first_level) > ASIF_EFFECTS_MOST)
        return fail_many(c, error);
    if (number)
        ASIF_TRY(code_number(c, error));
    for (uint64_t i = first_level; !number && i < c->values; i++)
        ASIF_TRY(code_level(c, &c->value[i], error));
    *count = d->columns - *first;
    return ASIF_OK;
}

/* The columns of a covariate that has been coded before; false: it has not. */
static bool find_coded(const asif_unit_design *d, const asif_people_effect *effect, uint32_t *first,
                       uint32_t *count) {
    *count = 0;
    for (uint32_t k = 0; k < d->columns; k++)
        if (is_column(effect, &d->column[k])) {
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
    bool groups = c->effect->kind == ASIF_EFFECT_GROUPS;
    if (groups && d->pools == ASIF_POOLS_MOST)
        return asif_fail(
            error, ASIF_EINVALID,
            "a population has at most %d standard deviations between groups; with `%s` it has more",
            ASIF_POOLS_MOST, asif_show(c->effect->column).text);
    d->pools += groups;
    for (uint32_t k = first; k < first + count; k++) {
        for (uint32_t e = 0; e < d->effects; e++)
            if (d->effect[e].coordinate == coordinate && d->effect[e].column == k)
                return asif_fail(error, ASIF_EINVALID, "`%s` depends twice on `%s`",
                                 asif_show(c->effect->parameter).text, asif_show(c->effect->column).text);
        if (d->effects == ASIF_EFFECTS_MOST)
            return fail_many(c, error);
        d->effect[d->effects++] = (asif_effect){coordinate, k, groups ? d->pools : 0};
    }
    return ASIF_OK;
}

/* From columns one after another to [units][columns]. */
static asif_status turn(asif_unit_design *d, uint64_t units, asif_error *error) {
    double *z = ASIF_ARRAY(d->context, units * d->columns, double);
    if (!z)
        return asif_fail_memory(error);
    for (uint64_t u = 0; u < units; u++)
        for (uint64_t k = 0; k < d->columns; k++)
            z[u * d->columns + k] = d->z[k * units + u];
    asif_free(d->context, d->z);
    d->z = z;
    return ASIF_OK;
}

/* Columns that nothing but the units tells apart; groups have a common prior. */
static uint32_t count_plain(const asif_unit_design *d) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < d->columns; k++)
        count += !d->column[k].level || d->column[k].reference;
    return count;
}

asif_status asif_unit_design_open(asif_unit_design *d, const asif_tree *tree, const asif_estimates *estimates,
                                  const asif_people_effect *effect, uint32_t effects,
                                  const asif_design_columns *given, asif_error *error) {
    const asif_context *context = asif_tree_context(tree);
    uint64_t units = asif_tree_inside(tree)->units;
    *d = (asif_unit_design){.context = context};
    if (!effects)
        return ASIF_OK;
    for (uint32_t i = 0; i < effects; i++) {
        coding c = {.design = d, .tree = tree, .effect = &effect[i], .given = given, .units = units};
        ASIF_TRY(add_effect(&c, estimates, error));
    }
    ASIF_TRY(turn(d, units, error));
    if (given || count_plain(d) + 2 <= units)
        return ASIF_OK;
    return asif_fail(error, ASIF_EINVALID,
                     "%u columns of covariates cannot be told apart with %u decision-makers",
                     (unsigned)count_plain(d), (unsigned)units);
}

void asif_unit_design_close(asif_unit_design *d) {
    if (d->context)
        asif_free(d->context, d->z);
    *d = (asif_unit_design){0};
}
