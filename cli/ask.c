#include "ask.h"

#include "job.h"
#include "logs/database.h"
#include "output.h"
#include "say.h"

#include <string.h>

static cli_option flag_of(const asif_option *option) {
    static const cli_kind kinds[] = {
        [ASIF_OPTION_SWITCH] = CLI_SWITCH, [ASIF_OPTION_TEXT] = CLI_TEXT,     [ASIF_OPTION_LIST] = CLI_LIST,
        [ASIF_OPTION_COUNT] = CLI_COUNT,   [ASIF_OPTION_NUMBER] = CLI_NUMBER, [ASIF_OPTION_OUTPUT] = CLI_TEXT,
    };
    bool output = option->kind == ASIF_OPTION_OUTPUT;
    return (cli_option){option->name,  option->letter, kinds[option->kind],
                        option->value, option->help,   output ? offsetof(cli_args, output) : CLI_OF_QUESTION,
                        option->least, option->most};
}

cli_command cli_question_command(const asif_question_info *question, cli_option room[CLI_OPTIONS]) {
    static const cli_option every[] = {CLI_THREADS_OPTION, CLI_PROGRESS_OPTION, CLI_JSON_OPTION,
                                       CLI_QUIET_OPTION,   CLI_HELP_OPTION,     CLI_END_OF_OPTIONS};
    static const cli_option of_database[] = {CLI_DATABASE_OPTIONS};
    size_t count = 0, last = sizeof every / sizeof *every, further = sizeof of_database / sizeof *of_database;
    for (; count + further + last < CLI_OPTIONS && question->option[count].name; count++)
        room[count] = flag_of(&question->option[count]);
    for (size_t i = 0; question->reads_logs && i < further; i++)
        room[count++] = of_database[i];
    memcpy(room + count, every, sizeof every);
    return (cli_command){.name = question->name,
                         .operands = question->operands,
                         .summary = question->summary,
                         .about = question->about,
                         .examples = question->examples,
                         .least_operands = question->least_operands,
                         .most_operands = question->most_operands,
                         .options = room,
                         .question = question};
}

static int write_table(cli_job *job, const asif_answer *answer) {
    char *text = NULL;
    if (!job->args->output)
        return CLI_OK;
    if (asif_answer_table(&text, answer, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_write(job, job->args->output, text, strlen(text));
    asif_memory_free(job->context, text);
    return code;
}

static int print(cli_job *job, const asif_answer *answer) {
    asif_report_options report = cli_report_options(false);
    char *text = NULL;
    asif_status status = job->args->json ? asif_answer_json(&text, answer, &job->error)
                                         : asif_answer_text(&text, answer, &report, &job->error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    if (status != ASIF_OK)
        return cli_say_error(&job->error);
    return asif_answer_no(answer) ? CLI_NO : CLI_OK;
}

/* Print the problems and lines that a question reports while it is still computing. */
static void tell(void *user, asif_problems *problems, const char *line) {
    cli_job *job = user;
    if (problems) {
        cli_progress_end(&job->progress);
        cli_say_problems(job->context, problems, job->args->quiet);
    } else if (!job->args->quiet) {
        cli_say("%s", line);
    }
}

/* Say that the user interrupted the computation; the error is printed only if it adds a hint, such as how
 * to resume. */
static int stopped(const asif_error *error) {
    if (error->hint[0])
        return cli_say_error(error);
    cli_say("stopped before the end");
    return CLI_SYSTEM;
}

/* Have the logs read from a database, if the last operand or flags say so. */
static int find_logs(cli_job *job, const asif_question_info *question, cli_database_asked *database,
                     asif_asked *asked) {
    const cli_args *args = job->args;
    const char *path = args->operands && !args->engine ? args->operand[args->operands - 1] : NULL;
    if (!question->reads_logs || !cli_database_wanted(args, path))
        return CLI_OK;
    if (!cli_database_ask(database, args, path))
        return cli_no_memory();
    asked->database = &database->request;
    if (!path) /* there is room for one operand more than there are words */
        args->operand[asked->operands++] = cli_database_name(args);
    return CLI_OK;
}

static int answer_it(cli_job *job, const asif_question_info *question) {
    const cli_args *args = job->args;
    asif_asked asked = ASIF_ASKED_INIT;
    asif_answer *answer = NULL;
    cli_database_asked database = {.made = NULL};
    asked.operand = args->operand;
    asked.operands = args->operands;
    asked.given = args->given;
    asked.givens = args->givens;
    asked.tell = tell;
    asked.user = job;
    int code = find_logs(job, question, &database, &asked);
    if (code != CLI_OK)
        return code;
    cli_progress_catch();
    asif_status status = asif_ask(&answer, job->context, question->name, &asked, job->problems, &job->error);
    cli_database_forget(&database);
    cli_progress_end(&job->progress);
    if (status == ASIF_ECANCELLED)
        return stopped(&job->error);
    code = cli_job_said(job, status);
    if (code == CLI_OK)
        code = write_table(job, answer);
    if (code == CLI_OK)
        code = print(job, answer);
    asif_answer_free(answer);
    return code;
}

int cli_ask(const cli_args *args, const asif_question_info *question) {
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = cli_output_check(&job, args->output);
    if (code == CLI_OK && question->reads_logs)
        code = cli_database_check(args, args->operands);
    if (code == CLI_OK)
        code = answer_it(&job, question);
    cli_job_close(&job);
    return code;
}
