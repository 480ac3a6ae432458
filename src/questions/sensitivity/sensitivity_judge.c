/* Judges the refits: how far numbers move, where signs change and at what cost, and which statements
 * survive. */
#include "fit/fit.h"
#include "questions/sensitivity/sensitivity.h"

#include <math.h>

#define NEAR_ZERO 1 /* standard deviations from 0 within which a maximum says nothing about its sign */

static asif_sign sign_of(double number) {
    return number > 0 ? ASIF_SIGN_POSITIVE : number < 0 ? ASIF_SIGN_NEGATIVE : ASIF_SIGN_UNKNOWN;
}

static asif_sign leaning(double number, double sd) {
    return fabs(number) < NEAR_ZERO * sd ? ASIF_SIGN_UNKNOWN : sign_of(number);
}

/* ---- points ---- */

static void judge_points(asif_sensitivity *s) {
    for (uint32_t p = 0; p < s->points; p++) {
        asif_sensitivity_point *point = &s->point[p];
        point->nats = point->given ? 0 : s->view.log_likelihood - point->log_likelihood;
        point->within = !point->why && point->nats <= s->view.limit;
        for (uint32_t i = 0; i < s->view.numbers; i++) {
            const asif_sensitivity_statement *k = &s->statement[i];
            asif_sensitivity_number *n = &s->number[(uint64_t)p * s->view.numbers + i];
            n->moved = (n->maximum - k->maximum) / k->sd;
            if (!point->drawn)
                n->sign =
                    k->sign == ASIF_SIGN_NONE || point->why ? ASIF_SIGN_NONE : leaning(n->maximum, k->sd);
        }
    }
}

/* ---- variations ---- */

/* Find the value with the lowest cost within the limit, from a point outwards, at which the number is at
 * least a standard deviation from 0 on the side of the sign change. */
static void find_clear(asif_sensitivity_flip *flip, const asif_sensitivity *s,
                       const asif_sensitivity_variation *v, int64_t from, uint32_t number, int step) {
    flip->clear_at = flip->clear_nats = NAN;
    for (int64_t i = from; i >= 0 && i < v->points; i += step) {
        const asif_sensitivity_point *p = &v->point[i];
        if (p->within && leaning(p->number[number].maximum, s->statement[number].sd) == flip->to &&
            !(p->nats >= flip->clear_nats)) {
            flip->clear_at = p->value;
            flip->clear_nats = p->nats;
        }
    }
}

/* Find the sign change that is nearest to the assumed value, on one side of it. */
static bool find_flip(asif_sensitivity_flip *out, const asif_sensitivity *s,
                      const asif_sensitivity_variation *v, uint32_t given, uint32_t number, int step) {
    const asif_sensitivity_point *last = &v->point[given];
    asif_sign sign = sign_of(last->number[number].maximum);
    for (int64_t i = (int64_t)given + step; i >= 0 && i < v->points; i += step) {
        const asif_sensitivity_point *next = &v->point[i];
        if (next->why)
            continue;
        double a = last->number[number].maximum, b = next->number[number].maximum;
        if (sign_of(b) != sign && sign_of(b) != ASIF_SIGN_UNKNOWN) {
            double part = a / (a - b);
            *out = (asif_sensitivity_flip){.variation = (uint32_t)(v - s->variation),
                                           .before = last->value,
                                           .beyond = next->value,
                                           .at = last->value + part * (next->value - last->value),
                                           .nats = last->nats + part * (next->nats - last->nats),
                                           .to = sign_of(b)};
            out->within = out->nats <= s->view.limit;
            find_clear(out, s, v, i, number, step);
            return true;
        }
        last = next;
    }
    return false;
}

static void judge_variation(const asif_sensitivity *s, const asif_sensitivity_variation *v,
                            asif_sensitivity_effect *effect, uint32_t number) {
    const asif_sensitivity_statement *k = &s->statement[number];
    uint32_t given = 0;
    *effect = (asif_sensitivity_effect){.moved_at = NAN, .low = k->maximum, .high = k->maximum};
    for (uint32_t i = 0; i < v->points; i++) {
        const asif_sensitivity_point *point = &v->point[i];
        given = point->given ? i : given;
        if (!point->within)
            continue;
        double moved = fabs(point->number[number].moved), maximum = point->number[number].maximum;
        effect->low = fmin(effect->low, maximum);
        effect->high = fmax(effect->high, maximum);
        if (moved > effect->moved) {
            effect->moved = moved;
            effect->moved_at = point->value;
        }
    }
    if (k->sign == ASIF_SIGN_NONE || sign_of(k->maximum) == ASIF_SIGN_UNKNOWN)
        return;
    for (int step = -1; step <= 1; step += 2)
        effect->flips += find_flip(&effect->flip[effect->flips], s, v, given, number, step);
}

/* ---- statements ---- */

/* Whether a posterior drawn within the limit leaves the sign open, or has the other one. */
static bool weakens(const asif_sensitivity *s, uint32_t number) {
    for (uint32_t p = 0; p < s->points; p++) {
        const asif_sensitivity_point *point = &s->point[p];
        if (point->drawn && point->within && point->number[number].sign != s->statement[number].sign)
            return true;
    }
    return false;
}

/* Whether sign change `a` is worse than `b`: those that reach a standard deviation from 0 are worse than
 * others, then those with a lower cost. */
static bool is_worse(const asif_sensitivity_flip *a, const asif_sensitivity_flip *b) {
    if (isnan(a->clear_nats) != isnan(b->clear_nats))
        return isnan(b->clear_nats);
    return isnan(a->clear_nats) ? a->nats < b->nats : a->clear_nats < b->clear_nats;
}

static void find_flips(asif_sensitivity *s, uint32_t number) {
    asif_sensitivity_statement *k = &s->statement[number];
    for (uint32_t v = 0; v < s->view.variations; v++) {
        const asif_sensitivity_effect *e = &s->variation[v].effect[number];
        for (uint32_t f = 0; f < e->flips; f++) {
            if (e->flip[f].within && (!k->flip || is_worse(&e->flip[f], k->flip)))
                k->flip = &e->flip[f];
        }
    }
}

static void judge_statement(const asif_sensitivity *s, asif_sensitivity_statement *k, uint32_t number) {
    if (k->sign == ASIF_SIGN_NONE)
        k->statement = ASIF_STATEMENT_NONE;
    else if (k->sign == ASIF_SIGN_UNKNOWN)
        k->statement = ASIF_STATEMENT_OPEN;
    else if (k->flip)
        k->statement = ASIF_STATEMENT_FLIPS;
    else
        k->statement = weakens(s, number) ? ASIF_STATEMENT_WEAKENS : ASIF_STATEMENT_SURVIVES;
}

/* Find the bound that moves the number furthest out of its interval, at a value within the limit. */
static void find_dependence(const asif_sensitivity *s, asif_sensitivity_statement *k, uint32_t number) {
    double furthest = 0;
    k->depends_on = ASIF_ANY;
    for (uint32_t v = 0; v < s->view.variations; v++) {
        const asif_sensitivity_effect *e = &s->variation[v].effect[number];
        bool out = e->low < fmin(k->q05, k->maximum) || e->high > fmax(k->q95, k->maximum);
        if (s->variation[v].bound && out && e->moved > furthest) {
            furthest = e->moved;
            k->depends_on = v;
        }
    }
    k->depends = k->statement == ASIF_STATEMENT_FLIPS || k->depends_on != ASIF_ANY;
}

/* ---- the worst case ---- */

static void keep_worst(asif_sensitivity *s, uint32_t variation, uint32_t number, bool flips) {
    s->worst = (asif_sensitivity_worst){.variation = variation, .number = number, .flips = flips};
    s->view.worst = &s->worst;
}

static bool find_worst_flip(asif_sensitivity *s) {
    const asif_sensitivity_flip *worst = NULL;
    for (uint32_t i = 0; i < s->view.numbers; i++) {
        const asif_sensitivity_flip *flip = s->statement[i].flip;
        if (s->statement[i].statement != ASIF_STATEMENT_FLIPS || (worst && !is_worse(flip, worst)))
            continue;
        worst = flip;
        keep_worst(s, flip->variation, i, true);
    }
    return worst != NULL;
}

static void find_worst_move(asif_sensitivity *s) {
    double largest = -1;
    for (uint32_t v = 0; v < s->view.variations; v++)
        for (uint32_t i = 0; i < s->view.numbers; i++)
            if (s->variation[v].effect[i].moved > largest) {
                largest = s->variation[v].effect[i].moved;
                keep_worst(s, v, i, false);
            }
}

void asif_sensitivity_judge(asif_sensitivity *s) {
    uint32_t numbers = s->view.numbers;
    for (uint32_t i = 0; i < numbers; i++) {
        asif_sensitivity_statement *k = &s->statement[i];
        k->leans = k->sign == ASIF_SIGN_NONE ? ASIF_SIGN_NONE : leaning(k->maximum, k->sd);
    }
    judge_points(s);
    for (uint32_t v = 0; v < s->view.variations; v++)
        for (uint32_t i = 0; i < numbers; i++)
            judge_variation(s, &s->variation[v], &s->effect[(uint64_t)v * numbers + i], i);
    for (uint32_t i = 0; i < numbers; i++) {
        find_flips(s, i);
        judge_statement(s, &s->statement[i], i);
        find_dependence(s, &s->statement[i], i);
    }
    if (!find_worst_flip(s))
        find_worst_move(s);
}
