/* The agent of PO-IRL: it plans for the best with a utility of every state and action, and acts by a softmax
 * of its values. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_PO_IRL_AGENT_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_PO_IRL_AGENT_H

#include "questions/held_out/rivals/belief_lesson.h"
#include "theta/theta.h"

typedef struct {
    const asif_belief_lesson *beliefs;
    uint32_t utilities; /* actions times states */
    asif_setting *setting;
    asif_work *work;
    asif_theta *theta;
    asif_theta_gradient gradient;
} asif_po_irl;

/* Make the agent that plans in the dynamics of a point [cells]. Fails as asif_work_create(); free also then.
 */
asif_status asif_po_irl_create(asif_po_irl *out, const asif_belief_lesson *beliefs, const double *point,
                               asif_error *error);
void asif_po_irl_free(asif_po_irl *agent);
/* Log-likelihood of the training decisions at utilities [actions][states], and its derivatives unless they
 * are NULL; -inf: there is no solution. */
asif_status asif_po_irl_loglik(double *value, double *gradient, asif_po_irl *agent, const double *utility,
                               asif_error *error);
/* Predict the decisions at all nodes of the lesson's tree, policy [nodes][actions]. */
asif_status asif_po_irl_predict(double *policy, asif_po_irl *agent, const double *utility, asif_error *error);

#endif
