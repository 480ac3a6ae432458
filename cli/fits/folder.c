#include "fits/folder.h"

#include "args.h"
#include "say.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
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
