/* What the page's two halves in C share: explorer.c (one study and up to two agents in it) and
 * explorer_logs.c (logs: which ones tell the agents apart, and fits). Texts and arrays that a function
 * returns stay valid until its next call. */
#ifndef ASIF_WEB_EXPLORER_H
#define ASIF_WEB_EXPLORER_H

#include "asif/behavior.h"
#include "asif/study.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#else /* tests/web/test_explorer.c calls these functions from C */
#define EMSCRIPTEN_KEEPALIVE
#define EM_JS(type, name, parameters, ...) type name parameters;
#endif

enum { EXPLORER_AGENTS = 2 };

typedef struct {
    asif_work *work;
    asif_theta *theta;
    asif_plan_info info;
    uint32_t resolution; /* that the workspace was made for */
} explorer_agent;

typedef struct {
    asif_context *context;
    asif_study *study;
    char *text; /* of the study */
    explorer_agent agent[EXPLORER_AGENTS];
    char *answer; /* the last text that was returned */
    double *numbers;
} explorer;

extern explorer explorer_page;

/* Make `text`, owned by the library, the answer of this call. */
const char *explorer_answer(char *text);
/* The answer of a call that failed: {"error": {...}}, with all problems if there is a list. */
const char *explorer_failed(const asif_error *error, const asif_problems *problems);

/* ---- what JavaScript calls ---- */

/* Open a study: its description, or what is wrong with it. An earlier study is closed only if this one can be
 * read. */
EMSCRIPTEN_KEEPALIVE const char *explorer_open(const char *text);
/* Solve an agent (0 or 1) for values "NAME=VALUE", one a line, and report it as `asif plan --json` does:
 * along a history "ACTION:OBSERVATION,...", at `beliefs` beliefs, and its costs in the long run if there are
 * any. resolution 0: the study's. */
EMSCRIPTEN_KEEPALIVE const char *explorer_solve(uint32_t which, const char *values, uint32_t resolution,
                                                const char *history, const double *belief, uint32_t beliefs);
/* The policy and value of a solved agent over a grid of beliefs: [points][actions] probabilities, then
 * [points] values. NULL: there is no such picture, or no memory. */
EMSCRIPTEN_KEEPALIVE const double *explorer_grid(uint32_t which, uint32_t intervals);
/* What a solved agent and the ideal agents do in the environment, as `asif outcomes --json` reports it. */
EMSCRIPTEN_KEEPALIVE const char *explorer_outcomes(uint32_t which, uint32_t episodes);
/* How well logs of the first agent tell it from the second: nats per 1,000 logs, from simulated logs in which
 * only observations count as random, and the histories at which the difference is seen. Both agents are
 * solved. */
EMSCRIPTEN_KEEPALIVE const char *explorer_apart(uint32_t episodes);
/* Logs of a solved agent as CSV, as `asif simulate --seed 0` writes them. */
EMSCRIPTEN_KEEPALIVE const char *explorer_simulate(uint32_t which, uint32_t episodes);
/* A table as the open study understands it, in words: the text of `asif count`; or what is wrong with it. */
EMSCRIPTEN_KEEPALIVE const char *explorer_count(const char *table);
/* Fit the open study to a table by the method `ridge`: the text of fit.json, as
 * `asif fit --method ridge --no-sensitivity` writes it. */
EMSCRIPTEN_KEEPALIVE const char *explorer_fit(const char *table);
/* The summary of the text of a fit.json, in words. */
EMSCRIPTEN_KEEPALIVE const char *explorer_summary(const char *json);

#endif
