#include "cli.h"
#include "fits/fits.h"
#include "fits/folder.h"
#include "fits/people.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"identify", 0, CLI_SWITCH, NULL, "name people, in a folder of `asif people`",
     offsetof(cli_args, identify), 0, 0},
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

static int read_fit(cli_job *job, char **json, const char *folder) {
    uint64_t length = 0;
    if (asif_fit_read(json, &length, job->context, folder, ASIF_FIT_JSON, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

static int show_fit(cli_job *job, const char *folder) {
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL, *path = cli_join(folder, ASIF_FIT_JSON);
    bool trusted = false;
    int code = path ? read_fit(job, &json, folder) : CLI_SYSTEM;
    if (code == CLI_OK) {
        asif_status status = asif_report_summary(&text, &trusted, job->context, json, strlen(json), path,
                                                 &report, &job->error);
        code = show(job, status, text, trusted);
    }
    asif_memory_free(job->context, json);
    free(path);
    return code;
}

static int show_groups(cli_job *job, const cli_fits *fits) {
    asif_report_options report = cli_report_options(job->args->json);
    char **json = calloc(fits->count, sizeof *json), *text = NULL;
    const char **name = calloc(fits->count, sizeof *name);
    bool trusted = false;
    int code = json && name ? CLI_OK : CLI_SYSTEM;
    for (uint32_t g = 0; code == CLI_OK && g < fits->count; g++) {
        name[g] = fits->fit[g]->name;
        code = read_fit(job, &json[g], fits->fit[g]->path);
    }
    if (code == CLI_OK) {
        asif_status status = asif_report_groups(&text, &trusted, job->context, fits->count,
                                                (const char *const *)json, name, NULL, &report, &job->error);
        code = show(job, status, text, trusted);
    }
    for (uint32_t g = 0; json && g < fits->count; g++)
        asif_memory_free(job->context, json[g]);
    free(json);
    free(name);
    return code;
}

/* A folder of `asif people`. */
static int show_people(cli_job *job, const char *folder) {
    cli_people_files files;
    char *text = NULL;
    bool trusted = false;
    int code = cli_people_files_read(&files, job, folder);
    if (code == CLI_OK && job->args->json) {
        fputs(files.json, stdout);
    } else if (code == CLI_OK) {
        asif_status status =
            asif_report_people(&text, &trusted, job->context, files.json, files.json_length, files.units,
                               files.units_length, job->args->identify, &job->error);
        code = show(job, status, text, trusted);
    }
    cli_people_files_free(&files, job);
    return code;
}

static int show_folder(cli_job *job, const char *folder) {
    cli_fits fits = {0};
    int code = cli_fits_find(&fits, job, folder);
    if (code == CLI_OK)
        code = fits.view.grouped ? show_groups(job, &fits) : show_fit(job, folder);
    cli_fits_free(&fits);
    return code;
}

static int run(const cli_args *args) {
    const char *folder = args->operand[0];
    cli_job job;
    int code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = asif_folder_has_people(job.context, folder) ? show_people(&job, folder)
                                                           : show_folder(&job, folder);
    cli_job_close(&job);
    return code;
}

const cli_command cli_summary = {
    .name = "summary",
    .operands = "DIR [flags]",
    .summary = "print a fit: what they do, as if why, what the logs cannot tell",
    .about =
        "Prints the results of `asif fit` in DIR. It shows what they do, what the fitted agent does, and "
        "the estimates with 90 % intervals. It also shows whether the logs identify them, what the logs "
        "cannot tell, and whether the computation can be trusted. For a folder of groups (--by) it prints "
        "the groups side by side. For a folder of `asif people` it prints what people do, how they differ, "
        "the population, and how many people are unlike the others. With --json it prints fit.json or "
        "population.json. The exit code is 1 if the computation cannot be trusted, or if a predictive "
        "check failed.",
    .examples = "  asif summary fit\n  asif summary by-arm\n  asif summary by-arm/control --json\n"
                "  asif summary people --identify\n",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .run = run,
};
