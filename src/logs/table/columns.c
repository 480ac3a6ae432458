/* Finds the columns of all roles, from the mapping, the header and the setting. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static asif_status fail_header(asif_reading *reading, asif_error *error, uint32_t column) {
    asif_error_at(error, reading->file, reading->table->line, column);
    return error ? error->status : ASIF_EUNKNOWN;
}

/* List the columns, for a hint. */
static void list_columns(const asif_reading *reading, char *out, size_t size) {
    size_t used = (size_t)asif_format(out, size, "the columns are ");
    for (uint32_t i = 0; i < reading->header; i++) {
        if (used + 80 > size) {
            asif_format(out + used, size - used, ", ...");
            return;
        }
        used += (size_t)asif_format(out + used, size - used, "%s`%s`", i ? ", " : "",
                                    asif_show(reading->table->cell[i].text).text);
    }
}

static uint32_t find_column(const asif_reading *reading, const char *name) {
    for (uint32_t i = 0; name && i < reading->header; i++)
        if (strcmp(reading->table->cell[i].text, name) == 0)
            return i;
    return ASIF_NO_COLUMN;
}

static asif_status no_such_column(asif_reading *reading, const char *what, const char *name,
                                  asif_error *error) {
    enum { MOST = 256 };
    const char *names[MOST], *near = NULL;
    uint32_t n = 0;
    for (; n < reading->header && n < MOST; n++)
        names[n] = reading->table->cell[n].text;
    asif_fail(error, ASIF_EUNKNOWN, "there is no column `%s`%s%s%s", asif_show(name).text,
              what ? ", which is to be the " : "", what ? what : "", "");
    near = asif_nearest_word(name, names, n);
    char hint[256];
    if (near)
        asif_format(hint, sizeof hint, "did you mean `%s`?", asif_show(near).text);
    else
        list_columns(reading, hint, sizeof hint);
    asif_error_hint(error, "%s", hint);
    return fail_header(reading, error, 0);
}

static asif_status use_column(asif_reading *reading, uint32_t column, asif_error *error) {
    const asif_row_source *table = reading->table;
    const char *type = table->unreadable ? table->unreadable[column] : NULL;
    if (type) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the column `%s` has values of the Arrow type `%s`",
                  asif_show(table->cell[column].text).text, asif_show(type).text);
        asif_error_hint(error, "make it a column of texts, numbers, truth values, dates or times");
        return fail_header(reading, error, column + 1);
    }
    if (table->used)
        table->used[column] = true;
    return ASIF_OK;
}

/* Find a column that the mapping names; it must occur exactly once. */
static asif_status need_column(asif_reading *reading, const char *what, const char *name, uint32_t *out,
                               asif_error *error) {
    *out = find_column(reading, name);
    if (*out == ASIF_NO_COLUMN)
        return no_such_column(reading, what, name, error);
    for (uint32_t i = *out + 1; i < reading->header; i++) {
        if (strcmp(reading->table->cell[i].text, name) != 0)
            continue;
        asif_fail(error, ASIF_EPARSE, "two columns are called `%s`", asif_show(name).text);
        asif_error_hint(error, "rename one of them");
        return fail_header(reading, error, i + 1);
    }
    return use_column(reading, *out, error);
}

asif_status asif_reading_column(asif_reading *reading, const char *name, uint32_t *out, asif_error *error) {
    *out = find_column(reading, name);
    return *out == ASIF_NO_COLUMN ? ASIF_OK : need_column(reading, NULL, name, out, error);
}

/* Names of columns that are used where the mapping names none. */
static const struct {
    asif_role role;
    const char *name;
} defaults[] = {
    {ASIF_ROLE_SUBJECT, "subject"}, {ASIF_ROLE_EPISODE, "episode"}, {ASIF_ROLE_TIME, "t"},
    {ASIF_ROLE_TIME, "time"},       {ASIF_ROLE_ACTION, "action"},   {ASIF_ROLE_OBSERVATION, "observation"},
    {ASIF_ROLE_STATE, "state"},
};

static const char *default_column(const asif_reading *reading, asif_role role) {
    for (uint32_t i = 0; i < COUNT(defaults); i++)
        if (defaults[i].role == role && find_column(reading, defaults[i].name) != ASIF_NO_COLUMN)
            return defaults[i].name;
    return NULL;
}

static asif_status bind_plain(asif_reading *reading, asif_role role, uint32_t *out, asif_error *error) {
    const asif_log_role *mapped = &reading->map->role[role];
    const char *name = mapped->columns ? mapped->column[0].name : default_column(reading, role);
    *out = ASIF_NO_COLUMN;
    return name ? need_column(reading, asif_role_name(role), name, out, error) : ASIF_OK;
}

/* Find the columns of the time. Several that are named may be missing, but not all. */
static asif_status bind_time(asif_reading *reading, asif_error *error) {
    const asif_log_role *mapped = &reading->map->role[ASIF_ROLE_TIME];
    reading->time_column = ASIF_ARRAY(reading->context, mapped->columns + 1, uint32_t);
    if (!reading->time_column)
        return asif_fail_memory(error);
    for (uint32_t i = 0; mapped->columns > 1 && i < mapped->columns; i++) {
        if (find_column(reading, mapped->column[i].name) == ASIF_NO_COLUMN)
            continue;
        ASIF_TRY(need_column(reading, "time", mapped->column[i].name,
                             &reading->time_column[reading->time_columns], error));
        reading->time_columns++;
    }
    if (reading->time_columns == 0) {
        ASIF_TRY(bind_plain(reading, ASIF_ROLE_TIME, &reading->time_column[0], error));
        reading->time_columns = reading->time_column[0] != ASIF_NO_COLUMN;
    }
    reading->time = reading->time_column[0];
    if (reading->time_columns == 0 && (reading->map->step > 0 || !isnan(reading->map->begin))) {
        asif_fail(error, ASIF_EINVALID, "`%s` needs a column of the time",
                  reading->map->step > 0 ? "step" : "begin");
        asif_error_hint(error, "name it: time=COLUMN");
        return fail_header(reading, error, 0);
    }
    return ASIF_OK;
}

static bool add_text(asif_names *names, const char *text) {
    return asif_names_add(names, text, strlen(text)) != ASIF_NO_NAME;
}

/* Compute the cuts of a column from its mean and standard deviation, unless these are measured in this
 * pass. */
static asif_status measure_part(asif_reading *reading, struct asif_coder_part *part, asif_error *error) {
    const asif_log_column *map = part->map;
    asif_measure *m = part->measure = &reading->measure[reading->measured++];
    if (reading->pass == ASIF_PASS_MEASURE || reading->pass == ASIF_PASS_SELECT)
        return ASIF_OK;
    double sd = m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : 0;
    part->measured[0] = m->mean - map->spread * sd;
    part->measured[1] = m->mean + map->spread * sd;
    part->cut = part->measured;
    if (sd > 0 && isfinite(sd) && part->measured[0] < part->measured[1])
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "`%s` cannot be cut at its mean and standard deviation: %s",
              asif_show(map->name).text,
              m->count < 2 ? "it has fewer than two numbers" : "its numbers do not differ");
    return fail_header(reading, error, part->column + 1);
}

static asif_status prepare_part(struct asif_coder_part *part, asif_error *error) {
    const asif_log_column *map = part->map;
    char number[16];
    for (uint32_t i = 0; map && map->from && i < map->labels; i++)
        if (!add_text(&part->from, map->from[i]))
            return asif_fail_memory(error);
    for (uint32_t i = 0; map && map->cuts && i <= map->cuts; i++) {
        asif_format(number, sizeof number, "%u", i);
        if (!add_text(&part->classes, map->labels ? map->to[i] : number))
            return asif_fail_memory(error);
    }
    /* The labels of a column, each once, in the order in which columns are crossed. */
    for (uint32_t i = 0; map && map->from && i < map->labels; i++)
        if (!add_text(&part->classes, map->to[i]))
            return asif_fail_memory(error);
    if (map && ((map->present && !add_text(&part->classes, map->present)) ||
                (map->missing && part->classes.count && !add_text(&part->classes, map->missing))))
        return asif_fail_memory(error);
    return ASIF_OK;
}

static asif_status bind_coder(asif_reading *reading, asif_role role, asif_label_kind kind,
                              const char *fallback, asif_coder *coder, asif_error *error) {
    const asif_log_role *mapped = &reading->map->role[role];
    uint32_t parts = mapped->columns ? mapped->columns : 1;
    coder->role = role;
    coder->kind = kind;
    coder->open = !reading->setting;
    coder->part = ASIF_ARRAY(reading->context, parts, struct asif_coder_part);
    if (!coder->part)
        return asif_fail_memory(error);
    coder->parts = parts;
    for (uint32_t i = 0; i < parts; i++) {
        struct asif_coder_part *part = &coder->part[i];
        part->from.context = part->classes.context = reading->context;
        part->map = mapped->columns ? &mapped->column[i] : NULL;
        ASIF_TRY(need_column(reading, asif_role_name(role), part->map ? part->map->name : fallback,
                             &part->column, error));
        part->cut = part->map ? part->map->cut : NULL;
        if (part->map && part->map->spread > 0)
            ASIF_TRY(measure_part(reading, part, error));
        ASIF_TRY(prepare_part(part, error));
    }
    return ASIF_OK;
}

static bool add_labels(const asif_setting *setting, asif_label_kind kind, asif_names *names) {
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; i < asif_setting_count(setting, kind); i++)
        if (!add_text(names, asif_setting_label(setting, kind, i, buffer)))
            return false;
    return true;
}

/* Make all combinations of the columns' classes, joined by `/`; the last column varies fastest. False: no
 * memory. */
static bool cross(const asif_coder *coder, uint64_t product, asif_names *out) {
    asif_text joined = {.context = out->context};
    bool good = true;
    for (uint64_t k = 0; good && k < product; k++) {
        uint64_t rest = product, index = k;
        joined.length = 0;
        for (uint32_t i = 0; i < coder->parts; i++) {
            const asif_names *classes = &coder->part[i].classes;
            rest /= classes->count;
            if (i)
                asif_text_add_n(&joined, "/", 1);
            asif_text_add(&joined, asif_names_get(classes, (uint32_t)(index / rest)));
            index %= rest;
        }
        good = !joined.failed && asif_names_add(out, joined.data, joined.length) != ASIF_NO_NAME;
    }
    asif_text_free(&joined);
    return good;
}

static const char *const plurals[] = {"states",        "actions",     "observations", "parameters",
                                      "start classes", "seen values", "states",       "observations"};

/* Match the labels that the columns' classes make with those of the setting: by name or, if no name matches,
 * in order. */
static asif_status match_classes(asif_reading *reading, asif_coder *coder, asif_error *error) {
    uint64_t product = 1;
    bool cut = false;
    for (uint32_t i = 0; i < coder->parts; i++) {
        uint32_t n = coder->part[i].classes.count;
        if (n == 0)
            return ASIF_OK;
        const asif_log_column *map = coder->part[i].map;
        cut = cut || (map && map->cuts > 0);
        product *= n;
        if (product > 1000000)
            return ASIF_OK;
    }
    asif_names made = {.context = reading->context};
    if (!cross(coder, product, &made)) {
        asif_names_free(&made);
        return asif_fail_memory(error);
    }
    uint64_t matching = 0, count = coder->names.count;
    for (uint32_t i = 0; i < made.count; i++)
        matching +=
            asif_names_find(&coder->names, asif_names_get(&made, i), made.name[i].length) != ASIF_NO_NAME;
    asif_status status = ASIF_OK;
    if (matching == 0 && (cut || coder->parts > 1)) {
        if (product == count && made.count == count) {
            if (coder->parts > 1 && asif_reading_wants(reading, ASIF_PROBLEM_NOTE))
                asif_reading_list(
                    reading, ASIF_PROBLEM_NOTE, ASIF_OK, (asif_place){0, 0, 0}, "",
                    "the columns of `%s` are crossed in order: `%s` is `%s`, and so on to `%s`, "
                    "which is `%s`",
                    asif_role_name(coder->role), asif_show(asif_names_get(&made, 0)).text,
                    asif_show(asif_names_get(&coder->names, 0)).text,
                    asif_show(asif_names_get(&made, (uint32_t)count - 1)).text,
                    asif_show(asif_names_get(&coder->names, (uint32_t)count - 1)).text);
            asif_names old = coder->names;
            coder->names = made;
            made = old;
        } else {
            status = asif_fail(error, ASIF_EINVALID,
                               "the %s of `%s` make %llu labels (`%s`, ...), but there are %llu %s",
                               coder->parts > 1 ? "columns" : "cuts", asif_role_name(coder->role),
                               (unsigned long long)product, asif_show(asif_names_get(&made, 0)).text,
                               (unsigned long long)count, plurals[coder->kind]);
            asif_error_hint(error, coder->parts > 1
                                       ? "name the crossed labels in the study, as `a/b`, or make as many"
                                       : "n cuts make n + 1 classes: as many as there are labels");
            fail_header(reading, error, coder->part[0].column + 1);
        }
    }
    asif_names_free(&made);
    return status;
}

static asif_status bind_labels(asif_reading *reading, asif_coder *coder, asif_error *error) {
    if (!reading->setting)
        return ASIF_OK;
    if (!add_labels(reading->setting, coder->kind, &coder->names))
        return asif_fail_memory(error);
    return match_classes(reading, coder, error);
}

/* Fail because no column has the default name of a role. */
static asif_status no_default(asif_reading *reading, const char *name, asif_error *error) {
    char hint[256];
    double number = 0;
    const asif_csv_cell *cell = reading->table->cell;
    bool data = asif_number_read(cell[0].text, cell[0].length, &number);
    asif_fail(error, ASIF_EUNKNOWN, "no column is named `%s`", name);
    list_columns(reading, hint, sizeof hint);
    if (data)
        asif_error_hint(error, "the first line must name the columns; %s", hint);
    else
        asif_error_hint(error, "say which one it is, as %s=COLUMN; %s", name, hint);
    return fail_header(reading, error, 0);
}

static asif_status bind_action(asif_reading *reading, asif_error *error) {
    if (!reading->map->role[ASIF_ROLE_ACTION].columns && find_column(reading, "action") == ASIF_NO_COLUMN)
        return no_default(reading, "action", error);
    ASIF_TRY(bind_coder(reading, ASIF_ROLE_ACTION, ASIF_LABEL_ACTION, "action", &reading->action, error));
    return bind_labels(reading, &reading->action, error);
}

/* Find the columns of the observation, or of the state where states are seen. */
static asif_status bind_seen(asif_reading *reading, asif_error *error) {
    const asif_log_role *role = reading->map->role;
    bool state = role[ASIF_ROLE_STATE].columns > 0, observation = role[ASIF_ROLE_OBSERVATION].columns > 0;
    if (reading->setting) {
        bool sees = asif_setting_get(reading->setting)->observations == 0;
        if (sees ? observation && !state : state && !observation) {
            asif_fail(error, ASIF_EINVALID, "the logs have %s, but the study %s",
                      sees ? "an observation" : "a state",
                      sees ? "has no observations: the agent sees the state" : "has observations");
            asif_error_hint(error, sees ? "name the column of the state before the action: `state`"
                                        : "name the column of the observation: `observation`");
            return fail_header(reading, error, 0);
        }
        reading->states_seen = sees;
    } else {
        reading->states_seen =
            state || (!observation && find_column(reading, "observation") == ASIF_NO_COLUMN &&
                      find_column(reading, "state") != ASIF_NO_COLUMN);
    }
    const char *name = reading->states_seen ? "state" : "observation";
    if (!(reading->states_seen ? state : observation) && find_column(reading, name) == ASIF_NO_COLUMN)
        return no_default(reading, name, error);
    bool part = reading->setting && asif_setting_get(reading->setting)->seen_columns > 0;
    ASIF_TRY(bind_coder(reading, reading->states_seen ? ASIF_ROLE_STATE : ASIF_ROLE_OBSERVATION,
                        reading->states_seen ? part ? ASIF_LABEL_HIDDEN : ASIF_LABEL_STATE
                        : part               ? ASIF_LABEL_SHOWN
                                             : ASIF_LABEL_OBSERVATION,
                        name, &reading->seen, error));
    return bind_labels(reading, &reading->seen, error);
}

static asif_status bind_start(asif_reading *reading, asif_error *error) {
    const asif_setting_spec *spec = reading->setting ? asif_setting_get(reading->setting) : NULL;
    bool mapped = reading->map->role[ASIF_ROLE_START].columns > 0;
    if (!spec || spec->starts < 2 || spec->seen_columns) {
        if (!mapped)
            return ASIF_OK;
        asif_fail(error, ASIF_EINVALID, "a column of start classes is named, but there are no start classes");
        asif_error_hint(error, "they are described in the study: start: {by: COLUMN, ...}");
        return fail_header(reading, error, 0);
    }
    if (!mapped && !spec->start_column) {
        asif_fail(error, ASIF_EINVALID, "the setting has start classes, but no column tells them");
        asif_error_hint(error, "name it: start=COLUMN");
        return fail_header(reading, error, 0);
    }
    ASIF_TRY(
        bind_coder(reading, ASIF_ROLE_START, ASIF_LABEL_START, spec->start_column, &reading->start, error));
    return bind_labels(reading, &reading->start, error);
}

static asif_status bind_label(asif_reading *reading, asif_error *error) {
    if (!reading->map->role[ASIF_ROLE_LABEL].columns || !reading->setting)
        return ASIF_OK;
    if (reading->states_seen) {
        asif_fail(error, ASIF_EUNSUPPORTED, "a `label` of the state is named, but the agent sees the state");
        asif_error_hint(error, "leave `label` out of `logs`");
        return fail_header(reading, error, 0);
    }
    ASIF_TRY(bind_coder(reading, ASIF_ROLE_LABEL, ASIF_LABEL_STATE, NULL, &reading->label, error));
    return bind_labels(reading, &reading->label, error);
}

static asif_status bind_rules(asif_reading *reading, asif_error *error) {
    const asif_log_map *map = reading->map;
    reading->require = ASIF_ARRAY(reading->context, map->requires, uint32_t);
    reading->group = ASIF_ARRAY(reading->context, map->groups, uint32_t);
    if (!reading->require || !reading->group)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < map->requires; i++)
        ASIF_TRY(need_column(reading, NULL, map->require[i], &reading->require[i], error));
    for (uint32_t i = 0; i < map->groups; i++) {
        reading->group[i] = find_column(reading, map->group[i].column);
        if (reading->group[i] != ASIF_NO_COLUMN)
            ASIF_TRY(use_column(reading, reading->group[i], error));
    }
    for (uint32_t i = 0; reading->options.rows && i < map->groups; i++)
        ASIF_TRY(need_column(reading, NULL, map->group[i].column, &reading->group[i], error));
    return ASIF_OK;
}

/* Find a column, or the column of the group that has this name. */
static asif_status need_covariate(asif_reading *reading, const char *name, uint32_t *column, uint32_t *group,
                                  asif_error *error) {
    const asif_log_group *g = asif_log_map_group(reading->map, name);
    *group = g ? (uint32_t)(g - reading->map->group) : ASIF_ANY;
    return need_column(reading, NULL, g ? g->column : name, column, error);
}

static asif_status bind_initial(asif_reading *reading, asif_error *error) {
    const char *label = reading->map->initial;
    reading->initial = ASIF_ANY;
    if (!label)
        return ASIF_OK;
    if (reading->action.open) {
        reading->initial = asif_names_add(&reading->action.names, label, strlen(label));
        return reading->initial == ASIF_NO_NAME ? asif_fail_memory(error) : ASIF_OK;
    }
    reading->initial = asif_setting_find(reading->setting, ASIF_LABEL_ACTION, label);
    const asif_setting_spec *spec = asif_setting_get(reading->setting);
    /* What comes before the first decision would count as one of the horizon, or follow a last one. */
    if (reading->initial != ASIF_ANY && (spec->horizon || spec->seen > 1 || spec->stops[reading->initial])) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  spec->seen > 1
                      ? "`initial_observation` is not yet possible where a part of the state is seen"
                      : "`initial_observation` is not yet possible with a horizon, nor of a terminal action");
        asif_error_hint(error, "make it the class of the start: `start: {by: COLUMN, ...}`");
        return fail_header(reading, error, 0);
    }
    if (reading->initial != ASIF_ANY)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNKNOWN, "`initial_observation` names the action `%s`, which there is not",
              asif_show(label).text);
    return fail_header(reading, error, 0);
}

static void mark_possible(const asif_matrix *m, bool *row) {
    uint64_t rows = m->same_rows ? 1 : m->rows;
    if (m->offset) {
        for (uint64_t i = m->offset[0]; i < m->offset[rows]; i++)
            row[m->column[i]] = row[m->column[i]] || m->value[i] > 0;
        return;
    }
    for (uint64_t i = 0; i < rows; i++)
        for (uint32_t x = 0; x < m->columns; x++)
            row[x] = row[x] || m->value[i * m->columns + x] > 0;
}

/* Mark the observations that some world of the agent allows after each action, in any state. */
static asif_status find_possible(asif_reading *reading, asif_error *error) {
    if (!reading->setting)
        return ASIF_OK;
    const asif_setting_spec *spec = asif_setting_get(reading->setting);
    reading->actions = spec->actions;
    reading->observations = spec->observations;
    if (spec->observations == 0)
        return ASIF_OK;
    reading->possible = ASIF_ARRAY(reading->context, (uint64_t)spec->actions * spec->observations, bool);
    if (!reading->possible)
        return asif_fail_memory(error);
    for (uint32_t m = 0; m < spec->worlds; m++)
        for (uint32_t u = 0; spec->world_weights[m] > 0 && u < spec->actions; u++)
            mark_possible(asif_emissions(reading->setting, m, u),
                          reading->possible + (uint64_t)u * spec->observations);
    return ASIF_OK;
}

static asif_status bind_covariates(asif_reading *reading, asif_error *error) {
    const char *const *names = reading->options.covariates;
    bool known = reading->options.subjects && reading->subject != ASIF_NO_COLUMN;
    uint32_t count = 0;
    while (names && names[count])
        count++;
    if (known && !count && reading->options.units == ASIF_UNITS_NONE)
        reading->options.units = ASIF_UNITS_SUBJECTS;
    if (count && reading->options.units == ASIF_UNITS_NONE) {
        asif_fail(error, ASIF_EINVALID, "covariates are those of units, and no units are kept");
        asif_error_hint(error, "ask for subjects or episodes as units");
        return ASIF_EINVALID;
    }
    known = known && reading->options.units == ASIF_UNITS_EPISODES;
    reading->covariate = ASIF_ARRAY(reading->context, count + known, uint32_t);
    reading->covariate_name = ASIF_ARRAY(reading->context, count + known, const char *);
    reading->covariate_group = ASIF_ARRAY(reading->context, count + known, uint32_t);
    if (!reading->covariate || !reading->covariate_name || !reading->covariate_group)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        ASIF_TRY(
            need_covariate(reading, names[i], &reading->covariate[i], &reading->covariate_group[i], error));
        reading->covariate_name[i] = names[i];
    }
    if (known) {
        reading->covariate[count] = reading->subject;
        reading->covariate_group[count] = ASIF_ANY;
        reading->covariate_name[count++] = ASIF_COVARIATE_SUBJECT;
    }
    reading->covariates = count;
    return ASIF_OK;
}

static asif_status bind_where(asif_reading *reading, asif_error *error) {
    uint32_t count = reading->options.wheres;
    reading->where = ASIF_ARRAY(reading->context, count, uint32_t);
    reading->where_group = ASIF_ARRAY(reading->context, count, uint32_t);
    if (!reading->where || !reading->where_group)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        ASIF_TRY(need_covariate(reading, reading->options.where[i].column, &reading->where[i],
                                &reading->where_group[i], error));
    return ASIF_OK;
}

asif_status asif_reading_bind(asif_reading *reading, asif_error *error) {
    reading->header = reading->table->cells;
    ASIF_TRY(bind_action(reading, error));
    ASIF_TRY(bind_seen(reading, error));
    ASIF_TRY(bind_plain(reading, ASIF_ROLE_SUBJECT, &reading->subject, error));
    ASIF_TRY(bind_plain(reading, ASIF_ROLE_EPISODE, &reading->episode, error));
    ASIF_TRY(bind_time(reading, error));
    ASIF_TRY(bind_plain(reading, ASIF_ROLE_WEIGHT, &reading->weight, error));
    ASIF_TRY(bind_start(reading, error));
    ASIF_TRY(bind_label(reading, error));
    ASIF_TRY(bind_rules(reading, error));
    ASIF_TRY(bind_initial(reading, error));
    ASIF_TRY(find_possible(reading, error));
    ASIF_TRY(asif_lacks_bind(reading, error));
    ASIF_TRY(asif_completions_bind(reading, error));
    ASIF_TRY(bind_where(reading, error));
    return bind_covariates(reading, error);
}
