#include "asif/explain.h"

#include "cli.h"
#include "history.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"subject", 0, CLI_TEXT, "NAME", "explain this subject's episode in LOGS", offsetof(cli_args, subject), 0,
     0},
    {"episode", 0, CLI_TEXT, "NAME",
     "explain this episode in LOGS; with --subject, this one of the subject's episodes",
     offsetof(cli_args, unit), 0, 0},
    {"history", 0, CLI_TEXT, "A:O,...",
     "explain a history: each action with what was observed after it (the next state, where the agent sees "
     "the state)",
     offsetof(cli_args, history), 0, 0},
    {"find", 0, CLI_TEXT, "WHAT", "list episodes of LOGS instead: belated or surprising ones",
     offsetof(cli_args, find), 0, 0},
    {"top", 0, CLI_COUNT, "N", "episodes that --find lists (default 10)", offsetof(cli_args, top), 1, 1e6},
    {"start", 0, CLI_TEXT, "CLASS",
     "the start class that a typed or simulated path begins with (default: the first)",
     offsetof(cli_args, start), 0, 0},
    {"first", 0, CLI_TEXT, "STATE",
     "where the agent sees the state, the state that a typed path begins with (default: the most likely)",
     offsetof(cli_args, first), 0, 0},
    {"draws", 0, CLI_COUNT, "N", "draws of the fit that means and bands are taken over (default 200)",
     offsetof(cli_args, draws), 1, 1e6},
    {"seed", 0, CLI_COUNT, "N", "seed of a simulated path (default 0)", offsetof(cli_args, seed), 0, 0},
    {"max-steps", 0, CLI_COUNT, "N", "decisions of a simulated path, at most (default 100)",
     offsetof(cli_args, max_steps), 1, 1e6},
    CLI_MAP_OPTION,
    CLI_THREADS_OPTION,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

typedef struct {
    asif_result *result;
    asif_result_view view;
    uint32_t *action, *observation;
    asif_explain_options options;
} task;

static int usage(const char *what, const char *hint) {
    cli_say("%s", what);
    cli_hint("%s", hint);
    return CLI_USAGE;
}

/* What is asked for has to go together. */
static int check_flags(const cli_args *args) {
    bool logs = args->operands > 1, named = args->subject || args->unit;
    if (args->find && (named || args->history))
        return usage("--find lists episodes, and one path was asked for too",
                     "give --find, or --subject, --episode or --history");
    if (args->history && (named || logs))
        return usage("a path is typed with --history or read from LOGS, not both",
                     "leave out LOGS, --subject and --episode, or --history");
    if ((args->find || named) && !logs)
        return usage(args->find ? "--find looks at logs, and none were given"
                                : "an episode was named, but no logs",
                     "asif explain DIR LOGS ...");
    if (logs && !args->find && !named)
        return usage(
            "LOGS were given, but not which episode of them",
            "name it with --subject or --episode, or list some with --find belated or --find surprising");
    return CLI_OK;
}

static int find_what(asif_explain_what *out, const char *name) {
    const char *known;
    *out = ASIF_EXPLAIN_PATH;
    if (!name)
        return CLI_OK;
    for (uint32_t i = ASIF_EXPLAIN_BELATED; (known = asif_explain_what_text((asif_explain_what)i)); i++)
        if (strcmp(name, known) == 0) {
            *out = (asif_explain_what)i;
            return CLI_OK;
        }
    cli_say("--find %s: there is no such rule", name);
    cli_hint("belated or surprising");
    return CLI_USAGE;
}

/* The fit, and its study once more for labels and columns. */
static int open_fit(cli_job *job, task *t) {
    const char *folder = job->args->operand[0];
    t->view.struct_size = sizeof t->view;
    if (asif_result_load(&t->result, job->context, folder, NULL, &job->error) != ASIF_OK ||
        asif_result_get(t->result, &t->view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return cli_job_load_fitted(job, folder);
}

static int read_logs(cli_job *job, task *t) {
    const cli_args *args = job->args;
    int code = cli_job_read_paths(job, args->operand[1], &t->view);
    t->options.tree = job->tree;
    if (code == CLI_OK && !args->find &&
        asif_explain_unit(&t->options.unit, job->tree, args->subject, args->unit, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return code;
}

static int read_typed(cli_job *job, task *t) {
    const cli_args *args = job->args;
    if (args->start) {
        t->options.start = cli_find_label(job, ASIF_LABEL_START, args->start, "a start class");
        if (t->options.start == ASIF_ANY)
            return CLI_USAGE;
    }
    if (args->first) {
        if (asif_setting_get(asif_study_setting(job->study))->observations)
            return usage("--first is for agents that see the state, and this one does not",
                         "--start chooses among start classes");
        t->options.first = cli_find_label(job, ASIF_LABEL_STATE, args->first, "a state");
        if (t->options.first == ASIF_ANY)
            return CLI_USAGE;
    }
    t->options.typed = args->history != NULL;
    int code = cli_history_read(job, &t->action, &t->observation, &t->options.events);
    t->options.action = t->action;
    t->options.observation = t->observation;
    return code;
}

static int show(cli_job *job, const task *t) {
    asif_report_options report = cli_report_options(job->args->json);
    asif_explain *explain = NULL;
    char *json = NULL, *text = NULL;
    asif_status status = asif_explain_run(&explain, t->view.fitted, &t->options, &job->error);
    cli_progress_end(&job->progress);
    if (status == ASIF_OK)
        status = asif_explain_json(&json, explain, &job->error);
    if (status == ASIF_OK)
        status = asif_report_explain(&text, job->context, json, strlen(json), "the explanation", &report,
                                     &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    asif_memory_free(job->context, json);
    asif_explain_free(explain);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int run(const cli_args *args) {
    cli_job job;
    task t = {.options = ASIF_EXPLAIN_OPTIONS_INIT};
    int code = check_flags(args);
    if (code == CLI_OK)
        code = find_what(&t.options.what, args->find);
    if (code != CLI_OK)
        return code;
    if (args->draws.given)
        t.options.draws = (uint32_t)args->draws.value;
    if (args->top.given)
        t.options.top = (uint32_t)args->top.value;
    if (args->max_steps.given)
        t.options.max_steps = (uint32_t)args->max_steps.value;
    t.options.seed = args->seed.value;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = open_fit(&job, &t);
    if (code == CLI_OK)
        code = args->operands > 1 ? read_logs(&job, &t) : read_typed(&job, &t);
    if (code == CLI_OK)
        code = show(&job, &t);
    asif_result_free(t.result);
    free(t.action);
    free(t.observation);
    cli_job_close(&job);
    return code;
}

const cli_command cli_explain = {
    .name = "explain",
    .operands = "DIR [LOGS --subject NAME | LOGS --find WHAT] [flags]",
    .summary = "one path step by step: beliefs, actions, and those of other agents",
    .about =
        "Follows one path with the agent that `asif fit` left in DIR: a subject's episode from LOGS, a "
        "history that you type, or one that is simulated with the agent in the middle of the draws (then "
        "the true state is known and shown). At each step it tells what the agent believes, with a 90 % "
        "band over the draws, and what one believes who knows the true world; the action taken, how "
        "probable it was for the fitted agent, for the same model without bounds, and for an agent that "
        "knows the true world; and what it cost: how much more utility the best action had for the agent "
        "that knows the true world. A path leaves that agent's at the first action that it takes with "
        "probability below .5. --find belated lists episodes that went on after it would have ended them: "
        "from the first step at which it ends with probability .5 or more, the decisions that end nothing "
        "are counted; the latest come first, ties by cost, then those that only the same model without "
        "bounds would have ended before "
        "(where no action ends an episode: the same of each action, and the latest counts). --find "
        "surprising lists episodes by their least probable action under the fitted agent, and tells how "
        "many that improbable are expected among all decisions.",
    .examples = "  asif explain fit logs.csv --subject 17\n  asif explain fit logs.csv --find surprising\n"
                "  asif explain fit --history monitor:positive,monitor:positive\n  asif explain fit --seed 3 "
                "--json\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
