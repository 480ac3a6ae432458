/* Parts of logs: the episodes that conditions on columns select. */
#ifndef ASIF_SRC_LOGS_PARTS_H
#define ASIF_SRC_LOGS_PARTS_H

#include "asif/logs.h"
#include "logs/names.h"

/* Whether a value is one of those of a condition. */
bool asif_where_holds(const asif_logs_where *where, const char *value);

/* Fail because no episode fulfils the conditions up to number `which`. The hint lists `count` values, sorted,
 * that the column has in the episodes that fulfil the conditions before. */
asif_status asif_where_nobody(const asif_logs_where *where, uint32_t which, const char *const *value,
                              uint64_t count, asif_error *error);

#endif
