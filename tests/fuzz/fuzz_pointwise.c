/* Any bytes as a table of what another model says, read and put beside logs of three units. */
#include "asif.h"
#include "questions/compare/models/compare_models.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static asif_tree *make_logs(const asif_context *context) {
    static const char text[] = "subject,t,action,observation\na,0,x,n\na,1,y,\nb,0,x,\nc,0,y,\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_tree *tree = NULL;
    options.units = ASIF_UNITS_SUBJECTS;
    must(asif_logs_read_text(&tree, context, text, sizeof text - 1, "logs", &options, NULL, NULL, NULL) ==
         ASIF_OK);
    return tree;
}

static void check_table(const asif_pointwise *table) {
    asif_pointwise_view v = {.struct_size = sizeof v};
    must(asif_pointwise_get(table, &v, NULL) == ASIF_OK && v.units > 0);
    must((v.value != NULL) == (v.chains > 0) && (v.elpd != NULL) == (v.chains == 0));
    uint64_t n = v.chains ? v.units * v.chains * v.draws : v.units;
    must(n > 0);
    for (uint64_t i = 0; i < n; i++)
        must(isfinite(v.chains ? v.value[i] : v.elpd[i]));
    for (uint64_t u = 0; u < v.units; u++)
        must(v.named == (asif_pointwise_unit(table, u) != NULL));
}

static void check_comparison(const asif_context *context, const asif_tree *logs,
                             const asif_pointwise *table) {
    asif_compare_models_model model = ASIF_COMPARE_MODELS_MODEL_INIT;
    asif_compare_models *compare = NULL;
    asif_error error = ASIF_ERROR_INIT;
    char *json = NULL, *text = NULL;
    model.name = "table";
    model.table = table;
    asif_status status = asif_compare_models_run(&compare, context, logs, &model, 1, NULL, &error);
    must((status == ASIF_OK) == (compare != NULL) && error.status == status);
    must(status == ASIF_OK || (status == ASIF_EINVALID && error.line > 0 && error.hint[0]));
    if (compare) {
        must(asif_compare_models_json(&json, compare, NULL) == ASIF_OK);
        must(asif_report_compare_models(&text, context, json, strlen(json), "json", NULL, NULL) == ASIF_OK);
        asif_memory_free(context, text);
        must(asif_compare_models_csv(&text, compare, NULL) == ASIF_OK);
        asif_memory_free(context, text);
        asif_memory_free(context, json);
    }
    asif_compare_models_free(compare);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    static asif_tree *logs;
    if (!context) {
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
        logs = make_logs(context);
    }
    asif_pointwise *table = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_pointwise_read_text(&table, context, (const char *)data, size, "fuzz", &error);
    /* A table or an error with a message, never both, never neither. */
    must((status == ASIF_OK) == (table != NULL) && error.status == status);
    must(status == ASIF_OK || error.message[0]);
    if (table) {
        check_table(table);
        check_comparison(context, logs, table);
    }
    asif_pointwise_free(table);
    return 0;
}
