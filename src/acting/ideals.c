#include "acting/ideals.h"

#include "acting/agents.h"
#include "base/error.h"
#include "base/memory.h"
#include "planners/engine_planner.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

const char *asif_agent_text(asif_agent agent) {
    static const char *const names[ASIF_AGENT_COUNT] = {"fitted", "without_bounds", "ideal_bayes",
                                                        "ideal_true"};
    return (size_t)agent < ASIF_AGENT_COUNT ? names[agent] : NULL;
}

const char *asif_bound_text(uint32_t number) {
    static const char *const names[ASIF_BOUND_COUNT] = {"consistency", "optimism", "surprise", "worlds"};
    return number < ASIF_BOUND_COUNT ? names[number] : NULL;
}

asif_status asif_ideals_setting(asif_setting **out, const asif_context *context, const asif_setting *setting,
                                bool one_case, asif_error *error) {
    asif_setting_spec spec = *asif_setting_get(setting);
    if (one_case)
        spec.stops = spec.ends;
    uint64_t U = spec.actions, environment = spec.worlds * U;
    uint32_t *transitions = ASIF_ARRAY(context, 2 * U, uint32_t);
    uint32_t *emissions = ASIF_ARRAY(context, 2 * U, uint32_t);
    asif_status status = transitions && emissions ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        for (uint64_t u = 0; u < 2 * U; u++) {
            transitions[u] = spec.transitions[environment + u % U];
            emissions[u] = spec.observations ? spec.emissions[environment + u % U] : 0;
        }
        spec.worlds = 1;
        if (spec.observations && spec.seen < 2)
            spec.terminal = NULL;
        spec.transitions = transitions;
        spec.emissions = spec.observations ? emissions : NULL;
        spec.world_weights = NULL;
        spec.world_shares = NULL;
        spec.agent_start = NULL;
        status = asif_setting_create(out, context, &spec, error);
    }
    asif_free(context, transitions);
    asif_free(context, emissions);
    return status;
}

static asif_status make_thetas(asif_ideals *u, asif_error *error) {
    ASIF_TRY(asif_theta_create(&u->theta, u->context, asif_work_setting(u->same), error));
    return asif_theta_create(&u->theta_knows, u->context, asif_work_setting(u->knowing), error);
}

bool asif_ideals_splits(const asif_fitted *fitted) {
    const asif_planner_ops *planner = asif_planner_find(asif_work_planner(fitted->work)->name, NULL);
    return planner && planner->solve == asif_plan_solve && !planner->narrow.myopic &&
           !(fitted->solver && fitted->solver->sampled);
}

asif_status asif_ideals_create(asif_ideals *out, const asif_fitted *fitted, asif_error *error) {
    const asif_context *c = fitted->context;
    *out = (asif_ideals){.context = c};
    if (!asif_work_planner(fitted->work)->purposeful) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "the planner %s does not act for the sake of a utility: there is no ideal agent to compare "
                  "it with",
                  asif_work_planner(fitted->work)->name);
        asif_error_hint(error, "`asif predict` shows what the fit misses of what they do");
        return ASIF_EUNSUPPORTED;
    }
    ASIF_TRY(asif_ideals_setting(&out->known, c, fitted->setting, false, error));
    asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
    if (fitted->solver)
        memcpy(&solver, fitted->solver, fitted->solver->struct_size);
    solver.sampled = false;
    if (asif_ideals_splits(fitted)) {
        ASIF_TRY(asif_work_clone(&out->same, fitted->work, error));
    } else {
        ASIF_TRY(asif_work_clone(&out->own, fitted->work, error));
        ASIF_TRY(asif_work_create(&out->same, c, "bounded-rational", fitted->setting, &solver, error));
    }
    ASIF_TRY(asif_work_create(&out->knowing, c, "bounded-rational", out->known, &solver, error));
    return make_thetas(out, error);
}

asif_status asif_ideals_clone(asif_ideals *out, const asif_ideals *from, asif_error *error) {
    *out = (asif_ideals){.context = from->context};
    if (from->own)
        ASIF_TRY(asif_work_clone(&out->own, from->own, error));
    ASIF_TRY(asif_work_clone(&out->same, from->same, error));
    ASIF_TRY(asif_work_clone(&out->knowing, from->knowing, error));
    return make_thetas(out, error);
}

void asif_ideals_free(asif_ideals *unbound) {
    asif_theta_free(unbound->theta);
    asif_theta_free(unbound->theta_knows);
    asif_work_free(unbound->own);
    asif_work_free(unbound->same);
    asif_work_free(unbound->knowing);
    asif_setting_free(unbound->known);
    *unbound = (asif_ideals){.context = unbound->context};
}

void asif_ideals_reset(asif_ideals *unbound, const asif_ideals *from) {
    if (from->own && asif_work_values(from->own))
        asif_work_set_values(unbound->own, asif_work_values(from->own));
    asif_work_set_values(unbound->same, asif_work_values(from->same));
    asif_work_set_values(unbound->knowing, asif_work_values(from->knowing));
}

/* ---- bounds that an agent has ---- */

static bool same_matrix(const asif_setting_spec *spec, uint32_t a, uint32_t b) {
    const asif_matrix *x = &spec->matrix[a], *y = &spec->matrix[b];
    if (a == b)
        return true;
    if (x->rows != y->rows || x->columns != y->columns)
        return false;
    for (uint32_t i = 0; i < x->rows; i++) {
        uint64_t begin, end, first, last;
        asif_matrix_row(x, i, &begin, &end);
        asif_matrix_row(y, i, &first, &last);
        if (end - begin != last - first ||
            memcmp(x->column + begin, y->column + first, (end - begin) * sizeof *x->column) != 0 ||
            memcmp(x->value + begin, y->value + first, (end - begin) * sizeof *x->value) != 0)
            return false;
    }
    return true;
}

static bool estimated(const asif_fitted *fitted, const char *name) {
    for (uint32_t i = 0; i < fitted->specs; i++)
        if (strcmp(fitted->spec[i].name, name) == 0)
            return true;
    return false;
}

bool asif_ideals_worlds_matter(const asif_fitted *fitted) {
    const asif_setting_spec *spec = asif_setting_get(fitted->setting);
    uint64_t U = spec->actions;
    for (uint64_t m = 0; m < spec->worlds * U; m++)
        if (!same_matrix(spec, spec->transitions[m], spec->transitions[spec->worlds * U + m % U]) ||
            (spec->observations &&
             !same_matrix(spec, spec->emissions[m], spec->emissions[spec->worlds * U + m % U])))
            return true;
    /* If states are observed, there is no belief about the start. */
    if (!spec->observations)
        return false;
    if (estimated(fitted, asif_distribution_text(ASIF_START)))
        return true;
    for (uint32_t c = 0; c < spec->starts; c++)
        if (memcmp(asif_theta_distribution(fitted->given, ASIF_START, c),
                   spec->environment_start + (uint64_t)c * spec->states, spec->states * sizeof(double)) != 0)
            return true;
    return false;
}

bool asif_ideals_worlds_differ(const asif_fitted *fitted) {
    const asif_setting_spec *spec = asif_setting_get(fitted->setting);
    const double *weight = asif_theta_distribution(fitted->given, ASIF_WORLD_WEIGHTS, 0);
    bool learnt = estimated(fitted, asif_distribution_text(ASIF_WORLD_WEIGHTS));
    uint32_t first = ASIF_ANY;
    for (uint32_t m = 0; m < spec->worlds; m++) {
        if (!learnt && weight[m] == 0)
            continue;
        first = first == ASIF_ANY ? m : first;
        const uint32_t *here = spec->transitions + (uint64_t)m * spec->actions,
                       *there = spec->transitions + (uint64_t)first * spec->actions;
        const uint32_t *shown = spec->emissions + (uint64_t)m * spec->actions,
                       *shown_there = spec->emissions + (uint64_t)first * spec->actions;
        for (uint32_t u = 0; u < spec->actions; u++)
            if (!same_matrix(spec, here[u], there[u]) ||
                (spec->observations && !same_matrix(spec, shown[u], shown_there[u])))
                return true;
    }
    return false;
}

uint32_t asif_ideals_present(const asif_fitted *fitted) {
    const asif_theta *given = fitted->given;
    uint32_t mask = 0;
    if (!asif_ideals_splits(fitted))
        return 0;
    bool acts_best = given->a == INFINITY && (isnan(given->a_act) || given->a_act == INFINITY);
    if (!acts_best || given->lapse != 0 || estimated(fitted, "alpha") || estimated(fitted, "act_alpha") ||
        estimated(fitted, "lapse"))
        mask |= ASIF_BOUND_CONSISTENCY;
    if (asif_setting_get(fitted->setting)->worlds > 1 &&
        (given->b != 0 || estimated(fitted, "beta") || estimated(fitted, "optimism")))
        mask |= ASIF_BOUND_OPTIMISM;
    if (given->eta != 0 || estimated(fitted, "eta"))
        mask |= ASIF_BOUND_SURPRISE;
    if (asif_ideals_worlds_matter(fitted))
        mask |= ASIF_BOUND_WORLDS;
    return mask;
}

bool asif_ideals_fixed(const asif_fitted *fitted, uint32_t mask) {
    static const struct {
        const char *name;
        uint32_t gone; /* bounds whose removal makes the parameter irrelevant */
    } rows[] = {
        {"alpha", ASIF_BOUND_CONSISTENCY},
        {"act_alpha", ASIF_BOUND_CONSISTENCY},
        {"lapse", ASIF_BOUND_CONSISTENCY},
        {"beta", ASIF_BOUND_OPTIMISM | ASIF_BOUND_WORLDS},
        {"optimism", ASIF_BOUND_OPTIMISM | ASIF_BOUND_WORLDS},
        {"eta", ASIF_BOUND_SURPRISE},
        {"world_weights", ASIF_BOUND_WORLDS},
        {"start", ASIF_BOUND_WORLDS},
    };
    for (uint32_t i = 0; i < fitted->specs; i++) {
        bool gone = false;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            gone |= strcmp(fitted->spec[i].name, rows[k].name) == 0 && (rows[k].gone & mask);
        if (!gone)
            return false;
    }
    return true;
}

/* ---- solving ---- */

static void take_away(asif_theta *theta, uint32_t mask) {
    if (mask & ASIF_BOUND_CONSISTENCY) {
        theta->a = INFINITY;
        theta->a_act = NAN;
        theta->lapse = 0;
    }
    if (mask & ASIF_BOUND_OPTIMISM)
        theta->b = 0;
    if (mask & ASIF_BOUND_SURPRISE)
        theta->eta = 0;
}

void asif_ideals_know(asif_theta *to, const asif_theta *from, uint32_t mask) {
    const asif_setting_spec *spec = asif_setting_get(from->setting);
    asif_theta_assign_numbers(to, from);
    memcpy(to->action_prior, from->action_prior, spec->actions * sizeof *to->action_prior);
    take_away(to, mask);
}

asif_status asif_ideals_solve(asif_ideals *unbound, const asif_theta *theta, uint32_t mask,
                              const asif_work **work, const asif_theta **solved, asif_error *error) {
    bool knows = mask & ASIF_BOUND_WORLDS;
    asif_work *in = knows ? unbound->knowing : mask == 0 && unbound->own ? unbound->own : unbound->same;
    asif_theta *agent = knows ? unbound->theta_knows : unbound->theta;
    asif_plan_info info;
    if (knows) {
        asif_ideals_know(agent, theta, mask);
    } else {
        asif_theta_assign(agent, theta);
        take_away(agent, mask);
    }
    ASIF_TRY(asif_solve(in, agent, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "the agent has no finite values without its bounds");
    *work = in;
    *solved = agent;
    return ASIF_OK;
}
