/* The same bytes for any number of threads, interrupted and resumed or not; what is wrong with a checkpoint
 * is found. */
#include "check.h"
#include "targets.h"

#include "base/os.h"
#include "base/random.h"
#include "base/sha256.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define CHAINS 4
#define HEAD (18 + 32) /* of a checkpoint: magic and digest */

/* ---- a density with a memory ---- */

/* What it says depends in its last digits on all that it was asked before, as that of a solver that starts
 * warm. */
typedef struct {
    target_normal normal;
    double memory;
    uint64_t calls;
    uint64_t fail_at; /* call; 0: never */
    int number;
} remembering;

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    remembering *r = user;
    if (++r->calls == r->fail_at) {
        (void)snprintf(error->message, sizeof error->message, "chain %d fails", r->number);
        return ASIF_EZEROPR;
    }
    asif_density plain = target_normal_density(&r->normal);
    asif_status status = plain.evaluate(plain.user, x, value, gradient, error);
    r->memory = fmod(r->memory * 0.7 + x[0], 1);
    *value += 1e-6 * r->memory;
    return status;
}

static void save(void *user, double *memory) {
    *memory = ((remembering *)user)->memory;
}

static void load(void *user, const double *memory) {
    ((remembering *)user)->memory = *memory;
}

typedef struct {
    remembering chain[CHAINS];
    asif_density density[CHAINS];
} densities;

static void densities_init(densities *d) {
    memset(d, 0, sizeof *d);
    for (int i = 0; i < CHAINS; i++) {
        d->chain[i] = (remembering){.normal = {2, 0.8}, .number = i + 1};
        d->density[i] = (asif_density){.dimension = 2,
                                       .evaluate = evaluate,
                                       .has_gradient = true,
                                       .memory = 1,
                                       .save = save,
                                       .load = load,
                                       .user = &d->chain[i]};
    }
}

/* ---- runs ---- */

typedef struct {
    atomic_long left; /* calls until it cancels; below 0: never */
    atomic_bool told_rhat;
} progress_state;

static bool progress(void *user, const char *what, double done) {
    progress_state *p = user;
    if (strstr(what, "R-hat 0.9") || strstr(what, "R-hat 1."))
        atomic_store(&p->told_rhat, true);
    assert_true(done >= 0 && done <= 1);
    return atomic_fetch_sub(&p->left, 1) == 0;
}

static char folder[64];

static asif_sample_options options_of(asif_method method) {
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.method = method;
    options.warmup = 200;
    options.draws = 100;
    options.thin = 2;
    options.folder = folder;
    options.key = "what is sampled";
    return options;
}

typedef struct {
    asif_context *context;
    asif_draws *draws;
    asif_status status;
    asif_error error;
} outcome;

static outcome run_in(const asif_context_options *co, const asif_sample_options *options, densities *d) {
    outcome o = {.error = ASIF_ERROR_INIT};
    assert_int_equal(asif_context_create(&o.context, co, NULL), ASIF_OK);
    o.status = asif_sample(&o.draws, o.context, d->density, options, &o.error);
    assert_true((o.status == ASIF_OK) == (o.draws != NULL));
    return o;
}

static outcome run(uint32_t threads, progress_state *p, const asif_sample_options *options, densities *d) {
    asif_context_options co = ASIF_CONTEXT_OPTIONS_INIT;
    co.threads = threads;
    co.progress = p ? progress : NULL;
    co.user = p;
    return run_in(&co, options, d);
}

static outcome run_fresh(uint32_t threads, progress_state *p, const asif_sample_options *options) {
    densities d;
    densities_init(&d);
    return run(threads, p, options, &d);
}

static void end(outcome *o) {
    asif_draws_free(o->draws);
    asif_context_free(o->context);
}

static void path_of(char path[80], int number) {
    (void)snprintf(path, 80, "%s/checkpoint-%d", folder, number);
}

static int checkpoints(void) {
    int count = 0;
    for (int i = 1; i <= CHAINS; i++) {
        char path[80];
        path_of(path, i);
        count += asif_os_exists(path);
    }
    return count;
}

static void remove_checkpoints(void) {
    for (int i = 1; i <= CHAINS; i++) {
        char path[80];
        path_of(path, i);
        assert_int_equal(asif_os_remove(path, NULL), ASIF_OK);
    }
    assert_int_equal(checkpoints(), 0);
}

static const asif_method every_method[] = {ASIF_METHOD_NUTS, ASIF_METHOD_METROPOLIS, ASIF_METHOD_PUBLISHED};

/* ---- the same bytes ---- */

static void test_threads(void **state) {
    (void)state;
    for (uint32_t m = 0; m < 3; m++) {
        asif_sample_options options = options_of(every_method[m]);
        outcome one = run_fresh(1, NULL, &options);
        assert_int_equal(one.status, ASIF_OK);
        for (uint32_t threads = 2; threads <= 8; threads *= 2) {
            progress_state p = {.left = -1};
            outcome many = run_fresh(threads, threads == 4 ? NULL : &p, &options);
            assert_int_equal(many.status, ASIF_OK);
            assert_true(target_same(one.draws, many.draws));
            end(&many);
        }
        options.seed++;
        outcome other = run_fresh(1, NULL, &options);
        assert_false(target_same(one.draws, other.draws));
        end(&other);
        end(&one);
        assert_int_equal(checkpoints(), 0);
    }
}

/* Run, cancelled after a random number of calls and resumed, until it ends. */
static outcome run_interrupted(const asif_sample_options *options, uint32_t key, int *cancelled) {
    asif_stream stream = {11, ASIF_FOR_TESTS, key};
    for (*cancelled = 0;; ++*cancelled) {
        uint32_t i = (uint32_t)*cancelled;
        uint32_t threads = 1 + (uint32_t)(4 * asif_uniform(&stream, 2 * i));
        progress_state p = {.left = (long)(40 * asif_uniform(&stream, 2 * i + 1))};
        outcome o = run_fresh(threads, &p, options);
        if (o.status != ASIF_ECANCELLED)
            return o;
        assert_true(checkpoints() > 0);
        end(&o);
    }
}

static void test_interrupted(void **state) {
    (void)state;
    for (uint32_t m = 0; m < 3; m++)
        for (uint32_t repeat = 0; repeat < 2; repeat++) {
            asif_sample_options options = options_of(every_method[m]);
            options.checkpoint_sec = repeat % 2 ? 0.001 : 10;
            outcome whole = run_fresh(1, NULL, &options);
            int cancelled;
            outcome pieces = run_interrupted(&options, m * 10 + repeat, &cancelled);
            assert_int_equal(pieces.status, ASIF_OK);
            CHECK(cancelled >= 2, "cancelled only %d times", cancelled);
            assert_true(target_same(whole.draws, pieces.draws));
            assert_int_equal(checkpoints(), 0);
            end(&whole);
            end(&pieces);
        }
}

/* The density cancels in the midst of a step: the step is forgotten. */
static asif_status cancelling(void *user, const double *x, double *value, double *gradient,
                              asif_error *error) {
    asif_status status = evaluate(user, x, value, gradient, error);
    return status == ASIF_EZEROPR ? ASIF_ECANCELLED : status;
}

static void test_cancelled_inside(void **state) {
    (void)state;
    asif_sample_options options = options_of(ASIF_METHOD_NUTS);
    outcome whole = run_fresh(1, NULL, &options);
    for (uint64_t at = 1; at < 60; at += 7) {
        densities d;
        densities_init(&d);
        for (int i = 0; i < CHAINS; i++)
            d.density[i].evaluate = cancelling;
        d.chain[at % CHAINS].fail_at = at;
        outcome first = run(1, NULL, &options, &d);
        assert_int_equal(first.status, ASIF_ECANCELLED);
        end(&first);
        outcome second = run_fresh(2, NULL, &options);
        assert_int_equal(second.status, ASIF_OK);
        assert_true(target_same(whole.draws, second.draws));
        end(&second);
    }
    end(&whole);
}

/* A chain that had ended is not run again. */
static void test_ended_chain(void **state) {
    (void)state;
    asif_sample_options options = options_of(ASIF_METHOD_METROPOLIS);
    outcome whole = run_fresh(1, NULL, &options);
    densities d;
    densities_init(&d);
    for (int i = 0; i < CHAINS; i++)
        d.density[i].evaluate = cancelling;
    d.chain[3].fail_at = 390;
    outcome first = run(1, NULL, &options, &d);
    assert_int_equal(first.status, ASIF_ECANCELLED);
    assert_int_equal(checkpoints(), CHAINS);
    end(&first);
    densities_init(&d);
    outcome second = run(1, NULL, &options, &d);
    assert_int_equal(second.status, ASIF_OK);
    assert_true(target_same(whole.draws, second.draws));
    assert_int_equal(d.chain[0].calls, 0);
    assert_int_equal(d.chain[3].calls, 1 + 400 - 389);
    end(&second);
    end(&whole);
}

static void test_told(void **state) {
    (void)state;
    asif_sample_options options = options_of(ASIF_METHOD_METROPOLIS);
    options.draws = 20000;
    progress_state p = {.left = -1};
    outcome o = run_fresh(2, &p, &options);
    assert_int_equal(o.status, ASIF_OK);
    assert_true(atomic_load(&p.told_rhat));
    end(&o);
}

/* ---- failures ---- */

/* Two chains fail: whichever ran first, the one that fails at the earlier step is told. */
static void test_failures(void **state) {
    (void)state;
    const struct {
        uint64_t at[CHAINS];
        const char *says;
    } cases[] = {
        {{0, 300, 20, 0}, "chain 3 fails"},
        {{0, 20, 20, 20}, "chain 2 fails"},
        {{399, 0, 0, 2}, "chain 4 fails"},
        {{0, 0, 1, 1}, "chain 3 fails"},
    };
    asif_sample_options options = options_of(ASIF_METHOD_METROPOLIS);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            densities d;
            densities_init(&d);
            for (int i = 0; i < CHAINS; i++)
                d.chain[i].fail_at = cases[k].at[i];
            outcome o = run(threads, NULL, &options, &d);
            assert_int_equal(o.status, ASIF_EZEROPR);
            assert_string_equal(o.error.message, cases[k].says);
            end(&o);
            remove_checkpoints();
        }
}

static void test_no_folder(void **state) {
    (void)state;
    asif_sample_options options = options_of(ASIF_METHOD_METROPOLIS);
    options.folder = "no-such-folder";
    options.checkpoint_sec = 0;
    outcome o = run_fresh(1, NULL, &options);
    assert_int_equal(o.status, ASIF_EIO);
    assert_non_null(strstr(o.error.file, "no-such-folder/checkpoint-1"));
    end(&o);
}

/* ---- checkpoints that are not right ---- */

/* A run left in the folder, half done; one of its files. */
static char *leave(const asif_sample_options *options, const asif_context *context, int number,
                   uint64_t *length) {
    densities d;
    densities_init(&d);
    for (int i = 0; i < CHAINS; i++)
        d.density[i].evaluate = cancelling;
    d.chain[number - 1].fail_at = 60;
    outcome o = run(1, NULL, options, &d);
    assert_int_equal(o.status, ASIF_ECANCELLED);
    end(&o);
    char path[80], *data;
    path_of(path, number);
    assert_int_equal(asif_os_read_file(&data, length, context, path, NULL), ASIF_OK);
    return data;
}

static void put(const char *path, const char *data, uint64_t length) {
    (void)remove(path); /* some file systems write through what replaces a file in place */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void refuse(const asif_sample_options *options, const char *data, uint64_t length, asif_status want) {
    char path[80];
    path_of(path, 2);
    put(path, data, length);
    outcome o = run_fresh(1, NULL, options);
    assert_int_equal(o.status, want);
    assert_string_equal(o.error.file, path);
    assert_non_null(strstr(o.error.hint, "delete"));
    end(&o);
}

static void test_memory(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_sample_options options = options_of(ASIF_METHOD_NUTS);
    options.warmup = 20;
    options.draws = 2;
    options.chains = 2;
    uint64_t length;
    char *data = leave(&options, context, 2, &length), path[80];
    path_of(path, 2);
    for (uint32_t resumed = 0; resumed < 2; resumed++)
        for (long allowed = 1;; allowed++) {
            densities d;
            densities_init(&d);
            remove_checkpoints();
            if (resumed)
                put(path, data, length);
            failing_memory memory = {.left = allowed};
            asif_context_options co = ASIF_CONTEXT_OPTIONS_INIT;
            co.reallocate = failing_reallocate;
            co.user = &memory;
            outcome o = run_in(&co, &options, &d);
            end(&o);
            assert_int_equal(memory.alive, 0);
            if (o.status == ASIF_OK) {
                CHECK(allowed > 40, "only %ld allocations", allowed);
                break;
            }
            assert_int_equal(o.status, ASIF_ENOMEM);
        }
    remove_checkpoints();
    asif_memory_free(context, data);
    asif_context_free(context);
}

static void test_damaged(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (uint32_t m = 0; m < 2; m++) {
        asif_sample_options options = options_of(every_method[m]);
        options.warmup = 20;
        options.draws = 20;
        uint64_t length;
        char *data = leave(&options, context, 2, &length), *spoilt = malloc(length + 1);
        assert_non_null(spoilt);
        for (uint64_t i = 0; i < length; i++) {
            memcpy(spoilt, data, length);
            spoilt[i] = (char)(spoilt[i] ^ (i % 2 ? 0x01 : 0x80));
            refuse(&options, spoilt, length, ASIF_EPARSE);
        }
        for (uint64_t i = 0; i < length; i += i < 200 ? 1 : 37)
            refuse(&options, data, i, ASIF_EPARSE);
        memcpy(spoilt, data, length);
        spoilt[length] = 0;
        refuse(&options, spoilt, length + 1, ASIF_EPARSE);
        free(spoilt);
        asif_memory_free(context, data);
        remove_checkpoints();
    }
    asif_context_free(context);
}

/* The digest is right, but not what it covers: numbers are spoilt one by one. Many are numbers like any
 * other; none may do harm. */
static void test_forged(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    asif_sample_options options = options_of(ASIF_METHOD_NUTS);
    options.chains = 1;
    options.warmup = 20;
    options.draws = 5;
    uint64_t length, refused = 0;
    char *data = leave(&options, context, 1, &length), *forged = malloc(length), path[80];
    assert_non_null(forged);
    path_of(path, 1);
    const double values[] = {NAN, INFINITY, -1, 1e300};
    const uint64_t wholes[] = {UINT64_MAX, 1u << 30, 31, 0};
    for (uint64_t at = HEAD + 32; at + 8 <= length; at += 8)
        for (uint32_t k = 0; k < 8; k++) {
            memcpy(forged, data, length);
            memcpy(forged + at, k < 4 ? (const void *)&values[k] : (const void *)&wholes[k - 4], 8);
            asif_sha256_of(forged + HEAD, length - HEAD, (uint8_t *)forged + 18);
            put(path, forged, length);
            outcome o = run_fresh(1, NULL, &options);
            assert_true(o.status == ASIF_EPARSE || o.status == ASIF_OK);
            if (at == HEAD + 32 && k < 7) /* the number of steps done, of 30 */
                assert_int_equal(o.status, ASIF_EPARSE);
            refused += o.status == ASIF_EPARSE;
            end(&o);
        }
    assert_true(refused > 8);
    free(forged);
    asif_memory_free(context, data);
    remove_checkpoints();
    asif_context_free(context);
}

static void test_another(void **state) {
    (void)state;
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    const double start[2 * CHAINS] = {0.5}, metric[] = {2, 0, 0, 2};
    asif_sample_options good = options_of(ASIF_METHOD_NUTS), other[15];
    for (uint32_t i = 0; i < 15; i++)
        other[i] = good;
    other[0].key = "something else";
    other[1].key = NULL;
    other[2].method = ASIF_METHOD_METROPOLIS;
    other[3].warmup++;
    other[4].draws++;
    other[5].thin++;
    other[6].seed++;
    other[7].target_accept = 0.9;
    other[8].max_depth = 9;
    other[9].step = 0.2;
    other[10].start = start;
    other[11].metric = metric;
    other[12].chains = 3;
    other[13].guess = metric;
    other[13].guesses = 2;
    other[14].settled = true;
    uint64_t length;
    char *data = leave(&good, context, 2, &length);
    char path[80];
    path_of(path, 1);
    assert_int_equal(asif_os_remove(path, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 15; i++)
        refuse(&other[i], data, length, ASIF_EINVALID);
    asif_memory_free(context, data);
    remove_checkpoints();
    asif_context_free(context);
}

/* What a killed run may leave beside its checkpoints goes with them; other files stay. */
static void test_left_over(void **state) {
    (void)state;
    const char *const names[] = {"checkpoint-1.123-0.part", "checkpoint-1.99-12.part",
                                 "checkpoint-1.x-0.part", "checkpoint-10.1-0.part"};
    char path[4][96];
    asif_context *context;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
        assert_int_equal(asif_file_write(context, path[i], "x", 1, NULL, NULL), ASIF_OK);
    }
    asif_context_free(context);
    asif_sample_options options = options_of(ASIF_METHOD_METROPOLIS);
    outcome o = run_fresh(1, NULL, &options);
    assert_int_equal(o.status, ASIF_OK);
    end(&o);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(asif_os_exists(path[i]), i >= 2);
        assert_int_equal(asif_os_remove(path[i], NULL), ASIF_OK);
    }
}

static int setup(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "checkpoints-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_cancelled_inside),
        cmocka_unit_test(test_ended_chain),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_forged),
        cmocka_unit_test(test_another),
        cmocka_unit_test(test_left_over),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
