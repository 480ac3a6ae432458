/* Sensitivity: refits with other values of the assumptions. The cost of a value, in nats, is the
 * log-likelihood at the assumed value minus that at this value; values up to a limit count as plausible. */
#ifndef ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H
#define ASIF_SRC_QUESTIONS_SENSITIVITY_SENSITIVITY_H

#include "base/data/fields.h"
#include "questions/question.h"
#include "questions/sensitivity/given_variation.h"

/* An assumption to vary, and its range. */
typedef struct {
    /* A parameter with an assumed value (a named utility, `discount`, `alpha`, ...), or `worlds`: a factor on
     * the spread of the candidate worlds around the environment. Every row of transitions and emissions of a
     * world becomes environment + factor * (world - environment), clipped at 0 and divided by its sum. With
     * factor 0 all worlds are the environment; with 1 they are as assumed. */
    const char *name;
    /* Ends of the range; NaN: half and one and a half times the value; for `discount`, those with twice and
     * half of 1 - discount. */
    double from, to;
} asif_sensitivity_range;

/* Options: what to vary, and how. */
typedef struct {
    size_t struct_size;
    /* [ranges]; NULL: everything that can be varied, see asif_sensitivity_run(). */
    const asif_sensitivity_range *range;
    uint32_t ranges;
    /* Evenly spaced values of each range including its ends, in addition to the assumed value; default 9.
     * Values of `discount` are evenly spaced in log(1 - discount). */
    uint32_t points;
    uint32_t starts; /* draws from the priors as further starts of the search; default 4 */
    double nats;     /* limit on the cost of a value; default 3 */
    uint32_t chains; /* chains of the posterior at the ends; default 2 */
    uint64_t warmup; /* steps before the draws, default 500 */
    uint64_t draws;  /* draws kept of each chain, default 500; 0: no posterior at the ends */
    uint64_t seed;   /* default 0 */
    /* The short form that a fit contains; `range` is ignored. Named utilities with an assumed value are tried
     * at 5/9, 7/9, 11/9 and 13/9 of it; the discount with twice and half of 1 - discount; the spread of
     * several worlds at 0.5 and 1.5; assumed bounds (alpha, act_alpha, optimism, eta) from half to double, or
     * up to a standard deviation of the default prior to each side if they are neutral (below .01 of it), and
     * alpha 0 up to .01 of the span. Only maxima are computed: no draws, and no standard deviations if the
     * fit has draws. */
    bool brief;
    /* Column and value of the group that was fitted, for the JSON; NULL: all logs. */
    const char *by, *value;
} asif_sensitivity_options;
#define ASIF_SENSITIVITY_OPTIONS_INIT                                                                        \
    { sizeof(asif_sensitivity_options), NULL, 0, 9, 4, 3.0, 2, 500, 500, 0, false, NULL, NULL }

/* An estimated number at one value of an assumption. */
typedef struct {
    double maximum; /* value at the maximum a posteriori */
    double sd;      /* standard deviation of the normal approximation there; NaN: not known */
    /* Change from the maximum at the assumed value, in standard deviations of the fit's posterior. */
    double moved;
    double q05, q50, q95; /* quantiles of draws; NaN: there are none */
    /* By the 90 % interval of draws; without draws, of the maximum; ASIF_SIGN_UNKNOWN: less than a standard
     * deviation of the fit's posterior from 0. */
    asif_sign sign;
} asif_sensitivity_number;

/* A value of an assumption that was tried. */
typedef struct {
    double value;
    bool given;
    const char *why; /* why there is no maximum, and all that follows is NaN or 0; NULL: there is one */
    double log_likelihood, log_posterior, span;
    double nats;            /* cost: log-likelihood at the assumed value minus that at this value */
    bool within;            /* whether the cost is within the limit */
    bool drawn;             /* whether the posterior was drawn here */
    double rhat, ess;       /* worst of these draws; NaN: none. For weighted points only ess */
    uint32_t starts, agree; /* starts of the search, and those that reached the same maximum */
    const asif_sensitivity_number *number; /* [numbers] */
} asif_sensitivity_point;

/* A place where the sign of a number changes. */
typedef struct {
    uint32_t variation;    /* variation along which it is */
    double before, beyond; /* values tried on either side */
    double at;             /* value at which the number is 0, by interpolation */
    double nats;           /* cost there, by interpolation */
    bool within;           /* whether that is within the limit */
    asif_sign to;          /* sign on the side away from the assumed value */
    /* Of the values tried beyond the change and within the limit, the one with the lowest cost at which the
     * number has the new sign and is at least a standard deviation from 0; NaN: there is none. */
    double clear_at;
    double clear_nats; /* cost there */
} asif_sensitivity_flip;

/* The effect of one variation on one number. */
typedef struct {
    double moved;     /* largest change, in posterior standard deviations, over values within the limit */
    double moved_at;  /* value with that change; NaN: none */
    double low, high; /* smallest and largest maximum over these values */
    uint32_t flips;   /* number of sign changes, at most the nearest one on each side */
    asif_sensitivity_flip flip[2];
} asif_sensitivity_effect;

/* An assumption that was varied. */
typedef struct {
    const char *name;
    double given; /* assumed value; 1 for `worlds` */
    bool bound;   /* alpha, act_alpha, optimism or eta, in a problem with assumed utilities */
    uint32_t points;
    const asif_sensitivity_point *point;   /* [points], ascending by value */
    const asif_sensitivity_effect *effect; /* [numbers] */
} asif_sensitivity_variation;

/* What becomes of the fit's statement on a sign: open if the fit leaves the sign open; flips if the sign of
 * the maximum changes within the limit; weakens if a posterior drawn within the limit leaves the sign open or
 * has the other one; else it survives. */
typedef enum {
    ASIF_STATEMENT_NONE, /* a number without a sign */
    ASIF_STATEMENT_OPEN,
    ASIF_STATEMENT_FLIPS,
    ASIF_STATEMENT_WEAKENS,
    ASIF_STATEMENT_SURVIVES
} asif_statement;

/* The fit's statement on the sign of a number, and what becomes of it. */
typedef struct {
    const char *name, *parameter, *label; /* as in asif_estimate_info */
    double maximum;                       /* at the assumed values */
    double sd;       /* of the posterior: from the fit's draws, else from the curvature */
    double q05, q95; /* 90 % interval */
    asif_sign sign;  /* sign that the fit states; ASIF_SIGN_NONE: a number without a sign */
    asif_sign leans; /* sign of its maximum; ASIF_SIGN_UNKNOWN: less than a standard deviation from 0 */
    asif_statement statement;
    /* The worst sign change within the limit: the one that reaches a standard deviation from 0 at the lowest
     * cost or, if none does, the one with the lowest cost. NULL: the sign does not change. */
    const asif_sensitivity_flip *flip;
    /* Whether the number depends on the assumptions: its sign changes, or another value of a bound within the
     * limit moves its maximum out of the 90 % interval. */
    bool depends;
    /* Variation of a bound that moves it furthest out of the interval; ASIF_ANY: none. */
    uint32_t depends_on;
} asif_sensitivity_statement;

/* The number that depends most on an assumption. */
typedef struct {
    uint32_t variation, number;
    bool flips; /* whether its sign changes */
} asif_sensitivity_worst;

/* Refits under other assumptions; immutable. */
typedef struct asif_sensitivity asif_sensitivity;

/* A view of the results, borrowed. */
typedef struct {
    size_t struct_size;
    const char *by, *value; /* group that was fitted; NULL: all logs */
    bool brief;
    double limit;                         /* in nats */
    double log_likelihood, log_posterior; /* at the maximum for the assumed values */
    uint32_t numbers;
    const asif_sensitivity_statement *statement; /* [numbers] */
    uint32_t variations;
    const asif_sensitivity_variation *variation;
    /* The worst case: of the signs that the fit states, the sign change with the lowest cost, those that
     * reach a standard deviation from 0 first; if none changes, the largest change within the limit. NULL: no
     * number is estimated. */
    const asif_sensitivity_worst *worst;
} asif_sensitivity_view;

/*
 * Refit with other values of the assumptions.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param fitted     Borrowed for the life of the result. It must have logs; draws and maximum are used if it
 * has any.
 * @param options    NULL: the defaults. Everything that can be varied is every named utility with an
 * assumed value, the discount and, if there are several worlds, their spread.
 * @param error May be NULL.
 * @return ASIF_OK, also where there is no maximum at some value; ASIF_EUNKNOWN (no such parameter),
 * ASIF_EINVALID (one that is estimated, or a range that has no inside), ASIF_EDOMAIN, ASIF_EUNSUPPORTED (a
 * fit by the published method), ASIF_EUNSET (no logs), ASIF_ENOMEM, ASIF_ECANCELLED.
 *
 * Each point is maximised from the higher of its neighbour's maximum and that of the assumed value, and from
 * the best of the centre of the priors and draws from them (asif_maximise()), from the assumed value
 * outwards; then every point is tried again from the maxima of its neighbours, until none improves. Cost:
 * about that of a fit by ASIF_FIT_MAP for every value, and of short chains at the ends. The threads of the
 * context share the points; the result is the same for any number of them.
 */
asif_status asif_sensitivity_run(asif_sensitivity **out, const asif_fitted *fitted,
                                 const asif_sensitivity_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_sensitivity_free(asif_sensitivity *sensitivity);
/* Fill a view. @param view Its struct_size must be set. */
asif_status asif_sensitivity_get(const asif_sensitivity *sensitivity, asif_sensitivity_view *view,
                                 asif_error *error);
/* Write everything as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_sensitivity_json(char **out, const asif_sensitivity *sensitivity, asif_error *error);
/* Write a table for a supplement as CSV, with a row for every number at every value. @param out Text, owned
 * by the caller. */
asif_status asif_sensitivity_csv(char **out, const asif_sensitivity *sensitivity, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_sensitivity;

/* The fields of an asif_sensitivity_view, by which it is written as JSON and read. */
extern const asif_fields asif_sensitivity_fields;

struct asif_sensitivity {
    const asif_context *context;
    asif_sensitivity_view view; /* owns all its arrays */
    asif_estimates *estimates;  /* at the assumed values, with the stated priors */
    asif_sensitivity_statement *statement;
    asif_sensitivity_variation *variation;
    asif_sensitivity_point *point; /* points of all variations */
    asif_sensitivity_number *number;
    asif_sensitivity_effect *effect;
    char *by, *value; /* group; NULL: none */
    char **text;      /* [variations + points]: names, and why there is no maximum */
    uint32_t points;
    asif_sensitivity_worst worst;
};

/* ---- sensitivity_point.c: the maximum at one value ---- */

/* A value of an assumption, and the maximum found for it. */
typedef struct {
    const asif_given_variation *vary; /* NULL: everything as assumed */
    double value;
    bool found;
    double log_posterior;
    double *x;      /* [numbers]: numbers at the maximum */
    asif_error why; /* why none was found */
    uint32_t starts, agree;
} asif_refit;

/* Inputs of all refits, shared by the threads. */
typedef struct {
    const asif_fitted *fitted;
    const asif_sensitivity_options *options;
    const asif_context *context; /* context of one thread */
    uint32_t numbers;
    const double *factor; /* [n][n]: factor of the covariance at the base; NULL: not known */
} asif_refitting;

/* Whether a status means that the value is impossible; the run then goes on. */
bool asif_refit_impossible(asif_status status);
/* Search for the maximum from the numbers in `from` [count][numbers] and, unless `only`, from the highest of
 * the centre of the priors and draws from them. If the value itself is impossible (nothing is finite there,
 * or an observation is impossible), the reason is kept in refit->why, and ASIF_OK is returned. */
asif_status asif_refit_seek(asif_refit *refit, const asif_refitting *r, const double *from, uint32_t count,
                            bool only, asif_error *error);
/* Compute the Cholesky factor of the covariance at a maximum that was found: `factor` [n][n]. ASIF_EDOMAIN if
 * there is none. */
asif_status asif_refit_factor(double *factor, const asif_refit *refit, const asif_refitting *r,
                              asif_error *error);
/* Climb from these numbers, and replace the maximum if the result is higher. */
asif_status asif_refit_improve(asif_refit *refit, const asif_refitting *r, const double *from, bool *better,
                               asif_error *error);
/* Describe a point: `out->number` becomes `number` [numbers], which the caller owns. `curvature`: with
 * standard deviations. */
asif_status asif_refit_describe(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                                asif_sensitivity_number *number, bool curvature, asif_error *error);

/* ---- sensitivity_draw.c ---- */
/* Draw the posterior at a point, and keep its quantiles and signs; `out->drawn` stays false if that is
 * impossible. */
asif_status asif_refit_draw(const asif_refit *refit, const asif_refitting *r, asif_sensitivity_point *out,
                            asif_sensitivity_number *number, asif_error *error);

/* ---- sensitivity_judge.c ---- */
/* Judge signs, changes, statements and the worst case, after all points are described. */
void asif_sensitivity_judge(asif_sensitivity *s);

#endif
