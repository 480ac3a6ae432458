/* Sorting of numbers. */
#ifndef ASIF_SRC_BASE_SORT_H
#define ASIF_SRC_BASE_SORT_H

#include <stdint.h>

/* A comparison of doubles for qsort(), the smaller first. */
int asif_ascending(const void *a, const void *b);
void asif_sort(double *value, uint64_t n);

#endif
