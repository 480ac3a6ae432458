#include "cli.h"
#include "models.h"
#include "say.h"

static const cli_option options[] = {
    CLI_MODELS_OPTIONS,
    CLI_END_OF_OPTIONS,
};

static int run(const cli_args *args) {
    cli_models models;
    asif_held_out *faith = NULL;
    char *json = NULL;
    int code = cli_models_open(&models, args);
    if (code == CLI_OK)
        code = cli_models_run(&models, false, &faith);
    if (code == CLI_OK && asif_held_out_json(&json, faith, &models.job[0].error) != ASIF_OK)
        code = cli_say_error(&models.job[0].error);
    if (code == CLI_OK)
        code = cli_models_show(&models, json);
    if (models.count)
        asif_memory_free(models.job[0].context, json);
    asif_held_out_free(faith);
    cli_models_close(&models);
    return code;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .operands = "STUDY... LOGS [flags]",
    .summary = "which of several models predicts best what it has not seen?",
    .about =
        "Deals the subjects of LOGS into folds. Each study is fitted without a fold (the maximum of its "
        "posterior, or the "
        "answer of its inverse planner) and predicts the decisions in it. One table shows the log-likelihood "
        "of what was held "
        "out, how often the most probable action was taken, calibration (Brier), average precision, and how "
        "far the "
        "agent's occupancy is from the demonstrator's, between the floor of acting at random and behavioural "
        "cloning, "
        "which has no theory and counts only.",
    .examples = "  asif evaluate study.yaml other.yaml logs.csv\n"
                "  asif evaluate study.yaml logs.csv --folds 10 --json\n",
    .least_operands = 2,
    .most_operands = CLI_ANY_NUMBER,
    .options = options,
    .run = run,
};
