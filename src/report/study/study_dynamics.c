#include "report/study/study.h"

#include "base/memory.h"
#include "planners/planner.h"
#include "render/table.h"
#include "setting/setting.h"

#include <inttypes.h>
#include <math.h>

#define SMALL_ROWS 12
#define SMALL_COLUMNS 10
#define COMPARED 64 /* larger matrices are not compared, only recognised as the identity */
#define LISTED_LABELS 24
#define LISTED_WORLDS 8
#define LABEL_WIDTH 16
#define HEADING 14

static const char *label_of(const asif_study_report *report, asif_label_kind kind, uint32_t i, char *buffer) {
    return asif_study_report_label(report, kind, i, buffer);
}

double asif_matrix_at(const asif_matrix *matrix, uint32_t row, uint32_t column) {
    if (matrix->same_rows)
        row = 0;
    if (!matrix->offset)
        return matrix->value[(uint64_t)row * matrix->columns + column];
    for (uint64_t k = matrix->offset[row]; k < matrix->offset[row + 1]; k++)
        if (matrix->column[k] == column)
            return matrix->value[k];
    return 0;
}

bool asif_matrix_small(const asif_matrix *matrix) {
    return matrix->rows <= SMALL_ROWS && matrix->columns <= SMALL_COLUMNS;
}

static bool is_same(const asif_matrix *a, const asif_matrix *b) {
    if (a == b)
        return true;
    if (a->rows != b->rows || a->columns != b->columns || a->rows > COMPARED || a->columns > COMPARED)
        return false;
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t j = 0; j < a->columns; j++)
            if (asif_matrix_at(a, i, j) != asif_matrix_at(b, i, j))
                return false;
    return true;
}

static bool is_identity(const asif_matrix *matrix) {
    for (uint32_t i = 0; i < matrix->rows; i++)
        if (asif_matrix_at(matrix, i, i) != 1)
            return false;
    return true;
}

static bool has_row(const asif_matrix *matrix, const double *row) {
    if (!matrix->same_rows && (matrix->rows > COMPARED || matrix->columns > COMPARED))
        return false;
    for (uint32_t i = 0; i < (matrix->same_rows ? 1 : matrix->rows); i++)
        for (uint32_t j = 0; j < matrix->columns; j++)
            if (fabs(asif_matrix_at(matrix, i, j) - row[j]) > 1e-12)
                return false;
    return true;
}

void asif_study_labels(asif_text *text, const asif_study_report *report, asif_label_kind kind,
                       const char *heading) {
    uint32_t count = asif_setting_count(report->setting, kind);
    uint32_t shown = count <= LISTED_LABELS ? count : 5;
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    asif_text words = {.context = report->context};
    for (uint32_t i = 0; i < shown; i++) {
        bool ends = kind == ASIF_LABEL_ACTION && report->spec->ends && report->spec->ends[i];
        bool stops = ends && report->spec->stops[i];
        bool terminal = kind == ASIF_LABEL_STATE && report->spec->terminal && report->spec->terminal[i];
        asif_text_addf(&words, "%s%s%s%s", i ? ", " : "", label_of(report, kind, i, buffer),
                       stops  ? " (ends an episode; nothing follows)"
                       : ends ? " (ends an episode)"
                              : "",
                       terminal ? " (terminal)" : "");
    }
    if (shown < count)
        asif_text_addf(&words, ", ... (%s in all)", asif_count_text(number, count));
    asif_add_wrapped(text, heading, HEADING + 2, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

/* Add the columns of the seen part from `first` to before `end`, with their values. */
static void add_columns(asif_text *text, const asif_study_report *report, const char *heading, uint32_t first,
                        uint32_t end, const char *what) {
    uint32_t values = 1;
    const asif_setting_spec *spec = report->spec;
    char number[ASIF_CELL_SIZE];
    asif_text words = {.context = report->context};
    for (uint32_t p = first; p < end; p++) {
        const asif_observation_column *part = &spec->seen_column[p];
        asif_text_addf(&words, "%s%s (", p > first ? ", " : "", part->name);
        values *= part->classes;
        for (uint32_t i = 0; i < part->classes; i++) {
            bool skipped = part->classes > LISTED_LABELS / 2 && i > 1 && i + 1 < part->classes;
            if (!skipped || i == 2)
                asif_text_addf(&words, "%s%s", i ? ", " : "", skipped ? "..." : part->class_names[i]);
        }
        asif_text_add(&words, ")");
    }
    asif_text_addf(&words, ": %s %s", asif_count_text(number, values), what);
    asif_add_wrapped(text, heading, HEADING + 2, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

void asif_study_parts(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    uint32_t conditions = spec->condition_columns, columns = spec->seen_columns;
    if (conditions)
        add_columns(text, report, "  conditions", 0, conditions, "conditions");
    if (columns > conditions)
        add_columns(text, report, "  seen", conditions, columns, "values");
    asif_study_labels(text, report, ASIF_LABEL_HIDDEN,
                      columns > conditions && spec->seen > 1 ? "  hidden" : "  states");
}

/* Add how many seen values are terminal. */
static void add_terminal(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    uint32_t count = 0, H = asif_hidden_values(spec);
    for (uint32_t y = 0; spec->seen > 1 && y < spec->seen; y++)
        count += spec->terminal[(uint64_t)y * H];
    if (count)
        asif_text_addf(text,
                       "  terminal    %" PRIu32 " of the seen values: nothing follows what is done there\n",
                       count);
}

/* Add with how many seen values an action is available, for those that are not always. */
static void add_available(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t u = 0; spec->available && u < spec->actions; u++) {
        uint32_t count = 0;
        for (uint32_t y = 0; y < spec->seen; y++)
            count += asif_is_available(spec, y, u);
        if (count < spec->seen)
            asif_text_addf(text, "  available   %s with %" PRIu32 " of %" PRIu32 " seen values\n",
                           asif_setting_label(report->setting, ASIF_LABEL_ACTION, u, buffer), count,
                           spec->seen);
    }
}

void asif_study_distribution(asif_text *words, const asif_study_report *report, asif_label_kind kind,
                             const double *p) {
    uint32_t count = asif_setting_count(report->setting, kind), listed = 0;
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        if (p[i] == 0)
            continue;
        if (p[i] == 1) {
            asif_text_addf(words, "certainly %s", label_of(report, kind, i, buffer));
            return;
        }
        if (listed == SMALL_ROWS) {
            asif_text_add(words, ", ...");
            return;
        }
        asif_text_addf(words, "%s%s %s", listed++ ? ", " : "", label_of(report, kind, i, buffer),
                       asif_short_number(number, p[i]));
    }
}

static void add_distribution(asif_text *text, const asif_study_report *report, const char *heading,
                             asif_label_kind kind, const double *p) {
    asif_text words = {.context = report->context};
    if (isnan(p[0]))
        asif_text_add(&words, "to be estimated");
    else
        asif_study_distribution(&words, report, kind, p);
    asif_add_wrapped(text, heading, HEADING, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_starts(asif_text *text, const asif_study_report *report, const double *starts) {
    const asif_setting_spec *spec = report->spec;
    char buffer[ASIF_LABEL_SIZE], heading[ASIF_CELL_SIZE], cut[ASIF_CELL_SIZE];
    if (spec->starts == 1) {
        add_distribution(text, report, "  start", ASIF_LABEL_STATE, starts);
        return;
    }
    if (spec->seen_columns)
        asif_text_addf(text, "  start       by %s\n",
                       spec->seen_columns == spec->condition_columns ? "condition" : "what is seen first");
    else
        asif_text_addf(text, "  start       by the column '%s' of the logs\n",
                       spec->start_column ? spec->start_column : "");
    for (uint32_t i = 0; i < spec->starts && i < LISTED_LABELS; i++) {
        asif_label_cut(cut, label_of(report, ASIF_LABEL_START, i, buffer), spec->seen > 1 ? 9 : 10,
                       report->unicode);
        asif_format(heading, sizeof heading, "    %.40s", cut);
        add_distribution(text, report, heading, ASIF_LABEL_STATE, starts + (uint64_t)i * spec->states);
    }
}

/* The column that shows what an entry leads to: of observations, without the seen part, which the state
 * has. */
static uint32_t shown_column(const asif_study_report *report, asif_label_kind columns, uint32_t column) {
    return columns == ASIF_LABEL_OBSERVATION ? column % asif_shown_values(report->spec) : column;
}

/* Whether two rows lead to the same things with the same probabilities. */
static bool rows_alike(const asif_study_report *report, const asif_matrix *m, asif_label_kind columns,
                       uint32_t a, uint32_t b) {
    uint64_t at, end, other, other_end;
    asif_matrix_row(m, a, &at, &end);
    asif_matrix_row(m, b, &other, &other_end);
    if (end - at != other_end - other)
        return false;
    for (; at < end; at++, other++)
        if (shown_column(report, columns, m->column[at]) != shown_column(report, columns, m->column[other]) ||
            m->value[at] != m->value[other])
            return false;
    return true;
}

/* Add one row: "STATE and N more: WHAT PROBABILITY, ...". */
static void add_row(asif_text *text, const asif_study_report *report, const asif_matrix *m,
                    asif_label_kind columns, uint32_t row, uint32_t more) {
    asif_label_kind kind =
        columns == ASIF_LABEL_OBSERVATION && report->spec->seen > 1 ? ASIF_LABEL_SHOWN : columns;
    char buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    uint64_t begin, end;
    asif_text words = {.context = report->context};
    asif_text_add(&words, label_of(report, ASIF_LABEL_STATE, row, buffer));
    if (more)
        asif_text_addf(&words, " and %" PRIu32 " more", more);
    asif_matrix_row(m, row, &begin, &end);
    for (uint64_t k = begin; k < end && k < begin + SMALL_ROWS; k++)
        asif_text_addf(&words, "%s %s %s", k > begin ? "," : ":",
                       label_of(report, kind, shown_column(report, columns, m->column[k]), buffer),
                       asif_short_number(cell, m->value[k]));
    asif_text_add(&words, end - begin > SMALL_ROWS ? ", ..." : "");
    asif_add_wrapped(text, "   ", 4, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

/* Add a matrix that is too large for a table: its different rows, or an example where these are many. */
static void add_large(asif_text *text, const asif_study_report *report, const asif_matrix *m,
                      asif_label_kind columns) {
    uint32_t first[SMALL_ROWS], count[SMALL_ROWS] = {0}, different = 0, example = 0;
    char cell[ASIF_CELL_SIZE];
    for (uint32_t s = 0; s < m->rows && different <= SMALL_ROWS; s++) {
        uint32_t k = 0;
        while (k < different && !rows_alike(report, m, columns, first[k], s))
            k++;
        if (k < different)
            count[k]++;
        else if (different++ < SMALL_ROWS)
            first[k] = s;
    }
    for (uint32_t k = 0; different <= SMALL_ROWS && k < different; k++)
        add_row(text, report, m, columns, first[k], count[k]);
    if (different <= SMALL_ROWS)
        return;
    while (example + 1 < m->rows && !(report->spec->environment_start[example] > 0))
        example++;
    asif_text_addf(text, "    (%s probabilities, too many to show; for example from the start)\n",
                   asif_count_text(cell, asif_matrix_entries(m)));
    add_row(text, report, m, columns, example, 0);
}

static void add_matrix(asif_text *text, const asif_study_report *report, const asif_matrix *matrix,
                       asif_label_kind columns) {
    char buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    if (!asif_matrix_small(matrix)) {
        add_large(text, report, matrix, columns);
        return;
    }
    asif_table table;
    asif_table_init(&table, report->context, matrix->columns + 1);
    table.indent = 4;
    asif_table_cell(&table, "");
    uint32_t room = report->width > 24 ? (report->width - 24) / matrix->columns : 4;
    uint32_t label_width = room < 8 ? 6 : room - 2 > LABEL_WIDTH ? LABEL_WIDTH : room - 2;
    for (uint32_t j = 0; j < matrix->columns; j++)
        asif_table_cell(
            &table, asif_label_cut(cell, label_of(report, columns, j, buffer), label_width, report->unicode));
    for (uint32_t i = 0; i < (matrix->same_rows ? 1 : matrix->rows); i++) {
        const char *row = matrix->same_rows ? "any state" : label_of(report, ASIF_LABEL_STATE, i, buffer);
        asif_table_cell(&table, asif_label_cut(cell, row, LABEL_WIDTH, report->unicode));
        for (uint32_t j = 0; j < matrix->columns; j++)
            asif_table_cell(&table, asif_short_number(cell, asif_matrix_at(matrix, i, j)));
    }
    asif_table_end(&table, text);
}

/* Add the marked actions: "a, b: WHAT"; "any action: WHAT" if all are marked. */
static void add_actions(asif_text *words, const asif_study_report *report, const bool *marked,
                        const char *what) {
    uint32_t actions = report->spec->actions, count = 0;
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t u = 0; u < actions; u++)
        count += marked[u];
    if (count == actions)
        asif_text_add(words, actions == 1 ? "the action" : "any action");
    for (uint32_t u = 0, listed = 0; u < actions && count < actions; u++) {
        if (!marked[u])
            continue;
        if (listed == SMALL_ROWS) {
            asif_text_addf(words, " and %" PRIu32 " more", count - listed);
            break;
        }
        asif_text_addf(words, "%s%s", listed++ ? ", " : "", label_of(report, ASIF_LABEL_ACTION, u, buffer));
    }
    asif_text_addf(words, ": %s", what);
}

/* Describe a matrix in words; `*shown` becomes whether its probabilities must be shown too. */
static const char *what_follows(const asif_study_report *report, const asif_matrix *matrix, bool transitions,
                                bool stops, bool *shown) {
    *shown = false;
    if (transitions && stops)
        return "nothing, it is the end";
    if (transitions && is_identity(matrix))
        return "the state stays as it is";
    if (transitions && has_row(matrix, report->spec->environment_start))
        return "a new case begins, its state drawn from the start";
    *shown = true;
    return transitions ? "the next state (row: from, column: to)" : "what is seen (row: state reached)";
}

void asif_study_dynamics(const asif_study_report *report, uint32_t world, bool transitions, bool differing,
                         asif_study_teller *tell, asif_text *text) {
    const asif_setting_spec *spec = report->spec;
    uint32_t actions = spec->actions;
    const uint32_t *index = transitions ? spec->transitions : spec->emissions;
    const uint32_t *own = index + (uint64_t)world * actions,
                   *environment = index + (uint64_t)spec->worlds * actions;
    bool *done = ASIF_ARRAY(report->context, actions, bool),
         *marked = ASIF_ARRAY(report->context, actions, bool), shown;
    if (!done || !marked)
        text->failed = true;
    for (uint32_t u = 0; u < actions && !text->failed; u++) {
        const asif_matrix *matrix = &spec->matrix[own[u]];
        if (done[u] || (differing && is_same(matrix, &spec->matrix[environment[u]])))
            continue;
        for (uint32_t v = 0; v < actions; v++) {
            marked[v] = v >= u && !done[v] && is_same(matrix, &spec->matrix[own[v]]) &&
                        (!transitions || spec->stops[u] == spec->stops[v]) &&
                        !(differing && is_same(matrix, &spec->matrix[environment[v]]));
            done[v] = done[v] || marked[v];
        }
        asif_text words = {.context = report->context};
        add_actions(&words, report, marked,
                    what_follows(report, matrix, transitions, spec->stops[u], &shown));
        tell(text, report, words.data ? words.data : "", shown ? matrix : NULL,
             transitions ? ASIF_LABEL_STATE : ASIF_LABEL_OBSERVATION);
        text->failed |= words.failed;
        asif_text_free(&words);
    }
    asif_free(report->context, done);
    asif_free(report->context, marked);
}

static void tell_dynamics(asif_text *text, const asif_study_report *report, const char *words,
                          const asif_matrix *matrix, asif_label_kind columns) {
    asif_add_wrapped(text, "  after", 8, words, report->width);
    if (matrix)
        add_matrix(text, report, matrix, columns);
}

void asif_study_environment(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    asif_text_add(text, "\nTHE ENVIRONMENT\n");
    add_starts(text, report, spec->environment_start);
    if (spec->horizon)
        asif_text_addf(text, "  horizon     an episode has at most %" PRIu32 " decision%s\n", spec->horizon,
                       spec->horizon == 1 ? "" : "s");
    add_terminal(text, report);
    add_available(text, report);
    asif_study_dynamics(report, spec->worlds, true, false, tell_dynamics, text);
    if (!report->seen)
        asif_study_dynamics(report, spec->worlds, false, false, tell_dynamics, text);
}

/* Add the means of actions, for agents that have them (decision-boundaries). */
static void add_means(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const asif_planner_ops *planner = asif_planner_find(asif_study_planner(report->study), NULL);
    char buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    asif_table table;
    if (!planner || !planner->narrow.means)
        return;
    asif_text_add(text, "  means       the belief that each action is nearest to\n");
    asif_table_init(&table, report->context, spec->states + 1);
    table.indent = 4;
    asif_table_cell(&table, "");
    for (uint32_t s = 0; s < spec->states; s++)
        asif_table_cell(&table, asif_label_cut(cell, label_of(report, ASIF_LABEL_STATE, s, buffer),
                                               LABEL_WIDTH, report->unicode));
    for (uint32_t u = 0; u < spec->actions; u++) {
        const double *mean = asif_theta_distribution(asif_study_theta(report->study), ASIF_MEANS, u);
        asif_table_cell(&table, asif_label_cut(cell, label_of(report, ASIF_LABEL_ACTION, u, buffer),
                                               LABEL_WIDTH, report->unicode));
        for (uint32_t s = 0; s < spec->states; s++)
            asif_table_cell(&table, isnan(mean[s]) ? "learn" : asif_short_number(cell, mean[s]));
    }
    asif_table_end(&table, text);
}

bool asif_study_same_start(const asif_setting_spec *spec, const double *agent) {
    for (uint64_t i = 0; i < (uint64_t)spec->starts * spec->states; i++)
        /* Also true of NaN, which stands for a probability to be estimated. */
        if (!(agent[i] == spec->environment_start[i]))
            return false;
    return true;
}

bool asif_study_is_uniform(const double *p, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(p[i] - 1.0 / count) <= 1e-12))
            return false;
    return true;
}

static bool world_is_environment(const asif_setting_spec *spec, const uint32_t *index, uint32_t world) {
    for (uint32_t u = 0; u < spec->actions; u++)
        if (!is_same(&spec->matrix[index[(uint64_t)world * spec->actions + u]],
                     &spec->matrix[index[(uint64_t)spec->worlds * spec->actions + u]]))
            return false;
    return true;
}

bool asif_study_knows(const asif_study_report *report, uint32_t world) {
    return world_is_environment(report->spec, report->spec->transitions, world) &&
           (report->seen || world_is_environment(report->spec, report->spec->emissions, world));
}

void asif_study_world_words(asif_text *words, const asif_study_report *report, uint32_t world) {
    double share = asif_world_share(report->spec, world);
    char percent[ASIF_CELL_SIZE];
    if (share > 0) {
        asif_text_addf(words, "%s the environment, ", asif_percent_text(percent, 1 - share));
        asif_text_addf(words, "%s a uniform one", asif_percent_text(percent, share));
    } else if (asif_study_knows(report, world)) {
        asif_text_add(words, "the environment as it is");
    }
}

void asif_study_worlds(asif_text *text, const asif_study_report *report) {
    const asif_setting_spec *spec = report->spec;
    const asif_theta *theta = asif_study_theta(report->study);
    const double *start = asif_theta_distribution(theta, ASIF_START, 0),
                 *prior = asif_theta_distribution(theta, ASIF_ACTION_PRIOR, 0),
                 *weight = asif_theta_distribution(theta, ASIF_WORLD_WEIGHTS, 0);
    char percent[ASIF_CELL_SIZE], heading[2 * ASIF_CELL_SIZE];
    if (!asif_study_same_start(spec, start))
        add_starts(text, report, start);
    if (!asif_study_is_uniform(prior, spec->actions))
        add_distribution(text, report, "  prior", ASIF_LABEL_ACTION, prior);
    add_means(text, report);
    if (spec->belief_prior)
        add_distribution(text, report, "  expects", ASIF_LABEL_OBSERVATION, spec->belief_prior);
    asif_study_surprise(text, report);
    asif_text_addf(text, "  considers %" PRIu32 " candidate world%s\n", spec->worlds,
                   spec->worlds == 1 ? "" : "s");
    for (uint32_t m = 0; m < spec->worlds; m++) {
        if (m == LISTED_WORLDS) {
            asif_text_addf(text, "  and %" PRIu32 " more worlds\n", spec->worlds - m);
            break;
        }
        bool same = asif_study_knows(report, m);
        asif_text words = {.context = report->context};
        asif_study_world_words(&words, report, m);
        asif_format(heading, sizeof heading, "  world %" PRIu32 ", weight %s:", m + 1,
                    isnan(weight[m]) ? "to be estimated" : asif_percent_text(percent, weight[m]));
        asif_text_add(&words, same || asif_world_share(spec, m) > 0 ? "" : "differs as follows");
        asif_add_wrapped(text, heading, asif_display_width(heading) + 1, words.data ? words.data : "",
                         report->width);
        text->failed |= words.failed;
        asif_text_free(&words);
        if (same)
            continue;
        asif_study_dynamics(report, m, true, true, tell_dynamics, text);
        if (!report->seen)
            asif_study_dynamics(report, m, false, true, tell_dynamics, text);
    }
}
