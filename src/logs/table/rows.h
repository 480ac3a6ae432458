/* Rows to episodes. */
#ifndef ASIF_SRC_LOGS_TABLE_ROWS_H
#define ASIF_SRC_LOGS_TABLE_ROWS_H

#include "logs/reading.h"

/* Take the row at hand. Sets `again` if this kind of pass cannot go on. */
asif_status asif_rows_take(asif_reading *reading, asif_error *error);
/* After the last row. */
asif_status asif_rows_end(asif_reading *reading, asif_error *error);

#endif
