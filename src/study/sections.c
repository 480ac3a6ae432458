/* The sections `solver`, `logs` and `inverse`. */
#include "study/draft.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static bool read_whole(asif_draft *draft, const asif_yaml *node, const char *what, double most, double *out) {
    if (!asif_draft_number(draft, node, what, out))
        return false;
    if (*out >= 1 && *out <= most && *out == floor(*out))
        return true;
    asif_draft_error(draft, node, "%s must be a whole number from 1 to %s, not %s", what,
                     asif_show_number(most).text, asif_show(node->text).text);
    return false;
}

static void read_resolution(asif_draft *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`resolution`", 1e6, &x))
        draft->solver.resolution = (uint32_t)x;
}

static void read_tol(asif_draft *draft, const asif_yaml *node) {
    double x = 0;
    if (!asif_draft_number(draft, node, "`tol`", &x))
        return;
    if (!(x > 0 && x < 1)) {
        asif_draft_error(draft, node, "`tol` must be above 0 and below 1, not %s",
                         asif_show(node->text).text);
        asif_draft_hint(draft, "the default is 1e-12");
        return;
    }
    draft->solver.tol = x;
}

static void read_max_backups(asif_draft *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`max_backups`", 1e15, &x))
        draft->solver.max_backups = (uint64_t)x;
}

static void read_time_limit(asif_draft *draft, const asif_yaml *node) {
    double x = 0;
    if (!asif_draft_number(draft, node, "`time_limit`", &x)) {
        asif_draft_hint(draft, "give seconds, without a unit");
        return;
    }
    if (!(x >= 0 && isfinite(x))) {
        asif_draft_error(draft, node, "`time_limit` must be a number of seconds, not %s",
                         asif_show(node->text).text);
        asif_draft_hint(draft, "0 is no limit");
        return;
    }
    draft->solver.time_limit_sec = x;
}

static void read_memory(asif_draft *draft, const asif_yaml *node) {
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}};
    if (!asif_draft_kind(draft, node, ASIF_YAML_SCALAR, "`memory`"))
        return;
    size_t length = strlen(node->text);
    for (uint32_t i = 0; i < COUNT(units); i++) {
        size_t unit = strlen(units[i].unit), digits = length - unit;
        double x = 0;
        if (unit > length || strcmp(node->text + digits, units[i].unit) != 0)
            continue;
        while (digits > 0 && node->text[digits - 1] == ' ')
            digits--;
        if (asif_number_read(node->text, digits, &x) && x * units[i].bytes >= 1 &&
            x * units[i].bytes <= 1e18) {
            draft->solver.memory_limit = (uint64_t)(x * units[i].bytes);
            return;
        }
    }
    asif_draft_parse_error(draft, node, "`memory` cannot be `%s`", asif_show(node->text).text);
    asif_draft_hint(draft, "give bytes, or a number with MB or GB: 4 GB");
}

static const asif_study_key solver_keys[] = {
    {"resolution", read_resolution, "lattice intervals on an edge of the belief simplex"},
    {"tol", read_tol, "residual over the largest value"},
    {"max_backups", read_max_backups, "applications of the operator"},
    {"time_limit", read_time_limit, "seconds; 0: no limit"},
    {"memory", read_memory, "bytes that the successor weights may take"},
};

void asif_draft_read_solver(asif_draft *draft, const asif_yaml *node) {
    asif_draft_section(draft, node, "solver", solver_keys, COUNT(solver_keys));
}

static bool read_column_name(asif_draft *draft, const asif_yaml *node) {
    if (node->kind == ASIF_YAML_SCALAR && node->text[0])
        return true;
    asif_draft_parse_error(draft, node, "a column of the logs must be named by a single word");
    return asif_draft_hint(draft, "write its name, or {column: NAME, labels: {...}}");
}

static void read_cut(asif_draft *draft, const asif_yaml *node) {
    double before = -INFINITY, x = 0;
    if (node->kind == ASIF_YAML_SCALAR && node->text[0]) {
        asif_draft_number(draft, node, "`cut`", &x);
        return;
    }
    if (!asif_draft_kind(draft, node, ASIF_YAML_LIST, "`cut`"))
        return;
    for (uint32_t i = 0; i < node->count; i++) {
        if (!asif_draft_number(draft, node->item[i], "`cut`", &x))
            return;
        if (!(x > before)) {
            asif_draft_error(draft, node->item[i], "the numbers of `cut` must ascend, but %s follows %s",
                             asif_show_number(x).text, asif_show_number(before).text);
            return;
        }
        before = x;
    }
}

/* A column: its name, or {column:, labels:} or {column:, cut:}. `labels` NULL: not checked. */
static void read_column(asif_draft *draft, const asif_yaml *node, const asif_labels *labels) {
    static const asif_study_key keys[] = {
        {"column", NULL, "its name"},
        {"labels", NULL, "from the column's values to the study's labels"},
        {"cut", NULL, "where to cut numbers into classes"},
    };
    if (node->kind != ASIF_YAML_MAP) {
        read_column_name(draft, node);
        return;
    }
    const asif_yaml *column = asif_yaml_get(node, "column"), *map = asif_yaml_get(node, "labels"),
                    *cut = asif_yaml_get(node, "cut");
    if (!asif_draft_keys(draft, node, "logs", keys, COUNT(keys)))
        return;
    if (!column) {
        asif_draft_parse_error(draft, node, "the `column` is missing");
        asif_draft_hint(draft, "write {column: NAME, labels: {...}}");
    } else {
        read_column_name(draft, column);
    }
    if (map && cut) {
        asif_draft_error(draft, cut, "a column has either `labels` or a `cut`");
        return;
    }
    if (cut)
        read_cut(draft, cut);
    if (!map || !asif_draft_kind(draft, map, ASIF_YAML_MAP, "`labels`"))
        return;
    uint32_t i = 0;
    for (uint32_t k = 0; k < map->count; k++)
        if (labels && labels->count)
            asif_draft_label(draft, map->item[k], labels, &i);
}

static void read_plain(asif_draft *draft, const asif_yaml *node) {
    read_column_name(draft, node);
}

static void read_action(asif_draft *draft, const asif_yaml *node) {
    if (node->kind == ASIF_YAML_LIST) {
        asif_draft_parse_error(draft, node, "several columns cannot make one action");
        asif_draft_hint(draft, "make one column of them before");
        return;
    }
    read_column(draft, node, &draft->actions);
}

/* Several columns are crossed into one: then the labels are parts of labels. */
static void read_columns(asif_draft *draft, const asif_yaml *node, const asif_labels *labels) {
    if (node->kind != ASIF_YAML_LIST) {
        read_column(draft, node, labels);
        return;
    }
    if (node->count == 0)
        asif_draft_parse_error(draft, node, "the list of columns is empty");
    for (uint32_t i = 0; i < node->count; i++)
        read_column(draft, node->item[i], node->count == 1 ? labels : NULL);
}

static void read_observation(asif_draft *draft, const asif_yaml *node) {
    read_columns(draft, node, draft->sees_states ? NULL : &draft->observations);
}

static void read_state(asif_draft *draft, const asif_yaml *node) {
    read_columns(draft, node, &draft->states);
}

static void read_observes(asif_draft *draft, const asif_yaml *node) {
    static const char *const choices[] = {"after", "before"};
    uint32_t i = 0;
    asif_draft_choice(draft, node, "`observes`", choices, COUNT(choices), &i);
}

static void read_missing(asif_draft *draft, const asif_yaml *node) {
    static const char *const choices[] = {"refuse", "drop_row", "not_seen"};
    uint32_t i = 0;
    asif_draft_choice(draft, node, "`missing`", choices, COUNT(choices), &i);
}

static void read_initial(asif_draft *draft, const asif_yaml *node) {
    uint32_t i = 0;
    if (draft->actions.count)
        asif_draft_label(draft, node, &draft->actions, &i);
}

static const asif_study_key log_keys[] = {
    {"subject", read_plain, "column that tells the decision-maker"},
    {"episode", read_plain, "column that tells the episode"},
    {"time", read_plain, "column that orders the rows of an episode"},
    {"action", read_action, "column of the action"},
    {"observation", read_observation, "column of the observation that followed the action"},
    {"state", read_state, "column of the state before the action"},
    {"weight", read_plain, "column that says how often a row counts"},
    {"observes", read_observes, "does a row's observation follow its action, or come before it?"},
    {"missing", read_missing, "what to do with empty cells"},
    {"initial_observation", read_initial,
     "action whose emissions an observation before the first action follows"},
};

void asif_draft_read_logs(asif_draft *draft, const asif_yaml *node) {
    asif_draft_section(draft, node, "logs", log_keys, COUNT(log_keys));
}

void asif_draft_read_inverse(asif_draft *draft, const asif_yaml *node) {
    if (!asif_draft_kind(draft, node, ASIF_YAML_SCALAR, "`inverse`") ||
        strcmp(node->text, "soft-policy-matching") == 0)
        return;
    asif_draft_error(draft, node, "the inverse planner `%s` is not there yet", asif_show(node->text).text);
    asif_draft_hint(draft, "the one there is: soft-policy-matching, which is the default");
}
