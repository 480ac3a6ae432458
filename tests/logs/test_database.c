/* Queries through a driver that fails at every step, and through none. What real databases give is in
 * tests/cli/test_databases.py. */
#include "asif.h"
#include "base/error.h"
#include "base/os.h"
#include "check.h"
#include "logs/database/adbc.h"

#include <string.h>

static asif_context *context;
static const char *driver;
static int (*handles_open)(void);

static int set_up(void **state) {
    (void)state;
    void *library = NULL;
    driver = getenv("ASIF_TEST_DRIVER");
    if (driver && asif_os_library(&library, driver, NULL) == ASIF_OK)
        handles_open = (int (*)(void))asif_os_symbol(library, "handles_open");
    return asif_context_create(&context, NULL, NULL);
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static asif_status ask(const char *name, const char *uri, asif_tree **out, asif_error *error) {
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    struct ArrowArrayStream stream;
    *out = NULL;
    request.driver = name;
    request.uri = uri;
    request.query = "SELECT * FROM logs";
    ASIF_TRY(asif_database_query(&stream, context, &request, error));
    return asif_logs_read_arrow(out, context, &stream, "logs", NULL, NULL, NULL, error);
}

static void good_driver(void **state) {
    (void)state;
    asif_tree *tree;
    if (!handles_open)
        skip();
    assert_int_equal(ask(driver, "good:", &tree, NULL), ASIF_OK);
    assert_int_equal(asif_tree_info(tree)->decisions, 3);
    assert_int_equal(handles_open(), 0);
    asif_tree_free(tree);
}

static void bad_drivers(void **state) {
    (void)state;
    static const char *const steps[] = {"option", "database", "connection", "statement",
                                        "query",  "execute",  "nothing",    "stream"};
    if (!handles_open)
        skip();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int form = 0; form < 2; form++) {
            char uri[64];
            asif_tree *tree;
            asif_error error = ASIF_ERROR_INIT;
            (void)snprintf(uri, sizeof uri, form ? "%s:password=sesame host=h" : "%s://me:sesame@host/base",
                           steps[i]);
            asif_status status = ask(driver, uri, &tree, &error);
            CHECK(status == ASIF_EIO && !tree && error.message[0], "%s: %d, %s", uri, (int)status,
                  error.message);
            CHECK(!strstr(error.message, "sesame"), "%s: the password is told: %s", uri, error.message);
            CHECK(handles_open() == 0, "%s: %d still open", uri, handles_open());
            if (i < 6 && form == 0) {
                CHECK(strstr(error.message, ": cannot do this with ") && strstr(error.message, "me:***@host"),
                      "%s", error.message);
            }
        }
}

/* What a driver gives need not be what it told. */
static void lying_drivers(void **state) {
    (void)state;
    static const struct {
        const char *word;
        asif_status status;
        const char *message;
    } lie[] = {
        {"fewer columns", ASIF_EPARSE, "does not have the shape it tells"},
        {"short batch", ASIF_EPARSE, "does not have the shape it tells"},
        {"long batch", ASIF_EPARSE, "does not have the shape it tells"},
        {"no values", ASIF_EPARSE, "does not have the shape it tells"},
        {"texts as numbers", ASIF_EPARSE, "does not have the shape it tells"},
        {"numbers as texts", ASIF_EPARSE, "does not have the shape it tells"},
        {"sudden nulls", ASIF_EPARSE, "the action is missing"},
        {"stream", ASIF_EIO, "the disk is gone"},
    };
    if (!handles_open)
        skip();
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        char uri[64];
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        (void)snprintf(uri, sizeof uri, "%s:", lie[i].word);
        asif_status status = ask(driver, uri, &tree, &error);
        CHECK(status == lie[i].status && !tree && strstr(error.message, lie[i].message), "%s: %d, %s",
              lie[i].word, (int)status, error.message);
        CHECK(handles_open() == 0, "%s: %d still open", lie[i].word, handles_open());
    }
}

static bool no_more(void *user, const char *what, double done) {
    (void)what, (void)done;
    ++*(int *)user;
    return true;
}

/* A query is cancelled while the driver works on it: when it is executed, or when its first rows are asked
 * for. A driver that is not cancelled takes 20 seconds. */
static void cancelled_queries(void **state) {
    (void)state;
    static const char *const words[] = {"slow:", "late:"};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_context *hurried = NULL;
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    int heard = 0;
    if (!handles_open)
        skip();
    options.progress = no_more;
    options.user = &heard;
    options.one_thread = true;
    assert_int_equal(asif_context_create(&hurried, &options, NULL), ASIF_OK);
    request.driver = driver;
    request.query = "SELECT * FROM logs";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        asif_tree *tree;
        asif_error error = ASIF_ERROR_INIT;
        double begun = asif_os_seconds();
        request.uri = words[i];
        asif_status status =
            asif_logs_read_database(&tree, hurried, &request, "logs", NULL, NULL, NULL, &error);
        CHECK(status == ASIF_ECANCELLED && !tree, "%s %d, %s", words[i], (int)status, error.message);
        CHECK(heard > (int)i && asif_os_seconds() - begun < 10, "%s heard %d times", words[i], heard);
        CHECK(handles_open() == 0, "%s %d still open", words[i], handles_open());
    }
    asif_context_free(hurried);
}

static void masks(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"postgresql://me:sesame@host/base", "postgresql://me:***@host/base"},
        {"postgresql://me@host:5432/base", "postgresql://me@host:5432/base"},
        {"host=h password=sesame user=me", "host=h password=*** user=me"},
        {"ATTACH 'password=sesame' AS p", "ATTACH 'password=***' AS p"},
        {"host=h password='open sesame' user=me", "host=h password='***' user=me"},
        {"ATTACH 'password=one' AS p; ATTACH 'password=other' AS q",
         "ATTACH 'password=***' AS p; ATTACH 'password=***' AS q"},
        {"postgresql://me:sesame@host/base?password=other", "postgresql://me:***@host/base?password=***"},
        {"//a:b@c", "//a:*@c"},
        {"password=", "password="},
        {"visits.db", "visits.db"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[80];
        (void)snprintf(text, sizeof text, "%s", texts[i][0]);
        asif_database_mask(text);
        CHECK(strcmp(text, texts[i][1]) == 0, "%s became %s", texts[i][0], text);
    }
    asif_database_mask(NULL);
}

/* A driver whose SQL is not known is asked once, whatever the order of its rows. */
static void asked_once(void **state) {
    (void)state;
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree;
    if (!handles_open)
        skip();
    request.driver = driver;
    request.query = "SELECT * FROM logs";
    for (int i = 0; i < 3; i++) {
        request.uri = i == 2 ? "again:" : i == 1 ? "apart:" : "good:";
        CHECK(asif_logs_read_database(&tree, context, &request, "logs", NULL, NULL, NULL, &error) == ASIF_OK,
              "%s", error.message);
        assert_int_equal(asif_tree_info(tree)->decisions, 3);
        assert_int_equal(asif_tree_info(tree)->episodes, i ? 2 : 1);
        assert_int_equal(asif_tree_info(tree)->sorted, !i);
        assert_int_equal(handles_open(), 0);
        asif_tree_free(tree);
    }
}

static void no_driver(void **state) {
    (void)state;
    asif_tree *tree;
    asif_error error = ASIF_ERROR_INIT;
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    struct ArrowArrayStream stream;
    assert_int_equal(ask("oracle", NULL, &tree, &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.hint, "postgresql"));
    assert_int_equal(ask("/nowhere/libdriver.so", NULL, &tree, &error), ASIF_ENOFILE);
    assert_int_equal(asif_database_query(&stream, context, &request, &error), ASIF_EDOMAIN);
    request.driver = "duckdb";
    assert_int_equal(asif_database_query(&stream, context, &request, &error), ASIF_EDOMAIN);
    assert_null(stream.release);
    assert_int_equal(asif_database_query(&stream, context, NULL, NULL), ASIF_EDOMAIN);
}

static void without_memory(void **state) {
    (void)state;
    if (!handles_open)
        skip();
    for (long n = 0;; n++) {
        failing_memory memory = {.left = n};
        asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
        asif_context *poor = NULL;
        asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
        struct ArrowArrayStream stream;
        options.reallocate = failing_reallocate;
        options.user = &memory;
        request.driver = driver;
        request.uri = "good://me:sesame@host";
        request.query = "SELECT 1";
        if (asif_context_create(&poor, &options, NULL) != ASIF_OK)
            continue;
        asif_status status = asif_database_query(&stream, poor, &request, NULL);
        if (status == ASIF_OK)
            stream.release(&stream);
        asif_context_free(poor);
        assert_int_equal(memory.alive, 0);
        assert_int_equal(handles_open(), 0);
        if (status == ASIF_OK)
            break;
        assert_int_equal(status, ASIF_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_driver),   cmocka_unit_test(bad_drivers),
        cmocka_unit_test(lying_drivers), cmocka_unit_test(cancelled_queries),
        cmocka_unit_test(masks),         cmocka_unit_test(asked_once),
        cmocka_unit_test(no_driver),     cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
