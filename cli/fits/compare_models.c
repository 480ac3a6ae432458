#include "fits/compare_models.h"

#include "fits/folder.h"
#include "fits/groups.h"
#include "fits/results.h"
#include "job.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MANY_SUBJECTS 10

typedef struct {
    cli_job job;
    uint32_t fits, tables;
    asif_result **result;   /* [fits] */
    asif_pointwise **table; /* [tables] */
    asif_compare_models_model *model;
    char **name; /* [fits + tables] */
    bool *chosen;
    const char *unit;
    bool trusted;
} comparison;

/* ---- usage ---- */

static int check_usage(const cli_args *args) {
    if (!args->logs) {
        cli_say("--pointwise needs --logs: the logs that the models are of");
        cli_hint("asif compare FIT --logs LOGS --pointwise FILE");
        return CLI_USAGE;
    }
    if (args->unit && strcmp(args->unit, "subject") != 0 && strcmp(args->unit, "episode") != 0) {
        cli_say("--unit is subject or episode, not '%s'", args->unit);
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

/* ---- models ---- */

/* A folder without slashes at its end; a file without its folder and extension. */
static char *short_name(const char *path, bool file) {
    size_t length = strlen(path);
    while (!file && length > 1 && path[length - 1] == '/')
        length--;
    if (file) {
        const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
        path = from;
        length = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    }
    return strndup(path, length);
}

static int load_fit(comparison *c, uint32_t i) {
    asif_result_view view = {.struct_size = sizeof view};
    asif_error *error = &c->job.error;
    if (asif_result_load(&c->result[i], c->job.context, c->job.args->operand[i], NULL, error) != ASIF_OK ||
        asif_result_get(c->result[i], &view, error) != ASIF_OK)
        return cli_say_error(error);
    c->model[i].fitted = view.fitted;
    c->model[i].trusted = view.trusted;
    c->trusted = c->trusted && view.trusted;
    return CLI_OK;
}

static int load_models(comparison *c) {
    const cli_args *args = c->job.args;
    uint32_t count = args->operands + args->pointwise.count;
    c->fits = args->operands;
    c->tables = args->pointwise.count;
    c->trusted = true;
    c->result = calloc((size_t)c->fits + 1, sizeof *c->result);
    c->table = calloc((size_t)c->tables + 1, sizeof *c->table);
    c->model = calloc((size_t)count + 1, sizeof *c->model);
    c->name = calloc((size_t)count + 1, sizeof *c->name);
    if (!c->result || !c->table || !c->model || !c->name)
        return no_memory();
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < count; i++) {
        bool file = i >= c->fits;
        const char *path = file ? args->pointwise.item[i - c->fits] : args->operand[i];
        c->model[i] = (asif_compare_models_model)ASIF_COMPARE_MODELS_MODEL_INIT;
        c->model[i].name = c->name[i] = short_name(path, file);
        if (!c->name[i])
            return no_memory();
        if (!file) {
            code = load_fit(c, i);
            continue;
        }
        asif_pointwise **table = &c->table[i - c->fits];
        if (asif_pointwise_read(table, c->job.context, path, &c->job.error) != ASIF_OK)
            return cli_say_error(&c->job.error);
        c->model[i].table = *table;
    }
    return code;
}

/* ---- logs ---- */

/* Problems of a reading that may be done again are not said: the caller does. */
static asif_status read_logs(cli_job *job, bool subjects, const char *const *columns) {
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    const char *path = job->args->logs;
    asif_tree_free(job->tree);
    job->tree = NULL;
    if (strcmp(path, "-") != 0 && asif_tree_recognise(path))
        return cli_job_read(job, &job->tree, path, CLI_UNITS_EPISODES, columns);
    options.map = job->map;
    options.setting = asif_study_setting(job->study);
    options.units = subjects ? ASIF_UNITS_SUBJECTS : ASIF_UNITS_EPISODES;
    options.covariates = *columns ? columns : NULL;
    asif_status status =
        asif_logs_read(&job->tree, job->context, path, &options, NULL, job->problems, &job->error);
    cli_progress_end(&job->progress);
    return status;
}

static uint64_t units_of(const asif_tree *tree) {
    asif_tree_view view = {.struct_size = sizeof view};
    return asif_tree_get(tree, &view, NULL) == ASIF_OK ? view.units : 0;
}

/* Subjects where there are enough of them and they can be had (a column of --where may vary within a
 * subject), else episodes. */
static int load_logs(comparison *c, const char *const *columns) {
    cli_job *job = &c->job;
    const char *wanted = job->args->unit;
    bool again = strcmp(job->args->logs, "-") != 0 && !asif_tree_recognise(job->args->logs);
    bool subjects = again ? !wanted || strcmp(wanted, "subject") == 0 : wanted && wanted[0] == 's';
    asif_status status = read_logs(job, subjects, columns);
    bool enough = status == ASIF_OK && units_of(job->tree) >= MANY_SUBJECTS;
    if (again && subjects && !wanted && !enough && (status == ASIF_OK || *columns)) {
        int code = cli_job_renew_problems(job);
        if (code != CLI_OK)
            return code;
        subjects = false;
        status = read_logs(job, false, columns);
    }
    int code = cli_job_said(job, status);
    if (code != CLI_OK)
        return code;
    const asif_logs_info *info = asif_tree_info(job->tree);
    uint64_t units = units_of(job->tree);
    bool own = units == info->episodes && info->subjects == info->episodes; /* each its own subject */
    c->unit = units == info->episodes && (own || !subjects) ? "episode" : subjects ? "subject" : "unit";
    return CLI_OK;
}

/* What --where leaves; what cannot be is said by those who made groups for fits. */
static int choose(comparison *c) {
    cli_job *job = &c->job;
    const cli_list *list = &job->args->where;
    cli_groups groups = {0};
    if (!list->count)
        return CLI_OK;
    int code = cli_groups_make(&groups, job);
    cli_groups_free(&groups);
    uint64_t units = units_of(job->tree);
    c->chosen = malloc((size_t)units + 1);
    if (!c->chosen)
        return no_memory();
    for (uint64_t u = 0; code == CLI_OK && u < units; u++) {
        c->chosen[u] = true;
        for (uint32_t i = 0; i < list->count; i++) {
            size_t length = strcspn(list->item[i], "=");
            const char *name;
            for (uint32_t k = 0; (name = asif_tree_covariate_name(job->tree, k)); k++)
                if (strlen(name) == length && strncmp(name, list->item[i], length) == 0 &&
                    strcmp(asif_tree_covariate(job->tree, u, k), list->item[i] + length + 1) != 0)
                    c->chosen[u] = false;
        }
    }
    return code;
}

static int prepare_logs(comparison *c) {
    cli_job *job = &c->job;
    cli_columns columns = {NULL, NULL};
    int code = cli_columns_make(&columns, job->args, NULL);
    if (code == CLI_OK)
        code = cli_job_load_fitted(job, job->args->operand[0]);
    if (code == CLI_OK)
        code = cli_job_map(job);
    if (code == CLI_OK)
        code = load_logs(c, columns.name);
    if (code == CLI_OK)
        code = choose(c);
    cli_columns_free(&columns);
    return code;
}

/* ---- the comparison ---- */

static int put(comparison *c, asif_folder *folder, asif_status status, const char *name, char *text) {
    int code = status == ASIF_OK ? cli_results_put(folder, &c->job, name, text, strlen(text))
                                 : cli_say_error(&c->job.error);
    asif_memory_free(c->job.context, text);
    return code;
}

static int put_tables(comparison *c, asif_folder *folder, const char *const *name,
                      const asif_compare_models *made) {
    char *text = NULL;
    asif_status status = asif_compare_models_csv(&text, made, &c->job.error);
    int code = put(c, folder, status, name[0], text);
    for (uint32_t i = 0; code == CLI_OK && i < c->fits; i++) {
        text = NULL;
        status = asif_compare_models_draws_csv(&text, made, i, &c->job.error);
        code = put(c, folder, status, name[i + 1], text);
    }
    return code;
}

static int write_tables(comparison *c, const asif_compare_models *made) {
    enum { SIZE = 32 };
    asif_folder *folder = NULL;
    if (!c->job.args->output)
        return CLI_OK;
    const char **name = calloc((size_t)c->fits + 2, sizeof *name);
    char *text = malloc((size_t)c->fits * SIZE + 1);
    int code = CLI_SYSTEM;
    if (name && text) {
        name[0] = "pointwise.csv";
        for (uint32_t i = 0; i < c->fits; i++) {
            name[i + 1] = text + (size_t)i * SIZE;
            snprintf(text + (size_t)i * SIZE, SIZE, "log_lik-%" PRIu32 ".csv", i + 1);
        }
        code = cli_results_open(&folder, &c->job, c->job.args->output, name);
        if (code == CLI_OK)
            code = put_tables(c, folder, name, made);
        code = cli_results_close(folder, &c->job, code);
    } else {
        cli_say("out of memory");
    }
    free(name);
    free(text);
    return code;
}

static int show(comparison *c, const asif_compare_models *made) {
    cli_job *job = &c->job;
    asif_report_options report = cli_report_options(job->args->json);
    char *json = NULL, *text = NULL;
    asif_status status = asif_compare_models_json(&json, made, &job->error);
    if (status == ASIF_OK)
        status = asif_report_compare_models(&text, job->context, json, strlen(json), "the comparison",
                                            &report, &job->error);
    int code = status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
    if (code == CLI_OK)
        fputs(text, stdout);
    asif_memory_free(job->context, text);
    asif_memory_free(job->context, json);
    return code;
}

static int compare(comparison *c) {
    cli_job *job = &c->job;
    asif_compare_models_options options = ASIF_COMPARE_MODELS_OPTIONS_INIT;
    asif_compare_models *made = NULL;
    int code = load_models(c);
    if (code == CLI_OK)
        code = prepare_logs(c);
    if (code != CLI_OK)
        return code;
    options.chosen = c->chosen;
    options.unit = c->unit;
    options.future = (uint32_t)job->args->future.value;
    options.seed = job->args->seed.value;
    options.keep = job->args->output != NULL;
    asif_status status = asif_compare_models_run(&made, job->context, job->tree, c->model,
                                                 c->fits + c->tables, &options, &job->error);
    cli_progress_end(&job->progress);
    code = status == ASIF_OK ? show(c, made) : cli_say_error(&job->error);
    if (code == CLI_OK)
        code = write_tables(c, made);
    asif_compare_models_free(made);
    return code == CLI_OK && !c->trusted ? CLI_NO : code;
}

static void comparison_free(comparison *c) {
    for (uint32_t i = 0; c->result && i < c->fits; i++)
        asif_result_free(c->result[i]);
    for (uint32_t i = 0; c->table && i < c->tables; i++)
        asif_pointwise_free(c->table[i]);
    for (uint32_t i = 0; c->name && i < c->fits + c->tables; i++)
        free(c->name[i]);
    free(c->result);
    free(c->table);
    free(c->model);
    free(c->name);
    free(c->chosen);
    cli_job_close(&c->job);
}

int cli_compare_models(const cli_args *args) {
    comparison c = {.fits = 0};
    int code = check_usage(args);
    if (code != CLI_OK)
        return code;
    code = cli_job_open(&c.job, args);
    if (code == CLI_OK)
        code = compare(&c);
    comparison_free(&c);
    return code;
}
