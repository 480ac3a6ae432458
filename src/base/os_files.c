/* Reads files, and handles names of files and folders, on POSIX. os_output.c writes files. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

asif_status asif_os_fail(asif_error *error, int code, const char *path, const char *what) {
    if (code == ENOMEM)
        return asif_fail_memory(error);
    char reason[128] = "";
    if (strerror_r(code, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "error %d", code);
    asif_fail(error, ASIF_EIO, "cannot %s: %s", what, reason);
    asif_error_at(error, path, 0, 0);
    return ASIF_EIO;
}

/* ---- reading ---- */

/* An error in the path is the caller's mistake; any other error is the system's. */
static asif_status fail_read(asif_error *error, int code, const char *path) {
    static const int names[] = {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG, ENXIO};
    asif_status status = asif_os_fail(error, code, path, "read");
    if (code == EISDIR) {
        asif_fail(error, ASIF_ENOFILE, "this is a folder, and a file is expected here");
        asif_error_at(error, path, 0, 0);
        asif_error_hint(error, "name a file in it; the folder of a fit has the study as study.yaml");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (code == names[i])
            status = ASIF_ENOFILE;
    if (error)
        error->status = status;
    return status;
}

static asif_status fail_long(asif_error *error, const char *path, uint64_t limit, bool stream) {
    asif_fail(error, ASIF_ETOOBIG, "there is more to read than the limit of %.4g MB%s",
              (double)limit / (1 << 20), stream ? " for a pipe or device" : "");
    asif_error_at(error, path, 0, 0);
    if (stream)
        asif_error_hint(error, "write it to a file on disk first, which may be of any length");
    return ASIF_ETOOBIG;
}

asif_status asif_os_open(asif_os_stream *out, const char *path, asif_error *error) {
    *out = (asif_os_stream){.fd = -1};
    if (!path)
        return asif_fail_null(error, "path");
    bool standard = strcmp(path, "-") == 0;
    *out = (asif_os_stream){.path = standard ? "standard input" : path, .standard = standard};
    out->fd = out->standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0)
        return fail_read(error, errno, path);
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
    if (n < 0)
        return fail_read(error, errno, stream->path);
    stream->taken += stream->seekable ? 0 : *got;
    if (stream->taken > ASIF_STREAM_LIMIT)
        return fail_long(error, stream->path, ASIF_STREAM_LIMIT, true);
    return ASIF_OK;
}

asif_status asif_os_rewind(asif_os_stream *stream, asif_error *error) {
    if (lseek(stream->fd, (off_t)stream->begin, SEEK_SET) < 0)
        return asif_os_fail(error, errno, stream->path, "read again");
    return ASIF_OK;
}

void asif_os_close(asif_os_stream *stream) {
    if (!stream->standard && stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}

/* Reads the rest of a stream into memory that grows as needed. */
static asif_status read_all(char **data, uint64_t *used, const asif_context *context, asif_os_stream *stream,
                            uint64_t limit, asif_error *error) {
    uint64_t capacity = stream->bytes < 4095 ? 4096 : stream->bytes + 1, got = 1;
    uint64_t most = stream->seekable ? UINT64_MAX / 2 : ASIF_STREAM_LIMIT + 2;
    asif_status status = ASIF_OK;
    while (status == ASIF_OK && got > 0) {
        if (!*data || *used + 1 == capacity) {
            capacity = !*data ? capacity : capacity > most / 2 ? most : capacity * 2;
            char *grown = asif_realloc(context, *data, capacity, 1);
            if (!grown)
                return asif_fail_memory(error);
            *data = grown;
        }
        status = asif_os_read(stream, *data + *used, capacity - *used - 1, &got, error);
        *used += got;
        if (status == ASIF_OK && *used > limit)
            status = fail_long(error, stream->path, limit, false);
    }
    return status;
}

asif_status asif_os_read_small(char **out, uint64_t *length, const asif_context *context, const char *path,
                               uint64_t limit, asif_error *error) {
    asif_os_stream stream;
    char *data = NULL;
    uint64_t used = 0;
    *out = NULL;
    *length = 0;
    ASIF_TRY(asif_os_open(&stream, path, error));
    asif_status status = stream.bytes > limit ? fail_long(error, path, limit, false)
                                              : read_all(&data, &used, context, &stream, limit, error);
    asif_os_close(&stream);
    if (status != ASIF_OK) {
        asif_free(context, data);
        return status;
    }
    data[used] = 0;
    *out = data;
    *length = used;
    return ASIF_OK;
}

asif_status asif_os_read_file(char **out, uint64_t *length, const asif_context *context, const char *path,
                              asif_error *error) {
    return asif_os_read_small(out, length, context, path, UINT64_MAX, error);
}

asif_status asif_file_read(char **out, uint64_t *length, const asif_context *context, const char *path,
                           asif_error *error) {
    *out = NULL;
    *length = 0;
    return path ? asif_os_read_file(out, length, context, path, error)
                : asif_fail(error, ASIF_EDOMAIN, "there is no path to read");
}

/* ---- names ---- */

asif_os_kind asif_os_look(const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0)
        return ASIF_OS_NOTHING;
    return S_ISREG(info.st_mode)   ? ASIF_OS_FILE
           : S_ISDIR(info.st_mode) ? ASIF_OS_FOLDER
           : S_ISLNK(info.st_mode) ? ASIF_OS_LINK
                                   : ASIF_OS_OTHER;
}

bool asif_os_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

bool asif_file_reads_again(const char *path) {
    struct stat info;
    return path && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

asif_status asif_os_rename(const char *from, const char *to, asif_error *error) {
    return rename(from, to) == 0 ? ASIF_OK : asif_os_fail(error, errno, to, "move a file there");
}

/* Whether `name` is that of a temporary file which os_output.c made for the file `base`. */
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

static void remove_parts(DIR *directory, const char *base) {
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct stat info;
        if (is_part(entry->d_name, base, strlen(base)) &&
            fstatat(dirfd(directory), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode))
            (void)unlinkat(dirfd(directory), entry->d_name, 0);
    }
}

void asif_os_remove_parts(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char folder[4096] = ".";
    if ((size_t)(base - path) >= sizeof folder)
        return;
    if (slash) {
        memcpy(folder, path, (size_t)(base - path));
        folder[base - path] = 0;
    }
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    remove_parts(directory, base);
    (void)closedir(directory);
}

asif_status asif_os_remove(const char *path, asif_error *error) {
    if (unlink(path) != 0 && errno != ENOENT)
        return asif_os_fail(error, errno, path, "remove");
    asif_os_remove_parts(path);
    return ASIF_OK;
}

/* ---- folders ---- */

asif_status asif_os_make_folder(const char *path, bool *made, asif_error *error) {
    int code = mkdir(path, 0777) == 0 ? 0 : errno;
    struct stat info;
    if (made)
        *made = code == 0;
    if (code == EEXIST && stat(path, &info) == 0)
        code = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    return code == 0 ? ASIF_OK : asif_os_fail(error, code, path, "make the folder");
}

/* Length without slashes at the end: the folder before them is the last one to make. */
static size_t without_slashes(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

asif_status asif_os_make_folders(const asif_context *context, const char *path, bool *made,
                                 asif_error *error) {
    char *part = asif_strdup(context, path);
    asif_status status = part ? ASIF_OK : asif_fail_memory(error);
    for (size_t i = 1, length = without_slashes(path); status == ASIF_OK && i <= length; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        part[i] = 0;
        status = asif_os_make_folder(part, made, error);
        part[i] = path[i];
    }
    if (status == ASIF_EIO)
        asif_error_hint(
            error, "a folder for results is made if it is not there; you must be allowed to write into it");
    asif_free(context, part);
    return status;
}

asif_status asif_folder_make(const asif_context *context, const char *path, asif_error *error) {
    if (!context || !path || !*path)
        return asif_fail(error, ASIF_EDOMAIN, "there is no path of a folder to make");
    return asif_os_make_folders(context, path, NULL, error);
}

asif_status asif_os_remove_folder(const char *path, asif_error *error) {
    return rmdir(path) == 0 || errno == ENOENT ? ASIF_OK
                                               : asif_os_fail(error, errno, path, "remove the folder");
}

asif_status asif_os_sync_folder(const char *path, asif_error *error) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) /* a folder may be writable without being readable */
        return errno == EACCES ? ASIF_OK : asif_os_fail(error, errno, path, "flush the folder to disk");
    int code = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    (void)close(fd);
    return code == 0 ? ASIF_OK : asif_os_fail(error, code, path, "flush the folder to disk");
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static asif_status read_names(asif_os_names *out, const asif_context *context, DIR *directory,
                              const char *folder, asif_error *error) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry)
            return errno == 0 ? ASIF_OK : fail_read(error, errno, folder);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *name = asif_strdup(context, entry->d_name);
        if (!name || !asif_grow(context, &out->name, out->count, &out->capacity, sizeof *out->name)) {
            asif_free(context, name);
            return asif_fail_memory(error);
        }
        out->name[out->count++] = name;
    }
}

asif_status asif_os_list(asif_os_names *out, const asif_context *context, const char *folder,
                         asif_error *error) {
    *out = (asif_os_names){0};
    DIR *directory = opendir(folder);
    if (!directory)
        return fail_read(error, errno, folder);
    asif_status status = read_names(out, context, directory, folder, error);
    (void)closedir(directory);
    if (status != ASIF_OK)
        asif_os_names_free(out, context);
    else if (out->count > 0)
        qsort(out->name, (size_t)out->count, sizeof *out->name, by_bytes);
    return status;
}

void asif_os_names_free(asif_os_names *names, const asif_context *context) {
    for (uint64_t i = 0; i < names->count; i++)
        asif_free(context, names->name[i]);
    asif_free(context, names->name);
    *names = (asif_os_names){0};
}

/* ---- locks ---- */

/* Whether the path still names the locked file: another file may have replaced it meanwhile. */
static bool is_at(int fd, const char *path) {
    struct stat locked, there;
    return fstat(fd, &locked) == 0 && stat(path, &there) == 0 && locked.st_dev == there.st_dev &&
           locked.st_ino == there.st_ino;
}

asif_status asif_os_lock_take(asif_os_lock *out, const char *path, bool *busy, asif_error *error) {
    *busy = false;
    int code;
    do {
        out->fd = open(path, O_RDONLY | O_CLOEXEC);
        if (out->fd < 0)
            return asif_os_fail(error, errno, path, "lock");
        do
            code = flock(out->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        while (code == EINTR);
        if (code != 0 || is_at(out->fd, path))
            break;
        asif_os_lock_release(out);
    } while (true);
    if (code == EWOULDBLOCK) {
        *busy = true;
        asif_os_lock_release(out);
        asif_fail(error, ASIF_EIO, "another command is writing here");
        asif_error_at(error, path, 0, 0);
        asif_error_hint(error, "wait until it has finished");
        return ASIF_EIO;
    }
    if (code != 0)
        asif_os_lock_release(out);
    return code == 0 || code == ENOLCK || code == ENOTSUP || code == ENOSYS || code == EBADF
               ? ASIF_OK
               : asif_os_fail(error, code, path, "lock");
}

void asif_os_lock_release(asif_os_lock *lock) {
    if (lock->fd >= 0)
        (void)close(lock->fd);
    lock->fd = -1;
}
