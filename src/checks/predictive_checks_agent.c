/* The agent of each draw at the histories of the logs (conditional replicates), and in logs of its own
 * (simulated ones). */
#include "checks/predictive_checks.h"

#include "acting/simulated.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "setting/setting.h"

#include <math.h>
#include <stdatomic.h>

#define BLOCK 8       /* draws of a block, which one thread solves in turn, each from the last solution */
#define SLACK 1       /* decisions: a single improbable one is not yet a miss */
#define SEEDS 0x1p52  /* range of the seeds of simulated logs, so large that a user's seed is unlikely */
#define SIMULATION 1u /* counter of the seed in a stream; replicates use later counters */

typedef struct {
    asif_checking *c;
    asif_target *target; /* each block has a clone */
    asif_check_grouping grouping[ASIF_CHECK_KINDS];
    uint32_t groupings;
    asif_check_table table;
    bool simulate;
    uint32_t max_steps;
    uint64_t *episodes; /* [starts] */
    atomic_uint done;
    atomic_bool stopped;
    asif_status *status; /* [blocks] */
    asif_error *error;
} agent_check;

/* The workspace of a block. */
typedef struct {
    agent_check *a;
    asif_target *target;
    asif_loglik_walk walk; /* log_policy becomes the policy */
    uint32_t memo_width;   /* width of the allocated memo: it is known only after a solution */
    uint32_t *bin;         /* [nodes] */
    double *drawn;         /* [actions] */
} block;

/* ---- one draw ---- */

static uint32_t group_of(const block *b, const asif_check_grouping *g, uint32_t node) {
    return g->of ? g->of[node] : b->bin[node];
}

/* Add the counts of a node to the cells of all families. */
static void add_counts(const block *b, uint32_t node, const double *count, double *cells) {
    uint32_t U = b->a->c->tree->actions;
    for (uint32_t k = 0; k < b->a->groupings; k++) {
        const asif_check_grouping *g = &b->a->grouping[k];
        uint32_t group = g->family->view.groups ? group_of(b, g, node) : ASIF_ANY;
        if (group == ASIF_ANY)
            continue;
        double *to = cells + g->first_cell + (uint64_t)group * U;
        for (uint32_t u = 0; u < U; u++)
            to[u] += count[u];
    }
}

static void add_sizes(const block *b, uint32_t node, double *size) {
    for (uint32_t k = 0; k < b->a->groupings; k++) {
        const asif_check_grouping *g = &b->a->grouping[k];
        uint32_t group = g->family->view.groups ? group_of(b, g, node) : ASIF_ANY;
        if (group != ASIF_ANY)
            size[g->first_group + group] += b->a->c->decisions[node];
    }
}

static void expect(const block *b, uint32_t point) {
    const asif_checking *c = b->a->c;
    asif_check_table *t = &b->a->table;
    uint32_t U = c->tree->actions;
    uint64_t at = point * t->cells;
    for (uint32_t i = 0; i < c->tree->nodes; i++) {
        double n = c->decisions[i];
        const double *policy = b->walk.log_policy + (uint64_t)i * U;
        if (n == 0)
            continue;
        add_sizes(b, i, t->size + point * t->groups);
        add_counts(b, i, c->tree->count + (uint64_t)i * U, t->observed + at);
        for (uint32_t u = 0; u < U; u++)
            b->drawn[u] = n * policy[u];
        add_counts(b, i, b->drawn, t->expected + at);
        for (uint32_t u = 0; u < U; u++)
            b->drawn[u] = n * policy[u] * (1 - policy[u]);
        add_counts(b, i, b->drawn, t->variance + at);
    }
}

static void replicate(const block *b, uint32_t point) {
    const asif_checking *c = b->a->c;
    asif_check_table *t = &b->a->table;
    uint32_t U = c->tree->actions;
    for (uint32_t r = 0; r < t->times; r++) {
        uint64_t number = (uint64_t)point * t->times + r;
        asif_stream stream = {c->options.seed, ASIF_FOR_CHECKS, number};
        uint32_t counter = SIMULATION + 1;
        for (uint32_t i = 0; i < c->tree->nodes; i++) {
            if (c->decisions[i] == 0)
                continue;
            asif_check_multinomial(&stream, &counter, c->decisions[i], b->walk.log_policy + (uint64_t)i * U,
                                   U, b->drawn);
            add_counts(b, i, b->drawn, t->replicate + number * t->cells);
        }
    }
}

static asif_status simulate(const block *b, const asif_behavior *behavior, uint32_t point,
                            asif_error *error) {
    const asif_checking *c = b->a->c;
    for (uint32_t s = point; s < c->simulated; s += c->points) {
        asif_stream stream = {c->options.seed, ASIF_FOR_CHECKS, s};
        asif_simulated_options options = {.episodes = b->a->episodes,
                                          .seed = (uint64_t)(asif_uniform(&stream, SIMULATION) * SEEDS),
                                          .max_steps = b->a->max_steps,
                                          .unseen = c->unseen};
        asif_tree *tree;
        ASIF_TRY(asif_simulated_tree(&tree, behavior, &options, error));
        asif_check_lengths_of(asif_tree_inside(tree),
                              c->lengths + (uint64_t)s * (ASIF_CHECK_LENGTHS_KEPT + 2));
        asif_tree_free(tree);
    }
    return ASIF_OK;
}

static asif_status make_room(block *b, const asif_behavior *behavior, asif_error *error) {
    const asif_context *context = b->a->c->checks->context;
    if (b->walk.memo && behavior->memo_width <= b->memo_width)
        return ASIF_OK;
    asif_free(context, b->walk.memo);
    b->memo_width = behavior->memo_width;
    b->walk.memo = ASIF_ARRAY(context, (uint64_t)b->a->c->tree->nodes * b->memo_width, double);
    return b->walk.memo ? ASIF_OK : asif_fail_memory(error);
}

static asif_status look_at(block *b, uint32_t point, asif_error *error) {
    const asif_checking *c = b->a->c;
    const asif_tree_view *tree = c->tree;
    const asif_work *work;
    double total;
    ASIF_TRY(asif_target_solve(
        b->target, c->x + (uint64_t)point * asif_estimates_dimension(c->fitted->estimates), &work, error));
    const asif_behavior *behavior = asif_work_behavior(work);
    ASIF_TRY(make_room(b, behavior, error));
    ASIF_TRY(asif_loglik_keep(&total, behavior, c->fitted->tree, NULL, &b->walk, error));
    for (uint64_t i = 0; i < (uint64_t)tree->nodes * tree->actions; i++)
        b->walk.log_policy[i] = exp(b->walk.log_policy[i]);
    uint32_t at = asif_behavior_belief_at(behavior);
    for (uint32_t i = 0; at != ASIF_ANY && i < tree->nodes; i++)
        b->bin[i] = asif_check_bin(b->walk.state + (uint64_t)i * behavior->width + at,
                                   asif_hidden_values(c->spec), c->options.bins);
    expect(b, point);
    if (c->whole)
        replicate(b, point);
    return b->a->simulate ? simulate(b, behavior, point, error) : ASIF_OK;
}

/* ---- all draws ---- */

static asif_status block_create(block *b, agent_check *a, asif_error *error) {
    const asif_context *context = a->c->checks->context;
    const asif_behavior *behavior = asif_work_unsolved(a->c->fitted->work);
    uint64_t nodes = a->c->tree->nodes, U = a->c->tree->actions;
    *b = (block){.a = a};
    ASIF_TRY(asif_target_clone(&b->target, a->target, error));
    b->walk.state = ASIF_ARRAY(context, nodes * behavior->width, double);
    b->walk.log_policy = ASIF_ARRAY(context, nodes * U, double);
    b->bin = ASIF_ARRAY(context, nodes, uint32_t);
    b->drawn = ASIF_ARRAY(context, U, double);
    bool good = b->walk.state && b->walk.log_policy && b->bin && b->drawn;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static void block_free(block *b) {
    const asif_context *context = b->a->c->checks->context;
    void *const arrays[] = {b->walk.state, b->walk.memo, b->walk.log_policy, b->bin, b->drawn};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_target_free(b->target);
}

static void run_block(void *argument, uint32_t k) {
    agent_check *a = argument;
    const asif_checking *c = a->c;
    block b;
    asif_status status = block_create(&b, a, &a->error[k]);
    for (uint32_t d = k * BLOCK; status == ASIF_OK && d < c->points && d < (k + 1) * BLOCK; d++) {
        if (asif_progress(c->checks->context, "checking", atomic_load(&a->done) / (double)c->points))
            atomic_store(&a->stopped, true);
        if (atomic_load(&a->stopped))
            status = asif_fail(&a->error[k], ASIF_ECANCELLED, "the checks were cancelled");
        else
            status = look_at(&b, d, &a->error[k]);
        atomic_fetch_add(&a->done, 1);
    }
    a->status[k] = status;
    block_free(&b);
}

static asif_status run_blocks(agent_check *a, asif_error *error) {
    const asif_context *context = a->c->checks->context;
    uint32_t blocks = (a->c->points + BLOCK - 1) / BLOCK;
    a->status = ASIF_ARRAY(context, blocks, asif_status);
    a->error = ASIF_ARRAY(context, blocks, asif_error);
    if (!a->status || !a->error)
        return asif_fail_memory(error);
    asif_os_parallel(context->options.threads, blocks, run_block, a);
    for (uint32_t k = 0; k < blocks; k++)
        if (a->status[k] != ASIF_OK) {
            if (error)
                *error = a->error[k];
            return a->status[k];
        }
    return ASIF_OK;
}

/* ---- preparation and judgement ---- */

static asif_status prepare(agent_check *a, asif_error *error) {
    const asif_checking *c = a->c;
    const asif_context *context = c->checks->context;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    uint64_t cells = 0, groups = 0;
    options.inverse = c->fitted->inverse;
    options.inverse_options = c->fitted->inverse_options;
    options.objective_only = true;
    ASIF_TRY(asif_target_create(&a->target, c->fitted->work, c->fitted->estimates, c->fitted->tree, &options,
                                error));
    ASIF_TRY(asif_check_grouping_make(a->grouping, &a->groupings, c, error));
    for (uint32_t k = 0; k < a->groupings; k++) {
        asif_check_grouping *g = &a->grouping[k];
        g->first_cell = cells;
        g->first_group = groups;
        if (c->options.prior && g->family->view.kind == ASIF_CHECK_BELIEFS) {
            g->family->view.groups = 0;
            g->family->view.why = "agents of the prior differ in what they believe after the same history";
        }
        groups += g->family->view.groups;
        cells += (uint64_t)g->family->view.groups * c->tree->actions;
        if (!c->whole)
            g->family->view.why = "the weights are not whole numbers: tail probabilities are not known";
    }
    a->episodes = ASIF_ARRAY(context, c->tree->starts, uint64_t);
    if (!a->episodes)
        return asif_fail_memory(error);
    for (uint32_t s = 0; !c->tree->states_seen && s < c->tree->starts; s++)
        a->episodes[s] = (uint64_t)c->decisions[s];
    return asif_check_table_create(&a->table, context, c->points, c->whole ? c->times : 0, cells, groups,
                                   error);
}

static asif_status judge(agent_check *a, asif_error *error) {
    if (a->c->options.prior)
        asif_check_table_mix(&a->table);
    for (uint32_t k = 0; k < a->groupings; k++) {
        asif_check_grouping *g = &a->grouping[k];
        if (g->family->view.groups)
            ASIF_TRY(asif_check_judge(g->family, &a->table, g->first_group, g->first_cell, SLACK, error));
    }
    return ASIF_OK;
}

asif_status asif_check_agent(asif_checking *c, asif_error *error) {
    const asif_context *context = c->checks->context;
    agent_check a = {.c = c, .table = {.context = context}};
    const char *refused = asif_check_lengths_refuse(c, &a.max_steps);
    atomic_init(&a.done, 0);
    atomic_init(&a.stopped, false);
    asif_status status = ASIF_OK;
    a.simulate = !refused;
    if (a.simulate) {
        c->lengths = ASIF_ARRAY(context, (uint64_t)c->simulated * (ASIF_CHECK_LENGTHS_KEPT + 2), double);
        status = c->lengths ? ASIF_OK : asif_fail_memory(error);
    }
    if (status == ASIF_OK)
        status = prepare(&a, error);
    if (status == ASIF_OK)
        status = run_blocks(&a, error);
    if (status == ASIF_OK)
        status = judge(&a, error);
    if (status == ASIF_OK)
        status = asif_check_lengths(c, refused, error);
    c->times = a.table.times;
    asif_check_table_free(&a.table);
    for (uint32_t k = 0; k < a.groupings; k++)
        asif_free(context, a.grouping[k].of);
    asif_target_free(a.target);
    asif_free(context, a.episodes);
    asif_free(context, a.status);
    asif_free(context, a.error);
    return status;
}
