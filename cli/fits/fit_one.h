/* One fit, from a tree to the files of its folder: what the library does, with the words of the command. */
#ifndef ASIF_CLI_FITS_FIT_ONE_H
#define ASIF_CLI_FITS_FIT_ONE_H

#include "fits/groups.h"

typedef struct {
    cli_job *job;
    asif_fit_options how;
    asif_plan_options solver;
    bool partial;             /* the logs are a part of those that pairs are about */
    asif_estimate_spec *spec; /* what is estimated */
    uint32_t specs;
} cli_fit_job;

/* The options of a method, with what the flags say. */
void cli_fit_options(cli_fit_job *fit, asif_fit_method method);
/* What is estimated, as the library sees it. The library's status, nothing is said. */
asif_status cli_fit_estimates(asif_estimates **out, const cli_fit_job *fit);
/* What is to be fitted; borrows from both. */
asif_fit_request cli_fit_request(const cli_fit_job *fit, const cli_group *group);
/* Fit and write everything into a folder; the text of fit.json is the caller's (free()). A group that is
 * finished there is not fitted again. */
int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *path, char **json);

#endif
