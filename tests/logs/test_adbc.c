/* The layout of drivers, as we declare it, against ADBC's own header (adbc.h, from PyPI's adbc-driver-manager
 * by `tools/get-drivers build/drivers header`); skipped without it. */
#if __has_include(<adbc.h>)
/* It declares Arrow's structs, too, as we do. */
#define ArrowSchema theirs_schema
#define ArrowArray theirs_array
#define ArrowArrayStream theirs_stream
#include <adbc.h>
#undef ArrowSchema
#undef ArrowArray
#undef ArrowArrayStream
#undef ARROW_C_DATA_INTERFACE
#undef ARROW_C_STREAM_INTERFACE
#endif

#include "check.h"
#include "logs/database/adbc.h"

#ifdef ADBC_VERSION_1_1_0

#define SAME(ours, our, theirs, their)                                                                       \
    CHECK(offsetof(ours, our) == offsetof(theirs, their), "%s is at %zu, and %s at %zu", #our,               \
          offsetof(ours, our), #their, offsetof(theirs, their))

static void handles(void **state) {
    (void)state;
    assert_int_equal(sizeof(asif_adbc_handle), sizeof(struct AdbcDatabase));
    assert_int_equal(sizeof(asif_adbc_handle), sizeof(struct AdbcConnection));
    assert_int_equal(sizeof(asif_adbc_handle), sizeof(struct AdbcStatement));
    SAME(asif_adbc_handle, private_data, struct AdbcDatabase, private_data);
    SAME(asif_adbc_handle, private_driver, struct AdbcConnection, private_driver);
    SAME(asif_adbc_handle, private_driver, struct AdbcStatement, private_driver);
}

static void errors(void **state) {
    (void)state;
    assert_int_equal(sizeof(asif_adbc_status), sizeof(AdbcStatusCode));
    assert_int_equal(sizeof(asif_adbc_error), sizeof(struct AdbcError));
    SAME(asif_adbc_error, message, struct AdbcError, message);
    SAME(asif_adbc_error, vendor_code, struct AdbcError, vendor_code);
    SAME(asif_adbc_error, sqlstate, struct AdbcError, sqlstate);
    SAME(asif_adbc_error, release, struct AdbcError, release);
    SAME(asif_adbc_error, private_data, struct AdbcError, private_data);
    SAME(asif_adbc_error, private_driver, struct AdbcError, private_driver);
}

#define OF_DRIVER(our, their) SAME(asif_adbc_driver, our, struct AdbcDriver, their)

static void functions(void **state) {
    (void)state;
    assert_int_equal(ASIF_ADBC_VERSION, ADBC_VERSION_1_1_0);
    assert_int_equal(ASIF_ADBC_VERSION_1_0, ADBC_VERSION_1_0_0);
    assert_int_equal(sizeof(asif_adbc_driver), ADBC_DRIVER_1_1_0_SIZE);
    assert_int_equal(offsetof(asif_adbc_driver, error_get_detail_count), ADBC_DRIVER_1_0_0_SIZE);
    OF_DRIVER(private_data, private_data);
    OF_DRIVER(private_manager, private_manager);
    OF_DRIVER(release, release);
    OF_DRIVER(database_init, DatabaseInit);
    OF_DRIVER(database_new, DatabaseNew);
    OF_DRIVER(database_set_option, DatabaseSetOption);
    OF_DRIVER(database_release, DatabaseRelease);
    OF_DRIVER(connection_init, ConnectionInit);
    OF_DRIVER(connection_new, ConnectionNew);
    OF_DRIVER(connection_release, ConnectionRelease);
    OF_DRIVER(statement_execute_query, StatementExecuteQuery);
    OF_DRIVER(statement_new, StatementNew);
    OF_DRIVER(statement_release, StatementRelease);
    OF_DRIVER(statement_set_sql_query, StatementSetSqlQuery);
    OF_DRIVER(statement_set_substrait_plan, StatementSetSubstraitPlan);
    OF_DRIVER(error_get_detail_count, ErrorGetDetailCount);
    OF_DRIVER(statement_cancel, StatementCancel);
    OF_DRIVER(statement_set_option_int, StatementSetOptionInt);
}

static void arrow(void **state) {
    (void)state;
    assert_int_equal(sizeof(struct ArrowSchema), sizeof(struct theirs_schema));
    assert_int_equal(sizeof(struct ArrowArray), sizeof(struct theirs_array));
    assert_int_equal(sizeof(struct ArrowArrayStream), sizeof(struct theirs_stream));
    SAME(struct ArrowSchema, format, struct theirs_schema, format);
    SAME(struct ArrowSchema, name, struct theirs_schema, name);
    SAME(struct ArrowSchema, n_children, struct theirs_schema, n_children);
    SAME(struct ArrowSchema, children, struct theirs_schema, children);
    SAME(struct ArrowSchema, dictionary, struct theirs_schema, dictionary);
    SAME(struct ArrowSchema, release, struct theirs_schema, release);
    SAME(struct ArrowArray, length, struct theirs_array, length);
    SAME(struct ArrowArray, null_count, struct theirs_array, null_count);
    SAME(struct ArrowArray, offset, struct theirs_array, offset);
    SAME(struct ArrowArray, n_buffers, struct theirs_array, n_buffers);
    SAME(struct ArrowArray, n_children, struct theirs_array, n_children);
    SAME(struct ArrowArray, buffers, struct theirs_array, buffers);
    SAME(struct ArrowArray, children, struct theirs_array, children);
    SAME(struct ArrowArray, dictionary, struct theirs_array, dictionary);
    SAME(struct ArrowArray, release, struct theirs_array, release);
    SAME(struct ArrowArrayStream, get_schema, struct theirs_stream, get_schema);
    SAME(struct ArrowArrayStream, get_next, struct theirs_stream, get_next);
    SAME(struct ArrowArrayStream, get_last_error, struct theirs_stream, get_last_error);
    SAME(struct ArrowArrayStream, release, struct theirs_stream, release);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(handles), cmocka_unit_test(errors),
                                       cmocka_unit_test(functions), cmocka_unit_test(arrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    (void)puts("adbc.h is not here (tools/get-drivers build/drivers header)");
    return 77;
}

#endif
