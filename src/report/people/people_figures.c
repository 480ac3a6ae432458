/* Figures of a population: people in order with their intervals, the density of each number, and how much of
 * people's estimates is the population's. People are groups of neighbours, the same in all figures. */
#include "report/people/people_figures.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define PANELS 12 /* most numbers that are drawn */
#define CURVE 121 /* points of a density */
#define WIDE 3.2  /* standard deviations of the population that are drawn on both sides */

/* People in the order of one number. */
typedef struct {
    const asif_people_source *source;
    const asif_people_number *number;
    uint64_t *order, groups, known;
} row_of_people;

static asif_status open_row(row_of_people *row, const asif_people_source *source, uint32_t k,
                            asif_error *error) {
    *row = (row_of_people){.source = source, .number = &source->number[k]};
    return asif_people_divide(&row->order, &row->groups, &row->known, source, row->number->mean, error);
}

static void close_row(row_of_people *row) {
    asif_free(row->source->context, row->order);
}

static double average(const row_of_people *row, const double *value, uint64_t g) {
    return asif_people_average(value, row->order, asif_people_group_of(row->groups, row->known, g));
}

static double share_of(const row_of_people *row, uint64_t g) {
    asif_people_group group = asif_people_group_of(row->groups, row->known, g);
    double sum = 0;
    for (uint64_t i = group.from; i < group.to; i++)
        sum += asif_people_share(row->number, row->number->sd[row->order[i]]);
    return sum / (double)(group.to - group.from);
}

/* People one by one: only if that is asked for. */
static bool is_single(const row_of_people *row) {
    return row->source->identify && row->groups == row->known;
}

/* ---- words ---- */

static void add_title_slot(asif_figure *figure, const asif_people_number *number) {
    asif_text words = {.context = figure->context};
    asif_people_name(&words, number);
    asif_figure_slot(figure, "xtitle", words.data ? words.data : "");
    figure->slots.failed |= words.failed;
    asif_text_free(&words);
}

static void add_name_cell(asif_figure *figure, const asif_people_number *number) {
    asif_text words = {.context = figure->context};
    asif_people_name(&words, number);
    asif_figure_cell(figure, words.data ? words.data : "");
    figure->cells.failed |= words.failed;
    asif_text_free(&words);
}

/* The head of the column that says whom a row is about. */
static const char *whose(const asif_people_source *source) {
    return source->identify && source->people <= ASIF_PEOPLE_DRAWN ? "who" : "people";
}

/* Who is drawn. */
static void add_who(asif_text *caption, const asif_people_source *source) {
    if (source->identify && source->people <= ASIF_PEOPLE_DRAWN)
        asif_text_add(caption, " Each mark is a person.");
    else
        asif_text_addf(caption,
                       " Nobody is shown alone: a mark is the average over at least %.0f people who are next "
                       "to each other in this number.",
                       (double)source->least);
}

static void add_range(asif_text *alt, const row_of_people *row) {
    char cell[ASIF_CELL_SIZE];
    asif_text_add(alt, alt->length ? " " : "");
    asif_people_name(alt, row->number);
    asif_text_addf(alt, " goes from %s", asif_short_number(cell, average(row, row->number->mean, 0)));
    asif_text_addf(alt, " to %s.", asif_short_number(cell, average(row, row->number->mean, row->groups - 1)));
}

static asif_status end_figure(asif_figures *list, asif_figure *figure, uint32_t numbers, asif_status status,
                              asif_error *error) {
    if (status == ASIF_OK && figure->panels.length) {
        asif_figure_slot_json(figure, "columns", numbers == 1 ? "1" : numbers == 2 ? "2" : "3");
        return asif_figure_end(list, figure, "people.vl.json", error);
    }
    asif_figure_free(figure);
    return status;
}

/* ---- people in order ---- */

static void add_groups(asif_figure *figure, const row_of_people *row) {
    for (uint64_t g = 0; g < row->groups; g++) {
        asif_json_object(&figure->data, NULL);
        asif_json_string(&figure->data, "number", row->number->name);
        asif_figure_number(figure, "rank", (double)(g + 1));
        asif_figure_number(figure, "mean", average(row, row->number->mean, g));
        asif_figure_number(figure, "low", average(row, row->number->low, g));
        asif_figure_number(figure, "high", average(row, row->number->high, g));
        asif_figure_number(figure, "share", share_of(row, g));
        asif_json_end(&figure->data);
    }
}

/* Rows of the table: with the interval, or with shrinkage. */
static void add_group_cells(asif_figure *figure, const row_of_people *row, bool interval) {
    for (uint64_t g = 0; g < row->groups; g++) {
        asif_people_group group = asif_people_group_of(row->groups, row->known, g);
        char share[ASIF_CELL_SIZE];
        add_name_cell(figure, row->number);
        if (is_single(row))
            asif_figure_cell(figure, row->source->name[row->order[group.from]]);
        else
            asif_figure_cellf(figure, "%.0f", (double)(group.to - group.from));
        asif_figure_cell_number(figure, average(row, row->number->mean, g));
        if (interval) {
            asif_figure_cell_number(figure, average(row, row->number->low, g));
            asif_figure_cell_number(figure, average(row, row->number->high, g));
        } else {
            asif_figure_cell(figure, asif_percent_text(share, share_of(row, g)));
        }
    }
}

static asif_status add_people_panel(asif_figure *figure, const row_of_people *row, const char *panel,
                                    asif_error *error) {
    asif_figure_slot(figure, "number", row->number->name);
    asif_figure_slot_json(figure, "size", row->groups > 60 ? "12" : "40");
    asif_figure_slot_json(figure, "thick", row->groups > 60 ? "1" : "3");
    add_title_slot(figure, row->number);
    return asif_figure_panel(figure, panel, error);
}

static void add_centres(asif_figure *figure, const asif_people_source *source) {
    asif_json_array(&figure->data, "centre");
    for (uint32_t k = 0; k < source->numbers; k++) {
        const asif_people_number *n = &source->number[k];
        char key[80];
        asif_format(key, sizeof key, "mean_%.60s", n->coordinate ? n->coordinate : "");
        double centre = asif_people_value(source, key, "mean");
        if (!isfinite(centre) || !n->line || strcmp(n->line, "same") != 0)
            continue;
        asif_json_object(&figure->data, NULL);
        asif_json_string(&figure->data, "number", n->name);
        asif_figure_number(figure, "x", centre);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

static asif_status add_rows(asif_figure *figure, const asif_people_source *source, const char *panel,
                            bool interval, asif_error *error) {
    asif_status status = ASIF_OK;
    asif_json_array(&figure->data, "people");
    for (uint32_t k = 0; status == ASIF_OK && k < source->numbers && k < PANELS; k++) {
        row_of_people row;
        status = open_row(&row, source, k, error);
        if (status == ASIF_OK && row.groups >= 2) {
            add_groups(figure, &row);
            add_group_cells(figure, &row, interval);
            add_range(&figure->alt, &row);
            status = add_people_panel(figure, &row, panel, error);
        }
        close_row(&row);
    }
    asif_json_end(&figure->data);
    return status;
}

static asif_status add_caterpillar(asif_figures *list, const asif_people_source *source, asif_error *error) {
    const char *const heads[] = {"", whose(source), "mean", "5 %", "95 %"};
    asif_figure figure;
    asif_figure_init(&figure, source->context, "people");
    asif_figure_table(&figure, 5, heads);
    asif_text_add(&figure.title, "People in order");
    asif_text_add(&figure.caption, "Points are posterior means, in order, and lines hold 90 % of the "
                                   "probability.");
    if (!(asif_yaml_value(source->root, "kinds") > 1))
        asif_text_add(&figure.caption, " The dotted line is the mean of the population.");
    add_who(&figure.caption, source);
    asif_status status = add_rows(&figure, source, "people-panel.vl.json", true, error);
    add_centres(&figure, source);
    return end_figure(list, &figure, source->numbers, status, error);
}

/* ---- densities ---- */

/* A number at a point of the population's line, and the derivative of the number there. */
static double number_at(const asif_people_number *n, double t, double *slope) {
    if (n->line && strcmp(n->line, "logit") == 0) {
        double p = 1 / (1 + exp(-t)), width = n->most - n->least;
        *slope = width * p * (1 - p);
        return n->least + width * p;
    }
    if (n->line && strcmp(n->line, "log") == 0) {
        bool below = isfinite(n->least); /* else -log(most - number) */
        *slope = exp(below ? t : -t);
        return below ? n->least + exp(t) : n->most - exp(-t);
    }
    *slope = 1;
    return t;
}

/* The normal populations of one number: one, or one for each kind. */
typedef struct {
    uint32_t kinds;
    double mean[ASIF_PEOPLE_KINDS], share[ASIF_PEOPLE_KINDS], sd;
} mixture;

/* False: the population of this number is not known, or may not be shown. */
static bool read_mixture(mixture *m, const asif_people_source *source, const asif_people_number *n) {
    double kinds = asif_yaml_value(source->root, "kinds"), rest = 1;
    char key[96];
    m->kinds = kinds > 1 && kinds <= ASIF_PEOPLE_KINDS ? (uint32_t)kinds : 1;
    if (!n->coordinate || (m->kinds > 1 && !asif_people_shows_kinds(source)))
        return false;
    asif_format(key, sizeof key, "sd_%.60s", n->coordinate);
    m->sd = asif_people_value(source, key, "mean");
    for (uint32_t k = m->kinds; k-- > 0;) {
        if (m->kinds > 1)
            asif_format(key, sizeof key, "mean_%.60s_kind_%u", n->coordinate, k + 1);
        else
            asif_format(key, sizeof key, "mean_%.60s", n->coordinate);
        m->mean[k] = asif_people_value(source, key, "mean");
        asif_format(key, sizeof key, "share_kind_%u", k + 1);
        m->share[k] = k ? asif_people_value(source, key, "mean") : rest;
        rest -= m->share[k];
        if (!isfinite(m->mean[k]) || !isfinite(m->share[k]))
            return false;
    }
    return m->sd > 0;
}

static double density_at(const mixture *m, double t) {
    double sum = 0;
    for (uint32_t k = 0; k < m->kinds; k++) {
        double z = (t - m->mean[k]) / m->sd;
        sum += m->share[k] * exp(-z * z / 2) / (m->sd * 2.506628274631);
    }
    return sum;
}

static void add_curve(asif_figure *figure, const asif_people_number *n, const mixture *m) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < m->kinds; k++) {
        low = fmin(low, m->mean[k] - WIDE * m->sd);
        high = fmax(high, m->mean[k] + WIDE * m->sd);
    }
    for (int i = 0; i < CURVE; i++) {
        double t = low + (high - low) * i / (CURVE - 1), slope, x = number_at(n, t, &slope);
        asif_json_object(&figure->data, NULL);
        asif_json_string(&figure->data, "number", n->name);
        asif_figure_number(figure, "x", x);
        asif_figure_number(figure, "density", density_at(m, t) / slope);
        asif_json_end(&figure->data);
    }
}

/* The middle of the population, and 90 % of people. */
static void add_curve_cells(asif_figure *figure, const asif_people_number *n, const mixture *m) {
    double slope;
    for (uint32_t k = 0; k < m->kinds; k++) {
        char kind[ASIF_CELL_SIZE] = "";
        if (m->kinds > 1)
            asif_format(kind, sizeof kind, "%u", k + 1);
        add_name_cell(figure, n);
        asif_figure_cell(figure, kind);
        asif_figure_cell_number(figure, number_at(n, m->mean[k] - 1.644854 * m->sd, &slope));
        asif_figure_cell_number(figure, number_at(n, m->mean[k], &slope));
        asif_figure_cell_number(figure, number_at(n, m->mean[k] + 1.644854 * m->sd, &slope));
    }
    asif_text_add(&figure->alt, figure->alt.length ? " " : "");
    asif_people_name(&figure->alt, n);
    for (uint32_t k = 0; k < m->kinds; k++) {
        char cell[ASIF_CELL_SIZE];
        asif_text_addf(&figure->alt, k ? ", and around %s" : " is around %s",
                       asif_short_number(cell, number_at(n, m->mean[k], &slope)));
    }
    asif_text_add(&figure->alt, ".");
}

static asif_status add_densities(asif_figures *list, const asif_people_source *source, asif_error *error) {
    static const char *const heads[] = {"", "kind", "5 % of people below", "half of people below",
                                        "95 % of people below"};
    asif_figure figure;
    asif_status status = ASIF_OK;
    mixture m;
    asif_figure_init(&figure, source->context, "people-density");
    asif_figure_table(&figure, 5, heads);
    asif_text_add(&figure.title, "The population");
    asif_text_add(&figure.caption, "The curve is how the number is distributed over people, at the estimates "
                                   "of the population. The short lines below are people's posterior means.");
    if (asif_yaml_list(source->root, "covariates"))
        asif_text_add(&figure.caption, " The curve is for people whose covariates are average.");
    add_who(&figure.caption, source);
    asif_json_array(&figure.data, "density");
    for (uint32_t k = 0; k < source->numbers && k < PANELS; k++)
        if (read_mixture(&m, source, &source->number[k])) {
            add_curve(&figure, &source->number[k], &m);
            add_curve_cells(&figure, &source->number[k], &m);
        }
    asif_json_end(&figure.data);
    asif_json_array(&figure.data, "people");
    for (uint32_t k = 0; status == ASIF_OK && k < source->numbers && k < PANELS; k++) {
        row_of_people row;
        if (!read_mixture(&m, source, &source->number[k]))
            continue;
        status = open_row(&row, source, k, error);
        for (uint64_t g = 0; status == ASIF_OK && row.groups >= 2 && g < row.groups; g++) {
            asif_json_object(&figure.data, NULL);
            asif_json_string(&figure.data, "number", row.number->name);
            asif_figure_number(&figure, "x", average(&row, row.number->mean, g));
            asif_json_end(&figure.data);
        }
        if (status == ASIF_OK)
            status = add_people_panel(&figure, &row, "people-density-panel.vl.json", error);
        close_row(&row);
    }
    asif_json_end(&figure.data);
    return end_figure(list, &figure, source->numbers, status, error);
}

/* ---- shrinkage ---- */

static asif_status add_shrinkage(asif_figures *list, const asif_people_source *source, asif_error *error) {
    const char *const heads[] = {"", whose(source), "mean", "shrinkage"};
    asif_figure figure;
    asif_figure_init(&figure, source->context, "people-shrinkage");
    asif_figure_table(&figure, 4, heads);
    asif_text_add(&figure.title, "How much of people's estimates is the population's");
    asif_text_add(
        &figure.caption,
        "At 0 % the logs say everything about a person. At 100 % they say nothing, and the estimate "
        "is the population's.");
    add_who(&figure.caption, source);
    asif_status status = add_rows(&figure, source, "people-shrinkage-panel.vl.json", false, error);
    return end_figure(list, &figure, source->numbers, status, error);
}

asif_status asif_people_figures(asif_figures *list, const asif_people_source *source, asif_error *error) {
    if (!source->usable || !source->several)
        return ASIF_OK;
    ASIF_TRY(add_caterpillar(list, source, error));
    ASIF_TRY(add_densities(list, source, error));
    return add_shrinkage(list, source, error);
}
