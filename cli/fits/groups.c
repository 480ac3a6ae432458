#include "fits/groups.h"

#include "fits/folder.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_VALUES 12

static bool same_column(const char *where, const char *column) {
    size_t length = strcspn(where, "=");
    return strlen(column) == length && strncmp(where, column, length) == 0;
}

static int no_memory(void) {
    cli_say("out of memory");
    return CLI_SYSTEM;
}

static int bad_where(const char *where) {
    cli_say("--where wants COLUMN=VALUE, not '%s'", where);
    cli_hint("for example --where arm=control");
    return CLI_USAGE;
}

int cli_columns_make(cli_columns *out, const cli_args *args, const char *also) {
    size_t size = 1;
    for (uint32_t i = 0; i < args->where.count; i++)
        size += strlen(args->where.item[i]) + 1;
    *out = (cli_columns){calloc((size_t)args->where.count + 3, sizeof *out->name), malloc(size)};
    if (!out->name || !out->text)
        return no_memory();
    uint32_t count = 0;
    char *end = out->text;
    if (args->by)
        out->name[count++] = args->by;
    if (also && !(args->by && strcmp(also, args->by) == 0))
        out->name[count++] = also;
    for (uint32_t i = 0; i < args->where.count; i++) {
        const char *where = args->where.item[i];
        size_t length = strcspn(where, "=");
        uint32_t k = 0;
        if (length == 0 || !where[length])
            return bad_where(where);
        while (k < count && !same_column(where, out->name[k]))
            k++;
        if (k < count)
            continue;
        memcpy(end, where, length);
        end[length] = 0;
        out->name[count++] = end;
        end += length + 1;
    }
    return CLI_OK;
}

void cli_columns_free(cli_columns *columns) {
    free(columns->name);
    free(columns->text);
}

/* Index of a covariate that is known to be there. */
static uint32_t covariate(const asif_tree *tree, const char *where) {
    uint32_t k = 0;
    const char *name;
    while ((name = asif_tree_covariate_name(tree, k)) && !same_column(where, name))
        k++;
    return k;
}

/* ---- values ---- */

typedef struct {
    const char *value;
    uint64_t units;
} tally;

static int by_value(const void *a, const void *b) {
    return cli_natural_order(((const tally *)a)->value, ((const tally *)b)->value);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different values of a covariate among the chosen units, in their natural order; "" counts as one. */
static tally *values_of(const asif_tree *tree, uint64_t units, uint32_t k, const bool *chosen,
                        uint64_t *count) {
    const char **value = calloc((size_t)units + 1, sizeof *value);
    tally *list = calloc((size_t)units + 1, sizeof *list);
    uint64_t taken = 0;
    *count = 0;
    for (uint64_t u = 0; value && list && u < units; u++)
        if (chosen[u])
            value[taken++] = asif_tree_covariate(tree, u, k);
    if (value && taken)
        qsort(value, (size_t)taken, sizeof *value, by_text);
    for (uint64_t i = 0; value && list && i < taken; i++) {
        if (!*count || strcmp(list[*count - 1].value, value[i]) != 0)
            list[(*count)++].value = value[i];
        list[*count - 1].units++;
    }
    if (list && *count)
        qsort(list, (size_t)*count, sizeof *list, by_value);
    bool enough = value && list;
    free(value);
    if (enough)
        return list;
    free(list);
    no_memory();
    return NULL;
}

static int no_such_value(const asif_tree *tree, uint64_t units, uint32_t k, const bool *before,
                         const char *where, bool first) {
    uint64_t count;
    tally *list = values_of(tree, units, k, before, &count);
    if (!list)
        return CLI_SYSTEM;
    char text[1024] = "";
    size_t used = 0;
    for (uint64_t i = 0; i < count && i < LISTED_VALUES && used + 80 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", i ? ", " : "",
                                 list[i].value[0] ? list[i].value : "(missing)");
    cli_say("no episode has %s%s", where, first ? "" : " and what is before it with --where");
    cli_hint("%sthe column `%s` has %s%s", first ? "" : "in the episodes that have the rest, ",
             asif_tree_covariate_name(tree, k), text, count > LISTED_VALUES ? ", ..." : "");
    free(list);
    return CLI_USAGE;
}

/* Is a value what --where wants, or one of several between commas? */
static bool is_one_of(const char *value, const char *list) {
    size_t length = strlen(value);
    if (strcmp(value, list) == 0)
        return true;
    for (const char *at = list;; at++) {
        size_t piece = strcspn(at, ",");
        if (piece == length && strncmp(at, value, length) == 0)
            return true;
        at += piece;
        if (!*at)
            return false;
    }
}

/* What --where asks for: all of it holds. */
static int choose(cli_job *job, bool *chosen, uint64_t units) {
    const cli_list *list = &job->args->where;
    for (uint32_t i = 0; i < list->count; i++) {
        const char *where = list->item[i], *value = strchr(where, '=') + 1;
        uint32_t k = covariate(job->tree, where);
        uint64_t left = 0;
        bool *before = malloc((size_t)units + 1);
        if (!before)
            return no_memory();
        memcpy(before, chosen, (size_t)units);
        for (uint64_t u = 0; u < units; u++) {
            chosen[u] = chosen[u] && is_one_of(asif_tree_covariate(job->tree, u, k), value);
            left += chosen[u];
        }
        int code = left ? CLI_OK : no_such_value(job->tree, units, k, before, where, i == 0);
        free(before);
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

/* ---- groups ---- */

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
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree_view all = {.struct_size = sizeof all};
    if (status == ASIF_OK)
        status = asif_tree_get(group->tree, &view, &job->error);
    if (status == ASIF_OK)
        status = asif_tree_get(job->tree, &all, &job->error);
    if (status == ASIF_OK && !helper && view.units == 0 && all.units > 0 && cli_clusters(job))
        status = asif_tree_select_units(&group->episodes, job->tree, chosen, NULL, false, &job->error);
    return status == ASIF_OK ? CLI_OK : cli_say_error(&job->error);
}

static int split(cli_groups *out, cli_job *job, const bool *chosen, uint64_t units) {
    uint32_t k = covariate(job->tree, job->args->by);
    uint64_t count;
    tally *list = values_of(job->tree, units, k, chosen, &count);
    bool *here = malloc((size_t)units + 1);
    out->group = list ? calloc((size_t)count + 1, sizeof *out->group) : NULL;
    int code = list && here && out->group ? CLI_OK : no_memory();
    for (uint64_t i = 0; code == CLI_OK && i < count; i++) {
        if (!list[i].value[0]) {
            if (!job->args->quiet)
                cli_say("%" PRIu64 " episode%s without a value of `%s`: left out", list[i].units,
                        list[i].units == 1 ? "" : "s", job->args->by);
            continue;
        }
        for (uint64_t u = 0; u < units; u++)
            here[u] = chosen[u] && strcmp(asif_tree_covariate(job->tree, u, k), list[i].value) == 0;
        code = add_group(out, job, here, list[i].value);
    }
    if (code == CLI_OK && out->count == 0) {
        cli_say("no episode has a value of `%s`: there are no groups", job->args->by);
        code = CLI_USAGE;
    }
    free(list);
    free(here);
    return code;
}

int cli_groups_make(cli_groups *out, cli_job *job) {
    asif_tree_view view = {.struct_size = sizeof view};
    *out = (cli_groups){0};
    if (asif_tree_get(job->tree, &view, &job->error) != ASIF_OK)
        return cli_say_error(&job->error);
    if (!job->args->by && !job->args->where.count) {
        out->group = calloc(1, sizeof *out->group);
        return out->group ? add_group(out, job, NULL, NULL) : no_memory();
    }
    bool *chosen = malloc((size_t)view.units + 1);
    if (!chosen)
        return no_memory();
    memset(chosen, true, (size_t)view.units);
    int code = choose(job, chosen, view.units);
    if (code == CLI_OK && job->args->by) {
        code = split(out, job, chosen, view.units);
    } else if (code == CLI_OK) {
        out->group = calloc(1, sizeof *out->group);
        code = out->group ? add_group(out, job, chosen, NULL) : no_memory();
    }
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
