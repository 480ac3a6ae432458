/* The agents that a fit is compared with, as people read them. */
#ifndef ASIF_SRC_RENDER_WORDS_IDEAL_NAMES_H
#define ASIF_SRC_RENDER_WORDS_IDEAL_NAMES_H

#include "asif/outcomes.h"
#include "render/words/fit_numbers.h"

/* Those that outcomes tell of, the fitted agent first; agents that are one are one, and those that could not
 * be computed are left out. */
typedef struct {
    uint32_t count;
    uint32_t agent[ASIF_AGENT_COUNT];
} asif_agents;

asif_agents asif_agents_told(const asif_yaml *outcomes);
/* What `conduct`, or an action of a history, says of an agent; NULL: nothing. */
const asif_yaml *asif_agents_part(const asif_yaml *conduct, uint32_t agent);
/* In words: "same model, no bounds". */
const char *asif_agents_word(const asif_agents *agents, uint32_t agent);
/* A sentence on an agent that could not be computed; nothing where there is none. */
void asif_agents_missing(asif_text *words, const asif_yaml *outcomes);

#endif
