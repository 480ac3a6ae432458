/* What the bounds of an agent cost, at one draw: utility of the agent without some of them, and the share of each. */
#ifndef ASIF_SRC_EVALUATE_LOSSES_H
#define ASIF_SRC_EVALUATE_LOSSES_H

#include "evaluate/unbound.h"

enum { ASIF_LOSS_SHARE, ASIF_LOSS_PER_DECISION, ASIF_LOSS_LAST, ASIF_LOSS_ALONE, ASIF_LOSS_KINDS };
/* After the kinds of all bounds. */
enum { ASIF_LOSS_WHOLE, ASIF_LOSS_WHOLE_PER_DECISION, ASIF_LOSS_VALUE, ASIF_LOSS_IDEAL, ASIF_LOSS_TOTALS };
#define ASIF_LOSS_MASKS (1u << ASIF_BOUND_COUNT)
#define ASIF_LOSS_NUMBERS (ASIF_BOUND_COUNT * ASIF_LOSS_KINDS + ASIF_LOSS_TOTALS)

typedef struct {
    const asif_fitted *fitted;
    uint32_t count, bound[ASIF_BOUND_COUNT]; /* those that the agent has, as numbers */
    uint32_t same
        [ASIF_LOSS_MASKS]; /* by mask: the mask of the same agent that stands for it; ASIF_ANY: not needed */
    bool fixed[ASIF_LOSS_MASKS];                           /* the same at all draws */
    double weight[ASIF_LOSS_NUMBERS][ASIF_LOSS_MASKS];     /* numbers as sums of values by mask */
    double value[ASIF_LOSS_MASKS], error[ASIF_LOSS_MASKS]; /* of the fixed ones */
    const double *mix;                                     /* [starts] */
    double enough;                                         /* standard error at which simulation ends */
    uint32_t runs;
    uint64_t seed;
    uint32_t numbers;
} asif_losses;

/* What is to be computed. `mix` is borrowed. */
void asif_losses_begin(asif_losses *out, const asif_fitted *fitted, const double *mix, uint32_t runs,
                       uint64_t seed);
/* Those that are the same at all draws, from the agent of any. */
asif_status asif_losses_fixed(asif_losses *losses, asif_unbound *unbound, const asif_theta *theta,
                              asif_error *error);
/* The numbers at draw `index`: values, and the variances that simulation leaves in them, without what the fixed ones leave. */
asif_status asif_losses_at(const asif_losses *losses, asif_unbound *unbound, const asif_theta *theta,
                           uint32_t index, double *number, double *variance, asif_error *error);
/* What the fixed ones leave, for a discount. */
double asif_losses_common(const asif_losses *losses, uint32_t number, double discount);
/* Whether a number is one per decision. */
bool asif_losses_per_decision(const asif_losses *losses, uint32_t number);

#endif
