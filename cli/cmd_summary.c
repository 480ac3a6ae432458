#include "cli.h"
#include "folder.h"
#include "job.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_JSON_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

static int show(cli_job *job, asif_status status, char *text, bool trusted) {
    if (status != ASIF_OK)
        return cli_say_error(&job->error);
    fputs(text, stdout);
    asif_memory_free(job->context, text);
    return trusted ? CLI_OK : CLI_NO;
}

static int show_fit(cli_job *job, const char *folder) {
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL, *path = cli_join(folder, "fit.json");
    size_t length = 0;
    bool trusted = false;
    int code = path ? cli_folder_read(&json, &length, folder, "fit.json") : CLI_SYSTEM;
    if (code == CLI_OK) {
        asif_status status =
            asif_report_summary(&text, &trusted, job->context, json, length, path, &report, &job->error);
        code = show(job, status, text, trusted);
    }
    free(json);
    free(path);
    return code;
}

static int show_groups(cli_job *job, const char *folder, char *const *group, uint32_t count) {
    asif_report_options report = cli_report_options(job->args->json);
    char **json = calloc(count, sizeof *json), *text = NULL;
    bool trusted = false;
    int code = json ? CLI_OK : CLI_SYSTEM;
    for (uint32_t g = 0; code == CLI_OK && g < count; g++) {
        char *inside = cli_join(folder, group[g]);
        size_t length;
        code = inside ? cli_folder_read(&json[g], &length, inside, "fit.json") : CLI_SYSTEM;
        free(inside);
    }
    if (code == CLI_OK) {
        asif_status status =
            asif_report_groups(&text, &trusted, job->context, count, (const char *const *)json,
                               (const char *const *)group, NULL, &report, &job->error);
        code = show(job, status, text, trusted);
    }
    for (uint32_t g = 0; json && g < count; g++)
        free(json[g]);
    free(json);
    return code;
}

static int nothing_there(const char *folder) {
    bool unfinished = cli_folder_has_prefix(folder, "checkpoint-");
    cli_say("%s holds no %sfit", folder, unfinished ? "finished " : "");
    cli_hint(unfinished ? "the same `asif fit` goes on from where it was"
                        : "asif fit STUDY LOGS -o %s makes one",
             folder);
    return CLI_USAGE;
}

static int run(const cli_args *args) {
    const char *folder = args->operand[0];
    char **group = NULL;
    uint32_t count = 0;
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK && cli_folder_has(folder, "fit.json")) {
        code = show_fit(&job, folder);
    } else if (code == CLI_OK) {
        code = cli_folder_list(&group, &count, folder, "fit.json");
        if (code == CLI_OK)
            code = count ? show_groups(&job, folder, group, count) : nothing_there(folder);
    }
    for (uint32_t g = 0; g < count; g++)
        free(group[g]);
    free(group);
    cli_job_close(&job);
    return code;
}

const cli_command cli_summary = {
    .name = "summary",
    .operands = "DIR [flags]",
    .summary = "what a fit tells: what they do, as if why, what cannot be told",
    .about = "Prints what `asif fit` found, from the fit.json in DIR: what they do and what the fitted agent "
             "does; the "
             "estimated numbers with their 90 % intervals, and whether the logs identify them; what the logs "
             "cannot "
             "tell; and whether the computation can be trusted. For a folder of groups (--by) it prints the "
             "groups side "
             "by side. With --json it prints fit.json itself. The exit code is 1 if the computation "
             "cannot be trusted, or if predictive checks found something that the model misses.",
    .examples = "  asif summary fit\n  asif summary by-arm\n  asif summary by-arm/control --json\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
