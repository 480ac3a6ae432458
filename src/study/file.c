/* Files that a study names, and environments in the file formats of other software. */
#include "study/study_reader.h"

#include "asif/formats.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

static char *path_of(asif_reader *draft, const char *name) {
    size_t folder = name[0] == '/' ? 0 : strlen(draft->folder), length = strlen(name);
    char *path = asif_reader_alloc(draft, (uint64_t)folder + length + 1, 1);
    if (path) {
        memcpy(path, draft->folder, folder);
        memcpy(path + folder, name, length + 1);
    }
    return path;
}

static bool read_pomdp(asif_reader *draft, const char *text, uint64_t length, const char *path) {
    asif_error error = ASIF_ERROR_INIT;
    asif_pomdp *pomdp = NULL;
    asif_status status = asif_pomdp_read(&pomdp, draft->context, text, length, path, &error);
    if (status == ASIF_OK)
        status = asif_pomdp_setting(&draft->from_file, &draft->averaged, pomdp, &error);
    asif_pomdp_free(pomdp);
    return status == ASIF_OK ? true : asif_reader_pass_on(draft, draft->file_at, &error);
}

static bool read_mdp(asif_reader *draft, const char *text, uint64_t length, const char *path,
                     const asif_yaml *environment) {
    asif_error error = ASIF_ERROR_INIT;
    const asif_yaml *model = asif_yaml_get(environment, "reward_model");
    if (model && !asif_reader_kind(draft, model, ASIF_YAML_SCALAR, "`reward_model`"))
        return false;
    /* The DRN format has no discount; the agent's replaces this one later. */
    asif_status status = asif_drn_read(&draft->from_file, draft->context, text, length, path,
                                       model ? model->text : NULL, 0, &error);
    return status == ASIF_OK ? true : asif_reader_pass_on(draft, draft->file_at, &error);
}

static asif_labels labels(const char *what, uint32_t count, const char *const *names) {
    return (asif_labels){what, count, names};
}

static bool take(asif_reader *draft, bool has_discount) {
    const asif_setting_spec *spec = asif_setting_get(draft->from_file);
    draft->states = labels("state", spec->states, spec->state_names);
    draft->actions = labels("action", spec->actions, spec->action_names);
    draft->observations = labels("observation", spec->observations, spec->observation_names);
    draft->sees_states = spec->observations == 0;
    draft->matrix = asif_reader_alloc(draft, spec->matrices, sizeof *draft->matrix);
    draft->transitions = asif_reader_alloc(draft, spec->actions, sizeof *draft->transitions);
    draft->emissions = asif_reader_alloc(draft, spec->actions, sizeof *draft->emissions);
    draft->ends = asif_reader_alloc(draft, spec->actions, sizeof *draft->ends);
    draft->terminal =
        draft->sees_states ? asif_reader_alloc(draft, spec->states, sizeof *draft->terminal) : NULL;
    double *start = asif_reader_alloc(draft, spec->states, sizeof *start);
    if (draft->stop)
        return false;
    memcpy(draft->matrix, spec->matrix, spec->matrices * sizeof *draft->matrix);
    draft->matrices = draft->matrix_room = spec->matrices;
    /* The matrices of the environment come after those of the worlds. */
    const uint32_t *transitions = spec->transitions + (uint64_t)spec->worlds * spec->actions;
    memcpy(draft->transitions, transitions, spec->actions * sizeof *transitions);
    if (!draft->sees_states) {
        const uint32_t *emissions = spec->emissions + (uint64_t)spec->worlds * spec->actions;
        memcpy(draft->emissions, emissions, spec->actions * sizeof *emissions);
    }
    memcpy(draft->ends, spec->ends, spec->actions * sizeof *draft->ends);
    if (draft->terminal)
        memcpy(draft->terminal, spec->terminal, spec->states * sizeof *draft->terminal);
    memcpy(start, spec->environment_start, spec->states * sizeof *start);
    draft->start = (asif_starts){.at = draft->file_at, .classes = 1, .p = start};
    draft->transitions_known = draft->emissions_known = true;
    if (has_discount)
        draft->discount = spec->discount;
    return true;
}

void asif_reader_digest(asif_reader *draft, const char *name, const char *bytes, uint64_t length) {
    char size[ASIF_NUMBER_SIZE];
    asif_format(size, sizeof size, "%llu", (unsigned long long)length);
    asif_sha256_add(&draft->digest, name, strlen(name) + 1);
    asif_sha256_add(&draft->digest, size, strlen(size) + 1);
    asif_sha256_add(&draft->digest, bytes, length);
}

bool asif_reader_name_file(asif_reader *draft, const char *name) {
    for (uint64_t i = 0; i < draft->nameds; i++)
        if (strcmp(draft->named[i], name) == 0)
            return true;
    if (!asif_reader_grow(draft, &draft->named, draft->nameds, &draft->named_room, sizeof *draft->named))
        return false;
    draft->named[draft->nameds++] = name;
    return true;
}

bool asif_reader_open(asif_reader *draft, const asif_yaml *node, char **text, uint64_t *length,
                      const char **path) {
    *text = NULL;
    if (!draft->folder) {
        asif_reader_error(draft, node, "`%s` cannot be read: this study is not a file",
                          asif_show(node->text).text);
        return asif_reader_hint(draft, "files are looked for in the folder of the study");
    }
    asif_error error = ASIF_ERROR_INIT;
    *path = path_of(draft, node->text);
    if (!*path || !asif_reader_name_file(draft, node->text))
        return false;
    if (strcmp(*path, "-") == 0)
        return asif_reader_error(draft, node, "the name of a file cannot be `-`");
    if (asif_os_read_file(text, length, draft->context, *path, &error) == ASIF_OK) {
        asif_reader_digest(draft, node->text, *text, *length);
        return true;
    }
    if (error.status == ASIF_ENOMEM)
        return asif_reader_no_memory(draft);
    asif_reader_problem(draft, ASIF_PROBLEM_ERROR, error.status, node, "`%s`: %s", asif_show(node->text).text,
                        error.message);
    return asif_reader_hint(draft, "files are looked for in the folder of the study");
}

bool asif_reader_from_file(asif_reader *draft, const asif_yaml *environment) {
    const asif_yaml *pomdp = asif_yaml_get(environment, "pomdp"), *mdp = asif_yaml_get(environment, "mdp");
    if (!pomdp && !mdp)
        return true;
    const asif_yaml *node = draft->file_at = pomdp ? pomdp : mdp;
    if (pomdp && mdp) {
        asif_reader_error(draft, mdp, "the environment is given by two files, `pomdp` and `mdp`");
        return asif_reader_hint(draft, "name one of them");
    }
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, pomdp ? "`pomdp`" : "`mdp`"))
        return false;
    const char *path = NULL;
    char *text = NULL;
    uint64_t length = 0;
    if (!asif_reader_open(draft, node, &text, &length, &path))
        return false;
    bool good =
        pomdp ? read_pomdp(draft, text, length, path) : read_mdp(draft, text, length, path, environment);
    asif_free(draft->context, text);
    return good && take(draft, pomdp != NULL);
}
