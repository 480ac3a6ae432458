/* Judges differences against the spread between subjects. The episodes of one person are alike, so they carry
 * less information about a group than as many episodes of different persons. */
#include "questions/compare/groups/compare_groups.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/numeric/special.h"
#include "fit/fit.h"
#include "fit/subject_scores.h"
#include "inverse/inverse.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Step of derivatives of the numbers in the coordinates, relative to their natural scale. */
#define STEP 1e-4
/* Step of scores in standard deviations, which averages over kinks of interpolated values. */
#define SCORE_STEP .1

void asif_spread_free(asif_spread *spread, const asif_context *context) {
    void *const arrays[] = {spread->covariance, spread->influence, spread->person, spread->axis};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *spread = (asif_spread){0};
}

/* ---- kind of spread ---- */

static asif_spread_kind kind_of(const asif_tree *tree) {
    const asif_logs_info *info = asif_tree_info(tree);
    if (info->subjects == 0 || info->episodes == 0)
        return ASIF_SPREAD_UNKNOWN;
    if (info->subjects == 1 && info->episodes > 1)
        return ASIF_SPREAD_ONE;
    if (asif_subjects_known(tree))
        return ASIF_SPREAD_SUBJECTS;
    return info->subjects == info->episodes ? ASIF_SPREAD_EPISODES : ASIF_SPREAD_UNKNOWN;
}

/* ---- influence ---- */

typedef struct {
    const asif_fitted *fitted;
    const asif_context *context;
    asif_spread *spread;
    uint32_t n;
    double *x, *scale, *step, *curvature, *room; /* [n], [n], [n], [n][n], [n][n] */
} finding;

/* Compute the change of the estimates without a subject: (J - I_i)^-1 s_i, to first order, as if the others
 * had been fitted alone. */
static void leave_out(finding *f, const asif_subject_scores *scores, uint64_t subject) {
    uint64_t n = f->n;
    double *out = f->spread->influence + subject * n;
    const double *score = scores->score + subject * n;
    asif_subject_information(f->room, scores, subject);
    for (uint64_t k = 0; k < n * n; k++)
        f->room[k] = f->curvature[k] - f->room[k];
    if (asif_cholesky(f->room, f->n)) {
        memcpy(out, score, n * sizeof *out);
        asif_lower_solve(f->room, f->n, out);
        asif_upper_solve(f->room, f->n, out);
        return;
    }
    /* Without this subject, some parameter would not be identified; the information of all is used. */
    asif_dense_times(f->spread->covariance, f->n, f->n, score, out);
}

static asif_status find_influence(finding *f, asif_target *target, asif_error *error) {
    asif_spread *spread = f->spread;
    asif_subject_scores scores;
    for (uint32_t j = 0; j < f->n; j++) {
        double curvature = f->curvature[(uint64_t)j * f->n + j];
        f->step[j] = SCORE_STEP * fmin(f->scale[j], curvature > 0 ? 1 / sqrt(curvature) : INFINITY);
    }
    ASIF_TRY(asif_subject_scores_create(&scores, f->context, target, f->fitted->estimates, f->fitted->tree,
                                        f->x, f->step, error));
    spread->influence = ASIF_ARRAY(f->context, scores.subjects * f->n, double);
    spread->person = ASIF_ARRAY(f->context, scores.subjects, uint64_t);
    asif_status status = spread->influence && spread->person ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < scores.subjects; i++) {
        leave_out(f, &scores, i);
        spread->person[i] = strtoull(asif_tree_unit_name(f->fitted->tree, i), NULL, 10);
    }
    asif_subject_scores_free(&scores);
    return status;
}

static asif_status locate(finding *f, bool likelihood, asif_error *error) {
    const asif_fitted *fitted = f->fitted;
    asif_target_options what = ASIF_TARGET_OPTIONS_INIT;
    asif_target *target = NULL;
    what.inverse = fitted->inverse;
    what.inverse_options = fitted->inverse_options;
    what.objective_only = likelihood;
    asif_estimates_locate(fitted->estimates, fitted->maximum, f->x);
    asif_estimates_scale(fitted->estimates, f->scale);
    asif_status status =
        asif_target_create(&target, fitted->work, fitted->estimates, fitted->tree, &what, error);
    if (status == ASIF_OK)
        status = asif_curvature(f->curvature, f->spread->covariance, NULL, f->context,
                                asif_target_density(target), f->x, f->scale, error);
    f->spread->located = status == ASIF_OK;
    if (status == ASIF_OK && f->spread->kind == ASIF_SPREAD_SUBJECTS)
        status = find_influence(f, target, error);
    asif_target_free(target);
    return status;
}

/* Compute the principal axes of the jackknife covariance. */
static asif_status find_axes(asif_spread *spread, const asif_context *context, asif_error *error) {
    uint64_t n = spread->dimension;
    double S = (double)spread->subjects, *room = ASIF_ARRAY(context, n * n + n, double);
    spread->axis = ASIF_ARRAY(context, n * n, double);
    asif_status status = room && spread->axis ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        double *value = room + n * n;
        for (uint64_t i = 0; i < spread->subjects; i++)
            for (uint64_t j = 0; j < n; j++)
                for (uint64_t k = 0; k < n; k++)
                    room[j * n + k] +=
                        (S - 1) / S * spread->influence[i * n + j] * spread->influence[i * n + k];
        asif_eigen(room, spread->dimension, value, spread->axis);
        for (uint64_t k = 0; k < n * n; k++)
            spread->axis[k] *= sqrt(fmax(0, value[k / n]));
    }
    asif_free(context, room);
    return status;
}

static asif_status find_one(asif_spread *spread, const asif_context *context,
                            const asif_compare_groups_group *group, asif_error *error) {
    const asif_fitted *fitted = group->fitted;
    uint64_t n = spread->dimension = asif_estimates_dimension(fitted->estimates);
    finding f = {.fitted = fitted, .context = context, .spread = spread, .n = (uint32_t)n};
    spread->covariance = ASIF_ARRAY(context, n * n, double);
    f.x = ASIF_ARRAY(context, 3 * n + 2 * n * n, double);
    asif_status status = spread->covariance && f.x ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        f.scale = f.x + n;
        f.step = f.scale + n;
        f.curvature = f.step + n;
        f.room = f.curvature + n * n;
        status = locate(&f, group->likelihood, error);
    }
    /* If the agent cannot be solved around the maximum, nothing is known about the spread. */
    if (status == ASIF_EDOMAIN) {
        spread->kind = ASIF_SPREAD_UNKNOWN;
        status = ASIF_OK;
    }
    if (status == ASIF_OK && spread->influence)
        status = find_axes(spread, context, error);
    asif_free(context, f.x);
    return status;
}

/* The subject of `b`, from `k` on, who is subject `i` of `a`; b->subjects: none. Numbers of persons
 * ascend. */
static uint64_t same_person(const asif_spread *a, uint64_t i, const asif_spread *b, uint64_t *k) {
    while (*k < b->subjects && b->person[*k] < a->person[i])
        ++*k;
    return *k < b->subjects && b->person[*k] == a->person[i] ? *k : b->subjects;
}

static uint64_t count_shared(const asif_spread *a, const asif_spread *b) {
    uint64_t both = 0, k = 0;
    for (uint64_t i = 0; a->person && b->person && i < a->subjects; i++)
        both += same_person(a, i, b, &k) < b->subjects;
    return both;
}

asif_status asif_spread_find(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                             asif_error *error) {
    bool any = false, same = true;
    for (uint32_t g = 0; g < contrast->groups; g++) {
        const asif_fitted *fitted = group[g].fitted;
        asif_spread *spread = &contrast->group[g].spread;
        bool able = fitted->tree && fitted->maximum && asif_fitted_likelihood(fitted, true, NULL) == ASIF_OK;
        spread->kind = fitted->tree ? kind_of(fitted->tree) : ASIF_SPREAD_UNKNOWN;
        spread->subjects = fitted->tree ? asif_tree_info(fitted->tree)->subjects : 0;
        if (spread->kind == ASIF_SPREAD_SUBJECTS && !able)
            spread->kind = ASIF_SPREAD_UNKNOWN;
        any |= spread->kind == ASIF_SPREAD_SUBJECTS;
        same &= group[g].people && group[0].people && *group[0].people &&
                strcmp(group[g].people, group[0].people) == 0;
        contrast->group[g].able = able;
    }
    contrast->people_known = same;
    for (uint32_t g = 0; any && g < contrast->groups; g++)
        if (contrast->group[g].able)
            ASIF_TRY(find_one(&contrast->group[g].spread, contrast->context, &group[g], error));
    for (uint32_t g = 0; same && g < contrast->groups; g++)
        contrast->group[g].spread.shared =
            count_shared(&contrast->group[g].spread, &contrast->group[contrast->first].spread);
    return ASIF_OK;
}

/* ---- slopes ---- */

static void show(double *number, const asif_fitted *fitted, uint32_t numbers, const double *x) {
    asif_estimates_report(fitted->estimates, x, number);
    for (uint32_t i = 0; i < numbers; i++) {
        const asif_estimate_info *info = asif_estimates_get(fitted->estimates, i);
        if (asif_is_logarithm(info))
            number[i] = asif_compare_groups_sign(fitted, info->parameter) * exp(number[i]);
    }
}

asif_status asif_spread_slopes(double *slope, const asif_fitted *fitted, asif_error *error) {
    const asif_context *c = fitted->context;
    uint64_t n = asif_estimates_dimension(fitted->estimates);
    uint32_t numbers = 0;
    while (asif_estimates_get(fitted->estimates, numbers))
        numbers++;
    double *x = ASIF_ARRAY(c, 2 * n + 2 * (uint64_t)numbers, double);
    if (!x)
        return asif_fail_memory(error);
    double *scale = x + n, *low = scale + n, *high = low + numbers;
    asif_estimates_locate(fitted->estimates, fitted->maximum, x);
    asif_estimates_scale(fitted->estimates, scale);
    for (uint64_t j = 0; j < n; j++) {
        double at = x[j], step = STEP * scale[j];
        x[j] = at - step;
        show(low, fitted, numbers, x);
        x[j] = at + step;
        show(high, fitted, numbers, x);
        x[j] = at;
        for (uint32_t i = 0; i < numbers; i++)
            slope[i * n + j] = (high[i] - low[i]) / (2 * step);
    }
    asif_free(c, x);
    return ASIF_OK;
}

void asif_spread_along(double *slope, const asif_spread *spread, const double *low, const double *high) {
    uint64_t n = spread->dimension;
    memset(slope, 0, n * sizeof *slope);
    for (uint64_t k = 0; k < n; k++) {
        const double *axis = spread->axis + k * n;
        double length = 0;
        for (uint64_t j = 0; j < n; j++)
            length += axis[j] * axis[j];
        for (uint64_t j = 0; length > 0 && j < n; j++)
            slope[j] += (high[k] - low[k]) / 2 * axis[j] / length;
    }
}

double asif_spread_variance(const asif_spread *spread, const double *slope) {
    uint64_t n = spread->dimension;
    double sum = 0;
    for (uint64_t j = 0; j < n; j++)
        for (uint64_t k = 0; k < n; k++)
            sum += slope[j] * slope[k] * spread->covariance[j * n + k];
    return sum;
}

/* ---- judgement ---- */

static double moved(const asif_spread *spread, uint64_t subject, const double *slope) {
    double sum = 0;
    for (uint32_t j = 0; j < spread->dimension; j++)
        sum += slope[j] * spread->influence[subject * spread->dimension + j];
    return sum;
}

/* The jackknife variance of a number over subjects; if these have one episode each, the variance in the
 * fit. */
static double variance_between(const asif_spread *spread, const asif_spread_number *number, double *degrees) {
    double sum = 0, S = (double)spread->subjects;
    *degrees = INFINITY;
    if (spread->kind != ASIF_SPREAD_SUBJECTS)
        return number->variance;
    for (uint64_t i = 0; i < spread->subjects; i++)
        sum += pow(moved(spread, i, number->slope), 2);
    *degrees = S - 1;
    return sum * (S - 1) / S;
}

/* The covariance of two groups' numbers, from the subjects who are in both. */
static double covariance_between(const asif_spread *a, const asif_spread *b, const asif_spread_number *here,
                                 const asif_spread_number *first) {
    double sum = 0, A = (double)a->subjects, B = (double)b->subjects;
    uint64_t k = 0;
    if (a->kind != ASIF_SPREAD_SUBJECTS || b->kind != ASIF_SPREAD_SUBJECTS)
        return 0;
    for (uint64_t i = 0; i < a->subjects; i++)
        if (same_person(a, i, b, &k) < b->subjects)
            sum += moved(a, i, here->slope) * moved(b, k, first->slope);
    return sum * sqrt((A - 1) / A * ((B - 1) / B));
}

void asif_spread_judge(asif_compare_groups_cell *cell, const asif_compare_groups *contrast, uint32_t group,
                       const asif_spread_number *here, const asif_spread_number *first) {
    const asif_spread *a = &contrast->group[group].spread, *b = &contrast->group[contrast->first].spread;
    double degrees_a, degrees_b;
    if ((a->kind != ASIF_SPREAD_SUBJECTS && b->kind != ASIF_SPREAD_SUBJECTS) || isnan(here->variance) ||
        isnan(first->variance))
        return;
    double va = variance_between(a, here, &degrees_a), vb = variance_between(b, first, &degrees_b);
    double shared = contrast->people_known ? covariance_between(a, b, here, first) : 0;
    double variance = fmax(here->variance + first->variance, va + vb - 2 * shared);
    double degrees = (va + vb) * (va + vb) / (va * va / degrees_a + vb * vb / degrees_b);
    if (a->shared)
        degrees = fmin(degrees, (double)(a->subjects + b->subjects - a->shared) - 1);
    if (isnan(degrees)) /* the number varies in neither group */
        degrees = INFINITY;
    cell->error = sqrt(variance);
    cell->degrees = degrees;
    if (!(variance > 0)) /* the number is the same in both, whoever the subjects are */
        return;
    double away = asif_t_quantile(0.95, degrees) * cell->error;
    cell->d05 = cell->d50 - away;
    cell->d95 = cell->d50 + away;
    cell->larger = asif_t_below(cell->d50 / cell->error, degrees);
}

/* The sign of alpha is fixed by the study; only its size is estimated. */
double asif_compare_groups_sign(const asif_fitted *fitted, const char *parameter) {
    for (uint32_t i = 0; i < fitted->specs; i++)
        if (strcmp(fitted->spec[i].name, parameter) == 0)
            return fitted->spec[i].negative ? -1 : 1;
    return 1;
}
