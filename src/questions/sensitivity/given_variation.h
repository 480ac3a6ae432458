/* `given_variation` varies an assumption: which values to try, and the problem at each of them. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_GIVEN_VARIATION_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_GIVEN_VARIATION_H

#include "asif/fit.h"

/* An assumption: a parameter with a fixed value, or the spread of the worlds. */
typedef struct {
    const char *name; /* borrowed */
    bool worlds;      /* the spread of the worlds, not a parameter */
    bool bound;       /* alpha, act_alpha, optimism or eta */
    bool unit;        /* a bound that only fixes the unit in which all else is estimated */
    double step;      /* of a bound that is neutral: how far to go to each side; else 0 */
    double given;
} asif_given_variation;

/* Find it by name. ASIF_EUNKNOWN, or ASIF_EINVALID where it is estimated or has one world. */
asif_status asif_given_variation_find(asif_given_variation *out, const asif_fitted *fitted, const char *name,
                                      asif_error *error);
/* The i-th assumption that is varied by default: named utilities with a fixed value, the discount, the
 * worlds; with `bounds` also fixed bounds. False past the last. */
bool asif_given_variation_usual(asif_given_variation *out, const asif_fitted *fitted, bool bounds,
                                uint32_t i);

/* Ends for those that are NaN. ASIF_EINVALID where there are none, or nothing is between them. */
asif_status asif_given_variation_range(const asif_given_variation *vary, double *from, double *to,
                                       asif_error *error);
#define ASIF_GIVEN_VARIATION_BRIEF 4
/* Evenly spaced values with the ends and the assumed value, ascending. `value` has room for points + 1;
 * returns how many. */
uint32_t asif_given_variation_values(const asif_given_variation *vary, double from, double to,
                                     uint32_t points, double *value);
/* The few values of the short form, and the assumed one: at most ASIF_GIVEN_VARIATION_BRIEF + 1. */
uint32_t asif_given_variation_few(const asif_given_variation *vary, double *value);

/* The problem with one thing changed; zero-initialise. */
typedef struct {
    const asif_context *context;
    asif_setting *setting; /* NULL: the fit's */
    asif_theta *given;
    asif_estimates *estimates;
    asif_work *work;
    asif_target *target, *likelihood; /* with and without the priors */
} asif_varied;

/* `vary` NULL: nothing changed. asif_varied_free() whether it fails or not. */
asif_status asif_varied_create(asif_varied *out, const asif_fitted *fitted, const asif_given_variation *vary,
                               double value, asif_error *error);
void asif_varied_free(asif_varied *varied);

/* ---- given_variation_worlds.c ---- */
/* The setting with the worlds spread by a factor about the environment. */
asif_status asif_given_variation_worlds(asif_setting **out, const asif_context *context,
                                        const asif_setting *setting, double factor, asif_error *error);

#endif
