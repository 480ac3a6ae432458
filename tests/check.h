/* Additions to cmocka: comparisons of doubles that show the difference, and an allocator that runs out of
 * memory. */
#ifndef ASIF_TESTS_CHECK_H
#define ASIF_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Check that |got - want| <= tol * max(1, |want|); equal infinities agree. */
#define CHECK_NEAR(got, want, tol) check_near((got), (want), (tol), #got, __FILE__, __LINE__)
#define CHECK(condition, ...)                                                                                \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fail_msg(__VA_ARGS__);                                                                           \
    } while (0)

static inline void check_near(double got, double want, double tol, const char *what, const char *file,
                              int line) {
    double scale = fabs(want) > 1 ? fabs(want) : 1;
    if (got == want || fabs(got - want) <= tol * scale)
        return;
    print_error("%s is %.17g, not %.17g (off by %.3g, allowed %.3g)\n", what, got, want, got - want,
                tol * scale);
    _fail(file, line);
}

/* An allocator for asif_context_options.reallocate that counts live blocks and fails when `left` allocations
 * have been made: from then on or, with `once`, a single time. */
typedef struct {
    long left; /* -1: never fails */
    long alive;
    long made;
    bool once;
} failing_memory;

static inline void *failing_reallocate(void *user, void *old, size_t size) {
    failing_memory *memory = user;
    if (size == 0) {
        memory->alive -= old != NULL;
        free(old);
        return NULL;
    }
    if (memory->left == 0) {
        memory->left = memory->once ? -1 : 0;
        return NULL;
    }
    if (memory->left > 0)
        memory->left--;
    memory->made++;
    memory->alive += old == NULL;
    return realloc(old, size);
}

#endif
