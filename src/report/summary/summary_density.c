/* Posterior densities as text. */
#include "render/bars.h"
#include "report/summary/summary.h"

#include <math.h>
#include <string.h>

#define BINS_AT_MOST 40
#define NUMBERS_AT_MOST 12 /* most numbers with bars; more would be hard to read */
#define NARROW 80

/* Read the bins of a histogram; returns their number, 0 if there is nothing to draw. */
static uint32_t read_bins(double share[BINS_AT_MOST], const asif_summary *summary,
                          const asif_summary_number *number) {
    const asif_yaml *list = asif_yaml_part(number->histogram, "share");
    if (summary->width < NARROW || summary->numbers > NUMBERS_AT_MOST || !list ||
        list->kind != ASIF_YAML_LIST || list->count > BINS_AT_MOST)
        return 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (!list->item[i]->text ||
            !asif_number_read(list->item[i]->text, strlen(list->item[i]->text), &share[i]))
            return 0;
    return list->count;
}

/* The boundary between two bins that is nearest to a value. */
static uint32_t boundary(const asif_yaml *histogram, uint32_t bins, double value) {
    double low = asif_yaml_value(histogram, "low"), high = asif_yaml_value(histogram, "high");
    double at = rint((value - low) / (high - low) * bins);
    return at > 0 ? (uint32_t)fmin(at, bins) : 0;
}

void asif_summary_density(asif_text *text, const asif_summary *summary, const asif_summary_number *number,
                          uint32_t indent) {
    double share[BINS_AT_MOST], most = 0;
    uint32_t bins = read_bins(share, summary, number);
    if (bins == 0)
        return;
    uint32_t from = boundary(number->histogram, bins, number->q05),
             to = boundary(number->histogram, bins, number->q95);
    const char *mark = summary->unicode ? "\xe2\x94\x82" : "|";
    for (uint32_t i = 0; i < bins; i++)
        most = fmax(most, share[i]);
    asif_text_addf(text, "%*s", indent > bins + 2 ? (int)(indent - bins - 2) : 2, "");
    for (uint32_t i = 0; i <= bins; i++) {
        if (i == from || i == to)
            asif_text_add(text, mark);
        if (i < bins && most > 0)
            asif_text_add(text, asif_bar((uint32_t)ceil(8 * fmax(0, share[i]) / most), summary->unicode));
    }
    asif_text_trim(text);
    asif_text_add(text, "\n");
}

void asif_summary_density_note(asif_text *text, const asif_summary *summary) {
    double share[BINS_AT_MOST];
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < summary->numbers; i++)
        drawn += read_bins(share, summary, &summary->number[i]) > 0;
    if (drawn)
        asif_text_add(text,
                      "  Bars show draws from the 1 % to the 99 % quantile, with marks at 5 % and 95 %.\n");
}
