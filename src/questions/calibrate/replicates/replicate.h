/* Replicates: agents of a design, each drawn, simulated and fitted once, and the numbers kept of each. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_REPLICATE_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_REPLICATE_H

#include "base/context.h"
#include "base/data/json.h"
#include "base/os.h"
#include "people/people.h"
#include "questions/calibrate/calibrate.h"

#include <stdatomic.h>

/* Columns of the row of numbers kept of a replicate (NaN: not known): first those of the fit, */
enum {
    ASIF_KEPT_DECISIONS,
    ASIF_KEPT_RUNS, /* number of runs of the chains */
    ASIF_KEPT_RHAT, /* largest R-hat */
    ASIF_KEPT_ESS,  /* smallest effective sample size */
    ASIF_KEPT_RANK_LIKELIHOOD,
    ASIF_KEPT_HEAD_OF_AGENT,
    ASIF_KEPT_HELD = ASIF_KEPT_HEAD_OF_AGENT, /* of populations: share of people's intervals with the truth */
    ASIF_KEPT_HEAD_OF_PEOPLE
};
/* then these columns for every number. */
enum {
    ASIF_KEPT_TRUTH,
    ASIF_KEPT_ESTIMATE, /* mean of the draws, or maximum */
    ASIF_KEPT_SD,
    ASIF_KEPT_Q05,
    ASIF_KEPT_Q95,
    ASIF_KEPT_RANK,
    ASIF_KEPT_EACH
};

enum { ASIF_REPLICATE_OPEN, ASIF_REPLICATE_DONE, ASIF_REPLICATE_FAILED };

#define ASIF_SETTLED_RHAT 1.1

/* A number that is estimated. Texts are borrowed; NULL: it has none. */
typedef struct {
    const char *name, *parameter, *label, *prior;
    const char *fitted_prior; /* of the fits */
} asif_replicate_quantity;

typedef struct {
    const asif_fitted *fitted;
    const asif_context *context; /* context of the caller */
    asif_context inner; /* context of one fit: a single thread, which reports the progress of all fits */
    asif_calibrate_options options;
    /* Estimates with the priors of the fits; truths are drawn from the priors of `fitted`. */
    const asif_estimates *fitting;
    asif_replicate_quantity *quantity;  /* [numbers] */
    char (*name)[ASIF_POPULATION_NAME]; /* [numbers], of populations */
    double *known;                      /* [numbers]: stated truths; NaN: drawn */
    asif_work *work;                    /* is cloned, and never solved itself */
    uint32_t numbers;
    uint32_t head; /* columns before those of the numbers */
    uint64_t width;
    uint32_t room;     /* number of rows: replicates wanted, or more if the folder has more */
    double *row;       /* [room][width] */
    atomic_int *state; /* [room] */
    bool locked;       /* whether `lock` is held on the folder, so that only one command writes there */
    asif_os_lock lock;
    /* State of asif_replicates_run(). */
    atomic_uint next, done;
    uint32_t to_do;
    double begun, saved;
    atomic_flag saving;
    atomic_int stopped; /* status that ends the run; ASIF_OK: go on */
    /* The first error that ends the run, and that of the first failed fit; written by the threads that set
     * the flags. */
    asif_error end, failure;
    atomic_flag ended, failed;
} asif_replicates;

/* The row of replicate i, and its columns for one number. */
static inline double *asif_replicate_row(const asif_replicates *r, uint32_t i) {
    return r->row + i * r->width;
}
static inline double *asif_replicate_number(const asif_replicates *r, uint32_t i, uint32_t number) {
    return asif_replicate_row(r, i) + r->head + (uint64_t)number * ASIF_KEPT_EACH;
}
static inline bool asif_replicate_is(const asif_replicates *r, uint32_t i, int state) {
    return atomic_load_explicit(&r->state[i], memory_order_acquire) == state;
}

/* Make one replicate and fill its row. ASIF_ENOMEM and ASIF_ECANCELLED end the run; other statuses mean that
 * this replicate failed. */
typedef asif_status asif_replicate_maker(asif_replicates *replicates, uint32_t index, asif_error *error);
asif_replicate_maker asif_replicate_make;        /* replicate.c: an agent */
asif_replicate_maker asif_replicate_make_people; /* replicate_people.c: a population and its people */

/* ---- replicate_ranks.c ---- */
/* Purposes for which a replicate needs a seed. */
enum { ASIF_REPLICATE_TRUTH, ASIF_REPLICATE_LOGS, ASIF_REPLICATE_FIT, ASIF_REPLICATE_TIES };
uint64_t asif_replicate_seed(const asif_replicates *replicates, uint32_t index, uint32_t purpose);
/* Index of the k-th of the thinned draws, which are evenly spread over `all` of the chains. */
uint64_t asif_replicate_thinned(const asif_replicates *replicates, uint64_t all, uint32_t k);
/* The rank of a truth: the number of draws below it, plus a random part of those equal to it (Modrak et al.,
 * 2023, Section 2.2). *ties counts the draws of random numbers. */
double asif_replicate_rank(const asif_replicates *replicates, uint32_t index, uint32_t below, uint32_t equal,
                           uint32_t *ties);
/* Rank the truth of a number among its draws, column `number` of the view. */
void asif_replicate_rank_number(asif_replicates *replicates, uint32_t index, const asif_draws_view *draws,
                                uint32_t number, uint32_t *ties);
/* Begin a row: all of its columns are unknown. */
void asif_replicate_clear(asif_replicates *replicates, uint32_t index);
/* The episodes of an agent in each start class, [starts], owned by the caller; NULL: no memory. */
uint64_t *asif_replicate_episodes(const asif_replicates *replicates);

/* ---- replicate_all.c ---- */
/* Prepare the replicates, and read those in the folder. `options` is copied; `fitted` and `fitting` (NULL:
 * the estimates of `fitted`) are borrowed. Call asif_replicates_free() in either case. */
asif_status asif_replicates_create(asif_replicates *out, const asif_fitted *fitted,
                                   const asif_estimates *fitting, const asif_calibrate_options *options,
                                   asif_error *error);
/* Make all wanted replicates that are not finished, with the threads of the context, and record them in the
 * folder. Single fits may fail. ASIF_ECANCELLED, ASIF_ENOMEM, ASIF_EIO, or why no fit succeeded. */
asif_status asif_replicates_run(asif_replicates *replicates, asif_error *error);
void asif_replicates_free(asif_replicates *replicates);
/* Number of wanted replicates in a state. */
uint32_t asif_replicates_count(const asif_replicates *replicates, int state);
/* How many finished replicates had chains that did not settle: that were run again, that have an effective
 * sample size below asif_replicates_wanted(), and that have an R-hat above ASIF_SETTLED_RHAT. */
typedef struct {
    uint32_t again, few, apart;
} asif_replicates_settled;
asif_replicates_settled asif_replicates_settle(const asif_replicates *replicates);
/* The effective sample size that chains should have. */
double asif_replicates_wanted(const asif_replicates *replicates);

/* ---- replicate_file.c ---- */
/* Lock the folder and read its replicates, which may be more than are wanted; without a folder, only allocate
 * the rows. ASIF_EINVALID, ASIF_EPARSE, ASIF_EIO or ASIF_ENOMEM. */
asif_status asif_replicates_load(asif_replicates *replicates, asif_error *error);
/* Write all finished replicates into the folder. ASIF_EIO or ASIF_ENOMEM. */
asif_status asif_replicates_save(const asif_replicates *replicates, asif_error *error);

/* ---- replicate_json.c ---- */
/* How many 90 % intervals contain their truth, and the 95 % interval of that share (Clopper and Pearson,
 * 1934). */
typedef struct {
    uint32_t held, of;
    double share, low, high; /* NaN: no fit has an interval */
} asif_coverage;
asif_coverage asif_replicates_coverage(const asif_replicates *replicates, uint32_t number);
void asif_coverage_json(asif_json *json, const asif_coverage *coverage);
/* Add what was simulated, how it was fitted, and how that went. */
void asif_replicates_about_json(asif_json *json, const asif_replicates *replicates, const char *command);
/* Add the list of fits, with the numbers of each. */
void asif_replicates_list_json(asif_json *json, const asif_replicates *replicates);
/* Return the text of the JSON, which the caller then owns. ASIF_ENOMEM; `text` is then freed. */
asif_status asif_json_finish(char **out, asif_text *text, asif_error *error);

/* ---- replicate_tests.c ---- */
/* P(X > x) for X chi-square with `freedom` degrees of freedom. */
double asif_chi_square_above(double x, uint32_t freedom);
/* The 95 % interval of a share: `hits` out of `of`. */
void asif_binomial_interval(uint32_t hits, uint32_t of, double *low, double *high);

#endif
