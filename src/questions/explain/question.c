/* The question `explain`: one path step by step. */
#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "questions/question.h"

#include <string.h>

typedef struct {
    const char *subject, *episode, *history, *find, *start, *condition, *first;
    asif_count_option top, draws, seed, max_steps;
    asif_list_option map;
} explain_asked;

static const asif_option flags[] = {
    {"subject", 0, ASIF_OPTION_TEXT, "NAME", "explain this subject's episode in LOGS", 0, 0,
     offsetof(explain_asked, subject)},
    {"episode", 0, ASIF_OPTION_TEXT, "NAME",
     "explain this episode in LOGS; with --subject, this one of the subject's episodes", 0, 0,
     offsetof(explain_asked, episode)},
    {"history", 0, ASIF_OPTION_TEXT, "A:O,...",
     "explain a history: each action with what was observed after it (the next state, where the agent sees "
     "the state)",
     0, 0, offsetof(explain_asked, history)},
    {"find", 0, ASIF_OPTION_TEXT, "WHAT", "list episodes of LOGS instead: belated or surprising ones", 0, 0,
     offsetof(explain_asked, find)},
    {"top", 0, ASIF_OPTION_COUNT, "N", "episodes that --find lists (default 10)", 1, 1e6,
     offsetof(explain_asked, top)},
    {"start", 0, ASIF_OPTION_TEXT, "CLASS",
     "the start class of a typed or simulated case (default: the first)", 0, 0,
     offsetof(explain_asked, start)},
    {"condition", 0, ASIF_OPTION_TEXT, "VALUES",
     "where the study differs by columns of the logs, the condition of a typed or simulated case: "
     "COLUMN=VALUE,...",
     0, 0, offsetof(explain_asked, condition)},
    {"first", 0, ASIF_OPTION_TEXT, "STATE",
     "where the agent sees the state, the first state of a typed case (default: the most likely)", 0, 0,
     offsetof(explain_asked, first)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of the fit for means and bands (default 200)", 1, 1e6,
     offsetof(explain_asked, draws)},
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of a simulated case (default 0)", 0, 0,
     offsetof(explain_asked, seed)},
    {"max-steps", 0, ASIF_OPTION_COUNT, "N", "largest number of decisions in a simulated case (default 100)",
     1, 1e6, offsetof(explain_asked, max_steps)},
    ASIF_MAP_OPTION(explain_asked),
    ASIF_END_OF_OPTIONS,
};

static asif_status usage(asif_error *error, const char *what, const char *hint) {
    asif_fail(error, ASIF_EINVALID, "%s", what);
    asif_error_hint(error, "%s", hint);
    return ASIF_EINVALID;
}

/* Refuse options that do not fit together. */
static asif_status check(const explain_asked *asked, bool logs, asif_error *error) {
    bool named = asked->subject || asked->episode;
    if (asked->find && (named || asked->history))
        return usage(error, "--find lists episodes, and one path was asked for too",
                     "give --find, or --subject, --episode or --history");
    if (asked->history && (named || logs))
        return usage(error, "a path is typed with --history or read from LOGS, not both",
                     "leave out LOGS, --subject and --episode, or --history");
    if ((asked->find || named) && !logs)
        return usage(error,
                     asked->find ? "--find looks at logs, and none were given"
                                 : "an episode was named, but no logs",
                     "asif explain DIR LOGS ...");
    if (logs && !asked->find && !named)
        return usage(
            error, "LOGS were given, but not which episode of them",
            "name it with --subject or --episode, or list some with --find belated or --find surprising");
    return ASIF_OK;
}

static asif_status find_what(asif_explain_what *out, const char *name, asif_error *error) {
    const char *known;
    *out = ASIF_EXPLAIN_PATH;
    if (!name)
        return ASIF_OK;
    for (uint32_t i = ASIF_EXPLAIN_BELATED; (known = asif_explain_what_text((asif_explain_what)i)); i++)
        if (strcmp(name, known) == 0) {
            *out = (asif_explain_what)i;
            return ASIF_OK;
        }
    asif_fail(error, ASIF_EUNKNOWN, "--find %s: there is no such rule", asif_show(name).text);
    asif_error_hint(error, "belated or surprising");
    return ASIF_EUNKNOWN;
}

static asif_status read_logs(asif_explain_options *out, asif_asking *asking, const asif_result_view *fit,
                             asif_error *error) {
    const explain_asked *asked = asking->options;
    ASIF_TRY(asif_asking_map(asking, fit->study, &asked->map, error));
    ASIF_TRY(asif_explain_logs(&asking->tree, asking->context, fit->fitted->setting, asking->map,
                               asking->operand[1], fit->wheres, fit->where, asking->problems, error));
    out->tree = asking->tree;
    return asked->find ? ASIF_OK
                       : asif_explain_unit(&out->unit, asking->tree, asked->subject, asked->episode, error);
}

/* Read the events of --history, into the arena of the answer. */
static asif_status read_history(asif_explain_options *out, asif_asking *asking, const asif_setting *setting,
                                asif_error *error) {
    const explain_asked *asked = asking->options;
    uint32_t *action = NULL, *observation = NULL;
    out->typed = asked->history;
    ASIF_TRY(asif_setting_read_history(&action, &observation, &out->events, asking->context, setting,
                                       asked->history, error));
    uint64_t bytes = out->events * sizeof *action;
    out->action =
        (const uint32_t *)(const void *)asif_arena_text(&asking->arena, (const char *)action, bytes);
    out->observation =
        (const uint32_t *)(const void *)asif_arena_text(&asking->arena, (const char *)observation, bytes);
    asif_free(asking->context, action);
    asif_free(asking->context, observation);
    return out->action && out->observation ? ASIF_OK : asif_fail_memory(error);
}

/* Find the start class of --condition; the condition must begin in one way only. */
static asif_status find_condition(uint32_t *start, const asif_setting *setting, const explain_asked *asked,
                                  asif_error *error) {
    asif_condition condition;
    if (asked->start)
        return usage(error, "--condition and --start both say how a case begins", "keep one of the two");
    ASIF_TRY(asif_setting_condition(&condition, setting, asked->condition, error));
    if (condition.starts > 1)
        return usage(error, "cases of this condition can begin with several seen values",
                     "--start names the condition and the seen value");
    *start = condition.start;
    return ASIF_OK;
}

static asif_status read_typed(asif_explain_options *out, asif_asking *asking, const asif_setting *setting,
                              asif_error *error) {
    const explain_asked *asked = asking->options;
    if (asked->start)
        ASIF_TRY(
            asif_setting_seek(&out->start, setting, ASIF_LABEL_START, asked->start, "a start class", error));
    if (asked->condition)
        ASIF_TRY(find_condition(&out->start, setting, asked, error));
    if (asked->first && asif_setting_get(setting)->observations)
        return usage(error, "--first is for agents that see the state, and this one does not",
                     "--start chooses among start classes");
    if (asked->first)
        ASIF_TRY(asif_setting_seek(&out->first, setting, ASIF_LABEL_STATE, asked->first, "a state", error));
    return read_history(out, asking, setting, error);
}

static asif_status choose(asif_explain_options *out, const explain_asked *asked, asif_error *error) {
    *out = (asif_explain_options)ASIF_EXPLAIN_OPTIONS_INIT;
    asif_option_count(&out->draws, &asked->draws);
    asif_option_count(&out->top, &asked->top);
    asif_option_count(&out->max_steps, &asked->max_steps);
    asif_option_count64(&out->seed, &asked->seed);
    return find_what(&out->what, asked->find, error);
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    asif_result_view fit;
    asif_explain_options options;
    asif_explain *made = NULL;
    bool logs = asking->operands > 1;
    ASIF_TRY(check(asking->options, logs, error));
    ASIF_TRY(choose(&options, asking->options, error));
    ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
    ASIF_TRY(logs ? read_logs(&options, asking, &fit, error)
                  : read_typed(&options, asking, fit.fitted->setting, error));
    asif_status status = asif_explain_run(&made, fit.fitted, &options, error);
    *result = made;
    return status;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_explain_json(out, result, error);
}

static void discard(void *result) {
    asif_explain_free(result);
}

const asif_question_kind asif_question_explain = {
    .info =
        {
            .name = "explain",
            .operands = "DIR [LOGS --subject NAME | LOGS --find WHAT] [flags]",
            .summary = "what happens in one case, step by step, and what would others do?",
            .about =
                "Follows one case with the agent that `asif fit` left in DIR. The case is a subject's "
                "episode from LOGS, a history that you type, or one simulated with the agent in the middle "
                "of the draws. Of a simulated case the true state is known and shown. Each step shows the "
                "agent's belief with a 90 % band over the draws, and the belief of an agent that knows the "
                "true world. It shows the action taken, with its probability for the fitted agent, for the "
                "same model without bounds, and for an agent that knows the true world. The cost is how "
                "much more utility the best action had for the agent that knows the true world. Paths part "
                "at the first action that this agent takes with probability below .5. For a folder of groups "
                "(fit --by) it answers for each, or for the one that has the subject.\n"
                "\n"
                "--find belated "
                "lists episodes that continued after this agent would have ended them. From the first step "
                "at which it ends with probability .5 or more, decisions that end nothing are counted. The "
                "latest episodes come first, ties by cost, then those that only the same model without "
                "bounds would have ended earlier. (Where no action ends an episode, the same is done for "
                "each action, and the latest counts.) --find surprising lists episodes by their least "
                "probable action under the fitted agent, and shows how many actions that improbable are "
                "expected among all decisions.",
            .examples = "  asif explain fit logs.csv --subject 17\n"
                        "  asif explain fit logs.csv --find surprising\n"
                        "  asif explain fit --history monitor:positive,monitor:positive\n"
                        "  asif explain fit --seed 3 --json\n",
            .least_operands = 1,
            .most_operands = 2,
            .option = flags,
        },
    .options_size = sizeof(explain_asked),
    .of_fit = true,
    .run = run,
    .json = json,
    .text = asif_report_explain,
    .free = discard,
};
