/* Observed and predicted shares: at each frequent history, of the action that the fitted agent most probably
 * takes. */
#include "base/error.h"
#include "render/figures/figure.h"
#include "render/figures/figure_numbers.h"

#include <math.h>

/* One row: a history and an action. */
typedef struct {
    const asif_yaml *entry;
    const char *action;
    double low, middle, high;     /* observed share, as it may be shown; low and high: only a range */
    double error_low, error_high; /* its 90 % interval of sampling, if the share is exact */
    double predicted, q05, q95;
    char told[ASIF_CELL_SIZE];
} row;

/* Wilson's 90 % interval of a share in n decisions. */
static void set_errors(row *r, double n) {
    const double z = 1.6449, p = r->middle, spread = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / spread,
           half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / spread;
    r->error_low = fmax(0, middle - half);
    r->error_high = fmin(1, middle + half);
}

/* Read the row of a history, about the most probable action of the fit. The action that was taken most often
 * is not used, because it would reveal counts. */
static bool read_row(row *out, const asif_source_fit *fit, const asif_yaml *list, uint32_t h) {
    const char *name = NULL;
    uint32_t place = 0;
    const asif_yaml *action = asif_summary_most(list->item[h], "predicted", &place, &name);
    if (!action)
        return false;
    asif_cell part = asif_disclosure_action(fit->cells, h, place),
              whole = asif_disclosure_history(fit->cells, h);
    *out = (row){.entry = list->item[h],
                 .action = name,
                 .middle = asif_share_value(part, whole),
                 .low = NAN,
                 .high = NAN,
                 .error_low = NAN,
                 .error_high = NAN,
                 .predicted = asif_yaml_value(action, "predicted"),
                 .q05 = asif_yaml_value(action, "q05"),
                 .q95 = asif_yaml_value(action, "q95")};
    asif_share_text(out->told, part, whole);
    if (!asif_share_range(&out->low, &out->high, part, whole))
        return true;
    if (out->low == out->high) {
        out->low = out->high = NAN;
        if (whole.low == whole.high)
            set_errors(out, (double)whole.low);
    }
    return true;
}

static void add_row(asif_figure *figure, const asif_source_fit *fit, const row *r, uint32_t h) {
    char cell[2 * ASIF_CELL_SIZE], a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    asif_text words = {.context = figure->context};
    asif_summary_history(&words, &fit->fit, r->entry, r->action);
    const char *label = words.data ? words.data : "";
    asif_json_object(&figure->data, NULL);
    asif_json_count(&figure->data, "row", h + 1);
    asif_json_string(&figure->data, "label", label);
    asif_figure_number(figure, "observed", r->middle);
    asif_figure_number(figure, "low", r->low);
    asif_figure_number(figure, "high", r->high);
    asif_figure_number(figure, "error_low", r->error_low);
    asif_figure_number(figure, "error_high", r->error_high);
    asif_figure_number(figure, "predicted", r->predicted);
    asif_figure_number(figure, "q05", r->q05);
    asif_figure_number(figure, "q95", r->q95);
    asif_json_end(&figure->data);
    asif_figure_cell(figure, label);
    asif_figure_cell(figure, r->told);
    asif_figure_cell(figure, asif_percent_text(a, r->predicted));
    cell[0] = 0;
    if (!isnan(r->q05) && !isnan(r->q95))
        asif_format(cell, sizeof cell, "%s to %s", asif_percent_text(a, r->q05),
                    asif_percent_text(b, r->q95));
    asif_figure_cell(figure, cell);
    figure->cells.failed |= words.failed;
    asif_text_free(&words);
}

/* Widen a range by what is drawn of a row. */
static void widen(double range[2], const row *r) {
    const double drawn[] = {r->low,        r->middle,    r->high, r->error_low,
                            r->error_high, r->predicted, r->q05,  r->q95};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        range[0] = fmin(range[0], drawn[i]);
        range[1] = fmax(range[1], drawn[i]);
    }
}

/* Set the axis: what is drawn, to the next twentieths, and at least a tenth. */
static void set_axis(asif_figure *figure, const double range[2]) {
    double low = fmax(0, floor(20 * range[0] - 0.2) / 20), high = fmin(1, ceil(20 * range[1] + 0.2) / 20);
    if (high - low < 0.1) {
        low = fmax(0, low - 0.05);
        high = fmin(1, high + 0.05);
    }
    char json[64];
    asif_format(json, sizeof json, "[%.2f, %.2f]", low, high);
    asif_figure_slot_json(figure, "domain", json);
}

/* The legend: circles and boxes of observed shares, where there are such, and diamonds. */
static void set_legend(asif_figure *figure, bool exact, bool ranges) {
    static const char *const slots[] = {"what", "fills", "strokes", "shapes"};
    static const char *const observed[] = {"observed", "#0072B2", "#0072B2", "circle"};
    static const char *const range[] = {"range of the observed share", "#0072B214", "#0072B2",
                                        "M-1.2,-0.5h2.4v1h-2.4Z"};
    static const char *const predicted[] = {"predicted", "#D55E00", "#D55E00", "diamond"};
    for (uint32_t i = 0; i < 4; i++) {
        char json[160];
        asif_format(json, sizeof json, "[%s%s%s%s%s%s\"%s\"]", exact ? "\"" : "", exact ? observed[i] : "",
                    exact ? "\", " : "", ranges ? "\"" : "", ranges ? range[i] : "", ranges ? "\", " : "",
                    predicted[i]);
        asif_figure_slot_json(figure, slots[i], json);
    }
}

/* The distance of the observed share, as shown, from the prediction. */
static double apart(const row *r) {
    double low = isnan(r->low) ? r->middle : r->low, high = isnan(r->high) ? r->middle : r->high;
    return isnan(r->middle) ? 0 : fmax(0, fmax(low - r->predicted, r->predicted - high));
}

static void tell(asif_figure *figure, const asif_source_fit *fit, const row *worst, uint32_t rows,
                 uint32_t withheld, bool exact, bool ranges) {
    char a[ASIF_CELL_SIZE];
    asif_text_addf(&figure->alt, "At %u frequent %s, what people did, and what the fitted agent does%s%s. ",
                   rows, rows == 1 ? "history" : "histories", fit->name ? ", group " : "",
                   fit->name ? fit->name : "");
    if (worst->entry && apart(worst) > 0) {
        asif_text_add(&figure->alt, "They differ most in ");
        asif_summary_history(&figure->alt, &fit->fit, worst->entry, worst->action);
        asif_text_addf(&figure->alt, ": observed %s, predicted %s.", worst->told,
                       asif_percent_text(a, worst->predicted));
    } else {
        asif_text_add(&figure->alt, "They do not differ, as far as these logs can show.");
    }
    if (withheld)
        asif_text_addf(&figure->alt, " Of %u nothing observed is shown: too few decided there.", withheld);
    asif_text_add(&figure->caption,
                  "A line for each frequent history, and the action that the fitted agent most probably "
                  "takes there.");
    if (exact)
        asif_text_add(&figure->caption,
                      " Circle: how often it was taken, with the 90 % interval of sampling error.");
    if (ranges)
        asif_text_add(&figure->caption, " Box: to protect people, only the range of how often it was taken. "
                                        "It is not an interval of uncertainty.");
    if (withheld)
        asif_text_addf(&figure->caption, " Nothing observed is shown where fewer than %u decided.",
                       asif_disclosure_limit(fit->cells));
    asif_text_add(&figure->caption, " Diamond: how often the fitted agent takes it");
    asif_text_add(&figure->caption, fit->draws.columns ? ", with its 90 % interval." : ".");
    asif_text_add(&figure->caption, " The axis shows only the shares that occur.");
}

static asif_status make(asif_figures *list, const asif_source *source, const asif_source_fit *fit,
                        const asif_yaml *histories, asif_error *error) {
    static const char *const heads[] = {"", "observed", "predicted", "90 % interval"};
    asif_figure figure;
    row worst = {0}, r;
    double range[2] = {INFINITY, -INFINITY};
    bool exact = false, ranges = false;
    uint32_t rows = 0, withheld = 0;
    asif_figure_init_of(&figure, source->context, "observed", fit->name);
    asif_text_addf(&figure.title, "Observed against predicted%s%s", fit->name ? ": " : "",
                   fit->name ? fit->name : "");
    asif_figure_table(&figure, 4, heads);
    asif_json_array(&figure.data, "histories");
    for (uint32_t k = 0; k < asif_disclosure_shown(fit->cells); k++) {
        if (!read_row(&r, fit, histories, asif_disclosure_place(fit->cells, k)))
            continue;
        add_row(&figure, fit, &r, k);
        widen(range, &r);
        rows++;
        ranges |= !isnan(r.low);
        exact |= isnan(r.low) && !isnan(r.middle);
        withheld += isnan(r.middle) ? 1 : 0;
        if (!worst.entry || apart(&r) > apart(&worst))
            worst = r;
    }
    asif_json_end(&figure.data);
    if (rows == 0) {
        asif_figure_free(&figure);
        return ASIF_OK;
    }
    tell(&figure, fit, &worst, rows, withheld, exact, ranges);
    set_axis(&figure, range);
    set_legend(&figure, exact, ranges);
    return asif_figure_end(list, &figure, "observed.vl.json", error);
}

asif_status asif_figure_observed(asif_figures *list, const asif_source *source, asif_error *error) {
    for (uint32_t i = 0; i < source->fits; i++) {
        const asif_yaml *histories = asif_yaml_part(source->fit[i].fit.root, "histories");
        if (histories && histories->kind == ASIF_YAML_LIST)
            ASIF_TRY(make(list, source, &source->fit[i], histories, error));
    }
    return ASIF_OK;
}
