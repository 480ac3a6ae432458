/* The text of a comparison of groups: tables of contrasts, then their limits. */
#include "questions/compare/groups/compare_groups_text.h"
#include "questions/compare/groups/compare_groups.h"

#include "render/words/fit_numbers.h"
#include "render/words/shown_names.h"

#include "base/error.h"
#include "render/telling.h"

#include <math.h>
#include <string.h>

#define NAME_WIDTH 18
#define GROUP_WIDTH 6
#define CLASS_WIDTH 9
#define FEW_SUBJECTS 10
#define LISTED_CLASSES 4 /* most classes with a table of their own; more are only in the JSON */

typedef struct {
    asif_text *text;
    const asif_yaml *root;
    const char *first;
    bool unicode, differs, words; /* whether something differs, and whether a table had a column for that */
    uint32_t width;
} page;

static const asif_yaml *list(const asif_yaml *node, const char *key) {
    const asif_yaml *part = asif_yaml_part(node, key);
    return part && part->kind == ASIF_YAML_LIST ? part : NULL;
}

static const asif_yaml *find(const asif_yaml *items, const char *key, const char *wanted) {
    for (uint32_t i = 0; items && wanted && i < items->count; i++) {
        const char *text = asif_yaml_text(items->item[i], key);
        if (text && strcmp(text, wanted) == 0)
            return items->item[i];
    }
    return NULL;
}

static bool is(const char *text, const char *wanted) {
    return text && strcmp(text, wanted) == 0;
}

static void sentence(page *p, asif_text *words) {
    asif_clean(words->data);
    if (words->data)
        asif_add_wrapped(p->text, "", 0, words->data, p->width);
    p->text->failed |= words->failed;
    asif_text_free(words);
}

static void label_cell(asif_table *table, const page *p, const char *label, uint32_t width) {
    char cell[ASIF_CELL_SIZE];
    asif_label_cut(cell, label ? label : "", width, p->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
}

/* ---- the groups ---- */

static const asif_yaml *mix_of(const asif_yaml *group) {
    const asif_yaml *mix = asif_yaml_part(group, "mix");
    return mix && mix->kind == ASIF_YAML_MAP ? mix : NULL;
}

static void add_groups(page *p) {
    const asif_yaml *groups = list(p->root, "groups"), *mix = mix_of(groups->item[0]);
    uint32_t classes = mix ? mix->count : 0, shown = classes < LISTED_CLASSES ? classes : LISTED_CLASSES;
    asif_table table;
    char cell[ASIF_CELL_SIZE];
    asif_table_init(&table, p->text->context, 4 + shown);
    table.left = 1 | (uint64_t)1 << (3 + shown);
    asif_table_cell(&table, "group");
    asif_table_cell(&table, "episodes");
    asif_table_cell(&table, "decisions");
    for (uint32_t k = 0; k < shown; k++)
        label_cell(&table, p, mix->key[k]->text, CLASS_WIDTH);
    asif_table_cell(&table, "trust");
    for (uint32_t g = 0; g < groups->count; g++) {
        const asif_yaml *group = groups->item[g];
        const char *const counts[] = {"episodes", "decisions"};
        label_cell(&table, p, asif_yaml_text(group, "name"), 24);
        for (size_t i = 0; i < 2; i++) {
            double count = asif_yaml_value(group, counts[i]);
            bool whole = count >= 0 && count < 1e15 && count == floor(count);
            asif_table_cell(&table, isnan(count) ? ""
                                    : whole      ? asif_count_text(cell, (uint64_t)count)
                                                 : asif_short_number(cell, count));
        }
        for (uint32_t k = 0; k < shown; k++) {
            double share = asif_yaml_value(mix_of(group), mix->key[k]->text);
            asif_table_cell(&table, isnan(share) ? "" : asif_percent_text(cell, share));
        }
        bool good = asif_yaml_flag(group, "trusted") && !asif_yaml_flag(group, "missed") &&
                    !asif_yaml_flag(group, "doubted");
        asif_table_cell(&table, good ? "yes" : "no");
    }
    asif_table_end(&table, p->text);
}

/* ---- tables ---- */

static const struct {
    const char *key, *word;
} measures[] = {
    {"decisions", "decisions"}, {"before_end", "before the end"}, {"wrong", "share wrong"},
    {"utility", "utility"},     {"not_ended", "share not ended"},
};

/* Whether to hide a measure that is the same in every episode. */
static bool hidden(const asif_yaml *row, const asif_yaml *here) {
    const char *name = asif_yaml_text(row, "name");
    if (asif_yaml_flag(row, "action"))
        return false;
    if (is(name, "before_end") && is(asif_yaml_text(row, "same_as"), "decisions"))
        return true;
    return is(name, "not_ended") && asif_yaml_value(here, "q50") == 0 &&
           asif_yaml_value(asif_yaml_part(here, "difference"), "q50") == 0;
}

static const char *row_name(const asif_yaml *row) {
    const char *name = asif_yaml_text(row, "name");
    for (size_t i = 0; name && !asif_yaml_flag(row, "action") && i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].key, name) == 0)
            return measures[i].word;
    return name;
}

static void begin_table(asif_table *table, const page *p, const char *group) {
    asif_table_init(table, p->text->context, 7);
    table->left = 1 | 1 << 4 | 1 << 6;
    asif_table_cell(table, "");
    label_cell(table, p, p->first, GROUP_WIDTH);
    label_cell(table, p, group, GROUP_WIDTH);
    asif_table_cell(table, "diff.");
    asif_table_cell(table, "90 % interval");
    asif_table_cell(table, "larger");
    asif_table_cell(table, "");
}

/* Write a number so that the last digit is 1/10 to 1/100 of the interval's width. */
static char *digits(char *buffer, double number, double width) {
    return asif_summary_digits(buffer, number, 2 * width);
}

static char *range(char *buffer, double low, double high) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    buffer[0] = 0;
    if (!isnan(low) && !isnan(high))
        asif_format(buffer, ASIF_CELL_SIZE, "%.28s to %.28s", digits(a, low, high - low),
                    digits(b, high, high - low));
    return buffer;
}

/* Add the numbers of a row, after its name. */
static void add_cells(asif_table *table, page *p, const asif_yaml *first, const asif_yaml *here) {
    const asif_yaml *difference = asif_yaml_part(here, "difference");
    double low = asif_yaml_value(difference, "q05"), high = asif_yaml_value(difference, "q95");
    double larger = asif_yaml_value(difference, "larger"), width = high - low;
    bool differs = asif_yaml_text(difference, "differs") != NULL;
    char cell[ASIF_CELL_SIZE];
    asif_table_cell(table, digits(cell, asif_yaml_value(first, "q50"), width));
    asif_table_cell(table, digits(cell, asif_yaml_value(here, "q50"), width));
    asif_table_cell(table, digits(cell, asif_yaml_value(difference, "q50"), width));
    asif_table_cell(table, range(cell, low, high));
    /* A probability from draws is never shown as 0 or 100 %. */
    asif_table_cell(table, isnan(larger) ? "" : asif_percent_text(cell, fmin(fmax(larger, 1e-6), 1 - 1e-6)));
    asif_table_cell(table, differs ? "differs" : "");
    p->differs |= differs;
    p->words |= !isnan(larger);
}

static void add_observed(asif_table *table, const asif_yaml *first, const asif_yaml *here) {
    double a = asif_yaml_value(first, "observed"), b = asif_yaml_value(here, "observed");
    char cell[ASIF_CELL_SIZE];
    if (isnan(a) || isnan(b))
        return;
    const asif_yaml *difference = asif_yaml_part(here, "difference");
    double width = asif_yaml_value(difference, "q95") - asif_yaml_value(difference, "q05");
    asif_table_cell(table, "  in the logs");
    asif_table_cell(table, digits(cell, a, width));
    asif_table_cell(table, digits(cell, b, width));
    asif_table_cell(table, digits(cell, b - a, width));
    for (int i = 0; i < 3; i++)
        asif_table_cell(table, "");
}

/* Add one table of behaviour for each group. */
static void add_behaviour(page *p, const asif_yaml *rows, bool observed) {
    const asif_yaml *groups = list(p->root, "groups");
    for (uint32_t g = 0; g < groups->count; g++) {
        const char *group = asif_yaml_text(groups->item[g], "name");
        asif_table table;
        if (is(group, p->first))
            continue;
        begin_table(&table, p, group);
        for (uint32_t i = 0; rows && i < rows->count; i++) {
            const asif_yaml *cells = list(rows->item[i], "groups");
            const asif_yaml *first = find(cells, "group", p->first), *here = find(cells, "group", group);
            if (!first || !here || hidden(rows->item[i], here))
                continue;
            label_cell(&table, p, row_name(rows->item[i]), NAME_WIDTH);
            add_cells(&table, p, first, here);
            if (observed)
                add_observed(&table, first, here);
        }
        asif_table_end(&table, p->text);
    }
}

static void add_classes(page *p, const asif_yaml *classes) {
    for (uint32_t i = 0; classes && i < classes->count; i++) {
        const char *name = asif_yaml_text(classes->item[i], "class");
        asif_text words = {.context = p->text->context};
        if (classes->count > LISTED_CLASSES) {
            asif_text_addf(&words, "There are %u start classes: --json shows each of them.", classes->count);
            asif_text_add(p->text, "\n");
            sentence(p, &words);
            return;
        }
        asif_text_addf(&words, "ONLY CASES OF THE CLASS %s", name ? name : "?");
        asif_text_add(p->text, "\n");
        sentence(p, &words);
        add_behaviour(p, list(classes->item[i], "contrasts"), true);
    }
}

static void add_what_they_do(page *p) {
    const asif_yaml *behaviour = asif_yaml_part(p->root, "behaviour");
    const asif_yaml *own = list(behaviour, "own_cases"), *same = list(behaviour, "same_cases");
    const asif_yaml *pooled = asif_yaml_part(asif_yaml_part(p->root, "start_classes"), "pooled");
    const char *silent = asif_yaml_text(p->root, "no_behaviour");
    if (silent) {
        asif_text words = {.context = p->text->context};
        asif_text_addf(&words, "What they do cannot be compared: %s.", silent);
        asif_text_add(p->text, "\n");
        sentence(p, &words);
        return;
    }
    if (own) {
        asif_text_add(p->text, "\nWHAT THEY DO in an episode, each group with the cases it had\n");
        add_behaviour(p, own, true);
    }
    if (same) {
        asif_text words = {.context = p->text->context};
        asif_text_add(&words, "WHAT THEY WOULD DO with the same cases:");
        for (uint32_t k = 0; pooled && pooled->kind == ASIF_YAML_MAP && k < pooled->count; k++) {
            char cell[ASIF_CELL_SIZE];
            asif_percent_text(cell, asif_yaml_value(pooled, pooled->key[k]->text));
            asif_text_addf(&words, "%s %s %s", k ? "," : "", pooled->key[k]->text, cell);
        }
        asif_text_add(p->text, "\n");
        sentence(p, &words);
        add_behaviour(p, same, false);
    }
    add_classes(p, list(behaviour, "by_start_class"));
}

/* ---- parameters ---- */

static asif_summary_number number_of(const asif_yaml *row) {
    const char *name = asif_yaml_text(row, "name"), *parameter = asif_yaml_text(row, "parameter");
    return (asif_summary_number){.name = name ? name : "",
                                 .parameter = parameter ? parameter
                                              : name    ? name
                                                        : "",
                                 .label = asif_yaml_text(row, "label")};
}

/* Add verdicts: "choice randomness weakly in a, not in b". */
static void add_verdicts(asif_text *words, const asif_yaml *row) {
    const asif_yaml *cells = list(row, "groups");
    const asif_summary_number number = number_of(row);
    bool any = false;
    for (uint32_t g = 0; cells && g < cells->count; g++) {
        const char *verdict = asif_yaml_text(cells->item[g], "identified");
        const char *group = asif_yaml_text(cells->item[g], "group");
        if (!verdict || is(verdict, "yes"))
            continue;
        if (!any) {
            asif_text_add(words, words->length ? "; " : "Not fully identified: ");
            asif_summary_phrase(words, &number);
        }
        asif_text_addf(words, "%s %s in %s", any ? "," : "", is(verdict, "no") ? "not" : verdict,
                       group ? group : "?");
        any = true;
    }
}

static void add_parameters(page *p, const char *title) {
    const asif_yaml *rows = list(p->root, "parameters"), *groups = list(p->root, "groups");
    asif_text words = {.context = p->text->context};
    asif_text_addf(p->text, "\n%s\n", title);
    for (uint32_t g = 0; g < groups->count; g++) {
        const char *group = asif_yaml_text(groups->item[g], "name");
        asif_table table;
        if (is(group, p->first))
            continue;
        begin_table(&table, p, group);
        for (uint32_t i = 0; rows && i < rows->count; i++) {
            const asif_yaml *cells = list(rows->item[i], "groups");
            const asif_yaml *first = find(cells, "group", p->first), *here = find(cells, "group", group);
            const asif_summary_number number = number_of(rows->item[i]);
            asif_text phrase = {.context = p->text->context};
            if (!first || !here)
                continue;
            asif_summary_phrase(&phrase, &number);
            label_cell(&table, p, phrase.data, NAME_WIDTH);
            p->text->failed |= phrase.failed;
            asif_text_free(&phrase);
            add_cells(&table, p, first, here);
        }
        asif_table_end(&table, p->text);
    }
    for (uint32_t i = 0; rows && i < rows->count; i++)
        add_verdicts(&words, rows->item[i]);
    if (words.length)
        asif_text_add(&words,
                      ". A difference of numbers that the logs do not identify says little about people.");
    sentence(p, &words);
}

/* ---- limits ---- */

static void add_given(page *p) {
    const asif_yaml *given = list(p->root, "given_differs");
    asif_text words = {.context = p->text->context};
    bool environment = false;
    if (!given || given->count == 0)
        return;
    asif_text_add(&words, "NOT THE SAME STUDY. Given differently:");
    for (uint32_t i = 0; i < given->count; i++) {
        const asif_yaml *item = given->item[i];
        const char *what = asif_yaml_text(item, "what"), *group = asif_yaml_text(item, "group");
        const char *first = asif_yaml_text(item, "first"), *here = asif_yaml_text(item, "here");
        asif_text_addf(&words, "%s %s", i ? ";" : "", what ? what : "?");
        if (first && here)
            asif_text_addf(&words, " (%s in %s, %s in %s)", first, p->first, here, group ? group : "?");
        else
            asif_text_addf(&words, " (%s)", group ? group : "?");
        environment |= is(asif_yaml_text(item, "of"), "environment");
    }
    asif_text_add(&words, ". Contrasts of parameters compare different things.");
    if (environment)
        asif_text_add(&words, " What they do is simulated in different environments.");
    asif_text_add(p->text, "\n");
    sentence(p, &words);
}

/* Add the groups that have no episode of some class. */
static void add_unseen(asif_text *words, const asif_yaml *groups) {
    for (uint32_t g = 0; g < groups->count; g++) {
        const asif_yaml *mix = mix_of(groups->item[g]);
        const char *name = asif_yaml_text(groups->item[g], "name");
        for (uint32_t k = 0; mix && k < mix->count; k++)
            if (asif_yaml_value(mix, mix->key[k]->text) == 0)
                asif_text_addf(words, " %s had no case of %s: what it would do with one is the model's word.",
                               name ? name : "?", mix->key[k]->text);
    }
}

static void add_cases(page *p) {
    const asif_yaml *behaviour = asif_yaml_part(p->root, "behaviour");
    asif_text words = {.context = p->text->context};
    if (!behaviour || behaviour->kind != ASIF_YAML_MAP)
        return;
    if (list(behaviour, "same_cases")) {
        asif_text_add(&words,
                      "Cases: what differs with the cases each group had, and not with the same cases, is a "
                      "difference of cases and not of those who decide.");
        add_unseen(&words, list(p->root, "groups"));
    } else if (list(behaviour, "own_cases")) {
        asif_text_add(&words,
                      "Cases: the study has no start classes, so all cases are taken to be alike. If the "
                      "groups met different cases, that reads here as a difference between them.");
    } else {
        asif_text_add(&words,
                      "Cases: where states are seen the logs do not keep start classes, so that the case "
                      "mixes of the groups are not known.");
    }
    asif_text_add(p->text, "\n");
    sentence(p, &words);
}

/* Whether a group's differences are judged by this; NULL: its subjects are not known. */
static bool judged(const asif_yaml *group, const char *by) {
    const char *text = asif_yaml_text(group, "judged_by");
    return by ? is(text, by) : !text && asif_yaml_part(group, "judged_by");
}

/* Add the groups that are judged in one way: "52 in high and 40 in low", or only their names; returns their
 * number. */
static uint32_t list_groups(asif_text *words, const page *p, const char *by, bool counted) {
    const asif_yaml *groups = list(p->root, "groups");
    uint32_t found = 0, listed = 0;
    for (uint32_t g = 0; g < groups->count; g++)
        found += judged(groups->item[g], by);
    for (uint32_t g = 0; g < groups->count; g++) {
        const char *name = asif_yaml_text(groups->item[g], "name");
        if (!judged(groups->item[g], by))
            continue;
        asif_text_add(words, listed == 0 ? "" : listed + 1 == found ? " and " : ", ");
        if (counted)
            asif_text_addf(words, "%.0f in ", asif_yaml_value(groups->item[g], "subjects"));
        asif_text_add(words, name ? name : "?");
        listed++;
    }
    return found;
}

/* Add caveats if subjects are few, are in both groups, or are not known. */
static void add_caveats(asif_text *words, const page *p) {
    const asif_yaml *groups = list(p->root, "groups");
    bool few = false, known = true;
    for (uint32_t g = 0; g < groups->count; g++) {
        const asif_yaml *group = groups->item[g];
        const char *name = asif_yaml_text(group, "name");
        double both = asif_yaml_value(group, "in_first");
        if (!judged(group, "subjects"))
            continue;
        few |= asif_yaml_value(group, "subjects") < FEW_SUBJECTS;
        known &= !isnan(both);
        if (both > 0 && !is(name, p->first))
            asif_text_addf(words, " %.0f subject%s of %s %s in %s too and %s compared with %s.", both,
                           both == 1 ? "" : "s", name ? name : "?", both == 1 ? "is" : "are", p->first,
                           both == 1 ? "is" : "are", both == 1 ? "itself" : "themselves");
    }
    if (few)
        asif_text_addf(words, " With fewer than %d subjects in a group, intervals are rough.", FEW_SUBJECTS);
    if (!known)
        asif_text_add(words, " Subjects of different logs count as different people.");
}

static void add_subjects(page *p) {
    asif_text words = {.context = p->text->context}, names = words;
    if (list_groups(&names, p, "subjects", true) && p->words) {
        asif_text_addf(&words,
                       "Subjects: differences are judged against the spread between subjects (%s), because "
                       "the episodes of one person are alike.",
                       names.data ? names.data : "");
        add_caveats(&words, p);
    }
    p->text->failed |= names.failed;
    asif_text_free(&names);
    names = (asif_text){.context = p->text->context};
    if (list_groups(&names, p, "one_subject", false))
        asif_text_addf(&words, "%s%s: one subject each, so that differences say nothing about other people.",
                       words.length ? " " : "Subjects: ", names.data ? names.data : "");
    p->text->failed |= names.failed;
    asif_text_free(&names);
    names = (asif_text){.context = p->text->context};
    if (list_groups(&names, p, NULL, false))
        asif_text_addf(&words,
                       "%sIt is not known which episodes are by the same person (%s): they count as "
                       "independent, which makes intervals too narrow where people have several. Fit the "
                       "table, with its column of subjects, again.",
                       words.length ? " " : "Subjects: ", names.data ? names.data : "");
    p->text->failed |= names.failed;
    asif_text_free(&names);
    if (words.length)
        asif_text_add(p->text, "\n");
    sentence(p, &words);
}

/* Add the groups of a kind whose numbers are not established, and what shows why. */
static void add_unestablished(asif_text *words, const asif_yaml *groups, bool missed, const char *why,
                              const char *where) {
    bool any = false;
    for (uint32_t g = 0; g < groups->count; g++) {
        const char *name = asif_yaml_text(groups->item[g], "name");
        bool here = asif_yaml_flag(groups->item[g], "missed");
        if (missed ? !here : here || !asif_yaml_flag(groups->item[g], "doubted"))
            continue;
        asif_text_addf(words, "%s%s", any ? ", " : words->length ? " " : "", any ? "" : why);
        asif_text_add(words, name ? name : "?");
        any = true;
    }
    if (any)
        asif_text_addf(words, ". `asif %s` shows why.", where);
}

/* Add that the numbers of some groups are not established. */
static void add_missed(page *p) {
    const asif_yaml *groups = list(p->root, "groups");
    asif_text words = {.context = p->text->context};
    add_unestablished(&words, groups, true, "The model misses something in the data of ", "predict");
    add_unestablished(&words, groups, false, "There is reason to doubt the numbers of ", "summary");
    if (!words.length && !words.failed)
        return;
    asif_text_add(&words, " Such numbers are not established, nor is a difference between them.");
    asif_text_add(p->text, "\n");
    sentence(p, &words);
}

static void add_rule(page *p) {
    const asif_yaml *simulation = asif_yaml_part(p->root, "simulation"), *groups = list(p->root, "groups");
    asif_text words = {.context = p->text->context};
    bool draws = true, trusted = true;
    for (uint32_t g = 0; g < groups->count; g++) {
        draws &= asif_yaml_flag(groups->item[g], "draws");
        trusted &= asif_yaml_flag(groups->item[g], "trusted");
    }
    if (p->words)
        asif_text_addf(
            &words,
            "The column `larger` has the probability that the number is larger than in %s. %s a probability "
            "of at least 99 %% either way, after Holm's adjustment over the table.",
            p->first, p->differs ? "What differs has" : "Nothing differs: that takes");
    if (!draws && !p->words)
        asif_text_add(&words, "A fit without draws has no intervals: fit with --method nuts.");
    if (!trusted)
        asif_text_add(&words,
                      " NOT TO BE TRUSTED: at least one of the fits cannot be trusted (see `asif summary`).");
    char n[ASIF_CELL_SIZE], episodes[ASIF_CELL_SIZE];
    if (!asif_yaml_text(p->root, "no_behaviour"))
        asif_text_addf(&words, " Simulated: %s draws, %s episodes each.",
                       asif_read_count_text(n, asif_yaml_value(simulation, "draws")),
                       asif_read_count_text(episodes, asif_yaml_value(simulation, "episodes")));
    sentence(p, &words);
}

static void add_all(page *p) {
    const char *title = asif_yaml_text(p->root, "title"), *by = asif_yaml_text(p->root, "by");
    asif_text words = {.context = p->text->context};
    asif_text_add(&words, asif_shown_title(title));
    asif_text_addf(&words, "%s%s: groups against %s", by ? ", by " : "", by ? by : "", p->first);
    sentence(p, &words);
    asif_text_add(p->text, "\n");
    add_groups(p);
    add_what_they_do(p);
    add_parameters(p, "AS IF");
    add_given(p);
    add_cases(p);
    add_subjects(p);
    add_missed(p);
    add_rule(p);
}

asif_status asif_add_differences(asif_text *text, const asif_context *context, const char *json,
                                 const asif_yaml *labels, const asif_report_options *options,
                                 asif_error *error) {
    asif_yaml_document *document = NULL;
    ASIF_TRY(asif_yaml_read(&document, context, json, strlen(json), "differences", error));
    asif_names_show(document, labels);
    page p = {
        .text = text, .root = asif_yaml_root(document), .unicode = options->unicode, .width = options->width};
    p.first = asif_yaml_text(p.root, "first");
    if (p.first && list(p.root, "groups") && list(p.root, "parameters")) {
        add_parameters(&p, "DIFFERENCES of the numbers");
        add_subjects(&p);
        add_rule(&p);
    }
    asif_yaml_free(document);
    return ASIF_OK;
}

static bool is_one(const asif_yaml *root) {
    const asif_yaml *groups = list(root, "groups");
    return groups && groups->count > 1 && asif_yaml_text(root, "first") && list(root, "parameters");
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    page p = {.text = text,
              .root = value,
              .first = asif_yaml_text(value, "first"),
              .unicode = options->unicode,
              .width = options->width};
    add_all(&p);
}

asif_status asif_report_compare_groups(char **out, const asif_context *context, const char *json,
                                       uint64_t length, const char *name, const asif_report_options *options,
                                       asif_error *error) {
    static const asif_telling telling = {"the text of contrasts", "asif compare DIR --json", NULL, is_one,
                                         tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
