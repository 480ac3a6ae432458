/* A dictionary that numbers texts, the natural order of texts, and a set of hashes. */
#ifndef ASIF_SRC_LOGS_NAMES_H
#define ASIF_SRC_LOGS_NAMES_H

#include "base/text.h"

/* A dictionary: distinct texts, numbered from 0 in order of arrival. Initialise everything but the context
 * with 0. */
typedef struct {
    const asif_context *context;
    uint32_t count;
    uint64_t capacity;
    struct asif_name {
        uint64_t begin; /* offset in `text`, where the name is terminated by 0 */
        uint32_t length, hash;
    } * name;
    uint64_t slots; /* number of slots, a power of 2; 0: none yet */
    uint64_t *slot; /* hash in the upper half, number + 1 in the lower half; 0: free */
    asif_text text;
} asif_names;

/* The number of a text; ASIF_NO_NAME if it is not in the dictionary. */
#define ASIF_NO_NAME UINT32_MAX
uint32_t asif_names_find(const asif_names *names, const char *text, uint64_t length);
/* Add a text if it is new. Returns its number; ASIF_NO_NAME if there is no memory, or there are 2^32
 * names. */
uint32_t asif_names_add(asif_names *names, const char *text, uint64_t length);
/* Borrowed until a name is added. */
static inline const char *asif_names_get(const asif_names *names, uint32_t i) {
    return names->text.data + names->name[i].begin;
}
void asif_names_free(asif_names *names);
/* Set order[i] to the place of name i in natural order. False: no memory. */
bool asif_names_order(const asif_names *names, uint32_t *order);

/* A 64-bit hash of a text. */
uint64_t asif_hash_bytes(const char *text, uint64_t length);

/* Compare in natural order: numbers by value, then other texts, in which runs of digits compare by value. 0
 * only for equal texts. */
int asif_natural_order(const char *a, uint64_t a_length, const char *b, uint64_t b_length);

/* A set of 64-bit hashes. Initialise everything but the context with 0. */
typedef struct {
    const asif_context *context;
    uint64_t count, slots, *slot;
} asif_hashes;
/* Add a hash; *known says whether it was in the set. False: no memory. */
bool asif_hashes_add(asif_hashes *hashes, uint64_t hash, bool *known);
void asif_hashes_free(asif_hashes *hashes);

#endif
