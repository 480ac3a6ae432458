#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#define FIRST_SECONDS 1.0 /* short computations show nothing */
#define BETWEEN_SECONDS 0.2

static double seconds_since(const struct timespec *then, const struct timespec *now) {
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

bool cli_progress_begin(cli_progress *progress, bool quiet) {
    clock_gettime(CLOCK_MONOTONIC, &progress->begun);
    progress->last = progress->begun;
    progress->shown = false;
    atomic_flag_clear(&progress->busy);
    return !quiet && isatty(STDERR_FILENO);
}

bool cli_progress_show(void *user, const char *what, double done) {
    cli_progress *progress = user;
    struct timespec now;
    if (atomic_flag_test_and_set(&progress->busy))
        return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double passed = seconds_since(&progress->begun, &now);
    if (passed >= FIRST_SECONDS && seconds_since(&progress->last, &now) >= BETWEEN_SECONDS) {
        if (done > 0)
            fprintf(stderr, "\r\033[K%s: %.0f %%, %.0f s, about %.0f s left", what, 100 * done, passed,
                    passed / done - passed);
        else
            fprintf(stderr, "\r\033[K%s: %.0f s", what, passed);
        progress->last = now;
        progress->shown = true;
    }
    atomic_flag_clear(&progress->busy);
    return false;
}

void cli_progress_end(cli_progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
