/* The question `identify`. */
#include "questions/identify/identify.h"

#include "base/error.h"
#include "base/text.h"
#include "questions/identify/rivals.h"
#include "questions/question.h"

#include <string.h>

typedef struct {
    asif_list_option against, map;
    asif_count_option episodes, rival_logs, max_steps, chains, warmup, draws, starts;
    asif_number_option accept;
    const char *method;
    asif_solve_asked solve;
} identify_asked;

static const asif_option flags[] = {
    {"against", 0, ASIF_OPTION_LIST, "RIVAL",
     "another explanation (repeatable): fixed values of parameters, such as optimism=0 or "
     "optimism=0,alpha=0.5, while everything else that the study marks `learn` stays free; or the file of a "
     "second study with the same labels",
     0, 0, offsetof(identify_asked, against)},
    {"episodes", 'n', ASIF_OPTION_COUNT, "N", "without LOGS: logs to simulate and fit (default 1000)", 1,
     1e12, offsetof(identify_asked, episodes)},
    {"rival-logs", 0, ASIF_OPTION_COUNT, "N", "logs to simulate for --against (default 100000)", 100, 1e9,
     offsetof(identify_asked, rival_logs)},
    {"max-steps", 0, ASIF_OPTION_COUNT, "N",
     "cut simulated logs that have not ended after N decisions (default: the longest of LOGS, else 1000)", 1,
     4294967295.0, offsetof(identify_asked, max_steps)},
    {"method", 0, ASIF_OPTION_TEXT, "METHOD",
     "how to draw from the posterior: nuts (default) or metropolis, a random walk", 0, 0,
     offsetof(identify_asked, method)},
    {"chains", 0, ASIF_OPTION_COUNT, "N", "chains to draw (default 4)", 1, 1000,
     offsetof(identify_asked, chains)},
    {"warmup", 0, ASIF_OPTION_COUNT, "N",
     "steps of a chain before its draws (default 1000; 150 by nuts where draws along the "
     "ridge are good and there is one maximum)",
     0, 1e9, offsetof(identify_asked, warmup)},
    {"draws", 0, ASIF_OPTION_COUNT, "N", "draws kept of a chain (default 1000); 0: answer only --against", 0,
     1e9, offsetof(identify_asked, draws)},
    {"target-accept", 0, ASIF_OPTION_NUMBER, "X",
     "acceptance that nuts aims for (default 0.95); nearer to 1 takes smaller steps", 0.01, 0.999,
     offsetof(identify_asked, accept)},
    {"starts", 0, ASIF_OPTION_COUNT, "N", "points from which a maximum is sought (default 9)", 1, 100000,
     offsetof(identify_asked, starts)},
    ASIF_MAP_OPTION(identify_asked),
    ASIF_SOLVE_OPTIONS(identify_asked),
    ASIF_END_OF_OPTIONS,
};

typedef struct {
    asif_asking *asking;
    const identify_asked *asked;
    bool logs, rivals_only;
    asif_fit_method method;
    asif_study *study;
    asif_theta *given;
    asif_estimate_spec *spec; /* parameters to estimate */
    uint32_t specs;
    asif_theta *agent; /* stated agent; NULL: the agent is fitted */
    asif_estimates *estimates;
    asif_work *work;
} identification;

/* ---- checks of the options ---- */

static asif_status find_method(asif_fit_method *out, const char *name, asif_error *error) {
    *out = ASIF_FIT_NUTS;
    if (!name || strcmp(name, "nuts") == 0)
        return ASIF_OK;
    *out = ASIF_FIT_METROPOLIS;
    if (strcmp(name, "metropolis") == 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "asif identify draws by nuts or by metropolis, not by '%s'",
              asif_show(name).text);
    asif_error_hint(error, "what logs tell is seen from draws; with --draws 0 only --against is answered");
    return ASIF_EINVALID;
}

static asif_status find_useless(const identification *id, asif_error *error) {
    const identify_asked *asked = id->asked;
    const struct {
        const char *flag, *why;
        bool wrong;
    } rows[] = {
        {"-n", "there are LOGS to fit; --rival-logs is the number that is simulated for --against",
         asked->episodes.given && id->logs},
        {"-n", "with --draws 0 nothing is fitted", asked->episodes.given && id->rivals_only},
        {"--map", "there are no LOGS", asked->map.count > 0 && !id->logs},
        {"--rival-logs", "there is no --against", asked->rival_logs.given && asked->against.count == 0},
        {"--chains", "with --draws 0 nothing is drawn", asked->chains.given && id->rivals_only},
        {"--warmup", "with --draws 0 nothing is drawn", asked->warmup.given && id->rivals_only},
        {"--target-accept", "with --draws 0 nothing is drawn", asked->accept.given && id->rivals_only},
        {"--target-accept", "it is nuts that takes it",
         asked->accept.given && asked->method && strcmp(asked->method, "nuts") != 0},
        {"--method", "with --draws 0 nothing is drawn", asked->method && id->rivals_only},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].wrong)
            return asif_fail(error, ASIF_EINVALID, "%s has no use here: %s", rows[i].flag, rows[i].why);
    return ASIF_OK;
}

static asif_status check(identification *id, asif_error *error) {
    const char *const *operand = id->asking->operand;
    const asif_count_option *draws = &id->asked->draws;
    id->logs = id->asking->operands > 1;
    id->rivals_only = draws->given && draws->value == 0;
    if (id->rivals_only && id->asked->against.count == 0) {
        asif_fail(error, ASIF_EINVALID, "--draws 0 leaves nothing to be found out");
        asif_error_hint(error, "give a rival, for example --against optimism=0");
        return ASIF_EINVALID;
    }
    if (id->logs && strcmp(operand[0], "-") == 0 && strcmp(operand[1], "-") == 0)
        return asif_fail(error, ASIF_EINVALID, "the study and the logs cannot both come from standard input");
    ASIF_TRY(find_useless(id, error));
    return find_method(&id->method, id->asked->method, error);
}

/* ---- the agent ---- */

static bool is_estimated(const identification *id, const char *pair) {
    for (uint32_t i = 0; i < id->specs; i++)
        if (asif_list_gives(pair, id->spec[i].name))
            return true;
    return false;
}

/* Apply -p: with logs it fixes a parameter, without logs it states its true value. */
static asif_status give_values(identification *id, asif_error *error) {
    const asif_list_option *param = &id->asked->solve.param;
    ASIF_TRY(asif_asking_copy(id->asking, &id->given, asif_study_theta(id->study), error));
    for (uint32_t i = 0; i < param->count; i++) {
        const char *pair = param->item[i];
        if (!strchr(pair, '=') || strchr(pair, ',')) {
            asif_fail(error, ASIF_EINVALID, "-p wants NAME=VALUE, not '%s'", asif_show(pair).text);
            asif_error_hint(error, "for example -p alpha=0.5");
            return ASIF_EINVALID;
        }
        if (id->logs || !is_estimated(id, pair))
            ASIF_TRY(asif_list_give(id->given, pair, "-p", error));
    }
    if (id->logs)
        id->specs = asif_study_left(id->spec, id->specs, param->item, param->count);
    return ASIF_OK;
}

static asif_status lacks_truth(const identification *id, const char *name, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "without LOGS the agent must be stated, and %s has no value", name);
    asif_error_at(error, id->asking->operand[0], 0, 0);
    asif_error_hint(error, "-p %s=VALUE says what it is in truth; it is estimated all the same", name);
    return ASIF_EINVALID;
}

/* Set an estimated distribution of the true agent to its default. */
static asif_status state_distribution(identification *id, const asif_estimate_spec *spec, asif_error *error) {
    static const asif_distribution kinds[] = {ASIF_ACTION_PRIOR, ASIF_WORLD_WEIGHTS, ASIF_START};
    asif_theta *plain = NULL;
    asif_status status = asif_theta_create(&plain, id->asking->context, asif_study_setting(id->study), error);
    for (size_t k = 0; status == ASIF_OK && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(asif_distribution_text(kinds[k]), spec->name) == 0)
            status =
                asif_theta_set_distribution(id->agent, kinds[k], spec->start,
                                            asif_theta_distribution(plain, kinds[k], spec->start), error);
    asif_theta_free(plain);
    return status;
}

static asif_status state_one(identification *id, const asif_estimate_spec *spec, asif_error *error) {
    double value;
    if (asif_theta_get(id->agent, spec->name, &value, NULL) != ASIF_OK)
        return state_distribution(id, spec, error);
    if (value == value)
        return ASIF_OK;
    if (spec->standard != spec->standard)
        return lacks_truth(id, spec->name, error);
    return asif_theta_set(id->agent, spec->name, spec->standard, error);
}

/* Make the true agent: the fixed values of the study, those of -p, and the standard values of utilities. */
static asif_status state_agent(identification *id, asif_error *error) {
    const asif_list_option *param = &id->asked->solve.param;
    ASIF_TRY(asif_asking_copy(id->asking, &id->agent, id->given, error));
    for (uint32_t i = 0; i < param->count; i++)
        ASIF_TRY(asif_list_give(id->agent, param->item[i], "-p", error));
    for (uint32_t k = 0; k < id->specs; k++)
        ASIF_TRY(state_one(id, &id->spec[k], error));
    return ASIF_OK;
}

static asif_status nothing_to_learn(const identification *id, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "nothing is to be estimated: every parameter has a value");
    asif_error_at(error, id->asking->operand[0], 0, 0);
    asif_error_hint(error, "write `alpha: learn` (or another parameter) in the study; with --draws 0 rivals "
                           "alone are asked for");
    return ASIF_EINVALID;
}

static asif_status make_agent(identification *id, asif_error *error) {
    asif_asking *asking = id->asking;
    ASIF_TRY(asif_asking_specs(asking, &id->spec, &id->specs, id->study, error));
    ASIF_TRY(give_values(id, error));
    if (id->specs == 0 && !id->rivals_only)
        return nothing_to_learn(id, error);
    if (!id->logs || id->specs == 0)
        ASIF_TRY(state_agent(id, error));
    ASIF_TRY(asif_asking_work(asking, &id->work, id->study, &id->asked->solve, error));
    return id->specs ? asif_asking_estimates(asking, &id->estimates, id->work, id->given, id->spec, id->specs,
                                             asking->problems, error)
                     : ASIF_OK;
}

/* ---- the answer ---- */

static void fill_options(asif_identify_options *out, asif_fit_options *fit, const identification *id) {
    const identify_asked *asked = id->asked;
    asif_fit_defaults(fit, id->method);
    fit->inverse = asif_study_inverse(id->study);
    fit->predictive = fit->histories = 0; /* not needed here */
    asif_option_count(&fit->sample.chains, &asked->chains);
    asif_option_count64(&fit->sample.warmup, &asked->warmup);
    if (asked->warmup.given)
        fit->short_warmup = 0;
    if (!id->rivals_only)
        asif_option_count64(&fit->sample.draws, &asked->draws);
    if (asked->accept.given)
        fit->sample.target_accept = asked->accept.value;
    asif_option_count(&fit->starts, &asked->starts);
    asif_option_count(&out->starts, &asked->starts);
    out->title = asif_study_title(id->study);
    out->agent = id->agent;
    out->fit = fit;
    out->rivals_only = id->rivals_only;
    asif_option_count64(&out->episodes, &asked->episodes);
    asif_option_count64(&out->rival_episodes, &asked->rival_logs);
    asif_option_count(&out->max_steps, &asked->max_steps);
}

static asif_status answer(void **result, identification *id, const asif_rival *rival, asif_error *error) {
    asif_asking *asking = id->asking;
    asif_identify_options options = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_fit_options fit;
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_identify *made = NULL;
    fill_options(&options, &fit, id);
    fitted.context = asking->context;
    fitted.inverse = asif_study_inverse(id->study);
    fitted.inverse_options = asif_study_asked(id->study);
    fitted.setting = asif_study_setting(id->study);
    fitted.given = id->given;
    fitted.spec = id->spec;
    fitted.specs = id->specs;
    fitted.estimates = id->estimates;
    fitted.work = id->work;
    fitted.tree = asking->tree;
    fitted.seed = id->asked->solve.seed.value;
    asif_status status =
        asif_identify_run(&made, &fitted, &options, rival, id->asked->against.count, asking->problems, error);
    if (status == ASIF_EZEROPR && id->logs && error && !error->file[0])
        asif_error_at(error, asking->operand[1], 0, 0);
    *result = made;
    return status;
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    identification id = {.asking = asking, .asked = asking->options};
    asif_rival *rival = NULL;
    ASIF_TRY(check(&id, error));
    ASIF_TRY(asif_asking_study(asking, &id.study, asking->operand[0], error));
    ASIF_TRY(make_agent(&id, error));
    if (id.logs)
        ASIF_TRY(asif_asking_decisions(id.asking, id.study, &id.asked->map, error));
    else
        asif_asking_tell(asking);
    asif_rivals_of agent = {id.study, id.work, id.given, id.spec, id.specs, &id.asked->solve};
    ASIF_TRY(asif_rivals_make(&rival, asking, &agent, &id.asked->against, error));
    return answer(result, &id, rival, error);
}

static asif_status json(char **out, const void *result, asif_error *error) {
    return asif_identify_json(out, result, error);
}

static bool untrusted(const void *result) {
    asif_identify_view view = {.struct_size = sizeof view};
    asif_fit_view fit = {.struct_size = sizeof fit};
    return asif_identify_get(result, &view, NULL) == ASIF_OK && view.fit &&
           asif_fit_get(view.fit, &fit, NULL) == ASIF_OK && !fit.trusted;
}

static void discard(void *result) {
    asif_identify_free(result);
}

const asif_question_kind asif_question_identify = {
    .info =
        {
            .name = "identify",
            .operands = "STUDY [LOGS] [flags]",
            .summary = "can such logs tell explanations apart, and how many would it take?",
            .about =
                "Shows what logs can tell. For each number that the study marks `learn`: how much narrower "
                "the posterior is than the prior (contraction), the number that it trades off with, "
                "whether the likelihood is flat on a side, and a verdict. For each rival (--against): how "
                "far its best fit falls behind the agent on logs simulated from that agent, in nats per "
                "1000 logs. From this follows how many logs it takes to be sure (10 nats). A log is an "
                "episode.\n"
                "\n"
                "With LOGS, the fit is to these logs, the agent is the fitted one (its "
                "maximum), and -p assumes a value that is then not estimated. Without LOGS, the question "
                "is about a design before any data are collected: -p states the true agent, whose logs are "
                "simulated and fitted. What the study marks `learn` is still estimated (a utility has its "
                "`standard` value unless -p says otherwise). The exit code is 1 if the draws cannot be "
                "trusted.",
            .examples = "  asif identify study.yaml logs.csv --against optimism=0\n"
                        "  asif identify study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 500\n"
                        "  asif identify study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 --draws 0 \\\n"
                        "      --against optimism=0 --against optimism=0,alpha=0.5\n",
            .least_operands = 1,
            .most_operands = 2,
            .option = flags,
            .reads_logs = true,
        },
    .options_size = sizeof(identify_asked),
    .run = run,
    .json = json,
    .text = asif_report_identify,
    .no = untrusted,
    .free = discard,
};
