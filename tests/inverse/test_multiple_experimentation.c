/* Multiple experimentation: random problems of five states whose utility is free in every cell. The optimal
 * actions come from value iteration written here, and so do the advantages that bound the set of utilities
 * that explain them. */
#include "check.h"

#include "asking.h"
#include "base/programmes/lp.h"
#include "base/text.h"
#include "problems.h"

enum { S = 5, U = 2, CELLS = S * U, MOST = 12, NEW = 20 };
#define DISCOUNT .9

typedef struct {
    double p[U][S][S];
    uint32_t did[S];
    double advantage[CELLS][CELLS]; /* of a cell, in the utilities of all cells */
} world;

static asif_context *context;

static double best(const world *w, const double *v, uint32_t *did, double *values) {
    double change = 1;
    memset(values, 0, S * sizeof *values);
    while (change > 1e-14) {
        change = 0;
        for (uint32_t s = 0; s < S; s++) {
            double top = -INFINITY;
            for (uint32_t u = 0; u < U; u++) {
                double q = v[u * S + s];
                for (uint32_t t = 0; t < S; t++)
                    q += DISCOUNT * w->p[u][s][t] * values[t];
                if (q > top) {
                    top = q;
                    did[s] = u;
                }
            }
            change = fmax(change, fabs(top - values[s]));
            values[s] = top;
        }
    }
    double sum = 0;
    for (uint32_t s = 0; s < S; s++)
        sum += values[s] / S;
    return sum;
}

/* (I - discount P)^-1 by the series. */
static void follow(const world *w, const uint32_t *did, const double *v, double *values) {
    memset(values, 0, S * sizeof *values);
    for (int n = 0; n < 500; n++)
        for (uint32_t s = 0; s < S; s++) {
            double q = v[did[s] * S + s];
            for (uint32_t t = 0; t < S; t++)
                q += DISCOUNT * w->p[did[s]][s][t] * values[t];
            values[s] = q;
        }
}

static void make_world(world *w, const double *v, uint64_t *seed) {
    double values[S];
    for (uint32_t u = 0; u < U; u++)
        for (uint32_t s = 0; s < S; s++) {
            make_row(w->p[u][s], S, seed);
            for (uint32_t t = 0; t < S; t++)
                w->p[u][s][t] *= .1;
            w->p[u][s][(uint32_t)(make_uniform(seed) * S)] += .9;
        }
    best(w, v, w->did, values);
    for (uint32_t k = 0; k < CELLS; k++) {
        double one[CELLS] = {0};
        one[k] = 1;
        follow(w, w->did, one, values);
        for (uint32_t i = 0; i < CELLS; i++) {
            w->advantage[i][k] = one[i] - values[i % S];
            for (uint32_t t = 0; t < S; t++)
                w->advantage[i][k] += DISCOUNT * w->p[i / S][i % S][t] * values[t];
        }
    }
}

/* What the policy that is optimal for `learnt` loses, over what can be lost. */
static double loss(const world *w, const double *v, const double *learnt) {
    uint32_t did[S], ignored[S];
    double values[S], minus[CELLS], got = 0;
    best(w, learnt, did, values);
    follow(w, did, v, values);
    for (uint32_t s = 0; s < S; s++)
        got += values[s] / S;
    for (uint32_t i = 0; i < CELLS; i++)
        minus[i] = -v[i];
    double top = best(w, v, ignored, values), bottom = -best(w, minus, ignored, values);
    return (top - got) / (top - bottom);
}

static void write_row(asif_text *text, const double *row) {
    for (uint32_t t = 0; t < S; t++)
        asif_text_addf(text, "%s%.17g", t ? ", " : "[", row[t]);
    asif_text_add(text, "]");
}

static void write_transitions(asif_text *text, const world *w) {
    for (uint32_t u = 0; u < U; u++) {
        asif_text_addf(text, "%s u%u: [", u ? "," : "{", u);
        for (uint32_t s = 0; s < S; s++) {
            asif_text_add(text, s ? ", " : "");
            write_row(text, w->p[u][s]);
        }
        asif_text_add(text, "]");
    }
    asif_text_add(text, "}");
}

static char *write_study(const world *w, uint32_t worlds) {
    asif_text text = {.context = context};
    asif_text_addf(&text,
                   "asif: 1\nstates: %d\nactions: [u0, u1]\nenvironment: {start: uniform, transitions: ", S);
    write_transitions(&text, w);
    asif_text_addf(&text, "}\nagent:\n  discount: %g\n  utility:\n", DISCOUNT);
    for (uint32_t u = 0; u < U; u++) {
        asif_text_addf(&text, "    u%u: {", u);
        for (uint32_t s = 0; s < S; s++)
            asif_text_addf(&text, "%s%u: w%u", s ? ", " : "", s, u * S + s);
        asif_text_add(&text, "}\n");
    }
    asif_text_add(&text, "  parameters:\n    alpha: 0\n");
    for (uint32_t i = 0; i < CELLS; i++)
        asif_text_addf(&text, "    w%u: {learn: , standard: %u}\n", i, i % 2);
    asif_text_add(
        &text,
        "inverse:\n  name: multiple-experimentation\n  environment: site\n  environments:\n    site0:\n");
    for (uint32_t k = 1; k < worlds; k++) { /* the first is the study's own */
        asif_text_addf(&text, "    site%u: {transitions: ", k);
        write_transitions(&text, &w[k]);
        asif_text_add(&text, "}\n");
    }
    assert_false(text.failed);
    return text.data;
}

static char *write_logs(const world *w, uint32_t worlds, const char *last) {
    asif_text text = {.context = context};
    asif_text_add(&text, "episode,state,action,site\n");
    for (uint32_t k = 0; k < worlds; k++)
        for (uint32_t s = 0; s < S; s++)
            asif_text_addf(&text, "%u,%u,u%u,site%u\n", k * S + s, s, w[k].did[s], k);
    asif_text_add(&text, last);
    assert_false(text.failed);
    return text.data;
}

/* Mean over the cells of the width of the set {v in [0, 1], 0 and 1 where the truth has them, all advantages
 * <= 0}. */
static double mean_width(const world *w, uint32_t worlds, const double *v) {
    double sum = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        double end[2];
        for (int k = 0; k < 2; k++) {
            asif_lp lp;
            asif_lp_begin(&lp, context);
            for (uint32_t j = 0; j < CELLS; j++)
                asif_lp_column(&lp, j == i ? (k ? -1 : 1) : 0, v[j] == 1, v[j] != 0);
            for (uint32_t m = 0; m < worlds; m++)
                for (uint32_t c = 0; c < CELLS; c++) {
                    if (c / S == w[m].did[c % S])
                        continue;
                    uint32_t row = asif_lp_row(&lp, -INFINITY, 0);
                    for (uint32_t j = 0; j < CELLS; j++)
                        asif_lp_entry(&lp, row, j, w[m].advantage[c][j]);
                }
            assert_int_equal(asif_lp_solve(&lp, NULL), ASIF_OK);
            assert_int_equal(lp.outcome, ASIF_LP_OPTIMAL);
            end[k] = k ? -lp.objective : lp.objective;
            asif_lp_free(&lp);
        }
        sum += (end[1] - end[0]) / CELLS;
    }
    return sum;
}

static void make_truth(double *v, uint64_t *seed) {
    double low = 1, high = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        v[i] = make_uniform(seed);
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    for (uint32_t i = 0; i < CELLS; i++)
        v[i] = (v[i] - low) / (high - low);
}

static void answer_of(const world *w, uint32_t worlds, double *found, double *value) {
    asking a;
    asif_error error = ASIF_ERROR_INIT;
    char *study = write_study(w, worlds), *logs = write_logs(w, worlds, "");
    asif_status status = asking_open(&a, context, study, logs, &error);
    CHECK(status == ASIF_OK, "%s (line %u)", error.message, error.line);
    assert_int_equal(a.count, CELLS);
    status = asking_answer(&a, found, value, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    asking_close(&a);
    asif_memory_free(context, study);
    asif_memory_free(context, logs);
}

/* The set shrinks, and never grows, with each environment; the answer lies in it, and does better in
 * environments nobody has seen. */
static void more_is_less(void **state) {
    (void)state;
    double first_width = 0, last_width = 0, first_loss = 0, last_loss = 0, first_error = 0, last_error = 0;
    if (!asif_lp_available())
        skip();
    for (uint64_t seed = 1; seed <= 4; seed++) {
        static world w[MOST], new[NEW];
        double v[CELLS], before = 2;
        uint64_t draws = seed;
        make_truth(v, &draws);
        for (uint32_t k = 0; k < MOST; k++)
            make_world(&w[k], v, &draws);
        for (uint32_t k = 0; k < NEW; k++)
            make_world(&new[k], v, &draws);
        for (uint32_t worlds = 1; worlds <= MOST; worlds++) {
            double found[CELLS], value, low = 1, high = 0, elsewhere = 0, away = 0;
            double width = mean_width(w, worlds, v);
            CHECK(width <= before + 1e-9, "the set grew from %g to %g", before, width);
            before = width;
            answer_of(w, worlds, found, &value);
            CHECK_NEAR(value, 0, 1e-7);
            for (uint32_t i = 0; i < CELLS; i++) {
                low = fmin(low, found[i]);
                high = fmax(high, found[i]);
                away += fabs(found[i] - v[i]) / CELLS;
            }
            CHECK_NEAR(low, 0, 1e-8);
            CHECK_NEAR(high, 1, 1e-8);
            for (uint32_t k = 0; k < worlds; k++)
                CHECK(loss(&w[k], v, found) < 1e-2, "loss %g", loss(&w[k], v, found));
            for (uint32_t k = 0; k < NEW; k++)
                elsewhere += loss(&new[k], v, found) / NEW;
            first_width += worlds == 1 ? width / 4 : 0;
            last_width += worlds == MOST ? width / 4 : 0;
            first_loss += worlds == 1 ? elsewhere / 4 : 0;
            last_loss += worlds == MOST ? elsewhere / 4 : 0;
            first_error += worlds == 1 ? away / 4 : 0;
            last_error += worlds == MOST ? away / 4 : 0;
        }
    }
    print_message("width %.3f to %.3f, loss elsewhere %.4f to %.4f, error %.3f to %.3f\n", first_width,
                  last_width, first_loss, last_loss, first_error, last_error);
    assert_true(last_width < .8 * first_width);
    assert_true(last_loss < .25 * first_loss && last_loss < .02);
    assert_true(last_error < .7 * first_error);
}

/* Actions that no utility explains: the objective is that of the best compromise, which no other point beats,
 * and its derivative is right. */
static void compromise(void **state) {
    (void)state;
    static world w[3];
    double v[CELLS], found[CELLS], value, other[CELLS], there, gradient[CELLS];
    uint64_t seed = 77;
    asking a;
    if (!asif_lp_available())
        skip();
    make_truth(v, &seed);
    for (uint32_t k = 0; k < 3; k++) {
        make_world(&w[k], v, &seed);
        for (uint32_t s = k; s < S; s += 2)
            w[k].did[s] = 1 - w[k].did[s];
    }
    char *study = write_study(w, 3), *logs = write_logs(w, 3, "");
    assert_int_equal(asking_open(&a, context, study, logs, NULL), ASIF_OK);
    assert_int_equal(asking_answer(&a, found, &value, NULL), ASIF_OK);
    assert_true(value <= 1e-9);
    for (int again = 0; again < 50; again++) {
        make_truth(other, &seed);
        assert_int_equal(asking_objective(&a, other, &there, gradient, NULL), ASIF_OK);
        /* a constant utility explains all, so that nothing is lost by shrinking towards it; at the scale of 1
         * nothing is better */
        assert_true(there <= value + 1e-9);
        for (uint32_t i = 0; i < CELLS; i++) {
            double up, down, h = 1e-6, at = other[i];
            other[i] = at + h;
            assert_int_equal(asking_objective(&a, other, &up, NULL, NULL), ASIF_OK);
            other[i] = at - h;
            assert_int_equal(asking_objective(&a, other, &down, NULL, NULL), ASIF_OK);
            other[i] = at;
            CHECK_NEAR(gradient[i], (up - down) / (2 * h), 1e-5);
        }
    }
    asking_close(&a);
    asif_memory_free(context, study);
    asif_memory_free(context, logs);
}

static void mistakes(void **state) {
    (void)state;
    static world w[2];
    double v[CELLS];
    uint64_t seed = 5;
    asking a;
    asif_error error = ASIF_ERROR_INIT;
    make_truth(v, &seed);
    make_world(&w[0], v, &seed);
    make_world(&w[1], v, &seed);
    static const struct {
        const char *last, *message, *hint;
    } rows[] = {
        {"99,0,u0,sitE1\n", "there is no environment `sitE1` (episode 99)", "did you mean `site1`?"},
        {"99,0,u0,\n", "the environment of episode 99 is missing", "the first is `site0`"},
        {"99,0,u0,Bristol\n", "there is no environment `Bristol`", "the first is `site0`"},
    };
    char *study = write_study(w, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *logs = write_logs(w, 2, rows[i].last);
        assert_int_equal(asking_open(&a, context, study, logs, &error), ASIF_EINVALID);
        CHECK(strstr(error.message, rows[i].message), "%s", error.message);
        CHECK(strstr(error.hint, rows[i].hint), "%s", error.hint);
        asking_close(&a);
        asif_memory_free(context, logs);
    }
    /* what the study must say */
    static const struct {
        const char *inverse, *message;
    } studies[] = {
        {"multiple-experimentation", "needs several environments"},
        {"{name: multiple-experimentation, environment: site}", "needs several environments"},
        {"{name: multiple-experimentation, environment: site, environments: {}}", "names none"},
        {"{name: multiple-experimentation, environment: site, environments: {a: {transition: 1}}}",
         "unknown key `transition`"},
        {"{name: maximum-margin, environment: site, environments: {a: {}}}",
         "are for `multiple-experimentation`"},
    };
    char *cut = strstr(study, "inverse:");
    *cut = 0;
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        asif_text text = {.context = context};
        asif_study *read;
        asif_text_addf(&text, "%sinverse: %s\n", study, studies[i].inverse);
        assert_int_not_equal(asif_study_read(&read, context, text.data, text.length, NULL, NULL, &error),
                             ASIF_OK);
        CHECK(strstr(error.message, studies[i].message), "%s", error.message);
        asif_text_free(&text);
    }
    asif_memory_free(context, study);
}

static void memory(void **state) {
    (void)state;
    static world w[2];
    double v[CELLS];
    uint64_t seed = 5;
    make_truth(v, &seed);
    make_world(&w[0], v, &seed);
    make_world(&w[1], v, &seed);
    char *study = write_study(w, 2), *logs = write_logs(w, 2, "");
    bool done = false;
    for (long left = 0; !done; left = left < 400 ? left + 1 : left + 37) {
        failing_memory failing = {.left = -1};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &failing;
        asif_context *poor;
        asking a;
        double found[CELLS], value;
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        failing.left = left;
        asif_status status = asking_open(&a, poor, study, logs, NULL);
        if (status == ASIF_OK)
            status = asking_answer(&a, found, &value, NULL);
        done = status != ASIF_ENOMEM;
        assert_true(!done || status == (asif_lp_available() ? ASIF_OK : ASIF_EUNSUPPORTED));
        asking_close(&a);
        failing.left = -1;
        asif_context_free(poor);
        assert_int_equal(failing.alive, 0);
    }
    asif_memory_free(context, study);
    asif_memory_free(context, logs);
}

static int open_context(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int close_context(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_is_less),
        cmocka_unit_test(compromise),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
