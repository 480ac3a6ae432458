/* The marginal prior of one reported number. */
#include "theta/estimates.h"

#include <math.h>

static double number_density(const asif_coordinate *c, double number, bool logarithm) {
    double v = logarithm ? exp(number) : number, slope;
    asif_coordinate_point p;
    if (!(v > c->low && v < c->high))
        return 0;
    double x = asif_coordinate_of(c, v);
    asif_coordinate_at(c, x, &p);
    return exp(asif_coordinate_density(c, x, &slope) - p.log_slope) * (logarithm ? v : 1);
}

/* The marginal of a dirichlet is a beta. The dirichlet's weights are in the priors of the sticks, beta(a_k,
 * a_{k+1} + ... + a_K). */
static double entry_density(const asif_coordinate *stick, uint32_t entries, uint32_t k, double v) {
    double total = stick[0].prior.number[0] + stick[0].prior.number[1];
    double weight = k + 1 < entries ? stick[k].prior.number[0] : stick[k - 1].prior.number[1];
    const asif_prior margin = {ASIF_PRIOR_BETA, 2, {weight, total - weight, 0}};
    const asif_prior_point at = {v, log(v), log1p(-v)};
    asif_prior_point slope;
    return v > 0 && v < 1 ? exp(asif_prior_log_density(&margin, &at, &slope)) : 0;
}

double asif_prior_marginal(const asif_estimates *e, uint32_t i, double number) {
    if (i >= e->reported || !e->info[i].proper)
        return NAN;
    for (uint32_t p = 0; p < e->parts; p++) {
        const asif_part *part = &e->part[p];
        const asif_coordinate *c = &e->coordinate[part->coordinate];
        if (part->number && part->reported == i)
            return number_density(c, number, part->number->inverse);
        if (!part->number && part->entries > 1 && i >= part->reported && i - part->reported < part->entries)
            return entry_density(c, part->entries, i - part->reported, number);
    }
    return NAN;
}
