/* Differences judged against the spread between subjects, in a choice whose likelihood is a logistic curve:
 * the standard error by hand, how often groups of the same kind of people are called different, and a
 * difference that is found. */
#include "check.h"
#include "problems.h"

#include "acting/episode_measures.h"
#include "base/text.h"
#include "questions/compare/groups/compare_groups.h"

#include <math.h>
#include <string.h>

static const char study_text[] =
    "asif: 1\nstates: [s]\nactions: [a, b]\n"
    "environment: {start: [1]}\n"
    "agent:\n  planner: maximum-entropy\n  discount: 0\n"
    "  utility: {a: gain, b: 0}\n"
    "  parameters:\n    gain: {learn: \"normal(0, 1)\", standard: 1}\n    alpha: 1\n";
enum { MOST = 40 };

/* What the subjects of a group did: `taken` times a in `trials` episodes of one decision. */
typedef struct {
    int subjects, trials[MOST], taken[MOST];
} people;

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_estimate_spec spec;
    asif_tree *tree[2];
    asif_draws *draws[2];
    double gain[2];
    asif_fitted fitted[2];
    asif_compare_groups_group group[2];
} problem;

static void open_problem(problem *p) {
    memset(p, 0, sizeof *p);
    assert_int_equal(asif_context_create(&p->context, NULL, NULL), ASIF_OK);
    assert_int_equal(
        asif_study_read(&p->study, p->context, study_text, strlen(study_text), "study", NULL, NULL), ASIF_OK);
    asif_study_estimates(p->study, &p->spec, 1);
    assert_int_equal(asif_work_create(&p->work, p->context, asif_study_planner(p->study),
                                      asif_study_setting(p->study), asif_study_solver(p->study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_estimates_create(&p->estimates, p->context, asif_study_theta(p->study), &p->spec, 1,
                                           ASIF_PRIORS_STATED, NULL, NULL),
                     ASIF_OK);
}

static void drop_groups(problem *p) {
    for (int g = 0; g < 2; g++) {
        asif_tree_free(p->tree[g]);
        asif_draws_free(p->draws[g]);
        p->tree[g] = NULL;
        p->draws[g] = NULL;
    }
}

static void close_problem(problem *p) {
    drop_groups(p);
    asif_estimates_free(p->estimates);
    asif_work_free(p->work);
    asif_study_free(p->study);
    asif_context_free(p->context);
}

static void add_rows(asif_text *text, const people *group, const char *arm, int first) {
    for (int i = 0; i < group->subjects; i++)
        for (int k = 0; k < group->trials[i]; k++)
            asif_text_addf(text, "%d,%s%d,%s,0,s,%s\n", first + i, arm, k, arm,
                           k < group->taken[i] ? "a" : "b");
}

static double share(const people *group) {
    double taken = 0, trials = 0;
    for (int i = 0; i < group->subjects; i++) {
        taken += group->taken[i];
        trials += group->trials[i];
    }
    return taken / trials;
}

/* Both groups from one table; subjects of the second are numbered from `first` on, those of the first from 0.
 */
static void give_groups(problem *p, const people group[2], int first) {
    static const char *const columns[] = {"arm", NULL};
    static char digest[2][65];
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_text text = {.context = p->context};
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *all = NULL;
    asif_tree_view view = {.struct_size = sizeof view};
    drop_groups(p);
    asif_text_add(&text, "subject,episode,arm,t,state,action\n");
    add_rows(&text, &group[0], "x", 0);
    add_rows(&text, &group[1], "y", first);
    options.setting = asif_study_setting(p->study);
    options.units = ASIF_UNITS_EPISODES;
    options.covariates = columns;
    options.subjects = true;
    CHECK(asif_logs_read_text(&all, p->context, text.data, text.length, "logs", &options, NULL, NULL,
                              &error) == ASIF_OK,
          "%s", error.message);
    assert_int_equal(asif_tree_get(all, &view, NULL), ASIF_OK);
    bool *chosen = calloc((size_t)view.units, sizeof *chosen);
    assert_non_null(chosen);
    for (int g = 0; g < 2; g++) {
        for (uint64_t u = 0; u < view.units; u++)
            chosen[u] = strcmp(asif_tree_covariate(all, u, 0), g ? "y" : "x") == 0;
        assert_int_equal(asif_tree_by_subject(&p->tree[g], all, chosen, digest[g], NULL), ASIF_OK);
        double s = share(&group[g]);
        p->gain[g] = log(s / (1 - s)); /* the maximum of the likelihood */
        p->fitted[g] = (asif_fitted){.struct_size = sizeof(asif_fitted),
                                     .context = p->context,
                                     .planner = asif_study_planner(p->study),
                                     .setting = asif_study_setting(p->study),
                                     .given = asif_study_theta(p->study),
                                     .spec = &p->spec,
                                     .specs = 1,
                                     .estimates = p->estimates,
                                     .work = p->work,
                                     .tree = p->tree[g],
                                     .maximum = &p->gain[g]};
        p->group[g] = (asif_compare_groups_group){.struct_size = sizeof(asif_compare_groups_group),
                                                  .name = g ? "y" : "x",
                                                  .fitted = &p->fitted[g],
                                                  .trusted = true,
                                                  .likelihood = true,
                                                  .people = digest[g]};
    }
    free(chosen);
    asif_tree_free(all);
    asif_text_free(&text);
}

static asif_compare_groups *run(const problem *p, uint32_t draws) {
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    asif_compare_groups *contrast = NULL;
    asif_error error = ASIF_ERROR_INIT;
    options.draws = draws;
    options.episodes = 2;
    CHECK(asif_compare_groups_run(&contrast, p->group, 2, &options, &error) == ASIF_OK, "%s", error.message);
    return contrast;
}

/* What the estimate loses without each subject, and the jackknife's variance. */
static double by_hand(const people *group, double *influence) {
    double p = share(group), all = 0, sum = 0, S = group->subjects;
    for (int i = 0; i < group->subjects; i++)
        all += group->trials[i] * p * (1 - p);
    for (int i = 0; i < group->subjects; i++) {
        influence[i] = (group->taken[i] - group->trials[i] * p) / (all - group->trials[i] * p * (1 - p));
        sum += influence[i] * influence[i];
    }
    return sum * (S - 1) / S;
}

static const people example[2] = {{4, {10, 6, 8, 12}, {9, 2, 7, 4}}, {5, {5, 5, 20, 9, 3}, {1, 4, 3, 2, 2}}};

static void test_by_hand(void **state) {
    (void)state;
    problem p;
    double influence[MOST], va = by_hand(&example[0], influence), vb = by_hand(&example[1], influence);
    double degrees = (va + vb) * (va + vb) / (va * va / 3 + vb * vb / 4);
    open_problem(&p);
    give_groups(&p, example, 100);
    asif_compare_groups *contrast = run(&p, 1);
    const asif_compare_groups_cell *cell = &contrast->parameters.cell[1];
    assert_int_equal(contrast->group[0].spread.kind, ASIF_SPREAD_SUBJECTS);
    assert_int_equal(contrast->group[0].spread.subjects, 4);
    assert_int_equal(contrast->group[1].spread.subjects, 5);
    assert_int_equal(contrast->group[1].spread.shared, 0);
    CHECK_NEAR(cell->d50, p.gain[1] - p.gain[0], 1e-12);
    CHECK_NEAR(cell->error, sqrt(va + vb), 2e-3 * cell->error);
    CHECK_NEAR(cell->degrees, degrees, 1e-2 * degrees);
    CHECK_NEAR((cell->d95 - cell->d05) / 2, cell->d50 - cell->d05, 1e-12);
    /* The quantile .95 of a t lies between those of 3 and of 7 degrees of freedom. */
    CHECK(cell->d95 - cell->d50 > 1.894 * cell->error && cell->d95 - cell->d50 < 2.354 * cell->error,
          "the interval is %g errors wide to a side", (cell->d95 - cell->d50) / cell->error);
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

/* The same people in both groups: what is theirs drops out of the difference. */
static void test_paired(void **state) {
    (void)state;
    static const people twice[2] = {{4, {40, 40, 40, 40}, {38, 8, 30, 16}},
                                    {4, {40, 40, 40, 40}, {36, 5, 27, 13}}};
    problem p;
    double a[MOST], b[MOST], va = by_hand(&twice[0], a), vb = by_hand(&twice[1], b), shared = 0, fisher = 0;
    for (int i = 0; i < 4; i++)
        shared += a[i] * b[i] * 3 / 4;
    for (int g = 0; g < 2; g++)
        fisher += 1 / (160 * share(&twice[g]) * (1 - share(&twice[g])));
    assert_true(fisher > va + vb - 2 * shared && fisher < .2 * (va + vb)); /* pairs that are all but alike */
    open_problem(&p);
    give_groups(&p, twice, 0);
    asif_compare_groups *contrast = run(&p, 1);
    assert_int_equal(contrast->group[1].spread.shared, 4);
    CHECK_NEAR(contrast->parameters.cell[1].error, sqrt(fisher), 2e-3);
    CHECK_NEAR(contrast->parameters.cell[1].degrees, 3, 1e-12);
    asif_compare_groups_free(contrast);
    /* The same counts of other people are those of strangers. */
    give_groups(&p, twice, 50);
    contrast = run(&p, 1);
    CHECK_NEAR(contrast->parameters.cell[1].error, sqrt(va + vb), 2e-3 * sqrt(va + vb));
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

/* Groups of people who differ: each takes a with a probability of its own. */
static void draw_people(people *group, int subjects, double shift, uint64_t *seed) {
    group->subjects = subjects;
    for (int i = 0; i < subjects; i++) {
        double z = -6;
        for (int k = 0; k < 12; k++)
            z += make_uniform(seed);
        double own = 1 / (1 + exp(-(.4 + shift + 1.2 * z)));
        group->trials[i] = 10 + (int)(30 * make_uniform(seed));
        group->taken[i] = 0;
        for (int k = 0; k < group->trials[i]; k++)
            group->taken[i] += make_uniform(seed) < own;
    }
}

static void test_share_rejected(void **state) {
    (void)state;
    enum { SETS = 400 };
    problem p;
    uint64_t seed = 11;
    int rejected = 0, differs = 0, naive = 0, found = 0;
    open_problem(&p);
    for (int k = 0; k < SETS; k++) {
        people group[2];
        draw_people(&group[0], 14, 0, &seed);
        draw_people(&group[1], 18, 0, &seed);
        give_groups(&p, group, MOST);
        asif_compare_groups *contrast = run(&p, 1);
        const asif_compare_groups_cell *cell = &contrast->parameters.cell[1];
        const asif_spread *x = &contrast->group[0].spread, *y = &contrast->group[1].spread;
        rejected += cell->d05 > 0 || cell->d95 < 0;
        differs += cell->differs;
        naive += fabs(cell->d50) > 1.645 * sqrt(x->covariance[0] + y->covariance[0]);
        asif_compare_groups_free(contrast);
    }
    for (int k = 0; k < 20; k++) {
        people group[2];
        draw_people(&group[0], 20, 0, &seed);
        draw_people(&group[1], 20, 2, &seed);
        give_groups(&p, group, MOST);
        asif_compare_groups *contrast = run(&p, 1);
        found += contrast->parameters.cell[1].differs && contrast->parameters.cell[1].larger > .99;
        asif_compare_groups_free(contrast);
    }
    print_message(
        "of %d pairs of groups of the same kind: %d at 10 %%, %d at 2 %%; episodes as independent: %d; of 20 "
        "that differ: %d\n",
        SETS, rejected, differs, naive, found);
    /* 40 and 8 are expected, with standard deviations of 6 and 2.8. */
    CHECK(rejected >= 20 && rejected <= 60, "%d of %d at 10 %%", rejected, SETS);
    CHECK(differs <= 18, "%d of %d at 2 %%", differs, SETS);
    CHECK(naive > 120, "%d: independence should have been the wrong assumption", naive);
    CHECK(found >= 17, "%d of 20 differences", found);
    close_problem(&p);
}

/* Draws of the gain around the maximum. */
static void give_draws(problem *p, int g, double sd) {
    asif_text text = {.context = p->context};
    uint64_t seed = 7 + (uint64_t)g;
    asif_text_add(&text, "lp__,accept_stat__,gain\n");
    for (int d = 0; d < 200; d++) {
        double z = -6;
        for (int i = 0; i < 12; i++)
            z += make_uniform(&seed);
        asif_text_addf(&text, "0,1,%.17g\n", p->gain[g] + sd * z);
    }
    const char *const data = text.data, *const name = "draws";
    assert_int_equal(asif_draws_read_text(&p->draws[g], p->context, &data, &text.length, &name, 1, NULL),
                     ASIF_OK);
    p->fitted[g].draws = p->draws[g];
    asif_text_free(&text);
}

/* What they do is a function of the gain: how often a is taken has dp = p (1 - p) dgain, and with it its
 * standard error. */
static void test_behaviour(void **state) {
    (void)state;
    problem p;
    double influence[MOST], want = 0;
    open_problem(&p);
    give_groups(&p, example, 100);
    for (int g = 0; g < 2; g++) {
        give_draws(&p, g, .05);
        double s = share(&example[g]);
        want += by_hand(&example[g], influence) * pow(s * (1 - s), 2);
    }
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    asif_compare_groups *contrast = NULL;
    options.draws = 200;
    options.episodes = 400; /* so few that the luck of a draw is larger than what moves it */
    options.max_steps = 1;
    assert_int_equal(asif_compare_groups_run(&contrast, p.group, 2, &options, NULL), ASIF_OK);
    const asif_compare_groups_cell *taken = &contrast->own.cell[(uint64_t)ASIF_MEASURE_TAKEN * 2 + 1];
    assert_true(taken->compared);
    CHECK_NEAR(taken->error, sqrt(want), .1 * sqrt(want));
    /* Of the parameter, too, the spread between subjects is larger than that of the draws. */
    CHECK(contrast->parameters.cell[1].error > 3 * .05 * sqrt(2), "%g", contrast->parameters.cell[1].error);
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

/* One subject is a person, and trees without subjects count episodes. */
static void test_kinds(void **state) {
    (void)state;
    static const people alone[2] = {{1, {30}, {20}}, {4, {10, 6, 8, 12}, {9, 2, 7, 4}}};
    problem p;
    asif_tree *bare = NULL;
    open_problem(&p);
    give_groups(&p, alone, 100);
    asif_compare_groups *contrast = run(&p, 1);
    double fisher = 1 / (30 * (2. / 3) * (1. / 3)), influence[MOST];
    assert_int_equal(contrast->group[0].spread.kind, ASIF_SPREAD_ONE);
    assert_int_equal(contrast->group[1].spread.kind, ASIF_SPREAD_SUBJECTS);
    CHECK_NEAR(contrast->parameters.cell[1].error, sqrt(fisher + by_hand(&alone[1], influence)), 3e-3);
    asif_compare_groups_free(contrast);

    for (int g = 0; g < 2; g++) {
        assert_int_equal(asif_tree_select(&bare, p.tree[g], NULL, NULL), ASIF_OK);
        asif_tree_free(p.tree[g]);
        p.fitted[g].tree = p.tree[g] = bare;
    }
    contrast = run(&p, 1);
    assert_int_equal(contrast->group[1].spread.kind, ASIF_SPREAD_UNKNOWN);
    assert_true(isnan(contrast->parameters.cell[1].error) && isnan(contrast->parameters.cell[1].larger));
    asif_compare_groups_free(contrast);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_paired),
        cmocka_unit_test(test_share_rejected), cmocka_unit_test(test_behaviour),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
