/* A table of courses as the rows of decisions that they stand for. */
#ifndef ASIF_SRC_LOGS_COURSES_COURSE_ROWS_H
#define ASIF_SRC_LOGS_COURSES_COURSE_ROWS_H

#include "logs/courses/layout.h"

typedef struct asif_course_rows asif_course_rows;

/* If the table, whose header is the current row, holds courses, take them; else *out becomes NULL.
 * asif_course_rows_free() in any case. ASIF_EINVALID: they were made with another study, or the options need
 * what courses do not keep. */
asif_status asif_course_rows_make(asif_course_rows **out, const asif_context *context, asif_row_source *table,
                                  const char *name, const asif_log_map *map, const asif_logs_options *options,
                                  asif_error *error);
/* The rows of their decisions, and the mapping with which these are to be read. */
asif_row_source *asif_course_rows_source(asif_course_rows *courses);
const asif_log_map *asif_course_rows_map(const asif_course_rows *courses);
void asif_course_rows_free(asif_course_rows *courses);

#endif
