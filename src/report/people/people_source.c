/* Reads population.json and units.csv. */
#include "report/people/people_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/csv/csv.h"
#include "render/figures/figure_numbers.h"

#include <math.h>
#include <string.h>

#define FEWEST 3 /* people in a group, whatever the limit of counts: of two, each knows the other */

/* Columns of units.csv. */
typedef struct {
    uint32_t number[ASIF_PEOPLE_NUMBERS], decisions, served;
    uint32_t *taken; /* [actions] */
    uint64_t room;   /* people that there is memory for */
} columns;

static uint32_t count_actions(const asif_people_source *s) {
    return s->actions ? s->actions->count : 0;
}

static uint32_t find_column(const asif_csv_reader *csv, const char *prefix, const char *name) {
    uint64_t length = strlen(prefix);
    for (uint32_t c = 0; c < csv->cells; c++)
        if (strncmp(csv->cell[c].text, prefix, length) == 0 && strcmp(csv->cell[c].text + length, name) == 0)
            return c;
    return ASIF_ANY;
}

static bool find_columns(const asif_people_source *s, columns *c, const asif_csv_reader *csv) {
    for (uint32_t k = 0; k < s->numbers; k++) {
        c->number[k] = find_column(csv, "", s->number[k].name);
        if (c->number[k] == ASIF_ANY || c->number[k] + 4 >= csv->cells)
            return false;
    }
    for (uint32_t u = 0; u < count_actions(s); u++)
        c->taken[u] = find_column(csv, "took_", s->actions->key[u]->text);
    c->decisions = find_column(csv, "", "decisions");
    c->served = find_column(csv, "", "served");
    return c->served != ASIF_ANY;
}

static double read_cell(const asif_csv_reader *csv, uint32_t column) {
    double x;
    bool there = column < csv->cells;
    return there && asif_number_read(csv->cell[column].text, csv->cell[column].length, &x) ? x : NAN;
}

static bool grow(const asif_people_source *s, double **array, uint64_t width, uint64_t room) {
    double *more = asif_realloc(s->context, *array, room * width, sizeof **array);
    *array = more ? more : *array;
    return more || width == 0;
}

static bool make_room(asif_people_source *s, columns *c) {
    uint64_t room = c->room ? 2 * c->room : 64, actions = count_actions(s);
    bool good = true;
    if (s->people < c->room)
        return true;
    for (uint32_t k = 0; k < s->numbers; k++) {
        asif_people_number *n = &s->number[k];
        good = good && grow(s, &n->mean, 1, room) && grow(s, &n->sd, 1, room) && grow(s, &n->low, 1, room) &&
               grow(s, &n->high, 1, room);
    }
    good = good && grow(s, &s->decisions, 1, room) && grow(s, &s->taken, actions, room);
    char **name = good ? asif_realloc(s->context, (void *)s->name, room, sizeof *name) : NULL;
    s->name = name ? name : s->name;
    bool *served = name ? asif_realloc(s->context, s->served, room, sizeof *served) : NULL;
    s->served = served ? served : s->served;
    c->room = served ? room : c->room;
    return served != NULL;
}

static bool add_person(asif_people_source *s, columns *c, const asif_csv_reader *csv) {
    uint32_t actions = count_actions(s);
    if (!make_room(s, c))
        return false;
    uint64_t i = s->people;
    for (uint32_t k = 0; k < s->numbers; k++) {
        asif_people_number *n = &s->number[k];
        n->mean[i] = read_cell(csv, c->number[k]);
        n->sd[i] = read_cell(csv, c->number[k] + 1);
        n->low[i] = read_cell(csv, c->number[k] + 2);
        n->high[i] = read_cell(csv, c->number[k] + 4);
    }
    s->decisions[i] = read_cell(csv, c->decisions);
    for (uint32_t u = 0; u < actions; u++)
        s->taken[i * actions + u] = read_cell(csv, c->taken[u]);
    s->served[i] = strcmp(csv->cell[c->served].text, "yes") == 0;
    s->name[i] = asif_strdup(s->context, csv->cell[0].text);
    s->people++;
    return s->name[i] != NULL;
}

static asif_status read_units(asif_people_source *s, const char *text, uint64_t length, asif_error *error) {
    asif_csv_bytes bytes = {text, length};
    asif_csv_reader csv = {0};
    columns c = {.taken = ASIF_ARRAY(s->context, count_actions(s) + 1, uint32_t)};
    bool more = true;
    if (!c.taken)
        return asif_fail_memory(error);
    asif_status status = asif_csv_open(&csv, s->context, asif_csv_memory(&bytes), "units.csv", ',', error);
    uint32_t cells = csv.cells;
    if (status == ASIF_OK && !find_columns(s, &c, &csv))
        status =
            asif_fail(error, ASIF_EPARSE, "units.csv is not the table of people that `asif people` writes");
    while (status == ASIF_OK && more) {
        status = asif_csv_next(&csv, &more, error);
        if (status == ASIF_OK && more && csv.cells != cells)
            status = asif_fail(error, ASIF_EPARSE, "a row of units.csv has other cells than its header");
        if (status == ASIF_OK && more && !add_person(s, &c, &csv))
            status = asif_fail_memory(error);
    }
    asif_csv_close(&csv);
    asif_free(s->context, c.taken);
    return status;
}

static void read_numbers(asif_people_source *s) {
    const asif_yaml *all = asif_yaml_part(s->root, "units_differ");
    for (uint32_t i = 0; i < asif_figure_pairs(all) && i < ASIF_PEOPLE_NUMBERS; i++)
        s->number[s->numbers++] =
            (asif_people_number){.name = all->key[i]->text,
                                 .parameter = asif_yaml_text(all->item[i], "parameter"),
                                 .coordinate = asif_yaml_text(all->item[i], "coordinate"),
                                 .line = asif_yaml_text(all->item[i], "line"),
                                 .least = asif_yaml_value(all->item[i], "low"),
                                 .most = asif_yaml_value(all->item[i], "high"),
                                 .between = asif_yaml_value(all->item[i], "between"),
                                 .within = asif_yaml_value(all->item[i], "within")};
}

/* A number as a count; NaN: it is none. */
static double as_count(double x) {
    return x >= 0 && x <= 1e15 ? x : NAN;
}

double asif_people_count(const asif_yaml *node, const char *key) {
    return as_count(asif_yaml_value(node, key));
}

static asif_status read_counts(asif_people_source *s, uint32_t min_cell, asif_error *error) {
    uint32_t actions = count_actions(s);
    double served = asif_yaml_value(s->root, "units_served");
    s->total = ASIF_ARRAY(s->context, actions, double);
    if (!s->total)
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < actions; u++)
        s->total[u] = as_count(asif_figure_scalar(s->actions->item[u]));
    s->least = s->identify ? 1 : min_cell == 0 ? ASIF_MIN_CELL : min_cell < FEWEST ? FEWEST : min_cell;
    s->several = s->identify || served >= (double)s->least;
    return asif_disclosure_people(&s->cells, s->context, asif_yaml_value(s->root, "units"), s->total, actions,
                                  min_cell, error);
}

asif_status asif_people_source_read(asif_people_source *source, const asif_context *context, const char *json,
                                    uint64_t json_length, const char *units, uint64_t length,
                                    uint32_t min_cell, bool identify, asif_error *error) {
    asif_people_source *s = source;
    *s = (asif_people_source){.context = context, .identify = identify};
    ASIF_TRY(asif_yaml_read(&s->document, context, json, json_length, "population.json", error));
    s->root = asif_yaml_root(s->document);
    s->population = asif_yaml_part(s->root, "population");
    s->actions = asif_yaml_part(asif_yaml_part(s->root, "logs"), "actions");
    s->actions = asif_figure_pairs(s->actions) ? s->actions : NULL;
    s->usable = asif_yaml_flag(s->root, "usable");
    if (isnan(asif_people_count(s->root, "units")) || !asif_figure_pairs(s->population))
        return asif_fail(error, ASIF_EPARSE, "population.json is not what `asif people` writes");
    ASIF_TRY(read_counts(s, min_cell, error));
    if (!s->usable)
        return ASIF_OK;
    read_numbers(s);
    return read_units(s, units ? units : "", units ? length : 0, error);
}

asif_status asif_people_source_open(asif_people_source *out, const asif_context *context,
                                    const asif_page_request *request, asif_error *error) {
    *out = (asif_people_source){.context = context};
    if (request->struct_size != sizeof *request || request->results > 0)
        return asif_fail(error, ASIF_EDOMAIN, "a report is about fits or about a population");
    return asif_people_source_read(out, context, request->population, strlen(request->population),
                                   request->units, request->units ? strlen(request->units) : 0,
                                   request->min_cell, request->identify, error);
}

void asif_people_source_free(asif_people_source *s) {
    for (uint64_t i = 0; i < s->people; i++)
        asif_free(s->context, s->name[i]);
    for (uint32_t k = 0; k < s->numbers; k++) {
        void *const arrays[] = {s->number[k].mean, s->number[k].sd, s->number[k].low, s->number[k].high};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            asif_free(s->context, arrays[i]);
    }
    void *const arrays[] = {(void *)s->name, s->served, s->decisions, s->taken, s->total};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(s->context, arrays[i]);
    asif_disclosure_free(s->cells);
    asif_yaml_free(s->document);
}
