/* The policy of an agent at every belief over two states, and the course of its belief under repeated
 * evidence: the paper's Figure 2. */
#include "report/figures/agent.h"

#include "base/error.h"
#include "base/memory.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define GRID 100         /* intervals of the first grid of beliefs */
#define MOST_POINTS 400  /* most beliefs after refinement where the policy changes */
#define CHANGE 0.05      /* change of a probability between neighbours from which the grid is refined */
#define STEP 1e-5        /* beliefs are rounded to five digits, as in the figure */
#define BAND_DRAWS 40    /* most draws of the fit that make the band */
#define LEAST_DRAWS 10   /* fewest draws that make a band */
#define EFFORT 60000     /* size of a backup from which the band has fewer draws */
#define ROW 0.085        /* height of a row below the axis, in probabilities */
#define TRAJECTORY 0.135 /* height of the trajectory */

typedef struct {
    const asif_figure_agent *agent;
    uint64_t count;
    double *belief; /* [MOST_POINTS][2] */
    double *policy; /* [MOST_POINTS][actions] */
    uint32_t chosen[ASIF_AGENT_ACTIONS], shown;
    asif_course_drawn course;
    double *on_course; /* [course.count][actions] */
} drawing;

static void set_belief(double *belief, double second) {
    belief[1] = round(second / STEP) * STEP;
    belief[0] = 1 - belief[1];
}

/* ---- the lines ---- */

static bool differs(const drawing *d, uint64_t i) {
    uint64_t U = d->agent->spec->actions;
    double gap = d->belief[2 * i + 3] - d->belief[2 * i + 1];
    for (uint64_t u = 0; u < U && gap > 1.5 * STEP; u++)
        if (fabs(d->policy[(i + 1) * U + u] - d->policy[i * U + u]) > CHANGE)
            return true;
    return false;
}

/* Halve the intervals in which the policy changes much, until none is left or all points are used. */
static asif_status refine(drawing *d, asif_error *error) {
    uint64_t U = d->agent->spec->actions, added = 1;
    while (added && d->count < MOST_POINTS) {
        added = 0;
        for (uint64_t i = d->count - 1; i-- > 0 && d->count < MOST_POINTS;) {
            if (!differs(d, i))
                continue;
            double middle = (d->belief[2 * i + 1] + d->belief[2 * i + 3]) / 2;
            uint64_t after = d->count - i - 1;
            memmove(d->belief + 2 * (i + 2), d->belief + 2 * (i + 1), 2 * after * sizeof *d->belief);
            memmove(d->policy + (i + 2) * U, d->policy + (i + 1) * U, after * U * sizeof *d->policy);
            set_belief(d->belief + 2 * (i + 1), middle);
            ASIF_TRY(asif_agent_policy(d->policy + (i + 1) * U, d->agent, d->agent->who[ASIF_WHO_FITTED], 1,
                                       d->belief + 2 * (i + 1), error));
            d->count++;
            added++;
        }
    }
    return ASIF_OK;
}

static asif_status look(drawing *d, asif_error *error) {
    const asif_figure_agent *agent = d->agent;
    uint64_t U = agent->spec->actions;
    d->belief = ASIF_ARRAY(agent->context, 2 * (uint64_t)MOST_POINTS, double);
    d->policy = ASIF_ARRAY(agent->context, MOST_POINTS * U, double);
    if (!d->belief || !d->policy)
        return asif_fail_memory(error);
    d->count = GRID + 1;
    for (uint32_t i = 0; i <= GRID; i++)
        set_belief(d->belief + 2 * (uint64_t)i, (double)i / GRID);
    ASIF_TRY(asif_agent_policy(d->policy, agent, agent->who[ASIF_WHO_FITTED], d->count, d->belief, error));
    ASIF_TRY(refine(d, error));
    d->shown = asif_agent_choose(d->chosen, agent, d->count, d->policy);
    if (!agent->lead) /* with a seen part, what comes next is at another place */
        ASIF_TRY(asif_agent_evidence(&d->course, agent, error));
    d->on_course = ASIF_ARRAY(agent->context, d->course.count * U, double);
    if (!d->on_course)
        return asif_fail_memory(error);
    return d->course.count ? asif_agent_policy(d->on_course, agent, agent->who[ASIF_WHO_FITTED],
                                               d->course.count, d->course.belief, error)
                           : ASIF_OK;
}

static void add_lines(asif_figure *figure, const drawing *d) {
    char label[ASIF_LABEL_SIZE];
    asif_json_array(&figure->data, "policy");
    for (uint32_t k = 0; k < d->shown; k++)
        for (uint64_t i = 0; i < d->count; i++) {
            asif_json_object(&figure->data, NULL);
            asif_json_string(&figure->data, "action", asif_agent_action(d->agent, d->chosen[k], label));
            asif_figure_number(figure, "belief", d->belief[2 * i + 1]);
            asif_figure_number(figure, "probability", d->policy[i * d->agent->spec->actions + d->chosen[k]]);
            asif_json_end(&figure->data);
        }
    asif_json_end(&figure->data);
}

/* ---- the band ---- */

/* The number of draws of the band. It depends on the size of the problem, not on the clock, so that a report
 * is the same everywhere. */
static uint32_t band_draws(const asif_figure_agent *agent) {
    uint64_t most = agent->effort > EFFORT ? BAND_DRAWS * (uint64_t)EFFORT / agent->effort : BAND_DRAWS;
    most = most < agent->draws ? most : agent->draws;
    return most < LEAST_DRAWS ? 0 : (uint32_t)most;
}

/* Compute the policies of draws at the grid: [GRID + 1][actions][draws]. */
static asif_status solve_draws(double *out, const asif_figure_agent *agent, uint32_t draws, asif_work *work,
                               asif_theta *theta, const double *belief, double *policy, asif_error *error) {
    uint64_t cells = (GRID + 1) * (uint64_t)agent->spec->actions;
    uint64_t n = asif_estimates_dimension(agent->fitted->estimates);
    for (uint64_t i = 0; i < draws; i++) {
        const double *x = agent->x + i * agent->draws / draws * n;
        ASIF_TRY(asif_estimates_theta(agent->fitted->estimates, x, theta, error));
        ASIF_TRY(asif_solve(work, theta, NULL, error));
        ASIF_TRY(asif_agent_policy(policy, agent, asif_work_behavior(work), GRID + 1, belief, error));
        for (uint64_t k = 0; k < cells; k++)
            out[k * draws + i] = policy[k];
    }
    return ASIF_OK;
}

static void add_band(asif_figure *figure, const drawing *d, double *value, uint32_t draws,
                     const double *belief) {
    uint64_t U = d->agent->spec->actions;
    char label[ASIF_LABEL_SIZE];
    asif_json_array(&figure->data, "band");
    for (uint32_t k = 0; draws && k < d->shown; k++)
        for (uint64_t i = 0; i <= GRID; i++) {
            asif_band band = asif_band_of(value + (i * U + d->chosen[k]) * draws, draws);
            asif_json_object(&figure->data, NULL);
            asif_json_string(&figure->data, "action", asif_agent_action(d->agent, d->chosen[k], label));
            asif_figure_number(figure, "belief", belief[2 * i + 1]);
            asif_figure_number(figure, "low", band.q05);
            asif_figure_number(figure, "high", band.q95);
            asif_json_end(&figure->data);
        }
    asif_json_end(&figure->data);
}

static asif_status draw_band(asif_figure *figure, const drawing *d, asif_error *error) {
    const asif_figure_agent *agent = d->agent;
    const asif_context *c = agent->context;
    uint32_t draws = agent->fitted ? band_draws(agent) : 0;
    uint64_t cells = (GRID + 1) * (uint64_t)agent->spec->actions;
    double *value = ASIF_ARRAY(c, cells * draws, double), *policy = ASIF_ARRAY(c, cells, double);
    double *belief = ASIF_ARRAY(c, 2 * (GRID + 1), double);
    asif_work *work = NULL;
    asif_theta *theta = NULL;
    asif_status status = value && policy && belief ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i <= GRID; i++)
        set_belief(belief + 2 * i, (double)i / GRID);
    if (status == ASIF_OK && draws)
        status = asif_work_clone(&work, agent->work, error);
    if (status == ASIF_OK && draws)
        status = asif_theta_copy(&theta, agent->theta, error);
    if (status == ASIF_OK && draws)
        status = solve_draws(value, agent, draws, work, theta, belief, policy, error);
    if (status == ASIF_OK)
        add_band(figure, d, value, draws, belief);
    asif_work_free(work);
    asif_theta_free(theta);
    asif_free(c, value);
    asif_free(c, policy);
    asif_free(c, belief);
    return status;
}

/* ---- below the axis ---- */

static bool is_shown(const drawing *d, uint32_t action) {
    for (uint32_t k = 0; k < d->shown; k++)
        if (d->chosen[k] == action)
            return true;
    return false;
}

static void add_stretch(asif_figure *figure, const drawing *d, uint32_t who, uint32_t action, double from,
                        double to, double top) {
    char label[ASIF_LABEL_SIZE];
    if (!is_shown(d, action))
        return;
    asif_json_object(&figure->data, NULL);
    asif_json_string(&figure->data, "who", asif_agent_word(d->agent, who));
    asif_json_string(&figure->data, "action", asif_agent_action(d->agent, action, label));
    asif_figure_number(figure, "from", from);
    asif_figure_number(figure, "to", to);
    asif_figure_number(figure, "top", top);
    asif_figure_number(figure, "bottom", top - 0.8 * ROW);
    asif_json_end(&figure->data);
}

/* Find the belief between two neighbours of the grid at which the likeliest action changes. */
static asif_status find_switch(double *out, const drawing *d, const asif_behavior *behavior, double low,
                               double high, uint32_t below, double *policy, asif_error *error) {
    while (high - low > STEP) {
        double belief[2];
        belief[1] = (low + high) / 2;
        belief[0] = 1 - belief[1];
        ASIF_TRY(asif_agent_policy(policy, d->agent, behavior, 1, belief, error));
        if (asif_agent_likeliest(d->agent, policy) == below)
            low = belief[1];
        else
            high = belief[1];
    }
    *out = (low + high) / 2;
    return ASIF_OK;
}

static asif_status add_ideal(asif_figure *figure, const drawing *d, uint32_t who, double top, double *policy,
                             asif_error *error) {
    const asif_behavior *behavior = d->agent->who[who];
    uint32_t last = ASIF_ANY;
    double from = 0, change;
    for (uint32_t i = 0; i <= GRID; i++) {
        double belief[2];
        set_belief(belief, (double)i / GRID);
        ASIF_TRY(asif_agent_policy(policy, d->agent, behavior, 1, belief, error));
        uint32_t action = asif_agent_likeliest(d->agent, policy);
        if (last != ASIF_ANY && action != last) {
            ASIF_TRY(
                find_switch(&change, d, behavior, belief[1] - 1.0 / GRID, belief[1], last, policy, error));
            add_stretch(figure, d, who, last, from, change, top);
            from = change;
        }
        last = action;
    }
    add_stretch(figure, d, who, last, from, 1, top);
    return ASIF_OK;
}

static double rows_top(const drawing *d) {
    return d->course.count ? -TRAJECTORY : -0.02;
}

static asif_status add_ideals(asif_figure *figure, const drawing *d, asif_error *error) {
    double *policy = ASIF_ARRAY(d->agent->context, d->agent->spec->actions, double);
    double top = rows_top(d);
    asif_status status = policy ? ASIF_OK : asif_fail_memory(error);
    asif_json_array(&figure->data, "ideal");
    for (uint32_t who = ASIF_WHO_SAME; status == ASIF_OK && who < ASIF_WHO_COUNT; who++)
        if (d->agent->who[who]) {
            status = add_ideal(figure, d, who, top, policy, error);
            top -= ROW;
        }
    asif_json_end(&figure->data);
    asif_free(d->agent->context, policy);
    top = rows_top(d);
    asif_json_array(&figure->data, "row");
    for (uint32_t who = ASIF_WHO_SAME; who < ASIF_WHO_COUNT; who++)
        if (d->agent->who[who]) {
            asif_json_object(&figure->data, NULL);
            asif_json_string(&figure->data, "who", asif_agent_word(d->agent, who));
            asif_figure_number(figure, "y", top - 0.4 * ROW);
            asif_json_end(&figure->data);
            top -= ROW;
        }
    asif_json_end(&figure->data);
    return status;
}

static void add_trajectory(asif_figure *figure, const drawing *d) {
    asif_json_array(&figure->data, "trajectory");
    for (uint64_t k = 0; k < d->course.count; k++) {
        char label[16];
        asif_json_object(&figure->data, NULL);
        asif_format(label, sizeof label, "z%llu", (unsigned long long)k);
        asif_json_string(&figure->data, "label", label);
        asif_figure_number(figure, "belief", d->course.belief[2 * k + 1]);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

/* ---- words ---- */

/* Add where each action is the likeliest: "declare_healthy is the likeliest action below 0.14, monitor from
 * there to 0.86, declare_diseased above". */
static void say_regions(asif_text *text, const drawing *d) {
    uint64_t U = d->agent->spec->actions;
    char label[ASIF_LABEL_SIZE], word[ASIF_SAID_SIZE];
    uint32_t last = asif_agent_likeliest(d->agent, d->policy), said = 0;
    asif_text_addf(text, "%s is the likeliest action",
                   asif_said(word, asif_agent_action(d->agent, last, label)));
    for (uint64_t i = 1; i < d->count && said < 6; i++) {
        uint32_t action = asif_agent_likeliest(d->agent, d->policy + i * U);
        if (action == last)
            continue;
        asif_text_addf(text, " %s %.2f, then %s", said++ ? "up to" : "below",
                       (d->belief[2 * i - 1] + d->belief[2 * i + 1]) / 2,
                       asif_said(word, asif_agent_action(d->agent, action, label)));
        last = action;
    }
    asif_text_add(text, said ? "." : " at every belief.");
}

static bool repeats(const asif_course_drawn *course) {
    for (uint64_t k = 1; k + 1 < course->count; k++)
        if (course->action[k] != course->action[0] || course->observation[k] != course->observation[0])
            return false;
    return course->count > 1;
}

/* Add the repeated event: "monitor with positive". */
static void say_event(asif_text *text, const drawing *d, const char *joint) {
    char label[ASIF_LABEL_SIZE], word[ASIF_SAID_SIZE];
    asif_text_addf(text, "%s %s ", asif_said(word, asif_agent_action(d->agent, d->course.action[0], label)),
                   joint);
    asif_text_add(text, asif_said(word, asif_agent_label(d->agent, ASIF_LABEL_OBSERVATION,
                                                         d->course.observation[0], label)));
}

static void say_trajectory(asif_text *text, const drawing *d) {
    const asif_course_drawn *course = &d->course;
    char label[ASIF_LABEL_SIZE], word[ASIF_SAID_SIZE], cell[ASIF_CELL_SIZE];
    if (course->count < 2)
        return;
    if (repeats(course) && course->count > 2) {
        asif_text_add(text, " After ");
        say_event(text, d, "with");
        asif_text_add(text, " once, twice and so on");
    } else {
        asif_text_add(text, " Along the history");
    }
    asif_text_add(text, " the belief goes from");
    for (uint64_t k = 0; k < course->count; k++)
        asif_text_addf(text, "%s %.2f", k == 1 ? " to" : k ? "," : "", course->belief[2 * k + 1]);
    const double *last = d->on_course + (course->count - 1) * d->agent->spec->actions;
    uint32_t would = asif_agent_likeliest(d->agent, last);
    asif_text_addf(text, ", where %s is the likeliest action (%s).",
                   asif_said(word, asif_agent_action(d->agent, would, label)),
                   asif_percent_text(cell, last[would]));
}

static void add_words(asif_figure *figure, const drawing *d) {
    const asif_figure_agent *agent = d->agent;
    char label[ASIF_LABEL_SIZE], state[ASIF_SAID_SIZE];
    asif_said(state, asif_agent_state(agent, 1, label));
    asif_text_addf(&figure->alt, "By the belief in %s%s: ", state,
                   agent->lead ? ", where an episode begins" : "");
    say_regions(&figure->alt, d);
    say_trajectory(&figure->alt, d);
    asif_text_addf(&figure->caption, "How probable each action is %sat every belief in %s, ",
                   agent->lead ? "at the beginning of an episode, " : "", state);
    if (agent->fitted) {
        asif_text_add(&figure->caption, agent->draws > 1 ? "of the agent in the middle of the draws ("
                                                         : "of the agent at the maximum (");
        asif_agent_numbers(&figure->caption, agent);
        asif_text_add(&figure->caption, ")");
        if (band_draws(agent))
            asif_text_addf(&figure->caption, "; the bands hold 90 %% of %u draws", band_draws(agent));
    } else {
        asif_text_add(&figure->caption, "of the agent with ");
        asif_agent_numbers(&figure->caption, agent);
    }
    asif_text_add(&figure->caption, ".");
    if (repeats(&d->course) && d->course.count > 2) {
        asif_text_add(&figure->caption, " Triangles: the belief at the start (z0) and after each time that ");
        say_event(&figure->caption, d, "was followed by");
        asif_text_add(&figure->caption, ".");
    } else if (d->course.count) {
        asif_text_add(&figure->caption,
                      " Triangles: the belief at the start (z0) and after each step of the history.");
    }
    if (agent->who[ASIF_WHO_SAME])
        asif_text_add(
            &figure->caption,
            agent->who[ASIF_WHO_TRUE]
                ? " Bars below: what the same model would do without bounds, and what an agent would "
                  "do that knows the true world."
                : " The bar below: what an ideal agent would do.");
    if (d->shown < agent->spec->actions)
        asif_text_addf(&figure->caption, " %u actions that are less likely everywhere are left out.",
                       agent->spec->actions - d->shown);
}

/* ---- the table ---- */

static asif_status add_row(asif_figure *figure, const drawing *d, const char *name, const double *belief,
                           double *policy, asif_error *error) {
    const asif_figure_agent *agent = d->agent;
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    ASIF_TRY(asif_agent_policy(policy, agent, agent->who[ASIF_WHO_FITTED], 1, belief, error));
    asif_format(cell, sizeof cell, "%.*f", *name ? 4 : 1, belief[1]);
    asif_figure_cell(figure, cell);
    asif_figure_cell(figure, name);
    for (uint32_t k = 0; k < d->shown; k++)
        asif_figure_cell(figure, asif_percent_text(cell, policy[d->chosen[k]]));
    for (uint32_t who = ASIF_WHO_SAME; who < ASIF_WHO_COUNT; who++)
        if (agent->who[who]) {
            ASIF_TRY(asif_agent_policy(policy, agent, agent->who[who], 1, belief, error));
            asif_figure_cell(figure, asif_agent_action(agent, asif_agent_likeliest(agent, policy), label));
        }
    return ASIF_OK;
}

static asif_status add_table(asif_figure *figure, const drawing *d, asif_error *error) {
    const asif_figure_agent *agent = d->agent;
    char label[ASIF_LABEL_SIZE], name[16];
    double *policy = ASIF_ARRAY(agent->context, agent->spec->actions, double);
    asif_status status = policy ? ASIF_OK : asif_fail_memory(error);
    figure->columns =
        2 + d->shown + (agent->who[ASIF_WHO_SAME] != NULL) + (agent->who[ASIF_WHO_TRUE] != NULL);
    asif_figure_cell(figure, "belief");
    asif_figure_cell(figure, "");
    for (uint32_t k = 0; k < d->shown; k++)
        asif_figure_cell(figure, asif_agent_action(agent, d->chosen[k], label));
    for (uint32_t who = ASIF_WHO_SAME; who < ASIF_WHO_COUNT; who++)
        if (agent->who[who])
            asif_figure_cell(figure, asif_agent_word(agent, who));
    for (uint32_t i = 0; status == ASIF_OK && i <= 10; i++) {
        double belief[2];
        set_belief(belief, i / 10.0);
        status = add_row(figure, d, "", belief, policy, error);
    }
    for (uint64_t k = 0; status == ASIF_OK && k < d->course.count; k++) {
        asif_format(name, sizeof name, "z%llu", (unsigned long long)k);
        status = add_row(figure, d, name, d->course.belief + 2 * k, policy, error);
    }
    asif_free(agent->context, policy);
    return status;
}

/* ---- the figure ---- */

static void set_slots(asif_figure *figure, const drawing *d) {
    const asif_figure_agent *agent = d->agent;
    int rows = (agent->who[ASIF_WHO_SAME] != NULL) + (agent->who[ASIF_WHO_TRUE] != NULL);
    double below = (d->course.count ? TRAJECTORY : 0.02) + ROW * rows;
    char label[ASIF_LABEL_SIZE], word[ASIF_SAID_SIZE], json[64];
    asif_text words = {.context = agent->context};
    asif_text_addf(&words, "belief in %s", asif_said(word, asif_agent_state(agent, 1, label)));
    asif_figure_slot(figure, "belief", words.data ? words.data : "");
    figure->slots.failed |= words.failed;
    asif_text_free(&words);
    asif_format(json, sizeof json, "[%.3f, 1.01]", -below);
    asif_figure_slot_json(figure, "range", json);
    asif_format(json, sizeof json, "%.0f", 220 * (1 + below));
    asif_figure_slot_json(figure, "height", json);
    asif_agent_slot(figure, agent, d->shown, d->chosen);
}

asif_status asif_policy_draw(asif_figures *list, const asif_figure_agent *agent, asif_error *error) {
    asif_figure figure;
    drawing d = {.agent = agent};
    asif_agent_entitle(&figure, agent, "policy", "What is done at each belief");
    asif_status status = look(&d, error);
    if (status == ASIF_OK)
        status = draw_band(&figure, &d, error);
    if (status == ASIF_OK) {
        add_lines(&figure, &d);
        add_trajectory(&figure, &d);
        status = add_ideals(&figure, &d, error);
    }
    if (status == ASIF_OK)
        status = add_table(&figure, &d, error);
    if (status == ASIF_OK) {
        set_slots(&figure, &d);
        add_words(&figure, &d);
        status = asif_figure_end(list, &figure, "policy.vl.json", error);
    } else {
        asif_figure_free(&figure);
    }
    asif_free(agent->context, d.belief);
    asif_free(agent->context, d.policy);
    asif_free(agent->context, d.on_course);
    asif_agent_course_free(&d.course, agent->context);
    return status;
}

asif_status asif_figure_policy(asif_figures *list, const asif_source *source, asif_error *error) {
    return asif_agent_figures(list, source, 2, asif_policy_draw, error);
}
