/* The inside of a fit, and the pieces that make it. */
#ifndef ASIF_SRC_FIT_FIT_H
#define ASIF_SRC_FIT_FIT_H

#include "asif/fit.h"
#include "sample/ridge/ridge.h"
#include "sample/search/tops.h"

/* Codes of warnings that reveal small counts, which a page that withholds small counts leaves out. */
#define ASIF_WARNS_NEVER_TAKEN "never_taken"
#define ASIF_WARNS_ONE_SUBJECT "one_subject"

struct asif_fit {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_tree *tree;
    asif_fit_view view; /* every array owned */
    asif_draws *draws;
    asif_ridge_info ridge; /* of ASIF_FIT_RIDGE */
    bool apart;            /* the same: the posterior is low between its tops */
    asif_fit_parameter *parameter;
    double *correlation;
    asif_fit_history *history;
    double *shares; /* [histories][4][actions]: observed, predicted, q05, q95 */
    uint64_t warmup, draws_kept, thin, seed;
    uint32_t dimension;
    double *maximum;                   /* [dimension] */
    double *covariance;                /* [dimension][dimension], at the maximum */
    const double *count;               /* [nodes][actions]; borrowed during asif_fit_estimate() */
    asif_fit_top *top;                 /* [ASIF_MOST_TOPS] */
    asif_fit_parameter *top_parameter; /* [tops][parameters] */
    uint32_t *chain;                   /* [tops][chains] */
    uint64_t never_length;             /* actions never taken */
    uint32_t *never;
};

/* ---- result.c ---- */
struct asif_yaml;
/* The fit.json of a result as it was read, borrowed. */
const struct asif_yaml *asif_result_root(const asif_result *result);

/* ---- fitted.c ---- */
/* Is the fit by a log-likelihood? With `actions`: one of actions alone, which logs that are simulated have as
 * well. */
asif_status asif_fitted_likelihood(const asif_fitted *fitted, bool actions, asif_error *error);

/* ---- line.c: numbers on the line where prior and posterior are compared ---- */
/* The inverse of asif_estimate_line(). */
double asif_line_back(const asif_estimate_info *info, double at);
/* Whether a number is a logarithm (log_alpha), whose sign means nothing. */
bool asif_is_logarithm(const asif_estimate_info *info);
/* Whether two numbers belong to one distribution: its entries sum to 1, so their correlations mean nothing.
 */
bool asif_same_distribution(const asif_estimate_info *a, const asif_estimate_info *b);

/* ---- rare.c ---- */
/* Count the decisions that the agent of `x` would hardly ever take; where they are more than chance allows,
 * doubt every number. */
asif_status asif_rare_find(asif_fit *fit, asif_target *target, const double *x, asif_error *error);
/* P(X >= k) of a Poisson variable of mean m. */
double asif_rare_tail(double k, double m);

/* ---- tops.c ---- */
/* The tops of a density, from the maximum of the fit and where its climbs ended (see asif_maximise_options;
 * not read with a single start). A maximum that is found to be higher than the fit's becomes the fit's. */
asif_status asif_fit_find_tops(asif_fit *fit, asif_tops *tops, const double *ends, uint32_t starts,
                               asif_error *error);
/* What the tops are, each with its numbers and whether they are rivals: then what they disagree about is not
 * identified. Before it, the numbers of the fit are those of all draws, or of the curvature at its maximum.
 * `draws_only`: no more than whether they are rivals. */
asif_status asif_fit_tell_tops(asif_fit *fit, const asif_tops *tops, asif_target *likelihood, bool draws_only,
                               asif_error *error);

/* ---- verdict.c ---- */
/* Contraction and correlations from the draws, and the verdicts; `correlation` is [count][count]. `value` is
 * [count][draws]. */
asif_status asif_verdict_draws(asif_fit_parameter *parameter, uint32_t count, double *correlation,
                               const asif_context *context, const double *value, uint64_t draws,
                               asif_error *error);
/* Verdicts, from contraction, correlation, sign and the sides to which the likelihood goes flat. */
void asif_verdict_judge(asif_fit_parameter *parameter, uint32_t count);
/* The sign of every number that can have either. */
void asif_verdict_signs(asif_fit_parameter *parameter, uint32_t count);

/* ---- laplace.c ---- */
/* Mean, sd and quantiles of every number from a normal approximation around `x`. `*curved` becomes false if
 * the curvature leaves a number undetermined. */
asif_status asif_laplace(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                         const asif_estimates *estimates, const double *x, const double *covariance,
                         bool *curved, asif_error *error);

/* ---- errors.c ---- */
/* Standard errors from scores at the maximum of the likelihood, of `fit->parameter`. `clusters` may be NULL;
 * the target leaves out the priors. */
asif_status asif_errors(asif_fit *fit, asif_target *likelihood, const asif_tree *clusters, asif_error *error);

/* ---- bounds.c ---- */
/* Find the sides to which the likelihood becomes flat, walking from `x`; the target leaves out the priors. */
asif_status asif_bounds(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                        const asif_estimates *estimates, asif_target *likelihood, const double *x,
                        asif_error *error);
/* Judge one side by the log-likelihoods on the way out. */
bool asif_goes_flat(double best, const double *value, uint32_t points);

/* ---- histories.c ---- */
/* The most frequent nodes, and shares of the actions there. */
asif_status asif_histories_choose(asif_fit *fit, uint32_t most, asif_error *error);
/* What the agent does at these nodes: from draws, or at `x` if there are none. */
asif_status asif_histories_predict(asif_fit *fit, asif_target *target, const double *x, uint32_t draws,
                                   asif_error *error);
/* Warn of actions that were never taken, and of a single subject. */
asif_status asif_histories_warn(asif_fit *fit, asif_problems *problems, asif_error *error);

/* A verdict that a doubt is taken into account of: "yes" becomes "weakly"; where rival explanations
 * disagree, every verdict becomes "no". */
asif_identified asif_identified_doubted(asif_identified identified, asif_doubt doubt);
/* "assumptions", "decisions", "subjects", "misfit" or "tops"; NULL: none. */
const char *asif_doubt_text(asif_doubt doubt);
/*
 * Points that stand for a fit: draws, evenly over all chains; without draws one, the maximum.
 *
 * @param x     [count][dimension] of the caller.
 * @param made  How many there are, at most `count`.
 * @param fitted     See asif_fitted.
 * @param count      How many are wanted.
 * @param error May be NULL.
 * @return ASIF_OK, or ASIF_EUNSET if the fit has neither.
 */
asif_status asif_fitted_points(double *x, uint32_t *made, const asif_fitted *fitted, uint32_t count,
                               asif_error *error);
/* SHA-256 of a file, as 64 hexadecimal digits. @param out [ASIF_DIGEST_SIZE]. @return ASIF_OK or
 * ASIF_EIO. */
asif_status asif_digest_file(char *out, const char *path, asif_error *error);
/* The same of bytes in memory. */
void asif_digest_bytes(char *out, const void *bytes, uint64_t length);

#endif
