#include "sample/population/population.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

/* The likelihoods at the chosen points of a fit; `row` is room for all of its points. */
static asif_status choose(asif_marginal *out, const asif_population_fit *fit, const uint64_t *chosen,
                          double *row, asif_error *error) {
    ASIF_TRY(asif_marginal_add(out, out->atoms->count, error));
    for (uint64_t r = 0; r < out->rows; r++) {
        asif_marginal_row(&fit->marginal, r, row);
        for (uint64_t a = 0; a < out->atoms->count; a++) /* chosen numbers ascend */
            row[a] = row[chosen[a]];
        asif_marginal_set(out, r, row);
    }
    return ASIF_OK;
}

asif_status asif_population_thin(asif_population_fit *fit, uint64_t most, asif_error *error) {
    uint64_t count = fit->atoms.count, every = (count + most - 1) / most;
    asif_atoms atoms = {0};
    asif_marginal marginal = {.context = fit->context, .atoms = &atoms, .rows = fit->marginal.rows};
    if (every < 2)
        return ASIF_OK;
    uint64_t *chosen = ASIF_ARRAY(fit->context, count, uint64_t);
    double *row = ASIF_ARRAY(fit->context, count, double);
    asif_status status =
        chosen && row ? asif_atoms_thin(&atoms, &fit->atoms, every, chosen, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = choose(&marginal, fit, chosen, row, error);
    if (status == ASIF_OK) {
        asif_atoms whole = fit->atoms;
        asif_marginal all = fit->marginal;
        fit->atoms = atoms;
        fit->marginal = marginal;
        fit->marginal.atoms = &fit->atoms;
        atoms = whole;
        marginal = all;
    }
    asif_marginal_close(&marginal);
    asif_atoms_close(&atoms);
    asif_free(fit->context, chosen);
    asif_free(fit->context, row);
    return status;
}
