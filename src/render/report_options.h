/* What all reports begin and end with. */
#ifndef ASIF_SRC_RENDER_REPORT_OPTIONS_H
#define ASIF_SRC_RENDER_REPORT_OPTIONS_H

#include "asif/report.h"
#include "base/data/json.h"
#include "base/data/yaml.h"

/* The options with the defaults for what the caller left out: NULL, fields of a later version, a width of 0.
 */
asif_status asif_report_fill(asif_report_options *out, const asif_report_options *options, asif_error *error);
/* With `json` in the options, a report of a JSON is that JSON. */
asif_status asif_report_echo(char **out, const asif_context *context, const char *json, uint64_t length,
                             asif_error *error);
/* The text is not what the report is of: "this is not WHAT"; `command` prints it. ASIF_EPARSE. */
asif_status asif_report_refuse(const asif_yaml *root, const char *name, const char *what, const char *command,
                               asif_error *error);
/* Problems as a list of objects; NULL: an empty list. */
void asif_problems_json(asif_json *json, const char *key, const asif_problems *problems, bool errors_only);

#endif
