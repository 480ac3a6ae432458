/* Rules on rows: which of them are left out, and to which groups they belong. */
#include "logs/reading.h"

#include <math.h>
#include <string.h>

#define GRID_TOLERANCE 1e-9 /* of a multiple of the step */

static void drop_row(asif_reading *r) {
    asif_reading_leave_out(r, &r->out[ASIF_RULE_DROP_ROW], r->table->row);
}

/* Refuse or leave out a row that lacks a cell that every row needs. */
static bool lacks_cell(asif_reading *r, uint32_t column, const char *what) {
    if (r->map->missing == ASIF_MISSING_DROP_ROW)
        drop_row(r);
    else
        asif_reading_problem(r, asif_reading_here(r, column),
                             "fill it in, or leave such rows out with `missing: drop_row`",
                             "the %s is missing", what);
    return false;
}

static inline bool need_cell(asif_reading *r, uint32_t column, const char *what) {
    return column == ASIF_NO_COLUMN || !asif_csv_missing(&r->table->cell[column]) ||
           lacks_cell(r, column, what);
}

const asif_csv_cell *asif_rules_time(const asif_reading *r) {
    for (uint32_t i = 0; i < r->time_columns; i++)
        if (!asif_csv_missing(&r->table->cell[r->time_column[i]]))
            return &r->table->cell[r->time_column[i]];
    return NULL;
}

int asif_rules_member(asif_reading *r, uint32_t group) {
    const asif_log_group *g = &r->map->group[group];
    const asif_csv_cell *cell = &r->table->cell[r->group[group]];
    double x = 0;
    if (asif_csv_missing(cell))
        return -1;
    bool number = asif_number_read(cell->text, cell->length, &x);
    if (g->test >= ASIF_TEST_ABOVE && !number) {
        asif_reading_problem(r, asif_reading_here(r, r->group[group]), "",
                             "the group `%s` needs a number, not `%s`", asif_show(g->name).text,
                             asif_show(cell->text).text);
        return -1;
    }
    bool same = number && !isnan(g->number) ? x == g->number : strcmp(cell->text, g->value) == 0;
    switch (g->test) {
    case ASIF_TEST_EQUAL:
        return same;
    case ASIF_TEST_UNEQUAL:
        return !same;
    case ASIF_TEST_ABOVE:
        return x > g->number;
    case ASIF_TEST_AT_LEAST:
        return x >= g->number;
    case ASIF_TEST_BELOW:
        return x < g->number;
    case ASIF_TEST_AT_MOST:
        return x <= g->number;
    }
    return -1;
}

/* The months of a code of a visit: `bl` is 0, `m06` is 6. NaN if it is none. */
static double visit_month(const char *code) {
    double month = NAN;
    if (strcmp(code, "bl") == 0 || strcmp(code, "BL") == 0)
        return 0;
    if ((code[0] == 'm' || code[0] == 'M') && code[1] && strspn(code + 1, "0123456789") == strlen(code + 1) &&
        asif_number_read(code + 1, strlen(code + 1), &month))
        return month;
    return NAN;
}

/* Whether the time is a multiple of the step; else the row was left out or refused. */
static bool on_grid(asif_reading *r, const asif_csv_cell *cell, double *time) {
    double step = r->map->step;
    if (isnan(*time))
        *time = visit_month(cell->text);
    double steps = *time / step;
    if (isfinite(steps) && fabs(steps - rint(steps)) <= GRID_TOLERANCE * fmax(1, fabs(steps)))
        return true;
    if (r->map->off_grid_out)
        asif_reading_leave_out(r, &r->out[ASIF_RULE_OFF_GRID], r->table->row);
    else
        asif_reading_problem(
            r, asif_reading_here(r, r->time), "`off_grid: leave_out` under `time` leaves such rows out",
            "the time `%s` is not a multiple of the step %.15g", asif_show(cell->text).text, step);
    return false;
}

static bool has_required(asif_reading *r) {
    for (uint32_t i = 0; i < r->map->requires; i++)
        if (asif_csv_missing(&r->table->cell[r->require[i]])) {
            asif_reading_leave_out(r, &r->required[i], r->table->row);
            return false;
        }
    return true;
}

static bool read_time(asif_reading *r, double *time) {
    const asif_csv_cell *cell = &r->table->cell[r->time_column[0]];
    *time = r->number ? r->number[r->time_column[0]] : NAN;
    if (isnan(*time)) {
        cell = asif_rules_time(r);
        if (!cell)
            return lacks_cell(r, r->time, "time");
        if (!asif_number_read(cell->text, cell->length, time))
            *time = NAN;
    }
    return !(r->map->step > 0) || on_grid(r, cell, time);
}

bool asif_rules_keep(asif_reading *r, double *time) {
    *time = 0;
    if (!asif_reading_repeats(r) &&
        (!need_cell(r, r->subject, "subject") || !need_cell(r, r->episode, "episode")))
        return false;
    if (r->time_columns && !read_time(r, time))
        return false;
    return has_required(r) && need_cell(r, r->weight, "weight");
}

void asif_rules_measure(asif_reading *r) {
    asif_coder *const coders[] = {&r->action, &r->seen, &r->start, &r->label};
    for (size_t c = 0; c < sizeof coders / sizeof *coders; c++)
        for (uint32_t i = 0; i < coders[c]->parts; i++) {
            asif_measure *m = coders[c]->part[i].measure;
            const asif_csv_cell *cell = &r->table->cell[coders[c]->part[i].column];
            double x = 0;
            if (!m || asif_csv_missing(cell) || !asif_number_read(cell->text, cell->length, &x) ||
                !isfinite(x))
                continue;
            double off = x - m->mean;
            m->mean += off / (double)++m->count;
            m->squares += off * (x - m->mean);
        }
}

/* ---- what is said at the end ---- */

static const char *const rule_texts[] = {
    [ASIF_RULE_WHERE] = "where",
    [ASIF_RULE_OFF_GRID] = "off_grid: leave_out",
    [ASIF_RULE_REQUIRE] = "require",
    [ASIF_RULE_BEGIN] = "begin",
    [ASIF_RULE_GAPS] = "gaps: cut",
    [ASIF_RULE_DROP_EPISODE] = "missing: drop_episode",
    [ASIF_RULE_DROP_ROW] = "missing: drop_row",
};

const char *asif_rule_text(asif_rule rule) {
    return (uint32_t)rule < sizeof rule_texts / sizeof *rule_texts ? rule_texts[rule] : NULL;
}

static void list_rows(const asif_out *out, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < out->listed; i++)
        used += (size_t)asif_format(text + used, size - used, "%s%llu", i ? ", " : "",
                                    (unsigned long long)out->row[i]);
    if (out->count > out->listed)
        asif_format(text + used, size - used, ", ...");
}

/* Why the rows were left out, for a note. */
static void give_reason(const asif_reading *r, asif_rule rule, const char *column, char *text, size_t size) {
    switch (rule) {
    case ASIF_RULE_WHERE:
        break;
    case ASIF_RULE_OFF_GRID:
        asif_format(text, size, "because their time is not a multiple of %.15g", r->map->step);
        break;
    case ASIF_RULE_REQUIRE:
        asif_format(text, size, "because `%s` is missing", asif_show(column).text);
        break;
    case ASIF_RULE_BEGIN:
        asif_format(text, size, "because they are before the time %.15g, or their episode lacks it",
                    r->map->begin);
        break;
    case ASIF_RULE_GAPS:
        asif_format(text, size, "because they come after a gap in time");
        break;
    case ASIF_RULE_DROP_EPISODE:
        asif_format(text, size, "because their episode lacks a result or an action");
        break;
    case ASIF_RULE_DROP_ROW:
        asif_format(text, size, "because a cell is missing");
        break;
    }
}

static void say_rule(asif_reading *r, asif_rule rule, const asif_out *out, const char *column) {
    char reason[160] = "", rows[320];
    if (out->count == 0)
        return;
    asif_left_out *to = &r->info.left_out[r->info.rules++];
    *to = (asif_left_out){.rule = rule, .rows = out->count, .episodes = out->episodes};
    asif_format(to->column, sizeof to->column, "%s", column);
    if (rule == ASIF_RULE_WHERE || !asif_reading_wants(r, ASIF_PROBLEM_NOTE))
        return;
    give_reason(r, rule, column, reason, sizeof reason);
    list_rows(out, rows, sizeof rows);
    asif_reading_list(r, ASIF_PROBLEM_NOTE, ASIF_OK, (asif_place){0, 0, 0},
                      rule == ASIF_RULE_DROP_EPISODE
                          ? "what is left is a fair sample only if results are lost whatever they "
                            "were. Long episodes are more likely to be left out"
                          : "",
                      "%llu row%s left out %s (%s): row%s %s", (unsigned long long)out->count,
                      out->count == 1 ? " was" : "s were", reason, rule_texts[rule],
                      out->count == 1 ? "" : "s", rows);
}

static void say_cuts(asif_reading *r, const asif_coder *coder) {
    for (uint32_t i = 0; i < coder->parts; i++) {
        const struct asif_coder_part *part = &coder->part[i];
        const asif_measure *m = part->measure;
        if (!m || !part->cut || !asif_reading_wants(r, ASIF_PROBLEM_NOTE))
            continue;
        asif_reading_list(r, ASIF_PROBLEM_NOTE, ASIF_OK, (asif_place){0, 0, 0},
                          "these depend on the logs: write the numbers to use them for other logs",
                          "`%s` is cut at %.10g and %.10g: its mean in %llu rows is %.7g, its standard "
                          "deviation %.7g",
                          asif_show(part->map->name).text, part->cut[0], part->cut[1],
                          (unsigned long long)m->count, m->mean, sqrt(m->squares / (double)(m->count - 1)));
    }
}

void asif_rules_say(asif_reading *r) {
    r->info.rules = 0;
    for (uint32_t rule = 0; rule < ASIF_OUT_COUNT; rule++)
        if (rule == ASIF_RULE_REQUIRE)
            for (uint32_t i = 0; i < r->map->requires; i++)
                say_rule(r, ASIF_RULE_REQUIRE, &r->required[i], r->map->require[i]);
        else
            say_rule(r, (asif_rule)rule, &r->out[rule], "");
    const asif_coder *const coders[] = {&r->action, &r->seen, &r->start, &r->label};
    for (size_t c = 0; c < sizeof coders / sizeof *coders; c++)
        say_cuts(r, coders[c]);
}
