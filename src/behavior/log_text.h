/* Decisions as lines of a CSV table: `episode,t,action,observation`, or `episode,t,state,action` where states
 * are seen, with the columns of a seen part before the action and, where there are several decision-makers,
 * `subject` before everything. */
#ifndef ASIF_SRC_BEHAVIOR_LOG_TEXT_H
#define ASIF_SRC_BEHAVIOR_LOG_TEXT_H

#include "asif/behavior.h"
#include "base/text.h"

typedef struct {
    const asif_setting *setting;
    asif_text text;
    uint64_t subject; /* whose decisions follow; 0: there is no such column */
    asif_simulated so_far;
} asif_log_text;

void asif_log_text_head(asif_log_text *log, bool subjects);
/* Episodes are numbered from 1. */
void asif_log_text_add(asif_log_text *log, const asif_decision *decision);

#endif
