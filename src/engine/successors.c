#include "engine/successors.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- actions that forget ---- */

static bool rows_agree(const asif_matrix *m) {
    if (m->same_rows || m->rows == 1)
        return true;
    uint64_t length = m->offset[1];
    for (uint32_t i = 1; i < m->rows; i++) {
        uint64_t begin = m->offset[i];
        if (m->offset[i + 1] - begin != length ||
            memcmp(m->column, m->column + begin, length * sizeof *m->column) != 0 ||
            memcmp(m->value, m->value + begin, length * sizeof *m->value) != 0)
            return false;
    }
    return true;
}

static bool any_terminal(const asif_setting_spec *spec) {
    for (uint32_t s = 0; s < spec->states; s++)
        if (spec->terminal[s])
            return true;
    return false;
}

static double surprise(double p, double prior) {
    return -p * log(p / prior);
}

/* ---- world states ---- */

static bool fill_states(asif_branch *branch, const asif_successors *s, uint32_t world, uint32_t action) {
    const asif_setting_spec *spec = &s->setting->spec;
    const asif_matrix *t = asif_transitions(s->setting, world, action);
    asif_sparse_builder builder;
    asif_sparse_begin(&builder, s->context);
    for (uint32_t i = 0; i < branch->rows; i++) {
        uint64_t e, end;
        asif_matrix_row(t, i, &e, &end);
        for (; e < end && !spec->terminal[i]; e++) {
            branch->entropy[i] +=
                surprise(t->value[e], spec->belief_prior ? spec->belief_prior[t->column[e]] : 1);
            if (!asif_sparse_add(&builder, t->column[e], t->value[e]))
                goto fail;
        }
        if (!asif_sparse_end_row(&builder))
            goto fail;
    }
    return asif_sparse_finish(&builder, &branch->weights);
fail:
    asif_sparse_abandon(&builder);
    return false;
}

/* ---- beliefs ---- */

/* The dynamics of an action in a world as dense rows. */
typedef struct {
    double *transition; /* [states][states] */
    double *emission;   /* [states][observations] */
    double *event;      /* [observations]: probability of the class that begins here, from the current node */
} dense_world;

static void unpack(const dense_world *dense, const asif_setting *setting, uint32_t world, uint32_t action) {
    const asif_setting_spec *spec = &setting->spec;
    const asif_matrix *t = asif_transitions(setting, world, action),
                      *o = asif_emissions(setting, world, action);
    uint64_t S = spec->states, X = spec->observations, e, end;
    memset(dense->transition, 0, S * S * sizeof *dense->transition);
    memset(dense->emission, 0, S * X * sizeof *dense->emission);
    for (uint32_t i = 0; i < S; i++) {
        for (asif_matrix_row(t, i, &e, &end); e < end; e++)
            dense->transition[i * S + t->column[e]] = t->value[e];
        for (asif_matrix_row(o, i, &e, &end); e < end; e++)
            dense->emission[i * X + o->column[e]] = o->value[e];
    }
}

static double class_entropy(const asif_successors *s, uint32_t action, const double *event) {
    uint64_t X = s->setting->spec.observations;
    double entropy = 0;
    for (uint64_t x = 0; x < X; x++)
        if (event[x] > 0)
            entropy += surprise(event[x], s->classes.prior[action * X + x]);
    return entropy;
}

static bool fill_row(asif_branch *branch, const asif_successors *s, const dense_world *dense, uint64_t i,
                     const double *z, asif_sparse_builder *builder) {
    const asif_setting_spec *spec = &s->setting->spec;
    uint32_t S = spec->states, X = spec->observations, node[ASIF_MOST_BELIEF_STATES];
    double next[ASIF_MOST_BELIEF_STATES] = {0}, after[ASIF_MOST_BELIEF_STATES],
           weight[ASIF_MOST_BELIEF_STATES];
    const uint32_t *first = s->classes.first + (uint64_t)branch->action * X;
    memset(dense->event, 0, X * sizeof *dense->event);
    for (uint32_t from = 0; from < S; from++)
        for (uint32_t to = 0; to < S && z[from] > 0; to++)
            next[to] += z[from] * dense->transition[from * S + to];
    for (uint32_t x = 0; x < X; x++) {
        double p = 0;
        for (uint32_t to = 0; to < S; to++)
            p += after[to] = next[to] * dense->emission[to * X + x];
        if (branch->probability)
            branch->probability[x * branch->rows + i] = p;
        if (!(p > 0))
            continue;
        dense->event[first[x]] += p;
        for (uint32_t to = 0; to < S; to++)
            after[to] /= p;
        asif_lattice_locate(&s->lattice, after, node, weight);
        for (uint32_t k = 0; k < S; k++)
            if (!asif_sparse_add(builder, node[k], p * weight[k]))
                return false;
    }
    branch->entropy[i] = class_entropy(s, branch->action, dense->event);
    return asif_sparse_end_row(builder);
}

static bool fill_beliefs(asif_branch *branch, const asif_successors *s, uint32_t world, uint32_t action) {
    const asif_setting_spec *spec = &s->setting->spec;
    uint64_t S = spec->states;
    asif_sparse_builder builder;
    asif_sparse_begin(&builder, s->context);
    dense_world dense = {ASIF_ARRAY(s->context, S * S, double),
                         ASIF_ARRAY(s->context, S * spec->observations, double),
                         ASIF_ARRAY(s->context, spec->observations, double)};
    bool good = dense.transition && dense.emission && dense.event;
    if (good)
        unpack(&dense, s->setting, world, action);
    for (uint64_t i = 0; i < branch->rows && good; i++) {
        double z[ASIF_MOST_BELIEF_STATES];
        for (uint64_t k = 0; k < S; k++)
            z[k] = s->belief[k * s->stride + i];
        good = fill_row(branch, s, &dense, i, z, &builder);
    }
    asif_free(s->context, dense.transition);
    asif_free(s->context, dense.emission);
    asif_free(s->context, dense.event);
    if (good)
        return asif_sparse_finish(&builder, &branch->weights);
    asif_sparse_abandon(&builder);
    return false;
}

/* ---- all branches ---- */

typedef struct {
    asif_successors *successors;
    const uint32_t *world, *action; /* [branches]: the first pair that has the branch */
    bool observed;
    atomic_bool failed;
} job;

static void make_branch(void *argument, uint32_t i) {
    job *j = argument;
    asif_successors *s = j->successors;
    const asif_setting_spec *spec = &s->setting->spec;
    asif_branch *branch = &s->branch[i];
    const asif_matrix *t = asif_transitions(s->setting, j->world[i], j->action[i]);
    branch->action = j->action[i];
    branch->constant = rows_agree(t) && !any_terminal(spec);
    branch->rows = branch->constant ? 1 : s->nodes;
    branch->entropy = ASIF_ARRAY(s->context, branch->constant ? 1 : s->stride, double);
    if (j->observed)
        branch->probability = ASIF_ARRAY(s->context, branch->rows * spec->observations, double);
    bool good = branch->entropy && (branch->probability || !j->observed) &&
                (s->beliefs ? fill_beliefs : fill_states)(branch, s, j->world[i], j->action[i]);
    if (!good)
        atomic_store(&j->failed, true);
}

static bool by_observation(const asif_setting_spec *spec) {
    for (uint64_t i = 0; i < spec->terms; i++)
        if (spec->term[i].by == ASIF_BY_OBSERVATION)
            return true;
    return false;
}

/* An upper bound on the memory in bytes: an entry is a column and a value, and a row on the lattice has the
 * vertices of a simplex for each observation that can follow. */
static double estimate(const asif_setting *setting, const uint32_t *world, const uint32_t *action,
                       uint32_t branches, double nodes) {
    const asif_setting_spec *spec = &setting->spec;
    double entries = 0;
    for (uint32_t i = 0; i < branches; i++) {
        const asif_matrix *t = asif_transitions(setting, world[i], action[i]);
        if (rows_agree(t) && !any_terminal(spec))
            continue;
        double a_row = (double)t->offset[t->same_rows ? 1 : t->rows] / (t->same_rows ? 1 : t->rows);
        if (spec->observations) {
            const asif_matrix *o = asif_emissions(setting, world[i], action[i]);
            uint64_t all = o->offset[o->same_rows ? 1 : o->rows];
            double seen = (double)(all < spec->observations ? all : spec->observations);
            a_row = seen * spec->states;
        }
        entries += nodes * (a_row + 1);
    }
    return 12 * entries;
}

static asif_status too_big(const asif_setting *setting, const uint32_t *world, const uint32_t *action,
                           uint32_t branches, uint32_t resolution, double need, uint64_t memory,
                           asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    asif_fail(error, ASIF_ETOOBIG,
              "this problem needs about %.1f GB for its successor weights; the limit is %.1f GB", need / 1e9,
              (double)memory / 1e9);
    if (!spec->observations) {
        asif_error_hint(error, "raise the limit: solver: {memory: ...}");
        return ASIF_ETOOBIG;
    }
    while (resolution > 1 && estimate(setting, world, action, branches,
                                      asif_lattice_count(spec->states, resolution)) > (double)memory)
        resolution--;
    asif_error_hint(error, "a resolution of %u fits; or raise the limit: solver: {memory: ...}", resolution);
    return ASIF_ETOOBIG;
}

/* Whether two pairs of an action and a world have the same branch. The classes must agree too: they belong to
 * an action, depend on all of its worlds, and determine the entropy. */
static bool same_branch(const asif_successors *s, uint32_t world, uint32_t action, uint32_t of_world,
                        uint32_t of_action) {
    const asif_setting *setting = s->setting;
    if (asif_transitions(setting, world, action) != asif_transitions(setting, of_world, of_action))
        return false;
    if (!s->beliefs)
        return true;
    const asif_matrix *emissions = asif_emissions(setting, world, action);
    return emissions == asif_emissions(setting, of_world, of_action) &&
           asif_classes_agree(&s->classes, emissions, action, of_action);
}

static void distinct(asif_successors *s, uint32_t *world, uint32_t *action) {
    const asif_setting_spec *spec = &s->setting->spec;
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t m = 0; m < spec->worlds; m++) {
            uint32_t i = 0;
            while (i < s->branches && !same_branch(s, m, u, world[i], action[i]))
                i++;
            s->branch_of[(uint64_t)u * spec->worlds + m] = i;
            if (i == s->branches) {
                world[i] = m;
                action[i] = u;
                s->branches++;
            }
        }
}

static asif_status check_prior(const asif_successors *s, asif_error *error) {
    for (uint32_t i = 0; i < s->branches; i++)
        for (uint64_t r = 0; r < s->branch[i].rows; r++)
            if (!isfinite(s->branch[i].entropy[r]))
                return asif_fail(
                    error, ASIF_EINVALID,
                    "belief_prior is 0 where something can happen: its surprise would be infinite");
    return ASIF_OK;
}

static asif_status fill(asif_successors *s, uint32_t resolution, uint64_t memory, uint32_t *world,
                        uint32_t *action, asif_error *error) {
    const asif_setting_spec *spec = &s->setting->spec;
    uint32_t count = s->beliefs ? asif_lattice_count(spec->states, resolution) : spec->states;
    if (s->beliefs) {
        ASIF_TRY(asif_lattice_create(&s->lattice, s->context, spec->states, resolution, error));
        ASIF_TRY(asif_classes_create(&s->classes, s->context, s->setting, error));
    }
    distinct(s, world, action);
    if (count) {
        double need = estimate(s->setting, world, action, s->branches, count);
        if (need > (double)memory)
            return too_big(s->setting, world, action, s->branches, resolution, need, memory, error);
    }
    if (count > INT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "more than 2^31 - 1 states");
    s->nodes = count;
    s->stride = ((uint64_t)count + ASIF_SLICE - 1) / ASIF_SLICE * ASIF_SLICE;
    s->branch = ASIF_ARRAY(s->context, s->branches, asif_branch);
    if (s->beliefs)
        s->belief = ASIF_ARRAY(s->context, s->stride * spec->states, double);
    if (!s->branch || (s->beliefs && !s->belief))
        return asif_fail_memory(error);
    for (uint32_t i = 0; s->beliefs && i < s->nodes; i++) {
        double z[ASIF_MOST_BELIEF_STATES];
        asif_lattice_node(&s->lattice, i, z);
        for (uint32_t k = 0; k < spec->states; k++)
            s->belief[k * s->stride + i] = z[k];
    }
    job j = {s, world, action, by_observation(spec), false};
    asif_os_parallel(s->context->options.threads, s->branches, make_branch, &j);
    return atomic_load(&j.failed) ? asif_fail_memory(error) : check_prior(s, error);
}

asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, uint32_t resolution, uint64_t memory,
                                   asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    *out = NULL;
    uint64_t pairs = (uint64_t)spec->actions * spec->worlds;
    asif_successors *s = ASIF_NEW(context, asif_successors);
    if (!s)
        return asif_fail_memory(error);
    s->context = context;
    s->setting = setting;
    s->beliefs = spec->observations > 0;
    s->branch_of = ASIF_ARRAY(context, pairs, uint32_t);
    atomic_uint *references = ASIF_NEW(context, atomic_uint);
    s->references = references;
    uint32_t *scratch = ASIF_ARRAY(context, 2 * pairs, uint32_t);
    asif_status status = s->branch_of && references && scratch ? ASIF_OK : asif_fail_memory(error);
    if (references)
        atomic_init(references, 1);
    if (status == ASIF_OK)
        status = fill(s, resolution, memory, scratch, scratch + pairs, error);
    asif_free(context, scratch);
    if (status != ASIF_OK)
        asif_successors_release(s);
    else
        *out = s;
    return status;
}

asif_successors *asif_successors_share(asif_successors *s) {
    atomic_fetch_add((atomic_uint *)s->references, 1);
    return s;
}

void asif_successors_release(asif_successors *s) {
    if (!s || (s->references && atomic_fetch_sub((atomic_uint *)s->references, 1) > 1))
        return;
    const asif_context *context = s->context;
    for (uint32_t i = 0; s->branch && i < s->branches; i++) {
        asif_sparse_free(context, &s->branch[i].weights);
        asif_free(context, s->branch[i].entropy);
        asif_free(context, s->branch[i].probability);
    }
    asif_lattice_free(context, &s->lattice);
    asif_classes_free(context, &s->classes);
    asif_free(context, s->belief);
    asif_free(context, s->branch);
    asif_free(context, s->branch_of);
    asif_free(context, s->references);
    asif_free(context, s);
}
