/* The agents that figures show; each is solved once. */
#include "report/figures/agent.h"

#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "study/study.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define MIDDLE_OF 200 /* most draws used, as many as a path takes, so that both show the same agent */

bool asif_agent_believes(const asif_work *work, uint32_t states) {
    const asif_behavior *behavior = asif_work_unsolved(work);
    const asif_setting_spec *spec = asif_setting_get(asif_work_setting(work));
    if (asif_has_place(spec))
        return states == 2 && spec->observations && asif_hidden_values(spec) == states &&
               asif_behavior_width(behavior) == states + 1;
    return !behavior->hidden && spec->observations && spec->states == states &&
           asif_behavior_width(behavior) == states;
}

/* Solve the two ideal agents. Where worlds and start are the environment's, they are the same, and only one
 * is added. */
static asif_status add_ideals(asif_figure_agent *agent, const asif_fitted *fitted, asif_error *error) {
    static const uint32_t mask[] = {[ASIF_WHO_SAME] = ASIF_WITHOUT_BOUNDS, [ASIF_WHO_TRUE] = ASIF_IDEAL_TRUE};
    asif_status status = asif_ideals_create(&agent->unbound, fitted, error);
    uint32_t last = status == ASIF_OK && asif_ideals_worlds_matter(fitted) ? ASIF_WHO_TRUE : ASIF_WHO_SAME;
    for (uint32_t who = ASIF_WHO_SAME; status == ASIF_OK && who <= last; who++) {
        const asif_work *work;
        const asif_theta *solved;
        status = asif_ideals_solve(&agent->unbound, agent->theta, mask[who], &work, &solved, error);
        if (status == ASIF_OK)
            agent->who[who] = asif_work_behavior(work);
    }
    if (status != ASIF_EUNSUPPORTED)
        return status;
    asif_error_clear(error);
    return ASIF_OK;
}

static void set_problem(asif_figure_agent *agent, const asif_context *context, const asif_work *work) {
    const asif_setting *setting = asif_work_setting(work);
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint64_t nodes = asif_work_nodes(work);
    *agent = (asif_figure_agent){.context = context,
                                 .setting = setting,
                                 .spec = spec,
                                 .hidden = asif_hidden_values(spec),
                                 .lead = asif_has_place(spec),
                                 .unbound = {.context = context},
                                 .effort = (nodes ? nodes : 1) * spec->actions * spec->worlds *
                                           (spec->observations ? spec->observations : spec->states)};
}

static const asif_yaml *path_of(const asif_source *source, const asif_source_fit *fit) {
    const char *from = asif_yaml_text(asif_yaml_part(fit->path, "path"), "from");
    bool real = from && strcmp(from, "logs") == 0;
    return real && !source->request->identify ? NULL : fit->path;
}

/* Agents that are solved at reachable beliefs are drawn between these, too, from a lattice of their own. */
static asif_status take_work(asif_figure_agent *agent, asif_plan_options *solver, const char *planner,
                             const asif_work *work, asif_error *error) {
    if (solver->beliefs != ASIF_BELIEFS_REACHABLE)
        return asif_work_clone(&agent->work, work, error);
    solver->beliefs = agent->hidden == 2 ? ASIF_BELIEFS_GRADED : ASIF_BELIEFS_LATTICE;
    return asif_work_create(&agent->work, agent->context, planner, agent->setting, solver, error);
}

asif_status asif_agent_fitted(asif_figure_agent *out, const asif_source *source, uint32_t fit,
                              asif_error *error) {
    const asif_source_fit *of = &source->fit[fit];
    const asif_fitted *fitted = of->view.fitted;
    static const asif_plan_options standard = ASIF_PLAN_OPTIONS_INIT;
    asif_plan_options solver = fitted->solver ? *fitted->solver : standard;
    asif_fitted drawn = *fitted;
    asif_plan_info info;
    set_problem(out, source->context, fitted->work);
    out->study = of->view.study;
    out->name = of->name;
    out->fitted = fitted;
    out->path = path_of(source, of);
    ASIF_TRY(asif_explain_points(&out->x, &out->middle, &out->draws, fitted, MIDDLE_OF, error));
    ASIF_TRY(take_work(out, &solver, fitted->planner, fitted->work, error));
    ASIF_TRY(asif_theta_copy(&out->own, fitted->given, error));
    ASIF_TRY(asif_estimates_theta(fitted->estimates, out->middle, out->own, error));
    ASIF_TRY(asif_solve(out->work, out->own, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "the fitted agent has no finite values");
    out->theta = out->own;
    out->who[ASIF_WHO_FITTED] = asif_work_behavior(out->work);
    drawn.solver = &solver;
    drawn.work = out->work;
    return add_ideals(out, &drawn, error);
}

/* Intervals on an edge of a lattice of beliefs over two or three states. */
static uint32_t resolution_of(uint32_t nodes, uint32_t states) {
    return states == 2 ? nodes - 1 : (uint32_t)lround((sqrt(8.0 * nodes + 1) - 3) / 2);
}

asif_status asif_agent_planned(asif_figure_agent *out, const asif_context *context, const asif_study *study,
                               const asif_work *work, const asif_theta *theta,
                               const asif_plan_request *request, bool ideals, asif_error *error) {
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_plan_options solver = *asif_study_solver(study);
    set_problem(out, context, work);
    out->study = study;
    out->request = request && request->events ? request : NULL;
    out->start = request ? request->start : 0;
    out->theta = theta;
    if (out->lead) {
        asif_plan_info info;
        ASIF_TRY(take_work(out, &solver, asif_study_planner(study), work, error));
        ASIF_TRY(asif_solve(out->work, theta, &info, error));
        work = out->work;
    }
    out->who[ASIF_WHO_FITTED] = asif_work_behavior(work);
    if (!ideals || asif_work_nodes(work) == 0)
        return ASIF_OK;
    solver.resolution = resolution_of(asif_work_nodes(work), out->spec->states);
    fitted.context = context;
    fitted.setting = out->setting;
    fitted.given = theta;
    fitted.work = work;
    fitted.solver = &solver;
    return add_ideals(out, &fitted, error);
}

void asif_agent_free(asif_figure_agent *agent) {
    asif_ideals_free(&agent->unbound);
    asif_work_free(agent->work);
    asif_theta_free(agent->own);
    asif_free(agent->context, agent->x);
    asif_free(agent->context, agent->middle);
}

/* "clinic = town, device = new" */
static void say_seen(asif_figure_agent *agent) {
    const asif_setting_spec *spec = agent->spec;
    size_t used = 0;
    agent->where[0] = '\0';
    for (uint32_t i = 0; i < spec->seen_columns && used < ASIF_WHERE_SIZE; i++)
        used +=
            (size_t)asif_format(agent->where + used, ASIF_WHERE_SIZE - used, "%s%.24s = %.24s", i ? ", " : "",
                                spec->seen_column[i].name, asif_seen_class(spec, agent->first, i));
}

/* The first start class whose episodes can begin with a seen value; ASIF_ANY: there is none. */
static uint32_t start_with(const asif_setting_spec *spec, uint32_t seen) {
    uint32_t H = asif_hidden_values(spec);
    for (uint32_t start = 0; start < spec->starts; start++)
        for (uint32_t h = 0; h < H; h++)
            if (spec->environment_start[(uint64_t)start * spec->states + (uint64_t)seen * H + h] > 0)
                return start;
    return ASIF_ANY;
}

asif_status asif_agent_draw(asif_figures *list, asif_figure_agent *agent, asif_agent_drawer *draw,
                            asif_error *error) {
    const asif_setting_spec *spec = agent->spec;
    uint32_t values = asif_seen_values(spec), beginnings = 0, drawn = 0;
    agent->first = ASIF_ANY;
    if (!agent->lead || values == 1)
        return draw(list, agent, error);
    for (uint32_t y = 0; y < values; y++)
        beginnings += start_with(spec, y) != ASIF_ANY;
    for (uint32_t y = 0; y < values && drawn < ASIF_BEGINNINGS_DRAWN; y++) {
        uint32_t start = start_with(spec, y);
        if (start == ASIF_ANY)
            continue;
        agent->start = start;
        agent->first = y;
        if (beginnings > 1)
            say_seen(agent);
        ASIF_TRY(draw(list, agent, error));
        drawn++;
    }
    return ASIF_OK;
}

asif_status asif_agent_figures(asif_figures *list, const asif_source *source, uint32_t states,
                               asif_agent_drawer *draw, asif_error *error) {
    asif_status status = ASIF_OK;
    for (uint32_t i = 0; status == ASIF_OK && i < source->fits; i++) {
        asif_figure_agent agent;
        if (!asif_agent_believes(source->fit[i].view.fitted->work, states))
            continue;
        status = asif_agent_fitted(&agent, source, i, error);
        if (status == ASIF_OK)
            status = asif_agent_draw(list, &agent, draw, error);
        else if (status == ASIF_EUNSUPPORTED || status == ASIF_EUNSET) {
            asif_error_clear(error);
            status = ASIF_OK;
        }
        asif_agent_free(&agent);
    }
    return status;
}

/* ---- words ---- */

const char *asif_agent_word(const asif_figure_agent *agent, uint32_t who) {
    static const char *const word[] = {"fitted", "same model, no bounds", "knows the true world"};
    if (who == ASIF_WHO_FITTED && !agent->fitted)
        return "the agent";
    return who == ASIF_WHO_SAME && !agent->who[ASIF_WHO_TRUE] ? "ideal agent" : word[who];
}

static bool is_estimated(const asif_figure_agent *agent, const char *name) {
    const asif_estimate_info *info;
    for (uint32_t i = 0; agent->fitted && (info = asif_estimates_get(agent->fitted->estimates, i)); i++)
        if (strcmp(info->parameter, name) == 0)
            return true;
    return false;
}

void asif_agent_numbers(asif_text *text, const asif_figure_agent *agent) {
    double alpha = NAN;
    uint32_t added = 0;
    asif_theta_get(agent->theta, "alpha", &alpha, NULL);
    for (uint32_t i = 0; i < asif_theta_count(agent->theta); i++) {
        const char *name = asif_theta_name(agent->theta, i);
        char number[ASIF_CELL_SIZE];
        double value;
        if (strcmp(name, "beta") == 0 && is_estimated(agent, "optimism"))
            name = "optimism";
        if ((agent->fitted && !is_estimated(agent, name)) ||
            asif_theta_get(agent->theta, name, &value, NULL) != ASIF_OK || isnan(value) ||
            (strcmp(name, "act_alpha") == 0 && value == alpha))
            continue;
        const asif_study_label *label = asif_study_label_of(agent->study, ASIF_NAMED_PARAMETER, name);
        asif_text_addf(text, "%s%s %s", added++ ? ", " : "",
                       label && label->label ? label->label : asif_parameter_word(name),
                       asif_short_number(number, value));
    }
}

void asif_agent_entitle(asif_figure *figure, const asif_figure_agent *agent, const char *name,
                        const char *title) {
    char said[ASIF_SAID_SIZE], of[2 * ASIF_SAID_SIZE], label[ASIF_LABEL_SIZE];
    bool both = agent->name && *agent->where;
    asif_format(of, sizeof of, "%s%s%s", agent->name ? agent->name : "", both ? "-" : "",
                *agent->where ? asif_agent_label(agent, ASIF_LABEL_SEEN, agent->first, label) : "");
    asif_figure_init_of(figure, agent->context, name, *of ? of : NULL);
    asif_text_add(&figure->title, title);
    if (agent->name)
        asif_text_addf(&figure->title, ": %s", asif_said(said, agent->name));
    if (*agent->where)
        asif_text_addf(&figure->title, "%s %s", agent->name ? "," : ":", agent->where);
}

const char *asif_agent_label(const asif_figure_agent *agent, asif_label_kind kind, uint32_t i, char *label) {
    return agent->study ? asif_study_shown(agent->study, kind, i, label)
                        : asif_setting_label(agent->setting, kind, i, label);
}

const char *asif_agent_action(const asif_figure_agent *agent, uint32_t action, char *label) {
    return asif_agent_label(agent, ASIF_LABEL_ACTION, action, label);
}

const char *asif_agent_state(const asif_figure_agent *agent, uint32_t state, char *label) {
    return asif_agent_label(agent, agent->lead ? ASIF_LABEL_HIDDEN : ASIF_LABEL_STATE, state, label);
}

/* ---- policies ---- */

/* The same where agent states begin with a place: that in which an episode begins. */
static asif_status log_policy_at_place(double *policy, const asif_figure_agent *agent,
                                       const asif_behavior *behavior, uint64_t count, const double *belief,
                                       asif_error *error) {
    uint64_t H = agent->hidden;
    double *state = ASIF_ARRAY(agent->context, (count + 1) * (H + 1), double);
    if (!state)
        return asif_fail_memory(error);
    double *start = state + count * (H + 1);
    asif_behavior_init(behavior, agent->start, agent->first, start);
    for (uint64_t i = 0; i < count; i++) {
        state[i * (H + 1)] = start[0];
        memcpy(state + i * (H + 1) + 1, belief + i * H, H * sizeof *belief);
    }
    asif_status status = asif_behavior_log_policy(behavior, count, state, policy, error);
    asif_free(agent->context, state);
    return status;
}

asif_status asif_agent_policy(double *policy, const asif_figure_agent *agent, const asif_behavior *behavior,
                              uint64_t count, const double *belief, asif_error *error) {
    asif_status status = agent->lead ? log_policy_at_place(policy, agent, behavior, count, belief, error)
                                     : asif_behavior_log_policy(behavior, count, belief, policy, error);
    for (uint64_t i = 0; status == ASIF_OK && i < count * agent->spec->actions; i++)
        policy[i] = exp(policy[i]);
    return status;
}

uint32_t asif_agent_likeliest(const asif_figure_agent *agent, const double *policy) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < agent->spec->actions; u++)
        if (policy[u] > policy[best])
            best = u;
    return best;
}

static double highest(uint32_t action, uint64_t count, const double *policy, uint64_t actions) {
    double most = 0;
    for (uint64_t i = 0; i < count; i++)
        most = fmax(most, policy[i * actions + action]);
    return most;
}

uint32_t asif_agent_choose(uint32_t chosen[ASIF_AGENT_ACTIONS], const asif_figure_agent *agent,
                           uint64_t count, const double *policy) {
    uint32_t actions = agent->spec->actions, n = 0;
    double height[ASIF_AGENT_ACTIONS];
    for (uint32_t u = 0; u < actions; u++) {
        double most = highest(u, count, policy, actions);
        if (n == ASIF_AGENT_ACTIONS) {
            uint32_t drop = 0;
            for (uint32_t i = 1; i < n; i++)
                drop = height[i] <= height[drop] ? i : drop;
            if (height[drop] >= most)
                continue;
            memmove(chosen + drop, chosen + drop + 1, (n - drop - 1) * sizeof *chosen);
            memmove(height + drop, height + drop + 1, (n - drop - 1) * sizeof *height);
            n--;
        }
        chosen[n] = u;
        height[n++] = most;
    }
    return n;
}

void asif_agent_slot(asif_figure *figure, const asif_figure_agent *agent, uint32_t count,
                     const uint32_t *chosen) {
    asif_text list = {.context = agent->context};
    char label[ASIF_LABEL_SIZE];
    asif_json json;
    asif_json_init(&json, &list);
    json.dense = 1;
    asif_json_array(&json, NULL);
    for (uint32_t i = 0; i < count; i++)
        asif_json_string(&json, NULL, asif_agent_action(agent, chosen[i], label));
    asif_json_end(&json);
    asif_figure_slot_json(figure, "actions", list.data ? list.data : "[]");
    figure->slots.failed |= list.failed;
    asif_text_free(&list);
}
