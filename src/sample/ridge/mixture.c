#include "sample/ridge/mixture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"

#include <math.h>
#include <string.h>

#define DEGREES ASIF_MIXTURE_DEGREES
#define BETWEEN 6    /* components between two nodes */
#define FLATTER 1.15 /* the log-heights along a ridge are divided by this */
#define LEAST_LOG -700.0
#define PI 3.14159265358979323846

void asif_mixture_init(asif_mixture *mixture, const asif_context *context, uint32_t n) {
    *mixture = (asif_mixture){.context = context, .n = n};
}

void asif_mixture_free(asif_mixture *m) {
    void *const arrays[] = {m->ridge, m->height, m->weight, m->below,
                            m->peak,  m->centre, m->spread, m->inverse};
    for (size_t i = 0; m->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->context, arrays[i]);
    *m = (asif_mixture){0};
}

static asif_status reserve(asif_mixture *m, uint64_t more, asif_error *error) {
    uint64_t n = m->n, wanted = m->count + more;
    if (wanted <= m->capacity)
        return ASIF_OK;
    struct {
        double **array;
        uint64_t each;
    } const parts[] = {{&m->ridge, 1}, {&m->height, 1}, {&m->weight, 1},     {&m->below, 1},
                       {&m->peak, 1},  {&m->centre, n}, {&m->spread, n * n}, {&m->inverse, n * n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double *larger = asif_realloc(m->context, *parts[i].array, wanted * parts[i].each, sizeof *larger);
        if (!larger)
            return asif_fail_memory(error);
        *parts[i].array = larger;
    }
    m->capacity = wanted;
    return ASIF_OK;
}

asif_status asif_mixture_copy(asif_mixture *out, const asif_mixture *from, asif_error *error) {
    uint64_t n = from->n, count = from->count;
    asif_mixture_init(out, from->context, from->n);
    ASIF_TRY(reserve(out, count, error));
    out->count = from->count;
    memcpy(out->ridge, from->ridge, count * sizeof *out->ridge);
    memcpy(out->height, from->height, count * sizeof *out->height);
    memcpy(out->centre, from->centre, count * n * sizeof *out->centre);
    memcpy(out->spread, from->spread, count * n * n * sizeof *out->spread);
    asif_mixture_finish(out);
    return ASIF_OK;
}

/* ---- along ridges ---- */

/* Cubic interpolation between two values and their slopes, for t in [0, 1]. */
static double cubic(double a, double b, double da, double db, double t) {
    double rest = 1 - t;
    return rest * rest * ((1 + 2 * t) * a + t * da) + t * t * ((1 + 2 * rest) * b - rest * db);
}

/* Slope of the masses at a node: the harmonic mean of those to both sides, which does not overshoot. NaN at
 * an end. */
static double mass_slope(const asif_ridge *r, uint32_t k, const double *way) {
    if (k == 0 || k + 1 == r->nodes)
        return NAN;
    double a = (r->node[k].top.mass - r->node[k - 1].top.mass) / way[k - 1];
    double b = (r->node[k + 1].top.mass - r->node[k].top.mass) / way[k];
    return a * b > 0 ? 2 * a * b / (a + b) : 0;
}

void asif_mixture_set_spread(double *spread, uint32_t n, const double *along, double step,
                             const double *covariance) {
    double c[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], values[ASIF_RIDGE_MOST],
        vectors[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    double t[ASIF_RIDGE_MOST];
    /* Project the covariance onto the plane across: the average of two planes' covariances has a part along
     * the ridge. */
    for (uint32_t i = 0; i < n; i++) {
        t[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            t[i] += covariance[(uint64_t)i * n + j] * along[j];
    }
    double both = 0;
    for (uint32_t i = 0; i < n; i++)
        both += along[i] * t[i];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            c[(uint64_t)i * n + j] = covariance[(uint64_t)i * n + j] - along[i] * t[j] - t[i] * along[j] +
                                     both * along[i] * along[j];
    asif_eigen(c, n, values, vectors);
    for (uint32_t i = 0; i < n; i++) {
        spread[(uint64_t)i * n] = step * along[i];
        for (uint32_t a = 1; a < n; a++)
            spread[(uint64_t)i * n + a] = ASIF_MIXTURE_WIDER * sqrt(values[a]) * vectors[(uint64_t)a * n + i];
    }
}

/* Add the component at a share `t` of the way from node k to the next. */
static void add_between(asif_mixture *m, const asif_ridge *r, uint32_t k, double t, const double *way,
                        double number) {
    uint64_t n = m->n;
    const asif_ridge_node *a = &r->node[k], *b = &r->node[k + 1];
    double *centre = m->centre + m->count * n, along[ASIF_RIDGE_MOST], square = 0;
    double across[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST];
    double da = mass_slope(r, k, way), db = mass_slope(r, k + 1, way);
    double straight = (b->top.mass - a->top.mass) / way[k];
    for (uint64_t i = 0; i < n; i++) {
        centre[i] = cubic(a->top.at[i], b->top.at[i], way[k] * a->along[i], way[k] * b->along[i], t);
        along[i] = (1 - t) * a->along[i] + t * b->along[i];
        square += along[i] * along[i];
    }
    for (uint64_t i = 0; i < n; i++)
        along[i] /= sqrt(square);
    for (uint64_t i = 0; i < n * n; i++)
        across[i] = (1 - t) * a->top.across[i] + t * b->top.across[i];
    double mass = cubic(a->top.mass, b->top.mass, way[k] * (isnan(da) ? straight : da),
                        way[k] * (isnan(db) ? straight : db), t);
    m->ridge[m->count] = number;
    m->height[m->count] = mass / FLATTER + log(way[k]);
    asif_mixture_set_spread(m->spread + m->count * n * n, (uint32_t)n, along, way[k] / BETWEEN, across);
    m->count++;
}

asif_status asif_mixture_add_ridge(asif_mixture *m, const asif_ridge *r, asif_error *error) {
    double way[ASIF_RIDGE_NODES], number = m->count ? m->ridge[m->count - 1] + 1 : 0;
    for (uint32_t k = 0; k + 1 < r->nodes; k++) {
        double square = 0;
        for (uint32_t i = 0; i < r->n; i++) {
            double d = r->node[k + 1].top.at[i] - r->node[k].top.at[i];
            square += d * d;
        }
        way[k] = sqrt(square);
    }
    ASIF_TRY(reserve(m, (uint64_t)BETWEEN * r->nodes, error));
    for (uint32_t k = 0; k + 1 < r->nodes; k++)
        for (uint32_t i = 0; i < BETWEEN; i++)
            add_between(m, r, k, (i + 0.5) / BETWEEN, way, number);
    return ASIF_OK;
}

asif_status asif_mixture_add_point(asif_mixture *m, const double *centre, const double *covariance,
                                   double value, asif_error *error) {
    uint64_t n = m->n;
    ASIF_TRY(reserve(m, 1, error));
    double *spread = m->spread + m->count * n * n, volume = 0;
    memcpy(spread, covariance, n * n * sizeof *spread);
    if (!asif_cholesky(spread, m->n))
        return ASIF_OK;
    for (uint64_t i = 0; i < n; i++) {
        volume += log(spread[i * n + i]);
        for (uint64_t j = 0; j < n; j++)
            spread[i * n + j] = j <= i ? ASIF_MIXTURE_WIDER * spread[i * n + j] : 0;
    }
    memcpy(m->centre + m->count * n, centre, n * sizeof *centre);
    m->ridge[m->count] = -1;
    m->height[m->count] = (value + volume) / FLATTER;
    m->count++;
    return ASIF_OK;
}

asif_status asif_mixture_add_wide(asif_mixture *m, const double *centre, double spread, double share,
                                  asif_error *error) {
    uint64_t n = m->n;
    double most = -INFINITY, sum = 0;
    ASIF_TRY(reserve(m, 1, error));
    for (uint32_t k = 0; k < m->count; k++)
        most = fmax(most, m->height[k]);
    for (uint32_t k = 0; k < m->count; k++)
        sum += exp(m->height[k] - most);
    m->ridge[m->count] = -1;
    m->height[m->count] = m->count ? most + log(sum) + log(share / (1 - share)) : 0;
    memcpy(m->centre + m->count * n, centre, n * sizeof *centre);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            m->spread[(m->count * n + i) * n + j] = i == j ? spread : 0;
    m->count++;
    return ASIF_OK;
}

/* ---- derived arrays ---- */

/* Compute the inverse of the spread, and the density at the centre. A component with a singular spread loses
 * its weight. */
static void prepare(asif_mixture *m, uint32_t k) {
    uint32_t n = m->n, pivot[ASIF_RIDGE_MOST];
    double lu[ASIF_RIDGE_MOST * ASIF_RIDGE_MOST], *inverse = m->inverse + (uint64_t)k * n * n, volume = 0;
    memcpy(lu, m->spread + (uint64_t)k * n * n, (uint64_t)n * n * sizeof *lu);
    bool good = asif_lu(lu, n, pivot);
    for (uint32_t i = 0; i < n; i++)
        volume += log(fabs(lu[(uint64_t)i * n + i]));
    if (!good || !isfinite(volume)) {
        memset(inverse, 0, (uint64_t)n * n * sizeof *inverse);
        m->weight[k] = m->peak[k] = 0;
        return;
    }
    for (uint32_t j = 0; j < n; j++) {
        double column[ASIF_RIDGE_MOST] = {0};
        column[j] = 1;
        asif_lu_solve(lu, n, pivot, column);
        for (uint32_t i = 0; i < n; i++)
            inverse[(uint64_t)i * n + j] = column[i];
    }
    m->peak[k] = exp(asif_log_gamma((DEGREES + n) / 2.0) - asif_log_gamma(DEGREES / 2.0) -
                     n / 2.0 * log(DEGREES * PI) - volume);
}

void asif_mixture_finish(asif_mixture *m) {
    double most = -INFINITY, sum = 0, below = 0;
    for (uint32_t k = 0; k < m->count; k++)
        most = fmax(most, m->height[k]);
    for (uint32_t k = 0; k < m->count; k++) {
        m->weight[k] = exp(fmax(m->height[k] - most, LEAST_LOG));
        prepare(m, k);
        sum += m->weight[k];
    }
    for (uint32_t k = 0; k < m->count; k++) {
        m->weight[k] /= sum;
        m->below[k] = below;
        below += m->weight[k];
    }
}

/* ---- points and densities ---- */

/* Quantile of the chi-square distribution with 6 degrees of freedom. Its distribution function at 2h is 1 -
 * exp(-h) (1 + h + h^2/2). */
static double chi_square(double p) {
    double low = 0, high = 1;
    while (-expm1(-high) - exp(-high) * (high + high * high / 2) < p && high < 1e3)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double h = (low + high) / 2;
        if (-expm1(-h) - exp(-h) * (h + h * h / 2) < p)
            low = h;
        else
            high = h;
    }
    return low + high;
}

static uint32_t component_of(const asif_mixture *m, double u) {
    uint32_t low = 0, high = m->count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (m->below[middle] <= u)
            low = middle;
        else
            high = middle - 1;
    }
    while (low > 0 && m->weight[low] == 0)
        low--;
    return low;
}

uint32_t asif_mixture_point(const asif_mixture *m, const double *u, double *x) {
    uint64_t n = m->n;
    uint32_t k = component_of(m, u[0]);
    double z[ASIF_RIDGE_MOST], shrink = sqrt(chi_square(u[n]) / DEGREES);
    double rest = (u[0] - m->below[k]) / m->weight[k];
    z[0] = asif_normal_quantile(fmin(fmax(rest, 1e-12), 1 - 1e-12)) / shrink;
    for (uint64_t i = 1; i < n; i++)
        z[i] = asif_normal_quantile(u[i]) / shrink;
    asif_dense_times(m->spread + k * n * n, m->n, m->n, z, x);
    for (uint64_t i = 0; i < n; i++)
        x[i] += m->centre[k * n + i];
    return k;
}

/* Squared distance of x from the centre of component k, in units of its spread; `z` [n] is the difference in
 * these units. */
static double distance(const asif_mixture *m, uint32_t k, const double *x, double *z) {
    uint32_t n = m->n;
    const double *centre = m->centre + (uint64_t)k * n, *inverse = m->inverse + (uint64_t)k * n * n;
    double away[ASIF_RIDGE_MOST], square = 0;
    for (uint32_t i = 0; i < n; i++)
        away[i] = x[i] - centre[i];
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++)
            sum += inverse[(uint64_t)i * n + j] * away[j];
        z[i] = sum;
        square += sum * sum;
    }
    return square;
}

/* The kernel of the t distribution: (1 + square/degrees)^(-(degrees + n)/2). */
static double fall(double square, uint32_t n) {
    double base = 1 / (1 + square / DEGREES), power = n & 1 ? sqrt(base) : 1;
    for (uint32_t i = 0; i < (DEGREES + n) / 2; i++)
        power *= base;
    return power;
}

double asif_mixture_density(const asif_mixture *m, const double *x, double *part) {
    double sum = 0, z[ASIF_RIDGE_MOST];
    for (uint32_t k = 0; k < m->count; k++) {
        double density = m->weight[k] * m->peak[k] * fall(distance(m, k, x, z), m->n);
        sum += density;
        if (part)
            part[k] = density;
    }
    return sum;
}

double asif_mixture_distance(const asif_mixture *m, const double *x) {
    double least = INFINITY, z[ASIF_RIDGE_MOST];
    for (uint32_t k = 0; k < m->count; k++)
        if (m->peak[k] > 0)
            least = fmin(least, distance(m, k, x, z));
    return least;
}
