#include "acting/episode_measures.h"

#include "acting/decision_utility.h"
#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"

#include <math.h>
#include <string.h>

#define LEFT_OUT 1e-4 /* part of the discounting that is left out of an endless run */

/* ---- episodes ---- */

typedef struct {
    asif_decision_utility gains;
    uint32_t measures;
    double *now, *sum, *squares; /* [measures]: of the current episode, and sums over episodes */
    uint64_t episode, episodes;
    bool open;
} tally;

static void close_episode(tally *t) {
    for (uint32_t i = 0; t->open && i < t->measures; i++) {
        t->sum[i] += t->now[i];
        t->squares[i] += t->now[i] * t->now[i];
        t->now[i] = 0;
    }
    t->episodes += t->open;
    t->open = false;
}

static asif_status count_decision(void *user, const asif_decision *d) {
    tally *t = user;
    const asif_decision_utility *r = &t->gains;
    if (t->open && d->episode != t->episode)
        close_episode(t);
    t->open = true;
    t->episode = d->episode;
    bool ends = r->spec->ends[d->action];
    t->now[ASIF_MEASURE_LENGTH]++;
    t->now[ASIF_MEASURE_BEFORE] += !ends;
    t->now[ASIF_MEASURE_UTILITY] += asif_decision_utility_of(r, d);
    t->now[ASIF_MEASURE_CUT] = !ends && !r->spec->terminal[d->state];
    t->now[ASIF_MEASURE_TAKEN + d->action]++;
    t->now[ASIF_MEASURE_WRONG] = asif_decision_utility_wrong(r, d->action, d->state);
    return ASIF_OK;
}

uint32_t asif_episode_measures_count(const asif_setting *setting) {
    return ASIF_MEASURE_TAKEN + asif_setting_get(setting)->actions;
}

const char *asif_episode_measures_key(uint32_t measure) {
    static const char *const keys[ASIF_MEASURE_TAKEN] = {"decisions", "before_end", "wrong", "utility",
                                                         "not_ended"};
    return measure < ASIF_MEASURE_TAKEN ? keys[measure] : NULL;
}

bool asif_episode_measures_lacks(const asif_setting *setting, uint32_t measure) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint32_t ending = 0;
    for (uint32_t u = 0; u < spec->actions; u++)
        ending += spec->ends[u];
    return ((measure == ASIF_MEASURE_BEFORE || measure == ASIF_MEASURE_CUT) && ending == 0) ||
           (measure == ASIF_MEASURE_WRONG && ending < 2);
}

static void condense(const tally *t, const asif_setting *setting, double *measure, double *error_of_mean) {
    double n = (double)t->episodes;
    for (uint32_t i = 0; i < t->measures; i++) {
        double mean = t->sum[i] / n;
        bool none = asif_episode_measures_lacks(setting, i);
        measure[i] = none ? NAN : mean;
        if (error_of_mean)
            error_of_mean[i] = none ? NAN : sqrt(fmax(0, t->squares[i] / n - mean * mean) / n);
    }
}

asif_status asif_episode_measures_simulate(double *measure, double *error_of_mean,
                                           const asif_behavior *behavior, const asif_theta *theta,
                                           const asif_simulate_options *options, asif_error *error) {
    const asif_context *c = behavior->context;
    tally t = {.measures = asif_episode_measures_count(behavior->setting)};
    double *room = ASIF_ARRAY(c, 3 * (uint64_t)t.measures, double);
    asif_status status = asif_decision_utility_create(&t.gains, behavior, theta, error);
    if (status == ASIF_OK && !room)
        status = asif_fail_memory(error);
    if (status == ASIF_OK) {
        t.now = room;
        t.sum = room + t.measures;
        t.squares = room + 2 * (uint64_t)t.measures;
        status = asif_simulate(behavior, options, count_decision, &t, error);
    }
    if (status == ASIF_OK) {
        close_episode(&t);
        condense(&t, behavior->setting, measure, error_of_mean);
    }
    asif_decision_utility_free(&t.gains);
    asif_free(c, room);
    return status;
}

/* ---- endless runs ---- */

typedef struct {
    asif_decision_utility gains;
    double discount, weight;
    double *value;
    uint64_t first;
} run;

static asif_status add_decision(void *user, const asif_decision *d) {
    run *r = user;
    r->weight = d->step == 0 ? 1 : r->weight * r->discount;
    r->value[d->episode - r->first] += r->weight * asif_decision_utility_of(&r->gains, d);
    return ASIF_OK;
}

asif_status asif_episode_measures_values(double *value, const asif_behavior *behavior,
                                         const asif_theta *theta, const asif_simulate_options *options,
                                         asif_error *error) {
    asif_simulate_options endless = *options;
    run r = {.discount = theta->discount, .value = value, .first = options->first_episode};
    endless.endless = true;
    if (endless.max_steps == 0)
        endless.max_steps = r.discount > 0 ? 1 + (uint32_t)ceil(log(LEFT_OUT) / log(r.discount)) : 1;
    memset(value, 0, options->episodes * sizeof *value);
    asif_status status = asif_decision_utility_create(&r.gains, behavior, theta, error);
    if (status == ASIF_OK)
        status = asif_simulate(behavior, &endless, add_decision, &r, error);
    asif_decision_utility_free(&r.gains);
    return status;
}
