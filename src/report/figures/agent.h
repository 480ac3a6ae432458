/* The agents that figures show, solved: the fitted one, at the middle of the draws, or that of a study; the
 * same model without bounds; and one that knows the true world. The Bayes-optimal agent is not among them,
 * because its actions also depend on its beliefs about the worlds. */
#ifndef ASIF_SRC_REPORT_FIGURES_AGENT_H
#define ASIF_SRC_REPORT_FIGURES_AGENT_H

#include "acting/ideals.h"
#include "questions/explain/explain.h"
#include "render/figures/figure.h"

#define ASIF_WHERE_SIZE 120
/* Where episodes begin in more places than this, the others are not drawn: a page would hold nothing else. */
#define ASIF_BEGINNINGS_DRAWN 12

typedef struct {
    const asif_context *context;
    const asif_study *study; /* of which names and labels are; NULL: not known */
    const asif_setting *setting;
    const asif_setting_spec *spec;
    const char *name;                 /* name of the group; NULL: there is only one fit, or none */
    const asif_fitted *fitted;        /* NULL: this is the agent of a study */
    const asif_yaml *path;            /* path that may be shown, see asif_explain_json(); NULL: none */
    const asif_plan_request *request; /* history to follow, for the agent of a study; NULL: none */
    uint32_t start;                   /* start class */
    uint32_t hidden;                  /* hidden values: beliefs are over them */
    bool lead;                        /* agent states begin with a place: that of the start with `first` */
    uint32_t first;                   /* what is seen at the start; ASIF_ANY: nothing */
    char where[ASIF_WHERE_SIZE];      /* this in words, if episodes begin in several places; "" */
    /* Behaviours by ASIF_WHO_...; NULL: there is no such agent, or it is the same as another. They stay valid
     * until asif_agent_free(). */
    const asif_behavior *who[ASIF_WHO_COUNT];
    const asif_theta *theta; /* parameters of the first agent */
    uint32_t draws;          /* number of draws; 1 if there is only a maximum, 0 without a fit */
    double *x;               /* [draws][dimension] */
    double *middle;          /* [dimension]: middle of the draws */
    uint64_t effort;         /* size of one backup, which measures the cost of a solve */
    asif_work *work;
    asif_theta *own;
    asif_ideals unbound;
} asif_figure_agent;

/* Whether the agent acts on beliefs over `states` hidden values; otherwise there is nothing to draw. With a
 * seen part of the state or a horizon, only two can be drawn, where an episode begins. */
bool asif_agent_believes(const asif_work *work, uint32_t states);

/* Solve the agents of a fit. ASIF_EUNSUPPORTED or ASIF_EUNSET if there is no such agent. Call
 * asif_agent_free() in either case. */
asif_status asif_agent_fitted(asif_figure_agent *out, const asif_source *source, uint32_t fit,
                              asif_error *error);
/* Take an agent that is already solved in `work`, which is borrowed; with `ideals`, solve the two other
 * agents too. */
asif_status asif_agent_planned(asif_figure_agent *out, const asif_context *context, const asif_study *study,
                               const asif_work *work, const asif_theta *theta,
                               const asif_plan_request *request, bool ideals, asif_error *error);
void asif_agent_free(asif_figure_agent *agent);

/* The name of an agent in tables and legends. */
const char *asif_agent_word(const asif_figure_agent *agent, uint32_t who);
/* Add parameters: "choice randomness 0.5, optimism 0.8"; of a fit those that were estimated, else all that
 * have a value. */
void asif_agent_numbers(asif_text *text, const asif_figure_agent *agent);
/* Set name and title of a figure, including the group. */
void asif_agent_entitle(asif_figure *figure, const asif_figure_agent *agent, const char *name,
                        const char *title);

/* Compute the policies at beliefs: [count][actions]. */
asif_status asif_agent_policy(double *policy, const asif_figure_agent *agent, const asif_behavior *behavior,
                              uint64_t count, const double *belief, asif_error *error);
/* The most probable action of a policy [actions]; the labels of an action and a state, perhaps in `label`, of
 * ASIF_LABEL_SIZE. */
uint32_t asif_agent_likeliest(const asif_figure_agent *agent, const double *policy);
const char *asif_agent_action(const asif_figure_agent *agent, uint32_t action, char *label);
const char *asif_agent_state(const asif_figure_agent *agent, uint32_t state, char *label);
const char *asif_agent_label(const asif_figure_agent *agent, asif_label_kind kind, uint32_t i, char *label);

#define ASIF_AGENT_ACTIONS ASIF_FIGURE_COLOURS
/* Choose up to ASIF_AGENT_ACTIONS actions, those with the highest maxima in the policies [count][actions], in
 * their own order; returns their number. */
uint32_t asif_agent_choose(uint32_t chosen[ASIF_AGENT_ACTIONS], const asif_figure_agent *agent,
                           uint64_t count, const double *policy);
/* Set the slot "actions" to a list of labels. */
void asif_agent_slot(asif_figure *figure, const asif_figure_agent *agent, uint32_t count,
                     const uint32_t *chosen);

/* ---- trajectories ---- */

typedef struct {
    uint64_t count;        /* beliefs: one more than events, unless the last event ended the episode */
    double *belief;        /* [count][states] */
    uint32_t *action;      /* [count]: action taken there; ASIF_ANY: none */
    uint32_t *observation; /* [count]: observation that followed; ASIF_ANY: none */
} asif_course_drawn;

/* The beliefs along the history of the request. Without a request: the same evidence three times, which is
 * the observation that raises the belief in the last state most, after the likeliest action at the start that
 * does not end the episode. No beliefs if there is no such observation. Freed by asif_agent_course_free(). */
asif_status asif_agent_evidence(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error);
/* The beliefs along the history of the request; without a request along the path; without a path along a
 * simulated episode. */
asif_status asif_agent_course(asif_course_drawn *out, const asif_figure_agent *agent, asif_error *error);
void asif_agent_course_free(asif_course_drawn *course, const asif_context *context);

/* ---- figures of an agent ---- */

typedef asif_status asif_agent_drawer(asif_figures *list, const asif_figure_agent *agent, asif_error *error);
asif_agent_drawer asif_policy_draw;  /* for two states */
asif_agent_drawer asif_simplex_draw; /* for three states */
/* Draw an agent once, or once for each seen value with which an episode can begin. */
asif_status asif_agent_draw(asif_figures *list, asif_figure_agent *agent, asif_agent_drawer *draw,
                            asif_error *error);
/* Draw every fit whose agent has beliefs over `states` states; fits that cannot be solved are left out. */
asif_status asif_agent_figures(asif_figures *list, const asif_source *source, uint32_t states,
                               asif_agent_drawer *draw, asif_error *error);

#endif
