/* `means`: the mean belief of each action, for the planner decision-boundaries. */
#include "study/study_reader.h"

#include "planners/planner.h"

#include <math.h>
#include <string.h>

/* Read the mean of an action: a belief, or `learn`. */
static bool read_mean(asif_reader *draft, const asif_yaml *node, const char *text, uint32_t action) {
    double *mean = draft->means + (uint64_t)action * draft->states.count;
    const char *prior = NULL;
    char what[128];
    if (asif_reader_learns(node, &draft->states))
        return asif_reader_learn(draft, node, text, ASIF_MEANS, draft->states.count, &prior) &&
               asif_reader_add_learnt(draft, ASIF_MEANS, action, node, prior);
    asif_format(what, sizeof what, "the mean of `%s`", asif_show_label(&draft->actions, action).text);
    double *p = asif_reader_alloc(draft, draft->states.count, sizeof *p);
    if (!p || !asif_reader_distribution(draft, node, &draft->states, what, p))
        return false;
    memcpy(mean, p, draft->states.count * sizeof *mean);
    return true;
}

static void read_by_action(asif_reader *draft, const asif_yaml *node) {
    bool *named = asif_reader_alloc(draft, draft->actions.count, sizeof *named), good = named != NULL;
    for (uint32_t i = 0, next = 0; named && i < node->count; i = next) {
        const char *text = asif_reader_joined(draft, node, i, &next);
        uint32_t action = 0;
        if (!asif_reader_label(draft, node->key[i], &draft->actions, &action)) {
            good = false;
            continue;
        }
        named[action] = true;
        good = read_mean(draft, node->item[i], text, action) && good;
    }
    for (uint32_t u = 0; good && u < draft->actions.count; u++) {
        if (named[u])
            continue;
        asif_reader_error(draft, node, "the mean of `%s` is missing",
                          asif_show_label(&draft->actions, u).text);
        asif_reader_hint(draft, "give a belief, such as `uniform` or a list of probabilities, or `learn`");
        return;
    }
}

void asif_reader_read_means(asif_reader *draft, const asif_yaml *node) {
    uint64_t cells = (uint64_t)draft->actions.count * draft->states.count;
    draft->means_at = node;
    if (!asif_reader_spaces_known(draft) || cells == 0)
        return;
    if (draft->sees_states) {
        asif_reader_error(draft, node, "`means` are beliefs, but the agent sees the state");
        asif_reader_hint(draft, "list the `observations` at the top, or take decision-rule");
        return;
    }
    draft->means = asif_reader_alloc(draft, cells, sizeof *draft->means);
    for (uint64_t i = 0; draft->means && i < cells; i++)
        draft->means[i] = NAN;
    if (!draft->means)
        return;
    if (asif_reader_is(node, "learn")) {
        for (uint32_t u = 0; u < draft->actions.count; u++)
            if (!read_mean(draft, node, node->text, u))
                return;
    } else if (asif_reader_kind(draft, node, ASIF_YAML_MAP, "`means`")) {
        read_by_action(draft, node);
    } else {
        asif_reader_hint(draft, "give one for each action: {ACTION: [0.9, 0.1], ...}, or `learn`");
    }
}

bool asif_reader_has_utility(const asif_reader *draft) {
    const asif_planner_ops *planner = asif_planner_find(draft->planner, NULL);
    return !planner || !planner->narrow.means;
}

void asif_reader_check_means(asif_reader *draft, const asif_yaml *agent) {
    const asif_yaml *utility = asif_yaml_get(agent, "utility");
    if (asif_reader_has_utility(draft)) {
        if (draft->means_at) {
            asif_reader_error(draft, draft->means_at, "the planner `%s` has no `means`", draft->planner);
            asif_reader_hint(draft, "remove them, or write `planner: decision-boundaries`");
        }
        return;
    }
    if (!draft->means_at) {
        asif_reader_error(draft, agent, "the planner `%s` needs `means`", draft->planner);
        asif_reader_hint(draft,
                         "give each action the belief that it is nearest to: {ACTION: [0.9, 0.1], ...}, "
                         "or `learn`");
    }
    if (utility) {
        asif_reader_error(draft, utility, "the planner `%s` does not look at a `utility`", draft->planner);
        asif_reader_hint(draft, "remove it: what the agent does follows from its `means`");
    }
}
