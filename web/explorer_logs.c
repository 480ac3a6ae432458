/* Logs on the page: what the agent achieves in the environment, which logs tell two agents apart, and fits of
 * a table. */
#include "explorer.h"

#include "asif/ask.h"
#include "asif/fit.h"
#include "asif/report.h"
#include "base/memory.h"
#include "questions/outcomes/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tests and errors ---- */

/* Ask for the outcomes of a stated agent. They are made for fits, so one parameter counts as estimated: with
 * its value as the maximum the agent is as stated. eta is its own coordinate and can have any finite value.
 */
static asif_status find_outcomes(asif_outcomes **out, explorer_agent *agent, uint32_t episodes,
                                 asif_error *error) {
    explorer *page = &explorer_page;
    asif_estimate_spec spec = {.name = "eta", .standard = NAN};
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_BRIEF;
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_theta *given = NULL;
    asif_estimates *estimates = NULL;
    double eta = 0;
    options.draws = 1;
    options.loss_draws = 0;
    options.episodes = options.ideal_episodes = episodes;
    asif_status status = asif_theta_get(agent->theta, "eta", &eta, error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&given, agent->theta, error);
    if (status == ASIF_OK)
        status = asif_theta_unset(given, "eta", error);
    if (status == ASIF_OK)
        status = asif_estimates_create(&estimates, page->context, given, &spec, 1, ASIF_PRIORS_STATED, NULL,
                                       error);
    fitted.context = page->context;
    fitted.planner = asif_study_planner(page->study);
    fitted.solver = asif_study_solver(page->study);
    fitted.setting = asif_study_setting(page->study);
    fitted.given = given;
    fitted.spec = &spec;
    fitted.specs = 1;
    fitted.estimates = estimates;
    fitted.work = agent->work;
    fitted.maximum = &eta;
    if (status == ASIF_OK)
        status = asif_outcomes_run(out, &fitted, &options, error);
    asif_estimates_free(estimates);
    asif_theta_free(given);
    return status;
}

const char *explorer_outcomes(uint32_t which, uint32_t episodes) {
    asif_error error = ASIF_ERROR_INIT;
    asif_outcomes *outcomes = NULL;
    char *text = NULL;
    asif_status status = find_outcomes(&outcomes, &explorer_page.agent[which], episodes, &error);
    if (status == ASIF_OK)
        status = asif_outcomes_json(&text, outcomes, &error);
    asif_outcomes_free(outcomes);
    return status == ASIF_OK ? explorer_answer(text) : explorer_failed(&error, NULL);
}

/* ---- which logs tell two agents apart ---- */

/* A text that grows, in memory of the context, as all answers are; `data` is NULL once there was no memory.
 */
typedef struct {
    char *data;
    size_t length, room;
    bool failed;
} growing;

static asif_status add_bytes(void *user, const char *data, uint64_t length) {
    growing *text = user;
    if (text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + (size_t)length) + 4096;
        char *more = asif_realloc(explorer_page.context, text->data, room, 1);
        text->failed |= !more;
        if (!more)
            return ASIF_ENOMEM;
        text->data = more;
        text->room = room;
    }
    memcpy(text->data + text->length, data, (size_t)length);
    text->length += (size_t)length;
    text->data[text->length] = 0;
    return ASIF_OK;
}

static void add_text(growing *to, const char *text) {
    (void)add_bytes(to, text, strlen(text));
}

static void add_number(growing *to, const char *before, double number) {
    char text[96];
    if (isfinite(number))
        snprintf(text, sizeof text, "%s%.17g", before, number);
    else
        snprintf(text, sizeof text, "%s\"%s\"", before, isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    add_text(to, text);
}

static asif_status simulate_tree(asif_tree **out, const asif_behavior *behavior, uint64_t episodes,
                                 asif_error *error) {
    explorer *page = &explorer_page;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    asif_logs_options read = ASIF_LOGS_OPTIONS_INIT;
    growing table = {0};
    options.episodes = episodes;
    read.setting = asif_study_setting(page->study);
    asif_status status = asif_simulate_csv(behavior, &options, add_bytes, &table, NULL, error);
    if (status == ASIF_OK)
        status = asif_logs_read_text(out, page->context, table.data, table.length, "simulated", &read, NULL,
                                     NULL, error);
    asif_free(explorer_page.context, table.data);
    return status;
}

typedef struct {
    asif_tree_view tree;
    uint32_t width[EXPLORER_AGENTS];
    double *state[EXPLORER_AGENTS];  /* [nodes][width] */
    double *policy[EXPLORER_AGENTS]; /* [nodes][actions], logarithms */
    double *nats;                    /* [nodes]: this node's part of all nats */
    double *visits;                  /* [nodes] */
} apart;

static asif_status follow_agent(apart *a, int which, const asif_behavior *behavior, asif_error *error) {
    const asif_tree_view *tree = &a->tree;
    uint32_t w = a->width[which] = asif_behavior_width(behavior);
    double *state = a->state[which] = calloc((size_t)tree->nodes * w, sizeof *state);
    a->policy[which] = calloc((size_t)tree->nodes * tree->actions, sizeof **a->policy);
    if (!state || !a->policy[which])
        return ASIF_ENOMEM;
    for (uint32_t n = 0; n < tree->nodes; n++) {
        asif_status status = ASIF_OK;
        if (tree->states_seen || n < tree->starts)
            asif_behavior_init(behavior, tree->states_seen ? 0 : n, tree->states_seen ? n : ASIF_ANY,
                               state + (size_t)n * w);
        else
            status = asif_behavior_step(behavior, 1, state + (size_t)tree->parent[n] * w, tree->action + n,
                                        tree->observation + n, state + (size_t)n * w, error);
        if (status != ASIF_OK)
            return status;
    }
    return asif_behavior_log_policy(behavior, tree->nodes, state, a->policy[which], error);
}

/* Divergence of the second agent's policy from the first one's at each node, times how often the first gets
 * there. */
static double sum_nats(apart *a) {
    uint32_t actions = a->tree.actions;
    double sum = 0;
    for (uint32_t n = 0; n < a->tree.nodes; n++) {
        const double *p = a->policy[0] + (size_t)n * actions, *q = a->policy[1] + (size_t)n * actions;
        double divergence = 0;
        for (uint32_t u = 0; u < actions; u++) {
            a->visits[n] += a->tree.count[(size_t)n * actions + u];
            if (p[u] > -INFINITY)
                divergence += exp(p[u]) * (p[u] - q[u]);
        }
        a->nats[n] = a->visits[n] > 0 ? a->visits[n] * divergence : 0;
        sum += a->nats[n];
    }
    return sum;
}

/* Write the history of a node, "ACTION:OBSERVATION,...", or the state. */
static void add_history(growing *to, const apart *a, uint32_t node) {
    enum { LONGEST = 64 };
    const asif_setting *setting = asif_study_setting(explorer_page.study);
    uint32_t path[LONGEST], length = 0;
    char buffer[ASIF_LABEL_SIZE];
    growing text = {0};
    char *quoted = NULL;
    add_text(&text, "");
    if (a->tree.states_seen)
        add_text(&text, asif_setting_label(setting, ASIF_LABEL_STATE, node, buffer));
    for (uint32_t n = node; !a->tree.states_seen && n >= a->tree.starts && length < LONGEST;
         n = a->tree.parent[n])
        path[length++] = n;
    for (uint32_t i = length; i-- > 0;) {
        uint32_t n = path[i], o = a->tree.observation[n];
        add_text(&text, asif_setting_label(setting, ASIF_LABEL_ACTION, a->tree.action[n], buffer));
        add_text(&text, ":");
        add_text(&text, o == ASIF_ANY ? "" : asif_setting_label(setting, ASIF_LABEL_OBSERVATION, o, buffer));
        add_text(&text, i ? "," : "");
    }
    to->failed |= text.failed || asif_report_quoted(&quoted, explorer_page.context,
                                                    text.data ? text.data : "", NULL) != ASIF_OK;
    add_text(to, quoted ? quoted : "\"\"");
    asif_memory_free(explorer_page.context, quoted);
    asif_free(explorer_page.context, text.data);
}

static void add_policies(growing *to, const apart *a, uint32_t node) {
    for (int i = 0; i < EXPLORER_AGENTS; i++) {
        add_text(to, i ? ", \"other\": [" : ", \"policy\": [");
        for (uint32_t u = 0; u < a->tree.actions; u++)
            add_number(to, u ? ", " : "", exp(a->policy[i][(size_t)node * a->tree.actions + u]));
        add_text(to, "]");
    }
}

/* The histories that tell most, the largest part first. */
static void add_histories(growing *to, apart *a, uint64_t episodes, uint32_t most) {
    add_text(to, ", \"histories\": [");
    for (uint32_t k = 0; k < most; k++) {
        uint32_t best = 0;
        for (uint32_t n = 1; n < a->tree.nodes; n++)
            if (a->nats[n] > a->nats[best])
                best = n;
        if (a->tree.nodes == 0 || !(a->nats[best] > 0))
            break;
        add_text(to, k ? ", {\"history\": " : "{\"history\": ");
        add_history(to, a, best);
        add_number(to, ", \"nats_per_1000\": ", 1000 * a->nats[best] / (double)episodes);
        add_number(to, ", \"share\": ", a->visits[best] / (double)episodes);
        add_policies(to, a, best);
        add_text(to, "}");
        a->nats[best] = 0;
    }
    add_text(to, "]");
}

static asif_status compare_agents(growing *to, apart *a, asif_tree *tree, uint64_t episodes,
                                  asif_error *error) {
    a->tree.struct_size = sizeof a->tree;
    asif_status status = asif_tree_get(tree, &a->tree, error);
    for (int i = 0; status == ASIF_OK && i < EXPLORER_AGENTS; i++)
        status = follow_agent(a, i, asif_work_behavior(explorer_page.agent[i].work), error);
    if (status != ASIF_OK)
        return status;
    a->nats = calloc(a->tree.nodes + 1, sizeof *a->nats);
    a->visits = calloc(a->tree.nodes + 1, sizeof *a->visits);
    if (!a->nats || !a->visits)
        return ASIF_ENOMEM;
    add_number(to, "{\"nats_per_1000\": ", 1000 * sum_nats(a) / (double)episodes);
    add_number(to, ", \"episodes\": ", (double)episodes);
    add_histories(to, a, episodes, 8);
    add_text(to, "}");
    return to->failed ? ASIF_ENOMEM : ASIF_OK;
}

const char *explorer_apart(uint32_t episodes) {
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    apart a = {0};
    growing text = {0};
    asif_status status =
        simulate_tree(&tree, asif_work_behavior(explorer_page.agent[0].work), episodes, &error);
    if (status == ASIF_OK)
        status = compare_agents(&text, &a, tree, episodes, &error);
    asif_tree_free(tree);
    for (int i = 0; i < EXPLORER_AGENTS; i++) {
        free(a.state[i]);
        free(a.policy[i]);
    }
    free(a.nats);
    free(a.visits);
    if (status == ASIF_OK)
        return explorer_answer(text.data);
    asif_free(explorer_page.context, text.data);
    return explorer_failed(&error, NULL);
}

/* ---- a table ---- */

const char *explorer_simulate(uint32_t which, uint32_t episodes) {
    static growing table;
    asif_error error = ASIF_ERROR_INIT;
    asif_simulate_options options = ASIF_SIMULATE_OPTIONS_INIT;
    options.episodes = episodes;
    table.length = 0;
    asif_status status = asif_simulate_csv(asif_work_behavior(explorer_page.agent[which].work), &options,
                                           add_bytes, &table, NULL, &error);
    return status == ASIF_OK ? table.data : explorer_failed(&error, NULL);
}

static const asif_report_options as_text = {sizeof(asif_report_options), false, true, 80, false};

static asif_status read_table(asif_tree **out, const char *table, asif_problems *problems,
                              asif_error *error) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.map = asif_study_logs(explorer_page.study);
    options.setting = asif_study_setting(explorer_page.study);
    options.subjects = true;
    return asif_logs_read_text(out, explorer_page.context, table, strlen(table), "table", &options, NULL,
                               problems, error);
}

const char *explorer_count(const char *table) {
    asif_error error = ASIF_ERROR_INIT;
    asif_problems *problems = NULL;
    asif_tree *tree = NULL;
    char *text = NULL;
    static const char *const name = "table";
    asif_logs_request request = ASIF_LOGS_REQUEST_INIT;
    asif_status status = asif_problems_create(&problems, explorer_page.context, 0, &error);
    if (status == ASIF_OK)
        status = read_table(&tree, table, problems, &error);
    request.file = &name;
    request.files = 1;
    request.tree = tree;
    request.problems = problems;
    if (status == ASIF_OK)
        status = asif_report_logs(&text, explorer_page.context, &request, &as_text, &error);
    const char *answer = status == ASIF_OK ? explorer_answer(text) : explorer_failed(&error, problems);
    asif_tree_free(tree);
    asif_problems_free(problems);
    return answer;
}

static asif_status fit_tree(char **out, const asif_tree *tree, asif_error *error) {
    explorer *page = &explorer_page;
    asif_fit_request request = ASIF_FIT_REQUEST_INIT;
    asif_fit_options how;
    asif_tree *people = NULL;
    asif_whole_fit *fit = NULL;
    asif_fit_defaults(&how, ASIF_FIT_RIDGE);
    how.sample.seed = 0; /* as the command's */
    request.study = page->study;
    request.how = &how;
    request.map = asif_study_logs(page->study);
    request.no_sensitivity = true;
    asif_status status = asif_tree_by_subject(&people, tree, NULL, NULL, error);
    request.logs = people;
    if (status == ASIF_OK)
        status = asif_fit_run(&fit, page->context, &request, NULL, error);
    if (status == ASIF_OK)
        status = asif_whole_fit_json(out, fit, error);
    asif_whole_fit_free(fit);
    asif_tree_free(people);
    return status;
}

const char *explorer_fit(const char *table) {
    asif_error error = ASIF_ERROR_INIT;
    asif_problems *problems = NULL;
    asif_tree *tree = NULL;
    char *text = NULL;
    asif_status status = asif_problems_create(&problems, explorer_page.context, 0, &error);
    if (status == ASIF_OK)
        status = read_table(&tree, table, problems, &error);
    if (status == ASIF_OK)
        status = fit_tree(&text, tree, &error);
    const char *answer = status == ASIF_OK ? explorer_answer(text) : explorer_failed(&error, problems);
    asif_tree_free(tree);
    asif_problems_free(problems);
    return answer;
}

const char *explorer_summary(const char *json) {
    asif_error error = ASIF_ERROR_INIT;
    char *text = NULL;
    asif_status status = asif_report_summary(&text, NULL, explorer_page.context, json, strlen(json),
                                             "fit.json", &as_text, &error);
    return status == ASIF_OK ? explorer_answer(text) : explorer_failed(&error, NULL);
}
