/* The agents that figures show: a fitted one, in the middle of the draws, or that of a study; the same model
 * without bounds; one that knows the true world; solved. The Bayes-optimal agent is not among them: what it
 * does depends on what it believes of the worlds, too. */
#ifndef ASIF_SRC_REPORT_FIGURES_AGENT_H
#define ASIF_SRC_REPORT_FIGURES_AGENT_H

#include "acting/ideals.h"
#include "questions/explain/explain.h"
#include "render/figures/figure.h"

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    const char *name;                 /* of the group; NULL: there is one fit only, or none */
    const asif_fitted *fitted;        /* NULL: the agent of a study */
    const asif_yaml *path;            /* see asif_explain_json(), one that may be shown; NULL: none */
    const asif_plan_request *request; /* of a study's agent: a history to follow; NULL: none */
    uint32_t start;                   /* start class */
    /* Behaviours by ASIF_WHO_...; NULL: there is no such agent, or it is the same as another. Each stays as
     * it is. */
    const asif_behavior *who[ASIF_WHO_COUNT];
    const asif_theta *theta; /* of the first */
    uint32_t draws;          /* of the fit; 1 where there is only a maximum, 0 without a fit */
    double *x;               /* [draws][dimension] */
    double *middle;          /* [dimension] */
    uint64_t effort;         /* of a backup: what a solve costs, on the same scale for all problems */
    asif_work *work;
    asif_theta *own;
    asif_ideals unbound;
} asif_figure_agent;

/* Whether beliefs over so many states are what the agent acts on: else there is nothing to draw. */
bool asif_agent_believes(const asif_work *work, uint32_t states);

/* Solve. ASIF_EUNSUPPORTED or ASIF_EUNSET where there is no such agent. Freed by asif_agent_free() whether it
 * fails or not. */
asif_status asif_agent_fitted(asif_figure_agent *out, const asif_source *source, uint32_t fit,
                              asif_error *error);
/* One that is solved already, in `work`; with `ideals` both of the others, too. */
asif_status asif_agent_planned(asif_figure_agent *out, const asif_context *context, const asif_study *study,
                               const asif_work *work, const asif_theta *theta,
                               const asif_plan_request *request, bool ideals, asif_error *error);
void asif_agent_free(asif_figure_agent *agent);

/* Who they are in a table and a legend. */
const char *asif_agent_word(const asif_figure_agent *agent, uint32_t who);
/* "alpha 0.5, optimism 0.8, eta 0.001": what was estimated, of a fit; else all that has a value. */
void asif_agent_numbers(asif_text *text, const asif_figure_agent *agent);
/* Name and title of a figure, with the group. */
void asif_agent_entitle(asif_figure *figure, const asif_figure_agent *agent, const char *name,
                        const char *title);

/* Policies at beliefs: [count][actions]. */
asif_status asif_agent_policy(double *policy, const asif_figure_agent *agent, const asif_behavior *behavior,
                              uint64_t count, const double *belief, asif_error *error);
uint32_t asif_agent_likeliest(const asif_figure_agent *agent, const double *policy);
const char *asif_agent_action(const asif_figure_agent *agent, uint32_t action, char *label);
const char *asif_agent_state(const asif_figure_agent *agent, uint32_t state, char *label);

#define ASIF_AGENT_ACTIONS ASIF_FIGURE_COLOURS
/* Up to ASIF_AGENT_ACTIONS actions that reach the highest probability somewhere in [count][actions], in their
 * own order; returns how many. */
uint32_t asif_agent_choose(uint32_t chosen[ASIF_AGENT_ACTIONS], const asif_figure_agent *agent,
                           uint64_t count, const double *policy);
/* The slot "actions": their labels as a list. */
void asif_agent_slot(asif_figure *figure, const asif_figure_agent *agent, uint32_t count,
                     const uint32_t *chosen);

/* ---- trajectories ---- */

typedef struct {
    uint64_t count;        /* beliefs: one more than events, unless the last ended it */
    double *belief;        /* [count][states] */
    uint32_t *action;      /* [count]: taken there; ASIF_ANY: none */
    uint32_t *observation; /* [count]: that followed */
} asif_course_drawn;

/* The beliefs along the history of the request. Without one: three times the strongest evidence for the last
 * state, that is, of the likeliest action at the start that ends nothing the observation that moves the
 * belief most. No belief if there is none. */
asif_status asif_agent_evidence(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error);
/* The history of the request; else the path; else an episode that is simulated. */
asif_status asif_agent_course(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error);
void asif_agent_course_free(asif_course_drawn *course, const asif_context *context);

/* ---- figures of an agent ---- */

typedef asif_status asif_agent_drawer(asif_figures *list, const asif_figure_agent *agent, asif_error *error);
asif_agent_drawer asif_policy_draw;  /* two states */
asif_agent_drawer asif_simplex_draw; /* three */
/* Of every fit whose agent has beliefs over so many states; nothing of those that cannot be solved. */
asif_status asif_agent_figures(asif_figures *list, const asif_source *source, uint32_t states,
                               asif_agent_drawer *draw, asif_error *error);

#endif
