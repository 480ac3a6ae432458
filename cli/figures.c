#include "figures.h"

#include "folder.h"
#include "say.h"

int cli_figures_write(cli_job *job, const asif_figures *figures) {
    const char *folder = job->args->figures;
    int code = cli_folder_make(folder);
    for (uint32_t i = 0; code == CLI_OK && i < asif_figures_count(figures); i++) {
        asif_figure_view view = {.struct_size = sizeof view};
        char name[128];
        if (asif_figures_get(figures, i, &view, &job->error) != ASIF_OK)
            return cli_say_error(&job->error);
        snprintf(name, sizeof name, "%s.vl.json", view.name);
        code = cli_folder_write(folder, name, view.json, view.length);
    }
    return code;
}
