#include "cli.h"
#include "job.h"
#include "logs/database.h"
#include "processors.h"
#include "say.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_MAP_OPTION,
    CLI_WHERE_OPTION,
    CLI_DATABASE_OPTIONS,
    CLI_SET_OPTION,
    CLI_JSON_OPTION,
    {"no-forecast", 0, CLI_SWITCH, NULL, "leave out how long a fit takes, which needs a short trial",
     offsetof(cli_args, no_forecast), 0, 0},
    {"quiet", 'q', CLI_SWITCH, NULL, "print the problems only, not the study; no warnings or notes",
     offsetof(cli_args, quiet), 0, 0},
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* Print a JSON text as the value of a key, indented by two more spaces. */
static void print_indented(const char *name, const char *text) {
    printf(",\n  \"%s\": ", name);
    for (; *text; text++) {
        if (*text != '\n')
            putchar(*text);
        else if (text[1])
            fputs("\n  ", stdout);
    }
}

/* The description of the logs, and their likelihood if it could be computed. */
typedef struct {
    char *text;  /* description of the logs; NULL: they could not be read */
    bool judged; /* `loglik` is known */
    double loglik;
    const char *instead; /* why there is no likelihood; NULL: there is one, or the logs were not read */
    asif_lattices lattices;
    char *forecast; /* how long a fit takes; NULL: not asked for, or there is nothing to estimate */
} logs_answer;

static void print_number(const char *name, double number) {
    if (number == -INFINITY)
        printf(",\n  \"%s\": \"-inf\"", name);
    else
        printf(",\n  \"%s\": %.17g", name, number);
}

static void print_lattices_json(const asif_lattices *found) {
    for (uint32_t i = 0; i < found->count; i++)
        printf("%s{\"resolution\": %" PRIu32 ", \"log_likelihood\": %.17g}%s",
               i ? ", " : ",\n  \"lattices\": [", found->resolution[i], found->log_likelihood[i],
               i + 1 < found->count ? "" : "]");
}

static void print_lattices(const asif_lattices *found) {
    if (found->count < 2)
        return;
    printf("  the same agent on other lattices of beliefs: ");
    for (uint32_t i = 1; i < found->count; i++)
        printf("%s%.2f (%" PRIu32 " interval%s)", i > 1 ? ", " : "", found->log_likelihood[i],
               found->resolution[i], found->resolution[i] == 1 ? "" : "s");
    printf("\n");
}

static void print_json(const cli_job *job, bool good, const char *problems, const char *study,
                       const logs_answer *logs) {
    printf("{\n  \"ok\": %s,\n  \"errors\": %" PRIu64, good ? "true" : "false",
           asif_problems_found(job->problems, ASIF_PROBLEM_ERROR));
    print_indented("problems", problems);
    print_indented("study", study ? study : "null");
    if (cli_logs_given(job->args)) {
        print_indented("logs", logs->text ? logs->text : "null");
        if (logs->judged)
            print_number("log_likelihood", logs->loglik);
        else
            print_indented("log_likelihood", "null");
        print_lattices_json(&logs->lattices);
        if (logs->forecast)
            print_indented("forecast", logs->forecast);
    }
    printf("\n}\n");
}

static void print_logs(const cli_job *job, const logs_answer *logs) {
    if (!logs->text)
        return;
    printf("\nTHE LOGS: %s\n%s", cli_logs_name(job->args), logs->text);
    if (logs->judged && isfinite(logs->loglik))
        printf("\n  log-likelihood of this agent: %.6f, %.4f per decision\n", logs->loglik,
               logs->loglik / asif_tree_info(job->tree)->weight);
    if (logs->judged && isfinite(logs->loglik))
        print_lattices(&logs->lattices);
    else if (logs->judged)
        printf("\n  log-likelihood of this agent: -inf\n");
    else if (logs->instead)
        printf("\n  no log-likelihood: %s\n", logs->instead);
    if (logs->forecast)
        fputs(logs->forecast, stdout);
}

static void print_judgement(const cli_job *job, bool study, const logs_answer *logs) {
    uint64_t errors = asif_problems_found(job->problems, ASIF_PROBLEM_ERROR);
    uint64_t warnings = asif_problems_found(job->problems, ASIF_PROBLEM_WARNING);
    if (!study)
        printf("\nThe logs were not read: the study comes first.\n");
    else if (errors)
        printf("\nNot yet: %" PRIu64 " error%s.\n", errors, errors == 1 ? "" : "s");
    else if (warnings)
        printf("\nThe logs fit the study%s; %" PRIu64 " warning%s above.\n",
               logs->judged && logs->loglik == -INFINITY ? ", but cannot be by this agent" : "", warnings,
               warnings == 1 ? "" : "s");
    else
        printf("\nThe logs fit the study.\n");
}

/* Compute the likelihood, if every parameter has a value; this finds decisions that no world of the agent
 * allows. */
static int judge(cli_job *job, const char *name, logs_answer *logs) {
    int code = cli_job_values(job);
    if (code != CLI_OK)
        return code;
    asif_status status = cli_job_solve_loaded(job);
    if (status == ASIF_EUNSET) {
        logs->instead = "some parameters have no value (give them with -p)";
        return CLI_OK;
    }
    if (status != ASIF_OK)
        return cli_say_error(&job->error);
    if (job->info.stop != ASIF_STOP_CONVERGED) {
        logs->instead = "the solver did not reach its tolerance";
        return CLI_OK;
    }
    status = asif_logs_judge(&logs->loglik, asif_work_behavior(job->work), job->tree, name, job->problems,
                             &job->error);
    logs->judged = !isnan(logs->loglik);
    if (status == ASIF_OK && logs->judged && isfinite(logs->loglik))
        status = asif_lattices_compare(&logs->lattices, job->context, asif_study_planner(job->study),
                                       asif_study_setting(job->study), job->theta, job->tree,
                                       asif_study_solver(job->study), job->problems, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* Forecast how long a fit of what is left to estimate takes. */
static int forecast(cli_job *job, const asif_report_options *report, logs_answer *logs) {
    asif_forecast found = {.struct_size = sizeof found};
    asif_fit_request request = ASIF_FIT_REQUEST_INIT;
    asif_estimate_spec *spec = NULL;
    uint32_t left = 0, all = 0;
    int code = cli_job_specs(job, &spec, &left, &all);
    free(spec);
    if (code != CLI_OK || left == 0 || job->args->no_forecast || job->args->quiet ||
        (logs->judged && !isfinite(logs->loglik)))
        return code;
    request.study = job->study;
    request.logs = job->tree;
    request.given = job->theta;
    asif_status status = asif_fit_forecast(&found, job->context, &request, &job->error);
    if (status == ASIF_OK)
        status = asif_report_forecast(&logs->forecast, job->context, &found, cli_processors(), report,
                                      &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* Whether a file could not be read at all, rather than read and found to contain mistakes. A missing file
 * that the study names, which has a line, counts as a mistake of the study. */
static bool is_unread(const cli_job *job) {
    asif_status status = job->error.status;
    bool whole = job->error.line == 0 && job->error.row == 0;
    return cli_code(status) == CLI_SYSTEM || (whole && (status == ASIF_ENOFILE || status == ASIF_ETOOBIG));
}

static int check_logs(cli_job *job, const asif_report_options *report, logs_answer *logs) {
    const char *name = cli_logs_name(job->args);
    int code = cli_job_map(job);
    if (code == CLI_OK)
        code = cli_job_where_rows(job, cli_logs_path(job->args));
    if (code != CLI_OK)
        return code;
    const char *const columns[] = {cli_job_column(job), NULL};
    asif_status status = cli_job_read(job, &job->tree, cli_logs_path(job->args),
                                      cli_job_helper(job) ? CLI_UNITS_EPISODES : CLI_UNITS_NONE, columns);
    if (status != ASIF_OK && is_unread(job))
        return cli_say_error(&job->error);
    if (status != ASIF_OK)
        return asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) ? CLI_OK : cli_say_error(&job->error);
    code = judge(job, name, logs);
    if (code != CLI_OK)
        return code;
    asif_logs_request request = ASIF_LOGS_REQUEST_INIT;
    request.file = &name;
    request.files = report->json ? 1 : 0;
    request.tree = job->tree;
    request.top = 0;
    status = asif_report_logs(&logs->text, job->context, &request, report, &job->error);
    return status == ASIF_OK ? forecast(job, report, logs) : cli_say_error(&job->error);
}

static int print_all(cli_job *job, bool study_good, const asif_report_options *report, const char *study,
                     const logs_answer *logs) {
    const cli_args *args = job->args;
    char *problems = NULL;
    bool shown = study && !args->quiet, good = asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) == 0;
    if (asif_report_problems(&problems, job->context, job->problems, report, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (args->json) {
        print_json(job, good, problems, study, logs);
    } else {
        if (shown) {
            fputs(study, stdout);
            print_logs(job, logs);
        }
        fputs(shown && *problems ? "\n" : "", stdout);
        cli_print_message(stdout, problems);
        if (cli_logs_given(args) && !args->quiet)
            print_judgement(job, study_good, logs);
    }
    asif_memory_free(job->context, problems);
    return good ? CLI_OK : CLI_NO;
}

static int check(cli_job *job) {
    const cli_args *args = job->args;
    asif_status status =
        asif_study_load(&job->study, job->context, args->operand[0], job->problems, &job->error);
    bool good = status == ASIF_OK;
    if ((!good && is_unread(job)) || (!good && asif_problems_found(job->problems, ASIF_PROBLEM_ERROR) == 0))
        return cli_say_error(&job->error);

    asif_report_options report = cli_report_options(args->json);
    report.errors_only = args->quiet;
    char *study = NULL;
    logs_answer logs = {.text = NULL};
    int code = good ? cli_job_next_case(job) : CLI_OK;
    if (code == CLI_OK && good &&
        asif_report_study(&study, job->context, job->study, &report, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK && good && cli_logs_given(args))
        code = check_logs(job, &report, &logs);
    if (code == CLI_OK)
        code = print_all(job, good, &report, study, &logs);
    asif_memory_free(job->context, study);
    asif_memory_free(job->context, logs.text);
    asif_memory_free(job->context, logs.forecast);
    return code;
}

static int run(const cli_args *args) {
    int code = cli_logs_check(args);
    if (code != CLI_OK)
        return code;
    if (!cli_logs_given(args) && (args->map.count || args->set.count || args->where.count)) {
        cli_say("--map, --where and -p are about logs, and there are none");
        cli_hint("asif check %s LOGS ...", args->operand[0]);
        return CLI_USAGE;
    }
    cli_job job;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = check(&job);
    cli_job_close(&job);
    return code;
}

const cli_command cli_check = {
    .name = "check",
    .operands = "STUDY [LOGS] [flags]",
    .summary = "look for mistakes in a study and logs, and show what asif understood",
    .about =
        "Reads a study file and prints the decision problem as asif understood it: states, actions and "
        "observations, how the world moves, what the agent believes and wants, what is assumed and what is "
        "to be estimated, and how much there is to compute. With LOGS, a table or a saved tree, it also "
        "reads the logs as the study describes them. If every parameter has a value, it prints their "
        "log-likelihood under the agent, on three lattices where the utility depends on the belief. "
        "Problems are printed with their place in the file. The exit code is "
        "1 if one of them is an error.",
    .examples = "  asif check study.yaml\n  asif check study.yaml logs.csv\n"
                "  asif check study.yaml logs.csv -p alpha=0.5 -p beta=1.25 -p eta=0 --json\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
