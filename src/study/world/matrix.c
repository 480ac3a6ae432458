/* Reading the matrices of a study, in all their forms. */
#include "study/study_reader.h"

#include "base/text.h"

#include <string.h>

/* Read one row; errors name the state of the row. */
static bool read_row(asif_reader *draft, const asif_yaml *node, uint32_t state, const asif_labels *columns,
                     const char *what, double *out) {
    char row[128];
    asif_format(row, sizeof row, "the row of `%s` in %s", asif_show_label(&draft->states, state).text, what);
    return asif_reader_distribution(draft, node, columns, row, out);
}

static bool read_rows_list(asif_reader *draft, const asif_yaml *node, const asif_labels *columns,
                           const char *what, double *value) {
    uint32_t n = draft->states.count;
    if (draft->parts && columns == &draft->shown && node->count == draft->hidden_values)
        n = draft->hidden_values; /* the same whatever is seen */
    if (node->count != n) {
        asif_reader_error(draft, node, "%s has %u row%s, but there are %u states", what, node->count,
                          node->count == 1 ? "" : "s", n);
        bool flat = node->count > 0 && node->item[0]->kind == ASIF_YAML_SCALAR;
        return flat ? asif_reader_hint(draft, "give a list of rows, each in brackets: [[...], [...]]")
                    : asif_reader_hint(draft, "give one row for each of %s",
                                       asif_list_labels(&draft->states).text);
    }
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        if (node->item[i]->kind == ASIF_YAML_SCALAR &&
            asif_labels_find(columns, node->item[i]->text) == ASIF_ANY &&
            !asif_reader_is(node->item[i], "uniform")) {
            asif_reader_parse_error(draft, node->item[i], "a row of %s must be a list, not `%s`", what,
                                    asif_show(node->item[i]->text).text);
            return asif_reader_hint(draft, "give a list of rows, each in brackets: [[...], [...]]");
        }
        if (!read_row(draft, node->item[i], i, columns, what, value + (uint64_t)i * columns->count))
            good = false;
    }
    for (uint64_t i = n; i < draft->states.count; i++)
        memcpy(value + i * columns->count, value + i % n * columns->count, columns->count * sizeof *value);
    return good;
}

/* Read rows by states or values of their parts. */
static bool read_rows_parts(asif_reader *draft, const asif_yaml *node, const asif_labels *columns,
                            const char *what, double *value) {
    uint32_t n = draft->states.count, *of = asif_reader_alloc(draft, n, sizeof *of);
    const asif_yaml *any = asif_yaml_get(node, "any");
    if (!of || !asif_reader_assign(draft, node, of))
        return false;
    for (uint32_t s = 0; s < n; s++) {
        const asif_yaml *row = of[s] == ASIF_ANY ? any : node->item[of[s]];
        if (!row) {
            asif_reader_error(draft, node, "%s has no row for the state `%s`", what,
                              asif_show_label(&draft->states, s).text);
            return asif_reader_hint(draft, "name every state, or give `any` for the others");
        }
        if (!read_row(draft, row, s, columns, what, value + (uint64_t)s * columns->count))
            return false;
    }
    return true;
}

static bool read_rows_map(asif_reader *draft, const asif_yaml *node, const asif_labels *columns,
                          const char *what, double *value) {
    uint32_t n = draft->states.count;
    bool *named = asif_reader_alloc(draft, n, sizeof *named), good = named != NULL;
    const asif_yaml *any = asif_yaml_get(node, "any");
    for (uint32_t i = 0; named && i < node->count; i++) {
        uint32_t state = 0;
        if (strcmp(node->key[i]->text, "any") == 0)
            continue;
        if (!asif_reader_label(draft, node->key[i], &draft->states, &state)) {
            good = false;
            continue;
        }
        named[state] = true;
        if (!read_row(draft, node->item[i], state, columns, what, value + (uint64_t)state * columns->count))
            good = false;
    }
    for (uint32_t state = 0; good && state < n; state++) {
        double *row = value + (uint64_t)state * columns->count;
        if (named[state])
            continue;
        if (any) {
            good = read_row(draft, any, state, columns, what, row);
        } else {
            asif_reader_error(draft, node, "%s has no row for the state `%s`", what,
                              asif_show_label(&draft->states, state).text);
            return asif_reader_hint(draft, "name every state, or give `any` for the others");
        }
    }
    return good;
}

bool asif_reader_rows(asif_reader *draft, const asif_yaml *node, const asif_labels *columns, const char *what,
                      double *value) {
    if (node->kind == ASIF_YAML_MAP && draft->parts)
        return read_rows_parts(draft, node, columns, what, value);
    return node->kind == ASIF_YAML_LIST ? read_rows_list(draft, node, columns, what, value)
                                        : read_rows_map(draft, node, columns, what, value);
}

/* Whether a node is a diagnostic test, {sensitivity: .7, specificity: .7}: the second observation indicates
 * the second state. */
static bool is_test(const asif_yaml *node) {
    return asif_yaml_get(node, "sensitivity") || asif_yaml_get(node, "specificity");
}

/* A matrix of emissions from what is shown in each state, or in each hidden value if `hidden`. */
static uint32_t show(asif_reader *draft, const double *cells, bool hidden) {
    uint32_t S = draft->states.count, H = draft->hidden_values, X = draft->shown.count;
    double *value = asif_reader_alloc(draft, (uint64_t)S * X, sizeof *value);
    for (uint64_t s = 0; value && s < S; s++)
        memcpy(value + s * X, cells + (hidden ? s % H : s) * X, X * sizeof *value);
    return value ? asif_reader_part_emissions(draft, value) : ASIF_READER_UNSET;
}

static uint32_t read_test(asif_reader *draft, const asif_yaml *node, const char *what) {
    static const asif_study_key keys[] = {
        {"sensitivity", NULL, "probability of the second observation in the second state"},
        {"specificity", NULL, "probability of the first observation in the first state"}};
    double p[2] = {0, 0};
    uint32_t states = draft->parts ? draft->hidden_values : draft->states.count,
             results = draft->parts ? draft->shown.count : draft->observations.count;
    if (states != 2 || results != 2) {
        asif_reader_error(draft, node,
                          "`sensitivity` and `specificity` describe a test with 2 results for 2 states, "
                          "but there are %u states and %u observations",
                          states, results);
        asif_reader_hint(draft, "give %s as a matrix", what);
        return ASIF_READER_UNSET;
    }
    bool good = asif_reader_keys(draft, node, what, keys, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const asif_yaml *value = asif_yaml_get(node, keys[i].name);
        if (!value)
            good = asif_reader_parse_error(draft, node, "`%s` is missing", keys[i].name);
        else if (!asif_reader_probability(draft, value, keys[i].name, &p[i]))
            good = false;
    }
    const double cells[4] = {p[1], 1 - p[1], 1 - p[0], p[0]};
    if (good && draft->parts)
        return show(draft, cells, true);
    return good ? asif_reader_dense(draft, cells, 2) : ASIF_READER_UNSET;
}

/* A word as emissions where a part of the state is seen: it is about the hidden part. */
static uint32_t show_word(asif_reader *draft, bool uniform) {
    uint32_t H = draft->hidden_values, X = draft->shown.count;
    double *cells = asif_reader_alloc(draft, (uint64_t)H * X, sizeof *cells);
    for (uint64_t i = 0; cells && i < (uint64_t)H * X; i++)
        cells[i] = uniform ? 1.0 / X : i / X == i % X;
    return cells ? show(draft, cells, true) : ASIF_READER_UNSET;
}

static uint32_t read_word(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which,
                          const asif_labels *columns, const char *what) {
    bool shown = draft->parts && which == ASIF_READER_EMISSIONS;
    if (shown && (asif_reader_is(node, "uniform") ||
                  (asif_reader_is(node, "identity") && columns->count == draft->hidden_values)))
        return show_word(draft, asif_reader_is(node, "uniform"));
    if (asif_reader_is(node, "uniform")) {
        double *row = asif_reader_alloc(draft, columns->count, sizeof *row);
        for (uint32_t i = 0; row && i < columns->count; i++)
            row[i] = 1.0 / columns->count;
        return row ? asif_reader_same_rows(draft, row, columns->count) : ASIF_READER_UNSET;
    }
    if (which == ASIF_READER_TRANSITIONS &&
        (asif_reader_is(node, "reset") || asif_reader_is(node, "terminal")))
        return asif_reader_ending(draft, node);
    if (asif_reader_is(node, "identity")) {
        if (columns->count == draft->states.count && !shown)
            return asif_reader_identity(draft);
        asif_reader_error(draft, node, "%s cannot be `identity`: there are %u states but %u observations",
                          what, shown ? draft->hidden_values : draft->states.count, columns->count);
        return ASIF_READER_UNSET;
    }
    asif_reader_parse_error(draft, node, "%s cannot be `%s`", what, asif_show(node->text).text);
    static const char *const choices[] = {"identity", "uniform", "reset", "terminal"};
    const char *near = asif_nearest_word(node->text, choices, which == ASIF_READER_TRANSITIONS ? 4 : 2);
    if (near)
        asif_reader_hint(draft, "did you mean `%s`?", near);
    else
        asif_reader_hint(draft, "give a matrix, or one of the words identity, uniform%s",
                         which == ASIF_READER_TRANSITIONS ? ", reset, terminal" : "");
    return ASIF_READER_UNSET;
}

/* What the columns of a matrix are; with a seen part, emissions are of what is shown beside it. */
static const asif_labels *columns_of(const asif_reader *draft, asif_matrix_kind which) {
    return which == ASIF_READER_TRANSITIONS ? &draft->states
           : draft->parts                   ? &draft->shown
                                            : &draft->observations;
}

/* The owner of the matrix that is being read. */
typedef struct {
    const bool *action; /* [actions] */
    bool whole;         /* one word stands for the matrices of all actions */
    bool environment;   /* the matrix is the environment's, not one of the agent's worlds' */
} owner;

/* Read a matrix in any form; ASIF_READER_UNSET after a problem. */
static uint32_t read_matrix(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which,
                            const char *what, owner of) {
    const asif_labels *columns = columns_of(draft, which);
    if (which == ASIF_READER_TRANSITIONS && asif_reader_is_by_part(draft, node))
        return asif_reader_part_moves(draft, node, what);
    if (asif_reader_is_hidden(draft, node)) {
        double *row = asif_reader_alloc(draft, columns->count, sizeof *row);
        asif_hidden_mark mark = {.at = node, .which = which, .column = ASIF_ANY, .whole = of.whole};
        return row && asif_reader_mark_hidden(draft, &mark, of.action, of.environment, columns, row)
                   ? asif_reader_same_rows(draft, row, columns->count)
                   : ASIF_READER_UNSET;
    }
    if (which == ASIF_READER_TRANSITIONS && asif_reader_is_unlearnt(node))
        return asif_reader_unlearnt_rows(draft, node, of.action, of.whole, of.environment);
    if (which == ASIF_READER_TRANSITIONS && asif_reader_is_increments(draft, node))
        return asif_reader_increments(draft, node, what, of.action, of.environment);
    if (node->kind == ASIF_YAML_SCALAR)
        return read_word(draft, node, which, columns, what);
    if (which == ASIF_READER_EMISSIONS && is_test(node))
        return read_test(draft, node, what);
    double *value = asif_reader_alloc(draft, (uint64_t)draft->states.count * columns->count, sizeof *value);
    if (!value)
        return ASIF_READER_UNSET;
    if (!asif_reader_rows(draft, node, columns, what, value))
        return ASIF_READER_UNSET;
    return columns == &draft->shown ? show(draft, value, false)
                                    : asif_reader_dense(draft, value, columns->count);
}

/* Does a node look like a whole matrix rather than one of its rows? */
static bool is_matrix(const asif_yaml *node, const asif_labels *columns) {
    if (node->kind == ASIF_YAML_SCALAR)
        return asif_labels_find(columns, node->text) == ASIF_ANY;
    return is_test(node) || (node->count > 0 && node->item[0]->kind != ASIF_YAML_SCALAR);
}

/* Are the keys of a mapping actions (matrices by action) or states (rows of one matrix)? */
static bool is_by_action(const asif_reader *draft, const asif_yaml *node, const asif_labels *columns) {
    uint32_t actions = 0, states = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        if (strcmp(node->key[i]->text, "any") != 0) {
            actions += asif_labels_find(&draft->actions, node->key[i]->text) != ASIF_ANY;
            states += asif_labels_find(&draft->states, node->key[i]->text) != ASIF_ANY;
        }
    }
    if (actions != states)
        return actions > states;
    return node->count == 0 || is_matrix(node->item[0], columns);
}

static bool of_environment(const asif_reader *draft, const uint32_t *out) {
    return out == draft->transitions || out == draft->emissions;
}

static bool read_for_all(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which, const char *what,
                         bool *action, uint32_t *out) {
    memset(action, 1, draft->actions.count);
    owner all = {action, true, of_environment(draft, out)};
    uint32_t index = read_matrix(draft, node, which, what, all);
    for (uint32_t u = 0; u < draft->actions.count; u++)
        out[u] = index;
    return index != ASIF_READER_UNSET;
}

static bool read_by_action(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which,
                           const char *what, bool *action, bool *named, uint32_t *out) {
    uint32_t actions = draft->actions.count;
    const asif_yaml *any = asif_yaml_get(node, "any");
    bool good = true;
    char of[128];
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t u = 0;
        if (strcmp(node->key[i]->text, "any") == 0)
            continue;
        if (!asif_reader_label(draft, node->key[i], &draft->actions, &u)) {
            good = false;
            continue;
        }
        memset(action, 0, actions);
        action[u] = named[u] = true;
        asif_format(of, sizeof of, "%s of `%s`", what, asif_show(node->key[i]->text).text);
        out[u] =
            read_matrix(draft, node->item[i], which, of, (owner){action, false, of_environment(draft, out)});
        good = good && out[u] != ASIF_READER_UNSET;
    }
    if (!any)
        return good;
    for (uint32_t u = 0; u < actions; u++)
        action[u] = !named[u];
    asif_format(of, sizeof of, "%s of `any`", what);
    uint32_t index = read_matrix(draft, any, which, of, (owner){action, false, of_environment(draft, out)});
    for (uint32_t u = 0; u < actions && index != ASIF_READER_UNSET; u++)
        out[u] = named[u] ? out[u] : index;
    return good && index != ASIF_READER_UNSET;
}

bool asif_reader_dynamics(asif_reader *draft, const asif_yaml *node, asif_matrix_kind which, uint32_t *out) {
    const char *what = which == ASIF_READER_TRANSITIONS ? "transitions" : "emissions";
    const asif_labels *columns = columns_of(draft, which);
    if (node->kind == ASIF_YAML_SCALAR && !node->text[0])
        return asif_reader_parse_error(draft, node, "`%s` is empty", what);
    if (which == ASIF_READER_EMISSIONS && asif_reader_is_by_column(draft, node))
        return asif_reader_by_column(draft, node, of_environment(draft, out), out);
    bool *action = asif_reader_alloc(draft, draft->actions.count, sizeof *action),
         *named = asif_reader_alloc(draft, draft->actions.count, sizeof *named);
    if (!action || !named)
        return false;
    bool by_action = node->kind == ASIF_YAML_MAP && !(which == ASIF_READER_EMISSIONS && is_test(node)) &&
                     !(which == ASIF_READER_TRANSITIONS &&
                       (asif_reader_is_increments(draft, node) || asif_reader_is_by_part(draft, node))) &&
                     is_by_action(draft, node, columns);
    return by_action ? read_by_action(draft, node, which, what, action, named, out)
                     : read_for_all(draft, node, which, what, action, out);
}
