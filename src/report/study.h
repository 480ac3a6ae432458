/* The parts of a study's report. */
#ifndef ASIF_SRC_REPORT_STUDY_H
#define ASIF_SRC_REPORT_STUDY_H

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
/* Labels that fit on a line or two, with how many there are if some are left out. */
void asif_study_labels(asif_text *text, const asif_study_report *report, asif_label_kind kind,
                       const char *heading);
/* "healthy 0.5, diseased 0.5": what has probability 0 is left out. */
void asif_study_distribution(asif_text *words, const asif_study_report *report, asif_label_kind kind,
                             const double *p);

/* What the agent wants. */
void asif_study_utility(asif_text *text, const asif_study_report *report);
/* The utility of an action in a state or after an observation, as an expression in its parameters. */
void asif_utility_words(asif_text *words, const asif_study_report *report, bool by_observation,
                        uint32_t action, uint32_t index);
bool asif_utility_has(const asif_study_report *report, bool by_observation);
/* "certainty > 0.9" */
void asif_utility_condition(asif_text *words, const asif_study_report *report, const asif_utility_term *term);

/* Points of the lattice of beliefs (or states), and bytes that successors take at most, about. */
double asif_study_nodes(const asif_study_report *report);
double asif_study_bytes(const asif_study_report *report);
/* Probabilities that a matrix keeps. */
uint64_t asif_matrix_entries(const asif_matrix *matrix);

void asif_study_json(asif_text *text, const asif_study_report *report);

/* The study's estimates under their priors; NULL after an error. */
asif_estimates *asif_study_new_estimates(const asif_study_report *report, asif_error *error);
/* Name and prior (borrowed; NULL: none is known) of an estimated parameter. The parameters are gone through in their order,
 * and *reported counts the reported numbers that they take. */
void asif_study_estimated(const asif_study_report *report, const asif_estimates *estimates,
                          const asif_study_parameter *parameter, uint32_t *reported, asif_text *name,
                          const char **prior);

#endif
