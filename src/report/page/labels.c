/* How far labels of the hidden state agree with the states that the histories make probable. */
#include "report/page/page.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* A row is told if it has so many times the smallest count that may be shown: mean probabilities in whole
 * percents then tell nothing about few. */
#define ENOUGH 10

static double number(const asif_yaml *node) {
    double value = 0;
    if (node->text)
        asif_number_read(node->text, strlen(node->text), &value);
    return value;
}

static double row_sum(const asif_yaml *row) {
    double sum = 0;
    for (uint32_t i = 0; i < row->count; i++)
        sum += number(row->item[i]);
    return sum;
}

static void add_row(asif_html_table *table, const char *label, const asif_yaml *row, double least) {
    double sum = row_sum(row);
    char cell[ASIF_CELL_SIZE];
    asif_html_cell(table, label);
    for (uint32_t s = 0; s < row->count; s++) {
        if (sum > 0 && sum >= least)
            asif_format(cell, sizeof cell, "%.0f %%", 100 * number(row->item[s]) / sum);
        asif_html_cell(table, sum > 0 && sum >= least ? cell : "withheld");
    }
}

void asif_page_labels(asif_page *page, const asif_source_fit *fit) {
    const asif_yaml *labels = asif_yaml_part(asif_yaml_part(fit->fit.root, "logs"), "labels"),
                    *states = asif_yaml_list(labels, "states"), *rows = asif_yaml_list(labels, "expected");
    const char *heads[1 + ASIF_LABELLED_STATES] = {"label"};
    double share = asif_yaml_value(labels, "expected_agreement"), all = 0;
    if (!states || !rows || states->count > ASIF_LABELLED_STATES || rows->count != states->count ||
        isnan(share))
        return;
    double least = (double)ENOUGH * asif_disclosure_limit(fit->cells);
    for (uint32_t s = 0; s < states->count; s++) {
        heads[1 + s] = states->item[s]->text;
        all += row_sum(rows->item[s]);
    }
    asif_html_table table;
    asif_html_table_begin(
        &table, &page->html,
        "Labels of the hidden state, by the mean probability of each state, given the history up to "
        "the visit",
        1 + states->count, heads, ((uint32_t)1 << (1 + states->count)) - 2);
    for (uint32_t l = 0; l < rows->count; l++)
        add_row(&table, states->item[l]->text, rows->item[l], least);
    asif_html_table_end(&table);
    if (all >= least)
        asif_html_paragraph(
            &page->html,
            "On average the state that the label names has a probability of %.0f %% in the environment of "
            "the study. Labels are shown and were not used for this fit.",
            100 * share);
}
