/* The data structure of a mapping from columns of a table to roles. */
#ifndef ASIF_SRC_LOGS_LOG_MAP_H
#define ASIF_SRC_LOGS_LOG_MAP_H

#include "asif/logs.h"
#include "base/data/yaml.h"

/* A column of a role. Its values are used as they are, or mapped by `labels` (from -> to), or cut into
 * classes. Classes are named by `to` or, without names, numbered from 0. A value equal to a cut belongs to
 * the class above. */
typedef struct {
    char *name;
    uint32_t labels; /* number of pairs; with cuts, of class names */
    char **from, **to;
    uint32_t cuts;
    double *cut; /* [cuts], ascending */
    /* Above 0: two cuts, this many standard deviations below and above the mean of the column in the logs;
     * `cut` is NaN then. */
    double spread;
    char *present, *missing; /* labels of cells that are there, and of those that are missing; NULL: none */
    bool unrecorded;         /* what a missing cell would tell was seen, and is lost */
} asif_log_column;

typedef struct {
    uint32_t columns; /* 0: the mapping names none */
    asif_log_column *column;
} asif_log_role;

typedef enum {
    ASIF_MISSING_REFUSE,
    ASIF_MISSING_DROP_ROW,
    ASIF_MISSING_DROP_EPISODE, /* drop episodes that lack an action or the result of an action that shows
                                  something; other missing results count as not seen */
    ASIF_MISSING_NOT_SEEN
} asif_log_missing;
typedef enum {
    ASIF_TEST_EQUAL,
    ASIF_TEST_UNEQUAL,
    ASIF_TEST_ABOVE,
    ASIF_TEST_AT_LEAST,
    ASIF_TEST_BELOW,
    ASIF_TEST_AT_MOST
} asif_log_test;
/* A group: the subjects whose value of a column passes a test. */
typedef struct {
    char *name, *column, *value;
    asif_log_test test;
    double number; /* the value as a number; NaN: it is a text */
} asif_log_group;

/* How the cells of a column of the table are read, before anything else looks at them. */
typedef struct {
    char *name;
    uint32_t recodes; /* number of pairs */
    char **from, **to;
    uint32_t missing_values;
    char **missing_value; /* that stand for a missing cell in this column */
    double least, most;   /* of plausible numbers; -inf and inf: any text is plausible */
    bool outside_missing; /* what is not plausible counts as missing; else it is refused */
    char *date;           /* form of its dates, such as %d.%m.%Y; NULL: none */
} asif_cell_rule;

typedef enum { ASIF_GAPS_IGNORE, ASIF_GAPS_CUT, ASIF_GAPS_REFUSE } asif_log_gaps;

struct asif_log_map {
    const asif_context *context;
    asif_log_role role[ASIF_ROLE_COUNT];
    asif_log_missing missing;
    asif_log_gaps gaps;
    bool before;       /* the observation of a row was seen before its action */
    double step;       /* time between rows that follow each other; 0: any */
    bool off_grid_out; /* leave out rows whose time is not a multiple of the step; else they are refused */
    double begin;      /* time at which every episode begins; NaN: any */
    uint32_t requires, missing_values, groups;
    char **require;       /* columns: rows that lack a value of one are left out */
    char **missing_value; /* values that stand for a missing cell, in all columns */
    asif_log_group *group;
    uint32_t cell_rules;
    asif_cell_rule *cell_rule; /* by column */
    bool comma;                /* numbers have a decimal comma */
    char *initial; /* action whose emissions an observation before the first action follows; NULL: none */
};

const char *asif_role_name(asif_role role);
/* The role of a name; ASIF_ROLE_COUNT if there is none. */
asif_role asif_role_find(const char *name);

/* The group of a name; NULL if there is none. */
const asif_log_group *asif_log_map_group(const asif_log_map *map, const char *name);

/* Replace the columns of a role by `count` empty ones. On ASIF_ENOMEM the old ones stay. */
asif_status asif_log_map_columns(asif_log_map *map, asif_role role, uint32_t count, asif_error *error);

/* map_yaml.c: reads the section `logs` of a study. */
typedef struct {
    uint32_t actions, observations, states; /* 0: not known, so that labels are not checked */
    const char *const *action_name, *const *observation_name,
                                        *const *state_name; /* NULL: the numbers from 0 */
    uint32_t columns; /* 0: observations are not crossed from columns by name */
    const asif_observation_column *column;
    /* Called with each problem and the node where it is. */
    void (*problem)(void *user, const asif_yaml *at, const asif_error *error);
    void *user;
} asif_log_map_reader;
/* Read the section; `*out` is freed by asif_log_map_free(). Problems go to the reader; the only failure is
 * ASIF_ENOMEM. Unknown keys are ignored. */
asif_status asif_log_map_read(asif_log_map **out, const asif_context *context, const asif_yaml *node,
                              const asif_log_map_reader *reader, asif_error *error);
/* The i-th key of the section and its description; false if there is none. */
bool asif_log_map_key(uint32_t i, const char **name, const char **help);

#endif
