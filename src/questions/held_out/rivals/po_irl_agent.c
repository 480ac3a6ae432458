#include "questions/held_out/rivals/po_irl_agent.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"

#include <math.h>
#include <string.h>

#define PLANNER "model-based-pomdp"
enum { NAME_SIZE = 32 };

/* Arrays of a specification, which the setting copies. */
typedef struct {
    asif_matrix *matrix; /* [2 actions]: transitions, then emissions */
    uint64_t *offset;
    uint32_t *column, *index;
    double *value;
    asif_utility_term *term;
    char (*name)[NAME_SIZE];
    const char **names;
} arrays;

/* A dense matrix in compressed form; `down` and `across` are the steps between rows and columns of `from`.
 * Returns the number of entries. */
static uint64_t compress(asif_matrix *out, uint32_t rows, uint32_t columns, const double *from, uint64_t down,
                         uint64_t across, uint64_t *offset, uint32_t *column, double *value) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        offset[i] = count;
        for (uint32_t j = 0; j < columns; j++)
            if (from[i * down + j * across] > 0) {
                column[count] = j;
                value[count++] = from[i * down + j * across];
            }
    }
    offset[rows] = count;
    *out =
        (asif_matrix){.rows = rows, .columns = columns, .offset = offset, .column = column, .value = value};
    return count;
}

static void fill(asif_setting_spec *spec, const arrays *a, const asif_dynamics_matrices *at) {
    uint64_t S = spec->states, U = spec->actions, X = spec->observations, used = 0;
    for (uint32_t u = 0; u < U; u++) {
        used += compress(&a->matrix[u], spec->states, spec->states, at->move + u * S * S, S, 1,
                         a->offset + u * (S + 1), a->column + used, a->value + used);
        a->index[u] = a->index[U + u] = u;
    }
    for (uint32_t u = 0; u < U; u++) {
        used += compress(&a->matrix[U + u], spec->states, spec->observations, at->emit + u * (X + 1) * S, 1,
                         S, a->offset + (U + u) * (S + 1), a->column + used, a->value + used);
        a->index[2 * U + u] = a->index[3 * U + u] = (uint32_t)U + u;
    }
    for (uint32_t i = 0; i < U * S; i++) {
        a->term[i] = (asif_utility_term){.by = ASIF_BY_STATE,
                                         .parameter = i,
                                         .action = i / spec->states,
                                         .index = i % spec->states,
                                         .coefficient = 1};
        asif_format(a->name[i], NAME_SIZE, "v.%u", i);
        a->names[i] = a->name[i];
    }
}

static asif_status make_setting(asif_po_irl *agent, const asif_dynamics_matrices *at, asif_error *error) {
    const asif_context *context = agent->beliefs->lesson->context;
    const asif_setting_spec *from = asif_setting_get(agent->beliefs->lesson->setting);
    uint64_t S = from->states, U = from->actions, X = from->observations;
    asif_setting_spec spec = {.struct_size = sizeof spec,
                              .states = from->states,
                              .actions = from->actions,
                              .observations = from->observations,
                              .worlds = 1,
                              .starts = from->starts,
                              .state_names = from->state_names,
                              .action_names = from->action_names,
                              .observation_names = from->observation_names,
                              .start_names = from->start_names,
                              .start_column = from->start_column,
                              .environment_start = at->start,
                              .ends = from->ends,
                              .discount = from->discount,
                              .observation_columns = from->observation_columns,
                              .observation_column = from->observation_column};
    arrays a = {.matrix = ASIF_ARRAY(context, 2 * U, asif_matrix),
                .offset = ASIF_ARRAY(context, 2 * U * (S + 1), uint64_t),
                .column = ASIF_ARRAY(context, U * S * (S + X), uint32_t),
                .index = ASIF_ARRAY(context, 4 * U, uint32_t),
                .value = ASIF_ARRAY(context, U * S * (S + X), double),
                .term = ASIF_ARRAY(context, U * S, asif_utility_term),
                .name = asif_alloc(context, U * S, NAME_SIZE),
                .names = ASIF_ARRAY(context, U * S, const char *)};
    asif_status status = ASIF_OK;
    if (a.matrix && a.offset && a.column && a.index && a.value && a.term && a.name && a.names) {
        fill(&spec, &a, at);
        spec.matrices = (uint32_t)(2 * U);
        spec.matrix = a.matrix;
        spec.transitions = a.index;
        spec.emissions = a.index + 2 * U;
        spec.parameters = (uint32_t)(U * S);
        spec.parameter_names = a.names;
        spec.terms = U * S;
        spec.term = a.term;
        status = asif_setting_create(&agent->setting, context, &spec, error);
    } else {
        status = asif_fail_memory(error);
    }
    void *const used[] = {a.matrix, a.offset, a.column, a.index, a.value, a.term, a.name, a.names};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        asif_free(context, used[i]);
    return status;
}

asif_status asif_po_irl_create(asif_po_irl *out, const asif_belief_lesson *beliefs, const double *point,
                               asif_error *error) {
    const asif_context *context = beliefs->lesson->context;
    const asif_dynamics *d = beliefs->whole;
    asif_dynamics_matrices at = {0};
    *out = (asif_po_irl){.beliefs = beliefs, .utilities = d->spec.actions * d->spec.states};
    double *room = ASIF_ARRAY(context, asif_dynamics_matrix_room(d), double);
    if (!room)
        return asif_fail_memory(error);
    asif_dynamics_lay_out(&at, d, room);
    asif_dynamics_build(d, point, &at);
    asif_status status = make_setting(out, &at, error);
    asif_free(context, room);
    ASIF_TRY(status);
    ASIF_TRY(asif_theta_create(&out->theta, context, out->setting, error));
    ASIF_TRY(asif_planner_settle(PLANNER, out->theta, error));
    ASIF_TRY(asif_theta_set(out->theta, "act_alpha", 1, error));
    ASIF_TRY(asif_theta_gradient_create(&out->gradient, context, out->setting, error));
    return asif_work_create(&out->work, context, PLANNER, out->setting, beliefs->lesson->solver, error);
}

void asif_po_irl_free(asif_po_irl *agent) {
    if (!agent->beliefs)
        return;
    asif_theta_gradient_free(agent->beliefs->lesson->context, &agent->gradient);
    asif_work_free(agent->work);
    asif_theta_free(agent->theta);
    asif_setting_free(agent->setting);
}

static asif_status solve(asif_po_irl *agent, const double *utility, bool *found, asif_error *error) {
    asif_plan_info info;
    memcpy(agent->theta->utility, utility, agent->utilities * sizeof *utility);
    ASIF_TRY(asif_solve(agent->work, agent->theta, &info, error));
    *found = info.stop != ASIF_STOP_NONFINITE;
    return *found ? asif_plan_judge(&info, error) : ASIF_OK;
}

asif_status asif_po_irl_loglik(double *value, double *gradient, asif_po_irl *agent, const double *utility,
                               asif_error *error) {
    bool found = false;
    const asif_tree *tree = agent->beliefs->lesson->part;
    *value = -INFINITY;
    ASIF_TRY(solve(agent, utility, &found, error));
    if (!found)
        return ASIF_OK;
    const asif_behavior *b = asif_work_behavior(agent->work);
    if (!gradient)
        return asif_loglik(value, b, tree, NULL, error);
    ASIF_TRY(asif_loglik_check(b, tree, error));
    asif_theta_gradient_clear(&agent->gradient, agent->setting);
    ASIF_TRY(asif_loglik_gradient(value, &agent->gradient, b, tree, NULL, error));
    memcpy(gradient, agent->gradient.utility, agent->utilities * sizeof *gradient);
    return ASIF_OK;
}

asif_status asif_po_irl_predict(double *policy, asif_po_irl *agent, const double *utility,
                                asif_error *error) {
    const asif_lesson *lesson = agent->beliefs->lesson;
    uint64_t nodes = asif_tree_inside(lesson->tree)->nodes, actions = asif_tree_inside(lesson->tree)->actions;
    bool found = false;
    double ignored;
    ASIF_TRY(solve(agent, utility, &found, error));
    const asif_behavior *b = asif_work_behavior(agent->work);
    ASIF_TRY(asif_loglik_check(b, lesson->tree, error));
    asif_loglik_walk walk = {ASIF_ARRAY(lesson->context, nodes * b->width, double),
                             ASIF_ARRAY(lesson->context, nodes * b->memo_width + 1, double), policy};
    asif_status status = walk.state && walk.memo
                             ? asif_loglik_keep(&ignored, b, lesson->tree, NULL, &walk, error)
                             : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < nodes * actions; i++)
        policy[i] = exp(policy[i]);
    asif_free(lesson->context, walk.state);
    asif_free(lesson->context, walk.memo);
    return status;
}
