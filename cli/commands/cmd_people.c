#include "cli.h"
#include "fits/folder.h"
#include "job.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FOLDER", "where population.json, units.csv and the draws go",
     offsetof(cli_args, output), 0, 0},
    {"points", 0, CLI_COUNT, "N", "points of the table in its first round (default 2048); it grows as needed",
     offsetof(cli_args, points), 64, 1e6},
    {"most-points", 0, CLI_COUNT, "N", "most points of the table (default 32768)",
     offsetof(cli_args, most_points), 64, 1e7},
    {"sample", 0, CLI_COUNT, "N",
     "most decision-makers that the population is fitted to, drawn at random from more (default 20000)",
     offsetof(cli_args, sample), 2, 1e9},
    {"uncorrelated", 0, CLI_SWITCH, NULL, "the population has no correlations between parameters",
     offsetof(cli_args, uncorrelated), 0, 0},
    {"chains", 0, CLI_COUNT, "N", "chains of the population's numbers (default 4)",
     offsetof(cli_args, chains), 1, 1000},
    {"warmup", 0, CLI_COUNT, "N", "steps before the draws (default 200)", offsetof(cli_args, warmup), 0, 1e9},
    {"draws", 0, CLI_COUNT, "N", "draws kept from each chain (default 250)", offsetof(cli_args, draws), 1,
     1e9},
    CLI_MAP_OPTION,
    CLI_SOLVE_OPTIONS,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* ---- inputs ---- */

static int find_estimates(cli_job *job, asif_estimates **out) {
    asif_estimate_spec *spec = NULL;
    uint32_t left = 0, all = 0;
    int code = cli_job_specs(job, &spec, &left, &all);
    if (code == CLI_OK && left == 0) {
        cli_say("nothing is to be estimated: every parameter has a value");
        cli_hint("write `alpha: learn` (or another parameter) in the study");
        code = CLI_USAGE;
    }
    if (code == CLI_OK && cli_job_work(job) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = cli_job_said(job, asif_estimates_scaled(out, job->context, job->work, job->theta, spec, left,
                                                       ASIF_PRIORS_STATED, job->problems, &job->error));
    free(spec);
    return code;
}

static int check_inverse(const cli_job *job) {
    if (strcmp(asif_study_inverse(job->study), "soft-policy-matching") == 0)
        return CLI_OK;
    cli_say("people are compared by the likelihood of what they did, and the study asks for %s",
            asif_study_inverse(job->study));
    cli_hint("leave out `inverse:` in the study");
    return CLI_USAGE;
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
        code = cli_job_renew_problems(job);
    if (code == CLI_OK)
        code =
            cli_job_said(job, cli_job_read(job, &job->tree, job->args->operand[1], CLI_UNITS_SUBJECTS, NULL));
    if (code == CLI_OK)
        code = cli_job_renew_problems(job);
    return code == CLI_OK ? find_estimates(job, estimates) : code;
}

/* ---- outputs ---- */

static int write_in(cli_job *job, const char *name, const char *text) {
    char *path = cli_join(job->args->output, name);
    int code = path && text ? cli_write(job, path, text, strlen(text)) : CLI_SYSTEM;
    free(path);
    return code;
}

static int write_draws(cli_job *job, const asif_people_view *view) {
    asif_draws_view draws = {.struct_size = sizeof draws};
    int code =
        asif_draws_get(view->draws, &draws, &job->error) == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
    for (uint32_t c = 0; code == CLI_OK && c < draws.chains; c++) {
        char name[32], *text = NULL;
        snprintf(name, sizeof name, "chain-%" PRIu32 ".csv", c + 1);
        if (asif_draws_csv(&text, view->draws, c, "population", &job->error) == ASIF_OK)
            code = write_in(job, name, text);
        else
            code = cli_say_error(&job->error);
        asif_memory_free(job->context, text);
    }
    return code;
}

static int write_folder(cli_job *job, const asif_people *people, const asif_people_view *view) {
    char *json = NULL, *units = NULL;
    int code = asif_folder_make(job->context, job->args->output, &job->error) == ASIF_OK &&
                       asif_people_json(&json, people, &job->error) == ASIF_OK &&
                       (!view->usable || asif_people_csv(&units, people, &job->error) == ASIF_OK)
                   ? CLI_OK
                   : cli_say_error(&job->error);
    if (code == CLI_OK)
        code = write_in(job, "population.json", json);
    if (code == CLI_OK && view->usable)
        code = write_in(job, "units.csv", units);
    if (code == CLI_OK && view->usable)
        code = write_draws(job, view);
    asif_memory_free(job->context, json);
    asif_memory_free(job->context, units);
    return code;
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

static asif_people_options people_options(const cli_args *args) {
    asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
    o.seed = args->seed.value;
    o.uncorrelated = args->uncorrelated;
    o.points = args->points.given ? args->points.value : o.points;
    o.most_points = args->most_points.given ? args->most_points.value : o.most_points;
    o.most_points = o.most_points < o.points ? o.points : o.most_points;
    o.sample = args->sample.given ? args->sample.value : o.sample;
    o.chains = args->chains.given ? (uint32_t)args->chains.value : o.chains;
    o.warmup = args->warmup.given ? args->warmup.value : o.warmup;
    o.draws = args->draws.given ? args->draws.value : o.draws;
    return o;
}

static int fit(cli_job *job, const asif_estimates *estimates) {
    asif_people_options o = people_options(job->args);
    asif_people *people = NULL;
    asif_people_view view = {.struct_size = sizeof view};
    asif_status status =
        asif_people_fit(&people, job->context, job->work, estimates, job->tree, &o, &job->error);
    cli_progress_end(&job->progress);
    int code = status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
    if (code == CLI_OK)
        code = asif_people_get(people, &view, &job->error) == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
    if (code == CLI_OK && job->args->output)
        code = write_folder(job, people, &view);
    if (code == CLI_OK)
        code = print(job, people);
    if (code == CLI_OK && !view.usable)
        code = CLI_NO;
    asif_people_free(people);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    asif_estimates *estimates = NULL;
    int code = cli_job_open(&job, args);
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
    .operands = "STUDY LOGS [-o FOLDER] [flags]",
    .summary = "fit many decision-makers, and the population that they come from",
    .about =
        "Estimates the parameters that the study marks `learn` for each decision-maker (the column `subject` "
        "of the logs) together with the population: parameters are normally distributed over people, alpha "
        "as its logarithm, and may be correlated. People with few decisions are drawn towards the others. "
        "Agents are solved at the points of one table that serves everybody. -o writes population.json, "
        "units.csv with each person's posterior, and draws of the population as Stan CSV. The exit code is 1 "
        "if the table is too coarse for the population, which is then not reported.",
    .examples = "  asif people study.yaml logs.csv -o people\n"
                "  asif people study.yaml logs.csv -p eta=0 --threads 2 --json\n",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .run = run,
};
