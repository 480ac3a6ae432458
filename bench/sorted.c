/* The price of a history tree over that of the sort that it needs. DuckDB puts the rows of a Parquet file in
 * order of episode and time and they are thrown away; then asif counts the same file; and so on by turns,
 * each in a process of its own. Processor times of all threads, the most memory of each process, ratios by
 * pairs and their median.
 *
 * Without LOGS, DuckDB makes a table of episodes of ten decisions, shuffled. With --check, a median above
 * three times what it should be fails. Exits with 77 where there is no driver.
 *
 *     sorted [--quick] [--check] [--pairs N] [--memory MB] [--threads N] [--study STUDY] [LOGS.parquet]
 */
#include "asif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 1.25 /* of the bare sort */
enum { MOST_PAIRS = 64 };

typedef struct {
    const char *logs, *study;
    uint64_t rows, memory; /* rows: of the table that is made; memory: in bytes, 0 for DuckDB's own limit */
    uint32_t pairs, threads;
    bool check;
} arguments;

static void check(asif_status status, const asif_error *error) {
    if (status == ASIF_OK)
        return;
    fprintf(stderr, "sorted: %s\n", error->message);
    exit(status == ASIF_ENOFILE ? 77 : 3);
}

static asif_database_request ask(const arguments *a, const char *query) {
    static const char *folders[2];
    asif_database_request request = ASIF_DATABASE_REQUEST_INIT;
    folders[0] = getenv("ASIF_DRIVERS");
    request.driver = "duckdb";
    request.folders = folders[0] ? folders : NULL;
    request.query = query;
    request.memory = a->memory;
    request.threads = a->threads;
    return request;
}

/* What a process of its own found, and what it took. */
typedef struct {
    uint64_t rows, nodes;
    double seconds, megabytes;
} taken;

static void drain(const asif_context *context, const asif_database_request *request, taken *t) {
    asif_error error = ASIF_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    check(asif_database_query(&stream, context, request, &error), &error);
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        t->rows += (uint64_t)batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
}

static void tree(const asif_context *context, const asif_database_request *request,
                 const asif_logs_options *options, taken *t) {
    asif_error error = ASIF_ERROR_INIT;
    asif_logs_info info;
    asif_tree *made;
    check(asif_logs_read_database(&made, context, request, "logs", options, &info, NULL, &error), &error);
    asif_tree_free(made);
    t->rows = info.rows;
    t->nodes = info.nodes;
}

/* Drain the query, or make the tree if there are options, in another process. */
static taken measure(const asif_context *context, const asif_database_request *request,
                     const asif_logs_options *options) {
    taken t = {0};
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        if (options)
            tree(context, request, options, &t);
        else
            drain(context, request, &t);
        struct rusage r;
        (void)getrusage(RUSAGE_SELF, &r);
        t.seconds = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
                    1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
        t.megabytes = (double)r.ru_maxrss / 1e3;
        _exit(write(ends[1], &t, sizeof t) != (ssize_t)sizeof t);
    }
    (void)close(ends[1]);
    bool told = read(ends[0], &t, sizeof t) == (ssize_t)sizeof t;
    (void)close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !told)
        exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1);
    return t;
}

static int up(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare(const asif_context *context, const arguments *a, const asif_logs_options *options) {
    char all[4096], sorted[8192];
    double ratio[MOST_PAIRS];
    if (a->logs)
        (void)snprintf(all, sizeof all, "SELECT * FROM read_parquet('%s')", a->logs);
    else
        (void)snprintf(
            all, sizeof all,
            "SELECT i // 10 AS episode, i %% 10 AS t, CASE WHEN i %% 10 < 9 THEN 'monitor' ELSE "
            "'declare_healthy' END AS action, CASE WHEN i %% 10 = 9 THEN NULL WHEN hash(i) %% 10 < "
            "3 THEN 'positive' ELSE 'negative' END AS observation FROM range(%llu) AS r(i) "
            "ORDER BY hash(i + 1)",
            (unsigned long long)a->rows);
    (void)snprintf(sorted, sizeof sorted,
                   "SELECT episode, t, action, observation FROM (%s) AS q ORDER BY episode, t", all);
    asif_database_request bare = ask(a, sorted), rows = ask(a, all);
    rows.file = a->logs;
    for (uint32_t i = 0; i < a->pairs; i++) {
        taken of_sort = measure(context, &bare, NULL), of_tree = measure(context, &rows, options);
        if (of_tree.rows != of_sort.rows) {
            fprintf(stderr, "sorted: the tree has %llu of %llu rows\n", (unsigned long long)of_tree.rows,
                    (unsigned long long)of_sort.rows);
            return 1;
        }
        ratio[i] = of_tree.seconds / of_sort.seconds;
        printf("%llu rows, %llu nodes: sort %.2f s (%.0f MB), tree %.2f s (%.0f MB), ratio %.3f\n",
               (unsigned long long)of_sort.rows, (unsigned long long)of_tree.nodes, of_sort.seconds,
               of_sort.megabytes, of_tree.seconds, of_tree.megabytes, ratio[i]);
        (void)fflush(stdout);
    }
    qsort(ratio, a->pairs, sizeof *ratio, up);
    double median = ratio[a->pairs / 2];
    printf("median ratio %.3f (at most %.2f)\n", median, MOST);
    return a->check && median > 3 * MOST;
}

static bool read_arguments(arguments *a, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--check") == 0)
            a->check = true;
        else if (strcmp(argv[i], "--quick") == 0)
            a->rows = 200000;
        else if (strcmp(argv[i], "--pairs") == 0 && more)
            a->pairs = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--memory") == 0 && more)
            a->memory = 1000000 * strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0 && more)
            a->threads = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--study") == 0 && more)
            a->study = argv[++i];
        else if (argv[i][0] != '-' && !a->logs)
            a->logs = argv[i];
        else
            return false;
    }
    return a->pairs >= 1 && a->pairs <= MOST_PAIRS;
}

int main(int argc, char **argv) {
    arguments a = {.rows = 2000000, .pairs = 3, .threads = 2};
    asif_error error = ASIF_ERROR_INIT;
    asif_context *context;
    asif_study *study = NULL;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    if (!read_arguments(&a, argc, argv)) {
        fprintf(stderr, "usage: sorted [--quick] [--check] [--pairs N] [--memory MB] [--threads N] [--study "
                        "STUDY] [LOGS.parquet]\n");
        return 2;
    }
    check(asif_context_create(&context, NULL, &error), &error);
    if (a.study) {
        check(asif_study_load(&study, context, a.study, NULL, &error), &error);
        options.setting = asif_study_setting(study);
        options.map = asif_study_logs(study);
    }
    int code = compare(context, &a, &options);
    asif_study_free(study);
    asif_context_free(context);
    return code;
}
