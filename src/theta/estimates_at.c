/* Estimates at a point: values, priors, derivatives. */
#include "theta/estimates.h"

#include "base/error.h"
#include "base/numeric/special.h"
#include "base/random.h"

#include <math.h>

#define TINY 1e-6 /* an entry of a distribution that is 0 is moved to this */

/* The log of a positive value; from the log distance where the limit is 0, which keeps it exact for
 * tiny values. */
static double log_value(const asif_coordinate *c, const asif_coordinate_point *p) {
    return c->low == 0 ? p->at.below : log(p->at.v);
}

/* ---- stick breaking ---- */

static double log_left(const asif_coordinate *c, double x) {
    return -asif_log1p_exp(x - c->offset);
}

static double share(const asif_coordinate *c, double x) {
    return asif_logistic(x - c->offset);
}

/* The size of entry k, when the entries before it left *left of the whole; *left is updated. */
static double break_off(const asif_estimates *e, const asif_part *part, const double *x, uint32_t k,
                        double *left) {
    double before = *left;
    if (k + 1 == part->entries)
        return before;
    const asif_coordinate *c = &e->coordinate[part->coordinate + k];
    double t = x[part->coordinate + k] - c->offset;
    *left *= asif_logistic(-t);
    return before * asif_logistic(t);
}

/* ---- values ---- */

void asif_estimates_report(const asif_estimates *e, const double *x, double *out) {
    for (uint32_t i = 0; i < e->parts; i++) {
        const asif_part *part = &e->part[i];
        double left = 1;
        for (uint32_t k = 0; !part->number && k < part->entries; k++)
            out[part->reported + k] = break_off(e, part, x, k, &left);
        if (!part->number)
            continue;
        asif_coordinate_point p;
        const asif_coordinate *c = &e->coordinate[part->coordinate];
        asif_coordinate_at(c, x[part->coordinate], &p);
        out[part->reported] = part->number->inverse ? log_value(c, &p) : p.at.v;
    }
}

static double locate_number(const asif_coordinate *c, double reported, bool log_reported) {
    if (!log_reported)
        return asif_coordinate_of(c, reported);
    /* The coordinate is the reported log itself; exp(reported) could overflow. */
    if (c->low == 0 && c->line == ASIF_LINE_LOG && isfinite(reported))
        return reported;
    return asif_coordinate_of(c, exp(reported));
}

static void locate_sticks(const asif_estimates *e, const asif_part *part, const double *reported, double *x) {
    double rest = 0;
    for (uint32_t k = part->entries; k-- > 0;) {
        double p = reported[part->reported + k];
        if (!(p > 0) || !isfinite(p))
            p = TINY;
        if (k + 1 < part->entries)
            x[part->coordinate + k] = log(p) - log(rest) + e->coordinate[part->coordinate + k].offset;
        rest += p;
    }
}

void asif_estimates_locate(const asif_estimates *e, const double *reported, double *x) {
    for (uint32_t i = 0; i < e->parts; i++) {
        const asif_part *part = &e->part[i];
        if (part->number)
            x[part->coordinate] = locate_number(&e->coordinate[part->coordinate], reported[part->reported],
                                                part->number->inverse);
        else
            locate_sticks(e, part, reported, x);
    }
}

void asif_estimates_locate_utilities(const asif_estimates *e, const double *utility, double *x) {
    for (uint32_t i = 0; i < e->parts; i++) {
        const asif_part *part = &e->part[i];
        if (part->number && part->utility != ASIF_ANY)
            x[part->coordinate] =
                locate_number(&e->coordinate[part->coordinate], utility[part->utility], false);
    }
}

static double *number_slot(asif_theta *theta, const asif_part *part) {
    return part->utility == ASIF_ANY ? (double *)(void *)((char *)theta + part->number->theta_at)
                                     : &theta->utility[part->utility];
}

static bool put_number(const asif_estimates *e, const asif_part *part, const double *x, asif_theta *theta) {
    const asif_coordinate *c = &e->coordinate[part->coordinate];
    asif_coordinate_point p;
    asif_coordinate_at(c, x[part->coordinate], &p);
    double value = part->number->inverse ? part->sign * exp(-log_value(c, &p)) : p.at.v;
    *number_slot(theta, part) = value;
    /* The value must stay below its limit: a discount that rounds to 1 is not allowed. */
    return isfinite(value) && (part->number->inverse || value < part->number->high);
}

static bool put_distribution(const asif_estimates *e, const asif_part *part, const double *x,
                             asif_theta *theta) {
    double *slot = asif_distribution_slot(theta, part->which, part->start), left = 1;
    bool good = true;
    for (uint32_t i = 0; i < asif_distribution_count(theta->setting, part->which); i++)
        slot[i] = 0;
    for (uint32_t k = 0; k < part->entries; k++) {
        slot[part->entry[k]] = break_off(e, part, x, k, &left);
        good = good && slot[part->entry[k]] > 0;
    }
    return good;
}

asif_status asif_estimates_theta(const asif_estimates *e, const double *x, asif_theta *theta,
                                 asif_error *error) {
    asif_theta_assign(theta, e->given);
    for (uint32_t i = 0; i < e->parts; i++) {
        const asif_part *part = &e->part[i];
        if (!(part->number ? put_number : put_distribution)(e, part, x, theta))
            return asif_fail(error, ASIF_EDOMAIN, "%s is too near its limit to compute with",
                             asif_show(asif_part_name(e, part)).text);
    }
    return ASIF_OK;
}

/* ---- priors ---- */

double asif_estimates_log_prior(const asif_estimates *e, const double *x, double *gradient) {
    double sum = 0, slope;
    for (uint32_t i = 0; i < e->dimension; i++) {
        sum += asif_coordinate_density(&e->coordinate[i], x[i], &slope);
        if (gradient)
            gradient[i] += slope;
    }
    return sum;
}

void asif_estimates_draw(const asif_estimates *e, uint64_t seed, uint64_t index, double *x) {
    asif_stream stream = {.seed = seed, .purpose = ASIF_FOR_STARTS, .index = index};
    for (uint32_t i = 0; i < e->dimension; i++)
        x[i] = asif_coordinate_quantile(&e->coordinate[i], asif_uniform(&stream, i));
}

void asif_estimates_scale(const asif_estimates *e, double *scale) {
    const double normal = 2 * 1.6448536269514722; /* standard deviations in the middle 90 % of a normal */
    for (uint32_t i = 0; i < e->dimension; i++)
        scale[i] = fabs(asif_coordinate_quantile(&e->coordinate[i], 0.95) -
                        asif_coordinate_quantile(&e->coordinate[i], 0.05)) /
                   normal;
}

/* ---- derivatives ---- */

static void pull_number(const asif_estimates *e, const asif_part *part, const double *x,
                        const asif_theta_gradient *g, double *out) {
    const asif_coordinate *c = &e->coordinate[part->coordinate];
    double bar = part->utility == ASIF_ANY
                     ? *(const double *)(const void *)((const char *)g + part->number->gradient_at)
                     : g->utility[part->utility];
    asif_coordinate_point p;
    asif_coordinate_at(c, x[part->coordinate], &p);
    double slope = p.slope.v;
    if (part->number->inverse)
        slope = -part->sign * exp(-log_value(c, &p)) * (c->low == 0 ? p.slope.below : p.slope.v / p.at.v);
    out[part->coordinate] += bar * slope;
}

/* Derivatives through stick breaking: dL/dx_k = S_k z_k (1 - z_k) (g_k - W_{k+1}), where S_k is what is left
 * for entry k and those after it, and W_k is the mean of their derivatives g, weighted by their shares
 * of S_k. */
static void pull_sticks(const asif_estimates *e, const asif_part *part, const double *x,
                        const asif_theta_gradient *g, double *out) {
    const double *const first[] = {[ASIF_ACTION_PRIOR] = g->action_prior,
                                   [ASIF_WORLD_WEIGHTS] = g->world_weights,
                                   [ASIF_START] = g->start,
                                   [ASIF_MEANS] = g->means};
    const double *bar =
        first[part->which] + (uint64_t)part->start * asif_distribution_count(e->given->setting, part->which);
    const asif_coordinate *c = &e->coordinate[part->coordinate];
    double *to = out + part->coordinate, log_rest = 0, mean = bar[part->entry[part->entries - 1]];
    x += part->coordinate;
    for (uint32_t k = 0; k + 1 < part->entries; k++)
        log_rest += log_left(&c[k], x[k]);
    for (uint32_t k = part->entries - 1; k-- > 0;) {
        double z = share(&c[k], x[k]), own = bar[part->entry[k]];
        to[k] += exp(log_rest) * z * (own - mean); /* S_k (1 - z_k) is exp(log_rest) */
        log_rest -= log_left(&c[k], x[k]);
        mean = z * own + asif_logistic(c[k].offset - x[k]) * mean;
    }
}

void asif_estimates_pull(const asif_estimates *e, const double *x, const asif_theta_gradient *gradient,
                         double *out) {
    for (uint32_t i = 0; i < e->parts; i++)
        (e->part[i].number ? pull_number : pull_sticks)(e, &e->part[i], x, gradient, out);
}
