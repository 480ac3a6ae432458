/* What recover and sbc have in common: a design read from a study, options from flags, a folder to go on from. */
#ifndef ASIF_CLI_CALIBRATE_H
#define ASIF_CLI_CALIBRATE_H

#include "job.h"

typedef struct {
    const char *command;
    cli_job job;
    char *study_text;
    size_t study_length;
    asif_estimate_spec *spec;
    asif_truth *truth; /* what -p says of what is estimated */
    asif_estimates *estimates;
    asif_plan_options solver;
    asif_fitted fitted;
    asif_calibrate_options options;
    char key[ASIF_DIGEST_SIZE];
} cli_calibrate;

/* Flags of both. */
#define CLI_REPLICATES_OPTIONS(many, each, words)                                                            \
    {"replicates",                                                                                           \
     0,                                                                                                      \
     CLI_COUNT,                                                                                              \
     "N",                                                                                                    \
     "agents, each simulated and fitted once (default " many ")",                                            \
     offsetof(cli_args, replicates),                                                                         \
     1,                                                                                                      \
     1000000},                                                                                               \
        {"episodes",                                                                                         \
         'n',                                                                                                \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "episodes of each agent (default " each ")",                                                        \
         offsetof(cli_args, episodes),                                                                       \
         1,                                                                                                  \
         1e15},                                                                                              \
        {"max-steps",                                                                                        \
         0,                                                                                                  \
         CLI_COUNT,                                                                                          \
         "N",                                                                                                \
         "cut episodes that have not ended after N decisions (default 1000)",                                \
         offsetof(cli_args, max_steps),                                                                      \
         1,                                                                                                  \
         4294967295.0},                                                                                      \
    {                                                                                                        \
        "output", 'o', CLI_TEXT, "DIR",                                                                      \
            "folder in which finished fits are noted, so that the same command can go on after an "          \
            "interruption" words,                                                                            \
            offsetof(cli_args, output), 0, 0                                                                 \
    }

/* Read the study and the flags into `calibrate`, whose options hold the defaults. CLI_OK, or an exit code after saying what is wrong;
 * cli_calibrate_close() in any case. */
int cli_calibrate_open(cli_calibrate *calibrate, const cli_args *args, const char *command,
                       const asif_calibrate_options *defaults);
/* Say why the fits ended; the exit code. */
int cli_calibrate_failed(cli_calibrate *c, asif_status status);
/* Print JSON or what people read of it, and keep it in the folder as `name`. The JSON is freed. */
int cli_calibrate_print(cli_calibrate *c, char *json, const char *name,
                        asif_status (*report)(char **, const asif_context *, const char *, uint64_t,
                                              const char *, const asif_report_options *, asif_error *));
void cli_calibrate_close(cli_calibrate *c);

#endif
