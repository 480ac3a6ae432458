/* Any bytes as a chain, alone and beside another; what is read is written and read back to the same bits. */
#include "asif.h"
#include "sample/draws.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const double *a, const double *b, uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

static asif_draws *read_chains(const asif_context *context, const char *const *text, const uint64_t *length,
                               uint32_t chains) {
    static const char *const name[] = {"one", "two"};
    asif_draws *draws = NULL;
    asif_error error = ASIF_ERROR_INIT;
    asif_status status = asif_draws_read_text(&draws, context, text, length, name, chains, &error);
    /* Draws or an error with a message, never both, never neither. */
    must((status == ASIF_OK) == (draws != NULL) && error.status == status);
    must(status == ASIF_OK || error.message[0]);
    return draws;
}

static void check_back(const asif_context *context, const asif_draws *draws) {
    asif_draws_view v = {.struct_size = sizeof v}, w = {.struct_size = sizeof w};
    char *text[2] = {NULL, NULL};
    uint64_t length[2] = {0, 0};
    bool written = true;
    must(asif_draws_get(draws, &v, NULL) == ASIF_OK && v.chains <= 2 && v.draws > 0 && v.columns > 0);
    for (uint32_t c = 0; written && c < v.chains; c++) {
        written = asif_draws_csv(&text[c], draws, c, "fuzz", NULL) == ASIF_OK;
        length[c] = text[c] ? strlen(text[c]) : 0;
    }
    if (written) { /* else a name that Stan does not forbid, and readers do not take */
        asif_draws *back = read_chains(context, (const char *const *)text, length, v.chains);
        must(back && asif_draws_get(back, &w, NULL) == ASIF_OK);
        must(v.method == w.method && v.chains == w.chains && v.columns == w.columns && v.draws == w.draws &&
             v.dimension == w.dimension && v.warmup == w.warmup && v.thin == w.thin && v.seed == w.seed &&
             v.max_depth == w.max_depth);
        for (uint32_t i = 0; i < v.columns; i++)
            must(strcmp(v.name[i], w.name[i]) == 0);
        uint64_t n = v.chains * v.draws, square = (uint64_t)v.dimension * v.dimension;
        must(same(v.value, w.value, v.columns * n) && same(v.step, w.step, v.chains));
        must(same(v.stat, w.stat, (v.method == ASIF_METHOD_NUTS ? ASIF_STAT_COUNT : 2) * n));
        must(!v.metric == !w.metric && (!v.metric || same(v.metric, w.metric, v.chains * square)));
        asif_draws_free(back);
    }
    for (uint32_t c = 0; c < v.chains; c++)
        asif_memory_free(context, text[c]);
}

static void check_summary(const asif_context *context, const asif_draws *draws) {
    asif_draws_view v = {.struct_size = sizeof v};
    asif_trust trust;
    must(asif_draws_get(draws, &v, NULL) == ASIF_OK);
    asif_column_summary *summary = calloc(v.columns, sizeof *summary);
    must(summary != NULL);
    for (uint32_t i = 0; i < v.columns; i++)
        must(asif_summarise(&summary[i], context, v.value + i * v.chains * v.draws, v.chains, v.draws,
                            NULL) == ASIF_OK);
    must(asif_draws_trust(&trust, draws, summary, NULL) == ASIF_OK);
    must(!trust.good || (trust.worst_rhat < 1.01 && trust.divergent == 0));
    free(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static asif_context *context;
    if (!context)
        must(asif_context_create(&context, NULL, NULL) == ASIF_OK);
    /* One chain, and two where a zero parts them. */
    const char *text[2] = {(const char *)data, NULL};
    const char *zero = size ? memchr(data, 0, size) : NULL;
    uint64_t length[2] = {size, 0};
    if (zero) {
        length[0] = (uint64_t)(zero - text[0]);
        text[1] = zero + 1;
        length[1] = size - length[0] - 1;
    }
    asif_draws *draws = read_chains(context, text, length, zero ? 2 : 1);
    if (draws) {
        check_back(context, draws);
        check_summary(context, draws);
    }
    asif_draws_free(draws);
    return 0;
}
