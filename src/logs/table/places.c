/* Conditions, and the part of the state that is seen: their columns hold the value before the action of their
 * row. What the table does not tell can follow from the row before. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <string.h>

static const asif_setting_spec *spec_of(const asif_reading *r) {
    return asif_setting_get(r->setting);
}

/* States with the same value of the columns. */
static uint32_t rest_of(const asif_setting_spec *spec) {
    return spec->states / asif_column_values(spec);
}

/* ---- columns ---- */

/* The start class of each seen value; ASIF_ANY: no episode begins with it. */
static void find_starts(const asif_reading *r) {
    const asif_setting_spec *spec = spec_of(r);
    uint32_t H = rest_of(spec);
    for (uint32_t y = 0; y < asif_column_values(spec); y++) {
        r->start_of[y] = ASIF_ANY;
        for (uint32_t c = spec->starts; c-- > 0;)
            for (uint32_t h = 0; h < H; h++)
                if (spec->environment_start[(uint64_t)c * spec->states + (uint64_t)y * H + h] > 0)
                    r->start_of[y] = c;
    }
}

asif_status asif_places_bind(asif_reading *r, asif_error *error) {
    const asif_setting_spec *spec = r->setting ? spec_of(r) : NULL;
    if (!spec || !spec->seen_columns)
        return ASIF_OK;
    r->place_column = ASIF_ARRAY(r->context, spec->seen_columns, uint32_t);
    r->start_of = ASIF_ARRAY(r->context, asif_column_values(spec), uint32_t);
    if (!r->place_column || !r->start_of)
        return asif_fail_memory(error);
    for (uint32_t p = 0; p < spec->seen_columns; p++)
        ASIF_TRY(asif_reading_column(r, spec->seen_column[p].name, &r->place_column[p], error));
    find_starts(r);
    return ASIF_OK;
}

/* ---- cells ---- */

/* The value of a cell; `classes` of the part: it is missing; ASIF_CODE_BAD: a problem was listed. */
static uint32_t read_cell(asif_reading *r, const asif_observation_column *part, uint32_t column) {
    const asif_csv_cell *cell = column == ASIF_NO_COLUMN ? NULL : &r->table->cell[column];
    if (!cell || asif_csv_missing(cell))
        return part->classes;
    for (uint32_t i = 0; i < part->classes; i++)
        if (strcmp(part->class_names[i], cell->text) == 0)
            return i;
    bool condition = part < spec_of(r)->seen_column + spec_of(r)->condition_columns;
    char hint[240];
    size_t used = (size_t)asif_format(hint, sizeof hint, "values are compared as texts; the study has");
    for (uint32_t i = 0; condition && i < part->classes && used + 60 < sizeof hint; i++)
        used += (size_t)asif_format(hint + used, sizeof hint - used, "%s `%.40s`", i ? "," : "",
                                    part->class_names[i]);
    asif_reading_problem(r, asif_reading_here(r, column), condition ? hint : "values are compared as texts",
                         condition ? "`%s` is no value of `%s` that the study knows (`by: %s`)"
                                   : "`%s` is no value of `%s`, a seen part of the state",
                         asif_show(cell->text).text, asif_show(part->name).text, asif_show(part->name).text);
    return ASIF_CODE_BAD;
}

uint32_t asif_places_read(asif_reading *r) {
    const asif_setting_spec *spec = r->start_of ? spec_of(r) : NULL;
    uint32_t code = 0;
    for (uint32_t p = 0; spec && p < spec->seen_columns; p++) {
        uint32_t value = read_cell(r, &spec->seen_column[p], r->place_column[p]);
        if (value == ASIF_CODE_BAD || code == ASIF_CODE_BAD)
            code = ASIF_CODE_BAD;
        else
            code = code * (spec->seen_column[p].classes + 1) + value;
    }
    return code;
}

/* ---- episodes ---- */

/* Whether a seen value agrees with the cells of a row; the first part whose cell is empty is noted. */
static bool agrees(const asif_setting_spec *spec, uint32_t code, uint32_t y, uint32_t *untold) {
    bool good = true;
    for (uint32_t p = spec->seen_columns; p-- > 0;) {
        uint32_t n = spec->seen_column[p].classes, told = code % (n + 1);
        code /= n + 1;
        if (told == n)
            *untold = p;
        else
            good = good && told == y % n;
        y /= n;
    }
    return good;
}

typedef struct {
    uint32_t found, value, untold, any; /* any: a value that can follow, whatever the cells are */
} candidates;

static void consider(const asif_setting_spec *spec, candidates *c, uint32_t code, bool told, uint32_t y) {
    c->any = y;
    if ((told && !agrees(spec, code, y, &c->untold)) || (c->found && c->value == y))
        return;
    c->found++;
    c->value = y;
}

/* The seen values that can follow an action in some world of the agent, and agree with a row. */
static candidates follow(const asif_reading *r, uint32_t y, uint32_t action, uint32_t code, bool told) {
    const asif_setting_spec *spec = spec_of(r);
    candidates c = {.untold = ASIF_ANY, .any = ASIF_ANY};
    uint32_t H = rest_of(spec);
    for (uint32_t m = 0; m < spec->worlds; m++)
        for (uint32_t h = 0; spec->world_weights[m] > 0 && h < H; h++) {
            const asif_matrix *t = asif_transitions(r->setting, m, action);
            uint64_t e, end;
            for (asif_matrix_row(t, y * H + h, &e, &end); e < end && c.found < 2; e++)
                consider(spec, &c, code, told, t->column[e] / H);
        }
    return c;
}

static candidates begin(const asif_reading *r, uint32_t code) {
    const asif_setting_spec *spec = spec_of(r);
    candidates c = {.untold = ASIF_ANY, .any = ASIF_ANY};
    for (uint32_t y = 0; y < asif_column_values(spec); y++)
        if (r->start_of[y] != ASIF_ANY)
            consider(spec, &c, code, true, y);
    return c;
}

static void say_unknown(asif_reading *r, uint64_t step, const candidates *c) {
    const asif_observation_column *part = &spec_of(r)->seen_column[c->untold];
    char hint[200];
    if (c->untold < spec_of(r)->condition_columns) {
        asif_format(hint, sizeof hint, "give every episode a value in the column `%s`",
                    asif_show(part->name).text);
        asif_reading_problem(r, asif_reading_at(r, step, r->place_column[c->untold]), hint,
                             "the condition of this episode is not known: it has no value of `%s`",
                             asif_show(part->name).text);
        return;
    }
    asif_format(hint, sizeof hint, "give the column `%s`, the value before the action",
                asif_show(part->name).text);
    asif_reading_problem(
        r, asif_reading_at(r, step, r->place_column[c->untold]), hint,
        "the seen part `%s` of the state is not known here, and does not follow from the row "
        "before",
        asif_show(part->name).text);
}

/* The condition that a value of the columns belongs to, or that the cells of a row name, in one column. */
static uint32_t class_of(const asif_setting_spec *spec, uint32_t code, uint32_t column, bool cells) {
    for (uint32_t p = spec->seen_columns; p-- > column + 1;)
        code /= spec->seen_column[p].classes + cells;
    return code % (spec->seen_column[column].classes + cells);
}

/* Report a condition that changes within an episode; false: none does. */
static bool say_changed(asif_reading *r, uint64_t step, const asif_step *before) {
    const asif_setting_spec *spec = spec_of(r);
    for (uint32_t p = 0; before && p < spec->condition_columns; p++) {
        const asif_observation_column *column = &spec->seen_column[p];
        uint32_t was = class_of(spec, before->place, p, false),
                 is = class_of(spec, r->step[step].place, p, true);
        if (is == was || is == column->classes)
            continue;
        asif_reading_problem(
            r, asif_reading_at(r, step, r->place_column[p]),
            "a condition is the same in all rows of an episode; what changes within one is a "
            "seen part of the state: `states: {seen: ...}`",
            "`%s` changes within the episode, from `%s` in row %llu to `%s`", asif_show(column->name).text,
            asif_show(column->class_names[was]).text, (unsigned long long)before->row,
            asif_show(column->class_names[is]).text);
        return true;
    }
    return false;
}

static void say_impossible(asif_reading *r, uint64_t step, const asif_step *before, const candidates *c) {
    if (say_changed(r, step, before))
        return;
    char label[ASIF_LABEL_SIZE], could[ASIF_LABEL_SIZE], hint[240];
    uint32_t column = r->place_column[0];
    for (uint32_t p = 0; column == ASIF_NO_COLUMN && p < spec_of(r)->seen_columns; p++)
        column = r->place_column[p];
    asif_format(hint, sizeof hint, "a row holds what is seen before its action; %s could be `%s`",
                before ? "here it" : "at the start it",
                c->any == ASIF_ANY
                    ? ""
                    : asif_show(asif_setting_label(r->setting, ASIF_LABEL_SEEN, c->any, could)).text);
    if (before)
        asif_reading_problem(
            r, asif_reading_at(r, step, column), hint,
            "the seen part of the state in this row cannot follow `%s` in row %llu",
            asif_show(asif_setting_label(r->setting, ASIF_LABEL_ACTION, before->action, label)).text,
            (unsigned long long)before->row);
    else
        asif_reading_problem(r, asif_reading_at(r, step, column), hint,
                             "no episode begins with the seen part of the state in this row");
}

/* Report an action that cannot be taken with the seen value of its row. */
static bool check_available(asif_reading *r, uint64_t step) {
    char action[ASIF_LABEL_SIZE], seen[ASIF_LABEL_SIZE];
    const asif_step *s = &r->step[step];
    if (asif_is_available(spec_of(r), s->place, s->action))
        return true;
    asif_reading_problem(r, asif_reading_at(r, step, r->action.part[0].column),
                         "is the seen part that of the row *before* the action? else see `available` of the "
                         "study",
                         "`%s` is not available where `%s` is seen",
                         asif_show(asif_setting_label(r->setting, ASIF_LABEL_ACTION, s->action, action)).text,
                         asif_show(asif_setting_label(r->setting, ASIF_LABEL_SEEN, s->place, seen)).text);
    return false;
}

bool asif_places_resolve(asif_reading *r, const uint64_t *order, uint64_t count) {
    const asif_setting_spec *spec = r->start_of ? spec_of(r) : NULL;
    uint32_t H = spec ? rest_of(spec) : 1;
    for (uint64_t i = 0; spec && i < count; i++) {
        asif_step *step = &r->step[order[i]];
        const asif_step *before = i ? &r->step[order[i - 1]] : NULL;
        if (step->place == ASIF_CODE_BAD || step->action >= spec->actions)
            return false;
        if (before && spec->seen > 1 && spec->terminal[before->place * H]) {
            asif_reading_problem(r, asif_reading_at(r, order[i], r->episode),
                                 "does a new episode begin here? then its `episode` must be another",
                                 "a row follows a terminal state (row %llu)",
                                 (unsigned long long)before->row);
            return false;
        }
        candidates c =
            before ? follow(r, before->place, before->action, step->place, true) : begin(r, step->place);
        if (c.found == 1) {
            step->place = c.value;
            if (!check_available(r, order[i]))
                return false;
            continue;
        }
        if (c.found > 1)
            say_unknown(r, order[i], &c);
        else
            say_impossible(r, order[i], before, &c);
        return false;
    }
    return true;
}

uint32_t asif_places_after(const asif_reading *r, const asif_step *step) {
    candidates c = follow(r, step->place, step->action, 0, false);
    return c.found == 1 ? c.value : ASIF_ANY;
}
