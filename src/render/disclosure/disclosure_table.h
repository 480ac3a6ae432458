/* Disclosure control of a table that describes the logs: how often everything was done and seen, and how long
 * episodes are. */
#ifndef ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TABLE_H
#define ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_TABLE_H

#include "render/disclosure/disclosure_tree.h"

/* What is known besides: all borrowed. */
typedef struct {
    const asif_context *context;
    const asif_yaml *logs, *histories; /* of fit.json; NULL: not there */
    const asif_disclosure_tree *tree;  /* what is shown of the histories */
    asif_cell decisions, episodes;     /* as they are shown */
    bool plain;                        /* each decision counts as one */
} asif_disclosure_known;

/* Decide what may be shown; the arrays of `out` are freed by asif_disclosure_table_free(). ASIF_ENOMEM. */
asif_status asif_disclosure_table_make(asif_disclosure_table *out, const asif_disclosure_known *known,
                                       asif_error *error);
void asif_disclosure_table_free(asif_disclosure_table *table, const asif_context *context);

#endif
