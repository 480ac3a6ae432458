/* asif compare DIR...: groups against each other. */
#ifndef ASIF_CLI_FITS_COMPARE_GROUPS_H
#define ASIF_CLI_FITS_COMPARE_GROUPS_H

#include "args.h"

#define CLI_COMPARE_GROUPS_OPTIONS                                                                           \
    {"first",                                                                                                \
     0,                                                                                                      \
     CLI_TEXT,                                                                                               \
     "NAME",                                                                                                 \
     "the group that all others are compared with (default: the first)",                                     \
     offsetof(cli_args, first),                                                                              \
     0,                                                                                                      \
     0},                                                                                                     \
        {"draws",                                                                                            \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "draws of each fit whose behaviour is simulated (default 500)",                                     \
         offsetof(cli_args, draws),                                                                          \
         1,                                                                                                  \
         1e6},                                                                                               \
        {"episodes",                                                                                         \
         'n',                                                                                                \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "episodes simulated for each draw in each start class (default 1000)",                              \
         offsetof(cli_args, episodes),                                                                       \
         2,                                                                                                  \
         1e9},                                                                                               \
    {                                                                                                        \
        "max-steps", 0, CLI_COUNT, "N",                                                                      \
            "cut simulated episodes that have not ended after N decisions (default: 1000 where an action "   \
            "ends episodes, else as long as those of the logs)",                                             \
            offsetof(cli_args, max_steps), 1, 4294967294.0                                                   \
    }

int cli_compare_groups(const cli_args *args);
/* Differences of the numbers between the groups of a folder, as JSON (free()); `*json` is NULL where there is
 * one group. CLI_OK, or an exit code after saying what is wrong. */
int cli_compare_numbers(const cli_args *args, const char *folder, char **json);

#endif
