/* Names of a study as a report shows them. */
#include "report/study/study.h"

#include "study/study.h"

const char *asif_study_report_label(const asif_study_report *report, asif_label_kind kind, uint32_t i,
                                    char *buffer) {
    return report->labelled ? asif_study_shown(report->study, kind, i, buffer)
                            : asif_setting_label(report->setting, kind, i, buffer);
}
