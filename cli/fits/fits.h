/* Finds the fits in a folder for commands that read them. */
#ifndef ASIF_CLI_FITS_FITS_H
#define ASIF_CLI_FITS_FITS_H

#include "job.h"

typedef struct {
    asif_fits *fits;
    asif_fits_view view;
    uint32_t count;            /* number of finished fits */
    const asif_fits_one **fit; /* [count]: the finished fits, borrowed from `fits` */
} cli_fits;

/* Find the finished fits of a folder, at least one; unfinished groups are named on standard error. Returns
 * CLI_OK, or an exit code after printing what is wrong. Call cli_fits_free() in either case. */
int cli_fits_find(cli_fits *out, cli_job *job, const char *folder);
void cli_fits_free(cli_fits *fits);

#endif
