/* The fits in a folder that commands read. */
#ifndef ASIF_CLI_FITS_FITS_H
#define ASIF_CLI_FITS_FITS_H

#include "job.h"

typedef struct {
    asif_fits *fits;
    asif_fits_view view;
    uint32_t count;            /* finished ones */
    const asif_fits_one **fit; /* [count] */
} cli_fits;

/* The finished fits of a folder, at least one; groups that are not finished are named. CLI_OK, or an exit
 * code after saying what is wrong; free in any case. */
int cli_fits_find(cli_fits *out, cli_job *job, const char *folder);
void cli_fits_free(cli_fits *fits);

#endif
