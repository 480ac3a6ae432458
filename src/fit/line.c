/* Numbers on the line on which prior and posterior are compared: all of R, whatever limits the number has. */
#include "fit/fit.h"

#include <math.h>
#include <string.h>

double asif_line_back(const asif_estimate_info *info, double at) {
    switch (info->line) {
    case ASIF_LINE_LOG:
        return isfinite(info->low) ? info->low + exp(at) : info->high - exp(-at);
    case ASIF_LINE_LOGIT:
        return info->low + (info->high - info->low) / (1 + exp(-at));
    case ASIF_LINE_SAME:
        break;
    }
    return at;
}

bool asif_is_logarithm(const asif_estimate_info *info) {
    return asif_parameter_in_logs(info->parameter);
}

/* The names of entries of a distribution differ only in the number at the end: `start_low.1`,
 * `means_wait.2`. */
bool asif_same_distribution(const asif_estimate_info *a, const asif_estimate_info *b) {
    const char *end = strrchr(a->name, '.'), *other = strrchr(b->name, '.');
    return a->label && b->label && end && other && end - a->name == other - b->name &&
           strncmp(a->name, b->name, (size_t)(end - a->name)) == 0;
}
