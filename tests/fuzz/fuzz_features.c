/* Any bytes as a table of features, where states have names and where they are numbers. The first byte
 * chooses. */
#include "asif.h"

#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AGENT                                                                                                \
    "agent: {discount: 0.9, utility: {features: features.csv}, parameters: {alpha: 1, near: learn, far: "    \
    "-1}}\n"
static const char *const studies[] = {
    "asif: 1\nstates: [a, b, any way]\nactions: [x, y]\n"
    "environment: {start: a, transitions: {x: identity, y: uniform}}\n" AGENT,
    "asif: 1\nstates: 3\nactions: 2\nobservations: 2\n"
    "environment: {start: uniform, emissions: uniform}\n" AGENT,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    if (size == 0)
        return 0;
    if (!context)
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    scratch_write("features.csv", data + 1, size - 1);
    const char *text = studies[data[0] % 2];
    must(asif_problems_create(&problems, context, 4, NULL) == ASIF_OK);
    asif_status status =
        asif_study_read(&study, context, text, strlen(text), scratch_path("study.yaml"), problems, &error);
    must((status == ASIF_OK) == (study != NULL) && error.status == status);
    /* What is wrong has a place in the table, or in the study where that is named. */
    must(status == ASIF_OK || (error.message[0] && error.line > 0));
    must((status != ASIF_OK) == (asif_problems_found(problems, ASIF_PROBLEM_ERROR) > 0));
    asif_study_free(study);
    asif_problems_free(problems);
    return 0;
}
