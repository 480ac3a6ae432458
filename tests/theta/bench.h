/* A setting, a theta and its estimates, and specs that several tests use. */
#ifndef ASIF_TESTS_THETA_BENCH_H
#define ASIF_TESTS_THETA_BENCH_H

#include "theta/small.h"

#include "theta/theta.h"

#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
enum { MOST = 32 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_estimates *estimates;
    asif_problems *problems;
} bench;

static const small_options plain = {0};

static inline void prepare(bench *b, const small_options *options) {
    asif_error error = ASIF_ERROR_INIT;
    *b = (bench){0};
    assert_int_equal(asif_context_create(&b->context, NULL, &error), ASIF_OK);
    b->setting = make_small(b->context, options, &error);
    CHECK(b->setting, "%s", error.message);
    assert_int_equal(asif_theta_create(&b->theta, b->context, b->setting, &error), ASIF_OK);
    assert_int_equal(asif_problems_create(&b->problems, b->context, 0, &error), ASIF_OK);
    static const struct {
        const char *name;
        double value;
    } given[] = {{"alpha", .5}, {"beta", 1.25}, {"eta", 2}, {"gain", 10}, {"loss", -36}, {"cost", -1}};
    for (uint32_t i = 0; i < COUNT(given); i++)
        assert_int_equal(asif_theta_set(b->theta, given[i].name, given[i].value, &error), ASIF_OK);
}

static inline asif_status estimate(bench *b, const asif_estimate_spec *spec, uint32_t count,
                                   asif_priors priors, asif_error *error) {
    asif_estimates_free(b->estimates);
    b->estimates = NULL;
    return asif_estimates_create(&b->estimates, b->context, b->theta, spec, count, priors, b->problems,
                                 error);
}

static inline void must_estimate(bench *b, const asif_estimate_spec *spec, uint32_t count,
                                 asif_priors priors) {
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = estimate(b, spec, count, priors, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
}

static inline void finish(bench *b) {
    asif_estimates_free(b->estimates);
    asif_problems_free(b->problems);
    asif_theta_free(b->theta);
    asif_setting_free(b->setting);
    asif_context_free(b->context);
}

static inline uint32_t reported(const bench *b) {
    uint32_t n = 0;
    while (asif_estimates_get(b->estimates, n))
        n++;
    return n;
}

/* All parameters at once, with default priors. */
static const asif_estimate_spec everything[] = {
    {.name = "alpha", .standard = NAN},
    {.name = "act_alpha", .standard = NAN, .negative = true},
    {.name = "beta", .standard = NAN},
    {.name = "eta", .standard = NAN},
    {.name = "discount", .standard = NAN},
    {.name = "gain", .standard = 10},
    {.name = "loss", .standard = -36, .prior = "student_t(4, -36, 10)"},
    {.name = "cost", .standard = -1, .prior = "uniform(-5, 0)"},
    {.name = "action_prior", .standard = NAN, .prior = "dirichlet(2, 0.7, 3)"},
    {.name = "world_weights", .standard = NAN},
    {.name = "start", .standard = NAN},
    {.name = "start", .start = 1, .standard = NAN, .prior = "dirichlet(9, 1, 1)"},
};

/* Every parameter with every family of priors that fits it. */
static const asif_estimate_spec singles[] = {
    {.name = "alpha"},
    {.name = "alpha", .prior = "lognormal(-0.7, 1.5)", .negative = true},
    {.name = "alpha", .prior = "normal(0.5, 0.7)"},
    {.name = "alpha", .prior = "student_t(3, -1, 2)"},
    {.name = "alpha", .prior = "uniform(0.1, 2)"},
    {.name = "alpha", .prior = "uniform(-1, 2)"},
    {.name = "alpha", .prior = "beta(2, 0.5)"},
    {.name = "act_alpha", .prior = "lognormal(1, 0.1)"},
    {.name = "beta"},
    {.name = "optimism", .prior = "student_t(4, 0, 0.5)"},
    {.name = "optimism", .prior = "uniform(-2, 3)"},
    {.name = "eta", .prior = "lognormal(2, 1)"},
    {.name = "eta", .prior = "beta(0.5, 0.5)"},
    {.name = "discount"},
    {.name = "discount", .prior = "normal(0.9, 0.2)"},
    {.name = "discount", .prior = "lognormal(-0.5, 1)"},
    {.name = "discount", .prior = "student_t(2, 0.5, 1)"},
    {.name = "discount", .prior = "uniform(0.5, 0.99)"},
    {.name = "gain", .standard = 10},
    {.name = "gain", .standard = 10, .prior = "lognormal(2, 0.5)"},
    {.name = "loss", .standard = -36, .prior = "normal(-36, 23)"},
    {.name = "loss", .standard = -36, .prior = "student_t(1, -36, 10)"},
};

#endif
