/* A whole fit: the search for the maximum, chains, predictive checks, outcomes and the short sensitivity. */
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/text.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "study/study.h"
#include "theta/theta.h"

static asif_status make_estimates(asif_whole_fit *w, asif_error *error) {
    const asif_inverse_info *inverse = asif_inverse_named(w->how.inverse);
    asif_priors priors = w->how.method == ASIF_FIT_PUBLISHED ? ASIF_PRIORS_PUBLISHED : ASIF_PRIORS_STATED;
    /* Without a likelihood, priors have no effect, and warnings about them would mislead. */
    bool weighed = !inverse || inverse->likelihood;
    ASIF_TRY(asif_fit_request_specs(&w->spec, &w->specs, w->context, &w->request, error));
    return asif_estimates_scaled(&w->estimates, w->context, w->work, w->given, w->spec, w->specs, priors,
                                 weighed ? w->said : NULL, error);
}

static asif_status make_work(asif_whole_fit *w, asif_error *error) {
    const asif_study *study = w->request.study;
    w->work = w->solver.lattice_error > 0 || w->unlearnt ? NULL : w->request.work;
    if (w->work)
        return ASIF_OK;
    ASIF_TRY(asif_work_create(&w->own_work, w->context, asif_study_planner(study), asif_study_setting(study),
                              &w->solver, error));
    w->work = w->own_work;
    if (w->lattice.fine == 0)
        return ASIF_OK;
    asif_plan_options fine = w->solver;
    fine.resolution = w->lattice.fine;
    ASIF_TRY(asif_work_create(&w->fine, w->context, asif_study_planner(study), asif_study_setting(study),
                              &fine, error));
    w->how.fine = w->fine;
    return ASIF_OK;
}

/* What the study wants to be said comes first. */
static void add_caveat(asif_whole_fit *w) {
    const char *caveat = asif_study_caveat(w->request.study);
    asif_error note = ASIF_ERROR_INIT;
    if (!caveat || !*caveat)
        return;
    asif_fail(&note, ASIF_OK, "%s", caveat);
    asif_error_code(&note, "caveat");
    asif_problems_add(w->said, ASIF_PROBLEM_NOTE, &note);
}

/* What the likelihood assumes of results that are lost. */
static void add_lost(asif_whole_fit *w) {
    double lost = asif_lost_decisions(asif_tree_inside(w->request.logs));
    asif_error note = ASIF_ERROR_INIT;
    if (!(lost > 0))
        return;
    asif_fail(&note, ASIF_OK,
              "%.6g of %.6g decisions follow results that were seen and are lost: the fit averages over what "
              "they can have been, and assumes that whether a result was lost does not depend on what it was",
              lost, asif_tree_info(w->request.logs)->weight);
    asif_error_code(&note, "unrecorded");
    asif_problems_add(w->said, ASIF_PROBLEM_NOTE, &note);
}

static asif_status run(asif_whole_fit *w, const asif_folder *folder, asif_error *error) {
    asif_folder_view place = {.struct_size = sizeof place};
    double begun = asif_os_seconds();
    asif_os_now(w->started, sizeof w->started);
    ASIF_TRY(asif_fit_key(w->key, w->context, &w->request, error));
    ASIF_TRY(asif_problems_create(&w->said, w->context, 0, error));
    add_caveat(w);
    add_lost(w);
    ASIF_TRY(asif_fit_learn_world(w, error));
    ASIF_TRY(asif_fit_choose_lattice(w, error));
    ASIF_TRY(make_work(w, error));
    ASIF_TRY(make_estimates(w, error));
    if (folder) {
        ASIF_TRY(asif_folder_get(folder, &place, error));
        w->how.sample.folder = place.checkpoints;
        w->how.sample.key = w->key;
        w->how.sample.keep = true; /* keep checkpoints until the fit is saved */
    }
    ASIF_TRY(asif_fit_estimate(&w->fit, w->context, w->work, w->estimates, w->request.logs, &w->how, w->said,
                               error));
    w->how.fine = NULL;
    asif_work_free(w->fine);
    w->fine = NULL;
    ASIF_TRY(asif_fit_settle_lattice(w, error));
    ASIF_TRY(asif_fit_compare_lattices(w, error));
    if (!w->request.no_answers)
        ASIF_TRY(asif_fit_brief(w, error));
    ASIF_TRY(asif_fit_cut(w, error));
    ASIF_TRY(asif_fit_joint(w, error));
    w->seconds = asif_os_seconds() - begun;
    return ASIF_OK;
}

static void keep(asif_whole_fit *w) {
    w->kept.study = w->request.study;
    asif_study_keep(w->kept.study);
    w->kept.logs = w->request.logs;
    asif_tree_keep(w->kept.logs);
    if ((w->kept.given = w->request.given))
        asif_keep(&w->kept.given->kept);
    if ((w->kept.work = w->request.work))
        asif_work_keep(w->kept.work);
}

asif_status asif_fit_run(asif_whole_fit **out, const asif_context *context, const asif_fit_request *request,
                         const asif_folder *folder, asif_error *error) {
    *out = NULL;
    ASIF_TRY(asif_fit_request_check(request, error));
    asif_whole_fit *w = ASIF_NEW(context, asif_whole_fit);
    if (!w)
        return asif_fail_memory(error);
    w->context = context;
    w->request = *request;
    keep(w);
    w->how = asif_fit_request_how(request);
    w->solver = asif_fit_request_solver(request);
    w->given = asif_fit_request_given(request);
    w->inverse_options = *asif_study_asked(request->study);
    w->inverse_options.partial = request->partial;
    w->how.inverse_options = &w->inverse_options;
    asif_status status = run(w, folder, error);
    if (status != ASIF_OK) {
        asif_whole_fit_free(w);
        return status;
    }
    *out = w;
    return ASIF_OK;
}

const asif_fit *asif_whole_fit_numbers(const asif_whole_fit *fit) {
    return fit->fit;
}

asif_status asif_whole_fit_json(char **out, const asif_whole_fit *w, asif_error *error) {
    asif_fit_about about = ASIF_FIT_ABOUT_INIT;
    about.title = asif_study_title(w->request.study);
    about.study = w->request.study;
    about.given = w->given;
    about.said = w->said;
    about.by = w->request.value ? w->request.by : NULL;
    about.value = w->request.value;
    about.where = w->request.where;
    about.key = w->key;
    about.people = w->request.people;
    about.inverse = w->how.inverse;
    about.solver = &w->solver;
    about.lattice = w->lattice.chosen ? &w->lattice : NULL;
    about.lattices = &w->lattices;
    about.outcomes = w->outcomes;
    about.checks = w->checks;
    about.sensitivity = w->sensitivity;
    about.map = w->request.map;
    about.table = w->request.value ? w->request.table : NULL;
    about.world = w->unlearnt ? &w->world : NULL;
    return asif_fit_json(out, w->fit, &about, error);
}

void asif_whole_fit_free(asif_whole_fit *w) {
    if (!w)
        return;
    asif_outcomes_free(w->outcomes);
    asif_predictive_checks_free(w->checks);
    asif_sensitivity_free(w->sensitivity);
    asif_fit_free(w->fit);
    asif_problems_free(w->said);
    asif_estimates_free(w->estimates);
    asif_work_free(w->fine);
    asif_work_free(w->own_work);
    asif_fit_world_free(w);
    asif_work_free(ASIF_KEPT(asif_work, w->kept.work));
    asif_theta_free(ASIF_KEPT(asif_theta, w->kept.given));
    asif_tree_free(ASIF_KEPT(asif_tree, w->kept.logs));
    asif_study_free(ASIF_KEPT(asif_study, w->kept.study));
    asif_free(w->context, w->spec);
    asif_free(w->context, w);
}
