/* Any bytes as the fit.json of a fit, and as its study and chain where the input has them; the tree of its
 * logs is always the same. */
#include "asif.h"

#include "scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char study_text[] =
    "asif: 1\nstates: [a, b]\nactions: [x, y]\nobservations: [n, p]\n"
    "environment: {start: uniform, emissions: [[0.7, 0.3], [0.3, 0.7]], ends: x}\n"
    "agent: {discount: 0.9, utility: {x: {a: 1, b: -1}, y: cost}, parameters: {alpha: learn, eta: learn, "
    "cost: 0}}\n"
    "solver: {resolution: 4}\n";
static const char logs_text[] = "episode,t,action,observation\n1,0,y,n\n1,1,x,p\n2,0,y,p\n2,1,x,p\n";

static void write_tree(const asif_context *context) {
    asif_study *study = NULL;
    asif_tree *tree = NULL;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    must(asif_study_read(&study, context, study_text, strlen(study_text), NULL, NULL, NULL) == ASIF_OK);
    options.setting = asif_study_setting(study);
    options.map = asif_study_logs(study);
    must(asif_logs_read_text(&tree, context, logs_text, strlen(logs_text), "logs", &options, NULL, NULL,
                             NULL) == ASIF_OK);
    must(asif_tree_save(tree, scratch_path("logs.tree"), NULL) == ASIF_OK);
    asif_tree_free(tree);
    asif_study_free(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"fit.json", "chain-1.csv", "study.yaml", NULL};
    static asif_context *context;
    if (!context) {
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
        write_tree(context);
    }
    asif_result *result = NULL;
    asif_problems *problems = NULL;
    asif_error error = ASIF_ERROR_INIT;
    scratch_unpack(names, data, size);
    if (!scratch_has("study.yaml"))
        scratch_write("study.yaml", study_text, strlen(study_text));
    must(asif_problems_create(&problems, context, 4, NULL) == ASIF_OK);
    asif_status status = asif_result_load(&result, context, scratch(), problems, &error);
    /* A fit or an error with a message, never both, never neither. */
    must((status == ASIF_OK) == (result != NULL) && error.status == status);
    must(status == ASIF_OK || error.message[0]);
    if (result) {
        asif_result_view view = {.struct_size = sizeof view};
        must(asif_result_get(result, &view, NULL) == ASIF_OK && view.length > 0);
        for (uint32_t i = 0; i < view.wheres; i++)
            must(view.where[i].column && view.where[i].values > 0 && view.where[i].value[0]);
    }
    asif_result_free(result);
    asif_problems_free(problems);
    return 0;
}
