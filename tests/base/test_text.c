/* Numbers as text in any locale, nearest words, files. */
#include "check.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "problems.h"

#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void numbers_survive(void **state) {
    (void)state;
    const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t l = 0; l < 3; l++) {
        if (!setlocale(LC_ALL, locales[l]))
            continue;
        uint64_t seed = 17;
        for (int i = 0; i < 20000; i++) {
            double x, back;
            uint64_t bits =
                (uint64_t)(make_uniform(&seed) * 0x1p53) << 11 | (uint64_t)(make_uniform(&seed) * 0x1p11);
            memcpy(&x, &bits, sizeof x);
            if (i % 2)
                x = (double)(int64_t)(make_uniform(&seed) * 2e6 - 1e6) / 1000;
            if (!isfinite(x))
                continue;
            char text[ASIF_NUMBER_SIZE];
            asif_number_text(text, x);
            assert_true(asif_number_read(text, strlen(text), &back));
            assert_memory_equal(&x, &back, sizeof x);
            assert_null(strchr(text, ','));
        }
    }
    setlocale(LC_ALL, "C");
}

static void number_table(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool good;
        double value;
    } rows[] = {
        {"0.5", true, .5},
        {"-36", true, -36},
        {"1e-3", true, 1e-3},
        {".5", true, .5},
        {"5.", true, 5},
        {"+7", true, 7},
        {"1E+2", true, 100},
        {"inf", true, INFINITY},
        {"-.inf", true, -INFINITY},
        {".Inf", true, INFINITY},
        {"INFINITY", true, INFINITY},
        {"1e400", true, INFINITY},
        {"123456789012345678901234567890", true, 123456789012345678901234567890.0},
        {"0.1000000000000000055511151231257827", true, .1},
        {"9007199254740993", true, 9007199254740992.0},
        {"", false, 0},
        {"-", false, 0},
        {".", false, 0},
        {"1e", false, 0},
        {"0x10", false, 0},
        {"nan", false, 0},
        {"1,5", false, 0},
        {"1 ", false, 0},
        {"--1", false, 0},
        {"1.2.3", false, 0},
        {"5%", false, 0},
        {"1e+", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double x = -1;
        bool good = asif_number_read(rows[i].text, strlen(rows[i].text), &x);
        CHECK(good == rows[i].good && (!good || x == rows[i].value), "'%s' is read as %.17g", rows[i].text,
              x);
    }
    double zero;
    assert_true(asif_number_read("-0", 2, &zero) && zero == 0 && signbit(zero));
}

static void nearest_words(void **state) {
    (void)state;
    static const char *const words[] = {"transitions", "emissions", "start", "ends"};
    assert_string_equal(asif_nearest_word("transition", words, 4), "transitions");
    assert_string_equal(asif_nearest_word("emisions", words, 4), "emissions");
    assert_string_equal(asif_nearest_word("strat", words, 4), "start");
    assert_null(asif_nearest_word("utility", words, 4));
    assert_null(asif_nearest_word("", words, 4));
}

static void problems_of_many_rows_are_kept_once(void **state) {
    (void)state;
    asif_context *context;
    asif_problems *problems;
    uint64_t row[ASIF_PROBLEM_ROWS];
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 3, NULL), ASIF_OK);
    for (uint32_t k = 0; k < 30; k++) {
        uint32_t i = (k + 17) % 30; /* problems need not be found in the order of rows */
        asif_error error = ASIF_ERROR_INIT;
        asif_fail(&error, ASIF_EPARSE, "label %" PRIu32, i % 3);
        asif_error_at(&error, "logs.csv", i + 2, 7);
        error.row = i + 1;
        asif_problems_insert(problems, 0, ASIF_PROBLEM_ERROR, &error, error.line, error.column);
    }
    assert_int_equal(asif_problems_count(problems), 3);
    assert_int_equal(asif_problems_found(problems, ASIF_PROBLEM_ERROR), 30);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(asif_problems_get(problems, i, NULL)->line, i + 2);
        assert_int_equal(asif_problems_times(problems, i, row), 10);
        for (uint64_t k = 0; k < ASIF_PROBLEM_ROWS; k++)
            assert_int_equal(row[k], i + 1 + 3 * k);
    }
    assert_int_equal(asif_problems_times(problems, 3, NULL), 0);
    asif_problems_free(problems);
    asif_context_free(context);
}

static void problems_are_kept_and_counted(void **state) {
    (void)state;
    asif_context *context;
    asif_problems *problems;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_problems_create(&problems, context, 2, NULL), ASIF_OK);
    for (int i = 0; i < 5; i++) {
        asif_fail(&error, ASIF_EPARSE, "problem %d", i);
        asif_error_at(&error, "study.yaml", 3, 4);
        asif_problems_add(problems, i == 1 ? ASIF_PROBLEM_WARNING : ASIF_PROBLEM_ERROR, &error);
    }
    asif_severity severity;
    assert_int_equal(asif_problems_count(problems), 2);
    assert_int_equal(asif_problems_found(problems, ASIF_PROBLEM_ERROR), 4);
    assert_string_equal(asif_problems_get(problems, 1, &severity)->message, "problem 1");
    assert_int_equal(severity, ASIF_PROBLEM_WARNING);
    assert_null(asif_problems_get(problems, 2, NULL));
    char path[600];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    memcpy(path + sizeof path - 6, ".yaml", 5);
    asif_error_at(&error, path, 1, 1);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_string_equal(error.file + strlen(error.file) - 5, ".yaml");
    assert_string_equal(asif_status_text(ASIF_EZEROPR), "observation has probability 0");
    asif_problems_free(problems);
    asif_context_free(context);
}

static void files_are_whole(void **state) {
    (void)state;
    asif_context *context;
    asif_error error = ASIF_ERROR_INIT;
    char folder[] = "asif-text-XXXXXX", path[64], *data;
    uint64_t length;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(asif_file_write(context, path, "one", 3, NULL, &error), ASIF_OK);
    assert_int_equal(asif_file_write(context, path, "two lines\n", 10, NULL, &error), ASIF_OK);
    assert_int_equal(asif_os_read_file(&data, &length, context, path, &error), ASIF_OK);
    assert_int_equal(length, 10);
    assert_string_equal(data, "two lines\n");
    asif_free(context, data);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* fails if a temporary file was left */
    assert_int_equal(asif_file_write(context, path, "x", 1, NULL, &error), ASIF_EIO);
    assert_string_equal(error.file, path);
    assert_int_equal(asif_os_read_file(&data, &length, context, path, &error), ASIF_ENOFILE);
    assert_non_null(strstr(error.message, "No such file"));
    asif_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_survive),
        cmocka_unit_test(number_table),
        cmocka_unit_test(nearest_words),
        cmocka_unit_test(problems_of_many_rows_are_kept_once),
        cmocka_unit_test(problems_are_kept_and_counted),
        cmocka_unit_test(files_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
