/* The units of a tree: sorts them by name, and adds up their entries. */
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree_inside.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Compare two runs of digits by value; both pointers end after their runs. */
static int number_order(const char **a, const char **b) {
    const char *p = *a, *q = *b;
    while (*p == '0')
        p++;
    while (*q == '0')
        q++;
    size_t m = 0, n = 0;
    while (is_digit(p[m]))
        m++;
    while (is_digit(q[n]))
        n++;
    *a = p + m;
    *b = q + n;
    return m != n ? (m < n ? -1 : 1) : memcmp(p, q, m);
}

int asif_tree_name_order(const char *a, const char *b) {
    const char *p = a, *q = b;
    while (*p && *q) {
        if (is_digit(*p) && is_digit(*q)) {
            int order = number_order(&p, &q);
            if (order != 0)
                return order;
        } else if (*p != *q) {
            return (unsigned char)*p < (unsigned char)*q ? -1 : 1;
        } else {
            p++;
            q++;
        }
    }
    if (*p || *q)
        return *p ? 1 : -1;
    return strcmp(a, b);
}

typedef struct {
    const char *name;
    uint64_t number;
} named;

static int by_name(const void *a, const void *b) {
    const named *x = a, *y = b;
    int order = asif_tree_name_order(x->name, y->name);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

asif_status asif_tree_order_units(uint64_t *out, const asif_context *context, const asif_tree_units *units,
                                  uint64_t *number, uint64_t *first, asif_error *error) {
    named *list = asif_alloc(context, units->units, sizeof *list);
    if (!list)
        return asif_fail_memory(error);
    bool sorted = true;
    for (uint64_t i = 0; i < units->units; i++) {
        list[i] = (named){units->name[i], i};
        sorted = sorted && (i == 0 || by_name(&list[i - 1], &list[i]) < 0);
    }
    if (!sorted)
        qsort(list, (size_t)units->units, sizeof *list, by_name);
    uint64_t made = 0;
    for (uint64_t i = 0; i < units->units; i++) {
        if (i == 0 || strcmp(list[i - 1].name, list[i].name) != 0)
            first[made++] = list[i].number;
        number[list[i].number] = made - 1;
    }
    asif_free(context, list);
    *out = made;
    return ASIF_OK;
}

static int by_key(const void *a, const void *b) {
    const asif_tree_entry *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->action > y->action) - (x->action < y->action);
}

/* Sort entries; insertion is faster for the few entries that most units have. */
static void sort(asif_tree_entry *entry, uint64_t n) {
    if (n > 64) {
        qsort(entry, (size_t)n, sizeof *entry, by_key);
        return;
    }
    for (uint64_t i = 1; i < n; i++) {
        asif_tree_entry e = entry[i];
        uint64_t k = i;
        for (; k > 0 && by_key(&entry[k - 1], &e) > 0; k--)
            entry[k] = entry[k - 1];
        entry[k] = e;
    }
}

static bool grouped(const asif_tree_entry *entry, uint64_t n) {
    for (uint64_t i = 1; i < n; i++)
        if (entry[i].unit < entry[i - 1].unit)
            return false;
    return true;
}

uint64_t asif_tree_pack(asif_tree_entry *entry, uint64_t entries) {
    if (entries == 0)
        return 0;
    if (!grouped(entry, entries)) {
        sort(entry, entries);
    } else {
        for (uint64_t from = 0, to; from < entries; from = to) {
            for (to = from + 1; to < entries && entry[to].unit == entry[from].unit;)
                to++;
            sort(entry + from, to - from);
        }
    }
    uint64_t kept = 0;
    for (uint64_t i = 1; i < entries; i++) {
        if (by_key(&entry[kept], &entry[i]) == 0)
            asif_amount_add(&entry[kept].amount, entry[i].amount);
        else
            entry[++kept] = entry[i];
    }
    return kept + 1;
}
