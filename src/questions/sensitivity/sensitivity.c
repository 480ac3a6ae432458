/* Refits along each assumption: from the assumed value outwards, then again from the maxima of neighbours
 * until none improves. */
#include "questions/sensitivity/sensitivity.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define ROUNDS 5 /* most rounds of trying the maxima of neighbours */
#define MOST_POINTS 1000
#define NORMAL_Q95 1.6448536269514722

typedef struct {
    asif_given_variation vary;
    uint32_t first, points, given; /* among all points: the first one, their number, the assumed one */
} along;

/* The state of a run. */
typedef struct {
    asif_sensitivity *s;
    const asif_fitted *fitted;
    asif_sensitivity_options options;
    asif_refitting refitting;
    asif_context context; /* context for one thread, with the caller's progress */
    uint32_t variations, points;
    along *along;      /* [variations] */
    asif_refit *refit; /* [points]; those at assumed values are not used */
    asif_refit base;
    double *x;      /* [points + 1][numbers]: maxima; the base is last */
    double *from;   /* [points + 1][numbers]: maxima before a round */
    double *factor; /* [n][n]: factor of the covariance at the base */
    bool *gained;   /* [points + 1]: which improved in the last round; the base is last */
    bool *gains;    /* the same for this round */
    bool first_round;
    atomic_bool stop;
    atomic_uint done;
    uint32_t jobs;
    asif_status *status; /* [jobs] */
    asif_error *error;
} run;

/* ---- the context of one thread ---- */

static bool progress(void *user, const char *what, double done) {
    run *r = user;
    (void)what;
    (void)done;
    double part = r->jobs ? fmin(1, atomic_load(&r->done) / (double)r->jobs) : 0;
    return asif_progress(r->fitted->context, "refitting under other assumptions", part) ||
           atomic_load(&r->stop);
}

/* ---- jobs ---- */

/* Run jobs in parallel; returns the error of the first one that failed. */
static asif_status side_by_side(run *r, uint32_t jobs, void (*job)(void *, uint32_t), asif_error *error) {
    for (uint32_t i = 0; i < jobs; i++)
        r->status[i] = ASIF_OK;
    asif_os_parallel(r->fitted->context->options.threads, jobs, job, r);
    for (uint32_t i = 0; i < jobs; i++)
        if (r->status[i] != ASIF_OK) {
            if (error)
                *error = r->error[i];
            return r->status[i];
        }
    return ASIF_OK;
}

static const along *along_of(const run *r, uint32_t point) {
    uint32_t v = 0;
    while (point >= r->along[v].first + r->along[v].points)
        v++;
    return &r->along[v];
}

static bool is_given(const run *r, uint32_t point) {
    return along_of(r, point)->given == point;
}

/* The refit of a point; at the assumed value, that of the base. */
static asif_refit *refit_of(run *r, uint32_t point) {
    return is_given(r, point) ? &r->base : &r->refit[point];
}

/* Index of a point in `from` and `gained`. */
static uint32_t slot_of(const run *r, uint32_t point) {
    return is_given(r, point) ? r->points : point;
}

/* ---- outwards ---- */

/* Job: refit one side of one variation, each point from the one before it and from the base. */
static void walk_out(void *argument, uint32_t job) {
    run *r = argument;
    const along *a = &r->along[job / 2];
    uint32_t numbers = r->refitting.numbers;
    int64_t step = job % 2 ? 1 : -1, last = a->given, before_last = ASIF_ANY;
    double *from = ASIF_ARRAY(r->fitted->context, 3 * (uint64_t)numbers, double);
    if (!from)
        r->status[job] = asif_fail_memory(&r->error[job]);
    for (int64_t i = last + step;
         r->status[job] == ASIF_OK && i >= a->first && i < (int64_t)a->first + a->points; i += step) {
        const asif_refit *before = refit_of(r, (uint32_t)last);
        bool second = before->found && before != &r->base;
        bool third = second && last == i - step && before_last == last - step;
        memcpy(from, r->base.x, numbers * sizeof *from);
        if (second)
            memcpy(from + numbers, before->x, numbers * sizeof *from);
        if (third)
            memcpy(from + 2 * numbers, refit_of(r, (uint32_t)before_last)->x, numbers * sizeof *from);
        r->status[job] = asif_refit_seek(&r->refit[i], &r->refitting, from, 1u + second + third,
                                         r->options.brief, &r->error[job]);
        if (r->refit[i].found) {
            before_last = last;
            last = i;
        }
        atomic_fetch_add(&r->done, 1);
    }
    if (r->status[job] != ASIF_OK)
        atomic_store(&r->stop, true);
    asif_free(r->fitted->context, from);
}

static asif_status find_base(run *r, asif_error *error) {
    const asif_fitted *f = r->fitted;
    uint32_t known = f->maximum != NULL;
    r->base.value = NAN;
    ASIF_TRY(asif_refit_seek(&r->base, &r->refitting, f->maximum, known, r->options.brief && known, error));
    if (!r->base.found) {
        if (error)
            *error = r->base.why;
        return r->base.why.status;
    }
    asif_status status = asif_refit_factor(r->factor, &r->base, &r->refitting, error);
    if (status == ASIF_OK)
        r->refitting.factor = r->factor;
    /* Without the factor, the scales of the priors are used. */
    return asif_refit_impossible(status) ? ASIF_OK : status;
}

/* ---- between neighbours ---- */

/* Try the maximum of one neighbour, unless this point has been tried from it before. */
static asif_status try_neighbour(run *r, uint32_t job, uint32_t point, uint32_t neighbour,
                                 asif_error *error) {
    asif_refit *refit = job == r->points ? &r->base : &r->refit[point];
    const along *a = along_of(r, point);
    bool outer = (neighbour > point) == (point >= a->given) || point == a->given;
    uint32_t slot = slot_of(r, neighbour);
    bool better = false;
    if (!refit_of(r, neighbour)->found || !(r->first_round ? outer : r->gained[slot]))
        return ASIF_OK;
    ASIF_TRY(asif_refit_improve(refit, &r->refitting, r->from + (uint64_t)slot * r->refitting.numbers,
                                &better, error));
    r->gains[job] |= better;
    return ASIF_OK;
}

static asif_status try_neighbours(run *r, uint32_t job, uint32_t point, asif_error *error) {
    const along *a = along_of(r, point);
    if (point > a->first)
        ASIF_TRY(try_neighbour(r, job, point, point - 1, error));
    if (point + 1 < a->first + a->points)
        ASIF_TRY(try_neighbour(r, job, point, point + 1, error));
    return ASIF_OK;
}

/* Job: improve a point or, as the last job, the base with its neighbours in all variations. */
static void improve(void *argument, uint32_t job) {
    run *r = argument;
    if (job < r->points) {
        if (!is_given(r, job) && r->refit[job].found)
            r->status[job] = try_neighbours(r, job, job, &r->error[job]);
    } else {
        for (uint32_t v = 0; v < r->variations && r->status[job] == ASIF_OK; v++)
            r->status[job] = try_neighbours(r, job, r->along[v].given, &r->error[job]);
    }
    atomic_fetch_add(&r->done, 1);
    if (r->status[job] != ASIF_OK)
        atomic_store(&r->stop, true);
}

static asif_status compare_neighbours(run *r, asif_error *error) {
    bool any = true;
    for (uint32_t round = 0; any && round < ROUNDS; round++) {
        r->first_round = round == 0;
        memcpy(r->from, r->x, (r->points + 1) * (uint64_t)r->refitting.numbers * sizeof *r->from);
        memset(r->gains, 0, (r->points + 1) * sizeof *r->gains);
        ASIF_TRY(side_by_side(r, r->points + 1, improve, error));
        memcpy(r->gained, r->gains, (r->points + 1) * sizeof *r->gains);
        any = false;
        for (uint32_t i = 0; i <= r->points; i++)
            any |= r->gained[i];
    }
    return ASIF_OK;
}

/* ---- the ends, and the results ---- */

/* Job: draw the posterior at one end of a variation. */
static void draw_end(void *argument, uint32_t job) {
    run *r = argument;
    asif_sensitivity *s = r->s;
    const along *a = &r->along[job / 2];
    uint32_t i = job % 2 ? a->first + a->points - 1 : a->first;
    if (i != a->given && r->refit[i].found)
        r->status[job] = asif_refit_draw(&r->refit[i], &r->refitting, &s->point[i],
                                         s->number + (uint64_t)i * r->refitting.numbers, &r->error[job]);
    atomic_fetch_add(&r->done, 1);
    if (r->status[job] != ASIF_OK)
        atomic_store(&r->stop, true);
}

/* Job: describe a point; those at assumed values are the base. */
static void describe(void *argument, uint32_t i) {
    run *r = argument;
    asif_sensitivity *s = r->s;
    bool curvature = !r->options.brief || (is_given(r, i) && !r->fitted->draws);
    asif_refit refit = *refit_of(r, i);
    refit.value = is_given(r, i) ? along_of(r, i)->vary.given : refit.value;
    r->status[i] =
        asif_refit_describe(&refit, &r->refitting, &s->point[i],
                            s->number + (uint64_t)i * r->refitting.numbers, curvature, &r->error[i]);
    s->point[i].given = is_given(r, i);
    atomic_fetch_add(&r->done, 1);
    if (r->status[i] != ASIF_OK)
        atomic_store(&r->stop, true);
}

static asif_status say_why(run *r, asif_error *error) {
    for (uint32_t i = 0; i < r->points; i++) {
        if (refit_of(r, i)->found)
            continue;
        char **text = &r->s->text[r->variations + i];
        *text = asif_strdup(r->fitted->context, r->refit[i].why.message);
        if (!*text)
            return asif_fail_memory(error);
        r->s->point[i].why = *text;
    }
    return ASIF_OK;
}

/* Compute standard deviations and signs of the posterior at the assumed values. */
static asif_status describe_base(run *r, asif_error *error) {
    const asif_fitted *f = r->fitted;
    asif_sensitivity *s = r->s;
    const asif_sensitivity_point *base = &s->point[r->along[0].given];
    asif_draws_view view = {.struct_size = sizeof view};
    if (f->draws)
        ASIF_TRY(asif_draws_get(f->draws, &view, error));
    for (uint32_t i = 0; i < s->view.numbers; i++) {
        asif_sensitivity_statement *k = &s->statement[i];
        const asif_estimate_info *info = asif_estimates_get(s->estimates, i);
        *k = (asif_sensitivity_statement){.name = info->name,
                                          .parameter = info->parameter,
                                          .label = info->label,
                                          .maximum = base->number[i].maximum,
                                          .sd = base->number[i].sd};
        asif_fit_parameter told = {.info = info};
        if (f->draws) {
            asif_column_summary summary;
            ASIF_TRY(asif_summarise(&summary, f->context, view.value + i * view.chains * view.draws,
                                    view.chains, view.draws, error));
            k->sd = summary.sd;
            told.summary = summary;
        } else {
            double away = NORMAL_Q95 * k->sd;
            told.summary.q05 = k->maximum - away;
            told.summary.q95 = k->maximum + away;
        }
        asif_verdict_signs(&told, 1);
        k->sign = told.sign;
        k->q05 = told.summary.q05;
        k->q95 = told.summary.q95;
    }
    s->view.log_likelihood = base->log_likelihood;
    s->view.log_posterior = base->log_posterior;
    return ASIF_OK;
}

/* ---- values to try ---- */

static asif_status count_usual(run *r, asif_error *error) {
    asif_given_variation vary;
    while (asif_given_variation_usual(&vary, r->fitted, r->options.brief, r->variations))
        r->variations++;
    if (r->variations)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "nothing was given that could be varied");
    asif_error_hint(error, "utilities that the study names, the discount and several worlds can be");
    return ASIF_EINVALID;
}

/* Compute the values of a variation, and find the assumed one among them. */
static asif_status lay_out(run *r, uint32_t v, double *value, asif_error *error) {
    along *a = &r->along[v];
    const asif_sensitivity_range *range = r->options.range ? &r->options.range[v] : NULL;
    double from = range ? range->from : NAN, to = range ? range->to : NAN;
    if (range)
        ASIF_TRY(asif_given_variation_find(&a->vary, r->fitted, range->name, error));
    else
        asif_given_variation_usual(&a->vary, r->fitted, r->options.brief, v);
    if (r->options.brief) {
        a->points = asif_given_variation_few(&a->vary, value);
    } else {
        ASIF_TRY(asif_given_variation_range(&a->vary, &from, &to, error));
        a->points = asif_given_variation_values(&a->vary, from, to, r->options.points, value);
    }
    for (uint32_t i = 0; i < a->points; i++)
        if (value[i] == a->vary.given)
            a->given = i;
    return ASIF_OK;
}

static asif_status lay_out_all(run *r, double **value, asif_error *error) {
    uint32_t most =
        (r->options.points > ASIF_GIVEN_VARIATION_BRIEF ? r->options.points : ASIF_GIVEN_VARIATION_BRIEF) + 1;
    *value = ASIF_ARRAY(r->fitted->context, (uint64_t)r->variations * most, double);
    if (!*value)
        return asif_fail_memory(error);
    for (uint32_t v = 0; v < r->variations; v++) {
        along *a = &r->along[v];
        ASIF_TRY(lay_out(r, v, *value + r->points, error));
        if (!isfinite(a->vary.given)) {
            asif_fail(error, ASIF_EINVALID, "%.60s was given as a limit, not as a finite number",
                      a->vary.name);
            asif_error_hint(error, strcmp(a->vary.name, "beta") == 0 ? "vary optimism, which is 1/beta"
                                                                     : "fit again with a number");
            return ASIF_EINVALID;
        }
        a->first = r->points;
        a->given += a->first;
        r->points += a->points;
    }
    return ASIF_OK;
}

/* ---- creation ---- */

static asif_status make_result(run *r, const double *value, asif_error *error) {
    const asif_context *c = r->fitted->context;
    asif_sensitivity *s = r->s;
    uint64_t numbers = r->refitting.numbers;
    s->points = r->points;
    s->text = ASIF_ARRAY(c, (uint64_t)r->variations + r->points, char *);
    s->statement = ASIF_ARRAY(c, numbers, asif_sensitivity_statement);
    s->variation = ASIF_ARRAY(c, r->variations, asif_sensitivity_variation);
    s->point = ASIF_ARRAY(c, r->points, asif_sensitivity_point);
    s->number = ASIF_ARRAY(c, r->points * numbers, asif_sensitivity_number);
    s->effect = ASIF_ARRAY(c, r->variations * numbers, asif_sensitivity_effect);
    r->refit = ASIF_ARRAY(c, r->points, asif_refit);
    uint64_t n = asif_estimates_dimension(r->fitted->estimates);
    r->x = ASIF_ARRAY(c, 2 * (r->points + 1) * numbers + n * n, double);
    r->gained = ASIF_ARRAY(c, 2 * ((uint64_t)r->points + 1), bool);
    uint32_t most_jobs = 2 * r->variations > r->points + 1 ? 2 * r->variations : r->points + 1;
    r->status = ASIF_ARRAY(c, most_jobs, asif_status);
    r->error = ASIF_ARRAY(c, most_jobs, asif_error);
    if (!s->text || !s->statement || !s->variation || !s->point || !s->number || !s->effect || !r->refit ||
        !r->x || !r->gained || !r->status || !r->error)
        return asif_fail_memory(error);
    s->view.variations = r->variations;
    r->from = r->x + (r->points + 1) * numbers;
    r->factor = r->from + (r->points + 1) * numbers;
    r->gains = r->gained + r->points + 1;
    r->base.x = r->x + r->points * numbers;
    for (uint32_t v = 0; v < r->variations; v++) {
        const along *a = &r->along[v];
        s->text[v] = asif_strdup(c, a->vary.name);
        if (!s->text[v])
            return asif_fail_memory(error);
        s->variation[v] = (asif_sensitivity_variation){.name = s->text[v],
                                                       .given = a->vary.given,
                                                       .bound = a->vary.bound && !a->vary.unit,
                                                       .points = a->points,
                                                       .point = s->point + a->first,
                                                       .effect = s->effect + v * numbers};
        for (uint32_t i = a->first; i < a->first + a->points; i++)
            r->refit[i] = (asif_refit){.vary = &a->vary, .value = value[i], .x = r->x + i * numbers};
    }
    return ASIF_OK;
}

/* Make the estimates; their numbers and priors must be those of the fit, which the published method's are
 * not. */
static asif_status make_estimates(run *r, asif_error *error) {
    const asif_fitted *f = r->fitted;
    const asif_estimate_info *ours = NULL, *theirs = NULL;
    ASIF_TRY(asif_estimates_make(&r->s->estimates, f->context, f->given, f->spec, f->specs,
                                 ASIF_PRIORS_STATED, asif_estimates_spread(f->estimates), NULL, error));
    uint32_t i = 0;
    do {
        ours = asif_estimates_get(r->s->estimates, i);
        theirs = asif_estimates_get(f->estimates, i);
        i++;
    } while (ours && theirs && strcmp(ours->name, theirs->name) == 0 &&
             strcmp(ours->prior, theirs->prior) == 0);
    r->refitting.numbers = r->s->view.numbers = i - 1;
    if (!ours && !theirs)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "a fit by the published method has no posterior to refit");
    asif_error_hint(error, "fit with --method nuts, metropolis or map");
    return ASIF_EUNSUPPORTED;
}

static asif_status make(run *r, double **value, asif_error *error) {
    const asif_context *c = r->fitted->context;
    ASIF_TRY(make_estimates(r, error));
    if (r->options.range)
        r->variations = r->options.ranges;
    else
        ASIF_TRY(count_usual(r, error));
    r->along = ASIF_ARRAY(c, r->variations, along);
    if (!r->along)
        return asif_fail_memory(error);
    ASIF_TRY(lay_out_all(r, value, error));
    ASIF_TRY(make_result(r, *value, error));
    bool draws = !r->options.brief && r->options.draws > 0;
    r->jobs = 3 * r->points + (draws ? 2 * r->variations : 0);
    ASIF_TRY(find_base(r, error));
    ASIF_TRY(side_by_side(r, 2 * r->variations, walk_out, error));
    ASIF_TRY(compare_neighbours(r, error));
    if (draws)
        ASIF_TRY(side_by_side(r, 2 * r->variations, draw_end, error));
    ASIF_TRY(side_by_side(r, r->points, describe, error));
    ASIF_TRY(say_why(r, error));
    ASIF_TRY(describe_base(r, error));
    asif_sensitivity_judge(r->s);
    return ASIF_OK;
}

static asif_status fill_options(asif_sensitivity_options *out, const asif_sensitivity_options *options,
                                asif_error *error) {
    *out = (asif_sensitivity_options)ASIF_SENSITIVITY_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof *out)
            return asif_fail(error, ASIF_EDOMAIN, "sensitivity options have an unknown size");
        memcpy(out, options, options->struct_size);
    }
    if (out->brief || out->ranges == 0)
        out->range = NULL;
    if (out->points < 2 || out->points > MOST_POINTS)
        return asif_fail(error, ASIF_EDOMAIN, "a variation takes from 2 to %d points, not %u", MOST_POINTS,
                         out->points);
    if (!(out->nats >= 0))
        return asif_fail(error, ASIF_EDOMAIN, "the limit in nats must be at least 0");
    if (out->draws > 0 && out->chains == 0)
        return asif_fail(error, ASIF_EDOMAIN, "draws need at least one chain");
    return ASIF_OK;
}

static asif_status keep_group(asif_sensitivity *s, const asif_sensitivity_options *o, asif_error *error) {
    if (!o->by || !o->value)
        return ASIF_OK;
    s->by = asif_strdup(s->context, o->by);
    s->value = asif_strdup(s->context, o->value);
    return s->by && s->value ? ASIF_OK : asif_fail_memory(error);
}

asif_status asif_sensitivity_run(asif_sensitivity **out, const asif_fitted *fitted,
                                 const asif_sensitivity_options *options, asif_error *error) {
    run r = {.fitted = fitted};
    double *value = NULL;
    *out = NULL;
    ASIF_TRY(fill_options(&r.options, options, error));
    ASIF_TRY(asif_fitted_likelihood(fitted, false, error));
    if (!fitted->tree)
        return asif_fail(error, ASIF_EUNSET, "there are no logs to refit");
    r.s = ASIF_NEW(fitted->context, asif_sensitivity);
    if (!r.s)
        return asif_fail_memory(error);
    atomic_init(&r.stop, false);
    atomic_init(&r.done, 0);
    r.s->context = fitted->context;
    r.s->view = (asif_sensitivity_view){
        .struct_size = sizeof r.s->view, .brief = r.options.brief, .limit = r.options.nats};
    r.context = asif_context_inside(r.fitted->context, progress, &r);
    r.refitting = (asif_refitting){.fitted = fitted, .options = &r.options, .context = &r.context};
    asif_status status = keep_group(r.s, &r.options, error);
    if (status == ASIF_OK)
        status = make(&r, &value, error);
    r.s->view.by = r.s->by;
    r.s->view.value = r.s->value;
    r.s->view.statement = r.s->statement;
    r.s->view.variation = r.s->variation;
    void *const arrays[] = {value, r.along, r.refit, r.x, r.gained, r.status, r.error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(fitted->context, arrays[i]);
    if (status != ASIF_OK) {
        asif_sensitivity_free(r.s);
        return status;
    }
    *out = r.s;
    return ASIF_OK;
}

void asif_sensitivity_free(asif_sensitivity *s) {
    if (!s)
        return;
    for (uint64_t i = 0; s->text && i < (uint64_t)s->view.variations + s->points; i++)
        asif_free(s->context, s->text[i]);
    void *const arrays[] = {s->text,   s->statement, s->variation, s->point,
                            s->number, s->effect,    s->by,        s->value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(s->context, arrays[i]);
    asif_estimates_free(s->estimates);
    asif_free(s->context, s);
}

asif_status asif_sensitivity_get(const asif_sensitivity *sensitivity, asif_sensitivity_view *view,
                                 asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &sensitivity->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
