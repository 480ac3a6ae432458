/* A library to be preloaded: counts what a program asks of the system, and lets the nth request fail.
 *
 *   FAULT_KIND   "io": files, "alloc": memory
 *   FAULT_AT     which one fails, from 1; 0: none, they are counted
 *   FAULT_CODE   errno of a file that fails: 5 EIO, 28 ENOSPC; 0: a read or a write stops after a byte
 *   FAULT_STAYS  1: the disk stays full: all later writes and new folders fail, too
 *   FAULT_NOTES  a file for what happened: "hit CALL WHAT" and, at the end, "count N"
 *   FAULT_TRACE  1: where it was, to standard error, for addr2line
 *   FAULT_STACKS 1: note "first N" for each request that is the first from its place in the program,
 *                seen with all the functions that have called it
 *
 * Only requests of the program, of asif and of libyaml count. Those of the C library for itself (its buffers,
 * its loader) do not, nor those of C++, which answers with an exception that no C program could catch. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
int __open_2(const char *path, int flags);
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);

typedef enum { NONE, IO, ALLOC } fault_kind;

static fault_kind kind;
static unsigned long at;
static int code;
static bool stays, stacks;
static const char *notes;
static atomic_ulong counted;

enum { MOST_RANGES = 16 };
static struct { uintptr_t from, to; } range[MOST_RANGES]; /* of what counts */
static unsigned ranges;

static void note(const char *text, const char *name, const char *what) {
    char line[512];
    int length = snprintf(line, sizeof line, "%s %s %s\n", text, name, what);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, notes, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, line, (size_t)length);
        (void)syscall(SYS_close, fd);
    }
}

static bool is_counted_object(const char *name) {
    return name[0] == 0 || strstr(name, "libasif") || strstr(name, "libyaml");
}

static int add_range(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size, (void)user;
    if (!is_counted_object(info->dlpi_name))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && ranges < MOST_RANGES; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        range[ranges].from = (uintptr_t)(info->dlpi_addr + p->p_vaddr);
        range[ranges++].to = (uintptr_t)(info->dlpi_addr + p->p_vaddr + p->p_memsz);
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *which = getenv("FAULT_KIND"), *number = getenv("FAULT_AT"), *error = getenv("FAULT_CODE");
    notes = getenv("FAULT_NOTES");
    if (!which || !notes)
        return;
    at = number ? strtoul(number, NULL, 10) : 0;
    code = error ? atoi(error) : EIO;
    stays = getenv("FAULT_STAYS") && *getenv("FAULT_STAYS") == '1';
    stacks = getenv("FAULT_STACKS") && *getenv("FAULT_STACKS") == '1';
    if (stacks) {
        void *frame[2];
        (void)backtrace(frame, 2); /* loads what it needs */
    }
    dl_iterate_phdr(add_range, NULL);
    kind = strcmp(which, "io") == 0 ? IO : ALLOC;
}

__attribute__((destructor)) static void end(void) {
    char number[32];
    if (kind == NONE)
        return;
    snprintf(number, sizeof number, "%lu", (unsigned long)counted);
    note("count", number, "");
}

/* Whether nobody has come this way before. */
static bool is_new_stack(void) {
    enum { PLACES = 1 << 16, DEEPEST = 40 };
    static uint64_t seen[PLACES];
    static _Thread_local bool busy;
    void *frame[DEEPEST];
    if (busy)
        return false;
    busy = true;
    int depth = backtrace(frame, DEEPEST);
    busy = false;
    uint64_t hash = 1469598103934665603u;
    for (int i = 1; i < depth; i++)
        hash = (hash ^ (uintptr_t)frame[i]) * 1099511628211u;
    hash |= 1;
    for (uint64_t i = hash >> 20;; i++) {
        uint64_t *place = &seen[i % PLACES];
        if (*place == hash)
            return false;
        if (*place == 0) {
            *place = hash;
            return true;
        }
    }
}

/* Whether this request is the one that fails. */
static bool fails(fault_kind asked, const void *caller, const char *name, const char *what) {
    if (kind != asked)
        return false;
    bool counts = false;
    for (unsigned i = 0; i < ranges && !counts; i++)
        counts = (uintptr_t)caller >= range[i].from && (uintptr_t)caller < range[i].to;
    if (!counts)
        return false;
    unsigned long n = ++counted;
    if (stacks && is_new_stack()) {
        char number[32];
        snprintf(number, sizeof number, "%lu", n);
        note("first", number, name);
    }
    bool fills = strcmp(name, "write") == 0 || strcmp(name, "mkdir") == 0;
    if (at == 0 || n < at || (n > at && !(stays && fills)))
        return false;
    if (n == at) {
        note("hit", name, what);
        if (getenv("FAULT_TRACE")) {
            void *frame[40];
            backtrace_symbols_fd(frame, backtrace(frame, 40), STDERR_FILENO);
        }
    }
    return true;
}

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

#define CALLER __builtin_return_address(0)
/* The next one of this name, looked for once. */
#define REAL(type, name, arguments)                                                                          \
    static type(*next_##name) arguments;                                                                     \
    if (!next_##name) {                                                                                      \
        void *found = real(#name);                                                                           \
        memcpy(&next_##name, &found, sizeof found);                                                          \
    }

static const char *name_of(int fd) {
    static _Thread_local char path[256];
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return path;
}

/* ---- files ---- */

#define FAIL(name, what, result)                                                                             \
    if (fails(IO, CALLER, name, what)) {                                                                     \
        errno = code;                                                                                        \
        return result;                                                                                       \
    }

int open(const char *path, int flags, ...) {
    REAL(int, open, (const char *, int, ...))
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (code)
        FAIL("open", path, -1)
    return next_open(path, flags, mode);
}

int __open_2(const char *path, int flags) {
    REAL(int, open, (const char *, int, ...))
    if (code)
        FAIL("open", path, -1)
    return next_open(path, flags);
}

static ssize_t cut(size_t size) {
    return (ssize_t)(size > 1 ? 1 : size);
}

ssize_t read(int fd, void *to, size_t size) {
    REAL(ssize_t, read, (int, void *, size_t))
    if (kind == IO && fails(IO, CALLER, "read", name_of(fd))) {
        if (code == 0)
            return next_read(fd, to, (size_t)cut(size));
        errno = code;
        return -1;
    }
    return next_read(fd, to, size);
}

ssize_t __read_chk(int fd, void *to, size_t size, size_t room) {
    REAL(ssize_t, read, (int, void *, size_t))
    if (size > room)
        abort();
    if (kind == IO && fails(IO, CALLER, "read", name_of(fd))) {
        if (code == 0)
            return next_read(fd, to, (size_t)cut(size));
        errno = code;
        return -1;
    }
    return next_read(fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size) {
    REAL(ssize_t, write, (int, const void *, size_t))
    if (kind == IO && fails(IO, CALLER, "write", name_of(fd))) {
        if (code == 0)
            return next_write(fd, from, (size_t)cut(size));
        errno = code;
        return -1;
    }
    return next_write(fd, from, size);
}

int close(int fd) {
    REAL(int, close, (int))
    if (code && kind == IO) {
        char path[256];
        snprintf(path, sizeof path, "%s", name_of(fd));
        bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
        if (writes && fails(IO, CALLER, "close", path)) {
            (void)next_close(fd);
            errno = code;
            return -1;
        }
    }
    return next_close(fd);
}

#define SIMPLE(type, name, parameters, arguments, what, failure)                                             \
    type name parameters {                                                                                   \
        REAL(type, name, parameters)                                                                         \
        if (code)                                                                                            \
            FAIL(#name, what, failure)                                                                       \
        return next_##name arguments;                                                                        \
    }

SIMPLE(int, fsync, (int fd), (fd), name_of(fd), -1)
SIMPLE(int, fchmod, (int fd, mode_t mode), (fd, mode), name_of(fd), -1)
SIMPLE(int, rename, (const char *from, const char *to), (from, to), to, -1)
SIMPLE(int, link, (const char *from, const char *to), (from, to), to, -1)
SIMPLE(int, symlink, (const char *from, const char *to), (from, to), to, -1)
SIMPLE(int, unlink, (const char *path), (path), path, -1)
SIMPLE(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), path, -1)
SIMPLE(int, mkdir, (const char *path, mode_t mode), (path, mode), path, -1)
SIMPLE(int, rmdir, (const char *path), (path), path, -1)
SIMPLE(int, flock, (int fd, int how), (fd, how), name_of(fd), -1)
SIMPLE(DIR *, opendir, (const char *path), (path), path, NULL)
SIMPLE(struct dirent *, readdir, (DIR * directory), (directory), "", NULL)

/* ---- memory ---- */

/* Looking for the next one may itself ask for memory. */
static _Thread_local bool looking;
#define REAL_ALLOC(type, name, parameters, arguments, own)                                                   \
    static type(*next) parameters;                                                                           \
    if (!next) {                                                                                             \
        if (looking)                                                                                         \
            return own arguments;                                                                            \
        looking = true;                                                                                      \
        void *found = real(#name);                                                                           \
        memcpy(&next, &found, sizeof found);                                                                 \
        looking = false;                                                                                     \
    }

#define ALLOCATOR(name, parameters, arguments, own)                                                          \
    void *name parameters {                                                                                  \
        REAL_ALLOC(void *, name, parameters, arguments, own)                                                 \
        if (fails(ALLOC, CALLER, #name, "")) {                                                               \
            errno = ENOMEM;                                                                                  \
            return NULL;                                                                                     \
        }                                                                                                    \
        return next arguments;                                                                               \
    }

ALLOCATOR(malloc, (size_t size), (size), __libc_malloc)
ALLOCATOR(calloc, (size_t count, size_t size), (count, size), __libc_calloc)
ALLOCATOR(realloc, (void *old, size_t size), (old, size), __libc_realloc)

char *strdup(const char *text) {
    REAL(char *, strdup, (const char *))
    return fails(ALLOC, CALLER, "strdup", text) ? NULL : next_strdup(text);
}

char *strndup(const char *text, size_t size) {
    REAL(char *, strndup, (const char *, size_t))
    return fails(ALLOC, CALLER, "strndup", "") ? NULL : next_strndup(text, size);
}

FILE *open_memstream(char **text, size_t *size) {
    REAL(FILE *, open_memstream, (char **, size_t *))
    return fails(ALLOC, CALLER, "open_memstream", "") ? NULL : next_open_memstream(text, size);
}
