/* A fit as it is read back from its JSON, and how its numbers are named and written. */
#ifndef ASIF_SRC_RENDER_WORDS_FIT_NUMBERS_H
#define ASIF_SRC_RENDER_WORDS_FIT_NUMBERS_H

#include "asif/report.h"
#include "base/data/yaml.h"
#include "base/text.h"
#include "render/table.h"

/* One estimated number. */
typedef struct {
    const char *name; /* column of the draws */
    const char *parameter, *label;
    double q05, q50, q95;                   /* as they are shown: alpha, not its logarithm */
    const char *identified, *below, *above; /* verdicts: the weaker of both sides, and each; NULL: null */
    const char *bound, *with, *sign;        /* NULL: null */
    const char *doubt;                      /* why it is not established; NULL: nothing is known */
    double correlation;
    bool flat_below, flat_above, near_zero, proper;
    const asif_yaml *histogram; /* of the draws as they are shown; NULL: there is none */
} asif_summary_number;

typedef struct {
    const asif_context *context;
    asif_yaml_document *document; /* NULL: the document is borrowed */
    const asif_yaml *root;
    const char *method;
    bool rivals; /* several explanations, each with its own numbers; those of the fit have no intervals */
    bool draws;
    bool sound;           /* the computation can be trusted */
    bool trusted;         /* and nothing is known against the model */
    const char *answered; /* the inverse planner, where it has an answer and no uncertainty; else NULL */
    uint32_t numbers;
    asif_summary_number *number;
    bool unicode;
    uint32_t width;
} asif_summary;

/* Read; freed by asif_summary_free() whether it fails or not. */
asif_status asif_summary_read(asif_summary *out, const asif_context *context, const char *json,
                              uint64_t length, const char *name, asif_error *error);
/* The same of a text that was read already, which is borrowed. */
asif_status asif_summary_take(asif_summary *out, const asif_context *context, const asif_yaml *root,
                              const char *name, asif_error *error);
void asif_summary_free(asif_summary *summary);

/* A number of `parameters`, of a fit or of one of its explanations. */
void asif_summary_number_read(asif_summary_number *out, const char *name, const asif_yaml *node);
/* What a number is called: in the first column of a table, in the second, and in a sentence. */
const char *asif_summary_word(const asif_summary_number *number);
const char *asif_summary_symbol(const asif_summary_number *number);
void asif_summary_phrase(asif_text *text, const asif_summary_number *number);
/* The number of a column; NULL if there is none. */
const asif_summary_number *asif_summary_find(const asif_summary *summary, const char *name);

/* A number with the digits that an interval of this width deserves; `buffer` of ASIF_CELL_SIZE. */
char *asif_summary_digits(char *buffer, double number, double width);
/* "0.45 to 0.71" */
char *asif_summary_range(char *buffer, double low, double high);
/* Of a number with a bound: whether the logs leave open what is below what is shown, or above. */
bool asif_summary_below(const asif_summary_number *number);
/* Why a number is not established, by the word in its JSON, in a few words or a sentence; NULL: there is
 * nothing to say. */
const char *asif_summary_doubt(const char *doubt, bool sentence);
/* The verdict on what is above what is shown, or below; NULL: null. */
const char *asif_summary_side(const asif_summary_number *number, bool above);
/* Whether there is a limit to one side only. */
bool asif_summary_limit(const asif_summary_number *number);
/* "weakly, trades off with optimism; the sign is unknown" */
void asif_summary_verdict(asif_text *text, const asif_summary *summary, const asif_summary_number *number);

/* The action with the largest `share` ("observed", "predicted") at a history, its place there and its name
 * (""); NULL: there is none. */
const asif_yaml *asif_summary_most(const asif_yaml *entry, const char *share, uint32_t *place,
                                   const char **name);
/* An action, and the history (or state) of an entry: "declare_diseased after monitor->positive,
 * monitor->positive". */
void asif_summary_history(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                          const char *action);

/* ---- trust.c ---- */
/* The family of subjects of these checks, if it is missed; else NULL. */
const asif_yaml *asif_predictive_checks_subjects(const asif_yaml *checks);
/* What to do about a result that cannot be trusted: sentences, each followed by a 0. */
void asif_summary_advice(asif_text *points, const asif_summary *summary);
/* "8 of 9 starts reached the same maximum"; "Method nuts: 4 chains of 1,000 draws after 1,000 steps of
 * warm-up, seed 0" */
void asif_summary_searched(asif_text *words, const asif_summary *summary);
void asif_summary_method(asif_text *words, const asif_summary *summary);
void asif_summary_trust(asif_text *text, const asif_summary *summary);

/* ---- rival_explanations.c ---- */
/* The numbers of an explanation, from 0, into `number` [numbers]; false past the last. */
bool asif_summary_top(const asif_summary *summary, uint32_t top, asif_summary_number *number);
/* "Explanation 2: about 27 % of the posterior, 1.0 nats below the first; ..." */
void asif_summary_top_words(asif_text *words, const asif_summary *summary, uint32_t top);
/* "The logs have 2 rival explanations: ..." */
void asif_summary_rivals(asif_text *words, const asif_summary *summary);
/* All explanations with their numbers, in place of the numbers of the fit. */
void asif_summary_tops(asif_text *text, const asif_summary *summary);
/* Rows of a table: names, value and interval of these numbers, [numbers]. */
void asif_summary_rows(asif_text *rows, const asif_summary *summary, const asif_summary_number *number);

#endif
