/* The text of a list of belated or surprising episodes. */
#include "questions/explain/explain_text.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

static void make_belated(const asif_explain_page *p, asif_table *table, uint32_t labels) {
    const asif_yaml *list = asif_yaml_list(p->root, "list");
    static const char *const titles[] = {"episode", "ideal", "done", "late", "no bounds", "cost", "with"};
    static const uint32_t columns = sizeof titles / sizeof *titles;
    char cell[ASIF_CELL_SIZE];
    asif_table_init(table, p->context, columns);
    table->left = 1 | 64;
    for (uint32_t k = 0; k < columns; k++)
        asif_table_cell(table, titles[k]);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const asif_yaml *episode = list->item[i];
        const char *action = asif_yaml_text(episode, "action"), *of = asif_yaml_text(episode, "of");
        asif_explain_label(p, table, asif_yaml_text(episode, "episode"), labels);
        asif_explain_count(table, episode, "ideal_step");
        asif_explain_count(table, episode, "step");
        asif_explain_count(table, episode, "late");
        asif_explain_count(table, episode, "late_same");
        asif_table_cell(table, asif_explain_amount(cell, asif_yaml_value(episode, "cost")));
        asif_explain_label(p, table, action ? action : of ? of : "not ended", labels);
    }
}

static char *few_digits(char *buffer, double number) {
    asif_format(buffer, ASIF_CELL_SIZE, number < 10 ? "%.2g" : "%.0f", number);
    return buffer;
}

static void make_surprising(const asif_explain_page *p, asif_table *table, uint32_t labels) {
    const asif_yaml *list = asif_yaml_list(p->root, "list");
    static const char *const titles[] = {"episode", "step", "did", "%", "more probable", "such", "expected"};
    static const uint32_t columns = sizeof titles / sizeof *titles;
    char cell[ASIF_CELL_SIZE];
    asif_table_init(table, p->context, columns);
    table->left = 1 | 4 | 16;
    for (uint32_t k = 0; k < columns; k++)
        asif_table_cell(table, titles[k]);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const asif_yaml *episode = list->item[i];
        const char *did = asif_yaml_text(episode, "action"), *would = asif_yaml_text(episode, "would");
        asif_explain_label(p, table, asif_yaml_text(episode, "episode"), labels);
        asif_explain_count(table, episode, "step");
        asif_explain_label(p, table, did, labels);
        asif_table_cell(table, few_digits(cell, 100 * asif_yaml_value(episode, "probability")));
        asif_explain_label(p, table, did && would && strcmp(did, would) == 0 ? "-" : would, labels);
        asif_table_cell(table, asif_short_number(cell, asif_yaml_value(episode, "observed")));
        asif_table_cell(table, few_digits(cell, asif_yaml_value(episode, "expected")));
    }
}

static void say_belated(const asif_explain_page *p) {
    double episodes = asif_yaml_value(p->root, "episodes"), found = asif_yaml_value(p->root, "found");
    char all[ASIF_CELL_SIZE], some[ASIF_CELL_SIZE], share[ASIF_CELL_SIZE];
    asif_text words = {.context = p->context};
    asif_text_addf(&words,
                   "%s of %s episodes (%s) went on after an agent that knows the true world would have ended "
                   "them.",
                   asif_count_text(some, (uint64_t)found), asif_count_text(all, (uint64_t)episodes),
                   asif_percent_text(share, episodes > 0 ? found / episodes : 0));
    asif_explain_say(p, &words);
    asif_text_add(
        &words,
        "`ideal` is the first step at which that agent would have ended the episode with a probability of .5 "
        "or more. Where no action ends an episode, it is the first step at which it would have taken the "
        "action `with`. `late` counts the other decisions from there on. `no bounds` counts those after the "
        "same model without bounds would have ended it. The latest episodes come first, and of equally late "
        "ones the most costly. `cost` is that of the whole episode, in utility.");
    asif_explain_say(p, &words);
}

static void say_surprising(const asif_explain_page *p) {
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(&words,
                   "Each row is the least probable action of an episode, with its mean probability over the "
                   "draws. `such` counts the decisions, of all %s, whose action was that improbable or more "
                   "so. `expected` is how many such actions the fitted agent would take in the same "
                   "situations.",
                   asif_read_count_text(cell, asif_yaml_value(p->root, "decisions")));
    asif_explain_say(p, &words);
}

void asif_explain_episodes(const asif_explain_page *p, bool belated) {
    const asif_yaml *list = asif_yaml_list(p->root, "list");
    const char *title = asif_yaml_text(p->root, "title"), *dot = p->unicode ? " \xc2\xb7 " : ", ";
    asif_text words = {.context = p->context};
    char episodes[ASIF_CELL_SIZE], decisions[ASIF_CELL_SIZE];
    asif_text_addf(&words, "%s%s%s episodes%s%s decisions", asif_shown_title(title), dot,
                   asif_read_count_text(episodes, asif_yaml_value(p->root, "episodes")), dot,
                   asif_read_count_text(decisions, asif_yaml_value(p->root, "decisions")));
    asif_explain_heading(p, &words);
    asif_text_addf(p->text, "\n%s\n", belated ? "BELATED, in steps" : "SURPRISING");
    if (list && list->count)
        asif_explain_fitted(p, belated ? make_belated : make_surprising);
    asif_text_add(p->text, list && list->count ? "\n" : "");
    (belated ? say_belated : say_surprising)(p);
}
