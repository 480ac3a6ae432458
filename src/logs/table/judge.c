/* Compares logs with an agent, and reports decisions that it cannot have made, with their rows. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

/* Compute the log-probabilities of the actions at a node, by following the history that leads to it. */
static asif_status look_at(const asif_behavior *behavior, const asif_tree *tree, uint32_t node,
                           double *log_policy, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(tree);
    const asif_context *context = asif_tree_context(tree);
    uint32_t depth = 0, root = node;
    for (; view->parent[root] != ASIF_ANY; root = view->parent[root])
        depth++;
    uint32_t *path = ASIF_ARRAY(context, depth, uint32_t);
    double *state = ASIF_ARRAY(context, asif_behavior_width(behavior), double);
    asif_status status = path && state ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        uint32_t at = node;
        for (uint32_t i = depth; i > 0; at = view->parent[at])
            path[--i] = at;
        asif_behavior_init(behavior, view->states_seen ? 0 : root,
                           view->states_seen ? view->observation[root] : ASIF_ANY, state);
    }
    for (uint32_t i = 0; status == ASIF_OK && i < depth; i++)
        status = asif_behavior_step(behavior, 1, state, &view->action[path[i]], &view->observation[path[i]],
                                    state, error);
    if (status == ASIF_OK)
        status = asif_behavior_log_policy(behavior, 1, state, log_policy, error);
    asif_free(context, path);
    asif_free(context, state);
    return status;
}

/* Whether a row comes before another; row 0, which is not known, comes last. */
static bool is_earlier(uint64_t row, uint64_t than) {
    return row != 0 && (than == 0 || row < than);
}

/* Among the nodes where an action was taken that the agent never takes, the one that comes first in the
 * table; ASIF_ANY if there is none. */
static uint32_t first_impossible(const asif_tree_view *view, const double *by_node, uint32_t *how_many) {
    uint32_t first = ASIF_ANY;
    *how_many = 0;
    for (uint32_t i = 0; i < view->nodes; i++) {
        if (by_node[i] != -INFINITY)
            continue;
        if (first == ASIF_ANY || is_earlier(view->first_row[i], view->first_row[first]))
            first = i;
        ++*how_many;
    }
    return first;
}

static bool only_action(const asif_tree_view *view, uint32_t node) {
    uint32_t taken = 0;
    for (uint32_t u = 0; u < view->actions; u++)
        taken += view->count[(uint64_t)node * view->actions + u] > 0;
    return taken == 1;
}

static asif_status list_never_taken(const asif_behavior *behavior, const asif_tree *tree,
                                    const double *by_node, const char *file, asif_problems *problems,
                                    asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(tree);
    uint32_t nodes = 0, node = first_impossible(view, by_node, &nodes), u = 0;
    if (node == ASIF_ANY)
        return ASIF_OK;
    double *log_policy = ASIF_ARRAY(asif_tree_context(tree), view->actions, double);
    asif_status status =
        log_policy ? look_at(behavior, tree, node, log_policy, error) : asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_error problem = ASIF_ERROR_INIT;
        while (u + 1 < view->actions &&
               !(view->count[(uint64_t)node * view->actions + u] > 0 && log_policy[u] == -INFINITY))
            u++;
        const char *label = asif_tree_label(tree, ASIF_LABEL_ACTION, u);
        if (view->states_seen)
            asif_fail(&problem, ASIF_OK, "the agent never does `%.60s` in `%.60s`, which was done", label,
                      asif_tree_label(tree, ASIF_LABEL_STATE, view->observation[node]));
        else if (view->parent[node] == ASIF_ANY)
            asif_fail(&problem, ASIF_OK, "the agent never begins with `%.60s`, which was done", label);
        else /* the row of a node is that of the observation that led to it */
            asif_fail(
                &problem, ASIF_OK,
                "the agent never does `%.60s` after what was seen and done up to this row, and it was done",
                label);
        asif_error_hint(
            &problem,
            nodes > 1
                ? "there are %u such places: with these values the logs cannot be by this agent; an alpha "
                  "above 0 allows every action"
                : "with these values the logs cannot be by this agent; an alpha above 0 allows every "
                  "action",
            nodes);
        asif_error_at(&problem, file, 0, 0);
        /* The row of a root or a state is that of the first action there, which may be a possible one. */
        if (view->parent[node] != ASIF_ANY || only_action(view, node))
            problem.row = view->first_row[node];
        asif_problems_add(problems, ASIF_PROBLEM_WARNING, &problem);
    }
    asif_free(asif_tree_context(tree), log_policy);
    return status;
}

asif_status asif_logs_judge(double *total, const asif_behavior *behavior, const asif_tree *tree,
                            const char *file, asif_problems *problems, asif_error *error) {
    asif_loglik_options options = ASIF_LOGLIK_OPTIONS_INIT;
    asif_error found = ASIF_ERROR_INIT;
    *total = NAN;
    options.by_node = ASIF_ARRAY(asif_tree_context(tree), asif_tree_inside(tree)->nodes, double);
    if (!options.by_node)
        return asif_fail_memory(error);
    asif_status status = asif_loglik(total, behavior, tree, &options, &found);
    if (status == ASIF_EZEROPR) {
        *total = NAN;
        asif_error_at(&found, file, 0, 0);
        if (!found.hint[0])
            asif_error_hint(
                &found, "is the label right? otherwise give the observation a probability in some world of "
                        "the agent");
        asif_problems_add(problems, ASIF_PROBLEM_ERROR, &found);
        status = ASIF_OK;
    } else if (status != ASIF_OK) {
        if (error)
            *error = found;
    } else if (*total == -INFINITY) {
        status = list_never_taken(behavior, tree, options.by_node, file, problems, error);
    }
    asif_free(asif_tree_context(tree), options.by_node);
    return status;
}
