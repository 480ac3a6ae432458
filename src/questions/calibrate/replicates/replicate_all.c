/* Runs all replicates in parallel, records them as they finish, and continues an interrupted run. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "fit/fit.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define SAVE_SEC 1.0
#define FIRST_ROUNDS 2 /* fits per thread before the remaining time is estimated */
#define MOST 1000000

/* ---- options ---- */

static asif_status check(const asif_calibrate_options *o, asif_error *error) {
    bool draws = asif_fit_method_draws(o->method);
    const struct {
        bool good;
        const char *what;
    } rule[] = {
        {o->replicates >= 1 && o->replicates <= MOST, "the number of replicates must be from 1 to 1,000,000"},
        {o->episodes >= 1, "a replicate needs at least one episode"},
        {o->people != 1, "a population needs at least 2 people"},
        {o->max_steps >= 1, "an episode needs at least one step"},
        {asif_fit_method_text(o->method) && o->method != ASIF_FIT_PUBLISHED,
         "replicates are fitted by nuts, metropolis, ridge, auto, map or ml"},
        {!draws || (o->chains >= 1 && o->draws >= 1), "a fit needs at least one chain and one draw"},
        {o->ranks == 0 || o->ranks <= o->chains * o->draws, "there are fewer draws than ranks"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (!rule[i].good)
            return asif_fail(error, ASIF_EDOMAIN, "%s", rule[i].what);
    return ASIF_OK;
}

/* ---- stated truths ---- */

static asif_status state_truth(asif_replicates *r, const asif_truth *truth, asif_error *error) {
    bool beta = strcmp(truth->name, "beta") == 0;
    const char *name = beta ? "optimism" : truth->name;
    const asif_estimate_info *info;
    uint32_t i = 0;
    for (; (info = asif_estimates_get(r->fitted->estimates, i)); i++)
        if (!info->label && strcmp(info->parameter, name) == 0)
            break;
    if (!info)
        return asif_fail(error, ASIF_EUNKNOWN, "'%s' is not estimated: it has no truth to be recovered",
                         asif_show(truth->name).text);
    double value = beta ? 1 / truth->value : truth->value;
    if (asif_is_logarithm(info))
        value = log(fabs(value));
    if (!isfinite(value) || value <= info->low || value >= info->high) {
        char number[ASIF_NUMBER_SIZE];
        asif_fail(error, ASIF_EDOMAIN,
                  "%s = %s cannot be recovered: it is at or beyond the limits of what is estimated",
                  asif_show(truth->name).text, asif_number_text(number, truth->value));
        return ASIF_EDOMAIN;
    }
    r->known[i] = value;
    return ASIF_OK;
}

/* ---- creation ---- */

static bool report(void *user, const char *what, double done) {
    asif_replicates *r = user;
    uint32_t finished = atomic_load(&r->done), all = r->to_do;
    char text[64];
    (void)what, (void)done;
    asif_format(text, sizeof text, "fitting, %u of %u done", finished, all);
    if (asif_progress(r->context, text, all ? (double)finished / all : 0))
        atomic_store(&r->stopped, ASIF_ECANCELLED);
    return atomic_load(&r->stopped) != ASIF_OK;
}

static asif_status describe_agent(asif_replicates *r, asif_error *error) {
    r->head = ASIF_KEPT_HEAD_OF_AGENT;
    while (asif_estimates_get(r->fitting, r->numbers))
        r->numbers++;
    if (!(r->quantity = asif_alloc(r->context, r->numbers, sizeof *r->quantity)))
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < r->numbers; i++) {
        const asif_estimate_info *true_info = asif_estimates_get(r->fitted->estimates, i);
        r->quantity[i] =
            (asif_replicate_quantity){true_info->name, true_info->parameter, true_info->label,
                                      true_info->prior, asif_estimates_get(r->fitting, i)->prior};
    }
    return ASIF_OK;
}

static asif_status describe_population(asif_replicates *r, asif_error *error) {
    uint32_t d = r->fitting->dimension;
    if (d > ASIF_POPULATION_MOST)
        return asif_fail(error, ASIF_EDOMAIN, "people may differ in at most %d numbers, not %u",
                         ASIF_POPULATION_MOST, (unsigned)d);
    r->head = ASIF_KEPT_HEAD_OF_PEOPLE;
    r->name = asif_alloc(r->context, ASIF_POPULATION_NUMBERS, sizeof *r->name);
    r->quantity = asif_alloc(r->context, ASIF_POPULATION_NUMBERS, sizeof *r->quantity);
    if (!r->name || !r->quantity)
        return asif_fail_memory(error);
    r->numbers = asif_people_name_plain(r->name, r->fitting, true);
    for (uint32_t i = 0; i < r->numbers; i++)
        r->quantity[i] = (asif_replicate_quantity){.name = r->name[i]};
    return ASIF_OK;
}

asif_status asif_replicates_create(asif_replicates *out, const asif_fitted *fitted,
                                   const asif_estimates *fitting, const asif_calibrate_options *options,
                                   asif_error *error) {
    asif_replicates *r = out;
    memset(r, 0, sizeof *r);
    r->fitted = fitted;
    r->context = fitted->context;
    r->options = *options;
    r->fitting = fitting ? fitting : fitted->estimates;
    atomic_flag_clear(&r->saving);
    atomic_flag_clear(&r->ended);
    atomic_flag_clear(&r->failed);
    ASIF_TRY(asif_fitted_likelihood(fitted, true, error));
    ASIF_TRY(check(&r->options, error));
    r->inner = asif_context_inside(r->context, report, r);
    ASIF_TRY(r->options.people ? describe_population(r, error) : describe_agent(r, error));
    r->width = r->head + (uint64_t)r->numbers * ASIF_KEPT_EACH;
    r->known = ASIF_ARRAY(r->context, r->numbers, double);
    if (!r->known)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < r->numbers; i++)
        r->known[i] = NAN;
    for (uint32_t i = 0; i < r->options.truths; i++)
        ASIF_TRY(state_truth(r, &r->options.truth[i], error));
    r->room = r->options.replicates;
    ASIF_TRY(asif_replicates_load(r, error)); /* may enlarge `room` */
    return asif_work_create(&r->work, &r->inner, fitted->planner, fitted->setting, fitted->solver, error);
}

void asif_replicates_free(asif_replicates *r) {
    if (r->locked)
        asif_os_lock_release(&r->lock);
    asif_work_free(r->work);
    asif_free(r->context, r->known);
    asif_free(r->context, r->quantity);
    asif_free(r->context, r->name);
    asif_free(r->context, r->row);
    asif_free(r->context, r->state);
}

/* ---- running ---- */

static void stop(asif_replicates *r, asif_status status, const asif_error *why) {
    if (atomic_flag_test_and_set(&r->ended))
        return;
    r->end = *why;
    atomic_store(&r->stopped, (int)status);
}

/* Record all finished replicates, at most once a second. Only one thread does so at a time; others go on, and
 * their replicates are recorded the next time. */
static void save_if_due(asif_replicates *r) {
    if (!r->options.folder || atomic_flag_test_and_set_explicit(&r->saving, memory_order_acquire))
        return;
    double now = asif_os_seconds();
    asif_error error = ASIF_ERROR_INIT;
    if (now - r->saved >= SAVE_SEC) {
        asif_status status = asif_replicates_save(r, &error);
        r->saved = now;
        if (status != ASIF_OK)
            stop(r, status, &error);
    }
    atomic_flag_clear_explicit(&r->saving, memory_order_release);
}

static void tell_time(const asif_replicates *r, uint32_t done) {
    uint32_t first = FIRST_ROUNDS * r->context->options.threads;
    first = first < r->to_do ? first : r->to_do;
    if (!r->options.tell || done != first)
        return;
    double passed = asif_os_seconds() - r->begun;
    r->options.tell(r->options.user, r->to_do, passed / done * (r->to_do - done));
}

static bool ends_all(asif_status status) {
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED;
}

static void make_one(asif_replicates *r, uint32_t index) {
    asif_error error = ASIF_ERROR_INIT;
    asif_replicate_maker *maker = r->options.people ? asif_replicate_make_people : asif_replicate_make;
    asif_status status = maker(r, index, &error);
    if (ends_all(status)) {
        stop(r, status, &error);
        return;
    }
    if (status != ASIF_OK && !atomic_flag_test_and_set(&r->failed))
        r->failure = error;
    atomic_store_explicit(&r->state[index], status == ASIF_OK ? ASIF_REPLICATE_DONE : ASIF_REPLICATE_FAILED,
                          memory_order_release);
    tell_time(r, atomic_fetch_add(&r->done, 1) + 1);
    save_if_due(r);
}

static void work(void *argument, uint32_t i) {
    asif_replicates *r = argument;
    (void)i;
    for (;;) {
        uint32_t index = atomic_fetch_add(&r->next, 1);
        if (index >= r->options.replicates || atomic_load(&r->stopped) != ASIF_OK)
            return;
        if (asif_replicate_is(r, index, ASIF_REPLICATE_OPEN))
            make_one(r, index);
    }
}

static asif_status none_succeeded(const asif_replicates *r, asif_error *error) {
    if (r->failure.status != ASIF_OK) {
        if (error)
            *error = r->failure;
        return r->failure.status;
    }
    return asif_fail(error, ASIF_EUNSUPPORTED, "none of the fits succeeded");
}

asif_status asif_replicates_run(asif_replicates *r, asif_error *error) {
    r->to_do = asif_replicates_count(r, ASIF_REPLICATE_OPEN);
    r->begun = r->saved = asif_os_seconds();
    uint32_t threads = r->context->options.threads;
    threads = threads < r->to_do ? threads : r->to_do;
    asif_os_parallel(threads, threads, work, r);
    if (r->options.folder && atomic_load(&r->done) > 0)
        ASIF_TRY(asif_replicates_save(r, error));
    asif_status stopped = (asif_status)atomic_load(&r->stopped);
    if (stopped == ASIF_ECANCELLED)
        return asif_fail(error, ASIF_ECANCELLED, "it was cancelled after %u of %u fits",
                         atomic_load(&r->done), r->to_do);
    if (stopped != ASIF_OK) {
        if (error)
            *error = r->end;
        return stopped;
    }
    return asif_replicates_count(r, ASIF_REPLICATE_DONE) > 0 ? ASIF_OK : none_succeeded(r, error);
}

/* ---- counts ---- */

uint32_t asif_replicates_count(const asif_replicates *r, int state) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->options.replicates; i++)
        count += asif_replicate_is(r, i, state);
    return count;
}

asif_replicates_settled asif_replicates_settle(const asif_replicates *r) {
    asif_replicates_settled out = {0, 0, 0};
    for (uint32_t i = 0; i < r->options.replicates; i++) {
        const double *row = asif_replicate_row(r, i);
        if (!asif_replicate_is(r, i, ASIF_REPLICATE_DONE))
            continue;
        out.again += row[ASIF_KEPT_RUNS] > 1;
        out.few += row[ASIF_KEPT_ESS] < asif_replicates_wanted(r);
        out.apart += row[ASIF_KEPT_RHAT] > ASIF_SETTLED_RHAT;
    }
    return out;
}
