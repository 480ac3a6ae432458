/* Calibration: known agents are simulated and fitted, and the estimates compared with the truth. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_CALIBRATE_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_CALIBRATE_H

#include "questions/question.h"

/* The true value of an estimated parameter. */
typedef struct {
    const char *name; /* name as in asif_theta_name(), or `optimism` */
    double value;
} asif_truth;

/* Options: what is simulated, and how it is fitted. */
typedef struct {
    size_t struct_size;
    uint32_t replicates; /* number of agents, each simulated and fitted once */
    uint64_t episodes;   /* episodes of each agent, divided evenly among start classes; the first classes take
                            the remainder */
    uint32_t max_steps;  /* an episode that has not ended is cut after this many steps */
    uint64_t seed;
    /* Not ASIF_FIT_PUBLISHED; for asif_sbc_run() a method that draws. */
    asif_fit_method method;
    uint32_t chains;
    uint64_t warmup;      /* steps of a chain before its draws */
    uint64_t draws;       /* draws kept of each chain; for asif_sbc_run(), 0: as many as are needed */
    double target_accept; /* for NUTS */
    uint32_t starts;      /* starts of the maximiser, see asif_fit_options */
    /* [truths]: known true values; all others are drawn from the priors. Not for asif_sbc_run(). */
    const asif_truth *truth;
    uint32_t truths;
    uint32_t ranks;     /* asif_sbc_run() only: draws among which a true value is ranked */
    uint32_t bins;      /* asif_sbc_run() only: bins of a histogram; must divide ranks + 1 */
    double wrong_prior; /* asif_sbc_run() only: the fits use priors whose standard deviation is multiplied by
                           this; 1: the true ones */
    const char *folder; /* folder where finished fits are recorded, in `replicates.csv`; NULL: nowhere */
    const char *key;    /* identifies what is fitted: a file with another key is refused; NULL: "" */
    /* Called once, when twice as many fits are done as there are threads: number of fits, and about how long
     * the rest takes. May be NULL. One of the worker threads calls it. */
    void (*tell)(void *user, uint32_t fits, double seconds);
    void *user; /* first argument of `tell` */
    /* Each replicate is a population with so many people, drawn from its prior (asif/people.h); what is
     * estimated differs between them, and `episodes` are those of a person. `method` and `starts` have no
     * meaning, and truths cannot be stated. 0: one agent. */
    uint64_t people;
} asif_calibrate_options;
/* The defaults of asif_recover_run(). */
#define ASIF_RECOVER_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        sizeof(asif_calibrate_options), 20, 1000, 1000, 0, ASIF_FIT_AUTO, 2, 1000, 1000, 0.95, 3, NULL, 0,   \
            0, 0, 1, NULL, NULL, NULL, NULL, 0                                                               \
    }
/* The defaults of asif_sbc_run(): the sampler is that of a fit, with fewer draws. */
#define ASIF_SBC_OPTIONS_INIT                                                                                \
    {                                                                                                        \
        sizeof(asif_calibrate_options), 100, 200, 1000, 0, ASIF_FIT_AUTO, 4, 1000, 0, 0.95, 9, NULL, 0, 99,  \
            20, 1, NULL, NULL, NULL, NULL, 0                                                                 \
    }

/* Comparison of true values with estimates; immutable. */
typedef struct asif_recover asif_recover;

/*
 * Simulate known agents, fit each of them, and compare. Chains that have not settled (R-hat above 1.1, or an
 * effective sample size below 50) are run again: walks in other coordinates, then for three and for nine
 * times as many steps in the better ones; NUTS for three and for nine times as many steps.
 *
 * @param out   Owned by the caller.
 * @param fitted     What is estimated in which setting, and how; its work, tree, draws and maximum are not
 * used. Borrowed for the life of the result.
 * @param options    NULL: the defaults. Those of the sampler have no meaning to methods that do not draw.
 * @param error May be NULL.
 * @return ASIF_OK, also if single fits failed (they are counted); ASIF_EDOMAIN (options, a truth outside its
 * domain), ASIF_EUNKNOWN (a truth that is not estimated), ASIF_EINVALID (the folder has replicates of
 * something else, or another command is writing there), ASIF_EPARSE (they are damaged), ASIF_EIO,
 * ASIF_ENOMEM, ASIF_ECANCELLED (finished fits are recorded), or why no fit at all succeeded.
 *
 * Cost: that of the fits, each independent of the others and of the number of threads.
 */
asif_status asif_recover_run(asif_recover **out, const asif_fitted *fitted,
                             const asif_calibrate_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_recover_free(asif_recover *recover);
/* Write everything as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_recover_json(char **out, const asif_recover *recover, asif_error *error);

/* Ranks of true values among draws; immutable. */
typedef struct asif_sbc asif_sbc;

/*
 * Simulation-based calibration: agents drawn from the priors, simulated and fitted. If prior, simulation and
 * posterior belong together, the rank of a truth among nearly independent draws of its posterior is uniform;
 * so is that of the log-likelihood of the truth among those of the draws. Chains whose effective sample size
 * is below half of `ranks`, or whose R-hat is above 1.1, are run again as in asif_recover_run(); replicates
 * that still fall short are counted, and kept.
 *
 * @param out   Owned by the caller.
 * @param fitted     As for asif_recover_run().
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return As asif_recover_run(); ASIF_EUNSUPPORTED if a prior is improper, or of a family whose spread cannot
 * be changed (wrong_prior).
 *
 * Talts, Betancourt, Simpson, Vehtari and Gelman (2018); Modrák, Moon, Kim, Bürkner, Huurre, Faltejsková,
 * Gelman and Vehtari (2023).
 */
asif_status asif_sbc_run(asif_sbc **out, const asif_fitted *fitted, const asif_calibrate_options *options,
                         asif_error *error);
/* Free; NULL is allowed. */
void asif_sbc_free(asif_sbc *sbc);
/* Whether every histogram passes a chi-square test at 1 %, divided by their number. */
bool asif_sbc_good(const asif_sbc *sbc);
/* Write everything as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_sbc_json(char **out, const asif_sbc *sbc, asif_error *error);

/* Write the answers as text for people, from their JSON. */
asif_question_teller asif_report_recover;
asif_question_teller asif_report_sbc;

#endif
