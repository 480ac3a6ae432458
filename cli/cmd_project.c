#include "cli.h"
#include "folder.h"
#include "models.h"
#include "output.h"
#include "results.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "DIR", "folder for the results; it is made if it is not there",
     offsetof(cli_args, output), 0, 0},
    {"force", 0, CLI_SWITCH, NULL, "replace a projection that is there", offsetof(cli_args, force), 0, 0},
    CLI_MODELS_OPTIONS,
    CLI_END_OF_OPTIONS,
};

static const char *const names[] = {"projection.json", "policy.csv", "study.yaml", NULL};

static int check_output(const cli_args *args) {
    if (!args->output) {
        cli_say("asif project needs a folder for its results");
        cli_hint("for example: asif project %s %s -o projection", args->operand[0], args->operand[1]);
        return CLI_USAGE;
    }
    if (args->force || !cli_folder_has(args->output, names[0]))
        return CLI_OK;
    cli_say("%s holds a projection", args->output);
    cli_hint("choose another folder, or --force to replace it");
    return CLI_USAGE;
}

static int write_all(asif_folder *folder, cli_job *job, const asif_held_out *faith, const char *json) {
    char *csv = NULL, *study = NULL;
    size_t length = 0;
    if (asif_held_out_csv(&csv, faith, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_results_put(folder, job, "policy.csv", csv, strlen(csv));
    asif_memory_free(job->context, csv);
    if (code == CLI_OK && strcmp(job->args->operand[0], "-") != 0) {
        code = cli_read_file(&study, &length, job->args->operand[0]);
        if (code == CLI_OK)
            code = cli_results_put(folder, job, "study.yaml", study, length);
        free(study);
    }
    return code == CLI_OK ? cli_results_put(folder, job, "projection.json", json, strlen(json)) : code;
}

static int project(cli_models *models) {
    cli_job *job = &models->job[0];
    asif_held_out *faith = NULL;
    asif_folder *folder = NULL;
    char *json = NULL;
    int code = cli_results_open(&folder, job, job->args->output, names);
    if (code == CLI_OK)
        code = cli_models_run(models, true, &faith);
    if (code == CLI_OK && asif_held_out_json(&json, faith, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK)
        code = write_all(folder, job, faith, json);
    code = cli_results_close(folder, job, code);
    if (code == CLI_OK)
        code = cli_models_show(models, json);
    asif_memory_free(job->context, json);
    asif_held_out_free(faith);
    return code;
}

static int run(const cli_args *args) {
    cli_models models = {0};
    int code = check_output(args);
    if (code == CLI_OK)
        code = cli_models_open(&models, args);
    if (code == CLI_OK)
        code = project(&models);
    cli_models_close(&models);
    return code;
}

const cli_command cli_project = {
    .name = "project",
    .operands = "STUDY LOGS -o DIR [flags]",
    .summary = "the behaviour in logs as a model sees it, and what is lost",
    .about =
        "Projects the behaviour in LOGS onto the behaviours that the study's planner can have: its inverse "
        "planner finds the "
        "parameters, its planner makes behaviour of them. DIR gets `projection.json` (what was estimated, "
        "and "
        "how faithful the "
        "projection is on decisions that it has not seen, between acting at random and behavioural cloning) "
        "and `policy.csv` "
        "(at every history or state of the logs: how often each action was taken, and its probability).",
    .examples = "  asif project study.yaml logs.csv -o projection\n",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .run = run,
};
