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
        uint64_t times;                  /* how often it was found, in different rows of a table */
        uint64_t row[ASIF_PROBLEM_ROWS]; /* the first of these rows */
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

/* Find the same problem of another row of the same table. */
static struct problem *find_same(asif_problems *problems, asif_severity severity, const asif_error *error) {
    for (uint32_t i = 0; error->row && i < problems->count; i++) {
        const asif_error *other = &problems->list[i].error;
        if (other->row && problems->list[i].severity == severity && other->column == error->column &&
            strcmp(other->message, error->message) == 0 && strcmp(other->hint, error->hint) == 0 &&
            strcmp(other->file, error->file) == 0)
            return &problems->list[i];
    }
    return NULL;
}

/* Note another row, in the order of rows. */
static void add_row(struct problem *problem, uint64_t row) {
    uint64_t at = problem->times < ASIF_PROBLEM_ROWS ? problem->times : ASIF_PROBLEM_ROWS;
    problem->times++;
    for (; at > 0 && problem->row[at - 1] > row; at--)
        if (at < ASIF_PROBLEM_ROWS)
            problem->row[at] = problem->row[at - 1];
    if (at < ASIF_PROBLEM_ROWS)
        problem->row[at] = row;
}

/* Put a problem in its place among those from index `from` on. */
static void place(asif_problems *problems, uint32_t from, const struct problem *problem) {
    if (problems->count < problems->limit && !asif_grow(problems->context, &problems->list, problems->count,
                                                        &problems->room, sizeof *problems->list))
        problems->limit = problems->count; /* without memory, further problems are only counted */
    struct problem *list = problems->list;
    uint32_t at = problems->count;
    while (at > from &&
           asif_place_before(problem->line, problem->column, list[at - 1].line, list[at - 1].column))
        at--;
    if (at == problems->limit)
        return;
    if (problems->count < problems->limit)
        problems->count++;
    memmove(list + at + 1, list + at, (problems->count - at - 1) * sizeof *list);
    list[at] = *problem;
}

void asif_problems_insert(asif_problems *problems, uint32_t from, asif_severity severity,
                          const asif_error *error, uint32_t line, uint32_t column) {
    if (!problems)
        return;
    problems->found[severity]++;
    struct problem *same = find_same(problems, severity, error);
    struct problem problem = {severity, line, column, *error, 1, {error->row}};
    if (same) {
        add_row(same, error->row);
        if (error->row > same->error.row)
            return;
        /* It stands where it was found first, in the order of rows. */
        problem.times = same->times;
        memcpy(problem.row, same->row, sizeof problem.row);
        memmove(same, same + 1, (size_t)(problems->list + problems->count - same - 1) * sizeof *same);
        problems->count--;
    }
    place(problems, from, &problem);
}

void asif_problems_take(asif_problems *problems, const asif_problems *from, uint32_t i) {
    if (!problems || i >= from->count)
        return;
    const struct problem *taken = &from->list[i];
    uint32_t before = problems->count;
    asif_problems_add(problems, taken->severity, &taken->error);
    problems->found[taken->severity] += taken->times - 1;
    if (problems->count > before) {
        problems->list[before].times = taken->times;
        memcpy(problems->list[before].row, taken->row, sizeof taken->row);
    }
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

uint64_t asif_problems_times(const asif_problems *problems, uint32_t i, uint64_t row[ASIF_PROBLEM_ROWS]) {
    if (i >= problems->count)
        return 0;
    if (row)
        memcpy(row, problems->list[i].row, sizeof problems->list[i].row);
    return problems->list[i].times;
}
