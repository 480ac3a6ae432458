/* Whether people are like those of a fitted population: populations of as many people, with as many episodes
 * each, are drawn from it and simulated, and what they do on average, and how much they differ in that, is
 * compared with the logs. */
#ifndef ASIF_SRC_QUESTIONS_PREDICT_PEOPLE_CHECKS_H
#define ASIF_SRC_QUESTIONS_PREDICT_PEOPLE_CHECKS_H

#include "asif/people.h"

typedef struct {
    const asif_context *context;
    const char *title;
    const asif_work *work;
    const asif_estimates *estimates;
    const asif_tree *tree; /* its units are the people */
    const asif_people_effect *effect;
    uint32_t effects;
    const char *table; /* of asif_people_table() */
    uint64_t length;
    uint32_t replicates; /* populations that are simulated */
    uint64_t people;     /* most people of each; more are a sample of all, drawn at random */
    uint64_t seed;
} asif_people_checks_request;

typedef struct asif_people_checks asif_people_checks;

/* The request's context is borrowed for the life of the result, as are the title and the labels of the tree.
 * @return ASIF_OK; ASIF_EUNSUPPORTED where logs cannot be simulated like these; as asif_people_given() and
 * the planner do. Cost: a solve for each person of each population. */
asif_status asif_people_checks_run(asif_people_checks **out, const asif_people_checks_request *request,
                                   asif_error *error);
void asif_people_checks_free(asif_people_checks *checks);
/* Whether people are unlike those of the population, by more than chance. */
bool asif_people_checks_missed(const asif_people_checks *checks);
asif_status asif_people_checks_json(char **out, const asif_people_checks *checks, asif_error *error);

#endif
