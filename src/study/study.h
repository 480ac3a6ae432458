/* Parts of a study that only the library itself needs. */
#ifndef ASIF_SRC_STUDY_STUDY_H
#define ASIF_SRC_STUDY_STUDY_H

#include "asif/study.h"

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

#endif
