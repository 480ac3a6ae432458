/* The half of `asif compare` that compares models by what they predict. */
#ifndef ASIF_CLI_FITS_COMPARE_MODELS_H
#define ASIF_CLI_FITS_COMPARE_MODELS_H

#include "args.h"

#define CLI_COMPARE_MODELS_OPTIONS                                                                           \
    {"logs",                                                                                                 \
     0,                                                                                                      \
     CLI_TEXT,                                                                                               \
     "LOGS",                                                                                                 \
     "compare models, fits of these logs, by what they predict of a unit that is left out",                  \
     offsetof(cli_args, logs),                                                                               \
     0,                                                                                                      \
     0},                                                                                                     \
        {"pointwise",                                                                                        \
         0,                                                                                                  \
         CLI_LIST,                                                                                           \
         "FILE",                                                                                             \
         "a model from elsewhere competes by a table (repeatable): one row a unit with elpd_loo, or one "    \
         "row a draw and one column of log-likelihoods a unit (Stan's files, too)",                          \
         offsetof(cli_args, pointwise),                                                                      \
         0,                                                                                                  \
         0},                                                                                                 \
        {"unit",                                                                                             \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         "UNIT",                                                                                             \
         "what is left out: subject or episode (default: subjects if there are at least ten)",               \
         offsetof(cli_args, unit),                                                                           \
         0,                                                                                                  \
         0},                                                                                                 \
        {"future",                                                                                           \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "also predict later decisions: given the first N of each episode, the next, and so on",             \
         offsetof(cli_args, future),                                                                         \
         1,                                                                                                  \
         1e6},                                                                                               \
        {"where",                                                                                            \
         0,                                                                                                  \
         CLI_LIST,                                                                                           \
         "COLUMN=VALUE",                                                                                     \
         "only episodes with this value of a column, as in the fits (repeatable: all must hold)",            \
         offsetof(cli_args, where),                                                                          \
         0,                                                                                                  \
         0},                                                                                                 \
        {"output",                                                                                           \
         'o',                                                                                                \
         CLI_TEXT,                                                                                           \
         "DIR",                                                                                              \
         "also write tables by unit, with their names: pointwise.csv, and log_lik-1.csv and so on with the " \
         "log-likelihoods of each fit at its draws",                                                         \
         offsetof(cli_args, output),                                                                         \
         0,                                                                                                  \
         0},                                                                                                 \
        CLI_MAP_OPTION

/* An exit code, after all is said. */
int cli_compare_models(const cli_args *args);

#endif
