#include "planners/learning/gru.h"

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

void asif_gru_forward(const asif_gru *gru, const asif_simd *simd, const double *weights, const double *before,
                      asif_gru_step *step) {
    asif_gru_layout at = asif_gru_place(gru);
    uint32_t H = gru->hidden, I = gru->inputs, recurrent = before ? H : 0;
    const double *a = weights + at.input, *c = weights + at.recurrent;
    for (uint32_t k = 0; k < H; k++) {
        double *z = step->z + (uint64_t)k * N, *r = step->r + (uint64_t)k * N, *n = step->n + (uint64_t)k * N,
               *cn = step->c + (uint64_t)k * N, *h = step->h + (uint64_t)k * N;
        asif_layer_input(step->on[0], step->on[1], a + (uint64_t)k * I, z);
        asif_layer_input(step->on[0], step->on[1], a + (uint64_t)(H + k) * I, r);
        asif_layer_input(step->on[0], step->on[1], a + (uint64_t)(2 * H + k) * I, n);
        asif_layer_product(simd, c + (uint64_t)k * H, before, recurrent, z);
        asif_layer_product(simd, c + (uint64_t)(H + k) * H, before, recurrent, r);
        memset(cn, 0, N * sizeof *cn);
        asif_layer_product(simd, c + (uint64_t)(2 * H + k) * H, before, recurrent, cn);
        asif_layer_sigmoid(simd, z, 1);
        asif_layer_sigmoid(simd, r, 1);
        for (uint32_t i = 0; i < N; i++)
            n[i] += r[i] * cn[i];
        asif_layer_tanh(simd, n);
        for (uint32_t i = 0; i < N; i++)
            h[i] = (1 - z[i]) * n[i];
        for (uint32_t i = 0; i < N && before; i++)
            h[i] += z[i] * before[(uint64_t)k * N + i];
    }
}

void asif_gru_heads(const asif_gru *gru, const asif_simd *simd, const double *weights, asif_gru_step *step) {
    asif_gru_layout at = asif_gru_place(gru);
    for (uint32_t i = 0; i < N; i++)
        step->value[i] = weights[at.value_bias];
    asif_layer_product(simd, weights + at.value, step->h, gru->hidden, step->value);
    for (uint32_t u = 0; u < gru->actions; u++) {
        double *score = step->log_policy + (uint64_t)u * N;
        for (uint32_t i = 0; i < N; i++)
            score[i] = weights[at.policy_bias + u];
        asif_layer_product(simd, weights + at.policy + (uint64_t)u * gru->hidden, step->h, gru->hidden,
                           score);
    }
    asif_layer_log_softmax(simd, step->log_policy, gru->actions);
}

void asif_gru_backward(const asif_gru *gru, const asif_simd *simd, const double *weights,
                       const double *before, const asif_gru_step *step, const double *score_bar,
                       const double *value_bar, double *h_bar, double *gradient, double *scratch) {
    asif_gru_layout at = asif_gru_place(gru);
    uint32_t H = gru->hidden, I = gru->inputs;
    asif_layer_product_back(simd, weights + at.value, step->h, H, value_bar, gradient + at.value, h_bar);
    for (uint32_t i = 0; i < N; i++)
        gradient[at.value_bias] += value_bar[i];
    for (uint32_t u = 0; u < gru->actions; u++) {
        const double *bar = score_bar + (uint64_t)u * N;
        uint64_t row = at.policy + (uint64_t)u * H;
        asif_layer_product_back(simd, weights + row, step->h, H, bar, gradient + row, h_bar);
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
            asif_layer_input_back(step->on[0], step->on[1], to_input[g] + (uint64_t)k * N,
                                  gradient + at.input + row * I);
            if (before)
                asif_layer_product_back(simd, weights + at.recurrent + row * H, before, H,
                                        to_recurrent[g] + (uint64_t)k * N, gradient + at.recurrent + row * H,
                                        h_bar);
        }
}
