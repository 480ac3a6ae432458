/* Labels of histories, as they are written. */
#include "setting/setting.h"

/* Whether every seen value has one that always follows it after this action. */
static bool moves_surely(const asif_setting *setting, uint32_t action) {
    const asif_setting_spec *spec = &setting->spec;
    const asif_matrix *m = asif_transitions(setting, spec->worlds, action);
    uint32_t hidden = asif_hidden_values(spec), next = ASIF_ANY;
    for (uint32_t s = 0; s < spec->states; s++) {
        uint64_t begin, end;
        asif_matrix_row(m, s, &begin, &end);
        next = s % hidden ? next : ASIF_ANY;
        for (uint64_t k = begin; k < end; k++) {
            uint32_t to = m->column[k] / hidden;
            if (!(m->value[k] > 0))
                continue;
            if (next != ASIF_ANY && to != next)
                return false;
            next = to;
        }
    }
    return true;
}

const char *asif_event_label(const asif_setting *setting, uint32_t action, uint32_t observation,
                             char *buffer) {
    const asif_setting_spec *spec = &setting->spec;
    return spec->seen > 1 && moves_surely(setting, action)
               ? asif_setting_label(setting, ASIF_LABEL_SHOWN, observation % asif_shown_values(spec), buffer)
               : asif_setting_label(setting, ASIF_LABEL_OBSERVATION, observation, buffer);
}
