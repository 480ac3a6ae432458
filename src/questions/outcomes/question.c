/* The question `outcomes`. */
#include "questions/outcomes/outcomes.h"

#include "base/error.h"
#include "questions/question.h"

#define IDEAL_TIMES 50 /* episodes of an ideal agent for each episode of a draw */

typedef struct {
    asif_count_option draws, episodes, max_steps, top, seed;
} outcomes_asked;

static const asif_option flags[] = {
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of the fit that act (default 100)", 1, 1e6,
     offsetof(outcomes_asked, draws)},
    {"episodes", 'n', ASIF_OPTION_COUNT, "N",
     "episodes of each draw and start class (default 400); agents that are the same for all draws act in 50 "
     "times as many",
     2, 1e7, offsetof(outcomes_asked, episodes)},
    {"max-steps", 0, ASIF_OPTION_COUNT, "N",
     "cut an episode that has not ended after N decisions (default: 1000 where an action ends episodes, else "
     "the mean length of those in the logs)",
     1, 1e9, offsetof(outcomes_asked, max_steps)},
    {"top", 0, ASIF_OPTION_COUNT, "N", "most frequent histories of the logs to show (default 8)", 0, 10000,
     offsetof(outcomes_asked, top)},
    {"seed", 0, ASIF_OPTION_COUNT, "N", "seed of the simulation (default 0)", 0, 0,
     offsetof(outcomes_asked, seed)},
    ASIF_END_OF_OPTIONS,
};

static asif_outcomes_options choose(const outcomes_asked *asked) {
    asif_outcomes_options options = ASIF_OUTCOMES_OPTIONS_INIT;
    asif_option_count(&options.draws, &asked->draws);
    asif_option_count(&options.loss_draws, &asked->draws);
    asif_option_count(&options.episodes, &asked->episodes);
    if (asked->episodes.given)
        options.ideal_episodes = IDEAL_TIMES * options.episodes;
    asif_option_count(&options.max_steps, &asked->max_steps);
    asif_option_count(&options.histories, &asked->top);
    asif_option_count64(&options.seed, &asked->seed);
    return options;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    asif_result_view fit;
    asif_outcomes_options options = choose(asking->options);
    asif_outcomes *made = NULL;
    ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
    asif_status status = asif_outcomes_run(&made, fit.fitted, &options, error);
    *result = made;
    if (status == ASIF_OK && !fit.trusted)
        asif_asking_note(asking, "the fit in %s cannot be trusted; `asif summary` says why",
                         asking->operand[0]);
    return status;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_outcomes_json(out, result, error);
}

static void discard(void *result) {
    asif_outcomes_free(result);
}

const asif_question_kind asif_question_outcomes = {
    .info =
        {
            .name = "outcomes",
            .operands = "DIR [flags]",
            .summary = "what do they do, what would ideal agents do, what do bounds cost?",
            .about =
                "Lets draws of the fit in DIR act in the environment, and compares them with three agents. "
                "The first is the same model without bounds, which does not learn which of its worlds is "
                "true. The second is the Bayes-optimal agent, which learns that within an episode. The "
                "third knows the true world. On average over the worlds, no agent with the same beliefs at "
                "the start does better than the Bayes-optimal one. If computing it exactly would take too "
                "many beliefs, the output says so. For a folder of groups (fit --by) it answers for each.\n"
                "\n"
                "Shows decisions, tests, errors and utility per "
                "episode, by start class and for their mix in the logs. Also shows actions after the most "
                "frequent histories, and after the same evidence again and again. The utility lost by each "
                "bound (choice randomness, optimism, taste for surprise, candidate worlds) is the mean "
                "over all orders of removing them. The answer also shows how accurate the agent thinks its "
                "evidence is. Intervals are 90 % intervals of expected values over draws; the error of the "
                "simulation is negligible.",
            .examples = "  asif outcomes fit\n"
                        "  asif outcomes by-arm/control --threads 4 --json\n",
            .least_operands = 1,
            .most_operands = 1,
            .option = flags,
        },
    .options_size = sizeof(outcomes_asked),
    .of_fit = true,
    .run = run,
    .json = json,
    .text = asif_report_outcomes,
    .free = discard,
};
