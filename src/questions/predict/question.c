/* The question `predict`: whether the fitted agent, or agents of the prior, act as they did. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "questions/predict/predictive_checks_text.h"
#include "questions/predict/prior_agents.h"
#include "questions/question.h"

typedef struct {
    asif_count_option draws, replicates, simulated, bins, top;
    asif_prior_asked prior;
} predict_asked;

static const asif_option flags[] = {
    {"prior", 0, ASIF_OPTION_SWITCH, NULL,
     "compare with agents drawn from the prior: what the assumptions alone expect", 0, 0,
     offsetof(predict_asked, prior.prior)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of the fit, or of the prior, that are checked (default 200)",
     1, 1e6, offsetof(predict_asked, draws)},
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
    {"param", 'p', ASIF_OPTION_LIST, "NAME=VALUE",
     "with STUDY: give a parameter a value, whatever the study says (repeatable)", 0, 0,
     offsetof(predict_asked, prior.param)},
    {"map", 0, ASIF_OPTION_LIST, "ROLE=COLUMN",
     "with STUDY: the column of a role, whatever the study says (repeatable)", 0, 0,
     offsetof(predict_asked, prior.map)},
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of the random numbers (default: the fit's; with STUDY: 0)", 0,
     0, offsetof(predict_asked, prior.seed)},
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
    asif_option_count64(&options.seed, &asked->prior.seed);
    options.prior = asked->prior.prior;
    return options;
}

/* Refuse what goes with another form of the command. */
static asif_status check(const asif_asking *asking, asif_error *error) {
    const predict_asked *asked = asking->options;
    if (asking->operands > 1 && !asked->prior.prior) {
        asif_fail(error, ASIF_EINVALID, "a study and logs are not a fit: nothing was fitted yet");
        asif_error_hint(error, "--prior compares the logs with what the assumptions alone expect; `asif fit` "
                               "makes a fit");
        return ASIF_EINVALID;
    }
    if (asking->operands == 1 && (asked->prior.param.count || asked->prior.map.count)) {
        asif_fail(error, ASIF_EINVALID, "%s is for a study and logs, and a fit has its own",
                  asked->prior.param.count ? "-p" : "--map");
        asif_error_hint(error, "asif predict --prior STUDY LOGS");
        return ASIF_EINVALID;
    }
    return ASIF_OK;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    const predict_asked *asked = asking->options;
    asif_predictive_checks_options options = choose(asked, 0);
    asif_predictive_checks *made = NULL;
    asif_fitted prior;
    const asif_fitted *fitted = &prior;
    ASIF_TRY(check(asking, error));
    if (asked->prior.prior) {
        ASIF_TRY(asif_prior_agents(asking, &prior, &asked->prior, options.draws, error));
    } else {
        asif_result_view fit;
        ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
        fitted = fit.fitted;
    }
    options = choose(asked, fitted->seed);
    asif_status status = asif_predictive_checks_run(&made, fitted, &options, error);
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
            .operands = "DIR | --prior STUDY LOGS [flags]",
            .summary = "does the fitted agent act as they did? (predictive checks)",
            .about =
                "Compares what was observed with what the fitted agent in DIR does, over draws of the "
                "fit: its actions by step, by belief, after the most frequent histories and after each "
                "action, with the observations held fixed; the lengths of episodes and the number of "
                "different histories when it is simulated in the stated environment; and, without an "
                "agent, what followed the actions against what the environment predicts. Where the logs "
                "identify subjects, it compares them with each other. Each family of checks has one "
                "p-value, that of its largest difference, so that the number of comparisons is "
                "accounted for. Every failed check is described in a sentence. The exit code is 1 if a "
                "check fails.\n"
                "\n"
                "With --prior, agents are drawn from the priors of the study instead: a prior predictive "
                "check, of what the assumptions alone expect before anything is learnt from the logs. It "
                "needs no fit. Intervals are wide where the assumptions leave much open. What is observed "
                "outside of them shows priors or assumptions that do not go with these logs.",
            .examples =
                "  asif predict fit\n  asif predict fit --draws 50 --bins 5\n  asif predict fit --json\n"
                "  asif predict --prior study.yaml logs.csv\n",
            .least_operands = 1,
            .most_operands = 2,
            .option = flags,
        },
    .options_size = sizeof(predict_asked),
    .run = run,
    .json = json,
    .text = asif_report_predictive_checks,
    .no = misses,
    .free = discard,
};
