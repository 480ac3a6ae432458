/* Writes simulated logs as CSV. */
#include "asif/behavior.h"

#include "base/error.h"
#include "behavior/behavior.h"
#include "behavior/log_text.h"

#define PIECE 65536

typedef struct {
    asif_log_text log; /* text that has not been written yet */
    asif_status (*write)(void *user, const char *data, uint64_t length);
    void *user;
    asif_status stopped; /* the error that ended the writing */
} log_writer;

static asif_status hand_over(log_writer *writer) {
    asif_text *text = &writer->log.text;
    writer->stopped = text->failed ? ASIF_ENOMEM : writer->write(writer->user, text->data, text->length);
    text->length = 0;
    return writer->stopped;
}

static asif_status take(void *user, const asif_decision *decision) {
    log_writer *writer = user;
    asif_log_text_add(&writer->log, decision);
    return writer->log.text.failed || writer->log.text.length >= PIECE ? hand_over(writer) : ASIF_OK;
}

asif_status asif_simulate_csv(const asif_behavior *behavior, const asif_simulate_options *options,
                              asif_status (*write)(void *user, const char *data, uint64_t length), void *user,
                              asif_simulated *simulated, asif_error *error) {
    log_writer writer = {.log = {.setting = behavior->setting, .text = {.context = behavior->context}},
                         .write = write,
                         .user = user};
    asif_log_text_head(&writer.log, false);
    asif_status status = asif_simulate(behavior, options, take, &writer, error);
    if (status == ASIF_OK && (writer.log.text.failed || writer.log.text.length))
        status = hand_over(&writer);
    if (writer.stopped == ASIF_ENOMEM)
        asif_fail_memory(error);
    else if (writer.stopped != ASIF_OK)
        asif_fail(error, status, "the logs could not be written: %s", asif_status_text(status));
    if (simulated)
        *simulated = writer.log.so_far;
    asif_text_free(&writer.log.text);
    return status;
}
