/* The manifest of a folder of results: the files in it that asif wrote, and their digests at that time. */
#ifndef ASIF_SRC_FIT_FOLDER_MANIFEST_H
#define ASIF_SRC_FIT_FOLDER_MANIFEST_H

#include "asif/fit.h"

#define ASIF_MANIFEST_NAME "manifest.json"

typedef struct {
    char *name; /* name inside the folder, see asif_manifest_plain() */
    uint64_t bytes;
    char digest[ASIF_DIGEST_SIZE];
} asif_manifest_file;

typedef struct {
    char *value, *folder;
    char key[ASIF_DIGEST_SIZE];
} asif_manifest_group;

/* The manifest of one fit lists files. The manifest of groups lists their folders, each of which has a
 * manifest of its own when it is finished. */
typedef struct {
    const asif_context *context;
    char key[ASIF_DIGEST_SIZE];
    asif_manifest_file *file;
    uint64_t files, file_room;
    char *by; /* column of the groups; NULL: one fit */
    asif_manifest_group *group;
    uint64_t groups, group_room;
} asif_manifest;

/* Whether a name stays in its folder and is not hidden: no slash, no backslash, no control character, no dot
 * at its beginning. */
bool asif_manifest_plain(const char *name);
/* Add a file with the digest of its contents; an entry of the same name is replaced. Fails with ASIF_EDOMAIN
 * (the name is not plain) or ASIF_ENOMEM. */
asif_status asif_manifest_add(asif_manifest *manifest, const char *name, const void *bytes, uint64_t length,
                              asif_error *error);
/* Add a group with the name of its folder and the key of its fit. Fails with ASIF_ENOMEM. */
asif_status asif_manifest_add_group(asif_manifest *manifest, const char *value, const char *folder,
                                    const char *key, asif_error *error);
/* Find an entry by its name; NULL: there is none. */
const asif_manifest_file *asif_manifest_find(const asif_manifest *manifest, const char *name);
const asif_manifest_group *asif_manifest_find_group(const asif_manifest *manifest, const char *folder);
/* Write a manifest as JSON. @param[out] out Owned by the caller. */
asif_status asif_manifest_text(char **out, uint64_t *length, const asif_manifest *manifest,
                               asif_error *error);
/* Read a manifest from JSON. Fails with ASIF_EPARSE (it is not a manifest of asif's) or ASIF_ENOMEM. Free
 * `out` in any case. */
asif_status asif_manifest_read(asif_manifest *out, const asif_context *context, const char *text,
                               uint64_t length, const char *path, asif_error *error);
void asif_manifest_free(asif_manifest *manifest);

#endif
