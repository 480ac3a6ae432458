#include "history.h"

#include "say.h"

#include <stdlib.h>
#include <string.h>

/* The label that `text` begins with and that ends at one of `stops` or at the end: the longest, as labels may
 * hold stops themselves. ASIF_ANY after saying that there is none. */
static uint32_t read_label(const cli_job *job, const char **text, asif_label_kind kind, const char *stops,
                           const char *what) {
    const asif_setting *setting = asif_study_setting(job->study);
    uint32_t best = ASIF_ANY;
    size_t longest = 0;
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; i < asif_setting_count(setting, kind); i++) {
        const char *label = asif_setting_label(setting, kind, i, buffer);
        size_t length = strlen(label);
        if (length > longest && strncmp(*text, label, length) == 0 &&
            ((*text)[length] == 0 || strchr(stops, (*text)[length]))) {
            best = i;
            longest = length;
        }
    }
    if (best != ASIF_ANY) {
        *text += longest;
        return best;
    }
    char label[128];
    snprintf(label, sizeof label, "%.*s", (int)strcspn(*text, stops), *text);
    cli_find_label(job, kind, label, what);
    return ASIF_ANY;
}

int cli_history_read(const cli_job *job, uint32_t **action, uint32_t **observation, uint64_t *events) {
    const char *text = job->args->history;
    bool seen = asif_setting_get(asif_study_setting(job->study))->observations == 0;
    size_t room = text ? strlen(text) : 0;
    *events = 0;
    *action = calloc(room + 1, sizeof **action);
    *observation = calloc(room + 1, sizeof **observation);
    if (!*action || !*observation) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    while (text && *text) {
        uint32_t did = read_label(job, &text, ASIF_LABEL_ACTION, ":", "an action");
        if (did == ASIF_ANY)
            return CLI_USAGE;
        if (*text != ':') {
            cli_say("--history %s: an action without what followed it", job->args->history);
            cli_hint("write ACTION:%s,ACTION:%s,...", seen ? "STATE" : "OBSERVATION",
                     seen ? "STATE" : "OBSERVATION");
            return CLI_USAGE;
        }
        text++;
        uint32_t seen_then =
            read_label(job, &text, ASIF_LABEL_OBSERVATION, ",", seen ? "a state" : "an observation");
        if (seen_then == ASIF_ANY)
            return CLI_USAGE;
        (*action)[*events] = did;
        (*observation)[(*events)++] = seen_then;
        text += *text == ',';
    }
    return CLI_OK;
}
