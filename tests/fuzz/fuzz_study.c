/* Any bytes as a study. Without a name the reader opens no files. */
#include "asif.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    asif_context *context = NULL;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    asif_error error = ASIF_ERROR_INIT;
    if (asif_context_create(&context, NULL, NULL) != ASIF_OK ||
        asif_problems_create(&problems, context, 4, NULL) != ASIF_OK)
        abort();
    asif_status status = asif_study_read(&study, context, (const char *)data, size, NULL, problems, &error);
    /* A study or an error with a place and a message, never both, never neither; and it is in the list. */
    if ((status == ASIF_OK) != (study != NULL) || (status == ASIF_OK) != (error.status == ASIF_OK))
        abort();
    if (status != ASIF_OK &&
        (error.status != status || !error.message[0] || error.line == 0 || error.column == 0) &&
        status != ASIF_ENOMEM)
        abort();
    if ((status != ASIF_OK) != (asif_problems_found(problems, ASIF_PROBLEM_ERROR) > 0))
        abort();
    asif_study_free(study);
    asif_problems_free(problems);
    asif_context_free(context);
    return 0;
}
