/* The figure of precision and recall of held-out decisions. */
#include "questions/held_out/held_out_figures.h"
#include "render/figures/figure_numbers.h"

static void add_point(asif_figure *figure, const asif_held *held, double recall, double precision,
                      uint32_t order) {
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", held->at);
    asif_json_string(&figure->data, "action", held->action);
    asif_json_string(&figure->data, "model", held->name);
    asif_figure_number(figure, "x", recall);
    asif_figure_number(figure, "y", precision);
    asif_json_count(&figure->data, "order", order);
    asif_json_end(&figure->data);
}

static void add_row(asif_figure *figure, const asif_held *held, double recall, double precision) {
    char cell[ASIF_CELL_SIZE];
    asif_figure_cell(figure, held->action);
    asif_figure_cell(figure, held->name);
    asif_figure_cell(figure, asif_short_number(cell, recall));
    asif_figure_cell(figure, asif_short_number(cell, precision));
    asif_format(cell, sizeof cell, "%.2f", asif_yaml_value(held->curve, "average_precision"));
    asif_figure_cell(figure, cell);
}

/* Add all points of a curve; the table gets some of them. */
static uint32_t add_curve(asif_figure *figure, const asif_held *held) {
    const asif_yaml *list = asif_yaml_part(held->curve, "precision_recall");
    uint32_t points = asif_figure_count(list), each = points / 10 + 1;
    for (uint32_t i = 0; i < points; i++) {
        double recall = asif_yaml_value(list->item[i], "recall");
        double precision = asif_yaml_value(list->item[i], "precision");
        if (i == 0) /* the curve begins at recall 0 */
            add_point(figure, held, 0, precision, 0);
        add_point(figure, held, recall, precision, i + 1);
        if (i % each == 0 || i + 1 == points)
            add_row(figure, held, recall, precision);
    }
    return points;
}

asif_status asif_figure_precision(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"action", "model", "recall", "precision", "average precision"};
    asif_held held;
    asif_figure figure;
    uint32_t drawn = 0;
    if (!asif_held_open(&held, source))
        return ASIF_OK;
    asif_figure_init(&figure, source->context, "precision");
    asif_text_add(&figure.title, "Precision and recall of predictions");
    asif_text_add(&figure.alt, "Precision against recall of held-out decisions. Average precision");
    asif_figure_slot_json(&figure, "legend", held.shown > 1 ? "{}" : "null");
    asif_figure_table(&figure, sizeof heads / sizeof *heads, heads);
    asif_json_array(&figure.data, "points");
    while (asif_held_next(&held))
        if (add_curve(&figure, &held) > 0)
            asif_text_addf(&figure.alt, "%s %.2f of %s by %s", drawn++ ? "," : "",
                           asif_yaml_value(held.curve, "average_precision"), held.action, held.name);
    asif_text_add(&figure.alt, ".");
    asif_json_end(&figure.data);
    if (drawn == 0) {
        asif_figure_free(&figure);
        return ASIF_OK;
    }
    asif_text_add(&figure.caption,
                  "If every held-out decision whose predicted probability of the action is above some "
                  "threshold is called that action: the share of the calls that are right (precision) "
                  "against the share of the takings that are called (recall). A good model stays high on "
                  "its way to the right.");
    return asif_figure_end(list, &figure, "precision.vl.json", error);
}
