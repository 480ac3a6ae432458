/* The agent: its planner, what it holds to be true, and what it is given. */
#include "study/draft.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static void read_planner(asif_draft *draft, const asif_yaml *node) {
    const char *names[64];
    uint32_t n = 0, i = 0;
    for (const asif_planner_info *info; n < COUNT(names) && (info = asif_planner_get(n)); n++)
        names[n] = info->name;
    if (asif_draft_choice(draft, node, "`planner`", names, n, &i))
        draft->planner = names[i];
}

static void read_discount(asif_draft *draft, const asif_yaml *node) {
    draft->discount_at = node;
    asif_draft_add_parameter(draft, "discount", node, node);
}

static void read_start(asif_draft *draft, const asif_yaml *node) {
    asif_draft_starts(draft, node, "start", &draft->agent_start);
}

static void read_action_prior(asif_draft *draft, const asif_yaml *node) {
    if (!draft->actions.count)
        return;
    double *p = asif_draft_alloc(draft, draft->actions.count, sizeof *p);
    if (p && asif_draft_distribution(draft, node, &draft->actions, "`action_prior`", p)) {
        draft->action_prior = p;
        draft->action_prior_at = node;
    }
}

static void read_belief_prior(asif_draft *draft, const asif_yaml *node) {
    const asif_labels *seen = draft->sees_states ? &draft->states : &draft->observations;
    if (!seen->count)
        return;
    double *p = asif_draft_alloc(draft, seen->count, sizeof *p);
    if (!p || !asif_draft_distribution(draft, node, seen, "`belief_prior`", p))
        return;
    for (uint32_t i = 0; i < seen->count; i++) {
        if (p[i] == 0) {
            asif_draft_error(draft, node, "`belief_prior` of `%s` is 0", asif_show_label(seen, i).text);
            asif_draft_hint(
                draft,
                "what the agent holds to be impossible would surprise it without bound: give every "
                "%s some probability",
                seen->what);
            return;
        }
    }
    draft->belief_prior = p;
}

static const asif_study_key keys[] = {
    {"planner", read_planner, "how the agent plans"},
    {"preset", asif_draft_read_preset, "an agent of the paper's Table 4"},
    {"discount", read_discount, "what the next step is worth today"},
    {"start", read_start, "what the agent believes at the beginning of an episode"},
    {"worlds", asif_draft_read_worlds, "the worlds that the agent holds to be possible"},
    {"action_prior", read_action_prior, "what the agent does without thinking"},
    {"belief_prior", read_belief_prior, "what the agent expects to see"},
    {"parameters", asif_draft_read_parameters, "numbers that are given or estimated"},
    {"utility", asif_draft_read_utility, "what the agent wants"},
};

void asif_draft_read_agent(asif_draft *draft, const asif_yaml *node) {
    draft->parameters_misspelt = asif_draft_misspelt(node, "parameters", keys, COUNT(keys));
    bool good = asif_draft_section(draft, node, "agent", keys, COUNT(keys));
    if (node->kind != ASIF_YAML_MAP || draft->stop)
        return;
    if (good && !asif_yaml_get(node, "utility") && !draft->file_at) {
        asif_draft_error(draft, node, "the agent has no `utility`");
        asif_draft_hint(draft, "say what each action is worth: `utility: {ACTION: NUMBER, ...}`");
    }
    if (good && isnan(draft->discount) && !asif_draft_find_parameter(draft, "discount")) {
        asif_draft_error(draft, node, "the agent has no `discount`");
        asif_draft_hint(draft, "give a number from 0 up to, but not including, 1, such as `discount: 0.95`");
    }
    const asif_draft_parameter *discount = asif_draft_find_parameter(draft, "discount");
    if (discount)
        draft->discount = discount->learn || discount->bad ? 0 : discount->value;
    if (good || draft->parameters_at)
        asif_draft_check_parameters(draft, node);
    asif_draft_apply_preset(draft);
    asif_draft_check_utility(draft);
}
