/* Simulated logs as CSV: the rows are the decisions, in pieces, and failures stop it. */
#include "check.h"

#include "asif.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char hidden[] = "asif: 1\n"
                             "states: [calm, \"say \\\"ill\\\"\"]\n"
                             "actions: [\"wait, see\", treat]\n"
                             "observations: [\" dark\", bright]\n"
                             "environment:\n"
                             "  start: [0.5, 0.5]\n"
                             "  transitions: {treat: reset}\n"
                             "  emissions: [[0.8, 0.2], [0.2, 0.8]]\n"
                             "  ends: [treat]\n"
                             "agent:\n"
                             "  discount: 0.9\n"
                             "  utility: {treat: {calm: -1, any: 1}, any: 0}\n"
                             "  parameters: {alpha: 1}\n"
                             "solver: {resolution: 10}\n";

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
} agent;

static void solve(agent *a, const asif_context_options *options, const char *text) {
    asif_error error = ASIF_ERROR_INIT;
    memset(a, 0, sizeof *a);
    assert_int_equal(asif_context_create(&a->context, options, NULL), ASIF_OK);
    CHECK(asif_study_read(&a->study, a->context, text, strlen(text), NULL, NULL, &error) == ASIF_OK, "%s",
          error.message);
    assert_int_equal(asif_work_create(&a->work, a->context, NULL, asif_study_setting(a->study),
                                      asif_study_solver(a->study), NULL),
                     ASIF_OK);
    assert_int_equal(asif_solve(a->work, asif_study_theta(a->study), NULL, NULL), ASIF_OK);
}

static void give_back(agent *a) {
    asif_work_free(a->work);
    asif_study_free(a->study);
    asif_context_free(a->context);
}

/* What was written, or should have been. */
typedef struct {
    char *text;
    size_t length, room;
    uint64_t pieces, largest;
    uint64_t fail_at; /* the piece that cannot be written, from 1; 0: none */
} sink;

static void append(sink *s, const char *data, size_t length) {
    while (s->length + length + 1 > s->room) {
        s->room = 2 * s->room + 1024;
        s->text = realloc(s->text, s->room);
        assert_non_null(s->text);
    }
    memcpy(s->text + s->length, data, length);
    s->length += length;
    s->text[s->length] = 0;
}

static asif_status take_piece(void *user, const char *data, uint64_t length) {
    sink *s = user;
    if (++s->pieces == s->fail_at)
        return ASIF_EIO;
    s->largest = length > s->largest ? length : s->largest;
    append(s, data, (size_t)length);
    return ASIF_OK;
}

/* The same rows by hand, for the labels of `hidden`. */
static asif_status take_decision(void *user, const asif_decision *d) {
    static const char *const action[] = {"\"wait, see\"", "treat"}, *const observation[] = {"\" dark\"",
                                                                                            "bright"};
    char row[128];
    int length = snprintf(row, sizeof row, "%" PRIu64 ",%" PRIu32 ",%s,%s\n", d->episode + 1, d->step,
                          action[d->action], observation[d->observation]);
    append(user, row, (size_t)length);
    return ASIF_OK;
}

static void test_rows(void **state) {
    (void)state;
    agent a;
    solve(&a, NULL, hidden);
    const asif_behavior *behavior = asif_work_behavior(a.work);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = 5000;
    options.first_episode = 7;
    options.seed = 3;
    sink got = {0}, want = {0};
    asif_simulated made = {0};
    uint64_t lines = 0;
    append(&want, "episode,t,action,observation\n", 29);
    assert_int_equal(asif_simulate(behavior, &options, take_decision, &want, NULL), ASIF_OK);
    assert_int_equal(asif_simulate_csv(behavior, &options, take_piece, &got, &made, NULL), ASIF_OK);
    assert_int_equal(got.length, want.length);
    assert_string_equal(got.text, want.text);
    assert_memory_equal(got.text + 29, "8,0,", 4);
    for (size_t i = 0; i < got.length; i++)
        lines += got.text[i] == '\n';
    assert_int_equal(made.decisions, lines - 1);
    /* A piece ends with the row that takes it past 64 KB. */
    CHECK(got.pieces == got.length / 65536 + 1 && got.pieces > 3, "%u pieces of %zu bytes",
          (unsigned)got.pieces, got.length);
    CHECK(got.largest >= 65536 && got.largest < 65536 + 64, "a piece of %u bytes", (unsigned)got.largest);

    sink none = {0};
    options.episodes = 0;
    assert_int_equal(asif_simulate_csv(behavior, &options, take_piece, &none, &made, NULL), ASIF_OK);
    assert_string_equal(none.text, "episode,t,action,observation\n");
    assert_int_equal(made.decisions, 0);
    free(none.text);
    free(got.text);
    free(want.text);
    give_back(&a);
}

static void test_states_seen(void **state) {
    (void)state;
    static const char seen[] = "asif: 1\nstates: [a, b]\nactions: [stay, go]\nenvironment:\n  start: a\n"
                               "  transitions: {go: [[0, 1], [1, 0]]}\nagent:\n  discount: 0.9\n"
                               "  utility: {any: {a: 0, b: 1}}\n  parameters: {alpha: 0}\n";
    agent a;
    solve(&a, NULL, seen);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.max_steps = 3;
    asif_simulated made = {0};
    sink got = {0};
    assert_int_equal(asif_simulate_csv(asif_work_behavior(a.work), &options, take_piece, &got, &made, NULL),
                     ASIF_OK);
    assert_string_equal(got.text, "episode,t,state,action\n1,0,a,go\n1,1,b,stay\n1,2,b,stay\n");
    assert_int_equal(made.decisions, 3);
    assert_int_equal(made.cut, 1);
    free(got.text);
    give_back(&a);
}

static void test_failed_writes(void **state) {
    (void)state;
    agent a;
    solve(&a, NULL, hidden);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = 5000;
    sink all = {0};
    assert_int_equal(asif_simulate_csv(asif_work_behavior(a.work), &options, take_piece, &all, NULL, NULL),
                     ASIF_OK);
    for (uint64_t piece = 1; piece <= all.pieces; piece++) {
        sink s = {.fail_at = piece};
        asif_error error = ASIF_ERROR_INIT;
        assert_int_equal(
            asif_simulate_csv(asif_work_behavior(a.work), &options, take_piece, &s, NULL, &error), ASIF_EIO);
        assert_int_equal(s.pieces, piece);
        assert_int_equal(error.status, ASIF_EIO);
        assert_non_null(strstr(error.message, "could not be written"));
        free(s.text);
    }
    free(all.text);
    give_back(&a);
}

static bool cancel_late(void *user, const char *what, double done) {
    double *seen = user;
    if (strcmp(what, "simulating") != 0)
        return false;
    CHECK(done >= *seen && done < 1, "%g after %g", done, *seen);
    *seen = done;
    return done > 0.5;
}

static void test_cancelled(void **state) {
    (void)state;
    double done = 0;
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    context.progress = cancel_late;
    context.user = &done;
    agent a;
    solve(&a, &context, hidden);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = 5000;
    sink s = {0};
    asif_simulated made = {0};
    assert_int_equal(asif_simulate_csv(asif_work_behavior(a.work), &options, take_piece, &s, &made, NULL),
                     ASIF_ECANCELLED);
    CHECK(done > 0.5 && done < 0.6, "cancelled at %g", done);
    assert_true(made.decisions > 0);
    free(s.text);
    give_back(&a);
}

static void test_no_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options context = ASIF_CONTEXT_OPTIONS_INIT;
    context.reallocate = failing_reallocate;
    context.user = &memory;
    agent a;
    solve(&a, &context, hidden);
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = 300;
    asif_status status = ASIF_ENOMEM;
    for (long left = 0; status != ASIF_OK; left++) {
        sink s = {0};
        long alive = memory.alive;
        asif_error error = ASIF_ERROR_INIT;
        memory.left = left;
        status = asif_simulate_csv(asif_work_behavior(a.work), &options, take_piece, &s, NULL, &error);
        memory.left = -1;
        assert_true(status == ASIF_OK || (status == ASIF_ENOMEM && error.status == ASIF_ENOMEM));
        assert_int_equal(memory.alive, alive);
        assert_true(left < 100000);
        free(s.text);
    }
    give_back(&a);
    assert_int_equal(memory.alive, 0);
}

/* ---- where nothing is seen ---- */

typedef struct {
    const asif_behavior *behavior;
    uint64_t episode, seen[2], unseen[2]; /* by action */
    double next[8];                       /* the state that the agent should have come to */
} watch;

static asif_status watch_decision(void *user, const asif_decision *d) {
    watch *w = user;
    uint64_t width = asif_behavior_width(w->behavior);
    for (uint64_t i = 0; d->step > 0 && i < width; i++)
        CHECK_NEAR(d->agent_state[i], w->next[i], 1e-15);
    (d->observation == ASIF_ANY ? w->unseen : w->seen)[d->action]++;
    return asif_behavior_step(w->behavior, 1, d->agent_state, &d->action, &d->observation, w->next, NULL);
}

/* The agent updates its belief with what it saw, which is as often nothing as was asked for. */
static void test_unseen(void **state) {
    (void)state;
    static const double shares[][2] = {{1, 0}, {.25, 0}, {0, 1}};
    agent a;
    solve(&a, NULL, hidden);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
        watch w = {.behavior = asif_work_behavior(a.work)};
        assert_true(asif_behavior_width(w.behavior) <= 8);
        options.episodes = 2000;
        options.unseen = shares[i];
        assert_int_equal(asif_simulate(w.behavior, &options, watch_decision, &w, NULL), ASIF_OK);
        for (int u = 0; u < 2; u++) {
            double p = shares[i][u], n = (double)(w.seen[u] + w.unseen[u]);
            assert_true(n > 1000);
            CHECK_NEAR((double)w.unseen[u] / n, p, 4 * sqrt(p * (1 - p) / n));
        }
    }
    give_back(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_states_seen),
        cmocka_unit_test(test_failed_writes), cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
