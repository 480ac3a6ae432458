/* Numbers and words in the texts of explanations. */
#include "questions/explain/explain_text.h"

#include "render/telling.h"

#include <math.h>
#include <string.h>

char *asif_explain_percent(char *buffer, double p, bool whole) {
    double least = whole ? .005 : .0005;
    int decimals = !whole && (p < .0995 || p > .9) ? 1 : 0;
    if (isnan(p))
        buffer[0] = 0;
    else if (p == 0 || p == 1)
        asif_format(buffer, ASIF_CELL_SIZE, p > 0 ? "100" : "0");
    else if (p < least)
        asif_format(buffer, ASIF_CELL_SIZE, whole ? "<1" : "<0.1");
    else if (p > 1 - least)
        asif_format(buffer, ASIF_CELL_SIZE, whole ? ">99" : ">99.9");
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.*f", decimals, 100 * p);
    return buffer;
}

char *asif_explain_banded(char *buffer, const asif_yaml *band, bool whole, const char *unit) {
    double low = asif_yaml_value(band, "q05"), high = asif_yaml_value(band, "q95");
    char mean[ASIF_CELL_SIZE];
    asif_explain_percent(mean, asif_yaml_value(band, "mean"), whole);
    if (!mean[0])
        buffer[0] = 0;
    else if (isnan(low) || isnan(high) || round(100 * low) == round(100 * high))
        asif_format(buffer, ASIF_CELL_SIZE, "%.20s%s", mean, unit);
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.20s%s (%.0f-%.0f)", mean, unit, 100 * low, 100 * high);
    return buffer;
}

const char *asif_explain_seen(const asif_yaml *step) {
    const char *seen = asif_yaml_text(step, "seen");
    return seen ? seen : asif_yaml_text(step, "seen_part");
}

double asif_explain_mean(const asif_yaml *node, const char *key) {
    return asif_yaml_value(asif_yaml_part(node, key), "mean");
}

char *asif_explain_amount(char *buffer, double cost) {
    if (isnan(cost))
        buffer[0] = 0;
    else if (cost < 1e-9)
        asif_format(buffer, ASIF_CELL_SIZE, "0");
    else if (cost < .005)
        asif_format(buffer, ASIF_CELL_SIZE, "<0.01");
    else if (cost < 1e6)
        asif_format(buffer, ASIF_CELL_SIZE, "%.*f", cost < 100 ? 2 : 0, cost);
    else
        asif_short_number(buffer, cost);
    return buffer;
}

const char *asif_explain_or_nothing(const char *text) {
    return text ? text : "";
}

void asif_explain_label(const asif_explain_page *p, asif_table *table, const char *label, uint32_t width) {
    char cell[ASIF_CELL_SIZE];
    asif_label_cut(cell, asif_explain_or_nothing(label), width, p->unicode);
    asif_clean(cell);
    asif_table_cell(table, cell);
}

void asif_explain_count(asif_table *table, const asif_yaml *node, const char *key) {
    double count = asif_yaml_value(node, key);
    char cell[ASIF_CELL_SIZE] = "";
    asif_table_cell(table, isnan(count) ? "-" : asif_count_text(cell, (uint64_t)count));
}

void asif_explain_say(const asif_explain_page *p, asif_text *words) {
    asif_add_words(p->text, "  - ", 4, words, p->width);
}

void asif_explain_heading(const asif_explain_page *p, asif_text *words) {
    asif_clean(words->data);
    asif_add_wrapped(p->text, "", 0, asif_explain_or_nothing(words->data), p->width);
    p->text->failed |= words->failed;
    asif_text_free(words);
}

void asif_explain_fitted(const asif_explain_page *p,
                         void (*make)(const asif_explain_page *p, asif_table *table, uint32_t labels)) {
    for (uint32_t labels = ASIF_CELL_SIZE - 1;; labels--) {
        asif_table table;
        make(p, &table, labels);
        if (labels <= ASIF_LEAST_LABEL || table.cells.failed || asif_table_width(&table) <= p->width) {
            asif_table_end(&table, p->text);
            return;
        }
        asif_table_free(&table);
    }
}
