#include "cli.h"
#include "job.h"
#include "say.h"

static const cli_option options[] = {
    CLI_JSON_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int run(const cli_args *args) {
    cli_job job;
    asif_report_options report = cli_report_options(args->json);
    char *text = NULL;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK && asif_report_list(&text, job.context, args->operands ? args->operand[0] : NULL,
                                           &report, &job.error) != ASIF_OK)
        code = cli_say_error(&job.error);
    if (code == CLI_OK)
        fputs(text, stdout);
    asif_memory_free(job.context, text);
    cli_job_close(&job);
    return code;
}

const cli_command cli_list_command = {
    .name = "list",
    .operands = "[planners | inverses | presets | formats | pairs]",
    .summary = "list planners, inverse planners, presets and file formats",
    .about =
        "Lists what a study can name: planners and inverse planners, each with its page and an example; "
        "presets (named agents, and classes of imitation and reward learning); and the file formats that "
        "asif reads and writes. `pairs` shows which planners work with which inverse planners, and why "
        "others do not.",
    .examples = "  asif list\n  asif list presets --json\n  asif list pairs\n",
    .most_operands = 1,
    .options = options,
    .run = run,
};
