/* The inside of predictive checks: what is counted, how it is replicated, how it is judged. */
#ifndef ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H
#define ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H

#include "asif/predictive_checks.h"
#include "base/data/json.h"
#include "base/random.h"

#define ASIF_CHECK_KINDS 8
#define ASIF_CHECK_LENGTHS_KEPT 64 /* lengths of episodes that are told apart while simulating */
#define ASIF_CHECK_CUT 0.01 /* share of unknown ends above which nothing is concluded from what is known */
#define ASIF_CHECK_MOST_COUNTS 20000000u /* numbers that replicates may take */
/* Tells of small counts: a page that withholds those finds it by these words. */

/* A family while it is made: groups and cells are owned. */
typedef struct {
    asif_check_family view;
    asif_check_group *group;
    asif_check_cell *cell;
    double *stands_out; /* [subjects]: p-values of each, ascending; NULL: not of subjects */
} asif_check_made;

struct asif_predictive_checks {
    const asif_context *context;
    const asif_setting *setting;
    const asif_tree *tree;
    asif_predictive_checks_view view;
    asif_check_made made[ASIF_CHECK_KINDS];
    asif_check_family family[ASIF_CHECK_KINDS]; /* what `made` shows */
    asif_check_miss *miss;
};

/* The next family, without groups. */
asif_check_made *asif_check_add(asif_predictive_checks *checks, asif_check_kind kind);
/* Room for groups, all with nothing that applies; each is to have `cells` cells. */
asif_status asif_check_groups(asif_predictive_checks *checks, asif_check_made *family, uint32_t groups,
                              uint32_t cells, asif_error *error);

/* Whether any family was judged. */
bool asif_predictive_checks_judged(const asif_predictive_checks *checks);

/* ---- what is being checked ---- */

typedef struct {
    asif_predictive_checks *checks;
    const asif_fitted *fitted;
    asif_predictive_checks_options options;
    const asif_tree_view *tree;
    const asif_setting_spec *spec;
    double *decisions;     /* [nodes] */
    double *followed;      /* [nodes][actions]: decisions at the nodes below */
    double *followed_seen; /* [nodes][actions]: those where something was seen on the way */
    double *unseen; /* [actions]: share of decisions, among those that others followed, after which nothing
                       was seen */
    bool whole;     /* counts are whole numbers: there are replicates */
    bool begun;     /* something was seen before the first action */
    uint32_t points;
    double *x; /* [points][dimension] */
    uint32_t times, simulated;
    double *lengths; /* [simulated][ASIF_CHECK_LENGTHS_KEPT + 2], see predictive_checks_lengths.c */
} asif_checking;

/* ---- predictive_checks_draw.c: counts at random ---- */

/* Successes of n trials, exact for n < 2^52; takes numbers of the stream from *counter on. */
double asif_check_binomial(const asif_stream *stream, uint32_t *counter, double n, double p);
/* How n fall on `sorts` with probabilities p, which sum to 1. */
void asif_check_multinomial(const asif_stream *stream, uint32_t *counter, double n, const double *p,
                            uint32_t sorts, double *drawn);

/* ---- predictive_checks_judge.c: observed against replicates ---- */

typedef struct {
    const asif_context *context;
    uint32_t points, times; /* replicates of each point */
    uint64_t cells, groups;
    double *observed, *expected, *variance; /* [points][cells] */
    double *size;                           /* [points][groups] */
    double *replicate;                      /* [points * times][cells] */
} asif_check_table;

/* `times` is lowered where the replicates would take too much. */
asif_status asif_check_table_create(asif_check_table *out, const asif_context *context, uint32_t points,
                                    uint32_t times, uint64_t cells, uint64_t groups, asif_error *error);
void asif_check_table_free(asif_check_table *table);
/* Numbers and p-values of a family whose groups and cells begin there in the table. Differences are
 * standardised by sqrt(variance + slack). */
asif_status asif_check_judge(asif_check_made *family, const asif_check_table *table, uint64_t first_group,
                             uint64_t first_cell, double slack, asif_error *error);
/* Cells that are missed, of all families, worst first. */
asif_status asif_check_find_misses(asif_predictive_checks *checks, asif_error *error);

/* ---- predictive_checks_groups.c: which decisions belong together ---- */

typedef struct {
    asif_check_made *family;
    uint32_t *of; /* [nodes]: group, ASIF_ANY: none. NULL: by belief, which depends on the draw */
    uint64_t first_group, first_cell;
} asif_check_grouping;

/* All conditional families. `out` has room for ASIF_CHECK_KINDS; `of` of each is the caller's. */
asif_status asif_check_grouping_make(asif_check_grouping *out, uint32_t *count, const asif_checking *c,
                                     asif_error *error);
/* Bin of a belief. */
uint32_t asif_check_bin(const double *belief, uint32_t states, uint32_t bins);

/* ---- predictive_checks_agent.c ---- */
/* Conditional families, and the simulated logs. */
asif_status asif_check_agent(asif_checking *c, asif_error *error);

/* ---- predictive_checks_lengths.c ---- */
/* Whether episodes are to be simulated: NULL, or why not; how long they may get. */
const char *asif_check_lengths_refuse(const asif_checking *c, uint32_t *max_steps);
/* Lengths and different histories of a tree, [ASIF_CHECK_LENGTHS_KEPT + 2]. */
void asif_check_lengths_of(const asif_tree_view *tree, double *row);
asif_status asif_check_lengths(asif_checking *c, const char *refused, asif_error *error);

/* ---- predictive_checks_environment.c ---- */
asif_status asif_check_environment(asif_checking *c, asif_error *error);

/* ---- predictive_checks_subjects.c ---- */
asif_status asif_check_subjects(asif_checking *c, asif_error *error);

/* ---- predictive_checks_json.c ---- */
/* As a member of an object; `brief`: of the groups only those in which something is missed. NULL is null. */
void asif_predictive_checks_write(asif_json *json, const char *key, const asif_predictive_checks *checks,
                                  bool brief);

#endif
