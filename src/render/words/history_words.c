/* Writes a history, and what was done there, in words. */
#include "render/words/fit_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define REPEATED 3 /* equal events in a row, from this number on, are written once with their number */
#define PARTS 8    /* most events that are written; of a longer history, the last ones */

static bool same_event(const asif_yaml *a, const asif_yaml *b) {
    static const char *const keys[] = {"action", "observation"};
    for (size_t k = 0; k < 2; k++) {
        const char *x = asif_yaml_text(a, keys[k]), *y = asif_yaml_text(b, keys[k]);
        if (!x != !y || (x && strcmp(x, y) != 0))
            return false;
    }
    return true;
}

static void add_event(asif_text *words, const asif_summary *summary, const asif_yaml *event, uint32_t run) {
    const char *action = asif_yaml_text(event, "action"), *seen = asif_yaml_text(event, "observation");
    if (run > 1)
        asif_text_addf(words, "%" PRIu32 " %s ", run, summary->unicode ? "\xc3\x97" : "x");
    asif_text_addf(words, "%s%s%s", action ? action : "?", summary->unicode ? "\xe2\x86\x92" : "->",
                   seen ? seen : "(nothing)");
}

/* The number of equal events in a row from the one at `i` on. */
static uint32_t run_at(const asif_yaml *history, uint32_t i) {
    uint32_t run = 1;
    while (i + run < history->count && same_event(history->item[i], history->item[i + run]))
        run++;
    return run;
}

static void add_events(asif_text *words, const asif_summary *summary, const asif_yaml *history) {
    uint32_t first = history->count > PARTS ? history->count - PARTS : 0;
    if (first)
        asif_text_addf(words, "%" PRIu32 " steps, ", first);
    for (uint32_t i = first; i < history->count;) {
        uint32_t run = run_at(history, i);
        run = run < REPEATED ? 1 : run;
        asif_text_add(words, i > first ? ", " : "");
        add_event(words, summary, history->item[i], run);
        i += run;
    }
}

const asif_yaml *asif_summary_most(const asif_yaml *entry, const char *share, uint32_t *place,
                                   const char **name) {
    const asif_yaml *actions = asif_yaml_part(entry, "actions"), *best = NULL;
    double most = -1;
    *place = 0;
    *name = "";
    for (uint32_t u = 0; actions && actions->kind == ASIF_YAML_MAP && u < actions->count; u++) {
        double here = asif_yaml_value(actions->item[u], share);
        if (!(here > most))
            continue;
        most = here;
        best = actions->item[u];
        *place = u;
        *name = actions->key[u]->text;
    }
    return best;
}

static void add_start(asif_text *words, const asif_yaml *entry) {
    double number = asif_yaml_value(entry, "start");
    const char *name = asif_yaml_text(entry, "start_class");
    if (name)
        asif_text_addf(words, " (start: %s)", name);
    else if (isfinite(number))
        asif_text_addf(words, " (start class %.0f)", number + 1);
}

void asif_summary_history(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                          const char *action) {
    const asif_yaml *history = asif_yaml_part(entry, "history");
    const char *state = asif_yaml_text(entry, "state");
    asif_text_add(words, action);
    if (state) {
        asif_text_addf(words, " in %s", state);
    } else if (history && history->kind == ASIF_YAML_LIST && history->count > 0) {
        asif_text_add(words, " after ");
        add_events(words, summary, history);
    } else {
        asif_text_add(words, " at the start");
    }
    add_start(words, entry);
}

void asif_summary_history_said(asif_text *words, const asif_yaml *entry) {
    const asif_yaml *history = asif_yaml_list(entry, "history");
    const char *state = asif_yaml_text(entry, "state");
    uint32_t count = history ? history->count : 0, first = count > PARTS ? count - PARTS : 0;
    if (state)
        asif_text_addf(words, "in %s", state);
    else if (count == 0)
        asif_text_add(words, "at the start");
    else
        asif_text_add(words, "after ");
    if (!state && first)
        asif_text_addf(words, "%" PRIu32 " steps, then ", first);
    for (uint32_t i = first, run; !state && i < count; i += run) {
        const char *action = asif_yaml_text(history->item[i], "action"),
                   *seen = asif_yaml_text(history->item[i], "observation");
        run = run_at(history, i);
        asif_text_addf(words, "%s%s showed %s", i > first ? ", then " : "", action ? action : "?",
                       seen ? seen : "nothing");
        if (run == 2)
            asif_text_add(words, " twice");
        else if (run > 2)
            asif_text_addf(words, " %" PRIu32 " times", run);
    }
    add_start(words, entry);
}
