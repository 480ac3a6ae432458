/* The conditions of a setting, as people name them. */
#include "asif/setting.h"

#include "base/error.h"
#include "base/text.h"
#include "setting/setting.h"

#include <string.h>

#define HINT_SIZE 240

uint32_t asif_setting_conditions(const asif_setting *setting) {
    const asif_setting_spec *s = &setting->spec;
    uint32_t count = 1;
    for (uint32_t i = 0; i < s->condition_columns; i++)
        count *= s->seen_column[i].classes;
    return count;
}

/* The value of a column in a combination of the values of the first `columns`. */
static const char *class_of(const asif_setting_spec *s, uint32_t columns, uint32_t code, uint32_t column) {
    for (uint32_t i = columns; i-- > column + 1;)
        code /= s->seen_column[i].classes;
    return s->seen_column[column].class_names[code % s->seen_column[column].classes];
}

const char *asif_condition_class(const asif_setting_spec *s, uint32_t condition, uint32_t column) {
    return class_of(s, s->condition_columns, condition, column);
}

const char *asif_seen_class(const asif_setting_spec *s, uint32_t seen, uint32_t column) {
    return class_of(s, s->seen_columns, seen, column);
}

const char *asif_label_in_condition(const asif_setting *setting, uint32_t observation, char *buffer) {
    const asif_setting_spec *s = &setting->spec;
    uint32_t width = asif_setting_count(setting, ASIF_LABEL_OBSERVATION) / asif_setting_conditions(setting);
    const char *label = asif_setting_label(setting, ASIF_LABEL_OBSERVATION, observation, buffer);
    for (uint32_t i = 0; i < s->condition_columns; i++)
        label += strlen(asif_condition_class(s, observation / width, i)) + 1;
    return label;
}

/* Read `VALUE` or `COLUMN=VALUE` of a column: the length of what was read, or 0. */
static size_t read_one(const char *text, const asif_observation_column *column, uint32_t *value) {
    size_t name = strlen(column->name), longest = 0;
    const char *at = strncmp(text, column->name, name) == 0 && text[name] == '=' ? text + name + 1 : text;
    for (uint32_t i = 0; i < column->classes; i++) {
        size_t length = strlen(column->class_names[i]);
        if (length < longest || strncmp(at, column->class_names[i], length) != 0 ||
            (at[length] && !strchr(",/", at[length])))
            continue;
        longest = length;
        *value = i;
    }
    return longest ? (size_t)(at - text) + longest : 0;
}

static asif_status unknown(const asif_setting *setting, const char *text, asif_error *error) {
    const asif_setting_spec *s = &setting->spec;
    char hint[HINT_SIZE];
    size_t used = 0;
    asif_fail(error, ASIF_EUNKNOWN, "'%s' is not a condition of this study", text);
    for (uint32_t c = 0; c < asif_setting_conditions(setting) && used + 80 < sizeof hint; c++)
        for (uint32_t i = 0; i < s->condition_columns && used + 80 < sizeof hint; i++)
            used += (size_t)asif_format(hint + used, sizeof hint - used, "%s%.20s=%.20s",
                                        i   ? ","
                                        : c ? ", "
                                            : "",
                                        s->seen_column[i].name, asif_condition_class(s, c, i));
    asif_error_hint(error, "it has %s%s", hint, used + 80 < sizeof hint ? "" : ", ...");
    return ASIF_EUNKNOWN;
}

uint32_t asif_condition_of(const asif_setting *setting, uint32_t start) {
    const asif_setting_spec *s = &setting->spec;
    const double *first = s->environment_start + (uint64_t)start * s->states;
    uint32_t state = 0;
    while (state + 1 < s->states && !(first[state] > 0))
        state++;
    return state / (s->states / asif_setting_conditions(setting));
}

static void find_starts(asif_condition *out, const asif_setting *setting) {
    const asif_setting_spec *s = &setting->spec;
    uint32_t width = s->states / asif_setting_conditions(setting);
    for (uint32_t i = 0; i < s->starts; i++)
        if (asif_condition_of(setting, i) == out->index && out->starts++ == 0)
            out->start = i;
    out->first_state = out->index * width;
    out->states = width;
}

asif_status asif_setting_condition(asif_condition *out, const asif_setting *setting, const char *text,
                                   asif_error *error) {
    const asif_setting_spec *s = &setting->spec;
    *out = (asif_condition){0};
    if (!s->condition_columns) {
        asif_fail(error, ASIF_EUNKNOWN, "this study has no conditions");
        asif_error_hint(error, "a condition is a column by which parts of a study differ: {by: COLUMN, ...}");
        return ASIF_EUNKNOWN;
    }
    const char *at = text;
    for (uint32_t i = 0; i < s->condition_columns; i++) {
        uint32_t value = 0;
        size_t length = read_one(at, &s->seen_column[i], &value);
        bool last = i + 1 == s->condition_columns;
        if (!length || last != !at[length])
            return unknown(setting, text, error);
        out->index = out->index * s->seen_column[i].classes + value;
        at += length + !last;
    }
    find_starts(out, setting);
    return ASIF_OK;
}
