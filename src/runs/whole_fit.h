/* A whole fit from the inside: what asif_fit_run() makes and asif_fit_save() writes. */
#ifndef ASIF_SRC_RUNS_WHOLE_FIT_H
#define ASIF_SRC_RUNS_WHOLE_FIT_H

#include "asif/fit.h"
#include "checks/predictive_checks.h"
#include "questions/outcomes/outcomes.h"
#include "questions/sensitivity/sensitivity.h"

/* What a fit does not know of itself. */
typedef struct {
    size_t struct_size;
    const char *title;         /* of the study; NULL: none */
    const asif_theta *given;   /* assumed values; estimated numbers have none. NULL: not known */
    const asif_problems *said; /* warnings to be kept with it; NULL: none */
    const char *by, *value;    /* column and value of the group that was fitted; NULL: all logs */
    const char *const *where;  /* "COLUMN=VALUE" that the logs were limited to, NULL-terminated; NULL: none */
    const char *key;           /* digest of all inputs; NULL: not known */
    const char *people;        /* digest of asif_tree_by_subject(); NULL: not known */
    const char *inverse;       /* name of the inverse planner; NULL: not known */
    const asif_plan_options *solver; /* NULL: not known */
    double lattice_error;    /* nats, where the resolution was chosen (NaN: not known); 0: it was not */
    const asif_log_map *map; /* columns by which the logs were read; NULL: not known */
    const asif_sensitivity *sensitivity;  /* see asif_sensitivity_run(); NULL: none was made */
    const asif_outcomes *outcomes;        /* short form of asif_outcomes_run(); NULL: not known */
    const asif_predictive_checks *checks; /* see asif_predictive_checks_run(): its short form is kept, and
                                             what it misses lowers verdicts; NULL: none were made */
} asif_fit_about;
#define ASIF_FIT_ABOUT_INIT                                                                                  \
    { .struct_size = sizeof(asif_fit_about) }

/* A fit as the text of `fit.json`. @param out Text, owned by the caller (asif_memory_free()). @param
 * about NULL: nothing is known. */
asif_status asif_fit_json(char **out, const asif_fit *fit, const asif_fit_about *about, asif_error *error);

/* How the resolution was chosen, where the study says `auto`. */
typedef struct {
    bool chosen, reached; /* whether it was, and whether the error is small enough */
    bool parted;          /* whether the error does not get smaller on finer lattices */
    uint32_t coarse;      /* the resolution of the first look */
    double error;         /* nats, estimated; NaN: not known */
} asif_fit_lattice;

struct asif_whole_fit {
    const asif_context *context;
    asif_fit_request request;
    asif_fit_options how;
    asif_inverse_options inverse_options;
    asif_plan_options solver; /* with the resolution that was chosen */
    asif_fit_lattice lattice;
    const asif_theta *given;
    const asif_work *work;
    asif_work *own_work; /* NULL: it is the caller's */
    asif_estimate_spec *spec;
    uint32_t specs;
    asif_estimates *estimates;
    asif_problems *said;
    asif_fit *fit;
    /* Each of the answers may be NULL: it has none for this fit. */
    asif_outcomes *outcomes;
    asif_predictive_checks *checks;
    asif_sensitivity *sensitivity;
    char key[ASIF_DIGEST_SIZE];
    char started[32];
    double seconds;
};

/* ---- fit_request.c ---- */
/* What a request leaves open is taken from its study. */
asif_status asif_fit_request_check(const asif_fit_request *request, asif_error *error);
asif_fit_options asif_fit_request_how(const asif_fit_request *request);
asif_plan_options asif_fit_request_solver(const asif_fit_request *request);
const asif_theta *asif_fit_request_given(const asif_fit_request *request);
/* What is estimated: of what the study marks `learn`, all that has no value. [*count], owned by the
 * caller. */
asif_status asif_fit_request_specs(asif_estimate_spec **out, uint32_t *count, const asif_context *context,
                                   const asif_fit_request *request, asif_error *error);
/* Whether a file that the study names is copied into the folder of the fit. */
bool asif_fit_copies(const asif_study *study, const char *name);

/* ---- fit_lattice.c ---- */
/* Choose `solver.resolution` where it is to be chosen. */
asif_status asif_fit_choose_lattice(asif_whole_fit *whole, asif_error *error);

/* ---- fit_brief.c ---- */
/* The short questions that every fit answers: what comes of acting so, what the fit misses, what depends on
 * the assumptions. Only running out of memory and being cancelled are failures. */
asif_status asif_fit_brief(asif_whole_fit *whole, asif_error *error);

#endif
