/* One fit, from a tree to the files of its folder. */
#ifndef ASIF_CLI_FIT_ONE_H
#define ASIF_CLI_FIT_ONE_H

#include "groups.h"

typedef struct {
    cli_job *job;
    const char *study_text;
    size_t study_length;
    asif_fit_method method;
    asif_inverse_options asked; /* what the inverse planner is told */
    asif_estimate_spec *spec;   /* what is estimated */
    uint32_t specs;
    struct timespec started; /* time of day */
} cli_fit_job;

/* What is estimated, as the library sees it; warnings go to `said`. The library's status, nothing is said. */
asif_status cli_fit_estimates(asif_estimates **out, const cli_fit_job *fit, asif_problems *said);

/* A checkpoint or a finished fit is known again by it; [ASIF_DIGEST_SIZE]. */
int cli_fit_key(char *key, const cli_fit_job *fit, const cli_group *group);
/* Fit and write everything into a folder; the text of fit.json is the caller's (free()). A group that is finished there is not fitted
 * again. */
int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *path, char **json);

#endif
