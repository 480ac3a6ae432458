/* The page's half that computes, as WebAssembly: a study, and the agents in it that the sliders set.
 * JavaScript calls these functions and draws; every number on the page comes from the library. */
#include "explorer.h"

#include "asif/ask.h"
#include "asif/report.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-12 /* as in page.js */

/* The page has one study at a time. */
explorer explorer_page;

static const asif_report_options as_json = {sizeof(asif_report_options), true, true, 80, false};

const char *explorer_answer(char *text) {
    asif_memory_free(explorer_page.context, explorer_page.answer);
    explorer_page.answer = text;
    return text ? text : "{\"error\": {\"message\": \"out of memory\", \"hint\": \"\"}}";
}

const char *explorer_failed(const asif_error *error, const asif_problems *problems) {
    asif_context *c = explorer_page.context;
    char *message = NULL, *hint = NULL, *list = NULL, *text = NULL;
    if (problems && asif_report_problems(&list, c, problems, &as_json, NULL) != ASIF_OK)
        list = NULL;
    if (asif_report_quoted(&message, c, error->message, NULL) == ASIF_OK &&
        asif_report_quoted(&hint, c, error->hint, NULL) == ASIF_OK) {
        size_t room = strlen(message) + strlen(hint) + (list ? strlen(list) : 2) + 128;
        text = asif_alloc(explorer_page.context, room, 1);
        if (text)
            snprintf(text, room,
                     "{\"error\": {\"message\": %s, \"hint\": %s, \"line\": %u}, \"problems\": %s}", message,
                     hint, (unsigned)error->line, list ? list : "[]");
    }
    asif_memory_free(c, message);
    asif_memory_free(c, hint);
    asif_memory_free(c, list);
    return explorer_answer(text);
}

static void free_agent(explorer_agent *agent) {
    asif_work_free(agent->work);
    asif_theta_free(agent->theta);
    *agent = (explorer_agent){0};
}

static void close_study(void) {
    for (int i = 0; i < EXPLORER_AGENTS; i++)
        free_agent(&explorer_page.agent[i]);
    asif_study_free(explorer_page.study);
    explorer_page.study = NULL;
    free(explorer_page.text);
    explorer_page.text = NULL;
}

/* Whether the page's progress callback asks to stop; it only shows what is done. */
EM_JS(void, explorer_progress, (const char *what, double done), {
    if (Module.progress)
        Module.progress(UTF8ToString(what), done);
})

static bool progress(void *user, const char *what, double done) {
    (void)user;
    explorer_progress(what, done);
    return false;
}

/* Write what the study has, in two parts of one object: as `asif check --json` describes it, and its
 * problems. */
static const char *describe_study(const asif_problems *problems) {
    explorer *page = &explorer_page;
    asif_error error = ASIF_ERROR_INIT;
    char *study = NULL, *list = NULL, *text = NULL;
    if (asif_report_study(&study, page->context, page->study, &as_json, &error) != ASIF_OK ||
        asif_report_problems(&list, page->context, problems, &as_json, &error) != ASIF_OK) {
        asif_memory_free(page->context, study);
        return explorer_failed(&error, NULL);
    }
    const asif_plan_options *solver = asif_study_solver(page->study);
    size_t room = strlen(study) + strlen(list) + 128;
    text = asif_alloc(explorer_page.context, room, 1);
    if (text)
        snprintf(text, room, "{\"resolution\": %u, \"study\": %s, \"problems\": %s}",
                 (unsigned)solver->resolution, study, list);
    asif_memory_free(page->context, study);
    asif_memory_free(page->context, list);
    return explorer_answer(text);
}

const char *explorer_open(const char *text) {
    explorer *page = &explorer_page;
    asif_error error = ASIF_ERROR_INIT;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_problems *problems = NULL;
    asif_study *study = NULL;
    options.progress = progress;
    if (!page->context && asif_context_create(&page->context, &options, &error) != ASIF_OK)
        return explorer_answer(NULL);
    asif_status status = asif_problems_create(&problems, page->context, 0, &error);
    if (status == ASIF_OK)
        status = asif_study_read(&study, page->context, text, strlen(text), "study.yaml", problems, &error);
    const char *answer;
    if (status == ASIF_OK) {
        close_study();
        page->study = study;
        page->text = strdup(text);
        answer = describe_study(problems);
    } else
        answer = explorer_failed(&error, problems);
    asif_problems_free(problems);
    return answer;
}

/* Split "a=1\nb=2" into its lines, in place; at most `room`. */
static uint32_t split_lines(char *text, const char **line, uint32_t room) {
    uint32_t count = 0;
    for (char *at = text; *at && count < room;) {
        char *end = at + strcspn(at, "\n");
        line[count++] = at;
        at = *end ? end + 1 : end;
        *end = 0;
    }
    return count;
}

static asif_status set_values(explorer_agent *agent, const char *values, asif_error *error) {
    enum { MOST = 256 };
    const char *pair[MOST];
    char *copy = strdup(values);
    asif_theta *theta = NULL;
    if (!copy)
        return ASIF_ENOMEM;
    uint32_t pairs = split_lines(copy, pair, MOST);
    asif_status status = asif_study_values(&theta, explorer_page.study, pair, pairs, error);
    free(copy);
    if (status != ASIF_OK)
        return status;
    asif_theta_free(agent->theta);
    agent->theta = theta;
    return ASIF_OK;
}

static asif_status make_work(explorer_agent *agent, uint32_t resolution, asif_error *error) {
    explorer *page = &explorer_page;
    asif_plan_options solver = *asif_study_solver(page->study);
    if (agent->work && agent->resolution == resolution)
        return ASIF_OK;
    /* A page starts from the last solution and the command from nothing: their numbers agree to the
     * tolerance. */
    if (solver.tol > TOLERANCE)
        solver.tol = TOLERANCE;
    asif_work_free(agent->work);
    agent->work = NULL;
    agent->resolution = resolution;
    if (resolution) {
        solver.resolution = resolution;
        solver.lattice_error = 0;
        solver.beliefs = ASIF_BELIEFS_LATTICE;
    }
    return asif_work_create(&agent->work, page->context, asif_study_planner(page->study),
                            asif_study_setting(page->study), &solver, error);
}

static bool gives_occupancy(const char *planner) {
    const asif_planner_info *info = NULL;
    for (uint32_t i = 0; (info = asif_planner_get(i)) && strcmp(info->name, planner) != 0;)
        i++;
    return info && info->gives & ASIF_GIVES_OCCUPANCY;
}

static const char *report_agent(explorer_agent *agent, const char *history, const double *belief,
                                uint32_t beliefs) {
    explorer *page = &explorer_page;
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_request request = ASIF_PLAN_REQUEST_INIT;
    uint32_t *action = NULL, *observation = NULL;
    char *text = NULL;
    asif_status status = asif_setting_read_history(&action, &observation, &request.events, page->context,
                                                   asif_study_setting(page->study), history, &error);
    request.action = action;
    request.observation = observation;
    request.belief = belief;
    request.beliefs = beliefs;
    request.occupancy = gives_occupancy(asif_study_planner(page->study));
    if (status == ASIF_OK)
        status = asif_report_plan(&text, page->context, page->study, agent->work, agent->theta, &agent->info,
                                  &request, &as_json, &error);
    /* Without a long run, as where nothing is discounted, there are no costs in it. */
    if (status == ASIF_EUNSUPPORTED && request.occupancy) {
        request.occupancy = false;
        status = asif_report_plan(&text, page->context, page->study, agent->work, agent->theta, &agent->info,
                                  &request, &as_json, &error);
    }
    asif_memory_free(page->context, action);
    asif_memory_free(page->context, observation);
    return status == ASIF_OK ? explorer_answer(text) : explorer_failed(&error, NULL);
}

const char *explorer_solve(uint32_t which, const char *values, uint32_t resolution, const char *history,
                           const double *belief, uint32_t beliefs) {
    asif_error error = ASIF_ERROR_INIT;
    explorer_agent *agent = &explorer_page.agent[which];
    if (set_values(agent, values, &error) != ASIF_OK || make_work(agent, resolution, &error) != ASIF_OK ||
        asif_solve(agent->work, agent->theta, &agent->info, &error) != ASIF_OK)
        return explorer_failed(&error, NULL);
    return report_agent(agent, history, belief, beliefs);
}

/* Set the belief at a point of a grid over two states, or over a triangle of three. */
static uint32_t fill_grid(double *belief, uint32_t states, uint32_t intervals) {
    uint32_t n = 0;
    for (uint32_t i = 0; i <= intervals; i++)
        for (uint32_t j = 0; j <= (states == 3 ? intervals - i : 0); j++, n++) {
            double *b = belief + (uint64_t)n * states;
            b[0] = (double)(intervals - i - j) / intervals;
            b[1] = states == 3 ? (double)j / intervals : (double)i / intervals;
            if (states == 3)
                b[2] = (double)i / intervals;
        }
    return n;
}

const double *explorer_grid(uint32_t which, uint32_t intervals) {
    explorer_agent *agent = &explorer_page.agent[which];
    const asif_behavior *behavior = asif_work_behavior(agent->work);
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(explorer_page.study));
    uint32_t states = spec->states, width = asif_behavior_width(behavior);
    if (width != states || states < 2 || states > 3 || asif_behavior_hidden(behavior))
        return NULL;
    uint32_t points = states == 2 ? intervals + 1 : (intervals + 1) * (intervals + 2) / 2;
    double *belief = calloc((size_t)points * states, sizeof *belief);
    free(explorer_page.numbers);
    explorer_page.numbers = calloc((size_t)points * (spec->actions + 1), sizeof *explorer_page.numbers);
    asif_view view = ASIF_VIEW_INIT;
    asif_status status = ASIF_ENOMEM;
    if (belief && explorer_page.numbers) {
        fill_grid(belief, states, intervals);
        view.policy = explorer_page.numbers;
        view.value = explorer_page.numbers + (size_t)points * spec->actions;
        status = asif_look(behavior, points, belief, &view, NULL);
    }
    free(belief);
    return status == ASIF_OK ? explorer_page.numbers : NULL;
}
