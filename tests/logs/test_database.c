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

/* The layout of ADBC 1.0, by counting its members: what is between two that we call is as wide as a pointer.
 */
static void layout(void **state) {
    (void)state;
    size_t p = sizeof(void *);
    assert_int_equal(sizeof(asif_adbc_driver), 29 * p);
    assert_int_equal(offsetof(asif_adbc_driver, database_init), 3 * p);
    assert_int_equal(offsetof(asif_adbc_driver, connection_init), 12 * p);
    assert_int_equal(offsetof(asif_adbc_driver, connection_release), 16 * p);
    assert_int_equal(offsetof(asif_adbc_driver, statement_execute_query), 20 * p);
    assert_int_equal(offsetof(asif_adbc_driver, statement_set_sql_query), 27 * p);
    assert_int_equal(offsetof(asif_adbc_error, release), 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_driver), cmocka_unit_test(bad_drivers), cmocka_unit_test(masks),
        cmocka_unit_test(asked_once),  cmocka_unit_test(no_driver),   cmocka_unit_test(without_memory),
        cmocka_unit_test(layout),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
