/* The sections `solver` and `logs`. */
#include "study/study_reader.h"

#include "base/text.h"
#include "logs/map/log_map.h"

#include <math.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

static bool read_from(asif_reader *draft, const asif_yaml *node, const char *what, double least, double most,
                      double *out) {
    if (!asif_reader_number(draft, node, what, out))
        return false;
    if (*out >= least && *out <= most && *out == floor(*out))
        return true;
    asif_reader_error(draft, node, "%s must be a whole number from %s to %s, not %s", what,
                      asif_show_number(least).text, asif_show_number(most).text, asif_show(node->text).text);
    return false;
}

static bool read_whole(asif_reader *draft, const asif_yaml *node, const char *what, double most,
                       double *out) {
    return read_from(draft, node, what, 1, most, out);
}

static void read_resolution(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (asif_reader_is(node, "auto"))
        draft->solver.resolution = 0; /* 0 stands for `auto` until the states are known */
    else if (read_whole(draft, node, "`resolution`", 1e6, &x))
        draft->solver.resolution = (uint32_t)x;
    else
        asif_reader_hint(draft, "`auto` lets a fit choose it");
}

static void read_beliefs(asif_reader *draft, const asif_yaml *node) {
    static const char *const kinds[] = {"lattice", "reachable", "graded"};
    static const asif_beliefs beliefs[] = {ASIF_BELIEFS_LATTICE, ASIF_BELIEFS_REACHABLE, ASIF_BELIEFS_GRADED};
    uint32_t i = 0;
    if (!asif_reader_choice(draft, node, "`beliefs`", kinds, COUNT(kinds), &i))
        return;
    draft->solver.beliefs = beliefs[i];
    draft->beliefs_at = node;
}

static void read_lattice_error(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (!asif_reader_number(draft, node, "`lattice_error`", &x))
        return;
    if (!(x > 0 && isfinite(x))) {
        asif_reader_error(draft, node, "`lattice_error` must be above 0, not %s", asif_show(node->text).text);
        asif_reader_hint(draft, "it is in nats of the log-likelihood; the default is %g", ASIF_LATTICE_ERROR);
        return;
    }
    draft->solver.lattice_error = x;
}

static void read_tol(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (!asif_reader_number(draft, node, "`tol`", &x))
        return;
    if (!(x > 0 && x < 1)) {
        asif_reader_error(draft, node, "`tol` must be above 0 and below 1, not %s",
                          asif_show(node->text).text);
        asif_reader_hint(draft, "the default is 1e-12");
        return;
    }
    draft->solver.tol = x;
}

static void read_max_backups(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`max_backups`", 1e15, &x))
        draft->solver.max_backups = (uint64_t)x;
}

static void read_time_limit(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (!asif_reader_number(draft, node, "`time_limit`", &x)) {
        asif_reader_hint(draft, "give seconds, without a unit");
        return;
    }
    if (!(x >= 0 && isfinite(x))) {
        asif_reader_error(draft, node, "`time_limit` must be a number of seconds, not %s",
                          asif_show(node->text).text);
        asif_reader_hint(draft, "0 is no limit");
        return;
    }
    draft->solver.time_limit_sec = x;
}

static void read_memory(asif_reader *draft, const asif_yaml *node) {
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}};
    if (!asif_reader_kind(draft, node, ASIF_YAML_SCALAR, "`memory`"))
        return;
    size_t length = strlen(node->text);
    for (uint32_t i = 0; i < COUNT(units); i++) {
        size_t unit = strlen(units[i].unit), digits = length - unit;
        double x = 0;
        if (unit > length || strcmp(node->text + digits, units[i].unit) != 0)
            continue;
        while (digits > 0 && node->text[digits - 1] == ' ')
            digits--;
        if (asif_number_read(node->text, digits, &x) && x * units[i].bytes >= 1 &&
            x * units[i].bytes <= 1e18) {
            draft->solver.memory_limit = (uint64_t)(x * units[i].bytes);
            return;
        }
    }
    asif_reader_parse_error(draft, node, "`memory` cannot be `%s`", asif_show(node->text).text);
    asif_reader_hint(draft, "give bytes, or a number with MB or GB: 4 GB");
}

static void read_method(asif_reader *draft, const asif_yaml *node) {
    static const char *const methods[] = {"solve", "samples"};
    uint32_t i = 0;
    if (asif_reader_choice(draft, node, "`method`", methods, COUNT(methods), &i))
        draft->solver.sampled = i == 1;
}

static void read_samples(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`samples`", 1e15, &x))
        draft->solver.samples = (uint64_t)x;
}

static void read_seed(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (read_from(draft, node, "`seed`", 0, 9007199254740992.0, &x))
        draft->solver.seed = (uint64_t)x;
}

static void read_unrolled(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`unrolled`", 1e6, &x))
        draft->solver.unrolled = (uint32_t)x;
}

static void read_hidden(asif_reader *draft, const asif_yaml *node) {
    double x = 0;
    if (read_whole(draft, node, "`hidden`", 1024, &x))
        draft->solver.hidden = (uint32_t)x;
}

static const asif_study_key solver_keys[] = {
    {"resolution", read_resolution, "lattice intervals on an edge of the belief simplex"},
    {"beliefs", read_beliefs, "reachable ones, or a lattice, which may be finer near certainty"},
    {"lattice_error", read_lattice_error, "nats that the lattice may add, with `resolution: auto`"},
    {"tol", read_tol, "residual over the largest value"},
    {"max_backups", read_max_backups, "applications of the operator"},
    {"time_limit", read_time_limit, "seconds; 0: no limit"},
    {"memory", read_memory, "bytes that the successor weights may take"},
    {"method", read_method, "solve, or samples of the environment (maximum-entropy)"},
    {"samples", read_samples, "of the environment that a learner takes"},
    {"seed", read_seed, "of these samples"},
    {"unrolled", read_unrolled, "backups of the differentiable planner"},
    {"hidden", read_hidden, "numbers in the state of the recurrent learner"},
};

void asif_reader_read_solver(asif_reader *draft, const asif_yaml *node) {
    asif_reader_section(draft, node, "solver", solver_keys, COUNT(solver_keys));
    draft->resolution_said =
        node->kind == ASIF_YAML_MAP && asif_yaml_get(node, "resolution") && draft->solver.resolution;
    double *wanted = &draft->solver.lattice_error;
    if (draft->solver.resolution == 0)
        *wanted = *wanted > 0 ? *wanted : ASIF_LATTICE_ERROR;
    else if (*wanted > 0)
        asif_reader_error(draft, node, "`lattice_error` goes with `resolution: auto`");
}

static void take_problem(void *user, const asif_yaml *at, const asif_error *error) {
    asif_reader_pass_on(user, at, error);
}

void asif_reader_read_logs(asif_reader *draft, const asif_yaml *node) {
    asif_study_key log_keys[32];
    uint32_t count = 0;
    while (count < COUNT(log_keys) && asif_log_map_key(count, &log_keys[count].name, &log_keys[count].help))
        log_keys[count++].read = NULL;
    if (!asif_reader_kind(draft, node, ASIF_YAML_MAP, "`logs`"))
        return;
    asif_reader_keys(draft, node, "logs", log_keys, count);
    asif_log_map_reader reader = {draft->actions.count,
                                  draft->sees_states ? 0
                                  : draft->parts     ? draft->shown.count
                                                     : draft->observations.count,
                                  draft->states.count,
                                  draft->actions.name,
                                  draft->parts ? draft->shown.name : draft->observations.name,
                                  draft->states.name,
                                  draft->observation_columns,
                                  draft->observation_column,
                                  take_problem,
                                  draft};
    asif_error error = ASIF_ERROR_INIT;
    if (asif_log_map_read(&draft->logs, draft->context, node, &reader, &error) != ASIF_OK)
        asif_reader_no_memory(draft);
}
