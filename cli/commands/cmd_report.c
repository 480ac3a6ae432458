#include "asif/report.h"

#include "cli.h"
#include "commands/figures.h"
#include "commands/report_path.h"
#include "commands/truth.h"
#include "fits/fits.h"
#include "fits/people.h"
#include "output.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE.html", "write the page there", offsetof(cli_args, output), 0, 0},
    {"figures", 0, CLI_TEXT, "DIR", "write each figure there, as a Vega-Lite specification (NAME.vl.json)",
     offsetof(cli_args, figures), 0, 0},
    {"with", 0, CLI_LIST, "FILE.json",
     "also show the --json output of another command (repeatable): sensitivity, recover or sbc; evaluate "
     "with --min-cell 0; for groups also compare",
     offsetof(cli_args, with), 0, 0},
    {"truth", 0, CLI_LIST, "NAME=VALUE", "mark the true value of an estimate, where it is known (repeatable)",
     offsetof(cli_args, truth), 0, 0},
    {"min-cell", 0, CLI_COUNT, "N",
     "counts of people or decisions below this are neither shown nor derivable (default 11); 0: all are "
     "shown",
     offsetof(cli_args, min_cell), 0, 1e6},
    {"identify", 0, CLI_SWITCH, NULL,
     "allow names of subjects, their cases step by step, and single people of a population",
     offsetof(cli_args, identify), 0, 0},
    CLI_REPORT_PATH_OPTIONS,
    {"seed", 0, CLI_COUNT, "N", "seed of the simulated case (default 0)", offsetof(cli_args, seed), 0, 0},
    CLI_THREADS_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_QUIET_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

/* The files that were read for a report, and the request that borrows them. */
typedef struct {
    cli_fits found;
    cli_people_files people;
    uint32_t fits;
    asif_result **result;
    char **made, **path;
    char **extra;
    const char **truth;
    double *truth_value;
    asif_page_request request;
} task;

static void free_texts(const cli_job *job, char **text, uint32_t count) {
    for (uint32_t i = 0; text && i < count; i++)
        asif_memory_free(job->context, text[i]);
    free(text);
}

static int read_fit(cli_job *job, task *t, uint32_t i) {
    const char *path = t->found.fit[i]->path;
    uint64_t length = 0;
    if (asif_result_load(&t->result[i], job->context, path, NULL, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    asif_status status = asif_fit_read(&t->made[i], &length, job->context, path, "run.json", &job->error);
    if (status != ASIF_OK && status != ASIF_ENOFILE)
        return cli_say_error(&job->error);
    return cli_report_path(job, path, t->result[i], &t->path[i]);
}

static int read_fits(cli_job *job, task *t) {
    int code = cli_fits_find(&t->found, job, job->args->operand[0]);
    if (code == CLI_OK && t->found.view.grouped)
        code = cli_report_path_groups(job->args);
    if (code != CLI_OK)
        return code;
    t->fits = t->found.count;
    t->result = calloc(t->fits, sizeof *t->result);
    t->made = calloc(t->fits, sizeof *t->made);
    t->path = calloc(t->fits, sizeof *t->path);
    if (!t->result || !t->made || !t->path)
        return cli_no_memory();
    for (uint32_t i = 0; code == CLI_OK && i < t->fits; i++)
        code = read_fit(job, t, i);
    return code;
}

/* A folder of `asif people`: there is no agent whose draws, path or answers could be shown. */
static int read_people(cli_job *job, task *t) {
    const cli_args *args = job->args;
    if (args->operands > 1 || args->with.count || args->truth.count) {
        cli_say("%s holds a population, and LOGS, --with and --truth are for the fit of one agent",
                args->operand[0]);
        cli_hint("asif report %s -o FILE.html", args->operand[0]);
        return CLI_USAGE;
    }
    int code = cli_people_files_read(&t->people, job, args->operand[0]);
    t->request.population = t->people.json;
    t->request.units = t->people.units;
    return code;
}

static int read_extras(cli_job *job, task *t) {
    const cli_list *with = &job->args->with;
    t->extra = calloc(with->count + 1, sizeof *t->extra);
    int code = t->extra ? CLI_OK : cli_no_memory();
    for (uint32_t i = 0; code == CLI_OK && i < with->count; i++) {
        size_t length;
        code = cli_read_file(&t->extra[i], &length, job, with->item[i]);
    }
    return code;
}

static int write_page(cli_job *job, const task *t, const asif_figures *figures) {
    char *html = NULL;
    if (asif_page_make(&html, job->context, &t->request, figures, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    int code = cli_write(job, job->args->output, html, strlen(html));
    if (code == CLI_OK && !job->args->quiet && strcmp(job->args->output, "-") != 0) {
        printf("%s: %.1f MB, %u figures\n", job->args->output, (double)strlen(html) / 1e6,
               asif_figures_count(figures));
        if (!asif_page_draws()) {
            cli_say(
                "the figures are described in words, because this asif was built without a chart library");
            cli_hint("tools/get-report-assets fetches it; then configure and build again");
        }
    }
    asif_memory_free(job->context, html);
    return code;
}

static int show(cli_job *job, task *t) {
    asif_figures *figures = NULL;
    t->request.result = (const asif_result *const *)t->result;
    t->request.results = t->fits;
    t->request.made = (const char *const *)t->made;
    t->request.path = (const char *const *)t->path;
    t->request.extra = (const char *const *)t->extra;
    t->request.extra_name = job->args->with.item;
    t->request.extras = job->args->with.count;
    t->request.truth = t->truth;
    t->request.truth_value = t->truth_value;
    t->request.truths = job->args->truth.count;
    t->request.identify = job->args->identify;
    t->request.unfinished = t->found.view.fits - t->found.count;
    if (job->args->min_cell.given)
        t->request.min_cell = (uint32_t)job->args->min_cell.value;
    int code = CLI_OK;
    if (asif_figures_make(&figures, job->context, &t->request, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    if (code == CLI_OK && job->args->output)
        code = write_page(job, t, figures);
    if (code == CLI_OK && job->args->figures)
        code = cli_figures_write(job, figures);
    asif_figures_free(figures);
    return code;
}

static int run(const cli_args *args) {
    cli_job job;
    task t = {.request = ASIF_PAGE_REQUEST_INIT};
    if (!args->output && !args->figures) {
        cli_say("it was not said where to write");
        cli_hint("-o FILE.html for the page, --figures DIR for the figures");
        return CLI_USAGE;
    }
    int code = cli_report_path_check(args);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&job, args);
    if (code == CLI_OK)
        code = cli_output_check(&job, args->output);
    bool people = code == CLI_OK && asif_folder_has_people(job.context, args->operand[0]);
    if (code == CLI_OK)
        code = people ? read_people(&job, &t) : read_fits(&job, &t);
    if (code == CLI_OK && !people)
        code = read_extras(&job, &t);
    if (code == CLI_OK && !people)
        code = cli_read_truths(&t.truth, &t.truth_value, &args->truth, (const asif_result *const *)t.result,
                               t.fits);
    if (code == CLI_OK)
        code = show(&job, &t);
    for (uint32_t i = 0; i < t.fits; i++) {
        if (t.result)
            asif_result_free(t.result[i]);
        if (t.path)
            asif_memory_free(job.context, t.path[i]);
        if (t.made)
            asif_memory_free(job.context, t.made[i]);
    }
    free(t.result);
    free(t.path);
    free(t.truth);
    free(t.truth_value);
    free(t.made);
    free_texts(&job, t.extra, args->with.count);
    cli_people_files_free(&t.people, &job);
    cli_fits_free(&t.found);
    cli_job_close(&job);
    return code;
}

const cli_command cli_report = {
    .name = "report",
    .operands = "DIR [LOGS --subject NAME --identify] -o FILE.html [flags]",
    .summary = "write a fit as one page with text, tables and figures",
    .about =
        "Writes the results of `asif fit` in DIR as one HTML page that opens offline, prints, and "
        "loads nothing from the network. The page shows what they do and what ideal agents would do, "
        "as if why, what the logs cannot tell, and whether to believe it. It also has figures, the "
        "problem, the data, and how the fit was made. For a folder of groups (--by) it shows the "
        "groups side by side. For a folder of `asif people` it shows what people do, how they differ, and "
        "what the logs cannot tell. By default small counts are neither shown nor derivable, subjects are "
        "not named, and the case that is shown step by step is simulated.",
    .examples = "  asif report fit -o report.html\n  asif report by-arm -o report.html --figures figures\n"
                "  asif report fit -o report.html --with sbc.json\n"
                "  asif report people -o report.html\n"
                "  asif report fit logs.csv --subject 17 --identify -o report.html\n",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .run = run,
};
