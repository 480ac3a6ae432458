/* Complete episodes: sorts their steps, checks them, and adds them to the tree. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

static void leave_out(asif_reading *reading, asif_rule rule, uint64_t step) {
    asif_reading_leave_out(reading, &reading->out[rule], reading->step[step].row);
}

/* A time in steps, where the mapping has a step. */
static double in_steps(const asif_reading *reading, double time) {
    return reading->map->step > 0 ? rint(time / reading->map->step) : time;
}

static void show_time(const asif_reading *reading, uint64_t step, char *out, size_t size) {
    if (isnan(reading->step[step].time))
        asif_format(out, size, "%s", asif_show(reading->times.data + reading->step_text[step] - 1).text);
    else
        asif_format(out, size, "%.15g", reading->step[step].time);
}

/* Sort the steps by time where needed, and report times that repeat. False: no memory. */
static bool order_by_time(asif_reading *reading, uint64_t *order, uint64_t count) {
    if (reading->time == ASIF_NO_COLUMN)
        return true;
    bool sorted = true;
    uint64_t ascending = 1; /* as long as numbers rise, there is nothing to do */
    while (ascending < count &&
           reading->step[order[ascending - 1]].time < reading->step[order[ascending]].time)
        ascending++;
    if (ascending >= count)
        return true;
    for (uint64_t i = 1; sorted && i < count; i++)
        sorted = asif_time_before(reading, order[i - 1], order[i]);
    if (!sorted) {
        reading->unsorted++;
        reading->info.sorted = false;
        if (!asif_time_sort(reading, order, count))
            return false;
    }
    for (uint64_t i = 1; i < count; i++) {
        if (asif_time_compare(reading, order[i - 1], order[i]) != 0 ||
            !asif_reading_wants(reading, ASIF_PROBLEM_ERROR))
            continue;
        char time[72];
        if (reading->dates)
            asif_format(time, sizeof time, "the same time");
        else
            show_time(reading, order[i], time, sizeof time);
        bool keyed = reading->subject != ASIF_NO_COLUMN || reading->episode != ASIF_NO_COLUMN;
        asif_reading_list(reading, ASIF_PROBLEM_ERROR, ASIF_EINVALID,
                          asif_reading_at(reading, order[i], reading->time),
                          !keyed ? "does the table hold several episodes? name the column that tells them: "
                                   "episode=COLUMN"
                          : reading->subject == ASIF_NO_COLUMN
                              ? "remove one of the rows; or, if episodes of several subjects have the same "
                                "number, name the column of the subject: subject=COLUMN"
                              : "remove one of the rows, or tell the episodes apart: episode=COLUMN",
                          "time %s repeats in the episode (first in row %llu)", time,
                          (unsigned long long)reading->step[order[i - 1]].row);
    }
    return true;
}

/* Leave out the rows before the time at which episodes begin, and an episode without that time. Returns the
 * number of rows that are left out, which come first. */
static uint64_t check_begin(asif_reading *reading, const uint64_t *order, uint64_t count) {
    uint64_t first = 0;
    if (isnan(reading->map->begin))
        return 0;
    while (first < count && reading->step[order[first]].time != reading->map->begin)
        first++;
    for (uint64_t i = 0; i < first; i++)
        leave_out(reading, ASIF_RULE_BEGIN, order[i]);
    reading->out[ASIF_RULE_BEGIN].episodes += first == count ? reading->copies : 0;
    return first;
}

/* Record a step between whole-number times; steps longer than the shortest step of the table are gaps. The
 * first is that of the least row, in whatever order episodes come. */
static void note_gap(asif_reading *reading, uint64_t before, uint64_t after, double step) {
    const asif_step *s = &reading->step[after];
    bool first = reading->gap.steps == 0, earlier = first || s->row < reading->gap.first_step.row;
    if (!earlier && step == (double)reading->gap.smallest) {
        reading->gap.steps++;
        return;
    }
    double from = reading->step[before].time, to = s->time;
    asif_place place = asif_reading_at(reading, after, reading->time);
    if (first)
        reading->gap.smallest = reading->map->step > 0 ? 1 : (uint64_t)step;
    if ((uint64_t)step < reading->gap.smallest) {
        reading->gap.smallest = (uint64_t)step;
        reading->gap.count = reading->gap.steps;
        reading->gap.first = reading->gap.first_step;
        reading->gap.from = reading->gap.first_from;
        reading->gap.to = reading->gap.first_to;
    }
    if (earlier) {
        reading->gap.first_step = place;
        reading->gap.first_from = from;
        reading->gap.first_to = to;
    }
    reading->gap.steps++;
    if ((uint64_t)step > reading->gap.smallest) {
        if (reading->gap.count++ == 0 || s->row < reading->gap.first.row) {
            reading->gap.first = place;
            reading->gap.from = from;
            reading->gap.to = to;
        }
    }
}

/* For most times without floor(), which is slow where SSE 4.1 cannot be relied on. */
static inline bool is_whole(double x) {
    return fabs(x) < 0x1p53 ? x == (double)(int64_t)x : x == floor(x);
}

/* Whether times go on by the step that was found so far, so that there is nothing to sort and no gap; then
 * their steps are counted. Most episodes are like that. */
static bool goes_evenly(asif_reading *reading, const uint64_t *order, uint64_t count) {
    const asif_log_map *map = reading->map;
    double step = (double)reading->gap.smallest, time = count ? reading->step[order[0]].time : NAN;
    if (reading->time == ASIF_NO_COLUMN || reading->dates || reading->gap.steps == 0 ||
        map->gaps != ASIF_GAPS_IGNORE || map->step > 0 || !isnan(map->begin) || !is_whole(time))
        return false;
    for (uint64_t i = 1; i < count; i++) {
        const asif_step *s = &reading->step[order[i]];
        time += step;
        if (s->time != time || s->row < reading->gap.first_step.row)
            return false;
    }
    if (!(fabs(time) < 0x1p52))
        return false;
    reading->gap.steps += count - 1;
    return true;
}

/* Number of steps to use: all, or with `gaps: cut` those before the first gap. */
static uint64_t check_gaps(asif_reading *reading, const uint64_t *order, uint64_t count) {
    if (reading->time == ASIF_NO_COLUMN || reading->dates)
        return count;
    double to = count ? in_steps(reading, reading->step[order[0]].time) : 0;
    bool whole = is_whole(to);
    for (uint64_t i = 1; i < count; i++) {
        double from = to;
        bool from_whole = whole;
        to = in_steps(reading, reading->step[order[i]].time);
        whole = is_whole(to);
        double step = to - from;
        if (!(step > 0 && step < 1e15) || !from_whole || !whole)
            continue;
        if (reading->map->gaps == ASIF_GAPS_IGNORE) {
            note_gap(reading, order[i - 1], order[i], step);
        } else if (step > 1 && reading->map->gaps == ASIF_GAPS_REFUSE) {
            asif_reading_problem(
                reading, asif_reading_at(reading, order[i], reading->time),
                "`gaps: cut` ends the episode there, `gaps: ignore` passes over it",
                "time goes from %.15g (row %llu) to %.15g: a gap", reading->step[order[i - 1]].time,
                (unsigned long long)reading->step[order[i - 1]].row, reading->step[order[i]].time);
        } else if (step > 1) {
            for (uint64_t k = i; k < count; k++)
                leave_out(reading, ASIF_RULE_GAPS, order[k]);
            return i;
        }
    }
    return count;
}

/* Report the first row that follows an action that ends an episode. */
static void check_ends(asif_reading *reading, const uint64_t *order, uint64_t count) {
    for (uint64_t i = 0; i + 1 < count; i++) {
        uint32_t action = reading->step[order[i]].action;
        char buffer[ASIF_LABEL_SIZE];
        if (!asif_reading_ends(reading, action))
            continue;
        asif_reading_problem(
            reading, asif_reading_at(reading, order[i + 1], reading->episode),
            reading->episode == ASIF_NO_COLUMN
                ? "does a new episode begin here? name the column that tells episodes apart: episode=COLUMN"
                : "does a new episode begin here? then its `episode` must be another",
            "a row follows `%s` (row %llu), which ends an episode",
            asif_show(asif_setting_label(reading->setting, ASIF_LABEL_ACTION, action, buffer)).text,
            (unsigned long long)reading->step[order[i]].row);
        return;
    }
}

/* Decisions that an episode has at most; 0: no limit. */
static uint32_t horizon_of(const asif_reading *reading) {
    return reading->setting ? asif_setting_get(reading->setting)->horizon : 0;
}

/* Report the first row beyond the horizon. */
static void check_horizon(asif_reading *reading, const uint64_t *order, uint64_t count) {
    uint32_t horizon = horizon_of(reading);
    if (!horizon || count <= horizon)
        return;
    asif_reading_problem(reading, asif_reading_at(reading, order[horizon], reading->episode),
                         reading->episode == ASIF_NO_COLUMN
                             ? "does the table hold several episodes? name the column that tells them: "
                               "episode=COLUMN"
                             : "does a new episode begin here, or is the `horizon` of the study too short?",
                         "this is decision %llu of its episode, and the horizon is %u",
                         (unsigned long long)horizon + 1, horizon);
}

/* Whether an observation or state is missing where one is expected. The first or last observation of an
 * episode may be missing. */
static bool lacks(const asif_reading *reading, const asif_step *step, uint64_t i, uint64_t count) {
    if (step->seen != ASIF_CODE_MISSING)
        return false;
    return reading->states_seen ||
           (reading->map->before ? i > 0 : i + 1 < count && !asif_reading_ends(reading, step->action));
}

/* The action whose result is recorded in the i-th step. */
static uint32_t shown_by(const asif_reading *reading, const uint64_t *order, uint64_t i) {
    return reading->step[order[reading->map->before ? i - 1 : i]].action;
}

static void refuse_missing(asif_reading *reading, const uint64_t *order, uint64_t i) {
    char label[ASIF_LABEL_SIZE], hint[256];
    uint32_t action = shown_by(reading, order, i);
    if (asif_lacks_shows(reading, action))
        asif_format(hint, sizeof hint,
                    "if the decision-maker saw nothing there: `missing: not_seen`. If something was seen and "
                    "not recorded, leave the episode out: `missing: drop_episode`, or average over it: "
                    "`unrecorded` of the column");
    else
        asif_format(hint, sizeof hint,
                    "by the study `%s` shows nothing of the state: `missing: not_seen`, or `drop_episode` if "
                    "results of other actions were lost",
                    asif_show(asif_setting_label(reading->setting, ASIF_LABEL_ACTION, action, label)).text);
    asif_reading_problem(reading, asif_reading_at(reading, order[i], reading->seen.part[0].column), hint,
                         "the observation is missing%s",
                         reading->map->before ? "" : ", and it is not the last of its episode");
}

/* Whether the action is missing, or the result of an action that shows something about the state. */
static bool is_lost(const asif_reading *reading, const uint64_t *order, uint64_t i, uint64_t count) {
    const asif_step *step = &reading->step[order[i]];
    if (step->action == ASIF_CODE_MISSING)
        return true;
    return lacks(reading, step, i, count) &&
           (reading->states_seen || asif_lacks_shows(reading, shown_by(reading, order, i)));
}

static bool drop_episode(asif_reading *reading, const uint64_t *order, uint64_t count) {
    uint64_t i = 0;
    while (i < count && !is_lost(reading, order, i, count))
        i++;
    for (uint64_t k = 0; i < count && k < count; k++)
        leave_out(reading, ASIF_RULE_DROP_EPISODE, order[k]);
    reading->out[ASIF_RULE_DROP_EPISODE].episodes += i < count ? reading->copies : 0;
    return i < count;
}

/* Refuse or leave out rows with missing cells; returns the number of steps that stay. */
static uint64_t check_missing(asif_reading *reading, uint64_t *order, uint64_t count) {
    uint64_t kept = 0;
    if (reading->map->missing == ASIF_MISSING_DROP_EPISODE && drop_episode(reading, order, count))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const asif_step *step = &reading->step[order[i]];
        bool action = step->action == ASIF_CODE_MISSING, seen = lacks(reading, step, i, count);
        if ((action || seen) && reading->map->missing == ASIF_MISSING_DROP_ROW) {
            if ((horizon_of(reading) || reading->start_of) && i + 1 < count)
                asif_reading_problem(
                    reading, asif_reading_at(reading, order[i], reading->action.part[0].column),
                    "leave the episode out instead: `missing: drop_episode`",
                    horizon_of(reading) ? "with a horizon this row cannot be left out: the decisions after "
                                          "it would have wrong numbers"
                                        : "this row cannot be left out: the seen part of the state would "
                                          "not follow");
            leave_out(reading, ASIF_RULE_DROP_ROW, order[i]);
            continue;
        }
        if (action)
            asif_reading_problem(reading, asif_reading_at(reading, order[i], reading->action.part[0].column),
                                 "fill it in, or leave such rows out with `missing: drop_row`",
                                 "the action is missing");
        if (seen && reading->states_seen)
            asif_reading_problem(reading, asif_reading_at(reading, order[i], reading->seen.part[0].column),
                                 "fill it in, or leave such rows out with `missing: drop_row`",
                                 "the state is missing");
        else if (seen && reading->map->missing == ASIF_MISSING_REFUSE)
            refuse_missing(reading, order, i);
        order[kept++] = order[i];
    }
    return kept;
}

/* Whether nothing can follow the seen value of a step. */
static bool is_terminal(const asif_reading *reading, const asif_step *step) {
    const asif_setting_spec *spec = reading->start_of ? asif_setting_get(reading->setting) : NULL;
    return spec && spec->seen > 1 && spec->terminal[(uint64_t)step->place * asif_hidden_values(spec)];
}

/* Record what the warnings about the whole table need: results seen and missing, and how episodes begin and
 * end. */
static void note_lacks(asif_reading *reading, const uint64_t *order, uint64_t count, bool cut) {
    uint32_t column = reading->seen.parts ? reading->seen.part[0].column : ASIF_NO_COLUMN;
    for (uint64_t i = 0; !reading->states_seen && i < count; i++) {
        const asif_step *step = &reading->step[order[i]];
        bool seen = step->seen != ASIF_CODE_MISSING;
        if (seen ? !(reading->map->before && i == 0) : lacks(reading, step, i, count))
            asif_lacks_result(reading, shown_by(reading, order, i), seen,
                              asif_reading_at(reading, order[i], column));
    }
    const asif_step *first = &reading->step[order[0]], *last = &reading->step[order[count - 1]];
    bool timed = reading->time != ASIF_NO_COLUMN && !reading->dates;
    asif_lacks_episode(reading, timed ? first->time : NAN,
                       cut || !reading->has_ends || asif_reading_ends(reading, last->action) ||
                           count == horizon_of(reading) || is_terminal(reading, last),
                       asif_reading_at(reading, order[0], reading->time),
                       asif_reading_at(reading, order[count - 1], reading->action.part[0].column));
}

static bool reaches(const asif_setting *setting, uint32_t world, uint32_t from, uint32_t action,
                    uint32_t to) {
    const asif_matrix *m = asif_transitions(setting, world, action);
    if (!m->offset)
        return m->value[(m->same_rows ? 0 : (uint64_t)from * m->columns) + to] > 0;
    uint64_t begin = 0, end = 0;
    asif_matrix_row(m, from, &begin, &end);
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (m->column[middle] == to)
            return m->value[middle] > 0;
        if (m->column[middle] < to)
            begin = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* The state of a step whose columns tell a part of it. */
static uint32_t state_of(const asif_reading *reading, const asif_step *step) {
    const asif_setting_spec *spec = reading->start_of ? asif_setting_get(reading->setting) : NULL;
    return spec && step->seen < spec->states ? step->place * (spec->states / spec->leading) + step->seen
                                             : step->seen;
}

static void check_transition(asif_reading *reading, const asif_step *step, uint32_t next, uint64_t after) {
    if (!reading->setting)
        return;
    const asif_setting_spec *spec = asif_setting_get(reading->setting);
    uint32_t state = state_of(reading, step);
    if (state >= spec->states || step->action >= spec->actions || next >= spec->states)
        return;
    for (uint32_t m = 0; m < spec->worlds; m++)
        if (spec->world_weights[m] > 0 && reaches(reading->setting, m, state, step->action, next))
            return;
    if (reading->impossible.count == 0)
        reading->impossible.first = asif_reading_at(reading, after, reading->seen.part[0].column);
    reading->impossible.count += reading->copies;
}

static asif_status add_states(asif_reading *reading, const uint64_t *order, uint64_t count, const bool *gap,
                              asif_error *error) {
    for (uint64_t i = 0; i < count; i++) {
        const asif_step *step = &reading->step[order[i]];
        uint32_t next =
            i + 1 < count && !gap[i + 1] ? state_of(reading, &reading->step[order[i + 1]]) : ASIF_ANY;
        if (next != ASIF_ANY)
            check_transition(reading, step, next, order[i + 1]);
        if (!reading->failed)
            ASIF_TRY(asif_tree_state(reading->builder, state_of(reading, step), step->action, next,
                                     asif_reading_weight(reading, order[i]), step->row, error));
    }
    return ASIF_OK;
}

static asif_status add_first(asif_reading *reading, uint64_t first, asif_error *error) {
    const asif_step *step = &reading->step[first];
    if (step->seen >= ASIF_CODE_BAD)
        return ASIF_OK;
    if (reading->initial == ASIF_ANY) {
        asif_reading_problem(reading, asif_reading_at(reading, first, reading->seen.part[0].column),
                             "name the action whose emissions it follows: initial_observation: ACTION",
                             "an observation comes before the first action, and no action explains it");
        return ASIF_OK;
    }
    asif_reading_possible(reading, reading->initial, step->seen, first);
    return reading->failed ? ASIF_OK
                           : asif_tree_move(reading->builder, reading->initial, step->seen, step->row, error);
}

/* Put the seen value that follows the i-th step before what is observed. False: one of them is not known, so
 * that nothing is to be added. */
static bool show_place(asif_reading *reading, const uint64_t *order, uint64_t i, uint64_t count,
                       uint64_t from, uint32_t *seen) {
    uint32_t shown = asif_shown_values(asif_setting_get(reading->setting));
    uint32_t next = i + 1 < count ? reading->step[order[i + 1]].place
                                  : asif_places_after(reading, &reading->step[order[i]]);
    if (*seen == ASIF_CODE_MISSING && shown == 1)
        *seen = 0;
    if (*seen == ASIF_CODE_MISSING && i + 1 < count)
        asif_reading_problem(reading, asif_reading_at(reading, from, reading->seen.part[0].column),
                             "leave such episodes out: `missing: drop_episode`",
                             "the observation is missing: one that was not seen is not yet possible where a "
                             "part of the state is seen");
    if (*seen >= shown || next == ASIF_ANY)
        return false;
    *seen += next * shown;
    return true;
}

static asif_status add_observations(asif_reading *reading, const uint64_t *order, uint64_t count,
                                    asif_error *error) {
    bool before = reading->map->before;
    if (before && count)
        ASIF_TRY(add_first(reading, order[0], error));
    for (uint64_t i = 0; i < count; i++) {
        const asif_step *step = &reading->step[order[i]];
        if (!reading->failed)
            ASIF_TRY(asif_tree_act(reading->builder, step->action, asif_reading_weight(reading, order[i]),
                                   step->row, error));
        if (before && i + 1 == count)
            break;
        uint64_t from = before ? order[i + 1] : order[i];
        uint32_t seen = reading->step[from].seen;
        if (reading->start_of && !show_place(reading, order, i, count, from, &seen))
            continue;
        asif_reading_possible(reading, step->action, seen, from);
        /* An observation after the last action of an episode belongs to the next case. */
        if (!reading->failed && (i + 1 < count || !asif_reading_ends(reading, step->action))) {
            ASIF_TRY(asif_tree_move(reading->builder, step->action, seen, reading->step[from].row, error));
            asif_tree_label_state(reading->builder, reading->step[from].label);
        }
    }
    return ASIF_OK;
}

/* Enter the unit of an episode: a new one unless its key equals the key of the unit before. False: no
 * memory. */
static bool enter_unit(asif_reading *reading, const char *key, uint64_t subject_length, uint64_t key_length,
                       uint32_t arrival) {
    bool by_subject = reading->options.units == ASIF_UNITS_SUBJECTS && reading->subject != ASIF_NO_COLUMN;
    uint64_t length = by_subject ? subject_length : key_length;
    if (reading->units && reading->unit_key.length == length &&
        memcmp(reading->unit_key.data, key, (size_t)length) == 0)
        return true;
    reading->unit_key.length = 0;
    asif_text_add_n(&reading->unit_key, key, length);
    if (!asif_grow(reading->context, &reading->unit_name, reading->units, &reading->unit_capacity,
                   sizeof *reading->unit_name) ||
        !asif_grow(reading->context, &reading->arrival, reading->units, &reading->arrival_capacity,
                   sizeof *reading->arrival))
        return false;
    reading->unit_name[reading->units] = reading->unit_names.length;
    reading->arrival[reading->units++] = arrival;
    asif_text *names = &reading->unit_names;
    uint64_t begin = names->length;
    if (reading->subject == ASIF_NO_COLUMN && reading->episode == ASIF_NO_COLUMN)
        asif_text_add(names, "all");
    else if (reading->subject != ASIF_NO_COLUMN)
        asif_text_add_n(names, key, subject_length);
    if (!by_subject && reading->episode != ASIF_NO_COLUMN) {
        if (names->length > begin)
            asif_text_add_n(names, "/", 1);
        asif_text_add_n(names, key + subject_length + 1, key_length - subject_length - 1);
    }
    asif_text_add_n(names, "", 1);
    return !names->failed && !reading->unit_key.failed;
}

/* Count an episode with decisions, and its subject if that is new. False: no memory. */
static bool count_episode(asif_reading *reading, const char *key, uint64_t subject_length,
                          uint64_t decisions) {
    asif_logs_info *info = &reading->info;
    bool same = reading->fed && reading->subject != ASIF_NO_COLUMN &&
                reading->fed_subject_length == subject_length &&
                memcmp(reading->fed_key.data, key, (size_t)subject_length) == 0;
    info->episodes += reading->copies;
    info->decisions += reading->copies * decisions;
    if (decisions > info->longest)
        info->longest = decisions;
    if (same)
        return true;
    bool known = false;
    if (reading->pass == ASIF_PASS_HASHES && reading->subject != ASIF_NO_COLUMN &&
        !asif_hashes_add(&reading->subject_hashes, asif_hash_bytes(key, subject_length), &known))
        return false;
    info->subjects += known ? 0 : reading->subject == ASIF_NO_COLUMN ? reading->copies : 1;
    reading->fed = true;
    reading->fed_key.length = 0;
    asif_text_add_n(&reading->fed_key, key, subject_length);
    reading->fed_subject_length = subject_length;
    return !reading->fed_key.failed;
}

asif_status asif_episode_add(asif_reading *reading, const char *key, uint64_t subject_length,
                             uint64_t key_length, const asif_episode *episode, uint64_t *order,
                             uint64_t count, asif_error *error) {
    reading->copies = episode->copies;
    bool even = goes_evenly(reading, order, count);
    if (!even && !order_by_time(reading, order, count))
        return asif_fail_memory(error);
    uint64_t late = check_begin(reading, order, count);
    order += late;
    count -= late;
    if (count == 0)
        return ASIF_OK;
    uint64_t all = count;
    count = even ? count : check_gaps(reading, order, count);
    bool cut = count < all;
    check_ends(reading, order, count);
    check_horizon(reading, order, count);
    bool *gap = NULL, states = reading->states_seen;
    if (states) {
        /* gap[k]: a row was left out just before the k-th row that stays, so the two do not make a
         * transition. */
        gap = ASIF_ARRAY(reading->context, count, bool);
        if (!gap)
            return asif_fail_memory(error);
        bool drop = reading->map->missing == ASIF_MISSING_DROP_ROW, left_out = false;
        uint64_t k = 0;
        for (uint64_t i = 0; i < count; i++) {
            const asif_step *step = &reading->step[order[i]];
            bool missing = step->action == ASIF_CODE_MISSING || step->seen == ASIF_CODE_MISSING;
            if (!(drop && missing))
                gap[k++] = left_out;
            left_out = drop && missing;
        }
    }
    count = check_missing(reading, order, count);
    asif_status status = ASIF_OK;
    if (count && asif_places_resolve(reading, order, count)) {
        note_lacks(reading, order, count, cut);
        uint64_t unit = ASIF_NO_UNIT;
        if (reading->options.units != ASIF_UNITS_NONE) {
            if (!enter_unit(reading, key, subject_length, key_length, episode->unit))
                status = asif_fail_memory(error);
            unit = reading->units - 1;
        }
        if (status == ASIF_OK && !count_episode(reading, key, subject_length, count))
            status = asif_fail_memory(error);
        if (reading->weight == ASIF_NO_COLUMN)
            reading->info.weight += (double)(reading->copies * count);
        for (uint64_t i = 0; reading->weight != ASIF_NO_COLUMN && i < count; i++)
            reading->info.weight += (double)reading->copies * reading->step_weight[order[i]];
        uint32_t start = reading->start_of ? reading->start_of[reading->step[order[0]].place]
                         : episode->start == ASIF_CODE_MISSING ? 0
                                                               : episode->start;
        if (status == ASIF_OK && !reading->failed)
            status = asif_tree_episodes(reading->builder, start, unit, reading->copies, error);
        bool lost = false;
        if (status == ASIF_OK && reading->real && !reading->failed)
            status = asif_completions_add(reading, order, count, start, &lost, error);
        if (status == ASIF_OK && !lost)
            status = states ? add_states(reading, order, count, gap, error)
                            : add_observations(reading, order, count, error);
        if (status == ASIF_OK && reading->options.rows && !reading->failed &&
            !asif_rows_write(reading, key, subject_length, order, count))
            status = asif_fail_memory(error);
    }
    asif_free(reading->context, gap);
    return status;
}
