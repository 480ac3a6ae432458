/* The figure of calibration: predicted probabilities of held-out decisions, and how often the actions were
 * taken. */
#include "questions/held_out/held_out_figures.h"
#include "render/figures/figure_numbers.h"

#include <math.h>

/* The largest distance between predictions and frequencies. */
typedef struct {
    double apart;
    const char *action, *model;
    uint32_t bins;
} found;

static void add_bin(asif_figure *figure, const asif_held *held, const asif_yaml *bin, found *f) {
    double predicted = asif_yaml_value(bin, "predicted"), observed = asif_yaml_value(bin, "observed");
    double decisions = asif_yaml_value(bin, "decisions");
    char cell[ASIF_CELL_SIZE];
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", held->at);
    asif_json_string(&figure->data, "action", held->action);
    asif_json_string(&figure->data, "model", held->name);
    asif_figure_number(figure, "x", predicted);
    asif_figure_number(figure, "y", observed);
    asif_figure_number(figure, "decisions", decisions);
    asif_json_end(&figure->data);
    asif_figure_cell(figure, held->action);
    asif_figure_cell(figure, held->name);
    asif_format(cell, sizeof cell, "%.3f", predicted);
    asif_figure_cell(figure, cell);
    asif_format(cell, sizeof cell, "%.3f", observed);
    asif_figure_cell(figure, cell);
    asif_figure_cell(figure, asif_count_text(cell, (uint64_t)fmax(0, decisions)));
    f->bins++;
    if (fabs(observed - predicted) > f->apart) {
        f->apart = fabs(observed - predicted);
        f->action = held->action;
        f->model = held->name;
    }
}

static void tell(asif_figure *figure, const found *f) {
    asif_text_addf(&figure->alt,
                   "Predicted probabilities of held-out decisions against observed frequencies, in %u bins. ",
                   f->bins);
    if (f->action)
        asif_text_addf(&figure->alt, "The largest distance between the two is %.2f, of %s by %s.", f->apart,
                       f->action, f->model);
    asif_text_add(
        &figure->caption,
        "Each model is fitted without a part of the subjects and predicts what they do. A point stands "
        "for the decisions whose predicted probability of the action lay in one tenth: their mean "
        "prediction, and the share at which the action was taken; larger points are more decisions. "
        "Predictions that come true as often as they say lie on the dashed line.");
}

asif_status asif_figure_calibration(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"action", "model", "predicted", "observed", "decisions"};
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
    while (asif_held_next(&held)) {
        const asif_yaml *bins = asif_yaml_part(held.curve, "calibration");
        for (uint32_t b = 0; b < asif_figure_count(bins); b++)
            add_bin(&figure, &held, bins->item[b], &f);
    }
    asif_json_end(&figure.data);
    if (f.bins == 0) {
        asif_figure_free(&figure);
        return ASIF_OK;
    }
    tell(&figure, &f);
    return asif_figure_end(list, &figure, "calibration.vl.json", error);
}
