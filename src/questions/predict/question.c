/* The question `predict`: whether the fitted agent acts as they did. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "questions/predict/predictive_checks_text.h"
#include "questions/question.h"

typedef struct {
    asif_count_option draws, replicates, simulated, bins, top, seed;
} predict_asked;

static const asif_option flags[] = {
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of the fit that are checked (default 200)", 1, 1e6,
     offsetof(predict_asked, draws)},
    {"replicates", 0, ASIF_OPTION_COUNT, "N",
     "replicated data sets, over all draws, of decisions and of what followed them (default 1000)", 1, 1e7,
     offsetof(predict_asked, replicates)},
    {"simulated", 0, ASIF_OPTION_COUNT, "N",
     "logs to simulate for the lengths of episodes (default 200; 0: none)", 0, 1e6,
     offsetof(predict_asked, simulated)},
    {"bins", 0, ASIF_OPTION_COUNT, "N", "bins of the agent's belief (default 10)", 1, 1000,
     offsetof(predict_asked, bins)},
    {"top", 0, ASIF_OPTION_COUNT, "N", "most frequent histories to check (default 8)", 0, 1000,
     offsetof(predict_asked, top)},
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of the random numbers (default: the fit's)", 0, 0,
     offsetof(predict_asked, seed)},
    ASIF_END_OF_OPTIONS,
};

static asif_predictive_checks_options choose(const predict_asked *asked, uint64_t seed) {
    asif_predictive_checks_options options = ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT;
    asif_option_count(&options.draws, &asked->draws);
    asif_option_count(&options.replicates, &asked->replicates);
    asif_option_count(&options.simulated, &asked->simulated);
    asif_option_count(&options.bins, &asked->bins);
    asif_option_count(&options.histories, &asked->top);
    options.seed = seed;
    asif_option_count64(&options.seed, &asked->seed);
    return options;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    asif_result_view fit;
    asif_predictive_checks *made = NULL;
    ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
    asif_predictive_checks_options options = choose(asking->options, fit.fitted->seed);
    asif_status status = asif_predictive_checks_run(&made, fit.fitted, &options, error);
    *result = made;
    return status;
}

static bool misses(const void *result) {
    return asif_predictive_checks_doubt(result) != ASIF_DOUBT_NONE;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_predictive_checks_json(out, result, error);
}

static void discard(void *result) {
    asif_predictive_checks_free(result);
}

const asif_question_kind asif_question_predict = {
    .info =
        {
            .name = "predict",
            .operands = "DIR [flags]",
            .summary = "does the fitted agent act as they did? (predictive checks)",
            .about = "Compares what was observed with what the fitted agent in DIR does, over draws of the "
                     "fit: its actions by step, by belief, after the most frequent histories and after each "
                     "action, with the observations held fixed; the lengths of episodes and the number of "
                     "different histories when it is simulated in the stated environment; and, without an "
                     "agent, what followed the actions against what the environment predicts. Where the logs "
                     "identify subjects, it compares them with each other. Each family of checks has one "
                     "p-value, that of its largest difference, so that the number of comparisons is "
                     "accounted for. Every failed check is described in a sentence. The exit code is 1 if a "
                     "check fails.",
            .examples =
                "  asif predict fit\n  asif predict fit --draws 50 --bins 5\n  asif predict fit --json\n",
            .least_operands = 1,
            .most_operands = 1,
            .option = flags,
        },
    .options_size = sizeof(predict_asked),
    .run = run,
    .json = json,
    .text = asif_report_predictive_checks,
    .no = misses,
    .free = discard,
};
