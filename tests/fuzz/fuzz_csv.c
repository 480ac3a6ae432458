/* Any bytes as a table. The first byte chooses how it is read: without a setting, with observations, where
 * states are seen, with conditions and a seen part; with units or without. */
#include "asif.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const studies[] = {
    "asif: 1\nstates: [a, b]\nactions: [x, y, 1]\nobservations: [n, p, NA]\n"
    "environment: {start: {by: risk, low: [0.9, 0.1], high: [0.5, 0.5]}, transitions: identity, "
    "emissions: [[0.7, 0.3, 0], [0.3, 0.7, 0]], ends: x}\n"
    "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
    "logs: {missing: drop_row, gaps: cut, observes: before, initial_observation: y}\n",
    "asif: 1\nstates: [a, b]\nactions: [x, y]\n"
    "environment: {start: a, transitions: {x: [[0.5, 0.5], [0, 1]], y: identity}}\n"
    "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
    "logs: {missing: drop_row, weight: w}\n",
    "asif: 1\nstates: [a, b]\nactions: [x, y]\nobservations: [n/0, n/1, p/0, p/1]\n"
    "environment: {start: a, emissions: uniform}\n"
    "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
    "logs: {missing: not_seen, observation: [{column: observation, labels: {n: n, p: p}}, {column: t, cut: "
    "2}]}\n",
};
/* The rules for logs of clinics, in a study of its own: the number of the ways above is in the corpus. */
static const char clinic[] =
    "asif: 1\nstates: [a, b]\nactions: [x, y]\nobservations: {o: [n, p], s: [none, low, average, high]}\n"
    "environment: {start: a, emissions: uniform}\n"
    "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
    "logs: {time: {column: [t, visit], step: 6, off_grid: leave_out}, "
    "action: {column: s, present: y, missing: x}, "
    "observation: {o: {column: observation, labels: {n: n, p: p}, missing: n}, "
    "s: {column: s, cut: mean +- 0.5 sd, labels: [low, average, high], missing: none}}, "
    "columns: {s: {recode: {lo: 1, \"<2\": 1.5}, missing_values: [q, 77], range: [-99, 99], "
    "outside: missing}, "
    "d: {recode: {a: A}}, day: {date: \"%d.%m.%Y\"}}, decimal: \",\", "
    "missing_values: -4, require: t, begin: 0, gaps: cut, groups: {old: t >= 6, sixth: visit = m06}, "
    "label: {column: d, labels: {A: a, B: b}}}\n";

/* Columns of conditions and of a seen part, which have to go together: 's' in the corpus. */
static const char conditions[] =
    "asif: 1\nstates: {seen: {draws: 0 to 3, warned: [no, yes]}, hidden: {urn: [blue, pink]}}\n"
    "actions: [draw, ask, say]\nobservations: [b, p]\n"
    "environment: {start: {by: bag, old: {draws: 0, warned: no, urn: [0.7, 0.3]}, "
    "new: {draws: 0, warned: no, urn: uniform}}, "
    "transitions: {draw: {by: pace, slow: {draws: +1}, "
    "fast: {draws: +1, warned: {no: [0.8, 0.2], any: yes}}}, ask: {warned: yes}, say: terminal}, "
    "available: {draw: draws < 3, ask: warned = no}, horizon: 4, "
    "emissions: {by: bag, old: {blue: [0.6, 0.4], any: [0.4, 0.6]}, new: uniform}}\n"
    "agent: {discount: 0.95, utility: {say: {blue: 10 - draws, pink: 0}, any: 0}, parameters: {alpha: 1}}\n";

enum { STUDIES = sizeof studies / sizeof *studies };

static void read_once(const asif_context *context, const asif_study *study, const uint8_t *data, size_t size,
                      uint32_t units, bool rows) {
    static const char *const covariates[] = {"t", NULL};
    char *text = NULL;
    asif_problems *problems = NULL;
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_logs_info info = {0};
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    must(asif_problems_create(&problems, context, 3, NULL) == ASIF_OK);
    options.map = study ? asif_study_logs(study) : NULL;
    options.setting = study ? asif_study_setting(study) : NULL;
    options.units = units == 2 ? ASIF_UNITS_EPISODES : units == 1 ? ASIF_UNITS_SUBJECTS : ASIF_UNITS_NONE;
    options.covariates = units == 2 ? covariates : NULL;
    options.rows = rows ? &text : NULL;
    asif_status status = asif_logs_read_text(&tree, context, (const char *)data, size, "fuzz", &options,
                                             &info, problems, &error);
    /* A tree or an error with a message, never both, never neither; and it is in the list. */
    must((status == ASIF_OK) == (tree != NULL) && error.status == status);
    must((status != ASIF_OK) == (asif_problems_found(problems, ASIF_PROBLEM_ERROR) > 0));
    must(status == ASIF_OK || error.message[0]);
    /* Every row is a decision or was left out, and said so. */
    if (tree) {
        must(info.rows == info.decisions + info.excluded && info.decisions > 0);
        must(info.excluded == 0 || asif_problems_found(problems, ASIF_PROBLEM_NOTE) > 0);
        must(info.subjects <= info.episodes && info.episodes <= info.decisions &&
             info.longest <= info.decisions);
        uint64_t left_out = 0, lines = 0;
        for (uint32_t i = 0; i < info.rules; i++)
            left_out += info.left_out[i].rows;
        for (const char *c = text; c && *c; c++)
            lines += *c == '\n';
        must(left_out == info.excluded && lines >= (rows ? info.decisions + 1 : 0));
    }
    asif_memory_free(context, text);
    asif_tree_free(tree);
    asif_problems_free(problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context; /* made once: reading the studies would take most of the time */
    static asif_study *study[STUDIES], *clinics, *parts;
    if (!context) {
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
        for (uint32_t i = 0; i < STUDIES; i++)
            must(asif_study_read(&study[i], context, studies[i], strlen(studies[i]), NULL, NULL, NULL) ==
                 ASIF_OK);
        must(asif_study_read(&clinics, context, clinic, strlen(clinic), NULL, NULL, NULL) == ASIF_OK);
        must(asif_study_read(&parts, context, conditions, strlen(conditions), NULL, NULL, NULL) == ASIF_OK);
    }
    if (size == 0)
        return 0;
    uint32_t way = data[0] % 6U;
    if (data[0] == 'c')
        read_once(context, clinics, data + 1, size - 1, data[0] % 2U, true);
    else if (data[0] == 's')
        read_once(context, parts, data + 1, size - 1, data[0] % 2U, true);
    else
        read_once(context, way < STUDIES ? study[way] : NULL, data + 1, size - 1, way % 3, false);
    return 0;
}
