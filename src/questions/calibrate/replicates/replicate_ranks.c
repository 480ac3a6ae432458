/* What replicates of agents and of populations share: seeds, episodes, and ranks of true values. */
#include "questions/calibrate/replicates/replicate.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>

#define FEWEST_ESS 50 /* smallest effective sample size, if draws are only summarised */

double asif_replicates_wanted(const asif_replicates *r) {
    /* Half of the ranks is enough: even if two draws count for one, the ranks are uniform to within half a
     * percent of a replicate in each end bin. */
    return r->options.ranks ? r->options.ranks / 2.0 : FEWEST_ESS;
}

uint64_t asif_replicate_seed(const asif_replicates *r, uint32_t index, uint32_t purpose) {
    asif_stream stream = {r->options.seed, ASIF_FOR_REPLICATES, index};
    return (uint64_t)(asif_uniform(&stream, purpose) * 0x1p52);
}

uint64_t *asif_replicate_episodes(const asif_replicates *r) {
    uint32_t starts = asif_setting_get(r->fitted->setting)->starts;
    uint64_t *episodes = ASIF_ARRAY(&r->inner, starts, uint64_t), all = r->options.episodes;
    for (uint32_t c = 0; episodes && c < starts; c++)
        episodes[c] = all / starts + (c < all % starts);
    return episodes;
}

void asif_replicate_clear(asif_replicates *r, uint32_t index) {
    double *row = asif_replicate_row(r, index);
    for (uint64_t i = 0; i < r->width; i++)
        row[i] = NAN;
}

uint64_t asif_replicate_thinned(const asif_replicates *r, uint64_t all, uint32_t k) {
    return (2 * (uint64_t)k + 1) * all / (2 * (uint64_t)r->options.ranks);
}

double asif_replicate_rank(const asif_replicates *r, uint32_t index, uint32_t below, uint32_t equal,
                           uint32_t *ties) {
    asif_stream stream = {asif_replicate_seed(r, index, ASIF_REPLICATE_TIES), ASIF_FOR_REPLICATES, index};
    return equal ? below + floor(asif_uniform(&stream, (*ties)++) * (equal + 1)) : below;
}

void asif_replicate_rank_number(asif_replicates *r, uint32_t index, const asif_draws_view *draws,
                                uint32_t number, uint32_t *ties) {
    uint64_t all = draws->chains * draws->draws;
    double *kept = asif_replicate_number(r, index, number), truth = kept[ASIF_KEPT_TRUTH];
    uint32_t below = 0, equal = 0;
    for (uint32_t k = 0; k < r->options.ranks; k++) {
        double value = draws->value[number * all + asif_replicate_thinned(r, all, k)];
        below += value < truth;
        equal += value == truth;
    }
    kept[ASIF_KEPT_RANK] = asif_replicate_rank(r, index, below, equal, ties);
}
