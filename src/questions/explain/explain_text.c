/* An explanation as text, from its JSON: a table of steps or episodes, then sentences. */
#include "questions/explain/explain_text.h"
#include "questions/explain/explain.h"

#include "render/telling.h"
#include "render/words/shown_names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the table of a path ---- */

/* Add a belief: over two states the probability of the second, over more the most probable state. */
static void add_belief(const asif_explain_page *p, asif_table *table, const asif_yaml *belief,
                       const char *who, uint32_t labels, bool band) {
    char cell[ASIF_CELL_SIZE], label[ASIF_CELL_SIZE], all[2 * ASIF_CELL_SIZE + 2];
    const asif_yaml *state = NULL;
    const char *name = "";
    for (uint32_t s = 0; belief && belief->kind == ASIF_YAML_MAP && s < belief->count; s++) {
        bool better = !state || asif_explain_mean(belief->item[s], who) > asif_explain_mean(state, who);
        if (belief->count == 2 ? s == 1 : better) {
            state = belief->item[s];
            name = belief->key[s]->text;
        }
    }
    const asif_yaml *value = asif_yaml_part(state, who);
    if (band)
        asif_explain_banded(cell, value, true, "");
    else
        asif_explain_percent(cell, asif_yaml_value(value, "mean"), true);
    if (!belief || belief->kind != ASIF_YAML_MAP || belief->count == 2 || !cell[0]) {
        asif_table_cell(table, cell);
        return;
    }
    asif_label_cut(label, name, labels, p->unicode);
    asif_clean(label);
    asif_format(all, sizeof all, "%s %s", label, cell);
    asif_table_cell(table, all);
}

static const char *second_state(const asif_explain_page *p) {
    const asif_yaml *states = asif_yaml_list(p->root, "states");
    return states && states->count == 2 ? asif_explain_or_nothing(states->item[1]->text) : "belief";
}

static void add_titles(const asif_explain_page *p, asif_table *table, bool seen, uint32_t labels) {
    asif_table_cell(table, "");
    asif_table_cell(table, "");
    if (!seen) {
        asif_explain_label(p, table, second_state(p), labels < 10 ? 10 : labels);
        asif_table_cell(table, "");
    }
    asif_table_cell(table, "");
    asif_table_cell(table, "probability");
    asif_table_cell(table, "no");
    for (uint32_t k = 0; k < 2; k++)
        asif_table_cell(table, "");
    asif_table_cell(table, "step");
    asif_table_cell(table, seen ? "state" : "seen");
    if (!seen) {
        asif_table_cell(table, "fitted");
        asif_table_cell(table, "true");
    }
    asif_table_cell(table, "did");
    asif_table_cell(table, "fitted");
    asif_table_cell(table, "bounds");
    asif_table_cell(table, "true");
    asif_table_cell(table, "cost");
}

static void make_table(const asif_explain_page *p, asif_table *table, uint32_t labels) {
    const asif_yaml *steps = asif_yaml_list(p->root, "steps");
    bool seen = asif_yaml_flag(p->root, "states_seen");
    char cell[ASIF_CELL_SIZE];
    asif_table_init(table, p->context, seen ? 7 : 9);
    table->indent = 1;
    table->left = seen ? 2 | 4 : 2 | 16;
    add_titles(p, table, seen, labels);
    for (uint32_t k = 0; steps && k < steps->count; k++) {
        const asif_yaml *step = steps->item[k], *belief = asif_yaml_part(step, "belief");
        const asif_yaml *probability = asif_yaml_part(step, "probability");
        const char *did = asif_yaml_text(step, "action");
        asif_explain_count(table, step, "step");
        asif_explain_label(p, table, asif_explain_seen(step), labels);
        if (!seen) {
            add_belief(p, table, belief, "fitted", labels, true);
            add_belief(p, table, belief, "true", labels, false);
        }
        asif_explain_label(p, table, did ? did : "-", labels);
        asif_table_cell(table, asif_explain_banded(cell, asif_yaml_part(probability, "fitted"), false, ""));
        asif_table_cell(table, asif_explain_percent(cell, asif_explain_mean(probability, "same"), false));
        asif_table_cell(table, asif_explain_percent(cell, asif_explain_mean(probability, "true"), false));
        asif_table_cell(table, asif_explain_amount(cell, asif_explain_mean(step, "cost")));
    }
}

static void add_steps(const asif_explain_page *p) {
    double draws = asif_yaml_value(p->root, "draws");
    asif_text words = {.context = p->context};
    asif_text_add(p->text, "\n");
    asif_text_add(&words, "STEP BY STEP, in percent");
    if (!isnan(draws))
        asif_text_addf(&words, " (90 %% bands over %.0f draws)", draws);
    asif_explain_heading(p, &words);
    asif_explain_fitted(p, make_table);
}

/* ---- sentences on a path ---- */

static const asif_yaml *step_numbered(const asif_explain_page *p, double number) {
    const asif_yaml *steps = asif_yaml_list(p->root, "steps");
    for (uint32_t k = 0; steps && k < steps->count; k++)
        if (asif_yaml_value(steps->item[k], "step") == number)
            return steps->item[k];
    return NULL;
}

static void say_least(const asif_explain_page *p) {
    double number = asif_yaml_value(p->root, "least_expected");
    const asif_yaml *step = step_numbered(p, number);
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    if (!step)
        return;
    const char *did = asif_explain_or_nothing(asif_yaml_text(step, "action"));
    const char *would = asif_explain_or_nothing(asif_yaml_text(asif_yaml_part(step, "would"), "fitted"));
    asif_explain_banded(cell, asif_yaml_part(asif_yaml_part(step, "probability"), "fitted"), false, " %");
    asif_text_addf(&words,
                   "The fitted agent expected step %.0f least, where it takes %s with a probability of %s.",
                   number, did, cell);
    if (strcmp(did, would) != 0)
        asif_text_addf(&words, " It would more probably have taken %s.", would);
    asif_explain_say(p, &words);
}

static const char *would_do(const asif_yaml *step, const char *who) {
    return asif_explain_or_nothing(asif_yaml_text(asif_yaml_part(step, "would"), who));
}

/* Say where they leave the path of the agent that knows the true world. The same model without bounds is not
 * mentioned, since it is not the best possible agent. */
static void say_where_they_part(const asif_explain_page *p) {
    double number = asif_yaml_value(asif_yaml_part(p->root, "parts"), "true");
    const asif_yaml *step = step_numbered(p, number);
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE];
    if (asif_yaml_value(asif_yaml_part(p->root, "path"), "decisions") == 0)
        return;
    if (step)
        asif_text_addf(
            &words,
            "At step %.0f they leave the path of an agent that knows the true world. They take %s, which "
            "that agent does with a probability of %s %%. It would take %s.",
            number, asif_explain_or_nothing(asif_yaml_text(step, "action")),
            asif_explain_percent(cell, asif_explain_mean(asif_yaml_part(step, "probability"), "true"), false),
            would_do(step, "true"));
    else
        asif_text_add(&words, "An agent that knows the true world would have done the same at every step.");
    asif_explain_say(p, &words);
}

static void say_cost(const asif_explain_page *p) {
    const asif_yaml *cost = asif_yaml_part(p->root, "cost");
    double number = asif_yaml_value(p->root, "costliest"), all = asif_yaml_value(cost, "mean");
    const asif_yaml *step = step_numbered(p, number);
    asif_text words = {.context = p->context};
    char cell[ASIF_CELL_SIZE], part[ASIF_CELL_SIZE];
    if (isnan(all) || asif_yaml_value(asif_yaml_part(p->root, "path"), "decisions") == 0)
        return;
    if (!step) {
        asif_text_add(
            &words,
            "This cost nothing: for an agent that knows the true world, no action was better at any step.");
    } else {
        asif_text_addf(&words, "This cost %s in utility, as an agent that knows the true world expects it",
                       asif_explain_amount(cell, all));
        if (!isnan(asif_yaml_value(cost, "q05")))
            asif_text_addf(
                &words, " (%s)",
                asif_summary_range(part, asif_yaml_value(cost, "q05"), asif_yaml_value(cost, "q95")));
        asif_text_addf(&words, ". Step %.0f cost most (%s): they took %s instead of %s.", number,
                       asif_explain_amount(part, asif_explain_mean(step, "cost")),
                       asif_explain_or_nothing(asif_yaml_text(step, "action")),
                       asif_explain_or_nothing(asif_yaml_text(asif_yaml_part(step, "would"), "true")));
    }
    asif_explain_say(p, &words);
}

/* Say what the agents would do where a typed history stops. */
static void say_next(const asif_explain_page *p) {
    const asif_yaml *steps = asif_yaml_list(p->root, "steps");
    const asif_yaml *last = steps && steps->count ? steps->item[steps->count - 1] : NULL;
    const asif_yaml *would = asif_yaml_part(last, "would"), *policy = asif_yaml_part(last, "policy");
    static const char *const who[] = {"fitted", "same", "true"};
    static const char *const name[] = {"Next, the fitted agent would take ",
                                       ", the same model without bounds ",
                                       ", an agent that knows the true world "};
    asif_text words = {.context = p->context};
    if (!last || asif_yaml_text(last, "action"))
        return;
    for (uint32_t k = 0; k < 3; k++) {
        char cell[ASIF_CELL_SIZE];
        const char *action = asif_yaml_text(would, who[k]);
        const asif_yaml *band = asif_yaml_part(action ? asif_yaml_part(policy, action) : NULL, who[k]);
        if (action)
            asif_text_addf(&words, "%s%s (%s %%)", name[k], action,
                           asif_explain_percent(cell, asif_yaml_value(band, "mean"), false));
    }
    asif_text_add(&words, ".");
    asif_explain_say(p, &words);
}

/* Say what the true state was: "healthy (steps 1-3), diseased (step 4)". */
static void say_state(const asif_explain_page *p) {
    const asif_yaml *steps = asif_yaml_list(p->root, "steps");
    const char *from = asif_yaml_text(asif_yaml_part(p->root, "path"), "from");
    asif_text words = {.context = p->context};
    if (!steps || !from || strcmp(from, "simulated") != 0 || asif_yaml_flag(p->root, "states_seen"))
        return;
    asif_text_add(&words, "The true state was ");
    for (uint32_t k = 0, end; k < steps->count; k = end) {
        const char *state = asif_explain_or_nothing(asif_yaml_text(steps->item[k], "state"));
        for (end = k + 1; end < steps->count; end++)
            if (strcmp(state, asif_explain_or_nothing(asif_yaml_text(steps->item[end], "state"))) != 0)
                break;
        asif_text_addf(&words, "%s%s", k ? ", " : "", state);
        if (end - k == steps->count)
            continue;
        asif_text_addf(&words, end - k > 1 ? " (steps %" PRIu32 "-%" PRIu32 ")" : " (step %" PRIu32 ")",
                       k + 1, end);
    }
    asif_text_add(&words, ".");
    asif_explain_say(p, &words);
}

static void say_impossible(const asif_explain_page *p) {
    const asif_yaml *steps = asif_yaml_list(p->root, "steps");
    asif_text words = {.context = p->context};
    for (uint32_t k = 0; asif_yaml_flag(p->root, "impossible") && steps && k < steps->count; k++) {
        if (asif_yaml_text(asif_yaml_part(steps->item[k], "would"), "true"))
            continue;
        asif_text_addf(
            &words,
            "What was seen before step %.0f cannot be in the environment of the study. From there on, "
            "nothing can be said about an agent that knows the true world.",
            asif_yaml_value(steps->item[k], "step"));
        asif_explain_say(p, &words);
        return;
    }
}

static void add_path_heading(const asif_explain_page *p) {
    const asif_yaml *path = asif_yaml_part(p->root, "path"), *steps = asif_yaml_list(p->root, "steps");
    const char *title = asif_yaml_text(p->root, "title"), *dot = p->unicode ? " \xc2\xb7 " : ", ";
    const char *from = asif_yaml_text(path, "from"), *start = asif_yaml_text(path, "start");
    double decisions = asif_yaml_value(path, "decisions");
    asif_text words = {.context = p->context};
    asif_text_add(&words, asif_shown_title(title));
    asif_text_add(&words, dot);
    if (from && strcmp(from, "logs") == 0)
        asif_text_addf(&words, "episode %s", asif_explain_or_nothing(asif_yaml_text(path, "episode")));
    else if (from && strcmp(from, "simulated") == 0)
        asif_text_addf(&words, "simulated with seed %.0f", asif_yaml_value(path, "seed"));
    else
        asif_text_add(&words, "a history as typed");
    const asif_yaml *condition = asif_yaml_part(path, "condition");
    for (uint32_t i = 0; condition && i < condition->count; i++)
        asif_text_addf(&words, "%s%s = %s", dot, condition->key[i]->text, condition->item[i]->text);
    if (start && !condition)
        asif_text_addf(&words, "%sstart class %s", dot, start);
    asif_text_addf(&words, "%s%.0f decision%s", dot, decisions, decisions == 1 ? "" : "s");
    if (asif_yaml_flag(path, "ended") && steps && steps->count)
        asif_text_addf(&words, "%sended by %s", dot,
                       asif_explain_or_nothing(asif_yaml_text(steps->item[steps->count - 1], "action")));
    asif_explain_heading(p, &words);
}

static void write_path(const asif_explain_page *p) {
    add_path_heading(p);
    add_steps(p);
    asif_text_add(p->text, "\nIN WORDS\n");
    say_state(p);
    say_least(p);
    say_where_they_part(p);
    say_cost(p);
    say_next(p);
    say_impossible(p);
}

static bool is_one(const asif_yaml *root) {
    const char *what = asif_yaml_text(root, "what");
    return asif_is(what, "path") ? asif_yaml_list(root, "steps") != NULL
                                 : (asif_is(what, "belated") || asif_is(what, "surprising")) &&
                                       asif_yaml_list(root, "list") != NULL;
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    asif_explain_page p = {text->context, value, text, options->unicode, options->width};
    const char *what = asif_yaml_text(value, "what");
    if (asif_is(what, "path"))
        write_path(&p);
    else
        asif_explain_episodes(&p, asif_is(what, "belated"));
}

asif_status asif_report_explain(char **out, const asif_context *context, const char *json, uint64_t length,
                                const char *name, const asif_report_options *options, asif_error *error) {
    static const asif_telling telling = {"the text of an explanation", "asif explain --json", NULL, is_one,
                                         tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
