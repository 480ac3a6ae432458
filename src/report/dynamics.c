/* The report on hidden dynamics that were learnt: tables for people, or JSON. */
#include "dynamics/dynamics.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "render/report_options.h"
#include "render/table.h"

#include <math.h>
#include <string.h>

#define LABEL_WIDTH 16
#define MOST_SHOWN 12 /* columns of a table for people */
#define NEAR 5.0      /* nats: another maximum this near is told */
#define CLEAR 0.9     /* contraction of what is identified */
#define HARDLY 0.25   /* and of what is not */
#define MOST_NAMED 8  /* numbers that a sentence names */

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *world;
    const asif_dynamics *dynamics;
    const asif_dynamics_spec *spec;
    asif_dynamics_estimate e;
    asif_report_options options;
    double *likeliest, *expected; /* [labels][states]: see asif_dynamics_agreement(); NULL: no labels */
} report;

/* ---- labels ---- */

static uint32_t column_of(const report *r, uint32_t table) {
    for (uint32_t k = 0; k < r->spec->actions * r->spec->columns; k++)
        if (r->spec->emissions[k] == table)
            return k % r->spec->columns;
    return ASIF_ANY;
}

static const char *row_label(const report *r, uint32_t table, uint32_t row, char *buffer) {
    if (table == r->spec->start)
        return r->spec->starts > 1 ? asif_setting_label(r->setting, ASIF_LABEL_START, row, buffer) : "";
    return asif_setting_label(r->setting, ASIF_LABEL_STATE, row, buffer);
}

static const char *cell_label(const report *r, uint32_t table, uint32_t c, char *buffer) {
    uint32_t column = column_of(r, table);
    if (column == ASIF_ANY)
        return asif_setting_label(r->setting, ASIF_LABEL_STATE, c, buffer);
    if (!r->spec->classes || r->spec->columns != r->world->observation_columns)
        return asif_setting_label(r->setting, ASIF_LABEL_OBSERVATION, c, buffer);
    const asif_observation_column *of = &r->world->observation_column[column];
    if (of->class_names)
        return of->class_names[c];
    asif_format(buffer, ASIF_LABEL_SIZE, "%u", c);
    return buffer;
}

static bool is_learnt(const report *r, uint32_t table) {
    for (uint64_t i = asif_dynamics_first(r->dynamics, table);
         i < asif_dynamics_first(r->dynamics, table + 1); i++)
        if (r->e.kind[i] != ASIF_CELL_FIXED && r->e.kind[i] != ASIF_CELL_IMPOSSIBLE)
            return true;
    return false;
}

/* Whether the logs determine a number; NULL: nothing was learnt, or no standard error tells. */
static const char *identified(const report *r, uint64_t cell) {
    if (r->e.kind[cell] == ASIF_CELL_UNDETERMINED)
        return "no";
    if (r->e.kind[cell] != ASIF_CELL_FREE)
        return NULL;
    double c = r->e.contraction[cell];
    return c >= CLEAR ? "yes" : c < HARDLY ? "no" : "weakly";
}

/* ---- for people ---- */

static void add_number(asif_table *table, const report *r, uint64_t cell) {
    double p = r->e.point[cell];
    if (r->e.kind[cell] == ASIF_CELL_FREE)
        asif_table_cellf(table, "%.4f (%.4f)", p, r->e.error[cell]);
    else if (p == 0 || p == 1)
        asif_table_cellf(table, "%g         ", p);
    else
        asif_table_cellf(table, "%.4f         ", p);
}

static void add_one(asif_text *text, const report *r, uint32_t t) {
    const asif_dynamics_table *of = &r->spec->table[t];
    uint32_t shown = of->columns < MOST_SHOWN ? of->columns : MOST_SHOWN;
    uint64_t first = asif_dynamics_first(r->dynamics, t);
    char cut[ASIF_CELL_SIZE], buffer[ASIF_LABEL_SIZE];
    asif_table table;
    asif_text_addf(text, "\n%s\n", of->name);
    asif_table_init(&table, r->context, shown + 1);
    table.left = 1;
    asif_table_cell(&table, t == r->spec->start ? "" : column_of(r, t) == ASIF_ANY ? "from" : "in state");
    for (uint32_t c = 0; c < shown; c++)
        asif_table_cell(&table,
                        asif_label_cut(cut, cell_label(r, t, c, buffer), LABEL_WIDTH, r->options.unicode));
    for (uint32_t i = 0; i < of->rows; i++) {
        asif_table_cell(&table,
                        asif_label_cut(cut, row_label(r, t, i, buffer), LABEL_WIDTH, r->options.unicode));
        for (uint32_t c = 0; c < shown; c++)
            add_number(&table, r, first + (uint64_t)i * of->columns + c);
    }
    asif_table_end(&table, text);
    if (shown < of->columns)
        asif_text_addf(text, "  ... (%u more columns; --json prints all)\n", of->columns - shown);
}

/* Add the names of the numbers that `chosen` selects, after a heading; nothing if there are none. */
static void add_named(asif_text *text, const report *r, const char *heading, const char *after,
                      bool (*chosen)(const report *, uint64_t)) {
    uint32_t found = 0;
    asif_text words = {.context = r->context};
    for (uint32_t t = 0; t < r->spec->tables; t++) {
        const asif_dynamics_table *of = &r->spec->table[t];
        for (uint64_t i = 0; i < (uint64_t)of->rows * of->columns; i++) {
            char row[ASIF_LABEL_SIZE], cell[ASIF_LABEL_SIZE];
            if (!chosen(r, asif_dynamics_first(r->dynamics, t) + i) || found++ >= MOST_NAMED)
                continue;
            const char *from = row_label(r, t, (uint32_t)(i / of->columns), row);
            asif_text_addf(&words, "%s%s: %s%s%s", found > 1 ? "; " : "", of->name, from, *from ? " to " : "",
                           cell_label(r, t, (uint32_t)(i % of->columns), cell));
        }
    }
    if (found > MOST_NAMED)
        asif_text_addf(&words, "; and %u more", found - MOST_NAMED);
    asif_text_addf(&words, ". %s", after);
    char *list = NULL;
    if (asif_text_finish(&list, &words, NULL) == ASIF_OK && found)
        asif_add_wrapped(text, heading, 2, list, r->options.width);
    asif_memory_free(r->context, list);
}

static bool at_zero(const report *r, uint64_t i) {
    return r->e.kind[i] == ASIF_CELL_BOUNDARY && r->e.point[i] < .5;
}

static bool is_open(const report *r, uint64_t i) {
    const char *word = identified(r, i);
    return word && word[0] == 'n';
}

static bool is_weak(const report *r, uint64_t i) {
    const char *word = identified(r, i);
    return word && word[0] == 'w';
}

static void add_search(asif_text *text, const report *r, double prior) {
    const asif_dynamics_estimate *e = &r->e;
    char words[400];
    asif_text_addf(text, "%u numbers, %llu different histories\n", e->free,
                   (unsigned long long)asif_dynamics_histories(r->dynamics));
    asif_text_addf(text, "log-likelihood of the observations %.4f", e->log_likelihood);
    if (prior > 0)
        asif_text_addf(text, ", log-posterior %.4f (every row has the prior Dirichlet(%g))", e->log_posterior,
                       1 + prior);
    asif_text_addf(text, "\n%u of %u starts reached this maximum", e->agree, e->starts);
    if (isfinite(e->runner_up))
        asif_text_addf(text, "; the best of the others is %.3g lower", e->log_posterior - e->runner_up);
    asif_text_add(text, "\n");
    if (2 * e->agree < e->starts || e->agree == 1)
        asif_add_wrapped(text, "warning:", 0,
                         "Few starts reached the best value, so that a higher maximum may exist. Try more "
                         "starts (--starts), or a simpler structure.",
                         r->options.width);
    if (e->log_posterior - e->runner_up < NEAR) {
        asif_format(words, sizeof words,
                    "Another maximum is only %.2g lower: these logs hardly distinguish two different worlds.",
                    e->log_posterior - e->runner_up);
        asif_add_wrapped(text, "warning:", 0, words, r->options.width);
    }
    if (e->order == ASIF_ORDER_LABELS)
        asif_text_add(text, "States are named so that they agree with as many labels as possible.\n");
    else if (e->order == ASIF_ORDER_STRUCTURE)
        asif_text_add(text, "States keep the order of the study, because its tables distinguish them.\n");
    else
        asif_text_addf(text,
                       "States are in the order of the mean class of %s%s: nothing else connects them with "
                       "their names.\n",
                       r->world->observation_columns ? "the column " : "the observations",
                       r->world->observation_columns ? r->world->observation_column[0].name : "");
    asif_text_add(text, "The start is the state one transition before the first observation.\n");
}

/* ---- labels of the hidden state ---- */

static double labelled(const report *r, uint32_t label) {
    double sum = 0;
    for (uint32_t s = 0; s < r->spec->states; s++)
        sum += r->likeliest[(uint64_t)label * r->spec->states + s];
    return sum;
}

static void add_agreement(asif_text *text, const report *r) {
    uint32_t S = r->spec->states, shown = S < MOST_SHOWN ? S : MOST_SHOWN;
    char cut[ASIF_CELL_SIZE], buffer[ASIF_LABEL_SIZE], words[400];
    asif_table table;
    asif_text_add(text,
                  "\nLabelled visits by their most probable state, given the history up to the visit\n");
    asif_table_init(&table, r->context, shown + 2);
    table.left = 1;
    asif_table_cell(&table, "label");
    for (uint32_t s = 0; s < shown; s++)
        asif_table_cell(&table, asif_label_cut(cut, cell_label(r, r->spec->start, s, buffer), LABEL_WIDTH,
                                               r->options.unicode));
    asif_table_cell(&table, "visits");
    for (uint32_t l = 0; l < S; l++) {
        asif_table_cell(&table, asif_label_cut(cut, cell_label(r, r->spec->start, l, buffer), LABEL_WIDTH,
                                               r->options.unicode));
        for (uint32_t s = 0; s < shown; s++)
            asif_table_cellf(&table, "%.6g", r->likeliest[(uint64_t)l * S + s]);
        asif_table_cellf(&table, "%.6g", labelled(r, l));
    }
    asif_table_end(&table, text);
    asif_format(
        words, sizeof words,
        "The most probable state has the name of the label at %.1f %% of these visits; the state of the "
        "label has a probability of %.1f %% on average. Labels are never used to fit%s.",
        100 * asif_dynamics_agreeing(r->likeliest, S), 100 * asif_dynamics_agreeing(r->expected, S),
        r->e.order == ASIF_ORDER_LABELS ? "; here they name the states" : "");
    asif_add_wrapped(text, "", 2, words, r->options.width);
}

static void add_text(asif_text *text, const report *r, double prior) {
    add_search(text, r, prior);
    asif_text_add(text, "\nEstimates, with standard errors in parentheses:\n");
    for (uint32_t t = 0; t < r->spec->tables; t++)
        if (is_learnt(r, t))
            add_one(text, r, t);
    if (r->likeliest)
        add_agreement(text, r);
    asif_text_add(text, "\n");
    add_named(text, r, "At 0, without a standard error:",
              "The likelihood is highest at the boundary; with a prior (--prior 1) it is not.", at_zero);
    add_named(text, r, "Not determined by these logs:", "The prior, or chance, decides them.", is_open);
    add_named(text, r, "Determined only weakly:", "", is_weak);
}

/* ---- JSON ---- */

static void add_cell_json(asif_json *json, const report *r, uint32_t t, uint32_t c, uint64_t cell) {
    static const char *const kinds[] = {[ASIF_CELL_FREE] = NULL,
                                        [ASIF_CELL_FIXED] = "given",
                                        [ASIF_CELL_IMPOSSIBLE] = "only possibility",
                                        [ASIF_CELL_BOUNDARY] = "boundary",
                                        [ASIF_CELL_UNDETERMINED] = "undetermined"};
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, NULL);
    asif_json_string(json, "to", cell_label(r, t, c, buffer));
    asif_json_number(json, "probability", r->e.point[cell]);
    asif_json_known(json, "standard_error", r->e.error[cell]);
    asif_json_string(json, "no_error", kinds[r->e.kind[cell]]);
    asif_json_number(json, "expected_count", r->e.count[cell]);
    asif_json_known(json, "contraction", r->e.contraction[cell]);
    asif_json_string(json, "identified", identified(r, cell));
    asif_json_end(json);
}

static void add_table_json(asif_json *json, const report *r, uint32_t t) {
    const asif_dynamics_table *of = &r->spec->table[t];
    uint64_t cell = asif_dynamics_first(r->dynamics, t);
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, NULL);
    asif_json_string(json, "name", of->name);
    asif_json_array(json, "rows");
    for (uint32_t i = 0; i < of->rows; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "from", row_label(r, t, i, buffer));
        asif_json_array(json, "cells");
        for (uint32_t c = 0; c < of->columns; c++)
            add_cell_json(json, r, t, c, cell++);
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

static void add_json(asif_text *text, const report *r, double prior) {
    static const char *const orders[] = {[ASIF_ORDER_MEAN_CLASS] = "mean class",
                                         [ASIF_ORDER_STRUCTURE] = "structure",
                                         [ASIF_ORDER_LABELS] = "labels"};
    const asif_dynamics_estimate *e = &r->e;
    asif_json json;
    asif_json_init(&json, text);
    asif_json_object(&json, NULL);
    asif_json_number(&json, "log_likelihood", e->log_likelihood);
    asif_json_number(&json, "log_posterior", e->log_posterior);
    asif_json_number(&json, "prior", prior);
    asif_json_number(&json, "free_numbers", e->free);
    asif_json_number(&json, "histories", (double)asif_dynamics_histories(r->dynamics));
    asif_json_number(&json, "starts", e->starts);
    asif_json_number(&json, "agree", e->agree);
    asif_json_known(&json, "runner_up", e->runner_up);
    asif_json_array(&json, "start_values");
    for (uint32_t i = 0; i < e->starts; i++)
        asif_json_known(&json, NULL, e->start_value[i]);
    asif_json_end(&json);
    asif_json_string(&json, "order", orders[e->order]);
    if (r->likeliest)
        asif_dynamics_agreement_json(&json, "labels", r->setting, r->likeliest, r->expected);
    asif_json_array(&json, "tables");
    for (uint32_t t = 0; t < r->spec->tables; t++)
        if (is_learnt(r, t))
            add_table_json(&json, r, t);
    asif_json_end(&json);
    asif_json_end(&json);
}

asif_status asif_report_dynamics(char **out, const asif_context *context, const asif_study *study,
                                 const asif_dynamics *dynamics, const asif_dynamics_fit *fit, double prior,
                                 const asif_report_options *options, asif_error *error) {
    const asif_setting *setting = asif_study_setting(study);
    report r = {.context = context,
                .setting = setting,
                .world = asif_setting_get(setting),
                .dynamics = dynamics,
                .spec = asif_dynamics_get(dynamics),
                .e = {.struct_size = sizeof r.e},
                .options = ASIF_REPORT_OPTIONS_INIT};
    asif_text text = {.context = context};
    *out = NULL;
    ASIF_TRY(asif_report_fill(&r.options, options, error));
    ASIF_TRY(asif_dynamics_fit_get(fit, &r.e, error));
    if (asif_dynamics_labelled(dynamics)) {
        uint64_t cells = (uint64_t)r.spec->states * r.spec->states;
        r.likeliest = ASIF_ARRAY(context, 2 * cells, double);
        if (!r.likeliest)
            return asif_fail_memory(error);
        r.expected = r.likeliest + cells;
        asif_status status = asif_dynamics_agreement(r.likeliest, r.expected, dynamics, r.e.point, error);
        if (status != ASIF_OK) {
            asif_free(context, r.likeliest);
            return status;
        }
    }
    if (r.options.json)
        add_json(&text, &r, prior);
    else
        add_text(&text, &r, prior);
    asif_free(context, r.likeliest);
    return asif_text_finish(out, &text, error);
}
