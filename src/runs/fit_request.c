/* The request of a fit: the values that it leaves open, its key, and the names of the files in its folder. */
#include "runs/made.h"
#include "runs/whole_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit.h"
#include "logs/tree/tree.h"
#include "study/study.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

const char *const asif_fit_names[] = {"study.yaml", "logs.tree", "run.json", ASIF_FIT_JSON, NULL};

asif_status asif_fit_request_check(const asif_fit_request *request, asif_error *error) {
    if (request && request->struct_size == sizeof *request && request->study && request->logs)
        return ASIF_OK;
    return asif_fail(error, ASIF_EDOMAIN, "a fit needs a study and logs");
}

asif_fit_options asif_fit_request_how(const asif_fit_request *request) {
    asif_fit_options how;
    asif_fit_defaults(&how, ASIF_FIT_AUTO);
    if (request->how)
        how = *request->how;
    how.inverse = asif_study_inverse(request->study);
    how.clusters = request->clusters;
    return how;
}

asif_plan_options asif_fit_request_solver(const asif_fit_request *request) {
    return request->solver ? *request->solver : *asif_study_solver(request->study);
}

const asif_theta *asif_fit_request_given(const asif_fit_request *request) {
    return request->given ? request->given : asif_study_theta(request->study);
}

const char *asif_world_mode_text(asif_world_mode mode) {
    static const char *const texts[] = {
        [ASIF_WORLD_GIVEN] = "given", [ASIF_WORLD_CUT] = "cut", [ASIF_WORLD_JOINT] = "joint"};
    return (size_t)mode < sizeof texts / sizeof *texts ? texts[mode] : NULL;
}

asif_status asif_fit_request_world(asif_world_mode *out, const asif_fit_request *request, asif_error *error) {
    asif_fit_method method = asif_fit_request_how(request).method;
    bool draws = asif_fit_method_draws(method) && method != ASIF_FIT_PUBLISHED;
    *out = request->world == ASIF_WORLD_USUAL ? (draws ? ASIF_WORLD_CUT : ASIF_WORLD_GIVEN) : request->world;
    if (!asif_study_hidden_dynamics(request->study))
        *out = ASIF_WORLD_USUAL;
    if (*out <= ASIF_WORLD_GIVEN || draws)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "the method %s has no draws to carry the uncertainty of the dynamics",
              asif_fit_method_text(method));
    asif_error_hint(error, "take the dynamics as given, or another method");
    return ASIF_EUNSUPPORTED;
}

uint32_t asif_fit_request_worlds(const asif_fit_request *request) {
    return request->worlds ? request->worlds : ASIF_FIT_WORLDS;
}

static bool has_value(const asif_theta *given, const char *name) {
    double value = NAN;
    if (strcmp(name, "act_alpha") == 0)
        return !isnan(given->a_act); /* NaN: it equals alpha */
    const char *asked = strcmp(name, "optimism") == 0 ? "beta" : name;
    return asif_theta_get(given, asked, &value, NULL) == ASIF_OK && !isnan(value);
}

asif_status asif_fit_request_specs(asif_estimate_spec **out, uint32_t *count, const asif_context *context,
                                   const asif_fit_request *request, asif_error *error) {
    const asif_theta *given = asif_fit_request_given(request);
    uint32_t all = asif_study_estimates(request->study, NULL, 0);
    *count = 0;
    asif_estimate_spec *spec = *out = ASIF_ARRAY(context, (uint64_t)all + 1, asif_estimate_spec);
    if (!spec)
        return asif_fail_memory(error);
    asif_study_estimates(request->study, spec, all);
    for (uint32_t i = 0; i < all; i++)
        if (!has_value(given, spec[i].name))
            spec[(*count)++] = spec[i];
    if (*count)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "nothing is to be estimated: every parameter has a value");
    asif_error_hint(error, "write `alpha: learn` (or another parameter) in the study");
    return ASIF_EINVALID;
}

/* ---- the key ---- */

/* Counts that replace those of the logs. */
static void add_counts(asif_text *text, const double *count, const asif_tree *logs) {
    const asif_tree_view *t = asif_tree_inside(logs);
    char digest[ASIF_DIGEST_SIZE] = "";
    if (count)
        asif_digest_bytes(digest, count, (uint64_t)t->nodes * t->actions * sizeof *count);
    asif_text_addf(text, "%s\n", digest);
}

static asif_status add_clusters(asif_text *text, const asif_tree *clusters, asif_error *error) {
    char digest[ASIF_DIGEST_SIZE] = "", *bytes = NULL;
    uint64_t length = 0;
    if (clusters) {
        ASIF_TRY(asif_tree_bytes(&bytes, &length, clusters, error));
        asif_digest_bytes(digest, bytes, length);
        asif_memory_free(asif_tree_context(clusters), bytes);
    }
    asif_text_addf(text, "%s\n", digest);
    return ASIF_OK;
}

static asif_status add_options(asif_text *text, const asif_fit_request *request, asif_error *error) {
    asif_fit_options how = asif_fit_request_how(request);
    const asif_sample_options *s = &how.sample;
    asif_text_addf(text, "%s\n%s\n%s\n%d %d\n", asif_fit_method_text(how.method),
                   request->by ? request->by : "", request->value ? request->value : "",
                   request->no_sensitivity, request->partial);
    if (request->no_answers)
        asif_text_add(text, "no answers\n");
    asif_text_addf(text, "%u %llu %llu %llu %llu %.17g %u\n", s->chains, (unsigned long long)s->warmup,
                   (unsigned long long)s->draws, (unsigned long long)s->thin, (unsigned long long)s->seed,
                   s->target_accept, how.starts);
    asif_text_addf(text, "%u %.17g %u %u %d %d %llu\n%s\n", s->max_depth, s->step, how.predictive,
                   how.histories, how.draws_only, how.plain, (unsigned long long)how.short_warmup,
                   request->people ? request->people : "");
    asif_world_mode world;
    ASIF_TRY(asif_fit_request_world(&world, request, error));
    if (world != ASIF_WORLD_USUAL)
        asif_text_addf(text, "%s %u\n", asif_world_mode_text(world),
                       world == ASIF_WORLD_CUT ? asif_fit_request_worlds(request) : 0);
    add_counts(text, how.count, request->logs);
    for (const char *const *where = request->where; where && *where; where++)
        asif_text_addf(text, "%s\n", *where);
    return add_clusters(text, how.clusters, error);
}

asif_status asif_fit_key(char *out, const asif_context *context, const asif_fit_request *request,
                         asif_error *error) {
    asif_text text = {.context = context};
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    ASIF_TRY(asif_fit_request_check(request, error));
    asif_plan_options solver = asif_fit_request_solver(request);
    asif_status status = add_options(&text, request, error);
    parts.command = "fit";
    parts.study = request->study;
    parts.given = asif_fit_request_given(request);
    parts.solver = &solver;
    parts.logs = request->logs;
    parts.options = text.data;
    if (status == ASIF_OK)
        status = text.failed ? asif_fail_memory(error) : asif_key_make(out, &parts, error);
    asif_text_free(&text);
    return status;
}

/* ---- the folder ---- */

asif_status asif_fit_open(asif_folder **out, const asif_context *context, const asif_fit_request *request,
                          const char *path, bool force, asif_error *error) {
    char key[ASIF_DIGEST_SIZE];
    *out = NULL;
    ASIF_TRY(asif_fit_key(key, context, request, error));
    asif_folder_options about = ASIF_FOLDER_OPTIONS_INIT;
    about.path = path;
    about.key = key;
    about.force = force;
    asif_fit_options how = asif_fit_request_how(request);
    return asif_made_open(out, context, &about, request->study, asif_fit_names,
                          asif_fit_method_draws(how.method) ? how.sample.chains : 0, error);
}
