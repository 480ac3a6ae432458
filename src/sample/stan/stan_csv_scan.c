/* The first pass over a Stan CSV file: it reads settings and header, notes places, and checks that every row
 * is as long as the header. What the second pass allocates is then no more than a few times the file. */
#include "sample/stan/stan_csv.h"

#include "base/error.h"
#include "sample/draws.h"

#include <string.h>

enum { MOST_FIELDS = 1 << 30 };

static bool is_comment(const asif_stan_lines *lines) {
    return lines->start < lines->stop && *lines->start == '#';
}

static bool begins(const char *at, const char *stop, const char *word) {
    size_t length = strlen(word);
    return (size_t)(stop - at) >= length && memcmp(at, word, length) == 0;
}

#define FAIL_AT(at, ...)                                                                                     \
    (asif_fail(file->error, ASIF_EPARSE, __VA_ARGS__), asif_stan_place(file, lines, (at)))

/* ---- comments before the header ---- */

static bool whole_number(asif_stan_field field, uint64_t *out) {
    uint64_t number = 0;
    for (uint64_t i = 0; i < field.length; i++) {
        uint64_t digit = (uint64_t)(unsigned char)field.start[i] - '0';
        if (digit > 9 || number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *out = number;
    return field.length > 0;
}

static asif_status read_count(asif_stan_file *file, const asif_stan_lines *lines, asif_stan_setting setting,
                              asif_stan_field value) {
    static const struct {
        uint64_t least, most;
        const char *wanted;
    } range[ASIF_STAN_SETTINGS] = {
        [ASIF_STAN_SAMPLES] = {0, UINT64_MAX, "a whole number"},
        [ASIF_STAN_WARMUP] = {0, UINT64_MAX, "a whole number"},
        [ASIF_STAN_SAVE_WARMUP] = {0, 1, "0 or 1"},
        [ASIF_STAN_THIN] = {1, UINT32_MAX, "a whole number from 1 to 4294967295"},
        [ASIF_STAN_MAX_DEPTH] = {0, UINT32_MAX, "a whole number up to 4294967295"},
        [ASIF_STAN_SEED] = {0, UINT64_MAX, "a whole number"},
    };
    uint64_t *number = &file->setting[setting];
    file->given[setting] = true;
    if (setting == ASIF_STAN_SAVE_WARMUP && asif_stan_is(value, "true"))
        *number = 1;
    else if (setting == ASIF_STAN_SAVE_WARMUP && asif_stan_is(value, "false"))
        *number = 0;
    else if (!whole_number(value, number) || *number < range[setting].least || *number > range[setting].most)
        return FAIL_AT(value.start, "`%s = %s`: expected %s", asif_stan_key[setting],
                       asif_stan_shown(value).text, range[setting].wanted);
    return ASIF_OK;
}

static asif_status read_asif_method(asif_stan_file *file, const asif_stan_lines *lines,
                                    asif_stan_field value) {
    for (int m = ASIF_METHOD_NUTS; m <= ASIF_METHOD_RIDGE; m++)
        if (asif_stan_is(value, asif_method_text((asif_method)m))) {
            file->method = (asif_method)m;
            file->has_method = true;
            return ASIF_OK;
        }
    return FAIL_AT(value.start, "unknown method `%s`", asif_stan_shown(value).text);
}

/* `# key = value (Default)` */
static asif_status read_setting(asif_stan_file *file, const asif_stan_lines *lines) {
    static const char standard[] = "(Default)";
    const char *key = asif_stan_comment(lines), *equal = key, *stop = lines->stop;
    while (equal < stop && *equal != '=')
        equal++;
    if (equal == stop)
        return ASIF_OK;
    uint64_t tail = sizeof standard - 1;
    if ((uint64_t)(stop - equal) > tail && memcmp(stop - tail, standard, (size_t)tail) == 0)
        stop -= tail;
    asif_stan_field word = asif_stan_trim(key, equal), value = asif_stan_trim(equal + 1, stop);
    if (asif_stan_is(word, "method") && !asif_stan_is(value, "sample")) {
        asif_fail(file->error, ASIF_EPARSE, "the file was made by Stan's method `%s`",
                  asif_stan_shown(value).text);
        asif_error_hint(file->error, "only what the method `sample` writes can be read");
        return asif_stan_place(file, lines, value.start);
    }
    if (asif_stan_is(word, "asif_method"))
        return read_asif_method(file, lines, value);
    for (int s = 0; s < ASIF_STAN_SETTINGS; s++)
        if (asif_stan_is(word, asif_stan_key[s]))
            return read_count(file, lines, (asif_stan_setting)s, value);
    return ASIF_OK;
}

/* ---- the header ---- */

static asif_status read_name(asif_stan_file *file, const asif_stan_lines *lines, asif_stan_field name) {
    bool good = name.length > 0;
    for (uint64_t i = 0; i < name.length; i++)
        good = good && asif_stan_letter(name.start[i]);
    if (!good) {
        asif_fail(file->error, ASIF_EPARSE, "`%s` is not the name of a column", asif_stan_shown(name).text);
        asif_error_hint(file->error,
                        "the first line without a `#` names the columns: lp__,accept_stat__,...");
        return asif_stan_place(file, lines, name.start);
    }
    file->has_lp = file->has_lp || asif_stan_is(name, asif_stan_stat[ASIF_STAT_LP]);
    file->has_energy = file->has_energy || asif_stan_is(name, asif_stan_stat[ASIF_STAT_ENERGY]);
    file->columns += !asif_stan_own(name.start, name.length);
    return ASIF_OK;
}

static asif_status read_header(asif_stan_file *file, const asif_stan_lines *lines) {
    uint64_t fields = asif_stan_fields(lines->start, lines->stop);
    if (fields > MOST_FIELDS)
        return FAIL_AT(lines->start, "%llu columns are too many", (unsigned long long)fields);
    file->header = *lines;
    file->fields = (uint32_t)fields;
    for (const char *at = lines->start; at;)
        ASIF_TRY(read_name(file, lines, asif_stan_take(&at, lines->stop)));
    if (!file->has_lp || file->columns == 0) {
        asif_fail(file->error, ASIF_EPARSE,
                  file->has_lp ? "there is no column of a parameter" : "there is no column `lp__`");
        asif_error_hint(file->error, "expected a chain as Stan's `sample` writes it, with the columns "
                                     "lp__,accept_stat__,... and the parameters'");
        return asif_stan_place(file, lines, lines->start);
    }
    return ASIF_OK;
}

/* ---- comments between the rows ---- */

/* Scan a metric. Its first line tells how many numbers there are; the other lines of a matrix must be as
 * long. */
static asif_status scan_metric(asif_stan_file *file, asif_stan_lines *lines, bool diagonal) {
    if (file->dimension)
        return FAIL_AT(lines->start, "a second metric");
    file->metric = *lines;
    file->diagonal = diagonal;
    uint64_t rows = 1;
    for (uint64_t i = 0; i < rows; i++) {
        asif_stan_lines heading = *lines;
        if (!asif_stan_next(lines) || !is_comment(lines)) {
            *lines = heading;
            return FAIL_AT(lines->start, "rows of the metric: %llu; expected %llu", (unsigned long long)i,
                           (unsigned long long)rows);
        }
        uint64_t fields = asif_stan_fields(asif_stan_comment(lines), lines->stop);
        if (i == 0) {
            file->dimension = fields;
            rows = diagonal ? 1 : fields;
        }
        if (fields != file->dimension)
            return FAIL_AT(lines->start, "numbers in a row of the metric: %llu; expected %llu",
                           (unsigned long long)fields, (unsigned long long)file->dimension);
    }
    return ASIF_OK;
}

static asif_status scan_comment(asif_stan_file *file, asif_stan_lines *lines, bool *adapted) {
    const char *at = asif_stan_comment(lines), *stop = lines->stop;
    if (begins(at, stop, ASIF_STAN_ADAPTED)) {
        if (*adapted || (file->draws > 0 && file->setting[ASIF_STAN_SAVE_WARMUP] == 0))
            return FAIL_AT(at, "`%s` after the first draw", ASIF_STAN_ADAPTED);
        *adapted = true;
        file->warm = file->draws;
        file->draws = 0;
    } else if (begins(at, stop, ASIF_STAN_STEP)) {
        const char *equal = memchr(at, '=', (size_t)(stop - at));
        if (!equal)
            return FAIL_AT(at, "expected `%s = NUMBER`", ASIF_STAN_STEP);
        ASIF_TRY(asif_stan_number(file, lines, asif_stan_trim(equal + 1, stop), &file->step));
    } else if (begins(at, stop, ASIF_STAN_DIAGONAL)) {
        ASIF_TRY(scan_metric(file, lines, true));
    } else if (begins(at, stop, ASIF_STAN_DENSE) || begins(at, stop, ASIF_STAN_WALK)) {
        ASIF_TRY(scan_metric(file, lines, false));
    }
    return ASIF_OK;
}

static asif_status scan_rows(asif_stan_file *file, asif_stan_lines *lines, bool *adapted) {
    while (asif_stan_next(lines)) {
        if (lines->start == lines->stop)
            continue;
        if (is_comment(lines)) {
            ASIF_TRY(scan_comment(file, lines, adapted));
            continue;
        }
        uint64_t fields = asif_stan_fields(lines->start, lines->stop);
        if (fields != file->fields) {
            asif_fail(file->error, ASIF_EPARSE, "numbers in the row: %llu; expected %u, as in line %u",
                      (unsigned long long)fields, file->fields, file->header.line);
            if (lines->next == lines->end)
                asif_error_hint(file->error, "it is the last line: the file was perhaps cut off");
            return asif_stan_place(file, lines, lines->start);
        }
        file->draws++;
    }
    return ASIF_OK;
}

static uint64_t thinned(const asif_stan_file *file, asif_stan_setting setting) {
    uint64_t steps = file->setting[setting], thin = file->setting[ASIF_STAN_THIN];
    return steps / thin + (steps % thin != 0);
}

/* Check the number of warm-up rows: those before the end of the adaptation, or, if nothing adapts, as many as
 * the header states. */
static asif_status check_counts(asif_stan_file *file, const asif_stan_lines *lines, bool adapted) {
    bool saved = file->setting[ASIF_STAN_SAVE_WARMUP] == 1;
    uint64_t warm = saved ? thinned(file, ASIF_STAN_WARMUP) : 0;
    if (!adapted && file->has_energy) {
        file->warm = warm < file->draws ? warm : file->draws;
        file->draws -= file->warm;
    }
    if (file->has_energy && file->warm != warm)
        return FAIL_AT(lines->start, "rows of warm-up: %llu; expected %llu, from `num_warmup` and `thin`",
                       (unsigned long long)file->warm, (unsigned long long)warm);
    if (file->draws == 0)
        return FAIL_AT(lines->start, "the file has no draws");
    uint64_t draws = file->given[ASIF_STAN_SAMPLES] ? thinned(file, ASIF_STAN_SAMPLES) : file->draws;
    if (file->draws != draws) {
        asif_fail(file->error, ASIF_EPARSE, "draws: %llu; expected %llu, from `num_samples` and `thin`",
                  (unsigned long long)file->draws, (unsigned long long)draws);
        asif_error_hint(file->error, "the file is not complete, or draws were taken out of it");
        return asif_stan_place(file, lines, lines->start);
    }
    return ASIF_OK;
}

asif_status asif_stan_scan(asif_stan_file *out, const char *text, uint64_t length, const char *name,
                           asif_error *error) {
    asif_stan_file *file = out;
    if (!text)
        text = "";
    *file = (asif_stan_file){.name = name, .error = error, .setting[ASIF_STAN_THIN] = 1};
    asif_stan_lines place = {.next = text, .end = text + length, .start = text, .stop = text};
    asif_stan_lines *lines = &place;
    bool adapted = false;
    do {
        if (!asif_stan_next(lines)) {
            asif_fail(error, ASIF_EPARSE, "the file has no header: expected a line lp__,accept_stat__,...");
            return asif_stan_place(file, lines, lines->start);
        }
        if (is_comment(lines))
            ASIF_TRY(read_setting(file, lines));
    } while (lines->start == lines->stop || is_comment(lines));
    ASIF_TRY(read_header(file, lines));
    ASIF_TRY(scan_rows(file, lines, &adapted));
    ASIF_TRY(check_counts(file, lines, adapted));
    if (!file->has_method)
        file->method = file->has_energy ? ASIF_METHOD_NUTS : ASIF_METHOD_METROPOLIS;
    return ASIF_OK;
}
