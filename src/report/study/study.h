/* The parts of a study's report. */
#ifndef ASIF_SRC_REPORT_STUDY_STUDY_H
#define ASIF_SRC_REPORT_STUDY_STUDY_H

#include "asif/report.h"
#include "base/text.h"

typedef struct {
    const asif_context *context;
    const asif_study *study;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    bool seen; /* the agent sees the state */
    bool unicode;
    uint32_t width; /* of the terminal */
} asif_study_report;

/* Dynamics in words, and as tables where they are small. */
void asif_study_environment(asif_text *text, const asif_study_report *report);
void asif_study_worlds(asif_text *text, const asif_study_report *report);
/* Takes a sentence on what follows some actions ("a, b: the next state (row: from, column: to)") and, where
 * words do not say it all, the probabilities; NULL: they do. */
typedef void asif_study_teller(asif_text *text, const asif_study_report *report, const char *words,
                               const asif_matrix *matrix, asif_label_kind columns);
/* The transitions or emissions of one world, each distinct one once; if `differing`, without those of the
 * environment. The world after the last is the environment. */
void asif_study_dynamics(const asif_study_report *report, uint32_t world, bool transitions, bool differing,
                         asif_study_teller *tell, asif_text *text);
/* Whether a candidate world is the environment; the agent starts as the environment does; all is equally
 * likely. */
bool asif_study_knows(const asif_study_report *report, uint32_t world);
bool asif_study_same_start(const asif_setting_spec *spec, const double *agent);
bool asif_study_is_uniform(const double *p, uint32_t count);
/* Labels that fit on a line or two, with how many there are if some are left out. */
void asif_study_labels(asif_text *text, const asif_study_report *report, asif_label_kind kind,
                       const char *heading);
/* "healthy 0.5, diseased 0.5": what has probability 0 is left out. */
void asif_study_distribution(asif_text *words, const asif_study_report *report, asif_label_kind kind,
                             const double *p);

/* Takes actions with the same class of observations that count as one event in the surprise term: which
 * actions, which observations. */
typedef void asif_study_class_teller(void *to, const asif_study_report *report, const bool *action,
                                     const bool *observation);
/* Each distinct class of several observations once; nothing where states are seen. False: no memory. */
bool asif_study_classes(const asif_study_report *report, asif_study_class_teller *tell, void *to);
/* "with a, the observations x and y lead to the same beliefs, so they count as one event in the surprise
 * term" */
void asif_study_class_words(asif_text *words, const asif_study_report *report, const bool *action,
                            const bool *observation);
/* Is eta other than 0, or estimated? */
bool asif_study_weighs_surprise(const asif_study_report *report);
void asif_study_surprise(asif_text *text, const asif_study_report *report);

/* What the agent wants. */
void asif_study_utility(asif_text *text, const asif_study_report *report);
/* The utility of an action in a state or after an observation, as an expression in its parameters. */
void asif_utility_words(asif_text *words, const asif_study_report *report, bool by_observation,
                        uint32_t action, uint32_t index);
bool asif_utility_has(const asif_study_report *report, bool by_observation);
/* Whether any action's utility depends on the state (observation). */
bool asif_utility_depends(const asif_study_report *report, bool by_observation);
/* "2.5 more when certainty > 0.9, for declare": a term of the belief. */
void asif_utility_belief(asif_text *words, const asif_study_report *report, const asif_utility_term *term);
/* "certainty > 0.9" */
void asif_utility_condition(asif_text *words, const asif_study_report *report, const asif_utility_term *term);

/* Intervals on an edge of the lattice of beliefs, its points (or states), and bytes that successors take at
 * most, about. */
uint32_t asif_study_resolution(const asif_study_report *report);
double asif_study_nodes(const asif_study_report *report);
double asif_study_bytes(const asif_study_report *report);
/* Probabilities that a matrix keeps; one of them; whether it is small enough to be shown. */
uint64_t asif_matrix_entries(const asif_matrix *matrix);
double asif_matrix_at(const asif_matrix *matrix, uint32_t row, uint32_t column);
bool asif_matrix_small(const asif_matrix *matrix);

void asif_study_json(asif_text *text, const asif_study_report *report);

/* The study's estimates under their priors; NULL after an error. */
asif_estimates *asif_study_new_estimates(const asif_study_report *report, asif_error *error);
/* Name and prior (borrowed; NULL: none is known) of an estimated parameter. The parameters are gone through
 * in their order, and *reported counts the reported numbers that they take. */
void asif_study_estimated(const asif_study_report *report, const asif_estimates *estimates,
                          const asif_study_parameter *parameter, uint32_t *reported, asif_text *name,
                          const char **prior);

#endif
