/* Temporary files of outputs that are being written: a signal that ends the command removes them first. */
#ifndef ASIF_CLI_FITS_UNFINISHED_H
#define ASIF_CLI_FITS_UNFINISHED_H

#include <stdbool.h>

/* Install the handlers. Exceeding the limit for the size of files then makes write() fail instead of
 * raising a signal. */
void cli_unfinished_guard(void);
/* Record that a temporary file was made or is gone; the callback `unfinished` of a context. Safe to call
 * from several threads. */
void cli_unfinished_note(void *user, const char *path, bool there);
/* Remove the recorded files and end the process by the signal; a signal handler may call it. */
void cli_unfinished_end(int signal_number);

#endif
