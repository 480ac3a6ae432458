/* A fitted population as text. */
#include "base/error.h"
#include "people/people.h"
#include "render/telling.h"
#include "report/people/people_lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What the coefficients are of, each covariate once. */
static void add_coefficients(asif_text *t, const asif_people *p) {
    for (uint32_t k = 0; k < p->design.columns; k++) {
        const asif_design_column *c = &p->design.column[k];
        bool more = k > 0 && c->level && strcmp(c->name, p->design.column[k - 1].name) == 0;
        if (k == 0) {
            asif_text_add(t, "\n");
            asif_people_say(
                t, "mean_ is that of these %s. sd_ is how much people differ whose covariates are equal.",
                p->design.pools ? "groups" : "people");
        }
        if (c->level && !c->reference && !more)
            asif_people_say(t,
                            "between_ of %s is the standard deviation of the groups' means. coef_ of %s is "
                            "the difference of a group's mean from that of all groups.",
                            c->name, c->name);
        if (c->level && c->reference && !more)
            asif_people_say(t, "coef_ of %s is the difference from %s %s.", c->name, c->name, c->reference);
        if (!c->level)
            asif_people_say(t,
                            "coef_ of %s is the change of the mean with one standard deviation of %s. That "
                            "is %.4g, and the mean of %s is %.4g.",
                            c->name, c->name, c->sd, c->name, c->mean);
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
    asif_people_say(t, "%u %s these people best (least BIC).", v->kinds,
                    v->kinds > 1 ? "kinds describe" : "kind describes");
    if (v->kinds > 1)
        asif_people_say(
            t, "Kinds have means and shares of their own. sd_ is how much people of one kind differ.");
}

/* How coefficients stand out from those of permuted covariates. */
static void add_permutations(asif_text *t, const asif_people_view *v) {
    char cell[ASIF_CELL_SIZE];
    if (!v->permuted)
        return;
    asif_text_addf(t, "\n%-28s %12s %12s\n", "COVARIATES BY LOT", "without 0", "as far");
    for (uint32_t k = 0; k < v->coefficients; k++)
        asif_text_addf(t, "  %-26s %12" PRIu64 " %12" PRIu64 "\n", v->permuted[k].name,
                       v->permuted[k].without_zero, v->permuted[k].as_far);
    asif_people_say(
        t,
        "In %s fits, people got each other's covariates by lot. The columns count intervals that do "
        "not contain 0, and means at least as far from 0 as above.",
        asif_count_text(cell, v->permutations));
    if (v->permutations_refused)
        asif_people_say(t, "Of %s more nothing is said: the table is too coarse for them.",
                        asif_count_text(cell, v->permutations_refused));
}

static void add_population(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_people_heading(t, "POPULATION");
    for (uint32_t i = 0; i < v->population_numbers; i++) {
        const asif_population_number *n = &v->population[i];
        asif_people_row(t, n->name, n->mean, n->sd, n->q05, n->q95);
    }
    add_coefficients(t, p);
    add_permutations(t, v);
    add_comparison(t, v);
}

static void add_units(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    char served[ASIF_CELL_SIZE], units[ASIF_CELL_SIZE];
    if (v->served > 1)
        asif_text_addf(t, "\n%-28s %12s %12s\n", "PEOPLE", "differ by", "uncertain by");
    for (uint32_t k = 0; v->served > 1 && k < v->numbers; k++)
        asif_text_addf(t, "  %-26s %12.3g %12.3g\n", asif_estimates_get(p->estimates, k)->name, v->between[k],
                       v->within[k]);
    asif_text_add(t, "\n");
    asif_people_say(t, "%s of %s posteriors are accurate (at least %d effective points).",
                    asif_count_text(served, v->served), asif_count_text(units, v->units),
                    ASIF_SERVED_EFFECTIVE);
}

static void add_table(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    char points[ASIF_CELL_SIZE], effective[ASIF_CELL_SIZE];
    asif_people_say(t,
                    "The table has %s points, of which %s are effective for the population. Its error is at "
                    "most %.2f standard deviations, and is part of the intervals.",
                    asif_count_text(points, v->points), asif_read_count_text(effective, round(v->effective)),
                    v->worst_error);
    if (v->left_out)
        asif_people_say(
            t, "%s of %s draws of the population are left out: fewer than %d points are effective for them.",
            asif_count_text(points, v->left_out), asif_count_text(effective, p->fit.count),
            ASIF_POPULATION_EFFECTIVE);
}

asif_status asif_people_text(char **out, const asif_people *p, asif_error *error) {
    const asif_people_view *v = &p->view;
    asif_text text = {.context = p->context}, why = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    asif_people_size(&text, (double)v->units, (double)v->rows);
    if (p->given)
        asif_people_say(&text, "The population is given.");
    else if (v->sampled < v->units)
        asif_people_say(&text, "The population is fitted to a random sample of %s of them.",
                        asif_count_text(cell, v->sampled));
    if (!v->usable) {
        asif_text_add(&text, "\n");
        asif_people_refusal(&why, p);
        asif_add_words(&text, "", 0, &why, ASIF_PEOPLE_WIDTH);
        asif_people_say(&text, "A larger table (--points) may help.");
    }
    if (v->usable && !p->given)
        add_population(&text, p);
    if (v->usable)
        add_units(&text, p);
    if (v->usable && !p->given)
        add_table(&text, p);
    return asif_text_finish(out, &text, error);
}
