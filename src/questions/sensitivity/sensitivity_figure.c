/* Figures of estimates by assumption: a figure for each assumption that was varied, a panel for each
 * number. */
#include "base/error.h"
#include "questions/sensitivity/sensitivity_text.h"
#include "render/figures/figure.h"
#include "render/figures/figure_numbers.h"
#include "render/words/sentences.h"

#include <math.h>

#define PANELS 12 /* most panels of all figures */
#define NORMAL 1.6449

/* The sensitivity of one fit: its own short form, or the answer of the command. */
typedef struct {
    asif_sensitivity_view view;
    const char *group;
} series;

typedef struct {
    uint32_t count, numbers; /* numbers: panels of a figure */
    series item[ASIF_FIGURE_COLOURS];
} all_series;

typedef struct {
    asif_figure *figure;
    const char *group, *panel;
    uint32_t at;      /* index of the number */
    bool exponential; /* whether the number is drawn instead of its logarithm */
    double low, high; /* range in which intervals are drawn */
} panel;

static double shown(const panel *p, double value) {
    return p->exponential ? exp(value) : value;
}

/* Choose the range: intervals that would flatten the curve, and are wider than that of the fit, are cut. */
static void frame(panel *p, const asif_sensitivity_variation *v, double sd) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < v->points; i++) {
        double at = v->point[i].number[p->at].maximum;
        low = isfinite(at) ? fmin(low, at) : low;
        high = isfinite(at) ? fmax(high, at) : high;
    }
    double room = fmax(high - low, 1.5 * NORMAL * sd);
    if (!(room > 0))
        room = INFINITY;
    p->low = low - room;
    p->high = high + room;
}

static void begin_row(const panel *p, double x) {
    asif_json *data = &p->figure->data;
    asif_json_object(data, NULL);
    asif_json_count(data, "panel", p->at);
    asif_json_string(data, "number", p->panel);
    asif_json_string(data, "group", p->group);
    asif_figure_number(p->figure, "x", x);
}

static void add_mark(const panel *p, const asif_sensitivity_point *point, double cents, double limit) {
    const asif_sensitivity_number *n = &point->number[p->at];
    bool drawn = point->drawn && !isnan(n->q05) && !isnan(n->q95);
    double q05 = drawn ? n->q05 : n->maximum - NORMAL * n->sd;
    double q95 = drawn ? n->q95 : n->maximum + NORMAL * n->sd;
    begin_row(p, point->value);
    asif_figure_number(p->figure, "y", shown(p, n->maximum));
    asif_figure_number(p->figure, "low", isnan(q05) ? NAN : shown(p, fmax(p->low, q05)));
    asif_figure_number(p->figure, "high", isnan(q95) ? NAN : shown(p, fmin(p->high, q95)));
    asif_figure_number(p->figure, "nats", cents);
    asif_json_string(&p->figure->data, "cost", point->nats <= limit ? "within the limit" : "costs more");
    asif_json_bool(&p->figure->data, "given", point->given);
    asif_json_end(&p->figure->data);
}

static void add_points(const panel *p, const asif_sensitivity_variation *v, double limit) {
    for (const asif_sensitivity_point *point = v->point; point < v->point + v->points; point++) {
        double maximum = point->number[p->at].maximum, cents = rint(point->nats * 100) / 100;
        if (!isfinite(maximum))
            continue;
        add_mark(p, point, cents, limit);
        asif_figure_cell(p->figure, p->panel);
        if (*p->group)
            asif_figure_cell(p->figure, p->group);
        asif_figure_cellf(p->figure, "%.4g%s", point->value, point->given ? " (assumed)" : "");
        asif_figure_cell_number(p->figure, shown(p, maximum));
        if (isnan(cents))
            asif_figure_cell(p->figure, "");
        else
            asif_figure_cellf(p->figure, "%.2f", cents);
    }
}

/* Add the sign changes within the limit. */
static uint32_t add_flips(const panel *p, const asif_sensitivity_effect *effect) {
    static const char *const to[] = {"round", "negative", "unknown", "positive"};
    uint32_t said = 0;
    for (const asif_sensitivity_flip *f = effect->flip; f < effect->flip + effect->flips; f++) {
        if (!isfinite(f->at))
            continue;
        begin_row(p, f->at);
        asif_json_string(&p->figure->data, "flip", "sign flips");
        asif_figure_number(p->figure, "y", 0);
        asif_json_end(&p->figure->data);
        said += f->within;
        if (!f->within)
            continue;
        asif_text words = {.context = p->figure->alt.context};
        asif_text_addf(&words, "%s%s%s%s turns %s at %.3g (%.2f nats)", *p->group ? "in " : "", p->group,
                       *p->group ? ", " : "", p->panel, to[f->to], f->at, f->nats);
        asif_sentence_join(&p->figure->alt, &words);
    }
    return said;
}

static uint32_t add_series(asif_figure *figure, const series *s, const char *name, uint32_t numbers) {
    const asif_sensitivity_variation *v = asif_sensitivity_along(&s->view, name);
    uint32_t flips = 0;
    for (uint32_t k = 0; v && k < s->view.numbers && k < numbers; k++) {
        asif_summary_number number = asif_sensitivity_called(&s->view.statement[k]);
        asif_text words = {.context = figure->context};
        asif_figure_number_name(&words, &number, false);
        panel p = {.figure = figure,
                   .group = s->group,
                   .panel = words.data ? words.data : "",
                   .at = k,
                   .exponential = asif_figure_number_log(&number)};
        frame(&p, v, s->view.statement[k].sd);
        add_points(&p, v, s->view.limit);
        flips += add_flips(&p, &v->effect[k]);
        figure->alt.failed |= words.failed;
        asif_text_free(&words);
    }
    return flips;
}

/* Make the figure of one assumption; `view` and `v` are of the first fit that has it. */
static asif_status make(asif_figures *list, const asif_context *context, const all_series *all,
                        const asif_sensitivity_view *view, const asif_sensitivity_variation *v,
                        asif_error *error) {
    static const char *const heads[] = {"", "group", "value", "estimate", "nats worse"};
    static const char *const plain[] = {"", "value", "estimate", "nats worse"};
    bool worlds = asif_is(v->name, "worlds"), groups = *all->item[0].group;
    const char *varied = worlds ? "the spread of the worlds" : asif_parameter_word(v->name);
    asif_figure figure;
    char value[ASIF_NUMBER_SIZE];
    uint32_t flips = 0;
    asif_figure_init_of(&figure, context, "sensitivity", v->name);
    asif_text_addf(&figure.title, "If %s had another value", varied);
    asif_text_addf(&figure.alt, "What is estimated as %s is varied (assumed: %.4g).", varied, v->given);
    asif_text_addf(
        &figure.caption,
        "The most likely value of each number if another value is assumed%s. The vertical line marks the "
        "assumed value. Bars are 90 %% intervals, where they were computed; very wide ones are cut. Hollow "
        "marks: the logs speak against this value, because the fit is more than %.3g nats worse. A cross "
        "marks where the sign of the number reverses.",
        worlds ? " (a factor of the spread of the candidate worlds; 1 is as assumed)" : "", view->limit);
    asif_figure_slot(&figure, "x", worlds ? "spread of the worlds" : varied);
    asif_figure_slot_json(
        &figure, "legend",
        all->count > 1 ? "{\"symbolType\": \"stroke\", \"symbolOpacity\": 1, \"symbolSize\": 300}" : "null");
    asif_format(value, sizeof value, "%.6g", v->given);
    asif_figure_slot_json(&figure, "given", isfinite(v->given) ? value : "null");
    asif_figure_table(&figure, groups ? 5 : 4, groups ? heads : plain);
    asif_json_array(&figure.data, "points");
    for (uint32_t i = 0; i < all->count; i++)
        flips += add_series(&figure, &all->item[i], v->name, all->numbers);
    asif_json_end(&figure.data);
    if (flips == 0)
        asif_text_add(&figure.alt, " No sign reverses at a value that the logs allow.");
    return asif_figure_end(list, &figure, "sensitivity.vl.json", error);
}

static bool is_first(const all_series *all, uint32_t i, const char *name) {
    bool before = false;
    for (uint32_t k = 0; k < i; k++)
        before |= asif_sensitivity_along(&all->item[k].view, name) != NULL;
    return !before && asif_sensitivity_along(&all->item[i].view, name);
}

static asif_status make_all(asif_figures *list, const asif_context *context, const all_series *all,
                            asif_error *error) {
    uint32_t made = 0;
    for (uint32_t i = 0; all->numbers && i < all->count; i++) {
        const asif_sensitivity_view *view = &all->item[i].view;
        for (uint32_t v = 0; v < view->variations && (made + 1) * all->numbers <= PANELS; v++) {
            if (!is_first(all, i, view->variation[v].name))
                continue;
            ASIF_TRY(make(list, context, all, view, &view->variation[v], error));
            made++;
        }
    }
    return ASIF_OK;
}

asif_status asif_figure_sensitivity(asif_figures *list, const asif_source *source, asif_error *error) {
    all_series all = {.count = 0};
    asif_arena arena = {.context = source->context};
    asif_status status = ASIF_OK;
    for (uint32_t i = 0; status == ASIF_OK && i < source->fits && all.count < ASIF_FIGURE_COLOURS; i++) {
        const asif_source_extra *extra = asif_source_find_of(source, "sensitivity", i);
        const asif_yaml *root = extra ? extra->root : asif_yaml_part(source->fit[i].fit.root, "sensitivity");
        series *s = &all.item[all.count];
        s->group = source->fit[i].name ? source->fit[i].name : "";
        status = asif_fields_read(&s->view, &arena, &asif_sensitivity_fields, root, error);
        all.count += s->view.variations > 0;
    }
    all.numbers = all.count && all.item[0].view.numbers < PANELS ? all.item[0].view.numbers : PANELS;
    if (status == ASIF_OK)
        status = make_all(list, source->context, &all, error);
    asif_arena_free(&arena);
    return status;
}
