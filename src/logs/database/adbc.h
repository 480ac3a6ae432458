/* The layout of drivers of ADBC 1.1, Arrow's interface to databases. Only what a query needs has a type. */
#ifndef ASIF_SRC_LOGS_DATABASE_ADBC_H
#define ASIF_SRC_LOGS_DATABASE_ADBC_H

#include "asif/arrow.h"

#define ASIF_ADBC_VERSION 1001000
#define ASIF_ADBC_VERSION_1_0 1000000 /* its table of functions ends before error_get_detail_count */

typedef uint8_t asif_adbc_status; /* 0: all is well */

typedef struct asif_adbc_error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5];
    void (*release)(struct asif_adbc_error *error);
    /* Since version 1.1; a driver may set them only if it was asked to by a vendor_code of INT32_MIN. */
    void *private_data, *private_driver;
} asif_adbc_error;

/* A database, a connection or a statement. */
typedef struct {
    void *private_data, *private_driver;
} asif_adbc_handle;

typedef asif_adbc_status asif_adbc_call(asif_adbc_handle *handle, asif_adbc_error *error);
typedef asif_adbc_status asif_adbc_set(asif_adbc_handle *handle, const char *key, const char *value,
                                       asif_adbc_error *error);
typedef asif_adbc_status asif_adbc_other(void); /* not called */

typedef struct asif_adbc_driver {
    void *private_data, *private_manager;
    asif_adbc_status (*release)(struct asif_adbc_driver *driver, asif_adbc_error *error);

    asif_adbc_call *database_init, *database_new;
    asif_adbc_set *database_set_option;
    asif_adbc_call *database_release;

    asif_adbc_call *connection_commit;
    asif_adbc_other *connection_get_info, *connection_get_objects, *connection_get_table_schema,
        *connection_get_table_types;
    asif_adbc_status (*connection_init)(asif_adbc_handle *connection, asif_adbc_handle *database,
                                        asif_adbc_error *error);
    asif_adbc_call *connection_new;
    asif_adbc_set *connection_set_option;
    asif_adbc_other *connection_read_partition;
    asif_adbc_call *connection_release, *connection_rollback;

    asif_adbc_other *statement_bind, *statement_bind_stream;
    asif_adbc_status (*statement_execute_query)(asif_adbc_handle *statement, struct ArrowArrayStream *out,
                                                int64_t *rows, asif_adbc_error *error);
    asif_adbc_other *statement_execute_partitions, *statement_get_parameter_schema;
    asif_adbc_status (*statement_new)(asif_adbc_handle *connection, asif_adbc_handle *statement,
                                      asif_adbc_error *error);
    asif_adbc_call *statement_prepare, *statement_release;
    asif_adbc_set *statement_set_option;
    asif_adbc_status (*statement_set_sql_query)(asif_adbc_handle *statement, const char *query,
                                                asif_adbc_error *error);
    asif_adbc_other *statement_set_substrait_plan;

    /* since version 1.1 */
    asif_adbc_other *error_get_detail_count, *error_get_detail, *error_from_array_stream;
    asif_adbc_other *database_get_option, *database_get_option_bytes, *database_get_option_double,
        *database_get_option_int, *database_set_option_bytes, *database_set_option_double,
        *database_set_option_int;
    asif_adbc_other *connection_cancel, *connection_get_option, *connection_get_option_bytes,
        *connection_get_option_double, *connection_get_option_int, *connection_get_statistics,
        *connection_get_statistic_names, *connection_set_option_bytes, *connection_set_option_double,
        *connection_set_option_int;
    asif_adbc_call *statement_cancel;
    asif_adbc_other *statement_execute_schema, *statement_get_option, *statement_get_option_bytes,
        *statement_get_option_double, *statement_get_option_int, *statement_set_option_bytes,
        *statement_set_option_double, *statement_set_option_int;
    /* Drivers of later versions write no further than this, because they are asked for version 1.1. */
} asif_adbc_driver;

typedef asif_adbc_status asif_adbc_init(int version, void *driver, asif_adbc_error *error);

#endif
