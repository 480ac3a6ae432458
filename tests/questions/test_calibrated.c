/* Predictive checks: p-values are uniform where the model is true, and known. ctest label: slow */
#include "checks/checked.h"
#include "checks/predictive_checks.h"

#include "base/text.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's distance to the uniform distribution, 1 %: 1.63 / sqrt(n). */
static void check_uniform(double *p, uint32_t n, double grain, const char *what) {
    double distance = 0;
    qsort(p, n, sizeof *p, ascending);
    for (uint32_t i = 0; i < n; i++)
        distance = fmax(distance, fmax((i + 1.) / n - p[i], p[i] - (double)i / n));
    CHECK(distance < 1.63 / sqrt(n) + grain, "%s: distance %.3f to uniform", what, distance);
}

/* At the truth, p-values of the logs of the model itself are uniform. */
static void test_uniform(void **state) {
    (void)state;
    enum { SETS = 200, LOOKED = 5 };
    static const asif_check_kind kinds[LOOKED] = {ASIF_CHECK_STEPS, ASIF_CHECK_BELIEFS, ASIF_CHECK_HISTORIES,
                                                  ASIF_CHECK_ENVIRONMENT, ASIF_CHECK_LENGTHS};
    static double p_value[LOOKED][SETS];
    problem p;
    asif_work *agent;
    open_problem(&p, NULL, NULL);
    p.maximum[0] = log(2); /* so that all actions are taken */
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    for (uint32_t i = 0; i < SETS; i++) {
        asif_predictive_checks_view view;
        asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
        renew_logs(&p, agent, 40, 1000 + i, 1000);
        options.replicates = 199;
        options.simulated = 39;
        options.seed = i;
        asif_predictive_checks *checks = run(&p, &options, &view);
        for (uint32_t k = 0; k < LOOKED; k++)
            p_value[k][i] = family(&view, kinds[k])->p;
        asif_predictive_checks_free(checks);
    }
    for (uint32_t k = 0; k < LOOKED; k++)
        check_uniform(p_value[k], SETS, 1. / (kinds[k] == ASIF_CHECK_LENGTHS ? 40 : 200),
                      asif_check_text(kinds[k]));
    asif_work_free(agent);
    close_problem(&p);
}

/* ---- subjects ---- */

typedef struct {
    asif_text *text;
    uint32_t each; /* episodes of a subject */
} dealing;

/* A line of simulated logs, with whose episode it is. */
static asif_status deal(void *user, const char *bytes, uint64_t length) {
    const dealing *d = user;
    for (const char *line = bytes, *end; line < bytes + length; line = end + 1) {
        end = memchr(line, '\n', (size_t)(bytes + length - line));
        if (line[0] == 'e')
            asif_text_add(d->text, "subject,");
        else
            asif_text_addf(d->text, "%lu,", (unsigned long)(strtoul(line, NULL, 10) - 1) / d->each);
        asif_text_add_n(d->text, line, (uint64_t)(end - line) + 1);
    }
    return ASIF_OK;
}

static void renew_subjects(problem *p, const asif_work *solved, uint64_t subjects, uint32_t each,
                           uint64_t seed) {
    asif_text text = {.context = p->context};
    dealing d = {&text, each};
    asif_simulate_options how = ASIF_SIMULATE_OPTIONS_INIT;
    asif_logs_options reading = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *all;
    how.episodes = subjects * each;
    how.seed = seed;
    assert_int_equal(asif_simulate_csv(asif_work_behavior(solved), &how, deal, &d, NULL, NULL), ASIF_OK);
    reading.setting = p->setting;
    reading.subjects = true;
    assert_int_equal(
        asif_logs_read_text(&all, p->context, text.data, text.length, "logs", &reading, NULL, NULL, NULL),
        ASIF_OK);
    asif_tree_free(p->tree);
    assert_int_equal(asif_tree_by_subject(&p->tree, all, NULL, NULL, NULL), ASIF_OK);
    p->fitted.tree = p->tree;
    asif_tree_free(all);
    asif_text_free(&text);
}

/* Subjects of one kind with three episodes each. When an episode ends depends on what was done; p-values are
 * uniform all the same, and the mean of a spread is 1: squares of a martingale, less its variances, have mean
 * 0 whenever it is stopped. */
static void test_subjects(void **state) {
    (void)state;
    enum { SETS = 200, SUBJECTS = 15, EACH = 3 };
    static double p_value[SETS];
    double mean[2] = {0}, square[2] = {0};
    problem p;
    asif_work *agent;
    open_problem(&p, NULL, NULL);
    p.maximum[0] = log(2);
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    for (uint32_t i = 0; i < SETS; i++) {
        asif_predictive_checks_view view;
        asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
        renew_subjects(&p, agent, SUBJECTS, EACH, 9000 + i);
        options.replicates = 200;
        options.simulated = 0;
        options.seed = i;
        asif_predictive_checks *checks = run(&p, &options, &view);
        const asif_check_family *here = family(&view, ASIF_CHECK_SUBJECTS);
        assert_true(here->judged && here->subjects == SUBJECTS);
        p_value[i] = here->p;
        for (uint32_t k = 0; k < 2; k++) {
            double spread = here->group[k].cell->observed;
            mean[k] += spread / SETS;
            square[k] += spread * spread / SETS;
        }
        asif_predictive_checks_free(checks);
    }
    for (uint32_t k = 0; k < 2; k++) {
        double error = sqrt((square[k] - mean[k] * mean[k]) / SETS);
        CHECK(fabs(mean[k] - 1) < 4 * error, "mean spread %g, standard error %g", mean[k], error);
    }
    check_uniform(p_value, SETS, 1. / 200, "subjects");
    asif_work_free(agent);
    close_problem(&p);
}

/* With draws of a posterior they are not too small too often. */
static void test_draws(void **state) {
    (void)state;
    enum { SETS = 30 };
    uint32_t small[3] = {0};
    static const asif_check_kind kinds[3] = {ASIF_CHECK_STEPS, ASIF_CHECK_BELIEFS, ASIF_CHECK_LENGTHS};
    problem p;
    asif_work *agent;
    open_problem(&p, NULL, NULL);
    p.maximum[0] = log(2);
    assert_int_equal(asif_work_clone(&agent, p.work, NULL), ASIF_OK);
    solve(&p, agent);
    for (uint32_t i = 0; i < SETS; i++) {
        asif_fit *fit;
        asif_fit_options how;
        asif_fit_view fitted = {.struct_size = sizeof fitted};
        asif_predictive_checks_view view;
        asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
        renew_logs(&p, agent, 40, 5000 + i, 1000);
        asif_fit_defaults(&how, ASIF_FIT_METROPOLIS);
        how.starts = 1;
        how.histories = 0;
        how.sample.chains = 1;
        how.sample.warmup = how.sample.draws = 100;
        assert_int_equal(asif_fit_estimate(&fit, p.context, p.work, p.estimates, p.tree, &how, NULL, NULL),
                         ASIF_OK);
        assert_int_equal(asif_fit_get(fit, &fitted, NULL), ASIF_OK);
        p.fitted.draws = fitted.draws;
        options.draws = 50;
        options.replicates = 200;
        options.simulated = 30;
        asif_predictive_checks *checks = run(&p, &options, &view);
        assert_true(!view.maximum && view.draws == 50 && view.replicates == 200);
        for (uint32_t k = 0; k < 3; k++)
            small[k] += family(&view, kinds[k])->p <= .1;
        asif_predictive_checks_free(checks);
        asif_fit_free(fit);
    }
    for (uint32_t k = 0; k < 3; k++) /* of 30 with probability .1, more than 9 come with probability .0005 */
        CHECK(small[k] <= 9, "%s: %u of 30 p-values are below .1", asif_check_text(kinds[k]), small[k]);
    asif_work_free(agent);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_subjects),
        cmocka_unit_test(test_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
