/**
 * @file
 * Status codes, errors, problem lists and the context: what every other header builds on.
 *
 * Conventions of the whole API. A function that can fail returns ::asif_status, and its last argument is
 * a pointer to the caller's ::asif_error, which may be NULL. Outputs come first: the caller owns what `T
 * **out` receives and releases it with the `_free` function of its type, which accepts NULL. A returned
 * pointer is borrowed, and is valid as long as the object that it came from. Options structs begin with
 * `struct_size`, which their `_INIT` macro sets. Finished objects never change and may be shared between
 * threads; an ::asif_work and an ::asif_theta belong to one thread at a time. The library never prints,
 * exits, or reads the environment, and has no globals.
 */
#ifndef ASIF_BASE_H
#define ASIF_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Windows: a program that uses the shared library imports from it, and ASIF_BUILD is defined while it is
 * built.
 */
#if defined(ASIF_STATIC)
#define ASIF_API
#elif defined(_WIN32) && defined(ASIF_BUILD)
#define ASIF_API __declspec(dllexport)
#elif defined(_WIN32)
#define ASIF_API __declspec(dllimport)
#elif !defined(__GNUC__)
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
#define ASIF_VERSION_MINOR 2
#define ASIF_VERSION_PATCH 0

/** Version of the library at run time, such as "0.2.0". */
ASIF_API const char *asif_version(void);

/** Number of the binary interface. It grows when a program that was built with an older header would no
 * longer run with the library, and not when something is only added. */
#define ASIF_ABI 0
/** The number of the library at run time: other languages compare it with the one that they were written for.
 */
ASIF_API uint32_t asif_abi(void);

/** Every way in which a call can fail. A solver that reaches one of its limits has not failed: see
 * ::asif_stop. */
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
 * An error: what went wrong, and where. The caller owns it, and a call fills it only when it fails. Texts
 * that are too long are truncated.
 */
typedef struct {
    asif_status status;
    uint32_t line, column; /**< 1-based position in `file`; 0: none */
    uint64_t row;          /**< 1-based row of a table; 0: none */
    char file[256];        /**< empty: none */
    char message[512];
    char hint[256]; /**< how to correct the error; may be empty */
    char code[24];  /**< stable identifier of a warning, for programs; may be empty */
} asif_error;
#define ASIF_ERROR_INIT                                                                                      \
    { ASIF_OK, 0, 0, 0, "", "", "", "" }

/**
 * Fill a struct with what its macro `..._INIT` has, for languages that have no macros.
 *
 * @param[out] out   The struct.
 * @param size       Its size in the caller's header; a newer library may have a larger one. Where the struct
 * has a member `struct_size`, it becomes this size.
 * @param type       Its name: "asif_fit_request".
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EUNKNOWN (no such struct, or none with defaults), ASIF_EDOMAIN (a larger size than
 * the library's, or none).
 */
ASIF_API asif_status asif_defaults(void *out, size_t size, const char *type, asif_error *error);

/** How bad a problem is. */
typedef enum { ASIF_PROBLEM_ERROR, ASIF_PROBLEM_WARNING, ASIF_PROBLEM_NOTE } asif_severity;

/** A list of problems found in one pass over an input; the problems of a study are in the order of their
 * lines. */
typedef struct asif_problems asif_problems;

/** The context of all calls: the allocator, the progress callback and the number of threads that the library
 * uses. */
typedef struct asif_context asif_context;

/** How to make a context. All callbacks may be called from several threads at once, unless `one_thread` is
 * set. */
typedef struct {
    size_t struct_size;
    uint32_t threads; /**< 0 counts as 1 */
    /** Allocator with the contract of realloc(): NULL `old` allocates, `size` 0 frees and returns NULL. NULL:
     * the C library's. */
    void *(*reallocate)(void *user, void *old, size_t size);
    /** Progress callback, called now and then by long computations. `done` is the fraction in [0, 1] that is
     * done, or -1 if that is not known; a return of true asks the computation to stop. NULL: no progress is
     * reported. */
    bool (*progress)(void *user, const char *what, double done);
    void *user; /**< passed to the callbacks */
    /** Widest vector instructions to use: 0 for the widest of the processor, 1 plain C, 2 SSE2, 3 AVX2, 4
     * AVX-512. Values above 0 are for tests: results differ between the levels in the last bits. */
    uint32_t vector_level;
    /** Temporary-file callback: called with `there` true right after a temporary file was made, and with
     * false when it was removed or renamed to its final name. A program that a signal ends can thus remove
     * the file. NULL: not called. */
    void (*unfinished)(void *user, const char *path, bool there);
    /** Least time between two calls of `progress`, in seconds; reports in between are dropped. 0: none is. */
    double progress_sec;
    /** Call `progress` only on the thread that made the context, for interpreters that no other thread may
     * enter. It hears less often then: only while that thread itself computes. */
    bool one_thread;
} asif_context_options;
#define ASIF_CONTEXT_OPTIONS_INIT                                                                            \
    { sizeof(asif_context_options), 1, NULL, NULL, NULL, 0, NULL, 0, false }

/**
 * Make a context. It may be shared between threads.
 *
 * Objects keep what they were made from: a context, and others where it is said. What is kept stays until
 * nobody keeps it any more, also if its owner frees it before, so that objects may be freed in any order. The
 * allocator of the options, and what `user` points to, must be there as long.
 *
 * @param[out] out   Owned by the caller.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM or ASIF_EDOMAIN.
 */
ASIF_API asif_status asif_context_create(asif_context **out, const asif_context_options *options,
                                         asif_error *error);
/** Free a context, as soon as everything that was made with it is freed; NULL is allowed. */
ASIF_API void asif_context_free(asif_context *context);
/** Ask all computations of a context to stop, as `progress` does by returning true, until it is called with
 * false. Any thread may call it, and a handler of signals. What is stopped returns ASIF_ECANCELLED, or the
 * stop reason ASIF_STOP_CANCELLED. */
ASIF_API void asif_context_cancel(asif_context *context, bool cancel);
/** Name of the vector instructions the context uses: "plain", "sse2", "avx2" or "avx512". */
ASIF_API const char *asif_context_vector(const asif_context *context);
/** Free a text or array that a function of the library returned to the caller; NULL is allowed. */
ASIF_API void asif_memory_free(const asif_context *context, void *memory);

/** The name that a misspelt word probably means: among `count` names, the one at the smallest edit distance;
 * borrowed. NULL if none is near. */
ASIF_API const char *asif_nearest_word(const char *word, const char *const *names, uint32_t count);

/**
 * Make an empty list of problems.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the list.
 * @param limit      How many problems are kept; further ones are only counted. 0 means 20.
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_problems_create(asif_problems **out, const asif_context *context, uint32_t limit,
                                          asif_error *error);
/** Free a list; NULL is allowed. */
ASIF_API void asif_problems_free(asif_problems *problems);
/** Number of problems kept in the list, of every severity. */
ASIF_API uint32_t asif_problems_count(const asif_problems *problems);
/** Number of problems of one severity that were found, including those beyond the limit. */
ASIF_API uint64_t asif_problems_found(const asif_problems *problems, asif_severity severity);
/** The i-th problem kept, borrowed; NULL past the end. @param[out] severity May be NULL. */
ASIF_API const asif_error *asif_problems_get(const asif_problems *problems, uint32_t i,
                                             asif_severity *severity);
/** How many rows of a table a problem keeps. */
#define ASIF_PROBLEM_ROWS 5
/**
 * How often the i-th problem kept was found: a problem that many rows of a table have in common is kept once.
 *
 * @param problems The list.
 * @param i        Which problem; 0 is returned past the end.
 * @param[out] row The first rows in which it was found, 0 where there are fewer; may be NULL.
 */
ASIF_API uint64_t asif_problems_times(const asif_problems *problems, uint32_t i,
                                      uint64_t row[ASIF_PROBLEM_ROWS]);

#ifdef __cplusplus
}
#endif
#endif
