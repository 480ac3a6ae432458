/* The folder of a fit from C: what its functions refuse, groups whose names would meet, folders that have no
 * manifest, damage to what was staged, and too little memory at any moment: the old files are whole or the
 * new ones are. */
#include "asif.h"
#include "check.h"

#include "fit/folder/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OTHER_KEY "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

typedef struct {
    asif_context *context;
    char at[64];
} place;

static int set_up(void **state) {
    static place p;
    assert_int_equal(asif_context_create(&p.context, NULL, NULL), ASIF_OK);
    /* In memory where that can be had: every file is synced. */
    (void)snprintf(p.at, sizeof p.at, "%sfolder-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm/asif-" : "",
                   (long)getpid());
    assert_int_equal(asif_folder_clear(p.context, p.at, NULL), ASIF_OK);
    *state = &p;
    return 0;
}

static int tear_down(void **state) {
    place *p = *state;
    assert_int_equal(asif_folder_clear(p->context, p->at, NULL), ASIF_OK);
    asif_context_free(p->context);
    return 0;
}

static const char *inside(const place *p, const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", p->at, name);
    return path;
}

static void put(const place *p, const char *name, const char *text) {
    FILE *file = fopen(inside(p, name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool holds(const place *p, const char *name, const char *text) {
    char found[64] = "";
    FILE *file = fopen(inside(p, name), "rb");
    size_t length = file ? fread(found, 1, sizeof found - 1, file) : 0;
    if (file)
        (void)fclose(file);
    return file && length == strlen(text) && strcmp(found, text) == 0;
}

static asif_status make(const asif_context *context, const char *at, const char *key, const char *text,
                        bool force, asif_error *error) {
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    asif_folder *folder = NULL;
    options.path = at;
    options.key = key;
    options.force = force;
    asif_status status = asif_folder_open(&folder, context, &options, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, "fit.json", text, strlen(text), error);
    if (status == ASIF_OK)
        status = asif_folder_commit(folder, error);
    asif_folder_close(folder);
    return status;
}

static void test_refused(void **state) {
    place *p = *state;
    asif_error error = ASIF_ERROR_INIT;
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    asif_folder *folder = NULL;
    assert_int_equal(asif_folder_open(&folder, p->context, &options, &error), ASIF_EDOMAIN);
    options.path = p->at;
    assert_int_equal(asif_folder_open(&folder, p->context, &options, &error), ASIF_EDOMAIN);
    assert_true(strstr(error.message, "needs a path and a key") != NULL);
    options.key = KEY;
    assert_int_equal(asif_folder_open(&folder, p->context, &options, &error), ASIF_OK);
    asif_folder_view view = {.struct_size = 0};
    assert_int_equal(asif_folder_get(folder, &view, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_folder_put(folder, "../x", "", 0, &error), ASIF_EDOMAIN);
    asif_folder_close(folder);
    assert_int_not_equal(access(p->at, F_OK), 0); /* it was made, and is empty */
}

/* A user's folder with the name of the manifest is not asif's. */
static void test_foreign(void **state) {
    place *p = *state;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(mkdir(p->at, 0777), 0);
    assert_int_equal(mkdir(inside(p, "manifest.json"), 0777), 0);
    assert_int_not_equal(make(p->context, p->at, KEY, "new", true, &error), ASIF_OK);
    assert_true(error.message[0] != 0);
    assert_int_equal(access(inside(p, "manifest.json"), F_OK), 0);
    assert_int_not_equal(access(inside(p, "fit.json"), F_OK), 0);
}

/* Folders as version 0.1 wrote them: numbers in their order, names after them. */
static void test_unlisted(void **state) {
    place *p = *state;
    static const char *const groups[] = {"10", "9", "b", "a", "2.5"}, *const sorted[] = {"2.5", "9", "10",
                                                                                         "a", "b"};
    assert_int_equal(mkdir(p->at, 0777), 0);
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        assert_int_equal(mkdir(inside(p, groups[i]), 0777), 0);
        (void)snprintf(name, sizeof name, "%s/fit.json", groups[i]);
        put(p, name, "{}");
    }
    assert_int_equal(mkdir(inside(p, "empty"), 0777), 0);
    asif_fits *fits = NULL;
    asif_fits_view view = {.struct_size = 0};
    assert_int_equal(asif_fits_find(&fits, p->context, p->at, NULL), ASIF_OK);
    assert_int_equal(asif_fits_get(fits, &view, NULL), ASIF_EDOMAIN);
    view.struct_size = sizeof view;
    assert_int_equal(asif_fits_get(fits, &view, NULL), ASIF_OK);
    assert_true(view.grouped && !view.listed && view.fits == 5 && view.finished == 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_string_equal(view.fit[i].name, sorted[i]);
    asif_fits_free(fits);
    asif_fits_free(NULL);
}

/* Values that would make the same name of a folder, on a disk that does not tell cases apart, have folders of
 * their own. */
static void test_groups_meet(void **state) {
    place *p = *state;
    static const asif_folder_group groups[] = {
        {.value = "a/b", .key = KEY}, {.value = "a_b", .key = KEY}, {.value = "A_B", .key = KEY},
        {.value = "", .key = KEY},    {.value = ".", .key = KEY},   {.value = "na\xc3\xafve", .key = KEY}};
    enum { GROUPS = sizeof groups / sizeof *groups };
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    asif_folder *folder = NULL;
    asif_error error = ASIF_ERROR_INIT;
    options.path = p->at;
    options.key = KEY;
    options.by = "site";
    options.group = groups;
    options.groups = GROUPS;
    CHECK(asif_folder_open(&folder, p->context, &options, &error) == ASIF_OK, "%s", error.message);
    asif_folder_view view = {.struct_size = sizeof view};
    assert_int_equal(asif_folder_get(folder, &view, NULL), ASIF_OK);
    assert_int_equal(view.groups, GROUPS);
    for (uint32_t i = 0; i < GROUPS; i++) {
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(strcasecmp(view.group[i], view.group[k]), 0);
        assert_int_equal(strncmp(view.group[i], p->at, strlen(p->at)), 0);
    }
    asif_folder_close(folder);
}

static asif_status find(const asif_context *context, const char *at) {
    asif_fits *fits = NULL;
    asif_status status = asif_fits_find(&fits, context, at, NULL);
    assert_true((status == ASIF_OK) == (fits != NULL));
    asif_fits_free(fits);
    return status;
}

typedef struct {
    long count, at, alive; /* requests so far; the one that fails */
    bool from_then_on;
} requests;

static void *reallocate(void *user, void *old, size_t size) {
    requests *r = user;
    if (size == 0) {
        r->alive -= old != NULL;
        free(old);
        return NULL;
    }
    r->count++;
    if (r->count == r->at || (r->from_then_on && r->count > r->at))
        return NULL;
    r->alive += old == NULL;
    return realloc(old, size);
}

/* Of two files, so that an interruption may come between them. */
static asif_status make_two(const asif_context *context, const char *at, const char *key, const char *text,
                            asif_error *error) {
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    asif_folder *folder = NULL;
    options.path = at;
    options.key = key;
    options.force = true;
    asif_status status = asif_folder_open(&folder, context, &options, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, "chain-1.csv", text, strlen(text), error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, "fit.json", text, strlen(text), error);
    if (status == ASIF_OK)
        status = asif_folder_commit(folder, error);
    asif_folder_close(folder);
    return status;
}

/* What a reader finds: where it is told to look, both files are of the same fit, and it is the old one or the
 * new. */
static void check_whole(const place *p, long at) {
    char *where = NULL;
    assert_int_equal(asif_folder_where(&where, NULL, p->context, p->at, NULL), ASIF_OK);
    place found = {.context = p->context};
    (void)snprintf(found.at, sizeof found.at, "%s", where);
    const char *text = holds(&found, "fit.json", "old") ? "old" : "new";
    if (!holds(&found, "fit.json", text) || !holds(&found, "chain-1.csv", text))
        fail_msg("after the failure of request %ld the fit is neither the old one nor the new", at);
    asif_memory_free(p->context, where);
}

static void test_no_memory(void **state) {
    place *p = *state;
    asif_error error = ASIF_ERROR_INIT;
    for (int kind = 0; kind < 2; kind++) {
        asif_status status = ASIF_ENOMEM;
        for (long at = 2; status != ASIF_OK; at++) {
            CHECK(make_two(p->context, p->at, KEY, "old", &error) == ASIF_OK, "before %ld: %s: %s", at,
                  error.file, error.message);
            requests r = {.at = at, .from_then_on = kind == 1};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            asif_context *context = NULL;
            options.reallocate = reallocate;
            options.user = &r;
            assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
            status = make_two(context, p->at, OTHER_KEY, "new", &error);
            CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%ld: %s: %s", at, error.file, error.message);
            asif_context_free(context);
            assert_int_equal(r.alive, 0);
            check_whole(p, at);
            if (r.count < at)
                break;
            status = ASIF_ENOMEM; /* a failure while the lock is given back is none */
            assert_true(at < 5000);
        }
        check_whole(p, 0);
    }
}

static void test_find_no_memory(void **state) {
    place *p = *state;
    assert_int_equal(make_two(p->context, p->at, KEY, "old", NULL), ASIF_OK);
    asif_status status = ASIF_ENOMEM;
    for (long left = 1; status != ASIF_OK; left++) {
        failing_memory memory = {.left = left};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *context = NULL;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        assert_int_equal(asif_context_create(&context, &options, NULL), ASIF_OK);
        status = find(context, p->at);
        assert_true(status == ASIF_OK || status == ASIF_ENOMEM);
        asif_context_free(context);
        assert_int_equal(memory.alive, 0);
        assert_true(left < 5000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_foreign, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unlisted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_groups_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_find_no_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
