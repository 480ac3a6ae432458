/* Inputs of questions: fits, studies with values set by options, and logs. They live as long as the answer.
 */
#include "base/error.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/text.h"
#include "questions/question.h"
#include "study/study.h"

#include <string.h>

/* ---- objects owned by the answer ---- */

struct asif_owned {
    struct asif_owned *before;
    void *object;
    void (*discard)(void *object);
};

asif_status asif_asking_own(asif_asking *asking, void *object, void (*discard)(void *object),
                            asif_error *error) {
    struct asif_owned *owned = ASIF_ARENA_ARRAY(&asking->arena, 1, struct asif_owned);
    if (!owned) {
        discard(object);
        return asif_fail_memory(error);
    }
    *owned = (struct asif_owned){asking->owned, object, discard};
    asking->owned = owned;
    return ASIF_OK;
}

void asif_asking_disown(asif_asking *asking) {
    for (struct asif_owned *owned = asking->owned; owned; owned = owned->before)
        owned->discard(owned->object);
    asking->owned = NULL;
}

static void discard_result(void *result) {
    asif_result_free(result);
}

static void discard_study(void *study) {
    asif_study_free(study);
}

static void discard_theta(void *theta) {
    asif_theta_free(theta);
}

static void discard_work(void *work) {
    asif_work_free(work);
}

static void discard_estimates(void *estimates) {
    asif_estimates_free(estimates);
}

/* ---- messages ---- */

void asif_asking_tell(asif_asking *asking) {
    if (!asking->tell || !asking->problems)
        return;
    asking->tell(asking->user, asking->problems, NULL);
    asif_problems_clear(asking->problems);
}

void asif_asking_note(asif_asking *asking, const char *format, ...) {
    asif_error note = ASIF_ERROR_INIT;
    va_list arguments;
    va_start(arguments, format);
    asif_os_vsnprintf(note.message, sizeof note.message, format, arguments);
    va_end(arguments);
    asif_problems_add(asking->problems, ASIF_PROBLEM_NOTE, &note);
}

/* ---- fits ---- */

const char *asif_asking_path(asif_asking *asking, const char *folder, const char *name) {
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = asif_arena_alloc(&asking->arena, size, 1);
    if (path)
        asif_format(path, size, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", name);
    return path;
}

static void note_labels(asif_asking *asking, const asif_study *study) {
    if (!asking->study && study && asif_study_label_get(study, 0))
        asking->study = study;
}

asif_status asif_asking_fit(asif_asking *asking, const char *folder, asif_result_view *view,
                            asif_error *error) {
    asif_result *result = NULL;
    *view = (asif_result_view){.struct_size = sizeof *view};
    for (uint32_t i = 0; asking->result && i < asking->operands; i++)
        if (asking->result[i] && asking->operand[i] == folder) {
            ASIF_TRY(asif_result_get(asking->result[i], view, error));
            note_labels(asking, view->study);
            return ASIF_OK;
        }
    ASIF_TRY(asif_result_load(&result, asking->context, folder, NULL, error));
    ASIF_TRY(asif_asking_own(asking, result, discard_result, error));
    ASIF_TRY(asif_result_get(result, view, error));
    note_labels(asking, view->study);
    return ASIF_OK;
}

/* ---- studies ---- */

asif_status asif_asking_study(asif_asking *asking, asif_study **out, const char *path, asif_error *error) {
    ASIF_TRY(asif_study_load(out, asking->context, path, asking->problems, error));
    asif_asking_tell(asking);
    ASIF_TRY(asif_asking_own(asking, *out, discard_study, error));
    note_labels(asking, *out);
    return ASIF_OK;
}

asif_status asif_asking_values(asif_asking *asking, asif_theta **out, const asif_study *study,
                               const asif_list_option *param, asif_error *error) {
    ASIF_TRY(asif_study_values(out, study, param->item, param->count, error));
    return asif_asking_own(asking, *out, discard_theta, error);
}

asif_status asif_asking_copy(asif_asking *asking, asif_theta **out, const asif_theta *theta,
                             asif_error *error) {
    ASIF_TRY(asif_theta_copy(out, theta, error));
    return asif_asking_own(asking, *out, discard_theta, error);
}

asif_plan_options asif_asking_solver(const asif_study *study, const asif_solve_asked *asked) {
    asif_plan_options options = *asif_study_solver(study);
    asif_option_count(&options.resolution, &asked->resolution);
    if (asked->resolution.given && options.beliefs == ASIF_BELIEFS_REACHABLE)
        options.beliefs = ASIF_BELIEFS_LATTICE;
    if (asked->tol.given)
        options.tol = asked->tol.value;
    return options;
}

asif_status asif_asking_work(asif_asking *asking, asif_work **out, const asif_study *study,
                             const asif_solve_asked *asked, asif_error *error) {
    asif_plan_options options = asif_asking_solver(study, asked);
    ASIF_TRY(asif_work_create(out, asking->context, asif_study_planner(study), asif_study_setting(study),
                              &options, error));
    return asif_asking_own(asking, *out, discard_work, error);
}

asif_status asif_asking_specs(asif_asking *asking, asif_estimate_spec **out, uint32_t *specs,
                              const asif_study *study, asif_error *error) {
    *specs = asif_study_estimates(study, NULL, 0);
    *out = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)*specs + 1, asif_estimate_spec);
    if (!*out)
        return asif_fail_memory(error);
    asif_study_estimates(study, *out, *specs);
    return ASIF_OK;
}

asif_status asif_asking_estimates(asif_asking *asking, asif_estimates **out, const asif_work *work,
                                  const asif_theta *given, const asif_estimate_spec *spec, uint32_t specs,
                                  asif_problems *problems, asif_error *error) {
    ASIF_TRY(asif_estimates_scaled(out, asking->context, work, given, spec, specs, ASIF_PRIORS_STATED,
                                   problems, error));
    return asif_asking_own(asking, *out, discard_estimates, error);
}

/* ---- logs ---- */

asif_status asif_asking_map(asif_asking *asking, const asif_study *study, const asif_list_option *map,
                            asif_error *error) {
    return asif_study_map(&asking->map, asking->context, study, map->item, map->count, error);
}

asif_status asif_asking_logs(asif_asking *asking, const char *path, const asif_logs_options *options,
                             asif_error *error) {
    if (asking->database)
        ASIF_TRY(asif_logs_read_database(&asking->tree, asking->context, asking->database, path, options,
                                         NULL, asking->problems, error));
    else
        ASIF_TRY(asif_logs_open(&asking->tree, asking->context, path, options, asking->problems, error));
    asif_asking_tell(asking);
    return ASIF_OK;
}

asif_status asif_asking_decisions(asif_asking *asking, const asif_study *study, const asif_list_option *map,
                                  asif_error *error) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    ASIF_TRY(asif_asking_map(asking, study, map, error));
    options.map = asking->map;
    options.setting = asif_study_setting(study);
    ASIF_TRY(asif_asking_logs(asking, asking->operand[1], &options, error));
    if (asif_tree_info(asking->tree)->weight > 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "there are no decisions in it");
    asif_error_at(error, asking->operand[1], 0, 0);
    return ASIF_EINVALID;
}
