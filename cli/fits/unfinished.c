#include "fits/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Room for one file of each thread that may write at the same time. Further files are not recorded, and
 * stay behind if the command is killed. */
enum { MOST_FILES = 64, MOST_PATH = 4096 };

static struct {
    atomic_bool there; /* the handler may remove it */
    char path[MOST_PATH];
} file[MOST_FILES];

/* Held by the one thread that adds or forgets a file. The signal handler does without: it may have
 * interrupted the thread that holds it. */
static atomic_flag changing = ATOMIC_FLAG_INIT;

void cli_unfinished_end(int signal_number) {
    for (size_t i = 0; i < MOST_FILES; i++)
        if (atomic_load(&file[i].there))
            unlink(file[i].path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void add(const char *path) {
    for (size_t i = 0; i < MOST_FILES; i++) {
        if (atomic_load(&file[i].there))
            continue;
        memcpy(file[i].path, path, strlen(path) + 1);
        atomic_store(&file[i].there, true);
        return;
    }
}

static void forget(const char *path) {
    for (size_t i = 0; i < MOST_FILES; i++)
        if (atomic_load(&file[i].there) && strcmp(file[i].path, path) == 0) {
            atomic_store(&file[i].there, false);
            return;
        }
}

void cli_unfinished_note(void *user, const char *path, bool there) {
    (void)user;
    while (atomic_flag_test_and_set(&changing))
        continue;
    if (there && strlen(path) < MOST_PATH)
        add(path);
    else if (!there)
        forget(path);
    atomic_flag_clear(&changing);
}

void cli_unfinished_guard(void) {
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,
                                  SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2, SIGVTALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = cli_unfinished_end;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
}
