#include "acting/cost_of_bounds.h"

#include "acting/policy/policy_value.h"
#include "acting/shapley.h"
#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define ENOUGH 1e-4    /* simulation ends at this standard error, over the span of the utility */
#define MOST_TIMES 32  /* most batches of runs */
#define DECISIONS 4000 /* decisions of one batch of runs, about */
#define LEAST_RUNS 4
#define STREAMS (1u << 20) /* random streams of one agent, more than it has runs */

/* ---- preparation ---- */

static uint32_t mask_of(const asif_cost_of_bounds *l, uint32_t causes) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (causes >> i & 1)
            mask |= 1u << l->bound[i];
    return mask;
}

/* The mask under which the same agent is computed: without uncertainty about worlds, optimism has no
 * effect. */
static uint32_t stands_for(const asif_cost_of_bounds *l, uint32_t mask) {
    uint32_t all = mask_of(l, UINT32_MAX);
    return mask & ASIF_BOUND_WORLDS ? mask | (all & ASIF_BOUND_OPTIMISM) : mask;
}

static void weigh(asif_cost_of_bounds *l, uint32_t number, uint32_t causes, double weight) {
    l->weight[number][stands_for(l, mask_of(l, causes))] += weight;
}

void asif_cost_of_bounds_begin(asif_cost_of_bounds *out, const asif_fitted *fitted, const double *mix,
                               uint32_t runs, uint64_t seed) {
    uint32_t present = asif_ideals_present(fitted);
    *out = (asif_cost_of_bounds){.fitted = fitted, .mix = mix, .runs = runs, .seed = seed};
    for (uint32_t b = 0; b < ASIF_BOUND_COUNT; b++)
        if (present >> b & 1)
            out->bound[out->count++] = b;
    uint32_t n = out->count, none = 0, all = (1u << n) - 1, totals = n * ASIF_COST_KINDS;
    out->numbers = totals + ASIF_COST_TOTALS;
    for (uint32_t mask = 0; mask < ASIF_COST_MASKS; mask++)
        out->same[mask] = ASIF_ANY;
    for (uint32_t causes = 0; causes <= all; causes++) {
        uint32_t mask = mask_of(out, causes);
        out->same[mask] = stands_for(out, mask);
        out->fixed[mask] = asif_ideals_fixed(fitted, mask);
        for (uint32_t i = 0; i < n; i++) {
            double share = asif_shapley_weight(n, i, causes);
            weigh(out, i * ASIF_COST_KINDS + ASIF_COST_SHARE, causes, share);
            weigh(out, i * ASIF_COST_KINDS + ASIF_COST_PER_DECISION, causes, share);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        weigh(out, i * ASIF_COST_KINDS + ASIF_COST_LAST, 1u << i, 1);
        weigh(out, i * ASIF_COST_KINDS + ASIF_COST_LAST, none, -1);
        weigh(out, i * ASIF_COST_KINDS + ASIF_COST_ALONE, all, 1);
        weigh(out, i * ASIF_COST_KINDS + ASIF_COST_ALONE, all & ~(1u << i), -1);
    }
    for (uint32_t k = 0; k < 2; k++) {
        weigh(out, totals + (k ? ASIF_COST_WHOLE_PER_DECISION : ASIF_COST_WHOLE), all, 1);
        weigh(out, totals + (k ? ASIF_COST_WHOLE_PER_DECISION : ASIF_COST_WHOLE), none, -1);
    }
    weigh(out, totals + ASIF_COST_VALUE, none, 1);
    weigh(out, totals + ASIF_COST_IDEAL, all, 1);
}

/* ---- values ---- */

static asif_status value_without(const asif_cost_of_bounds *l, asif_ideals *unbound, const asif_theta *theta,
                                 uint32_t mask, uint32_t index, double *value, double *variance,
                                 asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(l->fitted->setting);
    const asif_work *work;
    const asif_theta *solved;
    double steps = theta->discount > 0 ? log(0.01) / log(theta->discount) : 1;
    if (asif_setting_stops(spec))
        steps = fmin(steps > 0 ? steps : INFINITY, asif_places(spec));
    uint32_t runs = (uint32_t)fmax(LEAST_RUNS, fmin(l->runs, DECISIONS / fmax(1, steps)));
    *value = *variance = 0;
    asif_status status = asif_ideals_solve(unbound, theta, mask, &work, &solved, error);
    for (uint32_t c = 0; c < spec->starts && status == ASIF_OK; c++) {
        double mean = 0, left = 0, share = spec->starts > 1 ? l->mix[c] : 1;
        uint64_t stream = ((uint64_t)index * ASIF_COST_MASKS + mask) * spec->starts + c;
        asif_policy_value_options o = {.episodes = runs,
                                       .first_episode = stream * STREAMS,
                                       .seed = l->seed,
                                       .start = c,
                                       .max_steps = 1,
                                       .intervals = index == UINT32_MAX ? 0 : ASIF_DRAW_INTERVALS};
        if (!(share > 0))
            continue;
        status = asif_policy_value_mean(&mean, &left, asif_work_behavior(work), solved, &o,
                                        (uint64_t)MOST_TIMES * runs, l->enough, error);
        *value += share * mean;
        *variance += share * share * left;
    }
    return status;
}

asif_status asif_cost_of_bounds_fixed(asif_cost_of_bounds *l, asif_ideals *unbound, const asif_theta *theta,
                                      asif_error *error) {
    double span;
    ASIF_TRY(asif_utility_span(&span, l->fitted->context, l->fitted->setting, theta->utility, error));
    l->enough = ENOUGH * span;
    for (uint32_t mask = 0; mask < ASIF_COST_MASKS; mask++) {
        double variance;
        if (l->same[mask] != mask || !l->fixed[mask])
            continue;
        ASIF_TRY(value_without(l, unbound, theta, mask, UINT32_MAX, &l->value[mask], &variance, error));
        l->error[mask] = sqrt(variance);
    }
    return ASIF_OK;
}

bool asif_cost_of_bounds_per_decision(const asif_cost_of_bounds *l, uint32_t number) {
    uint32_t totals = l->count * ASIF_COST_KINDS;
    return number < totals ? number % ASIF_COST_KINDS == ASIF_COST_PER_DECISION
                           : number - totals == ASIF_COST_WHOLE_PER_DECISION;
}

asif_status asif_cost_of_bounds_at(const asif_cost_of_bounds *l, asif_ideals *unbound,
                                   const asif_theta *theta, uint32_t index, double *number, double *variance,
                                   asif_error *error) {
    double value[ASIF_COST_MASKS] = {0}, left[ASIF_COST_MASKS] = {0};
    for (uint32_t mask = 0; mask < ASIF_COST_MASKS; mask++) {
        if (l->same[mask] != mask)
            continue;
        if (l->fixed[mask])
            value[mask] = l->value[mask];
        else
            ASIF_TRY(value_without(l, unbound, theta, mask, index, &value[mask], &left[mask], error));
    }
    for (uint32_t k = 0; k < l->numbers; k++) {
        double scale = asif_cost_of_bounds_per_decision(l, k) ? 1 - theta->discount : 1;
        number[k] = variance[k] = 0;
        for (uint32_t mask = 0; mask < ASIF_COST_MASKS; mask++) {
            double weight = scale * l->weight[k][mask];
            number[k] += weight * value[mask];
            variance[k] += weight * weight * left[mask];
        }
    }
    return ASIF_OK;
}

double asif_cost_of_bounds_common(const asif_cost_of_bounds *l, uint32_t number, double discount) {
    double scale = asif_cost_of_bounds_per_decision(l, number) ? 1 - discount : 1, sum = 0;
    for (uint32_t mask = 0; mask < ASIF_COST_MASKS; mask++) {
        double weight = scale * l->weight[number][mask] * l->error[mask];
        sum += weight * weight;
    }
    return sum;
}
