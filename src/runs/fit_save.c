/* Saving a whole fit: its files are staged in the folder and then moved into place together. */
#include "runs/made.h"
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "study/study.h"

#include <string.h>

/* Save the logs as counts. Names of episodes are kept only if a table of pairs refers to them. */
static asif_status put_logs(const asif_whole_fit *w, asif_folder *folder, asif_error *error) {
    const asif_inverse_info *inverse = asif_inverse_named(w->how.inverse);
    asif_helper helper = inverse ? inverse->helper : ASIF_HELPER_NONE;
    const char *const columns[] = {asif_helper_column(helper, &w->inverse_options), NULL};
    asif_tree *nameless = NULL;
    char *bytes = NULL;
    uint64_t length = 0;
    asif_status status = ASIF_OK;
    if (helper != ASIF_HELPER_NONE && helper != ASIF_HELPER_PAIRS)
        status = asif_tree_select_units(&nameless, w->request.logs, NULL, columns, false, error);
    if (status == ASIF_OK)
        status = asif_tree_bytes(&bytes, &length, nameless ? nameless : w->request.logs, error);
    if (status == ASIF_OK)
        status = asif_folder_put(folder, "logs.tree", bytes, length, error);
    asif_free(w->context, bytes);
    asif_tree_free(nameless);
    return status;
}

static asif_status put_numbers(const asif_whole_fit *w, asif_folder *folder, asif_error *error) {
    char *text = NULL;
    ASIF_TRY(asif_whole_fit_json(&text, w, error));
    asif_status status = asif_folder_put(folder, ASIF_FIT_JSON, text, strlen(text), error);
    asif_free(w->context, text);
    return status;
}

asif_status asif_fit_save(const asif_whole_fit *fit, asif_folder *folder, const asif_fit_origin *origin,
                          asif_error *error) {
    const asif_fit_origin unknown = ASIF_FIT_ORIGIN_INIT;
    asif_fit_view view = {.struct_size = sizeof view};
    if (origin && origin->struct_size != sizeof *origin)
        return asif_fail(error, ASIF_EDOMAIN, "where the fit comes from has an unknown size");
    ASIF_TRY(asif_fit_get(fit->fit, &view, error));
    const asif_made made = {fit->context, fit->request.study, fit->request.logs, fit->how.sample.seed,
                            fit->started, fit->seconds,       view.search_sec,   view.sample_sec};
    ASIF_TRY(asif_made_put_study(&made, folder, asif_fit_names, error));
    ASIF_TRY(put_logs(fit, folder, error));
    ASIF_TRY(asif_made_put_chains(fit->context, folder, view.draws, "asif", error));
    ASIF_TRY(asif_made_put_run(&made, folder, origin ? origin : &unknown, error));
    ASIF_TRY(put_numbers(fit, folder, error));
    return asif_folder_commit(folder, error);
}
