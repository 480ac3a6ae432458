/* The outcomes as JSON. */
#include "acting/episode_measures.h"
#include "base/error.h"
#include "questions/outcomes/outcomes.h"
#include "setting/setting.h"

#include <math.h>

static void add_outcome(asif_json *json, const char *key, const asif_outcome *outcome) {
    if (isnan(outcome->mean)) {
        asif_json_null(json, key);
        return;
    }
    asif_json_object(json, key);
    asif_json_known(json, "mean", outcome->mean);
    asif_json_known(json, "q05", outcome->q05);
    asif_json_known(json, "q95", outcome->q95);
    asif_json_known(json, "error", outcome->error);
    asif_json_end(json);
}

static const char *label(const asif_outcomes *o, asif_label_kind kind, uint32_t i, char *buffer) {
    return asif_setting_label(o->setting, kind, i, buffer);
}

/* ---- what they do ---- */

/* The former key of an agent, kept for one more version. */
#define OLD_KEY "ideal_same"

/* Whether nothing is known about an agent. */
static bool not_known(const asif_outcomes *o, uint32_t agent) {
    return agent == ASIF_AGENT_BAYES && !o->view.bayes.computed;
}

static void add_agent(asif_json *json, const char *key, const asif_outcomes *o, uint32_t row,
                      uint32_t agent) {
    const asif_outcome *number = o->number + ((uint64_t)row * ASIF_AGENT_COUNT + agent) * o->view.measures;
    char buffer[ASIF_LABEL_SIZE];
    if (not_known(o, agent)) {
        asif_json_null(json, key);
        return;
    }
    asif_json_object(json, key);
    for (uint32_t k = 0; k < ASIF_MEASURE_TAKEN; k++)
        add_outcome(json, asif_episode_measures_key(k), &number[k]);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u + ASIF_MEASURE_TAKEN < o->view.measures; u++)
        add_outcome(json, label(o, ASIF_LABEL_ACTION, u, buffer), &number[ASIF_MEASURE_TAKEN + u]);
    asif_json_end(json);
    asif_json_end(json);
}

static void add_row(asif_json *json, const char *key, const asif_outcomes *o, uint32_t row) {
    const double *observed = o->observed + (uint64_t)row * o->view.measures;
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, key);
    if (row + 1 < o->view.rows) {
        asif_json_string(json, "start", label(o, ASIF_LABEL_START, row, buffer));
        asif_json_known(json, "weight", o->weight[row]);
    }
    asif_json_object(json, "observed");
    for (uint32_t k = 0; k < ASIF_MEASURE_TAKEN; k++)
        asif_json_known(json, asif_episode_measures_key(k), observed[k]);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u + ASIF_MEASURE_TAKEN < o->view.measures; u++)
        asif_json_known(json, label(o, ASIF_LABEL_ACTION, u, buffer), observed[ASIF_MEASURE_TAKEN + u]);
    asif_json_end(json);
    asif_json_end(json);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        add_agent(json, asif_agent_text(a), o, row, a);
    add_agent(json, OLD_KEY, o, row, ASIF_AGENT_WITHOUT_BOUNDS);
    asif_json_end(json);
}

static void add_history(asif_json *json, const asif_outcomes *o, const asif_outcome_history *h) {
    uint32_t U = o->setting->spec.actions;
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, NULL);
    asif_json_bool(json, "run", h->run);
    if (h->state != ASIF_ANY)
        asif_json_string(json, "state", label(o, ASIF_LABEL_STATE, h->state, buffer));
    else if (o->setting->spec.starts > 1)
        asif_json_string(json, "start_class", label(o, ASIF_LABEL_START, h->start, buffer));
    asif_json_array(json, "history");
    for (uint32_t k = 0; k < h->events; k++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "action", label(o, ASIF_LABEL_ACTION, h->action[k], buffer));
        asif_json_string(json, "observation",
                         h->observation[k] == ASIF_ANY
                             ? NULL
                             : label(o, ASIF_LABEL_OBSERVATION, h->observation[k], buffer));
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_known(json, "decisions", h->decisions);
    asif_json_object(json, "actions");
    for (uint32_t u = 0; u < U; u++) {
        asif_json_object(json, label(o, ASIF_LABEL_ACTION, u, buffer));
        asif_json_known(json, "observed", h->observed[u]);
        for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
            add_outcome(json, asif_agent_text(a), &h->policy[(uint64_t)a * U + u]);
        add_outcome(json, OLD_KEY, &h->policy[(uint64_t)ASIF_AGENT_WITHOUT_BOUNDS * U + u]);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

/* ---- cost of the bounds ---- */

static void add_losses(asif_json *json, const asif_outcomes *o) {
    const asif_outcomes_view *v = &o->view;
    if (v->losses == 0) {
        asif_json_null(json, "losses");
        return;
    }
    asif_json_object(json, "losses");
    add_outcome(json, "value", &v->value);
    add_outcome(json, "value_ideal_true", &v->ideal_value);
    add_outcome(json, "whole", &v->whole_loss);
    add_outcome(json, "whole_per_decision", &v->whole_per_decision);
    asif_json_object(json, "bounds");
    for (uint32_t i = 0; i < v->losses; i++) {
        const asif_outcome_loss *l = &v->loss[i];
        asif_json_object(json, l->bound);
        add_outcome(json, "loss", &l->loss);
        add_outcome(json, "per_decision", &l->per_decision);
        add_outcome(json, "last", &l->last);
        add_outcome(json, "alone", &l->alone);
        asif_json_known(json, "helps", l->helps);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

static void add_evidence(asif_json *json, const asif_outcomes *o) {
    asif_json_array(json, "evidence");
    for (uint32_t i = 0; i < o->view.evidences; i++) {
        const asif_outcome_evidence *e = &o->evidence[i];
        char buffer[ASIF_LABEL_SIZE];
        asif_json_object(json, NULL);
        asif_json_string(json, "action", label(o, ASIF_LABEL_ACTION, e->action, buffer));
        asif_json_known(json, "environment", e->environment);
        asif_json_known(json, "neutral", e->neutral);
        add_outcome(json, "perceived", &e->perceived);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_bayes(asif_json *json, const asif_bayes_info *info) {
    asif_json_object(json, "bayes");
    asif_json_bool(json, "computed", info->computed);
    asif_json_bool(json, "apart", info->apart);
    if (info->unknown)
        asif_json_string(json, "why", "seen");
    if (info->apart && !info->unknown) {
        asif_json_count(json, "draws", info->draws);
        asif_json_count(json, "beliefs", info->beliefs);
        asif_json_known(json, "gap", info->gap);
        asif_json_known(json, "low", info->low);
        asif_json_known(json, "up", info->up);
    }
    asif_json_end(json);
}

void asif_outcomes_add(asif_json *json, const char *key, const asif_outcomes *o) {
    const asif_setting_spec *spec = &o->setting->spec;
    asif_json_object(json, key);
    if (!key) {
        asif_json_string(json, "asif", asif_version());
        asif_json_string(json, "title", spec->title);
    }
    asif_json_count(json, "draws", o->view.draws);
    asif_json_count(json, "episodes", o->options.episodes);
    asif_json_count(json, "max_steps", o->options.max_steps);
    asif_json_count(json, "seed", o->options.seed);
    add_row(json, "conduct", o, o->view.rows - 1);
    asif_json_array(json, "by_start");
    for (uint32_t row = 0; row + 1 < o->view.rows; row++)
        add_row(json, NULL, o, row);
    asif_json_end(json);
    asif_json_array(json, "histories");
    for (uint32_t i = 0; i < o->view.histories; i++)
        add_history(json, o, &o->history[i]);
    asif_json_end(json);
    add_bayes(json, &o->view.bayes);
    add_losses(json, o);
    add_evidence(json, o);
    asif_json_string(json, "note", o->view.note);
    asif_json_end(json);
}

asif_status asif_outcomes_json(char **out, const asif_outcomes *outcomes, asif_error *error) {
    asif_text text = {.context = outcomes->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_outcomes_add(&json, NULL, outcomes);
    return asif_text_finish(out, &text, error);
}
