/* The numbers of columns that are cut: whether one is far from all others. */
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "logs/reading.h"
#include "logs/table/far.h"

#include <math.h>

void asif_numbers_take(asif_reading *r, struct asif_coder_part *part, double x) {
    const uint64_t most = sizeof part->numbers->sample / sizeof *part->numbers->sample;
    asif_numbers *n = part->numbers;
    if (!isfinite(x) || (!n && !(n = part->numbers = ASIF_NEW(r->context, asif_numbers))))
        return; /* without memory for it, a warning is lost */
    for (int k = 0; k < 2; k++)
        if (n->seen == 0 || (k ? x > n->end[k] : x < n->end[k])) {
            n->end[k] = x;
            n->at[k] = asif_reading_here(r, part->column);
        }
    n->stride = n->stride ? n->stride : 1;
    if (n->seen++ % n->stride != 0)
        return;
    if (n->samples == most) {
        n->samples /= 2;
        for (uint64_t i = 0; i < n->samples; i++)
            n->sample[i] = n->sample[2 * i];
        n->stride *= 2;
    }
    n->sample[n->samples++] = x;
}

static void say_far(asif_reading *r, const asif_coder *coder) {
    for (uint32_t i = 0; i < coder->parts; i++) {
        asif_numbers *n = coder->part[i].numbers;
        if (n)
            asif_sort(n->sample, n->samples);
        for (int k = 0; n && k < 2; k++) {
            asif_far far = asif_far_judge(n->sample, n->samples, n->end[k], k);
            if (far == ASIF_FAR_NOT || !asif_reading_wants(r, ASIF_PROBLEM_WARNING))
                continue;
            asif_reading_list(r, ASIF_PROBLEM_WARNING, ASIF_EINVALID, n->at[k],
                              far == ASIF_FAR_CODE
                                  ? "if it stands for a missing value, list it in `missing_values`"
                                  : "if it is a slip, correct it, or say under `columns` which `range` is "
                                    "plausible",
                              "%.7g is far from the other numbers of `%s`", n->end[k],
                              asif_show(coder->part[i].map->name).text);
        }
    }
}

void asif_numbers_say(asif_reading *r) {
    const asif_coder *const coders[] = {&r->action, &r->seen, &r->start, &r->label};
    for (size_t c = 0; c < sizeof coders / sizeof *coders; c++)
        say_far(r, coders[c]);
}
