#include "logs/courses/layout.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define MOST_WORDS 64       /* of a course */
#define WORD_BITS 62        /* that a signed integer of 64 bits has in every database */
#define MOST_VALUES 1000000 /* combinations of labels */

/* ---- a header that has the columns of the mapping ---- */

static bool add_column(asif_courses *c, const char *name) {
    return asif_names_add(&c->columns, name, strlen(name)) != ASIF_NO_NAME;
}

static bool add_role(asif_courses *c, const asif_log_map *map, asif_role role, const char *otherwise) {
    const asif_log_role *mapped = &map->role[role];
    bool good = mapped->columns > 0 || !otherwise || add_column(c, otherwise);
    for (uint32_t i = 0; good && i < mapped->columns; i++)
        good = add_column(c, mapped->column[i].name);
    return good;
}

static bool add_columns(asif_courses *c, const asif_course_form *form, const asif_log_map *map) {
    const asif_setting_spec *spec = asif_setting_get(form->setting);
    const asif_log_group *group = form->by ? asif_log_map_group(map, form->by) : NULL;
    bool sees = spec->observations == 0, lone = map->role[ASIF_ROLE_SUBJECT].columns > 0;
    bool good =
        add_role(c, map, ASIF_ROLE_SUBJECT, NULL) &&
        add_role(c, map, ASIF_ROLE_EPISODE, lone ? NULL : "episode") &&
        add_role(c, map, ASIF_ROLE_TIME, "t") && add_role(c, map, ASIF_ROLE_ACTION, "action") &&
        add_role(c, map, sees ? ASIF_ROLE_STATE : ASIF_ROLE_OBSERVATION, sees ? "state" : "observation") &&
        add_role(c, map, ASIF_ROLE_WEIGHT, NULL) &&
        add_role(c, map, ASIF_ROLE_START, spec->starts > 1 ? spec->start_column : NULL) &&
        add_role(c, map, ASIF_ROLE_LABEL, NULL) &&
        (!form->by || add_column(c, group ? group->column : form->by));
    for (uint32_t i = 0; good && i < map->requires; i++)
        good = add_column(c, map->require[i]);
    return good;
}

static asif_status begin_header(asif_row_source *source, asif_error *error) {
    (void)source, (void)error;
    return ASIF_OK;
}

static asif_status next_of_header(asif_row_source *source, bool *more, asif_error *error) {
    (void)source, (void)error;
    *more = false;
    return ASIF_OK;
}

static asif_status make_header(asif_courses *c, asif_error *error) {
    c->cell = ASIF_ARRAY(c->reading.context, c->columns.count, asif_csv_cell);
    if (!c->cell)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < c->columns.count; i++)
        c->cell[i] = (asif_csv_cell){asif_names_get(&c->columns, i), c->columns.name[i].length, false, 0};
    c->header = (asif_row_source){.cell = c->cell,
                                  .cells = c->columns.count,
                                  .flaw = &c->flaw,
                                  .begin = begin_header,
                                  .next = next_of_header};
    return ASIF_OK;
}

/* ---- the labels of columns ---- */

static bool add_text(asif_names *names, const char *text, uint64_t length) {
    return asif_names_add(names, text, length) != ASIF_NO_NAME;
}

/* Of a column that is taken as it is: the labels, or their i-th parts. */
static bool add_parts(asif_names *out, const asif_coder *coder, uint32_t part) {
    bool good = true;
    for (uint32_t k = 0; good && k < coder->names.count; k++) {
        const char *text = asif_names_get(&coder->names, k);
        for (uint32_t i = 0; i < part && coder->parts > 1; i++)
            text += strcspn(text, "/") + (text[strcspn(text, "/")] == '/');
        good = add_text(out, text, coder->parts > 1 ? strcspn(text, "/") : strlen(text));
    }
    return good;
}

static asif_status make_side(asif_course_side *side, const asif_coder *coder, const asif_context *context,
                             asif_error *error) {
    side->values = coder->parts > 0;
    side->label = ASIF_ARRAY(context, coder->parts, asif_names);
    if (!side->label)
        return asif_fail_memory(error);
    side->parts = coder->parts;
    for (uint32_t i = 0; i < coder->parts; i++) {
        const struct asif_coder_part *part = &coder->part[i];
        asif_names *label = &side->label[i];
        label->context = context;
        bool good = part->classes.count > 0 || add_parts(label, coder, i);
        for (uint32_t k = 0; good && k < part->classes.count; k++)
            good = add_text(label, asif_names_get(&part->classes, k), part->classes.name[k].length);
        if (good && part->map && part->map->missing)
            good = add_text(label, part->map->missing, strlen(part->map->missing));
        if (!good)
            return asif_fail_memory(error);
        side->values *= label->count;
        if (side->values > MOST_VALUES)
            return asif_fail(error, ASIF_ETOOBIG,
                             "the columns of `%s` have too many combinations for courses",
                             asif_role_name(coder->role));
    }
    return ASIF_OK;
}

static void free_side(asif_course_side *side, const asif_context *context) {
    for (uint32_t i = 0; i < side->parts; i++)
        asif_names_free(&side->label[i]);
    asif_free(context, side->label);
}

void asif_course_label(asif_text *out, const asif_course_side *side, uint64_t value) {
    uint64_t rest = side->values, index = value - 1;
    for (uint32_t i = 0; value && i < side->parts; i++) {
        rest /= side->label[i].count;
        if (i)
            asif_text_add_n(out, "/", 1);
        asif_text_add(out, asif_names_get(&side->label[i], (uint32_t)(index / rest)));
        index %= rest;
    }
}

/* ---- what courses cannot have ---- */

static asif_status refuse(asif_error *error, const char *what, const char *hint) {
    asif_fail(error, ASIF_EUNSUPPORTED, "a query for courses cannot have %s", what);
    asif_error_hint(error, "%s", hint);
    return ASIF_EUNSUPPORTED;
}

static const char in_rows[] = "read the rows instead: --engine, or a Parquet file";

static asif_status check_columns(const asif_log_map *map, asif_error *error) {
    for (uint32_t r = 0; r < ASIF_ROLE_COUNT; r++)
        for (uint32_t i = 0; i < map->role[r].columns; i++) {
            const asif_log_column *column = &map->role[r].column[i];
            if (column->spread > 0)
                return refuse(error, "cuts that are computed from the data (`spread`)",
                              "write the numbers of the cuts in the study");
            if (column->unrecorded)
                return refuse(error, "`missing: unrecorded`", in_rows);
        }
    for (uint32_t i = 0; i < map->cell_rules; i++)
        if (map->cell_rule[i].date)
            return refuse(error, "`date` of a column", "make it a column of dates in the database");
    return ASIF_OK;
}

static asif_status check_times(const asif_courses *c, const asif_log_map *map, asif_error *error) {
    double first = isnan(map->begin) ? 0 : map->begin / (map->step > 0 ? map->step : 1);
    if (first != floor(first))
        return refuse(error, "a `begin` that is no whole number of steps", in_rows);
    if (!c->ranked)
        return ASIF_OK;
    if (map->step > 0 || !isnan(map->begin) || map->gaps != ASIF_GAPS_IGNORE ||
        map->role[ASIF_ROLE_TIME].columns > 1)
        return refuse(error,
                      "times in order only (--ranked) together with `step`, `begin`, `gaps` or several "
                      "columns of the time",
                      "leave --ranked out: the times are then whole numbers of steps");
    return ASIF_OK;
}

static asif_status check_form(const asif_courses *c, const asif_course_form *form, const asif_log_map *map,
                              asif_error *error) {
    ASIF_TRY(check_columns(map, error));
    ASIF_TRY(check_times(c, map, error));
    if (asif_setting_get(form->setting)->seen_columns)
        return refuse(error, "a part of the state that is seen", in_rows);
    return ASIF_OK;
}

/* Find how decisions fit into words. */
static asif_status pack(asif_courses *c, asif_error *error) {
    uint64_t codes = asif_course_codes(c);
    for (c->bits = 1; c->bits < 40 && (uint64_t)1 << c->bits < codes; c->bits++)
        ;
    c->each = WORD_BITS / c->bits;
    c->words = (c->longest + c->each - 1) / c->each;
    if (c->words <= MOST_WORDS)
        return ASIF_OK;
    asif_fail(error, ASIF_ETOOBIG, "courses of %u decisions take %u columns, more than %d", c->longest,
              c->words, MOST_WORDS);
    asif_error_hint(error, "--longest %u is the most with these labels", MOST_WORDS * c->each);
    return ASIF_ETOOBIG;
}

asif_status asif_courses_make(asif_courses *c, const asif_context *context, const asif_course_form *form,
                              asif_error *error) {
    const char *by[] = {form->by, NULL};
    const asif_log_map *map = form->map;
    *c = (asif_courses){.columns.context = context, .ranked = form->ranked, .longest = form->longest};
    c->reading = (asif_reading){.context = context,
                                .file = "the study",
                                .map = map,
                                .setting = form->setting,
                                .options = ASIF_LOGS_OPTIONS_INIT,
                                .table = &c->header};
    uint32_t horizon = asif_setting_get(form->setting)->horizon;
    if (!c->longest)
        c->longest = horizon ? horizon : ASIF_COURSE_LONGEST;
    ASIF_TRY(check_form(c, form, map, error));
    if (!add_columns(c, form, map))
        return asif_fail_memory(error);
    ASIF_TRY(make_header(c, error));
    c->reading.options.units = form->by ? ASIF_UNITS_EPISODES : ASIF_UNITS_NONE;
    c->reading.options.covariates = form->by ? by : NULL;
    ASIF_TRY(asif_reading_begin(&c->reading, error));
    ASIF_TRY(asif_reading_bind(&c->reading, error));
    c->reading.options.covariates = NULL;
    ASIF_TRY(asif_cells_bind(&c->reading, error));
    ASIF_TRY(make_side(&c->action, &c->reading.action, context, error));
    ASIF_TRY(make_side(&c->seen, &c->reading.seen, context, error));
    ASIF_TRY(make_side(&c->start, &c->reading.start, context, error));
    return pack(c, error);
}

void asif_courses_free(asif_courses *c) {
    const asif_context *context = c->columns.context;
    free_side(&c->action, context);
    free_side(&c->seen, context);
    free_side(&c->start, context);
    asif_reading_end(&c->reading);
    asif_names_free(&c->columns);
    asif_free(context, c->cell);
}
