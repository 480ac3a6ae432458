/* The log-likelihood of one agent on several lattices of beliefs. Interpolation converges as a lattice gets
 * finer, but not across a jump of the utility, whose place is then the first node beyond it. */
#include "base/error.h"
#include "base/problems.h"
#include "base/text.h"
#include "engine/lattice.h"
#include "logs/likelihood.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>

#define MOST_NODES 70000 /* of a lattice that is only compared with */
#define TOLERATED 1.0    /* nats that a jump may change */

typedef struct {
    const asif_context *context;
    const char *planner;
    const asif_setting *setting;
    const asif_theta *theta;
    const asif_tree *tree;
    asif_plan_options solver;
} agent;

/* Whether a belief term, or one that jumps, adds anything. */
static bool depends_on_belief(const agent *a, bool jumps) {
    const asif_setting_spec *spec = &a->setting->spec;
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : a->theta->utility[t->parameter]);
        if (t->by == ASIF_BY_BELIEF && amount != 0 && (!jumps || asif_term_jumps(t)))
            return true;
    }
    return false;
}

static asif_status evaluate(const agent *a, uint32_t resolution, double *out, asif_error *error) {
    asif_plan_options solver = a->solver;
    asif_plan_info info;
    asif_work *work = NULL;
    solver.resolution = resolution;
    *out = NAN;
    asif_status status = asif_work_create(&work, a->context, a->planner, a->setting, &solver, error);
    if (status == ASIF_OK)
        status = asif_solve(work, a->theta, &info, error);
    if (status == ASIF_OK && info.stop == ASIF_STOP_CONVERGED)
        status = asif_loglik(out, asif_work_behavior(work), a->tree, NULL, error);
    asif_work_free(work);
    return status;
}

static void warn(const asif_lattices *found, asif_problems *problems) {
    asif_error problem = ASIF_ERROR_INIT;
    char last[80] = "";
    if (found->count > 2)
        asif_format(last, sizeof last, " and %.1f with %u", found->log_likelihood[2], found->resolution[2]);
    asif_fail(&problem, ASIF_OK,
              "a utility jumps at some belief (`when`), which makes the lattice of beliefs a part of the "
              "model: the log-likelihood of the same agent is %.1f with %u intervals on an edge%s %.1f with "
              "%u%s",
              found->log_likelihood[0], found->resolution[0], found->count > 2 ? "," : " and",
              found->log_likelihood[1], found->resolution[1], last);
    asif_error_hint(&problem,
                    "use a ramp instead, such as {ramp: certainty, from: 0.8, to: 1, add: 2.5}; with "
                    "a jump, no result holds for another resolution");
    asif_error_code(&problem, "jump");
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &problem);
}

asif_status asif_lattices_compare(asif_lattices *out, const asif_context *context, const char *planner,
                                  const asif_setting *setting, const asif_theta *theta, const asif_tree *tree,
                                  const asif_plan_options *solver, asif_problems *problems,
                                  asif_error *error) {
    static const asif_plan_options standard = ASIF_PLAN_OPTIONS_INIT;
    agent a = {context, planner, setting, theta, tree, solver ? *solver : standard};
    const asif_planner_ops *ops = asif_planner_find(planner, NULL);
    const uint32_t n = a.solver.resolution, resolution[ASIF_LATTICES] = {n, n + 1, 2 * n};
    *out = (asif_lattices){.struct_size = sizeof *out};
    if (setting->spec.observations == 0 || a.solver.beliefs == ASIF_BELIEFS_REACHABLE ||
        (ops && ops->narrow.myopic) || !depends_on_belief(&a, false))
        return ASIF_OK;
    out->jumps = depends_on_belief(&a, true);
    for (uint32_t i = 0; i < ASIF_LATTICES; i++) {
        asif_error problem = ASIF_ERROR_INIT;
        uint64_t nodes = asif_lattice_beliefs(&setting->spec, resolution[i]);
        double value = NAN;
        if (i > 0 && (nodes == 0 || nodes > MOST_NODES))
            continue;
        asif_status status = evaluate(&a, resolution[i], &value, &problem);
        if (status != ASIF_OK && (i == 0 || status != ASIF_ETOOBIG)) {
            if (error)
                *error = problem;
            return status;
        }
        if (!isfinite(value))
            continue;
        out->resolution[out->count] = resolution[i];
        out->log_likelihood[out->count++] = value;
        out->difference = fmax(out->difference, fabs(value - out->log_likelihood[0]));
    }
    if (problems && out->jumps && out->count > 1 && out->difference > TOLERATED)
        warn(out, problems);
    return ASIF_OK;
}
