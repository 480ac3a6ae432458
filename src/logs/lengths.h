/* What the logs of a tree look like: how long episodes are, and how often everything was done and seen. */
#ifndef ASIF_SRC_LOGS_LENGTHS_H
#define ASIF_SRC_LOGS_LENGTHS_H

#include "asif/logs.h"

/* The episodes with k decisions are count[k - 1], for k from 1 to `longest`. `longest` 0: they are not known,
 * since weights are not counts, or the tree has only states. The array is the caller's. ASIF_ENOMEM. */
asif_status asif_lengths_make(double **count, uint64_t *longest, const asif_context *context,
                              const asif_tree *tree, asif_error *error);
/* The length below which a share p of the episodes are, from 0 to 1; between two lengths, their mean. NaN:
 * there are no episodes. */
double asif_lengths_quantile(const double *count, uint64_t longest, double p);
/* Add to taken [actions] how often each action was taken, decisions after lost results included. */
void asif_tree_taken(double *taken, const asif_tree_view *tree);
/* Add to seen [observations + 1] how often each observation followed an action or came before the first, as
 * far as it was recorded; the last: how often nothing was seen. The states must be hidden. */
void asif_tree_seen(double *seen, const asif_tree_view *tree);

#endif
