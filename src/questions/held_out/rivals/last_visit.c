/* The rival last-visit: a logistic regression of the action on the last action and the last observation,
 *
 *     log pi(u) = w_action(u) + w_observation(u) + constant,
 *
 * with one indicator for each of their values. Weights have a normal prior with standard deviation SPREAD, so
 * that an action that was never taken keeps some probability. First decisions have no last visit: they are
 * predicted by their shares in each start class. */
#include "asif/sample.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "questions/held_out/rivals/rival.h"

#include <math.h>
#include <string.h>

#define SPREAD 10.0

/* Counts by the last action and observation, [cells][actions]; the last observation is "nothing seen". */
typedef struct {
    uint32_t actions, seen; /* `seen`: kinds of observations */
    double *count;          /* [actions][seen][actions] */
    double *part;           /* [actions] */
} regression;

/* log pi [actions] after the last action and observation at weights w [actions + seen][actions]. */
static void log_policy(const regression *r, const double *w, uint32_t did, uint32_t saw, double *out) {
    const double *a = w + (uint64_t)did * r->actions, *x = w + ((uint64_t)r->actions + saw) * r->actions;
    double most = -INFINITY, sum = 0;
    for (uint32_t u = 0; u < r->actions; u++) {
        out[u] = a[u] + x[u];
        most = fmax(most, out[u]);
    }
    for (uint32_t u = 0; u < r->actions; u++)
        sum += exp(out[u] - most);
    for (uint32_t u = 0; u < r->actions; u++)
        out[u] -= most + log(sum);
}

/* Log-posterior of the weights, and its derivatives. */
static asif_status evaluate(void *user, const double *w, double *value, double *gradient, asif_error *error) {
    const regression *r = user;
    uint32_t U = r->actions;
    (void)error;
    *value = 0;
    for (uint64_t i = 0; i < ((uint64_t)U + r->seen) * U; i++) {
        *value -= w[i] * w[i] / (2 * SPREAD * SPREAD);
        if (gradient)
            gradient[i] = -w[i] / (SPREAD * SPREAD);
    }
    for (uint32_t did = 0; did < U; did++)
        for (uint32_t saw = 0; saw < r->seen; saw++) {
            const double *count = r->count + ((uint64_t)did * r->seen + saw) * U;
            double all = 0;
            log_policy(r, w, did, saw, r->part);
            for (uint32_t u = 0; u < U; u++) {
                all += count[u];
                *value += count[u] * r->part[u];
            }
            for (uint32_t u = 0; gradient && all > 0 && u < U; u++) {
                double bar = count[u] - all * exp(r->part[u]);
                gradient[(uint64_t)did * U + u] += bar;
                gradient[((uint64_t)U + saw) * U + u] += bar;
            }
        }
    return ASIF_OK;
}

static uint32_t seen_at(const asif_tree_view *t, uint64_t node) {
    return t->observation[node] == ASIF_ANY ? t->observations : t->observation[node];
}

static void count_visits(regression *r, const asif_lesson *lesson) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    for (uint64_t n = 0; n < t->nodes; n++)
        for (uint32_t u = 0; t->parent[n] != ASIF_ANY && u < t->actions; u++)
            r->count[((uint64_t)t->action[n] * r->seen + seen_at(t, n)) * t->actions + u] +=
                lesson->count[n * t->actions + u];
}

static asif_status maximise(double *w, regression *r, const asif_lesson *lesson, asif_error *error) {
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    const asif_density density = {.dimension = (r->actions + r->seen) * r->actions,
                                  .evaluate = evaluate,
                                  .has_gradient = true,
                                  .smooth = true,
                                  .user = r};
    options.no_polish = true;
    options.tol = 1e-10;
    return asif_maximise(w, lesson->context, &density, 1, &options, NULL, error);
}

static void predict_nodes(double *policy, const regression *r, const double *w, const double *shares,
                          const asif_lesson *lesson) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    uint32_t U = t->actions;
    for (uint64_t n = 0; n < t->nodes; n++) {
        if (t->parent[n] == ASIF_ANY) {
            asif_rival_share(policy + n * U, lesson->count + n * U, shares, U);
            continue;
        }
        log_policy(r, w, t->action[n], seen_at(t, n), policy + n * U);
        for (uint32_t u = 0; u < U; u++)
            policy[n * U + u] = exp(policy[n * U + u]);
    }
}

static asif_status predict(double *policy, double *by_state, const asif_lesson *lesson, asif_error *error) {
    const asif_context *context = lesson->context;
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    uint64_t U = t->actions, seen = (uint64_t)t->observations + 1;
    regression r = {.actions = t->actions, .seen = t->observations + 1};
    double *w = ASIF_ARRAY(context, (U + seen) * U, double), *shares = ASIF_ARRAY(context, U, double);
    (void)by_state;
    r.count = ASIF_ARRAY(context, U * seen * U, double);
    r.part = ASIF_ARRAY(context, U, double);
    asif_status status = w && shares && r.count && r.part ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        count_visits(&r, lesson);
        asif_rival_shares(shares, lesson);
        status = maximise(w, &r, lesson, error);
    }
    if (status == ASIF_OK)
        predict_nodes(policy, &r, w, shares, lesson);
    void *const arrays[] = {w, shares, r.count, r.part};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    return status;
}

const asif_rival asif_rival_last_visit = {
    "last-visit", "logistic regression on the last action and observation", true, predict};
