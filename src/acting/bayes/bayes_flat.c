/* The Bayes-optimal agent where no place can come again: the world becomes a part of what is hidden, and the
 * engine solves that exactly, at the beliefs that can be reached. */
#include "acting/bayes/bayes.h"

#include "acting/ideals.h"
#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <string.h>

/* ---- the setting ---- */

/* A matrix under construction. Hidden values are pairs (world, hidden value), the world first. */
typedef struct {
    asif_matrix matrix;
    uint64_t *offset;
    uint32_t *column;
    double *value;
} grown;

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *from;
    uint32_t worlds, hidden, states; /* states of the new setting */
    grown *grown;                    /* [4 * actions]: transitions, and those of the environment; emissions */
    asif_matrix *matrix;             /* [4 * actions] */
    uint32_t *which;                 /* [4 * actions]: transitions and emissions */
    double *start, *begin,
        *utility;   /* of the agent, of the environment: [starts][states]; [actions][states] */
    bool *terminal; /* [states] */
    asif_utility_term *term;
    uint64_t terms;
} spreading;

/* The state of a world that a state becomes, and the reverse. */
static uint32_t state_in(const spreading *f, uint32_t world, uint32_t state) {
    return state / f->hidden * f->hidden * f->worlds + world * f->hidden + state % f->hidden;
}
static uint32_t world_of(const spreading *f, uint32_t state) {
    return state / f->hidden % f->worlds;
}
static uint32_t state_of(const spreading *f, uint32_t state) {
    return state / (f->hidden * f->worlds) * f->hidden + state % f->hidden;
}

/* Spread the matrices of an action over the worlds. `environment`: that of the environment in each of them.
 */
static asif_status spread(spreading *f, uint32_t k, uint32_t action, bool environment, bool emissions,
                          asif_error *error) {
    grown *g = &f->grown[k];
    uint64_t entries = 0, begin, end;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t s = 0; s < f->states; s++) {
            uint32_t m = world_of(f, s), world = environment ? f->worlds : m;
            const asif_matrix *t = (emissions ? asif_emissions : asif_transitions)(f->setting, world, action);
            asif_matrix_row(t, state_of(f, s), &begin, &end);
            for (uint64_t e = begin; round && e < end; e++) {
                g->column[g->offset[s] + e - begin] = emissions ? t->column[e] : state_in(f, m, t->column[e]);
                g->value[g->offset[s] + e - begin] = t->value[e];
            }
            if (round)
                g->offset[s + 1] = g->offset[s] + end - begin;
            else
                entries += end - begin;
        }
        if (round)
            break;
        g->offset = ASIF_ARRAY(f->context, (uint64_t)f->states + 1, uint64_t);
        g->column = ASIF_ARRAY(f->context, entries, uint32_t);
        g->value = ASIF_ARRAY(f->context, entries, double);
        if (!g->offset || !g->column || !g->value)
            return asif_fail_memory(error);
    }
    f->matrix[k] = (asif_matrix){
        f->states, emissions ? f->from->observations : f->states, false, g->offset, g->column, g->value};
    return ASIF_OK;
}

static asif_status spread_all(spreading *f, asif_error *error) {
    uint32_t U = f->from->actions;
    for (uint32_t k = 0; k < 4 * U; k++) {
        f->which[k] = k;
        ASIF_TRY(spread(f, k, k % U, k / U % 2, k >= 2 * U, error));
    }
    return ASIF_OK;
}

/* Starts, terminal states, and utilities of states. */
static void spread_states(spreading *f, const asif_theta *theta) {
    const asif_setting_spec *from = f->from;
    for (uint64_t s = 0; s < f->states; s++) {
        uint32_t old = state_of(f, (uint32_t)s), world = world_of(f, (uint32_t)s);
        f->terminal[s] = from->terminal[old];
        for (uint64_t c = 0; c < from->starts; c++) {
            f->start[c * f->states + s] = theta->world_weights[world] * theta->start[c * from->states + old];
            /* The environment has no such worlds: its states are those of the first. */
            f->begin[c * f->states + s] = world ? 0 : from->environment_start[c * from->states + old];
        }
        for (uint64_t u = 0; from->utility && u < from->actions; u++)
            f->utility[u * f->states + s] = from->utility[u * from->states + old];
    }
    for (uint64_t k = 0; k < from->terms; k++) {
        asif_utility_term term = from->term[k];
        bool one = term.by == ASIF_BY_STATE && term.index != ASIF_ANY;
        for (uint32_t m = 0; m < (one ? f->worlds : 1); m++) {
            term.index = one ? state_in(f, m, from->term[k].index) : term.index;
            f->term[f->terms++] = term;
        }
    }
}

static asif_status make(asif_setting **out, const spreading *f, asif_error *error) {
    asif_setting_spec spec = *f->from;
    uint32_t U = spec.actions;
    spec.states = f->states;
    spec.worlds = 1;
    spec.matrices = 4 * U;
    spec.matrix = f->matrix;
    spec.transitions = f->which;
    spec.emissions = f->which + 2 * (uint64_t)U;
    spec.environment_start = f->begin;
    spec.agent_start = f->start;
    spec.world_weights = spec.world_shares = NULL;
    spec.belief_prior = NULL;
    spec.state_names = spec.hidden_names = NULL;
    spec.terminal = spec.seen > 1 ? f->terminal : NULL;
    spec.term = f->term;
    spec.terms = f->terms;
    spec.utility = spec.utility ? f->utility : NULL;
    return asif_setting_create(out, f->context, &spec, error);
}

static void free_flat(spreading *f) {
    for (uint32_t k = 0; f->grown && k < 4 * f->from->actions; k++) {
        asif_free(f->context, f->grown[k].offset);
        asif_free(f->context, f->grown[k].column);
        asif_free(f->context, f->grown[k].value);
    }
    void *const arrays[] = {f->grown, f->matrix,  f->which,    f->start,
                            f->begin, f->utility, f->terminal, f->term};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(f->context, arrays[i]);
}

static asif_status flatten(asif_setting **out, const asif_context *c, const asif_setting *setting,
                           const asif_theta *theta, asif_error *error) {
    const asif_setting_spec *from = asif_setting_get(setting);
    uint64_t U = from->actions, S = (uint64_t)from->states * from->worlds;
    if (S >= UINT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "there are too many states");
    spreading f = {.context = c,
                   .setting = setting,
                   .from = from,
                   .worlds = from->worlds,
                   .hidden = asif_hidden_values(from),
                   .states = (uint32_t)S,
                   .grown = ASIF_ARRAY(c, 4 * U, grown),
                   .matrix = ASIF_ARRAY(c, 4 * U, asif_matrix),
                   .which = ASIF_ARRAY(c, 4 * U, uint32_t),
                   .start = ASIF_ARRAY(c, S * from->starts, double),
                   .begin = ASIF_ARRAY(c, S * from->starts, double),
                   .utility = ASIF_ARRAY(c, from->utility ? U * S : 1, double),
                   .terminal = ASIF_ARRAY(c, S, bool),
                   .term = ASIF_ARRAY(c, from->terms * from->worlds, asif_utility_term)};
    bool good = f.grown && f.matrix && f.which && f.start && f.begin && f.utility && f.terminal && f.term;
    asif_status status = good ? spread_all(&f, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        spread_states(&f, theta);
        status = make(out, &f, error);
    }
    free_flat(&f);
    return status;
}

/* ---- the agent ---- */

static bool suits(const asif_setting_spec *spec) {
    for (uint64_t k = 0; k < spec->terms; k++)
        if (spec->term[k].by == ASIF_BY_BELIEF)
            return false;
    return spec->observations > 0;
}

asif_status asif_bayes_flat_create(asif_bayes_flat *out, const asif_context *context,
                                   const asif_setting *setting, const asif_theta *theta, asif_error *error) {
    asif_plan_options solver = ASIF_PLAN_OPTIONS_INIT;
    asif_successors *listed = NULL;
    asif_plan_info info;
    *out = (asif_bayes_flat){0};
    if (!suits(asif_setting_get(setting)))
        return asif_fail(error, ASIF_EUNSUPPORTED, "utilities depend on beliefs");
    ASIF_TRY(flatten(&out->setting, context, setting, theta, error));
    ASIF_TRY(asif_successors_reachable(&listed, context, out->setting, true, error));
    out->beliefs = listed->nodes;
    asif_successors_release(listed);
    solver.beliefs = ASIF_BELIEFS_REACHABLE;
    ASIF_TRY(asif_work_create(&out->work, context, "bounded-rational", out->setting, &solver, error));
    ASIF_TRY(asif_theta_create(&out->theta, context, out->setting, error));
    asif_ideals_know(out->theta, theta, ASIF_IDEAL_TRUE);
    return asif_solve(out->work, out->theta, &info, error);
}

void asif_bayes_flat_free(asif_bayes_flat *flat) {
    asif_theta_free(flat->theta);
    asif_work_free(flat->work);
    asif_setting_free(flat->setting);
    *flat = (asif_bayes_flat){0};
}
