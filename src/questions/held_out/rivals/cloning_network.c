#include "questions/held_out/rivals/cloning_network.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

enum { N = ASIF_LANES };
#define MEMORY 8e9 /* bytes that a network may take */

/* ---- life ---- */

/* Blocks of the nodes of each level. Roots need none if there is one start class: they are all zeros. */
static uint32_t divide(const asif_tree_view *t, asif_cloning_block *block) {
    uint32_t blocks = 0;
    for (uint32_t level = t->starts > 1 ? 0 : 1; level < t->levels; level++)
        for (uint64_t n = t->level[level]; n < t->level[level + 1]; n += N) {
            uint64_t left = t->level[level + 1] - n;
            if (block)
                block[blocks] =
                    (asif_cloning_block){.first = (uint32_t)n, .count = left < N ? (uint32_t)left : N};
            blocks++;
        }
    return blocks;
}

static asif_status allocate(asif_cloning_network *network, const asif_tree_view *t, asif_error *error) {
    const asif_context *context = network->context;
    uint64_t H = network->lstm.hidden, count = asif_lstm_place(&network->lstm).count,
             size = asif_lstm_step_size(&network->lstm);
    double need = 8 * ((double)network->blocks * (double)size + 4.0 * (double)t->nodes * (double)H);
    if (need > MEMORY) {
        asif_fail(error, ASIF_ETOOBIG,
                  "a recurrent network on %u histories needs about %.1f GB; the limit is %.1f GB", t->nodes,
                  need / 1e9, MEMORY / 1e9);
        asif_error_hint(error, "leave this rival out");
        return ASIF_ETOOBIG;
    }
    network->adam.count = count;
    network->adam.weights = ASIF_ARRAY(context, count, double);
    network->adam.gradient = ASIF_ARRAY(context, count, double);
    network->adam.moment = ASIF_ARRAY(context, count, double);
    network->adam.square = ASIF_ARRAY(context, count, double);
    network->block = ASIF_ARRAY(context, network->blocks, asif_cloning_block);
    network->memory = ASIF_ARRAY(context, network->blocks * size, double);
    network->h = ASIF_ARRAY(context, t->nodes * H, double);
    network->c = ASIF_ARRAY(context, t->nodes * H, double);
    network->h_bar = ASIF_ARRAY(context, t->nodes * H, double);
    network->c_bar = ASIF_ARRAY(context, t->nodes * H, double);
    network->before = ASIF_ARRAY(context, 2 * H * N, double);
    network->lanes = ASIF_ARRAY(context, (6 * H + network->lstm.actions) * N, double);
    const void *const arrays[] = {
        network->adam.weights, network->adam.gradient, network->adam.moment, network->adam.square,
        network->block,        network->memory,        network->h,           network->c,
        network->h_bar,        network->c_bar,         network->before,      network->lanes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!arrays[i])
            return asif_fail_memory(error);
    return ASIF_OK;
}

/* Set the inputs of a block; unused lanes repeat the first. */
static void set_inputs(const asif_tree_view *t, asif_cloning_block *b) {
    for (uint32_t i = 0; i < N; i++) {
        uint32_t n = b->first + (i < b->count ? i : 0);
        bool root = t->parent[n] == ASIF_ANY;
        b->step.on[0][i] = root ? t->actions + t->observations + n : t->action[n];
        b->step.on[1][i] =
            root || t->observation[n] == ASIF_ANY ? ASIF_NO_INPUT : t->actions + t->observation[n];
    }
}

asif_status asif_cloning_create(asif_cloning_network *network, const asif_context *context,
                                const asif_tree *tree, uint32_t hidden, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    *network = (asif_cloning_network){.context = context, .tree = tree};
    network->lstm =
        (asif_lstm){t->actions + t->observations + (t->starts > 1 ? t->starts : 0), hidden, t->actions};
    network->blocks = divide(t, NULL);
    ASIF_TRY(allocate(network, t, error));
    divide(t, network->block);
    for (uint32_t i = 0; i < network->blocks; i++) {
        asif_lstm_step_place(&network->lstm, &network->block[i].step,
                             network->memory + i * asif_lstm_step_size(&network->lstm));
        set_inputs(t, &network->block[i]);
    }
    return ASIF_OK;
}

void asif_cloning_free(asif_cloning_network *network) {
    void *const arrays[] = {
        network->adam.weights, network->adam.gradient, network->adam.moment, network->adam.square,
        network->block,        network->memory,        network->h,           network->c,
        network->h_bar,        network->c_bar,         network->before,      network->lanes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(network->context, arrays[i]);
    *network = (asif_cloning_network){0};
}

void asif_cloning_begin(asif_cloning_network *network, double spread, uint64_t seed) {
    const asif_stream stream = {seed, ASIF_FOR_LEARNING, UINT64_MAX - 1};
    for (uint64_t i = 0; i < network->adam.count; i++)
        network->adam.weights[i] = spread * asif_normal(&stream, (uint32_t)i);
    memset(network->adam.moment, 0, network->adam.count * sizeof *network->adam.moment);
    memset(network->adam.square, 0, network->adam.count * sizeof *network->adam.square);
}

/* ---- lanes and nodes ---- */

/* Copy the numbers of the parents [nodes][hidden] of a block into lanes [hidden][N]. */
static void load_parents(double *lanes, const asif_cloning_network *network, const asif_cloning_block *b,
                         const double *from) {
    const asif_tree_view *t = asif_tree_inside(network->tree);
    uint32_t H = network->lstm.hidden;
    for (uint32_t i = 0; i < N; i++) {
        const double *row = from + (uint64_t)t->parent[b->first + (i < b->count ? i : 0)] * H;
        for (uint32_t k = 0; k < H; k++)
            lanes[(uint64_t)k * N + i] = row[k];
    }
}

/* Copy lanes [hidden][N] to the nodes of a block. */
static void store(double *to, const asif_cloning_network *network, const asif_cloning_block *b,
                  const double *lanes) {
    uint32_t H = network->lstm.hidden;
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < H; k++)
            to[((uint64_t)b->first + i) * H + k] = lanes[(uint64_t)k * N + i];
}

/* Copy the numbers of the nodes of a block into lanes; unused lanes become 0. */
static void load(double *lanes, const asif_cloning_network *network, const asif_cloning_block *b,
                 const double *from) {
    uint32_t H = network->lstm.hidden;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < H; k++)
            lanes[(uint64_t)k * N + i] = i < b->count ? from[((uint64_t)b->first + i) * H + k] : 0;
}

/* Add lanes to the parents of the nodes of a block. */
static void add_parents(double *to, const asif_cloning_network *network, const asif_cloning_block *b,
                        const double *lanes) {
    const asif_tree_view *t = asif_tree_inside(network->tree);
    uint32_t H = network->lstm.hidden;
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < H; k++)
            to[(uint64_t)t->parent[b->first + i] * H + k] += lanes[(uint64_t)k * N + i];
}

static bool is_root(const asif_cloning_network *network, const asif_cloning_block *b) {
    return asif_tree_inside(network->tree)->parent[b->first] == ASIF_ANY;
}

/* ---- passes ---- */

/* Load the numbers before a block: h, and c behind it. NULL: it consists of roots. */
static const double *load_before(const asif_cloning_network *network, const asif_cloning_block *b) {
    if (is_root(network, b))
        return NULL;
    load_parents(network->before, network, b, network->h);
    load_parents(network->before + (uint64_t)network->lstm.hidden * N, network, b, network->c);
    return network->before;
}

void asif_cloning_forward(asif_cloning_network *network) {
    const asif_simd *simd = network->context->simd;
    uint64_t size = (uint64_t)network->lstm.hidden * N;
    for (uint32_t i = 0; i < network->blocks; i++) {
        asif_cloning_block *b = &network->block[i];
        const double *before = load_before(network, b);
        asif_lstm_forward(&network->lstm, simd, network->adam.weights, before, before ? before + size : NULL,
                          &b->step);
        store(network->h, network, b, b->step.h);
        store(network->c, network, b, b->step.c);
        if (before)
            asif_lstm_policy(&network->lstm, simd, network->adam.weights, &b->step);
    }
}

/* Weight of the decisions that have a history. */
static double weigh(const asif_cloning_network *network, const double *count) {
    const asif_tree_view *t = asif_tree_inside(network->tree);
    double all = 0;
    for (uint64_t i = (uint64_t)t->starts * t->actions; i < (uint64_t)t->nodes * t->actions; i++)
        all += count[i];
    return all;
}

double asif_cloning_loss(const asif_cloning_network *network, const double *count) {
    uint32_t U = network->lstm.actions;
    double all = weigh(network, count), loss = 0;
    for (uint32_t k = 0; k < network->blocks && all > 0; k++) {
        const asif_cloning_block *b = &network->block[k];
        for (uint32_t i = 0; i < b->count && !is_root(network, b); i++)
            for (uint32_t u = 0; u < U; u++)
                loss -= count[((uint64_t)b->first + i) * U + u] * b->step.log_policy[(uint64_t)u * N + i];
    }
    return all > 0 ? loss / all : 0;
}

/* Derivatives of the loss in the scores of a block, [actions][N]. */
static void score_bars(double *bar, const asif_cloning_network *network, const asif_cloning_block *b,
                       const double *count, double all) {
    uint32_t U = network->lstm.actions;
    memset(bar, 0, (uint64_t)U * N * sizeof *bar);
    for (uint32_t i = 0; i < b->count; i++) {
        const double *here = count + ((uint64_t)b->first + i) * U;
        double decisions = 0;
        for (uint32_t u = 0; u < U; u++)
            decisions += here[u];
        for (uint32_t u = 0; decisions > 0 && u < U; u++)
            bar[(uint64_t)u * N + i] =
                (decisions * exp(b->step.log_policy[(uint64_t)u * N + i]) - here[u]) / all;
    }
}

void asif_cloning_backward(asif_cloning_network *network, const double *count) {
    const asif_simd *simd = network->context->simd;
    const asif_tree_view *t = asif_tree_inside(network->tree);
    uint64_t H = network->lstm.hidden, size = H * N;
    double all = weigh(network, count), *h_bar = network->lanes, *c_bar = h_bar + size,
           *scratch = c_bar + size;
    double *score_bar = scratch + 4 * size;
    memset(network->adam.gradient, 0, network->adam.count * sizeof *network->adam.gradient);
    memset(network->h_bar, 0, t->nodes * H * sizeof *network->h_bar);
    memset(network->c_bar, 0, t->nodes * H * sizeof *network->c_bar);
    for (uint32_t k = network->blocks; all > 0 && k-- > 0;) {
        const asif_cloning_block *b = &network->block[k];
        const double *before = load_before(network, b);
        load(h_bar, network, b, network->h_bar);
        load(c_bar, network, b, network->c_bar);
        if (before) {
            score_bars(score_bar, network, b, count, all);
            asif_lstm_policy_back(&network->lstm, simd, network->adam.weights, &b->step, score_bar, h_bar,
                                  network->adam.gradient, scratch);
        }
        asif_lstm_backward(&network->lstm, simd, network->adam.weights, before, before ? before + size : NULL,
                           &b->step, h_bar, c_bar, network->adam.gradient, scratch);
        if (before) {
            add_parents(network->h_bar, network, b, h_bar);
            add_parents(network->c_bar, network, b, c_bar);
        }
    }
}
