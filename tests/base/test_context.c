/* Contexts: progress that is throttled or kept to one thread, and cancelling. */
#include "check.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/os.h"

#include <stdatomic.h>

typedef struct {
    asif_context *context;
    atomic_int calls;
    const void *thread; /* of the last call */
    atomic_bool elsewhere, stop;
} listener;

static bool listen(void *user, const char *what, double done) {
    listener *l = user;
    (void)what;
    (void)done;
    atomic_fetch_add(&l->calls, 1);
    if (asif_os_thread() != l->thread)
        atomic_store(&l->elsewhere, true);
    return l->stop;
}

static void open_listener(listener *l, bool one_thread, double progress_sec) {
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    *l = (listener){.thread = asif_os_thread()};
    options.progress = listen;
    options.user = l;
    options.one_thread = one_thread;
    options.progress_sec = progress_sec;
    assert_int_equal(asif_context_create(&l->context, &options, NULL), ASIF_OK);
}

enum { JOBS = 64 };

static void job(void *argument, uint32_t i) {
    const listener *l = argument;
    asif_os_sleep(0.001);
    asif_progress(l->context, "working", i / (double)JOBS);
}

static void test_one_thread(void **state) {
    (void)state;
    for (int one = 0; one < 2; one++) {
        listener l;
        open_listener(&l, one != 0, 0);
        asif_os_parallel(4, JOBS, job, &l);
        assert_true(l.calls >= 1);
        assert_true(one ? l.calls < JOBS && !l.elsewhere : l.calls == JOBS);
        asif_context_free(l.context);
    }
}

static void test_throttled(void **state) {
    (void)state;
    listener l;
    open_listener(&l, false, 0.05);
    double begun = asif_os_seconds(), now = begun;
    for (; now - begun < 0.22; now = asif_os_seconds())
        assert_false(asif_progress(l.context, "working", -1));
    CHECK(l.calls >= 2 && l.calls <= 1 + (now - begun) / 0.05, "%d calls in %g s", l.calls, now - begun);
    /* A stage within one that reports its share is not heard. */
    while (l.calls < 100 && asif_os_seconds() - now < 0.15)
        assert_false(asif_progress(l.context, "sampling", 0.5));
    int heard = l.calls;
    for (now = asif_os_seconds(); asif_os_seconds() - now < 0.12;)
        assert_false(asif_progress(l.context, "planning", -1));
    assert_int_equal(l.calls, heard);
    asif_context_free(l.context);
}

/* A context that is cancelled stops what runs, with progress or without, until it is taken back. */
static void test_cancel(void **state) {
    (void)state;
    for (int heard = 0; heard < 2; heard++) {
        listener l;
        open_listener(&l, false, 0);
        asif_context inner = asif_context_inside(l.context, heard ? listen : NULL, &l);
        assert_false(asif_progress(&inner, "working", -1));
        asif_context_cancel(l.context, true);
        assert_true(asif_progress(&inner, "working", -1));
        assert_true(asif_progress(l.context, "working", -1));
        asif_context_cancel(l.context, false);
        assert_false(asif_progress(&inner, "working", -1));
        l.stop = true;
        assert_int_equal(asif_progress(&inner, "working", -1), heard);
        asif_context_free(l.context);
    }
}

/* A block goes back to the allocator of its own context, whichever context frees or resizes it. */
static void test_other_context(void **state) {
    (void)state;
    failing_memory memory[2] = {{.left = -1}, {.left = -1}};
    asif_context *context[2];
    for (int i = 0; i < 2; i++) {
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        options.reallocate = failing_reallocate;
        options.user = &memory[i];
        assert_int_equal(asif_context_create(&context[i], &options, NULL), ASIF_OK);
    }
    char *text = asif_strdup(context[0], "text");
    asif_context_free(context[0]);
    assert_int_equal(memory[0].alive, 2);
    text = asif_realloc(context[1], text, 100, 1);
    assert_string_equal(text, "text");
    assert_int_equal(memory[1].alive, 1);
    asif_memory_free(context[1], text);
    assert_int_equal(memory[0].alive, 0);
    asif_context_free(context[1]);
    assert_int_equal(memory[1].alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_throttled),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_other_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
