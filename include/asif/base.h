/**
 * @file
 * Status codes, errors, problem lists and the context: what every other header builds on.
 *
 * Conventions of the whole API. A function that can fail returns ::asif_status and takes an
 * ::asif_error of the caller's as its last argument, which may be NULL. Outputs come first: `T **out`
 * is owned by the caller afterwards and given back with the `_free` function of its type, which takes
 * NULL. A returned pointer is borrowed and lives as long as what it was asked of. Options structs begin
 * with `struct_size`, set by their `_INIT` macro. Finished objects never change and may be shared
 * between threads; an ::asif_work and an ::asif_theta belong to one thread at a time. The library
 * never prints, exits, or reads the environment, and has no globals.
 */
#ifndef ASIF_BASE_H
#define ASIF_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(ASIF_STATIC) || !defined(__GNUC__)
#define ASIF_API
#else
#define ASIF_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define ASIF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define ASIF_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ASIF_VERSION_MAJOR 0
#define ASIF_VERSION_MINOR 1
#define ASIF_VERSION_PATCH 0

/** Version of the library that is running, as "0.1.0". */
ASIF_API const char *asif_version(void);

/** Every way in which a call can fail; hitting a solver's limit is not among them (see ::asif_stop). */
#define ASIF_STATUS_LIST(X)                                                                                  \
    X(ASIF_OK, 0, "success")                                                                                 \
    X(ASIF_ENOMEM, -1, "out of memory")                                                                      \
    X(ASIF_EDOMAIN, -2, "argument outside its domain")                                                       \
    X(ASIF_EPARSE, -3, "the text is not what its format asks for")                                           \
    X(ASIF_EINVALID, -4, "the description contradicts itself")                                               \
    X(ASIF_EZEROPR, -5, "observation has probability 0")                                                     \
    X(ASIF_EUNKNOWN, -6, "no such name")                                                                     \
    X(ASIF_EUNSET, -7, "a parameter has no value")                                                           \
    X(ASIF_EUNSUPPORTED, -8, "not supported")                                                                \
    X(ASIF_ETOOBIG, -9, "larger than this build or its limits allow")                                        \
    X(ASIF_EIO, -10, "reading or writing failed")                                                            \
    X(ASIF_ECANCELLED, -11, "cancelled by the caller")                                                       \
    X(ASIF_ENOFILE, -12, "a file is not there, or may not be read")

#define X(id, number, text) id = (number),
typedef enum { ASIF_STATUS_LIST(X) } asif_status;
#undef X

/** What a status means, in a few words; never NULL. */
ASIF_API const char *asif_status_text(asif_status status);

/**
 * What went wrong and where. The caller owns it; calls fill it only when they fail. Texts are cut,
 * never overrun.
 */
typedef struct {
    asif_status status;
    uint32_t line, column; /**< 1-based position in `file`; 0: none */
    uint64_t row;          /**< 1-based row of a table; 0: none */
    char file[256];        /**< empty: none */
    char message[512];
    char hint[256]; /**< what to do about it; may be empty */
    char code[24];  /**< a name that stays the same, of warnings that programs look for; may be empty */
} asif_error;
#define ASIF_ERROR_INIT                                                                                      \
    { ASIF_OK, 0, 0, 0, "", "", "", "" }

/** How bad a problem is. */
typedef enum { ASIF_PROBLEM_ERROR, ASIF_PROBLEM_WARNING, ASIF_PROBLEM_NOTE } asif_severity;

/** A list of problems found in one pass over an input; those of a study in the order of their lines. */
typedef struct asif_problems asif_problems;

/** Where the library takes its memory, reports its progress and learns how many threads it may use. */
typedef struct asif_context asif_context;

/** Set-up of a context. All callbacks may be called from several threads at once. */
typedef struct {
    size_t struct_size;
    uint32_t threads; /**< 0 counts as 1 */
    /** As realloc(): NULL `old` allocates, `size` 0 frees and returns NULL. NULL: the C library's. */
    void *(*reallocate)(void *user, void *old, size_t size);
    /** Called now and then by long computations with a fraction done in [0, 1], or -1 if that is not
     * known; a return of true asks them to stop. NULL: never. */
    bool (*progress)(void *user, const char *what, double done);
    void *user; /**< handed to the callbacks */
    /** Widest vector instructions to use: 0 what the processor has, else 1 plain C, 2 SSE2, 3 AVX2,
     * 4 AVX-512. For tests: results differ between them in the last bits. */
    uint32_t vector_level;
    /** Called with the name of a temporary file right after it was made (`there`), and when it is gone or has
     * become what was to be written. A program that is ended by a signal can remove it then. NULL: never. */
    void (*unfinished)(void *user, const char *path, bool there);
} asif_context_options;
#define ASIF_CONTEXT_OPTIONS_INIT                                                                            \
    { sizeof(asif_context_options), 1, NULL, NULL, NULL, 0, NULL }

/**
 * Make a context. It must outlive whatever is made with it, and may be shared between threads.
 *
 * @param[out] out   Owned by the caller.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM or ASIF_EDOMAIN.
 */
ASIF_API asif_status asif_context_create(asif_context **out, const asif_context_options *options,
                                         asif_error *error);
/** Free a context; NULL is allowed. */
ASIF_API void asif_context_free(asif_context *context);
/** Name of the vector instructions the context uses: "plain", "sse2", "avx2" or "avx512". */
ASIF_API const char *asif_context_vector(const asif_context *context);
/** Give back a text or array that a function of the library handed to the caller; NULL is allowed. */
ASIF_API void asif_memory_free(const asif_context *context, void *memory);

/** The name that a misspelt word probably means: the one of `count` names that takes the fewest letters to
 * change, borrowed; NULL if none is near. */
ASIF_API const char *asif_nearest_word(const char *word, const char *const *names, uint32_t count);

/**
 * Make an empty list of problems.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the list.
 * @param limit      Problems kept; further ones are only counted. 0 counts as 20.
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_problems_create(asif_problems **out, const asif_context *context, uint32_t limit,
                                          asif_error *error);
/** Free a list; NULL is allowed. */
ASIF_API void asif_problems_free(asif_problems *problems);
/** Problems kept in the list, of every severity. */
ASIF_API uint32_t asif_problems_count(const asif_problems *problems);
/** Problems of one severity that were found, those beyond the limit included. */
ASIF_API uint64_t asif_problems_found(const asif_problems *problems, asif_severity severity);
/** The i-th problem kept, borrowed; NULL past the end. @param[out] severity May be NULL. */
ASIF_API const asif_error *asif_problems_get(const asif_problems *problems, uint32_t i,
                                             asif_severity *severity);

#ifdef __cplusplus
}
#endif
#endif
