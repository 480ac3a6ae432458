/* Parts of logs: selects units by the values of columns. */
#include "logs/parts.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "logs/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_VALUES 12

/* ---- conditions as the user writes them ---- */

static asif_status bad_where(const char *text, asif_error *error) {
    asif_fail(error, ASIF_EINVALID, "--where wants COLUMN=VALUE, not '%s'", asif_show(text).text);
    asif_error_hint(error, "for example --where arm=control");
    return ASIF_EINVALID;
}

/* Split "COLUMN=A,B" from two copies of it: `whole` becomes the column and the whole value "A,B", `apart` the
 * values A and B. Returns the number of values. */
static uint32_t split(asif_logs_where *where, char *whole, char *apart, const char **value) {
    size_t name = strcspn(whole, "=");
    whole[name] = 0;
    *where = (asif_logs_where){.column = whole, .value = value};
    value[where->values++] = whole + name + 1;
    for (char *at = apart + name + 1;;) {
        size_t length = strcspn(at, ",");
        bool last = !at[length];
        at[length] = 0;
        value[where->values++] = at;
        if (last)
            return where->values;
        at += length + 1;
    }
}

asif_status asif_wheres_read(asif_logs_where **out, const asif_context *context, const char *const *text,
                             uint32_t count, asif_error *error) {
    uint64_t values = 0, bytes = 0;
    *out = NULL;
    if (count && !text)
        return asif_fail_null(error, "list of parts");
    for (uint32_t i = 0; i < count; i++) {
        if (text[i][0] == '=' || !strchr(text[i], '='))
            return bad_where(text[i], error);
        bytes += 2 * (strlen(text[i]) + 1);
        values += 2;
        for (const char *c = text[i]; *c; c++)
            values += *c == ',';
    }
    asif_logs_where *where =
        asif_alloc(context, 1, (size_t)(count * sizeof *where + values * sizeof(char *) + bytes + 1));
    if (!where)
        return asif_fail_memory(error);
    const char **value = (const char **)(void *)(where + count);
    char *at = (char *)(value + values);
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(text[i]) + 1;
        memcpy(at, text[i], size);
        memcpy(at + size, text[i], size);
        value += split(&where[i], at, at + size, value);
        at += 2 * size;
    }
    *out = where;
    return ASIF_OK;
}

static void add_column(const char **list, const char *column) {
    while (*list && strcmp(*list, column) != 0)
        list++;
    *list = column;
}

asif_status asif_wheres_columns(const char ***out, const asif_context *context, const char *first,
                                const char *second, const asif_logs_where *where, uint32_t wheres,
                                asif_error *error) {
    *out = ASIF_ARRAY(context, (uint64_t)wheres + 3, const char *);
    if (!*out)
        return asif_fail_memory(error);
    if (first)
        add_column(*out, first);
    if (second)
        add_column(*out, second);
    for (uint32_t i = 0; i < wheres; i++)
        add_column(*out, where[i].column);
    return ASIF_OK;
}

/* ---- values ---- */

static asif_status find_column(uint32_t *out, const asif_tree *tree, const char *column, asif_error *error) {
    const char *name;
    if (!column)
        return asif_fail_null(error, "name of a column");
    for (*out = 0; (name = asif_tree_covariate_name(tree, *out)); ++*out)
        if (strcmp(name, column) == 0)
            return ASIF_OK;
    return asif_fail(error, ASIF_EUNKNOWN, "the logs were read without the column `%s`",
                     asif_show(column).text);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_value(const void *a, const void *b) {
    const char *x = ((const asif_covariate_value *)a)->value, *y = ((const asif_covariate_value *)b)->value;
    return asif_natural_order(x, strlen(x), y, strlen(y));
}

asif_status asif_tree_values(asif_covariate_value **out, uint64_t *count, const asif_tree *tree,
                             const char *column, const bool *chosen, asif_error *error) {
    const asif_context *context = asif_tree_context(tree);
    uint64_t units = asif_tree_inside(tree)->units, taken = 0;
    uint32_t k = 0;
    *out = NULL;
    *count = 0;
    ASIF_TRY(find_column(&k, tree, column, error));
    const char **value = ASIF_ARRAY(context, units, const char *);
    asif_covariate_value *list = ASIF_ARRAY(context, units, asif_covariate_value);
    if (!value || !list) {
        asif_free(context, value);
        asif_free(context, list);
        return asif_fail_memory(error);
    }
    for (uint64_t u = 0; u < units; u++)
        if (!chosen || chosen[u])
            value[taken++] = asif_tree_covariate(tree, u, k);
    if (taken)
        qsort(value, taken, sizeof *value, by_text);
    for (uint64_t i = 0; i < taken; i++) {
        if (!i || strcmp(value[i], value[i - 1]) != 0)
            list[(*count)++].value = value[i];
        list[*count - 1].units++;
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_value);
    asif_free(context, value);
    *out = list;
    return ASIF_OK;
}

/* ---- selection ---- */

bool asif_where_holds(const asif_logs_where *where, const char *value) {
    for (uint32_t k = 0; k < where->values; k++)
        if (strcmp(where->value[k], value) == 0)
            return true;
    return false;
}

asif_status asif_where_nobody(const asif_logs_where *where, uint32_t which, const char *const *value,
                              uint64_t count, asif_error *error) {
    const asif_logs_where *here = &where[which];
    char text[240] = "";
    size_t used = 0;
    for (uint64_t i = 0; i < count && i < LISTED_VALUES && used + 80 < sizeof text; i++)
        used += (size_t)asif_format(text + used, sizeof text - used, "%s%.60s", i ? ", " : "",
                                    value[i][0] ? value[i] : "(missing)");
    asif_fail(error, ASIF_EINVALID, "no episode has %s=%s%s", here->column, here->value[0],
              which ? " and what is before it with --where" : "");
    asif_error_hint(error, "%sthe column `%s` has %s%s", which ? "in the episodes that have the rest, " : "",
                    here->column, text, count > LISTED_VALUES ? ", ..." : "");
    return ASIF_EINVALID;
}

static asif_status nobody(const asif_tree *tree, const asif_logs_where *where, uint32_t which,
                          const bool *before, asif_error *error) {
    const char *value[LISTED_VALUES];
    asif_covariate_value *list = NULL;
    uint64_t count = 0;
    ASIF_TRY(asif_tree_values(&list, &count, tree, where[which].column, before, error));
    for (uint64_t i = 0; i < count && i < LISTED_VALUES; i++)
        value[i] = list[i].value;
    asif_status status = asif_where_nobody(where, which, value, count, error);
    asif_free(asif_tree_context(tree), list);
    return status;
}

static asif_status take(bool *chosen, const asif_tree *tree, const asif_logs_where *where, uint32_t which,
                        bool *before, asif_error *error) {
    uint64_t units = asif_tree_inside(tree)->units, left = 0;
    uint32_t k = 0;
    ASIF_TRY(find_column(&k, tree, where[which].column, error));
    memcpy(before, chosen, units);
    for (uint64_t u = 0; u < units; u++) {
        chosen[u] = chosen[u] && asif_where_holds(&where[which], asif_tree_covariate(tree, u, k));
        left += chosen[u];
    }
    return left ? ASIF_OK : nobody(tree, where, which, before, error);
}

asif_status asif_tree_choose(bool *chosen, const asif_tree *tree, const asif_logs_where *where,
                             uint32_t wheres, asif_error *error) {
    uint64_t units = asif_tree_inside(tree)->units;
    bool *before = ASIF_ARRAY(asif_tree_context(tree), units, bool);
    asif_status status = before ? ASIF_OK : asif_fail_memory(error);
    memset(chosen, true, units);
    for (uint32_t i = 0; status == ASIF_OK && i < wheres; i++)
        status = take(chosen, tree, where, i, before, error);
    asif_free(asif_tree_context(tree), before);
    return status;
}
