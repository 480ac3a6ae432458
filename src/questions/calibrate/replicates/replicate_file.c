/* The file of finished replicates: a table with one line each, in order, with exact numbers. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define FILE_NAME "replicates.csv"
#define FIRST_LINE "# asif replicates, key "
#define MOST_ROOM 2000000

static const char *const head_names[ASIF_KEPT_HEAD_OF_PEOPLE] = {
    "decisions", "runs", "rhat", "ess", "log_likelihood.rank", "people.held"};
static const char *const each_names[ASIF_KEPT_EACH] = {"truth", "estimate", "sd", "q05", "q95", "rank"};

static char *path_of(const asif_replicates *r) {
    asif_text path = {.context = r->context};
    asif_text_addf(&path, "%s/" FILE_NAME, r->options.folder);
    if (path.failed)
        asif_text_free(&path);
    return path.failed ? NULL : path.data;
}

static void add_header(asif_text *text, const asif_replicates *r) {
    asif_text_addf(text, FIRST_LINE "%s\nreplicate,state", r->options.key ? r->options.key : "");
    for (uint32_t i = 0; i < r->head; i++)
        asif_text_addf(text, ",%s", head_names[i]);
    for (uint32_t i = 0; i < r->numbers; i++)
        for (uint32_t k = 0; k < ASIF_KEPT_EACH; k++)
            asif_text_addf(text, ",%s.%s", r->quantity[i].name, each_names[k]);
    asif_text_add(text, "\n");
}

static void add_row(asif_text *text, const asif_replicates *r, uint32_t index) {
    const double *row = asif_replicate_row(r, index);
    asif_text_addf(text, "%u,%s", index + 1,
                   asif_replicate_is(r, index, ASIF_REPLICATE_DONE) ? "done" : "failed");
    for (uint64_t i = 0; i < r->width; i++) {
        asif_text_add(text, ",");
        if (!isnan(row[i]))
            asif_text_add_number(text, row[i]);
    }
    asif_text_add(text, "\n");
}

asif_status asif_replicates_save(const asif_replicates *r, asif_error *error) {
    asif_text text = {.context = r->context};
    char *path = path_of(r);
    add_header(&text, r);
    for (uint32_t i = 0; i < r->room; i++)
        if (!asif_replicate_is(r, i, ASIF_REPLICATE_OPEN))
            add_row(&text, r, i);
    asif_status status = path && !text.failed
                             ? asif_file_write(r->context, path, text.data, text.length, NULL, error)
                             : asif_fail_memory(error);
    asif_text_free(&text);
    asif_free(r->context, path);
    return status;
}

/* ---- reading ---- */

/* The next line, without its end; *at moves to the line after it. NULL at the end, or if the line has no
 * end. */
static const char *next_line(const char **at, size_t *length) {
    const char *line = *at;
    *length = strcspn(line, "\n");
    if (line[*length] != '\n')
        return NULL;
    *at = line + *length + 1;
    return line;
}

static bool read_cell(const char **at, double *out) {
    size_t length = strcspn(*at, ",\n");
    *out = NAN;
    bool good = length == 0 || asif_number_read(*at, length, out);
    *at += length;
    *at += **at == ',';
    return good;
}

/* Read the number, state and cells of a replicate; returns the number, 0 if the line is damaged. */
static uint32_t read_row(const asif_replicates *r, const char *line, size_t length, int *state, double *row) {
    const char *at = line, *end = line + length;
    double index;
    uint64_t cells = 1;
    for (const char *c = line; c < end; c++)
        cells += *c == ',';
    if (cells != r->width + 2 || !read_cell(&at, &index) || !(index >= 1 && index <= MOST_ROOM) ||
        index != floor(index))
        return 0;
    size_t word = strcspn(at, ",");
    *state = word == 4 && strncmp(at, "done", word) == 0 ? ASIF_REPLICATE_DONE : ASIF_REPLICATE_FAILED;
    if (*state == ASIF_REPLICATE_FAILED && (word != 6 || strncmp(at, "failed", word) != 0))
        return 0;
    at += word + 1;
    for (uint64_t i = 0; i < r->width; i++)
        if (!read_cell(&at, &row[i]))
            return 0;
    return at == end ? (uint32_t)index : 0;
}

static asif_status make_room(asif_replicates *r, uint32_t room, asif_error *error) {
    r->row = ASIF_ARRAY(r->context, room * r->width, double);
    r->state = ASIF_ARRAY(r->context, room, atomic_int);
    if (!r->row || !r->state)
        return asif_fail_memory(error);
    r->room = room;
    return ASIF_OK;
}

static asif_status damaged(const char *path, uint32_t line, asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "this is not a line of finished replicates");
    asif_error_at(error, path, line, 1);
    asif_error_hint(error, "remove the file to begin again");
    return ASIF_EPARSE;
}

static asif_status read_rows(asif_replicates *r, const char *at, const char *path, asif_error *error) {
    const char *begin = at, *line;
    size_t length;
    int state;
    uint32_t room = r->room, number = 3;
    double *row = ASIF_ARRAY(r->context, r->width, double);
    asif_status status = row ? ASIF_OK : asif_fail_memory(error);
    for (; status == ASIF_OK && (line = next_line(&at, &length)); number++) {
        uint32_t index = read_row(r, line, length, &state, row);
        if (index == 0)
            status = damaged(path, number, error);
        room = index > room ? index : room;
    }
    if (status == ASIF_OK && *at)
        status = damaged(path, number, error);
    if (status == ASIF_OK)
        status = make_room(r, room, error);
    for (at = begin; status == ASIF_OK && (line = next_line(&at, &length));) {
        uint32_t index = read_row(r, line, length, &state, row) - 1;
        memcpy(asif_replicate_row(r, index), row, r->width * sizeof *row);
        atomic_store(&r->state[index], state);
    }
    asif_free(r->context, row);
    return status;
}

static asif_status read(asif_replicates *r, const char *text, const char *path, asif_error *error) {
    asif_text header = {.context = r->context};
    add_header(&header, r);
    asif_status status = header.failed ? asif_fail_memory(error) : ASIF_OK;
    if (status == ASIF_OK && strncmp(text, header.data, header.length) != 0) {
        status = asif_fail(error, ASIF_EINVALID,
                           "the replicates in it are of another study, or were made with other flags");
        asif_error_at(error, path, 0, 0);
        asif_error_hint(error, "choose another folder");
    }
    if (status == ASIF_OK)
        status = read_rows(r, text + header.length, path, error);
    asif_text_free(&header);
    return status;
}

static asif_status lock_folder(asif_replicates *r, asif_error *error) {
    bool busy = false;
    asif_status status = asif_os_lock_take(&r->lock, r->options.folder, &busy, error);
    r->locked = status == ASIF_OK;
    if (!busy)
        return status;
    asif_fail(error, ASIF_EINVALID, "another asif is writing into this folder");
    asif_error_at(error, r->options.folder, 0, 0);
    asif_error_hint(error, "wait until it has finished, or choose another folder");
    return ASIF_EINVALID;
}

asif_status asif_replicates_load(asif_replicates *r, asif_error *error) {
    if (!r->options.folder)
        return make_room(r, r->room, error);
    ASIF_TRY(lock_folder(r, error));
    char *path = path_of(r), *text = NULL;
    uint64_t length = 0;
    if (!path)
        return asif_fail_memory(error);
    asif_os_remove_parts(path); /* parts of a command that was killed: it does not hold the lock */
    asif_status status;
    if (!asif_os_exists(path))
        status = make_room(r, r->room, error);
    else if ((status = asif_os_read_file(&text, &length, r->context, path, error)) == ASIF_OK)
        status = read(r, text, path, error);
    asif_free(r->context, text);
    asif_free(r->context, path);
    return status;
}
