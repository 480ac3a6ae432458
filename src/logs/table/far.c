#include "logs/table/far.h"

#include <math.h>

#define FAR 10           /* quartile distances from which a number counts as far from the others */
#define LEAST_NUMBERS 20 /* fewest numbers of a column among which one can be far out */

bool asif_far_next(const double *sample, uint64_t count, double end, bool greatest, double *next) {
    bool found = false;
    for (uint64_t i = 0; i < count; i++)
        if (sample[i] != end && (!found || greatest)) {
            *next = sample[i];
            found = true;
        }
    return found && count >= LEAST_NUMBERS;
}

/* Whether a number is all nines but for its sign, as codes for missing values are. */
static bool is_code(double x) {
    double size = fabs(x);
    return size == 99 || size == 999 || size == 9999 || size == 99999 || x == -9;
}

asif_far asif_far_judge(const double *sample, uint64_t count, double end, bool greatest) {
    double next = 0;
    if (!asif_far_next(sample, count, end, greatest, &next))
        return ASIF_FAR_NOT;
    if (is_code(end) && (greatest ? next < end / 2 : next >= 0))
        return ASIF_FAR_CODE;
    double low = sample[count / 4], high = sample[count - 1 - count / 4], spread = high - low;
    bool far = spread > 0 && (greatest ? end > high + FAR * spread : end < low - FAR * spread);
    return far ? ASIF_FAR_OUT : ASIF_FAR_NOT;
}
