/* The answer of `recover` as text. */
#include "questions/calibrate/calibrate.h"
#include "questions/calibrate/replicates_text.h"

#include <math.h>

static char *signed_number(char *buffer, double number, double width) {
    char digits[ASIF_CELL_SIZE];
    if (isnan(number))
        return buffer[0] = 0, buffer;
    asif_format(buffer, ASIF_CELL_SIZE, "%s%s", number > 0 ? "+" : "",
                asif_summary_digits(digits, number, width));
    return buffer;
}

static void add_row(asif_table *table, const asif_replicates_report *report, uint32_t i) {
    const asif_yaml *number = report->parameters->item[i];
    double sd = asif_yaml_value(number, "mean_sd"), rmse = asif_yaml_value(number, "rmse");
    double width = 2 * (isnan(sd) ? rmse : fmin(sd, rmse)),
           correlation = asif_yaml_value(number, "correlation");
    double truth = asif_yaml_value(number, "truth");
    char cell[ASIF_CELL_SIZE];
    asif_replicates_name(table, report, i);
    asif_table_cell(table, isnan(truth) ? "drawn" : asif_summary_digits(cell, truth, width));
    asif_table_cell(table, signed_number(cell, asif_yaml_value(number, "bias"), width));
    asif_table_cell(table, isnan(rmse) ? "" : asif_summary_digits(cell, rmse, width));
    asif_table_cell(table, isnan(sd) ? "" : asif_summary_digits(cell, sd, width));
    asif_table_cell(table, asif_replicates_held(cell, number));
    asif_table_cell(table, asif_replicates_interval(cell, number));
    if (!isnan(correlation))
        asif_format(cell, sizeof cell, "%.2f", correlation);
    asif_table_cell(table, isnan(correlation) ? "" : cell);
}

/* Add a point if the bias exceeds three standard errors, or if intervals contain too few or too many
 * truths. */
static void judge(asif_text *text, const asif_replicates_report *report, uint32_t i, uint32_t *said) {
    const asif_yaml *number = report->parameters->item[i], *coverage = asif_yaml_part(number, "coverage");
    const char *name = report->parameters->key[i]->text;
    double bias = asif_yaml_value(number, "bias"), error = asif_yaml_value(number, "bias_se");
    char words[256];
    if (error > 0 && fabs(bias) > 3 * error) {
        asif_format(words, sizeof words, "Estimates of %.60s are too %s, by more than chance explains.", name,
                    bias > 0 ? "high" : "low");
        asif_replicates_point(text, report, words);
        ++*said;
    }
    bool few = asif_yaml_value(coverage, "high")<0.9, many = asif_yaml_value(coverage, "low")> 0.9;
    if (few || many) {
        asif_format(words, sizeof words, "The 90 %% intervals of %.60s contain the truth too %s.", name,
                    few ? "rarely" : "often");
        asif_replicates_point(text, report, words);
        ++*said;
    }
}

static void write(asif_text *text, const asif_replicates_report *report) {
    static const char *const heads[] = {"", "truth", "bias", "RMSE", "sd", "90 % held", "95 % CI", "r"};
    asif_table table;
    uint32_t said = 0;
    asif_replicates_header(text, report);
    asif_text_add(text, "\nTRUTH AND ESTIMATE\n");
    asif_table_init(&table, report->context, sizeof heads / sizeof *heads);
    table.left = 1;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < report->parameters->count; i++)
        add_row(&table, report, i);
    asif_table_end(&table, text);
    asif_text_add(text, "\nWHAT IT SAYS\n");
    for (uint32_t i = 0; i < report->parameters->count; i++)
        judge(text, report, i, &said);
    if (said == 0) {
        char words[128];
        asif_format(words, sizeof words, "No error is larger than chance allows with this number of %s.",
                    asif_replicates_noun(report));
        asif_replicates_point(text, report, words);
    }
    asif_replicates_add_people(text, report);
    asif_replicates_trust(text, report);
}

asif_status asif_report_recover(char **out, const asif_context *context, const char *json, uint64_t length,
                                const char *name, const asif_report_options *options, asif_error *error) {
    return asif_replicates_text(out, context, json, length, name, "recover", write, options, error);
}
