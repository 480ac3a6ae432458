/* Courses: whole episodes, each with the number of episodes that took it, as a query makes them in a
 * database. A course is a row of integers, whose bits are the decisions of the episode. The query and the
 * reading of its result share this layout, which comes from the columns and labels that the reader of tables
 * uses. */
#ifndef ASIF_SRC_LOGS_COURSES_LAYOUT_H
#define ASIF_SRC_LOGS_COURSES_LAYOUT_H

#include "logs/reading.h"

/* What the columns of an action, an observation, a state or a start class can say: for each column its
 * labels, numbered from 1; 0 is a missing cell. */
typedef struct {
    uint32_t parts;
    asif_names *label; /* [parts] */
    uint64_t values; /* combinations of labels, numbered from 1, the last column fastest; 0: one is missing */
} asif_course_side;

typedef struct {
    asif_reading reading; /* bound to a header that has the columns of the mapping, and no others */
    asif_row_source header;
    asif_csv_cell *cell;
    asif_names columns;
    asif_error flaw;
    asif_course_side action, seen, start;
    /* The time gives the place of a decision in its course, or the order of the times does: `ranked`. */
    bool ranked;
    uint32_t longest;           /* places of a course */
    uint32_t bits, each, words; /* bits of a decision, decisions of a word, words of a course */
} asif_courses;

typedef struct {
    const asif_log_map *map; /* NULL: the defaults */
    const asif_setting *setting;
    const char *by; /* column of units that is kept, with the names of subjects and episodes; NULL: none */
    uint32_t longest;
    bool ranked;
} asif_course_form;

/* Places of a course where nobody says how many. */
#define ASIF_COURSE_LONGEST 64
/* Names of the columns of a course; the first begins like this and says which layout it is. */
#define ASIF_COURSE_COUNT "asif_courses_"

/* Make the layout; asif_courses_free() in any case. ASIF_EUNSUPPORTED names what courses cannot have. */
asif_status asif_courses_make(asif_courses *c, const asif_context *context, const asif_course_form *form,
                              asif_error *error);
void asif_courses_free(asif_courses *courses);

/* The number of a decision: 0 is none; 1 one whose action is missing; then the seen values of the first
 * action, from 0 (missing), and so on. */
static inline uint64_t asif_course_codes(const asif_courses *c) {
    return 2 + c->action.values * (c->seen.values + 1);
}
/* Write the label that a value of a side stands for; an empty text for 0. */
void asif_course_label(asif_text *out, const asif_course_side *side, uint64_t value);

#endif
