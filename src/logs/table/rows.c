#include "logs/table/rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool check_shape(asif_reading *reading) {
    const asif_row_source *table = reading->table;
    if (table->flaw->status != ASIF_OK) {
        if (asif_reading_wants(reading, ASIF_PROBLEM_ERROR))
            asif_reading_list(reading, ASIF_PROBLEM_ERROR, table->flaw->status,
                              (asif_place){table->row, table->flaw->line, table->flaw->column},
                              table->flaw->hint, "%s", table->flaw->message);
        return false;
    }
    if (table->cells == reading->header)
        return true;
    bool names = table->row == 1 && table->cells == reading->header + 1;
    asif_reading_problem(
        reading, asif_reading_here(reading, table->cells < reading->header ? table->cells : reading->header),
        names ? "does the first column hold row names without a heading? give it one"
        : table->cells > reading->header
            ? "a cell that holds the separator must be in quotes"
            : "write empty cells too: every row has as many separators as the header",
        "the row has %u cells, but the header has %u", table->cells, reading->header);
    return false;
}

/* Keep the text of a step's time. False: no memory. */
static bool keep_text(asif_reading *reading, const asif_csv_cell *cell) {
    if (reading->text_capacity < reading->step_capacity) {
        uint64_t *grown =
            asif_realloc(reading->context, reading->step_text, reading->step_capacity, sizeof *grown);
        if (!grown)
            return false;
        reading->step_text = grown;
        reading->text_capacity = reading->step_capacity;
    }
    reading->step_text[reading->steps] = reading->times.length + 1;
    asif_text_add_n(&reading->times, cell->text, (uint64_t)cell->length + 1);
    return !reading->times.failed;
}

/* Whether a text looks like 3/14/2015 or 14.3.15. The natural order of such texts is not their order in
 * time. */
static bool looks_like_date(const char *text) {
    int parts = 1, digits = 0;
    char separator = 0;
    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            digits++;
        } else if ((*text == '/' || *text == '.' || *text == '-') && digits >= 1 && digits <= 2 &&
                   parts < 3 && (!separator || separator == *text)) {
            separator = *text;
            parts++;
            digits = 0;
        } else {
            break;
        }
    }
    return parts == 3 && digits >= 2 && (*text == 0 || *text == ' ');
}

/* Read the time of a row that has no step of time; see asif_rules_keep(). */
static asif_status read_time(asif_reading *reading, double *out, asif_error *error) {
    if (reading->time == ASIF_NO_COLUMN || !isnan(*out))
        return ASIF_OK;
    const asif_csv_cell *cell = asif_rules_time(reading);
    if (asif_time_date(cell->text, cell->length, out)) {
        reading->dates = true;
        return ASIF_OK;
    }
    *out = NAN;
    if (!reading->day_first && looks_like_date(cell->text)) {
        reading->day_first = true;
        reading->day_first_at = asif_reading_here(reading, reading->time);
    }
    return keep_text(reading, cell) ? ASIF_OK : asif_fail_memory(error);
}

static asif_status read_weight(asif_reading *reading, asif_error *error) {
    if (reading->weight == ASIF_NO_COLUMN)
        return ASIF_OK;
    if (reading->weight_capacity < reading->step_capacity) {
        double *grown =
            asif_realloc(reading->context, reading->step_weight, reading->step_capacity, sizeof *grown);
        if (!grown)
            return asif_fail_memory(error);
        reading->step_weight = grown;
        reading->weight_capacity = reading->step_capacity;
    }
    const asif_csv_cell *cell = &reading->table->cell[reading->weight];
    double x = 1;
    if (!asif_number_read(cell->text, cell->length, &x))
        asif_reading_problem(reading, asif_reading_here(reading, reading->weight),
                             strchr(cell->text, ',') ? "write decimals with a point"
                                                     : "a row that counts once has 1",
                             "the weight must be a number, not `%s`", asif_show(cell->text).text);
    else if (!(x >= 0 && isfinite(x)))
        asif_reading_problem(reading, asif_reading_here(reading, reading->weight),
                             "a weight says how often a row counts", "the weight must be 0 or more, not %s",
                             asif_show(cell->text).text);
    reading->step_weight[reading->steps] = x;
    return ASIF_OK;
}

static asif_status read_start(asif_reading *reading, asif_episode *episode, asif_error *error) {
    if (reading->start.parts == 0)
        return ASIF_OK;
    uint32_t start = 0, column = reading->start.part[0].column;
    if (!asif_coder_read(reading, &reading->start, &start))
        return asif_fail_memory(error);
    if (start == ASIF_CODE_BAD)
        return ASIF_OK;
    if (start == ASIF_CODE_MISSING) {
        asif_reading_problem(reading, asif_reading_here(reading, column),
                             "every row of an episode has the same", "the start class is missing");
        return ASIF_OK;
    }
    if (episode->start == ASIF_CODE_MISSING) {
        episode->start = start;
    } else if (episode->start != start) {
        asif_reading_problem(reading, asif_reading_here(reading, column),
                             "the class tells where the episode starts: give all its rows the same",
                             "the start class changes within an episode, to `%s`",
                             asif_show(reading->table->cell[column].text).text);
    }
    return ASIF_OK;
}

/* The cell of a covariate, which is `yes` or `no` for a group. */
static const asif_csv_cell *covariate_cell(asif_reading *reading, uint32_t k) {
    static const asif_csv_cell words[] = {{"", 0, false, 0}, {"no", 2, false, 0}, {"yes", 3, false, 0}};
    uint32_t group = reading->covariate_group[k];
    return group == ASIF_ANY ? &reading->table->cell[reading->covariate[k]]
                             : &words[asif_rules_member(reading, group) + 1];
}

/* Read the covariates of a unit, which must be the same in all its rows. */
static asif_status read_covariates(asif_reading *reading, uint32_t unit, asif_error *error) {
    uint32_t n = reading->covariates;
    while (n && reading->arrived <= unit) {
        for (uint32_t k = 0; k < n; k++) {
            uint64_t at = reading->arrived * n + k;
            if (!asif_grow(reading->context, &reading->value, at, &reading->value_capacity,
                           sizeof *reading->value))
                return asif_fail_memory(error);
            reading->value[at] = ASIF_CODE_MISSING;
        }
        reading->arrived++;
    }
    for (uint32_t k = 0; k < n; k++) {
        const asif_csv_cell *cell = covariate_cell(reading, k);
        uint32_t *value = &reading->value[(uint64_t)unit * n + k];
        if (asif_csv_missing(cell))
            continue;
        uint32_t v = asif_names_add(&reading->values, cell->text, cell->length);
        if (v == ASIF_NO_NAME)
            return asif_fail_memory(error);
        if (*value == ASIF_CODE_MISSING)
            *value = v;
        else if (*value != v)
            asif_reading_problem(reading, asif_reading_here(reading, reading->covariate[k]),
                                 reading->options.units == ASIF_UNITS_SUBJECTS
                                     ? "a covariate has one value a subject; or take episodes as units"
                                     : "a covariate has one value an episode; spellings of one value are "
                                       "joined by `recode` (`logs: {columns: ...}`)",
                                 "`%s` changes from `%s` to `%s`", asif_show(reading->covariate_name[k]).text,
                                 asif_show(asif_names_get(&reading->values, *value)).text,
                                 asif_show(cell->text).text);
    }
    return ASIF_OK;
}

static const asif_csv_cell none = {"", 0, false, 0};

static const asif_csv_cell *key_cell(const asif_reading *reading, uint32_t column) {
    return column == ASIF_NO_COLUMN ? &none : &reading->table->cell[column];
}

static bool same_key(const asif_reading *reading, const asif_csv_cell *subject,
                     const asif_csv_cell *episode) {
    const char *key = reading->key.data;
    if (!reading->begun)
        return false;
    if (asif_reading_repeats(reading))
        return true;
    return reading->subject_length == subject->length &&
           reading->key.length - reading->subject_length - 1 == episode->length &&
           memcmp(key, subject->text, subject->length) == 0 &&
           memcmp(key + subject->length + 1, episode->text, episode->length) == 0;
}

static bool set_key(asif_reading *reading, const asif_csv_cell *subject, const asif_csv_cell *episode) {
    reading->key.length = 0;
    asif_text_add_n(&reading->key, subject->text, (uint64_t)subject->length + 1);
    asif_text_add_n(&reading->key, episode->text, episode->length);
    reading->subject_length = subject->length;
    reading->begun = true;
    return !reading->key.failed;
}

static int compare_keys(const char *a, uint64_t a_subject, uint64_t a_length, const char *b,
                        uint64_t b_subject, uint64_t b_length) {
    int c = asif_natural_order(a, a_subject, b, b_subject);
    return c ? c
             : asif_natural_order(a + a_subject + 1, a_length - a_subject - 1, b + b_subject + 1,
                                  b_length - b_subject - 1);
}

static asif_status finish_episode(asif_reading *reading, asif_error *error) {
    uint64_t copies = reading->copies; /* of the row that comes next */
    if (!reading->begun || reading->pass == ASIF_PASS_COLLECT)
        return ASIF_OK;
    for (uint64_t i = reading->order_capacity; i < reading->steps; i = reading->order_capacity)
        if (!asif_grow(reading->context, &reading->order, i, &reading->order_capacity,
                       sizeof *reading->order))
            return asif_fail_memory(error);
    for (uint64_t i = 0; i < reading->steps; i++)
        reading->order[i] = i;
    ASIF_TRY(asif_episode_add(reading, reading->key.data, reading->subject_length, reading->key.length,
                              &reading->now, reading->order, reading->steps, error));
    reading->steps = 0;
    reading->times.length = 0;
    reading->copies = copies;
    return ASIF_OK;
}

static void came_back(asif_reading *reading, asif_pass needed) {
    reading->again = true;
    reading->pass = needed;
    reading->back =
        asif_reading_here(reading, reading->episode != ASIF_NO_COLUMN ? reading->episode : reading->subject);
    asif_format(reading->back_key, sizeof reading->back_key, "%s",
                asif_show(reading->table->cell[reading->back.column - 1].text).text);
}

/* End the episode of the row before, and begin another one. */
static asif_status begin_episode(asif_reading *reading, const asif_csv_cell *subject,
                                 const asif_csv_cell *episode, asif_error *error) {
    ASIF_TRY(finish_episode(reading, error));
    bool first = !reading->begun, same_subject = false;
    if (reading->pass == ASIF_PASS_ASCENDING && !first) {
        const char *key = reading->key.data;
        int c = asif_natural_order(key, reading->subject_length, subject->text, subject->length);
        same_subject = c == 0;
        if (c == 0)
            c = asif_natural_order(key + reading->subject_length + 1,
                                   reading->key.length - reading->subject_length - 1, episode->text,
                                   episode->length);
        if (c >= 0) {
            /* The order of units and the sums of weights must not depend on the order of episodes in the
             * table. */
            bool ordered = reading->options.units != ASIF_UNITS_NONE || reading->weight != ASIF_NO_COLUMN;
            came_back(reading, ordered ? ASIF_PASS_COLLECT : ASIF_PASS_HASHES);
            return ASIF_OK;
        }
    }
    if (!set_key(reading, subject, episode))
        return asif_fail_memory(error);
    if (reading->pass == ASIF_PASS_HASHES) {
        bool known = false;
        if (!asif_hashes_add(&reading->episode_hashes,
                             asif_hash_bytes(reading->key.data, reading->key.length), &known))
            return asif_fail_memory(error);
        if (known) {
            came_back(reading, ASIF_PASS_COLLECT);
            return ASIF_OK;
        }
    }
    bool by_subject = reading->options.units == ASIF_UNITS_SUBJECTS && reading->subject != ASIF_NO_COLUMN;
    uint32_t unit = first ? 0 : reading->now.unit + !(by_subject && same_subject);
    reading->now = (asif_episode){ASIF_CODE_MISSING, unit, reading->copies};
    return ASIF_OK;
}

/* Find the episode of a row by its key; in a collecting pass. */
static asif_status find_episode(asif_reading *reading, const asif_csv_cell *subject,
                                const asif_csv_cell *episode, uint32_t *out, asif_error *error) {
    if (!set_key(reading, subject, episode))
        return asif_fail_memory(error);
    uint32_t id = asif_names_add(&reading->keys, reading->key.data, reading->key.length);
    if (id == ASIF_NO_NAME)
        return asif_fail_memory(error);
    *out = id;
    bool is_new = id + 1 == reading->keys.count;
    if (!is_new || (id < reading->list_capacity && reading->list[id].unit != ASIF_ANY))
        return ASIF_OK;
    uint64_t had = reading->list_capacity;
    if (!asif_grow(reading->context, &reading->list, id, &reading->list_capacity, sizeof *reading->list))
        return asif_fail_memory(error);
    for (; had < reading->list_capacity; had++)
        reading->list[had].unit = ASIF_ANY;
    bool by_subject = reading->options.units == ASIF_UNITS_SUBJECTS && reading->subject != ASIF_NO_COLUMN;
    uint32_t unit = id;
    if (by_subject)
        unit = asif_names_add(&reading->unit_keys, subject->text, subject->length);
    if (unit == ASIF_NO_NAME)
        return asif_fail_memory(error);
    reading->list[id] = (asif_episode){ASIF_CODE_MISSING, unit, reading->copies};
    return ASIF_OK;
}

/* Read the cells of a coder; most have a code that is known. */
static inline bool read_label(asif_reading *reading, asif_coder *coder, uint32_t *out) {
    uint8_t code = coder->parts == 1 ? reading->table->cell[coder->part[0].column].code : 0;
    if (!code || !coder->known[code])
        return asif_coder_read(reading, coder, out);
    *out = coder->known[code] - 1;
    return true;
}

void asif_rows_begin(asif_reading *r) {
    bool together = r->pass == ASIF_PASS_ASCENDING || r->pass == ASIF_PASS_HASHES;
    bool more = r->part || r->map->requires || r->map->step > 0 || r->weight != ASIF_NO_COLUMN ||
                r->start.parts || r->label.parts || r->covariates || r->options.rows || r->start_of;
    r->plain =
        together && !more && r->number && r->time_columns == 1 && r->action.parts == 1 && r->seen.parts == 1;
}

/* Take a row that goes on with the episode, if its time and its labels are known and nothing else is asked of
 * rows. Most rows are like that where the source knows numbers and codes. */
static inline bool go_on(asif_reading *reading) {
    const asif_row_source *table = reading->table;
    if (!reading->plain || !reading->begun || !asif_reading_repeats(reading) ||
        table->flaw->status != ASIF_OK || table->cells != reading->header ||
        reading->steps == reading->step_capacity)
        return false;
    double time = reading->number[reading->time_column[0]];
    uint32_t action = reading->action.known[table->cell[reading->action.part[0].column].code],
             seen = reading->seen.known[table->cell[reading->seen.part[0].column].code];
    if (isnan(time) || !action || !seen)
        return false;
    reading->keyed = reading->info.rows;
    reading->step[reading->steps++] = (asif_step){.row = table->row,
                                                  .time = time,
                                                  .line = table->line,
                                                  .action = action - 1,
                                                  .seen = seen - 1,
                                                  .label = ASIF_CODE_MISSING};
    return true;
}

asif_status asif_rows_take(asif_reading *reading, asif_error *error) {
    reading->copies = reading->table->copies ? reading->table->copies : 1;
    reading->info.rows += reading->copies;
    if (reading->table->ordered && reading->table->row < reading->before)
        reading->info.sorted = false;
    reading->before = reading->table->row;
    reading->muted = reading->pass == ASIF_PASS_SELECT; /* a later pass lists what is wrong with rows */
    if (go_on(reading))
        return ASIF_OK;
    if (!check_shape(reading))
        return ASIF_OK;
    if (reading->pass == ASIF_PASS_SELECT)
        return asif_part_take(reading, error);
    bool wanted = true;
    double time = 0;
    if (reading->part)
        ASIF_TRY(asif_part_read(reading, &wanted, error));
    else if (reading->cells_change)
        asif_cells_read(reading);
    if (!wanted || !asif_rules_keep(reading, &time))
        return ASIF_OK;
    if (reading->pass == ASIF_PASS_MEASURE) {
        asif_rules_measure(reading);
        return ASIF_OK;
    }
    const asif_csv_cell *subject = key_cell(reading, reading->subject),
                        *name = key_cell(reading, reading->episode);
    asif_episode *episode = &reading->now;
    uint32_t id = 0;
    if (reading->pass == ASIF_PASS_COLLECT) {
        ASIF_TRY(find_episode(reading, subject, name, &id, error));
        episode = &reading->list[id];
    } else if (!same_key(reading, subject, name)) {
        ASIF_TRY(begin_episode(reading, subject, name, error));
        if (reading->again)
            return ASIF_OK;
    }
    reading->keyed = reading->info.rows;
    if (reading->steps == reading->step_capacity &&
        !asif_grow(reading->context, &reading->step, reading->steps, &reading->step_capacity,
                   sizeof *reading->step))
        return asif_fail_memory(error);
    asif_step *step = &reading->step[reading->steps];
    *step = (asif_step){.row = reading->table->row,
                        .time = time,
                        .line = reading->table->line,
                        .episode = id,
                        .label = ASIF_CODE_MISSING,
                        .place = reading->start_of ? asif_places_read(reading) : 0};
    ASIF_TRY(read_time(reading, &step->time, error));
    if (!read_label(reading, &reading->action, &step->action) ||
        !read_label(reading, &reading->seen, &step->seen) ||
        (reading->label.parts && !asif_coder_read(reading, &reading->label, &step->label)))
        return asif_fail_memory(error);
    for (uint32_t g = 0; reading->options.rows && g < reading->map->groups; g++)
        step->groups |= (uint32_t)(asif_rules_member(reading, g) == 1) << g;
    ASIF_TRY(read_weight(reading, error));
    ASIF_TRY(read_start(reading, episode, error));
    ASIF_TRY(read_covariates(reading, episode->unit, error));
    reading->steps++;
    return ASIF_OK;
}

typedef struct {
    const char *key;
    uint64_t subject_length, length;
    uint32_t number;
} keyed;

static int compare_keyed(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    return compare_keys(x->key, x->subject_length, x->length, y->key, y->subject_length, y->length);
}

/* Group the steps by episode, in their order: those of episode i are order[first[i]] up to order[first[i +
 * 1]]. */
static void group_steps(asif_reading *reading, uint64_t *first, uint64_t *order) {
    uint32_t n = reading->keys.count;
    memset(first, 0, ((size_t)n + 1) * sizeof *first);
    for (uint64_t i = 0; i < reading->steps; i++)
        first[reading->step[i].episode + 1]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (uint64_t i = 0; i < reading->steps; i++)
        order[first[reading->step[i].episode]++] = i;
    for (uint32_t i = n; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

static asif_status add_collected(asif_reading *reading, asif_error *error) {
    uint32_t n = reading->keys.count;
    keyed *list = ASIF_ARRAY(reading->context, n, keyed);
    uint64_t *first = ASIF_ARRAY(reading->context, (uint64_t)n + 1, uint64_t);
    uint64_t *order = ASIF_ARRAY(reading->context, reading->steps, uint64_t);
    asif_status status = list && first && order ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        group_steps(reading, first, order);
        for (uint32_t i = 0; i < n; i++) {
            const char *key = asif_names_get(&reading->keys, i);
            list[i] = (keyed){key, strlen(key), reading->keys.name[i].length, i};
        }
        if (n)
            qsort(list, n, sizeof *list, compare_keyed);
    }
    for (uint32_t i = 0; status == ASIF_OK && i < n; i++) {
        uint32_t k = list[i].number;
        status = asif_episode_add(reading, list[i].key, list[i].subject_length, list[i].length,
                                  &reading->list[k], order + first[k], first[k + 1] - first[k], error);
    }
    asif_free(reading->context, list);
    asif_free(reading->context, first);
    asif_free(reading->context, order);
    return status;
}

asif_status asif_rows_end(asif_reading *reading, asif_error *error) {
    if (reading->pass == ASIF_PASS_SELECT)
        return asif_part_end(reading, error);
    if (reading->pass == ASIF_PASS_MEASURE) {
        reading->again = true;
        reading->pass = ASIF_PASS_ASCENDING;
        return ASIF_OK;
    }
    return reading->pass == ASIF_PASS_COLLECT ? add_collected(reading, error)
                                              : finish_episode(reading, error);
}
