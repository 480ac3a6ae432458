/* A fitted population as a file, and the posteriors of further units given that file. Points are not kept: a
 * table is made again from its proposals, with the same bits. */
#include "people/people.h"

#include "base/data/json.h"
#include "base/data/yaml.h"
#include "base/error.h"
#include "base/memory.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define MOST_POINTS ((uint64_t)1 << 24)
#define MOST_SEED ((uint64_t)1 << 53) /* whole numbers that JSON has */

enum { D = ASIF_POPULATION_MOST };

/* ---- writing ---- */

static void add_proposal(asif_json *json, const asif_proposal *p, uint64_t d) {
    asif_json_object(json, NULL);
    asif_json_count(json, "count", p->count);
    if (p->centre) {
        asif_json_numbers(json, "centre", d, p->centre);
        asif_json_numbers(json, "factor", d * d, p->factor);
    }
    asif_json_end(json);
}

/* How covariates are coded, so that further people are coded alike. */
static void add_covariates(asif_json *json, const asif_unit_design *design) {
    asif_json_array(json, "columns");
    for (uint32_t k = 0; k < design->columns; k++) {
        const asif_design_column *c = &design->column[k];
        asif_json_object(json, NULL);
        asif_json_string(json, "name", c->name);
        if (c->level) {
            asif_json_string(json, "level", c->level);
            if (c->reference)
                asif_json_string(json, "reference", c->reference);
        } else {
            asif_json_number(json, "sd", c->sd);
        }
        asif_json_number(json, "mean", c->mean);
        asif_json_end(json);
    }
    asif_json_end(json);
}

asif_status asif_people_table(char **out, const asif_people *p, asif_error *error) {
    const asif_population_fit *fit = &p->fit;
    const asif_normal_population *population = &fit->population;
    asif_text text = {.context = p->context};
    asif_json json;
    char name[ASIF_COORDINATE_NAME];
    *out = NULL;
    if (!p->view.usable)
        return asif_fail(error, ASIF_EDOMAIN, "there is no population");
    asif_json_init(&json, &text);
    json.dense = 2;
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "key", p->options.key);
    asif_json_array(&json, "coordinates");
    for (uint32_t i = 0; i < p->estimates->dimension; i++) {
        asif_people_coordinate(p->estimates, i, name);
        asif_json_string(&json, NULL, name);
    }
    asif_json_end(&json);
    asif_json_count(&json, "seed", fit->atoms.seed);
    asif_json_bool(&json, "correlated", population->correlated);
    asif_json_count(&json, "kinds", asif_kinds(population));
    asif_json_count(&json, "sorted", population->sorted);
    asif_json_number(&json, "wanted", p->wanted);
    asif_json_count(&json, "every", p->every);
    add_covariates(&json, &p->design);
    asif_json_array(&json, "proposals");
    for (uint32_t r = 0; r < fit->atoms.proposals; r++)
        add_proposal(&json, &fit->atoms.proposal[r], p->estimates->dimension);
    asif_json_end(&json);
    asif_json_array(&json, "draws");
    for (uint32_t k = 0; k < asif_people_draws(p); k++)
        asif_json_numbers(&json, NULL, fit->numbers, asif_people_draw(p, k));
    asif_json_end(&json);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}

/* ---- reading ---- */

static asif_status fail_table(asif_error *error, const char *what) {
    asif_fail(error, ASIF_EPARSE, "the table of the population is damaged: %s", what);
    asif_error_hint(error, "run `asif people` for it again");
    return ASIF_EPARSE;
}

/* A list of just `count` numbers. */
static bool read_numbers(const asif_yaml *list, uint64_t count, double *out) {
    if (!list || list->kind != ASIF_YAML_LIST || list->count != count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const asif_yaml *item = list->item[i];
        if (item->kind != ASIF_YAML_SCALAR || !asif_number_read(item->text, strlen(item->text), &out[i]) ||
            !isfinite(out[i]))
            return false;
    }
    return true;
}

/* A whole number in [0, most]; `most` + 1 where there is none. */
static uint64_t read_count(const asif_yaml *node, const char *key, uint64_t most) {
    double value = asif_yaml_value(node, key);
    return value >= 0 && value <= (double)most && value == floor(value) ? (uint64_t)value : most + 1;
}

static asif_status check_origin(const asif_people *p, const asif_yaml *root, asif_error *error) {
    const asif_yaml *names = asif_yaml_list(root, "coordinates");
    const char *key = asif_yaml_text(root, "key");
    bool same = names && names->count == p->estimates->dimension;
    for (uint32_t i = 0; same && i < names->count; i++) {
        char name[ASIF_COORDINATE_NAME];
        asif_people_coordinate(p->estimates, i, name);
        same = names->item[i]->kind == ASIF_YAML_SCALAR && strcmp(names->item[i]->text, name) == 0;
    }
    if (!names)
        return fail_table(error, "it does not say of what");
    if (same && (!p->options.key || asif_is(key, p->options.key)))
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID,
              "the population was fitted with another study, other values of parameters, another resolution "
              "or another version of asif");
    asif_error_hint(error, "give the same study and flags as for the population");
    return ASIF_EINVALID;
}

static asif_status read_proposals(asif_population_fit *fit, const asif_yaml *list, uint64_t most,
                                  asif_error *error) {
    uint64_t d = fit->population.base->dimension, all = 0;
    double centre[D], factor[D * D];
    for (uint32_t r = 0; list && r < list->count; r++) {
        const asif_yaml *item = list->item[r], *at = asif_yaml_part(item, "centre");
        uint64_t count = read_count(item, "count", most);
        bool good = count > 0 && (all += count) <= most &&
                    (!at || (read_numbers(at, d, centre) &&
                             read_numbers(asif_yaml_part(item, "factor"), d * d, factor)));
        for (uint64_t i = 0; good && at && i < d; i++)
            good = factor[i * d + i] > 0;
        if (!good)
            return fail_table(error, "a proposal is not one");
        ASIF_TRY(asif_atoms_add_again(&fit->atoms, count, at ? centre : NULL, at ? factor : NULL, error));
    }
    return fit->atoms.count ? ASIF_OK : fail_table(error, "it has no points");
}

static asif_status read_draws(asif_population_fit *fit, const asif_yaml *list, asif_error *error) {
    fit->count = list ? list->count : 0;
    fit->phi = ASIF_ARRAY(fit->context, fit->count * fit->numbers, double);
    if (!fit->phi)
        return asif_fail_memory(error);
    for (uint64_t k = 0; k < fit->count; k++)
        if (!read_numbers(list->item[k], fit->numbers, fit->phi + k * fit->numbers))
            return fail_table(error, "a draw of the population is not one");
    return fit->count ? ASIF_OK : fail_table(error, "it has no draws");
}

static asif_status read_columns(asif_design_columns *out, const asif_yaml *list, asif_error *error) {
    out->columns = 0;
    for (uint32_t k = 0; list && k < list->count; k++) {
        const asif_yaml *item = list->item[k];
        asif_design_column c = {.name = asif_yaml_text(item, "name"),
                                .level = asif_yaml_text(item, "level"),
                                .reference = asif_yaml_text(item, "reference"),
                                .mean = asif_yaml_value(item, "mean"),
                                .sd = asif_yaml_value(item, "sd")};
        bool number = !c.level && !c.reference && isfinite(c.sd) && c.sd > 0;
        if (k >= ASIF_EFFECTS_MOST || !c.name || !isfinite(c.mean) || !(number || c.level))
            return fail_table(error, "a covariate is not one");
        out->column[out->columns++] = c;
    }
    return ASIF_OK;
}

asif_status asif_people_read_table(asif_people *p, const char *table, uint64_t length, asif_error *error) {
    ASIF_TRY(asif_yaml_read(&p->document, p->context, table, length, "table of the population", error));
    const asif_yaml *root = asif_yaml_root(p->document);
    ASIF_TRY(check_origin(p, root, error));
    return read_columns(&p->columns, asif_yaml_list(root, "columns"), error);
}

asif_status asif_people_take_table(asif_people *p, asif_error *error) {
    const asif_yaml *root = asif_yaml_root(p->document);
    asif_population_fit *fit = &p->fit;
    uint64_t seed = read_count(root, "seed", MOST_SEED), kinds = read_count(root, "kinds", ASIF_KINDS_MOST),
             sorted = read_count(root, "sorted", D - 1), every = read_count(root, "every", MOST_POINTS);
    double wanted = asif_yaml_value(root, "wanted");
    if (seed > MOST_SEED || kinds == 0 || kinds > ASIF_KINDS_MOST || sorted >= D || !isfinite(wanted) ||
        every == 0 || every > MOST_POINTS)
        return fail_table(error, "it does not say how it was made");
    if (p->design.columns != p->columns.columns || (p->design.effects && kinds > 1))
        return fail_table(error, "its covariates are not those of the study");
    fit->context = p->context;
    asif_population_place(&fit->population, &p->base, asif_yaml_flag(root, "correlated"));
    fit->population.kinds = (uint32_t)kinds;
    fit->population.sorted = (uint32_t)sorted;
    asif_population_set_effects(&fit->population, p->design.effect, p->design.effects);
    fit->numbers = asif_population_numbers(&fit->population);
    p->view.kinds = (uint32_t)kinds;
    p->wanted = wanted;
    p->every = every;
    asif_atoms_open(&fit->atoms, p->context, &p->base, seed);
    uint64_t most = p->options.most_points ? p->options.most_points : MOST_POINTS;
    ASIF_TRY(read_proposals(fit, asif_yaml_list(root, "proposals"), most, error));
    return read_draws(fit, asif_yaml_list(root, "draws"), error);
}
