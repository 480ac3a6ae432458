/* Changes to a study from the outside: values of parameters, and columns of a table. */
#include "asif/ask.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

#define NAME_SIZE 128

/* Split "NAME=VALUE"; false if the text has another form, or the name is too long. */
static bool split(const char *text, char name[NAME_SIZE], const char **value) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= NAME_SIZE)
        return false;
    memcpy(name, text, length);
    name[length] = 0;
    *value = equals + 1;
    return true;
}

/* ---- values ---- */

asif_status asif_study_values(asif_theta **out, const asif_study *study, const char *const *pair,
                              uint32_t pairs, asif_error *error) {
    asif_status status = asif_theta_copy(out, asif_study_theta(study), error);
    for (uint32_t i = 0; status == ASIF_OK && i < pairs; i++) {
        char name[NAME_SIZE];
        const char *value = NULL;
        if (split(pair[i], name, &value)) {
            status = asif_theta_set_text(*out, name, value, error);
        } else {
            status =
                asif_fail(error, ASIF_EINVALID, "-p wants NAME=VALUE, not '%s'", asif_show(pair[i]).text);
            asif_error_hint(error, "for example -p alpha=0.5");
        }
    }
    if (status == ASIF_OK)
        return ASIF_OK;
    asif_theta_free(*out);
    *out = NULL;
    return status;
}

const char *asif_estimated_name(const char *name) {
    return strcmp(name, "beta") == 0 ? "optimism" : name;
}

static bool is_given(const char *name, const char *const *pair, uint32_t pairs) {
    char given[NAME_SIZE];
    const char *value;
    for (uint32_t i = 0; i < pairs; i++)
        if (split(pair[i], given, &value) &&
            strcmp(asif_estimated_name(given), asif_estimated_name(name)) == 0)
            return true;
    return false;
}

uint32_t asif_study_left(asif_estimate_spec *spec, uint32_t specs, const char *const *pair, uint32_t pairs) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < specs; i++)
        if (!is_given(spec[i].name, pair, pairs))
            spec[left++] = spec[i];
    return left;
}

/* ---- columns ---- */

asif_status asif_study_map(asif_log_map **out, const asif_context *context, const asif_study *study,
                           const char *const *pair, uint32_t pairs, asif_error *error) {
    asif_status status = study ? asif_log_map_copy(out, asif_study_logs(study), error)
                               : asif_log_map_create(out, context, error);
    for (uint32_t i = 0; status == ASIF_OK && i < pairs; i++) {
        char role[NAME_SIZE];
        const char *column = NULL;
        if (split(pair[i], role, &column)) {
            status = asif_log_map_set(*out, role, column, error);
        } else {
            status =
                asif_fail(error, ASIF_EPARSE, "--map wants ROLE=COLUMN, not '%s'", asif_show(pair[i]).text);
            asif_error_hint(error, "for example --map action=treatment");
        }
    }
    if (status == ASIF_OK)
        return ASIF_OK;
    asif_log_map_free(*out);
    *out = NULL;
    return status;
}
