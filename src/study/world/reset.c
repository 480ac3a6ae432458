/* `reset`: transitions after which the next case begins, with a state drawn from a start distribution. */
#include "study/study_reader.h"

/* Make the matrix of `reset`: rows equal to `reset` of the environment or, if the study does not state it, to
 * `start`. */
static bool reset_matrix(asif_reader *draft, const asif_starts *start, uint32_t *out) {
    const asif_starts *from = draft->reset.classes ? &draft->reset : start;
    if (from->column) {
        asif_reader_error(draft, from->at, "`start` is by `%s`, so `reset` does not know what to draw from",
                          asif_show(from->column).text);
        return asif_reader_hint(draft, "give `reset: [...]` under `environment`, the mixture of the classes");
    }
    if (from->learn) {
        asif_reader_error(draft, from->at,
                          "the agent's start is to be estimated, so `reset` does not know what to draw from");
        return asif_reader_hint(draft, "give `reset: [...]` under `environment`: how a new case begins");
    }
    *out = asif_reader_same_rows(draft, from->p, draft->states.count);
    return *out != ASIF_READER_UNSET;
}

bool asif_reader_resolve(asif_reader *draft, const asif_starts *start, const uint32_t *from, uint32_t *to) {
    uint32_t reset = ASIF_READER_UNSET;
    for (uint32_t u = 0; u < draft->actions.count; u++) {
        to[u] = from[u] == ASIF_READER_TERMINAL ? asif_reader_identity(draft) : from[u];
        if (from[u] != ASIF_READER_RESET)
            continue;
        if (reset == ASIF_READER_UNSET && !reset_matrix(draft, start, &reset))
            return false;
        to[u] = reset;
    }
    return true;
}
