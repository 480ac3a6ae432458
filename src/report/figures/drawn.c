/* The estimated numbers of all fits, and the scale on which each is drawn. */
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"

#include <math.h>
#include <string.h>

static const asif_drawn *find(const asif_drawn *list, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static const asif_estimate_info *info_of(const asif_estimates *estimates, const char *name, uint32_t *index) {
    const asif_estimate_info *info;
    for (*index = 0; (info = asif_estimates_get(estimates, *index)) != NULL; ++*index)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}

asif_status asif_drawn_list(asif_drawn **out, uint32_t *count, const asif_source *source, asif_error *error) {
    uint64_t most = 0;
    *count = 0;
    for (uint32_t i = 0; i < source->fits; i++)
        most += source->fit[i].fit.numbers;
    asif_drawn *list = *out = ASIF_ARRAY(source->context, most, asif_drawn);
    if (!list)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < source->fits; i++)
        for (uint32_t k = 0; k < source->fit[i].fit.numbers; k++) {
            const asif_summary_number *number = &source->fit[i].fit.number[k];
            asif_drawn d = {number->name, number, NULL, source->fit[i].view.fitted->estimates, 0, 0};
            d.info = info_of(d.estimates, d.name, &d.index);
            if (!d.info || find(list, *count, d.name))
                continue;
            d.sign = !asif_is_logarithm(d.info) ? 0 : number->q50 < 0 ? -1 : 1;
            list[(*count)++] = d;
        }
    return ASIF_OK;
}

bool asif_drawn_any(const asif_source *source) {
    for (uint32_t i = 0; i < source->fits; i++)
        if (source->fit[i].draws.columns && source->fit[i].draws.chains && source->fit[i].draws.draws)
            return true;
    return false;
}

bool asif_drawn_chains(const asif_source_fit *fit) {
    return fit->draws.columns && fit->draws.draws && !asif_is(fit->fit.method, "ridge");
}

const double *asif_drawn_values(const asif_source_fit *fit, const char *name) {
    const uint64_t n = fit->draws.chains * fit->draws.draws;
    for (uint32_t c = 0; n && c < fit->draws.columns; c++)
        if (strcmp(fit->draws.name[c], name) == 0)
            return fit->draws.value + c * n;
    return NULL;
}

double asif_drawn_shown(const asif_drawn *drawn, double number) {
    return drawn->sign != 0 ? drawn->sign * exp(number) : number;
}

double asif_drawn_number(const asif_drawn *drawn, double shown) {
    return drawn->sign != 0 ? log(drawn->sign * shown) : shown;
}

double asif_drawn_slope(const asif_estimate_info *info, double number) {
    if (info->line == ASIF_LINE_SAME)
        return 1;
    return (isfinite(info->low) ? 1 / (number - info->low) : 0) +
           (isfinite(info->high) ? 1 / (info->high - number) : 0);
}

/* ---- words ---- */

void asif_drawn_words(asif_text *text, const asif_drawn *drawn) {
    const char *word = asif_summary_word(drawn->number), *symbol = asif_summary_symbol(drawn->number);
    bool named = drawn->number->label || strcmp(word, "utility") == 0;
    asif_text_add(text, word);
    if (drawn->number->unit)
        asif_text_addf(text, " (%s)", drawn->number->unit);
    else if (strcmp(word, symbol) != 0 && !asif_summary_labelled(drawn->number))
        asif_text_addf(text, named ? " %s" : " (%s)", symbol);
}

void asif_drawn_cell(asif_figure *figure, const asif_drawn *drawn) {
    asif_text words = {.context = figure->context};
    asif_drawn_words(&words, drawn);
    asif_figure_cell(figure, words.data ? words.data : "");
    figure->cells.failed |= words.failed;
    asif_text_free(&words);
}

static void name_slot(char *slot, size_t size, const char *axis, const char *what) {
    asif_format(slot, size, "%s%s", axis, what);
}

void asif_drawn_axis(asif_figure *figure, const char *axis, const asif_drawn *drawn, double low,
                     double high) {
    asif_text words = {.context = figure->context};
    char slot[32], domain[2 * ASIF_NUMBER_SIZE];
    double a = asif_drawn_shown(drawn, low), b = asif_drawn_shown(drawn, high);
    asif_drawn_words(&words, drawn);
    name_slot(slot, sizeof slot, axis, "title");
    asif_figure_slot(figure, slot, words.data ? words.data : "");
    figure->slots.failed |= words.failed;
    asif_text_free(&words);
    name_slot(slot, sizeof slot, axis, "scale");
    asif_figure_slot(figure, slot, drawn->sign != 0 ? "log" : "linear");
    /* Vega writes no labels on a logarithmic axis of negative numbers. */
    name_slot(slot, sizeof slot, axis, "labels");
    asif_figure_slot(figure, slot, drawn->sign < 0 ? "format(datum.value, '~g')" : "datum.label");
    name_slot(slot, sizeof slot, axis, "domain");
    asif_format(domain, sizeof domain, "[%.6g, %.6g]", fmin(a, b), fmax(a, b));
    asif_figure_slot_json(figure, slot, isfinite(a) && isfinite(b) && a != b ? domain : "{}");
}

const char *asif_drawn_group(char *buffer, const asif_source *source, uint32_t fit) {
    if (source->fits == 1)
        return "";
    if (source->fit[fit].name)
        return source->fit[fit].name;
    asif_format(buffer, ASIF_CELL_SIZE, "fit %u", fit + 1);
    return buffer;
}

void asif_drawn_begin(asif_figure *figure, const asif_source *source, uint32_t fit, const char *name,
                      const char *title) {
    char buffer[ASIF_CELL_SIZE];
    const char *group = asif_drawn_group(buffer, source, fit);
    asif_figure_init_of(figure, source->context, name, source->fits > 1 ? group : NULL);
    asif_text_addf(&figure->title, "%s%s%s", title, source->fits > 1 ? ": " : "", group);
}

void asif_drawn_legend(asif_figure *figure, const asif_source *source) {
    asif_text groups = {.context = figure->context};
    char buffer[ASIF_CELL_SIZE];
    asif_json json;
    asif_json_init(&json, &groups);
    asif_json_array(&json, NULL);
    for (uint32_t i = 0; i < source->fits; i++)
        asif_json_string(&json, NULL, asif_drawn_group(buffer, source, i));
    asif_json_end(&json);
    asif_figure_slot_json(figure, "groups", groups.data ? groups.data : "null");
    figure->slots.failed |= groups.failed;
    asif_text_free(&groups);
    asif_figure_slot_json(figure, "legend",
                          source->fits > 1 ? "{\"symbolType\": \"stroke\", \"symbolStrokeWidth\": 2, "
                                             "\"symbolOpacity\": 1, \"symbolSize\": 300}"
                                           : "null");
}

void asif_drawn_in(asif_text *text, const asif_source *source, uint32_t fit) {
    char buffer[ASIF_CELL_SIZE];
    if (source->fits > 1)
        asif_text_addf(text, "In %s, ", asif_show(asif_drawn_group(buffer, source, fit)).text);
}

void asif_drawn_left(asif_text *text, uint32_t count, uint32_t most, const char *what) {
    if (count > most)
        asif_text_addf(text, " Only the first %u of %u %s are drawn.", most, count, what);
}
