/* Fits of the population to the same units with their covariates permuted: what coefficients are like where
 * covariates have nothing to do with decisions. Likelihoods do not depend on covariates, and such populations
 * are near the one without covariates, so that the table of a fit without them serves all permutations. */
#include "people/people.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define POINTS 16384 /* of the table: many fits need it, and each its coefficients only */

typedef struct {
    asif_people *people;
    const asif_population_fit *plain; /* without covariates */
    uint32_t first;                   /* coefficient, among the numbers of the population */
    double *times;                    /* [rows] */
    double *z;                        /* [rows][columns] */
    uint64_t *from;                   /* [rows]: whose covariates a row has */
} shuffling;

asif_status asif_people_check_permutations(const asif_people *p, asif_error *error) {
    if (p->options.permutations == 0)
        return ASIF_OK;
    if (p->design.effects == 0) {
        asif_fail(error, ASIF_EINVALID, "there are no covariates that could be permuted");
        asif_error_hint(error, "the section `population` of the study names them");
        return ASIF_EINVALID;
    }
    if (p->rows.units <= p->options.sample)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "permutations need a population that is fitted to all decision-makers");
    asif_error_hint(error, "--sample says to how many it is fitted");
    return ASIF_EINVALID;
}

static void shuffle(shuffling *s, uint64_t permutation) {
    const asif_people *p = s->people;
    uint64_t columns = p->design.columns;
    asif_stream stream = {p->options.seed, ASIF_FOR_PERMUTATIONS, permutation};
    for (uint64_t r = 0; r < p->rows.rows; r++) {
        uint64_t other = (uint64_t)(asif_uniform(&stream, (uint32_t)r) * (double)(r + 1));
        s->from[r] = s->from[other];
        s->from[other] = r;
    }
    for (uint64_t r = 0; r < p->rows.rows; r++)
        memcpy(s->z + r * columns, p->z + s->from[r] * columns, columns * sizeof *s->z);
}

static asif_status count_coefficients(shuffling *s, const asif_population_fit *fit, asif_error *error) {
    asif_people *p = s->people;
    p->view.permutations++;
    for (uint32_t k = 0; k < p->design.effects; k++) {
        asif_population_number n;
        ASIF_TRY(asif_people_number(&n, p, fit, s->first + k, error));
        p->permuted[k].without_zero += n.q05 > 0 || n.q95 < 0;
        p->permuted[k].as_far += fabs(n.mean) >= fabs(p->population[s->first + k].mean);
    }
    return ASIF_OK;
}

static asif_status fit_permuted(shuffling *s, uint64_t permutation, asif_error *error) {
    asif_people *p = s->people;
    asif_population_fit fit = {0};
    shuffle(s, permutation);
    const asif_population_request r = {.base = &p->base,
                                       .correlated = !p->options.uncorrelated,
                                       .rows = p->rows.rows,
                                       .times = s->times,
                                       .columns = p->design.columns,
                                       .effects = p->design.effects,
                                       .z = s->z,
                                       .effect = p->design.effect,
                                       .kinds = 1,
                                       .name = p->names,
                                       .seed = p->options.seed,
                                       .chains = p->options.chains,
                                       .warmup = p->options.warmup,
                                       .draws = p->options.draws,
                                       .many = ASIF_PEOPLE_MANY,
                                       .again = s->plain};
    asif_status status = asif_population_estimate(&fit, p->context, &r, error);
    if (status == ASIF_OK && fit.usable)
        status = count_coefficients(s, &fit, error);
    else if (status == ASIF_OK)
        p->view.permutations_refused++;
    asif_population_fit_close(&fit);
    return status;
}

static asif_status open(shuffling *s, asif_error *error) {
    asif_people *p = s->people;
    s->first = asif_population_first_effect(&p->fit.population);
    s->times = ASIF_ARRAY(p->context, p->rows.rows, double);
    s->z = ASIF_ARRAY(p->context, p->rows.rows * p->design.columns, double);
    s->from = ASIF_ARRAY(p->context, p->rows.rows, uint64_t);
    p->permuted = ASIF_ARRAY(p->context, p->design.effects, asif_people_permuted);
    if (!s->times || !s->z || !s->from || !p->permuted)
        return asif_fail_memory(error);
    for (uint64_t r = 0; r < p->rows.rows; r++)
        s->times[r] = 1;
    for (uint32_t k = 0; k < p->design.effects; k++)
        p->permuted[k].name = p->names[s->first + k];
    p->view.permuted = p->permuted;
    p->view.coefficients = p->design.effects;
    return ASIF_OK;
}

asif_status asif_people_permute(asif_people *p, asif_population_fit *plain, asif_error *error) {
    shuffling s = {.people = p, .plain = plain};
    uint64_t wanted = p->options.permutations;
    asif_status status = open(&s, error);
    if (status == ASIF_OK)
        status = asif_population_thin(plain, POINTS, error);
    if (status == ASIF_OK && !plain->usable)
        p->view.permutations_refused = wanted;
    for (uint64_t k = 0; status == ASIF_OK && plain->usable && k < wanted; k++) {
        if (asif_progress(p->context, "permutations", (double)k / (double)wanted))
            status = asif_fail(error, ASIF_ECANCELLED, "cancelled");
        if (status == ASIF_OK)
            status = fit_permuted(&s, k, error);
    }
    asif_free(p->context, s.times);
    asif_free(p->context, s.z);
    asif_free(p->context, s.from);
    return status;
}
