/* A finished fit, read back from its folder. */
#include "asif/fit.h"

#include "base/data/yaml.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/problems.h"
#include "base/text.h"
#include "fit/fit.h"
#include "fit/folder/folder.h"
#include "sample/draws.h"

#include <math.h>
#include <string.h>

#define MOST_TIMES 5

struct asif_result {
    const asif_context *context;
    asif_result_view view;
    asif_fitted fitted;
    asif_yaml_document *document;
    asif_study *study;
    asif_theta *given;
    asif_work *work;
    asif_tree *tree;
    asif_draws *draws;
    asif_estimates *estimates;
    asif_estimate_spec *spec;
    asif_plan_options solver;
    asif_inverse_options inverse_options;
    double *maximum;
    asif_identified *identified;
    char *json, *folder;
    char *read_from;        /* the folder, or its staging folder if the files are not yet moved */
    asif_logs_where *where; /* conditions on rows; that of the group is the last */
};

/* "folder/name", owned by the caller. */
static char *join(const asif_result *r, const char *name) {
    asif_text path = {.context = r->context};
    asif_text_addf(&path, "%s/%s", r->read_from, name);
    if (path.failed)
        asif_text_free(&path);
    return path.data;
}

static asif_status damaged(const asif_result *r, const char *what, asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "%.100s/fit.json has no %s", asif_show(r->folder).text, what);
    asif_error_hint(error, "it was written by another version, or changed: fit again");
    return ASIF_EPARSE;
}

static const asif_yaml *part(const asif_result *r, const char *key, asif_yaml_kind kind) {
    const asif_yaml *node = asif_yaml_get(asif_yaml_root(r->document), key);
    return node && node->kind == kind ? node : NULL;
}

#define MOST_INTERVALS 1000000 /* of a lattice, as in a study file */

static bool is_null(const asif_yaml *node) {
    return !node || (node->kind == ASIF_YAML_SCALAR && !node->quoted && strcmp(node->text, "null") == 0);
}

static double number_in(const asif_yaml *map, const char *key) {
    const asif_yaml *node = map && map->kind == ASIF_YAML_MAP ? asif_yaml_get(map, key) : NULL;
    double value = NAN;
    if (!node || node->kind != ASIF_YAML_SCALAR || !asif_number_read(node->text, strlen(node->text), &value))
        return NAN;
    return value;
}

/* Read a count of up to 64 bits, which a double would round. */
static bool count_in(const asif_yaml *map, const char *key, uint64_t *out) {
    const asif_yaml *node = map && map->kind == ASIF_YAML_MAP ? asif_yaml_get(map, key) : NULL;
    uint64_t count = 0;
    if (!node || node->kind != ASIF_YAML_SCALAR || !node->text[0])
        return false;
    for (const char *at = node->text; *at; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*at < '0' || *at > '9' || count > (UINT64_MAX - digit) / 10)
            return false;
        count = 10 * count + digit;
    }
    *out = count;
    return true;
}

/* ---- fit.json ---- */

static asif_status read_json(asif_result *r, asif_error *error) {
    char *path = join(r, "fit.json");
    if (!path)
        return asif_fail_memory(error);
    asif_status status = ASIF_OK;
    if (asif_folder_has_people(r->context, r->folder)) {
        status = asif_fail_people(r->folder, error);
    } else if (!asif_os_exists(path)) {
        status = asif_fail(error, ASIF_ENOFILE, "%.100s holds no finished fit", asif_show(r->folder).text);
        asif_error_hint(
            error,
            "`asif fit STUDY LOGS -o DIR` makes one; of a fit --by groups, name the folder of one group");
    } else {
        status = asif_os_read_file(&r->json, &r->view.length, r->context, path, error);
    }
    if (status == ASIF_OK)
        status = asif_yaml_read(&r->document, r->context, r->json, r->view.length, path, error);
    asif_free(r->context, path);
    if (status == ASIF_OK && asif_yaml_root(r->document)->kind != ASIF_YAML_MAP)
        status = damaged(r, "fit in it", error);
    return status;
}

static asif_status find_method(asif_result *r, asif_error *error) {
    const asif_yaml *node = part(r, "method", ASIF_YAML_SCALAR);
    const char *known;
    for (uint32_t i = 0; node && (known = asif_fit_method_text((asif_fit_method)i)); i++)
        if (strcmp(known, node->text) == 0) {
            r->view.method = (asif_fit_method)i;
            return ASIF_OK;
        }
    return damaged(r, "method", error);
}

static void find_words(asif_result *r) {
    const asif_yaml *group = part(r, "group", ASIF_YAML_MAP), *trust = part(r, "trust", ASIF_YAML_MAP);
    const asif_yaml *column = group ? asif_yaml_get(group, "column") : NULL;
    const asif_yaml *value = group ? asif_yaml_get(group, "value") : NULL;
    const asif_yaml *good = trust ? asif_yaml_get(trust, "good") : NULL;
    r->view.group_column = column && column->kind == ASIF_YAML_SCALAR ? column->text : NULL;
    r->view.group_value = value && value->kind == ASIF_YAML_SCALAR ? value->text : NULL;
    r->view.trusted = good && good->kind == ASIF_YAML_SCALAR && strcmp(good->text, "true") == 0;
    const asif_yaml *described = trust ? asif_yaml_get(trust, "described") : NULL;
    r->view.missed =
        described && described->kind == ASIF_YAML_SCALAR && strcmp(described->text, "false") == 0;
    const asif_yaml *people = part(r, "people", ASIF_YAML_SCALAR);
    r->view.people = is_null(people) ? NULL : people->text;
    const asif_yaml *rivals = part(r, "rivals", ASIF_YAML_SCALAR);
    r->view.rivals = rivals && strcmp(rivals->text, "true") == 0;
    r->view.title = asif_study_title(r->study);
}

/* ---- the part of the logs ---- */

static asif_status read_part(asif_result *r, const asif_yaml *list, const char **text, asif_error *error) {
    uint32_t count = 0;
    for (; list && count < list->count; count++) {
        text[count] = list->item[count]->text;
        if (list->item[count]->kind != ASIF_YAML_SCALAR || text[count][0] == '=' || !strchr(text[count], '='))
            return damaged(r, "part of the logs", error);
    }
    bool group = r->view.group_column && r->view.group_value;
    if (group)
        text[count++] = "group=value"; /* replaced below by the value as it is, which may contain commas */
    ASIF_TRY(asif_wheres_read(&r->where, r->context, text, count, error));
    if (group)
        r->where[count - 1] = (asif_logs_where){r->view.group_column, 1, &r->view.group_value};
    r->view.where = r->where;
    r->view.wheres = count;
    return ASIF_OK;
}

static asif_status find_part(asif_result *r, asif_error *error) {
    const asif_yaml *list = part(r, "where", ASIF_YAML_LIST);
    const char **text = ASIF_ARRAY(r->context, (list ? (uint64_t)list->count : 0) + 1, const char *);
    asif_status status = text ? read_part(r, list, text, error) : asif_fail_memory(error);
    asif_free(r->context, text);
    return status;
}

/* ---- assumed values and estimates ---- */

static asif_status set_given(asif_result *r, asif_error *error) {
    const asif_yaml *given = part(r, "given", ASIF_YAML_MAP);
    if (!given)
        return damaged(r, "given values", error);
    ASIF_TRY(asif_theta_copy(&r->given, asif_study_theta(r->study), error));
    for (uint32_t i = 0; i < given->count; i++)
        if (given->item[i]->kind == ASIF_YAML_SCALAR)
            ASIF_TRY(asif_theta_set_text(r->given, given->key[i]->text, given->item[i]->text, error));
    return ASIF_OK;
}

static bool was_given(const asif_result *r, const char *name) {
    const asif_yaml *given = part(r, "given", ASIF_YAML_MAP);
    return asif_yaml_get(given, strcmp(name, "optimism") == 0 ? "beta" : name) != NULL;
}

static asif_status find_estimates(asif_result *r, asif_error *error) {
    uint32_t count = asif_study_estimates(r->study, NULL, 0), kept = 0;
    r->spec = ASIF_ARRAY(r->context, (uint64_t)count + 1, asif_estimate_spec);
    if (!r->spec)
        return asif_fail_memory(error);
    asif_study_estimates(r->study, r->spec, count);
    for (uint32_t i = 0; i < count; i++)
        if (!was_given(r, r->spec[i].name))
            r->spec[kept++] = r->spec[i];
    r->fitted.specs = kept;
    asif_priors priors = r->view.method == ASIF_FIT_PUBLISHED ? ASIF_PRIORS_PUBLISHED : ASIF_PRIORS_STATED;
    return asif_estimates_scaled(&r->estimates, r->context, r->work, r->given, r->spec, kept, priors, NULL,
                                 error);
}

static asif_status find_maximum(asif_result *r, asif_error *error) {
    const asif_yaml *maximum = part(r, "maximum", ASIF_YAML_MAP);
    const asif_yaml *values = maximum ? asif_yaml_get(maximum, "values") : NULL;
    const asif_estimate_info *info;
    uint32_t count = 0;
    if (is_null(values))
        return ASIF_OK;
    while (asif_estimates_get(r->estimates, count))
        count++;
    r->maximum = ASIF_ARRAY(r->context, count, double);
    if (!r->maximum)
        return asif_fail_memory(error);
    for (uint32_t i = 0; (info = asif_estimates_get(r->estimates, i)); i++) {
        r->maximum[i] = number_in(values, info->name);
        if (isnan(r->maximum[i]))
            return damaged(r, "maximum for what its study estimates", error);
    }
    return ASIF_OK;
}

static asif_identified verdict_in(const asif_yaml *number) {
    const asif_yaml *node =
        number && number->kind == ASIF_YAML_MAP ? asif_yaml_get(number, "identified") : NULL;
    if (node && !is_null(node) && node->kind == ASIF_YAML_SCALAR)
        for (int k = ASIF_IDENTIFIED_NO; k <= ASIF_IDENTIFIED_YES; k++)
            if (strcmp(node->text, asif_identified_text((asif_identified)k)) == 0)
                return (asif_identified)k;
    return ASIF_IDENTIFIED_UNKNOWN;
}

static asif_status find_verdicts(asif_result *r, asif_error *error) {
    const asif_yaml *numbers = part(r, "parameters", ASIF_YAML_MAP);
    const asif_estimate_info *info;
    uint32_t count = 0;
    if (!numbers)
        return damaged(r, "parameters", error);
    while (asif_estimates_get(r->estimates, count))
        count++;
    r->identified = ASIF_ARRAY(r->context, count, asif_identified);
    if (!r->identified)
        return asif_fail_memory(error);
    for (uint32_t i = 0; (info = asif_estimates_get(r->estimates, i)); i++) {
        const asif_yaml *number = asif_yaml_get(numbers, info->name);
        const char *doubt = asif_yaml_text(number, "doubt");
        r->identified[i] = verdict_in(number);
        r->view.doubted |= doubt && !asif_is(doubt, asif_doubt_text(ASIF_DOUBT_ASSUMPTIONS));
    }
    return ASIF_OK;
}

/* ---- draws ---- */

static asif_status check_columns(const asif_result *r, asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    const asif_estimate_info *info;
    uint32_t i = 0;
    ASIF_TRY(asif_draws_get(r->draws, &view, error));
    for (; (info = asif_estimates_get(r->estimates, i)); i++)
        if (i >= view.columns || strcmp(view.name[i], info->name) != 0)
            break;
    if (!info && i == view.columns)
        return ASIF_OK;
    asif_fail(error, ASIF_EPARSE, "the chains in %.100s are not of its study", asif_show(r->folder).text);
    asif_error_hint(error, "files of several fits were mixed: fit again");
    return ASIF_EPARSE;
}

/* Find the seed; of fits by older versions only that of draws is known. */
static void find_seed(asif_result *r) {
    if (!count_in(asif_yaml_root(r->document), "seed", &r->fitted.seed))
        (void)count_in(part(r, "draws", ASIF_YAML_MAP), "seed", &r->fitted.seed);
}

static asif_status read_chains(asif_result *r, char **path, uint32_t count, asif_error *error) {
    for (uint32_t k = 0; k < count; k++) {
        char name[32];
        asif_format(name, sizeof name, "chain-%u.csv", k + 1);
        path[k] = join(r, name);
        if (!path[k])
            return asif_fail_memory(error);
    }
    return asif_draws_read(&r->draws, r->context, (const char *const *)path, count, error);
}

static asif_status read_draws(asif_result *r, asif_error *error) {
    const asif_yaml *draws = part(r, "draws", ASIF_YAML_MAP);
    uint64_t count = 0;
    if (!draws)
        return ASIF_OK;
    if (!count_in(draws, "chains", &count) || count == 0 || count > ASIF_MOST_CHAINS)
        return damaged(r, "number of chains from 1 to 65,536", error);
    char **path = asif_alloc(r->context, count, sizeof *path);
    asif_status status = path ? read_chains(r, path, (uint32_t)count, error) : asif_fail_memory(error);
    for (uint64_t k = 0; path && k < count; k++)
        asif_free(r->context, path[k]);
    asif_free(r->context, path);
    return status == ASIF_OK ? check_columns(r, error) : status;
}

/* ---- the whole result ---- */

static asif_status read_inputs(asif_result *r, asif_problems *problems, asif_error *error) {
    char *study = join(r, "study.yaml"), *tree = join(r, "logs.tree");
    asif_status status = study && tree ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_study_load(&r->study, r->context, study, problems, error);
    if (status == ASIF_OK)
        status = asif_tree_load(&r->tree, r->context, tree, error);
    asif_free(r->context, study);
    asif_free(r->context, tree);
    return status;
}

static asif_status make_work(asif_result *r, asif_error *error) {
    const asif_yaml *solver = part(r, "solver", ASIF_YAML_MAP);
    double resolution = number_in(solver, "resolution"), tol = number_in(solver, "tol");
    r->solver = *asif_study_solver(r->study);
    if (resolution > MOST_INTERVALS)
        return damaged(r, "resolution that a lattice can have", error);
    if (resolution >= 1)
        r->solver.resolution = (uint32_t)resolution;
    const asif_yaml *beliefs = asif_yaml_get(solver, "beliefs");
    r->solver.beliefs = !beliefs                               ? ASIF_BELIEFS_LATTICE
                        : strcmp(beliefs->text, "graded") == 0 ? ASIF_BELIEFS_GRADED
                                                               : ASIF_BELIEFS_REACHABLE;
    if (tol > 0)
        r->solver.tol = tol;
    return asif_work_create(&r->work, r->context, asif_study_planner(r->study), asif_study_setting(r->study),
                            &r->solver, error);
}

static asif_status load(asif_result *r, asif_problems *problems, asif_error *error) {
    ASIF_TRY(read_json(r, error));
    ASIF_TRY(find_method(r, error));
    ASIF_TRY(read_inputs(r, problems, error));
    ASIF_TRY(set_given(r, error));
    ASIF_TRY(make_work(r, error));
    ASIF_TRY(find_estimates(r, error));
    ASIF_TRY(find_maximum(r, error));
    ASIF_TRY(find_verdicts(r, error));
    find_seed(r);
    ASIF_TRY(read_draws(r, error));
    find_words(r);
    return find_part(r, error);
}

static asif_status load_once(asif_result **out, const asif_context *context, const char *folder,
                             const char *read_from, asif_problems *problems, asif_error *error) {
    asif_result *r = ASIF_NEW(context, asif_result);
    if (!r)
        return asif_fail_memory(error);
    r->context = context;
    r->folder = asif_strdup(context, folder);
    r->read_from = asif_strdup(context, read_from);
    asif_status status = r->folder && r->read_from ? load(r, problems, error) : asif_fail_memory(error);
    if (status != ASIF_OK) {
        asif_result_free(r);
        return status;
    }
    r->inverse_options = *asif_study_asked(r->study);
    r->inverse_options.partial = true; /* the fit has checked that no episode is missing for another reason */
    r->fitted = (asif_fitted){.struct_size = sizeof r->fitted,
                              .context = context,
                              .planner = asif_study_planner(r->study),
                              .solver = &r->solver,
                              .inverse = asif_study_inverse(r->study),
                              .inverse_options = &r->inverse_options,
                              .setting = asif_study_setting(r->study),
                              .given = r->given,
                              .spec = r->spec,
                              .specs = r->fitted.specs,
                              .estimates = r->estimates,
                              .work = r->work,
                              .tree = r->tree,
                              .draws = r->draws,
                              .maximum = r->maximum,
                              .seed = r->fitted.seed,
                              .identified = r->identified};
    r->view.struct_size = sizeof r->view;
    r->view.fitted = &r->fitted;
    r->view.study = r->study;
    r->view.folder = r->folder;
    r->view.json = r->json;
    *out = r;
    return ASIF_OK;
}

/* Loads again if the folder changed meanwhile: while a new fit replaces an old one, files of both might be
 * read. */
asif_status asif_result_load(asif_result **out, const asif_context *context, const char *folder,
                             asif_problems *problems, asif_error *error) {
    asif_status status = ASIF_OK;
    bool same = false;
    asif_problems_mark before_all = asif_problems_now(problems);
    *out = NULL;
    if (!folder)
        return asif_fail_null(error, "path of a folder");
    for (int i = 0; i < MOST_TIMES && !same && status != ASIF_ENOMEM; i++) {
        char before[ASIF_DIGEST_SIZE], after[ASIF_DIGEST_SIZE], *from = NULL, *then = NULL;
        asif_result_free(*out);
        *out = NULL;
        asif_problems_back(problems, &before_all);
        status = asif_folder_where(&from, before, context, folder, error);
        if (status == ASIF_OK)
            status = load_once(out, context, folder, from, problems, error);
        same = asif_folder_where(&then, after, context, folder, NULL) == ASIF_OK && from &&
               strcmp(from, then) == 0 && strcmp(before, after) == 0;
        asif_free(context, from);
        asif_free(context, then);
    }
    return status;
}

const asif_yaml *asif_result_root(const asif_result *result) {
    return asif_yaml_root(result->document);
}

void asif_result_free(asif_result *result) {
    if (!result)
        return;
    const asif_context *context = result->context;
    asif_draws_free(result->draws);
    asif_estimates_free(result->estimates);
    asif_work_free(result->work);
    asif_tree_free(result->tree);
    asif_theta_free(result->given);
    asif_study_free(result->study);
    asif_yaml_free(result->document);
    void *const arrays[] = {result->spec,   result->maximum,   result->identified, result->json,
                            result->folder, result->read_from, result->where};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_free(context, result);
}

asif_status asif_result_get(const asif_result *result, asif_result_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view has an unknown size");
    memcpy(view, &result->view, size);
    view->struct_size = size;
    return ASIF_OK;
}
