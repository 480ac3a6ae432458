#include "inverse/evidence/features.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static asif_status check(const asif_setting_spec *spec, const asif_estimates *estimates, uint32_t *count,
                         const char *who, asif_error *error) {
    const asif_estimate_info *info;
    *count = 0;
    for (; (info = asif_estimates_get(estimates, *count)); (*count)++)
        if (asif_estimates_utility(estimates, *count) == ASIF_ANY) {
            asif_fail(error, ASIF_EUNSUPPORTED, "%s estimates utilities, not %s", who, info->parameter);
            asif_error_hint(error, "give %s a number in the study", info->parameter);
            return ASIF_EUNSUPPORTED;
        }
    for (uint64_t i = 0; i < spec->terms; i++)
        if (spec->term[i].by != ASIF_BY_STATE) {
            asif_fail(error, ASIF_EUNSUPPORTED, "%s is for utilities of states and actions", who);
            asif_error_hint(error, "remove what is by observation or by belief");
            return ASIF_EUNSUPPORTED;
        }
    return ASIF_OK;
}

/* The ranges of actions and states that a term covers. */
typedef struct {
    uint32_t u0, u1, s0, s1;
} block;

static block about(const asif_features *f, const asif_utility_term *t) {
    bool any_u = t->action == ASIF_ANY, any_s = t->index == ASIF_ANY;
    return (block){any_u ? 0 : t->action, any_u ? f->actions : t->action + 1, any_s ? 0 : t->index,
                   any_s ? f->states : t->index + 1};
}

static uint64_t cells_of(block b) {
    return (uint64_t)(b.u1 - b.u0) * (b.s1 - b.s0);
}

static void add(const asif_features *f, block b, double term, double *dense) {
    for (uint32_t u = b.u0; u < b.u1; u++)
        for (uint32_t s = b.s0; s < b.s1; s++)
            dense[(uint64_t)u * f->states + s] += term;
}

typedef struct {
    uint64_t cell;
    double value;
} entry;

static int by_cell(const void *a, const void *b) {
    uint64_t x = ((const entry *)a)->cell, y = ((const entry *)b)->cell;
    return (x > y) - (x < y);
}

/* Gather the entries of one parameter, sorted, with repeated cells added up; returns their number. */
static uint64_t gather(const asif_features *f, const asif_setting_spec *spec, uint32_t parameter,
                       entry *out) {
    uint64_t n = 0, kept = 0;
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        if (t->parameter != parameter)
            continue;
        block b = about(f, t);
        for (uint32_t u = b.u0; u < b.u1; u++)
            for (uint32_t s = b.s0; s < b.s1; s++)
                out[n++] = (entry){(uint64_t)u * f->states + s, t->coefficient};
    }
    qsort(out, (size_t)n, sizeof *out, by_cell);
    for (uint64_t i = 0; i < n; i++) {
        if (kept && out[kept - 1].cell == out[i].cell)
            out[kept - 1].value += out[i].value;
        else
            out[kept++] = out[i];
    }
    return kept;
}

static asif_status fill(asif_features *f, const asif_setting_spec *spec, const asif_estimates *estimates,
                        asif_error *error) {
    const double *given = asif_theta_utilities(asif_estimates_given(estimates));
    uint64_t *size = ASIF_ARRAY(f->context, spec->parameters + 1, uint64_t), most = 1, all = 0;
    uint32_t *slot = ASIF_ARRAY(f->context, spec->parameters + 1, uint32_t);
    asif_status status = size && slot ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < spec->parameters; k++)
        slot[k] = ASIF_ANY;
    for (uint32_t k = 0; status == ASIF_OK && k < f->count; k++) {
        f->which[k] = asif_estimates_utility(estimates, k);
        slot[f->which[k]] = k;
    }
    if (status == ASIF_OK && spec->utility)
        memcpy(f->constant, spec->utility, f->cells * sizeof *f->constant);
    for (uint64_t i = 0; status == ASIF_OK && i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        if (t->parameter != ASIF_ANY && slot[t->parameter] != ASIF_ANY)
            size[t->parameter] += cells_of(about(f, t));
        else
            add(f, about(f, t), t->coefficient * (t->parameter == ASIF_ANY ? 1 : given[t->parameter]),
                f->constant);
    }
    for (uint32_t k = 0; status == ASIF_OK && k < f->count; k++) {
        all += size[f->which[k]];
        most = size[f->which[k]] > most ? size[f->which[k]] : most;
    }
    entry *room = status == ASIF_OK ? ASIF_ARRAY(f->context, most, entry) : NULL;
    f->cell = ASIF_ARRAY(f->context, all + 1, uint64_t);
    f->value = ASIF_ARRAY(f->context, all + 1, double);
    if (status == ASIF_OK && (!room || !f->cell || !f->value))
        status = asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < f->count; k++) {
        uint64_t n = gather(f, spec, f->which[k], room);
        for (uint64_t i = 0; i < n; i++) {
            f->cell[f->offset[k] + i] = room[i].cell;
            f->value[f->offset[k] + i] = room[i].value;
        }
        f->offset[k + 1] = f->offset[k] + n;
    }
    asif_free(f->context, room);
    asif_free(f->context, size);
    asif_free(f->context, slot);
    return status;
}

asif_status asif_features_create(asif_features *out, const asif_context *context, const asif_setting *setting,
                                 const asif_estimates *estimates, const char *who, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    asif_features *f = out;
    *f = (asif_features){.context = context,
                         .states = spec->states,
                         .actions = spec->actions,
                         .cells = (uint64_t)spec->states * spec->actions};
    ASIF_TRY(check(spec, estimates, &f->count, who, error));
    f->which = ASIF_ARRAY(context, f->count, uint32_t);
    f->constant = ASIF_ARRAY(context, f->cells, double);
    f->offset = ASIF_ARRAY(context, f->count + 1, uint64_t);
    asif_status status =
        f->which && f->constant && f->offset ? fill(f, spec, estimates, error) : asif_fail_memory(error);
    if (status != ASIF_OK)
        asif_features_free(f);
    return status;
}

void asif_features_free(asif_features *f) {
    void *const arrays[] = {f->which, f->constant, f->offset, f->cell, f->value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(f->context, arrays[i]);
    *f = (asif_features){0};
}

void asif_features_utility(const asif_features *f, const double *x, double *v) {
    memcpy(v, f->constant, f->cells * sizeof *v);
    for (uint32_t k = 0; k < f->count; k++)
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++)
            v[f->cell[i]] += x[k] * f->value[i];
}

void asif_features_expect(const asif_features *f, const double *weight, double *out) {
    for (uint32_t k = 0; k < f->count; k++) {
        double sum = 0;
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++)
            sum += weight[f->cell[i]] * f->value[i];
        out[k] = sum;
    }
}

void asif_features_gather(const asif_features *f, const double *utility, double *x) {
    for (uint32_t k = 0; k < f->count; k++)
        x[k] = utility[f->which[k]];
}

void asif_features_scatter(const asif_features *f, const double *x, double *utility) {
    for (uint32_t k = 0; k < f->count; k++)
        utility[f->which[k]] = x[k];
}
