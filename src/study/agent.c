/* The section `agent`: the planner, the agent's beliefs, and its parameters. */
#include "study/study_reader.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
#define NEAR_ONE (1 - 1e-10) /* beyond this discount no solver reaches three digits in double precision */

static void read_planner(asif_reader *draft, const asif_yaml *node) {
    const char *names[64];
    uint32_t n = 0, i = 0;
    for (const asif_planner_info *info; n < COUNT(names) && (info = asif_planner_get(n)); n++)
        names[n] = info->name;
    if (asif_reader_choice(draft, node, "`planner`", names, n, &i)) {
        draft->planner = names[i];
        draft->planner_at = node;
    }
}

static void read_discount(asif_reader *draft, const asif_yaml *node) {
    draft->discount_at = node;
    asif_reader_add_parameter(draft, "discount", node, node);
}

static void read_start(asif_reader *draft, const asif_yaml *node) {
    asif_reader_starts(draft, node, "start", true, &draft->agent_start);
}

static void read_action_prior(asif_reader *draft, const asif_yaml *node) {
    if (!draft->actions.count)
        return;
    if (asif_reader_learns(node, &draft->actions)) {
        const char *prior = NULL;
        if (asif_reader_learn(draft, node, node->text, ASIF_ACTION_PRIOR, draft->actions.count, &prior))
            asif_reader_add_learnt(draft, ASIF_ACTION_PRIOR, 0, node, prior);
        return;
    }
    double *p = asif_reader_alloc(draft, draft->actions.count, sizeof *p);
    if (p && asif_reader_distribution(draft, node, &draft->actions, "`action_prior`", p)) {
        draft->action_prior = p;
        draft->action_prior_at = node;
    }
}

/* `world_weights`: a list with the weights of all worlds, which need not sum to 1. */
static bool read_weights(asif_reader *draft, const asif_yaml *node, uint32_t worlds) {
    if (!asif_reader_kind(draft, node, ASIF_YAML_LIST, "`world_weights`"))
        return asif_reader_hint(draft, "give a list with one number for each world, or `learn`");
    if (node->count != worlds) {
        asif_reader_error(draft, node, "`world_weights` has %u number%s, but there %s %u world%s",
                          node->count, node->count == 1 ? "" : "s", worlds == 1 ? "is" : "are", worlds,
                          worlds == 1 ? "" : "s");
        return asif_reader_hint(draft, "give one number for each world, in the order of `worlds`");
    }
    double *weight = asif_reader_alloc(draft, worlds, sizeof *weight);
    for (uint32_t i = 0; weight && i < worlds; i++) {
        if (!asif_reader_number(draft, node->item[i], "a weight", &weight[i]))
            return false;
        if (!(weight[i] > 0 && isfinite(weight[i]))) {
            asif_reader_error(draft, node->item[i], "the weight of a world must be above 0, not %s",
                              asif_show(node->item[i]->text).text);
            return asif_reader_hint(draft, "remove a world that the agent holds to be impossible");
        }
    }
    draft->world_weights = weight;
    return weight != NULL;
}

static void read_world_weights(asif_reader *draft, const asif_yaml *node) {
    static const asif_labels none = {"world", 0, NULL};
    uint32_t worlds = draft->worlds_at ? (uint32_t)draft->worlds : 1;
    for (uint32_t m = 0; m < draft->worlds; m++) {
        if (!draft->world[m].weight_at)
            continue;
        asif_reader_error(draft, node, "`world_weights` is given, and world %u has a `weight` (line %u)",
                          m + 1, draft->world[m].weight_at->line);
        asif_reader_hint(draft, "keep one of the two");
        return;
    }
    if (worlds == 0) /* the worlds could not be read */
        return;
    if (!asif_reader_learns(node, &none)) {
        read_weights(draft, node, worlds);
        return;
    }
    const char *prior = NULL;
    if (worlds == 1) {
        asif_reader_error(draft, node, "`world_weights` has nothing to estimate: there is one world");
        asif_reader_hint(draft, "list the `worlds` that the agent holds to be possible");
    } else if (asif_reader_learn(draft, node, node->text, ASIF_WORLD_WEIGHTS, worlds, &prior)) {
        asif_reader_add_learnt(draft, ASIF_WORLD_WEIGHTS, 0, node, prior);
    }
}

static void read_belief_prior(asif_reader *draft, const asif_yaml *node) {
    if (draft->parts) {
        asif_reader_error(draft, node,
                          "`belief_prior` is not yet possible where a part of the state is seen");
        asif_reader_hint(draft, "leave it out: every observation then counts as 1");
        return;
    }
    const asif_labels *seen = draft->sees_states ? &draft->states : &draft->observations;
    if (!seen->count)
        return;
    double *p = asif_reader_alloc(draft, seen->count, sizeof *p);
    if (!p || !asif_reader_distribution(draft, node, seen, "`belief_prior`", p))
        return;
    for (uint32_t i = 0; i < seen->count; i++) {
        if (p[i] == 0) {
            asif_reader_error(draft, node, "`belief_prior` of `%s` is 0", asif_show_label(seen, i).text);
            asif_reader_hint(
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
    {"preset", asif_reader_read_preset, "an agent of the paper's Table 4, or a class of its Table 1"},
    {"discount", read_discount, "what the next step is worth today"},
    {"start", read_start, "what the agent believes at the beginning of an episode"},
    {"worlds", asif_reader_read_worlds, "the worlds that the agent holds to be possible"},
    {"world_weights", read_world_weights, "how likely the agent holds each of them"},
    {"action_prior", read_action_prior, "what the agent does without thinking"},
    {"means", asif_reader_read_means, "the belief that each action is nearest to (decision-boundaries)"},
    {"belief_prior", read_belief_prior, "what the agent expects to see"},
    {"parameters", asif_reader_read_parameters, "numbers that are given or estimated"},
    {"utility", asif_reader_read_utility, "what the agent wants"},
};

void asif_reader_read_agent(asif_reader *draft, const asif_yaml *node) {
    draft->parameters_misspelt = asif_reader_misspelt(node, "parameters", keys, COUNT(keys));
    bool good = asif_reader_section(draft, node, "agent", keys, COUNT(keys));
    if (node->kind != ASIF_YAML_MAP || draft->stop)
        return;
    if (good)
        asif_reader_check_means(draft, node);
    if (good && !asif_yaml_get(node, "utility") && !draft->file_at && asif_reader_has_utility(draft)) {
        asif_reader_error(draft, node, "the agent has no `utility`");
        asif_reader_hint(draft, "say what each action is worth: `utility: {ACTION: NUMBER, ...}`");
    }
    if (good && isnan(draft->discount) && !asif_reader_find_parameter(draft, "discount")) {
        asif_reader_error(draft, node, "the agent has no `discount`");
        asif_reader_hint(draft, draft->horizon
                                    ? "give a number from 0 to 1: with a horizon, `discount: 1` is possible"
                                    : "give a number from 0 up to, but not including, 1, such as "
                                      "`discount: 0.95`");
    }
    const asif_reader_parameter *discount = asif_reader_find_parameter(draft, "discount");
    if (discount)
        draft->discount = discount->learn || discount->bad ? 0 : discount->value;
    if (draft->discount > NEAR_ONE && !draft->horizon) {
        asif_reader_problem(draft, ASIF_PROBLEM_WARNING, ASIF_OK,
                            draft->discount_at ? draft->discount_at : node,
                            "the discount is so near 1 that values can be computed to a few digits at best");
        asif_reader_hint(draft, "use one of at most 0.999999");
    }
    if (good || draft->parameters_at)
        asif_reader_check_parameters(draft, node);
    asif_reader_apply_restriction(draft);
    asif_reader_apply_preset(draft);
    asif_reader_check_utility(draft);
}
