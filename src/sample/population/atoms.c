#include "sample/population/atoms.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "sample/ridge/sobol.h"

#include <math.h>
#include <string.h>

#define DEGREES 5 /* of Student's t */
/* log of the t's density at 0: Gamma(3) / (Gamma(5/2) sqrt(5 pi)) = 8 / (3 pi sqrt 5) */
#define T_CONSTANT (-0.968619589054724)
_Static_assert(DEGREES == 5, "T_CONSTANT is of 5 degrees of freedom");

void asif_atoms_open(asif_atoms *atoms, const asif_context *context, const asif_base_density *base,
                     uint64_t seed) {
    *atoms = (asif_atoms){.context = context, .base = base, .seed = seed};
}

void asif_atoms_close(asif_atoms *a) {
    for (uint32_t i = 0; i < a->proposals; i++) {
        asif_free(a->context, a->proposal[i].centre);
        asif_free(a->context, a->proposal[i].factor);
    }
    if (a->context) {
        asif_free(a->context, a->proposal);
        asif_free(a->context, a->x);
        asif_free(a->context, a->log_q);
    }
    *a = (asif_atoms){0};
}

uint32_t asif_atoms_scramble(const asif_atoms *a, uint64_t i) {
    for (uint32_t r = 0; r < a->proposals; r++) {
        if (i < a->proposal[r].count)
            return (uint32_t)(i / (a->proposal[r].count / ASIF_SCRAMBLES));
        i -= a->proposal[r].count;
    }
    return 0;
}

static void draw(const asif_atoms *a, const asif_proposal *p, uint64_t seed, uint32_t number, double *x) {
    uint32_t d = a->base->dimension;
    double t[ASIF_SOBOL_MOST] = {0};
    for (uint32_t j = 0; j < d; j++) {
        double u = asif_sobol(number, j, seed);
        t[j] = p->centre ? asif_t_quantile(u, DEGREES) : a->base->quantile(a->base->user, j, u);
    }
    if (!p->centre) {
        memcpy(x, t, d * sizeof *x);
        return;
    }
    asif_lower_times(p->factor, d, t, x);
    for (uint32_t j = 0; j < d; j++)
        x[j] += p->centre[j];
}

static double log_density(const asif_atoms *a, const asif_proposal *p, const double *x) {
    uint32_t d = a->base->dimension;
    double t[ASIF_SOBOL_MOST] = {0}, sum = 0;
    if (!p->centre)
        return a->base->log_density(a->base->user, x, NULL);
    for (uint32_t j = 0; j < d; j++)
        t[j] = x[j] - p->centre[j];
    asif_lower_solve(p->factor, d, t);
    for (uint32_t j = 0; j < d; j++)
        sum += T_CONSTANT - (DEGREES + 1) / 2. * log1p(t[j] * t[j] / DEGREES) -
               log(p->factor[(uint64_t)j * d + j]);
    return sum;
}

/* log q of points whose mixture lacks the last proposal, or of all proposals for points that are new. */
static void mix(asif_atoms *a, uint64_t before) {
    uint32_t last = a->proposals - 1;
    double old = log((double)(a->drawn - a->proposal[last].count)), all = log((double)a->drawn);
    for (uint64_t i = 0; i < a->count; i++) {
        const double *x = a->x + i * a->base->dimension;
        double sum = i < before ? a->log_q[i] + old : -INFINITY;
        for (uint32_t r = i < before ? last : 0; r <= last; r++) {
            double term = log((double)a->proposal[r].count) + log_density(a, &a->proposal[r], x);
            double most = fmax(sum, term);
            sum = isfinite(most) ? most + log1p(exp(fmin(sum, term) - most)) : most;
        }
        a->log_q[i] = sum - all;
    }
}

/* `square` is the factor, or the covariance that it is still to be found of. */
static bool fill_proposal(asif_atoms *a, asif_proposal *p, const double *centre, const double *square) {
    uint64_t d = a->base->dimension;
    if (!centre)
        return true;
    p->centre = ASIF_ARRAY(a->context, d, double);
    p->factor = ASIF_ARRAY(a->context, d * d, double);
    if (!p->centre || !p->factor)
        return false;
    memcpy(p->centre, centre, d * sizeof *centre);
    memcpy(p->factor, square, d * d * sizeof *square);
    return true;
}

/* `square` is a covariance, or its factor if `factored`. */
static asif_status add(asif_atoms *a, uint64_t count, const double *centre, const double *square,
                       bool factored, asif_error *error) {
    uint64_t d = a->base->dimension, each = (count + ASIF_SCRAMBLES - 1) / ASIF_SCRAMBLES, before = a->count;
    asif_proposal p = {.count = each * ASIF_SCRAMBLES};
    if (d == 0 || d > ASIF_SOBOL_MOST || each == 0 || each > UINT32_MAX)
        return asif_fail(error, ASIF_EDOMAIN,
                         "a table of points has 1 to %d numbers a point, and at least one point",
                         ASIF_SOBOL_MOST);
    bool room = asif_grow(a->context, &a->proposal, a->proposals, &a->proposal_capacity, sizeof p) &&
                fill_proposal(a, &p, centre, square);
    bool positive = !room || !centre || factored || asif_cholesky(p.factor, (uint32_t)d);
    double *x = room ? asif_realloc(a->context, a->x, (before + p.count) * d, sizeof *x) : NULL;
    a->x = x ? x : a->x;
    double *q = x ? asif_realloc(a->context, a->log_q, before + p.count, sizeof *q) : NULL;
    a->log_q = q ? q : a->log_q;
    if (!q || !positive) {
        asif_free(a->context, p.centre);
        asif_free(a->context, p.factor);
        return q ? asif_fail(error, ASIF_EDOMAIN, "the covariance of a proposal is not positive definite")
                 : asif_fail_memory(error);
    }
    for (uint64_t i = 0; i < p.count; i++)
        draw(a, &p, a->seed + a->proposals * ASIF_SCRAMBLES + i / each, (uint32_t)(i % each),
             a->x + (before + i) * d);
    a->proposal[a->proposals++] = p;
    a->count += p.count;
    a->drawn += p.count;
    mix(a, before);
    return ASIF_OK;
}

asif_status asif_atoms_add(asif_atoms *a, uint64_t count, const double *centre, const double *covariance,
                           asif_error *error) {
    return add(a, count, centre, covariance, false, error);
}

asif_status asif_atoms_add_again(asif_atoms *a, uint64_t count, const double *centre, const double *factor,
                                 asif_error *error) {
    return add(a, count, centre, factor, true, error);
}

/* The first points of a Sobol sequence fill space as well as all of them; every second one would fill a half.
 */
asif_status asif_atoms_thin(asif_atoms *out, const asif_atoms *from, uint64_t every, uint64_t *chosen,
                            asif_error *error) {
    uint64_t count = 0, first = 0;
    for (uint32_t r = 0; r < from->proposals; r++) {
        uint64_t each = from->proposal[r].count / ASIF_SCRAMBLES, kept = (each + every - 1) / every;
        for (uint64_t s = 0; s < ASIF_SCRAMBLES; s++, first += each)
            for (uint64_t i = 0; i < kept; i++)
                chosen[count++] = first + i;
    }
    ASIF_TRY(asif_atoms_choose(out, from, chosen, count, error));
    for (uint32_t r = 0; r < out->proposals; r++) {
        uint64_t each = out->proposal[r].count / ASIF_SCRAMBLES;
        out->proposal[r].count = (each + every - 1) / every * ASIF_SCRAMBLES;
    }
    out->drawn = count;
    return ASIF_OK;
}

asif_status asif_atoms_choose(asif_atoms *out, const asif_atoms *from, const uint64_t *chosen, uint64_t count,
                              asif_error *error) {
    uint64_t d = from->base->dimension;
    asif_atoms_open(out, from->context, from->base, from->seed);
    out->x = asif_realloc(from->context, NULL, count * d + 1, sizeof *out->x);
    out->log_q = asif_realloc(from->context, NULL, count + 1, sizeof *out->log_q);
    bool room = out->x && out->log_q;
    for (uint32_t r = 0; room && r < from->proposals; r++) {
        const asif_proposal *p = &from->proposal[r];
        room = asif_grow(out->context, &out->proposal, r, &out->proposal_capacity, sizeof *p);
        if (!room)
            break;
        out->proposal[r] = (asif_proposal){.count = p->count};
        out->proposals = r + 1;
        room = fill_proposal(out, &out->proposal[r], p->centre, p->factor);
    }
    if (!room)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(out->x + i * d, from->x + chosen[i] * d, d * sizeof *out->x);
        out->log_q[i] = from->log_q[chosen[i]];
    }
    out->count = count;
    out->drawn = from->drawn;
    return ASIF_OK;
}
