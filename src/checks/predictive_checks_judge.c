/* Observed numbers against replicates. A family is judged by its largest standardised difference, compared
 * with that of its own replicates (the single-step procedure of Westfall and Young, 1993). If expectations
 * depend on a draw, both are taken at the same draw (Gelman, Meng and Stern, 1996). */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>

#define ROUNDING 1e-12 /* shares this near to 0 are 0 */

asif_status asif_check_table_create(asif_check_table *out, const asif_context *context, uint32_t points,
                                    uint32_t times, uint64_t cells, uint64_t groups, asif_error *error) {
    uint64_t most = cells ? ASIF_CHECK_MOST_COUNTS / cells / points : times;
    if (times > most)
        times = most ? (uint32_t)most : 1;
    *out = (asif_check_table){
        .context = context, .points = points, .times = times, .cells = cells, .groups = groups};
    out->observed = ASIF_ARRAY(context, points * cells, double);
    out->expected = ASIF_ARRAY(context, points * cells, double);
    out->variance = ASIF_ARRAY(context, points * cells, double);
    out->size = ASIF_ARRAY(context, points * groups, double);
    out->replicate = ASIF_ARRAY(context, (uint64_t)points * times * cells, double);
    bool good = out->observed && out->expected && out->variance && out->size && out->replicate;
    return good ? ASIF_OK : asif_fail_memory(error);
}

void asif_check_table_free(asif_check_table *t) {
    void *const arrays[] = {t->observed, t->expected, t->variance, t->size, t->replicate};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(t->context, arrays[i]);
    *t = (asif_check_table){.context = t->context};
}

void asif_check_table_mix(asif_check_table *t) {
    uint64_t made = (uint64_t)t->points * t->times;
    for (uint64_t c = 0; c < t->cells; c++) {
        double mean = 0, variance = 0;
        for (uint32_t d = 0; d < t->points; d++)
            mean += t->expected[d * t->cells + c] / t->points;
        for (uint64_t r = 0; r < made; r++) {
            double away = t->replicate[r * t->cells + c] - mean;
            variance += away * away / (double)made;
        }
        for (uint32_t d = 0; d < t->points; d++) {
            t->expected[d * t->cells + c] = mean;
            t->variance[d * t->cells + c] = variance;
        }
    }
}

typedef struct {
    const asif_check_table *table;
    asif_check_made *family;
    uint64_t first_group, first_cell, cells;
    double slack;
    double *z;                      /* [cells]: standardised observed differences at a point */
    double *upper, *lower, *larger; /* [cells]: numbers of replicates with at least as much, with at most as
                                       much, and with a larger difference in any cell */
    double *share;                  /* [replicates] */
} judgement;

static double standardised(const judgement *j, uint64_t at, double count) {
    double variance = j->table->variance[at] + j->slack;
    return variance > 0 ? fabs(count - j->table->expected[at]) / sqrt(variance) : 0;
}

static uint64_t place(const judgement *j, uint32_t point, uint64_t cell) {
    return point * j->table->cells + j->first_cell + cell;
}

/* Compare the replicates of a point with the observed numbers; returns how many have a largest difference of
 * at least the observed one. */
static double compare(judgement *j, uint32_t point) {
    const asif_check_table *t = j->table;
    double largest = 0, exceeding = 0;
    for (uint64_t c = 0; c < j->cells; c++) {
        uint64_t at = place(j, point, c);
        j->z[c] = standardised(j, at, t->observed[at]);
        largest = fmax(largest, j->z[c]);
    }
    for (uint32_t r = 0; r < t->times; r++) {
        const double *drawn = t->replicate + ((uint64_t)point * t->times + r) * t->cells + j->first_cell;
        double here = 0;
        for (uint64_t c = 0; c < j->cells; c++) {
            uint64_t at = place(j, point, c);
            here = fmax(here, standardised(j, at, drawn[c]));
            j->upper[c] += drawn[c] >= t->observed[at];
            j->lower[c] += drawn[c] <= t->observed[at];
        }
        for (uint64_t c = 0; c < j->cells; c++)
            j->larger[c] += here >= j->z[c];
        exceeding += here >= largest;
    }
    return exceeding;
}

/* Set the quantiles of the replicates as shares. Each replicate is taken relative to the observed number at
 * its draw, because the decisions of a group, and their number, may depend on the draw. `size` is their mean
 * number. */
static void find_quantiles(judgement *j, asif_check_cell *out, double size, uint64_t cell) {
    const asif_check_table *t = j->table;
    uint64_t made = (uint64_t)t->points * t->times;
    out->q05 = out->q95 = NAN;
    if (made == 0)
        return;
    for (uint64_t r = 0; r < made; r++)
        j->share[r] = out->observed + (t->replicate[r * t->cells + j->first_cell + cell] -
                                       t->observed[place(j, (uint32_t)(r / t->times), cell)]) /
                                          size;
    for (uint64_t r = 0; r < made; r++)
        j->share[r] = fabs(j->share[r]) < ROUNDING ? 0 : j->share[r];
    asif_sort(j->share, made);
    out->q05 = asif_quantile(j->share, made, 0.05);
    out->q95 = asif_quantile(j->share, made, 0.95);
}

static void fill_cell(judgement *j, const asif_check_group *g, uint64_t cell) {
    const asif_check_table *t = j->table;
    asif_check_cell *out = &j->family->cell[cell];
    double observed = 0, expected = 0, replicates = (double)t->points * t->times;
    for (uint32_t d = 0; d < t->points; d++) {
        observed += t->observed[place(j, d, cell)] / t->points;
        expected += t->expected[place(j, d, cell)] / t->points;
    }
    out->observed = observed / g->count;
    out->predicted = expected / g->count;
    find_quantiles(j, out, g->count, cell);
    out->p = out->adjusted = NAN;
    if (replicates > 0) {
        out->p = fmin(1, 2 * (1 + fmin(j->upper[cell], j->lower[cell])) / (1 + replicates));
        out->adjusted = (1 + j->larger[cell]) / (1 + replicates);
    }
}

/* Fill all groups; those that are always empty are dropped. */
static void fill_groups(judgement *j) {
    const asif_check_table *t = j->table;
    uint32_t kept = 0;
    uint64_t cell = 0;
    for (uint32_t g = 0; g < j->family->view.groups; g++) {
        asif_check_group group = j->family->group[g];
        uint64_t at = j->first_group + g;
        group.cell = &j->family->cell[cell];
        group.count = 0;
        for (uint32_t d = 0; d < t->points; d++)
            group.count += t->size[d * t->groups + at] / t->points;
        for (uint32_t c = 0; group.count > 0 && c < group.cells; c++)
            fill_cell(j, &group, cell + c);
        cell += group.cells;
        if (group.count > 0)
            j->family->group[kept++] = group;
    }
    j->family->view.groups = kept;
}

asif_status asif_check_judge(asif_check_made *family, const asif_check_table *t, uint64_t first_group,
                             uint64_t first_cell, double slack, asif_error *error) {
    judgement j = {
        .table = t, .family = family, .first_group = first_group, .first_cell = first_cell, .slack = slack};
    double exceeding = 0, replicates = (double)t->points * t->times;
    for (uint32_t g = 0; g < family->view.groups; g++)
        j.cells += family->group[g].cells;
    j.z = ASIF_ARRAY(t->context, 4 * j.cells, double);
    j.share = ASIF_ARRAY(t->context, (uint64_t)t->points * t->times, double);
    asif_status status = j.z && j.share ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        j.upper = j.z + j.cells;
        j.lower = j.upper + j.cells;
        j.larger = j.lower + j.cells;
        for (uint32_t d = 0; d < t->points; d++)
            exceeding += compare(&j, d);
        family->view.p = replicates > 0 ? (1 + exceeding) / (1 + replicates) : NAN;
        family->view.judged = replicates > 0 && !family->view.why;
        fill_groups(&j);
    }
    asif_free(t->context, j.z);
    asif_free(t->context, j.share);
    return status;
}

/* ---- misses ---- */

static bool matters(const asif_check_group *group, const asif_check_cell *cell) {
    double least = group->amount ? ASIF_CHECK_PART * fabs(cell->predicted) : ASIF_CHECK_POINTS;
    return fabs(cell->observed - cell->predicted) >= least;
}

/* Mark the missed cells; returns their number. The level of a family depends on how many families are
 * judged. */
static uint64_t mark_misses(asif_predictive_checks *checks) {
    uint32_t judged = 0;
    uint64_t missed = 0;
    for (uint32_t f = 0; f < checks->view.families; f++)
        judged += checks->made[f].view.judged;
    checks->view.level = judged ? ASIF_CHECK_P / judged : NAN;
    for (uint32_t f = 0; f < checks->view.families; f++) {
        const asif_check_made *made = &checks->made[f];
        for (uint32_t g = 0; made->view.judged && g < made->view.groups; g++) {
            asif_check_cell *first = made->cell + (made->group[g].cell - made->cell);
            for (uint32_t c = 0; c < made->group[g].cells; c++) {
                asif_check_cell *here = &first[c];
                here->missed = here->adjusted < checks->view.level && matters(&made->group[g], here);
                checks->family[f].missed |= here->missed;
                missed += here->missed;
            }
        }
    }
    return missed;
}

static void count_apart(asif_predictive_checks *checks) {
    for (uint32_t f = 0; f < checks->view.families; f++)
        for (uint64_t i = 0; checks->made[f].stands_out && i < checks->family[f].subjects; i++)
            checks->family[f].apart += checks->made[f].stands_out[i] < checks->view.level;
}

/* How many decisions (episodes, observations) are not where they should be. */
static double concerned(const asif_predictive_checks *checks, const asif_check_miss *m) {
    const asif_check_group *g = &checks->family[m->family].group[m->group];
    const asif_check_cell *c = &g->cell[m->cell];
    if (checks->family[m->family].kind == ASIF_CHECK_SUBJECTS)
        return g->count; /* a spread concerns all subjects */
    return fabs(c->observed - c->predicted) * g->count;
}

static void insert(asif_predictive_checks *checks, asif_check_miss here) {
    uint32_t at = checks->view.misses++;
    double size = concerned(checks, &here);
    for (; at > 0 && concerned(checks, &checks->miss[at - 1]) < size; at--)
        checks->miss[at] = checks->miss[at - 1];
    checks->miss[at] = here;
}

asif_status asif_check_find_misses(asif_predictive_checks *checks, asif_error *error) {
    checks->miss = ASIF_ARRAY(checks->context, mark_misses(checks), asif_check_miss);
    if (!checks->miss)
        return asif_fail_memory(error);
    for (uint32_t f = 0; f < checks->view.families; f++)
        for (uint32_t g = 0; g < checks->family[f].groups; g++)
            for (uint32_t c = 0; c < checks->family[f].group[g].cells; c++)
                if (checks->family[f].group[g].cell[c].missed)
                    insert(checks, (asif_check_miss){f, g, c});
    count_apart(checks);
    checks->view.miss = checks->miss;
    return ASIF_OK;
}
