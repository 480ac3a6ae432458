#include "sample/draws.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define NUMBER_NAME 24

const char *asif_method_text(asif_method method) {
    static const char *const text[] = {"nuts", "metropolis", "published", "ridge"};
    return (size_t)method < sizeof text / sizeof *text ? text[method] : "unknown";
}

static bool fill_names(const asif_context *context, char **to, const char *const *names, uint32_t columns) {
    for (uint32_t i = 0; i < columns; i++) {
        char number[NUMBER_NAME];
        asif_format(number, sizeof number, "x.%u", i + 1);
        to[i] = asif_strdup(context, names ? names[i] : number);
        if (!to[i])
            return false;
    }
    return true;
}

asif_status asif_draws_create(asif_draws **out, const asif_context *context, uint32_t chains, uint64_t draws,
                              uint32_t columns, const char *const *names, uint32_t dimension,
                              asif_error *error) {
    *out = NULL;
    asif_draws *d = ASIF_NEW(context, asif_draws);
    if (!d)
        return asif_fail_memory(error);
    uint64_t n = dimension;
    char **copies = ASIF_ARRAY(context, (uint64_t)columns + 1, char *);
    d->context = context;
    d->view = (asif_draws_view){.struct_size = sizeof d->view,
                                .chains = chains,
                                .columns = columns,
                                .dimension = dimension,
                                .draws = draws,
                                .name = (const char *const *)copies,
                                .value = ASIF_ARRAY(context, (uint64_t)columns * chains * draws, double),
                                .stat = ASIF_ARRAY(context, ASIF_STAT_COUNT * chains * draws, double),
                                .step = ASIF_ARRAY(context, chains, double),
                                .metric = n ? ASIF_ARRAY(context, chains * n * n, double) : NULL,
                                .khat = NAN,
                                .kish = NAN};
    if (!copies || !d->view.value || !d->view.stat || !d->view.step || (n && !d->view.metric) ||
        !fill_names(context, copies, names, columns)) {
        asif_draws_free(d);
        return asif_fail_memory(error);
    }
    *out = d;
    return ASIF_OK;
}

void asif_draws_free(asif_draws *draws) {
    if (!draws)
        return;
    const asif_context *context = draws->context;
    const asif_draws_view *v = &draws->view;
    for (uint32_t i = 0; v->name && i < v->columns; i++)
        asif_free(context, (void *)(uintptr_t)v->name[i]);
    const void *const arrays[] = {v->name, v->value, v->stat, v->step, v->metric};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, (void *)(uintptr_t)arrays[i]);
    asif_free(context, draws);
}

asif_status asif_draws_get(const asif_draws *draws, asif_draws_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &draws->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
