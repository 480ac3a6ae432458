/* Dynamics that a study leaves to be learnt: they are learnt from the observations of the logs, and the
 * uncertainty of what was learnt is carried through to the agent by fits in worlds drawn from its posterior.
 */
#include "runs/whole_fit.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit.h"
#include "study/study.h"
#include "theta/estimates.h"

#include <string.h>

#define WORLD_POINTS 512 /* points of a round along the ridge in one world: few draws of each are kept */
#define WARMUP 500       /* sweeps of Gibbs sampling before the first world is drawn */
#define THIN 200         /* and between two: a fit in a world costs as much as thousands of sweeps */

/* ---- the study with its dynamics ---- */

/* Read the study with the dynamics of a point in place of its marks. */
static asif_status fill_study(asif_study **out, const asif_whole_fit *w, const double *point,
                              asif_error *error) {
    const char *folder = asif_study_folder(w->unlearnt);
    asif_text name = {.context = w->context};
    char *text = NULL;
    uint64_t length = 0;
    const char *marked = asif_study_text(w->unlearnt, &length);
    asif_text_addf(&name, "%sthe study with its dynamics", folder ? folder : "");
    asif_status status = name.failed
                             ? asif_fail_memory(error)
                             : asif_study_fill_dynamics(&text, w->unlearnt, marked, length, point, error);
    if (status == ASIF_OK)
        status = asif_study_read(out, w->context, text, strlen(text), folder ? name.data : NULL, NULL, error);
    asif_memory_free(w->context, text);
    asif_text_free(&name);
    return status;
}

/* The assumed values for another world: its start and other distributions, and the numbers of `from`, which
 * may be the caller's. */
static asif_status take_values(asif_theta **out, const asif_study *study, const asif_theta *from,
                               asif_error *error) {
    ASIF_TRY(asif_theta_copy(out, asif_study_theta(study), error));
    asif_theta_assign_numbers(*out, from);
    return ASIF_OK;
}

static asif_status learn(asif_whole_fit *w, asif_error *error) {
    asif_dynamics_options how = ASIF_DYNAMICS_OPTIONS_INIT;
    asif_dynamics_estimate e = {.struct_size = sizeof e};
    how.seed = w->how.sample.seed;
    ASIF_TRY(asif_dynamics_create(&w->dynamics, w->context, asif_study_hidden_dynamics(w->unlearnt),
                                  w->request.logs, error));
    ASIF_TRY(asif_dynamics_learn(&w->dynamics_fit, w->dynamics, &how, error));
    ASIF_TRY(asif_dynamics_fit_get(w->dynamics_fit, &e, error));
    w->world.log_likelihood = e.log_likelihood;
    w->world.free = e.free;
    w->world.starts = e.starts;
    w->world.agree = e.agree;
    return fill_study(&w->learnt, w, e.point, error);
}

asif_status asif_fit_learn_world(asif_whole_fit *w, asif_error *error) {
    ASIF_TRY(asif_fit_request_world(&w->world.mode, &w->request, error));
    if (w->world.mode == ASIF_WORLD_USUAL)
        return ASIF_OK;
    w->unlearnt = w->request.study;
    ASIF_TRY(learn(w, error));
    ASIF_TRY(take_values(&w->learnt_given, w->learnt, w->given, error));
    w->request.study = w->learnt;
    w->given = w->request.given = w->learnt_given;
    w->inverse_options = *asif_study_asked(w->learnt);
    w->inverse_options.partial = w->request.partial;
    return ASIF_OK;
}

void asif_fit_world_free(asif_whole_fit *w) {
    asif_free(w->context, w->world.share);
    asif_free(w->context, w->world.mean);
    asif_free(w->context, w->world.before);
    asif_theta_free(w->learnt_given);
    asif_study_free(w->learnt);
    asif_dynamics_fit_free(w->dynamics_fit);
    asif_dynamics_free(w->dynamics);
}

/* ---- fits in the drawn worlds ---- */

/* One drawn world. The fit in it borrows from the rest. */
typedef struct {
    asif_study *study;
    asif_theta *given;
    asif_work *work;
    asif_estimates *estimates;
    asif_fit *fit;
} one_world;

typedef struct {
    asif_whole_fit *whole;
    uint32_t worlds;
    double *point; /* [worlds][cells] */
    double *begin; /* [begins][dimension]: tops of the posterior in the world of the estimates */
    uint32_t begins;
    one_world *world; /* [worlds] */
    asif_fit **fit;   /* [worlds] */
} cutting;

/* Close a world but for its fit, which needs the estimates. */
static void close_world(one_world *one) {
    asif_work_free(one->work);
    one->work = NULL;
}

static void free_worlds(cutting *c) {
    const asif_context *context = c->whole->context;
    for (uint32_t k = 0; c->world && k < c->worlds; k++) {
        asif_fit_free(c->world[k].fit);
        asif_estimates_free(c->world[k].estimates);
        close_world(&c->world[k]);
        asif_theta_free(c->world[k].given);
        asif_study_free(c->world[k].study);
    }
    void *const arrays[] = {c->point, c->begin, c->world, c->fit};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
}

/* The agent in a drawn world, with the priors of the fit. */
static asif_status open_world(const asif_whole_fit *w, one_world *one, const double *point,
                              asif_error *error) {
    ASIF_TRY(fill_study(&one->study, w, point, error));
    ASIF_TRY(take_values(&one->given, one->study, w->given, error));
    ASIF_TRY(asif_work_create(&one->work, w->context, asif_study_planner(one->study),
                              asif_study_setting(one->study), &w->solver, error));
    return asif_estimates_make(&one->estimates, w->context, one->given, w->spec, w->specs, ASIF_PRIORS_STATED,
                               asif_estimates_spread(w->estimates), NULL, error);
}

static bool is_good(const asif_fit *fit) {
    return fit->view.method == ASIF_FIT_RIDGE ? fit->ridge.good && !fit->view.rivals : fit->view.trusted;
}

/* Fit in one world: with few points along the ridge, from the tops of the posterior in the world of the
 * estimates. Where that cannot be trusted, with all settings of the whole fit. */
static asif_status fit_world(const cutting *c, uint32_t k, asif_error *error) {
    const asif_whole_fit *w = c->whole;
    one_world *one = &c->world[k];
    asif_fit_options how = w->how;
    how.sample.folder = how.sample.key = NULL;
    how.sample.keep = false;
    how.sample.seed = w->how.sample.seed + k + 1;
    how.draws_only = true;
    if (how.method == ASIF_FIT_AUTO || how.method == ASIF_FIT_RIDGE) {
        asif_fit_options few = how;
        few.method = ASIF_FIT_RIDGE;
        few.points = WORLD_POINTS;
        few.begin = c->begin;
        few.begins = c->begins;
        asif_status status = asif_fit_estimate(&one->fit, w->context, one->work, one->estimates,
                                               w->request.logs, &few, NULL, error);
        if (status != ASIF_EDOMAIN && status != ASIF_EUNSUPPORTED)
            ASIF_TRY(status);
        if (status == ASIF_OK && is_good(one->fit))
            return ASIF_OK;
        asif_fit_free(one->fit);
        one->fit = NULL;
    }
    return asif_fit_estimate(&one->fit, w->context, one->work, one->estimates, w->request.logs, &how, NULL,
                             error);
}

static asif_status fit_worlds(const cutting *c, asif_error *error) {
    asif_whole_fit *w = c->whole;
    uint64_t cells = asif_dynamics_cells(w->dynamics);
    for (uint32_t k = 0; k < c->worlds; k++) {
        if (asif_progress(w->context, "fitting in worlds drawn from the dynamics", (double)k / c->worlds))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        one_world *one = &c->world[k];
        ASIF_TRY(open_world(w, one, c->point + k * cells, error));
        ASIF_TRY(fit_world(c, k, error));
        close_world(one);
        c->fit[k] = one->fit;
        bool ridge = one->fit->view.method == ASIF_FIT_RIDGE;
        w->world.ridge += ridge;
        w->world.others += !ridge;
        w->world.rivals += one->fit->view.rivals;
        w->world.untrusted += !is_good(one->fit) && !one->fit->view.rivals;
    }
    return ASIF_OK;
}

/* ---- the pool ---- */

static asif_status draw_worlds(cutting *c, asif_error *error) {
    asif_whole_fit *w = c->whole;
    asif_dynamics_draw_options how = ASIF_DYNAMICS_DRAW_OPTIONS_INIT;
    asif_dynamics_estimate e = {.struct_size = sizeof e};
    ASIF_TRY(asif_dynamics_fit_get(w->dynamics_fit, &e, error));
    how.draws = c->worlds;
    how.warmup = WARMUP;
    how.thin = THIN;
    how.chains = c->worlds < how.chains ? c->worlds : how.chains;
    how.seed = w->how.sample.seed;
    return asif_dynamics_draw(c->point, w->dynamics, e.point, &how, &w->world.drawn, error);
}

static asif_status take_room(cutting *c, asif_error *error) {
    asif_whole_fit *w = c->whole;
    const asif_context *context = w->context;
    uint64_t n = w->fit->dimension, numbers = w->fit->view.parameters;
    c->worlds = asif_fit_request_worlds(&w->request);
    c->begins = w->fit->view.tops ? w->fit->view.tops : 1;
    c->point = ASIF_ARRAY(context, c->worlds * asif_dynamics_cells(w->dynamics), double);
    c->begin = ASIF_ARRAY(context, c->begins * n, double);
    c->world = ASIF_ARRAY(context, c->worlds, one_world);
    c->fit = asif_alloc(context, c->worlds, sizeof *c->fit);
    w->world.share = ASIF_ARRAY(context, numbers, double);
    w->world.mean = ASIF_ARRAY(context, c->worlds * numbers, double);
    w->world.before = ASIF_ARRAY(context, numbers, asif_column_summary);
    double *number = ASIF_ARRAY(context, numbers, double);
    bool room = c->point && c->begin && c->world && c->fit && w->world.share && w->world.mean &&
                w->world.before && number;
    if (room)
        memcpy(c->begin, w->fit->maximum, n * sizeof *c->begin);
    for (uint32_t t = 0; room && t < w->fit->view.tops; t++) {
        for (uint32_t i = 0; i < numbers; i++)
            number[i] = w->fit->view.top[t].parameter[i].maximum;
        asif_estimates_locate(w->estimates, number, c->begin + t * n);
    }
    for (uint32_t i = 0; room && i < numbers; i++)
        w->world.before[i] = w->fit->parameter[i].summary;
    asif_free(context, number);
    return room ? ASIF_OK : asif_fail_memory(error);
}

static void warn(asif_whole_fit *w) {
    asif_error problem = ASIF_ERROR_INIT;
    asif_fail(&problem, ASIF_OK,
              "there are rival explanations already in the world of the estimates, so the uncertainty of the "
              "dynamics was not carried through");
    asif_error_code(&problem, "world");
    asif_problems_add(w->said, ASIF_PROBLEM_WARNING, &problem);
}

/* Warn if the worlds are not nearly independent draws. */
static void warn_mixing(asif_whole_fit *w) {
    asif_error problem = ASIF_ERROR_INIT;
    if (w->world.drawn.least_ess >= w->world.worlds)
        return;
    asif_fail(&problem, ASIF_OK,
              "the %u worlds are not independent draws of the dynamics: the effective sample size of one "
              "probability is %.0f",
              w->world.worlds, w->world.drawn.least_ess);
    asif_error_hint(&problem, "state more structure: `learn shared`, or probabilities that are known");
    asif_error_code(&problem, "world");
    asif_problems_add(w->said, ASIF_PROBLEM_WARNING, &problem);
}

asif_status asif_fit_cut(asif_whole_fit *w, asif_error *error) {
    cutting c = {.whole = w};
    if (w->world.mode != ASIF_WORLD_CUT)
        return ASIF_OK;
    if (w->fit->view.rivals) {
        warn(w);
        return ASIF_OK;
    }
    asif_status status = take_room(&c, error);
    if (status == ASIF_OK)
        status = draw_worlds(&c, error);
    if (status == ASIF_OK)
        status = fit_worlds(&c, error);
    if (status == ASIF_OK)
        status = asif_fit_pool(w->fit, c.fit, c.worlds, w->world.share, w->world.mean, error);
    if (status == ASIF_OK) {
        w->world.worlds = c.worlds;
        warn_mixing(w);
    }
    free_worlds(&c);
    return status;
}
