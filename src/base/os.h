/* What needs an operating system: files, clock, locale, threads. Only os_*.c call it. */
#ifndef ASIF_SRC_BASE_OS_H
#define ASIF_SRC_BASE_OS_H

#include "asif/files.h"

#include <stdarg.h>

/* ---- reading ---- */

/* The whole file, terminated by a 0 that `length` does not count; owned by the caller (asif_free). "-" is
 * standard input. What is no file on disk (a pipe, a device) may have ASIF_STREAM_LIMIT bytes, else
 * ASIF_ETOOBIG. */
asif_status asif_os_read_file(char **out, uint64_t *length, const asif_context *context, const char *path,
                              asif_error *error);
/* The same for a file that should be small: at most `limit` bytes, else ASIF_ETOOBIG, whatever kind of file
 * it is. */
asif_status asif_os_read_small(char **out, uint64_t *length, const asif_context *context, const char *path,
                               uint64_t limit, asif_error *error);
/* A file read piece by piece; "-" is standard input, which stays open. */
typedef struct {
    int fd;
    bool standard;
    bool seekable;  /* it can be read again */
    int64_t begin;  /* where reading began */
    uint64_t bytes; /* to read in all; 0: not known */
    uint64_t taken; /* so far, where it is not seekable */
    const char *path;
} asif_os_stream;
/* `path` is borrowed until the stream is closed. */
asif_status asif_os_open(asif_os_stream *out, const char *path, asif_error *error);
/* Up to `room` bytes; *got is 0 at the end. ASIF_ETOOBIG past ASIF_STREAM_LIMIT bytes of a pipe or device. */
asif_status asif_os_read(asif_os_stream *stream, char *to, uint64_t room, uint64_t *got, asif_error *error);
asif_status asif_os_rewind(asif_os_stream *stream, asif_error *error);
void asif_os_close(asif_os_stream *stream);

/* ---- names: files are written by asif_file_write() and asif_output_open() of asif/files.h ---- */

typedef enum {
    ASIF_OS_NOTHING, /* no such name, or a folder on the way cannot be read */
    ASIF_OS_FILE,
    ASIF_OS_FOLDER,
    ASIF_OS_LINK, /* symbolic, wherever it points */
    ASIF_OS_OTHER /* a pipe, a device, a socket */
} asif_os_kind;
/* What stands at a path. Links are not followed. */
asif_os_kind asif_os_look(const char *path);
/* Whether there is something at the path; links are followed. */
bool asif_os_exists(const char *path);
/* Rename a file or folder within one file system. A file or an empty folder that is at `to` is replaced at
 * once; a folder with something in it is not: ASIF_EIO. The change is on disk after asif_os_sync_folder() of
 * both folders. */
asif_status asif_os_rename(const char *from, const char *to, asif_error *error);
/* Remove a file (a link, not what it points to) and what an interrupted output may have left for it: regular
 * files NAME.PID-N.part. That there is none is no error. */
asif_status asif_os_remove(const char *path, asif_error *error);
/* Remove what a command that was killed left of this file while it wrote it: NAME.PROCESS-NUMBER.part. */
void asif_os_remove_parts(const char *path);

/* ---- folders ---- */

/* Make a folder whose parent exists. That it is there already is no error; *made (may be NULL) says which.
 * ASIF_EIO if something else has the name. */
asif_status asif_os_make_folder(const char *path, bool *made, asif_error *error);
/* The same with all folders above it. */
asif_status asif_os_make_folders(const asif_context *context, const char *path, bool *made,
                                 asif_error *error);
/* Remove an empty folder. That there is none is no error; that it is not empty is one. */
asif_status asif_os_remove_folder(const char *path, asif_error *error);
/* Flush the names in a folder to disk. File systems that cannot do so are let pass. */
asif_status asif_os_sync_folder(const char *path, asif_error *error);
/* The names in a folder in the order of their bytes, without "." and ".."; given back by
 * asif_os_names_free(). */
typedef struct {
    char **name;
    uint64_t count, capacity;
} asif_os_names;
asif_status asif_os_list(asif_os_names *out, const asif_context *context, const char *folder,
                         asif_error *error);
void asif_os_names_free(asif_os_names *names, const asif_context *context);

/* A file or folder that nobody else can lock meanwhile, not in this process either. The system gives the lock
 * back when the process ends, however it does. It belongs to the file, not to its name: it moves along when
 * the file is renamed. */
typedef struct {
    int fd;
} asif_os_lock;
/* Lock what is at `path`, which must exist (a folder will do, and is not changed). If another holds it, *busy
 * is true and the status ASIF_EIO, at once. Where the file system has no locks, the status is ASIF_OK and
 * there is none. */
asif_status asif_os_lock_take(asif_os_lock *out, const char *path, bool *busy, asif_error *error);
void asif_os_lock_release(asif_os_lock *lock);

/* Fill an error after a system call on `path` that has set errno to `code`: "cannot WHAT: REASON". Returns
 * its status: ASIF_ENOMEM or ASIF_EIO. */
asif_status asif_os_fail(asif_error *error, int code, const char *path, const char *what);

/* ---- clock, numbers, threads ---- */

/* The time of day in UTC, "2026-01-31T12:00:00Z"; "" if it is not known. */
void asif_os_now(char *buffer, size_t size);
/* This process in words for others, ended by a line end: "process 17 on HOST since 2026-01-31T12:00:00Z". */
void asif_os_describe_process(char *buffer, size_t size);

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
