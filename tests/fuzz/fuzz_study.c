/* Any bytes as a study and the files that it names. Without a mark `=== NAME` the input is the study alone.
 */
#include "asif.h"

#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Hidden dynamics that are marked, filled in with equal probabilities, make a study. */
static void fill(const asif_context *context, const char *text, size_t size) {
    asif_study *study = NULL, *again = NULL;
    char *filled = NULL;
    if (asif_study_read_unlearnt(&study, context, text, size, NULL, NULL, NULL) != ASIF_OK)
        return;
    const asif_dynamics_spec *spec = asif_study_hidden_dynamics(study);
    if (spec) {
        uint64_t cells = 0;
        for (uint32_t t = 0; t < spec->tables; t++)
            cells += (uint64_t)spec->table[t].rows * spec->table[t].columns;
        double *point = calloc(cells, sizeof *point), *p = point;
        must(point != NULL);
        for (uint32_t t = 0; t < spec->tables; t++)
            for (uint64_t i = 0; i < spec->table[t].rows; i++, p += spec->table[t].columns) {
                uint32_t n = spec->table[t].columns, possible = 0;
                const bool *can = spec->table[t].possible ? spec->table[t].possible + i * n : NULL;
                for (uint32_t c = 0; c < n; c++)
                    possible += !can || can[c];
                for (uint32_t c = 0; c < n; c++)
                    p[c] = !can || can[c] ? 1.0 / possible : 0;
            }
        asif_status status = asif_study_fill_dynamics(&filled, study, text, size, point, NULL);
        must(status == ASIF_OK || status == ASIF_EUNSUPPORTED || status == ASIF_ENOMEM);
        if (filled) {
            status = asif_study_read(&again, context, filled, strlen(filled), NULL, NULL, NULL);
            must(status == ASIF_OK || status == ASIF_ENOMEM);
        }
        free(point);
    }
    asif_memory_free(context, filled);
    asif_study_free(again);
    asif_study_free(study);
}

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
    fill(context, (const char *)data, size);
    asif_study_free(study);
    asif_problems_free(problems);
    asif_context_free(context);
    return 0;
}
