#include "sample/population/drawn.h"

#include "base/random.h"

#include <math.h>

/* A coordinate of a random direction in `dimension` dimensions has the density (1 - c^2)^((dimension - 3)/2)
 * up to a constant. */
static double draw_direction(const asif_stream *stream, uint32_t *counter, uint32_t dimension) {
    double first = asif_normal(stream, (*counter)++), sum = first * first;
    for (uint32_t k = 1; k < dimension; k++) {
        double z = asif_normal(stream, (*counter)++);
        sum += z * z;
    }
    return first / sqrt(sum);
}

/* The partial correlation with j coordinates before it has the density (1 - c^2)^(eta - 1 + (d - 2 - j)/2)
 * (Lewandowski, Kurowicka and Joe, 2009, Section 2.4). */
void asif_population_invent(const asif_normal_population *p, uint64_t seed, double *phi) {
    uint32_t d = p->base->dimension, counter = d, at = 2 * d;
    asif_stream stream = {seed, ASIF_FOR_PEOPLE, 0};
    for (uint32_t i = 0; i < d; i++) {
        double mean = p->base->quantile(p->base->user, i, asif_uniform(&stream, i));
        phi[i] = (mean - p->centre[i]) / p->scale[i];
        phi[d + i] = log(fabs(asif_normal(&stream, counter++)));
    }
    for (uint32_t i = 0; p->correlated && i < d; i++)
        for (uint32_t j = 0; j < i; j++)
            phi[at++] = atanh(draw_direction(&stream, &counter, 2 * ASIF_LKJ + 1 + d - 2 - j));
}

void asif_population_invent_unit(const asif_normal_population *p, const double *phi, uint64_t seed,
                                 uint64_t unit, double *x) {
    uint64_t d = p->base->dimension;
    asif_stream stream = {seed, ASIF_FOR_PEOPLE, unit + 1};
    double factor[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST], z[ASIF_POPULATION_MOST];
    asif_population_at(p, phi, x, factor);
    for (uint32_t i = 0; i < d; i++) {
        z[i] = asif_normal(&stream, i);
        for (uint32_t j = 0; j <= i; j++)
            x[i] += factor[i * d + j] * z[j];
    }
}
