/* Models and actions whose predictions of held-out decisions are drawn, only if the page withholds nothing.
 *
 * The share of a bin of predictions that took an action is a sum over histories. Whoever knows the model
 * knows which ones, and the page shows some of these counts. Such a share therefore narrows down withheld
 * counts, and neither fewer bins nor coarser steps prevent that. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_FIGURES_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_HELD_OUT_FIGURES_H

#include "render/figures/figure.h"

/* An iterator over pairs of a model and an action. */
typedef struct {
    const asif_yaml *models;
    uint32_t shown;   /* number of models shown */
    uint32_t model;   /* index of the current model in `models` */
    uint32_t at;      /* index of the current action */
    const char *name; /* name of the model */
    const char *action;
    const asif_yaml *curve; /* curve of the current pair */
} asif_held;

/* Whether the page has an evaluation that is withheld. */
bool asif_held_withheld(const asif_source *source);
/* Begin the iteration; false: there is nothing to draw. */
bool asif_held_open(asif_held *held, const asif_source *source);
/* Go to the next pair; false: there is none. */
bool asif_held_next(asif_held *held);

#endif
