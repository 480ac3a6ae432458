/* The question `project`: the behaviour in logs as a model sees it. Its answer can also be a folder. */
#include "asif/report.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "questions/held_out/models.h"

#include <inttypes.h>
#include <string.h>

static const asif_option flags[] = {
    {"output", 'o', ASIF_OPTION_TEXT, "DIR", "folder for the results; it is created if it does not exist", 0,
     0, offsetof(asif_models_asked, output)},
    {"force", 0, ASIF_OPTION_SWITCH, NULL, "replace an existing projection", 0, 0,
     offsetof(asif_models_asked, force)},
    ASIF_MODELS_OPTIONS,
    ASIF_END_OF_OPTIONS,
};

static const char *const names[] = {"projection.json", "policy.csv", "study.yaml", NULL};

/* ---- the folder ---- */

static asif_status holds_projection(bool *out, asif_asking *asking, const char *folder, asif_error *error) {
    const char *path = asif_asking_path(asking, folder, names[0]);
    if (!path)
        return asif_fail_memory(error);
    *out = asif_os_exists(path);
    return ASIF_OK;
}

static asif_status check_output(asif_asking *asking, bool there, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    if (!asked->force && there) {
        asif_fail(error, ASIF_EINVALID, "%s holds a projection", asked->output);
        asif_error_hint(error, "choose another folder, or --force to replace it");
        return ASIF_EINVALID;
    }
    return ASIF_OK;
}

static asif_status lacks_output(const asif_asking *asking, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "asif project needs a folder for its results");
    asif_error_hint(error, "for example: asif project %s %s -o projection", asking->operand[0],
                    asking->operand[1]);
    return ASIF_EINVALID;
}

static asif_status make_key(char *key, asif_asking *asking, const asif_models *models, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    asif_text text = {.context = asking->context};
    char *options = NULL;
    asif_text_addf(&text, "%" PRIu64 " %" PRIu64 " %" PRIu64, asked->folds.value, asked->starts.value,
                   asked->solve.seed.value);
    ASIF_TRY(asif_text_finish(&options, &text, error));
    parts.command = "project";
    parts.study = models->study[0];
    parts.given = models->model[0].given;
    parts.solver = models->model[0].solver;
    parts.logs = asking->tree;
    parts.options = options;
    asif_status status = asif_key_make(key, &parts, error);
    asif_free(asking->context, options);
    return status;
}

static asif_status open_folder(asif_folder **out, asif_asking *asking, const asif_models *models, bool there,
                               asif_error *error) {
    const asif_models_asked *asked = asking->options;
    char key[ASIF_DIGEST_SIZE];
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    ASIF_TRY(make_key(key, asking, models, error));
    options.path = asked->output;
    options.key = key;
    options.name = names;
    options.force = there;
    return asif_folder_open(out, asking->context, &options, error);
}

/* ---- contents of the folder ---- */

static asif_status put_study(asif_folder *folder, asif_asking *asking, asif_error *error) {
    char *text = NULL;
    uint64_t length = 0;
    if (strcmp(asking->operand[0], "-") == 0)
        return ASIF_OK;
    ASIF_TRY(asif_os_read_file(&text, &length, asking->context, asking->operand[0], error));
    asif_status status = asif_folder_put(folder, names[2], text, length, error);
    asif_free(asking->context, text);
    return status;
}

static asif_status put_text(asif_folder *folder, const asif_context *context, const char *name,
                            const asif_held_out *made,
                            asif_status (*write)(char **, const asif_held_out *, asif_error *),
                            asif_error *error) {
    char *text = NULL;
    ASIF_TRY(write(&text, made, error));
    asif_status status = asif_folder_put(folder, name, text, strlen(text), error);
    asif_free(context, text);
    return status;
}

static asif_status project(asif_held_out **out, asif_folder *folder, asif_asking *asking,
                           const asif_models *models, asif_error *error) {
    asif_held_out_options options;
    asif_models_options(&options, asking->options);
    options.whole = true;
    ASIF_TRY(asif_models_run(out, asking, models, &options, error));
    ASIF_TRY(put_text(folder, asking->context, names[1], *out, asif_held_out_csv, error));
    ASIF_TRY(put_study(folder, asking, error));
    ASIF_TRY(put_text(folder, asking->context, names[0], *out, asif_held_out_json, error));
    return asif_folder_commit(folder, error);
}

static asif_status run(void **result, asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    asif_models models;
    asif_folder *folder = NULL;
    asif_held_out *made = NULL;
    bool there = false;
    if (!asked->output)
        return lacks_output(asking, error);
    ASIF_TRY(holds_projection(&there, asking, asked->output, error));
    ASIF_TRY(check_output(asking, there, error));
    ASIF_TRY(asif_models_open(&models, asking, error));
    ASIF_TRY(open_folder(&folder, asking, &models, there, error));
    asif_status status = project(&made, folder, asking, &models, error);
    asif_folder_close(folder);
    *result = made;
    return status;
}

const asif_question_kind asif_question_project = {
    .info =
        {
            .name = "project",
            .operands = "STUDY LOGS -o DIR [flags]",
            .summary = "what does a model keep of the behaviour in logs, and what is lost?",
            .about = "Projects the behaviour in LOGS onto the behaviours of the study's planner: the inverse "
                     "planner finds the parameters, and the planner acts by them. Writes to DIR "
                     "`projection.json` (the estimates, and how well the projection predicts decisions that "
                     "it has not seen, between acting at random and behavioural cloning) and `policy.csv` "
                     "(at every history or state of the logs, how often each action was taken, and its "
                     "probability).",
            .examples = "  asif project study.yaml logs.csv -o projection\n",
            .least_operands = 2,
            .most_operands = 2,
            .option = flags,
        },
    .options_size = sizeof(asif_models_asked),
    .run = run,
    .json = asif_models_json,
    .text = asif_report_held_out,
    .free = asif_models_discard,
};
