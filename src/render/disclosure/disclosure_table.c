#include "render/disclosure/disclosure_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/lengths.h"

#include <math.h>

#define MOST_DECISIONS 1e8 /* of an episode whose length is told */

typedef struct {
    double count, low, high; /* of the logs; of the histories that are shown, at least and at most */
} part;

static asif_cell exactly(double count) {
    return ASIF_CELL(count, count, false);
}

/* Whether all parts may be shown as they are. What is not at the histories that are shown must not be small,
 * whatever is true of these, and no part may be missing, as it would follow from the others. */
static bool all_large(const part *parts, uint32_t n, double limit) {
    for (uint32_t i = 0; i < n; i++)
        if (!(parts[i].count >= parts[i].high + limit))
            return false;
    return true;
}

static uint32_t entries(const asif_yaml *map) {
    return map && map->kind == ASIF_YAML_MAP ? map->count : 0;
}

/* ---- actions ---- */

/* The episodes that end with an action that does not end them follow from the counts of the others. */
static bool cuts_may_be_shown(const asif_disclosure_known *known, const part *taken) {
    const asif_disclosure_tree *tree = known->tree;
    double cut = known->episodes.low;
    if (!tree->ends || known->episodes.low != known->episodes.high)
        return false;
    for (uint32_t u = 0; u < tree->actions; u++)
        cut -= tree->ends[u] ? taken[u].count : 0;
    return cut == 0 || cut >= tree->limit;
}

static void tell_actions(asif_disclosure_table *out, const asif_disclosure_known *known, part *taken) {
    const asif_disclosure_tree *tree = known->tree;
    const uint32_t n = out->actions;
    double least = 0;
    for (uint32_t i = 0; i < tree->nodes && n == tree->actions; i++)
        for (uint32_t u = 0; tree->node[i].shown && u < n; u++) {
            taken[u].low += tree->node[i].action[u].low;
            taken[u].high += tree->node[i].action[u].high;
        }
    for (uint32_t u = 0; u < n; u++)
        least += taken[u].low;
    bool exact = known->decisions.low == known->decisions.high && n == tree->actions &&
                 all_large(taken, n, tree->limit) && cuts_may_be_shown(known, taken);
    for (uint32_t u = 0; u < n; u++)
        if (tree->limit == 0 || (known->plain && exact))
            out->taken[u] = exactly(taken[u].count);
        else if (known->plain && n == tree->actions &&
                 !isnan(known->decisions.high)) /* what follows from the histories, and no more */
            out->taken[u] = ASIF_CELL(taken[u].low, known->decisions.high - (least - taken[u].low), false);
    out->shown = tree->limit == 0 || (known->plain && exact);
}

/* ---- observations ---- */

static uint32_t place_of(const asif_yaml *map, const char *key) {
    uint32_t o = 0;
    while (o < entries(map) && !(key && asif_is(map->key[o]->text, key)))
        o++;
    return o;
}

/* `out->shown`: the counts of actions are, too, so that episodes that were cut are known to be many or none.
 */
static void tell_observations(asif_disclosure_table *out, const asif_disclosure_known *known, part *seen) {
    const asif_disclosure_tree *tree = known->tree;
    const asif_yaml *names = asif_yaml_part(known->logs, "observations");
    for (uint32_t i = 0; i < tree->nodes; i++) {
        const asif_yaml *events = asif_yaml_list(known->histories->item[i], "history");
        if (!tree->node[i].shown || !events || events->count == 0)
            continue;
        uint32_t o = place_of(names, asif_yaml_text(events->item[events->count - 1], "observation"));
        seen[o].low += tree->node[i].decisions.low;
        seen[o].high += tree->node[i].decisions.high;
    }
    uint32_t n = out->observations + (seen[out->observations].count > 0);
    bool exact = out->shown && all_large(seen, n, tree->limit);
    for (uint32_t o = 0; o <= out->observations; o++)
        if (exact)
            out->seen[o] = exactly(seen[o].count);
}

/* ---- lengths ---- */

static double ended_within(const double *count, uint64_t longest, double decisions) {
    double sum = 0;
    for (uint64_t k = 0; k < longest && (double)k < decisions; k++)
        sum += count[k];
    return sum;
}

/* A quantile is shown if it would be the same if any few episodes were of another length: to change a small
 * count within its range, so many episodes have to take another way through the histories. */
static double tell_quantile(const asif_disclosure_known *known, const double *count, uint64_t longest,
                            double p) {
    double q = asif_lengths_quantile(count, longest, p), few = 3.0 * known->tree->limit,
           at = p * ended_within(count, longest, (double)longest);
    if (few == 0)
        return q;
    bool after = ended_within(count, longest, q) - at >= few,
         before = at - ended_within(count, longest, q - 1) >= few;
    return known->plain && q == floor(q) && after && before ? q : NAN;
}

static asif_status tell_lengths(asif_disclosure_table *out, const asif_disclosure_known *known,
                                asif_error *error) {
    static const double p[ASIF_QUARTILES] = {0.25, 0.5, 0.75};
    const asif_yaml *list = asif_yaml_list(known->logs, "lengths");
    if (!list || list->count == 0)
        return ASIF_OK;
    double last = asif_yaml_value(list->item[list->count - 1], "decisions");
    if (!(last >= 1 && last <= MOST_DECISIONS))
        return ASIF_OK;
    uint64_t longest = (uint64_t)last;
    double *count = ASIF_ARRAY(known->context, longest, double);
    if (!count)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < list->count; i++) {
        double k = asif_yaml_value(list->item[i], "decisions");
        if (k >= 1 && k <= (double)longest)
            count[(uint64_t)k - 1] = asif_yaml_value(list->item[i], "episodes");
    }
    for (int i = 0; i < ASIF_QUARTILES; i++)
        out->quartile[i] = tell_quantile(known, count, longest, p[i]);
    if (known->tree->limit == 0) {
        out->shortest = asif_yaml_value(list->item[0], "decisions");
        out->longest = (double)longest;
    }
    asif_free(known->context, count);
    return ASIF_OK;
}

/* ---- all ---- */

static void read_parts(part *parts, const asif_yaml *map) {
    for (uint32_t i = 0; i < entries(map); i++)
        parts[i].count = asif_yaml_value(map, map->key[i]->text);
}

asif_status asif_disclosure_table_make(asif_disclosure_table *out, const asif_disclosure_known *known,
                                       asif_error *error) {
    const asif_yaml *actions = asif_yaml_part(known->logs, "actions"),
                    *observations = asif_yaml_part(known->logs, "observations");
    *out = (asif_disclosure_table){.actions = entries(actions),
                                   .observations = entries(observations),
                                   .shortest = NAN,
                                   .longest = NAN,
                                   .quartile = {NAN, NAN, NAN}};
    out->taken = ASIF_ARRAY(known->context, out->actions, asif_cell);
    out->seen = ASIF_ARRAY(known->context, out->observations + 1, asif_cell);
    part *taken = ASIF_ARRAY(known->context, out->actions, part),
         *seen = ASIF_ARRAY(known->context, out->observations + 1, part);
    bool room = out->taken && out->seen && taken && seen;
    asif_status status = room ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t u = 0; room && u < out->actions; u++)
        out->taken[u] = ASIF_CELL_UNTOLD;
    for (uint32_t o = 0; room && o <= out->observations; o++)
        out->seen[o] = ASIF_CELL_UNTOLD;
    if (room && out->actions) {
        read_parts(taken, actions);
        read_parts(seen, observations);
        seen[out->observations].count = asif_yaml_value(known->logs, "nothing_seen");
        tell_actions(out, known, taken);
        tell_observations(out, known, seen);
        status = tell_lengths(out, known, error);
    }
    asif_free(known->context, taken);
    asif_free(known->context, seen);
    return status;
}

void asif_disclosure_table_free(asif_disclosure_table *table, const asif_context *context) {
    asif_free(context, table->taken);
    asif_free(context, table->seen);
}
