#include "cli.h"
#include "fits/compare_groups.h"
#include "fits/compare_models.h"
#include "say.h"

static const cli_option options[] = {
    CLI_COMPARE_GROUPS_OPTIONS,
    CLI_COMPARE_MODELS_OPTIONS,
    {"seed", 0, CLI_COUNT, "N", "seed of the random numbers (default 0)", offsetof(cli_args, seed), 0, 0},
    CLI_THREADS_OPTION,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* A flag of the other half is a misunderstanding. */
static int check_flags(const cli_args *args, bool models) {
    const struct {
        const char *flag;
        bool given, of_models;
    } rows[] = {
        {"--first", args->first, false},
        {"--draws", args->draws.given, false},
        {"--episodes", args->episodes.given, false},
        {"--max-steps", args->max_steps.given, false},
        {"--unit", args->unit, true},
        {"--future", args->future.given, true},
        {"--where", args->where.count > 0, true},
        {"--output", args->output, true},
        {"--map", args->map.count > 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && rows[i].of_models != models) {
            cli_say("%s is for comparing %s", rows[i].flag, models ? "groups" : "models");
            cli_hint(models ? "with --logs or --pointwise models are compared"
                            : "models are compared with --logs LOGS");
            return CLI_USAGE;
        }
    return CLI_OK;
}

static int run(const cli_args *args) {
    bool models = args->logs || args->pointwise.count;
    int code = check_flags(args, models);
    if (code != CLI_OK)
        return code;
    return models ? cli_compare_models(args) : cli_compare_groups(args);
}

const cli_command cli_compare = {
    .name = "compare",
    .operands = "DIR... [flags]",
    .summary = "groups, or models, against each other",
    .about =
        "Compares groups: the fits in a folder that `asif fit --by` made, or several folders of fits. Every "
        "group is compared with the first: what they do, each with the cases that it had; the same as if all "
        "had met the same cases, where the study has start classes; and the numbers of the fitted agents. "
        "Each difference comes with its 90 % interval and the probability that it is above 0; it is said to "
        "differ where that is at least 99 % either way, by Holm's procedure over the table.\n\n"
        "With --logs, compares models by what they predict of decisions that they have not seen: each unit "
        "is left out in turn (PSIS-LOO), and with --future later decisions are predicted from earlier ones. "
        "Every DIR is a finished fit of the same LOGS; tables made elsewhere compete with --pointwise. The "
        "exit code is 1 if a fit is not to be trusted.",
    .examples = "  asif compare by-arm\n  asif compare by-arm --first control --threads 4\n"
                "  asif compare fit fit-neutral --logs logs.csv\n"
                "  asif compare fit --logs logs.csv --pointwise other.csv --future 2 --json\n",
    .least_operands = 1,
    .most_operands = CLI_ANY_NUMBER,
    .options = options,
    .run = run,
};
