/* Checks answers and certificates of linear programmes in float64, with the programme's own numbers and
 * without a solver. */
#include "base/programmes/lp_inside.h"

#include <math.h>
#include <string.h>

#define FAR 1e6        /* a certificate holds for points up to this far out, relative to the largest bound */
#define ROUNDING 1e-15 /* rounding error of a sum, relative to the sum of the sizes of its terms */
#define STRAIGHT 1e-9  /* the violation of a bound along a ray, relative to the gain */

static void find_rows(const asif_lp *lp, asif_lp_point *p) {
    memset(p->row, 0, lp->rows * sizeof *p->row);
    for (uint64_t i = 0; i < lp->entries; i++)
        p->row[lp->entry[i].row] += lp->entry[i].value * p->x[lp->entry[i].column];
}

static void find_reduced(const asif_lp *lp, asif_lp_point *p) {
    memcpy(p->reduced, lp->cost, lp->columns * sizeof *p->reduced);
    for (uint64_t i = 0; i < lp->entries; i++)
        p->reduced[lp->entry[i].column] -= lp->entry[i].value * p->dual[lp->entry[i].row];
}

static double outside(double at, double low, double high) {
    return fmax(low - at, at - high) / (1 + fabs(at));
}

static double worst_outside(const asif_lp *lp, const asif_lp_point *p) {
    double worst = 0;
    for (uint32_t k = 0; k < lp->columns; k++)
        worst = fmax(worst, outside(p->x[k], lp->low[k], lp->high[k]));
    for (uint32_t r = 0; r < lp->rows; r++)
        worst = fmax(worst, outside(p->row[r], lp->row_low[r], lp->row_high[r]));
    return worst;
}

/* How much the objective could gain if this number moved to the bound that its price pushes against; if there
 * is no such bound, if it moved by its own size. */
static double gain(double at, double low, double high, double price) {
    double room = price > 0 ? at - low : high - at;
    if (price == 0)
        return 0;
    return fabs(price) * (isinf(room) ? 1 + fabs(at) : fabs(room));
}

static bool is_finite(const double *x, uint32_t n) {
    bool all = true;
    for (uint32_t i = 0; i < n; i++)
        all = all && isfinite(x[i]);
    return all;
}

double asif_lp_miss(const asif_lp *lp, asif_lp_point *p) {
    double gap = 0, objective = 0;
    if (!is_finite(p->x, lp->columns) || !is_finite(p->dual, lp->rows))
        return (double)INFINITY;
    find_rows(lp, p);
    find_reduced(lp, p);
    for (uint32_t k = 0; k < lp->columns; k++) {
        objective += lp->cost[k] * p->x[k];
        gap += gain(p->x[k], lp->low[k], lp->high[k], p->reduced[k]);
    }
    for (uint32_t r = 0; r < lp->rows; r++)
        gap += gain(p->row[r], lp->row_low[r], lp->row_high[r], p->dual[r]);
    return fmax(worst_outside(lp, p), gap / (1 + fabs(objective)));
}

bool asif_lp_inside(const asif_lp *lp, asif_lp_point *p, double tolerance) {
    if (!is_finite(p->x, lp->columns))
        return false;
    find_rows(lp, p);
    return worst_outside(lp, p) <= tolerance;
}

static double largest_bound(const asif_lp *lp) {
    const double *const bounds[] = {lp->low, lp->high, lp->row_low, lp->row_high};
    double largest = 1;
    for (int b = 0; b < 4; b++)
        for (uint32_t i = 0; i < (b < 2 ? lp->columns : lp->rows); i++)
            if (isfinite(bounds[b][i]))
                largest = fmax(largest, fabs(bounds[b][i]));
    return largest;
}

/* The duals are a contradiction if sum dual * row is at least `least` by the bounds of the rows, and at most
 * `most` by those of the columns, and least > most. */
bool asif_lp_contradicts(const asif_lp *lp, asif_lp_point *p) {
    double least = 0, most = 0, noise = 0, *weight = p->reduced, *size = p->x;
    double far = FAR * largest_bound(lp);
    if (!is_finite(p->dual, lp->rows))
        return false;
    for (uint32_t r = 0; r < lp->rows; r++) {
        double bound = p->dual[r] > 0 ? lp->row_low[r] : lp->row_high[r];
        p->row[r] = isinf(bound) ? 0 : p->dual[r];
        least += p->row[r] != 0 ? p->row[r] * bound : 0;
        noise += p->row[r] != 0 ? ROUNDING * fabs(p->row[r] * bound) : 0;
    }
    memset(weight, 0, lp->columns * sizeof *weight);
    memset(size, 0, lp->columns * sizeof *size);
    for (uint64_t i = 0; i < lp->entries; i++) {
        double part = lp->entry[i].value * p->row[lp->entry[i].row];
        weight[lp->entry[i].column] += part;
        size[lp->entry[i].column] += fabs(part);
    }
    for (uint32_t k = 0; k < lp->columns; k++) {
        double bound = weight[k] > 0 ? lp->high[k] : lp->low[k];
        bound = isinf(bound) ? (weight[k] > 0 ? far : -far) : bound;
        most += weight[k] * bound;
        noise += ROUNDING * size[k] * fabs(bound);
    }
    return least - most > 10 * noise;
}

static double against(double step, double low, double high) {
    return fmax(isfinite(low) ? -step : 0, isfinite(high) ? step : 0);
}

bool asif_lp_escapes(const asif_lp *lp, asif_lp_point *ray) {
    double fall = 0, worst = 0;
    if (!is_finite(ray->x, lp->columns))
        return false;
    find_rows(lp, ray);
    for (uint32_t k = 0; k < lp->columns; k++) {
        fall -= lp->cost[k] * ray->x[k];
        worst = fmax(worst, against(ray->x[k], lp->low[k], lp->high[k]));
    }
    for (uint32_t r = 0; r < lp->rows; r++)
        worst = fmax(worst, against(ray->row[r], lp->row_low[r], lp->row_high[r]));
    return fall > 0 && worst <= STRAIGHT * fall;
}
