#include "commands/truth.h"

#include "job.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128
#define KNOWN 256 /* most names that are compared with a misspelt one */

static const asif_fitted *fitted_of(const asif_result *result) {
    asif_result_view view = {.struct_size = sizeof view};
    return asif_result_get(result, &view, NULL) == ASIF_OK ? view.fitted : NULL;
}

/* Whether `name` means this column of the draws: by the name of the column, or of its parameter if that is
 * one number. */
static bool is_meant(const asif_estimate_info *info, const char *name) {
    return strcmp(info->name, name) == 0 ||
           (!info->label && strcmp(info->parameter, asif_estimated_name(name)) == 0);
}

static const asif_estimate_info *find(const char *name, const asif_result *const *result, uint32_t results,
                                      const asif_fitted **fitted) {
    const asif_estimate_info *info;
    for (uint32_t r = 0; r < results; r++) {
        *fitted = fitted_of(result[r]);
        for (uint32_t i = 0; *fitted && (info = asif_estimates_get((*fitted)->estimates, i)) != NULL; i++)
            if (is_meant(info, name))
                return info;
    }
    return NULL;
}

static int unknown(const char *name, const asif_result *const *result, uint32_t results) {
    const char *known[KNOWN] = {0};
    uint32_t count = 0;
    for (uint32_t r = 0; r < results; r++) {
        const asif_fitted *fitted = fitted_of(result[r]);
        const asif_estimate_info *info;
        for (uint32_t i = 0; fitted && (info = asif_estimates_get(fitted->estimates, i)) != NULL; i++) {
            if (!info->label && count < KNOWN)
                known[count++] = info->parameter;
            if (count < KNOWN)
                known[count++] = info->name;
        }
    }
    const char *near = asif_nearest_word(name, known, count);
    cli_say("--truth: '%s' was not estimated", name);
    if (near)
        cli_hint("did you mean '%s'?", near);
    else if (count)
        cli_hint("for example --truth %s=...", known[0]);
    return CLI_USAGE;
}

/* Whether the parameter is below 0, so that the logarithm of its negative was estimated. */
static bool is_negative(const asif_fitted *fitted, const char *parameter) {
    for (uint32_t i = 0; i < fitted->specs; i++)
        if (strcmp(fitted->spec[i].name, parameter) == 0)
            return fitted->spec[i].negative;
    return false;
}

/* Convert a value of the parameter to the number that was estimated (a logarithm, an optimism); NaN if
 * there is none. */
static double as_estimated(const asif_fitted *fitted, const asif_estimate_info *info, const char *name,
                           double value) {
    if (strcmp(name, "beta") == 0 && strcmp(info->name, name) != 0)
        return value == 0 ? NAN : 1 / value;
    if (!asif_parameter_in_logs(info->parameter) || strcmp(info->name, name) == 0)
        return value;
    return log(is_negative(fitted, info->parameter) ? -value : value);
}

/* Read a number, or inf, which is a possible value of beta. */
static bool read_value(const char *text, double *value) {
    bool below = *text == '-';
    *value = below ? -INFINITY : INFINITY;
    return strcmp(text + below, "inf") == 0 || cli_read_number(text, text + strlen(text), value);
}

static int read_one(const char **column, double *number, const char *text, const asif_result *const *result,
                    uint32_t results) {
    const char *equals = strchr(text, '=');
    char name[NAME_SIZE];
    double value;
    const asif_fitted *fitted = NULL;
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof name || !read_value(equals + 1, &value)) {
        cli_say("--truth wants NAME=VALUE, not '%s'", text);
        cli_hint("for example --truth alpha=0.5");
        return CLI_USAGE;
    }
    memcpy(name, text, length);
    name[length] = 0;
    const asif_estimate_info *info = find(name, result, results, &fitted);
    if (!info)
        return unknown(name, result, results);
    *column = info->name;
    *number = as_estimated(fitted, info, name, value);
    if (isfinite(*number) && *number >= info->low && *number <= info->high)
        return CLI_OK;
    cli_say("--truth: %s cannot be %s", name, equals + 1);
    cli_hint(asif_parameter_in_logs(info->parameter)
                 ? "its logarithm was estimated: it has to be of the same sign, and neither 0 nor inf"
                 : "it has to be between its limits, and finite");
    return CLI_USAGE;
}

int cli_read_truths(const char ***name, double **value, const cli_list *truth,
                    const asif_result *const *result, uint32_t results) {
    int code = CLI_OK;
    *name = calloc((size_t)truth->count + 1, sizeof **name);
    *value = calloc((size_t)truth->count + 1, sizeof **value);
    if (!*name || !*value)
        return cli_no_memory();
    for (uint32_t i = 0; code == CLI_OK && i < truth->count; i++)
        code = read_one(&(*name)[i], &(*value)[i], truth->item[i], result, results);
    return code;
}
