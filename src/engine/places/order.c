#include "engine/places/order.h"

#include "base/error.h"
#include "base/memory.h"

/* The links that lead on, listed by the place to which they lead. */
typedef struct {
    uint64_t *at;   /* [places + 1] */
    uint32_t *from; /* the places from which they come */
    uint64_t *left; /* [places]: links out of a place to places that are not listed yet */
} arrivals;

static void fill(arrivals *a, const asif_links *l, uint32_t branches) {
    for (uint32_t i = 0; i < l->count; i++)
        if (!l->last[i])
            a->at[l->to[i] + 1]++;
    for (uint32_t p = 0; p < l->places; p++)
        a->at[p + 1] += a->at[p];
    for (uint64_t pair = 0; pair < (uint64_t)branches * l->places; pair++)
        for (uint32_t i = l->at[pair]; i < l->at[pair + 1]; i++) {
            if (l->last[i])
                continue;
            a->from[a->at[l->to[i]]++] = (uint32_t)(pair % l->places);
            a->left[pair % l->places]++;
        }
    for (uint32_t p = l->places; p > 0; p--)
        a->at[p] = a->at[p - 1];
    a->at[0] = 0;
}

/* A place is listed once nothing that can follow it is left; returns the number of places listed. */
static uint32_t list(const arrivals *a, uint32_t places, uint32_t *order) {
    uint32_t listed = 0;
    for (uint32_t p = places; p-- > 0;)
        if (a->left[p] == 0)
            order[listed++] = p;
    for (uint32_t i = 0; i < listed; i++)
        for (uint64_t e = a->at[order[i]]; e < a->at[order[i] + 1]; e++)
            if (--a->left[a->from[e]] == 0)
                order[listed++] = a->from[e];
    return listed;
}

asif_status asif_order_create(uint32_t **order, const asif_context *context, const asif_links *links,
                              uint32_t branches, asif_error *error) {
    arrivals a = {ASIF_ARRAY(context, links->places + 1ull, uint64_t),
                  ASIF_ARRAY(context, links->count, uint32_t), ASIF_ARRAY(context, links->places, uint64_t)};
    *order = ASIF_ARRAY(context, links->places, uint32_t);
    bool good = a.at && a.from && a.left && *order;
    if (good)
        fill(&a, links, branches);
    if (!good || list(&a, links->places, *order) < links->places) {
        asif_free(context, *order);
        *order = NULL;
    }
    asif_free(context, a.at);
    asif_free(context, a.from);
    asif_free(context, a.left);
    return good ? ASIF_OK : asif_fail_memory(error);
}
