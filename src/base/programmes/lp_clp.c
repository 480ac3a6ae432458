/* Solves linear programmes with Clp. lp_check.c checks the answers. */
#include "base/error.h"
#include "base/memory.h"
#include "base/programmes/lp_inside.h"

#include <limits.h>
#include <string.h>

#ifdef ASIF_HAVE_CLP

#include <Clp_C_Interface.h>

#define TOLERANCE 1e-9 /* tolerance of the bounds and of the reduced costs */

/* The matrix by columns, as Clp needs it; entries of the same row and column are added up. */
typedef struct {
    int *start, *length, *index;
    double *value;
    uint64_t *at, *order; /* entries sorted by rows */
} by_columns;

static void order_by_rows(const asif_lp *lp, by_columns *m) {
    for (uint64_t i = 0; i < lp->entries; i++)
        m->at[lp->entry[i].row + 1]++;
    for (uint32_t r = 0; r < lp->rows; r++)
        m->at[r + 1] += m->at[r];
    for (uint64_t i = 0; i < lp->entries; i++)
        m->order[m->at[lp->entry[i].row]++] = i;
}

static asif_status turn(const asif_lp *lp, by_columns *m, asif_error *error) {
    const asif_context *c = lp->context;
    m->start = ASIF_ARRAY(c, (uint64_t)lp->columns + 1, int);
    m->length = ASIF_ARRAY(c, lp->columns, int);
    m->index = ASIF_ARRAY(c, lp->entries, int);
    m->value = ASIF_ARRAY(c, lp->entries, double);
    m->at = ASIF_ARRAY(c, (uint64_t)lp->rows + 1, uint64_t);
    m->order = ASIF_ARRAY(c, lp->entries, uint64_t);
    if (!m->start || !m->length || !m->index || !m->value || !m->at || !m->order)
        return asif_fail_memory(error);
    order_by_rows(lp, m);
    for (uint64_t i = 0; i < lp->entries; i++)
        m->start[lp->entry[i].column + 1]++;
    for (uint32_t k = 0; k < lp->columns; k++)
        m->start[k + 1] += m->start[k];
    for (uint64_t i = 0; i < lp->entries; i++) {
        const struct asif_lp_entry *e = &lp->entry[m->order[i]];
        int end = m->start[e->column] + m->length[e->column];
        if (m->length[e->column] && m->index[end - 1] == (int)e->row) {
            m->value[end - 1] += e->value;
            continue;
        }
        m->index[end] = (int)e->row;
        m->value[end] = e->value;
        m->length[e->column]++;
    }
    int kept = 0; /* end of the entries kept so far */
    for (uint32_t k = 0; k < lp->columns; k++) {
        int from = m->start[k];
        m->start[k] = kept;
        for (int i = 0; i < m->length[k]; i++, kept++) {
            m->index[kept] = m->index[from + i];
            m->value[kept] = m->value[from + i];
        }
    }
    m->start[lp->columns] = kept;
    return ASIF_OK;
}

/* Runs Clp. Presolve and scaling (way 0) are best as a rule; the other ways are for programmes where the
 * answer holds only in scaled numbers, or is wrong. */
static void run(Clp_Simplex *model, int way) {
    static const struct {
        int (*algorithm)(Clp_Simplex *, int);
        int scaling;
    } plain[ASIF_LP_WAYS] = {{NULL, 0}, {Clp_dual, 0}, {Clp_primal, 0}, {Clp_dual, 1}, {Clp_primal, 2}};
    if (way == 0) {
        Clp_initialSolve(model);
        return;
    }
    Clp_scaling(model, plain[way].scaling);
    plain[way].algorithm(model, 0);
}

static asif_lp_says ask(const asif_lp *lp, const by_columns *m, Clp_Simplex *model, int way,
                        asif_lp_point *p) {
    double most = 10000 + 50 * ((double)lp->rows + lp->columns);
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, TOLERANCE);
    Clp_setDualTolerance(model, TOLERANCE);
    Clp_setMaximumIterations(model, most < INT_MAX ? (int)most : INT_MAX);
    Clp_loadProblem(model, (int)lp->columns, (int)lp->rows, m->start, m->index, m->value, lp->low, lp->high,
                    lp->cost, lp->row_low, lp->row_high);
    run(model, way);
    int status = Clp_status(model);
    if (status == 0) {
        memcpy(p->x, Clp_getColSolution(model), lp->columns * sizeof *p->x);
        memcpy(p->dual, Clp_getRowPrice(model), lp->rows * sizeof *p->dual);
    }
    return status == 0                  ? ASIF_LP_SAYS_OPTIMAL
           : status == 1 || status == 2 ? ASIF_LP_SAYS_NONE
                                        : ASIF_LP_GAVE_UP;
}

bool asif_lp_available(void) {
    return true;
}

asif_status asif_lp_attempt(const asif_lp *lp, int way, asif_lp_point *p, asif_lp_says *says,
                            asif_error *error) {
    by_columns m = {0};
    if (lp->entries > INT_MAX || lp->rows > INT_MAX - 1 || lp->columns > INT_MAX - 1)
        return asif_fail(error, ASIF_ETOOBIG, "the linear programme has too many entries");
    asif_status status = turn(lp, &m, error);
    Clp_Simplex *model = status == ASIF_OK ? Clp_newModel() : NULL;
    if (status == ASIF_OK && !model)
        status = asif_fail_memory(error);
    if (model) {
        *says = ask(lp, &m, model, way, p);
        Clp_deleteModel(model);
    }
    void *const arrays[] = {m.start, m.length, m.index, m.value, m.at, m.order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(lp->context, arrays[i]);
    return status;
}

#else

bool asif_lp_available(void) {
    return false;
}

asif_status asif_lp_attempt(const asif_lp *lp, int way, asif_lp_point *p, asif_lp_says *says,
                            asif_error *error) {
    (void)lp, (void)way, (void)p;
    *says = ASIF_LP_GAVE_UP;
    return asif_fail(error, ASIF_EUNSUPPORTED, "this build of asif has no solver");
}

#endif
