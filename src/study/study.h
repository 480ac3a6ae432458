/* Parts of a study that only the library itself needs. */
#ifndef ASIF_SRC_STUDY_STUDY_H
#define ASIF_SRC_STUDY_STUDY_H

#include "asif/study.h"
#include "base/data/json.h"

/* Default of `lattice_error`, in nats; it shifts a posterior mean by at most this many standard deviations.
 */
#define ASIF_LATTICE_ERROR 0.05

/* What every summary and report of a fit has to say, as written in the study; NULL if there is nothing. */
const char *asif_study_caveat(const asif_study *study);
/* Name of the file that the environment is read from (`pomdp`, `mdp`), as written in the study; NULL if there
 * is none. */
const char *asif_study_file(const asif_study *study);
/* The folder that file names are relative to, empty or with a slash at its end; NULL if the study was not
 * read from a file. */
const char *asif_study_folder(const asif_study *study);
/* The i-th parameter as written, estimated distributions after all others; NULL past the end. */
const asif_study_parameter *asif_study_parameter_get(const asif_study *study, uint32_t i);

/* The number of beliefs that can be reached, if the study's solver takes these; else 0. */
uint32_t asif_study_reached(const asif_study *study);

/* What people call something of the study (section `labels`); parts that are not stated are NULL. */
typedef enum {
    ASIF_NAMED_ACTION,
    ASIF_NAMED_STATE,
    ASIF_NAMED_OBSERVATION,
    ASIF_NAMED_PARAMETER,
    ASIF_NAMED_COUNT
} asif_named;
typedef struct {
    asif_named kind;
    const char *name; /* as in the rest of the study, and in logs */
    const char *label, *unit, *sentence;
} asif_study_label;
/* The i-th label; NULL past the end. */
const asif_study_label *asif_study_label_get(const asif_study *study, uint32_t i);
/* The label of a name; NULL if it has none, or if there is no study. */
const asif_study_label *asif_study_label_of(const asif_study *study, asif_named kind, const char *name);
const char *asif_named_text(asif_named kind); /* "action" */
/* An action, state, observation, utility parameter or start class as people are shown it: its label, else its
 * name. `buffer` has ASIF_LABEL_SIZE. */
const char *asif_study_shown(const asif_study *study, asif_label_kind kind, uint32_t i, char *buffer);
/* Add the key `labels`: by kind and name, an object of label, unit and sentence. Adds nothing if the study
 * has no labels. */
void asif_study_labels_json(asif_json *json, const asif_study *study);

/* Keep a study until asif_study_free() is called once more. */
void asif_study_keep(const asif_study *study);

#endif
