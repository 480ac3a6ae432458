/* Simulates many decision-makers, each with parameters of their own. */
#include "asif/people.h"

#include "base/context.h"
#include "base/data/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "behavior/log_text.h"
#include "planners/planner.h"
#include "theta/estimates.h"
#include "theta/theta.h"

#include <string.h>

#define PIECE 65536 /* bytes of logs or parameters that are handed over together */

typedef struct {
    const asif_context *context;
    const asif_estimates *estimates;
    asif_work *work;
    asif_theta *theta;
    double *x, *number; /* [dimension], [reported]: of one person */
    asif_log_text log;
    asif_text numbers;
} crowd;

static asif_status take(void *user, const asif_decision *decision) {
    asif_log_text *log = user;
    asif_log_text_add(log, decision);
    return log->text.failed ? ASIF_ENOMEM : ASIF_OK;
}

/* ---- the parameters ---- */

static void add_names(crowd *c) {
    uint32_t count = c->estimates->reported;
    asif_csv_field(&c->numbers, "subject", count == 0);
    for (uint32_t i = 0; i < count; i++)
        asif_csv_field(&c->numbers, asif_estimates_get(c->estimates, i)->name, i + 1 == count);
}

static void add_numbers(crowd *c, uint64_t person) {
    uint32_t count = c->estimates->reported;
    asif_csv_count(&c->numbers, person + 1, count == 0);
    for (uint32_t i = 0; i < count; i++)
        asif_csv_number(&c->numbers, c->number[i], i + 1 == count);
}

/* ---- one person ---- */

static asif_status simulate_person(crowd *c, uint64_t person, const asif_simulate_options *options,
                                   asif_error *error) {
    asif_simulate_options o = *options;
    asif_plan_info info;
    asif_estimates_draw(c->estimates, o.seed, person, c->x);
    asif_estimates_report(c->estimates, c->x, c->number);
    ASIF_TRY(asif_estimates_theta(c->estimates, c->x, c->theta, error));
    asif_work_forget(c->work); /* what a person does must not depend on who came before */
    ASIF_TRY(asif_solve(c->work, c->theta, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "an agent that was drawn has no finite values");
    ASIF_TRY(asif_plan_judge(&info, error));
    o.first_episode += person * o.episodes;
    c->log.subject = person + 1;
    add_numbers(c, person);
    return asif_simulate_as(asif_work_behavior(c->work), &o, NULL, take, &c->log, error);
}

/* ---- all of them ---- */

/* Hand over text that is longer than `least`. */
static asif_status hand_over(asif_text *text, uint64_t least, asif_take_text *write, void *user,
                             asif_error *error) {
    if (text->failed)
        return asif_fail_memory(error);
    if (text->length <= least)
        return ASIF_OK;
    asif_status status = write ? write(user, text->data, text->length) : ASIF_OK;
    text->length = 0;
    return status == ASIF_OK
               ? ASIF_OK
               : asif_fail(error, status, "the logs could not be written: %s", asif_status_text(status));
}

static asif_status open_crowd(crowd *c, const asif_work *work, asif_error *error) {
    ASIF_TRY(asif_work_clone(&c->work, work, error));
    ASIF_TRY(asif_theta_create(&c->theta, c->context, asif_work_setting(work), error));
    c->x = ASIF_ARRAY(c->context, c->estimates->dimension, double);
    c->number = ASIF_ARRAY(c->context, c->estimates->reported, double);
    return c->x && c->number ? ASIF_OK : asif_fail_memory(error);
}

static void close_crowd(crowd *c) {
    asif_work_free(c->work);
    asif_theta_free(c->theta);
    asif_free(c->context, c->x);
    asif_free(c->context, c->number);
    asif_text_free(&c->log.text);
    asif_text_free(&c->numbers);
}

asif_status asif_simulate_people_csv(const asif_work *work, const asif_estimates *estimates, uint64_t people,
                                     const asif_simulate_options *options, asif_take_text *write, void *user,
                                     asif_take_text *truth, void *truth_user, asif_simulated *simulated,
                                     asif_error *error) {
    asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
    const asif_context *context = estimates->context;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return asif_fail(error, ASIF_EDOMAIN, "simulation options have an unknown size");
        memcpy(&o, options, options->struct_size);
    }
    crowd c = {.context = context,
               .estimates = estimates,
               .log = {.setting = asif_work_setting(work), .text = {.context = context}},
               .numbers = {.context = context}};
    asif_status status = open_crowd(&c, work, error);
    asif_log_text_head(&c.log, true);
    add_names(&c);
    for (uint64_t person = 0; person < people && status == ASIF_OK; person++) {
        if (asif_progress(context, "simulating", (double)person / (double)people))
            status = asif_fail(error, ASIF_ECANCELLED, "the simulation was cancelled");
        if (status == ASIF_OK)
            status = simulate_person(&c, person, &o, error);
        if (status == ASIF_OK)
            status = hand_over(&c.log.text, PIECE, write, user, error);
        if (status == ASIF_OK)
            status = hand_over(&c.numbers, PIECE, truth, truth_user, error);
    }
    if (status == ASIF_OK)
        status = hand_over(&c.log.text, 0, write, user, error);
    if (status == ASIF_OK)
        status = hand_over(&c.numbers, 0, truth, truth_user, error);
    if (simulated)
        *simulated = c.log.so_far;
    close_crowd(&c);
    return status;
}
