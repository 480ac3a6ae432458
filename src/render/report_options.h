/* Options of reports, and functions that all reports share. */
#ifndef ASIF_SRC_RENDER_REPORT_OPTIONS_H
#define ASIF_SRC_RENDER_REPORT_OPTIONS_H

#include "asif/report.h"
#include "base/data/json.h"
#include "base/data/yaml.h"

/* Copy the options, with defaults for what the caller left out: NULL, fields of a later version, a width of
 * 0. ASIF_EDOMAIN if their size is not known. */
asif_status asif_report_fill(asif_report_options *out, const asif_report_options *options, asif_error *error);
/* Return a copy of the JSON, as the result of a report with `json` in its options. The caller owns `*out`. */
asif_status asif_report_echo(char **out, const asif_context *context, const char *json, uint64_t length,
                             asif_error *error);
/* Fail because a JSON text is not WHAT: "this is not WHAT"; the hint names the `command` that prints it.
 * ASIF_EPARSE. */
asif_status asif_report_refuse(const asif_yaml *root, const char *name, const char *what, const char *command,
                               asif_error *error);
/* Write problems as a list of objects; NULL: an empty list. */
void asif_problems_json(asif_json *json, const char *key, const asif_problems *problems, bool errors_only);

#endif
