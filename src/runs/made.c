#include "runs/made.h"

#include "base/context.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "fit/fit.h"
#include "fit/folder/manifest.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define CHAIN_SIZE 32

/* ---- the folder ---- */

bool asif_made_copies(const asif_study *study, const char *const *own, const char *name) {
    size_t length = strlen(name);
    bool chain = strncmp(name, "chain-", 6) == 0 && length > 4 && strcmp(name + length - 4, ".csv") == 0;
    bool plain = asif_manifest_plain(name) && !chain && strcmp(name, ASIF_MANIFEST_NAME) != 0;
    for (; *own; own++)
        plain = plain && strcmp(name, *own) != 0;
    return plain && asif_study_folder(study);
}

static void list_names(const char **name, char *chain, const asif_study *study, const char *const *own,
                       uint32_t chains) {
    const char *file;
    for (size_t i = 0; own[i]; i++)
        *name++ = own[i];
    for (uint32_t i = 0; (file = asif_study_files(study, i)); i++)
        if (asif_made_copies(study, own, file))
            *name++ = file;
    for (uint32_t k = 0; k < chains; k++) {
        asif_format(chain + (size_t)k * CHAIN_SIZE, CHAIN_SIZE, "chain-%u.csv", k + 1);
        *name++ = chain + (size_t)k * CHAIN_SIZE;
    }
}

asif_status asif_made_open(asif_folder **out, const asif_context *context, asif_folder_options *about,
                           const asif_study *study, const char *const *own, uint32_t chains,
                           asif_error *error) {
    uint64_t most = (uint64_t)chains + 1;
    for (uint32_t i = 0; own[i]; i++)
        most++;
    for (uint32_t i = 0; asif_study_files(study, i); i++)
        most++;
    const char **name = ASIF_ARRAY(context, most, const char *);
    char *chain = ASIF_ARRAY(context, (uint64_t)chains * CHAIN_SIZE + 1, char);
    asif_status status = name && chain ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        list_names(name, chain, study, own, chains);
        about->name = name;
        status = asif_folder_open(out, context, about, error);
    }
    asif_free(context, (void *)(uintptr_t)name);
    asif_free(context, chain);
    return status;
}

/* ---- inputs ---- */

static asif_status put_file(const asif_made *m, asif_folder *folder, const char *name, asif_error *error) {
    asif_text path = {.context = m->context};
    char *bytes = NULL;
    uint64_t length = 0;
    asif_text_addf(&path, "%s%s", asif_study_folder(m->study), name);
    asif_status status = path.failed ? asif_fail_memory(error)
                                     : asif_os_read_file(&bytes, &length, m->context, path.data, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, name, bytes, length, error);
    asif_free(m->context, bytes);
    asif_text_free(&path);
    return status;
}

/* Check that the copies are what was fitted: a file may have been edited during the fit. */
static asif_status check_copies(const asif_made *m, const char *staged, asif_error *error) {
    asif_text path = {.context = m->context};
    asif_study *copy = NULL;
    asif_text_addf(&path, "%s/study.yaml", staged);
    asif_status status =
        path.failed ? asif_fail_memory(error) : asif_study_load(&copy, m->context, path.data, NULL, error);
    bool same = copy && strcmp(asif_study_digest(copy), asif_study_digest(m->study)) == 0;
    asif_study_free(copy);
    asif_text_free(&path);
    if (same || status == ASIF_ENOMEM || status == ASIF_EIO)
        return status;
    asif_fail(error, ASIF_EINVALID, "a file that the study names was changed meanwhile");
    asif_error_hint(error, "fit again");
    return ASIF_EINVALID;
}

asif_status asif_made_put_study(const asif_made *m, asif_folder *folder, const char *const *own,
                                asif_error *error) {
    const asif_study *study = m->study;
    asif_folder_view view = {.struct_size = sizeof view};
    uint64_t length = 0;
    const char *text = asif_study_text(study, &length), *name;
    bool copied = false, all = true;
    ASIF_TRY(asif_folder_put(folder, "study.yaml", text, length, error));
    for (uint32_t i = 0; (name = asif_study_files(study, i)); i++) {
        bool here = asif_made_copies(study, own, name);
        if (here)
            ASIF_TRY(put_file(m, folder, name, error));
        copied |= here;
        all &= here;
    }
    ASIF_TRY(asif_folder_get(folder, &view, error));
    return copied && all ? check_copies(m, view.checkpoints, error) : ASIF_OK;
}

/* ---- draws, and what made them ---- */

asif_status asif_made_put_chains(const asif_context *context, asif_folder *folder, const asif_draws *draws,
                                 const char *model, asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    if (!draws)
        return ASIF_OK;
    ASIF_TRY(asif_draws_get(draws, &view, error));
    for (uint32_t k = 0; k < view.chains; k++) {
        char name[32], *text = NULL;
        asif_format(name, sizeof name, "chain-%u.csv", k + 1);
        ASIF_TRY(asif_draws_csv(&text, draws, k, model, error));
        asif_status status = asif_folder_put(folder, name, text, strlen(text), error);
        asif_free(context, text);
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
static asif_status add_query(asif_json *json, const asif_made *m, const asif_fit_origin *origin,
                             asif_error *error) {
    char *bytes = NULL, digest[ASIF_DIGEST_SIZE];
    uint64_t length = 0;
    ASIF_TRY(asif_tree_bytes(&bytes, &length, m->logs, error));
    asif_digest_bytes(digest, bytes, length);
    asif_free(m->context, bytes);
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

asif_status asif_made_put_run(const asif_made *m, asif_folder *folder, const asif_fit_origin *origin,
                              asif_error *error) {
    asif_text text = {.context = m->context};
    asif_json json;
    char study[ASIF_DIGEST_SIZE], logs[ASIF_DIGEST_SIZE];
    uint64_t length = 0;
    const char *bytes = asif_study_text(m->study, &length);
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
        status = add_query(&json, m, origin, error);
    else
        add_source(&json, "logs", origin->logs, known ? logs : NULL);
    asif_json_count(&json, "seed", m->seed);
    asif_json_count(&json, "threads", m->context->options.threads);
    asif_json_string(&json, "vector", asif_context_vector(m->context));
    asif_json_string(&json, "started", m->started);
    add_seconds(&json, "seconds", m->seconds);
    if (!isnan(m->search_sec))
        add_seconds(&json, "seconds_search", m->search_sec);
    if (!isnan(m->sample_sec))
        add_seconds(&json, "seconds_sampling", m->sample_sec);
    asif_json_end(&json);
    if (status == ASIF_OK)
        status = text.failed ? asif_fail_memory(error)
                             : asif_folder_put(folder, "run.json", text.data, text.length, error);
    asif_text_free(&text);
    return status;
}
