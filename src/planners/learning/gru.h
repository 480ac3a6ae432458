/* A gated recurrent unit (Cho et al., 2014, with the reset gate after the product) with a head for a policy
 * and one for values: z = sig(A_z x + C_z h), r = sig(A_r x + C_r h), n = tanh(A_n x + r * C_n h), h' = (1 -
 * z) n + z h log pi = log softmax(P h' + p),  value = w h' + b Inputs are indicators: of each, one or two are
 * on. Networks run side by side in lanes; arrays are [numbers][ASIF_LANES], and what a lane computes does not
 * depend on the others. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_GRU_H
#define ASIF_SRC_PLANNERS_LEARNING_GRU_H

#include "base/numeric/simd.h"

#include <stdbool.h>

enum { ASIF_LANES = 32 };
#define ASIF_NO_INPUT UINT32_MAX

typedef struct {
    uint32_t inputs, hidden, actions;
} asif_gru;

/* Where the weights stand in one array: A [3][hidden][inputs], C [3][hidden][hidden], P [actions][hidden], p
 * [actions], w [hidden], b. */
typedef struct {
    uint64_t input, recurrent, policy, policy_bias, value, value_bias, count;
} asif_gru_layout;
asif_gru_layout asif_gru_place(const asif_gru *gru);

/* What one step computed, and its derivatives need; [..][ASIF_LANES]. */
typedef struct {
    uint32_t on[2][ASIF_LANES]; /* inputs that are on, or ASIF_NO_INPUT */
    double *h;                  /* [hidden]: after the step */
    double *z, *r, *n, *c;      /* [hidden]: gates, candidate, C_n h */
    double *log_policy;         /* [actions] */
    double *value;              /* [1] */
} asif_gru_step;
uint64_t asif_gru_step_size(const asif_gru *gru); /* doubles */
void asif_gru_step_place(const asif_gru *gru, asif_gru_step *step, double *memory);

/* From `before` [hidden] (NULL: zeros) by the inputs that are on to step->h. */
void asif_gru_forward(const asif_gru *gru, const asif_simd *simd, const double *weights, const double *before,
                      asif_gru_step *step);
/* The heads at step->h. */
void asif_gru_heads(const asif_gru *gru, const asif_simd *simd, const double *weights, asif_gru_step *step);

/* Backward, of a loss: its derivatives in the scores (before the softmax) [actions] and values [1] of the
 * step, and in h [hidden], which becomes that in `before`. Those in the weights are added to `gradient`.
 * `scratch` is [4 hidden]. */
void asif_gru_backward(const asif_gru *gru, const asif_simd *simd, const double *weights,
                       const double *before, const asif_gru_step *step, const double *score_bar,
                       const double *value_bar, double *h_bar, double *gradient, double *scratch);

#endif
