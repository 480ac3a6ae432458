/* Everything that needs an operating system: files, clock, locale, threads. Only os_*.c make system calls. */
#ifndef ASIF_SRC_BASE_OS_H
#define ASIF_SRC_BASE_OS_H

#include "asif/files.h"

#include <stdarg.h>

/* ---- reading ---- */

/* Reads the whole file, which the caller frees by asif_free(); a 0 that `length` does not count ends it. "-"
 * is standard input. A pipe or device may have at most ASIF_STREAM_LIMIT bytes, else ASIF_ETOOBIG. */
asif_status asif_os_read_file(char **out, uint64_t *length, const asif_context *context, const char *path,
                              asif_error *error);
/* Reads a file that should be small, of whatever kind: at most `limit` bytes, else ASIF_ETOOBIG. */
asif_status asif_os_read_small(char **out, uint64_t *length, const asif_context *context, const char *path,
                               uint64_t limit, asif_error *error);
/* A file that is read piece by piece; "-" is standard input, which stays open. */
typedef struct {
    int fd;
    bool standard;
    bool seekable;  /* the file can be read again */
    int64_t begin;  /* where reading began */
    uint64_t bytes; /* bytes to read in all; 0: not known */
    uint64_t taken; /* bytes read so far, unless the file is seekable */
    const char *path;
} asif_os_stream;
/* `path` is borrowed until the stream is closed. */
asif_status asif_os_open(asif_os_stream *out, const char *path, asif_error *error);
/* Reads up to `room` bytes; *got is 0 at the end. ASIF_ETOOBIG past ASIF_STREAM_LIMIT bytes of a pipe
 * or device. */
asif_status asif_os_read(asif_os_stream *stream, char *to, uint64_t room, uint64_t *got, asif_error *error);
asif_status asif_os_rewind(asif_os_stream *stream, asif_error *error);
void asif_os_close(asif_os_stream *stream);

/* ---- names: files are written by asif_file_write() and asif_output_open() of asif/files.h ---- */

typedef enum {
    ASIF_OS_NOTHING, /* no such path, or a folder on the way cannot be read */
    ASIF_OS_FILE,
    ASIF_OS_FOLDER,
    ASIF_OS_LINK, /* a symbolic link, wherever it points */
    ASIF_OS_OTHER /* a pipe, a device, a socket */
} asif_os_kind;
/* The kind of what is at a path. Links are not followed. */
asif_os_kind asif_os_look(const char *path);
/* Whether there is something at the path; links are followed. */
bool asif_os_exists(const char *path);
/* Renames a file or folder within one file system. A file or an empty folder at `to` is replaced in one step;
 * a folder that is not empty is not replaced: ASIF_EIO. The change is on disk after asif_os_sync_folder() of
 * both folders. */
asif_status asif_os_rename(const char *from, const char *to, asif_error *error);
/* Removes a file (a link, not its target) and the temporary files that an interrupted output may have left
 * for it: regular files NAME.PID-N.part. It is no error if there is no such file. */
asif_status asif_os_remove(const char *path, asif_error *error);
/* Removes the temporary files NAME.PID-N.part that a killed process may have left while it wrote
 * this file. */
void asif_os_remove_parts(const char *path);

/* ---- folders ---- */

/* Makes a folder whose parent exists. It is no error if the folder exists already; *made (may be NULL) is
 * true if it did not. ASIF_EIO if something else has the name. */
asif_status asif_os_make_folder(const char *path, bool *made, asif_error *error);
/* Makes a folder and all folders above it. */
asif_status asif_os_make_folders(const asif_context *context, const char *path, bool *made,
                                 asif_error *error);
/* Removes an empty folder. It is no error if there is none, but it is one if the folder is not empty. */
asif_status asif_os_remove_folder(const char *path, asif_error *error);
/* Flushes the names in a folder to disk. On file systems that cannot do so this is no error. */
asif_status asif_os_sync_folder(const char *path, asif_error *error);
/* The names in a folder, sorted by their bytes, without "." and ".."; freed by asif_os_names_free(). */
typedef struct {
    char **name;
    uint64_t count, capacity;
} asif_os_names;
asif_status asif_os_list(asif_os_names *out, const asif_context *context, const char *folder,
                         asif_error *error);
void asif_os_names_free(asif_os_names *names, const asif_context *context);

/* A lock on a file or folder, which no other process, and no other part of this one, can lock meanwhile. The
 * system releases the lock when the process ends, for whatever reason. The lock belongs to the file, not to
 * its name: it stays when the file is renamed. */
typedef struct {
    int fd;
} asif_os_lock;
/* Locks the file or folder at `path`, which must exist and is not changed. If it is locked already, this
 * fails at once with ASIF_EIO and *busy is true. On a file system without locks the status is ASIF_OK, and
 * nothing is locked. */
asif_status asif_os_lock_take(asif_os_lock *out, const char *path, bool *busy, asif_error *error);
void asif_os_lock_release(asif_os_lock *lock);

/* Fills an error after a system call on `path` that set errno to `code`: "cannot WHAT: REASON". Returns its
 * status, ASIF_ENOMEM or ASIF_EIO. */
asif_status asif_os_fail(asif_error *error, int code, const char *path, const char *what);

/* The number (ECANCELED) by which an Arrow stream says that somebody wanted no more of it. */
int asif_os_cancelled(void);

/* ---- libraries ---- */

/* Opens a shared library by its path, or by its name where the system looks for libraries. It stays open:
 * drivers of databases start threads, which must not lose their code. */
asif_status asif_os_library(void **out, const char *path, asif_error *error);
typedef void asif_os_function(void);
/* A function of a library; NULL: it has none of this name. */
asif_os_function *asif_os_symbol(void *library, const char *name);

/* ---- clock, numbers, threads ---- */

/* The time of day in UTC, "2026-01-31T12:00:00Z"; "" if it is not known. */
void asif_os_now(char *buffer, size_t size);
/* Describes this process for people, with a line feed at the end: "process 17 on HOST
 * since 2026-01-31T12:00:00Z". */
void asif_os_describe_process(char *buffer, size_t size);

/* What tells the calling thread from all others that are alive. */
const void *asif_os_thread(void);

/* Seconds of a clock that never goes backward. */
double asif_os_seconds(void);
/* Processor time of the calling thread, in seconds; 0 if the system does not say. */
double asif_os_thread_seconds(void);
/* Wait for less than a second; a signal may end it earlier. */
void asif_os_sleep(double seconds);

/* Numbers as text in the C locale, whatever the program's locale. */
double asif_os_strtod(const char *s, char **end);
int asif_os_vsnprintf(char *buffer, size_t size, const char *format, va_list args);

/* Runs job(argument, i) for i in [0, jobs) on up to `threads` threads, in no fixed order, and returns when
 * all are done. If no threads can be created, all jobs run on the calling thread. */
void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument);
/* Runs job(argument) on another thread, while this one calls look(argument) several times a second; returns
 * when the job is done. If no thread can be created, the job runs on this one, and nobody looks. */
void asif_os_while(void (*job)(void *argument), void (*look)(void *argument), void *argument);

#endif
