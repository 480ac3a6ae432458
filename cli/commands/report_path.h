/* The path of a real episode in a report, which has to be asked for twice: by name, and by --identify. */
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

/* What is asked for has to go together: CLI_OK, or CLI_USAGE after saying why not. */
int cli_report_path_check(const cli_args *args);
/* The same of a folder of groups: nothing tells which of the fits an episode belongs to. */
int cli_report_path_groups(const cli_args *args);
/* The JSON of the path through a fit that was read from a folder, to be freed by asif_memory_free(): an
 * episode of LOGS, else one of the fit's own agent, nobody's. NULL where such an agent cannot be followed. */
int cli_report_path(cli_job *job, const char *folder, const asif_result *result, char **out);

#endif
