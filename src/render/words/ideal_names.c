#include "render/words/ideal_names.h"

#include <math.h>
#include <string.h>

const asif_yaml *asif_agents_part(const asif_yaml *conduct, uint32_t agent) {
    const asif_yaml *part = asif_yaml_part(conduct, asif_agent_text((asif_agent)agent));
    /* Name of this agent in fits of version 0.1. */
    return part || agent != ASIF_AGENT_WITHOUT_BOUNDS ? part : asif_yaml_part(conduct, "ideal_same");
}

/* Whether two agents are the same: their results in the same simulated cases are then exactly equal. */
static bool one(const asif_yaml *conduct, uint32_t a, uint32_t b) {
    static const char *const keys[] = {"decisions", "utility"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        double x = asif_yaml_value(asif_yaml_part(asif_agents_part(conduct, a), keys[k]), "mean"),
               y = asif_yaml_value(asif_yaml_part(asif_agents_part(conduct, b), keys[k]), "mean");
        if (x != y)
            return false;
    }
    return true;
}

asif_agents asif_agents_told(const asif_yaml *outcomes) {
    const asif_yaml *conduct = asif_yaml_part(outcomes, "conduct"),
                    *bayes = asif_yaml_part(outcomes, "bayes");
    bool apart = asif_yaml_flag(bayes, "apart");
    asif_agents out = {.count = 2, .agent = {ASIF_AGENT_FITTED, ASIF_AGENT_WITHOUT_BOUNDS}};
    if (apart && asif_yaml_flag(bayes, "computed"))
        out.agent[out.count++] = ASIF_AGENT_BAYES;
    if (apart || !one(conduct, ASIF_AGENT_WITHOUT_BOUNDS, ASIF_AGENT_TRUE))
        out.agent[out.count++] = ASIF_AGENT_TRUE;
    return out;
}

const char *asif_agents_word(const asif_agents *agents, uint32_t agent) {
    static const char *const words[ASIF_AGENT_COUNT] = {"fitted agent", "same model, no bounds",
                                                        "Bayes-optimal agent", "knows the true world"};
    return agents->count == 2 && agent == ASIF_AGENT_WITHOUT_BOUNDS ? "ideal agent" : words[agent];
}

const char *asif_bound_word(const char *key) {
    static const struct {
        const char *key, *word;
    } words[] = {
        {"consistency", "choice randomness"},
        {"surprise", "taste for surprise"},
        {"worlds", "candidate worlds"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].key, key) == 0)
            return words[i].word;
    return key;
}

void asif_agents_missing(asif_text *words, const asif_yaml *outcomes) {
    const asif_yaml *bayes = asif_yaml_part(outcomes, "bayes");
    char cell[2][ASIF_CELL_SIZE];
    double gap = asif_yaml_value(bayes, "gap");
    if (!bayes || bayes->kind != ASIF_YAML_MAP || asif_yaml_flag(bayes, "computed"))
        return;
    asif_text_add(words, "The Bayes-optimal agent was not computed: ");
    if (asif_yaml_text(bayes, "why"))
        asif_text_add(words, "where a part of the state is seen or nothing follows an action, it needs few "
                             "enough beliefs, and seen values that cannot come again.");
    else if (isfinite(gap))
        asif_text_addf(words,
                       "after %s beliefs its value is known to %s of the span of utilities, and 0.01 %% is "
                       "needed.",
                       asif_read_count_text(cell[0], asif_yaml_value(bayes, "beliefs")),
                       asif_percent_text(cell[1], gap));
    else
        asif_text_add(words, "the problem has too many states.");
}
