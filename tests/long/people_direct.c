/* A population and its people by one common Markov chain over all numbers at once: nothing is shared with
 * `asif people` but the likelihood of one person. tests/long/people_direct.py compiles it and compares.
 *
 *     people_direct STUDY LOGS SEED WARMUP SWEEPS FILE     the draws, as doubles
 *     people_direct summarise STUDY LOGS FILE...           a line for each number: name, mean, sd, R-hat, ESS
 *
 * A sweep has three parts, each of which leaves the common posterior as it is: a random walk of each person's
 * numbers x given the population's phi; one of phi given x; and one of phi that takes everybody along, who
 * keep their place in the population, (x - mean) over its spread (Yu and Meng, 2011). Walks are tuned before
 * the draws. Priors are those of docs/howto/people.md. */
#include <asif.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST .05 /* least spread of a population, over the scale of the prior */
#define LKJ 2.
#define OWN_STEPS 2    /* of each person in a sweep */
#define OTHER_STEPS 20 /* of the population given the people */
#define THIN 20
enum { MOST = 8, TRIANGLE = MOST * (MOST - 1) / 2, NUMBERS = 2 * MOST + TRIANGLE };

static asif_error error = ASIF_ERROR_INIT;

static void need(asif_status status) {
    if (status == ASIF_OK)
        return;
    fprintf(stderr, "people_direct: %s (%s)\n", error.message, error.hint);
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *out = calloc(count, size);
    if (!out)
        exit(1);
    return out;
}

/* ---- random numbers ---- */

static uint64_t state;

static double uniform(void) { /* splitmix64 */
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return ((double)((x ^ (x >> 31)) >> 11) + .5) / 9007199254740992.;
}

static double normal(void) {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- the population ---- */

typedef struct {
    uint32_t d, numbers, units;
    const asif_estimates *estimates;
    asif_target **target; /* [units] */
    double scale[MOST];
} direct;

/* The lower factor of a positive definite matrix. */
static void factorise(uint32_t d, const double *matrix, double *factor) {
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = matrix[i * d + j];
            for (uint32_t k = 0; k < j; k++)
                sum -= factor[i * d + k] * factor[j * d + k];
            factor[i * d + j] = i == j ? sqrt(sum) : sum / factor[j * d + j];
        }
}

/* The correlations [d][d] of phi, from its partial correlations. */
static void correlate(uint32_t d, const double *phi, double *r) {
    const double *z = phi + 2 * (size_t)d;
    double factor[MOST][MOST] = {{0}};
    for (uint32_t j = 0; j < d; j++) {
        double rest = 1;
        for (uint32_t k = 0; k < j; k++) {
            double c = tanh(*z++);
            factor[j][k] = c * sqrt(rest);
            rest *= 1 - c * c;
        }
        factor[j][j] = sqrt(rest);
    }
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j < d; j++) {
            r[i * d + j] = 0;
            for (uint32_t k = 0; k < d; k++)
                r[i * d + j] += factor[i][k] * factor[j][k];
        }
}

/* The lower factor of the population's covariance. */
static void spread_of(const direct *p, const double *phi, double *factor) {
    uint32_t d = p->d;
    double r[MOST * MOST];
    correlate(d, phi, r);
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j < d; j++) {
            r[i * d + j] *= exp(phi[d + i] + phi[d + j]);
            r[i * d + j] += i == j ? LEAST * LEAST * p->scale[i] * p->scale[i] : 0;
        }
    factorise(d, r, factor);
}

static double log_prior(const direct *p, const double *phi) {
    uint32_t d = p->d, at = 2 * d;
    double value = asif_estimates_log_prior(p->estimates, phi, NULL);
    for (uint32_t i = 0; i < d; i++) { /* half-normal, in log s */
        double ratio = exp(phi[d + i]) / p->scale[i];
        value += phi[d + i] - ratio * ratio / 2;
    }
    for (uint32_t j = 0; j < d; j++)
        for (uint32_t k = 0; k < j; k++) { /* (c + 1)/2 is beta(b, b) */
            double c = tanh(phi[at++]);
            value += (LKJ + (d - 2. - k) / 2) * log1p(-c * c);
        }
    return value;
}

/* The place of x in the population: (x - mean) over its spread. Returns the log-density of x. */
static double place_of(uint32_t d, const double *mean, const double *factor, const double *x, double *place) {
    double value = 0;
    for (uint32_t i = 0; i < d; i++) {
        double sum = x[i] - mean[i];
        for (uint32_t k = 0; k < i; k++)
            sum -= factor[i * d + k] * place[k];
        place[i] = sum / factor[i * d + i];
        value -= place[i] * place[i] / 2 + log(factor[i * d + i]);
    }
    return value;
}

static double log_likelihood(const direct *p, uint32_t unit, const double *x) {
    double value;
    asif_status status = asif_target_objective(p->target[unit], x, &value, NULL, &error);
    if (status == ASIF_EDOMAIN)
        return -INFINITY;
    need(status);
    return value;
}

/* ---- random walks that tune themselves ---- */

typedef struct {
    uint32_t n;
    double size, count;
    double mean[NUMBERS], square[NUMBERS * NUMBERS], factor[NUMBERS * NUMBERS];
} walk;

static walk *open_walk(uint32_t n, const double *scale) {
    walk *w = room(1, sizeof *w);
    w->n = n;
    w->size = 2.4 / sqrt(n);
    for (uint32_t i = 0; i < n; i++)
        w->factor[i * n + i] = .3 * scale[i];
    return w;
}

static void propose(const walk *w, const double *from, double *to) {
    double z[NUMBERS];
    for (uint32_t i = 0; i < w->n; i++) {
        z[i] = normal();
        to[i] = from[i];
        for (uint32_t k = 0; k <= i; k++)
            to[i] += w->size * w->factor[i * w->n + k] * z[k];
    }
}

/* Learn from a step of the warm-up: moments over all points, and a size with which three in ten steps are
 * taken. */
static void tune(walk *w, const double *at, bool taken) {
    uint32_t n = w->n;
    double covariance[NUMBERS * NUMBERS];
    w->count++;
    w->size *= exp(((taken ? 1 : 0) - .3) / sqrt(w->count));
    for (uint32_t i = 0; i < n; i++) {
        double before = at[i] - w->mean[i];
        w->mean[i] += before / w->count;
        for (uint32_t j = 0; j <= i; j++) /* means of j < i are new already, of i too */
            w->square[i * n + j] += before * (at[j] - w->mean[j]);
    }
    if (w->count < 400 || fmod(w->count, 200) != 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            covariance[i * n + j] = w->square[i * n + j] / w->count + (i == j ? 1e-6 : 0);
    factorise(n, covariance, w->factor);
}

/* The moments so far are of the way to the posterior. */
static void forget(walk *w) {
    w->count = 0;
    memset(w->mean, 0, sizeof w->mean);
    memset(w->square, 0, sizeof w->square);
}

/* ---- sweeps ---- */

typedef struct {
    const direct *p;
    double phi[NUMBERS], factor[MOST * MOST];
    double *x, *value;         /* [units][d], [units]: log-likelihoods */
    walk **own, *others, *all; /* [units] */
    bool tuning;
} chain;

static bool accept(double change) {
    return log(uniform()) < change;
}

static void move_person(chain *c, uint32_t u) {
    const direct *p = c->p;
    double *x = c->x + (size_t)u * p->d, to[MOST], place[MOST];
    propose(c->own[u], x, to);
    double value = log_likelihood(p, u, to), change = value - c->value[u] +
                                                      place_of(p->d, c->phi, c->factor, to, place) -
                                                      place_of(p->d, c->phi, c->factor, x, place);
    bool taken = accept(change);
    if (taken) {
        memcpy(x, to, p->d * sizeof *x);
        c->value[u] = value;
    }
    if (c->tuning)
        tune(c->own[u], x, taken);
}

static double density_of_people(const chain *c, const double *phi, const double *factor) {
    double sum = 0, place[MOST];
    for (uint32_t u = 0; u < c->p->units; u++)
        sum += place_of(c->p->d, phi, factor, c->x + (size_t)u * c->p->d, place);
    return sum;
}

static void move_population(chain *c) {
    const direct *p = c->p;
    double to[NUMBERS], factor[MOST * MOST];
    propose(c->others, c->phi, to);
    spread_of(p, to, factor);
    bool taken = accept(log_prior(p, to) - log_prior(p, c->phi) + density_of_people(c, to, factor) -
                        density_of_people(c, c->phi, c->factor));
    if (taken) {
        memcpy(c->phi, to, sizeof to);
        memcpy(c->factor, factor, sizeof factor);
    }
    if (c->tuning)
        tune(c->others, c->phi, taken);
}

static void move_together(chain *c) {
    const direct *p = c->p;
    uint32_t d = p->d;
    double to[NUMBERS], factor[MOST * MOST], place[MOST], *x = room((size_t)p->units * d, sizeof *x),
                                                          *value = room(p->units, sizeof *value);
    propose(c->all, c->phi, to);
    spread_of(p, to, factor);
    double change = log_prior(p, to) - log_prior(p, c->phi);
    for (uint32_t u = 0; u < p->units && change > -1e300; u++) {
        (void)place_of(d, c->phi, c->factor, c->x + (size_t)u * d, place);
        for (uint32_t i = 0; i < d; i++) {
            x[u * d + i] = to[i];
            for (uint32_t k = 0; k <= i; k++)
                x[u * d + i] += factor[i * d + k] * place[k];
        }
        value[u] = log_likelihood(p, u, x + (size_t)u * d);
        change += value[u] - c->value[u];
    }
    bool taken = accept(change);
    if (taken) {
        memcpy(c->phi, to, sizeof to);
        memcpy(c->factor, factor, sizeof factor);
        memcpy(c->x, x, (size_t)p->units * d * sizeof *x);
        memcpy(c->value, value, p->units * sizeof *value);
    }
    if (c->tuning)
        tune(c->all, c->phi, taken);
    free(x);
    free(value);
}

static void sweep(chain *c) {
    for (uint32_t u = 0; u < c->p->units; u++)
        for (int k = 0; k < OWN_STEPS; k++)
            move_person(c, u);
    for (int k = 0; k < OTHER_STEPS; k++)
        move_population(c);
    move_together(c);
}

static void open_chain(chain *c, const direct *p) {
    double scale[NUMBERS];
    for (uint32_t i = 0; i < p->numbers; i++)
        scale[i] = i < p->d ? p->scale[i] : 1;
    *c = (chain){.p = p,
                 .x = room((size_t)p->units * p->d, sizeof *c->x),
                 .value = room(p->units, sizeof *c->value),
                 .own = room(p->units, sizeof *c->own),
                 .others = open_walk(p->numbers, scale),
                 .all = open_walk(p->numbers, scale)};
    for (uint32_t i = 0; i < p->d; i++)
        c->phi[p->d + i] = log(p->scale[i] * (.3 + .5 * uniform()));
    spread_of(p, c->phi, c->factor);
    for (uint32_t u = 0; u < p->units; u++) {
        c->own[u] = open_walk(p->d, scale);
        for (uint32_t i = 0; i < p->d; i++)
            c->x[u * p->d + i] = .3 * p->scale[i] * normal();
        c->value[u] = log_likelihood(p, u, c->x + (size_t)u * p->d);
    }
}

/* The numbers of the population with its least spread, then the coordinates of each person. */
static void report(const chain *c, double *out) {
    const direct *p = c->p;
    uint32_t d = p->d, at = 2 * d;
    double r[MOST * MOST];
    correlate(d, c->phi, r);
    for (uint32_t i = 0; i < d; i++) {
        out[i] = c->phi[i];
        out[d + i] = hypot(exp(c->phi[d + i]), LEAST * p->scale[i]);
        for (uint32_t j = 0; j < i; j++)
            out[at++] = r[i * d + j] * exp(c->phi[d + i] + c->phi[d + j]) / (out[d + i] * out[d + j]);
    }
    memcpy(out + at, c->x, (size_t)p->units * d * sizeof *out);
}

/* ---- inputs ---- */

static const char *name_of(const char *format, const char *a, const char *b, uint32_t k) {
    char *out = room(96, 1);
    (void)snprintf(out, 96, format, a, b, k);
    return out;
}

static const char **make_names(const asif_estimates *estimates, uint32_t d, uint32_t units) {
    const char **name = room(NUMBERS + (size_t)units * d, sizeof *name);
    uint32_t at = 2 * d;
    for (uint32_t i = 0; i < d; i++) {
        const char *one = asif_estimates_get(estimates, i)->name;
        name[i] = name_of("mean_%s%.0s%.0u", one, "", 0);
        name[d + i] = name_of("sd_%s%.0s%.0u", one, "", 0);
        for (uint32_t j = 0; j < i; j++)
            name[at++] = name_of("cor_%s_%s%.0u", asif_estimates_get(estimates, j)->name, one, 0);
    }
    for (uint32_t u = 0; u < units; u++)
        for (uint32_t i = 0; i < d; i++)
            name[at++] = name_of("%s_of%.0s_%u", asif_estimates_get(estimates, i)->name, "", u + 1);
    return name;
}

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_work *work;
    asif_estimates *estimates;
    asif_tree *tree;
} inputs;

static void read_inputs(inputs *in, const char *study, const char *logs) {
    asif_estimate_spec spec[MOST];
    asif_logs_options how = ASIF_LOGS_OPTIONS_INIT;
    need(asif_context_create(&in->context, NULL, &error));
    need(asif_study_load(&in->study, in->context, study, NULL, &error));
    need(asif_work_create(&in->work, in->context, asif_study_planner(in->study),
                          asif_study_setting(in->study), asif_study_solver(in->study), &error));
    uint32_t specs = asif_study_estimates(in->study, spec, MOST);
    need(asif_estimates_scaled(&in->estimates, in->context, in->work, asif_study_theta(in->study), spec,
                               specs, ASIF_PRIORS_STATED, NULL, &error));
    how.map = asif_study_logs(in->study);
    how.setting = asif_study_setting(in->study);
    how.units = ASIF_UNITS_SUBJECTS;
    need(asif_logs_open(&in->tree, in->context, logs, &how, NULL, &error));
}

/* The standard deviation of a normal prior, from how its slope changes. */
static void find_scales(direct *p) {
    double x[MOST] = {0}, here[MOST] = {0}, there[MOST] = {0};
    (void)asif_estimates_log_prior(p->estimates, x, here);
    for (uint32_t i = 0; i < p->d; i++)
        x[i] = 1;
    (void)asif_estimates_log_prior(p->estimates, x, there);
    for (uint32_t i = 0; i < p->d; i++)
        p->scale[i] = 1 / sqrt(here[i] - there[i]);
}

static void open_direct(direct *p, const inputs *in) {
    asif_tree_view view = {.struct_size = sizeof view};
    need(asif_tree_get(in->tree, &view, &error));
    bool *chosen = room(view.units, sizeof *chosen);
    p->d = asif_estimates_dimension(in->estimates);
    p->numbers = 2 * p->d + p->d * (p->d - 1) / 2;
    p->units = (uint32_t)view.units;
    p->estimates = in->estimates;
    p->target = room(p->units, sizeof *p->target);
    find_scales(p);
    for (uint32_t u = 0; u < p->units; u++) {
        asif_tree *one;
        chosen[u] = true;
        need(asif_tree_select(&one, in->tree, chosen, &error));
        need(asif_target_create(&p->target[u], in->work, in->estimates, one, NULL, &error));
        chosen[u] = false;
    }
    free(chosen);
}

/* ---- running ---- */

static int sample(char **argument) {
    inputs in;
    direct p;
    chain c;
    uint64_t warmup = strtoull(argument[3], NULL, 10), sweeps = strtoull(argument[4], NULL, 10);
    read_inputs(&in, argument[0], argument[1]);
    open_direct(&p, &in);
    state = strtoull(argument[2], NULL, 10) * 1000003;
    open_chain(&c, &p);
    uint32_t columns = p.numbers + p.units * p.d;
    double *out = room(columns, sizeof *out);
    FILE *file = fopen(argument[5], "wb");
    if (!file)
        return 1;
    for (uint64_t k = 0; k < warmup + sweeps; k++) {
        c.tuning = k < warmup;
        if (k == warmup / 4) {
            forget(c.others);
            forget(c.all);
            for (uint32_t u = 0; u < p.units; u++)
                forget(c.own[u]);
        }
        sweep(&c);
        if (k < warmup || (k - warmup) % THIN != 0)
            continue;
        report(&c, out);
        if (fwrite(out, sizeof *out, columns, file) != columns)
            return 1;
    }
    return fclose(file) == 0 ? 0 : 1;
}

static uint64_t read_chain(const char *path, uint32_t columns, double **out) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        exit(1);
    uint64_t rows = (uint64_t)ftell(file) / (columns * sizeof **out);
    *out = room(rows * columns, sizeof **out);
    rewind(file);
    if (fread(*out, columns * sizeof **out, rows, file) != rows)
        exit(1);
    (void)fclose(file);
    return rows;
}

static int summarise(char **argument, uint32_t files) {
    inputs in;
    direct p;
    uint64_t rows = UINT64_MAX;
    double **chains = room(files, sizeof *chains);
    read_inputs(&in, argument[0], argument[1]);
    open_direct(&p, &in);
    uint32_t columns = p.numbers + p.units * p.d;
    const char **name = make_names(in.estimates, p.d, p.units);
    for (uint32_t k = 0; k < files; k++) {
        uint64_t has = read_chain(argument[2 + k], columns, &chains[k]);
        rows = has < rows ? has : rows;
    }
    double *value = room(files * rows, sizeof *value);
    for (uint32_t i = 0; i < columns; i++) {
        asif_column_summary s;
        for (uint32_t k = 0; k < files; k++)
            for (uint64_t r = 0; r < rows; r++)
                value[k * rows + r] = chains[k][r * columns + i];
        need(asif_summarise(&s, in.context, value, files, rows, &error));
        printf("%s %.17g %.17g %.17g %.17g\n", name[i], s.mean, s.sd, s.rhat, fmin(s.ess_bulk, s.ess_tail));
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 4 && strcmp(argv[1], "summarise") == 0)
        return summarise(argv + 2, (uint32_t)argc - 4);
    if (argc == 7)
        return sample(argv + 1);
    fprintf(stderr,
            "usage: people_direct STUDY LOGS SEED WARMUP SWEEPS FILE | summarise STUDY LOGS FILE...\n");
    return 2;
}
