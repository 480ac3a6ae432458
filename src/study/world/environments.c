/* Environments of the section `inverse`. What one of them leaves out is as in the study's environment. */
#include "study/study_reader.h"

#include "base/memory.h"

#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))
#define HOW "write `environment: COLUMN` and `environments: {LABEL: {transitions: ...}, ...}`"

static void read_one(asif_reader *draft, const asif_yaml *label, const asif_yaml *node) {
    static const asif_study_key keys[] = {
        {"transitions", NULL, "the environment's if left out"},
    };
    uint32_t actions = draft->actions.count;
    char what[80];
    asif_format(what, sizeof what, "%s", asif_show(label->text).text);
    bool empty = node->kind == ASIF_YAML_SCALAR && !node->quoted && !node->text[0];
    if (!empty && !asif_reader_keys(draft, node, what, keys, COUNT(keys)))
        return;
    if (!asif_reader_grow(draft, &draft->environment, draft->environments, &draft->environment_room,
                          sizeof *draft->environment))
        return;
    asif_reader_environment *e = &draft->environment[draft->environments];
    *e = (asif_reader_environment){label->text, asif_reader_alloc(draft, actions, sizeof *e->transitions)};
    if (!e->transitions)
        return;
    draft->environments++;
    for (uint32_t u = 0; u < actions; u++)
        e->transitions[u] = draft->transitions ? draft->transitions[u] : ASIF_READER_UNSET;
    const asif_yaml *transitions = empty ? NULL : asif_yaml_get(node, "transitions");
    if (transitions)
        asif_reader_dynamics(draft, transitions, ASIF_READER_TRANSITIONS, e->transitions);
}

void asif_reader_read_environments(asif_reader *draft, const asif_yaml *node) {
    draft->environments_at = node;
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`environments`")) {
        asif_reader_hint(draft, HOW);
        return;
    }
    if (!draft->sees_states) {
        asif_reader_error(draft, node, "`environments` are for agents that see the state");
        asif_reader_hint(draft, "leave `observations` out");
        return;
    }
    if (node->count == 0) {
        asif_reader_error(draft, node, "`environments` names none");
        asif_reader_hint(draft, HOW);
    }
    for (uint32_t i = 0; i < node->count && asif_reader_spaces_known(draft) && !draft->stop; i++)
        read_one(draft, node->key[i], node->item[i]);
}

void asif_reader_check_environments(asif_reader *draft, const asif_yaml *node) {
    const asif_inverse_info *info = asif_inverse_named(draft->inverse);
    bool wanted = info && info->helper == ASIF_HELPER_ENVIRONMENTS;
    if (wanted && !draft->environments_at) {
        asif_reader_parse_error(draft, node, "`%s` needs several environments", draft->inverse);
        asif_reader_hint(draft, HOW);
    } else if (draft->environments_at && !wanted) {
        asif_reader_error(draft, draft->environments_at,
                          "`environments` are for `multiple-experimentation`, not for `%s`", draft->inverse);
    }
}

bool asif_environments_make(asif_reader *draft, const asif_setting *setting, asif_environments *out) {
    const asif_context *context = draft->context;
    uint32_t n = (uint32_t)draft->environments, actions = draft->actions.count;
    if (n == 0)
        return true;
    out->name = asif_alloc(context, n, sizeof *out->name);
    out->setting = asif_alloc(context, n, sizeof *out->setting);
    if (!out->name || !out->setting)
        return asif_reader_no_memory(draft);
    out->count = n;
    asif_setting_spec spec = *asif_setting_get(setting);
    uint32_t *transitions = asif_reader_alloc(draft, 2 * (uint64_t)actions, sizeof *transitions);
    if (!transitions)
        return false;
    spec.worlds = 1;
    spec.world_weights = NULL;
    spec.world_shares = NULL;
    spec.emissions = NULL;
    spec.transitions = transitions;
    for (uint32_t i = 0; i < n; i++) {
        asif_error error = ASIF_ERROR_INIT;
        if (!asif_reader_resolve(draft, &draft->start, draft->environment[i].transitions, transitions))
            return false;
        memcpy(transitions + actions, transitions, actions * sizeof *transitions);
        spec.matrices = (uint32_t)draft->matrices;
        spec.matrix = draft->matrix;
        if (!(out->name[i] = asif_strdup(context, draft->environment[i].name)))
            return asif_reader_no_memory(draft);
        if (asif_setting_create(&out->setting[i], context, &spec, &error) != ASIF_OK)
            return asif_reader_pass_on(draft, draft->environments_at, &error);
    }
    return true;
}

void asif_environments_free(const asif_context *context, asif_environments *e) {
    for (uint32_t i = 0; i < e->count; i++) {
        asif_free(context, e->name[i]);
        asif_setting_free(e->setting[i]);
    }
    asif_free(context, e->name);
    asif_free(context, e->setting);
    *e = (asif_environments){0};
}
