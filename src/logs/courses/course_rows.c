#include "logs/courses/course_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/courses/query.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* Columns of the table of courses, and those of its rows. */
enum { COUNT, FAULT, ROWS, START, WEIGHT, SUBJECT, EPISODE, SUBJECTS, KNOWN };
static const char *const known[KNOWN] = {NULL,          "asif_fault",   "asif_rows",    "asif_start",
                                         "asif_weight", "asif_subject", "asif_episode", "asif_subjects"};
enum { TIME, ACTION, SEEN, KEY, NAME, OF_START, OF_WEIGHT, MADE };
static const char *const made[MADE] = {"asif_time",    "asif_action", "asif_seen",  "asif_episode",
                                       "asif_subject", "asif_class",  "asif_weight"};

typedef struct {
    uint64_t count;
    char **text; /* [count] */
} labels;

struct asif_course_rows {
    asif_row_source rows;
    asif_row_source *table;
    const asif_context *context;
    const char *name; /* for messages */
    asif_courses courses;
    asif_log_map *map;
    uint32_t header;         /* cells of a row of the table */
    uint32_t column[KNOWN];  /* of the table, or ASIF_NO_COLUMN */
    uint32_t *word;          /* [words]: columns */
    uint32_t extras, *extra; /* columns that are handed through */
    labels action, seen, start;
    asif_csv_cell *cell; /* [MADE + extras] */
    char time[ASIF_NUMBER_SIZE], key[24];
    double first, step;
    uint64_t *code, at; /* [longest]: the current course, and the next place of it */
    uint64_t number;    /* of the course */
    asif_error flaw;
};

/* ---- what the table is ---- */

static uint32_t find(const asif_row_source *table, const char *name) {
    for (uint32_t i = 0; i < table->cells; i++)
        if (strcmp(table->cell[i].text, name) == 0)
            return i;
    return ASIF_NO_COLUMN;
}

/* The column that says which layout it is. */
static uint32_t find_count(const asif_row_source *table) {
    for (uint32_t i = 0; i < table->cells; i++)
        if (strncmp(table->cell[i].text, ASIF_COURSE_COUNT, sizeof ASIF_COURSE_COUNT - 1) == 0)
            return i;
    return ASIF_NO_COLUMN;
}

static asif_status fail(const asif_course_rows *c, asif_error *error, const char *message, const char *hint) {
    asif_fail(error, ASIF_EINVALID, "%s", message);
    asif_error_at(error, c->name, c->table->line, 0);
    asif_error_hint(error, "%s", hint);
    return ASIF_EINVALID;
}

/* The form that the name of the first column tells. */
static bool read_form(const char *name, asif_course_form *form) {
    double longest = 0;
    const char *number = name + sizeof ASIF_COURSE_COUNT - 1;
    size_t digits = strspn(number, "0123456789");
    if (digits == 0 || digits > 6 || number[digits] != '_' || !number[digits + 1] ||
        number[digits + 2] != '_' || !asif_number_read(number, digits, &longest) || longest < 1)
        return false;
    form->longest = (uint32_t)longest;
    form->ranked = number[digits + 1] == 'r';
    return true;
}

/* Make the layout of the study, and compare its name with that in the table. */
static asif_status check_layout(asif_course_rows *c, const asif_course_form *of, asif_error *error) {
    asif_course_form form = *of;
    asif_text name = {.context = c->context};
    bool read = read_form(c->table->cell[c->column[COUNT]].text, &form);
    ASIF_TRY(asif_courses_make(&c->courses, c->context, &form, error));
    asif_courses_name(&name, &c->courses);
    bool same = read && !name.failed && strcmp(name.data, c->table->cell[c->column[COUNT]].text) == 0;
    bool failed = name.failed;
    asif_text_free(&name);
    if (failed)
        return asif_fail_memory(error);
    return same ? ASIF_OK
                : fail(c, error, "these courses were made with another study, or by another version of asif",
                       "use the study and the --map flags of the query, or print it again");
}

static asif_status use(asif_course_rows *c, uint32_t column, asif_error *error) {
    if (c->table->unreadable && c->table->unreadable[column])
        return fail(c, error, "a column of the courses has a type that cannot be read",
                    "make it whole numbers or text");
    if (c->table->used)
        c->table->used[column] = true;
    return ASIF_OK;
}

static asif_status find_columns(asif_course_rows *c, asif_error *error) {
    char name[24];
    c->word = ASIF_ARRAY(c->context, c->courses.words, uint32_t);
    c->extra = ASIF_ARRAY(c->context, c->table->cells, uint32_t);
    if (!c->word || !c->extra)
        return asif_fail_memory(error);
    for (uint32_t i = 1; i < KNOWN; i++) {
        c->column[i] = find(c->table, known[i]);
        if (c->column[i] != ASIF_NO_COLUMN)
            ASIF_TRY(use(c, c->column[i], error));
    }
    ASIF_TRY(use(c, c->column[COUNT], error));
    bool whole = c->column[FAULT] != ASIF_NO_COLUMN && c->column[ROWS] != ASIF_NO_COLUMN &&
                 (c->courses.start.parts == 0 || c->column[START] != ASIF_NO_COLUMN) &&
                 (c->courses.reading.weight == ASIF_NO_COLUMN || c->column[WEIGHT] != ASIF_NO_COLUMN);
    for (uint32_t w = 0; w < c->courses.words; w++) {
        asif_format(name, sizeof name, "asif_w%u", w);
        c->word[w] = find(c->table, name);
        whole = whole && c->word[w] != ASIF_NO_COLUMN;
        if (c->word[w] != ASIF_NO_COLUMN)
            ASIF_TRY(use(c, c->word[w], error));
    }
    for (uint32_t i = 0; i < c->table->cells; i++)
        if (strncmp(c->table->cell[i].text, "asif_", 5) != 0) {
            ASIF_TRY(use(c, i, error));
            c->extra[c->extras++] = i;
        }
    return whole ? ASIF_OK
                 : fail(c, error, "the table of courses lacks a column that the query makes",
                        "keep all columns of the query");
}

/* ---- labels ---- */

static asif_status make_labels(asif_course_rows *c, labels *out, const asif_course_side *side,
                               const asif_coder *coder, asif_error *error) {
    char buffer[ASIF_LABEL_SIZE];
    asif_text text = {.context = c->context};
    uint64_t count = side->parts ? side->values + 1 : 0;
    out->text = ASIF_ARRAY(c->context, count, char *);
    if (!out->text)
        return asif_fail_memory(error);
    for (; out->count < count; out->count++) {
        text.length = 0;
        asif_text_add_n(&text, "", 0);
        asif_course_label(&text, side, out->count);
        asif_text_add_n(&text, "", 1);
        uint32_t i = text.failed || !out->count ? ASIF_NO_NAME
                                                : asif_names_find(&coder->names, text.data, text.length - 1);
        const char *label = i == ASIF_NO_NAME
                                ? text.data
                                : asif_setting_label(c->courses.reading.setting, coder->kind, i, buffer);
        if (text.failed || !(out->text[out->count] = asif_strdup(c->context, label)))
            break;
    }
    asif_text_free(&text);
    return out->count == count ? ASIF_OK : asif_fail_memory(error);
}

static void free_labels(const asif_course_rows *c, labels *l) {
    for (uint64_t i = 0; i < l->count; i++)
        asif_free(c->context, l->text[i]);
    asif_free(c->context, l->text);
}

/* ---- rows ---- */

static asif_csv_cell cell_of(const char *text) {
    return (asif_csv_cell){text, (uint32_t)strlen(text), false, 0};
}

static asif_status begin(asif_row_source *source, asif_error *error) {
    asif_course_rows *c = (asif_course_rows *)source;
    ASIF_TRY(c->table->begin(c->table, error));
    for (uint32_t i = 0; i < MADE; i++)
        c->cell[i] = cell_of(made[i]);
    for (uint32_t i = 0; i < c->extras; i++)
        c->cell[MADE + i] = c->table->cell[c->extra[i]];
    c->rows.row = 0;
    c->rows.line = c->table->line;
    c->flaw = *c->table->flaw;
    c->at = c->courses.longest;
    c->number = 0;
    return ASIF_OK;
}

static const char *const faults[ASIF_FAULT_COUNT][2] = {
    [ASIF_FAULT_KEY] = {"the subject or the episode of a row is missing",
                        "leave such rows out with `missing: drop_row`"},
    [ASIF_FAULT_TIME] =
        {"a time is missing or repeats, or is no whole number of steps from the first to the longest",
         "--longest allows longer episodes, and --ranked takes times in their order"},
    [ASIF_FAULT_ACTION] = {"a cell of the action has no label in the study",
                           "list the values of the column in the "
                           "database, and add labels"},
    [ASIF_FAULT_SEEN] = {"a cell of the observation or the state has no label in the study",
                         "list the values of the column in the database, and add labels"},
    [ASIF_FAULT_START] = {"the start class is missing, not known, or changes within the episode",
                          "every row of an episode has the same"},
    [ASIF_FAULT_WEIGHT] = {"a weight is missing or negative, or changes within the episode",
                           "courses need one weight an episode; read the rows instead: --engine"},
    [ASIF_FAULT_RANGE] = {"a number is outside the range of its column", "write `outside: missing`"},
    [ASIF_FAULT_BY] = {"the column of --by changes within the episode, or cannot be compared",
                       "it needs one value an episode"},
};

/* Note what is wrong with the episodes of the current course. */
static void note_flaw(asif_course_rows *c, const char *message, const char *hint) {
    asif_fail(&c->flaw, ASIF_EPARSE, "in episodes of this course, %s", message);
    asif_error_at(&c->flaw, c->name, c->table->line, 0);
    asif_error_hint(&c->flaw, "%s", hint);
    c->at = c->courses.longest;
}

static bool read_whole(const asif_course_rows *c, uint32_t column, uint64_t *out) {
    const asif_csv_cell *cell = &c->table->cell[column];
    uint64_t value = 0;
    for (uint32_t i = 0; i < cell->length; i++) {
        if (cell->text[i] < '0' || cell->text[i] > '9' || value > (UINT64_MAX - 9) / 10)
            return false;
        value = 10 * value + (uint64_t)(cell->text[i] - '0');
    }
    *out = value;
    return cell->length > 0;
}

/* Take the words of the current course apart. False: they are not what the query makes. */
static bool unpack(asif_course_rows *c, uint64_t rows) {
    const asif_courses *l = &c->courses;
    uint64_t mask = ((uint64_t)1 << l->bits) - 1, word = 0, found = 0;
    for (uint32_t k = 0; k < l->longest; k++, word >>= l->bits) {
        if (k % l->each == 0 && !read_whole(c, c->word[k / l->each], &word))
            return false;
        c->code[k] = word & mask;
        found += c->code[k] > 0;
        if (c->code[k] >= asif_course_codes(l))
            return false;
    }
    if (found != rows)
        note_flaw(c, faults[ASIF_FAULT_TIME][0], faults[ASIF_FAULT_TIME][1]);
    return true;
}

/* What all rows of a course have. */
static bool take_common(asif_course_rows *c) {
    uint64_t class = 0;
    if (c->start.count && (!read_whole(c, c->column[START], &class) || class >= c->start.count))
        return false;
    c->cell[OF_START] = cell_of(c->start.count ? c->start.text[class] : "");
    if (c->column[WEIGHT] != ASIF_NO_COLUMN)
        c->cell[OF_WEIGHT] = c->table->cell[c->column[WEIGHT]];
    if (c->column[SUBJECT] != ASIF_NO_COLUMN)
        c->cell[NAME] = c->table->cell[c->column[SUBJECT]];
    if (c->column[EPISODE] != ASIF_NO_COLUMN)
        c->cell[KEY] = c->table->cell[c->column[EPISODE]];
    if (c->column[SUBJECT] == ASIF_NO_COLUMN && c->column[EPISODE] == ASIF_NO_COLUMN) {
        asif_format(c->key, sizeof c->key, "%llu", (unsigned long long)++c->number);
        c->cell[KEY] = cell_of(c->key);
    }
    for (uint32_t i = 0; i < c->extras; i++)
        c->cell[MADE + i] = c->table->cell[c->extra[i]];
    return true;
}

static void take_course(asif_course_rows *c) {
    uint64_t fault = 0, rows = 0;
    c->flaw = *c->table->flaw;
    c->rows.line = c->table->line;
    c->at = c->courses.longest;
    if (c->flaw.status != ASIF_OK)
        return;
    c->at = 0;
    bool good = c->table->cells == c->header && read_whole(c, c->column[COUNT], &c->rows.copies) &&
                c->rows.copies > 0 && read_whole(c, c->column[FAULT], &fault) &&
                read_whole(c, c->column[ROWS], &rows) && fault < ASIF_FAULT_COUNT && take_common(c);
    if (good && c->column[SUBJECTS] != ASIF_NO_COLUMN)
        good = read_whole(c, c->column[SUBJECTS], &c->rows.subjects);
    if (good && fault)
        note_flaw(c, faults[fault][0], faults[fault][1]);
    else if (!good || !unpack(c, rows))
        note_flaw(c, "the columns are not as the query makes them", "keep the result of the query as it is");
}

/* Go to the next decision of the course; false: there is none. */
static bool take_decision(asif_course_rows *c) {
    while (c->at < c->courses.longest && c->code[c->at] == 0)
        c->at++;
    if (c->at == c->courses.longest)
        return false;
    uint64_t code = c->code[c->at], seen = c->courses.seen.values + 1;
    c->cell[ACTION] = cell_of(c->action.text[code < 2 ? 0 : (code - 2) / seen + 1]);
    c->cell[SEEN] = cell_of(c->seen.text[code < 2 ? 0 : (code - 2) % seen]);
    c->cell[TIME] = cell_of(asif_number_text(c->time, c->first + c->step * (double)c->at));
    c->at++;
    return true;
}

static asif_status next(asif_row_source *source, bool *more, asif_error *error) {
    asif_course_rows *c = (asif_course_rows *)source;
    *more = true;
    while (!take_decision(c)) {
        ASIF_TRY(c->table->next(c->table, more, error));
        if (!*more)
            return ASIF_OK;
        take_course(c);
        c->rows.row = c->flaw.status != ASIF_OK ? c->table->row : 0;
        if (c->flaw.status != ASIF_OK)
            return ASIF_OK; /* the flaw is the row */
    }
    return ASIF_OK;
}

/* ---- the mapping ---- */

/* The rules for episodes stay; those for cells and rows were applied by the query. */
static asif_status make_map(asif_course_rows *c, const asif_log_map *of, asif_error *error) {
    bool sees = asif_setting_get(c->courses.reading.setting)->observations == 0;
    const struct {
        const char *role;
        int column;
        bool has;
    } roles[] = {
        {"time", TIME, true},
        {"action", ACTION, true},
        {sees ? "state" : "observation", SEEN, true},
        {"episode", KEY, c->column[SUBJECT] == ASIF_NO_COLUMN || c->column[EPISODE] != ASIF_NO_COLUMN},
        {"subject", NAME, c->column[SUBJECT] != ASIF_NO_COLUMN},
        {"start", OF_START, c->start.count > 0},
        {"weight", OF_WEIGHT, c->column[WEIGHT] != ASIF_NO_COLUMN}};
    ASIF_TRY(asif_log_map_create(&c->map, c->context, error));
    asif_log_map *map = c->map;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (roles[i].has)
            ASIF_TRY(asif_log_map_set(map, roles[i].role, made[roles[i].column], error));
    map->missing = of->missing;
    map->before = of->before;
    map->gaps = of->gaps;
    map->step = of->step;
    map->begin = of->begin;
    if (of->initial && !(map->initial = asif_strdup(c->context, of->initial)))
        return asif_fail_memory(error);
    return ASIF_OK;
}

static asif_status prepare(asif_course_rows *c, const asif_course_form *form, asif_error *error) {
    const asif_reading *r = &c->courses.reading;
    ASIF_TRY(check_layout(c, form, error));
    ASIF_TRY(find_columns(c, error));
    ASIF_TRY(make_labels(c, &c->action, &c->courses.action, &r->action, error));
    ASIF_TRY(make_labels(c, &c->seen, &c->courses.seen, &r->seen, error));
    ASIF_TRY(make_labels(c, &c->start, &c->courses.start, &r->start, error));
    c->cell = ASIF_ARRAY(c->context, MADE + c->extras, asif_csv_cell);
    c->code = ASIF_ARRAY(c->context, c->courses.longest, uint64_t);
    if (!c->cell || !c->code)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < MADE + c->extras; i++)
        c->cell[i] = cell_of("");
    c->step = form->map->step > 0 ? form->map->step : 1;
    c->first = isnan(form->map->begin) ? 0 : form->map->begin;
    c->rows.cell = c->cell;
    c->rows.cells = MADE + c->extras;
    return make_map(c, form->map, error);
}

asif_status asif_course_rows_make(asif_course_rows **out, const asif_context *context, asif_row_source *table,
                                  const char *name, const asif_log_map *map, const asif_logs_options *options,
                                  asif_error *error) {
    const asif_course_form form = {.map = map, .setting = options->setting};
    uint32_t count = find_count(table);
    *out = NULL;
    if (count == ASIF_NO_COLUMN)
        return ASIF_OK;
    asif_course_rows *c = *out = ASIF_NEW(context, asif_course_rows);
    if (!c)
        return asif_fail_memory(error);
    *c = (asif_course_rows){.rows = {.begin = begin, .next = next, .flaw = &c->flaw},
                            .table = table,
                            .context = context,
                            .name = name,
                            .header = table->cells,
                            .courses.columns.context = context,
                            .column = {[COUNT] = count}};
    if (!options->setting)
        return fail(c, error, "courses can be read only with the study that made them",
                    "name it: --study STUDY");
    if (options->rows)
        return fail(c, error, "courses do not keep the rows that they were made of", "leave --rows out");
    if (options->units != ASIF_UNITS_NONE && find(table, known[SUBJECT]) == ASIF_NO_COLUMN &&
        find(table, known[EPISODE]) == ASIF_NO_COLUMN)
        return fail(c, error, "these courses do not keep people or episodes apart",
                    "print the query with --by COLUMN, which keeps their names");
    return prepare(c, &form, error);
}

asif_row_source *asif_course_rows_source(asif_course_rows *c) {
    return &c->rows;
}

const asif_log_map *asif_course_rows_map(const asif_course_rows *c) {
    return c->map;
}

void asif_course_rows_free(asif_course_rows *c) {
    if (!c)
        return;
    free_labels(c, &c->action);
    free_labels(c, &c->seen);
    free_labels(c, &c->start);
    asif_courses_free(&c->courses);
    asif_log_map_free(c->map);
    void *const arrays[] = {c->word, c->extra, c->cell, c->code};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c->context, arrays[i]);
    asif_free(c->context, c);
}
