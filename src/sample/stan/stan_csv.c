#include "sample/stan/stan_csv.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

const char *const asif_stan_stat[ASIF_STAT_COUNT] = {
    "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"};

const char *const asif_stan_key[ASIF_STAN_SETTINGS] = {"num_samples", "num_warmup", "save_warmup",
                                                       "thin",        "max_depth",  "seed"};

bool asif_stan_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
}

bool asif_stan_own(const char *name, uint64_t length) {
    return length >= 2 && name[length - 1] == '_' && name[length - 2] == '_';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

bool asif_stan_next(asif_stan_lines *lines) {
    if (lines->next == lines->end)
        return false;
    const char *stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    lines->start = lines->next;
    lines->stop = stop ? stop : lines->end;
    lines->next = stop ? stop + 1 : lines->end;
    lines->line++;
    while (lines->stop > lines->start && is_blank(lines->stop[-1]))
        lines->stop--;
    return true;
}

const char *asif_stan_comment(const asif_stan_lines *lines) {
    const char *at = lines->start;
    while (at < lines->stop && (*at == '#' || is_blank(*at)))
        at++;
    return at;
}

uint64_t asif_stan_fields(const char *from, const char *stop) {
    uint64_t count = 1;
    while (from < stop && (from = memchr(from, ',', (size_t)(stop - from)))) {
        count++;
        from++;
    }
    return count;
}

asif_stan_field asif_stan_trim(const char *from, const char *stop) {
    while (from < stop && is_blank(*from))
        from++;
    while (stop > from && is_blank(stop[-1]))
        stop--;
    return (asif_stan_field){from, (uint64_t)(stop - from)};
}

asif_stan_field asif_stan_take(const char **from, const char *stop) {
    const char *start = *from, *comma = start < stop ? memchr(start, ',', (size_t)(stop - start)) : NULL;
    *from = comma ? comma + 1 : NULL;
    return asif_stan_trim(start, comma ? comma : stop);
}

bool asif_stan_is(asif_stan_field field, const char *word) {
    return strlen(word) == field.length && memcmp(field.start, word, (size_t)field.length) == 0;
}

asif_shown asif_stan_shown(asif_stan_field field) {
    char text[sizeof(asif_shown) + 1];
    size_t length = field.length < sizeof text ? (size_t)field.length : sizeof text - 1;
    memcpy(text, field.start, length);
    text[length] = 0;
    asif_clean(text);
    return asif_show(text);
}

asif_status asif_stan_place(const asif_stan_file *file, const asif_stan_lines *lines, const char *at) {
    asif_error_at(file->error, file->name, lines->line, lines->line ? (uint32_t)(at - lines->start) + 1 : 0);
    return ASIF_EPARSE;
}

asif_status asif_stan_number(const asif_stan_file *file, const asif_stan_lines *lines, asif_stan_field field,
                             double *out) {
    if (asif_number_read(field.start, field.length, out))
        return ASIF_OK;
    if (asif_stan_is(field, "nan") || asif_stan_is(field, "NaN") || asif_stan_is(field, "-nan")) {
        *out = NAN;
        return ASIF_OK;
    }
    if (field.length == 0)
        asif_fail(file->error, ASIF_EPARSE, "a number is missing");
    else
        asif_fail(file->error, ASIF_EPARSE, "`%s` is not a number", asif_stan_shown(field).text);
    return asif_stan_place(file, lines, field.start);
}
