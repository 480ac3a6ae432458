/* The engine beside its floor, in one run: what a backup costs against the same sparse products and the same
 * number of vector exp and log over the same arrays, with nothing else; and what a warm solve costs against
 * its backups. Times are the smallest of many short measurements taken in turns, because machines are noisy.
 *
 * With --check it fails where a figure is more than twice what it should be: machines that run tests are too
 * noisy for less.
 *
 *     engine [--quick] [--check] [--json FILE] [--mdp STATES] [--vectors LEVEL]
 */
#include "asif.h"

#include "base/context.h"
#include "base/os.h"
#include "engine/fixed_point.h"
#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *json;
static bool failed;

static void figure(const char *name, double value, const char *unit) {
    printf("  %-44s %12.4g %s\n", name, value, unit);
    if (json)
        fprintf(json, "  \"%s\": %.6g,\n", name, value);
}

/* A figure that should be at most so large. */
static void bounded(const char *name, double value, double most) {
    char unit[32];
    (void)snprintf(unit, sizeof unit, "(at most %g)", most);
    figure(name, value, unit);
    failed = failed || !(value <= 2 * most);
}

static void die(const asif_error *error) {
    fprintf(stderr, "engine: %s\n", error->message);
    exit(3);
}

/* ---- the floor ---- */

typedef struct {
    asif_operator *op;
    const double *values;
    double *k; /* [ASIF_BLOCK] numbers for each outcome */
} floor_job;

/* One backup's worth of products, exps and logs. */
static void bare_kernel(const floor_job *job) {
    const asif_operator *op = job->op;
    const asif_successors *s = op->successors;
    const asif_simd *simd = op->context->simd;
    for (uint64_t first = 0; first < s->nodes; first += ASIF_BLOCK) {
        uint32_t n = (uint32_t)(s->nodes - first < ASIF_BLOCK ? s->nodes - first : ASIF_BLOCK);
        for (uint32_t i = 0; i < op->actives; i++) {
            const asif_futures *f = &op->futures[op->active[i]];
            bool first_block = first == 0;
            if (f->constant && !first_block)
                continue;
            for (uint32_t j = 0; j < f->count; j++) {
                const asif_branch *b = &s->branch[f->branch[j]];
                uint32_t rows = b->constant ? 1 : n;
                simd->product(job->k, b->weights.slice, b->weights.column, b->weights.value,
                              b->constant ? 0 : first, rows, job->values, 1e-3, NULL, 0);
                if (f->count > 1)
                    simd->exp(job->k, job->k, rows);
            }
            if (f->count > 1)
                simd->log(job->k, job->k, f->constant ? 1 : n);
        }
        for (uint32_t i = 0; i < op->actives && op->actives > 1; i++)
            simd->exp(job->k, job->k + ASIF_BLOCK, n);
        if (op->actives > 1)
            simd->log(job->k, job->k, n);
    }
}

/* ---- measuring ---- */

/* Smallest time of a call in seconds, of two things in turns. */
static void in_turns(void (*one)(void *), void *a, void (*two)(void *), void *b, uint32_t calls,
                     uint32_t rounds, double *first, double *second) {
    *first = *second = INFINITY;
    for (uint32_t r = 0; r < rounds; r++) {
        double t = asif_os_seconds();
        for (uint32_t i = 0; i < calls; i++)
            one(a);
        double u = asif_os_seconds();
        for (uint32_t i = 0; i < calls; i++)
            two(b);
        double v = asif_os_seconds();
        *first = fmin(*first, (u - t) / calls);
        *second = fmin(*second, (v - u) / calls);
    }
}

typedef struct {
    asif_fixed_point solver;
    floor_job floor;
} subject;

static void run_backup(void *user) {
    subject *s = user;
    double difference, largest;
    asif_operator_backup(&s->solver.op, s->solver.values, s->solver.image, &difference, &largest);
}

static void run_floor(void *user) {
    bare_kernel(&((subject *)user)->floor);
}

static double backup_beside_floor(const char *name, asif_context *context, asif_setting *setting, double eta,
                                  double tol, uint32_t calls, uint32_t rounds) {
    asif_error error = ASIF_ERROR_INIT;
    asif_theta *theta = NULL;
    asif_successors *successors = NULL;
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    asif_plan_info info;
    subject s = {0};
    options.tol = tol;
    if (!setting || asif_theta_create(&theta, context, setting, &error) != ASIF_OK)
        die(&error);
    asif_theta_set(theta, "alpha", .5, NULL);
    asif_theta_set(theta, "beta", 1.25, NULL);
    asif_theta_set(theta, "eta", eta, NULL);
    if (asif_successors_create(&successors, context, setting, ASIF_BELIEFS_LATTICE, 100, UINT64_MAX,
                               &error) != ASIF_OK ||
        asif_fixed_point_create(&s.solver, context, successors, &options, &error) != ASIF_OK ||
        asif_fixed_point_solve(&s.solver, theta, &info, &error) != ASIF_OK)
        die(&error);
    double *k = calloc(2 * ASIF_BLOCK, sizeof *k), floor_time, backup_time;
    s.floor = (floor_job){&s.solver.op, s.solver.values, k};
    in_turns(run_floor, &s, run_backup, &s, calls, rounds, &floor_time, &backup_time);
    char label[64];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < successors->branches; i++)
        bytes += 12 * successors->branch[i].weights.entries;
    printf("%s: %u nodes, %.3g MB of successor weights\n", name, successors->nodes, 1e-6 * (double)bytes);
    (void)snprintf(label, sizeof label, "%s solve: backups", name);
    figure(label, (double)info.backups, info.stop == ASIF_STOP_CONVERGED ? "" : "(did not converge)");
    failed = failed || info.stop != ASIF_STOP_CONVERGED;
    (void)snprintf(label, sizeof label, "%s solve: seconds", name);
    figure(label, info.seconds, "s");
    (void)snprintf(label, sizeof label, "%s solve: residual", name);
    figure(label, info.residual, "");
    (void)snprintf(label, sizeof label, "%s bare kernel", name);
    figure(label, 1e6 * floor_time, "us");
    (void)snprintf(label, sizeof label, "%s backup", name);
    figure(label, 1e6 * backup_time, "us");
    (void)snprintf(label, sizeof label, "%s backup over kernel", name);
    bounded(label, backup_time / floor_time, 1.5);
    (void)snprintf(label, sizeof label, "%s weights read", name);
    figure(label, 1e-9 * (double)bytes / backup_time, "GB/s");
    free(k);
    asif_fixed_point_free(&s.solver);
    asif_theta_free(theta);
    asif_setting_free(setting);
    return backup_time;
}

static int by_size(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Warm solves of DIAG from a theta with all log-parameters .1 away, over the six agents of the paper's
 * Figure 2. */
static void warm_solves(asif_context *context, uint32_t rounds) {
    static const double agents[6][3] = {{1e-3, 1e3, 1e-3}, {10, 1e3, 1e-3}, {.5, 1.25, 1e-3},
                                        {.5, -.75, 1e-3},  {.5, 1e3, 1e-3}, {.5, 1e3, 75}};
    asif_error error = ASIF_ERROR_INIT;
    asif_setting *setting = make_diag(context, &error);
    asif_theta *theta = NULL;
    asif_successors *successors = NULL;
    asif_plan_options options = ASIF_PLAN_OPTIONS_INIT;
    subject s = {0};
    options.tol = 1e-10;
    if (!setting || asif_theta_create(&theta, context, setting, &error) != ASIF_OK ||
        asif_successors_create(&successors, context, setting, ASIF_BELIEFS_LATTICE, 100, UINT64_MAX,
                               &error) != ASIF_OK ||
        asif_fixed_point_create(&s.solver, context, successors, &options, &error) != ASIF_OK)
        die(&error);
    double backups[6], ratio[6], best[6];
    for (int i = 0; i < 6; i++) {
        double solve_time = INFINITY, backup_time = INFINITY;
        for (uint32_t r = 0; r < rounds; r++) {
            asif_plan_info info = {0};
            double shift = r % 2 ? 1 : exp(.1);
            asif_theta_set(theta, "alpha", agents[i][0] * shift, NULL);
            asif_theta_set(theta, "beta", agents[i][1] * shift, NULL);
            asif_theta_set(theta, "eta", agents[i][2] * shift, NULL);
            /* absolute residual of 1e-10, as the oracle's figures have it */
            s.solver.options.tol = 1e-10 / fmax(1, fabs(s.solver.values[50]));
            if (asif_fixed_point_solve(&s.solver, theta, &info, &error) != ASIF_OK)
                die(&error);
            backups[i] = (double)info.backups;
            double t = asif_os_seconds();
            for (int k = 0; k < 20; k++)
                run_backup(&s);
            backup_time = fmin(backup_time, (asif_os_seconds() - t) / 20);
            if (r > 1)
                solve_time = fmin(solve_time, info.seconds / backups[i]);
        }
        ratio[i] = solve_time / backup_time;
        best[i] = solve_time * backups[i];
    }
    qsort(backups, 6, sizeof *backups, by_size);
    qsort(ratio, 6, sizeof *ratio, by_size);
    qsort(best, 6, sizeof *best, by_size);
    printf("Warm solves of DIAG, 100 intervals, residual 1e-10, six agents\n");
    bounded("warm backups, median", (backups[2] + backups[3]) / 2, 25);
    figure("warm backups, most", backups[5], "");
    figure("warm solve, median", 5e5 * (best[2] + best[3]), "us");
    bounded("warm solve over its backups, median", (ratio[2] + ratio[3]) / 2, 2.2);
    figure("warm solve over its backups, most", ratio[5], "");
    asif_fixed_point_free(&s.solver);
    asif_theta_free(theta);
    asif_setting_free(setting);
}

/* Vector exp and log over an array that fits the first cache, and a sum over one that fits none. */
static void machine(asif_context *context, bool quick) {
    enum { N = 1024 };
    double x[N], y[N], z[N], e = INFINITY, l = INFINITY, bandwidth = 0;
    uint64_t large = quick ? 1u << 20 : 1u << 24;
    double *memory = malloc(large * sizeof *memory);
    volatile double sink = 0;
    for (int i = 0; i < N; i++)
        x[i] = -20.0 * i / N;
    for (int r = 0; r < 200; r++) {
        double t = asif_os_seconds();
        for (int i = 0; i < 10; i++)
            context->simd->exp(y, x, N);
        double u = asif_os_seconds();
        for (int i = 0; i < 10; i++)
            context->simd->log(z, y, N);
        l = fmin(l, (asif_os_seconds() - u) / (10 * N));
        e = fmin(e, (u - t) / (10 * N));
    }
    for (uint64_t i = 0; memory && i < large; i++)
        memory[i] = 1;
    for (int r = 0; memory && r < 5; r++) {
        double t = asif_os_seconds();
        sink += context->simd->dot(memory, memory, large);
        bandwidth = fmax(bandwidth, 1e-9 * (double)(large * sizeof *memory) / (asif_os_seconds() - t));
    }
    (void)sink;
    free(memory);
    printf("Machine: vectors %s, one thread\n", asif_context_vector(context));
    figure("exp", 1e9 * e, "ns");
    figure("log", 1e9 * l, "ns");
    figure("memory read", bandwidth, "GB/s");
}

int main(int argc, char **argv) {
    bool quick = false, check = false;
    uint32_t states = 1000000, level = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            quick = true;
            states = 20000;
        } else if (strcmp(argv[i], "--check") == 0) {
            check = true;
        } else if (strcmp(argv[i], "--mdp") == 0 && i + 1 < argc) {
            states = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--vectors") == 0 && i + 1 < argc) {
            level = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = fopen(argv[++i], "w");
            if (!json)
                return 3;
        } else {
            fprintf(stderr,
                    "usage: engine [--quick] [--check] [--json FILE] [--mdp STATES] [--vectors LEVEL]\n");
            return 2;
        }
    }
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.vector_level = level;
    if (asif_context_create(&context, &options, &error) != ASIF_OK)
        die(&error);
    if (json)
        fprintf(json, "{\n");
    machine(context, quick);
    backup_beside_floor("DIAG", context, make_diag(context, &error), .001, 1e-12, 200, quick ? 50 : 500);
    backup_beside_floor("ADNI shape", context, make_adni_shape(context, &error), .001, 1e-12, quick ? 2 : 5,
                        quick ? 10 : 60);
    backup_beside_floor("MDP", context, make_mdp(context, states, 4, 4, .99, &error), 0, 1e-10, 1,
                        quick ? 5 : 10);
    warm_solves(context, quick ? 30 : 200);
    if (json) {
        fprintf(json, "  \"vectors\": \"%s\"\n}\n", asif_context_vector(context));
        (void)fclose(json);
    }
    asif_context_free(context);
    return check && failed ? 1 : 0;
}
