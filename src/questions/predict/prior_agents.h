/* Agents of the prior, in place of those of a fit. */
#ifndef ASIF_SRC_QUESTIONS_PREDICT_PRIOR_AGENTS_H
#define ASIF_SRC_QUESTIONS_PREDICT_PRIOR_AGENTS_H

#include "questions/question.h"

/* What is asked of them. */
typedef struct {
    bool prior;
    asif_list_option param, map; /* only with a study and logs */
    asif_count_option seed;
} asif_prior_asked;

/* What a fit of the study to the logs, which are the operands, would begin with. `units`: the tree has a unit
 * for each subject, with the covariates that the study's population depends on. */
asif_status asif_prior_begin(asif_asking *asking, asif_fitted *out, asif_study **of,
                             const asif_prior_asked *asked, bool units, asif_error *error);
/* Make a fit whose draws are `count` draws from the priors: of the study and the logs that are the operands,
 * or of the fit that is the only operand. All of it lives as long as the answer. Fails with ASIF_EINVALID
 * where there is no prior to draw from, and as reading a study, logs or a fit does. */
asif_status asif_prior_agents(asif_asking *asking, asif_fitted *out, const asif_prior_asked *asked,
                              uint32_t count, asif_error *error);

#endif
