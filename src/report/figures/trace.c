/* Trace plots: the draws of each number along the chains. */
#include "render/words/sentences.h"
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define POINTS 200 /* most points of a chain; fewer with many groups */
#define FEWEST 60
#define TWO_GROUPS 2

typedef struct {
    asif_figure figure;
    const asif_source *source;
    const asif_source_fit *fit;
    uint32_t index; /* index of the fit */
    const asif_drawn *drawn[ASIF_DRAWN_PANELS];
    uint32_t count, left; /* numbers that are drawn, and all that have draws */
} traced;

static uint64_t points_of(const traced *t) {
    uint64_t points = t->source->fits > TWO_GROUPS ? POINTS * TWO_GROUPS / t->source->fits : POINTS;
    points = points < FEWEST ? FEWEST : points;
    return points < t->fit->draws.draws ? points : t->fit->draws.draws;
}

static void add_rows(traced *t) {
    const asif_draws_view *draws = &t->fit->draws;
    uint64_t points = points_of(t);
    asif_json *data = &t->figure.data;
    asif_json_array(data, "draws");
    for (uint32_t c = 0; c < draws->chains; c++)
        for (uint64_t i = 0; i < points; i++) {
            uint64_t at = i * draws->draws / points;
            asif_json_object(data, NULL);
            asif_json_count(data, "chain", c + 1);
            asif_json_count(data, "draw", at + 1);
            for (uint32_t k = 0; k < t->count; k++) {
                char field[16];
                double x = asif_drawn_values(t->fit, t->drawn[k]->name)[c * draws->draws + at];
                asif_format(field, sizeof field, "v%u", k + 1);
                asif_figure_number(&t->figure, field, asif_drawn_shown(t->drawn[k], x));
            }
            asif_json_end(data);
        }
    asif_json_end(data);
}

static asif_status add_panel(traced *t, uint32_t k, asif_error *error) {
    const asif_draws_view *draws = &t->fit->draws;
    const double *x = asif_drawn_values(t->fit, t->drawn[k]->name);
    double low = INFINITY, high = -INFINITY;
    char field[16];
    for (uint64_t i = 0; i < draws->chains * draws->draws; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    double room = high > low ? 0.03 * (high - low) : fmax(1e-3, 0.1 * fabs(high));
    asif_format(field, sizeof field, "v%u", k + 1);
    asif_figure_slot(&t->figure, "field", field);
    asif_drawn_axis(&t->figure, "y", t->drawn[k], low - room, high + room);
    return asif_figure_panel(&t->figure, "trace-panel.vl.json", error);
}

static void add_words(traced *t, uint32_t k) {
    static const char *const keys[] = {"rhat", "ess_bulk", "ess_tail"};
    const asif_yaml *node = asif_yaml_part(asif_yaml_part(t->fit->fit.root, "parameters"), t->drawn[k]->name);
    asif_text words = {.context = t->source->context}, *alt = &t->figure.alt;
    double value[3];
    char cell[ASIF_CELL_SIZE];
    asif_drawn_cell(&t->figure, t->drawn[k]);
    for (uint32_t i = 0; i < 3; i++) {
        value[i] = asif_yaml_value(node, keys[i]);
        cell[0] = 0;
        if (!isnan(value[i]))
            asif_format(cell, sizeof cell, i ? "%.0f" : "%.3f", value[i]);
        asif_figure_cell(&t->figure, cell);
    }
    if (alt->length == 0)
        asif_drawn_in(&words, t->source, t->index);
    asif_drawn_words(&words, t->drawn[k]);
    if (isnan(value[0]))
        asif_text_add(&words, ": R-hat is not defined");
    else
        asif_text_addf(&words, ": R-hat %.3f, effective sample size %.0f in the bulk and %.0f in the tails",
                       value[0], value[1], value[2]);
    asif_sentence_join(alt, &words);
}

static asif_status fill(traced *t, asif_error *error) {
    static const char *const heads[] = {"", "R-hat", "effective sample size, bulk",
                                        "effective sample size, tails"};
    asif_figure_table(&t->figure, 4, heads);
    add_rows(t);
    for (uint32_t k = 0; k < t->count; k++) {
        add_words(t, k);
        ASIF_TRY(add_panel(t, k, error));
    }
    asif_text_add(&t->figure.caption, "Each chain of draws in its colour, from the first draw after warm-up "
                                      "to the last. Chains that have settled lie over each other and look "
                                      "alike from end to end; one that drifts, sticks or stays apart has "
                                      "not. ");
    asif_text_addf(&t->figure.caption, "Shown are %llu draws of each chain.",
                   (unsigned long long)points_of(t));
    asif_drawn_left(&t->figure.caption, t->left, ASIF_DRAWN_PANELS, "numbers");
    asif_drawn_left(&t->figure.caption, t->source->fits, ASIF_DRAWN_GROUPS, "groups");
    return ASIF_OK;
}

static asif_status make(asif_figures *list, traced *t, asif_error *error) {
    asif_drawn_begin(&t->figure, t->source, t->index, "trace", "Chains");
    asif_status status = fill(t, error);
    if (status == ASIF_OK)
        return asif_figure_end(list, &t->figure, "trace.vl.json", error);
    asif_figure_free(&t->figure);
    return status;
}

asif_status asif_figure_trace(asif_figures *list, const asif_source *source, asif_error *error) {
    asif_drawn *drawn = NULL;
    uint32_t count = 0;
    if (!asif_drawn_any(source))
        return ASIF_OK;
    asif_status status = asif_drawn_list(&drawn, &count, source, error);
    for (uint32_t i = 0; status == ASIF_OK && i < source->fits && i < ASIF_DRAWN_GROUPS; i++) {
        traced t = {.source = source, .fit = &source->fit[i], .index = i};
        for (uint32_t k = 0; k < count; k++)
            if (asif_drawn_values(t.fit, drawn[k].name) && t.left++ < ASIF_DRAWN_PANELS)
                t.drawn[t.count++] = &drawn[k];
        if (t.count && asif_drawn_chains(t.fit))
            status = make(list, &t, error);
    }
    asif_free(source->context, drawn);
    return status;
}
