/* Rank histograms of chains (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021). */
#include "render/words/sentences.h"
#include "report/figures/drawn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define BINS 20

typedef struct {
    asif_figure figure;
    const asif_source *source;
    const asif_source_fit *fit;
    uint32_t index;         /* index of the fit */
    double *sorted;         /* [chains * draws] */
    uint64_t (*in)[BINS];   /* [chains]: number of ranks in each bin */
    uint32_t numbers, left; /* numbers that are drawn, and all that have draws */
    bool steady;
} ranked;

/* Number of values below x, or with `or_same` not above it. */
static uint64_t below(const double *sorted, uint64_t n, double x, bool or_same) {
    uint64_t low = 0, high = n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (or_same ? sorted[middle] <= x : sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Count the ranks of each chain's draws among the draws of all chains; equal draws share their mean rank. */
static bool count_ranks(ranked *r, const double *value) {
    const uint64_t draws = r->fit->draws.draws, n = r->fit->draws.chains * draws;
    memcpy(r->sorted, value, n * sizeof *value);
    asif_sort(r->sorted, n);
    if (!(r->sorted[0] < r->sorted[n - 1]))
        return false;
    memset(r->in, 0, r->fit->draws.chains * sizeof *r->in);
    for (uint64_t i = 0; i < n; i++) {
        double rank =
            ((double)below(r->sorted, n, value[i], false) + 1 + (double)below(r->sorted, n, value[i], true)) /
            2;
        uint32_t bin = (uint32_t)((rank - 0.5) * BINS / (double)n);
        r->in[i / draws][bin < BINS ? bin : BINS - 1]++;
    }
    return true;
}

static void add_rows(ranked *r, const asif_drawn *drawn) {
    asif_json *data = &r->figure.data;
    double width = (double)(r->fit->draws.chains * r->fit->draws.draws) / BINS;
    for (uint32_t c = 0; c < r->fit->draws.chains; c++)
        for (uint32_t b = 0; b < BINS; b++) {
            asif_json_object(data, NULL);
            asif_json_string(data, "number", drawn->name);
            asif_json_count(data, "chain", c + 1);
            asif_figure_number(&r->figure, "rank", (b + 0.5) * width);
            asif_json_count(data, "count", r->in[c][b]);
            asif_json_end(data);
        }
}

static void add_words(ranked *r, const asif_drawn *drawn) {
    uint64_t least = UINT64_MAX, most = 0;
    double even = (double)r->fit->draws.draws / BINS;
    asif_text words = {.context = r->source->context}, *alt = &r->figure.alt;
    char cell[ASIF_CELL_SIZE];
    for (uint32_t c = 0; c < r->fit->draws.chains; c++) {
        uint64_t low = UINT64_MAX, high = 0;
        for (uint32_t b = 0; b < BINS; b++) {
            low = r->in[c][b] < low ? r->in[c][b] : low;
            high = r->in[c][b] > high ? r->in[c][b] : high;
        }
        asif_drawn_cell(&r->figure, drawn);
        asif_figure_cell_number(&r->figure, c + 1);
        asif_figure_cell_number(&r->figure, (double)low);
        asif_figure_cell_number(&r->figure, (double)high);
        asif_figure_cell_number(&r->figure, even);
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    if (alt->length == 0)
        asif_drawn_in(&words, r->source, r->index);
    asif_drawn_words(&words, drawn);
    asif_text_addf(&words, ": %llu to %llu draws of a chain in a bin, where even chains have %s",
                   (unsigned long long)least, (unsigned long long)most, asif_short_number(cell, even));
    asif_sentence_join(alt, &words);
}

static asif_status add_panel(ranked *r, const asif_drawn *drawn, asif_error *error) {
    asif_text words = {.context = r->source->context};
    char number[2 * ASIF_NUMBER_SIZE];
    double draws = (double)r->fit->draws.draws;
    asif_text_add(&words, "rank of ");
    asif_drawn_words(&words, drawn);
    asif_figure_slot(&r->figure, "number", drawn->name);
    asif_figure_slot(&r->figure, "title", words.data ? words.data : "");
    r->figure.slots.failed |= words.failed;
    asif_text_free(&words);
    asif_format(number, sizeof number, "[0, %.9g]", draws * r->fit->draws.chains);
    asif_figure_slot_json(&r->figure, "domain", number);
    asif_format(number, sizeof number, "%.9g", draws / BINS);
    asif_figure_slot_json(&r->figure, "even", number);
    return asif_figure_panel(&r->figure, "ranks-panel.vl.json", error);
}

static asif_status fill(ranked *r, const asif_drawn *drawn, uint32_t count, asif_error *error) {
    asif_json_array(&r->figure.data, "ranks");
    for (uint32_t k = 0; k < count; k++) {
        const double *value = asif_drawn_values(r->fit, drawn[k].name);
        if (!value || r->left++ >= ASIF_DRAWN_PANELS)
            continue;
        if (!count_ranks(r, value)) {
            r->steady = true;
            continue;
        }
        add_rows(r, &drawn[k]);
        add_words(r, &drawn[k]);
        ASIF_TRY(add_panel(r, &drawn[k], error));
        r->numbers++;
    }
    asif_json_end(&r->figure.data);
    asif_text *caption = &r->figure.caption;
    asif_text_add(
        caption,
        "All draws of a number are put in order, and their ranks counted for each chain by itself in 20 "
        "bins. Chains that draw from the same distribution stay near the dotted line, up to chance. A "
        "chain with too many high or low ranks, or too many at both ends, shows that they differ.");
    if (r->steady)
        asif_text_add(caption, " Numbers whose draws are all alike are left out.");
    asif_drawn_left(caption, r->left, ASIF_DRAWN_PANELS, "numbers");
    asif_drawn_left(caption, r->source->fits, ASIF_DRAWN_GROUPS, "groups");
    return ASIF_OK;
}

static asif_status begin(ranked *r, asif_error *error) {
    static const char *const heads[] = {"", "chain", "fewest in a bin", "most in a bin", "even"};
    const asif_context *context = r->source->context;
    asif_drawn_begin(&r->figure, r->source, r->index, "ranks", "Ranks of the chains");
    asif_figure_table(&r->figure, 5, heads);
    r->sorted = ASIF_ARRAY(context, r->fit->draws.chains * r->fit->draws.draws, double);
    r->in = asif_alloc(context, r->fit->draws.chains, sizeof *r->in);
    return r->sorted && r->in ? ASIF_OK : asif_fail_memory(error);
}

static asif_status make(asif_figures *list, ranked *r, const asif_drawn *drawn, uint32_t count,
                        asif_error *error) {
    asif_status status = begin(r, error);
    if (status == ASIF_OK)
        status = fill(r, drawn, count, error);
    asif_free(r->source->context, r->sorted);
    asif_free(r->source->context, r->in);
    if (status == ASIF_OK && r->numbers)
        return asif_figure_end(list, &r->figure, "ranks.vl.json", error);
    asif_figure_free(&r->figure);
    return status;
}

asif_status asif_figure_ranks(asif_figures *list, const asif_source *source, asif_error *error) {
    asif_drawn *drawn = NULL;
    uint32_t count = 0;
    if (!asif_drawn_any(source))
        return ASIF_OK;
    asif_status status = asif_drawn_list(&drawn, &count, source, error);
    for (uint32_t i = 0; status == ASIF_OK && i < source->fits && i < ASIF_DRAWN_GROUPS; i++) {
        ranked r = {.source = source, .fit = &source->fit[i], .index = i};
        /* A single chain has even ranks whatever it drew, so it is not shown. */
        if (asif_drawn_chains(r.fit) && r.fit->draws.chains > 1)
            status = make(list, &r, drawn, count, error);
    }
    asif_free(source->context, drawn);
    return status;
}
