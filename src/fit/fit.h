/* The private members of a fit, and the functions that compute it. A number is one estimated parameter as it
 * is reported; a top is one of several maxima with lower density between them. */
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
    const asif_estimates *estimates; /* kept, as is the tree */
    const asif_tree *tree;
    asif_fit_view view; /* every array is owned */
    asif_draws *draws;
    asif_ridge_info ridge; /* diagnostics of ASIF_FIT_RIDGE */
    bool apart;            /* for ASIF_FIT_RIDGE and ASIF_FIT_AUTO: the posterior is low between its tops */
    asif_fit_parameter *parameter;
    double *correlation;
    asif_fit_history *history;
    double *shares; /* [histories][4][actions]: observed, predicted, q05, q95 */
    uint64_t warmup, draws_kept, thin, seed;
    uint32_t dimension;
    double *maximum;                   /* [dimension] */
    double *covariance;                /* [dimension][dimension]: inverse curvature at the maximum */
    const double *count;               /* [nodes][actions]: the logs; borrowed during asif_fit_estimate() */
    asif_fit_top *top;                 /* [tops] */
    asif_fit_parameter *top_parameter; /* [tops][parameters] */
    uint32_t *chain;                   /* [tops][chains]: see asif_fit_top::chain */
    asif_fit_combination *combination; /* [view.combinations] */
    asif_fit_all_in *all_in;           /* [view.all_ins] */
    uint64_t never_length;             /* actions that were never taken */
    uint32_t *never;
};

/* ---- result.c ---- */
struct asif_yaml;
/* The parsed fit.json of a result, borrowed. */
const struct asif_yaml *asif_result_root(const asif_result *result);

/* ---- fitted.c ---- */
/* Check that a fit maximised or sampled a log-likelihood; with `actions`, one of actions alone, which
 * simulated logs have too. Fails with ASIF_EUNSUPPORTED. */
asif_status asif_fitted_likelihood(const asif_fitted *fitted, bool actions, asif_error *error);

/* ---- line.c: numbers on the unbounded line on which prior and posterior are compared ---- */
/* The inverse of asif_estimate_line(). */
double asif_line_back(const asif_estimate_info *info, double at);
/* Whether a number is a logarithm (log_alpha), whose sign has no meaning. */
bool asif_is_logarithm(const asif_estimate_info *info);
/* Whether two numbers belong to one distribution: its entries sum to 1, so their correlations have no
 * meaning. */
bool asif_same_distribution(const asif_estimate_info *a, const asif_estimate_info *b);

/* ---- rare.c ---- */
/* Count the decisions that are very improbable for the agent at `x`. If there are more than chance allows,
 * every number is given a doubt. Costs one solution of the agent and one pass over the tree. */
asif_status asif_rare_find(asif_fit *fit, asif_target *target, const double *x, asif_error *error);
/* P(X >= k) of a Poisson variable of mean m. */
double asif_rare_tail(double k, double m);

/* ---- tops.c ---- */
/* Find the tops of a density, from the maximum of the fit and the ends of its climbs (see
 * asif_maximise_options; not read with a single start). A maximum that is higher than the fit's becomes the
 * fit's. */
asif_status asif_fit_find_tops(asif_fit *fit, asif_tops *tops, const double *ends, uint32_t starts,
                               asif_error *error);
/* Describe the tops with their estimates, and decide whether they are rivals; numbers about which rivals
 * disagree are not identified. Before the call, the numbers of the fit are those of all draws, or of the
 * curvature at its maximum. `draws_only`: decide only whether they are rivals. */
asif_status asif_fit_tell_tops(asif_fit *fit, const asif_tops *tops, asif_target *likelihood, bool draws_only,
                               asif_error *error);

/* ---- verdict.c ---- */
/* Compute contraction and correlations from the draws `value` [count][draws], and the verdicts; `correlation`
 * is [count][count]. Fails with ASIF_ENOMEM. */
asif_status asif_verdict_draws(asif_fit_parameter *parameter, uint32_t count, double *correlation,
                               const asif_context *context, const double *value, uint64_t draws,
                               asif_error *error);
/* Set the verdicts from contraction, correlation, sign and the sides on which the likelihood becomes flat. */
void asif_verdict_judge(asif_fit_parameter *parameter, uint32_t count);
/* Set the sign of every number that can be negative or positive. */
void asif_verdict_signs(asif_fit_parameter *parameter, uint32_t count);

/* ---- power.c ---- */
/* Compute the power-scaling sensitivity of every number. `plain`: the chains moved in the coordinates of the
 * estimates. If the log prior or log-likelihood of a draw is not finite, the numbers stay as they are, NaN.
 * Fails with ASIF_ENOMEM. */
asif_status asif_fit_power(asif_fit *fit, bool plain, asif_error *error);
/* The diagnosis of a number: "conflict" if both prior and likelihood matter, "strong_prior" if only the prior
 * does; else NULL. */
const char *asif_power_text(const asif_fit_parameter *parameter);

/* ---- pool.c ---- */
/* Replace the draws of a fit by those of other fits of the same numbers, each with the same weight: a mixture
 * of their posteriors in equal parts. Of each fit as many draws are taken, evenly spaced, as make about the
 * draws of the fit together; they follow one another in every chain. Estimates, intervals, verdicts and
 * combinations become those of the mixture; maxima, tops, bounds and predictions stay. Monte Carlo errors are
 * those of a mean over the fits. The draws are trusted if those of every fit are. A single part has the
 * errors and diagnostics of its chains.
 * @param part        [parts]: each with draws.
 * @param[out] share  [parameters]: variance of the means of the parts, over the variance of the mixture.
 * @param[out] mean   [parts][parameters]: means of the parts.
 * Fails with ASIF_EINVALID (no draws, or of other numbers), or with ASIF_ENOMEM, after which the fit can only
 * be freed. */
asif_status asif_fit_pool(asif_fit *fit, asif_fit *const *part, uint32_t parts, double *share, double *mean,
                          asif_error *error);

/* ---- combinations.c ---- */
/* Find the combinations of the numbers that data can determine, from the draws; none where something fixes
 * the scale. Fails with ASIF_ENOMEM. */
asif_status asif_fit_combine(asif_fit *fit, asif_error *error);

/* ---- all_in.c ---- */
/* Find what actions are worth all in, from the draws and their correlations; what was found before is freed.
 */
asif_status asif_fit_weigh(asif_fit *fit, asif_error *error);

/* ---- laplace.c ---- */
/* Set mean, sd and quantiles of every number from a normal approximation around `x`. `*curved` becomes false
 * if the curvature leaves a number undetermined. Fails with ASIF_ENOMEM. */
asif_status asif_laplace(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                         const asif_estimates *estimates, const double *x, const double *covariance,
                         bool *curved, asif_error *error);

/* ---- errors.c ---- */
/* Compute standard errors of `fit->parameter` from scores at the maximum of the likelihood. The target leaves
 * out the priors; `clusters` may be NULL. Fails only with ASIF_ENOMEM or ASIF_ECANCELLED; errors that cannot
 * be computed stay NaN. */
asif_status asif_errors(asif_fit *fit, asif_target *likelihood, const asif_tree *clusters, asif_error *error);

/* ---- bounds.c ---- */
/* Find the sides on which the likelihood becomes flat, by walking away from `x`; the target leaves out the
 * priors. With more than 16 dimensions, nothing is done. Costs two profiles for each number. */
asif_status asif_bounds(asif_fit_parameter *parameter, uint32_t count, const asif_context *context,
                        const asif_estimates *estimates, asif_target *likelihood, const double *x,
                        asif_error *error);
/* Whether the likelihood becomes flat on one side, from its values on the way out. */
bool asif_goes_flat(double best, const double *value, uint32_t points);

/* ---- histories.c ---- */
/* Choose the most frequent nodes, and compute the shares of the actions there. Fails with ASIF_ENOMEM. */
asif_status asif_histories_choose(asif_fit *fit, uint32_t most, asif_error *error);
/* Predict the actions of the agent at these nodes: from `draws` draws, or at `x` if there are none. Costs one
 * solution of the agent for each draw. */
asif_status asif_histories_predict(asif_fit *fit, asif_target *target, const double *x, uint32_t draws,
                                   asif_error *error);
/* Add warnings about actions that were never taken, and a note if there is a single subject. Fails with
 * ASIF_ENOMEM. */
asif_status asif_histories_warn(asif_fit *fit, asif_problems *problems, asif_error *error);

/* A verdict after a doubt is taken into account: "yes" becomes "weakly"; if rival explanations disagree,
 * every verdict becomes "no". */
asif_identified asif_identified_doubted(asif_identified identified, asif_doubt doubt);
/* The name of a doubt: "assumptions", "decisions", "subjects", "misfit" or "tops"; NULL: none. */
const char *asif_doubt_text(asif_doubt doubt);
/* Choose points that represent a fit: draws, evenly spaced over all chains; without draws, only the maximum.
 *
 * @param[out] x     [count][dimension].
 * @param[out] made  Number of points, at most `count`.
 * @param fitted     See asif_fitted.
 * @param count      Number of points that are wanted.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, or ASIF_EUNSET if the fit has neither draws nor a maximum. */
asif_status asif_fitted_points(double *x, uint32_t *made, const asif_fitted *fitted, uint32_t count,
                               asif_error *error);
/* SHA-256 of a file, as 64 hexadecimal digits. @param[out] out [ASIF_DIGEST_SIZE]. Returns ASIF_OK,
 * ASIF_ENOFILE or ASIF_EIO. */
asif_status asif_digest_file(char *out, const char *path, asif_error *error);
/* The same for bytes in memory. */
void asif_digest_bytes(char *out, const void *bytes, uint64_t length);

#endif
