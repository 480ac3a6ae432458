/* Moving files from the staging folder into the folder itself. Staged files stay until all are in place. A
 * reader therefore finds all of the old fit or all of the new one, and after an interruption the move can be
 * done again from the beginning. */
#include "fit/folder/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit.h"

#include <string.h>

/* ---- files that may be replaced ---- */

static asif_status is_unchanged(bool *out, const asif_manifest_file *file, const char *path,
                                asif_error *error) {
    char digest[ASIF_DIGEST_SIZE];
    *out = false;
    if (!file)
        return ASIF_OK;
    ASIF_TRY(asif_digest_file(digest, path, error));
    *out = strcmp(digest, file->digest) == 0;
    return ASIF_OK;
}

asif_status asif_folder_check(const asif_folder *f, const char *name, asif_error *error) {
    char *path = asif_folder_join(f->context, f->path, name);
    if (!path)
        return asif_fail_memory(error);
    asif_os_kind kind = asif_os_look(path);
    const asif_manifest_file *known = asif_manifest_find(&f->before, name);
    bool ours = kind == ASIF_OS_NOTHING;
    asif_status status = kind == ASIF_OS_FILE ? is_unchanged(&ours, known, path, error) : ASIF_OK;
    if (status == ASIF_OK && !ours)
        status = asif_folder_foreign(path, known != NULL && kind == ASIF_OS_FILE, error);
    asif_free(f->context, path);
    return status;
}

/* ---- files ---- */

/* Read a staged file, and check it against its manifest. */
static asif_status read_staged(char **out, const asif_manifest_file *file, const asif_context *context,
                               const char *path, asif_error *error) {
    char digest[ASIF_DIGEST_SIZE];
    uint64_t length = 0;
    ASIF_TRY(asif_os_read_file(out, &length, context, path, error));
    asif_digest_bytes(digest, *out, length);
    if (length == file->bytes && strcmp(digest, file->digest) == 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EPARSE, "the file is damaged: it is not what was written");
    asif_error_at(error, path, 0, 0);
    asif_error_hint(error, "remove the folder that it is in, and fit again");
    return ASIF_EPARSE;
}

typedef struct {
    const asif_context *context;
    const char *from, *to;
    asif_manifest fresh, old;
} move;

static asif_status place_bytes(const move *m, const asif_manifest_file *file, const char *bytes,
                               const char *path, asif_error *error) {
    asif_output_options only_new = ASIF_OUTPUT_OPTIONS_INIT;
    const asif_manifest_file *before = asif_manifest_find(&m->old, file->name);
    asif_os_kind kind = asif_os_look(path);
    bool same = false, ours = false;
    only_new.new_only = true;
    if (kind == ASIF_OS_NOTHING)
        return asif_file_write(m->context, path, bytes, file->bytes, &only_new, error);
    if (kind == ASIF_OS_FILE) {
        ASIF_TRY(is_unchanged(&same, file, path, error));
        ASIF_TRY(is_unchanged(&ours, before, path, error));
    }
    if (same)
        return ASIF_OK;
    return ours ? asif_file_write(m->context, path, bytes, file->bytes, NULL, error)
                : asif_folder_foreign(path, before != NULL, error);
}

static asif_status place_file(const move *m, const asif_manifest_file *file, asif_error *error) {
    char *from = asif_folder_join(m->context, m->from, file->name), *bytes = NULL;
    char *to = asif_folder_join(m->context, m->to, file->name);
    asif_status status =
        from && to ? read_staged(&bytes, file, m->context, from, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = place_bytes(m, file, bytes, to, error);
    if (status == ASIF_OK)
        asif_os_remove_parts(to); /* of a command that was killed; the lock proves that it has ended */
    asif_free(m->context, bytes);
    asif_free(m->context, from);
    asif_free(m->context, to);
    return status;
}

/* Remove a file of the old fit that the new one does not have, unless the user changed it. */
static asif_status remove_old(const move *m, const asif_manifest_file *file, asif_error *error) {
    char *path = asif_folder_join(m->context, m->to, file->name);
    bool ours = false;
    asif_status status = path ? ASIF_OK : asif_fail_memory(error);
    if (path && asif_os_look(path) == ASIF_OS_FILE)
        status = is_unchanged(&ours, file, path, error);
    if (status == ASIF_OK && ours)
        status = asif_os_remove(path, error);
    asif_free(m->context, path);
    return status;
}

static asif_status place_files(move *m, asif_error *error) {
    for (uint64_t i = 0; i < m->fresh.files; i++)
        ASIF_TRY(place_file(m, &m->fresh.file[i], error));
    for (uint64_t i = 0; i < m->old.files; i++)
        if (!asif_manifest_find(&m->fresh, m->old.file[i].name))
            ASIF_TRY(remove_old(m, &m->old.file[i], error));
    return ASIF_OK;
}

/* ---- folders ---- */

/* Move one fit from a folder that has all of it to another. */
static asif_status place_fit(const asif_context *context, const char *from, const char *to,
                             asif_error *error) {
    move m = {.context = context, .from = from, .to = to};
    bool there = false, before = false;
    asif_status status = asif_folder_manifest(&m.fresh, &there, context, from, error);
    if (status == ASIF_OK && !there)
        status = asif_fail(error, ASIF_EPARSE, "%.100s holds no finished fit", asif_show(from).text);
    if (status == ASIF_OK)
        status = asif_folder_manifest(&m.old, &before, context, to, error);
    if (status == ASIF_OK)
        status = place_files(&m, error);
    if (status == ASIF_OK)
        status = asif_folder_write_manifest(&m.fresh, to, error);
    asif_manifest_free(&m.fresh);
    asif_manifest_free(&m.old);
    return status;
}

/* Remove the fit of a group that the new fits do not have. Files of the user's stay, and the folder with
 * them. */
static asif_status remove_group(const asif_context *context, const char *path, asif_error *error) {
    move m = {.context = context, .to = path};
    bool there = false;
    ASIF_TRY(asif_folder_manifest(&m.old, &there, context, path, error));
    asif_status status = there ? place_files(&m, error) : ASIF_OK;
    asif_manifest_free(&m.old);
    char *manifest = there ? asif_folder_join(context, path, ASIF_MANIFEST_NAME) : NULL;
    if (status == ASIF_OK && manifest)
        status = asif_os_remove(manifest, error);
    asif_free(context, manifest);
    if (status == ASIF_OK)
        (void)asif_os_remove_folder(path, NULL);
    return status;
}

static asif_status place_group(const asif_context *context, const char *from, const char *to,
                               const char *folder, asif_error *error) {
    char *a = asif_folder_join(context, from, folder), *b = asif_folder_join(context, to, folder);
    asif_status status = a && b ? asif_os_make_folder(b, NULL, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = place_fit(context, a, b, error);
    asif_free(context, a);
    asif_free(context, b);
    return status;
}

static asif_status place_groups(const asif_manifest *fresh, const char *from, const char *to,
                                asif_error *error) {
    const asif_context *context = fresh->context;
    asif_manifest old;
    bool there = false;
    asif_status status = asif_folder_manifest(&old, &there, context, to, error);
    for (uint64_t g = 0; status == ASIF_OK && g < fresh->groups; g++)
        status = place_group(context, from, to, fresh->group[g].folder, error);
    for (uint64_t g = 0; status == ASIF_OK && g < old.groups; g++) {
        if (asif_manifest_find_group(fresh, old.group[g].folder))
            continue;
        char *path = asif_folder_join(context, to, old.group[g].folder);
        status = path ? remove_group(context, path, error) : asif_fail_memory(error);
        asif_free(context, path);
    }
    asif_manifest_free(&old);
    return status == ASIF_OK ? asif_folder_write_manifest(fresh, to, error) : status;
}

/* Clear the staging folder, beginning with its manifest: without it, staged files do not count. */
static asif_status clear_staged(const asif_context *context, const char *staged, asif_error *error) {
    char *manifest = asif_folder_join(context, staged, ASIF_MANIFEST_NAME);
    asif_status status = manifest ? asif_os_remove(manifest, error) : asif_fail_memory(error);
    asif_free(context, manifest);
    if (status == ASIF_OK)
        status = asif_os_sync_folder(staged, error);
    return status == ASIF_OK ? asif_folder_clear(context, staged, error) : status;
}

asif_status asif_folder_finish(const asif_context *context, const char *path, bool *finished,
                               asif_error *error) {
    char *staged = asif_folder_join(context, path, ASIF_FOLDER_NEW);
    asif_manifest fresh = {.context = context};
    *finished = false;
    asif_status status =
        staged ? asif_folder_manifest(&fresh, finished, context, staged, error) : asif_fail_memory(error);
    if (status == ASIF_OK && *finished)
        status =
            fresh.by ? place_groups(&fresh, staged, path, error) : place_fit(context, staged, path, error);
    if (status == ASIF_OK && *finished)
        status = clear_staged(context, staged, error);
    asif_manifest_free(&fresh);
    asif_free(context, staged);
    return status;
}

static asif_status clear_name(const asif_context *context, const char *path, const char *name,
                              asif_error *error) {
    char *inside = asif_folder_join(context, path, name);
    asif_status status = ASIF_OK;
    if (!inside)
        status = asif_fail_memory(error);
    else if (asif_os_look(inside) == ASIF_OS_FOLDER)
        status = asif_folder_clear(context, inside, error);
    else
        status = asif_os_remove(inside, error);
    asif_free(context, inside);
    return status;
}

asif_status asif_folder_clear(const asif_context *context, const char *path, asif_error *error) {
    asif_os_names names;
    if (asif_os_look(path) != ASIF_OS_FOLDER)
        return ASIF_OK;
    asif_status status = asif_os_list(&names, context, path, error);
    for (uint64_t i = 0; status == ASIF_OK && i < names.count; i++)
        if (strcmp(names.name[i], ASIF_FOLDER_BEGUN) != 0)
            status = clear_name(context, path, names.name[i], error);
    asif_os_names_free(&names, context);
    /* The note that all of this is asif's goes last, so that after an interruption the rest can still be
     * cleared. */
    if (status == ASIF_OK)
        status = clear_name(context, path, ASIF_FOLDER_BEGUN, error);
    return status == ASIF_OK ? asif_os_remove_folder(path, error) : status;
}
