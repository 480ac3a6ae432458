#include "logs/names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
    return h ^ (h >> 32);
}

uint64_t asif_hash_bytes(const char *text, uint64_t length) {
    uint64_t h = length * UINT64_C(0x9E3779B97F4A7C15), word = 0;
    uint32_t half = 0;
    if (length >= 8) {
        for (uint64_t i = 0; i + 8 < length; i += 8) {
            memcpy(&word, text + i, 8);
            h = mix(h, word);
        }
        memcpy(&word, text + length - 8, 8); /* the last 8 bytes, which may overlap those before */
    } else if (length >= 4) {
        memcpy(&half, text, 4);
        word = (uint64_t)half << 32;
        memcpy(&half, text + length - 4, 4);
        word |= half;
    } else if (length) {
        word = (uint64_t)(uint8_t)text[0] << 16 | (uint64_t)(uint8_t)text[length / 2] << 8 |
               (uint8_t)text[length - 1];
    }
    h = mix(h, word) * UINT64_C(0xC4CEB9FE1A85EC53);
    return h ^ (h >> 29);
}

static uint64_t packed(uint32_t hash, uint32_t number) {
    return (uint64_t)hash << 32 | (number + 1);
}

/* The slot of a text, or the free slot where it belongs. */
static uint64_t slot_of(const asif_names *names, uint32_t hash, const char *text, uint64_t length) {
    uint64_t mask = names->slots - 1, at = hash & mask;
    for (; names->slot[at]; at = (at + 1) & mask) {
        if (names->slot[at] >> 32 != hash)
            continue;
        const struct asif_name *name = &names->name[(uint32_t)names->slot[at] - 1];
        if (name->length == length && memcmp(names->text.data + name->begin, text, (size_t)length) == 0)
            break;
    }
    return at;
}

uint32_t asif_names_find(const asif_names *names, const char *text, uint64_t length) {
    if (!names->slots)
        return ASIF_NO_NAME;
    uint64_t found = names->slot[slot_of(names, (uint32_t)asif_hash_bytes(text, length), text, length)];
    return found ? (uint32_t)found - 1 : ASIF_NO_NAME;
}

static bool grow_slots(asif_names *names) {
    uint64_t slots = names->slots ? 2 * names->slots : 16, mask = slots - 1;
    uint64_t *slot = ASIF_ARRAY(names->context, slots, uint64_t);
    if (!slot)
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        uint64_t at = names->name[i].hash & mask;
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = packed(names->name[i].hash, i);
    }
    asif_free(names->context, names->slot);
    names->slot = slot;
    names->slots = slots;
    return true;
}

uint32_t asif_names_add(asif_names *names, const char *text, uint64_t length) {
    if (2 * (uint64_t)names->count >= names->slots && !grow_slots(names))
        return ASIF_NO_NAME;
    uint32_t hash = (uint32_t)asif_hash_bytes(text, length);
    uint64_t at = slot_of(names, hash, text, length);
    if (names->slot[at])
        return (uint32_t)names->slot[at] - 1;
    names->text.context = names->context;
    if (names->count >= UINT32_MAX - 2 ||
        !asif_grow(names->context, &names->name, names->count, &names->capacity, sizeof *names->name))
        return ASIF_NO_NAME;
    names->name[names->count] = (struct asif_name){names->text.length, (uint32_t)length, hash};
    asif_text_add_n(&names->text, text, length);
    asif_text_add_n(&names->text, "", 1);
    if (names->text.failed)
        return ASIF_NO_NAME;
    names->slot[at] = packed(hash, names->count);
    return names->count++;
}

void asif_names_free(asif_names *names) {
    asif_free(names->context, names->name);
    asif_free(names->context, names->slot);
    names->text.context = names->context;
    asif_text_free(&names->text);
    *names = (asif_names){.context = names->context};
}

typedef struct {
    const char *text;
    uint32_t length, number;
} numbered;

static int compare_numbered(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    return asif_natural_order(x->text, x->length, y->text, y->length);
}

bool asif_names_order(const asif_names *names, uint32_t *order) {
    numbered *list = ASIF_ARRAY(names->context, names->count, numbered);
    if (!list)
        return false;
    for (uint32_t i = 0; i < names->count; i++)
        list[i] = (numbered){asif_names_get(names, i), names->name[i].length, i};
    if (names->count)
        qsort(list, names->count, sizeof *list, compare_numbered);
    for (uint32_t i = 0; i < names->count; i++)
        order[list[i].number] = i;
    asif_free(names->context, list);
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Read a number; whole numbers of up to 15 digits, by far the most frequent, take a fast path. */
static bool read_number(const char *s, uint64_t length, double *out) {
    if (length == 0 || length > 15)
        return asif_number_read(s, length, out);
    uint64_t value = 0;
    for (uint64_t i = 0; i < length; i++) {
        if (!is_digit(s[i]))
            return asif_number_read(s, length, out);
        value = 10 * value + (uint64_t)(s[i] - '0');
    }
    *out = (double)value;
    return true;
}

static int compare_bytes(const char *a, uint64_t a_length, const char *b, uint64_t b_length) {
    int c = memcmp(a, b, (size_t)(a_length < b_length ? a_length : b_length));
    return c ? c : (a_length > b_length) - (a_length < b_length);
}

static int compare_text(const char *a, uint64_t a_length, const char *b, uint64_t b_length) {
    uint64_t i = 0, k = 0;
    while (i < a_length && k < b_length) {
        if (is_digit(a[i]) && is_digit(b[k])) {
            while (i < a_length && a[i] == '0')
                i++;
            while (k < b_length && b[k] == '0')
                k++;
            uint64_t m = 0, n = 0;
            while (i + m < a_length && is_digit(a[i + m]))
                m++;
            while (k + n < b_length && is_digit(b[k + n]))
                n++;
            if (m != n)
                return m < n ? -1 : 1;
            int c = memcmp(a + i, b + k, (size_t)m);
            if (c)
                return c;
            i += m;
            k += n;
        } else if (a[i] != b[k]) {
            return (uint8_t)a[i] < (uint8_t)b[k] ? -1 : 1;
        } else {
            i++;
            k++;
        }
    }
    return (i < a_length) - (k < b_length);
}

int asif_natural_order(const char *a, uint64_t a_length, const char *b, uint64_t b_length) {
    double x = 0, y = 0;
    bool a_number = read_number(a, a_length, &x), b_number = read_number(b, b_length, &y);
    int c = 0;
    if (a_number != b_number)
        c = a_number ? -1 : 1;
    else if (a_number)
        c = (x > y) - (x < y);
    else
        c = compare_text(a, a_length, b, b_length);
    return c ? c : compare_bytes(a, a_length, b, b_length);
}

bool asif_hashes_add(asif_hashes *hashes, uint64_t hash, bool *known) {
    hash += hash == 0; /* 0 marks a free slot */
    if (2 * hashes->count >= hashes->slots) {
        uint64_t slots = hashes->slots ? 2 * hashes->slots : 1024, mask = slots - 1;
        uint64_t *slot = ASIF_ARRAY(hashes->context, slots, uint64_t);
        if (!slot)
            return false;
        for (uint64_t i = 0; i < hashes->slots; i++) {
            if (!hashes->slot[i])
                continue;
            uint64_t at = hashes->slot[i] & mask;
            while (slot[at])
                at = (at + 1) & mask;
            slot[at] = hashes->slot[i];
        }
        asif_free(hashes->context, hashes->slot);
        hashes->slot = slot;
        hashes->slots = slots;
    }
    uint64_t mask = hashes->slots - 1, at = hash & mask;
    while (hashes->slot[at] && hashes->slot[at] != hash)
        at = (at + 1) & mask;
    *known = hashes->slot[at] == hash;
    hashes->slot[at] = hash;
    hashes->count += !*known;
    return true;
}

void asif_hashes_free(asif_hashes *hashes) {
    asif_free(hashes->context, hashes->slot);
    *hashes = (asif_hashes){.context = hashes->context};
}
