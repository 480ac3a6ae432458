/* Standard errors at a maximum of the likelihood, from scores: by the outer product over decisions (Berndt,
 * Hall, Hall and Hausman, 1974), and robust, clustered by unit (Liang and Zeger, 1986). */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "fit/subject_scores.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

static void add_square(double *out, const double *score, uint64_t n, double weight) {
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++)
            out[i * n + j] += weight * score[i] * score[j];
}

/* Sum over decisions of the outer products of their scores. Those after a lost result count together. */
static void of_decisions(double *out, const asif_subject_scores *s, double *score) {
    uint64_t n = s->dimension, size = (uint64_t)s->tree->nodes * s->tree->actions;
    memset(out, 0, n * n * sizeof *out);
    for (uint64_t at = 0; at < size; at++) {
        if (!(s->tree->count[at] > 0))
            continue;
        for (uint64_t j = 0; j < n; j++)
            score[j] = s->slope[j * size + at];
        add_square(out, score, n, s->tree->count[at]);
    }
    for (uint64_t k = 0; k < s->tree->lost; k++)
        add_square(out, s->lost_score + k * n, n, s->tree->lost_weight[k]);
}

/* The robust covariance H^-1 C H^-1 G/(G - 1), where C is the sum over G clusters of the outer products of
 * their scores. */
static void sandwich(double *out, const asif_subject_scores *s, const double *inverse, double *room) {
    uint64_t n = s->dimension;
    double *meat = room, *half = room + n * n, groups = (double)s->subjects;
    memset(meat, 0, n * n * sizeof *meat);
    for (uint64_t k = 0; k < s->subjects; k++)
        add_square(meat, s->score + k * n, n, groups / (groups - 1));
    for (uint64_t i = 0; i < n; i++) /* row i of half is H^-1 times column i of the symmetric C */
        asif_dense_times(inverse, (uint32_t)n, (uint32_t)n, meat + i * n, half + i * n);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (uint64_t k = 0; k < n; k++)
                out[i * n + j] += half[k * n + i] * inverse[k * n + j];
        }
}

/* Standard deviations of the reported numbers under a covariance of the coordinates. */
static asif_status report(asif_fit *fit, const double *covariance, bool clustered, asif_error *error) {
    uint32_t count = fit->view.parameters;
    asif_fit_parameter *copy = ASIF_ARRAY(fit->context, count, asif_fit_parameter);
    bool curved = true;
    if (!copy)
        return asif_fail_memory(error);
    memcpy(copy, fit->parameter, count * sizeof *copy);
    asif_status status =
        asif_laplace(copy, count, fit->context, fit->estimates, fit->maximum, covariance, &curved, error);
    for (uint32_t i = 0; status == ASIF_OK && i < count; i++)
        *(clustered ? &fit->parameter[i].error_clustered : &fit->parameter[i].error_outer) =
            copy[i].summary.sd;
    asif_free(fit->context, copy);
    return status;
}

static asif_status tell(asif_fit *fit, const asif_subject_scores *s, double *room, asif_error *error) {
    uint64_t n = fit->dimension;
    double *square = room, *covariance = room + n * n;
    of_decisions(square, s, covariance);
    if (asif_cholesky(square, (uint32_t)n)) {
        asif_cholesky_inverse(square, (uint32_t)n, covariance);
        ASIF_TRY(report(fit, covariance, false, error));
    }
    if (s->subjects < 2 || !fit->view.curved)
        return ASIF_OK;
    fit->view.clusters = s->subjects;
    sandwich(covariance, s, fit->covariance, covariance + n * n);
    return report(fit, covariance, true, error);
}

/* Whether the fit fails. After other failures there are no such errors: for example, no agent near the
 * maximum can be solved. */
static bool serious(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

asif_status asif_errors(asif_fit *fit, asif_target *likelihood, const asif_tree *clusters,
                        asif_error *error) {
    uint64_t n = fit->dimension;
    const asif_tree *tree = clusters ? clusters : fit->tree;
    asif_subject_scores scores = {0};
    double *room = ASIF_ARRAY(fit->context, 4 * n * n, double);
    if (!room)
        return asif_fail_memory(error);
    asif_status status = asif_decision_scores_create(&scores, fit->context, likelihood, fit->estimates, tree,
                                                     fit->maximum, NULL, error);
    if (status == ASIF_OK)
        status = tell(fit, &scores, room, error);
    fit->view.clusters_subjects = !clusters;
    asif_subject_scores_free(&scores);
    asif_free(fit->context, room);
    return serious(status) ? status : ASIF_OK;
}
