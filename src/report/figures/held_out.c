#include "report/figures/held_out.h"
#include "report/figures/numbers.h"

#include <math.h>
#include <string.h>

/* ---- pairs ---- */

bool asif_held_open(asif_held *held, const asif_source *source) {
    const asif_source_extra *extra = asif_source_find(source, "evaluate");
    *held = (asif_held){.source = source, .limit = source->request->min_cell, .at = ASIF_ANY};
    held->models = extra ? asif_summary_part(extra->root, "models") : NULL;
    if (!held->models || held->models->kind != ASIF_YAML_LIST || held->models->count < 3)
        return false;
    held->model = 1; /* the first acts at random */
    held->shown = held->models->count - (held->limit ? 2 : 1);
    if (held->shown > ASIF_FIGURE_COLOURS)
        held->shown = ASIF_FIGURE_COLOURS;
    return asif_summary_part(asif_summary_part(held->models->item[1], "held_out"), "actions") != NULL;
}

bool asif_held_next(asif_held *held) {
    for (; held->model <= held->shown; held->model++) {
        const asif_yaml *model = held->models->item[held->model];
        const asif_yaml *actions = asif_summary_part(asif_summary_part(model, "held_out"), "actions");
        uint32_t count = actions && actions->kind == ASIF_YAML_MAP ? actions->count : 0;
        if (held->limit && count == 2)
            count = 1;
        if (++held->at < count) {
            const char *name = asif_summary_text(model, "name");
            held->name = name ? name : "";
            held->action = actions->key[held->at]->text;
            held->curve = actions->item[held->at];
            return true;
        }
        held->at = ASIF_ANY;
    }
    return false;
}

/* ---- bins ---- */

static void put(asif_held_bin *into, const asif_held_bin *bin) {
    double all = into->decisions + bin->decisions;
    into->high = bin->high;
    into->predicted += (bin->predicted - into->predicted) * (all > 0 ? bin->decisions / all : 0);
    into->decisions = all;
    into->taken += bin->taken;
}

static bool enough(const asif_held_bin *bin, uint32_t limit) {
    return bin->taken >= limit && bin->decisions - bin->taken >= limit;
}

uint32_t asif_held_bins(asif_held_bin bin[ASIF_HELD_BINS], const asif_held *held) {
    const asif_yaml *list = asif_summary_part(held->curve, "calibration");
    uint32_t count = asif_figure_count(list), bins = 0;
    asif_held_bin open = {0};
    if (count > ASIF_HELD_BINS)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const asif_yaml *b = list->item[i];
        asif_held_bin one = {asif_summary_value(b, "low"), asif_summary_value(b, "high"),
                             asif_summary_value(b, "predicted"), asif_summary_value(b, "decisions"),
                             asif_summary_value(b, "taken")};
        if (!held->limit) {
            bin[bins++] = one;
            continue;
        }
        put(&open, &one);
        if (!enough(&open, held->limit))
            continue;
        bin[bins++] = open;
        open = (asif_held_bin){.low = open.high};
    }
    if (!held->limit)
        return bins;
    if (bins && open.decisions > 0)
        put(&bin[bins - 1], &open);
    if (bins)
        bin[bins - 1].high = 1; /* where nobody decided is not told either */
    return bins > 1 ? bins : 0;
}

/* ---- shares ---- */

asif_held_share asif_held_told(double part, double whole, uint32_t limit) {
    static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
    double share = part / whole;
    if (!limit)
        return (asif_held_share){share, share};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * whole >= 2.0 * limit) {
            double at = fmin(floor(share / steps[i]), rint(1 / steps[i]) - 1);
            return (asif_held_share){at * steps[i], (at + 1) * steps[i]};
        }
    return (asif_held_share){0, 1};
}

char *asif_held_text(char *buffer, asif_held_share share) {
    if (share.low == share.high)
        asif_format(buffer, ASIF_CELL_SIZE, "%.3f", share.low);
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.2f to %.2f", share.low, share.high);
    return buffer;
}
