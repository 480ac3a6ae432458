/* The labels of a study, for those who write for people. */
#include "study/study.h"

#include <string.h>

const asif_study_label *asif_study_label_of(const asif_study *study, asif_named kind, const char *name) {
    const asif_study_label *label;
    for (uint32_t i = 0; study && name && (label = asif_study_label_get(study, i)); i++)
        if (label->kind == kind && strcmp(label->name, name) == 0)
            return label;
    return NULL;
}

const char *asif_study_shown(const asif_study *study, asif_label_kind kind, uint32_t i, char *buffer) {
    static const struct {
        asif_label_kind kind;
        asif_named named;
    } kinds[] = {
        {ASIF_LABEL_ACTION, ASIF_NAMED_ACTION},
        {ASIF_LABEL_STATE, ASIF_NAMED_STATE},
        {ASIF_LABEL_OBSERVATION, ASIF_NAMED_OBSERVATION},
        {ASIF_LABEL_PARAMETER, ASIF_NAMED_PARAMETER},
        {ASIF_LABEL_HIDDEN, ASIF_NAMED_STATE},
        {ASIF_LABEL_SHOWN, ASIF_NAMED_OBSERVATION},
    };
    const char *name = asif_setting_label(asif_study_setting(study), kind, i, buffer);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const asif_study_label *label =
            kinds[k].kind == kind ? asif_study_label_of(study, kinds[k].named, name) : NULL;
        if (label && label->label)
            return label->label;
    }
    return name;
}

static void add_kind(asif_json *json, const asif_study *study, asif_named kind) {
    static const char *const keys[ASIF_NAMED_COUNT] = {"actions", "states", "observations", "parameters"};
    const asif_study_label *label;
    bool any = false;
    for (uint32_t i = 0; (label = asif_study_label_get(study, i)); i++) {
        if (label->kind != kind)
            continue;
        if (!any)
            asif_json_object(json, keys[kind]);
        any = true;
        asif_json_object(json, label->name);
        asif_json_string(json, "label", label->label);
        asif_json_string(json, "unit", label->unit);
        asif_json_string(json, "sentence", label->sentence);
        asif_json_end(json);
    }
    if (any)
        asif_json_end(json);
}

void asif_study_labels_json(asif_json *json, const asif_study *study) {
    if (!study || !asif_study_label_get(study, 0))
        return;
    asif_json_object(json, "labels");
    for (uint32_t kind = 0; kind < ASIF_NAMED_COUNT; kind++)
        add_kind(json, study, (asif_named)kind);
    asif_json_end(json);
}
