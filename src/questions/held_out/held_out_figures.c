#include "questions/held_out/held_out_figures.h"

bool asif_held_withheld(const asif_source *source) {
    return source->request->min_cell > 0 && asif_source_find(source, "evaluate");
}

bool asif_held_open(asif_held *held, const asif_source *source) {
    const asif_source_extra *extra = asif_source_find(source, "evaluate");
    *held = (asif_held){.at = ASIF_ANY};
    held->models = extra ? asif_yaml_part(extra->root, "models") : NULL;
    if (source->request->min_cell > 0 || !held->models || held->models->kind != ASIF_YAML_LIST ||
        held->models->count < 3)
        return false;
    held->model = 1; /* skip the first model, which acts at random */
    held->shown = held->models->count - 1;
    if (held->shown > ASIF_FIGURE_COLOURS)
        held->shown = ASIF_FIGURE_COLOURS;
    return asif_yaml_part(asif_yaml_part(held->models->item[1], "held_out"), "actions") != NULL;
}

bool asif_held_next(asif_held *held) {
    for (; held->model <= held->shown; held->model++) {
        const asif_yaml *model = held->models->item[held->model];
        const asif_yaml *actions = asif_yaml_part(asif_yaml_part(model, "held_out"), "actions");
        uint32_t count = actions && actions->kind == ASIF_YAML_MAP ? actions->count : 0;
        if (++held->at < count) {
            const char *name = asif_yaml_text(model, "name");
            held->name = name ? name : "";
            held->action = actions->key[held->at]->text;
            held->curve = actions->item[held->at];
            return true;
        }
        held->at = ASIF_ANY;
    }
    return false;
}
