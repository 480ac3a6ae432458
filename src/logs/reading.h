/* A table while it is read into a tree. A pass over the table takes its rows to episodes, and these to the
 * tree as soon as they are complete. Where rows of an episode turn out not to be together, a further pass
 * collects all rows first. */
#ifndef ASIF_SRC_LOGS_READING_H
#define ASIF_SRC_LOGS_READING_H

#include "base/text.h"
#include "logs/log_map.h"
#include "logs/names.h"
#include "logs/table/csv.h"
#include "logs/tree/tree.h"

/* Codes that are no label. */
#define ASIF_CODE_MISSING ASIF_ANY
#define ASIF_CODE_BAD (UINT32_MAX - 1) /* a problem has been listed */
#define ASIF_NO_COLUMN UINT32_MAX

/* From the cells of a role to the number of a label. */
typedef struct {
    asif_role role;
    asif_label_kind kind;
    uint32_t parts; /* 0: the role is not there */
    struct asif_coder_part {
        uint32_t column;            /* of the table, from 0 */
        const asif_log_column *map; /* NULL: values as they are */
        asif_names from;            /* values that `map` gives labels to */
        asif_names classes;         /* of a cut, in order */
    } * part;
    bool open;        /* without a setting: labels as they come */
    asif_names names; /* parts, joined by `/` where there are several */
    uint32_t *code;   /* label of a name; NULL: the name's number */
    asif_text joined;
    /* Cells met lately: most rows hold one of a few. */
    struct asif_coded {
        uint32_t length, code; /* length 0: free */
        bool quoted;
        char text[23];
    } lately[16];
} asif_coder;

/* A row of the table, as far as it matters. */
typedef struct {
    uint64_t row;
    double time; /* NaN: a text */
    uint32_t line, episode, action, seen;
} asif_step;

typedef struct {
    uint32_t start; /* class; ASIF_CODE_MISSING: not known yet */
    uint32_t unit;  /* of arrival */
} asif_episode;

typedef struct {
    uint64_t row;
    uint32_t line, column; /* column from 1 */
} asif_place;

/* What an action showed. */
typedef struct {
    bool shows; /* what follows it can lead to different beliefs */
    uint64_t seen, missing;
    asif_place first; /* where it is missing */
} asif_shown_by;

/* Rows that a rule left out. */
enum { ASIF_OUT_MISSING, ASIF_OUT_EPISODE, ASIF_OUT_GAP, ASIF_OUT_COUNT };
enum { ASIF_OUT_LISTED = 12 };

typedef enum {
    ASIF_PASS_ASCENDING, /* keys of episodes ascend: nothing to remember */
    ASIF_PASS_HASHES,    /* hashes of the keys show whether rows of an episode are apart */
    ASIF_PASS_COLLECT
} asif_pass;

typedef struct {
    const asif_context *context;
    const char *file;
    const asif_log_map *map;
    const asif_setting *setting; /* NULL: labels as they come */
    asif_logs_options options;
    asif_csv_reader csv;
    uint32_t header; /* cells of the header */
    asif_pass pass;
    bool again; /* this pass cannot continue: another one is needed */

    asif_problems *problems; /* of this pass; a further pass begins a new list */
    uint64_t found[3];
    bool failed;
    asif_error first; /* the first error that is none of the table's: no memory, reading failed */

    uint32_t subject, episode, time, weight; /* columns from 0, or ASIF_NO_COLUMN */
    uint32_t covariates, *covariate;
    const char **covariate_name; /* [covariates] */
    uint32_t *where;             /* columns of options.where */
    asif_names headings;
    asif_coder action, seen, start;
    bool states_seen;
    uint32_t initial;               /* action of the initial observation, or ASIF_ANY */
    uint32_t actions, observations; /* of the setting */
    bool *possible;                 /* [actions][observations]; NULL: not known */

    /* the episode at hand, or all rows of the table */
    asif_step *step;
    uint64_t steps, step_capacity;
    double *step_weight; /* only with weights */
    uint64_t weight_capacity;
    uint64_t *step_text; /* only with times that are text: place in `times`, plus 1 */
    uint64_t text_capacity;
    asif_text times;
    uint64_t *order, order_capacity, *merged, merged_capacity;
    asif_text key; /* subject, 0, episode */
    uint64_t subject_length;
    bool begun;
    asif_episode now;
    asif_hashes episode_hashes, subject_hashes;

    /* collecting */
    asif_names keys, unit_keys;
    asif_episode *list;
    uint64_t list_capacity;

    /* units */
    uint64_t units, unit_capacity, *unit_name; /* places in unit_names */
    asif_text unit_names, fed_key, unit_key;
    uint64_t fed_subject_length;
    bool fed;
    asif_names values;
    uint32_t *value; /* [arrived units][covariates] */
    uint64_t arrived, value_capacity;
    uint32_t *arrival; /* [units]: number of arrival, if collecting */
    uint64_t arrival_capacity;

    asif_tree_builder *builder;
    asif_logs_info info;
    uint64_t unsorted; /* episodes */
    asif_place back;   /* where an episode came back */
    char back_key[80];
    bool dates, day_first; /* times that are dates; that look like dates and are not */
    asif_place day_first_at;
    struct {
        uint64_t count, smallest, steps; /* steps of whole-number times: those above the smallest are gaps */
        asif_place first, first_step;
        double from, to, first_from, first_to;
    } gap;
    struct {
        uint64_t count;
        asif_place first;
    } impossible, open;   /* transitions that no world allows; episodes without an ending action */
    asif_shown_by *shown; /* [actions]; NULL: not known */
    bool has_ends;        /* the setting has actions that end an episode */
    struct {
        uint64_t episodes, at_first; /* all; those that begin at the first time of all */
        double first, late_time;
        asif_place late; /* the first that begins later */
        bool odd;        /* times that are no whole numbers */
    } begins;
    struct {
        uint64_t count, row[ASIF_OUT_LISTED];
    } out[ASIF_OUT_COUNT];
} asif_reading;

/* reading.c: problems. A list of a pass keeps ASIF_KEPT. */
enum { ASIF_KEPT = 100 };
/* Count a problem; true: it still gets a message of its own. */
bool asif_reading_wants(asif_reading *reading, asif_severity severity);
/* List it; the hint may be "". Warnings and notes about the whole table have a place of row 0. */
void asif_reading_list(asif_reading *reading, asif_severity severity, asif_status status, asif_place place,
                       const char *hint, const char *format, ...) ASIF_PRINTF(6, 7);
#define asif_reading_problem(reading, place, hint, ...)                                                      \
    do {                                                                                                     \
        if (asif_reading_wants(reading, ASIF_PROBLEM_ERROR))                                                 \
            asif_reading_list(reading, ASIF_PROBLEM_ERROR, ASIF_EPARSE, place, hint, __VA_ARGS__);           \
    } while (0)
asif_place asif_reading_here(const asif_reading *reading,
                             uint32_t column); /* of the row at hand; column from 0 */

/* columns.c: which column is what, found in the header, and coders. */
asif_status asif_reading_bind(asif_reading *reading, asif_error *error);
void asif_coder_free(asif_coder *coder);
/* Number of the label in the row at hand, ASIF_CODE_MISSING or ASIF_CODE_BAD; false: no memory. */
bool asif_coder_read(asif_reading *reading, asif_coder *coder, uint32_t *out);

/* times.c */
bool asif_time_date(const char *text, uint64_t length, double *seconds);    /* ISO 8601 */
int asif_time_compare(const asif_reading *reading, uint64_t a, uint64_t b); /* of two steps */
/* Sort steps by time, those of the same time in their order. False: no memory. */
bool asif_time_sort(asif_reading *reading, uint64_t *order, uint64_t count);

/* lacks.c: what is missing. */
asif_status asif_lacks_bind(asif_reading *reading, asif_error *error);
/* Does the action show something? Yes where it is not known. */
bool asif_lacks_shows(const asif_reading *reading, uint32_t action);
/* Note a result of an action, or that there is none where one is expected. */
void asif_lacks_result(asif_reading *reading, uint32_t action, bool seen, asif_place place);
/* Note an episode: its first time (NaN: not a number), and whether an ending action ended it. */
void asif_lacks_episode(asif_reading *reading, double first, bool ended, asif_place begin, asif_place end);
/* List what is to be said of all that was noted. */
void asif_lacks_say(asif_reading *reading);

/* episodes.c: check the steps order[0..count) of an episode, and add them to the tree. */
asif_status asif_episode_add(asif_reading *reading, const char *key, uint64_t subject_length,
                             uint64_t key_length, const asif_episode *episode, uint64_t *order,
                             uint64_t count, asif_error *error);

#endif
