/* Precision and recall of held-out decisions. */
#include "report/figures/held_out.h"
#include "report/figures/numbers.h"

#include <math.h>

static void add_row(asif_figure *figure, const asif_held *held, asif_held_share recall,
                    asif_held_share precision, uint32_t order) {
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", held->at);
    asif_json_string(&figure->data, "action", held->action);
    asif_json_string(&figure->data, "model", held->name);
    asif_figure_number(figure, "x", recall.low);
    asif_figure_number(figure, "x2", recall.high);
    asif_figure_number(figure, "y", precision.low);
    asif_figure_number(figure, "y2", precision.high);
    if (!held->limit)
        asif_json_count(&figure->data, "order", order);
    asif_json_end(&figure->data);
}

static void add_cells(asif_figure *figure, const asif_held *held, const char *recall, const char *precision) {
    char cell[ASIF_CELL_SIZE];
    asif_figure_cell(figure, held->action);
    asif_figure_cell(figure, held->name);
    asif_figure_cell(figure, recall);
    asif_figure_cell(figure, precision);
    asif_format(cell, sizeof cell, "%.2f", asif_summary_value(held->curve, "average_precision"));
    asif_figure_cell(figure, cell);
}

/* All points; in the table some. */
static uint32_t add_exact(asif_figure *figure, const asif_held *held) {
    const asif_yaml *list = asif_summary_part(held->curve, "precision_recall");
    uint32_t points = asif_figure_count(list), each = points / 10 + 1;
    for (uint32_t i = 0; i < points; i++) {
        double recall = asif_summary_value(list->item[i], "recall");
        double precision = asif_summary_value(list->item[i], "precision");
        char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
        if (i == 0) /* the area begins there */
            add_row(figure, held, (asif_held_share){0, 0}, (asif_held_share){precision, precision}, 0);
        add_row(figure, held, (asif_held_share){recall, recall}, (asif_held_share){precision, precision},
                i + 1);
        if (i % each == 0 || i + 1 == points)
            add_cells(figure, held, asif_short_number(a, recall), asif_short_number(b, precision));
    }
    return points;
}

/* At the ends of the bins that may be told, the highest first; calling everything says nothing. */
static uint32_t add_told(asif_figure *figure, const asif_held *held) {
    asif_held_bin bin[ASIF_HELD_BINS];
    uint32_t bins = asif_held_bins(bin, held);
    double taken = 0, hits = 0, called = 0;
    for (uint32_t b = 0; b < bins; b++)
        taken += bin[b].taken;
    for (uint32_t b = bins; b-- > 1;) {
        char r[ASIF_CELL_SIZE], p[ASIF_CELL_SIZE];
        hits += bin[b].taken;
        called += bin[b].decisions;
        asif_held_share recall = asif_held_told(hits, taken, held->limit);
        asif_held_share precision = asif_held_told(hits, called, held->limit);
        add_row(figure, held, recall, precision, b);
        add_cells(figure, held, asif_held_text(r, recall), asif_held_text(p, precision));
    }
    return bins;
}

static void caption(asif_figure *figure, const asif_held *held, uint32_t withheld) {
    asif_text_add(&figure->caption,
                  "If every held-out decision whose predicted probability of the action is above some "
                  "threshold is called "
                  "that action: the share of the calls that are right (precision) against the share of the "
                  "takings that are called (recall). A good model stays high on its way to the right. ");
    if (held->limit)
        asif_text_addf(&figure->caption,
                       "A box for each threshold that is the end of a bin of the calibration figure: recall "
                       "and precision lie somewhere "
                       "in it. It is as large as it takes for no count below %u to be told.",
                       held->limit);
    if (withheld)
        asif_text_add(&figure->caption, " Actions of which too little may be told are left out.");
}

asif_status asif_figure_precision(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"action", "model", "recall", "precision", "average precision"};
    asif_held held;
    asif_figure figure;
    uint32_t drawn = 0, withheld = 0;
    if (!asif_held_open(&held, source))
        return ASIF_OK;
    asif_figure_init(&figure, source->context, "precision");
    asif_text_add(&figure.title, "Precision and recall of predictions");
    asif_text_add(&figure.alt, "Precision against recall of held-out decisions. Average precision");
    asif_figure_slot_json(&figure, "legend", held.shown > 1 ? "{}" : "null");
    asif_figure_table(&figure, sizeof heads / sizeof *heads, heads);
    asif_json_array(&figure.data, "points");
    while (asif_held_next(&held)) {
        if ((held.limit ? add_told(&figure, &held) : add_exact(&figure, &held)) == 0) {
            withheld++;
            continue;
        }
        asif_text_addf(&figure.alt, "%s %.2f of %s by %s", drawn++ ? "," : "",
                       asif_summary_value(held.curve, "average_precision"), held.action, held.name);
    }
    asif_text_add(&figure.alt, ".");
    asif_json_end(&figure.data);
    if (drawn == 0) {
        asif_figure_free(&figure);
        return ASIF_OK;
    }
    caption(&figure, &held, withheld);
    return asif_figure_end(list, &figure, "precision.vl.json", error);
}
