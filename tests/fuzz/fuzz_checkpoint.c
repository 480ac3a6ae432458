/* Any bytes as the checkpoint of a chain. The first byte chooses the method and the dimension; identity and
 * digest are put right, so that what lies behind them is reached. A chain that loads in its warm-up is saved
 * as the same bytes; any can go on. */
#include "asif.h"

#include "base/sha256.h"
#include "sample/chains/chain.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line, the digest of what follows, and the identity of the run. */
enum { LINE = 18, HASHED = LINE + ASIF_SHA256_SIZE, HEAD = HASHED + ASIF_SHA256_SIZE };

typedef struct {
    uint32_t n;
    double memory;
} normal;

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    normal *d = user;
    (void)error;
    *value = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        *value -= x[i] * x[i] / 2;
        if (gradient)
            gradient[i] = -x[i];
    }
    return ASIF_OK;
}

static void save(void *user, double *memory) {
    *memory = ((normal *)user)->memory;
}

static void load(void *user, const double *memory) {
    ((normal *)user)->memory = *memory;
}

static bool go_on(void *user) {
    int *left = user;
    return (*left)-- <= 0;
}

/* Up to `size` bytes of what the chain saves; how many there are. */
static size_t saved(uint8_t *to, size_t size, asif_chain *chain, const uint8_t *identity) {
    must(asif_checkpoint_save(chain, identity, NULL) == ASIF_OK);
    FILE *file = fopen(scratch_path("checkpoint-1"), "rb");
    must(file != NULL);
    size = fread(to, 1, size, file);
    (void)fclose(file);
    return size;
}

/* The input, with the head that this chain's checkpoint would have. */
static uint8_t *with_head(const uint8_t *data, size_t size, asif_chain *chain, const uint8_t *identity) {
    static uint8_t line[LINE];
    uint8_t *bytes = malloc(HEAD + size);
    must(bytes != NULL);
    if (!line[0])
        must(saved(line, LINE, chain, identity) == LINE && line[LINE - 1] == '\n');
    memcpy(bytes, line, LINE);
    memcpy(bytes + HASHED, identity, ASIF_SHA256_SIZE);
    if (size)
        memcpy(bytes + HEAD, data, size);
    asif_sha256_of(bytes + HASHED, ASIF_SHA256_SIZE + size, bytes + LINE);
    return bytes;
}

static void check_back(asif_chain *chain, const uint8_t *identity, const uint8_t *bytes, size_t size) {
    uint8_t *again = malloc(size + 1);
    must(again && saved(again, size + 1, chain, identity) == size && memcmp(again, bytes, size) == 0);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    if (!context)
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    if (size == 0)
        return 0;
    normal user = {1 + data[0] / 3 % 3U, 0};
    asif_sample_options options = ASIF_SAMPLE_OPTIONS_INIT;
    options.method = (asif_method)(data[0] % 3U);
    options.chains = 1;
    options.warmup = 150;
    options.draws = 5;
    options.folder = scratch();
    asif_density density = {.dimension = user.n, .evaluate = evaluate, .has_gradient = true, .memory = 1};
    density.save = save;
    density.load = load;
    density.user = &user;
    asif_draws *draws = NULL;
    asif_chain *chain = NULL;
    asif_error error = ASIF_ERROR_INIT;
    uint8_t identity[ASIF_SHA256_SIZE];
    must(asif_draws_create(&draws, context, 1, options.draws, user.n, NULL, user.n, NULL) == ASIF_OK);
    must(asif_chain_create(&chain, context, &options, &density, draws, 0, NULL) == ASIF_OK);
    asif_checkpoint_identity(identity, &options, &density, draws);
    uint8_t *bytes = with_head(data + 1, size - 1, chain, identity);
    scratch_write("checkpoint-1", bytes, HEAD + size - 1);
    asif_status status = asif_checkpoint_load(chain, identity, &error);
    must(status == ASIF_OK ? chain->begun : error.status == status && error.message[0] && error.file[0]);
    if (status == ASIF_OK) {
        int left = 200;
        asif_interruptible_density target = {&density, go_on, &left, &error};
        if (chain->done <= options.warmup) /* afterwards the step is worked out anew */
            check_back(chain, identity, bytes, HEAD + size - 1);
        for (int i = 0; i < 4 && status == ASIF_OK && chain->done < asif_chain_length(&options); i++)
            status = asif_chain_advance(chain, &target);
    }
    free(bytes);
    asif_chain_free(chain);
    asif_draws_free(draws);
    return 0;
}
