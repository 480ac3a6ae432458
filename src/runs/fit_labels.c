/* Labels of the hidden state, and the states that the environment makes probable. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"
#include "logs/tree/tree.h"
#include "runs/whole_fit.h"

asif_status asif_fit_labels(double **out, const asif_context *context, const asif_setting *setting,
                            const asif_tree *tree, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    asif_dynamics *dynamics = NULL;
    *out = NULL;
    if (!setting || t->states_seen || t->states_labelled == 0 || !t->ends_known)
        return ASIF_OK;
    uint64_t cells = (uint64_t)t->states_labelled * t->states_labelled;
    ASIF_TRY(asif_dynamics_known(&dynamics, context, setting, tree, error));
    double *made = ASIF_ARRAY(context, 2 * cells, double);
    asif_status status = made ? asif_dynamics_agreement(made, made + cells, dynamics, dynamics->fixed, error)
                              : asif_fail_memory(error);
    asif_dynamics_free(dynamics);
    if (status == ASIF_OK)
        *out = made;
    else
        asif_free(context, made);
    return status;
}
