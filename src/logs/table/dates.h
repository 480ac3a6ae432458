/* Dates in a form that a study states, such as %d.%m.%Y. The letters are those of strftime(): %Y or %y, %m,
 * %b or %B (English names of months), %d, and %H, %M and %S of the time of day. Numbers need no leading
 * zeros, except that %Y has four digits; %y is of 1969 to 2068. */
#ifndef ASIF_SRC_LOGS_TABLE_DATES_H
#define ASIF_SRC_LOGS_TABLE_DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASIF_DATE_SIZE 24

/* What is wrong with a form; NULL: nothing. */
const char *asif_date_form_wrong(const char *form);
/* Write the date of a text as 2019-03-14, or as 2019-03-14T08:30:00 where the form has a time of day. False:
 * the text is not of this form, or there is no such day. */
bool asif_date_read(const char *form, const char *text, char out[ASIF_DATE_SIZE]);

#endif
