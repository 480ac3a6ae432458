/* Differences between groups, for the summary of several fits. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_TEXT_H
#define ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_TEXT_H

#include "asif/report.h"
#include "base/data/yaml.h"
#include "base/text.h"

/* Add the differences of numbers between groups, from the text of asif_compare_groups_json(). `labels`: the
 * labels of the study, see asif_names_show(). ASIF_EPARSE or ASIF_ENOMEM. */
asif_status asif_add_differences(asif_text *text, const asif_context *context, const char *json,
                                 const asif_yaml *labels, const asif_report_options *options,
                                 asif_error *error);

#endif
