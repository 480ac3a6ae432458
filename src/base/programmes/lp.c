/* Builds linear programmes, and solves them with checks of every answer. */
#include "base/error.h"
#include "base/memory.h"
#include "base/programmes/lp_inside.h"

#include <math.h>
#include <string.h>

#define GOOD 1e-8     /* the largest error of bounds and duality gap in a good answer */
#define ACCEPTED 1e-7 /* the largest error accepted if no attempt is better */

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

/* ---- solving ---- */

static void free_point(const asif_lp *lp, asif_lp_point *p) {
    double *const arrays[] = {p->x, p->reduced, p->dual, p->row};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(lp->context, arrays[i]);
}

static asif_status make_point(const asif_lp *lp, asif_lp_point *p, asif_error *error) {
    *p = (asif_lp_point){.x = ASIF_ARRAY(lp->context, lp->columns, double),
                         .reduced = ASIF_ARRAY(lp->context, lp->columns, double),
                         .dual = ASIF_ARRAY(lp->context, lp->rows, double),
                         .row = ASIF_ARRAY(lp->context, lp->rows, double)};
    if (p->x && p->reduced && p->dual && p->row)
        return ASIF_OK;
    free_point(lp, p);
    return asif_fail_memory(error);
}

static void keep(asif_lp *lp, asif_lp_point *p) {
    double **const mine[] = {&lp->x, &lp->dual, &lp->reduced}, **const its[] = {&p->x, &p->dual, &p->reduced};
    for (int i = 0; i < 3; i++) {
        double *other = *mine[i];
        *mine[i] = *its[i];
        *its[i] = other;
    }
    lp->objective = 0;
    for (uint32_t k = 0; k < lp->columns; k++)
        lp->objective += lp->cost[k] * lp->x[k];
}

static asif_status make_answer(asif_lp *lp, asif_error *error) {
    drop_answer(lp);
    lp->x = ASIF_ARRAY(lp->context, lp->columns, double);
    lp->dual = ASIF_ARRAY(lp->context, lp->rows, double);
    lp->reduced = ASIF_ARRAY(lp->context, lp->columns, double);
    return lp->x && lp->dual && lp->reduced ? ASIF_OK : asif_fail_memory(error);
}

/* Solves an auxiliary programme. These always have an optimum, so only the numerical solution can fail. */
static asif_status solve_auxiliary(asif_lp *lp, bool *solved, asif_error *error) {
    asif_lp_point p;
    double best = (double)INFINITY;
    *solved = false;
    if (lp->failed)
        return asif_fail_memory(error);
    ASIF_TRY(make_answer(lp, error));
    ASIF_TRY(make_point(lp, &p, error));
    asif_status status = ASIF_OK;
    for (int way = 0; status == ASIF_OK && way < ASIF_LP_WAYS && best > GOOD; way++) {
        asif_lp_says says;
        status = asif_lp_attempt(lp, way, &p, &says, error);
        double miss =
            status == ASIF_OK && says == ASIF_LP_SAYS_OPTIMAL ? asif_lp_miss(lp, &p) : (double)INFINITY;
        if (miss < best) {
            best = miss;
            keep(lp, &p);
        }
    }
    free_point(lp, &p);
    *solved = best <= ACCEPTED;
    return status;
}

/* Writes the programme that minimises the total violation of the rows. Its minimum is 0 if there is a
 * feasible point; otherwise its duals are a certificate that there is none. */
static void write_elastic(const asif_lp *lp, asif_lp *out) {
    asif_lp_begin(out, lp->context);
    for (uint32_t k = 0; k < lp->columns; k++)
        asif_lp_column(out, 0, lp->low[k], lp->high[k]);
    for (uint32_t r = 0; r < lp->rows; r++)
        asif_lp_row(out, lp->row_low[r], lp->row_high[r]);
    for (uint64_t i = 0; i < lp->entries; i++)
        asif_lp_entry(out, lp->entry[i].row, lp->entry[i].column, lp->entry[i].value);
    for (uint32_t r = 0; r < lp->rows; r++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (isfinite(sign > 0 ? lp->row_low[r] : lp->row_high[r]))
                asif_lp_entry(out, r, asif_lp_column(out, 1, 0, (double)INFINITY), sign);
}

static double cone_low(double low) {
    return isfinite(low) ? 0 : -1;
}

/* Writes the programme of the steepest descent among directions of size at most 1 that no bound limits. */
static void write_cone(const asif_lp *lp, asif_lp *out) {
    const double infinity = (double)INFINITY;
    asif_lp_begin(out, lp->context);
    for (uint32_t k = 0; k < lp->columns; k++)
        asif_lp_column(out, lp->cost[k], cone_low(lp->low[k]), -cone_low(lp->high[k]));
    for (uint32_t r = 0; r < lp->rows; r++)
        asif_lp_row(out, isfinite(lp->row_low[r]) ? 0 : -infinity, isfinite(lp->row_high[r]) ? 0 : infinity);
    for (uint64_t i = 0; i < lp->entries; i++)
        asif_lp_entry(out, lp->entry[i].row, lp->entry[i].column, lp->entry[i].value);
}

typedef void writer(const asif_lp *lp, asif_lp *out);
typedef bool judge(const asif_lp *lp, asif_lp_point *point);

static bool has_point(const asif_lp *lp, asif_lp_point *p) {
    return asif_lp_inside(lp, p, ACCEPTED);
}

/* Solves one auxiliary programme and lets each of `judges` check its answer; shown[i] is true if judge
 * i accepts. */
static asif_status ask(const asif_lp *lp, writer *write, judge *const judges[2], bool shown[2],
                       asif_error *error) {
    asif_lp other;
    asif_lp_point p = {0};
    bool solved = false;
    write(lp, &other);
    asif_status status = solve_auxiliary(&other, &solved, error);
    for (int i = 0; status == ASIF_OK && solved && i < 2 && judges[i]; i++) {
        status = make_point(lp, &p, error);
        if (status != ASIF_OK)
            break;
        memcpy(p.x, other.x, lp->columns * sizeof *p.x);
        memcpy(p.dual, other.dual, lp->rows * sizeof *p.dual);
        shown[i] = judges[i](lp, &p);
        free_point(lp, &p);
    }
    asif_lp_free(&other);
    return status;
}

/* Proves the programme infeasible, by a contradiction, or unbounded, by a feasible point and a direction of
 * endless descent. */
static asif_status prove(asif_lp *lp, bool *proven, asif_error *error) {
    judge *const of_elastic[] = {asif_lp_contradicts, has_point}, *const of_cone[] = {asif_lp_escapes, NULL};
    bool infeasible[2] = {false, false}, unbounded[2] = {false, false};
    ASIF_TRY(ask(lp, write_elastic, of_elastic, infeasible, error));
    if (!infeasible[0] && infeasible[1])
        ASIF_TRY(ask(lp, write_cone, of_cone, unbounded, error));
    *proven = infeasible[0] || unbounded[0];
    lp->outcome = infeasible[0] ? ASIF_LP_INFEASIBLE : ASIF_LP_UNBOUNDED;
    return ASIF_OK;
}

static asif_status solve(asif_lp *lp, asif_lp_point *p, asif_error *error) {
    double best = (double)INFINITY;
    bool asked = false, proven = false;
    for (int way = 0; way < ASIF_LP_WAYS && best > GOOD && !proven; way++) {
        asif_lp_says says;
        ASIF_TRY(asif_lp_attempt(lp, way, p, &says, error));
        double miss = says == ASIF_LP_SAYS_OPTIMAL ? asif_lp_miss(lp, p) : (double)INFINITY;
        if (miss < best) {
            best = miss;
            keep(lp, p);
        }
        if (says == ASIF_LP_SAYS_NONE && isinf(best) && !asked) {
            asked = true;
            ASIF_TRY(prove(lp, &proven, error));
        }
    }
    if (proven) {
        lp->objective = (double)NAN;
        return ASIF_OK;
    }
    lp->outcome = ASIF_LP_OPTIMAL;
    if (best <= ACCEPTED)
        return ASIF_OK;
    asif_fail(error, ASIF_EDOMAIN,
              "a linear programme of %u rows and %u columns was neither solved nor shown to have no answer",
              lp->rows, lp->columns);
    asif_error_hint(error, "it is numerically difficult: are there utilities of very different sizes, or a "
                           "discount very near 1?");
    return ASIF_EDOMAIN;
}

static bool in_wrong_order(const double *low, const double *high, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (low[i] > high[i])
            return true;
    return false;
}

static bool has_nan(const double *x, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

/* Whether costs and entries are finite and no bound is NaN. */
static bool is_number(const asif_lp *lp) {
    for (uint64_t i = 0; i < lp->entries; i++)
        if (!isfinite(lp->entry[i].value))
            return false;
    for (uint32_t k = 0; k < lp->columns; k++)
        if (!isfinite(lp->cost[k]))
            return false;
    return !has_nan(lp->low, lp->columns) && !has_nan(lp->high, lp->columns) &&
           !has_nan(lp->row_low, lp->rows) && !has_nan(lp->row_high, lp->rows);
}

asif_status asif_lp_solve(asif_lp *lp, asif_error *error) {
    if (lp->failed)
        return asif_fail_memory(error);
    if (!asif_lp_available()) {
        drop_answer(lp);
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "this build of asif solves no linear programmes: it was made without Clp");
        asif_error_hint(error,
                        "install COIN-OR Clp (Debian, Ubuntu: coinor-libclp-dev) and build asif again");
        return ASIF_EUNSUPPORTED;
    }
    if (!is_number(lp))
        return asif_fail(error, ASIF_EDOMAIN, "a linear programme has an entry that is not a number");
    ASIF_TRY(make_answer(lp, error));
    if (in_wrong_order(lp->low, lp->high, lp->columns) ||
        in_wrong_order(lp->row_low, lp->row_high, lp->rows)) {
        lp->outcome = ASIF_LP_INFEASIBLE;
        lp->objective = (double)NAN;
        return ASIF_OK;
    }
    asif_lp_point point;
    ASIF_TRY(make_point(lp, &point, error));
    asif_status status = solve(lp, &point, error);
    free_point(lp, &point);
    return status;
}
