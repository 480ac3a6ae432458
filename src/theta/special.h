/* Functions of distributions that the C library lacks, or has not for threads. */
#ifndef ASIF_SRC_THETA_SPECIAL_H
#define ASIF_SRC_THETA_SPECIAL_H

/* log Gamma(x), x > 0: lgamma() without its global. */
double asif_log_gamma(double x);
/* log B(a, b), a and b > 0, without the cancellation of large arguments. */
double asif_log_beta(double a, double b);
/* P(Z <= z) of a Beta(a, b), given log z and log(1 - z), so that both tails are exact. */
double asif_beta_below(double a, double b, double log_z, double log_1z);
/* log(1 + exp(t)) and 1/(1 + exp(-t)) without overflow. */
double asif_log1p_exp(double t);
double asif_logistic(double t);

#endif
