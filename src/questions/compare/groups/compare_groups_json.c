/* The contrasts as JSON. */
#include "questions/compare/groups/compare_groups.h"

#include "acting/episode_measures.h"
#include "base/data/json.h"
#include "base/error.h"

#include <math.h>

static void add_groups(asif_json *json, const asif_compare_groups *c) {
    static const char *const spreads[] = {"episodes", "subjects", "one_subject", NULL};
    asif_json_array(json, "groups");
    for (uint32_t g = 0; g < c->groups; g++) {
        const asif_compare_groups_info *info = &c->group[g];
        asif_json_object(json, NULL);
        asif_json_string(json, "name", info->name);
        asif_json_bool(json, "trusted", info->trusted);
        asif_json_bool(json, "missed", info->missed);
        asif_json_bool(json, "doubted", info->doubted);
        asif_json_bool(json, "draws", info->drawn);
        asif_json_known(json, "subjects", info->spread.subjects ? (double)info->spread.subjects : NAN);
        asif_json_known(json, "in_first", c->people_known ? (double)info->spread.shared : NAN);
        asif_json_string(json, "judged_by", spreads[info->spread.kind]);
        asif_json_known(json, "episodes", info->episodes);
        asif_json_known(json, "decisions", info->decisions);
        asif_json_object(json, "mix");
        for (uint32_t k = 0; c->class_name && info->share && k < c->classes; k++)
            asif_json_known(json, c->class_name[k], info->share[k]);
        asif_json_end(json);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_classes(asif_json *json, const asif_compare_groups *c) {
    if (!c->class_name || c->silent) {
        asif_json_null(json, "start_classes");
        return;
    }
    asif_json_object(json, "start_classes");
    asif_json_string(json, "column", c->class_column);
    asif_json_object(json, "pooled");
    for (uint32_t k = 0; k < c->classes; k++)
        asif_json_known(json, c->class_name[k], c->pooled[k]);
    asif_json_end(json);
    asif_json_end(json);
}

static void add_given(asif_json *json, const asif_compare_groups *c) {
    asif_json_array(json, "given_differs");
    for (uint64_t i = 0; i < c->givens; i++) {
        const asif_compare_groups_given *given = &c->given[i];
        asif_json_object(json, NULL);
        asif_json_string(json, "group", c->group[given->group].name);
        asif_json_string(json, "what", given->what);
        asif_json_string(json, "of", given->environment ? "environment" : "agent");
        asif_json_string(json, "first", given->first);
        asif_json_string(json, "here", given->here);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_difference(asif_json *json, const asif_compare_groups_cell *cell) {
    if (!cell->compared) {
        asif_json_null(json, "difference");
        return;
    }
    asif_json_object(json, "difference");
    asif_json_known(json, "q05", cell->d05);
    asif_json_known(json, "q50", cell->d50);
    asif_json_known(json, "q95", cell->d95);
    asif_json_known(json, "larger", cell->larger);
    asif_json_known(json, "tail", cell->tail);
    asif_json_known(json, "error", cell->error);
    asif_json_known(json, "degrees", cell->degrees);
    asif_json_string(json, "differs", !cell->differs ? NULL : cell->larger > 0.5 ? "larger" : "smaller");
    asif_json_end(json);
}

static void add_cells(asif_json *json, const asif_compare_groups *c, const asif_compare_groups_cell *cell,
                      bool verdict) {
    asif_json_array(json, "groups");
    for (uint32_t g = 0; g < c->groups; g++) {
        if (!cell[g].there)
            continue;
        asif_json_object(json, NULL);
        asif_json_string(json, "group", c->group[g].name);
        if (verdict)
            asif_json_string(json, "identified", asif_identified_text(cell[g].verdict));
        else
            asif_json_known(json, "observed", cell[g].observed);
        asif_json_known(json, "q05", cell[g].q05);
        asif_json_known(json, "q50", cell[g].q50);
        asif_json_known(json, "q95", cell[g].q95);
        add_difference(json, &cell[g]);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_parameters(asif_json *json, const asif_compare_groups *c) {
    asif_json_array(json, "parameters");
    for (uint32_t i = 0; i < c->numbers; i++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "name", c->number[i]);
        asif_json_string(json, "parameter", c->parameter[i]);
        asif_json_string(json, "label", c->label[i]);
        add_cells(json, c, c->parameters.cell + (uint64_t)i * c->groups, true);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static const char *name_of(const asif_compare_groups *c, uint32_t row) {
    const char *key = asif_episode_measures_key(row);
    return key ? key : c->action[row - ASIF_MEASURE_TAKEN];
}

/* The row whose contrasts are the same in all groups; ASIF_ANY: there is none. */
static uint32_t same_in_all(const asif_compare_groups *c, const asif_compare_groups_cell *cell) {
    uint32_t same = cell[c->first ? 0 : 1].same_as;
    for (uint32_t g = 0; g < c->groups; g++)
        if (g != c->first && cell[g].same_as != same)
            return ASIF_ANY;
    return same;
}

static void add_table(asif_json *json, const char *key, const asif_compare_groups *c,
                      const asif_compare_groups_table *table) {
    if (table->rows == 0) {
        asif_json_null(json, key);
        return;
    }
    asif_json_array(json, key);
    for (uint32_t i = 0; i < table->rows; i++) {
        const asif_compare_groups_cell *cell = table->cell + (uint64_t)i * table->groups;
        uint32_t same = same_in_all(c, cell);
        if (!cell[c->first].there)
            continue;
        asif_json_object(json, NULL);
        asif_json_string(json, "name", name_of(c, i));
        asif_json_bool(json, "action", i >= ASIF_MEASURE_TAKEN);
        asif_json_string(json, "same_as", same == ASIF_ANY ? NULL : name_of(c, same));
        add_cells(json, c, cell, false);
        asif_json_end(json);
    }
    asif_json_end(json);
}

static void add_behaviour(asif_json *json, const asif_compare_groups *c) {
    if (c->silent) {
        asif_json_null(json, "behaviour");
        asif_json_string(json, "no_behaviour", c->silent);
        return;
    }
    asif_json_object(json, "behaviour");
    add_table(json, "own_cases", c, &c->own);
    add_table(json, "same_cases", c, &c->same);
    asif_json_array(json, "by_start_class");
    for (uint32_t k = 0; c->by_class && k < c->classes; k++) {
        asif_json_object(json, NULL);
        asif_json_string(json, "class", c->class_name[k]);
        add_table(json, "contrasts", c, &c->by_class[k]);
        asif_json_end(json);
    }
    asif_json_end(json);
    asif_json_end(json);
    asif_json_null(json, "no_behaviour");
}

asif_status asif_compare_groups_json(char **out, const asif_compare_groups *contrast, asif_error *error) {
    const asif_compare_groups *c = contrast;
    asif_text text = {.context = c->context};
    asif_json json;
    *out = NULL;
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    asif_json_string(&json, "title", c->title);
    asif_json_string(&json, "by", c->column);
    asif_json_string(&json, "first", c->group[c->first].name);
    asif_json_object(&json, "simulation");
    asif_json_count(&json, "draws", c->options.draws);
    asif_json_count(&json, "episodes", c->options.episodes);
    asif_json_count(&json, "max_steps", c->options.max_steps);
    asif_json_count(&json, "seed", c->options.seed);
    asif_json_end(&json);
    add_groups(&json, c);
    add_classes(&json, c);
    add_given(&json, c);
    add_behaviour(&json, c);
    add_parameters(&json, c);
    asif_json_end(&json);
    return asif_text_finish(out, &text, error);
}
