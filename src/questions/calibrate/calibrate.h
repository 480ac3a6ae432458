/* Calibration: known agents are simulated, fitted and compared with what was found. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_CALIBRATE_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_CALIBRATE_H

#include "questions/question.h"

/* The true value of a parameter that is estimated. */
typedef struct {
    const char *name; /* as in asif_theta_name(), or `optimism` */
    double value;
} asif_truth;

/* What is simulated, and how it is fitted. */
typedef struct {
    size_t struct_size;
    uint32_t replicates; /* agents, each simulated and fitted once */
    uint64_t episodes;   /* of each agent; of several start classes, as many of each, the first ones taking
                            what is left over */
    uint32_t max_steps;  /* an episode that has not ended is cut here */
    uint64_t seed;
    /* Not ASIF_FIT_PUBLISHED; of asif_sbc_run() one that draws. */
    asif_fit_method method;
    uint32_t chains;
    uint64_t warmup;         /* steps of a chain before its draws */
    uint64_t draws;          /* kept of each chain; of asif_sbc_run() 0: as many as it takes */
    double target_accept;    /* of NUTS */
    uint32_t starts;         /* of the maximiser, see asif_fit_options */
    const asif_truth *truth; /* [truths]: what is known of the agents; all else is drawn from the priors.
                                Not of asif_sbc_run() */
    uint32_t truths;
    uint32_t ranks;     /* of asif_sbc_run(): draws among which a truth is ranked */
    uint32_t bins;      /* of its histograms; must divide ranks + 1 */
    double wrong_prior; /* of it: fit with priors whose standard deviation is multiplied by this; 1: the
                           true ones */
    const char *folder; /* where finished fits are noted, in `replicates.csv`; NULL: nowhere */
    const char *key;    /* says what was fitted: notes of another key are refused; NULL: "" */
    /* Told once, when every thread has done its first fit: fits that there are, and about how long the rest
     * takes. NULL: not. */
    void (*tell)(void *user, uint32_t fits, double seconds);
    void *user; /* handed to `tell` */
} asif_calibrate_options;
/* The defaults of asif_recover_run(). */
#define ASIF_RECOVER_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        sizeof(asif_calibrate_options), 20, 1000, 1000, 0, ASIF_FIT_METROPOLIS, 2, 1000, 1000, 0.95, 3,      \
            NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL                                                         \
    }
/* The defaults of asif_sbc_run(): the sampler is that of a fit by ASIF_FIT_NUTS, with fewer draws. */
#define ASIF_SBC_OPTIONS_INIT                                                                                \
    {                                                                                                        \
        sizeof(asif_calibrate_options), 100, 200, 1000, 0, ASIF_FIT_NUTS, 4, 1000, 0, 0.95, 9, NULL, 0, 99,  \
            20, 1, NULL, NULL, NULL, NULL                                                                    \
    }

/* Truth against estimate; immutable. */
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
 * domain), ASIF_EUNKNOWN (a truth that is not estimated), ASIF_EINVALID (notes of something else),
 * ASIF_EPARSE (damaged notes), ASIF_EIO, ASIF_ENOMEM, ASIF_ECANCELLED (what was finished is noted), or why no
 * fit at all succeeded.
 *
 * Cost: that of the fits, each independent of the others and of the number of threads.
 */
asif_status asif_recover_run(asif_recover **out, const asif_fitted *fitted,
                             const asif_calibrate_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_recover_free(asif_recover *recover);
/* All of it as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_recover_json(char **out, const asif_recover *recover, asif_error *error);

/* Ranks of truths among draws; immutable. */
typedef struct asif_sbc asif_sbc;

/*
 * Simulation-based calibration: agents drawn from the priors, simulated and fitted. If prior, simulation and
 * posterior belong together, the rank of a truth among nearly independent draws of its posterior is uniform;
 * so is that of the log-likelihood of the truth among those of the draws. Chains that have not settled, their
 * effective sample size being wanted to be at least half of `ranks`, are run again as in asif_recover_run();
 * replicates that still fall short are counted, and kept.
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
/* All of it as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_sbc_json(char **out, const asif_sbc *sbc, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_recover;
asif_question_teller asif_report_sbc;

#endif
