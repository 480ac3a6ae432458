/* Storm's explicit format: what a file means, what is said about mistakes, round trips to the last bit. */
#include "check.h"

#include "asif/formats.h"

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

static asif_setting *read_text(const char *text, const char *reward_model) {
    asif_setting *setting;
    asif_error e = ASIF_ERROR_INIT;
    asif_status status = asif_drn_read(&setting, context, text, strlen(text), "file", reward_model, .9, &e);
    CHECK(status == ASIF_OK, "%u:%u: %s (%s)\n%s", e.line, e.column, e.message, e.hint, text);
    return setting;
}

static char *write_text(const asif_setting *setting) {
    char *text;
    asif_error e = ASIF_ERROR_INIT;
    CHECK(asif_drn_write(&text, setting, NULL, &e) == ASIF_OK, "%s", e.message);
    return text;
}

static double entry(const asif_setting_spec *s, uint32_t action, uint32_t row, uint32_t column) {
    const asif_matrix *m = &s->matrix[s->transitions[s->actions + action]];
    uint32_t r = m->same_rows ? 0 : row;
    for (uint64_t i = m->offset[r]; i < m->offset[r + 1]; i++)
        if (m->column[i] == column)
            return m->value[i];
    return 0;
}

#define HEAD                                                                                                 \
    "// a comment\n@type: MDP\n@parameters\n\n@reward_models\ncost "                                         \
    "gain\n@nr_states\n3\n@nr_choices\n6\n@model\n"

static const char example[] =
    HEAD "state 0 [1, 10] goal init\n"
         "\taction go [2, 20]\n\t\t1 : 0.25\n\t\t2 : 0.75\n"
         "\taction stay\n\t\t0 : 1\n"
         "state 1 \"far away\" \"init\"\r\n"
         "// in another order, and targets downwards, one of them in two parts\n"
         "\taction stay [0, -1.5e1]\n\t\t1 : 1/1\n"
         "\taction go [5]\n 2:1/4\n\n\t\t0 : 0.5\n\t\t2 : 0.25\n"
         "state 2 [0, 0.5]\n\taction go\n\t\t0 : 0\n\t\t2 : 1\n\taction stay\n\t\t2 : 1.0";

static void check_reading(void **state) {
    (void)state;
    static const double first[] = {3, 5, 0, 1, 0, 0}, gain[] = {30, 0, .5, 10, -15, .5};
    asif_setting *setting = read_text(example, NULL);
    const asif_setting_spec *s = asif_setting_get(setting);
    assert_true(s->states == 3 && s->actions == 2 && s->observations == 0 && s->worlds == 1 &&
                s->discount == .9);
    assert_string_equal(s->action_names[0], "go");
    assert_string_equal(s->action_names[1], "stay");
    assert_null(s->state_names);
    assert_memory_equal(s->utility, first, sizeof first);
    assert_true(entry(s, 0, 0, 1) == .25 && entry(s, 0, 0, 2) == .75 && entry(s, 0, 1, 0) == .5 &&
                entry(s, 0, 1, 2) == .5);
    assert_true(entry(s, 1, 1, 1) == 1 && entry(s, 0, 2, 2) == 1 && entry(s, 0, 2, 0) == 0);
    assert_true(s->environment_start[0] == .5 && s->environment_start[1] == .5 &&
                s->environment_start[2] == 0);
    asif_setting_free(setting);
    setting = read_text(example, "gain");
    assert_memory_equal(asif_setting_get(setting)->utility, gain, sizeof gain);
    asif_setting_free(setting);
}

static void check_numbers(void **state) {
    (void)state;
    /* Without labels actions are numbered by position, without `init` all states start alike. */
    static const char *const texts[] = {
        "@type: MDP\n@value_type: double\n@nr_states\n2\n@model\nstate 0\naction 0 [7]\n1 : 1\naction 1\n0 : "
        "1\n"
        "state 1\naction 0\n1 : 1\naction 1\n0 : 1\n",
        "@type: MDP\n@value_type: rational\n@reward_models\n\n@nr_states\n2\n@model\nstate 0\naction "
        "__NOLABEL__ [7]\n1 : 1\n"
        "action\n0 : 1\nstate 1 []\naction [0]\n1 : 1\naction __NOLABEL__\n0 : 1\n"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        asif_setting *setting = read_text(texts[i], NULL);
        const asif_setting_spec *s = asif_setting_get(setting);
        assert_null(s->action_names);
        assert_true(s->actions == 2 && s->utility[0] == 7 && s->utility[1] == 0 && entry(s, 0, 0, 1) == 1);
        assert_true(s->environment_start[0] == .5);
        asif_setting_free(setting);
    }
}

#define TWO "@type: MDP\n@nr_states\n2\n@model\n"

static const struct {
    const char *text;
    uint32_t line, column;
    asif_status status;
    const char *message, *hint;
} mistakes[] = {
    {"", 1, 1, ASIF_EPARSE, "ends before `@model`", ""},
    {"@type: DTMC\n", 1, 8, ASIF_EUNSUPPORTED, "`DTMC`: only MDP", ""},
    {"@type: POMDP\n", 1, 8, ASIF_EUNSUPPORTED, "`POMDP`", ".pomdp files"},
    {"@type: MDP\n@type: MDP\n", 2, 1, ASIF_EINVALID, "a second time", ""},
    {"@value_type: parametric\n", 1, 14, ASIF_EUNSUPPORTED, "`parametric`: only double", ""},
    {"@value_type: double-interval\n", 1, 14, ASIF_EUNSUPPORTED, "`double-interval`", ""},
    {"@parameters\np q\n", 2, 1, ASIF_EUNSUPPORTED, "parameters without values: `p q`", "in Storm"},
    {"@placeholders\n$0 : 1\n", 1, 1, ASIF_EUNSUPPORTED, "placeholders", "without them"},
    {"@nr_states\nmany\n", 2, 1, ASIF_EPARSE, "`@nr_states` needs a whole number", ""},
    {"@nr_states\n99999999999\n", 2, 1, ASIF_EPARSE, "whole number below", ""},
    {"@nr_states\n", 1, 11, ASIF_EPARSE, "the file ends where", ""},
    {"@nr_state\n2\n", 1, 1, ASIF_EPARSE, "`@nr_state` is not a line of a DRN header", ""},
    {"@model\n", 1, 1, ASIF_EINVALID, "`@type: MDP` must come before", ""},
    {"@type: MDP\n@model\n", 2, 1, ASIF_EINVALID, "`@nr_states` must come before", ""},
    {TWO "state 1\n", 5, 7, ASIF_EINVALID, "expected state 0, found 1", "in order"},
    {TWO "state one\n", 5, 7, ASIF_EPARSE, "expected the number of the state", ""},
    {TWO "action a\n", 5, 1, ASIF_EPARSE, "an action before the first state", ""},
    {TWO "state 0\n0 : 1\n", 6, 1, ASIF_EPARSE, "before the first action", ""},
    {TWO "state 0\naction a\n  2 : 1\n", 7, 3, ASIF_EINVALID, "no state 2: the last is 1", ""},
    {TWO "state 0\naction a\n  0 1\n", 7, 3, ASIF_EPARSE, "TARGET : PROBABILITY", ""},
    {TWO "state 0\naction a\n0 : x\n", 7, 5, ASIF_EPARSE, "expected a number, found `x`", ""},
    {TWO "state 0\naction a\n0 : $1\n", 7, 5, ASIF_EPARSE, "found `$1`", "placeholders"},
    {TWO "state 0\naction a\n0 : [0.1, 0.2]\n", 7, 5, ASIF_EPARSE, "found `[0.1, 0.2]`", "intervals"},
    {TWO "state 0\naction a\n0 : 1.5\n", 7, 5, ASIF_EINVALID, "1.5 is not a probability", ""},
    {TWO "state 0\naction a\n0 : 1/0\n", 7, 5, ASIF_EPARSE, "found `1/0`", ""},
    {TWO "state 0\naction a\n0 : 0.5\nstate 1\n", 6, 1, ASIF_EINVALID,
     "action `a` in state 0 sum to 0.5, not 1", ""},
    {TWO "state 0\naction a\nstate 1\n", 6, 1, ASIF_EINVALID, "sum to 0, not 1", ""},
    {TWO "state 0\nstate 1\n", 5, 1, ASIF_EINVALID, "state 0 has no action", ""},
    {TWO "state 0\naction a\n0 : 1\naction b\n0 : 1\nstate 1\naction b\n1 : 1\n", 10, 1, ASIF_EINVALID,
     "state 1 does not offer the action `a`", "leads back to 1"},
    {TWO "state 0\naction a\n0 : 1\nstate 1\n\taction c\n", 9, 9, ASIF_EINVALID,
     "state 0 does not offer the action `c`", "same actions"},
    {TWO "state 0\naction a\n0 : 1\naction a\n", 8, 8, ASIF_EINVALID, "`a` stands twice in state 0", "apart"},
    {TWO "state 0 [1\n", 5, 9, ASIF_EPARSE, "'[' without ']'", ""},
    {TWO "state 0 [1,]\n", 5, 12, ASIF_EPARSE, "expected a number", ""},
    {TWO "state 0 {3}\n", 5, 9, ASIF_EUNSUPPORTED, "`{3}` is not for an MDP", "observation"},
    {TWO "state 0 !2\n", 5, 9, ASIF_EUNSUPPORTED, "`!2`", "rate"},
    {TWO "state 0\naction a [1] b\n", 6, 14, ASIF_EPARSE, "expected the end of the line", ""},
    {TWO "state 0\naction a\n0 : 1\n", 7, 1, ASIF_EINVALID, "has 1 states, and `@nr_states` says 2", ""},
    {"@type: MDP\n@nr_states\n1\n@nr_choices\n2\n@model\nstate 0\naction a\n0 : 1\n", 9, 1, ASIF_EINVALID,
     "has 1 choices, and `@nr_choices` says 2", ""},
    {"@type: MDP\n@nr_states\n1\n@model\nstate 0\naction a\n0 : 1\nstate 1\n", 8, 7, ASIF_EINVALID,
     "more states than the 1", ""},
};

static void check_mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(mistakes); i++) {
        asif_setting *setting;
        asif_error e = ASIF_ERROR_INIT;
        const char *text = mistakes[i].text;
        asif_status status = asif_drn_read(&setting, context, text, strlen(text), "file", NULL, .9, &e);
        CHECK(status == mistakes[i].status && !setting, "%zu: status %d\n%s", i, status, text);
        CHECK(e.line == mistakes[i].line && e.column == mistakes[i].column, "%zu: at %u:%u: %s\n%s", i,
              e.line, e.column, e.message, text);
        CHECK(strstr(e.message, mistakes[i].message), "%zu: message: %s", i, e.message);
        CHECK(strstr(e.hint, mistakes[i].hint), "%zu: hint: %s", i, e.hint);
        assert_int_equal(asif_drn_read(&setting, context, text, strlen(text), NULL, NULL, .9, NULL),
                         mistakes[i].status);
    }
    asif_setting *setting;
    asif_error e = ASIF_ERROR_INIT;
    assert_int_equal(asif_drn_read(&setting, context, example, strlen(example), "file", "gian", .9, &e),
                     ASIF_EUNKNOWN);
    assert_true(e.line == 6 && strstr(e.message, "no reward model `gian`") &&
                strstr(e.hint, "did you mean `gain`?"));
    assert_int_equal(asif_drn_read(&setting, context, example, strlen(example), "file", NULL, 1, &e),
                     ASIF_EDOMAIN);
}

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* Random MDPs with rows that are exact in binary come back bit for bit. */
static void check_round_trip(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        enum { MOST = 6 };
        uint32_t states = 1 + draw(MOST), actions = 1 + draw(3);
        double value[3][MOST * MOST] = {{0}}, start[MOST] = {0}, utility[3 * MOST];
        asif_matrix matrix[3];
        uint32_t index[6];
        static const char *const names[] = {"a", "[b", "c"};
        for (uint32_t a = 0; a < actions; a++) {
            for (uint32_t s = 0; s < states; s++) {
                for (int part = 0; part < 16; part++)
                    value[a][s * states + draw(states)] += 1 / 16.0;
                utility[a * states + s] = draw(2) ? (draw(2000) - 1000.0) / 7 : 0;
            }
            matrix[a] = (asif_matrix){states, states, false, NULL, NULL, value[a]};
            index[a] = index[actions + a] = a;
        }
        uint32_t first = draw(states);
        for (uint32_t s = first; s < states; s++)
            start[s] = 1.0 / (states - first);
        asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
        spec.states = states;
        spec.actions = actions;
        spec.action_names = draw(2) ? names : NULL;
        spec.matrices = actions;
        spec.matrix = matrix;
        spec.transitions = index;
        spec.environment_start = start;
        spec.utility = utility;
        spec.discount = .9;
        asif_setting *setting;
        assert_int_equal(asif_setting_create(&setting, context, &spec, NULL), ASIF_OK);
        char *text = write_text(setting);
        asif_setting *again = read_text(text, "utility");
        char *twice = write_text(again);
        const asif_setting_spec *s = asif_setting_get(again);
        for (uint32_t a = 0; a < actions; a++)
            for (uint32_t i = 0; i < states * states; i++)
                assert_true(entry(s, a, i / states, i % states) == value[a][i]);
        assert_memory_equal(s->utility, utility, (size_t)actions * states * sizeof(double));
        for (uint32_t i = 0; i < states; i++)
            CHECK_NEAR(s->environment_start[i], start[i], 1e-15);
        if (!spec.action_names || actions < 2)
            assert_string_equal(text, twice);
        asif_memory_free(context, text);
        asif_memory_free(context, twice);
        asif_setting_free(setting);
        asif_setting_free(again);
    }
}

static void check_refused(void **state) {
    (void)state;
    static const double one[] = {1, 0, 0, 1}, start[] = {.25, .75}, half[] = {.5, .5};
    static const asif_matrix matrix = {2, 2, false, NULL, NULL, one};
    static const uint32_t index[] = {0, 0};
    static const bool terminal[] = {false, true};
    static const asif_utility_term belief = {ASIF_BY_BELIEF, ASIF_ANY, ASIF_ANY, ASIF_ANY, 1,
                                             ASIF_ABOVE,     .9,       0};
    asif_setting_spec base = ASIF_SETTING_SPEC_INIT;
    base.states = 2;
    base.actions = 1;
    base.matrices = 1;
    base.matrix = &matrix;
    base.transitions = index;
    base.environment_start = half;
    base.discount = .5;
    asif_setting_spec spec[] = {base, base, base, base};
    static const char *const words[] = {"initial states, all alike", "terminal", "belief", "states are seen"};
    spec[0].environment_start = start;
    spec[1].terminal = terminal;
    spec[2].terms = 1;
    spec[2].term = &belief;
    spec[3].observations = 2;
    spec[3].emissions = index;
    for (size_t i = 0; i < LENGTH(spec); i++) {
        asif_setting *setting;
        asif_error e = ASIF_ERROR_INIT;
        char *text;
        assert_int_equal(asif_setting_create(&setting, context, &spec[i], &e), ASIF_OK);
        assert_int_equal(asif_drn_write(&text, setting, NULL, &e), ASIF_EUNSUPPORTED);
        CHECK(strstr(e.message, words[i]), "%s", e.message);
        assert_null(text);
        asif_setting_free(setting);
    }
}

static void check_memory(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *failing;
    assert_int_equal(asif_context_create(&failing, &options, NULL), ASIF_OK);
    long own = memory.alive, k = 0;
    for (asif_status status = ASIF_ENOMEM; status != ASIF_OK; k++) {
        asif_error e = ASIF_ERROR_INIT;
        asif_setting *setting;
        char *text = NULL;
        memory.left = k;
        status = asif_drn_read(&setting, failing, example, strlen(example), "file", NULL, .9, &e);
        if (status == ASIF_OK)
            status = asif_drn_write(&text, setting, NULL, &e);
        asif_memory_free(failing, text);
        asif_setting_free(setting);
        CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "allocation %ld: %s", k, e.message);
        CHECK(memory.alive == own, "allocation %ld: %ld blocks lost", k, memory.alive - own);
    }
    assert_true(k > 20);
    memory.left = -1;
    asif_context_free(failing);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_reading),    cmocka_unit_test(check_numbers), cmocka_unit_test(check_mistakes),
        cmocka_unit_test(check_round_trip), cmocka_unit_test(check_refused), cmocka_unit_test(check_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
