/* What is asked of every fit, in short: what they do and what it costs, what the fit misses, what hangs on what was given. */
#ifndef ASIF_CLI_FIT_ASKED_H
#define ASIF_CLI_FIT_ASKED_H

#include "fit_one.h"

typedef struct {
    asif_outcomes *outcomes; /* each may be NULL: it cannot be told of this fit */
    asif_predictive_checks *checks;
    asif_sensitivity *sensitivity;
} cli_asked;

/* The library's status, nothing is said: only running out of memory and being cancelled are failures. Free in any case. */
asif_status cli_asked_make(cli_asked *out, const cli_fit_job *fit, const cli_group *group,
                           const asif_estimates *estimates, const asif_fit_view *view);
void cli_asked_free(cli_asked *asked);

#endif
