/* Clock, locale, threads and libraries on POSIX. */
#include "base/os.h"

#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef ASIF_NO_THREADS
#include <pthread.h>
#endif

void asif_os_now(char *buffer, size_t size) {
    struct timespec now = {0};
    struct tm utc;
    buffer[0] = 0;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 && gmtime_r(&now.tv_sec, &utc))
        (void)strftime(buffer, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void asif_os_describe_process(char *buffer, size_t size) {
    char host[64] = "", when[32];
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        (void)snprintf(host, sizeof host, "this machine");
    asif_os_now(when, sizeof when);
    (void)snprintf(buffer, size, "process %ld on %s since %s\n", (long)getpid(), host, when);
}

double asif_os_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const void *asif_os_thread(void) {
    static _Thread_local const char here = 0;
    return &here;
}

double asif_os_thread_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void asif_os_sleep(double seconds) {
    struct timespec wait = {.tv_nsec = (long)(1e9 * seconds)};
    (void)nanosleep(&wait, NULL);
}

double asif_os_strtod(const char *s, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = uselocale(c);
    double value = strtod(s, end);
    (void)uselocale(old);
    freelocale(c);
    return value;
}

int asif_os_vsnprintf(char *buffer, size_t size, const char *format, va_list args) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = uselocale(c);
    int length = vsnprintf(buffer, size, format, args);
    (void)uselocale(old);
    freelocale(c);
    return length;
}

#ifdef ASIF_NO_THREADS

void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument) {
    (void)threads;
    for (uint32_t i = 0; i < jobs; i++)
        job(argument, i);
}

void asif_os_while(void (*job)(void *argument), void (*look)(void *argument), void *argument) {
    (void)look;
    job(argument);
}

#else

typedef struct {
    atomic_uint_fast32_t next;
    uint32_t jobs;
    void (*job)(void *argument, uint32_t i);
    void *argument;
} queue;

static void *work(void *pointer) {
    queue *q = pointer;
    for (;;) {
        uint_fast32_t i = atomic_fetch_add(&q->next, 1);
        if (i >= q->jobs)
            return NULL;
        q->job(q->argument, (uint32_t)i);
    }
}

void asif_os_parallel(uint32_t threads, uint32_t jobs, void (*job)(void *argument, uint32_t i),
                      void *argument) {
    enum { MOST = 256 };
    queue q = {0, jobs, job, argument};
    pthread_t thread[MOST];
    uint32_t started = 0, wanted = (threads < jobs ? threads : jobs);
    wanted = wanted > MOST ? MOST : wanted;
    while (started + 1 < wanted && pthread_create(&thread[started], NULL, work, &q) == 0)
        started++;
    work(&q);
    for (uint32_t i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
}

#define LOOK_SEC 0.1

typedef struct {
    void (*job)(void *argument);
    void *argument;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool done;
} errand;

static void *run_errand(void *pointer) {
    errand *e = pointer;
    e->job(e->argument);
    (void)pthread_mutex_lock(&e->mutex);
    e->done = true;
    (void)pthread_cond_signal(&e->ended);
    (void)pthread_mutex_unlock(&e->mutex);
    return NULL;
}

/* The time of day in so many seconds, less than one. */
static struct timespec soon(double seconds) {
    struct timespec at = {0};
    (void)clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += (long)(1e9 * seconds);
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

void asif_os_while(void (*job)(void *argument), void (*look)(void *argument), void *argument) {
    errand e = {job, argument, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_errand, &e) != 0) {
        job(argument);
        return;
    }
    (void)pthread_mutex_lock(&e.mutex);
    while (!e.done) {
        struct timespec at = soon(LOOK_SEC);
        int waited = pthread_cond_timedwait(&e.ended, &e.mutex, &at);
        if (e.done || waited == 0)
            continue;
        (void)pthread_mutex_unlock(&e.mutex);
        look(argument);
        (void)pthread_mutex_lock(&e.mutex);
    }
    (void)pthread_mutex_unlock(&e.mutex);
    (void)pthread_join(thread, NULL);
}

#endif

int asif_os_cancelled(void) {
    return ECANCELED;
}

/* ---- libraries ---- */

asif_status asif_os_library(void **out, const char *path, asif_error *error) {
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out)
        return ASIF_OK;
    const char *why = dlerror();
    asif_fail(error, strchr(path, '/') && !asif_os_exists(path) ? ASIF_ENOFILE : ASIF_EIO, "%s",
              why ? why : "the library cannot be opened");
    return error ? error->status : ASIF_EIO;
}

asif_os_function *asif_os_symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    asif_os_function *function = NULL;
    memcpy(&function, &found, sizeof function); /* C has no cast from an object to a function */
    return function;
}
