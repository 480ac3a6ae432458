/* SHA-256 (FIPS 180-4). */
#ifndef ASIF_SRC_BASE_SHA256_H
#define ASIF_SRC_BASE_SHA256_H

#include <stdint.h>

#define ASIF_SHA256_SIZE 32

/* A digest in progress: begin, add bytes in pieces of any size, end. */
typedef struct {
    uint32_t state[8];
    uint64_t length; /* number of bytes added so far */
    uint8_t block[64];
} asif_sha256;

void asif_sha256_begin(asif_sha256 *hash);
void asif_sha256_add(asif_sha256 *hash, const void *bytes, uint64_t length);
void asif_sha256_end(asif_sha256 *hash, uint8_t digest[ASIF_SHA256_SIZE]);

/* The digest of all bytes in one call. */
void asif_sha256_of(const void *bytes, uint64_t length, uint8_t digest[ASIF_SHA256_SIZE]);
/* Writes a digest as 64 hexadecimal digits and a terminating 0. */
void asif_sha256_text(const uint8_t digest[ASIF_SHA256_SIZE], char text[2 * ASIF_SHA256_SIZE + 1]);

#endif
