/* Reads the options of questions: texts into the structure of a question. */
#include "base/error.h"
#include "base/text.h"
#include "questions/question.h"

#include <string.h>

void asif_option_count(uint32_t *to, const asif_count_option *count) {
    if (count->given)
        *to = (uint32_t)count->value;
}

void asif_option_count64(uint64_t *to, const asif_count_option *count) {
    if (count->given)
        *to = count->value;
}

static asif_status unknown(const asif_question_info *info, const char *name, asif_error *error) {
    const char *names[64];
    uint32_t count = 0;
    for (; count < 64 && info->option[count].name; count++)
        names[count] = info->option[count].name;
    const char *near = asif_nearest_word(name, names, count);
    asif_fail(error, ASIF_EUNKNOWN, "`%s` has no option `%s`", info->name, asif_show(name).text);
    if (near)
        asif_error_hint(error, "did you mean `%s`?", near);
    return ASIF_EUNKNOWN;
}

static asif_status bad_value(const asif_option *option, const char *text, asif_error *error) {
    const char *what = option->kind == ASIF_OPTION_COUNT ? "a whole number" : "a number";
    if (option->least != 0 || option->most != 0)
        return asif_fail(error, ASIF_EINVALID, "`%s` must be %s from %.10g to %.10g, not `%s`", option->name,
                         what, option->least, option->most, asif_show(text).text);
    return asif_fail(error, ASIF_EINVALID, "`%s` must be %s, not `%s`", option->name, what,
                     asif_show(text).text);
}

static bool in_range(const asif_option *option, double value) {
    return (option->least == 0 && option->most == 0) || (value >= option->least && value <= option->most);
}

static bool read_count(uint64_t *out, const char *text) {
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static asif_status take_item(asif_list_option *list, asif_arena *arena, const char *text, uint32_t most,
                             asif_error *error) {
    if (!list->item)
        list->item = ASIF_ARENA_ARRAY(arena, most, const char *);
    if (!list->item)
        return asif_fail_memory(error);
    list->item[list->count++] = text;
    return ASIF_OK;
}

static asif_status take(void *options, const asif_option *option, asif_arena *arena, const char *text,
                        uint32_t most, asif_error *error) {
    void *field = (char *)options + option->offset;
    asif_count_option *count = field;
    asif_number_option *number = field;
    switch (option->kind) {
    case ASIF_OPTION_SWITCH:
        *(bool *)field = strcmp(text, "true") == 0;
        return ASIF_OK;
    case ASIF_OPTION_TEXT:
        *(const char **)field = text;
        return ASIF_OK;
    case ASIF_OPTION_LIST:
        return take_item(field, arena, text, most, error);
    case ASIF_OPTION_COUNT:
        count->given = read_count(&count->value, text) && in_range(option, (double)count->value);
        return count->given ? ASIF_OK : bad_value(option, text, error);
    case ASIF_OPTION_NUMBER:
        number->given =
            asif_number_read(text, strlen(text), &number->value) && in_range(option, number->value);
        return number->given ? ASIF_OK : bad_value(option, text, error);
    case ASIF_OPTION_OUTPUT:
        break;
    }
    return asif_fail(error, ASIF_EINVALID, "`%s` is an option of the command alone", option->name);
}

asif_status asif_options_read(void *options, const asif_question_kind *question, asif_arena *arena,
                              const asif_given *given, uint32_t givens, asif_error *error) {
    for (uint32_t i = 0; i < givens; i++) {
        const char *name = given[i].name, *value = given[i].value;
        const asif_option *option = question->info.option;
        if (!name || !value)
            return asif_fail(error, ASIF_EINVALID, "an option without a name or a value");
        while (option->name && strcmp(option->name, name) != 0)
            option++;
        if (!option->name)
            return unknown(&question->info, name, error);
        const char *text = asif_arena_text(arena, value, strlen(value));
        if (!text)
            return asif_fail_memory(error);
        ASIF_TRY(take(options, option, arena, text, givens, error));
    }
    return ASIF_OK;
}
