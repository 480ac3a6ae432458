/* Defaults of all public structs, for languages that have no macros. */
#include "asif/ask.h"
#include "asif/behavior.h"
#include "asif/database.h"
#include "asif/dynamics.h"
#include "asif/files.h"
#include "asif/fit.h"
#include "asif/learn.h"
#include "asif/people.h"
#include "asif/report.h"

#include "base/error.h"

#include <string.h>

#define STRUCTS(X)                                                                                           \
    X(asif_asked, ASIF_ASKED_INIT)                                                                           \
    X(asif_context_options, ASIF_CONTEXT_OPTIONS_INIT)                                                       \
    X(asif_courses_request, ASIF_COURSES_REQUEST_INIT)                                                       \
    X(asif_database_request, ASIF_DATABASE_REQUEST_INIT)                                                     \
    X(asif_dynamics_draw_options, ASIF_DYNAMICS_DRAW_OPTIONS_INIT)                                           \
    X(asif_dynamics_options, ASIF_DYNAMICS_OPTIONS_INIT)                                                     \
    X(asif_dynamics_spec, ASIF_DYNAMICS_SPEC_INIT)                                                           \
    X(asif_error, ASIF_ERROR_INIT)                                                                           \
    X(asif_fit_origin, ASIF_FIT_ORIGIN_INIT)                                                                 \
    X(asif_fit_request, ASIF_FIT_REQUEST_INIT)                                                               \
    X(asif_fitted, ASIF_FITTED_INIT)                                                                         \
    X(asif_folder_options, ASIF_FOLDER_OPTIONS_INIT)                                                         \
    X(asif_inverse_options, ASIF_INVERSE_OPTIONS_INIT)                                                       \
    X(asif_key_parts, ASIF_KEY_PARTS_INIT)                                                                   \
    X(asif_learn_options, ASIF_LEARN_OPTIONS_INIT)                                                           \
    X(asif_loglik_options, ASIF_LOGLIK_OPTIONS_INIT)                                                         \
    X(asif_logs_options, ASIF_LOGS_OPTIONS_INIT)                                                             \
    X(asif_logs_request, ASIF_LOGS_REQUEST_INIT)                                                             \
    X(asif_maximise_options, ASIF_MAXIMISE_OPTIONS_INIT)                                                     \
    X(asif_output_options, ASIF_OUTPUT_OPTIONS_INIT)                                                         \
    X(asif_page_request, ASIF_PAGE_REQUEST_INIT)                                                             \
    X(asif_people_options, ASIF_PEOPLE_OPTIONS_INIT)                                                         \
    X(asif_plan_options, ASIF_PLAN_OPTIONS_INIT)                                                             \
    X(asif_plan_request, ASIF_PLAN_REQUEST_INIT)                                                             \
    X(asif_report_options, ASIF_REPORT_OPTIONS_INIT)                                                         \
    X(asif_sample_options, ASIF_SAMPLE_OPTIONS_INIT)                                                         \
    X(asif_setting_spec, ASIF_SETTING_SPEC_INIT)                                                             \
    X(asif_simulate_options, ASIF_SIMULATE_OPTIONS_INIT)                                                     \
    X(asif_target_options, ASIF_TARGET_OPTIONS_INIT)                                                         \
    X(asif_view, ASIF_VIEW_INIT)

/* The values, each a constant with the name of its struct. */
#define X(type, init) static const type default_##type = init;
STRUCTS(X)
#undef X

typedef struct {
    const char *name;
    size_t size;
    const void *value;
} entry;

#define X(type, init) {#type, sizeof(type), &default_##type},
static const entry entries[] = {STRUCTS(X)};
#undef X

asif_status asif_defaults(void *out, size_t size, const char *type, asif_error *error) {
    const entry *found = NULL;
    for (size_t i = 0; type && i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].name, type) == 0)
            found = &entries[i];
    if (!found)
        return asif_fail(error, ASIF_EUNKNOWN, "there is no struct `%s` with defaults", type ? type : "");
    if (!out || size == 0 || size > found->size)
        return asif_fail(error, ASIF_EDOMAIN, "`%s` has %zu bytes, and at most as many can be filled", type,
                         found->size);
    memcpy(out, found->value, size);
    if (found->value != &default_asif_error && size >= sizeof size)
        memcpy(out, &size, sizeof size); /* struct_size, which is the first member of all others */
    return ASIF_OK;
}
