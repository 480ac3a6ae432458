#include "engine/places/links.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* Mark the places to which the rows of a place lead, and list those that were not marked. */
static uint32_t list_targets(const asif_links *l, const asif_matrix *t, uint32_t place, uint64_t mark,
                             uint64_t *marked, uint32_t *target) {
    uint32_t count = 0;
    for (uint32_t h = 0; h < l->hidden; h++) {
        uint64_t e, end;
        for (asif_matrix_row(t, place % l->seen * l->hidden + h, &e, &end); e < end; e++) {
            uint32_t to = asif_links_next(l, place, t->column[e] / l->hidden);
            if (marked[to] == mark)
                continue;
            marked[to] = mark;
            target[count++] = to;
        }
    }
    return count;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Count the links, or list where they go to if there is room for it. */
static void list_links(asif_links *l, const asif_setting *setting, const uint32_t *world,
                       const uint32_t *action, uint32_t branches, uint64_t *marked, uint32_t *target) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < branches; b++) {
        const asif_matrix *t = asif_transitions(setting, world[b], action[b]);
        for (uint32_t y = 0; y < l->places; y++) {
            uint64_t pair = (uint64_t)b * l->places + y, mark = 2 * pair + (l->to ? 2 : 1);
            uint32_t n = list_targets(l, t, y, mark, marked, target);
            l->at[pair] = count;
            if (l->to) {
                qsort(target, n, sizeof *target, ascending);
                for (uint32_t i = 0; i < n; i++) {
                    l->to[count + i] = target[i];
                    l->last[count + i] = asif_is_last(&setting->spec, y, action[b]);
                }
            }
            count += n;
        }
    }
    l->at[(uint64_t)branches * l->places] = l->count = count;
}

static void fill_links(const asif_links *l, const asif_matrix *t, const asif_matrix *o, uint32_t branch,
                       uint32_t y) {
    uint64_t H = l->hidden, X = l->shown, e, end;
    uint32_t begin, beyond;
    asif_links_from(l, branch, y, &begin, &beyond);
    for (uint32_t h = 0; h < H; h++)
        for (asif_matrix_row(t, (uint32_t)(y % l->seen * H + h), &e, &end); e < end; e++) {
            uint32_t to = asif_links_next(l, y, (uint32_t)(t->column[e] / H));
            uint64_t link = asif_links_find(l, branch, y, to);
            l->transition[(link * H + t->column[e] % H) * H + h] = t->value[e];
        }
    for (uint64_t link = begin; link < beyond; link++)
        for (uint64_t h = 0; h < H; h++)
            for (asif_matrix_row(o, (uint32_t)(l->to[link] % l->seen * H + h), &e, &end); e < end; e++) {
                uint64_t x = link * X + o->column[e] % X;
                l->emission[x * H + h] = o->value[e];
                l->shows[x] = true;
            }
}

asif_status asif_links_create(asif_links *l, const asif_context *context, const asif_setting *setting,
                              const uint32_t *world, const uint32_t *action, uint32_t branches,
                              asif_error *error) {
    const asif_setting_spec *spec = &setting->spec;
    *l = (asif_links){.places = asif_places(spec),
                      .seen = asif_seen_values(spec),
                      .hidden = asif_hidden_values(spec),
                      .shown = asif_shown_values(spec)};
    l->at = ASIF_ARRAY(context, (uint64_t)branches * l->places + 1, uint32_t);
    uint64_t *marked = ASIF_ARRAY(context, l->places, uint64_t);
    uint32_t *target = ASIF_ARRAY(context, l->places, uint32_t);
    bool good = l->at && marked && target;
    if (good) {
        list_links(l, setting, world, action, branches, marked, target);
        l->to = ASIF_ARRAY(context, l->count, uint32_t);
        l->transition = ASIF_ARRAY(context, (uint64_t)l->count * l->hidden * l->hidden, double);
        l->emission = ASIF_ARRAY(context, (uint64_t)l->count * l->hidden * l->shown, double);
        l->shows = ASIF_ARRAY(context, (uint64_t)l->count * l->shown, bool);
        l->last = ASIF_ARRAY(context, l->count, bool);
        good = l->last && l->to && l->transition && l->emission && l->shows;
    }
    if (good)
        list_links(l, setting, world, action, branches, marked, target);
    for (uint32_t b = 0; b < branches && good; b++)
        for (uint32_t y = 0; y < l->places; y++)
            fill_links(l, asif_transitions(setting, world[b], action[b]),
                       asif_emissions(setting, world[b], action[b]), b, y);
    asif_free(context, marked);
    asif_free(context, target);
    return good ? ASIF_OK : asif_fail_memory(error);
}

void asif_links_free(const asif_context *context, asif_links *l) {
    void *const arrays[] = {l->at, l->to, l->transition, l->emission, l->shows, l->last};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *l = (asif_links){0};
}

void asif_links_follow(const asif_links *l, uint32_t link, const double *z, double *next) {
    const double *to = asif_links_to(l, link);
    for (uint32_t h = 0; h < l->hidden; h++) {
        next[h] = 0;
        for (uint32_t from = 0; from < l->hidden; from++)
            next[h] += z[from] * to[(uint64_t)h * l->hidden + from];
    }
}

uint32_t asif_links_find(const asif_links *l, uint32_t branch, uint32_t from, uint32_t to) {
    uint32_t begin, end;
    asif_links_from(l, branch, from, &begin, &end);
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (l->to[middle] == to)
            return middle;
        if (l->to[middle] < to)
            begin = middle + 1;
        else
            end = middle;
    }
    return ASIF_ANY;
}
