/* Dates in forms that a study states, against the C library's. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "logs/table/dates.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const forms[] = {"%d.%m.%Y",       "%m/%d/%y",  "%Y%m%d",
                                    "%d %b %Y %H:%M", "%B %d, %Y", "on %Y-%m-%d at %H:%M:%S"};
enum { FORMS = sizeof forms / sizeof *forms };

static bool has_clock(const char *form) {
    return strstr(form, "%H") != NULL;
}

static void test_forms(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 60000; i++) {
        const char *form = forms[i % FORMS];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        time_t at = (time_t)(seed >> 33) % 3000000000 + 10; /* 1970 to 2065 */
        char text[64], want[ASIF_DATE_SIZE], got[ASIF_DATE_SIZE];
        struct tm tm;
        assert_non_null(gmtime_r(&at, &tm));
        if (!strstr(form, "%M"))
            tm.tm_hour = tm.tm_min = 0;
        if (!strstr(form, "%S"))
            tm.tm_sec = 0;
        assert_true(strftime(text, sizeof text, form, &tm) > 0);
        assert_true(strftime(want, sizeof want, has_clock(form) ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d", &tm) > 0);
        assert_null(asif_date_form_wrong(form));
        CHECK(asif_date_read(form, text, got), "%s of %s is not read", text, form);
        assert_string_equal(got, want);
    }
}

/* Every day of 150 years exists, and the day after the last one of a month does not. */
static void test_days(void **state) {
    (void)state;
    char text[32], got[ASIF_DATE_SIZE];
    for (int year = 1895; year < 2110; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 0; day <= 32; day++) {
                struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = 12};
                bool real = day > 0 && mktime(&tm) != (time_t)-1 && tm.tm_mon == month - 1;
                snprintf(text, sizeof text, "%d/%d/%d", year, month, day);
                assert_int_equal(asif_date_read("%Y/%m/%d", text, got), real);
            }
}

static void test_other_texts(void **state) {
    (void)state;
    static const struct {
        const char *form, *text, *want;
    } rows[] = {
        {"%d.%m.%Y", "1.2.2019", "2019-02-01"},
        {"%d.%m.%Y", "01.02.19", NULL},
        {"%d.%m.%Y", "01.02.2019 ", NULL},
        {"%d.%m.%Y", "", NULL},
        {"%d.%m.%Y", "01-02-2019", NULL},
        {"%d.%m.%Y", "01.13.2019", NULL},
        {"%d %b %Y", "3 MAR 2020", "2020-03-03"},
        {"%d %b %Y", "3 March 2020", "2020-03-03"},
        {"%d %B %Y", "3 may 2020", "2020-05-03"},
        {"%d %b %Y", "3 Mrz 2020", NULL},
        {"%d %b %Y", "3 Ma 2020", NULL},
        {"%y%m%d", "680101", "2068-01-01"},
        {"%y%m%d", "690101", "1969-01-01"},
        {"%Y-%m-%d %H:%M", "2020-02-29 23:59", "2020-02-29T23:59:00"},
        {"%Y-%m-%d %H:%M", "2020-02-29 24:00", NULL},
    };
    char got[ASIF_DATE_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool read = asif_date_read(rows[i].form, rows[i].text, got);
        CHECK(read == (rows[i].want != NULL), "`%s` of the form %s", rows[i].text, rows[i].form);
        if (read)
            assert_string_equal(got, rows[i].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_other_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
