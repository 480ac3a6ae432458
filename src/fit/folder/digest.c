/* Digests of files, which identify the inputs of a run. */
#include "asif/fit.h"

#include "base/error.h"
#include "base/os.h"
#include "base/sha256.h"
#include "fit/fit.h"

void asif_digest_bytes(char *out, const void *bytes, uint64_t length) {
    uint8_t digest[ASIF_SHA256_SIZE];
    asif_sha256_of(bytes, length, digest);
    asif_sha256_text(digest, out);
}

asif_status asif_digest_file(char *out, const char *path, asif_error *error) {
    asif_os_stream stream;
    asif_sha256 hash;
    uint8_t digest[ASIF_SHA256_SIZE];
    char piece[1 << 14];
    uint64_t got = 0;
    ASIF_TRY(asif_os_open(&stream, path, error));
    asif_sha256_begin(&hash);
    asif_status status;
    while ((status = asif_os_read(&stream, piece, sizeof piece, &got, error)) == ASIF_OK && got > 0)
        asif_sha256_add(&hash, piece, got);
    asif_os_close(&stream);
    asif_sha256_end(&hash, digest);
    asif_sha256_text(digest, out);
    return status;
}
