/* Any bytes as a study and the files that it names. Without a mark `=== NAME` the input is the study alone.
 */
#include "asif.h"

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"study.yaml",   "world.pomdp", "world.drn",
                                        "features.csv", "pairs.csv",   NULL};
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    scratch_unpack(names, data, size);
    must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    must(asif_problems_create(&problems, context, 4, NULL) == ASIF_OK);
    asif_status status = asif_study_load(&study, context, scratch_path(names[0]), problems, &error);
    /* A study or an error with a place and a message, never both, never neither; and it is in the list. */
    must((status == ASIF_OK) == (study != NULL) && (status == ASIF_OK) == (error.status == ASIF_OK));
    must(status == ASIF_OK || status == ASIF_ENOMEM || (error.status == status && error.message[0]));
    must((status != ASIF_OK) == (asif_problems_found(problems, ASIF_PROBLEM_ERROR) > 0));
    for (uint32_t i = 0; i < asif_problems_count(problems); i++) {
        const asif_error *problem = asif_problems_get(problems, i, NULL);
        must(problem->message[0] && problem->file[0]);
        must(problem->status == ASIF_OK || problem->status == ASIF_ENOMEM || problem->line > 0);
    }
    asif_study_free(study);
    asif_problems_free(problems);
    asif_context_free(context);
    return 0;
}
