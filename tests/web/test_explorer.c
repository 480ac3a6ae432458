/* The explorer's C without a browser, so that every build compiles it and the sanitizers see its memory: each
 * answer is freed by the next call. */
#include "../../web/explorer.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char study[1 << 14], undiscounted[1 << 14];

/* Instead of the page's: nobody watches. */
void explorer_progress(const char *what, double done);
void explorer_progress(const char *what, double done) {
    (void)what;
    (void)done;
}

static int read_file(char *out, size_t size, const char *name) {
    const char *source = getenv("ASIF_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    size_t length = fread(out, 1, size - 1, file);
    out[length] = 0;
    return fclose(file);
}

static int read_studies(void **state) {
    (void)state;
    return read_file(study, sizeof study, "examples/diag/study.yaml") ||
           read_file(undiscounted, sizeof undiscounted, "examples/observe-or-bet/study.yaml");
}

static bool has(const char *answer, const char *words) {
    return strstr(answer, words) != NULL;
}

static bool failed(const char *answer) {
    return strncmp(answer, "{\"error\"", 8) == 0;
}

static void test_agents_are_solved(void **state) {
    (void)state;
    assert_false(failed(explorer_open(study)));
    const char *values = "alpha=0.5\noptimism=0.8\neta=0.001";
    const char *answer = explorer_solve(0, values, 0, "monitor:positive,monitor:positive", NULL, 0);
    /* The README's second positive test: 0.907. */
    assert_true(has(answer, "\"belief\": [0.09315"));
    answer =
        explorer_solve(0, "alpha=0.5\noptimism=0\neta=0", 0, "monitor:positive,monitor:positive", NULL, 0);
    /* The worlds of a neutral agent say 0.6, 0.7 and 0.8: it is 70 % sure after one positive test. */
    assert_true(has(answer, "\"belief\": [0.3"));
    assert_true(failed(explorer_solve(0, "alpah=1", 0, "", NULL, 0)));
    const double *grid = explorer_grid(0, 10);
    assert_non_null(grid);
    for (int i = 0; i <= 10; i++) {
        double sum = 0;
        for (int u = 0; u < 3; u++)
            sum += grid[3 * i + u];
        assert_true(sum > 1 - 1e-12 && sum < 1 + 1e-12);
    }
}

static void test_costs_of_a_long_run_that_is_none(void **state) {
    (void)state;
    assert_false(failed(explorer_open(undiscounted)));
    const char *answer = explorer_solve(0, "look=0.1\nstick=0.1\nalpha=0.5", 0, "", NULL, 0);
    assert_true(has(answer, "\"policy\""));
    assert_false(has(answer, "\"occupancy\""));
    assert_false(failed(explorer_open(study)));
    assert_true(has(explorer_solve(0, "alpha=1\noptimism=0\neta=0", 0, "", NULL, 0), "\"occupancy\""));
}

static void test_studies_are_refused(void **state) {
    (void)state;
    assert_false(failed(explorer_open(study)));
    assert_true(has(explorer_open("asif: 1\nstates: [a, b\n"), "\"line\": 3"));
    /* The study that was open still is. */
    assert_false(failed(explorer_solve(0, "alpha=1\noptimism=0\neta=0", 0, "", NULL, 0)));
}

static void test_logs(void **state) {
    (void)state;
    assert_false(failed(explorer_open(study)));
    const char *values = "alpha=0.5\noptimism=0.8\neta=0.001";
    for (uint32_t i = 0; i < EXPLORER_AGENTS; i++)
        assert_false(failed(explorer_solve(i, values, 0, "", NULL, 0)));
    /* An agent cannot be told from itself. */
    assert_true(has(explorer_apart(100), "{\"nats_per_1000\": 0,"));
    assert_false(failed(explorer_outcomes(0, 50)));
    char *table = strdup(explorer_simulate(0, 30));
    assert_non_null(table);
    assert_true(has(explorer_count(table), "episodes    30"));
    assert_true(
        has(explorer_count("episode,t,action,observation\n1,0,monitr,positive\n"), "did you mean `monitor`"));
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agents_are_solved),
        cmocka_unit_test(test_costs_of_a_long_run_that_is_none),
        cmocka_unit_test(test_studies_are_refused),
        cmocka_unit_test(test_logs),
    };
    return cmocka_run_group_tests(tests, read_studies, NULL);
}
