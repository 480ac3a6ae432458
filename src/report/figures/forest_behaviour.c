/* The forest plot of behaviour: what the fitted agent of each group does in an episode, and what ideal agents
 * would do in its place. */
#include "report/figures/forest.h"

#include "render/words/ideal_names.h"
#include "report/figures/drawn.h"

#include "base/error.h"

#include <math.h>

void asif_forest_row(asif_figure *figure, const char *number, const char *group, double low, double middle,
                     double high) {
    asif_json_object(&figure->data, NULL);
    asif_json_string(&figure->data, "number", number);
    asif_json_string(&figure->data, "group", group);
    asif_figure_number(figure, "low", low);
    asif_figure_number(figure, "middle", middle);
    asif_figure_number(figure, "high", high);
}

static const struct {
    const char *key, *title;
    double scale;
} kinds[] = {
    {"before_end", "decisions before the end", 1},
    {"wrong", "wrong final decisions, %", 100},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    uint32_t agent;
    const char *word;
} ideals[] = {{ASIF_AGENT_WITHOUT_BOUNDS, "same model, no bounds"},
              {ASIF_AGENT_BAYES, "Bayes-optimal agent"},
              {ASIF_AGENT_TRUE, "knows the true world"}};
enum { IDEALS = sizeof ideals / sizeof *ideals };

typedef struct {
    double low, mean, high;
} conduct;

static conduct conduct_of(const asif_source_fit *fit, uint32_t agent, uint32_t kind) {
    const asif_yaml *all = asif_yaml_part(asif_yaml_part(fit->fit.root, "outcomes"), "conduct");
    const asif_yaml *node = asif_yaml_part(asif_agents_part(all, agent), kinds[kind].key);
    double scale = kinds[kind].scale;
    conduct c = {scale * asif_yaml_value(node, "q05"), scale * asif_yaml_value(node, "mean"),
                 scale * asif_yaml_value(node, "q95")};
    if (isnan(c.low) || isnan(c.high)) /* only a maximum, or an ideal agent */
        c.low = c.high = c.mean;
    return c;
}

static void add_intervals(asif_figure *figure, const asif_source *source, uint32_t kind) {
    char group[ASIF_CELL_SIZE], cell[3][ASIF_CELL_SIZE];
    for (uint32_t i = 0; i < source->fits; i++) {
        const char *name = asif_drawn_group(group, source, i);
        conduct c = conduct_of(&source->fit[i], ASIF_AGENT_FITTED, kind);
        if (isnan(c.mean))
            continue;
        asif_forest_row(figure, kinds[kind].key, name, c.low, c.mean, c.high);
        asif_json_end(&figure->data);
        asif_text_add(&figure->alt, figure->alt.length ? " " : "");
        asif_drawn_in(&figure->alt, source, i);
        asif_text_addf(&figure->alt, "%s: %s.", kinds[kind].title,
                       asif_summary_digits(cell[0], c.mean, c.high - c.low));
        asif_figure_cell(figure, kinds[kind].title);
        asif_figure_cell(figure, name);
        asif_figure_cell_number(figure, c.low);
        asif_figure_cell_number(figure, c.mean);
        asif_figure_cell_number(figure, c.high);
        for (uint32_t k = 0; k < IDEALS; k++)
            asif_figure_cell_number(figure, conduct_of(&source->fit[i], ideals[k].agent, kind).mean);
    }
}

static void add_ideals(asif_figure *figure, const asif_source *source) {
    char group[ASIF_CELL_SIZE];
    asif_json_array(&figure->data, "ideals");
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < source->fits; i++)
            for (uint32_t k = 0; k < IDEALS; k++) {
                double mean = conduct_of(&source->fit[i], ideals[k].agent, kind).mean;
                if (isnan(mean) || isnan(conduct_of(&source->fit[i], ASIF_AGENT_FITTED, kind).mean))
                    continue;
                asif_json_object(&figure->data, NULL);
                asif_json_string(&figure->data, "number", kinds[kind].key);
                asif_json_string(&figure->data, "group", asif_drawn_group(group, source, i));
                asif_json_string(&figure->data, "ideal", ideals[k].word);
                asif_figure_number(figure, "x", mean);
                asif_json_end(&figure->data);
            }
    asif_json_end(&figure->data);
}

static bool has_kind(const asif_source *source, uint32_t kind) {
    for (uint32_t i = 0; i < source->fits; i++)
        if (!isnan(conduct_of(&source->fit[i], ASIF_AGENT_FITTED, kind).mean))
            return true;
    return false;
}

asif_status asif_forest_behaviour(asif_figures *list, const asif_source *source, asif_error *error) {
    const char *heads[5 + IDEALS] = {"", "group", "5 %", "mean", "95 %"};
    for (uint32_t k = 0; k < IDEALS; k++)
        heads[5 + k] = ideals[k].word;
    asif_figure figure;
    asif_status status = ASIF_OK;
    asif_figure_init(&figure, source->context, "forest-behaviour");
    asif_text_add(&figure.title, "What the groups do, by their fits");
    asif_figure_table(&figure, 5 + IDEALS, heads);
    asif_text_add(&figure.caption, "What the fitted agent of each group does in an episode, simulated: the "
                                   "mean, and the line that holds 90 % of the probability. Other marks show "
                                   "what other agents would do in its place: the same model without bounds, "
                                   "the Bayes-optimal agent, which learns within an episode which world "
                                   "holds, and one that knows it.");
    asif_json_array(&figure.data, "intervals");
    for (uint32_t kind = 0; status == ASIF_OK && kind < KINDS; kind++) {
        if (!has_kind(source, kind))
            continue;
        add_intervals(&figure, source, kind);
        asif_figure_slot(&figure, "number", kinds[kind].key);
        asif_figure_slot(&figure, "title", kinds[kind].title);
        status = asif_figure_panel(&figure, "forest-behaviour-panel.vl.json", error);
    }
    asif_json_end(&figure.data);
    add_ideals(&figure, source);
    if (status == ASIF_OK && figure.panels.length)
        return asif_figure_end(list, &figure, "forest.vl.json", error);
    asif_figure_free(&figure);
    return status;
}
