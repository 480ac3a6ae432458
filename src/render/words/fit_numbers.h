/* A fit as read from its JSON, and how its numbers are named and written. */
#ifndef ASIF_SRC_RENDER_WORDS_FIT_NUMBERS_H
#define ASIF_SRC_RENDER_WORDS_FIT_NUMBERS_H

#include "asif/report.h"
#include "base/data/yaml.h"
#include "base/text.h"
#include "render/table.h"

/* One estimated number. */
typedef struct {
    const char *name;            /* column of the draws */
    const char *parameter;       /* as people are shown it */
    const char *label;           /* entry of a distribution; NULL: this is a number */
    const char *unit, *sentence; /* of the study's labels; NULL: none */
    /* Quantiles on the scale on which they are shown: alpha, not its logarithm. */
    double q05, q50, q95;
    /* Verdicts of identification: the weaker side, and both sides; NULL: null. */
    const char *identified, *below, *above;
    const char *bound, *with, *sign; /* texts of the JSON; NULL: null */
    /* Key of the reason why the number is not established; NULL: there is none. */
    const char *doubt;
    double correlation;
    bool flat_below, flat_above, near_zero, proper;
    const char *power; /* finding of power-scaling: "conflict" or "strong_prior"; NULL: none, or not known */
    const asif_yaml *histogram; /* histogram of the draws on the scale shown; NULL: there is none */
} asif_summary_number;

typedef struct {
    const asif_context *context;
    asif_yaml_document *document; /* NULL: the document is borrowed */
    const asif_yaml *root;
    const char *method;
    /* There are several explanations, each with its own numbers; the fit as a whole has no intervals. */
    bool rivals;
    bool draws;
    bool sound;   /* the computation can be trusted */
    bool trusted; /* the computation can be trusted, and nothing speaks against the model */
    /* Name of the inverse planner, if it has an answer without uncertainty; else NULL. */
    const char *answered;
    uint32_t numbers;
    asif_summary_number *number;
    bool unicode;
    uint32_t width;
} asif_summary;

/* Read a fit. ASIF_EPARSE if the text is not a fit; ASIF_ENOMEM. Call asif_summary_free() in either case. */
asif_status asif_summary_read(asif_summary *out, const asif_context *context, const char *json,
                              uint64_t length, const char *name, asif_error *error);
/* Read a fit from a document that is borrowed. Fails as above. */
asif_status asif_summary_take(asif_summary *out, const asif_context *context, const asif_yaml *root,
                              const char *name, asif_error *error);
void asif_summary_free(asif_summary *summary);

/* Read one number of `parameters`, of a fit or of one of its explanations. */
void asif_summary_number_read(asif_summary_number *out, const char *name, const asif_yaml *node);
/* The name of a number: in the first column of a table, in the second column, and in a sentence. */
bool asif_summary_labelled(const asif_summary_number *number); /* whether it has a label of the study */
const char *asif_summary_word(const asif_summary_number *number);
const char *asif_summary_symbol(const asif_summary_number *number);
/* Write the second column of a table: the symbol, or the name of a number that is shown by its label, and the
 * unit. Returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_summary_key(char *buffer, const asif_summary_number *number, bool unicode);
void asif_summary_phrase(asif_text *text, const asif_summary_number *number);
/* What people call a parameter that is assumed or varied: "choice randomness" for alpha, "optimism" for
 * `optimism`; beta, and what the study names itself, keep their names. */
const char *asif_parameter_word(const char *parameter);
/* Whether the rows of the logs stand for several decisions each, so that nothing can be said of episodes. */
bool asif_summary_counted(const asif_summary *summary);
/* Find a number by its column; NULL if there is none. */
const asif_summary_number *asif_summary_find(const asif_summary *summary, const char *name);

/* Write a number with as many digits as an interval of this width justifies. Returns `buffer`, of
 * ASIF_CELL_SIZE. */
char *asif_summary_digits(char *buffer, double number, double width);
/* Write an interval: "0.45 to 0.71". Returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_summary_range(char *buffer, double low, double high);
/* For a number with a bound: whether there is no lower limit (true) or no upper limit to it, as shown. */
bool asif_summary_below(const asif_summary_number *number);
/* The reason why a number is not established, by its key in the JSON, in a few words or as a sentence; NULL:
 * there is no such text. */
const char *asif_summary_doubt(const char *doubt, bool sentence);
/* The verdict on the upper limit of a number as shown, or on its lower limit; NULL: null. */
const char *asif_summary_side(const asif_summary_number *number, bool above);
/* Whether the verdicts on the two limits differ. */
bool asif_summary_limit(const asif_summary_number *number);
/* Add a verdict: "weakly, trades off with optimism; the sign is unknown". */
void asif_summary_verdict(asif_text *text, const asif_summary *summary, const asif_summary_number *number);

/* The action with the largest `share` ("observed", "predicted") at a history, with its index and name ("");
 * NULL: there is none. */
const asif_yaml *asif_summary_most(const asif_yaml *entry, const char *share, uint32_t *place,
                                   const char **name);
/* Add an action and the history (or state) of an entry: "declare_diseased after monitor->positive,
 * monitor->positive". */
void asif_summary_history(asif_text *words, const asif_summary *summary, const asif_yaml *entry,
                          const char *action);

/* Add the history (or state) of an entry for a sentence: "after monitor showed positive twice". */
void asif_summary_history_said(asif_text *words, const asif_yaml *entry);

/* ---- trust.c ---- */
/* The predictive checks by subject, if the fit misses them; else NULL. */
const asif_yaml *asif_predictive_checks_subjects(const asif_yaml *checks);
/* The number of worlds whose draws were pooled; 0: the draws are those of one world. */
double asif_summary_pooled(const asif_summary *summary);
/* Add advice about a result that cannot be trusted: sentences, each followed by a 0. */
void asif_summary_advice(asif_text *points, const asif_summary *summary);
/* Add how the maximum was found: "8 of 9 starts reached the same maximum"; and how draws were made: "Method
 * nuts: 4 chains of 1,000 draws after 1,000 steps of warm-up, seed 0". */
void asif_summary_searched(asif_text *words, const asif_summary *summary);
void asif_summary_method(asif_text *words, const asif_summary *summary);
/* Add the section of the summary on trust: diagnostics, and advice. */
void asif_summary_trust(asif_text *text, const asif_summary *summary);

/* ---- rival_explanations.c ---- */
/* An explanation is a maximum of the posterior, which code and JSON call a top. Read the numbers of
 * explanation `top`, from 0, into `number` [numbers]; false if there is no such explanation. */
bool asif_summary_top(const asif_summary *summary, uint32_t top, asif_summary_number *number);
/* Add a sentence on one explanation: "Explanation 2: about 27 % of the posterior, 1.0 nats below the first;
 * ..." */
void asif_summary_top_words(asif_text *words, const asif_summary *summary, uint32_t top);
/* Add a sentence on all explanations: "These data have 2 rival explanations: ...". */
void asif_summary_rivals(asif_text *words, const asif_summary *summary);
/* Add all explanations with their numbers, which replace the numbers of the fit. */
void asif_summary_tops(asif_text *text, const asif_summary *summary);
/* Add rows of a table: names, value and interval of the numbers, [numbers]. */
void asif_summary_rows(asif_text *rows, const asif_summary *summary, const asif_summary_number *number);

#endif
