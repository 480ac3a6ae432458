/* Many decision-makers, against computations of other kinds: rows by comparing all pairs, likelihoods by
 * solving each agent alone, and a population of logistic choices by quadrature. */
#include "check.h"

#include "asif.h"
#include "inverse/evidence/folded.h"
#include "people/covariates.h"
#include "people/likelihoods.h"
#include "people/rows.h"

#include <string.h>

/* One state and a choice: P(a) = 1 / (1 + exp(-gain)). */
static const char choice[] =
    "asif: 1\nstates: [s]\nactions: [a, b]\n"
    "environment: {start: [1]}\n"
    "agent:\n  planner: maximum-entropy\n  discount: 0\n"
    "  utility: {a: gain, b: 0}\n"
    "  parameters:\n    gain: {learn: \"normal(0, 2)\", standard: 1}\n    alpha: 1\n";

static const char diagnosis[] =
    "asif: 1\nstates: [healthy, diseased]\nactions: [no, yes, test]\nobservations: [negative, positive]\n"
    "environment:\n  start: [0.5, 0.5]\n  transitions: {test: identity, any: reset}\n"
    "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n  ends: [no, yes]\n"
    "agent:\n  planner: bounded-rational\n  discount: 0.95\n"
    "  worlds: [{emissions: [[0.6, 0.4], [0.4, 0.6]]}, {emissions: [[0.8, 0.2], [0.2, 0.8]]}]\n"
    "  utility: {no: {healthy: 10, diseased: -36}, yes: {healthy: -36, diseased: 10}, test: -1}\n"
    "  parameters: {alpha: learn, beta: learn, eta: learn}\n"
    "solver: {resolution: 40}\n";

/* At most eight decisions, so that few beliefs can be reached. */
static const char limited[] =
    "asif: 1\nstates: [healthy, diseased]\nactions: [no, yes, test]\nobservations: [negative, positive]\n"
    "environment:\n  start: [0.5, 0.5]\n  transitions: {test: identity, any: terminal}\n  horizon: 8\n"
    "  emissions: [[0.7, 0.3], [0.3, 0.7]]\n  ends: [no, yes]\n"
    "agent:\n  planner: bounded-rational\n  discount: 0.95\n"
    "  utility: {no: {healthy: 10, diseased: -36}, yes: {healthy: -36, diseased: 10}, test: cost}\n"
    "  parameters: {alpha: learn, eta: learn, cost: {learn: 'normal(-1, 1)', standard: 1}, beta: inf}\n"
    "solver: {beliefs: reachable}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_tree *tree;
} problem;

/* `columns` are the covariates that are read; NULL: none. */
static void open_with(problem *p, const char *study, const char *logs, uint32_t threads,
                      const char *const *columns) {
    asif_context_options c = ASIF_CONTEXT_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_estimate_spec spec[4];
    asif_error error = ASIF_ERROR_INIT;
    memset(p, 0, sizeof *p);
    c.threads = threads;
    assert_int_equal(asif_context_create(&p->context, &c, NULL), ASIF_OK);
    CHECK(asif_study_read(&p->study, p->context, study, strlen(study), "study", NULL, &error) == ASIF_OK,
          "%s", error.message);
    uint32_t specs = asif_study_estimates(p->study, spec, 4);
    assert_int_equal(asif_work_create(&p->work, p->context, asif_study_planner(p->study),
                                      asif_study_setting(p->study), asif_study_solver(p->study), &error),
                     ASIF_OK);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, asif_study_theta(p->study), spec, specs,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
    reading.setting = asif_study_setting(p->study);
    reading.subjects = !columns;
    reading.units = columns ? ASIF_UNITS_SUBJECTS : ASIF_UNITS_NONE;
    reading.covariates = columns;
    CHECK(asif_logs_read_text(&p->tree, p->context, logs, strlen(logs), "logs", &reading, NULL, NULL,
                              &error) == ASIF_OK,
          "%s", error.message);
}

static void open_problem(problem *p, const char *study, const char *logs, uint32_t threads) {
    open_with(p, study, logs, threads, NULL);
}

static void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

/* ---- rows and likelihoods ---- */

enum { PEOPLE = 150, EPISODES = 3, POINTS = 70 };

/* Made up episodes of testing and deciding; people 5 and 25, and 7 and 8, decide alike. */
static void write_diagnoses(char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "subject,episode,t,action,observation\n");
    for (uint32_t i = 0; i < PEOPLE; i++) {
        uint64_t h = i == 25 ? 5 : i == 8 ? 7 : i;
        for (uint32_t e = 0; e < EPISODES; e++) {
            uint32_t t = 0;
            for (h = h * 2862933555777941757u + 3037000493u; h >> 62 && t < 5;
                 h = h * 2862933555777941757u + 12345)
                used += (size_t)snprintf(text + used, size - used, "p%u,%u,%u,test,%s\n", i, i * EPISODES + e,
                                         t++, h >> 40 & 1 ? "positive" : "negative");
            used += (size_t)snprintf(text + used, size - used, "p%u,%u,%u,%s,\n", i, i * EPISODES + e, t,
                                     h >> 30 & 1 ? "yes" : "no");
        }
    }
}

static bool same_row(const asif_tree_view *t, uint64_t a, uint64_t b) {
    if (t->unit[a + 1] - t->unit[a] != t->unit[b + 1] - t->unit[b])
        return false;
    for (uint64_t i = t->unit[a], j = t->unit[b]; i < t->unit[a + 1]; i++, j++)
        if (t->entry_node[i] != t->entry_node[j] || t->entry_action[i] != t->entry_action[j] ||
            t->entry_count[i] != t->entry_count[j])
            return false;
    return true;
}

static void equal_rows(void **state) {
    (void)state;
    static char text[100000];
    problem p;
    asif_unit_rows r;
    write_diagnoses(text, sizeof text);
    open_problem(&p, diagnosis, text, 1);
    asif_tree_view t = {.struct_size = sizeof t};
    assert_int_equal(asif_tree_get(p.tree, &t, NULL), ASIF_OK);
    assert_int_equal(asif_unit_rows_open(&r, p.tree, NULL, 0, false, NULL), ASIF_OK);
    assert_int_equal(r.units, PEOPLE);
    uint64_t different = 0, sum = 0;
    for (uint64_t a = 0; a < PEOPLE; a++) {
        bool first = true;
        uint64_t same = 0;
        for (uint64_t b = 0; b < PEOPLE; b++) {
            bool equal = same_row(&t, a, b);
            assert_int_equal(equal, r.row[a] == r.row[b]);
            same += equal;
            first = first && !(equal && b < a);
        }
        assert_int_equal(r.same[r.row[a]], same);
        different += first;
        if (first)
            assert_int_equal(r.unit[r.row[a]], a);
    }
    for (uint64_t k = 0; k < r.rows; k++)
        sum += r.same[k];
    assert_int_equal(r.rows, different);
    assert_true(different <= PEOPLE - 2);
    assert_int_equal(sum, PEOPLE);
    asif_unit_rows_close(&r);
    close_problem(&p);
}

static void take(void *taker, uint32_t worker, uint64_t row, const double *log_likelihood) {
    (void)worker;
    memcpy((double *)taker + row * POINTS, log_likelihood, POINTS * sizeof(double));
}

/* Against the likelihood of the whole tree. */
static void compare_likelihoods(const char *study, bool folds) {
    static char text[100000];
    static double x[POINTS * 3], got[2][PEOPLE * POINTS], in_blocks[PEOPLE * POINTS];
    write_diagnoses(text, sizeof text);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        problem p;
        asif_unit_rows r;
        open_problem(&p, study, text, threads);
        assert_int_equal(asif_unit_rows_open(&r, p.tree, NULL, 0, false, NULL), ASIF_OK);
        for (int a = 0; a < POINTS; a++) {
            x[a * 3] = -1 + .03 * a;
            x[a * 3 + 1] = cos(a);
            x[a * 3 + 2] = 20 * sin(2 * a);
        }
        x[0] = -800; /* exp(800) overflows: no such agent */
        asif_unit_likelihoods u = {
            .context = p.context, .estimates = p.estimates, .work = p.work, .rows = &r, .count = r.rows};
        asif_error error = ASIF_ERROR_INIT;
        CHECK(asif_unit_likelihoods_evaluate(&u, x, POINTS, take, got[threads - 1], &error) == ASIF_OK, "%s",
              error.message);
        /* in blocks of 64, of which the later ones use the solutions of the first */
        u.memory = 1;
        assert_true(r.rows > 64);
        assert_int_equal(asif_unit_likelihoods_evaluate(&u, x, POINTS, take, in_blocks, &error), ASIF_OK);
        assert_memory_equal(in_blocks, got[threads - 1], r.rows * POINTS * sizeof(double));
        /* some rows alone, which is another block */
        double some[3 * POINTS];
        const uint64_t chosen[] = {2, 3, r.rows - 1};
        u.chosen = chosen;
        u.count = 3;
        assert_int_equal(asif_unit_likelihoods_evaluate(&u, x, POINTS, take, some, &error), ASIF_OK);
        for (int k = 0; k < 3; k++)
            assert_memory_equal(some + k * POINTS, got[threads - 1] + chosen[k] * POINTS,
                                POINTS * sizeof(double));
        asif_theta *theta;
        assert_int_equal(asif_theta_create(&theta, p.context, asif_study_setting(p.study), NULL), ASIF_OK);
        for (uint64_t a = 0; a < POINTS; a++) {
            double total, by_unit[PEOPLE];
            asif_loglik_options o = ASIF_LOGLIK_OPTIONS_INIT;
            o.by_unit = by_unit;
            if (asif_estimates_theta(p.estimates, x + a * 3, theta, NULL) != ASIF_OK) {
                assert_int_equal(a, 0);
                for (uint64_t k = 0; k < r.rows; k++)
                    assert_true(isinf(got[threads - 1][k * POINTS]));
                continue;
            }
            assert_int_equal(asif_solve(p.work, theta, NULL, NULL), ASIF_OK);
            assert_int_equal(asif_loglik(&total, asif_work_behavior(p.work), p.tree, &o, NULL), ASIF_OK);
            for (uint64_t i = 0; i < PEOPLE; i++)
                CHECK_NEAR(got[threads - 1][r.row[i] * POINTS + a], by_unit[i], 1e-8);
        }
        asif_folded *folded;
        assert_int_equal(asif_folded_create(&folded, asif_work_behavior(p.work), p.tree, NULL, NULL),
                         ASIF_OK);
        assert_int_equal(folded != NULL, folds);
        asif_folded_free(folded);
        asif_theta_free(theta);
        asif_unit_rows_close(&r);
        close_problem(&p);
    }
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

static void likelihoods_of_rows(void **state) {
    (void)state;
    compare_likelihoods(diagnosis, false);
}

static void likelihoods_of_folded_rows(void **state) {
    (void)state;
    compare_likelihoods(limited, true);
}

/* ---- a population of choices, by quadrature ---- */

enum { CHOOSERS = 30, GRID = 400, MEANS = 41, SDS = 40 };
static const double PRIOR = 2; /* sd of the gain's prior, and scale of the population's sd */

static uint32_t trials(uint32_t i) {
    return 4 + i % 5 * 6;
}
static uint32_t hits(uint32_t i, bool equal) {
    return equal ? trials(i) / 2 : (trials(i) * (3 + i * 7 % 11) + 7) / 14;
}

static void write_choices(char *text, size_t size, bool equal) {
    size_t used = (size_t)snprintf(text, size, "subject,episode,t,state,action\n");
    for (uint32_t i = 0, row = 0; i < CHOOSERS; i++)
        for (uint32_t k = 0; k < trials(i); k++, row++)
            used += (size_t)snprintf(text + used, size - used, "c%02u,%u,0,s,%s\n", i, row,
                                     k < hits(i, equal) ? "a" : "b");
}

typedef struct {
    double mean[2], sd[2]; /* of the population's mean and sd */
    double unit_mean[CHOOSERS], unit_sd[CHOOSERS];
} truth;

/* The posterior of (mean, s) on a grid, each unit's gain integrated over a grid of its own. The population's
 * sd is that of s and of the least spread; s alone has the prior. */
static void integrate(truth *out, bool equal) {
    static double like[CHOOSERS][GRID], x[GRID];
    double total = 0, top = -INFINITY;
    static double log_posterior[MEANS][SDS];
    memset(out, 0, sizeof *out);
    for (int g = 0; g < GRID; g++) {
        x[g] = -8 + 16 * (g + .5) / GRID;
        for (uint32_t i = 0; i < CHOOSERS; i++)
            like[i][g] = exp(-(double)hits(i, equal) * log1p(exp(-x[g])) -
                             (double)(trials(i) - hits(i, equal)) * log1p(exp(x[g])));
    }
    for (int pass = 0; pass < 2; pass++)
        for (int m = 0; m < MEANS; m++)
            for (int s = 0; s < SDS; s++) {
                double mean = (equal ? .04 : .1) * (m - 20), own = (s + .5) * (equal ? .025 : .08),
                       sd = hypot(own, ASIF_LEAST_SPREAD * PRIOR), weight = 0, first[CHOOSERS],
                       second[CHOOSERS];
                if (pass == 0)
                    log_posterior[m][s] =
                        -mean * mean / (2 * PRIOR * PRIOR) - own * own / (2 * PRIOR * PRIOR);
                for (uint32_t i = 0; i < CHOOSERS; i++) {
                    double z = 0;
                    first[i] = second[i] = 0;
                    for (int g = 0; g < GRID; g++) {
                        double w = like[i][g] * exp(-(x[g] - mean) * (x[g] - mean) / (2 * sd * sd)) / sd;
                        z += w;
                        first[i] += w * x[g];
                        second[i] += w * x[g] * x[g];
                    }
                    first[i] /= z;
                    second[i] /= z;
                    if (pass == 0)
                        log_posterior[m][s] += log(z);
                }
                if (pass == 0) {
                    top = fmax(top, log_posterior[m][s]);
                    continue;
                }
                weight = exp(log_posterior[m][s] - top);
                total += weight;
                out->mean[0] += weight * mean;
                out->mean[1] += weight * sd;
                out->sd[0] += weight * mean * mean;
                out->sd[1] += weight * sd * sd;
                for (uint32_t i = 0; i < CHOOSERS; i++) {
                    out->unit_mean[i] += weight * first[i];
                    out->unit_sd[i] += weight * second[i];
                }
            }
    for (int k = 0; k < 2; k++) {
        out->mean[k] /= total;
        out->sd[k] = sqrt(out->sd[k] / total - out->mean[k] * out->mean[k]);
    }
    for (uint32_t i = 0; i < CHOOSERS; i++) {
        out->unit_mean[i] /= total;
        out->unit_sd[i] = sqrt(out->unit_sd[i] / total - out->unit_mean[i] * out->unit_mean[i]);
    }
}

/* What the text and the JSON say about draws that are left out. */
static void check_left_out(const asif_context *context, const asif_people *people,
                           const asif_people_view *v) {
    char *text, *json, want[64];
    assert_int_equal(asif_people_text(&text, people, NULL), ASIF_OK);
    assert_int_equal(asif_people_json(&json, people, NULL), ASIF_OK);
    snprintf(want, sizeof want, "\n%u of 1200 draws of the population are left out", (unsigned)v->left_out);
    assert_int_equal(strstr(text, want) != NULL, v->left_out > 0);
    snprintf(want, sizeof want, "\"left_out\": %u,", (unsigned)v->left_out);
    assert_non_null(strstr(json, want));
    assert_true(v->left_out <= 12);
    asif_memory_free(context, text);
    asif_memory_free(context, json);
}

static void compare_choices(bool equal) {
    static char text[100000];
    char *said[3] = {NULL, NULL, NULL};
    truth want;
    integrate(&want, equal);
    write_choices(text, sizeof text, equal);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        problem p;
        asif_people *people;
        asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
        asif_people_view v = {.struct_size = sizeof v};
        asif_error error = ASIF_ERROR_INIT;
        open_problem(&p, choice, text, threads);
        o.draws = 300;
        o.points = 512;
        o.most_points = 8192;
        CHECK(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, &o, &error) == ASIF_OK, "%s",
              error.message);
        assert_int_equal(asif_people_get(people, &v, NULL), ASIF_OK);
        assert_int_equal(v.units, CHOOSERS);
        assert_true(v.points <= o.most_points);
        check_left_out(p.context, people, &v);
        assert_true(v.rows < v.units);
        assert_true(v.usable);
        assert_int_equal(v.population_numbers, 2);
        assert_string_equal(v.population[0].name, "mean_gain");
        assert_string_equal(v.population[1].name, "sd_gain");
        for (int k = 0; k < 2; k++) {
            CHECK(fabs(v.population[k].mean - want.mean[k]) < .1 * want.sd[k],
                  "%s: %g, by quadrature %g (sd %g)", v.population[k].name, v.population[k].mean,
                  want.mean[k], want.sd[k]);
            CHECK(fabs(v.population[k].sd / want.sd[k] - 1) < .1, "%s: sd %g, by quadrature %g",
                  v.population[k].name, v.population[k].sd, want.sd[k]);
        }
        assert_int_equal(v.served, CHOOSERS);
        for (uint32_t i = 0; i < CHOOSERS; i++) {
            asif_person_number n;
            asif_person_info info;
            assert_int_equal(asif_people_unit(people, i, &n, &info, NULL), ASIF_OK);
            CHECK(fabs(n.mean - want.unit_mean[i]) < .1 * want.unit_sd[i],
                  "unit %u: %g, by quadrature %g (sd %g)", i, n.mean, want.unit_mean[i], want.unit_sd[i]);
            CHECK(fabs(n.sd / want.unit_sd[i] - 1) < .1, "unit %u: sd %g, by quadrature %g", i, n.sd,
                  want.unit_sd[i]);
            CHECK(fabs(n.q05 - (n.mean - 1.645 * n.sd)) < .3 * n.sd &&
                      fabs(n.q95 - (n.mean + 1.645 * n.sd)) < .3 * n.sd,
                  "unit %u: %g to %g", i, n.q05, n.q95);
        }
        assert_int_equal(asif_people_unit(people, CHOOSERS, NULL, NULL, NULL), ASIF_EDOMAIN);
        assert_int_equal(asif_people_csv(&said[threads - 1], people, NULL), ASIF_OK);
        char *copy = strdup(said[threads - 1]);
        asif_memory_free(p.context, said[threads - 1]);
        said[threads - 1] = copy;
        asif_people_free(people);
        close_problem(&p);
    }
    assert_string_equal(said[0], said[1]); /* the same for any number of threads */
    assert_string_equal(said[0], said[2]);
    for (int k = 0; k < 3; k++)
        free(said[k]);
}

static void population_of_choices(void **state) {
    (void)state;
    compare_choices(false);
}

/* People who do not differ: the population is as narrow as the least spread allows, and is fitted. */
static void population_of_equals(void **state) {
    (void)state;
    compare_choices(true);
}

/* The table is not larger than the options say, also where that is less than its first round. */
static void most_points(void **state) {
    (void)state;
    static char text[100000];
    static const uint64_t most[] = {100, 512, 1000, 4000};
    write_choices(text, sizeof text, false);
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        problem p;
        asif_people *people;
        asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
        asif_people_view v = {.struct_size = sizeof v};
        open_problem(&p, choice, text, 2);
        o.points = 512;
        o.most_points = most[k];
        assert_int_equal(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, &o, NULL), ASIF_OK);
        assert_int_equal(asif_people_get(people, &v, NULL), ASIF_OK);
        CHECK(v.points <= most[k], "%u points, at most %u", (unsigned)v.points, (unsigned)most[k]);
        assert_true(k == 0 ? !v.usable : k < 3 || v.usable);
        asif_people_free(people);
        close_problem(&p);
    }
}

/* ---- covariates ---- */

enum { NODES = 100, MEAN_GRID = 25, SD_GRID = 20, COEF_GRID = 25 };

/* Ages are 20 to 65; older people choose `a` more often. */
static double age(uint32_t i) {
    return 20 + i * 17 % 46;
}
static uint32_t hits_by_age(uint32_t i) {
    double p = .15 + .7 * (age(i) - 20) / 45 + .12 * sin(i * 2.3);
    return (uint32_t)(trials(i) * fmin(fmax(p, 0), 1) + .5);
}

static void write_ages(char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "subject,age,site,episode,t,state,action\n");
    for (uint32_t i = 0, row = 0; i < CHOOSERS; i++)
        for (uint32_t k = 0; k < trials(i); k++, row++)
            used += (size_t)snprintf(text + used, size - used, "c%02u,%g,%s,%u,0,s,%s\n", i, age(i),
                                     i % 3 ? i % 3 > 1 ? "south" : "north" : "east", row,
                                     k < hits_by_age(i) ? "a" : "b");
}

/* The posterior of (mean, s, coefficient) by quadrature: gain_i ~ N(mean + coefficient z_i, s^2 + least^2), z
 * in standard deviations. Priors: normal(0, 2), half-normal(2), normal(0, 2). */
static void integrate_ages(double *mean, double *sd) {
    static double like[CHOOSERS][NODES], x[NODES], log_posterior[MEAN_GRID * SD_GRID * COEF_GRID][4];
    double centre = 0, spread = 0, top = -INFINITY, total = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < CHOOSERS; i++)
        centre += age(i) / CHOOSERS;
    for (uint32_t i = 0; i < CHOOSERS; i++)
        spread += (age(i) - centre) * (age(i) - centre) / CHOOSERS;
    for (int g = 0; g < NODES; g++) {
        x[g] = -7 + 14 * (g + .5) / NODES;
        for (uint32_t i = 0; i < CHOOSERS; i++)
            like[i][g] = exp(-(double)hits_by_age(i) * log1p(exp(-x[g])) -
                             (double)(trials(i) - hits_by_age(i)) * log1p(exp(x[g])));
    }
    for (int m = 0; m < MEAN_GRID; m++)
        for (int s = 0; s < SD_GRID; s++)
            for (int b = 0; b < COEF_GRID; b++, at++) {
                double mu = .2 + .06 * (m - 12), own = (s + .5) * .06, coef = 1.4 + .08 * (b - 12),
                       wide = hypot(own, ASIF_LEAST_SPREAD * PRIOR), *p = log_posterior[at];
                p[0] = -(mu * mu + own * own + coef * coef) / (2 * PRIOR * PRIOR);
                p[1] = mu;
                p[2] = wide;
                p[3] = coef;
                for (uint32_t i = 0; i < CHOOSERS; i++) {
                    double z = 0, here = mu + coef * (age(i) - centre) / sqrt(spread);
                    for (int g = 0; g < NODES; g++)
                        z += like[i][g] * exp(-(x[g] - here) * (x[g] - here) / (2 * wide * wide)) / wide;
                    p[0] += log(z);
                }
                top = fmax(top, p[0]);
            }
    for (int k = 0; k < 3; k++)
        mean[k] = sd[k] = 0;
    for (uint32_t i = 0; i < at; i++) {
        double w = exp(log_posterior[i][0] - top);
        total += w;
        for (int k = 0; k < 3; k++) {
            mean[k] += w * log_posterior[i][k + 1];
            sd[k] += w * log_posterior[i][k + 1] * log_posterior[i][k + 1];
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= total;
        sd[k] = sqrt(sd[k] / total - mean[k] * mean[k]);
    }
}

static const char *const ages[] = {"age", "site", NULL};

static void population_by_age(void **state) {
    (void)state;
    static char text[100000];
    const asif_people_effect effect[] = {{"gain", "age", false}};
    double mean[3], sd[3];
    char *said[2] = {NULL, NULL};
    integrate_ages(mean, sd);
    write_ages(text, sizeof text);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        problem p;
        asif_people *people;
        asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
        asif_people_view v = {.struct_size = sizeof v};
        asif_error error = ASIF_ERROR_INIT;
        open_with(&p, choice, text, threads, ages);
        o.points = 512;
        o.most_points = 8192;
        o.effects = 1;
        o.effect = effect;
        CHECK(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, &o, &error) == ASIF_OK, "%s",
              error.message);
        assert_int_equal(asif_people_get(people, &v, NULL), ASIF_OK);
        assert_true(v.usable);
        assert_int_equal(v.population_numbers, 3);
        assert_string_equal(v.population[2].name, "coef_gain_age");
        for (int k = 0; k < 3; k++) {
            CHECK(fabs(v.population[k].mean - mean[k]) < .15 * sd[k], "%s: %g, by quadrature %g (sd %g)",
                  v.population[k].name, v.population[k].mean, mean[k], sd[k]);
            CHECK(fabs(v.population[k].sd / sd[k] - 1) < .15, "%s: sd %g, by quadrature %g",
                  v.population[k].name, v.population[k].sd, sd[k]);
        }
        assert_int_equal(v.served, CHOOSERS);
        assert_int_equal(asif_people_csv(&said[threads - 1], people, NULL), ASIF_OK);
        char *copy = strdup(said[threads - 1]);
        asif_memory_free(p.context, said[threads - 1]);
        said[threads - 1] = copy;
        asif_people_free(people);
        close_problem(&p);
    }
    assert_string_equal(said[0], said[1]); /* the same for any number of threads */
    free(said[0]);
    free(said[1]);
}

/* Further units are coded as those of the population were, whoever else is there. */
static void coding_of_further_people(void **state) {
    (void)state;
    problem p;
    asif_unit_design d;
    asif_error error = ASIF_ERROR_INIT;
    const asif_people_effect effect[] = {{"gain", "site", false}, {"gain", "age", false}};
    const asif_design_columns given = {3,
                                       {{"site", "north", "east", .25, NAN, .25},
                                        {"site", "south", "east", .5, NAN, .5},
                                        {"age", NULL, NULL, 40, 10, NAN}}};
    open_with(&p, choice, "subject,site,age,episode,t,state,action\nx,south,60,1,0,s,a\ny,east,35,2,0,s,b\n",
              1, ages);
    assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, effect, 2, &given, &error), ASIF_OK);
    assert_int_equal(d.columns, 3);
    const double z[] = {-.25, .5, 2, -.25, -.5, -.5};
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(d.z[i], z[i], 1e-15);
    asif_unit_design_close(&d);
    close_problem(&p);
    static const struct {
        const char *logs, *message;
    } refused[] = {
        {"subject,site,age,episode,t,state,action\nx,west,60,1,0,s,a\ny,east,35,2,0,s,b\n",
         "`site` is `west` for 1 of 2 decision-makers, and for nobody of the population that is given"},
        {"subject,site,age,episode,t,state,action\nx,east,old,1,0,s,a\n",
         "`age` is `old` for 1 of 1 decision-makers, and for nobody of the population that is given"}};
    for (size_t k = 0; k < 2; k++) {
        open_with(&p, choice, refused[k].logs, 1, ages);
        assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, effect, 2, &given, &error),
                         ASIF_EINVALID);
        assert_string_equal(error.message, refused[k].message);
        asif_unit_design_close(&d);
        close_problem(&p);
    }
}

/* Groups have a column each, and a standard deviation for each parameter. */
static void coding_of_groups(void **state) {
    (void)state;
    problem p;
    asif_unit_design d;
    asif_error error = ASIF_ERROR_INIT;
    const asif_people_effect effect[] = {{"gain", "age", ASIF_EFFECT_VALUES},
                                         {"gain", "site", ASIF_EFFECT_GROUPS}};
    open_with(&p, choice,
              "subject,site,age,episode,t,state,action\nx,south,60,1,0,s,a\ny,east,30,2,0,s,b\n"
              "z,south,30,3,0,s,b\n",
              1, ages);
    assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, effect, 2, NULL, &error), ASIF_OK);
    assert_int_equal(d.columns, 3);
    assert_int_equal(d.pools, 1);
    const uint32_t pool[] = {0, 1, 1};
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(d.effect[k].pool, pool[k]);
    assert_string_equal(d.column[1].level, "east");
    assert_string_equal(d.column[2].level, "south");
    assert_null(d.column[2].reference);
    CHECK_NEAR(d.column[2].share, 2. / 3, 1e-15);
    const double z[] = {0, 1, 1, 0, 0, 1};
    for (int u = 0; u < 3; u++) {
        CHECK_NEAR(d.z[u * 3 + 1], z[u * 2], 0);
        CHECK_NEAR(d.z[u * 3 + 2], z[u * 2 + 1], 0);
    }
    asif_unit_design_close(&d);
    close_problem(&p);
}

/* Columns of the regression: standard deviations from the mean, and labels against the first. */
static void coding_of_covariates(void **state) {
    (void)state;
    static char text[100000];
    problem p;
    asif_unit_design d;
    asif_unit_rows r;
    const asif_people_effect effect[] = {{"gain", "site", false}, {"gain", "age", false}};
    write_ages(text, sizeof text);
    open_with(&p, choice, text, 1, ages);
    assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, effect, 2, NULL, NULL), ASIF_OK);
    assert_int_equal(d.columns, 3);
    assert_int_equal(d.effects, 3);
    assert_string_equal(d.column[0].level, "north");
    assert_string_equal(d.column[1].level, "south");
    assert_string_equal(d.column[1].reference, "east");
    double sum[3] = {0}, squares = 0;
    for (uint32_t i = 0; i < CHOOSERS; i++) {
        const double *z = d.z + (uint64_t)i * 3;
        CHECK_NEAR(z[0], (i % 3 == 1) - 1. / 3, 1e-12);
        CHECK_NEAR(z[1], (i % 3 == 2) - 1. / 3, 1e-12);
        CHECK_NEAR(z[2] * d.column[2].sd + d.column[2].mean, age(i), 1e-9);
        for (int k = 0; k < 3; k++)
            sum[k] += z[k];
        squares += z[2] * z[2];
    }
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(sum[k], 0, 1e-9);
    CHECK_NEAR(squares, CHOOSERS, 1e-9);
    /* people who decided alike have rows of their own if their covariates differ */
    assert_int_equal(asif_unit_rows_open(&r, p.tree, d.z, d.columns, false, NULL), ASIF_OK);
    assert_int_equal(r.rows, CHOOSERS);
    asif_unit_rows_close(&r);
    asif_unit_design_close(&d);
    /* ages as labels: too many of them */
    const asif_people_effect many = {"gain", "age", ASIF_EFFECT_LABELS};
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, &many, 1, NULL, &error), ASIF_EINVALID);
    assert_string_equal(error.message,
                        "29 columns of covariates cannot be told apart with 30 decision-makers");
    asif_unit_design_close(&d);
    const asif_people_effect bad[][2] = {{{"alpha", "age", false}},
                                         {{"gain", "height", false}},
                                         {{"gain", "site", false}, {"gain", "site", false}}};
    const asif_status status[] = {ASIF_EUNKNOWN, ASIF_EUNKNOWN, ASIF_EINVALID};
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, bad[k], k == 2 ? 2 : 1, NULL, &error),
                         status[k]);
        asif_unit_design_close(&d);
    }
    close_problem(&p);
    static const char *const only[] = {"age", NULL};
    size_t length = (size_t)snprintf(text, sizeof text, "subject,age,episode,t,state,action\n");
    for (int i = 0; i < 66; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "p%d,%d,%d,0,s,a\n", i, i, i);
    open_with(&p, choice, text, 1, only);
    assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, &many, 1, NULL, &error), ASIF_EINVALID);
    assert_non_null(strstr(error.message, "at most 64 coefficients"));
    asif_unit_design_close(&d);
    close_problem(&p);
    static const struct {
        const char *logs, *message;
    } refused[] = {{"subject,age,episode,t,state,action\nx,1,1,0,s,a\ny,1,2,0,s,b\nz,1,3,0,s,b\n",
                    "`age` is the same for all decision-makers, and explains nothing"},
                   {"subject,age,episode,t,state,action\nx,1,1,0,s,a\ny,,2,0,s,b\nz,1,3,0,s,b\n",
                    "`age` is missing for 1 of 3 decision-makers"}};
    for (size_t k = 0; k < 2; k++) {
        const asif_people_effect by_age = {"gain", "age", false};
        open_with(&p, choice, refused[k].logs, 1, only);
        assert_int_equal(asif_unit_design_open(&d, p.tree, p.estimates, &by_age, 1, NULL, &error),
                         ASIF_EINVALID);
        assert_string_equal(error.message, refused[k].message);
        asif_unit_design_close(&d);
        close_problem(&p);
    }
}

static void refusals(void **state) {
    (void)state;
    problem p;
    asif_people *people;
    asif_error error = ASIF_ERROR_INIT;
    open_problem(&p, choice, "episode,t,state,action\n1,0,s,a\n2,0,s,b\n", 1);
    asif_tree *plain;
    assert_int_equal(asif_tree_select(&plain, p.tree, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_people_fit(&people, p.context, p.work, p.estimates, plain, NULL, &error),
                     ASIF_EINVALID);
    assert_null(people);
    assert_string_equal(error.message, "the logs do not tell who decided");
    asif_tree_free(plain);
    close_problem(&p);
    open_problem(&p, choice, "subject,episode,t,state,action\nx,1,0,s,a\nx,2,0,s,b\n", 1);
    assert_int_equal(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, NULL, &error),
                     ASIF_EINVALID);
    asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
    o.chains = 0;
    assert_int_equal(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, &o, &error),
                     ASIF_EDOMAIN);
    o.chains = 4;
    o.most_points = 63;
    assert_int_equal(asif_people_fit(&people, p.context, p.work, p.estimates, p.tree, &o, &error),
                     ASIF_EDOMAIN);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_rows),
                                       cmocka_unit_test(likelihoods_of_rows),
                                       cmocka_unit_test(likelihoods_of_folded_rows),
                                       cmocka_unit_test(population_of_choices),
                                       cmocka_unit_test(population_of_equals),
                                       cmocka_unit_test(most_points),
                                       cmocka_unit_test(population_by_age),
                                       cmocka_unit_test(coding_of_covariates),
                                       cmocka_unit_test(coding_of_further_people),
                                       cmocka_unit_test(coding_of_groups),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
