/* The policy of the Bayes-optimal agent. */
#include "acting/bayes/bayes.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define TIE 1e-10 /* values this near are a tie, relative to max(1, best) */

void asif_bayes_act(const asif_bayes *b, uint32_t node, double *policy, uint32_t *blind) {
    const asif_bayes_model *m = &b->model;
    bool inside = b->inside[node] != ASIF_ANY;
    double best = -INFINITY, sum = 0;
    *blind = ASIF_ANY;
    memset(policy, 0, m->actions * sizeof *policy);
    if (!inside && !b->renewing) {
        asif_bayes_blind(&b->bounds, b->belief + (uint64_t)node * m->width, blind);
        return;
    }
    for (uint32_t i = 0; i < m->actions; i++) {
        policy[i] = inside || m->renews[i] ? asif_bayes_q(b, node, i, b->low, b->low_after) : -INFINITY;
        best = fmax(best, policy[i]);
    }
    for (uint32_t i = 0; i < m->actions; i++)
        sum += policy[i] = policy[i] >= best - TIE * fmax(1, fabs(best)) ? m->prior[i] : 0;
    for (uint32_t i = 0; i < m->actions; i++)
        policy[i] /= sum;
}

static uint32_t action_of(const asif_bayes_model *m, uint32_t action) {
    uint32_t i = 0;
    while (i < m->actions && m->action[i] != action)
        i++;
    return i < m->actions ? i : ASIF_ANY;
}

/* Update the belief by one event; false: the agent holds the event impossible. */
static bool go_on(asif_bayes *b, double *belief, uint32_t action, uint32_t seen) {
    asif_bayes_model *m = &b->model;
    uint32_t i = action_of(m, action), j = 0, n;
    if (i == ASIF_ANY)
        return false;
    if (seen == ASIF_ANY) {
        asif_bayes_unseen(m, belief, i, b->next);
        memcpy(belief, b->next, m->width * sizeof *belief);
        return true;
    }
    n = asif_bayes_follow(m, belief, i, b->label, b->probability, b->next);
    while (j < n && b->label[j] != seen)
        j++;
    if (j < n)
        memcpy(belief, b->next + (uint64_t)j * m->width, m->width * sizeof *belief);
    return j < n;
}

asif_status asif_bayes_after(asif_bayes *b, const asif_outcome_history *h, double *policy,
                             asif_error *error) {
    const asif_bayes_model *m = &b->model;
    bool known = !m->seen;
    const asif_bayes_info info = b->info; /* restored below */
    const double one = 1;
    uint32_t node = ASIF_ANY, blind;
    for (uint32_t u = 0; u < m->spec->actions; u++)
        policy[u] = NAN;
    if (!known) /* the history does not tell what the agent had learnt about the worlds before this state */
        return ASIF_OK;
    double *belief = ASIF_ARRAY(b->context, (uint64_t)m->width + m->actions, double);
    if (!belief)
        return asif_fail_memory(error);
    asif_bayes_begin(m, h->start, h->state, belief);
    for (uint32_t k = 0; known && k < h->events; k++)
        known = go_on(b, belief, h->action[k], h->observation[k]);
    asif_status status = known ? asif_bayes_node(b, belief, &node, error) : ASIF_OK;
    if (status == ASIF_OK && known)
        status = asif_bayes_search(b, 1, &node, &one, error);
    if (status == ASIF_OK && known && b->inside[node] == ASIF_ANY) {
        status = asif_bayes_expand(b, node, error);
        if (status == ASIF_OK)
            status = asif_bayes_settle(b, error);
    }
    if (status == ASIF_OK && known && b->info.computed) {
        double *own = belief + m->width;
        asif_bayes_act(b, node, own, &blind);
        memset(policy, 0, m->spec->actions * sizeof *policy);
        for (uint32_t i = 0; i < m->actions; i++)
            policy[m->action[i]] = blind == i ? 1 : own[i];
    }
    b->info = info;
    asif_free(b->context, belief);
    return status;
}
