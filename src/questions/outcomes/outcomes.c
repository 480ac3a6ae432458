/* Outcomes: draws of a fit act in the environment, and so do ideal agents; measures their episodes and what
 * their bounds cost. */
#include "questions/outcomes/outcomes.h"

#include "acting/bayes/bayes.h"
#include "acting/cost_of_bounds.h"
#include "acting/episode_measures.h"
#include "acting/policy/policy_value.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "behavior/behavior.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/estimates.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define USUAL_STEPS 1000
/* Distinguishes these random streams from those of simulated logs. */
#define OWN_STREAMS 0x6f7574636f6d6573u
#define DECISIONS 20000 /* decisions of a draw if nothing ends an episode; ten times as many of an ideal */
#define LEAST_EPISODES 4

#define BAYES_COST 2000   /* fixed cost of a Bayes-optimal agent, in beliefs, added to those it visits */
#define BAYES_BUDGET 4000 /* budget for this cost, per draw of the fit */

/* Masks of the ideal agents. The Bayes-optimal agent is not solved by the engine; it depends on the same
 * parameters as the agent without bounds. */
static const uint32_t masks[ASIF_AGENT_COUNT] = {0, ASIF_WITHOUT_BOUNDS, ASIF_WITHOUT_BOUNDS,
                                                 ASIF_IDEAL_TRUE};

/* The working space of one thread. */
typedef struct {
    asif_ideals unbound;
    asif_theta *theta;
    asif_evidence evidence;
    double *measure, *error_of_mean; /* [measures] */
    double *state, *policy;          /* [width], [actions] */
    asif_status status, loss_status;
    asif_error error;
    asif_bayes_info bayes;
} slot;

typedef struct {
    asif_outcomes *o;
    const asif_fitted *fitted;
    uint32_t draws, loss_draws, dimension;
    uint64_t seed;
    double *x; /* [draws][dimension] */
    bool fixed[ASIF_AGENT_COUNT];
    /* Agent that is simulated for each: some are the same where worlds do not matter. */
    uint32_t as[ASIF_AGENT_COUNT];
    uint32_t bayes_draws; /* draws of the Bayes-optimal agent; 0: not known yet, or not computed */
    asif_outcome_table table, losses_table;
    uint32_t policies, evidences; /* where they begin in the table, after conduct [rows][agents][measures] */
    asif_cost_of_bounds losses;
    asif_ideals start;
    uint32_t slots;
    slot *slot;
    double discount; /* discount of the first draw */
} making;

/* ---- one agent ---- */

static bool something_ends(const asif_setting *setting) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    if (asif_setting_stops(spec))
        return true;
    for (uint32_t u = 0; u < spec->actions; u++)
        if (spec->ends[u])
            return true;
    return false;
}

/* Default length of episodes: where no action ends them, as in the logs. */
static uint32_t usual_steps(const asif_fitted *fitted) {
    const asif_logs_info *info = fitted->tree ? asif_tree_info(fitted->tree) : NULL;
    bool known = info && info->episodes > 0 && info->decisions > 0 && !asif_tree_holds_counts(fitted->tree);
    uint32_t horizon = asif_setting_get(fitted->setting)->horizon;
    if (!known || something_ends(fitted->setting))
        return horizon > USUAL_STEPS ? horizon : USUAL_STEPS;
    uint64_t mean = (info->decisions + info->episodes - 1) / info->episodes;
    return mean < USUAL_STEPS ? (uint32_t)mean : USUAL_STEPS;
}

static uint64_t episodes_of(const making *m, uint64_t wanted, uint64_t decisions) {
    if (something_ends(m->fitted->setting))
        return wanted;
    uint64_t most = decisions / m->o->options.max_steps;
    most = most < LEAST_EPISODES ? LEAST_EPISODES : most;
    return wanted < most ? wanted : most;
}

static void set_conduct(making *m, const slot *s, uint32_t row, uint32_t agent, uint32_t draw) {
    uint32_t measures = m->o->view.measures;
    for (uint32_t k = 0; k < measures; k++)
        asif_outcome_table_set(&m->table, (row * ASIF_AGENT_COUNT + agent) * measures + k, draw,
                               s->measure[k], s->error_of_mean[k]);
}

/* Compute the measures of the mix of start classes from those of the classes. */
static void mix_conduct(making *m, slot *s, uint32_t agent, uint32_t draw) {
    uint32_t measures = m->o->view.measures, last = m->o->view.rows - 1;
    for (uint32_t k = 0; k < measures; k++) {
        double sum = 0, squares = 0;
        for (uint32_t row = 0; row < last; row++) {
            uint64_t at = (uint64_t)((row * ASIF_AGENT_COUNT + agent) * measures + k) * m->table.draws + draw;
            double error = m->o->weight[row] * m->table.error[at];
            sum += m->o->weight[row] * m->table.value[at];
            squares += error * error;
        }
        s->measure[k] = sum;
        s->error_of_mean[k] = sqrt(squares);
    }
    set_conduct(m, s, last, agent, draw);
}

static asif_status see_conduct(making *m, slot *s, const asif_behavior *behavior, const asif_theta *theta,
                               uint32_t agent, uint32_t draw, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(m->fitted->setting);
    const asif_outcomes_options *o = &m->o->options;
    bool fixed = m->fixed[agent];
    asif_policy_value_options options = {
        .episodes = fixed ? episodes_of(m, o->ideal_episodes, 10 * DECISIONS)
                          : episodes_of(m, o->episodes, DECISIONS),
        .seed = m->seed,
        .max_steps = o->max_steps,
        .intervals = fixed ? 0 : ASIF_DRAW_INTERVALS,
    };
    if (agent == ASIF_AGENT_FITTED && m->o->view.evidences) {
        options.visit = asif_evidence_visit;
        options.user = &s->evidence;
        asif_evidence_clear(&s->evidence);
    }
    for (uint32_t c = 0; c < spec->starts; c++) {
        options.start = c;
        options.first_episode =
            (((uint64_t)m->as[agent] * m->draws + draw) * spec->starts + c) * (options.episodes + 1);
        s->evidence.weight = m->o->weight[c];
        ASIF_TRY(asif_policy_measures(s->measure, s->error_of_mean, behavior, theta, &options, error));
        set_conduct(m, s, c, agent, draw);
    }
    if (spec->starts > 1)
        mix_conduct(m, s, agent, draw);
    for (uint32_t e = 0; agent == ASIF_AGENT_FITTED && e < m->o->view.evidences; e++)
        asif_outcome_table_set(&m->table, m->evidences + e, draw, asif_evidence_perceived(&s->evidence, e),
                               0);
    return ASIF_OK;
}

/* What an agent does in the environment, and after the histories. */
static asif_status see_behavior(making *m, slot *s, const asif_behavior *behavior, const asif_theta *theta,
                                uint32_t agent, uint32_t draw, asif_error *error) {
    uint32_t U = asif_setting_get(m->fitted->setting)->actions;
    ASIF_TRY(see_conduct(m, s, behavior, theta, agent, draw, error));
    for (uint32_t h = 0; h < m->o->view.histories; h++) {
        ASIF_TRY(asif_outcomes_policy(&m->o->history[h], behavior, s->state, s->policy, error));
        for (uint32_t u = 0; u < U; u++)
            asif_outcome_table_set(&m->table, m->policies + (h * ASIF_AGENT_COUNT + agent) * U + u, draw,
                                   s->policy[u], 0);
    }
    return ASIF_OK;
}

/* ---- the Bayes-optimal agent ---- */

static asif_status see_bayes_conduct(making *m, slot *s, asif_bayes *bayes, uint32_t index,
                                     asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(m->fitted->setting);
    const asif_behavior *behavior = asif_work_unsolved(s->unbound.same);
    memset(s->error_of_mean, 0, m->o->view.measures * sizeof *s->error_of_mean);
    for (uint32_t c = 0; c < spec->starts && bayes->info.computed; c++) {
        ASIF_TRY(
            asif_bayes_measures(bayes, s->measure, behavior, s->theta, c, m->o->options.max_steps, error));
        set_conduct(m, s, c, ASIF_AGENT_BAYES, index);
    }
    if (spec->starts > 1)
        mix_conduct(m, s, ASIF_AGENT_BAYES, index);
    return ASIF_OK;
}

static asif_status see_bayes_policies(making *m, slot *s, asif_bayes *bayes, uint32_t index,
                                      asif_error *error) {
    uint32_t U = asif_setting_get(m->fitted->setting)->actions;
    for (uint32_t h = 0; h < m->o->view.histories; h++) {
        ASIF_TRY(asif_bayes_after(bayes, &m->o->history[h], s->policy, error));
        for (uint32_t u = 0; u < U; u++)
            asif_outcome_table_set(&m->table, m->policies + (h * ASIF_AGENT_COUNT + ASIF_AGENT_BAYES) * U + u,
                                   index, s->policy[u], 0);
    }
    return ASIF_OK;
}

/* Simulate it where a part of the state is seen or episodes of plans can end. */
static asif_status see_bayes_flat(making *m, slot *s, uint32_t index, asif_error *error) {
    asif_bayes_flat flat;
    asif_context quiet = *m->fitted->context;
    quiet.options.progress = NULL;
    asif_status status = asif_bayes_flat_create(&flat, &quiet, m->fitted->setting, s->theta, error);
    bool unknown = status == ASIF_EUNSUPPORTED || status == ASIF_ETOOBIG;
    if (index == 0)
        s->bayes = (asif_bayes_info){
            .computed = true, .apart = true, .beliefs = flat.beliefs, .low = NAN, .up = NAN};
    if (status == ASIF_OK)
        status =
            see_behavior(m, s, asif_work_behavior(flat.work), flat.theta, ASIF_AGENT_BAYES, index, error);
    s->bayes.computed &= !unknown;
    s->bayes.unknown |= unknown;
    s->bayes.gap = s->bayes.unknown ? INFINITY : 0;
    asif_bayes_flat_free(&flat);
    return unknown ? ASIF_OK : status;
}

static asif_status see_bayes(making *m, slot *s, uint32_t index, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(m->fitted->setting);
    if (asif_has_place(spec) || asif_setting_stops(spec))
        return see_bayes_flat(m, s, index, error);
    asif_bayes bayes;
    asif_context quiet = *m->fitted->context;
    if (index > 0) /* later draws do not report progress of their own */
        quiet.options.progress = NULL;
    asif_status status = asif_bayes_create(&bayes, &quiet, m->fitted->setting, s->theta, error);
    if (status == ASIF_OK && bayes.info.computed)
        status = see_bayes_conduct(m, s, &bayes, index, error);
    if (status == ASIF_OK && bayes.info.computed)
        status = see_bayes_policies(m, s, &bayes, index, error);
    double gap = status == ASIF_ETOOBIG ? INFINITY : fmax(s->bayes.gap, bayes.info.gap);
    if (index == 0)
        s->bayes = bayes.info;
    s->bayes.computed &= status == ASIF_OK && bayes.info.computed;
    s->bayes.gap = gap;
    asif_bayes_free(&bayes);
    return status == ASIF_ETOOBIG ? ASIF_OK : status;
}

/* Compute the Bayes-optimal agent for the first draw; its cost decides for how many draws it is computed. */
static asif_status begin_bayes(making *m, slot *s, asif_error *error) {
    if (m->as[ASIF_AGENT_BAYES] != ASIF_AGENT_BAYES) {
        s->bayes = (asif_bayes_info){.computed = true};
        m->bayes_draws = m->draws;
        return ASIF_OK;
    }
    ASIF_TRY(see_bayes(m, s, 0, error));
    uint64_t most = (uint64_t)BAYES_BUDGET * m->draws / (BAYES_COST + s->bayes.beliefs);
    most = most < m->draws ? most : m->draws;
    m->bayes_draws = m->fixed[ASIF_AGENT_BAYES] || most == 0 ? 1 : (uint32_t)most;
    m->bayes_draws = s->bayes.computed ? m->bayes_draws : 0;
    return ASIF_OK;
}

static asif_status see_agent(making *m, slot *s, uint32_t agent, uint32_t draw, asif_error *error) {
    const asif_work *work;
    const asif_theta *theta;
    if (m->as[agent] == ASIF_AGENT_BAYES) /* computed separately */
        return ASIF_OK;
    ASIF_TRY(asif_ideals_solve(&s->unbound, s->theta, masks[m->as[agent]], &work, &theta, error));
    return see_behavior(m, s, asif_work_behavior(work), theta, agent, draw, error);
}

/* ---- one draw ---- */

static asif_status see_losses(making *m, slot *s, uint32_t index, asif_error *error) {
    double number[ASIF_COST_NUMBERS], variance[ASIF_COST_NUMBERS];
    ASIF_TRY(asif_cost_of_bounds_at(&m->losses, &s->unbound, s->theta, index, number, variance, error));
    for (uint32_t k = 0; k < m->losses.numbers; k++)
        asif_outcome_table_set(&m->losses_table, k, index, number[k], sqrt(variance[k]));
    return ASIF_OK;
}

/* Whether a draw is one of `n` evenly spaced ones; *index becomes its number among these. */
static bool chosen(const making *m, uint32_t draw, uint32_t n, uint64_t *index) {
    *index = ((uint64_t)draw * n + m->draws - 1) / m->draws;
    return *index < n && *index * m->draws / n == draw;
}

static asif_status see_draw(making *m, slot *s, uint32_t draw) {
    asif_error *error = &s->error;
    ASIF_TRY(
        asif_estimates_theta(m->fitted->estimates, m->x + (uint64_t)draw * m->dimension, s->theta, error));
    asif_ideals_reset(&s->unbound, &m->start);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        if (!m->fixed[a])
            ASIF_TRY(see_agent(m, s, a, draw, error));
    uint64_t index;
    if (m->as[ASIF_AGENT_BAYES] == ASIF_AGENT_BAYES && chosen(m, draw, m->bayes_draws, &index) && index > 0)
        ASIF_TRY(see_bayes(m, s, (uint32_t)index, error));
    if (!chosen(m, draw, m->loss_draws, &index) || s->loss_status != ASIF_OK)
        return ASIF_OK;
    asif_status status = see_losses(m, s, (uint32_t)index, error);
    if (status != ASIF_EUNSUPPORTED)
        return status;
    s->loss_status = status;
    return ASIF_OK;
}

static void work_slot(void *argument, uint32_t i) {
    making *m = argument;
    slot *s = &m->slot[i];
    for (uint32_t d = i; d < m->draws && s->status == ASIF_OK; d += m->slots) {
        if (asif_progress(m->fitted->context, "simulating what they do", (double)d / m->draws))
            s->status = asif_fail(&s->error, ASIF_ECANCELLED, "the simulation was cancelled");
        else
            s->status = see_draw(m, s, d);
    }
}

/* Compute what is the same for all draws, and the solutions from which later solves start. */
static asif_status prepare(making *m, slot *s) {
    asif_error *error = &s->error;
    const asif_work *work;
    const asif_theta *theta;
    ASIF_TRY(asif_estimates_theta(m->fitted->estimates, m->x, s->theta, error));
    m->discount = s->theta->discount;
    ASIF_TRY(asif_ideals_solve(&m->start, s->theta, 0, &work, &theta, error));
    ASIF_TRY(asif_ideals_solve(&m->start, s->theta, ASIF_IDEAL_TRUE, &work, &theta, error));
    asif_ideals_reset(&s->unbound, &m->start);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        if (m->fixed[a])
            ASIF_TRY(see_agent(m, s, a, 0, error));
    ASIF_TRY(begin_bayes(m, s, error));
    if (m->loss_draws == 0)
        return ASIF_OK;
    asif_status status = asif_cost_of_bounds_fixed(&m->losses, &s->unbound, s->theta, error);
    if (status != ASIF_EUNSUPPORTED)
        return status;
    s->loss_status = status;
    return ASIF_OK;
}

/* ---- allocation ---- */

static asif_status make_slot(const making *m, slot *s, asif_error *error) {
    const asif_context *c = m->fitted->context;
    *s = (slot){.error = ASIF_ERROR_INIT, .bayes.computed = true};
    ASIF_TRY(asif_ideals_clone(&s->unbound, &m->start, error));
    ASIF_TRY(asif_theta_copy(&s->theta, m->fitted->given, error));
    ASIF_TRY(asif_evidence_create(&s->evidence, c, m->fitted->setting, error));
    s->measure = ASIF_ARRAY(c, m->o->view.measures, double);
    s->error_of_mean = ASIF_ARRAY(c, m->o->view.measures, double);
    uint64_t worlds = asif_setting_get(m->fitted->setting)->worlds; /* see asif_bayes_flat */
    s->state = ASIF_ARRAY(c, worlds * asif_behavior_width(asif_work_unsolved(m->start.same)), double);
    s->policy = ASIF_ARRAY(c, asif_setting_get(m->fitted->setting)->actions, double);
    return s->measure && s->error_of_mean && s->state && s->policy ? ASIF_OK : asif_fail_memory(error);
}

static void free_slot(const making *m, slot *s) {
    if (s->unbound.context)
        asif_ideals_free(&s->unbound);
    asif_theta_free(s->theta);
    asif_evidence_free(&s->evidence);
    void *const arrays[] = {s->measure, s->error_of_mean, s->state, s->policy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->fitted->context, arrays[i]);
}

static void making_free(making *m) {
    const asif_context *c = m->fitted->context;
    for (uint32_t i = 0; m->slot && i < m->slots; i++)
        free_slot(m, &m->slot[i]);
    asif_free(c, m->slot);
    if (m->start.context)
        asif_ideals_free(&m->start);
    asif_outcome_table_free(&m->table);
    asif_outcome_table_free(&m->losses_table);
    asif_free(c, m->x);
}

static asif_status choose_points(making *m, asif_error *error) {
    uint32_t wanted = m->o->options.draws;
    m->dimension = asif_estimates_dimension(m->fitted->estimates);
    m->x = ASIF_ARRAY(m->fitted->context, (uint64_t)wanted * m->dimension, double);
    if (!m->x)
        return asif_fail_memory(error);
    ASIF_TRY(asif_fitted_points(m->x, &m->draws, m->fitted, wanted, error));
    m->loss_draws = m->o->options.loss_draws < m->draws ? m->o->options.loss_draws : m->draws;
    m->o->view.draws = m->draws;
    return ASIF_OK;
}

/* Choose the actions whose evidence is judged; none unless the planner has values, and so weights of
 * worlds. */
static asif_status choose_evidence(making *m, asif_evidence *evidence, asif_error *error) {
    asif_outcomes *o = m->o;
    ASIF_TRY(asif_evidence_create(evidence, o->context, o->setting, error));
    bool weighs = asif_work_gives(m->fitted->work) & ASIF_GIVES_VALUES;
    const double *weights = asif_theta_distribution(m->fitted->given, ASIF_WORLD_WEIGHTS, 0);
    o->evidence = ASIF_ARRAY(o->context, evidence->count, asif_outcome_evidence);
    if (!o->evidence)
        return asif_fail_memory(error);
    o->view.evidences = weighs ? evidence->count : 0;
    o->view.evidence = o->evidence;
    for (uint32_t i = 0; i < o->view.evidences; i++) {
        o->evidence[i].action = evidence->action[i];
        o->evidence[i].environment = asif_evidence_mixed(evidence, i, NULL);
        o->evidence[i].neutral = isnan(weights[0]) ? NAN : asif_evidence_mixed(evidence, i, weights);
    }
    return ASIF_OK;
}

static asif_status choose(making *m, asif_error *error) {
    asif_outcomes *o = m->o;
    const asif_setting_spec *spec = asif_setting_get(o->setting);
    asif_evidence evidence = {0};
    o->view.rows = spec->starts > 1 ? spec->starts + 1 : 1;
    o->view.measures = asif_episode_measures_count(o->setting);
    asif_status status = choose_points(m, error);
    if (status == ASIF_OK)
        status = asif_outcomes_observe(o, error);
    if (status == ASIF_OK)
        status = choose_evidence(m, &evidence, error);
    if (status == ASIF_OK)
        status = asif_outcomes_histories(o, &evidence, error);
    asif_evidence_free(&evidence);
    for (uint32_t a = 0; a < ASIF_AGENT_COUNT; a++)
        m->as[a] = a;
    if (!asif_ideals_worlds_matter(m->fitted))
        m->as[ASIF_AGENT_TRUE] = ASIF_AGENT_WITHOUT_BOUNDS;
    if (!asif_ideals_worlds_differ(m->fitted))
        m->as[ASIF_AGENT_BAYES] = ASIF_AGENT_WITHOUT_BOUNDS;
    for (uint32_t a = 1; a < ASIF_AGENT_COUNT; a++)
        m->fixed[a] = asif_ideals_fixed(m->fitted, masks[m->as[a]]);
    m->policies = o->view.rows * ASIF_AGENT_COUNT * o->view.measures;
    m->evidences = m->policies + o->view.histories * ASIF_AGENT_COUNT * spec->actions;
    return status;
}

/* The agent that a number of the table belongs to. */
static uint32_t whose(const making *m, uint32_t k) {
    uint32_t measures = m->o->view.measures, U = asif_setting_get(m->fitted->setting)->actions;
    return (k < m->policies ? k / measures : (k - m->policies) / U) % ASIF_AGENT_COUNT;
}

static asif_status make_room(making *m, asif_error *error) {
    const asif_context *c = m->fitted->context;
    uint32_t threads = c->options.threads;
    asif_cost_of_bounds_begin(&m->losses, m->fitted, m->o->weight, m->o->options.runs, m->seed + 1);
    if (m->losses.count == 0)
        m->loss_draws = 0;
    ASIF_TRY(asif_outcome_table_create(&m->table, c, m->evidences + m->o->view.evidences, m->draws, error));
    ASIF_TRY(asif_outcome_table_create(&m->losses_table, c, m->losses.numbers,
                                       m->loss_draws ? m->loss_draws : 1, error));
    for (uint32_t k = 0; k < m->evidences; k++)
        m->table.fixed[k] = m->fixed[whose(m, k)];
    ASIF_TRY(asif_ideals_create(&m->start, m->fitted, error));
    m->slots = threads < m->draws ? threads : m->draws;
    m->slot = ASIF_ARRAY(c, m->slots, slot);
    if (!m->slot)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->slots; i++)
        ASIF_TRY(make_slot(m, &m->slot[i], error));
    return ASIF_OK;
}

/* ---- results ---- */

/* Losses per decision are of endless runs. */
static asif_outcome loss_number(const making *m, uint32_t number) {
    if (asif_cost_of_bounds_per_decision(&m->losses, number) &&
        asif_setting_stops(asif_setting_get(m->fitted->setting)))
        return (asif_outcome){NAN, NAN, NAN, NAN};
    asif_outcome out = asif_outcome_table_sum(&m->losses_table, number, m->loss_draws);
    out.error = sqrt(out.error * out.error + asif_cost_of_bounds_common(&m->losses, number, m->discount));
    return out;
}

static void condense_losses(making *m) {
    asif_outcomes *o = m->o;
    uint32_t n = m->losses.count, totals = n * ASIF_COST_KINDS, all = 0;
    for (uint32_t i = 0; i < n; i++)
        all |= 1u << m->losses.bound[i];
    m->losses_table.fixed[totals + ASIF_COST_IDEAL] = m->losses.fixed[all];
    for (uint32_t i = 0; i < n; i++) {
        const double *share =
            m->losses_table.value + (uint64_t)(i * ASIF_COST_KINDS + ASIF_COST_SHARE) * m->losses_table.draws;
        asif_outcome_loss *loss = &o->loss[i];
        loss->bound = asif_bound_text(m->losses.bound[i]);
        for (uint32_t d = 0; d < m->loss_draws; d++)
            loss->helps += (share[d] < 0) / (double)m->loss_draws;
        loss->loss = loss_number(m, i * ASIF_COST_KINDS + ASIF_COST_SHARE);
        loss->per_decision = loss_number(m, i * ASIF_COST_KINDS + ASIF_COST_PER_DECISION);
        loss->last = loss_number(m, i * ASIF_COST_KINDS + ASIF_COST_LAST);
        loss->alone = loss_number(m, i * ASIF_COST_KINDS + ASIF_COST_ALONE);
    }
    o->view.losses = n;
    o->view.loss = o->loss;
    o->view.whole_loss = loss_number(m, totals + ASIF_COST_WHOLE);
    o->view.whole_per_decision = loss_number(m, totals + ASIF_COST_WHOLE_PER_DECISION);
    o->view.value = loss_number(m, totals + ASIF_COST_VALUE);
    o->view.ideal_value = loss_number(m, totals + ASIF_COST_IDEAL);
}

/* Summarise the Bayes-optimal agent over draws: the largest gap, and computed only if it was for all. */
static void condense_bayes(making *m) {
    asif_bayes_info *info = &m->o->view.bayes;
    *info = m->slot[0].bayes;
    for (uint32_t i = 1; i < m->slots && m->as[ASIF_AGENT_BAYES] == ASIF_AGENT_BAYES; i++) {
        info->gap = fmax(info->gap, m->slot[i].bayes.gap);
        info->computed &= m->slot[i].bayes.computed;
    }
    info->draws = info->computed ? m->bayes_draws : 0;
}

static asif_outcome condensed(const making *m, uint32_t k) {
    const asif_bayes_info *info = &m->o->view.bayes;
    if (whose(m, k) != ASIF_AGENT_BAYES)
        return asif_outcome_table_sum(&m->table, k, m->draws);
    return info->computed ? asif_outcome_table_sum(&m->table, k, info->draws)
                          : (asif_outcome){NAN, NAN, NAN, 0};
}

static asif_status condense(making *m, asif_error *error) {
    asif_outcomes *o = m->o;
    asif_status lost = ASIF_OK;
    for (uint32_t i = 0; i < m->slots; i++)
        lost = lost == ASIF_OK ? m->slot[i].loss_status : lost;
    o->number = ASIF_ARRAY(o->context, m->policies, asif_outcome);
    if (!o->number)
        return asif_fail_memory(error);
    condense_bayes(m);
    for (uint32_t k = 0; k < m->evidences; k++)
        *(k < m->policies ? &o->number[k] : &o->policy[k - m->policies]) = condensed(m, k);
    for (uint32_t e = 0; e < o->view.evidences; e++)
        o->evidence[e].perceived = asif_outcome_table_sum(&m->table, m->evidences + e, m->draws);
    o->view.number = o->number;
    if (m->loss_draws && lost == ASIF_OK)
        condense_losses(m);
    if (lost != ASIF_OK)
        strcpy(o->note,
               "what the bounds cost is left out: without some of them the agent has no finite values");
    else if (!asif_ideals_splits(m->fitted))
        strcpy(o->note, "what the bounds cost is known only for planners that solve for values");
    else if (m->losses.count == 0)
        strcpy(o->note, "the agent has no bounds: there is nothing that they could cost");
    o->view.note = o->note[0] ? o->note : NULL;
    return ASIF_OK;
}

static asif_status simulate(making *m, asif_error *error) {
    asif_status status = prepare(m, &m->slot[0]);
    if (status != ASIF_OK) {
        if (error)
            *error = m->slot[0].error;
        return status;
    }
    for (uint32_t i = 1; i < m->slots; i++)
        m->slot[i].loss_status = m->slot[0].loss_status;
    asif_os_parallel(m->slots, m->slots, work_slot, m);
    for (uint32_t i = 0; i < m->slots; i++)
        if (m->slot[i].status != ASIF_OK) {
            if (error)
                *error = m->slot[i].error;
            return m->slot[i].status;
        }
    return condense(m, error);
}

static asif_status fill_options(asif_outcomes_options *out, const asif_outcomes_options *options,
                                asif_error *error) {
    *out = (asif_outcomes_options)ASIF_OUTCOMES_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "options of outcomes have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    if (out->draws == 0 || out->episodes == 0 || out->ideal_episodes == 0 || out->max_steps == UINT32_MAX ||
        (out->loss_draws > 0 && out->runs == 0))
        return asif_fail(error, ASIF_EDOMAIN, "outcomes need draws, episodes, runs and steps");
    return ASIF_OK;
}

asif_status asif_outcomes_run(asif_outcomes **out, const asif_fitted *fitted,
                              const asif_outcomes_options *options, asif_error *error) {
    *out = NULL;
    asif_outcomes *o = ASIF_NEW(fitted->context, asif_outcomes);
    if (!o)
        return asif_fail_memory(error);
    o->context = fitted->context;
    o->setting = fitted->setting;
    o->tree = fitted->tree;
    o->view.struct_size = sizeof o->view;
    making m = {.o = o, .fitted = fitted};
    asif_status status = fill_options(&o->options, options, error);
    m.seed = o->options.seed ^ OWN_STREAMS;
    if (o->options.max_steps == 0)
        o->options.max_steps = usual_steps(fitted);
    if (status == ASIF_OK)
        status = choose(&m, error);
    if (status == ASIF_OK)
        status = make_room(&m, error);
    if (status == ASIF_OK)
        status = simulate(&m, error);
    making_free(&m);
    if (status != ASIF_OK)
        asif_outcomes_free(o);
    else
        *out = o;
    return status;
}

void asif_outcomes_free(asif_outcomes *o) {
    if (!o)
        return;
    void *const arrays[] = {o->weight,  o->observed, o->number,         o->evidence,
                            o->history, o->policy,   o->history_shares, o->events};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(o->context, arrays[i]);
    asif_free(o->context, o);
}

asif_status asif_outcomes_get(const asif_outcomes *outcomes, asif_outcomes_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &outcomes->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
