/* Priors: families of distributions, as text and as numbers. */
#ifndef ASIF_SRC_THETA_PRIOR_H
#define ASIF_SRC_THETA_PRIOR_H

#include "asif/base.h"
#include "base/text.h"

typedef enum {
    ASIF_PRIOR_NORMAL,
    ASIF_PRIOR_LOGNORMAL,
    ASIF_PRIOR_STUDENT_T,
    ASIF_PRIOR_UNIFORM,
    ASIF_PRIOR_BETA,
    ASIF_PRIOR_DIRICHLET, /* only for distributions */
    ASIF_PRIOR_FLAT       /* improper: density 1 over the sampled coordinate */
} asif_prior_kind;

typedef struct {
    asif_prior_kind kind;
    uint32_t count;   /* how many numbers it has */
    double number[3]; /* of a dirichlet only the first three */
} asif_prior;

/* Reads a text such as "normal(-36, 23)". The numbers of a dirichlet go into weight[room], which may be NULL
 * if room is 0. Fails with ASIF_EPARSE, or with ASIF_EINVALID if no prior can have these numbers. */
asif_status asif_prior_read(asif_prior *out, double *weight, uint32_t room, const char *text,
                            asif_error *error);
/* Checks that it can be the prior of a number (or of a distribution); `name` is the parameter's, for
 * the message. */
asif_status asif_prior_suits(const asif_prior *prior, bool distribution, const char *name, asif_error *error);
/* Writes the prior as text, its numbers to 6 digits. */
void asif_prior_words(const asif_prior *prior, asif_text *text);
/* The limits of the prior's support. */
void asif_prior_support(const asif_prior *prior, double *low, double *high);

/* A value v and the logs of its distances from the limits below and above it. For families that use the
 * distances (lognormal, beta) the limits are those of the support; densities are then exact in the tails,
 * where v itself is rounded. */
typedef struct {
    double v, below, above;
} asif_prior_point;
/* The normalised log-density of v, and its derivatives in v, `below` and `above` as if these were
 * independent. Not for a dirichlet. */
double asif_prior_log_density(const asif_prior *prior, const asif_prior_point *at, asif_prior_point *slope);
/* P(V <= v), or P(V > v) if `upper`. Not for a dirichlet or a flat prior. */
double asif_prior_tail(const asif_prior *prior, const asif_prior_point *at, bool upper);

#endif
