/* The question `evaluate`: which of several models predicts best. */
#include "asif/report.h"
#include "base/error.h"
#include "questions/held_out/models.h"

static const asif_option flags[] = {
    ASIF_MODELS_OPTIONS,
    ASIF_END_OF_OPTIONS,
};

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    asif_models models;
    asif_held_out *made = NULL;
    ASIF_TRY(asif_models_open(&models, asking, error));
    asif_status status = asif_models_run(&made, asking, &models, false, error);
    *result = made;
    return status;
}

const asif_question_kind asif_question_evaluate = {
    .info =
        {
            .name = "evaluate",
            .operands = "STUDY... LOGS [flags]",
            .summary = "which model best predicts decisions that it has not seen?",
            .about = "Divides the subjects of LOGS into folds. Each study is fitted without one fold (the "
                     "maximum of its posterior, or the answer of its inverse planner) and predicts the "
                     "decisions in it. One table shows the log-likelihood of the held-out decisions, how "
                     "often the most probable action was taken, calibration (Brier score), average "
                     "precision, and how far the agent's occupancy is from the demonstrator's. Two "
                     "references bound the models: acting at random, and behavioural cloning, which only "
                     "counts.",
            .examples = "  asif evaluate study.yaml other.yaml logs.csv\n"
                        "  asif evaluate study.yaml logs.csv --folds 10 --json\n",
            .least_operands = 2,
            .most_operands = UINT32_MAX,
            .option = flags,
        },
    .options_size = sizeof(asif_models_asked),
    .run = run,
    .json = asif_models_json,
    .text = asif_report_held_out,
    .free = asif_models_discard,
};
