#include "folder.h"

#include "args.h"
#include "output.h"
#include "say.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_join(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) {
        cli_say("out of memory");
        return NULL;
    }
    size_t used = strlen(folder);
    snprintf(path, size, "%s%s%s", folder, used && folder[used - 1] == '/' ? "" : "/", name);
    return path;
}

static int refuse(const char *path, int number) {
    cli_say("cannot write into %s: %s", path, strerror(number));
    cli_hint("a folder for results is made if it is not there; it has to be one that you may write into");
    return CLI_SYSTEM;
}

static int make_one(const char *path) {
    struct stat there;
    if (stat(path, &there) == 0)
        return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

int cli_folder_make(const char *path) {
    size_t length = strlen(path);
    char *part = malloc(length + 1);
    int failed = part ? 0 : ENOMEM;
    for (size_t i = 1; !failed && i <= length; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        failed = make_one(part);
    }
    free(part);
    if (!failed && access(path, W_OK | X_OK) != 0)
        failed = errno;
    return failed ? refuse(path, failed) : CLI_OK;
}

bool cli_folder_has(const char *folder, const char *name) {
    char *path = cli_join(folder, name);
    bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

bool cli_folder_has_prefix(const char *folder, const char *prefix) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    bool found = false;
    while (directory && !found && (entry = readdir(directory)))
        found = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    if (directory)
        closedir(directory);
    return found;
}

int cli_folder_write(const char *folder, const char *name, const char *text, size_t length) {
    char *path = cli_join(folder, name);
    int code = path ? cli_write_file(path, text, length) : CLI_SYSTEM;
    free(path);
    return code;
}

int cli_folder_read(char **out, size_t *length, const char *folder, const char *name) {
    char *path = cli_join(folder, name);
    *out = NULL;
    int code = path ? cli_read_file(out, length, path) : CLI_SYSTEM;
    free(path);
    if (code != CLI_OK)
        return code;
    /* Ended by a 0, for those who look for something in it. */
    char *ended = realloc(*out, *length + 1);
    if (!ended) {
        free(*out);
        *out = NULL;
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    ended[*length] = 0;
    *out = ended;
    return CLI_OK;
}

int cli_natural_order(const char *a, const char *b) {
    double x, y;
    bool numbers = cli_read_number(a, a + strlen(a), &x) && cli_read_number(b, b + strlen(b), &y);
    if (numbers && x != y)
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

static int by_name(const void *a, const void *b) {
    return cli_natural_order(*(char *const *)a, *(char *const *)b);
}

int cli_folder_list(char ***out, uint32_t *count, const char *folder, const char *name) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t room = 0;
    bool enough = true;
    *out = NULL;
    *count = 0;
    while (directory && enough && (entry = readdir(directory))) {
        char *inside = entry->d_name[0] == '.' ? NULL : cli_join(folder, entry->d_name);
        if (inside && cli_folder_has(inside, name)) {
            if (*count == room) {
                room = room ? 2 * room : 16;
                char **more = realloc(*out, room * sizeof **out);
                enough = more != NULL;
                *out = more ? more : *out;
            }
            if (enough)
                enough = ((*out)[(*count)++] = strdup(entry->d_name)) != NULL;
        }
        free(inside);
    }
    if (directory)
        closedir(directory);
    if (!enough) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    if (*count)
        qsort(*out, *count, sizeof **out, by_name);
    return CLI_OK;
}
