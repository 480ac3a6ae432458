#include "questions/predict/people_checks.h"

#include "base/context.h"
#include "base/data/json.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/random.h"
#include "people/people.h"
#include "planners/planner.h"
#include "sample/population/drawn.h"
#include "theta/theta.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CUT .05 /* share of episodes without an end from which their lengths are not the agent's */
#define LONGEST 1000
#define UNUSUAL 3.5 /* sds from the mean of simulated people */
#define LEVEL .01

/* Families of numbers that are judged together. */
enum { MEANS, SPREADS, UNUSUAL_PEOPLE, FAMILIES };
static const char *const family_name[FAMILIES] = {"means", "spreads", "unusual"};

/* Each person has these measures: the share of decisions in which each action was taken, then decisions for
 * each episode. Set 0 are the people in the logs; set r the r-th population that was simulated. */
struct asif_people_checks {
    const asif_context *context;
    asif_people_checks_request request;
    asif_people *people;
    asif_tree_view tree;
    uint32_t actions, measures, sets, max_steps;
    uint64_t checked;
    uint64_t *unit;     /* [checked] */
    uint64_t *episodes; /* [checked][starts] */
    uint64_t *first;    /* [checked]: episodes of those before */
    double *value;      /* [sets][checked][measures] */
    double *summary;    /* [sets][2][measures]: means over people, then sds */
    double unusual;     /* share of people in the logs who are unusual */
    double expected;    /* the same, over the simulated populations */
    double p[FAMILIES];
};

static double *values_of(const asif_people_checks *c, uint32_t set, uint64_t person) {
    return c->value + (set * c->checked + person) * c->measures;
}

static double *summary_of(const asif_people_checks *c, uint32_t set, uint32_t kind) {
    return c->summary + ((uint64_t)set * 2 + kind) * c->measures;
}

/* ---- the people in the logs ---- */

static asif_status fail_unlike(asif_error *error, const char *why) {
    asif_fail(error, ASIF_EUNSUPPORTED, "people like these cannot be simulated: %s", why);
    return ASIF_EUNSUPPORTED;
}

/* Episodes that end without an ending action. */
static double count_cut(const asif_people_checks *c, const asif_setting_spec *spec) {
    const asif_tree_view *t = &c->tree;
    double began = 0, ended = 0;
    for (uint32_t i = 0; i < t->nodes; i++)
        for (uint32_t u = 0; u < t->actions; u++) {
            began += i < t->starts ? t->count[(uint64_t)i * t->actions + u] : 0;
            ended += spec->ends[u] ? t->count[(uint64_t)i * t->actions + u] : 0;
        }
    return began > 0 ? 1 - ended / began : 1;
}

static asif_status check(asif_people_checks *c, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(asif_work_setting(c->request.work));
    const asif_tree_view *t = &c->tree;
    if (t->states_seen)
        return fail_unlike(error, "where states are seen, decisions are not counted by episode");
    if (t->lost)
        return fail_unlike(error, "results are lost, and the decisions after them are not counted");
    for (uint64_t e = 0; e < t->unit[t->units]; e++)
        if (t->entry_count[e] != floor(t->entry_count[e]))
            return fail_unlike(error, "the weights are not whole numbers");
    double cut = count_cut(c, spec);
    if (cut > CUT)
        return fail_unlike(error, "their episodes do not end with an action that ends them");
    c->max_steps = cut > 0 ? t->levels : LONGEST;
    return ASIF_OK;
}

/* Each set of people of this size is equally likely. */
static void choose_people(asif_people_checks *c) {
    uint64_t units = c->tree.units, taken = 0;
    for (uint64_t u = 0; u < units && taken < c->checked; u++) {
        asif_stream stream = {c->request.seed, ASIF_FOR_PEOPLE, u};
        if (asif_uniform(&stream, 0) * (double)(units - u) < (double)(c->checked - taken))
            c->unit[taken++] = u;
    }
}

static void measure(const asif_people_checks *c, double *value, const double *taken, double episodes) {
    double decisions = 0;
    for (uint32_t a = 0; a < c->actions; a++)
        decisions += taken[a];
    for (uint32_t a = 0; a < c->actions; a++)
        value[a] = taken[a] / fmax(decisions, 1);
    value[c->actions] = decisions / fmax(episodes, 1);
}

static void observe(asif_people_checks *c, double *taken) {
    const asif_tree_view *t = &c->tree;
    uint64_t before = 0;
    for (uint64_t i = 0; i < c->checked; i++) {
        uint64_t own = 0;
        memset(taken, 0, c->actions * sizeof *taken);
        for (uint64_t e = t->unit[c->unit[i]]; e < t->unit[c->unit[i] + 1]; e++) {
            taken[t->entry_action[e]] += t->entry_count[e];
            if (t->entry_node[e] < t->starts) {
                c->episodes[i * t->starts + t->entry_node[e]] += (uint64_t)t->entry_count[e];
                own += (uint64_t)t->entry_count[e];
            }
        }
        c->first[i] = before;
        before += own;
        measure(c, values_of(c, 0, i), taken, (double)own);
    }
}

/* ---- simulated populations ---- */

typedef struct {
    asif_work *work;
    asif_theta *theta;
    double *taken; /* [actions] */
    asif_status status;
    asif_error error;
} worker;

typedef struct {
    asif_people_checks *checks;
    worker *worker;
    uint32_t workers;
    atomic_uint next;
    atomic_int stopped;
} crowd;

static asif_status take(void *user, const asif_decision *decision) {
    ((double *)user)[decision->action]++;
    return ASIF_OK;
}

/* Draw the numbers of a person with the covariates of `unit` from population phi. */
static void draw_person(const asif_people_checks *c, const double *phi, uint64_t seed, uint64_t unit,
                        double *x) {
    const asif_normal_population *p = &c->people->fit.population;
    asif_normal_population plain = *p;
    double share[ASIF_KINDS_MOST], one[ASIF_POPULATION_NUMBERS], shift[ASIF_POPULATION_MOST] = {0};
    asif_stream stream = {seed, ASIF_FOR_PEOPLE, unit + 1};
    uint32_t kind = 0;
    if (asif_kinds(p) > 1) {
        asif_kinds_shares(p, phi, share);
        kind = asif_draw(asif_uniform(&stream, ASIF_POPULATION_MOST), share, asif_kinds(p));
    }
    asif_kinds_plain(p, phi, kind, one);
    plain.kinds = 1;
    if (c->people->z)
        asif_population_shift(p, phi, c->people->z + c->people->rows.row[unit] * c->people->design.columns,
                              shift);
    asif_population_invent_unit(&plain, one, seed, unit, x);
    for (uint32_t i = 0; i < p->base->dimension; i++)
        x[i] += p->scale[i] * shift[i];
}

static asif_status simulate_person(const asif_people_checks *c, worker *w, uint32_t set, uint64_t person,
                                   asif_error *error) {
    const asif_population_fit *fit = &c->people->fit;
    asif_stream stream = {c->request.seed, ASIF_FOR_CHECKS, set};
    uint64_t seed = (uint64_t)(asif_uniform(&stream, 0) * 0x1p52), at = c->first[person], began = at;
    double x[ASIF_POPULATION_MOST];
    const double *phi = fit->phi + (uint64_t)(set - 1) * fit->count / (c->sets - 1) * fit->numbers;
    asif_plan_info info;
    draw_person(c, phi, seed, c->unit[person], x);
    ASIF_TRY(asif_estimates_theta(c->request.estimates, x, w->theta, error));
    asif_work_forget(w->work); /* what a person does must not depend on who came before */
    ASIF_TRY(asif_solve(w->work, w->theta, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "a person who was drawn has no finite values");
    ASIF_TRY(asif_plan_judge(&info, error));
    memset(w->taken, 0, c->actions * sizeof *w->taken);
    for (uint32_t s = 0; s < c->tree.starts; s++) {
        asif_simulate_options o = ASIF_SIMULATE_OPTIONS_INIT;
        o.episodes = c->episodes[person * c->tree.starts + s];
        o.first_episode = at;
        o.seed = seed;
        o.start = s;
        o.max_steps = c->max_steps;
        if (o.episodes > 0)
            ASIF_TRY(asif_simulate(asif_work_behavior(w->work), &o, take, w->taken, error));
        at += o.episodes;
    }
    measure(c, values_of(c, set, person), w->taken, (double)(at - began));
    return ASIF_OK;
}

static void work_on_sets(void *argument, uint32_t i) {
    crowd *all = argument;
    asif_people_checks *c = all->checks;
    worker *w = &all->worker[i];
    for (;;) {
        uint32_t set = atomic_fetch_add(&all->next, 1);
        if (set >= c->sets || atomic_load(&all->stopped))
            return;
        if (asif_progress(c->context, "simulating people", (double)(set - 1) / (double)(c->sets - 1)))
            w->status = asif_fail(&w->error, ASIF_ECANCELLED, "cancelled");
        for (uint64_t k = 0; k < c->checked && w->status == ASIF_OK; k++)
            w->status = simulate_person(c, w, set, k, &w->error);
        if (w->status != ASIF_OK)
            atomic_store(&all->stopped, 1);
    }
}

static asif_status open_worker(worker *w, const asif_people_checks *c, asif_error *error) {
    ASIF_TRY(asif_work_clone(&w->work, c->request.work, error));
    ASIF_TRY(asif_theta_create(&w->theta, c->context, asif_work_setting(c->request.work), error));
    w->taken = ASIF_ARRAY(c->context, c->actions, double);
    return w->taken ? ASIF_OK : asif_fail_memory(error);
}

static asif_status simulate(asif_people_checks *c, asif_error *error) {
    crowd all = {.checks = c, .workers = asif_unit_workers(c->context)};
    atomic_init(&all.next, 1);
    atomic_init(&all.stopped, 0);
    all.worker = ASIF_ARRAY(c->context, all.workers, worker);
    asif_status status = all.worker ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t i = 0; status == ASIF_OK && i < all.workers; i++)
        status = open_worker(&all.worker[i], c, error);
    if (status == ASIF_OK)
        asif_os_parallel(all.workers, all.workers, work_on_sets, &all);
    for (uint32_t i = 0; all.worker && i < all.workers; i++) {
        worker *w = &all.worker[i];
        if (status == ASIF_OK && w->status != ASIF_OK) {
            status = w->status;
            if (error)
                *error = w->error;
        }
        asif_work_free(w->work);
        asif_theta_free(w->theta);
        asif_free(c->context, w->taken);
    }
    asif_free(c->context, all.worker);
    return status;
}

/* ---- comparison ---- */

/* Mean and sd of n numbers that are `stride` apart. */
static void spread(const double *x, uint64_t n, uint64_t stride, double *mean, double *sd) {
    double sum = 0;
    *mean = 0;
    for (uint64_t i = 0; i < n; i++)
        *mean += x[i * stride] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        sum += (x[i * stride] - *mean) * (x[i * stride] - *mean);
    *sd = n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

static void summarise(asif_people_checks *c) {
    for (uint32_t set = 0; set < c->sets; set++)
        for (uint32_t m = 0; m < c->measures; m++)
            spread(values_of(c, set, 0) + m, c->checked, c->measures, &summary_of(c, set, 0)[m],
                   &summary_of(c, set, 1)[m]);
}

/* The share of sets that are at least as far out as the logs, which are one of them: all are exchangeable if
 * the population is right. */
static double tail(const double *out, uint32_t sets) {
    uint32_t further = 0;
    for (uint32_t set = 0; set < sets; set++)
        further += out[set] >= out[0];
    return (double)further / sets;
}

/* The largest distance from the mean of all sets, in sds, over measures. */
static void judge_summaries(asif_people_checks *c, uint32_t kind, double *out) {
    memset(out, 0, c->sets * sizeof *out);
    for (uint32_t m = 0; m < c->measures; m++) {
        double mean, sd;
        spread(summary_of(c, 0, kind) + m, c->sets, 2 * (uint64_t)c->measures, &mean, &sd);
        for (uint32_t set = 0; sd > 0 && set < c->sets; set++)
            out[set] = fmax(out[set], fabs(summary_of(c, set, kind)[m] - mean) / sd);
    }
    c->p[kind] = tail(out, c->sets);
}

/* People who are far from all others with their episodes and covariates, in some measure. */
static void judge_people(asif_people_checks *c, double *out, bool *far) {
    memset(out, 0, c->sets * sizeof *out);
    for (uint64_t k = 0; k < c->checked; k++) {
        memset(far, 0, c->sets * sizeof *far);
        for (uint32_t m = 0; m < c->measures; m++) {
            double mean, sd;
            spread(values_of(c, 0, k) + m, c->sets, c->checked * c->measures, &mean, &sd);
            for (uint32_t set = 0; sd > 0 && set < c->sets; set++)
                far[set] = far[set] || fabs(values_of(c, set, k)[m] - mean) > UNUSUAL * sd;
        }
        for (uint32_t set = 0; set < c->sets; set++)
            out[set] += far[set] ? 1 / (double)c->checked : 0;
    }
    c->unusual = out[0];
    c->expected = 0;
    for (uint32_t set = 1; set < c->sets; set++)
        c->expected += out[set] / (c->sets - 1);
    c->p[UNUSUAL_PEOPLE] = tail(out, c->sets);
}

static asif_status compare(asif_people_checks *c, asif_error *error) {
    double *out = ASIF_ARRAY(c->context, c->sets, double);
    bool *far = ASIF_ARRAY(c->context, c->sets, bool);
    if (out && far) {
        summarise(c);
        judge_summaries(c, MEANS, out);
        judge_summaries(c, SPREADS, out);
        judge_people(c, out, far);
    }
    asif_status status = out && far ? ASIF_OK : asif_fail_memory(error);
    asif_free(c->context, out);
    asif_free(c->context, far);
    return status;
}

bool asif_people_checks_missed(const asif_people_checks *c) {
    for (uint32_t f = 0; f < FAMILIES; f++)
        if (c->p[f] < LEVEL)
            return true;
    return false;
}

/* ---- all of it ---- */

static asif_status run(asif_people_checks *c, asif_error *error) {
    const asif_people_checks_request *r = &c->request;
    asif_people_options options = ASIF_PEOPLE_OPTIONS_INIT;
    options.effect = r->effect;
    options.effects = r->effects;
    c->tree.struct_size = sizeof c->tree;
    ASIF_TRY(asif_tree_get(r->tree, &c->tree, error));
    ASIF_TRY(check(c, error));
    ASIF_TRY(asif_people_given(&c->people, c->context, r->work, r->estimates, r->tree, &options, r->table,
                               r->length, error));
    c->actions = c->tree.actions;
    c->measures = c->actions + 1;
    c->sets = r->replicates + 1;
    c->checked = c->tree.units < r->people ? c->tree.units : r->people;
    c->unit = ASIF_ARRAY(c->context, c->checked, uint64_t);
    c->episodes = ASIF_ARRAY(c->context, c->checked * c->tree.starts, uint64_t);
    c->first = ASIF_ARRAY(c->context, c->checked, uint64_t);
    c->value = ASIF_ARRAY(c->context, c->sets * c->checked * c->measures, double);
    c->summary = ASIF_ARRAY(c->context, (uint64_t)c->sets * 2 * c->measures, double);
    double *taken = ASIF_ARRAY(c->context, c->actions, double);
    bool room = c->unit && c->episodes && c->first && c->value && c->summary && taken;
    if (room) {
        choose_people(c);
        observe(c, taken);
    }
    asif_free(c->context, taken);
    ASIF_TRY(room ? simulate(c, error) : asif_fail_memory(error));
    return compare(c, error);
}

asif_status asif_people_checks_run(asif_people_checks **out, const asif_people_checks_request *request,
                                   asif_error *error) {
    *out = NULL;
    asif_people_checks *c = ASIF_NEW(request->context, asif_people_checks);
    if (!c)
        return asif_fail_memory(error);
    c->context = request->context;
    c->request = *request;
    asif_status status = run(c, error);
    if (status == ASIF_OK)
        *out = c;
    else
        asif_people_checks_free(c);
    return status;
}

void asif_people_checks_free(asif_people_checks *c) {
    if (!c)
        return;
    void *const arrays[] = {c->unit, c->episodes, c->first, c->value, c->summary};
    asif_people_free(c->people);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c->context, arrays[i]);
    asif_free(c->context, c);
}

/* ---- JSON ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantiles of n numbers, which are sorted. */
static void add_quantiles(asif_json *json, double *x, uint64_t n, bool middle) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    asif_json_number(json, "q05", x[(uint64_t)(.05 * (double)(n - 1) + .5)]);
    if (middle)
        asif_json_number(json, "q50", x[(n - 1) / 2]);
    asif_json_number(json, "q95", x[(uint64_t)(.95 * (double)(n - 1) + .5)]);
}

static void add_summary(asif_json *json, const asif_people_checks *c, const char *name, uint32_t kind,
                        uint32_t m, double *room) {
    double sum = 0;
    for (uint32_t set = 1; set < c->sets; set++)
        sum += room[set - 1] = summary_of(c, set, kind)[m];
    asif_json_object(json, name);
    asif_json_number(json, "observed", summary_of(c, 0, kind)[m]);
    asif_json_number(json, "predicted", sum / (c->sets - 1));
    add_quantiles(json, room, c->sets - 1, false);
    asif_json_end(json);
}

static void add_measure(asif_json *json, const asif_people_checks *c, uint32_t m, double *room) {
    uint64_t n = (c->sets - 1) * c->checked;
    asif_json_object(json, NULL);
    asif_json_string(json, "measure", m < c->actions ? "share" : "decisions_per_episode");
    if (m < c->actions)
        asif_json_string(json, "action", asif_tree_label(c->request.tree, ASIF_LABEL_ACTION, m));
    add_summary(json, c, "mean", MEANS, m, room);
    add_summary(json, c, "sd", SPREADS, m, room);
    for (uint64_t i = 0; i < n; i++)
        room[i] = values_of(c, 1, 0)[i * c->measures + m];
    asif_json_object(json, "new_person");
    add_quantiles(json, room, n, true);
    asif_json_end(json);
    asif_json_end(json);
}

asif_status asif_people_checks_json(char **out, const asif_people_checks *c, asif_error *error) {
    asif_text text = {.context = c->context};
    asif_json json;
    double *room = ASIF_ARRAY(c->context, (c->sets - 1) * c->checked, double);
    *out = NULL;
    if (!room)
        return asif_fail_memory(error);
    asif_json_init(&json, &text);
    asif_json_object(&json, NULL);
    asif_json_string(&json, "title", c->request.title);
    asif_json_count(&json, "people", c->tree.units);
    asif_json_count(&json, "people_checked", c->checked);
    asif_json_count(&json, "populations", c->sets - 1);
    asif_json_number(&json, "level", LEVEL);
    asif_json_bool(&json, "missed", asif_people_checks_missed(c));
    asif_json_object(&json, "checks");
    for (uint32_t f = 0; f < FAMILIES; f++) {
        asif_json_object(&json, family_name[f]);
        if (f == UNUSUAL_PEOPLE) {
            asif_json_number(&json, "observed", c->unusual);
            asif_json_number(&json, "expected", c->expected);
        }
        asif_json_number(&json, "p", c->p[f]);
        asif_json_end(&json);
    }
    asif_json_end(&json);
    asif_json_array(&json, "measures");
    for (uint32_t m = 0; m < c->measures; m++)
        add_measure(&json, c, m, room);
    asif_json_end(&json);
    asif_json_end(&json);
    asif_free(c->context, room);
    return asif_text_finish(out, &text, error);
}
