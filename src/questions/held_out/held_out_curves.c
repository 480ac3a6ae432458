/* Measures of the predictions of each action: average precision, precision and recall, calibration. */
#include "questions/held_out/held_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <stdlib.h>

#define BINS 10
#define SAME                                                                                                 \
    1e-9         /* relative difference of scores due to rounding, as between folds if nothing is estimated */
#define LEAST 20 /* fewest decisions of a bin */
#define POINTS 100 /* points of a curve, one for about each percent of recall */

/* The predictions of one action. */
typedef struct {
    asif_prediction *item;
    uint64_t count;
    double taken, all;
} predictions;

static int by_score(const void *a, const void *b) {
    double x = ((const asif_prediction *)a)->score, y = ((const asif_prediction *)b)->score;
    return (x < y) - (x > y);
}

uint64_t asif_held_out_gather(asif_prediction *out, const asif_held_out_parts *p, uint32_t action) {
    uint64_t count = 0, n = 0;
    for (uint32_t k = 0; k < p->parts; k++)
        for (uint64_t i = 0; i < p->nodes; i++) {
            const double *taken = p->count[k] + i * p->actions;
            double all = 0;
            for (uint32_t v = 0; v < p->actions; v++)
                all += taken[v];
            if (all > 0)
                out[count++] = (asif_prediction){p->policy[k][i * p->actions + action], taken[action], all};
        }
    qsort(out, (size_t)count, sizeof *out, by_score);
    for (uint64_t i = 0; i < count; i++)
        if (n && out[i].score >= out[n - 1].score * (1 - SAME)) {
            out[n - 1].taken += out[i].taken;
            out[n - 1].all += out[i].all;
        } else {
            out[n++] = out[i];
        }
    return n;
}

static void gather(predictions *list, const asif_held_out_parts *p, uint32_t u) {
    list->count = asif_held_out_gather(list->item, p, u);
    list->taken = list->all = 0;
    for (uint64_t i = 0; i < list->count; i++) {
        list->taken += list->item[i].taken;
        list->all += list->item[i].all;
    }
}

/* Compute the area under the precision-recall curve, in steps of recall, and the points of the curve ([POINTS
 * + 1]; NULL: not needed). */
static double follow(const predictions *list, asif_held_out_point *point, uint32_t *points) {
    double hits = 0, called = 0, area = 0, told = 0;
    if (!(list->taken > 0))
        return NAN;
    for (uint64_t i = 0; i < list->count; i++) {
        hits += list->item[i].taken;
        called += list->item[i].all;
        area += list->item[i].taken / list->taken * (hits / called);
        double percent = floor(POINTS * hits / list->taken);
        if (!point || (list->count > POINTS && percent <= told && i + 1 < list->count))
            continue;
        point[(*points)++] =
            (asif_held_out_point){list->item[i].score, hits / called, hits / list->taken, called};
        told = percent;
    }
    return area;
}

/* Merge a bin into another. */
static void put(asif_held_out_bin *into, const asif_held_out_bin *bin) {
    double all = into->decisions + bin->decisions;
    if (!(into->decisions > 0))
        into->low = bin->low;
    into->high = bin->high;
    into->predicted += (bin->predicted - into->predicted) * bin->decisions / all;
    into->taken += bin->taken;
    into->decisions = all;
}

/* Make bins of a tenth of the predictions each, without its lower end. A bin with too few decisions is merged
 * with the next one, the last with the one before. */
static uint32_t calibrate(const predictions *list, asif_held_out_bin *bin) {
    uint32_t bins = 0, b = 0;
    asif_held_out_bin open = {0};
    for (uint64_t left = list->count; left > 0; left--) {
        const asif_prediction *item = &list->item[left - 1];
        uint32_t tenth = b;
        while (tenth + 1 < BINS && item->score > (tenth + 1.0) / BINS)
            tenth++;
        if (tenth > b && open.decisions >= LEAST) {
            bin[bins++] = open;
            open = (asif_held_out_bin){0};
        }
        b = tenth;
        const asif_held_out_bin one = {(double)b / BINS, (b + 1.0) / BINS, item->score, item->all,
                                       item->taken};
        put(&open, &one);
    }
    if (open.decisions >= LEAST || (bins == 0 && open.decisions > 0))
        bin[bins++] = open;
    else if (open.decisions > 0)
        put(&bin[bins - 1], &open);
    return bins;
}

asif_status asif_held_out_precision(double *out, const asif_context *context,
                                    const asif_held_out_parts *parts, asif_error *error) {
    predictions list = {.item = ASIF_ARRAY(context, parts->parts * parts->nodes, asif_prediction)};
    double sum = 0;
    uint32_t averaged = 0;
    if (!list.item)
        return asif_fail_memory(error);
    for (uint32_t u = 0; u < parts->actions; u++) {
        gather(&list, parts, u);
        double area = follow(&list, NULL, NULL);
        if (isfinite(area)) {
            sum += area;
            averaged++;
        }
    }
    asif_free(context, list.item);
    *out = averaged ? sum / averaged : NAN;
    return ASIF_OK;
}

static asif_status curve(asif_held_out_curve *out, const asif_context *context, const predictions *list,
                         asif_error *error) {
    asif_held_out_bin *bin = ASIF_ARRAY(context, BINS, asif_held_out_bin);
    asif_held_out_point *point = ASIF_ARRAY(context, POINTS + 1, asif_held_out_point);
    out->bin = bin;
    out->point = point;
    if (!bin || !point)
        return asif_fail_memory(error);
    out->decisions = list->all;
    out->taken = list->taken;
    out->precision = follow(list, point, &out->points);
    out->bins = calibrate(list, bin);
    return ASIF_OK;
}

asif_status asif_held_out_curves(asif_held_out_curve **out, const asif_context *context,
                                 const asif_tree *tree, const asif_held_out_parts *parts, asif_error *error) {
    predictions list = {.item = ASIF_ARRAY(context, parts->parts * parts->nodes, asif_prediction)};
    asif_held_out_curve *curves = ASIF_ARRAY(context, parts->actions, asif_held_out_curve);
    asif_status status = list.item && curves ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t u = 0; status == ASIF_OK && u < parts->actions; u++) {
        curves[u].action = asif_tree_label(tree, ASIF_LABEL_ACTION, u);
        gather(&list, parts, u);
        status = curve(&curves[u], context, &list, error);
    }
    asif_free(context, list.item);
    if (status == ASIF_OK)
        *out = curves;
    else
        asif_held_out_curves_free(context, curves, parts->actions);
    return status;
}

void asif_held_out_curves_free(const asif_context *context, const asif_held_out_curve *curves,
                               uint32_t count) {
    for (uint32_t u = 0; curves && u < count; u++) {
        asif_free(context, (void *)(uintptr_t)curves[u].bin);
        asif_free(context, (void *)(uintptr_t)curves[u].point);
    }
    asif_free(context, (void *)(uintptr_t)curves);
}
