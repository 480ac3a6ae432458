/* The folder of `asif people` in words: how people differ, the population, and whom to look at. Nobody is
 * named unless that is asked for. */
#include "asif/report.h"

#include "base/data/yaml.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "logs/table/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST = 64, NAMED = 20 };
#define FAR 3.5         /* robust standard deviations from the median: this person is unlike the others */
#define ROBUST 1.482602 /* standard deviations in a median absolute deviation of a normal distribution */

/* One number of all people. */
typedef struct {
    const char *name;          /* borrowed from the JSON */
    uint32_t column;           /* of its posterior mean in the table; `_q05` and `_q95` are 2 and 4 further */
    double *mean, *low, *high; /* [people] */
    double median, deviation;  /* of the posterior means; robust */
} number;

typedef struct {
    const asif_context *context;
    const asif_yaml *root;
    uint64_t people, capacity[MOST][3], name_capacity, served_capacity;
    uint32_t numbers;
    number number[MOST];
    char **name;  /* [people] */
    bool *served; /* [people] */
} summary;

/* ---- the table of people ---- */

static bool find_columns(summary *s, const asif_csv_reader *csv) {
    for (uint32_t k = 0; k < s->numbers; k++) {
        number *n = &s->number[k];
        for (n->column = 0; n->column < csv->cells; n->column++)
            if (strcmp(csv->cell[n->column].text, n->name) == 0)
                break;
        if (n->column + 4 >= csv->cells)
            return false;
    }
    return csv->cells > 1 && strcmp(csv->cell[csv->cells - 1].text, "served") == 0;
}

static double read_cell(const asif_csv_cell *cell) {
    double x;
    return asif_number_read(cell->text, cell->length, &x) ? x : NAN;
}

static bool add_person(summary *s, const asif_csv_reader *csv) {
    uint64_t i = s->people;
    if (!asif_grow(s->context, &s->name, i, &s->name_capacity, sizeof *s->name) ||
        !asif_grow(s->context, &s->served, i, &s->served_capacity, sizeof *s->served))
        return false;
    for (uint32_t k = 0; k < s->numbers; k++) {
        number *n = &s->number[k];
        double **const to[] = {&n->mean, &n->low, &n->high};
        for (uint32_t j = 0; j < 3; j++) {
            if (!asif_grow(s->context, to[j], i, &s->capacity[k][j], sizeof **to[j]))
                return false;
            (*to[j])[i] = read_cell(&csv->cell[n->column + 2 * j]);
        }
    }
    s->served[i] = strcmp(csv->cell[csv->cells - 1].text, "yes") == 0;
    s->name[i] = asif_strdup(s->context, csv->cell[0].text);
    s->people++;
    return s->name[i] != NULL;
}

static asif_status read_people(summary *s, const char *text, uint64_t length, asif_error *error) {
    asif_csv_bytes bytes = {text, length};
    asif_csv_reader csv = {0};
    bool more = true;
    asif_status status = asif_csv_open(&csv, s->context, asif_csv_memory(&bytes), "units.csv", ',', error);
    uint32_t cells = csv.cells;
    if (status == ASIF_OK && !find_columns(s, &csv))
        status =
            asif_fail(error, ASIF_EPARSE, "units.csv is not the table of people that `asif people` writes");
    while (status == ASIF_OK && more) {
        status = asif_csv_next(&csv, &more, error);
        if (status == ASIF_OK && more && csv.cells != cells)
            status = asif_fail(error, ASIF_EPARSE, "a row of units.csv has other cells than its header");
        if (status == ASIF_OK && more && !add_person(s, &csv))
            status = asif_fail_memory(error);
    }
    asif_csv_close(&csv);
    return status;
}

/* ---- how people differ ---- */

/* The quantile of sorted numbers, between neighbours. */
static double quantile(const double *sorted, uint64_t n, double p) {
    double at = p * (double)(n - 1);
    uint64_t i = (uint64_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static uint64_t sort_known(double *to, const double *x, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            to[count++] = x[i];
    asif_sort(to, count);
    return count;
}

static void add_number(asif_text *t, const summary *s, number *n, double *sorted) {
    const asif_yaml *spread = asif_yaml_part(asif_yaml_part(s->root, "units_differ"), n->name);
    uint64_t count = sort_known(sorted, n->mean, s->people);
    if (!count)
        return;
    n->median = quantile(sorted, count, .5);
    asif_text_addf(t, "  %-24s %10.3g %10.3g %10.3g %14.3g\n", n->name, quantile(sorted, count, .05),
                   n->median, quantile(sorted, count, .95), asif_yaml_value(spread, "within"));
    for (uint64_t i = 0; i < count; i++)
        sorted[i] = fabs(sorted[i] - n->median);
    asif_sort(sorted, count);
    n->deviation = ROBUST * quantile(sorted, count, .5);
}

/* Numbers whose sign has a meaning of its own. */
static void add_sign(asif_text *t, const summary *s, const number *n) {
    uint64_t above = 0, below = 0;
    if (strcmp(n->name, "optimism") != 0 && strcmp(n->name, "eta") != 0)
        return;
    for (uint64_t i = 0; i < s->people; i++) {
        above += n->low[i] > 0;
        below += n->high[i] < 0;
    }
    asif_text_addf(t,
                   "By their 90 %% intervals, %s is above 0 for %" PRIu64 " people and below 0 for %" PRIu64
                   "; for %" PRIu64 " the logs do not determine its sign.\n",
                   n->name, above, below, s->people - above - below);
}

static void add_shrinkage(asif_text *t, const summary *s) {
    for (uint32_t k = 0; k < s->numbers; k++) {
        const asif_yaml *spread = asif_yaml_part(asif_yaml_part(s->root, "units_differ"), s->number[k].name);
        double between = asif_yaml_value(spread, "between"), within = asif_yaml_value(spread, "within");
        if (within > between)
            asif_text_addf(
                t,
                "The logs say little about single people's %s: it is more uncertain than it differs. "
                "What is said about them is mostly the population.\n",
                s->number[k].name);
    }
}

static asif_status add_differences(asif_text *t, summary *s, asif_error *error) {
    double *sorted = ASIF_ARRAY(s->context, s->people + 1, double);
    if (!sorted)
        return asif_fail_memory(error);
    asif_text_addf(t, "\n%-26s %10s %10s %10s %14s\n", "HOW THEY DIFFER", "5 %", "median", "95 %",
                   "uncertain by");
    for (uint32_t k = 0; k < s->numbers; k++)
        add_number(t, s, &s->number[k], sorted);
    asif_text_add(t, "These are quantiles of people's posterior means, and how uncertain one of them is.\n");
    for (uint32_t k = 0; k < s->numbers; k++)
        add_sign(t, s, &s->number[k]);
    add_shrinkage(t, s);
    asif_free(s->context, sorted);
    return ASIF_OK;
}

/* ---- the population ---- */

static void add_population(asif_text *t, const summary *s) {
    const asif_yaml *all = asif_yaml_part(s->root, "population");
    asif_text_addf(t, "\n%-28s %12s %12s %12s %12s\n", "THE POPULATION, AS IF", "mean", "sd", "5 %", "95 %");
    for (uint32_t i = 0; all && i < all->count; i++)
        asif_text_addf(t, "  %-26s %12.4g %12.3g %12.4g %12.4g\n", all->key[i]->text,
                       asif_yaml_value(all->item[i], "mean"), asif_yaml_value(all->item[i], "sd"),
                       asif_yaml_value(all->item[i], "q05"), asif_yaml_value(all->item[i], "q95"));
}

/* How many kinds of people there are, where that was asked. */
static void add_kinds(asif_text *t, const summary *s) {
    const asif_yaml *compared = asif_yaml_part(s->root, "kinds_compared");
    double kinds = asif_yaml_value(s->root, "kinds");
    if (!compared || !(kinds >= 1))
        return;
    asif_text_addf(t, "%.0f %s these people best (least BIC:", kinds,
                   kinds > 1 ? "kinds describe" : "kind describes");
    for (uint32_t i = 0; i < compared->count; i++)
        asif_text_addf(t, "%s %.0f with %.0f", i ? "," : "", asif_yaml_value(compared->item[i], "bic"),
                       asif_yaml_value(compared->item[i], "kinds"));
    asif_text_add(t, ").\n");
}

/* ---- whom to look at ---- */

/* A number in which a person is unlike the others; NULL: none. */
static const number *is_far(const summary *s, uint64_t person) {
    for (uint32_t k = 0; k < s->numbers; k++) {
        const number *n = &s->number[k];
        if (n->deviation > 0 && fabs(n->mean[person] - n->median) > FAR * n->deviation)
            return n;
    }
    return NULL;
}

static void add_names(asif_text *t, const summary *s, uint64_t far, uint64_t bad) {
    uint64_t listed = 0;
    for (uint64_t i = 0; i < s->people && listed < NAMED; i++) {
        const number *n = is_far(s, i);
        if (!n && s->served[i])
            continue;
        listed++;
        if (n)
            asif_text_addf(t, "  %s: %s %.3g\n", asif_show(s->name[i]).text, n->name, n->mean[i]);
        else
            asif_text_addf(t, "  %s: not accurate\n", asif_show(s->name[i]).text);
    }
    if (far + bad > listed)
        asif_text_add(t, "  and others, who are in units.csv\n");
}

static void add_who(asif_text *t, const summary *s, bool identify) {
    uint64_t far = 0, bad = 0;
    for (uint64_t i = 0; i < s->people; i++) {
        far += is_far(s, i) != NULL;
        bad += !s->served[i];
    }
    asif_text_add(t, "\nWHOM TO LOOK AT\n");
    asif_text_addf(t,
                   "%" PRIu64 " of %" PRIu64 " people %s unlike the others: in some number more than %.1f "
                   "standard deviations (robust) from the median.\n",
                   far, s->people, far == 1 ? "is" : "are", FAR);
    if (bad)
        asif_text_addf(t, "%" PRIu64 " posteriors are not accurate: do not read them.\n", bad);
    if (identify)
        add_names(t, s, far, bad);
    else if (far + bad)
        asif_text_add(t, "--identify names them.\n");
}

/* ---- all of it ---- */

static asif_status add_all(asif_text *t, summary *s, const char *people, uint64_t length, bool identify,
                           bool *trusted, asif_error *error) {
    const asif_yaml *numbers = asif_yaml_part(s->root, "units_differ");
    double units = asif_yaml_value(s->root, "units"), differ = asif_yaml_value(s->root, "different_units");
    if (isnan(units) || !asif_yaml_part(s->root, "population"))
        return asif_fail(error, ASIF_EPARSE, "population.json is not what `asif people` writes");
    asif_text_addf(t, "%.0f decision-makers, of whom %.0f differ in their decisions\n", units, differ);
    *trusted = asif_yaml_flag(s->root, "usable");
    if (!*trusted) {
        asif_text_add(t, "\nThe population could not be fitted: the table of points is too coarse for it.\n"
                         "A larger table (--points) of `asif people` may help.\n");
        return ASIF_OK;
    }
    for (uint32_t i = 0; numbers && i < numbers->count && i < MOST; i++)
        s->number[s->numbers++].name = numbers->key[i]->text;
    ASIF_TRY(read_people(s, people, length, error));
    ASIF_TRY(add_differences(t, s, error));
    add_population(t, s);
    add_kinds(t, s);
    add_who(t, s, identify);
    return ASIF_OK;
}

static void close_summary(summary *s) {
    for (uint64_t i = 0; i < s->people; i++)
        asif_free(s->context, s->name[i]);
    for (uint32_t k = 0; k < s->numbers; k++) {
        asif_free(s->context, s->number[k].mean);
        asif_free(s->context, s->number[k].low);
        asif_free(s->context, s->number[k].high);
    }
    asif_free(s->context, s->name);
    asif_free(s->context, s->served);
}

asif_status asif_report_people(char **out, bool *trusted, const asif_context *context, const char *json,
                               uint64_t json_length, const char *people, uint64_t length, bool identify,
                               asif_error *error) {
    asif_yaml_document *document = NULL;
    asif_text text = {.context = context};
    bool good = false;
    *out = NULL;
    ASIF_TRY(asif_yaml_read(&document, context, json, json_length, "population.json", error));
    summary s = {.context = context, .root = asif_yaml_root(document)};
    asif_status status =
        add_all(&text, &s, people ? people : "", people ? length : 0, identify, &good, error);
    close_summary(&s);
    asif_yaml_free(document);
    if (trusted)
        *trusted = good;
    if (status == ASIF_OK)
        return asif_text_finish(out, &text, error);
    asif_text_free(&text);
    return status;
}
