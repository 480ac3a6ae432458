/* A table of pairs of episodes, each with a worse and a better one. */
#ifndef ASIF_SRC_INVERSE_EVIDENCE_PAIRS_H
#define ASIF_SRC_INVERSE_EVIDENCE_PAIRS_H

#include "asif/inverse.h"

typedef struct {
    const asif_context *context;
    uint64_t count, capacity;
    uint64_t *unit; /* [count][2]: units of the tree, the worse and the better */
} asif_pairs;

/* Read a file with the columns `worse` and `better`, which hold names of episodes of the tree. With
 * `partial`, pairs with an unknown episode are left out; otherwise they are an error (ASIF_EINVALID), as is
 * an episode paired with itself, or a file without pairs. Call asif_pairs_free() in any case. */
asif_status asif_pairs_read(asif_pairs *out, const asif_context *context, const char *path, bool partial,
                            const asif_tree *tree, asif_error *error);
void asif_pairs_free(asif_pairs *pairs);

#endif
