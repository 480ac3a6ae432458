#include "base/lp.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#ifdef ASIF_HAVE_CLP
#include <Clp_C_Interface.h>
#endif

#define TOLERANCE 1e-9 /* of the bounds, and of the reduced costs */
#define GOOD 1e-8      /* what may be left of both */
#define ACCEPTED 1e-6  /* if need be */

void asif_lp_begin(asif_lp *lp, const asif_context *context) {
    *lp = (asif_lp){.context = context};
}

static void drop_answer(asif_lp *lp) {
    double **const arrays[] = {&lp->x, &lp->dual, &lp->reduced};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        asif_free(lp->context, *arrays[i]);
        *arrays[i] = NULL;
    }
}

void asif_lp_free(asif_lp *lp) {
    void *const arrays[] = {lp->cost, lp->low, lp->high, lp->row_low, lp->row_high, lp->entry};
    drop_answer(lp);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(lp->context, arrays[i]);
    *lp = (asif_lp){0};
}

static bool add(asif_lp *lp, double **array, uint64_t count, uint64_t *room, double value) {
    if (lp->failed || !asif_grow(lp->context, array, count, room, sizeof **array)) {
        lp->failed = true;
        return false;
    }
    (*array)[count] = value;
    return true;
}

uint32_t asif_lp_column(asif_lp *lp, double cost, double low, double high) {
    if (add(lp, &lp->cost, lp->columns, &lp->cost_room, cost) &&
        add(lp, &lp->low, lp->columns, &lp->low_room, low) &&
        add(lp, &lp->high, lp->columns, &lp->high_room, high))
        return lp->columns++;
    return 0;
}

uint32_t asif_lp_row(asif_lp *lp, double low, double high) {
    if (add(lp, &lp->row_low, lp->rows, &lp->row_low_room, low) &&
        add(lp, &lp->row_high, lp->rows, &lp->row_high_room, high))
        return lp->rows++;
    return 0;
}

void asif_lp_entry(asif_lp *lp, uint32_t row, uint32_t column, double value) {
    if (lp->failed || value == 0)
        return;
    if (asif_grow(lp->context, &lp->entry, lp->entries, &lp->entry_room, sizeof *lp->entry))
        lp->entry[lp->entries++] = (struct asif_lp_entry){row, column, value};
    else
        lp->failed = true;
}

#ifdef ASIF_HAVE_CLP

/* By columns, as Clp wants it; entries in the same place are one. */
typedef struct {
    int *start, *length, *index;
    double *value;
    uint64_t *at, *order; /* entries by rows */
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
    int kept = 0; /* without gaps */
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

/* How far a number and its price are from what optimality asks for: within its bounds, and at one where it has a price. */
static double miss(double at, double low, double high, double price) {
    double below = low - at, above = at - high, size = 1 + fabs(at);
    double slack = price > 0 ? -below : -above; /* that the price pushes against */
    double free = fmin(fabs(price), slack > 0 ? slack : 0);
    return fmax(fmax(below, above) / size, free / size);
}

static double worst_miss(const asif_lp *lp, Clp_Simplex *model) {
    const double *x = Clp_getColSolution(model), *reduced = Clp_getReducedCost(model);
    const double *row = Clp_getRowActivity(model), *price = Clp_getRowPrice(model);
    double worst = 0;
    for (uint32_t k = 0; k < lp->columns; k++)
        worst = fmax(worst, miss(x[k], lp->low[k], lp->high[k], reduced[k]));
    for (uint32_t r = 0; r < lp->rows; r++)
        worst = fmax(worst, miss(row[r], lp->row_low[r], lp->row_high[r], price[r]));
    return worst;
}

static void keep(asif_lp *lp, Clp_Simplex *model) {
    memcpy(lp->x, Clp_getColSolution(model), lp->columns * sizeof *lp->x);
    memcpy(lp->dual, Clp_getRowPrice(model), lp->rows * sizeof *lp->dual);
    memcpy(lp->reduced, Clp_getReducedCost(model), lp->columns * sizeof *lp->reduced);
    lp->objective = Clp_objectiveValue(model);
}

/* With presolve and scaling, which is best as a rule; where that ends in scaled numbers only, or not at all, without them. */
static int attempt(const asif_lp *lp, const by_columns *m, Clp_Simplex *model, int way) {
    static int (*const plain[])(Clp_Simplex *, int) = {Clp_dual, Clp_primal};
    double most = 10000 + 50 * ((double)lp->rows + lp->columns);
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, TOLERANCE);
    Clp_setDualTolerance(model, TOLERANCE);
    Clp_setMaximumIterations(model, most < INT_MAX ? (int)most : INT_MAX);
    Clp_loadProblem(model, (int)lp->columns, (int)lp->rows, m->start, m->index, m->value, lp->low, lp->high,
                    lp->cost, lp->row_low, lp->row_high);
    if (way == 0) {
        Clp_initialSolve(model);
    } else {
        Clp_scaling(model, 0);
        plain[way - 1](model, 0);
    }
    return Clp_status(model);
}

static asif_status run(asif_lp *lp, const by_columns *m, asif_error *error) {
    double best = (double)INFINITY;
    bool infeasible = false, unbounded = false;
    for (int way = 0; way < 3 && best > GOOD && !infeasible && !unbounded; way++) {
        Clp_Simplex *model = Clp_newModel();
        if (!model)
            return asif_fail_memory(error);
        int status = attempt(lp, m, model, way);
        double missed = status == 0 ? worst_miss(lp, model) : (double)INFINITY;
        if (missed < best) {
            best = missed;
            keep(lp, model);
        }
        infeasible = status == 1 && isinf(best);
        unbounded = status == 2 && isinf(best);
        Clp_deleteModel(model);
    }
    lp->outcome = infeasible ? ASIF_LP_INFEASIBLE : unbounded ? ASIF_LP_UNBOUNDED : ASIF_LP_OPTIMAL;
    if (infeasible || unbounded)
        lp->objective = (double)NAN;
    else if (best > ACCEPTED)
        return asif_fail(
            error, ASIF_EDOMAIN,
            "a linear programme (%u rows, %u columns) was not solved: it is numerically difficult", lp->rows,
            lp->columns);
    return ASIF_OK;
}

bool asif_lp_available(void) {
    return true;
}

asif_status asif_lp_solve(asif_lp *lp, asif_error *error) {
    by_columns m = {0};
    if (lp->failed)
        return asif_fail_memory(error);
    if (lp->entries > INT_MAX || lp->rows > INT_MAX - 1 || lp->columns > INT_MAX - 1)
        return asif_fail(error, ASIF_ETOOBIG, "the linear programme has too many entries");
    drop_answer(lp);
    lp->x = ASIF_ARRAY(lp->context, lp->columns, double);
    lp->dual = ASIF_ARRAY(lp->context, lp->rows, double);
    lp->reduced = ASIF_ARRAY(lp->context, lp->columns, double);
    asif_status status = lp->x && lp->dual && lp->reduced ? turn(lp, &m, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = run(lp, &m, error);
    void *const arrays[] = {m.start, m.length, m.index, m.value, m.at, m.order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(lp->context, arrays[i]);
    return status;
}

#else

bool asif_lp_available(void) {
    return false;
}

asif_status asif_lp_solve(asif_lp *lp, asif_error *error) {
    if (lp->failed)
        return asif_fail_memory(error);
    drop_answer(lp);
    asif_fail(error, ASIF_EUNSUPPORTED,
              "this build of asif solves no linear programmes: it was made without Clp");
    asif_error_hint(error, "install COIN-OR Clp (Debian, Ubuntu: coinor-libclp-dev) and build asif again");
    return ASIF_EUNSUPPORTED;
}

#endif
