/* What is estimated against what was given: a figure for each thing that was varied, a panel for each number. */
#include "base/error.h"
#include "render/figures/figure.h"
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <string.h>

#define PANELS 12 /* over all figures */
#define NORMAL 1.6449

/* One series: a fit's own brief sensitivity, or that of the command. */
typedef struct {
    const asif_yaml *root;
    const char *group;
} series;

typedef struct {
    asif_figure *figure;
    const char *group, *panel, *column;
    uint32_t at;      /* of the panel */
    bool exponential; /* a logarithm is shown as what it is the logarithm of */
    double low, high; /* what is drawn of intervals */
    double limit;
} panel;

static const asif_yaml *variation_named(const asif_yaml *root, const char *name) {
    const asif_yaml *list = asif_yaml_part(root, "variations");
    for (uint32_t i = 0; i < asif_figure_count(list); i++) {
        const char *found = asif_yaml_text(list->item[i], "name");
        if (found && strcmp(found, name) == 0)
            return list->item[i];
    }
    return NULL;
}

static const asif_yaml *number_at(const asif_yaml *point, const char *column) {
    return asif_yaml_part(asif_yaml_part(point, "numbers"), column);
}

static double shown(const panel *p, double value) {
    return p->exponential ? exp(value) : value;
}

/* Intervals are cut where they would flatten the curve and are wider than that of the fit. */
static void frame(panel *p, const asif_yaml *points, double sd) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < asif_figure_count(points); i++) {
        double at = asif_yaml_value(number_at(points->item[i], p->column), "maximum");
        if (!isfinite(at))
            continue;
        low = fmin(low, at);
        high = fmax(high, at);
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

static double cents(double nats) {
    return rint(nats * 100) / 100;
}

static void add_point(const panel *p, const asif_yaml *point) {
    const asif_yaml *n = number_at(point, p->column);
    double maximum = asif_yaml_value(n, "maximum"), sd = asif_yaml_value(n, "sd");
    double q05 = asif_yaml_value(n, "q05"), q95 = asif_yaml_value(n, "q95");
    double nats = asif_yaml_value(point, "nats");
    bool drawn = asif_yaml_flag(point, "drawn");
    if (!isfinite(maximum))
        return;
    if (!drawn || isnan(q05) || isnan(q95)) {
        q05 = maximum - NORMAL * sd;
        q95 = maximum + NORMAL * sd;
    }
    begin_row(p, asif_yaml_value(point, "value"));
    asif_figure_number(p->figure, "y", shown(p, maximum));
    asif_figure_number(p->figure, "low", isnan(q05) ? NAN : shown(p, fmax(p->low, q05)));
    asif_figure_number(p->figure, "high", isnan(q95) ? NAN : shown(p, fmin(p->high, q95)));
    asif_figure_number(p->figure, "nats", cents(nats));
    asif_json_string(&p->figure->data, "cost", nats <= p->limit ? "within the limit" : "costs more");
    asif_json_bool(&p->figure->data, "given", asif_yaml_flag(point, "given"));
    asif_json_end(&p->figure->data);
}

/* Signs that flip within the limit, and where. */
static uint32_t add_flips(const panel *p, const asif_yaml *variation) {
    const asif_yaml *effects = asif_yaml_part(variation, "effects");
    const asif_yaml *flips = asif_yaml_part(asif_yaml_part(effects, p->column), "flips");
    uint32_t said = 0;
    for (uint32_t i = 0; i < asif_figure_count(flips); i++) {
        double at = asif_yaml_value(flips->item[i], "at");
        const char *to = asif_yaml_text(flips->item[i], "to");
        if (!isfinite(at))
            continue;
        begin_row(p, at);
        asif_json_string(&p->figure->data, "flip", "sign flips");
        asif_figure_number(p->figure, "y", 0);
        asif_json_end(&p->figure->data);
        if (!asif_yaml_flag(flips->item[i], "within"))
            continue;
        asif_text_addf(&p->figure->alt, " %s%s%s turns %s at %.3g (%.2f nats).", p->panel,
                       *p->group ? ", " : "", p->group, to ? to : "round", at,
                       asif_yaml_value(flips->item[i], "nats"));
        said++;
    }
    return said;
}

static void add_cells(const panel *p, const asif_yaml *point) {
    const asif_yaml *n = number_at(point, p->column);
    double maximum = asif_yaml_value(n, "maximum"), nats = asif_yaml_value(point, "nats");
    char cell[ASIF_CELL_SIZE];
    if (!isfinite(maximum))
        return;
    asif_figure_cell(p->figure, p->panel);
    if (*p->group)
        asif_figure_cell(p->figure, p->group);
    asif_format(cell, sizeof cell, "%.4g%s", asif_yaml_value(point, "value"),
                asif_yaml_flag(point, "given") ? " (given)" : "");
    asif_figure_cell(p->figure, cell);
    asif_figure_cell_number(p->figure, shown(p, maximum));
    asif_format(cell, sizeof cell, "%.2f", cents(nats));
    asif_figure_cell(p->figure, isnan(nats) ? "" : cell);
}

static uint32_t add_panel(const panel *p, const asif_yaml *variation) {
    const asif_yaml *points = asif_yaml_part(variation, "points");
    for (uint32_t i = 0; i < asif_figure_count(points); i++) {
        add_point(p, points->item[i]);
        add_cells(p, points->item[i]);
    }
    return add_flips(p, variation);
}

static uint32_t add_series(asif_figure *figure, const series *s, const char *name, uint32_t numbers) {
    const asif_yaml *statements = asif_yaml_part(s->root, "statements");
    const asif_yaml *variation = variation_named(s->root, name);
    uint32_t flips = 0;
    for (uint32_t k = 0; variation && k < asif_figure_pairs(statements) && k < numbers; k++) {
        asif_summary_number number = asif_figure_number_in(statements, k);
        asif_text words = {.context = figure->context};
        asif_figure_number_name(&words, &number, false);
        panel p = {.figure = figure,
                   .group = s->group,
                   .panel = words.data ? words.data : "",
                   .column = number.name,
                   .at = k,
                   .exponential = asif_figure_number_log(&number),
                   .limit = asif_yaml_value(s->root, "limit")};
        frame(&p, asif_yaml_part(variation, "points"), asif_yaml_value(statements->item[k], "sd"));
        flips += add_panel(&p, variation);
        figure->alt.failed |= words.failed;
        asif_text_free(&words);
    }
    return flips;
}

/* `first`: the first series with it. */
static asif_status make(asif_figures *list, const asif_source *source, const series *all, uint32_t count,
                        uint32_t first, const char *name, uint32_t numbers, asif_error *error) {
    static const char *const heads[] = {"", "value", "estimate", "nats worse"}, *const by_group[] = {
                                                                                    "", "group", "value",
                                                                                    "estimate", "nats worse"};
    const asif_yaml *variation = variation_named(all[first].root, name);
    double given = asif_yaml_value(variation, "given");
    bool worlds = strcmp(name, "worlds") == 0;
    asif_figure figure;
    char value[ASIF_NUMBER_SIZE];
    uint32_t flips = 0;
    asif_figure_init_of(&figure, source->context, "sensitivity", name);
    asif_text_addf(&figure.title, "If %s had another value", worlds ? "the spread of the worlds" : name);
    asif_text_addf(&figure.alt, "What is estimated as %s is varied (given: %.4g).",
                   worlds ? "the spread of the worlds" : name, given);
    asif_text_addf(&figure.caption,
                   "The most likely value of each number for every value of %s that might have been given; "
                   "the upright line is what was given. Bars: 90 %% intervals, where they were worked out; "
                   "very wide ones are cut. Hollow and faint: such a value costs more than %.3g nats of "
                   "likelihood, and the logs speak against it. Crosses: the sign of the number flips.",
                   worlds ? "the spread of the candidate worlds (a factor; 1 is as given)" : name,
                   asif_yaml_value(all[first].root, "limit"));
    asif_figure_slot(&figure, "x", worlds ? "spread of the worlds" : name);
    asif_figure_slot_json(&figure, "legend", count > 1 ? "{}" : "null");
    asif_format(value, sizeof value, "%.6g", given);
    asif_figure_slot_json(&figure, "given", isfinite(given) ? value : "null");
    asif_figure_table(&figure, *all[0].group ? 5 : 4, *all[0].group ? by_group : heads);
    asif_json_array(&figure.data, "points");
    for (uint32_t i = 0; i < count; i++)
        flips += add_series(&figure, &all[i], name, numbers);
    asif_json_end(&figure.data);
    if (flips == 0)
        asif_text_add(&figure.alt, " No sign flips at a value that the logs allow.");
    return asif_figure_end(list, &figure, "sensitivity.vl.json", error);
}

/* The first series that varied it; `count` if none did. */
static uint32_t first_with(const series *all, uint32_t count, const char *name) {
    uint32_t i = 0;
    while (i < count && !variation_named(all[i].root, name))
        i++;
    return i;
}

asif_status asif_figure_sensitivity(asif_figures *list, const asif_source *source, asif_error *error) {
    series all[ASIF_FIGURE_COLOURS];
    uint32_t count = 0, made = 0;
    for (uint32_t i = 0; i < source->fits && count < ASIF_FIGURE_COLOURS; i++) {
        const asif_source_extra *extra = asif_source_find_of(source, "sensitivity", i);
        const asif_yaml *root = extra ? extra->root : asif_yaml_part(source->fit[i].fit.root, "sensitivity");
        if (asif_figure_count(asif_yaml_part(root, "variations")))
            all[count++] = (series){root, source->fit[i].name ? source->fit[i].name : ""};
    }
    if (count == 0)
        return ASIF_OK;
    uint32_t numbers = asif_figure_pairs(asif_yaml_part(all[0].root, "statements"));
    numbers = numbers > PANELS ? PANELS : numbers;
    for (uint32_t i = 0; numbers && i < count; i++) {
        const asif_yaml *variations = asif_yaml_part(all[i].root, "variations");
        for (uint32_t v = 0; v < asif_figure_count(variations) && (made + 1) * numbers <= PANELS; v++) {
            const char *name = asif_yaml_text(variations->item[v], "name");
            if (!name || first_with(all, count, name) != i)
                continue;
            ASIF_TRY(make(list, source, all, count, i, name, numbers, error));
            made++;
        }
    }
    return ASIF_OK;
}
