/* The path of one case in a report. A real episode needs two flags: its name, and --identify. */
#ifndef ASIF_CLI_COMMANDS_REPORT_PATH_H
#define ASIF_CLI_COMMANDS_REPORT_PATH_H

#include "asif/fit.h"

#include "job.h"

#define CLI_REPORT_PATH_OPTIONS                                                                              \
    {"subject",                                                                                              \
     0,                                                                                                      \
     CLI_TEXT,                                                                                               \
     "NAME",                                                                                                 \
     "with LOGS and --identify: show the path of this subject's episode instead of a simulated one",         \
     offsetof(cli_args, subject),                                                                            \
     0,                                                                                                      \
     0},                                                                                                     \
        {"episode",                                                                                          \
         0,                                                                                                  \
         CLI_TEXT,                                                                                           \
         "NAME",                                                                                             \
         "this episode; with --subject, this one of the subject's",                                          \
         offsetof(cli_args, unit),                                                                           \
         0,                                                                                                  \
         0},                                                                                                 \
        CLI_MAP_OPTION

/* Check that the flags fit together: CLI_OK, or CLI_USAGE after saying why not. */
int cli_report_path_check(const cli_args *args);
/* The same for a folder of groups, in which an episode cannot be assigned to a fit. */
int cli_report_path_groups(const cli_args *args);
/* The JSON of a path through the fit of a folder, to be freed by asif_memory_free(): an episode of LOGS, or a
 * case simulated with the fitted agent. NULL where such an agent cannot be followed. */
int cli_report_path(cli_job *job, const char *folder, const asif_result *result, char **out);

#endif
