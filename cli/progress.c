#include "progress.h"

#include "fits/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BAR 20
#define INSIDE_SECONDS 5
#define LEAST_STEP 0.25 /* seconds from which a step is worth a line */
/* A forecast needs this share of a stage, or any share after this many seconds. */
#define FORECAST_SHARE 0.005
#define FORECAST_SECONDS 10

/* When each mode reports for the first time, and how many seconds lie between its reports: plain lines fill
 * a log file, so that they come at ever longer intervals. */
static const struct {
    double first, growth, longest;
} pace[] = {
    [CLI_PROGRESS_NONE] = {0, 1, 0},
    [CLI_PROGRESS_LINE] = {1, 1, 0.2},
    [CLI_PROGRESS_PLAIN] = {60, 1.5, 600},
    [CLI_PROGRESS_JSON] = {1, 1, 1},
};

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

bool cli_progress_read(cli_progress_mode *out, const char *text) {
    static const char *const names[] = {
        [CLI_PROGRESS_NONE] = "none", [CLI_PROGRESS_PLAIN] = "plain", [CLI_PROGRESS_JSON] = "json"};
    if (!text || strcmp(text, "auto") == 0) {
        *out = isatty(STDERR_FILENO) ? CLI_PROGRESS_LINE : CLI_PROGRESS_PLAIN;
        return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strcmp(text, names[i]) == 0) {
            *out = (cli_progress_mode)i;
            return true;
        }
    return false;
}

void cli_progress_begin(cli_progress *progress, cli_progress_mode mode, bool verbose) {
    *progress = (cli_progress){.mode = mode, .between = pace[mode].first, .verbose = verbose};
    clock_gettime(CLOCK_MONOTONIC, &progress->begun);
    progress->last = progress->begun;
    atomic_flag_clear(&progress->busy);
}

/* Seconds until the stage is done, from the speed since it began; negative: not known. Between two shares
 * they become less, down to a half: what is slow to report a share does not seem to take ever longer. */
static double left(const cli_progress *progress, double done, double passed) {
    double part = done - progress->from, known = seconds_since(&progress->begun, &progress->moved);
    bool enough = part >= FORECAST_SHARE || (part > 0 && passed >= FORECAST_SECONDS);
    if (!enough)
        return -1;
    double then = known * (1 - done) / part, now = then - (passed - known);
    return now > then / 2 ? now : then / 2;
}

/* Write a duration as a person would say it. */
static void write_duration(char out[32], double seconds) {
    if (seconds < 100)
        snprintf(out, 32, "%.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(out, 32, "%.0f min", seconds / 60);
    else
        snprintf(out, 32, "%.1f h", seconds / 3600);
}

/* Write the end of a line, such as "40 %, 6 s, about 9 s left". */
static void write_numbers(char out[128], const cli_progress *progress, double done, double passed) {
    char so_far[32], rest[32];
    double more = left(progress, done, passed);
    write_duration(so_far, passed);
    write_duration(rest, more > 1 ? more : 1);
    if (done < 0)
        snprintf(out, 128, "%s", so_far);
    else if (more < 0)
        snprintf(out, 128, "%.0f %%, %s", 100 * done, so_far);
    else
        snprintf(out, 128, "%.0f %%, %s, about %s left", 100 * done, so_far, rest);
}

static void show_json(const cli_progress *progress, double done, double passed) {
    double more = left(progress, done, passed);
    fprintf(stderr, "{\"stage\": \"%s\", \"done\": ", progress->stage);
    fprintf(stderr, done < 0 ? "null" : "%.4f", done);
    fprintf(stderr, ", \"seconds\": %.1f, \"seconds_left\": ", passed);
    fprintf(stderr, done < 0 || more < 0 ? "null}\n" : "%.1f}\n", more);
}

/* What is said of stages whose names are short. */
static const char *stage_words(const char *what) {
    static const struct {
        const char *stage, *words;
    } said[] = {
        {"maximum", "finding the maximum"},
        {"curvature", "measuring the curvature at the maximum"},
        {"profile", "looking for what the logs leave open"},
        {"population", "drawing populations"},
        {"checking", "checking what the fitted agent predicts"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (strcmp(what, said[i].stage) == 0)
            return said[i].words;
    return what;
}

/* Print a report; on a terminal such as "sampling, R-hat 1.02 [########            ] 40 %, 6 s, about 9 s
 * left". What is left of a longer line is erased at the end, not before, so that nothing flickers. */
static void show(const cli_progress *progress, const char *what, double done, double passed) {
    char bar[BAR + 1], numbers[128];
    write_numbers(numbers, progress, done, passed);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(done * BAR) ? '#' : ' ';
    bar[BAR] = 0;
    if (progress->mode == CLI_PROGRESS_JSON)
        show_json(progress, done, passed);
    else if (progress->mode == CLI_PROGRESS_PLAIN)
        fprintf(stderr, "asif: %s: %s\n", stage_words(what), numbers);
    else if (done < 0)
        fprintf(stderr, "\r%s: %s\033[K", stage_words(what), numbers);
    else
        fprintf(stderr, "\r%s [%s] %s\033[K", stage_words(what), bar, numbers);
}

/* Whether a report without a share comes from within a stage that reports its share: solving for an agent
 * goes on inside of everything else, and would otherwise take turns with it on the line. */
static bool is_inside(const cli_progress *progress, double done, const struct timespec *now) {
    return done < 0 && progress->counted && seconds_since(&progress->reported, now) < INSIDE_SECONDS;
}

static void erase(cli_progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

/* Say how long the stage took that has ended. */
static void conclude(cli_progress *progress, const struct timespec *now) {
    double took = seconds_since(&progress->begun, now);
    if (!progress->verbose || !progress->stage[0] || took < LEAST_STEP)
        return;
    erase(progress);
    fprintf(stderr, "asif: %s: took %.1f s\n", stage_words(progress->stage), took);
}

/* Start the clock of the stage anew where another one has begun, or the same one once more. */
static void follow(cli_progress *progress, const char *what, double done, const struct timespec *now) {
    size_t length = strcspn(what, ",");
    if (length >= sizeof progress->stage)
        length = sizeof progress->stage - 1;
    if (strlen(progress->stage) == length && strncmp(progress->stage, what, length) == 0 &&
        !(done < progress->from))
        return;
    conclude(progress, now);
    memcpy(progress->stage, what, length);
    progress->stage[length] = 0;
    progress->from = done;
    progress->done = done;
    progress->begun = *now;
    progress->moved = *now;
}

bool cli_progress_show(void *user, const char *what, double done) {
    cli_progress *progress = user;
    struct timespec now;
    if ((progress->mode == CLI_PROGRESS_NONE && !progress->verbose) ||
        atomic_flag_test_and_set(&progress->busy))
        return caught != 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    bool inside = is_inside(progress, done, &now);
    if (!inside)
        follow(progress, what, done, &now);
    if (!inside && done != progress->done) {
        progress->done = done;
        progress->moved = now;
    }
    if (done >= 0) {
        progress->counted = true;
        progress->reported = now;
    }
    if (!inside && progress->mode != CLI_PROGRESS_NONE &&
        seconds_since(&progress->last, &now) >= progress->between) {
        double longer = progress->between * pace[progress->mode].growth;
        progress->between = longer < pace[progress->mode].longest ? longer : pace[progress->mode].longest;
        show(progress, what, done, seconds_since(&progress->begun, &now));
        progress->last = now;
        progress->shown = progress->mode == CLI_PROGRESS_LINE;
    }
    atomic_flag_clear(&progress->busy);
    return caught != 0;
}

void cli_progress_end(cli_progress *progress) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    conclude(progress, &now);
    progress->stage[0] = 0;
    erase(progress);
}
