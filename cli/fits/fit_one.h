/* One fit, from a tree to the files of its folder: calls the library and prints messages. */
#ifndef ASIF_CLI_FITS_FIT_ONE_H
#define ASIF_CLI_FITS_FIT_ONE_H

#include "fits/groups.h"
#include "logs/database.h"

typedef struct {
    cli_job *job;
    asif_fit_options how;
    asif_plan_options solver;
    bool partial;             /* the logs are only a part of those that the pairs are about */
    asif_estimate_spec *spec; /* the parameters to estimate */
    uint32_t specs;
    asif_world_mode world; /* and the number of worlds; 0: the default */
    uint32_t worlds;
    cli_origin origin; /* of the logs, for run.json */
} cli_fit_job;

/* Set the options of the fit: those of the method, changed by the flags. */
void cli_fit_options(cli_fit_job *fit, asif_fit_method method);
/* Make the estimates of the fit, to be freed by asif_estimates_free(). Returns the library's status and
 * prints nothing. */
asif_status cli_fit_estimates(asif_estimates **out, const cli_fit_job *fit);
/* The request to the library for one group; borrows from both arguments. */
asif_fit_request cli_fit_request(const cli_fit_job *fit, const cli_group *group);
/* Fit and write the results into the folder `path`; a group that is already finished there is not fitted
 * again. `*json` is the text of fit.json, to be freed by free(). Returns CLI_OK, or an exit code after
 * printing what is wrong. */
int cli_fit_one(const cli_fit_job *fit, const cli_group *group, const char *path, char **json);

#endif
