/* The question `compare`: compares groups, or models. */
#include "asif/report.h"

#include "base/data/yaml.h"
#include "base/error.h"
#include "base/memory.h"
#include "questions/compare/compare.h"

static const asif_option flags[] = {
    {"first", 0, ASIF_OPTION_TEXT, "NAME", "the group that all others are compared with (default: the first)",
     0, 0, offsetof(asif_compare_asked, first)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of each fit whose behaviour is simulated (default 500)", 1,
     1e6, offsetof(asif_compare_asked, draws)},
    {"episodes", 'n', ASIF_OPTION_COUNT, "N",
     "episodes simulated for each draw in each start class (default 1000)", 2, 1e9,
     offsetof(asif_compare_asked, episodes)},
    {"max-steps", 0, ASIF_OPTION_COUNT, "N",
     "cut simulated episodes that have not ended after N decisions (default: 1000 where an action ends "
     "episodes, else the mean length of those in the logs)",
     1, 4294967294.0, offsetof(asif_compare_asked, max_steps)},
    {"numbers", 0, ASIF_OPTION_SWITCH, NULL,
     "compare only the numbers of the fitted agents, without simulation", 0, 0,
     offsetof(asif_compare_asked, numbers)},
    {"logs", 0, ASIF_OPTION_TEXT, "LOGS",
     "compare models, which are fits of these logs, by how well they predict a unit that is left out", 0, 0,
     offsetof(asif_compare_asked, logs)},
    {"pointwise", 0, ASIF_OPTION_LIST, "FILE",
     "table of a model from other software (repeatable): one row per unit with elpd_loo, or one row per draw "
     "and one column of log-likelihoods per unit (Stan's files, too)",
     0, 0, offsetof(asif_compare_asked, pointwise)},
    {"unit", 0, ASIF_OPTION_TEXT, "UNIT",
     "what is left out: subject or episode (default: subjects if there are at least ten)", 0, 0,
     offsetof(asif_compare_asked, unit)},
    {"future", 0, ASIF_OPTION_COUNT, "N",
     "also predict later decisions: after the first N of each episode the next one, and so on", 1, 1e6,
     offsetof(asif_compare_asked, future)},
    {"where", 0, ASIF_OPTION_LIST, "COLUMN=VALUE",
     "only episodes with this value of a column, as in the fits (repeatable: all conditions must hold)", 0, 0,
     offsetof(asif_compare_asked, where)},
    {"output", 'o', ASIF_OPTION_TEXT, "DIR",
     "also write tables by unit, with their names: pointwise.csv, and log_lik-1.csv and so on with the "
     "log-likelihoods of each fit at its draws",
     0, 0, offsetof(asif_compare_asked, output)},
    ASIF_MAP_OPTION(asif_compare_asked),
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of the random numbers (default 0)", 0, 0,
     offsetof(asif_compare_asked, seed)},
    ASIF_END_OF_OPTIONS,
};

/* Refuse options of the other meaning. */
static asif_status check_flags(const asif_compare_asked *asked, bool models, asif_error *error) {
    const struct {
        const char *flag;
        bool given, of_models;
    } rows[] = {
        {"--first", asked->first, false},
        {"--draws", asked->draws.given, false},
        {"--episodes", asked->episodes.given, false},
        {"--max-steps", asked->max_steps.given, false},
        {"--numbers", asked->numbers, false},
        {"--unit", asked->unit, true},
        {"--future", asked->future.given, true},
        {"--where", asked->where.count > 0, true},
        {"--output", asked->output, true},
        {"--map", asked->map.count > 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && rows[i].of_models != models) {
            asif_fail(error, ASIF_EINVALID, "%s is for comparing %s", rows[i].flag,
                      models ? "groups" : "models");
            asif_error_hint(error, models ? "with --logs or --pointwise models are compared"
                                          : "models are compared with --logs LOGS");
            return ASIF_EINVALID;
        }
    return ASIF_OK;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    const asif_compare_asked *asked = asking->options;
    bool models = asked->logs || asked->pointwise.count;
    ASIF_TRY(check_flags(asked, models, error));
    asif_comparison *made = *result = ASIF_NEW(asking->context, asif_comparison);
    if (!made)
        return asif_fail_memory(error);
    made->context = asking->context;
    made->trusted = true;
    return models ? asif_compare_ask_models(made, asking, error)
                  : asif_compare_ask_groups(made, asking, error);
}

static asif_status json(char **out, const void *result, asif_error *error) {
    const asif_comparison *made = result;
    return made->models ? asif_compare_models_json(out, made->models, error)
                        : asif_compare_groups_json(out, made->groups, error);
}

static asif_status tell(char **out, const asif_context *context, const char *text, uint64_t length,
                        const char *name, const asif_report_options *options, asif_error *error) {
    asif_yaml_document *document = NULL;
    ASIF_TRY(asif_yaml_read(&document, context, text, length, name, error));
    bool models = asif_yaml_list(asif_yaml_root(document), "models");
    asif_yaml_free(document);
    return models ? asif_report_compare_models(out, context, text, length, name, options, error)
                  : asif_report_compare_groups(out, context, text, length, name, options, error);
}

static bool is_not_trusted(const void *result) {
    return !((const asif_comparison *)result)->trusted;
}

static void discard(void *result) {
    asif_comparison *made = result;
    asif_compare_groups_free(made->groups);
    asif_compare_models_free(made->models);
    asif_free(made->context, made);
}

const asif_question_kind asif_question_compare = {
    .info =
        {
            .name = "compare",
            .operands = "DIR... [flags]",
            .summary = "do groups differ, or which model predicts better?",
            .about =
                "Compares groups: the fits in a folder that `asif fit --by` made, or several folders of "
                "fits. Every group is compared with the first. The answer shows what they do, each with "
                "its own cases, and the numbers of the fitted agents. Where the study has start classes, "
                "it also shows what they would do with the same cases. Each difference has a 90 % interval "
                "and the probability that it is above 0. It is called a difference if that probability is "
                "at least 99 % either way, by Holm's procedure over the table.\n"
                "\n"
                "With --logs, compares "
                "models by how well they predict decisions that they have not seen. Each unit is left out "
                "in turn (PSIS-LOO); with --future, later decisions are predicted from earlier ones. Every "
                "DIR is a finished fit of the same LOGS. --pointwise adds models fitted by other software. "
                "The exit code is 1 if a fit cannot be trusted.",
            .examples = "  asif compare by-arm\n  asif compare by-arm --first control --threads 4\n"
                        "  asif compare fit fit-neutral --logs logs.csv\n"
                        "  asif compare fit --logs logs.csv --pointwise other.csv --future 2 --json\n",
            .least_operands = 1,
            .most_operands = UINT32_MAX,
            .option = flags,
        },
    .options_size = sizeof(asif_compare_asked),
    .run = run,
    .json = json,
    .text = tell,
    .no = is_not_trusted,
    .free = discard,
};
