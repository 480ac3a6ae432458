/* From tables to trees: every way of writing the same logs makes the same tree, and every rule does what it
 * says. */
#include "asif.h"
#include "check.h"

#include <string.h>

#define AGENT "agent: {discount: 0.9, utility: {any: 1}, parameters: {alpha: 1}}\n"
#define TEST(start)                                                                                          \
    "asif: 1\nstates: [h, d]\nactions: [stop, look]\nobservations: [n, p]\n"                                 \
    "environment: {start: " start                                                                            \
    ", transitions: identity, emissions: [[0.7, 0.3], [0.3, 0.7]], ends: stop}\n" AGENT
static const char diag[] = TEST("[0.5, 0.5]");
/* Waiting shows nothing of the state. */
static const char test[] =
    "asif: 1\nstates: [h, d]\nactions: [stop, look, wait]\nobservations: [n, p]\n"
    "environment: {start: [0.5, 0.5], transitions: identity, "
    "emissions: {look: [[0.7, 0.3], [0.3, 0.7]], any: [[0.9, 0.1], [0.9, 0.1]]}, ends: stop}\n" AGENT;
static const char classes[] = TEST("{by: risk, low: [0.9, 0.1], high: [0.5, 0.5]}");
static const char mdp[] =
    "asif: 1\nstates: [new, worn]\nactions: [keep, swap]\n"
    "environment: {start: new, transitions: {keep: [[0.5, 0.5], [0, 1]], swap: [[1, 0], [1, 0]]}}\n" AGENT;
static const char scores[] = "asif: 1\nstates: [s]\nactions: [0, 1]\nobservations: [a, b, c, d, e, f]\n"
                             "environment: {start: [1], emissions: uniform}\n" AGENT;
static const char named[] = "asif: 1\nstates: [s]\nactions: [skip, scan]\n"
                            "observations: [mild/no, none/no, mild/yes, none/yes]\n"
                            "environment: {start: [1], emissions: uniform}\n" AGENT;
static const char columns[] = "asif: 1\nstates: [s]\nactions: [skip, scan]\n"
                              "observations: {score: [none, mild], seen: [no, yes, both]}\n"
                              "environment: {start: [1], emissions: uniform}\n" AGENT;
static const char bins[] = "asif: 1\nstates: [s]\nactions: [0, 1]\nobservations: [none, mild, severe]\n"
                           "environment: {start: [1], emissions: uniform}\n" AGENT;

typedef struct {
    char text[6000];
    size_t used;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
    va_end(args);
    w->used += n > 0 ? (size_t)n : 0;
    if (w->used >= sizeof w->text)
        w->used = sizeof w->text - 1;
}

static void put_path(writer *w, const asif_tree *tree, const asif_tree_view *v, uint32_t node) {
    if (v->states_seen) {
        put(w, "%s", asif_tree_label(tree, ASIF_LABEL_OBSERVATION, node));
        return;
    }
    if (v->parent[node] == ASIF_ANY) {
        put(w, "%u", node);
        return;
    }
    put_path(w, tree, v, v->parent[node]);
    put(w, ">%s:%s", asif_tree_label(tree, ASIF_LABEL_ACTION, v->action[node]),
        v->observation[node] == ASIF_ANY
            ? "-"
            : asif_tree_label(tree, ASIF_LABEL_OBSERVATION, v->observation[node]));
}

/* The whole of a tree in words: `PATH ACTION*COUNT;` for every count, transitions, units with their
 * covariates. */
static void describe(const asif_tree *tree, writer *w) {
    asif_tree_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_tree_get(tree, &v, NULL), ASIF_OK);
    w->used = 0;
    w->text[0] = 0;
    for (uint32_t i = 0; i < v.nodes; i++)
        for (uint32_t u = 0; u < v.actions; u++) {
            double count = v.count[(uint64_t)i * v.actions + u];
            if (count == 0)
                continue;
            put_path(w, tree, &v, i);
            put(w, " %s*%g;", asif_tree_label(tree, ASIF_LABEL_ACTION, u), count);
        }
    for (uint64_t i = 0; i < v.transitions; i++)
        if (v.to[i] != ASIF_ANY)
            put(w, " %s>%s>%s*%g", asif_tree_label(tree, ASIF_LABEL_OBSERVATION, v.from[i]),
                asif_tree_label(tree, ASIF_LABEL_ACTION, v.did[i]),
                asif_tree_label(tree, ASIF_LABEL_OBSERVATION, v.to[i]), v.transition_count[i]);
    for (uint64_t k = 0; k < v.units; k++) {
        double sum = 0;
        for (uint64_t i = v.unit[k]; i < v.unit[k + 1]; i++)
            sum += v.entry_count[i];
        put(w, " {%s", asif_tree_unit_name(tree, k));
        for (uint32_t c = 0; c < v.covariates; c++)
            put(w, " %s", asif_tree_covariate(tree, k, c));
        put(w, " %g}", sum);
    }
}

typedef struct {
    asif_context *context;
    asif_study *study;
    asif_problems *problems;
    asif_tree *tree;
    asif_logs_info info;
    asif_error error;
} reading;

static asif_status read_with(reading *r, const asif_context_options *context, const char *study,
                             const char *logs, const char *table, size_t length, uint32_t units,
                             const char *const *covariates) {
    char text[2048];
    *r = (reading){.error = ASIF_ERROR_INIT};
    if (asif_context_create(&r->context, context, &r->error) != ASIF_OK ||
        asif_problems_create(&r->problems, r->context, 0, &r->error) != ASIF_OK)
        return r->error.status;
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    if (study) {
        snprintf(text, sizeof text, "%slogs: {%s}\n", study, logs);
        asif_status status =
            asif_study_read(&r->study, r->context, text, strlen(text), NULL, NULL, &r->error);
        if (status != ASIF_OK)
            return status;
        options.map = asif_study_logs(r->study);
        options.setting = asif_study_setting(r->study);
    }
    options.units = units == 2 ? ASIF_UNITS_EPISODES : units == 1 ? ASIF_UNITS_SUBJECTS : ASIF_UNITS_NONE;
    options.covariates = covariates;
    return asif_logs_read_text(&r->tree, r->context, table, length, "table.csv", &options, &r->info,
                               r->problems, &r->error);
}

static void end(reading *r) {
    asif_tree_free(r->tree);
    asif_study_free(r->study);
    asif_problems_free(r->problems);
    asif_context_free(r->context);
}

static void must_read(reading *r, const char *study, const char *logs, const char *table, uint32_t units) {
    CHECK(read_with(r, NULL, study, logs, table, strlen(table), units, NULL) == ASIF_OK,
          "row %d, line %u: %s (%s)\n%s", (int)r->error.row, r->error.line, r->error.message, r->error.hint,
          table);
}

#define H "episode,t,action,observation\n"
static const struct {
    const char *name, *study, *logs, *table;
    uint32_t units;
    const char *want;
    uint64_t rows, excluded, subjects, episodes, decisions, longest;
    bool sorted;
    const char *said; /* part of a note or warning; NULL: nothing is said */
} rows[] = {
    {"plain", diag, "", H "1,0,look,p\n1,1,look,n\n1,2,stop,\n2,0,look,p\n2,1,stop,p\n", 0,
     "0 look*2;0>look:p stop*1;0>look:p look*1;0>look:p>look:n stop*1;", 5, 0, 2, 2, 5, 3, true, NULL},
    {"no study: labels in natural order", NULL, "", H "1,0,b,10\n1,1,a,9\n1,2,a,x\n", 2,
     "0 b*1;0>b:10 a*1;0>b:10>a:9 a*1; {1 3}", 3, 0, 1, 1, 3, 3, true, NULL},
    {"not in order of time", diag, "", H "1,2,stop,\n1,0,look,p\n1,1,look,n\n", 0,
     "0 look*1;0>look:p look*1;0>look:p>look:n stop*1;", 3, 0, 1, 1, 3, 3, false,
     "rows of 1 episode are not in order"},
    {"episodes in pieces", diag, "", H "1,0,look,p\n2,0,look,n\n1,1,stop,\n2,1,stop,\n", 0,
     "0 look*2;0>look:n stop*1;0>look:p stop*1;", 4, 0, 2, 2, 4, 2, false, "row 3 goes back to `1`"},
    {"episodes in no order, but together", diag, "", H "b,0,look,p\nb,1,stop,\na,0,look,n\nc,0,stop,\n", 0,
     "0 stop*1;0 look*2;0>look:p stop*1;", 4, 0, 3, 3, 4, 2, true, "1 of 3 episodes does not end"},
    {"units in natural order", diag, "", H "10,0,look,p\n9,0,look,n\n9,1,stop,\nx,0,stop,\n", 2,
     "0 stop*1;0 look*2;0>look:n stop*1; {9 2} {10 1} {x 1}", 4, 0, 3, 3, 4, 2, false, "goes back"},
    {"subjects", diag, "",
     "subject,episode,action,observation\na,1,look,p\na,2,stop,\nb,1,look,n\nb,1,stop,\n", 1,
     "0 stop*1;0 look*2;0>look:n stop*1; {a 2} {b 2}", 4, 0, 2, 3, 4, 2, true,
     "1 of 3 episodes does not end"},
    {"subjects and their episodes", diag, "",
     "subject,episode,action,observation\na,1,look,p\na,2,stop,\nb,1,look,n\n", 2,
     "0 stop*1;0 look*2; {a/1 1} {a/2 1} {b/1 1}", 3, 0, 2, 3, 3, 1, true, "2 of 3 episodes do not end"},
    {"subjects in pieces", diag, "",
     "subject,episode,action,observation\nb,1,look,p\na,1,stop,\nb,2,look,n\nb,2,stop,\n", 1,
     "0 stop*1;0 look*2;0>look:n stop*1; {a 1} {b 3}", 4, 0, 2, 3, 4, 2, false, "goes back"},
    {"subjects in no order, episodes together", diag, "",
     "subject,episode,action,observation\nb,1,look,p\na,1,stop,\nb,2,look,n\nb,2,stop,\n", 0,
     "0 stop*1;0 look*2;0>look:n stop*1;", 4, 0, 2, 3, 4, 2, true, "1 of 3 episodes does not end"},
    {"an episode a subject", diag, "", "subject,action,observation\na,look,p\na,stop,\nb,look,n\n", 0,
     "0 look*2;0>look:p stop*1;", 3, 0, 2, 2, 3, 2, true, "1 of 2 episodes does not end"},
    {"one episode", diag, "", "action,observation\nlook,p\nlook,n\nstop,\n", 2,
     "0 look*1;0>look:p look*1;0>look:p>look:n stop*1; {all 3}", 3, 0, 1, 1, 3, 3, true,
     "the whole table is one episode"},
    {"observed before", diag, "observes: before, initial_observation: look",
     H "1,0,look,\n1,1,look,p\n1,2,stop,n\n", 0, "0 look*1;0>look:p look*1;0>look:p>look:n stop*1;", 3, 0, 1,
     1, 3, 3, true, NULL},
    {"observed before the first action", diag, "observes: before, initial_observation: look",
     H "1,0,look,p\n1,1,stop,n\n2,0,stop,NA\n", 0, "0 stop*1;0>look:p look*1;0>look:p>look:n stop*1;", 3, 0,
     2, 2, 3, 2, true, NULL},
    {"not seen", diag, "missing: not_seen", H "1,0,look,NA\n1,1,look,n\n1,2,stop,.\n", 0,
     "0 look*1;0>look:- look*1;0>look:->look:n stop*1;", 3, 0, 1, 1, 3, 3, true,
     "in 1 of 2 rows its result is missing"},
    {"seen, but not recorded", test, "missing: drop_episode",
     H "1,0,look,p\n1,1,look,\n1,2,stop,\n2,0,wait,\n2,1,look,p\n2,2,stop,\n3,0,look,p\n3,1,,n\n4,0,look,\n",
     0, "0 look*1;0 wait*1;0>wait:- look*1;0>wait:->look:p stop*1;", 9, 5, 2, 2, 4, 3, true,
     "5 rows were left out because their episode lacks a result or an action"},
    {"what shows nothing is not seen", test, "missing: not_seen", H "1,0,wait,\n1,1,look,p\n1,2,stop,\n", 0,
     "0 wait*1;0>wait:- look*1;0>wait:->look:p stop*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"what shows something", test, "missing: not_seen", H "1,0,wait,\n1,1,look,\n1,2,look,p\n1,3,stop,\n", 0,
     "0 wait*1;0>wait:- look*1;0>wait:->look:- look*1;0>wait:->look:->look:p stop*1;", 4, 0, 1, 1, 4, 4, true,
     "`look` shows something, but in 1 of 2 rows its result is missing"},
    {"observed before, by the action before", test,
     "observes: before, initial_observation: look, missing: not_seen",
     H "1,0,look,\n1,1,wait,\n1,2,look,\n1,3,stop,p\n", 0,
     "0 look*1;0>look:- wait*1;0>look:->wait:- look*1;0>look:->wait:->look:p stop*1;", 4, 0, 1, 1, 4, 4, true,
     "in 1 of 2 rows"},
    {"a first row is gone", test, "", H "1,1,look,p\n1,2,stop,\n2,2,stop,\n3,1,stop,\n4,3,stop,\n5,1,stop,\n",
     0, "0 stop*4;0 look*1;0>look:p stop*1;", 6, 0, 5, 5, 6, 2, true,
     "2 of 5 episodes begin later than the others, which begin at 1; the first of them begins at 2"},
    {"the first row of the first is gone", test, "", H "1,2,stop,\n2,1,stop,\n3,1,stop,\n", 0, "0 stop*3;", 3,
     0, 3, 3, 3, 1, true,
     "1 of 3 episodes begins later than the others, which begin at 1; the first of them begins at 2"},
    {"calendar times begin anywhere", test, "", H "1,2019,stop,\n2,2020,stop,\n3,2021,stop,\n", 0,
     "0 stop*3;", 3, 0, 3, 3, 3, 1, true, NULL},
    {"endings are gone", test, "", H "1,0,look,p\n1,1,look,p\n2,0,look,p\n", 0, "0 look*2;0>look:p look*1;",
     3, 0, 2, 2, 3, 2, true, "2 of 2 episodes do not end with an action that ends an episode (`stop`)"},
    {"rows left out", diag, "missing: drop_row",
     H "1,0,look,p\n1,1,look,\n1,2,stop,\n2,0,,p\n,1,look,p\n2,1,stop,p\n", 0,
     "0 stop*1;0 look*1;0>look:p stop*1;", 6, 3, 2, 2, 3, 2, true,
     "3 rows were left out because a cell is missing"},
    {"a gap", diag, "", H "1,0,look,p\n1,1,look,p\n1,4,stop,\n2,7,stop,\n", 0,
     "0 stop*1;0 look*1;0>look:p look*1;0>look:p>look:p stop*1;", 4, 0, 2, 2, 4, 3, true,
     "time leaps over steps in 1 place; the first is from 1 to 4 in row 3"},
    {"steps of six are no gaps", diag, "", H "1,0,look,p\n1,6,look,p\n1,12,stop,\n", 0,
     "0 look*1;0>look:p look*1;0>look:p>look:p stop*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"but one of twelve among them is", diag, "", H "1,0,look,p\n1,12,look,p\n1,18,stop,\n", 0,
     "0 look*1;0>look:p look*1;0>look:p>look:p stop*1;", 3, 0, 1, 1, 3, 3, true,
     "in 1 place; the first is from 0 to 12 in row 2"},
    {"cut at a gap", diag, "gaps: cut", H "1,0,look,p\n1,1,look,p\n1,4,look,n\n1,5,stop,\n2,7,stop,\n", 0,
     "0 stop*1;0 look*1;0>look:p look*1;", 5, 2, 2, 2, 3, 2, true,
     "2 rows were left out because they come after a gap"},
    {"dates", diag, "",
     H "1,2019-12-31,look,p\n1,2020-01-01T08:30:00.5Z,look,n\n1,2020-01-01 08:30:00.25Z,look,p\n", 0,
     "0 look*1;0>look:p look*1;0>look:p>look:p look*1;", 3, 0, 1, 1, 3, 3, false, "not in order of time"},
    {"time zones", diag, "", H "1,2020-03-01T00:30+02:00,look,p\n1,2020-02-29T23:00:00Z,stop,\n", 0,
     "0 look*1;0>look:p stop*1;", 2, 0, 1, 1, 2, 2, true, NULL},
    {"text times", diag, "", H "1,visit 2,look,p\n1,visit 10,stop,\n", 0, "0 look*1;0>look:p stop*1;", 2, 0,
     1, 1, 2, 2, true, NULL},
    {"dates as texts", diag, "", H "1,3/14/2019,look,p\n1,12/1/2019,stop,\n", 0, "0 look*1;0>look:p stop*1;",
     2, 0, 1, 1, 2, 2, true, "look like dates"},
    {"weights", diag, "weight: w", "episode,action,observation,w\n1,look,p,2\n1,stop,,2\n2,look,p,0.5\n", 0,
     "0 look*2.5;0>look:p stop*2;", 3, 0, 2, 2, 3, 2, true, "1 of 2 episodes does not end"},
    {"start classes", classes, "",
     "episode,action,observation,risk\n1,look,p,high\n1,stop,,high\n2,look,p,low\n", 0,
     "0 look*1;1 look*1;1>look:p stop*1;", 3, 0, 2, 2, 3, 2, true, "1 of 2 episodes does not end"},
    {"states", mdp, "",
     "episode,t,action,state\n1,0,keep,new\n1,1,keep,worn\n1,2,swap,worn\n1,3,keep,new\n2,0,keep,new\n", 0,
     "new keep*3;worn keep*1;worn swap*1; new>keep>worn*1 worn>keep>worn*1 worn>swap>new*1", 5, 0, 2, 2, 5, 4,
     true, NULL},
    {"a state left out", mdp, "missing: drop_row",
     "episode,t,action,state\n1,0,keep,new\n1,1,keep,\n1,2,swap,worn\n1,3,keep,new\n", 0,
     "new keep*2;worn swap*1; worn>swap>new*1", 4, 1, 1, 1, 3, 3, true, "1 row was left out"},
    {"a transition that no world allows", mdp, "", "episode,t,action,state\n1,0,keep,worn\n1,1,keep,new\n", 0,
     "new keep*1;worn keep*1; worn>keep>new*1", 2, 0, 1, 1, 2, 2, true, "the first leads to row 2"},
    {"states, no study", NULL, "", "episode,t,action,state\n1,0,0,3\n1,1,1,12\n1,2,0,3\n", 0,
     "3 0*2;12 1*1; 3>0>12*1 12>1>3*1", 3, 0, 1, 1, 3, 3, true, NULL},
    {"labels", named, "action: {column: mri, labels: {0: skip, 1: scan}}, observation: [score, seen]",
     "episode,mri,score,seen\n1,0,none,no\n1,1,mild,yes\n1,1,none,no\n", 0,
     "0 skip*1;0>skip:none/no scan*1;0>skip:none/no>scan:mild/yes scan*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"cuts with names, crossed by name", named,
     "action: {column: mri, labels: {0: skip, 1: scan}}, "
     "observation: [{column: score, cut: 0.5, labels: [none, mild]}, {column: seen, labels: {F: no, T: "
     "yes}}]",
     "episode,mri,score,seen\n1,0,0.4999,F\n1,1,0.5,T\n1,1,7,T\n", 0,
     "0 skip*1;0>skip:none/no scan*1;0>skip:none/no>scan:mild/yes scan*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"columns by the study's names, in any order", columns,
     "observation: {seen: {column: s, labels: {F: no, T: yes, FT: both}}, score: {column: x, cut: 0.5}}",
     "episode,action,s,x\n1,skip,F,0.4\n1,scan,FT,0.6\n1,scan,T,7\n", 0,
     "0 skip*1;0>skip:none/no scan*1;0>skip:none/no>scan:mild/both scan*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"rows off the grid, and visits by their codes", diag,
     "time: {column: [m, visit], step: 6, off_grid: leave_out}, action: act, observation: seen",
     "episode,visit,m,act,seen\n1,m12,,stop,\n1,bl,0,look,p\n1,m03,3,look,n\n"
     "1,M06,NA,look,n\n1,uns1,,look,n\n",
     0, "0 look*1;0>look:p look*1;0>look:p>look:n stop*1;", 5, 2, 1, 1, 3, 3, false,
     "2 rows were left out because their time is not a multiple of 6 (off_grid: leave_out): rows 3, 5"},
    {"required columns, then gaps", diag, "require: [a, b], gaps: cut, time: {column: t, step: 6}",
     "episode,t,action,observation,a,b\n1,0,look,p,1,1\n1,6,look,p,1,\n1,12,look,p,1,1\n2,0,look,p,,1\n"
     "2,6,stop,,1,2\n",
     0, "0 stop*1;0 look*1;", 5, 3, 2, 2, 2, 1, true, "1 row was left out because `b` is missing (require)"},
    {"required columns, in their order", diag, "require: [a, b]",
     "episode,t,action,observation,a,b\n1,0,look,p,,\n2,0,stop,,1,2\n", 0, "0 stop*1;", 2, 1, 1, 1, 1, 1,
     true, "1 row was left out because `a` is missing (require): row 1"},
    {"episodes without their beginning", diag, "begin: 1",
     H "1,0,look,n\n1,1,look,p\n1,2,stop,\n2,2,look,p\n2,3,stop,\n", 0, "0 look*1;0>look:p stop*1;", 5, 3, 1,
     1, 2, 2, true,
     "3 rows were left out because they are before the time 1, or their episode lacks it (begin): "
     "rows 1, 4, 5"},
    {"a step of time, and a gap", diag, "time: {column: t, step: 0.5}",
     H "1,0,look,p\n1,0.5,look,p\n1,1.5,stop,\n", 0, "0 look*1;0>look:p look*1;0>look:p>look:p stop*1;", 3, 0,
     1, 1, 3, 3, true, "time leaps over steps in 1 place; the first is from 0.5 to 1.5 in row 3"},
    {"all steps are two", diag, "time: {column: t, step: 6}", H "1,0,look,p\n1,12,stop,\n", 0,
     "0 look*1;0>look:p stop*1;", 2, 0, 1, 1, 2, 2, true, "the first is from 0 to 12 in row 2"},
    {"an action that shows in a cell", columns,
     "action: {column: x, present: scan, missing: skip}, "
     "observation: {score: {column: x, cut: 0.5, labels: [none, mild], missing: none}, "
     "seen: {column: s, missing: both}}",
     "episode,x,s\n1,0.7,no\n1,,yes\n1,0.5,\n1,NA,no\n", 0,
     "0 scan*1;0>scan:mild/no skip*1;0>scan:mild/no>skip:none/yes scan*1;"
     "0>scan:mild/no>skip:none/yes>scan:mild/both skip*1;",
     4, 0, 1, 1, 4, 4, true, NULL},
    {"values that stand for missing cells", columns,
     "missing_values: [-4, unknown], action: {column: x, present: scan, missing: skip}, "
     "observation: {score: {column: x, cut: 0.5, missing: none, labels: [none, mild]}, seen: s}, require: s",
     "episode,x,s\n1,-4.0,no\n1,-4,yes\n1,0.5,unknown\n1,1,no\n", 0,
     "0 skip*1;0>skip:none/no skip*1;0>skip:none/no>skip:none/yes scan*1;", 4, 1, 1, 1, 3, 3, true,
     "1 row was left out because `s` is missing (require): row 3"},
    {"cuts at the mean and standard deviation", bins, "observation: {column: score, cut: mean +- 0.5 sd}",
     "episode,action,score\n1,0,0\n1,0,4\n1,0,8\n1,1,NA\n", 0,
     "0 0*1;0>0:none 0*1;0>0:none>0:mild 0*1;0>0:none>0:mild>0:severe 1*1;", 4, 0, 1, 1, 4, 4, true,
     "`score` is cut at 2 and 6: its mean in 3 rows is 4, its standard deviation 4"},
    {"columns of the study as a list", columns, "observation: [{column: x, cut: 0.5}, s]",
     "episode,action,s,x\n1,skip,no,0.4\n1,scan,both,0.6\n1,scan,yes,7\n", 0,
     "0 skip*1;0>skip:none/no scan*1;0>skip:none/no>scan:mild/both scan*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"columns of the study that one column has", columns, "",
     "episode,action,observation\n1,skip,none/no\n1,scan,mild/both\n1,scan,\n", 0,
     "0 skip*1;0>skip:none/no scan*1;0>skip:none/no>scan:mild/both scan*1;", 3, 0, 1, 1, 3, 3, true, NULL},
    {"cuts: a value at a cut is above it", bins, "observation: {column: score, cut: [0.5, 4.5]}",
     "episode,action,score\n1,0,0\n1,0,0.5\n1,0,4\n1,0,4.5\n1,0,18\n1,1,NA\n", 0,
     "0 0*1;0>0:none 0*1;0>0:none>0:mild 0*1;0>0:none>0:mild>0:mild 0*1;0>0:none>0:mild>0:mild>0:severe 0*1;"
     "0>0:none>0:mild>0:mild>0:severe>0:severe 1*1;",
     6, 0, 1, 1, 6, 6, true, NULL},
    {"crossed in order", scores, "observation: [{column: x, cut: [1, 2]}, {column: y, cut: [0]}]",
     "episode,action,x,y\n1,0,0.5,-1\n1,0,1.5,-1\n1,0,2.5,1\n1,1,,\n", 0,
     "0 0*1;0>0:a 0*1;0>0:a>0:c 0*1;0>0:a>0:c>0:f 1*1;", 4, 0, 1, 1, 4, 4, true,
     "crossed in order: `0/0` is `a`, and so on to `2/1`, which is `f`"},
    {"cells as the study says", bins,
     "observation: {column: score, cut: [0.5, 4.5]}, decimal: \",\", action: a, missing: not_seen, "
     "columns: {a: {recode: {No: 0, no: 0, 9: 1}}, score: {recode: {<1: 0, \"much\": \"18\"}, "
     "missing_values: [lost, 99], range: [0, 20], outside: missing}}",
     "episode;a;score\n1;No;<1\n1;no;4,25\n1;0;much\n1;0;99,0\n1;0;-3\n1;0;lost\n1;9.0;\n", 0,
     "0 0*1;0>0:none 0*1;0>0:none>0:mild 0*1;0>0:none>0:mild>0:severe 0*1;"
     "0>0:none>0:mild>0:severe>0:- 0*1;0>0:none>0:mild>0:severe>0:->0:- 0*1;"
     "0>0:none>0:mild>0:severe>0:->0:->0:- 1*1;",
     7, 0, 1, 1, 7, 7, true, "1 cell of `score` outside 0 to 20 counts as missing (outside: missing)"},
    {"dates in a form of their own", diag, "columns: {t: {date: \"%d.%m.%y %H:%M\"}, note: {recode: {a: b}}}",
     H "1,2.1.20 8:30,stop,\n1,31.12.19 23:59,look,p\n1,02.01.20 08:05,look,n\n", 0,
     "0 look*1;0>look:p look*1;0>look:p>look:n stop*1;", 3, 0, 1, 1, 3, 3, false,
     "the study says how to read the column `note`, which the table does not have"},
    {"blanks, quotes, marks", diag, "",
     "\xEF\xBB\xBF\"episode\", t ,\"action\",observation,\"note\"\r\n1,0,\"look\", p ,\"a, \"\"b\"\"\"\r\n"
     "1,1, stop,\"\",\"two\r\nlines\"\r\n",
     0, "0 look*1;0>look:p stop*1;", 2, 0, 1, 1, 2, 2, true, NULL},
};

static void test_rules(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reading r;
        writer w;
        must_read(&r, rows[i].study, rows[i].logs, rows[i].table, rows[i].units);
        describe(r.tree, &w);
        bool same = strcmp(w.text, rows[i].want) == 0;
        if (!same)
            print_error("%s:\n    %s\nnot %s\n", rows[i].name, w.text, rows[i].want);
        const asif_logs_info *f = &r.info;
        bool counted = f->rows == rows[i].rows && f->excluded == rows[i].excluded &&
                       f->subjects == rows[i].subjects && f->episodes == rows[i].episodes &&
                       f->decisions == rows[i].decisions && f->longest == rows[i].longest &&
                       f->sorted == rows[i].sorted;
        if (!counted)
            print_error(
                "%s: rows %d, excluded %d, subjects %d, episodes %d, decisions %d, longest %d, sorted %d\n",
                rows[i].name, (int)f->rows, (int)f->excluded, (int)f->subjects, (int)f->episodes,
                (int)f->decisions, (int)f->longest, (int)f->sorted);
        bool said = !rows[i].said && asif_problems_count(r.problems) == 0;
        for (uint32_t k = 0; k < asif_problems_count(r.problems); k++)
            said = said ||
                   (rows[i].said && strstr(asif_problems_get(r.problems, k, NULL)->message, rows[i].said));
        if (!said)
            print_error("%s: said `%s`\n", rows[i].name,
                        asif_problems_count(r.problems) ? asif_problems_get(r.problems, 0, NULL)->message
                                                        : "");
        wrong += !same || !counted || !said;
        end(&r);
    }
    CHECK(wrong == 0, "%u tables are not read as they should be", wrong);
}

/* A larger table in several dresses. */
enum { EPISODES = 60, LONGEST = 5 };
typedef struct {
    uint32_t episode, t;
    const char *action, *observation;
} line;

static uint32_t make_lines(line *lines) {
    uint64_t seed = 5;
    uint32_t n = 0;
    for (uint32_t e = 1; e <= EPISODES; e++) {
        uint32_t steps = 1 + (uint32_t)(seed >> 33) % LONGEST;
        for (uint32_t t = 0; t < steps; t++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            lines[n++] = (line){e, t, t + 1 == steps ? "stop" : "look", seed >> 63 ? "p" : "n"};
        }
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    }
    return n;
}

static char *write_lines(const line *lines, uint32_t n, const char *head, const char *format) {
    char *text = malloc(64 + 64 * (size_t)n), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", head);
    for (uint32_t i = 0; i < n; i++)
        at += sprintf(at, format, lines[i].episode, lines[i].t, lines[i].action, lines[i].observation);
    return text;
}

static void test_dresses(void **state) {
    (void)state;
    static const struct {
        const char *head, *format;
    } dress[] = {
        {H, "%u,%u,%s,%s\n"},
        {"episode,t,action,observation\r\n", "%u,%u,%s,%s\r\n"},
        {"episode\tt\taction\tobservation\r", "%u\t%u\t%s\t%s\r"},
        {"\xEF\xBB\xBF\"episode\";\"t\";\"action\";\"observation\"\n", "\"%u\";\"%u\";\"%s\";\"%s\"\n"},
        {H, "%u , %u.0,\t%s,%s \n"},
    };
    line lines[EPISODES * LONGEST], mixed[EPISODES * LONGEST];
    uint32_t n = make_lines(lines);
    writer want, got;
    reading r;
    char *text = write_lines(lines, n, dress[0].head, dress[0].format);
    must_read(&r, diag, "", text, 2);
    describe(r.tree, &want);
    assert_true(r.info.sorted && r.info.rows == n && r.info.episodes == EPISODES);
    end(&r);
    free(text);
    uint64_t seed = 9;
    memcpy(mixed, lines, sizeof lines);
    for (uint32_t shuffled = 0; shuffled < 4; shuffled++) {
        for (uint32_t i = n - 1; shuffled && i > 0; i--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint32_t k = (uint32_t)((seed >> 33) % (i + 1));
            line swap = mixed[i];
            mixed[i] = mixed[k];
            mixed[k] = swap;
        }
        for (size_t i = 0; i < sizeof dress / sizeof *dress; i++) {
            text = write_lines(mixed, n, dress[i].head, dress[i].format);
            must_read(&r, diag, "", text, 2);
            describe(r.tree, &got);
            assert_string_equal(got.text, want.text);
            assert_true(r.info.sorted == !shuffled);
            end(&r);
            free(text);
        }
    }
}

/* The oracle's logs: decisions and nodes are those it counted. */
static void test_oracle(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t steps, nodes;
    } sets[] = {{"optimistic", 4459, 179}, {"neutral", 5688, 566}, {"non_adaptive", 4519, 210}};
    const char *folder = getenv("ASIF_ORACLE");
    asif_context *context = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    for (size_t i = 0; i < 3; i++) {
        char path[1024];
        asif_tree *tree = NULL;
        asif_logs_info info;
        asif_error error = ASIF_ERROR_INIT;
        snprintf(path, sizeof path, "%s/logs_%s.csv", folder ? folder : "", sets[i].name);
        FILE *there = folder ? fopen(path, "r") : NULL;
        if (!there) {
            asif_context_free(context);
            skip();
        }
        fclose(there);
        CHECK(asif_logs_read(&tree, context, path, NULL, &info, NULL, &error) == ASIF_OK, "%s",
              error.message);
        assert_int_equal(info.decisions, sets[i].steps);
        assert_int_equal(info.nodes, sets[i].nodes);
        assert_int_equal(info.episodes, 1000);
        asif_tree_free(tree);
    }
    asif_context_free(context);
}

static void test_covariates(void **state) {
    (void)state;
    static const char *const covariates[] = {"site", "age", NULL}, *const missing[] = {"sex", NULL};
    static const char table[] =
        "subject,episode,action,observation,site,age\nb,1,look,p,north,\nb,1,stop,,north,61\n"
        "a,1,stop,,south,NA\n";
    reading r;
    writer w;
    assert_int_equal(read_with(&r, NULL, diag, "", table, strlen(table), 1, covariates), ASIF_OK);
    describe(r.tree, &w);
    assert_string_equal(w.text, "0 stop*1;0 look*1;0>look:p stop*1; {a south  1} {b north 61 2}");
    end(&r);
    static const char changes[] = "subject,action,observation,site,age\nb,look,p,north,1\nb,stop,,south,1\n";
    assert_int_equal(read_with(&r, NULL, diag, "", changes, strlen(changes), 1, covariates), ASIF_EPARSE);
    assert_true(r.error.row == 2 && r.error.line == 3 && r.error.column == 4);
    assert_non_null(strstr(r.error.message, "`site` changes from `north` to `south`"));
    end(&r);
    assert_int_equal(read_with(&r, NULL, diag, "", table, strlen(table), 1, missing), ASIF_EUNKNOWN);
    assert_non_null(strstr(r.error.message, "there is no column `sex`"));
    end(&r);
    assert_int_equal(read_with(&r, NULL, diag, "", table, strlen(table), 0, covariates), ASIF_EINVALID);
    end(&r);
}

/* Problems are listed in the order of the rows, all are counted, and the first is returned. */
static void test_many_problems(void **state) {
    (void)state;
    char *text = malloc(1 << 20), *at = text;
    assert_non_null(text);
    at += sprintf(at, H "1,1,look,p\n1,0,look,p\n1,1,look,p\n");
    for (int i = 0; i < 20000; i++)
        at += sprintf(at, "%d,0,oops%d,p\n", i + 2, i);
    reading r;
    assert_int_equal(read_with(&r, NULL, diag, "", text, strlen(text), 0, NULL), ASIF_EINVALID);
    assert_int_equal(r.error.row, 3);
    assert_int_equal(asif_problems_found(r.problems, ASIF_PROBLEM_ERROR), 20001);
    assert_int_equal(asif_problems_count(r.problems), 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(asif_problems_get(r.problems, i, NULL)->row, 3 + i);
    assert_int_equal(r.info.rows, 20003);
    end(&r);
    free(text);
}

static void test_map(void **state) {
    (void)state;
    asif_context *context = NULL;
    asif_log_map *map = NULL, *copy = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_log_map_create(&map, context, &error), ASIF_OK);
    assert_int_equal(asif_log_map_set(map, "acton", "x", &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.hint, "did you mean `action`?"));
    assert_int_equal(asif_log_map_set(map, "covariate", "x", &error), ASIF_EUNKNOWN);
    assert_non_null(strstr(error.hint, "the roles are"));
    assert_int_equal(asif_log_map_set(map, "action", "", &error), ASIF_EUNKNOWN);
    assert_int_equal(asif_log_map_set(map, "observation", "a,,b", &error), ASIF_EUNKNOWN);
    assert_int_equal(asif_log_map_set(map, "observation", "a,b", &error), ASIF_OK);
    assert_int_equal(asif_log_map_set(map, "action", "did, really", &error), ASIF_OK);
    assert_int_equal(asif_log_map_copy(&copy, map, &error), ASIF_OK);
    asif_log_map_free(map);
    static const char table[] = "episode,\"did, really\",a,b\n1,u,x,1\n1,v,y,2\n";
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    options.map = copy;
    asif_tree *tree = NULL;
    writer w;
    CHECK(asif_logs_read_text(&tree, context, table, strlen(table), NULL, &options, NULL, NULL, &error) ==
              ASIF_OK,
          "%s", error.message);
    describe(tree, &w);
    assert_string_equal(w.text, "0 u*1;0>u:x/1 v*1;");
    asif_tree_free(tree);
    asif_log_map_free(copy);
    asif_context_free(context);
    /* another column for a role of the study keeps its labels */
    reading r;
    static const char other[] = "episode,scan,score,seen\n1,0,none,no\n1,1,none,no\n";
    assert_int_equal(
        read_with(&r, NULL, named,
                  "action: {column: mri, labels: {0: skip, 1: scan}}, observation: [score, seen]", other,
                  strlen(other), 0, NULL),
        ASIF_EUNKNOWN);
    options.setting = asif_study_setting(r.study);
    assert_int_equal(asif_log_map_copy(&copy, asif_study_logs(r.study), NULL), ASIF_OK);
    assert_int_equal(asif_log_map_set(copy, "action", "scan", NULL), ASIF_OK);
    options.map = copy;
    assert_int_equal(
        asif_logs_read_text(&tree, r.context, other, strlen(other), NULL, &options, NULL, NULL, NULL),
        ASIF_OK);
    describe(tree, &w);
    assert_string_equal(w.text, "0 skip*1;0>skip:none/no scan*1;");
    asif_tree_free(tree);
    asif_log_map_free(copy);
    end(&r);
}

/* Without memory nothing breaks and nothing is lost. */
static void test_no_memory(void **state) {
    (void)state;
    static const char *const covariates[] = {"w", NULL};
    static const char table[] = "subject,episode,t,action,observation,w\nb,1,x,look,p,1\na,1,y,look,n,2\nb,1,"
                                "y,stop,,1\na,2,y,stop,,1\n";
    for (uint32_t units = 1; units < 3; units++) {
        asif_status status = ASIF_ENOMEM;
        for (long left = 0; status != ASIF_OK; left++) {
            failing_memory memory = {.left = left};
            asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
            options.reallocate = failing_reallocate;
            options.user = &memory;
            reading r;
            status = read_with(&r, &options, diag, "weight: w, initial_observation: look", table,
                               strlen(table), units, units == 2 ? covariates : NULL);
            CHECK(status == ASIF_OK || status == ASIF_ENOMEM, "%ld: %s", left, r.error.message);
            assert_true((status == ASIF_OK) == (r.tree != NULL));
            end(&r);
            assert_int_equal(memory.alive, 0);
            assert_true(left < 5000);
        }
    }
}

static bool stop_at_once(void *user, const char *what, double done) {
    (void)user;
    (void)what;
    (void)done;
    return true;
}

static void test_cancelled(void **state) {
    (void)state;
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.progress = stop_at_once;
    reading r;
    assert_int_equal(read_with(&r, &options, NULL, "", H "1,0,a,b\n", strlen(H "1,0,a,b\n"), 0, NULL),
                     ASIF_ECANCELLED);
    assert_null(r.tree);
    end(&r);
    asif_context *context = NULL;
    asif_tree *tree = NULL;
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_logs_read(&tree, context, "no-such-file.csv", NULL, NULL, NULL, &error),
                     ASIF_ENOFILE);
    assert_string_equal(error.file, "no-such-file.csv");
    asif_context_free(context);
}

/* What was seen after last decisions: `PATH ACTION>OBSERVATION*COUNT;` for every end. */
static void test_ends(void **state) {
    (void)state;
    static const struct {
        const char *name, *study, *logs, *table, *want;
    } tables[] = {
        {"seen after the last decision", diag, "", H "1,0,look,p\n1,1,look,n\n2,0,look,p\n3,0,look,p\n",
         "0 look>p*2;0>look:p look>n*1;"},
        {"after an ending action there is none", diag, "", H "1,0,look,p\n1,1,stop,n\n2,0,stop,p\n", ""},
        {"without a study no action is known to end", NULL, "", H "1,0,look,p\n1,1,stop,n\n",
         "0>look:p stop>n*1;"},
        {"nothing was recorded", diag, "", H "1,0,look,p\n1,1,look,\n", ""},
        {"nothing was seen", diag, "missing: not_seen", H "1,0,look,NA\n1,1,look,\n2,0,look,NA\n", ""},
        {"what is observed before has none", diag, "observes: before, initial_observation: look",
         H "1,0,look,p\n1,1,look,n\n", ""},
        {"at a gap", diag, "gaps: cut", H "1,0,look,p\n1,1,look,n\n1,4,look,p\n", "0>look:p look>n*1;"},
        {"the last row was left out", diag, "missing: drop_row", H "1,0,look,p\n1,1,,n\n", "0 look>p*1;"},
        {"weights", diag, "weight: w", "episode,action,observation,w\n1,look,p,2\n1,look,n,0\n2,look,p,0.5\n",
         "0 look>p*2.5;"},
        {"start classes", classes, "", "episode,action,observation,risk\n1,look,p,high\n2,look,n,low\n",
         "0 look>n*1;1 look>p*1;"},
        {"states", mdp, "", "episode,t,action,state\n1,0,keep,new\n1,1,keep,worn\n", ""},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        reading r;
        writer w = {.used = 0};
        must_read(&r, tables[i].study, tables[i].logs, tables[i].table, 0);
        asif_tree_view v = {.struct_size = sizeof v};
        assert_int_equal(asif_tree_get(r.tree, &v, NULL), ASIF_OK);
        for (uint64_t k = 0; k < v.ends; k++) {
            put_path(&w, r.tree, &v, v.end_node[k]);
            put(&w, " %s>%s*%g;", asif_tree_label(r.tree, ASIF_LABEL_ACTION, v.end_action[k]),
                asif_tree_label(r.tree, ASIF_LABEL_OBSERVATION, v.end_observation[k]), v.end_count[k]);
        }
        CHECK(strcmp(w.text, tables[i].want) == 0, "%s: %s", tables[i].name, w.text);
        end(&r);
    }
}

/* Labels of the state are counted where they were given, and the last of an episode at its end. */
static void test_state_labels(void **state) {
    (void)state;
    reading r;
    must_read(&r, diag, "label: {column: dx, labels: {H: h, D: d}}",
              "episode,t,action,observation,dx\n1,0,look,p,H\n1,1,look,n,H to D\n2,0,look,p,D\n2,1,stop,,\n"
              "3,0,look,p,\n3,1,look,n,D\n4,0,look,n,NA\n",
              0);
    asif_tree_view v = {.struct_size = sizeof v};
    assert_int_equal(asif_tree_get(r.tree, &v, NULL), ASIF_OK);
    assert_int_equal(v.states_labelled, 2);
    assert_int_equal(v.nodes, 2);
    static const double node[] = {0, 0, 1, 1}, end_label[] = {0, 0, 0, 2};
    assert_int_equal(v.ends, 2); /* (root, look, n), then (look:p, look, n) */
    for (int i = 0; i < 4; i++) {
        CHECK(v.node_label[i] == node[i], "node label %d: %g", i, v.node_label[i]);
        CHECK(v.end_label[i] == end_label[i], "end label %d: %g", i, v.end_label[i]);
    }
    asif_tree *chosen = NULL;
    assert_int_equal(asif_tree_select(&chosen, r.tree, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_tree_get(chosen, &v, NULL), ASIF_OK);
    assert_int_equal(v.states_labelled, 0);
    asif_tree_free(chosen);
    end(&r);
}

/* Groups by condition are covariates; who has no value is no member, and who has one in some rows has it. */
static void test_groups(void **state) {
    (void)state;
    static const char *const asked[] = {"old", "female", "other", NULL};
    static const char table[] = "episode,t,action,observation,age,sex\n1,0,look,p,75,F\n1,1,stop,,75,F\n"
                                "2,0,look,p,75.5,M\n2,1,stop,,,M\n3,0,stop,,NA,\n";
    reading r;
    writer w;
    assert_int_equal(read_with(&r, NULL, diag, "groups: {old: age > 75, female: sex = F, other: sex != F}",
                               table, sizeof table - 1, 2, asked),
                     ASIF_OK);
    describe(r.tree, &w);
    assert_non_null(strstr(w.text, "{1 no yes no 2} {2 yes no yes 2} {3 no no no 1}"));
    end(&r);
    /* a group that changes within an episode, one that needs a number, and one whose column is not there */
    static const struct {
        const char *table, *message;
    } wrong[] = {
        {"episode,t,action,observation,age,sex\n1,0,look,p,75,F\n1,1,stop,,76,F\n",
         "`old` changes from `no` to `yes`"},
        {"episode,t,action,observation,age,sex\n1,0,stop,,many,F\n",
         "the group `old` needs a number, not `many`"},
        {"episode,t,action,observation,sex\n1,0,stop,,F\n", "there is no column `age`"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(read_with(&r, NULL, diag, "groups: {old: age > 75, female: sex = F, other: sex != F}",
                        wrong[i].table, strlen(wrong[i].table), 2, asked) != ASIF_OK,
              "%s", wrong[i].message);
        CHECK(strstr(r.error.message, wrong[i].message), "%s, not %s", r.error.message, wrong[i].message);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),          cmocka_unit_test(test_rules),
        cmocka_unit_test(test_state_labels),  cmocka_unit_test(test_groups),
        cmocka_unit_test(test_dresses),       cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_covariates),    cmocka_unit_test(test_map),
        cmocka_unit_test(test_many_problems), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
