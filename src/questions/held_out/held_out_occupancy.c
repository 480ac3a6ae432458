/* The distance between two behaviours by their discounted occupancies of states and actions or, where states
 * are not seen, of histories and actions. */
#include "questions/held_out/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "inverse/solve/flow.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

/* ---- states are seen: total variation of the two occupancies in the environment ---- */

static asif_status distance_of_states(double *out, const asif_held_out_view *v, const double *by_state,
                                      asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(v->setting);
    uint64_t cells = (uint64_t)spec->states * spec->actions;
    asif_flow flow;
    ASIF_TRY(asif_flow_create(&flow, v->context, v->setting, error));
    double *policy = ASIF_ARRAY(v->context, cells, double), *did = ASIF_ARRAY(v->context, cells, double);
    double *does = ASIF_ARRAY(v->context, cells, double);
    asif_status status = policy && did && does ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_demonstrated(v->tree, v->count, policy, NULL);
        status = asif_flow_occupancy(&flow, policy, NULL, did, error);
    }
    if (status == ASIF_OK)
        status = asif_flow_occupancy(&flow, by_state, NULL, does, error);
    *out = 0;
    for (uint64_t i = 0; status == ASIF_OK && i < cells; i++)
        *out += fabs(did[i] - does[i]) / 2;
    void *const arrays[] = {policy, did, does};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(v->context, arrays[i]);
    asif_flow_free(&flow);
    return status;
}

/* ---- histories ---- */

/* A walk down the tree with the belief of an observer who knows the environment, and the probability of
 * reaching each node. */
typedef struct {
    const asif_held_out_view *view;
    const asif_tree_view *tree;
    const asif_setting_spec *spec;
    const double *policy; /* [nodes][actions] */
    double *belief;       /* [nodes][states] */
    double *came;         /* [nodes]: decisions in the logs */
    double *reach;        /* [nodes]: decisions if the policy acted */
    double *kept;         /* [nodes][actions]: probability of the observations that are in the logs */
    double apart, both;   /* sums of |a - b| and of a + b */
} walk;

/* The probability of the observation at node n; also computes the belief after it. */
static double observe(const walk *f, uint64_t n) {
    const asif_setting_spec *spec = f->spec;
    const double *before = f->belief + (uint64_t)f->tree->parent[n] * spec->states;
    double *after = f->belief + n * spec->states, sum = 0;
    uint32_t u = f->tree->action[n], x = f->tree->observation[n];
    const asif_matrix *t = asif_transitions(f->view->setting, spec->worlds, u);
    const asif_matrix *e = asif_emissions(f->view->setting, spec->worlds, u);
    memset(after, 0, spec->states * sizeof *after);
    for (uint32_t s = 0; s < spec->states; s++) {
        uint64_t begin, end;
        asif_matrix_row(t, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            after[t->column[i]] += before[s] * t->value[i];
    }
    if (x == ASIF_ANY)
        return 1;
    for (uint32_t s = 0; s < spec->states; s++) {
        uint64_t begin, end;
        double p = 0;
        asif_matrix_row(e, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            if (e->column[i] == x)
                p = e->value[i];
        after[s] *= p;
        sum += after[s];
    }
    for (uint32_t s = 0; s < spec->states && sum > 0; s++)
        after[s] /= sum;
    return sum;
}

static void arrive(walk *w, uint64_t n) {
    const asif_tree_view *t = w->tree;
    if (t->parent[n] == ASIF_ANY) {
        memcpy(w->belief + n * w->spec->states, w->spec->environment_start + n * w->spec->states,
               w->spec->states * sizeof *w->belief);
        w->reach[n] = w->came[n];
        return;
    }
    uint64_t before = t->parent[n], move = before * t->actions + t->action[n];
    double answer = observe(w, n);
    if (w->came[before] > 0) {
        w->reach[n] = w->reach[before] * w->policy[move] * answer;
        w->kept[move] += answer;
    } else { /* observed before the first action */
        w->reach[n] = w->came[n];
    }
}

static void compare(walk *w, uint64_t n, double weight) {
    uint32_t U = w->tree->actions;
    for (uint32_t u = 0; u < U; u++) {
        double did = w->view->count[n * U + u], does = w->reach[n] * w->policy[n * U + u];
        w->apart += weight * fabs(did - does);
        w->both += weight * (did + does);
    }
}

/* Count the visits of the policy that leave the histories of the logs, once, where they leave. */
static void leave(walk *w, uint64_t n, double weight) {
    uint32_t U = w->tree->actions;
    for (uint32_t u = 0; w->came[n] > 0 && u < U; u++) {
        bool ends = w->spec->ends && w->spec->ends[u];
        double off = ends ? 0 : w->reach[n] * w->policy[n * U + u] * fmax(0, 1 - w->kept[n * U + u]);
        w->apart += weight * off;
        w->both += weight * off;
    }
}

/* The Bray-Curtis distance between discounted visits: sum |a - b| / sum (a + b). */
static asif_status distance_of_histories(double *out, const asif_held_out_view *v, const double *policy,
                                         asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(v->tree);
    const asif_setting_spec *spec = asif_setting_get(v->setting);
    uint32_t U = t->actions;
    walk w = {.view = v,
              .tree = t,
              .spec = spec,
              .policy = policy,
              .belief = ASIF_ARRAY(v->context, (uint64_t)t->nodes * spec->states, double),
              .came = ASIF_ARRAY(v->context, t->nodes, double),
              .reach = ASIF_ARRAY(v->context, t->nodes, double),
              .kept = ASIF_ARRAY(v->context, (uint64_t)t->nodes * U, double)};
    bool enough = w.belief && w.came && w.reach && w.kept;
    for (uint64_t i = 0; enough && i < (uint64_t)t->nodes * U; i++)
        w.came[i / U] += v->count[i];
    double weight = 1;
    for (uint32_t level = 0; enough && level < t->levels; level++, weight *= spec->discount) {
        for (uint64_t n = t->level[level]; n < t->level[level + 1]; n++) {
            arrive(&w, n);
            compare(&w, n, weight);
        }
        for (uint64_t n = level ? t->level[level - 1] : 0; level && n < t->level[level]; n++)
            leave(&w, n, weight);
    }
    *out = w.both > 0 ? w.apart / w.both : NAN;
    void *const arrays[] = {w.belief, w.came, w.reach, w.kept};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(v->context, arrays[i]);
    return enough ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_held_out_distance(double *out, const asif_held_out_view *view, const double *policy,
                                   const double *by_state, asif_error *error) {
    if (asif_tree_inside(view->tree)->lost) { /* decisions after lost results have no history */
        *out = NAN;
        return ASIF_OK;
    }
    return asif_tree_inside(view->tree)->states_seen ? distance_of_states(out, view, by_state, error)
                                                     : distance_of_histories(out, view, policy, error);
}
