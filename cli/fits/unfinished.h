/* Temporary files of outputs that are being written: a signal that ends the command removes them first. */
#ifndef ASIF_CLI_FITS_UNFINISHED_H
#define ASIF_CLI_FITS_UNFINISHED_H

#include <stdbool.h>

/* From now on. Exceeding a limit for the size of files is an error of write() and no longer a signal. */
void cli_unfinished_guard(void);
/* Callback of a context: a temporary file has been made, or is gone. */
void cli_unfinished_note(void *user, const char *path, bool there);
/* Remove them and end by the signal; may be called by its handler. */
void cli_unfinished_end(int signal_number);

#endif
