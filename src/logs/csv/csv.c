#include "logs/csv/csv.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define PIECE (UINT64_C(1) << 16)
/* Longest row in bytes; a longer one probably has a quote that was not closed. */
#define LONGEST_ROW (UINT64_C(1) << 24)

enum { STOP_SEPARATOR = 1, STOP_LINE, STOP_ZERO };

static asif_status fail_at(const asif_csv_reader *r, asif_error *error, asif_status status, uint32_t line,
                           uint32_t column, const char *message, const char *hint) {
    asif_fail(error, status, "%s", message);
    asif_error_at(error, r->name, line, column);
    asif_error_hint(error, "%s", hint);
    if (error)
        error->row = r->row;
    return status;
}

/* Read more bytes behind those of the current row, which moves to the beginning of the buffer. */
static asif_status refill(asif_csv_reader *r, asif_error *error) {
    uint64_t kept = r->end - r->begin, got = 0;
    if (kept > LONGEST_ROW)
        return fail_at(r, error, ASIF_ETOOBIG, r->line, 0, "a row is longer than 16 MB",
                       "is a quote (\") not closed in this row?");
    memmove(r->buffer, r->buffer + r->begin, (size_t)kept);
    r->begin = 0;
    r->end = kept;
    if (r->capacity - kept < PIECE) {
        char *grown = asif_realloc(r->context, r->buffer, 2 * r->capacity + 1, 1);
        if (!grown)
            return asif_fail_memory(error);
        r->buffer = grown;
        r->capacity *= 2;
    }
    asif_status status = r->source.read(r->source.user, r->buffer + kept, r->capacity - kept, &got, error);
    r->end += got;
    r->ended = got == 0;
    r->buffer[r->end] = '\n'; /* stops every search; the allocation is one byte longer than the capacity */
    return status;
}

static uint32_t breaks_in(const char *p, const char *end) {
    uint32_t n = 0;
    for (; p < end; p++)
        n += *p == '\n' || (*p == '\r' && p[1] != '\n');
    return n;
}

/* The result of scanning the bytes of a row. */
typedef enum { ROW_DONE, ROW_NEEDS_MORE, ROW_NO_MEMORY, ROW_ZERO, ROW_OPEN_QUOTE } outcome;

/* Find the cells of the row that begins at r->begin, without changing the bytes; *next is where the next row
 * begins. */
static outcome scan_row(asif_csv_reader *r, uint64_t *next, uint32_t *flaw_column) {
    const char *p = r->buffer + r->begin, *end = r->buffer + r->end;
    char blank = r->separator == ' ' ? '\t' : ' ', other = r->separator == '\t' ? ' ' : '\t';
    r->cells = 0;
    *flaw_column = 0;
    for (;;) {
        if (r->cells == r->cell_capacity &&
            !asif_grow(r->context, &r->cell, r->cells, &r->cell_capacity, sizeof *r->cell))
            return ROW_NO_MEMORY;
        asif_csv_cell *cell = &r->cell[r->cells];
        while (*p == blank || *p == other)
            p++;
        const char *text = p, *last;
        cell->quoted = *p == '"';
        cell->code = 0;
        if (cell->quoted) {
            for (p++;; p += 2) {
                p = memchr(p, '"', (size_t)(end - p));
                if (!p)
                    return r->ended ? ROW_OPEN_QUOTE : ROW_NEEDS_MORE;
                if (p + 1 >= end || p[1] != '"')
                    break;
            }
            if (p + 1 >= end && !r->ended)
                return ROW_NEEDS_MORE;
            last = ++p;
            if (memchr(text, 0, (size_t)(last - text)))
                return ROW_ZERO;
            while (*p == blank || *p == other)
                p++;
            if (!r->stops[(uint8_t)*p] && *flaw_column == 0)
                *flaw_column = r->cells + 1;
            while (!r->stops[(uint8_t)*p])
                p++;
        } else {
            while (!r->stops[(uint8_t)*p])
                p++;
            last = p;
            while (last > text && (last[-1] == blank || last[-1] == other))
                last--;
        }
        if (p >= end && !r->ended)
            return ROW_NEEDS_MORE;
        uint8_t stop = r->stops[(uint8_t)*p];
        if (p < end && stop == STOP_ZERO)
            return ROW_ZERO;
        cell->text = text;
        cell->length = (uint32_t)(last - text);
        r->cells++;
        if (p >= end || stop == STOP_LINE)
            break;
        p++;
    }
    r->after_cr = p < end && *p == '\r';
    *next = p < end ? (uint64_t)(p - r->buffer) + 1 : r->end;
    return ROW_DONE;
}

/* Remove the quotes of cells, and terminate every cell with 0. */
static void finish_cells(asif_csv_reader *r) {
    for (uint32_t i = 0; i < r->cells; i++) {
        asif_csv_cell *cell = &r->cell[i];
        char *text = r->buffer + (cell->text - r->buffer);
        uint32_t length = cell->length;
        if (cell->quoted) {
            r->next_line += breaks_in(text, text + length);
            char *to = text;
            for (uint32_t k = 1; k + 1 < length; k++) {
                *to++ = text[k];
                k += text[k] == '"';
            }
            length = (uint32_t)(to - text);
        }
        text[length] = 0;
        cell->length = length;
    }
}

/* Read one row, which may be blank. */
static asif_status read_row(asif_csv_reader *r, bool *more, asif_error *error) {
    uint64_t next = 0;
    uint32_t flaw_column = 0;
    *more = false;
    for (;;) {
        if (r->begin == r->end) {
            if (r->ended)
                return ASIF_OK;
            ASIF_TRY(refill(r, error));
            continue;
        }
        if (r->after_cr) { /* a line feed after a carriage return belongs to it */
            r->after_cr = false;
            r->begin += r->buffer[r->begin] == '\n';
            continue;
        }
        r->line = r->next_line;
        switch (scan_row(r, &next, &flaw_column)) {
        case ROW_NEEDS_MORE:
            ASIF_TRY(refill(r, error));
            continue;
        case ROW_NO_MEMORY:
            return asif_fail_memory(error);
        case ROW_ZERO:
            return fail_at(
                r, error, ASIF_EPARSE, r->line, r->cells + 1,
                "there is a byte 0 in the table: this is not plain text",
                "save the table as CSV in UTF-8 (a spreadsheet's own format and UTF-16 are not read)");
        case ROW_OPEN_QUOTE:
            return fail_at(r, error, ASIF_EPARSE, r->line, r->cells + 1,
                           "a quote (\") is opened and never closed",
                           "close it; a quote inside quotes is written twice (\"\")");
        case ROW_DONE:
            break;
        }
        break;
    }
    r->begin = next;
    finish_cells(r);
    r->next_line++;
    r->flaw.status = ASIF_OK;
    if (flaw_column)
        fail_at(r, &r->flaw, ASIF_EPARSE, r->line, flaw_column,
                "something follows the closing quote of a cell",
                "put the whole cell in quotes, and write a quote inside it twice (\"\")");
    *more = true;
    return ASIF_OK;
}

asif_status asif_csv_next(asif_csv_reader *r, bool *more, asif_error *error) {
    r->row++;
    do
        ASIF_TRY(read_row(r, more, error));
    while (*more && r->cells == 1 && r->cell[0].length == 0 && !r->cell[0].quoted);
    return ASIF_OK;
}

static char find_separator(const asif_csv_reader *r) {
    static const char candidates[] = {',', '\t', ';'};
    uint64_t count[sizeof candidates] = {0};
    bool quoted = false;
    for (const char *p = r->buffer + r->begin; p < r->buffer + r->end; p++) {
        if (*p == '"')
            quoted = !quoted;
        if (!quoted && (*p == '\n' || *p == '\r'))
            break;
        for (size_t i = 0; i < sizeof candidates; i++)
            count[i] += !quoted && *p == candidates[i];
    }
    size_t best = 0;
    for (size_t i = 1; i < sizeof candidates; i++)
        if (count[i] > count[best])
            best = i;
    return candidates[best];
}

static asif_status read_bytes(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    asif_csv_bytes *left = user;
    (void)error;
    *got = left->length < room ? left->length : room;
    if (*got == 0)
        return ASIF_OK;
    memcpy(to, left->text, (size_t)*got);
    left->text += *got;
    left->length -= *got;
    return ASIF_OK;
}

asif_csv_source asif_csv_memory(asif_csv_bytes *bytes) {
    return (asif_csv_source){read_bytes, bytes};
}

asif_status asif_csv_open(asif_csv_reader *r, const asif_context *context, asif_csv_source source,
                          const char *name, char separator, asif_error *error) {
    *r = (asif_csv_reader){.context = context, .source = source, .name = name, .next_line = 1, .line = 1};
    r->capacity = 2 * PIECE;
    r->buffer = asif_realloc(context, NULL, r->capacity + 1, 1);
    if (!r->buffer)
        return asif_fail_memory(error);
    while (!r->ended && r->end - r->begin < 4)
        ASIF_TRY(refill(r, error));
    const unsigned char *b = (const unsigned char *)r->buffer;
    if (r->end >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF)))
        return fail_at(r, error, ASIF_EPARSE, 1, 1, "the table is in UTF-16", "save it as CSV in UTF-8");
    if (r->end >= 4 && memcmp(b, "PK\3\4", 4) == 0)
        return fail_at(r, error, ASIF_EPARSE, 1, 1,
                       "the table is a compressed file or a workbook, not plain text",
                       "save the sheet as CSV in UTF-8, or unpack the file");
    if (r->end >= 4 && memcmp(b, "PAR1", 4) == 0)
        return fail_at(r, error, ASIF_EPARSE, 1, 1, "the table is a Parquet file",
                       "give its name the ending .parquet, and DuckDB reads it; or count it into a tree "
                       "first: asif count FILE.parquet --study STUDY -o logs.tree");
    if (r->end >= 2 && b[0] == 0x1F && b[1] == 0x8B)
        return fail_at(
            r, error, ASIF_EPARSE, 1, 1, "the table is compressed, and this build cannot unpack it",
            "unpack it first, for example gunzip -c FILE, and read `-`; a build with zlib does it");
    if (r->end >= 3 && memcmp(b, "\xEF\xBB\xBF", 3) == 0)
        r->begin = 3;
    bool more = false;
    do { /* skip blank lines before the header */
        while (r->separator == 0 && !r->ended &&
               !memchr(r->buffer + r->begin, '\n', (size_t)(r->end - r->begin)) &&
               !memchr(r->buffer + r->begin, '\r', (size_t)(r->end - r->begin)))
            ASIF_TRY(refill(r, error));
        r->separator = separator ? separator : find_separator(r);
        memset(r->stops, 0, sizeof r->stops);
        r->stops[(uint8_t)r->separator] = STOP_SEPARATOR;
        r->stops['\n'] = r->stops['\r'] = STOP_LINE;
        r->stops[0] = STOP_ZERO;
        ASIF_TRY(read_row(r, &more, error));
    } while (more && r->cells == 1 && r->cell[0].length == 0);
    if (!more)
        return fail_at(r, error, ASIF_EPARSE, 1, 1, "the table is empty",
                       "the first line names the columns, for example episode,t,action,observation");
    if (r->flaw.status != ASIF_OK) {
        if (error)
            *error = r->flaw;
        return r->flaw.status;
    }
    return ASIF_OK;
}

void asif_csv_close(asif_csv_reader *r) {
    asif_free(r->context, r->buffer);
    asif_free(r->context, r->cell);
    r->buffer = NULL;
    r->cell = NULL;
}

bool asif_csv_missing_word(const asif_csv_cell *cell) {
    if (cell->quoted || cell->length > 3)
        return false;
    static const char *const words[] = {"NA", "n/a", "N/A", "NaN", "."};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(cell->text, words[i]) == 0)
            return true;
    return false;
}
