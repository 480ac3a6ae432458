/* Finds the maximum of a rival on an agent's logs, and compares the two. */
#include "questions/identify/rival.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define SEARCHES 4 /* number of densities, each with its own starts of the maximiser */
#define ERRORS 2   /* standard errors that count as a difference */
#define MOST 1e9   /* number of logs beyond which a difference may be due to rounding or to the search */

/* Compute the log-probabilities of the actions at all nodes, [nodes][actions]. */
static asif_status log_policies(double *out, const asif_behavior *behavior, const asif_tree *tree,
                                asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    double total, *state = ASIF_ARRAY(behavior->context, (uint64_t)t->nodes * behavior->width, double);
    double *memo = ASIF_ARRAY(behavior->context, (uint64_t)t->nodes * behavior->memo_width, double);
    asif_loglik_walk walk = {.state = state, .memo = memo, .log_policy = out};
    asif_status status = state && memo ? asif_loglik_check(behavior, tree, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_loglik_keep(&total, behavior, tree, NULL, &walk, error);
    asif_free(behavior->context, state);
    asif_free(behavior->context, memo);
    return status;
}

/* ---- the agent on its logs ---- */

asif_status asif_rival_field_fill(asif_rival_field *field, const asif_behavior *behavior, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(field->tree);
    uint64_t cells = (uint64_t)t->nodes * t->actions;
    field->log_policy = ASIF_ARRAY(field->context, cells, double);
    field->count = ASIF_ARRAY(field->context, cells, double);
    if (!field->log_policy || !field->count)
        return asif_fail_memory(error);
    ASIF_TRY(log_policies(field->log_policy, behavior, field->tree, error));
    field->log_likelihood = 0;
    for (uint64_t i = 0; i < t->nodes; i++) {
        const double *taken = t->count + i * t->actions, *policy = field->log_policy + i * t->actions;
        double decisions = 0;
        for (uint32_t u = 0; u < t->actions; u++)
            decisions += taken[u];
        for (uint32_t u = 0; u < t->actions; u++) {
            double expected = decisions * exp(policy[u]);
            field->count[i * t->actions + u] = expected;
            field->log_likelihood += expected > 0 ? expected * policy[u] : 0;
        }
    }
    return ASIF_OK;
}

void asif_rival_field_free(asif_rival_field *field) {
    asif_free(field->context, field->log_policy);
    asif_free(field->context, field->count);
}

/* ---- the agent's values as starting points ---- */

void asif_rival_numbers(double *out, const asif_estimates *estimates, const asif_theta *theta) {
    for (uint32_t i = 0; i < estimates->parts; i++) {
        const asif_part *part = &estimates->part[i];
        const asif_estimate_info *info = &estimates->info[part->reported];
        if (part->number) {
            double value = NAN;
            if (asif_theta_get(theta, info->parameter, &value, NULL) != ASIF_OK)
                value = NAN;
            out[part->reported] = asif_is_logarithm(info) ? log(fabs(value)) : value;
            continue;
        }
        bool same = theta->setting == estimates->given->setting;
        const double *p = same ? asif_theta_distribution(theta, part->which, part->start) : NULL;
        for (uint32_t k = 0; k < part->entries; k++)
            out[part->reported + k] = p ? p[part->entry[k]] : NAN;
    }
}

/* Place the starts of the search: the first at the agent's values, as far as the rival has them; the second
 * in the middle of the priors; the others are drawn from the priors. */
static asif_status place_starts(double *start, const asif_rival_field *field, const asif_estimates *estimates,
                                uint32_t starts, asif_error *error) {
    uint64_t n = asif_estimates_dimension(estimates);
    double *number = ASIF_ARRAY(field->context, 2 * (uint64_t)estimates->reported, double);
    if (!number)
        return asif_fail_memory(error);
    double *agent = number + estimates->reported;
    asif_estimates_draw(estimates, field->seed, 0, start);
    asif_estimates_report(estimates, start, number);
    asif_rival_numbers(agent, estimates, field->agent);
    for (uint32_t i = 0; i < estimates->reported; i++) {
        const asif_estimate_info *info = &estimates->info[i];
        if (info->proper && isfinite(info->prior_q50))
            number[i] = asif_line_back(info, info->prior_q50);
        if (isnan(agent[i]))
            agent[i] = number[i];
    }
    asif_estimates_locate(estimates, agent, start);
    if (starts > 1)
        asif_estimates_locate(estimates, number, start + n);
    for (uint32_t i = 2; i < starts; i++)
        asif_estimates_draw(estimates, field->seed, i, start + i * n);
    asif_free(field->context, number);
    return ASIF_OK;
}

/* ---- the maximum of the rival ---- */

typedef struct {
    uint32_t count;
    asif_target *target[SEARCHES];
    asif_density density[SEARCHES];
} searches;

static asif_status open_searches(searches *s, const asif_rival_field *field, const asif_rival *rival,
                                 uint32_t starts, asif_error *error) {
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    options.inverse = rival->inverse;
    options.objective_only = true;
    options.count = field->count;
    ASIF_TRY(asif_target_create(&s->target[0], rival->work, rival->estimates, field->tree, &options, error));
    s->count = starts < SEARCHES ? starts : SEARCHES;
    for (uint32_t i = 1; i < s->count; i++)
        ASIF_TRY(asif_target_clone(&s->target[i], s->target[0], error));
    for (uint32_t i = 0; i < s->count; i++)
        s->density[i] = *asif_target_density(s->target[i]);
    return ASIF_OK;
}

static asif_status search(double *x, asif_rival_result *out, searches *s, const asif_rival_field *field,
                          const asif_estimates *estimates, asif_error *error) {
    uint64_t n = asif_estimates_dimension(estimates);
    uint32_t starts = field->starts ? field->starts : 1;
    double *start = ASIF_ARRAY(field->context, (starts + 1) * n, double);
    if (!start)
        return asif_fail_memory(error);
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    double *scale = start + starts * n;
    asif_estimates_scale(estimates, scale);
    options.starts = starts;
    options.start = start;
    options.scale = scale;
    asif_status status = place_starts(start, field, estimates, starts, error);
    if (status == ASIF_OK)
        status = asif_maximise(x, field->context, s->density, s->count, &options, &out->search, error);
    asif_free(field->context, start);
    return status;
}

static asif_status find_best(double *log_policy, asif_rival_result *out, searches *s,
                             const asif_rival_field *field, const asif_rival *rival, asif_error *error) {
    const asif_estimates *e = rival->estimates;
    double *best = ASIF_ARRAY(field->context, e->reported, double);
    double *x = ASIF_ARRAY(field->context, e->dimension, double);
    out->best = best;
    asif_status status = best && x ? open_searches(s, field, rival, field->starts ? field->starts : 1, error)
                                   : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = search(x, out, s, field, e, error);
    const asif_work *solved = NULL;
    if (status == ASIF_OK)
        status = asif_target_solve(s->target[0], x, &solved, error);
    if (status == ASIF_OK)
        status = log_policies(log_policy, asif_work_behavior(solved), field->tree, error);
    asif_theta *theta = NULL;
    if (status == ASIF_OK)
        status = asif_theta_copy(&theta, rival->given, error);
    out->theta = theta;
    if (status == ASIF_OK) {
        asif_estimates_report(e, x, best);
        status = asif_estimates_theta(e, x, theta, error);
    }
    asif_free(field->context, x);
    return status;
}

/* Take a rival without free parameters. */
static asif_status take_stated(double *log_policy, asif_rival_result *out, const asif_rival_field *field,
                               const asif_rival *rival, asif_error *error) {
    asif_plan_info info;
    asif_theta *theta = NULL;
    asif_work *work = NULL;
    asif_status status = asif_theta_copy(&theta, rival->given, error);
    out->theta = theta;
    if (status == ASIF_OK)
        status = asif_work_clone(&work, rival->work, error);
    if (status == ASIF_OK)
        status = asif_solve(work, theta, &info, error);
    if (status == ASIF_OK && info.stop == ASIF_STOP_NONFINITE)
        status = asif_fail(error, ASIF_EDOMAIN, "the values of this agent overflow");
    if (status == ASIF_OK)
        status = log_policies(log_policy, asif_work_behavior(work), field->tree, error);
    asif_work_free(work);
    return status;
}

/* ---- comparison ---- */

static double mean_of(const double *value, uint64_t n, double *error) {
    double mean = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        double step = value[i] - mean;
        mean += step / (double)(i + 1);
        squares += step * (value[i] - mean);
    }
    *error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : INFINITY;
    return mean;
}

/* The number of logs needed at so many nats per log; inf if that is beyond practice. */
static double logs_for(double nats) {
    return nats > ASIF_SURE_NATS / MOST ? ASIF_SURE_NATS / nats : INFINITY;
}

void asif_rival_judge(asif_rival_result *out, const double *difference, const double *never, uint64_t logs) {
    double error, ignored, mean = mean_of(difference, logs, &error);
    double impossible = mean_of(never, logs, &ignored);
    /* Expected number of logs until such an action is taken once. */
    double first = impossible > 1 / MOST ? 1 / impossible : INFINITY;
    out->told = first < INFINITY || logs_for(mean - ERRORS * error) < INFINITY;
    out->nats = first < INFINITY ? INFINITY : 1000 * mean;
    out->nats_error = first < INFINITY ? 0 : 1000 * error;
    out->impossible = first < INFINITY ? impossible : 0;
    out->needed = out->told ? fmin(first, logs_for(mean)) : NAN;
    out->needed_least = fmin(first, logs_for(mean + ERRORS * error));
    out->needed_most = fmin(first, logs_for(mean - ERRORS * error));
}

/* The divergence of the rival from the agent at a node, per decision; *never becomes the probability of
 * actions that the rival never takes. */
static double divergence(const double *agent, const double *rival, uint32_t actions, double *never) {
    double sum = 0;
    *never = 0;
    for (uint32_t u = 0; u < actions; u++) {
        double p = exp(agent[u]);
        if (rival[u] == -INFINITY)
            *never += p;
        else if (p > 0)
            sum += p * (agent[u] - rival[u]);
    }
    return sum;
}

static asif_status compare(asif_rival_result *out, const asif_rival_field *field, const double *log_policy,
                           asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(field->tree);
    double *room = ASIF_ARRAY(field->context, 2 * ((uint64_t)t->nodes + t->units), double);
    if (!room)
        return asif_fail_memory(error);
    double *ahead = room, *odd = ahead + t->nodes, *difference = odd + t->nodes,
           *never = difference + t->units;
    for (uint64_t i = 0; i < t->nodes; i++)
        ahead[i] =
            divergence(field->log_policy + i * t->actions, log_policy + i * t->actions, t->actions, &odd[i]);
    for (uint64_t i = 0; i < t->units; i++)
        for (uint64_t k = t->unit[i]; k < t->unit[i + 1]; k++) {
            difference[i] += t->entry_count[k] * ahead[t->entry_node[k]];
            never[i] += t->entry_count[k] * odd[t->entry_node[k]];
        }
    asif_rival_judge(out, difference, never, t->units);
    out->log_likelihood = field->log_likelihood - out->nats * (double)t->units / 1000;
    out->agent_log_likelihood = field->log_likelihood;
    asif_free(field->context, room);
    return ASIF_OK;
}

asif_status asif_rival_run(asif_rival_result *out, const asif_rival_field *field, const asif_rival *rival,
                           asif_error *error) {
    *out = (asif_rival_result){.name = rival->name, .estimates = rival->estimates};
    const asif_tree_view *t = asif_tree_inside(field->tree);
    searches s = {.count = 0};
    double *log_policy = ASIF_ARRAY(field->context, (uint64_t)t->nodes * t->actions, double);
    asif_status status = ASIF_OK;
    if (!log_policy)
        status = asif_fail_memory(error);
    else if (rival->estimates)
        status = find_best(log_policy, out, &s, field, rival, error);
    else
        status = take_stated(log_policy, out, field, rival, error);
    if (status == ASIF_OK)
        status = compare(out, field, log_policy, error);
    if (status != ASIF_OK && error && !error->file[0] && rival->name) {
        asif_error_at(error, rival->name, 0, 0);
        error->row = 0; /* row of simulated logs */
    }
    for (uint32_t i = 0; i < SEARCHES; i++)
        asif_target_free(s.target[i]);
    asif_free(field->context, log_policy);
    return status;
}

void asif_rival_result_free(const asif_context *context, asif_rival_result *result) {
    asif_free(context, (double *)(uintptr_t)result->best);
    asif_theta_free((asif_theta *)(uintptr_t)result->theta);
}
