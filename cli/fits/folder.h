/* Paths in folders of results, and whether files are there. */
#ifndef ASIF_CLI_FITS_FOLDER_H
#define ASIF_CLI_FITS_FOLDER_H

#include "asif.h"

#include <stdbool.h>
#include <stddef.h>

/* Join to "folder/name", to be freed by free(); NULL after printing that there is no memory. */
char *cli_join(const char *folder, const char *name);
bool cli_folder_has(const char *folder, const char *name);
/* Whether a folder has a file whose name begins with `prefix`, such as "checkpoint-". */
bool cli_folder_has_prefix(const char *folder, const char *prefix);

#endif
