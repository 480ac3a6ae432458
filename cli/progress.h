/* A line on the terminal that shows the progress of a long computation. */
#ifndef ASIF_CLI_PROGRESS_H
#define ASIF_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef struct {
    struct timespec begun, last;
    atomic_flag busy; /* set while a thread writes; others then skip their report */
    double done; /* share done at the last report; a drop below half of it starts the clock anew, for another
                    computation */
    bool visible, shown;
} cli_progress;

/* Begin. Nothing is shown if standard error is no terminal or the user wants quiet. */
void cli_progress_begin(cli_progress *progress, bool quiet);
/* Make Ctrl-C (also SIGTERM, SIGHUP) ask the computation to stop; a second signal ends the program. */
void cli_progress_catch(void);
/* If a signal stopped the computation, end the program by that signal, so that a shell or a queue sees it. */
void cli_progress_give_way(void);
/* Show progress; the callback of asif_context_options.progress, with the cli_progress as its `user`.
 * Returns whether the computation is to stop. */
bool cli_progress_show(void *user, const char *what, double done);
/* Erase the line. */
void cli_progress_end(cli_progress *progress);

#endif
