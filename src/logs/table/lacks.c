/* Warnings about what a table seems to lack: results of actions, first rows, and endings of episodes. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/classes.h"
#include "setting/setting.h"

#include <math.h>

#define SAID_ENDS 3 /* most ending actions that a message names */

/* Find the actions that show something: whose observations can lead to different beliefs. If there are none,
 * the study is not complete yet, and nothing is known. */
static asif_status find_shown(asif_reading *r, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(r->setting);
    asif_classes classes;
    bool any = false;
    ASIF_TRY(asif_classes_create(&classes, r->context, r->setting, error));
    for (uint32_t u = 0; u < spec->actions; u++) {
        uint32_t found = 0;
        for (uint32_t x = 0; x < spec->observations; x++) {
            uint64_t at = (uint64_t)u * spec->observations + x;
            found += classes.seen[at] && classes.first[at] == x;
        }
        r->shown[u].shows = found > 1;
        any |= found > 1;
    }
    asif_classes_free(r->context, &classes);
    if (!any) {
        asif_free(r->context, r->shown);
        r->shown = NULL;
    }
    return ASIF_OK;
}

asif_status asif_lacks_bind(asif_reading *r, asif_error *error) {
    r->ends = r->setting ? asif_setting_get(r->setting)->ends : NULL;
    for (uint32_t u = 0; r->ends && u < r->actions; u++)
        r->has_ends |= r->ends[u];
    if (!r->setting || r->states_seen)
        return ASIF_OK;
    r->shown = ASIF_ARRAY(r->context, r->actions, asif_shown_by);
    if (!r->shown)
        return asif_fail_memory(error);
    return find_shown(r, error);
}

bool asif_lacks_shows(const asif_reading *r, uint32_t action) {
    return !r->shown || action >= r->actions || r->shown[action].shows;
}

void asif_lacks_episode(asif_reading *r, double first, bool ended, asif_place begin, asif_place end) {
    bool is_first = r->begins.episodes == 0, all_at_first = r->begins.at_first == r->begins.episodes;
    r->begins.episodes += r->copies;
    if (!ended && r->open.count == 0)
        r->open.first = end;
    r->open.count += ended ? 0 : r->copies;
    if (first != floor(first)) /* also true of NaN */
        r->begins.odd = true;
    if (is_first) {
        r->begins.first = r->begins.late_time = first;
        r->begins.late = begin;
    }
    if (first < r->begins.first) { /* an earlier first time: all episodes so far begin late */
        r->begins.first = first;
        r->begins.at_first = 0;
    } else if (first > r->begins.first && all_at_first) {
        r->begins.late_time = first;
        r->begins.late = begin;
    }
    r->begins.at_first += first == r->begins.first ? r->copies : 0;
}

static void say_results(asif_reading *r, uint32_t action) {
    const asif_shown_by *by = &r->shown[action];
    char label[ASIF_LABEL_SIZE];
    if (!by->shows || !by->missing || r->map->missing != ASIF_MISSING_NOT_SEEN ||
        !asif_reading_wants(r, ASIF_PROBLEM_WARNING))
        return;
    asif_reading_list(r, ASIF_PROBLEM_WARNING, ASIF_EINVALID, by->first,
                      "if results were seen but not recorded, average over them (`missing: unrecorded` of "
                      "the column) or leave those episodes out: `missing: drop_episode`. Read as not seen, a "
                      "few of them can change the estimates a lot",
                      "`%s` shows something, but in %llu of %llu rows its result is missing; it is taken as "
                      "not seen by the decision-maker",
                      asif_show(asif_setting_label(r->setting, ASIF_LABEL_ACTION, action, label)).text,
                      (unsigned long long)by->missing, (unsigned long long)(by->missing + by->seen));
}

static void name_ends(const asif_reading *r, char *out, size_t size) {
    const asif_setting_spec *spec = asif_setting_get(r->setting);
    char label[ASIF_LABEL_SIZE];
    size_t used = 0;
    uint32_t found = 0;
    out[0] = 0;
    for (uint32_t u = 0; u < spec->actions; u++) {
        if (!spec->ends[u] || found++ >= SAID_ENDS)
            continue;
        used +=
            (size_t)asif_format(out + used, size - used, "%s`%s`", found > 1 ? ", " : "",
                                asif_show(asif_setting_label(r->setting, ASIF_LABEL_ACTION, u, label)).text);
    }
    if (found > SAID_ENDS)
        asif_format(out + used, size - used, ", ...");
}

static void say_open(asif_reading *r) {
    char ends[300];
    if (!r->open.count || !asif_reading_wants(r, ASIF_PROBLEM_WARNING))
        return;
    name_ends(r, ends, sizeof ends);
    asif_reading_list(
        r, ASIF_PROBLEM_WARNING, ASIF_EINVALID, r->open.first,
        "right if these cases were still open when the data end. If their last rows are missing, "
        "endings look rarer than they were, and estimates are off",
        "%llu of %llu episodes %s not end with an action that ends an episode (%s)",
        (unsigned long long)r->open.count, (unsigned long long)r->begins.episodes,
        r->open.count == 1 ? "does" : "do", ends);
}

/* Warn of episodes that begin later than most; their first rows may be missing. */
static void say_late(asif_reading *r) {
    uint64_t late = r->begins.episodes - r->begins.at_first;
    if (!late || r->begins.odd || 2 * r->begins.at_first <= r->begins.episodes ||
        !asif_reading_wants(r, ASIF_PROBLEM_WARNING))
        return;
    asif_reading_list(r, ASIF_PROBLEM_WARNING, ASIF_EINVALID, r->begins.late,
                      "if their first rows are missing, the decision-maker knew more than the table tells: "
                      "leave these episodes out",
                      "%llu of %llu episodes %s later than the others, which begin at %.15g; the first of "
                      "them begins at %.15g",
                      (unsigned long long)late, (unsigned long long)r->begins.episodes,
                      late == 1 ? "begins" : "begin", r->begins.first, r->begins.late_time);
}

void asif_lacks_say(asif_reading *r) {
    if (r->failed) /* errors come first */
        return;
    for (uint32_t u = 0; r->shown && u < r->actions; u++)
        say_results(r, u);
    say_late(r);
    say_open(r);
}
