#include "base/linear/direct.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"

#include <stdlib.h>

/* Order of elimination: rows and columns with few entries come first, so that elimination adds
 * few entries. */
typedef struct {
    uint64_t fill; /* Markowitz's bound on the entries added */
    uint32_t index;
} turn;

static int by_fill(const void *a, const void *b) {
    const turn *x = a, *y = b;
    return x->fill != y->fill ? (x->fill > y->fill) - (x->fill < y->fill)
                              : (x->index > y->index) - (x->index < y->index);
}

static void find_order(const double *a, uint32_t n, turn *order) {
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = 0, column = 0;
        for (uint32_t k = 0; k < n; k++) {
            row += a[(uint64_t)i * n + k] != 0;
            column += a[(uint64_t)k * n + i] != 0;
        }
        order[i] = (turn){row * column, i};
    }
    qsort(order, n, sizeof *order, by_fill);
}

typedef struct {
    uint32_t n;
    double *a, *sorted, *unit, *right; /* a and sorted are [n][n], unit and right [stride] */
    turn *order;
    uint32_t *pivot;
} space;

static bool factorise(space *s, const double *right, double *x) {
    uint32_t n = s->n;
    find_order(s->a, n, s->order);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            s->sorted[(uint64_t)i * n + k] = s->a[(uint64_t)s->order[i].index * n + s->order[k].index];
    for (uint32_t i = 0; i < n; i++)
        s->right[i] = right[s->order[i].index];
    if (!asif_lu(s->sorted, n, s->pivot))
        return false;
    asif_lu_solve(s->sorted, n, s->pivot, s->right);
    for (uint32_t i = 0; i < n; i++)
        x[s->order[i].index] = s->right[i];
    return true;
}

asif_status asif_direct_solve(const asif_context *context, uint32_t n, uint64_t stride,
                              void (*product)(void *user, const double *x, double *y), void *user,
                              const double *right, double *x, bool *solved, asif_error *error) {
    uint64_t cells = (uint64_t)n * n;
    space s = {n,
               ASIF_ARRAY(context, cells, double),
               ASIF_ARRAY(context, cells, double),
               ASIF_ARRAY(context, stride, double),
               ASIF_ARRAY(context, stride, double),
               ASIF_ARRAY(context, n, turn),
               ASIF_ARRAY(context, n, uint32_t)};
    bool room = s.a && s.sorted && s.unit && s.right && s.order && s.pivot;
    *solved = false;
    for (uint32_t j = 0; room && j < n; j++) {
        s.unit[j] = 1;
        product(user, s.unit, s.right);
        s.unit[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            s.a[(uint64_t)i * n + j] = s.right[i];
    }
    if (room)
        *solved = factorise(&s, right, x);
    void *const arrays[] = {s.a, s.sorted, s.unit, s.right, s.order, s.pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return room ? ASIF_OK : asif_fail_memory(error);
}
