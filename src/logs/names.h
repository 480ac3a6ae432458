/* Texts with numbers: a dictionary, and the natural order of texts. */
#ifndef ASIF_SRC_LOGS_NAMES_H
#define ASIF_SRC_LOGS_NAMES_H

#include "base/text.h"

/* Different texts, numbered from 0 as they come. Zero-initialise all but the context. */
typedef struct {
    const asif_context *context;
    uint32_t count;
    uint64_t capacity;
    struct asif_name {
        uint64_t begin; /* in `text`, terminated */
        uint32_t length, hash;
    } * name;
    uint64_t slots; /* a power of 2, or 0 */
    uint64_t *slot; /* hash and, in the lower half, number + 1; 0: free */
    asif_text text;
} asif_names;

/* Number of a text; ASIF_NO_NAME if it is not there. */
#define ASIF_NO_NAME UINT32_MAX
uint32_t asif_names_find(const asif_names *names, const char *text, uint64_t length);
/* Its number, new or old; ASIF_NO_NAME if there is no memory (or there are 2^32 names). */
uint32_t asif_names_add(asif_names *names, const char *text, uint64_t length);
const char *asif_names_get(const asif_names *names, uint32_t i); /* borrowed until a name is added */
void asif_names_free(asif_names *names);
/* order[i]: place of name i in their natural order; false: no memory. */
bool asif_names_order(const asif_names *names, uint32_t *order);

uint64_t asif_hash_bytes(const char *text, uint64_t length);

/* Numbers by value, then other texts; in these, runs of digits by value; 0 only for equal texts. */
int asif_natural_order(const char *a, uint64_t a_length, const char *b, uint64_t b_length);

/* A set of 64-bit hashes. Zero-initialise all but the context. */
typedef struct {
    const asif_context *context;
    uint64_t count, slots, *slot;
} asif_hashes;
/* Add one; *known says whether it was there. False: no memory. */
bool asif_hashes_add(asif_hashes *hashes, uint64_t hash, bool *known);
void asif_hashes_free(asif_hashes *hashes);

#endif
