/* Dynamics of hidden states that are left to logs: `learn`, `learn shared`, `learn except LABELS`. */
#include "study/study_reader.h"

#include "base/text.h"
#include "setting/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- marks ---- */

bool asif_reader_is_hidden(const asif_reader *draft, const asif_yaml *node) {
    return !draft->sees_states && node->kind == ASIF_YAML_SCALAR && !node->quoted &&
           strncmp(node->text, "learn", 5) == 0 && (!node->text[5] || node->text[5] == ' ');
}

static bool may_learn(asif_reader *draft, const asif_yaml *node, bool environment) {
    if (!environment) {
        asif_reader_error(draft, node, "the dynamics of a world that the agent believes in cannot be learnt");
        return asif_reader_hint(draft, "what logs tell is the environment: write it there, and leave this "
                                       "world's out");
    }
    if (draft->may_be_unlearnt)
        return true;
    if (!draft->unlearnt_said) {
        draft->unlearnt_said = true;
        asif_reader_error(draft, node, "the dynamics are still to be learnt from logs");
        asif_reader_hint(draft, "run `asif learn-world STUDY LOGS -o NEW` first, and use the study NEW");
    }
    return false;
}

static bool skip_word(const char **text, const char *word) {
    size_t length = strlen(word);
    const char *at = *text + strspn(*text, " ");
    if (strncmp(at, word, length) != 0 || (at[length] && at[length] != ' '))
        return false;
    *text = at + length;
    return true;
}

/* Exclude a label of `length` bytes. */
static bool exclude(asif_reader *draft, const asif_yaml *at, const asif_labels *labels, const char *label,
                    size_t length, bool *possible) {
    char *word = asif_reader_alloc(draft, (uint64_t)length + 1, 1);
    if (!word)
        return false;
    memcpy(word, label, length);
    uint32_t i = asif_labels_find(labels, word);
    if (i == ASIF_ANY) {
        asif_reader_error(draft, at, "`%s` is not %s: they are %s", asif_show(word).text,
                          labels->what[0] == 'o' ? "an observation" : "a class of this column",
                          asif_list_labels(labels).text);
        return asif_reader_hint(draft, "write `learn except LABEL and LABEL`");
    }
    possible[i] = false;
    return true;
}

/* Read labels that are joined by commas or `and`. */
static bool read_exceptions(asif_reader *draft, const asif_yaml *at, const asif_labels *labels,
                            const char *text, bool *possible) {
    text += strspn(text, " ");
    if (asif_labels_find(labels, text) != ASIF_ANY)
        return exclude(draft, at, labels, text, strlen(text), possible);
    for (;;) {
        const char *comma = strchr(text, ','), *word = strstr(text, " and ");
        const char *end = comma && (!word || comma < word) ? comma : word;
        size_t length = end ? (size_t)(end - text) : strlen(text);
        while (length && text[length - 1] == ' ')
            length--;
        if (!exclude(draft, at, labels, text, length, possible))
            return false;
        if (!end)
            return true;
        text = end + (end == comma ? 1 : 5);
        text += strspn(text, " ");
    }
}

/* Read what follows `learn`. */
static bool read_words(asif_reader *draft, asif_hidden_mark *mark, const asif_labels *labels) {
    const char *text = mark->at->text + 5;
    if (skip_word(&text, "shared"))
        mark->shared = true;
    if (mark->which == ASIF_READER_EMISSIONS && skip_word(&text, "except"))
        return read_exceptions(draft, mark->at, labels, text, mark->possible);
    if (!text[strspn(text, " ")])
        return true;
    asif_reader_parse_error(draft, mark->at, "`%s` cannot be read", asif_show(mark->at->text).text);
    return asif_reader_hint(draft, mark->which == ASIF_READER_EMISSIONS
                                       ? "write `learn`, `learn shared` or `learn except LABEL`"
                                       : "write `learn` or `learn shared`");
}

static bool check_actions(asif_reader *draft, const asif_hidden_mark *mark) {
    uint32_t named = 0;
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        named += mark->action[u];
        if (mark->which != ASIF_READER_TRANSITIONS || !mark->action[u] || !draft->ends || !draft->ends[u])
            continue;
        asif_shown label = asif_show_label(&draft->actions, u);
        asif_reader_error(draft, mark->at, "`%s` ends an episode: the logs do not tell what follows it",
                          label.text);
        return asif_reader_hint(draft, "give its transitions by name: {%s: %s, any: learn shared}",
                                label.text, draft->horizon ? "terminal" : "reset");
    }
    if (named < 2 || mark->whole || mark->shared)
        return true;
    asif_reader_error(draft, mark->at, "`any: learn` does not say whether the actions share their numbers");
    return asif_reader_hint(draft, "write `any: learn shared`, or name every action");
}

bool asif_reader_mark_hidden(asif_reader *draft, asif_hidden_mark *mark, const bool *action, bool environment,
                             const asif_labels *labels, double *row) {
    uint32_t possible = 0;
    if (draft->parts)
        return asif_reader_error(draft, mark->at,
                                 "dynamics cannot be learnt yet where a part of the state is seen");
    if (!may_learn(draft, mark->at, environment))
        return false;
    mark->action = asif_reader_alloc(draft, draft->actions.count, sizeof *mark->action);
    mark->possible = asif_reader_alloc(draft, labels->count, sizeof *mark->possible);
    if (!mark->action || !mark->possible)
        return false;
    memcpy(mark->action, action, draft->actions.count * sizeof *action);
    memset(mark->possible, 1, labels->count);
    mark->shared = mark->column != ASIF_ANY;
    if (!read_words(draft, mark, labels) || !check_actions(draft, mark))
        return false;
    for (uint32_t i = 0; i < labels->count; i++)
        possible += mark->possible[i];
    if (!possible)
        return asif_reader_error(draft, mark->at, "`%s` leaves nothing that is possible",
                                 asif_show(mark->at->text).text);
    for (uint32_t i = 0; i < labels->count; i++)
        row[i] = mark->possible[i] ? 1.0 / possible : 0;
    if (!asif_reader_grow(draft, &draft->hidden, draft->hiddens, &draft->hidden_room, sizeof *draft->hidden))
        return false;
    draft->hidden[draft->hiddens++] = *mark;
    return true;
}

bool asif_reader_hidden_starts(asif_reader *draft, asif_starts *start) {
    uint32_t n = draft->states.count;
    bool *every = start->learn ? asif_reader_alloc(draft, draft->actions.count, sizeof *every) : NULL;
    for (uint32_t i = 0; every && i < start->classes; i++) {
        if (!start->learn[i])
            continue;
        if (start->prior[i] || start->learn[i]->kind != ASIF_YAML_SCALAR) {
            asif_reader_error(draft, start->learn[i], "the start of the environment has no prior of its own");
            return asif_reader_hint(draft,
                                    "write `learn`; `--prior` of `asif learn-world` is for all tables");
        }
        asif_hidden_mark mark = {
            .at = start->learn[i], .which = ASIF_READER_START, .column = ASIF_ANY, .row = i, .whole = true};
        if (!asif_reader_mark_hidden(draft, &mark, every, true, &draft->states, start->p + (uint64_t)i * n))
            return false;
    }
    start->learn = NULL;
    start->prior = NULL;
    return true;
}

/* ---- the tables of a study ---- */

typedef struct {
    asif_reader *draft;
    const asif_setting *setting;
    const asif_setting_spec *world;
    asif_arena *arena;
    asif_dynamics_table *table;
    uint32_t tables;
    const void **from;     /* [tables]: what a fixed table was made from, so that it is made once */
    uint32_t **mark_table; /* [marks]: [actions] */
} making;

static uint32_t add_table(making *m, const char *name, uint32_t rows, uint32_t columns, const bool *possible,
                          const double *fixed, const void *from) {
    asif_dynamics_table *t = &m->table[m->tables];
    *t = (asif_dynamics_table){.rows = rows, .columns = columns};
    t->name = asif_arena_text(m->arena, name, strlen(name));
    m->from[m->tables] = from;
    if (possible) {
        bool *all = ASIF_ARENA_ARRAY(m->arena, (uint64_t)rows * columns, bool);
        for (uint32_t r = 0; all && r < rows; r++)
            memcpy(all + (uint64_t)r * columns, possible, columns * sizeof *all);
        t->possible = all;
    }
    if (fixed) {
        double *all = ASIF_ARENA_ARRAY(m->arena, (uint64_t)rows * columns, double);
        if (all)
            memcpy(all, fixed, (uint64_t)rows * columns * sizeof *all);
        t->fixed = all;
    }
    if (!t->name || (possible && !t->possible) || (fixed && !t->fixed))
        asif_reader_no_memory(m->draft);
    return m->tables++;
}

/* The table that a mark or something fixed has already made; ASIF_ANY: none. */
static uint32_t find_table(const making *m, const void *from) {
    for (uint32_t i = 0; i < m->tables; i++)
        if (m->from[i] == from)
            return i;
    return ASIF_ANY;
}

static double *dense(making *m, const asif_matrix *matrix) {
    double *value = asif_reader_alloc(m->draft, (uint64_t)matrix->rows * matrix->columns, sizeof *value);
    for (uint32_t i = 0; value && i < matrix->rows; i++) {
        uint64_t begin = 0, end = 0;
        asif_matrix_row(matrix, i, &begin, &end);
        for (uint64_t k = begin; k < end; k++)
            value[(uint64_t)i * matrix->columns + matrix->column[k]] = matrix->value[k];
    }
    return value;
}

static uint64_t find_mark(const making *m, asif_matrix_kind which, uint32_t column, uint32_t action) {
    for (uint64_t i = 0; i < m->draft->hiddens; i++) {
        const asif_hidden_mark *mark = &m->draft->hidden[i];
        if (mark->which == which && mark->column == column && mark->action[action])
            return i;
    }
    return UINT64_MAX;
}

/* The table of an action, and of a column of observations: learnt where it is marked, otherwise fixed. */
static uint32_t table_of(making *m, asif_matrix_kind which, uint32_t column, uint32_t action,
                         uint32_t columns) {
    const asif_reader *d = m->draft;
    uint64_t i = find_mark(m, which, column, action);
    char name[256];
    const char *what = column != ASIF_ANY                 ? d->observation_column[column].name
                       : which == ASIF_READER_TRANSITIONS ? "transitions"
                                                          : "emissions";
    asif_shown label = asif_show_label(&d->actions, action);
    if (i != UINT64_MAX) {
        const asif_hidden_mark *mark = &d->hidden[i];
        uint32_t table = mark->shared ? find_table(m, mark) : ASIF_ANY;
        if (table == ASIF_ANY) {
            bool all = mark->shared && mark->whole;
            asif_format(name, sizeof name, all ? "%s" : "%s after %s", asif_show(what).text, label.text);
            table = add_table(m, name, d->states.count, columns, mark->possible, NULL, mark);
        }
        return m->mark_table[i][action] = table;
    }
    const double *given =
        column == ASIF_ANY ? NULL : d->column_table[action * d->observation_columns + column];
    const asif_matrix *matrix = which == ASIF_READER_TRANSITIONS
                                    ? asif_transitions(m->setting, m->world->worlds, action)
                                    : asif_emissions(m->setting, m->world->worlds, action);
    const void *from = given ? (const void *)given : matrix;
    uint32_t table = find_table(m, from);
    if (table != ASIF_ANY)
        return table;
    if (!given && !(given = dense(m, matrix)))
        return 0;
    asif_format(name, sizeof name, "%s after %s", asif_show(what).text, label.text);
    return add_table(m, name, d->states.count, columns, NULL, given, from);
}

static uint32_t start_table(making *m) {
    asif_reader *d = m->draft;
    uint64_t cells = (uint64_t)m->world->starts * d->states.count;
    double *p = asif_reader_alloc(d, cells, sizeof *p);
    if (!p)
        return 0;
    memcpy(p, m->world->environment_start, cells * sizeof *p);
    for (uint64_t i = 0; i < d->hiddens; i++) {
        const asif_hidden_mark *mark = &d->hidden[i];
        if (mark->which != ASIF_READER_START)
            continue;
        p[(uint64_t)mark->row * d->states.count] = NAN;
        for (uint32_t u = 0; u < d->actions.count; u++)
            m->mark_table[i][u] = 0;
    }
    return add_table(m, "start", m->world->starts, d->states.count, NULL, p, NULL);
}

static bool make_columns(making *m, asif_dynamics_spec *spec) {
    const asif_reader *d = m->draft;
    uint32_t columns = d->observation_columns;
    uint32_t *classes = ASIF_ARENA_ARRAY(m->arena, columns, uint32_t);
    uint32_t *code = ASIF_ARENA_ARRAY(m->arena, (uint64_t)spec->observations * columns, uint32_t);
    if (!classes || !code)
        return asif_reader_no_memory(m->draft);
    for (uint32_t k = 0; k < columns; k++)
        classes[k] = d->observation_column[k].classes;
    for (uint32_t x = 0; x < spec->observations; x++)
        for (uint32_t k = columns, rest = x; k-- > 0; rest /= classes[k])
            code[(uint64_t)x * columns + k] = rest % classes[k];
    spec->columns = columns;
    spec->classes = classes;
    spec->code = code;
    return true;
}

static bool make_tables(making *m, asif_dynamics_spec *spec) {
    uint32_t actions = spec->actions, columns = spec->columns;
    uint32_t *transitions = ASIF_ARENA_ARRAY(m->arena, actions, uint32_t);
    uint32_t *emissions = ASIF_ARENA_ARRAY(m->arena, (uint64_t)actions * columns, uint32_t);
    uint64_t most = 1 + (uint64_t)actions * (1 + (uint64_t)columns);
    m->table = ASIF_ARENA_ARRAY(m->arena, most, asif_dynamics_table);
    m->from = asif_reader_alloc(m->draft, most, sizeof *m->from);
    if (!transitions || !emissions || !m->table || !m->from)
        return asif_reader_no_memory(m->draft);
    spec->start = start_table(m);
    for (uint32_t u = 0; u < actions; u++) {
        transitions[u] = table_of(m, ASIF_READER_TRANSITIONS, ASIF_ANY, u, spec->states);
        for (uint32_t k = 0; k < columns; k++)
            emissions[u * columns + k] = table_of(m, ASIF_READER_EMISSIONS, spec->classes ? k : ASIF_ANY, u,
                                                  spec->classes ? spec->classes[k] : spec->observations);
    }
    spec->transitions = transitions;
    spec->emissions = emissions;
    spec->tables = m->tables;
    spec->table = m->table;
    return !m->draft->stop;
}

static int by_place(const void *a, const void *b) {
    const struct asif_hidden_place *x = a, *y = b;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->column > y->column) - (x->column < y->column);
}

static bool make_places(making *m, asif_hidden *out) {
    const asif_reader *d = m->draft;
    out->mark = asif_arena_alloc(m->arena, d->hiddens, sizeof *out->mark);
    for (uint64_t i = 0; out->mark && i < d->hiddens; i++) {
        const asif_hidden_mark *mark = &d->hidden[i];
        struct asif_hidden_place *to = &out->mark[out->marks++];
        to->line = mark->at->line;
        to->column = mark->at->column;
        to->mark = asif_arena_text(m->arena, mark->at->text, strlen(mark->at->text));
        to->which = mark->which;
        to->row = mark->row;
        to->by_action = mark->whole && !mark->shared && mark->which != ASIF_READER_START;
        to->table = m->mark_table[i];
        if (!to->mark)
            return asif_reader_no_memory(m->draft);
    }
    if (!out->mark)
        return asif_reader_no_memory(m->draft);
    qsort(out->mark, out->marks, sizeof *out->mark, by_place);
    return true;
}

bool asif_hidden_make(asif_reader *draft, const asif_setting *setting, asif_hidden *out) {
    out->arena.context = draft->context;
    if (!draft->hiddens)
        return true;
    const asif_setting_spec *world = asif_setting_get(setting);
    making m = {.draft = draft, .setting = setting, .world = world, .arena = &out->arena};
    asif_dynamics_spec spec = ASIF_DYNAMICS_SPEC_INIT;
    spec.states = world->states;
    spec.actions = world->actions;
    spec.observations = world->observations;
    spec.starts = world->starts;
    if (world->starts > 1 && draft->start.at->kind == ASIF_YAML_SCALAR &&
        strncmp(draft->start.at->text, "learn", 5) == 0) {
        asif_reader_error(draft, draft->start.at,
                          "the agent's start is by class, and that of the environment "
                          "is not");
        return asif_reader_hint(draft, "write {by: COLUMN, CLASS: learn, ...} for the environment, too");
    }
    m.mark_table = asif_reader_alloc(draft, draft->hiddens, sizeof *m.mark_table);
    for (uint64_t i = 0; m.mark_table && i < draft->hiddens; i++) {
        m.mark_table[i] = ASIF_ARENA_ARRAY(m.arena, world->actions, uint32_t);
        for (uint32_t u = 0; m.mark_table[i] && u < world->actions; u++)
            m.mark_table[i][u] = ASIF_ANY;
        if (!m.mark_table[i])
            return asif_reader_no_memory(draft);
    }
    if (!m.mark_table || (draft->column_table && !make_columns(&m, &spec)) || !make_tables(&m, &spec) ||
        !make_places(&m, out))
        return false;
    out->spec = spec;
    return true;
}
