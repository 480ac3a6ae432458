/* A table of pairs of episodes, of which one is held to be better than the other. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_PAIRS_H
#define ASIF_SRC_INVERSE_EVIDENCE_PAIRS_H

#include "asif/inverse.h"

typedef struct {
    const asif_context *context;
    uint64_t count, capacity;
    uint64_t *unit; /* [count][2]: of the tree, the worse and the better */
} asif_pairs;

/* From a file with the columns `worse` and `better`, which hold names of episodes as the tree has them. With
 * `partial`, pairs with an episode that the tree has not are left out; else they are an error, as is an
 * episode beside itself. asif_pairs_free() in any case. */
asif_status asif_pairs_read(asif_pairs *out, const asif_context *context, const char *path, bool partial,
                            const asif_tree *tree, asif_error *error);
void asif_pairs_free(asif_pairs *pairs);

#endif
