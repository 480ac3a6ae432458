/* SHA-256: the examples that NIST published, and the same digest in whatever pieces the bytes come. */
#include "check.h"

#include "base/sha256.h"

#include <string.h>

static void published_examples(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t times;
        const char *digest;
    } rows[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
         "p"
         "qrstnopqrstu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        asif_sha256 hash;
        uint8_t digest[ASIF_SHA256_SIZE];
        char text[2 * ASIF_SHA256_SIZE + 1];
        asif_sha256_begin(&hash);
        for (uint32_t k = 0; k < rows[i].times; k++)
            asif_sha256_add(&hash, rows[i].text, strlen(rows[i].text));
        asif_sha256_end(&hash, digest);
        asif_sha256_text(digest, text);
        assert_string_equal(text, rows[i].digest);
    }
}

static void any_pieces(void **state) {
    (void)state;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i + 7 * i);
    for (size_t length = 0; length <= sizeof bytes; length++) {
        uint8_t whole[ASIF_SHA256_SIZE], pieces[ASIF_SHA256_SIZE];
        asif_sha256_of(bytes, length, whole);
        for (size_t piece = 1; piece < 130; piece += 9) {
            asif_sha256 hash;
            asif_sha256_begin(&hash);
            for (size_t at = 0; at < length; at += piece)
                asif_sha256_add(&hash, bytes + at, length - at < piece ? length - at : piece);
            asif_sha256_end(&hash, pieces);
            assert_memory_equal(whole, pieces, sizeof whole);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
