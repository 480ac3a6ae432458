#include "models.h"

#include "say.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

/* A file without its folder and extension; with its folder where another has the same name. */
static char *short_name(const char *path, bool whole) {
    const char *slash = strrchr(path, '/'), *from = slash && !whole ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    return strndup(from, dot && dot > from ? (size_t)(dot - from) : strlen(from));
}

static int open_one(cli_models *m, const cli_args *args, uint32_t i) {
    cli_job *job = &m->job[i];
    const char *path = args->operand[i];
    int code = cli_job_open(job, args);
    if (code == CLI_OK)
        code = cli_job_load(job, path);
    if (code == CLI_OK)
        code = cli_job_values(job);
    if (code != CLI_OK)
        return code;
    uint32_t left, all;
    code = cli_job_specs(job, &m->spec[i], &left, &all);
    if (code != CLI_OK)
        return code;
    m->name[i] = short_name(path, false);
    for (uint32_t k = 0; k < i && m->name[i]; k++)
        if (strcmp(m->name[k], m->name[i]) == 0) {
            free(m->name[i]);
            m->name[i] = short_name(path, true);
            break;
        }
    if (!m->name[i])
        return no_memory();
    m->solver[i] = cli_job_solver(job);
    m->model[i] = (asif_held_out_model)ASIF_HELD_OUT_MODEL_INIT;
    m->model[i].name = m->name[i];
    m->model[i].planner = asif_study_planner(job->study);
    m->model[i].solver = &m->solver[i];
    m->model[i].inverse = asif_study_inverse(job->study);
    m->model[i].inverse_options = asif_study_asked(job->study);
    m->model[i].given = job->theta;
    m->model[i].spec = m->spec[i];
    m->model[i].specs = left;
    return CLI_OK;
}

/* Columns that inverse planners are told; `*episodes`: of each episode. */
static const char *const *columns_of(const cli_models *m, const char **room, bool *episodes) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const asif_inverse_info *info = asif_inverse_named(m->model[i].inverse);
        if (!info || info->helper == ASIF_HELPER_NONE)
            continue;
        *episodes = true;
        const char *column = asif_helper_column(info->helper, m->model[i].inverse_options);
        if (column)
            room[count++] = column;
    }
    return room;
}

static int read_logs(cli_models *m, const char *path) {
    cli_job *job = &m->job[0];
    const char **room = calloc((size_t)m->count + 1, sizeof *room);
    bool episodes = false;
    if (!room)
        return no_memory();
    const char *const *columns = columns_of(m, room, &episodes);
    int code = cli_job_map(job);
    asif_status status = ASIF_OK;
    if (code == CLI_OK && (episodes || (strcmp(path, "-") != 0 && asif_tree_recognise(path)))) {
        status = cli_job_read(job, &job->tree, path, CLI_UNITS_EPISODES, columns);
    } else if (code == CLI_OK) {
        asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
        options.map = job->map;
        options.setting = asif_study_setting(job->study);
        options.units = ASIF_UNITS_SUBJECTS;
        status = asif_logs_read(&job->tree, job->context, path, &options, NULL, job->problems, &job->error);
        cli_progress_end(&job->progress);
    }
    free(room);
    return code == CLI_OK ? cli_job_said(job, status) : code;
}

int cli_models_open(cli_models *m, const cli_args *args) {
    uint32_t count = args->operands - 1;
    *m = (cli_models){.job = calloc(count, sizeof *m->job),
                      .solver = calloc(count, sizeof *m->solver),
                      .spec = calloc(count, sizeof *m->spec),
                      .model = calloc(count, sizeof *m->model),
                      .name = calloc(count, sizeof *m->name)};
    if (!m->job || !m->solver || !m->spec || !m->model || !m->name)
        return no_memory();
    int code = CLI_OK;
    while (code == CLI_OK && m->count < count) {
        m->count++;
        code = open_one(m, args, m->count - 1);
    }
    return code == CLI_OK ? read_logs(m, args->operand[count]) : code;
}

int cli_models_run(cli_models *m, bool whole, asif_held_out **out) {
    cli_job *job = &m->job[0];
    asif_held_out_options options = ASIF_HELD_OUT_OPTIONS_INIT;
    options.seed = job->args->seed.value;
    options.whole = whole;
    if (job->args->folds.given)
        options.folds = (uint32_t)job->args->folds.value;
    if (job->args->starts.given)
        options.starts = (uint32_t)job->args->starts.value;
    asif_status status =
        asif_held_out_run(out, job->context, m->model, m->count, job->tree, &options, &job->error);
    cli_progress_end(&job->progress);
    if (status == ASIF_EZEROPR && !job->error.file[0])
        snprintf(job->error.file, sizeof job->error.file, "%s", job->args->operand[m->count]);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

int cli_models_show(cli_models *m, const char *json) {
    cli_job *job = &m->job[0];
    asif_report_options report = cli_report_options(job->args->json);
    char *text = NULL;
    if (asif_report_held_out(&text, job->context, json, strlen(json), job->args->operand[0], &report,
                             &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    fputs(text, stdout);
    asif_memory_free(job->context, text);
    return CLI_OK;
}

void cli_models_close(cli_models *m) {
    for (uint32_t i = m->count; i-- > 0;) {
        cli_job_close(&m->job[i]);
        free(m->spec[i]);
        free(m->name[i]);
    }
    free(m->job);
    free(m->solver);
    free(m->spec);
    free(m->model);
    free(m->name);
}
