#include "planners/learning/gru.h"

#include <math.h>
#include <string.h>

enum { N = ASIF_LANES };

asif_gru_layout asif_gru_place(const asif_gru *gru) {
    uint64_t H = gru->hidden;
    asif_gru_layout at = {0};
    at.recurrent = at.input + 3 * H * gru->inputs;
    at.policy = at.recurrent + 3 * H * H;
    at.policy_bias = at.policy + gru->actions * H;
    at.value = at.policy_bias + gru->actions;
    at.value_bias = at.value + H;
    at.count = at.value_bias + 1;
    return at;
}

uint64_t asif_gru_step_size(const asif_gru *gru) {
    return (5ull * gru->hidden + gru->actions + 1) * N;
}

void asif_gru_step_place(const asif_gru *gru, asif_gru_step *step, double *memory) {
    uint64_t size = (uint64_t)gru->hidden * N;
    step->h = memory;
    step->z = step->h + size;
    step->r = step->z + size;
    step->n = step->r + size;
    step->c = step->n + size;
    step->log_policy = step->c + size;
    step->value = step->log_policy + (uint64_t)gru->actions * N;
}

/* x <- 1 / (1 + exp(-scale x)) */
static void sigmoid(const asif_simd *simd, double *x, double scale) {
    for (uint32_t i = 0; i < N; i++)
        x[i] *= -scale;
    simd->exp(x, x, N);
    for (uint32_t i = 0; i < N; i++)
        x[i] = 1 / (1 + x[i]);
}

/* out = A x for one row of A: the sum of its entries at the inputs that are on */
static void take_input(const asif_gru_step *step, const double *row, double *out) {
    for (uint32_t i = 0; i < N; i++) {
        uint32_t first = step->on[0][i], second = step->on[1][i];
        out[i] = (first == ASIF_NO_INPUT ? 0 : row[first]) + (second == ASIF_NO_INPUT ? 0 : row[second]);
    }
}

/* out += row . x */
static void product(const asif_simd *simd, const double *row, const double *x, uint32_t count, double *out) {
    for (uint32_t j = 0; j < count; j++)
        simd->axpy(out, row[j], x + (uint64_t)j * N, N);
}

void asif_gru_forward(const asif_gru *gru, const asif_simd *simd, const double *weights, const double *before,
                      asif_gru_step *step) {
    asif_gru_layout at = asif_gru_place(gru);
    uint32_t H = gru->hidden, I = gru->inputs, recurrent = before ? H : 0;
    const double *a = weights + at.input, *c = weights + at.recurrent;
    for (uint32_t k = 0; k < H; k++) {
        double *z = step->z + (uint64_t)k * N, *r = step->r + (uint64_t)k * N, *n = step->n + (uint64_t)k * N,
               *cn = step->c + (uint64_t)k * N, *h = step->h + (uint64_t)k * N;
        take_input(step, a + (uint64_t)k * I, z);
        take_input(step, a + (uint64_t)(H + k) * I, r);
        take_input(step, a + (uint64_t)(2 * H + k) * I, n);
        product(simd, c + (uint64_t)k * H, before, recurrent, z);
        product(simd, c + (uint64_t)(H + k) * H, before, recurrent, r);
        memset(cn, 0, N * sizeof *cn);
        product(simd, c + (uint64_t)(2 * H + k) * H, before, recurrent, cn);
        sigmoid(simd, z, 1);
        sigmoid(simd, r, 1);
        for (uint32_t i = 0; i < N; i++)
            n[i] += r[i] * cn[i];
        sigmoid(simd, n, 2);
        for (uint32_t i = 0; i < N; i++) {
            n[i] = 2 * n[i] - 1; /* tanh */
            h[i] = (1 - z[i]) * n[i];
        }
        for (uint32_t i = 0; i < N && before; i++)
            h[i] += z[i] * before[(uint64_t)k * N + i];
    }
}

void asif_gru_heads(const asif_gru *gru, const asif_simd *simd, const double *weights, asif_gru_step *step) {
    asif_gru_layout at = asif_gru_place(gru);
    double most[N], sum[N] = {0}, part[N];
    for (uint32_t i = 0; i < N; i++) {
        step->value[i] = weights[at.value_bias];
        most[i] = -INFINITY;
    }
    product(simd, weights + at.value, step->h, gru->hidden, step->value);
    for (uint32_t u = 0; u < gru->actions; u++) {
        double *score = step->log_policy + (uint64_t)u * N;
        for (uint32_t i = 0; i < N; i++)
            score[i] = weights[at.policy_bias + u];
        product(simd, weights + at.policy + (uint64_t)u * gru->hidden, step->h, gru->hidden, score);
        for (uint32_t i = 0; i < N; i++)
            most[i] = score[i] > most[i] ? score[i] : most[i];
    }
    for (uint32_t u = 0; u < gru->actions; u++) {
        double *score = step->log_policy + (uint64_t)u * N;
        for (uint32_t i = 0; i < N; i++)
            part[i] = score[i] -= most[i];
        simd->exp(part, part, N);
        for (uint32_t i = 0; i < N; i++)
            sum[i] += part[i];
    }
    simd->log(sum, sum, N);
    for (uint32_t u = 0; u < gru->actions; u++)
        for (uint32_t i = 0; i < N; i++)
            step->log_policy[(uint64_t)u * N + i] -= sum[i];
}

/* Add the derivatives with respect to one row of A. */
static void give_input(const asif_gru_step *step, const double *bar, double *row) {
    for (uint32_t j = 0; j < 2; j++)
        for (uint32_t i = 0; i < N; i++)
            if (step->on[j][i] != ASIF_NO_INPUT)
                row[step->on[j][i]] += bar[i];
}

/* Derivatives of out += row . x with respect to the row and, if they are wanted, to x. */
static void product_back(const asif_simd *simd, const double *row, const double *x, uint32_t count,
                         const double *bar, double *row_bar, double *x_bar) {
    for (uint32_t j = 0; j < count; j++) {
        row_bar[j] += simd->dot(bar, x + (uint64_t)j * N, N);
        simd->axpy(x_bar + (uint64_t)j * N, row[j], bar, N);
    }
}

void asif_gru_backward(const asif_gru *gru, const asif_simd *simd, const double *weights,
                       const double *before, const asif_gru_step *step, const double *score_bar,
                       const double *value_bar, double *h_bar, double *gradient, double *scratch) {
    asif_gru_layout at = asif_gru_place(gru);
    uint32_t H = gru->hidden, I = gru->inputs;
    product_back(simd, weights + at.value, step->h, H, value_bar, gradient + at.value, h_bar);
    for (uint32_t i = 0; i < N; i++)
        gradient[at.value_bias] += value_bar[i];
    for (uint32_t u = 0; u < gru->actions; u++) {
        const double *bar = score_bar + (uint64_t)u * N;
        uint64_t row = at.policy + (uint64_t)u * H;
        product_back(simd, weights + row, step->h, H, bar, gradient + row, h_bar);
        for (uint32_t i = 0; i < N; i++)
            gradient[at.policy_bias + u] += bar[i];
    }
    uint64_t size = (uint64_t)H * N;
    double *z_bar = scratch, *r_bar = z_bar + size, *n_bar = r_bar + size, *c_bar = n_bar + size;
    for (uint64_t i = 0; i < size; i++) {
        double z = step->z[i], r = step->r[i], n = step->n[i], h = before ? before[i] : 0, bar = h_bar[i];
        n_bar[i] = bar * (1 - z) * (1 - n * n);
        z_bar[i] = bar * (h - n) * z * (1 - z);
        r_bar[i] = n_bar[i] * step->c[i] * r * (1 - r);
        c_bar[i] = n_bar[i] * r;
        h_bar[i] = bar * z;
    }
    const double *const to_input[] = {z_bar, r_bar, n_bar}, *const to_recurrent[] = {z_bar, r_bar, c_bar};
    for (uint32_t g = 0; g < 3; g++)
        for (uint32_t k = 0; k < H; k++) {
            uint64_t row = (uint64_t)g * H + k;
            give_input(step, to_input[g] + (uint64_t)k * N, gradient + at.input + row * I);
            if (before)
                product_back(simd, weights + at.recurrent + row * H, before, H,
                             to_recurrent[g] + (uint64_t)k * N, gradient + at.recurrent + row * H, h_bar);
        }
}
