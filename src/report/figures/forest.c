/* The forest plot: estimates of all groups. */
#include "report/figures/forest.h"

#include "render/words/sentences.h"
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define ROOM 0.06 /* margin around the intervals, as a share of their range */

static const char *const verdicts[] = {"yes", "weakly", "no", "not judged"};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts, NOT_JUDGED = VERDICTS - 1 };

typedef struct {
    asif_figure *figure;
    const asif_source *source;
    const asif_drawn *drawn;
    double low, high; /* range of the axis, on the scale of the draws */
    bool signs;       /* whether the sign of the number has a meaning */
    bool zero;        /* whether 0 is marked */
} forest;

static uint32_t verdict_of(const asif_summary_number *number) {
    uint32_t k = 0;
    while (k < NOT_JUDGED && !(number->identified && strcmp(number->identified, verdicts[k]) == 0))
        k++;
    return k;
}

static const asif_summary_number *number_in(const forest *f, uint32_t fit) {
    const asif_summary_number *number = asif_summary_find(&f->source->fit[fit].fit, f->drawn->name);
    return number && isfinite(number->q05) && isfinite(number->q50) && isfinite(number->q95) ? number : NULL;
}

/* Find the range of the axis; false: no group has an interval. */
static bool find_range(forest *f) {
    f->low = INFINITY;
    f->high = -INFINITY;
    f->signs = false;
    for (uint32_t i = 0; i < f->source->fits; i++) {
        const asif_summary_number *number = number_in(f, i);
        if (!number)
            continue;
        double a = asif_drawn_number(f->drawn, number->q05), b = asif_drawn_number(f->drawn, number->q95);
        f->low = fmin(f->low, fmin(a, b));
        f->high = fmax(f->high, fmax(a, b));
        f->signs |= number->sign != NULL;
    }
    if (!(f->low <= f->high))
        return false;
    double width = f->high > f->low ? f->high - f->low : fmax(1e-3, 0.1 * fabs(f->high));
    f->zero = f->signs && f->drawn->sign == 0 && f->low - 2 * width < 0 && f->high + 2 * width > 0;
    if (f->zero) {
        f->low = fmin(f->low, 0);
        f->high = fmax(f->high, 0);
        width = fmax(width, f->high - f->low);
    }
    f->low -= ROOM * width;
    f->high += ROOM * width;
    return true;
}

static void add_words(forest *f, uint32_t i, const asif_summary_number *number) {
    asif_text said = {.context = f->source->context}, words = {.context = f->source->context};
    char group[ASIF_CELL_SIZE], cell[2][ASIF_CELL_SIZE];
    double width = fabs(number->q95 - number->q05);
    asif_drawn_in(&said, f->source, i);
    asif_drawn_words(&said, f->drawn);
    asif_text_addf(&said, " is %s (%s)", asif_summary_digits(cell[0], number->q50, width),
                   asif_summary_range(cell[1], number->q05, number->q95));
    asif_sentence_join(&f->figure->alt, &said);
    asif_drawn_cell(f->figure, f->drawn);
    asif_figure_cell(f->figure, asif_drawn_group(group, f->source, i));
    asif_figure_cell_number(f->figure, number->q05);
    asif_figure_cell_number(f->figure, number->q50);
    asif_figure_cell_number(f->figure, number->q95);
    asif_summary_verdict(&words, &f->source->fit[i].fit, number);
    asif_figure_cell(f->figure, words.data ? words.data : verdicts[NOT_JUDGED]);
    f->figure->cells.failed |= words.failed;
    asif_text_free(&words);
}

static void add_rows(forest *f) {
    char group[ASIF_CELL_SIZE];
    for (uint32_t i = 0; i < f->source->fits; i++) {
        const asif_summary_number *number = number_in(f, i);
        if (!number)
            continue;
        asif_forest_row(f->figure, f->drawn->name, asif_drawn_group(group, f->source, i), number->q05,
                        number->q50, number->q95);
        asif_json_string(&f->figure->data, "identified", verdicts[verdict_of(number)]);
        asif_json_end(&f->figure->data);
        add_words(f, i, number);
    }
}

static asif_status add_panels(forest *f, const asif_drawn *list, uint32_t count, asif_error *error) {
    asif_json_array(&f->figure->data, "intervals");
    for (uint32_t k = 0; k < count; k++) {
        f->drawn = &list[k];
        if (!find_range(f))
            continue;
        add_rows(f);
        asif_figure_slot(f->figure, "number", f->drawn->name);
        asif_drawn_axis(f->figure, "x", f->drawn, f->low, f->high);
        ASIF_TRY(asif_figure_panel(f->figure, "forest-panel.vl.json", error));
    }
    asif_json_end(&f->figure->data);
    asif_json_array(&f->figure->data, "zero");
    for (uint32_t k = 0; k < count; k++) {
        f->drawn = &list[k];
        if (!find_range(f) || !f->zero)
            continue;
        asif_json_object(&f->figure->data, NULL);
        asif_json_string(&f->figure->data, "number", f->drawn->name);
        asif_json_number(&f->figure->data, "x", 0);
        asif_json_end(&f->figure->data);
    }
    asif_json_end(&f->figure->data);
    return ASIF_OK;
}

static void add_caption(asif_figure *figure, const asif_source *source, uint32_t count) {
    asif_text_add(&figure->title, "The groups side by side");
    asif_text_addf(
        &figure->caption,
        "Each group was fitted by itself: the mark is the %s, the line holds 90 %% of the probability. Where "
        "the logs identify the number, the mark is a filled circle. It is a hollow circle where they do so "
        "weakly, a square where they do not, and a diamond where this was not judged. The dotted line is 0. "
        "Intervals that overlap do not mean that groups are alike, nor do different medians mean that "
        "they differ.",
        asif_drawn_any(source) ? "median" : "most probable value");
    asif_drawn_left(&figure->caption, count, ASIF_DRAWN_PANELS, "numbers");
}

asif_status asif_figure_forest(asif_figures *list, const asif_source *source, asif_error *error) {
    static const char *const heads[] = {"", "group", "5 %", "median", "95 %", "identified?"};
    asif_figure figure;
    asif_drawn *drawn = NULL;
    uint32_t count = 0;
    if (source->fits < 2)
        return ASIF_OK;
    asif_figure_init(&figure, source->context, "forest");
    asif_figure_table(&figure, 6, heads);
    forest f = {.figure = &figure, .source = source};
    asif_status status = asif_drawn_list(&drawn, &count, source, error);
    add_caption(&figure, source, count);
    if (status == ASIF_OK)
        status = add_panels(&f, drawn, count < ASIF_DRAWN_PANELS ? count : ASIF_DRAWN_PANELS, error);
    asif_free(source->context, drawn);
    if (status == ASIF_OK && figure.panels.length)
        status = asif_figure_end(list, &figure, "forest.vl.json", error);
    else
        asif_figure_free(&figure);
    return status == ASIF_OK ? asif_forest_behaviour(list, source, error) : status;
}
