#include "engine/successors.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "engine/places/order.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Lattices with fewer nodes keep the weights of a branch together. */
#define LEAST_SHARED 32

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

static bool by_observation(const asif_setting_spec *spec) {
    for (uint64_t i = 0; i < spec->terms; i++)
        if (spec->term[i].by == ASIF_BY_OBSERVATION)
            return true;
    return false;
}

static bool always_available(const asif_setting_spec *spec, uint32_t action) {
    bool always = true;
    for (uint32_t y = 0; spec->available && y < spec->seen; y++)
        always = always && asif_is_available(spec, y, action);
    return always;
}

/* Whether what an action leads to does not depend on where it is taken. */
static bool forgets(const asif_setting_spec *spec, const asif_matrix *t, uint32_t action, bool observed) {
    if (spec->horizon)
        return false;
    return (rows_agree(t) && !any_terminal(spec) && always_available(spec, action)) ||
           (spec->stops[action] && !observed);
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

static double class_entropy(const asif_successors *s, uint64_t first, const double *event) {
    double entropy = 0;
    for (uint64_t x = 0; x < s->links.shown; x++)
        if (event[x] > 0)
            entropy += surprise(event[x], s->classes.prior[first + x]);
    return entropy;
}

/* Adds to row i what follows by one link from a belief z over the hidden part. `probability` has a row of
 * numbers for each observation of the link; NULL: not wanted. event[x] is the probability of the class that
 * begins with x. */
static bool fill_link(asif_branch *branch, const asif_successors *s, uint32_t link, uint64_t i,
                      const double *z, double *probability, uint64_t stride, double *event,
                      asif_sparse_builder *builder) {
    const double *seen = asif_links_seen(&s->links, link);
    uint32_t H = s->links.hidden, X = s->links.shown, lead = asif_links_lead(&s->links, link),
             node[ASIF_MOST_BELIEF_STATES];
    uint64_t of = (uint64_t)branch->action * s->setting->spec.observations + lead;
    double next[ASIF_MOST_BELIEF_STATES], after[ASIF_MOST_BELIEF_STATES], weight[ASIF_MOST_BELIEF_STATES];
    memset(event, 0, X * sizeof *event);
    asif_links_follow(&s->links, link, z, next);
    for (uint32_t x = 0; x < X; x++) {
        double p = 0;
        for (uint32_t h = 0; h < H; h++)
            p += after[h] = next[h] * seen[x * H + h];
        if (probability)
            probability[x * stride] = p;
        if (!(p > 0) || s->links.last[link])
            continue;
        event[s->classes.first[of + x] - lead] += p;
        for (uint32_t h = 0; h < H; h++)
            after[h] /= p;
        uint32_t found = s->shares && !branch->constant
                             ? 0
                             : asif_successors_locate(s, s->links.to[link], after, node, weight);
        for (uint32_t k = 0; k < found; k++)
            if (!asif_sparse_add(builder, node[k], p * weight[k]))
                return false;
    }
    branch->entropy[i] += class_entropy(s, of, event);
    return true;
}

static bool fill_beliefs(asif_branch *branch, const asif_successors *s, uint32_t index) {
    uint64_t rows = branch->constant ? 1 : s->reachable ? s->nodes : s->lattice.nodes;
    asif_sparse_builder builder;
    asif_sparse_begin(&builder, s->context);
    double *event = ASIF_ARRAY(s->context, s->links.shown, double);
    bool good = event != NULL;
    for (uint64_t i = 0; i < branch->rows && good; i++) {
        uint32_t link, end, place = branch->constant ? 0 : asif_successors_place(s, (uint32_t)i);
        uint64_t within = branch->constant ? 0 : i - asif_successors_first(s, place);
        double z[ASIF_MOST_BELIEF_STATES];
        for (uint64_t h = 0; h < s->links.hidden; h++)
            z[h] = s->belief[h * s->belief_stride + asif_successors_column(s, (uint32_t)i)];
        asif_links_from(&s->links, index, place, &link, &end);
        for (; link < end && good; link++)
            good = fill_link(branch, s, link, i, z,
                             branch->probability ? asif_branch_probability(s, index, place, link, 0) + within
                                                 : NULL,
                             rows, event, &builder);
        good = good && asif_sparse_end_row(&builder);
    }
    asif_free(s->context, event);
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

/* The size of a branch's table of probabilities. */
static uint64_t probabilities(const asif_successors *s, uint32_t branch, bool constant) {
    const asif_links *links = &s->links;
    uint64_t first = (uint64_t)branch * links->places, most = 0;
    for (uint32_t p = 0; s->reachable && p < links->places; p++) {
        uint64_t here = links->at[first + p + 1] - links->at[first + p];
        most = here > most ? here : most;
    }
    if (s->reachable)
        return most * links->shown * (constant ? 1 : s->nodes);
    uint64_t used = links->at[first + (constant ? 1 : links->places)] - links->at[first];
    return used * links->shown * (constant ? 1 : s->lattice.nodes);
}

static void make_block(void *argument, uint32_t i) {
    job *j = argument;
    asif_successors *s = j->successors;
    if (!asif_blocks_fill(&s->blocks, s->context, &s->links, &s->lattice, i))
        atomic_store(&j->failed, true);
}

static void make_branch(void *argument, uint32_t i) {
    job *j = argument;
    asif_successors *s = j->successors;
    const asif_setting_spec *spec = &s->setting->spec;
    asif_branch *branch = &s->branch[i];
    const asif_matrix *t = asif_transitions(s->setting, j->world[i], j->action[i]);
    branch->action = j->action[i];
    branch->constant = forgets(spec, t, j->action[i], j->observed);
    branch->rows = branch->constant ? 1 : s->nodes;
    branch->entropy = ASIF_ARRAY(s->context, branch->constant ? 1 : s->stride, double);
    if (j->observed)
        branch->probability = ASIF_ARRAY(s->context, probabilities(s, i, branch->constant), double);
    bool good = branch->entropy && (branch->probability || !j->observed) &&
                (s->beliefs ? fill_beliefs(branch, s, i) : fill_states(branch, s, j->world[i], j->action[i]));
    if (!good)
        atomic_store(&j->failed, true);
}

/* An upper bound on the memory in bytes: an entry is a column and a value, and a row on the lattice has the
 * vertices of a simplex for each observation that can follow. */
static double estimate(const asif_successors *s, const uint32_t *world, const uint32_t *action,
                       uint32_t resolution) {
    const asif_setting *setting = s->setting;
    const asif_setting_spec *spec = &setting->spec;
    double entries = 0, hidden = asif_hidden_values(spec),
           one = s->beliefs ? asif_lattice_count((uint32_t)hidden, resolution) : spec->states,
           nodes = s->beliefs ? asif_places(spec) * one : one;
    if (s->shares)
        return 12 * s->blocks.count * one * (asif_shown_values(spec) * hidden + 1);
    for (uint32_t i = 0; i < s->branches; i++) {
        const asif_matrix *t = asif_transitions(setting, world[i], action[i]);
        if (forgets(spec, t, action[i], by_observation(spec)))
            continue;
        double a_row = (double)t->offset[t->same_rows ? 1 : t->rows] / (t->same_rows ? 1 : t->rows);
        if (spec->observations) {
            const asif_matrix *o = asif_emissions(setting, world[i], action[i]);
            uint64_t all = o->offset[o->same_rows ? 1 : o->rows], X = asif_shown_values(spec);
            double seen = (double)(all < X ? all : X),
                   targets = spec->seen > 1 ? fmin(a_row * hidden, spec->seen) : 1;
            a_row = targets * seen * hidden;
        }
        entries += nodes * (a_row + 1);
    }
    return 12 * entries;
}

static asif_status too_big(const asif_successors *s, const uint32_t *world, const uint32_t *action,
                           uint32_t resolution, double need, uint64_t memory, asif_error *error) {
    asif_fail(error, ASIF_ETOOBIG,
              "this problem needs about %.1f GB for its successor weights; the limit is %.1f GB", need / 1e9,
              (double)memory / 1e9);
    if (!s->beliefs) {
        asif_error_hint(error, "raise the limit: solver: {memory: ...}");
        return ASIF_ETOOBIG;
    }
    while (resolution > 1 && estimate(s, world, action, resolution) > (double)memory)
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
    if (setting->spec.stops[action] != setting->spec.stops[of_action])
        return false;
    for (uint32_t y = 0; setting->spec.available && y < setting->spec.seen; y++)
        if (asif_is_available(&setting->spec, y, action) != asif_is_available(&setting->spec, y, of_action))
            return false;
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

static uint64_t whole_slices(uint64_t rows) {
    return (rows + ASIF_SLICE - 1) / ASIF_SLICE * ASIF_SLICE;
}

uint32_t asif_successors_locate(const asif_successors *s, uint32_t place, const double *belief,
                                uint32_t *node, double *weight) {
    if (s->reachable) {
        node[0] = asif_reach_find(&s->reach, place, belief);
        weight[0] = 1;
        return node[0] != ASIF_ANY;
    }
    asif_lattice_locate(&s->lattice, belief, node, weight);
    for (uint32_t k = 0; k < s->lattice.states; k++)
        node[k] += place * s->lattice.nodes;
    return s->lattice.states;
}

/* ---- creation ---- */

/* Whether all worlds have the same dynamics, whatever the agent does. */
static bool worlds_agree(const asif_successors *s) {
    const asif_setting_spec *spec = &s->setting->spec;
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t m = 1; m < spec->worlds; m++)
            if (s->branch_of[(uint64_t)u * spec->worlds + m] != s->branch_of[(uint64_t)u * spec->worlds])
                return false;
    return true;
}

/* `ends`: they are wanted only if no place can come again. */
static asif_status reach(asif_successors *s, bool ends, asif_error *error) {
    if (ends && !s->order) /* before beliefs are listed, of which there may be very many */
        return asif_fail(error, ASIF_EUNSUPPORTED, "a seen value can come again");
    if (!worlds_agree(s)) {
        asif_fail(
            error, ASIF_EUNSUPPORTED,
            "the agent's worlds differ, so that the beliefs that it can reach depend on its parameters");
        asif_error_hint(error, "take a lattice of beliefs instead: solver: {beliefs: lattice}");
        return ASIF_EUNSUPPORTED;
    }
    return asif_reach_create(&s->reach, s->context, s->setting, &s->links, s->branch_of, error);
}

/* Make room for the nodes; their beliefs are those of one lattice, or of all that can be reached. */
static asif_status make_nodes(asif_successors *s, uint64_t count, asif_error *error) {
    uint64_t H = s->links.hidden, beliefs = s->reachable ? count : s->lattice.nodes;
    if (count > INT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "more than 2^31 - 1 states");
    s->nodes = (uint32_t)count;
    s->stride = whole_slices(count);
    s->branch = ASIF_ARRAY(s->context, s->branches, asif_branch);
    if (!s->branch)
        return asif_fail_memory(error);
    if (!s->beliefs)
        return ASIF_OK;
    s->belief_stride = whole_slices(beliefs);
    s->belief = ASIF_ARRAY(s->context, s->belief_stride * H, double);
    if (!s->belief)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < beliefs; i++) {
        double z[ASIF_MOST_BELIEF_STATES];
        if (s->reachable)
            memcpy(z, s->reach.belief + i * H, H * sizeof *z);
        else
            asif_lattice_node(&s->lattice, i, z);
        for (uint64_t k = 0; k < H; k++)
            s->belief[k * s->belief_stride + i] = z[k];
    }
    return ASIF_OK;
}

/* Links share blocks where this saves at least half of the weights, and rows are many enough for products. */
static asif_status share(asif_successors *s, asif_error *error) {
    if (s->links.places == 1 || s->lattice.nodes < LEAST_SHARED)
        return ASIF_OK;
    ASIF_TRY(asif_blocks_find(&s->blocks, s->context, &s->links, error));
    s->shares = s->blocks.count <= s->links.count / 2;
    if (!s->shares)
        asif_blocks_free(s->context, &s->blocks);
    return ASIF_OK;
}

static asif_status fill(asif_successors *s, bool graded, bool ends, uint32_t resolution, uint64_t memory,
                        uint32_t *world, uint32_t *action, asif_error *error) {
    const asif_setting_spec *spec = &s->setting->spec;
    uint32_t H = asif_hidden_values(spec);
    uint64_t count = s->reachable ? 0 : s->beliefs ? asif_lattice_beliefs(spec, resolution) : spec->states;
    if (s->beliefs) {
        if (!s->reachable)
            ASIF_TRY(asif_lattice_create(&s->lattice, s->context, H, graded, resolution, error));
        ASIF_TRY(asif_classes_create(&s->classes, s->context, s->setting, error));
    }
    distinct(s, world, action);
    if (s->beliefs) {
        ASIF_TRY(asif_links_create(&s->links, s->context, s->setting, world, action, s->branches, error));
        ASIF_TRY(asif_order_create(&s->order, s->context, &s->links, s->branches, error));
    }
    if (s->beliefs && !s->reachable)
        ASIF_TRY(share(s, error));
    if (count) {
        double need = estimate(s, world, action, resolution);
        if (need > (double)memory)
            return too_big(s, world, action, resolution, need, memory, error);
    }
    if (s->reachable) {
        ASIF_TRY(reach(s, ends, error));
        count = s->reach.nodes;
    }
    ASIF_TRY(make_nodes(s, count, error));
    job j = {s, world, action, by_observation(spec), false};
    asif_os_parallel(s->context->options.threads, s->branches, make_branch, &j);
    asif_os_parallel(s->context->options.threads, s->shares ? s->blocks.count : 0, make_block, &j);
    return atomic_load(&j.failed) ? asif_fail_memory(error) : check_prior(s, error);
}

static asif_status create(asif_successors **out, const asif_context *context, const asif_setting *setting,
                          asif_beliefs kind, bool ends, uint32_t resolution, uint64_t memory,
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
    s->reachable = kind == ASIF_BELIEFS_REACHABLE;
    s->branch_of = ASIF_ARRAY(context, pairs, uint32_t);
    atomic_uint *references = ASIF_NEW(context, atomic_uint);
    s->references = references;
    uint32_t *scratch = ASIF_ARRAY(context, 2 * pairs, uint32_t);
    asif_status status = s->branch_of && references && scratch ? ASIF_OK : asif_fail_memory(error);
    if (references)
        atomic_init(references, 1);
    if (status == ASIF_OK)
        status =
            fill(s, kind == ASIF_BELIEFS_GRADED, ends, resolution, memory, scratch, scratch + pairs, error);
    asif_free(context, scratch);
    if (status != ASIF_OK)
        asif_successors_release(s);
    else
        *out = s;
    return status;
}

asif_status asif_successors_create(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, asif_beliefs lattice, uint32_t resolution,
                                   uint64_t memory, asif_error *error) {
    return create(out, context, setting, lattice, false, resolution, memory, error);
}

asif_status asif_successors_reachable(asif_successors **out, const asif_context *context,
                                      const asif_setting *setting, bool ends, asif_error *error) {
    *out = NULL;
    if (setting->spec.observations == 0 || asif_hidden_values(&setting->spec) > ASIF_MOST_BELIEF_STATES)
        return asif_fail(error, ASIF_EUNSUPPORTED, "there are no beliefs that could be reached");
    return create(out, context, setting, ASIF_BELIEFS_REACHABLE, ends, 0, 0, error);
}

double asif_successors_measure(const asif_successors *s, const asif_utility_term *term, uint32_t node) {
    double z[ASIF_MOST_BELIEF_STATES];
    if (!s->beliefs)
        return term->index == ASIF_ANY || term->index == node;
    for (uint32_t h = 0; h < s->links.hidden; h++)
        z[h] = s->belief[h * s->belief_stride + asif_successors_column(s, node)];
    return asif_term_measure_at(term, asif_successors_place(s, node) % s->links.seen, z, s->links.hidden);
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
    asif_blocks_free(context, &s->blocks);
    asif_links_free(context, &s->links);
    asif_reach_free(context, &s->reach);
    asif_free(context, s->order);
    asif_free(context, s->belief);
    asif_free(context, s->branch);
    asif_free(context, s->branch_of);
    asif_free(context, s->references);
    asif_free(context, s);
}
