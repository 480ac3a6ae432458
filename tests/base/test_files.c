/* Files and folders: what may be written where, and what is left of it. */
#include "base/memory.h"
#include "base/os.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static asif_context *context;
static char folder[] = "asif-files-XXXXXX", told[512];
static int known; /* temporary files that the context has told of, and that are still there */

static void take_note(void *user, const char *path, bool there) {
    (void)user;
    known += there ? 1 : -1;
    snprintf(told, sizeof told, "%s", path);
    if (there)
        assert_int_equal(access(path, F_OK), 0);
}

static int begin(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.unfinished = take_note;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return !mkdtemp(folder) || asif_context_create(&context, &options, NULL) != ASIF_OK;
}

static const char *in(const char *name) {
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

/* The names in the folder, with blanks between. */
static const char *names(void) {
    static char text[1024];
    asif_os_names list;
    text[0] = 0;
    assert_int_equal(asif_os_list(&list, context, folder, NULL), ASIF_OK);
    for (uint64_t i = 0; i < list.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", list.name[i]);
    asif_os_names_free(&list, context);
    return text;
}

static int end(void **state) {
    (void)state;
    asif_os_names list;
    assert_int_equal(known, 0);
    assert_int_equal(asif_os_list(&list, context, folder, NULL), ASIF_OK);
    for (uint64_t i = 0; i < list.count; i++)
        if (asif_os_look(in(list.name[i])) == ASIF_OS_FOLDER)
            assert_int_equal(asif_os_remove_folder(in(list.name[i]), NULL), ASIF_OK);
        else
            assert_int_equal(asif_os_remove(in(list.name[i]), NULL), ASIF_OK);
    asif_os_names_free(&list, context);
    assert_int_equal(rmdir(folder), 0);
    asif_context_free(context);
    return 0;
}

static asif_status put(const char *path, const char *text, asif_error *error) {
    return asif_file_write(context, path, text, strlen(text), NULL, error);
}

static void holds(const char *path, const char *text) {
    char *data;
    uint64_t length;
    assert_int_equal(asif_file_read(&data, &length, context, path, NULL), ASIF_OK);
    assert_int_equal(length, strlen(text));
    assert_string_equal(data, text);
    asif_memory_free(context, data);
}

static void test_modes(void **state) {
    (void)state;
    struct stat info;
    mode_t mask = umask(027);
    assert_int_equal(put(in("new"), "a", NULL), ASIF_OK);
    assert_int_equal(stat(in("new"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(chmod(in("new"), 0604), 0);
    assert_int_equal(put(in("new"), "b", NULL), ASIF_OK);
    assert_int_equal(stat(in("new"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0604);
    (void)umask(mask);
    holds(in("new"), "b");
}

static void test_links(void **state) {
    (void)state;
    char target[64];
    assert_int_equal(symlink("there", in("link")), 0);
    assert_int_equal(symlink("link", in("link-to-link")), 0);
    assert_int_equal(put(in("link-to-link"), "by a dangling link", NULL), ASIF_OK);
    holds(in("there"), "by a dangling link");
    assert_int_equal(put(in("link"), "again", NULL), ASIF_OK);
    holds(in("there"), "again");
    assert_int_equal(readlink(in("link"), target, sizeof target), 5);
    assert_string_equal(names(), "link link-to-link there");
    assert_int_equal(symlink("round", in("round")), 0);
    assert_int_equal(put(in("round"), "x", NULL), ASIF_EIO);
}

static void test_pipes(void **state) {
    (void)state;
    char got[8] = "";
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    int fd = open(in("pipe"), O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(put(in("pipe"), "flow", NULL), ASIF_OK);
    assert_int_equal(read(fd, got, sizeof got), 4);
    assert_string_equal(got, "flow");
    close(fd);
    assert_int_equal(asif_os_look(in("pipe")), ASIF_OS_OTHER);
    assert_int_equal(put("/dev/null", "nothing", NULL), ASIF_OK);
    assert_int_equal(put("/dev/full", "something", NULL), ASIF_EIO);
    assert_string_equal(names(), "pipe");
}

/* A descriptor is written to where it stands, and the file it belongs to is not replaced. */
static void test_descriptors(void **state) {
    (void)state;
    char name[64];
    struct stat before, after;
    int fd = open(in("open"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "one ", 4), 4);
    assert_int_equal(fstat(fd, &before), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(put(name, "two", NULL), ASIF_OK);
    assert_int_equal(write(fd, " three", 6), 6);
    assert_int_equal(stat(in("open"), &after), 0);
    assert_true(before.st_ino == after.st_ino);
    close(fd);
    holds(in("open"), "one two three");
}

static void test_inputs(void **state) {
    (void)state;
    asif_error error = ASIF_ERROR_INIT;
    asif_output_options options = ASIF_OUTPUT_OPTIONS_INIT;
    const char *inputs[] = {"-", "no such file", in("data")};
    options.input = inputs;
    options.inputs = 3;
    assert_int_equal(put(in("data"), "precious", NULL), ASIF_OK);
    assert_int_equal(symlink("data", in("soft")), 0);
    assert_int_equal(link(in("data"), in("hard")), 0);
    const char *const outputs[] = {"data", "soft", "hard"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(asif_file_write(context, in(outputs[i]), "x", 1, &options, &error), ASIF_EINVALID);
        assert_non_null(strstr(error.message, "also an input"));
        assert_true(error.hint[0] && error.file[0]);
    }
    holds(in("data"), "precious");
    assert_int_equal(asif_file_write(context, in("other"), "x", 1, &options, &error), ASIF_OK);
    assert_string_equal(names(), "data hard other soft");
}

static void test_new_only(void **state) {
    (void)state;
    asif_output_options options = ASIF_OUTPUT_OPTIONS_INIT;
    asif_output *output;
    options.new_only = true;
    assert_int_equal(asif_file_write(context, in("a"), "1", 1, &options, NULL), ASIF_OK);
    assert_int_equal(asif_file_write(context, in("a"), "2", 1, &options, NULL), ASIF_EINVALID);
    assert_int_equal(asif_output_open(&output, context, in("b"), &options, NULL), ASIF_OK);
    assert_int_equal(put(in("b"), "came first", NULL), ASIF_OK);
    assert_int_equal(asif_output_write(output, "2", 1, NULL), ASIF_OK);
    assert_int_equal(asif_output_close(output, true, NULL), ASIF_EINVALID);
    holds(in("a"), "1");
    holds(in("b"), "came first");
    assert_string_equal(names(), "a b");
}

/* What is not kept leaves the old file and nothing else; the temporary name was told meanwhile. */
static void test_not_kept(void **state) {
    (void)state;
    asif_output *output;
    static char piece[200000];
    assert_int_equal(put(in("a"), "old", NULL), ASIF_OK);
    assert_int_equal(asif_output_open(&output, context, in("a"), NULL, NULL), ASIF_OK);
    assert_int_equal(known, 1);
    assert_int_equal(access(told, F_OK), 0);
    memset(piece, 'x', sizeof piece);
    for (int i = 0; i < 3; i++)
        assert_int_equal(asif_output_write(output, piece, i == 1 ? sizeof piece : 1000, NULL), ASIF_OK);
    assert_int_equal(asif_output_close(output, false, NULL), ASIF_OK);
    assert_int_equal(known, 0);
    assert_int_equal(access(told, F_OK), -1);
    holds(in("a"), "old");
    assert_int_equal(asif_output_close(NULL, true, NULL), ASIF_OK);
}

static void test_size_limit(void **state) {
    (void)state;
    struct rlimit old, few;
    asif_error error = ASIF_ERROR_INIT;
    static char big[300000];
    memset(big, 'y', sizeof big);
    assert_int_equal(put(in("a"), "old", NULL), ASIF_OK);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    few = old;
    few.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    asif_status status = asif_file_write(context, in("a"), big, sizeof big, NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, before);
    assert_int_equal(status, ASIF_EIO);
    assert_non_null(strstr(error.hint, "ulimit"));
    holds(in("a"), "old");
    assert_string_equal(names(), "a");
}

static void test_wrong_places(void **state) {
    (void)state;
    asif_error error = ASIF_ERROR_INIT;
    char *data, long_name[300];
    uint64_t length;
    assert_int_equal(put(in("none/a"), "x", &error), ASIF_EIO);
    assert_non_null(strstr(error.hint, "folder"));
    assert_int_equal(put(folder, "x", &error), ASIF_EIO);
    assert_int_equal(put(NULL, "x", &error), ASIF_EDOMAIN);
    assert_int_equal(asif_file_read(&data, &length, context, NULL, &error), ASIF_EDOMAIN);
    assert_int_equal(asif_file_read(&data, &length, context, in("none"), &error), ASIF_ENOFILE);
    assert_int_equal(asif_file_read(&data, &length, context, folder, &error), ASIF_ENOFILE);
    memset(long_name, 'n', sizeof long_name);
    long_name[255] = 0; /* the longest that common file systems have */
    assert_int_equal(put(in(long_name), "long", &error), ASIF_OK);
    long_name[255] = 'n';
    long_name[256] = 0;
    assert_int_equal(put(in(long_name), "too long", &error), ASIF_EIO);
}

static void test_read_limits(void **state) {
    (void)state;
    asif_error error = ASIF_ERROR_INIT;
    char *data;
    uint64_t length;
    assert_int_equal(put(in("a"), "12345", NULL), ASIF_OK);
    assert_int_equal(asif_os_read_small(&data, &length, context, in("a"), 5, &error), ASIF_OK);
    asif_free(context, data);
    assert_int_equal(asif_os_read_small(&data, &length, context, in("a"), 4, &error), ASIF_ETOOBIG);
    assert_null(data);
    assert_int_equal(asif_os_read_small(&data, &length, context, "/dev/zero", 100000, &error), ASIF_ETOOBIG);
    assert_non_null(strstr(error.message, "limit"));
}

static void test_folders(void **state) {
    (void)state;
    bool made;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_os_make_folder(in("one"), &made, NULL), ASIF_OK);
    assert_true(made);
    assert_int_equal(asif_os_make_folder(in("one"), &made, NULL), ASIF_OK);
    assert_false(made);
    assert_int_equal(put(in("file"), "x", NULL), ASIF_OK);
    assert_int_equal(asif_os_make_folder(in("file"), &made, &error), ASIF_EIO);
    assert_int_equal(asif_os_make_folder(in("no/two"), NULL, &error), ASIF_EIO);
    assert_int_equal(asif_os_make_folders(context, in("a/b//"), &made, &error), ASIF_OK);
    assert_true(made); /* whatever stands after its name */
    assert_int_equal(asif_os_make_folders(context, in("a/b/"), &made, &error), ASIF_OK);
    assert_false(made);
    assert_int_equal(asif_os_remove_folder(in("a/b"), &error), ASIF_OK);
    assert_int_equal(asif_os_remove_folder(in("a"), &error), ASIF_OK);
    assert_int_equal(asif_os_rename(in("file"), in("one/file"), NULL), ASIF_OK);
    assert_int_equal(asif_os_remove_folder(in("one"), &error), ASIF_EIO);
    assert_int_equal(asif_os_make_folder(in("two"), NULL, NULL), ASIF_OK);
    assert_int_equal(asif_os_rename(in("two"), in("one"), &error), ASIF_EIO);
    assert_int_equal(asif_os_rename(in("one"), in("two"), &error), ASIF_OK);
    holds(in("two/file"), "x");
    assert_int_equal(asif_os_sync_folder(in("two"), &error), ASIF_OK);
    assert_int_equal(asif_os_remove(in("two/file"), NULL), ASIF_OK);
    assert_int_equal(asif_os_remove(in("two/file"), NULL), ASIF_OK);
    assert_int_equal(asif_os_remove_folder(in("one"), NULL), ASIF_OK);
    assert_string_equal(names(), "two");
    asif_os_names list;
    assert_int_equal(asif_os_list(&list, context, in("none"), NULL), ASIF_ENOFILE);
}

static void test_locks(void **state) {
    (void)state;
    asif_os_lock one, two;
    bool busy;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_os_lock_take(&one, folder, &busy, &error), ASIF_OK);
    assert_false(busy);
    assert_int_equal(asif_os_lock_take(&two, folder, &busy, &error), ASIF_EIO);
    assert_true(busy);
    assert_true(error.hint[0] && error.message[0]);
    asif_os_lock_release(&one);
    assert_int_equal(asif_os_lock_take(&two, folder, &busy, &error), ASIF_OK);
    asif_os_lock_release(&two);
    assert_int_equal(asif_os_lock_take(&one, in("none"), &busy, &error), ASIF_EIO);
    assert_false(busy);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        T(test_modes),        T(test_links),       T(test_pipes),    T(test_descriptors),
        T(test_inputs),       T(test_new_only),    T(test_not_kept), T(test_size_limit),
        T(test_wrong_places), T(test_read_limits), T(test_folders),  T(test_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
