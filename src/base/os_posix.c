/* Files, clock, locale and threads on POSIX. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef ASIF_NO_THREADS
#include <pthread.h>
#endif

static asif_status fail_io(asif_error *error, const char *path, const char *what) {
    int code = errno;
    char reason[128] = "";
    if (strerror_r(code, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "error %d", code);
    asif_fail(error, ASIF_EIO, "cannot %s: %s", what, reason);
    asif_error_at(error, path, 0, 0);
    return ASIF_EIO;
}

asif_status asif_os_read_file(char **out, uint64_t *length, const asif_context *context, const char *path,
                              asif_error *error) {
    *out = NULL;
    *length = 0;
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_io(error, path, "read");
    struct stat info;
    uint64_t capacity = 0;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        capacity = (uint64_t)info.st_size + 1;
    if (capacity < 4096)
        capacity = 4096;
    char *data = asif_realloc(context, NULL, capacity, 1);
    asif_status status = data ? ASIF_OK : asif_fail_memory(error);
    uint64_t used = 0;
    while (status == ASIF_OK) {
        if (used + 1 == capacity) {
            char *grown = asif_realloc(context, data, capacity * 2, 1);
            if (!grown) {
                status = asif_fail_memory(error);
                break;
            }
            data = grown;
            capacity *= 2;
        }
        ssize_t got = read(fd, data + used, (size_t)(capacity - used - 1));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = fail_io(error, path, "read");
        if (got <= 0)
            break;
        used += (uint64_t)got;
    }
    if (!standard)
        (void)close(fd);
    if (status != ASIF_OK) {
        asif_free(context, data);
        return status;
    }
    data[used] = 0;
    *out = data;
    *length = used;
    return ASIF_OK;
}

asif_status asif_os_open(asif_os_stream *out, const char *path, asif_error *error) {
    *out = (asif_os_stream){.path = path, .standard = strcmp(path, "-") == 0};
    out->fd = out->standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0)
        return fail_io(error, path, "read");
    struct stat info;
    out->begin = lseek(out->fd, 0, SEEK_CUR);
    out->seekable = out->begin >= 0 && fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode);
    if (out->seekable && info.st_size > out->begin)
        out->bytes = (uint64_t)(info.st_size - out->begin);
    return ASIF_OK;
}

asif_status asif_os_read(asif_os_stream *stream, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    ssize_t n;
    do
        n = read(stream->fd, to, (size_t)(room < 1u << 30 ? room : 1u << 30));
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (uint64_t)n : 0;
    return n < 0 ? fail_io(error, stream->path, "read") : ASIF_OK;
}

asif_status asif_os_rewind(asif_os_stream *stream, asif_error *error) {
    if (lseek(stream->fd, (off_t)stream->begin, SEEK_SET) < 0)
        return fail_io(error, stream->path, "read again");
    return ASIF_OK;
}

void asif_os_close(asif_os_stream *stream) {
    if (!stream->standard && stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}

static bool write_all(int fd, const char *data, uint64_t length) {
    while (length) {
        ssize_t put = write(fd, data, (size_t)(length < 1u << 30 ? length : 1u << 30));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        data += put;
        length -= (uint64_t)put;
    }
    return true;
}

asif_status asif_os_write_file(const char *path, const char *data, uint64_t length, asif_error *error) {
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, data, length) ? ASIF_OK : fail_io(error, path, "write");
    char temporary[4096];
    int fd = -1;
    for (unsigned attempt = 0; fd < 0 && attempt < 100; attempt++) {
        int size = snprintf(temporary, sizeof temporary, "%s.%ld-%u.part", path, (long)getpid(), attempt);
        if (size < 0 || (size_t)size >= sizeof temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return fail_io(error, path, "write");
    bool good = write_all(fd, data, length) && fsync(fd) == 0;
    int code = errno;
    good = close(fd) == 0 && good;
    if (good && rename(temporary, path) == 0)
        return ASIF_OK;
    if (good)
        code = errno;
    (void)unlink(temporary);
    errno = code;
    return fail_io(error, path, "write");
}

bool asif_os_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* Whether `name` is that of a temporary file of asif_os_write_file() for the file `base`. */
static bool is_part(const char *name, const char *base, size_t length) {
    if (strncmp(name, base, length) != 0 || name[length] != '.')
        return false;
    name += length + 1;
    for (char after = '-'; after; after = after == '-' ? '.' : 0) {
        size_t digits = strspn(name, "0123456789");
        if (digits == 0 || name[digits] != after)
            return false;
        name += digits + 1;
    }
    return strcmp(name, "part") == 0;
}

asif_status asif_os_remove(const char *path, asif_error *error) {
    if (unlink(path) != 0 && errno != ENOENT)
        return fail_io(error, path, "remove");
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char folder[4096] = ".";
    if ((size_t)(base - path) >= sizeof folder)
        return ASIF_OK;
    if (slash)
        memcpy(folder, path, (size_t)(base - path));
    DIR *directory = opendir(folder);
    if (!directory)
        return ASIF_OK;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (is_part(entry->d_name, base, strlen(base)))
            (void)unlinkat(dirfd(directory), entry->d_name, 0);
    (void)closedir(directory);
    return ASIF_OK;
}

double asif_os_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double asif_os_strtod(const char *s, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = uselocale(c);
    double value = strtod(s, end);
    (void)uselocale(old);
    freelocale(c);
    return value;
}

int asif_os_vsnprintf(char *buffer, size_t size, const char *format, va_list args) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = uselocale(c);
    int length = vsnprintf(buffer, size, format, args);
    (void)uselocale(old);
    freelocale(c);
    return length;
}

#ifdef ASIF_NO_THREADS

void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument) {
    (void)threads;
    for (uint32_t i = 0; i < jobs; i++)
        job(argument, i);
}

#else

typedef struct {
    atomic_uint_fast32_t next;
    uint32_t jobs;
    void (*job)(void *argument, uint32_t i);
    void *argument;
} queue;

static void *work(void *pointer) {
    queue *q = pointer;
    for (;;) {
        uint_fast32_t i = atomic_fetch_add(&q->next, 1);
        if (i >= q->jobs)
            return NULL;
        q->job(q->argument, (uint32_t)i);
    }
}

void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument) {
    enum { MOST = 256 };
    queue q = {0, jobs, job, argument};
    pthread_t thread[MOST];
    uint32_t started = 0, wanted = (threads < jobs ? threads : jobs);
    wanted = wanted > MOST ? MOST : wanted;
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, work, &q) == 0)
        started++;
    work(&q);
    for (uint32_t i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
}

#endif
