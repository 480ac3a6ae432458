#include "theta/coordinate.h"

#include "base/error.h"
#include "base/numeric/special.h"

#include <math.h>

/* The least probability of a prior between the limits: one with less cannot be what its author means. */
#define LEAST_MASS 1e-12
#define EDGE 1e-3 /* a value at its limit is moved to this quantile, or to 1 minus it */

static double sign_of(const asif_coordinate *c) {
    return c->flipped ? -1 : 1;
}

static double inner(const asif_coordinate *c, double x) {
    return c->flipped ? -x : x - c->offset;
}

static double outer(const asif_coordinate *c, double t) {
    return c->flipped ? -t : t + c->offset;
}

static void same_at(const asif_coordinate *c, double t, asif_coordinate_point *p) {
    (void)c;
    p->at.v = t;
    p->slope.v = 1;
}

static void log_at(const asif_coordinate *c, double t, asif_coordinate_point *p) {
    p->slope.v = exp(t);
    p->at.v = c->low + p->slope.v;
    p->at.below = p->log_slope = t;
    p->slope.below = p->log_slope_slope = 1;
}

static void logit_at(const asif_coordinate *c, double t, asif_coordinate_point *p) {
    double width = c->high - c->low, up = asif_logistic(t), down = asif_logistic(-t);
    p->at.v = t < 0 ? c->low + width * up : c->high - width * down;
    p->at.below = log(width) - asif_log1p_exp(-t);
    p->at.above = log(width) - asif_log1p_exp(t);
    p->slope.v = width * up * down;
    p->slope.below = down;
    p->slope.above = -up;
    p->log_slope = p->at.below + p->at.above - log(width);
    p->log_slope_slope = down - up;
}

static double same_of(const asif_coordinate *c, double v) {
    (void)c;
    return v;
}
static double log_of(const asif_coordinate *c, double v) {
    return log(v - c->low);
}
static double logit_of(const asif_coordinate *c, double v) {
    return log((v - c->low) / (c->high - v));
}

static const struct {
    void (*at)(const asif_coordinate *c, double t, asif_coordinate_point *p);
    double (*of)(const asif_coordinate *c, double v);
} lines[] = {
    [ASIF_LINE_SAME] = {same_at, same_of},
    [ASIF_LINE_LOG] = {log_at, log_of},
    [ASIF_LINE_LOGIT] = {logit_at, logit_of},
};

void asif_coordinate_at(const asif_coordinate *c, double x, asif_coordinate_point *out) {
    *out = (asif_coordinate_point){0};
    lines[c->line].at(c, inner(c, x), out);
    double sign = sign_of(c);
    out->slope.v *= sign;
    out->slope.below *= sign;
    out->slope.above *= sign;
    out->log_slope_slope *= sign;
}

double asif_coordinate_of(const asif_coordinate *c, double v) {
    if (v > c->low && v < c->high)
        return outer(c, lines[c->line].of(c, v));
    return asif_coordinate_quantile(c, v <= c->low ? EDGE : v >= c->high ? 1 - EDGE : 0.5);
}

double asif_coordinate_density(const asif_coordinate *c, double x, double *slope) {
    *slope = 0;
    if (c->prior.kind == ASIF_PRIOR_FLAT)
        return 0;
    asif_coordinate_point p;
    asif_prior_point d;
    asif_coordinate_at(c, x, &p);
    double density = asif_prior_log_density(&c->prior, &p.at, &d);
    *slope = p.log_slope_slope;
    if (d.v != 0)
        *slope += d.v * p.slope.v;
    *slope += d.below * p.slope.below + d.above * p.slope.above;
    return density - c->log_mass + p.log_slope;
}

/* The mass of a prior between a limit of the coordinate (the upper one if `upper`) and a point. The smaller
 * tails are subtracted from each other, so that little is lost to cancellation. */
static double mass(const asif_coordinate *c, const asif_prior *prior, const asif_prior_point *at,
                   bool upper) {
    double support_low, support_high;
    asif_prior_support(prior, &support_low, &support_high);
    double limit = upper ? c->high : c->low, support = upper ? support_high : support_low;
    if (!(upper ? limit < support : limit > support))
        return asif_prior_tail(prior, at, upper);
    asif_prior_point end = {limit, log(limit - support_low), log(support_high - limit)};
    double cut = asif_prior_tail(prior, &end, upper);
    return cut <= 0.5 ? asif_prior_tail(prior, at, upper) - cut
                      : asif_prior_tail(prior, &end, !upper) - asif_prior_tail(prior, at, !upper);
}

static double mass_inside(const asif_coordinate *c, const asif_prior *prior) {
    double support_low, support_high;
    asif_prior_support(prior, &support_low, &support_high);
    if (c->high >= support_high) { /* the mass is all that lies above the lower limit */
        if (c->low <= support_low)
            return 1;
        asif_prior_point end = {c->low, log(c->low - support_low), log(support_high - c->low)};
        return asif_prior_tail(prior, &end, true);
    }
    asif_prior_point end = {c->high, log(c->high - support_low), log(support_high - c->high)};
    return mass(c, prior, &end, false);
}

asif_status asif_coordinate_create(asif_coordinate *out, double low, double high, const asif_prior *prior,
                                   const asif_prior *drawn, const char *name, asif_error *error) {
    double support_low, support_high;
    bool flat = prior->kind == ASIF_PRIOR_FLAT;
    asif_prior_support(prior, &support_low, &support_high);
    *out = (asif_coordinate){.prior = *prior,
                             .drawn = flat ? *drawn : *prior,
                             .low = fmax(low, support_low),
                             .high = fmin(high, support_high)};
    out->line = isinf(out->low) ? ASIF_LINE_SAME : isinf(out->high) ? ASIF_LINE_LOG : ASIF_LINE_LOGIT;
    double inside = out->low < out->high ? flat ? 1 : mass_inside(out, prior) : 0;
    out->log_mass = log(inside);
    if (inside >= LEAST_MASS)
        return ASIF_OK;
    char a[ASIF_NUMBER_SIZE], b[ASIF_NUMBER_SIZE];
    asif_fail(error, ASIF_EINVALID, "the prior of %s leaves it no room: it is %s %s%s%s", name,
              isinf(high) ? "above" : "between", asif_number_text(a, low), isinf(high) ? "" : " and ",
              isinf(high) ? "" : asif_number_text(b, high));
    asif_error_hint(error, "give a prior with probability there, or leave it out for the default");
    return ASIF_EINVALID;
}

/* The probability, between the limits, that a drawn value is at most the one at t, or above it if `upper`. */
static double drawn_tail(const asif_coordinate *c, double t, double total, bool upper) {
    asif_coordinate_point p = {.log_slope = 0};
    lines[c->line].at(c, t, &p);
    return mass(c, &c->drawn, &p.at, upper) / total;
}

/* Whether the value at t is above the p-quantile. */
static bool beyond(const asif_coordinate *c, double t, double total, double p) {
    return p > 0.5 ? drawn_tail(c, t, total, true) < 1 - p : drawn_tail(c, t, total, false) > p;
}

double asif_coordinate_quantile(const asif_coordinate *c, double p) {
    double total = mass_inside(c, &c->drawn), low = -1, high = 1;
    while (low > -1e300 && beyond(c, low, total, p))
        low *= 2;
    while (high < 1e300 && !beyond(c, high, total, p))
        high *= 2;
    for (int i = 0; i < 200; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (beyond(c, middle, total, p))
            high = middle;
        else
            low = middle;
    }
    return outer(c, low + (high - low) / 2);
}
