/* Derivatives of the likelihood against central differences, for every kind of parameter. tests/oracle
 * compares with an independent implementation. */
#include "check.h"

#include "logs/likelihood.h"
#include "logs/log_map.h"
#include "problems.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, STATES = 4, ACTIONS = 4, SEEN = 4, WORLDS = 3 };

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
    asif_tree *tree;
} problem;

static uint32_t below(uint32_t n, uint64_t *seed) {
    return (uint32_t)(make_uniform(seed) * n);
}

/* Anything that the engine knows: several worlds, actions that forget, observations that some worlds or
 * actions never show, utility by state, observation and belief, classes of starts, priors. */
static asif_setting *random_setting(const asif_context *context, bool seen, uint64_t *seed) {
    static double value[2 * ACTIONS * (WORLDS + 1)][STATES * (STATES + SEEN)];
    static asif_matrix matrix[2 * ACTIONS * (WORLDS + 1)];
    static uint32_t transitions[ACTIONS * (WORLDS + 1)], emissions[ACTIONS * (WORLDS + 1)];
    static double start[2 * STATES], prior[ACTIONS], weights[WORLDS], belief_prior[STATES + SEEN];
    static asif_utility_term term[24];
    static const char *const names[] = {"v0", "v1", "v2", "v3"};
    static const char *const classes[] = {"low", "high"};
    uint32_t S = 2 + below(STATES - 1, seed), U = 2 + below(ACTIONS - 1, seed), X = 2 + below(SEEN - 1, seed);
    uint32_t M = 1 + below(WORLDS, seed), used = 0, terms = 0;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    for (uint32_t m = 0; m <= M; m++)
        for (uint32_t u = 0; u < U; u++) {
            bool forgets = below(3, seed) == 0, shared = m > 0 && m < M && below(3, seed) == 0;
            uint32_t at = m * U + u;
            if (shared) {
                transitions[at] = transitions[at - U];
                emissions[at] = emissions[at - U];
                continue;
            }
            matrix[used] = (asif_matrix){S, S, forgets, NULL, NULL, value[used]};
            for (uint32_t s = 0; s < (forgets ? 1 : S); s++)
                make_row(value[used] + s * S, S, seed);
            transitions[at] = used++;
            matrix[used] = (asif_matrix){S, X, false, NULL, NULL, value[used]};
            uint32_t hidden =
                !seen && X > 2 && u == 1 ? 1 : 0; /* action 1 never shows the last observation */
            for (uint32_t s = 0; s < S; s++) {
                make_row(value[used] + s * X, X - hidden, seed);
                value[used][s * X + X - 1] *= !hidden;
            }
            emissions[at] = used++;
        }
    for (uint32_t p = 0; p < 4; p++) {
        for (uint32_t k = 0; k < 2; k++)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_STATE,
                                                .parameter = p,
                                                .action = below(U, seed),
                                                .index = below(3, seed) ? below(S, seed) : ASIF_ANY,
                                                .coefficient = 1 + make_uniform(seed)};
        if (p == 2 && !seen)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_OBSERVATION,
                                                .parameter = p,
                                                .action = ASIF_ANY,
                                                .index = below(X, seed),
                                                .coefficient = .7};
        if (p == 3)
            term[terms++] = (asif_utility_term){.by = ASIF_BY_BELIEF,
                                                .parameter = p,
                                                .action = below(2, seed) ? ASIF_ANY : 0,
                                                .index = ASIF_ANY,
                                                .coefficient = 1,
                                                .test = ASIF_ABOVE,
                                                .threshold = .6};
    }
    spec.states = S;
    spec.actions = U;
    spec.observations = seen ? 0 : X;
    spec.worlds = M;
    spec.starts = seen ? 1 : 2;
    spec.start_names = seen ? NULL : classes;
    spec.start_column = seen ? NULL : "risk";
    spec.parameters = 4;
    spec.parameter_names = names;
    spec.matrices = used;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = seen ? NULL : emissions;
    make_row(start, S, seed);
    make_row(start + S, S, seed);
    spec.environment_start = start;
    make_row(prior, U, seed);
    spec.action_prior = prior;
    make_row(weights, M, seed);
    spec.world_weights = weights;
    if (below(2, seed)) {
        make_row(belief_prior, seen ? S : X, seed);
        spec.belief_prior = belief_prior;
    }
    spec.discount = .5 + .45 * make_uniform(seed);
    spec.terms = terms;
    spec.term = term;
    asif_setting *setting = NULL;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_setting_create(&setting, context, &spec, &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return setting;
}

/* ---- logs ---- */

typedef struct {
    const problem *p;
    char *text;
    size_t used, room;
    const char *class;
} writing;

static asif_status write_row(void *user, const asif_decision *d) {
    writing *w = user;
    char a[ASIF_LABEL_SIZE], x[ASIF_LABEL_SIZE];
    bool seen = d->observation == ASIF_ANY;
    if (w->used + 200 > w->room)
        w->text = realloc(w->text, w->room = 2 * w->room + 1000);
    /* now and then nothing is seen */
    bool nothing = !seen && (d->episode + d->step) % 7 == 3;
    w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "%s%llu,%u,%s,%s,%s\n", w->class,
                                (unsigned long long)d->episode, d->step,
                                asif_setting_label(w->p->setting, ASIF_LABEL_ACTION, d->action, a),
                                nothing ? ""
                                        : asif_setting_label(w->p->setting, ASIF_LABEL_OBSERVATION,
                                                             seen ? d->state : d->observation, x),
                                w->class);
    return ASIF_OK;
}

static void make_tree(problem *p, uint64_t episodes, uint32_t steps) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    bool seen = spec->observations == 0;
    writing w = {.p = p, .text = malloc(1000), .room = 1000};
    w.used = (size_t)snprintf(w.text, w.room, "episode,t,action,%s,risk\n", seen ? "state" : "observation");
    asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
    o.episodes = episodes;
    o.max_steps = steps;
    o.seed = 5;
    for (o.start = 0; o.start < spec->starts; o.start++) {
        w.class = o.start ? "high" : "low";
        assert_int_equal(asif_simulate(asif_work_behavior(p->work), &o, write_row, &w, NULL), ASIF_OK);
    }
    asif_logs_options logs = ASIF_LOGS_OPTIONS_INIT;
    asif_log_map *map;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_log_map_create(&map, p->context, NULL), ASIF_OK);
    logs.setting = p->setting;
    logs.map = map;
    map->missing = ASIF_MISSING_NOT_SEEN;
    asif_status status =
        asif_logs_read_text(&p->tree, p->context, w.text, w.used, "logs.csv", &logs, NULL, NULL, &error);
    if (status != ASIF_OK)
        fail_msg("row %llu: %s", (unsigned long long)error.row, error.message);
    asif_log_map_free(map);
    free(w.text);
}

static void close_problem(problem *p) {
    asif_tree_free(p->tree);
    asif_work_free(p->work);
    asif_theta_free(p->theta);
    asif_setting_free(p->setting);
    asif_context_free(p->context);
}

/* ---- derivatives ---- */

/* The i-th number of theta, or of its derivatives. */
static double *number_of(double *scalar[5], double *utility, double *action_prior, double *world_weights,
                         double *start, const asif_setting_spec *spec, uint32_t i, char *name) {
    static const char *const names[] = {"a", "a_act", "b", "eta", "discount"};
    if (i < 5) {
        strcpy(name, names[i]);
        return scalar[i];
    }
    i -= 5;
    const struct {
        const char *what;
        double *array;
        uint32_t count;
    } part[] = {{"utility", utility, spec->parameters},
                {"action_prior", action_prior, spec->actions},
                {"world_weights", world_weights, spec->worlds},
                {"start", start, spec->starts * spec->states}};
    for (size_t k = 0; k < 4; k++) {
        sprintf(name, "%s %u", part[k].what, i);
        if (i < part[k].count)
            return part[k].array + i;
        i -= part[k].count;
    }
    return NULL;
}

static double value_at(problem *p, const asif_theta *theta) {
    double total;
    asif_plan_info info;
    assert_int_equal(asif_solve(p->work, theta, &info, NULL), ASIF_OK);
    assert_true(info.residual <= 1e-11 * info.scale);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    return total;
}

/* Distributions move by taking from the last of their entries what one gains. */
static double partner_index(const asif_setting_spec *spec, uint32_t i, uint32_t *last) {
    uint32_t from = 5 + spec->parameters;
    *last = UINT32_MAX;
    const uint32_t size[] = {spec->actions, spec->worlds, spec->states, spec->states};
    for (uint32_t k = 0; k < 2 + spec->starts; k++) {
        if (i >= from && i < from + size[k])
            *last = from + size[k] - 1;
        from += size[k];
    }
    return 0;
}

static void check_gradient(problem *p, double tolerance, bool skip_a_act) {
    const asif_setting_spec *spec = asif_setting_get(p->setting);
    asif_theta_gradient g;
    double total, again, largest = 0;
    char name[64];
    assert_int_equal(asif_theta_gradient_create(&g, p->context, p->setting, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p->work, p->theta, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_loglik_gradient(&total, &g, asif_work_behavior(p->work), p->tree, NULL, NULL),
                     ASIF_OK);
    assert_int_equal(asif_loglik(&again, asif_work_behavior(p->work), p->tree, NULL, NULL), ASIF_OK);
    assert_true(total == again);
    double *scalar_g[5] = {&g.a, &g.a_act, &g.b, &g.eta, &g.discount};
    asif_theta *moved;
    assert_int_equal(asif_theta_copy(&moved, p->theta, NULL), ASIF_OK);
    double *scalar[5] = {&moved->a, &moved->a_act, &moved->b, &moved->eta, &moved->discount};
    for (uint32_t i = 0;; i++) {
        uint32_t last;
        double *gi = number_of(scalar_g, g.utility, g.action_prior, g.world_weights, g.start, spec, i, name);
        double *xi = number_of(scalar, moved->utility, moved->action_prior, moved->world_weights,
                               moved->start, spec, i, name);
        if (!gi)
            break;
        partner_index(spec, i, &last);
        if (last == i || (i == 1 && skip_a_act) ||
            (last != UINT32_MAX && !spec->observations &&
             i >= 5 + spec->parameters + spec->actions + spec->worlds))
            continue;
        char other[64];
        double *gl = last == UINT32_MAX ? NULL
                                        : number_of(scalar_g, g.utility, g.action_prior, g.world_weights,
                                                    g.start, spec, last, other);
        double *xl = last == UINT32_MAX ? NULL
                                        : number_of(scalar, moved->utility, moved->action_prior,
                                                    moved->world_weights, moved->start, spec, last, other);
        double want = *gi - (gl ? *gl : 0), kept = *xi, kept_last = xl ? *xl : 0, best = INFINITY;
        double size = fmax(fabs(kept), .01);
        for (double h = 1e-3 * size; h > 5e-7 * size; h /= 3) {
            double side[4];
            for (int k = 0; k < 4; k++) {
                double step = (k % 2 ? -1 : 1) * (k < 2 ? 1 : 2) * h;
                *xi = kept + step;
                if (xl)
                    *xl = kept_last - step;
                side[k] = value_at(p, moved);
            }
            /* fourth order: large steps leave rounding behind */
            double difference = (8 * (side[0] - side[1]) - (side[2] - side[3])) / (12 * h);
            double off = fabs(difference - want) / fmax(fabs(want), 1e-3 * fabs(total) / size);
            best = off < best ? off : best;
        }
        *xi = kept;
        if (xl)
            *xl = kept_last;
        largest = best > largest ? best : largest;
        if (!(best < tolerance))
            fail_msg("%s: derivative %.12g, relative difference %.2g", name, want, best);
    }
    asif_theta_free(moved);
    asif_theta_gradient_free(p->context, &g);
    if (getenv("ASIF_SHOW"))
        printf("  largest relative difference %.2g\n", largest);
}

static void diag(void **state) {
    (void)state;
    static const double agents[][3] = {{.5, .8, 1e-3}, {.5, -1.3, 1e-3}, {.5, 1e-3, 75},
                                       {.5, 0, 0},     {.3, .4, -6},     {2, 1e-6, 5}};
    for (size_t k = 0; k < sizeof agents / sizeof *agents; k++) {
        problem p = {0};
        assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
        p.setting = make_diag(p.context, NULL);
        assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
        asif_theta_set(p.theta, "alpha", agents[k][0], NULL);
        asif_theta_set(p.theta, "optimism", agents[k][1], NULL);
        asif_theta_set(p.theta, "eta", agents[k][2], NULL);
        /* a half would be a node of the lattice, where V has a kink and a one-sided derivative is all there
         * is */
        static const double start[] = {.4871, .5129};
        assert_int_equal(asif_theta_set_distribution(p.theta, ASIF_START, 0, start, NULL), ASIF_OK);
        asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
        o.tol = 1e-14;
        assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
        assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
        make_tree(&p, 300, 100);
        check_gradient(&p, 1e-6, true);
        close_problem(&p);
    }
}

static void random_problems(bool seen, uint64_t seed) {
    problem p = {0};
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    p.setting = random_setting(p.context, seen, &seed);
    assert_int_equal(asif_theta_create(&p.theta, p.context, p.setting, NULL), ASIF_OK);
    bool apart = below(3, &seed) == 0;
    asif_theta_set(p.theta, "alpha", (.1 + make_uniform(&seed)) * (below(5, &seed) ? 1 : -1), NULL);
    if (apart)
        asif_theta_set(p.theta, "act_alpha", .5 + make_uniform(&seed), NULL);
    asif_theta_set(p.theta, "optimism", below(4, &seed) ? 2 * make_uniform(&seed) - 1 : 1e-5, NULL);
    asif_theta_set(p.theta, "eta", below(4, &seed) ? make_uniform(&seed) - .5 : 0, NULL);
    for (uint32_t i = 0; i < 4; i++)
        asif_theta_set(p.theta, asif_setting_get(p.setting)->parameter_names[i], 2 * make_uniform(&seed) - 1,
                       NULL);
    asif_plan_options o = ASIF_PLAN_OPTIONS_INIT;
    o.resolution = 12;
    o.tol = 1e-14;
    assert_int_equal(asif_work_create(&p.work, p.context, NULL, p.setting, &o, NULL), ASIF_OK);
    assert_int_equal(asif_solve(p.work, p.theta, NULL, NULL), ASIF_OK);
    make_tree(&p, 20, 6);
    check_gradient(&p, 1e-6, !apart);
    close_problem(&p);
}

static void random_beliefs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++)
        random_problems(false, seed);
}

static void random_states(void **state) {
    (void)state;
    for (uint64_t seed = 100; seed < 115; seed++)
        random_problems(true, seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(diag), cmocka_unit_test(random_beliefs),
                                       cmocka_unit_test(random_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
