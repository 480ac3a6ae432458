#include "cli.h"
#include "job.h"
#include "logs/database.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FOLDER",
     "where population.json, units.csv and the draws go; with --given a file for the posteriors (CSV)",
     offsetof(cli_args, output), 0, 0},
    {"given", 0, CLI_TEXT, "FOLDER",
     "do not fit a population: give posteriors of the people in LOGS under the one in FOLDER",
     offsetof(cli_args, population), 0, 0},
    {"force", 0, CLI_SWITCH, NULL, "replace an earlier result in FOLDER", offsetof(cli_args, force), 0, 0},
    {"points", 0, CLI_COUNT, "N", "points of the table in its first round (default 2048); it grows as needed",
     offsetof(cli_args, points), 64, 1e6},
    {"most-points", 0, CLI_COUNT, "N",
     "most points of the table (default 0: as many as 3 GB allow, at most 131072)",
     offsetof(cli_args, most_points), 0, 1e7},
    {"sample", 0, CLI_COUNT, "N",
     "most decision-makers that the population is fitted to, drawn at random from more (default 20000)",
     offsetof(cli_args, sample), 2, 1e9},
    {"uncorrelated", 0, CLI_SWITCH, NULL, "the population has no correlations between parameters",
     offsetof(cli_args, uncorrelated), 0, 0},
    {"permutations", 0, CLI_COUNT, "N",
     "fit the population N more times, with covariates that people get by lot (default 0)",
     offsetof(cli_args, permutations), 0, 1e6},
    {"predictive", 0, CLI_SWITCH, NULL,
     "with --given: also the log-probability of what each person did (column log_likelihood)",
     offsetof(cli_args, predictive), 0, 0},
    {"chains", 0, CLI_COUNT, "N", "chains of the population's numbers (default 4)",
     offsetof(cli_args, chains), 1, 1000},
    {"warmup", 0, CLI_COUNT, "N", "steps before the draws (default 200)", offsetof(cli_args, warmup), 0, 1e9},
    {"draws", 0, CLI_COUNT, "N", "draws kept from each chain (default 250)", offsetof(cli_args, draws), 1,
     1e9},
    CLI_MAP_OPTION,
    CLI_WHERE_OPTION,
    CLI_DATABASE_OPTIONS,
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* ---- inputs ---- */

static int check_inverse(const cli_job *job) {
    if (strcmp(asif_study_inverse(job->study), "soft-policy-matching") == 0)
        return CLI_OK;
    cli_say("people are compared by the likelihood of what they did, and the study asks for %s",
            asif_study_inverse(job->study));
    cli_hint("leave out `inverse:` in the study");
    return CLI_USAGE;
}

/* The columns that the study's population depends on, each once, NULL-terminated; freed by free(). NULL: no
 * memory. */
static const char **list_columns(const asif_people_effect *effect, uint32_t effects) {
    const char **column = calloc(effects + (size_t)1, sizeof *column);
    uint32_t count = 0;
    for (uint32_t i = 0; column && i < effects; i++) {
        uint32_t k = 0;
        while (k < count && strcmp(column[k], effect[i].column) != 0)
            k++;
        if (k == count)
            column[count++] = effect[i].column;
    }
    return column;
}

/* Read the logs by person, with these columns. */
static int read_logs(cli_job *job) {
    uint32_t effects;
    const asif_people_effect *effect = asif_study_effects(job->study, &effects);
    const char *path = cli_logs_path(job->args);
    asif_logs_options how = ASIF_LOGS_OPTIONS_INIT;
    if (effects == 0)
        return cli_job_said(job, cli_job_read(job, &job->tree, path, CLI_UNITS_SUBJECTS, NULL));
    const char **column = list_columns(effect, effects);
    if (!column)
        return cli_no_memory();
    how.map = job->map;
    how.setting = asif_study_setting(job->study);
    how.units = ASIF_UNITS_SUBJECTS;
    how.covariates = column;
    how.where = job->where;
    how.wheres = job->args->where.count;
    asif_status status = cli_job_read_as(job, &job->tree, path, &how);
    free(column);
    return cli_job_said(job, status);
}

static int read_inputs(cli_job *job, asif_estimates **estimates) {
    int code = cli_job_load(job, job->args->operand[0]);
    if (code == CLI_OK)
        code = check_inverse(job);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code == CLI_OK)
        code = cli_job_map(job);
    if (code == CLI_OK)
        code = cli_job_where_rows(job, cli_logs_path(job->args));
    if (code == CLI_OK)
        code = cli_job_renew_problems(job);
    if (code == CLI_OK)
        code = read_logs(job);
    if (code == CLI_OK)
        code = cli_job_renew_problems(job);
    return code == CLI_OK ? cli_job_estimates(job, estimates) : code;
}

/* ---- the folder ---- */

/* What a population depends on beside the logs and the numbers of points and draws. */
static asif_status make_table_key(char *key, cli_job *job) {
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    asif_plan_options solver = cli_job_solver(job);
    parts.command = "people table";
    parts.study = job->study;
    parts.given = job->theta;
    parts.solver = &solver;
    return asif_key_make(key, &parts, &job->error);
}

static asif_status make_key(char *key, cli_job *job, const asif_people_options *o) {
    char settings[256];
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    asif_plan_options solver = cli_job_solver(job);
    snprintf(settings, sizeof settings,
             "%" PRIu64 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64,
             (uint64_t)o->seed, o->uncorrelated, (uint64_t)o->points, (uint64_t)o->most_points,
             (uint64_t)o->sample, o->chains, (uint64_t)o->warmup, (uint64_t)o->draws);
    if (o->permutations)
        snprintf(settings + strlen(settings), sizeof settings - strlen(settings), " %" PRIu64,
                 (uint64_t)o->permutations);
    parts.command = "people";
    parts.study = job->study;
    parts.given = job->theta;
    parts.solver = &solver;
    parts.logs = job->tree;
    parts.options = settings;
    return asif_key_make(key, &parts, &job->error);
}

/* Lock the folder before anything is computed: what is in it already may be a reason to refuse. */
static int open_folder(asif_folder **out, cli_job *job, const asif_people_options *o) {
    char key[ASIF_DIGEST_SIZE];
    asif_folder_view view = {.struct_size = sizeof view};
    if (!job->args->output)
        return CLI_OK;
    bool good = make_key(key, job, o) == ASIF_OK &&
                asif_people_open(out, job->context, job->study, o->chains, key, job->args->output,
                                 job->args->force, &job->error) == ASIF_OK &&
                asif_folder_get(*out, &view, &job->error) == ASIF_OK;
    if (!good)
        return cli_say_error(&job->error);
    if (!view.finished || job->args->force)
        return CLI_OK;
    cli_say("%s holds this result already", job->args->output);
    cli_hint("choose another folder, or --force to compute it again");
    return CLI_USAGE;
}

static int write_folder(asif_folder *folder, cli_job *job, const asif_people *people) {
    cli_origin origin;
    asif_status status = cli_origin_make(&origin, job);
    if (status == ASIF_OK)
        status = asif_people_save(people, job->study, folder, &origin.origin, &job->error);
    cli_origin_free(&origin);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int print(cli_job *job, const asif_people *people) {
    char *text = NULL;
    asif_status status = job->args->json ? asif_people_json(&text, people, &job->error)
                                         : asif_people_text(&text, people, &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* ---- the command ---- */

static asif_people_options people_options(const cli_job *job) {
    const cli_args *args = job->args;
    asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
    o.effect = asif_study_effects(job->study, &o.effects);
    o.kinds = asif_study_kinds(job->study);
    o.title = asif_study_title(job->study);
    o.seed = args->seed.value;
    o.uncorrelated = args->uncorrelated;
    o.predictive = args->population && args->predictive;
    o.permutations = args->permutations.value;
    o.points = args->points.given ? args->points.value : o.points;
    o.most_points = args->most_points.given ? args->most_points.value : o.most_points;
    o.sample = args->sample.given ? args->sample.value : o.sample;
    o.chains = args->chains.given ? (uint32_t)args->chains.value : o.chains;
    o.warmup = args->warmup.given ? args->warmup.value : o.warmup;
    o.draws = args->draws.given ? args->draws.value : o.draws;
    return o;
}

/* ---- posteriors given a population ---- */

static int write_units(cli_job *job, const asif_people *people) {
    char *text = NULL;
    if (!job->args->output)
        return CLI_OK;
    int code = asif_people_csv(&text, people, &job->error) == ASIF_OK
                   ? cli_write(job, job->args->output, text, strlen(text))
                   : cli_say_error(&job->error);
    asif_memory_free(job->context, text);
    return code;
}

static int read_table(cli_job *job, char **table, uint64_t *length) {
    const char *folder = job->args->population;
    asif_status status = asif_fit_read(table, length, job->context, folder, ASIF_PEOPLE_TABLE, &job->error);
    if (status == ASIF_ENOFILE && asif_folder_has_people(job->context, folder)) {
        cli_say("%s has a population that cannot be given for other people", folder);
        cli_hint("it was refused, or is of an earlier version");
        return CLI_USAGE;
    }
    if (status == ASIF_ENOFILE) {
        cli_say("%s is not the folder of a population", folder);
        cli_hint("make one by asif people STUDY LOGS -o FOLDER");
        return CLI_USAGE;
    }
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int weigh(cli_job *job, const asif_estimates *estimates, const asif_people_options *o) {
    asif_people *people = NULL;
    char *table = NULL;
    uint64_t length = 0;
    int code = read_table(job, &table, &length);
    if (code == CLI_OK)
        code = cli_output_check(job, job->args->output);
    if (code == CLI_OK && asif_people_given(&people, job->context, job->work, estimates, job->tree, o, table,
                                            length, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    cli_progress_end(&job->progress);
    if (code == CLI_OK)
        code = write_units(job, people);
    if (code == CLI_OK && !(job->args->output && strcmp(job->args->output, "-") == 0))
        code = print(job, people);
    asif_people_free(people);
    asif_memory_free(job->context, table);
    return code;
}

/* ---- both ---- */

/* Flags that are about one of the two. */
static int check_flags(const cli_args *args) {
    if (args->predictive && !args->population) {
        cli_say("--predictive is about people under a population that was fitted before");
        cli_hint("name its folder by --given");
        return CLI_USAGE;
    }
    if (args->permutations.value && args->population) {
        cli_say("--permutations needs a population that is fitted, and --given fits none");
        cli_hint("leave out one of them");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int fit(cli_job *job, const asif_estimates *estimates) {
    char key[ASIF_DIGEST_SIZE];
    asif_people_options o = people_options(job);
    asif_people *people = NULL;
    asif_folder *folder = NULL;
    asif_people_view view = {.struct_size = sizeof view};
    if (make_table_key(key, job) != ASIF_OK)
        return cli_say_error(&job->error);
    o.key = key;
    if (job->args->population)
        return weigh(job, estimates, &o);
    int code = open_folder(&folder, job, &o);
    if (code == CLI_OK &&
        asif_people_fit(&people, job->context, job->work, estimates, job->tree, &o, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    cli_progress_end(&job->progress);
    if (code == CLI_OK && asif_people_get(people, &view, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK && folder)
        code = write_folder(folder, job, people);
    if (code == CLI_OK)
        code = print(job, people);
    if (code == CLI_OK && !view.usable)
        code = CLI_NO;
    asif_folder_close(folder);
    asif_people_free(people);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    asif_estimates *estimates = NULL;
    int code = cli_logs_require(args, "people");
    if (code == CLI_OK)
        code = check_flags(args);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = read_inputs(&job, &estimates);
    if (code == CLI_OK)
        code = fit(&job, estimates);
    asif_estimates_free(estimates);
    cli_job_close(&job);
    return code;
}

const cli_command cli_people = {
    .name = "people",
    .operands = "STUDY [LOGS] [-o FOLDER] [flags]",
    .summary = "fit many decision-makers, and the population that they come from",
    .about =
        "Estimates the parameters that the study marks `learn` for each decision-maker (the column `subject` "
        "of the logs) together with the population: parameters are normally distributed over people, alpha "
        "as its logarithm, with a standard deviation of at least 0.05 of the prior's, and may be correlated. "
        "People with few decisions are drawn towards the others. Where the study has a section `population`, "
        "means depend on columns of the logs (`optimism: ~ age + site`), or people are of several kinds "
        "(`kinds: 2`), which are compared with fewer kinds. "
        "Agents are solved at the points of one table that serves everybody. -o writes population.json, "
        "units.csv with each person's posterior, and draws of the population as Stan CSV. The exit code is 1 "
        "if the table is too coarse for the population, which is then not reported. With --given, people get "
        "posteriors under a population that was fitted before, which do not depend on who else is in LOGS.",
    .examples = "  asif people study.yaml logs.csv -o people\n"
                "  asif people study.yaml logs.csv -p eta=0 --threads 2 --json\n"
                "  asif people study.yaml others.csv --given people -o others-units.csv\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
