/* Collects rows of a table into episodes. */
#ifndef ASIF_SRC_LOGS_TABLE_ROWS_H
#define ASIF_SRC_LOGS_TABLE_ROWS_H

#include "logs/reading.h"

/* Begin a pass, once its columns are known. */
void asif_rows_begin(asif_reading *reading);
/* Take the current row. Sets `again` if this kind of pass cannot continue. Problems of the row are listed;
 * fails with ASIF_ENOMEM, or if the tree cannot hold more. */
asif_status asif_rows_take(asif_reading *reading, asif_error *error);
/* End the pass after the last row; adds the episodes that are not in the tree yet. Fails as above. */
asif_status asif_rows_end(asif_reading *reading, asif_error *error);

#endif
