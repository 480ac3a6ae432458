/* Saving a population: its files are staged in the folder and then moved into place together. */
#include "runs/made.h"

#include "base/error.h"
#include "base/memory.h"
#include "people/people.h"

#include <math.h>
#include <string.h>

static const char *const own_names[] = {"study.yaml",    "run.json",        ASIF_PEOPLE_JSON,
                                        ASIF_PEOPLE_CSV, ASIF_PEOPLE_TABLE, NULL};

asif_status asif_people_open(asif_folder **out, const asif_context *context, const asif_study *study,
                             uint32_t chains, const char *key, const char *path, bool force,
                             asif_error *error) {
    asif_folder_options about = ASIF_FOLDER_OPTIONS_INIT;
    *out = NULL;
    about.path = path;
    about.key = key;
    about.force = force;
    return asif_made_open(out, context, &about, study, own_names, chains, error);
}

static asif_status put(asif_folder *folder, const char *name, const asif_people *people,
                       asif_status write(char **out, const asif_people *people, asif_error *error),
                       asif_error *error) {
    char *text = NULL;
    asif_status status = write(&text, people, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, name, text, strlen(text), error);
    asif_free(people->context, text);
    return status;
}

asif_status asif_people_save(const asif_people *people, const asif_study *study, asif_folder *folder,
                             const asif_fit_origin *origin, asif_error *error) {
    const asif_fit_origin unknown = ASIF_FIT_ORIGIN_INIT;
    if (origin && origin->struct_size != sizeof *origin)
        return asif_fail(error, ASIF_EDOMAIN, "where the population comes from has an unknown size");
    const asif_made made = {people->context, study,           people->tree, people->options.seed,
                            people->started, people->seconds, NAN,          NAN};
    ASIF_TRY(asif_made_put_study(&made, folder, own_names, error));
    ASIF_TRY(put(folder, ASIF_PEOPLE_JSON, people, asif_people_json, error));
    if (people->view.usable) {
        ASIF_TRY(put(folder, ASIF_PEOPLE_CSV, people, asif_people_csv, error));
        ASIF_TRY(put(folder, ASIF_PEOPLE_TABLE, people, asif_people_table, error));
        ASIF_TRY(asif_made_put_chains(people->context, folder, people->view.draws, "population", error));
    }
    ASIF_TRY(asif_made_put_run(&made, folder, origin ? origin : &unknown, error));
    return asif_folder_commit(folder, error);
}
