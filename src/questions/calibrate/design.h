/* The inputs of `recover` and `sbc`: a design from a study, and a folder in which an interrupted run
 * continues. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_DESIGN_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_DESIGN_H

#include "questions/calibrate/calibrate.h"
#include "questions/question.h"

typedef struct {
    asif_count_option replicates, people, episodes, max_steps, chains, warmup, draws, starts;
    asif_count_option bins;   /* sbc only */
    asif_number_option scale; /* sbc only: factor of a wrong prior */
    const char *output, *method;
    asif_solve_asked solve;
} asif_design_asked;

/* The options that both questions have. */
#define ASIF_REPLICATES_OPTIONS(many, each, words)                                                           \
    {"replicates",                                                                                           \
     0,                                                                                                      \
     ASIF_OPTION_COUNT,                                                                                      \
     "N",                                                                                                    \
     "agents, each simulated and fitted once (default " many ")",                                            \
     1,                                                                                                      \
     1000000,                                                                                                \
     offsetof(asif_design_asked, replicates)},                                                               \
        {"people",                                                                                           \
         0,                                                                                                  \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "populations with N people each, fitted as by asif people, instead of agents",                      \
         2,                                                                                                  \
         1000000,                                                                                            \
         offsetof(asif_design_asked, people)},                                                               \
        {"episodes",                                                                                         \
         'n',                                                                                                \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "episodes of each agent (default " each "), or of each person (default 20)",                        \
         1,                                                                                                  \
         1e15,                                                                                               \
         offsetof(asif_design_asked, episodes)},                                                             \
        {"max-steps",                                                                                        \
         0,                                                                                                  \
         ASIF_OPTION_COUNT,                                                                                  \
         "N",                                                                                                \
         "cut episodes that have not ended after N decisions (default 1000)",                                \
         1,                                                                                                  \
         4294967295.0,                                                                                       \
         offsetof(asif_design_asked, max_steps)},                                                            \
    {                                                                                                        \
        "output", 'o', ASIF_OPTION_TEXT, "DIR",                                                              \
            "folder in which finished fits are noted, so that the same command can go on after an "          \
            "interruption" words,                                                                            \
            0, 0, offsetof(asif_design_asked, output)                                                        \
    }

typedef struct {
    const char *question; /* "recover" or "sbc" */
    asif_study *study;
    asif_plan_options *solver;
    asif_fitted *fitted; /* in the arena of the answer */
    asif_calibrate_options options;
    char key[ASIF_DIGEST_SIZE];
} asif_design;

/* Read the study and the options, which change the defaults. The folder is made; it is refused if it contains
 * files of others under asif's names. */
asif_status asif_design_open(asif_design *out, asif_asking *asking, const char *question,
                             const asif_calibrate_options *defaults, asif_error *error);
/* End a run that returned `status`: write its answer into the folder, if there is one; if the run was
 * interrupted, add to the error what is kept. Returns `status`, or why writing failed. */
asif_status asif_design_end(const asif_design *design, asif_asking *asking, const void *result,
                            asif_status (*json)(char **out, const void *result, asif_error *error),
                            asif_status status, asif_error *error);

#endif
