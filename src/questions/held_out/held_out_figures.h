/* Models and actions whose predictions of held-out decisions are drawn.
 *
 * Only where nothing is withheld. The share of a bin of predictions that took an action is a sum over
 * histories; whoever knows the model knows which, and the page tells some of these counts by themselves. Even
 * in steps worth many decisions such a share narrows down a count that is withheld: neither fewer bins nor
 * coarser steps mend that. */
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

/* Whether an evaluation was given that is not drawn. */
bool asif_held_withheld(const asif_source *source);
/* False: there is nothing to draw. */
bool asif_held_open(asif_held *held, const asif_source *source);
/* The next pair; false: there is none. */
bool asif_held_next(asif_held *held);

#endif
