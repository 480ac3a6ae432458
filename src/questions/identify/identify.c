/* Identification: fits an agent to logs, or to the logs that a stated agent would leave, and compares rivals
 * with it on many more simulated logs. */
#include "questions/identify/identify.h"

#include "acting/simulated.h"
#include "base/error.h"
#include "base/memory.h"
#include "checks/predictive_checks.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "questions/identify/rival.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define CHECKED_EPISODES 250000 /* most episodes that predictive checks simulate */
#define STEPS 1000              /* longest simulated log, if nothing else is known */

/* The state of a run. */
typedef struct {
    asif_identify *made;
    const asif_fitted *fitted;
    asif_identify_options options;
    asif_fit_options fit;
    const asif_rival *rival;
    uint32_t rivals;
    asif_problems *problems;
    asif_work *work; /* workspace solved for the agent */
} making;

/* ---- the agent ---- */

static asif_status solve_agent(making *m, asif_error *error) {
    asif_plan_info info;
    if (m->work)
        return ASIF_OK;
    ASIF_TRY(asif_work_clone(&m->work, m->fitted->work, error));
    ASIF_TRY(asif_solve(m->work, m->made->agent, &info, error));
    return asif_plan_judge(&info, error);
}

/* Take the maximum of the posterior as the agent. */
static asif_status take_fitted(making *m, const asif_fit *fit, asif_error *error) {
    ASIF_TRY(asif_theta_copy(&m->made->agent, m->fitted->given, error));
    return asif_estimates_theta(m->fitted->estimates, fit->maximum, m->made->agent, error);
}

/* ---- simulated logs ---- */

/* Divide `all` episodes among the start classes, in the shares of `weight` or, if it is 0, evenly. */
static void share_out(uint64_t *episodes, uint32_t starts, uint64_t all, const double *weight) {
    double total = 0, before = 0;
    uint64_t given = 0;
    for (uint32_t c = 0; c < starts; c++)
        total += weight[c];
    for (uint32_t c = 0; c < starts; c++) {
        before += weight[c];
        double share = total > 0 ? before / total : (c + 1.0) / starts;
        uint64_t up_to = c + 1 == starts ? all : (uint64_t)floor(share * (double)all + 0.5);
        up_to = up_to < given ? given : up_to > all ? all : up_to;
        episodes[c] = up_to - given;
        given = up_to;
    }
}

static asif_status grow_logs(asif_tree **out, making *m, uint64_t all, bool units, asif_error *error) {
    const asif_context *context = m->fitted->context;
    const asif_tree *logs = m->fitted->tree;
    uint32_t starts = asif_setting_count(m->fitted->setting, ASIF_LABEL_START);
    uint64_t *episodes = ASIF_ARRAY(context, starts, uint64_t);
    double *began = ASIF_ARRAY(context, starts, double);
    asif_status status = episodes && began ? solve_agent(m, error) : asif_fail_memory(error);
    if (status == ASIF_OK && logs && !asif_tree_inside(logs)->states_seen) /* else the class is not known */
        status = asif_tree_began(began, logs, error);
    if (status == ASIF_OK) {
        share_out(episodes, starts, all, began);
        asif_simulated_options options = {
            .episodes = episodes, .seed = m->fitted->seed, .max_steps = m->made->max_steps, .units = units};
        status = asif_simulated_tree(out, asif_work_behavior(m->work), &options, error);
    }
    asif_free(context, episodes);
    asif_free(context, began);
    return status;
}

/* ---- the fit ---- */

static asif_status run_fit(asif_fit **out, making *m, asif_fit_method method, asif_error *error) {
    asif_fit_options options = m->fit;
    const asif_fitted *f = m->fitted;
    if (method != options.method) {
        asif_fit_defaults(&options, method);
        options.starts = m->fit.starts;
    }
    options.inverse = f->inverse;
    options.inverse_options = f->inverse_options;
    options.sample.seed = f->seed;
    return asif_fit_estimate(out, f->context, f->work, f->estimates, m->made->logs, &options, m->problems,
                             error);
}

/* Check real logs against the fitted agent, which may not describe them; failed checks raise a doubt. */
static asif_status check_logs(making *m, asif_error *error) {
    const asif_inverse_info *inverse = asif_inverse_named(m->fitted->inverse);
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_fitted fitted = *m->fitted;
    asif_predictive_checks *checks = NULL;
    if (inverse && inverse->helper == ASIF_HELPER_PAIRS) /* with pairs, actions are no evidence */
        return ASIF_OK;
    fitted.draws = m->made->fit->draws;
    options.seed = fitted.seed;
    options.most_episodes = CHECKED_EPISODES;
    asif_status status = asif_predictive_checks_run(&checks, &fitted, &options, error);
    if (status == ASIF_OK)
        m->made->doubt = asif_predictive_checks_doubt(checks);
    asif_predictive_checks_free(checks);
    return status == ASIF_ENOMEM || status == ASIF_ECANCELLED ? status : ASIF_OK;
}

static asif_status fit_logs(making *m, asif_error *error) {
    asif_identify *made = m->made;
    bool logs = m->fitted->tree != NULL, draw = !m->options.rivals_only;
    if (logs) {
        made->logs = m->fitted->tree;
    } else if (draw) {
        ASIF_TRY(grow_logs(&made->grown, m, m->options.episodes, false, error));
        made->logs = made->grown;
        made->simulated = true;
    }
    if (draw)
        ASIF_TRY(run_fit(&made->fit, m, m->fit.method, error));
    if (draw && logs)
        ASIF_TRY(check_logs(m, error));
    if (!made->view.stated && m->rivals > 0) {
        asif_fit *maximum = NULL;
        asif_status status = draw ? ASIF_OK : run_fit(&maximum, m, ASIF_FIT_MAP, error);
        if (status == ASIF_OK)
            status = take_fitted(m, draw ? made->fit : maximum, error);
        asif_fit_free(maximum);
        ASIF_TRY(status);
    }
    if (draw && made->view.stated) {
        made->truth = ASIF_ARRAY(made->context, made->fit->view.parameters, double);
        if (!made->truth)
            return asif_fail_memory(error);
        asif_rival_numbers(made->truth, made->estimates, made->agent);
    }
    return ASIF_OK;
}

/* ---- rivals ---- */

static asif_status face_rivals(making *m, asif_error *error) {
    asif_identify *made = m->made;
    asif_tree *tree = NULL;
    ASIF_TRY(grow_logs(&tree, m, m->options.rival_episodes, true, error));
    asif_rival_field field = {.context = made->context,
                              .agent = made->agent,
                              .tree = tree,
                              .seed = m->fitted->seed,
                              .starts = m->options.starts};
    made->rival_episodes = asif_tree_inside(tree)->units;
    made->rival_decisions = asif_tree_info(tree)->decisions;
    asif_status status = asif_rival_field_fill(&field, asif_work_behavior(m->work), error);
    for (uint32_t i = 0; i < m->rivals && status == ASIF_OK; i++) {
        made->view.rivals = i + 1;
        status = asif_rival_run(&made->rival[i], &field, &m->rival[i], error);
    }
    asif_rival_field_free(&field);
    asif_tree_free(tree);
    return status;
}

/* ---- the whole run ---- */

static asif_status fill_options(making *m, const asif_identify_options *options, asif_error *error) {
    m->options = (asif_identify_options)ASIF_IDENTIFY_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof m->options)
            return asif_fail(error, ASIF_EDOMAIN, "identify options have an unknown size");
        memcpy(&m->options, options, options->struct_size);
    }
    asif_fit_defaults(&m->fit, ASIF_FIT_NUTS);
    if (m->options.fit)
        m->fit = *m->options.fit;
    if (m->fit.method != ASIF_FIT_NUTS && m->fit.method != ASIF_FIT_METROPOLIS)
        return asif_fail(
            error, ASIF_EINVALID,
            "what logs tell is seen from draws of the posterior: the method is nuts or metropolis");
    if (m->options.episodes == 0 || m->options.rival_episodes < 2)
        return asif_fail(error, ASIF_EDOMAIN, "there must be logs to simulate");
    for (uint32_t i = 0; i < m->rivals; i++)
        if (m->rival[i].struct_size != sizeof *m->rival || !m->rival[i].work || !m->rival[i].given)
            return asif_fail(error, ASIF_EDOMAIN, "a rival has an unknown size, or no workspace or values");
    return ASIF_OK;
}

static asif_status check(const making *m, asif_error *error) {
    const asif_fitted *f = m->fitted;
    bool rivals_only = m->options.rivals_only;
    if (!m->options.agent && !f->tree)
        return asif_fail(error, ASIF_EUNSET, "there are neither logs nor an agent to make some");
    if (!f->estimates && (!rivals_only || (!m->options.agent && m->rivals > 0)))
        return asif_fail(error, ASIF_EUNSET, "nothing is to be estimated");
    return ASIF_OK;
}

static asif_status begin(making *m, asif_error *error) {
    asif_identify *made = m->made;
    const asif_fitted *f = m->fitted;
    uint64_t longest = f->tree ? asif_tree_info(f->tree)->longest : 0;
    made->estimates = f->estimates;
    made->title = m->options.title;
    made->seed = f->seed;
    made->starts = m->options.starts;
    made->max_steps = m->options.max_steps ? m->options.max_steps
                      : longest            ? (uint32_t)(longest < UINT32_MAX ? longest : UINT32_MAX)
                                           : STEPS;
    made->view.stated = m->options.agent != NULL;
    made->rival = ASIF_ARRAY(made->context, m->rivals, asif_rival_result);
    if (!made->rival)
        return asif_fail_memory(error);
    made->view.rival = made->rival;
    ASIF_TRY(asif_theta_copy(&made->given, f->given, error));
    return m->options.agent ? asif_theta_copy(&made->agent, m->options.agent, error) : ASIF_OK;
}

static asif_status make(making *m, const asif_identify_options *options, asif_error *error) {
    ASIF_TRY(fill_options(m, options, error));
    ASIF_TRY(check(m, error));
    ASIF_TRY(begin(m, error));
    ASIF_TRY(fit_logs(m, error));
    if (m->rivals > 0)
        ASIF_TRY(face_rivals(m, error));
    m->made->view.fit = m->made->fit;
    m->made->view.agent = m->made->agent;
    m->made->view.truth = m->made->truth;
    return ASIF_OK;
}

asif_status asif_identify_run(asif_identify **out, const asif_fitted *fitted,
                              const asif_identify_options *options, const asif_rival *rival, uint32_t rivals,
                              asif_problems *problems, asif_error *error) {
    making m = {.fitted = fitted, .rival = rival, .rivals = rivals, .problems = problems};
    *out = NULL;
    ASIF_TRY(asif_fitted_likelihood(fitted, true, error));
    if (!(m.made = ASIF_NEW(fitted->context, asif_identify)))
        return asif_fail_memory(error);
    m.made->context = fitted->context;
    m.made->view.struct_size = sizeof m.made->view;
    asif_status status = make(&m, options, error);
    asif_work_free(m.work);
    if (status == ASIF_OK)
        *out = m.made;
    else
        asif_identify_free(m.made);
    return status;
}

void asif_identify_free(asif_identify *identify) {
    if (!identify)
        return;
    for (uint32_t i = 0; i < identify->view.rivals; i++)
        asif_rival_result_free(identify->context, &identify->rival[i]);
    asif_free(identify->context, identify->rival);
    asif_free(identify->context, identify->truth);
    asif_fit_free(identify->fit);
    asif_tree_free(identify->grown);
    asif_theta_free(identify->agent);
    asif_theta_free(identify->given);
    asif_free(identify->context, identify);
}

asif_status asif_identify_get(const asif_identify *identify, asif_identify_view *view, asif_error *error) {
    if (view->struct_size == 0 || view->struct_size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    size_t size = view->struct_size;
    memcpy(view, &identify->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
