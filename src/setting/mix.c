/* Worlds that are mixtures of the environment with a uniform world. */
#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

/* List the columns that some row can reach. */
static uint32_t find_support(const asif_matrix *m, bool *reached, uint32_t *column) {
    uint32_t count = 0;
    for (uint64_t e = 0; e < asif_matrix_entries(m); e++)
        reached[m->column[e]] = true;
    for (uint32_t c = 0; c < m->columns; c++)
        if (reached[c])
            column[count++] = c;
    return count;
}

static void mix_row(const asif_matrix *from, uint32_t i, double share, const uint32_t *support,
                    uint32_t count, uint32_t *column, double *value) {
    uint64_t e, end;
    asif_matrix_row(from, i, &e, &end);
    for (uint32_t k = 0; k < count; k++) {
        bool here = e < end && from->column[e] == support[k];
        column[k] = support[k];
        value[k] = (here ? (1 - share) * from->value[e] : 0) + share / count;
        e += here;
    }
}

asif_status asif_matrix_mix(asif_matrix *out, const asif_context *context, const asif_matrix *from,
                            double share, asif_error *error) {
    uint32_t rows = from->same_rows ? 1 : from->rows;
    bool *reached = ASIF_ARRAY(context, from->columns, bool);
    uint32_t *support = ASIF_ARRAY(context, from->columns, uint32_t);
    uint32_t count = reached && support ? find_support(from, reached, support) : 0;
    uint64_t *offset = ASIF_ARRAY(context, (uint64_t)rows + 1, uint64_t);
    uint32_t *column = ASIF_ARRAY(context, (uint64_t)rows * count, uint32_t);
    double *value = ASIF_ARRAY(context, (uint64_t)rows * count, double);
    bool room = reached && support && offset && column && value;
    *out = (asif_matrix){from->rows, from->columns, from->same_rows, offset, column, value};
    for (uint32_t i = 0; room && i < rows; i++) {
        uint64_t at = (uint64_t)i * count;
        mix_row(from, i, share, support, count, column + at, value + at);
        offset[i + 1] = at + count;
    }
    asif_free(context, reached);
    asif_free(context, support);
    return room ? ASIF_OK : asif_fail_memory(error);
}
