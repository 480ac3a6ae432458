#include "cli.h"
#include "job.h"
#include "say.h"

#include <inttypes.h>

static const cli_option options[] = {
    CLI_JSON_OPTION,
    {"quiet", 'q', CLI_SWITCH, NULL, "print the problems only, not the study; no warnings or notes",
     offsetof(cli_args, quiet), 0, 0},
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* A JSON text of its own, two spaces further in. */
static void print_indented(const char *name, const char *text) {
    printf(",\n  \"%s\": ", name);
    for (; *text; text++) {
        if (*text != '\n')
            putchar(*text);
        else if (text[1])
            fputs("\n  ", stdout);
    }
}

static void print_json(const cli_job *job, bool good, const char *problems, const char *study) {
    printf("{\n  \"ok\": %s,\n  \"errors\": %" PRIu64, good ? "true" : "false",
           asif_problems_found(job->problems, ASIF_PROBLEM_ERROR));
    print_indented("problems", problems);
    print_indented("study", study ? study : "null");
    printf("\n}\n");
}

static int check(cli_job *job) {
    const cli_args *args = job->args;
    asif_status status =
        asif_study_load(&job->study, job->context, args->operand[0], job->problems, &job->error);
    bool good = status == ASIF_OK;
    /* A study that cannot be read at all is not a study with mistakes. */
    bool unread = status == ASIF_ENOMEM || (status == ASIF_EIO && job->error.line == 0);
    if (unread || (!good && asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) == 0))
        return cli_say_error(&job->error);

    asif_report_options report = cli_report_options(args->json);
    report.errors_only = args->quiet;
    char *study = NULL, *problems = NULL;
    if (good)
        status = asif_report_study(&study, job->context, job->study, &report, &job->error);
    if (!good || status == ASIF_OK)
        status = asif_report_problems(&problems, job->context, job->problems, &report, &job->error);
    int code = good ? CLI_OK : CLI_NO;
    if (status != ASIF_OK)
        code = cli_say_error(&job->error);
    else if (args->json)
        print_json(job, good, problems, study);
    else
        printf("%s%s%s", study && !args->quiet ? study : "", study && !args->quiet && *problems ? "\n" : "",
               problems);
    asif_memory_free(job->context, study);
    asif_memory_free(job->context, problems);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = check(&job);
    cli_job_close(&job);
    return code;
}

const cli_command cli_check = {
    .name = "check",
    .operands = "STUDY [flags]",
    .summary = "look for mistakes in a study, and say how it was understood",
    .about =
        "Reads a study file and prints the decision problem as asif understood it: what can be the case, "
        "done "
        "and seen, how the world moves, what the agent believes and wants, what is given and what is to be "
        "estimated, and how much there is to compute. Problems are printed with their place in the file; "
        "the exit code is 1 if there is an error among them.",
    .examples = "  asif check study.yaml\n  asif check study.yaml --json\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
