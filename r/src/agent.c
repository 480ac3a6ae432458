/* The agent of a study: what it does, and logs of it. */
#include "asifr.h"

#include <string.h>

static const char *stop_hint(asif_stop stop) {
    return stop == ASIF_STOP_CONVERGED ? NULL : asif_stop_text(stop);
}

/* Find a label; none is named: `otherwise`. */
static asif_status find(asifr_job *job, SEXP args, const char *name, asif_label_kind kind, const char *what,
                        uint32_t otherwise, uint32_t *out) {
    const char *label = asifr_text(args, name);
    *out = otherwise;
    return label ? asif_setting_seek(out, asif_study_setting(job->study), kind, label, what, &job->error)
                 : ASIF_OK;
}

static asif_status refuse(asifr_job *job, const char *message, const char *hint) {
    snprintf(job->error.message, sizeof job->error.message, "%s", message);
    snprintf(job->error.hint, sizeof job->error.hint, "%s", hint);
    return ASIF_EDOMAIN;
}

/* The beliefs of a request, one in each column of a matrix. Where agent states begin with a place, it is that
 * of an episode's first decision. */
static asif_status set_beliefs(asifr_job *job, SEXP args, asif_plan_request *request) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(job->study));
    const asif_behavior *behavior = asif_work_behavior(job->work);
    SEXP given = asifr_item(args, "belief");
    bool placed = spec->seen > 1 || spec->horizon > 0;
    if (Rf_isNull(given))
        return ASIF_OK;
    if (asif_behavior_hidden(behavior) && !placed)
        return refuse(job, "this planner has no beliefs: what it remembers is hidden in it",
                      "a history shows what it does");
    size_t width = asif_behavior_width(behavior), states = width - placed, count = (size_t)Rf_ncols(given);
    if ((size_t)Rf_nrows(given) != states)
        return refuse(
            job, "a belief does not have one number for each hidden state",
            "give the probabilities in the study's order; several beliefs are the rows of a matrix");
    double *belief = (double *)R_alloc(count * width + width, sizeof *belief);
    asif_behavior_init(behavior, request->start, ASIF_ANY, belief + count * width);
    for (size_t i = 0; i < count; i++) {
        belief[i * width] = belief[count * width];
        memcpy(belief + i * width + placed, REAL(given) + i * states, states * sizeof *belief);
    }
    request->beliefs = count;
    request->belief = belief;
    return ASIF_OK;
}

static asif_status set_request(asifr_job *job, SEXP args, asif_plan_request *request) {
    uint32_t *action = NULL, *observation = NULL;
    asif_status status =
        find(job, args, "start", ASIF_LABEL_START, "a start class", request->start, &request->start);
    if (status == ASIF_OK)
        status = find(job, args, "first", ASIF_LABEL_STATE, "a state", ASIF_ANY, &request->first);
    if (status == ASIF_OK)
        status = set_beliefs(job, args, request);
    if (status != ASIF_OK)
        return status;
    request->occupancy = asifr_true(args, "occupancy");
    status =
        asif_setting_read_history(&action, &observation, &request->events, job->context,
                                  asif_study_setting(job->study), asifr_text(args, "history"), &job->error);
    job->memory[0] = action;
    job->memory[1] = observation;
    request->action = action;
    request->observation = observation;
    return status;
}

static asif_status report_plan(asifr_job *job, SEXP args, const asif_plan_info *info,
                               const asif_plan_request *request) {
    for (uint32_t json = 0; json < 2; json++) {
        asif_report_options report = asifr_report_options(args, json);
        asif_status status = asif_report_plan(&job->text[json], job->context, job->study, job->work,
                                              job->theta, info, request, &report, &job->error);
        if (status != ASIF_OK)
            return status;
    }
    return ASIF_OK;
}

asif_status asifr_plan(asifr_job *job, SEXP args) {
    static const char *const names[] = {"text", "json", "stopped"};
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    asif_plan_info info;
    asif_status status = asifr_load_study(job, args, false);
    if (status == ASIF_OK)
        status = asifr_solve(job, args, &info);
    if (status == ASIF_OK)
        status = set_request(job, args, &request);
    if (status == ASIF_OK)
        status = report_plan(job, args, &info, &request);
    if (status != ASIF_OK)
        return status;
    SEXP out = asifr_give(job, asifr_list(3, names));
    SET_VECTOR_ELT(out, 0, asifr_string(job->text[0]));
    SET_VECTOR_ELT(out, 1, asifr_string(job->text[1]));
    SET_VECTOR_ELT(out, 2, asifr_string(stop_hint(info.stop)));
    return ASIF_OK;
}

/* ---- simulation ---- */

static asif_status put(void *user, const char *data, uint64_t length) {
    asifr_job *job = user;
    return asif_output_write(job->output, data, length, &job->error);
}

static asif_status write_logs(asifr_job *job, SEXP args, asif_simulated *made) {
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = (uint64_t)asifr_number(args, "episodes", 1);
    options.seed = (uint64_t)asifr_number(args, "seed", 0);
    options.max_steps = (uint32_t)asifr_number(args, "max_steps", options.max_steps);
    bool weighted = asif_setting_get(asif_study_setting(job->study))->start_weights != NULL;
    asif_status status =
        find(job, args, "start", ASIF_LABEL_START, "a start class", weighted ? ASIF_ANY : 0, &options.start);
    if (status == ASIF_OK)
        status = asif_output_open(&job->output, job->context, asifr_text(args, "file"), NULL, &job->error);
    if (status == ASIF_OK)
        status = asif_simulate_csv(asif_work_behavior(job->work), &options, put, job, made, &job->error);
    if (status != ASIF_OK)
        return status;
    status = asif_output_close(job->output, true, &job->error);
    job->output = NULL;
    return status;
}

/* Write a table of simulated logs. The value is how many episodes were cut. */
asif_status asifr_simulate(asifr_job *job, SEXP args) {
    asif_simulated made = {0};
    asif_plan_info info;
    asif_status status = asifr_load_study(job, args, false);
    if (status == ASIF_OK)
        status = asifr_solve(job, args, &info);
    if (status == ASIF_OK)
        status = write_logs(job, args, &made);
    if (status == ASIF_OK)
        asifr_give(job, Rf_ScalarReal((double)made.cut));
    return status;
}
