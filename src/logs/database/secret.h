/* Passwords in connection strings, which no output may show. */
#ifndef ASIF_SRC_LOGS_DATABASE_SECRET_H
#define ASIF_SRC_LOGS_DATABASE_SECRET_H

#include <stddef.h>

/* The first password in a text that has `//user:PASSWORD@host` or `password=PASSWORD`, and its length; NULL:
 * none.
 */
const char *asif_find_secret(const char *text, size_t *length);

#endif
