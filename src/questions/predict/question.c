/* The question `predict`: whether the fitted agent, or agents of the prior, act as they did. */
#include "checks/predictive_checks.h"

#include "base/error.h"
#include "base/memory.h"
#include "questions/predict/people_checks.h"
#include "questions/predict/predictive_checks_text.h"
#include "questions/predict/prior_agents.h"
#include "questions/question.h"

typedef struct {
    asif_count_option draws, replicates, simulated, bins, top;
    asif_prior_asked prior;
    const char *people; /* folder of a population */
} predict_asked;

/* One of the two. */
typedef struct {
    const asif_context *context;
    asif_predictive_checks *agent;
    asif_people_checks *people;
} answer;

#define POPULATIONS 300 /* that are simulated */
#define PEOPLE 100      /* most people of each */

static const asif_option flags[] = {
    {"prior", 0, ASIF_OPTION_SWITCH, NULL,
     "compare with agents drawn from the prior: what the assumptions alone expect", 0, 0,
     offsetof(predict_asked, prior.prior)},
    {"people", 0, ASIF_OPTION_TEXT, "FOLDER",
     "compare people in LOGS with people of the population of asif people in FOLDER", 0, 0,
     offsetof(predict_asked, people)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws of the fit, or of the prior, that are checked (default 200)",
     1, 1e6, offsetof(predict_asked, draws)},
    {"replicates", 0, ASIF_OPTION_COUNT, "N",
     "replicated data sets, over all draws, of decisions and of what followed them (default 1000); with "
     "--people, populations that are simulated (default 300)",
     1, 1e7, offsetof(predict_asked, replicates)},
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
    if (asked->people && (asking->operands < 2 || asked->prior.prior)) {
        asif_fail(error, ASIF_EINVALID, "--people needs a study and logs%s",
                  asked->prior.prior ? ", and does not go with --prior" : "");
        asif_error_hint(error, "asif predict --people FOLDER STUDY LOGS");
        return ASIF_EINVALID;
    }
    if (asked->people &&
        (asked->draws.given || asked->simulated.given || asked->bins.given || asked->top.given)) {
        asif_fail(error, ASIF_EINVALID, "--people has no use for --draws, --simulated, --bins and --top");
        asif_error_hint(error, "--replicates is the number of populations that are simulated");
        return ASIF_EINVALID;
    }
    if (asking->operands > 1 && !asked->prior.prior && !asked->people) {
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

static asif_status read_table(char **out, uint64_t *length, const asif_asking *asking, const char *folder,
                              asif_error *error) {
    asif_status status = asif_fit_read(out, length, asking->context, folder, ASIF_PEOPLE_TABLE, error);
    if (status != ASIF_ENOFILE)
        return status;
    asif_fail(error, ASIF_EINVALID, "%s has no population that people could be drawn from",
              asif_show(folder).text);
    asif_error_hint(error, "make one by asif people STUDY LOGS -o FOLDER");
    return ASIF_EINVALID;
}

static asif_status run_people(answer *out, asif_asking *asking, asif_error *error) {
    const predict_asked *asked = asking->options;
    asif_fitted fitted;
    asif_study *study = NULL;
    char *table = NULL;
    asif_people_checks_request r = {.context = asking->context, .replicates = POPULATIONS, .people = PEOPLE};
    ASIF_TRY(asif_prior_begin(asking, &fitted, &study, &asked->prior, true, error));
    ASIF_TRY(read_table(&table, &r.length, asking, asked->people, error));
    asif_option_count(&r.replicates, &asked->replicates);
    asif_option_count64(&r.seed, &asked->prior.seed);
    r.title = asif_setting_get(fitted.setting)->title;
    r.work = fitted.work;
    r.estimates = fitted.estimates;
    r.tree = fitted.tree;
    r.effect = asif_study_effects(study, &r.effects);
    r.table = table;
    asif_status status = asif_people_checks_run(&out->people, &r, error);
    asif_free(asking->context, table);
    return status;
}

static asif_status run_agent(answer *out, asif_asking *asking, asif_error *error) {
    const predict_asked *asked = asking->options;
    asif_predictive_checks_options options = choose(asked, 0);
    asif_fitted prior;
    const asif_fitted *fitted = &prior;
    if (asked->prior.prior) {
        ASIF_TRY(asif_prior_agents(asking, &prior, &asked->prior, options.draws, error));
    } else {
        asif_result_view fit;
        ASIF_TRY(asif_asking_fit(asking, asking->operand[0], &fit, error));
        fitted = fit.fitted;
    }
    options = choose(asked, fitted->seed);
    return asif_predictive_checks_run(&out->agent, fitted, &options, error);
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    const predict_asked *asked = asking->options;
    ASIF_TRY(check(asking, error));
    answer *made = ASIF_NEW(asking->context, answer);
    if (!made)
        return asif_fail_memory(error);
    made->context = asking->context;
    *result = made;
    return asked->people ? run_people(made, asking, error) : run_agent(made, asking, error);
}

static bool misses(const void *result) {
    const answer *a = result;
    return a->people ? asif_people_checks_missed(a->people)
                     : asif_predictive_checks_doubt(a->agent) != ASIF_DOUBT_NONE;
}

static asif_status json(char **out, const void *result, asif_error *error) {
    const answer *a = result;
    return a->people ? asif_people_checks_json(out, a->people, error)
                     : asif_predictive_checks_json(out, a->agent, error);
}

static void discard(void *result) {
    answer *a = result;
    if (!a)
        return;
    asif_predictive_checks_free(a->agent);
    asif_people_checks_free(a->people);
    asif_free(a->context, a);
}

const asif_question_kind asif_question_predict = {
    .info =
        {
            .name = "predict",
            .operands = "DIR | --prior STUDY LOGS | --people FOLDER STUDY LOGS [flags]",
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
                "check fails. For a folder of groups (fit --by) each group is checked.\n"
                "\n"
                "With --prior, agents are drawn from the priors of the study instead: a prior predictive "
                "check, of what the assumptions alone expect before anything is learnt from the logs. It "
                "needs no fit. Intervals are wide where the assumptions leave much open. What is observed "
                "outside of them shows priors or assumptions that do not go with these logs.\n"
                "\n"
                "With --people, populations like the one in FOLDER are simulated: people with numbers of "
                "their own, with as many episodes and the covariates of those in LOGS. What people do on "
                "average, how much they differ in it, and how many are unlike all others is compared with "
                "the logs. It also says what a new person would do. At most 100 people are compared, chosen "
                "at random from more.",
            .examples =
                "  asif predict fit\n  asif predict fit --draws 50 --bins 5\n  asif predict fit --json\n"
                "  asif predict --prior study.yaml logs.csv\n"
                "  asif predict --people people study.yaml logs.csv\n",
            .least_operands = 1,
            .most_operands = 2,
            .option = flags,
            .reads_logs = true,
        },
    .options_size = sizeof(predict_asked),
    .of_fit = true,
    .run = run,
    .json = json,
    .text = asif_report_predictive_checks,
    .no = misses,
    .free = discard,
};
