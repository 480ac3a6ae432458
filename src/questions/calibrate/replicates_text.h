/* Shared by the texts of recover and sbc. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_TEXT_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_REPLICATES_TEXT_H

#include "render/words/fit_numbers.h"

typedef struct {
    const asif_context *context;
    asif_yaml_document *document;
    const asif_yaml *root, *parameters;
    bool unicode;
    uint32_t width;
} asif_replicates_report;

/* Read the JSON of a command, and write `out` from it with `write`; with `json` in the options, return a copy
 * of the JSON. The caller owns `*out`. */
asif_status asif_replicates_text(char **out, const asif_context *context, const char *json, uint64_t length,
                                 const char *name, const char *command,
                                 void (*write)(asif_text *, const asif_replicates_report *),
                                 const asif_report_options *options, asif_error *error);

/* Add a heading: "Diagnosis (DIAG), 20 agents, 1,000 episodes each". */
void asif_replicates_header(asif_text *text, const asif_replicates_report *report);
/* Add a cell with the name of a number as in `asif summary`; "log" comes before it if it is a logarithm. */
void asif_replicates_name(asif_table *table, const asif_replicates_report *report, uint32_t i);
/* Write how many intervals contain the truth: "18 of 20". Returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_replicates_held(char *buffer, const asif_yaml *number);
/* Write the interval of that share: "76-97 %". Returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_replicates_interval(char *buffer, const asif_yaml *number);
/* Add how many chains did not converge, and how many fits failed. */
void asif_replicates_trust(asif_text *text, const asif_replicates_report *report);
/* The part of the JSON about people; NULL: replicates are single agents. */
const asif_yaml *asif_replicates_people(const asif_replicates_report *report);
/* What replicates are, in the plural: "agents". */
const char *asif_replicates_noun(const asif_replicates_report *report);
/* Add how many intervals of people contain the truth; nothing where replicates are single agents. */
void asif_replicates_add_people(asif_text *text, const asif_replicates_report *report);
/* Add a sentence below a heading, after a dash. */
void asif_replicates_point(asif_text *text, const asif_replicates_report *report, const char *words);

#endif
