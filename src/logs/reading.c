/* Problems that are found while a table is read. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/os.h"
#include "setting/setting.h"

#include <string.h>

bool asif_reading_wants(asif_reading *reading, asif_severity severity) {
    if (reading->muted)
        return false;
    reading->failed = reading->failed || severity == ASIF_PROBLEM_ERROR;
    return reading->found[severity]++ < ASIF_DESCRIBED;
}

/* Tables without lines have rows in their place. */
static uint32_t order_of(asif_place place) {
    uint64_t order = place.line ? place.line : place.row;
    return order < UINT32_MAX ? (uint32_t)order : UINT32_MAX - 1;
}

void asif_reading_list(asif_reading *reading, asif_severity severity, asif_status status, asif_place place,
                       const char *hint, const char *format, ...) {
    asif_error error = ASIF_ERROR_INIT;
    va_list args;
    va_start(args, format);
    asif_os_vsnprintf(error.message, sizeof error.message, format, args);
    va_end(args);
    error.status = severity == ASIF_PROBLEM_ERROR ? status : ASIF_OK;
    asif_error_at(&error, reading->file, place.line, place.column);
    error.row = place.row;
    asif_error_hint(&error, "%s", hint);
    /* Errors are listed in the order of their lines; warnings and notes follow. */
    asif_problems_insert(reading->problems, 0, severity, &error,
                         severity == ASIF_PROBLEM_ERROR ? order_of(place) : UINT32_MAX, place.column);
}

void asif_reading_leave_out(asif_reading *reading, asif_out *out, uint64_t row) {
    uint32_t at = out->listed;
    while (at > 0 && out->row[at - 1] > row)
        at--;
    if (at < ASIF_OUT_LISTED) {
        out->listed += out->listed < ASIF_OUT_LISTED;
        for (uint32_t i = out->listed - 1; i > at; i--)
            out->row[i] = out->row[i - 1];
        out->row[at] = row;
    }
    out->count += reading->copies;
    reading->info.excluded += reading->copies;
}

asif_place asif_reading_here(const asif_reading *reading, uint32_t column) {
    return (asif_place){reading->table->row, reading->table->line, column == ASIF_NO_COLUMN ? 0 : column + 1};
}

void asif_reading_impossible(asif_reading *reading, uint32_t action, uint32_t observation, uint64_t step) {
    char u[ASIF_LABEL_SIZE], x[ASIF_LABEL_SIZE];
    asif_reading_problem(
        reading,
        (asif_place){reading->step[step].row, reading->step[step].line, reading->seen.part[0].column + 1},
        "is the label right? otherwise give the observation a probability in some world of the agent",
        "`%s` cannot follow `%s`: no world of the agent allows it",
        asif_show(asif_setting_label(reading->setting, ASIF_LABEL_OBSERVATION, observation, x)).text,
        asif_show(asif_setting_label(reading->setting, ASIF_LABEL_ACTION, action, u)).text);
}
