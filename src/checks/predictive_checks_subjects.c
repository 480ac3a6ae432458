/* Whether one agent fits all subjects: the decisions of each, against those of the fitted agent at the same
 * histories.
 *
 * At a draw, the columns of a subject are its score in each estimated coordinate and its log-likelihood,
 * minus their expectations at its histories. They are sums of martingale differences over decisions: their
 * mean is 0, and the mean of their square is that of their conditional variance, however the histories came
 * about. The part that a refit to all subjects would explain is removed, by one step of Fisher scoring, from
 * logs and replicates alike; so it does not matter that the parameters were fitted to the same logs.
 *
 * For all subjects together, the statistic is the sum of squares over that of variances, which is the score
 * test for parameters that vary between subjects. For individual subjects, it is the largest column of each,
 * by the step-down procedure of Westfall and Young (1993). */
#include "checks/predictive_checks.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/os.h"
#include "base/sort.h"
#include "fit/subject_scores.h"
#include "inverse/inverse.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 50        /* most draws: each costs two solutions for each coordinate */
#define MOST_COORDINATES 64   /* with more, the matrices of the subjects would take too much memory */
#define FEWEST 200            /* fewest replicates: with fewer, no p-value is small enough */
#define MOST_VISITS 50000000u /* most decisions in all replicates, unless FEWEST need more */
#define RIDGE 1e-8 /* added to the scaled information, for directions about which the logs say nothing */
#define LEAST_LOG (-690.0) /* logarithm that replaces that of a probability of 0 */

/* Decisions of a subject at a node. */
typedef struct {
    uint32_t node;
    double decisions;
} visit;

typedef struct {
    asif_checking *c;
    asif_check_made *family;
    const asif_tree_view *tree;
    uint64_t subjects;
    uint32_t scores, columns; /* the columns are the scores and the log-likelihood */
    visit *visit;
    uint64_t *begin; /* [subjects + 1]: first visit of each */
    uint32_t points, times;
    asif_target *target; /* each point has a clone */
    /* statistics of the logs at each point, and of its replicates */
    double *spread, *spread_of;  /* [points][columns + 1], [points * times][columns + 1]; last: largest */
    float *largest, *largest_of; /* [points][subjects], [points * times][subjects] */
    asif_status *status;         /* [points] */
    asif_error *error;           /* [points] */
} people;

/* The workspace of a point. */
typedef struct {
    people *p;
    double *policy;      /* [nodes][actions] */
    double *step;        /* [nodes][actions][columns]: contribution of one decision, with mean 0 */
    double *covariance;  /* [subjects][columns][columns] */
    double *variance;    /* [subjects][columns]: variance after a refit */
    double *mean;        /* [columns]: mean of `variance` over subjects */
    double *information; /* [scores][scores]: Cholesky factor of the information of all subjects */
    double *scale;       /* [scores]: scale of the information */
    double *sum;         /* [subjects][columns] */
    double *total;       /* [scores] */
    double *drawn;       /* [actions] */
} room;

/* ---- moments ---- */

static void fill_steps(room *r, const asif_subject_scores *s) {
    const asif_tree_view *t = r->p->tree;
    uint64_t U = t->actions, size = (uint64_t)t->nodes * U, K = r->p->columns;
    for (uint64_t i = 0; i < size; i++) {
        r->policy[i] = exp(s->log_policy[i]);
        for (uint64_t j = 0; j + 1 < K; j++)
            r->step[i * K + j] = s->slope[j * size + i];
        r->step[i * K + K - 1] = fmax(s->log_policy[i], LEAST_LOG);
    }
    for (uint64_t node = 0; node < t->nodes; node++)
        for (uint64_t k = 0; k < K; k++) {
            double mean = 0, whole = 0;
            for (uint64_t i = node * U; i < (node + 1) * U; i++) {
                mean += r->policy[i] * r->step[i * K + k];
                whole += r->policy[i];
            }
            for (uint64_t i = node * U; whole > 0 && i < (node + 1) * U; i++)
                r->step[i * K + k] -= mean / whole;
        }
}

static void add_covariance(room *r, double *out, const visit *v) {
    uint64_t U = r->p->tree->actions, K = r->p->columns;
    for (uint64_t i = v->node * U; i < (v->node + 1) * U; i++) {
        const double *step = r->step + i * K;
        double weight = v->decisions * r->policy[i];
        for (uint64_t a = 0; a < K; a++)
            for (uint64_t b = 0; b <= a; b++)
                out[a * K + b] += weight * step[a] * step[b];
    }
}

/* Compute the information of all subjects, scaled to a diagonal of 1, and its Cholesky factor. False: it is
 * not positive. */
static bool factor(room *r) {
    uint64_t n = r->p->scores, K = r->p->columns;
    memset(r->information, 0, n * n * sizeof *r->information);
    for (uint64_t s = 0; s < r->p->subjects; s++)
        for (uint64_t a = 0; a < n; a++)
            for (uint64_t b = 0; b <= a; b++)
                r->information[a * n + b] += r->covariance[(s * K + a) * K + b];
    for (uint64_t a = 0; a < n; a++) {
        double whole = r->information[a * n + a];
        r->scale[a] = whole > 0 ? 1 / sqrt(whole) : 0;
    }
    for (uint64_t a = 0; a < n; a++) {
        for (uint64_t b = 0; b < a; b++) {
            r->information[a * n + b] *= r->scale[a] * r->scale[b];
            r->information[b * n + a] = r->information[a * n + b];
        }
        r->information[a * n + a] = 1 + RIDGE;
    }
    return asif_cholesky(r->information, r->p->scores);
}

/* Turn the scores of all subjects into the step of the parameters that a refit would take, in place. */
static void refit(const room *r, double *total) {
    for (uint32_t j = 0; j < r->p->scores; j++)
        total[j] *= r->scale[j];
    asif_lower_solve(r->information, r->p->scores, total);
    asif_upper_solve(r->information, r->p->scores, total);
    for (uint32_t j = 0; j < r->p->scores; j++)
        total[j] *= r->scale[j];
}

/* Compute the variance after a refit, C - C I^-1 C, of each column. */
static void find_variances(room *r) {
    uint64_t n = r->p->scores, K = r->p->columns, N = r->p->subjects;
    memset(r->mean, 0, K * sizeof *r->mean);
    for (uint64_t s = 0; s < N; s++)
        for (uint64_t k = 0; k < K; k++) {
            const double *row = r->covariance + (s * K + k) * K;
            double left = row[k];
            memcpy(r->total, row, n * sizeof *r->total);
            refit(r, r->total);
            for (uint64_t j = 0; j < n; j++)
                left -= row[j] * r->total[j];
            r->variance[s * K + k] = fmax(0, left);
            r->mean[k] += fmax(0, left) / (double)N;
        }
}

static bool find_moments(room *r) {
    const people *p = r->p;
    uint64_t K = p->columns;
    for (uint64_t s = 0; s < p->subjects; s++) {
        double *out = r->covariance + s * K * K;
        for (uint64_t v = p->begin[s]; v < p->begin[s + 1]; v++)
            add_covariance(r, out, &p->visit[v]);
        for (uint64_t a = 0; a < K; a++)
            for (uint64_t b = 0; b < a; b++)
                out[b * K + a] = out[a * K + b];
    }
    if (!factor(r))
        return false;
    find_variances(r);
    return true;
}

/* ---- statistics ---- */

/* Compute the statistics of sums of all subjects: spread [columns + 1] and largest [subjects]. A subject with
 * less than the mean information is measured by that mean, because few decisions are no reason to stand
 * out. */
static void measure(room *r, double *spread, float *largest) {
    const people *p = r->p;
    uint64_t n = p->scores, K = p->columns;
    memset(r->total, 0, n * sizeof *r->total);
    for (uint64_t s = 0; s < p->subjects; s++)
        for (uint64_t j = 0; j < n; j++)
            r->total[j] += r->sum[s * K + j];
    refit(r, r->total);
    for (uint64_t s = 0; s < p->subjects; s++) {
        largest[s] = 0;
        for (uint64_t k = 0; k < K; k++) {
            const double *row = r->covariance + (s * K + k) * K;
            double left = r->sum[s * K + k];
            for (uint64_t j = 0; j < n; j++)
                left -= row[j] * r->total[j];
            if (!(r->mean[k] > 0))
                continue;
            spread[k] += left * left / (r->mean[k] * (double)p->subjects);
            largest[s] =
                fmaxf(largest[s], (float)(fabs(left) / sqrt(fmax(r->mean[k], r->variance[s * K + k]))));
        }
        spread[K] = fmax(spread[K], largest[s]);
    }
}

static void add_steps(room *r, uint64_t subject, uint32_t node, uint32_t action, double times) {
    uint64_t K = r->p->columns;
    const double *step = r->step + ((uint64_t)node * r->p->tree->actions + action) * K;
    for (uint64_t k = 0; k < K; k++)
        r->sum[subject * K + k] += times * step[k];
}

static void observe(room *r) {
    const asif_tree_view *t = r->p->tree;
    for (uint64_t s = 0; s < r->p->subjects; s++)
        for (uint64_t e = t->unit[s]; e < t->unit[s + 1]; e++)
            add_steps(r, s, t->entry_node[e], t->entry_action[e], t->entry_count[e]);
}

static void replicate(room *r, const asif_stream *stream) {
    const people *p = r->p;
    uint32_t counter = 0, U = p->tree->actions;
    memset(r->sum, 0, p->subjects * p->columns * sizeof *r->sum);
    for (uint64_t s = 0; s < p->subjects; s++)
        for (uint64_t v = p->begin[s]; v < p->begin[s + 1]; v++) {
            const visit *here = &p->visit[v];
            asif_check_multinomial(stream, &counter, here->decisions, r->policy + (uint64_t)here->node * U, U,
                                   r->drawn);
            for (uint32_t u = 0; u < U; u++)
                if (r->drawn[u] > 0)
                    add_steps(r, s, here->node, u, r->drawn[u]);
        }
}

/* ---- one point ---- */

static void room_free(room *r) {
    const asif_context *context = r->p->c->checks->context;
    void *const arrays[] = {r->policy,      r->step,  r->covariance, r->variance, r->mean,
                            r->information, r->scale, r->sum,        r->total,    r->drawn};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
}

static asif_status room_create(room *r, people *p, asif_error *error) {
    const asif_context *context = p->c->checks->context;
    uint64_t size = (uint64_t)p->tree->nodes * p->tree->actions, K = p->columns, n = p->scores;
    *r = (room){.p = p};
    r->policy = ASIF_ARRAY(context, size, double);
    r->step = ASIF_ARRAY(context, size * K, double);
    r->covariance = ASIF_ARRAY(context, p->subjects * K * K, double);
    r->variance = ASIF_ARRAY(context, p->subjects * K, double);
    r->mean = ASIF_ARRAY(context, K, double);
    r->information = ASIF_ARRAY(context, n * n, double);
    r->scale = ASIF_ARRAY(context, n, double);
    r->sum = ASIF_ARRAY(context, p->subjects * K, double);
    r->total = ASIF_ARRAY(context, n, double);
    r->drawn = ASIF_ARRAY(context, p->tree->actions, double);
    bool good = r->policy && r->step && r->covariance && r->variance && r->mean && r->information &&
                r->scale && r->sum && r->total && r->drawn;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static asif_status look_at(room *r, uint32_t point, asif_error *error) {
    people *p = r->p;
    const asif_checking *c = p->c;
    uint32_t dimension = asif_estimates_dimension(c->fitted->estimates);
    uint64_t from = (uint64_t)point * c->points / p->points, wide = p->columns + 1;
    asif_subject_scores scores;
    asif_target *target;
    ASIF_TRY(asif_target_clone(&target, p->target, error));
    asif_status status = asif_subject_scores_create(&scores, c->checks->context, target, c->fitted->estimates,
                                                    c->fitted->tree, c->x + from * dimension, NULL, error);
    asif_target_free(target);
    if (status != ASIF_OK)
        return status;
    fill_steps(r, &scores);
    asif_subject_scores_free(&scores);
    if (!find_moments(r))
        return asif_fail(error, ASIF_EDOMAIN, "the information of the subjects is not finite");
    observe(r);
    measure(r, p->spread + point * wide, p->largest + point * p->subjects);
    for (uint32_t k = 0; k < p->times; k++) {
        uint64_t number = (uint64_t)point * p->times + k;
        asif_stream stream = {c->options.seed, ASIF_FOR_SUBJECTS, number};
        replicate(r, &stream);
        measure(r, p->spread_of + number * wide, p->largest_of + number * p->subjects);
    }
    return ASIF_OK;
}

static void run_point(void *argument, uint32_t point) {
    people *p = argument;
    room r;
    asif_status status = room_create(&r, p, &p->error[point]);
    if (status == ASIF_OK &&
        asif_progress(p->c->checks->context, "checking subjects", point / (double)p->points))
        status = asif_fail(&p->error[point], ASIF_ECANCELLED, "the checks were cancelled");
    if (status == ASIF_OK)
        status = look_at(&r, point, &p->error[point]);
    p->status[point] = status;
    room_free(&r);
}

static asif_status run_points(people *p, asif_error *error) {
    asif_os_parallel(p->c->checks->context->options.threads, p->points, run_point, p);
    for (uint32_t k = 0; k < p->points; k++)
        if (p->status[k] != ASIF_OK) {
            if (error)
                *error = p->error[k];
            return p->status[k];
        }
    return ASIF_OK;
}

/* ---- judgement ---- */

/* Put a statistic on a scale on which replicates are about normal, so that no single one dominates: Wilson
 * and Hilferty's cube root of a mean square, or the logarithm of a largest. */
static double transformed(const people *p, uint64_t column, double value) {
    return column < p->columns ? cbrt(value) : log(fmax(value, 1e-300));
}

typedef struct {
    double *mean, *sd;      /* [columns + 1]: mean and standard deviation of replicates */
    double *larger, *above; /* [columns + 1]: numbers of replicates in which any column is farther out, and in
                               which this one is */
} tally;

static void standardise(const people *p, const tally *t, double *value) {
    for (uint64_t k = 0; k <= p->columns; k++)
        value[k] = t->sd[k] > 0 ? (transformed(p, k, value[k]) - t->mean[k]) / t->sd[k] : 0;
}

static void find_scales(const people *p, tally *t) {
    uint64_t wide = p->columns + 1, made = (uint64_t)p->points * p->times;
    for (uint64_t k = 0; k < wide; k++) {
        double square = 0;
        for (uint64_t r = 0; r < made; r++) {
            double value = transformed(p, k, p->spread_of[r * wide + k]), off = value - t->mean[k];
            t->mean[k] += off / (double)(r + 1);
            square += off * (value - t->mean[k]);
        }
        t->sd[k] = sqrt(square / (double)made);
    }
}

static double farthest(const double *value, uint64_t wide) {
    double most = value[0];
    for (uint64_t k = 1; k < wide; k++)
        most = fmax(most, value[k]);
    return most;
}

/* Standardise all statistics in place, and count. Returns the number of replicates that are as far out as the
 * logs. */
static double compare(people *p, tally *t) {
    uint64_t wide = p->columns + 1, made = (uint64_t)p->points * p->times;
    double exceeding = 0;
    for (uint32_t d = 0; d < p->points; d++)
        standardise(p, t, p->spread + d * wide);
    for (uint64_t r = 0; r < made; r++) {
        const double *observed = p->spread + r / p->times * wide;
        double *here = p->spread_of + r * wide;
        standardise(p, t, here);
        double most = farthest(here, wide);
        for (uint64_t k = 0; k < wide; k++) {
            t->above[k] += here[k] >= observed[k];
            t->larger[k] += most >= observed[k];
        }
        exceeding += most >= farthest(observed, wide);
    }
    return exceeding;
}

/* Fill the cells; `value` [replicates] is scratch. */
static void fill_cells(const people *p, double *value) {
    uint64_t wide = p->columns + 1, made = (uint64_t)p->points * p->times;
    for (uint64_t k = 0; k < wide; k++) {
        asif_check_cell *cell = &p->family->cell[k];
        for (uint32_t d = 0; d < p->points; d++)
            cell->observed += p->spread[d * wide + k] / p->points;
        for (uint64_t r = 0; r < made; r++) {
            value[r] = p->spread_of[r * wide + k];
            cell->predicted += value[r] / (double)made;
        }
        asif_sort(value, made);
        cell->q05 = asif_quantile(value, made, 0.05);
        cell->q95 = asif_quantile(value, made, 0.95);
    }
}

typedef struct {
    double size;
    uint64_t subject;
} ranked;

static int farther(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->subject > y->subject) - (x->subject < y->subject);
}

/* Compute p-values of the subjects, the farthest first: each is compared with the largest of itself and of
 * those that are nearer. */
static asif_status step_down(people *p, asif_error *error) {
    const asif_context *context = p->c->checks->context;
    uint64_t N = p->subjects, made = (uint64_t)p->points * p->times;
    ranked *order = ASIF_ARRAY(context, N, ranked);
    double *value = p->family->stands_out = ASIF_ARRAY(context, N, double);
    if (!order || !value) {
        asif_free(context, order);
        return asif_fail_memory(error);
    }
    for (uint64_t s = 0; s < N; s++) {
        order[s].subject = s;
        for (uint32_t d = 0; d < p->points; d++)
            order[s].size += p->largest[d * N + s];
    }
    qsort(order, (size_t)N, sizeof *order, farther);
    for (uint64_t r = 0; r < made; r++) {
        const float *observed = p->largest + r / p->times * N, *here = p->largest_of + r * N;
        float most = 0;
        for (uint64_t i = N; i-- > 0;) {
            most = fmaxf(most, here[order[i].subject]);
            value[i] += most >= observed[order[i].subject];
        }
    }
    for (uint64_t i = 0; i < N; i++) {
        value[i] = (1 + value[i]) / (1 + (double)made);
        if (i > 0)
            value[i] = fmax(value[i], value[i - 1]);
    }
    asif_free(context, order);
    return ASIF_OK;
}

static asif_status judge(people *p, asif_error *error) {
    const asif_context *context = p->c->checks->context;
    uint64_t wide = p->columns + 1, made = (uint64_t)p->points * p->times;
    double *value = ASIF_ARRAY(context, made, double), *sums = ASIF_ARRAY(context, 4 * wide, double);
    asif_status status = value && sums ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        tally t = {sums, sums + wide, sums + 2 * wide, sums + 3 * wide};
        fill_cells(p, value);
        find_scales(p, &t);
        p->family->view.p = (1 + compare(p, &t)) / (1 + (double)made);
        p->family->view.judged = true;
        for (uint64_t k = 0; k < wide; k++) {
            p->family->cell[k].p = (1 + t.above[k]) / (1 + (double)made);
            p->family->cell[k].adjusted = (1 + t.larger[k]) / (1 + (double)made);
        }
        status = step_down(p, error);
    }
    asif_free(context, value);
    asif_free(context, sums);
    return status;
}

/* ---- preparation ---- */

/* The reported name of a coordinate; for entries of a distribution, their parameter. */
static const char *name_of(const asif_estimates *estimates, uint32_t coordinate) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++)
        if (info->coordinate == coordinate)
            return info->name;
    uint32_t seen = 0;
    const char *last = NULL;
    for (uint32_t i = 0; (info = asif_estimates_get(estimates, i)); i++) {
        if (info->coordinate != ASIF_ANY)
            seen = info->coordinate + 1;
        else
            last = info->parameter;
        if (seen > coordinate && last)
            return last;
    }
    return last ? last : "?";
}

static asif_status make_groups(people *p, asif_error *error) {
    ASIF_TRY(asif_check_groups(p->c->checks, p->family, p->columns + 1, 1, error));
    for (uint32_t k = 0; k <= p->columns; k++) {
        asif_check_group *g = &p->family->group[k];
        g->number = k < p->scores    ? name_of(p->c->fitted->estimates, k)
                    : k < p->columns ? ASIF_CHECK_LIKELIHOOD
                                     : ASIF_CHECK_LARGEST;
        g->count = (double)p->subjects;
        g->amount = true;
        g->cell = &p->family->cell[k];
    }
    return ASIF_OK;
}

/* Find the visits; entries are sorted by node. */
static asif_status find_visits(people *p, asif_error *error) {
    const asif_context *context = p->c->checks->context;
    const asif_tree_view *t = p->tree;
    uint64_t made = 0;
    p->visit = ASIF_ARRAY(context, t->unit[t->units], visit);
    p->begin = ASIF_ARRAY(context, p->subjects + 1, uint64_t);
    if (!p->visit || !p->begin)
        return asif_fail_memory(error);
    for (uint64_t s = 0; s < p->subjects; s++) {
        p->begin[s] = made;
        for (uint64_t e = t->unit[s]; e < t->unit[s + 1]; e++) {
            if (made == p->begin[s] || p->visit[made - 1].node != t->entry_node[e])
                p->visit[made++] = (visit){.node = t->entry_node[e]};
            p->visit[made - 1].decisions += t->entry_count[e];
        }
    }
    p->begin[p->subjects] = made;
    return ASIF_OK;
}

static asif_status prepare(people *p, asif_error *error) {
    const asif_checking *c = p->c;
    const asif_context *context = c->checks->context;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    uint64_t made = (uint64_t)p->points * p->times, wide = p->columns + 1;
    options.inverse = c->fitted->inverse;
    options.inverse_options = c->fitted->inverse_options;
    options.objective_only = true;
    p->spread = ASIF_ARRAY(context, p->points * wide, double);
    p->spread_of = ASIF_ARRAY(context, made * wide, double);
    p->largest = ASIF_ARRAY(context, p->points * p->subjects, float);
    p->largest_of = ASIF_ARRAY(context, made * p->subjects, float);
    p->status = ASIF_ARRAY(context, p->points, asif_status);
    p->error = ASIF_ARRAY(context, p->points, asif_error);
    if (!p->spread || !p->spread_of || !p->largest || !p->largest_of || !p->status || !p->error)
        return asif_fail_memory(error);
    ASIF_TRY(find_visits(p, error));
    ASIF_TRY(make_groups(p, error));
    return asif_target_create(&p->target, c->fitted->work, c->fitted->estimates, c->fitted->tree, &options,
                              error);
}

static void people_free(people *p) {
    const asif_context *context = p->c->checks->context;
    void *const arrays[] = {p->visit,   p->begin,      p->spread, p->spread_of,
                            p->largest, p->largest_of, p->status, p->error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_target_free(p->target);
}

/* The reason why subjects are not judged; NULL: they are. Sets the numbers of points and replicates. */
static const char *refuse(people *p) {
    const asif_checking *c = p->c;
    uint32_t dimension = asif_estimates_dimension(c->fitted->estimates);
    if (!asif_subjects_known(c->fitted->tree))
        return "the logs do not have subjects with several episodes each";
    if (!c->whole)
        return "the weights are not whole numbers: tail probabilities are not known";
    if (p->tree->units < 2)
        return "there is only one subject";
    if (dimension > MOST_COORDINATES)
        return "too many numbers are estimated to compare subjects in each";
    uint64_t most = ASIF_CHECK_MOST_COUNTS / p->tree->units,
             visits = MOST_VISITS / (p->tree->unit[p->tree->units] + 1);
    if (most > visits && most > FEWEST)
        most = visits > FEWEST ? visits : FEWEST;
    p->scores = dimension;
    p->columns = dimension + 1;
    p->subjects = p->tree->units;
    p->points = c->points < MOST_POINTS ? c->points : MOST_POINTS;
    p->times = (c->options.replicates + p->points - 1) / p->points;
    if ((uint64_t)p->times * p->points > most)
        p->times = (uint32_t)(most / p->points);
    if ((uint64_t)p->times * p->points < FEWEST)
        return c->options.replicates < FEWEST ? "there are too few replicates"
                                              : "there are too many subjects for enough replicates";
    return NULL;
}

asif_status asif_check_subjects(asif_checking *c, asif_error *error) {
    people p = {.c = c, .tree = c->tree};
    p.family = asif_check_add(c->checks, ASIF_CHECK_SUBJECTS);
    p.family->view.why = refuse(&p);
    if (p.family->view.why)
        return ASIF_OK;
    p.family->view.subjects = p.subjects;
    asif_status status = prepare(&p, error);
    if (status == ASIF_OK)
        status = run_points(&p, error);
    if (status == ASIF_OK)
        status = judge(&p, error);
    people_free(&p);
    if (status == ASIF_OK || status == ASIF_ENOMEM || status == ASIF_ECANCELLED)
        return status;
    p.family->view.why = "the derivatives of what each subject does could not be computed";
    p.family->view.groups = 0;
    return ASIF_OK;
}
