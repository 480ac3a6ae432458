/* Folders of results: names, and what is in them. */
#ifndef ASIF_CLI_FITS_FOLDER_H
#define ASIF_CLI_FITS_FOLDER_H

#include "asif.h"

#include <stdbool.h>
#include <stddef.h>

/* "folder/name", to be freed by free(); NULL after saying that there is no memory. */
char *cli_join(const char *folder, const char *name);
bool cli_folder_has(const char *folder, const char *name);
/* Whether a file there begins so: "checkpoint-". */
bool cli_folder_has_prefix(const char *folder, const char *prefix);

#endif
