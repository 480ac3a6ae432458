/* How episodes end: `horizon`, and the words `reset` and `terminal` of transitions. */
#include "study/study_reader.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define MOST_DECISIONS 100000 /* planning takes memory for each decision */

void asif_reader_read_horizon(asif_reader *draft, const asif_yaml *node) {
    double n = 0;
    if (!asif_reader_number(draft, node, "`horizon`", &n))
        return;
    if (!(n >= 1 && n <= MOST_DECISIONS && n == floor(n))) {
        asif_reader_error(draft, node, "`horizon` must be a whole number from 1 to %d, not %s",
                          MOST_DECISIONS, asif_show(node->text).text);
        asif_reader_hint(draft, "it is the number of decisions that an episode has at most");
        return;
    }
    if (draft->sees_states && draft->states.count) {
        asif_reader_error(draft, node,
                          "`horizon` needs `observations`: it is not yet possible where the agent "
                          "sees the state");
        asif_reader_hint(draft,
                         "let the states count the decisions, and name the last ones under `terminal`");
        return;
    }
    draft->horizon = (uint32_t)n;
}

uint32_t asif_reader_ending(asif_reader *draft, const asif_yaml *node) {
    bool reset = asif_reader_is(node, "reset");
    if (reset && draft->horizon) {
        asif_reader_error(draft, node,
                          "`reset` is not possible with a `horizon`: nothing follows an episode");
        asif_reader_hint(draft, "write `terminal` instead, or remove the `horizon`");
        return ASIF_READER_UNSET;
    }
    if (!reset && draft->sees_states) {
        asif_reader_error(draft, node, "transitions can be `terminal` only where there are `observations`");
        asif_reader_hint(draft, "where the agent sees the state, list states after which nothing follows "
                                "under `terminal`");
        return ASIF_READER_UNSET;
    }
    if (reset && !draft->reset_at)
        draft->reset_at = node;
    return reset ? ASIF_READER_RESET : ASIF_READER_TERMINAL;
}

void asif_reader_mark_stops(asif_reader *draft) {
    uint32_t actions = draft->actions.count;
    if (!draft->ends)
        draft->ends = asif_reader_alloc(draft, actions, sizeof *draft->ends);
    if (draft->stop)
        return;
    for (uint32_t u = 0; u < actions; u++) {
        bool terminal = draft->transitions[u] == ASIF_READER_TERMINAL;
        draft->ends[u] = draft->ends[u] || terminal;
        draft->stops[u] = terminal || (draft->horizon && draft->ends[u]);
    }
}

bool asif_reader_stops(const asif_reader *draft) {
    bool stops = draft->horizon > 0;
    for (uint32_t u = 0; draft->stops && u < draft->actions.count; u++)
        stops = stops || draft->stops[u];
    return stops;
}

void asif_reader_check_stops(asif_reader *draft) {
    const asif_planner_ops *planner = asif_planner_find(draft->planner, NULL);
    bool conditions = draft->conditions && !draft->sees_states;
    if (!planner || planner->parts || (!draft->parts && !conditions && !asif_reader_stops(draft)))
        return;
    asif_reader_error(draft, draft->planner_at ? draft->planner_at : draft->preset_at,
                      conditions ? "the planner `%s` does not know conditions (`by`)"
                      : draft->parts
                          ? "the planner `%s` does not know states of which a part is seen"
                          : "the planner `%s` knows neither horizons nor actions after which nothing follows",
                      planner->info.name);
    asif_reader_hint(draft, "take `bounded-rational`, `model-based-pomdp` or `belief-aware`");
}

void asif_reader_check_world_ends(asif_reader *draft, const asif_yaml *node, const uint32_t *transitions) {
    for (uint32_t u = 0; draft->stops && u < draft->actions.count; u++) {
        asif_shown action = asif_show_label(&draft->actions, u);
        if (transitions[u] == ASIF_READER_TERMINAL && !draft->stops[u]) {
            asif_reader_error(draft, node, "`%s` is `terminal` in a world, but not in the environment",
                              action.text);
            asif_reader_hint(draft,
                             "the agent knows which actions end an episode: write `%s: terminal` under "
                             "`environment: transitions`, too",
                             action.text);
            return;
        }
        if (transitions[u] == ASIF_READER_RESET && draft->stops[u]) {
            asif_reader_error(draft, node, "nothing follows `%s`, so that it cannot be `reset` in a world",
                              action.text);
            asif_reader_hint(draft, "leave it out: it is then as in the environment");
            return;
        }
    }
}
