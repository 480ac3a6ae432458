#include "sample/population/normal.h"

#include "base/numeric/dense.h"

#include <math.h>
#include <string.h>

#define APART .8  /* sds from the middle, at which a kind is divided */
#define NARROW .5 /* the standard deviation along it afterwards, over that before */
enum { MOST = ASIF_POPULATION_MOST };

uint32_t asif_population_first_effect(const asif_normal_population *p) {
    uint32_t d = p->base->dimension;
    return 2 * d + (p->correlated ? d * (d - 1) / 2 : 0);
}

uint32_t asif_population_pool(const asif_normal_population *p, uint32_t effect) {
    uint32_t pool = p->effect[effect].pool;
    return pool ? asif_population_first_effect(p) + p->effects + pool - 1 : 0;
}

void asif_population_set_effects(asif_normal_population *p, const asif_effect *effect, uint32_t effects) {
    p->effects = effects;
    p->pools = 0;
    memcpy(p->effect, effect, effects * sizeof *effect);
    for (uint32_t k = 0; k < effects; k++)
        p->pools = effect[k].pool > p->pools ? effect[k].pool : p->pools;
}

uint32_t asif_population_plain(const asif_normal_population *p) {
    return asif_population_first_effect(p) + p->effects + p->pools;
}

uint32_t asif_population_numbers(const asif_normal_population *p) {
    return asif_population_plain(p) + (p->kinds > 1 ? (p->kinds - 1) * (p->base->dimension + 1) : 0);
}

/* ---- kinds ---- */

uint32_t asif_kinds(const asif_normal_population *p) {
    return p->kinds > 1 ? p->kinds : 1;
}

/* The mean of a kind in phi. */
uint64_t asif_kinds_mean(const asif_normal_population *p, uint32_t kind) {
    return kind ? asif_population_plain(p) + (uint64_t)(kind - 1) * p->base->dimension : 0;
}

/* The log-ratio of kind 1 in phi. */
uint64_t asif_kinds_ratios(const asif_normal_population *p) {
    return asif_population_plain(p) + (uint64_t)(asif_kinds(p) - 1) * p->base->dimension;
}

void asif_kinds_plain(const asif_normal_population *p, const double *phi, uint32_t kind, double *out) {
    memcpy(out, phi, asif_population_plain(p) * sizeof *out);
    memcpy(out, phi + asif_kinds_mean(p, kind), p->base->dimension * sizeof *out);
}

void asif_kinds_shares(const asif_normal_population *p, const double *phi, double *share) {
    const double *ratio = phi + asif_kinds_ratios(p);
    uint32_t kinds = asif_kinds(p);
    double top = 0, sum = 0;
    for (uint32_t k = 1; k < kinds; k++)
        top = fmax(top, ratio[k - 1]);
    for (uint32_t k = 0; k < kinds; k++)
        sum += share[k] = exp((k ? ratio[k - 1] : 0) - top);
    for (uint32_t k = 0; k < kinds; k++)
        share[k] /= sum;
}

static void report_kinds(const asif_normal_population *p, const double *phi, double *out) {
    double share[ASIF_KINDS_MOST];
    uint64_t d = p->base->dimension, ratios = asif_kinds_ratios(p);
    asif_kinds_shares(p, phi, share);
    for (uint32_t k = 1; k < asif_kinds(p); k++) {
        for (uint64_t i = 0; i < d; i++)
            out[asif_kinds_mean(p, k) + i] = p->centre[i] + p->scale[i] * phi[asif_kinds_mean(p, k) + i];
        out[ratios + k - 1] = share[k];
    }
}

/* Shares are uniform; the Jacobian of their log-ratios is the product of all shares. */
static double log_prior_of_kinds(const asif_normal_population *p, const double *phi, double *gradient) {
    uint64_t d = p->base->dimension, ratios = asif_kinds_ratios(p);
    uint32_t kinds = asif_kinds(p);
    double share[ASIF_KINDS_MOST], sum = 0;
    asif_kinds_shares(p, phi, share);
    for (uint32_t k = 0; kinds > 1 && k < kinds; k++) {
        double mean[ASIF_POPULATION_MOST], slope[ASIF_POPULATION_MOST] = {0};
        sum += log(share[k]);
        if (k == 0)
            continue;
        for (uint64_t i = 0; i < d; i++)
            mean[i] = p->centre[i] + p->scale[i] * phi[asif_kinds_mean(p, k) + i];
        sum += p->base->log_density(p->base->user, mean, slope);
        for (uint64_t i = 0; i < d; i++)
            gradient[asif_kinds_mean(p, k) + i] += slope[i] * p->scale[i];
        gradient[ratios + k - 1] += 1 - kinds * share[k];
    }
    return sum;
}

uint32_t asif_kinds_coordinate(const asif_normal_population *p, const double *phi) {
    uint32_t d = p->base->dimension, best = 0;
    double most = -1;
    for (uint32_t i = 0; i < d; i++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t k = 0; k < asif_kinds(p); k++) {
            low = fmin(low, phi[asif_kinds_mean(p, k) + i]);
            high = fmax(high, phi[asif_kinds_mean(p, k) + i]);
        }
        double apart = (high - low) / hypot(exp(phi[d + i]), ASIF_LEAST_SPREAD);
        if (apart > most) {
            most = apart;
            best = i;
        }
    }
    return best;
}

void asif_kinds_sort(const asif_normal_population *p, double *phi) {
    uint64_t d = p->base->dimension, ratios = asif_kinds_ratios(p);
    uint32_t kinds = asif_kinds(p), order[ASIF_KINDS_MOST];
    double mean[ASIF_KINDS_MOST][ASIF_POPULATION_MOST], share[ASIF_KINDS_MOST];
    asif_kinds_shares(p, phi, share);
    for (uint32_t k = 0; k < kinds; k++) {
        uint32_t at = k;
        memcpy(mean[k], phi + asif_kinds_mean(p, k), d * sizeof *phi);
        for (; at > 0 && mean[order[at - 1]][p->sorted] > mean[k][p->sorted]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (uint32_t k = 0; k < kinds; k++) {
        memcpy(phi + asif_kinds_mean(p, k), mean[order[k]], d * sizeof *phi);
        if (k)
            phi[ratios + k - 1] = log(share[order[k]] / share[order[0]]);
    }
}

/* The other coordinates of the two follow by regression on the one along which the kind is divided. */
void asif_kinds_split(const asif_normal_population *p, const double *phi, uint32_t kind, uint32_t coordinate,
                      double *out) {
    asif_normal_population larger = *p;
    uint64_t d = p->base->dimension;
    uint32_t kinds = asif_kinds(p);
    double mean[ASIF_POPULATION_MOST], factor[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST],
        along[ASIF_POPULATION_MOST] = {0}, share[ASIF_KINDS_MOST], *ratio;
    larger.kinds = kinds + 1;
    asif_population_at(p, phi, mean, factor);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t k = 0; k <= (i < coordinate ? i : coordinate); k++)
            along[i] += factor[i * d + k] * factor[coordinate * d + k];
    double sd = sqrt(along[coordinate]);
    memcpy(out, phi, asif_kinds_ratios(p) * sizeof *out);
    for (uint64_t i = 0; i < d; i++) {
        double step = APART * along[i] / (sd * p->scale[i]);
        out[asif_kinds_mean(&larger, kinds) + i] = phi[asif_kinds_mean(p, kind) + i] + step;
        out[asif_kinds_mean(p, kind) + i] -= step;
    }
    out[d + coordinate] += log(NARROW);
    asif_kinds_shares(p, phi, share);
    share[kind] /= 2;
    ratio = out + asif_kinds_ratios(&larger);
    for (uint32_t k = 1; k <= kinds; k++)
        ratio[k - 1] = log((k < kinds ? share[k] : share[kind]) / share[0]);
}

/* ---- one kind ---- */

/* The standard deviation of the pool of an effect, over the scale of its coordinate. */
static double sd_of_pool(const asif_normal_population *p, const double *phi, uint32_t effect) {
    uint32_t pool = asif_population_pool(p, effect);
    return pool ? exp(phi[pool]) : 1;
}

void asif_population_shift(const asif_normal_population *p, const double *phi, const double *z,
                           double *shift) {
    uint32_t first = asif_population_first_effect(p);
    for (uint32_t i = 0; i < p->base->dimension; i++)
        shift[i] = 0;
    for (uint32_t k = 0; k < p->effects; k++)
        if (z[p->effect[k].column] != 0)
            shift[p->effect[k].coordinate] += sd_of_pool(p, phi, k) * phi[first + k] * z[p->effect[k].column];
}

/* Row i of the factor of the correlations: L_ij = c_j sqrt(rest), where `rest` is what the entries before
 * leave of 1. */
static void fill_row(const double *y, uint32_t i, double *row) {
    double rest = 1;
    for (uint32_t j = 0; j < i; j++) {
        double c = tanh(y[j]);
        row[j] = c * sqrt(rest);
        rest *= 1 - c * c;
    }
    row[i] = sqrt(rest);
}

static const double *row_of(const asif_normal_population *p, const double *phi, uint32_t i) {
    uint32_t d = p->base->dimension;
    return phi + 2 * d + i * (i - 1) / 2;
}

void asif_population_correlations(const asif_normal_population *p, const double *phi, double *factor) {
    uint64_t d = p->base->dimension;
    memset(factor, 0, d * d * sizeof *factor);
    for (uint32_t i = 0; i < d; i++) {
        factor[i * d + i] = 1;
        if (p->correlated && i > 0)
            fill_row(row_of(p, phi, i), i, factor + i * d);
    }
}

static double least_spread(const asif_normal_population *p, uint64_t i) {
    return ASIF_LEAST_SPREAD * p->scale[i];
}

/* The factor diag(s) L of the covariance without its least spread. */
static void fill_own(const asif_normal_population *p, const double *phi, double *a) {
    uint64_t d = p->base->dimension;
    asif_population_correlations(p, phi, a);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j <= i; j++)
            a[i * d + j] *= p->scale[i] * exp(phi[d + i]);
}

static void fill_covariance(const asif_normal_population *p, const double *phi, double *out) {
    uint64_t d = p->base->dimension;
    double a[MOST * MOST];
    fill_own(p, phi, a);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j <= i; j++) {
            double sum = i == j ? least_spread(p, i) * least_spread(p, i) : 0;
            for (uint64_t k = 0; k <= j; k++)
                sum += a[i * d + k] * a[j * d + k];
            out[i * d + j] = out[j * d + i] = sum;
        }
}

void asif_population_at(const asif_normal_population *p, const double *phi, double *mean, double *factor) {
    uint64_t d = p->base->dimension;
    for (uint64_t i = 0; i < d; i++)
        mean[i] = p->centre[i] + p->scale[i] * phi[i];
    fill_covariance(p, phi, factor);
    asif_cholesky(factor, (uint32_t)d);
}

void asif_population_report(const asif_normal_population *p, const double *phi, double *out) {
    uint64_t d = p->base->dimension, at = 2 * d;
    double covariance[MOST * MOST];
    fill_covariance(p, phi, covariance);
    for (uint64_t i = 0; i < d; i++) {
        out[i] = p->centre[i] + p->scale[i] * phi[i];
        out[d + i] = sqrt(covariance[i * d + i]);
        for (uint64_t j = 0; p->correlated && j < i; j++)
            out[at++] = covariance[i * d + j] / (out[d + i] * out[d + j]);
    }
    for (uint32_t k = 0; k < p->effects; k++, at++) {
        uint32_t pool = asif_population_pool(p, k);
        double sd = p->scale[p->effect[k].coordinate] * sd_of_pool(p, phi, k);
        out[at] = sd * phi[at];
        if (pool)
            out[pool] = sd;
    }
    report_kinds(p, phi, out);
}

/* Correlations that are too large for what the least spread leaves of the variances become smaller, all
 * alike, until there are such populations. */
static void fill_correlations(const asif_normal_population *p, const double *covariance, const double *s,
                              double *l) {
    uint64_t d = p->base->dimension;
    double share = 1;
    do {
        for (uint64_t i = 0; i < d; i++)
            for (uint64_t j = 0; j < d; j++)
                l[i * d + j] = i == j ? 1 : share * covariance[i * d + j] / (s[i] * s[j]);
        share = share > .01 ? share * .9 : 0;
    } while (!asif_cholesky(l, (uint32_t)d));
}

void asif_population_of(const asif_normal_population *p, const double *mean, const double *covariance,
                        double *phi) {
    uint64_t d = p->base->dimension;
    double l[MOST * MOST], s[MOST], *y = phi + 2 * d;
    for (uint64_t i = 0; i < d; i++) {
        double least = least_spread(p, i);
        s[i] = sqrt(fmax(covariance[i * d + i] - least * least, least * least / 4));
        phi[i] = (mean[i] - p->centre[i]) / p->scale[i];
        phi[d + i] = log(s[i] / p->scale[i]);
    }
    fill_correlations(p, covariance, s, l);
    for (uint64_t i = 0; p->correlated && i < d; i++) {
        double rest = 1;
        for (uint64_t j = 0; j < i; j++) {
            double c = fmin(fmax(l[i * d + j] / sqrt(rest), -.99), .99);
            *y++ = atanh(c);
            rest *= 1 - c * c;
        }
    }
}

double asif_population_log_prior(const asif_normal_population *p, const double *phi, double *gradient) {
    uint64_t d = p->base->dimension;
    double mean[MOST] = {0}, slope[MOST] = {0}, sum;
    for (uint64_t i = 0; i < d; i++)
        mean[i] = p->centre[i] + p->scale[i] * phi[i];
    sum = p->base->log_density(p->base->user, mean, slope);
    for (uint64_t i = 0; i < d; i++) {
        double square = exp(2 * phi[d + i]);
        gradient[i] += slope[i] * p->scale[i];
        sum += phi[d + i] - square / 2;
        gradient[d + i] += 1 - square;
    }
    for (uint32_t i = 1; p->correlated && i < d; i++)
        for (uint32_t j = 0; j < i; j++) {
            double y = row_of(p, phi, i)[j], power = ASIF_LKJ + ((double)d - 2 - j) / 2;
            sum += power * -2 * log(cosh(y));
            gradient[2 * d + i * (i - 1) / 2 + j] -= 2 * power * tanh(y);
        }
    uint32_t first = asif_population_first_effect(p);
    for (uint32_t k = first; k < first + p->effects; k++) {
        sum -= phi[k] * phi[k] / 2;
        gradient[k] -= phi[k];
    }
    for (uint32_t k = first + p->effects; k < first + p->effects + p->pools; k++) {
        double square = exp(2 * phi[k]);
        sum += phi[k] - square / 2;
        gradient[k] += 1 - square;
    }
    return sum + log_prior_of_kinds(p, phi, gradient);
}

void asif_population_log_density(const asif_normal_population *p, const double *phi, const double *x,
                                 uint64_t count, double *out) {
    uint32_t d = p->base->dimension;
    double mean[MOST], factor[MOST * MOST], constant = -.5 * d * log(2 * acos(-1));
    asif_population_at(p, phi, mean, factor);
    for (uint32_t i = 0; i < d; i++)
        constant -= log(factor[(uint64_t)i * d + i]);
    for (uint64_t a = 0; a < count; a++) {
        double z[MOST], square = 0;
        for (uint32_t i = 0; i < d; i++)
            z[i] = x[a * d + i] - mean[i];
        asif_lower_solve(factor, d, z);
        for (uint32_t i = 0; i < d; i++)
            square += z[i] * z[i];
        out[a] = constant - square / 2;
    }
}

/* out = a b, both [d][d]. */
static void times(const double *a, const double *b, uint64_t d, double *out) {
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j < d; j++) {
            double sum = 0;
            for (uint64_t k = 0; k < d; k++)
                sum += a[i * d + k] * b[k * d + j];
            out[i * d + j] = sum;
        }
}

/* The derivatives in y of a row of the factor, from those in the row: backward through fill_row(). */
static void pull_row(const double *y, uint32_t i, const double *bar, double *out) {
    double rest[MOST + 1];
    rest[0] = 1;
    for (uint32_t j = 0; j < i; j++) {
        double c = tanh(y[j]);
        rest[j + 1] = rest[j] * (1 - c * c);
    }
    double rest_bar = bar[i] / (2 * sqrt(rest[i]));
    for (uint32_t j = i; j-- > 0;) {
        double c = tanh(y[j]), root = sqrt(rest[j]);
        double c_bar = bar[j] * root - 2 * c * rest[j] * rest_bar;
        rest_bar = rest_bar * (1 - c * c) + bar[j] * c / (2 * root);
        out[j] += c_bar * (1 - c * c);
    }
}

/* With P the inverse of the covariance A A' + F, F that of the least spread, and M the second moments of g
 * around the mean: d/dmean = P (first - sum mean), d/dA = (P M P - sum P) A. */
void asif_population_pull(const asif_normal_population *p, const double *phi, double sum, const double *first,
                          const double *second, double *gradient) {
    uint64_t d = p->base->dimension;
    double mean[MOST], a[MOST * MOST], inverse[MOST * MOST] = {0}, m[MOST * MOST] = {0}, one[MOST * MOST],
                                                      two[MOST * MOST] = {0};
    asif_population_at(p, phi, mean, a);
    asif_cholesky_inverse(a, (uint32_t)d, inverse);
    fill_own(p, phi, a);
    for (uint64_t i = 0; i < d; i++)
        for (uint64_t j = 0; j < d; j++)
            m[i * d + j] =
                second[i * d + j] - first[i] * mean[j] - mean[i] * first[j] + sum * mean[i] * mean[j];
    times(inverse, m, d, one);
    times(one, inverse, d, two);
    for (uint64_t k = 0; k < d * d; k++)
        two[k] -= sum * inverse[k];
    times(two, a, d, one); /* the derivatives in A */
    for (uint32_t i = 0; i < d; i++) {
        double sd = p->scale[i] * exp(phi[d + i]), bar[MOST], in_mean = 0, in_sd = 0;
        for (uint64_t j = 0; j < d; j++)
            in_mean += inverse[i * d + j] * (first[j] - sum * mean[j]);
        for (uint64_t j = 0; j <= i; j++) {
            in_sd += one[i * d + j] * a[i * d + j];
            bar[j] = one[i * d + j] * sd;
        }
        gradient[i] += in_mean * p->scale[i];
        gradient[d + i] += in_sd;
        if (p->correlated && i > 0)
            pull_row(row_of(p, phi, i), i, bar, gradient + 2 * d + i * (i - 1) / 2);
    }
}

void asif_population_pull_effects(const asif_normal_population *p, const double *phi, const double *first,
                                  double *gradient) {
    uint64_t d = p->base->dimension;
    uint32_t at = asif_population_first_effect(p);
    double mean[MOST], factor[MOST * MOST], inverse[MOST * MOST] = {0};
    asif_population_at(p, phi, mean, factor);
    asif_cholesky_inverse(factor, (uint32_t)d, inverse);
    for (uint32_t k = 0; k < p->effects; k++) {
        uint64_t i = p->effect[k].coordinate;
        uint32_t pool = asif_population_pool(p, k);
        double sd = sd_of_pool(p, phi, k), slope = 0; /* in the effect itself, over the scale */
        for (uint64_t j = 0; j < d; j++)
            slope += p->scale[i] * inverse[i * d + j] * first[p->effect[k].column * d + j];
        gradient[at + k] += sd * slope;
        if (pool)
            gradient[pool] += sd * phi[at + k] * slope;
    }
}
