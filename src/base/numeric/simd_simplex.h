/* Cells of the lattice of beliefs (engine/lattice.h) around vectors of points, and interpolation in them.
 * Only kernels include this file. The arithmetic is that of asif_lattice_locate(), in its order. */
#ifndef ASIF_SRC_BASE_NUMERIC_SIMD_SIMPLEX_H
#define ASIF_SRC_BASE_NUMERIC_SIMD_SIMPLEX_H

#include "base/numeric/simd.h"
#include "base/numeric/simd_vector.h"

/* Functions with a constant number of coordinates are inlined, so that the compiler unrolls their loops. */
#if defined __GNUC__
#define UNROLLED static inline __attribute__((always_inline))
#else
#define UNROLLED static inline
#endif

enum { MOST_AXES = ASIF_MOST_RECOGNISED - 1 };

/* A cell for each lane. After sort_cell() the fractions fall; `step` and `axis` go with them. */
typedef struct {
    vector at;              /* number of the lowest vertex */
    vector base[MOST_AXES]; /* coordinates of the lowest vertex */
    vector part[MOST_AXES]; /* fraction of the cell along an axis */
    vector step[MOST_AXES]; /* what one interval along the axis adds to the number of a vertex */
    vector axis[MOST_AXES];
} simplex_cell;

UNROLLED vector nearest_whole(vector x) {
    return sub(add(x, all(0x1p52)), all(0x1p52));
}

UNROLLED vector distance_of(vector x, vector y) {
    return most(sub(x, y), sub(y, x));
}

/* The cell of the beliefs emission[t] ahead[t] / p, of which the first `here` count. */
UNROLLED void find_cell(simplex_cell *c, uint32_t d, double n, const double *emission, const double *ahead,
                        uint64_t stride, vector p, uint32_t here) {
    vector sum = all(0.0), above = all(n);
    for (uint32_t i = d; i > 0; i--) {
        sum = add(sum, over(mul(all(emission[i]), load_some(ahead + i * stride, here)), p));
        c->part[i - 1] = mul(all(n), sum);
    }
    c->at = all(0.0);
    for (uint32_t i = 0; i < d; i++) {
        vector x = c->part[i], whole = nearest_whole(x);
        x = choose(greater(all(1e-11 * n), distance_of(x, whole)), whole, x);
        x = above = least(most(x, all(0.0)), above);
        whole = nearest_whole(x);
        c->base[i] = choose(greater(whole, x), sub(whole, all(1.0)), whole);
        c->part[i] = sub(x, c->base[i]);
        c->axis[i] = all((double)i);
        /* binomial coefficients, exact because every factor makes a whole number */
        vector step = all(1.0);
        for (uint32_t m = 1; m < d - i; m++)
            step = nearest_whole(mul(mul(step, add(c->base[i], all((double)m))), all(1.0 / m)));
        c->step[i] = step;
        c->at = add(c->at, nearest_whole(mul(mul(step, c->base[i]), all(1.0 / (d - i)))));
    }
}

UNROLLED void exchange(vector *x, vector *y, choice c) {
    vector first = choose(c, *y, *x);
    *y = choose(c, *x, *y);
    *x = first;
}

/* Equal fractions keep the order of their axes. */
UNROLLED void sort_cell(simplex_cell *c, uint32_t d) {
    for (uint32_t i = 1; i < d; i++)
        for (uint32_t j = i; j > 0; j--) {
            choice later = greater(c->part[j], c->part[j - 1]);
            exchange(&c->part[j - 1], &c->part[j], later);
            exchange(&c->step[j - 1], &c->step[j], later);
            exchange(&c->axis[j - 1], &c->axis[j], later);
        }
}

/* Goes on to the next vertex; `at` is the number of the kth. */
UNROLLED vector next_vertex(const simplex_cell *c, uint32_t k, vector at) {
    return choose(greater(c->part[k], all(0.0)), add(at, c->step[k]), at);
}

/* table[vertex * lanes + place % lanes] for the points from `place` on. */
UNROLLED vector value_at(const double *table, uint32_t lanes, vector vertex, uint64_t place) {
    double number[LANES];
    uint64_t index[LANES];
    store(number, vertex);
    for (uint32_t j = 0; j < LANES; j++)
        index[j] = (uint64_t)(int64_t)number[j] * lanes + (lanes == 1 ? 0 : place % lanes + j);
    return pick(table, index);
}

UNROLLED void interpolate_states(double *out, const double *table, uint32_t lanes, uint32_t states,
                                 uint32_t intervals, const double *emission, const double *ahead,
                                 uint64_t stride, const double *p, uint64_t n) {
    uint32_t d = states - 1;
    for (uint64_t i = 0; i < n; i += LANES) {
        uint32_t here = n - i < LANES ? (uint32_t)(n - i) : LANES;
        simplex_cell c;
        vector of = load_some(p + i, here), before = all(1.0), sum = all(0.0);
        choice there = greater(of, all(0.0));
        find_cell(&c, d, intervals, emission, ahead + i, stride, choose(there, of, all(1.0)), here);
        sort_cell(&c, d);
        for (uint32_t k = 0; k <= d; k++) {
            vector next = k < d ? c.part[k] : all(0.0);
            sum = add(sum, mul(sub(before, next), value_at(table, lanes, c.at, i)));
            before = next;
            if (k < d)
                c.at = next_vertex(&c, k, c.at);
        }
        store_some(out + i, choose(there, sum, all(0.0)), here);
    }
}

static void interpolate_simplex(double *out, const double *table, uint32_t lanes, uint32_t states,
                                uint32_t intervals, const double *emission, const double *ahead,
                                uint64_t stride, const double *p, uint64_t n) {
    if (states == 3)
        interpolate_states(out, table, lanes, 3, intervals, emission, ahead, stride, p, n);
    else if (states == 4)
        interpolate_states(out, table, lanes, 4, intervals, emission, ahead, stride, p, n);
    else
        interpolate_states(out, table, lanes, states, intervals, emission, ahead, stride, p, n);
}

UNROLLED void put_numbers(uint32_t *out, vector x, uint32_t n) {
    double number[LANES];
    store(number, x);
    for (uint32_t j = 0; j < n; j++)
        out[j] = (uint32_t)(int32_t)number[j];
}

/* The values at the corners of the simplex of the function that is linear in the cell. `rise[k]` is how much
 * it rises along the axis that comes kth. */
UNROLLED void put_corners(double *corner, const simplex_cell *c, uint32_t d, double n, vector lowest,
                          const vector *rise, uint32_t here) {
    vector along[MOST_AXES], value = lowest;
    for (uint32_t i = 0; i < d; i++) {
        along[i] = all(0.0);
        for (uint32_t k = 0; k < d; k++)
            along[i] = choose(greater(all(0.5), distance_of(c->axis[k], all((double)i))), rise[k], along[i]);
        value = sub(value, mul(along[i], c->base[i]));
    }
    store_some(corner, value, here);
    for (uint32_t s = 1; s <= d; s++) {
        value = add(value, mul(all(n), along[s - 1]));
        store_some(corner + (uint64_t)s * ASIF_BLOCK, value, here);
    }
}

/* How far a point is from the nearest face of its cell, in fractions of the cell. */
UNROLLED vector depth_in(const simplex_cell *c, uint32_t d) {
    vector depth = c->part[d - 1];
    for (uint32_t k = 1; k < d; k++)
        depth = least(sub(c->part[k - 1], c->part[k]), depth);
    return depth;
}

UNROLLED void locate_states(const asif_simplex_cells *out, const double *table, uint32_t states,
                            uint32_t intervals, const double *emission, const double *ahead, uint64_t stride,
                            const double *p, uint32_t n) {
    uint32_t d = states - 1;
    for (uint32_t i = 0; i < n; i += LANES) {
        uint32_t here = n - i < LANES ? n - i : LANES;
        simplex_cell c;
        vector of = load_some(p + i, here), before = all(1.0), sum = all(0.0), lowest = all(0.0),
               last = all(0.0), rise[MOST_AXES];
        find_cell(&c, d, intervals, emission, ahead + i, stride, choose(greater(of, all(0.0)), of, all(1.0)),
                  here);
        sort_cell(&c, d);
        for (uint32_t k = 0; k <= d; k++) {
            vector next = k < d ? c.part[k] : all(0.0), value = value_at(table, 1, c.at, 0);
            put_numbers(out->node + (uint64_t)k * ASIF_BLOCK + i, c.at, here);
            store_some(out->weight + (uint64_t)k * ASIF_BLOCK + i, sub(before, next), here);
            sum = add(sum, mul(sub(before, next), value));
            if (k == 0)
                lowest = value;
            else
                rise[k - 1] = sub(value, last);
            last = value;
            before = next;
            if (k < d)
                c.at = next_vertex(&c, k, c.at);
        }
        store_some(out->value + i, sum, here);
        store_some(out->depth + i, depth_in(&c, d), here);
        put_corners(out->corner + i, &c, d, intervals, lowest, rise, here);
    }
}

static void locate_simplex(const asif_simplex_cells *out, const double *table, uint32_t states,
                           uint32_t intervals, const double *emission, const double *ahead, uint64_t stride,
                           const double *p, uint32_t n) {
    if (states == 3)
        locate_states(out, table, 3, intervals, emission, ahead, stride, p, n);
    else if (states == 4)
        locate_states(out, table, 4, intervals, emission, ahead, stride, p, n);
    else
        locate_states(out, table, states, intervals, emission, ahead, stride, p, n);
}

#endif
