/* Functions that fill errors and lists of problems. Every function accepts NULL for the error. */
#ifndef ASIF_SRC_BASE_ERROR_H
#define ASIF_SRC_BASE_ERROR_H

#include "asif/base.h"

#include <stdarg.h>

/* Fills the error with a status and a message, without position and hint; returns the status. */
asif_status asif_fail(asif_error *error, asif_status status, const char *format, ...) ASIF_PRINTF(3, 4);
asif_status asif_fail_memory(asif_error *error);
/* Fails with ASIF_EDOMAIN and "there is no WHAT", for a pointer to a text, a path or a name that is NULL. */
asif_status asif_fail_null(asif_error *error, const char *what);
#ifdef __clang_analyzer__
/* The analyser sees only what these functions return, which is their status. */
static inline asif_status asif_returns(asif_status got, asif_status known) {
    (void)got;
    return known;
}
#define asif_fail(error, status, ...) asif_returns(asif_fail((error), (status), __VA_ARGS__), (status))
#define asif_fail_memory(error) asif_returns(asif_fail_memory(error), ASIF_ENOMEM)
#endif
/* Adds a position to an error that has been filled. */
void asif_error_at(asif_error *error, const char *file, uint32_t line, uint32_t column);
/* Gives a warning a code, so that programs need not compare its words. */
void asif_error_code(asif_error *error, const char *code);
void asif_error_hint(asif_error *error, const char *format, ...) ASIF_PRINTF(2, 3);

/* Empties the error of a failure after which a function goes on. */
void asif_error_clear(asif_error *error);

/* Evaluates a call, and returns its status from the enclosing function unless it is ASIF_OK. */
#define ASIF_TRY(call)                                                                                       \
    do {                                                                                                     \
        asif_status status_ = (call);                                                                        \
        if (status_ != ASIF_OK)                                                                              \
            return status_;                                                                                  \
    } while (0)

/* Adds a copy of a problem. This never fails: problems without room in the list are only counted. Does
 * nothing if the list is NULL. */
void asif_problems_add(asif_problems *problems, asif_severity severity, const asif_error *error);
/* Inserts a problem by its place in the input, among the problems from index `from` on: it comes before those
 * of later places. A full list keeps the problems that come first. */
void asif_problems_insert(asif_problems *problems, uint32_t from, asif_severity severity,
                          const asif_error *error, uint32_t line, uint32_t column);
bool asif_place_before(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column);

#endif
