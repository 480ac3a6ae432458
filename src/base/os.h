/* What needs an operating system: files, clock, locale, threads. Only os_*.c call it. */
#ifndef ASIF_SRC_BASE_OS_H
#define ASIF_SRC_BASE_OS_H

#include "asif/base.h"

#include <stdarg.h>

/* The whole file, terminated by a 0 that `length` does not count; owned by the caller (asif_free). "-" is
 * standard input. */
asif_status asif_os_read_file(char **out, uint64_t *length, const asif_context *context, const char *path,
                              asif_error *error);
/* A file read piece by piece; "-" is standard input, which stays open. */
typedef struct {
    int fd;
    bool standard;
    bool seekable;  /* it can be read again */
    int64_t begin;  /* where reading began */
    uint64_t bytes; /* to read in all; 0: not known */
    const char *path;
} asif_os_stream;
/* `path` is borrowed until the stream is closed. */
asif_status asif_os_open(asif_os_stream *out, const char *path, asif_error *error);
/* Up to `room` bytes; *got is 0 at the end. */
asif_status asif_os_read(asif_os_stream *stream, char *to, uint64_t room, uint64_t *got, asif_error *error);
asif_status asif_os_rewind(asif_os_stream *stream, asif_error *error);
void asif_os_close(asif_os_stream *stream);
/* Write all or nothing: a temporary file beside `path`, flushed to disk, then renamed over it. "-" is standard
 * output. */
asif_status asif_os_write_file(const char *path, const char *data, uint64_t length, asif_error *error);
bool asif_os_exists(const char *path);
/* Remove a file and what an interrupted asif_os_write_file() may have left beside it; that there is none is no error. */
asif_status asif_os_remove(const char *path, asif_error *error);
/* Seconds of a clock that only goes forward. */
double asif_os_seconds(void);

/* Number text in the C locale. */
double asif_os_strtod(const char *s, char **end);
int asif_os_vsnprintf(char *buffer, size_t size, const char *format, va_list args);

/* Run job(argument, i) for i in [0, jobs) on up to `threads` threads, in no fixed order; returns when all are
 * done. Runs what it can on the calling thread if no thread is to be had. */
void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument);

#endif
