#include "acting/policy_value.h"

#include "acting/episode_measures.h"
#include "acting/episode_value.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define BATCH 256
/* Part of the discounting of an endless run that is left to the critic, and that is left out without a
 * critic. */
#define LEFT_TO_CRITIC 1e-2
#define LEFT_OUT 1e-4

/* Simulated episodes, and the corrections that they give. */
typedef struct {
    const asif_policy_value_options *options;
    asif_episode_value critic;
    asif_outlook outlook;
    uint32_t max_steps, held;
    asif_decision *decision; /* [BATCH] */
    double *state;           /* [BATCH][width] */
    double *world;           /* [BATCH][states]: belief of an observer who knows the environment */
    double *last;            /* [states]: the same belief after the last decision */
    double *first;           /* [kinds]: expected value at the start */
    double *sum;             /* [kinds]: sums of the current episode */
    bool open, cut;
    double weight;
    uint64_t done;
    void (*finish)(void *user, uint64_t episode, const double *sum, bool cut);
    void *user;
    asif_error *error;
} episodes;

static void close_episode(episodes *e) {
    uint32_t kinds = e->critic.kinds;
    if (e->open)
        e->finish(e->user, e->done++, e->sum, e->cut);
    memcpy(e->sum, e->first, kinds * sizeof *e->sum);
    e->open = e->cut = false;
}

/* Add the correction of a decision: an expectation over the state of the world, given all earlier actions and
 * observations. */
static void correct(episodes *e, uint64_t i) {
    const asif_episode_value *c = &e->critic;
    const asif_decision *d = &e->decision[i];
    const double *state = e->state + i * c->behavior->width, *world = e->world + i * c->spec->states,
                 *policy = e->outlook.policy + i * c->spec->actions;
    if (d->step == 0) {
        close_episode(e);
        e->weight = 1;
    } else {
        e->weight *= c->discount;
    }
    e->open = true;
    for (uint32_t s = 0; s < c->spec->states; s++) {
        if (!(world[s] > 0))
            continue;
        for (uint32_t u = 0; u < c->spec->actions; u++) {
            double weight = e->weight * world[s] * policy[u];
            if (!(weight > 0))
                continue;
            asif_episode_value_gain(c, u, s, state, weight, e->sum);
            asif_episode_value_next(&e->outlook, i, u, s, weight * c->discount, e->sum);
        }
        asif_episode_value_at(c, s, state, -e->weight * world[s], e->sum);
    }
    if (d->step + 1 >= e->max_steps && !c->endless && asif_episode_value_goes_on(c, d->action, d->state)) {
        asif_episode_value_seen(&e->outlook, i, d, -e->weight, e->sum);
        e->cut = true;
    }
}

/* Update the belief in the environment; if states are observed, the state is known. */
static void update(const asif_episode_value *c, const asif_decision *d, const double *before, double *after) {
    const asif_setting_spec *spec = c->spec;
    uint64_t begin, end;
    double sum = 0;
    memset(after, 0, spec->states * sizeof *after);
    if (!c->beliefs) {
        after[d->next] = 1;
        return;
    }
    const asif_matrix *moves = asif_transitions(c->setting, spec->worlds, d->action),
                      *shows = asif_emissions(c->setting, spec->worlds, d->action);
    for (uint32_t s = 0; s < spec->states; s++) {
        asif_matrix_row(moves, s, &begin, &end);
        for (uint64_t i = begin; i < end && before[s] > 0; i++)
            after[moves->column[i]] += before[s] * moves->value[i];
    }
    for (uint32_t s = 0; s < spec->states; s++) {
        double seen = 0;
        asif_matrix_row(shows, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++)
            seen += shows->column[i] == d->observation ? shows->value[i] : 0;
        sum += after[s] *= seen;
    }
    for (uint32_t s = 0; s < spec->states; s++)
        after[s] /= sum;
}

static asif_status flush(episodes *e) {
    if (e->held == 0)
        return ASIF_OK;
    ASIF_TRY(asif_outlook_make(&e->outlook, e->held, e->state, NULL, e->error));
    if (e->options->visit)
        ASIF_TRY(e->options->visit(e->options->user, e->critic.behavior, e->held, e->state, e->outlook.policy,
                                   e->error));
    for (uint64_t i = 0; i < e->held; i++)
        correct(e, i);
    e->held = 0;
    return ASIF_OK;
}

static asif_status take(void *user, const asif_decision *d) {
    episodes *e = user;
    const asif_episode_value *c = &e->critic;
    uint32_t width = c->behavior->width, S = c->spec->states;
    double *world = e->world + (uint64_t)e->held * S;
    e->decision[e->held] = *d;
    if (d->step > 0)
        memcpy(world, e->last, S * sizeof *world);
    else if (c->beliefs)
        memcpy(world, c->spec->environment_start + (uint64_t)e->options->start * S, S * sizeof *world);
    else
        for (uint32_t s = 0; s < S; s++)
            world[s] = s == d->state;
    update(c, d, world, e->last);
    memcpy(e->state + (uint64_t)e->held * width, d->agent_state, width * sizeof *e->state);
    return ++e->held == BATCH ? flush(e) : ASIF_OK;
}

/* Compute the expected critic at the start. */
static asif_status find_first(episodes *e, asif_error *error) {
    const asif_episode_value *c = &e->critic;
    const asif_behavior *b = c->behavior;
    const double *start = c->spec->environment_start + (uint64_t)e->options->start * c->spec->states;
    double *state = ASIF_ARRAY(c->context, b->width, double);
    if (!state)
        return asif_fail_memory(error);
    for (uint32_t s = 0; s < c->spec->states; s++) {
        b->ops->init(b->self, e->options->start, c->beliefs ? ASIF_ANY : s, state);
        asif_episode_value_at(c, s, state, start[s], e->first);
    }
    asif_free(c->context, state);
    memcpy(e->sum, e->first, c->kinds * sizeof *e->sum);
    return ASIF_OK;
}

static uint32_t endless_steps(const asif_episode_value *c) {
    double left = c->worth ? LEFT_TO_CRITIC : LEFT_OUT;
    if (c->exact)
        return 1;
    return c->discount > 0 ? 1 + (uint32_t)ceil(log(left) / log(c->discount)) : 1;
}

static asif_status simulate(episodes *e, asif_error *error) {
    const asif_policy_value_options *o = e->options;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = o->episodes;
    options.first_episode = o->first_episode;
    options.seed = o->seed;
    options.start = o->start;
    options.endless = e->critic.endless;
    options.max_steps = e->max_steps;
    ASIF_TRY(asif_simulate(e->critic.behavior, &options, take, e, error));
    ASIF_TRY(flush(e));
    close_episode(e);
    return ASIF_OK;
}

static asif_status run(episodes *e, const asif_behavior *behavior, const asif_theta *theta, bool endless,
                       asif_error *error) {
    /* Many short simulations would report progress too often. */
    asif_context quiet = *behavior->context;
    asif_behavior silent = *behavior;
    asif_episode_value *c = &e->critic;
    quiet.options.progress = NULL;
    silent.context = &quiet;
    asif_status status = asif_episode_value_create(c, &silent, theta, endless, e->options->max_steps, error);
    if (status == ASIF_OK)
        status = asif_outlook_create(&e->outlook, c, BATCH, error);
    e->decision = ASIF_ARRAY(&quiet, BATCH, asif_decision);
    e->state = ASIF_ARRAY(&quiet, (uint64_t)BATCH * behavior->width, double);
    e->world = ASIF_ARRAY(&quiet, BATCH * (uint64_t)c->spec->states, double);
    e->last = ASIF_ARRAY(&quiet, c->spec->states, double);
    e->first = ASIF_ARRAY(&quiet, c->kinds, double);
    e->sum = ASIF_ARRAY(&quiet, c->kinds, double);
    e->error = error;
    if (status == ASIF_OK && !(e->decision && e->state && e->world && e->last && e->first && e->sum))
        status = asif_fail_memory(error);
    if (status == ASIF_OK)
        status = find_first(e, error);
    if (status == ASIF_OK) {
        e->max_steps = endless ? endless_steps(c) : e->options->max_steps;
        status = simulate(e, error);
    }
    asif_outlook_free(&e->outlook);
    asif_episode_value_free(c);
    void *const arrays[] = {e->decision, e->state, e->world, e->last, e->first, e->sum};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(&quiet, arrays[i]);
    return status;
}

/* ---- episodes ---- */

typedef struct {
    const asif_setting_spec *spec;
    uint32_t measures;
    double *now, *sum, *squares; /* [measures] */
    double *origin;              /* [measures]: of the first episode; subtracted against cancellation */
    uint64_t episodes;
} tally;

static void count(void *user, uint64_t episode, const double *sum, bool cut) {
    tally *t = user;
    uint32_t U = t->spec->actions;
    memset(t->now, 0, t->measures * sizeof *t->now);
    for (uint32_t u = 0; u < U; u++) {
        t->now[ASIF_MEASURE_TAKEN + u] = sum[u];
        t->now[ASIF_MEASURE_LENGTH] += sum[u];
        t->now[ASIF_MEASURE_BEFORE] += t->spec->ends[u] ? 0 : sum[u];
    }
    t->now[ASIF_MEASURE_WRONG] = sum[U];
    t->now[ASIF_MEASURE_UTILITY] = sum[U + 1];
    t->now[ASIF_MEASURE_CUT] = cut;
    for (uint32_t i = 0; i < t->measures; i++) {
        if (episode == 0)
            t->origin[i] = t->now[i];
        double off = t->now[i] - t->origin[i];
        t->sum[i] += off;
        t->squares[i] += off * off;
    }
    t->episodes++;
}

asif_status asif_policy_measures(double *measure, double *error_of_mean, const asif_behavior *behavior,
                                 const asif_theta *theta, const asif_policy_value_options *options,
                                 asif_error *error) {
    tally t = {.spec = asif_setting_get(behavior->setting),
               .measures = asif_episode_measures_count(behavior->setting)};
    episodes e = {.options = options, .finish = count, .user = &t};
    double *room = ASIF_ARRAY(behavior->context, 4 * (uint64_t)t.measures, double);
    if (!room)
        return asif_fail_memory(error);
    t.now = room;
    t.sum = t.now + t.measures;
    t.squares = t.sum + t.measures;
    t.origin = t.squares + t.measures;
    asif_status status = run(&e, behavior, theta, false, error);
    double n = (double)t.episodes;
    for (uint32_t i = 0; i < t.measures && status == ASIF_OK; i++) {
        bool none = asif_episode_measures_lacks(behavior->setting, i);
        double off = t.sum[i] / n;
        measure[i] = none ? NAN : t.origin[i] + off;
        if (error_of_mean)
            error_of_mean[i] = none ? NAN : sqrt(fmax(0, t.squares[i] / n - off * off) / n);
    }
    asif_free(behavior->context, room);
    return status;
}

/* ---- endless runs ---- */

static void keep(void *user, uint64_t episode, const double *sum, bool cut) {
    (void)cut;
    ((double *)user)[episode] = sum[0];
}

asif_status asif_policy_value_all(double *value, const asif_behavior *behavior, const asif_theta *theta,
                                  const asif_policy_value_options *options, asif_error *error) {
    episodes e = {.options = options, .finish = keep, .user = value};
    return run(&e, behavior, theta, true, error);
}
