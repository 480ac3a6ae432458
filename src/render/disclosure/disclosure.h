/* Disclosure control of counts of people and decisions: small counts are neither shown nor derivable from
 * what is shown. */
#ifndef ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_H
#define ASIF_SRC_RENDER_DISCLOSURE_DISCLOSURE_H

#include "asif/setting.h"
#include "render/words/fit_numbers.h"

/* A count as it may be shown: known to lie between `low` and `high`. */
typedef struct {
    double low, high; /* equal: the count is shown exactly */
    bool few;         /* below the limit, and shown as "fewer than 11" */
    /* For an action at a history: the range of the other actions' sum, which narrows the share of this
     * action; NaN: not known. */
    double others_low, others_high;
} asif_cell;
#define ASIF_CELL(low, high, few) ((asif_cell){(low), (high), (few), NAN, NAN})
#define ASIF_CELL_UNTOLD ASIF_CELL(NAN, NAN, false)

typedef struct asif_disclosure asif_disclosure;

/* Decide what may be shown of a fit: its totals, the decisions at its histories, and the actions taken there.
 * `min_cell` 0: everything is shown. The fit is borrowed during the call. The setting says which actions end
 * an episode; NULL: not known, and then less is shown. `*out` is freed by asif_disclosure_free().
 * ASIF_ENOMEM. */
asif_status asif_disclosure_make(asif_disclosure **out, const asif_context *context, const asif_summary *fit,
                                 const asif_setting *setting, uint32_t min_cell, asif_error *error);
/* Decide what may be shown of the decisions of a population: how many people, how many decisions, and how
 * often each action was taken, `count` [actions]. These are the actions of the first history. Where some of
 * them are small, the number of decisions is a range. Counts that are no whole numbers are shown only without
 * a limit. `*out` as above. ASIF_ENOMEM. */
asif_status asif_disclosure_people(asif_disclosure **out, const asif_context *context, double people,
                                   const double *count, uint32_t actions, uint32_t min_cell,
                                   asif_error *error);
void asif_disclosure_free(asif_disclosure *cells);
/* The limit `min_cell` below which a count is small. */
uint32_t asif_disclosure_limit(const asif_disclosure *cells);

typedef enum {
    ASIF_CELL_SUBJECTS,
    ASIF_CELL_EPISODES,
    ASIF_CELL_DECISIONS,
    ASIF_CELL_ROWS,
    ASIF_CELL_EXCLUDED,
    ASIF_CELL_TOTALS
} asif_cell_total;
/* A count of people by itself, as it may be shown. */
asif_cell asif_disclosure_count(const asif_disclosure *cells, double count);
/* A total of the logs, as it may be shown. */
asif_cell asif_disclosure_total(const asif_disclosure *cells, asif_cell_total which);
/* What describes the logs, as it may be shown; all 0 where the fit does not have it. */
enum { ASIF_QUARTILES = 3 };
typedef struct {
    uint32_t actions, observations;
    asif_cell *taken; /* [actions] */
    asif_cell *seen;  /* [observations + 1]; the last: nothing was seen */
    bool shown;       /* the counts of actions are exact */
    double quartile[ASIF_QUARTILES], shortest,
        longest; /* of the lengths of episodes; NaN: may not be shown */
} asif_disclosure_table;
const asif_disclosure_table *asif_disclosure_described(const asif_disclosure *cells);

/* The histories that may be shown: their number, and the k-th as an index into `histories` of the fit. Their
 * order does not depend on counts, because being listed, and being listed earlier, also reveals counts. */
uint32_t asif_disclosure_shown(const asif_disclosure *cells);
uint32_t asif_disclosure_place(const asif_disclosure *cells, uint32_t k);
/* Decisions at a history, and how often an action was taken there; both by their indices in the fit. NaN: the
 * history may not be shown. */
asif_cell asif_disclosure_history(const asif_disclosure *cells, uint32_t history);
asif_cell asif_disclosure_action(const asif_disclosure *cells, uint32_t history, uint32_t action);

/* A count in words: "1,000", "fewer than 11", "480 to 490", "withheld". Returns `buffer`, of
 * ASIF_CELL_SIZE. */
char *asif_cell_text(char *buffer, const asif_disclosure *cells, asif_cell cell);
/* The share of a part in a whole, in words: "95 %", "under 2 %", "over 98 %", "93 to 96 %", "withheld".
 * Returns `buffer`, of ASIF_CELL_SIZE. */
char *asif_share_text(char *buffer, asif_cell part, asif_cell whole);
/* The range of that share; false: nothing may be shown. */
bool asif_share_range(double *low, double *high, asif_cell part, asif_cell whole);
/* That share for a figure: the middle of its range; NaN: nothing may be drawn. */
double asif_share_value(asif_cell part, asif_cell whole);

#endif
