/* Saving a whole fit: its files are staged in the folder and then moved into place together. */
#include "runs/whole_fit.h"

#include "base/context.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "fit/fit.h"
#include "study/study.h"

#include <string.h>

/* ---- inputs ---- */

static asif_status put_file(const asif_whole_fit *w, asif_folder *folder, const char *name,
                            asif_error *error) {
    asif_text path = {.context = w->context};
    char *bytes = NULL;
    uint64_t length = 0;
    asif_text_addf(&path, "%s%s", asif_study_folder(w->request.study), name);
    asif_status status = path.failed ? asif_fail_memory(error)
                                     : asif_os_read_file(&bytes, &length, w->context, path.data, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, name, bytes, length, error);
    asif_free(w->context, bytes);
    asif_text_free(&path);
    return status;
}

/* Check that the copies are what was fitted: a file may have been edited during the fit. */
static asif_status check_copies(const asif_whole_fit *w, const char *staged, asif_error *error) {
    asif_text path = {.context = w->context};
    asif_study *copy = NULL;
    asif_text_addf(&path, "%s/study.yaml", staged);
    asif_status status =
        path.failed ? asif_fail_memory(error) : asif_study_load(&copy, w->context, path.data, NULL, error);
    bool same = copy && strcmp(asif_study_digest(copy), asif_study_digest(w->request.study)) == 0;
    asif_study_free(copy);
    asif_text_free(&path);
    if (same || status == ASIF_ENOMEM || status == ASIF_EIO)
        return status;
    asif_fail(error, ASIF_EINVALID, "a file that the study names was changed while it was fitted");
    asif_error_hint(error, "fit again");
    return ASIF_EINVALID;
}

static asif_status put_study(const asif_whole_fit *w, asif_folder *folder, asif_error *error) {
    const asif_study *study = w->request.study;
    asif_folder_view view = {.struct_size = sizeof view};
    uint64_t length = 0;
    const char *text = asif_study_text(study, &length), *name;
    bool copied = false, all = true;
    ASIF_TRY(asif_folder_put(folder, "study.yaml", text, length, error));
    for (uint32_t i = 0; (name = asif_study_files(study, i)); i++) {
        bool here = asif_fit_copies(study, name);
        if (here)
            ASIF_TRY(put_file(w, folder, name, error));
        copied |= here;
        all &= here;
    }
    ASIF_TRY(asif_folder_get(folder, &view, error));
    return copied && all ? check_copies(w, view.checkpoints, error) : ASIF_OK;
}

/* Save the logs as counts. Names of episodes are kept only if a table of pairs refers to them. */
static asif_status put_logs(const asif_whole_fit *w, asif_folder *folder, asif_error *error) {
    const asif_inverse_info *inverse = asif_inverse_named(w->how.inverse);
    asif_helper helper = inverse ? inverse->helper : ASIF_HELPER_NONE;
    const char *const columns[] = {asif_helper_column(helper, &w->inverse_options), NULL};
    asif_tree *nameless = NULL;
    char *bytes = NULL;
    uint64_t length = 0;
    asif_status status = ASIF_OK;
    if (helper != ASIF_HELPER_NONE && helper != ASIF_HELPER_PAIRS)
        status = asif_tree_select_units(&nameless, w->request.logs, NULL, columns, false, error);
    if (status == ASIF_OK)
        status = asif_tree_bytes(&bytes, &length, nameless ? nameless : w->request.logs, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, "logs.tree", bytes, length, error);
    asif_free(w->context, bytes);
    asif_tree_free(nameless);
    return status;
}

/* ---- results ---- */

static asif_status put_chains(const asif_whole_fit *w, asif_folder *folder, const asif_draws *draws,
                              asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    if (!draws)
        return ASIF_OK;
    ASIF_TRY(asif_draws_get(draws, &view, error));
    for (uint32_t k = 0; k < view.chains; k++) {
        char name[32], *text = NULL;
        asif_format(name, sizeof name, "chain-%u.csv", k + 1);
        ASIF_TRY(asif_draws_csv(&text, draws, k, "asif", error));
        asif_status status = asif_folder_put(folder, name, text, strlen(text), error);
        asif_free(w->context, text);
        if (status != ASIF_OK)
            return status;
    }
    return ASIF_OK;
}

static void add_source(asif_json *json, const char *key, const char *file, const char *digest) {
    json->dense = json->depth + 1;
    asif_json_object(json, key);
    asif_json_string(json, "file", file);
    asif_json_string(json, "sha256", digest);
    asif_json_end(json);
    json->dense = 0;
}

/* Logs that an engine has read: the digest is that of the counts, because rows come in no order. */
static asif_status add_query(asif_json *json, const asif_whole_fit *w, const asif_fit_origin *origin,
                             asif_error *error) {
    char *bytes = NULL, digest[ASIF_DIGEST_SIZE];
    uint64_t length = 0;
    ASIF_TRY(asif_tree_bytes(&bytes, &length, w->request.logs, error));
    asif_digest_bytes(digest, bytes, length);
    asif_free(w->context, bytes);
    asif_json_object(json, "logs");
    asif_json_string(json, "file", origin->logs);
    asif_json_string(json, "engine", origin->engine);
    asif_json_string(json, "version", origin->version);
    asif_json_string(json, "query", origin->query);
    asif_json_string(json, "counts_sha256", digest);
    asif_json_end(json);
    return ASIF_OK;
}

static void add_seconds(asif_json *json, const char *key, double seconds) {
    char text[ASIF_NUMBER_SIZE];
    double rounded = seconds;
    asif_format(text, sizeof text, "%.3f", seconds);
    (void)asif_number_read(text, strlen(text), &rounded);
    asif_json_number(json, key, rounded);
}

static asif_status put_run(const asif_whole_fit *w, asif_folder *folder, const asif_fit_origin *origin,
                           const asif_fit_view *view, asif_error *error) {
    asif_text text = {.context = w->context};
    asif_json json;
    char study[ASIF_DIGEST_SIZE], logs[ASIF_DIGEST_SIZE];
    uint64_t length = 0;
    const char *bytes = asif_study_text(w->request.study, &length);
    /* A pipe can be read only once: reading it again could block for ever. */
    bool known = !origin->engine && asif_file_reads_again(origin->logs);
    if (known)
        ASIF_TRY(asif_digest_file(logs, origin->logs, error));
    asif_digest_bytes(study, bytes, length);
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "asif", asif_version());
    json.dense = json.depth + 1;
    asif_json_array(&json, "command");
    for (uint32_t i = 0; i < origin->words; i++)
        asif_json_string(&json, NULL, origin->word[i]);
    asif_json_end(&json);
    json.dense = 0;
    add_source(&json, "study", origin->study, study);
    asif_status status = ASIF_OK;
    if (origin->engine)
        status = add_query(&json, w, origin, error);
    else
        add_source(&json, "logs", origin->logs, known ? logs : NULL);
    asif_json_count(&json, "seed", w->how.sample.seed);
    asif_json_count(&json, "threads", w->context->options.threads);
    asif_json_string(&json, "vector", asif_context_vector(w->context));
    asif_json_string(&json, "started", w->started);
    add_seconds(&json, "seconds", w->seconds);
    add_seconds(&json, "seconds_search", view->search_sec);
    add_seconds(&json, "seconds_sampling", view->sample_sec);
    asif_json_end(&json);
    if (status == ASIF_OK)
        status = text.failed ? asif_fail_memory(error)
                             : asif_folder_put(folder, "run.json", text.data, text.length, error);
    asif_text_free(&text);
    return status;
}

static asif_status put_numbers(const asif_whole_fit *w, asif_folder *folder, asif_error *error) {
    char *text = NULL;
    ASIF_TRY(asif_whole_fit_json(&text, w, error));
    asif_status status = asif_folder_put(folder, ASIF_FIT_JSON, text, strlen(text), error);
    asif_free(w->context, text);
    return status;
}

asif_status asif_fit_save(const asif_whole_fit *fit, asif_folder *folder, const asif_fit_origin *origin,
                          asif_error *error) {
    const asif_fit_origin unknown = ASIF_FIT_ORIGIN_INIT;
    asif_fit_view view = {.struct_size = sizeof view};
    if (origin && origin->struct_size != sizeof *origin)
        return asif_fail(error, ASIF_EDOMAIN, "where the fit comes from has an unknown size");
    ASIF_TRY(asif_fit_get(fit->fit, &view, error));
    ASIF_TRY(put_study(fit, folder, error));
    ASIF_TRY(put_logs(fit, folder, error));
    ASIF_TRY(put_chains(fit, folder, view.draws, error));
    ASIF_TRY(put_run(fit, folder, origin ? origin : &unknown, &view, error));
    ASIF_TRY(put_numbers(fit, folder, error));
    return asif_folder_commit(folder, error);
}
