/* Writes files on POSIX: to a temporary file in the same folder, which then replaces the target, or directly
 * to a pipe or device. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, MOST_LINKS = 40, MOST_NAMES = 100, MOST_NAME = 200 };

struct asif_output {
    const asif_context *context;
    int fd;
    bool borrowed;   /* the descriptor belongs to somebody else and stays open */
    bool new_only;   /* refuse to replace a file */
    int code;        /* errno of the first write that failed; 0: none */
    char *path;      /* the path as the caller wrote it */
    char *target;    /* the path after following links; NULL: written directly */
    char *temporary; /* path of the temporary file; NULL: there is none */
    size_t used;
    char buffer[PIECE];
};

/* ---- the target ---- */

static asif_status fail_write(asif_error *error, int code, const char *path) {
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    asif_status status = asif_os_fail(error, code, name, "write");
    if (code == ENOENT)
        asif_error_hint(error, "the folder must be there already");
    else if (code == EISDIR)
        asif_error_hint(error, "name a file, which may be in that folder");
    else if (code == EFBIG)
        asif_error_hint(error,
                        "a limit for the size of files is set (`ulimit -f`), or the file system has one");
    return status;
}

/* The number N of a path FOLDER/N; -1 for any other path. */
static int descriptor_in(const char *folder, const char *path) {
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0)
        return -1;
    size_t digits = strspn(path + length, "0123456789");
    return digits > 0 && digits < 6 && !path[length + digits] ? (int)strtol(path + length, NULL, 10) : -1;
}

/* The file descriptor that a path such as /dev/stdout names; -1: none. */
static int descriptor_named(const char *path) {
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    int fd = descriptor_in("/dev/fd/", path);
    return fd >= 0 ? fd : descriptor_in("/proc/self/fd/", path);
}

/* The path that a link leads to, relative to the link's folder; NULL: no memory. */
static char *beyond(const asif_context *context, const char *link, const char *text) {
    const char *slash = text[0] == '/' ? NULL : strrchr(link, '/');
    size_t folder = slash ? (size_t)(slash - link) + 1 : 0, length = strlen(text);
    char *name = asif_realloc(context, NULL, folder + length + 1, 1);
    if (name) {
        memcpy(name, link, folder);
        memcpy(name + folder, text, length + 1);
    }
    return name;
}

/* Follows links, also to a target that does not exist yet. A path that names a descriptor is not followed. */
static asif_status follow(char **out, const asif_context *context, const char *path, asif_error *error) {
    char text[4096], *name = *out = asif_strdup(context, path);
    for (unsigned links = 0; name; links++) {
        ssize_t length = descriptor_named(name) >= 0 ? -1 : readlink(name, text, sizeof text - 1);
        if (length < 0)
            return ASIF_OK;
        if (links == MOST_LINKS)
            return fail_write(error, ELOOP, path);
        text[length] = 0;
        *out = beyond(context, name, text);
        asif_free(context, name);
        name = *out;
    }
    return asif_fail_memory(error);
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static asif_status refuse_inputs(const asif_output *o, const struct stat *there,
                                 const asif_output_options *options, asif_error *error) {
    for (uint32_t i = 0; i < options->inputs; i++) {
        const char *input = options->input[i];
        struct stat info;
        bool standard = strcmp(input, "-") == 0;
        if ((standard ? fstat(STDIN_FILENO, &info) : stat(input, &info)) != 0 || !is_same(there, &info))
            continue;
        asif_fail(error, ASIF_EINVALID, "this is also an input (%.200s): writing would destroy it",
                  standard ? "standard input" : input);
        asif_error_at(error, o->path, 0, 0);
        asif_error_hint(error, "choose another name for the output");
        return ASIF_EINVALID;
    }
    return ASIF_OK;
}

static asif_status refuse_existing(const asif_output *o, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "%.300s is there already", o->path);
    asif_error_hint(error, "choose another name, or remove it first");
    return ASIF_EINVALID;
}

/* ---- the temporary file ---- */

static void tell(const asif_output *o, bool there) {
    const asif_context_options *options = &o->context->options;
    if (options->unfinished)
        options->unfinished(options->user, o->temporary, there);
}

/* Makes a name for the temporary file in the target's folder; a very long name is cut short. */
static bool name_temporary(asif_output *o, unsigned attempt) {
    const char *slash = strrchr(o->target, '/'), *base = slash ? slash + 1 : o->target;
    size_t folder = (size_t)(base - o->target), length = strlen(base), size;
    length = length > MOST_NAME ? MOST_NAME : length;
    size = folder + length + 64;
    if (!o->temporary)
        o->temporary = asif_realloc(o->context, NULL, size, 1);
    if (o->temporary)
        (void)snprintf(o->temporary, size, "%.*s.%ld-%u.part", (int)(folder + length), o->target,
                       (long)getpid(), attempt);
    return o->temporary != NULL;
}

/* Creates the temporary file and returns 0 or errno. Signals are blocked until the caller's `unfinished`
 * function knows which file to remove. */
static int create_temporary(asif_output *o) {
    sigset_t all, before;
    int code = EEXIST;
    for (unsigned attempt = 0; code == EEXIST && attempt < MOST_NAMES; attempt++) {
        if (!name_temporary(o, attempt))
            return ENOMEM;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        code = o->fd < 0 ? errno : 0;
        if (code == 0)
            tell(o, true);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (code != 0) {
        asif_free(o->context, o->temporary);
        o->temporary = NULL;
    }
    return code;
}

static void drop_temporary(asif_output *o, bool is_there) {
    if (!o->temporary)
        return;
    if (is_there)
        (void)unlink(o->temporary);
    tell(o, false);
    asif_free(o->context, o->temporary);
    o->temporary = NULL;
}

/* Gives the temporary file the owner, as far as that is allowed, and the permissions of the file that
 * it replaces. */
static int keep_mode(const asif_output *o, const struct stat *there) {
    struct stat made;
    if (fstat(o->fd, &made) != 0)
        return errno;
    bool same = made.st_uid == there->st_uid && made.st_gid == there->st_gid;
    if (!same && fchown(o->fd, there->st_uid, there->st_gid) != 0 && errno != EPERM)
        return errno;
    return fchmod(o->fd, there->st_mode & 0777) == 0 ? 0 : errno;
}

/* ---- opening ---- */

typedef enum { ABSENT, REPLACED, DIRECT } target_kind;

/* "a/b" becomes "a", "/b" becomes "/", and "b" becomes ".". */
static void cut_to_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    else
        memcpy(path, ".", 2);
}

static asif_status open_directly(asif_output *o, const asif_output_options *options, asif_error *error) {
    struct stat info;
    o->fd = descriptor_named(o->target);
    o->borrowed = o->fd >= 0;
    if (!o->borrowed)
        o->fd = open(o->target, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (o->fd < 0 || fstat(o->fd, &info) != 0)
        return fail_write(error, errno, o->path);
    asif_free(o->context, o->target);
    o->target = NULL;
    return refuse_inputs(o, &info, options, error);
}

static asif_status open_beside(asif_output *o, const struct stat *there, asif_error *error) {
    int code = create_temporary(o);
    if (code == 0 && there)
        code = keep_mode(o, there);
    return code == 0 ? ASIF_OK : fail_write(error, code, o->path);
}

/* Finds what is at the target: a file that may be replaced, nothing, or something to be written
 * to directly. */
static asif_status judge_target(const asif_output *o, struct stat *there, target_kind *kind,
                                const asif_output_options *options, asif_error *error) {
    bool exists = descriptor_named(o->target) < 0 && stat(o->target, there) == 0;
    *kind = DIRECT;
    if (descriptor_named(o->target) >= 0)
        return ASIF_OK;
    if (!exists && errno != ENOENT)
        return fail_write(error, errno, o->path);
    if (exists && options->new_only)
        return refuse_existing(o, error);
    if (exists && S_ISDIR(there->st_mode))
        return fail_write(error, EISDIR, o->path);
    if (exists && !S_ISREG(there->st_mode))
        return ASIF_OK;
    *kind = exists ? REPLACED : ABSENT;
    if (exists && access(o->target, W_OK) != 0)
        return fail_write(error, errno, o->path);
    return exists ? refuse_inputs(o, there, options, error) : ASIF_OK;
}

static asif_status open_target(asif_output *o, const asif_output_options *options, asif_error *error) {
    struct stat there;
    target_kind kind;
    ASIF_TRY(judge_target(o, &there, &kind, options, error));
    return kind == DIRECT ? open_directly(o, options, error)
                          : open_beside(o, kind == REPLACED ? &there : NULL, error);
}

/* Checks the target without opening anything: a new file needs a folder that is writable. */
static asif_status check_target(asif_output *o, const asif_output_options *options, asif_error *error) {
    struct stat there;
    target_kind kind;
    ASIF_TRY(judge_target(o, &there, &kind, options, error));
    if (kind == DIRECT)
        return ASIF_OK;
    cut_to_folder(o->target);
    return access(o->target, W_OK | X_OK) == 0 ? ASIF_OK : fail_write(error, errno, o->path);
}

static asif_status give_up(asif_output *o, asif_status status) {
    if (o->fd >= 0 && !o->borrowed)
        (void)close(o->fd);
    drop_temporary(o, true);
    asif_free(o->context, o->target);
    asif_free(o->context, o->path);
    asif_free(o->context, o);
    return status;
}

/* Finds the target of a path. A path to a pipe or device is used as it is, because some links, such as those
 * in /proc, cannot be read. */
static asif_status find_target(asif_output *o, const char *path, asif_error *error) {
    struct stat info;
    if (!path[0])
        return fail_write(error, ENOENT, path);
    o->path = asif_strdup(o->context, path);
    if (!o->path)
        return asif_fail_memory(error);
    bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    if (!direct)
        return follow(&o->target, o->context, path, error);
    o->target = asif_strdup(o->context, path);
    return o->target ? ASIF_OK : asif_fail_memory(error);
}

/* Makes an output and finds its target, but opens nothing. */
static asif_status prepare(asif_output **out, const asif_context *context, const char *path,
                           const asif_output_options *options, asif_error *error) {
    *out = NULL;
    if (!context || !path)
        return asif_fail(error, ASIF_EDOMAIN, "there is no path to write to");
    if (options->struct_size != sizeof *options)
        return asif_fail(error, ASIF_EDOMAIN, "output options have an unknown size");
    asif_output *o = asif_realloc(context, NULL, 1, sizeof *o);
    if (!o)
        return asif_fail_memory(error);
    o->context = context;
    o->fd = -1;
    o->borrowed = false;
    o->new_only = options->new_only;
    o->code = 0;
    o->path = o->target = o->temporary = NULL;
    o->used = 0;
    asif_status status = find_target(o, path, error);
    if (status != ASIF_OK || !o->target)
        return give_up(o, status != ASIF_OK ? status : ASIF_EIO);
    *out = o;
    return ASIF_OK;
}

static const asif_output_options defaults = ASIF_OUTPUT_OPTIONS_INIT;

asif_status asif_output_open(asif_output **out, const asif_context *context, const char *path,
                             const asif_output_options *options, asif_error *error) {
    options = options ? options : &defaults;
    ASIF_TRY(prepare(out, context, path, options, error));
    asif_status status = open_target(*out, options, error);
    if (status == ASIF_OK)
        return ASIF_OK;
    give_up(*out, status);
    *out = NULL;
    return status;
}

asif_status asif_output_check(const asif_context *context, const char *path,
                              const asif_output_options *options, asif_error *error) {
    asif_output *o;
    options = options ? options : &defaults;
    ASIF_TRY(prepare(&o, context, path, options, error));
    return give_up(o, check_target(o, options, error));
}

/* ---- writing ---- */

static void put(asif_output *o, const char *data, uint64_t length) {
    while (length > 0 && o->code == 0) {
        ssize_t n = write(o->fd, data, (size_t)(length < 1u << 30 ? length : 1u << 30));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            o->code = n < 0 ? errno : EIO;
            return;
        }
        data += n;
        length -= (uint64_t)n;
    }
}

static void flush(asif_output *o) {
    put(o, o->buffer, o->used);
    o->used = 0;
}

asif_status asif_output_write(asif_output *output, const char *data, uint64_t length, asif_error *error) {
    asif_output *o = output;
    if (length >= PIECE - o->used)
        flush(o);
    if (length >= PIECE)
        put(o, data, length);
    else if (length > 0) {
        memcpy(o->buffer + o->used, data, (size_t)length);
        o->used += (size_t)length;
    }
    return o->code == 0 ? ASIF_OK : fail_write(error, o->code, o->path);
}

/* ---- closing ---- */

static bool is_without_links(int code) {
    static const int codes[] = {EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i])
            return true;
    return false;
}

/* Moves the temporary file to the target. A new file is put there by link(), which fails if another file has
 * appeared meanwhile; rename() would replace it. */
static int put_in_place(asif_output *o) {
    if (o->new_only) {
        if (link(o->temporary, o->target) == 0) {
            drop_temporary(o, true);
            return 0;
        }
        if (!is_without_links(errno))
            return errno;
    }
    if (rename(o->temporary, o->target) != 0)
        return errno;
    drop_temporary(o, false);
    return 0;
}

asif_status asif_output_close(asif_output *output, bool keep, asif_error *error) {
    asif_output *o = output;
    if (!o)
        return ASIF_OK;
    if (keep)
        flush(o);
    if (keep && o->temporary && o->code == 0 && fsync(o->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        o->code = errno;
    if (!o->borrowed && close(o->fd) != 0 && o->code == 0)
        o->code = errno;
    o->fd = -1;
    if (!keep)
        return give_up(o, ASIF_OK);
    if (o->temporary && o->code == 0)
        o->code = put_in_place(o);
    if (o->code == EEXIST)
        return give_up(o, refuse_existing(o, error));
    if (o->code != 0)
        return give_up(o, fail_write(error, o->code, o->path));
    if (!o->target)
        return give_up(o, ASIF_OK);
    cut_to_folder(o->target);
    return give_up(o, asif_os_sync_folder(o->target, error));
}

asif_status asif_file_write(const asif_context *context, const char *path, const char *data, uint64_t length,
                            const asif_output_options *options, asif_error *error) {
    asif_output *output = NULL;
    ASIF_TRY(asif_output_open(&output, context, path, options, error));
    asif_status status = asif_output_write(output, data, length, error);
    asif_status closed = asif_output_close(output, status == ASIF_OK, status == ASIF_OK ? error : NULL);
    return status == ASIF_OK ? closed : status;
}
