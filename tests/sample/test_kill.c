/* A run that is killed again and again, and resumed, ends with the bytes of one that was left alone.
 * ASIF_KILLS: how many times, 5 unless told. */
#include "check.h"
#include "targets.h"

#include "base/os.h"
#include "base/random.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHAINS 3
#define STATUS_FAILED 3

static char folder[64], result[96];

static void pause_for(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    (void)nanosleep(&t, NULL);
}

/* Slow, and with a memory: what was evaluated before shows in the last digits. */
typedef struct {
    target_normal normal;
    double memory;
} slow;

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    slow *s = user;
    asif_density plain = target_normal_density(&s->normal);
    asif_status status = plain.evaluate(plain.user, x, value, gradient, error);
    pause_for(20e-6);
    s->memory = fmod(s->memory * 0.7 + x[0], 1);
    *value += 1e-6 * s->memory;
    return status;
}

static void save(void *user, double *memory) {
    *memory = ((slow *)user)->memory;
}

static void load(void *user, const double *memory) {
    ((slow *)user)->memory = *memory;
}

static asif_draws *sample(asif_context *context, const char *where, uint64_t draws) {
    slow s[CHAINS];
    asif_density density[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        s[i] = (slow){{3, 0.9}, 0};
        density[i] = (asif_density){.dimension = 3,
                                    .evaluate = evaluate,
                                    .has_gradient = true,
                                    .memory = 1,
                                    .save = save,
                                    .load = load,
                                    .user = &s[i]};
    }
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.chains = CHAINS;
    options.warmup = 300;
    options.draws = draws;
    options.folder = where;
    options.checkpoint_sec = 0.01;
    asif_draws *out;
    return asif_sample(&out, context, density, &options, NULL) == ASIF_OK ? out : NULL;
}

/* In the child: sample, and leave the draws in a file. */
static void child(uint64_t draws) {
    asif_context_options co = ASIF_CONTEXT_OPTIONS_INIT;
    co.threads = 2;
    asif_context *context;
    asif_draws_view v = {.struct_size = sizeof v};
    if (asif_context_create(&context, &co, NULL) != ASIF_OK)
        _exit(STATUS_FAILED);
    asif_draws *out = sample(context, folder, draws);
    if (!out || asif_draws_get(out, &v, NULL) != ASIF_OK)
        _exit(STATUS_FAILED);
    uint64_t bytes = (uint64_t)v.columns * v.chains * v.draws * sizeof *v.value;
    _exit(asif_file_write(context, result, (const char *)v.value, bytes, NULL, NULL) == ASIF_OK
              ? 0
              : STATUS_FAILED);
}

/* Whether it was killed, after so many seconds; else it has ended well. */
static bool run_and_kill(uint64_t draws, double seconds) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        child(draws);
    if (seconds > 0) {
        pause_for(seconds);
        assert_int_equal(kill(pid, SIGKILL), 0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return true;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return false;
}

static void test_killed(void **state) {
    (void)state;
    const char *asked = getenv("ASIF_KILLS");
    int kills = asked ? atoi(asked) : 5, killed = 0;
    uint64_t draws = 150 * (uint64_t)kills;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    double begin = asif_os_seconds();
    asif_draws *whole = sample(context, NULL, draws);
    double seconds = (asif_os_seconds() - begin) / 2; /* of two threads */
    assert_non_null(whole);
    asif_stream stream = {(uint64_t)getpid(), ASIF_FOR_TESTS, 0};
    while (killed < kills &&
           run_and_kill(draws, seconds * 1.2 / kills * asif_uniform(&stream, (uint32_t)killed)))
        killed++;
    print_message("killed %d times\n", killed);
    assert_true(killed > kills / 2);
    assert_false(run_and_kill(draws, 0));

    asif_draws_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_draws_get(whole, &v, NULL), ASIF_OK);
    char *data;
    uint64_t length, bytes = (uint64_t)v.columns * v.chains * v.draws * sizeof *v.value;
    assert_int_equal(asif_os_read_file(&data, &length, context, result, NULL), ASIF_OK);
    assert_int_equal(length, bytes);
    assert_memory_equal(data, v.value, bytes);
    asif_memory_free(context, data);
    assert_int_equal(asif_os_remove(result, NULL), ASIF_OK);
    asif_draws_free(whole);
    asif_context_free(context);
}

static int setup(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "killed-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(result, sizeof result, "%s/draws", folder);
    return 0;
}

/* The folder is empty: checkpoints and what was left of them are gone. */
static int teardown(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
