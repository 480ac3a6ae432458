/* Names, in texts for users, of the agents that a fit is compared with, and of their bounds. */
#ifndef ASIF_SRC_RENDER_WORDS_IDEAL_NAMES_H
#define ASIF_SRC_RENDER_WORDS_IDEAL_NAMES_H

#include "acting/agents.h"
#include "render/words/fit_numbers.h"

/* The agents that outcomes compare, the fitted agent first. Two agents that act the same are listed once, and
 * agents that could not be computed are left out. */
typedef struct {
    uint32_t count;
    uint32_t agent[ASIF_AGENT_COUNT];
} asif_agents;

/* The agents that a JSON of outcomes compares. */
asif_agents asif_agents_told(const asif_yaml *outcomes);
/* The part of `conduct`, or of an action at a history, that is about an agent; NULL: there is none. */
const asif_yaml *asif_agents_part(const asif_yaml *conduct, uint32_t agent);
/* The name of an agent: "same model, no bounds". */
const char *asif_agents_word(const asif_agents *agents, uint32_t agent);
/* The name of a bound by its key in a JSON of outcomes: "consistency" is "choice randomness". */
const char *asif_bound_word(const char *key);
/* Add a sentence on an agent that could not be computed, if there is one. */
void asif_agents_missing(asif_text *words, const asif_yaml *outcomes);

#endif
