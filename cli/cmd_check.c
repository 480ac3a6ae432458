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

static void print_position(const char *name, uint64_t value) {
    if (value)
        printf(", \"%s\": %" PRIu64, name, value);
}

static void print_problem_json(const asif_error *error, asif_severity severity) {
    static const char *const words[] = {"error", "warning", "note"};
    printf("    {\"severity\": \"%s\", \"file\": ", words[severity]);
    cli_json_string(stdout, error->file);
    print_position("line", error->line);
    print_position("column", error->column);
    print_position("row", error->row);
    printf(", \"message\": ");
    cli_json_string(stdout, error->message);
    printf(", \"hint\": ");
    cli_json_string(stdout, error->hint);
    printf("}");
}

/* A JSON text of its own, two spaces further in. */
static void print_indented(const char *text) {
    for (; *text; text++) {
        if (*text != '\n')
            putchar(*text);
        else if (text[1])
            fputs("\n  ", stdout);
    }
}

static void print_json(const cli_job *job, bool good, const char *study) {
    uint32_t count = asif_problems_count(job->problems);
    printf("{\n  \"ok\": %s,\n  \"problems\": [", good ? "true" : "false");
    for (uint32_t i = 0; i < count; i++) {
        asif_severity severity;
        const asif_error *error = asif_problems_get(job->problems, i, &severity);
        printf("%s\n", i ? "," : "");
        print_problem_json(error, severity);
    }
    printf("%s],\n  \"study\": ", count ? "\n  " : "");
    print_indented(study ? study : "null");
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

    asif_report_options report = ASIF_REPORT_OPTIONS_INIT;
    report.json = args->json;
    report.unicode = cli_is_utf8();
    report.width = cli_width();
    char *text = NULL;
    if (good && asif_report_study(&text, job->context, job->study, &report, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (args->json) {
        print_json(job, good, text);
    } else {
        if (text && !args->quiet)
            fputs(text, stdout);
        if (text && !args->quiet && asif_problems_count(job->problems))
            putchar('\n');
        cli_print_problems(stdout, job->problems, "", !args->quiet);
    }
    asif_memory_free(job->context, text);
    return good ? CLI_OK : CLI_NO;
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
