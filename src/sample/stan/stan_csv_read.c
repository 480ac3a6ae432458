#include "sample/stan/stan_csv.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "sample/draws.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIAGONAL = 1000, /* a longer diagonal is not kept as a matrix: the metric counts as not known */
    SKIPPED = -1          /* a sampler's column that is not kept */
};

typedef struct {
    const asif_context *context;
    asif_error *error;
    asif_stan_file *file; /* [chains] */
    uint32_t chains, columns, dimension;
    char *header;      /* header of the first file, with a 0 after each name */
    const char **name; /* [columns] */
    int32_t *target;   /* [fields]: SKIPPED, a statistic, or ASIF_STAT_COUNT + column */
    asif_draws *draws;
} reader;

/* ---- columns ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static asif_status same_twice(const reader *r, const char *name) {
    const asif_stan_file *first = &r->file[0];
    asif_fail(r->error, ASIF_EPARSE, "two columns are named `%s`", asif_show(name).text);
    return asif_stan_place(first, &first->header, first->header.start);
}

/* Find the target of the field called `name`. */
static asif_status place_field(reader *r, const char *name, int32_t *target, uint32_t *columns,
                               uint32_t *seen) {
    *target = SKIPPED;
    for (int s = 0; s < ASIF_STAT_COUNT; s++)
        if (strcmp(name, asif_stan_stat[s]) == 0) {
            if (*seen & 1U << s)
                return same_twice(r, name);
            *seen |= 1U << s;
            *target = s;
        }
    if (!asif_stan_own(name, strlen(name))) {
        *target = (int32_t)(ASIF_STAT_COUNT + *columns);
        r->name[(*columns)++] = name;
    }
    return ASIF_OK;
}

static asif_status read_names(reader *r) {
    const asif_stan_file *first = &r->file[0];
    const char *at = first->header.start, *stop = first->header.stop;
    char *to;
    r->columns = (uint32_t)first->columns;
    r->header = to = ASIF_ARRAY(r->context, (uint64_t)(stop - at) + 1, char);
    r->name = ASIF_ARRAY(r->context, r->columns, const char *);
    r->target = ASIF_ARRAY(r->context, first->fields, int32_t);
    const char **sorted = ASIF_ARRAY(r->context, r->columns, const char *);
    asif_status status = ASIF_OK;
    if (!r->header || !r->name || !r->target || !sorted)
        status = asif_fail_memory(r->error);
    uint32_t columns = 0, seen = 0;
    for (uint32_t i = 0; status == ASIF_OK && at; i++) {
        asif_stan_field field = asif_stan_take(&at, stop);
        memcpy(to, field.start, (size_t)field.length);
        status = place_field(r, to, &r->target[i], &columns, &seen);
        to += field.length + 1;
    }
    if (status == ASIF_OK) {
        memcpy((void *)sorted, (const void *)r->name, r->columns * sizeof *sorted);
        qsort((void *)sorted, r->columns, sizeof *sorted, by_name);
    }
    for (uint32_t i = 1; status == ASIF_OK && i < r->columns; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = same_twice(r, sorted[i]);
    asif_free(r->context, (void *)sorted);
    return status;
}

/* ---- chains that belong together ---- */

static asif_status check_header(const reader *r, const asif_stan_file *file) {
    const asif_stan_file *first = &r->file[0];
    const char *at = file->header.start, *first_at = first->header.start;
    while (at && first_at) {
        asif_stan_field field = asif_stan_take(&at, file->header.stop);
        asif_stan_field wanted = asif_stan_take(&first_at, first->header.stop);
        if (field.length != wanted.length || memcmp(field.start, wanted.start, (size_t)field.length) != 0) {
            asif_fail(r->error, ASIF_EPARSE, "another column than in %s", asif_show(first->name).text);
            asif_error_hint(r->error, "the chains of one fit have the same columns in the same order");
            return asif_stan_place(file, &file->header, field.start);
        }
    }
    if (!at && !first_at)
        return ASIF_OK;
    asif_fail(r->error, ASIF_EPARSE, "%u columns, and %u in %s", file->fields, first->fields,
              asif_show(first->name).text);
    return asif_stan_place(file, &file->header, file->header.start);
}

static asif_status check_chain(const reader *r, const asif_stan_file *file) {
    const asif_stan_file *first = &r->file[0];
    const struct {
        const char *what;
        uint64_t here, there;
    } same[] = {
        {"draws", file->draws, first->draws},
        {"thin", file->setting[ASIF_STAN_THIN], first->setting[ASIF_STAN_THIN]},
        {"num_warmup", file->setting[ASIF_STAN_WARMUP], first->setting[ASIF_STAN_WARMUP]},
        {"max_depth", file->setting[ASIF_STAN_MAX_DEPTH], first->setting[ASIF_STAN_MAX_DEPTH]},
        {"size of the metric", file->dimension, first->dimension},
    };
    ASIF_TRY(check_header(r, file));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].here != same[i].there) {
            asif_fail(r->error, ASIF_EPARSE, "%s: %llu, and %llu in %s", same[i].what,
                      (unsigned long long)same[i].here, (unsigned long long)same[i].there,
                      asif_show(first->name).text);
            asif_error_hint(r->error, "give the chains of one fit");
            return asif_stan_place(file, &file->header, file->header.start);
        }
    if (file->method == first->method)
        return ASIF_OK;
    asif_fail(r->error, ASIF_EPARSE, "made by the method %s, and %s by %s", asif_method_text(file->method),
              asif_show(first->name).text, asif_method_text(first->method));
    asif_error_hint(r->error, "give the chains of one fit");
    return asif_stan_place(file, &file->header, file->header.start);
}

/* ---- numbers ---- */

static asif_status fill_metric(const reader *r, uint32_t chain) {
    const asif_stan_file *file = &r->file[chain];
    asif_stan_lines lines = file->metric;
    double *metric = asif_draws_metric(r->draws, chain);
    uint64_t n = r->dimension;
    for (uint64_t i = 0; i < (file->diagonal ? 1 : n); i++) {
        asif_stan_next(&lines);
        const char *at = asif_stan_comment(&lines);
        for (uint64_t j = 0; j < n; j++)
            ASIF_TRY(asif_stan_number(file, &lines, asif_stan_take(&at, lines.stop),
                                      &metric[(file->diagonal ? j : i) * n + j]));
    }
    return ASIF_OK;
}

static asif_status fill_row(const reader *r, uint32_t chain, const asif_stan_lines *lines, uint64_t draw) {
    const char *at = lines->start;
    for (uint32_t i = 0; at; i++) {
        int32_t target = r->target[i];
        double number;
        ASIF_TRY(asif_stan_number(&r->file[chain], lines, asif_stan_take(&at, lines->stop), &number));
        if (target >= ASIF_STAT_COUNT)
            asif_draws_values(r->draws, (uint32_t)(target - ASIF_STAT_COUNT), chain)[draw] = number;
        else if (target != SKIPPED)
            asif_draws_stats(r->draws, (asif_stat)target, chain)[draw] = number;
    }
    return ASIF_OK;
}

static asif_status fill_chain(const reader *r, uint32_t chain) {
    const asif_stan_file *file = &r->file[chain];
    asif_stan_lines lines = file->header;
    uint64_t row = 0;
    *asif_draws_step(r->draws, chain) = file->step;
    while (asif_stan_next(&lines)) {
        if (lines.start == lines.stop || *lines.start == '#')
            continue;
        if (row >= file->warm)
            ASIF_TRY(fill_row(r, chain, &lines, row - file->warm));
        row++;
    }
    return r->dimension ? fill_metric(r, chain) : ASIF_OK;
}

static asif_status read_chains(reader *r) {
    const asif_stan_file *first = &r->file[0];
    for (uint32_t c = 1; c < r->chains; c++)
        ASIF_TRY(check_chain(r, &r->file[c]));
    ASIF_TRY(read_names(r));
    bool kept = !first->diagonal || first->dimension <= MOST_DIAGONAL;
    r->dimension = kept ? (uint32_t)first->dimension : 0;
    ASIF_TRY(asif_draws_create(&r->draws, r->context, r->chains, first->draws, r->columns, r->name,
                               r->dimension, r->error));
    asif_draws_view *view = &r->draws->view;
    view->method = first->method;
    view->warmup = first->setting[ASIF_STAN_WARMUP];
    view->thin = first->setting[ASIF_STAN_THIN];
    view->seed = first->setting[ASIF_STAN_SEED];
    view->max_depth = (uint32_t)first->setting[ASIF_STAN_MAX_DEPTH];
    for (uint32_t c = 0; c < r->chains; c++)
        ASIF_TRY(fill_chain(r, c));
    return ASIF_OK;
}

asif_status asif_draws_read_text(asif_draws **out, const asif_context *context, const char *const *text,
                                 const uint64_t *length, const char *const *name, uint32_t chains,
                                 asif_error *error) {
    *out = NULL;
    if (chains == 0)
        return asif_fail(error, ASIF_EDOMAIN, "no files of draws are given");
    reader r = {.context = context,
                .error = error,
                .file = ASIF_ARRAY(context, chains, asif_stan_file),
                .chains = chains};
    asif_status status = r.file ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t c = 0; status == ASIF_OK && c < chains; c++)
        status = asif_stan_scan(&r.file[c], text[c], length[c], name[c], error);
    if (status == ASIF_OK)
        status = read_chains(&r);
    if (status == ASIF_OK)
        *out = r.draws;
    else
        asif_draws_free(r.draws);
    asif_free(context, r.file);
    asif_free(context, r.header);
    asif_free(context, (void *)r.name);
    asif_free(context, r.target);
    return status;
}

asif_status asif_draws_read(asif_draws **out, const asif_context *context, const char *const *path,
                            uint32_t chains, asif_error *error) {
    *out = NULL;
    char **text = ASIF_ARRAY(context, chains, char *);
    uint64_t *length = ASIF_ARRAY(context, chains, uint64_t);
    asif_status status = text && length ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t c = 0; status == ASIF_OK && c < chains; c++)
        status = asif_os_read_file(&text[c], &length[c], context, path[c], error);
    if (status == ASIF_OK)
        status = asif_draws_read_text(out, context, (const char *const *)text, length, path, chains, error);
    for (uint32_t c = 0; text && c < chains; c++)
        asif_free(context, text[c]);
    asif_free(context, (void *)text);
    asif_free(context, length);
    return status;
}
