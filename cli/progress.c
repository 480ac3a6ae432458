#include "progress.h"

#include "fits/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_SECONDS 1.0 /* seconds before the line first appears */
#define BETWEEN_SECONDS 0.2
#define BAR 20

static atomic_int caught; /* the signal, 0: none; set by a handler, read by every thread */

static void take_note(int signal_number) {
    if (caught)
        cli_unfinished_end(signal_number);
    caught = signal_number;
}

void cli_progress_catch(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = take_note;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void cli_progress_give_way(void) {
    if (!caught)
        return;
    fflush(NULL);
    signal(caught, SIG_DFL);
    raise(caught);
}

static double seconds_since(const struct timespec *then, const struct timespec *now) {
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

void cli_progress_begin(cli_progress *progress, bool quiet) {
    clock_gettime(CLOCK_MONOTONIC, &progress->begun);
    progress->last = progress->begun;
    progress->shown = false;
    progress->done = 0;
    progress->visible = !quiet && isatty(STDERR_FILENO);
    atomic_flag_clear(&progress->busy);
}

/* Print a line such as "sampling, R-hat 1.02 [########            ] 40 %, 6 s, 6.7 %/s, about 9 s left". */
static void show(const char *what, double done, double passed) {
    char bar[BAR + 1];
    if (!(done > 0)) {
        fprintf(stderr, "\r\033[K%s: %.0f s", what, passed);
        return;
    }
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(done * BAR) ? '#' : ' ';
    bar[BAR] = 0;
    fprintf(stderr, "\r\033[K%s [%s] %.0f %%, %.0f s, %.2g %%/s, about %.0f s left", what, bar, 100 * done,
            passed, 100 * done / passed, passed / done - passed);
}

bool cli_progress_show(void *user, const char *what, double done) {
    cli_progress *progress = user;
    struct timespec now;
    if (!progress->visible || atomic_flag_test_and_set(&progress->busy))
        return caught != 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (done >= 0 && done < progress->done / 2)
        progress->begun = now;
    progress->done = done;
    double passed = seconds_since(&progress->begun, &now);
    if (passed >= FIRST_SECONDS && seconds_since(&progress->last, &now) >= BETWEEN_SECONDS) {
        show(what, done, passed);
        progress->last = now;
        progress->shown = true;
    }
    atomic_flag_clear(&progress->busy);
    return caught != 0;
}

void cli_progress_end(cli_progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
