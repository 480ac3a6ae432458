/* The inside of a sensitivity, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H

#include "asif/sensitivity.h"
#include "base/data/fields.h"
#include "questions/sensitivity/given_variation.h"

/* Of an asif_sensitivity_view, to write it and to read it back. */
extern const asif_fields asif_sensitivity_fields;

struct asif_sensitivity {
    const asif_context *context;
    asif_sensitivity_view view; /* every array owned */
    asif_estimates *estimates;  /* at the given values, under the stated priors */
    asif_sensitivity_statement *statement;
    asif_sensitivity_variation *variation;
    asif_sensitivity_point *point; /* of all variations */
    asif_sensitivity_number *number;
    asif_sensitivity_effect *effect;
    char *by, *value; /* of the group; NULL: none */
    char **text;      /* [variations + points]: names, and why there is no maximum */
    uint32_t points;
    asif_sensitivity_worst worst;
};

/* ---- sensitivity_point.c: the maximum at one value ---- */

/* A value and the best point found for it. */
typedef struct {
    const asif_given_variation *vary; /* NULL: all as given */
    double value;
    bool found;
    double log_posterior;
    double *x;      /* [numbers]: the numbers there */
    asif_error why; /* there is none */
    uint32_t starts, agree;
} asif_refit;

/* Shared by all who refit, whatever their thread. */
typedef struct {
    const asif_fitted *fitted;
    const asif_sensitivity_options *options;
    const asif_context *context; /* of one thread */
    uint32_t numbers;
} asif_refitting;

/* A status that speaks against the value tried, and is no failure of the run. */
bool asif_refit_impossible(asif_status status);
/* Seek the maximum from the numbers in `from` [count][numbers], and, unless `only`, the centre of the priors
 * and draws from them. What speaks against the value itself (nothing is finite there, an observation is
 * impossible) is noted, not returned. */
asif_status asif_refit_seek(asif_refit *refit, const asif_refitting *r, const double *from, uint32_t count,
                            bool only, asif_error *error);
/* Climb from these numbers, and take the place of the maximum if it is higher. */
asif_status asif_refit_improve(asif_refit *refit, const asif_refitting *r, const double *from, bool *better,
                               asif_error *error);
/* All that is told of it: `out->number` is [numbers] of the caller, given as `number`. `curvature`: with
 * standard deviations. */
asif_status asif_refit_describe(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                                asif_sensitivity_number *number, bool curvature, asif_error *error);

/* ---- sensitivity_draw.c ---- */
/* Draw the posterior there, and keep its quantiles and signs; `out->drawn` stays false where that cannot be.
 */
asif_status asif_refit_draw(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                            asif_sensitivity_number *number, asif_error *error);

/* ---- sensitivity_judge.c ---- */
/* Signs, moves, flips, statements and the worst, once all points are described. */
void asif_sensitivity_judge(asif_sensitivity *s);

#endif
