/* A sensitivity as JSON, and as a table. */
#include "base/csv.h"
#include "base/error.h"
#include "fit/fit.h"
#include "questions/sensitivity/sensitivity.h"

#include <math.h>

static const char *const signs[] = {NULL, "negative", "unknown", "positive"};

static const char *name_of(const asif_sensitivity *s, uint32_t number) {
    return s->statement[number].info->name;
}

static void add_numbers(asif_json *json, const asif_sensitivity *s, const asif_sensitivity_point *p) {
    asif_json_object(json, "numbers");
    for (uint32_t i = 0; i < s->view.numbers; i++) {
        const asif_sensitivity_number *n = &p->number[i];
        asif_json_object(json, name_of(s, i));
        asif_json_known(json, "maximum", n->maximum);
        if (!s->view.brief)
            asif_json_known(json, "sd", n->sd);
        asif_json_known(json, "moved", n->moved);
        if (p->drawn) {
            asif_json_known(json, "q05", n->q05);
            asif_json_known(json, "q50", n->q50);
            asif_json_known(json, "q95", n->q95);
        }
        asif_json_string(json, "sign", signs[n->sign]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_point(asif_json *json, const asif_sensitivity *s, const asif_sensitivity_point *p) {
    asif_json_object(json, NULL);
    asif_json_known(json, "value", p->value);
    asif_json_bool(json, "given", p->given);
    if (!p->found) {
        asif_json_string(json, "why", p->why);
        asif_json_end(json);
        return;
    }
    asif_json_known(json, "log_likelihood", p->log_likelihood);
    asif_json_known(json, "log_posterior", p->log_posterior);
    asif_json_known(json, "nats", p->nats);
    asif_json_bool(json, "within", p->nats <= s->view.limit);
    asif_json_known(json, "span", p->span);
    asif_json_count(json, "starts", p->starts);
    asif_json_count(json, "agree", p->agree);
    asif_json_bool(json, "drawn", p->drawn);
    if (p->drawn) {
        asif_json_known(json, "rhat", p->rhat);
        asif_json_known(json, "ess", p->ess);
    }
    add_numbers(json, s, p);
    asif_json_end(json);
}

static void add_flip(asif_json *json, const asif_sensitivity_flip *flip) {
    asif_json_known(json, "before", flip->before);
    asif_json_known(json, "beyond", flip->beyond);
    asif_json_known(json, "at", flip->at);
    asif_json_known(json, "nats", flip->nats);
    asif_json_bool(json, "within", flip->allowed);
    asif_json_string(json, "to", signs[flip->to]);
    asif_json_known(json, "clear_at", flip->clear_at);
    asif_json_known(json, "clear_nats", flip->clear_nats);
}

static void add_effects(asif_json *json, const asif_sensitivity *s, const asif_sensitivity_variation *v) {
    asif_json_object(json, "effects");
    for (uint32_t i = 0; i < s->view.numbers; i++) {
        const asif_sensitivity_effect *e = &v->effect[i];
        asif_json_object(json, name_of(s, i));
        asif_json_known(json, "moved", e->moved);
        asif_json_known(json, "moved_at", e->moved_at);
        asif_json_known(json, "low", e->low);
        asif_json_known(json, "high", e->high);
        asif_json_array(json, "flips");
        for (uint32_t f = 0; f < e->flips; f++) {
            asif_json_object(json, NULL);
            add_flip(json, &e->flip[f]);
            asif_json_end(json);
        }
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_statement(asif_json *json, const asif_sensitivity *s, uint32_t i) {
    const asif_sensitivity_statement *k = &s->statement[i];
    asif_json_object(json, k->info->name);
    asif_json_string(json, "parameter", k->info->parameter);
    asif_json_string(json, "label", k->info->label);
    asif_json_known(json, "maximum", k->maximum);
    asif_json_known(json, "sd", k->sd);
    asif_json_string(json, "sign", signs[k->sign]);
    asif_json_string(json, "leans", signs[k->leans]);
    asif_json_string(json, "statement", asif_statement_text(k->statement));
    asif_json_bool(json, "depends", k->depends);
    asif_json_string(json, "depends_on", k->depends_on == ASIF_ANY ? NULL : s->variation[k->depends_on].name);
    if (k->variation != ASIF_ANY) {
        const asif_sensitivity_variation *v = &s->variation[k->variation];
        asif_json_object(json, "flip");
        asif_json_string(json, "variation", v->name);
        add_flip(json, &v->effect[i].flip[k->flip]);
        asif_json_end(json);
    } else {
        asif_json_null(json, "flip");
    }
    asif_json_end(json);
}

void asif_sensitivity_write(asif_json *json, const char *key, const asif_sensitivity *s) {
    asif_json_object(json, key);
    if (s->by) {
        asif_json_object(json, "group");
        asif_json_string(json, "column", s->by);
        asif_json_string(json, "value", s->value);
        asif_json_end(json);
    }
    asif_json_bool(json, "brief", s->view.brief);
    asif_json_known(json, "limit", s->view.limit);
    asif_json_known(json, "log_likelihood", s->view.log_likelihood);
    asif_json_known(json, "log_posterior", s->view.log_posterior);
    asif_json_object(json, "statements");
    for (uint32_t i = 0; i < s->view.numbers; i++)
        add_statement(json, s, i);
    asif_json_end(json);
    if (s->view.worst_variation != ASIF_ANY) {
        asif_json_object(json, "worst");
        asif_json_string(json, "variation", s->variation[s->view.worst_variation].name);
        asif_json_string(json, "number", name_of(s, s->view.worst_number));
        asif_json_bool(json, "flips", s->view.worst_flips);
        asif_json_end(json);
    } else {
        asif_json_null(json, "worst");
    }
    asif_json_array(json, "variations");
    for (uint32_t v = 0; v < s->view.variations; v++) {
        const asif_sensitivity_variation *varied = &s->variation[v];
        asif_json_object(json, NULL);
        asif_json_string(json, "name", varied->name);
        asif_json_known(json, "given", varied->given);
        add_effects(json, s, varied);
        asif_json_array(json, "points");
        for (uint32_t i = 0; i < varied->points; i++)
            add_point(json, s, &varied->point[i]);
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

asif_status asif_sensitivity_json(char **out, const asif_sensitivity *sensitivity, asif_error *error) {
    asif_text text = {.context = sensitivity->context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_sensitivity_write(&json, NULL, sensitivity);
    return asif_text_finish(out, &text, error);
}

/* ---- the table ---- */

/* What is not known is an empty field. */
static void put_number(asif_text *text, double number, bool last) {
    if (isnan(number))
        asif_csv_field(text, NULL, last);
    else
        asif_csv_number(text, number, last);
}

static void put_row(asif_text *text, const asif_sensitivity *s, const asif_sensitivity_variation *v,
                    const asif_sensitivity_point *p, uint32_t i) {
    const asif_sensitivity_number *n = &p->number[i];
    asif_csv_field(text, v->name, false);
    put_number(text, p->value, false);
    asif_csv_count(text, p->given, false);
    const double of_point[] = {p->log_likelihood, p->log_posterior, p->nats, p->span};
    for (size_t k = 0; k < sizeof of_point / sizeof *of_point; k++)
        put_number(text, of_point[k], false);
    asif_csv_field(text, name_of(s, i), false);
    const double of_number[] = {n->maximum, n->sd, n->moved, n->q05, n->q50};
    for (size_t k = 0; k < sizeof of_number / sizeof *of_number; k++)
        put_number(text, of_number[k], false);
    put_number(text, n->q95, true);
}

asif_status asif_sensitivity_csv(char **out, const asif_sensitivity *sensitivity, asif_error *error) {
    const asif_sensitivity *s = sensitivity;
    asif_text text = {.context = s->context};
    asif_text_add(&text, "varied,value,given,log_likelihood,log_posterior,nats,span,number,maximum,sd,moved,"
                         "q05,q50,q95\n");
    for (uint32_t v = 0; v < s->view.variations; v++)
        for (uint32_t p = 0; p < s->variation[v].points; p++)
            for (uint32_t i = 0; i < s->view.numbers; i++)
                put_row(&text, s, &s->variation[v], &s->variation[v].point[p], i);
    return asif_text_finish(out, &text, error);
}
