/* The distributions of a theta, and gradients in all of its numbers. */
#include "theta/theta.h"

#include "base/error.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    asif_label_kind kind; /* kind of its entries' labels; worlds have none */
} distributions[] = {
    [ASIF_ACTION_PRIOR] = {"action_prior", ASIF_LABEL_ACTION},
    [ASIF_WORLD_WEIGHTS] = {"world_weights", ASIF_LABEL_ACTION},
    [ASIF_START] = {"start", ASIF_LABEL_STATE},
    [ASIF_MEANS] = {"means", ASIF_LABEL_STATE},
};

const char *asif_distribution_text(asif_distribution which) {
    return distributions[which].name;
}

uint32_t asif_distribution_count(const asif_setting *setting, asif_distribution which) {
    return which == ASIF_WORLD_WEIGHTS ? asif_setting_get(setting)->worlds
                                       : asif_setting_count(setting, distributions[which].kind);
}

uint32_t asif_distribution_copies(const asif_setting *setting, asif_distribution which) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    if (which == ASIF_MEANS)
        return spec->observations ? spec->actions : 0;
    return which == ASIF_START ? spec->starts : 1;
}

double *asif_distribution_slot(const asif_theta *theta, asif_distribution which, uint32_t start) {
    double *const first[] = {[ASIF_ACTION_PRIOR] = theta->action_prior,
                             [ASIF_WORLD_WEIGHTS] = theta->world_weights,
                             [ASIF_START] = theta->start,
                             [ASIF_MEANS] = theta->means};
    uint32_t copies = asif_distribution_copies(theta->setting, which);
    if (which != ASIF_START && which != ASIF_MEANS)
        start = 0;
    return start < copies ? first[which] + (uint64_t)start * asif_distribution_count(theta->setting, which)
                          : NULL;
}

static double *copied(const asif_context *context, const double *from, uint64_t count) {
    double *to = ASIF_ARRAY(context, count, double);
    if (to)
        memcpy(to, from, count * sizeof *to);
    return to;
}

bool asif_theta_new_distributions(asif_theta *theta) {
    const asif_setting_spec *spec = asif_setting_get(theta->setting);
    theta->action_prior = copied(theta->context, spec->action_prior, spec->actions);
    theta->world_weights = copied(theta->context, spec->world_weights, spec->worlds);
    theta->start = copied(theta->context, spec->agent_start, (uint64_t)spec->starts * spec->states);
    uint64_t means = (uint64_t)asif_distribution_copies(theta->setting, ASIF_MEANS) * spec->states;
    theta->means = ASIF_ARRAY(theta->context, means, double);
    for (uint64_t i = 0; theta->means && i < means; i++)
        theta->means[i] = NAN;
    return theta->action_prior && theta->world_weights && theta->start && theta->means;
}

static asif_status find_slot(const asif_theta *theta, asif_distribution which, uint32_t start, double **slot,
                             asif_error *error) {
    *slot = asif_distribution_slot(theta, which, start);
    uint32_t copies = asif_distribution_copies(theta->setting, which);
    if (*slot)
        return ASIF_OK;
    if (copies == 0) {
        asif_fail(error, ASIF_EDOMAIN, "there are no %s: the agent sees the state",
                  asif_distribution_text(which));
        asif_error_hint(error, "they are beliefs, which need observations");
        return ASIF_EDOMAIN;
    }
    return asif_fail(error, ASIF_EDOMAIN, "there is no %s %u: there are %u",
                     which == ASIF_MEANS ? "action" : "start class", start, copies);
}

asif_status asif_theta_set_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                        const double *p, asif_error *error) {
    uint32_t count = asif_distribution_count(theta->setting, which);
    double *slot, sum = 0;
    ASIF_TRY(find_slot(theta, which, start, &slot, error));
    for (uint32_t i = 0; i < count; i++) {
        if (!(p[i] >= 0 && isfinite(p[i]))) {
            char number[ASIF_NUMBER_SIZE];
            return asif_fail(error, ASIF_EDOMAIN, "%s: %s is not a weight", asif_distribution_text(which),
                             asif_number_text(number, p[i]));
        }
        sum += p[i];
    }
    if (!(sum > 0 && isfinite(sum)))
        return asif_fail(error, ASIF_EDOMAIN, "%s: the weights sum to %s", asif_distribution_text(which),
                         sum > 0 ? "more than a number can hold" : "0");
    for (uint32_t i = 0; i < count; i++)
        slot[i] = p[i] / sum;
    return ASIF_OK;
}

asif_status asif_theta_unset_distribution(asif_theta *theta, asif_distribution which, uint32_t start,
                                          asif_error *error) {
    double *slot;
    ASIF_TRY(find_slot(theta, which, start, &slot, error));
    for (uint32_t i = 0; i < asif_distribution_count(theta->setting, which); i++)
        slot[i] = NAN;
    return ASIF_OK;
}

const double *asif_theta_distribution(const asif_theta *theta, asif_distribution which, uint32_t start) {
    return asif_distribution_slot(theta, which, start);
}

static uint32_t missing(const asif_theta *theta, asif_distribution which, asif_text *list) {
    uint32_t copies = asif_distribution_copies(theta->setting, which), count = 0;
    asif_label_kind of = which == ASIF_MEANS ? ASIF_LABEL_ACTION : ASIF_LABEL_START;
    for (uint32_t c = 0; c < copies; c++) {
        char buffer[ASIF_LABEL_SIZE];
        if (!isnan(*asif_distribution_slot(theta, which, c)))
            continue;
        asif_text_addf(list, "%s%s", list->length ? ", " : "", distributions[which].name);
        if (copies > 1)
            asif_text_addf(list, " of %s", asif_setting_label(theta->setting, of, c, buffer));
        count++;
    }
    return count;
}

uint32_t asif_theta_missing_distributions(const asif_theta *theta, asif_text *list) {
    return missing(theta, ASIF_ACTION_PRIOR, list) + missing(theta, ASIF_WORLD_WEIGHTS, list) +
           missing(theta, ASIF_START, list);
}

uint32_t asif_theta_missing_means(const asif_theta *theta, asif_text *list) {
    return missing(theta, ASIF_MEANS, list);
}

bool asif_theta_has_means(const asif_theta *theta) {
    for (uint32_t u = 0; u < asif_distribution_copies(theta->setting, ASIF_MEANS); u++)
        if (!isnan(*asif_distribution_slot(theta, ASIF_MEANS, u)))
            return true;
    return false;
}

static uint64_t mean_entries(const asif_setting *setting) {
    return (uint64_t)asif_distribution_copies(setting, ASIF_MEANS) * asif_setting_get(setting)->states;
}

static uint64_t matrix_entries(const asif_setting_spec *spec) {
    uint64_t entries = 0;
    for (uint32_t i = 0; i < spec->matrices; i++)
        entries += asif_matrix_entries(&spec->matrix[i]);
    return entries;
}

asif_status asif_theta_gradient_create(asif_theta_gradient *out, const asif_context *context,
                                       const asif_setting *setting, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    *out = (asif_theta_gradient){
        .utility = ASIF_ARRAY(context, spec->parameters, double),
        .action_prior = ASIF_ARRAY(context, spec->actions, double),
        .world_weights = ASIF_ARRAY(context, spec->worlds, double),
        .start = ASIF_ARRAY(context, (uint64_t)spec->starts * spec->states, double),
        .means = ASIF_ARRAY(context, mean_entries(setting), double),
    };
    if (out->utility && out->action_prior && out->world_weights && out->start && out->means)
        return ASIF_OK;
    asif_theta_gradient_free(context, out);
    return asif_fail_memory(error);
}

/* The entries of all matrices are one allocation, which the first matrix holds. */
asif_status asif_theta_gradient_add_matrices(asif_theta_gradient *gradient, const asif_context *context,
                                             const asif_setting *setting, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    double **matrix = ASIF_ARRAY(context, spec->matrices, double *);
    double *room = ASIF_ARRAY(context, matrix_entries(spec), double);
    if (!matrix || !room) {
        asif_free(context, matrix);
        asif_free(context, room);
        return asif_fail_memory(error);
    }
    for (uint32_t i = 0; i < spec->matrices; i++) {
        matrix[i] = room;
        room += asif_matrix_entries(&spec->matrix[i]);
    }
    gradient->matrix = matrix;
    return ASIF_OK;
}

void asif_theta_gradient_free(const asif_context *context, asif_theta_gradient *gradient) {
    double *const arrays[] = {gradient->utility,       gradient->action_prior,
                              gradient->world_weights, gradient->start,
                              gradient->means,         gradient->matrix ? gradient->matrix[0] : NULL};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_free(context, gradient->matrix);
    *gradient = (asif_theta_gradient){0};
}

void asif_theta_gradient_clear(asif_theta_gradient *gradient, const asif_setting *setting) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    gradient->a = gradient->a_act = gradient->b = gradient->eta = gradient->discount = gradient->lapse = 0;
    memset(gradient->utility, 0, spec->parameters * sizeof(double));
    memset(gradient->action_prior, 0, spec->actions * sizeof(double));
    memset(gradient->world_weights, 0, spec->worlds * sizeof(double));
    memset(gradient->start, 0, (size_t)spec->starts * spec->states * sizeof(double));
    memset(gradient->means, 0, (size_t)mean_entries(setting) * sizeof(double));
    if (gradient->matrix)
        memset(gradient->matrix[0], 0, (size_t)matrix_entries(spec) * sizeof(double));
}
