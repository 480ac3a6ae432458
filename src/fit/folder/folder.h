/* The folder of a fit, which only folder*.c write and read. See asif_folder in asif/fit.h for its
 * contents. */
#ifndef ASIF_SRC_FIT_FOLDER_FOLDER_H
#define ASIF_SRC_FIT_FOLDER_FOLDER_H

#include "base/os.h"
#include "fit/folder/manifest.h"

#define ASIF_FOLDER_HIDDEN ".asif"
#define ASIF_FOLDER_NEW ASIF_FOLDER_HIDDEN "/new" /* the staging folder */
#define ASIF_FOLDER_OWNER ASIF_FOLDER_HIDDEN "/owner"
#define ASIF_FOLDER_BEGUN "begun" /* the file in the staging folder that holds the key of the fit */
#define ASIF_FOLDER_CHECKPOINT "checkpoint-"

struct asif_folder {
    const asif_context *context;
    char *path, *staged; /* DIR and DIR/.asif/new */
    char *root;          /* for groups: the folder that contains theirs, either DIR or the staging folder */
    char **group;        /* [groups]: paths of the groups' folders */
    uint32_t groups;
    bool made;    /* asif created DIR */
    bool planned; /* groups in DIR: it had no manifest before */
    bool done;    /* the fit is in place */
    bool locked;
    asif_os_lock lock;
    asif_manifest before; /* manifest of DIR; its key is "" if there is none */
    asif_manifest files;  /* manifest of the staged files */
    asif_folder_view view;
};

/* ---- folder.c ---- */
/* "folder/name", owned by the caller; NULL: no memory. */
char *asif_folder_join(const asif_context *context, const char *folder, const char *name);
/* Set the error for a user's file that has a name which asif needs; `changed`: asif wrote it, and the user
 * changed it. Returns ASIF_EINVALID. */
asif_status asif_folder_foreign(const char *path, bool changed, asif_error *error);
/* Read the manifest of a folder; *there is false, and `out` empty, if it has none. Fails with ASIF_EINVALID
 * (a file of that name is not a manifest), ASIF_EIO or ASIF_ENOMEM. Free `out` in any case. */
asif_status asif_folder_manifest(asif_manifest *out, bool *there, const asif_context *context,
                                 const char *folder, asif_error *error);
/* Write the manifest of a folder, replacing an old one. */
asif_status asif_folder_write_manifest(const asif_manifest *manifest, const char *folder, asif_error *error);
/* Write into the folder which process holds its lock. */
asif_status asif_folder_own(const asif_folder *folder, asif_error *error);
/* Read the key of the fit that was begun in a staging folder; "": none. */
asif_status asif_folder_begun(char *key, const asif_context *context, const char *staged, asif_error *error);
/* Begin a fit in the staging folder, or continue one with the same key. Another fit there is cleared if
 * `anew`, and refused otherwise. */
asif_status asif_folder_stage(asif_folder *folder, const char *key, bool anew, asif_error *error);

/* ---- folder_place.c ---- */
/* Check that a file may be replaced: asif wrote it and nobody changed it, or it does not exist. Any other is
 * refused with ASIF_EINVALID. */
asif_status asif_folder_check(const asif_folder *folder, const char *name, asif_error *error);
/* Finish a commit, if one was begun: move the staged files into the folder and clear the staging folder. */
asif_status asif_folder_finish(const asif_context *context, const char *path, bool *finished,
                               asif_error *error);
/* Remove a folder and all that is in it; it need not exist. Only for folders of asif's own. */
asif_status asif_folder_clear(const asif_context *context, const char *path, asif_error *error);

/* ---- folder_groups.c ---- */
/* Plan the folders of the groups, and refuse a folder that holds other fits (ASIF_EINVALID). The plan is
 * written to DIR at once, unless --force replaces finished groups: these are made in the staging folder. */
asif_status asif_folder_open_groups(asif_folder *folder, const asif_folder_options *options,
                                    asif_error *error);
/* Remove the plan of groups if none of them was begun. */
void asif_folder_close_groups(asif_folder *folder);

/* ---- folder_find.c ---- */
/* Find the folder from which a fit is read: itself, or its staging folder if that is committed and not yet
 * moved. @param[out] out Owned by the caller. @param[out] stamp [ASIF_DIGEST_SIZE]: digest of the manifest;
 * may be NULL. As long as both stay the same, so do the files. Fails with ASIF_ENOMEM. */
asif_status asif_folder_where(char **out, char *stamp, const asif_context *context, const char *path,
                              asif_error *error);
/* Fail with ASIF_EINVALID: the folder holds a population, and a fit is needed. */
asif_status asif_fail_people(const char *folder, asif_error *error);

#endif
