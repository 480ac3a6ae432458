#include "report/plan/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/table.h"
#include "render/words/shown_names.h"
#include "setting/setting.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define STATE_COLUMNS 4 /* beliefs over more states are written in words */
#define LISTED_STATES 12
#define LISTED_ACTIONS 5
#define WORLD_COLUMNS 8
#define WORLD_ROWS 60

static const char *label_of(const asif_plan_report *report, asif_label_kind kind, uint32_t i, char *buffer) {
    return asif_study_shown(report->study, kind, i, buffer);
}

static void add_heading(asif_text *text, const asif_plan_report *report) {
    const char *title = asif_study_title(report->study);
    asif_text words = {.context = report->context};
    char number[ASIF_CELL_SIZE];
    double alpha = NAN;
    asif_theta_get(report->theta, "alpha", &alpha, NULL);
    asif_add_wrapped(text, "", 0, asif_shown_title(title), report->width);
    for (uint32_t i = 0; i < asif_theta_count(report->theta); i++) {
        const char *name = asif_theta_name(report->theta, i);
        double value;
        if (asif_theta_get(report->theta, name, &value, NULL) != ASIF_OK || isnan(value) ||
            (strcmp(name, "act_alpha") == 0 && value == alpha))
            continue;
        asif_text_addf(&words, "%s%s=%s", words.length ? ", " : "", name, asif_short_number(number, value));
    }
    asif_text_addf(text, "planner     %s\n", asif_study_planner(report->study));
    asif_add_wrapped(text, "parameters", 12, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static bool is_taken(const uint32_t *taken, uint32_t count, uint32_t u) {
    for (uint32_t i = 0; i < count; i++)
        if (taken[i] == u)
            return true;
    return false;
}

/* Add a belief in words: the state it is certain of, or its likeliest states. */
static void belief_words(asif_text *out, const asif_plan_report *report, const double *belief) {
    uint32_t states = report->hidden_values, taken[3], count = 0;
    char label[ASIF_LABEL_SIZE], cut[ASIF_CELL_SIZE], number[ASIF_CELL_SIZE];
    double rest = 1;
    bool even = true;
    for (uint32_t s = 0; s < states; s++)
        even = even && fabs(belief[s] - 1.0 / states) < 1e-12;
    if (even) {
        asif_text_add(out, "all equally likely");
        return;
    }
    while (count < 3) {
        uint32_t best = ASIF_ANY;
        for (uint32_t s = 0; s < states; s++)
            if (!is_taken(taken, count, s) && belief[s] > 0 && (best == ASIF_ANY || belief[s] > belief[best]))
                best = s;
        if (best == ASIF_ANY)
            break;
        const char *name = label_of(report, ASIF_LABEL_HIDDEN, best, label);
        asif_label_cut(cut, name, 14, report->unicode);
        if (belief[best] == 1) {
            asif_text_addf(out, "certainly %s", cut);
            return;
        }
        asif_format(number, sizeof number, "%.2f", belief[best]);
        asif_text_addf(out, "%s%s %s", count ? ", " : "", cut, number);
        rest -= belief[best];
        taken[count++] = best;
    }
    if (rest > 0.005) {
        asif_format(number, sizeof number, "%.2f", rest);
        asif_text_addf(out, ", others %s", number);
    }
}

static bool has_state_columns(const asif_plan_report *report) {
    return !report->seen && !report->hidden && report->hidden_values <= STATE_COLUMNS;
}

static uint32_t state_columns(const asif_plan_report *report) {
    if (report->hidden)
        return 0;
    return has_state_columns(report) ? report->hidden_values : 1;
}

static void add_state_cells(asif_table *table, const asif_plan_report *report, const double *state,
                            uint32_t first) {
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    if (report->hidden)
        return;
    if (has_state_columns(report)) {
        for (uint32_t s = first; s < report->hidden_values; s++) {
            asif_format(cell, sizeof cell, "%.3f", state[report->lead + s]);
            asif_table_cell(table, cell);
        }
        return;
    }
    if (report->seen) {
        asif_table_cell(table,
                        asif_label_cut(cell, label_of(report, ASIF_LABEL_STATE, (uint32_t)state[0], label),
                                       24, report->unicode));
        return;
    }
    asif_text words = {.context = report->context};
    belief_words(&words, report, state + report->lead);
    asif_table_cell(table, words.data ? words.data : "");
    table->cells.failed |= words.failed;
    asif_text_free(&words);
}

static char *value_text(char *buffer, double value) {
    if (isfinite(value) && fabs(value) < 1e5 && (value == 0 || fabs(value) >= 0.01))
        asif_format(buffer, ASIF_CELL_SIZE, "%.3f", value);
    else
        asif_short_number(buffer, value);
    return buffer;
}

/* The columns of a table: the event before a point (in a history), the point, its value, the actions. */
typedef struct {
    uint32_t lead, first_state, states, values, actions;
} plan_columns;

static plan_columns columns_of(const asif_plan_report *report, const asif_points *points, bool history) {
    /* The probability of the second of two states is enough; a history has no room for both. */
    uint32_t first = history && has_state_columns(report) && report->hidden_values == 2 ? 1 : 0;
    return (plan_columns){history ? 3 : 0, first, state_columns(report) - first, points->value ? 1 : 0,
                          report->spec->actions};
}

/* The heading of a column and its largest width; the text may be in `buffer`, of ASIF_CELL_SIZE. */
static const char *heading_of(const asif_plan_report *report, const plan_columns *columns, uint32_t column,
                              uint32_t *width, char *buffer) {
    static const char *const lead[] = {"step", "did", "saw"};
    char label[ASIF_LABEL_SIZE], cut[ASIF_CELL_SIZE];
    if (column < columns->lead)
        return lead[column];
    column -= columns->lead;
    if (column < columns->states) {
        if (!has_state_columns(report))
            return report->seen ? "state" : "belief";
        const char *name = label_of(report, ASIF_LABEL_HIDDEN, columns->first_state + column, label);
        asif_format(buffer, ASIF_CELL_SIZE, "P(%.50s)", asif_label_cut(cut, name, *width, report->unicode));
        *width += 3;
        return buffer;
    }
    column -= columns->states;
    if (column < columns->values)
        return "value";
    return label_of(report, ASIF_LABEL_ACTION, column - columns->values, buffer);
}

static void add_headings(asif_table *table, const asif_plan_report *report, const plan_columns *columns,
                         uint32_t label_width) {
    char lines[ASIF_LABEL_LINES][ASIF_CELL_SIZE], buffer[ASIF_CELL_SIZE];
    uint32_t rows = 1;
    for (uint32_t i = 0; i < table->columns; i++) {
        uint32_t width = label_width;
        const char *heading = heading_of(report, columns, i, &width, buffer);
        uint32_t count = asif_label_wrap(lines, heading, width, report->unicode);
        rows = count > rows ? count : rows;
    }
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < table->columns; i++) {
            uint32_t width = label_width;
            const char *heading = heading_of(report, columns, i, &width, buffer);
            uint32_t first = rows - asif_label_wrap(lines, heading, width, report->unicode);
            asif_table_cell(table, row < first ? "" : lines[row - first]);
        }
}

static void add_event_cells(asif_table *table, const asif_plan_report *report, uint64_t i,
                            uint32_t label_width) {
    const asif_plan_request *request = report->request;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    asif_format(cell, sizeof cell, "%llu", (unsigned long long)i);
    asif_table_cell(table, cell);
    const char *did = i ? label_of(report, ASIF_LABEL_ACTION, request->action[i - 1], label) : "";
    asif_table_cell(table, asif_label_cut(cell, did, label_width + 4, report->unicode));
    const char *saw = i ? label_of(report, ASIF_LABEL_OBSERVATION, request->observation[i - 1], label) : "";
    asif_table_cell(table, asif_label_cut(cell, saw, label_width + 4, report->unicode));
}

/* Add a table with a row for each point and a column for each action. False, and nothing added, if it is too
 * wide. */
static bool add_wide_table(asif_text *text, const asif_plan_report *report, const asif_points *points,
                           bool history, uint32_t label_width) {
    uint32_t width = asif_behavior_width(report->behavior), actions = report->spec->actions;
    plan_columns columns = columns_of(report, points, history);
    if (actions > report->width)
        return false;
    char cell[ASIF_CELL_SIZE];
    asif_table table;
    asif_table_init(&table, report->context, columns.lead + columns.states + columns.values + actions);
    table.left =
        (history ? 6u : 0u) | (has_state_columns(report) || report->hidden ? 0u : 1u << columns.lead);

    add_headings(&table, report, &columns, label_width);
    for (uint64_t i = 0; i < points->count; i++) {
        if (history)
            add_event_cells(&table, report, i, label_width);
        add_state_cells(&table, report, points->state + i * width, columns.first_state);
        if (points->value)
            asif_table_cell(&table, value_text(cell, points->value[i]));
        for (uint32_t u = 0; u < actions; u++)
            asif_table_cell(&table, asif_percent_text(cell, points->policy[i * actions + u]));
    }
    if (!table.cells.failed && asif_table_width(&table) > report->width) {
        asif_table_free(&table);
        return false;
    }
    asif_table_end(&table, text);
    return true;
}

static void add_likeliest(asif_text *words, const asif_plan_report *report, const double *policy) {
    uint32_t actions = report->spec->actions, taken[LISTED_ACTIONS], count = 0;
    char label[ASIF_LABEL_SIZE], cut[ASIF_CELL_SIZE], cell[ASIF_CELL_SIZE];
    while (count < LISTED_ACTIONS && count < actions) {
        uint32_t best = ASIF_ANY;
        for (uint32_t u = 0; u < actions; u++)
            if (!is_taken(taken, count, u) && (best == ASIF_ANY || policy[u] > policy[best]))
                best = u;
        if (count && policy[best] < 0.0005)
            break;
        asif_label_cut(cut, label_of(report, ASIF_LABEL_ACTION, best, label), 40, report->unicode);
        asif_text_addf(words, "%s%s %s", count ? ", " : "", cut, asif_percent_text(cell, policy[best]));
        taken[count++] = best;
    }
    if (count == actions)
        return;
    double rest = 0;
    for (uint32_t u = 0; u < actions; u++)
        rest += is_taken(taken, count, u) ? 0 : policy[u];
    asif_text_addf(words, ", %u other%s %s", (unsigned)(actions - count), actions - count > 1 ? "s" : "",
                   asif_percent_text(cell, rest));
}

/* Add a list for many actions, which do not fit into columns: the likeliest few at each point. */
static void add_long_list(asif_text *text, const asif_plan_report *report, const asif_points *points,
                          bool history) {
    const asif_plan_request *request = report->request;
    uint32_t width = asif_behavior_width(report->behavior), actions = report->spec->actions;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    for (uint64_t i = 0; i < points->count; i++) {
        const double *state = points->state + i * width;
        asif_text words = {.context = report->context}, likeliest = {.context = report->context};
        if (history && i == 0)
            asif_text_add(&words, "start: ");
        if (history && i > 0) {
            asif_text_addf(&words, "%llu. %s, ", (unsigned long long)i,
                           label_of(report, ASIF_LABEL_ACTION, request->action[i - 1], label));
            asif_text_addf(&words, "then %s: ",
                           label_of(report, ASIF_LABEL_OBSERVATION, request->observation[i - 1], label));
        }
        if (report->seen)
            asif_text_add(&words, label_of(report, ASIF_LABEL_STATE, (uint32_t)state[0], label));
        else if (!report->hidden)
            belief_words(&words, report, state + report->lead);
        if (points->value)
            asif_text_addf(&words, "; value %s", value_text(cell, points->value[i]));
        add_likeliest(&likeliest, report, points->policy + i * actions);
        asif_add_wrapped(text, "", 2, words.data ? words.data : "", report->width);
        asif_add_wrapped(text, "", 6, likeliest.data ? likeliest.data : "", report->width);
        text->failed |= words.failed || likeliest.failed;
        asif_text_free(&words);
        asif_text_free(&likeliest);
    }
}

static void add_points(asif_text *text, const asif_plan_report *report, const asif_points *points,
                       bool history) {
    static const uint32_t label_widths[] = {40, 20, 14, 10, 8};
    for (size_t i = 0; i < sizeof label_widths / sizeof *label_widths; i++)
        if (add_wide_table(text, report, points, history, label_widths[i]))
            return;
    add_long_list(text, report, points, history);
}

/* Add the name of a row of the table of worlds: a step of the history, a state, or a belief. */
static void point_words(asif_text *words, const asif_plan_report *report, const asif_points *points,
                        uint64_t i, bool history) {
    uint32_t width = asif_behavior_width(report->behavior);
    const double *state = points->state + i * width;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    if (history) {
        asif_text_addf(words, "%llu", (unsigned long long)i);
    } else if (report->seen) {
        asif_text_add(words, label_of(report, ASIF_LABEL_STATE, (uint32_t)state[0], label));
    } else if (report->hidden_values > STATE_COLUMNS) {
        belief_words(words, report, state + report->lead);
    } else {
        for (uint32_t s = report->lead; s < width; s++) {
            asif_format(cell, sizeof cell, "%s%.3f", s > report->lead ? " " : "", state[s]);
            asif_text_add(words, cell);
        }
    }
}

/* Add the table of worlds. False, and nothing added, if it is too wide. */
static bool add_world_table(asif_text *text, const asif_plan_report *report, const asif_points *points,
                            bool history, uint32_t label_width, bool narrow) {
    uint32_t worlds = report->spec->worlds, actions = report->spec->actions;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    asif_table table;
    asif_table_init(&table, report->context, 2 + worlds);
    table.left = 3;
    asif_table_cell(&table, history ? "step" : report->seen ? "state" : "belief");
    asif_table_cell(&table, "action");
    for (uint32_t m = 0; m < worlds; m++) {
        asif_format(cell, sizeof cell, narrow ? "%u" : "world %u", (unsigned)m + 1);
        asif_table_cell(&table, cell);
    }
    for (uint64_t i = 0; i < points->count; i++)
        for (uint32_t u = 0; u < actions; u++) {
            asif_text words = {.context = report->context};
            if (u == 0)
                point_words(&words, report, points, i, history);
            asif_table_cell(&table, asif_label_cut(cell, words.data ? words.data : "", 30, report->unicode));
            table.cells.failed |= words.failed;
            asif_text_free(&words);
            asif_table_cell(&table, asif_label_cut(cell, label_of(report, ASIF_LABEL_ACTION, u, label),
                                                   label_width, report->unicode));
            for (uint32_t m = 0; m < worlds; m++)
                asif_table_cell(&table,
                                asif_percent_text(cell, points->worlds[(i * actions + u) * worlds + m]));
        }
    if (!table.cells.failed && asif_table_width(&table) > report->width) {
        asif_table_free(&table);
        return false;
    }
    asif_add_title(text, "How the agent weighs its worlds while it considers an action", report->width);
    asif_table_end(&table, text);
    return true;
}

static void add_worlds(asif_text *text, const asif_plan_report *report, const asif_points *points,
                       bool history) {
    static const uint32_t label_widths[] = {16, 10, 7};
    uint32_t worlds = report->spec->worlds;
    if (worlds < 2 || !points->worlds || points->count == 0)
        return;
    bool small = worlds <= WORLD_COLUMNS && points->count * report->spec->actions <= WORLD_ROWS;
    for (uint32_t i = 0; small && i < 3; i++)
        if (add_world_table(text, report, points, history, label_widths[i], i > 0))
            return;
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0, "The weights of the worlds make too large a table; --json gives them.",
                     report->width);
}

/* Select points: eleven beliefs over two states; for more states, certainty of each and the uniform belief;
 * where states are seen, the first states. `left_out` states are not shown. */
static asif_status select_points(asif_points *points, const asif_plan_report *report, uint32_t place,
                                 uint32_t *left_out, asif_error *error) {
    uint32_t states = report->hidden_values, width = asif_behavior_width(report->behavior);
    uint32_t shown = states <= LISTED_STATES ? states : LISTED_STATES;
    uint64_t count = report->seen ? shown : states == 2 ? 11 : (uint64_t)shown + 1;
    *left_out = states - shown;
    double *state = ASIF_ARRAY(report->context, count * width, double);
    if (!state)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        double *belief = state + (uint64_t)i * width + report->lead;
        if (report->lead)
            belief[-1] = place;
        if (report->seen) {
            belief[0] = i;
        } else if (states == 2) {
            belief[0] = (10 - i) / 10.0;
            belief[1] = i / 10.0;
        } else {
            for (uint32_t s = 0; s < states; s++)
                belief[s] = i == count - 1 ? 1.0 / states : s == i;
        }
    }
    asif_status status = asif_points_look(points, report, count, state, error);
    asif_free(report->context, state);
    return status;
}

/* Whether all that is seen is the condition. */
static bool in_condition(const asif_plan_report *report) {
    return report->spec->seen_columns == report->spec->condition_columns;
}

/* Add where an agent is that begins with a place: ", decision 2 of 5". */
static void add_place(asif_text *words, const asif_plan_report *report, uint32_t place) {
    double state = place;
    char label[ASIF_LABEL_SIZE];
    if (report->spec->seen > 1)
        asif_text_addf(words, " %s %s", in_condition(report) ? "in the condition" : "where it sees",
                       label_of(report, ASIF_LABEL_SEEN, place % report->spec->seen, label));
    if (report->spec->horizon)
        asif_text_addf(words, ", decision %u of %u", (unsigned)asif_plan_decision(report, &state),
                       (unsigned)report->spec->horizon);
}

static asif_status add_selection(asif_text *text, const asif_plan_report *report, uint32_t place,
                                 asif_error *error) {
    asif_points points = {0};
    uint32_t left_out;
    char number[ASIF_CELL_SIZE];
    asif_status status = select_points(&points, report, place, &left_out, error);
    if (status == ASIF_OK) {
        asif_text title = {.context = report->context};
        asif_text_add(&title,
                      report->seen ? "What the agent does in a state" : "What the agent does at a belief");
        add_place(&title, report, place);
        asif_add_title(text, title.data ? title.data : "", report->width);
        text->failed |= title.failed;
        asif_text_free(&title);
        add_points(text, report, &points, false);
        if (left_out) {
            asif_text_addf(text, "  and %s more states:\n", asif_count_text(number, left_out));
            asif_add_wrapped(text, "", 2, "--belief shows the one you name", report->width);
        }
    }
    asif_points_free(&points, report->context);
    if (status == ASIF_OK && !report->seen && report->hidden_values == 2)
        status = asif_plan_sketch(text, report, place, error);
    return status;
}

/* Add a selection of beliefs at the place of the request, or at the first and the last decision. */
static asif_status add_selections(asif_text *text, const asif_plan_report *report, const double *first,
                                  asif_error *error) {
    uint32_t place = report->request->place, start = report->lead ? (uint32_t)first[0] : 0;
    ASIF_TRY(add_selection(text, report, place == ASIF_ANY ? start : place, error));
    if (report->lead && place == ASIF_ANY && report->spec->seen > 1) {
        asif_text_add(text, "\n");
        asif_add_wrapped(text, "", 0,
                         in_condition(report) ? "--condition shows what it does in another one."
                                              : "--seen shows what it does where it sees something else.",
                         report->width);
    }
    if (!report->lead || place != ASIF_ANY || report->spec->horizon < 2)
        return ASIF_OK;
    uint32_t last = (report->spec->horizon - 1) * (asif_places(report->spec) / report->spec->horizon);
    ASIF_TRY(add_selection(text, report, last + start, error));
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0, "--decision shows what it does at a decision between them.", report->width);
    return ASIF_OK;
}

/* Add what the agent does at the start. Where agent states are hidden, only the history before tells them
 * apart. */
static void add_beginning(asif_text *text, const asif_plan_report *report, const asif_points *history) {
    asif_add_title(text, "What the agent does at the start", report->width);
    add_points(text, report, history, false);
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0,
                     "What it remembers is hidden in it: --history shows what it does after actions and "
                     "observations.",
                     report->width);
}

static void add_costs(asif_text *text, const asif_plan_report *report) {
    static const char *const rows[][2] = {
        {"utility", "per step"},
        {"decision", "nats per step: choices compared with the action prior"},
        {"specification", "nats per step: world weights compared with the prior"},
        {"recognition", "nats per step: what is seen compared with the belief prior"},
        {"value", "at the start"},
    };
    const asif_costs *costs = report->costs;
    const double values[] = {costs->utility, costs->decision, costs->specification, costs->recognition,
                             costs->value};
    char cells[5][ASIF_CELL_SIZE], heading[2 * ASIF_CELL_SIZE];
    uint32_t widest = 0;
    asif_add_title(text, "In the long run from the start, as the agent expects it (discounted)",
                   report->width);
    for (size_t i = 0; i < 5; i++) {
        uint32_t wide = asif_display_width(asif_short_number(cells[i], values[i]));
        widest = wide > widest ? wide : widest;
    }
    for (size_t i = 0; i < 5; i++) {
        asif_format(heading, sizeof heading, "  %-13s  %*s", rows[i][0], (int)widest, cells[i]);
        asif_add_wrapped(text, heading, 19 + widest, rows[i][1], report->width);
    }
}

static void add_solver(asif_text *text, const asif_plan_report *report) {
    const asif_plan_info *info = report->info;
    char nodes[ASIF_CELL_SIZE], backups[ASIF_CELL_SIZE], residual[ASIF_CELL_SIZE], bound[ASIF_CELL_SIZE];
    asif_format(residual, sizeof residual, "%.1e", info->residual);
    asif_format(bound, sizeof bound, "%.1e", info->bound);
    asif_text words = {.context = report->context};
    if (info->samples) {
        asif_text_addf(&words, "learnt from %s samples of the environment",
                       asif_count_text(backups, info->samples));
        if (report->valued)
            asif_text_addf(&words, ": values within %s of the best", bound);
    } else {
        asif_text_addf(&words, "%s on %s %s in %s backups: residual %s, values within %s",
                       info->stop == ASIF_STOP_CONVERGED ? "solved" : "NOT solved to the tolerance",
                       asif_count_text(nodes, info->nodes), report->seen ? "states" : "beliefs",
                       asif_count_text(backups, info->backups), residual, bound);
    }
    if (info->stop != ASIF_STOP_CONVERGED)
        asif_text_addf(&words, "; the solver stopped early (%s): these numbers are not final",
                       asif_stop_text(info->stop));
    if (report->reached)
        asif_text_add(&words,
                      ". These are all that can be reached from the start. The agent at another belief "
                      "is shown on a lattice");
    if (!report->valued)
        asif_text_add(&words, "; the planner has a policy, but no values");
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

asif_status asif_plan_tables(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                             const asif_points *history, asif_error *error) {
    asif_status status = ASIF_OK;
    add_heading(text, report);
    if (beliefs->count == 0 && report->request->events == 0 && report->hidden)
        add_beginning(text, report, history);
    else if (beliefs->count == 0 && report->request->events == 0)
        status = add_selections(text, report, history->state, error);
    if (beliefs->count > 0) {
        asif_text title = {.context = report->context};
        asif_text_add(&title, report->seen ? "What the agent does in these states"
                                           : "What the agent does at these beliefs");
        if (report->lead)
            add_place(&title, report, (uint32_t)beliefs->state[0]);
        asif_add_title(text, title.data ? title.data : "", report->width);
        text->failed |= title.failed;
        asif_text_free(&title);
        add_points(text, report, beliefs, false);
        add_worlds(text, report, beliefs, false);
    }
    if (report->request->events > 0) {
        asif_add_title(text, "What the agent does along the history", report->width);
        add_points(text, report, history, true);
        add_worlds(text, report, history, true);
    }
    if (report->costs)
        add_costs(text, report);
    add_solver(text, report);
    return status;
}
