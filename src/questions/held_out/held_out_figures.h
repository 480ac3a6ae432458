/* Models and actions whose predictions of held-out decisions are drawn, only where nothing is withheld.
 *
 * The share of a bin of predictions that took an action is a sum over histories. Whoever knows the model
 * knows which ones, and the page shows some of these counts. Such a share therefore narrows down withheld
 * counts, and neither fewer bins nor coarser steps prevent that. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_FIGURES_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_FIGURES_H

#include "render/figures/figure.h"

/* One pair after the other. */
typedef struct {
    const asif_yaml *models;
    uint32_t shown;   /* models */
    uint32_t model;   /* of the pair, in `models` */
    uint32_t at;      /* action of the pair */
    const char *name; /* of the model */
    const char *action;
    const asif_yaml *curve; /* of the pair */
} asif_held;

/* Whether the page has an evaluation that is not drawn. */
bool asif_held_withheld(const asif_source *source);
/* False: there is nothing to draw. */
bool asif_held_open(asif_held *held, const asif_source *source);
/* The next pair; false: there is none. */
bool asif_held_next(asif_held *held);

#endif
