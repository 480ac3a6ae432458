/* The comparison of models by their predictions, as text: a table, and what it shows. */
#include "questions/held_out/held_out.h"
#include "render/words/fit_numbers.h"

#include "render/telling.h"

#include <math.h>
#include <string.h>

#define NAME_WIDTH 20

typedef struct {
    asif_text *text;
    const asif_context *context;
    const asif_yaml *root, *models;
    bool unicode;
    uint32_t width;
} page;

static const asif_yaml *held_out(const asif_yaml *model) {
    return asif_yaml_part(model, "held_out");
}

static void add_number(asif_table *table, double number, int digits) {
    char cell[ASIF_CELL_SIZE];
    if (isnan(number))
        asif_table_cell(table, "");
    else if (isinf(number))
        asif_table_cell(table, number < 0 ? "-inf" : "inf");
    else {
        asif_format(cell, sizeof cell, "%.*f", digits, number);
        asif_table_cell(table, cell);
    }
}

static void add_percent(asif_table *table, double share) {
    char cell[ASIF_CELL_SIZE];
    asif_table_cell(table, isnan(share) ? "" : asif_percent_text(cell, share));
}

static void add_name(asif_table *table, const page *p, const asif_yaml *model) {
    char name[ASIF_CELL_SIZE];
    const char *called = asif_yaml_text(model, "name");
    asif_table_cell(table, asif_label_cut(name, called ? called : "?", NAME_WIDTH, p->unicode));
}

static void add_table(const page *p) {
    static const char *const heads[] = {"",          "nats per", "",          "",
                                        "",          "average",  "occupancy", "held-out decisions",
                                        "decision",  "+-",       "accuracy",  "Brier",
                                        "precision", "distance"};
    asif_table table;
    asif_table_init(&table, p->context, 7);
    table.left = 1;
    table.gap = 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++) {
        const asif_yaml *m = held_out(p->models->item[i]);
        add_name(&table, p, p->models->item[i]);
        add_number(&table, asif_yaml_value(m, "nats_per_decision"), 4);
        add_number(&table, asif_yaml_value(m, "nats_per_decision_se"), 4);
        add_percent(&table, asif_yaml_value(m, "accuracy"));
        add_number(&table, asif_yaml_value(m, "brier"), 3);
        add_number(&table, asif_yaml_value(m, "average_precision"), 3);
        add_number(&table, asif_yaml_value(m, "occupancy_distance"), 3);
    }
    asif_table_end(&table, p->text);
}

/* Add where a model stands between the uniform policy and behavioural cloning. */
static void add_standing(const page *p, const asif_yaml *model) {
    double floor_at = asif_yaml_value(held_out(p->models->item[0]), "nats_per_decision");
    double ceiling = asif_yaml_value(held_out(p->models->item[p->models->count - 1]), "nats_per_decision");
    double at = asif_yaml_value(held_out(model), "nats_per_decision");
    const char *name = asif_yaml_text(model, "name"), *planner = asif_yaml_text(model, "planner");
    const char *inverse = asif_yaml_text(model, "inverse");
    asif_text words = {.context = p->context};
    asif_text_addf(&words, "%s (%s, %s) ", name ? name : "?", planner ? planner : "?",
                   inverse ? inverse : "?");
    if (isinf(at))
        asif_text_add(&words, "never takes an action that was taken: its log-likelihood is -inf.");
    else if (at <= floor_at)
        asif_text_add(&words, "predicts no better than chance.");
    else if (at >= ceiling)
        asif_text_add(&words, "predicts at least as well as counts alone: nothing is lost by reading the "
                              "behaviour this way.");
    else
        asif_text_addf(&words, "keeps %.0f %% of what counts alone tell beyond chance.",
                       100 * (at - floor_at) / (ceiling - floor_at));
    asif_clean(words.data);
    if (words.data)
        asif_add_wrapped(p->text, "", 0, words.data, p->width);
    p->text->failed |= words.failed;
    asif_text_free(&words);
}

/* ---- people who differ ---- */

static void add_people_row(asif_table *table, const page *p, const asif_yaml *model) {
    const asif_yaml *people = asif_yaml_part(model, "people");
    add_name(table, p, model);
    add_number(table, asif_yaml_value(held_out(model), "nats_per_decision"), 4);
    add_number(table, asif_yaml_value(people, "nats_per_decision"), 4);
    add_number(table, asif_yaml_value(people, "better_than_one_agent"), 4);
    add_number(table, asif_yaml_value(people, "better_than_one_agent_se"), 4);
}

/* What the difference of a study says, and what stands in its way. */
static void add_people_words(const page *p, const asif_yaml *model) {
    const asif_yaml *people = asif_yaml_part(model, "people");
    double better = asif_yaml_value(people, "better_than_one_agent"),
           error = asif_yaml_value(people, "better_than_one_agent_se"),
           refused = asif_yaml_value(people, "refused_folds"),
           inaccurate = asif_yaml_value(people, "inaccurate");
    char said[ASIF_SAID_SIZE];
    asif_said(said, asif_yaml_text(model, "name"));
    if (refused > 0) {
        asif_add_wordsf(p->text, "", 0, p->width,
                        "%s: in %.0f folds the table of points was too coarse for the population, so that "
                        "nothing is said. `asif people` tells more.",
                        said, refused);
        return;
    }
    asif_add_wordsf(p->text, "", 0, p->width, "%s: %s", said,
                    better > 2 * error
                        ? "people who differ are predicted better than by one agent for all."
                        : (better < -2 * error ? "one agent for all predicts better than a population."
                                               : "that people differ does not help to predict new ones."));
    if (inaccurate > 0)
        asif_add_wordsf(p->text, "", 0, p->width,
                        "For %.0f people the probability of what they did is not accurate.", inaccurate);
}

/* By how much populations of further studies predict better than that of the first one. */
static void add_between(const page *p) {
    static const char *const heads[] = {"", "difference", "+-"};
    const asif_yaml *first = NULL;
    asif_table table;
    char said[ASIF_SAID_SIZE];
    bool any = false;
    asif_table_init(&table, p->context, 3);
    table.left = 1;
    table.gap = 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++) {
        const asif_yaml *model = p->models->item[i], *people = asif_yaml_part(model, "people");
        if (people && !first)
            first = model;
        else if (people) {
            add_name(&table, p, model);
            add_number(&table, asif_yaml_value(people, "better_than_first"), 4);
            add_number(&table, asif_yaml_value(people, "better_than_first_se"), 4);
            any = true;
        }
    }
    if (!any) {
        asif_table_free(&table);
        return;
    }
    asif_text_add(p->text, "\n");
    asif_add_wordsf(p->text, "", 0, p->width,
                    "Differences from the population of %s in nats per decision, paired over people; above "
                    "0, the other population predicts better:",
                    asif_said(said, asif_yaml_text(first, "name")));
    asif_text_add(p->text, "\n");
    asif_table_end(&table, p->text);
}

static void add_people(const page *p) {
    static const char *const heads[] = {"", "one agent", "people", "difference", "+-"};
    asif_table table;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->models->count; i++)
        count += asif_yaml_part(p->models->item[i], "people") != NULL;
    if (!count)
        return;
    asif_add_title(p->text, "PEOPLE WHO DIFFER", p->width);
    asif_add_wordsf(
        p->text, "", 0, p->width,
        "Nats per decision of people in the fold, predicted by one agent for all and by a population "
        "of people with numbers of their own. Both are fitted to the people of the other folds. The "
        "population learns about a person from decision to decision.");
    asif_text_add(p->text, "\n");
    asif_table_init(&table, p->context, 5);
    table.left = 1;
    table.gap = 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++)
        if (asif_yaml_part(p->models->item[i], "people"))
            add_people_row(&table, p, p->models->item[i]);
    asif_table_end(&table, p->text);
    asif_text_add(p->text, "\n");
    for (uint32_t i = 0; i < p->models->count; i++)
        if (asif_yaml_part(p->models->item[i], "people"))
            add_people_words(p, p->models->item[i]);
    add_between(p);
}

static void add_estimates(const page *p, const asif_yaml *model) {
    const asif_yaml *estimated = asif_yaml_part(model, "estimated");
    if (!estimated || estimated->kind != ASIF_YAML_MAP)
        return;
    asif_table table;
    asif_add_title(p->text, "THE PROJECTION, fitted to all of the logs", p->width);
    asif_table_init(&table, p->context, 2);
    table.left = 1;
    table.indent = 1;
    table.gap = 2;
    for (uint32_t i = 0; i < estimated->count; i++) {
        char name[ASIF_CELL_SIZE], cell[ASIF_CELL_SIZE];
        asif_table_cell(&table, asif_label_cut(name, estimated->key[i]->text, 40, p->unicode));
        asif_table_cell(&table, asif_short_number(cell, asif_yaml_value(estimated, estimated->key[i]->text)));
    }
    asif_table_end(&table, p->text);
}

/* ---- scores of one action ---- */

/* The scores of a model from the i-th set. */
static const asif_yaml *scores_of(const asif_yaml *model, uint32_t i) {
    const asif_yaml *scores = asif_yaml_list(model, "scores");
    return scores && i < scores->count ? scores->item[i] : NULL;
}

/* Say which decisions and which action the scores are of. */
static void add_scored(const page *p, const asif_yaml *scores, bool later) {
    char said[ASIF_SAID_SIZE], decisions[ASIF_CELL_SIZE], rate[ASIF_CELL_SIZE];
    const char *positive = asif_yaml_text(p->root, "positive");
    asif_said(said, positive ? positive : "?");
    asif_count_text(decisions, (uint64_t)(asif_yaml_value(scores, "decisions") + .5));
    asif_percent_text(rate, asif_yaml_value(scores, "rate"));
    asif_add_title(p->text, later ? "SCORES OF LATER DECISIONS" : "SCORES OF ONE ACTION", p->width);
    if (later)
        asif_add_wordsf(p->text, "", 0, p->width,
                        "Predictions of %s from decision %.0f of each episode on: %s decisions, of which %s "
                        "took it.",
                        said, asif_yaml_value(scores, "from_step"), decisions, rate);
    else
        asif_add_wordsf(p->text, "", 0, p->width,
                        "Predictions of %s (--positive chooses another action) at all %s decisions, of which "
                        "%s took it.",
                        said, decisions, rate);
    asif_text_add(p->text, "\n");
}

static void add_scores(const page *p, uint32_t which) {
    static const char *const heads[] = {"", "",      "",   "",         "",   "",      "avg.",  "trap.",
                                        "", "Brier", "+-", "log loss", "+-", "AUROC", "prec.", "PRC"};
    const asif_yaml *first = scores_of(p->models->item[0], which);
    asif_table table;
    add_scored(p, first, which > 0);
    asif_table_init(&table, p->context, 8);
    table.left = 1;
    table.gap = 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++) {
        const asif_yaml *s = scores_of(p->models->item[i], which);
        add_name(&table, p, p->models->item[i]);
        add_number(&table, asif_yaml_value(s, "brier"), 4);
        add_number(&table, asif_yaml_value(s, "brier_se"), 4);
        add_number(&table, asif_yaml_value(s, "log_loss"), 4);
        add_number(&table, asif_yaml_value(s, "log_loss_se"), 4);
        add_number(&table, asif_yaml_value(s, "auroc"), 3);
        add_number(&table, asif_yaml_value(s, "average_precision"), 3);
        add_number(&table, asif_yaml_value(s, "trapezoid"), 3);
    }
    asif_table_end(&table, p->text);
    asif_text_add(p->text, "\n");
    asif_add_wordsf(
        p->text, "", 0, p->width,
        "The last three columns are means over folds. \"trap. PRC\" is the trapezoid under the "
        "precision-recall curve from (0, 1), which some papers report: it gives %.3f to a constant "
        "prediction. Average precision gives it %.3f.",
        asif_yaml_value(first, "constant_trapezoid"), asif_yaml_value(first, "rate"));
}

/* Add the differences of all models from the first study. */
static void add_differences(const page *p, uint32_t which) {
    static const char *const heads[] = {"", "Brier", "+-", "log loss", "+-"};
    const asif_yaml *list = asif_yaml_list(p->root, "differences");
    const char *reference = asif_yaml_text(p->models->item[1], "name");
    double from = asif_yaml_value(scores_of(p->models->item[0], which), "from_step");
    char said[ASIF_SAID_SIZE];
    asif_table table;
    if (!list || !reference)
        return;
    asif_text_add(p->text, "\n");
    asif_add_wordsf(p->text, "", 0, p->width,
                    "Differences from %s, paired over subjects; below 0, the other model predicts better:",
                    asif_said(said, reference));
    asif_text_add(p->text, "\n");
    asif_table_init(&table, p->context, 5);
    table.left = 1;
    table.gap = 2;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        asif_table_cell(&table, heads[i]);
    for (uint32_t i = 0; i < p->models->count; i++)
        for (uint32_t k = 0; k < list->count; k++) {
            const asif_yaml *d = list->item[k];
            const char *model = asif_yaml_text(p->models->item[i], "name");
            const char *a = asif_yaml_text(d, "model"), *b = asif_yaml_text(d, "reference");
            bool forth = model && a && b && strcmp(a, model) == 0 && strcmp(b, reference) == 0;
            bool back = model && a && b && strcmp(b, model) == 0 && strcmp(a, reference) == 0;
            if ((!forth && !back) || asif_yaml_value(d, "from_step") != from)
                continue;
            double sign = forth ? 1 : -1;
            add_name(&table, p, p->models->item[i]);
            add_number(&table, sign * asif_yaml_value(d, "brier"), 4);
            add_number(&table, asif_yaml_value(d, "brier_se"), 4);
            add_number(&table, sign * asif_yaml_value(d, "log_loss"), 4);
            add_number(&table, asif_yaml_value(d, "log_loss_se"), 4);
        }
    asif_table_end(&table, p->text);
}

static bool is_one(const asif_yaml *root) {
    const asif_yaml *models = asif_yaml_list(root, "models");
    return models && models->count >= 3;
}

static void tell(asif_text *text, const void *value, const asif_report_options *options) {
    const asif_yaml *root = value, *models = asif_yaml_list(root, "models");
    page p = {text, text->context, root, models, options->unicode, options->width};
    char units[ASIF_CELL_SIZE];
    asif_add_wordsf(
        text, "", 0, p.width, "%.0f folds of %s units; each model is fitted without a fold and judged by it",
        asif_yaml_value(root, "folds"), asif_read_count_text(units, asif_yaml_value(root, "units")));
    asif_text_add(text, "\n");
    add_table(&p);
    asif_text_add(text, "\n");
    for (uint32_t i = 1; i + 1 < models->count; i++)
        if (asif_yaml_text(models->item[i], "planner"))
            add_standing(&p, models->item[i]);
    for (uint32_t i = 1; i + 1 < models->count; i++)
        add_estimates(&p, models->item[i]);
    add_people(&p);
    for (uint32_t which = 0; scores_of(models->item[0], which); which++) {
        add_scores(&p, which);
        add_differences(&p, which);
    }
}

asif_status asif_report_held_out(char **out, const asif_context *context, const char *json, uint64_t length,
                                 const char *name, const asif_report_options *options, asif_error *error) {
    static const asif_telling telling = {"a comparison of predictions", "asif evaluate", NULL, is_one, tell};
    return asif_tell(out, context, json, length, name, options, &telling, error);
}
