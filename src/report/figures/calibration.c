/* Predicted probabilities of held-out decisions against how often the actions were taken. */
#include "report/figures/held_out.h"

#include <math.h>

static void add_row(asif_figure *figure, const asif_held *held, const asif_held_bin *bin) {
    asif_held_share observed = asif_held_told(bin->taken, bin->decisions, held->limit);
    asif_held_share predicted = {bin->low, bin->high};
    char cell[ASIF_CELL_SIZE];
    if (!held->limit)
        predicted.low = predicted.high = bin->predicted;
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", held->at);
    asif_json_string(&figure->data, "action", held->action);
    asif_json_string(&figure->data, "model", held->name);
    asif_figure_number(figure, "x", predicted.low);
    asif_figure_number(figure, "x2", predicted.high);
    asif_figure_number(figure, "y", observed.low);
    asif_figure_number(figure, "y2", observed.high);
    if (!held->limit)
        asif_figure_number(figure, "decisions", bin->decisions);
    asif_json_end(&figure->data);
    asif_figure_cell(figure, held->action);
    asif_figure_cell(figure, held->name);
    asif_figure_cell(figure, asif_held_text(cell, predicted));
    asif_figure_cell(figure, asif_held_text(cell, observed));
}

/* What is told: how far predictions and frequencies are apart at least. */
typedef struct {
    double apart;
    const char *action, *model;
    uint32_t drawn, withheld, bins;
} found;

static void add_pair(asif_figure *figure, const asif_held *held, found *f) {
    asif_held_bin bin[ASIF_HELD_BINS];
    uint32_t bins = asif_held_bins(bin, held);
    *(bins ? &f->drawn : &f->withheld) += 1;
    for (uint32_t b = 0; b < bins; b++) {
        asif_held_share observed = asif_held_told(bin[b].taken, bin[b].decisions, held->limit);
        double low = held->limit ? bin[b].low : bin[b].predicted;
        double high = held->limit ? bin[b].high : bin[b].predicted;
        double apart = fmax(0, fmax(observed.low - high, low - observed.high));
        add_row(figure, held, &bin[b]);
        f->bins++;
        if (apart > f->apart) {
            f->apart = apart;
            f->action = held->action;
            f->model = held->name;
        }
    }
}

static void tell(asif_figure *figure, const asif_held *held, const found *f) {
    asif_text_addf(&figure->alt,
                   "Predicted probabilities of held-out decisions against observed frequencies, in %u bins. ",
                   f->bins);
    if (f->action)
        asif_text_addf(&figure->alt, "The largest distance between the two is %s%.2f, of %s by %s.",
                       held->limit ? "at least " : "", f->apart, f->action, f->model);
    else
        asif_text_add(&figure->alt,
                      "Every bin is compatible with predictions that come true as often as they say.");
    asif_text_add(&figure->caption,
                  "Each model is fitted without a part of the subjects and predicts what they do. ");
    if (held->limit)
        asif_text_addf(
            &figure->caption,
            "A box stands for the decisions at which an action's predicted probability lay between its "
            "left and right end; the share at which it was taken lies between its lower and upper end. "
            "Predictions that come true as often as they say have boxes that the dashed line "
            "meets. Boxes are as large as it takes for no count below %u to be told.",
            held->limit);
    else
        asif_text_add(
            &figure->caption,
            "A point stands for the decisions whose predicted probability of the action lay in one tenth: "
            "their "
            "mean prediction, and the share at which the action was taken; larger points are "
            "more decisions. Predictions that come true as often as they say lie on the dashed line.");
    if (f->withheld)
        asif_text_add(&figure->caption, " Actions of which too little may be told are left out.");
}

asif_status asif_figure_calibration(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"action", "model", "predicted", "observed"};
    asif_held held;
    asif_figure figure;
    found f = {0};
    if (!asif_held_open(&held, source))
        return ASIF_OK;
    asif_figure_init(&figure, source->context, "calibration");
    asif_text_add(&figure.title, "Do predictions come true as often as they say?");
    asif_figure_slot_json(&figure, "legend", held.shown > 1 ? "{}" : "null");
    asif_figure_table(&figure, sizeof heads / sizeof *heads, heads);
    asif_json_array(&figure.data, "bins");
    while (asif_held_next(&held))
        add_pair(&figure, &held, &f);
    asif_json_end(&figure.data);
    if (f.drawn == 0) {
        asif_figure_free(&figure);
        return ASIF_OK;
    }
    tell(&figure, &held, &f);
    return asif_figure_end(list, &figure, "calibration.vl.json", error);
}
