#include "base/sha256.h"

#include <string.h>

/* First 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static void mix(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
        uint32_t t1 = h + s1 + choice + k[i] + w[i], t2 = s0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (unsigned i = 0; i < 8; i++)
        state[i] += mixed[i];
}

void asif_sha256_begin(asif_sha256 *hash) {
    /* First 32 bits of the fractions of the square roots of the first 8 primes. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->length = 0;
}

void asif_sha256_add(asif_sha256 *hash, const void *bytes, uint64_t length) {
    const uint8_t *at = bytes;
    uint64_t used = hash->length % 64;
    hash->length += length;
    if (used) {
        uint64_t taken = length < 64 - used ? length : 64 - used;
        memcpy(hash->block + used, at, (size_t)taken);
        if (used + taken < 64)
            return;
        mix(hash->state, hash->block);
        at += taken;
        length -= taken;
    }
    for (; length >= 64; at += 64, length -= 64)
        mix(hash->state, at);
    if (length)
        memcpy(hash->block, at, (size_t)length);
}

void asif_sha256_end(asif_sha256 *hash, uint8_t digest[ASIF_SHA256_SIZE]) {
    uint8_t tail[72] = {0x80};
    uint64_t bits = 8 * hash->length, zeros = (119 - hash->length % 64) % 64;
    for (unsigned i = 0; i < 8; i++)
        tail[1 + zeros + i] = (uint8_t)(bits >> (56 - 8 * i));
    asif_sha256_add(hash, tail, 9 + zeros);
    for (unsigned i = 0; i < ASIF_SHA256_SIZE; i++)
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void asif_sha256_of(const void *bytes, uint64_t length, uint8_t digest[ASIF_SHA256_SIZE]) {
    asif_sha256 hash;
    asif_sha256_begin(&hash);
    asif_sha256_add(&hash, bytes, length);
    asif_sha256_end(&hash, digest);
}

void asif_sha256_text(const uint8_t digest[ASIF_SHA256_SIZE], char text[2 * ASIF_SHA256_SIZE + 1]) {
    static const char hex[] = "0123456789abcdef";
    for (unsigned i = 0; i < ASIF_SHA256_SIZE; i++) {
        text[2 * i] = hex[digest[i] >> 4];
        text[2 * i + 1] = hex[digest[i] & 15];
    }
    text[2 * ASIF_SHA256_SIZE] = 0;
}
