#include "logs/csv/unpack.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define PIECE (UINT64_C(1) << 16)

void asif_unpack_open(asif_unpack *u, const asif_context *context, asif_csv_source raw, const char *name) {
    *u = (asif_unpack){.context = context, .raw = raw, .name = name};
}

#ifdef ASIF_HAVE_ZLIB

#include <limits.h>
#include <zlib.h>

#define GZIP (16 + MAX_WBITS) /* what inflateInit2() is to expect */

static void *take_memory(void *context, unsigned count, unsigned size) {
    return asif_alloc(context, count, size);
}

static void free_memory(void *context, void *memory) {
    asif_free(context, memory);
}

static asif_status damaged(const asif_unpack *u, const char *how, asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "the compressed table %s", how);
    asif_error_at(error, u->name, 0, 0);
    asif_error_hint(error, "copy the file again; gzip -t FILE tests it");
    return ASIF_EPARSE;
}

static asif_status begin_unpacking(asif_unpack *u, asif_error *error) {
    z_stream *z = ASIF_NEW(u->context, z_stream);
    if (!z)
        return asif_fail_memory(error);
    union {
        const asif_context *given;
        void *opaque;
    } context = {u->context};
    *z = (z_stream){.zalloc = take_memory, .zfree = free_memory, .opaque = context.opaque};
    if (inflateInit2(z, GZIP) != Z_OK) {
        asif_free(u->context, z);
        return asif_fail_memory(error);
    }
    u->inflater = z;
    return ASIF_OK;
}

static void end_unpacking(asif_unpack *u) {
    if (u->inflater)
        inflateEnd(u->inflater);
}

static asif_status refill(asif_unpack *u, asif_error *error) {
    u->at = u->end = 0;
    ASIF_TRY(u->raw.read(u->raw.user, u->piece, PIECE, &u->end, error));
    u->raw_ended = u->end == 0;
    return ASIF_OK;
}

/* One step: raw bytes into at most `room` bytes. */
static asif_status inflate_some(asif_unpack *u, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    z_stream *z = u->inflater;
    uint64_t left = u->end - u->at;
    z->next_in = (unsigned char *)u->piece + u->at;
    z->avail_in = (unsigned)left;
    z->next_out = (unsigned char *)to;
    z->avail_out = room < UINT_MAX ? (unsigned)room : UINT_MAX;
    unsigned before = z->avail_out;
    int result = inflate(z, Z_NO_FLUSH);
    u->at = u->end - z->avail_in;
    *got = before - z->avail_out;
    u->between = result == Z_STREAM_END;
    if (u->between) /* files that were joined are one table */
        inflateReset(z);
    if (result == Z_MEM_ERROR)
        return asif_fail_memory(error);
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
               ? ASIF_OK
               : damaged(u, "cannot be unpacked", error);
}

static asif_status read_packed(asif_unpack *u, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    while (*got == 0 && room) {
        if (u->at == u->end && !u->raw_ended)
            ASIF_TRY(refill(u, error));
        if (u->at == u->end)
            return u->between ? ASIF_OK : damaged(u, "ends too early", error);
        ASIF_TRY(inflate_some(u, to, room, got, error));
    }
    return ASIF_OK;
}

#else

static asif_status begin_unpacking(asif_unpack *u, asif_error *error) {
    (void)u;
    (void)error;
    return ASIF_OK;
}

static void end_unpacking(asif_unpack *u) {
    (void)u;
}

static asif_status read_packed(asif_unpack *u, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    (void)u;
    (void)to;
    (void)room;
    (void)got;
    return asif_fail(error, ASIF_EUNSUPPORTED, "this build has no zlib");
}

#endif

void asif_unpack_close(asif_unpack *u) {
    end_unpacking(u);
    if (u->context) {
        asif_free(u->context, u->inflater);
        asif_free(u->context, u->piece);
    }
    *u = (asif_unpack){0};
}

/* Look at the first bytes. */
static asif_status begin(asif_unpack *u, asif_error *error) {
    u->piece = asif_alloc(u->context, PIECE, 1);
    if (!u->piece)
        return asif_fail_memory(error);
    for (uint64_t got = 1; u->end < 2 && got; u->end += got)
        ASIF_TRY(u->raw.read(u->raw.user, u->piece + u->end, PIECE - u->end, &got, error));
    bool packed = u->end >= 2 && (uint8_t)u->piece[0] == 0x1F && (uint8_t)u->piece[1] == 0x8B;
    return packed ? begin_unpacking(u, error) : ASIF_OK;
}

static asif_status read_some(void *user, char *to, uint64_t room, uint64_t *got, asif_error *error) {
    asif_unpack *u = user;
    *got = 0;
    if (!u->piece)
        ASIF_TRY(begin(u, error));
    if (u->inflater)
        return read_packed(u, to, room, got, error);
    if (u->at == u->end)
        return u->raw.read(u->raw.user, to, room, got, error);
    *got = u->end - u->at < room ? u->end - u->at : room;
    memcpy(to, u->piece + u->at, (size_t)*got);
    u->at += *got;
    return ASIF_OK;
}

asif_csv_source asif_unpack_source(asif_unpack *u) {
    return (asif_csv_source){read_some, u};
}
