/* The summary of a fit: what they do, as if why, what the logs cannot tell, and whether the computation can
 * be trusted. */
#include "report/summary/summary.h"
#include "questions/outcomes/outcomes_brief.h"
#include "questions/predict/predictive_checks_text.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/report_options.h"
#include "render/telling.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

static void add_part(asif_text *words, const asif_summary *summary, const asif_yaml *logs, const char *key,
                     const char *one, const char *many) {
    double count = asif_yaml_value(logs, key);
    char cell[ASIF_CELL_SIZE];
    if (isnan(count))
        return;
    asif_text_addf(words, "%s%s %s", summary->unicode ? " \xc2\xb7 " : ", ",
                   asif_count_text(cell, (uint64_t)fmax(0, count)), count == 1 ? one : many);
}

static void add_header(asif_text *text, const asif_summary *summary) {
    const asif_yaml *logs = asif_yaml_part(summary->root, "logs");
    const asif_yaml *group = asif_yaml_part(summary->root, "group"),
                    *where = asif_yaml_part(summary->root, "where");
    const char *title = asif_yaml_text(summary->root, "title"), *column = asif_yaml_text(group, "column");
    const char *value = asif_yaml_text(group, "value"), *dot = summary->unicode ? " \xc2\xb7 " : ", ";
    asif_text words = {.context = summary->context};
    asif_text_add(&words, asif_shown_title(title));
    if (column && value)
        asif_text_addf(&words, "%s%s = %s", dot, column, value);
    for (uint32_t i = 0; where && where->kind == ASIF_YAML_LIST && i < where->count; i++)
        asif_text_addf(&words, "%s%s", dot, where->item[i]->text ? where->item[i]->text : "");
    bool counted = asif_summary_counted(summary);
    add_part(&words, summary, logs, "episodes", counted ? "row of counts" : "episode",
             counted ? "rows of counts" : "episodes");
    add_part(&words, summary, logs, counted ? "weight" : "decisions", "decision", "decisions");
    add_part(&words, summary, logs, "excluded", "row left out", "rows left out");
    asif_clean(words.data);
    asif_add_wrapped(text, "", 0, words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

/* Whether an assumption has its default value (no optimism, no taste for surprise) and is not listed. */
static bool is_usual(const char *name, double value) {
    return (strcmp(name, "beta") == 0 && isinf(value)) || (strcmp(name, "eta") == 0 && value == 0);
}

/* Add the assumed utilities, or the other assumed numbers: ", assuming correct 10, wrong -36". */
static void add_values(asif_text *words, const asif_summary *summary, bool utilities) {
    const asif_yaml *given = asif_yaml_part(summary->root, "given");
    for (uint32_t i = 0; given && given->kind == ASIF_YAML_MAP && i < given->count; i++) {
        const asif_summary_number number = {.name = given->key[i]->text, .parameter = given->key[i]->text};
        double value = asif_yaml_value(given, number.name);
        char cell[ASIF_CELL_SIZE];
        if ((strcmp(asif_summary_word(&number), "utility") == 0) != utilities || is_usual(number.name, value))
            continue;
        asif_text_addf(words, "%s%s %s", words->length ? ", " : ", assuming ",
                       asif_parameter_word(number.name), asif_short_number(cell, value));
        const char *unit = asif_name_unit(asif_yaml_part(summary->root, "labels"), number.name);
        if (unit)
            asif_text_addf(words, " %s", unit);
    }
}

/* Add the heading: "AS IF, assuming correct 10, wrong -36, cost -1, discount 0.95 and 3 worlds". */
static void add_given(asif_text *text, const asif_summary *summary) {
    double worlds = asif_yaml_value(asif_yaml_part(summary->root, "setting"), "worlds");
    asif_text words = {.context = summary->context};
    add_values(&words, summary, true);
    add_values(&words, summary, false);
    if (worlds > 1)
        asif_text_addf(&words, "%s%.0f worlds", words.length ? " and " : ", assuming ", worlds);
    asif_clean(words.data);
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "AS IF", 5, words.data ? words.data : "", summary->width);
    text->failed |= words.failed;
    asif_text_free(&words);
}

/* Add the standard errors of a maximum of the likelihood, computed in three ways. */
static void add_errors(asif_text *text, const asif_summary *summary) {
    static const char *const ways[] = {"hessian", "outer_product", "clustered"};
    const asif_yaml *numbers = asif_yaml_part(summary->root, "parameters"),
                    *maximum = asif_yaml_part(summary->root, "maximum");
    double clusters = asif_yaml_value(maximum, "clusters");
    const char *by = asif_yaml_text(maximum, "clustered_by");
    uint32_t columns = isnan(clusters) ? 3 : 4;
    char cell[ASIF_CELL_SIZE];
    asif_table table;
    if (!asif_yaml_part(asif_yaml_part(numbers, summary->number[0].name), "standard_errors"))
        return;
    asif_table_init(&table, summary->context, columns);
    table.left = 1;
    asif_table_cell(&table, "standard errors");
    asif_table_cell(&table, "curvature");
    asif_table_cell(&table, "outer product");
    asif_format(cell, sizeof cell, "robust, by %s (%.0f)", by ? by : "?", clusters);
    if (columns == 4)
        asif_table_cell(&table, cell);
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const asif_summary_number *n = &summary->number[i];
        const asif_yaml *errors = asif_yaml_part(asif_yaml_part(numbers, n->name), "standard_errors");
        asif_format(cell, sizeof cell, "  %s%.60s", strncmp(n->name, "log_", 4) == 0 ? "log " : "",
                    asif_summary_symbol(n));
        asif_clean(cell);
        asif_table_cell(&table, cell);
        for (uint32_t k = 0; k + 1 < columns; k++) {
            double error = asif_yaml_value(errors, ways[k]);
            asif_format(cell, sizeof cell, isnan(error) ? "-" : "%.4g", error);
            asif_table_cell(&table, cell);
        }
    }
    asif_text_add(text, "\n");
    asif_table_end(&table, text);
}

/* Add the combinations that data can determine, where nothing fixes the scale of the utilities. */
static void add_combinations(asif_text *text, const asif_summary *summary) {
    const asif_yaml *list = asif_yaml_list(summary->root, "combinations");
    char cell[ASIF_CELL_SIZE];
    asif_table table;
    if (!list || list->count == 0)
        return;
    asif_add_wrapped(
        text, "  ", 2,
        "Only the priors fix the scale, so the data can determine only these combinations:", summary->width);
    asif_table_init(&table, summary->context, 4);
    table.left = 1;
    for (uint32_t i = 0; i < list->count; i++) {
        const asif_yaml *one = list->item[i];
        const char *name = asif_yaml_text(one, "name"), *identified = asif_yaml_text(one, "identified");
        double low = asif_yaml_value(one, "q05"), high = asif_yaml_value(one, "q95");
        asif_format(cell, sizeof cell, "    %.60s", name ? name : "?");
        asif_clean(cell);
        asif_table_cell(&table, cell);
        asif_table_cell(&table, asif_summary_digits(cell, asif_yaml_value(one, "q50"), high - low));
        asif_table_cell(&table, asif_summary_range(cell, low, high));
        asif_table_cell(&table, identified ? identified : "-");
    }
    asif_table_end(&table, text);
}

static uint32_t widest_row(const char *rows) {
    uint32_t widest = 0;
    while (*rows) {
        char row[4 * ASIF_CELL_SIZE];
        size_t length = strcspn(rows, "\n");
        asif_format(row, sizeof row, "%.*s", (int)length, rows);
        uint32_t width = asif_display_width(row);
        widest = width > widest ? width : widest;
        rows += length + (rows[length] != 0);
    }
    return widest;
}

/* Add what the sign and size of the usual numbers mean. */
static void add_meanings(asif_text *text, const asif_summary *summary) {
    static const struct {
        const char *parameter, *words;
    } meanings[] = {
        {"alpha", "Choice randomness is 0 for an agent that always takes the best action."},
        {"optimism", "Optimism above 0 favours the better of the candidate worlds, below 0 the worse."},
        {"eta",
         "A taste for surprise above 0 favours what is hard to predict, below 0 what is easy to predict."},
    };
    asif_text words = {.context = summary->context};
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
        for (uint32_t i = 0; i < summary->numbers; i++)
            if (asif_is(summary->number[i].parameter, meanings[k].parameter))
                asif_text_addf(&words, "%s%s", words.length ? " " : "", meanings[k].words);
    asif_add_words(text, "  ", 2, &words, summary->width);
}

static void add_numbers(asif_text *text, const asif_summary *summary) {
    asif_text rows = {.context = summary->context};
    asif_summary_rows(&rows, summary, summary->number);
    const char *row = rows.data ? rows.data : "";
    uint32_t indent = widest_row(row) + 2;
    for (uint32_t i = 0; *row; i++) {
        asif_text verdict = {.context = summary->context};
        char cells[4 * ASIF_CELL_SIZE];
        size_t length = strcspn(row, "\n");
        asif_format(cells, sizeof cells, "%.*s", (int)length, row);
        if (i > 0)
            asif_summary_verdict(&verdict, summary, &summary->number[i - 1]);
        else if (summary->draws)
            asif_text_add(&verdict, "identified?");
        asif_clean(verdict.data);
        if (verdict.data)
            asif_add_wrapped(text, cells, indent, verdict.data, summary->width);
        else
            asif_text_addf(text, "%s\n", cells);
        text->failed |= verdict.failed;
        asif_text_free(&verdict);
        if (i > 0) {
            asif_summary_density(text, summary, &summary->number[i - 1], indent - 2);
            asif_summary_evidence(text, summary, &summary->number[i - 1]);
        }
        row += length + (row[length] != 0);
    }
    asif_summary_density_note(text, summary);
    add_combinations(text, summary);
    add_meanings(text, summary);
    if (summary->numbers)
        add_errors(text, summary);
    text->failed |= rows.failed;
    asif_text_free(&rows);
}

static asif_status finish_text(char **out, asif_summary *summary, const asif_report_options *options,
                               asif_error *error) {
    asif_text text = {.context = summary->context};
    summary->unicode = options->unicode;
    summary->width = options->width;
    add_header(&text, summary);
    asif_summary_did(&text, summary);
    asif_summary_measures(&text, summary);
    asif_summary_checks(&text, summary);
    add_given(&text, summary);
    if (summary->rivals)
        asif_summary_tops(&text, summary);
    else
        add_numbers(&text, summary);
    asif_summary_costs(&text, summary);
    asif_summary_cannot(&text, summary);
    asif_summary_trust(&text, summary);
    return asif_text_finish(out, &text, error);
}

asif_status asif_report_summary(char **out, bool *trusted, const asif_context *context, const char *json,
                                uint64_t length, const char *name, const asif_report_options *options,
                                asif_error *error) {
    asif_report_options filled;
    asif_summary summary;
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    asif_status status = asif_summary_read(&summary, context, json, length, name, error);
    if (status == ASIF_OK && trusted)
        *trusted = summary.trusted;
    if (status == ASIF_OK && filled.json) {
        status = asif_report_echo(out, context, json, length, error);
    } else if (status == ASIF_OK) {
        status = finish_text(out, &summary, &filled, error);
    }
    asif_summary_free(&summary);
    return status;
}
