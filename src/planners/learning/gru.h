/* A gated recurrent unit (Cho et al., 2014, with the reset gate after the product) with a head for a policy
 * and one for values:
 *
 *     z = sig(A_z x + C_z h),   r = sig(A_r x + C_r h),
 *     n = tanh(A_n x + r * C_n h),   h' = (1 - z) n + z h,
 *     log pi = log softmax(P h' + p),   value = w h' + b.
 *
 * The entries of the input x are 0 or 1, and one or two of them are 1 ("on"). Several networks run in
 * parallel in lanes; arrays are [numbers][ASIF_LANES], and the result of a lane does not depend on the
 * others. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_GRU_H
#define ASIF_SRC_PLANNERS_LEARNING_GRU_H

#include "planners/learning/layers.h"

typedef struct {
    uint32_t inputs, hidden, actions;
} asif_gru;

/* Positions of the weights in one array: A [3][hidden][inputs], C [3][hidden][hidden], P [actions][hidden], p
 * [actions], w [hidden], b. */
typedef struct {
    uint64_t input, recurrent, policy, policy_bias, value, value_bias, count;
} asif_gru_layout;
asif_gru_layout asif_gru_place(const asif_gru *gru);

/* Intermediate results of one step, which its derivatives need; [..][ASIF_LANES]. */
typedef struct {
    uint32_t on[2][ASIF_LANES]; /* inputs that are on, or ASIF_NO_INPUT */
    double *h;                  /* [hidden]: hidden state after the step */
    double *z, *r, *n, *c;      /* [hidden]: gates, candidate, C_n h */
    double *log_policy;         /* [actions] */
    double *value;              /* [1] */
} asif_gru_step;
uint64_t asif_gru_step_size(const asif_gru *gru); /* doubles */
void asif_gru_step_place(const asif_gru *gru, asif_gru_step *step, double *memory);

/* Compute step->h from the hidden state `before` [hidden] (NULL: zeros) and the inputs in step->on. */
void asif_gru_forward(const asif_gru *gru, const asif_simd *simd, const double *weights, const double *before,
                      asif_gru_step *step);
/* Compute log_policy and value from step->h. */
void asif_gru_heads(const asif_gru *gru, const asif_simd *simd, const double *weights, asif_gru_step *step);

/* Backward pass of one step. Inputs are the derivatives of a loss with respect to the scores (before the
 * softmax) [actions], the value [1] and h [hidden]; the last is replaced by the derivative with respect to
 * `before`. Derivatives with respect to the weights are added to `gradient`. `scratch` is [4 hidden]. */
void asif_gru_backward(const asif_gru *gru, const asif_simd *simd, const double *weights,
                       const double *before, const asif_gru_step *step, const double *score_bar,
                       const double *value_bar, double *h_bar, double *gradient, double *scratch);

#endif
