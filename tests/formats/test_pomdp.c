/* Cassandra's format: what every form means (worked out by hand, and against a plain dense interpreter on
 * random files), what is said about mistakes, and round trips to the last bit. */
#include "check.h"

#include "asif/formats.h"
#include "formats/pomdp.h"

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

static asif_pomdp *read_text(const char *text) {
    asif_pomdp *p;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_pomdp_read(&p, context, text, strlen(text), "file", &error);
    CHECK(status == ASIF_OK, "%u:%u: %s (%s)\n%s", error.line, error.column, error.message, error.hint, text);
    return p;
}

static char *write_text(const asif_pomdp *p) {
    char *text;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_pomdp_write(&text, p, &error) == ASIF_OK, "%s", error.message);
    return text;
}

static double probability(const asif_pomdp *p, char table, uint32_t a, uint32_t s, uint32_t c) {
    const asif_pomdp_table *t = table == 'T' ? &p->transitions : table == 'O' ? &p->emissions : &p->start;
    return asif_pomdp_row_value(asif_pomdp_get_row(t, a, s), s, c);
}

static double reward(const asif_pomdp *p, uint32_t a, uint32_t s, uint32_t next, uint32_t o) {
    asif_pomdp_rewards *r;
    assert_true(asif_pomdp_rewards_create(&r, p));
    assert_true(asif_pomdp_rewards_at(r, a, s));
    double value = asif_pomdp_rewards_value(r, next, o);
    asif_pomdp_rewards_free(r);
    return value;
}

/* ---- forms ---- */

#define HEAD "discount: 0.9 values: reward states: a b c actions: x y observations: u v\n"
#define MDP "discount: 0.9 values: reward states: a b c actions: x y\n"
#define REST "T: * identity O: * uniform\n"

typedef struct {
    char table; /* S(tart), T, O, R */
    uint32_t a, s, c, o;
    double want;
} expectation;

static const struct {
    const char *name, *text;
    expectation is[8];
} forms[] = {
    {"no start is uniform", HEAD REST, {{'S', 0, 0, 0, 0, 1 / 3.0}, {'S', 0, 0, 2, 0, 1 / 3.0}}},
    {"start vector", HEAD "start: 0.25 0.5 0.25 " REST, {{'S', 0, 0, 0, 0, .25}, {'S', 0, 0, 1, 0, .5}}},
    {"start vector of whole numbers",
     HEAD "start: 0 1 0 " REST,
     {{'S', 0, 0, 0, 0, 0}, {'S', 0, 0, 1, 0, 1}}},
    {"start uniform", HEAD "start: uniform " REST, {{'S', 0, 0, 1, 0, 1 / 3.0}}},
    {"start by name", HEAD "start: b " REST, {{'S', 0, 0, 1, 0, 1}, {'S', 0, 0, 0, 0, 0}}},
    {"start by number", HEAD "start: 2 " REST, {{'S', 0, 0, 2, 0, 1}, {'S', 0, 0, 0, 0, 0}}},
    {"start include",
     HEAD "start include: a 2 a " REST,
     {{'S', 0, 0, 0, 0, .5}, {'S', 0, 0, 1, 0, 0}, {'S', 0, 0, 2, 0, .5}}},
    {"start exclude",
     HEAD "start exclude: a " REST,
     {{'S', 0, 0, 0, 0, 0}, {'S', 0, 0, 1, 0, .5}, {'S', 0, 0, 2, 0, .5}}},
    {"preamble in another order",
     "observations: 2 actions: x states: 2 values: cost discount: 1 T: x uniform O: 0 uniform R: x : 1 : * : "
     "0 -7.5e1",
     {{'T', 0, 1, 0, 0, .5}, {'R', 0, 1, 0, 0, -75}, {'R', 0, 1, 1, 1, 0}, {'R', 0, 0, 1, 0, 0}}},
    {"identity, then one column for all",
     HEAD "T: * identity T: x : * : a 0.5 T: x : b : b 0.5 T: x : c : c 0.5 T: x : a : c 0.5 O: * uniform",
     {{'T', 0, 0, 0, 0, .5},
      {'T', 0, 0, 2, 0, .5},
      {'T', 0, 1, 0, 0, .5},
      {'T', 0, 1, 1, 0, .5},
      {'T', 0, 1, 2, 0, 0},
      {'T', 1, 0, 0, 0, 1},
      {'T', 1, 1, 0, 0, 0}}},
    {"matrix and later row",
     HEAD "T: x\n1 0 0\n0 1 0\n0 0.5 0.5\nT: y uniform T: * : b 0.25 0.25 0.5 O: * uniform",
     {{'T', 0, 0, 0, 0, 1},
      {'T', 0, 1, 2, 0, .5},
      {'T', 0, 2, 1, 0, .5},
      {'T', 1, 0, 1, 0, 1 / 3.0},
      {'T', 1, 1, 0, 0, .25}}},
    {"reset draws from start",
     HEAD "start: 0.5 0.25 0.25 T: x : * reset T: y identity T: y : c reset O: * uniform",
     {{'T', 0, 1, 0, 0, .5}, {'T', 0, 2, 2, 0, .25}, {'T', 1, 2, 0, 0, .5}, {'T', 1, 1, 0, 0, 0}}},
    {"reset with excluded start",
     HEAD "start exclude: b T: * : * reset O: * uniform",
     {{'T', 0, 1, 0, 0, .5}, {'T', 1, 2, 1, 0, 0}}},
    {"every column, then one",
     HEAD "T: * : * : * 0.25 T: * : * : a 0.5 T: y : b : * 0 T: y : 1 : 2 1. O: * uniform",
     {{'T', 0, 0, 0, 0, .5},
      {'T', 0, 2, 1, 0, .25},
      {'T', 1, 1, 0, 0, 0},
      {'T', 1, 1, 2, 0, 1},
      {'T', 1, 2, 2, 0, .25}}},
    {"O by the state reached",
     HEAD "T: * identity O: x\n0.5 0.5\n1 0\n0 1\nO: y : * 0.125 0.875 O: y : c : v 0 O: y : c : u 1",
     {{'O', 0, 0, 1, 0, .5},
      {'O', 0, 1, 0, 0, 1},
      {'O', 0, 2, 0, 0, 0},
      {'O', 1, 0, 1, 0, .875},
      {'O', 1, 2, 0, 0, 1},
      {'O', 1, 2, 1, 0, 0}}},
    {"R: the last one counts",
     HEAD REST
     "R: * : * : * : * -1 R: x : b : * : * 2 R: * : * : c : * 3 R: x : b : c : v 4 R: y : * : * : u 5",
     {{'R', 0, 0, 0, 0, -1},
      {'R', 0, 1, 0, 1, 2},
      {'R', 0, 1, 2, 0, 3},
      {'R', 0, 1, 2, 1, 4},
      {'R', 1, 1, 2, 0, 5},
      {'R', 1, 1, 2, 1, 3},
      {'R', 1, 1, 1, 1, -1}}},
    {"R: rows and matrices",
     HEAD REST "R: x : a 1 2 3 4 5 6 R: x : a : b +7 -8 R: y : * : * -1 -2 R: y : c : c : v 9",
     {{'R', 0, 0, 0, 1, 2},
      {'R', 0, 0, 2, 0, 5},
      {'R', 0, 0, 1, 0, 7},
      {'R', 0, 0, 1, 1, -8},
      {'R', 1, 0, 2, 1, -2},
      {'R', 1, 2, 2, 1, 9},
      {'R', 1, 2, 2, 0, -1},
      {'R', 0, 1, 2, 0, 0}}},
    {"R: a wildcard hides all before it",
     HEAD REST "R: x : a : b : u 1 R: x : * : * : * 2 R: x : a : * : v 3",
     {{'R', 0, 0, 1, 0, 2}, {'R', 0, 0, 1, 1, 3}, {'R', 1, 0, 1, 0, 0}}},
    {"MDP",
     MDP "start: b T: * identity R: x : a : b 1 R: x : b 2 3 4 R: y 1 2 3 4 5 6 7 8 9 R: y : c : c -1",
     {{'S', 0, 0, 1, 0, 1},
      {'R', 0, 0, 1, 0, 1},
      {'R', 0, 0, 0, 0, 0},
      {'R', 0, 1, 2, 0, 4},
      {'R', 1, 1, 0, 0, 4},
      {'R', 1, 2, 1, 0, 8},
      {'R', 1, 2, 2, 0, -1}}},
    {"MDP starts in many ways",
     MDP "start include: a b T: * : * reset",
     {{'T', 1, 2, 1, 0, .5}, {'T', 0, 0, 2, 0, 0}}},
    {"one state",
     "discount: 0 values: reward states: only actions: 1 observations: o start: 1 T: 0 identity T: 0 : 0 : 0 "
     "1 "
     "O: * : * uniform",
     {{'S', 0, 0, 0, 0, 1}, {'T', 0, 0, 0, 0, 1}, {'O', 0, 0, 0, 0, 1}}},
    {"signs, exponents, comments, line ends",
     "\xEF\xBB\xBF# c\r\ndiscount:9E-1\r\nvalues:reward#c\nstates:2 "
     "actions:x-1\tobservations:u_\nT:*identity O:x-1:*1.0 \n"
     "R:x-1:0:*:* - 2 R:x-1:1:*:*+1.5e+1#end",
     {{'R', 0, 0, 0, 0, -2}, {'R', 0, 1, 1, 0, 15}, {'O', 0, 1, 0, 0, 1}}},
    {"sums to 1e-5", HEAD "T: * : * 0.333334 0.333334 0.333334 O: * uniform", {{'T', 0, 0, 0, 0, .333334}}},
    {"every column, not quite uniform",
     HEAD "T: * : * : * 0.333334 O: * uniform",
     {{'T', 1, 2, 0, 0, .333334}}},
};

static void check_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(forms); i++) {
        asif_pomdp *p = read_text(forms[i].text);
        char *text = write_text(p);
        asif_pomdp *again = read_text(text);
        char *twice = write_text(again);
        CHECK(strcmp(text, twice) == 0, "%s: written differently\n%s\n%s", forms[i].name, text, twice);
        for (size_t k = 0; k < LENGTH(forms[i].is) && forms[i].is[k].table; k++) {
            const expectation *e = &forms[i].is[k];
            for (int copy = 0; copy < 2; copy++) {
                const asif_pomdp *q = copy ? again : p;
                double got = e->table == 'R' ? reward(q, e->a, e->s, e->c, e->o)
                                             : probability(q, e->table, e->a, e->s, e->c);
                CHECK(got == e->want, "%s, expectation %zu, copy %d: %.17g, not %.17g", forms[i].name, k,
                      copy, got, e->want);
            }
        }
        asif_memory_free(context, text);
        asif_memory_free(context, twice);
        asif_pomdp_free(p);
        asif_pomdp_free(again);
    }
}

/* ---- mistakes ---- */

#define H2 "discount: 0.9\nvalues: reward\nstates: left right\nactions: go stay\nobservations: dark light\n"

static const struct {
    const char *text;
    uint32_t line, column;
    asif_status status;
    const char *message, *hint;
} mistakes[] = {
    {"", 1, 1, ASIF_EINVALID, "`discount` is missing", "discount: 0.95"},
    {"discount: 0.9\nT: * identity", 2, 1, ASIF_EINVALID, "`values` is missing", "values: reward"},
    {"discount: 0.9\nvalues: reward\nactions: 2", 3, 11, ASIF_EINVALID, "`states` is missing", "states:"},
    {"discount: 0.9\nvalues: reward\nstates: 2\n", 4, 1, ASIF_EINVALID, "`actions` is missing", "actions:"},
    {"discount 0.9", 1, 10, ASIF_EPARSE, "expected ':' after `discount`, found 0.9", "cannot be a name"},
    {"discount: .95", 1, 11, ASIF_EPARSE, "must begin with a digit", "write 0.95"},
    {"discount: 1.5", 1, 11, ASIF_EINVALID, "between 0 and 1, not 1.5", ""},
    {"discount: -0.5", 1, 11, ASIF_EINVALID, "between 0 and 1, not -0.5", ""},
    {"discount: high", 1, 11, ASIF_EPARSE, "expected the discount, found `high`", ""},
    {"discount: 0.9\ndiscount: 0.8", 2, 1, ASIF_EINVALID, "`discount` stands here a second time", ""},
    {"values: rewards", 1, 9, ASIF_EPARSE, "`reward` or `cost`, not `rewards`", ""},
    {"state: 3", 1, 1, ASIF_EPARSE, "found `state`", "did you mean `states`?"},
    {"states: 0", 1, 9, ASIF_EINVALID, "at least one of the states", ""},
    {"states: 0 1 2", 1, 9, ASIF_EINVALID, "at least one", ""},
    {"states: 2 3", 1, 11, ASIF_EPARSE, "one number or a list of names", "begin with a letter"},
    {"states: 4000000000", 1, 9, ASIF_ETOOBIG, "4000000000 states are too many", ""},
    {"states: 4000000\nactions: 5000", 2, 1, ASIF_ETOOBIG, "4000000 states times 5000 actions", ""},
    {"states: one two one", 1, 17, ASIF_EINVALID, "the name `one` stands twice among the states", ""},
    {"states: start end", 1, 9, ASIF_EPARSE, "`states` needs a number or names, found `start`",
     "cannot be a name"},
    {"states: 2nd 3rd", 1, 9, ASIF_EPARSE, "2 is followed by 'n'", "begins with a letter"},
    {H2 "start: right\nvalues: cost", 7, 1, ASIF_EPARSE, "`values` comes too late", "first discount"},
    {"discount: 0.9\nvalues: reward\nstates: 2\nactions: open reset\n", 4, 15, ASIF_EPARSE, "found `reset`",
     "cannot be a name"},
    {H2 "start: 0.5", 6, 11, ASIF_EPARSE, "`start` needs 2 numbers, found 1 before the end of the file", ""},
    {H2 "start: 0.5 0.25 0.25", 6, 17, ASIF_EPARSE, "a number too many: `start` has 2", ""},
    {H2 "start: 0.5 0.25\n", 6, 8, ASIF_EINVALID, "`start` sum to 0.75, not 1", ""},
    {H2 "start: 2 T: * identity", 6, 8, ASIF_EINVALID, "no state 2 to start in", "numbered from 0"},
    {H2 "start: rigth", 6, 8, ASIF_EINVALID, "no state `rigth`", "did you mean `right`?"},
    {H2 "start include: *", 6, 16, ASIF_EPARSE, "expected a state, found `*`", ""},
    {H2 "start exclude: left right", 6, 16, ASIF_EINVALID, "leaves no state", ""},
    {H2 "T: goo identity", 6, 4, ASIF_EINVALID, "no action `goo`", "did you mean `go`?"},
    {H2 "T: 2 identity", 6, 4, ASIF_EINVALID, "no action 2", "from 0 to 1"},
    {H2 "T: go : dark : left 1", 6, 9, ASIF_EINVALID, "no state `dark`", ""},
    {H2 "T: go : left : left 1.2", 6, 21, ASIF_EINVALID, "1.2 is not a probability", ""},
    {H2 "T: go : left : left -1", 6, 21, ASIF_EPARSE, "a probability has no sign", ""},
    {H2 "T: go : left : left", 6, 20, ASIF_EPARSE, "expected a probability, found the end of the file", ""},
    {H2 "T: go : left : left 1 0", 6, 23, ASIF_EPARSE, "a number too many", ""},
    {H2 "T: go : left 1\nT: stay identity", 7, 1, ASIF_EPARSE,
     "a row of `T` needs 2 numbers, found 1 before `T`", ""},
    {H2 "T: go 1 0 0", 6, 12, ASIF_EPARSE, "a matrix of `T` needs 4 numbers, found 3 before the end", ""},
    {H2 "T: go 1 0 0 1 1", 6, 15, ASIF_EPARSE, "a number too many: a matrix of `T` has 4", ""},
    {H2 "T: go reset", 6, 7, ASIF_EPARSE, "found `reset`", "T: ACTION : * reset"},
    {H2 "T: go : left identity", 6, 14, ASIF_EPARSE, "found `identity`", "T: ACTION identity"},
    {H2 "T: * identity\nO: * : left : lihgt 1", 7, 15, ASIF_EINVALID, "no observation `lihgt`",
     "did you mean `light`?"},
    {H2 "T: * identity\nO: * identity", 7, 6, ASIF_EPARSE,
     "expected `uniform` or probabilities, found `identity`", ""},
    {H2 "T: go identity\nO: * uniform\n", 8, 1, ASIF_EINVALID, "no `T` for action `stay` and state `left`",
     "T: * uniform"},
    {H2 "T: * identity\nO: * : left uniform\n", 8, 1, ASIF_EINVALID,
     "no `O` for action `go` and state `right`", ""},
    {H2 "T: * identity\n  T: stay : right : left 0.5\nO: * uniform", 7, 3, ASIF_EINVALID,
     "`T` for action `stay` and state `right` sum to 1.5, not 1", "last statement"},
    {H2 "T: * identity\nO: go\n0.5 0.5\n  0.6 0.5\nO: stay uniform", 9, 3, ASIF_EINVALID,
     "`O` for action `go` and the state reached, `right` sum to 1.1", ""},
    {H2 "T: * identity O: * uniform\nR: go 1 2 3 4", 7, 7, ASIF_EPARSE,
     "expected ':' and a state after the action", "a row"},
    {H2 "T: * identity O: * uniform\nR: go : left : right 1", 7, 23, ASIF_EPARSE,
     "a row of `R` needs 2 numbers", ""},
    {H2 "T: * identity O: * uniform\nR: go : left 1 2 3 4 5", 7, 22, ASIF_EPARSE, "a matrix of `R` has 4",
     ""},
    {H2 "T: * identity O: * uniform\nR: go : left : * : * 1e999", 7, 22, ASIF_EPARSE, "too large", ""},
    {H2 "T: * identity O: * uniform\nR: go : left : * : * high", 7, 22, ASIF_EPARSE,
     "expected a number, found `high`", ""},
    {H2 "T: * identity O: * uniform\nR: go : left : * : * 1 ; 2", 7, 24, ASIF_EPARSE, "';' has no meaning",
     ""},
    {H2 "T: * identity O: * uniform\nQ: go", 7, 1, ASIF_EPARSE, "expected `T`, `O` or `R`, found `Q`", ""},
    {H2 "T: * identity\nO: * : * : d\xC3\xA9j\xC3\xA0 1", 7, 12, ASIF_EINVALID, "no observation `d`", ""},
    {H2 "\x01", 6, 1, ASIF_EPARSE, "byte 0x01", "plain ASCII"},
    {"discount: 0.9 values: reward states: 2 actions: 1\nT: * identity\nO: * uniform", 3, 1, ASIF_EINVALID,
     "`O` in a file without observations", "observations:"},
    {"discount: 0.9 values: reward states: 2 actions: 1\nT: * identity\nR: 0 : 0 : 0 : 0 1", 3, 14,
     ASIF_EINVALID, "without observations `R` has", "observations:"},
    {"discount: 0.9 values: reward states: 2 actions: 1\nT: * identity\nR: 0 : first : 0 1", 3, 8,
     ASIF_EINVALID, "no state `first`", "numbers here, from 0 to 1"},
};

static void check_mistakes(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(mistakes); i++) {
        asif_pomdp *p;
        asif_error e = ASIF_ERROR_INIT;
        const char *text = mistakes[i].text;
        asif_status status = asif_pomdp_read(&p, context, text, strlen(text), "file", &e);
        CHECK(status == mistakes[i].status && e.status == status && !p, "%zu: status %d\n%s", i, status,
              text);
        CHECK(e.line == mistakes[i].line && e.column == mistakes[i].column, "%zu: at %u:%u: %s\n%s", i,
              e.line, e.column, e.message, text);
        CHECK(strstr(e.message, mistakes[i].message), "%zu: message: %s", i, e.message);
        CHECK(strstr(e.hint, mistakes[i].hint), "%zu: hint: %s", i, e.hint);
        assert_string_equal(e.file, "file");
        assert_int_equal(asif_pomdp_read(&p, context, text, strlen(text), NULL, NULL), mistakes[i].status);
    }
}

/* ---- random files against dense arrays ---- */

enum { MOST = 4 };

typedef struct {
    uint32_t states, actions, observations;
    double t[MOST][MOST][MOST], o[MOST][MOST][MOST], r[MOST][MOST][MOST][MOST], start[MOST];
    bool cost;
    char text[1 << 16];
    size_t length;
} dense;

static uint64_t seed;

static uint32_t draw(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

static void say(dense *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(dense *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    d->length += (size_t)vsnprintf(d->text + d->length, sizeof d->text - d->length, format, args);
    va_end(args);
    assert_true(d->length < sizeof d->text);
}

/* An index or, now and then, the wildcard; `begin` to `end` is what it stands for. */
static void say_index(dense *d, uint32_t count, uint32_t *begin, uint32_t *end) {
    bool any = draw(3) == 0;
    *begin = any ? 0 : draw(count);
    *end = any ? count : *begin + 1;
    if (any)
        say(d, "*");
    else
        say(d, "%u", *begin);
}

static void random_table(dense *d, bool transitions) {
    uint32_t columns = transitions ? d->states : d->observations;
    double(*table)[MOST][MOST] = transitions ? d->t : d->o;
    uint32_t a0, a1, s0, s1, c0, c1, form = draw(6);
    say(d, transitions ? "T: " : "O: ");
    say_index(d, d->actions, &a0, &a1);
    double row[MOST][MOST];
    bool whole = form == 0 || form == 1;
    s0 = 0;
    s1 = d->states;
    if (!whole) {
        say(d, " : ");
        say_index(d, d->states, &s0, &s1);
    }
    c0 = 0;
    c1 = columns;
    if (form == 0) {
        bool identity = transitions && draw(2);
        say(d, identity ? " identity\n" : " uniform\n");
        for (uint32_t s = 0; s < d->states; s++)
            for (uint32_t c = 0; c < columns; c++)
                row[s][c] = identity ? s == c : 1.0 / columns;
    } else if (form == 1 || form == 2) {
        for (uint32_t s = s0; s < s1; s++)
            for (uint32_t c = 0; c < columns; c++) {
                if (form == 2 && s > s0) {
                    row[s][c] = row[s0][c];
                    continue;
                }
                row[s][c] = draw(2) ? draw(16 / columns + 1) / 16.0 : 0;
                say(d, " %.17g", row[s][c]);
            }
        say(d, "\n");
    } else if (form == 3) {
        bool reset = transitions && draw(2);
        say(d, reset ? " reset\n" : " uniform\n");
        for (uint32_t s = s0; s < s1; s++)
            for (uint32_t c = 0; c < columns; c++)
                row[s][c] = reset ? d->start[c] : 1.0 / columns;
    } else {
        say(d, " : ");
        say_index(d, columns, &c0, &c1);
        double value = draw(16 / columns + 1) / 16.0;
        say(d, " %.17g\n", value);
        for (uint32_t s = s0; s < s1; s++)
            for (uint32_t c = c0; c < c1; c++)
                row[s][c] = value;
    }
    for (uint32_t a = a0; a < a1; a++)
        for (uint32_t s = s0; s < s1; s++)
            for (uint32_t c = c0; c < c1; c++)
                table[a][s][c] = row[s][c];
}

static void random_reward(dense *d) {
    uint32_t from[4] = {0}, to[4],
             size[] = {d->actions, d->states, d->states, d->observations ? d->observations : 1};
    uint32_t parts = d->observations ? 4 : 3, given = parts - draw(draw(2) ? 1 : 3);
    for (uint32_t i = 0; i < 4; i++)
        to[i] = size[i];
    say(d, "R: ");
    for (uint32_t i = 0; i < given; i++) {
        say(d, i ? " : " : "");
        say_index(d, size[i], &from[i], &to[i]);
    }
    uint32_t outer = given + 2 == parts ? size[parts - 2] : 1, inner = given < parts ? size[parts - 1] : 1;
    double data[MOST][MOST];
    bool same = draw(3) == 0;
    for (uint32_t i = 0; i < outer; i++)
        for (uint32_t j = 0; j < inner; j++) {
            data[i][j] = same && (i || j) ? data[0][0] : (double)draw(7) - 3;
            say(d, " %g", data[i][j]);
        }
    say(d, "\n");
    uint32_t k[4];
    for (k[0] = from[0]; k[0] < to[0]; k[0]++)
        for (k[1] = from[1]; k[1] < to[1]; k[1]++)
            for (k[2] = from[2]; k[2] < to[2]; k[2]++)
                for (k[3] = from[3]; k[3] < to[3]; k[3]++)
                    d->r[k[0]][k[1]][k[2]][k[3]] =
                        data[given + 2 == parts ? k[parts - 2] : 0][given < parts ? k[parts - 1] : 0];
}

/* Statements that make rows sum to 1, by one entry where that is enough. */
static void repair(dense *d, bool transitions) {
    uint32_t columns = transitions ? d->states : d->observations;
    double(*table)[MOST][MOST] = transitions ? d->t : d->o;
    for (uint32_t a = 0; a < d->actions; a++)
        for (uint32_t s = 0; s < d->states; s++) {
            double sum = 0, *row = table[a][s];
            for (uint32_t c = 0; c < columns; c++)
                sum += row[c];
            if (fabs(sum - 1) < 1e-9)
                continue;
            uint32_t c = draw(columns);
            double others = sum - row[c];
            say(d, "%s: %u : %u", transitions ? "T" : "O", a, s);
            if (others <= 1) {
                row[c] = 1 - others;
                say(d, " : %u %.17g\n", c, row[c]);
                continue;
            }
            for (c = 0; c < columns; c++) {
                row[c] = c == columns - 1;
                say(d, " %g", row[c]);
            }
            say(d, "\n");
        }
}

static void random_problem(dense *d) {
    memset(d, 0, sizeof *d);
    d->states = 1 + draw(MOST);
    d->actions = 1 + draw(MOST);
    d->observations = draw(4) ? 1 + draw(MOST) : 0;
    d->cost = draw(2);
    say(d, "discount: 0.9 values: %s states: %u actions: %u", d->cost ? "cost" : "reward", d->states,
        d->actions);
    if (d->observations)
        say(d, " observations: %u", d->observations);
    say(d, "\n");
    uint32_t start = draw(3);
    for (uint32_t s = 0; s < d->states; s++)
        d->start[s] = start == 0   ? 1.0 / d->states
                      : start == 1 ? s == 0
                                   : (d->states - s) * 2.0 / d->states / (d->states + 1);
    if (start == 1)
        say(d, "start: 0\n");
    for (uint32_t s = 0; start == 2 && s < d->states; s++)
        say(d, "%s %.17g", s ? "" : "start:", d->start[s]);
    say(d, "\n");
    uint32_t statements = draw(25), rewards = draw(8);
    for (uint32_t i = 0; i < statements; i++)
        random_table(d, !d->observations || draw(2));
    for (uint32_t i = 0; i < rewards; i++)
        random_reward(d);
    repair(d, true);
    if (d->observations)
        repair(d, false);
}

static void compare(const dense *d, const asif_pomdp *p) {
    for (uint32_t a = 0; a < d->actions; a++)
        for (uint32_t s = 0; s < d->states; s++) {
            for (uint32_t c = 0; c < d->states; c++)
                CHECK(probability(p, 'T', a, s, c) == d->t[a][s][c], "T %u %u %u\n%s", a, s, c, d->text);
            for (uint32_t c = 0; c < d->observations; c++)
                CHECK(probability(p, 'O', a, s, c) == d->o[a][s][c], "O %u %u %u\n%s", a, s, c, d->text);
            for (uint32_t n = 0; n < d->states; n++)
                for (uint32_t o = 0; o < (d->observations ? d->observations : 1); o++)
                    CHECK(reward(p, a, s, n, o) == d->r[a][s][n][o], "R %u %u %u %u\n%s", a, s, n, o,
                          d->text);
        }
    for (uint32_t s = 0; s < d->states; s++)
        CHECK(probability(p, 'S', 0, 0, s) == d->start[s], "start %u\n%s", s, d->text);
}

static double entry(const asif_matrix *m, uint32_t row, uint32_t column) {
    uint32_t r = m->same_rows ? 0 : row;
    for (uint64_t i = m->offset[r]; i < m->offset[r + 1]; i++)
        if (m->column[i] == column)
            return m->value[i];
    return 0;
}

/* What the dense arrays say about a reward: the same whatever follows, or whatever the states are? */
static bool depends_only_on(const dense *d, uint32_t a, bool state) {
    uint32_t observations = d->observations ? d->observations : 1;
    for (uint32_t s = 0; s < d->states; s++)
        for (uint32_t n = 0; n < d->states; n++)
            for (uint32_t o = 0; o < observations; o++)
                if (d->r[a][s][n][o] != (state ? d->r[a][s][0][0] : d->r[a][0][0][o]))
                    return false;
    return state || d->observations;
}

static void compare_setting(const dense *d, const asif_setting *setting, bool averaged) {
    const asif_setting_spec *s = asif_setting_get(setting);
    bool none = true;
    assert_int_equal(s->worlds, 1);
    for (uint32_t a = 0; a < d->actions; a++) {
        bool by_state = depends_only_on(d, a, true), by_observation = depends_only_on(d, a, false);
        none = none && (by_state || by_observation);
        for (uint32_t i = 0; i < d->states; i++) {
            double want = 0, got = s->utility[a * d->states + i], sign = d->cost ? -1 : 1;
            for (uint32_t n = 0; n < d->states; n++) {
                const asif_matrix *t = &s->matrix[s->transitions[d->actions + a]];
                CHECK_NEAR(entry(t, i, n), d->t[a][i][n], 1e-15);
                for (uint32_t o = 0; o < d->observations; o++) {
                    const asif_matrix *e = &s->matrix[s->emissions[a]];
                    CHECK_NEAR(entry(e, n, o), d->o[a][n][o], 1e-15);
                    want += sign * d->t[a][i][n] * d->o[a][n][o] * d->r[a][i][n][o];
                    for (uint64_t k = 0; k < s->terms; k++)
                        if (s->term[k].action == a && s->term[k].index == o)
                            got += d->t[a][i][n] * d->o[a][n][o] * s->term[k].coefficient;
                }
                if (!d->observations)
                    want += sign * d->t[a][i][n] * d->r[a][i][n][0];
            }
            CHECK_NEAR(got, want, 1e-14);
            if (by_state)
                assert_true(s->utility[a * d->states + i] == sign * d->r[a][i][0][0]);
        }
    }
    CHECK(averaged == !none, "averaged: %d\n%s", averaged, d->text);
}

/* A setting written as .pomdp and read again has the same numbers. */
static void compare_return(const dense *d, const asif_setting *setting) {
    asif_pomdp *p;
    asif_setting *again;
    bool averaged;
    asif_error error = ASIF_ERROR_INIT;
    CHECK(asif_pomdp_from_setting(&p, setting, NULL, &error) == ASIF_OK, "%s", error.message);
    char *text = write_text(p);
    asif_pomdp *q = read_text(text);
    CHECK(asif_pomdp_setting(&again, &averaged, q, &error) == ASIF_OK, "%s", error.message);
    const asif_setting_spec *a = asif_setting_get(setting), *b = asif_setting_get(again);
    assert_memory_equal(a->environment_start, b->environment_start, d->states * sizeof(double));
    for (uint32_t u = 0; u < d->actions; u++)
        for (uint32_t i = 0; i < d->states; i++) {
            for (uint32_t n = 0; n < d->states; n++)
                assert_true(entry(&a->matrix[a->transitions[u]], i, n) ==
                            entry(&b->matrix[b->transitions[u]], i, n));
            for (uint32_t o = 0; o < d->observations; o++)
                assert_true(entry(&a->matrix[a->emissions[u]], i, o) ==
                            entry(&b->matrix[b->emissions[u]], i, o));
        }
    /* The first setting had no utility by state where it has one by observation, so nothing is averaged. */
    assert_false(averaged);
    assert_memory_equal(a->utility, b->utility, (size_t)d->actions * d->states * sizeof(double));
    assert_int_equal(a->terms, b->terms);
    for (uint64_t k = 0; k < a->terms; k++)
        assert_true(a->term[k].action == b->term[k].action && a->term[k].index == b->term[k].index &&
                    a->term[k].coefficient == b->term[k].coefficient);
    asif_memory_free(context, text);
    asif_pomdp_free(p);
    asif_pomdp_free(q);
    asif_setting_free(again);
}

static void check_random(void **state) {
    (void)state;
    static dense d;
    seed = 20210718;
    for (int i = 0; i < 2000; i++) {
        random_problem(&d);
        asif_pomdp *p = read_text(d.text);
        compare(&d, p);
        char *text = write_text(p);
        asif_pomdp *again = read_text(text);
        compare(&d, again);
        char *twice = write_text(again);
        CHECK(strcmp(text, twice) == 0, "%s\n--\n%s\n--\n%s", d.text, text, twice);
        asif_setting *setting;
        bool averaged;
        asif_error error = ASIF_ERROR_INIT;
        CHECK(asif_pomdp_setting(&setting, &averaged, p, &error) == ASIF_OK, "%s\n%s", error.message, d.text);
        compare_setting(&d, setting, averaged);
        compare_return(&d, setting);
        asif_setting_free(setting);
        asif_memory_free(context, text);
        asif_memory_free(context, twice);
        asif_pomdp_free(p);
        asif_pomdp_free(again);
    }
}

/* ---- settings ---- */

/* The numbers of examples/tiger/tiger.pomdp, in costs and in another order. */
static const char tiger[] =
    "values: cost discount: 0.95\n"
    "observations: hear-left hear-right actions: listen open-left open-right\n"
    "states: tiger-left tiger-right\n"
    "T: * uniform T: listen 1 0 0 1\n"
    "O: * uniform O: listen : 0 0.85 0.15 O: listen : 1 0.15 0.85\n"
    "R: * : * : * : * -10 R: listen : * : * : * 1 R: 1 : tiger-left : * : * 100 R: 2 : 1 : * : * 100\n";

static void check_tiger(void **state) {
    (void)state;
    static const double utility[] = {-1, -1, -100, 10, 10, -100};
    asif_pomdp *p = read_text(tiger);
    asif_setting *setting;
    bool averaged = true;
    assert_int_equal(asif_pomdp_setting(&setting, &averaged, p, NULL), ASIF_OK);
    const asif_setting_spec *s = asif_setting_get(setting);
    assert_false(averaged);
    assert_memory_equal(s->utility, utility, sizeof utility);
    assert_int_equal(s->terms, 0);
    assert_true(s->discount == 0.95 && s->environment_start[0] == 0.5);
    assert_string_equal(s->action_names[2], "open-right");
    assert_string_equal(s->observation_names[1], "hear-right");
    /* Opening either door has the same matrices. */
    assert_int_equal(s->matrices, 4);
    assert_int_equal(s->transitions[1], s->transitions[2]);
    assert_int_equal(s->emissions[4], s->emissions[5]);
    assert_true(entry(&s->matrix[s->emissions[0]], 1, 0) == 0.15);
    asif_setting_free(setting);
    asif_pomdp_free(p);
}

/* The example file says the same. */
static void check_example(void **state) {
    (void)state;
    const char *source = getenv("ASIF_SOURCE");
    if (!source)
        skip();
    char path[4096], text[8192];
    snprintf(path, sizeof path, "%s/examples/tiger/tiger.pomdp", source);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    asif_pomdp *p[2] = {read_text(tiger), NULL};
    asif_setting *setting[2];
    assert_int_equal(asif_pomdp_read(&p[1], context, text, length, path, NULL), ASIF_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(asif_pomdp_setting(&setting[i], NULL, p[i], NULL), ASIF_OK);
    const asif_setting_spec *a = asif_setting_get(setting[0]), *b = asif_setting_get(setting[1]);
    assert_memory_equal(a->utility, b->utility, 6 * sizeof(double));
    assert_memory_equal(a->environment_start, b->environment_start, 2 * sizeof(double));
    assert_true(a->discount == b->discount && b->states == 2 && b->actions == 3 && b->observations == 2);
    for (uint32_t u = 0; u < 6; u++)
        for (uint32_t k = 0; k < 4; k++) {
            assert_true(entry(&a->matrix[a->transitions[u]], k / 2, k % 2) ==
                        entry(&b->matrix[b->transitions[u]], k / 2, k % 2));
            assert_true(entry(&a->matrix[a->emissions[u]], k / 2, k % 2) ==
                        entry(&b->matrix[b->emissions[u]], k / 2, k % 2));
        }
    for (int i = 0; i < 2; i++) {
        asif_setting_free(setting[i]);
        asif_pomdp_free(p[i]);
    }
}

static void check_utilities(void **state) {
    (void)state;
    asif_pomdp *p = read_text(
        "discount: 0.5 values: reward states: 2 actions: see reach both observations: u v\n"
        "T: * 0.25 0.75 0.5 0.5 O: * 1 0 0.5 0.5\n"
        "R: see : * : * : u 3 R: see : * : * : v -1 R: reach : * : 1 : * 8 R: both : 0 : * : v 16\n");
    asif_setting *setting;
    bool averaged;
    assert_int_equal(asif_pomdp_setting(&setting, &averaged, p, NULL), ASIF_OK);
    const asif_setting_spec *s = asif_setting_get(setting);
    assert_true(averaged);
    /* see: by observation; reach: 8 times the way to state 1; both: 16 times .75 times .5 from state 0. */
    static const double utility[] = {0, 0, 6, 4, 6, 0};
    assert_memory_equal(s->utility, utility, sizeof utility);
    assert_int_equal(s->terms, 2);
    assert_true(s->term[0].by == ASIF_BY_OBSERVATION && s->term[0].action == 0 && s->term[0].index == 0);
    assert_true(s->term[0].coefficient == 3 && s->term[1].coefficient == -1 && s->term[1].index == 1);
    asif_setting_free(setting);
    asif_pomdp_free(p);
    p = read_text("discount: 1 values: reward states: 1 actions: 1 T: 0 identity");
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_pomdp_setting(&setting, &averaged, p, &error), ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "discount is 1"));
    asif_pomdp_free(p);
}

/* A setting with everything that the format can say, and names that it cannot. */
static const double halves[] = {.5, .5, .5, .5}, identity[] = {1, 0, 0, 1}, start[] = {.25, .75};
static const asif_matrix matrices[] = {{2, 2, false, NULL, NULL, identity},
                                       {2, 2, false, NULL, NULL, halves}};

static asif_setting_spec full_spec(void) {
    static const char *const states[] = {"well", "not\nwell"}, *const actions[] = {"wait", "act"};
    static const char *const observations[] = {"no", "reset"}, *const parameters[] = {"gain", "loss"};
    static const uint32_t transitions[] = {1, 1, 0, 1}, emissions[] = {1, 1, 0, 0};
    static const asif_utility_term terms[] = {
        {ASIF_BY_STATE, ASIF_ANY, ASIF_ANY, ASIF_ANY, 1, ASIF_ABOVE, 0, 0},
        {ASIF_BY_STATE, 0, 1, 1, 2, ASIF_ABOVE, 0, 0},
        {ASIF_BY_OBSERVATION, 1, 1, 0, 4, ASIF_ABOVE, 0, 0},
    };
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    spec.title = "Two\nlines";
    spec.states = spec.actions = spec.observations = spec.parameters = 2;
    spec.state_names = states;
    spec.action_names = actions;
    spec.observation_names = observations;
    spec.parameter_names = parameters;
    spec.matrices = 2;
    spec.matrix = matrices;
    spec.transitions = transitions;
    spec.emissions = emissions;
    spec.environment_start = start;
    spec.discount = .5;
    spec.terms = LENGTH(terms);
    spec.term = terms;
    return spec;
}

static void check_from_setting(void **state) {
    (void)state;
    asif_setting_spec spec = full_spec();
    asif_setting *setting;
    asif_pomdp *p;
    asif_error error = ASIF_ERROR_INIT;
    static const double parameters[] = {10, -3};
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_pomdp_from_setting(&p, setting, NULL, &error), ASIF_EUNSET);
    assert_int_equal(asif_pomdp_from_setting(&p, setting, parameters, &error), ASIF_OK);
    char *text = write_text(p);
    asif_pomdp *q = read_text(text);
    /* Names of actions can stand; `not well` and `reset` cannot, and are told in comments. */
    assert_non_null(strstr(text, "# Two lines\n"));
    assert_non_null(strstr(text, "#   1: not well\n"));
    assert_non_null(strstr(text, "#   1: reset\n"));
    assert_non_null(strstr(text, "states: 2\nactions: wait act\nobservations: 2\n"));
    /* The environment's matrices, not the world's. */
    assert_true(probability(q, 'T', 0, 0, 0) == 1 && probability(q, 'T', 1, 0, 0) == .5);
    assert_true(probability(q, 'O', 0, 1, 0) == 0 && probability(q, 'S', 0, 0, 1) == .75);
    assert_true(reward(q, 0, 0, 1, 1) == 1 && reward(q, 0, 1, 1, 1) == 1);
    assert_true(reward(q, 1, 0, 1, 0) == 1 - 12 && reward(q, 1, 0, 1, 1) == 1);
    assert_true(reward(q, 1, 1, 0, 0) == 21 - 12 && reward(q, 1, 1, 1, 1) == 21);
    asif_memory_free(context, text);
    asif_pomdp_free(p);
    asif_pomdp_free(q);
    asif_setting_free(setting);

    const asif_utility_term belief = {ASIF_BY_BELIEF, ASIF_ANY, ASIF_ANY, ASIF_ANY, 1, ASIF_ABOVE, .9, 0};
    spec.terms = 1;
    spec.term = &belief;
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_pomdp_from_setting(&p, setting, parameters, &error), ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "belief"));
    asif_setting_free(setting);
    static const double starts[] = {.5, .5, 1, 0};
    static const char *const classes[] = {"low", "high"};
    spec.terms = 0;
    spec.starts = 2;
    spec.environment_start = starts;
    spec.start_names = classes;
    spec.start_column = "risk";
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_pomdp_from_setting(&p, setting, parameters, &error), ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "classes"));
    asif_setting_free(setting);
    static const bool terminal[] = {false, true};
    spec = full_spec();
    spec.observations = 0;
    spec.terms = 0;
    spec.terminal = terminal;
    assert_int_equal(asif_setting_create(&setting, context, &spec, &error), ASIF_OK);
    assert_int_equal(asif_pomdp_from_setting(&p, setting, parameters, &error), ASIF_EUNSUPPORTED);
    assert_non_null(strstr(error.message, "terminal"));
    asif_setting_free(setting);
}

/* ---- memory ---- */

static asif_status everything(const asif_context *c, asif_error *error) {
    static const char text[] =
        HEAD "start include: a b T: * identity T: x : * : b 0.25 T: x : a : a 0.75 T: x : c : c 0.75 T: y : "
             "* reset T: x : b : * 0 "
             "T: x : b 0.5 0.25 0.25 O: x uniform O: y : * : u 0.5 O: y : * : v 0.5 R: x : a 1 2 3 4 5 6 R: "
             "* : b : c -1 2 "
             "R: y : * : * : u 7 R: y : a : * : * 3 R: x : c : a : v 1 R: x : c : b : u 1";
    asif_pomdp *p = NULL, *q = NULL;
    asif_setting *setting = NULL;
    char *out = NULL;
    bool averaged;
    asif_status status = asif_pomdp_read(&p, c, text, strlen(text), "file", error);
    if (status == ASIF_OK)
        status = asif_pomdp_setting(&setting, &averaged, p, error);
    if (status == ASIF_OK)
        status = asif_pomdp_from_setting(&q, setting, NULL, error);
    if (status == ASIF_OK)
        status = asif_pomdp_write(&out, q, error);
    asif_memory_free(c, out);
    asif_pomdp_free(p);
    asif_pomdp_free(q);
    asif_setting_free(setting);
    return status;
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
        asif_error error = ASIF_ERROR_INIT;
        memory.left = k;
        status = everything(failing, &error);
        CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "allocation %ld: %s", k, error.message);
        CHECK(memory.alive == own, "allocation %ld: %ld blocks lost", k, memory.alive - own);
    }
    assert_true(k > 50);
    memory.left = -1;
    asif_context_free(failing);
    assert_int_equal(memory.alive, 0);
}

/* Large spaces cost nothing by themselves, and wildcards little. */
static void check_large(void **state) {
    (void)state;
    failing_memory memory = {.left = 2000};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    asif_context *small;
    assert_int_equal(asif_context_create(&small, &options, NULL), ASIF_OK);
    const char *text =
        "discount: 0.9 values: reward states: 4000000 actions: 4 observations: 4000000\n"
        "start exclude: 5 T: * identity T: 1 uniform T: 2 : * reset O: * uniform R: * : * : * : * 1 "
        "R: 1 : 7 : * : * 2";
    asif_pomdp *p;
    char *out;
    assert_int_equal(asif_pomdp_read(&p, small, text, strlen(text), NULL, NULL), ASIF_OK);
    assert_true(probability(p, 'T', 2, 3999999, 5) == 0);
    assert_true(probability(p, 'T', 0, 3999999, 3999999) == 1);
    assert_int_equal(asif_pomdp_write(&out, p, NULL), ASIF_OK);
    assert_true(strlen(out) < 500);
    asif_memory_free(small, out);
    asif_pomdp_free(p);
    /* Spelled out, the rows of one line would fill gigabytes. */
    text = "discount: 0.9 values: reward states: 30000 actions: 1 T: 0 uniform T: 0 : 0 reset";
    asif_setting *setting;
    assert_int_equal(asif_pomdp_read(&p, small, text, strlen(text), NULL, NULL), ASIF_OK);
    assert_int_equal(asif_pomdp_setting(&setting, NULL, p, NULL), ASIF_ETOOBIG);
    asif_pomdp_free(p);
    asif_context_free(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_forms),        cmocka_unit_test(check_mistakes),
        cmocka_unit_test(check_random),       cmocka_unit_test(check_tiger),
        cmocka_unit_test(check_example),      cmocka_unit_test(check_utilities),
        cmocka_unit_test(check_from_setting), cmocka_unit_test(check_memory),
        cmocka_unit_test(check_large),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
