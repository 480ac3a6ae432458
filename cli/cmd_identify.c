#include "cli.h"
#include "job.h"
#include "rivals.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"against", 0, CLI_LIST, "RIVAL",
     "another explanation (repeatable): parameters held at values, as optimism=0 or optimism=0,alpha=0.5, "
     "all "
     "else that the study marks `learn` being free; or the file of a second study with the same labels",
     offsetof(cli_args, against), 0, 0},
    {"episodes", 'n', CLI_COUNT, "N", "without LOGS: logs to simulate and fit (default 1000)",
     offsetof(cli_args, episodes), 1, 1e12},
    {"rival-logs", 0, CLI_COUNT, "N", "logs to simulate for --against (default 100000)",
     offsetof(cli_args, replicates), 100, 1e9},
    {"max-steps", 0, CLI_COUNT, "N",
     "cut simulated logs that have not ended after N decisions (default: the longest of LOGS, else 1000)",
     offsetof(cli_args, max_steps), 1, 4294967295.0},
    {"method", 0, CLI_TEXT, "METHOD",
     "nuts (default) or metropolis, a random walk: how the posterior is drawn", offsetof(cli_args, method), 0,
     0},
    {"chains", 0, CLI_COUNT, "N", "chains to draw (default 4)", offsetof(cli_args, chains), 1, 1000},
    {"warmup", 0, CLI_COUNT, "N", "steps of a chain before its draws (default 1000)",
     offsetof(cli_args, warmup), 0, 1e9},
    {"draws", 0, CLI_COUNT, "N", "draws kept of a chain (default 1000); 0: none, only what --against asks",
     offsetof(cli_args, draws), 0, 1e9},
    {"target-accept", 0, CLI_NUMBER, "X",
     "acceptance that nuts aims for (default 0.95); nearer to 1 takes smaller steps",
     offsetof(cli_args, accept), 0.01, 0.999},
    {"starts", 0, CLI_COUNT, "N", "points from which a maximum is sought (default 9)",
     offsetof(cli_args, starts), 1, 100000},
    CLI_MAP_OPTION,
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

typedef struct {
    cli_job *job;
    bool logs, rivals_only;
    asif_fit_method method;
    asif_estimate_spec *spec; /* what is estimated */
    uint32_t specs;
    asif_theta *agent; /* as stated; NULL: as fitted */
    asif_estimates *estimates;
    cli_rivals rivals;
} identification;

/* ---- usage ---- */

static int find_method(asif_fit_method *out, const char *name) {
    *out = ASIF_FIT_NUTS;
    if (!name || strcmp(name, "nuts") == 0)
        return CLI_OK;
    *out = ASIF_FIT_METROPOLIS;
    if (strcmp(name, "metropolis") == 0)
        return CLI_OK;
    cli_say("asif identify draws by nuts or by metropolis, not by '%s'", name);
    cli_hint("what logs tell is seen from draws; with --draws 0 only --against is answered");
    return CLI_USAGE;
}

static int check_usage(identification *id, const cli_args *args) {
    id->logs = args->operands > 1;
    id->rivals_only = args->draws.given && args->draws.value == 0;
    if (id->rivals_only && args->against.count == 0) {
        cli_say("--draws 0 leaves nothing to be found out");
        cli_hint("give a rival, for example --against optimism=0");
        return CLI_USAGE;
    }
    if (id->logs && strcmp(args->operand[0], "-") == 0 && strcmp(args->operand[1], "-") == 0) {
        cli_say("the study and the logs cannot both come from standard input");
        return CLI_USAGE;
    }
    const struct {
        const char *flag, *why;
        bool wrong;
    } rows[] = {
        {"-n", "there are LOGS to fit; --rival-logs is the number that is simulated for --against",
         args->episodes.given && id->logs},
        {"-n", "with --draws 0 nothing is fitted", args->episodes.given && id->rivals_only},
        {"--map", "there are no LOGS", args->map.count > 0 && !id->logs},
        {"--rival-logs", "there is no --against", args->replicates.given && args->against.count == 0},
        {"--chains", "with --draws 0 nothing is drawn", args->chains.given && id->rivals_only},
        {"--warmup", "with --draws 0 nothing is drawn", args->warmup.given && id->rivals_only},
        {"--target-accept", "with --draws 0 nothing is drawn", args->accept.given && id->rivals_only},
        {"--target-accept", "it is nuts that takes it",
         args->accept.given && args->method && strcmp(args->method, "nuts") != 0},
        {"--method", "with --draws 0 nothing is drawn", args->method && id->rivals_only},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].wrong) {
            cli_say("%s has no use here: %s", rows[i].flag, rows[i].why);
            return CLI_USAGE;
        }
    return find_method(&id->method, args->method);
}

/* ---- the agent ---- */

static bool is_estimated(const identification *id, const char *list) {
    for (uint32_t i = 0; i < id->specs; i++)
        if (cli_gives(list, id->spec[i].name))
            return true;
    return false;
}

static int find_specs(identification *id) {
    uint32_t count = asif_study_estimates(id->job->study, NULL, 0);
    id->spec = calloc((size_t)count + 1, sizeof *id->spec);
    if (!id->spec) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    id->specs = asif_study_estimates(id->job->study, id->spec, count);
    return CLI_OK;
}

/* What is given: with logs -p takes a parameter from what is estimated, without logs it is its truth. */
static int give_values(identification *id) {
    cli_job *job = id->job;
    const cli_list *set = &job->args->set;
    if (asif_theta_copy(&job->theta, asif_study_theta(job->study), &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < set->count; i++) {
        if (!strchr(set->item[i], '=') || strchr(set->item[i], ',')) {
            cli_say("-p wants NAME=VALUE, not '%s'", set->item[i]);
            cli_hint("for example -p alpha=0.5");
            return CLI_USAGE;
        }
        if (id->logs || !is_estimated(id, set->item[i]))
            code = cli_give(job, job->theta, set->item[i], "-p");
    }
    if (!id->logs)
        return code;
    uint32_t left = 0;
    for (uint32_t k = 0; k < id->specs; k++) {
        bool given = false;
        for (uint32_t i = 0; i < set->count; i++)
            given = given || cli_gives(set->item[i], id->spec[k].name);
        if (!given)
            id->spec[left++] = id->spec[k];
    }
    id->specs = left;
    return code;
}

static int lacks_truth(const identification *id, const char *name) {
    cli_say("%s: without LOGS the agent must be stated, and %s has no value", id->job->args->operand[0],
            name);
    cli_hint("-p %s=VALUE says what it is in truth; it is estimated all the same", name);
    return CLI_USAGE;
}

/* A distribution that is estimated is in truth as if nothing had been said of it. */
static int state_distribution(identification *id, const asif_estimate_spec *spec) {
    cli_job *job = id->job;
    static const asif_distribution kinds[] = {ASIF_ACTION_PRIOR, ASIF_WORLD_WEIGHTS, ASIF_START};
    asif_theta *plain = NULL;
    asif_status status = asif_theta_create(&plain, job->context, asif_study_setting(job->study), &job->error);
    for (size_t k = 0; status == ASIF_OK && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(asif_distribution_text(kinds[k]), spec->name) == 0)
            status = asif_theta_set_distribution(id->agent, kinds[k], spec->start,
                                                 asif_theta_distribution(plain, kinds[k], spec->start),
                                                 &job->error);
    asif_theta_free(plain);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* The truth of everything: values given, those of -p, standards of utilities. */
static int state_agent(identification *id) {
    cli_job *job = id->job;
    const cli_list *set = &job->args->set;
    int code = CLI_OK;
    if (asif_theta_copy(&id->agent, job->theta, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    for (uint32_t i = 0; code == CLI_OK && i < set->count; i++)
        code = cli_give(job, id->agent, set->item[i], "-p");
    for (uint32_t k = 0; code == CLI_OK && k < id->specs; k++) {
        const asif_estimate_spec *spec = &id->spec[k];
        double value;
        if (asif_theta_get(id->agent, spec->name, &value, NULL) != ASIF_OK) {
            code = state_distribution(id, spec);
        } else if (value != value) {
            if (spec->standard != spec->standard)
                code = lacks_truth(id, spec->name);
            else if (asif_theta_set(id->agent, spec->name, spec->standard, &job->error) != ASIF_OK)
                code = cli_say_error(&job->error);
        }
    }
    return code;
}

static int nothing_to_learn(const identification *id) {
    cli_say("%s: nothing is to be estimated: every parameter has a value", id->job->args->operand[0]);
    cli_hint("write `alpha: learn` (or another parameter) in the study; with --draws 0 rivals alone are "
             "asked for");
    return CLI_USAGE;
}

static int make_agent(identification *id) {
    cli_job *job = id->job;
    int code = find_specs(id);
    if (code == CLI_OK)
        code = give_values(id);
    if (code == CLI_OK && id->specs == 0 && !id->rivals_only)
        code = nothing_to_learn(id);
    if (code == CLI_OK && (!id->logs || id->specs == 0))
        code = state_agent(id);
    if (code == CLI_OK && cli_job_work(job) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK && id->specs > 0 &&
        asif_estimates_scaled(&id->estimates, job->context, job->work, job->theta, id->spec, id->specs,
                              ASIF_PRIORS_STATED, job->problems, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    return code;
}

/* ---- logs ---- */

static int load_logs(cli_job *job) {
    int code = cli_job_map(job);
    if (code == CLI_OK)
        code = cli_job_said(job, cli_job_read(job, &job->tree, job->args->operand[1], CLI_UNITS_NONE, NULL));
    if (code == CLI_OK && !(asif_tree_info(job->tree)->weight > 0)) {
        cli_say("%s: there are no decisions in it", job->args->operand[1]);
        code = CLI_USAGE;
    }
    return code;
}

/* ---- the answer ---- */

static void fill_options(asif_identify_options *out, asif_fit_options *fit, const identification *id) {
    const cli_args *args = id->job->args;
    asif_fit_defaults(fit, id->method);
    fit->inverse = asif_study_inverse(id->job->study);
    fit->predictive = fit->histories = 0; /* nothing is asked of them here */
    if (args->chains.given)
        fit->sample.chains = (uint32_t)args->chains.value;
    if (args->warmup.given)
        fit->sample.warmup = args->warmup.value;
    if (args->draws.given && !id->rivals_only)
        fit->sample.draws = args->draws.value;
    if (args->accept.given)
        fit->sample.target_accept = args->accept.value;
    if (args->starts.given)
        fit->starts = out->starts = (uint32_t)args->starts.value;
    out->title = asif_study_title(id->job->study);
    out->agent = id->agent;
    out->fit = fit;
    out->rivals_only = id->rivals_only;
    if (args->episodes.given)
        out->episodes = args->episodes.value;
    if (args->replicates.given)
        out->rival_episodes = args->replicates.value;
    out->max_steps = (uint32_t)args->max_steps.value;
}

static int print(const identification *id, const asif_identify *made) {
    cli_job *job = id->job;
    asif_report_options report = cli_report_options(job->args->json);
    asif_identify_view view = {.struct_size = sizeof view};
    asif_fit_view fit = {.struct_size = sizeof fit};
    char *json = NULL, *text = NULL;
    int code = CLI_OK;
    if (asif_identify_json(&json, made, &job->error) != ASIF_OK ||
        asif_report_identify(&text, job->context, json, strlen(json), "identify", &report, &job->error) !=
            ASIF_OK)
        code = cli_say_error(&job->error);
    else
        fputs(text, stdout);
    asif_memory_free(job->context, json);
    asif_memory_free(job->context, text);
    if (code == CLI_OK && asif_identify_get(made, &view, NULL) == ASIF_OK && view.fit &&
        asif_fit_get(view.fit, &fit, NULL) == ASIF_OK && !fit.trusted)
        code = CLI_NO;
    return code;
}

static int say_failure(cli_job *job, asif_status status, bool logs) {
    if (status == ASIF_ECANCELLED) {
        cli_say("stopped before the end");
        return CLI_SYSTEM;
    }
    if (status == ASIF_EZEROPR && logs && !job->error.file[0])
        snprintf(job->error.file, sizeof job->error.file, "%s", job->args->operand[1]);
    return cli_say_error(&job->error);
}

static int answer(identification *id) {
    cli_job *job = id->job;
    asif_identify_options wanted = ASIF_IDENTIFY_OPTIONS_INIT;
    asif_fit_options fit;
    asif_fitted fitted = ASIF_FITTED_INIT;
    asif_identify *made = NULL;
    fill_options(&wanted, &fit, id);
    fitted.context = job->context;
    fitted.inverse = asif_study_inverse(job->study);
    fitted.inverse_options = asif_study_asked(job->study);
    fitted.setting = asif_study_setting(job->study);
    fitted.given = job->theta;
    fitted.spec = id->spec;
    fitted.specs = id->specs;
    fitted.estimates = id->estimates;
    fitted.work = job->work;
    fitted.tree = job->tree;
    fitted.seed = job->args->seed.value;
    int code = cli_job_renew_problems(job);
    if (code != CLI_OK)
        return code;
    cli_progress_catch();
    asif_status status = asif_identify_run(&made, &fitted, &wanted, id->rivals.rival, id->rivals.count,
                                           job->problems, &job->error);
    cli_progress_end(&job->progress);
    if (status == ASIF_OK)
        code = cli_say_problems(job->context, job->problems, job->args->quiet);
    else
        code = say_failure(job, status, id->logs);
    if (code == CLI_OK)
        code = print(id, made);
    asif_identify_free(made);
    return code;
}

static int identify(identification *id) {
    cli_job *job = id->job;
    int code = cli_job_load(job, job->args->operand[0]);
    if (code == CLI_OK)
        code = cli_job_renew_problems(job);
    if (code == CLI_OK)
        code = make_agent(id);
    if (code == CLI_OK && id->logs)
        code = load_logs(job);
    else if (code == CLI_OK)
        code = cli_say_problems(job->context, job->problems, job->args->quiet);
    if (code == CLI_OK)
        code = cli_rivals_make(&id->rivals, job, job->theta, id->spec, id->specs);
    return code == CLI_OK ? answer(id) : code;
}

static int run(const cli_args *args) {
    cli_job job;
    identification id = {.job = &job};
    int code = check_usage(&id, args);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = identify(&id);
    cli_rivals_free(&id.rivals);
    asif_estimates_free(id.estimates);
    asif_theta_free(id.agent);
    free(id.spec);
    cli_job_close(&job);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return code;
}

const cli_command cli_identify = {
    .name = "identify",
    .operands = "STUDY [LOGS] [flags]",
    .summary = "can such logs tell these explanations apart, and how many would",
    .about =
        "Tells what logs can say. Of each number that the study marks `learn`: how much the posterior is "
        "narrower "
        "than the prior (contraction), the number that it moves with, whether the likelihood goes flat to a "
        "side, "
        "and the verdict. Of each rival (--against): how far its best falls behind the agent on logs "
        "simulated "
        "from that agent, in nats per 1000 logs, and so how many logs it takes to be sure (10 nats). A log "
        "is an "
        "episode. With LOGS the fit is to them, and the agent is the fitted one (its maximum); -p gives a "
        "parameter a value that is then not estimated. Without LOGS it is a design that is asked about, "
        "before "
        "anything is collected: -p states the true agent, whose logs are simulated and fitted; what the "
        "study "
        "marks `learn` is still estimated (a utility is its `standard` unless -p says otherwise). The exit "
        "code "
        "is 1 if the draws are not to be trusted.",
    .examples = "  asif identify study.yaml logs.csv --against optimism=0\n"
                "  asif identify study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 -n 500\n"
                "  asif identify study.yaml -p alpha=0.5 -p beta=1.25 -p eta=0 --draws 0 \\\n"
                "      --against optimism=0 --against optimism=0,alpha=0.5\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
