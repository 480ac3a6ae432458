/* The comparison of people with their population as text. */
#include "questions/predict/predictive_checks_text.h"

#include "base/data/yaml.h"
#include "base/text.h"
#include "render/table.h"
#include "render/telling.h"
#include "render/words/fit_numbers.h"
#include "render/words/shown_names.h"

#include <math.h>

static bool is_share(const asif_yaml *measure) {
    return asif_is(asif_yaml_text(measure, "measure"), "share");
}

static void add_name(asif_table *table, const asif_yaml *measure, bool unicode) {
    const char *action = asif_yaml_text(measure, "action");
    char cell[ASIF_CELL_SIZE];
    asif_label_cut(cell, is_share(measure) && action ? action : "decisions per episode", 24, unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
}

static void add_value(asif_table *table, const asif_yaml *measure, double value) {
    if (is_share(measure))
        asif_table_cellf(table, "%.1f %%", 100 * value);
    else
        asif_table_cellf(table, "%.2f", value);
}

static void add_range(asif_table *table, const asif_yaml *measure, const asif_yaml *of) {
    double low = asif_yaml_value(of, "q05"), high = asif_yaml_value(of, "q95");
    if (is_share(measure))
        asif_table_cellf(table, "%.1f-%.1f %%", 100 * low, 100 * high);
    else
        asif_table_cellf(table, "%.2f-%.2f", low, high);
}

/* What people do, or how much they differ: observed, predicted, and the 90 % interval. */
static void add_compared(asif_text *text, const asif_yaml *measures, const char *key,
                         const asif_report_options *o) {
    static const char *const heads[] = {"", "observed", "predicted", "90 %"};
    asif_table table;
    asif_table_init(&table, text->context, 4);
    table.left = 1;
    for (size_t i = 0; i < 4; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t m = 0; m < measures->count; m++) {
        const asif_yaml *measure = measures->item[m], *of = asif_yaml_part(measure, key);
        add_name(&table, measure, o->unicode);
        add_value(&table, measure, asif_yaml_value(of, "observed"));
        add_value(&table, measure, asif_yaml_value(of, "predicted"));
        add_range(&table, measure, of);
    }
    asif_table_end(&table, text);
}

static void add_new_person(asif_text *text, const asif_yaml *measures, const asif_report_options *o) {
    static const char *const heads[] = {"", "5 %", "half", "95 %"};
    static const char *const keys[] = {"q05", "q50", "q95"};
    asif_table table;
    asif_table_init(&table, text->context, 4);
    table.left = 1;
    for (size_t i = 0; i < 4; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t m = 0; m < measures->count; m++) {
        const asif_yaml *measure = measures->item[m], *of = asif_yaml_part(measure, "new_person");
        add_name(&table, measure, o->unicode);
        for (size_t i = 0; i < 3; i++)
            add_value(&table, measure, asif_yaml_value(of, keys[i]));
    }
    asif_table_end(&table, text);
}

static void judge(asif_text *text, const asif_yaml *root, const char *name, const char *good, const char *bad,
                  const asif_report_options *o) {
    const asif_yaml *check = asif_yaml_part(asif_yaml_part(root, "checks"), name);
    double p = asif_yaml_value(check, "p");
    asif_add_wordsf(text, "  -", 4, o->width, "%s (p %.3g)", p < asif_yaml_value(root, "level") ? bad : good,
                    p);
}

static void add_unusual(asif_text *text, const asif_yaml *root, const asif_report_options *o) {
    const asif_yaml *check = asif_yaml_part(asif_yaml_part(root, "checks"), "unusual");
    asif_add_wordsf(
        text, "  -", 4, o->width,
        "%.1f %% of people are far from everybody who was simulated for them; %.1f %% are expected (p %.3g)",
        100 * asif_yaml_value(check, "observed"), 100 * asif_yaml_value(check, "expected"),
        asif_yaml_value(check, "p"));
}

bool asif_is_people_checks(const asif_yaml *root) {
    const asif_yaml *measures = asif_yaml_list(root, "measures");
    return measures && asif_yaml_part(root, "checks") && asif_yaml_part(root, "populations");
}

void asif_tell_people_checks(asif_text *text, const asif_yaml *root, const asif_report_options *o) {
    const asif_yaml *measures = asif_yaml_list(root, "measures");
    const char *title = asif_yaml_text(root, "title"), *dot = o->unicode ? " \xc2\xb7 " : ", ";
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    double checked = asif_yaml_value(root, "people_checked"), people = asif_yaml_value(root, "people");
    asif_add_wordsf(text, "", 0, o->width, "%s%s%s people%s%s simulated populations", asif_shown_title(title),
                    dot, asif_count_text(a, (uint64_t)fmax(0, people)), dot,
                    asif_count_text(b, (uint64_t)fmax(0, asif_yaml_value(root, "populations"))));
    if (checked < people)
        asif_add_wordsf(text, "", 0, o->width, "%s of them, chosen at random, are compared.",
                        asif_count_text(a, (uint64_t)fmax(0, checked)));
    asif_text_add(text, "\nON AVERAGE OVER PEOPLE\n");
    add_compared(text, measures, "mean", o);
    asif_text_add(text, "\nHOW MUCH PEOPLE DIFFER (standard deviation)\n");
    add_compared(text, measures, "sd", o);
    asif_text_add(text, "\nA NEW PERSON\n");
    add_new_person(text, measures, o);
    asif_text_add(text, "\nWHAT IT SAYS\n");
    judge(text, root, "means", "on average, people act as the population predicts",
          "on average, people do not act as the population predicts", o);
    judge(text, root, "spreads", "people differ as much as the population predicts",
          "people differ more, or less, than the population predicts", o);
    add_unusual(text, root, o);
}
