/* Histories of a tree up to a horizon, with their shares in the logs, and the part of their probability that
 * does not depend on the agent. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_HISTORY_CELLS_H
#define ASIF_SRC_INVERSE_EVIDENCE_HISTORY_CELLS_H

#include "asif/logs.h"

/* A cell is a history in the logs: all observations and actions up to an action at a node, which was the last
 * within the horizon or the last of the episode. Three things do not depend on the agent, and their shares
 * are taken from the logs: where a history was cut short, where nothing was observed, and its start class. */
typedef struct {
    const asif_context *context;
    uint64_t nodes, cells;
    uint32_t actions;
    uint32_t *node, *action; /* [cells] */
    double *share, *base;    /* [cells]: share in the logs; log-probability without the agent's actions */
    bool *forced;            /* [nodes]: the action here was not a decision */
} asif_history_cells;

/* Make the cells. `count` as in asif_inverse_input; horizon 0: that of the longest episode. Fails with
 * ASIF_EZEROPR and a row (the environment never shows an observation), ASIF_EINVALID (weights differ within
 * an episode, or there are no decisions) or ASIF_ENOMEM; there is then nothing to free. */
asif_status asif_history_cells_create(asif_history_cells *out, const asif_context *context,
                                      const asif_setting *setting, const asif_tree *tree, const double *count,
                                      uint32_t horizon, asif_error *error);
void asif_history_cells_free(asif_history_cells *cells);

/* Compute log-probabilities of the cells [cells] from log-policies at the nodes [nodes][actions]; room
 * [nodes] is scratch. */
void asif_history_cells_logs(const asif_history_cells *cells, const asif_tree *tree, const double *log_policy,
                             double *room, double *out);
/* Turn derivatives in these into derivatives in the log-policies, bar [nodes][actions]. */
void asif_history_cells_pull(const asif_history_cells *cells, const asif_tree *tree, const double *slope,
                             double *bar);

#endif
