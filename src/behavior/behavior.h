/* Behaviour as a table of functions over opaque agent states. A planner fills it; logs and simulation know nothing else. */
#ifndef ASIF_SRC_BEHAVIOR_BEHAVIOR_H
#define ASIF_SRC_BEHAVIOR_BEHAVIOR_H

#include "asif/behavior.h"

/* Each function must be safe to call from several threads at once, and must give the same bits for an agent state
 * whatever else is in its batch. */
typedef struct {
    void (*init)(const void *self, uint32_t start, uint32_t first, double *state);
    /* Are these agent states? On failure error->row is 1 + the first that is not. The others trust their callers. */
    asif_status (*check)(const void *self, uint64_t n, const double *state, asif_error *error);
    /* Log-probabilities [n][actions], and what `step` wants to know of the states it leaves: memo [n][memo_width], which may be
     * NULL. */
    asif_status (*log_policy)(const void *self, uint64_t n, const double *state, double *log_policy,
                              double *memo, asif_error *error);
    /* Agent i leaves state from[i] (i, where `from` is NULL) of which memo, if not NULL, is what log_policy said; the result is
     * the same with and without it. next may be state where `from` is NULL. */
    asif_status (*step)(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error);
    /* Optional. */
    asif_status (*look)(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error);
} asif_behavior_ops;

struct asif_behavior {
    const asif_behavior_ops *ops;
    const void *self;
    const asif_context *context;
    const asif_setting *setting;
    uint32_t width, memo_width;
};

#endif
