#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

void must(bool condition) {
    if (!condition)
        abort();
}

static void remove_all(void) {
    DIR *open = opendir(folder);
    for (struct dirent *entry = open ? readdir(open) : NULL; entry; entry = readdir(open))
        if (entry->d_name[0] != '.')
            (void)unlink(scratch_path(entry->d_name));
    if (open)
        (void)closedir(open);
    (void)rmdir(folder);
}

const char *scratch(void) {
    struct stat found;
    if (folder[0])
        return folder;
    bool memory = stat("/dev/shm", &found) == 0 && S_ISDIR(found.st_mode) && access("/dev/shm", W_OK) == 0;
    (void)snprintf(folder, sizeof folder, "%s/asif-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    must(mkdtemp(folder) != NULL);
    must(atexit(remove_all) == 0);
    return folder;
}

const char *scratch_path(const char *name) {
    static char path[sizeof folder + 256];
    must(snprintf(path, sizeof path, "%s/%s", scratch(), name) < (int)sizeof path);
    return path;
}

void scratch_write(const char *name, const void *data, size_t size) {
    FILE *file = fopen(scratch_path(name), "wb");
    must(file && (size == 0 || fwrite(data, 1, size, file) == size) && fclose(file) == 0);
}

void scratch_remove(const char *name) {
    (void)unlink(scratch_path(name));
}

bool scratch_has(const char *name) {
    return access(scratch_path(name), F_OK) == 0;
}

/* ---- several files ---- */

static const char mark[] = "=== ";
enum { MARK = sizeof mark - 1 };

/* Where the next line begins that starts with the mark; the end if there is none. */
static const uint8_t *next_mark(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        if ((size_t)(end - at) >= MARK && memcmp(at, mark, MARK) == 0)
            return at;
        const uint8_t *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return end;
}

static const char *name_at(const char *const *names, const uint8_t *at, size_t length) {
    for (; *names; names++)
        if (strlen(*names) == length && memcmp(*names, at, length) == 0)
            return *names;
    return NULL;
}

void scratch_unpack(const char *const *names, const uint8_t *data, size_t size) {
    const uint8_t *end = data + size, *next = next_mark(data, end);
    for (uint32_t i = 1; names[i]; i++)
        scratch_remove(names[i]);
    scratch_write(names[0], data, (size_t)(next - data));
    while (next < end) {
        const uint8_t *begin = next + MARK, *line = memchr(begin, '\n', (size_t)(end - begin));
        const uint8_t *body = line ? line + 1 : end;
        const char *name = name_at(names, begin, (size_t)((line ? line : end) - begin));
        next = next_mark(body, end);
        if (name)
            scratch_write(name, body, (size_t)(next - body));
    }
}
