#include "asif/report.h"

#include "cli.h"
#include "commands/figures.h"
#include "job.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"belief", 'b', CLI_LIST, "B",
     "show the agent at this belief: probabilities of the states, in the study's order, with commas between; "
     "where the agent sees the state, the state's name (repeatable)",
     offsetof(cli_args, belief), 0, 0},
    {"decision", 0, CLI_COUNT, "N",
     "in a study with a horizon, show the agent at its Nth decision, from 1 (default: at beliefs that you "
     "name the first, else the first and the last)",
     offsetof(cli_args, decision), 1, 4294967295.0},
    {"seen", 0, CLI_TEXT, "VALUE",
     "where a part of the state is seen, show the agent where it sees this value, as the study joins its "
     "parts: A/B (default: the first with which an episode begins)",
     offsetof(cli_args, seen), 0, 0},
    CLI_CONDITION_OPTION("show the agent in this condition"),
    {"history", 0, CLI_TEXT, "A:O,...",
     "show the agent along a history: each action with what was observed after it",
     offsetof(cli_args, history), 0, 0},
    {"start", 0, CLI_TEXT, "CLASS",
     "the start class that a history and the occupancy begin with (default: the first)",
     offsetof(cli_args, start), 0, 0},
    {"first", 0, CLI_TEXT, "STATE",
     "where the agent sees the state, the state that they begin with (default: the most likely for a "
     "history, any by its probability for the occupancy)",
     offsetof(cli_args, first), 0, 0},
    {"occupancy", 0, CLI_SWITCH, NULL,
     "also print what the agent expects in the long run, and its information costs",
     offsetof(cli_args, occupancy), 0, 0},
    {"figures", 0, CLI_TEXT, "DIR",
     "also write a figure of the actions at each belief to DIR, as a Vega-Lite specification: policy.vl.json "
     "for two states, simplex.vl.json for three",
     offsetof(cli_args, figures), 0, 0},
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

#define MOST_STATES 20 /* of a condition, where none is named */

/* A request to the library, and the arrays that it borrows. */
typedef struct {
    double *belief;
    uint32_t *action, *observation;
    asif_condition condition; /* that of --condition */
    asif_plan_request request;
} plan_points;

static int bad_belief(const cli_job *job, const char *text, const char *why) {
    const asif_setting *setting = asif_study_setting(job->study);
    uint32_t states = asif_setting_count(setting, ASIF_LABEL_HIDDEN);
    char first[ASIF_LABEL_SIZE], last[ASIF_LABEL_SIZE];
    cli_say("--belief %s: %s", text, why);
    cli_hint("give %u probabilities from 0 to 1 that sum to 1, from '%s' to '%s', with commas between",
             (unsigned)states, asif_setting_label(setting, ASIF_LABEL_HIDDEN, 0, first),
             asif_setting_label(setting, ASIF_LABEL_HIDDEN, states - 1, last));
    return CLI_USAGE;
}

static int read_belief(const cli_job *job, const char *text, double *belief, uint32_t states) {
    const char *at = text;
    char why[128];
    double sum = 0;
    uint32_t count = 0;
    for (;;) {
        const char *end = at + strcspn(at, ",");
        double number;
        if (!cli_read_number(at, end, &number)) {
            snprintf(why, sizeof why, "'%.*s' is not a number", (int)(end - at < 60 ? end - at : 60), at);
            return bad_belief(job, text, why);
        }
        if (!(number >= 0 && number <= 1))
            return bad_belief(job, text, "a probability is from 0 to 1");
        if (count < states)
            belief[count] = number;
        count++;
        sum += number;
        if (!*end)
            break;
        at = end + 1;
    }
    if (count != states) {
        snprintf(why, sizeof why, "%u number%s for %u states", (unsigned)count, count == 1 ? "" : "s",
                 (unsigned)states);
        return bad_belief(job, text, why);
    }
    if (fabs(sum - 1) > 1e-6) {
        snprintf(why, sizeof why, "the probabilities sum to %.7g", sum);
        return bad_belief(job, text, why);
    }
    /* Normalise, unless the sum differs from 1 by rounding only. */
    for (uint32_t s = 0; s < states && fabs(sum - 1) > 1e-12; s++)
        belief[s] /= sum;
    return CLI_OK;
}

/* The place with which an episode of the start class begins. False: no memory. */
static bool first_place(cli_job *job, const plan_points *points, uint32_t width, double *out) {
    double *state = calloc(width, sizeof *state);
    if (state)
        asif_behavior_init(asif_work_behavior(job->work), points->request.start, ASIF_ANY, state);
    *out = state ? state[0] : 0;
    free(state);
    return state != NULL;
}

/* Where states are seen, show those of the condition. */
static int list_states(plan_points *points) {
    uint32_t count = points->condition.states < MOST_STATES ? points->condition.states : MOST_STATES;
    points->belief = calloc((size_t)count + 1, sizeof *points->belief);
    if (!points->belief)
        return cli_no_memory();
    for (uint32_t i = 0; i < count; i++)
        points->belief[i] = points->condition.first_state + i;
    points->request.beliefs = count;
    points->request.belief = points->belief;
    return CLI_OK;
}

static int read_beliefs(cli_job *job, plan_points *points) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(job->study));
    const cli_list *list = &job->args->belief;
    uint32_t width = asif_behavior_width(asif_work_behavior(job->work));
    bool placed = spec->seen > 1 || spec->horizon > 0;
    if (list->count > 0 && asif_behavior_hidden(asif_work_behavior(job->work)) && !placed) {
        cli_say("--belief: the planner %s has no beliefs: what it remembers is hidden in it",
                asif_study_planner(job->study));
        cli_hint("--history ACTION:OBSERVATION,... shows what it does");
        return CLI_USAGE;
    }
    double first = 0;
    if (placed && !first_place(job, points, width, &first))
        return cli_no_memory();
    if (!placed && job->args->condition && list->count == 0)
        return list_states(points);
    if (placed && job->args->condition && points->request.place == ASIF_ANY)
        points->request.place = (uint32_t)first;
    points->belief = calloc((size_t)list->count * width + 1, sizeof *points->belief);
    if (!points->belief)
        return cli_no_memory();
    for (uint32_t i = 0; i < list->count; i++) {
        if (spec->observations == 0) {
            uint32_t state = cli_find_label(job, ASIF_LABEL_STATE, list->item[i], "a state");
            if (state == ASIF_ANY)
                return CLI_USAGE;
            points->belief[i] = state;
            continue;
        }
        double *belief = points->belief + (size_t)i * width;
        if (placed)
            belief[0] = points->request.place == ASIF_ANY ? first : points->request.place;
        int code = read_belief(job, list->item[i], belief + placed, width - placed);
        if (code != CLI_OK)
            return code;
    }
    points->request.beliefs = list->count;
    points->request.belief = points->belief;
    return CLI_OK;
}

/* The place of agent states: the number of decisions made in a study with a horizon, and what is seen. */
static int read_place(cli_job *job, plan_points *points) {
    const asif_setting_spec *spec = asif_setting_get(asif_study_setting(job->study));
    const cli_count *decision = &job->args->decision;
    uint32_t seen = 0, values = spec->seen > 1 ? spec->seen : 1;
    if (job->args->seen && spec->seen < 2) {
        cli_say("--seen is for studies in which a part of the state is seen, and here none is");
        return CLI_USAGE;
    }
    if (job->args->seen) {
        seen = cli_find_label(job, ASIF_LABEL_SEEN, job->args->seen, "a seen value");
        if (seen == ASIF_ANY)
            return CLI_USAGE;
        points->request.place = seen;
    }
    if (!decision->given)
        return CLI_OK;
    if (!spec->horizon) {
        cli_say("--decision is for studies with a horizon, and this one has none");
        return CLI_USAGE;
    }
    if (decision->value > spec->horizon) {
        cli_say("--decision %.0f: the horizon is %u decisions", (double)decision->value,
                (unsigned)spec->horizon);
        return CLI_USAGE;
    }
    points->request.place = ((uint32_t)decision->value - 1) * values + seen;
    return CLI_OK;
}

static int read_history(cli_job *job, plan_points *points) {
    asif_status status = asif_setting_read_history(
        &points->action, &points->observation, &points->request.events, job->context,
        asif_study_setting(job->study), job->args->history, &job->error);
    points->request.action = points->action;
    points->request.observation = points->observation;
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int read_points(cli_job *job, plan_points *points) {
    *points = (plan_points){.request = ASIF_PLAN_REQUEST_INIT};
    points->request.occupancy = job->args->occupancy;
    if (job->args->start) {
        points->request.start = cli_find_label(job, ASIF_LABEL_START, job->args->start, "a start class");
        if (points->request.start == ASIF_ANY)
            return CLI_USAGE;
    }
    if (job->args->condition) {
        int code = cli_find_condition(job, &points->condition);
        if (code != CLI_OK)
            return code;
        points->request.start = points->condition.start;
    }
    if (job->args->first) {
        if (asif_setting_get(asif_study_setting(job->study))->observations) {
            cli_say("--first is for agents that see the state, and this one does not");
            cli_hint("--belief shows it at a belief, --start chooses among start classes");
            return CLI_USAGE;
        }
        points->request.first = cli_find_label(job, ASIF_LABEL_STATE, job->args->first, "a state");
        if (points->request.first == ASIF_ANY)
            return CLI_USAGE;
    }
    int code = read_place(job, points);
    if (code == CLI_OK)
        code = read_beliefs(job, points);
    return code == CLI_OK ? read_history(job, points) : code;
}

static int print_plan(cli_job *job, const asif_plan_request *request) {
    asif_report_options report = cli_report_options(job->args->json);
    char *text = NULL;
    if (asif_report_plan(&text, job->context, job->study, job->work, job->theta, &job->info, request, &report,
                         &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    fputs(text, stdout);
    asif_memory_free(job->context, text);
    return CLI_OK;
}

static int draw_plan(cli_job *job, const asif_plan_request *request) {
    asif_figures *figures = NULL;
    if (asif_figures_plan(&figures, job->context, job->study, job->work, job->theta, request, &job->error) !=
        ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_figures_write(job, figures);
    if (code == CLI_OK && asif_figures_count(figures) == 0 && !job->args->quiet)
        cli_say(asif_setting_get(asif_study_setting(job->study))->horizon ||
                        asif_setting_get(asif_study_setting(job->study))->seen > 1
                    ? "nothing was drawn: with a horizon, or a seen part, there are figures of beliefs "
                      "over two hidden values"
                    : "nothing was drawn: there are figures of beliefs over two states or three");
    asif_figures_free(figures);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    plan_points points = {0};
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = cli_job_solve(&job, args->operand[0]);
    if (code == CLI_OK || code == CLI_NO) {
        int shown = read_points(&job, &points);
        if (shown == CLI_OK)
            shown = print_plan(&job, &points.request);
        if (shown == CLI_OK && args->figures)
            shown = draw_plan(&job, &points.request);
        if (code == CLI_NO && shown == CLI_OK)
            cli_say_unsolved(&job);
        code = shown == CLI_OK ? code : shown;
    }
    free(points.belief);
    asif_memory_free(job.context, points.action);
    asif_memory_free(job.context, points.observation);
    cli_job_close(&job);
    return code;
}

const cli_command cli_plan = {
    .name = "plan",
    .operands = "STUDY [--belief B]... [--history A:O,...] [flags]",
    .summary = "show what the agent of a study values and does",
    .about =
        "Solves the agent of a study. Prints its value, the probability of each action, and how it weighs "
        "its candidate worlds. It does so at the beliefs you name, along a history of actions and "
        "observations, or at a selection of beliefs. A parameter that the study marks `learn` needs a "
        "value from -p. The exit code is 1 if the solver did not reach its tolerance.",
    .examples = "  asif plan study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0.001\n"
                "  asif plan study.yaml -p alpha=0.5 -p beta=inf -p eta=0 --belief 0.5,0.5 \\\n"
                "      --history monitor:positive,monitor:positive --json\n"
                "  asif plan study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0.001 --figures figures\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
