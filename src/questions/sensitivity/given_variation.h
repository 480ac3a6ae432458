/* `given_variation` varies an assumption: which values to try, and the problem at each of them. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_GIVEN_VARIATION_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_GIVEN_VARIATION_H

#include "asif/fit.h"

/* An assumption: a parameter with a fixed value, or the spread of the worlds. */
typedef struct {
    const char *name; /* borrowed */
    bool worlds;      /* the spread of the worlds, not a parameter */
    bool bound;       /* alpha, act_alpha, optimism or eta */
    bool unit;        /* a bound that only fixes the unit of the estimates */
    double step;      /* for a neutral bound: how far to go to each side; else 0 */
    double given;
} asif_given_variation;

/* Find an assumption by name, which is borrowed. ASIF_EUNKNOWN; ASIF_EINVALID if it is estimated, has no
 * value, or there is only one world. */
asif_status asif_given_variation_find(asif_given_variation *out, const asif_fitted *fitted, const char *name,
                                      asif_error *error);
/* The i-th assumption that is varied by default: named utilities with a fixed value, the discount, the
 * worlds; with `bounds` also fixed bounds. False if there is none. */
bool asif_given_variation_usual(asif_given_variation *out, const asif_fitted *fitted, bool bounds,
                                uint32_t i);

/* Set the ends of a range that are NaN to their defaults, and order them. ASIF_EINVALID if there are no
 * defaults or the range is empty; ASIF_EDOMAIN for an impossible discount. */
asif_status asif_given_variation_range(const asif_given_variation *vary, double *from, double *to,
                                       asif_error *error);
#define ASIF_GIVEN_VARIATION_BRIEF 4
/* Compute evenly spaced values, including the ends and the assumed value, in ascending order. `value` has
 * room for points + 1; returns their number. */
uint32_t asif_given_variation_values(const asif_given_variation *vary, double from, double to,
                                     uint32_t points, double *value);
/* Compute the few values of the short form, and the assumed one; returns their number, at most
 * ASIF_GIVEN_VARIATION_BRIEF + 1. */
uint32_t asif_given_variation_few(const asif_given_variation *vary, double *value);

/* The problem with one assumption changed; initialise it with 0. */
typedef struct {
    const asif_context *context;
    asif_setting *setting; /* NULL: the setting of the fit */
    asif_theta *given;
    asif_estimates *estimates;
    asif_work *work;
    asif_target *target, *likelihood; /* with the priors, and without them */
} asif_varied;

/* Make the problem at a value; `vary` NULL: nothing is changed. Call asif_varied_free() in either case. */
asif_status asif_varied_create(asif_varied *out, const asif_fitted *fitted, const asif_given_variation *vary,
                               double value, asif_error *error);
void asif_varied_free(asif_varied *varied);

/* ---- given_variation_worlds.c ---- */
/* Make the setting in which the worlds are spread around the environment by a factor, to be freed by
 * asif_setting_free(). ASIF_ENOMEM. */
asif_status asif_given_variation_worlds(asif_setting **out, const asif_context *context,
                                        const asif_setting *setting, double factor, asif_error *error);

#endif
