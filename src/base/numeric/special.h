/* Special functions that the C library lacks, or has in a form that is not safe for threads. */
#ifndef ASIF_SRC_BASE_NUMERIC_SPECIAL_H
#define ASIF_SRC_BASE_NUMERIC_SPECIAL_H

/* The quantile of the standard normal distribution. Relative error of about 1e-15 for p from 1e-300 to 1 -
 * 2^-53; -inf at 0, inf at 1, NaN outside [0, 1]. */
double asif_normal_quantile(double p);

/* log Gamma(x), x > 0: lgamma() without its global variable. */
double asif_log_gamma(double x);
/* log B(a, b), a and b > 0, without cancellation for large arguments. */
double asif_log_beta(double a, double b);
/* P(Z <= z) of a Beta(a, b), from log z and log(1 - z), so that both tails are exact. */
double asif_beta_below(double a, double b, double log_z, double log_1z);
/* P(T <= t) of Student's t with `degrees` > 0 degrees of freedom (inf: normal), and its inverse for p in
 * (0, 1). */
double asif_t_below(double t, double degrees);
double asif_t_quantile(double p, double degrees);
/* log(1 + exp(t)) and 1/(1 + exp(-t)) without overflow. */
double asif_log1p_exp(double t);
double asif_logistic(double t);

#endif
