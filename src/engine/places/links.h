/* Where a branch (one action in one world) can lead: a link goes from one place (a seen value of the state,
 * and with a horizon a number of decisions made) to the next, and has the transitions of the hidden part and
 * the emissions there as dense tables. Without a seen part of the state and a horizon each branch has one
 * link, of its own number. */
#ifndef ASIF_SRC_ENGINE_PLACES_LINKS_H
#define ASIF_SRC_ENGINE_PLACES_LINKS_H

#include "setting/setting.h"

typedef struct {
    uint32_t places, seen, hidden, shown; /* seen and hidden values; observations for each seen value */
    uint32_t count;
    uint32_t *at;       /* [branches * places + 1]: where the links of a branch from a place begin */
    uint32_t *to;       /* [count]: the next place, ascending within a branch and place */
    bool *last;         /* [count]: nothing follows, and the next place only tells the seen value */
    double *transition; /* [count][to][from]: P(y', h' | y, h) */
    double *emission;   /* [count][shown][hidden]: P(x | y', h') */
    bool *shows;        /* [count][shown]: some hidden value emits it */
} asif_links;

/* Make the links of branches whose first pairs are (world[i], action[i]). On failure the caller frees what is
 * there. Cost: the entries of the matrices. */
asif_status asif_links_create(asif_links *links, const asif_context *context, const asif_setting *setting,
                              const uint32_t *world, const uint32_t *action, uint32_t branches,
                              asif_error *error);
void asif_links_free(const asif_context *context, asif_links *links);

/* The place that a seen value makes after a decision in a place. After the last one time stands still. */
static inline uint32_t asif_links_next(const asif_links *links, uint32_t place, uint32_t seen) {
    uint32_t later = (place / links->seen + 1) * links->seen;
    return seen + (later < links->places ? later : later - links->seen);
}
/* The first observation that a link can show. */
static inline uint32_t asif_links_lead(const asif_links *links, uint32_t link) {
    return links->to[link] % links->seen * links->shown;
}

/* The links [*begin, *end) of a branch from a place. */
static inline void asif_links_from(const asif_links *links, uint32_t branch, uint32_t place, uint32_t *begin,
                                   uint32_t *end) {
    const uint32_t *at = links->at + (uint64_t)branch * links->places + place;
    *begin = at[0];
    *end = at[1];
}
/* The link of a branch from one place to another; ASIF_ANY: it does not lead there. */
uint32_t asif_links_find(const asif_links *links, uint32_t branch, uint32_t from, uint32_t to);

/* The probabilities of the hidden values that follow a belief z by a link, [hidden]; their sum is that of the
 * link. */
void asif_links_follow(const asif_links *links, uint32_t link, const double *z, double *next);

/* P(y',h'|y,h) of a link as [to][from], and P(x|y',h') as [shown][to]. */
static inline const double *asif_links_to(const asif_links *links, uint32_t link) {
    return links->transition + (uint64_t)link * links->hidden * links->hidden;
}
static inline const double *asif_links_seen(const asif_links *links, uint32_t link) {
    return links->emission + (uint64_t)link * links->shown * links->hidden;
}

#endif
