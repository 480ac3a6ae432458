/* The state of a table while it is read into a tree. A pass over the table collects rows into episodes and
 * adds these to the tree as soon as they are complete. If rows of an episode turn out to be apart, a further
 * pass collects all rows first. */
#ifndef ASIF_SRC_LOGS_READING_H
#define ASIF_SRC_LOGS_READING_H

#include "base/text.h"
#include "logs/map/log_map.h"
#include "logs/names.h"
#include "logs/table/row_source.h"
#include "logs/tree/tree.h"

/* Codes of cells that have no label. */
#define ASIF_CODE_MISSING ASIF_ANY
#define ASIF_CODE_BAD (UINT32_MAX - 1) /* a problem has been listed */
/* The first of the codes of observations that were seen and are lost, at least in part: with the number of
 * their pattern. */
#define ASIF_CODE_LOST 0x80000000u
#define ASIF_NO_COLUMN UINT32_MAX

/* A coder translates the cells of a role to the number of a label. */
typedef struct {
    asif_role role;
    asif_label_kind kind;
    uint32_t parts; /* number of columns; 0: the table has no such role */
    struct asif_coder_part {
        uint32_t column;            /* column of the table, from 0 */
        const asif_log_column *map; /* NULL: values are labels as they are */
        const double *cut;          /* [map->cuts] */
        double measured[2];         /* cuts that were computed from the column */
        struct asif_measure *measure;
        struct asif_numbers *numbers; /* that were cut; NULL: none */
        asif_names from;              /* values that `map` maps to labels */
        asif_names classes;           /* labels that the column can take by cuts or by `map`, in order */
    } * part;
    bool open;        /* no setting: every new label is accepted */
    asif_names names; /* labels; parts of several columns are joined by `/` */
    uint32_t *code;   /* number of the setting's label for each name; NULL: the number of the name itself */
    asif_text joined;
    /* Observations that are lost: patterns of labels, in which a byte stands for what is lost, and the labels
     * that fit each. */
    asif_names patterns;
    uint64_t fits, fit_capacity, fit_end_capacity;
    uint32_t *fit;     /* codes, ascending */
    uint64_t *fit_end; /* [patterns] */
    /* What cells with a code mean, plus 1; 0: not known yet. The same for an empty cell, which has none. */
    uint32_t known[256], empty;
    bool knows_empty;
    /* Cells that were read lately, by hash; most rows repeat a few values. */
    struct asif_coded {
        uint32_t length, code; /* length 0: free */
        bool quoted;
        char text[23];
    } lately[16];
} asif_coder;

/* Mean and sum of squared deviations of a column whose cuts are computed from it. */
typedef struct asif_measure {
    uint64_t count;
    double mean, squares;
} asif_measure;

typedef struct {
    uint64_t row;
    uint32_t line, column; /* column from 1; 0: none */
} asif_place;

/* Some of the numbers of a column that is cut: all, until there are too many, then every second of them, and
 * so on; and the least and the greatest of all. */
typedef struct asif_numbers {
    uint64_t seen, stride, samples;
    double sample[1024];
    double end[2];
    asif_place at[2];
} asif_numbers;

/* The cells of a row that are used. */
typedef struct {
    uint64_t row;
    double time; /* NaN: the time is a text */
    uint32_t line, episode, action, seen;
    uint32_t label;  /* label of the state; ASIF_CODE_MISSING: none */
    uint32_t place;  /* the cells of the seen part, see asif_places_read(); then the seen value */
    uint32_t groups; /* bits of the groups of the mapping to which the row belongs */
} asif_step;

typedef struct {
    uint32_t start;  /* start class; ASIF_CODE_MISSING: not known yet */
    uint32_t unit;   /* number of the unit in order of arrival */
    uint64_t copies; /* so many episodes are the same */
} asif_episode;

/* The results of an action in the logs. */
typedef struct {
    bool shows; /* by the study, its observations can lead to different beliefs */
    uint64_t seen, missing;
    asif_place first; /* first place where a result is missing */
} asif_shown_by;

/* Longest cell that is written anew, with its final 0. */
#define ASIF_WRITTEN 40
/* Cells of a column that are outside its range and count as missing. */
typedef struct {
    uint64_t count;
    asif_place first;
} asif_outside;

/* What a rule left out; rules are those of asif_rule, with one of ASIF_RULE_REQUIRE for each column. */
enum { ASIF_OUT_LISTED = 12, ASIF_OUT_COUNT = ASIF_RULE_DROP_ROW + 1 };
typedef struct {
    uint64_t count, episodes, row[ASIF_OUT_LISTED]; /* row: the first of the table, in order */
    uint32_t listed;
} asif_out;

/* A row in which an episode has another value of the column of a condition than in a row before, where one of
 * the two fulfils it. */
typedef struct {
    uint32_t episode, which, before, now; /* which: the condition; before, now: numbers in `values` */
    asif_place place;
} asif_part_change;
/* The part of the table that options.where selects; kept from pass to pass. */
typedef struct {
    asif_names keys, values; /* of the episodes; of the columns of the conditions */
    uint32_t *value;         /* [episodes][wheres]: numbers in `values`, or ASIF_CODE_MISSING */
    uint64_t value_capacity;
    asif_part_change *change; /* [changes] */
    uint64_t changes, change_capacity;
    bool *chosen;        /* [episodes]; NULL: not known yet */
    asif_text key;       /* of the current row */
    asif_csv_cell *cell; /* [header]: the current row, before it was read */
} asif_part;

typedef enum {
    ASIF_PASS_ASCENDING, /* keys of episodes ascend, so that none needs to be remembered */
    ASIF_PASS_HASHES,    /* hashes of the keys show whether the rows of an episode are apart */
    ASIF_PASS_COLLECT,
    ASIF_PASS_SELECT, /* comes first, where there are conditions on columns */
    ASIF_PASS_MEASURE /* comes before the rest, where cuts are computed from columns */
} asif_pass;

typedef struct {
    const asif_context *context;
    const char *file;
    const asif_log_map *map;
    const asif_setting *setting; /* NULL: every label is accepted */
    asif_logs_options options;
    asif_row_source *table;
    uint32_t header;      /* number of cells of the header */
    const double *number; /* of cells, as the source knows them; NULL: it does not, or rules change cells */
    asif_pass pass;
    bool plain;                        /* nothing is asked of rows but keys, time and labels */
    bool again;                        /* this pass was given up; another one, of kind `pass`, is needed */
    uint64_t before;                   /* number of the row before, where the source orders rows */
    uint64_t copies;                   /* of the current row or episode */
    struct asif_course_rows **courses; /* what is read, if the table holds courses */

    asif_problems *problems; /* problems of this pass */
    uint64_t found[3];
    bool failed, muted; /* muted: problems are neither listed nor counted */

    uint32_t subject, episode, time, weight; /* columns, from 0, or ASIF_NO_COLUMN */
    uint32_t time_columns, *time_column;     /* columns of the time: the first with a value counts */
    uint32_t *require;                       /* [map->requires]: columns */
    uint32_t *group;                         /* [map->groups]: columns, or ASIF_NO_COLUMN */
    bool cells_change;                       /* by rules of the mapping */
    uint32_t *cell_column;                   /* [map->cell_rules]: columns, or ASIF_NO_COLUMN */
    asif_outside *outside;                   /* [map->cell_rules] */
    char (*written)[ASIF_WRITTEN];           /* [header]: cells that are written anew; NULL: none are */
    uint32_t measures, measured;             /* `measured` of them have found their column */
    asif_measure *measure;                   /* [measures], kept from pass to pass */
    uint32_t covariates, *covariate;
    const char **covariate_name; /* [covariates] */
    uint32_t *where;             /* [options.wheres]: columns of the conditions */
    asif_part *part;             /* NULL: no conditions */
    /* [covariates] and [options.wheres]: the group that is meant instead of a column, or ASIF_ANY. */
    uint32_t *covariate_group, *where_group;
    asif_names headings;
    asif_coder action, seen, start, label;
    bool states_seen;
    uint32_t initial;               /* action of an observation before the first action, or ASIF_ANY */
    uint32_t actions, observations; /* numbers of the setting's labels */
    bool *possible;                 /* [actions][observations]; NULL: not known */
    uint32_t *place_column;         /* [columns of the seen part]: columns, or ASIF_NO_COLUMN */
    uint32_t *start_of; /* [seen values]: start class, or ASIF_ANY; NULL: no part of the state is seen */
    bool *real; /* [actions][observations]: possible in the environment; NULL: no column can be lost */
    struct {
        uint64_t results, episodes, completions; /* completions: most of one episode */
        asif_place first;
    } lost;

    /* Steps of the current episode; in a collecting pass, of the whole table. */
    asif_step *step;
    uint64_t steps, step_capacity;
    double *step_weight; /* with weights only */
    uint64_t weight_capacity;
    uint64_t *step_text; /* with times that are texts only: offset in `times`, plus 1 */
    uint64_t text_capacity;
    asif_text times;
    uint64_t *order, order_capacity, *merged, merged_capacity;
    asif_text key; /* subject, a byte 0, episode */
    uint64_t subject_length;
    uint64_t keyed; /* rows up to the last one that belongs to this episode */
    bool begun;
    asif_episode now;
    asif_hashes episode_hashes, subject_hashes;

    /* Collecting pass: all episodes by their keys. */
    asif_names keys, unit_keys;
    asif_episode *list;
    uint64_t list_capacity;

    /* Units of the tree. */
    uint64_t units, unit_capacity, *unit_name; /* unit_name: offsets in unit_names */
    asif_text unit_names, fed_key, unit_key;
    uint64_t fed_subject_length;
    bool fed;
    asif_names values;
    uint32_t *value; /* [arrived][covariates]: numbers in `values` */
    uint64_t arrived, value_capacity;
    uint32_t *arrival; /* [units]: number in order of arrival, which is the row of `value` */
    uint64_t arrival_capacity;

    asif_tree_builder *builder;
    asif_logs_info info;
    uint64_t unsorted; /* number of episodes whose times were not ascending */
    asif_place back;   /* where rows of an episode were found apart from it */
    char back_key[80];
    /* dates: some times are ISO dates; day_first: some look like dates of another form. */
    bool dates, day_first;
    asif_place day_first_at;
    /* Steps between whole-number times; `count` of them are longer than the smallest: these are gaps. */
    struct {
        uint64_t count, smallest, steps;
        asif_place first, first_step;
        double from, to, first_from, first_to;
    } gap;
    /* impossible: transitions that no world allows; open: episodes without an ending action. */
    struct {
        uint64_t count;
        asif_place first;
    } impossible, open;
    asif_shown_by *shown; /* [actions]; NULL: not known */
    const bool *ends;     /* [actions] that end an episode; NULL: not known */
    bool has_ends;        /* whether the setting has some */
    struct {
        uint64_t episodes, at_first; /* number of all episodes, and of those that begin at the first time */
        double first, late_time;
        asif_place late; /* the first episode that begins later */
        bool odd;        /* some first times are not whole numbers */
    } begins;
    asif_out out[ASIF_OUT_COUNT]; /* by rule, except ASIF_RULE_REQUIRE */
    asif_out required[ASIF_MOST_REQUIRED];
    asif_text rows; /* the rows that are kept, as options.rows asks */
} asif_reading;

/* pass.c: begin a pass over a table, and free what it holds; a pass that was not begun holds nothing. */
asif_status asif_reading_begin(asif_reading *reading, asif_error *error);
void asif_reading_end(asif_reading *reading);
/* reading.c: problems. A pass describes at most ASIF_DESCRIBED of each severity, and keeps at most ASIF_KEPT
 * different ones. */
enum { ASIF_KEPT = 100, ASIF_DESCRIBED = 100000 };
/* Count a problem; true if it is still to be described by asif_reading_list(). */
bool asif_reading_wants(asif_reading *reading, asif_severity severity);
/* Describe a problem; the hint may be "". Problems of the whole table have row 0. */
void asif_reading_list(asif_reading *reading, asif_severity severity, asif_status status, asif_place place,
                       const char *hint, const char *format, ...) ASIF_PRINTF(6, 7);
#define asif_reading_problem(reading, place, hint, ...)                                                      \
    do {                                                                                                     \
        if (asif_reading_wants(reading, ASIF_PROBLEM_ERROR))                                                 \
            asif_reading_list(reading, ASIF_PROBLEM_ERROR, ASIF_EPARSE, place, hint, __VA_ARGS__);           \
    } while (0)
/* Count a row that a rule leaves out. */
void asif_reading_leave_out(asif_reading *reading, asif_out *out, uint64_t row);
/* Whether an action ends an episode; the weight of a step. */
static inline bool asif_reading_ends(const asif_reading *reading, uint32_t action) {
    return reading->ends && action < reading->actions && reading->ends[action];
}
static inline double asif_reading_weight(const asif_reading *reading, uint64_t step) {
    return reading->weight == ASIF_NO_COLUMN ? 1 : reading->step_weight[step];
}
/* Report an observation that no world of the agent allows after the action, at the place of a step. */
void asif_reading_impossible(asif_reading *reading, uint32_t action, uint32_t observation, uint64_t step);
/* The same, if it is one. */
static inline void asif_reading_possible(asif_reading *reading, uint32_t action, uint32_t observation,
                                         uint64_t step) {
    if (reading->possible && action < reading->actions && observation < reading->observations &&
        !reading->possible[(uint64_t)action * reading->observations + observation])
        asif_reading_impossible(reading, action, observation, step);
}
/* part_rows.c: in a pass of ASIF_PASS_SELECT, take a row, and choose episodes at the end. */
asif_status asif_part_take(asif_reading *reading, asif_error *error);
asif_status asif_part_end(asif_reading *reading, asif_error *error);
/* Read the cells of the current row; *wanted says whether the conditions select it. A row that is not
 * selected has no problems. */
asif_status asif_part_read(asif_reading *reading, bool *wanted, asif_error *error);
void asif_part_free(const asif_context *context, asif_part *part);
/* cells.c: read the cells of the current row as the mapping says. */
void asif_cells_read(asif_reading *reading);
/* Find the columns that have rules of their own. */
asif_status asif_cells_bind(asif_reading *reading, asif_error *error);
/* List what was found, at the end. */
void asif_cells_say(asif_reading *reading);
/* numbers.c: remember a number of a column that is cut, in the current row; warn of those that are far out,
 * at the end. */
void asif_numbers_take(asif_reading *reading, struct asif_coder_part *part, double x);
void asif_numbers_say(asif_reading *reading);
/* rules.c: whether a group contains the current row: 1, 0, or -1 if that is not known. */
int asif_rules_member(asif_reading *reading, uint32_t group);
/* Whether subject and episode are known to be those of the row before, which stayed. */
static inline bool asif_reading_repeats(const asif_reading *reading) {
    return reading->table->repeated && reading->info.rows - reading->copies == reading->keyed;
}
/* Whether the row stays by the rules on rows; else it was left out or refused. The time is 0 without a column
 * of it, and NaN if it is a text. */
bool asif_rules_keep(asif_reading *reading, double *time);
/* The cell of the time; NULL: it is missing. */
const asif_csv_cell *asif_rules_time(const asif_reading *reading);
/* Add the current row to the measures of columns. */
void asif_rules_measure(asif_reading *reading);
/* List what was left out, rule by rule, in the info and as notes; and the cuts that were computed. */
void asif_rules_say(asif_reading *reading);
/* A place in the current row; column from 0. */
asif_place asif_reading_here(const asif_reading *reading, uint32_t column);
/* A place in the row of a step; column from 0, or ASIF_NO_COLUMN. */
static inline asif_place asif_reading_at(const asif_reading *reading, uint64_t step, uint32_t column) {
    const asif_step *s = &reading->step[step];
    return (asif_place){s->row, s->line, column == ASIF_NO_COLUMN ? 0 : column + 1};
}

/* read.c: the caller's options, with defaults for what it does not know of. */
asif_logs_options asif_reading_options(const asif_logs_options *options);
/* Read a table into a tree, in as many passes as it takes, as asif_logs_read(). */
asif_status asif_reading_table(asif_tree **out, const asif_context *context, asif_row_source *table,
                               const char *name, const asif_logs_options *options, asif_logs_info *info,
                               asif_problems *problems, asif_error *error);

/* columns.c: finds the columns of all roles in the header, and prepares the coders. */
asif_status asif_reading_bind(asif_reading *reading, asif_error *error);
/* Find a column that need not be there: ASIF_NO_COLUMN; one that is there must occur once. */
asif_status asif_reading_column(asif_reading *reading, const char *name, uint32_t *out, asif_error *error);
void asif_coder_free(asif_coder *coder);
/* coder.c: read the cells of a coder in the current row. *out becomes the number of the label,
 * ASIF_CODE_MISSING or ASIF_CODE_BAD (a problem has been listed). False: no memory. */
bool asif_coder_read(asif_reading *reading, asif_coder *coder, uint32_t *out);

/* Whether an observation is lost, at least in part; and then the codes that fit what was recorded of it. */
static inline bool asif_code_lost(uint32_t code) {
    return code >= ASIF_CODE_LOST && code < ASIF_CODE_BAD;
}
const uint32_t *asif_coder_fits(const asif_coder *coder, uint32_t code, uint64_t *count);
/* What was recorded of an observation that is lost in part, for a table; borrowed until the next call. */
const char *asif_coder_lost_text(asif_coder *coder, uint32_t code);

/* places.c: the seen part of the state. Find its columns, if the setting names them; ASIF_ENOMEM. */
asif_status asif_places_bind(asif_reading *reading, asif_error *error);
/* The cells of the seen part in the current row, as a number with a digit for each column; an empty cell is
 * the highest digit. ASIF_CODE_BAD: a problem was listed. 0 where no part is seen. */
uint32_t asif_places_read(asif_reading *reading);
/* Find the seen values of the steps of an episode, from their cells and from what can follow the row
 * before. False: they are not known, and a problem was listed. */
bool asif_places_resolve(asif_reading *reading, const uint64_t *order, uint64_t count);
/* The only seen value that can follow a step; ASIF_ANY: there are several. */
uint32_t asif_places_after(const asif_reading *reading, const asif_step *step);

/* completions.c: add an episode with observations that are lost. `handled` becomes false if none of them
 * matters, and the lost ones are now recorded or not seen. */
asif_status asif_completions_add(asif_reading *reading, uint64_t *order, uint64_t count, uint32_t start,
                                 bool *handled, asif_error *error);
/* Prepare for lost observations, if columns of the mapping can be lost. ASIF_EINVALID, ASIF_ENOMEM. */
asif_status asif_completions_bind(asif_reading *reading, asif_error *error);
/* Say how many results are lost, and what is assumed. */
void asif_completions_say(asif_reading *reading);

/* write.c: add the rows of an episode to the table of rows that are kept. False: no memory. */
bool asif_rows_write(asif_reading *reading, const char *key, uint64_t subject_length, const uint64_t *order,
                     uint64_t count);

/* times.c: the order of steps in time. */
bool asif_time_date(const char *text, uint64_t length, double *seconds); /* ISO 8601 */
/* Compare the times of the steps with indices a and b, as for qsort(). */
int asif_time_compare(const asif_reading *reading, uint64_t a, uint64_t b);
/* Whether step a comes before step b, by time and then by row, or is the same. */
bool asif_time_before(const asif_reading *reading, uint64_t a, uint64_t b);
/* Sort steps in this order. False: no memory. */
bool asif_time_sort(asif_reading *reading, uint64_t *order, uint64_t count);

/* lacks.c: warnings about missing results, beginnings and endings. asif_lacks_bind() finds which actions show
 * something about the state; ASIF_ENOMEM. */
asif_status asif_lacks_bind(asif_reading *reading, asif_error *error);
/* Whether the action shows something about the state; true where that is not known. */
bool asif_lacks_shows(const asif_reading *reading, uint32_t action);
/* Count a result of an action, or (not `seen`) a missing one. */
static inline void asif_lacks_result(asif_reading *reading, uint32_t action, bool seen, asif_place place) {
    if (!reading->shown || action >= reading->actions)
        return;
    asif_shown_by *by = &reading->shown[action];
    if (!seen && by->missing == 0)
        by->first = place;
    *(seen ? &by->seen : &by->missing) += reading->copies;
}
/* Count an episode: its first time (NaN: not a number), and whether it ended as expected. */
void asif_lacks_episode(asif_reading *reading, double first, bool ended, asif_place begin, asif_place end);
/* List the warnings, unless there are errors. */
void asif_lacks_say(asif_reading *reading);

/* episodes.c: check the steps order[0..count) of an episode, and add them to the tree. The order may
 * change. */
asif_status asif_episode_add(asif_reading *reading, const char *key, uint64_t subject_length,
                             uint64_t key_length, const asif_episode *episode, uint64_t *order,
                             uint64_t count, asif_error *error);

#endif
