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

/* Check that the flags fit together. Returns CLI_OK, or CLI_USAGE after printing why not. */
int cli_report_path_check(const cli_args *args);
/* Refuse LOGS for a folder of groups, because the group of an episode is not known. Returns as above. */
int cli_report_path_groups(const cli_args *args);
/* Make the JSON of a path through the fit of a folder: an episode of LOGS, or a simulated case of the
 * fitted agent. `*out` is freed by asif_memory_free(); it stays NULL where the agent cannot be followed.
 * Returns CLI_OK, or an exit code after printing what is wrong. */
int cli_report_path(cli_job *job, const char *folder, const asif_result *result, char **out);

#endif
