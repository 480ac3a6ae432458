#include "cli.h"
#include "job.h"
#include "output.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"vary", 0, CLI_LIST, "NAME=A:B",
     "vary this from A to B (repeatable: one at a time): a parameter that was given, discount, or worlds, a "
     "factor "
     "on the spread of the candidate worlds; NAME alone: from half to one and a half times its value "
     "(discount: "
     "with twice and half of 1 - discount). Default: every named utility that was given, discount, and "
     "worlds",
     offsetof(cli_args, vary), 0, 0},
    {"points", 0, CLI_COUNT, "N",
     "evenly spaced values of each range, its ends among them; the given value is there besides (default 9)",
     offsetof(cli_args, points), 2, 1000},
    {"draws", 0, CLI_COUNT, "N",
     "draws of each of two chains, after as many of warm-up, at the ends of each range (default 500); 0: "
     "none",
     offsetof(cli_args, draws), 0, 1e9},
    {"starts", 0, CLI_COUNT, "N",
     "points drawn from the priors, from which each maximum is sought besides those of its neighbours "
     "(default 4)",
     offsetof(cli_args, starts), 0, 100000},
    {"output", 'o', CLI_TEXT, "FILE", "also write a table, as CSV: a row for every number at every value",
     offsetof(cli_args, output), 0, 0},
    {"seed", 0, CLI_COUNT, "N", "seed of the random numbers (default: the fit's)", offsetof(cli_args, seed),
     0, 0},
    CLI_THREADS_OPTION,
    CLI_JSON_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* ---- usage ---- */

static int bad_range(const char *vary) {
    cli_say("--vary takes NAME or NAME=A:B with two numbers, not '%s'", vary);
    cli_hint("for example --vary wrong=-20:-60, or --vary worlds");
    return CLI_USAGE;
}

/* NAME, or NAME=A:B; the name is to be freed by free(). */
static int read_range(asif_sensitivity_range *out, const char *vary) {
    size_t length = strcspn(vary, "=");
    const char *from = vary + length + 1, *colon = vary[length] ? strchr(from, ':') : NULL;
    *out = (asif_sensitivity_range){.from = NAN, .to = NAN};
    if (length == 0 || (vary[length] && (!colon || !cli_read_number(from, colon, &out->from) ||
                                         !cli_read_number(colon + 1, colon + strlen(colon), &out->to))))
        return bad_range(vary);
    out->name = strndup(vary, length);
    if (!out->name) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    return CLI_OK;
}

static int read_ranges(asif_sensitivity_range *range, const cli_list *vary) {
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < vary->count; i++)
        code = read_range(&range[i], vary->item[i]);
    return code;
}

static asif_sensitivity_options choose(const cli_args *args, const asif_fitted *fitted,
                                       const asif_sensitivity_range *range) {
    asif_sensitivity_options chosen = ASIF_SENSITIVITY_OPTIONS_INIT;
    chosen.range = range;
    chosen.ranges = args->vary.count;
    chosen.seed = args->seed.given ? args->seed.value : fitted->seed;
    if (args->points.given)
        chosen.points = (uint32_t)args->points.value;
    if (args->starts.given)
        chosen.starts = (uint32_t)args->starts.value;
    if (args->draws.given)
        chosen.draws = chosen.warmup = args->draws.value;
    return chosen;
}

/* ---- answers ---- */

static int write_table(cli_job *job, const asif_sensitivity *sensitivity) {
    const char *path = job->args->output;
    char *text = NULL;
    if (!path)
        return CLI_OK;
    if (asif_sensitivity_csv(&text, sensitivity, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_write(job, path, text, strlen(text));
    asif_memory_free(job->context, text);
    return code;
}

static int print(cli_job *job, const asif_sensitivity *sensitivity) {
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL;
    asif_status status = asif_sensitivity_json(&json, sensitivity, &job->error);
    if (status == ASIF_OK)
        status = asif_report_sensitivity(&text, job->context, json, strlen(json), "sensitivity", &report,
                                         &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, json);
    asif_memory_free(job->context, text);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int refit(cli_job *job, const asif_result *result, const asif_sensitivity_range *range) {
    asif_result_view view = {.struct_size = sizeof view};
    asif_sensitivity *sensitivity = NULL;
    asif_status status = asif_result_get(result, &view, &job->error);
    if (status == ASIF_OK && view.rivals) {
        cli_say("the fit in %s has rival explanations, and there is no one answer whose changes could be "
                "followed",
                view.folder);
        cli_hint("an assumption that rules the others out leaves one: for example a prior for their sign");
        return CLI_USAGE;
    }
    if (status == ASIF_OK) {
        asif_sensitivity_options chosen = choose(job->args, view.fitted, range);
        chosen.by = view.group_column;
        chosen.value = view.group_value;
        cli_progress_catch();
        status = asif_sensitivity_run(&sensitivity, view.fitted, &chosen, &job->error);
        cli_progress_end(&job->progress);
    }
    if (status == ASIF_ECANCELLED) {
        cli_say("stopped before the end");
        return CLI_SYSTEM;
    }
    int code = status == ASIF_OK ? write_table(job, sensitivity) : cli_say_error(&job->error);
    if (code == CLI_OK)
        code = print(job, sensitivity);
    asif_sensitivity_free(sensitivity);
    return code;
}

static int run_job(cli_job *job, const asif_sensitivity_range *range) {
    asif_result *result = NULL;
    asif_status status =
        asif_result_load(&result, job->context, job->args->operand[0], job->problems, &job->error);
    int code = status == ASIF_OK ? refit(job, result, range) : cli_say_error(&job->error);
    asif_result_free(result);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    asif_sensitivity_range *range = calloc((size_t)args->vary.count + 1, sizeof *range);
    int code = CLI_SYSTEM;
    if (!range) {
        cli_say("out of memory");
        return code;
    }
    code = read_ranges(range, &args->vary);
    if (code == CLI_OK) {
        code = cli_job_open(&job, args);
        if (code == CLI_OK)
            code = cli_output_check(&job, args->output);
        if (code == CLI_OK)
            code = run_job(&job, range);
        cli_job_close(&job);
    }
    for (uint32_t i = 0; i < args->vary.count; i++)
        free((void *)(uintptr_t)range[i].name);
    free(range);
    if (code == CLI_SYSTEM)
        cli_progress_give_way();
    return code;
}

const cli_command cli_sensitivity = {
    .name = "sensitivity",
    .operands = "DIR [flags]",
    .summary = "what happens to the answer when what was given is varied",
    .about =
        "Refits along what a fit was given: at each value the maximum of the posterior (with the priors of "
        "that value), "
        "its log-likelihood, and standard deviations; at the ends the posterior. Tells how far each number "
        "moves, where "
        "a sign flips and what that costs in nats of log-likelihood, and which statements about the agent "
        "survive: those "
        "whose sign stays wherever the value costs no more than 3 nats. DIR is the folder of a finished fit.",
    .examples = "  asif sensitivity fit\n"
                "  asif sensitivity fit --vary wrong=-20:-60 --points 11 --threads 4\n"
                "  asif sensitivity fit --vary discount=0.9:0.99 --vary worlds -o table.csv\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
