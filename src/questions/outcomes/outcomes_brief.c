/* The short form of outcomes in the summary of a fit. */
#include "questions/outcomes/outcomes_brief.h"
#include "render/telling.h"
#include "render/words/ideal_names.h"
#include "render/words/sentences.h"

#include <math.h>
#include <string.h>

static const asif_yaml *part_of(const asif_summary *summary, const char *key) {
    return asif_yaml_part(asif_yaml_part(summary->root, "outcomes"), key);
}

void asif_summary_reads(asif_text *words, const asif_yaml *evidence) {
    const asif_yaml *perceived = asif_yaml_part(evidence, "perceived");
    double mean = asif_yaml_value(perceived, "mean"), low = asif_yaml_value(perceived, "q05"),
           high = asif_yaml_value(perceived, "q95");
    char range[ASIF_CELL_SIZE] = "";
    if (isnan(mean)) {
        asif_text_add(words, "this action is never taken");
        return;
    }
    if (!isnan(low) && !isnan(high))
        asif_format(range, sizeof range, " (%.2f to %.2f)", low, high);
    asif_text_addf(words, "treats a test of accuracy %.2f as one of %.2f%s",
                   asif_yaml_value(evidence, "environment"), mean, range);
}

/* ---- what they do ---- */

/* Add a cell with a mean such as "3.5" and, with `ranges`, one with its interval "3.3 to 3.7"; shares are in
 * percent. */
static void add_outcome(asif_table *table, const asif_yaml *outcome, bool share, bool ranges) {
    double scale = share ? 100 : 1, mean = scale * asif_yaml_value(outcome, "mean"),
           low = scale * asif_yaml_value(outcome, "q05"), high = scale * asif_yaml_value(outcome, "q95");
    char cell[ASIF_CELL_SIZE] = "";
    if (!isnan(mean))
        asif_format(cell, sizeof cell, share ? "%.1f %%" : "%.1f", mean);
    asif_table_cell(table, cell);
    if (!ranges)
        return;
    cell[0] = 0;
    if (!isnan(low) && !isnan(high))
        asif_format(cell, sizeof cell, "%.1f to %.1f", low, high);
    asif_table_cell(table, cell);
}

void asif_summary_measures(asif_text *text, const asif_summary *summary) {
    const asif_yaml *outcomes = asif_yaml_part(summary->root, "outcomes"),
                    *conduct = part_of(summary, "conduct");
    asif_agents agents = asif_agents_told(outcomes);
    if (!conduct || conduct->kind != ASIF_YAML_MAP)
        return;
    const asif_yaml *fitted = asif_yaml_part(conduct, "fitted");
    bool ends = !isnan(asif_yaml_value(asif_yaml_part(fitted, "before_end"), "mean"));
    bool errs = !isnan(asif_yaml_value(asif_yaml_part(fitted, "wrong"), "mean"));
    asif_table table;
    bool ranges = summary->draws;
    asif_table_init(&table, summary->context, 1 + (errs ? 2u : 1u) * (ranges ? 2u : 1u));
    table.left = ranges ? 1 | 4 | 16 : 1;
    table.indent = 2;
    asif_table_cell(&table, "per episode, simulated");
    for (uint32_t k = 0; k < (errs ? 2u : 1u); k++) {
        asif_table_cell(&table, k ? "wrong" : ends ? "tests" : "utility");
        if (ranges)
            asif_table_cell(&table, "interval");
    }
    for (uint32_t k = 0; k < agents.count; k++) {
        const asif_yaml *agent = asif_agents_part(conduct, agents.agent[k]);
        asif_table_cell(&table, asif_agents_word(&agents, agents.agent[k]));
        add_outcome(&table, asif_yaml_part(agent, ends ? "before_end" : "utility"), false, ranges);
        if (errs)
            add_outcome(&table, asif_yaml_part(agent, "wrong"), true, ranges);
    }
    asif_table_end(&table, text);
    if (ends)
        asif_add_wordsf(
            text, "  ", 2, summary->width, "Tests are the decisions before the final one.%s",
            errs ? " It is wrong if another final action would have scored much higher, given the true state."
                 : "");
    asif_text words = {.context = summary->context};
    asif_agents_missing(&words, outcomes);
    asif_add_words(text, "  ", 2, &words, summary->width);
}

/* ---- as if why ---- */

void asif_summary_evidence(asif_text *text, const asif_summary *summary, const asif_summary_number *number) {
    const asif_yaml *list = part_of(summary, "evidence");
    if (strcmp(number->parameter, "optimism") != 0 && strcmp(number->parameter, "beta") != 0)
        return;
    for (uint32_t i = 0; list && list->kind == ASIF_YAML_LIST && i < list->count; i++) {
        asif_text words = {.context = summary->context};
        const char *action = asif_yaml_text(list->item[i], "action");
        asif_summary_reads(&words, list->item[i]);
        if (list->count > 1)
            asif_text_addf(&words, " (%s)", action ? action : "?");
        asif_add_words(text, "    ", 4, &words, summary->width);
    }
}

/* ---- cost of the bounds ---- */

/* The bound with the largest loss (sign 1) or gain (sign -1) per decision; NULL: there is none. */
static const asif_yaml *largest(const asif_yaml *bounds, double sign, const char **name) {
    const asif_yaml *found = NULL;
    double most = 0;
    for (uint32_t i = 0; bounds && bounds->kind == ASIF_YAML_MAP && i < bounds->count; i++) {
        const asif_yaml *loss = asif_yaml_part(bounds->item[i], "per_decision");
        if (sign * asif_yaml_value(loss, "mean") > most) {
            most = sign * asif_yaml_value(loss, "mean");
            found = loss;
            *name = bounds->key[i]->text;
        }
    }
    return found;
}

void asif_summary_cost_words(asif_text *words, const asif_summary *summary) {
    const asif_yaml *losses = part_of(summary, "losses"), *bounds = asif_yaml_part(losses, "bounds");
    const char *name = "", *helper = "";
    const asif_yaml *worst = largest(bounds, 1, &name), *best = largest(bounds, -1, &helper);
    double whole = asif_yaml_value(asif_yaml_part(losses, "whole_per_decision"), "mean");
    if (!worst)
        return;
    char cell[3][ASIF_CELL_SIZE];
    double most = asif_yaml_value(worst, "mean"), low = asif_yaml_value(worst, "q05"),
           high = asif_yaml_value(worst, "q95"), width = isnan(high - low) ? most : high - low;
    asif_text_addf(
        words,
        "All bounds together %s %s of expected utility per decision. The most costly bound, %s, costs %s",
        whole < 0 ? "gain" : "cost", asif_summary_digits(cell[0], fabs(whole), width), asif_bound_word(name),
        asif_summary_digits(cell[1], most, width));
    if (!isnan(high - low))
        asif_text_addf(words, " (%s)", asif_summary_range(cell[2], low, high));
    /* The losses add up to the whole, so one can exceed it only if another is below 0. */
    if (most > whole && best)
        asif_text_addf(words, ". That is more than all together, because %s gain%s %s",
                       asif_bound_word(helper), asif_is(helper, "worlds") ? "" : "s",
                       asif_summary_digits(cell[0], -asif_yaml_value(best, "mean"), width));
    asif_sentence_finish(words);
}

void asif_summary_costs(asif_text *text, const asif_summary *summary) {
    asif_text words = {.context = summary->context};
    asif_summary_cost_words(&words, summary);
    asif_add_words(text, "  ", 2, &words, summary->width);
}
