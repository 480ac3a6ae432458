#include "questions/held_out/models.h"

#include "base/error.h"
#include "base/text.h"
#include "logs/tree/tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- studies ---- */

/* The name of a model: its file without folder and extension; with `whole`, including the folder. */
static const char *short_name(asif_arena *arena, const char *path, bool whole) {
    const char *slash = strrchr(path, '/'), *from = slash && !whole ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    return asif_arena_text(arena, from, dot && dot > from ? (uint64_t)(dot - from) : strlen(from));
}

static asif_status name_model(asif_models *m, asif_asking *asking, uint32_t i, asif_error *error) {
    const char *name = short_name(&asking->arena, asking->operand[i], false);
    bool taken = false;
    for (uint32_t k = 0; name && k < i; k++)
        taken = taken || strcmp(m->model[k].name, name) == 0;
    if (taken)
        name = short_name(&asking->arena, asking->operand[i], true);
    m->model[i].name = name;
    return name ? ASIF_OK : asif_fail_memory(error);
}

static asif_status open_one(asif_models *m, asif_asking *asking, uint32_t i, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    const asif_list_option *param = &asked->solve.param;
    asif_held_out_model *model = &m->model[i];
    asif_study *study = NULL;
    asif_theta *given = NULL;
    asif_estimate_spec *spec = NULL;
    uint32_t specs;
    asif_plan_options *solver = ASIF_ARENA_ARRAY(&asking->arena, 1, asif_plan_options);
    if (!solver)
        return asif_fail_memory(error);
    ASIF_TRY(asif_asking_study(asking, &study, asking->operand[i], error));
    ASIF_TRY(asif_asking_values(asking, &given, study, param, error));
    ASIF_TRY(asif_asking_specs(asking, &spec, &specs, study, error));
    *model = (asif_held_out_model)ASIF_HELD_OUT_MODEL_INIT;
    ASIF_TRY(name_model(m, asking, i, error));
    *solver = asif_asking_solver(study, &asked->solve);
    m->study[i] = study;
    model->planner = asif_study_planner(study);
    model->solver = solver;
    model->inverse = asif_study_inverse(study);
    model->inverse_options = asif_study_asked(study);
    model->given = given;
    model->spec = spec;
    model->specs = asif_study_left(spec, specs, param->item, param->count);
    return ASIF_OK;
}

/* ---- logs ---- */

/* List the columns that inverse planners need, NULL-terminated; `*episodes`: whether they are about
 * episodes. */
static void find_columns(const char **room, bool *episodes, const asif_models *m) {
    uint32_t count = 0;
    *episodes = false;
    for (uint32_t i = 0; i < m->count; i++) {
        const asif_inverse_info *info = asif_inverse_named(m->model[i].inverse);
        if (!info || info->helper == ASIF_HELPER_NONE)
            continue;
        *episodes = true;
        const char *column = asif_helper_column(info->helper, m->model[i].inverse_options);
        if (column)
            room[count++] = column;
    }
}

static asif_status read_logs(const asif_models *m, asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    const char **column = ASIF_ARENA_ARRAY(&asking->arena, (uint64_t)m->count + 1, const char *);
    bool episodes;
    if (!column)
        return asif_fail_memory(error);
    find_columns(column, &episodes, m);
    ASIF_TRY(asif_asking_map(asking, m->study[0], &asked->map, error));
    options.map = asking->map;
    options.setting = asif_study_setting(m->study[0]);
    options.units = episodes ? ASIF_UNITS_EPISODES : ASIF_UNITS_SUBJECTS;
    options.covariates = *column ? column : NULL;
    options.order = asked->fold_order && strcmp(asked->fold_order, "file") == 0;
    return asif_asking_logs(asking, asking->operand[m->count], &options, error);
}

asif_status asif_models_open(asif_models *out, asif_asking *asking, asif_error *error) {
    out->count = asking->operands - 1;
    out->study = ASIF_ARENA_ARRAY(&asking->arena, out->count, asif_study *);
    out->model = ASIF_ARENA_ARRAY(&asking->arena, out->count, asif_held_out_model);
    if (!out->study || !out->model)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < out->count; i++)
        ASIF_TRY(open_one(out, asking, i, error));
    return read_logs(out, asking, error);
}

/* ---- the order of the units ---- */

typedef struct {
    uint64_t place, unit;
} placed;

static int by_place(const void *a, const void *b) {
    const placed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

asif_status asif_models_rank(const uint64_t **out, asif_asking *asking, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    const asif_tree_view *tree = asif_tree_inside(asking->tree);
    *out = NULL;
    if (!asked->fold_order || strcmp(asked->fold_order, "random") == 0)
        return ASIF_OK;
    if (strcmp(asked->fold_order, "file") != 0)
        return asif_fail(error, ASIF_EINVALID, "`fold-order` is `random` or `file`, not `%s`",
                         asif_show(asked->fold_order).text);
    if (tree->covariates == 0 ||
        strcmp(asif_tree_covariate_name(asking->tree, 0), ASIF_COVARIATE_ORDER) != 0) {
        asif_fail(error, ASIF_EINVALID, "a saved tree does not keep the order of the subjects in the table");
        asif_error_hint(error, "read the table, or leave `fold-order` out");
        return ASIF_EINVALID;
    }
    placed *list = ASIF_ARENA_ARRAY(&asking->arena, tree->units, placed);
    uint64_t *rank = ASIF_ARENA_ARRAY(&asking->arena, tree->units, uint64_t);
    if (!list || !rank)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < tree->units; i++)
        list[i] = (placed){strtoull(asif_tree_covariate(asking->tree, i, 0), NULL, 10), i};
    qsort(list, (size_t)tree->units, sizeof *list, by_place);
    for (uint64_t i = 0; i < tree->units; i++)
        rank[list[i].unit] = i;
    *out = rank;
    return ASIF_OK;
}

/* ---- the comparison ---- */

void asif_models_options(asif_held_out_options *out, const asif_models_asked *asked) {
    *out = (asif_held_out_options)ASIF_HELD_OUT_OPTIONS_INIT;
    out->seed = asked->solve.seed.value;
    asif_option_count(&out->folds, &asked->folds);
    asif_option_count(&out->starts, &asked->starts);
}

asif_status asif_models_run(asif_held_out **out, asif_asking *asking, const asif_models *models,
                            const asif_held_out_options *options, asif_error *error) {
    asif_status status =
        asif_held_out_run(out, asking->context, models->model, models->count, asking->tree, options, error);
    if (status == ASIF_EZEROPR && error && !error->file[0])
        asif_error_at(error, asking->operand[models->count], 0, 0);
    return status;
}

asif_status asif_models_json(char **out, const void *result, asif_error *error) {
    return asif_held_out_json(out, result, error);
}

void asif_models_discard(void *result) {
    asif_held_out_free(result);
}
