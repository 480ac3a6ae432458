#include "commands/figures.h"

#include "fits/folder.h"
#include "fits/results.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>

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
        code = cli_results_ours(folder, name, "\"asif\"");
        char *path = code == CLI_OK ? cli_join(folder, name) : NULL;
        if (code == CLI_OK)
            code = path ? cli_write(job, path, view.json, (size_t)view.length) : CLI_SYSTEM;
        free(path);
    }
    return code;
}
