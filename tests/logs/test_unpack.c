/* Tables that are compressed: read as the plain ones, and whatever is wrong with them is said. */
#include "check.h"

#include "asif.h"

#include <string.h>

static const char plain[] = "episode,t,action,observation\n"
                            "1,0,wait,good\n"
                            "1,1,wait,good\n"
                            "1,2,act,bad\n"
                            "2,0,wait,good\n"
                            "2,1,wait,bad\n"
                            "2,2,act,good\n"
                            "3,0,wait,good\n"
                            "3,1,wait,bad\n"
                            "3,2,act,good\n"
                            "4,0,wait,bad\n"
                            "4,1,wait,good\n"
                            "4,2,act,good\n";
/* The same, by gzip; and two halves of it, each by gzip, joined. */
static const unsigned char packed[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x55, 0xcd, 0x41, 0x0e, 0x80,
    0x20, 0x0c, 0x04, 0xc0, 0x3b, 0x6f, 0xd9, 0x83, 0x50, 0x3e, 0x54, 0x84, 0x18, 0x2e, 0x96,
    0x08, 0xd1, 0xef, 0x2b, 0x12, 0x12, 0x7a, 0xeb, 0x66, 0x67, 0xd3, 0x54, 0x72, 0x95, 0x98,
    0xd0, 0xc0, 0x7b, 0xcb, 0x72, 0x42, 0x42, 0x4d, 0xd7, 0xcd, 0xfd, 0x36, 0x16, 0x1b, 0x1e,
    0xce, 0x0d, 0x87, 0x48, 0xfc, 0x92, 0x55, 0xc9, 0xf5, 0x09, 0x02, 0x47, 0xe3, 0x94, 0x73,
    0xd3, 0x8d, 0x6a, 0xb0, 0xbf, 0x21, 0xe5, 0x68, 0x75, 0xb4, 0x3a, 0x3f, 0x5d, 0x6f, 0xbc,
    0x7a, 0xeb, 0x57, 0xf7, 0x02, 0x89, 0xba, 0xad, 0x2d, 0xbd, 0x00, 0x00, 0x00,
};
static const unsigned char joined[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x2d, 0xc8, 0x2c, 0xce, 0x4f,
    0x49, 0xd5, 0x29, 0xd1, 0x49, 0x4c, 0x2e, 0xc9, 0xcc, 0xcf, 0xd3, 0xc9, 0x4f, 0x2a, 0x4e, 0x2d,
    0x2a, 0x4b, 0x04, 0xb1, 0xb9, 0x0c, 0x75, 0x0c, 0x74, 0xca, 0x13, 0x33, 0x4b, 0x74, 0xd2, 0xf3,
    0xf3, 0x53, 0x80, 0x3c, 0x43, 0x14, 0x9e, 0x11, 0x48, 0x8b, 0x4e, 0x52, 0x62, 0x0a, 0x97, 0x11,
    0x8a, 0x3a, 0x23, 0x98, 0xba, 0xa4, 0x44, 0x00, 0xf9, 0x0a, 0x7f, 0xc8, 0x5e, 0x00, 0x00, 0x00,
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0xe1, 0x32, 0xd2, 0x31, 0xd2,
    0x49, 0x4c, 0x2e, 0xd1, 0x49, 0xcf, 0xcf, 0x4f, 0xe1, 0x32, 0xd6, 0x31, 0xd0, 0x29, 0x4f, 0xcc,
    0x84, 0xf3, 0x0c, 0x21, 0xbc, 0xa4, 0x44, 0x10, 0x07, 0x49, 0x9d, 0x09, 0x4c, 0x1d, 0x48, 0xc6,
    0x04, 0xa6, 0x0c, 0x2a, 0x85, 0xa4, 0x0e, 0x00, 0x37, 0x9c, 0xb7, 0x1a, 0x5f, 0x00, 0x00, 0x00,
};

static asif_context *context;

static int set_up(void **state) {
    (void)state;
    return asif_context_create(&context, NULL, NULL) != ASIF_OK;
}

static int tear_down(void **state) {
    (void)state;
    asif_context_free(context);
    return 0;
}

static asif_status read_bytes(asif_tree **tree, const asif_context *from, const void *bytes, uint64_t length,
                              asif_error *error) {
    return asif_logs_read_text(tree, from, bytes, length, "table", NULL, NULL, NULL, error);
}

/* A build without zlib says so. */
static void need_zlib(void) {
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    if (read_bytes(&tree, context, packed, sizeof packed, &error) != ASIF_OK &&
        strstr(error.message, "this build cannot unpack it"))
        skip();
    asif_tree_free(tree);
}

static void test_same(void **state) {
    (void)state;
    need_zlib();
    const struct {
        const void *bytes;
        uint64_t length;
    } tables[] = {{plain, sizeof plain - 1}, {packed, sizeof packed}, {joined, sizeof joined}};
    char *want = NULL;
    uint64_t length = 0;
    for (int i = 0; i < 3; i++) {
        asif_tree *tree = NULL;
        char *got = NULL;
        uint64_t n = 0;
        assert_int_equal(read_bytes(&tree, context, tables[i].bytes, tables[i].length, NULL), ASIF_OK);
        assert_int_equal(asif_tree_bytes(&got, &n, tree, NULL), ASIF_OK);
        asif_tree_free(tree);
        if (i == 0) {
            want = got;
            length = n;
            continue;
        }
        assert_int_equal(n, length);
        assert_memory_equal(got, want, n);
        asif_memory_free(context, got);
    }
    asif_memory_free(context, want);
}

static void test_too_short(void **state) {
    (void)state;
    need_zlib();
    for (uint64_t n = 3; n < sizeof packed; n++) {
        asif_error error = ASIF_ERROR_INIT;
        asif_tree *tree = NULL;
        assert_int_equal(read_bytes(&tree, context, packed, n, &error), ASIF_EPARSE);
        assert_string_equal(error.message, "the compressed table ends too early");
        assert_null(tree);
    }
}

/* The checksum notices every changed bit that means something. */
static void test_damaged(void **state) {
    (void)state;
    need_zlib();
    unsigned char bytes[sizeof packed];
    asif_tree *right = NULL;
    char *want = NULL;
    uint64_t length = 0;
    assert_int_equal(read_bytes(&right, context, packed, sizeof packed, NULL), ASIF_OK);
    assert_int_equal(asif_tree_bytes(&want, &length, right, NULL), ASIF_OK);
    asif_tree_free(right);
    for (uint64_t bit = 0; bit < 8 * sizeof packed; bit++) {
        asif_tree *tree = NULL;
        memcpy(bytes, packed, sizeof bytes);
        bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1U << bit % 8);
        asif_status status = read_bytes(&tree, context, bytes, sizeof bytes, NULL);
        char *got = NULL;
        uint64_t n = 0;
        if (status == ASIF_OK)
            assert_int_equal(asif_tree_bytes(&got, &n, tree, NULL), ASIF_OK);
        CHECK(status == ASIF_EPARSE || (got && n == length && memcmp(got, want, n) == 0), "bit %d: status %d",
              (int)bit, (int)status);
        asif_memory_free(context, got);
        asif_tree_free(tree);
    }
    asif_memory_free(context, want);
}

static void test_too_little_memory(void **state) {
    (void)state;
    need_zlib();
    failing_memory memory = {.left = 0};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    options.reallocate = failing_reallocate;
    options.user = &memory;
    long at = 0;
    for (bool done = false; !done; at++) {
        asif_context *poor = NULL;
        asif_tree *tree = NULL;
        memory = (failing_memory){.left = -1};
        assert_int_equal(asif_context_create(&poor, &options, NULL), ASIF_OK);
        memory.left = at;
        asif_status status = read_bytes(&tree, poor, joined, sizeof joined, NULL);
        done = status == ASIF_OK;
        CHECK(done || status == ASIF_ENOMEM, "allocation %ld: status %d", at, (int)status);
        asif_tree_free(tree);
        asif_context_free(poor);
        CHECK(memory.alive == 0, "allocation %ld: %ld blocks are left", at, memory.alive);
    }
    assert_true(at > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_too_little_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
