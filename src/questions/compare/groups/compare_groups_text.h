/* Differences between groups, for the summary of several fits. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_TEXT_H
#define ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_TEXT_H

#include "asif/report.h"
#include "base/text.h"

/* Add the differences of numbers between groups, from the text of asif_compare_groups_json(). ASIF_EPARSE or
 * ASIF_ENOMEM. */
asif_status asif_add_differences(asif_text *text, const asif_context *context, const char *json,
                                 const asif_report_options *options, asif_error *error);

#endif
