/* Predictive checks of a fit: the logs are counted, and the families are checked one after the other. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define FEWEST_LOGS 150 /* fewest logs to simulate: with fewer, no p-value could be small enough */

const char *asif_check_text(asif_check_kind kind) {
    static const char *const names[ASIF_CHECK_KINDS] = {"steps",    "beliefs", "states",      "histories",
                                                        "switches", "lengths", "environment", "subjects"};
    return (size_t)kind < ASIF_CHECK_KINDS ? names[kind] : NULL;
}

/* ---- the logs ---- */

/* Count how many episodes reached each node, and by which action of the node above. */
static asif_status count_visits(asif_checking *c, asif_error *error) {
    const asif_tree_view *t = c->tree;
    uint64_t U = t->actions;
    c->decisions = ASIF_ARRAY(c->checks->context, t->nodes, double);
    c->followed = ASIF_ARRAY(c->checks->context, t->nodes * U, double);
    c->followed_seen = ASIF_ARRAY(c->checks->context, t->nodes * U, double);
    if (!c->decisions || !c->followed || !c->followed_seen)
        return asif_fail_memory(error);
    c->whole = true;
    for (uint64_t i = 0; i < t->nodes * U; i++) {
        c->decisions[i / U] += t->count[i];
        c->whole &= t->count[i] == floor(t->count[i]);
    }
    for (uint32_t i = 0; !t->states_seen && i < t->nodes; i++) {
        if (t->parent[i] == ASIF_ANY)
            continue;
        uint64_t at = t->parent[i] * U + t->action[i];
        c->followed[at] += c->decisions[i];
        c->followed_seen[at] += t->observation[i] == ASIF_ANY ? 0 : c->decisions[i];
    }
    for (uint64_t k = 0; k < t->transitions; k++)
        c->followed[t->from[k] * U + t->did[k]] += t->transition_count[k];
    if (t->states_seen)
        memcpy(c->followed_seen, c->followed, t->nodes * U * sizeof *c->followed);
    for (uint64_t i = 0; !t->states_seen && i < t->starts * U; i++)
        c->begun |= c->followed[i] > t->count[i];
    return ASIF_OK;
}

/* Find the share of decisions after which nothing was observed, so that simulated logs can do the same. It is
 * not known of the last decisions of episodes; their observations are added afterwards. */
static asif_status find_unseen(asif_checking *c, asif_error *error) {
    const asif_tree_view *t = c->tree;
    uint64_t U = t->actions;
    c->unseen = ASIF_ARRAY(c->checks->context, U, double);
    if (!c->unseen)
        return asif_fail_memory(error);
    for (uint64_t u = 0; u < U; u++) {
        double all = 0, seen = 0;
        for (uint64_t i = 0; i < t->nodes; i++) {
            all += c->followed[i * U + u];
            seen += c->followed_seen[i * U + u];
        }
        c->unseen[u] = all > 0 ? 1 - seen / all : 0;
    }
    for (uint64_t i = 0; i < t->ends; i++)
        c->followed_seen[t->end_node[i] * U + t->end_action[i]] += t->end_count[i];
    return ASIF_OK;
}

/* ---- numbers of draws and replicates ---- */

static asif_status choose_points(asif_checking *c, asif_error *error) {
    uint64_t n = asif_estimates_dimension(c->fitted->estimates);
    c->x = ASIF_ARRAY(c->checks->context, c->options.draws * n, double);
    if (!c->x)
        return asif_fail_memory(error);
    ASIF_TRY(asif_fitted_points(c->x, &c->points, c->fitted, c->options.draws, error));
    c->times = (c->options.replicates + c->points - 1) / c->points;
    return ASIF_OK;
}

static void choose_simulated(asif_checking *c) {
    double episodes = 0, most = (double)c->options.most_episodes;
    for (uint32_t s = 0; !c->tree->states_seen && s < c->tree->starts; s++)
        episodes += c->decisions[s];
    c->simulated = c->options.simulated;
    if (most > 0 && c->simulated * episodes > most)
        c->simulated = (uint32_t)floor(most / episodes);
    if (most > 0 && c->simulated < FEWEST_LOGS)
        c->simulated = 0;
}

static asif_status fill_options(asif_predictive_checks_options *out,
                                const asif_predictive_checks_options *options, asif_error *error) {
    *out = (asif_predictive_checks_options)ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "options of checks have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    if (out->draws == 0 || out->replicates == 0 || out->bins == 0)
        return asif_fail(error, ASIF_EDOMAIN, "checks need at least one draw, one replicate and one bin");
    return ASIF_OK;
}

/* ---- all families ---- */

static asif_status check(asif_checking *c, asif_error *error) {
    asif_predictive_checks *checks = c->checks;
    ASIF_TRY(count_visits(c, error));
    ASIF_TRY(find_unseen(c, error));
    ASIF_TRY(choose_points(c, error));
    choose_simulated(c);
    ASIF_TRY(asif_check_agent(c, error));
    ASIF_TRY(asif_check_environment(c, error));
    if (!c->options.prior)
        ASIF_TRY(asif_check_subjects(c, error));
    for (uint32_t f = 0; f < checks->view.families; f++) {
        checks->family[f] = checks->made[f].view;
        checks->family[f].group = checks->made[f].group;
    }
    checks->view.family = checks->family;
    checks->view.draws = c->points;
    checks->view.replicates = c->points * c->times;
    checks->view.simulated = c->simulated;
    checks->view.maximum = !c->fitted->draws;
    checks->view.prior = c->options.prior;
    return asif_check_find_misses(checks, error);
}

asif_status asif_predictive_checks_run(asif_predictive_checks **out, const asif_fitted *fitted,
                                       const asif_predictive_checks_options *options, asif_error *error) {
    asif_checking c = {.fitted = fitted};
    *out = NULL;
    ASIF_TRY(fill_options(&c.options, options, error));
    if (!fitted->tree)
        return asif_fail(error, ASIF_EUNSET, "there are no logs to check against");
    c.tree = asif_tree_inside(fitted->tree);
    c.spec = asif_setting_get(fitted->setting);
    const asif_context *context = fitted->context;
    c.checks = ASIF_NEW(context, asif_predictive_checks);
    if (!c.checks)
        return asif_fail_memory(error);
    c.checks->context = context;
    c.checks->setting = fitted->setting;
    c.checks->tree = fitted->tree;
    c.checks->view.struct_size = sizeof c.checks->view;
    asif_status status = check(&c, error);
    void *const arrays[] = {c.decisions, c.followed, c.followed_seen, c.unseen, c.x, c.lengths};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    if (status != ASIF_OK) {
        asif_predictive_checks_free(c.checks);
        return status;
    }
    *out = c.checks;
    return ASIF_OK;
}

void asif_predictive_checks_free(asif_predictive_checks *checks) {
    if (!checks)
        return;
    const asif_context *context = checks->context;
    for (uint32_t f = 0; f < checks->view.families; f++) {
        asif_free(context, checks->made[f].group);
        asif_free(context, checks->made[f].cell);
        asif_free(context, checks->made[f].stands_out);
    }
    asif_free(context, checks->miss);
    asif_free(context, checks);
}

asif_status asif_predictive_checks_get(const asif_predictive_checks *checks,
                                       asif_predictive_checks_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &checks->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

bool asif_predictive_checks_judged(const asif_predictive_checks *checks) {
    bool any = false;
    for (uint32_t f = 0; f < checks->view.families; f++)
        any |= checks->family[f].judged;
    return any;
}

asif_doubt asif_predictive_checks_doubt(const asif_predictive_checks *checks) {
    asif_doubt worst = ASIF_DOUBT_NONE;
    for (uint32_t f = 0; f < checks->view.families; f++) {
        const asif_check_family *family = &checks->family[f];
        asif_doubt here = family->kind == ASIF_CHECK_SUBJECTS ? ASIF_DOUBT_SUBJECTS : ASIF_DOUBT_MISFIT;
        if (family->missed && here > worst)
            worst = here;
    }
    return worst;
}
