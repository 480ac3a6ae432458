/* A line on the terminal that shows the progress of a long computation. */
#ifndef ASIF_CLI_PROGRESS_H
#define ASIF_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef struct {
    struct timespec begun, last;
    atomic_flag busy; /* threads may report at the same time: one of them writes */
    double done;      /* at the last report: less than before is another computation */
    bool visible, shown;
} cli_progress;

/* Nothing is shown where standard error is no terminal or the user wants quiet. */
void cli_progress_begin(cli_progress *progress, bool quiet);
/* From now on Ctrl-C (SIGTERM, SIGHUP) asks the computation to stop; a second one ends the program. */
void cli_progress_catch(void);
/* If a signal stopped the computation, end by that signal, so that a shell or a queue sees it. */
void cli_progress_give_way(void);
/* For asif_context_options.progress, with the cli_progress as its user. */
bool cli_progress_show(void *user, const char *what, double done);
/* Take the line away. */
void cli_progress_end(cli_progress *progress);

#endif
