/* The triangle of beliefs over three states: the likeliest action in each region, the boundaries of other
 * agents, and a path through it (the paper's Appendix D). */
#include "report/figures/triangle.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define NODES ASIF_TRIANGLE_NODES
#define HEIGHT 0.8660254037844386 /* height of a triangle with edges of 1 */
#define NAMED 0.02                /* share of the triangle from which a region is named in it */
#define APART 0.06                /* smallest distance between numbered steps */
#define LETTER 0.0085             /* room beside the middle of a name, for each letter */
#define ARROW 0.05                /* shortest move that has an arrow */

typedef struct {
    const asif_figure_agent *agent;
    uint32_t likeliest[ASIF_WHO_COUNT][NODES];
    double *policy; /* [NODES][actions]: policy of the agent */
    uint32_t chosen[ASIF_AGENT_ACTIONS], shown;
    asif_course_drawn course;
} drawing;

static void put_place(asif_figure *figure, const double belief[3]) {
    asif_figure_number(figure, "x", belief[2] + belief[1] / 2);
    asif_figure_number(figure, "y", HEIGHT * belief[1]);
}

static double distance(const double a[3], const double b[3]) {
    return hypot(b[2] - a[2] + (b[1] - a[1]) / 2, HEIGHT * (b[1] - a[1]));
}

/* ---- the triangle ---- */

static void add_corners(asif_figure *figure, const asif_figure_agent *agent) {
    static const struct {
        double belief[3], x;
        const char *align;
        int dy;
    } corner[] = {
        {{1, 0, 0}, -0.1, "left", 18}, {{0, 1, 0}, 0.5, "center", -14}, {{0, 0, 1}, 1.1, "right", 18}};
    char label[ASIF_LABEL_SIZE];
    asif_json_array(&figure->data, "corner");
    for (uint32_t s = 0; s < 3; s++) {
        asif_json_object(&figure->data, NULL);
        asif_json_string(&figure->data, "state", asif_agent_state(agent, s, label));
        asif_figure_number(figure, "x", corner[s].x);
        asif_figure_number(figure, "y", HEIGHT * corner[s].belief[1]);
        asif_json_string(&figure->data, "align", corner[s].align);
        asif_json_number(&figure->data, "dy", corner[s].dy);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
    asif_json_array(&figure->data, "edge");
    for (uint32_t i = 0; i <= 3; i++) {
        asif_json_object(&figure->data, NULL);
        put_place(figure, corner[i % 3].belief);
        asif_json_count(&figure->data, "order", i);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

/* ---- regions ---- */

static double share(const drawing *d, uint32_t who, uint32_t action) {
    uint32_t count = 0, nodes = NODES;
    for (uint32_t i = 0; i < nodes; i++)
        count += d->likeliest[who][i] == action;
    return (double)count / nodes;
}

/* Whether the decision boundary of some agent runs between two nodes. */
static bool parted(const drawing *d, uint32_t i, uint32_t j) {
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
        if (d->likeliest[who][i] != d->likeliest[who][j])
            return true;
    return false;
}

/* Distance of a node from the nearest boundary or edge. */
static double depth_of(const drawing *d, uint32_t i) {
    double at[3], other[3], least;
    asif_triangle_belief(i, at);
    least = fmin(fmin(at[0], at[1]), at[2]) + 0.02;
    for (uint32_t j = 0; j < NODES; j++) {
        if (!parted(d, i, j))
            continue;
        asif_triangle_belief(j, other);
        least = fmin(least, distance(at, other));
    }
    return least;
}

static void add_names(asif_figure *figure, const drawing *d) {
    char label[ASIF_LABEL_SIZE];
    asif_json_array(&figure->data, "name");
    for (uint32_t k = 0; k < d->shown; k++) {
        double deepest = 0, belief[3];
        uint32_t at = 0;
        if (share(d, ASIF_WHO_FITTED, d->chosen[k]) < NAMED)
            continue;
        for (uint32_t i = 0; i < NODES; i++) {
            double depth = d->likeliest[ASIF_WHO_FITTED][i] == d->chosen[k] ? depth_of(d, i) : 0;
            if (depth > deepest) {
                deepest = depth;
                at = i;
            }
        }
        const char *name = asif_agent_action(d->agent, d->chosen[k], label);
        if (deepest < LETTER * (double)strlen(name))
            continue;
        asif_triangle_belief(at, belief);
        asif_json_object(&figure->data, NULL);
        asif_json_string(&figure->data, "action", name);
        put_place(figure, belief);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

static void add_regions(asif_figure *figure, const drawing *d) {
    char label[ASIF_LABEL_SIZE];
    asif_json_array(&figure->data, "region");
    for (uint32_t i = 0; i < NODES; i++) {
        double belief[3];
        asif_triangle_belief(i, belief);
        asif_json_object(&figure->data, NULL);
        put_place(figure, belief);
        asif_json_string(&figure->data, "action",
                         asif_agent_action(d->agent, d->likeliest[ASIF_WHO_FITTED][i], label));
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
    add_names(figure, d);
}

/* ---- boundaries ---- */

static asif_status add_boundaries(asif_figure *figure, const drawing *d, asif_error *error) {
    asif_status status = ASIF_OK;
    uint32_t line = 0;
    asif_json_array(&figure->data, "boundary");
    for (uint32_t who = 0; status == ASIF_OK && who < ASIF_WHO_COUNT; who++) {
        asif_boundary_points bounds = {0};
        if (!d->agent->who[who])
            continue;
        status = asif_triangle_bounds(&bounds, d->likeliest[who], d->agent, d->agent->who[who], error);
        for (uint64_t i = 0; status == ASIF_OK && i < bounds.count; i++) {
            asif_json_object(&figure->data, NULL);
            asif_json_string(&figure->data, "who", asif_agent_word(d->agent, who));
            asif_json_count(&figure->data, "line", line + bounds.point[i].line);
            asif_json_count(&figure->data, "order", i);
            put_place(figure, bounds.point[i].belief);
            asif_json_end(&figure->data);
        }
        line += bounds.count ? bounds.point[bounds.count - 1].line + 1 : 0;
        asif_free(d->agent->context, bounds.point);
    }
    asif_json_end(&figure->data);
    return status;
}

static void set_slots(asif_figure *figure, const drawing *d) {
    static const char *const dash[] = {"[1, 0]", "[7, 4]", "[2, 3]"};
    asif_text who = {.context = d->agent->context}, dashes = {.context = d->agent->context};
    for (uint32_t i = 0; i < ASIF_WHO_COUNT; i++)
        if (d->agent->who[i]) {
            asif_text_addf(&who, "%s\"%s\"", who.length ? ", " : "[", asif_agent_word(d->agent, i));
            asif_text_addf(&dashes, "%s%s", dashes.length ? ", " : "[", dash[i]);
        }
    asif_text_add(&who, "]");
    asif_text_add(&dashes, "]");
    asif_figure_slot_json(figure, "who", who.data ? who.data : "[]");
    asif_figure_slot_json(figure, "dashes", dashes.data ? dashes.data : "[]");
    figure->slots.failed |= who.failed || dashes.failed;
    asif_text_free(&who);
    asif_text_free(&dashes);
    asif_agent_slot(figure, d->agent, d->shown, d->chosen);
}

/* ---- the path ---- */

/* Whether a step of the path is numbered: numbers that would overlap earlier ones or the last one are left
 * out. */
static bool is_numbered(const drawing *d, uint64_t k) {
    const double *belief = d->course.belief;
    if (k + 1 == d->course.count)
        return true;
    for (uint64_t i = 0; i < d->course.count; i++)
        if ((i < k || i + 1 == d->course.count) && distance(belief + 3 * i, belief + 3 * k) < APART)
            return false;
    return true;
}

static void add_path(asif_figure *figure, const drawing *d) {
    const asif_course_drawn *course = &d->course;
    char label[ASIF_LABEL_SIZE], number[24];
    asif_json_array(&figure->data, "path");
    for (uint64_t k = 0; k < course->count; k++) {
        asif_json_object(&figure->data, NULL);
        put_place(figure, course->belief + 3 * k);
        asif_json_count(&figure->data, "step", k + 1);
        asif_json_string(
            &figure->data, "action",
            course->action[k] == ASIF_ANY ? NULL : asif_agent_action(d->agent, course->action[k], label));
        asif_format(number, sizeof number, "%llu", (unsigned long long)k + 1);
        asif_json_string(&figure->data, "label", is_numbered(d, k) ? number : "");
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
    asif_json_array(&figure->data, "arrow");
    for (uint64_t k = 1; k < course->count; k++) {
        const double *a = course->belief + 3 * (k - 1), *b = course->belief + 3 * k;
        double dx = b[2] - a[2] + (b[1] - a[1]) / 2, dy = HEIGHT * (b[1] - a[1]), middle[3];
        if (!(hypot(dx, dy) >= ARROW))
            continue;
        for (uint32_t s = 0; s < 3; s++)
            middle[s] = (a[s] + b[s]) / 2;
        asif_json_object(&figure->data, NULL);
        put_place(figure, middle);
        asif_figure_number(figure, "angle", atan2(dx, dy) * 180 / 3.14159265358979324);
        asif_json_end(&figure->data);
    }
    asif_json_end(&figure->data);
}

/* ---- words ---- */

static double differing(const drawing *d, uint32_t who) {
    uint32_t count = 0, nodes = NODES;
    for (uint32_t i = 0; i < nodes; i++)
        count += d->likeliest[ASIF_WHO_FITTED][i] != d->likeliest[who][i];
    return (double)count / nodes;
}

static void add_words(asif_figure *figure, const drawing *d) {
    const asif_figure_agent *agent = d->agent;
    char label[ASIF_LABEL_SIZE], word[ASIF_SAID_SIZE], cell[ASIF_CELL_SIZE];
    asif_text_add(&figure->alt, "Of all beliefs, the likeliest action is");
    for (uint32_t k = 0; k < d->shown; k++)
        asif_text_addf(&figure->alt, "%s %s at %s", k ? "," : "",
                       asif_said(word, asif_agent_action(agent, d->chosen[k], label)),
                       asif_percent_text(cell, share(d, ASIF_WHO_FITTED, d->chosen[k])));
    asif_text_add(&figure->alt, ".");
    for (uint32_t who = ASIF_WHO_SAME; who < ASIF_WHO_COUNT; who++)
        if (agent->who[who])
            asif_text_addf(&figure->alt, " Another agent (%s) would do something else at %s of them.",
                           asif_agent_word(agent, who), asif_percent_text(cell, differing(d, who)));
    asif_text_add(&figure->caption, "Every point is a belief: the nearer a corner, the more probable its "
                                    "state. Dots have the colour of the likeliest action ");
    if (agent->fitted)
        asif_text_add(&figure->caption, agent->draws > 1 ? "of the agent in the middle of the draws ("
                                                         : "of the agent at the maximum (");
    else
        asif_text_add(&figure->caption, "of the agent (");
    asif_agent_numbers(&figure->caption, agent);
    asif_text_add(&figure->caption, "); lines are where it changes");
    asif_text_add(&figure->caption, agent->who[ASIF_WHO_TRUE]
                                        ? ", for that agent, for the same model without bounds, and for an "
                                          "agent that knows the true world."
                                    : agent->who[ASIF_WHO_SAME] ? ", for that agent and for an ideal one."
                                                                : ".");
}

static void say_path(asif_figure *figure, const drawing *d) {
    const asif_yaml *path = asif_yaml_part(d->agent->path, "path");
    const char *from = asif_yaml_text(path, "from"), *episode = asif_yaml_text(path, "episode");
    char word[ASIF_SAID_SIZE];
    asif_text_add(&figure->caption, " Numbered: the beliefs along ");
    if (d->agent->request || (from && strcmp(from, "history") == 0))
        asif_text_add(&figure->caption, "the history that was given");
    else if (from && strcmp(from, "logs") == 0)
        asif_text_addf(&figure->caption, "episode %s", asif_said(word, episode ? episode : ""));
    else
        asif_text_add(&figure->caption, "a simulated episode, not a real one");
    asif_text_add(&figure->caption, ", each marked by the action taken there.");
}

static void add_table(asif_figure *figure, const drawing *d) {
    char label[ASIF_LABEL_SIZE], cell[ASIF_CELL_SIZE];
    figure->columns = 1;
    asif_figure_cell(figure, "likeliest action");
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
        if (d->agent->who[who]) {
            asif_figure_cell(figure, asif_agent_word(d->agent, who));
            figure->columns++;
        }
    for (uint32_t u = 0; u < d->agent->spec->actions; u++) {
        asif_figure_cell(figure, asif_agent_action(d->agent, u, label));
        for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++)
            if (d->agent->who[who])
                asif_figure_cell(figure, asif_percent_text(cell, share(d, who, u)));
    }
}

/* ---- the figure ---- */

static asif_status look(drawing *d, asif_error *error) {
    const asif_figure_agent *agent = d->agent;
    double *other = ASIF_ARRAY(agent->context, NODES * (uint64_t)agent->spec->actions, double);
    d->policy = ASIF_ARRAY(agent->context, NODES * (uint64_t)agent->spec->actions, double);
    asif_status status = other && d->policy ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t who = 0; status == ASIF_OK && who < ASIF_WHO_COUNT; who++)
        if (agent->who[who])
            status =
                asif_triangle_look(d->likeliest[who], who ? other : d->policy, agent, agent->who[who], error);
    asif_free(agent->context, other);
    if (status == ASIF_OK) {
        d->shown = asif_agent_choose(d->chosen, agent, NODES, d->policy);
        status = asif_agent_course(&d->course, agent, error);
    }
    return status;
}

static asif_status fill(asif_figure *figure, drawing *d, asif_error *error) {
    ASIF_TRY(look(d, error));
    add_corners(figure, d->agent);
    add_regions(figure, d);
    ASIF_TRY(add_boundaries(figure, d, error));
    add_path(figure, d);
    set_slots(figure, d);
    add_words(figure, d);
    say_path(figure, d);
    add_table(figure, d);
    return ASIF_OK;
}

asif_status asif_simplex_draw(asif_figures *list, const asif_figure_agent *agent, asif_error *error) {
    asif_figure figure;
    drawing *d = ASIF_NEW(agent->context, drawing);
    if (!d)
        return asif_fail_memory(error);
    d->agent = agent;
    asif_agent_entitle(&figure, agent, "simplex", "What is done at each belief");
    asif_status status = fill(&figure, d, error);
    if (status == ASIF_OK)
        status = asif_figure_end(list, &figure, "simplex.vl.json", error);
    else
        asif_figure_free(&figure);
    asif_free(agent->context, d->policy);
    asif_agent_course_free(&d->course, agent->context);
    asif_free(agent->context, d);
    return status;
}

asif_status asif_figure_simplex(asif_figures *list, const asif_source *source, asif_error *error) {
    return asif_agent_figures(list, source, 3, asif_simplex_draw, error);
}
