/* Stan CSV: round trips to the last bit, files as Stan writes them, and what is said about mistakes. What
 * other software makes of our files is in test_other_software.py. */
#include "check.h"

#include "asif/sample.h"
#include "sample/draws.h"

#include <float.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static asif_context *context;

static int setup(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL);
}

static int teardown(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

/* ---- round trips ---- */

static const double awkward[] = {0.1,  -0.0,     1.0 / 3,   DBL_MIN,   5e-324, DBL_MAX,           -1e22,
                                 1e23, INFINITY, -INFINITY, 123456789, 2.5,    3.141592653589793, -1e-7};

static asif_draws *make(const asif_context *in, asif_method method, uint32_t dimension) {
    static const char *const name[] = {"alpha", "theta.1", "theta.2", "a-b_c"};
    enum { CHAINS = 3, DRAWS = 5 };
    asif_draws *d;
    if (asif_draws_create(&d, in, CHAINS, DRAWS, LENGTH(name), name, dimension, NULL) != ASIF_OK)
        return NULL;
    asif_draws_view *v = &d->view;
    v->method = method;
    v->warmup = 1000;
    v->thin = 7;
    v->seed = UINT64_MAX;
    v->max_depth = 12;
    uint32_t next = 0;
    for (uint32_t c = 0; c < CHAINS; c++) {
        for (uint32_t i = 0; i < DRAWS; i++) {
            for (uint32_t k = 0; k < LENGTH(name); k++)
                asif_draws_values(d, k, c)[i] = awkward[next++ % LENGTH(awkward)];
            uint32_t stats = method == ASIF_METHOD_NUTS ? ASIF_STAT_COUNT : 2;
            for (uint32_t s = 0; s < stats; s++)
                asif_draws_stats(d, (asif_stat)s, c)[i] = (s + 1) / 7.0 + i + 10 * c;
        }
        if (method == ASIF_METHOD_NUTS)
            *asif_draws_step(d, c) = 0.1 + c / 3.0;
        for (uint32_t i = 0; i < dimension * dimension; i++)
            asif_draws_metric(d, c)[i] = 1.0 / (i + 3) + c;
    }
    return d;
}

static bool same_bits(const double *a, const double *b, uint64_t n) {
    return memcmp(a, b, n * sizeof *a) == 0;
}

static void check_equal(const asif_draws *a, const asif_draws *b) {
    const asif_draws_view *v = &a->view, *w = &b->view;
    uint64_t n = v->chains * v->draws, square = (uint64_t)v->dimension * v->dimension;
    assert_true(v->method == w->method && v->chains == w->chains && v->columns == w->columns &&
                v->draws == w->draws && v->dimension == w->dimension);
    assert_true(v->warmup == w->warmup && v->thin == w->thin && v->seed == w->seed &&
                v->max_depth == w->max_depth);
    for (uint32_t k = 0; k < v->columns; k++)
        assert_string_equal(v->name[k], w->name[k]);
    assert_true(same_bits(v->value, w->value, v->columns * n));
    assert_true(same_bits(v->stat, w->stat, ASIF_STAT_COUNT * n));
    assert_true(same_bits(v->step, w->step, v->chains));
    assert_true(!v->metric == !w->metric);
    assert_true(!v->metric || same_bits(v->metric, w->metric, v->chains * square));
}

static asif_status through_text(asif_draws **out, const asif_draws *draws) {
    char *text[3] = {NULL};
    uint64_t length[3];
    static const char *const name[] = {"a", "b", "c"};
    asif_status status = ASIF_OK;
    for (uint32_t c = 0; status == ASIF_OK && c < 3; c++) {
        status = asif_draws_csv(&text[c], draws, c, "my model=1", NULL);
        length[c] = text[c] ? strlen(text[c]) : 0;
    }
    if (status == ASIF_OK)
        status = asif_draws_read_text(out, draws->context, (const char *const *)text, length, name, 3, NULL);
    for (uint32_t c = 0; c < 3; c++)
        asif_memory_free(draws->context, text[c]);
    return status;
}

static void test_round_trip(void **state) {
    (void)state;
    for (int m = ASIF_METHOD_NUTS; m <= ASIF_METHOD_PUBLISHED; m++)
        for (uint32_t dimension = 0; dimension <= 4; dimension += 2) {
            asif_draws *draws = make(context, (asif_method)m, dimension), *back;
            assert_int_equal(through_text(&back, draws), ASIF_OK);
            check_equal(draws, back);
            asif_draws_free(draws);
            asif_draws_free(back);
        }
}

static void test_files(void **state) {
    (void)state;
    asif_draws *draws = make(context, ASIF_METHOD_NUTS, 2), *back;
    char path[3][64];
    const char *paths[3];
    for (uint32_t c = 0; c < 3; c++) {
        char *text;
        assert_int_equal(asif_draws_csv(&text, draws, c, NULL, NULL), ASIF_OK);
        paths[c] = path[c];
        snprintf(path[c], sizeof path[c], "test_stan_csv_%u.csv", c);
        FILE *file = fopen(path[c], "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
        fclose(file);
        asif_memory_free(context, text);
    }
    assert_int_equal(asif_draws_read(&back, context, paths, 3, NULL), ASIF_OK);
    check_equal(draws, back);
    asif_draws_free(back);
    for (uint32_t c = 0; c < 3; c++)
        remove(path[c]);
    asif_error e = ASIF_ERROR_INIT;
    assert_int_equal(asif_draws_read(&back, context, paths, 3, &e), ASIF_ENOFILE);
    assert_null(back);
    assert_non_null(strstr(e.file[0] ? e.file : e.message, path[0]));
    asif_draws_free(draws);
}

/* The file of the first chain, in full: a reader of the format can check it by eye. */
static void test_bytes(void **state) {
    (void)state;
    static const char *const name[] = {"theta"};
    static const char want[] =
        "# model = diag_model\n"
        "# method = sample (Default)\n"
        "#   sample\n"
        "#     num_samples = 4\n"
        "#     num_warmup = 10\n"
        "#     save_warmup = 0\n"
        "#     thin = 2\n"
        "#     adapt\n"
        "#       engaged = 1\n"
        "#     algorithm = hmc\n"
        "#       hmc\n"
        "#         engine = nuts\n"
        "#           nuts\n"
        "#             max_depth = 10\n"
        "#         metric = dense_e\n"
        "# id = 1\n"
        "# random\n"
        "#   seed = 3\n"
        "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta\n"
        "# Adaptation terminated\n"
        "# Step size = 0.5\n"
        "# Elements of inverse mass matrix:\n"
        "# 2.25\n"
        "0,0,0,0,0,0,0,0.1\n"
        "0,0,0,0,0,0,0,-7\n"
        "#\n"
        "#\n";
    asif_draws *d;
    char *text;
    assert_int_equal(asif_draws_create(&d, context, 1, 2, 1, name, 1, NULL), ASIF_OK);
    d->view.warmup = 10;
    d->view.thin = 2;
    d->view.seed = 3;
    d->view.max_depth = 10;
    asif_draws_values(d, 0, 0)[0] = 0.1;
    asif_draws_values(d, 0, 0)[1] = -7;
    *asif_draws_step(d, 0) = 0.5;
    *asif_draws_metric(d, 0) = 2.25;
    assert_int_equal(asif_draws_csv(&text, d, 0, "diag model", NULL), ASIF_OK);
    const char *after = strstr(text, "# model");
    assert_non_null(after);
    assert_string_equal(after, want);
    assert_int_equal(strncmp(text, "# asif_version = ", 17), 0);
    asif_memory_free(context, text);
    asif_draws_free(d);
}

static void test_refused_to_write(void **state) {
    (void)state;
    static const char *const bad[] = {"",    "a b", "a,b", "a\nb",     "lp__", "my__",
                                      "a.b", "a.",  ".1",  "\xc3\xa9", "#a",   "a=1"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        asif_draws *d;
        char *text;
        asif_error e = ASIF_ERROR_INIT;
        assert_int_equal(asif_draws_create(&d, context, 1, 1, 1, &bad[i], 0, NULL), ASIF_OK);
        CHECK(asif_draws_csv(&text, d, 0, "m", &e) == ASIF_EDOMAIN && !text && e.message[0],
              "`%s` was written", bad[i]);
        asif_draws_free(d);
    }
    asif_draws *d = make(context, ASIF_METHOD_NUTS, 0);
    char *text;
    assert_int_equal(asif_draws_csv(&text, d, 3, "m", NULL), ASIF_EDOMAIN);
    asif_draws_free(d);
}

/* ---- Stan's own files ---- */

#define HMC "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__"
#define SETTINGS(samples, warmup, save, thin)                                                                \
    "# stan_version_major = 2\n# stan_version_minor = 33\n# stan_version_patch = 0\n"                        \
    "# model = bernoulli_model\n# start_datetime = 2023-10-05 12:00:00 UTC\n"                                \
    "# method = sample (Default)\n#   sample\n#     num_samples = " samples "\n#     num_warmup = " warmup   \
    "\n#     save_warmup = " save "\n#     thin = " thin                                                     \
    "\n#     adapt\n#       engaged = 1 (Default)\n#       gamma = 0.050000000000000003 (Default)\n"         \
    "#       delta = 0.80000000000000004 (Default)\n#     algorithm = hmc (Default)\n#       hmc\n"          \
    "#         engine = nuts (Default)\n#           nuts\n#             max_depth = 10 (Default)\n"          \
    "#         metric = diag_e (Default)\n#         metric_file =  (Default)\n"                              \
    "#         stepsize = 1 (Default)\n#         stepsize_jitter = 0 (Default)\n"                            \
    "#     num_chains = 1 (Default)\n# id = 1 (Default)\n# data\n#   file = bernoulli.data.json\n"           \
    "# init = 2 (Default)\n# random\n#   seed = 2718281828 (Default)\n# output\n#   file = output.csv\n"     \
    "#   diagnostic_file =  (Default)\n#   refresh = 100 (Default)\n# num_threads = 1 (Default)\n"           \
    "# stanc_version = stanc3 v2.33.0\n# stancflags = \n"
#define TIMES                                                                                                \
    "# \n#  Elapsed Time: 0.007 seconds (Warm-up)\n#                0.017 seconds (Sampling)\n"              \
    "#                0.024 seconds (Total)\n# \n"
#define ADAPTED                                                                                              \
    "# Adaptation terminated\n# Step size = 0.936\n# Diagonal elements of inverse mass matrix:\n"            \
    "# 0.45, 2.5e-2\n"

static asif_draws *read_one(const char *text) {
    asif_draws *d;
    asif_error e = ASIF_ERROR_INIT;
    uint64_t length = strlen(text);
    const char *name = "stan.csv";
    asif_status status = asif_draws_read_text(&d, context, &text, &length, &name, 1, &e);
    CHECK(status == ASIF_OK, "%s:%u:%u: %s (%s)", e.file, e.line, e.column, e.message, e.hint);
    return d;
}

static void check_stan(const char *text, uint64_t warmup, uint64_t thin, uint64_t draws) {
    asif_draws *d = read_one(text);
    const asif_draws_view *v = &d->view;
    assert_true(v->method == ASIF_METHOD_NUTS && v->chains == 1 && v->columns == 2 && v->draws == draws);
    assert_true(v->warmup == warmup && v->thin == thin && v->seed == 2718281828 && v->max_depth == 10);
    assert_string_equal(v->name[0], "theta");
    assert_string_equal(v->name[1], "y.1");
    assert_true(v->step[0] == 0.936 && v->dimension == 2);
    assert_true(v->metric[0] == 0.45 && v->metric[1] == 0 && v->metric[2] == 0 && v->metric[3] == 0.025);
    for (uint64_t i = 0; i < draws; i++) {
        assert_true(v->value[i] == 0.25 + (double)i && v->value[draws + i] == (double)i);
        assert_true(v->stat[ASIF_STAT_LP * draws + i] == -7.5);
        assert_true(v->stat[ASIF_STAT_DEPTH * draws + i] == 2 && v->stat[ASIF_STAT_ENERGY * draws + i] == 8);
    }
    asif_draws_free(d);
}

static void test_stan(void **state) {
    (void)state;
    static const char rows[] = HMC ",theta,y.1\n" ADAPTED "-7.5,1,0.936,2,3,0,8,0.25,0\n"
                                   "-7.5,0.9,0.936,2,3,0,8,1.25,1\n";
    static const char saved[] = HMC ",theta,y.1\n-9,0,1,0,1,1,9,5,5\n-8,0,1,0,1,0,9,5,nan\n" ADAPTED
                                    "-7.5,1,0.936,2,3,0,8,0.25,0\n-7.5,0.9,0.936,2,3,0,8,1.25,1\n";
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", SETTINGS("2", "1000 (Default)", "0 (Default)", "1 (Default)"), rows,
             TIMES);
    check_stan(text, 1000, 1, 2);
    /* As version 2.35 and later write it; without the times of a run that was cut off there; with other
     * line ends. */
    snprintf(text, sizeof text, "%s%s", SETTINGS("2", "1000 (Default)", "false (Default)", "1 (Default)"),
             rows);
    check_stan(text, 1000, 1, 2);
    /* Warm-up saved, thinned: three steps are two rows. */
    snprintf(text, sizeof text, "%s%s%s", SETTINGS("4", "3", "1", "2"), saved, TIMES);
    check_stan(text, 3, 2, 2);
    snprintf(text, sizeof text, "%s%s%s", SETTINGS("3", "4", "true", "2"), saved, TIMES);
    check_stan(text, 4, 2, 2);

    char other[8192], *to = other;
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            *to++ = '\r';
        *to++ = *c;
    }
    *to = 0;
    check_stan(other, 4, 2, 2);
}

static void test_stan_others(void **state) {
    (void)state;
    /* A sampler that only evaluates. */
    asif_draws *d = read_one("# algorithm = fixed_param\n# num_warmup = 0\n# save_warmup = 1\n"
                             "lp__,accept_stat__,sim.1,sim.2\n0,0,1,2\n0,0,3,-nan\n");
    assert_true(d->view.method == ASIF_METHOD_METROPOLIS && d->view.draws == 2 && !d->view.metric);
    assert_true(d->view.value[1] == 3 && isnan(d->view.value[3]) && d->view.step[0] == 0);
    asif_draws_free(d);
    /* A unit metric; a column of a sampler that we do not keep; a part of a tuple; columns in another
     * order. */
    d = read_one("int_time__,x:1.2,energy__,lp__\n# Adaptation terminated\n# Step size = 1\n"
                 "# No free parameters for unit metric\n6.28,7,3,-1\n");
    assert_true(d->view.method == ASIF_METHOD_NUTS && d->view.columns == 1 && d->view.value[0] == 7);
    assert_true(d->view.stat[ASIF_STAT_LP] == -1 && d->view.stat[ASIF_STAT_ENERGY] == 3);
    assert_string_equal(d->view.name[0], "x:1.2");
    asif_draws_free(d);
    /* Without adaptation, saved warm-up is told by its length. */
    d = read_one(
        "# num_samples = 2\n# num_warmup = 1\n# save_warmup = 1\nlp__,energy__,a\n1,1,1\n2,2,2\n3,3,3\n");
    assert_true(d->view.draws == 2 && d->view.value[0] == 2 && d->view.value[1] == 3);
    asif_draws_free(d);
}

/* ---- mistakes ---- */

#define SMALL "lp__,accept_stat__,a,b\n"

static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message, *hint;
    } mistake[] = {
        {"", 0, 0, "no header", ""},
        {"# only\n# comments\n\n", 3, 1, "no header", ""},
        {"a,b\n1,2\n", 1, 1, "no column `lp__`", "Stan's `sample`"},
        {"lp__,accept_stat__\n1,2\n", 1, 1, "no column of a parameter", "Stan's `sample`"},
        {"name,Mean,5%\nlp__,1,2\n", 1, 11, "`5%` is not the name of a column", "names the columns"},
        {"lp__,,a\n1,2,3\n", 1, 6, "`` is not the name", ""},
        {"lp__,a\033[1m\n1,2\n", 1, 6, "`a?[1m` is not the name", ""},
        {"lp__,a,b,a\n1,2,3,4\n", 1, 1, "two columns are named `a`", ""},
        {"lp__,a,lp__\n1,2,3\n", 1, 1, "two columns are named `lp__`", ""},
        {SMALL "1,2,3,4\n1,2,3\n1,2,3,4\n", 3, 1, "numbers in the row: 3; expected 4, as in line 1", ""},
        {SMALL "1,2,3,4\n1,2,3", 3, 1, "numbers in the row: 3", "cut off"},
        {SMALL "1,2,3,4,5\n", 2, 1, "numbers in the row: 5", "cut off"},
        {SMALL "1,2,3,x4\n", 2, 7, "`x4` is not a number", ""},
        {SMALL "1,2, ,4\n", 2, 6, "a number is missing", ""},
        {SMALL "1,2,0x3,4\n", 2, 5, "`0x3` is not a number", ""},
        {SMALL, 1, 1, "no draws", ""},
        {"# method = optimize\n" SMALL "1,2,3,4\n", 1, 12, "Stan's method `optimize`", "`sample`"},
        {"# thin = 0\n" SMALL "1,2,3,4\n", 1, 10, "`thin = 0`: expected a whole number from 1", ""},
        {"#  num_samples = 1e3\n" SMALL "1,2,3,4\n", 1, 18, "`num_samples = 1e3`: expected a whole number",
         ""},
        {"# num_warmup = -1\n" SMALL "1,2,3,4\n", 1, 16, "expected a whole number", ""},
        {"# seed = 18446744073709551616\n" SMALL "1,2,3,4\n", 1, 10, "expected a whole number", ""},
        {"# seed =\n" SMALL "1,2,3,4\n", 1, 9, "`seed = `: expected a whole number", ""},
        {"# save_warmup = 2\n" SMALL "1,2,3,4\n", 1, 17, "expected 0 or 1", ""},
        {"# max_depth = 4294967296\n" SMALL "1,2,3,4\n", 1, 15, "up to 4294967295", ""},
        {"# asif_method = gibbs\n" SMALL "1,2,3,4\n", 1, 17, "unknown method `gibbs`", ""},
        {"# num_samples = 3\n# thin = 2\n" SMALL "1,2,3,4\n", 4, 1, "draws: 1; expected 2", "not complete"},
        {"# num_samples = 1\n" SMALL "1,2,3,4\n1,2,3,4\n", 4, 1, "draws: 2; expected 1", "taken out"},
        {SMALL "1,2,3,4\n# Adaptation terminated\n1,2,3,4\n", 3, 3, "after the first draw", ""},
        {"# save_warmup = 1\n# num_warmup = 3\nlp__,energy__,a\n1,2,3\n# Adaptation terminated\n1,2,3\n", 6,
         1, "rows of warm-up: 1; expected 3", ""},
        {SMALL "# Step size = fast\n1,2,3,4\n", 2, 15, "`fast` is not a number", ""},
        {SMALL "# Step size\n1,2,3,4\n", 2, 3, "expected `Step size = NUMBER`", ""},
        {SMALL "# Elements of inverse mass matrix:\n# 1, 2\n1,2,3,4\n", 3, 1,
         "rows of the metric: 1; expected 2", ""},
        {SMALL "# Elements of inverse mass matrix:\n", 2, 1, "rows of the metric: 0; expected 1", ""},
        {SMALL "# Elements of inverse mass matrix:\n# 1, 2\n# 2\n1,2,3,4\n", 4, 1,
         "numbers in a row of the metric: 1; expected 2", ""},
        {SMALL "# Elements of inverse mass matrix:\n# 1, 2\n# 2, x\n1,2,3,4\n", 4, 6, "`x` is not a number",
         ""},
        {SMALL "# Diagonal elements of inverse mass matrix:\n# 1\n# Elements of inverse mass matrix:\n# "
               "1\n1,2,3,4\n",
         4, 1, "a second metric", ""},
    };
    for (size_t i = 0; i < LENGTH(mistake); i++) {
        asif_draws *d;
        asif_error e = ASIF_ERROR_INIT;
        uint64_t length = strlen(mistake[i].text);
        const char *name = "chain.csv";
        asif_status status = asif_draws_read_text(&d, context, &mistake[i].text, &length, &name, 1, &e);
        CHECK(status == ASIF_EPARSE && !d, "%zu was read: %s", i, mistake[i].text);
        CHECK(e.line == mistake[i].line && e.column == mistake[i].column && strcmp(e.file, name) == 0 &&
                  strstr(e.message, mistake[i].message) && strstr(e.hint, mistake[i].hint),
              "%s%s:%u:%u: %s (%s)\nexpected %u:%u: %s (%s)", mistake[i].text, e.file, e.line, e.column,
              e.message, e.hint, mistake[i].line, mistake[i].column, mistake[i].message, mistake[i].hint);
    }
}

static void test_chains_apart(void **state) {
    (void)state;
    static const char first[] = "# num_warmup = 5\n# max_depth = 10\nlp__,energy__,a\n1,2,3\n1,2,3\n";
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } second[] = {
        {"# num_warmup = 5\n# max_depth = 10\nlp__,energy__,b\n1,2,3\n1,2,3\n", 3, 15,
         "another column than in one"},
        {"# num_warmup = 5\n# max_depth = 10\nlp__,energy__,a,b\n1,2,3,4\n", 3, 1, "4 columns, and 3 in one"},
        {"# num_warmup = 5\n# max_depth = 10\nlp__,energy__,a\n1,2,3\n", 3, 1, "draws: 1, and 2 in one"},
        {"# num_warmup = 6\n# max_depth = 10\nlp__,energy__,a\n1,2,3\n1,2,3\n", 3, 1, "num_warmup: 6, and 5"},
        {"# num_warmup = 5\n# max_depth = 9\nlp__,energy__,a\n1,2,3\n1,2,3\n", 3, 1, "max_depth: 9, and 10"},
        {"# num_warmup = 5\n# thin = 3\n# max_depth = 10\nlp__,energy__,a\n1,2,3\n1,2,3\n", 4, 1,
         "thin: 3, and 1"},
        {"# asif_method = published\n# num_warmup = 5\n# max_depth = 10\nlp__,energy__,a\n1,2,3\n1,2,3\n", 4,
         1, "by the method published, and one by nuts"},
        {"# num_warmup = 5\n# max_depth = 10\nlp__,energy__,a\n# Elements of inverse mass matrix:\n# 1\n"
         "1,2,3\n1,2,3\n",
         3, 1, "size of the metric: 1, and 0 in one"},
    };
    static const char *const name[] = {"one", "two"};
    for (size_t i = 0; i < LENGTH(second); i++) {
        const char *text[] = {first, second[i].text};
        uint64_t length[] = {strlen(text[0]), strlen(text[1])};
        asif_draws *d;
        asif_error e = ASIF_ERROR_INIT;
        assert_int_equal(asif_draws_read_text(&d, context, text, length, name, 2, &e), ASIF_EPARSE);
        assert_null(d);
        CHECK(e.line == second[i].line && e.column == second[i].column && strcmp(e.file, "two") == 0 &&
                  strstr(e.message, second[i].message),
              "%s:%u:%u: %s, expected %u:%u: %s", e.file, e.line, e.column, e.message, second[i].line,
              second[i].column, second[i].message);
    }
    asif_draws *d;
    assert_int_equal(asif_draws_read_text(&d, context, NULL, NULL, NULL, 0, NULL), ASIF_EDOMAIN);
}

/* Sizes are never believed: a long diagonal does not become a matrix. */
static void test_long_diagonal(void **state) {
    (void)state;
    enum { N = 200000 };
    char *text = malloc(2 * N + 200), *to = text;
    assert_non_null(text);
    to += sprintf(to, "lp__,a\n# Diagonal elements of inverse mass matrix:\n# 1");
    for (int i = 1; i < N; i++)
        to += sprintf(to, ",1");
    strcpy(to, "\n1,2\n");
    asif_draws *d = read_one(text);
    assert_true(d->view.dimension == 0 && !d->view.metric && d->view.draws == 1);
    asif_draws_free(d);
    free(text);
}

static void test_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *failing;
    assert_int_equal(asif_context_create(&failing, &options, NULL), ASIF_OK);
    asif_draws *draws = make(failing, ASIF_METHOD_NUTS, 2);
    assert_non_null(draws);
    long alive = memory.alive;
    int failures = 0;
    for (long left = 0;; left++) {
        asif_draws *back = NULL;
        memory.left = left;
        asif_status status = through_text(&back, draws);
        memory.left = -1;
        if (status == ASIF_OK) {
            check_equal(draws, back);
            asif_draws_free(back);
            assert_int_equal(memory.alive, alive);
            break;
        }
        assert_int_equal(status, ASIF_ENOMEM);
        assert_null(back);
        assert_int_equal(memory.alive, alive);
        failures++;
    }
    assert_true(failures > 10);
    asif_draws_free(draws);
    asif_context_free(failing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_files),
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_refused_to_write),
        cmocka_unit_test(test_stan),          cmocka_unit_test(test_stan_others),
        cmocka_unit_test(test_mistakes),      cmocka_unit_test(test_chains_apart),
        cmocka_unit_test(test_long_diagonal), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
