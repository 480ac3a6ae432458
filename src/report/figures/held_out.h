/* What may be drawn of predictions of held-out decisions.
 *
 * With a limit L (counts below it are neither shown nor derivable) nothing is told but this. The decisions are dealt by the predicted
 * probability of an action into bins whose ends are tenths, and neighbouring bins are put together until in each at least L decisions
 * took the action and at least L did not. Of such a bin a figure tells its ends and, in place of the share that took the action, that it
 * lies between two neighbouring multiples of a step: of 1, 2, 5, 10, 20 and 50 % the smallest that is at least 2 L of the decisions
 * in the bin. Why no count below L can be worked out from that:
 *  - counts are not told, nor means of predictions, thresholds or areas in more than 2 digits, from which those who know the model
 *    could solve for the decisions at each history;
 *  - whatever the number of decisions in a bin, at least 2 L counts of the action agree with what is told of it, all of
 *    them in bins with L on both sides: the same figure comes from logs in which a count differs by L;
 *  - precision and recall are told at the same bins' ends only, of the same unions of bins, in steps of the same kind: the difference
 *    between two of them is a union of bins again, each with L on both sides;
 *  - of two actions the second is the first one's complement, and is left out: its bins could end elsewhere;
 *  - behavioural cloning predicts by counts, and is left out.
 * A bin that is alone tells the share of an action in all decisions, in such a step. It is not drawn. */
#ifndef ASIF_SRC_REPORT_FIGURES_HELD_OUT_H
#define ASIF_SRC_REPORT_FIGURES_HELD_OUT_H

#include "report/figures/figure.h"

#define ASIF_HELD_BINS 10

typedef struct {
    double low, high, predicted, decisions, taken;
} asif_held_bin;

/* A share as it is told: exact if both are the same. */
typedef struct {
    double low, high;
} asif_held_share;

/* Where models and actions are drawn, one pair after the other. */
typedef struct {
    const asif_source *source;
    const asif_yaml *models;
    uint32_t limit;
    uint32_t shown;   /* models */
    uint32_t model;   /* of the pair, in `models` */
    uint32_t at;      /* action of the pair */
    const char *name; /* of the model */
    const char *action;
    const asif_yaml *curve; /* of the pair */
} asif_held;

/* False: nothing was evaluated. */
bool asif_held_open(asif_held *held, const asif_source *source);
/* The next pair; false: there is none. */
bool asif_held_next(asif_held *held);

/* The bins of the pair as they may be drawn; 0: none may. */
uint32_t asif_held_bins(asif_held_bin bin[ASIF_HELD_BINS], const asif_held *held);
/* The share of a part in a whole; nothing told: 0 to 1. */
asif_held_share asif_held_told(double part, double whole, uint32_t limit);
/* "0.25 to 0.30", "0.273" */
char *asif_held_text(char *buffer, asif_held_share share);

#endif
