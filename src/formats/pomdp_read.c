/* Reads Cassandra's .pomdp format: preamble, start, then T, O and R in any order, where later statements
 * override earlier ones. */
#include "formats/pomdp.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_pomdp_scanner scan;
    asif_pomdp *pomdp;
    const asif_context *context;
    asif_error *error;
    bool seen[ASIF_POMDP_OBSERVATIONS + 1]; /* words of the preamble that have appeared */
} reader;

#define TRY_MEMORY(call)                                                                                     \
    do {                                                                                                     \
        if (!(call))                                                                                         \
            return asif_fail_memory(r->error);                                                               \
    } while (0)

/* Fails with an error at a token; a hint may be added to it. */
#define FAIL_AT(t, status, ...)                                                                              \
    (asif_fail(r->error, (status), __VA_ARGS__),                                                             \
     asif_error_at(r->error, r->scan.name, (t)->line, (t)->column), (status))

static asif_status next(reader *r) {
    return asif_pomdp_scan(&r->scan);
}

static bool is_number(const asif_pomdp_token *t) {
    return t->kind == ASIF_POMDP_INTEGER || t->kind == ASIF_POMDP_REAL;
}

static bool is_word(const asif_pomdp_token *t, int word) {
    return t->kind == ASIF_POMDP_WORD && t->word == word;
}

/* ---- colons, numbers and indices ---- */

static asif_status expect_colon(reader *r, const char *after) {
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (t->kind == ASIF_POMDP_COLON)
        return next(r);
    asif_status status =
        FAIL_AT(t, ASIF_EPARSE, "expected ':' after `%s`, found %s", after, asif_pomdp_token_text(t, found));
    asif_error_hint(r->error, "`%s` is a word of the format: it cannot be a name", after);
    return status;
}

/* Reads a number with an optional sign. */
static asif_status read_number(reader *r, double *out, const char *what) {
    const asif_pomdp_token *t = &r->scan.token;
    bool minus = t->kind == ASIF_POMDP_MINUS;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (minus || t->kind == ASIF_POMDP_PLUS)
        ASIF_TRY(next(r));
    if (!is_number(t))
        return FAIL_AT(t, ASIF_EPARSE, "expected %s, found %s", what, asif_pomdp_token_text(t, found));
    *out = minus ? -t->value : t->value;
    return next(r);
}

static asif_status read_probability(reader *r, double *out) {
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (t->kind == ASIF_POMDP_MINUS || t->kind == ASIF_POMDP_PLUS)
        return FAIL_AT(t, ASIF_EPARSE, "a probability has no sign");
    if (!is_number(t))
        return FAIL_AT(t, ASIF_EPARSE, "expected a probability, found %s", asif_pomdp_token_text(t, found));
    if (t->value > 1)
        return FAIL_AT(t, ASIF_EINVALID, "%s is not a probability: it is above 1",
                       asif_pomdp_token_text(t, found));
    *out = t->value;
    return next(r);
}

/* Reads a number, a name or, if `star`, the * that stands for all. */
static asif_status read_index(reader *r, const asif_pomdp_space *space, const char *what, bool star,
                              uint32_t *out) {
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (t->kind == ASIF_POMDP_STAR && star) {
        *out = ASIF_ANY;
        return next(r);
    }
    if (t->kind == ASIF_POMDP_INTEGER) {
        if (t->value >= space->count) {
            asif_status status =
                FAIL_AT(t, ASIF_EINVALID, "there is no %s %s", what, asif_pomdp_token_text(t, found));
            asif_error_hint(r->error, "there are %u, numbered from 0 to %u", space->count, space->count - 1);
            return status;
        }
        *out = (uint32_t)t->value;
        return next(r);
    }
    if (t->kind != ASIF_POMDP_NAME) {
        asif_status status =
            FAIL_AT(t, ASIF_EPARSE, "expected %s %s, found %s", strchr("aeiou", *what) ? "an" : "a", what,
                    asif_pomdp_token_text(t, found));
        if (t->kind == ASIF_POMDP_WORD)
            asif_error_hint(r->error, "%s is a word of the format: it cannot be a name", found);
        return status;
    }
    *out = asif_pomdp_name_find(space, t->text, t->length);
    if (*out != ASIF_ANY)
        return next(r);
    asif_status status =
        FAIL_AT(t, ASIF_EINVALID, "there is no %s %s", what, asif_pomdp_token_text(t, found));
    char word[ASIF_POMDP_TOKEN_SIZE];
    const char *near = NULL;
    if (t->length < sizeof word && space->name) {
        memcpy(word, t->text, (size_t)t->length);
        word[t->length] = 0;
        near = asif_nearest_word(word, (const char *const *)space->name, space->count);
    }
    if (near)
        asif_error_hint(r->error, "did you mean `%s`?", near);
    else if (!space->name)
        asif_error_hint(r->error, "they have numbers here, from 0 to %u", space->count - 1);
    return status;
}

static asif_status no_more_numbers(reader *r, uint64_t wanted, const char *what) {
    const asif_pomdp_token *t = &r->scan.token;
    if (!is_number(t) && t->kind != ASIF_POMDP_MINUS && t->kind != ASIF_POMDP_PLUS)
        return ASIF_OK;
    return FAIL_AT(t, ASIF_EPARSE, "a number too many: %s has %llu", what, (unsigned long long)wanted);
}

static asif_status too_few(reader *r, uint64_t got, uint64_t wanted, const char *what) {
    char found[ASIF_POMDP_TOKEN_SIZE];
    return FAIL_AT(&r->scan.token, ASIF_EPARSE, "%s needs %llu numbers, found %llu before %s", what,
                   (unsigned long long)wanted, (unsigned long long)got,
                   asif_pomdp_token_text(&r->scan.token, found));
}

/* ---- preamble ---- */

static asif_status read_names(reader *r, asif_pomdp_space *space, uint32_t most, int word) {
    const asif_pomdp_token *t = &r->scan.token;
    const char *what = asif_pomdp_reserved[word];
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (t->kind == ASIF_POMDP_INTEGER) {
        if (t->value < 1)
            return FAIL_AT(t, ASIF_EINVALID, "there must be at least one of the %s", what);
        if (t->value > most)
            return FAIL_AT(t, ASIF_ETOOBIG, "%s %s are too many: at most %u are read",
                           asif_pomdp_token_text(t, found), what, most);
        space->count = (uint32_t)t->value;
        ASIF_TRY(next(r));
        if (t->kind != ASIF_POMDP_INTEGER && t->kind != ASIF_POMDP_NAME)
            return ASIF_OK;
        asif_status status =
            FAIL_AT(t, ASIF_EPARSE, "`%s` takes one number or a list of names, here is %s besides", what,
                    asif_pomdp_token_text(t, found));
        asif_error_hint(r->error, "names begin with a letter; `%s: 3` numbers them 0, 1 and 2", what);
        return status;
    }
    while (t->kind == ASIF_POMDP_NAME) {
        bool fresh;
        if (space->count == most)
            return FAIL_AT(t, ASIF_ETOOBIG, "too many %s: at most %u are read", what, most);
        TRY_MEMORY(asif_pomdp_name_add(space, r->context, t->text, t->length, &fresh));
        if (!fresh)
            return FAIL_AT(t, ASIF_EINVALID, "the name %s stands twice among the %s",
                           asif_pomdp_token_text(t, found), what);
        ASIF_TRY(next(r));
    }
    if (space->count)
        return ASIF_OK;
    asif_status status = FAIL_AT(t, ASIF_EPARSE, "`%s` needs a number or names, found %s", what,
                                 asif_pomdp_token_text(t, found));
    if (t->kind == ASIF_POMDP_WORD)
        asif_error_hint(r->error, "%s is a word of the format: it cannot be a name", found);
    return status;
}

static asif_status read_values(reader *r) {
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (!is_word(t, ASIF_POMDP_REWARD) && !is_word(t, ASIF_POMDP_COST))
        return FAIL_AT(t, ASIF_EPARSE, "`values` is `reward` or `cost`, not %s",
                       asif_pomdp_token_text(t, found));
    r->pomdp->cost = t->word == ASIF_POMDP_COST;
    return next(r);
}

static asif_status read_discount(reader *r) {
    asif_pomdp_token at = r->scan.token;
    ASIF_TRY(read_number(r, &r->pomdp->discount, "the discount"));
    if (!(r->pomdp->discount >= 0 && r->pomdp->discount <= 1))
        return FAIL_AT(&at, ASIF_EINVALID, "the discount must be between 0 and 1, not %g",
                       r->pomdp->discount);
    r->pomdp->discount += 0.0; /* makes -0 into 0 */
    return ASIF_OK;
}

static asif_status read_preamble(reader *r) {
    const asif_pomdp_token *t = &r->scan.token;
    asif_pomdp *p = r->pomdp;
    while (t->kind == ASIF_POMDP_WORD && t->word <= ASIF_POMDP_OBSERVATIONS) {
        asif_pomdp_token at = *t;
        const char *word = asif_pomdp_reserved[at.word];
        if (r->seen[at.word])
            return FAIL_AT(&at, ASIF_EINVALID, "`%s` stands here a second time", word);
        r->seen[at.word] = true;
        ASIF_TRY(next(r));
        ASIF_TRY(expect_colon(r, word));
        switch (at.word) {
        case ASIF_POMDP_DISCOUNT:
            ASIF_TRY(read_discount(r));
            break;
        case ASIF_POMDP_VALUES:
            ASIF_TRY(read_values(r));
            break;
        case ASIF_POMDP_STATES:
            ASIF_TRY(read_names(r, &p->state, ASIF_POMDP_MOST_STATES, at.word));
            break;
        case ASIF_POMDP_ACTIONS:
            ASIF_TRY(read_names(r, &p->action, ASIF_POMDP_MOST_ACTIONS, at.word));
            break;
        default:
            ASIF_TRY(read_names(r, &p->observation, ASIF_POMDP_MOST_OBSERVATIONS, at.word));
            break;
        }
        if ((uint64_t)p->state.count * p->action.count > ASIF_POMDP_MOST_ROWS)
            return FAIL_AT(&at, ASIF_ETOOBIG, "%u states times %u actions are too many: at most %u are read",
                           p->state.count, p->action.count, ASIF_POMDP_MOST_ROWS);
    }
    return ASIF_OK;
}

/* Fails at a token at the top level that begins no statement, or one that comes too late. */
static asif_status fail_statement(reader *r) {
    static const char *const words[] = {"discount", "values", "states", "actions", "observations",
                                        "start",    "T",      "O",      "R"};
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE], word[ASIF_POMDP_TOKEN_SIZE];
    const char *near = NULL;
    if (t->kind == ASIF_POMDP_NAME && t->length < sizeof word) {
        memcpy(word, t->text, (size_t)t->length);
        word[t->length] = 0;
        near = asif_nearest_word(word, words, sizeof words / sizeof *words);
    }
    bool late = t->kind == ASIF_POMDP_WORD && t->word <= ASIF_POMDP_START;
    asif_status status;
    if (late)
        status = FAIL_AT(t, ASIF_EPARSE, "%s comes too late", asif_pomdp_token_text(t, found));
    else
        status =
            FAIL_AT(t, ASIF_EPARSE, "expected `T`, `O` or `R`, found %s", asif_pomdp_token_text(t, found));
    if (late)
        asif_error_hint(
            r->error,
            "first discount, values, states, actions and observations, then start, then T, O and R");
    else if (near)
        asif_error_hint(r->error, "did you mean `%s`?", near);
    else if (t->kind == ASIF_POMDP_WORD)
        asif_error_hint(r->error, "%s is a word of the format: it cannot be a name", found);
    return status;
}

static asif_status check_preamble(reader *r) {
    static const struct {
        int word;
        const char *hint;
    } needed[] = {{ASIF_POMDP_DISCOUNT, "add a line like `discount: 0.95`"},
                  {ASIF_POMDP_VALUES, "add `values: reward`, or `values: cost` if smaller is better"},
                  {ASIF_POMDP_STATES, "add `states:` and their number or names"},
                  {ASIF_POMDP_ACTIONS, "add `actions:` and their number or names"}};
    const asif_pomdp_token *t = &r->scan.token;
    bool statement = t->kind == ASIF_POMDP_END || (t->kind == ASIF_POMDP_WORD && t->word <= ASIF_POMDP_R);
    if (!statement)
        return fail_statement(r);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!r->seen[needed[i].word]) {
            asif_status status = FAIL_AT(t, ASIF_EINVALID, "`%s` is missing before this place",
                                         asif_pomdp_reserved[needed[i].word]);
            asif_error_hint(r->error, "%s", needed[i].hint);
            return status;
        }
    return ASIF_OK;
}

/* ---- start ---- */

/* Reads the states to start in, or those not to start in. */
static asif_status read_start_list(reader *r, bool include) {
    asif_pomdp *p = r->pomdp;
    const asif_pomdp_token *t = &r->scan.token;
    asif_pomdp_token at = *t;
    TRY_MEMORY(asif_pomdp_set_cell(&p->start, 0, 0, ASIF_ANY, include ? 0 : 1, at.line, at.column));
    do {
        uint32_t s;
        ASIF_TRY(read_index(r, &p->state, "state", false, &s));
        TRY_MEMORY(asif_pomdp_set_cell(&p->start, 0, 0, s, include ? 1 : 0, at.line, at.column));
    } while (t->kind == ASIF_POMDP_NAME || t->kind == ASIF_POMDP_INTEGER);
    asif_pomdp_row *marked = &p->start.row[p->start.holder[0].base];
    if (!include && marked->count == p->state.count)
        return FAIL_AT(&at, ASIF_EINVALID, "`start exclude` leaves no state to start in");
    if (!include)
        marked->fill = 1.0 / (p->state.count - marked->count);
    for (uint32_t i = 0; include && i < marked->count; i++)
        marked->entry[i].value = 1.0 / marked->count;
    return ASIF_OK;
}

/* Reads the rest of a start vector whose first number has been read. */
static asif_status read_start_vector(reader *r, const asif_pomdp_token *first) {
    asif_pomdp *p = r->pomdp;
    uint32_t row;
    TRY_MEMORY(asif_pomdp_row_new(&p->start, &row, first->line, first->column));
    if (first->value > 1)
        return FAIL_AT(first, ASIF_EINVALID, "%g is not a probability: it is above 1", first->value);
    TRY_MEMORY(asif_pomdp_row_push(&p->start, row, 0, first->value));
    for (uint32_t s = 1; s < p->state.count; s++) {
        double value;
        if (!is_number(&r->scan.token))
            return too_few(r, s, p->state.count, "`start`");
        ASIF_TRY(read_probability(r, &value));
        TRY_MEMORY(asif_pomdp_row_push(&p->start, row, s, value));
    }
    ASIF_TRY(no_more_numbers(r, p->state.count, "`start`"));
    double sum = asif_pomdp_row_sum(&p->start.row[row], p->state.count);
    if (fabs(sum - 1) > ASIF_POMDP_TOLERANCE)
        return FAIL_AT(first, ASIF_EINVALID, "the probabilities of `start` sum to %.9g, not 1", sum);
    TRY_MEMORY(asif_pomdp_set_row(&p->start, 0, 0, row));
    return ASIF_OK;
}

static asif_status read_start_value(reader *r) {
    asif_pomdp *p = r->pomdp;
    const asif_pomdp_token *t = &r->scan.token;
    asif_pomdp_token first = *t;
    if (is_word(t, ASIF_POMDP_UNIFORM)) {
        TRY_MEMORY(asif_pomdp_set_cell(&p->start, 0, 0, ASIF_ANY, 1.0 / p->state.count, t->line, t->column));
        return next(r);
    }
    uint32_t s = 0;
    if (is_number(t)) {
        ASIF_TRY(next(r));
        /* A single integer is the index of a state, except in a problem of one state, where 1 is
         * the probability. */
        if (is_number(t) || first.kind == ASIF_POMDP_REAL || (p->state.count == 1 && first.value == 1))
            return read_start_vector(r, &first);
        if (first.value >= p->state.count) {
            asif_status status =
                FAIL_AT(&first, ASIF_EINVALID, "there is no state %g to start in", first.value);
            asif_error_hint(r->error, "there are %u, numbered from 0", p->state.count);
            return status;
        }
        s = (uint32_t)first.value;
    } else {
        ASIF_TRY(read_index(r, &p->state, "state", false, &s));
    }
    uint32_t row;
    TRY_MEMORY(asif_pomdp_row_new(&p->start, &row, first.line, first.column));
    TRY_MEMORY(asif_pomdp_row_push(&p->start, row, s, 1));
    TRY_MEMORY(asif_pomdp_set_row(&p->start, 0, 0, row));
    return ASIF_OK;
}

static asif_status read_start(reader *r) {
    asif_pomdp *p = r->pomdp;
    const asif_pomdp_token *t = &r->scan.token;
    TRY_MEMORY(asif_pomdp_table_init(&p->start, r->context, 1, 1, p->state.count));
    if (!is_word(t, ASIF_POMDP_START)) {
        TRY_MEMORY(asif_pomdp_set_cell(&p->start, 0, 0, ASIF_ANY, 1.0 / p->state.count, 0, 0));
        return ASIF_OK;
    }
    p->has_start = true;
    ASIF_TRY(next(r));
    bool include = is_word(t, ASIF_POMDP_INCLUDE);
    if (!include && !is_word(t, ASIF_POMDP_EXCLUDE)) {
        ASIF_TRY(expect_colon(r, "start"));
        return read_start_value(r);
    }
    ASIF_TRY(next(r));
    ASIF_TRY(expect_colon(r, include ? "include" : "exclude"));
    return read_start_list(r, include);
}

/* ---- T and O ---- */

typedef struct {
    asif_pomdp_table *table;
    const asif_pomdp_space *columns;
    const char *name, *column_name;
    bool transitions;
} table_kind;

static asif_status read_row(reader *r, const table_kind *k, uint32_t a, uint32_t s,
                            const asif_pomdp_token *at, const char *what, uint64_t before, uint64_t all) {
    uint32_t row, n = k->table->columns;
    TRY_MEMORY(asif_pomdp_row_new(k->table, &row, at->line, at->column));
    for (uint32_t c = 0; c < n; c++) {
        double value;
        const asif_pomdp_token *t = &r->scan.token;
        if ((c || before) && !is_number(t) && t->kind != ASIF_POMDP_MINUS && t->kind != ASIF_POMDP_PLUS)
            return too_few(r, before + c, all, what);
        ASIF_TRY(read_probability(r, &value));
        TRY_MEMORY(asif_pomdp_row_push(k->table, row, c, value));
    }
    TRY_MEMORY(asif_pomdp_set_row(k->table, a, s, row));
    return ASIF_OK;
}

/* Reads what follows `T: a : s`, or `T: a`, where s is ASIF_ANY and all rows follow. */
static asif_status read_rows(reader *r, const table_kind *k, uint32_t a, uint32_t s, bool matrix,
                             const asif_pomdp_token *at) {
    asif_pomdp_table *table = k->table;
    const asif_pomdp_token *t = &r->scan.token;
    char found[ASIF_POMDP_TOKEN_SIZE];
    if (is_word(t, ASIF_POMDP_UNIFORM)) {
        TRY_MEMORY(asif_pomdp_set_cell(table, a, s, ASIF_ANY, 1.0 / table->columns, at->line, at->column));
        return next(r);
    }
    if (k->transitions && matrix && is_word(t, ASIF_POMDP_IDENTITY)) {
        uint32_t row;
        TRY_MEMORY(asif_pomdp_row_new(table, &row, at->line, at->column));
        if (table->states == 1)
            TRY_MEMORY(asif_pomdp_row_push(table, row, 0, 1));
        else
            table->row[row].self = true;
        TRY_MEMORY(asif_pomdp_set_row(table, a, ASIF_ANY, row));
        return next(r);
    }
    if (k->transitions && !matrix && is_word(t, ASIF_POMDP_RESET)) {
        uint32_t row;
        TRY_MEMORY(asif_pomdp_row_copy(table, &row, asif_pomdp_get_row(&r->pomdp->start, 0, 0), at->line,
                                       at->column));
        TRY_MEMORY(asif_pomdp_set_row(table, a, s, row));
        return next(r);
    }
    if (!is_number(t) && t->kind != ASIF_POMDP_MINUS && t->kind != ASIF_POMDP_PLUS) {
        const char *want = !k->transitions ? "`uniform` or"
                           : matrix        ? "`uniform`, `identity` or"
                                           : "`uniform`, `reset` or";
        asif_status status = FAIL_AT(t, ASIF_EPARSE, "expected %s probabilities, found %s", want,
                                     asif_pomdp_token_text(t, found));
        if (is_word(t, ASIF_POMDP_RESET) && k->transitions)
            asif_error_hint(r->error, "`reset` is for rows: write `T: ACTION : * reset`");
        else if (is_word(t, ASIF_POMDP_IDENTITY) && k->transitions)
            asif_error_hint(r->error, "`identity` is for whole matrices: write `T: ACTION identity`");
        return status;
    }
    uint64_t all = matrix ? (uint64_t)table->states * table->columns : table->columns;
    char what[32];
    asif_format(what, sizeof what, "%s of `%s`", matrix ? "a matrix" : "a row", k->name);
    if (!matrix)
        ASIF_TRY(read_row(r, k, a, s, at, what, 0, all));
    for (uint32_t i = 0; matrix && i < table->states; i++) {
        asif_pomdp_token first = *t;
        ASIF_TRY(read_row(r, k, a, i, &first, what, (uint64_t)i * table->columns, all));
    }
    return no_more_numbers(r, all, what);
}

static asif_status read_table(reader *r, const table_kind *k) {
    const asif_pomdp_token *t = &r->scan.token;
    asif_pomdp_token at = *t;
    uint32_t a, s = ASIF_ANY, c = ASIF_ANY;
    ASIF_TRY(next(r));
    ASIF_TRY(expect_colon(r, k->name));
    ASIF_TRY(read_index(r, &r->pomdp->action, "action", true, &a));
    if (t->kind != ASIF_POMDP_COLON)
        return read_rows(r, k, a, s, true, &at);
    ASIF_TRY(next(r));
    ASIF_TRY(read_index(r, &r->pomdp->state, "state", true, &s));
    if (t->kind != ASIF_POMDP_COLON)
        return read_rows(r, k, a, s, false, &at);
    ASIF_TRY(next(r));
    ASIF_TRY(read_index(r, k->columns, k->column_name, true, &c));
    double value;
    ASIF_TRY(read_probability(r, &value));
    TRY_MEMORY(asif_pomdp_set_cell(k->table, a, s, c, value, at.line, at.column));
    return no_more_numbers(r, 1, k->transitions ? "`T: a : s : s'`" : "`O: a : s' : o`");
}

/* ---- R ---- */

static asif_status read_reward_data(reader *r, asif_pomdp_reward *reward, uint64_t count) {
    const asif_pomdp_token *t = &r->scan.token;
    uint64_t capacity = 0;
    const char *what = reward->data_rank == 2 ? "a matrix of `R`" : "a row of `R`";
    for (uint64_t i = 0; i < count; i++) {
        if (i && !is_number(t) && t->kind != ASIF_POMDP_MINUS && t->kind != ASIF_POMDP_PLUS)
            return too_few(r, i, count, what);
        TRY_MEMORY(asif_grow(r->context, &reward->data, i, &capacity, sizeof *reward->data));
        ASIF_TRY(read_number(r, &reward->data[i], "a number"));
    }
    return no_more_numbers(r, count, what);
}

static asif_status read_reward(reader *r) {
    asif_pomdp *p = r->pomdp;
    const asif_pomdp_token *t = &r->scan.token;
    bool mdp = p->observation.count == 0;
    ASIF_TRY(next(r));
    ASIF_TRY(expect_colon(r, "R"));
    TRY_MEMORY(asif_grow(r->context, &p->reward, p->rewards, &p->reward_capacity, sizeof *p->reward));
    asif_pomdp_reward *reward = &p->reward[p->rewards++];
    *reward = (asif_pomdp_reward){ASIF_ANY, ASIF_ANY, ASIF_ANY, ASIF_ANY, 0, 0, NULL};
    struct {
        uint32_t *index;
        const asif_pomdp_space *space;
        const char *what;
    } part[] = {{&reward->action, &p->action, "action"},
                {&reward->state, &p->state, "state"},
                {&reward->next, &p->state, "state"},
                {&reward->observation, &p->observation, "observation"}};
    uint32_t parts = mdp ? 3 : 4, given = 0;
    for (; given == 0 || (given < 4 && t->kind == ASIF_POMDP_COLON); given++) {
        if (given == parts) {
            asif_status status =
                FAIL_AT(t, ASIF_EINVALID, "without observations `R` has an action, a state and a next state");
            asif_error_hint(r->error, "write `R: a : s : s' VALUE`, or add `observations:` to the preamble");
            return status;
        }
        if (given)
            ASIF_TRY(next(r));
        ASIF_TRY(read_index(r, part[given].space, part[given].what, true, part[given].index));
    }
    if (given == parts) {
        ASIF_TRY(read_number(r, &reward->value, "a number"));
        return no_more_numbers(r, 1, mdp ? "`R: a : s : s'`" : "`R: a : s : s' : o`");
    }
    reward->data_rank = parts - given;
    if (reward->data_rank > 2) {
        char found[ASIF_POMDP_TOKEN_SIZE];
        asif_status status =
            FAIL_AT(t, ASIF_EPARSE, "expected ':' and a state after the action of `R`, found %s",
                    asif_pomdp_token_text(t, found));
        asif_error_hint(
            r->error,
            "with observations: `R: a : s : s' : o VALUE`, `R: a : s : s'` and a row, or `R: a : s` and a "
            "matrix");
        return status;
    }
    uint64_t row = mdp ? p->state.count : p->observation.count;
    return read_reward_data(r, reward, reward->data_rank == 1 ? row : row * p->state.count);
}

/* ---- the whole file ---- */

static asif_status read_statements(reader *r) {
    asif_pomdp *p = r->pomdp;
    const asif_pomdp_token *t = &r->scan.token;
    const table_kind transitions = {&p->transitions, &p->state, "T", "state", true};
    const table_kind emissions = {&p->emissions, &p->observation, "O", "observation", false};
    while (t->kind != ASIF_POMDP_END) {
        if (is_word(t, ASIF_POMDP_T)) {
            ASIF_TRY(read_table(r, &transitions));
        } else if (is_word(t, ASIF_POMDP_R)) {
            ASIF_TRY(read_reward(r));
        } else if (!is_word(t, ASIF_POMDP_O)) {
            return fail_statement(r);
        } else if (p->observation.count) {
            ASIF_TRY(read_table(r, &emissions));
        } else {
            asif_status status = FAIL_AT(t, ASIF_EINVALID, "`O` in a file without observations");
            asif_error_hint(r->error, "add `observations:` and their number or names to the preamble");
            return status;
        }
    }
    return ASIF_OK;
}

static const char *label(const asif_pomdp_space *space, uint32_t i, char *buffer) {
    if (space->name)
        asif_format(buffer, ASIF_POMDP_TOKEN_SIZE, "`%.50s`", space->name[i]);
    else
        asif_format(buffer, ASIF_POMDP_TOKEN_SIZE, "%u", i);
    return buffer;
}

static asif_status check_sums(reader *r, const table_kind *k) {
    asif_pomdp *p = r->pomdp;
    asif_pomdp_table *table = k->table;
    uint32_t stamp = ++table->stamp; /* marks rows that have been checked */
    for (uint32_t a = 0; a < table->actions; a++) {
        /* Without rows of their own, all states have the row of the first. */
        uint32_t states = table->holder[a].own ? table->states : 1;
        for (uint32_t s = 0; s < states; s++) {
            asif_pomdp_row *row = &table->row[asif_pomdp_get_row(table, a, s) - table->row];
            if (row->stamp == stamp)
                continue;
            double sum = asif_pomdp_row_sum(row, table->columns);
            if (fabs(sum - 1) <= ASIF_POMDP_TOLERANCE) {
                row->stamp = stamp;
                continue;
            }
            char action[ASIF_POMDP_TOKEN_SIZE], state[ASIF_POMDP_TOKEN_SIZE];
            label(&p->action, a, action);
            label(&p->state, s, state);
            if (row == table->row) {
                asif_status status = FAIL_AT(&r->scan.token, ASIF_EINVALID,
                                             "no `%s` for action %s and state %s", k->name, action, state);
                asif_error_hint(r->error, "`*` stands for all actions or states, as in `%s: * uniform`",
                                k->name);
                return status;
            }
            asif_pomdp_token at = {.line = row->line, .column = row->column};
            asif_status status = FAIL_AT(
                &at, ASIF_EINVALID, "the probabilities of `%s` for action %s and %s %s sum to %.9g, not 1",
                k->name, action, k->transitions ? "state" : "the state reached,", state, sum);
            asif_error_hint(r->error, "this is the last statement that set one of them");
            return status;
        }
    }
    return ASIF_OK;
}

static asif_status read_all(reader *r) {
    asif_pomdp *p = r->pomdp;
    const table_kind transitions = {&p->transitions, &p->state, "T", "state", true};
    const table_kind emissions = {&p->emissions, &p->observation, "O", "observation", false};
    ASIF_TRY(next(r));
    ASIF_TRY(read_preamble(r));
    ASIF_TRY(check_preamble(r));
    TRY_MEMORY(
        asif_pomdp_table_init(&p->transitions, r->context, p->action.count, p->state.count, p->state.count));
    TRY_MEMORY(asif_pomdp_table_init(&p->emissions, r->context, p->action.count, p->state.count,
                                     p->observation.count));
    ASIF_TRY(read_start(r));
    ASIF_TRY(read_statements(r));
    ASIF_TRY(check_sums(r, &transitions));
    return p->observation.count ? check_sums(r, &emissions) : ASIF_OK;
}

asif_status asif_pomdp_read(asif_pomdp **out, const asif_context *context, const char *text, uint64_t length,
                            const char *name, asif_error *error) {
    *out = NULL;
    asif_pomdp *pomdp = ASIF_NEW(context, asif_pomdp);
    if (!pomdp)
        return asif_fail_memory(error);
    pomdp->context = context;
    reader r = {.pomdp = pomdp, .context = context, .error = error};
    asif_pomdp_scan_init(&r.scan, text, length, name, error);
    asif_status status = read_all(&r);
    if (status != ASIF_OK) {
        asif_pomdp_free(pomdp);
        return status;
    }
    *out = pomdp;
    return ASIF_OK;
}

void asif_pomdp_free(asif_pomdp *pomdp) {
    if (!pomdp)
        return;
    const asif_context *context = pomdp->context;
    asif_pomdp_space_free(&pomdp->state, context);
    asif_pomdp_space_free(&pomdp->action, context);
    asif_pomdp_space_free(&pomdp->observation, context);
    asif_pomdp_table_free(&pomdp->start);
    asif_pomdp_table_free(&pomdp->transitions);
    asif_pomdp_table_free(&pomdp->emissions);
    for (uint64_t i = 0; i < pomdp->rewards; i++)
        asif_free(context, pomdp->reward[i].data);
    asif_free(context, pomdp->reward);
    asif_free(context, pomdp->comment);
    asif_free(context, pomdp);
}
