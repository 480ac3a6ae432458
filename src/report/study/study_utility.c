#include "report/study/study.h"

#include "render/table.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define SMALL_ROWS 24
#define SMALL_COLUMNS 8
#define MOST_EXAMPLES 3 /* of each end of a long list */

static const char *label_of(const asif_study_report *report, asif_label_kind kind, uint32_t i, char *buffer) {
    return asif_study_report_label(report, kind, i, buffer);
}

static bool concerns(const asif_utility_term *term, bool by_observation, uint32_t action, uint32_t index) {
    return term->by == (by_observation ? ASIF_BY_OBSERVATION : ASIF_BY_STATE) &&
           (term->action == ASIF_ANY || term->action == action) &&
           (term->index == ASIF_ANY || term->index == index);
}

static void add_parameter(asif_text *words, const asif_study_report *report, const asif_utility_term *term) {
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    const char *name = label_of(report, ASIF_LABEL_PARAMETER, term->parameter, buffer);
    bool first = words->length == 0;
    double size = fabs(term->coefficient);
    asif_text_add(words, term->coefficient < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
    if (size == 1)
        asif_text_add(words, name);
    else
        asif_text_addf(words, "%s %s", asif_short_number(number, size), name);
}

void asif_utility_words(asif_text *words, const asif_study_report *report, bool by_observation,
                        uint32_t action, uint32_t index) {
    const asif_setting_spec *spec = report->spec;
    char number[ASIF_CELL_SIZE];
    double constant = 0;
    if (spec->utility && !by_observation)
        constant = spec->utility[(uint64_t)action * spec->states + index];
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *term = &spec->term[i];
        if (!concerns(term, by_observation, action, index))
            continue;
        if (term->parameter == ASIF_ANY)
            constant += term->coefficient;
        else
            add_parameter(words, report, term);
    }
    if (words->length == 0)
        asif_text_add(words, asif_short_number(number, constant == 0 ? 0 : constant));
    else if (constant != 0)
        asif_text_addf(words, " %s %s", constant < 0 ? "-" : "+", asif_short_number(number, fabs(constant)));
}

bool asif_utility_has(const asif_study_report *report, bool by_observation) {
    const asif_setting_spec *spec = report->spec;
    if (!by_observation && spec->utility)
        return true;
    for (uint64_t i = 0; i < spec->terms; i++)
        if (spec->term[i].by == (by_observation ? ASIF_BY_OBSERVATION : ASIF_BY_STATE))
            return true;
    return false;
}

bool asif_utility_depends(const asif_study_report *report, bool by_observation) {
    const asif_setting_spec *spec = report->spec;
    if (spec->utility && !by_observation)
        return true;
    for (uint64_t i = 0; i < spec->terms; i++)
        if (spec->term[i].by == (by_observation ? ASIF_BY_OBSERVATION : ASIF_BY_STATE) &&
            spec->term[i].index != ASIF_ANY)
            return true;
    return false;
}

/* Add the utilities of all actions in one state: "in STATE: ACTION UTILITY, ...". */
static void add_example(asif_text *text, const asif_study_report *report, bool by_observation, uint32_t i) {
    char buffer[ASIF_LABEL_SIZE];
    asif_text words = {.context = report->context};
    asif_text_add(&words,
                  label_of(report, by_observation ? ASIF_LABEL_OBSERVATION : ASIF_LABEL_STATE, i, buffer));
    for (uint32_t u = 0; u < report->spec->actions; u++) {
        asif_text one = {.context = report->context};
        asif_utility_words(&one, report, by_observation, u, i);
        asif_text_addf(&words, "%s %s %s", u ? "," : ":", label_of(report, ASIF_LABEL_ACTION, u, buffer),
                       one.data ? one.data : "");
        words.failed |= one.failed;
        asif_text_free(&one);
    }
    asif_add_wrapped(text, by_observation ? "    after" : "    in", by_observation ? 10 : 7,
                     words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_utility_table(asif_text *text, const asif_study_report *report, bool by_observation) {
    const asif_setting_spec *spec = report->spec;
    asif_label_kind kind = by_observation ? ASIF_LABEL_OBSERVATION : ASIF_LABEL_STATE;
    uint32_t columns =
        asif_utility_depends(report, by_observation) ? asif_setting_count(report->setting, kind) : 1;
    char buffer[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    if (spec->actions > SMALL_ROWS || columns > SMALL_COLUMNS) {
        char rows[ASIF_CELL_SIZE], wide[ASIF_CELL_SIZE];
        bool few = spec->actions <= SMALL_ROWS;
        /* With a seen part, the first and the last seen value, with all hidden ones. */
        uint32_t ends = by_observation ? asif_shown_values(spec) : asif_hidden_values(spec);
        asif_text_addf(text, "    a utility for each of %s actions and %s %s%s\n",
                       asif_count_text(rows, spec->actions), asif_count_text(wide, columns),
                       by_observation ? "observations" : "states", few ? ", for example" : "");
        ends = ends < MOST_EXAMPLES ? ends : MOST_EXAMPLES;
        for (uint32_t i = 0; few && i < 2 * ends; i++)
            add_example(text, report, by_observation, i < ends ? i : columns - 2 * ends + i);
        return;
    }
    asif_table table;
    asif_table_init(&table, report->context, columns + 1);
    table.indent = 4;
    uint32_t room = (report->width > 28 ? report->width - 28 : 10) / columns;
    uint32_t cell_width = room < 8 ? 6 : room - 2;
    asif_table_cell(&table, "");
    for (uint32_t j = 0; j < columns; j++) {
        const char *heading = columns > 1 || asif_utility_depends(report, by_observation)
                                  ? label_of(report, kind, j, buffer)
                              : by_observation ? "whatever is seen"
                                               : "in every state";
        asif_table_cell(&table, asif_label_cut(cell, heading, cell_width, report->unicode));
    }
    for (uint32_t u = 0; u < spec->actions; u++) {
        asif_table_cell(&table, asif_label_cut(cell, label_of(report, ASIF_LABEL_ACTION, u, buffer), 22,
                                               report->unicode));
        for (uint32_t j = 0; j < columns; j++) {
            asif_text words = {.context = report->context};
            asif_utility_words(&words, report, by_observation, u, j);
            asif_table_cell(&table,
                            asif_label_cut(cell, words.data ? words.data : "", cell_width, report->unicode));
            table.cells.failed |= words.failed;
            asif_text_free(&words);
        }
    }
    asif_table_end(&table, text);
}

void asif_utility_condition(asif_text *words, const asif_study_report *report,
                            const asif_utility_term *term) {
    static const char *const tests[] = {
        [ASIF_ABOVE] = ">", [ASIF_AT_LEAST] = ">=", [ASIF_BELOW] = "<", [ASIF_AT_MOST] = "<="};
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    if (term->index == ASIF_ANY)
        asif_text_add(words, "certainty");
    else
        asif_text_addf(words, "P(%s)", label_of(report, ASIF_LABEL_STATE, term->index, buffer));
    if (term->test == ASIF_RAMP) {
        asif_text_addf(words, " goes from %s", asif_short_number(number, term->threshold));
        asif_text_addf(words, " to %s", asif_short_number(number, term->full));
    } else {
        asif_text_addf(words, " %s %s", tests[term->test], asif_short_number(number, term->threshold));
    }
}

void asif_utility_belief(asif_text *words, const asif_study_report *report, const asif_utility_term *term) {
    char buffer[ASIF_LABEL_SIZE], number[ASIF_CELL_SIZE];
    bool ramp = term->test == ASIF_RAMP;
    asif_text_add(words, ramp ? "from 0 to " : "");
    if (term->parameter == ASIF_ANY)
        asif_text_add(words, asif_short_number(number, term->coefficient));
    else
        add_parameter(words, report, term);
    asif_text_add(words, ramp ? " more as " : " more when ");
    asif_utility_condition(words, report, term);
    if (term->action != ASIF_ANY)
        asif_text_addf(words, ", for %s", label_of(report, ASIF_LABEL_ACTION, term->action, buffer));
}

static void add_belief_terms(asif_text *text, const asif_study_report *report) {
    for (uint64_t i = 0; i < report->spec->terms; i++) {
        asif_text words = {.context = report->context};
        if (report->spec->term[i].by != ASIF_BY_BELIEF)
            continue;
        asif_utility_belief(&words, report, &report->spec->term[i]);
        asif_add_wrapped(text, "  belief", 14, words.data ? words.data : "", report->width);
        text->failed |= words.failed;
        asif_text_free(&words);
    }
}

void asif_study_utility(asif_text *text, const asif_study_report *report) {
    bool by_state = asif_utility_has(report, false), by_observation = asif_utility_has(report, true);
    if (by_state) {
        asif_text_add(text, "  utility of an action in a state\n");
        add_utility_table(text, report, false);
    }
    if (by_observation) {
        asif_text_add(text, "  utility of what is seen after an action\n");
        add_utility_table(text, report, true);
    }
    add_belief_terms(text, report);
    if (!by_state && report->spec->terms == 0)
        asif_text_add(text, "  nothing: every utility is 0\n");
}
