/* Contrasts of two groups from their independent draws: median, interval and probability. */
#include "questions/compare/groups/compare_groups.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define HALVINGS 200
#define PRECISION 1e-14
#define ALIKE 1e-9 /* relative difference below which two contrasts count as the same */

void asif_pairs_sort(double *value, uint64_t n) {
    if (n > 1)
        asif_sort(value, n);
}

/* Count the pairs with a - b at most t (strictly: below t). Both are sorted, so the first b that is large
 * enough grows with a. */
static double count_pairs(const double *a, uint64_t na, const double *b, uint64_t nb, double t,
                          bool strictly) {
    double pairs = 0;
    uint64_t k = 0;
    for (uint64_t i = 0; i < na; i++) {
        while (k < nb && !(strictly ? a[i] - b[k] < t : a[i] - b[k] <= t))
            k++;
        pairs += (double)(nb - k);
    }
    return pairs;
}

double asif_pairs_quantile(const double *a, uint64_t na, const double *b, uint64_t nb, double p) {
    double low = a[0] - b[nb - 1], high = a[na - 1] - b[0];
    double target = fmax(1, ceil(p * (double)na * (double)nb));
    if (count_pairs(a, na, b, nb, low, false) >= target)
        return low;
    for (int i = 0; i < HALVINGS && high - low > PRECISION * fmax(fabs(low), fabs(high)); i++) {
        double middle = low + (high - low) / 2;
        if (count_pairs(a, na, b, nb, middle, false) >= target)
            high = middle;
        else
            low = middle;
    }
    return high;
}

double asif_pairs_larger(const double *a, uint64_t na, const double *b, uint64_t nb) {
    double below = count_pairs(a, na, b, nb, 0, true), most = count_pairs(a, na, b, nb, 0, false);
    return 1 - (below + most) / 2 / ((double)na * (double)nb);
}

/* ---- simulated means ---- */

static double covariance(const double *x, const double *y, uint64_t n) {
    double mean_x = 0, mean_y = 0, sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        mean_x += x[i] / (double)n;
        mean_y += y[i] / (double)n;
    }
    for (uint64_t i = 0; i < n; i++)
        sum += (x[i] - mean_x) * (y[i] - mean_y);
    return n > 1 ? sum / (double)(n - 1) : 0;
}

double asif_pairs_variance(const double *value, uint64_t n) {
    return covariance(value, value, n);
}

void asif_pairs_denoise(double *out, const double *one, const double *two, uint64_t n) {
    double mean = 0;
    for (uint64_t i = 0; i < n; i++) {
        out[i] = (one[i] + two[i]) / 2;
        mean += out[i] / (double)n;
    }
    double v1 = covariance(one, one, n), v2 = covariance(two, two, n), c = covariance(one, two, n);
    double whole = (v1 + v2 + 2 * c) / 4;
    double between = fmax(0, c) + sqrt((v1 * v2 + c * c) / (double)n);
    double scale = whole > 0 && between < whole ? sqrt(between / whole) : 1;
    for (uint64_t i = 0; i < n; i++)
        out[i] = mean + scale * (out[i] - mean);
}

/* ---- contrasts ---- */

void asif_pairs_contrast(asif_compare_groups_cell *cell, const double *here, uint64_t n, const double *first,
                         uint64_t n_first, bool drawn) {
    cell->compared = true;
    cell->error = cell->degrees = NAN;
    cell->d50 = asif_pairs_quantile(here, n, first, n_first, 0.5);
    cell->d05 = drawn ? asif_pairs_quantile(here, n, first, n_first, 0.05) : NAN;
    cell->d95 = drawn ? asif_pairs_quantile(here, n, first, n_first, 0.95) : NAN;
    cell->larger = drawn ? asif_pairs_larger(here, n, first, n_first) : NAN;
}

static bool near(double x, double y, double size) {
    return fabs(x - y) <= ALIKE * size;
}

/* Whether two contrasts are the same up to their sign; for example, how often each of two actions is taken,
 * if an episode takes exactly one of them. */
static bool same_contrast(const asif_compare_groups_cell *a, const asif_compare_groups_cell *b) {
    double size = fmax(fmax(fabs(a->d05), fabs(a->d95)), fmax(fabs(b->d05), fabs(b->d95)));
    return (near(a->d05, b->d05, size) && near(a->d50, b->d50, size) && near(a->d95, b->d95, size)) ||
           (near(a->d05, -b->d95, size) && near(a->d50, -b->d50, size) && near(a->d95, -b->d05, size));
}

static bool judged(const asif_compare_groups_cell *cell) {
    bool still = cell->d05 == 0 && cell->d50 == 0 && cell->d95 == 0;
    return cell->compared && !isnan(cell->larger) && !still;
}

static void find_same(asif_compare_groups_table *table) {
    for (uint32_t r = 0; r < table->rows; r++)
        for (uint32_t g = 0; g < table->groups; g++) {
            asif_compare_groups_cell *cell = &table->cell[(uint64_t)r * table->groups + g];
            cell->same_as = ASIF_ANY;
            for (uint32_t q = 0; q < r && judged(cell) && cell->same_as == ASIF_ANY; q++) {
                const asif_compare_groups_cell *other = &table->cell[(uint64_t)q * table->groups + g];
                if (judged(other) && other->same_as == ASIF_ANY && same_contrast(cell, other))
                    cell->same_as = q;
            }
        }
}

static int by_tail(const void *a, const void *b) {
    double x = (*(asif_compare_groups_cell *const *)a)->tail,
           y = (*(asif_compare_groups_cell *const *)b)->tail;
    return (x > y) - (x < y);
}

asif_status asif_pairs_judge(asif_compare_groups_table *table, const asif_context *context,
                             asif_error *error) {
    uint64_t all = (uint64_t)table->rows * table->groups, count = 0;
    asif_compare_groups_cell **order = asif_alloc(context, all, sizeof *order);
    double most = 0;
    if (!order)
        return asif_fail_memory(error);
    find_same(table);
    for (uint64_t i = 0; i < all; i++) {
        asif_compare_groups_cell *cell = &table->cell[i];
        cell->tail = judged(cell) ? fmin(cell->larger, 1 - cell->larger) : NAN;
        cell->differs = false;
        if (judged(cell) && cell->same_as == ASIF_ANY)
            order[count++] = cell;
    }
    if (count > 1)
        qsort(order, (size_t)count, sizeof *order, by_tail);
    for (uint64_t i = 0; i < count; i++) {
        most = fmax(most, order[i]->tail * (double)(count - i));
        order[i]->tail = fmin(0.5, most);
        order[i]->differs = order[i]->tail <= ASIF_COMPARE_GROUPS_TAIL;
    }
    for (uint64_t i = 0; i < all; i++) {
        asif_compare_groups_cell *cell = &table->cell[i];
        if (!judged(cell) || cell->same_as == ASIF_ANY)
            continue;
        const asif_compare_groups_cell *other =
            &table->cell[(uint64_t)cell->same_as * table->groups + i % table->groups];
        cell->tail = other->tail;
        cell->differs = other->differs;
    }
    asif_free(context, order);
    return ASIF_OK;
}
