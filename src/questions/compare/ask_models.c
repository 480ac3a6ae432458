/* The inputs of a comparison of models: fits and tables, the logs that they describe, and the tables that are
 * written. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/text.h"
#include "logs/tree/tree.h"
#include "questions/compare/compare.h"

#include <inttypes.h>
#include <string.h>

#define MANY_SUBJECTS 10
#define NAME_SIZE 32 /* size of a name such as "log_lik-1.csv" */

typedef struct {
    asif_asking *asking;
    const asif_compare_asked *asked;
    const asif_study *study;          /* study of the first fit */
    uint32_t fits, models;            /* fits come before tables */
    asif_compare_models_model *model; /* [models] */
    bool *chosen;                     /* [units]; NULL: all */
    const char *unit;
} models;

static asif_status check_usage(const asif_compare_asked *asked, asif_error *error) {
    if (!asked->logs) {
        asif_fail(error, ASIF_EINVALID, "--pointwise needs --logs: the logs that the models are of");
        asif_error_hint(error, "asif compare FIT --logs LOGS --pointwise FILE");
        return ASIF_EINVALID;
    }
    if (asked->unit && strcmp(asked->unit, "subject") != 0 && strcmp(asked->unit, "episode") != 0)
        return asif_fail(error, ASIF_EINVALID, "--unit is subject or episode, not '%s'",
                         asif_show(asked->unit).text);
    return ASIF_OK;
}

/* ---- models ---- */

static void discard_table(void *table) {
    asif_pointwise_free(table);
}

/* The name of a fit: its folder, without slashes at the end. */
static const char *name_fit(asif_arena *arena, const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return asif_arena_text(arena, path, length);
}

/* The name of a table: its file, without folder and extension. */
static const char *name_table(asif_arena *arena, const char *path) {
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
    return asif_arena_text(arena, from, dot && dot > from ? (size_t)(dot - from) : strlen(from));
}

static asif_status load_fit(models *m, uint32_t i, asif_comparison *out, asif_error *error) {
    asif_asking *asking = m->asking;
    asif_compare_models_model *model = &m->model[i];
    asif_result_view view;
    model->name = name_fit(&asking->arena, asking->operand[i]);
    if (!model->name)
        return asif_fail_memory(error);
    ASIF_TRY(asif_asking_fit(asking, asking->operand[i], &view, error));
    model->fitted = view.fitted;
    model->trusted = view.trusted;
    out->trusted = out->trusted && view.trusted;
    m->study = i == 0 ? view.study : m->study;
    return ASIF_OK;
}

static asif_status load_table(models *m, uint32_t i, asif_error *error) {
    asif_compare_models_model *model = &m->model[m->fits + i];
    const char *path = m->asked->pointwise.item[i];
    asif_pointwise *table = NULL;
    model->name = name_table(&m->asking->arena, path);
    if (!model->name)
        return asif_fail_memory(error);
    ASIF_TRY(asif_pointwise_read(&table, m->asking->context, path, error));
    model->table = table;
    return asif_asking_own(m->asking, table, discard_table, error);
}

static asif_status load_models(models *m, asif_comparison *out, asif_error *error) {
    m->fits = m->asking->operands;
    m->models = m->fits + m->asked->pointwise.count;
    m->model = ASIF_ARENA_ARRAY(&m->asking->arena, m->models, asif_compare_models_model);
    if (!m->model)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->models; i++)
        m->model[i] = (asif_compare_models_model)ASIF_COMPARE_MODELS_MODEL_INIT;
    for (uint32_t i = 0; i < m->fits; i++)
        ASIF_TRY(load_fit(m, i, out, error));
    for (uint32_t i = 0; i < m->models - m->fits; i++)
        ASIF_TRY(load_table(m, i, error));
    return ASIF_OK;
}

/* ---- logs ---- */

static asif_status read_logs(models *m, bool subjects, const char *const *columns, asif_problems *problems,
                             asif_error *error) {
    asif_asking *asking = m->asking;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.map = asking->map;
    options.setting = asif_study_setting(m->study);
    options.units = subjects ? ASIF_UNITS_SUBJECTS : ASIF_UNITS_EPISODES;
    options.covariates = *columns ? columns : NULL;
    asif_tree_free(asking->tree);
    return asif_logs_open(&asking->tree, asking->context, m->asked->logs, &options, problems, error);
}

static uint64_t units_of(const asif_tree *tree) {
    return tree ? asif_tree_inside(tree)->units : 0;
}

/* Read the logs by subject, if there are enough subjects and no column of --where varies within a subject;
 * else by episode. Problems of a reading that is repeated are dropped. */
static asif_status try_logs(models *m, const char *const *columns, asif_problems *problems,
                            asif_error *error) {
    const char *logs = m->asked->logs, *wanted = m->asked->unit;
    bool again = asif_file_reads_again(logs) && !asif_tree_recognise(logs);
    bool subjects = wanted ? strcmp(wanted, "subject") == 0 : again;
    asif_status status = read_logs(m, subjects, columns, problems, error);
    bool enough = units_of(m->asking->tree) >= MANY_SUBJECTS;
    if (again && subjects && !wanted && !enough && (status == ASIF_OK || *columns)) {
        asif_problems_clear(problems);
        subjects = false;
        status = read_logs(m, subjects, columns, problems, error);
    }
    if (status != ASIF_OK)
        return status;
    const asif_logs_info *info = asif_tree_info(m->asking->tree);
    bool each = units_of(m->asking->tree) == info->episodes;
    bool own = each && info->subjects == info->episodes; /* each episode has a subject of its own */
    m->unit = own || (each && !subjects) ? "episode" : subjects ? "subject" : "unit";
    return ASIF_OK;
}

static asif_status load_logs(models *m, const char *const *columns, asif_error *error) {
    asif_asking *asking = m->asking;
    asif_problems *found = NULL;
    ASIF_TRY(asif_problems_create(&found, asking->context, 0, error));
    asif_status status = try_logs(m, columns, found, error);
    for (uint32_t i = 0; i < asif_problems_count(found); i++) {
        asif_severity severity;
        const asif_error *problem = asif_problems_get(found, i, &severity);
        asif_problems_add(asking->problems, severity, problem);
    }
    asif_problems_free(found);
    if (status == ASIF_OK)
        asif_asking_tell(asking);
    return status;
}

static asif_status choose(models *m, const asif_logs_where *where, asif_error *error) {
    uint32_t wheres = m->asked->where.count;
    if (!wheres)
        return ASIF_OK;
    m->chosen = ASIF_ARENA_ARRAY(&m->asking->arena, units_of(m->asking->tree), bool);
    return m->chosen ? asif_tree_choose(m->chosen, m->asking->tree, where, wheres, error)
                     : asif_fail_memory(error);
}

static asif_status prepare_logs(models *m, asif_error *error) {
    const asif_context *context = m->asking->context;
    const asif_list_option *list = &m->asked->where;
    asif_logs_where *where = NULL;
    const char **columns = NULL;
    ASIF_TRY(asif_wheres_read(&where, context, list->item, list->count, error));
    asif_status status = asif_wheres_columns(&columns, context, NULL, NULL, where, list->count, error);
    if (status == ASIF_OK)
        status = asif_asking_map(m->asking, m->study, &m->asked->map, error);
    if (status == ASIF_OK)
        status = load_logs(m, columns, error);
    if (status == ASIF_OK)
        status = choose(m, where, error);
    asif_free(context, columns);
    asif_free(context, where);
    return status;
}

/* ---- tables ---- */

/* The names of the tables: "pointwise.csv", "log_lik-1.csv", ..., NULL. */
static const char **name_files(models *m) {
    const char **name = ASIF_ARENA_ARRAY(&m->asking->arena, (uint64_t)m->fits + 2, const char *);
    char *text = ASIF_ARENA_ARRAY(&m->asking->arena, (uint64_t)m->fits * NAME_SIZE, char);
    if (!name || !text)
        return NULL;
    name[0] = "pointwise.csv";
    for (uint32_t i = 0; i < m->fits; i++, text += NAME_SIZE) {
        asif_format(text, NAME_SIZE, "log_lik-%" PRIu32 ".csv", i + 1);
        name[i + 1] = text;
    }
    return name;
}

/* Make the key of the folder, which only identifies its inputs; these folders are never resumed. */
static asif_status make_key(char *key, const models *m, asif_error *error) {
    asif_key_parts parts = ASIF_KEY_PARTS_INIT;
    asif_text text = {.context = m->asking->context};
    char *options = NULL;
    asif_text_addf(&text, "%s %" PRIu64 " %" PRIu64, m->unit, m->asked->future.value, m->asked->seed.value);
    for (uint32_t i = 0; i < m->models; i++)
        asif_text_addf(&text, "\n%s", m->model[i].name);
    ASIF_TRY(asif_text_finish(&options, &text, error));
    parts.command = "compare";
    parts.study = m->study;
    parts.logs = m->asking->tree;
    parts.options = options;
    asif_status status = asif_key_make(key, &parts, error);
    asif_free(m->asking->context, options);
    return status;
}

static asif_status open_folder(asif_folder **out, models *m, const char *const *name, asif_error *error) {
    char key[ASIF_DIGEST_SIZE];
    asif_folder_options options = ASIF_FOLDER_OPTIONS_INIT;
    const char *there = asif_asking_path(m->asking, m->asked->output, name[0]);
    if (!there)
        return asif_fail_memory(error);
    ASIF_TRY(make_key(key, m, error));
    options.path = m->asked->output;
    options.key = key;
    options.name = name;
    options.force = asif_os_exists(there);
    return asif_folder_open(out, m->asking->context, &options, error);
}

static asif_status put_tables(asif_folder *folder, const models *m, const char *const *name,
                              const asif_compare_models *made, asif_error *error) {
    for (uint32_t i = 0; i <= m->fits; i++) {
        char *text = NULL;
        asif_status status = i ? asif_compare_models_draws_csv(&text, made, i - 1, error)
                               : asif_compare_models_csv(&text, made, error);
        if (status == ASIF_OK)
            status = asif_folder_put(folder, name[i], text, strlen(text), error);
        asif_free(m->asking->context, text);
        if (status != ASIF_OK)
            return status;
    }
    return asif_folder_commit(folder, error);
}

/* ---- the comparison ---- */

static asif_status compare(asif_comparison *out, const models *m, asif_error *error) {
    asif_compare_models_options options = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    options.chosen = m->chosen;
    options.unit = m->unit;
    options.future = (uint32_t)m->asked->future.value;
    options.seed = m->asked->seed.value;
    options.keep = m->asked->output != NULL;
    return asif_compare_models_run(&out->models, m->asking->context, m->asking->tree, m->model, m->models,
                                   &options, error);
}

asif_status asif_compare_ask_models(asif_comparison *out, asif_asking *asking, asif_error *error) {
    models m = {.asking = asking, .asked = asking->options};
    asif_folder *folder = NULL;
    ASIF_TRY(check_usage(m.asked, error));
    ASIF_TRY(load_models(&m, out, error));
    ASIF_TRY(prepare_logs(&m, error));
    if (!m.asked->output)
        return compare(out, &m, error);
    const char **name = name_files(&m);
    if (!name)
        return asif_fail_memory(error);
    ASIF_TRY(open_folder(&folder, &m, name, error));
    asif_status status = compare(out, &m, error);
    if (status == ASIF_OK)
        status = put_tables(folder, &m, name, out->models, error);
    asif_folder_close(folder);
    return status;
}
