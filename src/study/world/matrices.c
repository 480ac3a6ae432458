/* Storage of the matrices of a study: equal matrices are stored once. */
#include "study/study_reader.h"

#include <string.h>

static uint32_t add(asif_reader *draft, asif_matrix matrix) {
    if (!asif_reader_grow(draft, &draft->matrix, draft->matrices, &draft->matrix_room, sizeof *draft->matrix))
        return ASIF_READER_UNSET;
    draft->matrix[draft->matrices] = matrix;
    return (uint32_t)draft->matrices++;
}

static bool is_identity(const asif_matrix *m) {
    bool good = m->offset && m->rows == m->columns && m->offset[m->rows] == m->rows;
    for (uint32_t i = 0; good && i < m->rows; i++)
        good = m->column[i] == i && m->value[i] == 1;
    return good;
}

/* Find a stored matrix with these values, or the identity if `value` is NULL. */
static uint32_t find(const asif_reader *draft, uint32_t columns, bool same_rows, const double *value) {
    uint64_t cells = same_rows ? columns : (uint64_t)draft->states.count * columns;
    for (uint64_t i = 0; i < draft->matrices; i++) {
        const asif_matrix *m = &draft->matrix[i];
        if (m->rows == draft->states.count && m->columns == columns && m->same_rows == same_rows &&
            (value ? !m->offset && memcmp(m->value, value, (size_t)cells * sizeof *value) == 0
                   : is_identity(m)))
            return (uint32_t)i;
    }
    return ASIF_READER_UNSET;
}

static uint32_t copy(asif_reader *draft, uint32_t columns, bool same_rows, const double *value) {
    uint32_t found = find(draft, columns, same_rows, value);
    if (found != ASIF_READER_UNSET)
        return found;
    uint64_t cells = same_rows ? columns : (uint64_t)draft->states.count * columns;
    double *mine = asif_reader_alloc(draft, cells, sizeof *mine);
    if (!mine)
        return ASIF_READER_UNSET;
    memcpy(mine, value, (size_t)cells * sizeof *mine);
    return add(draft, (asif_matrix){draft->states.count, columns, same_rows, NULL, NULL, mine});
}

uint32_t asif_reader_identity(asif_reader *draft) {
    uint32_t n = draft->states.count, found = find(draft, n, false, NULL);
    if (found != ASIF_READER_UNSET && !draft->from_file)
        return found;
    uint64_t *offset = asif_reader_alloc(draft, (uint64_t)n + 1, sizeof *offset);
    uint32_t *column = asif_reader_alloc(draft, n, sizeof *column);
    double *value = asif_reader_alloc(draft, n, sizeof *value);
    if (!offset || !column || !value)
        return ASIF_READER_UNSET;
    for (uint32_t i = 0; i < n; i++) {
        offset[i + 1] = (uint64_t)i + 1;
        column[i] = i;
        value[i] = 1;
    }
    return add(draft, (asif_matrix){n, n, false, offset, column, value});
}

uint32_t asif_reader_sparse(asif_reader *draft, const uint64_t *offset, const uint32_t *column,
                            const double *value) {
    return add(draft, (asif_matrix){draft->states.count, draft->states.count, false, offset, column, value});
}

uint32_t asif_reader_sparse_of(asif_reader *draft, uint32_t columns, const uint64_t *offset,
                               const uint32_t *column, const double *value) {
    return add(draft, (asif_matrix){draft->states.count, columns, false, offset, column, value});
}

uint32_t asif_reader_same_rows(asif_reader *draft, const double *row, uint32_t columns) {
    return copy(draft, columns, true, row);
}

uint32_t asif_reader_dense(asif_reader *draft, const double *value, uint32_t columns) {
    uint32_t n = draft->states.count;
    bool identity = columns == n;
    for (uint32_t i = 0; identity && i < n; i++)
        for (uint32_t j = 0; identity && j < n; j++)
            identity = value[(uint64_t)i * n + j] == (i == j ? 1 : 0);
    return identity ? asif_reader_identity(draft) : copy(draft, columns, false, value);
}
