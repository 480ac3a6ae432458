#include "cli.h"
#include "fits/fit_one.h"
#include "fits/folder.h"
#include "logs/database.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED_GROUPS 12 /* largest number of groups compared after a fit; `asif compare` takes more */
#define ANY_RESOLUTION 4   /* resolution of a lattice on which nothing is computed */

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "DIR", "folder for the results; it is created if it does not exist",
     offsetof(cli_args, output), 0, 0},
    {"method", 0, CLI_TEXT, "METHOD",
     "auto (default): draws from the posterior, by ridge where that can be trusted, else by nuts; ridge: "
     "importance sampling along the ridges of the posterior, fast with a few parameters; nuts: the "
     "no-U-turn sampler; metropolis: a random walk; map: the maximum of the posterior; ml: the maximum of "
     "the likelihood (for an inverse planner without a likelihood: its answer, the default there); "
     "published: the random walk of the paper's code, for comparison",
     offsetof(cli_args, method), 0, 0},
    {"chains", 0, CLI_COUNT, "N", "chains to draw (default 4; published: 1)", offsetof(cli_args, chains), 1,
     1000},
    {"warmup", 0, CLI_COUNT, "N",
     "steps of a chain before its draws (default 1000; 150 by nuts where draws along the "
     "ridge are good and there is one maximum)",
     offsetof(cli_args, warmup), 0, 1e9},
    {"draws", 0, CLI_COUNT, "N", "draws kept of a chain (default 1000)", offsetof(cli_args, draws), 1, 1e9},
    {"target-accept", 0, CLI_NUMBER, "X",
     "acceptance that nuts aims for (default 0.95, with --world joint 0.8); nearer to 1 takes smaller steps",
     offsetof(cli_args, accept), 0.01, 0.999},
    {"starts", 0, CLI_COUNT, "N", "points from which the maximum is sought (default 9)",
     offsetof(cli_args, starts), 1, 100000},
    {"checkpoint", 0, CLI_NUMBER, "SECONDS",
     "how often chains are saved, so that the same command can continue after an interruption (default 10)",
     offsetof(cli_args, checkpoint), 0, 1e9},
    {"world", 0, CLI_TEXT, "HOW",
     "where the study leaves hidden dynamics to be learnt (`learn`): cut (default): the agent is fitted in "
     "worlds drawn from what the observations say about the dynamics, and these posteriors are pooled; "
     "given: the estimated dynamics are taken as if they were known; joint: agent and dynamics are drawn "
     "together, by nuts",
     offsetof(cli_args, world), 0, 0},
    {"worlds", 0, CLI_COUNT, "N", "worlds that --world cut draws (default 40)", offsetof(cli_args, worlds), 2,
     100000},
    {"by", 0, CLI_TEXT, "COLUMN",
     "one fit in DIR/VALUE for each value of a column, which must be the same in all rows of an episode",
     offsetof(cli_args, by), 0, 0},
    CLI_WHERE_OPTION,
    {"no-sensitivity", 0, CLI_SWITCH, NULL, "do not refit under other assumptions (see asif sensitivity)",
     offsetof(cli_args, no_sensitivity), 0, 0},
    {"no-answers", 0, CLI_SWITCH, NULL,
     "only estimates: no outcomes, no predictive checks and no refits under other assumptions",
     offsetof(cli_args, no_answers), 0, 0},
    CLI_MAP_OPTION,
    CLI_DATABASE_OPTIONS,
    CLI_SOLVE_OPTIONS,
    {"force", 0, CLI_SWITCH, NULL, "replace an existing fit in DIR", offsetof(cli_args, force), 0, 0},
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* ---- usage ---- */

static int find_method(asif_fit_method *out, const char *name) {
    const char *names[16], *known;
    uint32_t count = 0;
    *out = ASIF_FIT_AUTO;
    for (; count < 16 && (known = asif_fit_method_text((asif_fit_method)count)); count++) {
        names[count] = known;
        if (name && strcmp(name, known) == 0) {
            *out = (asif_fit_method)count;
            return CLI_OK;
        }
    }
    if (!name)
        return CLI_OK;
    const char *near = asif_nearest_word(name, names, count);
    cli_say("there is no method '%s'", name);
    if (near)
        cli_hint("did you mean %s? methods are auto, ridge, nuts, metropolis, published, map and ml", near);
    else
        cli_hint("methods are auto, ridge, nuts, metropolis, published, map and ml");
    return CLI_USAGE;
}

/* Refuse flags that the method does not use. */
static int check_flags(const cli_args *args, asif_fit_method method) {
    bool draws = asif_fit_method_draws(method), chains = draws && method != ASIF_FIT_RIDGE,
         nuts = method == ASIF_FIT_NUTS || method == ASIF_FIT_AUTO;
    const struct {
        const char *flag;
        bool given, useful;
    } rows[] = {
        {"--chains", args->chains.given, draws},
        {"--warmup", args->warmup.given, chains},
        {"--draws", args->draws.given, draws},
        {"--target-accept", args->accept.given, nuts},
        {"--checkpoint", args->checkpoint.given, chains},
        {"--starts", args->starts.given, method != ASIF_FIT_PUBLISHED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && !rows[i].useful) {
            cli_say("--method %s has no use for %s", asif_fit_method_text(method), rows[i].flag);
            return CLI_USAGE;
        }
    return CLI_OK;
}

static int check_usage(const cli_args *args, asif_fit_method *method) {
    if (!args->output || !*args->output) {
        cli_say("asif fit needs -o DIR, a folder for the results");
        cli_hint("for example asif fit %s %s -o fit", args->operand[0],
                 args->operands > 1 ? args->operand[1] : "logs.csv");
        return CLI_USAGE;
    }
    int code = cli_logs_require(args, "fit");
    if (code == CLI_OK)
        code = find_method(method, args->method);
    return code == CLI_OK ? check_flags(args, *method) : code;
}

/* ---- what is estimated ---- */

static int nothing_to_learn(const cli_fit_job *fit, bool study_learns) {
    const char *study = fit->job->args->operand[0];
    if (study_learns)
        cli_say("%s: nothing is left to estimate: -p gives everything a value", study);
    else
        cli_say("%s: nothing is to be estimated: every parameter has a value", study);
    cli_hint("%s`asif plan` shows what this agent does, and `asif check` how well the logs fit it",
             study_learns ? "" : "write `alpha: learn` (or another parameter) in the study; ");
    return CLI_USAGE;
}

static int find_specs(cli_fit_job *fit) {
    uint32_t all;
    int code = cli_job_specs(fit->job, &fit->spec, &fit->specs, &all);
    return code != CLI_OK || fit->specs ? code : nothing_to_learn(fit, all > 0);
}

/* Make the estimates once, so that errors are found before anything is written. */
static int try_estimates(const cli_fit_job *fit) {
    asif_estimates *estimates = NULL;
    asif_status status = cli_fit_estimates(&estimates, fit);
    asif_estimates_free(estimates);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&fit->job->error);
}

/* ---- inputs ---- */

/* Load a study, which may leave dynamics of hidden states to be learnt. What is left of states that are seen
 * is refused as in any other command. */
static int load_study(cli_fit_job *fit) {
    cli_job *job = fit->job;
    const char *path = job->args->operand[0], *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char *text = NULL;
    size_t length = 0;
    int code = cli_read_file(&text, &length, job, path);
    if (code != CLI_OK)
        return code;
    asif_status status =
        asif_study_read_unlearnt(&job->study, job->context, text, length, name, job->problems, &job->error);
    if (status == ASIF_OK && asif_study_part(job->study, 0)) {
        asif_study_free(job->study);
        job->study = NULL;
        status = asif_study_read(&job->study, job->context, text, length, name, job->problems, &job->error);
    }
    asif_memory_free(job->context, text);
    code = cli_job_said(job, status);
    return code == CLI_OK ? cli_job_renew_problems(job) : code;
}

static bool learns_world(const cli_fit_job *fit) {
    return asif_study_hidden_dynamics(fit->job->study) != NULL;
}

/* Find how learnt dynamics are treated. */
static int settle_world(cli_fit_job *fit) {
    const cli_args *args = fit->job->args;
    bool given = args->world && strcmp(args->world, asif_world_mode_text(ASIF_WORLD_GIVEN)) == 0;
    bool cut = args->world && strcmp(args->world, asif_world_mode_text(ASIF_WORLD_CUT)) == 0;
    bool joint = args->world && strcmp(args->world, asif_world_mode_text(ASIF_WORLD_JOINT)) == 0;
    bool draws = asif_fit_method_draws(fit->how.method) && fit->how.method != ASIF_FIT_PUBLISHED;
    const char *method = asif_fit_method_text(fit->how.method);
    if (args->world && !given && !cut && !joint)
        cli_say("--world is cut, given or joint, not '%s'", args->world);
    else if ((args->world || args->worlds.given) && !learns_world(fit))
        cli_say("--%s is for studies that leave hidden dynamics to be learnt",
                args->world ? "world" : "worlds");
    else if (args->worlds.given && (given || joint))
        cli_say("--world %s has no use for --worlds", args->world);
    else if ((cut || joint || args->worlds.given) && !draws)
        cli_say("--method %s has no draws, which --world %s needs", method, joint ? "joint" : "cut");
    else {
        fit->world = given   ? ASIF_WORLD_GIVEN
                     : cut   ? ASIF_WORLD_CUT
                     : joint ? ASIF_WORLD_JOINT
                             : ASIF_WORLD_USUAL;
        fit->worlds = args->worlds.given ? (uint32_t)args->worlds.value : 0;
        return CLI_OK;
    }
    return CLI_USAGE;
}

/* Choose the method by the inverse planner, where no flag names one. */
static int settle_inverse(cli_fit_job *fit, asif_fit_method method) {
    const cli_args *args = fit->job->args;
    const asif_inverse_info *inverse = asif_inverse_named(asif_study_inverse(fit->job->study));
    if (!inverse->likelihood && !args->method)
        method = ASIF_FIT_ML;
    cli_fit_options(fit, method);
    fit->solver = cli_job_solver(fit->job);
    if (inverse->likelihood)
        return CLI_OK;
    if (method == ASIF_FIT_ML)
        return check_flags(args, method);
    cli_say("%s is no likelihood: it has an answer, but no posterior", inverse->name);
    cli_hint("leave --method out, or say --method ml, which then is this answer");
    return CLI_USAGE;
}

/* Check that the tree has the episodes that the inverse planner needs; a saved tree may lack them. */
static int check_episodes(cli_job *job) {
    asif_tree_view view = {.struct_size = sizeof view};
    if (asif_tree_get(job->tree, &view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (view.units > 0 && view.units == asif_tree_info(job->tree)->episodes)
        return CLI_OK;
    cli_say("%s: the tree was saved without its episodes, and %s is about them", cli_logs_name(job->args),
            asif_study_inverse(job->study));
    cli_hint("give the table that it was counted from");
    return CLI_USAGE;
}

static int load_logs(cli_job *job) {
    const char **columns = NULL;
    bool episodes = cli_job_helper(job) != ASIF_HELPER_NONE;
    int code = cli_job_columns(&columns, job, cli_job_column(job));
    if (code == CLI_OK)
        code = cli_job_map(job);
    if (code == CLI_OK)
        code = cli_job_said(job, cli_job_read(job, &job->tree, cli_logs_path(job->args),
                                              episodes            ? CLI_UNITS_EPISODES
                                              : cli_clusters(job) ? CLI_UNITS_BOTH
                                                                  : CLI_UNITS_SUBJECTS,
                                              columns));
    asif_memory_free(job->context, columns);
    if (code == CLI_OK && !(asif_tree_info(job->tree)->weight > 0)) {
        cli_say("%s: there are no decisions in it", cli_logs_name(job->args));
        code = CLI_USAGE;
    }
    return code == CLI_OK && episodes ? check_episodes(job) : code;
}

/* Check the table of pairs against all logs: every pair must name two of their episodes. The fit of a part
 * of the logs then uses only the pairs within that part. */
static int check_pairs(cli_fit_job *fit) {
    cli_job *job = fit->job;
    asif_target_options what = ASIF_TARGET_OPTIONS_INIT;
    asif_estimates *estimates = NULL;
    asif_target *target = NULL;
    if (cli_job_helper(job) != ASIF_HELPER_PAIRS || (!job->args->by && !job->args->where.count))
        return CLI_OK;
    what.inverse = asif_study_inverse(job->study);
    what.inverse_options = asif_study_asked(job->study);
    asif_status status = cli_fit_estimates(&estimates, fit);
    if (status == ASIF_OK)
        status = asif_target_create(&target, job->work, estimates, job->tree, &what, &job->error);
    asif_target_free(target);
    asif_estimates_free(estimates);
    fit->partial = true;
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* ---- answers ---- */

static int print_one(const cli_fit_job *fit, const char *json) {
    cli_job *job = fit->job;
    asif_report_options report = cli_report_options(job->args->json);
    char *text = NULL;
    bool trusted = false;
    if (asif_report_summary(&text, &trusted, job->context, json, strlen(json), "fit.json", &report,
                            &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    fputs(text, stdout);
    asif_memory_free(job->context, text);
    return trusted ? CLI_OK : CLI_NO;
}

/* Compare the numbers of the groups; the result is JSON. */
static int compare_numbers(cli_job *job, char **json) {
    static const asif_given given = {"numbers", "true"};
    asif_asked asked = ASIF_ASKED_INIT;
    asif_answer *answer = NULL;
    asked.operand = &job->args->output;
    asked.operands = 1;
    asked.given = &given;
    asked.givens = 1;
    int code = cli_job_renew_problems(job);
    if (code != CLI_OK)
        return code;
    asif_status status = asif_ask(&answer, job->context, "compare", &asked, job->problems, &job->error);
    if (status == ASIF_OK)
        status = asif_answer_json(json, answer, &job->error);
    asif_answer_free(answer);
    return cli_job_said(job, status);
}

/* Compare the groups where people have several episodes: the intervals of each group do not show whether
 * groups differ. */
static int compare_people(const cli_fit_job *fit, const cli_groups *groups, char **json) {
    bool several = false;
    *json = NULL;
    for (uint32_t g = 0; g < groups->count; g++) {
        asif_tree_view view = {.struct_size = sizeof view};
        const asif_logs_info *info = asif_tree_info(groups->group[g].tree);
        if (asif_tree_get(groups->group[g].tree, &view, NULL) == ASIF_OK)
            several |= info->subjects > 1 && view.units == info->subjects;
    }
    if (!several || groups->count < 2 || groups->count > COMPARED_GROUPS || cli_job_helper(fit->job))
        return CLI_OK;
    return compare_numbers(fit->job, json);
}

static int print_groups(const cli_fit_job *fit, const cli_groups *groups, char *const *json) {
    cli_job *job = fit->job;
    asif_report_options report = cli_report_options(job->args->json);
    const char **name = calloc(groups->count, sizeof *name);
    char *text = NULL, *contrast = NULL;
    bool trusted = false;
    int code = name ? compare_people(fit, groups, &contrast) : cli_no_memory();
    for (uint32_t g = 0; name && g < groups->count; g++)
        name[g] = groups->group[g].folder;
    if (code == CLI_OK &&
        asif_report_groups(&text, &trusted, job->context, groups->count, (const char *const *)json, name,
                           contrast, &report, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    free(name);
    asif_memory_free(job->context, contrast);
    if (code != CLI_OK)
        return code;
    fputs(text, stdout);
    asif_memory_free(job->context, text);
    return trusted ? CLI_OK : CLI_NO;
}

/* ---- the fits ---- */

static int fit_all(cli_fit_job *fit) {
    const char *folder = fit->job->args->output;
    cli_groups groups = {0};
    char *json = NULL;
    int code = cli_groups_make(&groups, fit->job);
    if (code == CLI_OK)
        code = cli_fit_one(fit, &groups.group[0], folder, &json);
    if (code == CLI_OK)
        code = print_one(fit, json);
    free(json);
    cli_groups_free(&groups);
    return code;
}

/* Open the folder of all groups; it is locked until it is closed. */
static int open_groups(asif_folder **out, const cli_fit_job *fit, const cli_groups *groups) {
    cli_job *job = fit->job;
    asif_folder_options about = ASIF_FOLDER_OPTIONS_INIT;
    asif_folder_group *group = calloc(groups->count, sizeof *group);
    char(*key)[ASIF_DIGEST_SIZE] = calloc(groups->count, sizeof *key);
    int code = group && key ? CLI_OK : cli_no_memory();
    for (uint32_t g = 0; group && key && code == CLI_OK && g < groups->count; g++) {
        asif_fit_request request = cli_fit_request(fit, &groups->group[g]);
        if (asif_fit_key(key[g], job->context, &request, &job->error) != ASIF_OK)
            code = cli_say_error(&job->error);
        group[g] = (asif_folder_group){groups->group[g].value, key[g]};
    }
    about.path = job->args->output;
    about.key = key ? key[0] : NULL;
    about.force = job->args->force;
    about.by = job->args->by;
    about.group = group;
    about.groups = groups->count;
    if (code == CLI_OK && asif_folder_open(out, job->context, &about, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    free(group);
    free(key);
    return code;
}

static int fit_each(const cli_fit_job *fit, cli_groups *groups, asif_folder *folder, char **json) {
    cli_job *job = fit->job;
    asif_folder_view view = {.struct_size = sizeof view};
    int code = asif_folder_get(folder, &view, &job->error) == ASIF_OK ? CLI_OK : CLI_SYSTEM;
    for (uint32_t g = 0; code == CLI_OK && g < groups->count; g++) {
        groups->group[g].folder = strdup(strrchr(view.group[g], '/') + 1);
        code = groups->group[g].folder ? cli_fit_one(fit, &groups->group[g], view.group[g], &json[g])
                                       : cli_no_memory();
    }
    if (code == CLI_OK && asif_folder_commit(folder, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    return code;
}

static int fit_groups(cli_fit_job *fit) {
    cli_groups groups = {0};
    asif_folder *folder = NULL;
    char **json = NULL;
    int code = cli_groups_make(&groups, fit->job);
    if (code == CLI_OK)
        code = open_groups(&folder, fit, &groups);
    if (code == CLI_OK && !(json = calloc(groups.count, sizeof *json)))
        code = cli_no_memory();
    if (code == CLI_OK)
        code = fit_each(fit, &groups, folder, json);
    asif_folder_close(folder);
    if (code == CLI_OK)
        code = print_groups(fit, &groups, json);
    for (uint32_t g = 0; json && g < groups.count; g++)
        free(json[g]);
    free(json);
    cli_groups_free(&groups);
    return code;
}

/* Refuse a folder with a finished fit before large logs are read. */
static int look_first(cli_job *job) {
    const char *path = job->args->output;
    asif_fits *fits = NULL;
    asif_fits_view view = {.struct_size = sizeof view};
    if (asif_fits_find(&fits, job->context, path, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    asif_fits_get(fits, &view, NULL);
    bool refused = view.listed && !view.grouped && !view.begun && !view.left && !job->args->force;
    asif_fits_free(fits);
    if (!refused)
        return CLI_OK;
    cli_say("%s holds a finished fit", path);
    cli_hint("'asif summary %s' shows it; choose another folder, or --force to replace it", path);
    return CLI_USAGE;
}

/* Make the workspace before the logs are read, so that mistakes show early. If the fit chooses the
 * resolution of the lattice itself, a coarse lattice is enough here. */
static int make_work(cli_fit_job *fit) {
    cli_job *job = fit->job;
    asif_plan_options solver = fit->solver;
    if (solver.lattice_error > 0)
        solver.resolution = ANY_RESOLUTION;
    asif_status status = asif_work_create(&job->work, job->context, asif_study_planner(job->study),
                                          asif_study_setting(job->study), &solver, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int fit(cli_fit_job *fit, asif_fit_method method) {
    cli_job *job = fit->job;
    const cli_args *args = job->args;
    int code = look_first(job);
    if (code == CLI_OK)
        code = load_study(fit);
    if (code == CLI_OK)
        code = settle_inverse(fit, method);
    if (code == CLI_OK)
        code = settle_world(fit);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code == CLI_OK)
        code = find_specs(fit);
    if (code == CLI_OK)
        code = make_work(fit);
    if (code == CLI_OK && !learns_world(fit)) /* until they are learnt, worlds do not differ */
        code = try_estimates(fit);
    if (code == CLI_OK)
        code = cli_job_next_case(job);
    if (code == CLI_OK)
        code = load_logs(job);
    /* Now, because after a long fit the database may be gone. */
    if (code == CLI_OK && cli_origin_make(&fit->origin, job) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = check_pairs(fit);
    if (code == CLI_OK)
        code = args->by ? fit_groups(fit) : fit_all(fit);
    free(fit->spec);
    cli_origin_free(&fit->origin);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    cli_fit_job this_fit = {.job = &job};
    asif_fit_method method;
    int code = check_usage(args, &method);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = fit(&this_fit, method);
    cli_job_close(&job);
    return code;
}

const cli_command cli_fit = {
    .name = "fit",
    .operands = "STUDY [LOGS] -o DIR [flags]",
    .summary = "estimate what they must want, know and believe to act as they do",
    .about =
        "Estimates everything that the study marks `learn` from logs (a table or a saved tree): draws from "
        "the posterior, or a maximum. Prints what they do, as if why, what the logs cannot tell, and whether "
        "the computation can be trusted.\n"
        "\n"
        "Writes the folder DIR: fit.json (all results), chain-1.csv and so on (the draws, in Stan's format), "
        "study.yaml, logs.tree (counts without names; by subject where subjects have several episodes) and "
        "run.json (version, command line, digests, times). If a fit is interrupted, the same command "
        "continues it. With --threads, chains run in parallel. The exit code is 1 if the computation cannot "
        "be trusted, if there are rival explanations, or if a predictive check fails.",
    .examples = "  asif fit study.yaml logs.csv -o fit\n"
                "  asif fit study.yaml logs.csv -o fit-neutral -p beta=inf --threads 4\n"
                "  asif fit study.yaml logs.csv -o by-arm --by arm --where year=2020\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
