#include "fits/results.h"

#include "fits/folder.h"
#include "memory.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(const char *path) {
    cli_say("%s was not written by asif", path);
    cli_hint("choose another folder, or move that file away");
    return CLI_USAGE;
}

int cli_results_ours(const char *folder, const char *name, const char *mark) {
    char *path = cli_join(folder, name), *text = NULL;
    size_t length = 0;
    struct stat info;
    int code = path ? CLI_OK : CLI_SYSTEM;
    if (path && lstat(path, &info) == 0) {
        code = S_ISREG(info.st_mode) ? cli_read_file(&text, &length, path) : refuse(path);
        if (code == CLI_OK && !strstr(text, mark))
            code = refuse(path);
    }
    free(text);
    free(path);
    return code;
}

/* These folders cannot be gone on with: any key will do. */
static int make_key(char *key, const cli_args *args) {
    cli_memory memory;
    int code = cli_memory_open(&memory);
    if (code == CLI_OK) {
        for (int i = 0; i < args->argc; i++)
            fprintf(memory.file, "%s\n", args->argv[i]);
        code = cli_memory_close(&memory, CLI_OK);
    }
    if (code == CLI_OK)
        asif_digest_bytes(key, memory.text, memory.length);
    cli_memory_free(&memory);
    return code;
}

int cli_results_open(asif_folder **out, cli_job *job, const char *path, const char *const *name) {
    char key[ASIF_DIGEST_SIZE];
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    *out = NULL;
    int code = make_key(key, job->args);
    options.path = path;
    options.key = key;
    options.name = name;
    options.force = cli_folder_has(path, name[0]);
    if (code == CLI_OK && asif_folder_open(out, job->context, &options, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    return code;
}

int cli_results_put(asif_folder *folder, cli_job *job, const char *name, const char *text, size_t length) {
    bool good = asif_folder_put(folder, name, text, length, &job->error) == ASIF_OK;
    return good ? CLI_OK : cli_say_error(&job->error);
}

int cli_results_close(asif_folder *folder, cli_job *job, int code) {
    if (folder && code == CLI_OK && asif_folder_commit(folder, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    asif_folder_close(folder);
    return code;
}
