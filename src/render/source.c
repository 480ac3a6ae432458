/* Reads the inputs of a page and its figures. */
#include "render/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "logs/map/log_map.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

/* Keys by which the JSON of other commands is recognised: both must be there. */
static const struct {
    const char *kind, *key, *also;
} kinds[] = {
    {"sensitivity", "variations", "statements"},
    {"evaluate", "folds", "models"},
    {"contrast", "groups", "first"},
};

static const char *kind_of(const asif_yaml *root) {
    const char *command = asif_yaml_text(root, "command");
    if (command && (strcmp(command, "recover") == 0 || strcmp(command, "sbc") == 0))
        return command;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (asif_yaml_part(root, kinds[i].key) && asif_yaml_part(root, kinds[i].also))
            return kinds[i].kind;
    return NULL;
}

/* Find the group that an extra is about, and refuse an answer about a group that the page does not show. */
static asif_status find_group(asif_source_extra *out, const asif_source *source, asif_error *error) {
    const asif_yaml *group = asif_yaml_part(out->root, "group");
    const char *column = asif_yaml_text(group, "column"), *value = asif_yaml_text(group, "value");
    out->fit = ASIF_ANY;
    for (uint32_t i = 0; value && i < source->fits; i++)
        if (asif_is(source->fit[i].view.group_value, value) &&
            asif_is(source->fit[i].view.group_column, column ? column : ""))
            out->fit = i;
    if (!value || out->fit != ASIF_ANY)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "this is the answer of another group (%s = %s) than the report shows",
              asif_show(column ? column : "?").text, asif_show(value).text);
    asif_error_at(error, out->name, 0, 0);
    asif_error_hint(error, "run the command for the folder of the report, or for one of its groups");
    return ASIF_EINVALID;
}

/* Add an answer of another command, or one for each group of a folder. */
static asif_status add_extra(asif_source *source, const asif_yaml *root, const char *name,
                             asif_error *error) {
    const char *kind = kind_of(root);
    const asif_yaml *groups = kind ? NULL : asif_yaml_list(root, "groups");
    if (kind) {
        asif_source_extra *extra = &source->extra[source->extras++];
        *extra = (asif_source_extra){.kind = kind, .name = name, .root = root};
        return find_group(extra, source, error);
    }
    for (uint32_t i = 0; groups && i < groups->count && i < source->fits; i++) {
        const asif_yaml *answer = asif_yaml_part(groups->item[i], "answer");
        if (!answer || !kind_of(answer))
            break;
        ASIF_TRY(add_extra(source, answer, name, error));
        if (i + 1 == groups->count)
            return ASIF_OK;
    }
    asif_fail(error, ASIF_EPARSE, "this is not what a command of asif's printed with --json");
    asif_error_at(error, name, root->line, root->column);
    asif_error_hint(error,
                    "a report takes that of sensitivity, evaluate, recover, sbc, and of compare for groups");
    return ASIF_EPARSE;
}

static asif_status read_extra(asif_source *source, uint32_t i, asif_error *error) {
    asif_yaml_document **document = &source->document[i];
    const char *json = source->request->extra[i], *name = source->request->extra_name[i];
    ASIF_TRY(asif_yaml_read(document, source->context, json, strlen(json), name, error));
    asif_names_show(*document, asif_yaml_part(asif_result_root(source->fit[0].result), "labels"));
    return add_extra(source, asif_yaml_root(*document), name, error);
}

/* ---- names of subjects ---- */

static bool is_word(const char *text, uint64_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool names_subjects(const char *text, uint64_t length) {
    return is_word(text, length, "subject") || is_word(text, length, "episode");
}

/* Whether the logs were read with this column as that of subjects or episodes. Any column may be, in a fit
 * that does not list the columns by which its logs were read. */
static bool was_read_as_names(const asif_yaml *fit, const char *column, uint64_t length) {
    const asif_yaml *list = asif_yaml_list(fit, "columns");
    for (uint32_t i = 0; list && i < list->count; i++) {
        const char *role = asif_yaml_text(list->item[i], "role"),
                   *name = asif_yaml_text(list->item[i], "column");
        if (role && name && names_subjects(role, strlen(role)) && is_word(column, length, name))
            return true;
    }
    return !asif_yaml_get(fit, "columns");
}

bool asif_source_hides(const asif_source *source, const char *column, uint64_t length) {
    static const asif_role roles[] = {ASIF_ROLE_SUBJECT, ASIF_ROLE_EPISODE};
    const asif_log_map *map = asif_study_logs(source->fit[0].view.study);
    if (source->request->identify)
        return false;
    if (names_subjects(column, length) || was_read_as_names(source->fit[0].fit.root, column, length))
        return true;
    for (size_t r = 0; map && r < sizeof roles / sizeof *roles; r++)
        for (uint32_t c = 0; c < map->role[roles[r]].columns; c++)
            if (is_word(column, length, map->role[roles[r]].column[c].name))
                return true;
    return false;
}

/* Name the groups. If they are subjects, their names are hidden; groups are subjects if the column says so,
 * or if no group has more than one. */
static void name_groups(asif_source *source) {
    const char *column = source->fit[0].view.group_column;
    bool alone = !source->request->identify && source->fits > 1;
    for (uint32_t i = 0; i < source->fits; i++)
        alone &= asif_yaml_value(asif_yaml_part(source->fit[i].fit.root, "logs"), "subjects") <= 1;
    bool hidden = column && (alone || asif_source_hides(source, column, strlen(column)));
    for (uint32_t i = 0; i < source->fits; i++) {
        asif_source_fit *fit = &source->fit[i];
        fit->name = hidden ? fit->hidden : fit->view.group_value;
        if (hidden)
            asif_format(fit->hidden, sizeof fit->hidden, "group %u", i + 1);
    }
}

static asif_status read_json(asif_yaml_document **document, const asif_yaml **root,
                             const asif_context *context, const char *text, const char *name,
                             asif_error *error) {
    if (!text)
        return ASIF_OK;
    ASIF_TRY(asif_yaml_read(document, context, text, strlen(text), name, error));
    *root = asif_yaml_root(*document);
    return ASIF_OK;
}

static asif_status read_fit(asif_source_fit *out, const asif_source *source, uint32_t i, asif_error *error) {
    const asif_page_request *request = source->request;
    out->result = request->result[i];
    out->view.struct_size = sizeof out->view;
    out->draws.struct_size = sizeof out->draws;
    ASIF_TRY(asif_result_get(out->result, &out->view, error));
    const asif_yaml *root = asif_result_root(out->result), *labels = asif_yaml_part(root, "labels");
    if (labels) {
        ASIF_TRY(asif_shown_read(&out->own, source->context, out->view.json, out->view.length,
                                 out->view.folder, error));
        root = asif_yaml_root(out->own);
    }
    ASIF_TRY(asif_summary_take(&out->fit, source->context, root, out->view.folder, error));
    out->fit.unicode = true;
    out->fit.width = 80;
    if (out->view.fitted->draws)
        ASIF_TRY(asif_draws_get(out->view.fitted->draws, &out->draws, error));
    ASIF_TRY(asif_disclosure_make(&out->cells, source->context, &out->fit,
                                  asif_study_setting(out->view.study), request->min_cell, error));
    ASIF_TRY(read_json(&out->path_document, &out->path, source->context,
                       request->path ? request->path[i] : NULL, "the path", error));
    if (out->path_document)
        asif_names_show(out->path_document, labels);
    ASIF_TRY(read_json(&out->made_document, &out->made, source->context,
                       request->made ? request->made[i] : NULL, "run.json", error));
    return ASIF_OK;
}

static asif_status check_truths(const asif_source *source, asif_error *error) {
    const asif_page_request *request = source->request;
    for (uint32_t t = 0; t < request->truths; t++) {
        bool known = false;
        for (uint32_t i = 0; i < source->fits; i++)
            known |= asif_summary_find(&source->fit[i].fit, request->truth[t]) != NULL;
        if (!known)
            return asif_fail(error, ASIF_EUNKNOWN, "%s was not estimated", asif_show(request->truth[t]).text);
    }
    return ASIF_OK;
}

asif_status asif_source_read(asif_source *out, const asif_context *context, const asif_page_request *request,
                             asif_error *error) {
    *out = (asif_source){.context = context, .request = request};
    if (!request || request->struct_size != sizeof *request || request->results == 0 || !request->result)
        return asif_fail(error, ASIF_EDOMAIN, "a report needs at least one fit");
    out->fit = ASIF_ARRAY(context, request->results, asif_source_fit);
    out->extra = ASIF_ARRAY(context, (uint64_t)request->extras * request->results, asif_source_extra);
    out->document = ASIF_ARRAY(context, request->extras, asif_yaml_document *);
    if (!out->fit || !out->extra || !out->document)
        return asif_fail_memory(error);
    out->fits = request->results;
    for (uint32_t i = 0; i < out->fits; i++)
        ASIF_TRY(read_fit(&out->fit[i], out, i, error));
    name_groups(out);
    for (uint32_t i = 0; i < request->extras; i++)
        ASIF_TRY(read_extra(out, i, error));
    return check_truths(out, error);
}

void asif_source_free(asif_source *source) {
    for (uint32_t i = 0; source->fit && i < source->fits; i++) {
        asif_source_fit *fit = &source->fit[i];
        asif_disclosure_free(fit->cells);
        asif_yaml_free(fit->own);
        asif_yaml_free(fit->path_document);
        asif_yaml_free(fit->made_document);
        if (fit->fit.context)
            asif_summary_free(&fit->fit);
    }
    for (uint32_t i = 0; source->document && i < source->request->extras; i++)
        asif_yaml_free(source->document[i]);
    asif_free(source->context, source->document);
    asif_free(source->context, source->fit);
    asif_free(source->context, source->extra);
}

const asif_source_extra *asif_source_find(const asif_source *source, const char *kind) {
    for (uint32_t i = 0; i < source->extras; i++)
        if (strcmp(source->extra[i].kind, kind) == 0)
            return &source->extra[i];
    return NULL;
}

const asif_source_extra *asif_source_find_of(const asif_source *source, const char *kind, uint32_t fit) {
    for (uint32_t i = 0; i < source->extras; i++) {
        const asif_source_extra *extra = &source->extra[i];
        bool whole = source->fits == 1 && extra->fit == ASIF_ANY;
        if (strcmp(extra->kind, kind) == 0 && (extra->fit == fit || whole))
            return extra;
    }
    return NULL;
}

double asif_source_truth(const asif_source *source, const char *column) {
    for (uint32_t t = 0; t < source->request->truths; t++)
        if (strcmp(source->request->truth[t], column) == 0)
            return source->request->truth_value[t];
    return NAN;
}
