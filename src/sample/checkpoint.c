/* Checkpoints: the state of a chain in a file. The file has a line of magic, the SHA-256 of all that follows,
 * the identity of the run, and numbers of 64 bits, lowest byte first. Their number follows from the options
 * and the number of steps done. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "sample/chains/chain.h"

#include <string.h>

#define MAGIC "asif checkpoint 1\n"
#define MAGIC_SIZE (sizeof MAGIC - 1)
#define HEAD_SIZE (MAGIC_SIZE + 2 * ASIF_SHA256_SIZE)
#define NUMBER_SIZE 8

/* ---- numbers ---- */

static void put(uint8_t *to, uint64_t bits) {
    for (uint32_t i = 0; i < NUMBER_SIZE; i++)
        to[i] = (uint8_t)(bits >> 8 * i);
}

static uint64_t get(const uint8_t *from) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < NUMBER_SIZE; i++)
        bits |= (uint64_t)from[i] << 8 * i;
    return bits;
}

/* A pass over the numbers of a file, which are written, read, or (without data) only counted. The buffer is
 * always large enough. */
typedef struct {
    uint8_t *data;
    bool reading;
    uint64_t at;
} passage;

static void pass(passage *p, void *numbers, uint64_t count) {
    for (uint64_t i = 0; p->data && i < count; i++) {
        uint8_t *place = p->data + p->at + i * NUMBER_SIZE, *number = (uint8_t *)numbers + i * NUMBER_SIZE;
        uint64_t bits;
        if (p->reading) {
            bits = get(place);
            memcpy(number, &bits, NUMBER_SIZE);
        } else {
            memcpy(&bits, number, NUMBER_SIZE);
            put(place, bits);
        }
    }
    p->at += count * NUMBER_SIZE;
}

/* Pass the saved state, which follows the number of steps, in the order of the file. */
static void pass_state(passage *p, asif_chain *c) {
    uint64_t n = c->density->dimension, kept = asif_chain_kept(c);
    pass(p, &c->prepared, 1);
    pass(p, &c->bend.bent, 1);
    pass(p, c->bend.mean, n);
    pass(p, c->bend.axes, n * n);
    pass(p, c->bend.back, n * n);
    pass(p, c->bend.shape, n * ASIF_RIDGE_MAP_TERMS);
    pass(p, c->at.x, n);
    pass(p, &c->at.value, 1);
    pass(p, c->at.gradient, c->at.gradient ? n : 0);
    double *const tuning[] = {&c->tuning.step, &c->tuning.centre, &c->tuning.lack, &c->tuning.mean,
                              &c->tuning.count};
    for (size_t i = 0; i < sizeof tuning / sizeof *tuning; i++)
        pass(p, tuning[i], 1);
    pass(p, c->window, (c->windows.end - c->windows.begin) * n);
    pass(p, &c->moments.count, 1);
    pass(p, c->moments.mean, n);
    pass(p, c->moments.sum, n * n);
    pass(p, c->metric, n * n);
    pass(p, c->memory, c->density->memory);
    for (uint32_t i = 0; i < c->draws->view.columns; i++)
        pass(p, asif_draws_values(c->draws, i, c->number), kept);
    for (uint32_t i = 0; i < ASIF_STAT_COUNT; i++)
        pass(p, asif_draws_stats(c->draws, (asif_stat)i, c->number), kept);
}

static uint64_t state_size(asif_chain *c) {
    passage p = {NULL, false, 0};
    pass_state(&p, c);
    return p.at;
}

/* ---- identity ---- */

static void mark(asif_sha256 *hash, uint64_t bits) {
    uint8_t bytes[NUMBER_SIZE];
    put(bytes, bits);
    asif_sha256_add(hash, bytes, sizeof bytes);
}

static void mark_text(asif_sha256 *hash, const char *text) {
    mark(hash, strlen(text));
    asif_sha256_add(hash, text, strlen(text));
}

static void mark_doubles(asif_sha256 *hash, const double *x, uint64_t count) {
    mark(hash, x != NULL);
    for (uint64_t i = 0; x && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mark(hash, bits);
    }
}

void asif_checkpoint_identity(uint8_t digest[ASIF_SHA256_SIZE], const asif_sample_options *o,
                              const asif_density *density, const asif_draws *draws) {
    uint64_t n = density->dimension;
    asif_sha256 hash;
    asif_sha256_begin(&hash);
    mark_text(&hash, o->key ? o->key : "");
    const uint64_t whole[] = {o->method,    o->chains, o->warmup,           o->draws,       o->thin, o->seed,
                              o->max_depth, n,         draws->view.columns, density->memory};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        mark(&hash, whole[i]);
    mark_doubles(&hash, &o->target_accept, 1);
    mark_doubles(&hash, &o->step, 1);
    mark_doubles(&hash, o->start, o->chains * n);
    mark_doubles(&hash, o->metric, n * n);
    mark_doubles(&hash, o->guess, o->guesses * n);
    mark(&hash, o->settled);
    for (uint32_t i = 0; i < draws->view.columns; i++)
        mark_text(&hash, draws->view.name[i]);
    asif_sha256_end(&hash, digest);
}

/* ---- files ---- */

static asif_status path_of(asif_text *path, const asif_chain *c, asif_error *error) {
    *path = (asif_text){.context = c->context};
    asif_text_addf(path, "%s/checkpoint-%u", c->options->folder, c->number + 1);
    if (!path->failed)
        return ASIF_OK;
    asif_text_free(path);
    return asif_fail_memory(error);
}

asif_status asif_checkpoint_save(asif_chain *c, const uint8_t identity[ASIF_SHA256_SIZE], asif_error *error) {
    asif_text path;
    ASIF_TRY(path_of(&path, c, error));
    uint64_t size = HEAD_SIZE + NUMBER_SIZE + state_size(c);
    uint8_t *data = asif_alloc(c->context, size, 1);
    asif_status status = data ? ASIF_OK : asif_fail_memory(error);
    if (data) {
        uint8_t *hashed = data + MAGIC_SIZE + ASIF_SHA256_SIZE;
        passage p = {data, false, HEAD_SIZE};
        memcpy(data, MAGIC, MAGIC_SIZE);
        memcpy(hashed, identity, ASIF_SHA256_SIZE);
        pass(&p, &c->done, 1);
        pass_state(&p, c);
        asif_sha256_of(hashed, size - MAGIC_SIZE - ASIF_SHA256_SIZE, data + MAGIC_SIZE);
        status = asif_file_write(c->context, path.data, (const char *)data, size, NULL, error);
    }
    asif_free(c->context, data);
    asif_text_free(&path);
    return status;
}

static asif_status fail_damaged(asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "the checkpoint is damaged");
    asif_error_hint(error, "delete it: its chain then starts again");
    return ASIF_EPARSE;
}

static asif_status read_state(asif_chain *c, const uint8_t *identity, uint8_t *data, uint64_t length,
                              asif_error *error) {
    if (length < HEAD_SIZE + NUMBER_SIZE || memcmp(data, MAGIC, MAGIC_SIZE) != 0)
        return fail_damaged(error);
    uint8_t digest[ASIF_SHA256_SIZE];
    const uint8_t *hashed = data + MAGIC_SIZE + ASIF_SHA256_SIZE;
    asif_sha256_of(hashed, length - MAGIC_SIZE - ASIF_SHA256_SIZE, digest);
    if (memcmp(digest, data + MAGIC_SIZE, ASIF_SHA256_SIZE) != 0)
        return fail_damaged(error);
    if (memcmp(hashed, identity, ASIF_SHA256_SIZE) != 0) {
        asif_fail(error, ASIF_EINVALID,
                  "the checkpoint belongs to another run: its inputs or options differ");
        asif_error_hint(error, "use another folder, or delete its checkpoints");
        return ASIF_EINVALID;
    }
    passage p = {data, true, HEAD_SIZE};
    pass(&p, &c->done, 1);
    if (c->done > asif_chain_length(c->options) || length - p.at != state_size(c))
        return fail_damaged(error);
    pass_state(&p, c);
    double most = (double)(c->windows.end - c->windows.begin), count = c->moments.count;
    if (!isfinite(c->at.value) || !(c->tuning.step > 0) || !asif_chain_use_metric(c, c->metric) ||
        !(count >= 0 && (count == 0 || count < most) && count == floor(count)) || c->bend.bent > 1)
        return fail_damaged(error);
    return ASIF_OK;
}

asif_status asif_checkpoint_load(asif_chain *c, const uint8_t identity[ASIF_SHA256_SIZE], asif_error *error) {
    asif_text path;
    ASIF_TRY(path_of(&path, c, error));
    char *data = NULL;
    uint64_t length = 0;
    asif_status status = ASIF_OK;
    if (asif_os_exists(path.data)) {
        status = asif_os_read_file(&data, &length, c->context, path.data, error);
        if (status == ASIF_OK) {
            status = read_state(c, identity, (uint8_t *)data, length, error);
            c->begun = status == ASIF_OK;
            if (!c->begun)
                asif_error_at(error, path.data, 0, 0);
        }
    }
    asif_free(c->context, data);
    asif_text_free(&path);
    if (!c->begun)
        return status;
    if (c->density->memory)
        c->density->load(c->density->user, c->memory);
    if (c->done > c->options->warmup)
        asif_chain_settle(c);
    return ASIF_OK;
}

asif_status asif_checkpoint_remove(const asif_chain *c, asif_error *error) {
    asif_text path;
    ASIF_TRY(path_of(&path, c, error));
    asif_status status = asif_os_remove(path.data, error);
    asif_text_free(&path);
    return status;
}
