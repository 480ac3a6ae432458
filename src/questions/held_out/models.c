#include "questions/held_out/models.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "logs/lost.h"
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

/* Fill a model from a study that is whole. */
static asif_status fill_model(asif_held_out_model *model, asif_asking *asking, const asif_study *study,
                              asif_error *error) {
    const asif_models_asked *asked = asking->options;
    const asif_list_option *param = &asked->solve.param;
    asif_theta *given = NULL;
    asif_estimate_spec *spec = NULL;
    uint32_t specs;
    asif_plan_options *solver = ASIF_ARENA_ARRAY(&asking->arena, 1, asif_plan_options);
    if (!solver)
        return asif_fail_memory(error);
    ASIF_TRY(asif_asking_values(asking, &given, study, param, error));
    ASIF_TRY(asif_asking_specs(asking, &spec, &specs, study, error));
    *solver = asif_asking_solver(study, &asked->solve);
    model->planner = asif_study_planner(study);
    model->solver = solver;
    model->inverse = asif_study_inverse(study);
    model->inverse_options = asif_study_asked(study);
    model->given = given;
    model->kinds = asif_study_kinds(study);
    model->effect = asif_study_effects(study, &model->effects);
    model->spec = spec;
    model->specs = asif_study_left(spec, specs, param->item, param->count);
    return ASIF_OK;
}

/* ---- dynamics that are learnt in each training part ---- */

/* A study that leaves its dynamics to be learnt. */
typedef struct {
    asif_asking *asking;
    const char *name, *text;
    uint64_t length;
    const asif_study *study;
} unlearnt;

static void discard_study(void *study) {
    asif_study_free(study);
}

static void discard_text(void *user) {
    unlearnt *u = user;
    asif_free(u->asking->context, (void *)(uintptr_t)u->text);
}

/* Write the text of the study with dynamics that are learnt from a tree. */
static asif_status learn_text(char **out, const unlearnt *u, const asif_tree *tree, asif_error *error) {
    const asif_models_asked *asked = u->asking->options;
    asif_dynamics *dynamics = NULL;
    asif_dynamics_fit *fit = NULL;
    asif_dynamics_options options = ASIF_DYNAMICS_OPTIONS_INIT;
    asif_dynamics_estimate estimate = {.struct_size = sizeof estimate};
    if (asked->solve.seed.given)
        options.seed = asked->solve.seed.value;
    asif_status status = asif_dynamics_create(&dynamics, u->asking->context,
                                              asif_study_hidden_dynamics(u->study), tree, error);
    if (status == ASIF_OK)
        status = asif_dynamics_learn(&fit, dynamics, &options, error);
    if (status == ASIF_OK)
        status = asif_dynamics_fit_get(fit, &estimate, error);
    if (status == ASIF_OK)
        status = asif_study_fill_dynamics(out, u->study, u->text, u->length, estimate.point, error);
    asif_dynamics_fit_free(fit);
    asif_dynamics_free(dynamics);
    return status;
}

static asif_status relearn(asif_held_out_model *model, void *user, const asif_tree *tree, asif_error *error) {
    const unlearnt *u = user;
    asif_asking *asking = u->asking;
    asif_study *study = NULL;
    char *text = NULL;
    ASIF_TRY(learn_text(&text, u, tree, error));
    asif_status status = asif_study_read(&study, asking->context, text, strlen(text), u->name, NULL, error);
    asif_free(asking->context, text);
    ASIF_TRY(status);
    ASIF_TRY(asif_asking_own(asking, study, discard_study, error));
    return fill_model(model, asking, study, error);
}

/* Load a study that may leave its dynamics to be learnt in each part. */
static asif_status load_unlearnt(asif_held_out_model *model, asif_asking *asking, asif_study **out,
                                 const char *path, asif_error *error) {
    unlearnt *u = ASIF_ARENA_ARRAY(&asking->arena, 1, unlearnt);
    char *text = NULL;
    if (!u)
        return asif_fail_memory(error);
    *u = (unlearnt){.asking = asking, .name = path};
    ASIF_TRY(asif_os_read_file(&text, &u->length, asking->context, path, error));
    u->text = text;
    ASIF_TRY(asif_asking_own(asking, u, discard_text, error));
    ASIF_TRY(
        asif_study_read_unlearnt(out, asking->context, u->text, u->length, path, asking->problems, error));
    asif_asking_tell(asking);
    ASIF_TRY(asif_asking_own(asking, *out, discard_study, error));
    u->study = *out;
    if (asif_study_part(*out, 0)) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "dynamics can be learnt again in each fold only where states are hidden");
        asif_error_hint(error, "run `asif learn-world` first, and use the study that it writes");
        asif_error_at(error, path, 0, 0);
        return ASIF_EUNSUPPORTED;
    }
    if (asif_study_hidden_dynamics(*out)) {
        model->relearn = relearn;
        model->user = u;
    }
    return ASIF_OK;
}

static asif_status open_one(asif_models *m, asif_asking *asking, uint32_t i, asif_error *error) {
    const asif_models_asked *asked = asking->options;
    asif_held_out_model *model = &m->model[i];
    *model = (asif_held_out_model)ASIF_HELD_OUT_MODEL_INIT;
    ASIF_TRY(name_model(m, asking, i, error));
    if (asked->relearn)
        ASIF_TRY(load_unlearnt(model, asking, &m->study[i], asking->operand[i], error));
    else
        ASIF_TRY(asif_asking_study(asking, &m->study[i], asking->operand[i], error));
    return fill_model(model, asking, m->study[i], error);
}

bool asif_models_relearn(const asif_models *models) {
    for (uint32_t i = 0; i < models->count; i++)
        if (models->model[i].relearn)
            return true;
    return false;
}

const asif_dynamics_spec *asif_models_dynamics(const asif_models *models) {
    for (uint32_t i = 0; i < models->count; i++)
        if (models->model[i].relearn)
            return asif_study_hidden_dynamics(models->study[i]);
    return NULL;
}

/* ---- logs ---- */

/* List the columns that inverse planners need, and with `people` the covariates of populations,
 * NULL-terminated; `*episodes`: whether they are about episodes. */
static void find_columns(const char **room, bool *episodes, const asif_models *m, bool people) {
    uint32_t count = 0;
    *episodes = false;
    for (uint32_t i = 0; people && i < m->count; i++)
        for (uint32_t k = 0; k < m->model[i].effects; k++) {
            uint32_t at = 0;
            while (at < count && strcmp(room[at], m->model[i].effect[k].column) != 0)
                at++;
            room[at] = m->model[i].effect[k].column;
            count = at == count ? count + 1 : count;
        }
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
    uint64_t most = m->count + (uint64_t)1;
    for (uint32_t i = 0; i < m->count; i++)
        most += m->model[i].effects;
    const char **column = ASIF_ARENA_ARRAY(&asking->arena, most, const char *);
    bool episodes;
    if (!column)
        return asif_fail_memory(error);
    find_columns(column, &episodes, m, asked->people);
    ASIF_TRY(asif_asking_map(asking, m->study[0], &asked->map, error));
    options.map = asking->map;
    options.setting = asif_study_setting(m->study[0]);
    options.units = episodes ? ASIF_UNITS_EPISODES : ASIF_UNITS_SUBJECTS;
    options.covariates = *column ? column : NULL;
    options.order = asked->fold_order && strcmp(asked->fold_order, "file") == 0;
    if (asked->people && episodes) {
        asif_fail(error, ASIF_EUNSUPPORTED,
                  "`people` is for studies that are fitted to what people did, and one "
                  "of these needs data of each episode");
        asif_error_hint(error, "leave out `inverse:` in the study, or `people`");
        return ASIF_EUNSUPPORTED;
    }
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
    double lost = asif_lost_decisions(asif_tree_inside(asking->tree));
    if (lost > 0)
        asif_asking_note(asking,
                         "%.6g of %.6g decisions follow a lost result: studies are fitted to them, too, but "
                         "only the others are scored, and rivals learn from the others",
                         lost, asif_tree_info(asking->tree)->weight);
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
