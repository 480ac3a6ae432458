#include "behavior/log_text.h"

#include "base/data/csv.h"
#include "setting/setting.h"

static void add_label(asif_log_text *log, asif_label_kind kind, uint32_t i, bool last) {
    char buffer[ASIF_LABEL_SIZE];
    asif_csv_field(&log->text, asif_setting_label(log->setting, kind, i, buffer), last);
}

/* Add the columns of the seen part of a state. */
static void add_parts(asif_log_text *log, uint32_t state) {
    const asif_setting_spec *spec = asif_setting_get(log->setting);
    uint32_t rest = asif_column_values(spec), seen = state / (spec->states / rest);
    for (uint32_t p = 0; p < spec->seen_columns; p++) {
        rest /= spec->seen_column[p].classes;
        asif_csv_field(&log->text,
                       spec->seen_column[p].class_names[seen / rest % spec->seen_column[p].classes], false);
    }
}

static bool sees_states(const asif_log_text *log) {
    return asif_setting_get(log->setting)->observations == 0;
}

void asif_log_text_head(asif_log_text *log, bool subjects) {
    const asif_setting_spec *spec = asif_setting_get(log->setting);
    asif_text_add(&log->text, subjects ? "subject,episode,t," : "episode,t,");
    for (uint32_t p = 0; p < spec->seen_columns; p++)
        asif_csv_field(&log->text, spec->seen_column[p].name, false);
    asif_text_add(&log->text, sees_states(log) ? "state,action\n" : "action,observation\n");
}

void asif_log_text_add(asif_log_text *log, const asif_decision *decision) {
    bool states = sees_states(log);
    if (log->subject)
        asif_csv_count(&log->text, log->subject, false);
    asif_csv_count(&log->text, decision->episode + 1, false);
    asif_csv_count(&log->text, decision->step, false);
    add_parts(log, decision->state);
    if (states)
        add_label(log, ASIF_LABEL_HIDDEN,
                  decision->state % asif_setting_count(log->setting, ASIF_LABEL_HIDDEN), false);
    add_label(log, ASIF_LABEL_ACTION, decision->action, states);
    if (!states) {
        const asif_setting_spec *spec = asif_setting_get(log->setting);
        bool part = spec->seen > 1;
        add_label(log, part ? ASIF_LABEL_SHOWN : ASIF_LABEL_OBSERVATION,
                  part ? decision->observation % asif_shown_values(spec) : decision->observation, true);
    }
    log->so_far.decisions++;
    log->so_far.cut += decision->cut;
}
