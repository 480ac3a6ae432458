#include "logs/table/dates.h"

#include "base/text.h"

#include <string.h>

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, PARTS };

static const struct {
    char letter;
    uint8_t part, least_digits, most_digits; /* digits 0: the name of a month */
} letters[] = {{'Y', YEAR, 4, 4},  {'y', YEAR, 2, 2},   {'m', MONTH, 1, 2},
               {'b', MONTH, 0, 0}, {'B', MONTH, 0, 0},  {'d', DAY, 1, 2},
               {'H', HOUR, 1, 2},  {'M', MINUTE, 1, 2}, {'S', SECOND, 1, 2}};

static int find_letter(char letter) {
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return (int)i;
    return -1;
}

const char *asif_date_form_wrong(const char *form) {
    bool has[PARTS] = {false};
    for (const char *p = form; *p; p++) {
        if (*p != '%')
            continue;
        int i = find_letter(*++p);
        if (i < 0)
            return "it can have %Y, %y, %m, %b, %B, %d, %H, %M and %S";
        if (has[letters[i].part])
            return "each part of a date may occur once";
        has[letters[i].part] = true;
    }
    if (!has[YEAR] || !has[MONTH] || !has[DAY])
        return "it needs a year, a month and a day";
    return (has[MINUTE] && !has[HOUR]) || (has[SECOND] && !has[MINUTE])
               ? "it has a smaller part of the time of day, but not the larger one"
               : NULL;
}

/* Take the name of a month, in full or its first three letters, in upper or lower case; 0: there is none. */
static int take_month(const char **p) {
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    for (int m = 0; m < 12; m++) {
        size_t n = 0;
        while (names[m][n] && ((*p)[n] | 0x20) == names[m][n])
            n++;
        if (n < 3)
            continue;
        *p += names[m][n] ? 3 : n;
        return m + 1;
    }
    return 0;
}

static bool take_number(const char **p, int least, int most, int *out) {
    int n = 0;
    *out = 0;
    for (; n < most && **p >= '0' && **p <= '9'; n++)
        *out = 10 * *out + (*(*p)++ - '0');
    return n >= least;
}

static int days_in(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

bool asif_date_read(const char *form, const char *text, char out[ASIF_DATE_SIZE]) {
    int part[PARTS] = {0};
    bool clock = false;
    for (; *form; form++) {
        if (*form != '%') {
            if (*form != *text++)
                return false;
            continue;
        }
        int i = find_letter(*++form);
        if (i < 0)
            return false;
        int *to = &part[letters[i].part];
        if (letters[i].most_digits == 0)
            *to = take_month(&text);
        else if (!take_number(&text, letters[i].least_digits, letters[i].most_digits, to))
            return false;
        if (letters[i].letter == 'y')
            *to += *to < 69 ? 2000 : 1900;
        clock = clock || letters[i].part >= HOUR;
    }
    if (*text || part[MONTH] < 1 || part[MONTH] > 12 || part[DAY] < 1 ||
        part[DAY] > days_in(part[YEAR], part[MONTH]) || part[HOUR] > 23 || part[MINUTE] > 59 ||
        part[SECOND] > 59)
        return false;
    int used = asif_format(out, ASIF_DATE_SIZE, "%04d-%02d-%02d", part[YEAR], part[MONTH], part[DAY]);
    if (clock)
        asif_format(out + used, ASIF_DATE_SIZE - (size_t)used, "T%02d:%02d:%02d", part[HOUR], part[MINUTE],
                    part[SECOND]);
    return true;
}
