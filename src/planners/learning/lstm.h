/* A long short-term memory (Hochreiter and Schmidhuber, 1997; with forget gates) and a policy on top of it:
 *
 *     i, f, o = sig(A x + C h + a),   g = tanh(A x + C h + a),
 *     c' = f c + i g,   h' = o tanh(c'),
 *     log pi = log softmax(P tanh(L h' + l) + p).
 *
 * Inputs and lanes are as in layers.h. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_LSTM_H
#define ASIF_SRC_PLANNERS_LEARNING_LSTM_H

#include "planners/learning/layers.h"

typedef struct {
    uint32_t inputs, hidden, actions; /* `hidden` is also the size of the layer L */
} asif_lstm;

/* Positions of the weights in one array: A [4][hidden][inputs], C [4][hidden][hidden], a [4][hidden], in the
 * order i, f, g, o; L [hidden][hidden], l [hidden], P [actions][hidden], p [actions]. */
typedef struct {
    uint64_t input, recurrent, bias, layer, layer_bias, policy, policy_bias, count;
} asif_lstm_layout;
asif_lstm_layout asif_lstm_place(const asif_lstm *lstm);

/* Intermediate results of one step, which its derivatives need; [..][ASIF_LANES]. */
typedef struct {
    uint32_t on[2][ASIF_LANES]; /* inputs that are on, or ASIF_NO_INPUT */
    double *gate;               /* [4 hidden]: i, f, g, o */
    double *c, *squeezed;       /* [hidden]: memory after the step, and its tanh */
    double *h;                  /* [hidden] */
    double *layer;              /* [hidden]: tanh(L h + l) */
    double *log_policy;         /* [actions] */
} asif_lstm_step;
uint64_t asif_lstm_step_size(const asif_lstm *lstm); /* doubles */
void asif_lstm_step_place(const asif_lstm *lstm, asif_lstm_step *step, double *memory);

/* Compute h and c of a step from those before [hidden] (NULL: zeros) and its inputs. */
void asif_lstm_forward(const asif_lstm *lstm, const asif_simd *simd, const double *weights, const double *h,
                       const double *c, asif_lstm_step *step);
/* Compute layer and log_policy of a step from its h. */
void asif_lstm_policy(const asif_lstm *lstm, const asif_simd *simd, const double *weights,
                      asif_lstm_step *step);

/* Backward pass of the policy: from the derivatives in the scores before the softmax [actions], add those in
 * h and in the weights. `scratch` is [hidden]. */
void asif_lstm_policy_back(const asif_lstm *lstm, const asif_simd *simd, const double *weights,
                           const asif_lstm_step *step, const double *score_bar, double *h_bar,
                           double *gradient, double *scratch);
/* Backward pass of a step: the derivatives in its h and c are replaced by those in h and c before it, and
 * those in the weights are added. `scratch` is [4 hidden]. */
void asif_lstm_backward(const asif_lstm *lstm, const asif_simd *simd, const double *weights, const double *h,
                        const double *c, const asif_lstm_step *step, double *h_bar, double *c_bar,
                        double *gradient, double *scratch);

#endif
