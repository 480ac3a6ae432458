/* A line on the terminal that tells how far a long computation is. */
#ifndef ASIF_CLI_PROGRESS_H
#define ASIF_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef struct {
    struct timespec begun, last;
    atomic_flag busy; /* threads may report at the same time: one of them writes */
    bool shown;
} cli_progress;

/* false: nothing is to be shown, as standard error is no terminal or the user wants quiet. */
bool cli_progress_begin(cli_progress *progress, bool quiet);
/* For asif_context_options.progress, with the cli_progress as its user. */
bool cli_progress_show(void *user, const char *what, double done);
/* Take the line away. */
void cli_progress_end(cli_progress *progress);

#endif
