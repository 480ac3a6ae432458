/* The folder of a fit, which only folder*.c write and read. See asif_folder in asif/fit.h for what is
 * where. */
#ifndef ASIF_SRC_FIT_FOLDER_FOLDER_H
#define ASIF_SRC_FIT_FOLDER_FOLDER_H

#include "base/os.h"
#include "fit/folder/manifest.h"

#define ASIF_FOLDER_HIDDEN ".asif"
#define ASIF_FOLDER_NEW ASIF_FOLDER_HIDDEN "/new" /* what is being made */
#define ASIF_FOLDER_OWNER ASIF_FOLDER_HIDDEN "/owner"
#define ASIF_FOLDER_BEGUN "begun" /* the file in the staging folder that holds the key of the fit */
#define ASIF_FOLDER_CHECKPOINT "checkpoint-"

struct asif_folder {
    const asif_context *context;
    char *path, *staged; /* DIR and DIR/.asif/new */
    char *root;   /* for groups: the folder in which theirs are made, either DIR or the staging folder */
    char **group; /* [groups]: paths of their folders */
    uint32_t groups;
    bool made;    /* DIR was not there before */
    bool planned; /* of groups in DIR: there was no manifest before */
    bool done;    /* it was put in place */
    bool locked;
    asif_os_lock lock;
    asif_manifest before; /* of what is in DIR; its key is "" if nothing is */
    asif_manifest files;  /* of what is staged */
    asif_folder_view view;
};

/* ---- folder.c ---- */
/* "folder/name", owned by the caller; NULL: no memory. */
char *asif_folder_join(const asif_context *context, const char *folder, const char *name);
/* Refuse: a file of the user has a name that asif needs. */
asif_status asif_folder_foreign(const char *path, bool changed, asif_error *error);
/* The manifest in a folder; *there is false, and `out` empty, if it has none. Free `out` in any case. */
asif_status asif_folder_manifest(asif_manifest *out, bool *there, const asif_context *context,
                                 const char *folder, asif_error *error);
asif_status asif_folder_write_manifest(const asif_manifest *manifest, const char *folder, asif_error *error);
/* Say in the folder who holds its lock. */
asif_status asif_folder_own(const asif_folder *folder, asif_error *error);
/* The key of what was begun in a staging folder; "": nothing was. */
asif_status asif_folder_begun(char *key, const asif_context *context, const char *staged, asif_error *error);
/* Begin a fit in the staging folder, or continue one with the same key. Another fit there is cleared if
 * `anew`, and refused otherwise. */
asif_status asif_folder_stage(asif_folder *folder, const char *key, bool anew, asif_error *error);

/* ---- folder_place.c ---- */
/* A file that is asif's, unchanged, or that is not there, may be replaced; any other is refused. */
asif_status asif_folder_check(const asif_folder *folder, const char *name, asif_error *error);
/* Finish what was committed, if something was: move it into the folder and clear the staging folder. */
asif_status asif_folder_finish(const asif_context *context, const char *path, bool *finished,
                               asif_error *error);
/* Remove a folder with all that is in it; one that is not there is fine. Only for folders of asif's own. */
asif_status asif_folder_clear(const asif_context *context, const char *path, asif_error *error);

/* ---- folder_groups.c ---- */
asif_status asif_folder_open_groups(asif_folder *folder, const asif_folder_options *options,
                                    asif_error *error);
/* Remove the plan of groups if none of them was begun. */
void asif_folder_close_groups(asif_folder *folder);

/* ---- folder_find.c ---- */
/* Where a folder is to be read: itself, or its staging folder if that was committed and not yet moved;
 * owned by the caller. `stamp` ([ASIF_DIGEST_SIZE]; may be NULL) is that of its manifest: as long as both
 * are the same, so are the files. */
asif_status asif_folder_where(char **out, char *stamp, const asif_context *context, const char *path,
                              asif_error *error);

#endif
