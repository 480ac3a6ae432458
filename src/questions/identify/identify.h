/* The inside of what asif_identify_run() finds. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H

#include "asif/identify.h"

struct asif_identify {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_tree *logs; /* that were fitted */
    asif_theta *given;     /* what the agent is given, what is estimated without a value */
    const char *title;
    uint64_t seed, rival_episodes, rival_decisions;
    uint32_t max_steps;
    uint32_t starts;  /* of the rivals' searches */
    bool simulated;   /* `logs` are */
    asif_tree *grown; /* `logs`, where they were simulated */
    asif_fit *fit;    /* NULL: nothing was drawn */
    asif_doubt doubt; /* what predictive checks have against it */
    asif_theta *agent;
    double *truth;
    asif_rival_result *rival;
    asif_identify_view view;
};

#endif
