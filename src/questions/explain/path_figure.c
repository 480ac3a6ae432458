/* The figure of one path, step by step: beliefs, actions, and what other agents would have done. */
#include "render/figures/figure.h"

#include "base/error.h"
#include "questions/explain/explain_text.h"

#include <math.h>
#include <string.h>

#define SEEN 12 /* most states of a path that are drawn, where states are seen */

static const char *const who_key[] = {"fitted", "same", "true"};

typedef struct {
    const asif_source_fit *fit;
    const asif_yaml *root, *path, *steps, *states, *actions;
    uint32_t shown[ASIF_FIGURE_COLOURS], count; /* states whose beliefs are drawn */
    bool seen, real, simulated;
} drawing;

static const char *state_of(const drawing *d, uint32_t s) {
    return asif_explain_or_nothing(d->states->item[s]->text);
}

static const char *state_said(const drawing *d, uint32_t s, char *word) {
    return asif_said(word, state_of(d, s));
}

static const asif_yaml *belief_at(const drawing *d, uint32_t k, uint32_t s, const char *who) {
    const asif_yaml *belief = asif_yaml_part(d->steps->item[k], "belief");
    return asif_yaml_part(asif_yaml_part(belief, state_of(d, s)), who);
}

/* Choose the states to draw: the second of two; of more, those with the highest beliefs along the path. */
static void choose_states(drawing *d) {
    bool taken[256] = {false};
    uint32_t most = d->states->count == 2 ? 1 : ASIF_FIGURE_COLOURS;
    if (d->states->count == 2)
        taken[0] = true;
    while (d->count < most && d->count < d->states->count && d->states->count <= 256) {
        uint32_t best = ASIF_ANY;
        double height = -1;
        for (uint32_t s = 0; s < d->states->count; s++)
            for (uint32_t k = 0; !taken[s] && k < d->steps->count; k++) {
                double mean = asif_yaml_value(belief_at(d, k, s, "fitted"), "mean");
                if (mean > height) {
                    height = mean;
                    best = s;
                }
            }
        if (best == ASIF_ANY)
            break;
        taken[best] = true;
        d->shown[d->count++] = best;
    }
    for (uint32_t i = 1; i < d->count; i++) /* sort them in the study's order */
        for (uint32_t j = i; j > 0 && d->shown[j] < d->shown[j - 1]; j--) {
            uint32_t kept = d->shown[j];
            d->shown[j] = d->shown[j - 1];
            d->shown[j - 1] = kept;
        }
}

static bool read_path(drawing *d, const asif_source *source, uint32_t fit) {
    const asif_yaml *root = source->fit[fit].path;
    *d = (drawing){.fit = &source->fit[fit], .root = root};
    d->path = asif_yaml_part(root, "path");
    d->steps = asif_yaml_list(root, "steps");
    d->states = asif_yaml_list(root, "states");
    d->actions = asif_yaml_list(root, "actions");
    if (!d->path || !d->steps || d->steps->count == 0 || !d->states || !d->actions)
        return false;
    const char *from = asif_explain_or_nothing(asif_yaml_text(d->path, "from"));
    d->real = strcmp(from, "logs") == 0;
    d->simulated = strcmp(from, "simulated") == 0;
    d->seen = asif_yaml_flag(root, "states_seen");
    if (d->real && !source->request->identify)
        return false;
    if (!d->seen)
        choose_states(d);
    return d->seen || d->count > 0;
}

/* ---- data ---- */

static void add_beliefs(asif_figure *figure, const drawing *d) {
    asif_json_array(&figure->data, "belief");
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t who = 0; who < 3; who += 2)
            for (uint32_t k = 0; k < d->steps->count; k++) {
                const asif_yaml *band = belief_at(d, k, d->shown[i], who_key[who]);
                asif_json_object(&figure->data, NULL);
                asif_figure_number(figure, "step", asif_yaml_value(d->steps->item[k], "step"));
                asif_json_string(&figure->data, "state", state_of(d, d->shown[i]));
                asif_json_string(&figure->data, "who", who ? "true world known" : "fitted");
                asif_figure_number(figure, "mean", asif_yaml_value(band, "mean"));
                asif_figure_number(figure, "q05", who ? NAN : asif_yaml_value(band, "q05"));
                asif_figure_number(figure, "q95", who ? NAN : asif_yaml_value(band, "q95"));
                asif_json_end(&figure->data);
            }
    asif_json_end(&figure->data);
}

static const char *did_at(const drawing *d, uint32_t k, uint32_t who) {
    const asif_yaml *step = d->steps->item[k];
    return who ? asif_yaml_text(asif_yaml_part(step, "would"), who_key[who]) : asif_yaml_text(step, "action");
}

static double probability_of(const drawing *d, uint32_t k, const char *action, const char *who) {
    const asif_yaml *policy = asif_yaml_part(d->steps->item[k], "policy");
    return asif_explain_mean(asif_yaml_part(policy, action), who);
}

static void add_actions(asif_figure *figure, const drawing *d) {
    static const char *const word[] = {"taken", "same model, no bounds", "knows the true world"};
    asif_json_array(&figure->data, "action");
    for (uint32_t who = 0; who < 3; who++)
        for (uint32_t k = 0; k < d->steps->count; k++) {
            const char *action = did_at(d, k, who);
            if (!action)
                continue;
            asif_json_object(&figure->data, NULL);
            asif_figure_number(figure, "step", asif_yaml_value(d->steps->item[k], "step"));
            asif_json_string(&figure->data, "action", action);
            asif_json_string(&figure->data, "who", word[who]);
            asif_figure_number(figure, "probability", probability_of(d, k, action, who_key[who]));
            asif_json_end(&figure->data);
        }
    asif_json_end(&figure->data);
}

/* Add the true state, or the state that is seen, where it changes. */
static void add_truth(asif_figure *figure, const drawing *d) {
    const char *last = NULL;
    asif_json_array(&figure->data, "truth");
    for (uint32_t k = 0; k < d->steps->count; k++) {
        const char *state = asif_yaml_text(d->steps->item[k], "state");
        asif_text words = {.context = figure->context};
        char word[ASIF_SAID_SIZE];
        if (!state || (!d->seen && last && strcmp(last, state) == 0))
            continue;
        asif_text_addf(&words, last ? "%s" : "true state: %s", asif_said(word, state));
        last = state;
        asif_json_object(&figure->data, NULL);
        asif_figure_number(figure, "step", asif_yaml_value(d->steps->item[k], "step"));
        asif_json_string(&figure->data, "state", state);
        asif_json_string(&figure->data, "label", words.data);
        asif_json_end(&figure->data);
        figure->data_text.failed |= words.failed;
        asif_text_free(&words);
    }
    asif_json_end(&figure->data);
}

/* Add what was seen before each step. */
static void add_seen(asif_figure *figure, const drawing *d) {
    asif_json_array(&figure->data, "seen");
    for (uint32_t k = 0; k < d->steps->count; k++) {
        const char *seen = asif_explain_seen(d->steps->item[k]);
        if (!seen)
            continue;
        asif_json_object(&figure->data, NULL);
        asif_figure_number(figure, "step", asif_yaml_value(d->steps->item[k], "step"));
        asif_json_string(&figure->data, "label", seen);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

/* ---- slots ---- */

typedef bool choice(const drawing *d, uint32_t i);

static bool is_drawn(const drawing *d, uint32_t s) {
    for (uint32_t i = 0; i < d->count; i++)
        if (d->shown[i] == s)
            return true;
    return false;
}

static bool is_visited(const drawing *d, uint32_t s) {
    for (uint32_t k = 0; k < d->steps->count; k++)
        if (strcmp(asif_explain_or_nothing(asif_yaml_text(d->steps->item[k], "state")), state_of(d, s)) == 0)
            return true;
    return false;
}

static bool is_done(const drawing *d, uint32_t u) {
    for (uint32_t k = 0; k < d->steps->count; k++)
        for (uint32_t who = 0; who < 3; who++)
            if (strcmp(asif_explain_or_nothing(did_at(d, k, who)),
                       asif_explain_or_nothing(d->actions->item[u]->text)) == 0)
                return true;
    return false;
}

static void slot_labels(asif_figure *figure, const char *name, const drawing *d, const asif_yaml *labels,
                        choice *chosen) {
    asif_text list = {.context = figure->context};
    asif_json json;
    asif_json_init(&json, &list);
    json.dense = 1;
    asif_json_array(&json, NULL);
    for (uint32_t i = 0; i < labels->count; i++)
        if (chosen(d, i))
            asif_json_string(&json, NULL, asif_explain_or_nothing(labels->item[i]->text));
    asif_json_end(&json);
    asif_figure_slot_json(figure, name, list.data ? list.data : "[]");
    figure->slots.failed |= list.failed;
    asif_text_free(&list);
}

static void set_slots(asif_figure *figure, const drawing *d) {
    double first = asif_yaml_value(d->steps->item[0], "step");
    double last = asif_yaml_value(d->steps->item[d->steps->count - 1], "step");
    char json[64];
    asif_format(json, sizeof json, "[%.1f, %.1f]", first - 0.5, last + 0.5);
    asif_figure_slot_json(figure, "steps", json);
    slot_labels(figure, "actions", d, d->actions, is_done);
    slot_labels(figure, "states", d, d->states, d->seen ? is_visited : is_drawn);
    if (d->seen)
        return;
    asif_text words = {.context = figure->context};
    char word[ASIF_SAID_SIZE];
    asif_text_add(&words, "belief");
    if (d->count == 1)
        asif_text_addf(&words, " in %s", state_said(d, d->shown[0], word));
    asif_figure_slot(figure, "belief", words.data ? words.data : "");
    figure->slots.failed |= words.failed;
    asif_text_free(&words);
    asif_figure_slot_json(figure, "legend",
                          d->count == 1 ? "null" : "{\"symbolType\": \"circle\", \"symbolOpacity\": 1}");
    asif_figure_slot_json(figure, "range", d->simulated ? "[-0.16, 1.15]" : "[-0.16, 1.02]");
    asif_format(json, sizeof json, "0.9 * width / %u", d->steps->count);
    asif_figure_slot(figure, "limit", json);
}

/* ---- words ---- */

static void entitle(asif_figure *figure, const asif_context *context, const drawing *d) {
    char word[ASIF_SAID_SIZE];
    asif_figure_init_of(figure, context, "path", d->fit->name);
    if (d->real)
        asif_text_addf(&figure->title, "Step by step: episode %s",
                       asif_said(word, asif_explain_or_nothing(asif_yaml_text(d->path, "episode"))));
    else
        asif_text_add(&figure->title, d->simulated ? "Step by step: a simulated case, not a real one"
                                                   : "Step by step: a history as typed");
    if (d->fit->name)
        asif_text_addf(&figure->title, " (%s)", asif_said(word, d->fit->name));
}

static void say_parting(asif_text *text, const drawing *d) {
    double at = asif_yaml_value(asif_yaml_part(d->root, "parts"), "true");
    if (isnan(at))
        asif_text_add(text, " An agent that knows the true world would have done the same at every step.");
    else
        asif_text_addf(
            text, " An agent that knows the true world would have done something else at step %.0f.", at);
}

static void add_words(asif_figure *figure, const drawing *d) {
    uint32_t last = d->steps->count - 1;
    char word[ASIF_SAID_SIZE];
    double decisions = asif_yaml_value(d->path, "decisions"), draws = asif_yaml_value(d->root, "draws");
    asif_text_addf(&figure->alt, "A path of %.0f decision%s", decisions, decisions == 1 ? "" : "s");
    if (asif_yaml_flag(d->path, "ended"))
        asif_text_addf(&figure->alt, ", ended by %s",
                       asif_said(word, asif_explain_or_nothing(did_at(d, last, 0))));
    asif_text_add(&figure->alt, ".");
    for (uint32_t i = 0; i < d->count; i++)
        asif_text_addf(&figure->alt, " The belief in %s goes from %.2f to %.2f.",
                       state_said(d, d->shown[i], word),
                       asif_yaml_value(belief_at(d, 0, d->shown[i], "fitted"), "mean"),
                       asif_yaml_value(belief_at(d, last, d->shown[i], "fitted"), "mean"));
    say_parting(&figure->alt, d);
    if (d->real)
        asif_text_add(&figure->caption, "An episode of the logs, followed with the fitted agent.");
    else if (d->simulated)
        asif_text_addf(&figure->caption,
                       "Simulated from the fit with seed %.0f: the agent in the middle of the draws, in the "
                       "environment of the study. No subject of the logs is shown.",
                       asif_yaml_value(d->path, "seed"));
    if (d->seen)
        asif_text_add(&figure->caption, " Above: the state that is seen.");
    else
        asif_text_add(&figure->caption, " Above: what the fitted agent believes at each step before it acts");
    if (!d->seen && !isnan(draws))
        asif_text_addf(&figure->caption, ", the mean over %.0f draws with a 90 %% band", draws);
    if (!d->seen)
        asif_text_add(&figure->caption, ". Dashed: what one believes who knows the true world. Words at the "
                                        "bottom: what was seen just before that step.");
    asif_text_add(&figure->caption, " Below: the action taken (filled), and the best ones for the same model "
                                    "without bounds and for an agent that knows the true world (hollow). How "
                                    "probable the action was for each is in the table.");
    if (!d->seen && d->count > 1 && d->count < d->states->count)
        asif_text_addf(&figure->caption, " States that are believed less (%u) are left out.",
                       d->states->count - d->count);
}

/* ---- the table ---- */

static void cell_band(asif_figure *figure, const asif_yaml *band) {
    char cell[ASIF_CELL_SIZE];
    double mean = asif_yaml_value(band, "mean"), low = asif_yaml_value(band, "q05");
    double high = asif_yaml_value(band, "q95");
    if (isnan(mean))
        *cell = 0;
    else if (isnan(low) || high - low < 5e-5)
        asif_format(cell, sizeof cell, "%.4f", mean);
    else
        asif_format(cell, sizeof cell, "%.4f (%.4f to %.4f)", mean, low, high);
    asif_figure_cell(figure, cell);
}

static void cell_head(asif_figure *figure, const drawing *d, uint32_t s, const char *who) {
    asif_text words = {.context = figure->context};
    char word[ASIF_SAID_SIZE];
    asif_text_addf(&words, "belief in %s, %s", state_said(d, s, word), who);
    asif_figure_cell(figure, words.data ? words.data : "");
    figure->cells.failed |= words.failed;
    asif_text_free(&words);
}

static void add_table(asif_figure *figure, const drawing *d) {
    static const char *const heads[] = {"taken", "probability, fitted", "same model, no bounds",
                                        "knows the true world"};
    bool truth = d->simulated && !d->seen;
    char cell[ASIF_CELL_SIZE];
    figure->columns = 2 + truth + 2 * d->count + 4;
    asif_figure_cell(figure, "step");
    asif_figure_cell(figure, d->seen ? "state" : "seen before");
    if (truth)
        asif_figure_cell(figure, "true state");
    for (uint32_t i = 0; i < d->count; i++) {
        cell_head(figure, d, d->shown[i], "fitted");
        cell_head(figure, d, d->shown[i], "true world");
    }
    for (uint32_t i = 0; i < 4; i++)
        asif_figure_cell(figure, heads[i]);
    for (uint32_t k = 0; k < d->steps->count; k++) {
        const asif_yaml *step = d->steps->item[k], *probability = asif_yaml_part(step, "probability");
        asif_format(cell, sizeof cell, "%.0f", asif_yaml_value(step, "step"));
        asif_figure_cell(figure, cell);
        asif_figure_cell(figure, asif_explain_or_nothing(d->seen ? asif_yaml_text(step, "state")
                                                                 : asif_explain_seen(step)));
        if (truth)
            asif_figure_cell(figure, asif_explain_or_nothing(asif_yaml_text(step, "state")));
        for (uint32_t i = 0; i < d->count; i++) {
            cell_band(figure, belief_at(d, k, d->shown[i], "fitted"));
            cell_band(figure, belief_at(d, k, d->shown[i], "true"));
        }
        asif_figure_cell(figure, asif_explain_or_nothing(did_at(d, k, 0)));
        for (uint32_t who = 0; who < 3; who++)
            cell_band(figure, asif_yaml_part(probability, who_key[who]));
    }
}

/* ---- the figure ---- */

asif_status asif_figure_path(asif_figures *list, const asif_source *source, asif_error *error) {
    for (uint32_t i = 0; i < source->fits; i++) {
        asif_figure figure;
        drawing d;
        uint32_t visited = 0;
        if (!read_path(&d, source, i))
            continue;
        for (uint32_t s = 0; d.seen && s < d.states->count; s++)
            visited += is_visited(&d, s);
        if (visited > SEEN)
            continue;
        entitle(&figure, source->context, &d);
        add_beliefs(&figure, &d);
        add_truth(&figure, &d);
        if (!d.seen)
            add_seen(&figure, &d);
        add_actions(&figure, &d);
        set_slots(&figure, &d);
        add_words(&figure, &d);
        add_table(&figure, &d);
        ASIF_TRY(asif_figure_end(list, &figure, d.seen ? "path-states.vl.json" : "path.vl.json", error));
    }
    return ASIF_OK;
}
