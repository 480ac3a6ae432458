#include "theta/theta.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

static double *alpha_slot(asif_theta *t) {
    return &t->a;
}
static double *act_alpha_slot(asif_theta *t) {
    return &t->a_act;
}
static double *beta_slot(asif_theta *t) {
    return &t->b;
}
static double *eta_slot(asif_theta *t) {
    return &t->eta;
}
static double *discount_slot(asif_theta *t) {
    return &t->discount;
}
static double *lapse_slot(asif_theta *t) {
    return &t->lapse;
}

static bool any_number(double x) {
    return !isnan(x);
}
static bool finite(double x) {
    return isfinite(x);
}
static bool below_one(double x) {
    return x >= 0 && x < 1;
}

/* Parameters that every agent has. An `inverse` one is stored as 1/value, for which IEEE division is exact at
 * +-0 and inf. `optimism`, a second name of beta, is not `listed`; `lapse` only if it is not 0. */
static const struct builtin {
    const char *name;
    double *(*slot)(asif_theta *);
    bool inverse, listed;
    bool (*allowed)(double);
    const char *domain;
} builtins[] = {
    {"alpha", alpha_slot, true, true, any_number, "a number, 0, 0- or inf"},
    {"act_alpha", act_alpha_slot, true, true, any_number, "a number, 0, 0- or inf"},
    {"beta", beta_slot, true, true, any_number, "a number other than 0, 0+, 0- or inf"},
    {"optimism", beta_slot, false, false, any_number, "a number, inf or -inf"},
    {"eta", eta_slot, false, true, finite, "a finite number"},
    {"discount", discount_slot, false, true, below_one, "at least 0 and below 1"},
    {"lapse", lapse_slot, false, true, below_one, "at least 0 and below 1"},
};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

static bool is_listed(const asif_theta *theta, const struct builtin *builtin) {
    return builtin->listed && (builtin->slot != lapse_slot || theta->lapse != 0);
}

asif_status asif_theta_create(asif_theta **out, const asif_context *context, const asif_setting *setting,
                              asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    asif_theta *theta = *out = ASIF_NEW(context, asif_theta);
    if (!theta)
        return asif_fail_memory(error);
    theta->context = context;
    theta->setting = ASIF_KEEP(setting);
    theta->utility = ASIF_ARRAY(context, spec->parameters, double);
    if (!theta->utility || !asif_theta_new_distributions(theta)) {
        asif_theta_free(theta);
        *out = NULL;
        return asif_fail_memory(error);
    }
    theta->a = theta->a_act = NAN;
    theta->b = theta->eta = theta->lapse = 0;
    theta->discount = spec->discount;
    for (uint32_t i = 0; i < spec->parameters; i++)
        theta->utility[i] = NAN;
    return ASIF_OK;
}

void asif_theta_assign_numbers(asif_theta *to, const asif_theta *from) {
    uint32_t utilities = asif_setting_get(from->setting)->parameters;
    to->a = from->a;
    to->a_act = from->a_act;
    to->b = from->b;
    to->eta = from->eta;
    to->discount = from->discount;
    to->lapse = from->lapse;
    if (utilities)
        memcpy(to->utility, from->utility, utilities * sizeof *to->utility);
}

void asif_theta_assign(asif_theta *to, const asif_theta *from) {
    const asif_setting_spec *spec = asif_setting_get(from->setting);
    asif_theta_assign_numbers(to, from);
    memcpy(to->action_prior, from->action_prior, spec->actions * sizeof *to->action_prior);
    memcpy(to->world_weights, from->world_weights, spec->worlds * sizeof *to->world_weights);
    memcpy(to->start, from->start, (size_t)spec->starts * spec->states * sizeof *to->start);
    memcpy(to->means, from->means,
           (size_t)asif_distribution_copies(from->setting, ASIF_MEANS) * spec->states * sizeof *to->means);
}

asif_status asif_theta_copy(asif_theta **out, const asif_theta *theta, asif_error *error) {
    ASIF_TRY(asif_theta_create(out, theta->context, theta->setting, error));
    asif_theta_assign(*out, theta);
    return ASIF_OK;
}

void asif_theta_free(asif_theta *theta) {
    if (!theta || !asif_leave(&theta->kept))
        return;
    double *const arrays[] = {theta->utility, theta->action_prior, theta->world_weights, theta->start,
                              theta->means};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(theta->context, arrays[i]);
    asif_setting_free(ASIF_KEPT(asif_setting, theta->setting));
    asif_free(theta->context, theta);
}

static const struct builtin *find_builtin(const char *name) {
    for (size_t i = 0; i < BUILTINS; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

static asif_status unknown(const asif_theta *theta, const char *name, asif_error *error) {
    asif_fail(error, ASIF_EUNKNOWN, "there is no parameter '%s'", name);
    const char *first[BUILTINS];
    for (size_t i = 0; i < BUILTINS; i++)
        first[i] = builtins[i].name;
    const asif_setting_spec *spec = asif_setting_get(theta->setting);
    const char *near = asif_nearest_word(name, first, BUILTINS);
    if (!near && spec->parameter_names)
        near = asif_nearest_word(name, spec->parameter_names, spec->parameters);
    if (near)
        asif_error_hint(error, "did you mean '%s'?", near);
    else
        asif_error_hint(
            error,
            "parameters are alpha, act_alpha, beta (or optimism), eta, discount, lapse and those that the "
            "utility names");
    return ASIF_EUNKNOWN;
}

asif_status asif_theta_set(asif_theta *theta, const char *name, double value, asif_error *error) {
    if (!name)
        return asif_fail_null(error, "name of a parameter");
    const struct builtin *builtin = find_builtin(name);
    if (builtin) {
        bool whole =
            value == 1 && builtin->slot == discount_slot && asif_setting_get(theta->setting)->horizon;
        if (!builtin->allowed(value) && !whole) {
            char number[ASIF_NUMBER_SIZE];
            return asif_fail(error, ASIF_EDOMAIN, "%s must be %s, not %s", name, builtin->domain,
                             asif_number_text(number, value));
        }
        *builtin->slot(theta) = builtin->inverse ? 1 / value : value;
        return ASIF_OK;
    }
    uint32_t i = asif_setting_find(theta->setting, ASIF_LABEL_PARAMETER, name);
    if (i == ASIF_ANY)
        return unknown(theta, name, error);
    if (!isfinite(value))
        return asif_fail(error, ASIF_EDOMAIN, "%s must be a finite number", name);
    theta->utility[i] = value;
    return ASIF_OK;
}

asif_status asif_theta_unset(asif_theta *theta, const char *name, asif_error *error) {
    if (!name)
        return asif_fail_null(error, "name of a parameter");
    const struct builtin *builtin = find_builtin(name);
    uint32_t i = asif_setting_find(theta->setting, ASIF_LABEL_PARAMETER, name);
    if (builtin)
        *builtin->slot(theta) = NAN;
    else if (i != ASIF_ANY)
        theta->utility[i] = NAN;
    else
        return unknown(theta, name, error);
    return ASIF_OK;
}

asif_status asif_theta_set_text(asif_theta *theta, const char *name, const char *value, asif_error *error) {
    if (!name || !value)
        return asif_fail_null(error, name ? "value of a parameter" : "name of a parameter");
    double number;
    size_t length = strlen(value);
    if (length > 1 && (value[length - 1] == '+' || value[length - 1] == '-') &&
        asif_number_read(value, length - 1, &number) && number == 0) {
        number = value[length - 1] == '-' ? -0.0 : 0.0;
    } else if (!asif_number_read(value, length, &number)) {
        asif_fail(error, ASIF_EPARSE, "the value of %s must be a number, not '%s'", name, value);
        asif_error_hint(error,
                        "numbers are written like 0.5, -36 or 1e-3; limits are 0, 0+, 0-, inf and -inf");
        return ASIF_EPARSE;
    } else if (number == 0 && strcmp(name, "beta") == 0) {
        asif_fail(error, ASIF_EDOMAIN, "beta = 0 has two meanings");
        asif_error_hint(
            error,
            "write 0+ for the most optimistic agent, 0- for the most pessimistic, inf for a neutral one");
        return ASIF_EDOMAIN;
    }
    return asif_theta_set(theta, name, number, error);
}

asif_status asif_theta_get(const asif_theta *theta, const char *name, double *value, asif_error *error) {
    *value = NAN;
    if (!name)
        return asif_fail_null(error, "name of a parameter");
    const struct builtin *builtin = find_builtin(name);
    if (builtin) {
        double kept = *builtin->slot((asif_theta *)(uintptr_t)theta);
        if (builtin->slot == act_alpha_slot && isnan(kept))
            kept = theta->a;
        *value = builtin->inverse ? 1 / kept : kept;
        return ASIF_OK;
    }
    uint32_t i = asif_setting_find(theta->setting, ASIF_LABEL_PARAMETER, name);
    if (i == ASIF_ANY)
        return unknown(theta, name, error);
    *value = theta->utility[i];
    return ASIF_OK;
}

uint32_t asif_theta_count(const asif_theta *theta) {
    uint32_t listed = 0;
    for (size_t i = 0; i < BUILTINS; i++)
        listed += is_listed(theta, &builtins[i]);
    return listed + asif_setting_get(theta->setting)->parameters;
}

const char *asif_theta_name(const asif_theta *theta, uint32_t i) {
    for (size_t j = 0; j < BUILTINS; j++)
        if (is_listed(theta, &builtins[j]) && i-- == 0)
            return builtins[j].name;
    const asif_setting_spec *spec = asif_setting_get(theta->setting);
    return spec->parameter_names && i < spec->parameters ? spec->parameter_names[i] : NULL;
}

const double *asif_theta_utilities(const asif_theta *theta) {
    return theta->utility;
}

/* Lists the parameters without a value, and in `flags` the command-line options that would set them. */
static uint32_t missing_numbers(const asif_theta *theta, asif_text *missing, asif_text *flags) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < asif_theta_count(theta); i++) {
        const char *name = asif_theta_name(theta, i);
        double value;
        if (asif_theta_get(theta, name, &value, NULL) != ASIF_OK || !isnan(value) ||
            strcmp(name, "act_alpha") == 0)
            continue;
        asif_text_addf(missing, "%s%s", count++ ? ", " : "", name);
        asif_text_addf(flags, " -p %s=VALUE", name);
    }
    return count;
}

asif_status asif_theta_complete(const asif_theta *theta, asif_error *error) {
    asif_text missing = {.context = theta->context}, flags = {.context = theta->context};
    uint32_t numbers = missing_numbers(theta, &missing, &flags);
    uint32_t count = numbers + asif_theta_missing_distributions(theta, &missing);
    asif_status status = ASIF_OK;
    if (missing.failed || flags.failed) {
        status = asif_fail_memory(error);
    } else if (count) {
        status = asif_fail(error, ASIF_EUNSET, "%s %s no value", missing.data, count == 1 ? "has" : "have");
        const char *it = count == 1 ? "it" : "each";
        if (count > numbers)
            asif_error_hint(error, "give %s one in the study; distributions are lists of probabilities", it);
        else
            asif_error_hint(error, "give %s one in the study, or on the command line with%s", it, flags.data);
    }
    asif_text_free(&missing);
    asif_text_free(&flags);
    return status;
}
