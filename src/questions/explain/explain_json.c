/* An explanation as JSON. */
#include "questions/explain/explain.h"

#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>

typedef struct {
    asif_json json;
    const asif_explain *explain;
} writer;

static void add_number(writer *w, const char *key, double number) {
    if (isnan(number))
        asif_json_null(&w->json, key);
    else
        asif_json_number(&w->json, key, number);
}

static void add_label(writer *w, const char *key, asif_label_kind kind, uint32_t i) {
    char label[ASIF_LABEL_SIZE];
    asif_json_string(&w->json, key,
                     i == ASIF_ANY ? NULL : asif_setting_label(w->explain->setting, kind, i, label));
}

static void add_step_number(writer *w, const char *key, uint32_t step) {
    if (step)
        asif_json_count(&w->json, key, step);
    else
        asif_json_null(&w->json, key);
}

static void add_band(writer *w, const char *key, asif_band band) {
    if (!isfinite(band.mean)) {
        asif_json_null(&w->json, key);
        return;
    }
    asif_json_object(&w->json, key);
    asif_json_number(&w->json, "mean", band.mean);
    add_number(w, "q05", band.q05);
    add_number(w, "q95", band.q95);
    asif_json_end(&w->json);
}

static void add_labels(writer *w, const char *key, asif_label_kind kind) {
    asif_json_array(&w->json, key);
    for (uint32_t i = 0; i < asif_setting_count(w->explain->setting, kind); i++)
        add_label(w, NULL, kind, i);
    asif_json_end(&w->json);
}

/* ---- one path ---- */

/* Add the bands of one place, by label and agent. */
static void add_table(writer *w, const char *key, asif_label_kind kind, asif_band *const table[],
                      uint64_t place) {
    uint32_t count = asif_setting_count(w->explain->setting, kind);
    asif_json_object(&w->json, key);
    for (uint32_t i = 0; i < count; i++) {
        char label[ASIF_LABEL_SIZE];
        asif_json_object(&w->json, asif_setting_label(w->explain->setting, kind, i, label));
        for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
            add_band(w, asif_who_text(who), table[who][place * count + i]);
        asif_json_end(&w->json);
    }
    asif_json_end(&w->json);
}

static void add_would(writer *w, const asif_explain_step *step) {
    asif_json_object(&w->json, "would");
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
        add_label(w, asif_who_text(who), ASIF_LABEL_ACTION, step->would[who]);
    asif_json_end(&w->json);
}

static void add_probability(writer *w, uint64_t place) {
    const asif_explain *e = w->explain;
    const asif_explain_step *step = &e->step[place];
    uint64_t U = asif_setting_count(e->setting, ASIF_LABEL_ACTION);
    if (step->action == ASIF_ANY) {
        asif_json_null(&w->json, "probability");
        return;
    }
    asif_json_object(&w->json, "probability");
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
        add_band(w, asif_who_text(who), e->policy[who][place * U + step->action]);
    asif_json_end(&w->json);
}

static void add_step(writer *w, uint64_t place) {
    const asif_explain *e = w->explain;
    const asif_explain_step *step = &e->step[place];
    uint32_t U = asif_setting_count(e->setting, ASIF_LABEL_ACTION);
    asif_json_object(&w->json, NULL);
    asif_json_count(&w->json, "step", step->step);
    char seen[ASIF_LABEL_SIZE];
    asif_json_string(&w->json, "seen",
                     step->seen == ASIF_ANY ? NULL : asif_label_in_condition(e->setting, step->seen, seen));
    if (asif_setting_get(e->setting)->seen > 1)
        add_label(w, "seen_part", ASIF_LABEL_SEEN, step->part);
    add_label(w, "state", ASIF_LABEL_HIDDEN, step->state);
    if (e->belief[0])
        add_table(w, "belief", ASIF_LABEL_HIDDEN, e->belief, place);
    else
        asif_json_null(&w->json, "belief");
    add_label(w, "action", ASIF_LABEL_ACTION, step->action);
    add_probability(w, place);
    add_would(w, step);
    add_table(w, "policy", ASIF_LABEL_ACTION, e->policy, place);
    asif_json_object(&w->json, "q");
    for (uint32_t u = 0; u < U; u++) {
        char label[ASIF_LABEL_SIZE];
        add_band(w, asif_setting_label(e->setting, ASIF_LABEL_ACTION, u, label), e->q[place * U + u]);
    }
    asif_json_end(&w->json);
    add_band(w, "cost", step->cost);
    asif_json_end(&w->json);
}

static void add_place(writer *w, const char *key, uint32_t place) {
    if (place == ASIF_ANY)
        asif_json_null(&w->json, key);
    else
        asif_json_count(&w->json, key, w->explain->step[place].step);
}

/* Add the value of each column that makes the condition. */
static void add_condition(writer *w) {
    const asif_explain *e = w->explain;
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    uint32_t condition = asif_condition_of(e->setting, e->start);
    asif_json_object(&w->json, "condition");
    for (uint32_t i = 0; i < spec->condition_columns; i++)
        asif_json_string(&w->json, spec->seen_column[i].name, asif_condition_class(spec, condition, i));
    asif_json_end(&w->json);
}

static void add_path(writer *w) {
    const asif_explain *e = w->explain;
    const asif_explain_options *o = &e->options;
    bool several = asif_setting_get(e->setting)->starts > 1;
    asif_json_object(&w->json, "path");
    asif_json_string(&w->json, "from", o->tree ? "logs" : o->typed ? "history" : "simulated");
    asif_json_string(&w->json, "episode", o->tree ? asif_tree_unit_name(o->tree, o->unit) : NULL);
    add_label(w, "start", ASIF_LABEL_START, several ? e->start : ASIF_ANY);
    if (asif_setting_get(e->setting)->condition_columns)
        add_condition(w);
    if (o->tree || o->typed)
        asif_json_null(&w->json, "seed");
    else
        asif_json_count(&w->json, "seed", o->seed);
    asif_json_count(&w->json, "decisions", e->decisions);
    asif_json_bool(&w->json, "ended", e->ended);
    asif_json_end(&w->json);
    asif_json_array(&w->json, "steps");
    for (uint32_t k = 0; k < e->places; k++)
        add_step(w, k);
    asif_json_end(&w->json);
    asif_json_object(&w->json, "parts");
    add_place(w, "same", e->parts[ASIF_WHO_SAME]);
    add_place(w, "true", e->parts[ASIF_WHO_TRUE]);
    asif_json_end(&w->json);
    add_place(w, "least_expected", e->least_expected);
    add_place(w, "costliest", e->costliest);
    add_band(w, "cost", e->cost);
    asif_json_bool(&w->json, "impossible", e->impossible);
}

/* ---- many episodes ---- */

static void add_belated(writer *w, const asif_explain_episode *episode) {
    asif_json_count(&w->json, "late", episode->late);
    asif_json_count(&w->json, "late_same", episode->late_same);
    add_label(w, "of", ASIF_LABEL_ACTION, episode->of);
    add_step_number(w, "ideal_step", episode->step);
    add_step_number(w, "ideal_step_same", episode->step_same);
    add_step_number(w, "step", episode->at);
    add_label(w, "action", ASIF_LABEL_ACTION, episode->action);
}

static void add_surprising(writer *w, const asif_explain_episode *episode) {
    asif_json_count(&w->json, "step", episode->step);
    add_label(w, "action", ASIF_LABEL_ACTION, episode->action);
    asif_json_number(&w->json, "probability", episode->probability);
    add_label(w, "would", ASIF_LABEL_ACTION, episode->would);
    asif_json_number(&w->json, "expected", episode->expected);
    asif_json_number(&w->json, "observed", episode->observed);
}

static void add_episodes(writer *w) {
    const asif_explain *e = w->explain;
    const asif_tree *tree = e->options.tree;
    const asif_logs_info *info = asif_tree_info(tree);
    bool belated = e->options.what == ASIF_EXPLAIN_BELATED;
    asif_json_count(&w->json, "episodes", asif_tree_inside(tree)->units);
    asif_json_number(&w->json, "decisions", info->weight);
    if (belated) {
        asif_json_count(&w->json, "found", e->found);
        asif_json_count(&w->json, "found_same", e->found_same);
    }
    asif_json_array(&w->json, "list");
    for (uint64_t i = 0; i < e->listed; i++) {
        const asif_explain_episode *episode = &e->episode[i];
        asif_json_object(&w->json, NULL);
        asif_json_string(&w->json, "episode", asif_tree_unit_name(tree, episode->unit));
        asif_json_count(&w->json, "decisions", episode->decisions);
        (belated ? add_belated : add_surprising)(w, episode);
        add_number(w, "cost", episode->cost);
        asif_json_end(&w->json);
    }
    asif_json_end(&w->json);
}

asif_status asif_explain_json(char **out, const asif_explain *explain, asif_error *error) {
    const asif_explain *e = explain;
    const asif_setting_spec *spec = asif_setting_get(e->setting);
    asif_text text = {.context = e->context};
    writer w = {.explain = e};
    *out = NULL;
    asif_json_init(&w.json, &text);
    asif_json_object(&w.json, NULL);
    asif_json_string(&w.json, "asif", asif_version());
    asif_json_string(&w.json, "title", spec->title);
    asif_json_string(&w.json, "what", asif_explain_what_text(e->options.what));
    if (e->fitted->draws)
        asif_json_count(&w.json, "draws", e->draws);
    else
        asif_json_null(&w.json, "draws");
    add_labels(&w, "states", ASIF_LABEL_HIDDEN);
    add_labels(&w, "actions", ASIF_LABEL_ACTION);
    asif_json_bool(&w.json, "states_seen", spec->observations == 0);
    if (e->options.what == ASIF_EXPLAIN_PATH)
        add_path(&w);
    else
        add_episodes(&w);
    asif_json_end(&w.json);
    return asif_text_finish(out, &text, error);
}
