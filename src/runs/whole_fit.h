/* The private members of a whole fit, which asif_fit_run() makes and asif_fit_save() writes. */
#ifndef ASIF_SRC_RUNS_WHOLE_FIT_H
#define ASIF_SRC_RUNS_WHOLE_FIT_H

#include "asif/fit.h"
#include "base/data/json.h"
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

/* What came of dynamics that the study leaves to be learnt. */
typedef struct {
    asif_world_mode mode; /* ASIF_WORLD_USUAL: there are none, or they are known */
    /* How they were learnt: see ::asif_dynamics_estimate. */
    double log_likelihood;
    uint32_t free, starts, agree;
    /* Of ASIF_WORLD_CUT; `worlds` is 0 if the uncertainty could not be carried through. */
    uint32_t worlds;
    uint32_t ridge, others;     /* worlds whose draws are along a ridge, or of chains */
    uint32_t untrusted, rivals; /* worlds whose draws cannot be trusted, or that have rival explanations */
    asif_dynamics_draw_info drawn;
    double *share;               /* [parameters]: see asif_fit_pool() */
    double *mean;                /* [worlds][parameters]: means in each world */
    asif_column_summary *before; /* [parameters]: in the world of the estimates alone */
} asif_fit_world;

/* Facts for `fit.json` that ::asif_fit does not hold. All are borrowed. */
typedef struct {
    size_t struct_size;
    const char *title;               /* title of the study; NULL: none */
    const asif_study *study;         /* whose labels are recorded; NULL: none */
    const asif_theta *given;         /* assumed values; estimated parameters have none. NULL: not known */
    const asif_problems *said;       /* warnings to record; NULL: none */
    const char *by, *value;          /* column and value of the group that was fitted; NULL: all logs */
    const char *const *where;        /* conditions "COLUMN=VALUE" on rows, NULL-terminated; NULL: none */
    const char *key;                 /* digest of all inputs; NULL: not known */
    const char *people;              /* digest of asif_tree_by_subject(); NULL: not known */
    const char *inverse;             /* name of the inverse planner; NULL: not known */
    const asif_plan_options *solver; /* NULL: not known */
    const asif_fit_lattice *lattice; /* NULL: the resolution was not chosen */
    const asif_lattices *lattices;   /* of the fitted agent; NULL: not compared */
    const asif_tree *table;          /* all logs, of which these are a group; NULL: not known, or no group */
    const asif_log_map *map;         /* columns that the logs were read from; NULL: not known */
    const asif_sensitivity *sensitivity;  /* see asif_sensitivity_run(); NULL: not computed */
    const asif_outcomes *outcomes;        /* see asif_outcomes_run(); NULL: not computed */
    const asif_fit_world *world;          /* NULL: no dynamics were learnt */
    const asif_predictive_checks *checks; /* see asif_predictive_checks_run(); a check that fails lowers the
                                             verdicts. NULL: not computed */
} asif_fit_about;
#define ASIF_FIT_ABOUT_INIT                                                                                  \
    { .struct_size = sizeof(asif_fit_about) }

/* Write a fit as the text of `fit.json`. @param[out] out Owned by the caller (asif_memory_free()). @param
 * about NULL: nothing is known. Fails with ASIF_ENOMEM, or ASIF_EDOMAIN for an `about` of unknown size. */
asif_status asif_fit_json(char **out, const asif_fit *fit, const asif_fit_about *about, asif_error *error);

/* How far labels of the hidden state agree with the environment, as asif_dynamics_agreement() has it: both
 * tables, one after the other. `*out` is NULL if the tree has no labels; the caller frees it. */
asif_status asif_fit_labels(double **out, const asif_context *context, const asif_setting *setting,
                            const asif_tree *tree, asif_error *error);

struct asif_whole_fit {
    const asif_context *context;
    asif_fit_request request;
    asif_fit_options how;
    asif_inverse_options inverse_options;
    asif_plan_options solver; /* with the chosen resolution */
    asif_fit_lattice lattice;
    asif_lattices lattices; /* of the agent at the maximum */
    /* What the caller gave, which the fit keeps; NULL: none. */
    struct {
        const asif_study *study;
        const asif_tree *logs;
        const asif_theta *given;
        const asif_work *work;
    } kept;
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
    /* Where the study leaves dynamics to be learnt. `request.study` is then the study with the estimates, and
     * `unlearnt` the caller's. */
    const asif_study *unlearnt; /* NULL: all dynamics are given */
    asif_study *learnt;
    asif_theta *learnt_given;
    asif_dynamics *dynamics;
    asif_dynamics_fit *dynamics_fit;
    asif_fit_world world;
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
/* The files of a fit's folder, but for those that the study names and chains; NULL-terminated. */
extern const char *const asif_fit_names[];

/* What asif_world_mode of a request means for its method; ASIF_WORLD_USUAL: the study leaves nothing to be
 * learnt. Fails with ASIF_EUNSUPPORTED if the method has no draws to pool. */
asif_status asif_fit_request_world(asif_world_mode *out, const asif_fit_request *request, asif_error *error);
/* Draws of the dynamics for ASIF_WORLD_CUT. */
uint32_t asif_fit_request_worlds(const asif_fit_request *request);

/* ---- fit_world.c ---- */
/* Learn the dynamics that the study leaves open, and go on with the study that has them; else do nothing. */
asif_status asif_fit_learn_world(asif_whole_fit *whole, asif_error *error);
/* After the fit in the world of the estimates, with ASIF_WORLD_CUT: fit in each of the worlds that are drawn
 * from the posterior of the dynamics, and pool the draws. Else do nothing. */
asif_status asif_fit_cut(asif_whole_fit *whole, asif_error *error);
void asif_fit_world_free(asif_whole_fit *whole);

/* ---- fit_joint.c ---- */
/* After the fit in the world of the estimates, with ASIF_WORLD_JOINT: draw agent and dynamics together, and
 * put these draws of the agent in place. Else do nothing. */
asif_status asif_fit_joint(asif_whole_fit *whole, asif_error *error);

/* ---- fit_logs_json.c ---- */
/* Add a count, or null if it is not known. */
void asif_json_known_count(asif_json *json, const char *key, uint64_t count, bool known);
/* Add the object `logs`. `table`: all logs that were read, if the fit is about a group of them; else NULL.
 * `labels`: of asif_fit_labels(); NULL: none. */
void asif_fit_logs_json(asif_json *json, const asif_fit *fit, const asif_tree *table,
                        const asif_setting *setting, const double *labels);

/* ---- world_json.c ---- */
/* Add the object `world`. */
void asif_fit_world_json(asif_json *json, const asif_fit *fit, const asif_fit_world *world);

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
/* The most episodes that the checks of a fit simulate: about a second. */
#define ASIF_CHECKED_EPISODES 250000
/* Compute the short answers that every fit contains: outcomes, predictive checks and sensitivity. Fails only
 * for lack of memory or if it is cancelled; an answer that fails otherwise is left NULL. */
asif_status asif_fit_brief(asif_whole_fit *whole, asif_error *error);
/* The fit in the form that reading its folder gives, without draws and maximum; borrows from it. */
asif_fitted asif_whole_fit_as_fitted(const asif_whole_fit *whole);

#endif
