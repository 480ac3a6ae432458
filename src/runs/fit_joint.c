/* Agent and dynamics drawn together: chains over the numbers of both, from the maximum of their posterior. */
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/random.h"
#include "fit/fit.h"
#include "inverse/joint.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define PRIOR 1.0 /* of asif_dynamics_learn() */
/* Of NUTS, unless another is asked for. The density has kinks where a belief passes from one cell of the
 * lattice to the next, and steps that are hardly ever refused are tiny: with .95 a draw took five times as
 * long. */
#define ACCEPT .8
#define LOGIT_SCALE 0.2 /* a natural step of a logit, to begin with */

typedef struct {
    asif_whole_fit *whole;
    uint32_t chains, n;
    asif_joint **joint;    /* [chains] */
    asif_density *density; /* [chains] */
    double *x, *scale;     /* [n] */
    double *covariance;    /* [n][n], and room for as much */
    double *start;         /* [chains][n] */
    asif_draws *draws;
} drawing;

static asif_status open_joints(drawing *d, asif_error *error) {
    asif_whole_fit *w = d->whole;
    asif_dynamics_estimate e = {.struct_size = sizeof e};
    ASIF_TRY(asif_dynamics_fit_get(w->dynamics_fit, &e, error));
    const asif_joint_request request = {.dynamics = w->dynamics,
                                        .point = e.point,
                                        .prior = PRIOR,
                                        .planner = asif_study_planner(w->learnt),
                                        .solver = &w->solver,
                                        .setting = asif_study_setting(w->learnt),
                                        .estimates = w->estimates,
                                        .tree = w->request.logs};
    for (uint32_t k = 0; k < d->chains; k++) {
        ASIF_TRY(asif_joint_create(&d->joint[k], w->context, &request, error));
        d->density[k] = *asif_joint_density(d->joint[k]);
    }
    uint64_t n = d->n = d->density[0].dimension;
    d->x = ASIF_ARRAY(w->context, 3 * n + 2 * n * n + d->chains * n, double);
    if (!d->x)
        return asif_fail_memory(error);
    d->scale = d->x + n;
    d->covariance = d->scale + n;
    d->start = d->covariance + 2 * n * n;
    asif_estimates_scale(w->estimates, d->scale);
    for (uint64_t i = asif_estimates_dimension(w->estimates); i < n; i++)
        d->scale[i] = LOGIT_SCALE;
    asif_joint_locate(d->joint[0], w->fit->maximum, e.point, d->start);
    return ASIF_OK;
}

/* Find the maximum and the curvature there, and place the chains around it. */
static asif_status place(drawing *d, asif_error *error) {
    asif_whole_fit *w = d->whole;
    uint64_t n = d->n;
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    double *factor = d->covariance + n * n, *away = d->start + d->chains * n;
    options.start = d->start;
    options.scale = d->scale;
    options.no_polish = options.no_expeditions = true;
    ASIF_TRY(asif_maximise(d->x, w->context, d->density, 1, &options, NULL, error));
    ASIF_TRY(asif_curvature(factor, d->covariance, NULL, w->context, d->density, d->x, d->scale, error));
    memcpy(factor, d->covariance, n * n * sizeof *factor);
    if (!asif_cholesky(factor, d->n))
        return asif_fail(error, ASIF_EDOMAIN, "the curvature of agent and dynamics cannot be computed");
    for (uint32_t k = 0; k < d->chains; k++) {
        asif_stream stream = {w->how.sample.seed, ASIF_FOR_CHAINS, k};
        double *start = d->start + k * n;
        for (uint32_t i = 0; i < n; i++)
            start[i] = asif_normal(&stream, i);
        asif_lower_times(factor, d->n, start, away);
        for (uint32_t i = 0; i < n; i++)
            start[i] = d->x[i] + away[i];
    }
    return ASIF_OK;
}

static asif_status draw(drawing *d, asif_error *error) {
    asif_whole_fit *w = d->whole;
    const asif_sample_options usual = ASIF_SAMPLE_OPTIONS_INIT;
    asif_sample_options options = w->how.sample;
    options.method = ASIF_METHOD_NUTS;
    options.folder = options.key = NULL;
    options.keep = false;
    options.start = d->start;
    options.metric = d->covariance;
    options.guess = NULL;
    options.guesses = 0;
    options.settled = true; /* windows of the warm-up are too short for so many numbers */
    if (options.target_accept == usual.target_accept)
        options.target_accept = ACCEPT;
    return asif_sample(&d->draws, w->context, d->density, &options, error);
}

/* Put the draws in the place of those in the world of the estimates. */
static asif_status put(drawing *d, asif_error *error) {
    asif_whole_fit *w = d->whole;
    uint32_t numbers = w->fit->view.parameters;
    asif_fit part = {.context = w->context, .draws = d->draws};
    asif_fit *const parts[] = {&part};
    w->world.share = ASIF_ARRAY(w->context, numbers, double);
    w->world.mean = ASIF_ARRAY(w->context, numbers, double);
    asif_column_summary *before = ASIF_ARRAY(w->context, numbers, asif_column_summary);
    asif_status status = w->world.share && w->world.mean && before ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t i = 0; status == ASIF_OK && i < numbers; i++)
        before[i] = w->fit->parameter[i].summary;
    w->world.before = before;
    if (status == ASIF_OK)
        status = asif_fit_pool(w->fit, parts, 1, w->world.share, w->world.mean, error);
    if (status == ASIF_OK) {
        w->fit->view.method = w->fit->view.requested = ASIF_FIT_NUTS;
        w->fit->warmup = w->how.sample.warmup;
    }
    return status;
}

asif_status asif_fit_joint(asif_whole_fit *w, asif_error *error) {
    drawing d = {.whole = w, .chains = w->how.sample.chains};
    if (w->world.mode != ASIF_WORLD_JOINT)
        return ASIF_OK;
    d.joint = asif_alloc(w->context, d.chains, sizeof *d.joint);
    d.density = ASIF_ARRAY(w->context, d.chains, asif_density);
    asif_status status = d.joint && d.density ? open_joints(&d, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = place(&d, error);
    if (status == ASIF_OK)
        status = draw(&d, error);
    if (status == ASIF_OK)
        status = put(&d, error);
    asif_draws_free(d.draws);
    for (uint32_t k = 0; d.joint && k < d.chains; k++)
        asif_joint_free(d.joint[k]);
    asif_free(w->context, d.joint);
    asif_free(w->context, d.density);
    asif_free(w->context, d.x);
    return status;
}
