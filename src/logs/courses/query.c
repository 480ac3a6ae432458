/* The query as a chain of named steps: cells as texts, cells by the rules of columns, parts of labels,
 * decisions, their codes and places, episodes, courses. */
#include "logs/courses/query.h"
#include "asif/database.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_text *sql;
    const asif_dialect *d;
    const asif_courses *c;
    const asif_reading *r;
    const asif_log_map *map;
    const char *from, *by;
    const char *before; /* name of the step before */
} query;

typedef struct {
    char text[24];
} value;

/* The column of a step that has the cells of a column of the table. */
static value cell(uint32_t column) {
    value v;
    asif_format(v.text, sizeof v.text, "asif_c%u", column);
    return v;
}

static void begin_step(query *q, const char *name) {
    asif_text_addf(q->sql, "%s%s AS (\n  SELECT ", q->before ? ",\n" : "WITH ", name);
}

static void end_step(query *q, const char *name, const char *fence) {
    asif_text_addf(q->sql, "%s)", fence);
    q->before = name;
}

static void add(query *q, const char *text) {
    asif_text_add(q->sql, text);
}

static bool has_rules(const asif_log_map *map) {
    return map->comma || map->cell_rules > 0 || map->missing_values > 0;
}

/* The columns that tell episodes apart. */
static void add_keys(query *q, const char *after) {
    if (q->r->subject != ASIF_NO_COLUMN)
        asif_text_addf(q->sql, "asif_subject%s", q->r->episode != ASIF_NO_COLUMN ? ", " : after);
    if (q->r->episode != ASIF_NO_COLUMN)
        asif_text_addf(q->sql, "asif_episode%s", after);
}

/* ---- cells ---- */

/* Whether the time is read without a text in between, which is faster. */
static bool plain_time(const query *q) {
    return !q->c->ranked && !has_rules(q->map) && q->map->step == 0 && q->r->time_columns == 1 &&
           q->map->missing != ASIF_MISSING_DROP_ROW;
}

/* The database's own value of the time. */
static void add_raw_time(query *q) {
    bool plain = plain_time(q);
    if (!plain && !q->c->ranked)
        return;
    asif_text_addf(q->sql, ", %s", !plain ? "" : q->d->try_number ? q->d->try_number : "CAST(");
    asif_sql_name(q->sql, q->d, q->c->cell[q->r->time].text);
    if (plain)
        asif_text_addf(q->sql, " AS %s)", q->d->number);
    add(q, " AS asif_when");
}

static void add_cells(query *q) {
    const char *name = "asif_cells";
    const uint32_t keys[] = {q->r->subject, q->r->episode};
    begin_step(q, name);
    for (uint32_t i = 0; i < q->c->columns.count; i++) {
        asif_text_addf(q->sql, "%sCAST(", i ? ", " : "");
        asif_sql_name(q->sql, q->d, q->c->cell[i].text);
        asif_text_addf(q->sql, " AS %s) AS %s", q->d->text, cell(i).text);
    }
    for (int k = 0; k < 2; k++) /* without rules, the database's own values are faster */
        if (keys[k] != ASIF_NO_COLUMN && !has_rules(q->map)) {
            add(q, ", ");
            asif_sql_name(q->sql, q->d, q->c->cell[keys[k]].text);
            asif_text_addf(q->sql, " AS %s", k ? "asif_episode" : "asif_subject");
        }
    add_raw_time(q);
    asif_text_addf(q->sql, "\n  FROM %s AS asif_table", q->from);
    end_step(q, name, "");
}

/* Put a point in the place of a number's comma. */
static void add_comma(query *q, const char *x) {
    char with_point[64];
    asif_format(with_point, sizeof with_point, "replace(%s, ',', '.')", x);
    add(q, "CASE WHEN (");
    asif_sql_number(q->sql, q->d, with_point);
    asif_text_addf(q->sql, ") IS NOT NULL THEN %s ELSE %s END", with_point, x);
}

/* A number that is plausible; others are missing, where the rule says so. */
static void add_range(query *q, const char *x, const asif_cell_rule *rule) {
    add(q, "coalesce((");
    asif_sql_number(q->sql, q->d, x);
    add(q, ") BETWEEN ");
    asif_text_add_number(q->sql, rule->least);
    add(q, " AND ");
    asif_text_add_number(q->sql, rule->most);
    add(q, ", false)");
}

static void add_rule(query *q, const char *x, const asif_cell_rule *rule) {
    add(q, "CASE");
    if (rule->missing_values) {
        add(q, " WHEN ");
        asif_sql_holds(q->sql, q->d, x, rule->missing_value, rule->missing_values);
        add(q, " THEN NULL");
    }
    for (uint32_t i = 0; i < rule->recodes; i++) {
        add(q, " WHEN ");
        asif_sql_holds(q->sql, q->d, x, &rule->from[i], 1);
        add(q, " THEN ");
        asif_sql_text(q->sql, q->d, rule->to[i]);
    }
    asif_text_addf(q->sql, " ELSE %s END", x);
}

/* What is outside the range of a column and counts as missing. */
static void add_outside(query *q, const char *x, const asif_cell_rule *rule) {
    add(q, "CASE WHEN (");
    asif_sql_number(q->sql, q->d, x);
    add(q, ") IS NOT NULL AND NOT ");
    add_range(q, x, rule);
    asif_text_addf(q->sql, " THEN NULL ELSE %s END", x);
}

static const asif_cell_rule *rule_of(const query *q, uint32_t column) {
    for (uint32_t i = 0; i < q->map->cell_rules; i++)
        if (q->r->cell_column[i] == column)
            return &q->map->cell_rule[i];
    return NULL;
}

typedef enum { COMMAS, RULES, OUTSIDE, MISSING } cell_step;

static void add_cell(query *q, cell_step step, uint32_t column) {
    const value v = cell(column);
    const asif_cell_rule *rule = rule_of(q, column);
    if (step == COMMAS)
        add_comma(q, v.text);
    else if (step == RULES && rule && (rule->missing_values || rule->recodes))
        add_rule(q, v.text, rule);
    else if (step == OUTSIDE && rule && rule->outside_missing && isfinite(rule->least))
        add_outside(q, v.text, rule);
    else if (step == MISSING) {
        add(q, "CASE WHEN ");
        asif_sql_holds(q->sql, q->d, v.text, q->map->missing_value, q->map->missing_values);
        asif_text_addf(q->sql, " THEN NULL ELSE %s END", v.text);
    } else
        add(q, v.text);
    asif_text_addf(q->sql, " AS %s", v.text);
}

/* The rules of the mapping for the cells of columns, one kind a step. */
static void add_rules(query *q) {
    static const char *const names[] = {"asif_commas", "asif_recoded", "asif_plausible", "asif_known"};
    const bool has[] = {q->map->comma, q->map->cell_rules > 0, q->map->cell_rules > 0,
                        q->map->missing_values > 0};
    for (int step = 0; step < 4; step++) {
        if (!has[step])
            continue;
        begin_step(q, names[step]);
        for (uint32_t i = 0; i < q->c->columns.count; i++) {
            add(q, i ? ", " : "");
            add_cell(q, (cell_step)step, i);
        }
        if (q->c->ranked)
            add(q, ", asif_when");
        asif_text_addf(q->sql, "\n  FROM %s", q->before);
        end_step(q, names[step], "");
    }
}

/* ---- parts of labels ---- */

static void add_side(query *q, const char *as, const asif_coder *coder, const asif_course_side *side) {
    for (uint32_t i = 0; i < side->parts; i++) {
        add(q, ",\n    ");
        asif_sql_label(q->sql, q->d, cell(coder->part[i].column).text, coder, i, &side->label[i]);
        asif_text_addf(q->sql, " AS %s%u", as, i);
    }
}

/* The number of a time: of the first of its columns that has one. */
static void add_time(query *q) {
    const bool visits = q->map->step > 0;
    add(q, "\n    CASE");
    for (uint32_t i = 0; i < q->r->time_columns; i++) {
        const value v = cell(q->r->time_column[i]);
        char rest[64];
        asif_format(rest, sizeof rest, "substr(%s, 2)", v.text);
        add(q, " WHEN NOT ");
        asif_sql_missing(q->sql, q->d, v.text);
        add(q, " THEN ");
        if (visits)
            asif_text_addf(q->sql,
                           "CASE WHEN %s IN ('bl', 'BL') THEN 0 WHEN substr(%s, 1, 1) IN ('m', 'M') THEN (",
                           v.text, v.text);
        if (visits) {
            asif_sql_number(q->sql, q->d, rest);
            add(q, ") ELSE (");
        }
        asif_sql_number(q->sql, q->d, v.text);
        add(q, visits ? ") END" : "");
    }
    add(q, " END AS asif_time");
}

/* An episode whose subject or name is missing. `text`: the type that the database's own value is cast to;
 * NULL: the cells of the row are looked at. */
static void add_key_faults(query *q, const char *text) {
    const uint32_t keys[] = {q->r->subject, q->r->episode};
    for (int k = 0; k < 2; k++) {
        char own[80];
        if (keys[k] == ASIF_NO_COLUMN)
            continue;
        asif_format(own, sizeof own, "CAST(%s AS %s)", k ? "asif_episode" : "asif_subject", text ? text : "");
        add(q, " WHEN ");
        asif_sql_missing(q->sql, q->d, text ? own : cell(keys[k]).text);
        asif_text_addf(q->sql, " THEN %d", ASIF_FAULT_KEY);
    }
}

/* What is wrong with the cells of a row, other than its labels. Without rules, keys are looked at once an
 * episode, which is faster. */
static void add_faults(query *q) {
    if (!has_rules(q->map))
        return;
    add(q, ",\n    CASE");
    for (uint32_t i = 0; i < q->map->cell_rules; i++) {
        const asif_cell_rule *rule = &q->map->cell_rule[i];
        if (q->r->cell_column[i] == ASIF_NO_COLUMN || !isfinite(rule->least))
            continue;
        const value v = cell(q->r->cell_column[i]);
        add(q, " WHEN NOT ");
        asif_sql_missing(q->sql, q->d, v.text);
        add(q, " AND NOT ");
        add_range(q, v.text, rule);
        asif_text_addf(q->sql, " THEN %d", ASIF_FAULT_RANGE);
    }
    add_key_faults(q, NULL);
    add(q, " ELSE 0 END AS asif_wrong");
}

/* Rows that a rule leaves out because a cell is missing. */
static void add_needs(query *q) {
    const uint32_t cells[] = {q->r->subject, q->r->episode, q->r->weight};
    const char *before = "\n  WHERE";
    for (size_t i = 0; i < 3 && q->map->missing == ASIF_MISSING_DROP_ROW; i++)
        if (cells[i] != ASIF_NO_COLUMN) {
            asif_text_addf(q->sql, "%s NOT ", before);
            asif_sql_missing(q->sql, q->d, cell(cells[i]).text);
            before = " AND";
        }
    if (q->map->missing == ASIF_MISSING_DROP_ROW) {
        asif_text_addf(q->sql, "%s NOT (", before);
        for (uint32_t i = 0; i < q->r->time_columns; i++) {
            add(q, i ? " AND " : "");
            asif_sql_missing(q->sql, q->d, cell(q->r->time_column[i]).text);
        }
        add(q, ")");
        before = " AND";
    }
    for (uint32_t i = 0; i < q->map->requires; i++) {
        asif_text_addf(q->sql, "%s NOT ", before);
        asif_sql_missing(q->sql, q->d, cell(q->r->require[i]).text);
        before = " AND";
    }
}

static void add_parts(query *q) {
    const char *name = "asif_parts";
    const asif_log_group *group = q->by ? asif_log_map_group(q->map, q->by) : NULL;
    begin_step(q, name);
    if (has_rules(q->map)) {
        if (q->r->subject != ASIF_NO_COLUMN)
            asif_text_addf(q->sql, "%s AS asif_subject, ", cell(q->r->subject).text);
        if (q->r->episode != ASIF_NO_COLUMN)
            asif_text_addf(q->sql, "%s AS asif_episode, ", cell(q->r->episode).text);
    } else {
        add_keys(q, ", ");
    }
    if (plain_time(q)) {
        add(q, "asif_when AS asif_time");
    } else {
        add(q, q->c->ranked ? "asif_when," : "");
        add_time(q);
    }
    add_side(q, "asif_a", &q->r->action, &q->c->action);
    add_side(q, "asif_o", &q->r->seen, &q->c->seen);
    add_side(q, "asif_s", &q->r->start, &q->c->start);
    if (q->r->weight != ASIF_NO_COLUMN) {
        add(q, ",\n    ");
        asif_sql_number(q->sql, q->d, cell(q->r->weight).text);
        add(q, " AS asif_weight");
    }
    if (q->by) {
        const value v = cell(q->r->covariate[0]);
        add(q, ",\n    ");
        if (group) {
            asif_sql_member(q->sql, q->d, v.text, group);
        } else {
            add(q, "CASE WHEN ");
            asif_sql_missing(q->sql, q->d, v.text);
            asif_text_addf(q->sql, " THEN NULL ELSE %s END", v.text);
        }
        add(q, " AS asif_by");
    }
    add_faults(q);
    asif_text_addf(q->sql, "\n  FROM %s", q->before);
    add_needs(q);
    end_step(q, name, q->d->fence);
}

/* ---- decisions ---- */

/* The number of the combination of labels: 0 if one is missing, -1 if one is not known. */
static void add_combination(query *q, const char *part, const asif_course_side *side, const char *as) {
    uint64_t rest = side->values;
    add(q, ",\n    ");
    if (side->parts == 1) {
        asif_text_addf(q->sql, "%s0 AS %s", part, as);
        return;
    }
    for (int bad = 1; bad >= 0; bad--) {
        add(q, bad ? "CASE WHEN " : " WHEN ");
        for (uint32_t i = 0; i < side->parts; i++)
            asif_text_addf(q->sql, "%s%s%u %s", i ? " OR " : "", part, i, bad ? "< 0" : "= 0");
        add(q, bad ? " THEN -1" : " THEN 0");
    }
    add(q, " ELSE 1");
    for (uint32_t i = 0; i < side->parts; i++) {
        rest /= side->label[i].count;
        asif_text_addf(q->sql, " + (%s%u - 1) * %llu", part, i, (unsigned long long)rest);
    }
    asif_text_addf(q->sql, " END AS %s", as);
}

/* A time in steps from the beginning, which is that of the study or 0. */
static void add_steps(query *q) {
    if (q->map->step > 0) {
        add(q, "(asif_time / ");
        asif_text_add_number(q->sql, q->map->step);
        add(q, ")");
    } else {
        add(q, "asif_time");
    }
}

static double first_place(const query *q) {
    double step = q->map->step > 0 ? q->map->step : 1;
    return isnan(q->map->begin) ? 0 : q->map->begin / step;
}

static void add_on_grid(query *q) {
    add(q, "abs(");
    add_steps(q);
    add(q, " - round(");
    add_steps(q);
    add(q, ")) <= 1e-9 * greatest(1, abs(");
    add_steps(q);
    add(q, "))");
}

/* The place of a decision in its course, from 0; null: it has none. */
static void add_place(query *q) {
    add(q, ",\n    ");
    if (q->c->ranked) {
        add(q, "row_number() OVER (PARTITION BY ");
        add_keys(q, " ");
        add(q, "ORDER BY asif_when) - 1 AS asif_at, CASE WHEN lag(asif_when) OVER (PARTITION BY ");
        add_keys(q, " ");
        asif_text_addf(q->sql,
                       "ORDER BY asif_when) = asif_when OR asif_when IS NULL THEN %d ELSE 0 END AS asif_tied",
                       ASIF_FAULT_TIME);
        return;
    }
    const double first = first_place(q);
    /* Places that surely have 32 bits are faster, and less to write where the database has to spill. */
    const bool narrow = (q->map->step == 0 || q->map->step >= 1) && fabs(first) < 1e9;
    add(q, "CASE WHEN (");
    add_steps(q);
    add(q, " = round(");
    add_steps(q);
    add(q, ") OR "); /* most times are whole numbers, for which one comparison is enough */
    add_on_grid(q);
    add(q, ") AND abs(asif_time) < 1e9 THEN CAST(round(");
    add_steps(q);
    asif_text_addf(q->sql, ") AS %s)", narrow ? "INTEGER" : q->d->integer);
    if (first != 0)
        asif_text_addf(q->sql, " - %.0f", first);
    add(q, " END AS asif_at");
}

static void add_decisions(query *q) {
    const char *name = "asif_decisions", *before = " WHERE ";
    begin_step(q, name);
    add_keys(q, "");
    add(q, has_rules(q->map) ? ", asif_wrong" : "");
    add_place(q);
    add_combination(q, "asif_a", &q->c->action, "asif_action");
    add_combination(q, "asif_o", &q->c->seen, "asif_seen");
    if (q->c->start.parts)
        add_combination(q, "asif_s", &q->c->start, "asif_start");
    add(q, q->r->weight != ASIF_NO_COLUMN ? ", asif_weight" : "");
    add(q, q->by ? ", asif_by" : "");
    asif_text_addf(q->sql, "\n  FROM %s", q->before);
    if (q->map->off_grid_out && !q->c->ranked) {
        add(q, before);
        add_on_grid(q);
        before = " AND ";
    }
    if (!isnan(q->map->begin)) { /* rows before the beginning are left out */
        asif_text_addf(q->sql, "%s(asif_time IS NULL OR asif_time >= ", before);
        asif_text_add_number(q->sql, q->map->begin);
        add(q, ")");
    }
    end_step(q, name, "");
}

/* The code of a decision, at its place in the word that it is in: each is shifted once, since words are
 * aggregates that every row goes through. */
static void add_shifted(query *q) {
    char code[256], by[80], shifted[400];
    asif_format(code, sizeof code,
                "CAST(CASE WHEN asif_action <= 0 THEN 1 WHEN asif_seen < 0 THEN 1 ELSE 2 + "
                "(asif_action - 1) * %llu + asif_seen END AS %s)",
                (unsigned long long)(q->c->seen.values + 1), q->d->integer);
    asif_format(by, sizeof by, "CAST((asif_at %% %u) * %u AS INTEGER)", q->c->each, q->c->bits);
    asif_format(shifted, sizeof shifted, q->d->shift, code, by);
    asif_text_addf(q->sql, "CASE WHEN asif_at >= 0 THEN %s END AS asif_code", shifted);
}

static void add_codes(query *q) {
    const char *name = "asif_codes";
    begin_step(q, name);
    add_keys(q, ", ");
    add(q, "asif_at, ");
    add_shifted(q);
    add(q, q->c->start.parts ? ", asif_start" : "");
    add(q, q->r->weight != ASIF_NO_COLUMN ? ", asif_weight" : "");
    add(q, q->by ? ", asif_by" : "");
    add(q, ",\n    CASE ");
    add(q, has_rules(q->map) ? "WHEN asif_wrong > 0 THEN asif_wrong " : "");
    add(q, q->c->ranked ? "WHEN asif_tied > 0 THEN asif_tied " : "");
    asif_text_addf(q->sql,
                   "WHEN asif_at BETWEEN 0 AND %u THEN CASE WHEN asif_action < 0 THEN %d WHEN asif_seen < 0 "
                   "THEN %d",
                   q->c->longest - 1, ASIF_FAULT_ACTION, ASIF_FAULT_SEEN);
    if (q->c->start.parts)
        asif_text_addf(q->sql, " WHEN asif_start <= 0 THEN %d", ASIF_FAULT_START);
    if (q->r->weight != ASIF_NO_COLUMN)
        asif_text_addf(q->sql, " WHEN asif_weight IS NULL OR NOT asif_weight >= 0 THEN %d",
                       ASIF_FAULT_WEIGHT);
    if (q->by && asif_log_map_group(q->map, q->by))
        asif_text_addf(q->sql, " WHEN asif_by IS NULL THEN %d", ASIF_FAULT_BY);
    asif_text_addf(q->sql, " ELSE 0 END ELSE %d END AS asif_fault\n  FROM %s", ASIF_FAULT_TIME, q->before);
    end_step(q, name, q->d->fence);
}

/* ---- episodes and courses ---- */

/* Negative places have no code, and those past the longest episode are faults. CASE, since not every
 * warehouse knows FILTER. */
static void add_word(query *q, uint32_t word) {
    const uint32_t first = word * q->c->each, next = first + q->c->each;
    add(q, ",\n    coalesce(bit_or(CASE WHEN ");
    if (word == 0)
        asif_text_addf(q->sql, "asif_at < %u", next);
    else if (word + 1 < q->c->words)
        asif_text_addf(q->sql, "asif_at BETWEEN %u AND %u", first, next - 1);
    else
        asif_text_addf(q->sql, "asif_at >= %u", first);
    asif_text_addf(q->sql, " THEN asif_code END), 0) AS asif_w%u", word);
}

static void add_episodes(query *q) {
    const char *name = "asif_episodes";
    begin_step(q, name);
    add_keys(q, ", ");
    add(q, "CASE");
    if (!has_rules(q->map))
        add_key_faults(q, q->d->text);
    add(q, " WHEN max(asif_fault) > 0 THEN max(asif_fault)");
    if (q->c->start.parts)
        asif_text_addf(q->sql, " WHEN min(asif_start) <> max(asif_start) THEN %d", ASIF_FAULT_START);
    if (q->r->weight != ASIF_NO_COLUMN)
        asif_text_addf(q->sql, " WHEN min(asif_weight) <> max(asif_weight) THEN %d", ASIF_FAULT_WEIGHT);
    if (q->by)
        asif_text_addf(q->sql, " WHEN min(asif_by) <> max(asif_by) THEN %d", ASIF_FAULT_BY);
    add(q, " ELSE 0 END AS asif_fault, count(*) AS asif_rows");
    add(q, q->c->start.parts ? ", min(asif_start) AS asif_start" : "");
    add(q, q->r->weight != ASIF_NO_COLUMN ? ", min(asif_weight) AS asif_weight" : "");
    add(q, q->by ? ", min(asif_by) AS asif_by" : "");
    for (uint32_t w = 0; w < q->c->words; w++)
        add_word(q, w);
    asif_text_addf(q->sql, "\n  FROM %s GROUP BY ", q->before);
    add_keys(q, "");
    end_step(q, name, "");
}

/* The columns by which episodes are the same course. */
static void add_same(query *q, const char *before) {
    asif_text_addf(q->sql, "%sasif_fault, asif_rows", before);
    add(q, q->c->start.parts ? ", asif_start" : "");
    add(q, q->r->weight != ASIF_NO_COLUMN ? ", asif_weight" : "");
    for (uint32_t w = 0; w < q->c->words; w++)
        asif_text_addf(q->sql, ", asif_w%u", w);
}

static void add_courses(query *q, const char *count) {
    bool both = q->r->subject != ASIF_NO_COLUMN && q->r->episode != ASIF_NO_COLUMN;
    asif_text_addf(q->sql, "\nSELECT %s AS %s", q->by ? "1" : "count(*)", count);
    add_same(q, ", ");
    if (q->by) {
        add(q, ", ");
        add_keys(q, ", asif_by AS ");
        asif_sql_name(q->sql, q->d, q->by);
    } else if (both) { /* a subject that has several courses counts once */
        asif_text_addf(q->sql,
                       ",\n  (SELECT count(DISTINCT asif_subject) FROM asif_episodes) AS asif_subjects");
    }
    asif_text_addf(q->sql, "\nFROM %s", q->before);
    if (!q->by)
        add_same(q, "\nGROUP BY ");
}

void asif_courses_write(asif_text *sql, const asif_dialect *dialect, const asif_courses *courses,
                        const char *from, const char *by, const char *count) {
    query q = {.sql = sql, .d = dialect, .c = courses, .r = &courses->reading, .from = from, .by = by};
    q.map = q.r->map;
    add_cells(&q);
    add_rules(&q);
    add_parts(&q);
    add_decisions(&q);
    add_codes(&q);
    add_episodes(&q);
    add_courses(&q, count);
}

void asif_courses_name(asif_text *out, const asif_courses *c) {
    const asif_coder *const coders[] = {&c->reading.action, &c->reading.seen, &c->reading.start};
    asif_text all = {.context = c->columns.context};
    asif_courses_write(&all, asif_dialect_find("duckdb"), c, "logs", NULL, "asif_courses");
    for (size_t i = 0; i < sizeof coders / sizeof *coders; i++)
        for (uint32_t k = 0; k < coders[i]->names.count; k++)
            asif_text_addf(&all, "\n%s", asif_names_get(&coders[i]->names, k));
    if (all.failed)
        out->failed = true;
    else
        asif_text_addf(out, ASIF_COURSE_COUNT "%u_%c_%016llx", c->longest, c->ranked ? 'r' : 't',
                       (unsigned long long)asif_hash_bytes(all.data, all.length));
    asif_text_free(&all);
}

/* ---- the query of a caller ---- */

static asif_status write_for(asif_text *sql, const asif_context *context, const asif_courses_request *request,
                             const asif_log_map *map, const asif_dialect *dialect, asif_error *error) {
    asif_course_form form = {
        .map = map, .setting = request->setting, .longest = request->longest, .ranked = request->ranked};
    asif_courses plain = {0}, named = {0};
    asif_text count = {.context = context};
    asif_status status = asif_courses_make(&plain, context, &form, error);
    form.by = request->by;
    if (status == ASIF_OK)
        status = asif_courses_make(&named, context, &form, error);
    if (status == ASIF_OK) {
        asif_courses_name(&count, &plain);
        sql->failed = sql->failed || count.failed;
        if (!sql->failed)
            asif_courses_write(sql, dialect, &named, request->from ? request->from : "logs", request->by,
                               count.data);
        asif_text_add(sql, "\n");
    }
    asif_text_free(&count);
    asif_courses_free(&named);
    asif_courses_free(&plain);
    return status;
}

asif_status asif_courses_query(char **out, const asif_context *context, const asif_courses_request *request,
                               asif_error *error) {
    asif_courses_request given = ASIF_COURSES_REQUEST_INIT;
    asif_log_map *defaults = NULL;
    asif_text sql = {.context = context};
    *out = NULL;
    if (!request || !request->setting)
        return asif_fail_null(error, "setting");
    memcpy(&given, request, request->struct_size < sizeof given ? request->struct_size : sizeof given);
    const asif_dialect *dialect = asif_dialect_find(given.dialect);
    if (!dialect) {
        asif_fail(error, ASIF_EUNKNOWN, "there is no query for `%s`",
                  asif_show(given.dialect ? given.dialect : "").text);
        asif_error_hint(error, "duckdb, postgresql or spark; from other databases read the rows: --engine");
        return ASIF_EUNKNOWN;
    }
    if (!given.map)
        ASIF_TRY(asif_log_map_create(&defaults, context, error));
    asif_status status = write_for(&sql, context, &given, given.map ? given.map : defaults, dialect, error);
    asif_log_map_free(defaults);
    if (status == ASIF_OK)
        return asif_text_finish(out, &sql, error);
    asif_text_free(&sql);
    return status;
}
