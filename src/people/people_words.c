/* A fitted population in words. */
#include "people/people.h"

#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

void asif_people_refusal(asif_text *t, const asif_people *people) {
    const asif_people_view *v = &people->view;
    asif_text_add(t, "The population could not be fitted: ");
    if (!(v->effective >= ASIF_POPULATION_EFFECTIVE))
        asif_text_addf(t, "only %.0f points of the table are effective for it, and %d are needed.",
                       v->effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->least_effective < ASIF_POPULATION_EFFECTIVE)
        asif_text_addf(
            t, "for some of its draws only %.0f points of the table are effective, and %d are needed.",
            v->least_effective, ASIF_POPULATION_EFFECTIVE);
    else if (v->worst_error <= ASIF_POPULATION_ERROR)
        asif_text_add(t, "draws from its posterior are not reliable.");
    else
        asif_text_addf(
            t,
            "the table of points makes an error of %.2f standard deviations in %s, and at most %.1f is "
            "accepted.",
            v->worst_error, v->population[v->worst].name, ASIF_POPULATION_ERROR);
}

/* What the coefficients are of, each covariate once. */
static void add_coefficients(asif_text *t, const asif_people *p) {
    for (uint32_t k = 0; k < p->design.columns; k++) {
        const asif_design_column *c = &p->design.column[k];
        bool more = k > 0 && c->level && strcmp(c->name, p->design.column[k - 1].name) == 0;
        if (k == 0)
            asif_text_addf(t,
                           "\nmean_ is that of these %s. "
                           "sd_ is how much people differ whose covariates are equal.\n",
                           p->design.pools ? "groups" : "people");
        if (c->level && !c->reference && !more)
            asif_text_addf(
                t,
                "between_ of %s: the standard deviation of the groups' means. coef_ of %s: the difference "
                "of a group's mean from that of all groups.\n",
                c->name, c->name);
        if (c->level && c->reference && !more)
            asif_text_addf(t, "coef_ of %s: the difference from %s %s.\n", c->name, c->name, c->reference);
        if (!c->level)
            asif_text_addf(
                t, "coef_ of %s: the change with one standard deviation of %s, %.4g, from its mean %.4g.\n",
                c->name, c->name, c->sd, c->mean);
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
    asif_text_addf(t, "%u %s these people best (least BIC).\n", v->kinds,
                   v->kinds > 1 ? "kinds describe" : "kind describes");
    if (v->kinds > 1)
        asif_text_add(
            t, "Kinds have means and shares of their own. sd_ is how much people of one kind differ.\n");
}

/* How coefficients stand out from those of permuted covariates. */
static void add_permutations(asif_text *t, const asif_people_view *v) {
    if (!v->permuted)
        return;
    asif_text_addf(t, "\n%-28s %12s %12s\n", "COVARIATES BY LOT", "without 0", "as far");
    for (uint32_t k = 0; k < v->coefficients; k++)
        asif_text_addf(t, "  %-26s %12" PRIu64 " %12" PRIu64 "\n", v->permuted[k].name,
                       v->permuted[k].without_zero, v->permuted[k].as_far);
    asif_text_addf(
        t,
        "In %" PRIu64
        " fits, people got each other's covariates by lot. The columns count intervals that do not "
        "contain 0, and means at least as far from 0 as above.\n",
        v->permutations);
    if (v->permutations_refused)
        asif_text_addf(t, "Of %" PRIu64 " more nothing is said: the table is too coarse for them.\n",
                       v->permutations_refused);
}

static void add_population(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_text_addf(t, "\n%-28s %12s %12s %12s %12s\n", "POPULATION", "mean", "sd", "5 %", "95 %");
    for (uint32_t i = 0; i < v->population_numbers; i++) {
        const asif_population_number *n = &v->population[i];
        asif_text_addf(t, "  %-26s %12.4g %12.3g %12.4g %12.4g\n", n->name, n->mean, n->sd, n->q05, n->q95);
    }
    add_coefficients(t, p);
    add_permutations(t, v);
    add_comparison(t, v);
}

static void add_units(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    if (v->served > 1)
        asif_text_addf(t, "\n%-28s %12s %12s\n", "UNITS", "differ by", "uncertain by");
    for (uint32_t k = 0; v->served > 1 && k < v->numbers; k++)
        asif_text_addf(t, "  %-26s %12.3g %12.3g\n", asif_estimates_get(p->estimates, k)->name, v->between[k],
                       v->within[k]);
    asif_text_addf(t,
                   "\n%" PRIu64 " of %" PRIu64 " posteriors are accurate (at least %d effective points).\n",
                   v->served, v->units, ASIF_SERVED_EFFECTIVE);
}

static void add_table(asif_text *t, const asif_people *p) {
    const asif_people_view *v = &p->view;
    asif_text_addf(t,
                   "The table has %" PRIu64
                   " points, of which %.0f are effective for the population; its error is "
                   "at most %.2f standard deviations, and is part of the intervals.\n",
                   v->points, v->effective, v->worst_error);
    if (v->left_out)
        asif_text_addf(
            t,
            "%" PRIu64 " of %" PRIu64
            " draws of the population are left out: fewer than %d points are effective for them.\n",
            v->left_out, p->fit.count, ASIF_POPULATION_EFFECTIVE);
}

asif_status asif_people_text(char **out, const asif_people *p, asif_error *error) {
    const asif_people_view *v = &p->view;
    asif_text text = {.context = p->context};
    asif_text_addf(&text, "%" PRIu64 " decision-makers, of whom %" PRIu64 " differ in their decisions\n",
                   v->units, v->rows);
    if (p->given)
        asif_text_add(&text, "The population is given.\n");
    else if (v->sampled < v->units)
        asif_text_addf(&text, "The population is fitted to a random sample of %" PRIu64 " of them.\n",
                       v->sampled);
    if (!v->usable) {
        asif_text_add(&text, "\n");
        asif_people_refusal(&text, p);
        asif_text_add(&text, "\nA larger table (--points) may help.\n");
    }
    if (v->usable && !p->given)
        add_population(&text, p);
    if (v->usable)
        add_units(&text, p);
    if (v->usable && !p->given)
        add_table(&text, p);
    return asif_text_finish(out, &text, error);
}
