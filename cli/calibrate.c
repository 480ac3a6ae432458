#include "calibrate.h"

#include "folder.h"
#include "output.h"
#include "results.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128

/* ---- the study ---- */

static bool is_estimated(const cli_calibrate *c, const char *name) {
    for (uint32_t i = 0; i < c->fitted.specs; i++)
        if (strcmp(asif_estimated_name(c->spec[i].name), asif_estimated_name(name)) == 0)
            return true;
    return false;
}

static int find_specs(cli_calibrate *c) {
    uint32_t count = asif_study_estimates(c->job.study, NULL, 0);
    c->spec = calloc((size_t)count + 1, sizeof *c->spec);
    c->truth = calloc((size_t)c->job.args->set.count + 1, sizeof *c->truth);
    if (!c->spec || !c->truth) {
        cli_say("out of memory");
        return CLI_SYSTEM;
    }
    asif_study_estimates(c->job.study, c->spec, count);
    c->fitted.spec = c->spec;
    c->fitted.specs = count;
    if (count)
        return CLI_OK;
    cli_say("%s: nothing is to be estimated: every parameter has a value", c->job.args->operand[0]);
    cli_hint("write `alpha: learn` (or another parameter) in the study");
    return CLI_USAGE;
}

/* What -p says of parameters that are estimated is their truth, not a value that is given. */
static int take_truths(cli_calibrate *c) {
    const cli_list *set = &c->job.args->set;
    asif_error *error = &c->job.error;
    for (uint32_t i = 0; i < set->count; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(set->item[i], "="), set->item[i]);
        if (!is_estimated(c, name))
            continue;
        asif_truth *truth = &c->truth[c->options.truths];
        if (!(truth->name = strdup(name))) {
            cli_say("out of memory");
            return CLI_SYSTEM;
        }
        c->options.truths++;
        if (asif_theta_get(c->job.theta, name, &truth->value, error) != ASIF_OK)
            return cli_say_error(error);
    }
    for (uint32_t i = 0; i < c->options.truths; i++)
        if (asif_theta_unset(c->job.theta, c->truth[i].name, error) != ASIF_OK)
            return cli_say_error(error);
    c->options.truth = c->truth;
    return CLI_OK;
}

static int make_fitted(cli_calibrate *c) {
    cli_job *job = &c->job;
    if (cli_job_work(job) != ASIF_OK ||
        asif_estimates_scaled(&c->estimates, job->context, job->work, job->theta, c->spec, c->fitted.specs,
                              ASIF_PRIORS_STATED, NULL, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    c->solver = cli_job_solver(job);
    c->fitted.struct_size = sizeof c->fitted;
    c->fitted.context = job->context;
    c->fitted.planner = asif_study_planner(job->study);
    c->fitted.solver = &c->solver;
    c->fitted.inverse = asif_study_inverse(job->study);
    c->fitted.inverse_options = asif_study_asked(job->study);
    c->fitted.setting = asif_study_setting(job->study);
    c->fitted.given = job->theta;
    c->fitted.estimates = c->estimates;
    return CLI_OK;
}

/* ---- options ---- */

static int find_method(asif_fit_method *out, const char *command, const char *name) {
    static const asif_fit_method known[] = {ASIF_FIT_NUTS, ASIF_FIT_METROPOLIS, ASIF_FIT_MAP, ASIF_FIT_ML};
    bool sbc = strcmp(command, "sbc") == 0;
    for (size_t i = 0; name && i < (sbc ? 2 : 4); i++)
        if (strcmp(name, asif_fit_method_text(known[i])) == 0) {
            *out = known[i];
            return CLI_OK;
        }
    if (!name)
        return CLI_OK;
    cli_say("asif %s has no method '%s'", command, name);
    cli_hint("methods are %s", sbc ? "metropolis and nuts" : "metropolis, nuts, map and ml");
    return CLI_USAGE;
}

static void tell_time(void *user, uint32_t fits, double seconds) {
    const cli_calibrate *c = user;
    uint64_t threads = c->job.args->threads.given ? c->job.args->threads.value : 1;
    if (c->job.args->quiet || seconds < 1)
        return;
    const char *unit = seconds < 90 ? "second" : seconds < 5400 ? "minute" : "hour";
    double many = seconds < 90 ? seconds : seconds < 5400 ? seconds / 60 : seconds / 3600;
    fprintf(stderr, "asif: %" PRIu32 " fits, about %.0f %s%s with %" PRIu64 " thread%s\n", fits, many, unit,
            many < 1.5 ? "" : "s", threads, threads == 1 ? "" : "s");
}

static int fill_options(cli_calibrate *c) {
    const cli_args *args = c->job.args;
    asif_calibrate_options *o = &c->options;
    bool sbc = strcmp(c->command, "sbc") == 0;
    int code = find_method(&o->method, c->command, args->method);
    if (code != CLI_OK)
        return code;
    if ((o->method == ASIF_FIT_MAP || o->method == ASIF_FIT_ML) &&
        (args->chains.given || args->warmup.given || args->draws.given)) {
        cli_say("--method %s has no use for --chains, --warmup and --draws", asif_fit_method_text(o->method));
        return CLI_USAGE;
    }
    o->seed = args->seed.value;
    if (args->replicates.given)
        o->replicates = (uint32_t)args->replicates.value;
    if (args->episodes.given)
        o->episodes = args->episodes.value;
    if (args->max_steps.given)
        o->max_steps = (uint32_t)args->max_steps.value;
    if (args->chains.given)
        o->chains = (uint32_t)args->chains.value;
    if (args->warmup.given)
        o->warmup = args->warmup.value;
    if (args->starts.given)
        o->starts = (uint32_t)args->starts.value;
    if (args->bins.given)
        o->bins = (uint32_t)args->bins.value;
    if (args->draws.given && sbc)
        o->ranks = (uint32_t)args->draws.value;
    else if (args->draws.given)
        o->draws = args->draws.value;
    else if (sbc && o->bins > 0) /* about 100 ranks that the bins divide */
        o->ranks = o->bins * (o->bins < 100 ? (100 + o->bins / 2) / o->bins : 1) - 1;
    if (args->scale.given)
        o->wrong_prior = args->scale.value;
    o->tell = tell_time;
    o->user = c;
    return CLI_OK;
}

/* ---- the folder ---- */

/* What a replicate depends on beside the study and its values; how many there are, and the bins, it does not depend on. */
static void print_options(FILE *file, const cli_calibrate *c) {
    const asif_calibrate_options *o = &c->options;
    fprintf(file, "%s %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32,
            asif_fit_method_text(o->method), o->episodes, o->max_steps, o->seed, o->chains, o->warmup,
            o->draws, o->starts);
    fprintf(file, " %" PRIu32 " %.17g\n", o->ranks, o->wrong_prior);
    for (uint32_t i = 0; i < o->truths; i++)
        fprintf(file, "%s=%.17g\n", o->truth[i].name, o->truth[i].value);
}

static int make_key(cli_calibrate *c) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file)
        print_options(file, c);
    bool good = file && !ferror(file);
    if (file && fclose(file) != 0)
        good = false;
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    parts.command = c->command;
    parts.study = c->job.study;
    parts.given = c->job.theta;
    parts.solver = &c->solver;
    parts.options = text;
    int code = good ? CLI_OK : CLI_SYSTEM;
    if (!good)
        cli_say("out of memory");
    else if (asif_key_make(c->key, &parts, &c->job.error) != ASIF_OK)
        code = cli_say_error(&c->job.error);
    free(text);
    return code;
}

static int open_folder(cli_calibrate *c) {
    const char *folder = c->job.args->output;
    if (!folder)
        return CLI_OK;
    int code = make_key(c);
    char name[32], mark[64];
    snprintf(name, sizeof name, "%s.json", c->command);
    snprintf(mark, sizeof mark, "\"command\": \"%s\"", c->command);
    if (code == CLI_OK)
        code = cli_results_ours(folder, name, mark);
    if (code == CLI_OK)
        code = cli_results_ours(folder, "replicates.csv", "# asif replicates");
    if (code == CLI_OK && asif_folder_make(c->job.context, folder, &c->job.error) != ASIF_OK)
        code = cli_say_error(&c->job.error);
    c->options.folder = folder;
    c->options.key = c->key;
    return code;
}

/* ---- all of it ---- */

int cli_calibrate_open(cli_calibrate *calibrate, const cli_args *args, const char *command,
                       const asif_calibrate_options *defaults) {
    cli_calibrate *c = calibrate;
    *c = (cli_calibrate){.command = command, .options = *defaults};
    int code = cli_job_open(&c->job, args);
    if (code == CLI_OK)
        code = fill_options(c);
    if (code == CLI_OK)
        code = cli_job_load_text(&c->job, &c->study_text, &c->study_length);
    if (code == CLI_OK)
        code = cli_job_values(&c->job);
    if (code == CLI_OK)
        code = find_specs(c);
    if (code == CLI_OK)
        code = take_truths(c);
    if (code == CLI_OK)
        code = make_fitted(c);
    return code == CLI_OK ? open_folder(c) : code;
}

int cli_calibrate_failed(cli_calibrate *c, asif_status status) {
    cli_progress_end(&c->job.progress);
    if (status != ASIF_ECANCELLED)
        return cli_say_error(&c->job.error);
    bool kept = c->options.folder && cli_folder_has(c->options.folder, "replicates.csv");
    cli_say("%s; %s", c->job.error.message, kept ? "they are kept" : "nothing is kept");
    cli_hint(kept ? "the same command goes on from where it was"
                  : "with -o DIR the same command would go on from where it was");
    return CLI_SYSTEM;
}

int cli_calibrate_print(cli_calibrate *c, char *json, const char *name,
                        asif_status (*report)(char **, const asif_context *, const char *, uint64_t,
                                              const char *, const asif_report_options *, asif_error *)) {
    cli_job *job = &c->job;
    asif_report_options options = cli_report_options(job->args->json);
    char *text = NULL;
    cli_progress_end(&job->progress);
    asif_status status = report(&text, job->context, json, strlen(json), name, &options, &job->error);
    int code = status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
    char *path = code == CLI_OK && c->options.folder ? cli_join(c->options.folder, name) : NULL;
    if (code == CLI_OK && c->options.folder)
        code = path ? cli_write(job, path, json, strlen(json)) : CLI_SYSTEM;
    free(path);
    if (code == CLI_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    asif_memory_free(job->context, json);
    return code;
}

void cli_calibrate_close(cli_calibrate *c) {
    for (uint32_t i = 0; c->truth && i < c->options.truths; i++)
        free((char *)(uintptr_t)c->truth[i].name);
    asif_estimates_free(c->estimates);
    free(c->truth);
    free(c->spec);
    cli_job_close(&c->job);
    free(c->study_text);
}
