#include "questions/calibrate/design.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include "asif/files.h"

#include <inttypes.h>
#include <string.h>

#define NOTES "replicates.csv"
#define EPISODES_OF_PERSON 20 /* where there are people */

/* ---- the study ---- */

static bool is_estimated(const asif_fitted *fitted, const char *name) {
    for (uint32_t i = 0; i < fitted->specs; i++)
        if (strcmp(asif_estimated_name(fitted->spec[i].name), asif_estimated_name(name)) == 0)
            return true;
    return false;
}

static asif_status find_specs(asif_design *d, asif_asking *asking, asif_error *error) {
    asif_estimate_spec *spec = NULL;
    ASIF_TRY(asif_asking_specs(asking, &spec, &d->fitted->specs, d->study, error));
    d->fitted->spec = spec;
    if (d->fitted->specs)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "nothing is to be estimated: every parameter has a value");
    asif_error_at(error, asking->operand[0], 0, 0);
    asif_error_hint(error, "write `alpha: learn` (or another parameter) in the study");
    return ASIF_EINVALID;
}

/* Take values from -p for estimated parameters as their true values, which do not fix the parameters. */
static asif_status take_truths(asif_design *d, asif_theta *theta, asif_asking *asking, asif_error *error) {
    const asif_design_asked *asked = asking->options;
    const asif_list_option *param = &asked->solve.param;
    asif_truth *truth = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)param->count + 1, asif_truth);
    uint32_t truths = 0;
    if (!truth)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < param->count; i++) {
        const char *pair = param->item[i];
        const char *name = asif_arena_text(&asking->arena, pair, strcspn(pair, "="));
        if (!name)
            return asif_fail_memory(error);
        if (!is_estimated(d->fitted, name))
            continue;
        truth[truths].name = name;
        ASIF_TRY(asif_theta_get(theta, name, &truth[truths].value, error));
        truths++;
    }
    for (uint32_t i = 0; i < truths; i++)
        ASIF_TRY(asif_theta_unset(theta, truth[i].name, error));
    d->options.truth = truth;
    d->options.truths = truths;
    return ASIF_OK;
}

static asif_status make_fitted(asif_design *d, const asif_theta *theta, asif_asking *asking,
                               asif_error *error) {
    const asif_design_asked *asked = asking->options;
    asif_work *work = NULL;
    asif_estimates *estimates = NULL;
    asif_fitted *fitted = d->fitted;
    ASIF_TRY(asif_asking_work(asking, &work, d->study, &asked->solve, error));
    ASIF_TRY(
        asif_asking_estimates(asking, &estimates, work, theta, fitted->spec, fitted->specs, NULL, error));
    *d->solver = asif_asking_solver(d->study, &asked->solve);
    fitted->struct_size = sizeof *fitted;
    fitted->context = asking->context;
    fitted->planner = asif_study_planner(d->study);
    fitted->solver = d->solver;
    fitted->inverse = asif_study_inverse(d->study);
    fitted->inverse_options = asif_study_asked(d->study);
    fitted->setting = asif_study_setting(d->study);
    fitted->given = theta;
    fitted->estimates = estimates;
    return ASIF_OK;
}

/* Covariates of people that are simulated are not known. */
static asif_status check_people(const asif_design *d, asif_asking *asking, asif_error *error) {
    uint32_t effects = 0;
    if (!d->options.people)
        return ASIF_OK;
    asif_study_effects(d->study, &effects);
    if (effects == 0 && asif_study_kinds(d->study) == 1 && d->options.truths == 0)
        return ASIF_OK;
    if (d->options.truths) {
        asif_fail(error, ASIF_EINVALID, "%s differs between people: it has no single truth",
                  d->options.truth[0].name);
        asif_error_hint(error, "give it a value in the study to make it the same for all");
        return ASIF_EINVALID;
    }
    asif_fail(
        error, ASIF_EINVALID,
        "populations with covariates, groups or several kinds cannot be drawn: their values are not known");
    asif_error_at(error, asking->operand[0], 0, 0);
    asif_error_hint(error, "leave the section `population` out of a copy of the study");
    return ASIF_EINVALID;
}

/* ---- options ---- */

static asif_status find_method(asif_fit_method *out, const char *name, const char *question,
                               asif_error *error) {
    static const asif_fit_method known[] = {ASIF_FIT_AUTO,       ASIF_FIT_RIDGE, ASIF_FIT_NUTS,
                                            ASIF_FIT_METROPOLIS, ASIF_FIT_MAP,   ASIF_FIT_ML};
    bool sbc = strcmp(question, "sbc") == 0;
    for (size_t i = 0; name && i < (sbc ? 4 : 6); i++)
        if (strcmp(name, asif_fit_method_text(known[i])) == 0) {
            *out = known[i];
            return ASIF_OK;
        }
    if (!name)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "asif %s has no method '%s'", question, asif_show(name).text);
    asif_error_hint(error, "methods are %s",
                    sbc ? "auto, ridge, nuts and metropolis" : "auto, ridge, nuts, metropolis, map and ml");
    return ASIF_EINVALID;
}

static void tell_time(void *user, uint32_t fits, double seconds) {
    asif_asking *asking = user;
    char line[128];
    uint32_t threads = asking->context->options.threads;
    const char *unit = seconds < 90 ? "second" : seconds < 5400 ? "minute" : "hour";
    double many = seconds < 90 ? seconds : seconds < 5400 ? seconds / 60 : seconds / 3600;
    if (!asking->tell || seconds < 1)
        return;
    threads = threads ? threads : 1;
    asif_format(line, sizeof line, "%" PRIu32 " fits, about %.0f %s%s with %" PRIu32 " thread%s", fits, many,
                unit, many < 1.5 ? "" : "s", threads, threads == 1 ? "" : "s");
    asking->tell(asking->user, NULL, line);
}

/* Populations are fitted as `asif people` does by default. */
static asif_status default_to_people(asif_calibrate_options *o, const asif_design_asked *asked,
                                     asif_error *error) {
    static const asif_people_options people = ASIF_PEOPLE_OPTIONS_INIT;
    o->people = (uint64_t)asked->people.value;
    o->episodes = EPISODES_OF_PERSON;
    o->chains = people.chains;
    o->warmup = people.warmup;
    o->draws = people.draws;
    if (asked->method || asked->starts.given)
        return asif_fail(error, ASIF_EINVALID, "--people has no use for --method and --starts");
    return ASIF_OK;
}

static asif_status fill_options(asif_design *d, asif_asking *asking, asif_error *error) {
    const asif_design_asked *asked = asking->options;
    asif_calibrate_options *o = &d->options;
    bool sbc = strcmp(d->question, "sbc") == 0;
    if (asked->people.given)
        ASIF_TRY(default_to_people(o, asked, error));
    ASIF_TRY(find_method(&o->method, asked->method, d->question, error));
    if ((o->method == ASIF_FIT_MAP || o->method == ASIF_FIT_ML) &&
        (asked->chains.given || asked->warmup.given || asked->draws.given))
        return asif_fail(error, ASIF_EINVALID, "--method %s has no use for --chains, --warmup and --draws",
                         asif_fit_method_text(o->method));
    o->seed = asked->solve.seed.value;
    asif_option_count(&o->replicates, &asked->replicates);
    asif_option_count64(&o->episodes, &asked->episodes);
    asif_option_count(&o->max_steps, &asked->max_steps);
    asif_option_count(&o->chains, &asked->chains);
    asif_option_count64(&o->warmup, &asked->warmup);
    asif_option_count(&o->starts, &asked->starts);
    asif_option_count(&o->bins, &asked->bins);
    if (!sbc)
        asif_option_count64(&o->draws, &asked->draws);
    else if (asked->draws.given)
        o->ranks = (uint32_t)asked->draws.value;
    else if (o->bins > 0) /* about 100 ranks, a number that the bins divide */
        o->ranks = o->bins * (o->bins < 100 ? (100 + o->bins / 2) / o->bins : 1) - 1;
    if (asked->scale.given)
        o->wrong_prior = asked->scale.value;
    o->tell = tell_time;
    o->user = asking;
    return ASIF_OK;
}

/* ---- the folder ---- */

/* Write the options on which a replicate depends, in addition to the study and its values. The number of
 * replicates and the bins are not among them. */
static asif_status print_options(char **out, const asif_calibrate_options *o, const asif_context *context,
                                 asif_error *error) {
    asif_text text = {.context = context};
    asif_text_addf(&text,
                   "%s %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32,
                   asif_fit_method_text(o->method), o->episodes, o->max_steps, o->seed, o->chains, o->warmup,
                   o->draws, o->starts);
    asif_text_addf(&text, " %" PRIu32 " %.17g\n", o->ranks, o->wrong_prior);
    if (o->people)
        asif_text_addf(&text, "people %" PRIu64 "\n", o->people);
    for (uint32_t i = 0; i < o->truths; i++)
        asif_text_addf(&text, "%s=%.17g\n", o->truth[i].name, o->truth[i].value);
    return asif_text_finish(out, &text, error);
}

static asif_status make_key(asif_design *d, asif_asking *asking, asif_error *error) {
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    char *options = NULL;
    ASIF_TRY(print_options(&options, &d->options, asking->context, error));
    parts.command = d->question;
    parts.study = d->study;
    parts.given = d->fitted->given;
    parts.solver = d->solver;
    parts.options = options;
    asif_status status = asif_key_make(d->key, &parts, error);
    asif_free(asking->context, options);
    return status;
}

static asif_status not_of_this(const char *path, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "%s was not written by -o: there is no " NOTES " next to it", path);
    asif_error_hint(error, "choose another folder, or move that file away");
    return ASIF_EINVALID;
}

/* Refuse a file that does not contain the text `mark`, since asif did not write it. */
static asif_status check_ours(asif_asking *asking, const char *path, const char *mark, asif_error *error) {
    if (!path)
        return asif_fail_memory(error);
    asif_os_kind kind = asif_os_look(path);
    char *text = NULL;
    uint64_t length = 0;
    if (kind == ASIF_OS_NOTHING)
        return ASIF_OK;
    if (kind == ASIF_OS_FILE)
        ASIF_TRY(asif_os_read_file(&text, &length, asking->context, path, error));
    bool ours = text && strstr(text, mark);
    asif_free(asking->context, text);
    if (ours)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "%s was not written by asif", path);
    asif_error_hint(error, "choose another folder, or move that file away");
    return ASIF_EINVALID;
}

static const char *answer_path(const asif_design *d, asif_asking *asking) {
    return asif_asking_path(asking, d->options.folder,
                            strcmp(d->question, "sbc") == 0 ? "sbc.json" : "recover.json");
}

static asif_status open_folder(asif_design *d, asif_asking *asking, asif_error *error) {
    const asif_design_asked *asked = asking->options;
    const char *mark = strcmp(d->question, "sbc") == 0 ? "\"command\": \"sbc\"" : "\"command\": \"recover\"";
    if (!asked->output)
        return ASIF_OK;
    d->options.folder = asked->output;
    d->options.key = d->key;
    ASIF_TRY(make_key(d, asking, error));
    const char *answer = answer_path(d, asking), *notes = asif_asking_path(asking, asked->output, NOTES);
    ASIF_TRY(check_ours(asking, answer, mark, error));
    ASIF_TRY(check_ours(asking, notes, "# asif replicates", error));
    /* The answer was saved by other means; -o writes both files. */
    if (asif_os_exists(answer) && !asif_os_exists(notes))
        return not_of_this(answer, error);
    return asif_folder_make(asking->context, asked->output, error);
}

static asif_status keep(const asif_design *d, asif_asking *asking, const char *json, asif_error *error) {
    const char *path = answer_path(d, asking);
    if (!path)
        return asif_fail_memory(error);
    ASIF_TRY(asif_file_write(asking->context, path, json, strlen(json), NULL, error));
    asif_os_remove_parts(path); /* parts of a command that was killed; this one holds the lock */
    return ASIF_OK;
}

/* Add to the error of an interrupted run whether its results are kept. */
static void interrupted(const asif_design *d, asif_asking *asking, asif_error *error) {
    asif_error why = *error;
    const char *notes = d->options.folder ? asif_asking_path(asking, d->options.folder, NOTES) : NULL;
    bool kept = notes && asif_os_exists(notes);
    asif_fail(error, ASIF_ECANCELLED, "%s; %s", why.message, kept ? "they are kept" : "nothing is kept");
    asif_error_hint(error, kept ? "the same command goes on from where it was"
                                : "with -o DIR the same command would go on from where it was");
}

asif_status asif_design_end(const asif_design *d, asif_asking *asking, const void *result,
                            asif_status (*json)(char **out, const void *result, asif_error *error),
                            asif_status status, asif_error *error) {
    char *text = NULL;
    if (status == ASIF_ECANCELLED && error)
        interrupted(d, asking, error);
    if (status != ASIF_OK || !d->options.folder)
        return status;
    ASIF_TRY(json(&text, result, error));
    status = keep(d, asking, text, error);
    asif_free(asking->context, text);
    return status;
}

/* ---- the whole design ---- */

asif_status asif_design_open(asif_design *out, asif_asking *asking, const char *question,
                             const asif_calibrate_options *defaults, asif_error *error) {
    const asif_design_asked *asked = asking->options;
    asif_theta *theta = NULL;
    *out = (asif_design){.question = question,
                         .fitted = ASIF_ARENA_ARRAY(&asking->arena, 1, asif_fitted),
                         .solver = ASIF_ARENA_ARRAY(&asking->arena, 1, asif_plan_options),
                         .options = *defaults};
    if (!out->fitted || !out->solver)
        return asif_fail_memory(error);
    ASIF_TRY(fill_options(out, asking, error));
    ASIF_TRY(asif_asking_study(asking, &out->study, asking->operand[0], error));
    ASIF_TRY(asif_asking_values(asking, &theta, out->study, &asked->solve.param, error));
    ASIF_TRY(find_specs(out, asking, error));
    ASIF_TRY(take_truths(out, theta, asking, error));
    ASIF_TRY(check_people(out, asking, error));
    ASIF_TRY(make_fitted(out, theta, asking, error));
    return open_folder(out, asking, error);
}
