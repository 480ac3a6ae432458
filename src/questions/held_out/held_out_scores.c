/* Scores of the predictions of one action, the positive class, and their differences between models. */
#include "questions/held_out/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>

/* ---- sums over units ---- */

static bool counts(const asif_held_out_scoring *s, uint64_t node) {
    return !s->step || s->step[node] + 1 >= s->from_step;
}

/* Add the decisions of one unit. The probability of all other actions is their sum, because 1 - p would lose
 * digits where it is small. */
static void add_unit(asif_held_out_unit_sum *sum, const asif_held_out_scoring *s, uint64_t unit) {
    const asif_tree_view *t = asif_tree_inside(s->tree);
    const double *policy = s->parts.policy[s->fold[unit]];
    for (uint64_t e = t->unit[unit]; e < t->unit[unit + 1]; e++) {
        const double *p = policy + (uint64_t)t->entry_node[e] * t->actions;
        if (!counts(s, t->entry_node[e]))
            continue;
        double weight = t->entry_count[e], others = 0;
        bool taken = t->entry_action[e] == s->positive;
        for (uint32_t u = 0; u < t->actions; u++)
            others += u == s->positive ? 0 : p[u];
        double missed = taken ? others : p[s->positive];
        sum->decisions += weight;
        sum->taken += taken ? weight : 0;
        sum->brier += weight * missed * missed;
        sum->loss -= weight * log(taken ? p[s->positive] : others);
    }
}

/* Standard error of a mean over decisions, which is a ratio of sums over units: `off` is the sum of squared
 * deviations of the units. */
static double error_of(double squares, double decisions, uint64_t units) {
    double n = (double)units;
    return units > 1 ? sqrt(squares * n / (n - 1)) / decisions : NAN;
}

static void average(asif_held_out_scores *out, const asif_held_out_unit_sum *by_unit, uint64_t units) {
    asif_held_out_unit_sum all = {0};
    double brier = 0, loss = 0;
    for (uint64_t i = 0; i < units; i++) {
        all.decisions += by_unit[i].decisions;
        all.taken += by_unit[i].taken;
        all.brier += by_unit[i].brier;
        all.loss += by_unit[i].loss;
    }
    *out = (asif_held_out_scores){.decisions = all.decisions,
                                  .rate = all.taken / all.decisions,
                                  .brier = all.brier / all.decisions,
                                  .loss = all.loss / all.decisions};
    for (uint64_t i = 0; i < units; i++) {
        double b = by_unit[i].brier - out->brier * by_unit[i].decisions;
        double l = by_unit[i].loss - out->loss * by_unit[i].decisions;
        brier += b * b;
        loss += l * l;
    }
    out->brier_error = error_of(brier, all.decisions, units);
    out->loss_error = error_of(loss, all.decisions, units);
}

void asif_held_out_compare(asif_held_out_difference *out, const asif_held_out_unit_sum *a,
                           const asif_held_out_unit_sum *b, uint64_t units) {
    double decisions = 0, brier = 0, loss = 0, brier_squares = 0, loss_squares = 0;
    for (uint64_t i = 0; i < units; i++) {
        decisions += a[i].decisions;
        brier += a[i].brier - b[i].brier;
        loss += a[i].loss - b[i].loss;
    }
    out->brier = brier / decisions;
    out->loss = loss / decisions;
    for (uint64_t i = 0; i < units; i++) {
        double x = a[i].brier - b[i].brier - out->brier * a[i].decisions;
        double y = a[i].loss - b[i].loss - out->loss * a[i].decisions;
        brier_squares += x * x;
        loss_squares += y * y;
    }
    out->brier_error = error_of(brier_squares, decisions, units);
    out->loss_error = error_of(loss_squares, decisions, units);
    if (!isfinite(out->loss))
        out->loss = out->loss_error = NAN;
}

/* ---- ranks within a fold ---- */

typedef struct {
    double auroc, precision, trapezoid;
} ranks;

/* Areas under the curves of one fold; false: it has no decisions with the action, or none without. */
static bool rank(ranks *out, const asif_prediction *item, uint64_t count) {
    double positives = 0, negatives = 0, hits = 0, called = 0, above = 1;
    for (uint64_t i = 0; i < count; i++) {
        positives += item[i].taken;
        negatives += item[i].all - item[i].taken;
    }
    *out = (ranks){0};
    if (!(positives > 0) || !(negatives > 0))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        double recall = item[i].taken / positives, others = (item[i].all - item[i].taken) / negatives;
        out->auroc += others * (hits + item[i].taken / 2) / positives;
        hits += item[i].taken;
        called += item[i].all;
        out->precision += recall * hits / called;
        out->trapezoid += recall * (above + hits / called) / 2;
        above = hits / called;
    }
    return true;
}

/* Keep the decisions of a part that count. */
static void keep(double *out, const asif_held_out_scoring *s, uint32_t part) {
    uint32_t U = s->parts.actions;
    for (uint64_t i = 0; i < s->parts.nodes * U; i++)
        out[i] = counts(s, i / U) ? s->parts.count[part][i] : 0;
}

static asif_status rank_folds(asif_held_out_scores *out, const asif_held_out_scoring *s, asif_error *error) {
    asif_prediction *item = ASIF_ARRAY(s->context, s->parts.nodes, asif_prediction);
    double *count = ASIF_ARRAY(s->context, s->parts.nodes * s->parts.actions, double);
    asif_status status = item && count ? ASIF_OK : asif_fail_memory(error);
    uint32_t folds = 0;
    for (uint32_t k = 0; status == ASIF_OK && k < s->parts.parts; k++) {
        const asif_held_out_parts one = {1, s->parts.nodes, s->parts.actions, &s->parts.policy[k], &count};
        ranks here;
        keep(count, s, k);
        if (!rank(&here, item, asif_held_out_gather(item, &one, s->positive)))
            continue;
        out->auroc += here.auroc;
        out->precision += here.precision;
        out->trapezoid += here.trapezoid;
        folds++;
    }
    out->auroc = folds ? out->auroc / folds : NAN;
    out->precision = folds ? out->precision / folds : NAN;
    out->trapezoid = folds ? out->trapezoid / folds : NAN;
    asif_free(s->context, item);
    asif_free(s->context, count);
    return status;
}

asif_status asif_held_out_score(asif_held_out_scores *out, asif_held_out_unit_sum *by_unit,
                                const asif_held_out_scoring *scoring, asif_error *error) {
    uint64_t units = asif_tree_inside(scoring->tree)->units;
    for (uint64_t i = 0; i < units; i++) {
        by_unit[i] = (asif_held_out_unit_sum){0};
        add_unit(&by_unit[i], scoring, i);
    }
    average(out, by_unit, units);
    out->constant_trapezoid = (1 + out->rate) / 2;
    return rank_folds(out, scoring, error);
}
