#include "sample/hills.h"

#include "check.h"
#include "problems.h"

#include "base/numeric/dense.h"

#include <string.h>

double hill_value(const hill *h, const double *x) {
    double value = 0;
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = 0; j < h->n; j++)
            value -= h->curvature[i * h->n + j] * (x[i] - h->centre[i]) * (x[j] - h->centre[j]) / 2;
    for (uint32_t k = 0; k < h->kinks; k++) {
        double t = -h->offset[k];
        for (uint32_t i = 0; i < h->n; i++)
            t += h->slope[k][i] * x[i];
        value -= h->weight[k] * fabs(t);
    }
    return value;
}

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    hill *h = user;
    (void)error;
    h->calls++;
    *value = hill_value(h, x);
    if (!gradient)
        return ASIF_OK;
    for (uint32_t i = 0; i < h->n; i++) {
        gradient[i] = 0;
        for (uint32_t j = 0; j < h->n; j++)
            gradient[i] -= h->curvature[i * h->n + j] * (x[j] - h->centre[j]);
    }
    for (uint32_t k = 0; k < h->kinks; k++) {
        double t = -h->offset[k];
        for (uint32_t i = 0; i < h->n; i++)
            t += h->slope[k][i] * x[i];
        for (uint32_t i = 0; i < h->n; i++)
            gradient[i] -= copysign(h->weight[k], t) * h->slope[k][i];
    }
    return ASIF_OK;
}

asif_density hill_density(hill *h) {
    return (asif_density){.dimension = h->n, .evaluate = evaluate, .has_gradient = true, .user = h};
}

void hill_turn(hill *h, double condition, uint64_t *seed) {
    uint32_t n = h->n;
    memset(h->curvature, 0, sizeof h->curvature);
    for (uint32_t i = 0; i < n; i++)
        h->curvature[i * n + i] = pow(condition, n > 1 ? (double)i / (n - 1) : 0);
    for (int times = 0; times < 3; times++) { /* reflections A <- (I - 2vv') A (I - 2vv') */
        double v[HILL_MOST], av[HILL_MOST], square = 0, vav = 0;
        for (uint32_t i = 0; i < n; i++) {
            v[i] = make_uniform(seed) - 0.5;
            square += v[i] * v[i];
        }
        for (uint32_t i = 0; i < n; i++)
            v[i] /= sqrt(square);
        asif_dense_times(h->curvature, n, n, v, av);
        for (uint32_t i = 0; i < n; i++)
            vav += v[i] * av[i];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                h->curvature[i * n + j] += 4 * vav * v[i] * v[j] - 2 * (v[i] * av[j] + av[i] * v[j]);
    }
}

void hill_correlate(hill *h, const double *sd, double r) {
    uint32_t n = h->n;
    double covariance[HILL_MOST * HILL_MOST];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            covariance[i * n + j] = sd[i] * sd[j] * (i == j ? 1 : (i + j) % 2 ? r : fabs(r));
    assert_true(asif_cholesky(covariance, n));
    asif_cholesky_inverse(covariance, n, h->curvature);
}

void hill_kink(hill *h, uint32_t kinks, double jump, uint64_t *seed) {
    double l[HILL_MOST * HILL_MOST];
    memcpy(l, h->curvature, sizeof l);
    assert_true(asif_cholesky(l, h->n));
    h->kinks = kinks;
    for (uint32_t k = 0; k < kinks; k++) { /* slope.x = direction.u with u = L'(x - centre) */
        double direction[HILL_MOST], square = 0;
        for (uint32_t i = 0; i < h->n; i++) {
            direction[i] = make_uniform(seed) - 0.5;
            square += direction[i] * direction[i];
        }
        for (uint32_t i = 0; i < h->n; i++)
            direction[i] /= sqrt(square);
        asif_lower_times(l, h->n, direction, h->slope[k]);
        h->offset[k] = make_uniform(seed) - 0.5;
        for (uint32_t i = 0; i < h->n; i++)
            h->offset[k] += h->slope[k][i] * h->centre[i];
        h->weight[k] = jump / 2 * make_uniform(seed) * (k % 2 ? 1 : -1);
    }
}

/* Gauss with pivoting; false where the matrix is singular. */
static bool solve(double *a, double *b, uint32_t n) {
    for (uint32_t c = 0; c < n; c++) {
        uint32_t pivot = c;
        for (uint32_t i = c + 1; i < n; i++)
            if (fabs(a[i * n + c]) > fabs(a[pivot * n + c]))
                pivot = i;
        if (a[pivot * n + c] == 0)
            return false;
        for (uint32_t j = 0; j < n; j++) {
            double t = a[c * n + j];
            a[c * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (uint32_t i = 0; i < n; i++) {
            if (i == c)
                continue;
            double f = a[i * n + c] / a[c * n + c];
            for (uint32_t j = c; j < n; j++)
                a[i * n + j] -= f * a[c * n + j];
            b[i] -= f * b[c];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        b[i] /= a[i * n + i];
    return true;
}

double hill_maximum(const hill *h, double *x) {
    uint32_t n = h->n, patterns = 1;
    double best = -INFINITY;
    for (uint32_t k = 0; k < h->kinks; k++)
        patterns *= 3;
    for (uint32_t pattern = 0; pattern < patterns; pattern++) {
        double a[20 * 20] = {0}, b[20] = {0};
        uint32_t active = 0, code[HILL_KINKS];
        bool possible = true;
        for (uint32_t k = 0, rest = pattern; k < h->kinks; k++, rest /= 3) {
            code[k] = rest % 3;
            active += code[k] == 2;
            possible = possible && !(code[k] == 2 && h->weight[k] < 0);
        }
        if (!possible || active > n)
            continue;
        uint32_t size = n + active, row = n;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                a[i * size + j] = h->curvature[i * n + j];
                b[i] += h->curvature[i * n + j] * h->centre[j];
            }
        for (uint32_t k = 0; k < h->kinks; k++) {
            if (code[k] < 2) {
                for (uint32_t i = 0; i < n; i++)
                    b[i] -= h->weight[k] * (code[k] ? 1 : -1) * h->slope[k][i];
                continue;
            }
            for (uint32_t i = 0; i < n; i++)
                a[i * size + row] = a[row * size + i] = h->slope[k][i];
            b[row++] = h->offset[k];
        }
        if (!solve(a, b, size))
            continue;
        double value = hill_value(h, b);
        if (value > best) {
            best = value;
            memcpy(x, b, n * sizeof *x);
        }
    }
    return best;
}

double hill_distance(const hill *h, const double *x, const double *y) {
    double square = 0;
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = 0; j < h->n; j++)
            square += h->curvature[i * h->n + j] * (x[i] - y[i]) * (x[j] - y[j]);
    return sqrt(square);
}

void check_memory(asif_status (*call)(const asif_context *context, asif_error *error)) {
    asif_status status = ASIF_ENOMEM;
    long left = 1;
    for (; status == ASIF_ENOMEM; left++) {
        failing_memory memory = {.left = left};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        asif_context *context;
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        status = call(context, &error);
        assert_int_equal(error.status, status);
        asif_context_free(context);
        assert_int_equal(memory.alive, 0);
    }
    assert_int_equal(status, ASIF_OK);
    assert_true(left > 3);
}
