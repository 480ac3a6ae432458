/* Filling errors and lists of problems. Every function here accepts NULL for the error. */
#ifndef ASIF_SRC_BASE_ERROR_H
#define ASIF_SRC_BASE_ERROR_H

#include "asif/base.h"

#include <stdarg.h>

/* Fill the error with a status and a message, no position and no hint; return the status. */
asif_status asif_fail(asif_error *error, asif_status status, const char *format, ...) ASIF_PRINTF(3, 4);
asif_status asif_fail_memory(asif_error *error);
/* A pointer to a text, a path or a name is NULL: "there is no WHAT". ASIF_EDOMAIN. */
asif_status asif_fail_null(asif_error *error, const char *what);
#ifdef __clang_analyzer__
/* What they return is all that the analyser needs to know of them. */
static inline asif_status asif_returns(asif_status got, asif_status known) {
    (void)got;
    return known;
}
#define asif_fail(error, status, ...) asif_returns(asif_fail((error), (status), __VA_ARGS__), (status))
#define asif_fail_memory(error) asif_returns(asif_fail_memory(error), ASIF_ENOMEM)
#endif
/* Add to an error that has been filled. */
void asif_error_at(asif_error *error, const char *file, uint32_t line, uint32_t column);
/* Name a warning, so that nobody has to look at its words. */
void asif_error_code(asif_error *error, const char *code);
void asif_error_hint(asif_error *error, const char *format, ...) ASIF_PRINTF(2, 3);

/* Return the status of a call from the function unless it is ASIF_OK. */
#define ASIF_TRY(call)                                                                                       \
    do {                                                                                                     \
        asif_status status_ = (call);                                                                        \
        if (status_ != ASIF_OK)                                                                              \
            return status_;                                                                                  \
    } while (0)

/* Add a problem (copied). Never fails: what finds no room is counted. NULL list: nothing happens. */
void asif_problems_add(asif_problems *problems, asif_severity severity, const asif_error *error);
/* The same, but before those of the problems from index `from` on that belong to a later place of the input.
 * A full list keeps those that come first. */
void asif_problems_insert(asif_problems *problems, uint32_t from, asif_severity severity,
                          const asif_error *error, uint32_t line, uint32_t column);
bool asif_place_before(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column);

#endif
