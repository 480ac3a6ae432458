/* Emissions by column: the columns of crossed observations are independent given the state. */
#include "study/study_reader.h"

#include "base/text.h"

#include <string.h>

static uint32_t find_column(const asif_reader *draft, const char *name) {
    for (uint32_t k = 0; k < draft->observation_columns; k++)
        if (strcmp(draft->observation_column[k].name, name) == 0)
            return k;
    return ASIF_ANY;
}

bool asif_reader_is_by_column(const asif_reader *draft, const asif_yaml *node) {
    if (!draft->observation_columns || node->kind != ASIF_YAML_MAP || node->count == 0)
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (find_column(draft, node->key[i]->text) == ASIF_ANY)
            return false;
    return true;
}

/* Where a table of a column belongs. */
typedef struct {
    uint32_t column;
    const asif_labels *classes;
    const char *what;
    bool whole, environment;
    const bool *action; /* [actions] */
} owner;

/* Read a table [states][classes]: rows, `uniform`, one class that is certain, or a mark `learn`. */
static bool read_table(asif_reader *draft, const asif_yaml *node, owner of, double *value) {
    uint32_t n = of.classes->count;
    double *row = value;
    if (asif_reader_is_hidden(draft, node)) {
        asif_hidden_mark mark = {
            .at = node, .which = ASIF_READER_EMISSIONS, .column = of.column, .whole = of.whole};
        if (!asif_reader_mark_hidden(draft, &mark, of.action, of.environment, of.classes, row))
            return false;
    } else if (node->kind != ASIF_YAML_SCALAR) {
        return asif_reader_rows(draft, node, of.classes, of.what, value);
    } else if (!asif_reader_distribution(draft, node, of.classes, of.what, row)) {
        return false;
    }
    for (uint32_t s = 1; s < draft->states.count; s++)
        memcpy(value + (uint64_t)s * n, row, n * sizeof *row);
    return true;
}

/* Are the keys of a mapping actions? */
static bool is_by_action(const asif_reader *draft, const asif_yaml *node) {
    if (node->kind != ASIF_YAML_MAP || node->count == 0)
        return false;
    for (uint32_t i = 0; i < node->count; i++)
        if (strcmp(node->key[i]->text, "any") != 0 &&
            asif_labels_find(&draft->actions, node->key[i]->text) == ASIF_ANY)
            return false;
    return true;
}

/* Read the tables of one column into table[actions][columns]. */
static bool read_column(asif_reader *draft, const asif_yaml *node, owner of, double **table) {
    uint32_t actions = draft->actions.count, columns = draft->observation_columns;
    bool by_action = is_by_action(draft, node), good = true;
    uint32_t parts = by_action ? node->count : 1;
    bool *mine = asif_reader_alloc(draft, actions, sizeof *mine);
    const char *what = of.what;
    for (uint32_t i = 0; mine && i < parts; i++) {
        const char *key = by_action ? node->key[i]->text : "any";
        char name[160];
        double *value =
            asif_reader_alloc(draft, (uint64_t)draft->states.count * of.classes->count, sizeof *value);
        if (!value)
            return false;
        for (uint32_t u = 0; u < actions; u++) {
            bool named = by_action && strcmp(key, "any") != 0;
            uint32_t only = named ? asif_labels_find(&draft->actions, key) : ASIF_ANY;
            char buffer[ASIF_LABEL_SIZE];
            asif_format(buffer, sizeof buffer, "%u", u);
            mine[u] = named ? u == only
                            : !by_action ||
                                  !asif_yaml_get(node, draft->actions.name ? draft->actions.name[u] : buffer);
        }
        asif_format(name, sizeof name, by_action ? "%s of `%s`" : "%s", what, asif_show(key).text);
        of.what = name;
        of.action = mine;
        of.whole = !by_action;
        good = read_table(draft, by_action ? node->item[i] : node, of, value) && good;
        for (uint32_t u = 0; u < actions; u++)
            if (mine[u])
                table[(uint64_t)u * columns + of.column] = value;
    }
    for (uint32_t u = 0; good && mine && u < actions; u++) {
        if (table[(uint64_t)u * columns + of.column])
            continue;
        asif_reader_error(draft, node, "%s lacks the action `%s`", what,
                          asif_show_label(&draft->actions, u).text);
        return asif_reader_hint(draft, "name every action, or give `any` for the others");
    }
    return good && mine;
}

/* Multiply the tables of an action. */
static uint32_t multiply(asif_reader *draft, double *const *table) {
    uint32_t n = draft->observations.count;
    double *value = asif_reader_alloc(draft, (uint64_t)draft->states.count * n, sizeof *value);
    for (uint32_t s = 0; value && s < draft->states.count; s++)
        for (uint32_t x = 0; x < n; x++) {
            uint32_t rest = x;
            double p = 1;
            for (uint32_t k = draft->observation_columns; k-- > 0;) {
                uint32_t classes = draft->observation_column[k].classes;
                p *= table[k][(uint64_t)s * classes + rest % classes];
                rest /= classes;
            }
            value[(uint64_t)s * n + x] = p;
        }
    return value ? asif_reader_dense(draft, value, n) : ASIF_READER_UNSET;
}

bool asif_reader_by_column(asif_reader *draft, const asif_yaml *node, bool environment, uint32_t *out) {
    uint32_t actions = draft->actions.count, columns = draft->observation_columns;
    double **table = asif_reader_alloc(draft, (uint64_t)actions * columns, sizeof *table);
    if (!table)
        return false;
    bool good = true;
    for (uint32_t k = 0; k < columns; k++) {
        const char *name = draft->observation_column[k].name;
        const asif_yaml *value = asif_yaml_get(node, name);
        asif_labels classes = asif_reader_classes(draft, k);
        char what[128];
        if (!value) {
            asif_reader_error(draft, node, "the emissions by column lack the column `%s`",
                              asif_show(name).text);
            asif_reader_hint(draft, "give a table for every column of the observations");
            return false;
        }
        asif_format(what, sizeof what, "emissions of the column `%s`", asif_show(name).text);
        good = read_column(draft, value, (owner){k, &classes, what, false, environment, NULL}, table) && good;
    }
    for (uint32_t u = 0; good && u < actions; u++) {
        out[u] = multiply(draft, table + (uint64_t)u * columns);
        good = out[u] != ASIF_READER_UNSET;
    }
    if (good && environment)
        draft->column_table = table;
    return good;
}
