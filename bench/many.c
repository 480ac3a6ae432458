/* Many thetas at once beside one at a time and beside their floor, in one run: agents like those of a
 * posterior of DIAG, in batches of 32. Solves and likelihoods a second by processor time, medians of rounds
 * in turns; a backup against the same products and the same number of vector exp and log over the same arrays
 * with nothing else, and a likelihood against its products, interpolations, exps and logs.
 *
 * With --check it fails where a figure is far from what it should be: machines that run tests are noisy.
 *
 *     many [--quick] [--check] [--json FILE] [--episodes N] [--rounds N]
 */
#include "asif.h"

#include "arguments.h"
#include "base/context.h"
#include "engine/many.h"
#include "logs/likelihood.h"
#include "planners/planner.h"
#include "problems.h"
#include "simulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { THETAS = 256, L = ASIF_ABREAST, W = ASIF_MANY };

static FILE *json;
static bool failed;

static double seconds(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void figure(const char *name, double value, const char *unit) {
    printf("  %-52s %10.4g %s\n", name, value, unit);
    if (json)
        fprintf(json, "  \"%s\": %.6g,\n", name, value);
}

static void die(const asif_error *error) {
    fprintf(stderr, "many: %s\n", error->message);
    exit(3);
}

static int by_size(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[n / 2];
}

/* ---- the floors ---- */

/* One backup's worth of products, exps and logs of all lanes. */
static void bare_backup(const asif_many *m, double *k) {
    const asif_operator *op = &m->op;
    const asif_successors *s = op->successors;
    const asif_simd *simd = m->context->simd;
    static const double small[L] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    for (uint64_t first = 0; first < s->nodes; first += 32) {
        uint32_t n = (uint32_t)(s->nodes - first < 32 ? s->nodes - first : 32);
        for (uint32_t i = 0; i < op->actives; i++) {
            const asif_futures *f = &op->futures[op->active[i]];
            if (f->constant && first)
                continue;
            for (uint32_t j = 0; j < f->count; j++) {
                const asif_branch *b = &s->branch[f->branch[j]];
                uint32_t rows = b->constant ? 1 : n;
                simd->lanes->product(k, b->weights.slice, b->weights.column, b->weights.value,
                                     b->constant ? 0 : first, rows, m->points, small, NULL, NULL, L);
                if (f->count > 1)
                    simd->exp(k, k, (uint64_t)rows * L);
            }
            if (f->count > 1)
                simd->log(k, k, f->constant ? L : (uint64_t)n * L);
        }
        for (uint32_t i = 0; i < op->actives && op->actives > 1; i++)
            simd->exp(k, k + 32 * L, (uint64_t)n * L);
        if (op->actives > 1)
            simd->log(k, k, (uint64_t)n * L);
    }
}

/* A block of nodes of the tree of DIAG: one action that depends on the belief, with three worlds and two
 * observations. */
static void bare_nodes(const asif_many *m, double *a) {
    enum { B = ASIF_MANY_BLOCK * W, WORLDS = 3, ACTIONS = 3 };
    static const double half[] = {.5, .5};
    static const double to[] = {1, 0, 0, 1};
    const asif_simd *simd = m->context->simd;
    static const asif_future_event event[] = {{{.6, .4}, true, 1, NULL}, {{.4, .6}, true, 1, NULL}};
    double *z = a, *k = z + 2 * B, *out = k + WORLDS * B;
    for (int u = 0; u < ACTIONS; u++)
        simd->weighted(out, z, B, half, 2, B);
    for (int w = 0; w < WORLDS; w++)
        simd->lanes->future(k + w * B, z, B, to, event, 2, m->values, m->op.successors->lattice.resolution,
                            m->agent_discount, true, m->agent_minus_eta, ASIF_MANY_BLOCK, W);
    for (int i = 0; i < WORLDS + ACTIONS; i++)
        simd->exp(out, z, B);
    for (int i = 0; i < 2; i++)
        simd->log(out, z, B);
    for (int w = 0; w < WORLDS; w++) { /* recognition */
        simd->weighted(out, z, B, half, 2, B);
        simd->ratio(out, z, out, B);
    }
    for (int s = 0; s < 2; s++)
        simd->ratio(out, out, z, B);
}

/* ---- measuring ---- */

typedef struct {
    asif_work *one, *many;
    asif_tree *tree;
    asif_theta *theta[THETAS];
} subject;

static void make_thetas(subject *s, const asif_context *context, const asif_setting *setting) {
    asif_error error = ASIF_ERROR_INIT;
    uint64_t seed = 11;
    for (int i = 0; i < THETAS; i++) {
        if (asif_theta_create(&s->theta[i], context, setting, &error) != ASIF_OK)
            die(&error);
        asif_theta_set(s->theta[i], "alpha", exp(log(.5) + .5 * (make_uniform(&seed) - .5)), NULL);
        asif_theta_set(s->theta[i], "optimism", .1 + 1.2 * make_uniform(&seed), NULL);
        asif_theta_set(s->theta[i], "eta", 2 * (make_uniform(&seed) - .5), NULL);
    }
}

static double solve_one(const subject *s, uint64_t *backups) {
    asif_error error = ASIF_ERROR_INIT;
    asif_plan_info info;
    double t = seconds();
    *backups = 0;
    for (int i = 0; i < THETAS; i++) {
        if (asif_solve(s->one, s->theta[i], &info, &error) != ASIF_OK)
            die(&error);
        *backups += info.backups;
    }
    return (seconds() - t) / THETAS;
}

static double solve_many(const subject *s, uint64_t *backups) {
    asif_error error = ASIF_ERROR_INIT;
    bool solved[W];
    double t = seconds();
    *backups = 0;
    for (int i = 0; i < THETAS; i += W) {
        if (asif_work_solve_many(s->many, (const asif_theta *const *)s->theta + i, W, solved, &error) !=
            ASIF_OK)
            die(&error);
        *backups += ((const asif_many *)asif_work_many(s->many)->self)->backups;
        for (int j = 0; j < W; j++)
            if (!solved[j])
                failed = true;
    }
    return (seconds() - t) / THETAS;
}

static double loglik_one(const subject *s, double *total) {
    asif_error error = ASIF_ERROR_INIT;
    double t = seconds();
    for (int i = 0; i < W; i++)
        if (asif_loglik(total, asif_work_behavior(s->one), s->tree, NULL, &error) != ASIF_OK)
            die(&error);
    return (seconds() - t) / W;
}

static double loglik_many(const subject *s, double *total) {
    asif_error error = ASIF_ERROR_INIT;
    bool lost[W] = {false};
    double t = seconds();
    if (asif_loglik_many(total, lost, asif_work_many(s->many), s->tree, NULL, &error) != ASIF_OK)
        die(&error);
    return (seconds() - t) / W;
}

/* The first agents back in the lanes, at their solution. */
static void fill_lanes(asif_many *m, asif_theta *const *theta) {
    const asif_operator *op = &m->op;
    const asif_successors *s = op->successors;
    for (uint64_t l = 0; l < L; l++) {
        m->a[l] = theta[l]->a;
        m->b[l] = theta[l]->b;
        m->eta[l] = theta[l]->eta;
        m->discount[l] = theta[l]->discount;
        for (uint64_t i = 0; i < s->nodes; i++) {
            m->points[i * L + l] = m->values[i * m->lanes + l];
            for (uint64_t u = 0; u < op->setting->spec.actions; u++)
                m->utility[(u * s->nodes + i) * L + l] = op->utility[u * s->stride + i];
        }
    }
}

static void measure(asif_context *context, uint64_t episodes, int rounds) {
    enum { MOST = 400 };
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_diag(context, &error);
    subject s = {0};
    if (!setting)
        die(&error);
    make_thetas(&s, context, setting);
    asif_theta_set(s.theta[0], "alpha", .5, NULL);
    asif_theta_set(s.theta[0], "beta", 1.25, NULL);
    asif_theta_set(s.theta[0], "eta", .001, NULL);
    if (asif_work_create(&s.one, context, NULL, setting, NULL, &error) != ASIF_OK ||
        asif_work_create(&s.many, context, NULL, setting, NULL, &error) != ASIF_OK ||
        asif_solve(s.one, s.theta[0], NULL, &error) != ASIF_OK ||
        simulated_tree(&s.tree, context, s.one, episodes, NULL, &error) != ASIF_OK)
        die(&error);
    /* as targets do: all thetas are solved from the values of one agent */
    asif_theta_set(s.theta[1], "alpha", 2, NULL);
    asif_theta_set(s.theta[1], "optimism", .5, NULL);
    asif_theta_set(s.theta[1], "eta", .5, NULL);
    if (asif_solve(s.one, s.theta[1], NULL, &error) != ASIF_OK ||
        asif_work_start_many(s.many, asif_work_values(s.one), &error) != ASIF_OK)
        die(&error);
    asif_tree_view view = {.struct_size = sizeof view};
    asif_tree_get(s.tree, &view, NULL);
    rounds = rounds < MOST ? rounds : MOST;
    double a[8][MOST], total[W];
    uint64_t ones = 0, manys = 0;
    double *k = calloc(2 * 32 * L, sizeof *k), *z = calloc(16 * ASIF_MANY_BLOCK * W, sizeof *z);
    for (int i = 0; i < 16 * ASIF_MANY_BLOCK * W; i++)
        z[i] = .3;
    for (int r = 0; r < rounds; r++) {
        a[0][r] = solve_one(&s, &ones);
        a[1][r] = solve_many(&s, &manys);
        a[2][r] = loglik_one(&s, total);
        a[3][r] = loglik_many(&s, total);
        asif_many *m = (asif_many *)(uintptr_t)asif_work_many(s.many)->self;
        fill_lanes(m, s.theta + THETAS - W);
        double t = seconds();
        for (int i = 0; i < 100; i++)
            asif_many_backup(m);
        double u = seconds();
        for (int i = 0; i < 100; i++)
            bare_backup(m, k);
        double v = seconds();
        for (uint64_t i = 0; i < view.nodes; i += ASIF_MANY_BLOCK)
            bare_nodes(m, z);
        a[4][r] = (u - t) / 100 / L;
        a[5][r] = (v - u) / 100 / L;
        a[6][r] = (seconds() - v) / W;
    }
    double solve1 = median(a[0], rounds), solve32 = median(a[1], rounds), one = median(a[2], rounds),
           many = median(a[3], rounds), back = median(a[4], rounds), bare = median(a[5], rounds),
           nodes = median(a[6], rounds);
    printf("DIAG, %d thetas, batches of %d, %u nodes in the tree\n", THETAS, W, view.nodes);
    figure("one at a time: backups a solve", (double)ones / THETAS, "");
    figure("one at a time: a solve", 1e6 * solve1, "us");
    figure("batch: backups a solve", (double)manys * L / THETAS, "(idle lanes included)");
    figure("batch: a solve", 1e6 * solve32, "us");
    figure("batch: solves, times as many", solve1 / solve32, "(at least 2.5)");
    figure("batch: a backup", 1e6 * back, "us a theta");
    figure("batch: bare backup", 1e6 * bare, "us a theta");
    figure("batch: backup over bare", back / bare, "(at most 1.3)");
    figure("batch: solve over its bare backups", solve32 / (bare * (double)manys * L / THETAS), "");
    figure("one at a time: a likelihood", 1e6 * one, "us");
    figure("batch: a likelihood", 1e6 * many, "us");
    figure("batch: likelihoods, times as many", one / many, "(at least 3)");
    figure("batch: bare likelihood", 1e6 * nodes, "us");
    figure("batch: likelihood over bare", many / nodes, "(at most 1.3)");
    figure("solve and likelihood, times as many", (solve1 + one) / (solve32 + many), "");
    failed = failed || solve1 / solve32 < 1.5 || one / many < 2 || back / bare > 2 || many / nodes > 2.5;
    free(k);
    free(z);
    for (int i = 0; i < THETAS; i++)
        asif_theta_free(s.theta[i]);
    asif_tree_free(s.tree);
    asif_work_free(s.one);
    asif_work_free(s.many);
    asif_setting_free(setting);
}

int main(int argc, char **argv) {
    bench_arguments asked = {.episodes = 1000, .quick_episodes = 1000, .rounds = 200};
    int code = bench_read(&asked, argc, argv, "many");
    if (code)
        return code;
    json = asked.json;
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    if (asif_context_create(&context, NULL, &error) != ASIF_OK)
        die(&error);
    if (json)
        fprintf(json, "{\n");
    measure(context, asked.episodes, asked.rounds);
    if (json) {
        fprintf(json, "  \"vectors\": \"%s\"\n}\n", asif_context_vector(context));
        (void)fclose(json);
    }
    asif_context_free(context);
    return asked.check && failed ? 1 : 0;
}
