/* A folder of groups: a manifest that lists them, and for each group a folder with its fit. */
#include "fit/folder/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

#define NAME_SIZE 100

/* ---- names ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether a character may be in the name of a folder: letters, digits and a few signs. Dots are only allowed
 * before digits, so that no name is that of one of asif's files, which all have an ending. */
static bool is_plain(const char *at, bool first) {
    return (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || is_digit(*at) ||
           strchr("-+=,@", *at) || (*at == '.' && !first && is_digit(at[1]));
}

static void name_of(char out[NAME_SIZE + 16], const char *value) {
    size_t used = 0, left = strlen(value);
    while (*value && used < NAME_SIZE - 4) {
        uint32_t character, length = asif_utf8_next(value, left, &character);
        if (length > 1)
            memcpy(out + used, value, length);
        else
            out[used] = is_plain(value, used == 0) ? *value : '_';
        used += length;
        value += length;
        left -= length;
    }
    if (used == 0)
        out[used++] = '_';
    out[used] = 0;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether two names differ at most in capital letters, which some file systems ignore. */
static bool same_name(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b))
        a++, b++;
    return lower(*a) == lower(*b);
}

static asif_status add_group(asif_manifest *plan, const asif_folder_group *group, asif_error *error) {
    char name[NAME_SIZE + 16];
    uint32_t number = 1;
    name_of(name, group->value);
    size_t length = strlen(name);
    for (uint64_t g = 0; g < plan->groups; g++)
        if (same_name(plan->group[g].folder, name)) {
            asif_format(name + length, sizeof name - length, "-%u", ++number);
            g = UINT64_MAX; /* start again from the first */
        }
    return asif_manifest_add_group(plan, group->value, name, group->key, error);
}

static asif_status make_plan(asif_folder *f, const asif_folder_options *o, asif_error *error) {
    asif_sha256 hash;
    uint8_t digest[ASIF_SHA256_SIZE];
    asif_sha256_begin(&hash);
    asif_sha256_add(&hash, o->key, strlen(o->key));
    if (!(f->files.by = asif_strdup(f->context, o->by)))
        return asif_fail_memory(error);
    for (uint32_t g = 0; g < o->groups; g++) {
        ASIF_TRY(add_group(&f->files, &o->group[g], error));
        asif_sha256_add(&hash, o->group[g].key, strlen(o->group[g].key));
    }
    asif_sha256_end(&hash, digest);
    asif_sha256_text(digest, f->files.key);
    return ASIF_OK;
}

/* ---- existing groups ---- */

/* Compute whether all finished fits are among those that are wanted now, so that the missing ones can be
 * added. */
static asif_status agrees(bool *out, const asif_folder *f, asif_error *error) {
    *out = true;
    for (uint64_t g = 0; *out && g < f->before.groups; g++) {
        const asif_manifest_group *old = &f->before.group[g];
        const asif_manifest_group *wanted = asif_manifest_find_group(&f->files, old->folder);
        char *path = asif_folder_join(f->context, f->path, old->folder);
        asif_manifest made = {.context = f->context};
        bool there = false;
        asif_status status =
            path ? asif_folder_manifest(&made, &there, f->context, path, error) : asif_fail_memory(error);
        if (there)
            *out = wanted && strcmp(wanted->key, made.key) == 0;
        asif_manifest_free(&made);
        asif_free(f->context, path);
        if (status != ASIF_OK)
            return status;
    }
    return ASIF_OK;
}

static asif_status refuse(const asif_folder *f, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              f->before.by
                  ? "this folder holds finished fits of groups, of another study, other logs or other options"
                  : "this folder holds a finished fit, not groups");
    asif_error_at(error, f->path, 0, 0);
    asif_error_hint(error, f->before.by ? "choose another folder, or --force to replace them"
                                        : "choose another folder");
    return ASIF_EINVALID;
}

static asif_status name_groups(asif_folder *f, const char *root, asif_error *error) {
    f->root = asif_strdup(f->context, root);
    f->group = ASIF_ARRAY(f->context, f->files.groups, char *);
    if (!f->root || !f->group)
        return asif_fail_memory(error);
    for (; f->groups < f->files.groups; f->groups++)
        if (!(f->group[f->groups] = asif_folder_join(f->context, root, f->files.group[f->groups].folder)))
            return asif_fail_memory(error);
    f->view.groups = f->groups;
    f->view.group = (const char *const *)f->group;
    return ASIF_OK;
}

/* Adds groups to the existing ones; with --force, all are made in the staging folder and moved in at the
 * end. */
asif_status asif_folder_open_groups(asif_folder *f, const asif_folder_options *o, asif_error *error) {
    bool good = true, there = f->before.key[0] != 0;
    ASIF_TRY(make_plan(f, o, error));
    if (there && !f->before.by)
        return refuse(f, error);
    if (!there)
        ASIF_TRY(asif_folder_check(f, "fit.json", error));
    if (there && o->force) {
        char begun[ASIF_DIGEST_SIZE];
        ASIF_TRY(asif_folder_begun(begun, f->context, f->staged, error));
        /* If the staged fits are those in place, they only had to be cleared away, and nothing is
         * continued. */
        bool goes_on = strcmp(begun, f->files.key) == 0 && strcmp(begun, f->before.key) != 0;
        ASIF_TRY(asif_folder_stage(f, f->files.key, !goes_on, error));
        return name_groups(f, f->staged, error);
    }
    ASIF_TRY(agrees(&good, f, error));
    if (!good)
        return refuse(f, error);
    f->planned = !there;
    ASIF_TRY(asif_folder_own(f, error));
    ASIF_TRY(name_groups(f, f->path, error));
    return asif_folder_write_manifest(&f->files, f->path, error);
}

void asif_folder_close_groups(asif_folder *f) {
    bool any = !f->planned || !f->root;
    for (uint32_t g = 0; g < f->groups; g++)
        any |= asif_os_look(f->group[g]) != ASIF_OS_NOTHING;
    char *manifest = any ? NULL : asif_folder_join(f->context, f->path, ASIF_MANIFEST_NAME);
    if (manifest)
        (void)asif_os_remove(manifest, NULL);
    asif_free(f->context, manifest);
}
