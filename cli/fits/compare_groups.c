#include "fits/compare_groups.h"

#include "fits/fits.h"
#include "say.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    cli_job job;
    uint32_t count, room;
    char **folder;
    char **name;
    asif_result **result;
    asif_compare_groups_group *group;
} comparison;

static int no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

/* ---- which fits ---- */

static int add_folder(comparison *c, char *folder) {
    if (!folder)
        return CLI_SYSTEM;
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 16;
        char **more = realloc(c->folder, room * sizeof *more);
        if (!more) {
            free(folder);
            return no_memory();
        }
        c->folder = more;
        c->room = room;
    }
    c->folder[c->count++] = folder;
    return CLI_OK;
}

/* A fit, or all the groups of a folder. */
static int add_operand(comparison *c, const char *operand) {
    cli_fits fits;
    int code = cli_fits_find(&fits, &c->job, operand, " --by COLUMN");
    for (uint32_t i = 0; code == CLI_OK && i < fits.count; i++) {
        char *copy = strdup(fits.view.grouped ? fits.fit[i]->path : operand);
        code = copy ? add_folder(c, copy) : no_memory();
    }
    cli_fits_free(&fits);
    return code;
}

static int find_folders(comparison *c) {
    const cli_args *args = c->job.args;
    for (uint32_t i = 0; i < args->operands; i++) {
        int code = add_operand(c, args->operand[i]);
        if (code != CLI_OK)
            return code;
    }
    if (c->count >= 2)
        return CLI_OK;
    cli_say("there is only one fit: nothing to compare it with");
    cli_hint("give a folder that `asif fit --by` made, or several folders");
    return CLI_USAGE;
}

/* ---- their names ---- */

/* The value of the group, the last part of the folder, or all of it. */
static const char *called(const comparison *c, uint32_t i, int way, char *room, size_t size) {
    asif_result_view view = {.struct_size = sizeof view};
    const char *folder = c->folder[i];
    if (way == 0)
        return asif_result_get(c->result[i], &view, NULL) == ASIF_OK ? view.group_value : NULL;
    size_t end = strlen(folder), begin;
    while (end > 1 && folder[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && folder[begin - 1] != '/'; begin--)
        ;
    snprintf(room, size, "%.*s", (int)(way == 1 ? end - begin : end), folder + (way == 1 ? begin : 0));
    return room;
}

static bool name_all(comparison *c, int way) {
    char room[4096];
    for (uint32_t i = 0; i < c->count; i++) {
        const char *name = called(c, i, way, room, sizeof room);
        for (uint32_t k = 0; name && k < i; k++)
            if (strcmp(name, c->name[k]) == 0)
                name = NULL;
        if (!name)
            return false;
        free(c->name[i]);
        c->name[i] = strdup(name);
        if (!c->name[i])
            return false;
    }
    return true;
}

static int find_names(comparison *c) {
    c->name = calloc(c->count, sizeof *c->name);
    for (int way = 0; c->name && way < 3; way++)
        if (name_all(c, way))
            return CLI_OK;
    if (!c->name)
        return no_memory();
    cli_say("the same folder is given twice");
    return CLI_USAGE;
}

static int find_first(const comparison *c, uint32_t *first) {
    const char *wanted = c->job.args->first;
    *first = 0;
    if (!wanted)
        return CLI_OK;
    for (; *first < c->count; ++*first)
        if (strcmp(c->name[*first], wanted) == 0)
            return CLI_OK;
    const char *near = asif_nearest_word(wanted, (const char *const *)c->name, c->count);
    cli_say("there is no group '%s'", wanted);
    cli_hint("did you mean '%s'?%s", near ? near : c->name[0], near ? "" : " It is the first of them");
    return CLI_USAGE;
}

/* ---- all of it ---- */

static int load(comparison *c) {
    c->result = calloc(c->count, sizeof *c->result);
    c->group = calloc(c->count, sizeof *c->group);
    if (!c->result || !c->group)
        return no_memory();
    for (uint32_t i = 0; i < c->count; i++)
        if (asif_result_load(&c->result[i], c->job.context, c->folder[i], NULL, &c->job.error) != ASIF_OK)
            return cli_say_error(&c->job.error);
    return find_names(c);
}

static int show(comparison *c, const asif_compare_groups *contrast) {
    asif_report_options report = cli_report_options(c->job.args->json);
    char *json = NULL, *text = NULL;
    asif_status status = asif_compare_groups_json(&json, contrast, &c->job.error);
    if (status == ASIF_OK)
        status = asif_report_compare_groups(&text, c->job.context, json, strlen(json), "contrasts", &report,
                                            &c->job.error);
    if (status == ASIF_OK)
        fputs(text, stdout);
    asif_memory_free(c->job.context, json);
    asif_memory_free(c->job.context, text);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&c->job.error);
}

/* The groups as the library wants them, and what they have in common. */
static bool describe(comparison *c, asif_compare_groups_options *options) {
    bool trusted = true;
    for (uint32_t i = 0; i < c->count; i++) {
        asif_result_view view = {.struct_size = sizeof view};
        asif_result_get(c->result[i], &view, NULL);
        c->group[i] = (asif_compare_groups_group){.struct_size = sizeof c->group[i],
                                                  .name = c->name[i],
                                                  .fitted = view.fitted,
                                                  .trusted = view.trusted,
                                                  .missed = view.missed,
                                                  .likelihood = view.method == ASIF_FIT_ML,
                                                  .people = view.people};
        trusted = trusted && view.trusted;
        if (view.rivals && !c->job.args->quiet)
            cli_say("note: the fit of %s has rival explanations, which its numbers here mix; `asif summary` "
                    "shows each",
                    c->name[i]);
        if (i == 0)
            options->column = view.group_column;
        else if (!view.group_column || !options->column || strcmp(view.group_column, options->column) != 0)
            options->column = NULL;
        if (i == options->first)
            options->title = view.title;
    }
    return trusted;
}

static int compare(comparison *c) {
    const cli_args *args = c->job.args;
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    asif_compare_groups *contrast = NULL;
    int code = find_first(c, &options.first);
    if (code != CLI_OK)
        return code;
    bool trusted = describe(c, &options);
    options.draws = args->draws.given ? (uint32_t)args->draws.value : options.draws;
    options.episodes = args->episodes.given ? args->episodes.value : options.episodes;
    options.max_steps = args->max_steps.given ? (uint32_t)args->max_steps.value : 0;
    options.seed = args->seed.value;
    if (asif_compare_groups_run(&contrast, c->group, c->count, &options, &c->job.error) != ASIF_OK)
        return cli_say_error(&c->job.error);
    code = show(c, contrast);
    asif_compare_groups_free(contrast);
    return code == CLI_OK && !trusted ? CLI_NO : code;
}

static void drop(comparison *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->result)
            asif_result_free(c->result[i]);
        if (c->name)
            free(c->name[i]);
        free(c->folder[i]);
    }
    free(c->result);
    free(c->name);
    free(c->folder);
    free(c->group);
}

int cli_compare_numbers(const cli_args *args, const char *folder, char **json) {
    comparison c = {0};
    asif_compare_groups_options options = ASIF_COMPARE_GROUPS_OPTIONS_INIT;
    asif_compare_groups *contrast = NULL;
    char *text = NULL;
    *json = NULL;
    int code = cli_job_open(&c.job, args);
    cli_progress_begin(&c.job.progress, true);
    if (code == CLI_OK)
        code = add_operand(&c, folder);
    if (code == CLI_OK && c.count > 1)
        code = load(&c);
    if (code == CLI_OK && c.count > 1) {
        describe(&c, &options);
        options.numbers_only = true;
        asif_status status = asif_compare_groups_run(&contrast, c.group, c.count, &options, &c.job.error);
        if (status == ASIF_OK)
            status = asif_compare_groups_json(&text, contrast, &c.job.error);
        if (status == ASIF_OK && !(*json = strdup(text)))
            code = no_memory();
        if (status != ASIF_OK)
            code = cli_say_error(&c.job.error);
    }
    asif_memory_free(c.job.context, text);
    asif_compare_groups_free(contrast);
    drop(&c);
    cli_job_close(&c.job);
    return code;
}

int cli_compare_groups(const cli_args *args) {
    comparison c = {0};
    int code = cli_job_open(&c.job, args);
    /* Thousands of short simulations: a line of progress would only flicker. */
    cli_progress_begin(&c.job.progress, true);
    if (code == CLI_OK)
        code = find_folders(&c);
    if (code == CLI_OK)
        code = load(&c);
    if (code == CLI_OK)
        code = compare(&c);
    drop(&c);
    cli_job_close(&c.job);
    return code;
}
