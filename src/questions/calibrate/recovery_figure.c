/* The figure of true values and estimates of simulated agents. */
#include "render/figures/figure.h"
#include "render/figures/figure_numbers.h"

#include <math.h>

typedef struct {
    asif_figure *figure;
    const asif_yaml *parameters, *fits;
    bool bare;  /* whether there are estimates without intervals */
    bool fixed; /* whether truths were stated, so that agents are drawn next to each other */
} recovery;

static const asif_yaml *number_at(const recovery *r, uint32_t fit, uint32_t i) {
    return asif_yaml_part(r->fits->item[fit], r->parameters->key[i]->text);
}

/* The number that a row of data is about, and the index of its panel. */
typedef struct {
    const char *name;
    uint32_t panel;
} place;

static void begin_row(asif_figure *figure, place at) {
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "panel", at.panel);
    asif_json_string(&figure->data, "number", at.name);
}

static void add_point(asif_figure *figure, place at, const char *held, double x, double y, double low,
                      double high) {
    begin_row(figure, at);
    asif_json_string(&figure->data, "held", held);
    asif_figure_number(figure, "x", x);
    asif_figure_number(figure, "y", y);
    asif_figure_number(figure, "low", low);
    asif_figure_number(figure, "high", high);
    asif_json_end(&figure->data);
}

/* Add a point of the line where truth and estimate are equal. */
static void add_diagonal(asif_figure *figure, place at, double x, double y) {
    begin_row(figure, at);
    asif_figure_number(figure, "even", y);
    asif_figure_number(figure, "x", x);
    asif_json_end(&figure->data);
}

static void add_number(recovery *r, uint32_t i, const char *name) {
    const place at = {name, i};
    double low = INFINITY, high = -INFINITY;
    uint32_t fits = r->fits->count;
    for (uint32_t k = 0; k < fits; k++) {
        const asif_yaml *n = number_at(r, k, i);
        const double ends[] = {asif_yaml_value(n, "truth"), asif_yaml_value(n, "estimate")};
        for (size_t e = 0; e < 2; e++)
            if (isfinite(ends[e])) {
                low = fmin(low, ends[e]);
                high = fmax(high, ends[e]);
            }
    }
    if (!(high >= low))
        return;
    double room = high > low ? 0.5 * (high - low) : 1, truth = NAN, first = INFINITY, last = -INFINITY;
    for (uint32_t k = 0; k < fits; k++) {
        const asif_yaml *n = number_at(r, k, i);
        double q05 = asif_yaml_value(n, "q05"), q95 = asif_yaml_value(n, "q95");
        truth = asif_yaml_value(n, "truth");
        double x = r->fixed ? asif_yaml_value(r->fits->item[k], "replicate") : truth;
        bool known = !isnan(q05) && !isnan(q95);
        if (isnan(truth))
            continue;
        r->bare |= !known;
        first = fmin(first, x);
        last = fmax(last, x);
        /* Wide intervals are cut, so that the others stay readable. */
        add_point(r->figure, at,
                  !known                         ? "no interval"
                  : q05 <= truth && truth <= q95 ? "truth inside"
                                                 : "truth outside",
                  x, asif_yaml_value(n, "estimate"), known ? fmax(q05, low - room) : NAN,
                  known ? fmin(q95, high + room) : NAN);
    }
    add_diagonal(r->figure, at, first, r->fixed ? truth : first);
    add_diagonal(r->figure, at, last, r->fixed ? truth : last);
}

static void add_cells(asif_figure *figure, const asif_yaml *node, const char *name) {
    const asif_yaml *coverage = asif_yaml_part(node, "coverage");
    double held = asif_yaml_value(coverage, "held"), of = asif_yaml_value(coverage, "of");
    char cell[ASIF_CELL_SIZE];
    asif_figure_cell(figure, name);
    asif_figure_cell_number(figure, asif_yaml_value(node, "bias"));
    asif_figure_cell_number(figure, asif_yaml_value(node, "rmse"));
    asif_figure_cell_number(figure, asif_yaml_value(node, "correlation"));
    asif_format(cell, sizeof cell, "%.0f of %.0f", held, of);
    asif_figure_cell(figure, of > 0 ? cell : "");
    if (of > 0)
        asif_text_addf(&figure->alt, "; %s: %.0f of %.0f", name, held, of);
}

static bool stated(const asif_yaml *parameters) {
    for (uint32_t i = 0; i < parameters->count; i++)
        if (isnan(asif_yaml_value(parameters->item[i], "truth")))
            return false;
    return true;
}

asif_status asif_figure_recovery(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"", "bias", "RMSE", "correlation", "truth in the 90 % interval"};
    const asif_source_extra *extra = asif_source_find(source, "recover");
    asif_figure figure;
    if (!extra)
        return ASIF_OK;
    recovery r = {&figure, asif_yaml_part(extra->root, "parameters"), asif_yaml_part(extra->root, "fits"),
                  false, false};
    if (!r.parameters || r.parameters->kind != ASIF_YAML_MAP || !r.fits || r.fits->kind != ASIF_YAML_LIST ||
        r.parameters->count == 0 || r.fits->count == 0)
        return ASIF_OK;
    r.fixed = stated(r.parameters);
    asif_figure_init(&figure, source->context, "recovery");
    asif_text_add(&figure.title, "Known agents, and what was estimated of them");
    asif_text_addf(
        &figure.alt,
        "Estimates of %.0f simulated agents against their truth. The 90 %% interval holds the truth",
        asif_yaml_value(extra->root, "done"));
    asif_text_addf(&figure.caption,
                   "A mark for each simulated agent (%.0f episodes each): %s, its estimate, and the 90 %% "
                   "interval of it. ",
                   asif_yaml_value(extra->root, "episodes"), r.fixed ? "side by side" : "its truth");
    asif_text_add(&figure.caption,
                  r.fixed ? "The dashed line is the truth." : "On the dashed line the two are the same.");
    asif_text_add(&figure.caption, " Very wide intervals are cut.");
    asif_figure_slot(&figure, "x", r.fixed ? "agent" : "truth");
    asif_figure_table(&figure, sizeof heads / sizeof *heads, heads);
    asif_json_array(&figure.data, "agents");
    for (uint32_t i = 0; i < r.parameters->count; i++) {
        asif_summary_number number = asif_figure_number_in(r.parameters, i);
        asif_text name = {.context = source->context};
        asif_figure_number_name(&name, &number, asif_figure_number_log(&number));
        add_number(&r, i, name.data ? name.data : "");
        add_cells(&figure, r.parameters->item[i], name.data ? name.data : "");
        figure.alt.failed |= name.failed;
        asif_text_free(&name);
    }
    asif_text_add(&figure.alt, ".");
    asif_json_end(&figure.data);
    asif_figure_slot_json(&figure, "kinds",
                          r.bare ? "[\"truth inside\", \"truth outside\", \"no interval\"]"
                                 : "[\"truth inside\", \"truth outside\"]");
    return asif_figure_end(list, &figure, "recovery.vl.json", error);
}
