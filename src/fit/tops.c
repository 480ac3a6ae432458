/* Rival explanations: the maxima (tops) of a posterior, the chains that stayed at each, and the numbers about
 * which they disagree.
 *
 * Chains begin around all tops. If R-hat over all chains is good and every top was visited, the chains have
 * forgotten where they began: each has moved between the tops often enough for the shares of its draws to be
 * those of the posterior. Then there is one posterior, and intervals from all draws are right. R-hat alone is
 * not enough: chains that all left a top during the warm-up agree too, and tell nothing about it. If R-hat is
 * not good but every chain moves between tops, the draws are those of one posterior but too few, and R-hat
 * reports that as usual. If chains stay where they are, the number of draws at a top depends only on how many
 * chains ended there; draws of several tops are then not pooled. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/draws.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define HIGHER 1e-3 /* nats: another maximum has to be higher by this much to become the fit's */
#define MIRRORS 8   /* most climbs from mirrored points */
#define PRIOR_WIDTH 3.2897072539029444 /* standard deviations in the 90 % interval of a normal */
#define STAYED 0.99                    /* share of the draws of a chain that has stayed at a top */
#define LEAST_DRAWS 40                 /* fewest draws at a top for estimates from draws */

/* ---- finding tops ---- */

/* Whether a number can change its sign, and the prior of the other sign is not too small to count. */
static bool may_turn(const asif_estimate_info *info, double number) {
    if (asif_is_logarithm(info) || !(info->low < -fabs(number) && info->high > fabs(number)) || number == 0)
        return false;
    double width = (info->prior_q95 - info->prior_q05) / PRIOR_WIDTH;
    double here = (asif_estimate_line(info, number) - info->prior_q50) / width;
    double there = (asif_estimate_line(info, -number) - info->prior_q50) / width;
    return !(there * there - here * here > 2 * ASIF_TOPS_WITHIN);
}

/* Whether two numbers have the same prior and can be exchanged. */
static bool may_swap(const asif_estimate_info *a, const asif_estimate_info *b) {
    return a->proper && b->proper && a->line == b->line && a->low == b->low && a->high == b->high &&
           a->prior_q05 == b->prior_q05 && a->prior_q50 == b->prior_q50 && a->prior_q95 == b->prior_q95 &&
           !asif_same_distribution(a, b);
}

typedef struct {
    const asif_fit *fit;
    asif_tops *tops;
    uint32_t climbs;
    double *number; /* [parameters]: numbers at the maximum */
    double *other;  /* [parameters]: the mirrored numbers */
    double *x;      /* [dimension] */
} mirrors;

static asif_status climb_other(mirrors *m, asif_error *error) {
    if (m->climbs++ >= MIRRORS)
        return ASIF_OK;
    asif_estimates_locate(m->fit->estimates, m->other, m->x);
    ASIF_TRY(asif_tops_climb(m->tops, m->x, error));
    memcpy(m->other, m->number, m->fit->view.parameters * sizeof *m->other);
    return ASIF_OK;
}

static asif_status climb_swapped(mirrors *m, asif_error *error) {
    for (uint32_t i = 0; i < m->fit->view.parameters; i++)
        for (uint32_t k = 0; k < i; k++)
            if (may_swap(m->fit->parameter[i].info, m->fit->parameter[k].info)) {
                m->other[i] = m->number[k];
                m->other[k] = m->number[i];
                ASIF_TRY(climb_other(m, error));
            }
    return ASIF_OK;
}

/* Climb from mirror images of the maximum: the sign of all numbers reversed, then of one number after the
 * other, then two numbers exchanged. If the likelihood is the same for both signs (optimism that cancels out,
 * for example), or for two utilities in exchange, random starts may all have reached the same top. */
static asif_status climb_mirrors(mirrors *m, asif_error *error) {
    uint32_t count = m->fit->view.parameters, turned = 0, last = 0;
    asif_estimates_report(m->fit->estimates, m->fit->maximum, m->number);
    memcpy(m->other, m->number, count * sizeof *m->other);
    for (uint32_t i = 0; i < count; i++)
        if (may_turn(m->fit->parameter[i].info, m->number[i])) {
            m->other[i] = -m->number[i];
            turned++;
            last = i;
        }
    if (turned > 0)
        ASIF_TRY(climb_other(m, error));
    for (uint32_t i = 0; turned > 1 && i <= last; i++)
        if (may_turn(m->fit->parameter[i].info, m->number[i])) {
            m->other[i] = -m->number[i];
            ASIF_TRY(climb_other(m, error));
        }
    return climb_swapped(m, error);
}

/* Index of the end that follows `last` in the order of values, the highest first; `count` after the last. */
static uint64_t next_end(const double *ends, uint64_t count, uint64_t n, uint64_t last) {
    uint64_t next = count;
    for (uint64_t i = 0; i < count; i++) {
        double value = ends[i * (n + 1) + n], before = last < count ? ends[last * (n + 1) + n] : INFINITY;
        if (!isfinite(value) || value > before || (value == before && i <= last))
            continue;
        if (next == count || value > ends[next * (n + 1) + n])
            next = i;
    }
    return next;
}

/* Add the ends from the highest down, so that each is compared with those that are at least as high. */
static asif_status add_ends(asif_tops *tops, const double *ends, uint64_t count, asif_error *error) {
    uint64_t n = tops->n;
    for (uint64_t i = next_end(ends, count, n, count); i < count; i = next_end(ends, count, n, i))
        ASIF_TRY(asif_tops_add(tops, ends + i * (n + 1), ends[i * (n + 1) + n], error));
    return ASIF_OK;
}

/* Number of starts that came as high as the maximum, but at another top. */
static uint32_t elsewhere(const asif_fit *fit, const asif_tops *tops, const double *ends, uint32_t starts) {
    uint64_t n = tops->n;
    uint32_t home = asif_tops_nearest(tops, fit->maximum), count = 0;
    for (uint32_t i = 0; i < starts; i++) {
        const double *end = ends + i * (n + 1);
        count += end[n] >= fit->view.search.value - HIGHER && asif_tops_nearest(tops, end) != home;
    }
    return count;
}

asif_status asif_fit_find_tops(asif_fit *fit, asif_tops *tops, const double *ends, uint32_t starts,
                               asif_error *error) {
    uint32_t n = fit->dimension;
    double *room = ASIF_ARRAY(fit->context, 2 * (uint64_t)fit->view.parameters + n, double);
    if (!room)
        return asif_fail_memory(error);
    mirrors m = {.fit = fit,
                 .tops = tops,
                 .number = room,
                 .other = room + fit->view.parameters,
                 .x = room + 2 * (uint64_t)fit->view.parameters};
    asif_tops_begin(tops, fit->maximum, fit->view.search.value, fit->covariance, fit->view.curved);
    asif_status status = ASIF_OK;
    if (starts > 1) {
        status = add_ends(tops, ends, ASIF_MAXIMISE_ENDS(starts), error);
        if (status == ASIF_OK)
            status = climb_mirrors(&m, error);
    }
    asif_free(fit->context, room);
    if (status != ASIF_OK)
        return status;
    uint32_t others = starts > 1 ? elsewhere(fit, tops, ends, starts) : 0, *agree = &fit->view.search.agree;
    *agree -= others < *agree ? others : *agree;
    for (uint32_t t = 0; t < tops->count; t++)
        if (tops->top[t].value > fit->view.search.value + HIGHER) {
            fit->view.search.value = tops->top[t].value;
            fit->view.search.agree = 1;
            memcpy(fit->maximum, tops->top[t].x, n * sizeof *fit->maximum);
        }
    fit->view.search.evaluations += tops->evaluations;
    asif_tops_weigh(tops);
    return ASIF_OK;
}

/* ---- estimates of each top ---- */

typedef struct {
    asif_fit *fit;
    const asif_tops *tops;
    asif_draws_view draws;
    uint64_t *visits;    /* [chains][tops]: number of draws that are nearest to a top */
    double *value;       /* [columns][draws of a top]: scratch */
    double *correlation; /* [columns][columns] */
    double *room;        /* [columns + dimension] */
} telling;

/* Index of the top that is nearest to a draw. */
static uint32_t locate(const telling *t, uint64_t draw) {
    const asif_draws_view *v = &t->draws;
    uint64_t all = v->chains * v->draws;
    double *number = t->room, *x = number + v->columns;
    for (uint32_t i = 0; i < v->columns; i++)
        number[i] = v->value[i * all + draw];
    asif_estimates_locate(t->fit->estimates, number, x);
    return asif_tops_nearest(t->tops, x);
}

/* Count the draws of each chain at each top. */
static void visit(telling *t) {
    const asif_draws_view *v = &t->draws;
    for (uint64_t d = 0; d < v->chains * v->draws; d++)
        t->visits[d / v->draws * t->tops->count + locate(t, d)]++;
}

static bool all_visited(const telling *t) {
    for (uint32_t k = 0; k < t->tops->count; k++) {
        uint64_t draws = 0;
        for (uint32_t c = 0; c < t->draws.chains; c++)
            draws += t->visits[(uint64_t)c * t->tops->count + k];
        if (draws == 0)
            return false;
    }
    return true;
}

static bool stayed(const telling *t, uint32_t chain, uint32_t top) {
    return (double)t->visits[(uint64_t)chain * t->tops->count + top] >= STAYED * (double)t->draws.draws;
}

static bool any_stayed(const telling *t) {
    for (uint32_t c = 0; c < t->draws.chains; c++)
        for (uint32_t k = 0; k < t->tops->count; k++)
            if (stayed(t, c, k))
                return true;
    return false;
}

static bool are_rivals(const telling *t) {
    if (!t->fit->draws)
        return true;
    if (t->draws.method == ASIF_METHOD_RIDGE)
        return t->fit->apart;
    return t->fit->view.trust.worst_rhat < ASIF_GOOD_RHAT ? !all_visited(t) : any_stayed(t);
}

static void find_chains(telling *t) {
    asif_fit *fit = t->fit;
    uint32_t tops = t->tops->count, chains = t->draws.chains;
    for (uint32_t k = 0; k < tops; k++) {
        uint32_t *chain = fit->chain + (uint64_t)k * chains;
        fit->top[k].chain = chain;
        for (uint32_t c = 0; c < chains; c++)
            if (stayed(t, c, k))
                chain[fit->top[k].chains++] = c;
    }
}

/* Estimate a top from the draws of its chains. */
static asif_status tell_drawn(telling *t, const asif_fit_top *top, asif_fit_parameter *parameter,
                              asif_error *error) {
    const asif_draws_view *v = &t->draws;
    uint64_t all = v->chains * v->draws, own = top->chains * v->draws;
    for (uint32_t i = 0; i < v->columns; i++)
        for (uint32_t c = 0; c < top->chains; c++)
            memcpy(t->value + i * own + c * v->draws, v->value + i * all + top->chain[c] * v->draws,
                   v->draws * sizeof *t->value);
    for (uint32_t i = 0; i < v->columns; i++)
        ASIF_TRY(asif_summarise(&parameter[i].summary, t->fit->context, t->value + i * own, top->chains,
                                v->draws, error));
    return asif_verdict_draws(parameter, v->columns, t->correlation, t->fit->context, t->value, own, error);
}

/* Estimate a top from the ridge draws that are nearest to it; their number follows from its weight. */
static asif_status tell_nearest(telling *t, uint32_t top, asif_fit_parameter *parameter, asif_error *error) {
    const asif_draws_view *v = &t->draws;
    uint64_t all = v->chains * v->draws, own = (uint64_t)lround(t->fit->top[top].weight * (double)all), n = 0;
    for (uint64_t d = 0; d < all; d++)
        if (locate(t, d) == top) {
            for (uint32_t i = 0; i < v->columns; i++)
                t->value[i * own + n] = v->value[i * all + d];
            n++;
        }
    for (uint32_t i = 0; i < v->columns; i++) {
        asif_column_summary *s = &parameter[i].summary;
        ASIF_TRY(asif_summarise(s, t->fit->context, t->value + i * own, 1, own, error));
        s->rhat = NAN;
        s->ess_bulk = s->ess_tail = v->kish * t->fit->top[top].weight;
        s->mcse_mean = s->sd / sqrt(s->ess_bulk);
    }
    return asif_verdict_draws(parameter, v->columns, t->correlation, t->fit->context, t->value, own, error);
}

static asif_status tell_top(telling *t, uint32_t k, asif_error *error) {
    asif_fit *fit = t->fit;
    const asif_top *at = &t->tops->top[k];
    uint32_t count = fit->view.parameters;
    asif_fit_top *top = &fit->top[k];
    asif_fit_parameter *parameter = fit->top_parameter + (uint64_t)k * count;
    bool curved = at->curved;
    top->parameter = parameter;
    bool weighted = t->draws.method == ASIF_METHOD_RIDGE;
    top->drawn =
        weighted ? top->weight * (double)(t->draws.chains * t->draws.draws) >= LEAST_DRAWS : top->chains > 0;
    asif_estimates_report(fit->estimates, at->x, t->room);
    for (uint32_t i = 0; i < count; i++) {
        parameter[i] = (asif_fit_parameter){.info = fit->parameter[i].info,
                                            .maximum = t->room[i],
                                            .error_outer = NAN,
                                            .error_clustered = NAN,
                                            .contraction = NAN,
                                            .correlation = NAN,
                                            .with = ASIF_ANY,
                                            .prior_sensitivity = NAN,
                                            .likelihood_sensitivity = NAN};
    }
    ASIF_TRY(top->drawn && weighted ? tell_nearest(t, k, parameter, error)
             : top->drawn           ? tell_drawn(t, top, parameter, error)
                                    : asif_laplace(parameter, count, fit->context, fit->estimates, at->x,
                                                   at->covariance, &curved, error));
    asif_verdict_signs(parameter, count);
    return ASIF_OK;
}

/* ---- disagreement ---- */

/* Whether any two tops have intervals that do not overlap, or different signs. */
static bool disagree(const asif_fit *fit, uint32_t number) {
    for (uint32_t a = 0; a < fit->view.tops; a++)
        for (uint32_t b = 0; b < a; b++) {
            const asif_fit_parameter *p = &fit->top[a].parameter[number], *q = &fit->top[b].parameter[number];
            if (p->summary.q05 > q->summary.q95 || p->summary.q95 < q->summary.q05 || p->sign != q->sign)
                return true;
        }
    return false;
}

/* Contraction of the interval that contains those of all tops: what is known whichever top is right. */
static double contraction(const asif_fit *fit, uint32_t number) {
    const asif_estimate_info *info = fit->parameter[number].info;
    double low = INFINITY, high = -INFINITY, prior = fabs(info->prior_q95 - info->prior_q05);
    for (uint32_t k = 0; k < fit->view.tops; k++) {
        const asif_column_summary *s = &fit->top[k].parameter[number].summary;
        double a = asif_estimate_line(info, s->q05), b = asif_estimate_line(info, s->q95);
        low = fmin(low, fmin(a, b));
        high = fmax(high, fmax(a, b));
    }
    double width = (high - low) / prior;
    return info->proper && prior > 0 && isfinite(width) ? 1 - width * width : NAN;
}

/* Set the diagnostics of a number of the fit to the worst of any top; mean and quantiles over several tops
 * have no meaning and become NaN. */
static void settle(asif_fit *fit, uint32_t number) {
    asif_fit_parameter *p = &fit->parameter[number];
    asif_column_summary *s = &p->summary;
    bool first = true;
    s->mean = s->sd = s->q05 = s->q50 = s->q95 = s->mcse_mean = s->mcse_sd = NAN;
    p->sign = fit->top[0].parameter[number].sign;
    for (uint32_t k = 0; k < fit->view.tops; k++) {
        const asif_fit_parameter *own = &fit->top[k].parameter[number];
        if (!fit->top[k].drawn)
            continue;
        if (first) { /* this top has the largest weight of those with draws */
            s->rhat = own->summary.rhat;
            s->ess_bulk = own->summary.ess_bulk;
            s->ess_tail = own->summary.ess_tail;
            p->with = own->with;
            p->correlation = own->correlation;
        }
        s->rhat = own->summary.rhat > s->rhat ? own->summary.rhat : s->rhat;
        s->ess_bulk = fmin(s->ess_bulk, own->summary.ess_bulk);
        s->ess_tail = fmin(s->ess_tail, own->summary.ess_tail);
        first = false;
    }
    p->contraction = fit->draws ? contraction(fit, number) : NAN;
    if (!disagree(fit, number))
        return;
    p->doubt = ASIF_DOUBT_TOPS;
    p->sign = p->sign == ASIF_SIGN_NONE ? ASIF_SIGN_NONE : ASIF_SIGN_UNKNOWN;
}

/* Set the numbers and the trust of a fit with rivals. */
static asif_status part(telling *t, asif_error *error) {
    asif_fit *fit = t->fit;
    uint32_t count = fit->view.parameters;
    for (uint32_t i = 0; i < count; i++)
        settle(fit, i);
    asif_verdict_judge(fit->parameter, count);
    fit->view.trusted = false;
    if (!fit->draws)
        return ASIF_OK;
    asif_column_summary *summary = ASIF_ARRAY(fit->context, count, asif_column_summary);
    if (!summary)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        summary[i] = fit->parameter[i].summary;
    asif_status status = asif_draws_trust(&fit->view.trust, fit->draws, summary, error);
    asif_free(fit->context, summary);
    return status;
}

/* ---- describing tops ---- */

static asif_status weigh(asif_fit *fit, const asif_tops *tops, asif_target *likelihood, asif_error *error) {
    bool ml = isnan(fit->view.log_posterior);
    double sum = 0, best = asif_top_mass(&tops->top[0]);
    for (uint32_t k = 0; k < tops->count; k++)
        sum += exp(asif_top_mass(&tops->top[k]) - best);
    for (uint32_t k = 0; k < tops->count; k++) {
        const asif_top *at = &tops->top[k];
        fit->top[k] = (asif_fit_top){.weight = ml ? NAN : exp(asif_top_mass(at) - best) / sum,
                                     .log_posterior = ml ? NAN : at->value,
                                     .log_volume = at->log_volume,
                                     .log_likelihood = fit->view.log_likelihood};
        if (tops->count > 1)
            ASIF_TRY(asif_target_objective(likelihood, at->x, &fit->top[k].log_likelihood, NULL, error));
    }
    return ASIF_OK;
}

/* Share of all draws that are nearest to a top. */
static double share(const telling *t, uint32_t top) {
    double draws = 0;
    for (uint32_t c = 0; c < t->draws.chains; c++)
        draws += (double)t->visits[(uint64_t)c * t->tops->count + top];
    return draws / ((double)t->draws.chains * (double)t->draws.draws);
}

static asif_status tell(telling *t, bool draws_only, asif_error *error) {
    asif_fit *fit = t->fit;
    if (fit->draws)
        visit(t);
    fit->view.rivals = are_rivals(t);
    for (uint32_t k = 0; t->draws.method == ASIF_METHOD_RIDGE && k < t->tops->count; k++)
        fit->top[k].weight = share(t, k);
    if (draws_only) {
        fit->view.trusted = fit->view.trusted && !fit->view.rivals;
        fit->view.tops = 0;
        return ASIF_OK;
    }
    if (fit->draws && fit->view.rivals)
        find_chains(t);
    for (uint32_t k = t->tops->count; k-- > 0;) {
        ASIF_TRY(tell_top(t, k, error));
        if (fit->top[k].drawn) /* the last copy is that of the largest weight */
            memcpy(fit->correlation, t->correlation,
                   (uint64_t)fit->view.parameters * fit->view.parameters * sizeof *fit->correlation);
    }
    return fit->view.rivals ? part(t, error) : ASIF_OK;
}

/* A single top has the estimates of the fit. */
static void tell_one(asif_fit *fit, uint32_t chains) {
    fit->top[0].parameter = fit->parameter;
    fit->top[0].drawn = fit->draws;
    fit->top[0].chains = chains;
    fit->top[0].chain = fit->chain;
    for (uint32_t c = 0; c < chains; c++)
        fit->chain[c] = c;
}

asif_status asif_fit_tell_tops(asif_fit *fit, const asif_tops *tops, asif_target *likelihood, bool draws_only,
                               asif_error *error) {
    const asif_context *c = fit->context;
    telling t = {.fit = fit, .tops = tops, .draws = {.struct_size = sizeof t.draws}};
    uint64_t count = fit->view.parameters;
    if (fit->draws)
        ASIF_TRY(asif_draws_get(fit->draws, &t.draws, error));
    fit->top = ASIF_ARRAY(c, tops->count, asif_fit_top);
    fit->top_parameter = ASIF_ARRAY(c, tops->count * count, asif_fit_parameter);
    fit->chain = ASIF_ARRAY(c, tops->count * (uint64_t)t.draws.chains + 1, uint32_t);
    t.visits = ASIF_ARRAY(c, tops->count * (uint64_t)t.draws.chains + 1, uint64_t);
    t.value = ASIF_ARRAY(c, tops->count > 1 ? count * t.draws.chains * t.draws.draws + 1 : 1, double);
    t.correlation = ASIF_ARRAY(c, count * count, double);
    t.room = ASIF_ARRAY(c, count + fit->dimension, double);
    bool all = fit->top && fit->top_parameter && fit->chain && t.visits && t.value && t.correlation && t.room;
    asif_status status = all ? weigh(fit, tops, likelihood, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        fit->view.top = fit->top;
        fit->view.tops = tops->count;
        fit->view.more_tops = tops->more;
        if (tops->count > 1)
            status = tell(&t, draws_only, error);
        else
            tell_one(fit, t.draws.chains);
    }
    void *const arrays[] = {t.visits, t.value, t.correlation, t.room};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}
