/* Four threads make and finish files at the same time; tests/long/tsan.sh builds it with the thread
 * sanitizer. */
#include "fits/unfinished.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, FILES = 5000 };

static void *write_files(void *number) {
    char path[64];
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "folder/checkpoint-%d.%d.part", (int)(intptr_t)number, i);
        cli_unfinished_note(NULL, path, true);
        cli_unfinished_note(NULL, path, false);
    }
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, write_files, (void *)(intptr_t)i) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(thread[i], NULL);
    return 0;
}
