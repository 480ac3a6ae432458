/* Parts of networks that run in parallel in lanes: arrays are [numbers][ASIF_LANES], and the result of a lane
 * does not depend on the others. Functions that end in _back add derivatives; a bar is the derivative of a
 * loss. */
#ifndef ASIF_SRC_PLANNERS_LEARNING_LAYERS_H
#define ASIF_SRC_PLANNERS_LEARNING_LAYERS_H

#include "base/numeric/simd.h"

enum { ASIF_LANES = 32 };

#define ASIF_NO_INPUT UINT32_MAX

/* x <- 1 / (1 + exp(-scale x)) */
void asif_layer_sigmoid(const asif_simd *simd, double *x, double scale);
/* x <- tanh(x) */
void asif_layer_tanh(const asif_simd *simd, double *x);

/* out = row . inputs. Inputs are 0 or 1, and at most two are 1 ("on"): their numbers are first and second
 * [ASIF_LANES], or ASIF_NO_INPUT. */
void asif_layer_input(const uint32_t *first, const uint32_t *second, const double *row, double *out);
void asif_layer_input_back(const uint32_t *first, const uint32_t *second, const double *bar, double *row_bar);

/* out += row . x, for x [count] */
void asif_layer_product(const asif_simd *simd, const double *row, const double *x, uint32_t count,
                        double *out);
void asif_layer_product_back(const asif_simd *simd, const double *row, const double *x, uint32_t count,
                             const double *bar, double *row_bar, double *x_bar);

/* score [count] <- log softmax(score) */
void asif_layer_log_softmax(const asif_simd *simd, double *score, uint32_t count);

#endif
