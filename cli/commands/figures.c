#include "commands/figures.h"

#include "fits/folder.h"
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

/* Refuse to replace a file that does not contain the text `mark`, since asif did not write it. */
static int check_ours(cli_job *job, const char *folder, const char *name, const char *mark) {
    char *path = cli_join(folder, name), *text = NULL;
    size_t length = 0;
    struct stat info;
    int code = path ? CLI_OK : CLI_SYSTEM;
    if (path && lstat(path, &info) == 0) {
        code = S_ISREG(info.st_mode) ? cli_read_file(&text, &length, job, path) : refuse(path);
        if (code == CLI_OK && !strstr(text, mark))
            code = refuse(path);
    }
    asif_memory_free(job->context, text);
    free(path);
    return code;
}

int cli_figures_write(cli_job *job, const asif_figures *figures) {
    const char *folder = job->args->figures;
    bool made = asif_folder_make(job->context, folder, &job->error) == ASIF_OK;
    int code = made ? CLI_OK : cli_say_error(&job->error);
    for (uint32_t i = 0; code == CLI_OK && i < asif_figures_count(figures); i++) {
        asif_figure_view view = {.struct_size = sizeof view};
        char name[128];
        if (asif_figures_get(figures, i, &view, &job->error) != ASIF_OK)
            return cli_say_error(&job->error);
        snprintf(name, sizeof name, "%s.vl.json", view.name);
        code = check_ours(job, folder, name, "\"asif\"");
        char *path = code == CLI_OK ? cli_join(folder, name) : NULL;
        if (code == CLI_OK)
            code = path ? cli_write(job, path, view.json, (size_t)view.length) : CLI_SYSTEM;
        free(path);
    }
    return code;
}
