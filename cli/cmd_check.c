#include "cli.h"
#include "say.h"
#include "session.h"

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

static void print_json(const cli_session *session, bool good, const char *study) {
    uint32_t count = asif_problems_count(session->problems);
    printf("{\n  \"ok\": %s,\n  \"problems\": [", good ? "true" : "false");
    for (uint32_t i = 0; i < count; i++) {
        asif_severity severity;
        const asif_error *error = asif_problems_get(session->problems, i, &severity);
        printf("%s\n", i ? "," : "");
        print_problem_json(error, severity);
    }
    printf("%s],\n  \"study\": ", count ? "\n  " : "");
    print_indented(study ? study : "null");
    printf("\n}\n");
}

static int check(cli_session *session) {
    const cli_args *args = session->args;
    asif_status status = asif_study_load(&session->study, session->context, args->operand[0],
                                         session->problems, &session->error);
    bool good = status == ASIF_OK;
    /* A study that cannot be read at all is not a study with mistakes. */
    bool unread = status == ASIF_ENOMEM || (status == ASIF_EIO && session->error.line == 0);
    if (unread || (!good && asif_problems_found(session->problems, ASIF_PROBLEM_ERROR) == 0))
        return cli_say_error(&session->error);

    asif_report_options report = ASIF_REPORT_OPTIONS_INIT;
    report.json = args->json;
    report.unicode = cli_is_utf8();
    report.width = cli_width();
    char *text = NULL;
    if (good &&
        asif_report_study(&text, session->context, session->study, &report, &session->error) != ASIF_OK)
        return cli_say_error(&session->error);
    if (args->json) {
        print_json(session, good, text);
    } else {
        if (text && !args->quiet)
            fputs(text, stdout);
        if (text && !args->quiet && asif_problems_count(session->problems))
            putchar('\n');
        cli_print_problems(stdout, session->problems, "", !args->quiet);
    }
    asif_memory_free(session->context, text);
    return good ? CLI_OK : CLI_NO;
}

static int run(const cli_args *args) {
    cli_session session;
    int code = cli_session_open(&session, args);
    if (code == CLI_OK)
        code = check(&session);
    cli_session_close(&session);
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
