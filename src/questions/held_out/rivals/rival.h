/* Rivals: predictions of decisions that are learnt from logs alone, without a model of the decision-maker. A
 * new one is one file with a row, and one line in registry.c. */
#ifndef ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_RIVAL_H
#define ASIF_SRC_QUESTIONS_HELD_OUT_RIVALS_RIVAL_H

#include "asif/dynamics.h"
#include "asif/planner.h"

/* What a rival learns from, borrowed; all counts are [nodes][actions]. */
typedef struct {
    const asif_context *context;
    const asif_tree *tree;
    const asif_setting *setting;
    const double *count; /* decisions to learn from */
    /* The same decisions in two parts by unit, for rivals whose training is stopped by decisions that it does
     * not see. */
    const double *fitting, *validation;
    uint64_t seed;
    const asif_tree *part; /* the episodes to learn from, with ends */
    /* Dynamics that are to be learnt from them; NULL: those of the setting's environment are known. */
    const asif_dynamics_spec *dynamics;
    const asif_plan_options *solver; /* for rivals that plan; NULL: the defaults */
} asif_lesson;

typedef struct {
    const char *name, *summary;
    bool histories; /* it uses histories, and cannot predict where states are seen */
    /* Predict the decisions at all nodes, policy [nodes][actions], and at all states where they are seen,
     * by_state [states][actions] (else NULL). ASIF_ENOMEM, ASIF_ETOOBIG or ASIF_ECANCELLED. */
    asif_status (*predict)(double *policy, double *by_state, const asif_lesson *lesson, asif_error *error);
} asif_rival;

extern const asif_rival asif_rival_uniform, asif_rival_cloning, asif_rival_base_rate, asif_rival_last_visit,
    asif_rival_recurrent_cloning, asif_rival_recurrent_cloning_published, asif_rival_belief_cloning,
    asif_rival_joint_belief_cloning, asif_rival_po_irl, asif_rival_po_irl_published, asif_rival_joint_po_irl;

/* Find a rival that can be asked for by its name; NULL: there is none, and the error is set. */
const asif_rival *asif_rival_find(const char *name, asif_error *error);

#define ASIF_RIVAL_DRAWN 1.0 /* weight, in decisions, of the shares towards which counts are shrunk */
/* Compute shares of counts [actions], shrunk towards others; `out` may be `count`. */
void asif_rival_share(double *out, const double *count, const double *towards, uint32_t actions);
/* Compute the shares of all decisions, shrunk towards equal shares, [actions]. */
void asif_rival_shares(double *out, const asif_lesson *lesson);

#endif
