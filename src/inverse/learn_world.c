/* Learning a world: transition probabilities from counts, if states are observed. */
#include "asif/learn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "setting/setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LISTED 6
#define MOST_CELLS 100000000 /* most cells of a part, with a prior */

typedef struct {
    asif_world_estimate view;
    asif_world_cell *cell;
    uint32_t *filled;
    uint64_t room;
} estimate;

struct asif_learnt_world {
    const asif_context *context;
    uint32_t parts;
    estimate *part;
};

/* The inputs of all parts. */
typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    asif_tree_view tree;
    asif_learn_options options;
} source;

static const char *label(const source *s, asif_label_kind kind, uint32_t i, asif_shown *room) {
    char buffer[ASIF_LABEL_SIZE];
    *room = asif_show(asif_setting_label(s->setting, kind, i, buffer));
    return room->text;
}

static asif_status add(const source *s, estimate *e, uint32_t from, int32_t to, double count,
                       asif_error *error) {
    if (!asif_grow(s->context, &e->cell, e->view.cells, &e->room, sizeof *e->cell))
        return asif_fail_memory(error);
    e->cell[e->view.cells++] = (asif_world_cell){from, to, count, 0, NAN};
    return ASIF_OK;
}

/* Set the probabilities of the cells [first, end), which together sum to 1. */
static void share_out(const source *s, estimate *e, uint64_t first, uint64_t end) {
    double sum = 0;
    for (uint64_t i = first; i < end; i++)
        sum += e->cell[i].count + s->options.prior;
    for (uint64_t i = first; i < end; i++) {
        double p = (e->cell[i].count + s->options.prior) / sum;
        e->cell[i].probability = p;
        e->cell[i].error = sqrt(p * (1 - p) / sum);
    }
}

/* ---- increments ---- */

static asif_status fail_increment(const source *s, const asif_world_part *part, double odd, uint64_t first,
                                  asif_error *error) {
    asif_shown a, b, c;
    const asif_tree_view *t = &s->tree;
    asif_fail(
        error, ASIF_EINVALID,
        "transitions of weight %g are no increment from %d to %d; the first is from `%s` by `%s` to `%s`",
        odd, part->least, part->most, label(s, ASIF_LABEL_STATE, t->from[first], &a),
        label(s, ASIF_LABEL_ACTION, t->did[first], &b), label(s, ASIF_LABEL_STATE, t->to[first], &c));
    asif_error_hint(error,
                    "allow more increments in the study, say what the action begins `from`, or look for "
                    "mistakes in the states");
    return ASIF_EINVALID;
}

static asif_status learn_increments(const source *s, const asif_world_part *part, estimate *e,
                                    asif_error *error) {
    const asif_tree_view *t = &s->tree;
    int64_t last = (int64_t)s->spec->states - 1;
    double odd = 0;
    uint64_t first_odd = 0;
    for (int32_t k = part->least; k <= part->most; k++)
        ASIF_TRY(add(s, e, 0, k, 0, error));
    for (uint64_t i = 0; i < t->transitions; i++) {
        if (!part->action[t->did[i]])
            continue;
        uint32_t origin = part->origin[t->did[i]];
        int64_t begin = origin == ASIF_ANY ? t->from[i] : origin, low = begin + part->least,
                high = begin + part->most, to = t->to[i];
        double count = t->transition_count[i];
        if (to < (low < 0 ? 0 : low > last ? last : low) || to > (high > last ? last : high < 0 ? 0 : high)) {
            first_odd = odd > 0 ? first_odd : i;
            odd += count;
        } else if (low < 0 || high > last) {
            e->view.edge += count;
        } else {
            e->cell[to - low].count += count;
            e->view.count += count;
        }
    }
    if (odd > 0)
        return fail_increment(s, part, odd, first_odd, error);
    if (!(e->view.count + s->options.prior > 0)) {
        asif_fail(error, ASIF_EINVALID, "no transition of the logs tells the increments%s%s",
                  part->name ? " " : "", part->name ? asif_show(part->name).text : "");
        asif_error_hint(error,
                        "do episodes have more than one row? a row is followed by the next of its episode");
        return ASIF_EINVALID;
    }
    share_out(s, e, 0, e->view.cells);
    return ASIF_OK;
}

/* ---- rows ---- */

static int by_place(const void *a, const void *b) {
    const asif_world_cell *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static asif_status count_cells(const source *s, const asif_world_part *part, estimate *e, asif_error *error) {
    const asif_tree_view *t = &s->tree;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < t->transitions; i++) {
        if (!part->action[t->did[i]])
            continue;
        ASIF_TRY(add(s, e, t->from[i], (int32_t)t->to[i], t->transition_count[i], error));
        e->view.count += t->transition_count[i];
    }
    if (s->options.prior > 0)
        for (uint32_t from = 0; from < s->spec->states; from++)
            for (uint32_t to = 0; to < s->spec->states; to++)
                ASIF_TRY(add(s, e, from, (int32_t)to, 0, error));
    if (e->view.cells)
        qsort(e->cell, (size_t)e->view.cells, sizeof *e->cell, by_place);
    for (uint64_t i = 0; i < e->view.cells; i++) {
        if (kept && by_place(&e->cell[kept - 1], &e->cell[i]) == 0)
            e->cell[kept - 1].count += e->cell[i].count;
        else
            e->cell[kept++] = e->cell[i];
    }
    e->view.cells = kept;
    return ASIF_OK;
}

static asif_status fail_unseen(const source *s, const asif_world_part *part, const estimate *e,
                               asif_error *error) {
    char list[200] = "";
    size_t used = 0;
    asif_shown room;
    uint32_t action = 0;
    while (!part->action[action])
        action++;
    for (uint32_t i = 0; i < e->view.unseen && i < LISTED && used + 40 < sizeof list; i++)
        used += (size_t)asif_format(list + used, sizeof list - used, "%s%.30s", i ? ", " : "",
                                    label(s, ASIF_LABEL_STATE, e->filled[i], &room));
    asif_fail(error, ASIF_EINVALID, "the logs do not tell what follows `%s` in %u of %u states: %s%s",
              label(s, ASIF_LABEL_ACTION, action, &room), e->view.unseen, s->spec->states, list,
              e->view.unseen > LISTED ? ", ..." : "");
    asif_error_hint(error,
                    "--unseen stay or --unseen uniform fills them in, --prior 1 adds one to every count; or "
                    "state a structure such as `increments`");
    return ASIF_EINVALID;
}

/* Add a row without data at the end of the cells. */
static asif_status fill_row(const source *s, estimate *e, uint32_t from, asif_error *error) {
    bool stay = s->options.unseen == ASIF_UNSEEN_STAY || s->spec->terminal[from];
    uint32_t n = stay ? 1 : s->spec->states;
    for (uint32_t i = 0; i < n; i++) {
        ASIF_TRY(add(s, e, from, (int32_t)(stay ? from : i), 0, error));
        e->cell[e->view.cells - 1].probability = 1.0 / n;
    }
    return ASIF_OK;
}

static asif_status learn_rows(const source *s, const asif_world_part *part, estimate *e, asif_error *error) {
    uint32_t S = s->spec->states;
    if (s->options.prior > 0 && (uint64_t)S * S > MOST_CELLS) {
        asif_fail(error, ASIF_ETOOBIG, "a prior count for each of %u times %u transitions is too much", S, S);
        asif_error_hint(error, "leave --prior out, or state a structure such as `increments`");
        return ASIF_ETOOBIG;
    }
    ASIF_TRY(count_cells(s, part, e, error));
    e->filled = ASIF_ARRAY(s->context, S, uint32_t);
    if (!e->filled)
        return asif_fail_memory(error);
    uint64_t cells = e->view.cells, first = 0;
    for (uint32_t from = 0; from < S; from++) {
        uint64_t end = first;
        while (end < cells && e->cell[end].from == from)
            end++;
        if (end > first)
            share_out(s, e, first, end);
        else if (s->spec->terminal[from])
            ASIF_TRY(fill_row(s, e, from, error));
        else
            e->filled[e->view.unseen++] = from;
        first = end;
    }
    if (e->view.unseen && s->options.unseen == ASIF_UNSEEN_REFUSE)
        return fail_unseen(s, part, e, error);
    for (uint32_t i = 0; i < e->view.unseen; i++)
        ASIF_TRY(fill_row(s, e, e->filled[i], error));
    if (e->view.cells)
        qsort(e->cell, (size_t)e->view.cells, sizeof *e->cell, by_place);
    return ASIF_OK;
}

/* ---- the whole world ---- */

static asif_status check(const source *s, asif_error *error) {
    if (!s->tree.states_seen || s->spec->observations) {
        asif_fail(error, ASIF_EUNSUPPORTED, "a world is learnt only where states are seen");
        asif_error_hint(error, "leave `observations` out of the study, and name the column of the state");
        return ASIF_EUNSUPPORTED;
    }
    if (s->tree.actions != s->spec->actions || s->tree.observations != s->spec->states)
        return asif_fail(error, ASIF_EINVALID, "the logs have other labels than the study");
    if (!(s->options.prior >= 0 && isfinite(s->options.prior)))
        return asif_fail(error, ASIF_EDOMAIN, "a prior count must be at least 0");
    return ASIF_OK;
}

asif_status asif_learn_world(asif_learnt_world **out, const asif_context *context,
                             const asif_setting *setting, const asif_tree *tree, const asif_world_part *part,
                             uint32_t parts, const asif_learn_options *options, asif_error *error) {
    source s = {
        context, setting, asif_setting_get(setting), {.struct_size = sizeof s.tree}, ASIF_LEARN_OPTIONS_INIT};
    *out = NULL;
    if (options && (options->struct_size == 0 || options->struct_size > sizeof s.options))
        return asif_fail(error, ASIF_EDOMAIN, "options of learning have an unknown size");
    if (options)
        memcpy(&s.options, options, options->struct_size);
    ASIF_TRY(asif_tree_get(tree, &s.tree, error));
    ASIF_TRY(check(&s, error));
    asif_learnt_world *world = ASIF_NEW(context, asif_learnt_world);
    estimate *list = ASIF_ARRAY(context, parts, estimate);
    asif_status status = world && list ? ASIF_OK : asif_fail_memory(error);
    if (status != ASIF_OK) {
        asif_free(context, list);
        asif_free(context, world);
        return status;
    }
    *world = (asif_learnt_world){context, parts, list};
    for (uint32_t i = 0; i < parts && status == ASIF_OK; i++) {
        status = part[i].increments ? learn_increments(&s, &part[i], &list[i], error)
                                    : learn_rows(&s, &part[i], &list[i], error);
        list[i].view.cell = list[i].cell;
        list[i].view.filled = list[i].filled;
    }
    if (status == ASIF_OK)
        *out = world;
    else
        asif_learnt_world_free(world);
    return status;
}

void asif_learnt_world_free(asif_learnt_world *world) {
    if (!world)
        return;
    for (uint32_t i = 0; i < world->parts; i++) {
        asif_free(world->context, world->part[i].cell);
        asif_free(world->context, world->part[i].filled);
    }
    asif_free(world->context, world->part);
    asif_free(world->context, world);
}

const asif_world_estimate *asif_learnt_world_get(const asif_learnt_world *world, uint32_t i) {
    return i < world->parts ? &world->part[i].view : NULL;
}
