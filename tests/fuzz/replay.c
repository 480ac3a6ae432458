/* Runs a fuzzer over every file of the folders (or files) given, in place of libFuzzer's own main(). */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fatal(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    exit(2);
}

static void replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fatal(path, "cannot be opened");
    long size = ftell(file);
    rewind(file);
    /* An allocation of exactly the size lets the address sanitizer see a read past the end. */
    uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
    if (size < 0 || (size > 0 && (!data || fread(data, 1, (size_t)size, file) != (size_t)size)))
        fatal(path, "cannot be read");
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static unsigned replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return 1;
    }
    unsigned count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        char name[4096];
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name)
            fatal(path, "holds a name that is too long");
        replay_file(name);
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    unsigned count = 0;
    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    printf("%u inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
