/* What a pass over a table holds. */
#include "logs/reading.h"

#include "base/memory.h"
#include "base/problems.h"

asif_status asif_reading_begin(asif_reading *r, asif_error *error) {
    const asif_context *context = r->context;
    r->subject = r->episode = r->time = r->weight = ASIF_NO_COLUMN;
    r->info.sorted = r->pass != ASIF_PASS_COLLECT;
    r->times.context = r->key.context = r->unit_names.context = context;
    r->unit_key.context = r->fed_key.context = r->rows.context = context;
    r->episode_hashes.context = r->subject_hashes.context = context;
    r->keys.context = r->unit_keys.context = r->values.context = context;
    asif_coder *coders[] = {&r->action, &r->seen, &r->start, &r->label};
    for (size_t i = 0; i < 4; i++)
        coders[i]->names.context = coders[i]->joined.context = coders[i]->patterns.context = context;
    return asif_problems_create(&r->problems, context, 3 * ASIF_KEPT, error);
}

void asif_reading_end(asif_reading *r) {
    const asif_context *context = r->key.context;
    if (!context) /* the pass was not begun */
        return;
    asif_coder *coders[] = {&r->action, &r->seen, &r->start, &r->label};
    for (size_t i = 0; i < 4; i++)
        asif_coder_free(coders[i]);
    asif_names *names[] = {&r->keys, &r->unit_keys, &r->values};
    for (size_t i = 0; i < 3; i++)
        asif_names_free(names[i]);
    asif_text *texts[] = {&r->times, &r->key, &r->unit_names, &r->fed_key, &r->unit_key, &r->rows};
    for (size_t i = 0; i < 6; i++)
        asif_text_free(texts[i]);
    asif_hashes_free(&r->episode_hashes);
    asif_hashes_free(&r->subject_hashes);
    void *arrays[] = {r->covariate_name, r->covariate, r->where,           r->possible,    r->step,
                      r->step_weight,    r->step_text, r->order,           r->merged,      r->list,
                      r->unit_name,      r->value,     r->arrival,         r->shown,       r->time_column,
                      r->require,        r->group,     r->covariate_group, r->where_group, r->real,
                      r->place_column,   r->start_of,  r->cell_column,     r->outside,     r->written};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    asif_tree_abandon(r->builder);
    asif_problems_free(r->problems);
}
