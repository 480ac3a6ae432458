#include "engine/lattice.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>

/* C(n + d, d), or 0 if it does not fit in 31 bits: gather instructions take signed indices. */
static uint64_t choose(uint64_t n, uint64_t d) {
    uint64_t c = 1;
    for (uint64_t i = 1; i <= d; i++) {
        c = c * (n + i) / i;
        if (c > INT32_MAX)
            return 0;
    }
    return c;
}

uint32_t asif_lattice_count(uint32_t states, uint32_t resolution) {
    return states == 0 || states > ASIF_MOST_BELIEF_STATES ? 0 : (uint32_t)choose(resolution, states - 1);
}

uint64_t asif_lattice_beliefs(const asif_setting_spec *spec, uint32_t resolution) {
    return (uint64_t)asif_places(spec) * asif_lattice_count(asif_hidden_values(spec), resolution);
}

uint32_t asif_lattice_within(uint32_t states, uint32_t nodes, uint32_t most) {
    uint32_t resolution = most;
    while (resolution > 1 && asif_lattice_count(states, resolution) - 1 >= nodes)
        resolution--; /* a count of 0, which wraps around, is too large as well */
    return resolution;
}

static asif_status grade(asif_lattice *out, const asif_context *context, asif_error *error) {
    double n = out->resolution;
    if (out->states != 2)
        return asif_fail(error, ASIF_EUNSUPPORTED, "only beliefs over two hidden states can be graded");
    out->point = ASIF_ARRAY(context, out->nodes, double);
    if (!out->point)
        return asif_fail_memory(error);
    for (uint32_t k = 0; k < out->nodes; k++)
        out->point[k] = k * (double)k / (k * (double)k + (n - k) * (n - k));
    return ASIF_OK;
}

asif_status asif_lattice_create(asif_lattice *out, const asif_context *context, uint32_t states, bool graded,
                                uint32_t resolution, asif_error *error) {
    *out = (asif_lattice){states, resolution, asif_lattice_count(states, resolution), NULL, NULL};
    if (resolution == 0)
        return asif_fail(error, ASIF_EDOMAIN, "the resolution must be at least 1");
    if (out->nodes == 0) {
        asif_fail(error, ASIF_ETOOBIG,
                  "a lattice with %u intervals over the beliefs on %u states is too large", resolution,
                  states);
        asif_error_hint(error, "take a smaller resolution, or fewer states");
        return ASIF_ETOOBIG;
    }
    uint32_t d = states - 1;
    out->rank = ASIF_ARRAY(context, (uint64_t)d * (resolution + 1), uint32_t);
    if (!out->rank)
        return asif_fail_memory(error);
    /* The rank of a sequence that starts with k counts the sequences that start with less, C(k - 1 + d, d),
     * and then likewise those of its tail. */
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t k = 1; k <= resolution; k++)
            out->rank[i * (resolution + 1) + k] = (uint32_t)choose(k - 1, d - i);
    return graded ? grade(out, context, error) : ASIF_OK;
}

void asif_lattice_free(const asif_context *context, asif_lattice *lattice) {
    asif_free(context, lattice->rank);
    asif_free(context, lattice->point);
    lattice->rank = NULL;
    lattice->point = NULL;
}

void asif_lattice_node(const asif_lattice *lattice, uint32_t node, double *belief) {
    uint32_t n = lattice->resolution, above = n;
    if (lattice->point) {
        belief[0] = 1 - lattice->point[node];
        belief[1] = lattice->point[node];
        return;
    }
    for (uint32_t i = 0; i + 1 < lattice->states; i++) {
        const uint32_t *rank = lattice->rank + i * (n + 1);
        uint32_t k = 0; /* the last whose rank is at most the node's */
        for (uint32_t beyond = above + 1; beyond - k > 1;) {
            uint32_t middle = k + (beyond - k) / 2;
            if (rank[middle] > node)
                beyond = middle;
            else
                k = middle;
        }
        node -= rank[k];
        belief[i] = (double)(above - k) / n;
        above = k;
    }
    belief[lattice->states - 1] = (double)above / n;
}

/* On a graded lattice: the interval of a belief, and the fraction of it before the belief. */
static uint32_t find_interval(const asif_lattice *lattice, const double *belief, double *part) {
    const double *point = lattice->point;
    double second = sqrt(belief[1]), x = lattice->resolution * (second / (second + sqrt(belief[0])));
    uint32_t last = lattice->resolution - 1, k = x < last ? (uint32_t)x : last;
    while (k > 0 && belief[1] < point[k]) /* by rounding */
        k--;
    while (k < last && belief[1] >= point[k + 1])
        k++;
    *part = fmin(1, (belief[1] - point[k]) / (point[k + 1] - point[k]));
    return k;
}

/* Finds the cell of a belief: its lowest vertex `base`, the order in which coordinates rise from it to the
 * other vertices, and the belief's fraction `part` along each. Returns the number of the lowest vertex. */
static uint32_t find_cell(const asif_lattice *lattice, const double *belief, uint32_t *base, uint32_t *order,
                          double *part) {
    uint32_t n = lattice->resolution, d = lattice->states - 1;
    double x[ASIF_MOST_BELIEF_STATES], sum = 0;
    for (uint32_t i = d; i > 0; i--) {
        sum += belief[i];
        x[i - 1] = n * sum;
    }
    double above = n;
    for (uint32_t i = 0; i < d; i++) {
        double nearest = nearbyint(x[i]);
        if (fabs(x[i] - nearest) < 1e-11 * n)
            x[i] = nearest;
        x[i] = x[i] < 0 ? 0 : x[i] > above ? above : x[i];
        above = x[i];
        base[i] = (uint32_t)x[i];
        part[i] = x[i] - base[i];
        /* Insertion sort is stable: equal fractions stay in the order of the coordinates, so that every
         * vertex is on the lattice. */
        uint32_t j = i;
        for (; j > 0 && part[order[j - 1]] < part[i]; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < d; i++)
        at += lattice->rank[i * (n + 1) + base[i]];
    return at;
}

void asif_lattice_locate(const asif_lattice *lattice, const double *belief, uint32_t *node, double *weight) {
    uint32_t n = lattice->resolution, d = lattice->states - 1;
    uint32_t base[ASIF_MOST_BELIEF_STATES], order[ASIF_MOST_BELIEF_STATES];
    double part[ASIF_MOST_BELIEF_STATES], before = 1;
    if (lattice->point) {
        node[0] = find_interval(lattice, belief, &weight[1]);
        node[1] = node[0] + (weight[1] > 0);
        weight[0] = 1 - weight[1];
        return;
    }
    uint32_t at = find_cell(lattice, belief, base, order, part);
    for (uint32_t k = 0; k <= d; k++) {
        double next = k < d ? part[order[k]] : 0;
        node[k] = at;
        weight[k] = before - next;
        before = next;
        if (k < d && next > 0) {
            const uint32_t *rank = lattice->rank + order[k] * (n + 1) + base[order[k]];
            at += rank[1] - rank[0];
        }
    }
}

#define NUDGE 1e-7 /* how far a belief on a face between cells is moved into one of them */

static bool on_face(const double *part, uint32_t d) {
    for (uint32_t i = 0; i < d; i++) {
        if (part[i] < ASIF_ON_FACE)
            return true;
        for (uint32_t j = 0; j < i; j++)
            if (fabs(part[i] - part[j]) < ASIF_ON_FACE)
                return true;
    }
    return false;
}

void asif_lattice_corners(const asif_lattice *lattice, const double *belief, const double *values,
                          double *corner) {
    uint32_t n = lattice->resolution, d = lattice->states - 1;
    uint32_t base[ASIF_MOST_BELIEF_STATES], order[ASIF_MOST_BELIEF_STATES];
    double part[ASIF_MOST_BELIEF_STATES], rise[ASIF_MOST_BELIEF_STATES];
    uint32_t at = find_cell(lattice, belief, base, order, part);
    if (on_face(part, d)) {
        double inside[ASIF_MOST_BELIEF_STATES], sum = 0;
        for (uint32_t s = 0; s <= d; s++)
            sum += inside[s] = 1 / sqrt(2.0 + s); /* a point whose coordinates all differ */
        for (uint32_t s = 0; s <= d; s++)
            inside[s] = (1 - NUDGE) * belief[s] + NUDGE * inside[s] / sum;
        at = find_cell(lattice, inside, base, order, part);
    }
    double value = values[at];
    for (uint32_t k = 0; k < d; k++) {
        const uint32_t *rank = lattice->rank + order[k] * (n + 1) + base[order[k]];
        uint32_t next = part[order[k]] > 0 ? at + (rank[1] - rank[0]) : at;
        rise[order[k]] = values[next] - values[at];
        at = next;
    }
    for (uint32_t i = 0; i < d; i++)
        value -= rise[i] * base[i];
    corner[0] = value;
    for (uint32_t s = 1; s <= d; s++)
        corner[s] = corner[s - 1] + n * rise[s - 1];
}
