/* The inside of outcomes, and the pieces that make them. */
#ifndef ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_H
#define ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_H

#include "acting/evidence.h"
#include "acting/ideals.h"
#include "asif/outcomes.h"
#include "base/data/json.h"

struct asif_outcomes {
    const asif_context *context;
    const asif_setting *setting;
    const asif_tree *tree; /* NULL: none */
    asif_outcomes_options options;
    asif_outcomes_view view; /* every array owned */
    double *weight, *observed;
    asif_outcome *number;
    asif_outcome_loss loss[ASIF_BOUND_COUNT];
    asif_outcome_evidence *evidence;
    asif_outcome_history *history;
    asif_outcome *policy;   /* [histories][ASIF_AGENT_COUNT][actions] */
    double *history_shares; /* [histories][actions] */
    uint32_t *events;       /* of all histories: actions, then observations */
    char note[256];
};

/* ---- outcomes_logs.c: what the logs tell ---- */
/* weight, observed; view.rows and view.measures are known. */
asif_status asif_outcomes_observe(asif_outcomes *o, asif_error *error);
/* The histories to look at. */
asif_status asif_outcomes_histories(asif_outcomes *o, const asif_evidence *evidence, asif_error *error);
/* Policy of an agent after a history, [actions], NaN if it holds it impossible. `state` [width]. */
asif_status asif_outcomes_policy(const asif_outcome_history *history, const asif_behavior *behavior,
                                 double *state, double *policy, asif_error *error);

/* ---- outcomes_table.c: numbers by draw ---- */
typedef struct {
    const asif_context *context;
    uint32_t numbers, draws;
    double *value,
        *error;  /* [numbers][draws]; a number that is the same for all draws is in the first place */
    bool *fixed; /* [numbers] */
} asif_outcome_table;
asif_status asif_outcome_table_create(asif_outcome_table *out, const asif_context *context, uint32_t numbers,
                                      uint32_t draws, asif_error *error);
void asif_outcome_table_free(asif_outcome_table *table);
void asif_outcome_table_set(asif_outcome_table *table, uint32_t number, uint32_t draw, double value,
                            double error);
/* Over the first `draws`; spoils their order. */
asif_outcome asif_outcome_table_sum(const asif_outcome_table *table, uint32_t number, uint32_t draws);

/* ---- outcomes_json.c ---- */
/* As a member of something larger (`key`), or at the top (NULL). */
void asif_outcomes_add(asif_json *json, const char *key, const asif_outcomes *outcomes);

#endif
