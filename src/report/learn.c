/* The report on a learnt world: tables for people, or JSON. */
#include "base/data/json.h"
#include "base/error.h"
#include "render/report_options.h"
#include "render/table.h"

#include <math.h>
#include <string.h>

#define SHOWN 20 /* most rows of a table */
#define LABEL_WIDTH 24

typedef struct {
    const asif_context *context;
    const asif_study *study;
    const asif_setting *setting;
    const asif_learnt_world *world;
    asif_report_options options;
} report;

static uint32_t actions_of(const report *r) {
    return asif_setting_count(r->setting, ASIF_LABEL_ACTION);
}

/* ---- for people ---- */

static void add_heading(asif_text *text, const report *r, const asif_world_part *part) {
    char buffer[ASIF_LABEL_SIZE];
    bool first = true;
    asif_text_addf(text, "\n%s%s after ",
                   part->name         ? part->name
                   : part->increments ? "increments"
                                      : "next state",
                   part->name ? ", increments" : "");
    for (uint32_t u = 0; u < actions_of(r); u++) {
        if (!part->action[u])
            continue;
        asif_text_addf(text, "%s%s", first ? "" : ", ",
                       asif_setting_label(r->setting, ASIF_LABEL_ACTION, u, buffer));
        if (part->increments && part->origin[u] != ASIF_ANY)
            asif_text_addf(text, " (from %s)",
                           asif_setting_label(r->setting, ASIF_LABEL_STATE, part->origin[u], buffer));
        first = false;
    }
    asif_text_add(text, "\n");
}

static void add_cell(asif_table *table, const report *r, const asif_world_part *part,
                     const asif_world_cell *cell) {
    char text[ASIF_CELL_SIZE], buffer[ASIF_LABEL_SIZE];
    bool unicode = r->options.unicode;
    if (part->increments) {
        asif_format(text, sizeof text, "%d", (int)cell->to);
        asif_table_cell(table, text);
    } else {
        asif_table_cell(
            table, asif_label_cut(text, asif_setting_label(r->setting, ASIF_LABEL_STATE, cell->from, buffer),
                                  LABEL_WIDTH, unicode));
        asif_table_cell(
            table,
            asif_label_cut(text, asif_setting_label(r->setting, ASIF_LABEL_STATE, (uint32_t)cell->to, buffer),
                           LABEL_WIDTH, unicode));
    }
    asif_format(text, sizeof text, "%.4f", cell->probability);
    asif_table_cell(table, text);
    asif_format(text, sizeof text, "%.4f", cell->error);
    asif_table_cell(table, isnan(cell->error) ? "" : text);
    if (cell->count == floor(cell->count))
        asif_table_cell(table, asif_count_text(text, (uint64_t)cell->count));
    else
        asif_table_cell(table, asif_short_number(text, cell->count));
}

static void add_part(asif_text *text, const report *r, uint32_t i) {
    const asif_world_part *part = asif_study_part(r->study, i);
    const asif_world_estimate *e = asif_learnt_world_get(r->world, i);
    char number[ASIF_CELL_SIZE];
    asif_table table;
    add_heading(text, r, part);
    asif_table_init(&table, r->context, part->increments ? 4 : 5);
    table.left = part->increments ? 0 : 3;
    if (!part->increments)
        asif_table_cell(&table, "from");
    const char *const heads[] = {part->increments ? "increment" : "to", "probability", "standard error",
                                 "times"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        asif_table_cell(&table, heads[k]);
    for (uint64_t k = 0; k < e->cells && k < SHOWN; k++)
        add_cell(&table, r, part, &e->cell[k]);
    asif_table_end(&table, text);
    if (e->cells > SHOWN)
        asif_text_addf(text, "  ... (%s more; --json prints all)\n",
                       asif_count_text(number, e->cells - SHOWN));
    if (e->edge > 0)
        asif_text_addf(text, "  %s more, too near the first or last state to tell, were left out\n",
                       asif_short_number(number, e->edge));
    if (e->unseen)
        asif_text_addf(text, "  nobody left %u of the states by it: filled in as asked\n", e->unseen);
}

/* ---- JSON ---- */

static void add_actions(asif_json *json, const report *r, const asif_world_part *part) {
    char buffer[ASIF_LABEL_SIZE];
    asif_json_array(json, "actions");
    for (uint32_t u = 0; u < actions_of(r); u++) {
        if (!part->action[u])
            continue;
        asif_json_object(json, NULL);
        asif_json_string(json, "action", asif_setting_label(r->setting, ASIF_LABEL_ACTION, u, buffer));
        if (part->increments && part->origin[u] != ASIF_ANY)
            asif_json_string(json, "from",
                             asif_setting_label(r->setting, ASIF_LABEL_STATE, part->origin[u], buffer));
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_part_json(asif_json *json, const report *r, uint32_t i) {
    const asif_world_part *part = asif_study_part(r->study, i);
    const asif_world_estimate *e = asif_learnt_world_get(r->world, i);
    char buffer[ASIF_LABEL_SIZE];
    asif_json_object(json, NULL);
    asif_json_string(json, "name", part->name);
    asif_json_string(json, "kind", part->increments ? "increments" : "rows");
    add_actions(json, r, part);
    asif_json_number(json, "transitions", e->count);
    asif_json_number(json, "left_out", e->edge);
    asif_json_array(json, "unseen");
    for (uint32_t k = 0; k < e->unseen; k++)
        asif_json_string(json, NULL, asif_setting_label(r->setting, ASIF_LABEL_STATE, e->filled[k], buffer));
    asif_json_end(json);
    asif_json_array(json, "probabilities");
    for (uint64_t k = 0; k < e->cells; k++) {
        const asif_world_cell *cell = &e->cell[k];
        asif_json_object(json, NULL);
        if (part->increments) {
            asif_json_number(json, "increment", cell->to);
        } else {
            asif_json_string(json, "from",
                             asif_setting_label(r->setting, ASIF_LABEL_STATE, cell->from, buffer));
            asif_json_string(json, "to",
                             asif_setting_label(r->setting, ASIF_LABEL_STATE, (uint32_t)cell->to, buffer));
        }
        asif_json_number(json, "probability", cell->probability);
        asif_json_known(json, "standard_error", cell->error);
        asif_json_number(json, "count", cell->count);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
}

asif_status asif_report_world(char **out, const asif_context *context, const asif_study *study,
                              const asif_learnt_world *world, const asif_report_options *options,
                              asif_error *error) {
    report r = {context, study, asif_study_setting(study), world, ASIF_REPORT_OPTIONS_INIT};
    asif_text text = {.context = context};
    *out = NULL;
    ASIF_TRY(asif_report_fill(&r.options, options, error));
    if (r.options.json) {
        asif_json json;
        asif_json_init(&json, &text);
        asif_json_array(&json, NULL);
        for (uint32_t i = 0; asif_learnt_world_get(world, i); i++)
            add_part_json(&json, &r, i);
        asif_json_end(&json);
    } else {
        for (uint32_t i = 0; asif_learnt_world_get(world, i); i++)
            add_part(&text, &r, i);
    }
    return asif_text_finish(out, &text, error);
}
