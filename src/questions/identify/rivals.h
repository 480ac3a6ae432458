/* Rivals of an agent, from the option `against`: fixed parameters, or another study. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_RIVALS_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_RIVALS_H

#include "questions/identify/identify.h"
#include "questions/question.h"

/* Whether a list of NAME=VALUE, separated by commas, has a value for the estimated parameter `name`. */
bool asif_list_gives(const char *list, const char *name);
/* Set the values of such a list in a theta. `what` names the option in messages: "-p". ASIF_EINVALID, or as
 * asif_theta_set_text() fails. */
asif_status asif_list_give(asif_theta *theta, const char *list, const char *what, asif_error *error);

/* The agent whose rivals are made. */
typedef struct {
    const asif_study *study;
    const asif_work *work;
    const asif_theta *given;
    const asif_estimate_spec *spec;
    uint32_t specs;
    const asif_solve_asked *solve;
} asif_rivals_of;

/* Make [against->count] rivals, which live as long as the answer. */
asif_status asif_rivals_make(asif_rival **out, asif_asking *asking, const asif_rivals_of *agent,
                             const asif_list_option *against, asif_error *error);

#endif
