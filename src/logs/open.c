/* Opens logs, which are a table or a saved tree. */
#include "base/error.h"
#include "logs/tree/tree.h"

#include <string.h>

bool asif_tree_has_labels(const asif_tree *tree, const asif_setting *setting, asif_label_kind kind) {
    char buffer[ASIF_LABEL_SIZE];
    uint32_t count = asif_setting_count(setting, kind);
    for (uint32_t i = 0; i < count; i++) {
        const char *label = asif_tree_label(tree, kind, i);
        if (!label || strcmp(label, asif_setting_label(setting, kind, i, buffer)) != 0)
            return false;
    }
    return !asif_tree_label(tree, kind, count);
}

/* Check that the labels of a saved tree are those of the study. */
static asif_status compare_labels(const asif_setting *setting, const asif_tree *tree, const char *path,
                                  asif_error *error) {
    bool seen = asif_setting_get(setting)->observations == 0;
    if (asif_tree_info(tree)->states_seen == seen && asif_tree_has_labels(tree, setting, ASIF_LABEL_ACTION) &&
        asif_tree_has_labels(tree, setting, seen ? ASIF_LABEL_STATE : ASIF_LABEL_OBSERVATION))
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "the tree was counted with other labels than the study's");
    asif_error_at(error, path, 0, 0);
    asif_error_hint(error, "count the table again with --study");
    return ASIF_EINVALID;
}

static asif_status find_covariate(const asif_tree *tree, const char *path, const char *column,
                                  asif_error *error) {
    const char *name = NULL;
    for (uint32_t k = 0; (name = asif_tree_covariate_name(tree, k)); k++)
        if (strcmp(name, column) == 0)
            return ASIF_OK;
    asif_fail(error, ASIF_EUNKNOWN, "the tree was saved without the column `%.100s`", column);
    asif_error_at(error, path, 0, 0);
    asif_error_hint(error, "count the table again with --by %.100s -o TREE", column);
    return ASIF_EUNKNOWN;
}

static asif_status load_tree(asif_tree **out, const asif_context *context, const char *path,
                             const asif_logs_options *options, asif_problems *problems, asif_error *error) {
    asif_status status = asif_tree_load(out, context, path, error);
    if (status == ASIF_OK && options->setting)
        status = compare_labels(options->setting, *out, path, error);
    for (const char *const *column = options->covariates; status == ASIF_OK && column && *column; column++)
        status = find_covariate(*out, path, *column, error);
    if (status == ASIF_OK) {
        asif_tree_note(*out, path, problems);
        return ASIF_OK;
    }
    asif_tree_free(*out);
    *out = NULL;
    return status;
}

asif_status asif_logs_open(asif_tree **out, const asif_context *context, const char *path,
                           const asif_logs_options *options, asif_problems *problems, asif_error *error) {
    *out = NULL;
    if (!path)
        return asif_fail_null(error, "path of logs");
    return asif_tree_recognise(path) ? load_tree(out, context, path, options, problems, error)
                                     : asif_logs_read(out, context, path, options, NULL, problems, error);
}
