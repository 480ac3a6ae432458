/* Names of a population's numbers. */
#include "people/people.h"

#include "base/text.h"
#include "theta/estimates.h"

#include <string.h>

void asif_people_coordinate(const asif_estimates *estimates, uint32_t coordinate,
                            char out[ASIF_COORDINATE_NAME]) {
    static const char *const line[] = {
        [ASIF_LINE_SAME] = "", [ASIF_LINE_LOG] = "log_", [ASIF_LINE_LOGIT] = "logit_"};
    const asif_estimate_info *info;
    asif_format(out, ASIF_COORDINATE_NAME, "x%u", coordinate + 1);
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++)
        if (info->coordinate == coordinate)
            asif_format(out, ASIF_COORDINATE_NAME, "%s%.30s", line[info->line], info->name);
    for (char *c = out; *c; c++)
        *c = *c == '.' || *c == ' ' ? '_' : *c;
}

/* Names are columns of Stan CSV, so that they have letters, digits and `_` only; a number tells apart those
 * that are then equal. */
static void make_column(asif_people *p, uint32_t number) {
    char *name = p->name[number];
    for (char *c = name; *c; c++)
        *c = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '_';
    for (uint32_t i = 0; i < number; i++)
        if (strcmp(p->name[i], name) == 0) {
            asif_format(name + strlen(name), 16, "_%u", number + 1);
            break;
        }
}

static void name_effect(asif_people *p, uint32_t number, const asif_effect *effect) {
    const asif_design_column *column = &p->design.column[effect->column];
    char one[ASIF_COORDINATE_NAME], *name = p->name[number];
    asif_people_coordinate(p->estimates, effect->coordinate, one);
    asif_format(name, 80, "coef_%.30s_%.20s%s%.20s", one, column->name, column->level ? "_" : "",
                column->level ? column->level : "");
    make_column(p, number);
}

/* The standard deviation of the groups of a pool. */
static void name_pool(asif_people *p, uint32_t number, const asif_effect *effect) {
    char one[ASIF_COORDINATE_NAME], *name = p->name[number];
    asif_people_coordinate(p->estimates, effect->coordinate, one);
    asif_format(name, 80, "between_%.30s_%.20s", one, p->design.column[effect->column].name);
    make_column(p, number);
}

/* Means of further kinds, and their shares, from number `at`; the means of the first kind say that they are
 * its own. */
static void name_kinds(asif_people *p, uint32_t at) {
    uint32_t d = p->estimates->dimension, kinds = p->view.kinds;
    char one[ASIF_COORDINATE_NAME];
    for (uint32_t k = 0; kinds > 1 && k < kinds; k++)
        for (uint32_t i = 0; i < d; i++) {
            asif_people_coordinate(p->estimates, i, one);
            asif_format(p->name[k ? at++ : i], sizeof *p->name, "mean_%s_kind_%u", one, k + 1);
        }
    for (uint32_t k = 1; k < kinds; k++)
        asif_format(p->name[at++], sizeof *p->name, "share_kind_%u", k + 1);
}

uint32_t asif_people_name_plain(char (*name)[ASIF_POPULATION_NAME], const asif_estimates *estimates,
                                bool correlated) {
    uint32_t d = estimates->dimension, at = 2 * d;
    char one[ASIF_COORDINATE_NAME], other[ASIF_COORDINATE_NAME];
    for (uint32_t i = 0; i < d; i++) {
        asif_people_coordinate(estimates, i, one);
        asif_format(name[i], sizeof *name, "mean_%s", one);
        asif_format(name[d + i], sizeof *name, "sd_%s", one);
        for (uint32_t j = 0; correlated && j < i; j++) {
            asif_people_coordinate(estimates, j, other);
            asif_format(name[at++], sizeof *name, "cor_%s_%s", other, one);
        }
    }
    return at;
}

void asif_people_name_numbers(asif_people *p) {
    uint32_t at = asif_people_name_plain(p->name, p->estimates, !p->options.uncorrelated);
    for (uint32_t k = 0; k < p->design.effects; k++)
        name_effect(p, at + k, &p->design.effect[k]);
    for (uint32_t k = 0; k < p->design.effects; k++)
        if (p->design.effect[k].pool)
            name_pool(p, at + p->design.effects + p->design.effect[k].pool - 1, &p->design.effect[k]);
    name_kinds(p, at + p->design.effects + p->design.pools);
    for (uint32_t i = 0; i < p->view.population_numbers; i++)
        p->names[i] = p->name[i];
}
