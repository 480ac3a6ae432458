#include "planners/learning/layers.h"

#include <math.h>

enum { N = ASIF_LANES };

void asif_layer_sigmoid(const asif_simd *simd, double *x, double scale) {
    for (uint32_t i = 0; i < N; i++)
        x[i] *= -scale;
    simd->exp(x, x, N);
    for (uint32_t i = 0; i < N; i++)
        x[i] = 1 / (1 + x[i]);
}

void asif_layer_tanh(const asif_simd *simd, double *x) {
    asif_layer_sigmoid(simd, x, 2);
    for (uint32_t i = 0; i < N; i++)
        x[i] = 2 * x[i] - 1;
}

void asif_layer_input(const uint32_t *first, const uint32_t *second, const double *row, double *out) {
    for (uint32_t i = 0; i < N; i++)
        out[i] = (first[i] == ASIF_NO_INPUT ? 0 : row[first[i]]) +
                 (second[i] == ASIF_NO_INPUT ? 0 : row[second[i]]);
}

void asif_layer_input_back(const uint32_t *first, const uint32_t *second, const double *bar,
                           double *row_bar) {
    for (uint32_t i = 0; i < N; i++)
        if (first[i] != ASIF_NO_INPUT)
            row_bar[first[i]] += bar[i];
    for (uint32_t i = 0; i < N; i++)
        if (second[i] != ASIF_NO_INPUT)
            row_bar[second[i]] += bar[i];
}

void asif_layer_product(const asif_simd *simd, const double *row, const double *x, uint32_t count,
                        double *out) {
    for (uint32_t j = 0; j < count; j++)
        simd->axpy(out, row[j], x + (uint64_t)j * N, N);
}

void asif_layer_product_back(const asif_simd *simd, const double *row, const double *x, uint32_t count,
                             const double *bar, double *row_bar, double *x_bar) {
    for (uint32_t j = 0; j < count; j++) {
        row_bar[j] += simd->dot(bar, x + (uint64_t)j * N, N);
        simd->axpy(x_bar + (uint64_t)j * N, row[j], bar, N);
    }
}

void asif_layer_log_softmax(const asif_simd *simd, double *score, uint32_t count) {
    double most[N], sum[N] = {0}, part[N];
    for (uint32_t i = 0; i < N; i++)
        most[i] = -INFINITY;
    for (uint64_t i = 0; i < (uint64_t)count * N; i++)
        most[i % N] = score[i] > most[i % N] ? score[i] : most[i % N];
    for (uint32_t u = 0; u < count; u++) {
        double *row = score + (uint64_t)u * N;
        for (uint32_t i = 0; i < N; i++)
            part[i] = row[i] -= most[i];
        simd->exp(part, part, N);
        for (uint32_t i = 0; i < N; i++)
            sum[i] += part[i];
    }
    simd->log(sum, sum, N);
    for (uint64_t i = 0; i < (uint64_t)count * N; i++)
        score[i] -= sum[i % N];
}
