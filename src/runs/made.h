/* What every folder of results holds beside them: the study with the files that it names, draws, and
 * `run.json`, which says what made them. */
#ifndef ASIF_SRC_RUNS_MADE_H
#define ASIF_SRC_RUNS_MADE_H

#include "asif/fit.h"

/* What was computed, and from what; borrowed. */
typedef struct {
    const asif_context *context;
    const asif_study *study;
    const asif_tree *logs;
    uint64_t seed;
    const char *started;                    /* NULL: not known */
    double seconds, search_sec, sample_sec; /* of the last two, NaN: not known */
} asif_made;

/* Whether a file that the study names is copied into a folder whose own files are `own`, NULL-terminated. */
bool asif_made_copies(const asif_study *study, const char *const *own, const char *name);
/* Open a folder for files `own`, those that the study names, and chain-K.csv of `chains` chains. `about` has
 * the path, the key and `force`. As asif_folder_open(). */
asif_status asif_made_open(asif_folder **out, const asif_context *context, asif_folder_options *about,
                           const asif_study *study, const char *const *own, uint32_t chains,
                           asif_error *error);

/* Stage files in an open folder. */
asif_status asif_made_put_study(const asif_made *made, asif_folder *folder, const char *const *own,
                                asif_error *error);
asif_status asif_made_put_run(const asif_made *made, asif_folder *folder, const asif_fit_origin *origin,
                              asif_error *error);
/* chain-K.csv of all chains, of a model of this name. `draws` NULL: nothing. */
asif_status asif_made_put_chains(const asif_context *context, asif_folder *folder, const asif_draws *draws,
                                 const char *model, asif_error *error);

#endif
