/* The parts of a report on a study. */
#ifndef ASIF_SRC_REPORT_STUDY_STUDY_H
#define ASIF_SRC_REPORT_STUDY_STUDY_H

#include "asif/report.h"
#include "base/text.h"

typedef struct {
    const asif_context *context;
    const asif_study *study;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    bool seen;     /* whether the agent sees the state */
    bool labelled; /* whether the study's labels replace its names */
    bool unicode;
    uint32_t width; /* width of the terminal */
} asif_study_report;

/* A name of the study as the report shows it. `buffer` has ASIF_LABEL_SIZE. */
const char *asif_study_report_label(const asif_study_report *report, asif_label_kind kind, uint32_t i,
                                    char *buffer);
/* Add the dynamics of the environment and of the worlds, in words, and as tables where they are small. */
void asif_study_environment(asif_text *text, const asif_study_report *report);
void asif_study_worlds(asif_text *text, const asif_study_report *report);
/* Receives a sentence on what follows some actions ("a, b: the next state (row: from, column: to)"), and the
 * matrix of probabilities; NULL: the sentence says everything. */
typedef void asif_study_teller(asif_text *text, const asif_study_report *report, const char *words,
                               const asif_matrix *matrix, asif_label_kind columns);
/* Pass the transitions or emissions of one world to `tell`, each distinct matrix once; if `differing`, only
 * those that differ from the environment's. World number `worlds` is the environment. */
void asif_study_dynamics(const asif_study_report *report, uint32_t world, bool transitions, bool differing,
                         asif_study_teller *tell, asif_text *text);
/* Whether a candidate world equals the environment; whether the agent starts as the environment does; whether
 * a distribution is uniform. */
bool asif_study_knows(const asif_study_report *report, uint32_t world);
/* Add what a world is, if that can be said in a few words: the environment, or a mixture of it with a uniform
 * one.
 */
void asif_study_world_words(asif_text *words, const asif_study_report *report, uint32_t world);
bool asif_study_same_start(const asif_setting_spec *spec, const double *agent);
bool asif_study_is_uniform(const double *p, uint32_t count);
/* Add labels that fit on a line or two, with their number if some are left out. */
void asif_study_labels(asif_text *text, const asif_study_report *report, asif_label_kind kind,
                       const char *heading);
/* Add the seen parts of the state and the hidden values. */
void asif_study_parts(asif_text *text, const asif_study_report *report);
/* Add a distribution: "healthy 0.5, diseased 0.5"; probabilities of 0 are left out. */
void asif_study_distribution(asif_text *words, const asif_study_report *report, asif_label_kind kind,
                             const double *p);

/* Receives a class of observations that count as one event in the surprise term, and the actions that have
 * this class, as marks. */
typedef void asif_study_class_teller(void *to, const asif_study_report *report, const bool *action,
                                     const bool *observation);
/* Pass each distinct class of several observations to `tell`; none where states are seen. False: no
 * memory. */
bool asif_study_classes(const asif_study_report *report, asif_study_class_teller *tell, void *to);
/* Add a sentence: "with a, the observations x and y lead to the same beliefs, so they count as one event in
 * the surprise term". */
void asif_study_class_words(asif_text *words, const asif_study_report *report, const bool *action,
                            const bool *observation);
/* Whether eta is estimated or not 0. */
bool asif_study_weighs_surprise(const asif_study_report *report);
/* Add the classes of observations, if the surprise term counts. */
void asif_study_surprise(asif_text *text, const asif_study_report *report);

/* Add the utility of the agent. */
void asif_study_utility(asif_text *text, const asif_study_report *report);
/* Add the utility of an action in a state or after an observation, as an expression in its parameters. */
void asif_utility_words(asif_text *words, const asif_study_report *report, bool by_observation,
                        uint32_t action, uint32_t index);
/* Whether there are utilities by state (observation). */
bool asif_utility_has(const asif_study_report *report, bool by_observation);
/* Whether the utility of some action depends on the state (observation). */
bool asif_utility_depends(const asif_study_report *report, bool by_observation);
/* Add a term that depends on the belief: "2.5 more when certainty > 0.9, for declare". */
void asif_utility_belief(asif_text *words, const asif_study_report *report, const asif_utility_term *term);
/* Add the condition of a term: "certainty > 0.9". */
void asif_utility_condition(asif_text *words, const asif_study_report *report, const asif_utility_term *term);

/* Sizes of the computation: intervals on an edge of the lattice of beliefs, number of its points (or states),
 * and about the most bytes that the successors take. */
uint32_t asif_study_resolution(const asif_study_report *report);
double asif_study_beliefs(const asif_study_report *report, uint32_t resolution);
double asif_study_nodes(const asif_study_report *report);
double asif_study_bytes(const asif_study_report *report);
/* One of the probabilities of a matrix, and whether it is small enough to be shown. */
double asif_matrix_at(const asif_matrix *matrix, uint32_t row, uint32_t column);
bool asif_matrix_small(const asif_matrix *matrix);

void asif_study_json(asif_text *text, const asif_study_report *report);

/* Make the study's estimates with their priors, to be freed by asif_estimates_free(); NULL after an error. */
asif_estimates *asif_study_new_estimates(const asif_study_report *report, asif_error *error);
/* Name and prior (borrowed; NULL: not known) of an estimated parameter. Call this for the parameters in their
 * order; *reported, first 0, counts the reported numbers that they take. */
void asif_study_estimated(const asif_study_report *report, const asif_estimates *estimates,
                          const asif_study_parameter *parameter, uint32_t *reported, asif_text *name,
                          const char **prior);

#endif
