#include "people/people.h"

#include "base/error.h"

#include <math.h>

/* Quantiles move away from the median as the sd grows by the table's error. */
asif_status asif_people_number(asif_population_number *out, const asif_people *p,
                               const asif_population_fit *fit, uint32_t i, asif_error *error) {
    asif_draws_view v = {.struct_size = sizeof v};
    asif_column_summary s;
    ASIF_TRY(asif_draws_get(fit->draws, &v, error));
    ASIF_TRY(
        asif_summarise(&s, p->context, v.value + (uint64_t)i * v.chains * v.draws, v.chains, v.draws, error));
    double error_of_table = fit->table_error[i], sd = hypot(s.sd, error_of_table), wider = sd / s.sd;
    bool chains = v.method == ASIF_METHOD_NUTS;
    *out = (asif_population_number){.name = p->names[i],
                                    .mean = s.mean,
                                    .sd = sd,
                                    .q05 = s.q50 + wider * (s.q05 - s.q50),
                                    .q50 = s.q50,
                                    .q95 = s.q50 + wider * (s.q95 - s.q50),
                                    .table_error = error_of_table,
                                    .rhat = chains ? s.rhat : NAN,
                                    .ess = chains ? fmin(s.ess_bulk, s.ess_tail) : fit->kish};
    return ASIF_OK;
}
