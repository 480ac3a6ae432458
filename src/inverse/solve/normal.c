#include "inverse/solve/normal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Eigenvalues of the scaled G, relative to the largest, that count as 0 because of rounding. */
#define NOTHING 1e-12
/* Share of an unknown in undetermined directions above which it is undetermined. */
#define PART 1e-6

static asif_status find_null(asif_normal *m, asif_error *error) {
    uint32_t n = m->n;
    while (m->silent < n && !(m->values[m->silent] > NOTHING * m->values[n - 1]))
        m->silent++;
    m->null = ASIF_ARRAY(m->context, (uint64_t)m->silent * n, double);
    m->factor = ASIF_ARRAY(m->context, (uint64_t)m->silent * m->silent, double);
    if (!m->null || !m->factor)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->silent; i++)
        for (uint32_t j = 0; j < n; j++)
            m->null[(uint64_t)i * n + j] = m->vectors[(uint64_t)i * n + j] / m->scale[j];
    for (uint32_t i = 0; i < m->silent; i++)
        for (uint32_t j = 0; j < m->silent; j++)
            for (uint32_t k = 0; k < n; k++)
                m->factor[(uint64_t)i * m->silent + j] +=
                    m->null[(uint64_t)i * n + k] * m->null[(uint64_t)j * n + k];
    if (!asif_cholesky(m->factor, m->silent))
        return asif_fail(error, ASIF_EDOMAIN, "least squares: utilities are of too different sizes");
    return ASIF_OK;
}

asif_status asif_normal_create(asif_normal *out, const asif_context *context, uint32_t n, double *gram,
                               const char *who, asif_error *error) {
    *out = (asif_normal){.context = context, .n = n};
    if (n > ASIF_NORMAL_MOST)
        return asif_fail(error, ASIF_ETOOBIG, "%s estimates at most %d utilities, and there are %u", who,
                         ASIF_NORMAL_MOST, n);
    out->scale = ASIF_ARRAY(context, n, double);
    out->values = ASIF_ARRAY(context, n, double);
    out->vectors = ASIF_ARRAY(context, (uint64_t)n * n, double);
    out->room = ASIF_ARRAY(context, 2 * (uint64_t)n, double);
    asif_status status = ASIF_OK;
    if (!out->scale || !out->values || !out->vectors || !out->room)
        status = asif_fail_memory(error);
    for (uint32_t i = 0; status == ASIF_OK && i < n; i++) {
        double size = gram[(uint64_t)i * n + i];
        if (!isfinite(size))
            status = asif_fail(error, ASIF_EDOMAIN, "least squares: numbers overflow");
        out->scale[i] = size > 0 ? sqrt(size) : 1;
    }
    if (status == ASIF_OK) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                gram[(uint64_t)i * n + j] /= out->scale[i] * out->scale[j];
        asif_eigen(gram, n, out->values, out->vectors);
        status = find_null(out, error);
    }
    if (status != ASIF_OK)
        asif_normal_free(out);
    return status;
}

void asif_normal_free(asif_normal *m) {
    void *const arrays[] = {m->scale, m->values, m->vectors, m->null, m->factor, m->room};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(m->context, arrays[i]);
    *m = (asif_normal){.context = m->context};
}

void asif_normal_step(const asif_normal *m, const double *right, double *x) {
    uint32_t n = m->n;
    for (uint32_t i = m->silent; i < n; i++) {
        const double *vector = m->vectors + (uint64_t)i * n;
        double along = 0;
        for (uint32_t j = 0; j < n; j++)
            along += vector[j] * right[j] / m->scale[j];
        for (uint32_t j = 0; j < n; j++)
            x[j] += vector[j] * along / m->values[i] / m->scale[j];
    }
}

void asif_normal_settle(const asif_normal *m, const double *usual, double *x) {
    double *along = m->room;
    for (uint32_t i = 0; i < m->silent; i++) {
        along[i] = 0;
        for (uint32_t j = 0; j < m->n; j++)
            along[i] += m->null[(uint64_t)i * m->n + j] * (x[j] - usual[j]);
    }
    asif_lower_solve(m->factor, m->silent, along);
    asif_upper_solve(m->factor, m->silent, along);
    for (uint32_t i = 0; i < m->silent; i++)
        for (uint32_t j = 0; j < m->n; j++)
            x[j] -= along[i] * m->null[(uint64_t)i * m->n + j];
}

bool asif_normal_tells(const asif_normal *m, uint32_t i) {
    double part = 0;
    for (uint32_t k = 0; k < m->silent; k++)
        part += pow(m->vectors[(uint64_t)k * m->n + i], 2);
    return part < PART;
}

asif_status asif_normal_warn(const asif_normal *m, const asif_features *features, const asif_setting *setting,
                             const char *what, asif_problems *problems, asif_error *error) {
    if (!m->silent)
        return ASIF_OK;
    const char *const *name = asif_setting_get(setting)->parameter_names;
    asif_text list = {.context = m->context};
    uint32_t listed = 0, all = 0;
    for (uint32_t i = 0; i < m->n; i++)
        all += !asif_normal_tells(m, i);
    for (uint32_t i = 0; i < m->n && listed < 6; i++)
        if (!asif_normal_tells(m, i))
            asif_text_addf(&list, "%s%s", listed++ ? ", " : "", asif_show(name[features->which[i]]).text);
    if (all > listed)
        asif_text_addf(&list, " and %u more", all - listed);
    asif_error warning = ASIF_ERROR_INIT;
    if (all == 1)
        asif_fail(&warning, ASIF_EINVALID, "%s say nothing of %s: it is at its standard value", what,
                  list.data ? list.data : "");
    else
        asif_fail(&warning, ASIF_EINVALID,
                  "%s leave %s open (%u of %u directions): they are as near to their standard values as can "
                  "be",
                  what, list.data ? list.data : "", m->silent, m->n);
    asif_error_hint(&warning, "give %s a number", all == 1 ? "it" : "some of them");
    bool failed = list.failed;
    asif_text_free(&list);
    if (failed)
        return asif_fail_memory(error);
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
    return ASIF_OK;
}
