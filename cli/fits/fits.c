#include "fits/fits.h"

#include "say.h"

#include <stdlib.h>

int cli_fits_find(cli_fits *out, cli_job *job, const char *folder) {
    *out = (cli_fits){.view = {.struct_size = sizeof out->view}};
    if (asif_fits_find(&out->fits, job->context, folder, &job->error) != ASIF_OK ||
        asif_fits_get(out->fits, &out->view, &job->error) != ASIF_OK ||
        asif_fits_check(out->fits, folder, false, job->problems, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_say_problems(job->context, job->problems, false);
    if (code == CLI_OK)
        code = cli_job_renew_problems(job);
    if (code != CLI_OK)
        return code;
    out->fit = calloc(out->view.fits, sizeof *out->fit);
    if (!out->fit)
        return cli_no_memory();
    for (uint32_t i = 0; i < out->view.fits; i++)
        if (out->view.fit[i].finished)
            out->fit[out->count++] = &out->view.fit[i];
    return CLI_OK;
}

void cli_fits_free(cli_fits *fits) {
    asif_fits_free(fits->fits);
    free(fits->fit);
}
