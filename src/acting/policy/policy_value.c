#include "acting/policy/policy_value.h"

#include "acting/episode_measures.h"
#include "acting/policy/situations.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define GROUP ASIF_SITUATIONS_MOVES /* episodes that are simulated together */
#define MOST_SITUATIONS 65536       /* more are forgotten after a group */
#define VISITS 256                  /* situations handed over together */
/* Part of the discounting of an endless run that is left to the critic, and that is left out without a
 * critic. */
#define LEFT_TO_CRITIC 1e-2
#define LEFT_OUT 1e-4

/* An episode that is running. */
typedef struct {
    uint32_t slot; /* in its group */
    uint32_t situation, world;
    double weight;
} walker;

/* Simulated episodes, and the corrections that they give. */
typedef struct {
    const asif_policy_value_options *options;
    asif_context quiet;
    asif_behavior silent;
    const asif_setting_spec *spec;
    asif_episode_value critic;
    asif_situations set;
    uint32_t max_steps, running;
    walker *walker;                      /* [GROUP] */
    uint32_t *from, *action, *seen, *to; /* [GROUP]: moves */
    double *first;                       /* [kinds]: expected value at the start */
    double *sum;                         /* [GROUP][kinds] */
    bool *cut;                           /* [GROUP] */
    void (*finish)(void *user, uint64_t episode, const double *sum, bool cut);
    void *user;
} episodes;

static double uniform(const episodes *e, asif_purpose purpose, uint64_t episode, uint32_t counter) {
    asif_stream stream = {e->options->seed, purpose, episode};
    return asif_uniform(&stream, counter);
}

/* A column of a row; where there is only one, no number is drawn. */
static uint32_t draw_column(const episodes *e, const asif_matrix *matrix, uint32_t row, asif_purpose purpose,
                            uint64_t episode, uint32_t counter) {
    uint64_t begin, end;
    asif_matrix_row(matrix, row, &begin, &end);
    if (end - begin == 1)
        return matrix->column[begin];
    return asif_matrix_draw(matrix, row, uniform(e, purpose, episode, counter));
}

static uint32_t draw_action(const episodes *e, uint32_t situation, uint64_t episode, uint32_t step) {
    uint32_t U = e->spec->actions;
    const double *policy = e->set.policy + (uint64_t)situation * U;
    for (uint32_t u = 0; u < U; u++)
        if (policy[u] == 1)
            return u;
    return asif_draw(uniform(e, ASIF_FOR_ACTIONS, episode, step), policy, U);
}

/* One decision of a running episode. Returns whether it goes on; then `move` is filled, and the walker is in
 * the next state of the world. */
static bool decide(episodes *e, walker *w, uint64_t first, uint32_t step, uint32_t move) {
    const asif_episode_value *c = &e->critic;
    const asif_setting_spec *spec = e->spec;
    uint64_t episode = first + w->slot;
    uint32_t u = draw_action(e, w->situation, episode, step);
    if (step + 1 == spec->horizon || !asif_episode_value_goes_on(c, u, w->world))
        return false;
    w->world = draw_column(e, asif_transitions(c->setting, spec->worlds, u), w->world, ASIF_FOR_STATES,
                           episode, step + 1);
    e->from[move] = w->situation;
    e->action[move] = u;
    e->seen[move] = w->world;
    if (c->beliefs)
        e->seen[move] = draw_column(e, asif_emissions(c->setting, spec->worlds, u), w->world,
                                    ASIF_FOR_OBSERVATIONS, episode, step);
    return true;
}

/* A failure that the agent could not foresee names the episode. */
static asif_status name_episode(const episodes *e, asif_status status, uint64_t first, uint32_t step,
                                asif_error *error) {
    if (status == ASIF_EZEROPR && error && error->row) {
        asif_error inner = *error;
        asif_fail(error, status, "episode %llu, step %u: %s",
                  (unsigned long long)(first + e->walker[inner.row - 1].slot + 1), step, inner.message);
        asif_error_hint(error, "%s", inner.hint);
    }
    return status;
}

/* One decision in every episode that is running. */
static asif_status advance(episodes *e, uint64_t first, uint32_t step, asif_error *error) {
    const asif_episode_value *c = &e->critic;
    bool last = step + 1 >= e->max_steps;
    uint32_t kept = 0;
    ASIF_TRY(asif_situations_look(&e->set, error));
    for (uint32_t i = 0; i < e->running; i++) {
        walker w = e->walker[i];
        const double *correction = e->set.correction + (uint64_t)w.situation * c->kinds;
        double *sum = e->sum + (uint64_t)w.slot * c->kinds;
        for (uint32_t k = 0; k < c->kinds; k++)
            sum[k] += w.weight * correction[k];
        e->set.times[w.situation]++;
        w.weight *= c->discount;
        if (decide(e, &w, first, step, kept))
            e->walker[kept++] = w;
    }
    e->running = last ? 0 : kept;
    if (last && c->endless)
        return ASIF_OK;
    asif_status status =
        asif_situations_follow(&e->set, kept, e->from, e->action, e->seen, last, e->to, error);
    for (uint32_t i = 0; i < kept && status == ASIF_OK; i++) {
        walker *w = &e->walker[i];
        w->situation = e->to[i];
        if (!last)
            continue;
        asif_episode_value_at(c, w->world, e->set.state + (uint64_t)w->situation * c->behavior->width,
                              -w->weight, e->sum + (uint64_t)w->slot * c->kinds);
        e->cut[w->slot] = true;
    }
    return name_episode(e, status, first, step, error);
}

static asif_status run_group(episodes *e, uint64_t done, uint32_t n, asif_error *error) {
    const asif_episode_value *c = &e->critic;
    uint32_t S = e->spec->states, start = e->options->start;
    uint64_t first = e->options->first_episode + done;
    e->running = n;
    for (uint32_t i = 0; i < n; i++) {
        walker *w = &e->walker[i];
        *w = (walker){.slot = i, .weight = 1};
        w->world = asif_draw(uniform(e, ASIF_FOR_STATES, first + i, 0),
                             e->spec->environment_start + (uint64_t)start * S, S);
        ASIF_TRY(asif_situations_start(&e->set, start, w->world, &w->situation, error));
        memcpy(e->sum + (uint64_t)i * c->kinds, e->first, c->kinds * sizeof *e->sum);
        e->cut[i] = false;
    }
    for (uint32_t step = 0; e->running; step++)
        ASIF_TRY(advance(e, first, step, error));
    for (uint32_t i = 0; i < n; i++)
        e->finish(e->user, done + i, e->sum + (uint64_t)i * c->kinds, e->cut[i]);
    return ASIF_OK;
}

/* Hand over what was visited; the counts begin again. */
static asif_status hand_over(episodes *e, asif_error *error) {
    const asif_policy_value_options *o = e->options;
    for (uint64_t i = 0; o->visit && i < e->set.known; i += VISITS) {
        uint64_t n = e->set.known - i < VISITS ? e->set.known - i : VISITS;
        ASIF_TRY(o->visit(o->user, &e->silent, n, e->set.state + i * e->silent.width, e->set.times + i,
                          e->set.policy + i * e->spec->actions, error));
    }
    asif_situations_clear(&e->set);
    return ASIF_OK;
}

/* Compute the expected critic at the start. */
static asif_status find_first(episodes *e, asif_error *error) {
    const asif_episode_value *c = &e->critic;
    const asif_behavior *b = &e->silent;
    const double *start = e->spec->environment_start + (uint64_t)e->options->start * e->spec->states;
    double *state = ASIF_ARRAY(c->context, b->width, double);
    if (!state)
        return asif_fail_memory(error);
    for (uint32_t s = 0; s < e->spec->states; s++) {
        b->ops->init(b->self, e->options->start, c->beliefs ? ASIF_ANY : s, state);
        asif_episode_value_at(c, s, state, start[s], e->first);
    }
    asif_free(c->context, state);
    return ASIF_OK;
}

static uint32_t endless_steps(const episodes *e) {
    const asif_episode_value *c = &e->critic;
    double left = c->worth ? LEFT_TO_CRITIC : LEFT_OUT;
    if (c->exact)
        return 1;
    if (c->discount >= 1) /* no place can come again */
        return asif_places(e->spec);
    return c->discount > 0 ? 1 + (uint32_t)ceil(log(left) / log(c->discount)) : 1;
}

/* Episodes [first, end) of those asked for. */
static asif_status simulate(episodes *e, uint64_t first, uint64_t end, asif_error *error) {
    for (uint64_t done = first; done < end; done += GROUP) {
        ASIF_TRY(run_group(e, done, end - done < GROUP ? (uint32_t)(end - done) : GROUP, error));
        if (e->set.count > MOST_SITUATIONS)
            ASIF_TRY(hand_over(e, error));
    }
    return ASIF_OK;
}

static asif_status make_room(episodes *e, asif_error *error) {
    const asif_episode_value *c = &e->critic;
    ASIF_TRY(asif_situations_create(&e->set, c, error));
    e->walker = ASIF_ARRAY(c->context, GROUP, walker);
    e->from = ASIF_ARRAY(c->context, 4 * GROUP, uint32_t);
    e->first = ASIF_ARRAY(c->context, (GROUP + 1) * (uint64_t)c->kinds, double);
    e->cut = ASIF_ARRAY(c->context, GROUP, bool);
    if (!e->walker || !e->from || !e->first || !e->cut)
        return asif_fail_memory(error);
    e->action = e->from + GROUP;
    e->seen = e->action + GROUP;
    e->to = e->seen + GROUP;
    e->sum = e->first + c->kinds;
    return ASIF_OK;
}

static asif_status begin(episodes *e, const asif_behavior *behavior, const asif_theta *theta, bool endless,
                         asif_error *error) {
    const asif_policy_value_options *o = e->options;
    e->spec = asif_setting_get(behavior->setting);
    /* Many short simulations report no progress. */
    e->quiet = *behavior->context;
    e->quiet.options.progress = NULL;
    e->silent = *behavior;
    e->silent.context = &e->quiet;
    ASIF_TRY(
        asif_episode_value_create(&e->critic, &e->silent, theta, endless, o->max_steps, o->intervals, error));
    e->max_steps = endless ? endless_steps(e) : o->max_steps;
    ASIF_TRY(make_room(e, error));
    return find_first(e, error);
}

static void end(episodes *e) {
    asif_situations_free(&e->set);
    asif_episode_value_free(&e->critic);
    void *const arrays[] = {e->walker, e->from, e->first, e->cut};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(&e->quiet, arrays[i]);
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

/* Simulation is corrected by a linear system, and so may leave the possible by its error: counts are not
 * below 0, and shares not above 1. */
static double possible(uint32_t measure, double x) {
    if (measure == ASIF_MEASURE_UTILITY)
        return x;
    return fmax(0, measure == ASIF_MEASURE_WRONG || measure == ASIF_MEASURE_CUT ? fmin(x, 1) : x);
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
    asif_status status = begin(&e, behavior, theta, false, error);
    if (status == ASIF_OK)
        status = simulate(&e, 0, options->episodes, error);
    if (status == ASIF_OK)
        status = hand_over(&e, error);
    end(&e);
    double n = (double)t.episodes;
    for (uint32_t i = 0; i < t.measures && status == ASIF_OK; i++) {
        bool none = asif_episode_measures_lacks(behavior->setting, i);
        double off = t.sum[i] / n;
        measure[i] = none ? NAN : possible(i, t.origin[i] + off);
        if (error_of_mean)
            error_of_mean[i] = none ? NAN : sqrt(fmax(0, t.squares[i] / n - off * off) / n);
    }
    asif_free(behavior->context, room);
    return status;
}

/* ---- endless runs ---- */

typedef struct {
    double origin, sum, squares, count;
} mean;

static void add_value(void *user, uint64_t episode, const double *sum, bool cut) {
    mean *m = user;
    (void)cut;
    if (episode == 0)
        m->origin = sum[0];
    double off = sum[0] - m->origin;
    m->sum += off;
    m->squares += off * off;
    m->count++;
}

asif_status asif_policy_value_mean(double *value, double *variance, const asif_behavior *behavior,
                                   const asif_theta *theta, const asif_policy_value_options *options,
                                   uint64_t most, double enough, asif_error *error) {
    mean m = {0};
    episodes e = {.options = options, .finish = add_value, .user = &m};
    asif_status status = begin(&e, behavior, theta, true, error);
    for (uint64_t done = 0; done < most && status == ASIF_OK; done += options->episodes) {
        status = simulate(&e, done, done + options->episodes, error);
        *value = m.origin + m.sum / m.count;
        *variance = fmax(0, m.squares - m.sum * m.sum / m.count) / (m.count * (m.count - 1));
        if (*variance <= enough * enough)
            break;
    }
    end(&e);
    return status;
}
