#include "fits/fits.h"

#include "say.h"

#include <inttypes.h>
#include <stdlib.h>

#define LISTED 12

static int nothing_there(const cli_fits *fits, const char *folder, const char *makes) {
    bool begun = fits->view.begun || fits->view.fits;
    cli_say("%s holds no %sfit", folder, begun ? "finished " : "");
    if (begun)
        cli_hint("the same `asif fit` goes on from where it was");
    else
        cli_hint("asif fit STUDY LOGS -o %s%s makes %s", folder, makes, *makes ? "groups to compare" : "one");
    return CLI_USAGE;
}

/* Whoever reads the groups hears that some are missing. */
static void name_unfinished(const cli_fits *fits, const char *folder) {
    uint32_t listed = 0, missing = fits->view.fits - fits->view.finished;
    fprintf(stderr, "asif: note: %" PRIu32 " of the %" PRIu32 " groups in %s %s not finished:", missing,
            fits->view.fits, folder, missing == 1 ? "is" : "are");
    for (uint32_t i = 0; i < fits->view.fits && listed < LISTED; i++)
        if (!fits->view.fit[i].finished)
            fprintf(stderr, "%s %s", listed++ ? "," : "", fits->view.fit[i].value);
    fputs(missing > listed ? ", ...\n" : "\n", stderr);
    cli_hint("they are left out here; the same `asif fit` makes them");
}

int cli_fits_find(cli_fits *out, cli_job *job, const char *folder, const char *makes) {
    *out = (cli_fits){.view = {.struct_size = sizeof out->view}};
    if (asif_fits_find(&out->fits, job->context, folder, &job->error) != ASIF_OK ||
        asif_fits_get(out->fits, &out->view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (out->view.finished == 0)
        return nothing_there(out, folder, makes);
    out->fit = calloc(out->view.fits, sizeof *out->fit);
    if (!out->fit) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    for (uint32_t i = 0; i < out->view.fits; i++)
        if (out->view.fit[i].finished)
            out->fit[out->count++] = &out->view.fit[i];
    if (out->count < out->view.fits)
        name_unfinished(out, folder);
    return CLI_OK;
}

void cli_fits_free(cli_fits *fits) {
    asif_fits_free(fits->fits);
    free(fits->fit);
}
