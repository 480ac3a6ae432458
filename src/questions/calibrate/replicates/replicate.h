/* Replicates: agents of a design, each drawn, simulated and fitted once, and what is kept of each. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_REPLICATE_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_REPLICATE_H

#include "base/context.h"
#include "base/data/json.h"
#include "base/os.h"
#include "questions/calibrate/calibrate.h"

#include <stdatomic.h>

/* What is kept of a replicate is a row of numbers, NaN where one is not known: first those of the fit, */
enum {
    ASIF_KEPT_DECISIONS,
    ASIF_KEPT_RUNS, /* 1, and 1 for each time that the chains were run again */
    ASIF_KEPT_RHAT, /* the largest */
    ASIF_KEPT_ESS,  /* the smallest */
    ASIF_KEPT_RANK_LIKELIHOOD,
    ASIF_KEPT_HEAD
};
/* then these of every number. */
enum {
    ASIF_KEPT_TRUTH,
    ASIF_KEPT_ESTIMATE, /* the mean of draws, or the maximum */
    ASIF_KEPT_SD,
    ASIF_KEPT_Q05,
    ASIF_KEPT_Q95,
    ASIF_KEPT_RANK,
    ASIF_KEPT_EACH
};

enum { ASIF_REPLICATE_OPEN, ASIF_REPLICATE_DONE, ASIF_REPLICATE_FAILED };

#define ASIF_SETTLED_RHAT 1.1

typedef struct {
    const asif_fitted *fitted;
    const asif_context *context; /* of the caller */
    asif_context inner; /* of one fit: a single thread, whose progress is reported as that of all fits */
    asif_calibrate_options options;
    const asif_estimates *fitting; /* whose priors the fits have; truths are drawn from those of `fitted` */
    double *known;                 /* [numbers]: truths; NaN: drawn */
    asif_work *work;               /* never solved; cloned */
    uint32_t numbers;
    uint64_t width;
    uint32_t room;     /* replicates that there is room for: those wanted, or more if the folder has more */
    double *row;       /* [room][width] */
    atomic_int *state; /* [room] */
    bool locked;       /* the folder is, by `lock`: one command at a time writes there */
    asif_os_lock lock;
    /* of asif_replicates_run() */
    atomic_uint next, done;
    uint32_t to_do;
    double begun, saved;
    atomic_flag saving;
    atomic_int stopped; /* a status that ends all */
    asif_error error; /* of the run, or of the first fit that failed; the thread that sets `told` fills it */
    atomic_flag told;
} asif_replicates;

static inline double *asif_replicate_row(const asif_replicates *r, uint32_t i) {
    return r->row + i * r->width;
}
static inline double *asif_replicate_number(const asif_replicates *r, uint32_t i, uint32_t number) {
    return asif_replicate_row(r, i) + ASIF_KEPT_HEAD + (uint64_t)number * ASIF_KEPT_EACH;
}
static inline bool asif_replicate_is(const asif_replicates *r, uint32_t i, int state) {
    return atomic_load_explicit(&r->state[i], memory_order_acquire) == state;
}

/* ---- replicate.c ---- */
/* One of them, into its row. Statuses other than ASIF_ENOMEM and ASIF_ECANCELLED are the replicate's own. */
asif_status asif_replicate_make(asif_replicates *replicates, uint32_t index, asif_error *error);

/* ---- replicate_all.c ---- */
/* `options` is copied, `fitted` and `fitting` (NULL: the estimates of `fitted`) are borrowed.
 * asif_replicates_free() whether it fails or not. */
asif_status asif_replicates_create(asif_replicates *out, const asif_fitted *fitted,
                                   const asif_estimates *fitting, const asif_calibrate_options *options,
                                   asif_error *error);
asif_status asif_replicates_run(asif_replicates *replicates, asif_error *error);
void asif_replicates_free(asif_replicates *replicates);
/* Replicates among those wanted that are in a state. */
uint32_t asif_replicates_count(const asif_replicates *replicates, int state);
/* Of those that are done: chains that did not settle. */
typedef struct {
    uint32_t again, few,
        apart; /* run again; with an ESS below `wanted`; with an R-hat above ASIF_SETTLED_RHAT */
} asif_replicates_settled;
asif_replicates_settled asif_replicates_settle(const asif_replicates *replicates);
/* Draws of ESS that chains should have. */
double asif_replicates_wanted(const asif_replicates *replicates);

/* ---- replicate_file.c ---- */
/* What the folder has, if it has something; there may be more than is wanted. */
asif_status asif_replicates_load(asif_replicates *replicates, asif_error *error);
asif_status asif_replicates_save(const asif_replicates *replicates, asif_error *error);

/* ---- replicate_json.c ---- */
/* How many 90 % intervals held their truth, and the 95 % interval of that share (Clopper and Pearson, 1934).
 */
typedef struct {
    uint32_t held, of;
    double share, low, high; /* NaN: no fit has an interval */
} asif_coverage;
asif_coverage asif_replicates_coverage(const asif_replicates *replicates, uint32_t number);
void asif_coverage_json(asif_json *json, const asif_coverage *coverage);
/* What was simulated, how it was fitted, and how that went. */
void asif_replicates_about_json(asif_json *json, const asif_replicates *replicates, const char *command);
/* The list of fits, with these numbers of each. */
void asif_replicates_list_json(asif_json *json, const asif_replicates *replicates);
/* The text of the JSON is the caller's, or there was no memory. */
asif_status asif_json_finish(char **out, asif_text *text, asif_error *error);

/* ---- replicate_tests.c ---- */
/* P(chi-square of `freedom` degrees > x). */
double asif_chi_square_above(double x, uint32_t freedom);
/* A 95 % interval of a share: `hits` of `of`. */
void asif_binomial_interval(uint32_t hits, uint32_t of, double *low, double *high);

#endif
