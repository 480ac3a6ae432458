/* Reports of the progress of a long computation on standard error. */
#ifndef ASIF_CLI_PROGRESS_H
#define ASIF_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef enum {
    CLI_PROGRESS_NONE,
    CLI_PROGRESS_LINE,  /* one line of a terminal, written over again and again */
    CLI_PROGRESS_PLAIN, /* a line of text from time to time */
    CLI_PROGRESS_JSON   /* the same as one JSON object a line */
} cli_progress_mode;

typedef struct {
    cli_progress_mode mode;
    char stage[64];           /* of the last report: its text up to the first comma */
    double from;              /* share that was done when the stage began: not 0 when a fit is continued */
    double done;              /* the last share, */
    struct timespec moved;    /* and when it was first reported */
    bool counted;             /* whether a report had a share of what is done, */
    struct timespec reported; /* and when the last such report came */
    struct timespec begun, last;
    double between;   /* seconds until the next report */
    atomic_flag busy; /* set while a thread writes; others then skip their report */
    bool shown, verbose;
} cli_progress;

/* Read the mode from the value of --progress: auto, plain, json or none; NULL is auto, which is a line that
 * changes on a terminal and plain lines elsewhere. Returns false if the value is none of these. */
bool cli_progress_read(cli_progress_mode *out, const char *text);
/* Begin to report; `verbose`: with a line for each step that has ended. */
void cli_progress_begin(cli_progress *progress, cli_progress_mode mode, bool verbose);
/* Make Ctrl-C (also SIGTERM, SIGHUP) ask the computation to stop; a second signal ends the program. */
void cli_progress_catch(void);
/* If a signal stopped the computation, end the program by that signal, so that a shell or a queue sees it. */
void cli_progress_give_way(void);
/* Show progress; the callback of asif_context_options.progress, with the cli_progress as its `user`.
 * Returns whether the computation is to stop. */
bool cli_progress_show(void *user, const char *what, double done);
/* Erase the line on the terminal, and report the last step. */
void cli_progress_end(cli_progress *progress);

#endif
