/* Numbers that are far from all others of a column: a slip, or a code for a missing value such as 9999. */
#ifndef ASIF_SRC_LOGS_TABLE_FAR_H
#define ASIF_SRC_LOGS_TABLE_FAR_H

#include "asif/base.h"

typedef enum {
    ASIF_FAR_NOT,
    ASIF_FAR_OUT, /* further from the quartiles than ten times the distance between them */
    ASIF_FAR_CODE /* 99, -99, 999, ..., -9: a code, beyond all others */
} asif_far;

/* Judge the least or the greatest number of a column by a sample of all, in ascending order. */
asif_far asif_far_judge(const double *sample, uint64_t count, double end, bool greatest);
/* The number of the sample that is nearest to the least or greatest one; false: there are too few to tell. */
bool asif_far_next(const double *sample, uint64_t count, double end, bool greatest, double *next);

#endif
