#include "questions/sensitivity/given_variation.h"

#include "asif/ask.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/estimates.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 /* share of the range below which two values count as one */

static const char worlds_name[] = "worlds";

/* ---- what can be varied ---- */

static bool several_worlds(const asif_fitted *fitted) {
    return asif_setting_get(fitted->setting)->worlds > 1;
}

static bool is_estimated(const asif_fitted *fitted, const char *name) {
    for (uint32_t i = 0; i < fitted->specs; i++)
        if (strcmp(asif_estimated_name(fitted->spec[i].name), asif_estimated_name(name)) == 0)
            return true;
    return false;
}

/* ---- bounds ---- */

#define NEUTRAL 0.01     /* share of the prior's standard deviation below which a bound counts as neutral */
#define USUAL_ALPHA 0.01 /* share of the span of utilities: the median of alpha's default prior */

/* Whether the planner fixes the number for all its agents. */
static bool is_fixed(const asif_fitted *fitted, const char *name) {
    const asif_planner_ops *ops =
        asif_planner_find(fitted->planner ? fitted->planner : "bounded-rational", NULL);
    asif_restriction narrow = asif_planner_restriction(ops);
    const char *known;
    asif_restriction_number number;
    for (uint32_t i = 0; asif_restriction_number_get(&narrow, i, &known, &number); i++)
        if (strcmp(asif_estimated_name(known), asif_estimated_name(name)) == 0)
            return number.how == ASIF_FIXED;
    return !narrow.acts;
}

/* Whether every utility that is not 0 is estimated; alpha is then only the unit in which they are
 * measured. */
static bool is_unit(const asif_fitted *fitted, const char *name) {
    const asif_setting_spec *spec = asif_setting_get(fitted->setting);
    double *utility = ASIF_ARRAY(fitted->context, spec->parameters, double), span = NAN;
    for (uint32_t k = 0; utility && k < spec->parameters; k++)
        utility[k] = isnan(fitted->given->utility[k]) || is_estimated(fitted, spec->parameter_names[k])
                         ? 0
                         : fitted->given->utility[k];
    if (utility)
        asif_utility_span(&span, fitted->context, fitted->setting, utility, NULL);
    asif_free(fitted->context, utility);
    return span == 0 && (strcmp(name, "alpha") == 0 || strcmp(name, "act_alpha") == 0);
}

/* The standard deviation of a bound's default prior; 0: the bound makes no difference. */
static double prior_sd(const asif_fitted *fitted, const char *name) {
    double span = asif_estimates_span(fitted->estimates), spread = 0;
    if (strcmp(name, "eta") == 0)
        return span;
    if (asif_world_spread(&spread, fitted->work, asif_estimates_given(fitted->estimates), span, NULL) !=
        ASIF_OK)
        return 0;
    return asif_usual_optimism(spread);
}

static bool find_bound(asif_given_variation *out, const asif_fitted *fitted, const char *name) {
    double value = NAN;
    bool alpha = strcmp(name, "alpha") == 0, acts = strcmp(name, "act_alpha") == 0;
    if (is_estimated(fitted, name) || is_fixed(fitted, name) || (acts && isnan(fitted->given->a_act)) ||
        (strcmp(name, "optimism") == 0 && !several_worlds(fitted)) ||
        asif_theta_get(fitted->given, name, &value, NULL) != ASIF_OK || !isfinite(value))
        return false;
    /* A limit that can only be approached from one side. */
    if (value == 0 && (acts || (alpha && signbit(value))))
        return false;
    *out = (asif_given_variation){.name = name, .bound = true, .given = value};
    if (alpha || acts) {
        out->unit = is_unit(fitted, name);
        out->step = value == 0 ? USUAL_ALPHA * asif_estimates_span(fitted->estimates) : 0;
        return true;
    }
    double sd = prior_sd(fitted, name);
    out->step = fabs(value) < NEUTRAL * sd ? sd : 0;
    return sd > 0;
}

bool asif_given_variation_usual(asif_given_variation *out, const asif_fitted *fitted, bool bounds,
                                uint32_t i) {
    static const char *const names[] = {"alpha", "act_alpha", "optimism", "eta"};
    const asif_setting_spec *spec = asif_setting_get(fitted->setting);
    for (uint32_t k = 0; spec->parameter_names && k < spec->parameters; k++) {
        double value = fitted->given->utility[k];
        if (isnan(value) || value == 0 || is_estimated(fitted, spec->parameter_names[k]))
            continue;
        if (i-- == 0) {
            *out = (asif_given_variation){.name = spec->parameter_names[k], .given = value};
            return true;
        }
    }
    if (fitted->given->discount > 0 && fitted->given->discount < 1 && i-- == 0) {
        *out = (asif_given_variation){.name = "discount", .given = fitted->given->discount};
        return true;
    }
    if (several_worlds(fitted) && i-- == 0) {
        *out = (asif_given_variation){.name = worlds_name, .worlds = true, .given = 1};
        return true;
    }
    for (size_t k = 0; bounds && k < sizeof names / sizeof *names; k++)
        if (find_bound(out, fitted, names[k]) && i-- == 0)
            return true;
    return false;
}

static void hint_usual(const asif_fitted *fitted, asif_error *error) {
    asif_text list = {.context = fitted->context};
    asif_given_variation vary;
    for (uint32_t i = 0; asif_given_variation_usual(&vary, fitted, false, i); i++)
        asif_text_addf(&list, "%s%s", i ? ", " : "", vary.name);
    if (list.data)
        asif_error_hint(error, "these assumptions can be varied: %.180s", list.data);
    asif_text_free(&list);
}

asif_status asif_given_variation_find(asif_given_variation *out, const asif_fitted *fitted, const char *name,
                                      asif_error *error) {
    *out = (asif_given_variation){.name = name};
    asif_status status = ASIF_OK;
    if (strcmp(name, worlds_name) == 0) {
        out->worlds = true;
        out->given = 1;
        if (several_worlds(fitted))
            return ASIF_OK;
        status = asif_fail(error, ASIF_EINVALID, "the agent has one world: there is no spread to vary");
    } else if (is_estimated(fitted, name)) {
        status = asif_fail(error, ASIF_EINVALID, "%.60s is estimated, not given", asif_show(name).text);
    } else {
        ASIF_TRY(asif_theta_get(fitted->given, name, &out->given, error));
        if (!isnan(out->given) && !(strcmp(name, "act_alpha") == 0 && isnan(fitted->given->a_act)))
            return ASIF_OK;
        status = asif_fail(error, ASIF_EINVALID, "%.60s was not given a value", asif_show(name).text);
    }
    hint_usual(fitted, error);
    return status;
}

/* ---- values ---- */

static bool is_discount(const asif_given_variation *vary) {
    return strcmp(vary->name, "discount") == 0;
}

/* Convert a value to a scale on which steps are equal: log(1 - discount) for the discount, else the value
 * itself. */
static double to_steps(const asif_given_variation *vary, double value) {
    return is_discount(vary) ? -log1p(-value) : value;
}

static double from_steps(const asif_given_variation *vary, double step) {
    return is_discount(vary) ? -expm1(-step) : step;
}

asif_status asif_given_variation_range(const asif_given_variation *vary, double *from, double *to,
                                       asif_error *error) {
    const char *name = vary->name;
    double given = vary->given;
    if (isnan(*from) || isnan(*to)) {
        if (given == 0 || !isfinite(given)) {
            char number[ASIF_NUMBER_SIZE];
            asif_fail(error, ASIF_EINVALID, "%.60s is %s: how far should it be varied?", name,
                      asif_number_text(number, given));
            asif_error_hint(error, "give both ends, such as %.60s=0.5:2", name);
            return ASIF_EINVALID;
        }
        *from = is_discount(vary) ? fmax(0, 1 - 2 * (1 - given)) : given / 2;
        *to = is_discount(vary) ? 1 - (1 - given) / 2 : 1.5 * given;
    }
    if (*from > *to) {
        double swap = *from;
        *from = *to;
        *to = swap;
    }
    if (!isfinite(*from) || !isfinite(*to) || !(*from < *to))
        return asif_fail(error, ASIF_EINVALID, "the ends of the range of %.60s must be two different numbers",
                         name);
    if (vary->worlds && *from < 0)
        return asif_fail(error, ASIF_EINVALID, "the spread of the worlds is a factor of at least 0");
    if (is_discount(vary) && (*from < 0 || *to >= 1))
        return asif_fail(error, ASIF_EDOMAIN, "the discount must be at least 0 and below 1");
    return ASIF_OK;
}

/* Insert the assumed value among ascending ones. A value that differs from it by rounding is replaced. */
static uint32_t put_given(double given, double *value, uint32_t count) {
    double near = SAME * (value[count - 1] - value[0]);
    uint32_t i = 0;
    while (i < count && value[i] < given - near)
        i++;
    if (i == count || value[i] > given + near) {
        memmove(value + i + 1, value + i, (count - i) * sizeof *value);
        count++;
    }
    value[i] = given;
    return count;
}

uint32_t asif_given_variation_values(const asif_given_variation *vary, double from, double to,
                                     uint32_t points, double *value) {
    double low = to_steps(vary, from), high = to_steps(vary, to);
    for (uint32_t i = 0; i < points; i++)
        value[i] = from_steps(vary, low + (high - low) * i / (points - 1));
    value[0] = from;
    value[points - 1] = to;
    return isfinite(vary->given) ? put_given(vary->given, value, points) : points;
}

/* The values of a bound: from half to double; if it is neutral, up to a step to each side; if alpha is 0,
 * only above it. */
static uint32_t few_bounds(const asif_given_variation *vary, double *value) {
    static const double factor[ASIF_GIVEN_VARIATION_BRIEF] = {0.5, 0.70710678118654752, 1.4142135623730951,
                                                              2},
                        steps[ASIF_GIVEN_VARIATION_BRIEF] = {-1, -0.5, 0.5, 1};
    uint32_t first = vary->step > 0 && strcmp(vary->name, "alpha") == 0 ? 2 : 0;
    for (uint32_t i = first; i < ASIF_GIVEN_VARIATION_BRIEF; i++)
        value[i - first] =
            vary->step > 0 ? vary->given + steps[i] * vary->step
                           : vary->given * factor[vary->given > 0 ? i : ASIF_GIVEN_VARIATION_BRIEF - 1 - i];
    return ASIF_GIVEN_VARIATION_BRIEF - first;
}

uint32_t asif_given_variation_few(const asif_given_variation *vary, double *value) {
    static const double ninths[ASIF_GIVEN_VARIATION_BRIEF] = {5, 7, 11, 13};
    double from = NAN, to = NAN;
    uint32_t count = 2;
    if (vary->bound) {
        count = few_bounds(vary, value);
    } else if (is_discount(vary) || vary->worlds) {
        asif_given_variation_range(vary, &from, &to, NULL);
        value[0] = from;
        value[1] = to;
    } else {
        count = ASIF_GIVEN_VARIATION_BRIEF;
        for (uint32_t i = 0; i < count; i++)
            value[i] = vary->given * ninths[vary->given > 0 ? i : count - 1 - i] / 9;
    }
    return put_given(vary->given, value, count);
}

/* ---- the problem at a value ---- */

static asif_status change(asif_varied *v, const asif_fitted *fitted, const asif_given_variation *vary,
                          double value, asif_error *error) {
    if (!vary || !vary->worlds || value == vary->given) {
        ASIF_TRY(asif_theta_copy(&v->given, fitted->given, error));
        ASIF_TRY(asif_work_clone(&v->work, fitted->work, error));
        return vary && !vary->worlds ? asif_theta_set(v->given, vary->name, value, error) : ASIF_OK;
    }
    ASIF_TRY(asif_given_variation_worlds(&v->setting, v->context, fitted->setting, value, error));
    ASIF_TRY(asif_theta_create(&v->given, v->context, v->setting, error));
    asif_theta_assign(v->given, fitted->given);
    return asif_work_create(&v->work, v->context, fitted->planner, v->setting, fitted->solver, error);
}

/* Make the estimates of the varied problem, with default priors of its own, scaled as those of the fit
 * are. */
static asif_status make_estimates(asif_varied *v, const asif_fitted *fitted, asif_error *error) {
    if (isnan(asif_estimates_spread(fitted->estimates)))
        return asif_estimates_create(&v->estimates, v->context, v->given, fitted->spec, fitted->specs,
                                     ASIF_PRIORS_STATED, NULL, error);
    return asif_estimates_scaled(&v->estimates, v->context, v->work, v->given, fitted->spec, fitted->specs,
                                 ASIF_PRIORS_STATED, NULL, error);
}

asif_status asif_varied_create(asif_varied *out, const asif_fitted *fitted, const asif_given_variation *vary,
                               double value, asif_error *error) {
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    *out = (asif_varied){.context = fitted->context};
    ASIF_TRY(change(out, fitted, vary, value, error));
    ASIF_TRY(make_estimates(out, fitted, error));
    options.inverse = fitted->inverse;
    options.inverse_options = fitted->inverse_options;
    ASIF_TRY(asif_target_create(&out->target, out->work, out->estimates, fitted->tree, &options, error));
    options.objective_only = true;
    return asif_target_create(&out->likelihood, out->work, out->estimates, fitted->tree, &options, error);
}

void asif_varied_free(asif_varied *varied) {
    asif_target_free(varied->target);
    asif_target_free(varied->likelihood);
    asif_work_free(varied->work);
    asif_estimates_free(varied->estimates);
    asif_theta_free(varied->given);
    asif_setting_free(varied->setting);
    *varied = (asif_varied){.context = varied->context};
}
