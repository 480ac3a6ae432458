/* Beliefs along a course: repeated evidence, a history, a path or a simulated episode. */
#include "report/figures/agent.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define REPEATS 3
#define SIMULATED 20 /* most steps of a simulated episode */
#define MOVED 1e-6   /* smallest change of a belief that counts as evidence */

static asif_status create(asif_course_drawn *out, const asif_figure_agent *agent, uint64_t room,
                          asif_error *error) {
    *out = (asif_course_drawn){.belief = ASIF_ARRAY(agent->context, room * agent->spec->states, double),
                               .action = ASIF_ARRAY(agent->context, room, uint32_t),
                               .observation = ASIF_ARRAY(agent->context, room, uint32_t)};
    if (!out->belief || !out->action || !out->observation)
        return asif_fail_memory(error);
    for (uint64_t k = 0; k < room; k++)
        out->action[k] = out->observation[k] = ASIF_ANY;
    return ASIF_OK;
}

void asif_agent_course_free(asif_course_drawn *course, const asif_context *context) {
    asif_free(context, course->belief);
    asif_free(context, course->action);
    asif_free(context, course->observation);
    *course = (asif_course_drawn){0};
}

/* Compute the beliefs from the start through the first `events` events of a course; `count` becomes events +
 * 1. */
static asif_status follow(asif_course_drawn *course, const asif_figure_agent *agent, uint64_t events,
                          asif_error *error) {
    const asif_behavior *behavior = agent->who[ASIF_WHO_FITTED];
    uint64_t S = agent->spec->states;
    asif_behavior_init(behavior, agent->start, ASIF_ANY, course->belief);
    for (uint64_t k = 0; k < events; k++)
        ASIF_TRY(asif_behavior_step(behavior, 1, course->belief + k * S, &course->action[k],
                                    &course->observation[k], course->belief + (k + 1) * S, error));
    course->count = events + 1;
    return ASIF_OK;
}

static asif_status follow_request(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error) {
    const asif_plan_request *request = agent->request;
    ASIF_TRY(create(out, agent, request->events + 1, error));
    memcpy(out->action, request->action, request->events * sizeof *out->action);
    memcpy(out->observation, request->observation, request->events * sizeof *out->observation);
    return follow(out, agent, request->events, error);
}

/* Find the likeliest action at the start that does not end the episode, and the observation that then raises
 * the belief in the last state most; ASIF_ANY: none does. */
static asif_status most_telling(uint32_t *action, uint32_t *observation, const asif_figure_agent *agent,
                                double *policy, double *belief, asif_error *error) {
    const asif_setting_spec *spec = agent->spec;
    const asif_behavior *behavior = agent->who[ASIF_WHO_FITTED];
    double most, *next = belief + spec->states;
    *action = *observation = ASIF_ANY;
    asif_behavior_init(behavior, agent->start, ASIF_ANY, belief);
    ASIF_TRY(asif_behavior_log_policy(behavior, 1, belief, policy, error));
    for (uint32_t u = 0; u < spec->actions; u++)
        if (!spec->ends[u] && (*action == ASIF_ANY || policy[u] > policy[*action]))
            *action = u;
    most = belief[spec->states - 1] + MOVED;
    for (uint32_t x = 0; *action != ASIF_ANY && x < spec->observations; x++) {
        asif_status status = asif_behavior_step(behavior, 1, belief, action, &x, next, NULL);
        if (status == ASIF_ENOMEM)
            return asif_fail_memory(error);
        if (status == ASIF_OK && next[spec->states - 1] > most) {
            most = next[spec->states - 1];
            *observation = x;
        }
    }
    return ASIF_OK;
}

asif_status asif_agent_evidence(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error) {
    const asif_context *c = agent->context;
    *out = (asif_course_drawn){0};
    if (agent->request)
        return follow_request(out, agent, error);
    double *policy = ASIF_ARRAY(c, agent->spec->actions, double);
    double *belief = ASIF_ARRAY(c, 2 * (uint64_t)agent->spec->states, double);
    uint32_t action = ASIF_ANY, observation = ASIF_ANY;
    asif_status status = policy && belief ? most_telling(&action, &observation, agent, policy, belief, error)
                                          : asif_fail_memory(error);
    if (status == ASIF_OK && observation != ASIF_ANY) {
        status = create(out, agent, REPEATS + 1, error);
        for (uint32_t k = 0; status == ASIF_OK && k < REPEATS; k++) {
            out->action[k] = action;
            out->observation[k] = observation;
        }
        if (status == ASIF_OK)
            status = follow(out, agent, REPEATS, error);
        /* The strongest evidence at the start may be impossible when it is repeated. */
        if (status == ASIF_EZEROPR) {
            out->count = 0;
            status = ASIF_OK;
        }
    }
    asif_free(c, policy);
    asif_free(c, belief);
    return status;
}

/* ---- an episode ---- */

typedef struct {
    asif_course_drawn *course;
    uint32_t states;
} recording;

static asif_status record(void *user, const asif_decision *decision) {
    recording *r = user;
    asif_course_drawn *course = r->course;
    memcpy(course->belief + course->count * r->states, decision->agent_state, r->states * sizeof(double));
    course->action[course->count] = decision->action;
    course->observation[course->count++] = decision->observation;
    return ASIF_OK;
}

static asif_status simulate(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error) {
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    recording r = {out, agent->spec->states};
    options.max_steps = SIMULATED;
    options.start = agent->start;
    ASIF_TRY(create(out, agent, SIMULATED, error));
    return asif_simulate(agent->who[ASIF_WHO_FITTED], &options, record, &r, error);
}

static uint32_t index_of(const asif_figure_agent *agent, asif_label_kind kind, const char *name) {
    char label[ASIF_LABEL_SIZE];
    for (uint32_t i = 0; name && i < asif_setting_count(agent->setting, kind); i++)
        if (strcmp(name, asif_agent_label(agent, kind, i, label)) == 0)
            return i;
    return ASIF_ANY;
}

/* Read the beliefs of a path, which are means over the draws. */
static asif_status read_path(asif_course_drawn *out, const asif_figure_agent *agent, const asif_yaml *steps,
                             asif_error *error) {
    ASIF_TRY(create(out, agent, steps->count, error));
    for (uint32_t k = 0; k < steps->count; k++) {
        const asif_yaml *belief = asif_yaml_part(steps->item[k], "belief");
        for (uint32_t s = 0; s < agent->spec->states; s++) {
            char label[ASIF_LABEL_SIZE];
            const asif_yaml *state = asif_yaml_part(belief, asif_agent_state(agent, s, label));
            out->belief[k * (uint64_t)agent->spec->states + s] =
                asif_yaml_value(asif_yaml_part(state, "fitted"), "mean");
        }
        out->action[k] = index_of(agent, ASIF_LABEL_ACTION, asif_yaml_text(steps->item[k], "action"));
    }
    out->count = steps->count;
    return ASIF_OK;
}

asif_status asif_agent_course(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error) {
    const asif_yaml *steps = asif_yaml_part(agent->path, "steps");
    *out = (asif_course_drawn){0};
    if (agent->request)
        return follow_request(out, agent, error);
    if (steps && steps->kind == ASIF_YAML_LIST && steps->count)
        return read_path(out, agent, steps, error);
    return simulate(out, agent, error);
}
