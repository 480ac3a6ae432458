/* Power-scaling sensitivity: Kallioinen, Paananen, Bürkner and Vehtari (2024), "Detecting and diagnosing
 * prior and likelihood sensitivity with power-scaling". What they leave open is done as in the authors' R
 * package `priorsense`. */
#include "base/error.h"
#include "base/memory.h"
#include "sample/psis.h"

#include <math.h>
#include <stdlib.h>

#define LESS 0.99 /* powers to which prior or likelihood is raised */
#define MORE 1.01

typedef struct {
    uint64_t n;
    asif_psis_rank *order; /* [n]: the draws of a column, ascending */
    double *less, *more;   /* [n]: weights at the two powers; they sum to 1 */
} scaling;

static int ascending(const void *a, const void *b) {
    const asif_psis_rank *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* p log2(p / middle), and 0 at p = 0. */
static double part(double p, double middle) {
    return p > 0 ? p * log2(p / middle) : 0;
}

/* The cumulative Jensen-Shannon distance between the draws and the same with weights; `down`: from their
 * distribution functions that begin at the largest. */
static double distance(const scaling *s, const double *weight, bool down) {
    double p = 0, q = 0, sum = 0, bound = 0;
    for (uint64_t k = 0; k + 1 < s->n; k++) {
        const asif_psis_rank *here = s->order + (down ? s->n - 1 - k : k);
        double width = fabs((down ? here[-1].value : here[1].value) - here->value);
        p += 1 / (double)s->n;
        q += weight[here->index];
        double middle = (p + q) / 2;
        sum += width * (part(p, middle) + part(q, middle));
        bound += width * (p + q);
    }
    return bound > 0 ? sqrt(fmax(0, sum) / bound) : 0;
}

static double sensitivity(const scaling *s) {
    double less = fmax(distance(s, s->less, false), distance(s, s->less, true));
    double more = fmax(distance(s, s->more, false), distance(s, s->more, true));
    return (more / log2(MORE) - less / log2(LESS)) / 2;
}

static void find_weights(asif_psis_room *room, const double *log_part, double power, double *weight) {
    uint64_t n = room->chains * room->draws;
    for (uint64_t i = 0; i < n; i++)
        room->ratio[i] = (power - 1) * log_part[i];
    asif_psis_smooth(room, room->ratio, asif_psis_efficiency(room, room->ratio), weight);
    for (uint64_t i = 0; i < n; i++)
        weight[i] = exp(weight[i]);
}

static asif_status check(const double *log_part, uint64_t n, asif_error *error) {
    if (n == 0)
        return asif_fail(error, ASIF_EDOMAIN, "there are no draws");
    for (uint64_t i = 0; i < n; i++)
        if (!isfinite(log_part[i]))
            return asif_fail(error, ASIF_EDOMAIN, "a logarithm is not finite at draw %llu",
                             (unsigned long long)i + 1);
    return ASIF_OK;
}

asif_status asif_power_scaling(double *out, const asif_context *context, const double *value,
                               uint32_t columns, uint32_t chains, uint64_t draws, const double *log_part,
                               asif_error *error) {
    uint64_t n = chains * draws;
    asif_psis_room room;
    ASIF_TRY(check(log_part, n, error));
    scaling s = {n, ASIF_ARRAY(context, n, asif_psis_rank), ASIF_ARRAY(context, n, double),
                 ASIF_ARRAY(context, n, double)};
    bool opened = asif_psis_open(&room, context, chains, draws);
    asif_status status = opened && s.order && s.less && s.more ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        find_weights(&room, log_part, LESS, s.less);
        find_weights(&room, log_part, MORE, s.more);
    }
    for (uint32_t c = 0; status == ASIF_OK && c < columns; c++) {
        for (uint64_t i = 0; i < n; i++)
            s.order[i] = (asif_psis_rank){value[c * n + i], i};
        qsort(s.order, (size_t)n, sizeof *s.order, ascending);
        out[c] = sensitivity(&s);
    }
    asif_psis_close(&room);
    asif_free(context, s.order);
    asif_free(context, s.less);
    asif_free(context, s.more);
    return status;
}
