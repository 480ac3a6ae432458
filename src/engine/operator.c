#include "engine/operator.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "engine/places/products.h"

#include <math.h>
#include <string.h>

/* Below this many nodes, threads cost more time than they save. */
#define NODES_FOR_THREADS 16384
#define MOST_CHUNKS 256

/* ---- creation ---- */

asif_status asif_operator_create(asif_operator *op, const asif_context *context, asif_successors *successors,
                                 asif_error *error) {
    const asif_setting_spec *spec = &successors->setting->spec;
    uint64_t U = spec->actions, M = spec->worlds;
    *op = (asif_operator){.context = context, .successors = successors, .setting = successors->setting};
    op->chunks = successors->nodes < NODES_FOR_THREADS ? 1 : context->options.threads;
    op->chunks = op->chunks > MOST_CHUNKS ? MOST_CHUNKS : op->chunks;
    op->scratch_size = (U + M) * ASIF_BLOCK;
    for (uint64_t i = 0; i < spec->terms; i++)
        op->belief_terms = op->belief_terms || spec->term[i].by == ASIF_BY_BELIEF;
    op->parameter = ASIF_ARRAY(context, spec->parameters, double);
    op->action_prior = ASIF_ARRAY(context, U, double);
    op->world_weights = ASIF_ARRAY(context, M, double);
    op->start = ASIF_ARRAY(context, (uint64_t)spec->starts * spec->states, double);
    op->utility = ASIF_ARRAY(context, U * successors->stride, double);
    op->reward = ASIF_ARRAY(context, successors->branches * U, double *);
    op->state_utility = ASIF_ARRAY(context, U * spec->states, double);
    op->seen_utility = ASIF_ARRAY(context, U * (spec->observations + 1ull), double);
    op->active = ASIF_ARRAY(context, U, uint32_t);
    op->prior = ASIF_ARRAY(context, 2 * U, double);
    op->log_prior = op->prior ? op->prior + U : NULL;
    op->futures = ASIF_ARRAY(context, U, asif_futures);
    op->world_future = ASIF_ARRAY(context, U * M, uint32_t);
    op->scratch = ASIF_ARRAY(context, op->chunks * op->scratch_size, double);
    bool good = op->parameter && op->action_prior && op->world_weights && op->start && op->utility &&
                op->reward && op->state_utility && op->seen_utility && op->active && op->prior &&
                op->futures && op->world_future && op->scratch;
    for (uint64_t u = 0; u < U && good; u++) {
        op->futures[u].branch = ASIF_ARRAY(context, M, uint32_t);
        op->futures[u].weight = ASIF_ARRAY(context, M, double);
        good = op->futures[u].branch && op->futures[u].weight;
    }
    return good ? asif_menus_create(&op->menus, context, spec, error) : asif_fail_memory(error);
}

void asif_operator_free(asif_operator *op) {
    const asif_context *context = op->context;
    if (!context)
        return;
    const asif_setting_spec *spec = &op->setting->spec;
    for (uint32_t u = 0; op->futures && u < spec->actions; u++) {
        asif_free(context, op->futures[u].branch);
        asif_free(context, op->futures[u].weight);
    }
    for (uint64_t i = 0; op->reward && i < (uint64_t)op->successors->branches * spec->actions; i++)
        asif_free(context, op->reward[i]);
    void *const arrays[] = {op->parameter, op->action_prior,  op->world_weights, op->start,  op->utility,
                            op->reward,    op->state_utility, op->seen_utility,  op->active, op->prior,
                            op->futures,   op->world_future,  op->scratch,       op->share};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_menus_free(context, &op->menus);
    asif_successors_release(op->successors);
    memset(op, 0, sizeof *op);
}

/* ---- utilities of a theta ---- */

static void spread(double *table, uint32_t columns, const asif_utility_term *t, uint32_t actions,
                   double amount) {
    for (uint32_t u = t->action == ASIF_ANY ? 0 : t->action;
         u < actions && (t->action == ASIF_ANY || u == t->action); u++)
        for (uint32_t i = t->index == ASIF_ANY ? 0 : t->index;
             i < columns && (t->index == ASIF_ANY || i == t->index); i++)
            table[(uint64_t)u * columns + i] += amount;
}

static void make_tables(asif_operator *op) {
    const asif_setting_spec *spec = &op->setting->spec;
    uint64_t cells = (uint64_t)spec->actions * spec->states;
    if (spec->utility)
        memcpy(op->state_utility, spec->utility, cells * sizeof(double));
    else
        memset(op->state_utility, 0, cells * sizeof(double));
    memset(op->seen_utility, 0, (uint64_t)spec->actions * spec->observations * sizeof(double));
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : op->parameter[t->parameter]);
        if (t->by == ASIF_BY_STATE)
            spread(op->state_utility, spec->states, t, spec->actions, amount);
        else if (t->by == ASIF_BY_OBSERVATION)
            spread(op->seen_utility, spec->observations, t, spec->actions, amount);
    }
}

static void make_node_utilities(asif_operator *op) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    uint32_t H = asif_hidden_values(spec);
    for (uint32_t u = 0; u < spec->actions; u++) {
        double *v = op->utility + u * s->stride;
        const double *of_state = op->state_utility + (uint64_t)u * spec->states;
        if (!s->beliefs) {
            memcpy(v, of_state, spec->states * sizeof *v);
            continue;
        }
        memset(v, 0, s->stride * sizeof *v);
        for (uint32_t place = 0; place < s->links.places; place++)
            for (uint32_t h = 0; h < H; h++)
                op->context->simd->axpy(
                    v + asif_successors_first(s, place), of_state[place % s->links.seen * H + h],
                    s->belief + h * s->belief_stride + (s->reachable ? s->reach.at[place] : 0),
                    asif_successors_count(s, place));
    }
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        if (t->by != ASIF_BY_BELIEF)
            continue;
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : op->parameter[t->parameter]);
        for (uint32_t n = 0; n < s->nodes; n++) {
            double share = asif_term_share(t, asif_successors_measure(s, t, n));
            for (uint32_t u = 0; share > 0 && u < spec->actions; u++)
                if (t->action == ASIF_ANY || t->action == u)
                    op->utility[u * s->stride + n] += share * amount;
        }
    }
}

/* Adds the expected reward at the rows of a place. */
static void add_rewards(const asif_operator *op, uint32_t action, uint32_t branch, uint32_t place,
                        double *reward) {
    const asif_successors *s = op->successors;
    uint32_t X = s->links.shown, link, end;
    const double *utility = op->seen_utility + (uint64_t)action * op->setting->spec.observations;
    for (asif_links_from(&s->links, branch, place, &link, &end); link < end; link++)
        for (uint32_t x = 0; x < X; x++)
            op->context->simd->axpy(reward, utility[asif_links_lead(&s->links, link) + x],
                                    asif_branch_probability(s, branch, place, link, x),
                                    s->branch[branch].constant ? 1 : asif_successors_count(s, place));
}

/* The expected reward sum_x P_m(x|z,u) r(u,x), for every action and each branch that it uses. */
static asif_status make_rewards(asif_operator *op, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t m = 0; m < spec->worlds; m++) {
            uint32_t i = s->branch_of[(uint64_t)u * spec->worlds + m];
            const asif_branch *branch = &s->branch[i];
            double **reward = &op->reward[(uint64_t)u * s->branches + i];
            if (!branch->probability)
                continue;
            if (!*reward)
                *reward = ASIF_ARRAY(op->context, branch->constant ? 1 : s->stride, double);
            if (!*reward)
                return asif_fail_memory(error);
            memset(*reward, 0, branch->rows * sizeof **reward);
            for (uint32_t y = 0; y < (branch->constant ? 1 : s->links.places); y++)
                add_rewards(op, u, i, y, *reward + (branch->constant ? 0 : asif_successors_first(s, y)));
        }
    return ASIF_OK;
}

/* ---- binding ---- */

static void make_futures(asif_operator *op) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    asif_free(op->context, op->share); /* its size depends on the futures */
    op->share = NULL;
    op->most_futures = 0;
    for (uint32_t u = 0; u < spec->actions; u++) {
        asif_futures *f = &op->futures[u];
        f->count = 0;
        f->constant = true;
        for (uint32_t m = 0; m < spec->worlds; m++) {
            uint32_t branch = s->branch_of[(uint64_t)u * spec->worlds + m], k = 0;
            uint32_t *which = &op->world_future[(uint64_t)u * spec->worlds + m];
            *which = ASIF_ANY;
            if (!(op->world_weights[m] > 0))
                continue;
            while (k < f->count && f->branch[k] != branch)
                k++;
            if (k == f->count) {
                f->branch[f->count] = branch;
                f->weight[f->count++] = 0;
            }
            f->weight[k] += op->world_weights[m];
            f->constant = f->constant && s->branch[branch].constant;
            *which = k;
        }
        op->most_futures = f->count > op->most_futures ? f->count : op->most_futures;
    }
    op->actives = 0;
    for (uint32_t u = 0; u < spec->actions; u++)
        if (op->action_prior[u] > 0) {
            op->prior[op->actives] = op->action_prior[u];
            op->log_prior[op->actives] = log(op->action_prior[u]);
            op->active[op->actives++] = u;
        }
}

static bool same(const double *x, const double *y, uint64_t n) {
    return memcmp(x, y, n * sizeof *x) == 0;
}

asif_status asif_operator_bind(asif_operator *op, const asif_theta *theta, asif_error *error) {
    asif_status status = asif_theta_complete(theta, error);
    if (status != ASIF_OK)
        return status;
    const asif_setting_spec *spec = &op->setting->spec;
    op->a = theta->a;
    op->a_act = isnan(theta->a_act) ? theta->a : theta->a_act;
    op->b = theta->b;
    op->eta = theta->eta;
    op->discount = theta->discount;
    op->acts_apart = !isnan(theta->a_act);
    memcpy(op->start, theta->start, (uint64_t)spec->starts * spec->states * sizeof(double));
    if (!op->bound || !same(op->world_weights, theta->world_weights, spec->worlds) ||
        !same(op->action_prior, theta->action_prior, spec->actions)) {
        memcpy(op->world_weights, theta->world_weights, spec->worlds * sizeof(double));
        memcpy(op->action_prior, theta->action_prior, spec->actions * sizeof(double));
        make_futures(op);
        status = asif_menus_fill(&op->menus, op->active, op->prior, op->actives, error);
    }
    if (status == ASIF_OK && (!op->bound || !same(op->parameter, theta->utility, spec->parameters))) {
        memcpy(op->parameter, theta->utility, spec->parameters * sizeof(double));
        make_tables(op);
        make_node_utilities(op);
        status = make_rewards(op, error);
    }
    op->bound = status == ASIF_OK;
    return status;
}

/* ---- the backup ---- */

static const double *reward_of(const asif_operator *op, uint32_t action, uint32_t branch) {
    return op->reward[(uint64_t)action * op->successors->branches + branch];
}

void asif_operator_future(const asif_operator *op, uint32_t action, uint32_t j, const double *values,
                          uint64_t first, uint32_t n, double *k) {
    uint32_t index = op->futures[action].branch[j];
    const asif_branch *branch = &op->successors->branch[index];
    const double *reward = reward_of(op, action, index);
    asif_branch_product(op->successors, index, first, n, values, op->discount, op->eta, k);
    if (reward)
        op->context->simd->axpy(k, 1, reward + (branch->constant ? 0 : first), branch->constant ? 1 : n);
    for (uint32_t i = 1; branch->constant && i < n; i++)
        k[i] = k[0];
}

/* The CE of actions that forget does not depend on the node: it is computed once a backup. */
static void constant_futures(asif_operator *op, const double *values) {
    for (uint32_t u = 0; u < op->setting->spec.actions; u++) {
        asif_futures *f = &op->futures[u];
        if (!f->constant)
            continue;
        double *k = op->scratch;
        for (uint32_t j = 0; j < f->count; j++)
            asif_operator_future(op, u, j, values, 0, 1, k + (uint64_t)j * ASIF_BLOCK);
        op->context->simd->certainty(&f->future, op->b, k, ASIF_BLOCK, f->weight, f->count, NULL, 1);
    }
}

static void action_values(const asif_operator *op, uint32_t u, const double *values, uint64_t first,
                          uint32_t n, double *q, double *k) {
    const asif_futures *f = &op->futures[u];
    const double *v = op->utility + u * op->successors->stride + first;
    if (f->constant) {
        for (uint32_t i = 0; i < n; i++)
            q[i] = v[i] + f->future;
        return;
    }
    for (uint32_t j = 0; j < f->count; j++)
        asif_operator_future(op, u, j, values, first, n, k + (uint64_t)j * ASIF_BLOCK);
    op->context->simd->certainty(q, op->b, k, ASIF_BLOCK, f->weight, f->count, v, n);
}

/* The values of n nodes from `first` on, from q of all active actions, which is changed. */
static void values_of(const asif_operator *op, uint64_t first, uint32_t n, double *q, double *out) {
    const asif_menu *menu = NULL;
    for (uint32_t done = 0, here; done < n; done += here) {
        here = asif_operator_menu(op, first + done, n - done, &menu);
        asif_menu_gather(menu, op->actives, q + done, ASIF_BLOCK, here);
        op->context->simd->certainty(out + done, op->a, q + done, ASIF_BLOCK, menu->prior, menu->actives,
                                     NULL, here);
    }
}

/* The policy at these nodes, in place of q: 0 for actions that cannot be taken. */
static void policy_of(const asif_operator *op, uint64_t first, uint32_t n, double a, double *q) {
    const asif_menu *menu = NULL;
    for (uint32_t done = 0, here; done < n; done += here) {
        here = asif_operator_menu(op, first + done, n - done, &menu);
        asif_menu_gather(menu, op->actives, q + done, ASIF_BLOCK, here);
        op->context->simd->tilt(q + done, a, q + done, ASIF_BLOCK, menu->prior, menu->actives, here);
        asif_menu_spread(menu, op->actives, q + done, ASIF_BLOCK, here);
    }
}

typedef struct {
    asif_operator *op;
    const double *values;
    double *out;
    double *difference, *largest; /* [chunks] */
} backup_job;

static void chunk_range(const asif_operator *op, uint32_t chunk, uint64_t *begin, uint64_t *end) {
    uint64_t nodes = op->successors->nodes, blocks = (nodes + ASIF_BLOCK - 1) / ASIF_BLOCK;
    *begin = blocks * chunk / op->chunks * ASIF_BLOCK;
    *end = blocks * (chunk + 1) / op->chunks * ASIF_BLOCK;
    *end = *end < nodes ? *end : nodes;
}

/* How many nodes from `first` on are handled at once: where weights belong to links, those of one place. */
static uint32_t block_from(const asif_operator *op, uint64_t first, uint64_t end) {
    uint32_t n = (uint32_t)(end - first < ASIF_BLOCK ? end - first : ASIF_BLOCK);
    return op->successors->shares ? asif_successors_within(op->successors, first, n) : n;
}

static void backup_chunk(void *argument, uint32_t chunk) {
    const backup_job *job = argument;
    const asif_operator *op = job->op;
    double *q = op->scratch + chunk * op->scratch_size;
    double *k = q + (uint64_t)op->setting->spec.actions * ASIF_BLOCK;
    double worst = 0, most = 0;
    uint64_t first, end;
    chunk_range(op, chunk, &first, &end);
    for (uint32_t n; first < end; first += n) {
        n = block_from(op, first, end);
        for (uint32_t j = 0; j < op->actives; j++)
            action_values(op, op->active[j], job->values, first, n, q + (uint64_t)j * ASIF_BLOCK, k);
        values_of(op, first, n, q, job->out + first);
        double difference, largest;
        op->context->simd->compare(job->out + first, job->values + first, n, &difference, &largest);
        worst = difference > worst || isnan(difference) ? difference : worst;
        most = largest > most ? largest : most;
    }
    job->difference[chunk] = worst;
    job->largest[chunk] = most;
}

void asif_operator_backup(asif_operator *op, const double *values, double *out, double *difference,
                          double *largest) {
    double worst[MOST_CHUNKS], most[MOST_CHUNKS];
    backup_job job = {op, values, out, worst, most};
    constant_futures(op, values);
    if (op->chunks == 1)
        backup_chunk(&job, 0);
    else
        asif_os_parallel(op->chunks, op->chunks, backup_chunk, &job);
    *difference = *largest = 0;
    for (uint32_t c = 0; c < op->chunks; c++) {
        *difference = worst[c] > *difference || isnan(worst[c]) ? worst[c] : *difference;
        *largest = most[c] > *largest ? most[c] : *largest;
    }
}

double asif_operator_backup_nodes(asif_operator *op, double *values, uint64_t first, uint64_t n) {
    double *q = op->scratch, *k = q + (uint64_t)op->setting->spec.actions * ASIF_BLOCK, out[ASIF_BLOCK],
           largest = 0;
    constant_futures(op, values);
    /* Rows of a branch are read from whole slices on: some before the first are computed too, and left. */
    uint64_t from = op->successors->shares ? first : first / ASIF_SLICE * ASIF_SLICE, end = first + n;
    for (uint32_t rows; from < end; from += rows) {
        rows = block_from(op, from, end);
        for (uint32_t j = 0; j < op->actives; j++)
            action_values(op, op->active[j], values, from, rows, q + (uint64_t)j * ASIF_BLOCK, k);
        values_of(op, from, rows, q, out);
        for (uint32_t r = from < first ? (uint32_t)(first - from) : 0; r < rows; r++) {
            values[from + r] = out[r];
            largest = fabs(out[r]) > largest || isnan(out[r]) ? fabs(out[r]) : largest;
        }
    }
    return largest;
}

/* ---- the Jacobian ---- */

asif_status asif_operator_linearise(asif_operator *op, const double *values, double a, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    const asif_simd *simd = op->context->simd;
    uint64_t size = (uint64_t)spec->actions * op->most_futures * s->stride;
    if (!op->share)
        op->share = ASIF_ARRAY(op->context, size, double);
    if (!op->share)
        return asif_fail_memory(error);
    double *q = op->scratch, *k = q + (uint64_t)spec->actions * ASIF_BLOCK;
    constant_futures(op, values);
    uint64_t first = 0;
    for (uint32_t n; first < s->nodes; first += n) {
        n = block_from(op, first, s->nodes);
        for (uint32_t i = 0; i < op->actives; i++) {
            uint32_t u = op->active[i];
            const asif_futures *f = &op->futures[u];
            double *share = op->share + (uint64_t)u * op->most_futures * s->stride + first;
            action_values(op, u, values, first, n, q + (uint64_t)i * ASIF_BLOCK, k);
            if (f->constant)
                for (uint32_t j = 0; j < f->count; j++)
                    asif_operator_future(op, u, j, values, first, n, k + (uint64_t)j * ASIF_BLOCK);
            simd->tilt(k, op->b, k, ASIF_BLOCK, f->weight, f->count, n);
            for (uint32_t j = 0; j < f->count; j++)
                memcpy(share + j * s->stride, k + (uint64_t)j * ASIF_BLOCK, n * sizeof *k);
        }
        policy_of(op, first, n, a, q);
        for (uint32_t i = 0; i < op->actives; i++) {
            uint32_t u = op->active[i];
            for (uint32_t j = 0; j < op->futures[u].count; j++) {
                double *share = op->share + ((uint64_t)u * op->most_futures + j) * s->stride + first;
                for (uint32_t r = 0; r < n; r++)
                    share[r] *= q[(uint64_t)i * ASIF_BLOCK + r];
            }
        }
    }
    return ASIF_OK;
}

typedef struct {
    const asif_operator *op;
    const double *share, *x;
    double *out;
} push_job;

static void push_chunk(void *argument, uint32_t chunk) {
    const push_job *job = argument;
    const asif_operator *op = job->op;
    const asif_successors *s = op->successors;
    double part[ASIF_BLOCK];
    uint64_t first, end;
    chunk_range(op, chunk, &first, &end);
    for (uint32_t n; first < end; first += n) {
        n = block_from(op, first, end);
        memset(job->out + first, 0, n * sizeof *job->out);
        for (uint32_t i = 0; i < op->actives; i++) {
            uint32_t u = op->active[i];
            for (uint32_t j = 0; j < op->futures[u].count; j++) {
                uint32_t branch = op->futures[u].branch[j];
                bool constant = s->branch[branch].constant;
                const double *share = job->share + ((uint64_t)u * op->most_futures + j) * s->stride + first;
                asif_branch_product(s, branch, first, n, job->x, 1, 0, part);
                for (uint32_t r = 0; r < n; r++)
                    job->out[first + r] += share[r] * part[constant ? 0 : r];
            }
        }
    }
}

void asif_operator_push(const asif_operator *op, const double *share, const double *x, double *out) {
    push_job job = {op, share, x, out};
    if (op->chunks == 1)
        push_chunk(&job, 0);
    else
        asif_os_parallel(op->chunks, op->chunks, push_chunk, &job);
}

void asif_operator_pull(const asif_operator *op, const double *share, const double *x, double *out,
                        double *scratch) {
    const asif_successors *s = op->successors;
    memset(out, 0, s->stride * sizeof *out);
    for (uint32_t i = 0; i < op->actives; i++) {
        uint32_t u = op->active[i];
        for (uint32_t j = 0; j < op->futures[u].count; j++) {
            uint32_t branch = op->futures[u].branch[j];
            const double *of = share + ((uint64_t)u * op->most_futures + j) * s->stride;
            if (s->branch[branch].constant) {
                asif_branch_scatter_row(s, branch, 0, op->context->simd->dot(of, x, s->nodes), out);
                continue;
            }
            for (uint32_t r = 0; r < s->nodes; r++)
                scratch[r] = of[r] * x[r];
            asif_branch_scatter(s, branch, scratch, out);
        }
    }
}
