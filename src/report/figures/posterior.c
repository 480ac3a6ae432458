/* Posterior densities of the estimated numbers, with priors and true values. */
#include "render/figures/density.h"
#include "render/words/sentences.h"
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define POINTS 100       /* points of a curve */
#define EDGE 0.001       /* share of the draws beyond each end, before the kernel's width is added */
#define ROOM 0.15        /* margin on both sides of the curves */
#define PRIOR_WITHIN 2.0 /* a prior up to this many times as wide as the curves is shown whole */

/* Draws of one number in one fit. */
typedef struct {
    uint32_t fit;
    const asif_summary_number *number;
    double *sorted;
    uint64_t count;
    double width, low, high;
} curve;

typedef struct {
    asif_figure *figure;
    const asif_source *source;
    const asif_drawn *drawn;
    curve *curve; /* [curves] */
    uint32_t curves;
    double low, high; /* range of the axis, on the scale of the draws */
    bool steady, improper, other, logarithm;
} panel;

static void free_curves(panel *p) {
    for (uint32_t i = 0; i < p->curves; i++)
        asif_free(p->source->context, p->curve[i].sorted);
    p->curves = 0;
}

static asif_status read_curves(panel *p, asif_error *error) {
    for (uint32_t i = 0; i < p->source->fits; i++) {
        const asif_source_fit *fit = &p->source->fit[i];
        const double *value = asif_drawn_values(fit, p->drawn->name);
        const asif_summary_number *number = asif_summary_find(&fit->fit, p->drawn->name);
        const uint64_t n = fit->draws.chains * fit->draws.draws;
        if (!value || !number || fit->fit.rivals) /* draws of rival explanations are not pooled */
            continue;
        curve *c = &p->curve[p->curves++];
        *c = (curve){.fit = i, .number = number, .sorted = ASIF_ARRAY(p->source->context, n, double)};
        if (!c->sorted)
            return asif_fail_memory(error);
        c->count = n;
        memcpy(c->sorted, value, n * sizeof *value);
        asif_sort(c->sorted, c->count);
        c->width = asif_density_width(c->sorted, c->count);
        if (!(c->width > 0))
            continue;
        c->low = fmax(asif_quantile(c->sorted, n, EDGE) - 3 * c->width, p->drawn->info->low);
        c->high = fmin(asif_quantile(c->sorted, n, 1 - EDGE) + 3 * c->width, p->drawn->info->high);
    }
    return ASIF_OK;
}

/* Find the range of the axis: all curves, the true value, and the prior if it is not much wider. False: there
 * is no curve. */
static bool find_range(panel *p) {
    const asif_estimate_info *info = p->drawn->info;
    double truth = asif_source_truth(p->source, p->drawn->name);
    p->low = INFINITY;
    p->high = -INFINITY;
    for (uint32_t i = 0; i < p->curves; i++)
        if (p->curve[i].width > 0) {
            p->low = fmin(p->low, p->curve[i].low);
            p->high = fmax(p->high, p->curve[i].high);
        }
    if (!(p->low < p->high))
        return false;
    double width = p->high - p->low;
    double a = asif_line_back(info, info->prior_q05), b = asif_line_back(info, info->prior_q95);
    if (info->proper && b - a < PRIOR_WITHIN * width) {
        p->low = fmin(p->low, a);
        p->high = fmax(p->high, b);
    }
    if (!isnan(truth)) {
        p->low = fmin(p->low, truth);
        p->high = fmax(p->high, truth);
    }
    width = p->high - p->low;
    p->low = fmax(p->low - ROOM * width, info->low);
    p->high = fmin(p->high + ROOM * width, info->high);
    return true;
}

/* ---- data ---- */

/* The density at x. The part of a kernel beyond a limit of the number is reflected there (Silverman 1986,
 * 2.10). */
static double density_at(const panel *p, const curve *c, double x) {
    const asif_estimate_info *info = p->drawn->info;
    double sum = asif_density_at(c->sorted, c->count, c->width, x);
    if (isfinite(info->low))
        sum += asif_density_at(c->sorted, c->count, c->width, 2 * info->low - x);
    if (isfinite(info->high))
        sum += asif_density_at(c->sorted, c->count, c->width, 2 * info->high - x);
    return sum;
}

static void add_point(panel *p, const curve *c, double x) {
    char group[ASIF_CELL_SIZE];
    double shown = asif_drawn_shown(p->drawn, x);
    const double slack = 1e-9 * fabs(c->number->q95 - c->number->q05);
    asif_json_object(&p->figure->data, NULL);
    asif_json_string(&p->figure->data, "number", p->drawn->name);
    asif_json_string(&p->figure->data, "group", asif_drawn_group(group, p->source, c->fit));
    asif_figure_number(p->figure, "x", shown);
    asif_figure_number(p->figure, "density", density_at(p, c, x));
    asif_json_bool(&p->figure->data, "inside",
                   shown >= c->number->q05 - slack && shown <= c->number->q95 + slack);
    asif_json_end(&p->figure->data);
}

/* Add a curve: evenly spaced points, and those where the shading ends. */
static void add_curve(panel *p, const curve *c) {
    double end[2], before = -INFINITY;
    end[0] = asif_drawn_number(p->drawn, c->number->q05);
    end[1] = asif_drawn_number(p->drawn, c->number->q95);
    if (end[0] > end[1]) {
        double first = end[0];
        end[0] = end[1];
        end[1] = first;
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        double x = c->low + (c->high - c->low) * i / (POINTS - 1);
        for (uint32_t k = 0; k < 2 && i > 0; k++)
            if (end[k] > before && end[k] < x)
                add_point(p, c, end[k]);
        add_point(p, c, x);
        before = x;
    }
}

static void add_median(panel *p, const curve *c) {
    char group[ASIF_CELL_SIZE];
    double x = asif_drawn_number(p->drawn, c->number->q50);
    if (!(c->width > 0) || !isfinite(x))
        return;
    asif_json_object(&p->figure->data, NULL);
    asif_json_string(&p->figure->data, "number", p->drawn->name);
    asif_json_string(&p->figure->data, "group", asif_drawn_group(group, p->source, c->fit));
    asif_figure_number(p->figure, "x", c->number->q50);
    asif_figure_number(p->figure, "density", density_at(p, c, x));
    asif_json_end(&p->figure->data);
}

/* Whether the fits that have the number agree on its prior. */
static bool same_prior(const panel *p) {
    for (uint32_t i = 0; i < p->curves; i++) {
        const asif_estimates *estimates = p->source->fit[p->curve[i].fit].view.fitted->estimates;
        const asif_estimate_info *info;
        for (uint32_t k = 0; (info = asif_estimates_get(estimates, k)) != NULL; k++)
            if (strcmp(info->name, p->drawn->name) == 0 && strcmp(info->prior, p->drawn->info->prior) != 0)
                return false;
    }
    return true;
}

/* The point of the prior's curve that carries its label: near the end where the other curves are lower. */
static uint32_t labelled(const panel *p) {
    double near[2] = {0, 0}, width = p->high - p->low;
    for (uint32_t i = 0; i < p->curves; i++)
        for (uint32_t k = 0; k < 2 && p->curve[i].width > 0; k++)
            near[k] = fmax(near[k],
                           density_at(p, &p->curve[i], (k ? p->high : p->low) + (k ? -1 : 1) * 0.1 * width));
    return near[1] < near[0] ? POINTS - 4 : 3;
}

static void add_prior(const panel *p) {
    const double inside = 1e-6 * (p->high - p->low);
    if (!p->drawn->info->proper || !same_prior(p))
        return;
    for (uint32_t i = 0, label = labelled(p); i < POINTS; i++) {
        double number = p->low + (p->high - p->low) * i / (POINTS - 1);
        /* The density at a limit is taken just inside it. */
        number = fmin(fmax(number, p->low + inside), p->high - inside);
        asif_json_object(&p->figure->data, NULL);
        asif_json_string(&p->figure->data, "number", p->drawn->name);
        asif_figure_number(p->figure, "x", asif_drawn_shown(p->drawn, number));
        asif_figure_number(p->figure, "density",
                           asif_prior_marginal(p->drawn->estimates, p->drawn->index, number));
        if (i == label)
            asif_json_string(&p->figure->data, "label", "prior");
        asif_json_end(&p->figure->data);
    }
}

static void add_truth(const panel *p) {
    double truth = asif_source_truth(p->source, p->drawn->name);
    if (isnan(truth))
        return;
    asif_json_object(&p->figure->data, NULL);
    asif_json_string(&p->figure->data, "number", p->drawn->name);
    asif_figure_number(p->figure, "x", asif_drawn_shown(p->drawn, truth));
    asif_json_end(&p->figure->data);
}

/* ---- words ---- */

static void add_alt(panel *p, const curve *c) {
    asif_text words = {.context = p->source->context}, *alt = &words;
    const asif_summary_number *n = c->number;
    char cell[2][ASIF_CELL_SIZE];
    double truth = asif_source_truth(p->source, p->drawn->name);
    double width = fabs(n->q95 - n->q05), shown = asif_drawn_shown(p->drawn, truth);
    asif_drawn_in(alt, p->source, c->fit);
    asif_drawn_words(alt, p->drawn);
    asif_text_addf(alt, " is about %s, with 90 %% between %s", asif_summary_digits(cell[0], n->q50, width),
                   asif_summary_digits(cell[1], n->q05, width));
    asif_text_addf(alt, " and %s", asif_summary_digits(cell[0], n->q95, width));
    if (!isnan(truth))
        asif_text_addf(alt, "; the truth, %s, is %s", asif_short_number(cell[0], shown),
                       shown < n->q05   ? "below that"
                       : shown > n->q95 ? "above that"
                                        : "in it");
    asif_sentence_join(&p->figure->alt, &words);
}

static void add_row(panel *p, const curve *c) {
    char group[ASIF_CELL_SIZE];
    const asif_summary_number *n = c->number;
    double truth = asif_source_truth(p->source, p->drawn->name);
    asif_drawn_cell(p->figure, p->drawn);
    if (p->source->fits > 1)
        asif_figure_cell(p->figure, asif_drawn_group(group, p->source, c->fit));
    asif_figure_cell_number(p->figure, n->q05);
    asif_figure_cell_number(p->figure, n->q50);
    asif_figure_cell_number(p->figure, n->q95);
    asif_figure_cell(p->figure, p->drawn->info->proper ? p->drawn->info->prior : "improper");
    if (p->source->request->truths)
        asif_figure_cell_number(p->figure, asif_drawn_shown(p->drawn, truth));
}

static void add_caption(const panel *p, uint32_t numbers) {
    asif_text *caption = &p->figure->caption;
    asif_text_add(
        caption, "The higher the curve, the more probable the value, given the logs and the "
                 "assumptions of the study. The shaded part holds 90 % of the probability; the line in it is "
                 "the median. The dotted line is the prior: what counted as probable before the logs "
                 "were seen. Where it looks flat, it is much wider than what is drawn and goes on beyond "
                 "it.");
    if (p->improper)
        asif_text_add(caption, " Where there is no dotted line, the prior is improper: flat without an end.");
    if (p->other)
        asif_text_add(caption, " Where the groups' priors differ, none is drawn.");
    if (p->logarithm)
        asif_text_add(caption,
                      " The axis of choice randomness is logarithmic, and its curve the density of the "
                      "logarithm.");
    if (p->source->request->truths)
        asif_text_add(caption, " The upright line over the whole height is the truth, where it is known.");
    if (p->steady)
        asif_text_add(caption, " Numbers whose draws are all alike have no curve.");
    asif_drawn_left(caption, numbers, ASIF_DRAWN_PANELS, "numbers");
}

/* ---- the figure ---- */

enum { DENSITY, MEDIAN, PRIOR, TRUTH, SETS };
static const char *const sets[] = {"density", "median", "prior", "truth"};

static void add_data(panel *p, uint32_t set) {
    for (uint32_t i = 0; set == DENSITY && i < p->curves; i++)
        if (p->curve[i].width > 0)
            add_curve(p, &p->curve[i]);
    for (uint32_t i = 0; set == MEDIAN && i < p->curves; i++)
        add_median(p, &p->curve[i]);
    if (set == PRIOR)
        add_prior(p);
    if (set == TRUTH)
        add_truth(p);
}

static asif_status add_panel(panel *p, asif_error *error) {
    const asif_estimate_info *info = p->drawn->info;
    double truth = asif_source_truth(p->source, p->drawn->name);
    bool left = (truth > (p->low + p->high) / 2) == (p->drawn->sign >= 0);
    p->improper |= !info->proper;
    p->other |= info->proper && !same_prior(p);
    p->logarithm |= p->drawn->sign != 0;
    asif_figure_slot(p->figure, "number", p->drawn->name);
    asif_drawn_axis(p->figure, "x", p->drawn, p->low, p->high);
    asif_drawn_legend(p->figure, p->source);
    bool ending = (labelled(p) > POINTS / 2) == (p->drawn->sign >= 0);
    asif_figure_slot(p->figure, "priorside", ending ? "right" : "left");
    asif_figure_slot(p->figure, "side", left ? "right" : "left");
    asif_figure_slot_json(p->figure, "shift", left ? "-4" : "4");
    return asif_figure_panel(p->figure, "posterior-panel.vl.json", error);
}

/* Add one data set for all numbers; with the first set also the panels, the words and the table. */
static asif_status add_set(panel *p, uint32_t set, const asif_drawn *list, uint32_t count,
                           asif_error *error) {
    asif_status status = ASIF_OK;
    asif_json_array(&p->figure->data, sets[set]);
    for (uint32_t k = 0; status == ASIF_OK && k < count && k < ASIF_DRAWN_PANELS; k++) {
        p->drawn = &list[k];
        status = read_curves(p, error);
        bool drawn = status == ASIF_OK && find_range(p);
        p->steady |= !drawn;
        for (uint32_t i = 0; status == ASIF_OK && set == DENSITY && i < p->curves; i++) {
            add_alt(p, &p->curve[i]);
            add_row(p, &p->curve[i]);
        }
        if (drawn)
            add_data(p, set);
        if (drawn && set == DENSITY)
            status = add_panel(p, error);
        free_curves(p);
    }
    asif_json_end(&p->figure->data);
    return status;
}

static void add_heads(asif_figure *figure, const asif_source *source) {
    const char *heads[7] = {""};
    uint32_t count = 1;
    if (source->fits > 1)
        heads[count++] = "group";
    heads[count++] = "5 %";
    heads[count++] = "median";
    heads[count++] = "95 %";
    heads[count++] = "prior";
    if (source->request->truths)
        heads[count++] = "truth";
    asif_figure_table(figure, count, heads);
}

asif_status asif_figure_posterior(asif_figures *list, const asif_source *source, asif_error *error) {
    asif_figure figure;
    asif_drawn *drawn = NULL;
    uint32_t count = 0;
    if (!asif_drawn_any(source))
        return ASIF_OK;
    asif_figure_init(&figure, source->context, "posterior");
    asif_text_add(&figure.title, "What the logs say about each number");
    add_heads(&figure, source);
    panel p = {
        .figure = &figure, .source = source, .curve = ASIF_ARRAY(source->context, source->fits, curve)};
    asif_status status = p.curve ? asif_drawn_list(&drawn, &count, source, error) : asif_fail_memory(error);
    for (uint32_t set = 0; status == ASIF_OK && set < SETS; set++)
        status = add_set(&p, set, drawn, count, error);
    add_caption(&p, count);
    asif_free(source->context, p.curve);
    asif_free(source->context, drawn);
    if (status == ASIF_OK && figure.panels.length)
        return asif_figure_end(list, &figure, "posterior.vl.json", error);
    asif_figure_free(&figure);
    return status;
}
