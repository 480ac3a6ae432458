/* Leaves each unit out in turn, by Pareto-smoothed importance sampling. */
#include "questions/compare/models/compare_models.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "logs/tree/tree.h"
#include "sample/psis.h"

#include <math.h>
#include <string.h>

#define BLOCK 16 /* series that a thread takes at a time */

/* Series of log-likelihoods, [count][chains * draws], and their results. */
typedef struct {
    const asif_context *context;
    const double *value;
    uint64_t count, draws;
    uint32_t chains;
    double efficiency;
    asif_loo *loo;
    bool *failed; /* [blocks] */
} leaving;

static void block(void *argument, uint32_t i) {
    leaving *l = argument;
    asif_psis_room room;
    uint64_t all = l->chains * l->draws, first = (uint64_t)i * BLOCK;
    bool open = asif_psis_open(&room, l->context, l->chains, l->draws);
    for (uint64_t k = first; open && k < l->count && k < first + BLOCK; k++)
        asif_psis_loo(&l->loo[k], &room, l->value + k * all, l->efficiency);
    l->failed[i] = !open;
    asif_psis_close(&room);
}

static asif_status leave_out(leaving *l, asif_error *error) {
    uint64_t blocks = (l->count + BLOCK - 1) / BLOCK;
    if (blocks > UINT32_MAX)
        return asif_fail(error, ASIF_ETOOBIG, "there are too many units");
    l->failed = ASIF_ARRAY(l->context, blocks, bool);
    bool failed = !l->failed;
    if (!failed)
        asif_os_parallel(l->context->options.threads, (uint32_t)blocks, block, l);
    for (uint64_t i = 0; l->failed && i < blocks; i++)
        failed = failed || l->failed[i];
    asif_free(l->context, l->failed);
    return failed ? asif_fail_memory(error) : ASIF_OK;
}

/* Copy the results to the units; `which` [units] is the series of each unit. */
static void spread(asif_compare_models *compare, asif_compared *m, const leaving *l, const uint64_t *which) {
    m->chains = l->chains;
    m->draws = l->draws;
    m->efficiency = INFINITY;
    for (uint64_t u = 0; u < compare->units.units; u++) {
        const asif_loo *loo = &l->loo[which[u]];
        m->elpd[u] = loo->elpd;
        m->p[u] = loo->p;
        m->k[u] = loo->constant ? -INFINITY : loo->k;
        m->efficiency = fmin(m->efficiency, loo->efficiency);
    }
}

static asif_status from_series(asif_compare_models *compare, asif_compared *m, leaving *l,
                               const uint64_t *which, asif_error *error) {
    l->context = compare->context;
    l->loo = ASIF_ARRAY(compare->context, l->count, asif_loo);
    if (!l->loo)
        return asif_fail_memory(error);
    asif_status status = leave_out(l, error);
    if (status == ASIF_OK)
        spread(compare, m, l, which);
    asif_free(compare->context, l->loo);
    return status;
}

/* ---- fits ---- */

static asif_status check_fit(const asif_compare_models *compare, const asif_compared *m, asif_error *error) {
    const asif_fitted *fitted = m->model->fitted;
    if (!fitted->draws) {
        asif_fail(error, ASIF_EUNSET, "%s has no draws: it is a maximum", asif_show(m->name).text);
        asif_error_hint(error, "fit it with --method nuts or metropolis");
        return ASIF_EUNSET;
    }
    if (fitted->tree && asif_units_agree(&compare->units, fitted->tree))
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "%s is not a fit of these logs: they count other decisions",
              asif_show(m->name).text);
    asif_error_hint(error, "models are compared on the logs that all of them were fitted to, with the same "
                           "--where and --map");
    return ASIF_EINVALID;
}

static asif_status from_fit(asif_compare_models *compare, asif_compared *m, asif_error *error) {
    const asif_fitted *fitted = m->model->fitted;
    const asif_context *c = compare->context;
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(check_fit(compare, m, error));
    ASIF_TRY(asif_draws_get(fitted->draws, &view, error));
    uint64_t kinds = compare->units.kinds;
    m->value = ASIF_ARRAY(c, kinds * view.chains * view.draws, double);
    if (!m->value)
        return asif_fail_memory(error);
    ASIF_TRY(asif_pointwise_draws(m->value, fitted, fitted->draws, &compare->units, NULL, 0, error));
    leaving l = {.value = m->value,
                 .count = kinds,
                 .chains = view.chains,
                 .draws = view.draws,
                 .efficiency = compare->options.independent ? 1 : NAN};
    ASIF_TRY(from_series(compare, m, &l, compare->units.kind, error));
    if (!compare->options.keep) {
        asif_free(c, m->value);
        m->value = NULL;
    }
    return ASIF_OK;
}

/* ---- tables ---- */

static asif_status from_table(asif_compare_models *compare, asif_compared *m, const uint64_t *match,
                              asif_error *error) {
    asif_pointwise_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_pointwise_get(m->model->table, &view, error));
    m->given = !view.value;
    m->efficiency = NAN;
    if (m->given) {
        for (uint64_t u = 0; u < compare->units.units; u++) {
            m->elpd[u] = view.elpd[match[u]];
            m->p[u] = view.p[match[u]];
            m->k[u] = view.k[match[u]];
        }
        return ASIF_OK;
    }
    leaving l = {.value = view.value,
                 .count = view.units,
                 .chains = view.chains,
                 .draws = view.draws,
                 .efficiency = compare->options.independent || view.independent ? 1 : NAN};
    return from_series(compare, m, &l, match, error);
}

asif_status asif_compare_models_loo(asif_compare_models *compare, asif_compared *m, asif_error *error) {
    const asif_context *c = compare->context;
    uint64_t units = compare->units.units;
    m->elpd = ASIF_ARRAY(c, units, double);
    m->p = ASIF_ARRAY(c, units, double);
    m->k = ASIF_ARRAY(c, units, double);
    if (!m->elpd || !m->p || !m->k)
        return asif_fail_memory(error);
    if (!m->table)
        return from_fit(compare, m, error);
    uint64_t *match = ASIF_ARRAY(c, units, uint64_t);
    if (!match)
        return asif_fail_memory(error);
    asif_status status = asif_pointwise_match(match, m->model->table, &compare->units, error);
    if (status == ASIF_OK)
        status = from_table(compare, m, match, error);
    asif_free(c, match);
    return status;
}
