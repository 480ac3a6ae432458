/* Problems that are found while a table is read. */
#include "logs/reading.h"

#include "base/error.h"
#include "base/os.h"

#include <string.h>

bool asif_reading_wants(asif_reading *reading, asif_severity severity) {
    reading->failed = reading->failed || severity == ASIF_PROBLEM_ERROR;
    return reading->found[severity]++ < ASIF_DESCRIBED;
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
                         severity == ASIF_PROBLEM_ERROR ? place.line : UINT32_MAX, place.column);
}

void asif_reading_leave_out(asif_reading *reading, asif_out *out, uint64_t row) {
    if (out->count < ASIF_OUT_LISTED)
        out->row[out->count] = row;
    out->count++;
    reading->info.excluded++;
}

asif_place asif_reading_here(const asif_reading *reading, uint32_t column) {
    return (asif_place){reading->csv.row, reading->csv.line, column == ASIF_NO_COLUMN ? 0 : column + 1};
}
