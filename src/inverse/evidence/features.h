/* Features: the utility of states and actions as a linear function of the estimated utilities, v = constant +
 * sum_k x_k feature_k. Cells are [action][state], as in the setting. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_FEATURES_H
#define ASIF_SRC_INVERSE_EVIDENCE_FEATURES_H

#include "asif/setting.h"
#include "theta/theta.h"

typedef struct {
    const asif_context *context;
    uint32_t states, actions;
    uint64_t cells;   /* actions * states */
    uint32_t count;   /* number of estimated utilities */
    uint32_t *which;  /* [count]: index among the setting's parameters */
    double *constant; /* [cells] */
    uint64_t *offset; /* [count + 1]: first entry of each in the next two arrays, cells ascending */
    uint64_t *cell;
    double *value;
} asif_features;

/* Make the features; messages name `who`. Fails with ASIF_EUNSUPPORTED if parameters other than utilities are
 * estimated, or the utility depends on observations or beliefs, or with ASIF_ENOMEM. */
asif_status asif_features_create(asif_features *out, const asif_context *context, const asif_setting *setting,
                                 const asif_estimates *estimates, const char *who, asif_error *error);
void asif_features_free(asif_features *features);

/* Compute v [cells] at x [count], in the order of `which`. */
void asif_features_utility(const asif_features *features, const double *x, double *v);
/* Compute the sum over cells of weight feature_k, into out [count]. */
void asif_features_expect(const asif_features *features, const double *weight, double *out);
/* Copy x [count] from the utilities of a theta [parameters of the setting], and back; others stay as they
 * are. */
void asif_features_gather(const asif_features *features, const double *utility, double *x);
void asif_features_scatter(const asif_features *features, const double *x, double *utility);

#endif
