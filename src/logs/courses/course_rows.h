/* A table of courses as the rows of decisions that they stand for. */
#ifndef ASIF_SRC_LOGS_COURSES_COURSE_ROWS_H
#define ASIF_SRC_LOGS_COURSES_COURSE_ROWS_H

#include "logs/courses/layout.h"

typedef struct asif_course_rows asif_course_rows;

/* If the table, whose header is the current row, holds courses: make the source of their rows, and the
 * mapping with which these are to be read. Else both become NULL. asif_course_rows_free() in any case.
 * ASIF_EINVALID: they were made with another study, or the options need what courses do not keep. */
asif_status asif_course_rows_make(asif_course_rows **out, asif_row_source **rows, asif_log_map **map,
                                  const asif_context *context, asif_row_source *table, const char *name,
                                  const asif_log_map *of, const asif_logs_options *options,
                                  asif_error *error);
void asif_course_rows_free(asif_course_rows *courses);

#endif
