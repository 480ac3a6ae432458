/* The tables of a model: which cells are free, and the matrices that they make. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

#define ROW_ERROR 1e-5   /* how far the sum of a fixed row may be from 1 */
#define MOST_CELLS 1e7   /* numbers of all tables, and of all matrices */
#define LEAST_LOG (-690) /* logarithm of a cell that is 0 */

/* ---- checks ---- */

static asif_status check_table(const asif_dynamics_spec *s, uint32_t i, uint32_t rows, uint32_t columns,
                               const char *what, asif_error *error) {
    if (i >= s->tables)
        return asif_fail(error, ASIF_EDOMAIN, "%s of the dynamics: there is no table %u", what, i);
    if (s->table[i].rows != rows || s->table[i].columns != columns)
        return asif_fail(error, ASIF_EDOMAIN,
                         "%s of the dynamics: table %u is %u by %u and should be %u by %u", what, i,
                         s->table[i].rows, s->table[i].columns, rows, columns);
    return ASIF_OK;
}

static asif_status check_codes(const asif_dynamics_spec *s, asif_error *error) {
    if (s->columns == 0 || (!s->classes != !s->code) || (!s->code && s->columns != 1))
        return asif_fail(error, ASIF_EDOMAIN, "the columns of the observations have no codes");
    for (uint64_t i = 0; s->code && i < (uint64_t)s->observations * s->columns; i++)
        if (s->code[i] >= s->classes[i % s->columns])
            return asif_fail(error, ASIF_EDOMAIN, "an observation has a class that its column lacks");
    return ASIF_OK;
}

static asif_status check_spec(const asif_dynamics_spec *s, asif_error *error) {
    if (!s->states || !s->actions || !s->observations || !s->starts)
        return asif_fail(error, ASIF_EDOMAIN,
                         "hidden dynamics need states, actions, observations and a start");
    double room = (double)s->actions * s->states * ((double)s->states + s->observations + 1);
    for (uint32_t i = 0; i < s->tables; i++)
        room += (double)s->table[i].rows * s->table[i].columns;
    if (room > MOST_CELLS)
        return asif_fail(error, ASIF_ETOOBIG, "hidden dynamics with %.3g probabilities are too large", room);
    ASIF_TRY(check_codes(s, error));
    ASIF_TRY(check_table(s, s->start, s->starts, s->states, "start", error));
    for (uint32_t u = 0; u < s->actions; u++) {
        ASIF_TRY(check_table(s, s->transitions[u], s->states, s->states, "transitions", error));
        for (uint32_t k = 0; k < s->columns; k++)
            ASIF_TRY(check_table(s, s->emissions[u * s->columns + k], s->states,
                                 s->classes ? s->classes[k] : s->observations, "emissions", error));
    }
    return ASIF_OK;
}

/* ---- the copy of a specification ---- */

typedef struct {
    char *at; /* NULL: only count */
    uint64_t bytes;
} packing;

/* Copy an array to the next free place, aligned; NULL if the array is NULL. */
static void *pack(packing *p, const void *array, uint64_t bytes) {
    if (!array)
        return NULL;
    char *to = p->at ? p->at + p->bytes : NULL;
    p->bytes += (bytes + 15) / 16 * 16;
    return to ? memcpy(to, array, (size_t)bytes) : NULL;
}

static void pack_spec(packing *p, const asif_dynamics_spec *s, asif_dynamics_spec *out) {
    *out = *s;
    asif_dynamics_table *table = pack(p, s->table, s->tables * sizeof *table);
    out->table = table;
    out->transitions = pack(p, s->transitions, s->actions * sizeof *s->transitions);
    out->emissions = pack(p, s->emissions, (uint64_t)s->actions * s->columns * sizeof *s->emissions);
    out->classes = pack(p, s->classes, s->columns * sizeof *s->classes);
    out->code = pack(p, s->code, (uint64_t)s->observations * s->columns * sizeof *s->code);
    for (uint32_t i = 0; i < s->tables; i++) {
        const asif_dynamics_table *t = &s->table[i];
        uint64_t cells = (uint64_t)t->rows * t->columns;
        asif_dynamics_table copy = *t;
        copy.name = pack(p, t->name, t->name ? strlen(t->name) + 1 : 0);
        copy.possible = pack(p, t->possible, cells * sizeof *t->possible);
        copy.fixed = pack(p, t->fixed, cells * sizeof *t->fixed);
        if (table)
            table[i] = copy;
    }
}

static asif_status copy_spec(asif_dynamics *d, const asif_dynamics_spec *spec, asif_error *error) {
    asif_dynamics_spec scratch;
    packing p = {NULL, 0};
    pack_spec(&p, spec, &scratch);
    d->memory = asif_alloc(d->context, p.bytes, 1);
    if (!d->memory)
        return asif_fail_memory(error);
    p = (packing){d->memory, 0};
    pack_spec(&p, spec, &d->spec);
    return ASIF_OK;
}

/* ---- cells ---- */

static asif_status fix_row(asif_dynamics *d, const asif_dynamics_table *t, uint64_t first, uint32_t r,
                           asif_error *error) {
    double sum = 0;
    for (uint32_t c = 0; c < t->columns; c++) {
        double p = t->fixed[(uint64_t)r * t->columns + c];
        if (!(p >= 0))
            return asif_fail(error, ASIF_EDOMAIN, "a fixed probability of the dynamics is not 0 or more");
        d->fixed[first + c] = p;
        d->possible[first + c] = p > 0;
        sum += p;
    }
    if (!(fabs(sum - 1) <= ROW_ERROR))
        return asif_fail(error, ASIF_EDOMAIN, "fixed probabilities of the dynamics sum to %g", sum);
    for (uint32_t c = 0; c < t->columns; c++)
        d->fixed[first + c] /= sum;
    return ASIF_OK;
}

static asif_status learn_row(asif_dynamics *d, const asif_dynamics_table *t, uint32_t table, uint64_t first,
                             uint32_t r, asif_error *error) {
    uint32_t possible = 0;
    for (uint32_t c = 0; c < t->columns; c++) {
        bool can = !t->possible || t->possible[(uint64_t)r * t->columns + c];
        d->possible[first + c] = can;
        d->fixed[first + c] = can;
        possible += can;
    }
    if (possible == 0)
        return asif_fail(error, ASIF_EDOMAIN, "a row of the dynamics has no possible cell");
    if (possible == 1)
        return ASIF_OK;
    for (uint32_t c = 0; c < t->columns; c++)
        d->learnt[first + c] = d->possible[first + c];
    d->row[d->rows++] = (asif_dynamics_row){first, table, r, t->columns, possible};
    d->free += possible - 1;
    return ASIF_OK;
}

static asif_status lay_cells(asif_dynamics *d, asif_error *error) {
    const asif_dynamics_spec *s = &d->spec;
    uint64_t rows = 0;
    d->first = ASIF_ARRAY(d->context, s->tables + 1, uint64_t);
    if (!d->first)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < s->tables; i++) {
        rows += s->table[i].rows;
        d->first[i + 1] = d->first[i] + (uint64_t)s->table[i].rows * s->table[i].columns;
    }
    d->cells = d->first[s->tables];
    d->possible = ASIF_ARRAY(d->context, d->cells, bool);
    d->learnt = ASIF_ARRAY(d->context, d->cells, bool);
    d->fixed = ASIF_ARRAY(d->context, d->cells, double);
    d->row = ASIF_ARRAY(d->context, rows, asif_dynamics_row);
    if (!d->possible || !d->learnt || !d->fixed || !d->row)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < s->tables; i++) {
        const asif_dynamics_table *t = &s->table[i];
        for (uint32_t r = 0; r < t->rows; r++) {
            uint64_t first = d->first[i] + (uint64_t)r * t->columns;
            bool known = t->fixed && !isnan(t->fixed[(uint64_t)r * t->columns]);
            ASIF_TRY(known ? fix_row(d, t, first, r, error) : learn_row(d, t, i, first, r, error));
        }
    }
    return ASIF_OK;
}

/* ---- symmetry ---- */

/* Whether what is known of the cells stays as it is under a permutation of the states. */
static bool same_under(const asif_dynamics *d, const uint32_t *order, double *known, double *permuted) {
    for (uint64_t i = 0; i < d->cells; i++)
        known[i] = d->learnt[i] ? -1 : d->fixed[i];
    asif_dynamics_permute(d, known, order, permuted);
    return memcmp(known, permuted, d->cells * sizeof *known) == 0;
}

/* All permutations are products of an exchange of the first two and a rotation. */
static asif_status find_symmetry(asif_dynamics *d, asif_error *error) {
    uint32_t S = d->spec.states;
    double *known = ASIF_ARRAY(d->context, 2 * d->cells, double);
    uint32_t *order = ASIF_ARRAY(d->context, S, uint32_t);
    bool memory = known && order;
    if (memory) {
        for (uint32_t s = 0; s < S; s++)
            order[s] = (s + 1) % S;
        d->symmetric = same_under(d, order, known, known + d->cells);
        for (uint32_t s = 0; s < S; s++)
            order[s] = S > 1 && s < 2 ? 1 - s : s;
        d->symmetric = d->symmetric && same_under(d, order, known, known + d->cells);
    }
    asif_free(d->context, known);
    asif_free(d->context, order);
    return memory ? ASIF_OK : asif_fail_memory(error);
}

/* ---- making and asking ---- */

static asif_status check_labels(const asif_dynamics *d, const asif_tree *tree, asif_error *error) {
    asif_tree_view t = {.struct_size = sizeof t};
    ASIF_TRY(asif_tree_get(tree, &t, error));
    if (!t.states_seen && (t.actions != d->spec.actions || t.observations != d->spec.observations ||
                           t.starts != d->spec.starts))
        return asif_fail(error, ASIF_EINVALID, "the logs have other labels than the dynamics");
    return ASIF_OK;
}

static asif_status make(asif_dynamics *d, const asif_dynamics_spec *spec, const asif_tree *tree,
                        asif_error *error) {
    ASIF_TRY(check_spec(spec, error));
    ASIF_TRY(copy_spec(d, spec, error));
    ASIF_TRY(lay_cells(d, error));
    ASIF_TRY(find_symmetry(d, error));
    ASIF_TRY(check_labels(d, tree, error));
    return asif_histories_create(&d->data, d->context, tree, error);
}

asif_status asif_dynamics_create(asif_dynamics **out, const asif_context *context,
                                 const asif_dynamics_spec *spec, const asif_tree *tree, asif_error *error) {
    *out = NULL;
    if (!spec || spec->struct_size == 0 || spec->struct_size > sizeof *spec)
        return asif_fail(error, ASIF_EDOMAIN, "the specification of the dynamics has an unknown size");
    asif_dynamics_spec filled = ASIF_DYNAMICS_SPEC_INIT;
    memcpy(&filled, spec, spec->struct_size);
    asif_dynamics *d = ASIF_NEW(context, asif_dynamics);
    if (!d)
        return asif_fail_memory(error);
    d->context = context;
    asif_status status = make(d, &filled, tree, error);
    if (status == ASIF_OK)
        *out = d;
    else
        asif_dynamics_free(d);
    return status;
}

void asif_dynamics_free(asif_dynamics *d) {
    if (!d)
        return;
    asif_histories_free(&d->data, d->context);
    void *const arrays[] = {d->first, d->possible, d->fixed, d->learnt, d->row, d->memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(d->context, arrays[i]);
    asif_free(d->context, d);
}

const asif_dynamics_spec *asif_dynamics_get(const asif_dynamics *d) {
    return &d->spec;
}

uint64_t asif_dynamics_cells(const asif_dynamics *d) {
    return d->cells;
}

uint64_t asif_dynamics_first(const asif_dynamics *d, uint32_t table) {
    return d->first[table < d->spec.tables ? table : d->spec.tables];
}

uint32_t asif_dynamics_free_numbers(const asif_dynamics *d) {
    return d->free;
}

uint64_t asif_dynamics_histories(const asif_dynamics *d) {
    return d->data.nodes;
}

/* ---- matrices ---- */

uint64_t asif_dynamics_matrix_room(const asif_dynamics *d) {
    const asif_dynamics_spec *s = &d->spec;
    return (uint64_t)s->starts * s->states +
           (uint64_t)s->actions * s->states * ((uint64_t)s->states + s->observations + 1);
}

void asif_dynamics_lay_out(asif_dynamics_matrices *out, const asif_dynamics *d, double *room) {
    const asif_dynamics_spec *s = &d->spec;
    out->start = room;
    out->move = out->start + (uint64_t)s->starts * s->states;
    out->emit = out->move + (uint64_t)s->actions * s->states * s->states;
}

static uint32_t class_of(const asif_dynamics_spec *s, uint32_t x, uint32_t k) {
    return s->code ? s->code[(uint64_t)x * s->columns + k] : x;
}

void asif_dynamics_build(const asif_dynamics *d, const double *point, const asif_dynamics_matrices *out) {
    const asif_dynamics_spec *s = &d->spec;
    uint64_t S = s->states;
    memcpy(out->start, point + d->first[s->start], s->starts * S * sizeof *point);
    for (uint32_t u = 0; u < s->actions; u++) {
        memcpy(out->move + u * S * S, point + d->first[s->transitions[u]], S * S * sizeof *point);
        double *row = out->emit + (uint64_t)u * (s->observations + 1) * S;
        for (uint64_t i = 0; i < (s->observations + 1) * S; i++)
            row[i] = 1;
        for (uint32_t k = 0; k < s->columns; k++) {
            uint32_t t = s->emissions[u * s->columns + k];
            const double *table = point + d->first[t];
            for (uint32_t x = 0; x < s->observations; x++)
                for (uint64_t i = 0; i < S; i++)
                    row[x * S + i] *= table[i * s->table[t].columns + class_of(s, x, k)];
        }
    }
}

void asif_dynamics_collect(const asif_dynamics *d, const asif_dynamics_matrices *in, double *cell) {
    const asif_dynamics_spec *s = &d->spec;
    uint64_t S = s->states;
    memset(cell, 0, d->cells * sizeof *cell);
    for (uint64_t i = 0; i < s->starts * S; i++)
        cell[d->first[s->start] + i] += in->start[i];
    for (uint32_t u = 0; u < s->actions; u++) {
        for (uint64_t i = 0; i < S * S; i++)
            cell[d->first[s->transitions[u]] + i] += in->move[u * S * S + i];
        const double *row = in->emit + (uint64_t)u * (s->observations + 1) * S;
        for (uint32_t k = 0; k < s->columns; k++) {
            uint32_t t = s->emissions[u * s->columns + k];
            for (uint32_t x = 0; x < s->observations; x++)
                for (uint64_t i = 0; i < S; i++)
                    cell[d->first[t] + i * s->table[t].columns + class_of(s, x, k)] += row[x * S + i];
        }
    }
}

/* ---- points ---- */

void asif_dynamics_normalise(const asif_dynamics *d, double *point) {
    for (uint64_t i = 0; i < d->cells; i++)
        if (!d->learnt[i])
            point[i] = d->fixed[i];
    for (uint32_t r = 0; r < d->rows; r++) {
        const asif_dynamics_row *row = &d->row[r];
        double sum = 0, *p = point + row->first;
        for (uint32_t c = 0; c < row->columns; c++)
            sum += p[c];
        for (uint32_t c = 0; c < row->columns; c++)
            p[c] = sum > 0 ? p[c] / sum : d->possible[row->first + c] ? 1.0 / row->possible : 0;
    }
}

double asif_dynamics_log_prior(const asif_dynamics *d, const double *point, double prior) {
    double sum = 0;
    for (uint64_t i = 0; prior != 0 && i < d->cells; i++)
        if (d->learnt[i])
            sum += point[i] > 0 ? log(point[i]) : LEAST_LOG;
    return prior * sum;
}

/* ---- logits ---- */

void asif_dynamics_references(const asif_dynamics *d, const double *point, uint64_t *reference) {
    for (uint32_t r = 0; r < d->rows; r++) {
        uint64_t best = d->row[r].first;
        for (uint64_t i = best; i < d->row[r].first + d->row[r].columns; i++)
            if (d->learnt[i] && (!d->learnt[best] || point[i] > point[best]))
                best = i;
        reference[r] = best;
    }
}

static double log_of(double p) {
    return p > 0 ? fmax(log(p), LEAST_LOG) : LEAST_LOG;
}

void asif_dynamics_to_logits(const asif_dynamics *d, const uint64_t *reference, const double *point,
                             double *logit) {
    for (uint32_t r = 0; r < d->rows; r++)
        for (uint64_t i = d->row[r].first; i < d->row[r].first + d->row[r].columns; i++)
            if (d->learnt[i] && i != reference[r])
                *logit++ = log_of(point[i]) - log_of(point[reference[r]]);
}

void asif_dynamics_from_logits(const asif_dynamics *d, const uint64_t *reference, const double *logit,
                               double *point) {
    memcpy(point, d->fixed, d->cells * sizeof *point);
    for (uint32_t r = 0; r < d->rows; r++) {
        uint64_t first = d->row[r].first, end = first + d->row[r].columns;
        double largest = 0, sum = 0;
        const double *from = logit;
        for (uint64_t i = first; i < end; i++)
            if (d->learnt[i] && i != reference[r])
                largest = fmax(largest, *logit++);
        for (uint64_t i = first; i < end; i++) {
            point[i] = !d->learnt[i] ? 0 : exp((i == reference[r] ? 0 : *from++) - largest);
            sum += point[i];
        }
        for (uint64_t i = first; i < end; i++)
            point[i] /= sum;
    }
}

void asif_dynamics_logit_gradient(const asif_dynamics *d, const uint64_t *reference, const double *point,
                                  const double *cell, double *gradient) {
    for (uint32_t r = 0; r < d->rows; r++) {
        uint64_t first = d->row[r].first, end = first + d->row[r].columns;
        double sum = 0;
        for (uint64_t i = first; i < end; i++)
            sum += d->learnt[i] ? cell[i] : 0;
        for (uint64_t i = first; i < end; i++)
            if (d->learnt[i] && i != reference[r])
                *gradient++ = cell[i] - point[i] * sum;
    }
}

void asif_dynamics_logit_scale(const asif_dynamics *d, const uint64_t *reference, const double *point,
                               const double *count, double prior, double *scale) {
    for (uint32_t r = 0; r < d->rows; r++) {
        uint64_t first = d->row[r].first, end = first + d->row[r].columns;
        double sum = 0;
        for (uint64_t i = first; i < end; i++)
            sum += d->learnt[i] ? count[i] + prior : 0;
        for (uint64_t i = first; i < end; i++)
            if (d->learnt[i] && i != reference[r])
                *scale++ = 1 / sqrt(fmax(sum * point[i] * (1 - point[i]), 1));
    }
}
