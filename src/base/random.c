#include "base/random.h"

#include <Random123/philox.h>
#include <math.h>

#define PI 3.14159265358979323846

static philox4x32_ctr_t block(const asif_stream *stream, uint32_t counter) {
    philox4x32_ctr_t c = {
        {counter, stream->purpose, (uint32_t)stream->index, (uint32_t)(stream->index >> 32)}};
    philox4x32_key_t k = {{(uint32_t)stream->seed, (uint32_t)(stream->seed >> 32)}};
    return philox4x32(c, k);
}

static double fraction(uint32_t high, uint32_t low) {
    uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

double asif_uniform(const asif_stream *stream, uint32_t counter) {
    philox4x32_ctr_t r = block(stream, counter);
    return fraction(r.v[0], r.v[1]);
}

/* The transform of Box and Muller (1958). */
double asif_normal(const asif_stream *stream, uint32_t counter) {
    philox4x32_ctr_t r = block(stream, counter);
    return sqrt(-2 * log(fraction(r.v[0], r.v[1]))) * cos(2 * PI * fraction(r.v[2], r.v[3]));
}

uint32_t asif_draw(double uniform, const double *p, uint32_t n) {
    double total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += p[i];
    double target = uniform * total, sum = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (p[i] <= 0)
            continue;
        sum += p[i];
        last = i;
        if (target < sum)
            break;
    }
    return last;
}
