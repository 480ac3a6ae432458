/* Rivals of an agent, as --against names them: parameters held at values, or another study. */
#ifndef ASIF_CLI_RIVALS_H
#define ASIF_CLI_RIVALS_H

#include "job.h"

typedef struct {
    asif_study *study; /* NULL: the agent's own */
    asif_work *work;   /* NULL: the agent's own */
    asif_theta *theta;
    asif_estimate_spec *spec;
    asif_estimates *estimates; /* NULL: nothing is free */
} cli_rival;

typedef struct {
    asif_rival *rival; /* [count]: as the library takes them */
    uint32_t count;
    cli_rival *inside;
} cli_rivals;

/* Whether a list of NAME=VALUE, separated by commas, gives a value to what is estimated by this name. */
bool cli_gives(const char *list, const char *name);
/* Put the values of such a list into a theta; CLI_OK, or an exit code after saying what is wrong. `what`: "-p". */
int cli_give(cli_job *job, asif_theta *theta, const char *list, const char *what);

/* The rivals of --against. `given` and `spec` are the agent's. cli_rivals_free() in any case. */
int cli_rivals_make(cli_rivals *out, cli_job *job, const asif_theta *given, const asif_estimate_spec *spec,
                    uint32_t specs);
void cli_rivals_free(cli_rivals *rivals);

#endif
