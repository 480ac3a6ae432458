/* What actions are worth all in. An agent that chooses at random and takes an action nearly for sure gives up
 * alpha times -log of the action's share in the action prior. Where the utility of the action is the same in
 * all states, a little more of it and a little more alpha are then nearly the same agent: the logs say more
 * about the difference than about either. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "setting/setting.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define TRADES_OFF 0.8 /* correlation from which numbers trade off */

/* ---- what is estimated ---- */

static const asif_part *part_of(const asif_estimates *e, uint32_t utility) {
    for (uint32_t i = 0; i < e->parts; i++)
        if (e->part[i].number && e->part[i].utility == utility)
            return &e->part[i];
    return NULL;
}

/* The part of alpha, if it is the only randomness of choice and positive, and the action prior is given. */
static const asif_part *find_alpha(const asif_estimates *e) {
    const asif_part *alpha = NULL;
    for (uint32_t i = 0; i < e->parts; i++) {
        const asif_part *part = &e->part[i];
        if (!part->number && part->which == ASIF_ACTION_PRIOR)
            return NULL;
        if (part->number && part->number->parameter && strcmp(part->number->parameter, "act_alpha") == 0)
            return NULL;
        if (part->number && part->number->parameter && strcmp(part->number->parameter, "alpha") == 0)
            alpha = part;
    }
    return alpha && alpha->sign > 0 && isnan(e->given->a_act) ? alpha : NULL;
}

/* ---- the utility of an action ---- */

typedef struct {
    double slope, constant; /* the utility is slope * parameter + constant */
    double cost;            /* -log of the share in the action prior */
} worth;

/* Add a term to the utility of an action in each state; false: it is none of states, or of another estimated
 * number. */
static bool add_term(worth *state, const asif_estimates *e, const asif_utility_term *t, uint32_t parameter) {
    uint32_t states = e->given->setting->spec.states;
    bool all = t->index == ASIF_ANY, own = t->parameter == parameter;
    if (t->coefficient == 0)
        return true;
    if (t->by != ASIF_BY_STATE || (!own && t->parameter != ASIF_ANY && part_of(e, t->parameter)))
        return false;
    double value = t->coefficient;
    if (!own && t->parameter != ASIF_ANY)
        value *= e->given->utility[t->parameter];
    for (uint32_t s = all ? 0 : t->index; s < (all ? states : t->index + 1); s++)
        *(own ? &state[s].slope : &state[s].constant) += value;
    return true;
}

/* The utility of an action in each state; false: it depends on more than the state and the number. */
static bool weigh_states(worth *state, const asif_estimates *e, uint32_t parameter, uint32_t action) {
    const asif_setting_spec *s = &e->given->setting->spec;
    for (uint32_t i = 0; i < s->states; i++)
        state[i] = (worth){0, s->utility ? s->utility[(uint64_t)action * s->states + i] : 0, 0};
    for (uint64_t i = 0; i < s->terms; i++)
        if ((s->term[i].action == ASIF_ANY || s->term[i].action == action) &&
            !add_term(state, e, &s->term[i], parameter))
            return false;
    return true;
}

static bool is_same(const worth *a, const worth *b) {
    return a->slope == b->slope && a->constant == b->constant && fabs(a->cost - b->cost) <= 1e-12;
}

/* The worth of an action that is the same in all states in which it can be taken, of those from which
 * something follows; false: there is none. */
static bool weigh(worth *out, worth *state, const asif_estimates *e, uint32_t parameter, uint32_t action) {
    const asif_setting_spec *s = &e->given->setting->spec;
    const double *prior = e->given->action_prior;
    bool found = false;
    if (s->stops[action] || s->ends[action] || !weigh_states(state, e, parameter, action))
        return false;
    for (uint32_t i = 0; i < s->states; i++) {
        uint32_t place = i / asif_hidden_values(s);
        if (s->terminal[i] || !asif_is_available(s, place, action))
            continue;
        state[i].cost = -log(prior[action] / asif_prior_available(s, place, prior));
        if (found && !is_same(out, &state[i]))
            return false;
        *out = state[i];
        found = true;
    }
    return found && out->slope > 0 && out->cost > 0 && isfinite(out->cost);
}

/* ---- draws ---- */

static void summarise(asif_fit_all_in *out, double *value, uint64_t n) {
    double sum = 0;
    out->mean = 0;
    for (uint64_t i = 0; i < n; i++)
        out->mean += value[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        sum += (value[i] - out->mean) * (value[i] - out->mean);
    asif_sort(value, n);
    out->sd = n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
    out->q05 = asif_quantile(value, n, 0.05);
    out->q50 = asif_quantile(value, n, 0.5);
    out->q95 = asif_quantile(value, n, 0.95);
}

/* Summarise an action at the draws; false: it is not better known than its utility. */
static bool summarise_draws(asif_fit_all_in *out, const asif_draws_view *view, const worth *w, uint32_t alpha,
                            double *value) {
    uint64_t all = view->chains * view->draws;
    asif_fit_all_in alone = *out;
    for (uint64_t i = 0; i < all; i++)
        value[i] = w->slope * view->value[out->parameter * all + i] + w->constant;
    summarise(&alone, value, all);
    for (uint64_t i = 0; i < all; i++)
        value[i] = w->slope * view->value[out->parameter * all + i] + w->constant -
                   w->cost * exp(view->value[alpha * all + i]);
    summarise(out, value, all);
    return out->q95 - out->q05 < alone.q95 - alone.q05;
}

static void find(asif_fit *fit, const asif_draws_view *view, const asif_part *alpha, worth *state,
                 double *value) {
    const asif_estimates *e = fit->estimates;
    const asif_setting_spec *s = &e->given->setting->spec;
    for (uint32_t k = 0; k < e->parts; k++) {
        const asif_part *part = &e->part[k];
        if (!part->number || part->utility == ASIF_ANY)
            continue;
        double r = fit->correlation[(uint64_t)part->reported * fit->view.parameters + alpha->reported];
        for (uint32_t u = 0; r > TRADES_OFF && u < s->actions; u++) {
            worth w = {0};
            asif_fit_all_in *out = &fit->all_in[fit->view.all_ins];
            if (!weigh(&w, state, e, part->utility, u))
                continue;
            *out = (asif_fit_all_in){.action = u, .parameter = part->reported, .cost = w.cost, .r = r};
            fit->view.all_ins += summarise_draws(out, view, &w, alpha->reported, value);
        }
    }
}

asif_status asif_fit_weigh(asif_fit *fit, asif_error *error) {
    const asif_estimates *e = fit->estimates;
    const asif_part *alpha = find_alpha(e);
    asif_draws_view view = {.struct_size = sizeof view};
    asif_free(fit->context, fit->all_in);
    fit->all_in = NULL;
    fit->view.all_in = NULL;
    fit->view.all_ins = 0;
    if (!alpha || !fit->draws || !fit->correlation)
        return ASIF_OK;
    ASIF_TRY(asif_draws_get(fit->draws, &view, error));
    /* an action depends on one estimated utility at most */
    fit->all_in = ASIF_ARRAY(fit->context, e->given->setting->spec.actions, asif_fit_all_in);
    worth *state = ASIF_ARRAY(fit->context, e->given->setting->spec.states, worth);
    double *value = ASIF_ARRAY(fit->context, view.chains * view.draws, double);
    asif_status status = fit->all_in && state && value ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        find(fit, &view, alpha, state, value);
        fit->view.all_in = fit->all_in;
    }
    asif_free(fit->context, state);
    asif_free(fit->context, value);
    return status;
}
