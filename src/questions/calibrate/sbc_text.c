/* The answer of `sbc` as text. */
#include "questions/calibrate/calibrate.h"
#include "questions/calibrate/replicates_text.h"
#include "render/bars.h"

#include <math.h>
#include <string.h>

#define WIDEST 40
#define AWAY 3 /* deviation in standard errors from which the shape of a histogram is described */

static void sketch(asif_text *out, const asif_yaml *list, bool unicode) {
    double count[WIDEST] = {0};
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i]->text)
            asif_number_read(list->item[i]->text, strlen(list->item[i]->text), &count[i]);
    asif_bars(out, list->count, count, unicode);
}

static void add_quantity(asif_table *table, const asif_replicates_report *report, const asif_yaml *node) {
    const asif_yaml *histogram = asif_yaml_part(node, "histogram");
    asif_text bars = {.context = report->context};
    char cell[ASIF_CELL_SIZE];
    double p = asif_yaml_value(node, "p");
    if (histogram && histogram->kind == ASIF_YAML_LIST && histogram->count <= WIDEST)
        sketch(&bars, histogram, report->unicode);
    asif_table_cell(table, bars.data ? bars.data : "");
    table->cells.failed |= bars.failed;
    asif_text_free(&bars);
    asif_format(cell, sizeof cell, "%.1f", asif_yaml_value(node, "chi_square"));
    asif_table_cell(table, cell);
    asif_format(cell, sizeof cell, p < 0.0001 ? "<0.0001" : "%.*f", p < 0.01 ? 4 : 2, p);
    asif_table_cell(table, cell);
    bool held = asif_yaml_part(node, "coverage") != NULL;
    asif_table_cell(table, held ? asif_replicates_held(cell, node) : "");
    asif_table_cell(table, held ? asif_replicates_interval(cell, node) : "");
}

/* Add what the shape of a histogram that is not uniform says about the posteriors (Talts et al., 2018,
 * Section 4.2). */
static void judge(asif_text *text, const asif_replicates_report *report, const char *name,
                  const asif_yaml *node, bool likelihood) {
    double lean = asif_yaml_value(node, "lean"), spread = asif_yaml_value(node, "spread");
    asif_text words = {.context = report->context};
    if (asif_yaml_flag(node, "uniform"))
        return;
    asif_text_addf(&words, "The ranks of %s are not uniform", name);
    if (!likelihood && fabs(spread) > AWAY && fabs(spread) >= fabs(lean))
        asif_text_addf(&words, ": its posteriors are too %s", spread > 0 ? "narrow" : "wide");
    else if (!likelihood && fabs(lean) > AWAY)
        asif_text_addf(&words, ": its posteriors lie too %s", lean > 0 ? "low" : "high");
    asif_clean(words.data);
    asif_text_add(&words, ".");
    asif_replicates_point(text, report, words.data ? words.data : "");
    text->failed |= words.failed;
    asif_text_free(&words);
}

static void add_table(asif_text *text, const asif_replicates_report *report) {
    static const char *const heads[] = {"", "ranks", "chi2", "p", "90 % held", "95 % CI"};
    asif_table table;
    asif_table_init(&table, report->context, sizeof heads / sizeof *heads);
    table.left = 1 | 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < report->parameters->count; i++) {
        asif_replicates_name(&table, report, i);
        add_quantity(&table, report, report->parameters->item[i]);
    }
    if (asif_yaml_part(report->root, "log_likelihood")) {
        asif_table_cell(&table, "log-likelihood");
        add_quantity(&table, report, asif_yaml_part(report->root, "log_likelihood"));
    }
    asif_table_end(&table, text);
}

static void write(asif_text *text, const asif_replicates_report *report) {
    double factor = asif_yaml_value(report->root, "wrong_prior");
    char words[256];
    asif_replicates_header(text, report);
    asif_text_add(text, "\nRANKS OF THE TRUTH\n");
    add_table(text, report);
    asif_text_add(text, "\nWHAT IT SAYS\n");
    if (factor != 1) {
        asif_format(
            words, sizeof words,
            "The prior of the fits is wrong on purpose: its standard deviation is %.3g times the true one.",
            factor);
        asif_replicates_point(text, report, words);
    }
    if (asif_yaml_flag(report->root, "uniform")) {
        asif_format(words, sizeof words,
                    "All ranks are uniform (chi-square tests at 1 %% together). The inference is calibrated, "
                    "as far as this number of %s can show.",
                    asif_replicates_noun(report));
        asif_replicates_point(text, report, words);
    }
    for (uint32_t i = 0; i < report->parameters->count; i++)
        judge(text, report, report->parameters->key[i]->text, report->parameters->item[i], false);
    if (asif_yaml_part(report->root, "log_likelihood"))
        judge(text, report, "the log-likelihood", asif_yaml_part(report->root, "log_likelihood"), true);
    asif_replicates_add_people(text, report);
    asif_replicates_trust(text, report);
}

asif_status asif_report_sbc(char **out, const asif_context *context, const char *json, uint64_t length,
                            const char *name, const asif_report_options *options, asif_error *error) {
    return asif_replicates_text(out, context, json, length, name, "sbc", write, options, error);
}
