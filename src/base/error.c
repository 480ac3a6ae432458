#include "base/error.h"

#include "base/memory.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/text.h"

#include <string.h>

#undef asif_fail
#undef asif_fail_memory

const char *asif_status_text(asif_status status) {
    static const struct {
        asif_status status;
        const char *text;
    } table[] = {
#define X(id, number, text) {id, text},
        ASIF_STATUS_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].status == status)
            return table[i].text;
    return "unknown status";
}

asif_status asif_fail(asif_error *error, asif_status status, const char *format, ...) {
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    va_list args;
    va_start(args, format);
    asif_os_vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    asif_clean(error->message); /* the message may quote the contents of a file */
    return status;
}

asif_status asif_fail_memory(asif_error *error) {
    return asif_fail(error, ASIF_ENOMEM, "out of memory");
}

void asif_error_clear(asif_error *error) {
    if (error)
        *error = (asif_error)ASIF_ERROR_INIT;
}

void asif_error_code(asif_error *error, const char *code) {
    if (error)
        asif_format(error->code, sizeof error->code, "%s", code);
}

asif_status asif_fail_null(asif_error *error, const char *what) {
    return asif_fail(error, ASIF_EDOMAIN, "there is no %s", what);
}

void asif_error_at(asif_error *error, const char *file, uint32_t line, uint32_t column) {
    if (!error)
        return;
    if (file) {
        /* The end of a long path says more than its beginning. */
        size_t length = strlen(file), room = sizeof error->file - 1;
        memcpy(error->file, length > room ? file + (length - room) : file,
               (length > room ? room : length) + 1);
    }
    error->line = line;
    error->column = column;
}

void asif_error_hint(asif_error *error, const char *format, ...) {
    if (!error)
        return;
    va_list args;
    va_start(args, format);
    asif_os_vsnprintf(error->hint, sizeof error->hint, format, args);
    va_end(args);
    asif_clean(error->hint);
}

struct asif_problems {
    const asif_context *context;
    uint32_t count, limit;
    uint64_t room, found[3];
    struct problem {
        asif_severity severity;
        uint32_t line, column; /* its place in the input, by which the list is ordered */
        asif_error error;
    } * list;
};

asif_status asif_problems_create(asif_problems **out, const asif_context *context, uint32_t limit,
                                 asif_error *error) {
    if (limit == 0)
        limit = 20;
    asif_problems *problems = *out = ASIF_NEW(context, asif_problems);
    if (!problems)
        return asif_fail_memory(error);
    problems->context = context;
    problems->limit = limit;
    return ASIF_OK;
}

void asif_problems_clear(asif_problems *problems) {
    problems->count = 0;
    memset(problems->found, 0, sizeof problems->found);
}

asif_problems_mark asif_problems_now(const asif_problems *problems) {
    asif_problems_mark mark = {0};
    if (problems) {
        mark.count = problems->count;
        memcpy(mark.found, problems->found, sizeof mark.found);
    }
    return mark;
}

void asif_problems_back(asif_problems *problems, const asif_problems_mark *mark) {
    if (!problems)
        return;
    problems->count = mark->count;
    memcpy(problems->found, mark->found, sizeof mark->found);
}

void asif_problems_free(asif_problems *problems) {
    if (!problems)
        return;
    asif_free(problems->context, problems->list);
    asif_free(problems->context, problems);
}

void asif_problems_add(asif_problems *problems, asif_severity severity, const asif_error *error) {
    asif_problems_insert(problems, asif_problems_count(problems), severity, error, 0, 0);
}

bool asif_place_before(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column) {
    return line < other_line || (line == other_line && column < other_column);
}

void asif_problems_insert(asif_problems *problems, uint32_t from, asif_severity severity,
                          const asif_error *error, uint32_t line, uint32_t column) {
    if (!problems)
        return;
    problems->found[severity]++;
    if (problems->count < problems->limit && !asif_grow(problems->context, &problems->list, problems->count,
                                                        &problems->room, sizeof *problems->list))
        problems->limit = problems->count; /* without memory, further problems are only counted */
    struct problem *list = problems->list;
    uint32_t at = problems->count;
    while (at > from && asif_place_before(line, column, list[at - 1].line, list[at - 1].column))
        at--;
    if (at == problems->limit)
        return;
    if (problems->count < problems->limit)
        problems->count++;
    memmove(list + at + 1, list + at, (problems->count - at - 1) * sizeof *list);
    list[at] = (struct problem){severity, line, column, *error};
}

uint32_t asif_problems_count(const asif_problems *problems) {
    return problems ? problems->count : 0;
}

uint64_t asif_problems_found(const asif_problems *problems, asif_severity severity) {
    return problems->found[severity];
}

const asif_error *asif_problems_get(const asif_problems *problems, uint32_t i, asif_severity *severity) {
    if (i >= problems->count)
        return NULL;
    if (severity)
        *severity = problems->list[i].severity;
    return &problems->list[i].error;
}
