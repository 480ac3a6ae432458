/* A population and its people by one common Markov chain over all numbers at once: nothing is shared with
 * `asif people` but the likelihood of one person. tests/long/people_direct.py compiles it and compares.
 *
 *     people_direct grid STUDY LOGS PART PARTS FILE      likelihoods on a part of a grid
 *     people_direct sample STUDY LOGS SEED WARMUP DRAWS FILE GRID...      the draws, as doubles
 *     people_direct summarise STUDY LOGS FILE...         name, mean, sd, R-hat and ESS of each number
 *     people_direct gradient STUDY LOGS                  seconds for an exact gradient of everybody
 *
 * NUTS moves the population's numbers phi and everybody's place z in it together: x = mean + factor z, where
 * z is standard normal beforehand (Papaspiliopoulos, Roberts and Skold, 2007). Priors are those of
 * docs/howto/people.md. It moves over likelihoods that are interpolated between points of a grid (Keys,
 * 1981). Draws that are kept have a weight, the exact likelihood over the interpolated one, with which they
 * are averaged. */
#include <asif.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST .05 /* least spread of a population, over the scale of the prior */
#define LKJ 2.
#define STEP 1e-5 /* of the differences by which the factor of a covariance is differentiated */
#define ACCEPT .8
#define DEPTH 8
#define GUESS .3 /* sd of a number of the population, before it is learnt */
#define REACH 6. /* of the grid on either side of the prior's mean, in its standard deviations */
enum { MOST = 3, TRIANGLE = MOST * (MOST - 1) / 2, NUMBERS = 2 * MOST + TRIANGLE };
enum {
    SIDE = 64,
    POINTS = SIDE * SIDE * SIDE,
    TAPS = 4,
    KEPT = 6,  /* one draw in so many is kept */
    EXTRA = 2, /* columns of a draw: its weight, and the gradients that it took */
    TURNS = 10 /* over which gradients are timed */
};

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

/* ---- the population ---- */

typedef struct {
    uint32_t d, numbers, units;
    const asif_estimates *estimates;
    asif_target **target; /* [units] */
    double centre[MOST], scale[MOST];
    double *grid; /* [units][SIDE][SIDE][SIDE] log-likelihoods */
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

/* The log-density of phi beforehand; adds its gradient. */
static double log_prior(const direct *p, const double *phi, double *gradient) {
    uint32_t d = p->d, at = 2 * d;
    double value = asif_estimates_log_prior(p->estimates, phi, gradient);
    for (uint32_t i = 0; i < d; i++) { /* half-normal, in log s */
        double ratio = exp(phi[d + i]) / p->scale[i];
        value += phi[d + i] - ratio * ratio / 2;
        gradient[d + i] += 1 - ratio * ratio;
    }
    for (uint32_t j = 0; j < d; j++)
        for (uint32_t k = 0; k < j; k++) { /* (c + 1)/2 is beta(b, b) */
            double c = tanh(phi[at]), power = LKJ + (d - 2. - k) / 2;
            value += power * log1p(-c * c);
            gradient[at++] -= 2 * power * c;
        }
    return value;
}

/* How the factor changes with number `number` of phi, which is no mean. */
static void slope_of(const direct *p, const double *phi, uint32_t number, double *slope) {
    double at[NUMBERS], up[MOST * MOST] = {0}, down[MOST * MOST] = {0};
    memcpy(at, phi, p->numbers * sizeof *at);
    at[number] = phi[number] + STEP;
    spread_of(p, at, up);
    at[number] = phi[number] - STEP;
    spread_of(p, at, down);
    for (uint32_t i = 0; i < p->d * p->d; i++)
        slope[i] = (up[i] - down[i]) / (2 * STEP);
}

static void place(const direct *p, const double *phi, const double *factor, const double *z, double *x) {
    for (uint32_t i = 0; i < p->d; i++) {
        x[i] = phi[i];
        for (uint32_t k = 0; k <= i; k++)
            x[i] += factor[i * p->d + k] * z[k];
    }
}

/* ---- the likelihood of one person ---- */

static double coordinate(const direct *p, uint32_t i, uint32_t k) {
    return p->centre[i] + REACH * p->scale[i] * (2. * k / (SIDE - 1) - 1);
}

/* Cubic convolution: weights of the four points around, and their slopes. */
static void weigh_taps(double t, double w[TAPS], double slope[TAPS]) {
    w[0] = ((-.5 * t + 1) * t - .5) * t;
    w[1] = (1.5 * t - 2.5) * t * t + 1;
    w[2] = ((-1.5 * t + 2) * t + .5) * t;
    w[3] = (.5 * t - .5) * t * t;
    slope[0] = (-1.5 * t + 2) * t - .5;
    slope[1] = (4.5 * t - 5) * t;
    slope[2] = (-4.5 * t + 4) * t + .5;
    slope[3] = (1.5 * t - 1) * t;
}

/* False where x is outside of the grid, or where a likelihood around it is 0. */
static bool interpolate(const direct *p, uint32_t unit, const double *x, double *value, double *gradient) {
    double w[MOST][TAPS], slope[MOST][TAPS];
    uint32_t first[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        double step = 2 * REACH * p->scale[i] / (SIDE - 1), at = (x[i] - coordinate(p, i, 0)) / step;
        if (!(at >= 1 && at < SIDE - 2))
            return false;
        first[i] = (uint32_t)at - 1;
        weigh_taps(at - floor(at), w[i], slope[i]);
        for (uint32_t k = 0; k < TAPS; k++)
            slope[i][k] /= step;
    }
    double sum[1 + MOST] = {0};
    for (uint32_t a = 0; a < TAPS; a++)
        for (uint32_t b = 0; b < TAPS; b++) {
            const double *row = p->grid + (size_t)unit * POINTS +
                                ((size_t)(first[0] + a) * SIDE + first[1] + b) * SIDE + first[2];
            double along = 0, steep = 0;
            for (uint32_t c = 0; c < TAPS; c++) {
                along += w[2][c] * row[c];
                steep += slope[2][c] * row[c];
            }
            sum[0] += w[0][a] * w[1][b] * along;
            sum[1] += slope[0][a] * w[1][b] * along;
            sum[2] += w[0][a] * slope[1][b] * along;
            sum[3] += w[0][a] * w[1][b] * steep;
        }
    if (!isfinite(sum[0]))
        return false;
    *value = sum[0];
    for (uint32_t i = 0; gradient && i < MOST; i++)
        gradient[i] = sum[1 + i];
    return true;
}

static asif_status exact(const direct *p, uint32_t unit, const double *x, double *value, double *gradient,
                         asif_error *why) {
    *value = -INFINITY;
    asif_status status = asif_target_objective(p->target[unit], x, value, gradient, why);
    return status == ASIF_EDOMAIN ? ASIF_OK : status;
}

/* ---- all of them together ---- */

/* `at` is phi, then z [units][d]. */
static asif_status evaluate(void *user, const double *at, double *value, double *gradient, asif_error *why) {
    const direct *p = user;
    uint32_t d = p->d;
    double factor[MOST * MOST] = {0}, slope[NUMBERS][MOST * MOST], unused[NUMBERS] = {0};
    if (gradient)
        memset(gradient, 0, (p->numbers + (size_t)p->units * d) * sizeof *gradient);
    spread_of(p, at, factor);
    for (uint32_t n = d; gradient && n < p->numbers; n++)
        slope_of(p, at, n, slope[n]);
    *value = log_prior(p, at, gradient ? gradient : unused);
    for (uint32_t u = 0; u < p->units && isfinite(*value); u++) {
        const double *z = at + p->numbers + (size_t)u * d;
        double x[MOST], g[MOST] = {0}, own = -INFINITY;
        place(p, at, factor, z, x);
        if (!interpolate(p, u, x, &own, gradient ? g : NULL)) {
            asif_status status = exact(p, u, x, &own, gradient ? g : NULL, why);
            if (status != ASIF_OK)
                return status;
        }
        *value += own;
        for (uint32_t k = 0; k < d; k++)
            *value -= z[k] * z[k] / 2;
        for (uint32_t k = 0; gradient && k < d; k++) {
            double *to = gradient + p->numbers + (size_t)u * d + k;
            *to = -z[k];
            for (uint32_t i = k; i < d; i++)
                *to += g[i] * factor[i * d + k];
            gradient[k] += g[k];
        }
        for (uint32_t n = d; gradient && n < p->numbers; n++)
            for (uint32_t i = 0; i < d; i++)
                for (uint32_t k = 0; k <= i; k++)
                    gradient[n] += g[i] * slope[n][i * d + k] * z[k];
    }
    return ASIF_OK;
}

/* The log-likelihood of everybody at x [units][d] over the interpolated one. */
static double weigh(const direct *p, const double *x) {
    double sum = 0;
    for (uint32_t u = 0; u < p->units; u++) {
        double here, there;
        if (!interpolate(p, u, x + (size_t)u * p->d, &here, NULL))
            continue;
        need(exact(p, u, x + (size_t)u * p->d, &there, NULL, &error));
        sum += there - here;
    }
    return sum;
}

/* The numbers of the population with its least spread, then the coordinates of each person. */
static void report(void *user, const double *at, double *out) {
    const direct *p = user;
    uint32_t d = p->d, n = 2 * d;
    double r[MOST * MOST], factor[MOST * MOST] = {0};
    correlate(d, at, r);
    spread_of(p, at, factor);
    for (uint32_t i = 0; i < d; i++) {
        out[i] = at[i];
        out[d + i] = hypot(exp(at[d + i]), LEAST * p->scale[i]);
        for (uint32_t j = 0; j < i; j++)
            out[n++] = r[i * d + j] * exp(at[d + i] + at[d + j]) / (out[d + i] * out[d + j]);
    }
    for (uint32_t u = 0; u < p->units; u++)
        place(p, at, factor, at + p->numbers + (size_t)u * d, out + n + (size_t)u * d);
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

/* The mean and standard deviation of a normal prior, from how its slope changes. */
static void find_priors(direct *p) {
    double x[MOST] = {0}, here[MOST] = {0}, there[MOST] = {0};
    (void)asif_estimates_log_prior(p->estimates, x, here);
    for (uint32_t i = 0; i < p->d; i++)
        x[i] = 1;
    (void)asif_estimates_log_prior(p->estimates, x, there);
    for (uint32_t i = 0; i < p->d; i++) {
        p->scale[i] = 1 / sqrt(here[i] - there[i]);
        p->centre[i] = here[i] * p->scale[i] * p->scale[i];
    }
}

static void open_direct(direct *p, const inputs *in) {
    asif_tree_view view = {.struct_size = sizeof view};
    need(asif_tree_get(in->tree, &view, &error));
    bool *chosen = room(view.units, sizeof *chosen);
    p->d = asif_estimates_dimension(in->estimates);
    if (p->d != MOST)
        exit(1);
    p->numbers = 2 * p->d + p->d * (p->d - 1) / 2;
    p->units = (uint32_t)view.units;
    p->estimates = in->estimates;
    p->target = room(p->units, sizeof *p->target);
    find_priors(p);
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

static FILE *open_file(const char *path, const char *how) {
    FILE *file = fopen(path, how);
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_row(FILE *file, const double *row, size_t columns) {
    if (fwrite(row, sizeof *row, columns, file) != columns)
        exit(1);
}

/* Points PART, PART + PARTS, ... of the grid, each with the log-likelihoods of all people. */
static int make_grid(char **argument) {
    inputs in;
    direct p;
    read_inputs(&in, argument[0], argument[1]);
    open_direct(&p, &in);
    asif_theta *theta;
    asif_loglik_options how = ASIF_LOGLIK_OPTIONS_INIT;
    how.by_unit = room(p.units, sizeof *how.by_unit);
    need(asif_theta_copy(&theta, asif_study_theta(in.study), &error));
    FILE *file = open_file(argument[4], "wb");
    for (size_t k = strtoull(argument[2], NULL, 10); k < POINTS; k += strtoull(argument[3], NULL, 10)) {
        double total, x[MOST] = {coordinate(&p, 0, (uint32_t)(k / SIDE / SIDE)),
                                 coordinate(&p, 1, (uint32_t)(k / SIDE % SIDE)),
                                 coordinate(&p, 2, (uint32_t)(k % SIDE))};
        asif_plan_info info;
        asif_status status = asif_estimates_theta(in.estimates, x, theta, &error);
        if (status == ASIF_OK)
            status = asif_solve(in.work, theta, &info, &error);
        if (status == ASIF_OK)
            need(asif_loglik(&total, asif_work_behavior(in.work), in.tree, &how, &error));
        else if (status != ASIF_EDOMAIN)
            need(status);
        for (uint32_t u = 0; status != ASIF_OK && u < p.units; u++)
            how.by_unit[u] = -INFINITY;
        write_row(file, how.by_unit, p.units);
    }
    return fclose(file) == 0 ? 0 : 1;
}

static void read_grid(direct *p, char **path, uint32_t parts) {
    double *row = room(p->units, sizeof *row);
    p->grid = room((size_t)p->units * POINTS, sizeof *p->grid);
    for (uint32_t part = 0; part < parts; part++) {
        FILE *file = open_file(path[part], "rb");
        for (size_t k = part; k < POINTS; k += parts) {
            if (fread(row, sizeof *row, p->units, file) != p->units)
                exit(1);
            for (uint32_t u = 0; u < p->units; u++)
                p->grid[(size_t)u * POINTS + k] = row[u];
        }
        (void)fclose(file);
    }
    free(row);
}

static int sample(char **argument, uint32_t parts) {
    inputs in;
    direct p;
    asif_sample_options o = ASIF_SAMPLE_OPTIONS_INIT;
    asif_draws *draws = NULL;
    asif_draws_view v = {.struct_size = sizeof v};
    read_inputs(&in, argument[0], argument[1]);
    open_direct(&p, &in);
    read_grid(&p, argument + 6, parts);
    uint32_t columns = p.numbers + p.units * p.d;
    double *start = room(columns, sizeof *start), *out = room((size_t)columns + EXTRA, sizeof *out),
           *metric = room((size_t)columns * columns, sizeof *metric);
    asif_density density = {.dimension = columns,
                            .evaluate = evaluate,
                            .has_gradient = true,
                            .reported = columns,
                            .name = make_names(in.estimates, p.d, p.units),
                            .report = report,
                            .user = &p};
    for (uint32_t i = 0; i < p.d; i++) { /* a population as wide as the prior, and everybody in the middle */
        start[i] = p.centre[i];
        start[p.d + i] = log(p.scale[i]);
    }
    for (uint32_t i = 0; i < columns; i++) {
        double sd = i < p.d ? GUESS * p.scale[i] : i < p.numbers ? GUESS : 1;
        metric[(size_t)i * columns + i] = sd * sd;
    }
    o.chains = 1;
    o.seed = strtoull(argument[2], NULL, 10);
    o.warmup = strtoull(argument[3], NULL, 10);
    o.draws = strtoull(argument[4], NULL, 10);
    o.target_accept = ACCEPT;
    o.start = start;
    o.metric = metric;
    o.max_depth = DEPTH;
    need(asif_sample(&draws, in.context, &density, &o, &error));
    need(asif_draws_get(draws, &v, &error));
    FILE *file = open_file(argument[5], "wb");
    for (uint64_t k = 0; k < v.draws; k += KEPT) {
        for (uint32_t i = 0; i < columns; i++)
            out[i] = v.value[i * v.draws + k];
        out[columns] = weigh(&p, out + p.numbers);
        out[columns + 1] = v.stat[ASIF_STAT_LEAPS * v.draws + k];
        write_row(file, out, (size_t)columns + EXTRA);
    }
    return fclose(file) == 0 ? 0 : 1;
}

static int time_gradient(char **argument) {
    inputs in;
    direct p;
    read_inputs(&in, argument[0], argument[1]);
    open_direct(&p, &in);
    clock_t began = clock();
    for (uint32_t turn = 0; turn < TURNS; turn++)
        for (uint32_t u = 0; u < p.units; u++) {
            double value, gradient[MOST], x[MOST];
            for (uint32_t i = 0; i < MOST; i++) /* another place each time, as in a chain */
                x[i] = p.centre[i] + p.scale[i] * sin(1 + turn + 3. * u + 5. * i);
            need(exact(&p, u, x, &value, gradient, &error));
        }
    printf("%.17g\n", (double)(clock() - began) / CLOCKS_PER_SEC / TURNS);
    return 0;
}

static uint64_t read_chain(const char *path, uint32_t columns, double **out) {
    FILE *file = open_file(path, "rb");
    if (fseek(file, 0, SEEK_END) != 0)
        exit(1);
    uint64_t rows = (uint64_t)ftell(file) / (columns * sizeof **out);
    *out = room(rows * columns, sizeof **out);
    rewind(file);
    if (fread(*out, columns * sizeof **out, rows, file) != rows)
        exit(1);
    (void)fclose(file);
    return rows;
}

/* Normalised weights of all kept draws, and their effective share. */
static double normalise(const double *log_weight, uint64_t count, double *weight) {
    double most = -INFINITY, sum = 0, squares = 0;
    for (uint64_t k = 0; k < count; k++)
        most = fmax(most, log_weight[k]);
    for (uint64_t k = 0; k < count; k++)
        sum += weight[k] = exp(log_weight[k] - most);
    for (uint64_t k = 0; k < count; k++) {
        weight[k] /= sum;
        squares += weight[k] * weight[k];
    }
    return 1 / (squares * (double)count);
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
        uint64_t has = read_chain(argument[2 + k], columns + EXTRA, &chains[k]);
        rows = has < rows ? has : rows;
    }
    double *value = room(files * rows, sizeof *value), *weight = room(files * rows, sizeof *weight),
           share = 1;
    double gradients = 0;
    for (uint32_t i = columns + EXTRA; i-- > 0;) { /* the weights before the numbers */
        asif_column_summary s;
        double mean = 0, variance = 0;
        for (uint32_t k = 0; k < files; k++)
            for (uint64_t r = 0; r < rows; r++)
                value[k * rows + r] = chains[k][r * (columns + EXTRA) + i];
        if (i == columns) {
            share = normalise(value, files * rows, weight);
            continue;
        }
        if (i > columns) {
            for (uint64_t k = 0; k < files * rows; k++)
                gradients += value[k] / (double)(files * rows);
            continue;
        }
        need(asif_summarise(&s, in.context, value, files, rows, &error));
        for (uint64_t k = 0; k < files * rows; k++)
            mean += weight[k] * value[k];
        for (uint64_t k = 0; k < files * rows; k++)
            variance += weight[k] * (value[k] - mean) * (value[k] - mean);
        printf("%s %.17g %.17g %.17g %.17g\n", name[i], mean, sqrt(variance), s.rhat,
               share * fmin(s.ess_bulk, s.ess_tail));
    }
    printf("share %.17g\ngradients %.17g\n", share, gradients);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 7 && strcmp(argv[1], "grid") == 0)
        return make_grid(argv + 2);
    if (argc > 8 && strcmp(argv[1], "sample") == 0)
        return sample(argv + 2, (uint32_t)argc - 8);
    if (argc == 4 && strcmp(argv[1], "gradient") == 0)
        return time_gradient(argv + 2);
    if (argc > 4 && strcmp(argv[1], "summarise") == 0)
        return summarise(argv + 2, (uint32_t)argc - 4);
    fprintf(stderr, "usage: people_direct grid STUDY LOGS PART PARTS FILE\n"
                    "       people_direct sample STUDY LOGS SEED WARMUP DRAWS FILE GRID...\n"
                    "       people_direct summarise STUDY LOGS FILE...\n"
                    "       people_direct gradient STUDY LOGS\n");
    return 2;
}
