/* The query that makes courses, as text. */
#ifndef ASIF_SRC_LOGS_COURSES_QUERY_H
#define ASIF_SRC_LOGS_COURSES_QUERY_H

#include "logs/courses/layout.h"

/* How a database writes what the others write otherwise. */
typedef struct {
    const char *name;
    char quote;                          /* around names */
    bool escapes;                        /* a backslash in a text escapes what follows */
    const char *text, *number, *integer; /* types */
    const char *try_number;              /* a number from a text, or null: before and after the text */
    const char *after_try;
    const char *shift; /* of a whole number to the left: a format for the number and that of the bits */
    const char *fence; /* after a step that is to be computed once, although it is used several times */
    bool point;        /* a column of numbers shows 1 as 1.0 */
} asif_dialect;

/* NULL: there is none of this name. */
const asif_dialect *asif_dialect_find(const char *name);
/* sql.c: pieces of a query. A value is the name of a column of texts. */
void asif_sql_name(asif_text *sql, const asif_dialect *d, const char *name);
void asif_sql_text(asif_text *sql, const asif_dialect *d, const char *text);
/* The number that a text is, or null. */
void asif_sql_number(asif_text *sql, const asif_dialect *d, const char *value);
/* Texts that stand for a missing cell, as a list. */
#define ASIF_SQL_MISSING_WORDS "'', 'NA', 'n/a', 'N/A', 'NaN', 'nan', '.'"
/* Whether it stands for a missing cell. */
void asif_sql_missing(asif_text *sql, const asif_dialect *d, const char *value);
/* Whether it is one of these texts, or equals one as a number. */
void asif_sql_holds(asif_text *sql, const asif_dialect *d, const char *value, char *const *list,
                    uint32_t count);
/* The number of the label that a column has by its cell: 0 is missing, -1 not known. */
void asif_sql_label(asif_text *sql, const asif_dialect *d, const char *value, const asif_coder *coder,
                    uint32_t part, const asif_names *label);
/* Whether a group contains the row: 'yes', 'no' or null. */
void asif_sql_member(asif_text *sql, const asif_dialect *d, const char *value, const asif_log_group *group);

/* What is wrong with an episode, in the column asif_fault: 0 is nothing. */
enum {
    ASIF_FAULT_KEY = 1,
    ASIF_FAULT_TIME,
    ASIF_FAULT_ACTION,
    ASIF_FAULT_SEEN,
    ASIF_FAULT_START,
    ASIF_FAULT_WEIGHT,
    ASIF_FAULT_RANGE,
    ASIF_FAULT_BY,
    ASIF_FAULT_COUNT
};

/* Write the query; `from` is a table or a query in parentheses, `count` the name of the first column, and
 * `by` the column of units (NULL: none). The text may have failed. */
void asif_courses_write(asif_text *sql, const asif_dialect *dialect, const asif_courses *courses,
                        const char *from, const char *by, const char *count);
/* Write the name of the first column, which tells the layout and, by a digest of the query, the study. The
 * courses are those without a column of units. */
void asif_courses_name(asif_text *out, const asif_courses *courses);

#endif
