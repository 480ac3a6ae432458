/* Log-likelihoods of many units at many points. Agents are solved once for each point, in lanes. A block has
 * the nodes of its own units only: people who differ share few nodes beyond the first ones, so that blocks of
 * some thousand units cost hardly more than all units at once, and memory does not grow with their number. No
 * matrix of units by points is kept: each row is handed over and forgotten. */
#ifndef ASIF_SRC_PEOPLE_LIKELIHOODS_H
#define ASIF_SRC_PEOPLE_LIKELIHOODS_H

#include "people/rows.h"
#include "sample/population/population.h"

typedef struct {
    const asif_context *context;
    const asif_estimates *estimates; /* borrowed, as are the next two */
    const asif_work *work;
    const asif_unit_rows *rows;
    const uint64_t *chosen; /* [count]: rows that are evaluated, ascending; NULL: all */
    uint64_t count;
    uint64_t memory;  /* bytes for the rows of a block; 0: 2 GB */
    const char *what; /* for progress */
    double from, to;  /* the part of the progress that one evaluation is */
    void *evaluation; /* that is under way */
} asif_unit_likelihoods;

/* As `evaluate` of asif_population_request, with `user` an asif_unit_likelihoods. Rows are numbered as in
 * `chosen`. Workers are numbered below the threads of the context. A likelihood is -inf where the planner has
 * no finite solution. @return ASIF_OK, ASIF_EZEROPR (an observation that no world allows), ASIF_ECANCELLED,
 * ASIF_ENOMEM, or as the planner does. The result of a row does not depend on the others, nor on threads. */
asif_status asif_unit_likelihoods_evaluate(void *user, const double *x, uint64_t points, asif_take_row *take,
                                           void *taker, asif_error *error);
/* The log-likelihoods [points] at further points of the row that `take` of the evaluation under way is being
 * called for, by this worker. */
asif_status asif_unit_likelihoods_more(const asif_unit_likelihoods *likelihoods, uint32_t by, const double *x,
                                       uint64_t points, double *out, asif_error *error);
/* Threads that evaluate, at least 1. */
uint32_t asif_unit_workers(const asif_context *context);

#endif
