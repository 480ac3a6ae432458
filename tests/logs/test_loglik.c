/* The likelihood on a tree where the answer is known, and where there is none. The oracle's numbers are in
 * tests/oracle. */
#include "check.h"

#include "problems.h"

#include <string.h>

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_theta *theta;
    asif_work *work;
} agent;

static agent open_agent(double alpha, bool seen) {
    agent a = {0};
    assert_int_equal(asif_context_create(&a.context, NULL, NULL), ASIF_OK);
    a.setting = seen ? make_mdp(a.context, 12, 3, 4, .9, NULL) : make_diag(a.context, NULL);
    assert_non_null(a.setting);
    assert_int_equal(asif_theta_create(&a.theta, a.context, a.setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(a.theta, "alpha", alpha, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&a.work, a.context, NULL, a.setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(a.work, a.theta, NULL, NULL), ASIF_OK);
    return a;
}

static void close_agent(agent *a) {
    asif_work_free(a->work);
    asif_theta_free(a->theta);
    asif_setting_free(a->setting);
    asif_context_free(a->context);
}

static asif_tree *read(const agent *a, const char *text, asif_log_map *map) {
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.setting = a->setting;
    options.map = map;
    options.units = ASIF_UNITS_EPISODES;
    if (asif_logs_read_text(&tree, a->context, text, strlen(text), "logs.csv", &options, NULL, NULL,
                            &error) != ASIF_OK)
        fail_msg("%s", error.message);
    return tree;
}

/* alpha = inf: every action has the probability 1/3, whatever happened. */
static void uniform_agent(void **state) {
    (void)state;
    agent a = open_agent(INFINITY, false);
    asif_tree *tree = read(&a,
                           "episode,t,action,observation\n1,0,monitor,positive\n1,1,monitor,negative\n"
                           "1,2,declare_healthy,\n2,0,declare_diseased,\n",
                           NULL);
    double total, by_unit[2], by_node[10];
    asif_loglik_options options = ASIF_LOGLIK_OPTIONS_INIT;
    options.by_unit = by_unit;
    options.by_node = by_node;
    assert_int_equal(asif_loglik(&total, asif_work_behavior(a.work), tree, &options, NULL), ASIF_OK);
    CHECK_NEAR(total, -4 * log(3), 1e-14);
    CHECK_NEAR(by_unit[0], -3 * log(3), 1e-14);
    CHECK_NEAR(by_unit[1], -log(3), 1e-14);
    CHECK_NEAR(by_node[0], -2 * log(3), 1e-14); /* both episodes began there */
    asif_tree_free(tree);
    close_agent(&a);
}

/* The tree gives what walking each episode by itself gives. */
static void sum_over_decisions(void **state) {
    (void)state;
    agent a = open_agent(2, false);
    const asif_behavior *b = asif_work_behavior(a.work);
    char text[8192] = "episode,t,action,observation\n";
    static const char *const names[] = {"declare_healthy", "declare_diseased", "monitor"};
    static const char *const seen[] = {"negative", "positive"};
    uint64_t seed = 8;
    double want = 0;
    for (int episode = 0; episode < 40; episode++) {
        double z[2], lp[3];
        asif_behavior_init(b, 0, ASIF_ANY, z);
        for (int t = 0; t < 6; t++) {
            uint32_t action = t == 5 || make_uniform(&seed) < .2 ? (make_uniform(&seed) < .5) : 2;
            uint32_t observation = make_uniform(&seed) < .6;
            size_t used = strlen(text);
            (void)snprintf(text + used, sizeof text - used, "%d,%d,%s,%s\n", episode, t, names[action],
                           seen[observation]);
            assert_int_equal(asif_behavior_log_policy(b, 1, z, lp, NULL), ASIF_OK);
            want += lp[action];
            if (action != 2)
                break;
            assert_int_equal(asif_behavior_step(b, 1, z, &action, &observation, z, NULL), ASIF_OK);
        }
    }
    asif_tree *tree = read(&a, text, NULL);
    double total;
    assert_int_equal(asif_loglik(&total, b, tree, NULL, NULL), ASIF_OK);
    CHECK_NEAR(total, want, 1e-13);
    asif_tree_free(tree);
    close_agent(&a);
}

/* Nothing seen after an action that changes nothing: the belief stays, so two such steps double the
 * log-probability. */
static void nothing_seen(void **state) {
    (void)state;
    agent a = open_agent(2, false);
    uint32_t action = 2, none = ASIF_ANY;
    double z[2] = {.3, .7}, next[2];
    assert_int_equal(asif_behavior_step(asif_work_behavior(a.work), 1, z, &action, &none, next, NULL),
                     ASIF_OK);
    CHECK_NEAR(next[0], .3, 1e-15);
    CHECK_NEAR(next[1], .7, 1e-15);
    action = 0; /* resets */
    assert_int_equal(asif_behavior_step(asif_work_behavior(a.work), 1, z, &action, &none, next, NULL),
                     ASIF_OK);
    CHECK_NEAR(next[0], .5, 1e-15);
    close_agent(&a);
}

static void never_taken_and_impossible(void **state) {
    (void)state;
    agent a = open_agent(0, false);
    double total;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = read(&a, "episode,t,action,observation\n1,0,declare_healthy,\n", NULL);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(a.work), tree, NULL, &error), ASIF_OK);
    assert_true(total == -INFINITY);
    agent seen = open_agent(1, true);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(seen.work), tree, NULL, &error), ASIF_EINVALID);
    asif_tree_free(tree);
    close_agent(&seen);
    close_agent(&a);

    /* a test that never lies: a negative result after a positive one cannot be, and row 4 has it */
    static const double half[] = {.5, .5}, sure[] = {1, 0, 0, 1};
    static const asif_matrix matrix[] = {{2, 2, true, NULL, NULL, half}, {2, 2, false, NULL, NULL, sure}};
    static const uint32_t transitions[] = {1, 0, 1, 0}, emissions[] = {1, 1, 1, 1};
    static const char *const actions[] = {"look", "leave"}, *const observations[] = {"no", "yes"};
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.states = spec.actions = spec.observations = 2;
    spec.action_names = actions;
    spec.observation_names = observations;
    spec.matrices = 2;
    spec.matrix = matrix;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = half;
    spec.discount = .5;
    memset(&a, 0, sizeof a);
    assert_int_equal(asif_context_create(&a.context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_setting_create(&a.setting, a.context, &spec, NULL), ASIF_OK);
    assert_int_equal(asif_theta_create(&a.theta, a.context, a.setting, NULL), ASIF_OK);
    assert_int_equal(asif_theta_set(a.theta, "alpha", 1, NULL), ASIF_OK);
    assert_int_equal(asif_work_create(&a.work, a.context, NULL, a.setting, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_solve(a.work, a.theta, NULL, NULL), ASIF_OK);
    tree = read(
        &a,
        "episode,t,action,observation\n1,0,look,no\n1,1,look,no\n2,0,look,yes\n2,1,look,no\n2,2,leave,no\n",
        NULL);
    assert_int_equal(asif_loglik(&total, asif_work_behavior(a.work), tree, NULL, &error), ASIF_EZEROPR);
    assert_non_null(strstr(error.message, "'no' after 'look' is impossible"));
    assert_int_equal(error.row, 4); /* the row that saw it */
    asif_tree_free(tree);
    close_agent(&a);
}

/* Where states are seen: counts by state times log-policies at the states. */
static void states_seen(void **state) {
    (void)state;
    agent a = open_agent(.4, true);
    const asif_behavior *b = asif_work_behavior(a.work);
    const asif_setting_spec *spec = asif_setting_get(a.setting);
    char text[8192] = "subject,t,state,action\n";
    uint64_t seed = 2;
    double want = 0;
    for (int subject = 0; subject < 9; subject++) {
        uint32_t s = (uint32_t)subject;
        for (int t = 0; t < 15; t++) {
            double z[1] = {s}, lp[3];
            uint32_t u = (uint32_t)(make_uniform(&seed) * 3);
            size_t used = strlen(text);
            (void)snprintf(text + used, sizeof text - used, "%d,%d,%u,%u\n", subject, t, s, u);
            assert_int_equal(asif_behavior_log_policy(b, 1, z, lp, NULL), ASIF_OK);
            want += lp[u];
            const asif_matrix *m = &spec->matrix[spec->transitions[u]];
            s = m->column[m->offset[s]];
        }
    }
    asif_tree *tree = read(&a, text, NULL);
    asif_tree_view view = {.struct_size = sizeof view};
    double total, transitions = 0;
    assert_int_equal(asif_tree_get(tree, &view, NULL), ASIF_OK);
    for (uint64_t i = 0; i < view.transitions; i++)
        transitions += view.transition_count[i];
    assert_true(transitions == 9 * 14);
    assert_int_equal(asif_loglik(&total, b, tree, NULL, NULL), ASIF_OK);
    CHECK_NEAR(total, want, 1e-13);
    asif_tree_free(tree);
    close_agent(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_agent), cmocka_unit_test(sum_over_decisions),
        cmocka_unit_test(nothing_seen),  cmocka_unit_test(never_taken_and_impossible),
        cmocka_unit_test(states_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
