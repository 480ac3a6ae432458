/* Histories of a tree to a horizon, with their shares and with what of their probability does not depend on
 * the agent. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_HISTORY_CELLS_H
#define ASIF_SRC_INVERSE_EVIDENCE_HISTORY_CELLS_H

#include "asif/logs.h"

/* A cell is a history that occurs in the logs: all that was seen and done up to an action at a node, which
 * was the last within the horizon or the last of the episode. Three things do not depend on the agent, and
 * their shares are taken from the logs: where a history was cut short, where nothing was seen, and its start
 * class. */
typedef struct {
    const asif_context *context;
    uint64_t nodes, cells;
    uint32_t actions;
    uint32_t *node, *action; /* [cells] */
    double *share, *base;    /* [cells]: of the logs; log-probability of all but the agent's actions */
    bool *forced;            /* [nodes]: what led on from here was no decision */
} asif_history_cells;

/* `count` as in asif_inverse_input; horizon 0: that of the longest episode. ASIF_EZEROPR, with its row, where
 * the environment never shows what was seen; ASIF_EINVALID where weights differ within an episode. */
asif_status asif_history_cells_create(asif_history_cells *out, const asif_context *context,
                                      const asif_setting *setting, const asif_tree *tree, const double *count,
                                      uint32_t horizon, asif_error *error);
void asif_history_cells_free(asif_history_cells *cells);

/* Log-probabilities of the cells [cells] from log-policies at the nodes [nodes][actions]; room [nodes]. */
void asif_history_cells_logs(const asif_history_cells *cells, const asif_tree *tree, const double *log_policy,
                             double *room, double *out);
/* From derivatives in these to derivatives in the log-policies, bar [nodes][actions]. */
void asif_history_cells_pull(const asif_history_cells *cells, const asif_tree *tree, const double *slope,
                             double *bar);

#endif
