/* A folder of results while it is written: its lock, the files that may be replaced, staged files, and the
 * commit. */
#include "fit/folder/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

#define MOST_MANIFEST ((uint64_t)1 << 30)
#define MOST_NOTE 4096
#define OWNER_SEC 0.25 /* longest wait for the description of another process */
#define PAUSE_SEC 0.01
#define FIRST_LINE "asif fit, key "

char *asif_folder_join(const asif_context *context, const char *folder, const char *name) {
    asif_text path = {.context = context};
    size_t length = strlen(folder);
    asif_text_addf(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name);
    if (path.failed)
        asif_text_free(&path);
    return path.data;
}

asif_status asif_folder_foreign(const char *path, bool changed, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              changed ? "this file was changed after asif wrote it, and would be replaced"
                      : "this is not a file that asif wrote, and it would be replaced");
    asif_error_at(error, path, 0, 0);
    asif_error_hint(
        error,
        "move it elsewhere, or choose another folder for the results; --force does not replace it either");
    return ASIF_EINVALID;
}

/* ---- manifests ---- */

asif_status asif_folder_manifest(asif_manifest *out, bool *there, const asif_context *context,
                                 const char *folder, asif_error *error) {
    char *path = asif_folder_join(context, folder, ASIF_MANIFEST_NAME), *text = NULL;
    uint64_t length = 0;
    *out = (asif_manifest){.context = context};
    *there = false;
    if (!path)
        return asif_fail_memory(error);
    asif_os_kind kind = asif_os_look(path);
    asif_status status = ASIF_OK;
    if (kind != ASIF_OS_NOTHING && kind != ASIF_OS_FILE)
        status = asif_folder_foreign(path, false, error);
    else if (kind == ASIF_OS_FILE)
        status = asif_os_read_small(&text, &length, context, path, MOST_MANIFEST, error);
    if (text)
        status = asif_manifest_read(out, context, text, length, path, error);
    *there = text && status == ASIF_OK;
    if (status == ASIF_EPARSE)
        status = asif_folder_foreign(path, false, error);
    asif_free(context, text);
    asif_free(context, path);
    return status;
}

asif_status asif_folder_write_manifest(const asif_manifest *manifest, const char *folder, asif_error *error) {
    char *path = asif_folder_join(manifest->context, folder, ASIF_MANIFEST_NAME), *text = NULL;
    uint64_t length = 0;
    asif_status status = path ? asif_manifest_text(&text, &length, manifest, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_file_write(manifest->context, path, text, length, NULL, error);
    if (status == ASIF_OK)
        asif_os_remove_parts(path);
    asif_free(manifest->context, text);
    asif_free(manifest->context, path);
    return status;
}

/* ---- the lock ---- */

static asif_status refuse_busy(const asif_folder *f, asif_error *error) {
    char *path = asif_folder_join(f->context, f->path, ASIF_FOLDER_OWNER), *who = NULL;
    uint64_t length = 0;
    double begun = asif_os_seconds();
    if (!path)
        return asif_fail_memory(error);
    /* A process that has just taken the lock writes its description a moment later. */
    while (asif_os_read_small(&who, &length, f->context, path, MOST_NOTE, NULL) == ASIF_ENOFILE &&
           asif_os_seconds() - begun < OWNER_SEC)
        asif_os_sleep(PAUSE_SEC);
    if (who)
        who[strcspn(who, "\n")] = 0;
    asif_clean(who);
    asif_fail(error, ASIF_EINVALID, "another asif is writing into this folder%s%.150s%s", who ? " (" : "",
              who ? who : "", who ? ")" : "");
    asif_error_at(error, f->path, 0, 0);
    asif_error_hint(error, "wait until it has finished, or choose another folder");
    asif_free(f->context, who);
    asif_free(f->context, path);
    return ASIF_EINVALID;
}

static asif_status take_lock(asif_folder *f, asif_error *error) {
    bool busy = false;
    asif_status status = asif_os_lock_take(&f->lock, f->path, &busy, error);
    if (busy)
        return refuse_busy(f, error);
    f->locked = status == ASIF_OK;
    return status;
}

static asif_status write_owner(const asif_folder *f, asif_error *error) {
    char who[160], *path = asif_folder_join(f->context, f->path, ASIF_FOLDER_OWNER);
    asif_os_describe_process(who, sizeof who);
    asif_status status =
        path ? asif_file_write(f->context, path, who, strlen(who), NULL, error) : asif_fail_memory(error);
    asif_free(f->context, path);
    return status;
}

/* ---- folders ---- */

asif_status asif_folder_own(const asif_folder *f, asif_error *error) {
    char *hidden = asif_folder_join(f->context, f->path, ASIF_FOLDER_HIDDEN);
    asif_status status = hidden ? asif_os_make_folder(hidden, NULL, error) : asif_fail_memory(error);
    asif_free(f->context, hidden);
    return status == ASIF_OK ? write_owner(f, error) : status;
}

static asif_status make_staged(const asif_folder *f, asif_error *error) {
    ASIF_TRY(asif_folder_own(f, error));
    return asif_os_make_folder(f->staged, NULL, error);
}

/* ---- interrupted fits ---- */

asif_status asif_folder_begun(char *key, const asif_context *context, const char *staged, asif_error *error) {
    char *path = asif_folder_join(context, staged, ASIF_FOLDER_BEGUN), *text = NULL;
    uint64_t length = 0;
    asif_status status = path ? ASIF_OK : asif_fail_memory(error);
    const size_t head = sizeof FIRST_LINE - 1;
    key[0] = 0;
    if (path && asif_os_look(path) == ASIF_OS_FILE)
        status = asif_os_read_small(&text, &length, context, path, MOST_NOTE, error);
    if (text && length == head + ASIF_DIGEST_SIZE && strncmp(text, FIRST_LINE, head) == 0) {
        memcpy(key, text + head, ASIF_DIGEST_SIZE - 1);
        key[ASIF_DIGEST_SIZE - 1] = 0;
    }
    asif_free(context, text);
    asif_free(context, path);
    return status;
}

static asif_status write_begun(const asif_folder *f, const char *key, asif_error *error) {
    char text[sizeof FIRST_LINE + ASIF_DIGEST_SIZE + 1];
    char *path = asif_folder_join(f->context, f->staged, ASIF_FOLDER_BEGUN);
    asif_format(text, sizeof text, FIRST_LINE "%s\n", key);
    asif_status status =
        path ? asif_file_write(f->context, path, text, strlen(text), NULL, error) : asif_fail_memory(error);
    asif_free(f->context, path);
    return status;
}

static asif_status has_checkpoints(bool *out, const asif_folder *f, asif_error *error) {
    asif_os_names names;
    *out = false;
    if (asif_os_look(f->staged) != ASIF_OS_FOLDER)
        return ASIF_OK;
    asif_status status = asif_os_list(&names, f->context, f->staged, error);
    for (uint64_t i = 0; i < names.count; i++)
        *out |= strncmp(names.name[i], ASIF_FOLDER_CHECKPOINT, sizeof ASIF_FOLDER_CHECKPOINT - 1) == 0;
    asif_os_names_free(&names, f->context);
    return status;
}

static asif_status refuse_begun(const asif_folder *f, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "this folder holds a fit that was interrupted, of another study, other logs or other options");
    asif_error_at(error, f->path, 0, 0);
    asif_error_hint(error, "choose another folder, or add --force to begin again");
    return ASIF_EINVALID;
}

/* Remove what a command that was killed left of its note: it does not hold the lock. */
static void drop_note_parts(const asif_folder *f) {
    char *note = asif_folder_join(f->context, f->staged, ASIF_FOLDER_BEGUN);
    if (note)
        asif_os_remove_parts(note);
    asif_free(f->context, note);
}

/* Refuse a staging folder that is not empty and has no note by asif: it is not asif's. */
static asif_status refuse_staged(const asif_folder *f, asif_error *error) {
    asif_os_names names;
    drop_note_parts(f);
    asif_status status = asif_os_list(&names, f->context, f->staged, error);
    uint64_t count = names.count;
    asif_os_names_free(&names, f->context);
    return status == ASIF_OK && count ? asif_folder_foreign(f->staged, false, error) : status;
}

asif_status asif_folder_stage(asif_folder *f, const char *key, bool anew, asif_error *error) {
    char begun[ASIF_DIGEST_SIZE];
    bool kept = false;
    ASIF_TRY(asif_folder_begun(begun, f->context, f->staged, error));
    ASIF_TRY(has_checkpoints(&kept, f, error));
    if (!begun[0] && asif_os_look(f->staged) == ASIF_OS_FOLDER)
        ASIF_TRY(refuse_staged(f, error));
    if (begun[0] && strcmp(begun, key) == 0 && !anew) {
        f->view.resumed = kept;
        return make_staged(f, error);
    }
    if (begun[0] && !anew && kept)
        return refuse_begun(f, error);
    if (begun[0])
        ASIF_TRY(asif_folder_clear(f->context, f->staged, error));
    ASIF_TRY(make_staged(f, error));
    return write_begun(f, key, error);
}

/* ---- opening ---- */

static asif_status refuse_finished(const asif_folder *f, bool groups, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              groups ? "this folder holds the fits of groups" : "this folder holds a finished fit");
    asif_error_at(error, f->path, 0, 0);
    asif_error_hint(error, groups
                               ? "choose another folder"
                               : "`asif summary` shows it; choose another folder, or --force to replace it");
    return ASIF_EINVALID;
}

/* Clear the staging folder of a fit that was interrupted after it was in place. */
static asif_status drop_leftovers(asif_folder *f, const char *begun, asif_error *error) {
    if (!begun[0] || strcmp(begun, f->before.key) != 0)
        return ASIF_OK;
    f->view.completed = true;
    return asif_folder_clear(f->context, f->staged, error);
}

static asif_status open_one(asif_folder *f, const asif_folder_options *o, asif_error *error) {
    bool finished = f->before.key[0] != 0;
    char begun[ASIF_DIGEST_SIZE];
    if (f->before.by)
        return refuse_finished(f, true, error);
    ASIF_TRY(asif_folder_begun(begun, f->context, f->staged, error));
    if (finished && !o->force) {
        f->view.finished = strcmp(f->before.key, o->key) == 0;
        return f->view.finished ? drop_leftovers(f, begun, error) : refuse_finished(f, false, error);
    }
    for (uint32_t i = 0; o->name && o->name[i]; i++)
        ASIF_TRY(asif_folder_check(f, o->name[i], error));
    /* An interrupted fit that replaces a finished one was begun with --force; the same command continues
     * it. */
    bool goes_on = finished && strcmp(begun, o->key) == 0;
    return asif_folder_stage(f, o->key, o->force && !goes_on, error);
}

static asif_status open_folder(asif_folder *f, const asif_folder_options *o, asif_error *error) {
    bool there = false;
    f->path = asif_strdup(f->context, o->path);
    f->staged = f->path ? asif_folder_join(f->context, f->path, ASIF_FOLDER_NEW) : NULL;
    if (!f->staged)
        return asif_fail_memory(error);
    f->view.checkpoints = f->staged;
    ASIF_TRY(asif_os_make_folders(f->context, f->path, &f->made, error));
    ASIF_TRY(take_lock(f, error));
    ASIF_TRY(asif_folder_finish(f->context, f->path, &f->view.completed, error));
    ASIF_TRY(asif_folder_manifest(&f->before, &there, f->context, f->path, error));
    asif_format(f->files.key, sizeof f->files.key, "%s", o->key);
    return o->by ? asif_folder_open_groups(f, o, error) : open_one(f, o, error);
}

asif_status asif_folder_open(asif_folder **out, const asif_context *context,
                             const asif_folder_options *options, asif_error *error) {
    *out = NULL;
    if (!options || options->struct_size != sizeof *options || !options->path || !*options->path ||
        !options->key || strlen(options->key) != ASIF_DIGEST_SIZE - 1)
        return asif_fail(error, ASIF_EDOMAIN, "a folder of results needs a path and a key");
    asif_folder *f = ASIF_NEW(context, asif_folder);
    if (!f)
        return asif_fail_memory(error);
    f->context = context;
    f->before.context = f->files.context = context;
    asif_status status = open_folder(f, options, error);
    if (status != ASIF_OK) {
        asif_folder_close(f);
        return status;
    }
    *out = f;
    return ASIF_OK;
}

asif_status asif_folder_get(const asif_folder *folder, asif_folder_view *view, asif_error *error) {
    if (!view || view->struct_size == 0 || view->struct_size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view of a folder has an unknown size");
    size_t size = view->struct_size;
    memcpy(view, &folder->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

/* ---- writing ---- */

asif_status asif_folder_put(asif_folder *f, const char *name, const char *bytes, uint64_t length,
                            asif_error *error) {
    ASIF_TRY(asif_manifest_add(&f->files, name, bytes, length, error));
    char *path = asif_folder_join(f->context, f->staged, name);
    asif_status status =
        path ? asif_file_write(f->context, path, bytes, length, NULL, error) : asif_fail_memory(error);
    asif_free(f->context, path);
    return status;
}

asif_status asif_folder_commit(asif_folder *f, asif_error *error) {
    bool finished = false;
    for (uint64_t i = 0; i < f->files.files; i++)
        ASIF_TRY(asif_folder_check(f, f->files.file[i].name, error));
    if (!f->root || strcmp(f->root, f->path) != 0) {
        ASIF_TRY(asif_folder_write_manifest(&f->files, f->staged, error));
        ASIF_TRY(asif_folder_finish(f->context, f->path, &finished, error));
    }
    f->done = true;
    return ASIF_OK;
}

/* ---- closing ---- */

/* Whether there is a commit that is not yet wholly in place: the next process that opens the folder finishes
 * it. */
static bool is_committed(const asif_folder *f) {
    char *manifest = asif_folder_join(f->context, f->staged, ASIF_MANIFEST_NAME);
    bool there = !manifest || asif_os_look(manifest) != ASIF_OS_NOTHING;
    asif_free(f->context, manifest);
    return there;
}

static void drop_hidden(asif_folder *f) {
    bool kept = is_committed(f) || (f->groups > 0 && f->root && strcmp(f->root, f->path) != 0);
    if (!kept && has_checkpoints(&kept, f, NULL) != ASIF_OK)
        kept = true;
    char *owner = asif_folder_join(f->context, f->path, ASIF_FOLDER_OWNER);
    char *hidden = asif_folder_join(f->context, f->path, ASIF_FOLDER_HIDDEN);
    char begun[ASIF_DIGEST_SIZE] = "";
    if (!kept && asif_folder_begun(begun, f->context, f->staged, NULL) == ASIF_OK && begun[0])
        (void)asif_folder_clear(f->context, f->staged, NULL);
    if (owner)
        (void)asif_os_remove(owner, NULL);
    drop_note_parts(f);
    /* A folder that is not empty stays. */
    (void)asif_os_remove_folder(f->staged, NULL);
    if (hidden)
        (void)asif_os_remove_folder(hidden, NULL);
    asif_free(f->context, owner);
    asif_free(f->context, hidden);
}

void asif_folder_close(asif_folder *f) {
    if (!f)
        return;
    if (f->locked && !f->done)
        asif_folder_close_groups(f);
    if (f->locked && f->path && f->staged)
        drop_hidden(f);
    if (f->locked)
        asif_os_lock_release(&f->lock);
    if (f->made && !f->done)
        (void)asif_os_remove_folder(f->path, NULL);
    for (uint32_t g = 0; f->group && g < f->groups; g++)
        asif_free(f->context, f->group[g]);
    asif_manifest_free(&f->before);
    asif_manifest_free(&f->files);
    void *const texts[] = {f->group, f->root, f->staged, f->path};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        asif_free(f->context, texts[i]);
    asif_free(f->context, f);
}
