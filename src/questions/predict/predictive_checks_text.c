/* Predictive checks as text: sentences on what is missed, then for each family what differs most. */
#include "questions/predict/predictive_checks_text.h"
#include "render/telling.h"
#include "render/words/sentences.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

#define SENTENCES 2 /* most misses of a family that are described */
#define LOOSE 1e-9

/* What the families look at: in a list, and as a heading. */
static const struct {
    const char *name, *words, *title;
} families[] = {
    {"steps", "actions by step", "BY STEP, with the observations of the logs"},
    {"beliefs", "actions by belief", "BY BELIEF, with the observations of the logs"},
    {"states", "actions by state", "BY STATE, the states held fixed"},
    {"histories", "actions after the most frequent histories", "AFTER THE MOST FREQUENT HISTORIES"},
    {"switches", "actions after each action", "AFTER EACH ACTION, with the observations of the logs"},
    {"lengths", "lengths of episodes", "EPISODES, simulated in the stated environment"},
    {"environment", "what followed each action", "WHAT FOLLOWED THE ACTIONS, without an agent"},
    {"subjects", "differences between subjects", "BETWEEN SUBJECTS, each at the histories that they came to"},
};

static size_t family_of(const char *name) {
    size_t i = 0;
    while (i < sizeof families / sizeof *families && (!name || strcmp(families[i].name, name) != 0))
        i++;
    return i;
}

const char *asif_predictive_checks_family(const char *name) {
    size_t i = family_of(name);
    return i < sizeof families / sizeof *families ? families[i].words : NULL;
}

static bool is_list(const asif_yaml *node) {
    return node && node->kind == ASIF_YAML_LIST;
}

/* ---- the verdict ---- */

typedef struct {
    bool agent, lengths, environment, subjects; /* whether checks of each kind are missed */
    bool prior;                                 /* agents of the prior are checked, not fitted ones */
    double impossible;
    uint32_t judged;
} verdict;

static bool is_missed(const verdict *v) {
    return v->agent || v->lengths || v->environment || v->subjects;
}

static verdict find_verdict(const asif_yaml *root) {
    const asif_yaml *list = asif_yaml_part(root, "families");
    verdict v = {.prior = asif_yaml_flag(root, "prior")};
    for (uint32_t f = 0; is_list(list) && f < list->count; f++) {
        const asif_yaml *family = list->item[f];
        const char *name = asif_yaml_text(family, "name");
        bool missed = asif_yaml_flag(family, "missed");
        v.judged += asif_yaml_flag(family, "judged");
        if (asif_is(name, "lengths"))
            v.lengths |= missed;
        else if (asif_is(name, "environment"))
            v.environment |= missed;
        else if (asif_is(name, "subjects"))
            v.subjects |= missed;
        else
            v.agent |= missed;
        if (asif_is(name, "environment") && asif_yaml_value(family, "impossible") > 0)
            v.impossible = asif_yaml_value(family, "impossible");
    }
    return v;
}

/* Add what was judged: "actions by step, by belief, ...". */
static void add_looked_at(asif_text *words, const asif_yaml *root) {
    const asif_yaml *list = asif_yaml_part(root, "families");
    bool any = false;
    for (uint32_t f = 0; is_list(list) && f < list->count; f++) {
        size_t k = family_of(asif_yaml_text(list->item[f], "name"));
        if (k == sizeof families / sizeof *families || !asif_yaml_flag(list->item[f], "judged"))
            continue;
        asif_text_addf(words, "%s%s", any ? ", " : "", families[k].words);
        any = true;
    }
}

static void add_impossible(asif_text *words, const verdict *v) {
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(words, "%s times, something followed that the stated environment does not allow",
                   asif_count_text(cell, (uint64_t)v->impossible));
}

/* What the cause of the misses may be; shown once, after the sentences. */
static const char *whose_fault(const verdict *v) {
    if (v->environment)
        return "the stated environment does not match these logs, or they saw more than was recorded: "
               "simulations in this environment are wrong, too";
    if (v->lengths && !v->agent && !v->subjects && !v->prior)
        return "at the same histories the fitted agent acts as they did, but simulated episodes reach other "
               "histories: check the stated environment, and where episodes start";
    return NULL;
}

const char *asif_predictive_checks_fault(const asif_yaml *checks) {
    verdict v = find_verdict(checks);
    return whose_fault(&v);
}

/* Whether two misses are in the same group of cells; only the first, which is the worst, is described. */
static bool same_group(const asif_yaml *a, const asif_yaml *b) {
    static const char *const keys[] = {"step", "low", "state", "after", "measure", "number", "count"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *x = asif_yaml_text(a, keys[i]), *y = asif_yaml_text(b, keys[i]);
        if (!x != !y || (x && strcmp(x, y) != 0))
            return false;
    }
    return true;
}
/* Describe all misses between subjects in one sentence; returns their number. */
static uint32_t add_subjects(asif_text *text, const asif_summary *summary, const asif_yaml *missed) {
    const asif_yaml *family = asif_predictive_checks_subjects(summary->root);
    asif_text words = {.context = summary->context};
    uint32_t count = 0;
    for (uint32_t i = 0; is_list(missed) && i < missed->count; i++)
        count += asif_is(asif_yaml_text(missed->item[i], "family"), "subjects");
    if (family) {
        asif_predictive_checks_apart(&words, family);
        asif_sentence_finish(&words);
        asif_add_words(text, "  - ", 4, &words, summary->width);
    }
    return count;
}

/* Describe the worst misses of a family; returns their number. */
static uint32_t add_misses(asif_text *text, const asif_summary *summary, const asif_yaml *missed,
                           const char *family) {
    const asif_yaml *told[SENTENCES];
    uint32_t count = 0;
    if (asif_is(family, "subjects"))
        return add_subjects(text, summary, missed);
    for (uint32_t i = 0; is_list(missed) && i < missed->count && count < SENTENCES; i++) {
        const asif_yaml *miss = missed->item[i];
        bool known = !asif_is(asif_yaml_text(miss, "family"), family);
        for (uint32_t k = 0; k < count; k++)
            known |= same_group(told[k], miss);
        if (known)
            continue;
        asif_text words = {.context = summary->context};
        asif_predictive_checks_sentence(&words, summary, miss);
        asif_sentence_finish(&words);
        asif_add_words(text, "  - ", 4, &words, summary->width);
        told[count++] = miss;
    }
    return count;
}

static void add_verdict(asif_text *text, const asif_summary *summary) {
    const asif_yaml *root = summary->root, *missed = asif_yaml_part(root, "missed");
    verdict v = find_verdict(root);
    asif_text words = {.context = summary->context};
    if (!is_missed(&v)) {
        asif_text_add(&words, !v.judged ? "No predictive check could be made."
                              : v.prior ? "The assumptions alone allow for everything that was checked: "
                                        : "The fitted agent passed every predictive check: ");
        add_looked_at(&words, root);
        asif_sentence_finish(&words);
        asif_add_words(text, "", 0, &words, summary->width);
        return;
    }
    asif_text_add(text, v.prior ? "NOT EXPECTED BY THE ASSUMPTIONS ALONE\n" : "MISSED\n");
    if (v.impossible > 0) {
        add_impossible(&words, &v);
        asif_sentence_finish(&words);
        asif_add_words(text, "  - ", 4, &words, summary->width);
    }
    uint32_t told = 0;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        told += add_misses(text, summary, missed, families[k].name);
    if (is_list(missed) && missed->count > told) {
        asif_add_wordsf(text, "  - ", 4, summary->width, "There are %u more, which --json lists.",
                        missed->count - told);
    }
    const char *fault = whose_fault(&v);
    if (fault) {
        asif_text_add(&words, fault);
        asif_sentence_finish(&words);
        asif_add_words(text, "  - ", 4, &words, summary->width);
    }
}

/* ---- tables ---- */

static char *p_text(char *buffer, double p) {
    if (isnan(p))
        asif_format(buffer, ASIF_CELL_SIZE, "-");
    else
        asif_format(buffer, ASIF_CELL_SIZE, p < 0.01 ? "%.3f" : "%.2f", p);
    return buffer;
}

/* The cell of a group that differs most. */
static const asif_yaml *most_different(const asif_yaml *group, const char **name) {
    const asif_yaml *cells = asif_yaml_part(group, "cells"), *best = NULL;
    double least = INFINITY, most = -1;
    *name = "";
    for (uint32_t k = 0; cells && cells->kind == ASIF_YAML_MAP && k < cells->count; k++) {
        const asif_yaml *cell = cells->item[k];
        double adjusted = asif_yaml_value(cell, "adjusted");
        double away = fabs(asif_yaml_value(cell, "observed") - asif_yaml_value(cell, "predicted"));
        adjusted = isnan(adjusted) ? 1 : adjusted;
        if (best && !(adjusted < least - LOOSE || (adjusted < least + LOOSE && away > most)))
            continue;
        least = adjusted;
        most = away;
        best = cell;
        *name = cells->key[k]->text;
    }
    return best;
}

static void add_row(asif_table *table, const asif_summary *summary, const asif_yaml *group,
                    const asif_yaml *cell, const char *family, const char *name) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE];
    const char *measure = asif_yaml_text(group, "measure");
    bool amount = (measure && !asif_is(measure, "length")) || asif_is(family, "subjects");
    double low = asif_yaml_value(cell, "q05"), high = asif_yaml_value(cell, "q95");
    double observed = asif_yaml_value(cell, "observed"), predicted = asif_yaml_value(cell, "predicted");
    if (!amount) { /* the observed share, and how far replicates are from it, can lead out of 0 to 1 */
        low = isnan(low) ? low : fmax(0, low);
        high = isnan(high) ? high : fmin(1, high);
    }
    asif_table_cell(table, measure && amount ? "" : asif_predictive_checks_count(a, group));
    asif_table_cell(table,
                    amount ? asif_summary_digits(a, observed, high - low) : asif_percent_text(a, observed));
    asif_table_cell(table,
                    amount ? asif_summary_digits(a, predicted, high - low) : asif_percent_text(a, predicted));
    if (isnan(low))
        a[0] = 0;
    else if (amount)
        asif_format(a, sizeof a, "%.20s-%.20s", asif_summary_digits(b, low, high - low),
                    asif_summary_digits(c, high, high - low));
    else if (low > 0.9995 || high < 0.0005)
        asif_format(a, sizeof a, low > 0.9995 ? ">99.9" : "<0.1");
    else
        asif_format(a, sizeof a, "%.20s-%.20s", asif_predictive_checks_percent(b, low),
                    asif_predictive_checks_percent(c, high));
    asif_table_cell(table, a);
    asif_table_cell(table, p_text(a, asif_yaml_value(cell, "p")));
    asif_text words = {.context = summary->context};
    asif_predictive_checks_row(&words, summary, group, family, name);
    asif_clean(words.data);
    asif_table_cell(table, words.data ? words.data : "");
    table->cells.failed |= words.failed;
    asif_text_free(&words);
}

/* Add the table, with its last column wrapped to the width. */
static void end_table(asif_text *text, const asif_summary *summary, asif_table *table, uint32_t numbers) {
    uint32_t wide[8] = {0}, column = 0;
    const char *cell = table->cells.data ? table->cells.data : "";
    if (table->cells.failed) {
        text->failed = true;
        asif_table_free(table);
        return;
    }
    for (uint64_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        column = (uint32_t)(i % (numbers + 1));
        uint32_t width = asif_display_width(cell);
        if (column < numbers && width > wide[column])
            wide[column] = width;
    }
    cell = table->cells.data ? table->cells.data : "";
    for (uint64_t row = 0; row < table->count / (numbers + 1); row++) {
        asif_text heading = {.context = summary->context};
        uint32_t indent = 0;
        for (uint32_t k = 0; k < numbers; k++, cell += strlen(cell) + 1) {
            for (uint32_t pad = asif_display_width(cell); pad < wide[k] + 2; pad++)
                asif_text_add(&heading, " ");
            asif_text_add(&heading, cell);
            indent += wide[k] + 2;
        }
        if (*cell)
            asif_text_add(&heading, "  ");
        if (*cell)
            asif_add_wrapped(text, heading.data ? heading.data : "", indent + 2, cell, summary->width);
        else
            asif_text_addf(text, "%s\n", heading.data ? heading.data : "");
        cell += strlen(cell) + 1;
        text->failed |= heading.failed;
        asif_text_free(&heading);
    }
    asif_table_free(table);
}

static void add_family(asif_text *text, const asif_summary *summary, const asif_yaml *family) {
    enum { NUMBERS = 5 };
    const char *name = asif_yaml_text(family, "name"), *why = asif_yaml_text(family, "why"), *cell_name;
    const asif_yaml *groups = asif_yaml_part(family, "groups");
    size_t k = family_of(name);
    char p[ASIF_CELL_SIZE];
    asif_table table;
    if (k == sizeof families / sizeof *families)
        return;
    bool rows = is_list(groups) && groups->count > 0, prior = asif_yaml_flag(summary->root, "prior");
    if (rows)
        asif_text_addf(text, "\n%s (p %s)\n", families[k].title, p_text(p, asif_yaml_value(family, "p")));
    if (why) {
        asif_text words = {.context = summary->context};
        asif_text_addf(&words, rows ? "not judged: %s" : "not checked: %s", why);
        if (!rows)
            asif_text_addf(text, "\n%s\n", families[k].title);
        asif_add_words(text, "  ", 2, &words, summary->width);
    }
    if (!rows)
        return;
    const char *const titles[] = {asif_is(name, "lengths")       ? "episodes"
                                  : asif_is(name, "subjects")    ? "subjects"
                                  : asif_is(name, "environment") ? "times"
                                                                 : "decisions",
                                  "observed",
                                  asif_is(name, "lengths")       ? "simulated"
                                  : asif_is(name, "environment") ? "predicted"
                                  : asif_is(name, "subjects")    ? "expected"
                                  : prior                        ? "expected"
                                                                 : "fitted",
                                  "90 %",
                                  "p",
                                  ""};
    asif_table_init(&table, summary->context, NUMBERS + 1);
    for (uint32_t i = 0; i <= NUMBERS; i++)
        asif_table_cell(&table, titles[i]);
    for (uint32_t g = 0; g < groups->count; g++) {
        const asif_yaml *cells = asif_yaml_part(groups->item[g], "cells");
        bool all = asif_is(name, "lengths") && cells && cells->kind == ASIF_YAML_MAP;
        for (uint32_t i = 0; all && i < cells->count; i++)
            add_row(&table, summary, groups->item[g], cells->item[i], name, cells->key[i]->text);
        const asif_yaml *cell = all ? NULL : most_different(groups->item[g], &cell_name);
        if (cell)
            add_row(&table, summary, groups->item[g], cell, name, cell_name);
    }
    end_table(text, summary, &table, NUMBERS);
}

/* ---- the whole text ---- */

static void add_header(asif_text *text, const asif_summary *summary) {
    const asif_yaml *root = summary->root, *logs = asif_yaml_part(root, "logs");
    const char *title = asif_yaml_text(root, "title"), *dot = summary->unicode ? " \xc2\xb7 " : ", ";
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE], c[ASIF_CELL_SIZE], d[ASIF_CELL_SIZE];
    asif_text words = {.context = summary->context};
    asif_text_add(&words, asif_shown_title(title));
    if (asif_yaml_value(logs, "episodes") > 0)
        asif_text_addf(&words, "%s%s episodes", dot,
                       asif_read_count_text(a, asif_yaml_value(logs, "episodes")));
    if (asif_yaml_value(logs, "decisions") > 0)
        asif_text_addf(&words, "%s%s decisions", dot,
                       asif_read_count_text(a, asif_yaml_value(logs, "decisions")));
    asif_add_words(text, "", 0, &words, summary->width);
    words = (asif_text){.context = summary->context};
    asif_text_add(&words, "Checked against ");
    if (asif_yaml_flag(root, "maximum"))
        asif_text_add(&words, "the agent of the maximum: ");
    else
        asif_text_addf(&words,
                       "%s %s: ", asif_count_text(b, (uint64_t)fmax(0, asif_yaml_value(root, "draws"))),
                       asif_yaml_flag(root, "prior") ? "agents drawn from the prior, which is what the "
                                                       "assumptions alone expect"
                                                     : "draws of the fit");
    asif_text_addf(&words, "%s replicates of the decisions, %s simulated logs.",
                   asif_count_text(c, (uint64_t)fmax(0, asif_yaml_value(root, "replicates"))),
                   asif_count_text(d, (uint64_t)fmax(0, asif_yaml_value(root, "simulated"))));
    asif_add_words(text, "", 0, &words, summary->width);
    asif_text_add(text, "\n");
}

static void add_footer(asif_text *text, const asif_summary *summary) {
    const asif_yaml *rule = asif_yaml_part(summary->root, "rule");
    asif_text words = {.context = summary->context};
    asif_text_addf(
        &words,
        "Each line shows the number of its group that differs most, with its own tail probability p; --json "
        "has all numbers. A family's p is that of its largest difference. The model misses a number "
        "if its p is below %.2g among all numbers of its family, and it differs by %.0f points or more (a "
        "mean or a count: by %.0f %%).",
        asif_yaml_value(rule, "p"), 100 * asif_yaml_value(rule, "points"),
        100 * asif_yaml_value(rule, "part"));
    asif_text_add(text, "\n");
    asif_add_words(text, "", 0, &words, summary->width);
}

static bool is_one(const asif_yaml *root) {
    return asif_yaml_list(root, "families") || asif_is_people_checks(root);
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    asif_summary summary = {
        .context = text->context, .root = value, .unicode = options->unicode, .width = options->width};
    const asif_yaml *list = asif_yaml_list(value, "families");
    if (!list) {
        asif_tell_people_checks(text, value, options);
        return;
    }
    add_header(text, &summary);
    add_verdict(text, &summary);
    for (uint32_t f = 0; f < list->count; f++)
        add_family(text, &summary, list->item[f]);
    add_footer(text, &summary);
}

asif_status asif_report_predictive_checks(char **out, const asif_context *context, const char *json,
                                          uint64_t length, const char *name,
                                          const asif_report_options *options, asif_error *error) {
    static const asif_telling telling = {"the text of predictive checks", "asif predict DIR --json", NULL,
                                         is_one, tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}

/* ---- in the summary of a fit ---- */

const asif_yaml *asif_predictive_checks_worst(const asif_yaml *missed) {
    const asif_yaml *subjects = NULL;
    for (uint32_t i = 0; i < missed->count; i++) {
        const char *family = asif_yaml_text(missed->item[i], "family");
        if (asif_is(family, "subjects"))
            subjects = subjects ? subjects : missed->item[i];
        else if (!asif_is(family, "lengths"))
            return missed->item[i];
    }
    return subjects ? subjects : missed->item[0];
}

void asif_summary_checks(asif_text *text, const asif_summary *summary) {
    const asif_yaml *checks = asif_yaml_part(summary->root, "checks");
    const asif_yaml *missed = asif_yaml_part(checks, "missed");
    if (!is_list(asif_yaml_part(checks, "families")))
        return;
    verdict v = find_verdict(checks);
    double misses = asif_yaml_value(checks, "misses");
    asif_text words = {.context = summary->context};
    if (!is_missed(&v) && v.judged == 0)
        return;
    if (is_list(missed) && missed->count > 0) {
        const asif_yaml *worst = asif_predictive_checks_worst(missed);
        if (misses > 1)
            asif_text_addf(&words, "Predictive checks found %.0f differences, this one first: ", misses);
        else
            asif_text_add(&words, "A predictive check found a difference: ");
        if (asif_is(asif_yaml_text(worst, "family"), "subjects"))
            asif_predictive_checks_apart(&words, asif_predictive_checks_subjects(checks));
        else
            asif_predictive_checks_sentence(&words, summary, worst);
        asif_text_add(&words, ". `asif predict` shows more");
    } else if (v.impossible > 0) {
        add_impossible(&words, &v);
    } else {
        asif_text_add(&words, "The fitted agent passed every predictive check: ");
        add_looked_at(&words, checks);
        asif_text_add(&words, ". `asif predict` shows them");
    }
    asif_sentence_finish(&words);
    asif_add_words(text, "  ", 2, &words, summary->width);
}
