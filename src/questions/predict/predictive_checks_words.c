/* Predictive checks in words: the names of numbers, and sentences on what is missed. */
#include "questions/predict/predictive_checks_text.h"

#include "checks/predictive_checks.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

char *asif_predictive_checks_percent(char *buffer, double share) {
    double p = 100 * share;
    bool fine = (p > 0 && p < 9.95) || (p > 90.05 && p < 100);
    asif_format(buffer, ASIF_CELL_SIZE, "%.*f", fine ? 1 : 0, p);
    return buffer;
}

char *asif_predictive_checks_count(char *buffer, const asif_yaml *entry) {
    return asif_count_text(buffer, (uint64_t)fmax(0, round(asif_yaml_value(entry, "count"))));
}

/* ---- words ---- */

/* Add the place of a group: "at step 3", "where P(diseased) is 0.3 to 0.4". */
static void add_place(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                      const char *family) {
    const char *state = asif_yaml_text(entry, "state"), *of = asif_yaml_text(entry, "of");
    double low = asif_yaml_value(entry, "low"), high = asif_yaml_value(entry, "high");
    if (asif_is(family, "steps"))
        asif_text_addf(words, asif_yaml_flag(entry, "later") ? "from step %.0f on" : "at step %.0f",
                       asif_yaml_value(entry, "step"));
    else if (asif_is(family, "beliefs") && of)
        asif_text_addf(words, "where P(%s) is %.2g to %.2g", of, low, high);
    else if (asif_is(family, "beliefs"))
        asif_text_addf(words, "where certainty is %.2g to %.2g", low, high);
    else if (asif_is(family, "switches"))
        asif_text_addf(words, "after %s", asif_yaml_text(entry, "after"));
    else if (asif_is(family, "states"))
        asif_text_addf(words, state ? "in %s" : "in the other states", state);
    else
        asif_summary_history(words, summary, entry, "");
}

/* Add the measure by which subjects are compared. */
static void add_spread(asif_text *words, const char *number) {
    if (asif_is(number, ASIF_CHECK_LIKELIHOOD))
        asif_text_add(words, "spread of the probability of what they do");
    else if (asif_is(number, ASIF_CHECK_LARGEST))
        asif_text_add(words, "the subject farthest out, in standard deviations");
    else
        asif_text_addf(words, "spread in %s", number ? number : "?");
}

void asif_predictive_checks_apart(asif_text *words, const asif_yaml *family) {
    char subjects[ASIF_CELL_SIZE], apart[ASIF_CELL_SIZE];
    double count = asif_yaml_value(family, "apart");
    asif_count_text(subjects, (uint64_t)fmax(0, asif_yaml_value(family, "subjects")));
    asif_text_addf(words, "the %s subjects differ by more than one set of numbers allows", subjects);
    if (count > 0)
        asif_text_addf(words, ": %s of them stand%s out", asif_count_text(apart, (uint64_t)count),
                       count == 1 ? "s" : "");
}

void asif_predictive_checks_row(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                                const char *family, const char *cell) {
    const char *measure = asif_yaml_text(entry, "measure"), *state = asif_yaml_text(entry, "state");
    const char *of = asif_yaml_text(entry, "of");
    double low = asif_yaml_value(entry, "low"), high = asif_yaml_value(entry, "high");
    if (asif_is(family, "histories")) {
        asif_summary_history(words, summary, entry, cell);
    } else if (asif_is(family, "subjects")) {
        add_spread(words, asif_yaml_text(entry, "number"));
    } else if (asif_is(family, "lengths")) {
        if (asif_is(measure, "length"))
            asif_text_addf(words, "of %s decision%s", cell, asif_is(cell, "1") ? "" : "s");
        else
            asif_text_add(words,
                          asif_is(measure, "decisions") ? "decisions an episode" : "different histories");
    } else if (asif_is(family, "environment") && state) {
        asif_text_addf(words, "%s after %s in %s", cell, asif_yaml_text(entry, "after"), state);
    } else if (asif_is(family, "environment")) {
        bool any = asif_is(cell, "(any)");
        asif_text_addf(words, any ? "%s%.0f-%.0f %% likely after %s" : "%s, %.0f-%.0f %% likely after %s",
                       any ? "" : cell, 100 * low, 100 * high, asif_yaml_text(entry, "after"));
    } else if (asif_is(family, "beliefs")) {
        asif_text_addf(words, "%s at ", cell);
        asif_text_addf(words, of ? "P(%s)" : "certainty", of);
        asif_text_addf(words, " %.2g-%.2g", low, high);
    } else {
        asif_text_addf(words, "%s ", cell);
        add_place(words, summary, entry, family);
    }
}

/* Add shares: " in 12 % of 1,000 decisions, the fitted agent in 4 % (3 to 5)". */
static void add_shares(asif_text *words, const asif_yaml *entry, const asif_yaml *cell, const char *what,
                       const char *other) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE], d[ASIF_CELL_SIZE], n[ASIF_CELL_SIZE];
    asif_text_addf(words, " in %s %% of %s %s, %s in %s %% (%s to %s)",
                   asif_predictive_checks_percent(a, asif_yaml_value(cell, "observed")),
                   asif_predictive_checks_count(n, entry), what, other,
                   asif_predictive_checks_percent(b, asif_yaml_value(cell, "predicted")),
                   asif_predictive_checks_percent(c, asif_yaml_value(cell, "q05")),
                   asif_predictive_checks_percent(d, asif_yaml_value(cell, "q95")));
}

static void add_amounts(asif_text *words, const asif_yaml *entry) {
    static const char *const keys[] = {"observed", "predicted", "q05", "q95"};
    char number[4][ASIF_CELL_SIZE];
    double width = fabs(asif_yaml_value(entry, "q95") - asif_yaml_value(entry, "q05"));
    for (size_t i = 0; i < 4; i++)
        asif_summary_digits(number[i], asif_yaml_value(entry, keys[i]), width);
    bool decisions = asif_is(asif_yaml_text(entry, "measure"), "decisions");
    asif_text_addf(words,
                   decisions ? "episodes have %s decisions, simulated ones %s (%s to %s)"
                             : "there are %s different histories, in simulated logs %s (%s to %s)",
                   number[0], number[1], number[2], number[3]);
}

void asif_predictive_checks_sentence(asif_text *words, const asif_summary *summary, const asif_yaml *miss) {
    const char *family = asif_yaml_text(miss, "family"), *cell = asif_yaml_text(miss, "cell");
    const char *state = asif_yaml_text(miss, "state"), *after = asif_yaml_text(miss, "after");
    cell = cell ? cell : "?";
    if (asif_is(family, "subjects")) {
        asif_text_add(words, "subjects differ by more than one set of numbers allows");
    } else if (asif_is(family, "lengths") && !asif_is(asif_yaml_text(miss, "measure"), "length")) {
        add_amounts(words, miss);
    } else if (asif_is(family, "lengths")) {
        char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE], d[ASIF_CELL_SIZE];
        asif_text_addf(words, "%s %% of the episodes have %s decision%s, of simulated ones %s %% (%s to %s)",
                       asif_predictive_checks_percent(a, asif_yaml_value(miss, "observed")), cell,
                       asif_is(cell, "1") ? "" : "s",
                       asif_predictive_checks_percent(b, asif_yaml_value(miss, "predicted")),
                       asif_predictive_checks_percent(c, asif_yaml_value(miss, "q05")),
                       asif_predictive_checks_percent(d, asif_yaml_value(miss, "q95")));
    } else if (asif_is(family, "environment")) {
        double low = 100 * asif_yaml_value(miss, "low"), high = 100 * asif_yaml_value(miss, "high");
        asif_text_addf(words, "after %s", after ? after : "?");
        if (state)
            asif_text_addf(words, " in %s, %s", state, cell);
        else if (asif_is(cell, "(any)"))
            asif_text_addf(words, ", what the environment makes %.0f to %.0f %% likely", low, high);
        else
            asif_text_addf(words, ", where the environment makes %s %.0f to %.0f %% likely, it", cell, low,
                           high);
        asif_text_add(words, " followed");
        add_shares(words, miss, miss, "cases", "in the environment");
    } else {
        asif_text place = {.context = words->context};
        add_place(&place, summary, miss, family);
        const char *where = place.data ? place.data : "";
        asif_text_addf(words, "%s they take %s", where + strspn(where, " "), cell);
        add_shares(words, miss, miss, "decisions",
                   asif_yaml_flag(summary->root, "prior") ? "agents of the prior" : "the fitted agent");
        words->failed |= place.failed;
        asif_text_free(&place);
    }
    asif_clean(words->data);
}

void asif_predictive_checks_told(asif_text *words, const asif_summary *summary, const asif_yaml *miss) {
    const char *family = asif_yaml_text(miss, "family"), *cell = asif_yaml_text(miss, "cell");
    const char *after = asif_yaml_text(miss, "after"), *state = asif_yaml_text(miss, "state");
    bool more = asif_yaml_value(miss, "observed") > asif_yaml_value(miss, "predicted");
    bool length = asif_is(asif_yaml_text(miss, "measure"), "length"),
         decisions = asif_is(asif_yaml_text(miss, "measure"), "decisions");
    const char *often = more ? "more often" : "less often";
    cell = cell ? cell : "?";
    if (asif_is(family, "subjects")) {
        asif_text_add(words, "subjects differ by more than one set of numbers allows");
    } else if (asif_is(family, "lengths") && length) {
        asif_text_addf(words, "episodes of %s decision%s are %s than simulated ones of that length", cell,
                       asif_is(cell, "1") ? "" : "s", more ? "more frequent" : "less frequent");
    } else if (asif_is(family, "lengths")) {
        asif_text_addf(words, "there are %s %s than in simulated logs", more ? "more" : "fewer",
                       decisions ? "decisions an episode" : "different histories");
    } else if (asif_is(family, "environment")) {
        asif_text_addf(words, "after %s", after ? after : "?");
        if (state)
            asif_text_addf(words, " in %s", state);
        asif_text_addf(words, " %s follows %s than the stated environment says",
                       asif_is(cell, "(any)") ? "what was seen" : cell, often);
    } else {
        asif_text place = {.context = words->context};
        add_place(&place, summary, miss, family);
        const char *where = place.data ? place.data : "";
        asif_text_addf(words, "%s they take %s %s than the fitted agent", where + strspn(where, " "), cell,
                       often);
        words->failed |= place.failed;
        asif_text_free(&place);
    }
    asif_clean(words->data);
}
