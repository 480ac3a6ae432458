/* The contents of a folder: one fit or fits of groups, finished or not, and the folder from which each is
 * read. */
#include "fit/folder/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit.h"
#include "logs/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 12 /* most groups that a message names */

struct asif_fits {
    const asif_context *context;
    asif_fits_view view;
    asif_fits_one *fit;
    uint64_t fits, room;
    char *by;
    char **file;
    uint64_t files, file_room;
};

static bool has(const asif_context *context, const char *folder, const char *name, asif_os_kind kind) {
    char *path = asif_folder_join(context, folder, name);
    bool there = path && asif_os_look(path) == kind;
    asif_free(context, path);
    return there;
}

asif_status asif_folder_where(char **out, char *stamp, const asif_context *context, const char *path,
                              asif_error *error) {
    bool moved = !has(context, path, ASIF_FOLDER_NEW "/" ASIF_MANIFEST_NAME, ASIF_OS_FILE);
    *out = moved ? asif_strdup(context, path) : asif_folder_join(context, path, ASIF_FOLDER_NEW);
    char *manifest = *out && stamp ? asif_folder_join(context, *out, ASIF_MANIFEST_NAME) : NULL;
    if (stamp && (!manifest || asif_digest_file(stamp, manifest, NULL) != ASIF_OK))
        stamp[0] = 0;
    bool enough = *out && (manifest || !stamp);
    asif_free(context, manifest);
    return enough ? ASIF_OK : asif_fail_memory(error);
}

bool asif_folder_has_people(const asif_context *context, const char *folder) {
    char *where = NULL;
    bool people = folder && asif_folder_where(&where, NULL, context, folder, NULL) == ASIF_OK &&
                  has(context, where, ASIF_PEOPLE_JSON, ASIF_OS_FILE) &&
                  !has(context, where, ASIF_FIT_JSON, ASIF_OS_FILE);
    asif_free(context, where);
    return people;
}

asif_status asif_fail_people(const char *folder, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "%.100s holds a population of `asif people`, not the fit of one agent",
              asif_show(folder).text);
    asif_error_hint(error, "`asif summary` and `asif report` describe it; its units.csv has everybody");
    return ASIF_EINVALID;
}

asif_status asif_fit_read(char **out, uint64_t *length, const asif_context *context, const char *folder,
                          const char *name, asif_error *error) {
    char *where = NULL;
    *out = NULL;
    if (!folder || !name)
        return asif_fail_null(error, folder ? "name of a file" : "path of a folder");
    asif_status status = asif_folder_where(&where, NULL, context, folder, error);
    char *path = where ? asif_folder_join(context, where, name) : NULL;
    if (status == ASIF_OK)
        status = path ? asif_os_read_file(out, length, context, path, error) : asif_fail_memory(error);
    asif_free(context, where);
    asif_free(context, path);
    return status;
}

/* ---- groups ---- */

static void free_text(const asif_context *context, const char *text) {
    asif_free(context, (void *)(uintptr_t)text);
}

static asif_status add_fit(asif_fits *out, const char *where, const char *folder, const char *value,
                           bool finished, asif_error *error) {
    if (!asif_grow(out->context, &out->fit, out->fits, &out->room, sizeof *out->fit))
        return asif_fail_memory(error);
    asif_fits_one *one = &out->fit[out->fits++];
    bool itself = strcmp(folder, ".") == 0;
    *one = (asif_fits_one){
        asif_strdup(out->context, folder), asif_strdup(out->context, value),
        itself ? asif_strdup(out->context, where) : asif_folder_join(out->context, where, folder), finished};
    return one->name && one->value && one->path ? ASIF_OK : asif_fail_memory(error);
}

static asif_status add_file(asif_fits *out, const char *folder, const char *name, asif_error *error) {
    if (!asif_grow(out->context, &out->file, out->files, &out->file_room, sizeof *out->file))
        return asif_fail_memory(error);
    char *path = out->file[out->files++] = asif_folder_join(out->context, folder, name);
    return path ? ASIF_OK : asif_fail_memory(error);
}

/* Add the files in a folder that are asif's: those that its manifest names, and those that every version
 * wrote. */
static asif_status add_files(asif_fits *out, const char *folder, const asif_manifest *manifest,
                             asif_error *error) {
    static const char *const always[] = {ASIF_MANIFEST_NAME, ASIF_FIT_JSON, "study.yaml", "logs.tree",
                                         "run.json"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        ASIF_TRY(add_file(out, folder, always[i], error));
    for (uint64_t i = 0; i < manifest->files; i++)
        ASIF_TRY(add_file(out, folder, manifest->file[i].name, error));
    return ASIF_OK;
}

/* Add a group. It is finished if its folder holds the fit that the list of groups names. */
static asif_status find_group(asif_fits *out, const char *where, const asif_manifest_group *group,
                              asif_error *error) {
    char *path = asif_folder_join(out->context, where, group->folder), *inside = NULL;
    asif_manifest made = {.context = out->context};
    bool there = false;
    asif_status status =
        path ? asif_folder_where(&inside, NULL, out->context, path, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_folder_manifest(&made, &there, out->context, inside, error);
    if (status == ASIF_OK)
        status = add_fit(out, where, group->folder, group->value, there && strcmp(made.key, group->key) == 0,
                         error);
    if (status == ASIF_OK)
        status = add_files(out, inside, &made, error);
    asif_manifest_free(&made);
    asif_free(out->context, path);
    asif_free(out->context, inside);
    return status;
}

static asif_status find_groups(asif_fits *out, const char *where, const asif_manifest *manifest,
                               asif_error *error) {
    out->view.grouped = true;
    if (!(out->by = asif_strdup(out->context, manifest->by)))
        return asif_fail_memory(error);
    for (uint64_t g = 0; g < manifest->groups; g++)
        ASIF_TRY(find_group(out, where, &manifest->group[g], error));
    return ASIF_OK;
}

/* ---- folders without a manifest, as version 0.1 wrote them ---- */

static int natural(const void *a, const void *b) {
    const char *x = ((const asif_fits_one *)a)->name, *y = ((const asif_fits_one *)b)->name;
    return asif_natural_order(x, strlen(x), y, strlen(y));
}

static asif_status find_unlisted(asif_fits *out, const char *where, asif_error *error) {
    asif_os_names names;
    const asif_manifest nothing = {.context = out->context};
    char *itself = asif_folder_join(out->context, where, "."); /* follows a link to a folder */
    if (!itself)
        return asif_fail_memory(error);
    bool folder = asif_os_look(itself) == ASIF_OS_FOLDER;
    asif_free(out->context, itself);
    if (!folder)
        return ASIF_OK;
    asif_status status = asif_os_list(&names, out->context, where, error);
    for (uint64_t i = 0; status == ASIF_OK && i < names.count; i++) {
        char *inside = names.name[i][0] == '.' ? NULL : asif_folder_join(out->context, where, names.name[i]);
        if (inside && has(out->context, inside, ASIF_FIT_JSON, ASIF_OS_FILE)) {
            status = add_fit(out, where, names.name[i], names.name[i], true, error);
            if (status == ASIF_OK)
                status = add_files(out, inside, &nothing, error);
        }
        asif_free(out->context, inside);
    }
    asif_os_names_free(&names, out->context);
    out->view.grouped = out->fits > 0;
    if (out->fits)
        qsort(out->fit, out->fits, sizeof *out->fit, natural);
    return status;
}

/* ---- the whole folder ---- */

static asif_status find(asif_fits *out, const char *path, asif_error *error) {
    char *where = NULL;
    asif_manifest manifest = {.context = out->context};
    bool there = false;
    asif_status status = asif_folder_where(&where, NULL, out->context, path, error);
    if (status == ASIF_OK)
        status = asif_folder_manifest(&manifest, &there, out->context, where, error);
    if (status == ASIF_EINVALID)
        status = ASIF_OK; /* a user's file has this name: as if there were no manifest */
    out->view.listed = there;
    bool one = there || (status == ASIF_OK && has(out->context, where, ASIF_FIT_JSON, ASIF_OS_FILE));
    if (status == ASIF_OK && one)
        status = add_files(out, where, &manifest, error);
    if (status == ASIF_OK && manifest.by)
        status = find_groups(out, where, &manifest, error);
    else if (status == ASIF_OK && one)
        status = add_fit(out, path, ".", "", true, error);
    else if (status == ASIF_OK)
        status = find_unlisted(out, where, error);
    char begun[ASIF_DIGEST_SIZE] = "", *staged = asif_folder_join(out->context, path, ASIF_FOLDER_NEW);
    if (status == ASIF_OK)
        status = staged ? asif_folder_begun(begun, out->context, staged, error) : asif_fail_memory(error);
    out->view.begun = begun[0] != 0;
    out->view.left = !begun[0] && has(out->context, path, ASIF_FOLDER_HIDDEN, ASIF_OS_FOLDER);
    asif_manifest_free(&manifest);
    asif_free(out->context, where);
    asif_free(out->context, staged);
    return status;
}

asif_status asif_fits_find(asif_fits **out, const asif_context *context, const char *path,
                           asif_error *error) {
    *out = NULL;
    if (!path)
        return asif_fail_null(error, "path of a folder");
    if (asif_folder_has_people(context, path))
        return asif_fail_people(path, error);
    asif_fits *fits = ASIF_NEW(context, asif_fits);
    if (!fits)
        return asif_fail_memory(error);
    fits->context = context;
    asif_status status = find(fits, path, error);
    if (status != ASIF_OK) {
        asif_fits_free(fits);
        return status;
    }
    fits->view.by = fits->by;
    fits->view.fit = fits->fit;
    fits->view.fits = (uint32_t)fits->fits;
    fits->view.file = (const char *const *)fits->file;
    fits->view.files = (uint32_t)fits->files;
    for (uint64_t i = 0; i < fits->fits; i++)
        fits->view.finished += fits->fit[i].finished;
    *out = fits;
    return ASIF_OK;
}

asif_status asif_fits_get(const asif_fits *fits, asif_fits_view *view, asif_error *error) {
    if (!view || view->struct_size == 0 || view->struct_size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view of fits has an unknown size");
    size_t size = view->struct_size;
    memcpy(view, &fits->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

/* Add a note that names unfinished groups. */
static void name_unfinished(const asif_fits_view *view, const char *folder, asif_problems *problems) {
    asif_error note = ASIF_ERROR_INIT;
    uint32_t listed = 0, missing = view->fits - view->finished;
    int used = asif_format(note.message, sizeof note.message,
                           "%" PRIu32 " of the %" PRIu32 " groups in %s %s not finished:", missing,
                           view->fits, asif_show(folder).text, missing == 1 ? "is" : "are");
    for (uint32_t i = 0; i < view->fits && listed < LISTED && used + 40 < (int)sizeof note.message; i++)
        if (!view->fit[i].finished)
            used += asif_format(note.message + used, sizeof note.message - (size_t)used, "%s %.30s",
                                listed++ ? "," : "", view->fit[i].value);
    if (missing > listed)
        asif_format(note.message + used, sizeof note.message - (size_t)used, ", ...");
    asif_error_hint(&note, "they are left out here; the same `asif fit` makes them");
    asif_problems_add(problems, ASIF_PROBLEM_NOTE, &note);
}

asif_status asif_fits_check(const asif_fits *fits, const char *folder, bool grouped, asif_problems *problems,
                            asif_error *error) {
    const asif_fits_view *view = &fits->view;
    bool begun = view->begun || view->fits;
    if (view->finished) {
        if (view->finished < view->fits)
            name_unfinished(view, folder, problems);
        return ASIF_OK;
    }
    asif_fail(error, ASIF_EINVALID, "%s holds no %sfit", asif_show(folder).text, begun ? "finished " : "");
    if (begun)
        asif_error_hint(error, "the same `asif fit` goes on from where it was");
    else
        asif_error_hint(error, "asif fit STUDY LOGS -o %s%s makes %s", asif_show(folder).text,
                        grouped ? " --by COLUMN" : "", grouped ? "groups to compare" : "one");
    return ASIF_EINVALID;
}

void asif_fits_free(asif_fits *fits) {
    if (!fits)
        return;
    for (uint64_t i = 0; i < fits->fits; i++) {
        free_text(fits->context, fits->fit[i].name);
        free_text(fits->context, fits->fit[i].value);
        free_text(fits->context, fits->fit[i].path);
    }
    for (uint64_t i = 0; i < fits->files; i++)
        asif_free(fits->context, fits->file[i]);
    asif_free(fits->context, fits->file);
    asif_free(fits->context, fits->fit);
    asif_free(fits->context, fits->by);
    asif_free(fits->context, fits);
}
