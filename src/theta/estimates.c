/* Makes estimates from specs, and describes them. */
#include "theta/estimates.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- names of columns ---- */

static bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static void add_plain(asif_text *text, const char *name) {
    for (; *name; name++)
        if (((unsigned char)*name & 0xc0) != 0x80) /* not a continuation byte of UTF-8 */
            asif_text_addf(text, "%c", plain(*name) ? *name : '_');
}

static bool taken(const asif_estimates *e, uint32_t i, const char *name) {
    size_t length = strlen(name);
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(e->info[j].name, name) == 0)
            return true;
    /* Names that end in "__" are reserved for the sampler's columns. */
    return length > 1 && strcmp(name + length - 2, "__") == 0;
}

/* The name of the i-th reported number: `base`, made different from the names before it, and ".index" unless
 * index is 0. */
static char *new_name(const asif_estimates *e, uint32_t i, const char *base, uint32_t index) {
    asif_text text = {.context = e->context};
    for (uint32_t again = 1; again <= e->reported + 1; again++) {
        text.length = 0;
        add_plain(&text, *base ? base : "_");
        if (again > 1)
            asif_text_addf(&text, "_%u", again);
        if (index)
            asif_text_addf(&text, ".%u", index);
        if (!text.data || text.failed || !taken(e, i, text.data))
            break;
    }
    if (text.failed)
        asif_text_free(&text);
    return text.failed ? NULL : text.data;
}

/* ---- numbers ---- */

static asif_status keep_words(const asif_estimates *e, asif_part *part, const asif_prior *prior,
                              const char *stated, const asif_coordinate *cut, asif_error *error) {
    asif_text text = {.context = e->context};
    double low, high;
    if (stated)
        asif_text_add(&text, stated);
    else
        asif_prior_words(prior, &text);
    asif_prior_support(prior, &low, &high);
    if (cut && prior->kind != ASIF_PRIOR_FLAT) {
        bool above = cut->low > low, below = cut->high < high;
        if (above && below)
            asif_text_addf(&text, " between %.6g and %.6g", cut->low, cut->high);
        else if (above || below)
            asif_text_addf(&text, above ? " above %.6g" : " below %.6g", above ? cut->low : cut->high);
    }
    part->prior = text.data;
    return text.failed ? asif_fail_memory(error) : ASIF_OK;
}

static const char *trimmed(const char *text) {
    return text ? text + strspn(text, " ") : NULL;
}

static asif_status number_prior(const asif_estimate_spec *spec, asif_prior *out, asif_error *error) {
    if (!spec->prior)
        return ASIF_OK;
    if (strcmp(spec->name, "beta") == 0) {
        asif_fail(error, ASIF_EINVALID, "a prior cannot be put on beta");
        asif_error_hint(error, "put it on optimism, which is 1/beta");
        return ASIF_EINVALID;
    }
    ASIF_TRY(asif_prior_read(out, NULL, 0, trimmed(spec->prior), error));
    return asif_prior_suits(out, false, spec->name, error);
}

static void number_info(const asif_estimates *e, const asif_part *part, const asif_coordinate *c) {
    asif_estimate_info *info = &e->info[part->reported];
    bool log_value = part->number->inverse;
    info->parameter = asif_part_name(e, part);
    info->coordinate = part->coordinate;
    info->line = log_value ? ASIF_LINE_SAME : c->line;
    info->low = log_value ? log(c->low) : c->low;
    info->high = log_value ? log(c->high) : c->high;
    info->proper = c->prior.kind != ASIF_PRIOR_FLAT;
    info->prior = part->prior;
    double *const quantile[] = {&info->prior_q05, &info->prior_q50, &info->prior_q95};
    static const double p[] = {0.05, 0.5, 0.95};
    for (int i = 0; i < 3; i++) {
        double x = info->proper ? asif_coordinate_quantile(c, p[i]) : NAN;
        *quantile[i] = x;
        if (!info->proper || !log_value)
            continue;
        asif_coordinate_point point;
        asif_coordinate_at(c, x, &point);
        *quantile[i] = c->low == 0 ? point.at.below : log(point.at.v);
    }
}

static asif_status make_number(asif_estimates *e, asif_part *part, const asif_estimate_spec *spec,
                               asif_priors priors, asif_error *error) {
    const asif_number_kind *kind = part->number;
    bool published = priors == ASIF_PRIORS_PUBLISHED;
    asif_prior usual = kind->usual(e, part->standard);
    asif_prior prior = published ? (asif_prior){.kind = ASIF_PRIOR_FLAT} : usual;
    asif_coordinate *c = &e->coordinate[part->coordinate];
    char name[80];
    if (!published)
        ASIF_TRY(number_prior(spec, &prior, error));
    asif_format(name, sizeof name, kind->inverse ? "|%s|" : "%s", asif_show(spec->name).text);
    ASIF_TRY(asif_coordinate_create(c, published && kind->log_published ? 0 : kind->low, kind->high, &prior,
                                    &usual, name, error));
    c->flipped = published && kind->flipped_published;
    const char *stated = published ? NULL : trimmed(spec->prior);
    ASIF_TRY(keep_words(e, part, &prior, stated, c, error));
    const char *base = kind->reported ? kind->reported : asif_part_name(e, part);
    if (!(e->info[part->reported].name = new_name(e, part->reported, base, 0)))
        return asif_fail_memory(error);
    number_info(e, part, c);
    return ASIF_OK;
}

/* ---- distributions ---- */

/* Reads the weights of a dirichlet, one for each entry of the distribution; without a text all are 1. */
static asif_status read_weights(const asif_estimates *e, const asif_part *part, const char *text,
                                asif_prior *prior, double *weight, asif_error *error) {
    const char *name = asif_distribution_text(part->which);
    uint32_t count = asif_distribution_count(e->given->setting, part->which);
    for (uint32_t i = 0; i < count; i++)
        weight[i] = 1;
    *prior = (asif_prior){ASIF_PRIOR_DIRICHLET, count, {1, 1, 1}};
    if (!text)
        return ASIF_OK;
    ASIF_TRY(asif_prior_read(prior, weight, count, text, error));
    ASIF_TRY(asif_prior_suits(prior, true, name, error));
    if (prior->kind == ASIF_PRIOR_FLAT || prior->count == count)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "the prior of %s has %u numbers, but %s has %u entries", name,
              prior->count, name, count);
    asif_error_hint(error, "give dirichlet a number for each");
    return ASIF_EINVALID;
}

/* Distributions are sampled by stick breaking, as in Stan: entry k takes the share z_k of what the entries
 * before it left, z_k = logistic(x_k - log(K - k)). Under a dirichlet prior the shares are independent, z_k ~
 * beta(a_k, a_{k+1} + ... + a_K). */
static asif_status make_sticks(const asif_estimates *e, const asif_part *part, const double *weight,
                               bool flat, asif_error *error) {
    double rest = weight[part->entry[part->entries - 1]];
    for (uint32_t k = part->entries - 1; k-- > 0;) {
        asif_prior share = {ASIF_PRIOR_BETA, 2, {weight[part->entry[k]], rest, 0}};
        asif_prior prior = flat ? (asif_prior){.kind = ASIF_PRIOR_FLAT} : share;
        asif_coordinate *c = &e->coordinate[part->coordinate + k];
        ASIF_TRY(asif_coordinate_create(c, 0, 1, &prior, &share, asif_distribution_text(part->which), error));
        c->offset = log((double)(part->entries - 1 - k));
        rest += weight[part->entry[k]];
    }
    return ASIF_OK;
}

static const char *entry_label(const asif_estimates *e, const asif_part *part, uint32_t i, char *buffer) {
    if (part->which != ASIF_WORLD_WEIGHTS)
        return asif_setting_label(e->given->setting,
                                  part->which == ASIF_ACTION_PRIOR ? ASIF_LABEL_ACTION : ASIF_LABEL_STATE, i,
                                  buffer);
    asif_format(buffer, ASIF_LABEL_SIZE, "%u", i + 1);
    return buffer;
}

/* The label of a mean also names its action, as the means of all actions are one parameter. */
static char *new_label(const asif_estimates *e, const asif_part *part, uint32_t i) {
    char buffer[ASIF_LABEL_SIZE];
    asif_text text = {.context = e->context};
    if (part->which == ASIF_MEANS)
        asif_text_addf(&text, "%s/",
                       asif_setting_label(e->given->setting, ASIF_LABEL_ACTION, part->start, buffer));
    asif_text_add(&text, entry_label(e, part, i, buffer));
    char *label = NULL;
    asif_text_finish(&label, &text, NULL);
    return label;
}

static asif_status entry_info(const asif_estimates *e, const asif_part *part, uint32_t k, const char *base,
                              const double *weight, double total, bool flat, asif_error *error) {
    uint32_t i = part->entry[k];
    asif_estimate_info *info = &e->info[part->reported + k];
    /* The marginal of a dirichlet is a beta; its line is the logit. */
    asif_coordinate margin = {
        .line = ASIF_LINE_LOGIT, .high = 1, .drawn = {ASIF_PRIOR_BETA, 2, {weight[i], total - weight[i], 0}}};
    info->parameter = asif_distribution_text(part->which);
    info->label = new_label(e, part, i);
    info->name = new_name(e, part->reported + k, base, i + 1);
    if (!info->label || !info->name)
        return asif_fail_memory(error);
    info->coordinate = k == 0 || part->entries == 2 ? part->coordinate : ASIF_ANY;
    info->line = ASIF_LINE_LOGIT;
    info->low = 0;
    info->high = 1;
    info->proper = !flat;
    info->prior = part->prior;
    info->prior_q05 = flat ? NAN : asif_coordinate_quantile(&margin, 0.05);
    info->prior_q50 = flat ? NAN : asif_coordinate_quantile(&margin, 0.5);
    info->prior_q95 = flat ? NAN : asif_coordinate_quantile(&margin, 0.95);
    return ASIF_OK;
}

static asif_status make_entries(const asif_estimates *e, const asif_part *part, const double *weight,
                                bool flat, asif_error *error) {
    const asif_setting *setting = e->given->setting;
    asif_text base = {.context = e->context};
    char buffer[ASIF_LABEL_SIZE];
    double total = 0;
    asif_text_add(&base, asif_distribution_text(part->which));
    if (asif_distribution_copies(setting, part->which) > 1)
        asif_text_addf(&base, "_%s",
                       asif_setting_label(setting,
                                          part->which == ASIF_MEANS ? ASIF_LABEL_ACTION : ASIF_LABEL_START,
                                          part->start, buffer));
    for (uint32_t k = 0; k < part->entries; k++)
        total += weight[part->entry[k]];
    asif_status status = base.failed ? asif_fail_memory(error) : ASIF_OK;
    for (uint32_t k = 0; k < part->entries && status == ASIF_OK; k++)
        status = entry_info(e, part, k, base.data, weight, total, flat, error);
    asif_text_free(&base);
    return status;
}

static asif_status make_distribution(asif_estimates *e, asif_part *part, const asif_estimate_spec *spec,
                                     asif_priors priors, asif_error *error) {
    bool published = priors == ASIF_PRIORS_PUBLISHED;
    const char *stated = published ? NULL : trimmed(spec->prior);
    double *weight = ASIF_ARRAY(e->context, asif_distribution_count(e->given->setting, part->which), double);
    asif_prior prior;
    if (!weight)
        return asif_fail_memory(error);
    asif_status status = read_weights(e, part, stated, &prior, weight, error);
    if (published)
        prior = (asif_prior){.kind = ASIF_PRIOR_FLAT};
    bool flat = prior.kind == ASIF_PRIOR_FLAT;
    if (status == ASIF_OK)
        status = keep_words(e, part, &prior, stated, NULL, error);
    if (status == ASIF_OK)
        status = make_sticks(e, part, weight, flat, error);
    if (status == ASIF_OK)
        status = make_entries(e, part, weight, flat, error);
    asif_free(e->context, weight);
    return status;
}

/* ---- all estimates ---- */

/* Finds the span of the utility at the standard values. Where it is 0, and no default prior of a utility
 * needs it, it is set to 1. */
static asif_status find_span(asif_estimates *e, const asif_estimate_spec *spec, asif_error *error) {
    asif_error why = ASIF_ERROR_INIT;
    asif_status status = asif_utility_span(&e->span, e->context, e->given->setting, e->given->utility, &why);
    uint32_t utilities = 0, stated = 0;
    for (uint32_t i = 0; i < e->parts; i++) {
        bool utility = e->part[i].number && e->part[i].utility != ASIF_ANY;
        utilities += utility;
        stated += utility && spec[i].prior;
    }
    if (status == ASIF_EINVALID && e->span == 0 && utilities && stated == utilities) {
        e->span = 1;
        return ASIF_OK;
    }
    if (status != ASIF_OK && error)
        *error = why;
    return status;
}

static asif_status fill(asif_estimates *e, const asif_estimate_spec *spec, asif_priors priors,
                        asif_error *error) {
    ASIF_TRY(asif_estimate_parts_read(e, spec, error));
    e->span = 1; /* the utility of means is a distance, between 0 and 2 */
    if (!asif_theta_has_means(e->given))
        ASIF_TRY(find_span(e, spec, error));
    for (uint32_t i = 0; i < e->parts; i++) {
        asif_part *part = &e->part[i];
        part->coordinate = e->dimension;
        part->reported = e->reported;
        e->dimension += part->number ? 1 : part->entries - 1;
        e->reported += part->number ? 1 : part->entries;
    }
    e->coordinate = ASIF_ARRAY(e->context, e->dimension, asif_coordinate);
    e->info = ASIF_ARRAY(e->context, e->reported, asif_estimate_info);
    if (!e->coordinate || !e->info)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < e->parts; i++)
        ASIF_TRY(
            (e->part[i].number ? make_number : make_distribution)(e, &e->part[i], &spec[i], priors, error));
    return ASIF_OK;
}

asif_status asif_estimates_create(asif_estimates **out, const asif_context *context, const asif_theta *theta,
                                  const asif_estimate_spec *spec, uint32_t count, asif_priors priors,
                                  asif_problems *problems, asif_error *error) {
    return asif_estimates_make(out, context, theta, spec, count, priors, NAN, problems, error);
}

asif_status asif_estimates_make(asif_estimates **out, const asif_context *context, const asif_theta *theta,
                                const asif_estimate_spec *spec, uint32_t count, asif_priors priors,
                                double spread, asif_problems *problems, asif_error *error) {
    *out = NULL;
    if (count == 0)
        return asif_fail(error, ASIF_EINVALID, "nothing is to be estimated");
    asif_estimates *e = ASIF_NEW(context, asif_estimates);
    if (!e)
        return asif_fail_memory(error);
    e->context = context;
    e->spread = spread;
    e->part = ASIF_ARRAY(context, count, asif_part);
    e->parts = e->part ? count : 0;
    asif_status status = e->part ? asif_theta_copy(&e->given, theta, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = fill(e, spec, priors, error);
    if (status != ASIF_OK) {
        asif_estimates_free(e);
        return status;
    }
    asif_estimates_warn(e, problems);
    *out = e;
    return ASIF_OK;
}

void asif_estimates_free(asif_estimates *e) {
    if (!e || !asif_leave(&e->kept))
        return;
    for (uint32_t i = 0; i < e->parts; i++) {
        asif_free(e->context, e->part[i].entry);
        asif_free(e->context, e->part[i].prior);
    }
    for (uint32_t i = 0; e->info && i < e->reported; i++) {
        asif_free(e->context, (void *)(uintptr_t)e->info[i].name);
        asif_free(e->context, (void *)(uintptr_t)e->info[i].label);
    }
    asif_free(e->context, e->part);
    asif_free(e->context, e->coordinate);
    asif_free(e->context, e->info);
    asif_theta_free(e->given);
    asif_free(e->context, e);
}

uint32_t asif_estimates_dimension(const asif_estimates *e) {
    return e->dimension;
}

double asif_estimates_span(const asif_estimates *e) {
    return e->span;
}

double asif_estimates_spread(const asif_estimates *e) {
    return e->spread;
}

const asif_estimate_info *asif_estimates_get(const asif_estimates *e, uint32_t i) {
    return i < e->reported ? &e->info[i] : NULL;
}

double asif_estimate_line(const asif_estimate_info *info, double number) {
    switch (info->line) {
    case ASIF_LINE_LOG:
        return isfinite(info->low) ? log(number - info->low) : -log(info->high - number);
    case ASIF_LINE_LOGIT:
        return log(number - info->low) - log(info->high - number);
    case ASIF_LINE_SAME:
        break;
    }
    return number;
}

const asif_theta *asif_estimates_given(const asif_estimates *e) {
    return e->given;
}

uint32_t asif_estimates_utility(const asif_estimates *e, uint32_t i) {
    return i < e->parts && e->part[i].number ? e->part[i].utility : ASIF_ANY;
}
