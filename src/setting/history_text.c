/* Reads labels and histories as people type them. */
#include "asif/setting.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#define LISTED_LABELS 12

asif_status asif_setting_seek(uint32_t *out, const asif_setting *setting, asif_label_kind kind,
                              const char *label, const char *what, asif_error *error) {
    uint32_t count = asif_setting_count(setting, kind);
    char list[224] = "", buffer[ASIF_LABEL_SIZE];
    size_t used = 0;
    uint32_t i = 0;
    *out = label ? asif_setting_find(setting, kind, label) : ASIF_ANY;
    if (*out != ASIF_ANY)
        return ASIF_OK;
    for (; i < count && i < LISTED_LABELS && used + 70 < sizeof list; i++)
        used += (size_t)asif_format(list + used, sizeof list - used, "%s%.60s", i ? ", " : "",
                                    asif_setting_label(setting, kind, i, buffer));
    asif_fail(error, ASIF_EUNKNOWN, "'%s' is not %s of this study", label ? label : "", what);
    asif_error_hint(error, "it has %s%s", list, count > i ? ", ..." : "");
    return ASIF_EUNKNOWN;
}

/* Reads the longest label with which `text` begins and which a character of `stops` or the end follows;
 * labels may hold such characters themselves. */
static asif_status read_label(uint32_t *out, const char **text, const asif_setting *setting,
                              asif_label_kind kind, const char *stops, const char *what, asif_error *error) {
    size_t longest = 0;
    char buffer[ASIF_LABEL_SIZE], label[128];
    *out = ASIF_ANY;
    for (uint32_t i = 0; i < asif_setting_count(setting, kind); i++) {
        const char *known = asif_setting_label(setting, kind, i, buffer);
        size_t length = strlen(known);
        if (length > longest && strncmp(*text, known, length) == 0 &&
            ((*text)[length] == 0 || strchr(stops, (*text)[length]))) {
            *out = i;
            longest = length;
        }
    }
    if (*out != ASIF_ANY) {
        *text += longest;
        return ASIF_OK;
    }
    asif_format(label, sizeof label, "%.*s", (int)strcspn(*text, stops), *text);
    return asif_setting_seek(out, setting, kind, label, what, error);
}

static asif_status read_event(uint32_t *action, uint32_t *observation, const char **text, const char *whole,
                              const asif_setting *setting, asif_error *error) {
    bool seen = asif_setting_get(setting)->observations == 0;
    const char *word = seen ? "STATE" : "OBSERVATION";
    ASIF_TRY(read_label(action, text, setting, ASIF_LABEL_ACTION, ":", "an action", error));
    if (**text != ':') {
        asif_fail(error, ASIF_EPARSE, "--history %s: an action without what followed it", whole);
        asif_error_hint(error, "write ACTION:%s,ACTION:%s,...", word, word);
        return ASIF_EPARSE;
    }
    ++*text;
    ASIF_TRY(read_label(observation, text, setting, ASIF_LABEL_OBSERVATION, ",",
                        seen ? "a state" : "an observation", error));
    *text += **text == ',';
    return ASIF_OK;
}

asif_status asif_setting_read_history(uint32_t **action, uint32_t **observation, uint64_t *events,
                                      const asif_context *context, const asif_setting *setting,
                                      const char *text, asif_error *error) {
    const char *whole = text;
    uint64_t room = text ? strlen(text) + 1 : 1;
    *events = 0;
    *action = ASIF_ARRAY(context, room, uint32_t);
    *observation = ASIF_ARRAY(context, room, uint32_t);
    asif_status status = *action && *observation ? ASIF_OK : asif_fail_memory(error);
    for (; status == ASIF_OK && text && *text; ++*events)
        status = read_event(&(*action)[*events], &(*observation)[*events], &text, whole, setting, error);
    if (status == ASIF_OK)
        return ASIF_OK;
    asif_free(context, *action);
    asif_free(context, *observation);
    *action = *observation = NULL;
    return status;
}
