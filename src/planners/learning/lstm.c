#include "planners/learning/lstm.h"

#include <string.h>

enum { N = ASIF_LANES, INPUT_GATE = 0, FORGET, CANDIDATE, OUTPUT, GATES };

asif_lstm_layout asif_lstm_place(const asif_lstm *lstm) {
    uint64_t H = lstm->hidden;
    asif_lstm_layout at = {0};
    at.recurrent = at.input + GATES * H * lstm->inputs;
    at.bias = at.recurrent + GATES * H * H;
    at.layer = at.bias + GATES * H;
    at.layer_bias = at.layer + H * H;
    at.policy = at.layer_bias + H;
    at.policy_bias = at.policy + lstm->actions * H;
    at.count = at.policy_bias + lstm->actions;
    return at;
}

uint64_t asif_lstm_step_size(const asif_lstm *lstm) {
    return ((GATES + 4ull) * lstm->hidden + lstm->actions) * N;
}

void asif_lstm_step_place(const asif_lstm *lstm, asif_lstm_step *step, double *memory) {
    uint64_t size = (uint64_t)lstm->hidden * N;
    step->gate = memory;
    step->c = step->gate + GATES * size;
    step->squeezed = step->c + size;
    step->h = step->squeezed + size;
    step->layer = step->h + size;
    step->log_policy = step->layer + size;
}

void asif_lstm_forward(const asif_lstm *lstm, const asif_simd *simd, const double *weights, const double *h,
                       const double *c, asif_lstm_step *step) {
    asif_lstm_layout at = asif_lstm_place(lstm);
    uint32_t H = lstm->hidden;
    for (uint32_t row = 0; row < GATES * H; row++) {
        double *gate = step->gate + (uint64_t)row * N;
        asif_layer_input(step->on[0], step->on[1], weights + at.input + (uint64_t)row * lstm->inputs, gate);
        for (uint32_t i = 0; i < N; i++)
            gate[i] += weights[at.bias + row];
        asif_layer_product(simd, weights + at.recurrent + (uint64_t)row * H, h, h ? H : 0, gate);
        if (row / H == CANDIDATE)
            asif_layer_tanh(simd, gate);
        else
            asif_layer_sigmoid(simd, gate, 1);
    }
    uint64_t size = (uint64_t)H * N;
    const double *in = step->gate, *forget = in + size, *candidate = forget + size, *out = candidate + size;
    for (uint64_t i = 0; i < size; i++)
        step->squeezed[i] = step->c[i] = in[i] * candidate[i] + (c ? forget[i] * c[i] : 0);
    for (uint32_t k = 0; k < H; k++)
        asif_layer_tanh(simd, step->squeezed + (uint64_t)k * N);
    for (uint64_t i = 0; i < size; i++)
        step->h[i] = out[i] * step->squeezed[i];
}

void asif_lstm_policy(const asif_lstm *lstm, const asif_simd *simd, const double *weights,
                      asif_lstm_step *step) {
    asif_lstm_layout at = asif_lstm_place(lstm);
    uint32_t H = lstm->hidden;
    for (uint32_t k = 0; k < H; k++) {
        double *out = step->layer + (uint64_t)k * N;
        for (uint32_t i = 0; i < N; i++)
            out[i] = weights[at.layer_bias + k];
        asif_layer_product(simd, weights + at.layer + (uint64_t)k * H, step->h, H, out);
        asif_layer_tanh(simd, out);
    }
    for (uint32_t u = 0; u < lstm->actions; u++) {
        double *score = step->log_policy + (uint64_t)u * N;
        for (uint32_t i = 0; i < N; i++)
            score[i] = weights[at.policy_bias + u];
        asif_layer_product(simd, weights + at.policy + (uint64_t)u * H, step->layer, H, score);
    }
    asif_layer_log_softmax(simd, step->log_policy, lstm->actions);
}

static double sum(const double *x) {
    double all = 0;
    for (uint32_t i = 0; i < N; i++)
        all += x[i];
    return all;
}

void asif_lstm_policy_back(const asif_lstm *lstm, const asif_simd *simd, const double *weights,
                           const asif_lstm_step *step, const double *score_bar, double *h_bar,
                           double *gradient, double *scratch) {
    asif_lstm_layout at = asif_lstm_place(lstm);
    uint32_t H = lstm->hidden;
    memset(scratch, 0, (uint64_t)H * N * sizeof *scratch);
    for (uint32_t u = 0; u < lstm->actions; u++) {
        const double *bar = score_bar + (uint64_t)u * N;
        uint64_t row = at.policy + (uint64_t)u * H;
        asif_layer_product_back(simd, weights + row, step->layer, H, bar, gradient + row, scratch);
        gradient[at.policy_bias + u] += sum(bar);
    }
    for (uint64_t i = 0; i < (uint64_t)H * N; i++)
        scratch[i] *= 1 - step->layer[i] * step->layer[i];
    for (uint32_t k = 0; k < H; k++) {
        const double *bar = scratch + (uint64_t)k * N;
        uint64_t row = at.layer + (uint64_t)k * H;
        asif_layer_product_back(simd, weights + row, step->h, H, bar, gradient + row, h_bar);
        gradient[at.layer_bias + k] += sum(bar);
    }
}

void asif_lstm_backward(const asif_lstm *lstm, const asif_simd *simd, const double *weights, const double *h,
                        const double *c, const asif_lstm_step *step, double *h_bar, double *c_bar,
                        double *gradient, double *scratch) {
    asif_lstm_layout at = asif_lstm_place(lstm);
    uint32_t H = lstm->hidden;
    uint64_t size = (uint64_t)H * N;
    const double *in = step->gate, *forget = in + size, *candidate = forget + size, *out = candidate + size;
    for (uint64_t i = 0; i < size; i++) {
        double squeezed = step->squeezed[i], bar = c_bar[i] + h_bar[i] * out[i] * (1 - squeezed * squeezed);
        scratch[OUTPUT * size + i] = h_bar[i] * squeezed * out[i] * (1 - out[i]);
        scratch[INPUT_GATE * size + i] = bar * candidate[i] * in[i] * (1 - in[i]);
        scratch[CANDIDATE * size + i] = bar * in[i] * (1 - candidate[i] * candidate[i]);
        scratch[FORGET * size + i] = c ? bar * c[i] * forget[i] * (1 - forget[i]) : 0;
        c_bar[i] = bar * forget[i];
        h_bar[i] = 0;
    }
    for (uint32_t row = 0; row < GATES * H; row++) {
        const double *bar = scratch + (uint64_t)row * N;
        asif_layer_input_back(step->on[0], step->on[1], bar,
                              gradient + at.input + (uint64_t)row * lstm->inputs);
        gradient[at.bias + row] += sum(bar);
        if (h) {
            uint64_t from = at.recurrent + (uint64_t)row * H;
            asif_layer_product_back(simd, weights + from, h, H, bar, gradient + from, h_bar);
        }
    }
}
