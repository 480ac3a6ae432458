/* The derivatives of the likelihood: a walk down the tree, then a walk up, in which each level passes the
 * derivatives in its agent states to the level above. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/likelihood.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

typedef struct {
    double *state, *memo; /* [nodes][...] */
    asif_lapse_bars lapse;
} bars;

static asif_status up(const asif_behavior *b, const asif_tree_view *t, const double *count,
                      const asif_loglik_walk *w, bars *bar, uint32_t *from, asif_error *error) {
    for (uint32_t k = t->levels; k-- > 0;) {
        uint64_t first = t->level[k], n = t->level[k + 1] - first, above = k ? t->level[k - 1] : 0;
        double *state_bar = bar->state + first * b->width;
        ASIF_TRY(asif_policies_pull(b, n, w->state + first * b->width, w->log_policy + first * t->actions,
                                    w->memo + first * b->memo_width, count + first * t->actions,
                                    bar->memo + first * b->memo_width, state_bar, &bar->lapse, error));
        if (t->parent[first] == ASIF_ANY) {
            for (uint64_t i = 0; i < n; i++)
                b->pullback->init(b->self, t->states_seen ? 0 : (uint32_t)(first + i),
                                  state_bar + i * b->width);
            continue;
        }
        for (uint64_t i = 0; i < n; i++)
            from[i] = (uint32_t)(t->parent[first + i] - above);
        ASIF_TRY(b->pullback->step(b->self, n, from, w->state + above * b->width,
                                   w->memo + above * b->memo_width, t->action + first, t->observation + first,
                                   w->state + first * b->width, state_bar, bar->state + above * b->width,
                                   bar->memo + above * b->memo_width, error));
    }
    return ASIF_OK;
}

/* Make the counts whose sum with the log-policies has the same derivatives as the likelihood. */
static asif_status share_lost(double **out, const asif_context *context, const asif_tree_view *t,
                              const double *log_policy, asif_error *error) {
    uint64_t cells = (uint64_t)t->nodes * t->actions;
    double *count = *out = ASIF_ARRAY(context, cells, double);
    if (!count)
        return asif_fail_memory(error);
    memcpy(count, t->count, cells * sizeof *count);
    for (uint64_t k = 0; k < t->lost; k++)
        asif_lost_share(count, t, k, asif_lost_log(t, k, log_policy), log_policy);
    return ASIF_OK;
}

asif_status asif_loglik_gradient(double *total, asif_theta_gradient *gradient, const asif_behavior *b,
                                 const asif_tree *tree, const double *count, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    if (!b->pullback)
        return asif_fail(error, ASIF_EUNSUPPORTED, "this planner gives no derivatives");
    uint64_t nodes = t->nodes, widest = 0;
    for (uint32_t k = 0; k < t->levels; k++)
        widest = t->level[k + 1] - t->level[k] > widest ? t->level[k + 1] - t->level[k] : widest;
    asif_loglik_walk walk = {ASIF_ARRAY(b->context, nodes * b->width, double),
                             ASIF_ARRAY(b->context, nodes * b->memo_width, double),
                             ASIF_ARRAY(b->context, nodes * t->actions, double)};
    bars bar = {ASIF_ARRAY(b->context, nodes * b->width, double),
                ASIF_ARRAY(b->context, nodes * b->memo_width, double),
                {0, ASIF_ARRAY(b->context, t->actions, double)}};
    uint32_t *from = ASIF_ARRAY(b->context, widest, uint32_t);
    asif_status status =
        walk.state && walk.memo && walk.log_policy && bar.state && bar.memo && bar.lapse.prior && from
            ? asif_loglik_keep(total, b, tree, count, &walk, error)
            : asif_fail_memory(error);
    double *shared = NULL;
    if (status == ASIF_OK && isfinite(*total)) {
        if (t->lost)
            status = share_lost(&shared, b->context, t, walk.log_policy, error);
        if (status == ASIF_OK)
            status = b->pullback->begin(b->self, gradient->matrix != NULL, error);
        if (status == ASIF_OK)
            status = up(b, t, shared ? shared : count ? count : t->count, &walk, &bar, from, error);
        if (status == ASIF_OK)
            status = b->pullback->end(b->self, gradient, error);
        if (status == ASIF_OK)
            asif_lapse_add(gradient, b, &bar.lapse);
    }
    void *const arrays[] = {walk.state, walk.memo, walk.log_policy, bar.state,
                            bar.memo,   from,      bar.lapse.prior, shared};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(b->context, arrays[i]);
    return status;
}
