/* The comparison of models by their predictions, as JSON and as CSV. */
#include "questions/held_out/held_out.h"

#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <string.h>

static void add_curve(asif_json *json, const asif_held_out_curve *curve) {
    asif_json_object(json, curve->action);
    asif_json_number(json, "decisions", curve->decisions);
    asif_json_number(json, "taken", curve->taken);
    asif_json_known(json, "average_precision", curve->precision);
    json->dense = json->depth + 2; /* one line per bin or point */
    asif_json_array(json, "calibration");
    for (uint32_t i = 0; i < curve->bins; i++) {
        const asif_held_out_bin *bin = &curve->bin[i];
        asif_json_object(json, NULL);
        asif_json_number(json, "low", bin->low);
        asif_json_number(json, "high", bin->high);
        asif_json_number(json, "predicted", bin->predicted);
        asif_json_number(json, "observed", bin->taken / bin->decisions);
        asif_json_number(json, "decisions", bin->decisions);
        asif_json_number(json, "taken", bin->taken);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_array(json, "precision_recall");
    for (uint32_t i = 0; i < curve->points; i++) {
        const asif_held_out_point *point = &curve->point[i];
        asif_json_object(json, NULL);
        asif_json_number(json, "threshold", point->threshold);
        asif_json_number(json, "precision", point->precision);
        asif_json_number(json, "recall", point->recall);
        asif_json_number(json, "called", point->called);
        asif_json_end(json);
    }
    asif_json_end(json);
    json->dense = 0;
    asif_json_end(json);
}

/* Add the measures; with the curves of the actions of `row`, unless it is NULL. */
static void add_measures(asif_json *json, const char *key, const asif_held_out_measures *m,
                         const asif_held_out_row *row) {
    asif_json_object(json, key);
    asif_json_number(json, "decisions", m->decisions);
    asif_json_number(json, "log_likelihood", m->log_likelihood);
    asif_json_known(json, "log_likelihood_se", m->error);
    asif_json_number(json, "nats_per_decision", m->log_likelihood / m->decisions);
    asif_json_known(json, "nats_per_decision_se", m->error / m->decisions);
    asif_json_known(json, "accuracy", m->accuracy);
    asif_json_known(json, "brier", m->brier);
    asif_json_known(json, "average_precision", m->precision);
    asif_json_known(json, "occupancy_distance", m->occupancy);
    if (row) {
        asif_json_object(json, "actions");
        for (uint32_t i = 0; i < row->curves; i++)
            add_curve(json, &row->curve[i]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_people(asif_json *json, const asif_held_out_people *p, double decisions) {
    asif_json_object(json, "people");
    asif_json_known(json, "log_likelihood", p->log_likelihood);
    asif_json_known(json, "log_likelihood_se", p->error);
    asif_json_known(json, "nats_per_decision", p->log_likelihood / decisions);
    asif_json_known(json, "nats_per_decision_se", p->error / decisions);
    asif_json_known(json, "better_than_one_agent", p->difference / decisions);
    asif_json_known(json, "better_than_one_agent_se", p->difference_error / decisions);
    if (p->compared) {
        asif_json_known(json, "better_than_first", p->ahead / decisions);
        asif_json_known(json, "better_than_first_se", p->ahead_error / decisions);
    }
    asif_json_count(json, "refused_folds", p->refused);
    asif_json_count(json, "inaccurate", p->inaccurate);
    asif_json_end(json);
}

/* The first decision that a set of scores counts. */
static uint32_t scored_from(const asif_held_out *faith, uint32_t which) {
    return which ? faith->options.from_step : 1;
}

static void add_scores(asif_json *json, const asif_held_out *faith, const asif_held_out_row *row) {
    asif_json_array(json, "scores");
    for (uint32_t i = 0; i < faith->scored; i++) {
        const asif_held_out_scores *s = &row->scores[i];
        asif_json_object(json, NULL);
        asif_json_count(json, "from_step", scored_from(faith, i));
        asif_json_number(json, "decisions", s->decisions);
        asif_json_number(json, "rate", s->rate);
        asif_json_number(json, "brier", s->brier);
        asif_json_known(json, "brier_se", s->brier_error);
        asif_json_number(json, "log_loss", s->loss);
        asif_json_known(json, "log_loss_se", s->loss_error);
        asif_json_known(json, "auroc", s->auroc);
        asif_json_known(json, "average_precision", s->precision);
        asif_json_known(json, "trapezoid", s->trapezoid);
        asif_json_number(json, "constant_trapezoid", s->constant_trapezoid);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_differences(asif_json *json, const asif_held_out *faith) {
    json->dense = json->depth + 2;
    asif_json_array(json, "differences");
    for (uint32_t i = 0; i < faith->scored; i++)
        for (uint32_t k = 0; k < faith->differences; k++) {
            const asif_held_out_difference *d = &faith->difference[i][k];
            asif_json_object(json, NULL);
            asif_json_count(json, "from_step", scored_from(faith, i));
            asif_json_string(json, "model", faith->row[d->row].name);
            asif_json_string(json, "reference", faith->row[d->reference].name);
            asif_json_known(json, "brier", d->brier);
            asif_json_known(json, "brier_se", d->brier_error);
            asif_json_known(json, "log_loss", d->loss);
            asif_json_known(json, "log_loss_se", d->loss_error);
            asif_json_end(json);
        }
    asif_json_end(json);
    json->dense = 0;
}

static void add_row(asif_json *json, const asif_held_out *faith, const asif_held_out_row *row) {
    asif_json_object(json, NULL);
    asif_json_string(json, "name", row->name);
    asif_json_string(json, "planner", row->planner);
    asif_json_string(json, "inverse", row->inverse);
    if (row->relearnt)
        asif_json_bool(json, "relearnt", true);
    add_measures(json, "held_out", &row->held_out, row);
    if (row->has_people)
        add_people(json, &row->people, row->held_out.decisions);
    if (faith->scored)
        add_scores(json, faith, row);
    if (row->has_whole)
        add_measures(json, "all_logs", &row->whole, NULL);
    if (row->parameters) {
        asif_json_object(json, "estimated");
        for (uint32_t i = 0; i < row->parameters; i++)
            asif_json_number(json, row->parameter[i], row->value[i]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

asif_status asif_held_out_json(char **out, const asif_held_out *faith, asif_error *error) {
    asif_text text = {.context = faith->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_count(&json, "folds", faith->options.folds);
    asif_json_count(&json, "units", faith->units);
    asif_json_count(&json, "seed", faith->options.seed);
    asif_json_array(&json, "models");
    for (uint32_t i = 0; i < faith->rows; i++)
        add_row(&json, faith, &faith->row[i]);
    asif_json_end(&json);
    if (faith->scored) {
        asif_json_string(&json, "positive",
                         asif_tree_label(faith->tree, ASIF_LABEL_ACTION, faith->options.positive));
        add_differences(&json, faith);
    }
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}

/* ---- CSV ---- */

/* Add a cell of a CSV file, in quotes if needed. */
static void add_cell(asif_text *text, const char *cell) {
    if (!strpbrk(cell, ",\"\n\r")) {
        asif_text_add(text, cell);
        return;
    }
    asif_text_add(text, "\"");
    for (const char *c = cell; *c; c++)
        asif_text_add_n(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    asif_text_add(text, "\"");
}

static void add_history(asif_text *text, const asif_held_out *faith, uint64_t node, uint32_t *path) {
    const asif_tree_view *t = asif_tree_inside(faith->tree);
    asif_text words = {.context = faith->context};
    uint32_t depth = 0;
    if (t->states_seen) {
        asif_text_add(&words, asif_tree_label(faith->tree, ASIF_LABEL_OBSERVATION, t->observation[node]));
    } else {
        for (uint64_t n = node; t->parent[n] != ASIF_ANY; n = t->parent[n])
            path[depth++] = (uint32_t)n;
        while (depth-- > 0) {
            uint32_t x = t->observation[path[depth]];
            asif_text_add(&words, asif_tree_label(faith->tree, ASIF_LABEL_ACTION, t->action[path[depth]]));
            asif_text_add(&words, ":");
            asif_text_add(&words,
                          x == ASIF_ANY ? "" : asif_tree_label(faith->tree, ASIF_LABEL_OBSERVATION, x));
            asif_text_add(&words, depth ? "," : "");
        }
    }
    add_cell(text, words.data ? words.data : "");
    text->failed |= words.failed;
    asif_text_free(&words);
}

asif_status asif_held_out_csv(char **out, const asif_held_out *faith, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(faith->tree);
    asif_text text = {.context = faith->context};
    uint32_t *path = ASIF_ARRAY(faith->context, (uint64_t)t->levels + 1, uint32_t);
    *out = NULL;
    if (!path)
        return asif_fail_memory(error);
    asif_text_add(&text, t->states_seen ? "state,action,times" : "history,action,times");
    for (uint32_t i = 0; i < faith->rows; i++)
        if (faith->row[i].policy) {
            asif_text_add(&text, ",");
            add_cell(&text, faith->row[i].name);
        }
    asif_text_add(&text, "\n");
    for (uint64_t n = 0; n < t->nodes && !text.failed; n++)
        for (uint32_t u = 0; u < t->actions; u++) {
            add_history(&text, faith, n, path);
            asif_text_add(&text, ",");
            add_cell(&text, asif_tree_label(faith->tree, ASIF_LABEL_ACTION, u));
            asif_text_add(&text, ",");
            asif_text_add_number(&text, t->count[n * t->actions + u]);
            for (uint32_t i = 0; i < faith->rows; i++)
                if (faith->row[i].policy) {
                    asif_text_add(&text, ",");
                    asif_text_add_number(&text, faith->row[i].policy[n * t->actions + u]);
                }
            asif_text_add(&text, "\n");
        }
    asif_free(faith->context, path);
    return asif_text_finish(out, &text, error);
}
