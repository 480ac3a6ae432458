/* Writes simulated logs as CSV. */
#include "asif/behavior.h"

#include "base/data/csv.h"
#include "base/error.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#define PIECE 65536

typedef struct {
    const asif_setting *setting;
    asif_status (*write)(void *user, const char *data, uint64_t length);
    void *user;
    asif_text text; /* text that has not been written yet */
    uint64_t decisions;
    bool seen;           /* the agent sees the state */
    asif_status stopped; /* the error that ended the writing */
} log_writer;

static void add_label(log_writer *writer, asif_label_kind kind, uint32_t i, bool last) {
    char buffer[ASIF_LABEL_SIZE];
    asif_csv_field(&writer->text, asif_setting_label(writer->setting, kind, i, buffer), last);
}

/* Add the columns of the seen part of a state. */
static void add_parts(log_writer *writer, uint32_t state) {
    const asif_setting_spec *spec = asif_setting_get(writer->setting);
    uint32_t rest = asif_seen_values(spec), seen = state / asif_hidden_values(spec);
    for (uint32_t p = 0; spec->seen > 1 && p < spec->seen_columns; p++) {
        rest /= spec->seen_column[p].classes;
        asif_csv_field(&writer->text,
                       spec->seen_column[p].class_names[seen / rest % spec->seen_column[p].classes], false);
    }
}

static asif_status hand_over(log_writer *writer) {
    writer->stopped = writer->text.failed
                          ? ASIF_ENOMEM
                          : writer->write(writer->user, writer->text.data, writer->text.length);
    writer->text.length = 0;
    return writer->stopped;
}

static asif_status take(void *user, const asif_decision *decision) {
    log_writer *writer = user;
    asif_csv_count(&writer->text, decision->episode + 1, false);
    asif_csv_count(&writer->text, decision->step, false);
    add_parts(writer, decision->state);
    if (writer->seen)
        add_label(writer, ASIF_LABEL_STATE, decision->state, false);
    add_label(writer, ASIF_LABEL_ACTION, decision->action, writer->seen);
    if (!writer->seen) {
        const asif_setting_spec *spec = asif_setting_get(writer->setting);
        bool part = spec->seen > 1;
        add_label(writer, part ? ASIF_LABEL_SHOWN : ASIF_LABEL_OBSERVATION,
                  part ? decision->observation % asif_shown_values(spec) : decision->observation, true);
    }
    writer->decisions++;
    return writer->text.failed || writer->text.length >= PIECE ? hand_over(writer) : ASIF_OK;
}

asif_status asif_simulate_csv(const asif_behavior *behavior, const asif_simulate_options *options,
                              asif_status (*write)(void *user, const char *data, uint64_t length), void *user,
                              uint64_t *decisions, asif_error *error) {
    log_writer writer = {.setting = behavior->setting,
                         .write = write,
                         .user = user,
                         .text = {.context = behavior->context},
                         .seen = asif_setting_get(behavior->setting)->observations == 0};
    const asif_setting_spec *spec = asif_setting_get(behavior->setting);
    asif_text_add(&writer.text, "episode,t,");
    for (uint32_t p = 0; spec->seen > 1 && p < spec->seen_columns; p++)
        asif_csv_field(&writer.text, spec->seen_column[p].name, false);
    asif_text_add(&writer.text, writer.seen ? "state,action\n" : "action,observation\n");
    asif_status status = asif_simulate(behavior, options, take, &writer, error);
    if (status == ASIF_OK && (writer.text.failed || writer.text.length))
        status = hand_over(&writer);
    if (writer.stopped == ASIF_ENOMEM)
        asif_fail_memory(error);
    else if (writer.stopped != ASIF_OK)
        asif_fail(error, status, "the logs could not be written: %s", asif_status_text(status));
    if (decisions)
        *decisions = writer.decisions;
    asif_text_free(&writer.text);
    return status;
}
