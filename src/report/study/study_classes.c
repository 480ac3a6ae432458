/* Observations that count as one event in the surprise term: see setting/classes.h. */
#include "report/study/study.h"

#include "base/memory.h"
#include "engine/lattice.h"
#include "render/table.h"
#include "setting/classes.h"

#include <inttypes.h>

#define LISTED 12
#define HEADING 14

static uint32_t count_of(const bool *marked, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += marked[i];
    return count;
}

/* Add the marked labels: "a, b and c". */
static void add_list(asif_text *words, const asif_study_report *report, asif_label_kind kind,
                     const bool *marked) {
    uint32_t n = asif_setting_count(report->setting, kind), count = count_of(marked, n), listed = 0;
    char buffer[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; i < n; i++) {
        if (!marked[i])
            continue;
        if (listed == LISTED && count > LISTED + 1) {
            asif_text_addf(words, " and %" PRIu32 " more", count - listed);
            return;
        }
        asif_text_addf(words, "%s%s",
                       listed == 0           ? ""
                       : listed + 1 == count ? " and "
                                             : ", ",
                       asif_study_report_label(report, kind, i, buffer));
        listed++;
    }
}

/* Mark the observations of the class of action u that begins at x, and all actions with the same class. False
 * if an earlier action has it. */
static bool mark(const asif_study_report *report, const asif_classes *classes, uint32_t u, uint32_t x,
                 bool *action, bool *seen) {
    uint32_t U = report->spec->actions;
    uint64_t X = report->spec->observations;
    for (uint64_t y = 0; y < X; y++)
        seen[y] = classes->first[u * X + y] == x;
    for (uint32_t v = 0; v < U; v++) {
        action[v] = classes->seen[v * X + x];
        for (uint64_t y = 0; y < X; y++)
            action[v] = action[v] && (classes->first[v * X + y] == x) == seen[y];
        if (action[v] && v < u)
            return false;
    }
    return true;
}

bool asif_study_classes(const asif_study_report *report, asif_study_class_teller *tell, void *to) {
    const asif_context *c = report->context;
    uint32_t U = report->spec->actions, X = report->spec->observations;
    if (report->seen || report->spec->states > ASIF_MOST_BELIEF_STATES)
        return true;
    asif_classes classes = {0};
    bool *action = ASIF_ARRAY(c, U, bool), *seen = ASIF_ARRAY(c, X, bool);
    bool good = action && seen && asif_classes_create(&classes, c, report->setting, NULL) == ASIF_OK;
    for (uint32_t u = 0; u < U && good; u++)
        for (uint32_t x = 0; x < X; x++) {
            uint64_t at = (uint64_t)u * X + x;
            if (classes.size[at] > 1 && classes.seen[at] && mark(report, &classes, u, x, action, seen))
                tell(to, report, action, seen);
        }
    asif_classes_free(c, &classes);
    asif_free(c, action);
    asif_free(c, seen);
    return good;
}

void asif_study_class_words(asif_text *words, const asif_study_report *report, const bool *action,
                            const bool *observation) {
    uint32_t U = report->spec->actions, X = report->spec->observations;
    bool everything = count_of(observation, X) == X;
    asif_text_add(words, "with ");
    if (count_of(action, U) == U)
        asif_text_add(words, U == 1 ? "the action" : "any action");
    else
        add_list(words, report, ASIF_LABEL_ACTION, action);
    asif_text_add(words, everything ? ", all observations" : ", the observations ");
    if (!everything)
        add_list(words, report, ASIF_LABEL_OBSERVATION, observation);
    asif_text_add(words, " lead to the same beliefs, so they count as one event in the surprise term");
}

static void tell_text(void *to, const asif_study_report *report, const bool *action, const bool *seen) {
    asif_text *text = to, words = {.context = report->context};
    asif_study_class_words(&words, report, action, seen);
    asif_add_wrapped(text, "  surprise", HEADING, words.data ? words.data : "", report->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

bool asif_study_weighs_surprise(const asif_study_report *report) {
    double eta = 0;
    return asif_theta_get(asif_study_theta(report->study), "eta", &eta, NULL) == ASIF_OK && eta != 0;
}

void asif_study_surprise(asif_text *text, const asif_study_report *report) {
    if (asif_study_weighs_surprise(report))
        text->failed |= !asif_study_classes(report, tell_text, text);
}
