/* Reads Storm's explicit format (DRN) for MDPs in one pass over the text, line by line. Each action's matrix
 * grows by a row for each state, so that memory depends on the transitions read, not on what the
 * header declares. */
#include "asif/formats.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROW_TOLERANCE 1e-5
#define MOST_STATES (UINT32_MAX - 1)

typedef struct {
    char *name;
    uint64_t *offset; /* [state_capacity + 1] */
    double *reward;   /* [state_capacity] */
    uint32_t *column;
    double *value;
    uint64_t entries, capacity;
    uint64_t seen; /* 1 + the last state that has this action */
} action;

typedef struct {
    const asif_context *context;
    asif_error *error;
    const char *name;
    const char *text, *end;             /* the text that has not been read */
    const char *line_start, *at, *stop; /* the line, and its unread part without trailing blanks */
    uint32_t line;
    const char *reward_model;
    uint32_t reward;          /* index of the reward in the brackets */
    uint64_t states, choices; /* as declared; choices 0: not declared */
    action *action;
    uint64_t actions, action_capacity;
    uint64_t state, state_capacity; /* number of states begun so far */
    uint32_t state_line, action_line;
    uint64_t offered; /* number of actions of the current state so far */
    uint64_t total;   /* number of actions of all states so far */
    action *current;
    double state_reward;
    uint32_t *init;
    uint64_t inits, init_capacity;
} reader;

/* Fails with an error at a place in the current line; a hint may be added to it. */
#define FAIL_AT(place, status, ...)                                                                          \
    (asif_fail(r->error, (status), __VA_ARGS__),                                                             \
     asif_error_at(r->error, r->name, r->line, (uint32_t)((place)-r->line_start) + 1), (status))
#define FAIL_LINE(number, status, ...)                                                                       \
    (asif_fail(r->error, (status), __VA_ARGS__), asif_error_at(r->error, r->name, (number), 1), (status))

/* ---- lines and words ---- */

static bool is_blank(char c) {
    return (unsigned char)c <= ' ';
}

static void skip_blanks(reader *r) {
    while (r->at < r->stop && is_blank(*r->at))
        r->at++;
}

/* Goes to the next line, even if it is empty; false at the end. */
static bool next_line(reader *r) {
    if (r->text == r->end)
        return false;
    const char *stop = memchr(r->text, '\n', (size_t)(r->end - r->text));
    r->line_start = r->at = r->text;
    r->stop = stop ? stop : r->end;
    r->text = stop ? stop + 1 : r->end;
    r->line++;
    while (r->stop > r->at && is_blank(r->stop[-1]))
        r->stop--;
    skip_blanks(r);
    return true;
}

/* Goes to the next line that is neither empty nor a comment. */
static bool next_content(reader *r) {
    while (next_line(r))
        if (r->at < r->stop && !(r->stop - r->at >= 2 && r->at[0] == '/' && r->at[1] == '/'))
            return true;
    return false;
}

/* Takes this word from the line if it is next. */
static bool take_word(reader *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->stop - r->at) < length || memcmp(r->at, word, length) != 0)
        return false;
    if (r->at + length < r->stop && !is_blank(r->at[length]))
        return false;
    r->at += length;
    skip_blanks(r);
    return true;
}

static uint64_t word_length(const reader *r) {
    const char *p = r->at;
    while (p < r->stop && !is_blank(*p))
        p++;
    return (uint64_t)(p - r->at);
}

static int shown(uint64_t length) {
    return length > 60 ? 60 : (int)length;
}

static bool take_whole_number(reader *r, uint64_t *out) {
    const char *p = r->at;
    uint64_t value = 0;
    for (; p < r->stop && *p >= '0' && *p <= '9'; p++) {
        if (value > MOST_STATES)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (p == r->at || value > MOST_STATES)
        return false;
    r->at = p;
    *out = value;
    return true;
}

/* Reads a decimal number, or a quotient of two, as files of rational numbers have. */
static asif_status read_value(reader *r, const char *text, uint64_t length, double *out) {
    const char *slash = memchr(text, '/', (size_t)length);
    uint64_t first = slash ? (uint64_t)(slash - text) : length;
    double below = 1;
    bool good = asif_number_read(text, first, out) && isfinite(*out);
    if (good && slash)
        good = asif_number_read(slash + 1, length - first - 1, &below) && below != 0;
    *out /= good ? below : 1;
    if (good && isfinite(*out))
        return ASIF_OK;
    asif_status status = FAIL_AT(text, ASIF_EPARSE, "expected a number, found `%.*s`", shown(length), text);
    if (length && *text == '$')
        asif_error_hint(r->error, "placeholders are not read: export the model without them");
    else if (length && *text == '[')
        asif_error_hint(r->error, "intervals are not read");
    return status;
}

/* ---- header ---- */

static asif_status read_count(reader *r, uint64_t *out, const char *what) {
    if (!next_line(r))
        return FAIL_AT(r->at, ASIF_EPARSE, "the file ends where `%s` needs a number", what);
    const char *at = r->at;
    if (take_whole_number(r, out) && r->at == r->stop)
        return ASIF_OK;
    return FAIL_AT(at, ASIF_EPARSE, "`%s` needs a whole number below %u on its next line", what, MOST_STATES);
}

static asif_status read_type(reader *r) {
    uint64_t length = (uint64_t)(r->stop - r->at);
    if (length == 3 && memcmp(r->at, "MDP", 3) == 0)
        return ASIF_OK;
    asif_status status =
        FAIL_AT(r->at, ASIF_EUNSUPPORTED, "a model of type `%.*s`: only MDP is read", shown(length), r->at);
    if (length == 5 && memcmp(r->at, "POMDP", 5) == 0)
        asif_error_hint(r->error, "problems with observations are read from .pomdp files");
    return status;
}

static asif_status read_value_type(reader *r) {
    uint64_t length = (uint64_t)(r->stop - r->at);
    if ((length == 6 && memcmp(r->at, "double", 6) == 0) ||
        (length == 8 && memcmp(r->at, "rational", 8) == 0))
        return ASIF_OK;
    return FAIL_AT(r->at, ASIF_EUNSUPPORTED, "numbers of type `%.*s`: only double and rational are read",
                   shown(length), r->at);
}

static asif_status read_parameters(reader *r) {
    if (!next_line(r) || r->at == r->stop)
        return ASIF_OK;
    asif_status status = FAIL_AT(r->at, ASIF_EUNSUPPORTED, "the model has parameters without values: `%.*s`",
                                 shown((uint64_t)(r->stop - r->at)), r->at);
    asif_error_hint(r->error, "give them values in Storm and export the model again");
    return status;
}

static asif_status read_reward_models(reader *r) {
    const char *found = NULL, *known[16];
    char names[16][64];
    uint32_t index = 0, listed = 0;
    bool more = next_line(r);
    for (; more && r->at < r->stop; index++) {
        uint64_t length = word_length(r);
        if (r->reward_model && !found && strlen(r->reward_model) == length &&
            memcmp(r->reward_model, r->at, (size_t)length) == 0) {
            found = r->at;
            r->reward = index;
        }
        if (listed < 16 && length < sizeof names[0]) {
            memcpy(names[listed], r->at, (size_t)length);
            names[listed][length] = 0;
            known[listed] = names[listed];
            listed++;
        }
        r->at += length;
        skip_blanks(r);
    }
    if (!r->reward_model || found)
        return ASIF_OK;
    asif_status status =
        FAIL_LINE(r->line, ASIF_EUNKNOWN, "there is no reward model `%.60s`", r->reward_model);
    const char *near = asif_nearest_word(r->reward_model, known, listed);
    if (near)
        asif_error_hint(r->error, "did you mean `%s`?", near);
    else if (listed)
        asif_error_hint(r->error, "the first one is `%s`", names[0]);
    else
        asif_error_hint(r->error, "this file has none");
    return status;
}

static asif_status read_header(reader *r) {
    static const char *const words[] = {"@type:",         "@value_type:", "@parameters", "@placeholders",
                                        "@reward_models", "@nr_states",   "@nr_choices", "@model"};
    enum { TYPE, VALUE_TYPE, PARAMETERS, PLACEHOLDERS, REWARD_MODELS, NR_STATES, NR_CHOICES, MODEL, WORDS };
    bool seen[WORDS] = {false};
    while (next_content(r)) {
        const char *at = r->at;
        uint64_t length = word_length(r);
        int word = 0;
        while (word < WORDS && !take_word(r, words[word]))
            word++;
        if (word == WORDS)
            return FAIL_AT(at, ASIF_EPARSE, "`%.*s` is not a line of a DRN header", shown(length), at);
        if (seen[word])
            return FAIL_AT(at, ASIF_EINVALID, "`%s` stands here a second time", words[word]);
        seen[word] = true;
        if (word > VALUE_TYPE && r->at < r->stop)
            return FAIL_AT(r->at, ASIF_EPARSE, "nothing may follow `%s` on its line", words[word]);
        switch (word) {
        case TYPE:
            ASIF_TRY(read_type(r));
            break;
        case VALUE_TYPE:
            ASIF_TRY(read_value_type(r));
            break;
        case PARAMETERS:
            ASIF_TRY(read_parameters(r));
            break;
        case REWARD_MODELS:
            ASIF_TRY(read_reward_models(r));
            break;
        case NR_STATES:
            ASIF_TRY(read_count(r, &r->states, words[word]));
            break;
        case NR_CHOICES:
            ASIF_TRY(read_count(r, &r->choices, words[word]));
            break;
        case MODEL:
            if (!seen[TYPE] || !seen[NR_STATES] || r->states == 0)
                return FAIL_AT(at, ASIF_EINVALID, "`%s` must come before `@model`",
                               seen[TYPE] ? "@nr_states" : "@type: MDP");
            if (r->reward_model && !seen[REWARD_MODELS])
                return FAIL_AT(at, ASIF_EUNKNOWN, "there is no reward model `%.60s`: the file names none",
                               r->reward_model);
            return ASIF_OK;
        default: {
            asif_status status = FAIL_AT(at, ASIF_EUNSUPPORTED, "placeholders are not read");
            asif_error_hint(r->error, "export the model without them");
            return status;
        }
        }
    }
    return FAIL_LINE(r->line ? r->line : 1, ASIF_EPARSE, "the file ends before `@model`");
}

/* ---- model ---- */

/* Takes `[a, b]`, if it is next: *out is the number of the chosen reward model. */
static asif_status take_rewards(reader *r, double *out) {
    *out = 0;
    if (r->at == r->stop || *r->at != '[')
        return ASIF_OK;
    const char *open = r->at++;
    const char *close = memchr(open, ']', (size_t)(r->stop - open));
    if (!close)
        return FAIL_AT(open, ASIF_EPARSE, "'[' without ']' on its line");
    for (uint32_t i = 0; r->at <= close; i++) {
        const char *comma = memchr(r->at, ',', (size_t)(close - r->at));
        const char *stop = comma ? comma : close;
        const char *after = stop + 1;
        while (r->at < stop && is_blank(*r->at))
            r->at++;
        while (stop > r->at && is_blank(stop[-1]))
            stop--;
        double value;
        if (stop == r->at && i == 0 && !comma)
            break; /* an empty list */
        ASIF_TRY(read_value(r, r->at, (uint64_t)(stop - r->at), &value));
        if (i == r->reward)
            *out = value;
        r->at = after;
    }
    r->at = close + 1;
    skip_blanks(r);
    return ASIF_OK;
}

typedef struct {
    uint32_t column;
    double value;
} entry;

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    return (a->column > b->column) - (a->column < b->column);
}

/* Sorts the targets of a row; as in Storm, the probabilities of a target that is listed twice are
 * added up. */
static asif_status sort_row(reader *r, action *a, uint64_t first) {
    uint64_t count = a->entries - first;
    entry *row = ASIF_ARRAY(r->context, count, entry);
    if (!row)
        return asif_fail_memory(r->error);
    for (uint64_t i = 0; i < count; i++)
        row[i] = (entry){a->column[first + i], a->value[first + i]};
    qsort(row, (size_t)count, sizeof *row, compare_entries);
    a->entries = first;
    for (uint64_t i = 0; i < count; i++) {
        if (a->entries > first && a->column[a->entries - 1] == row[i].column) {
            a->value[a->entries - 1] += row[i].value;
            continue;
        }
        a->column[a->entries] = row[i].column;
        a->value[a->entries++] = row[i].value;
    }
    asif_free(r->context, row);
    return ASIF_OK;
}

static asif_status finish_action(reader *r) {
    action *a = r->current;
    if (!a)
        return ASIF_OK;
    uint64_t first = a->offset[r->state - 1];
    bool sorted = true;
    double sum = 0;
    for (uint64_t i = first; i < a->entries; i++) {
        sorted = sorted && (i == first || a->column[i] > a->column[i - 1]);
        sum += a->value[i];
    }
    r->current = NULL;
    if (fabs(sum - 1) > ROW_TOLERANCE)
        return FAIL_LINE(r->action_line, ASIF_EINVALID,
                         "the probabilities of action `%.60s` in state %llu sum to %.9g, not 1", a->name,
                         (unsigned long long)(r->state - 1), sum);
    if (!sorted)
        ASIF_TRY(sort_row(r, a, first));
    a->offset[r->state] = a->entries;
    return ASIF_OK;
}

static asif_status finish_state(reader *r) {
    ASIF_TRY(finish_action(r));
    if (r->state == 0 || (r->actions && r->offered == r->actions))
        return ASIF_OK;
    unsigned long long state = r->state - 1;
    if (r->actions == 0)
        return FAIL_LINE(r->state_line, ASIF_EINVALID, "state %llu has no action", state);
    for (uint64_t i = 0; i < r->actions; i++)
        if (r->action[i].seen != r->state) {
            asif_status status =
                FAIL_LINE(r->state_line, ASIF_EINVALID, "state %llu does not offer the action `%.60s`", state,
                          r->action[i].name);
            asif_error_hint(
                r->error,
                "every state must offer the same actions; one that changes nothing leads back to %llu "
                "with probability 1",
                state);
            return status;
        }
    return ASIF_OK;
}

static bool reserve_states(reader *r, uint64_t capacity) {
    for (uint64_t i = 0; i < r->actions; i++) {
        action *a = &r->action[i];
        uint64_t *offset = asif_realloc(r->context, a->offset, capacity + 1, sizeof *offset);
        if (!offset)
            return false;
        a->offset = offset;
        double *reward = asif_realloc(r->context, a->reward, capacity, sizeof *reward);
        if (!reward)
            return false;
        a->reward = reward;
    }
    r->state_capacity = capacity;
    return true;
}

static asif_status read_labels(reader *r) {
    while (r->at < r->stop) {
        uint64_t length = word_length(r);
        const char *label = r->at;
        const char *quote = *label == '"' ? memchr(label + 1, '"', (size_t)(r->stop - label - 1)) : NULL;
        if (*label == '{' || *label == '!') {
            asif_status status =
                FAIL_AT(label, ASIF_EUNSUPPORTED, "`%.*s` is not for an MDP", shown(length), label);
            asif_error_hint(r->error, "'{' begins an observation and '!' a rate");
            return status;
        }
        if (quote) {
            label++;
            length = (uint64_t)(quote - label);
        }
        r->at = quote ? quote + 1 : r->at + length;
        skip_blanks(r);
        if (length != 4 || memcmp(label, "init", 4) != 0)
            continue;
        if (!asif_grow(r->context, &r->init, r->inits, &r->init_capacity, sizeof *r->init))
            return asif_fail_memory(r->error);
        r->init[r->inits] = (uint32_t)(r->state - 1);
        r->inits += r->inits == 0 || r->init[r->inits - 1] != r->state - 1;
    }
    return ASIF_OK;
}

static asif_status read_state(reader *r) {
    const char *at = r->at;
    uint64_t number;
    ASIF_TRY(finish_state(r));
    if (!take_whole_number(r, &number) || (r->at < r->stop && !is_blank(*r->at)))
        return FAIL_AT(at, ASIF_EPARSE, "expected the number of the state");
    if (number != r->state) {
        asif_status status = FAIL_AT(at, ASIF_EINVALID, "expected state %llu, found %llu",
                                     (unsigned long long)r->state, (unsigned long long)number);
        asif_error_hint(r->error, "states stand in order from 0, none left out");
        return status;
    }
    if (r->state == r->states)
        return FAIL_AT(at, ASIF_EINVALID, "more states than the %llu of `@nr_states`",
                       (unsigned long long)r->states);
    if (r->state >= r->state_capacity) {
        uint64_t capacity = r->state_capacity ? 2 * r->state_capacity : 256;
        if (!reserve_states(r, capacity < r->states ? capacity : r->states))
            return asif_fail_memory(r->error);
    }
    r->state++;
    r->state_line = r->line;
    r->offered = 0;
    skip_blanks(r);
    ASIF_TRY(take_rewards(r, &r->state_reward));
    return read_labels(r);
}

static asif_status add_action(reader *r, const char *name, uint64_t length) {
    if (!asif_grow(r->context, &r->action, r->actions, &r->action_capacity, sizeof *r->action))
        return asif_fail_memory(r->error);
    action *a = &r->action[r->actions];
    *a = (action){.name = ASIF_ARRAY(r->context, length + 1, char),
                  .offset = ASIF_ARRAY(r->context, r->state_capacity + 1, uint64_t),
                  .reward = ASIF_ARRAY(r->context, r->state_capacity, double)};
    r->actions++;
    if (!a->name || !a->offset || !a->reward)
        return asif_fail_memory(r->error);
    memcpy(a->name, name, (size_t)length);
    return ASIF_OK;
}

static bool is_action(const action *a, const char *name, uint64_t length) {
    return strlen(a->name) == length && memcmp(a->name, name, (size_t)length) == 0;
}

static asif_status read_action(reader *r) {
    const char *at = r->at, *name = r->at;
    uint64_t length = word_length(r);
    char number[24];
    ASIF_TRY(finish_action(r));
    if (r->state == 0)
        return FAIL_AT(r->line_start, ASIF_EPARSE, "an action before the first state");
    bool labelled = length && *name != '[' && !(length == 11 && memcmp(name, "__NOLABEL__", 11) == 0);
    if (length && *name != '[')
        r->at += length;
    skip_blanks(r);
    if (!labelled) {
        length = (uint64_t)asif_format(number, sizeof number, "%llu", (unsigned long long)r->offered);
        name = number;
    }
    uint64_t i = r->offered;
    if (i >= r->actions || !is_action(&r->action[i], name, length))
        for (i = 0; i < r->actions && !is_action(&r->action[i], name, length); i++)
            ;
    if (i == r->actions && r->state > 1) {
        asif_status status =
            FAIL_AT(at, ASIF_EINVALID, "state 0 does not offer the action `%.*s`", shown(length), name);
        asif_error_hint(r->error, "every state must offer the same actions");
        return status;
    }
    if (i == r->actions)
        ASIF_TRY(add_action(r, name, length));
    action *a = &r->action[i];
    if (a->seen == r->state) {
        asif_status status = FAIL_AT(at, ASIF_EINVALID, "the action `%.*s` stands twice in state %llu",
                                     shown(length), name, (unsigned long long)(r->state - 1));
        asif_error_hint(r->error, "asif needs labels that tell the choices of a state apart");
        return status;
    }
    a->seen = r->state;
    r->offered++;
    r->total++;
    r->current = a;
    r->action_line = r->line;
    double reward;
    ASIF_TRY(take_rewards(r, &reward));
    a->reward[r->state - 1] = r->state_reward + reward;
    if (!isfinite(a->reward[r->state - 1]))
        return FAIL_AT(at, ASIF_EINVALID, "the reward is too large");
    if (r->at < r->stop)
        return FAIL_AT(r->at, ASIF_EPARSE, "expected the end of the line after the action");
    return ASIF_OK;
}

static bool reserve_entry(reader *r, action *a) {
    if (a->entries < a->capacity)
        return true;
    uint64_t capacity = a->capacity ? a->capacity + a->capacity / 2 : 64;
    uint32_t *column = asif_realloc(r->context, a->column, capacity, sizeof *column);
    if (!column)
        return false;
    a->column = column;
    double *value = asif_realloc(r->context, a->value, capacity, sizeof *value);
    if (!value)
        return false;
    a->value = value;
    a->capacity = capacity;
    return true;
}

static asif_status read_transition(reader *r) {
    const char *at = r->at;
    uint64_t target;
    double value;
    action *a = r->current;
    bool number = take_whole_number(r, &target);
    skip_blanks(r);
    if (!number || r->at == r->stop || *r->at != ':')
        return FAIL_AT(at, ASIF_EPARSE, "expected `state`, `action` or `TARGET : PROBABILITY`");
    if (!a)
        return FAIL_AT(at, ASIF_EPARSE, "a transition before the first action of its state");
    if (target >= r->states)
        return FAIL_AT(at, ASIF_EINVALID, "there is no state %llu: the last is %llu",
                       (unsigned long long)target, (unsigned long long)(r->states - 1));
    r->at++;
    skip_blanks(r);
    ASIF_TRY(read_value(r, r->at, (uint64_t)(r->stop - r->at), &value));
    if (!(value >= 0 && value <= 1))
        return FAIL_AT(r->at, ASIF_EINVALID, "%g is not a probability", value);
    if (value == 0)
        return ASIF_OK;
    if (!reserve_entry(r, a))
        return asif_fail_memory(r->error);
    a->column[a->entries] = (uint32_t)target;
    a->value[a->entries++] = value;
    return ASIF_OK;
}

static asif_status read_model(reader *r) {
    while (next_content(r)) {
        if (*r->at >= '0' && *r->at <= '9')
            ASIF_TRY(read_transition(r));
        else if (take_word(r, "action"))
            ASIF_TRY(read_action(r));
        else if (take_word(r, "state"))
            ASIF_TRY(read_state(r));
        else
            ASIF_TRY(read_transition(r));
    }
    ASIF_TRY(finish_state(r));
    if (r->state != r->states)
        return FAIL_LINE(r->line, ASIF_EINVALID, "the file has %llu states, and `@nr_states` says %llu",
                         (unsigned long long)r->state, (unsigned long long)r->states);
    if (r->choices && r->total != r->choices)
        return FAIL_LINE(r->line, ASIF_EINVALID, "the file has %llu choices, and `@nr_choices` says %llu",
                         (unsigned long long)r->total, (unsigned long long)r->choices);
    return ASIF_OK;
}

/* ---- setting ---- */

static void fill_spec(reader *r, asif_setting_spec *spec, asif_matrix *matrix, uint32_t *index,
                      const char **names, double *start, double *utility) {
    bool numbers = true;
    for (uint32_t i = 0; i < r->actions; i++) {
        action *a = &r->action[i];
        char number[24];
        asif_format(number, sizeof number, "%u", i);
        numbers = numbers && strcmp(number, a->name) == 0;
        names[i] = a->name;
        matrix[i] =
            (asif_matrix){(uint32_t)r->states, (uint32_t)r->states, false, a->offset, a->column, a->value};
        index[i] = index[r->actions + i] = i;
        memcpy(utility + i * r->states, a->reward, (size_t)r->states * sizeof *utility);
        asif_free(r->context, a->reward);
        a->reward = NULL;
    }
    for (uint64_t i = 0; i < r->inits; i++)
        start[r->init[i]] = 1.0 / (double)r->inits;
    for (uint64_t s = 0; r->inits == 0 && s < r->states; s++)
        start[s] = 1.0 / (double)r->states;
    spec->states = (uint32_t)r->states;
    spec->actions = (uint32_t)r->actions;
    spec->action_names = numbers ? NULL : names;
    spec->matrices = (uint32_t)r->actions;
    spec->matrix = matrix;
    spec->transitions = index;
    spec->environment_start = start;
    spec->utility = utility;
}

static asif_status create(reader *r, asif_setting **out, double discount) {
    const asif_context *context = r->context;
    asif_setting_spec spec = ASIF_SETTING_SPEC_INIT;
    asif_matrix *matrix = ASIF_ARRAY(context, r->actions, asif_matrix);
    uint32_t *index = ASIF_ARRAY(context, 2 * r->actions, uint32_t);
    const char **names = ASIF_ARRAY(context, r->actions, const char *);
    double *start = ASIF_ARRAY(context, r->states, double);
    double *utility = ASIF_ARRAY(context, r->actions * r->states, double);
    asif_status status;
    if (matrix && index && names && start && utility) {
        fill_spec(r, &spec, matrix, index, names, start, utility);
        spec.discount = discount;
        status = asif_setting_create(out, context, &spec, r->error);
    } else {
        status = asif_fail_memory(r->error);
    }
    asif_free(context, matrix);
    asif_free(context, index);
    asif_free(context, (void *)names);
    asif_free(context, start);
    asif_free(context, utility);
    return status;
}

asif_status asif_drn_read(asif_setting **out, const asif_context *context, const char *text, uint64_t length,
                          const char *name, const char *reward_model, double discount, asif_error *error) {
    *out = NULL;
    if (!text)
        text = "";
    reader r = {.context = context,
                .error = error,
                .name = name,
                .text = text,
                .end = text + length,
                .line_start = text,
                .at = text,
                .stop = text,
                .reward_model = reward_model};
    asif_status status = read_header(&r);
    if (status == ASIF_OK)
        status = read_model(&r);
    if (status == ASIF_OK)
        status = create(&r, out, discount);
    for (uint64_t i = 0; i < r.actions; i++) {
        action *a = &r.action[i];
        void *const arrays[] = {a->name, a->offset, a->reward, a->column, a->value};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            asif_free(context, arrays[k]);
    }
    asif_free(context, r.action);
    asif_free(context, r.init);
    return status;
}
