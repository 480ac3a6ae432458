/* The fits of several groups in one table for each number. */
#include "questions/compare/groups/compare_groups_text.h"
#include "report/summary/summary.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/report_options.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

static const char *group_value(const asif_summary *fit) {
    const char *value = asif_yaml_text(asif_yaml_part(fit->root, "group"), "value");
    return value ? value : "(all)";
}

static void add_count(asif_table *table, const asif_summary *fit, const char *key) {
    double count = asif_yaml_value(asif_yaml_part(fit->root, "logs"), key);
    char cell[ASIF_CELL_SIZE];
    asif_table_cell(table, isnan(count) ? "" : asif_count_text(cell, (uint64_t)fmax(0, count)));
}

static void add_label(asif_table *table, const asif_summary *fit) {
    char cell[ASIF_CELL_SIZE];
    asif_label_cut(cell, group_value(fit), 30, fit->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
}

static void add_sizes(asif_text *text, const asif_summary *fit, uint32_t fits) {
    bool counted = asif_summary_counted(&fit[0]);
    const char *const titles[] = {"", counted ? "rows of counts" : "episodes", "decisions", "trust"};
    asif_table table;
    asif_table_init(&table, fit[0].context, 4);
    table.left = 1 | 8;
    for (size_t i = 0; i < 4; i++)
        asif_table_cell(&table, titles[i]);
    for (uint32_t g = 0; g < fits; g++) {
        add_label(&table, &fit[g]);
        add_count(&table, &fit[g], "episodes");
        add_count(&table, &fit[g], counted ? "weight" : "decisions");
        asif_table_cell(&table, fit[g].trusted ? "yes" : "no");
    }
    asif_table_end(&table, text);
}

/* Add one number in all groups. */
static void add_number(asif_text *text, const asif_summary *fit, uint32_t fits,
                       const asif_summary_number *number) {
    asif_table table;
    char cell[ASIF_CELL_SIZE];
    asif_text_addf(text, "\n%s  %s\n", asif_summary_word(number),
                   asif_summary_key(cell, number, fit[0].unicode));
    asif_table_init(&table, fit[0].context, 4);
    table.left = 1 | 4 | 8;
    for (uint32_t g = 0; g < fits; g++) {
        const asif_summary_number *n = asif_summary_find(&fit[g], number->name);
        asif_text verdict = {.context = fit[0].context};
        if (!n)
            continue;
        add_label(&table, &fit[g]);
        asif_table_cell(&table,
                        isnan(n->q50) ? "" : asif_summary_digits(cell, n->q50, fabs(n->q95 - n->q05)));
        asif_table_cell(&table, asif_summary_range(cell, n->q05, n->q95));
        asif_summary_verdict(&verdict, &fit[g], n);
        asif_clean(verdict.data);
        asif_table_cell(&table, verdict.data ? verdict.data : "");
        text->failed |= verdict.failed;
        asif_text_free(&verdict);
    }
    asif_table_end(&table, text);
}

static void add_all(asif_text *text, const asif_summary *fit, uint32_t fits) {
    const char *title = asif_yaml_text(fit[0].root, "title");
    const char *column = asif_yaml_text(asif_yaml_part(fit[0].root, "group"), "column");
    asif_text_addf(text, "%s, by %s\n\n", asif_shown_title(title), column ? column : "group");
    add_sizes(text, fit, fits);
    asif_text_add(text, fit[0].draws      ? "\nAS IF: median, 90 % interval, identified?\n"
                        : fit[0].answered ? "\nAS IF: answer, without uncertainty\n"
                                          : "\nAS IF: maximum, 90 % interval\n");
    for (uint32_t i = 0; i < fit[0].numbers; i++)
        add_number(text, fit, fits, &fit[0].number[i]);
}

/* Whether the subjects of some group have several episodes. */
static bool repeated(const asif_summary *fit, uint32_t fits) {
    bool any = false;
    for (uint32_t g = 0; g < fits; g++) {
        const asif_yaml *logs = asif_yaml_part(fit[g].root, "logs");
        double subjects = asif_yaml_value(logs, "subjects");
        any |= subjects > 1 && subjects < asif_yaml_value(logs, "episodes");
    }
    return any;
}

static void add_caution(asif_text *text, const asif_summary *fit, uint32_t fits, bool judged) {
    const char *words =
        fit[0].answered
            ? "Each group was fitted separately: different numbers do not show that groups differ."
        : repeated(fit, fits) && !judged
            ? "Each group was fitted separately, and its intervals treat episodes as independent. Episodes "
              "of one person are alike: `asif compare` judges differences against the spread between "
              "subjects."
            : "Each group was fitted separately. Intervals that overlap do not show that groups are alike, "
              "and different medians do not show that they differ.";
    asif_text_add(text, "\n");
    asif_add_wrapped(text, "", 0, words, fit[0].width);
}

static void add_json(asif_text *text, const char *const *json, uint32_t fits, const char *contrast) {
    asif_text_add(text, "{\"groups\": [\n");
    for (uint32_t g = 0; g < fits; g++) {
        uint64_t length = strlen(json[g]);
        while (length > 0 && json[g][length - 1] == '\n')
            length--;
        asif_text_add(text, g ? ",\n" : "");
        asif_text_add_n(text, json[g], length);
    }
    asif_text_add(text, "\n]");
    if (contrast) {
        uint64_t length = strlen(contrast);
        while (length > 0 && contrast[length - 1] == '\n')
            length--;
        asif_text_add(text, ",\n\"differences\": ");
        asif_text_add_n(text, contrast, length);
    }
    asif_text_add(text, "}\n");
}

asif_status asif_report_groups(char **out, bool *trusted, const asif_context *context, uint32_t fits,
                               const char *const *json, const char *const *name, const char *contrast,
                               const asif_report_options *options, asif_error *error) {
    asif_report_options filled;
    *out = NULL;
    ASIF_TRY(asif_report_fill(&filled, options, error));
    if (fits == 0)
        return asif_fail(error, ASIF_EDOMAIN, "there are no groups");
    asif_summary *fit = ASIF_ARRAY(context, fits, asif_summary);
    if (!fit)
        return asif_fail_memory(error);
    asif_text text = {.context = context};
    asif_status status = ASIF_OK;
    bool all = true;
    uint32_t read = 0;
    while (status == ASIF_OK && read < fits) {
        status = asif_summary_read(&fit[read], context, json[read], strlen(json[read]), name[read], error);
        fit[read].unicode = filled.unicode;
        fit[read].width = filled.width;
        all = all && fit[read].trusted;
        read++;
    }
    if (status == ASIF_OK) {
        if (filled.json)
            add_json(&text, json, fits, contrast);
        else
            add_all(&text, fit, fits);
        if (!filled.json && contrast)
            status = asif_add_differences(&text, context, contrast, asif_yaml_part(fit[0].root, "labels"),
                                          &filled, error);
        if (!filled.json)
            add_caution(&text, fit, fits, contrast != NULL);
        if (trusted)
            *trusted = all;
        if (status == ASIF_OK)
            status = asif_text_finish(out, &text, error);
        else
            asif_text_free(&text);
    }
    for (uint32_t g = 0; g < read; g++)
        asif_summary_free(&fit[g]);
    asif_free(context, fit);
    return status;
}
