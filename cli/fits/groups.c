#include "fits/groups.h"

#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cli_job_columns(const char ***out, cli_job *job, const char *also) {
    *out = NULL;
    int code = cli_job_where(job);
    if (code == CLI_OK && asif_wheres_columns(out, job->context, job->args->by, also, job->where,
                                              job->args->where.count, &job->error) != ASIF_OK)
        code = cli_say_error(&job->error);
    return code;
}

static uint64_t units_of(const asif_tree *tree) {
    asif_tree_view view = {.struct_size = sizeof view};
    return asif_tree_get(tree, &view, NULL) == ASIF_OK ? view.units : 0;
}

int cli_job_choose(bool **chosen, cli_job *job) {
    *chosen = malloc((size_t)units_of(job->tree) + 1);
    if (!*chosen)
        return cli_no_memory();
    if (asif_tree_choose(*chosen, job->tree, job->where, job->args->where.count, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    return CLI_OK;
}

bool cli_clusters(const cli_job *job) {
    const char *method = job->args->method;
    return method && strcmp(method, asif_fit_method_text(ASIF_FIT_ML)) == 0;
}

static int add_group(cli_groups *groups, cli_job *job, const bool *chosen, const char *value) {
    cli_group *group = &groups->group[groups->count];
    *group = (cli_group){.value = value};
    groups->count++;
    asif_helper helper = job->study ? cli_job_helper(job) : ASIF_HELPER_NONE;
    const char *const columns[] = {helper ? cli_job_column(job) : NULL, NULL};
    asif_status status =
        helper ? asif_tree_select_units(&group->tree, job->tree, chosen, columns, true, &job->error)
               : asif_tree_by_subject(&group->tree, job->tree, chosen, group->people, &job->error);
    if (status == ASIF_OK && !helper && units_of(group->tree) == 0 && units_of(job->tree) > 0 &&
        cli_clusters(job))
        status = asif_tree_select_units(&group->episodes, job->tree, chosen, NULL, false, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

/* Make one group of everything that --where selects. */
static int take_all(cli_groups *out, cli_job *job, const bool *chosen) {
    out->group = calloc(1, sizeof *out->group);
    return out->group ? add_group(out, job, chosen, NULL) : cli_no_memory();
}

static void say_missing(const cli_job *job, uint64_t units) {
    if (!job->args->quiet)
        cli_say("%" PRIu64 " episode%s without a value of `%s`: left out", units, units == 1 ? "" : "s",
                job->args->by);
}

static int take_value(cli_groups *out, cli_job *job, const bool *chosen, const char *value) {
    uint64_t units = units_of(job->tree);
    uint32_t k = 0;
    bool *here = malloc((size_t)units + 1);
    if (!here)
        return cli_no_memory();
    while (strcmp(asif_tree_covariate_name(job->tree, k), job->args->by) != 0)
        k++;
    for (uint64_t u = 0; u < units; u++)
        here[u] = chosen[u] && strcmp(asif_tree_covariate(job->tree, u, k), value) == 0;
    int code = add_group(out, job, here, value);
    free(here);
    return code;
}

static char small(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Whether two values are the same but for upper and lower case, blanks and signs that join words. */
static bool alike(const char *a, const char *b) {
    static const char joins[] = " _-\t";
    for (;; a++, b++) {
        a += strspn(a, joins);
        b += strspn(b, joins);
        if (small(*a) != small(*b))
            return false;
        if (!*a)
            return true;
    }
}

/* Warn of groups whose names are spellings of one. */
static void say_alike(const cli_group *group, uint32_t count, const cli_job *job) {
    for (uint32_t i = 0; group && i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            const char *a = group[i].value, *b = group[k].value;
            if (a && b && alike(a, b))
                cli_say(
                    "`%s` and `%s` are two groups of `%s`. If they are two spellings of one, say so in the "
                    "section `logs` of the study: columns: {%s: {recode: {%s: %s}}}",
                    a, b, job->args->by, job->args->by, b, a);
        }
}

static int split(cli_groups *out, cli_job *job, const bool *chosen) {
    asif_covariate_value *list = NULL;
    uint64_t count = 0;
    if (asif_tree_values(&list, &count, job->tree, job->args->by, chosen, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    out->group = calloc((size_t)count + 1, sizeof *out->group);
    int code = out->group ? CLI_OK : cli_no_memory();
    for (uint64_t i = 0; out->group && code == CLI_OK && i < count; i++) {
        if (list[i].value[0])
            code = take_value(out, job, chosen, list[i].value);
        else
            say_missing(job, list[i].units);
    }
    asif_memory_free(job->context, list);
    if (code == CLI_OK && !job->args->quiet)
        say_alike(out->group, out->count, job);
    if (code == CLI_OK && out->count == 0) {
        cli_say("no episode has a value of `%s`: there are no groups", job->args->by);
        code = CLI_USAGE;
    }
    return code;
}

int cli_groups_make(cli_groups *out, cli_job *job) {
    bool *chosen = NULL;
    *out = (cli_groups){0};
    if (!job->args->by && (!job->where || job->part))
        return take_all(out, job, NULL);
    int code = cli_job_choose(&chosen, job);
    if (code == CLI_OK)
        code = job->args->by ? split(out, job, chosen) : take_all(out, job, chosen);
    free(chosen);
    return code;
}

void cli_groups_free(cli_groups *groups) {
    for (uint32_t g = 0; g < groups->count; g++) {
        free(groups->group[g].folder);
        asif_tree_free(groups->group[g].tree);
        asif_tree_free(groups->group[g].episodes);
    }
    free(groups->group);
}
