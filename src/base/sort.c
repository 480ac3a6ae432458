#include "base/sort.h"

#include <stdlib.h>

int asif_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void asif_sort(double *value, uint64_t n) {
    if (n > 1)
        qsort(value, (size_t)n, sizeof *value, asif_ascending);
}
