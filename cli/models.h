/* Several studies as models of the same logs. */
#ifndef ASIF_CLI_MODELS_H
#define ASIF_CLI_MODELS_H

#include "job.h"

typedef struct {
    uint32_t count;
    cli_job *job; /* [count]; the first one also holds the logs */
    asif_plan_options *solver;
    asif_estimate_spec **spec;
    asif_held_out_model *model;
    char **name;
} cli_models;

/* Flags that project and evaluate share. */
#define CLI_MODELS_OPTIONS                                                                                   \
    {"folds",                                                                                                \
     0,                                                                                                      \
     CLI_COUNT,                                                                                              \
     "N",                                                                                                    \
     "parts of the subjects, each held out once (default 5)",                                                \
     offsetof(cli_args, folds),                                                                              \
     2,                                                                                                      \
     1000},                                                                                                  \
        {"starts",                                                                                           \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "points from which the maximum is sought (default 9)",                                              \
         offsetof(cli_args, starts),                                                                         \
         1,                                                                                                  \
         1000},                                                                                              \
        CLI_SOLVE_OPTIONS, CLI_MAP_OPTION, CLI_JSON_OPTION, CLI_QUIET_OPTION, CLI_HELP_OPTION

/* All operands but the last are studies, the last one is the logs. CLI_OK, or an exit code after saying what is wrong;
 * cli_models_close() in any case. */
int cli_models_open(cli_models *models, const cli_args *args);
/* Fit them and judge them by what they have not seen. */
int cli_models_run(cli_models *models, bool whole, asif_held_out **out);
/* Print the report, or the JSON. */
int cli_models_show(cli_models *models, const char *json);
void cli_models_close(cli_models *models);

#endif
