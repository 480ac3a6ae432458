#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "questions/outcomes/outcomes.h"

#include <math.h>

asif_status asif_outcome_table_create(asif_outcome_table *out, const asif_context *context, uint32_t numbers,
                                      uint32_t draws, asif_error *error) {
    uint64_t cells = (uint64_t)numbers * draws;
    *out = (asif_outcome_table){context,
                                numbers,
                                draws,
                                ASIF_ARRAY(context, cells, double),
                                ASIF_ARRAY(context, cells, double),
                                ASIF_ARRAY(context, numbers, bool)};
    return out->value && out->error && out->fixed ? ASIF_OK : asif_fail_memory(error);
}

void asif_outcome_table_free(asif_outcome_table *table) {
    if (!table->context)
        return;
    asif_free(table->context, table->value);
    asif_free(table->context, table->error);
    asif_free(table->context, table->fixed);
}

void asif_outcome_table_set(asif_outcome_table *table, uint32_t number, uint32_t draw, double value,
                            double error) {
    uint64_t at = (uint64_t)number * table->draws + draw;
    table->value[at] = value;
    table->error[at] = error;
}

asif_outcome asif_outcome_table_sum(const asif_outcome_table *table, uint32_t number, uint32_t draws) {
    double *value = table->value + (uint64_t)number * table->draws;
    const double *error = table->error + (uint64_t)number * table->draws;
    if (table->fixed[number] || draws == 1)
        return (asif_outcome){value[0], NAN, NAN, error[0]};
    asif_outcome out = {0, NAN, NAN, 0};
    double squares = 0;
    for (uint32_t d = 0; d < draws; d++) {
        out.mean += value[d] / draws;
        squares += error[d] * error[d];
    }
    out.error = sqrt(squares) / draws;
    if (isnan(out.mean))
        return out;
    asif_sort(value, draws);
    /* A few extreme draws can pull the mean out of the middle 90 %; the interval is then extended to the
     * mean. */
    out.q05 = fmin(out.mean, asif_quantile(value, draws, 0.05));
    out.q95 = fmax(out.mean, asif_quantile(value, draws, 0.95));
    return out;
}
