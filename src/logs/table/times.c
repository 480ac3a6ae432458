/* Times of rows, and the order of rows within an episode. */
#include "logs/reading.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static bool read_digits(const char **p, const char *end, int count, int *out) {
    int value = 0;
    for (int i = 0; i < count; i++, (*p)++) {
        if (*p >= end || **p < '0' || **p > '9')
            return false;
        value = 10 * value + (**p - '0');
    }
    *out = value;
    return true;
}

static bool take(const char **p, const char *end, char c) {
    if (*p >= end || **p != c)
        return false;
    (*p)++;
    return true;
}

/* Days since March 1 of year 0 of the Gregorian calendar. */
static double days_of(int year, int month, int day) {
    int y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    return 365.0 * y + floor(y / 4.0) - floor(y / 100.0) + floor(y / 400.0) + floor((153 * m + 2) / 5.0) +
           (day - 1);
}

static bool read_clock(const char **p, const char *end, double *seconds) {
    int hour = 0, minute = 0, second = 0;
    if (!read_digits(p, end, 2, &hour) || !take(p, end, ':') || !read_digits(p, end, 2, &minute) ||
        hour > 24 || minute > 59)
        return false;
    double fraction = 0;
    if (take(p, end, ':')) {
        if (!read_digits(p, end, 2, &second) || second > 60)
            return false;
        if (take(p, end, '.') || take(p, end, ',')) {
            double unit = 0.1;
            for (; *p < end && **p >= '0' && **p <= '9'; (*p)++, unit /= 10)
                fraction += unit * (**p - '0');
        }
    }
    *seconds += 3600.0 * hour + 60.0 * minute + second + fraction;
    return true;
}

bool asif_time_date(const char *text, uint64_t length, double *seconds) {
    const char *p = text, *end = text + length;
    int year = 0, month = 0, day = 0, hours = 0, minutes = 0;
    if (!read_digits(&p, end, 4, &year) || !take(&p, end, '-') || !read_digits(&p, end, 2, &month) ||
        !take(&p, end, '-') || !read_digits(&p, end, 2, &day) || month < 1 || month > 12 || day < 1 ||
        day > 31)
        return false;
    *seconds = 86400 * days_of(year, month, day);
    if (p == end)
        return true;
    if ((!take(&p, end, 'T') && !take(&p, end, ' ')) || !read_clock(&p, end, seconds))
        return false;
    if (p < end && (*p == '+' || *p == '-')) {
        double sign = *p++ == '+' ? 1 : -1;
        if (!read_digits(&p, end, 2, &hours))
            return false;
        (void)take(&p, end, ':');
        if (p < end && !read_digits(&p, end, 2, &minutes))
            return false;
        *seconds -= sign * (3600.0 * hours + 60.0 * minutes);
        return p == end;
    }
    (void)take(&p, end, 'Z');
    return p == end;
}

int asif_time_compare(const asif_reading *reading, uint64_t a, uint64_t b) {
    double x = reading->step[a].time, y = reading->step[b].time;
    if (isnan(x) && isnan(y)) {
        const char *s = reading->times.data + reading->step_text[a] - 1,
                   *t = reading->times.data + reading->step_text[b] - 1;
        return asif_natural_order(s, strlen(s), t, strlen(t));
    }
    if (isnan(x) || isnan(y))
        return isnan(x) ? 1 : -1;
    return (x > y) - (x < y);
}

bool asif_time_before(const asif_reading *reading, uint64_t a, uint64_t b) {
    int c = asif_time_compare(reading, a, b);
    return c < 0 || (c == 0 && reading->step[a].row <= reading->step[b].row);
}

bool asif_time_sort(asif_reading *reading, uint64_t *order, uint64_t count) {
    if (reading->merged_capacity < count) {
        uint64_t *grown = asif_realloc(reading->context, reading->merged, count, sizeof *grown);
        if (!grown)
            return false;
        reading->merged = grown;
        reading->merged_capacity = count;
    }
    uint64_t *to = reading->merged;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            uint64_t middle = begin + width < count ? begin + width : count;
            uint64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            uint64_t a = begin, b = middle;
            for (uint64_t i = begin; i < end; i++) {
                bool left = a < middle && (b >= end || asif_time_before(reading, order[a], order[b]));
                to[i] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, to, (size_t)count * sizeof *order);
    }
    return true;
}
