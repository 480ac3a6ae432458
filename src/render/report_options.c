#include "render/report_options.h"

#include "base/data/json.h"
#include "base/error.h"

#include <string.h>

asif_status asif_report_fill(asif_report_options *out, const asif_report_options *options,
                             asif_error *error) {
    *out = (asif_report_options)ASIF_REPORT_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "report options have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    if (out->width == 0)
        out->width = 80;
    return ASIF_OK;
}

asif_status asif_report_echo(char **out, const asif_context *context, const char *json, uint64_t length,
                             asif_error *error) {
    asif_text text = {.context = context};
    asif_text_add_n(&text, json, length);
    return asif_text_finish(out, &text, error);
}

asif_status asif_report_refuse(const asif_yaml *root, const char *name, const char *what, const char *command,
                               asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "this is not %s", what);
    asif_error_at(error, name, root->line, root->column);
    asif_error_hint(error, "`%s` prints it", command);
    return ASIF_EPARSE;
}

asif_status asif_report_quoted(char **out, const asif_context *context, const char *string,
                               asif_error *error) {
    asif_text text = {.context = context};
    asif_json json;
    asif_json_init(&json, &text);
    asif_json_string(&json, NULL, string);
    return asif_text_finish(out, &text, error);
}
