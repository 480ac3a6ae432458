#include "sample/ridge/sobol.h"

#include <stddef.h>

enum { BITS = 32, MOST_DEGREE = 7 };

/* A primitive polynomial: its degree, its inner coefficients, and the first direction numbers. */
typedef struct {
    uint8_t degree, inner;
    uint8_t first[MOST_DEGREE];
} polynomial;

static const polynomial polynomials[ASIF_SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
};

uint32_t asif_sobol_plain(uint32_t number, uint32_t dimension) {
    uint32_t v[BITS] = {0}, point = 0;
    const polynomial *p = dimension ? &polynomials[dimension - 1] : NULL;
    for (uint32_t i = 0; i < BITS && number >> i; i++) {
        if (!p) {
            v[i] = UINT32_C(1) << (BITS - 1 - i);
        } else if (i < p->degree) {
            v[i] = (uint32_t)p->first[i] << (BITS - 1 - i);
        } else {
            v[i] = v[i - p->degree] ^ v[i - p->degree] >> p->degree;
            for (uint32_t k = 1; k < p->degree; k++)
                if (p->inner >> (p->degree - 1 - k) & 1)
                    v[i] ^= v[i - k];
        }
        if (number >> i & 1)
            point ^= v[i];
    }
    return point;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Scramble: a hash of the earlier digits decides whether a digit is flipped. */
double asif_sobol(uint32_t number, uint32_t dimension, uint64_t seed) {
    uint32_t plain = asif_sobol_plain(number, dimension), point = 0;
    uint64_t key = mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (dimension + 1));
    for (uint32_t i = 0; i < BITS; i++) {
        uint64_t before = i ? plain >> (BITS - i) : 0;
        uint32_t flip = (uint32_t)(mix(key ^ (before | UINT64_C(1) << (i + 32))) & 1);
        point |= ((plain >> (BITS - 1 - i) & 1) ^ flip) << (BITS - 1 - i);
    }
    return ((double)point + 0.5) / 4294967296.0;
}
