/* The inside of a sensitivity, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H

#include "base/data/fields.h"
#include "questions/question.h"
#include "questions/sensitivity/given_variation.h"

/* One thing to vary, and how far. */
typedef struct {
    /* A parameter that was given a value (a named utility, `discount`, `alpha`, ...), or `worlds`: a factor
     * on the spread of the candidate worlds about the environment. Every row of transitions and emissions of
     * a world becomes environment + factor * (world - environment), clipped at 0 and divided by its sum; 0:
     * all worlds are the environment, 1: as given. */
    const char *name;
    /* Ends of the range; NaN: half and one and a half times its value, of `discount` one that leaves twice
     * and half as much of 1 - discount. */
    double from, to;
} asif_sensitivity_range;

/* What to vary, and how. */
typedef struct {
    size_t struct_size;
    const asif_sensitivity_range *range; /* [ranges]; NULL: all that can be varied (see below) */
    uint32_t ranges;
    uint32_t points; /* evenly spaced values of each range, its ends among them, default 9; the given value
                        is there besides. Values of `discount` are evenly spaced in log(1 - discount) */
    uint32_t starts; /* points drawn from the priors, from which the maximum is sought too; default 4 */
    double nats;     /* limit on the cost, see the head of this file; default 3 */
    uint32_t chains; /* of the posterior at the ends, default 2 */
    uint64_t warmup; /* steps before the draws, default 500 */
    uint64_t draws;  /* kept of each chain, default 500; 0: no posterior at the ends */
    uint64_t seed;   /* default 0 */
    /* The short form that a fit makes by itself: `range` is ignored. Every named utility that was given at
     * 5/9, 7/9, 11/9 and 13/9 of its value, the discount with twice and half as much of 1 - discount, the
     * spread of the worlds (if there are several) at 0.5 and 1.5; bounds that were given (alpha, act_alpha,
     * optimism, eta) at half and double, or a standard deviation of the default prior to each side where they
     * are neutral (below .01 of it), and alpha 0 at .01 of the span; maxima only, no draws, and no standard
     * deviations where the fit has draws. */
    bool brief;
    const char *by, *value; /* column and value of the group that was fitted, for its JSON; NULL: all logs */
} asif_sensitivity_options;
#define ASIF_SENSITIVITY_OPTIONS_INIT                                                                        \
    { sizeof(asif_sensitivity_options), NULL, 0, 9, 4, 3.0, 2, 500, 500, 0, false, NULL, NULL }

/* One estimated number at one value. */
typedef struct {
    double maximum; /* at the maximum a posteriori */
    double sd;      /* of the normal approximation there; NaN: not known */
    double moved;   /* from its maximum at the given value, in standard deviations of the fit's posterior */
    double q05, q50, q95; /* of draws; NaN: none were made */
    asif_sign sign; /* of draws by the 90 % interval; without draws, of the maximum; ASIF_SIGN_UNKNOWN: less
                       than a standard deviation of the fit's posterior from 0 */
} asif_sensitivity_number;

/* One value that was tried. */
typedef struct {
    double value;
    bool given;
    const char *why; /* there is no maximum, and all that follows is NaN or 0; NULL: there is one */
    double log_likelihood, log_posterior, span;
    double nats;            /* cost: log-likelihood at the given value minus this one */
    bool within;            /* that is no more than the limit */
    bool drawn;             /* the posterior was drawn here */
    double rhat, ess;       /* the worst of these draws; NaN: none. Of weighted points only ess */
    uint32_t starts, agree; /* points that were started from, and those that came to the same maximum */
    const asif_sensitivity_number *number; /* [numbers] */
} asif_sensitivity_point;

/* A place where the sign of a number changes. */
typedef struct {
    uint32_t variation;    /* along which it is */
    double before, beyond; /* the values tried on either side */
    double at;             /* value by interpolation */
    double nats;           /* cost there by interpolation */
    bool within;           /* that is no more than the limit */
    asif_sign to;          /* its sign on the side away from the given value */
    double clear_at;   /* the value tried beyond it, of those that cost no more than the limit the cheapest,
                          at which the number has that sign and is at least a standard deviation from 0; NaN:
                          there is none */
    double clear_nats; /* cost there */
} asif_sensitivity_flip;

/* What one variation does to one number. */
typedef struct {
    double moved;    /* largest size, in posterior standard deviations, over values that cost no more than the
                        limit */
    double moved_at; /* value at which that is; NaN: none */
    double low, high; /* least and largest maximum over these values */
    uint32_t flips;   /* at most one to each side: the nearest */
    asif_sensitivity_flip flip[2];
} asif_sensitivity_effect;

/* One thing that was varied. */
typedef struct {
    const char *name;
    double given; /* its value in the fit; of `worlds` 1 */
    bool bound;   /* alpha, act_alpha, optimism or eta, in a problem that has utilities of its own */
    uint32_t points;
    const asif_sensitivity_point *point;   /* [points], ascending by value */
    const asif_sensitivity_effect *effect; /* [numbers] */
} asif_sensitivity_variation;

/* What becomes of a statement; see the head of this file. */
typedef enum {
    ASIF_STATEMENT_NONE, /* a number without a sign */
    ASIF_STATEMENT_OPEN,
    ASIF_STATEMENT_FLIPS,
    ASIF_STATEMENT_WEAKENS,
    ASIF_STATEMENT_SURVIVES
} asif_statement;

/* What the fit says of the sign of a number, and what becomes of it. */
typedef struct {
    const char *name, *parameter, *label; /* as in asif_estimate_info */
    double maximum;                       /* at the given values */
    double sd;       /* of its posterior: from the fit's draws, else from the curvature */
    double q05, q95; /* its 90 % interval */
    asif_sign sign;  /* that the fit states; ASIF_SIGN_NONE: a number without a sign */
    asif_sign leans; /* sign of its maximum; ASIF_SIGN_UNKNOWN: less than a standard deviation from 0 */
    asif_statement statement;
    /* Of the flips within the limit the one that gets clear of 0 at the least cost; if none gets clear of 0,
     * the one that costs least. NULL: its sign does not flip. */
    const asif_sensitivity_flip *flip;
    /* Whether the answer depends on the assumptions: its sign flips, or another value of a bound, within the
     * limit, moves its maximum out of the 90 % interval. */
    bool depends;
    uint32_t depends_on; /* the variation that moves it out, furthest; ASIF_ANY: none */
} asif_sensitivity_statement;

/* The number that depends most on an assumption. */
typedef struct {
    uint32_t variation, number;
    bool flips; /* its sign does */
} asif_sensitivity_worst;

/* Refits under other assumptions; immutable. */
typedef struct asif_sensitivity asif_sensitivity;

/* All of it, borrowed. */
typedef struct {
    size_t struct_size;
    const char *by, *value; /* of the group that was fitted; NULL: all logs */
    bool brief;
    double limit;                         /* in nats */
    double log_likelihood, log_posterior; /* at the maximum for the given values */
    uint32_t numbers;
    const asif_sensitivity_statement *statement; /* [numbers] */
    uint32_t variations;
    const asif_sensitivity_variation *variation;
    /* The worst: of the signs that the fit tells the one whose flip costs least, flips clear of 0 before
     * others; if none flips, the largest move over values that cost no more than the limit. NULL: no number
     * is estimated. */
    const asif_sensitivity_worst *worst;
} asif_sensitivity_view;

/*
 * Refit with other values of the assumptions.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param fitted     Borrowed for the life of the result. Needs logs; draws and maximum are used where there
 * are any.
 * @param options    NULL: the defaults. All that can be varied is every named utility that was given, the
 * discount, and, if there are several worlds, their spread.
 * @param error May be NULL.
 * @return ASIF_OK, also where there is no maximum at some value; ASIF_EUNKNOWN (no such parameter),
 * ASIF_EINVALID (one that is estimated, or a range that has no inside), ASIF_EDOMAIN, ASIF_EUNSUPPORTED (a
 * fit by the published method), ASIF_EUNSET (no logs), ASIF_ENOMEM, ASIF_ECANCELLED.
 *
 * Each point is maximised from the higher of its neighbour's maximum and that of the given value, and from
 * the best of the centre of the priors and draws from them (asif_maximise()), outwards from the given value;
 * then every point is tried again from the maxima of its neighbours, until none gains. Cost: about that of a
 * fit by ASIF_FIT_MAP for every value, and of short chains at the ends. Points are taken by the threads of
 * the context; the result is the same for any number of them.
 */
asif_status asif_sensitivity_run(asif_sensitivity **out, const asif_fitted *fitted,
                                 const asif_sensitivity_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_sensitivity_free(asif_sensitivity *sensitivity);
/* @param view Its struct_size must be set. */
asif_status asif_sensitivity_get(const asif_sensitivity *sensitivity, asif_sensitivity_view *view,
                                 asif_error *error);
/* All of it as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_sensitivity_json(char **out, const asif_sensitivity *sensitivity, asif_error *error);
/* A table for a supplement: a row for every number at every value, as CSV. @param out Text, owned by
 * the caller. */
asif_status asif_sensitivity_csv(char **out, const asif_sensitivity *sensitivity, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_sensitivity;

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
    const asif_given_variation *vary; /* NULL: all as assumed */
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
    const double *factor; /* [n][n]: of the covariance at the base; NULL: not known */
} asif_refitting;

/* A status that speaks against the value tried, and is no failure of the run. */
bool asif_refit_impossible(asif_status status);
/* Seek the maximum from the numbers in `from` [count][numbers], and, unless `only`, from the highest of the
 * centre of the priors and draws from them. What speaks against the value itself (nothing is finite there, an
 * observation is impossible) is noted, not returned. */
asif_status asif_refit_seek(asif_refit *refit, const asif_refitting *r, const double *from, uint32_t count,
                            bool only, asif_error *error);
/* The Cholesky factor of the covariance at a maximum that was found: `factor` [n][n]. */
asif_status asif_refit_factor(double *factor, const asif_refit *refit, const asif_refitting *r,
                              asif_error *error);
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
