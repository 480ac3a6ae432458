/* The private members of a whole fit, which asif_fit_run() makes and asif_fit_save() writes. */
#ifndef ASIF_SRC_RUNS_WHOLE_FIT_H
#define ASIF_SRC_RUNS_WHOLE_FIT_H

#include "asif/fit.h"
#include "checks/predictive_checks.h"
#include "questions/outcomes/outcomes.h"
#include "questions/sensitivity/sensitivity.h"

/* How the resolution was chosen, if the study says `auto`. If a lattice that is fine enough has very many
 * nodes, only the weights of the draws are computed on it, and the rest on a coarser one. */
typedef struct {
    bool chosen, reached; /* whether the resolution was chosen, and whether its error is small enough */
    bool parted;          /* whether the error does not get smaller on finer lattices */
    uint32_t coarse;      /* resolution of the first lattice */
    double error;         /* error in nats, an estimate; NaN: not known */
    uint32_t fine;        /* resolution for the weights of draws; 0: that of all the rest */
    double rest_error;    /* where `fine` is not 0: error in nats of the lattice for the rest */
} asif_fit_lattice;

/* Facts for `fit.json` that ::asif_fit does not hold. All are borrowed. */
typedef struct {
    size_t struct_size;
    const char *title;                   /* title of the study; NULL: none */
    const asif_theta *given;             /* assumed values; estimated parameters have none. NULL: not known */
    const asif_problems *said;           /* warnings to record; NULL: none */
    const char *by, *value;              /* column and value of the group that was fitted; NULL: all logs */
    const char *const *where;            /* conditions "COLUMN=VALUE" on rows, NULL-terminated; NULL: none */
    const char *key;                     /* digest of all inputs; NULL: not known */
    const char *people;                  /* digest of asif_tree_by_subject(); NULL: not known */
    const char *inverse;                 /* name of the inverse planner; NULL: not known */
    const asif_plan_options *solver;     /* NULL: not known */
    const asif_fit_lattice *lattice;     /* NULL: the resolution was not chosen */
    const asif_lattices *lattices;       /* of the fitted agent; NULL: not compared */
    const asif_log_map *map;             /* columns that the logs were read from; NULL: not known */
    const asif_sensitivity *sensitivity; /* see asif_sensitivity_run(); NULL: not computed */
    const asif_outcomes *outcomes;       /* see asif_outcomes_run(); NULL: not computed */
    const asif_predictive_checks *checks; /* see asif_predictive_checks_run(); a check that fails lowers the
                                             verdicts. NULL: not computed */
} asif_fit_about;
#define ASIF_FIT_ABOUT_INIT                                                                                  \
    { .struct_size = sizeof(asif_fit_about) }

/* Write a fit as the text of `fit.json`. @param[out] out Owned by the caller (asif_memory_free()). @param
 * about NULL: nothing is known. Fails with ASIF_ENOMEM, or ASIF_EDOMAIN for an `about` of unknown size. */
asif_status asif_fit_json(char **out, const asif_fit *fit, const asif_fit_about *about, asif_error *error);

struct asif_whole_fit {
    const asif_context *context;
    asif_fit_request request;
    asif_fit_options how;
    asif_inverse_options inverse_options;
    asif_plan_options solver; /* with the chosen resolution */
    asif_fit_lattice lattice;
    asif_lattices lattices; /* of the agent at the maximum */
    const asif_theta *given;
    const asif_work *work;
    asif_work *fine;     /* on the lattice of `lattice.fine`, during the fit; NULL: none */
    asif_work *own_work; /* NULL: `work` is the caller's */
    asif_estimate_spec *spec;
    uint32_t specs;
    asif_estimates *estimates;
    asif_problems *said;
    asif_fit *fit;
    /* Short answers; NULL: there is none for this fit. */
    asif_outcomes *outcomes;
    asif_predictive_checks *checks;
    asif_sensitivity *sensitivity;
    char key[ASIF_DIGEST_SIZE];
    char started[32];
    double seconds;
};

/* ---- fit_request.c ---- */
/* Values of a request, with defaults for those that it leaves NULL: options of the sampler from
 * asif_fit_defaults(), solver and assumed values from the study. All are borrowed. The check fails with
 * ASIF_EDOMAIN unless there are a study and logs. */
asif_status asif_fit_request_check(const asif_fit_request *request, asif_error *error);
asif_fit_options asif_fit_request_how(const asif_fit_request *request);
asif_plan_options asif_fit_request_solver(const asif_fit_request *request);
const asif_theta *asif_fit_request_given(const asif_fit_request *request);
/* The parameters to estimate: those that the study marks `learn` and the request does not set. @param[out]
 * out [*count], owned by the caller, also after a failure. Fails with ASIF_EINVALID if there are none. */
asif_status asif_fit_request_specs(asif_estimate_spec **out, uint32_t *count, const asif_context *context,
                                   const asif_fit_request *request, asif_error *error);
/* Whether a file that the study names is copied into the folder of the fit. */
bool asif_fit_copies(const asif_study *study, const char *name);

/* ---- fit_lattice.c ---- */
/* Choose `solver.resolution` if the study says `auto`, the state is not observed, and the inverse planner has
 * a likelihood; else do nothing. Adds a warning if the error stays above the limit. Costs a search for the
 * maximum on a coarse lattice, and a few evaluations of the likelihood on each finer one. */
asif_status asif_fit_choose_lattice(asif_whole_fit *whole, asif_error *error);
/* After the fit: where draws could not be weighted on the fine lattice, say what the coarse one changes. */
asif_status asif_fit_settle_lattice(asif_whole_fit *whole, asif_error *error);

/* After the fit: compare lattices at the maximum, if there is one (see asif_lattices_compare()). */
asif_status asif_fit_compare_lattices(asif_whole_fit *whole, asif_error *error);

/* ---- fit_brief.c ---- */
/* Compute the short answers that every fit contains: outcomes, predictive checks and sensitivity. Fails only
 * for lack of memory or if it is cancelled; an answer that fails otherwise is left NULL. */
asif_status asif_fit_brief(asif_whole_fit *whole, asif_error *error);

#endif
